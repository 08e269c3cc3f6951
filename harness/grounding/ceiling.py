"""The ceiling: what the human responses get, beside which every grounded score is shown.

The database does not have everything that people told, and no delexicaliser finds everything: what
people get is what can be had. The human responses of an installed benchmark are rated once, and the
ratings are stored dialogue by dialogue, so that any choice of dialogues has its ceiling from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser

from ..benchmark import Benchmark, Dialogue
from ..checking import PlainResponse
from ..data.installed import benchmark_path
from ..errors import InputError
from ..io.store import Store, code_digest
from .plain_responses import PlainDialogue, has_human_responses
from .rating import GroundedFigures, RatedDialogue, grounded_figures, rated

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

_STORE = Store("ceilings")


@dataclass(frozen=True)
class HumanRatings:
    """How the human responses of a benchmark's dialogues went. Dialogue id -> rating.

    Attributes:
        booked: A reference number counts once the domain is booked.
        free: It counts in any turn about the domain, as in free-running dialogues.
    """

    booked: Mapping[str, RatedDialogue]
    free: Mapping[str, RatedDialogue]


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
        depends_on: All that scores depend on besides the human responses and the code.
    """
    if not benchmark.dialogues or not has_human_responses(benchmark):
        return None
    installed = benchmark_path(benchmark.name)
    if installed is None or not installed.is_file():
        return _made(benchmark, database(), delexicaliser())
    responses = {id_: dialogue.responses for id_, dialogue in benchmark.dialogues.items()}
    key = [depends_on, responses, code_digest()]
    ratings = _stored(key)
    if ratings is None:
        ratings = _made(benchmark, database(), delexicaliser())
        _STORE.put(key, asdict(ratings))
    return ratings


def _stored(key: object) -> HumanRatings | None:
    from ..validation import validated

    document = _STORE.get(key)
    try:
        return None if document is None else validated(HumanRatings, document, "stored ratings")
    except InputError:
        return None


def ceiling(
    dialogues: Iterable[tuple[str, int]],
    benchmark: Benchmark,
    human: Mapping[str, RatedDialogue] | None,
    cut: Callable[[Dialogue, int], RatedDialogue],
) -> GroundedFigures | None:
    """Return what the human responses of dialogues get; None where they are not known.

    Args:
        dialogues: Dialogue id and the number of its turns that are played.
        benchmark: The benchmark.
        human: How the human responses of whole dialogues went.
        cut: Rates the first turns of one.
    """
    if human is None:
        return None
    return grounded_figures(
        human[id_]
        if turns == benchmark.dialogues[id_].turns
        else cut(benchmark.dialogues[id_], turns)
        for id_, turns in dialogues
    )


def rated_human(
    dialogue: Dialogue,
    turns: int,
    database: VenueDatabase,
    delexicaliser: Delexicaliser,
    with_bookings: bool = True,
) -> RatedDialogue:
    """Rate the human responses of a dialogue's first turns."""
    responses = [_plain(text, delexicaliser) for text in dialogue.responses[:turns]]
    booked = dialogue.booked_domains if with_bookings else None
    return rated(PlainDialogue(responses, dialogue.goal, booked), database, delexicaliser.gazetteer)


def _plain(text: str, delexicaliser: Callable[[str], Delexicalised]) -> PlainResponse:
    return PlainResponse(text, delexicaliser(text))


def _made(
    benchmark: Benchmark, database: VenueDatabase, delexicaliser: Delexicaliser
) -> HumanRatings:
    booked: dict[str, RatedDialogue] = {}
    free: dict[str, RatedDialogue] = {}
    for id_, dialogue in benchmark.dialogues.items():
        responses = [_plain(text, delexicaliser) for text in dialogue.responses]
        for ratings, bookings in ((booked, dialogue.booked_domains), (free, None)):
            plain = PlainDialogue(responses, dialogue.goal, bookings)
            ratings[id_] = rated(plain, database, delexicaliser.gazetteer)
    return HumanRatings(booked, free)
