"""A printed figure: the harness's beside it, and what it can be at all.

Some figures cannot be of the whole test set, whatever the outputs are. A rate over N units
(dialogues, turns), printed with d decimals, is round(100 k / N, d) for some whole k from 0 to N.
The mean of R such rates is a rate over N R units. So 86.59 is no Inform of one run over 1000
dialogues, where all rates are multiples of 0.1; it can be one of 999 dialogues. Ties count either
way, since tools differ in how they round them. And a printed combined score must be
(Inform + Success) / 2 + BLEU up to the rounding of the four.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import groupby

from ..benchmark import CANONICAL_STYLE
from ..io.tables import figure, signed
from ..metrics.metric import headlines
from ..scoring.report import Report
from .entries import Entry
from .reported import (
    DIVERSITY,
    ReportedFigures,
    ReportedTable,
    number,
    printed_figures,
    version_and_measure,
)

PARTS = ("inform", "success", "bleu")
"""The metrics that a combined score is made of."""

JOINT_ACCURACY = ("joint accuracy", "JGA")
"""What public tables call joint goal accuracy."""


@dataclass(frozen=True)
class Figure:
    """A printed figure, the harness's beside it, and what is to be said of the two.

    Attributes:
        printed: The figure, with its digits.
        scored: The harness's, unrounded, in the set-up that should give it; None if it has none.
        system: The system as the source names it, or its entry does.
        entry: The key of its entry; empty if it has none.
        source: Where the figure is printed.
        setup: The set-up that it is of: "strict", "optimistic", or the authors' "own"; of joint
            accuracy the gold states.
        title: What tables call it.
        metric: Its key in `headlines()` or `DIVERSITY`; empty for others.
        verdict: One of `verdicts.toml`, [figures]; of a figure that does not fit, "combined" or
            "attainable"; of a cell of a paper's table, where the outputs are that the harness
            does not have.
        reason: What does not fit, and what the figure can be.
        by_setup: (Rule set, set-up) -> the harness's figure, where there is one.
    """

    printed: Decimal
    scored: float | None = None
    system: str = ""
    entry: str = ""
    source: str = ""
    setup: str = ""
    title: str = ""
    metric: str = ""
    verdict: str = ""
    reason: str = ""
    by_setup: Mapping[tuple[str, str], float] = field(default_factory=dict)

    @property
    def digits(self) -> int:
        """How many decimals it is printed with."""
        return max(0, -int(self.printed.as_tuple().exponent))

    @property
    def difference(self) -> float | None:
        """The harness's figure less the printed one, in the figure's unit."""
        return None if self.scored is None else self.scored - float(self.printed)

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
        return None if gap is None else abs(gap) * 10.0**self.digits

    def texts(self, least: int = 0) -> tuple[str, str, str]:
        """Return the printed figure, the harness's and the difference as tables show them.

        Args:
            least: The digits after the point that the latter two have at least.
        """
        digits, gap = max(least, self.digits), self.difference
        difference = figure(None) if gap is None else signed(gap, digits)
        return f"{self.printed:f}", figure(self.scored, digits), difference


def figures_beside(
    report: Report | None, setup: str, figures: Mapping[str, Decimal], style: str | None = None
) -> dict[str, Figure]:
    """Return metric -> a printed figure beside that of a report under a set-up."""
    return {
        metric: Figure(
            printed, None if report is None else scored_figure(report, setup, metric, style)
        )
        for metric, printed in figures.items()
    }


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


# --------------------------------------- figures that do not fit their parts or the whole test set

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

# What public tables and entries call a rate -> what it is a rate over. Rates per domain are over
# turns of which papers do not say how many there are.
_RATES: Mapping[str, str] = {
    "Inform": "dialogues",
    "Success": "dialogues",
    **dict.fromkeys(JOINT_ACCURACY, "turns"),
}


def misfits(entries: Iterable[Entry], tables: Sequence[ReportedTable]) -> list[Figure]:
    """Return every printed figure of entries and public tables that cannot be what it is called.

    Contradictory combined scores come first. What a table repeats of an entry's own figures is
    there once.
    """
    claimed = [(entry, claim) for entry in entries for claim in entry.system.reported]
    rows = [(table, row) for table in tables for row in table.rows]
    claims: list[tuple[str, ReportedFigures]] = [(e.system.name, claim) for e, claim in claimed]
    claims += [(row.system, claim) for table, row in rows for claim in printed_figures(table, row)]
    combined = [one for system, claim in claims for one in _contradiction(system, claim)]
    rates = []
    seen = set()
    for entry, claim in claimed:
        for metric, printed in claim.figures.items():
            title = figure_title(metric)
            seen.add((entry.key, title, printed))
            one = Figure(printed, None, entry.system.name, entry.key, claim.source, title=title)
            rates.append((title, one))
    for table, row in rows:
        for column in table.columns:
            measure, value = version_and_measure(column)[1], number(row.figures.get(column, ""))
            if value is not None and (row.entry, measure, value) not in seen:
                one = Figure(value, None, row.system, row.entry or "", table.title, title=column)
                rates.append((measure, one))
    return [*combined, *(one for measure, rate in rates for one in _unattainable(measure, rate))]


def contradicts_parts(figures: Mapping[str, Decimal]) -> bool:
    """Whether a reported combined score cannot be that of its Inform, Success and BLEU."""
    names = ("combined", *PARTS)
    known = all(name in figures for name in names)
    return known and not combined_holds(*(figures[name] for name in names))


def _contradiction(system: str, claim: ReportedFigures) -> Iterator[Figure]:
    """Yield a combined score that its printed parts do not give."""
    figures = claim.figures
    if contradicts_parts(figures):
        low, high = combined_range(figures["inform"], figures["success"], figures["bleu"])
        reason = (
            f"its printed parts give {low.normalize():f} to {high.normalize():f}: "
            f"({figures['inform']} + {figures['success']}) / 2 + {figures['bleu']}"
        )
        yield Figure(
            figures["combined"],
            system=system,
            source=claim.source,
            title=figure_title("combined"),
            verdict="combined",
            reason=reason,
        )


def _unattainable(measure: str, one: Figure) -> Iterator[Figure]:
    """Yield a figure that is no rate of one run over the whole test set, and what it can be."""
    unit = _RATES.get(measure)
    if unit is None:
        return
    whole, *others = sizes = list(SIZES[unit])
    if is_possible_rate(one.printed, whole):
        return
    counts = {size: possible_counts(one.printed, size) for size in others}
    reasons = [f"not from {whole} {unit} in one run"]
    reasons += [f"from {size}: {' or '.join(map(str, of))}" for size, of in counts.items() if of]
    if not any(counts.values()):
        reasons = [f"cannot be from {' or '.join(map(str, sizes))} {unit} in one run"]
        reasons += [f"of {size}: {runs_text(possible_runs(one.printed, size))}" for size in sizes]
    yield replace(one, verdict="attainable", reason="; ".join(reasons))


def _half_a_digit(printed: Decimal) -> Decimal:
    return Decimal("0.5").scaleb(-Figure(printed).digits)


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


def possible_share(digits: int, units: int) -> float:
    """Return the share, 0 to 1, of percentages with so many decimals that are possible rates.

    Values count as printed when halves are rounded up.
    """
    scale: int = 10**digits
    printed = {(200 * scale * k + units) // (2 * units) for k in range(units + 1)}
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
