"""The board in Markdown: the leaderboard, the page of all its tables, and that of older results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import Any, TypeVar

from mwz.normalization import read_toml

from ..benchmark import STYLES
from ..comparison import INTERVAL_LEVEL, SIGNIFICANCE, p_text, p_words
from ..io import escaped, escaped_cell, figure, markdown_table, signed
from ..metrics import headlines
from .answer import answer, mark_kinds
from .columns import (
    MAIN,
    BoardTable,
    Column,
    board_tables,
    columns,
    own_figures,
    printed_columns,
    row_headers,
    track_columns,
)
from .entries import ORDER_FILE, Entry, new_order, order_text
from .model import PAGES, Board, common_signatures
from .pairs import PAIRS_FILE, RANKING, EntryPair, PairFigure, pairs_text
from .reported import OFFICIAL, OLD, ReportedRow, ReportedTable
from .rows import NOTHING, Mark, ResponsesRow, Row, Value
from .scores import FIGURES
from .track import tracks
from .verdicts import verdict_meanings

_R = TypeVar("_R", bound=Row | ReportedRow)

_TABLES: Mapping[str, Sequence[str]] = {
    "Strict and optimistic set-up": (
        "inform", "inform-optimistic", "success", "success-optimistic", "combined",
        "combined-optimistic", "domains", "states",
    ),
    "BLEU by reference style": [f"bleu-{style}" for style in STYLES],
}  # fmt: skip
"""Heading -> keys of the columns of the tables of all tracks together."""

# Which other row a row is compared with -> what tables call it.
_OTHERS = {"above": "row above", "best": "best"}


def pages(folder: Path, board: Board) -> Mapping[Path, str]:
    """Return path -> content of every page, and of the files of pairs and order.

    Args:
        folder: The folder of submissions, beside which the pages are.
        board: Its board.
    """
    short, tables, older_page = (folder.absolute().parent / page for page in PAGES)
    made = {short: leaderboard(board), tables: tables_page(board)}
    if board.pairs or (folder / PAIRS_FILE).exists():
        made[folder / PAIRS_FILE] = pairs_text(board.pairs)
    made[folder / ORDER_FILE] = order_text(new_order(folder, board.entries))
    older = older_results_page(board)
    if older is not None:
        made[older_page] = older
    return made


def leaderboard(board: Board) -> str:
    """Return the leaderboard in Markdown: what ranks, for a reader on GitHub."""
    return _joined(_leaderboard(board))


def tables_page(board: Board) -> str:
    """Return the page of all tables of the board in Markdown."""
    return _joined(_page(board))


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


# ----------------------------------------------------------------------------- the leaderboard

WIDTH = 120
"""The longest line of the leaderboard, in characters."""


def _leaderboard(board: Board) -> Iterator[str]:
    yield "# Leaderboard"
    texts = read_toml("notes.toml", __package__)
    yield texts["first"]["leaderboard"].format(rules=board.rules)
    if board.note:
        yield escaped(board.note)
    kinds: set[str] = set()
    ranked = {name for name, track in tracks().items() if track.submitted}
    of_tracks: dict[str, list[BoardTable]] = {}
    for table in board_tables(board):
        if table.rows and table.track in ranked:
            of_tracks.setdefault(table.track, []).append(table)
    for name, (first, *others) in of_tracks.items():
        track = tracks()[name]
        yield f"## {track.title}"
        yield _wrapped(f"{escaped(answer(board, first))} {track.about}".strip())
        if track.heading is not None:
            yield f"{escaped(first.title)}:"
        yield _short_table(board, first)
        marked = [(row, [*board.marks(row, escaped)]) for row in first.lines]
        kinds |= {mark.kind for _, marks in marked for mark in marks}
        yield "\n".join(_footnote(row, marks) for row, marks in marked if marks)
        if others:
            yield _wrapped(texts["others"].format(titles="; ".join(one.title for one in others)))
    yield "## Notes"
    signs = "; ".join(f"**{one['sign']}** {one['legend']}" for one in mark_kinds(kinds).values())
    values = {"level": INTERVAL_LEVEL, "significance": p_text(SIGNIFICANCE), "signs": signs}
    yield from (_wrapped(text.format(**values)) for text in texts["short"])


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _footnote(row: Row, marks: Iterable[Mark]) -> str:
    notes = (f"{mark_kinds()[mark.kind]['sign']} {mark.note}" for mark in marks)
    return _wrapped(f"- **{escaped(row.name)}** {'; '.join(notes)}", "  ")


def _short_table(board: Board, table: BoardTable) -> str:
    """Return what ranks in a table, and what leads, with rank ranges and what authors report."""
    track = tracks()[table.track]
    by_key = {column.key: column for column in table.columns}
    listed = [by_key[key] for key in (track.ranks, *track.leads)]
    cells = []
    for row in table.lines:
        values = (column.value(row) for column in listed)
        # Without blanks, lines stay within the width.
        figures = [escaped_cell(_with_half(value).replace("≥ ", "≥")) for value in values]
        own = own_figures(row.entry) if track.delexicalised else {}
        rates = (own.get(name) for name in ("inform", "success") if own)
        reported = "/".join(NOTHING if one is None else figure(float(one), 1) for one in rates)
        signs = dict.fromkeys(mark_kinds()[mark.kind]["sign"] for mark in board.marks(row))
        texts = [board.rank_range(row), reported, "".join(signs)]
        cells.append([row.place, escaped(row.name), *figures, *texts])
    headers = ["#", "System", *(one.full_title for one in listed), "Range", "Authors", "Marks"]
    full = [place for place in range(len(headers)) if any(row[place] for row in cells)]
    return markdown_table(
        [headers[place] for place in full], [[row[place] for place in full] for row in cells]
    )


def _with_half(value: Value) -> str:
    """Return a figure, followed by half of its interval where one is known."""
    half = value.interval and f" ±{figure(value.interval.half, value.digits)}"
    return f"{value.text}{half or ''}"


# ------------------------------------------------------------------------ the page of all tables


def _table(
    rows: Sequence[_R],
    listed: Sequence[Column[_R]],
    places: Sequence[str] = (),
    linked: bool = False,
    last: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return a table of rows.

    Args:
        rows: The rows.
        listed: Its columns besides rank and name.
        places: The ranks as shown, of a table that has a column of them.
        linked: Whether names are followed by the addresses of paper and code.
        last: Title -> cells in Markdown, of columns behind the others.
    """
    more = last or {}
    table: list[list[str]] = []
    for at, row in enumerate(rows):
        # Addresses are checked where they are read: they hold nothing that ends a link.
        links = {"paper": row.paper, "code": row.code} if linked else {}
        addresses = [f"[{what}]({to})" for what, to in links.items() if to]
        name = escaped(row.name) + (f" ({', '.join(addresses)})" if addresses else "")
        texts = (column.value(row).text for column in listed)
        cells = [name, *map(escaped_cell, texts), *(column[at] for column in more.values())]
        table.append([*places[at : at + 1], *cells])
    return markdown_table([*row_headers(listed, bool(places)), *more], table)


def _row_notes(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the list of what is to be said of single rows, if there is anything."""
    noted = ((row, [mark.note for mark in row.marks(escaped)]) for row in rows)
    if lines := [f"- {escaped(row.name)}: {'; '.join(notes)}" for row, notes in noted if notes]:
        yield "\n".join(lines)


def _page(board: Board) -> Iterator[str]:
    yield "# Tables of the board"
    notes = read_toml("notes.toml", __package__)
    yield notes["first"]["tables"].format(rules=board.rules)
    if board.note:
        yield escaped(board.note)
    tables = board_tables(board)
    for name, track in tracks().items():
        of_track = (_blocks(board, table) for table in tables if table.track == name and table.rows)
        below = (track.below(board), _not_entered(board.tables, name))
        if blocks := [*chain.from_iterable(of_track), *chain.from_iterable(below)]:
            yield f"## {track.title}"
            yield track.about
            yield from blocks
    all_columns = columns(board)
    by_key = {column.key: column for column in all_columns}
    for title, keys in _TABLES.items():
        yield f"## {title}"
        # What has the title of the table for a heading is called otherwise in it.
        chosen = (by_key[key] for key in keys)
        named = [replace(one, title="Raised") if one.title == title else one for one in chosen]
        yield _table(board.rows, named)
    listed = {key for keys in (MAIN, *_TABLES.values()) for key in keys}
    others = [column for column in all_columns if column.key not in listed and not column.elsewhere]
    if others:
        yield "## Other metrics"
        yield _table(board.rows, others)
    yield "## Notes"
    legends = [notes["columns"]]
    legends += [notes["dialogues"]] if _knows_dialogues(board, board.rows) else []
    legends += [t.legend for n, t in tracks().items() if t.legend and board.of_track(n)]
    legends += [notes["reported"]] if board.tables else []
    verdicts = "\n".join(f"  - *{name}*: {text}" for name, text in verdict_meanings().items())
    values = {"level": INTERVAL_LEVEL, "significance": p_text(SIGNIFICANCE), "verdicts": verdicts}
    yield from (legend.format(**values) for legend in legends)
    yield "Signature (the sources of domains and states are in the table above):"
    english = (row for name, t in tracks().items() if t.english for row in board.of_track(name))
    signatures = [*common_signatures(board.rows), *common_signatures(english)]
    yield "\n".join(f"    {signature}" for signature in signatures)


def _blocks(board: Board, table: BoardTable) -> Iterator[str]:
    """Yield a table, the notes on its rows, and which of them differ significantly."""
    track = tracks()[table.track]
    places = [row.place for row in table.rows] if track.submitted else []
    if not track.delexicalised:
        if track.heading is not None:
            yield f"### {escaped(table.title)}"
        listed = [column for column in table.columns if column.shown in track.listed]
        yield _table(table.rows, list(map(_with_interval, listed)), places)
        yield from _row_notes(table.rows)
        return

    def half(row: ResponsesRow) -> Value:
        interval = board.interval(row, RANKING)
        return Value(None if interval is None else interval.half)

    main, has_intervals = track_columns(table.columns), _knows_dialogues(board, table.rows)
    if has_intervals:
        after = [column.key for column in main].index(RANKING) + 1
        main.insert(after, Column("half", "±", half))
    yield _table(table.rows, main, places, linked=True)
    yield from _row_notes(table.rows)
    if has_intervals:
        yield "### Intervals and differences"
        yield _intervals_table(board, table)
    yield from _reported_figures(board, table.rows)


def _knows_dialogues(board: Board, rows: Iterable[Row]) -> bool:
    """Whether it is known of some row what it scores dialogue by dialogue."""
    return any(isinstance(row, ResponsesRow) and board.interval(row, RANKING) for row in rows)


def _with_interval(column: Column[Any]) -> Column[Any]:
    """Return a column whose figures are followed by half of their interval, where one is known."""

    def value(row: Any) -> Value:
        one = column.value(row)
        return one if one.interval is None else Value(words=_with_half(one))

    return replace(column, value=value)


def _intervals_table(board: Board, table: BoardTable) -> str:
    """Return a track's intervals and p-values as a table."""
    ranked = [row.key for row in table.rows if row.rank is not None]

    def p(other: str, title: str) -> Column[Any]:
        def value(row: Row) -> Value:
            at = ranked.index(row.key) if row.key in ranked else 0
            whom = at - 1 if other == "above" else 0
            pair = board.pairs.get((row.key, ranked[whom])) if at else None
            return Value() if pair is None else Value(words=p_text(pair.figures[RANKING].p))

        return Column("p", f"p, {title}", value)

    by_key = {column.key: column for column in table.columns}
    figures = [_with_interval(by_key[name]) for name in FIGURES]
    seeds = [seeds_text(row.entry) for row in table.rows]
    others = [p(other, title) for other, title in _OTHERS.items()]
    last = {"Seeds": seeds} if any(seeds) else None
    return _table(table.rows, [*figures, *others], last=last)


def seeds_text(entry: Entry) -> str:
    """Return an entry's means and standard deviations over seeds, if it has several."""
    seeds = entry.scores.seeds
    if seeds is None:
        return ""
    figures = [(headlines()[name], seeds.spread[name]) for name in FIGURES]
    texts = [
        f"{of.title} {figure(one.mean, of.digits)} ({figure(one.deviation, 2)})"
        for of, one in figures
    ]
    return f"{len(seeds.seeds) + 1} seeds: {', '.join(texts)}"


def neighbours_text(neighbours: Iterable[tuple[str, Row, EntryPair | None]]) -> Iterator[str]:
    """Yield in words what a row differs from, a line for each figure.

    Args:
        neighbours: The neighbours, as `Board.neighbours` yields them.
    """
    for who, other, pair in neighbours:
        if pair is None:
            yield f"{who}, {other.name}: does not compare"
            continue
        ranking = pair.figures[RANKING]
        verdict = "differs" if ranking.distinct else "does not differ"
        yield (
            f"{who}, {other.name}: {verdict} significantly from it by the combined score, "
            f"{signed(ranking.difference, 2)} on {pair.dialogues} dialogues, " + p_words(ranking.p)
        )
        for name in FIGURES:
            if name != RANKING:
                yield f"  {_in_words(name, pair.figures[name])}"


def _in_words(name: str, one: PairFigure) -> str:
    headline = headlines()[name]
    difference = signed(one.difference, headline.digits)
    verdict = difference if one.distinct else "not significantly different"
    text = f"{headline.title}: {verdict}, {p_words(one.p)}"
    if one.only_a is None:
        return text
    return f"{text}; dialogues won here only: {one.only_a}, there only: {one.only_b}"


# What is reported stands beside the ranked tables and never in them: what the harness cannot score
# is shown as its source prints it, without a rank.


def _reported_figures(board: Board, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the block of what is reported of the systems of a track, if anything is."""
    table = [[row.place, escaped(row.name), *_figures_cells(board, row.entry)] for row in rows]
    if any(cells[2:] != [NOTHING] * 3 for cells in table):
        yield "### Reported figures"
        board_title = "Public board: BLEU / Inform / Success / Combined"
        authors_title = "Authors' own scripts (*reported*): BLEU / Inform / Success"
        yield markdown_table(["#", "System", board_title, "Status", authors_title], table)


def _figures_cells(board: Board, entry: Entry) -> list[str]:
    official = [_printed(claim.figures) for claim in board.official_figures(entry)]
    by_authors = [_printed(one.figures, 3) for one in entry.system.reported if one.setup == "own"]
    verdicts = map(escaped, board.verdicts(entry))
    statuses = [f"*{one}*" if one.startswith("matches") else one for one in verdicts]
    return ["; ".join(texts) or NOTHING for texts in (official, statuses, by_authors)]


def _printed(figures: Mapping[str, Decimal], count: int = 4) -> str:
    names = ("bleu", "inform", "success", "combined")[:count]
    return " / ".join(f"{figures[name]:f}" if name in figures else NOTHING for name in names)


def _not_entered(tables: Sequence[ReportedTable], track: str) -> Iterator[str]:
    """Yield a track's systems without an entry, as tables but the older ones print them."""
    for table in tables:
        rows = [row for row in table.rows if row.entry is None]
        if table.track == track and table.kind != OLD and rows:
            title = "" if table.kind == OFFICIAL else f": {escaped(table.title)}"
            yield f"### {table.heading}{title}"
            yield from _as_printed(table, rows)


def _as_printed(
    table: ReportedTable,
    rows: Sequence[ReportedRow],
    last: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[str]:
    """Yield rows of a public table as printed, with further columns, and their notes."""
    yield f"Printed by [{escaped(table.repository)}]({table.source})."
    columns = [replace(one, title=escaped_cell(one.title)) for one in printed_columns(table, rows)]
    yield _table(rows, columns, linked=True, last=last)
    noted: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            noted.setdefault(row.note, []).append(row.system)
    if noted:
        yield "\n".join(f"- {escaped(', '.join(o))}: {escaped(note)}" for note, o in noted.items())


def older_results_page(board: Board) -> str | None:
    """Return the page of tables made with older scripts; None if there are none."""
    old = [table for table in board.tables if table.kind == OLD]
    return "\n\n".join(_older_page(board, old)) + "\n" if old else None


def _older_page(board: Board, old: Sequence[ReportedTable]) -> Iterator[str]:
    yield "# Older results"
    yield read_toml("notes.toml", __package__)["first"]["older"].format(rules=board.rules)
    here = {row.key: row.parts for row in board.rows}
    for table in old:
        yield f"## {escaped(table.title)}"
        cells = [here.get(row.entry or "", "*reported*") for row in table.rows]
        yield from _as_printed(table, table.rows, {"Here": cells})
