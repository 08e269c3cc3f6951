"""The public record: every figure that entries and public tables report, and what is true of it.

Figures of systems with an entry stand beside the harness's, one by one (`record`), joint accuracy
beside that with the gold states of the version that it is of; the rows of the official tables
beside every rule set (`rule_set_rows`); and all figures, with outputs or without, are checked
against what a figure can be (`findings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets, rule_set
from mwz.normalization.rules.registry import read_toml

from ...io.rendering import figure, signed
from ...io.tables import Table
from ..entries import Entry
from ..scores import plain
from ..tracked import DROP, KEEP, TrackedScores, entered_scores, tracked
from . import (
    OPTIMISTIC,
    RUNS,
    SIZES,
    Audited,
    Comparison,
    audited,
    combined_range,
    compared_figures,
    contradicts_parts,
    domains_verdict,
    figure_title,
    is_optimistic_combined,
    is_possible_rate,
    is_rounding,
    possible_counts,
    possible_runs,
    possible_share,
    runs_text,
)
from .reported import (
    DIVERSITY,
    OFFICIAL,
    ReportedFigures,
    ReportedRow,
    ReportedTable,
    number,
    printed_figures,
    version_and_measure,
)

if TYPE_CHECKING:
    from .setup_search import SetupSearch

_T = TypeVar("_T")

# What public tables call joint goal accuracy.
_JOINT_ACCURACY = ("joint accuracy", "JGA")

# What public tables and entries call a rate -> what it is a rate over. Rates per domain are over
# turns of which papers do not say how many there are.
_RATES: Mapping[str, str] = {
    "Inform": "dialogues",
    "Success": "dialogues",
    **dict.fromkeys(_JOINT_ACCURACY, "turns"),
}

# Figures that are shown with a digit after the point even where they are printed without.
_PERCENT = ("BLEU", "Inform", "Success", "Combined")


def declared_table(
    name: str, headers: Sequence[str], rows: list[list[str]], data: list[dict[str, Any]]
) -> Table:
    """Return a table whose title and notes are declared in `tables.toml`."""
    about = read_toml("tables.toml", __package__)[name]
    return Table(name, about["title"], headers, rows, data, about["notes"])


def cells(found: Sequence[_T], columns: Mapping[str, Callable[[_T], str]]) -> list[list[str]]:
    """Return the rows of a table: of each thing found what every column shows."""
    return [[text(one) for text in columns.values()] for one in found]


# ------------------------------------------------------------------------ every reported figure


def record(
    entries: Sequence[Entry],
    tables: Sequence[ReportedTable],
    searches: Mapping[str, SetupSearch] | None = None,
) -> list[Audited]:
    """Return every figure reported of the entries, beside the harness's.

    A figure that a table repeats from an entry's own, under the same set-up, is there once.

    Args:
        entries: The entries.
        tables: The public tables.
        searches: Key -> its scores under every combination of set-ups, of entries that have them.
    """
    of = searches or {}
    return [one for each in entries for one in _entry_figures(each, tables, of.get(each.key))]


def _entry_figures(
    entry: Entry, tables: Sequence[ReportedTable], search: SetupSearch | None
) -> Iterator[Audited]:
    rows = [(table, row) for table in tables for row in table.rows if row.entry == entry.key]
    claims: list[ReportedFigures] = [*entry.system.reported]
    claims += [claim for table, row in rows for claim in printed_figures(table, row)]
    seen: set[tuple[str, str, Decimal]] = set()
    for claim in claims:
        for one in audited(entry, claim, search):
            key = (one.setup, one.metric, one.compared.printed)
            if key not in seen:
                seen.add(key)
                yield one
    for table, row in rows:
        yield from _joint_accuracies(entry, table, row)


def _joint_accuracies(entry: Entry, table: ReportedTable, row: ReportedRow) -> Iterator[Audited]:
    """Yield the joint accuracies of a row that are of a version of the annotation."""
    for column in table.columns:
        version, measure = version_and_measure(column)
        printed = number(row.figures.get(column, ""))
        if version is None or measure not in _JOINT_ACCURACY or printed is None:
            continue
        known = _joint_accuracy(entry, version)
        compared = {choice: Comparison(printed, value) for choice, value in known.items()}
        equal = [choice for choice, one in compared.items() if one.equal]
        verdict = "does not match" if KEEP in compared else "not scored"
        if equal:
            under = "" if equal[0] == KEEP else f" under --dontcare {equal[0]}"
            verdict = f"matches the paper{under}"
        own = compared.get(KEEP, Comparison(printed, None))
        yield Audited(entry, table.title, f"gold states {version}", "JGA", own, verdict)


def _joint_accuracy(entry: Entry, version: str) -> dict[str, float]:
    """Return choice of `--dontcare` -> JGA with a version's gold states, as far as it is known."""
    scores = entry.scores
    entered = entered_scores(scores.main) if scores.reports else scores.result
    if not isinstance(entered, TrackedScores):
        return {}
    for one in tracked(entered, scores.further_gold):
        if one.version == version:
            dropped = one.without_dontcare
            return {KEEP: one.figures.jga, **({} if dropped is None else {DROP: dropped.jga})}
    return {}


def record_table(found: Sequence[Audited], others: int) -> Table:
    """Return the table of every reported figure, with its legend.

    Args:
        found: The figures.
        others: How many rows of the public tables have no entry, and are not among them.
    """
    distinct = dict.fromkeys(one.source for one in found)
    sources = {source: f"[{number}]" for number, source in enumerate(distinct, 1)}
    rows, data = [], []
    for one in found:
        system, printed = one.entry.system.name, f"{one.compared.printed:f}"
        texts = one.compared.texts(1 if one.figure in _PERCENT else 0)
        what = {"setup": one.setup, "figure": one.figure}
        rows.append([system, sources[one.source], *what.values(), *texts, one.verdict])
        about = {"system": system, "entry": one.entry.key, "source": one.source, **what}
        harness = {"harness": one.compared.scored, "difference": one.compared.difference}
        data.append({**about, "reported": printed, **harness, "verdict": one.verdict})
    legend = {**read_toml("legend.toml", __package__), **_verdicts()["figures"]}
    notes = [f"{name}: {text.format(rules=DEFAULT_RULES)}" for name, text in legend.items()]
    notes += [f"{number} {source}" for source, number in sources.items()]
    if others:
        notes.append(
            f"{others} rows of the public tables are of systems that are not entered; what can be "
            "said of their figures is below"
        )
    headers = ("system", "source", "set-up", "figure", "reported", "harness", "difference")
    return Table("figures", "Reported figures", [*headers, "verdict"], rows, data, notes)


# ------------------------------------------------------------------- the rows of official tables


@dataclass(frozen=True)
class RuleSetRow:
    """A row of an official table, beside the harness's Inform and Success by rule set.

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


def rule_set_rows(entries: Sequence[Entry], tables: Sequence[ReportedTable]) -> list[RuleSetRow]:
    """Return the rows of the official tables that have an entry, beside every rule set."""
    by_key, names, found = {one.key: one for one in entries}, published_rule_sets(), []
    for table in (one for one in tables if one.kind == OFFICIAL):
        there = [n for n in names if table.date is None or rule_set(n).date <= table.date]
        for row in (one for one in table.rows if one.entry in by_key):
            own = by_key[row.entry or ""]
            found += [_rule_set_row(own, claim, there) for claim in printed_figures(table, row)]
    return found


def _rule_set_row(entry: Entry, claim: ReportedFigures, rule_sets: Sequence[str]) -> RuleSetRow:
    printed = {name: claim.figures[name] for name in ("inform", "success") if name in claim.figures}
    by_rules, differences = _by_rules(entry, printed, rule_sets), {}
    for rules, compared in by_rules.items():
        gaps = {metric: one.difference for metric, one in compared.items()}
        differences[rules] = {metric: gap for metric, gap in gaps.items() if gap is not None}
    under = [rules for rules, compared in by_rules.items() if _all_equal(compared)]
    return RuleSetRow(entry.system.name, entry.key, printed, differences, tuple(under))


def _by_rules(
    entry: Entry, figures: Mapping[str, Decimal], rule_sets: Sequence[str]
) -> dict[str, dict[str, Comparison]]:
    """Return rule set -> metric -> a printed figure beside the strict one."""
    return {
        rules: compared_figures(report, "strict", figures)
        for rules in rule_sets
        if (report := entry.scores.under(rules)) is not None
    }


def _all_equal(compared: Mapping[str, Comparison]) -> bool:
    return all(one.equal for one in compared.values())


def _verdicts() -> Mapping[str, Mapping[str, str]]:
    """Return what is judged -> the beginning of each verdict on it -> its meaning, in words."""
    return read_toml("verdicts.toml", __package__)


def verdict_meanings() -> Mapping[str, str]:
    """Return the beginning of each official verdict -> its meaning, in words."""
    return _verdicts()["rows"]


def official_verdict(entry: Entry, claim: ReportedFigures, rules: str) -> str:
    """Say whether an official row's figures are the harness's.

    Args:
        entry: The row's entry.
        claim: What the row reports.
        rules: The rule set to compare under; if all figures come out under another one, that is
            said.

    Returns:
        One of `verdicts.toml`, [rows]; behind it harness less printed, of each figure that differs.
        Where the reason for a difference says nothing against the printed figure it stands in place
        of "differs by": "domains from …: …".
    """
    by_rules = _by_rules(entry, claim.figures, list(dict.fromkeys([rules, *published_rule_sets()])))
    for name, compared in by_rules.items():
        off = {metric: one for metric, one in compared.items() if not one.equal}
        if all(is_rounding(metric, compared) for metric in off):
            matches = "matches the public board" + ("" if name == rules else f" under rules {name}")
            return f"{matches} to rounding: {_differing(off)}" if off else matches
    own = {metric: one for metric, one in by_rules.get(rules, {}).items() if not one.equal}
    if len(own) > 1 and not contradicts_parts(claim.figures):
        # It differs as its parts do.
        own.pop("combined", None)
    differing = _differing(own)
    if entry.system.predictions.by_harness:
        return f"made by the harness: {differing}"
    if own and own.keys() <= DIVERSITY.keys():
        return f"only diversity differs: {differing}"
    if own.keys() == {"combined"} and is_optimistic_combined(entry, claim.figures):
        return f"{OPTIMISTIC}: {differing}"
    domains = domains_verdict(claim, own)
    return f"{domains}: {differing}" if own and domains else f"differs by {differing}"


def _differing(off: Mapping[str, Comparison]) -> str:
    """Return what figures differ by, harness less printed."""
    return ", ".join(
        f"{figure_title(metric)} {'not scored' if one.scored is None else one.texts()[2]}"
        for metric, one in off.items()
    )


def rule_sets_table(found: Sequence[RuleSetRow]) -> Table:
    """Return the table of which rule set each official row comes out under."""
    there = {rules for row in found for rules in row.differences}
    rules = [name for name in published_rule_sets() if name in there]
    rows = []
    for row in found:
        printed = (f"{row.printed[name]:f}" for name in ("inform", "success"))
        under = " or ".join(row.under) or f"none (nearest: {_nearest(row)})"
        rows.append([row.system, *printed, *(_differences(row, name) for name in rules), under])
    headers = ["system", "Inform", "Success", *rules, "comes out under"]
    return declared_table("rule_sets", headers, rows, list(map(plain, found)))


def _differences(row: RuleSetRow, rules: str) -> str:
    gaps = row.differences.get(rules)
    if gaps is None or set(gaps) != set(row.printed):
        return figure(None)
    return " / ".join(signed(gap) for gap in gaps.values())


def _nearest(row: RuleSetRow) -> str:
    off_by = {rules: sum(map(abs, gaps.values())) for rules, gaps in row.differences.items()}
    return min(off_by, key=lambda rules: off_by[rules], default=figure(None))


# --------------------------------------- figures that do not fit their parts or the whole test set


@dataclass(frozen=True)
class Finding:
    """A printed figure that does not fit the others, or the whole test set.

    Attributes:
        kind: "combined", a combined score that its parts do not give; or "attainable", a rate that
            one run over the whole test set cannot have.
        system: The system as the source names it.
        source: Where it is printed.
        figure: What it is called.
        printed: The figure.
        finding: What does not fit, and what it can be.
    """

    kind: str
    system: str
    source: str
    figure: str
    printed: Decimal
    finding: str


def findings(entries: Sequence[Entry], tables: Sequence[ReportedTable]) -> list[Finding]:
    """Return every printed figure of entries and public tables that does not fit.

    Contradictory combined scores come first. What a table repeats of an entry's own figures is told
    once.
    """
    own = [(entry, claim) for entry in entries for claim in entry.system.reported]
    rows = [(table, row) for table in tables for row in table.rows]
    claims: list[tuple[str, ReportedFigures]] = [(e.system.name, claim) for e, claim in own]
    claims += [(row.system, one) for table, row in rows for one in printed_figures(table, row)]
    found = [finding for system, claim in claims for finding in _combined(system, claim)]
    told = set()
    for entry, claim in own:
        for metric, printed in claim.figures.items():
            title = figure_title(metric)
            told.add((entry.key, title, printed))
            found += _rate(entry.system.name, claim.source, title, title, printed)
    for table, row in rows:
        for column in table.columns:
            measure, value = version_and_measure(column)[1], number(row.figures.get(column, ""))
            if value is not None and (row.entry, measure, value) not in told:
                found += _rate(row.system, table.title, column, measure, value)
    return found


def _combined(system: str, claim: ReportedFigures) -> Iterator[Finding]:
    """Yield what is wrong with a combined score, if its printed parts do not give it."""
    figures = claim.figures
    if contradicts_parts(figures):
        low, high = combined_range(figures["inform"], figures["success"], figures["bleu"])
        finding = (
            f"its printed parts give {low.normalize():f} to {high.normalize():f}: "
            f"({figures['inform']} + {figures['success']}) / 2 + {figures['bleu']}"
        )
        title = figure_title("combined")
        yield Finding("combined", system, claim.source, title, figures["combined"], finding)


def _rate(
    system: str, source: str, title: str, measure: str, printed: Decimal
) -> Iterator[Finding]:
    """Yield what a figure can be if it is no rate of one run over the whole test set."""
    unit = _RATES.get(measure)
    if unit is None:
        return
    whole, *others = sizes = list(SIZES[unit])
    if is_possible_rate(printed, whole):
        return
    counts = {size: possible_counts(printed, size) for size in others}
    told = [f"not from {whole} {unit} in one run"]
    told += [f"from {size}: {' or '.join(map(str, of))}" for size, of in counts.items() if of]
    if not any(counts.values()):
        told = [f"cannot be from {' or '.join(map(str, sizes))} {unit} in one run"]
        told += [f"of {size}: {runs_text(possible_runs(printed, size))}" for size in sizes]
    yield Finding("attainable", system, source, title, printed, "; ".join(told))


def findings_table(found: Sequence[Finding]) -> Table:
    """Return the table of figures that do not fit."""
    notes = []
    for unit, sizes in SIZES.items():
        shown = ", ".join(f"{size} ({why})" for size, why in sizes.items())
        notes.append(
            f"A rate is tried over {shown} {unit}: as that of one run, and where that cannot be as "
            f"the mean of up to {max(RUNS)}."
        )
    for digits in (2, 1):
        shares = [
            f"{figure(100 * share)} % over {size} {unit}"
            for unit, sizes in SIZES.items()
            for size in sizes
            if (share := possible_share(digits, size)) < 1
        ]
        if shares:
            notes.append(
                f"Of all values with {digits} decimals one run can have {', '.join(shares)}: what "
                "is attainable there may be so by chance."
            )
    title, data = "Figures that do not fit", list(map(plain, found))
    headers = ["system", "source", "figure", "printed", "finding"]
    rows = [[one[name] for name in headers] for one in data]
    return Table("findings", title, headers, rows, data, notes)
