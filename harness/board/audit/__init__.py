"""The audit: what papers and public tables report, beside what the systems' outputs score.

A reported figure is reproduced if the harness's, rounded to the digits reported, equals it. Where
it is not reproduced as it should be, the other set-ups and rule sets are tried, and, given the
submission's set-up search (`setup_search.py`), every combination of set-ups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from mwz.normalization.rules import DEFAULT_RULES

from ...benchmark import CANONICAL_STYLE
from ...metrics import headlines
from ...metrics.setups import RANKED
from ...scoring.report import Report
from ..entries import Entry
from .printed import Comparison, combined_holds
from .reported import DIVERSITY, ReportedFigures

if TYPE_CHECKING:
    from .setup_search import SetupSearch

_PARTS = ("inform", "success", "bleu")


@dataclass(frozen=True)
class Audited:
    """A reported figure beside the harness's.

    Attributes:
        entry: The system's entry.
        source: Where the figure is reported.
        setup: The set-up that it is of: "strict", "optimistic", or the authors' "own"; of joint
            accuracy the gold states.
        figure: What tables call it.
        compared: It beside the harness's in the set-up that should give it.
        verdict: "reproduced", "reproduced under …", "not reproduced" or "not scored"; of a combined
            score also "contradicts its printed parts", or "follows from its printed parts", which
            are reproduced and were rounded before they were added up.
        metric: Its key in `headlines()` or `DIVERSITY`; empty for others.
        scored: (Rule set, set-up) -> the harness's figure, where there is one.
    """

    entry: Entry
    source: str
    setup: str
    figure: str
    compared: Comparison
    verdict: str
    metric: str = ""
    scored: Mapping[tuple[str, str], float] = field(default_factory=dict)


def audited(
    entry: Entry, claim: ReportedFigures, search: SetupSearch | None = None
) -> list[Audited]:
    """Return every figure that a source reports of a system beside its scores.

    Args:
        entry: The system.
        claim: What the source reports.
        search: Its scores under every combination of set-ups, if they are computed. A combination
            reproduces reported rates only if it gives all of them, Inform and Success alike:
            among hundreds, some meet a single figure by chance.
    """
    return [_audited(entry, claim, metric, search) for metric in claim.figures]


def contradicts_parts(figures: Mapping[str, Decimal]) -> bool:
    """Whether a reported combined score cannot be that of its Inform, Success and BLEU."""
    names = ("combined", *_PARTS)
    if not all(name in figures for name in names):
        return False
    return not combined_holds(*(figures[name] for name in names))


def scored_figure(
    report: Report, setup: str, metric: str, style: str | None = None
) -> float | None:
    """Return the harness's figure of a metric under a set-up; None if the report lacks it."""
    if metric == "bleu":
        return (report.bleu or {}).get(style or CANONICAL_STYLE)
    if metric in DIVERSITY:
        return None if report.diversity is None else float(getattr(report.diversity, metric))
    return headlines()[metric].value(report, setup)


def figure_title(metric: str) -> str:
    """Return what tables call a figure."""
    return DIVERSITY[metric] if metric in DIVERSITY else headlines()[metric].title


def _audited(
    entry: Entry, claim: ReportedFigures, metric: str, search: SetupSearch | None
) -> Audited:
    printed = claim.figures[metric]
    scored = {
        (rules, setup): value
        for rules, report in entry.scores.reports.items()
        for setup in RANKED
        if (value := scored_figure(report, setup, metric, claim.style)) is not None
    }
    home = (DEFAULT_RULES, "optimistic" if claim.setup == "optimistic" else "strict")
    compared = Comparison(printed, scored.get(home))
    if compared.scored is None:
        verdict = "not scored"
    elif compared.equal:
        verdict = "reproduced"
    else:
        by_parts = _by_parts(entry, claim, home) if metric == "combined" else None
        others = _alternatives(entry, claim, metric, scored, search)
        under = (name for name, value in others if Comparison(printed, value).equal)
        verdict = by_parts or next((f"reproduced under {name}" for name in under), "not reproduced")
    title = figure_title(metric)
    return Audited(entry, claim.source, claim.setup, title, compared, verdict, metric, scored)


def _by_parts(entry: Entry, claim: ReportedFigures, home: tuple[str, str]) -> str | None:
    """Say what the printed parts of a combined score make of it; None if nothing."""
    figures, report = claim.figures, entry.scores.under(home[0])
    if contradicts_parts(figures):
        return "contradicts its printed parts"
    if report is None or not all(name in figures for name in _PARTS):
        return None
    parts = (Comparison(figures[name], scored_figure(report, home[1], name)) for name in _PARTS)
    return "follows from its printed parts" if all(part.equal for part in parts) else None


def _alternatives(
    entry: Entry,
    claim: ReportedFigures,
    metric: str,
    scored: Mapping[tuple[str, str], float],
    search: SetupSearch | None,
) -> Iterator[tuple[str, float]]:
    """Yield what else a figure could be: the name of the set-up, and the harness's figure."""
    if metric == "bleu":
        for style, bleu in (entry.scores.main.bleu or {}).items():
            yield f"{style} references", bleu
    else:
        for (rules, setup), value in scored.items():
            yield f"{setup} set-up, rules {rules}", value
    if search is not None:
        yield from search.alternatives(claim, metric)
