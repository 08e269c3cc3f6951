"""What `mwz audit` shows: which entries, tables of all, and each system beside all set-ups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from mwz.normalization.rules import published_rule_sets

from ...errors import InputError, refuse
from ...io.rendering import figure, text_table, wrapped
from ...io.tables import Table
from ...metrics.setups import RANKED
from ..entries import Entry, OwnSetup, System, chosen_entries
from ..rescoring import find_predictions
from ..scores import plain
from ..tracks import tracks
from . import Audited, audited, digits_of
from .record import (
    cells,
    declared_table,
    findings,
    findings_table,
    record,
    record_table,
    rule_set_rows,
    rule_sets_table,
)
from .reported import ReportedFigures, ReportedTable
from .setup_search import (
    BleuPoint,
    Nearness,
    Outputs,
    Point,
    RatesPoint,
    SetupSearch,
    nearest,
    nearest_named,
    nearness,
)

_LISTED = 5
"""How many of the nearest combinations are shown, besides the stated ones."""

FORMAT = 1
"""Version of the layout of a system's audit as JSON."""


def audited_entries(entries: Sequence[Entry], names: Sequence[str], folder: Path) -> list[Entry]:
    """Return the entries to audit: those named, or all of which figures are reported.

    Raises:
        InputError: There is none of a name, or some cannot be audited.
    """
    chosen, problems = chosen_entries(entries, names, folder), []
    if not names:
        chosen = [entry for entry in chosen if _is_reported(entry.system)]
    for entry in chosen:
        if not tracks()[entry.system.track].by_rules:
            whose = f"is in the track {entry.system.track}, of whose figures entries report none"
            problems.append(f"{entry.key}: {whose}")
    for entry in chosen if not problems else []:
        problems += [f"{entry.key}: {problem}" for problem in entry.problems]
        if not entry.problems and not entry.scores.reports:
            again = "scored by an earlier version; use `mwz leaderboard --rescore`"
            problems.append(f"{entry.key}: {again}")
    refuse(str(folder), problems)
    return chosen


def _is_reported(system: System) -> bool:
    """Whether an audit is about a system that is not named."""
    # Figures of trackers are none of these, and nobody reports what the harness made.
    track = tracks()[system.track]
    return track.by_rules and not (track.english and system.predictions.by_harness)


def with_trackers(
    chosen: Sequence[Entry], entries: Sequence[Entry], tables: Sequence[ReportedTable]
) -> list[Entry]:
    """Return the entries chosen, and the trackers that public tables have figures of."""
    named = {row.entry for table in tables for row in table.rows}
    trackers = (one for one in entries if tracks()[one.system.track].takes_gold)
    return [*chosen, *(one for one in trackers if one.key in named)]


def searched_outputs(
    chosen: Sequence[Entry], benchmark: str | None, folders: Sequence[Path]
) -> dict[str, Outputs]:
    """Return key -> the outputs of the chosen entries that have placeholders.

    Args:
        chosen: The entries.
        benchmark: What they are scored on; None for what each was scored on.
        folders: Where predictions are looked for besides the usual places.

    Raises:
        InputError: Some are not at hand.
    """
    found, problems = {}, []
    for entry in chosen:
        if not tracks()[entry.system.track].delexicalised:
            continue
        try:
            content = find_predictions(entry, folders)
        except InputError as error:
            problems += [f"{error.source}: {problem}" for problem in error.problems]
            continue
        on = benchmark or entry.scores.main.benchmark
        found[entry.key] = Outputs(content, on, entry.system.aliases)
    refuse("--explain", problems)
    return found


def audit_text(entry: Entry, search: SetupSearch | None = None) -> str:
    """Return the audit of a system in paragraphs, as a terminal shows it.

    Args:
        entry: The system.
        search: Its scores under every combination of set-ups, if they are computed.
    """
    return "\n\n".join(_paragraphs(entry, search))


def _paragraphs(entry: Entry, search: SetupSearch | None) -> Iterator[str]:
    played = entry.scores.main.coverage
    of = f", of the {played.turns} of {played.of_turns} turns that it plays"
    yield f"{entry.system.name} ({entry.key}){'' if played.complete else of}"
    if not entry.system.reported:
        yield "no figures are reported of it"
    for claim in entry.system.reported:
        title = wrapped(f"{claim.source} [{claim.setup} set-up]")
        yield f"{title}\n{_figures_table(audited(entry, claim, search))}"
        if search is not None and claim.setup == "own":
            yield from _explanation(entry, claim, search)


def _figures_table(found: Sequence[Audited]) -> str:
    setups = [(rules, setup) for rules in published_rule_sets() for setup in RANKED]
    rows = []
    for one in found:
        printed, _, difference = one.compared.texts(1)
        digits = max(1, digits_of(one.compared.printed))
        scored = [figure(one.scored.get(setup), digits) for setup in setups]
        rows.append([one.figure, printed, *scored, difference, one.verdict])
    titles = (f"{setup} {rules}" for rules, setup in setups)
    return text_table(["", "reported", *titles, "difference", "verdict"], rows)


def _explanation(entry: Entry, claim: ReportedFigures, search: SetupSearch) -> Iterator[str]:
    own = entry.system.setup
    for near in nearness(search, claim):
        yield wrapped(
            f"{near.tried} combinations tried for {' and '.join(near.figures)}: {near.as_near} "
            f"({figure(near.share)} %) come as near as the nearest; by chance, "
            f"{figure(near.by_chance)} % of all figures in their range would have one as near"
        )
    bleu, rates, named = _listed(entry, claim, search)
    stated = "* the authors' stated set-up"
    if bleu:
        rows = [
            [_mark(p, own), p.style, p.tokenization, figure(p.bleu, 2), _off_by(p, claim, 2)]
            for p in bleu
        ]
        headers = ["", "references", "tokenisation", "BLEU", "off by"]
        yield f"nearest in BLEU ({stated})\n{text_table(headers, rows)}"
    if named:
        rows = [
            [p.name or "", p.rules, p.domains, p.states, *_rates(p), _off_by(p, claim)]
            for p in named
        ]
        headers = ["set-up", "rules", "domains", "states", "Inform", "Success", "off by"]
        yield f"nearest of the set-ups of published scripts\n{text_table(headers, rows)}"
    if rates:
        if not any(point.stated(own) for point in rates):
            stated = "the stated set-up is not among them" if own else "no set-up is stated"
        rows = []
        for p in rates:
            reduced = "yes" if p.setup.reduced_search else "no"
            way = (p.rules, p.setup.comparison, p.setup.updates, reduced, p.domains, p.states)
            rows.append([_mark(p, own), *way, *_rates(p), _off_by(p, claim)])
        headers = ["", "rules", "venues", "updates", "reduced", "domains", "states"]
        headers += ["Inform", "Success", "off by"]
        yield f"nearest in Inform and Success ({stated})\n{text_table(headers, rows)}"


def _mark(point: BleuPoint | RatesPoint, own: OwnSetup | None) -> str:
    return "*" if point.stated(own) else ""


def _off_by(point: BleuPoint | RatesPoint, claim: ReportedFigures, digits: int = 1) -> str:
    return figure(point.off_by(claim), digits)


def _rates(point: RatesPoint) -> list[str]:
    inform = (point.inform, point.inform_deviation)
    both = (inform, (point.success, point.success_deviation))
    return [f"{figure(rate)} ± {figure(by)}" if by else figure(rate) for rate, by in both]


def _listed(
    entry: Entry, claim: ReportedFigures, search: SetupSearch
) -> tuple[list[BleuPoint], list[RatesPoint], list[RatesPoint]]:
    """Return the combinations to show, the nearest first: of BLEU, of the rates, named ones."""

    def listed(points: Sequence[Point]) -> list[Point]:
        near = enumerate(nearest(points, claim))
        return [point for at, point in near if at < _LISTED or point.stated(entry.system.setup)]

    return listed(search.bleu), listed(search.rates), nearest_named(search, claim)[:_LISTED]


def audit_data(entry: Entry, search: SetupSearch | None = None) -> dict[str, Any]:
    """Return the audit of a system as JSON types; arguments as of `audit_text`."""
    return {
        "format": FORMAT,
        "submission": entry.key,
        "name": entry.system.name,
        "reported": [
            {
                "source": claim.source,
                "setup": claim.setup,
                "figures": list(map(_figure_data, audited(entry, claim, search))),
                **({} if search is None else _search_data(entry, claim, search)),
            }
            for claim in entry.system.reported
        ],
        **({} if search is None else {"grid": asdict(search)}),
    }


def _figure_data(one: Audited) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "reported": float(one.compared.printed),
        "scored": {
            rules: {setup: value for (of, setup), value in one.scored.items() if of == rules}
            for rules in published_rule_sets()
        },
        "difference": one.compared.difference,
        "verdict": one.verdict,
    }


def _search_data(entry: Entry, claim: ReportedFigures, search: SetupSearch) -> dict[str, Any]:
    def data(point: BleuPoint | RatesPoint) -> dict[str, Any]:
        stated = point.stated(entry.system.setup)
        return {**asdict(point), "off_by": point.off_by(claim), "stated": stated}

    bleu, rates, named = _listed(entry, claim, search)
    return {
        "nearness": [asdict(near) for near in nearness(search, claim)],
        "nearest_bleu": list(map(data, bleu)),
        "nearest_rates": list(map(data, rates)),
        "nearest_named": list(map(data, named)),
    }


# -------------------------------------------------------- tables of all systems that are explained


def record_tables(
    entries: Sequence[Entry],
    reported: Sequence[ReportedTable],
    named: bool,
    searches: Mapping[str, SetupSearch],
) -> list[Table]:
    """Return the tables about all entries that are audited.

    Args:
        entries: The entries.
        reported: The public tables.
        named: Whether the entries were named: then other systems are none of the question.
        searches: Key -> set-up search, of the entries that are explained.
    """
    if named:
        keys = {entry.key for entry in entries}
        reported = [
            replace(table, rows=tuple(row for row in table.rows if row.entry in keys))
            for table in reported
        ]
    others = sum(row.entry is None for table in reported for row in table.rows)
    return [
        record_table(record(entries, reported, searches), others),
        *_search_tables(entries, searches),
        rule_sets_table(rule_set_rows(entries, reported)),
        findings_table(findings(entries, reported)),
    ]


def _search_tables(
    entries: Sequence[Entry], searches: Mapping[str, SetupSearch]
) -> Iterator[Table]:
    """Yield the tables of how near the combinations come to what systems' authors report."""
    own = [
        (entry.system.name, claim, searches[entry.key])
        for entry in entries
        for claim in entry.system.reported
        if entry.key in searches and claim.setup == "own"
    ]
    near = [(name, claim, one) for name, claim, search in own for one in nearness(search, claim)]
    if near:
        yield _nearness_table(near)
    named = [(n, claim, p) for n, claim, s in own for p in nearest_named(s, claim)[:1]]
    if named:
        yield _named_table(named)


_Near = tuple[str, ReportedFigures, Nearness]
_Named = tuple[str, ReportedFigures, RatesPoint]


def _nearness_table(found: Sequence[_Near]) -> Table:
    """Return the table of how near the combinations come to each source, and how easily."""
    columns: dict[str, Callable[[_Near], str]] = {
        "system": lambda one: one[0],
        "figures": lambda one: " and ".join(one[2].figures),
        "tried": lambda one: str(one[2].tried),
        "off by": lambda one: figure(one[2].off_by, 2),
        "as near": lambda one: str(one[2].as_near),
        "share": lambda one: f"{figure(one[2].share)} %",
        "by chance": lambda one: f"{figure(one[2].by_chance)} %",
    }
    data = [{"system": name, "source": claim.source, **plain(one)} for name, claim, one in found]
    return declared_table("explained", list(columns), cells(found, columns), data)


def _named_table(found: Sequence[_Named]) -> Table:
    """Return the table of which named set-up comes nearest to each Inform and Success."""
    columns: dict[str, Callable[[_Named], str]] = {
        "system": lambda one: one[0],
        "source": lambda one: one[1].source,
        "reported": lambda one: " / ".join(
            f"{one[1].figures[name]:f}" for name in one[2].reported(one[1])
        ),
        "set-up": lambda one: one[2].name or "",
        "rules": lambda one: one[2].rules,
        "harness": lambda one: " / ".join(
            figure(getattr(one[2], name)) for name in one[2].reported(one[1])
        ),
        "off by": lambda one: figure(one[2].off_by(one[1])),
    }
    data = [
        {
            "system": name,
            "source": claim.source,
            **{f"reported_{m}": f"{claim.figures[m]:f}" for m in point.reported(claim)},
            "setup": point.name,
            "rules": point.rules,
            **{metric: getattr(point, metric) for metric in point.reported(claim)},
            "off_by": point.off_by(claim),
        }
        for name, claim, point in found
    ]
    return declared_table("named", list(columns), cells(found, columns), data)
