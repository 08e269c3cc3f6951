"""Grounded scores and faithfulness of dialogues in plain English, and their ceiling.

The ceiling is what the human responses get under the same signature: the database does not have
everything that people told, and no delexicaliser finds everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser
from mwz.normalization.gazetteer import Gazetteer

from ..benchmark import Dialogue
from ..checking import PlainResponse
from .faithfulness import dialogue_faithfulness, total
from .grounded import ground, grounded_rates
from .plain_responses import PlainDialogue

if TYPE_CHECKING:
    from mwz.database import VenueDatabase


@dataclass(frozen=True)
class ToldShares:
    """Of what is told of venues, how much is so.

    Attributes:
        told: Telephone numbers, postcodes, addresses and train ids told.
        in_database: The share of them that the database has, in percent; None if none is told.
        of_named_venue: The share that belongs to a venue named by then, in percent.
    """

    told: int
    in_database: float | None
    of_named_venue: float | None


@dataclass(frozen=True)
class GroundedFigures:
    """Grounded scores over dialogues. Rates are "total" or domain -> percent.

    Attributes:
        dialogues: The number of dialogues.
        inform: Inform, by one of the venues named last ("any").
        inform_all: Inform, by all venues named last.
        success: Success, with Inform "any".
        faithfulness: Whether what is told is in the database.
    """

    dialogues: int
    inform: Mapping[str, float]
    inform_all: Mapping[str, float]
    success: Mapping[str, float]
    faithfulness: ToldShares


def rate(
    dialogues: Iterable[PlainDialogue], database: VenueDatabase, gazetteer: Gazetteer
) -> GroundedFigures:
    """Hold dialogues against their goals and the venue database."""
    grounded = []
    told = []
    for dialogue in dialogues:
        texts, responses = dialogue.texts, dialogue.delexicalised
        grounded.append(
            ground(texts, responses, dialogue.goal, database, gazetteer, dialogue.booked)
        )
        told.append(dialogue_faithfulness(texts, responses))
    rates = grounded_rates(grounded)
    counts = total(told)
    return GroundedFigures(
        dialogues=len(grounded),
        inform=rates.inform,
        inform_all=rates.inform_all,
        success=rates.success,
        faithfulness=ToldShares(
            counts.told, counts.percent_in_database, counts.percent_of_named_venue
        ),
    )


def ceiling(
    dialogues: Sequence[tuple[Dialogue, int]],
    database: VenueDatabase,
    delexicaliser: Delexicaliser,
    with_bookings: bool = True,
) -> GroundedFigures | None:
    """Return what the human responses of dialogues get; None where they are not known.

    Args:
        dialogues: The benchmark's dialogues, each with the number of turns that are played.
        database: The venue database.
        delexicaliser: The delexicaliser that the responses scored went through.
        with_bookings: Whether a reference number counts only once the domain is booked.
    """
    if any(len(dialogue.responses) != dialogue.turns for dialogue, _ in dialogues):
        return None
    plain = (
        PlainDialogue(
            responses=[_plain(text, delexicaliser) for text in dialogue.responses[:turns]],
            goal=dialogue.goal,
            booked=dialogue.booked_domains if with_bookings else None,
        )
        for dialogue, turns in dialogues
    )
    return rate(plain, database, delexicaliser.gazetteer)


def _plain(text: str, delexicaliser: Callable[[str], Delexicalised]) -> PlainResponse:
    return PlainResponse(text, delexicaliser(text))
