"""What `mwz audit` shows: tables of reported figures, and what comes nearest to each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mwz.normalization import published_rule_sets, rule_set

from ...errors import counted
from ...glossary import glossary
from ...io import Table, figure, signed, text_table
from ..entries import Entry
from ..reported import PrintedFigure, ReportedFigures, ReportedTable, figure_title, official_claims
from ..verdicts import NOT_SCORED, RUNS, SIZES, judged_figures, misfits, possible_share, record
from .setup_search import Data, Point, SetupSearch, nearest, nearest_named, nearness

FORMAT = 2
"""Version of the layout of a system's audit as JSON."""

# Figures that are shown with a digit after the point even where they are printed without.
_PERCENT = ("BLEU", "Inform", "Success", "Combined")

_WORDS = {True: "yes", False: "no"}

_LISTED = 5
"""How many of the nearest combinations are shown, besides the stated ones."""


_TITLES: Mapping[str, str] = {
    "nearest_bleu": "nearest in BLEU",
    "nearest_named": "nearest of the set-ups of published scripts",
    "nearest_rates": "nearest in Inform and Success",
}
"""Table of combinations -> its title."""

_WAYS: Mapping[str, Mapping[str, str]] = {
    "nearest_bleu": {"references": "style", "tokenisation": "tokenization"},
    "nearest_named": {
        "set-up": "setup",
        "rules": "rules",
        "domains": "domains",
        "states": "states",
    },
    "nearest_rates": {
        "rules": "rules",
        "venues": "comparison",
        "updates": "updates",
        "reduced": "reduced_search",
        "domains": "domains",
        "states": "states",
    },
}
"""Table of combinations -> title of a column -> the way that it shows."""


# ---------------------------------------------------------------------- a system by itself


def explanation_text(entry: Entry, search: SetupSearch) -> str:
    """Return what comes nearest to the figures of a system's authors, as a terminal shows it.

    Args:
        entry: The system.
        search: Its scores under every combination of set-ups.
    """
    paragraphs = []
    for claim in entry.system.reported:
        if claim.setup != "own":
            continue
        paragraphs.append(f"{entry.system.name} ({entry.key}): {claim.source}")
        for near in nearness(search, claim):
            paragraphs.append(
                f"{near['tried']} combinations tried for {' and '.join(near['figures'])}: "
                f"{near['as_near']} ({figure(near['share'])} %) come as near as the nearest; "
                f"by chance, {figure(near['by_chance'])} % of all figures in their range would "
                "have one as near"
            )
        for name, points in _nearest(entry, claim, search).items():
            if points:
                table = _points_table(name, points, entry, claim)
                paragraphs.append(f"{_TITLES[name]} (* the authors' stated set-up)\n{table}")
    return "\n\n".join(paragraphs)


def _points_table(name: str, points: Sequence[Point], entry: Entry, claim: ReportedFigures) -> str:
    """Return the table of combinations of that name."""
    digits = 2 if name == "nearest_bleu" else 1
    metrics = ["bleu"] if name == "nearest_bleu" else ["inform", "success"]
    headers = ["", *_WAYS[name], *map(figure_title, metrics)]
    rows = []
    for point in points:
        row = ["*" if point.stated(entry.system.setup) else ""]
        for way in _WAYS[name].values():
            row.append(_WORDS.get(point.ways[way], point.ways[way]))
        for metric in metrics:
            text = figure(point.figures[metric], digits)
            deviation = point.figures.get(f"{metric}_deviation")
            if deviation:
                text += f" ± {figure(deviation, digits)}"
            row.append(text)
        row.append(figure(point.off_by(claim), digits))
        rows.append(row)
    return text_table([*headers, "off by"], rows)


def _nearest(
    entry: Entry, claim: ReportedFigures, search: SetupSearch
) -> dict[str, Sequence[Point]]:
    """Return table of combinations -> those to show, the nearest first, with the stated ones."""

    def listed(points: Sequence[Point]) -> list[Point]:
        in_order = nearest(points, claim)
        stated = [point for point in in_order[_LISTED:] if point.stated(entry.system.setup)]
        return in_order[:_LISTED] + stated

    return {
        "nearest_bleu": listed(search.bleu),
        "nearest_named": nearest_named(search, claim)[:_LISTED],
        "nearest_rates": listed(search.rates),
    }


def audit_data(entry: Entry, search: SetupSearch | None = None) -> Data:
    """Return the audit of a system as JSON types.

    Args:
        entry: The system.
        search: Its scores under every combination of set-ups, if they are computed.
    """
    reported = []
    alternatives = None if search is None else search.alternatives
    for claim in entry.system.reported:
        audited: Data = {"source": claim.source, "setup": claim.setup, "figures": []}
        for reported_figure in judged_figures(entry, claim, alternatives):
            scored: dict[str, dict[str, float]] = {rules: {} for rules in published_rule_sets()}
            for (rules, setup), value in reported_figure.by_setup.items():
                if rules in scored:
                    scored[rules][setup] = value
            audited["figures"].append(
                {
                    "metric": reported_figure.metric,
                    "reported": float(reported_figure.printed),
                    "scored": scored,
                    "difference": reported_figure.difference,
                    "verdict": reported_figure.verdict,
                }
            )
        if search is not None:
            audited["nearness"] = nearness(search, claim)
            for name, points in _nearest(entry, claim, search).items():
                audited[name] = []
                for point in points:
                    stated = point.stated(entry.system.setup)
                    distance = {"off_by": point.off_by(claim), "stated": stated}
                    audited[name].append(point.data | distance)
        reported.append(audited)
    data: Data = {
        "format": FORMAT,
        "submission": entry.key,
        "name": entry.system.name,
        "reported": reported,
    }
    if search is not None:
        data["grid"] = {}
        for kind, points in vars(search).items():
            data["grid"][kind] = [point.data for point in points]
    return data


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
        chosen = []
        for table in tables:
            rows = tuple(row for row in table.rows if row.entry in keys)
            chosen.append(replace(table, rows=rows))
        tables = chosen
    others = 0
    for table in tables:
        others += sum(row.entry is None for row in table.rows)
    alternatives = {key: search.alternatives for key, search in searches.items()}
    figures = _record_table(record(entries, tables, alternatives), others)
    rule_sets = _rule_sets_table(rule_set_rows(entries, tables))
    findings = _misfits_table(misfits(entries, tables))
    return [figures, *_search_tables(entries, searches), rule_sets, findings]


def record_sentences(figures: Table) -> Iterator[str]:
    """Yield for each system whether its reported figures hold, and by how much they do not.

    Args:
        figures: The table of reported figures, the first of `record_tables`.
    """
    counts: Counter[str] = Counter()
    unlike: dict[str, list[str]] = {}
    for system, _, _, title, printed, _, difference, verdict in figures.rows:
        if verdict == NOT_SCORED:
            continue
        counts[system] += 1
        if not verdict.startswith("matches"):
            unlike.setdefault(system, []).append(f"{title} {printed} ({difference})")
    for system, count in counts.items():
        if system in unlike:
            number = f"{len(unlike[system])} of {counted(count, 'reported figure')}"
            yield f"{system}: {number} not matched (harness minus it): {', '.join(unlike[system])}"
        else:
            yield f"{system}: {counted(count, 'reported figure')}, all matched"


def _legend(columns: Iterable[str], section: str = "audit") -> list[str]:
    """Return what columns mean, by the glossary, a note each."""
    return [f"{column}: {glossary()[section][column].meaning}" for column in columns]


def _record_table(figures: Sequence[PrintedFigure], others: int) -> Table:
    """Return the table of every reported figure, with its legend.

    Args:
        figures: The figures.
        others: How many rows of the public tables have no entry, and are not among them.
    """
    sources: dict[str, str] = {}
    rows, data = [], []
    for reported in figures:
        number = sources.setdefault(reported.source, f"[{len(sources) + 1}]")
        texts = reported.texts(1 if reported.title in _PERCENT else 0)
        place = [reported.system, number, reported.setup, reported.title]
        rows.append([*place, *texts, reported.verdict])
        data.append(
            {
                "system": reported.system,
                "entry": reported.entry,
                "source": reported.source,
                "setup": reported.setup,
                "figure": reported.title,
                "reported": f"{reported.printed:f}",
                "harness": reported.scored,
                "difference": reported.difference,
                "verdict": reported.verdict,
            }
        )
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


def rule_set_rows(entries: Sequence[Entry], tables: Sequence[ReportedTable]) -> list[Data]:
    """Return the rows of the official tables that have an entry, beside every rule set.

    Returns:
        `system` and `entry`; `printed`, Inform and Success; `differences`, rule set -> metric ->
        harness minus reported, in points, of the rule sets that there were when the table was
        printed; `under`, those under which both come out to the digits printed.
    """
    by_key = {entry.key: entry for entry in entries}
    rows: list[Data] = []
    for table, key, claim in official_claims(tables):
        if key not in by_key:
            continue
        entry = by_key[key]
        reported = judged_figures(entry, claim)
        rates = [figure for figure in reported if figure.metric in ("inform", "success")]
        differences: dict[str, dict[str, float | None]] = {}
        under = []
        for rules in published_rule_sets():
            was_there = table.date is None or rule_set(rules).date <= table.date
            if rules in entry.scores.reports and was_there:
                scored = [replace(rate, scored=rate.by_setup[rules, "strict"]) for rate in rates]
                differences[rules] = {rate.metric: rate.difference for rate in scored}
                if all(rate.equal for rate in scored):
                    under.append(rules)
        rows.append(
            {
                "system": entry.system.name,
                "entry": key,
                "printed": {rate.metric: f"{rate.printed:f}" for rate in rates},
                "differences": differences,
                "under": under,
            }
        )
    return rows


def _rule_sets_table(official: list[Data]) -> Table:
    """Return the table of which rule set each official row comes out under."""
    scored: set[str] = set()
    for line in official:
        scored.update(line["differences"])
    rule_sets = [name for name in published_rule_sets() if name in scored]
    rows = []
    for line in official:
        row = [line["system"], line["printed"]["inform"], line["printed"]["success"]]
        off_by = {}
        for rules in rule_sets:
            differences = line["differences"].get(rules)
            if differences is None:
                row.append(figure(None))
            else:
                row.append(" / ".join(map(signed, differences.values())))
                off_by[rules] = sum(map(abs, differences.values()))
        nearest_rules = min(off_by, key=lambda rules: off_by[rules], default=figure(None))
        row.append(" or ".join(line["under"]) or f"none (nearest: {nearest_rules})")
        rows.append(row)
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
        shares = []
        for unit, sizes in SIZES.items():
            for size in sizes:
                share = possible_share(digits, size)
                if share < 1:
                    shares.append(f"{figure(100 * share)} % over {size} {unit}")
        notes.append(
            f"Of all values with {counted(digits, 'decimal')} one run can have "
            f"{', '.join(shares)}: what is attainable there may be so by chance."
        )
    rows = []
    data = []
    for misfit in figures:
        line = {"system": misfit.system, "source": misfit.source, "figure": misfit.title}
        line |= {"printed": f"{misfit.printed:f}", "finding": misfit.reason}
        rows.append(list(line.values()))
        data.append({"kind": misfit.verdict} | line)
    headers = ["system", "source", "figure", "printed", "finding"]
    return Table("findings", "Figures that do not fit", headers, rows, data, notes)


# ------------------------------------------------- how near all systems' combinations come


def _search_tables(
    entries: Sequence[Entry], searches: Mapping[str, SetupSearch]
) -> Iterator[Table]:
    """Yield the tables of how near the combinations come to what systems' authors report."""
    rows: list[list[str]] = []
    data: list[Data] = []
    named_rows: list[list[str]] = []
    named_data: list[Data] = []
    for entry in entries:
        for claim in entry.system.reported:
            if entry.key not in searches or claim.setup != "own":
                continue
            search = searches[entry.key]
            system: Data = {"system": entry.system.name, "source": claim.source}
            for near in nearness(search, claim):
                row = [entry.system.name, " and ".join(near["figures"]), str(near["tried"])]
                row += [figure(near["off_by"], 2), str(near["as_near"])]
                row += [f"{figure(near['share'])} %", f"{figure(near['by_chance'])} %"]
                rows.append(row)
                data.append(system | near)
            for point in nearest_named(search, claim)[:1]:
                setup, rules, off_by = point.ways["setup"], point.ways["rules"], point.off_by(claim)
                line, printed, scored = dict(system), [], {}
                for metric in point.reported(claim):
                    printed.append(f"{claim.figures[metric]:f}")
                    line[f"reported_{metric}"] = printed[-1]
                    scored[metric] = point.figures[metric]
                row = [entry.system.name, claim.source, " / ".join(printed), setup, rules]
                named_rows.append([*row, " / ".join(map(figure, scored.values())), figure(off_by)])
                line |= {"setup": setup, "rules": rules, **scored, "off_by": off_by}
                named_data.append(line)
    if rows:
        headers = ["system", "figures", "tried", "off by", "as near", "share", "by chance"]
        title = "How near the combinations of --explain come"
        notes = _legend(("tried", "off by", "as near, share", "by chance"))
        yield Table("explained", title, headers, rows, data, notes)
    if named_rows:
        headers = ["system", "source", "reported", "set-up", "rules", "harness", "off by"]
        title = "The named set-up nearest to each reported Inform and Success"
        yield Table("named", title, headers, named_rows, named_data, _legend(["off by"]))
