"""The ceiling: what the human responses get, beside which every grounded score is shown.

The database does not have everything that people told, and no delexicaliser finds everything: what
people get is what can be had. The human responses are rated dialogue by dialogue, so that any
choice of dialogues has its ceiling from there; an installed benchmark keeps the ratings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from mwz.database.venues import VenueDatabase
from mwz.normalization.delexicaliser import Delexicaliser

from ..benchmark import Benchmark
from ..grounding.faithfulness import Faithfulness
from ..grounding.rating import HumanRatings, PlainDialogue, Rating, rated
from ..submission.plain_responses import has_human_responses


def human_ratings(
    benchmark: Benchmark,
    database: Callable[[], VenueDatabase],
    delexicaliser: Callable[[], Delexicaliser],
    name: str,
) -> HumanRatings | None:
    """Return how the human responses of a benchmark went; None if it has none.

    Args:
        benchmark: The benchmark.
        database: Gives the venue database; called where ratings are to be made.
        delexicaliser: Gives the delexicaliser; called alike.
        name: What the ratings are called where the benchmark is installed and keeps them.
    """
    if not benchmark.dialogues or not has_human_responses(benchmark):
        return None
    if benchmark.prepared is None:
        return _made(benchmark, database(), delexicaliser())
    kept = benchmark.prepared.part(
        name, lambda: asdict(_made(benchmark, database(), delexicaliser()))
    )
    return HumanRatings(
        **{
            which: {
                id_: Rating(one["won"], Faithfulness(**one["faithfulness"]))
                for id_, one in ratings.items()
            }
            for which, ratings in kept.items()
        }
    )


def _made(
    benchmark: Benchmark, database: VenueDatabase, delexicaliser: Delexicaliser
) -> HumanRatings:
    booked: dict[str, Rating] = {}
    free: dict[str, Rating] = {}
    for id_, dialogue in benchmark.dialogues.items():
        responses = [delexicaliser(text) for text in dialogue.responses]
        for ratings, bookings in ((booked, dialogue.booked_domains), (free, None)):
            plain = PlainDialogue(responses, dialogue.goal, bookings)
            ratings[id_] = rated(plain, database, delexicaliser.gazetteer).rating
    return HumanRatings(booked, free)
