"""Rank ranges, bands, the answer above a table, and the marks of rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from entered import enter, report, reports, site_of, system
from parsed import board_lines, elements, row_of, text_of, tree_of

from mwz.harness.board import Board, read_entries
from mwz.harness.board.columns import answer, board_tables, columns, verdict_mark
from mwz.harness.board.model import make_board
from mwz.harness.board.pairs import EntryPair, PairFigure
from mwz.harness.board.scores import FIGURES
from mwz.harness.board.views.site import make_site


def _pair(a: str, b: str, difference: float, p: float) -> EntryPair:
    figure = PairFigure(difference, p, "randomisation")
    return EntryPair((a, b), 100, dict.fromkeys(FIGURES, figure))


def _ranges(folder: Path, *pairs: tuple[str, str, float, float]) -> Board:
    """Return a board of alpha to delta, of BLEU 25, 24, 23 and 22, with tests as given."""
    for bleu, key in {25.0: "alpha", 24.0: "beta", 23.0: "gamma", 22.0: "delta"}.items():
        enter(folder, key, system(name=key.title()), reports(bleu=bleu))
    by_keys = {}
    for a, b, difference, p in pairs:
        pair = _pair(a, b, difference, p)
        by_keys |= {(a, b): pair, (b, a): pair.reversed()}
    return make_board(read_entries(folder), "2021", pairs=by_keys)


def test_a_rank_range_goes_from_who_is_better_to_who_is_worse(tmp_path: Path) -> None:
    # Alpha and gamma, alpha and delta, beta and delta differ (p = .01); the others do not (.2).
    board = _ranges(
        tmp_path,
        *(("alpha", "gamma", 2.0, 0.01), ("alpha", "delta", 3.0, 0.01)),
        *(("beta", "delta", 2.0, 0.01), ("alpha", "beta", 1.0, 0.2)),
        *(("beta", "gamma", 1.0, 0.2), ("delta", "gamma", -1.0, 0.2)),
    )
    # Nobody is better than alpha, two are worse: 1 to 4 - 2. Two are better than delta: 1 + 2 to 4.
    assert board.rank_ranges == {"alpha": (1, 2), "beta": (1, 3), "gamma": (2, 4), "delta": (3, 4)}
    # Gamma is the first that is worse than alpha, and delta is not worse than gamma.
    bands = [[row.key for row in band] for band in board.bands("end-to-end")]
    assert bands == [["alpha", "beta"], ["gamma", "delta"]]


def test_a_rank_range_has_the_rank_of_a_lower_bound(tmp_path: Path) -> None:
    # Delta, the last, is better than gamma on the dialogues that both submit: 1 + 2 to 4 - 1, and
    # its rank, 4. Gamma: 1 + 3 to 4, and its rank, 3.
    board = _ranges(tmp_path, ("delta", "gamma", 1.0, 0.01))
    assert board.rank_ranges == {"gamma": (3, 4), "delta": (3, 4)}


def test_who_compares_with_none_is_neither_better_nor_worse(tmp_path: Path) -> None:
    # Of delta, the last, nothing is known: it has no range, and stays below the others.
    board = _ranges(
        tmp_path,
        *(("alpha", "beta", 1.0, 0.01), ("alpha", "gamma", 2.0, 0.01)),
        ("beta", "gamma", 1.0, 0.01),
    )
    assert board.rank_ranges == {"alpha": (1, 1), "beta": (2, 2), "gamma": (3, 3)}
    files = make_site(_ranges(tmp_path / "without"), tmp_path / "docs")
    assert {line["rank_range"] for line in board_lines(files).values()} == {""}
    assert "compare.html" not in files
    assert "compare.html" not in files["index.html"]


@pytest.mark.parametrize(
    ("distinct", "tied", "first"),
    [
        ("beta gamma delta", "", "Alpha is the best: significantly ahead of all others on"),
        # A band ends at beta, which is worse; gamma below it is not.
        ("beta delta", "gamma", "No single best: Alpha and Gamma are statistically tied on"),
        ("beta", "", "Alpha is the best: significantly ahead of all that compare with it on"),
        ("", "beta gamma", "No single best: Alpha, Beta and Gamma are statistically tied on"),
        ("", "", "Alpha leads by"),
    ],
)
def test_the_answer_names_who_is_tied(distinct: str, tied: str, first: str, tmp_path: Path) -> None:
    pairs = [("alpha", key, 1.0, 0.01) for key in distinct.split()]
    pairs += [("alpha", key, 1.0, 0.2) for key in tied.split()]
    board = _ranges(tmp_path, *pairs)
    table = next(table for table in board_tables(board) if table.key == "end-to-end")
    tested = "" if pairs else "; no test compares the systems"
    # All have Inform 70 and Success 60; alpha has the highest BLEU, 25.
    others = "Alpha, Beta, Gamma and Delta have the highest Inform and Success, Alpha BLEU."
    assert answer(board, table) == f"{first} Combined{tested}. {others}"
    # One ranked system answers nothing.
    assert answer(board, replace(table, rows=table.rows[:1])) == ""
    # A thick line begins each band but the first, of which the best worse row is the beginning.
    page = tree_of(make_site(board, tmp_path / "docs")["index.html"])
    begins = [tr.get("id") for tr in elements(page, "tr") if "begins" in str(tr.get("class"))]
    assert begins == [f"row-{key}" for key in distinct.split()[:1]]


def test_marks_say_in_short_what_qualifies_a_row(tmp_path: Path) -> None:
    # Tied on Combined (p = .2), but not on BLEU (.01). Under 2026 beta, of BLEU 24, is the first.
    pair = _pair("alpha", "beta", 1.0, 0.2)
    distinct = PairFigure(1.0, 0.01, "randomisation")
    pair = replace(pair, figures={**pair.figures, "bleu": distinct})
    enter(tmp_path, "alpha", system(name="Alpha", note="one run"), reports(bleu=23.0))
    newest = {"2026": report("2026", bleu=24.0)}
    # 90 of 100 dialogues are 540 of 600 turns: at least (63 + 54) / 2 + 18 = 76.5, of 85.
    part = reports(bleu=20.0, turns=540, dialogues=90)
    enter(tmp_path, "beta", system(name="Beta"), {**reports(bleu=22.0), **newest})
    enter(tmp_path, "gamma", system(name="Gamma"), part)
    pairs = {("alpha", "beta"): pair, ("beta", "alpha"): pair.reversed()}
    board = make_board(read_entries(tmp_path), "2021", pairs=pairs)
    marks = {row.key: {m.kind: (m.note, m.value) for m in board.marks(row)} for row in board.rows}
    assert marks["alpha"] == {"note": ("one run", ""), "rules": ("rank 2 under rules 2026", "2")}
    assert marks["beta"] == {
        "rules": ("rank 1 under rules 2026", "1"),
        "differs": ("tied with Alpha above on Combined, but differs in BLEU", ""),
    }
    [(kind, (note, value))] = marks["gamma"].items()
    assert (kind, value, note[:6]) == ("missing", "10", "≥ 76.5")
    # Seen from the newest rule set there is no newer one.
    newer = make_board(read_entries(tmp_path), "2026")
    assert [m.kind for m in newer.marks(newer.rows[0])] == []
    # Beside the name stand a sign, which is for narrow pages, and words: the note, if it is short.
    page = make_site(board, tmp_path / "docs")["index.html"]
    [button] = elements(row_of(page, "row-beta"), "button")
    assert text_of(button) == "V 1rank 1 under rules 2026 ≠tied, parts differ"
    notes = next(e for e in tree_of(page).iter() if e.get("id") == button.get("popovertarget"))
    assert "tied with Alpha above on Combined, but differs in BLEU" in text_of(notes)
    # What an entry says of itself does not stand there.
    [button] = elements(row_of(page, "row-alpha"), "button")
    assert text_of(button).startswith("Nnote ")


def test_only_what_the_harness_contradicts_is_marked_bad() -> None:
    marks = {
        "matches the public board": "good",
        "matches the paper": "good",
        "matches the public board under strict set-up, rules 2023: Inform +0.9": "",
        "matches the public board to rounding: average length +0.01": "good",
        "domains from states: Success +1.8": "",
        "does not match: unique words -1": "",
        "not scored": "",
        "optimistic combined score: Combined -15.6": "",
        "contradicts its printed parts: Combined -15.6": "bad",
    }
    assert {verdict: verdict_mark(verdict) for verdict in marks} == marks


def test_a_gap_to_a_reported_figure_is_marked_beyond_two_points(tmp_path: Path) -> None:
    # Scored are Inform 70 and Success 60: 2.0 and 2.1 points less than reported.
    reported = [{"source": "x", "inform": "72.0", "success": "62.1"}]
    enter(tmp_path, "alpha", system(name="Alpha", reported=reported))
    board = make_board(read_entries(tmp_path), "2021")
    by_key = {column.key: column.value(board.rows[0]) for column in columns(board)}
    inform, success = by_key["inform-reported"], by_key["success-reported"]
    assert (inform.text, inform.mark) == ("72.0", "")
    assert (success.text, success.mark) == ("62.1", "bad")
    assert [inform.gap, success.gap] == pytest.approx([-2.0, -2.1])
    cells = [text_of(cell) for cell in row_of(site_of(tmp_path)["index.html"], "row-alpha")]
    assert {"72.0 −2.0", "62.1 −2.1"} <= set(cells)
