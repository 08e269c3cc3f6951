"""The track for state tracking: what it takes, keeps, ranks and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import (
    TURNS,
    change_scores,
    enter,
    enter_tracker,
    report,
    shown_columns,
    system,
    track_tables,
    tracker_scores,
)
from helpers import CAREFUL, Cli, write_json
from submitted import Submitting
from tracking_cases import FGA_FIGURE_1, tracked

from mwz.harness import Benchmark, load_benchmark
from mwz.harness.board import Entry, Scores, read_entries
from mwz.harness.board.columns import board_tables
from mwz.harness.board.copied import Fingerprints
from mwz.harness.board.entries import read_entry
from mwz.harness.board.model import make_board
from mwz.harness.board.rows import shown_rank
from mwz.harness.board.views.board_data import board_csv
from mwz.harness.metrics import score_tracking
from mwz.harness.scoring import Coverage


def own_gold(*turns: tuple[dict[str, Any], dict[str, Any]]) -> bytes:
    """Return a file of one dialogue with (gold, predicted) states of its own."""
    content = {"d0001": {str(n): {"gt": gold, "pr": pred} for n, (gold, pred) in enumerate(turns)}}
    return json.dumps(content).encode()


NORTH = {"hotel": {"area": "north"}}
SOUTH = {"hotel": {"area": "south"}}
HALF = own_gold((NORTH, NORTH), (NORTH, SOUTH))
"""One turn of two is right."""


def _scored(content: bytes = HALF, **options: Any) -> Scores:
    return tracker_scores(content, "file.json", load_benchmark("sample"), **options)


# ------------------------------------------------------------------------------ scoring


def test_a_file_with_gold_states_of_its_own_is_compared_with_them() -> None:
    scores = _scored().result
    assert (scores.gold, scores.version) == ("file", None)
    figures = scores.result.figures
    # One turn of two is exact; one of two predicted slots, and of two gold slots, is right.
    assert (figures["JGA"], figures["F1"], figures["RSA"]) == (50.0, 50.0, 50.0)
    assert scores.coverage == Coverage(1, 1, 2, 2)
    assert scores.gold_digest == scores.signature.gold


def test_the_same_states_score_alike_in_both_tracks(
    sample: Benchmark, submitting: Submitting, tmp_path: Path
) -> None:
    submitting.done(CAREFUL, "Careful", track="end-to-end")
    altered = json.loads(CAREFUL.read_bytes())
    # Without responses it is another file, of the same states.
    states = {id_: [{"state": turn["state"]} for turn in turns] for id_, turns in altered.items()}
    path = write_json(tmp_path / "states.json", states)
    submitting.done(path, "Careful states")
    [table] = _tables(read_entries(submitting.folder))
    assert {row.key for row in table} == {"careful", "careful-states"}
    first, other = (row.figures for row in table)
    own = {"track": None, "flags": None}
    assert {**first, **own} == {**other, **own}


# -------------------------------------------------------------------------- scores.json


def _enter(folder: Path, key: str, content: bytes = HALF, **options: Any) -> Entry:
    """Write an entry of the track by hand."""
    return enter_tracker(folder, key, content, _scored(content, **options))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("result"), "expected scores of the track state-tracking"),
        (lambda c: c["result"].update(extra=1), "result.extra: unknown key"),
        (lambda c: c["result"].pop("result"), "result.result: field required"),
        (lambda c: c["predictions"].update(sha256="x"), "predictions.sha256"),
    ],
)
def test_a_file_that_holds_something_else_is_refused(
    change: Callable[[Any], object], message: str, tmp_path: Path
) -> None:
    place = _enter(tmp_path, "half").folder
    change_scores(place, change)
    edited = read_entry(place)
    assert edited.scores.result is None
    assert any(message in problem for problem in edited.problems), edited.problems


# ------------------------------------------------------------------------------- tables


def _end_to_end(folder: Path, key: str, turns: int = TURNS, **changes: Any) -> Entry:
    """Enter a system whose states are those of figure 1 of the FGA paper, said of all its turns."""
    tracking = replace(score_tracking([tracked(*FGA_FIGURE_1)]), turns=turns)
    changes = {"turns": turns, **changes}
    scored = {"2021": report(dst=tracking, **changes)}
    return enter(folder, key, system(name=key), scored, key.encode())


def _tables(entries: list[Entry]) -> list[list[Any]]:
    return track_tables("state-tracking", entries)


def test_different_gold_states_stand_in_different_tables(tmp_path: Path) -> None:
    entries = [
        _end_to_end(tmp_path, "a"),
        _end_to_end(tmp_path, "b"),
        _enter(tmp_path, "half"),
        _enter(tmp_path, "right", own_gold((NORTH, NORTH), (NORTH, NORTH))),
        _enter(tmp_path, "other", own_gold((SOUTH, SOUTH), (NORTH, NORTH))),
    ]
    tables = [[(row.key, row.rank) for row in table] for table in _tables(entries)]
    assert sorted(tables, key=str) == [
        [("a", 1), ("b", 1)],
        # What files bring along themselves is gold for no rank.
        [("other", None)],
        # Both turns right before one of two.
        [("right", None), ("half", None)],
    ]


def test_end_to_end_systems_have_tracking_figures(tmp_path: Path) -> None:
    [[row]] = _tables([_end_to_end(tmp_path, "a")])
    # Figure 1 of the FGA paper: two of six turns are exact.
    assert row.figures["JGA"].number == pytest.approx(100 * 2 / 6)
    shown = {
        column.title: column.value(row).text for column in shown_columns("state-tracking", [row])
    }
    assert (shown["JGA"], shown["FGA (λ = 0.5)"]) == ("33.33", "46.45")
    assert row.pair_key == "a/states"


def test_turns_that_are_not_tracked_count_as_wrong_for_the_rank(tmp_path: Path) -> None:
    rates = {"inform": 80.0, "success": 60.0}
    made = {"dialogues": 95, "strict": rates, "optimistic": rates}
    most = _end_to_end(tmp_path, "most", turns=570, **made)
    few = _end_to_end(tmp_path, "few", turns=539, **made)
    [[first, second]] = _tables([few, most])
    # Two of six turns are right: 190 of 600.
    assert (first.key, first.rank) == ("most", 1)
    assert first.figures["coverage"].number == 95.0
    assert first.ranking_key == pytest.approx((100 * 190 / 600,))
    # That is what the table shows of it, and its note what it scores otherwise.
    shown = {
        column.title: column.value(first).text
        for column in shown_columns("state-tracking", [first])
    }
    assert shown["JGA"] == "≥ 31.67"
    assert [*first.marks][-1].note.endswith("; 33.33 on the 95 submitted")
    # 539 of 600 is less than nine tenths.
    assert (second.key, second.rank) == ("few", None)
    assert shown_columns("state-tracking", [second])[0].value(second).text == "33.33"


def test_systems_with_the_same_states_count_once(tmp_path: Path) -> None:
    entries = [
        replace(entry, scores=replace(entry.scores, fingerprints=Fingerprints("s", "", marks, "1")))
        for entry, marks in [
            *((_end_to_end(tmp_path, key), marks) for key, marks in [("b", "aa"), ("a", "aa")]),
            (_end_to_end(tmp_path, "c"), "bb"),
            (_end_to_end(tmp_path, "d", turns=570, dialogues=95), "aa"),
        ]
    ]
    board = make_board(entries, "2021")
    [table] = [
        board_table for board_table in board_tables(board) if board_table.track == "state-tracking"
    ]
    # "b" came before "a"; other states, or the same of fewer turns, are others.
    assert [(row.key, shown_rank(row)) for row in table.systems] == [
        ("b", "1"),
        ("c", "1"),
        ("d", "3"),
    ]
    [mark] = [mark for mark in board.marks(table.systems[0]) if mark.kind == "same"]
    assert mark.note == "also a: the same belief states"
    assert len(board_csv(board)["state-tracking.csv"].splitlines()) == 1 + len(entries)


# --------------------------------------------------------------------------- the command


@pytest.fixture
def submitting(tmp_path: Path, cli: Cli) -> Submitting:
    return Submitting(tmp_path, cli, "state-tracking")


@pytest.fixture
def half(tmp_path: Path) -> Path:
    path = tmp_path / "half.json"
    path.write_bytes(HALF)
    return path


def test_after_one_command_a_tracker_is_on_the_board(submitting: Submitting, half: Path) -> None:
    run = submitting.done(half, "Half")
    # One turn of two is right, by what the file itself calls gold.
    assert ": not ranked\n" in run.out
    assert "50.00" in run.out
    page = (submitting.folder.parent / "leaderboard.md").read_text(encoding="utf-8")
    assert "| Half" in page
    submitting.run.done("leaderboard", "--check")


def test_trackers_are_none_of_the_audits_systems(submitting: Submitting, half: Path) -> None:
    submitting(half, "Half")
    submitting(CAREFUL, "Careful", track="end-to-end")
    run = submitting.run.done("audit")
    assert "Half" not in run.out
    assert "half: is in the track state-tracking" in submitting.run.refused("audit", "half")


@pytest.mark.parametrize(
    ("track", "options", "message"),
    [
        ("end-to-end", ["--gold", "2.4"], "--gold is not for the track end-to-end"),
        (
            "state-tracking",
            ["--reported", "bleu=20"],
            "--reported is not for the track state-tracking",
        ),
        ("state-tracking", ["--gold", "2.4"], "2.4"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    track: str, options: list[str], message: str, submitting: Submitting
) -> None:
    assert message in submitting.refused(CAREFUL, "Careful", *options, track=track)
    assert not submitting.folder.exists()


# --------------------------------------------------------------------------- public files
