"""The public record: every figure that entries and public tables report, and what is true of it.

Figures of systems with an entry are held against the harness's, one by one (`lines`), joint
accuracy against that with the gold states of the version that it is of; the rows of the official
tables against every rule set (`rule_set_rows`); and all figures, with outputs or without, against
what a figure can be (`findings`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets, rule_set

from ...io.rendering import signed
from ...metrics import headlines
from ..entries import Entry
from ..scores import DROP, KEEP, tracked
from . import DIVERSITY, Audited, audited_claim, contradicts_parts, is_reproduced, scored_figure
from .attainable import (
    SIZES,
    attainable_runs,
    attainable_share,
    combined_range,
    digits_of,
    is_attainable,
    runs_text,
)
from .reported import ReportedFigures, ReportedRow, ReportedTable, number, version_and_measure

if TYPE_CHECKING:
    from .setup_search import Grid

OFFICIAL = "official"

# What public tables call the figures that the harness has -> the metric.
_METRICS: Mapping[str, str] = {
    "BLEU": "bleu",
    "Inform": "inform",
    "Success": "success",
    "Combined": "combined",
    **{title: metric for metric, title in DIVERSITY.items()},
}

# What public tables call joint goal accuracy.
_JOINT_ACCURACY = ("joint accuracy", "JGA")

# What public tables and entries call a rate -> what it is a rate over. Rates per domain are over
# turns of which papers do not say how many there are.
_RATES: Mapping[str, str] = {
    "Inform": "dialogues",
    "Success": "dialogues",
    **dict.fromkeys(_JOINT_ACCURACY, "turns"),
}


@dataclass(frozen=True)
class PrintedFigures:
    """What a row of a public table reports under one version of MultiWOZ.

    Attributes:
        source: The table, and the version.
        setup: "strict" for tables made with the public evaluator, else the authors' "own".
        figures: Metric -> the figure, of those that the harness has.
        style: None: the canonical references.
    """

    source: str
    setup: str
    figures: Mapping[str, Decimal]
    style: str | None = None


@dataclass(frozen=True)
class Line:
    """A reported figure of a system with an entry, beside the harness's.

    Attributes:
        system: The system's name.
        entry: Its key.
        source: Where the figure is reported.
        setup: The set-up that it is of: "strict", "optimistic", or the authors' "own"; of joint
            accuracy the gold states.
        figure: What it is called.
        reported: The figure, with its digits.
        harness: The harness's in the set-up that should give it; None if it has none.
        difference: Harness less reported, in the figure's unit.
        verdict: As of `Audited`.
    """

    system: str
    entry: str
    source: str
    setup: str
    figure: str
    reported: Decimal
    harness: float | None
    difference: float | None
    verdict: str


@dataclass(frozen=True)
class RuleSetRow:
    """A row of an official table, held against the harness's Inform and Success by rule set.

    The rule sets are those that there were when the table was printed.

    Attributes:
        system: The entry's name.
        entry: Its key.
        printed: "inform" and "success" -> the figure.
        differences: Rule set -> metric -> harness less printed, in points.
        under: The rule sets under which both come out to the digits printed.
    """

    system: str
    entry: str
    printed: Mapping[str, Decimal]
    differences: Mapping[str, Mapping[str, float]]
    under: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """A printed figure that contradicts others or what it says it is.

    Attributes:
        kind: "combined", a combined score that its parts do not give; or "attainable", a rate that
            one run over the whole test set cannot have.
        system: The system as the source names it.
        source: Where it is printed.
        figure: What it is called.
        printed: The figure.
        finding: What is wrong, and what it can be.
    """

    kind: str
    system: str
    source: str
    figure: str
    printed: Decimal
    finding: str


def lines(
    entries: Sequence[Entry],
    tables: Sequence[ReportedTable],
    grids: Mapping[str, Grid] | None = None,
) -> list[Line]:
    """Return every figure reported of the entries, beside the harness's.

    A figure that a table repeats from an entry's own, under the same set-up, is there once.

    Args:
        entries: The entries.
        tables: The public tables.
        grids: Key -> its scores under every combination of set-ups, of entries that have them.
    """
    return [
        line
        for entry in entries
        for line in _entry_lines(entry, tables, (grids or {}).get(entry.key))
    ]


def _entry_lines(
    entry: Entry, tables: Sequence[ReportedTable], grid: Grid | None
) -> Iterator[Line]:
    seen: set[tuple[str, str, Decimal]] = set()
    for claim in claims(entry, tables):
        for audited in audited_claim(entry, claim, grid).figures:
            key = (claim.setup, audited.metric, audited.reported)
            if key not in seen:
                seen.add(key)
                yield _line(entry, claim, audited)
    for table in tables:
        for row in table.rows:
            if row.entry == entry.key:
                yield from _tracking_lines(entry, table, row)


def _tracking_lines(entry: Entry, table: ReportedTable, row: ReportedRow) -> Iterator[Line]:
    """Yield the joint accuracies of a row that are of a version of the annotation."""
    for column in table.columns:
        version, measure = version_and_measure(column)
        printed = number(row.figures.get(column, ""))
        if version is None or measure not in _JOINT_ACCURACY or printed is None:
            continue
        scored = _joint_accuracies(entry, version)
        harness = scored.get(KEEP)
        verdict = "not scored" if harness is None else "not reproduced"
        for choice, value in scored.items():
            if is_reproduced(value, printed):
                under = "" if choice == KEEP else f" under --dontcare {choice}"
                verdict = f"reproduced{under}"
                break
        yield Line(
            system=entry.system.name,
            entry=entry.key,
            source=table.title,
            setup=f"gold states {version}",
            figure="JGA",
            reported=printed,
            harness=harness,
            difference=None if harness is None else harness - float(printed),
            verdict=verdict,
        )


def _joint_accuracies(entry: Entry, version: str) -> dict[str, float]:
    """Return choice of `--dontcare` -> JGA with a version's gold states, as far as it is known."""
    for one in tracked(entry.scores, entry.scores.main if entry.scores.reports else None):
        if one.version == version:
            dropped = one.without_dontcare
            return {KEEP: one.figures.jga, **({} if dropped is None else {DROP: dropped.jga})}
    return {}


def _line(entry: Entry, claim: ReportedFigures, audited: Audited) -> Line:
    home = (DEFAULT_RULES, "optimistic" if claim.setup == "optimistic" else "strict")
    return Line(
        system=entry.system.name,
        entry=entry.key,
        source=claim.source,
        setup=claim.setup,
        figure=figure_title(audited.metric),
        reported=audited.reported,
        harness=audited.scored.get(home),
        difference=audited.difference,
        verdict=audited.verdict,
    )


def figure_title(metric: str) -> str:
    """Return what tables call a figure."""
    return DIVERSITY[metric] if metric in DIVERSITY else headlines()[metric].title


def claims(entry: Entry, tables: Sequence[ReportedTable]) -> list[ReportedFigures]:
    """Return what is reported of an entry: by its own sources, then by the public tables."""
    rows = [(table, row) for table in tables for row in table.rows if row.entry == entry.key]
    return [
        *entry.system.reported,
        *(claim for table, row in rows for claim in table_claims(table, row)),
    ]


def table_claims(table: ReportedTable, row: ReportedRow) -> list[PrintedFigures]:
    """Return what a row reports of figures that the harness has, by version of MultiWOZ."""
    by_version: dict[str | None, dict[str, Decimal]] = {}
    for column in table.columns:
        version, measure = version_and_measure(column)
        value = number(row.figures.get(column, ""))
        if measure in _METRICS and value is not None:
            by_version.setdefault(version, {})[_METRICS[measure]] = value
    return [
        PrintedFigures(
            source=table.title if version is None else f"{table.title}, MultiWOZ {version}",
            setup="strict" if table.kind == OFFICIAL else "own",
            figures=figures,
        )
        for version, figures in by_version.items()
    ]


def rule_set_rows(entries: Sequence[Entry], tables: Sequence[ReportedTable]) -> list[RuleSetRow]:
    """Hold the rows of the official tables that have an entry against every rule set."""
    return [
        _rule_set_row(entry, claim, _rule_sets_by(table))
        for table in tables
        if table.kind == OFFICIAL
        for row in table.rows
        for entry in entries
        if row.entry == entry.key
        for claim in table_claims(table, row)
    ]


def _rule_sets_by(table: ReportedTable) -> list[str]:
    """Return the published rule sets that there were when a table was printed."""
    names = published_rule_sets()
    return [name for name in names if table.date is None or rule_set(name).date <= table.date]


def _rule_set_row(entry: Entry, claim: PrintedFigures, rule_sets: Sequence[str]) -> RuleSetRow:
    printed = {name: claim.figures[name] for name in ("inform", "success") if name in claim.figures}
    scored = {
        rules: {
            name: value
            for name in printed
            if (value := scored_figure(report, "strict", name)) is not None
        }
        for rules in rule_sets
        if (report := entry.scores.under(rules)) is not None
    }
    return RuleSetRow(
        system=entry.system.name,
        entry=entry.key,
        printed=printed,
        differences={
            rules: {name: value - float(printed[name]) for name, value in values.items()}
            for rules, values in scored.items()
        },
        under=tuple(
            rules
            for rules, values in scored.items()
            if all(
                name in values and is_reproduced(values[name], printed[name]) for name in printed
            )
        ),
    )


def official_verdict(entry: Entry, claim: PrintedFigures, rules: str) -> str:
    """Say whether an official row's figures are the harness's.

    A combined score that its printed parts give says no more than they do; one that they do not
    give is compared.

    Args:
        entry: The row's entry.
        claim: What the row reports.
        rules: The rule set to compare under; if all figures come out under another one, that is
            said.

    Returns:
        "verified", "verified under rules …", or "differs by …" with harness less printed, of each
        figure that differs.
    """
    figures = {
        metric: figure
        for metric, figure in claim.figures.items()
        if metric != "combined" or contradicts_parts(claim.figures)
    }
    others = [name for name in published_rule_sets() if name != rules]
    differences: list[str] = []
    for name in (rules, *others):
        report = entry.scores.under(name)
        if report is None:
            continue
        differing = []
        for metric, figure in figures.items():
            value = scored_figure(report, "strict", metric)
            if value is None or not is_reproduced(value, figure):
                gap = None if value is None else signed(value - float(figure), digits_of(figure))
                differing.append(f"{figure_title(metric)} {gap or 'not scored'}")
        if not differing:
            return "verified" if name == rules else f"verified under rules {name}"
        if name == rules:
            differences = differing
    return f"differs by {', '.join(differences)}"


def findings(entries: Sequence[Entry], tables: Sequence[ReportedTable]) -> list[Finding]:
    """Return every printed figure that cannot be what it says, of entries and public tables.

    Contradictory combined scores come first. What a table repeats of an entry's own figures is told
    once.
    """
    own = [(e, claim) for e in entries for claim in e.system.reported]
    found = [f for entry, claim in own for f in _claim_findings(entry.system.name, claim)]
    told = {
        (entry.key, figure_title(metric), figure)
        for entry, claim in own
        for metric, figure in claim.figures.items()
    }
    for table in tables:
        for row in table.rows:
            for claim in table_claims(table, row):
                found += _combined_findings(row.system, claim)
            found += [
                finding
                for finding in _rate_findings(table, row)
                if (row.entry, version_and_measure(finding.figure)[1], finding.printed) not in told
            ]
    return sorted(found, key=lambda finding: finding.kind != "combined")


def _claim_findings(system: str, claim: ReportedFigures) -> Iterator[Finding]:
    yield from _combined_findings(system, claim)
    for metric, figure in claim.figures.items():
        title = figure_title(metric)
        if title in _RATES:
            yield from _attainability(system, claim.source, title, title, figure)


def _combined_findings(system: str, claim: ReportedFigures) -> Iterator[Finding]:
    figures = claim.figures
    if contradicts_parts(figures):
        low, high = combined_range(figures["inform"], figures["success"], figures["bleu"])
        yield Finding(
            kind="combined",
            system=system,
            source=claim.source,
            figure=figure_title("combined"),
            printed=figures["combined"],
            finding=(
                f"its printed parts give {low.normalize():f} to {high.normalize():f}: "
                f"({figures['inform']} + {figures['success']}) / 2 + {figures['bleu']}"
            ),
        )


def _rate_findings(table: ReportedTable, row: ReportedRow) -> Iterator[Finding]:
    for column in table.columns:
        _, measure = version_and_measure(column)
        figure = number(row.figures.get(column, ""))
        if measure in _RATES and figure is not None:
            yield from _attainability(row.system, table.title, column, measure, figure)


def _attainability(
    system: str, source: str, title: str, measure: str, figure: Decimal
) -> Iterator[Finding]:
    unit = _RATES[measure]
    whole, *parts = SIZES[unit]
    if is_attainable(figure, whole):
        return
    told = [f"no rate of {whole} {unit} in one run"]
    for size in (whole, *parts):
        told.append(f"of {size}: {runs_text(attainable_runs(figure, size))}")
    yield Finding("attainable", system, source, title, figure, "; ".join(told))


def chance_table() -> list[tuple[str, int, int, float]]:
    """Return what a finding of attainability is worth.

    Returns:
        Unit, number of units, decimals, and the share (0 to 1) of all values with so many decimals
        that one run can have.
    """
    return [
        (unit, size, digits, attainable_share(digits, size))
        for unit, sizes in SIZES.items()
        for size in sizes
        for digits in (1, 2)
    ]
