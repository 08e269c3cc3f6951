"""Whether the figures that papers and public tables print of systems are those of their outputs.

A printed figure matches if the harness's is within half a unit of its last digit: rounded to the
digits printed, it equals it. An average length that is cut off rather than rounded, less than one
unit away, and a combined score added up from rounded parts match to rounding. Where a figure does
not match as it should, the other set-ups and rule sets are tried. The glossary has the words.

Some figures cannot be of the whole test set, whatever the outputs are. A rate over N units
(dialogues, turns), printed with d decimals, is round(100 k / N, d) for some whole k from 0 to N.
The mean of R such rates is a rate over N R units. So 86.59 is no Inform of one run over 1000
dialogues, where all rates are multiples of 0.1; it can be one of 999 dialogues. Ties count either
way, since tools differ in how they round them. And a printed combined score must be
(Inform + Success) / 2 + BLEU up to the rounding of the four.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from mwz.normalization import DEFAULT_RULES

from ..metrics import RANKED
from .entries import Entry
from .reported import (
    PrintedFigure,
    PrintedFigures,
    ReportedFigures,
    ReportedRow,
    ReportedTable,
    figure_title,
    figures_beside,
    printed_figures,
    printed_numbers,
    scored_figure,
)
from .tracked import DROP

PARTS = ("inform", "success", "bleu")
"""The metrics that a combined score is made of."""

JOINT_ACCURACY = ("joint accuracy", "JGA")
"""What public tables call joint goal accuracy."""

_OPTIMISTIC = "optimistic combined score"
"""The verdict on a combined score that is the optimistic one, beside strict parts."""

Alternatives: TypeAlias = Callable[[ReportedFigures, str], Iterable[tuple[str, float]]]
"""What else a reported metric could be: the name of a set-up, and the harness's figure."""


# ------------------------------------------------------------------------ every reported figure


def record(
    entries: Iterable[Entry],
    tables: Sequence[ReportedTable],
    alternatives: Mapping[str, Alternatives] | None = None,
) -> list[PrintedFigure]:
    """Return every figure reported of entries, beside the harness's.

    A figure that a table repeats from an entry's own, under the same set-up, is there once.

    Args:
        entries: The entries.
        tables: The public tables.
        alternatives: Key of an entry -> what else its figures could be.
    """
    figures: list[PrintedFigure] = []
    for entry in entries:
        rows = [(table, row) for table in tables for row in table.rows if row.entry == entry.key]
        claims: list[ReportedFigures] = [*entry.system.reported]
        claims += [claim for table, row in rows for claim in printed_figures(table, row)]
        distinct: dict[tuple[str, str, Decimal], PrintedFigure] = {}
        for claim in claims:
            for one in reported_figures(entry, claim, (alternatives or {}).get(entry.key)):
                distinct.setdefault((one.setup, one.metric, one.printed), one)
        figures += distinct.values()
        figures += [one for table, row in rows for one in _accuracies(entry, table, row)]
    return figures


def reported_figures(
    entry: Entry, claim: ReportedFigures, alternatives: Alternatives | None = None
) -> list[PrintedFigure]:
    """Return every figure that a source reports of a system, beside its scores."""
    report = entry.scores.reports.get(DEFAULT_RULES)
    home = "optimistic" if claim.setup == "optimistic" else "strict"
    beside = figures_beside(report, home, claim.figures, claim.style)
    about = (entry.system.name, entry.key, claim.source, claim.setup)
    figures = []
    for metric, one in beside.items():
        by_setup = {
            (rules, setup): value
            for rules, under in entry.scores.reports.items()
            for setup in RANKED
            if (value := scored_figure(under, setup, metric, claim.style)) is not None
        }
        titles = (figure_title(metric), metric)
        of_claim = PrintedFigure(one.printed, one.scored, *about, *titles, by_setup=by_setup)
        verdict = _verdict(entry, claim, of_claim, beside, alternatives)
        figures.append(replace(of_claim, verdict=verdict))
    return figures


def _verdict(
    entry: Entry,
    claim: ReportedFigures,
    one: PrintedFigure,
    beside: Mapping[str, PrintedFigure],
    alternatives: Alternatives | None,
) -> str:
    is_row = isinstance(claim, PrintedFigures) and claim.setup == "strict"
    is_official = is_row or "public leaderboard" in claim.source
    matches = f"matches {'the public board' if is_official else 'the paper'}"
    if one.scored is None:
        return "not scored"
    if one.equal:
        return matches
    if _is_rounding(one.metric, beside):
        return f"{matches} to rounding"
    if one.metric == "combined" and contradicts_parts(claim.figures):
        optimistic = _is_optimistic_combined(entry, claim.figures)
        return _OPTIMISTIC if optimistic else "contradicts its printed parts"
    others = [
        (f"{setup} set-up, rules {rules}", value) for (rules, setup), value in one.by_setup.items()
    ]
    if one.metric == "bleu":
        others = [(f"{s} references", bleu) for s, bleu in (entry.scores.main.bleu or {}).items()]
    if alternatives is not None:
        others += alternatives(claim, one.metric)
    for name, value in others:
        if replace(one, scored=value).equal:
            return f"{matches} under {name}"
    depends = one.metric in ("inform", "success", "combined")
    return f"domains from {claim.domains}" if claim.domains and depends else "does not match"


def _accuracies(entry: Entry, table: ReportedTable, row: ReportedRow) -> Iterator[PrintedFigure]:
    """Yield the joint accuracies of a row that are of a version of the annotation."""
    by_version = {one.version: one for one in entry.scores.tracked()}
    for _, version, measure, printed in printed_numbers(table, row):
        if version is None or measure not in JOINT_ACCURACY:
            continue
        about = (entry.system.name, entry.key, table.title, f"gold states {version}", "JGA")
        one, verdict = by_version.get(version), "not scored"
        if one is not None:
            dropped = one.without_dontcare
            verdict = "does not match"
            if PrintedFigure(printed, one.jga).equal:
                verdict = "matches the paper"
            elif dropped is not None and PrintedFigure(printed, dropped.jga).equal:
                verdict = f"matches the paper under --dontcare {DROP}"
        scored = None if one is None else one.jga
        yield PrintedFigure(printed, scored, *about, verdict=verdict)


def _is_optimistic_combined(entry: Entry, figures: Mapping[str, Decimal]) -> bool:
    """Whether printed strict parts stand beside the combined score of the optimistic set-up.

    Its parts, rounded as the printed ones are, must give the printed score.
    """
    report = entry.scores.reports.get(DEFAULT_RULES)
    if report is None or not (report.optimistic and report.bleu and contradicts_parts(figures)):
        return False
    parts = figures_beside(report, "optimistic", {name: figures[name] for name in PARTS})
    rounded = [Decimal(one.texts()[1]) for one in parts.values()]
    return combined_holds(figures["combined"], *rounded)


def _is_rounding(metric: str, beside: Mapping[str, PrintedFigure]) -> bool:
    """Whether a figure differs by no more than how it was shortened.

    That is an average length which was cut off, or a combined score which was added up from rounded
    figures that all match.

    Args:
        metric: The figure.
        beside: Metric -> figure, of all that its source prints beside it.
    """
    if metric == "mean_length":
        return beside[metric].cut_off
    parts_match = all(name in beside and beside[name].equal for name in PARTS)
    printed = {name: one.printed for name, one in beside.items()}
    return metric == "combined" and parts_match and not contradicts_parts(printed)


def official_verdict(entry: Entry, claim: ReportedFigures) -> str:
    """Say whether an official row's figures are the harness's.

    Args:
        entry: The row's entry.
        claim: What the row reports.

    Returns:
        The verdicts on the figures that differ, each with these and harness minus reported.
    """
    differing: dict[str, list[str]] = {}
    for one in reported_figures(entry, claim):
        if not one.equal:
            differing.setdefault(one.verdict, []).append(f"{one.title} {one.texts()[2]}")
    texts = (f"{verdict}: {', '.join(figures)}" for verdict, figures in differing.items())
    return "; ".join(texts) or "matches the public board"


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


def misfits(entries: Iterable[Entry], tables: Sequence[ReportedTable]) -> list[PrintedFigure]:
    """Return every printed figure of entries and public tables that cannot be what it is called.

    Contradictory combined scores come first. What a table repeats of an entry's own figures is
    there once.
    """
    combined: list[PrintedFigure] = []
    # The measure of each figure that may be a rate stands before it.
    rates: list[tuple[str, PrintedFigure]] = []
    seen = set()
    for entry in entries:
        for claim in entry.system.reported:
            combined += _contradiction(entry.system.name, claim)
            for metric, printed in claim.figures.items():
                title = figure_title(metric)
                seen.add((entry.key, title, printed))
                about = (entry.system.name, entry.key, claim.source)
                rates.append((title, PrintedFigure(printed, None, *about, title=title)))
    for table, row in [(one, row) for one in tables for row in one.rows]:
        for of_version in printed_figures(table, row):
            combined += _contradiction(row.system, of_version)
        for column, _, measure, value in printed_numbers(table, row):
            if (row.entry, measure, value) not in seen:
                about = (row.system, row.entry or "", table.title)
                rates.append((measure, PrintedFigure(value, None, *about, title=column)))
    return [*combined, *(one for measure, rate in rates for one in _unattainable(measure, rate))]


def contradicts_parts(figures: Mapping[str, Decimal]) -> bool:
    """Whether a reported combined score cannot be that of its Inform, Success and BLEU."""
    if not figures.keys() >= {"combined", *PARTS}:
        return False
    return not combined_holds(figures["combined"], *(figures[name] for name in PARTS))


def _contradiction(system: str, claim: ReportedFigures) -> list[PrintedFigure]:
    """Return a combined score that its printed parts do not give, if there is one."""
    if not contradicts_parts(claim.figures):
        return []
    combined, inform, success, bleu = (claim.figures[name] for name in ("combined", *PARTS))
    low, high = combined_range(inform, success, bleu)
    reason = (
        f"its printed parts give {low.normalize():f} to {high.normalize():f}: "
        f"({inform} + {success}) / 2 + {bleu}"
    )
    about = (system, "", claim.source, "", figure_title("combined"))
    return [PrintedFigure(combined, None, *about, verdict="combined", reason=reason)]


def _unattainable(measure: str, one: PrintedFigure) -> list[PrintedFigure]:
    """Return a figure with what it can be, if it is no rate of one run over the whole test set.

    A rate over turns is held against both numbers of turns that papers count.
    """
    unit = _RATES.get(measure)
    if unit is None:
        return []
    sizes = [*SIZES[unit]]
    counts = {size: possible_counts(one.printed, size) for size in sizes}
    lacking = [str(size) for size in (sizes if unit == "turns" else sizes[:1]) if not counts[size]]
    if not lacking:
        return []
    reasons = [f"not from {' or '.join(lacking)} {unit} in one run"]
    reasons += [f"from {size}: {' or '.join(map(str, of))}" for size, of in counts.items() if of]
    if not any(counts.values()):
        reasons = [f"cannot be from {' or '.join(map(str, sizes))} {unit} in one run"]
        reasons += [f"of {size}: at least {least_runs(one.printed, size)} runs" for size in sizes]
    return [replace(one, verdict="attainable", reason="; ".join(reasons))]


def _half_a_digit(printed: Decimal) -> Decimal:
    return Decimal("0.5").scaleb(-PrintedFigure(printed).digits)


def possible_counts(printed: Decimal, units: int) -> range:
    """Return of how many of the units (dialogues or turns) a printed percentage can be the rate."""
    value, half = Fraction(printed), Fraction(_half_a_digit(printed))
    least, most = -((half - value) * units // 100), (value + half) * units // 100
    return range(max(0, least), min(units, most) + 1)


def least_runs(printed: Decimal, units: int) -> int:
    """Return of how many runs over so many units a printed percentage can be the mean.

    It is the least number of `RUNS`, or the one after them.
    """
    return next((runs for runs in RUNS if possible_counts(printed, units * runs)), RUNS.stop)


def possible_share(digits: int, units: int) -> float:
    """Return the share, 0 to 1, of percentages with so many decimals that are possible rates.

    Values count as printed when halves are rounded up.
    """
    scale: int = 10**digits
    printed = {(200 * scale * k + units) // (2 * units) for k in range(units + 1)}
    return len(printed) / (100 * scale + 1)


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
