"""Tables and texts as people read them: within the terminal's width, and only text."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from helpers import Cli, texts_drawn
from hypothesis import given, strategies as st

from mwz.harness.comparison import Interval, plot_scores
from mwz.harness.io import escaped, markdown_table, printable, signed, text_table
from mwz.harness.metrics import Figure

HEADERS = ["System", "BLEU", "Inform", "Success"]
ROWS = [["DAMD", "16.4", "57.9", "47.6"], ["SOLOIST", "13.6", "82.3", "72.4"]]


def test_wide_tables_are_cut_between_columns() -> None:
    whole = text_table(HEADERS, ROWS, width=200)
    widest = max(map(len, whole.splitlines()))
    assert text_table(HEADERS, ROWS, width=widest) == whole
    assert text_table(HEADERS, ROWS) == whole
    parts = text_table(HEADERS, ROWS, width=widest - 1).split("\n\n")
    assert [[line.split() for line in part.splitlines() if "--" not in line] for part in parts] == [
        [["System", "BLEU", "Inform"], ["DAMD", "16.4", "57.9"], ["SOLOIST", "13.6", "82.3"]],
        [["System", "Success"], ["DAMD", "47.6"], ["SOLOIST", "72.4"]],
    ]


_CELLS = st.text("abc 123.–", max_size=12)


@given(columns=st.integers(1, 7), rows=st.integers(0, 4), width=st.integers(1, 60), data=st.data())
def test_cutting_loses_no_column_and_keeps_the_width(
    columns: int, rows: int, width: int, data: st.DataObject
) -> None:
    headers = [f"h{number}" for number in range(columns)]
    cells = [data.draw(st.lists(_CELLS, min_size=columns, max_size=columns)) for _ in range(rows)]
    table = text_table(headers, cells, width=width)
    titles = [line.split() for line in table.splitlines() if line.split()[:1] == ["h0"]]
    # Every column once, and the first in every part.
    assert [name for names in titles for name in names if name != "h0"] == headers[1:]
    # A title has two more blanks.
    widths = [max([4, *(len(row[column]) for row in cells)]) for column in range(columns)]
    if columns > 2 and all(widths[0] + 2 + other <= width for other in widths[1:]):
        assert max(map(len, table.splitlines())) <= width


def test_cells_and_texts_are_shown_without_their_control_characters() -> None:
    assert printable("a\x1b[31mb\x07\x7f\u202e\u200b\x85") == (
        "a\\x1b[31mb\\x07\\x7f\\u202e\\u200b\\x85"
    )
    assert printable("zwei Zeilen,\n\tèin –…") == "zwei Zeilen,\n\tèin –…"
    assert "\x1b" not in text_table(["a"], [["\x1b[2J"]])
    assert "\\x1b[2J" in text_table(["a"], [["\x1b[2J"]])


@given(text=st.text())
def test_what_is_printable_stays_and_nothing_else_is_left(text: str) -> None:
    shown = printable(text)
    assert all(character.isprintable() or character in "\n\t" for character in shown)
    assert printable(shown) == shown
    if all(character.isprintable() for character in text):
        assert shown == text


@given(text=st.text("ab1.-:/@w \\`*_{}[]<>()#+!|~$&\"'\n\t", max_size=40))
def test_escaping_is_undone_by_leaving_out_the_backslashes(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert re.sub(r"\\([^a-z0-9\s])", r"\1", shown) == " ".join(text.split())
    # Whatever has a meaning in Markdown or HTML stands behind a backslash of its own.
    # What is left on both sides of it does not come together.
    plain = re.sub(r"\\[^a-z0-9\s]", "x", shown)
    assert not set(plain) & set("`*_{}[]<>()#+!|~$&")
    assert "://" not in plain
    assert "www." not in plain
    assert not plain.startswith("- ") or shown.startswith("\\")
    assert not re.match(r"\d+\. ", shown)


@given(text=st.text("ab|\\ `", max_size=12))
def test_no_text_adds_a_column_to_a_table(text: str) -> None:
    line = markdown_table(["a", "b"], [[escaped(text), "x"]]).splitlines()[2]
    # A bar that ends a cell has an even number of backslashes before it.
    bars = [m for m in re.finditer(r"(\\*)\|", line) if len(m[1]) % 2 == 0]
    assert len(bars) == 3


@pytest.mark.parametrize(
    ("value", "shown"), [(0.04, "0.0"), (-0.04, "0.0"), (0.06, "+0.1"), (-3.0, "-3.0")]
)
def test_a_difference_that_rounds_to_nothing_has_no_sign(value: float, shown: str) -> None:
    assert signed(value) == shown


def test_tables_fit_the_terminal_and_go_whole_into_a_file(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    whole = cli.done("data", "list").out.splitlines()
    assert sum(line.startswith("sample") for line in whole) == 1
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    lines = cli.done("data", "list").out.splitlines()
    assert max(map(len, lines)) <= 50
    # Eight columns do not fit into one table of 50 characters.
    assert sum(line.startswith("sample") for line in lines) > 1


ODD_NAMES = (r"a$\frac{$", "$x^2$", "a$", "_hidden", "b\udcff", "c\x1b[2J", "d\ne", "\x00")


@pytest.mark.parametrize("suffix", ["svg", "pdf"])
def test_any_name_of_a_file_can_be_drawn(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"picture.{suffix}"
    scores = {"bleu": Interval(19.0, 18.5, 19.5, "bootstrap")}
    plot_scores(ODD_NAMES, {"bleu": Figure("bleu", "BLEU")}, [scores] * len(ODD_NAMES), str(path))
    assert path.stat().st_size > 1000
    if suffix == "svg":
        # What is no XML, nobody can open.
        assert {r"b\udcff", r"c\x1b[2J", "d e"} <= set(texts_drawn(path))
