"""Submissions: what is accepted, what is refused and how it is told, how it is normalised."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from helpers import RULES, benchmark, dialogue, goal, parse_submission, refusal
from hypothesis import given, settings, strategies as st

from mwz.harness.errors import InputError
from mwz.harness.submission import CONSTANT, EMPTY_STATES, made_submission, normalize_submission
from mwz.normalization import rule_set, rule_set_names

TWO = benchmark(
    {"mul0001": dialogue({"taxi": goal()}, 2), "pmul0002": dialogue({"restaurant": goal()}, 1)}
)
TURN = {"response": "hello"}
FREE = "dialogues with a simulated user are scored by `mwz score --free-running`"


def _problems(content: object) -> list[str]:
    error = refusal(parse_submission, content, TWO, "file.json")
    assert error.source == "file.json"
    return list(error.problems)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ([], "expected an object of dialogue id -> list of turns, found a list"),
        (None, "expected an object of dialogue id -> list of turns, found null"),
        ({}, "no dialogues; expected an object of dialogue id -> list of turns"),
        (
            {"sng9999": [TURN], "mul0001": [TURN]},
            "dialogue sng9999: not in the benchmark tiny; leave it out",
        ),
        # Not from JSON, where every key is a string.
        ({1: [TURN], "mul0001": [TURN]}, "dialogue 1: not in the benchmark tiny; leave it out"),
        (
            {"MUL0001.json": [TURN], "mul0001": [TURN]},
            "dialogue mul0001: is the same as dialogue MUL0001.json; keep one",
        ),
        ({"mul0001": []}, "dialogue mul0001: no turns; leave the dialogue out if it is not played"),
        ({"mul0001": [TURN] * 3}, f"dialogue mul0001: 3 turns; it has 2 system turns; {FREE}"),
        (
            {"pmul0002": [{"state": {}}]},
            "dialogue pmul0002, turn 0: `response` is missing; expected a string; states alone "
            "are scored by `mwz dst`",
        ),
    ],
)
def test_what_is_no_submission_is_refused_in_one_sentence(content: object, problem: str) -> None:
    assert _problems(content) == [problem]


@pytest.mark.parametrize("id_", ["mul0001", "MUL0001", "MUL0001.json", "Mul0001.JSON"])
def test_ids_may_be_written_as_the_data_set_does(id_: str) -> None:
    assert list(parse_submission({id_: [TURN]}, TWO, "x").dialogues) == ["mul0001"]


def test_a_file_for_another_benchmark_is_told_in_one_line() -> None:
    (problem,) = _problems({f"sng{number}": [TURN] for number in range(20)})
    assert problem.startswith(
        "none of its 20 dialogues (the first is sng0) is in the benchmark tiny"
    )


@pytest.mark.parametrize("turn", [None, ["hello"], 1])
def test_a_turn_must_be_an_object(turn: object) -> None:
    (problem,) = _problems({"mul0001": [turn]})
    assert problem.startswith(
        "dialogue mul0001, turn 0: expected an object with `response`, found "
    )


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("response", None, ': expected a string, found null; write "" for an empty one'),
        ("response", 1, ": expected a string, found a number"),
        ("response", [], ": expected a string, found a list"),
        ("state", 5, ": expected a state (domain -> slot -> value, "),
        ("state", "hotel", ": expected a state (domain -> slot -> value, "),
        ("state", {"hostel": {}}, ": unknown domain 'hostel'; choose from restaurant, hotel, "),
        ("state", {"hotel": [1]}, ", hotel: expected an object of slot -> value, found a list"),
        ("state", {"hotel": {"colour": "red"}}, ", hotel: unknown slot 'colour'"),
        ("state", {"hotel": {"": "red"}}, ", hotel: unknown slot ''"),
        ("state", {"hotel": {5: "x"}}, ", hotel: unknown slot 5"),
        ("state", {"hotel": {"name": [{}]}}, ", hotel, name: expected a string, found a list"),
        ("state", {"hotel": {"name": {}}}, ", hotel, name: expected a string, found an object"),
        ("state", {"hotel": {"stars": float("nan")}}, ", hotel, stars: expected a string, found N"),
        ("state", {"hotel": {"name": "\ud800"}}, ", hotel, name: '\\ud800' is not valid text"),
        ("active_domains", "hotel", ": expected a list of domains, found a string"),
        ("active_domains", {"hotel": 1}, ": expected a list of domains, found an object"),
        ("active_domains", ["hostel"], ": unknown domain 'hostel'; choose from restaurant, "),
        ("active_domains", [["hotel"]], ": unknown domain ['hotel']; choose from restaurant, "),
        ("active_domains", [{}], ": unknown domain {}; choose from restaurant, "),
        ("active_domains", [None], ": unknown domain None; choose from restaurant, "),
    ],
)
def test_fields_of_wrong_types_are_refused(field: str, value: object, problem: str) -> None:
    (message,) = _problems({"mul0001": [TURN, {**TURN, field: value}]})
    assert message.startswith(f"dialogue mul0001, turn 1: `{field}`{problem}")


def test_all_problems_are_found() -> None:
    content = {
        "nosuch": [TURN],
        "mul0001": [{"response": 1, "state": {"x": {}, "hotel": {"y": "", "area": {}}}}, {}],
        "pmul0002": 5,
    }
    places = [problem.split(": ")[0] for problem in _problems(content)]
    assert places == [
        "dialogue nosuch",
        *["dialogue mul0001, turn 0"] * 4,
        "dialogue mul0001, turn 1",
        "dialogue pmul0002",
    ]


@pytest.mark.parametrize(
    "turn",
    [
        {"response": ""},
        {"response": "hi", "state": None, "active_domains": None},
        {"response": "hi", "state": {}, "active_domains": []},
        {"response": "hi", "state": {"taxi": {}}, "active_domains": ["taxi", "general"]},
        {"response": "hi", "resp_gen": 5, "user": ["extra", "keys"], "dspn": None},
        {"response": "hi", "state": {"train": {"arriveBy": "", "leave at": "dontcare"}}},
        {"response": "hi", "state": {"taxi": {"Price Range": "cheap"}, "bus": {}}},
    ],
)
def test_what_the_format_allows_is_accepted(turn: dict[str, Any]) -> None:
    content = {"mul0001": [turn]}
    before = deepcopy(content)
    submission = parse_submission(content, TWO, "x")
    assert content == before
    (parsed,) = submission.dialogues["mul0001"]
    assert parsed.response == turn["response"]
    assert (parsed.state, parsed.active_domains) == (turn.get("state"), turn.get("active_domains"))


# Normalising.


def _normalized(*turns: dict[str, Any], rules: str = "2021") -> Any:
    submission = parse_submission({"mul0001": list(turns)}, TWO, "x")
    return normalize_submission(submission, rule_set(rules))


def test_responses_and_states_are_normalised_in_a_copy() -> None:
    turn = {
        "response": "The [hotel_name] is at [foo] !",
        "state": {"hotel": {"Name": "Finches Bed & Breakfast"}},
        "active_domains": ["hotel"],
    }
    submission = parse_submission({"mul0001": [turn]}, TWO, "x")
    before = deepcopy(submission)
    normalized = normalize_submission(submission, rule_set("2023"))
    assert submission == before
    dialogue_ = normalized.dialogues["mul0001"]
    assert dialogue_.responses == ("the NAME is at!",)
    assert dialogue_.states == ({"hotel": {"name": "finches b and b"}},)
    assert dialogue_.active_domains == (["hotel"],)
    assert dialogue_.domain_slots == ({"hotel": ("NAME",)},)
    assert dialogue_.unknown_placeholders == (("foo",),)
    assert dialogue_.plain == (None,)
    assert len(dialogue_) == 1


@pytest.mark.parametrize(
    ("responses", "names"),
    [
        (("[hotel_name]", "[hotel_phone]"), True),
        (("[value_name]", "[phone]"), False),
        # Half is not most; two of three are.
        (("[hotel_name]", "[name]"), False),
        (("[hotel_name] [train_id]", "[reference]"), True),
        # No placeholder about a venue at all.
        (("[hotel_area]", "hello"), False),
    ],
)
def test_most_placeholders_decide_on_domains(responses: tuple[str, str], names: bool) -> None:
    assert _normalized(*({"response": text} for text in responses)).names_domains is names


def test_a_corpus_submission_is_a_styles_references_as_they_are() -> None:
    corpus = made_submission(TWO, "damd")
    assert corpus.responses == {
        id_: tuple(gold.references["damd"]) for id_, gold in TWO.dialogues.items()
    }
    assert corpus.turns == 3
    assert not corpus.predicts_states
    assert not corpus.predicts_domains
    assert not corpus.names_domains


def test_a_constant_submission_says_the_same_in_every_turn() -> None:
    constant = made_submission(TWO, CONSTANT)
    said = {text for texts in constant.responses.values() for text in texts}
    assert said == {"NAME TRAINID PHONE ADDRESS POST REFERENCE"}
    assert {id_: len(turns) for id_, turns in constant.dialogues.items()} == {
        id_: gold.turns for id_, gold in TWO.dialogues.items()
    }
    assert not constant.predicts_states
    assert not constant.predicts_domains
    assert not constant.names_domains
    # It names everything that tells about a venue, under all rule sets.
    for name in rule_set_names():
        assert set(*(text.split() for text in said)) == rule_set(name).about_venues


def test_a_submission_of_empty_states_says_what_the_references_say() -> None:
    empty = made_submission(TWO, EMPTY_STATES)
    assert empty.predicts_states
    assert {str(state) for dialogue_ in empty.dialogues.values() for state in dialogue_.states} == {
        "{}"
    }
    assert empty.responses == made_submission(TWO, "mwz22").responses


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("mul0001", "response", "state", "active_domains", "hotel", "area", "x", "0"),
                    *("dial_id", "turn_num", "resp_gen", "resp", "bspn_gen", "bspn", "turns"),
                    *("filename", "gen_belief", "gen_reply", "id", "total_state", "role"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200)
@given(
    st.one_of(
        _JSON,
        st.lists(_JSON, max_size=2).map(lambda turns: {"mul0001": turns}),
        st.fixed_dictionaries({"response": st.text(max_size=9), "state": _JSON}).map(
            lambda turn: {"mul0001": [turn]}
        ),
        st.fixed_dictionaries({"response": st.text(max_size=9), "active_domains": _JSON}).map(
            lambda turn: {"mul0001": [turn]}
        ),
    )
)
def test_any_json_is_either_refused_as_bad_input_or_can_be_normalised(content: Any) -> None:
    try:
        submission = parse_submission(content, TWO, "x")
    except InputError:
        return
    assert normalize_submission(submission, RULES).turns <= TWO.turns
