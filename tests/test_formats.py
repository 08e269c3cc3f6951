"""Formats of predictions: recognised by their shape, and read into the standard form."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import pytest
from helpers import refusal
from hypothesis import given, strategies as st

from mwz.harness.errors import InputError, Remark
from mwz.harness.submission import parse_predictions, standard_form
from mwz.harness.submission.notations import read_span, without_tokens


def _standard(content: object) -> Mapping[str, Any]:
    return standard_form(content, "out.json").dialogues


def _warnings(content: object) -> list[Remark]:
    return [remark for remark in standard_form(content, "out.json").remarks if remark.warning]


def _problems(content: object) -> list[str]:
    error = refusal(standard_form, content, "out.json")
    assert error.source == "out.json"
    return list(error.problems)


def _turn(number: int, response: str, belief: str, **others: Any) -> dict[str, Any]:
    turn = {"dial_id": "sng1", "turn_num": number, "resp_gen": response, "bspn_gen": belief}
    return {**turn, "user": "hi", "resp": "the data's", "bspn": "[taxi] leave 9:00", **others}


OPENING = dict.fromkeys(_turn(0, "", ""), "") | {"dial_id": "sng1", "turn_num": 2}
TURNS = [
    _turn(0, "hello", "[hotel] area north name acorn guest house"),
    _turn(1, "[value_name] .", "[hotel] area north [train] day monday"),
]
EXPECTED = {
    "sng1": [
        {"response": "hello", "state": {"hotel": {"area": "north", "name": "acorn guest house"}}},
        {
            "response": "[value_name] .",
            "state": {"hotel": {"area": "north"}, "train": {"day": "monday"}},
        },
    ]
}


def _table(turns: list[dict[str, Any]], before: str = "") -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(turns[0]))
    writer.writeheader()
    writer.writerows(turns)
    return (before + text.getvalue()).encode()


@pytest.mark.parametrize(
    "content",
    [
        TURNS,
        [OPENING, *TURNS],
        # GALAXY misspells the number of the line that opens a dialogue.
        [{k: v for k, v in OPENING.items() if k != "turn_num"} | {"trun_num": 2}, *TURNS],
        [TURNS],
        TURNS[::-1],
        {"sng1": TURNS},
        {"sng1": {"1": TURNS[1], "0": TURNS[0]}},
        {"sng1": [{k: v for k, v in t.items() if k not in ("dial_id", "turn_num")} for t in TURNS]},
    ],
    ids=["list", "opened", "misspelt", "of lists", "any order", "map", "by number", "bare"],
)
def test_every_arrangement_of_turns_is_read_alike(content: object) -> None:
    assert _standard(content) == EXPECTED
    assert _warnings(content) == []


@pytest.mark.parametrize("before", ["", "EVALUATION RESULTS:\nbleu,match\n1,2\nDECODED RESULTS:\n"])
def test_the_table_that_damd_saves_is_read_wherever_it_begins(before: str) -> None:
    content = parse_predictions(_table([OPENING, *TURNS], before), "result.csv")
    assert _standard(content) == EXPECTED


def test_where_nothing_is_called_generated_the_plain_keys_are_the_systems() -> None:
    content = [{"dial_id": "sng1", "turn_num": 0, "resp": "hi", "bspn": "[hotel] stars 4"}]
    assert _standard(content) == {"sng1": [{"response": "hi", "state": {"hotel": {"stars": "4"}}}]}


def test_the_data_sets_state_beside_a_generated_response_is_not_a_prediction() -> None:
    content = [{"dial_id": "sng1", "turn_num": 0, "resp_gen": "hi", "bspn": "[hotel] stars 4"}]
    assert _standard(content) == {"sng1": [{"response": "hi"}]}
    (warning,) = _warnings(content)
    assert "`bspn` beside `resp_gen` is the data set's" in str(warning)


def test_spans_that_are_all_empty_are_no_states() -> None:
    content = [_turn(0, "hi", ""), _turn(1, "bye", "")]
    assert _standard(content) == {"sng1": [{"response": "hi"}, {"response": "bye"}]}
    (warning,) = _warnings(content)
    assert "every `bspn_gen` is empty" in str(warning)


_OTHER = [{**turn, "dial_id": "sng2"} for turn in TURNS]
_GAP = {"sng1": {"0": TURNS[0], "2": TURNS[1]}, "sng2": {"0": TURNS[0], "1": TURNS[1]}}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ([{**OPENING, "turn_num": 3}, *TURNS], "dialogue sng1: turn 2 is missing; turns are"),
        ([TURNS[0], TURNS[0]], "dialogue sng1: turn 0 is there twice"),
        ([TURNS[1], *_OTHER], "dialogue sng1: turn 0 is missing; turns are numbered from 0"),
        ([{**TURNS[0], "turn_num": None}, TURNS[1]], "some of its turns have no number"),
        ([*TURNS, "x"], "item 2: expected an object with the dialogue's id (`dial_id`)"),
        ({"sng1": TURNS, "sng2": 4}, "dialogue sng2: expected a list of turns, found a number"),
        (_GAP, "dialogue sng1: turn 1 is missing; turns are numbered from 0"),
        ([], "expected an object of dialogue id -> list of turns, found a list"),
        ([{"session": "x"}], "give them by `mwz convert --key FIELD=KEY`"),
    ],
)
def test_contradicting_turns_are_refused(content: object, problem: str) -> None:
    assert problem in "\n".join(_problems(content))


def test_a_turn_with_a_state_is_none_of_the_familys_and_loses_none() -> None:
    # The state would be lost if this were read as the family's.
    state = {"hotel": {"area": "north"}}
    content = {"sng1": [{"resp": "hi", "turn_num": 0, "state": state}]}
    (turn,) = _standard(content)["sng1"]
    assert (turn["response"], turn["state"]) == ("hi", state)


@pytest.mark.parametrize(
    ("first", "read"),
    [
        # An empty span among others is an empty state, and a turn without one has none.
        (_turn(0, "hi", ""), {"response": "hi", "state": {}}),
        ({"dial_id": "sng1", "turn_num": 0, "resp_gen": "hi"}, {"response": "hi"}),
        # It does not open the dialogue: its number is not that of the turns that follow.
        (_turn(0, "", ""), {"response": "", "state": {}}),
    ],
)
def test_a_first_turn_that_lacks_something_is_a_turn(first: Any, read: Any) -> None:
    assert _standard([first, TURNS[1]])["sng1"][0] == read


def test_the_standard_form_is_as_it_is() -> None:
    content = {"sng1": [{"response": "hi", "asked": "y", "text": "hi there"}]}
    assert _standard(content) is content


# Blocks of SOLOIST and of LaRL.

BLOCKS = """\
filename: SNG1.json
belief: belief : hotel area = south
gen_belief: <belief> : hotel area = north ; stars = 4 | booking day = monday ; people = 2
reply: system : the data's
gen_reply:  we have [value_count] : take [hotel_name] .
---
filename: SNG1.json
belief: belief : none
gen_belief: <belief> : none
reply: system : the data's
gen_reply:
---
filename: MUL2.json
belief: belief : none
gen_belief: <belief> : train day = friday | booking people = 3 | taxi leaveat = 9:15 ; dest
reply: system : the data's
gen_reply: goodbye
---
Joint Accuracy: 0.25
"""
READ_BLOCKS = {
    "SNG1.json": [
        {
            "response": "we have [value_count] : take [hotel_name] .",
            "state": {
                "hotel": {"area": "north", "stars": "4", "bookday": "monday", "bookpeople": "2"}
            },
        },
        {"response": "", "state": {}},
    ],
    "MUL2.json": [
        {
            "response": "goodbye",
            "state": {"train": {"day": "friday", "bookpeople": "3"}, "taxi": {"leaveat": "9:15"}},
        }
    ],
}


LARL = """\
MUL1.json-prev_ctx = Source context: <s> <d> <eos>|<s> a hotel : cheap ? <eos>
True: the data's
Pred: we have [value_count] : take [hotel_name] .
----------------------------------------
MUL1.json-prev_ctx = Source context: <s> the data's <eos>|<s> thanks <eos>
True: the data's
Pred:
----------------------------------------
SNG2.json-prev_ctx = Source context: <s> <d> <eos>|<s> bye <eos>
True: the data's
Pred: goodbye
----------------------------------------
Test Corpus Matches : 93.49%
"""
READ_LARL = {
    "MUL1.json": [{"response": "we have [value_count] : take [hotel_name] ."}, {"response": ""}],
    "SNG2.json": [{"response": "goodbye"}],
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
@pytest.mark.parametrize(
    ("text", "expected"), [(BLOCKS, READ_BLOCKS), (LARL, READ_LARL)], ids=["SOLOIST", "LaRL"]
)
def test_blocks_are_read(text: str, expected: object, ends: str, mark: str) -> None:
    content = (mark + text.replace("\n", ends)).encode()
    assert _standard(parse_predictions(content, "out.txt")) == expected


@given(
    st.dictionaries(
        st.from_regex(r"\A[a-z0-9]{1,9}\Z"), st.lists(st.text(), min_size=1), min_size=1
    )
)
def test_blocks_of_larl_are_read_as_they_are_written(said: Mapping[str, list[str]]) -> None:
    lines = {id_: [" ".join(text.split()) for text in texts] for id_, texts in said.items()}
    blocks = [
        f"{id_}.json-prev_ctx = \nTrue: \nPred: {line}\n{'-' * 40}\n"
        for id_ in lines
        for line in lines[id_]
    ]
    read = _standard(parse_predictions("".join(blocks).encode(), "out.txt"))
    expected = {f"{id_}.json": [{"response": line} for line in lines[id_]] for id_ in lines}
    assert read == expected


def test_what_a_belief_says_in_vain_is_warned_of() -> None:
    belief = "hostel area = north | hotel colour = red ; stars = 4 |"
    text = BLOCKS.replace(
        "hotel area = north ; stars = 4 | booking day = monday ; people = 2", belief
    )
    content = parse_predictions(text.encode(), "out.txt")
    assert _standard(content)["SNG1.json"][0]["state"] == {"hotel": {"stars": "4"}}
    assert [str(warning) for warning in _warnings(content)] == [
        "dialogue SNG1.json, turn 0: `[hostel]` is not a domain; it is left out",
        "dialogue SNG1.json, turn 0: `area` belongs to no domain; it is left out",
        "dialogue SNG1.json, turn 0: `[colour]` is not a slot; it is left out",
    ]


_WANTED = "expected a block of the lines"
_KEYS = "filename, belief, gen_belief, reply, gen_reply"
_REPLY = "reply: system : the data's\ngen_reply:\n"


@pytest.mark.parametrize(
    ("text", "before", "after", "problem"),
    [
        (BLOCKS, "gen_belief: <belief> : none\n", "", f"line 7: {_WANTED} filename, belief"),
        (BLOCKS, _REPLY, "well\ngen_reply:\n", f"line 7: {_WANTED} {_KEYS}, in this order"),
        (BLOCKS, "gen_reply: goodbye\n", "gen_reply: a\ngen_reply: b\n", f"line 13: {_WANTED}"),
        (BLOCKS, "---\nJoint", "Joint", "line 13: the last block ends without a line of dashes"),
        # No response; no id, in the first block or a later one; a block or a file that is cut off.
        (LARL, "Pred:\n", "", f"line 5: {_WANTED} prev_ctx, True, Pred, in this order"),
        (LARL, LARL[: LARL.index("True")], "", f"line 1: {_WANTED}"),
        (LARL, LARL[LARL.index("SNG2") : LARL.rindex("True")], "", f"line 9: {_WANTED}"),
        (LARL, LARL[LARL.index("goodbye") :], "good", "line 9: the last block ends without"),
        (LARL, LARL[LARL.index("2.json") :], "2.js", "line 9: the last block ends without"),
        (LARL, "SNG2.json-prev_ctx = S", "SNG2.json-prev", f"line 9: {_WANTED}"),
    ],
)
def test_contradicting_blocks_are_refused(text: str, before: str, after: str, problem: str) -> None:
    assert before in text
    content = text.replace(before, after, 1).encode()
    assert problem in str(refusal(parse_predictions, content, "out.json"))


# Tables of belief states.

STATES = b"""\
"id","turn_state","total_state"
"sng1-2","{}","{""hotel"": {""area"": ""north"", ""stars"": ""4""}}"
"sng1-1","{}","{""hotel"": {""area"": ""north""}}"
"mul-2-1","{}","{}"
"""


def test_a_table_of_belief_states_is_read_by_the_numbers_of_its_turns() -> None:
    read = _standard(parse_predictions(STATES, "states.csv"))
    assert {id_: [turn["state"] for turn in turns] for id_, turns in read.items()} == {
        "sng1": ['{"hotel": {"area": "north"}}', '{"hotel": {"area": "north", "stars": "4"}}'],
        "mul-2": ["{}"],
    }


# Belief spans.


def _read(span: str) -> tuple[Mapping[str, Any], list[str]]:
    notes: list[str] = []
    return read_span(span, notes.append), notes


@pytest.mark.parametrize(
    ("span", "state"),
    [
        ("", {}),
        ("[hotel]", {}),
        ("[hotel] area north stars 4", {"hotel": {"area": "north", "stars": "4"}}),
        ("[Hotel] Area north", {"hotel": {"area": "north"}}),
        ("[hotel] area east [train] day mon", {"hotel": {"area": "east"}, "train": {"day": "mon"}}),
        ("[hotel] area north [taxi] [hotel] stars 4", {"hotel": {"area": "north", "stars": "4"}}),
        ("[hotel] area north area south", {"hotel": {"area": "south"}}),
        ("[hotel] area [train] day monday", {"train": {"day": "monday"}}),
        # Values of several words, slots of two.
        ("[hotel] name a b c type d e", {"hotel": {"name": "a b c", "type": "d e"}}),
        ("[hotel] price range low area east", {"hotel": {"pricerange": "low", "area": "east"}}),
        ("[train] leave 9:15 arrive 10:00", {"train": {"leave": "9:15", "arrive": "10:00"}}),
        ("[train] leave at 9:15 arrive by 10:00", {"train": {"leave": "9:15", "arrive": "10:00"}}),
        ("[hotel] book day monday", {"hotel": {"bookday": "monday"}}),
        ("[attraction] entrance fee free", {"attraction": {"entrancefee": "free"}}),
        # Venues whose names hold a slot's.
        ("[hotel] name people 's b area up", {"hotel": {"name": "people 's b", "area": "up"}}),
        ("[taxi] departure a time leave 9:00", {"taxi": {"departure": "a time", "leave": "9:00"}}),
        (
            "[restaurant] name chinese food takeaway food chinese",
            {"restaurant": {"name": "chinese food takeaway", "food": "chinese"}},
        ),
        ("[restaurant] food takeaway", {"restaurant": {"food": "takeaway"}}),
        # PPTOD's other way of writing.
        ("[hotel] pricerange is a , area is b", {"hotel": {"pricerange": "a", "area": "b"}}),
        # MTTOD's: only what stands in brackets is a slot.
        ("<bos_belief> [hotel] [value_name] a day <eos_belief>", {"hotel": {"name": "a day"}}),
        ("[hotel][value_price range]a[value_stars]4", {"hotel": {"pricerange": "a", "stars": "4"}}),
        ("[hotel] [area] a [taxi] [leave] 9", {"hotel": {"area": "a"}, "taxi": {"leave": "9"}}),
        # Special tokens.
        ("<sos_b> [hotel] area north <eos_b>", {"hotel": {"area": "north"}}),
        ("<sos_b> [hotel] area north <eos_b> [taxi] leave 9:00", {"hotel": {"area": "north"}}),
        ("<sos_u> hi <eos_u> <sos_b> [hotel] area north", {"hotel": {"area": "north"}}),
        ("<pad> [hotel] area north </s>", {"hotel": {"area": "north"}}),
    ],
)
def test_spans_are_read(span: str, state: Mapping[str, Any]) -> None:
    assert _read(span) == (state, [])


@pytest.mark.parametrize(
    ("span", "state", "note"),
    [
        ("[hostel] area north", {}, "`[hostel]` is not a domain"),
        # What is said of one domain is not another's.
        ("[hotel] stars 4 [hostel] area north", {"hotel": {"stars": "4"}}, "`area` belongs to no"),
        ("area north", {}, "`area` belongs to no domain"),
        ("[hotel] [value_colour] red [value_area] north", {"hotel": {"area": "north"}}, "colour"),
    ],
)
def test_what_a_span_says_in_vain_is_noted(span: str, state: Mapping[str, Any], note: str) -> None:
    read, notes = _read(span)
    assert read == state
    assert note in "\n".join(notes)


def test_what_is_left_out_of_spans_is_one_warning_with_its_places() -> None:
    content = [_turn(n, "hi", "[hotel] area north [hostel]") for n in range(5)]
    (warning,) = _warnings(content)
    assert (warning.count, len(warning.places)) == (5, 3)
    assert str(warning) == (
        "`[hostel]` is not a domain; it is left out, 5 times: dialogue sng1, turn 0; "
        "dialogue sng1, turn 1; dialogue sng1, turn 2; …"
    )


@pytest.mark.parametrize(
    ("decoded", "text"),
    [
        ("hello  there", "hello  there"),
        ("<sos_r> hello <eos_r>", "hello"),
        ("<bos_resp> hello there <eos_resp>", "hello there"),
        ("<sos_a> [hotel] [inform] <eos_a> <sos_r> hello <eos_r> <sos_u> bye", "hello"),
        ("hello <eos_r> <eos_r>", "hello"),
        ("hello <pad></s>", "hello"),
        ("less < more", "less < more"),
        ("<unk> is kept", "<unk> is kept"),
    ],
)
def test_special_tokens_are_taken_from_responses(decoded: str, text: str) -> None:
    assert without_tokens(decoded, "r", "resp") == text


_VALUES = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyz0123456789:'", min_size=1, max_size=6),
    min_size=1,
    max_size=4,
).map(" ".join)
_STATES = st.dictionaries(
    st.sampled_from(["hotel", "train", "taxi"]),
    st.dictionaries(st.sampled_from(["area", "leave", "name", "pricerange"]), _VALUES, min_size=1),
)


@given(_STATES)
def test_bracketed_slots_are_read_back(state: Mapping[str, Mapping[str, str]]) -> None:
    span = " ".join(
        f"[{domain}] " + " ".join(f"[value_{slot}] {value}" for slot, value in slots.items())
        for domain, slots in state.items()
    )
    read, notes = _read(span)
    expected = {
        # "is" before a value is how some write the value.
        domain: {slot: value.removeprefix("is ") for slot, value in slots.items() if value != "is"}
        for domain, slots in state.items()
    }
    assert read == {domain: slots for domain, slots in expected.items() if slots}
    assert notes == []


@given(st.text(max_size=60))
def test_any_span_is_read(span: str) -> None:
    state, _ = _read(span)
    assert all(slots and all(slots.values()) for slots in state.values())


_BEGINNINGS = st.sampled_from(
    [b"dial_id,turn_num,resp_gen\n", b"id,total_state\n", BLOCKS.encode(), STATES]
)


@given(st.tuples(_BEGINNINGS, st.binary(max_size=80)).map(b"".join))
def test_any_text_is_read_or_refused(content: bytes) -> None:
    try:
        parsed = parse_predictions(content, "x")
        assert isinstance(parsed, list)
        standard_form(parsed, "x")
    except InputError:
        return


# Real data.


def _with_short_names(slots: Mapping[str, str]) -> dict[str, str]:
    """Return the slots that have a value, with the names that spans have for them."""
    short = {"arriveby": "arrive", "leaveat": "leave"}
    plain = {name.lower().replace(" ", ""): " ".join(v.split()) for name, v in slots.items()}
    return {short.get(name, name): value for name, value in plain.items() if value}


@pytest.mark.real_data
@pytest.mark.parametrize("slot", ["{} {}", "[value_{}] {}"])
def test_published_states_written_as_spans_are_read_back(predictions: Any, slot: str) -> None:
    # Of a system whose states never were spans: others' were cut by the code that reads them.
    for turn in (turn for turns in predictions("augpt").values() for turn in turns):
        state = {domain: _with_short_names(slots) for domain, slots in turn["state"].items()}
        span = " ".join(
            f"[{domain}] " + " ".join(slot.format(*pair) for pair in slots.items())
            for domain, slots in state.items()
        )
        read, notes = _read(span)
        read = {domain: _with_short_names(slots) for domain, slots in read.items()}
        assert (read, notes) == ({d: slots for d, slots in state.items() if slots}, [])
