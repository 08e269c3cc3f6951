"""The board in Markdown: the leaderboard, the page of all its tables, and that of older results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import TypeVar

from mwz.normalization import read_toml

from ..benchmark import CANONICAL_STYLE, STYLES
from ..comparison import INTERVAL_LEVEL, SIGNIFICANCE, p_text, p_words
from ..glossary import glossary, term_of
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
from .entries import ORDER_FILE, Entry, new_order
from .model import ALL_TABLES, LEADERBOARD, OLDER_RESULTS, Board, common_signatures
from .pairs import PAIRS_FILE, RANKING, pairs_text
from .reported import OFFICIAL, OLD, ReportedRow, ReportedTable
from .rows import NOTHING, Row, Value, parts_text, shown_rank
from .scores import FIGURES
from .track import tracks

_R = TypeVar("_R", bound=Row | ReportedRow)

MAIN = (
    "bleu", "inform", "success", "combined", "rank-range", "length", "cbe", "unigrams", "trigrams",
    "joint-accuracy", "coverage", "flags",
)  # fmt: skip
"""Keys of the columns of a track's own table in texts."""

_OTHERS = (
    "inform-optimistic", "success-optimistic", "combined-optimistic",
    *[f"bleu-{style}" for style in STYLES if style != CANONICAL_STYLE], "domains", "states",
)  # fmt: skip
"""Keys of the columns of the table of all tracks together."""


def pages(folder: Path, board: Board) -> Mapping[Path, str]:
    """Return path -> content of every page, and of the files of pairs and order.

    Args:
        folder: The folder of submissions, beside which the pages are.
        board: Its board.
    """
    beside = folder.absolute().parent
    contents = {
        beside / LEADERBOARD: leaderboard_page(board),
        beside / ALL_TABLES: tables_page(board),
    }
    if board.pairs or (folder / PAIRS_FILE).exists():
        contents[folder / PAIRS_FILE] = pairs_text(board.pairs)
    order = new_order(folder, board.entries).items()
    contents[folder / ORDER_FILE] = "".join(f"{digest}  {key}\n" for key, digest in order)
    older = older_results_page(board)
    if older is not None:
        contents[beside / OLDER_RESULTS] = older
    return contents


def _page(board: Board, title: str, about: str, blocks: Iterable[str]) -> str:
    """Return a page: its title, what it is, the note on all scores, and its blocks."""
    head = [f"# {title}", about.format(rules=board.rules)]
    if board.note:
        head.append(escaped(board.note))
    return "\n\n".join(block.rstrip("\n") for block in chain(head, blocks)) + "\n"


# ----------------------------------------------------------------------------- the leaderboard

WIDTH = 120
"""The longest line of the leaderboard, in characters."""


def leaderboard_page(board: Board) -> str:
    """Return what ranks, for a reader on GitHub."""
    texts = read_toml("notes.toml", __package__)
    all_tables = board_tables(board)
    blocks: list[str] = []
    used_marks: set[str] = set()
    for name, track in tracks().items():
        tables = [table for table in all_tables if table.track == name and table.rows]
        if track.ranks and tables:
            blocks += _ranking(board, tables, texts["others"])
            for row in tables[0].lines:
                used_marks.update(mark.kind for mark in board.marks(row))
    signs = []
    for kind, mark in glossary()["marks"].items():
        if kind in used_marks:
            signs.append(f"**{mark.sign}** {mark.meaning}")
    values = {
        "level": INTERVAL_LEVEL,
        "significance": p_text(SIGNIFICANCE),
        "signs": "; ".join(signs),
        "rank_range": term_of("terms", "rank range").meaning,
        "combined": term_of("columns", "Combined").meaning,
    }
    blocks.append("## Notes")
    for text in texts["short"]:
        blocks.append(_wrapped(text.format(**values)))
    return _page(board, "Leaderboard", texts["first"]["leaderboard"], blocks)


def _ranking(board: Board, tables: Sequence[BoardTable], others: str) -> Iterator[str]:
    """Yield who leads a track, its first table in short, and what is to be said of its rows.

    Args:
        board: The board.
        tables: The tables of the track, at least one.
        others: What is said of the other tables, with `{titles}` and `{track}`.
    """
    table, track = tables[0], tracks()[tables[0].track]
    yield f"## {track.title}"
    yield _wrapped(f"{escaped(answer(board, table))} {track.about}".strip())
    if table.rows[0].table:
        yield f"{escaped(table.title)}:"
    yield _short_table(board, table)
    footnotes = []
    for row in table.lines:
        notes = []
        for mark in board.marks(row):
            notes.append(f"{term_of('marks', mark.kind).sign} {mark.quoted(escaped)}")
        if notes:
            footnotes.append(_wrapped(f"- **{escaped(row.name)}** {'; '.join(notes)}", "  "))
    yield "\n".join(footnotes)
    if len(tables) > 1:
        anchor = track.title.lower().replace(" ", "-")
        titles = "; ".join(other.title for other in tables[1:])
        yield _wrapped(others.format(titles=titles, track=anchor))


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _short_table(board: Board, table: BoardTable) -> str:
    """Return what ranks in a table, and what leads, with rank ranges and what authors report."""
    track = tracks()[table.track]

    def reported_rates(row: Row) -> str:
        reported = own_figures(row.entry) if track.delexicalised else {}
        if not reported:
            return ""
        # Who reports their own script's rates reports Inform.
        success = figure(float(reported["success"]), 1) if "success" in reported else NOTHING
        return f"{figure(float(reported['inform']), 1)}/{success}"

    def signs(row: Row) -> str:
        return "".join(term_of("marks", mark.kind).sign for mark in board.marks(row))

    listed = [_with_interval(table.by_key[key]) for key in (track.ranks, *track.leads)]
    listed.append(_of_words("Range", board.rank_range))
    listed.append(_of_words("Authors", reported_rates))
    listed.append(_of_words("Marks", signs))
    return _table(table.lines, _filled(listed, table.lines), ranked=True)


# ------------------------------------------------------------------------ the page of all tables


def _filled(listed: Sequence[Column[Row]], rows: Sequence[Row]) -> list[Column[Row]]:
    """Return the columns in which something stands of some row."""
    filled = []
    for column in listed:
        if any(column.value(row).text for row in rows):
            filled.append(column)
    return filled


def _table(
    rows: Sequence[_R],
    listed: Sequence[Column[_R]],
    ranked: bool = False,
    linked: bool = False,
) -> str:
    """Return a table of rows.

    Args:
        rows: The rows.
        listed: Its columns besides rank and name.
        ranked: Whether it has a column of ranks.
        linked: Whether names are followed by the addresses of paper and code.
    """
    table: list[list[str]] = []
    for row in rows:
        name = escaped(row.name)
        if linked:
            # Addresses are checked where they are read: they hold nothing that ends a link.
            system = row.entry.system if isinstance(row, Row) else row
            links = []
            if system.paper:
                links.append(f"[paper]({system.paper})")
            if system.code:
                links.append(f"[code]({system.code})")
            if links:
                name += f" ({', '.join(links)})"
        cells = [shown_rank(row)] if ranked and isinstance(row, Row) else []
        cells.append(name)
        for column in listed:
            cells.append(escaped_cell(column.value(row).text))
        table.append(cells)
    headers = ["#", "System"] if ranked else ["System"]
    return markdown_table(headers + [column.full_title for column in listed], table)


def _of_words(title: str, text: Callable[[_R], str]) -> Column[_R]:
    return Column(title, title, lambda row: Value(words=text(row)))


def tables_page(board: Board) -> str:
    """Return the page of all tables of the board in Markdown."""
    notes = read_toml("notes.toml", __package__)
    all_tables = board_tables(board)
    blocks: list[str] = []
    english: list[Row] = []
    for name, track in tracks().items():
        of_track: list[str] = []
        for table in all_tables:
            if table.track != name or not table.rows:
                continue
            rows = table.systems
            if rows[0].table:
                of_track.append(f"### {escaped(table.title)}")
            listed = [column for column in table.columns if column.visible != "never"]
            if track.delexicalised:
                listed = [table.by_key[key] for key in MAIN]
                listed.append(_of_words("Seeds", lambda row: seeds_text(row.entry)))
            filled = _filled([_with_interval(column) for column in listed], rows)
            linked = track.delexicalised
            of_track.append(_table(rows, filled, ranked=bool(track.ranks), linked=linked))
        of_track += _not_entered(board.tables, name)
        if of_track:
            blocks += [f"## {track.title}", track.about]
            blocks += of_track
        if track.kind == "plain English":
            english += board.of_track(name)
    all_columns = columns(board)
    by_key = {column.key: column for column in all_columns}
    blocks.append("## Optimistic set-up, and BLEU by other reference styles")
    blocks.append(_table(board.rows, [by_key[key] for key in _OTHERS]))
    others = [column for column in all_columns if column.above == OTHER_METRICS]
    if others:
        blocks += ["## Other metrics", _table(board.rows, others)]
    blocks += ["## Notes", notes["tables"].format(level=INTERVAL_LEVEL)]
    blocks.append("Signature (the sources of domains and states are in the table above):")
    signatures = common_signatures(board.rows) + common_signatures(english)
    blocks.append("\n".join(f"    {signature}" for signature in signatures))
    return _page(board, "Tables of the board", notes["first"]["tables"], blocks)


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
        ranks = [row.rank for row in table.rows if row.rank is not None]
        for row in table.rows:
            if row.entry is not entry:
                continue
            rank = "not ranked" if row.rank is None else f"rank {row.rank} of {len(ranks)}"
            blocks.append(f"{escaped(table.title)}: {rank}")
            blocks.append(_table([row], first_columns(table), ranked=True))
            for mark in board.marks(row):
                # What the entry says of itself is not to pass for a finding.
                source = "note of the entry: " if mark.kind == "note" else ""
                blocks.append(f"- {source}{mark.quoted(escaped)}")
            if row.rank is not None and tracks()[table.track].delexicalised:
                for line in _neighbours(board, row):
                    blocks.append(f"- {escaped(line)}")
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
    further: Sequence[Column[ReportedRow]] = (),
) -> Iterator[str]:
    """Yield rows of a public table as printed, with further columns, and their notes."""
    yield f"Printed by [{escaped(table.repository)}]({table.source})."
    listed = []
    for column in printed_columns(table, rows):
        listed.append(replace(column, term=escaped_cell(column.title)))
    yield _table(rows, listed + list(further), linked=True)
    noted: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            noted.setdefault(row.note, []).append(row.system)
    if noted:
        yield "\n".join(
            f"- {escaped(', '.join(names))}: {escaped(note)}" for note, names in noted.items()
        )


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
        blocks += _as_printed(table, table.rows, [here])
    return "\n\n".join(blocks) + "\n"
