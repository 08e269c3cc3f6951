"""What `mwz audit` shows: tables of reported figures, and what comes nearest to each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mwz.normalization import published_rule_sets, rule_set

from ...errors import counted
from ...glossary import glossary
from ...io import Table, figure, signed, text_table
from ..entries import Entry
from ..reported import OFFICIAL, PrintedFigure, ReportedFigures, ReportedTable, printed_figures
from ..verdicts import (
    RUNS,
    SIZES,
    misfits,
    possible_share,
    record,
    reported_figures,
)
from .setup_search import Point, SetupSearch, nearest, nearest_named, nearness

FORMAT = 2
"""Version of the layout of a system's audit as JSON."""

# Figures that are shown with a digit after the point even where they are printed without.
_PERCENT = ("BLEU", "Inform", "Success", "Combined")

_WORDS = {True: "yes", False: "no"}

_LISTED = 5
"""How many of the nearest combinations are shown, besides the stated ones."""

_NEAREST: Mapping[str, tuple[str, Mapping[str, str], Mapping[str, str], int]] = {
    "nearest_bleu": (
        "nearest in BLEU",
        {"references": "style", "tokenisation": "tokenization"},
        {"BLEU": "bleu"},
        2,
    ),
    "nearest_named": (
        "nearest of the set-ups of published scripts",
        {"set-up": "setup", "rules": "rules", "domains": "domains", "states": "states"},
        {"Inform": "inform", "Success": "success"},
        1,
    ),
    "nearest_rates": (
        "nearest in Inform and Success",
        {
            "rules": "rules",
            "venues": "comparison",
            "updates": "updates",
            "reduced": "reduced_search",
            "domains": "domains",
            "states": "states",
        },
        {"Inform": "inform", "Success": "success"},
        1,
    ),
}
"""Table of combinations -> its title, title -> way, title -> figure, and the digits shown."""


# ---------------------------------------------------------------------- a system by itself


def explanation_text(entry: Entry, search: SetupSearch) -> str:
    """Return what comes nearest to the figures of a system's authors, as a terminal shows it.

    Args:
        entry: The system.
        search: Its scores under every combination of set-ups.
    """
    paragraphs = []
    for claim in entry.system.reported:
        if claim.setup == "own":
            paragraphs.append(f"{entry.system.name} ({entry.key}): {claim.source}")
            paragraphs += _explanation(entry, claim, search)
    return "\n\n".join(paragraphs)


def _explanation(entry: Entry, claim: ReportedFigures, search: SetupSearch) -> Iterator[str]:
    for near in nearness(search, claim):
        yield (
            f"{near['tried']} combinations tried for {' and '.join(near['figures'])}: "
            f"{near['as_near']} ({figure(near['share'])} %) come as near as the nearest; "
            f"by chance, {figure(near['by_chance'])} % of all figures in their range would have "
            "one as near"
        )
    for name, points in _nearest(entry, claim, search).items():
        title, ways, figures, digits = _NEAREST[name]
        if not points:
            continue
        rows = []
        for point in points:
            by_way = (point.ways[way] for way in ways.values())
            cells = [
                "*" * point.stated(entry.system.setup),
                *(_WORDS.get(way, way) for way in by_way),
            ]
            cells += [_with_deviation(point, metric, digits) for metric in figures.values()]
            rows.append([*cells, figure(point.off_by(claim), digits)])
        table = text_table(["", *ways, *figures, "off by"], rows)
        yield f"{title} (* the authors' stated set-up)\n{table}"


def _with_deviation(point: Point, metric: str, digits: int) -> str:
    deviation = point.figures.get(f"{metric}_deviation")
    text = figure(point.figures[metric], digits)
    return f"{text} ± {figure(deviation, digits)}" if deviation else text


def _nearest(
    entry: Entry, claim: ReportedFigures, search: SetupSearch
) -> dict[str, Sequence[Point]]:
    """Return table of combinations -> those to show, the nearest first, with the stated ones."""

    def listed(points: Sequence[Point]) -> list[Point]:
        near = enumerate(nearest(points, claim))
        return [point for at, point in near if at < _LISTED or point.stated(entry.system.setup)]

    return {
        "nearest_bleu": listed(search.bleu),
        "nearest_named": nearest_named(search, claim)[:_LISTED],
        "nearest_rates": listed(search.rates),
    }


def audit_data(entry: Entry, search: SetupSearch | None = None) -> dict[str, Any]:
    """Return the audit of a system as JSON types.

    Args:
        entry: The system.
        search: Its scores under every combination of set-ups, if they are computed.
    """
    reported = []
    for claim in entry.system.reported:
        figures = reported_figures(entry, claim, search.alternatives if search else None)
        about = {"source": claim.source, "setup": claim.setup}
        more = {} if search is None else _search_data(entry, claim, search)
        reported.append({**about, "figures": list(map(_figure_data, figures)), **more})
    data = {"format": FORMAT, "submission": entry.key, "name": entry.system.name}
    grid = {
        kind: [{**point.ways, **point.figures} for point in points]
        for kind, points in (vars(search) if search else {}).items()
    }
    return {**data, "reported": reported, **({"grid": grid} if grid else {})}


def _figure_data(one: PrintedFigure) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "reported": float(one.printed),
        "scored": {
            rules: {setup: value for (of, setup), value in one.by_setup.items() if of == rules}
            for rules in published_rule_sets()
        },
        "difference": one.difference,
        "verdict": one.verdict,
    }


def _search_data(entry: Entry, claim: ReportedFigures, search: SetupSearch) -> dict[str, Any]:
    def data(point: Point) -> dict[str, Any]:
        stated = point.stated(entry.system.setup)
        return {**point.ways, **point.figures, "off_by": point.off_by(claim), "stated": stated}

    return {
        "nearness": nearness(search, claim),
        **{name: list(map(data, of)) for name, of in _nearest(entry, claim, search).items()},
    }


# --------------------------------------------------------------------------- all systems


def record_tables(
    entries: Sequence[Entry],
    tables: Sequence[ReportedTable],
    named: bool,
    searches: Mapping[str, SetupSearch],
) -> list[Table]:
    """Return the tables about all entries that are audited.

    Args:
        entries: The entries.
        tables: The public tables.
        named: Whether the entries were named: then other systems are none of the question.
        searches: Key -> set-up search, of the entries that are explained.
    """
    if named:
        keys = {entry.key for entry in entries}
        tables = [
            replace(table, rows=tuple(row for row in table.rows if row.entry in keys))
            for table in tables
        ]
    others = sum(row.entry is None for table in tables for row in table.rows)
    alternatives = {key: search.alternatives for key, search in searches.items()}
    return [
        _record_table(record(entries, tables, alternatives), others),
        *_search_tables(entries, searches),
        _rule_sets_table(rule_set_rows(entries, tables)),
        _misfits_table(misfits(entries, tables)),
    ]


def _legend(columns: Iterable[str], section: str = "audit") -> list[str]:
    """Return what columns mean, by the glossary, a note each."""
    return [f"{column}: {glossary()[section][column].meaning}" for column in columns]


def _record_table(figures: Sequence[PrintedFigure], others: int) -> Table:
    """Return the table of every reported figure, with its legend.

    Args:
        figures: The figures.
        others: How many rows of the public tables have no entry, and are not among them.
    """
    distinct = dict.fromkeys(one.source for one in figures)
    sources = {source: f"[{number}]" for number, source in enumerate(distinct, 1)}
    rows, data = [], []
    for one in figures:
        texts = one.texts(1 if one.title in _PERCENT else 0)
        place = {"setup": one.setup, "figure": one.title}
        rows.append([one.system, sources[one.source], *place.values(), *texts, one.verdict])
        about = {"system": one.system, "entry": one.entry, "source": one.source, **place}
        harness = {"harness": one.scored, "difference": one.difference}
        data.append({**about, "reported": f"{one.printed:f}", **harness, "verdict": one.verdict})
    notes = _legend(("source", "set-up", "reported", "harness", "difference"))
    notes += _legend(glossary()["verdicts"], "verdicts")
    notes += [f"{number} {source}" for source, number in sources.items()]
    if others:
        notes.append(
            f"{others} rows of the public tables are of systems that are not entered; what can be "
            "said of their figures is below"
        )
    headers = ("system", "source", "set-up", "figure", "reported", "harness", "difference")
    return Table("figures", "Reported figures", [*headers, "verdict"], rows, data, notes)


def rule_set_rows(
    entries: Sequence[Entry], tables: Sequence[ReportedTable]
) -> list[dict[str, Any]]:
    """Return the rows of the official tables that have an entry, beside every rule set.

    Returns:
        `system` and `entry`; `printed`, Inform and Success; `differences`, rule set -> metric ->
        harness minus reported, in points, of the rule sets that there were when the table was
        printed; `under`, those under which both come out to the digits printed.
    """
    by_key = {one.key: one for one in entries}
    return [
        _rule_set_row(by_key[row.entry or ""], claim, table.date)
        for table in tables
        if table.kind == OFFICIAL
        for row in table.rows
        if row.entry in by_key
        for claim in printed_figures(table, row)
    ]


def _rule_set_row(entry: Entry, claim: ReportedFigures, date: str | None) -> dict[str, Any]:
    rates = ("inform", "success")
    figures = [one for one in reported_figures(entry, claim) if one.metric in rates]
    differences: dict[str, dict[str, float | None]] = {}
    under = []
    for rules in published_rule_sets():
        if rules in entry.scores.reports and (date is None or rule_set(rules).date <= date):
            scored = [replace(one, scored=one.by_setup[rules, "strict"]) for one in figures]
            differences[rules] = {one.metric: one.difference for one in scored}
            under += [rules] if all(one.equal for one in scored) else []
    return {
        "system": entry.system.name,
        "entry": entry.key,
        "printed": {one.metric: f"{one.printed:f}" for one in figures},
        "differences": differences,
        "under": under,
    }


def _rule_sets_table(official: list[dict[str, Any]]) -> Table:
    """Return the table of which rule set each official row comes out under."""
    scored = {rules for row in official for rules in row["differences"]}
    rule_sets = [name for name in published_rule_sets() if name in scored]
    rows = []
    for row in official:
        gaps, printed = row["differences"], row["printed"]
        texts = [
            " / ".join(map(signed, gaps[rules].values())) if rules in gaps else figure(None)
            for rules in rule_sets
        ]
        off_by = {rules: sum(map(abs, one.values())) for rules, one in gaps.items()}
        nearest_rules = min(off_by, key=lambda rules: off_by[rules], default=figure(None))
        under = " or ".join(row["under"]) or f"none (nearest: {nearest_rules})"
        rows.append([row["system"], printed["inform"], printed["success"], *texts, under])
    headers = ["system", "Inform", "Success", *rule_sets, "comes out under"]
    title = "The rule set of each row of the public board"
    notes = _legend(("under a rule set", "comes out under"))
    return Table("rule_sets", title, headers, rows, official, notes)


def _misfits_table(figures: Sequence[PrintedFigure]) -> Table:
    """Return the table of figures that do not fit."""
    notes = []
    for unit, sizes in SIZES.items():
        tried = ", ".join(f"{size} ({why})" for size, why in sizes.items())
        notes.append(
            f"A rate is tried over {tried} {unit}: as that of one run, and where that cannot be as "
            f"the mean of up to {max(RUNS)}."
        )
    for digits in (2, 1):
        shares = [
            f"{figure(100 * share)} % over {size} {unit}"
            for unit, sizes in SIZES.items()
            for size in sizes
            if (share := possible_share(digits, size)) < 1
        ]
        notes.append(
            f"Of all values with {counted(digits, 'decimal')} one run can have "
            f"{', '.join(shares)}: what is attainable there may be so by chance."
        )
    data = [
        {
            "kind": one.verdict,
            "system": one.system,
            "source": one.source,
            "figure": one.title,
            "printed": f"{one.printed:f}",
            "finding": one.reason,
        }
        for one in figures
    ]
    headers = ["system", "source", "figure", "printed", "finding"]
    rows = [[one[name] for name in headers] for one in data]
    return Table("findings", "Figures that do not fit", headers, rows, data, notes)


# ------------------------------------------------- how near all systems' combinations come


def _search_tables(
    entries: Sequence[Entry], searches: Mapping[str, SetupSearch]
) -> Iterator[Table]:
    """Yield the tables of how near the combinations come to what systems' authors report."""
    rows: list[list[str]] = []
    data: list[dict[str, Any]] = []
    named_rows: list[list[str]] = []
    named_data: list[dict[str, Any]] = []
    for name, claim, search in (
        (entry.system.name, claim, searches[entry.key])
        for entry in entries
        for claim in entry.system.reported
        if entry.key in searches and claim.setup == "own"
    ):
        about = {"system": name, "source": claim.source}
        for near in nearness(search, claim):
            counts = (str(near["tried"]), figure(near["off_by"], 2), str(near["as_near"]))
            shares = (f"{figure(near[share])} %" for share in ("share", "by_chance"))
            rows.append([name, " and ".join(near["figures"]), *counts, *shares])
            data.append({**about, **near})
        for point in nearest_named(search, claim)[:1]:
            metrics, off_by = point.reported(claim), point.off_by(claim)
            printed = {f"reported_{metric}": f"{claim.figures[metric]:f}" for metric in metrics}
            scored = {metric: point.figures[metric] for metric in metrics}
            setup = {way: point.ways[way] for way in ("setup", "rules")}
            texts = (" / ".join(printed.values()), *setup.values())
            harness = " / ".join(map(figure, scored.values()))
            named_rows.append([*about.values(), *texts, harness, figure(off_by)])
            named_data.append({**about, **printed, **setup, **scored, "off_by": off_by})
    if rows:
        headers = ["system", "figures", "tried", "off by", "as near", "share", "by chance"]
        title = "How near the combinations of --explain come"
        notes = _legend(("tried", "off by", "as near, share", "by chance"))
        yield Table("explained", title, headers, rows, data, notes)
    if named_rows:
        headers = ["system", "source", "reported", "set-up", "rules", "harness", "off by"]
        title = "The named set-up nearest to each reported Inform and Success"
        notes = _legend(["off by"])
        yield Table("named", title, headers, named_rows, named_data, notes)
