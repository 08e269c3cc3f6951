"""What is to be said of predictions: how they were read, and how they are played."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Remark
from ..metrics import SETUPS, Played, chosen_setups
from .options import AUTO, Options
from .report import RANKED_COVERAGE


def played_remarks(played: Played, options: Options) -> Iterator[Remark]:
    """Yield the remarks on what was played, those of reading it first.

    Args:
        played: What was played.
        options: How it is scored.
    """
    yield from played.submission.remarks
    turns, every = played.submission.turns, played.benchmark.turns
    if 100 * turns < RANKED_COVERAGE * every:
        yield Remark(
            "coverage",
            f"submits {turns} of {every} turns; below {RANKED_COVERAGE:g} % it has no rank, and "
            "its scores do not stand for the benchmark",
        )
    if played.states == "predicted" and not played.submission.predicts_states:
        lacking, first = played.submission.without_states
        text = f"{first}: no `state`, as in {lacking} of {turns} turns; read as empty"
        yield Remark("states", text)
    is_chosen = "inform" in played.metrics and options.states == AUTO
    without = any(SETUPS[name].states is None for name in chosen_setups(played.setup))
    if is_chosen and without and played.states == "gold":
        text = "no turn has a `state`; scored with gold belief states"
        yield Remark("states", text, warning=False)
