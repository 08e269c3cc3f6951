"""Verifying: entries are scored again, nothing is written, and every difference is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .checks import entry_problems
from .entries import Entry
from .pairs import PAIRS_FILE, wrong_pairs
from .rescoring import Change, Rescored, further_signatures, has_dialogues_of, has_seeds_of, rescore
from .scores import DIALOGUES_FILE, SEEDS_FILE, Scores
from .tracking_scores import TrackingScores

_OTHERS = "the predictions are not those that were scored"


@dataclass(frozen=True)
class Verified:
    """What verifying an entry found.

    Attributes:
        key: The entry's folder name.
        problems: What is wrong with it, a sentence each.
        changes: The figures that come out differently.
        missing: Why it could not be scored again, if it could not.
        unverified: What of it could not be verified, if the rest was, with the reason.
    """

    key: str
    problems: tuple[str, ...]
    changes: tuple[Change, ...]
    missing: str | None
    unverified: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong, as far as it could be told."""
        return not self.problems and not self.changes


def verify(
    entries: Sequence[Entry],
    chosen: Sequence[Entry],
    benchmark: str | None,
    folders: Sequence[Path],
    workers: int,
    progress: Callable[[Iterable[Rescored]], Iterable[Rescored]],
    notify: Callable[[str], None] = lambda remark: None,
) -> list[Verified]:
    """Score entries again and hold the outcome against what they store.

    Args:
        entries: All entries of the folder.
        chosen: Those to verify.
        benchmark: Name of the benchmark; None for the one that each was scored on.
        folders: Folders to look for predictions in.
        workers: How many processes to use.
        progress: Wraps the outcomes as they come, to show how far things are.
        notify: Called with a remark if a process was killed.

    Raises:
        InputError: The benchmark that is named cannot be loaded.
    """
    # What entries share is told of the later one: let that be one of those to verify.
    keys = {entry.key for entry in chosen}
    known = entry_problems([*(one for one in entries if one.key not in keys), *chosen])
    outcomes = rescore(chosen, benchmark, folders, workers, progress, notify=notify)
    compared = _pair_problems(entries, chosen)
    return [
        Verified(
            key=entry.key,
            problems=(
                *(p.removeprefix(f"{entry.key}: ") for p in known if p.startswith(f"{entry.key}:")),
                *_signature_problems(entry, outcome),
                *compared.get(entry.key, ()),
            ),
            changes=outcome.changes,
            missing=outcome.problem,
            unverified=outcome.unverified,
        )
        for entry, outcome in zip(chosen, outcomes, strict=True)
    ]


def _pair_problems(entries: Sequence[Entry], chosen: Sequence[Entry]) -> dict[str, list[str]]:
    """Return key -> which of its comparisons with others do not hold."""
    problems: dict[str, list[str]] = {}
    keys = {entry.key for entry in chosen}
    for folder in {entry.folder.parent for entry in chosen}:
        for pair in wrong_pairs(folder, entries, keys):
            for key, other in ((pair.a, pair.b), (pair.b, pair.a)):
                problems.setdefault(key, []).append(
                    f"{PAIRS_FILE}: how it compares with {other} comes out differently; remove the "
                    "line of both, and run `mwz leaderboard`"
                )
    return problems


def _signature_problems(entry: Entry, outcome: Rescored) -> list[str]:
    """Tell what a stored score depends on that a new one does not."""
    if entry.tracking is not None:
        return _tracking_problems(entry.tracking, outcome)
    if not entry.scores.reports:
        # What cannot be read is among the problems already.
        return [] if entry.problems else ["scored by an earlier version; score it again"]
    if not isinstance(outcome.scores, Scores):
        return []
    problems = []
    if outcome.scores.predictions != entry.scores.predictions:
        problems.append(_OTHERS)
    for rules, report in outcome.scores.reports.items():
        stored = entry.scores.under(rules)
        if stored is None:
            problems.append(f"rule set {rules}: not scored")
        else:
            verdict = stored.signature.comparable_with(report.signature)
            problems += [f"rule set {rules}: {reason}" for reason in verdict.reasons]
    if not has_seeds_of(entry.scores, outcome.scores):
        problems.append(f"{SEEDS_FILE}: its figures come out differently (--rescore)")
    # On another benchmark they come out differently as well.
    if not problems and not has_dialogues_of(entry.scores, outcome.scores):
        missing = entry.scores.dialogues is None
        what = "missing" if missing else "its figures come out differently"
        problems.append(f"{DIALOGUES_FILE}: {what}; score the entry again (--rescore)")
    return [*problems, *_further_problems(entry.scores, outcome.scores)]


def _further_problems(
    stored: Scores | TrackingScores, scored: Scores | TrackingScores
) -> Iterator[str]:
    """Tell what stored figures against further gold states depend on that new ones do not."""
    new = further_signatures(scored)
    told: dict[str, None] = {}
    for (version, choice), signature in further_signatures(stored).items():
        anew = new.get((version, choice))
        gone = ("cannot be had, or are none that the board goes by; score the entry again",)
        reasons = gone if anew is None else signature.comparable_with(anew).reasons
        told |= dict.fromkeys(f"figures against gold states {version}: {why}" for why in reasons)
    yield from told


def _tracking_problems(stored: TrackingScores, outcome: Rescored) -> list[str]:
    """Tell the same of state tracking."""
    if not isinstance(outcome.scores, TrackingScores):
        return []
    problems = [] if outcome.scores.predictions == stored.predictions else [_OTHERS]
    problems += stored.signature.comparable_with(outcome.scores.signature).reasons
    return [*problems, *_further_problems(stored, outcome.scores)]
