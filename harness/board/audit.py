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

from mwz.normalization.states import RULE_SET_NAMES

from ..benchmark import CANONICAL_STYLE
from ..metrics.inform_success import TOTAL
from .entries import Entry, Reported, Scores, SetupFigures
from .grid import Grid

SCORED_SETUPS = ("strict", "optimistic")


@dataclass(frozen=True)
class Audited:
    """A reported figure beside the harness's.

    Attributes:
        metric: "bleu", "inform", "success" or "combined".
        reported: The figure reported, with its digits.
        scored: (Rule set, set-up) -> the harness's figure, where there is one.
        difference: The harness's figure in the set-up that should give it, less the reported one.
        verdict: "reproduced", "reproduced under …" or "not reproduced".
    """

    metric: str
    reported: Decimal
    scored: Mapping[tuple[str, str], float]
    difference: float
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
        (rules, setup): _scored(under, setup, metric, reported.style or CANONICAL_STYLE)
        for rules in RULE_SET_NAMES
        if (under := scores.under(rules)) is not None
        for setup in SCORED_SETUPS
    }
    home = (scores.rules, "optimistic" if reported.setup == "optimistic" else "strict")
    return Audited(
        metric=metric,
        reported=figure,
        scored=scored,
        difference=scored[home] - float(figure),
        verdict=_verdict(
            figure,
            scored[home],
            chain(_alternatives(scores, scored, metric), _tried(grid, reported, metric)),
        ),
    )


def _scored(scores: Scores, setup: str, metric: str, style: str) -> float:
    if metric == "bleu":
        return scores.bleu[style]
    rates: SetupFigures = getattr(scores, setup)
    if metric == "combined":
        return rates.combined
    total: float = getattr(rates, metric)[TOTAL]
    return total


def _verdict(figure: Decimal, scored: float, alternatives: Iterable[tuple[float, str]]) -> str:
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
        for style, bleu in scores.bleu.items():
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
    # An expectation is no figure that anybody can have had: it meets one by chance only.
    points = [point for point in grid.rates if point.setup.comparison != "sampling"]
    rates = {name: f for name, f in reported.figures.items() if name in ("inform", "success")}
    if metric in rates:
        for point in points:
            if all(is_reproduced(getattr(point, name), f) for name, f in rates.items()):
                yield getattr(point, metric), point.description
