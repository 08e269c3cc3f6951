"""Which fields of a file are predictions and which are gold, whatever its layout."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import pytest
from helpers import refusal
from hypothesis import given, strategies as st
from rewritings import KINDS

from mwz.harness import InputError
from mwz.harness.submission import parse_predictions, standard_form
from mwz.harness.submission.formats.roles import ROLES, meaning_of

Rows = Mapping[str, Sequence[Mapping[str, Any]]]

PREDICTED = {"hotel": {"area": "north"}}
GOLD = {"hotel": {"area": "south", "stars": "4"}}


def _read(content: object) -> dict[str, list[dict[str, Any]]]:
    """Return the responses and states that are read as predictions."""
    fields = ("response", "state")
    dialogues = standard_form(content, "x").dialogues
    return {
        id_: [{field: turn[field] for field in fields if field in turn} for turn in turns]
        for id_, turns in dialogues.items()
    }


def _told(content: object) -> list[str]:
    return [str(remark) for remark in standard_form(content, "x").remarks]


@pytest.mark.parametrize(
    ("key", "role"),
    [
        *((key, ("predicted", "state")) for key in ("pred_state", "stateGen", "Output-State")),
        *((key, ("predicted", "bspn")) for key in ("bspn_gen", "gen bspn")),
        *((key, ("predicted", "")) for key in ("pr", "prediction", "model_output", "hyp")),
        *((key, ("gold", "state")) for key in ("gold_state", "stateLabel", "target state")),
        *((key, ("gold", "")) for key in ("gt", "ground_truth", "expected", "label")),
        ("expected_output", ("gold", "")),
        ("predictions.state", ("predicted", "state")),
        ("generated_turn_belief", ("predicted", "turnbelief")),
        ("pred_bs_ptr", ("predicted", "bsptr")),
        ("state", ("plain", "state")),
        ("answer", ("plain", "answer")),
    ],
)
def test_a_key_says_its_role_and_its_field(key: str, role: tuple[str, str]) -> None:
    assert meaning_of(key) == role


@pytest.mark.parametrize("key", ["general", "price", "reasoning", "slots", "turn", "lex_response"])
def test_other_keys_say_nothing(key: str) -> None:
    assert meaning_of(key) is None


STATE_KEYS = [
    *("pred", "pr", "prediction", "output", "pred_state", "state_gen", "hypBelief", "predicted"),
    *("predicted_state", "generated_belief_state", "bs_gen", "bspn_gen", "pred_bs_ptr"),
    *("pred_belief", "model_output", "predictions"),
]
GOLD_STATE_KEYS = [
    *("gold", "gt", "target", "state", "belief_state", "label_state", "slot_values", "bs", "bspn"),
    *("turn_belief", "label", "ground_truth", "reference_state"),
]
RESPONSE_KEYS = [
    *("resp_gen", "generated", "predicted_response", "generatedText", "response_pred"),
    *("generated_response", "hypothesis"),
]
GOLD_RESPONSE_KEYS = [
    *("response", "resp", "gold_response", "reference", "target-text", "text", "system"),
    *("gt_response", "response_gold"),
]
PLAIN_WITH_GOLD = [("state", gold) for gold in ("gold_state", "state_gold", "gt_state")]
"""Only gold says what it is."""


def _columns(rows: Rows) -> object:
    return {
        id_: {key: [turn[key] for turn in turns] for key in turns[0]} for id_, turns in rows.items()
    }


def _conversation(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    spoken: list[dict[str, Any]] = []
    for turn in turns:
        spoken += [{"speaker": "user", "utterance": "hello"}, {"speaker": "system", **turn}]
    return spoken


def _written(name: str) -> Callable[[Rows], object]:
    """Return what arranges turns as a kind of rewriting does, and reads the file."""
    rewrite = KINDS[f"fields: {name}"][1].rewrite

    def arrange(rows: Rows) -> object:
        content = rewrite(rows, rows)
        return parse_predictions(content, "x") if isinstance(content, bytes) else content

    return arrange


_ARRANGED = (
    *("unchanged", "list of dialogues", "list of turns", "JSON lines of turns", "turns by number"),
    *("below an unknown key", "commas", "tabs"),
)
LAYOUTS: Mapping[str, Callable[[Rows], object]] = {
    **{name: _written(name) for name in _ARRANGED},
    "wrapped": lambda rows: {"summary": {"JGA": 1.0}, "details": _written("list of turns")(rows)},
    "columns": _columns,
    "conversations": lambda rows: {id_: _conversation(turns) for id_, turns in rows.items()},
}


def _plain_state(state: object) -> object:
    return json.loads(state) if isinstance(state, str) else state


@pytest.mark.parametrize("layout", LAYOUTS)
@given(data=st.data())
def test_gold_beside_predictions_is_ignored(layout: str, data: st.DataObject) -> None:
    pairs = [*product(STATE_KEYS, GOLD_STATE_KEYS), *PLAIN_WITH_GOLD]
    state, gold = data.draw(st.sampled_from(pairs))
    response, said = (
        data.draw(st.sampled_from(keys)) for keys in (RESPONSE_KEYS, GOLD_RESPONSE_KEYS)
    )
    values = {state: PREDICTED, gold: GOLD, response: "take [hotel_name]", said: "of the data set"}
    order = data.draw(st.permutations([*values]))
    turn = {key: values[key] for key in order}
    rows = {"sng0001": [turn, turn], "mul0002": [turn]}
    expected = {"response": "take [hotel_name]", "state": PREDICTED}
    read = _read(LAYOUTS[layout](rows))
    assert {*read} == {*rows}
    for id_, turns in read.items():
        assert len(turns) == len(rows[id_])
        for prediction in turns:
            assert {**prediction, "state": _plain_state(prediction["state"])} == expected


@pytest.mark.parametrize("word", ROLES["predicted"])
def test_every_word_for_a_prediction_makes_the_plain_field_gold(word: str) -> None:
    content = {"sng0001": [{"state": GOLD, f"{word}_state": PREDICTED}]}
    assert _read(content) == {"sng0001": [{"state": PREDICTED}]}
    assert "read `state` as gold states, which are no predictions" in _told(content)


@pytest.mark.parametrize("word", ROLES["gold"])
def test_every_word_for_gold_leaves_plain_fields_predicted(word: str) -> None:
    content = {"sng0001": [{f"{word}_response": "data", "response": "take [hotel_name]"}]}
    assert _read(content) == {"sng0001": [{"response": "take [hotel_name]"}]}


@pytest.mark.parametrize(
    "turn",
    [
        {"predictions": {"state": PREDICTED, "response": "hi"}, "state": GOLD, "response": "ho"},
        {"prediction": {"belief_state": PREDICTED, "text": "hi"}, "gold": {"belief_state": GOLD}},
        {"user": "x", "system": {"response": "hi", "state": PREDICTED}},
    ],
)
def test_objects_of_a_turn_are_looked_into(turn: Any) -> None:
    assert _read({"sng0001": [turn]}) == {"sng0001": [{"response": "hi", "state": PREDICTED}]}


@pytest.mark.parametrize(
    ("turn", "names"),
    [
        ({"state": PREDICTED, "belief_state": GOLD}, "`state` and `belief_state`"),
        ({"response": "hi", "answer": "ho"}, "`response` and `answer`"),
        ({"pred_state": PREDICTED, "generated_state": GOLD}, "`pred_state` and `generated_state`"),
    ],
)
def test_two_fields_of_one_kind_and_role_are_refused(turn: Any, names: str) -> None:
    problem = str(refusal(standard_form, {"sng0001": [turn]}, "x"))
    assert names in problem
    assert "mwz convert --key" in problem


def test_two_fields_with_equal_values_are_one() -> None:
    turn = {"state": PREDICTED, "belief_state": PREDICTED, "response": "hi", "answer": "hi"}
    assert _read({"sng0001": [turn]}) == {"sng0001": [{"response": "hi", "state": PREDICTED}]}


@pytest.mark.parametrize(
    "turn", [{"target_belief": GOLD, "response": "hi"}, {"gold_state": GOLD, "response": "hi"}]
)
def test_gold_alone_is_no_prediction(turn: Any) -> None:
    assert _read({"sng0001": [turn]}) == {"sng0001": [{"response": "hi"}]}


def test_a_text_beside_gold_and_predicted_states_is_no_response() -> None:
    turn = {"utterance": "a hotel, please", "predicted": PREDICTED, "ground_truth": GOLD}
    assert _read({"sng0001": [turn]}) == {"sng0001": [{"state": PREDICTED}]}


def test_gold_that_is_empty_everywhere_is_not_gold() -> None:
    turn = {"target_belief": [], "generated_belief": ["hotel-area-north"]}
    (read, *_) = standard_form({"sng0001": [turn] * 10}, "x").dialogues["sng0001"]
    assert (read["state"], "gold_state" in read) == (["hotel-area-north"], False)


def test_what_only_the_user_says_is_no_response() -> None:
    rows = [{"dialogue_id": "sng0001", "utt_idx": 0, "speaker": "user", "utterance": "hello"}]
    rows[0]["predictions"] = {"state": PREDICTED}
    assert _read(rows) == {"sng0001": [{"state": PREDICTED}]}


def test_a_state_beside_the_turns_of_a_dialogue_is_warned_of() -> None:
    content = {"sng0001": {"state": {"hotel": {"area": "north"}}, "turns": [{"response": "hi"}]}}
    remarks = [str(remark) for remark in standard_form(content, "x").remarks if remark.warning]
    assert remarks == ["`state` of dialogues is not read; give a state in every turn"]


def test_what_is_no_dialogue_is_refused_by_its_name() -> None:
    turns = {"0": {"gt": {}, "pr": {}}, "1": {"gt": {}, "pr": {}}}
    with pytest.raises(InputError, match="dialogue JGA: expected a list of turns, found a number"):
        standard_form({"sng0001": turns, "JGA": 0.5}, "x")
