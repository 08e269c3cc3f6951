"""What an entry's predicted states score: once for each set of gold states that is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mwz.normalization.rules import DEFAULT_RULES

from ..data.declared import gold_versions
from ..scoring.report import Report
from ..signature import SHOWN_HASH
from ..tracking.tracking_figures import TrackingFigures, figures_of
from .entries import Entry
from .further_gold import DROP, KEEP
from .tracking_scores import GoldOf, gold_key


@dataclass(frozen=True)
class Tracked:
    """What predicted states score against one set of gold states.

    Attributes:
        figures: The figures.
        gold: Whose gold states they were made with.
        without_dontcare: The figures without `dontcare`, where these are known.
        further: Whether these are other gold states than those that the entry was entered with.
    """

    figures: TrackingFigures
    gold: GoldOf
    without_dontcare: TrackingFigures | None = None
    further: bool = False

    @property
    def at_least(self) -> float:
        """Joint goal accuracy with turns that are not tracked counted as wrong."""
        of = self.figures.of_turns or self.figures.turns
        return self.figures.jga * self.figures.turns / of

    @property
    def coverage(self) -> float:
        """Turns tracked, in percent; 100 for gold states of the file's own."""
        return 100 * self.figures.turns / (self.figures.of_turns or self.figures.turns)

    @property
    def own_version(self) -> str | None:
        """The version of the gold states of the benchmark itself; None if nobody says."""
        return gold_versions(self.figures.signature.benchmark or "").own

    @property
    def version(self) -> str | None:
        """What version of the annotation the gold states are; None if nobody says."""
        return self.own_version if self.gold.whose == "benchmark" else self.gold.version

    @property
    def gold_title(self) -> str:
        """What the gold states are, as the heading of a table."""
        shown = self.figures.gold[:SHOWN_HASH]
        version = "" if self.version is None else f", version {self.version}"
        if self.gold.whose == "file":
            return f"Gold states of the predictions file{version} ({shown})"
        benchmark = self.figures.signature.benchmark or ""
        return f"Gold states of the benchmark {benchmark}{version} ({shown})"


def tracked(entry: Entry, report: Report | None) -> Iterator[Tracked]:
    """Yield what an entry's states score: as it was entered, then against further gold states.

    Gold states are normalised by the default rule set, so that under another there are no others.

    Args:
        entry: The entry.
        report: Its report under the rule set of the board; None of a tracker's.
    """
    main = _as_entered(entry, report)
    if main is None:
        return
    by_version = (entry.tracking or entry.scores).further_gold
    if report is not None and report.rules != DEFAULT_RULES:
        by_version = {}
    others = []
    for version, by_choice in by_version.items():
        figures, dropped = by_choice[KEEP], by_choice[DROP]
        if figures.gold == main.figures.gold:
            main = replace(main, without_dontcare=dropped)
        else:
            others.append(Tracked(figures, GoldOf("version", version), dropped, further=True))
    yield main
    yield from others


def _as_entered(entry: Entry, report: Report | None) -> Tracked | None:
    if entry.tracking is not None:
        return Tracked(entry.tracking.figures, entry.tracking.gold)
    if report is None or report.dst is None:
        return None
    of = (report.coverage.of, report.coverage.of_turns)
    gold = gold_key(report.signature)
    figures = figures_of(report.dst, report.signature, gold, None, of)
    return Tracked(figures, GoldOf("benchmark"))
