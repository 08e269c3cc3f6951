"""Grounded scores and faithfulness of dialogues in plain English."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..benchmark import Benchmark, Dialogue, Goal
from .faithfulness import Faithfulness, ToldShares, dialogue_faithfulness
from .grounded import GroundedDialogue, ground

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase
    from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser
    from mwz.normalization.delexicaliser.gazetteer import Gazetteer


TOTAL = "total"

OUTCOMES = ("inform", "inform_all", "success", "success_all", "success_requested")
"""What a dialogue in plain English can have, attributes of `GroundedDialogue`."""


@dataclass(frozen=True)
class PlainDialogue:
    """A dialogue's responses in plain English, and what they are compared with.

    Attributes:
        responses: One per system turn; any number.
        goal: Domain -> what the user wants.
        booked: The domains booked by then, one collection per turn; None where that is not known.
    """

    responses: Sequence[Delexicalised]
    goal: Mapping[str, Goal]
    booked: Sequence[Sequence[str]] | None


@dataclass(frozen=True)
class GroundedFigures:
    """Grounded scores over dialogues. Rates are "total" or domain -> percent.

    Attributes:
        dialogues: The number of dialogues.
        inform: Inform, by one of the venues named last ("any").
        inform_all: Inform, by all venues named last.
        success: Success, with Inform "any".
        success_all: Success, with Inform "all".
        faithfulness: Whether what is told is in the database.
        success_requested: Success, with Inform "all", over all that the goals request; empty where
            they do not say.
    """

    dialogues: int
    inform: Mapping[str, float]
    inform_all: Mapping[str, float]
    success: Mapping[str, float]
    success_all: Mapping[str, float]
    faithfulness: ToldShares
    success_requested: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class GroundedScores:
    """Grounded scores of a submission. Rates are "total" or domain -> percent.

    Attributes:
        inform: Inform, by one of the venues named last ("any").
        inform_all: Inform, by all venues named last.
        success: Success, with Inform "any".
        success_all: Success, with Inform "all"; the leaderboard ranks by it.
        faithfulness: Whether what is told is in the database.
        ceiling: What the human responses get under the same signature; None where the benchmark
            does not have them.
        success_requested: Success, with Inform "all", over all that the goals request; empty where
            they do not say.
    """

    inform: Mapping[str, float]
    inform_all: Mapping[str, float]
    success: Mapping[str, float]
    success_all: Mapping[str, float]
    faithfulness: ToldShares
    ceiling: GroundedFigures | None
    success_requested: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def of_figures(figures: GroundedFigures, human: GroundedFigures | None) -> GroundedScores:
        """Return the scores of a system and of the human responses as one."""
        return GroundedScores(
            **{name: getattr(figures, name) for name in OUTCOMES},
            faithfulness=figures.faithfulness,
            ceiling=human,
        )


@dataclass(frozen=True)
class Rating:
    """What figures over dialogues are made of, of one.

    Attributes:
        won: `TOTAL` or a domain of the goal -> whether it has each of `OUTCOMES`; None where that
            is not known.
        faithfulness: What the dialogue tells of venues, counted.
    """

    won: Mapping[str, Sequence[bool | None]]
    faithfulness: Faithfulness


@dataclass(frozen=True)
class RatedDialogue:
    """How a dialogue in plain English went.

    Attributes:
        grounded: Domain by domain.
        faithfulness: What it tells of venues, counted.
    """

    grounded: GroundedDialogue
    faithfulness: Faithfulness

    @property
    def rating(self) -> Rating:
        """What figures are made of: a domain succeeds only where the whole dialogue matches."""
        dialogue = self.grounded
        inform, inform_all = dialogue.inform, dialogue.inform_all
        won = {TOTAL: [getattr(dialogue, outcome) for outcome in OUTCOMES]}
        for domain, went in dialogue.domains.items():
            told = all(went.provided.values())
            success, success_all = inform and told, inform_all and told
            requested = success_all and went.tells_further
            won[domain] = [went.matched, went.matched_all, success, success_all, requested]
        return Rating(won, self.faithfulness)


def rated(dialogue: PlainDialogue, database: VenueDatabase, gazetteer: Gazetteer) -> RatedDialogue:
    """Compare a dialogue with its goal and the venue database."""
    responses = dialogue.responses
    return RatedDialogue(
        ground(responses, dialogue.goal, database, gazetteer, dialogue.booked),
        dialogue_faithfulness(responses),
    )


def grounded_figures(dialogues: Iterable[Rating]) -> GroundedFigures:
    """Return the grounded scores over dialogues; 0 of none at all.

    A domain's rates are over the dialogues with the domain in their goal.
    """
    listed = list(dialogues)
    won: dict[str, list[Sequence[bool | None]]] = {TOTAL: []}
    for dialogue in listed:
        for name, outcomes in dialogue.won.items():
            won.setdefault(name, []).append(outcomes)
    rates = {
        outcome: {
            name: 100 * sum(bool(one[at]) for one in each) / max(1, len(each))
            for name, each in won.items()
        }
        for at, outcome in enumerate(OUTCOMES)
    }
    if any(None in one for one in won[TOTAL]):
        del rates["success_requested"]
    return GroundedFigures(
        dialogues=len(listed),
        **rates,
        faithfulness=sum((one.faithfulness for one in listed), Faithfulness()).shares(),
    )


@dataclass(frozen=True)
class HumanRatings:
    """How the human responses of a benchmark's dialogues went. Dialogue id -> rating.

    Attributes:
        booked: A reference number counts once the domain is booked.
        free: It counts in any turn about the domain, as in free-running dialogues.
    """

    booked: Mapping[str, Rating]
    free: Mapping[str, Rating]


def ceiling(
    dialogues: Iterable[tuple[str, int]],
    benchmark: Benchmark,
    human: Mapping[str, Rating] | None,
    cut: Callable[[Dialogue, int], Rating],
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
) -> Rating:
    """Rate the human responses of a dialogue's first turns."""
    responses = [delexicaliser(text) for text in dialogue.responses[:turns]]
    booked = dialogue.booked_domains if with_bookings else None
    plain = PlainDialogue(responses, dialogue.goal, booked)
    return rated(plain, database, delexicaliser.gazetteer).rating
