"""The board in Markdown: the leaderboard, the page of all its tables, and that of older results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TypeVar

from mwz.normalization import read_toml

from ..benchmark import STYLES
from ..comparison import INTERVAL_LEVEL, SIGNIFICANCE, p_text, p_words
from ..glossary import glossary
from ..io import escaped, escaped_cell, figure, markdown_table, signed
from ..metrics import reported_figures
from .columns import (
    OTHER_METRICS,
    BoardTable,
    Column,
    answer,
    board_tables,
    columns,
    first_columns,
    own_figures,
    printed_columns,
)
from .entries import ORDER_FILE, Entry, new_order, order_text
from .model import PAGES, Board, common_signatures
from .pairs import PAIRS_FILE, RANKING, pairs_text
from .reported import OFFICIAL, OLD, ReportedRow, ReportedTable
from .rows import NOTHING, Mark, Row, Value, parts_text, shown_rank
from .scores import FIGURES
from .track import tracks

_R = TypeVar("_R", bound=Row | ReportedRow)

MAIN = (
    "bleu", "inform", "success", "combined", "rank-range", "length", "cbe", "unigrams", "trigrams",
    "joint-accuracy", "coverage", "flags",
)  # fmt: skip
"""Keys of the columns of a track's own table in texts."""

_TABLES: Mapping[str, Sequence[str]] = {
    "Strict and optimistic set-up": (
        "inform", "inform-optimistic", "success", "success-optimistic", "combined",
        "combined-optimistic", "domains", "states",
    ),
    "BLEU by reference style": [f"bleu-{style}" for style in STYLES],
}  # fmt: skip
"""Heading -> keys of the columns of the tables of all tracks together."""


def pages(folder: Path, board: Board) -> Mapping[Path, str]:
    """Return path -> content of every page, and of the files of pairs and order.

    Args:
        folder: The folder of submissions, beside which the pages are.
        board: Its board.
    """
    short, tables, older_page = (folder.absolute().parent / page for page in PAGES)
    contents = {short: _joined(_leaderboard(board)), tables: tables_page(board)}
    if board.pairs or (folder / PAIRS_FILE).exists():
        contents[folder / PAIRS_FILE] = pairs_text(board.pairs)
    contents[folder / ORDER_FILE] = order_text(new_order(folder, board.entries))
    older = older_results_page(board)
    if older is not None:
        contents[older_page] = older
    return contents


def tables_page(board: Board) -> str:
    """Return the page of all tables of the board in Markdown."""
    return _joined(_page(board))


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(block.rstrip("\n") for block in blocks) + "\n"


def _head(board: Board, title: str, about: str) -> Iterator[str]:
    """Yield what a page begins with: its title, what it is, and the note on all scores."""
    yield f"# {title}"
    yield about.format(rules=board.rules)
    if board.note:
        yield escaped(board.note)


# ----------------------------------------------------------------------------- the leaderboard

WIDTH = 120
"""The longest line of the leaderboard, in characters."""


def _leaderboard(board: Board) -> Iterator[str]:
    """Yield what ranks, for a reader on GitHub."""
    texts = read_toml("notes.toml", __package__)
    yield from _head(board, "Leaderboard", texts["first"]["leaderboard"])
    tables_by_track: dict[str, list[BoardTable]] = {}
    for table in board_tables(board):
        if table.rows and tracks()[table.track].ranks:
            tables_by_track.setdefault(table.track, []).append(table)
    kinds: set[str] = set()
    for name, (first, *others) in tables_by_track.items():
        track = tracks()[name]
        yield f"## {track.title}"
        yield _wrapped(f"{escaped(answer(board, first))} {track.about}".strip())
        if first.rows[0].table:
            yield f"{escaped(first.title)}:"
        marks = {row.key: board.marks(row) for row in first.lines}
        yield _short_table(board, first, marks)
        footnotes = []
        for row in first.lines:
            if marks[row.key]:
                footnotes.append(_footnote(row, marks[row.key]))
                kinds.update(mark.kind for mark in marks[row.key])
        yield "\n".join(footnotes)
        if others:
            anchor = track.title.lower().replace(" ", "-")
            titles = "; ".join(table.title for table in others)
            yield _wrapped(texts["others"].format(titles=titles, track=anchor))
    yield "## Notes"
    legend = [mark for kind, mark in glossary()["marks"].items() if kind in kinds]
    values = {
        "level": INTERVAL_LEVEL,
        "significance": p_text(SIGNIFICANCE),
        "signs": "; ".join(f"**{mark.sign}** {mark.meaning}" for mark in legend),
        "rank_range": glossary()["terms"]["rank range"].meaning,
        "combined": glossary()["columns"]["Combined"].meaning,
    }
    for text in texts["short"]:
        yield _wrapped(text.format(**values))


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _footnote(row: Row, marks: Iterable[Mark]) -> str:
    notes = (f"{glossary()['marks'][mark.kind].sign} {mark.quoted(escaped)}" for mark in marks)
    return _wrapped(f"- **{escaped(row.name)}** {'; '.join(notes)}", "  ")


def _short_table(board: Board, table: BoardTable, marks: Mapping[str, Sequence[Mark]]) -> str:
    """Return what ranks in a table, and what leads, with rank ranges and what authors report.

    Args:
        board: The board.
        table: The table.
        marks: Key -> what qualifies each of its lines.
    """
    track = tracks()[table.track]

    def reported_rates(row: Row) -> str:
        reported = own_figures(row.entry) if track.delexicalised else {}
        if not reported:
            return ""
        texts = []
        for name in ("inform", "success"):
            texts.append(figure(float(reported[name]), 1) if name in reported else NOTHING)
        return "/".join(texts)

    def signs(row: Row) -> str:
        return "".join(glossary()["marks"][mark.kind].sign for mark in marks[row.key])

    by_key = {column.key: column for column in table.columns}
    listed = [_with_interval(by_key[key]) for key in (track.ranks, *track.leads)]
    listed.append(_of_words("Range", board.rank_range))
    listed.append(_of_words("Authors", reported_rates))
    listed.append(_of_words("Marks", signs))
    filled = [column for column in listed if any(column.value(row).text for row in table.lines)]
    return _table(table.lines, filled, [shown_rank(row) for row in table.lines])


# ------------------------------------------------------------------------ the page of all tables


def _table(
    rows: Sequence[_R],
    listed: Sequence[Column[_R]],
    places: Sequence[str] = (),
    linked: bool = False,
) -> str:
    """Return a table of rows.

    Args:
        rows: The rows.
        listed: Its columns besides rank and name.
        places: The ranks as shown, of a table that has a column of them.
        linked: Whether names are followed by the addresses of paper and code.
    """
    table: list[list[str]] = []
    for number, row in enumerate(rows):
        name = escaped(row.name)
        system = row.entry.system if isinstance(row, Row) else row
        # Addresses are checked where they are read: they hold nothing that ends a link.
        links = {"paper": system.paper, "code": system.code} if linked else {}
        addresses = [f"[{what}]({address})" for what, address in links.items() if address]
        if addresses:
            name += f" ({', '.join(addresses)})"
        texts = [escaped_cell(column.value(row).text) for column in listed]
        table.append([places[number], name, *texts] if places else [name, *texts])
    headers = ["System", *(column.full_title for column in listed)]
    return markdown_table(["#", *headers] if places else headers, table)


def _of_words(title: str, text: Callable[[_R], str]) -> Column[_R]:
    return Column(title, title, lambda row: Value(words=text(row)))


def _page(board: Board) -> Iterator[str]:
    notes = read_toml("notes.toml", __package__)
    yield from _head(board, "Tables of the board", notes["first"]["tables"])
    tables = board_tables(board)
    for name, track in tracks().items():
        blocks: list[str] = []
        for table in tables:
            if table.track == name and table.rows:
                blocks += _blocks(table)
        blocks += _not_entered(board.tables, name)
        if blocks:
            yield f"## {track.title}"
            yield track.about
            yield from blocks
    all_columns = columns(board)
    by_key = {column.key: column for column in all_columns}
    for title, keys in _TABLES.items():
        yield f"## {title}"
        yield _table(board.rows, [by_key[key] for key in keys])
    others = [column for column in all_columns if column.above == OTHER_METRICS]
    if others:
        yield "## Other metrics"
        yield _table(board.rows, others)
    yield "## Notes"
    yield notes["tables"].format(level=INTERVAL_LEVEL)
    yield "Signature (the sources of domains and states are in the table of set-ups):"
    english: list[Row] = []
    for name, track in tracks().items():
        if track.kind == "plain English":
            english += board.of_track(name)
    signatures = [*common_signatures(board.rows), *common_signatures(english)]
    yield "\n".join(f"    {signature}" for signature in signatures)


def _blocks(table: BoardTable) -> Iterator[str]:
    """Yield a table, with what further seeds say of its rows."""
    track, rows = tracks()[table.track], table.systems
    if rows and rows[0].table:
        yield f"### {escaped(table.title)}"
    listed = [column for column in table.columns if column.visible != "never"]
    if track.delexicalised:
        by_key = {column.key: column for column in table.columns}
        listed = [by_key[key] for key in MAIN]
        listed.append(_of_words("Seeds", lambda row: seeds_text(row.entry)))
    shown = [_with_interval(column) for column in listed]
    filled = [column for column in shown if any(column.value(row).text for row in rows)]
    places = [shown_rank(row) for row in rows] if track.ranks else []
    yield _table(rows, filled, places, linked=track.delexicalised)


def _with_interval(column: Column[_R]) -> Column[_R]:
    """Return a column whose figures are followed by half of their interval, where one is known."""
    # Without blanks, lines stay within the width.
    return _of_words(column.full_title, lambda row: column.value(row).with_half.replace("≥ ", "≥"))


def seeds_text(entry: Entry) -> str:
    """Return an entry's means and standard deviations over seeds, if it has several."""
    seeds = entry.scores.seeds
    if seeds is None:
        return ""
    texts = []
    for name in FIGURES:
        headline, spread = reported_figures()[name], seeds.spread[name]
        mean = figure(spread.mean, headline.digits)
        texts.append(f"{headline.title} {mean} ({figure(spread.deviation, 2)})")
    return f"{len(seeds.seeds) + 1} seeds: {', '.join(texts)}"


def entered_text(entry: Entry, board: Board) -> str:
    """Return an entry's row of each table in Markdown: its rank, its marks, and its neighbours."""
    blocks: list[str] = []
    for table in board_tables(board):
        ranked = sum(row.rank is not None for row in table.rows)
        for row in table.rows:
            if row.entry is not entry:
                continue
            rank = "not ranked" if row.rank is None else f"rank {row.rank} of {ranked}"
            blocks.append(f"{escaped(table.title)}: {rank}")
            blocks.append(_table([row], first_columns(table), [shown_rank(row)]))
            for mark in board.marks(row):
                # What the entry says of itself is not to pass for a finding.
                source = "note of the entry: " if mark.kind == "note" else ""
                blocks.append(f"- {source}{mark.quoted(escaped)}")
            if row.rank is not None and tracks()[table.track].delexicalised:
                blocks += [f"- {escaped(line)}" for line in _neighbours(board, row)]
    seeds = seeds_text(entry)
    if seeds:
        blocks.append(f"mean (standard deviation) over {seeds}")
    # Notes of a flag are the same in each table.
    return "\n\n".join(dict.fromkeys(blocks))


def _neighbours(board: Board, row: Row) -> Iterator[str]:
    """Yield in words whether a ranked row differs from its neighbours in the combined score."""
    for who, other, pair in board.neighbours(row):
        if pair is None:
            yield f"{who}, {other.name}: does not compare"
            continue
        ranking = pair.figures[RANKING]
        verdict = "differs" if ranking.distinct else "does not differ"
        yield (
            f"{who}, {other.name}: {verdict} significantly from it by the combined score, "
            f"{signed(ranking.difference, 2)} on {pair.dialogues} dialogues, " + p_words(ranking.p)
        )


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
    *further: Column[ReportedRow],
) -> Iterator[str]:
    """Yield rows of a public table as printed, with further columns, and their notes."""
    yield f"Printed by [{escaped(table.repository)}]({table.source})."
    listed = []
    for column in printed_columns(table, rows):
        listed.append(replace(column, title=escaped_cell(column.title)))
    yield _table(rows, [*listed, *further], linked=True)
    noted: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            noted.setdefault(row.note, []).append(row.system)
    notes = [f"- {escaped(', '.join(names))}: {escaped(note)}" for note, names in noted.items()]
    if notes:
        yield "\n".join(notes)


def older_results_page(board: Board) -> str | None:
    """Return the page of tables made with older scripts; None if there are none."""
    old = [table for table in board.tables if table.kind == OLD]
    if not old:
        return None
    about = read_toml("notes.toml", __package__)["first"]["older"]
    blocks = ["# Older results", about.format(rules=board.rules)]
    scored = {row.key: parts_text(row) for row in board.rows}
    here: Column[ReportedRow] = _of_words(
        "Here", lambda row: scored.get(row.entry or "", "reported")
    )
    for table in old:
        blocks.append(f"## {escaped(table.title)}")
        blocks += _as_printed(table, table.rows, here)
    return "\n\n".join(blocks) + "\n"
