"""The charts of the page: figures by year, and scatter plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from entered import enter, reports, system
from helpers import PROJECT
from hypothesis import given, settings, strategies as st
from parsed import elements, text_of, tree_of
from test_reported import row as reported_row, table as reported_table, written

from mwz.harness.board import Board, read_board, read_entries
from mwz.harness.board.systems import arxiv_number, paper_year
from mwz.harness.board.views.board_data import Published, best_by_year, best_published, published
from mwz.harness.board.views.charts import LINE, apart, nice_marks, scatter
from mwz.harness.board.views.site import make_site, reported_picture


def test_the_best_by_year_are_those_that_beat_all_before() -> None:
    figures = [(2020, 90.0), (2020, 80.0), (2021, 85.0), (2022, 95.0), (2022, 94.0), (2023, 95.0)]
    systems = [Published(year, "x", figure, True) for year, figure in figures]
    best = [(system.year, system.figure) for system in best_by_year(systems)]
    assert best == [(2020, 90.0), (2022, 95.0)]


def test_figures_by_year_are_printed_or_follow_from_what_is(tmp_path: Path) -> None:
    reported = [
        {"source": "x", "inform": 90.0, "success": 80.0, "bleu": 20.0},
        {"source": "y", "inform": 70.0, "success": 60.0},
    ]
    folder = tmp_path / "submissions"
    enter(folder, "alpha", system(name="Alpha", year=2021, reported=reported), reports(bleu=20.0))
    enter(folder, "beta", system(name="Beta"), reports(bleu=25.0))
    gamma = {**reported_row("Gamma", Combined="101.5"), "paper": "https://arxiv.org/abs/1912.01234"}
    written(folder, reported_table(gamma))
    board = read_board(folder, read_entries(folder), "2021")
    # Verified: (70 + 60) / 2 + 20; reported: (90 + 80) / 2 + 20; of beta no year is known.
    figures = sorted(published(board, "end-to-end"), key=lambda system: system.figure)
    assert figures == [
        Published(2021, "Alpha", 85.0, True, "alpha"),
        Published(2019, "Gamma", 101.5, False),
        Published(2021, "Alpha", 105.0, False, "alpha"),
    ]


@pytest.mark.parametrize(
    ("address", "year", "number"),
    [
        ("https://arxiv.org/abs/2111.14592", 2021, "2111.14592"),
        ("https://arxiv.org/pdf/1907.10016.pdf", 2019, "1907.10016"),
        ("https://aclanthology.org/2021.findings-emnlp.112.pdf", 2021, None),
        ("https://www.aclweb.org/anthology/P18-2069", 2018, None),
        ("https://www.aclweb.org/anthology/2020.acl-main.636.pdf", 2020, None),
        ("https://openreview.net/forum?id=oyZxhRI2RiE", None, None),
        ("https://example.org/arxiv.org/2111.14592", None, None),
        (None, None, None),
    ],
)
def test_the_address_of_a_paper_tells_its_year(
    address: str | None, year: int | None, number: str | None
) -> None:
    assert (paper_year(address), arxiv_number(address)) == (year, number)


def test_every_track_has_charts_of_its_own_measures(project_site: Mapping[str, str]) -> None:
    tree = tree_of(project_site["index.html"])
    titles = {
        section.get("id"): [text_of(h3) for h3 in elements(section, "h3")]
        for section in elements(tree, "section")
        if section.get("class") == "track"
    }
    assert titles["end-to-end"] == [
        "Inform against Success", "Best Combined by year", "Success lost, by cause"
    ]  # fmt: skip
    versions = "Best JGA by year on each version of the gold states"
    assert titles["state-tracking"] == ["JGA against Slot F1", versions]
    assert titles["lexicalised"] == ["Success, all against Of a named venue, %"]
    assert titles["live"] == []
    # Every ranked system has its name and year beside the plot, and its figures in a table.
    section = next(s for s in elements(tree, "section") if s.get("id") == "end-to-end")
    names = {text.text for text in section.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Mars 2023", "GALAXY 2022", "DAMD 2020"} <= names
    lines = [[text_of(cell) for cell in row] for row in elements(section, "tr")]
    assert ["Mars", "2023", "78.0 ±2.6", "88.9 ±1.9"] in lines
    # 100 - 78.0 of Success are lost to all causes together.
    assert ["Mars", "22.0"] in [line[:2] for line in lines]


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        # 10.8 to 20.7 in steps of 2: 10, 12, …, 22 are seven marks.
        ([10.8, 20.7], [10, 12, 14, 16, 18, 20, 22]),
        ([47.6, 93.3], [40, 50, 60, 70, 80, 90, 100]),
        ([5.0], [5, 5.1]),
    ],
)
def test_marks_are_round_and_enclose_all_values(values: list[float], marks: list[float]) -> None:
    made = nice_marks(values)
    assert made[0] <= min(values)
    assert made[-1] >= max(values)
    if len(values) > 1:
        assert made == marks


_PERCENT = st.floats(0, 100, allow_nan=False)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_PERCENT, _PERCENT), min_size=1, max_size=30))
def test_all_stands_within_a_plot_and_names_cover_no_other(
    figures: list[tuple[float, float]],
) -> None:
    dots = []
    for x, y in figures:
        ends = {"x_ends": (x / 2, x), "y_ends": (y, y + 1)}
        dots.append({"name": "x", "group": "a", "x": x, "y": y, "label": "x", **ends})
    picture = scatter(dots)
    left, top, right, bottom = picture["plot"]
    for point in picture["points"]:
        assert left <= point["right"] <= right
        assert top <= point["down"] <= bottom
    heights = [label["down"] for label in picture["labels"]]
    assert all(below - above >= LINE - 0.11 for above, below in pairwise(heights))
    assert len(heights) == len(figures)
    assert heights[0] >= 0
    assert heights[-1] <= bottom


def test_a_line_is_level_between_its_points_and_to_the_right_end() -> None:
    dots = []
    for year, best in ((2020, 10.0), (2022, 20.0)):
        dots.append({"name": "x", "group": "reported", "x": year, "y": best, "way": "reported 2.1"})
    picture = scatter(dots, {"2020": 2020, "2024": 2024}, {"10": 10, "20": 20})
    left, top, right, bottom = picture["plot"]
    middle = (left + right) / 2
    path = f"M{left} {bottom}H{middle}V{top}H{right}"
    assert picture["ways"] == [{"group": "reported", "path": path}]


def test_accuracies_are_the_best_on_their_version_of_the_gold_states(project_board: Board) -> None:
    best = best_published(project_board)["state-tracking"]
    assert {figure.gold for figure in best["scored_here"]} >= {"2.2", "2.4"}
    assert {figure.gold for figure in best["reported"]} == {"2.0", "2.1", "2.2", "2.4"}
    of_one = [figure.figure for figure in best["reported"] if figure.gold == "2.1"]
    assert of_one == sorted(of_one)


def test_when_entries_came_is_a_chart(three_entries: Path) -> None:
    # BLEU of alpha is 20, of beta 25, of gamma 15.
    entered = {"gamma": "2031-01-02", "alpha": "2031-01-02", "beta": "2031-03-04"}
    board = read_board(three_entries, read_entries(three_entries), "2021")
    page = tree_of(make_site(replace(board, entered=entered), three_entries)["index.html"])
    lines = [[text_of(cell) for cell in row] for row in elements(page, "tr")]
    # System, day, rank then, rank now.
    assert ["Beta", "2031-03-04", "1", "1"] in lines
    assert ["Alpha", "2031-01-02", "1", "2"] in lines
    assert ["Gamma", "2031-01-02", "2", "3"] in lines
    assert "newest entry 2031-03-04" in text_of(elements(page, "footer")[0])


def test_what_is_reported_stands_beside_what_is_scored(project_site: Mapping[str, str]) -> None:
    page = tree_of(project_site["reported.html"])
    lines = [[text_of(cell) for cell in row] for row in elements(page, "tr")]
    # 95.7 - 83.4 = 12.3, and 81.8 - 70.3 = 11.5.
    assert ["UBAR", "95.7", "83.4", "−12.3", "81.8", "70.3", "−11.5"] in lines
    names = {text.text for text in page.iter("{http://www.w3.org/2000/svg}text")}
    assert {"UBAR 95.7", "83.4 UBAR"} <= names


def test_the_picture_of_the_readme_is_current(project_board: Board) -> None:
    written = (PROJECT / "docs" / "reported.svg").read_text(encoding="utf-8")
    assert written == reported_picture(project_board), "run `python tools/regenerate.py`"
    ElementTree.fromstring(written)


def test_names_are_a_line_apart_and_near_their_places() -> None:
    assert apart([10.0, 12.0, 60.0], 70.0) == [10.0, 23.0, 60.0]
    # The last three would reach below 70: they move up.
    assert apart([10.0, 60.0, 61.0, 62.0], 70.0) == [10.0, 44.0, 57.0, 70.0]
