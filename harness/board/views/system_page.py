"""The pages of systems: all that is known of each in one place, and how they compare."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, groupby

from mwz.normalization.registry import read_toml

from ...comparison.interval import p_text
from ...diagnosis import CAUSES, SLOT_CAUSES
from ...io.tables import figure, signed
from ...metrics.flags import FLAGS
from ...metrics.inform import TOTAL, SetupScores
from ...metrics.metric import headlines
from ...metrics.setups import RANKED
from ...scoring.report import Report
from ...signature import PLACEHOLDERS, Signature
from ..citations import entry_reference
from ..columns import (
    SETUP_FIGURES,
    Column,
    board_tables,
    columns,
    verdict_mark,
)
from ..entries import Entry
from ..model import Board
from ..pairs import RANKING, SAMPLES, EntryPair, PairFigure
from ..printed import Figure, misfits
from ..rows import NOTHING, REFERENCE, ResponsesRow, Row
from ..scores import FIGURES
from ..systems import FACTS, NOT_STATED, stated_facts
from ..tracks import tracks
from ..verdicts import record
from .page_parts import Bar, Cell, Table, plus_minus, with_minus


@cache
def meanings() -> Mapping[str, Mapping[str, str]]:
    """Return what pages call the fields of signatures, sources of domains and states, and signs."""
    return read_toml("meanings.toml", __package__)


def cause_title(cause: str) -> str:
    """Return what pages call a cause of lost points."""
    return meanings()["titles"].get(cause, cause)


@dataclass(frozen=True)
class Block:
    """A part of a system's page.

    Attributes:
        key: Its address on the page.
        title: Its heading.
        tables: What it shows.
        facts: Heading -> title -> figure, of single figures below these.
        note: What is to be said of it; empty if nothing.
    """

    key: str
    title: str
    tables: Sequence[Table] = ()
    facts: Mapping[str, Mapping[str, str | Cell]] = field(default_factory=dict)
    note: str = ""


def system_pages(board: Board) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the key of every entry and what its page shows, in the order of the board.

    What the template knows: "entry"; "track", the title of its track; "section", the address of its
    row on the board; "place", its rank in words; "stated", title -> what is stated of it;
    "verdict", whether the public board's row is the harness's, and "mark", the verdict's style;
    "tiles", title -> its main figures, and "bound", how
    they count what it leaves out; "blocks", the parts of the page; "signature", and "fields",
    field, value and meaning of what in it is the system's own; "citation" in
    BibTeX; "compared", whether it is compared with some other system; "before" and "after", name
    and key of its neighbours on the board.
    """
    by_key = {row.key: row for row in board.rows}
    others = [entry for entry in board.entries if entry.key not in by_key]
    listed = [*(row.entry for row in board.rows), *others]
    in_order = [e for track in tracks() for e in listed if e.system.track == track]
    order = [None, *((entry.system.name, entry.key) for entry in in_order), None]
    shown = [column for column in columns(board) if column.key in FIGURES]
    for place, entry in enumerate(in_order):
        made = _page(board, entry, by_key.get(entry.key), shown)
        yield entry.key, {**made, "before": order[place], "after": order[place + 2]}


def _page(
    board: Board, entry: Entry, row: ResponsesRow | None, shown: Sequence[Column[Row]]
) -> dict[str, object]:
    verdict = "; ".join(board.verdicts(entry))
    main = board.row_of(entry)
    tracked = [
        one
        for name, track in tracks().items()
        if track.takes_gold
        for table in board.tables_by_track[name]
        for one in table
        if one.key == entry.key
    ]
    is_tracker = main is not None and main.declared_track.takes_gold
    apart = [] if main is None or row is not None or is_tracker else [main]
    citation = entry_reference(entry)
    place = _place(board, main)
    ranked = _ranked_figure(board, entry)
    signature = None if main is None else main.signature
    return {
        "entry": entry,
        "track": tracks()[entry.system.track].title,
        "section": f"row-{entry.key}" if main is None else main.anchor,
        "place": place,
        "stated": _stated(entry),
        "verdict": with_minus(verdict) or None,
        "mark": verdict_mark(verdict),
        "tiles": dict(filter(None, [ranked] if row is None else [_shown(c, row) for c in shown])),
        "bound": "" if main is None or is_tracker else _bound(main),
        "blocks": [*(_apart(board, one) for one in apart), *_blocks(board, entry, row, tracked)],
        "signature": str(signature or ""),
        "fields": [] if signature is None else list(own_fields(signature)),
        "citation": None if citation is None else citation.bibtex(),
        # The page of comparisons has the systems of delexicalised responses alone.
        "compared": row is not None
        and not row.is_corpus
        and any(entry.key in pair for pair in board.pairs.pairs),
    }


def _stated(entry: Entry) -> dict[str, str]:
    """Return title -> what is stated of a system; nothing of what the harness makes itself."""
    if entry.system.predictions.by_harness:
        return {}
    stated = stated_facts(entry.system)
    return {
        fact.title: NOT_STATED if stated[name] is None else str(stated[name])
        for name, fact in FACTS.items()
    }


def _facts(row: Row, shown: Sequence[Column[Row]]) -> dict[str, str | Cell]:
    texts = {column.full_title: with_minus(column.value(row).text) for column in shown}
    return {title: text for title, text in texts.items() if text}


def _apart(board: Board, row: Row) -> Block:
    """Return the scores of a row in a track that has columns of its own."""
    track = row.declared_track
    return Block(
        track.name, "Scores", facts={track.caption: _facts(row, track.columns(board, [row]))}
    )


def _ranked_figure(board: Board, entry: Entry) -> tuple[str, Cell] | None:
    """Return what ranks in a system's track, and its figure; None where nothing does."""
    track = entry.system.track
    found = (
        _shown(column, row)
        for table in board_tables(board)
        for row in table.rows
        for column in table.columns
        if table.track == track and row.entry is entry and column.key == tracks()[track].ranks
    )
    return next(found, None)


def _shown(column: Column[Row], row: Row) -> tuple[str, Cell]:
    value = column.value(row)
    return column.full_title, Cell(value.text, plus_minus(value), mark=value.mark)


def _place(board: Board, row: Row | None) -> str:
    """Return a system's rank in words."""
    if row is None:
        return "not ranked"
    if row.rank is not None:
        found = board.rank_range(row)
        return f"rank {row.rank}" + (f" (range {found})" if "–" in found else "")
    return "reference row" if row.unranked == REFERENCE else f"not ranked: {row.unranked}"


def _blocks(
    board: Board, entry: Entry, row: ResponsesRow | None, tracked: Sequence[Row]
) -> Iterator[Block]:
    if row is not None:
        note = _sentence(list(row.track_notes))
        yield Block("set-ups", "Set-ups and rule sets", [_setups(board, row)], _seeds(entry), note)
        if row.report is not None and row.report.strict is not None:
            yield Block("domains", "Scores by domain", [_domains(row.report, row.report.strict)])
    yield from _reported(board, entry)
    if row is not None:
        yield from _lost(entry)
        yield from _flags(row)
    if tracked:
        facts = dict(_tracking(board, one) for one in tracked)
        yield Block("state-tracking", "State tracking", facts=facts, note=_bound(tracked[0]))


def _bound(row: Row) -> str:
    """Return how an incomplete row counts what is missing; empty of others."""
    text = _sentence(row.bound_note)
    return f"{text} All figures without ≥ are of what it plays." if "≥" in text else text


def _sentence(notes: Sequence[str]) -> str:
    text = "; ".join(notes)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _setups(board: Board, row: ResponsesRow) -> Table:
    rows = [
        [rules, *(own.ranking(name, setup).text for setup in RANKED for name in SETUP_FIGURES)]
        for rules, ranked in board.by_rules.items()
        for own in ranked
        if own.key == row.key
    ]
    titles = [headlines()[name].title for name in SETUP_FIGURES]
    caption = "Inform and Success in percent of the dialogues; opt.: optimistic set-up"
    return Table(caption, ["Rule set", *titles, *(f"{title} opt." for title in titles)], rows)


def _seeds(entry: Entry) -> dict[str, dict[str, str | Cell]]:
    seeds = entry.scores.seeds
    if seeds is None:
        return {}
    items: dict[str, str | Cell] = {
        headlines()[name].title: Cell(figure(one.mean, 1), f"± {figure(one.deviation, 1)}")
        for name, one in seeds.spread.items()
    }
    return {f"Over {len(seeds.seeds) + 1} seeds: mean and standard deviation": items}


def _domains(report: Report, strict: SetupScores) -> Table:
    """Return the rates by domain, with state tracking where the system tracks states."""
    optimistic = report.optimistic
    columns: dict[str, Mapping[str, float]] = {"Inform": strict.inform, "Success": strict.success}
    if optimistic is not None:
        columns |= {"Inform opt.": optimistic.inform, "Success opt.": optimistic.success}
    tracked = {} if report.dst is None else report.dst.per_domain
    for key, title in {"JGA": "JGA", "F1": "Slot F1"}.items() if tracked else ():
        columns[title] = {name: figures[key] for name, figures in tracked.items() if key in figures}
    rows = [
        [name, *(figure(rates.get(name)) for rates in columns.values())]
        for name in sorted(strict.inform.keys() - {TOTAL})
    ]
    return Table(f"In percent, rule set {report.rules}", ["Domain", *columns], rows)


def _reported(board: Board, entry: Entry) -> Iterator[Block]:
    rows: list[list[str | Cell]] = []
    for title, found in groupby(record([entry], board.tables), _source_title):
        rows += [[title], *map(_audited, found)]
    wrong = [
        f"{one.title} {one.printed:f} ({one.source}): {one.reason}." for one in misfits([entry], [])
    ]
    if rows:
        about = "Figures as published, and what the outputs score here"
        headers = ["Figure", "Reported", "Here", "Difference", "Verdict"]
        table = Table(f"{about}; difference: harness minus reported", headers, rows, words=(4,))
        yield Block("reported", "Reported figures", [table], note=" ".join(wrong))


def _source_title(one: Figure) -> str:
    words = "the authors' own set-up" if one.setup == "own" else f"{one.setup} set-up"
    return f"{one.source} ({words if one.setup in (*RANKED, 'own') else one.setup})"


def _audited(one: Figure) -> list[str | Cell]:
    printed, scored, difference = one.texts()
    verdict = Cell(one.verdict, mark=verdict_mark(one.verdict))
    return [one.title, printed, scored, with_minus(difference), verdict]


def _lost(entry: Entry) -> Iterator[Block]:
    """Yield what points are lost by, the most costly cause of each kind first."""
    kept = entry.scores.dialogues
    if kept is None:
        return
    causes, domains = kept.causes, list(kept.causes.domains)
    most = max((max(one) for one in causes.points.values()), default=0.0) or 1.0
    rows: list[list[str | Cell]] = []
    for title, names, counted in (
        ("Domains not matched, in dialogues", CAUSES, "matched"),
        ("Requested slots not provided", SLOT_CAUSES, "provided"),
    ):
        costs = {name: causes.points[name] for name in names if name in causes.points}
        shown = [(name, cost) for name, cost in costs.items() if cost.success > 0]
        rows += [[title]] if shown else []
        for name, cost in sorted(shown, key=lambda one: -one[1].success):
            counts = [getattr(causes.domains[domain], counted).get(name, 0) for domain in domains]
            success = Cell(figure(cost.success), bar=Bar(0.0, round(100 * cost.success / most, 1)))
            shown_counts = (str(count or NOTHING) for count in counts)
            rows.append([cause_title(name), figure(cost.inform), success, *shown_counts])
    if rows:
        table = Table(
            "Points of Inform and Success lost to each cause, and how often it occurs by domain; "
            "causes that lose a dialogue together share it",
            ["Cause", "Inform", "Success", *domains],
            rows,
        )
        yield Block("causes", "Causes of lost points", [table])


def _flags(row: Row) -> Iterator[Block]:
    """Yield the flags that are raised."""
    rows = []
    for name in row.raised:
        flag, copied = FLAGS[name], row.copies.get(name)
        title = flag.title + (f" ({copied.entry})" if copied else "")
        cell = Cell(figure(row.flags[name], 2), mark="raised")
        rows.append((title, cell, flag.honest_text, flag.bound))
    if rows:
        headers = ("Flag", "Figure", "Published outputs", "Raised")
        table = Table("Checks for suspicious scores", headers, rows, words=(3,))
        yield Block("flags", "Flags", [table], note=_sentence(list(row.flag_notes())))


def _tracking(board: Board, row: Row) -> tuple[str, dict[str, str | Cell]]:
    [track] = (one for one in tracks().values() if one.takes_gold)
    shown = [one for one in track.columns(board, [row]) if one.title != "Track"]
    rank = "not ranked" if row.rank is None else f"rank {row.rank}"
    title = "" if track.heading is None else track.heading([row])
    return f"{title}, in percent: {rank}", _facts(row, shown)


def own_fields(signature: Signature) -> Iterator[tuple[str, str, str]]:
    """Yield field, value and meaning of what in a signature is the system's own."""
    values = {name: getattr(signature, name) for name in ("domains", "states", "coverage")}
    values[PLACEHOLDERS] = signature.parameters.get(PLACEHOLDERS)
    for name, value in values.items():
        known = meanings()[name]
        meaning = known.get(str(value), known.get("any"))
        if value is not None and meaning is not None:
            yield name, value, f"{meaning}."


# ------------------------------------------------------------ systems compared

MOST = 4
"""How many systems are compared at once."""


def compare_page(board: Board) -> dict[str, object] | None:
    """Return what the page that compares systems shows; None if no two are compared.

    It is "systems", title of a track -> key and name of those that are compared with others;
    "tables", per track the difference of each two; "data", all of it as JSON for the script;
    "samples", those of the randomisation test; and "most", how many systems are compared at once.
    """
    compared = {key for pair in board.pairs.pairs for key in pair}
    # Nothing compares with the BLEU of references against themselves.
    rows = [row for row in board.rows if row.key in compared and not row.is_corpus]
    if not rows:
        return None
    by_track = {key: [row for row in rows if row.track == key] for key in tracks()}
    systems, tables = {}, []
    for key, own in by_track.items():
        if own:
            systems[tracks()[key].title] = [(row.key, row.name) for row in own]
        if len(own) > 1 and tracks()[key].submitted:
            caption = (
                f"{tracks()[key].title}: {headlines()[RANKING].title}, row minus column, on the "
                "dialogues that both play; ≈: the difference is not significant"
            )
            lines = [[row.name, *_differences(board, row, own)] for row in own[:-1]]
            tables.append(Table(caption, ["System", *(row.name for row in own[1:])], lines))
    data = {"data": _pairs_data(board, rows), "samples": SAMPLES, "most": MOST}
    return {"systems": systems, "tables": tables, **data}


def _differences(board: Board, row: Row, own: Sequence[Row]) -> Iterator[str | Cell]:
    """Yield a row of a track's table: a difference from each system below it."""
    for at, other in enumerate(own[1:], start=1):
        pair = board.pairs.between(row.key, other.key)
        if at <= own.index(row):
            yield ""
        elif pair is None:
            yield NOTHING
        else:
            found = pair.figures[RANKING]
            text = with_minus(signed(found.difference, headlines()[RANKING].digits))
            yield text if found.distinct else Cell(f"≈ {text}", mark="near")


def _pairs_data(board: Board, rows: Sequence[ResponsesRow]) -> str:
    """Return systems and pairs as JSON that may stand in a page."""
    shown = [column for column in columns(board) if column.key in FIGURES]
    pairs: dict[str, list[object]] = {}
    # Reason -> the pairs that do not compare for it.
    apart: dict[str, list[str]] = {}
    for one, other in combinations(sorted(rows, key=lambda row: row.key), 2):
        name = f"{one.key}/{other.key}"
        if pair := board.pairs.pairs.get((one.key, other.key)):
            pairs[name] = _pair_data(pair)
        elif one.report and other.report:
            ours, theirs = one.report.signature, other.report.signature
            reasons = ours.comparable_with(theirs, ("coverage", PLACEHOLDERS)).reasons
            why = "; ".join(reasons) or "they play no dialogue in common"
            apart.setdefault(why, []).append(name)
    content = {
        "figures": {name: [headlines()[name].title, headlines()[name].digits] for name in FIGURES},
        "systems": {row.key: _system_data(row, shown) for row in rows},
        "pairs": pairs,
        "apart": apart,
        "titles": meanings()["titles"],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Nothing in it may end the element that holds it.
    return text.replace("<", "\\u003c")


def _system_data(row: ResponsesRow, shown: Sequence[Column[Row]]) -> dict[str, object]:
    """Return a system's figures with intervals, its rates by domain, and what costs it Success."""
    values = {column.key: column.value(row) for column in shown}
    figures = {k: f"{v.text} {plus_minus(v)}".rstrip() for k, v in values.items()}
    own = None if row.report is None else row.report.strict
    known = row.entry.scores.dialogues
    rates = {} if own is None else {d: (own.inform[d], own.success[d]) for d in own.inform}
    points = {} if known is None else known.causes.points
    domains = {d: [round(rate, 1) for rate in both] for d, both in rates.items() if d != TOTAL}
    causes = {name: round(one.success, 1) for name, one in points.items()}
    return {"name": row.name, "figures": figures, "domains": domains, "causes": causes}


def _pair_data(pair: EntryPair) -> list[object]:
    """Return the dialogues of both, then per figure: difference, p, and who alone wins how many."""

    def data(one: PairFigure) -> list[object]:
        won = [] if one.only_a is None else [one.only_a, one.only_b]
        return [round(one.difference, 2), p_text(one.p), *won]

    return [pair.dialogues, *(data(pair.figures[name]) for name in FIGURES)]
