"""Layouts of states that public projects write: read as what they mean, or refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from helpers import refusal

from mwz.harness.submission import parse_predictions, standard_form
from mwz.harness.submission.notations import NUMBERED, is_state, known_slot_name, read_state

FIRST = {"hotel": {"area": "north"}}
SECOND = {"hotel": {"area": "north", "book people": "2"}, "train": {"leave at": "10:15"}}
FLAT = {"hotel-area": ["north"], "hotel-book_people": ["2"], "train-leave at": ["10:15"]}


def _state(notation: object) -> Mapping[str, Mapping[str, str]]:
    return read_state(notation, lambda *problem: pytest.fail(str(problem)), lambda *remark: None)


def _slots(state: object) -> dict[str, dict[str, str]]:
    return {
        domain: {known_slot_name(slot): value for slot, value in slots.items()}
        for domain, slots in _state(state).items()
    }


def _states(content: object) -> dict[str, list[Any]]:
    dialogues = standard_form(content, "x").dialogues
    return {id_: [_slots(turn["state"]) for turn in turns] for id_, turns in dialogues.items()}


@pytest.mark.parametrize(
    "notation",
    [
        ["hotel-area#####north", "hotel-book people#####2", "train-leave at#####10:15"],
        ["hotel area north", "hotel book people 2", "train leave at 10:15"],
        "belief : hotel area = north | hotel book people = 2 | train leave at = 10:15",
        "<|belief|> hotel area north, hotel book people 2, train leave at 10:15 <|endofbelief|>",
        "- hotel-area: north\n- hotel-book people: 2\n- train-leave at: 10:15",
        f"```json\n{json.dumps(SECOND)}\n```",
        f"Here is the state:\n{json.dumps(SECOND)}\nShall I go on?",
        {"active_intent": "find_hotel", "requested_slots": [], "slot_values": FLAT},
        {"slots_values_name": [*FLAT], "slots_values_list": [*FLAT.values()]},
        [
            {"service": "hotel", "state": {"slot_values": {"hotel-area": ["north"]}}},
            {"service": "hotel", "state": {"slot_values": {"book people": ["2"]}}},
            {"service": "train", "state": {"slot_values": {"leave_at": ["10:15"]}}},
        ],
    ],
)
def test_notations_of_public_projects_say_the_same(notation: object) -> None:
    assert _slots(notation) == SECOND


@pytest.mark.parametrize("text", ["belief :", "<|belief|>  <|endofbelief|>", "none", "{}", ""])
def test_texts_of_an_empty_state_are_one(text: str) -> None:
    assert _state(text) == {}


@pytest.mark.parametrize(
    "text", ["i have a hotel in the area north", "Here: {5}", "[train] leaves at 9", "see {x}"]
)
def test_a_sentence_is_no_state(text: str) -> None:
    assert not is_state(text)


@pytest.mark.parametrize("text", ["[states] 0=north 1=4 [intents]", "0=north"])
def test_numbers_of_slots_are_refused_with_what_is_missing(text: str) -> None:
    problems: list[str] = []
    read_state(text, lambda _, problem: problems.append(problem), lambda *_: None)
    assert problems == [NUMBERED]


def _frames(state: Mapping[str, Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return a user's frames as in MultiWOZ 2.2."""
    frames = []
    for domain, slots in state.items():
        values = {f"{domain}-{slot}": [value] for slot, value in slots.items()}
        frames.append({"service": domain, "slots": [], "state": {"slot_values": values}})
    return frames


def _columns(state: Mapping[str, Mapping[str, str]]) -> dict[str, list[Any]]:
    """Return the same frames as lists, a list per field."""
    states = []
    for frame in _frames(state):
        flat = frame["state"]["slot_values"]
        lists = {"slots_values_name": [*flat], "slots_values_list": [*flat.values()]}
        states.append({"slots_values": lists})
    return {"service": [*state], "state": states}


SPOKEN: list[Any] = [
    [
        {"speaker": "USER", "utterance": "hello", "frames": _frames(FIRST)},
        {"speaker": "SYSTEM", "utterance": "hi", "frames": []},
        {"speaker": "USER", "utterance": "hello", "frames": _frames(SECOND)},
        {"speaker": "SYSTEM", "utterance": "hi", "frames": []},
    ],
    {
        "speaker": [0, 1, 0, 1],
        "utterance": ["hello", "hi", "hello", "hi"],
        "frames": [_columns(FIRST), [], _columns(SECOND), []],
    },
]


@pytest.mark.parametrize("turns", SPOKEN, ids=["2.2", "columns"])
def test_frames_are_the_states_of_the_turns_in_which_the_user_speaks(turns: Any) -> None:
    content = [{"dialogue_id": "SNG0001.json", "services": ["hotel"], "turns": turns}]
    assert _states(content) == {"SNG0001.json": [FIRST, SECOND]}
    turns = standard_form(content, "x").dialogues["SNG0001.json"]
    assert [turn["response"] for turn in turns] == ["hi", "hi"]


def test_a_system_turn_of_multiwozs_log_may_have_an_empty_state() -> None:
    """The user speaks first there, whose turns never have one."""
    semi = {"semi": {"area": "centre"}, "book": {"booked": []}}
    said = [("hello", {}), ("hi", {}), ("a hotel", {}), ("which one?", {"hotel": semi})]
    log = [{"text": text, "metadata": state} for text, state in said]
    turns = standard_form({"SNG0001.json": {"log": log}}, "x").dialogues["SNG0001.json"]
    assert [turn["response"] for turn in turns] == ["hi", "which one?"]
    assert [turn["state"] for turn in turns] == [{}, {"hotel": semi}]


def test_a_list_per_field_is_read_turn_by_turn_and_shorter_ones_are_not() -> None:
    content = {
        id_: {
            "target_turn_belief": [["hotel area south"]] * 2,
            "generated_turn_belief": [["hotel area north"], ["hotel area north", "hotel stars 4"]],
            # What holds at the end, and is as long as there are turns in one dialogue only.
            "generated_belief": ["hotel area north"] * length,
            "generated_response": ["hello", "bye"],
        }
        for id_, length in (("sng0001", 2), ("sng0002", 1))
    }
    last = {"hotel": {"area": "north", "stars": "4"}}
    assert _states(content) == {id_: [FIRST, last] for id_ in content}


def test_columns_per_slot_may_say_whether_they_are_predicted() -> None:
    rows = [
        {
            "guid": f"test-SNG0001.json-{number}",
            "class_prediction_hotel-area": 2,
            "slot_prediction_hotel-area": "north",
            "slot_groundtruth_hotel-area": "south",
            "slot_prediction_train-leaveAt": time,
            "slot_groundtruth_train-leaveAt": "none",
        }
        for number, time in enumerate(("none", "10:15"))
    ]
    dialogues = standard_form(rows, "x").dialogues
    assert [turn["state"] for turn in dialogues["SNG0001.json"]] == [
        {"hotel-area": "north", "train-leaveAt": "none"},
        {"hotel-area": "north", "train-leaveAt": "10:15"},
    ]
    assert dialogues["SNG0001.json"][0]["gold_state"]["hotel-area"] == "south"


def test_sumbts_table_has_the_turn_before_and_no_responses() -> None:
    table = (
        b"# Dialogue ID\tTurn Index\tSystem Response\tUser Utterance\thotel-area\t\n"
        b"SNG0001.json\t0\t\ta hotel\tnorth\t\nSNG0001.json\t1\twhere ?\tnorth\tnorth\t\n"
    )
    dialogues = standard_form(parse_predictions(table, "x"), "x").dialogues
    assert [turn["state"] for turn in dialogues["SNG0001.json"]] == [{"hotel-area": "north"}] * 2
    assert not any("response" in turn for turn in dialogues["SNG0001.json"])


@pytest.mark.parametrize(
    "content",
    [
        [{"dialogue_id": "multiwoz21-test-0", "original_id": "SNG0001.json", "turns": [FIRST]}],
        [{"SNG0001.json": {"results": [FIRST]}}],
        {"outputs": {"dialogues": {"SNG0001.json": [FIRST]}}},
        {"metrics": {"JGA": 1}, "run_1": {"SNG0001.json": [FIRST]}},
        [{"ID": "SNG0001.json", "turn_id": 0, "dialog": {"sys": [], "usr": []}, "pred": FIRST}],
    ],
    ids=["ConvLab", "an object each", "two wrappers", "a wrapper of any name", "IC-DST"],
)
def test_dialogues_are_found_below_and_beside_other_keys(content: object) -> None:
    assert _states(content) == {"SNG0001.json": [FIRST]}


def test_a_list_without_ids_is_refused_with_the_keys_that_it_has() -> None:
    problem = str(refusal(standard_form, [{"turn_id": 0, "predictions": {"state": FIRST}}], "x"))
    assert "its items have `turn_id`, `predictions`, and no dialogue's id" in problem


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [
        # Turn 1 is missing of the first dialogue, which looks as if user turns were counted.
        ({"a": [0, 2, 3], "b": [0, 1, 2]}, "dialogue a: turn 1 is missing; turns are numbered"),
        ({"a": [0, 2], "b": [0, 1, 2, 3, 4]}, "dialogue a: turn 1 is missing"),
        ({"a": [0, 2, 6], "b": [0, 2]}, "turn 4 is missing; turns are numbered from 0 in steps"),
        ({"a": [2, 3, 4], "b": [1, 2]}, "dialogue a: turn 1 is missing; turns are numbered from 1"),
        ({"a": [0, 2, 4], "b": [0, 2, 3]}, "dialogue b: turn 3 is none of its turns"),
    ],
)
def test_the_first_turn_that_is_missing_is_named(numbers: Any, missing: str) -> None:
    rows = [
        {"id": id_, "turn": number, "response": "x"} for id_ in numbers for number in numbers[id_]
    ]
    assert missing in str(refusal(standard_form, rows, "x"))
