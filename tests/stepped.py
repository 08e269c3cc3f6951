"""Results of dialogues that tests play themselves, under a set-up of theirs."""

from __future__ import annotations

from collections.abc import Iterable

from mwz.database import VenueDatabase
from mwz.harness.metrics import DialogueResult, PlayedDialogue, Setup, rates
from mwz.harness.metrics.inform import goal_results
from mwz.normalization import RuleSet

STRICT = Setup()


def result_of(
    played: PlayedDialogue, database: VenueDatabase, rules: RuleSet, setup: Setup = STRICT
) -> DialogueResult:
    """Return the result of a dialogue; the set-up is called like the strict one."""
    goals = goal_results(played, database, setup, rules)
    return DialogueResult(played.id, len(played.responses), goals={"strict": goals})


def rates_of(
    dialogues: Iterable[PlayedDialogue],
    database: VenueDatabase,
    rules: RuleSet,
    setup: Setup = STRICT,
) -> dict[str, dict[str, float]]:
    """Return Inform and Success of dialogues."""
    return rates([result_of(one, database, rules, setup) for one in dialogues])
