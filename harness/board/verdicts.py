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
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import chain
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
    version_and_measure,
)
from .tracked import DROP

_WEIGHTS = {"inform": Decimal("0.5"), "success": Decimal("0.5"), "bleu": Decimal(1)}

PARTS = tuple(_WEIGHTS)
"""The metrics that a combined score is made of: inform, success and bleu."""

JOINT_ACCURACY = ("joint accuracy", "JGA")
"""What public tables call joint goal accuracy."""

NOT_SCORED, NO_MATCH = "not scored", "does not match"
"""Verdicts on figures that the harness does not have, and that nothing it tries gives."""

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
        claims: list[ReportedFigures] = list(entry.system.reported)
        accuracies: list[PrintedFigure] = []
        for table in tables:
            for row in table.rows:
                if row.entry == entry.key:
                    claims += printed_figures(table, row)
                    accuracies += _accuracies(entry, table, row)
        ways = (alternatives or {}).get(entry.key)
        distinct: dict[tuple[str, str, Decimal], PrintedFigure] = {}
        for claim in claims:
            for figure in judged_figures(entry, claim, ways):
                distinct.setdefault((figure.setup, figure.metric, figure.printed), figure)
        figures += distinct.values()
        figures += accuracies
    return figures


def judged_figures(
    entry: Entry, claim: ReportedFigures, alternatives: Alternatives | None = None
) -> list[PrintedFigure]:
    """Return every figure that a source reports of a system, beside its scores."""
    report = entry.scores.reports.get(DEFAULT_RULES)
    home = "optimistic" if claim.setup == "optimistic" else "strict"
    beside = figures_beside(report, home, claim.figures, claim.style)
    figures = []
    for metric, compared in beside.items():
        by_setup = {}
        for rules, report_under in entry.scores.reports.items():
            for setup in RANKED:
                scored = scored_figure(report_under, setup, metric, claim.style)
                if scored is not None:
                    by_setup[rules, setup] = scored
        figure = replace(
            compared,
            system=entry.system.name,
            entry=entry.key,
            source=claim.source,
            setup=claim.setup,
            title=figure_title(metric),
            metric=metric,
            by_setup=by_setup,
        )
        verdict = _verdict(entry, claim, figure, beside, alternatives)
        figures.append(replace(figure, verdict=verdict))
    return figures


def _verdict(
    entry: Entry,
    claim: ReportedFigures,
    figure: PrintedFigure,
    beside: Mapping[str, PrintedFigure],
    alternatives: Alternatives | None,
) -> str:
    """Return the verdict on a figure, given all that its source prints beside it."""
    is_row = isinstance(claim, PrintedFigures) and claim.setup == "strict"
    is_official = is_row or "public leaderboard" in claim.source
    matches = "matches the public board" if is_official else "matches the paper"
    metric = figure.metric
    if figure.scored is None:
        return NOT_SCORED
    if figure.equal:
        return matches
    if _is_rounding(metric, beside):
        return f"{matches} to rounding"
    if metric == "combined" and contradicts_parts(claim.figures):
        optimistic = _is_optimistic_combined(entry, claim.figures)
        return _OPTIMISTIC if optimistic else "contradicts its printed parts"
    # What else the harness scores that the figure may be of.
    ways: dict[str, float] = {}
    if metric == "bleu":
        for style, bleu in (entry.scores.main.bleu or {}).items():
            ways[f"{style} references"] = bleu
    else:
        for (rules, setup), scored in figure.by_setup.items():
            ways[f"{setup} set-up, rules {rules}"] = scored
    further = () if alternatives is None else alternatives(claim, metric)
    for name, scored in chain(ways.items(), further):
        if replace(figure, scored=scored).equal:
            return f"{matches} under {name}"
    depends_on_domains = metric in ("inform", "success", "combined")
    return f"domains from {claim.domains}" if claim.domains and depends_on_domains else NO_MATCH


def _accuracies(entry: Entry, table: ReportedTable, row: ReportedRow) -> Iterator[PrintedFigure]:
    """Yield the joint accuracies of a row that are of a version of the annotation."""
    by_version = {tracked.version: tracked for tracked in entry.scores.tracked()}
    for column, printed in printed_numbers(table, row).items():
        version, measure = version_and_measure(column)
        if version is None or measure not in JOINT_ACCURACY:
            continue
        figure = PrintedFigure(
            printed,
            system=entry.system.name,
            entry=entry.key,
            source=table.title,
            setup=f"gold states {version}",
            title="JGA",
            verdict=NOT_SCORED,
        )
        tracked = by_version.get(version)
        if tracked is not None:
            dropped = tracked.without_dontcare
            figure = replace(figure, scored=tracked.jga, verdict=NO_MATCH)
            if figure.equal:
                figure = replace(figure, verdict="matches the paper")
            elif dropped is not None and replace(figure, scored=dropped.jga).equal:
                figure = replace(figure, verdict=f"matches the paper under --dontcare {DROP}")
        yield figure


def _is_optimistic_combined(entry: Entry, figures: Mapping[str, Decimal]) -> bool:
    """Return whether printed strict parts stand beside the optimistic combined score.

    The optimistic parts, rounded as the printed ones are, must give the printed score.
    """
    report = entry.scores.reports.get(DEFAULT_RULES)
    if report is None or not (report.optimistic and report.bleu):
        return False
    printed_parts = {name: figures[name] for name in PARTS}
    parts = figures_beside(report, "optimistic", printed_parts)
    inform, success, bleu = (Decimal(parts[name].texts()[1]) for name in PARTS)
    return combined_holds(figures["combined"], inform, success, bleu)


def _is_rounding(metric: str, beside: Mapping[str, PrintedFigure]) -> bool:
    """Return whether a figure differs by no more than how it was shortened.

    That is an average length that was cut off, or a combined score that was added up from rounded
    figures that all match.

    Args:
        metric: The figure.
        beside: Metric -> figure, of all that its source prints beside it.
    """
    if metric == "mean_length":
        return beside[metric].cut_off
    if metric != "combined":
        return False
    parts_match = all(name in beside and beside[name].equal for name in PARTS)
    printed = {name: figure.printed for name, figure in beside.items()}
    return parts_match and not contradicts_parts(printed)


def official_verdict(entry: Entry, claim: ReportedFigures) -> str:
    """Say whether an official row's figures are the harness's.

    Args:
        entry: The row's entry.
        claim: What the row reports.

    Returns:
        The verdicts on the figures that differ, each with these and harness minus reported.
    """
    differing: dict[str, list[str]] = {}
    for figure in judged_figures(entry, claim):
        if not figure.equal:
            _, _, difference = figure.texts()
            differing.setdefault(figure.verdict, []).append(f"{figure.title} {difference}")
    verdicts = [f"{verdict}: {', '.join(texts)}" for verdict, texts in differing.items()]
    return "; ".join(verdicts) or "matches the public board"


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
    contradictions: list[PrintedFigure] = []
    unattainable: list[PrintedFigure] = []
    own_figures = set()
    for entry in entries:
        for claim in entry.system.reported:
            contradictions += _contradiction(entry.system.name, claim)
            for metric, printed in claim.figures.items():
                title = figure_title(metric)
                own_figures.add((entry.key, title, printed))
                figure = PrintedFigure(
                    printed,
                    system=entry.system.name,
                    entry=entry.key,
                    source=claim.source,
                    title=title,
                )
                unattainable += _unattainable(title, figure)
    for table in tables:
        for row in table.rows:
            for by_version in printed_figures(table, row):
                contradictions += _contradiction(row.system, by_version)
            for column, printed in printed_numbers(table, row).items():
                _, measure = version_and_measure(column)
                if (row.entry, measure, printed) not in own_figures:
                    figure = PrintedFigure(
                        printed,
                        system=row.system,
                        entry=row.entry or "",
                        source=table.title,
                        title=column,
                    )
                    unattainable += _unattainable(measure, figure)
    return contradictions + unattainable


def contradicts_parts(figures: Mapping[str, Decimal]) -> bool:
    """Return whether a reported combined score cannot be that of its Inform, Success and BLEU."""
    if not figures.keys() >= {"combined", *PARTS}:
        return False
    inform, success, bleu = (figures[name] for name in PARTS)
    return not combined_holds(figures["combined"], inform, success, bleu)


def _contradiction(system: str, claim: ReportedFigures) -> list[PrintedFigure]:
    """Return a combined score that its printed parts do not give, if there is one."""
    if not contradicts_parts(claim.figures):
        return []
    inform, success, bleu = (claim.figures[name] for name in PARTS)
    low, high = combined_range(inform, success, bleu)
    figure = PrintedFigure(
        claim.figures["combined"],
        system=system,
        source=claim.source,
        title=figure_title("combined"),
        verdict="combined",
        reason=f"its printed parts give {low.normalize():f} to {high.normalize():f}: "
        f"({inform} + {success}) / 2 + {bleu}",
    )
    return [figure]


def _unattainable(measure: str, figure: PrintedFigure) -> list[PrintedFigure]:
    """Return a figure with what it can be, if it is no rate of one run over the whole test set.

    A rate over turns is held against both numbers of turns that papers count.
    """
    unit = _RATES.get(measure)
    if unit is None:
        return []
    sizes = list(SIZES[unit])
    whole_sizes = sizes if unit == "turns" else sizes[:1]
    counts = {size: possible_counts(figure.printed, size) for size in sizes}
    impossible = [str(size) for size in whole_sizes if not counts[size]]
    if not impossible:
        return []
    if any(counts.values()):
        reasons = [f"not from {' or '.join(impossible)} {unit} in one run"]
        for size, possible in counts.items():
            if possible:
                reasons.append(f"from {size}: {' or '.join(map(str, possible))}")
    else:
        reasons = [f"cannot be from {' or '.join(map(str, sizes))} {unit} in one run"]
        for size in sizes:
            reasons.append(f"of {size}: at least {least_runs(figure.printed, size)} runs")
    return [replace(figure, verdict="attainable", reason="; ".join(reasons))]


def _half_a_digit(printed: Decimal) -> Decimal:
    return Decimal("0.5").scaleb(-PrintedFigure(printed).digits)


def possible_counts(printed: Decimal, units: int) -> range:
    """Return of how many of the units (dialogues or turns) a printed percentage can be the rate."""
    value, half = Fraction(printed), Fraction(_half_a_digit(printed))
    # The least count is rounded up.
    least = -((half - value) * units // 100)
    most = (value + half) * units // 100
    return range(max(0, least), min(units, most) + 1)


def least_runs(printed: Decimal, units: int) -> int:
    """Return of how many runs over so many units a printed percentage can be the mean.

    It is the least number of `RUNS`, or the one after them.
    """
    for runs in RUNS:
        if possible_counts(printed, units * runs):
            return runs
    return RUNS.stop


def possible_share(digits: int, units: int) -> float:
    """Return the share, 0 to 1, of percentages with so many decimals that are possible rates.

    Values count as printed when halves are rounded up.
    """
    scale: int = 10**digits
    printed = {(200 * scale * count + units) // (2 * units) for count in range(units + 1)}
    return len(printed) / (100 * scale + 1)


def combined_range(inform: Decimal, success: Decimal, bleu: Decimal) -> tuple[Decimal, Decimal]:
    """Return the least and greatest combined score that printed figures can belong to.

    All in percent. The ends are what the figures give before they were rounded.
    """
    middle = (inform + success) / 2 + bleu
    slack = (_half_a_digit(inform) + _half_a_digit(success)) / 2 + _half_a_digit(bleu)
    return middle - slack, middle + slack


def implied_part(printed: Mapping[str, Decimal], missing: str) -> tuple[Decimal, Decimal]:
    """Return the least and greatest part that a printed combined score and two parts leave.

    All in percent, in the digits of the combined score.

    Args:
        printed: `combined` and two of `PARTS` -> the figure.
        missing: The third part.
    """
    middle = printed["combined"]
    slack = _half_a_digit(middle)
    for name in PARTS:
        if name != missing:
            middle -= printed[name] * _WEIGHTS[name]
            slack += _half_a_digit(printed[name]) * _WEIGHTS[name]
    low = (middle - slack) / _WEIGHTS[missing]
    high = (middle + slack) / _WEIGHTS[missing]
    digit = Decimal(1).scaleb(-PrintedFigure(printed["combined"]).digits)
    return low.quantize(digit, ROUND_HALF_UP), high.quantize(digit, ROUND_HALF_DOWN)


def combined_holds(combined: Decimal, inform: Decimal, success: Decimal, bleu: Decimal) -> bool:
    """Return whether a printed combined score can be that of printed Inform, Success and BLEU."""
    low, high = combined_range(inform, success, bleu)
    half = _half_a_digit(combined)
    return low - half <= combined <= high + half
