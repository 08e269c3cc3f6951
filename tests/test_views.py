"""The views of the board agree: page, leaderboard, tables, README, CSV and JSON say the same."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

import pytest
from entered import REPOSITORY
from helpers import PROJECT
from parsed import HTML, tree_of

from mwz.harness.board import Board
from mwz.harness.board.markdown import pages

Cells: TypeAlias = dict[tuple[str, str, str], str]
"""Table, system and column -> what stands there, without the sign of a lower bound."""

TABLES = ("end-to-end", "policy-optimization", "state-tracking-0", "lexicalised", "live-0")
"""The tables of leaderboard.md, as the page calls them."""


@pytest.fixture(scope="module")
def page(project_site: Mapping[str, str]) -> Cells:
    return dict(_of_page(project_site["index.html"]))


def _of_page(text: str) -> Iterator[tuple[tuple[str, str, str], str]]:
    for section in tree_of(text).iter(f"{HTML}section"):
        for table in section.iter(f"{HTML}table"):
            keys = [column.get("data-column") for column in table.iter(f"{HTML}th")]
            for row in table.iter(f"{HTML}tr"):
                name = row.find(f"{HTML}th/{HTML}span[@class='name']")
                if row.get("class") is None or name is None:
                    continue
                for key, cell in zip(filter(None, keys), row, strict=True):
                    if key == "system":
                        continue
                    place = (str(table.get("data-table")), "".join(name.itertext()), key)
                    yield place, _plain("".join(cell.itertext()))


def _plain(cell: str) -> str:
    return " ".join(re.sub(r"[≥+\\]", "", cell).replace("−", "-").split())


def _of_markdown(text: str, tables: Sequence[str]) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Yield the cells of the tables with a system's name, which page calls `tables`."""
    names = iter(tables)
    for lines in re.findall(r"(?:^\|.*\n)+", text, re.M):
        head, _, *rows = (
            [_plain(cell) for cell in line.split("|")[1:-1]] for line in lines.splitlines()
        )
        if "System" in head:
            table = next(names, None)
            for row in rows if table else ():
                cells = dict(zip(head, row, strict=True))
                system = cells.pop("System")
                yield from (((str(table), system, title), cells[title]) for title in cells)


def _key(title: str) -> str:
    return re.sub(r" \((reported)\)$", r"-\1", title.lower())


def _same(cell: str, value: str) -> bool:
    """Whether a cell of the page says what a download says, with fewer digits."""
    words = cell.split() or [""]
    if not re.fullmatch(r"-?\d+(\.\d+)?", words[0]):
        return words[0].strip("–") == "" == value or cell == value
    half = Decimal(5).scaleb(Decimal(words[0]).as_tuple().exponent - 1)  # type: ignore[operator]
    return abs(Decimal(value) - Decimal(words[0])) <= half


def test_the_leaderboard_says_what_the_page_says(page: Cells, project_board: Board) -> None:
    tables = set()
    for (table, system, title), cell in _of_markdown(
        pages(REPOSITORY, project_board)[PROJECT / "leaderboard.md"], TABLES
    ):
        if title == "Authors" and cell:
            authors = [page[table, system, f"{name}-reported"] for name in ("inform", "success")]
            assert "/".join(cell.split()[0] for cell in authors) == cell
        elif title in ("#", "Range"):
            assert cell in ["", *page.get((table, system, "rank"), "– human").split()]
        elif (table, system, _key(title)) in page:
            assert page[table, system, _key(title)] == cell, (table, system, title)
            tables.add(table)
    assert tables == set(TABLES)


def test_the_downloads_say_what_the_page_says(project_site: Mapping[str, str], page: Cells) -> None:
    objects = {row["entry"]: row for row in json.loads(project_site["board.json"])["rows"]}
    compared = 0
    for line in csv.DictReader(io.StringIO(project_site["board.csv"])):
        table = "end-to-end" if line["track"] == "reference" else line["track"]
        for key in ("bleu", "inform", "success", "combined"):
            cell = page[table, line["system"], key]
            name = key if key == "bleu" else f"{key}_strict_2021"
            assert _same(cell, line[name]), (line["system"], key)
            assert Decimal(line[name] or 0) == Decimal(str(objects[line["entry"]].get(key) or 0))
            if "±" in cell:
                half = (Decimal(line[f"{key}_high"]) - Decimal(line[f"{key}_low"])) / 2
                assert _same(cell.partition("±")[2], str(half)), (line["system"], key)
            compared += cell != "–"
        for key in ("inform", "success"):
            cell = page[table, line["system"], f"{key}-reported"]
            assert _same(cell, line[f"{key}_reported"]), (line["system"], key)
    assert compared > 100


@pytest.mark.parametrize("track", ["state-tracking", "lexicalised", "live"])
def test_the_tables_of_other_tracks_say_what_the_page_says(
    track: str, project_site: Mapping[str, str], page: Cells
) -> None:
    lines = list(csv.DictReader(io.StringIO(project_site[f"{track}.csv"])))
    titles = list(dict.fromkeys(line["table"] for line in lines))
    compared = 0
    for line in lines:
        table = track if track == "lexicalised" else f"{track}-{titles.index(line['table'])}"
        for (of_table, system, key), cell in page.items():
            column = re.sub(r"[^a-z0-9]+", "_", key).strip("_")
            if (of_table, system) == (table, line["system"]) and column in line and cell != "human":
                assert _same(cell, line[column]), (system, column)
                compared += 1
    assert compared >= 5 * len(lines)
