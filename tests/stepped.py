"""Results of dialogues that tests play themselves, under a set-up of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from helpers import dialogue

from mwz.database import VenueDatabase
from mwz.harness.benchmark import Goal
from mwz.harness.metrics import (
    DialogueResult,
    PlayedDialogue,
    Setup,
    domain_result,
    rates,
    steps,
)
from mwz.normalization import DomainSlots, RuleSet

STRICT = Setup()

State = Mapping[str, Mapping[str, str]]


def play(
    goals: Mapping[str, Goal],
    *turns: tuple[str, State],
    active: Sequence[Sequence[str]] | None = None,
    booked: Sequence[Sequence[str]] | None = None,
    references: Sequence[str] | None = None,
    slots: Sequence[DomainSlots] | None = None,
    id_: str = "d1",
) -> PlayedDialogue:
    """Return a dialogue of (response, state) turns, by default all about every domain."""
    return PlayedDialogue(
        id=id_,
        gold=dialogue(goals, len(turns), booked=booked, references=references),
        responses=[response for response, _ in turns],
        states=[state for _, state in turns],
        active_domains=active or [list(goals)] * len(turns),
        domain_slots=slots or [{}] * len(turns),
    )


def result_of(
    played: PlayedDialogue, database: VenueDatabase, rules: RuleSet, setup: Setup = STRICT
) -> DialogueResult:
    """Return the result of a dialogue; the set-up is called like the strict one."""
    goals = {}
    for domain in played.gold.goal:
        walked = [*steps(played, domain, database, setup, rules)]
        goals[domain] = domain_result(walked, played, domain, database, setup, rules)
    return DialogueResult(played.id, len(played.responses), goals={"strict": goals})


def rates_of(
    dialogues: Iterable[PlayedDialogue],
    database: VenueDatabase,
    rules: RuleSet,
    setup: Setup = STRICT,
) -> dict[str, dict[str, float]]:
    """Return Inform and Success of dialogues."""
    return rates([result_of(played, database, rules, setup).domains for played in dialogues])
