"""Tables of trackers: compact by default, no wider than the terminal, names that still differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import run_cli
from hypothesis import given, settings
from hypothesis import strategies as st
from tracking_cases import FGA_FIGURE_1, GCA_SAMPLE_2, belief, tracked

from mwz.harness.metrics.tracking.evaluation import score_tracking
from mwz.harness.metrics.tracking.tracking_text import (
    SHORTEST_NAME,
    fitted_table,
    result_text,
    shortened,
)

Capture = pytest.CaptureFixture[str]

NAMES = st.lists(
    st.text(st.sampled_from("ab_."), min_size=1, max_size=40), min_size=1, max_size=30, unique=True
)


@given(NAMES, st.integers(SHORTEST_NAME, 40))
def test_shortened_names_fit_and_differ(names: list[str], longest: int) -> None:
    short = shortened(names, longest)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) <= longest


@settings(deadline=None, max_examples=50)
@given(NAMES, st.integers(1, 25), st.integers(34, 200))
def test_tables_are_no_wider_than_the_terminal_and_hold_every_cell_once(
    names: list[str], rows: int, width: int
) -> None:
    columns = [{f"row {r}": f"{at}.{r}" for r in range(rows)} for at in range(len(names))]
    table = fitted_table("metric (%)", names, columns, width)
    assert max(map(len, table.splitlines())) <= width
    cells = [word for line in table.splitlines() for word in line.split()]
    for column in columns:
        for cell in column.values():
            assert cells.count(cell) >= 1


def test_names_are_cut_where_they_tell_least() -> None:
    assert shortened(["alpha-long-one", "beta-long-one"], 8) == ["alpha-l…", "beta-lo…"]
    # The same beginnings: the ends are kept.
    assert shortened(["same-begin-1", "same-begin-2"], 8) == ["same-b…1", "same-b…2"]
    # They differ in the middle only, where neither end reaches.
    assert shortened(["aaaaaaaa1bbbbbbbb", "aaaaaaaa2bbbbbbbb"], 8) == ["1 aaaaa…", "2 aaaaa…"]


def test_a_table_that_fits_has_the_systems_in_columns_else_in_rows() -> None:
    columns = [{"JGA": "1.00", "fuzzy joint accuracy": "2.00"}] * 2
    wide = fitted_table("metric (%)", ["one", "two"], columns, 80).splitlines()
    assert wide[0].split() == ["metric", "(%)", "one", "two"]
    names = [f"a-rather-long-name-of-a-system-{number}" for number in range(2)]
    narrow = fitted_table("metric (%)", names, columns, 60).splitlines()
    assert narrow[0].split() == ["system", "JGA", "fuzzy"]
    assert [line.split() for line in narrow[-2:]] == [[name, "1.00", "2.00"] for name in names]


def _write(path: Path, turns: Any) -> Path:
    content = [{"gt": belief(gold), "pr": belief(predicted)} for gold, predicted in turns]
    path.write_text(json.dumps({"d": content}), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Seven files with long names of one beginning."""
    return [
        _write(tmp_path / f"a_tracker_trained_with_seed_{seed}_on_everything.json", FGA_FIGURE_1)
        for seed in range(7)
    ]


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_the_command_keeps_to_the_terminals_width(
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    files: list[Path],
    columns: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    run = run_cli(capsys, "dst", *files)
    assert run.status == 0
    *lines, signature = run.out.splitlines()
    # All have the same gold states, so one signature, which is one line to copy.
    assert signature.startswith("mwz:")
    assert max(map(len, lines)) <= columns
    assert run.out.count("33.33") >= 7


def test_the_main_figures_are_shown(capsys: Capture, tmp_path: Path) -> None:
    path = _write(tmp_path / "one.json", FGA_FIGURE_1)
    compact = run_cli(capsys, "dst", path).out
    rows = [line.split("  ")[0] for line in compact.splitlines()]
    shown = [row for row in rows if row and row.split()[0] in ("JGA", "RSA", "FGA", "GCA", "F1")]
    assert shown == ["JGA", "RSA", "FGA λ=0.5", "GCA", "F1"]
    assert "fuzzy joint accuracy" in rows
    full = result_text(score_tracking([tracked(*FGA_FIGURE_1)]))
    for further in ("joint recall", "IAGA", "FGA λ=1", "missed", "tail orientation (TO)"):
        assert further not in compact
        assert further in full


def test_every_lambda_that_was_asked_for_is_shown(capsys: Capture, tmp_path: Path) -> None:
    path = _write(tmp_path / "one.json", FGA_FIGURE_1)
    compact = run_cli(capsys, "dst", path, "--variant", "lambda=0.5,2").out
    assert "FGA λ=0.5 " in compact
    assert "FGA λ=2 " in compact


def test_files_with_different_gold_states_are_said_not_to_compare(
    capsys: Capture, tmp_path: Path
) -> None:
    one = _write(tmp_path / "one.json", FGA_FIGURE_1)
    same = _write(tmp_path / "same.json", [(gold, "") for gold, _ in FGA_FIGURE_1])
    other = _write(tmp_path / "other.json", GCA_SAMPLE_2)
    alike = run_cli(capsys, "dst", one, same).out
    assert "compare;" not in alike
    assert len([line for line in alike.splitlines() if line.startswith("mwz:")]) == 1
    unlike = run_cli(capsys, "dst", one, same, other).out
    assert "these figures do not all compare; different gold states" in unlike
    assert "one, same:\nmwz:" in unlike
    assert "other:\nmwz:" in unlike


# More digits than Python reads of a number.
DIGITS = "9" * 5000
BAD_FILES = [
    (f'{{"d": {{"{DIGITS}": {{"gt": {{}}, "pr": {{}}}}}}}}', "expected turn numbers as keys"),
    (f'{{"d": {{"0": {{"gt": {DIGITS}, "pr": {{}}}}}}}}', "cannot be read as JSON"),
    (f'{{"d_{DIGITS}": [[], []]}}', "dialogue d_999"),
    (f'{{"{DIGITS}": {{"0": {{"gt": {{}}, "pr": 3}}}}}}', "pr: expected a state"),
    (f'{{"d": [["{DIGITS}"]]}}', "found '999"),
    ('{"d": {"turns": {}}}', "dialogue d: no turns"),
]


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_bad_files_are_told_in_one_short_message(
    capsys: Capture, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content, encoding="utf-8")
    run = run_cli(capsys, "dst", path)
    assert (run.status, run.out) == (2, "")
    assert message in run.err
    assert len(run.err) < 700


def test_a_dialogue_of_one_turn_is_scored(capsys: Capture, tmp_path: Path) -> None:
    path = _write(tmp_path / "one.json", [("hotel.area hotel.stars", "hotel.area")])
    [report] = json.loads(run_cli(capsys, "dst", path, "--json", "-").out)
    assert (report["dialogues"], report["turns"]) == (1, 1)
    assert (report["metrics"]["JGA"], report["metrics"]["recall"]) == (0, 50)
    # One turn is its dialogue's middle, and has all of its mistakes.
    assert report["mistakes"]["tail_orientation"] == report["mistakes"]["non_uniformity"] == 0
    assert [part["first_lost"] for part in report["positions"]] == [1, *[0] * 9]
