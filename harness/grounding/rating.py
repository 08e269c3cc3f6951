"""Grounded scores and faithfulness of dialogues in plain English."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mwz.normalization.gazetteer import Gazetteer

from .faithfulness import Faithfulness, dialogue_faithfulness, total
from .grounded import GroundedDialogue, ground, grounded_rates
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


@dataclass(frozen=True)
class RatedDialogue:
    """How a dialogue in plain English went.

    Attributes:
        grounded: Domain by domain.
        faithfulness: What it tells of venues, counted.
    """

    grounded: GroundedDialogue
    faithfulness: Faithfulness


def rated(dialogue: PlainDialogue, database: VenueDatabase, gazetteer: Gazetteer) -> RatedDialogue:
    """Hold a dialogue against its goal and the venue database."""
    texts, responses = dialogue.texts, dialogue.delexicalised
    return RatedDialogue(
        ground(texts, responses, dialogue.goal, database, gazetteer, dialogue.booked),
        dialogue_faithfulness(texts, responses),
    )


def grounded_figures(dialogues: Iterable[RatedDialogue]) -> GroundedFigures:
    """Return the grounded scores of dialogues together."""
    listed = list(dialogues)
    rates = grounded_rates(dialogue.grounded for dialogue in listed)
    counts = total(dialogue.faithfulness for dialogue in listed)
    return GroundedFigures(
        dialogues=len(listed),
        inform=rates.inform,
        inform_all=rates.inform_all,
        success=rates.success,
        faithfulness=ToldShares(
            counts.told, counts.percent_in_database, counts.percent_of_named_venue
        ),
    )
