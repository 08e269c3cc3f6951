"""The trackers of the FGA paper: files without values, logs of turns, sheets of rated dialogues."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, benchmark, dialogue, goal, refusal, write_json
from tracking_cases import read_file, write_states

from mwz.harness.metrics import Choices, GoldStates, parse_tracking_file, score_tracking
from mwz.harness.metrics.tracking.goal_accuracy import ERROR, EXACT, error_distances
from mwz.harness.metrics.tracking.states import dialogue_states
from mwz.harness.submission import parse_predictions


def _right(*wrong: int) -> list[int]:
    return [int(slot not in wrong) for slot in range(30)]


# Exact; two slots go wrong; the same; one of them is right again; the same.
CORRECTNESS = dict(enumerate([_right(), _right(0, 1), _right(0, 1), _right(0), _right(0)]))

SHEETS = """Dialogue ID : MUL1.json
----------------------
Turn: 0
Sys :
Usr : Something cheap: a hotel.

GT  : {'hotel': {'pricerange': 'cheap'}}
PR  : {{}}

Matched : False
----------------------
Dialogue ID : MUL2.json
----------------------
Turn: 0
GT  : {}
PR  : {}
Turn: 1
GT  : {'taxi': {'leaveat': '10:00'}}
PR  : {'taxi': {'leaveat': '10:00'}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_json(tmp_path / "result.json", {"MUL0003.json": CORRECTNESS})


def test_a_file_without_values_has_the_figures_that_need_none(cli: Cli, path: Path) -> None:
    [report] = cli.of("dst").json(path)
    # One of 5 turns is exact; 6 of 150 slots are wrong. Turns 1 and 3 err; turns 2 and 4 are one
    # turn away from these.
    once = 100 * (1 + 2 * (1 - math.exp(-1))) / 5
    assert report["metrics"]["JGA"] == pytest.approx(20)
    assert report["metrics"]["SA"] == pytest.approx(96)
    assert report["metrics"]["FGA"]["1"] == pytest.approx(once)
    assert report["counts"] == {"exact_turns": 1, "turn_matches": 3}
    assert report["metrics"].keys() == {"JGA", "SA", "FGA"}
    assert report["variants"]["fga"] == "slots"
    assert "20.00  96.00" in cli.done("dst", path).out
    assert "SA: 2 of 30 slots wrong" in cli.done("dst", path, "--dialogue", "mul0003").out


def test_files_with_and_without_values_share_a_table(cli: Cli, path: Path) -> None:
    other = write_states(path.with_name("other.json"), [("hotel.area", "hotel.area")])
    rows = cli.of("dst").json(path, other, "--format", "json", "--intervals")
    assert [row["metrics"]["JGA"] for row in rows] == [pytest.approx(20), 100]
    lines = cli.done("dst", path, other).out.splitlines()
    assert lines[2].split()[:2] == ["JGA", "FGA"]
    assert lines[4].split()[-4:] == ["–"] * 4


def test_a_slot_that_is_right_again_errs_by_slots_alone(path: Path) -> None:
    states = dialogue_states(read_file(path).dialogues[0])
    distances = [error_distances(states, way) for way in ("code", "slots")]
    assert distances == [[EXACT, ERROR, 1, 2, 3], [EXACT, ERROR, 1, ERROR, 1]]


def test_commands_that_need_values_refuse_it(cli: Cli, path: Path) -> None:
    problem = "says only which slots are right; a study needs the values of the states"
    assert problem in cli.refused("lab", "analysis", path)
    new = ("--name", "New", "--track", "state-tracking", "--submissions", path.parent)
    message = cli("submit", path, *new, "--code", "https://example.org").err
    assert "an entry needs the values" in message
    tiny = benchmark({"mul0003": dialogue({"hotel": goal()}, 5)})
    gold = GoldStates("9", "tiny", {"mul0003": tiny.dialogues["mul0003"].states})
    content = parse_predictions(path.read_bytes(), "x")
    message = refusal(parse_tracking_file, content, "x", lambda: tiny, gold)
    assert "a comparison with other gold states needs the values" in str(message)


def test_a_log_of_turns_carries_slots_over(tmp_path: Path) -> None:
    gold: Mapping[str, str] = {"hotel-area": "north", "hotel-stars": "4"}
    logged: Sequence[Mapping[str, Any]] = (
        {"gt": {"hotel-area": "north"}, "pr_turn": {"hotel-area": "north"}, "slots": {}},
        {"gt": gold, "pr_turn": {"hotel-stars": "3"}, "slots": {"hotel-stars": ["copy_value"]}},
        {"gt": gold, "pr_turn": {"hotel-stars": "4"}, "slots": {}},
        {"gt": gold, "pr_turn": {}, "slots": {}},
    )
    file = read_file(write_json(tmp_path / "log.json", {"MUL1.json": dict(enumerate(logged))}))
    assert file.format == "Hi-DST (gt, pr_turn)"
    predicted = file.dialogues[0].predicted
    assert [state["hotel"].get("stars") for state in predicted] == [None, "3", "4", "4"]
    assert score_tracking(file.dialogues).metrics["JGA"] == 75


def test_sheets_of_dialogues_follow_one_another(tmp_path: Path) -> None:
    path = tmp_path / "sheets.txt"
    path.write_text(SHEETS, encoding="utf-8")
    dialogues = read_file(path).dialogues
    turns = {dialogue.id: len(dialogue.gold) for dialogue in dialogues}
    assert turns == {"MUL1.json": 1, "MUL2.json": 2}
    assert score_tracking(dialogues).counts["exact_turns"] == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"d": {"0": _right()[:29]}}, "dialogue d, turn 0: expected 30 numbers, 1 for a slot"),
        ({"d": {"0": _right(), "1": [2] * 30}}, "dialogue d, turn 1: expected 30 numbers"),
        ({"d": {"0": _right(), "1": _right(), "3": _right()}}, "dialogue d: turn 2 is missing"),
        ({"d": [{"gt": {}, "pr_turn": []}]}, "turn 0: expected 30 numbers"),
        (SHEETS.replace("{{}}", "{'hotel'"), "MUL1.json, turn 0: `state`: expected a state"),
        (SHEETS.replace("PR  : {{}}\n", ""), "dialogue MUL1.json, turn 0: `state` is missing"),
        (SHEETS.replace("MUL2", "MUL1"), "dialogue MUL1.json: is there twice"),
        (SHEETS.replace("ID :", "ID"), "line 3: expected `Dialogue ID:` before `Turn:`"),
    ],
)
def test_what_is_malformed_is_refused_with_its_place(
    content: Any, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert message in str(refusal(read_file, path))


@pytest.mark.real_data
def test_the_rated_dialogues_of_som_dst(upstream: Path, tmp_path: Path) -> None:
    """The flags `Matched` of the sheets say True in 375 of 751 turns."""
    sheets = sorted((upstream / "FGA" / "human_evaluation_files").glob("*.txt"))
    path = tmp_path / "sheets.txt"
    path.write_bytes(b"".join(sheet.read_bytes() for sheet in sheets))
    file = read_file(path)
    result = score_tracking(file.dialogues, Choices())
    assert (len(file.dialogues), result.turns, result.counts["exact_turns"]) == (100, 751, 375)
    assert path.read_text(encoding="utf-8").count("Matched : True") == 375
    assert round(result.figures["FGA.0.5"], 2) == 68.55
