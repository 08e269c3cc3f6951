"""The board in Markdown: the leaderboard, the page of all its tables, and that of older results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
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
    made = {short: _joined(_leaderboard(board)), tables: tables_page(board)}
    if board.pairs or (folder / PAIRS_FILE).exists():
        made[folder / PAIRS_FILE] = pairs_text(board.pairs)
    made[folder / ORDER_FILE] = order_text(new_order(folder, board.entries))
    older = older_results_page(board)
    if older is not None:
        made[older_page] = older
    return made


def tables_page(board: Board) -> str:
    """Return the page of all tables of the board in Markdown."""
    return _joined(_page(board))


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


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
        if first.rows[0].table:
            yield f"{escaped(first.title)}:"
        marked = [(row, board.marks(row)) for row in first.lines]
        yield _short_table(board, first, marked)
        kinds |= {mark.kind for _, marks in marked for mark in marks}
        yield "\n".join(_footnote(row, marks) for row, marks in marked if marks)
        if others:
            where = {"track": track.title.lower().replace(" ", "-")}
            titles = "; ".join(one.title for one in others)
            yield _wrapped(texts["others"].format(titles=titles, **where))
    yield "## Notes"
    legend = (mark for kind, mark in glossary()["marks"].items() if kind in kinds)
    signs = "; ".join(f"**{mark.sign}** {mark.meaning}" for mark in legend)
    values = {"level": INTERVAL_LEVEL, "significance": p_text(SIGNIFICANCE), "signs": signs}
    values["rank_range"] = glossary()["terms"]["rank range"].meaning
    values["combined"] = glossary()["columns"]["Combined"].meaning
    yield from (_wrapped(text.format(**values)) for text in texts["short"])


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _footnote(row: Row, marks: Iterable[Mark]) -> str:
    notes = (f"{glossary()['marks'][mark.kind].sign} {mark.quoted(escaped)}" for mark in marks)
    return _wrapped(f"- **{escaped(row.name)}** {'; '.join(notes)}", "  ")


def _short_table(
    board: Board, table: BoardTable, marked: Sequence[tuple[Row, Sequence[Mark]]]
) -> str:
    """Return what ranks in a table, and what leads, with rank ranges and what authors report.

    Args:
        board: The board.
        table: The table.
        marked: Its lines, each with what qualifies it.
    """

    def authors(row: Row) -> str:
        reported = own_figures(row.entry) if track.delexicalised else {}
        rates = (reported.get(name) for name in ("inform", "success") if reported)
        return "/".join(NOTHING if one is None else figure(float(one), 1) for one in rates)

    signs = {}
    for row, marks in marked:
        signs[row.key] = "".join(glossary()["marks"][mark.kind].sign for mark in marks)
    track = tracks()[table.track]
    by_key = {column.key: column for column in table.columns}
    listed = [_with_interval(by_key[key]) for key in (track.ranks, *track.leads)]
    listed.append(_of_words("Range", board.rank_range))
    listed.append(_of_words("Authors", authors))
    listed.append(_of_words("Marks", lambda row: signs[row.key]))
    lines = [row for row, _ in marked]
    full = [column for column in listed if any(column.value(row).text for row in lines)]
    return _table(lines, full, [shown_rank(row) for row in lines])


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
        table.append([*places[number : number + 1], name, *texts])
    titles = [column.full_title for column in listed]
    return markdown_table([*["#"][: len(places)], "System", *titles], table)


def _of_words(title: str, text: Callable[[_R], str]) -> Column[_R]:
    return Column(title, title, lambda row: Value(words=text(row)))


def _page(board: Board) -> Iterator[str]:
    notes = read_toml("notes.toml", __package__)
    yield from _head(board, "Tables of the board", notes["first"]["tables"])
    tables = board_tables(board)
    for name, track in tracks().items():
        of_track = (_blocks(table) for table in tables if table.track == name and table.rows)
        blocks = [*chain.from_iterable(of_track), *_not_entered(board.tables, name)]
        if blocks:
            yield f"## {track.title}"
            yield track.about
            yield from blocks
    by_key = {column.key: column for column in columns(board)}
    of_all = {title: [by_key[key] for key in keys] for title, keys in _TABLES.items()}
    of_all["Other metrics"] = [one for one in by_key.values() if one.above == OTHER_METRICS]
    for title, listed in of_all.items():
        if listed:
            yield f"## {title}"
            yield _table(board.rows, listed)
    yield "## Notes"
    yield notes["tables"].format(level=INTERVAL_LEVEL)
    yield "Signature (the sources of domains and states are in the table of set-ups):"
    english = (row for name, t in tracks().items() if t.english for row in board.of_track(name))
    signatures = [*common_signatures(board.rows), *common_signatures(english)]
    yield "\n".join(f"    {signature}" for signature in signatures)


def _blocks(table: BoardTable) -> Iterator[str]:
    """Yield a table, with what further seeds say of its rows."""
    track, rows = tracks()[table.track], table.systems
    if rows and rows[0].table:
        yield f"### {escaped(table.title)}"
    listed = [column for column in table.columns if column.visible != "never"]
    if track.delexicalised:
        listed = [column for key in MAIN for column in table.columns if column.key == key]
        listed.append(_of_words("Seeds", lambda row: seeds_text(row.entry)))
    full = [
        column
        for column in map(_with_interval, listed)
        if any(column.value(row).text for row in rows)
    ]
    places = [shown_rank(row) for row in rows] if track.submitted else []
    yield _table(rows, full, places, linked=track.delexicalised)


def _with_interval(column: Column[_R]) -> Column[_R]:
    """Return a column whose figures are followed by half of their interval, where one is known."""
    # Without blanks, lines stay within the width.
    return _of_words(column.full_title, lambda row: column.value(row).with_half.replace("≥ ", "≥"))


def seeds_text(entry: Entry) -> str:
    """Return an entry's means and standard deviations over seeds, if it has several."""
    seeds = entry.scores.seeds
    if seeds is None:
        return ""
    figures = [(reported_figures()[name], seeds.spread[name]) for name in FIGURES]
    texts = [
        f"{of.title} {figure(one.mean, of.digits)} ({figure(one.deviation, 2)})"
        for of, one in figures
    ]
    return f"{len(seeds.seeds) + 1} seeds: {', '.join(texts)}"


def entered_text(entry: Entry, board: Board) -> str:
    """Return an entry's row of each table in Markdown: its rank, its marks, and its neighbours."""
    parts: list[str] = []
    for table in board_tables(board):
        places = sum(row.rank is not None for row in table.rows)
        for row in (one for one in table.rows if one.entry is entry):
            rank = "not ranked" if row.rank is None else f"rank {row.rank} of {places}"
            parts += [f"{escaped(table.title)}: {rank}"]
            parts += [_table([row], first_columns(table), [shown_rank(row)])]
            for mark in board.marks(row):
                # What the entry says of itself is not to pass for a finding.
                source = "note of the entry: " if mark.kind == "note" else ""
                parts.append(f"- {source}{mark.quoted(escaped)}")
            if row.rank is not None and tracks()[table.track].delexicalised:
                parts += [f"- {escaped(line)}" for line in _neighbours(board, row)]
    if seeds := seeds_text(entry):
        parts.append(f"mean (standard deviation) over {seeds}")
    # Notes of a flag are the same in each table.
    return "\n\n".join(dict.fromkeys(parts))


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
    columns = [replace(one, title=escaped_cell(one.title)) for one in printed_columns(table, rows)]
    yield _table(rows, [*columns, *further], linked=True)
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
    parts = {row.key: parts_text(row) for row in board.rows}
    here: Column[ReportedRow] = _of_words(
        "Here", lambda row: parts.get(row.entry or "", "reported")
    )
    for table in old:
        yield f"## {escaped(table.title)}"
        yield from _as_printed(table, table.rows, here)
