"""The board in Markdown: the leaderboard, the page of all its tables, and that of older results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import TypeVar

from mwz.normalization import read_toml

from ..benchmark import STYLES
from ..comparison import INTERVAL_LEVEL, SIGNIFICANCE, p_text, p_words
from ..io import escaped, escaped_cell, figure, markdown_table, signed
from ..metrics import headlines
from .columns import (
    OTHER_METRICS,
    BoardTable,
    Column,
    answer,
    board_tables,
    columns,
    mark_kinds,
    own_figures,
    printed_columns,
    row_headers,
    track_columns,
)
from .entries import ORDER_FILE, Entry, new_order, order_text
from .model import PAGES, Board, common_signatures
from .pairs import PAIRS_FILE, RANKING, EntryPair, PairFigure, pairs_text
from .reported import OFFICIAL, OLD, ReportedRow, ReportedTable
from .rows import NOTHING, Mark, Row, Value
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
        if track.heading is not None:
            yield f"{escaped(first.title)}:"
        marked = [(row, board.marks(row, escaped)) for row in first.lines]
        yield _short_table(board, first, marked)
        kinds |= {mark.kind for _, marks in marked for mark in marks}
        yield "\n".join(_footnote(row, marks) for row, marks in marked if marks)
        if others:
            yield _wrapped(texts["others"].format(titles="; ".join(one.title for one in others)))
    yield "## Notes"
    told = (one for kind, one in mark_kinds().items() if kind in kinds)
    signs = "; ".join(f"**{one['sign']}** {one['legend']}" for one in told)
    values = {"level": INTERVAL_LEVEL, "significance": p_text(SIGNIFICANCE), "signs": signs}
    yield from (_wrapped(text.format(**values)) for text in texts["short"])


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _footnote(row: Row, marks: Iterable[Mark]) -> str:
    notes = (f"{mark_kinds()[mark.kind]['sign']} {mark.note}" for mark in marks)
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
        own = own_figures(row.entry) if track.delexicalised else {}
        rates = (own.get(name) for name in ("inform", "success") if own)
        return "/".join(NOTHING if one is None else figure(float(one), 1) for one in rates)

    signs = {
        row.key: "".join(mark_kinds()[mark.kind]["sign"] for mark in marks) for row, marks in marked
    }
    track = tracks()[table.track]
    by_key = {column.key: column for column in table.columns}
    listed = [_with_interval(by_key[key]) for key in (track.ranks, *track.leads)]
    texts = {"Range": board.rank_range, "Authors": authors, "Marks": lambda row: signs[row.key]}
    listed += [_of_words(title, text) for title, text in texts.items()]
    lines = [row for row, _ in marked]
    full = [column for column in listed if any(column.value(row).text for row in lines)]
    return _table(lines, full, [row.place for row in lines])


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
    for at, row in enumerate(rows):
        # Addresses are checked where they are read: they hold nothing that ends a link.
        links = {"paper": row.paper, "code": row.code} if linked else {}
        addresses = [f"[{what}]({to})" for what, to in links.items() if to]
        name = escaped(row.name) + (f" ({', '.join(addresses)})" if addresses else "")
        texts = (column.value(row).text for column in listed)
        table.append([*places[at : at + 1], name, *map(escaped_cell, texts)])
    return markdown_table(row_headers(listed, bool(places)), table)


def _of_words(title: str, text: Callable[[_R], str]) -> Column[_R]:
    return Column(title, title, lambda row: Value(words=text(row)))


def _row_notes(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the list of what is to be said of single rows, if there is anything."""
    noted = ((row, [mark.note for mark in row.marks(escaped)]) for row in rows)
    if lines := [f"- {escaped(row.name)}: {'; '.join(notes)}" for row, notes in noted if notes]:
        yield "\n".join(lines)


def _page(board: Board) -> Iterator[str]:
    notes = read_toml("notes.toml", __package__)
    yield from _head(board, "Tables of the board", notes["first"]["tables"])
    tables = board_tables(board)
    for name, track in tracks().items():
        of_track = (_blocks(board, table) for table in tables if table.track == name and table.rows)
        below = (track.below(board), _not_entered(board.tables, name))
        if blocks := [*chain.from_iterable(of_track), *chain.from_iterable(below)]:
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
    yield from _reported_figures(board)
    yield "## Notes"
    legends = [notes["columns"]]
    if any(board.interval(row, RANKING) for row in board.rows):
        legends.append(notes["dialogues"])
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
    """Yield a table, with what tests and further seeds say of its rows, and the notes on these."""
    track, rows = tracks()[table.track], table.systems
    if track.heading is not None:
        yield f"### {escaped(table.title)}"
    listed = [column for column in table.columns if column.shown in track.listed]
    if track.delexicalised:
        listed = [*track_columns(table.columns), _of_words("Seeds", lambda r: seeds_text(r.entry))]
    listed = [*map(_with_interval, listed), *_p_values(board, rows)]
    full = [column for column in listed if any(column.value(row).text for row in rows)]
    places = [row.place for row in rows] if track.submitted else []
    yield _table(rows, full, places, linked=track.delexicalised)
    yield from _row_notes(rows)


def _with_interval(column: Column[_R]) -> Column[_R]:
    """Return a column whose figures are followed by half of their interval, where one is known."""
    # Without blanks, lines stay within the width.
    return _of_words(column.full_title, lambda row: column.value(row).with_half.replace("≥ ", "≥"))


def _p_values(board: Board, rows: Sequence[Row]) -> Iterator[Column[Row]]:
    """Yield columns of p-values against the row above and the best, where ranges are known."""
    keys = [row.compared_as for row in rows if row.rank is not None]

    def p(row: Row, above: bool) -> str:
        at = keys.index(row.compared_as) if row.rank is not None else 0
        pair = board.pairs.get((row.compared_as, keys[at - 1 if above else 0])) if at else None
        return NOTHING if pair is None else p_text(pair.ranking.p)

    if any(map(board.rank_range, rows)):
        yield _of_words("p, row above", partial(p, above=True))
        yield _of_words("p, best", partial(p, above=False))


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


def _reported_figures(board: Board) -> Iterator[str]:
    """Yield the block of what is reported of systems with responses, if anything is."""

    def official(row: Row) -> str:
        return "; ".join(_printed(claim.figures) for claim in board.official_figures(row.entry))

    def authors(row: Row) -> str:
        claims = (one for one in row.entry.system.reported if one.setup == "own")
        return "; ".join(_printed(claim.figures, 3) for claim in claims)

    texts = {
        "Public board: BLEU / Inform / Success / Combined": official,
        "Status": lambda row: "; ".join(board.verdicts(row.entry)),
        "Authors' own scripts: BLEU / Inform / Success": authors,
    }
    if rows := [row for row in board.rows if official(row) or authors(row)]:
        yield "## Reported figures"
        yield _table(rows, [_of_words(title, text) for title, text in texts.items()])


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
    parts = {row.key: row.parts for row in board.rows}
    here: Column[ReportedRow] = _of_words(
        "Here", lambda row: parts.get(row.entry or "", "reported")
    )
    for table in old:
        yield f"## {escaped(table.title)}"
        yield from _as_printed(table, table.rows, here)
