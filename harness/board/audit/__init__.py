"""The audit: what papers report, held against what the systems' outputs score.

A reported figure is reproduced if the harness's, rounded to the digits reported, equals it. Where
it is not reproduced as it should be, the other set-ups and rule sets are tried, and, given the
submission's grid (`grid.py`), every combination of set-ups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING

from mwz.normalization.rules import DEFAULT_RULES

from ...benchmark import CANONICAL_STYLE
from ...metrics import headlines
from ...metrics.setups import RANKED
from ...scoring.report import Report
from ..entries import Entry
from ..scores import Scores
from .attainable import combined_holds, digits_of
from .reported import RATES, ReportedFigures

if TYPE_CHECKING:
    from .setup_search import Grid

DIVERSITY: Mapping[str, str] = {
    "mean_length": "average length",
    "conditional_entropy": "CBE",
    "unigrams": "unique words",
    "trigrams": "unique 3-grams",
    "entropy": "token entropy",
    "msttr": "MSTTR-50",
}
"""Figures of diversity that papers and public tables print -> what they are called there."""

_PARTS = ("inform", "success", "bleu")


@dataclass(frozen=True)
class Audited:
    """A reported figure beside the harness's.

    Attributes:
        metric: The figure's name, a key of `headlines()` or of `DIVERSITY`.
        reported: The figure reported, with its digits.
        scored: (Rule set, set-up) -> the harness's figure, where there is one.
        difference: The harness's figure in the set-up that should give it, less the reported one;
            None if the harness has none.
        verdict: "reproduced", "reproduced under …", "not reproduced" or "not scored"; of a combined
            score also "contradicts its printed parts", or "follows from its printed parts", which
            are reproduced and were rounded before they were added up.
    """

    metric: str
    reported: Decimal
    scored: Mapping[tuple[str, str], float]
    difference: float | None
    verdict: str


@dataclass(frozen=True)
class AuditedSource:
    """Everything one publication reports of a system.

    Attributes:
        reported: What it reports.
        figures: Its figures, audited.
    """

    reported: ReportedFigures
    figures: tuple[Audited, ...]


def audit(entry: Entry, grid: Grid | None = None) -> list[AuditedSource]:
    """Hold every figure reported of a system against its scores.

    Args:
        entry: The system.
        grid: Its scores under every combination of set-ups, if they are computed. A combination
            reproduces reported rates only if it gives all of them, Inform and Success alike:
            among hundreds, some meet a single figure by chance.
    """
    return [audited_claim(entry, reported, grid) for reported in entry.system.reported]


def audited_claim(entry: Entry, claim: ReportedFigures, grid: Grid | None = None) -> AuditedSource:
    """Hold what one source reports of a system against its scores."""
    return AuditedSource(
        claim,
        tuple(
            _audited(entry.scores, claim, metric, figure, grid)
            for metric, figure in claim.figures.items()
        ),
    )


def is_reproduced(scored: float, reported: Decimal) -> bool:
    """Whether a score, rounded to the digits of a reported figure, equals it."""
    return f"{scored:.{digits_of(reported)}f}" == f"{reported:f}"


def contradicts_parts(figures: Mapping[str, Decimal]) -> bool:
    """Whether a reported combined score cannot be that of its Inform, Success and BLEU."""
    names = ("combined", *_PARTS)
    if not all(name in figures for name in names):
        return False
    return not combined_holds(*(figures[name] for name in names))


def _audited(
    scores: Scores, reported: ReportedFigures, metric: str, figure: Decimal, grid: Grid | None
) -> Audited:
    scored = {
        (rules, setup): value
        for rules, report in scores.reports.items()
        for setup in RANKED
        if (value := scored_figure(report, setup, metric, reported.style)) is not None
    }
    home = (DEFAULT_RULES, "optimistic" if reported.setup == "optimistic" else "strict")
    return Audited(
        metric=metric,
        reported=figure,
        scored=scored,
        difference=scored[home] - float(figure) if home in scored else None,
        verdict=_verdict(
            figure,
            scored.get(home),
            chain(_alternatives(scores, scored, metric), _tried(grid, reported, metric)),
            _by_parts(scores, reported, home) if metric == "combined" else None,
        ),
    )


def _by_parts(scores: Scores, reported: ReportedFigures, home: tuple[str, str]) -> str | None:
    """Say what the printed parts of a combined score make of it; None if nothing."""
    figures = reported.figures
    if not all(name in figures for name in _PARTS):
        return None
    if contradicts_parts(figures):
        return "contradicts its printed parts"
    report = scores.under(home[0])
    if report is None:
        return None
    parts = {name: scored_figure(report, home[1], name) for name in _PARTS}
    equal = all(v is not None and is_reproduced(v, figures[name]) for name, v in parts.items())
    return "follows from its printed parts" if equal else None


def scored_figure(
    report: Report, setup: str, metric: str, style: str | None = None
) -> float | None:
    """Return the harness's figure of a metric under a set-up; None if the report lacks it."""
    if metric == "bleu":
        return (report.bleu or {}).get(style or CANONICAL_STYLE)
    if metric in DIVERSITY:
        return None if report.diversity is None else float(getattr(report.diversity, metric))
    return headlines()[metric].value(report, setup)


def _verdict(
    figure: Decimal,
    scored: float | None,
    alternatives: Iterable[tuple[float, str]],
    by_parts: str | None,
) -> str:
    if scored is None:
        return "not scored"
    if is_reproduced(scored, figure):
        return "reproduced"
    if by_parts is not None:
        return by_parts
    for found, setup in alternatives:
        if is_reproduced(found, figure):
            return f"reproduced under {setup}"
    return "not reproduced"


def _alternatives(
    scores: Scores, scored: Mapping[tuple[str, str], float], metric: str
) -> Iterator[tuple[float, str]]:
    """Return what else the figure could be, each with the name of the set-up."""
    if metric == "bleu":
        for style, bleu in (scores.main.bleu or {}).items():
            yield bleu, f"{style} references"
        return
    for (rules, setup), value in scored.items():
        yield value, f"{setup} set-up, rules {rules}"


def _tried(
    grid: Grid | None, reported: ReportedFigures, metric: str
) -> Iterator[tuple[float, str]]:
    """Return what the figure is under the combinations of a grid that come into question."""
    if grid is None:
        return
    if metric == "bleu":
        for bleu in grid.bleu:
            yield bleu.bleu, f"{bleu.style} references, tokenisation {bleu.tokenization}"
    points = [point for point in (*grid.named, *grid.rates) if not point.random]
    rates = {name: f for name, f in reported.figures.items() if name in RATES}
    if metric in rates:
        for point in points:
            if all(is_reproduced(getattr(point, name), f) for name, f in rates.items()):
                yield getattr(point, metric), point.description
