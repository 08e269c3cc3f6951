"""Verifying: entries are scored again, nothing is written, and every difference is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .checks import entry_problems
from .entries import Entry
from .rescoring import Change, Rescored, rescore
from .tracking_scores import TrackingScores


@dataclass(frozen=True)
class Verified:
    """What verifying an entry found.

    Attributes:
        key: The entry's folder name.
        problems: What is wrong with it, a sentence each.
        changes: The figures that come out differently.
        missing: Why it could not be scored again, if it could not.
    """

    key: str
    problems: tuple[str, ...]
    changes: tuple[Change, ...]
    missing: str | None

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong, as far as it could be told."""
        return not self.problems and not self.changes


def verify(
    entries: Sequence[Entry],
    chosen: Sequence[Entry],
    benchmark: str | None,
    extra: Path | None,
    workers: int,
    progress: Callable[[Iterable[Rescored]], Iterable[Rescored]],
) -> list[Verified]:
    """Score entries again and hold the outcome against what they store.

    Args:
        entries: All entries of the folder.
        chosen: Those to verify.
        benchmark: Name of the benchmark; None for the one that each was scored on.
        extra: A folder to look for predictions in.
        workers: How many processes to use.
        progress: Wraps the outcomes as they come, to show how far things are.

    Raises:
        InputError: The benchmark that is named cannot be loaded.
    """
    # What entries share is told of the later one: let that be one of those to verify.
    keys = {entry.key for entry in chosen}
    known = entry_problems([*(one for one in entries if one.key not in keys), *chosen])
    outcomes = rescore(chosen, benchmark, extra, workers, progress)
    return [
        Verified(
            key=entry.key,
            problems=(
                *(p.removeprefix(f"{entry.key}: ") for p in known if p.startswith(f"{entry.key}:")),
                *_signature_problems(entry, outcome),
            ),
            changes=outcome.changes,
            missing=outcome.problem,
        )
        for entry, outcome in zip(chosen, outcomes, strict=True)
    ]


def _signature_problems(entry: Entry, outcome: Rescored) -> list[str]:
    """Tell what a stored score depends on that a new one does not."""
    if not entry.scores.reports and entry.tracking is None:
        # What cannot be read is among the problems already.
        return [] if entry.problems else ["scored by an earlier version; score it again"]
    if outcome.scores is None:
        return []
    problems = []
    if outcome.scores.predictions != entry.scores.predictions:
        problems.append("the predictions are not those that were scored")
    if isinstance(outcome.scores, TrackingScores):
        old = entry.tracking
        if old is not None:
            verdict = old.signature.comparable_with(outcome.scores.signature)
            problems += verdict.reasons
        return problems
    for rules, report in outcome.scores.reports.items():
        stored = entry.scores.under(rules)
        if stored is None:
            problems.append(f"rule set {rules}: not scored")
        else:
            verdict = stored.signature.comparable_with(report.signature)
            problems += [f"rule set {rules}: {reason}" for reason in verdict.reasons]
    return problems
