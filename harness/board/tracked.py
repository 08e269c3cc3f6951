"""What predicted belief states score, of trackers and of systems that respond, as it is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, FiniteFloat

from mwz.normalization import DEFAULT_RULES

from ..benchmark import Benchmark
from ..data import gold_versions
from ..metrics import (
    HEADLINE_LAMBDA,
    VARIANTS,
    Choices,
    GoldStates,
    TrackedDialogue,
    TrackingResult,
    gold_share,
    lambda_label,
    score_tracking,
    track_states,
    tracking_signature,
)
from ..scoring import Report
from ..signature import SHOWN_HASH, Signature
from ..submission import NormalizedSubmission

KNOWN_GOLD = 0.99
"""The share of turns from which a file's gold states are those of a version.

Values may be spelled differently; of two versions of MultiWOZ not two thirds of the states agree.
"""

KEEP, DROP = VARIANTS["dontcare"]

TRACKING_FIGURES: Mapping[str, str] = {
    "JGA": "jga",
    "Slot F1": "slot_f1",
    "RSA": "rsa",
    "FGA (λ = 0.5)": "fga",
    "GCA": "gca",
    "Fuzzy joint acc.": "fuzzy_joint_accuracy",
}
"""Title of a column -> the figure, an attribute of `TrackingFigures`."""

_KEYS: Mapping[str, str] = {
    "jga": "JGA",
    "slot_f1": "F1",
    "rsa": "RSA",
    "fga": f"FGA.{lambda_label(HEADLINE_LAMBDA)}",
    "gca": "GCA",
    "fuzzy_joint_accuracy": "fuzzy.joint_accuracy",
}

COUNTS = ("dialogues", "turns", "of_dialogues", "of_turns")
"""What figures are of, attributes of `TrackingFigures`."""


@dataclass(frozen=True)
class TrackingFigures:
    """A tracker's figures, in percent and unrounded. Rows with different `gold` do not compare.

    Attributes:
        jga: Joint goal accuracy.
        slot_f1: F1 of the slots' values.
        rsa: Relative slot accuracy.
        fga: Flexible goal accuracy with λ = 0.5.
        gca: Granular change accuracy.
        fuzzy_joint_accuracy: Joint accuracy where values may differ in their spelling; no JGA.
        dialogues: Dialogues scored.
        turns: Turns scored.
        of_dialogues: The benchmark's dialogues; None for gold states of the file's own.
        of_turns: The benchmark's turns; None for gold states of the file's own.
        gold: SHA-256 of the gold states, in hexadecimal.
        gold_version: What version of the annotation they are; None where nobody says.
        signature: All that the figures depend on.
        gold_share: The share of turns that agree with gold on all slots that queries use, which is
            the sign `gold_states`.
    """

    jga: float
    slot_f1: float
    rsa: float
    fga: float
    gca: float
    fuzzy_joint_accuracy: float
    dialogues: int
    turns: int
    of_dialogues: int | None
    of_turns: int | None
    gold: str
    gold_version: str | None
    signature: Signature
    gold_share: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether all turns of the benchmark are scored; True for gold states of the file's own."""
        return self.of_turns is None or self.turns == self.of_turns

    @property
    def at_least(self) -> float:
        """Joint goal accuracy with turns that are not tracked counted as wrong."""
        return self.jga * self.turns / (self.of_turns or self.turns)


def tracking_figures(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None = None,
    gold: GoldStates | None = None,
    gold_version: str | None = None,
    choices: Choices = Choices(),
) -> TrackingFigures:
    """Score tracked dialogues for a table of systems.

    Args:
        dialogues: At least one dialogue, with gold and predicted states.
        benchmark: The benchmark that the dialogues are of; None if their gold states are their
            file's own.
        gold: The gold states that took the place of the benchmark's, if any did.
        gold_version: What version of the annotation the benchmark's or the file's own gold states
            are, where that is known; that of `gold` is known.
        choices: Which variant of joint accuracy is meant; λ is 0.5.

    Raises:
        InputError: More slots are wrong in a turn than MultiWOZ has.
        ValueError: There are no dialogues.
    """
    choices = replace(choices, lambdas=[HEADLINE_LAMBDA])
    return figures_of(
        score_tracking(dialogues, choices),
        tracking_signature(dialogues, benchmark, choices, gold),
        gold_share_of(dialogues),
        gold_version if gold is None else gold.version,
        None if benchmark is None else (len(benchmark.dialogues), benchmark.turns),
    )


def gold_share_of(dialogues: Sequence[TrackedDialogue]) -> float:
    """Return the share of turns that agree with gold on all slots that queries use."""
    return gold_share(
        ([turn.predicted for turn in d.turns], [turn.gold for turn in d.turns]) for d in dialogues
    )


def figures_of(
    result: TrackingResult,
    signature: Signature,
    gold_share: float,
    version: str | None,
    whole: tuple[int, int] | None,
) -> TrackingFigures:
    """Return the figures of a result for a table of systems.

    The hash of a benchmark's content tells its own gold states, which submissions of all tracks are
    scored on; other gold states have a hash of theirs.

    Args:
        result: What was scored, with FGA at λ = 0.5.
        signature: What its figures depend on.
        gold_share: As of `gold_share_of`.
        version: What version of the annotation the gold states are; None where nobody says.
        whole: The benchmark's dialogues and turns; None for gold states of the file's own.
    """
    of_dialogues, of_turns = whole or (None, None)
    shares = result.figures
    return TrackingFigures(
        **{name: shares[key] for name, key in _KEYS.items()},
        gold_share=gold_share,
        dialogues=result.dialogues,
        turns=result.turns,
        of_dialogues=of_dialogues,
        of_turns=of_turns,
        gold=signature.data or signature.gold or "",
        gold_version=version,
        signature=signature,
    )


FurtherGold: TypeAlias = Mapping[str, Mapping[str, TrackingFigures]]
"""Version -> choice of `--dontcare` -> figures."""


@dataclass(frozen=True)
class GoldOf:
    """Whose gold states predictions were compared with.

    Attributes:
        whose: "benchmark"; "file", the predictions file's own; or "version", those of another
            version of the annotation of the benchmark's dialogues.
        version: What version of the annotation they are; None where nobody says.
        agrees: Of a file's own: the share of turns whose gold state is that of this version; None
            where no version is said.
    """

    whose: Literal["benchmark", "file", "version"]
    version: Annotated[str, Field(max_length=40)] | None = None
    agrees: FiniteFloat | None = None

    @property
    def is_known(self) -> bool:
        """Whether they are those of a known version, not what a file says they are."""
        return self.whose != "file" or (self.agrees or 0.0) >= KNOWN_GOLD


@dataclass(frozen=True)
class TrackedScores:
    """What predicted states score against one set of gold states.

    Attributes:
        figures: The figures that tables show.
        gold: Whose gold states they were made with.
        report: Every metric, of a tracker as it was entered.
        without_dontcare: The figures without `dontcare`, where these are known.
        further: Whether these are other gold states than those that the entry was entered with.
    """

    figures: TrackingFigures
    gold: GoldOf
    report: TrackingResult | None = None
    without_dontcare: TrackingFigures | None = None
    further: bool = False

    @property
    def signature(self) -> Signature:
        """Everything the figures depend on besides the tracker."""
        return self.figures.signature

    def of_turns(self, turns: int) -> TrackedScores:
        """Return the same of gold states that have so many turns."""
        dropped = self.without_dontcare and replace(self.without_dontcare, of_turns=turns)
        figures = replace(self.figures, of_turns=turns)
        return replace(self, figures=figures, without_dontcare=dropped)

    @property
    def coverage(self) -> float:
        """Turns tracked, in percent; 100 for gold states of the file's own."""
        return 100 * self.figures.turns / (self.figures.of_turns or self.figures.turns)

    @property
    def benchmark_version(self) -> str | None:
        """The version of the gold states of the benchmark itself; None if nobody says."""
        return gold_versions(self.signature.benchmark or "")[0]

    @property
    def version(self) -> str | None:
        """What version of the annotation the gold states are; None if nobody says."""
        return self.benchmark_version if self.gold.whose == "benchmark" else self.gold.version

    @property
    def gold_title(self) -> str:
        """What the gold states are, as the heading of a table."""
        digest = self.figures.gold[:SHOWN_HASH]
        version = "" if self.version is None else f", version {self.version}"
        if self.gold.whose == "file":
            return f"Gold states of the predictions file{version} ({digest})"
        return f"Gold states of the benchmark {self.signature.benchmark or ''}{version} ({digest})"


def entered_scores(report: Report) -> TrackedScores | None:
    """Return what the states of a system that responds score; None if it predicts none."""
    if report.dst is None:
        return None
    share = (report.metrics.get("flags") or {}).get("gold_states", 0.0)
    whole = (report.coverage.of, report.coverage.of_turns)
    figures = figures_of(report.dst, report.signature, share, None, whole)
    return TrackedScores(figures, GoldOf("benchmark"))


def tracked(
    entered: TrackedScores | None, further_gold: FurtherGold, rules: str = DEFAULT_RULES
) -> Iterator[TrackedScores]:
    """Yield what an entry's states score: as it was entered, then against further gold states.

    Gold states are normalised by the default rule set, so that under another there are no others.

    Args:
        entered: What they score as it was entered; None of entries that predict none.
        further_gold: What they score against further gold states.
        rules: The rule set.
    """
    if entered is None:
        return
    further = []
    for version, by_choice in further_gold.items() if rules == DEFAULT_RULES else ():
        figures, dropped = by_choice[KEEP], by_choice[DROP]
        if figures.gold == entered.figures.gold:
            entered = replace(entered, without_dontcare=dropped)
        else:
            gold = GoldOf("version", version)
            further.append(TrackedScores(figures, gold, without_dontcare=dropped, further=True))
    yield entered
    yield from further


# ---------------------------------------------------------------------- against further gold states


def submission_against(
    submission: NormalizedSubmission, benchmark: Benchmark, golds: Sequence[GoldStates]
) -> FurtherGold:
    """Score a submission's predicted states; nothing if it has none.

    Args:
        submission: What the system put out, normalised by the default rule set.
        benchmark: The benchmark that it plays.
        golds: The gold states.
    """
    if not submission.predicts_states:
        return {}
    states = submission.states
    return {
        gold.version: further_figures(dialogues, benchmark, gold)
        for gold in golds
        if (dialogues := track_states(states, benchmark, gold))
    }


def further_figures(
    dialogues: Sequence[TrackedDialogue], benchmark: Benchmark, gold: GoldStates
) -> dict[str, TrackingFigures]:
    """Return choice of `--dontcare` -> figures of dialogues tracked with these gold states."""
    score = partial(tracking_figures, dialogues, benchmark, gold)
    return {choice: score(choices=Choices(dontcare=choice)) for choice in VARIANTS["dontcare"]}
