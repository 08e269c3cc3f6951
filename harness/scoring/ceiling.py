"""The ceiling: what the human responses get, beside which every grounded score is shown.

The database does not have everything that people told, and no delexicaliser finds everything: what
people get is what can be had. The human responses of an installed benchmark are rated once, and the
ratings are stored dialogue by dialogue, so that any choice of dialogues has its ceiling from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from mwz.normalization.delexicaliser import Delexicaliser

from ..benchmark import Benchmark
from ..data.installed import benchmark_path
from ..errors import InputError
from ..grounding.rating import HumanRatings, PlainDialogue, RatedDialogue, rated
from ..io.store import Store, code_digest
from ..submission.plain_responses import has_human_responses

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

_STORE = Store("ceilings")


def human_ratings(
    benchmark: Benchmark,
    database: Callable[[], VenueDatabase],
    delexicaliser: Callable[[], Delexicaliser],
    depends_on: str,
) -> HumanRatings | None:
    """Return how the human responses of a benchmark went; None if it has none.

    Those of a benchmark that is installed are kept in the store.

    Args:
        benchmark: The benchmark.
        database: Gives the venue database; called where ratings are to be made.
        delexicaliser: Gives the delexicaliser; called alike.
        depends_on: All that scores depend on besides human responses, requests and code.
    """
    if not benchmark.dialogues or not has_human_responses(benchmark):
        return None
    from ..io.validation import validated  # pydantic takes its time

    installed = benchmark_path(benchmark.name)
    if installed is None or not installed.is_file():
        return _made(benchmark, database(), delexicaliser())
    content = [
        [id_, [*one.responses], [sorted(goal.further or ()) for goal in one.goal.values()]]
        for id_, one in benchmark.dialogues.items()
    ]
    key = [depends_on, content, code_digest()]
    try:
        return validated(HumanRatings, _STORE.get(key), "stored ratings")
    except InputError:
        ratings = _made(benchmark, database(), delexicaliser())
    _STORE.put(key, asdict(ratings))
    return ratings


def _made(
    benchmark: Benchmark, database: VenueDatabase, delexicaliser: Delexicaliser
) -> HumanRatings:
    booked: dict[str, RatedDialogue] = {}
    free: dict[str, RatedDialogue] = {}
    for id_, dialogue in benchmark.dialogues.items():
        responses = [delexicaliser(text) for text in dialogue.responses]
        for ratings, bookings in ((booked, dialogue.booked_domains), (free, None)):
            plain = PlainDialogue(responses, dialogue.goal, bookings)
            ratings[id_] = rated(plain, database, delexicaliser.gazetteer)
    return HumanRatings(booked, free)
