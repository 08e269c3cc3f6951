"""What predicted belief states score, of trackers and of systems that respond, as it is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from mwz.normalization import DEFAULT_RULES, rule_set

from ..benchmark import Benchmark
from ..data import gold_versions
from ..errors import InputError
from ..metrics import (
    HEADLINE_LAMBDA,
    VARIANTS,
    Choices,
    GoldStates,
    TrackedDialogue,
    TrackingResult,
    dialogue_states,
    gold_share,
    is_exact,
    parse_tracking_file,
    score_tracking,
    track_states,
    tracking_signature,
)
from ..scoring import Coverage, Report
from ..signature import SHOWN_HASH, Signature
from ..submission import NormalizedSubmission, dialogue_id

KEEP, DROP = VARIANTS["dontcare"]


GoldSource: TypeAlias = Literal["benchmark", "file", "version"]
"""Whose gold states are compared with."""


@dataclass(frozen=True)
class TrackedScores:
    """What predicted states score against one set of gold states.

    Attributes:
        result: The scores: of further gold states, those of all turns alone.
        signature: All that they depend on besides the tracker.
        gold: Whose gold states they were made with: those of the "benchmark", of the "file", or of
            another "version" of the annotation of the benchmark's dialogues.
        coverage: How much of the benchmark is tracked; all of it for gold states of the file's own.
        gold_share: The share of turns that agree with gold on all slots that queries use, which is
            the flag `gold_states`.
        gold_version: What version of the annotation the gold states are, if not the benchmark's;
            None where nobody says.
        without_dontcare: The same without `dontcare`, where that is known.
        exact: Whether each predicted state of the benchmark's dialogues is the gold state, as for
            joint goal accuracy: 1, 0, or `.` of a turn that is not tracked; a blank is between
            dialogues. None where it is not known, or stored with the fingerprints.
    """

    result: TrackingResult
    signature: Signature
    gold: GoldSource
    coverage: Coverage
    gold_share: float
    gold_version: Annotated[str, Field(max_length=40)] | None = None
    without_dontcare: TrackedScores | None = None
    exact: Annotated[str, Field(pattern=r"^[01. ]*$")] | None = None

    @property
    def jga(self) -> float:
        """Joint goal accuracy of the turns that are tracked, in percent."""
        return self.result.figures["JGA"]

    @property
    def jga_lower_bound(self) -> float:
        """Joint goal accuracy with turns that are not tracked counted as wrong."""
        return self.jga * self.coverage.turns / self.coverage.of_turns

    def covering(self, gold: Coverage) -> TrackedScores:
        """Return the same, of gold states that have so many dialogues and turns."""
        dropped = self.without_dontcare and self.without_dontcare.covering(gold)
        coverage = replace(self.coverage, of=gold.dialogues, of_turns=gold.turns)
        return replace(self, coverage=coverage, without_dontcare=dropped)

    @property
    def gold_digest(self) -> str:
        """A SHA-256 of the gold states, in hexadecimal: scores with different ones do not compare.

        The hash of a benchmark's content tells its own, which systems of all tracks are scored on.
        """
        return self.signature.data or self.signature.gold or ""

    @property
    def version(self) -> str | None:
        """What version of the annotation the gold states are; None if nobody says."""
        if self.gold == "benchmark":
            return gold_versions(self.signature.benchmark or "")[0]
        return self.gold_version

    @property
    def gold_title(self) -> str:
        """What the gold states are, as the heading of a table."""
        digest = self.gold_digest[:SHOWN_HASH]
        version = "" if self.version is None else f", version {self.version}"
        if self.gold == "file":
            return f"Gold states of the predictions file{version} ({digest})"
        return f"Gold states of the benchmark {self.signature.benchmark or ''}{version} ({digest})"


FurtherGold: TypeAlias = Mapping[str, Mapping[str, TrackedScores]]
"""Version -> choice of `--dontcare` -> scores."""


def entered_scores(report: Report) -> TrackedScores | None:
    """Return what the states of a system that responds score; None if it predicts none."""
    if report.dst is None:
        return None
    share = (report.metrics.get("flags") or {}).get("gold_states", 0.0)
    return TrackedScores(report.dst, report.signature, "benchmark", report.coverage, share)


def tracker_scores(
    dialogues: Sequence[TrackedDialogue],
    result: TrackingResult,
    benchmark: Benchmark | None,
    signature: Signature,
    gold: GoldSource,
    gold_version: str | None = None,
) -> TrackedScores:
    """Return what is stored of tracked dialogues and their scores.

    Args:
        dialogues: The dialogues, with gold and predicted states.
        result: Their scores.
        benchmark: The benchmark that the dialogues are of; None if the gold states are the file's
            own.
        signature: What the scores depend on.
        gold: Whose gold states they were made with, and
        gold_version: which version these are, as of `TrackedScores`.
    """
    dialogues_in_all, turns_in_all = result.dialogues, result.turns
    if benchmark is not None:
        dialogues_in_all, turns_in_all = len(benchmark.dialogues), benchmark.turns
    coverage = Coverage(result.dialogues, dialogues_in_all, result.turns, turns_in_all)
    share = gold_share((dialogue.predicted, dialogue.gold) for dialogue in dialogues)
    return TrackedScores(result, signature, gold, coverage, share, gold_version)


# ---------------------------------------------------------------------- against further gold states


def submission_against(
    submission: NormalizedSubmission, benchmark: Benchmark, golds: Sequence[GoldStates]
) -> FurtherGold:
    """Score a submission's predicted states; nothing if it has none.

    Args:
        submission: The submission, normalised by the default rule set.
        benchmark: The benchmark that it plays.
        golds: The gold states.
    """
    if not submission.predicts_states:
        return {}
    states = submission.states
    against = {}
    for gold in golds:
        dialogues = track_states(states, benchmark, gold)
        if dialogues:
            against[gold.version] = against_gold(dialogues, benchmark, gold)
    return against


def tracker_against(
    read: object,
    source: str,
    benchmark: Benchmark,
    golds: Sequence[GoldStates],
) -> FurtherGold:
    """Score a tracker's file; nothing if its dialogues and turns are not the benchmark's.

    Args:
        read: What the file holds, whatever gold states it has itself.
        source: What messages call it.
        benchmark: The benchmark that the gold states are of.
        golds: The gold states.
    """
    against = {}
    for gold in golds:
        with suppress(InputError):
            file = parse_tracking_file(read, source, lambda: benchmark, gold)
            against[gold.version] = against_gold(file.dialogues, benchmark, gold)
    return against


def against_gold(
    dialogues: Sequence[TrackedDialogue], benchmark: Benchmark, gold: GoldStates
) -> dict[str, TrackedScores]:
    """Return choice of `--dontcare` -> scores of dialogues tracked with these gold states."""
    own_version, _ = gold_versions(benchmark.name)
    is_own = gold.version == own_version
    data = benchmark.content_hash(rule_set(DEFAULT_RULES)) if is_own else None
    scores = {}
    for choice in VARIANTS["dontcare"]:
        choices = Choices(lambdas=[HEADLINE_LAMBDA], dontcare=choice)
        result = score_tracking(dialogues, choices, by_part=False)
        signature = tracking_signature(dialogues, benchmark, choices, gold)
        if data is not None:
            signature = replace(signature, data=data)
        scores[choice] = tracker_scores(
            dialogues,
            result,
            benchmark,
            signature=signature,
            gold="benchmark" if is_own else "version",
            gold_version=gold.version,
        )
    scores[KEEP] = replace(scores[KEEP], exact=exact_turns(dialogues, benchmark))
    return scores


def exact_turns(dialogues: Iterable[TrackedDialogue], benchmark: Benchmark) -> str:
    """Return whether each turn of a benchmark is exact, as `TrackedScores.exact`."""
    marks = {}
    for dialogue in dialogues:
        turns = dialogue_states(dialogue)
        marks[dialogue_id(dialogue.id)] = "".join("01"[is_exact(turn)] for turn in turns)
    of_all = []
    for id_, played in benchmark.dialogues.items():
        of_all.append(marks.get(id_, "").ljust(played.turns, "."))
    return " ".join(of_all)
