"""The ceiling: what the human responses get, beside which every grounded score is shown.

The database does not have everything that people told, and no delexicaliser finds everything: what
people get is what can be had. The human responses of an installed benchmark are rated once, and the
ratings are stored dialogue by dialogue, so that any choice of dialogues has its ceiling from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from mwz.database.venues import VenueDatabase
from mwz.normalization.delexicaliser import Delexicaliser

from ..benchmark import Benchmark
from ..grounding.faithfulness import Faithfulness
from ..grounding.rating import HumanRatings, PlainDialogue, Rating, rated
from ..io.store import Store
from ..submission.plain_responses import has_human_responses

_STORE = Store("ceilings")


def human_ratings(
    benchmark: Benchmark,
    database: Callable[[], VenueDatabase],
    delexicaliser: Callable[[], Delexicaliser],
    depends_on: str,
) -> HumanRatings | None:
    """Return how the human responses of a benchmark went; None if it has none.

    Those of a benchmark that is installed are kept in the store, and read without its texts.

    Args:
        benchmark: The benchmark.
        database: Gives the venue database; called where ratings are to be made.
        delexicaliser: Gives the delexicaliser; called alike.
        depends_on: All that scores depend on besides human responses, requests and code.
    """
    prepared = benchmark.prepared
    key = None if prepared is None else [depends_on, prepared.key]
    stored = None if key is None else _STORE.get(key)
    if stored is not None:
        return HumanRatings(
            **{
                name: {
                    id_: Rating(one["won"], Faithfulness(**one["faithfulness"]))
                    for id_, one in ratings.items()
                }
                for name, ratings in stored.items()
            }
        )
    if not benchmark.dialogues or not has_human_responses(benchmark):
        return None
    made = _made(benchmark, database(), delexicaliser())
    if key is not None:
        _STORE.put(key, asdict(made))
    return made


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
