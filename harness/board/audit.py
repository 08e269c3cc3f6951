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

from mwz.normalization.rules import DEFAULT_RULES

from ..benchmark import CANONICAL_STYLE
from ..metrics.inform import SETUPS
from ..metrics.registry import headlines
from ..report import Report
from .entries import Entry, Reported
from .grid import RATES, Grid
from .scores import Scores


@dataclass(frozen=True)
class Audited:
    """A reported figure beside the harness's.

    Attributes:
        metric: The figure's name, a key of `headlines()`.
        reported: The figure reported, with its digits.
        scored: (Rule set, set-up) -> the harness's figure, where there is one.
        difference: The harness's figure in the set-up that should give it, less the reported one;
            None if the harness has none.
        verdict: "reproduced", "reproduced under …", "not reproduced" or "not scored".
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
        reported: The system.
        figures: Its figures, audited.
    """

    reported: Reported
    figures: tuple[Audited, ...]


def audit(entry: Entry, grid: Grid | None = None) -> list[AuditedSource]:
    """Hold every figure reported of a system against its scores.

    Args:
        entry: The system.
        grid: Its scores under every combination of set-ups, if they are computed. A combination
            reproduces reported rates only if it gives all of them, Inform and Success alike:
            among hundreds, some meet a single figure by chance.
    """
    return [
        AuditedSource(
            reported,
            tuple(
                _audited(entry.scores, reported, metric, figure, grid)
                for metric, figure in reported.figures.items()
            ),
        )
        for reported in entry.system.reported
    ]


def is_reproduced(scored: float, reported: Decimal) -> bool:
    """Whether a score, rounded to the digits of a reported figure, equals it."""
    return f"{scored:.{_digits(reported)}f}" == f"{reported:f}"


def _digits(reported: Decimal) -> int:
    return max(0, -int(reported.as_tuple().exponent))


def _audited(
    scores: Scores, reported: Reported, metric: str, figure: Decimal, grid: Grid | None
) -> Audited:
    scored = {
        (rules, setup): value
        for rules, report in scores.reports.items()
        for setup in SETUPS
        if (value := _scored(report, setup, metric, reported.style)) is not None
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
        ),
    )


def _scored(report: Report, setup: str, metric: str, style: str | None) -> float | None:
    if metric == "bleu":
        return (report.bleu or {}).get(style or CANONICAL_STYLE)
    return headlines()[metric].value(report, setup)


def _verdict(
    figure: Decimal, scored: float | None, alternatives: Iterable[tuple[float, str]]
) -> str:
    if scored is None:
        return "not scored"
    if is_reproduced(scored, figure):
        return "reproduced"
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


def _tried(grid: Grid | None, reported: Reported, metric: str) -> Iterator[tuple[float, str]]:
    """Return what the figure is under the combinations of a grid that come into question."""
    if grid is None:
        return
    if metric == "bleu":
        for bleu in grid.bleu:
            yield bleu.bleu, f"{bleu.style} references, tokenisation {bleu.tokenization}"
    points = [point for point in grid.rates if not point.random]
    rates = {name: f for name, f in reported.figures.items() if name in RATES}
    if metric in rates:
        for point in points:
            if all(is_reproduced(getattr(point, name), f) for name, f in rates.items()):
                yield getattr(point, metric), point.description
