"""The audit: what papers and public tables report, beside what the systems' outputs score.

A reported figure matches if the harness's is within half a unit of its last digit: rounded to the
digits reported, it equals it. An average length that is cut off rather than rounded, less than one
unit away, and a combined score added up from rounded parts match to rounding. Where a figure does
not match as it should, the other set-ups and rule sets are tried, and, given the submission's
set-up search (`setup_search.py`), every combination of set-ups. The words are in `verdicts.toml`.

Some figures cannot be of the whole test set, whatever the outputs are. A rate over N units
(dialogues, turns), printed with d decimals, is round(100 k / N, d) for some whole k from 0 to N.
The mean of R such rates is a rate over N R units. So 86.59 is no Inform of one run over 1000
dialogues, where all rates are multiples of 0.1; it can be one of 999 dialogues. Ties count either
way, since tools differ in how they round them. And a printed combined score must be
(Inform + Success) / 2 + BLEU up to the rounding of the four.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from mwz.normalization.rules import DEFAULT_RULES

from ...benchmark import CANONICAL_STYLE
from ...io.rendering import figure, signed
from ...metrics import headlines
from ...metrics.setups import RANKED
from ...scoring.report import Report
from ..entries import Entry
from .reported import DIVERSITY, ReportedFigures, printer

if TYPE_CHECKING:
    from .setup_search import SetupSearch

_PARTS = ("inform", "success", "bleu")

OPTIMISTIC = "optimistic combined score"
"""The verdict on a combined score that is the optimistic one, beside strict parts."""


@dataclass(frozen=True)
class Comparison:
    """A printed figure beside the harness's.

    Attributes:
        printed: The figure, with its digits.
        scored: The harness's, unrounded; None if it has none.
    """

    printed: Decimal
    scored: float | None

    @property
    def equal(self) -> bool:
        """Whether the harness's figure, rounded to the digits printed, is the printed one.

        Halves may have been rounded either way.
        """
        return self._units is not None and self._units <= 0.5 + 1e-9

    @property
    def cut_off(self) -> bool:
        """Whether it is less than one unit of the last digit away, and not equal."""
        return self._units is not None and not self.equal and self._units < 1

    @property
    def _units(self) -> float | None:
        """How far the two are apart, in units of the last digit printed."""
        gap = self.difference
        return None if gap is None else abs(gap) * 10.0 ** digits_of(self.printed)

    @property
    def difference(self) -> float | None:
        """The harness's figure less the printed one, in the figure's unit."""
        return None if self.scored is None else self.scored - float(self.printed)

    def texts(self, least: int = 0) -> tuple[str, str, str]:
        """Return the printed figure, the harness's and the difference as tables show them.

        Args:
            least: The digits after the point that the latter two have at least.
        """
        digits, gap = max(least, digits_of(self.printed)), self.difference
        shown = figure(None) if gap is None else signed(gap, digits)
        return f"{self.printed:f}", figure(self.scored, digits), shown


def digits_of(printed: Decimal) -> int:
    """Return how many decimals a figure is printed with."""
    return max(0, -int(printed.as_tuple().exponent))


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
        verdict: One of `verdicts.toml`, [figures].
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
            matches reported rates only if it gives all of them, Inform and Success alike:
            among hundreds, some meet a single figure by chance.
    """
    return [_audited(entry, claim, metric, search) for metric in claim.figures]


def contradicts_parts(figures: Mapping[str, Decimal]) -> bool:
    """Whether a reported combined score cannot be that of its Inform, Success and BLEU."""
    names = ("combined", *_PARTS)
    known = all(name in figures for name in names)
    return known and not combined_holds(*(figures[name] for name in names))


def is_optimistic_combined(entry: Entry, figures: Mapping[str, Decimal]) -> bool:
    """Whether printed strict parts stand beside the combined score of the optimistic set-up.

    Its parts, rounded as the printed ones are, must give the printed score.
    """
    report = entry.scores.under(DEFAULT_RULES)
    if report is None or not (report.optimistic and report.bleu and contradicts_parts(figures)):
        return False
    parts = [(scored_figure(report, "optimistic", part), figures[part]) for part in _PARTS]
    rounded = [Decimal(figure(value, digits_of(printed))) for value, printed in parts]
    return combined_holds(figures["combined"], *rounded)


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
    home = "optimistic" if claim.setup == "optimistic" else "strict"
    report = entry.scores.under(DEFAULT_RULES)
    compared = compared_figures(report, home, claim.figures, claim.style)
    own, matches = compared[metric], f"matches {printer(claim)}"
    if own.scored is None:
        verdict = "not scored"
    elif own.equal:
        verdict = matches
    elif is_rounding(metric, compared):
        verdict = f"{matches} to rounding"
    elif metric == "combined" and contradicts_parts(claim.figures):
        optimistic = is_optimistic_combined(entry, claim.figures)
        verdict = OPTIMISTIC if optimistic else "contradicts its printed parts"
    else:
        others = _alternatives(entry, claim, metric, scored, search)
        under = (name for name, value in others if Comparison(printed, value).equal)
        verdict = next(
            (f"{matches} under {name}" for name in under),
            domains_verdict(claim, (metric,)) or "does not match",
        )
    title = figure_title(metric)
    return Audited(entry, claim.source, claim.setup, title, own, verdict, metric, scored)


def compared_figures(
    report: Report | None, setup: str, figures: Mapping[str, Decimal], style: str | None = None
) -> dict[str, Comparison]:
    """Return metric -> a printed figure beside that of a report under a set-up."""
    found = {}
    for metric, printed in figures.items():
        scored = None if report is None else scored_figure(report, setup, metric, style)
        found[metric] = Comparison(printed, scored)
    return found


def domains_verdict(claim: ReportedFigures, metrics: Collection[str]) -> str | None:
    """Return the verdict on figures that differ where a source took other active domains.

    Returns:
        None if it did not, or if some of the figures do not depend on active domains.
    """
    depends = {"inform", "success", "combined"}.issuperset(metrics)
    return f"domains from {claim.domains}" if claim.domains and depends else None


def is_rounding(metric: str, compared: Mapping[str, Comparison]) -> bool:
    """Whether a figure differs by no more than how it was shortened.

    That is an average length which was cut off, or a combined score which was added up from rounded
    figures that all match.

    Args:
        metric: The figure.
        compared: Metric -> figure, of all that its source prints beside it.
    """
    if metric == "mean_length":
        return compared[metric].cut_off
    known = all(name in compared and compared[name].equal for name in _PARTS)
    printed = {name: one.printed for name, one in compared.items()}
    return metric == "combined" and known and not contradicts_parts(printed)


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


# ------------------------------------------------------------------- what a printed figure can be

RUNS = range(1, 11)
"""Of how many runs a figure may be the mean."""

SIZES: Mapping[str, Mapping[int, str]] = {
    "dialogues": {
        1000: "the test set",
        999: "without one dialogue, as several systems' outputs are",
        944: "those that LABES' outputs cover",
    },
    "turns": {
        7372: "the test set",
        7368: "999 dialogues, as Dey et al. (2022) and Kim et al. (2022) count them",
    },
}
"""Unit of a rate -> the numbers of units that systems are known to be scored on, and why.

The first is the whole test set of MultiWOZ.
"""


def _half_a_digit(printed: Decimal) -> Decimal:
    return Decimal("0.5").scaleb(-digits_of(printed))


def is_possible_rate(printed: Decimal, units: int, runs: int = 1) -> bool:
    """Whether a printed percentage can be a rate over so many units, or the mean of several runs.

    Args:
        printed: The figure, in percent, with its digits.
        units: The number of dialogues or turns, at least 1.
        runs: The number of runs over them whose mean it may be, at least 1.
    """
    return bool(possible_counts(printed, units * runs))


def possible_counts(printed: Decimal, units: int) -> range:
    """Return of how many of the units a printed percentage can be the rate."""
    if not 0 <= printed <= 100:
        return range(0)
    value, half = Fraction(printed), Fraction(_half_a_digit(printed))
    least, most = -((half - value) * units // 100), (value + half) * units // 100
    return range(max(0, least), min(units, most) + 1)


def possible_runs(printed: Decimal, units: int) -> tuple[int, ...]:
    """Return of how many runs over so many units a printed percentage can be the mean."""
    return tuple(runs for runs in RUNS if is_possible_rate(printed, units, runs))


def possible_share(digits: int, units: int, runs: int = 1) -> float:
    """Return the share, 0 to 1, of percentages with so many decimals that are possible rates.

    Values count as printed when halves are rounded up.
    """
    scale: int = 10**digits
    steps = units * runs
    printed = {(200 * scale * k + steps) // (2 * steps) for k in range(steps + 1)}
    return len(printed) / (100 * scale + 1)


def runs_text(runs: tuple[int, ...]) -> str:
    """Return numbers of runs in words, such as "1, 5 or 7 to 10 runs"."""
    if not runs:
        return "no run"
    ranges = []
    for _, group in groupby(enumerate(runs), lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in group]
        first, last = numbers[0], numbers[-1]
        ranges += [f"{first} to {last}"] if last - first > 1 else [str(n) for n in numbers]
    text = " or ".join(filter(None, [", ".join(ranges[:-1]), ranges[-1]]))
    return f"{text} run{'' if runs == (1,) else 's'}"


def combined_range(inform: Decimal, success: Decimal, bleu: Decimal) -> tuple[Decimal, Decimal]:
    """Return the least and greatest combined score that printed figures can belong to.

    All in percent. The ends are what the figures give before they were rounded.
    """
    middle = (inform + success) / 2 + bleu
    slack = (_half_a_digit(inform) + _half_a_digit(success)) / 2 + _half_a_digit(bleu)
    return middle - slack, middle + slack


def combined_holds(combined: Decimal, inform: Decimal, success: Decimal, bleu: Decimal) -> bool:
    """Whether a printed combined score can be that of printed Inform, Success and BLEU."""
    low, high = combined_range(inform, success, bleu)
    half = _half_a_digit(combined)
    return low - half <= combined <= high + half
