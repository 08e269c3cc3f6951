"""Grounded scores of many dialogues in plain English, of what each of them has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..metrics.inform import TOTAL
from .faithfulness import Faithfulness, ToldShares
from .grounded import GroundedDialogue

OUTCOMES = ("inform", "inform_all", "success", "success_all", "success_requested")
"""What a dialogue in plain English can have, attributes of `GroundedDialogue`."""


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


def rating(dialogue: GroundedDialogue) -> Rating:
    """Return what figures are made of: a domain succeeds only where the whole dialogue matches."""
    won: dict[str, list[bool | None]] = {TOTAL: [getattr(dialogue, one) for one in OUTCOMES]}
    for domain, went in dialogue.domains.items():
        told = all(went.provided.values())
        success, success_all = dialogue.inform and told, dialogue.inform_all and told
        requested = success_all and went.tells_further
        won[domain] = [went.matched, went.matched_all, success, success_all, requested]
    return Rating(won, dialogue.faithfulness)


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
