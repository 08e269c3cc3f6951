"""Grounded scores and faithfulness of dialogues in plain English."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser, PlainResponse
from mwz.normalization.delexicaliser.gazetteer import Gazetteer

from ..benchmark import Benchmark, Dialogue, Goal
from .faithfulness import Faithfulness, dialogue_faithfulness, total
from .grounded import GroundedDialogue, ground, grounded_rates

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase


@dataclass(frozen=True)
class PlainDialogue:
    """A dialogue's responses in plain English, and what they are held against.

    Attributes:
        responses: One per system turn; any number.
        goal: Domain -> what the user wants.
        booked: The domains booked by then, one collection per turn; None where that is not known.
    """

    responses: Sequence[PlainResponse]
    goal: Mapping[str, Goal]
    booked: Sequence[Sequence[str]] | None

    @property
    def texts(self) -> list[str]:
        """The responses as they were written."""
        return [response.text for response in self.responses]

    @property
    def delexicalised(self) -> list[Delexicalised]:
        """The responses delexicalised."""
        return [response.delexicalised for response in self.responses]


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


@dataclass(frozen=True)
class HumanRatings:
    """How the human responses of a benchmark's dialogues went. Dialogue id -> rating.

    Attributes:
        booked: A reference number counts once the domain is booked.
        free: It counts in any turn about the domain, as in free-running dialogues.
    """

    booked: Mapping[str, RatedDialogue]
    free: Mapping[str, RatedDialogue]


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
    responses = [plain_response(text, delexicaliser) for text in dialogue.responses[:turns]]
    booked = dialogue.booked_domains if with_bookings else None
    return rated(PlainDialogue(responses, dialogue.goal, booked), database, delexicaliser.gazetteer)


def plain_response(text: str, delexicaliser: Callable[[str], Delexicalised]) -> PlainResponse:
    """Return a response in plain English with what it was delexicalised to."""
    return PlainResponse(text, delexicaliser(text))
