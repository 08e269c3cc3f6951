"""What predicted belief states score, of trackers and of systems that respond, as it is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, FiniteFloat

from mwz.normalization.rules import DEFAULT_RULES

from ..data.declared import gold_versions
from ..metrics.tracking.choices import VARIANTS
from ..metrics.tracking.evaluation import TrackingResult
from ..scoring.report import Report
from ..signature import SHOWN_HASH, Signature
from .tracking_figures import TrackingFigures, figures_of

KNOWN_GOLD = 0.99
"""The share of turns from which a file's gold states are those of a version.

Values may be spelled differently; of two versions of MultiWOZ not two thirds of the states agree.
"""

KEEP, DROP = VARIANTS["dontcare"]

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
        return gold_versions(self.signature.benchmark or "").own

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
    of = (report.coverage.of, report.coverage.of_turns)
    return TrackedScores(
        scored_figures(report.dst, report.signature, share, None, of), GoldOf("benchmark")
    )


def scored_figures(
    report: TrackingResult,
    signature: Signature,
    gold_share: float,
    version: str | None,
    whole: tuple[int, int] | None,
) -> TrackingFigures:
    """Return the figures of a report of state tracking; arguments as of `figures_of`.

    The hash of a benchmark's content tells its own gold states, which submissions of all tracks are
    scored on; other gold states have a hash of theirs.
    """
    gold = signature.data or signature.gold or ""
    scored = (report.dialogues, report.turns)
    return figures_of(report.figures, scored, gold_share, signature, gold, version, whole)


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
