"""What is remarked of predictions that can be used, and refused because it is half there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers import (
    SUBMISSIONS,
    benchmark,
    dialogue,
    goal,
    parse_submission,
    read_submission,
    refusal,
)

from mwz.harness import Benchmark
from mwz.harness.errors import Findings, InputError, Remark
from mwz.harness.scoring import Options, Scorer
from mwz.harness.submission import declared_features

TURN = {"response": "how about [name] ?"}
FULL = {**TURN, "state": {"restaurant": {"area": "north"}}, "active_domains": ["restaurant"]}
FIVE = benchmark({"mul0001": dialogue({"restaurant": goal({"area": "north"})}, 5)})


def _remarks(*turns: Mapping[str, Any], on: Benchmark = FIVE) -> list[Remark]:
    return list(parse_submission({"mul0001": list(turns)}, on, "x").remarks)


def _of_reading(remarks: Sequence[Remark]) -> list[Remark]:
    """Return the remarks that are none on what the file shows as a whole."""
    return [remark for remark in remarks if remark.kind not in declared_features()]


# Half a file of states.


@pytest.mark.parametrize("lack", [{}, {"state": None}])
def test_partial_states_are_refused_with_the_first_gap(lack: dict[str, Any]) -> None:
    without = {key: value for key, value in FULL.items() if key != "state"} | lack
    content = {"mul0001": [FULL, without, FULL, without, FULL]}
    with pytest.raises(InputError) as raised:
        Scorer(FIVE).score(content)
    assert raised.value.source == "predictions"
    assert str(raised.value).startswith(
        "predictions: dialogue mul0001, turn 1: no `state`, as in 2 of 5 turns, while the others "
        "have one; "
    )
    assert "--states gold" in str(raised.value)


@pytest.mark.parametrize("domains", ["states", "slots", "gold"])
def test_active_domains_in_some_turns_only_are_refused_but_by_choice(domains: str) -> None:
    without = {key: value for key, value in FULL.items() if key != "active_domains"}
    content = {"mul0001": [FULL, FULL, without]}
    with pytest.raises(InputError, match=r"turn 2: no `active_domains`, as in 1 of 3 turns"):
        Scorer(FIVE).score(content)
    assert Scorer(FIVE, Options(domains=domains)).score(content).signature.domains == domains


# Keys of turns.


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        *((key, {"hotel": {"area": "north"}}, "state") for key in ("states", "belief_state", "BS")),
        ("bspn", "[hotel] area north", "state"),
        *((key, ["hotel"], "active_domains") for key in ("domains", "Active-Domains")),
        *((key, "hello", "response") for key in ("resp", "text", "Response", "output")),
    ],
)
def test_a_key_of_another_name_is_read_and_told(key: str, value: Any, field: str) -> None:
    turn = {"response": "hello"} if field != "response" else {}
    submission = parse_submission({"mul0001": [{**turn, key: value}] * 5}, FIVE, "x")
    (first, *_) = submission.dialogues["mul0001"]
    read = {"hotel": {"area": "north"}} if field == "state" else value
    assert (first.response, getattr(first, field)) == ("hello", read)
    assert f"read `{key}` as `{field}`" in [str(remark) for remark in submission.remarks]
    assert not any(remark.warning for remark in _of_reading(submission.remarks))


def test_a_misspelt_key_is_listed_with_the_right_name() -> None:
    (remark,) = _of_reading(_remarks(*[{**TURN, "sate": {}}] * 5))
    assert remark.warning
    assert remark.message == "keys of turns that are not read: sate 5× (did you mean state?)"


def test_other_keys_are_listed_once_and_are_no_warning() -> None:
    (remark,) = _of_reading(_remarks({**TURN, "asked": "hi", "id": 1}, {**TURN, "asked": "bye"}))
    assert not remark.warning
    assert str(remark) == "keys of turns that are not read: asked 2×, id 1×"


# Notations of states.


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        ({"hotel-area": [{}]}, "`state`, hotel, area: expected a string, found a list"),
        ({"hostel-area": "x"}, "`state`: unknown domain 'hostel'; choose from restaurant"),
        ({"hotel-colour": "x"}, "`state`, hotel: unknown slot 'colour'"),
        ({"hotel-area": "x", "area": "y"}, "`state`: expected `domain-slot` as key, found 'area'"),
        (["hotel-area"], "`state`: expected a string `domain-slot=value`, found 'hotel-area'"),
        ([5], "`state`: expected a string `domain-slot=value`, found a number"),
        (
            ["hotel-area-north", "hotel-area-south"],
            "`state`: hotel-area has two values, 'north' and 'south'; expected one",
        ),
    ],
)
def test_what_is_wrong_in_other_notations_is_told(state: Any, problem: str) -> None:
    message = str(refusal(_remarks, {**TURN, "state": state}))
    assert message.startswith(f"x: dialogue mul0001, turn 0: {problem}")


# Placeholders. The corpus of FIVE has one about a venue in every turn.


@pytest.mark.parametrize(
    ("state", "kept", "message"),
    [
        ({"hotel": {"area": ["north", "south"]}}, "north", "values, of which the first counts"),
        ({"hotel-area": ["north", "south"]}, "north", "lists of values, of which the first counts"),
        ({"hotel": {"area": ""}}, "", "empty values"),
        ({"hotel-area": ""}, "", "empty values"),
        (["hotel-area-"], "", "empty values"),
    ],
)
def test_lists_of_values_keep_the_first_and_are_reported(
    state: Any, kept: str, message: str
) -> None:
    submission = parse_submission({"mul0001": [{**TURN, "state": state}]}, FIVE, "x")
    assert submission.dialogues["mul0001"][0].state == {"hotel": {"area": kept}}
    (remark,) = _of_reading(submission.remarks)
    assert remark.warning
    assert "turn 0, hotel" in str(remark)
    assert message in str(remark)


def _text(*responses: str) -> list[str]:
    """Return the kinds of remarks on the turns of a dialogue whose references name venues."""
    return [remark.kind for remark in _remarks(*({"response": text} for text in responses))]


@pytest.mark.parametrize(
    ("response", "written"),
    [
        ("how about <name> ?", "<name>"),
        ("how about <value_name> ?", "<value_name>"),
        ("how about {name} ?", "{name}"),
        ("how about value_name ?", "value_name"),
        ("how about [value-name] ?", "[value-name]"),
        ("how about hotel_name ?", "hotel_name"),
        ("call Restaurant_Phone .", "restaurant_phone"),
        ("how about NAME ?", "NAME"),
    ],
)
def test_placeholders_written_otherwise_are_remarked(response: str, written: str) -> None:
    remarks = _remarks({"response": response}, {"response": "how about [value_name] ?"})
    [notation] = [remark for remark in remarks if remark.kind == "response_notation"]
    assert notation.warning
    assert notation.message == (
        "1 of 2 placeholders are none in this notation, and are read as plain text: "
        f"{written} 1×; write [value_name]"
    )


@pytest.mark.parametrize(
    "response",
    [
        "[value_name] , <unk> and {curly} things",
        "1 < 2 , [name] > 1",
        "a snake_case word of [name]",
        "PHONED and POSTED [name]",
    ],
)
def test_what_is_no_placeholder_is_not_taken_for_one(response: str) -> None:
    assert "response_notation" not in _text(response)


# Special tokens.


@pytest.mark.parametrize(
    ("tag", "is_tag"),
    [
        *((tag, True) for tag in ("<eos_r>", "</s>", "<|endoftext|>", "<Reasoning>")),
        # A price below another, a word that is unknown, and a placeholder in another notation.
        *((tag, False) for tag in ("less < more", "<unk>", "<name>", "a <b")),
    ],
)
def test_special_tokens_are_remarked(tag: str, is_tag: bool) -> None:
    kinds = _text(*[f"hello there , [name] is nice {tag}"] * 5)
    assert ("response_tags" in kinds) == is_tag


# Remarks themselves.


def test_remarks_are_few_and_short() -> None:
    remarks = Findings()
    for number in range(1000):
        remarks.add(f"turn {number}", f"{number} " + "x" * 2000, "a")
    listed = remarks.values()
    assert len(listed) <= 101
    assert sum(remark.count for remark in listed) == 1000
    assert max(len(str(remark)) for remark in listed) <= 1000


# The files that are published.

_FILES = (
    "MultiWOZ_Evaluation/predictions/ubar.json",
    "Fantastic_Reward_ICLR2023/Example_generation/gen_test_formatted.json",
)


@pytest.mark.real_data
@pytest.mark.parametrize("file", _FILES)
def test_published_files_get_no_remark(upstream: Path, multiwoz: Benchmark, file: str) -> None:
    submission = read_submission(upstream / file, multiwoz)
    assert submission.remarks == ()
    assert submission.format == "standard form"


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("careful", []),
        # Its words are its own, and the sample's references have few words.
        ("scripted", ["response_tokens", "response_strange"]),
        # It writes "two" and "european", and takes leave in a word.
        ("hasty", ["value_spelling", "value_unknown", "response_tiny", "response_strange"]),
    ],
)
def test_the_careful_system_gets_no_remark(sample: Benchmark, name: str, kinds: list[str]) -> None:
    remarks = read_submission(SUBMISSIONS / f"{name}.json", sample).remarks
    assert [remark.kind for remark in remarks if remark.warning] == kinds


@pytest.mark.parametrize(
    ("slots", "read"),
    [
        ({"pricerange": "cheap", "price range": "cheap"}, {"pricerange": "cheap"}),
        # Of two spellings the one with a value counts, whatever comes last.
        ({"leave": "17:15", "leaveAt": "none"}, {"leave": "17:15"}),
        ({"leave": "none", "leaveAt": "17:15"}, {"leave": "17:15"}),
    ],
)
def test_two_spellings_of_a_slot_are_one(slots: dict[str, str], read: dict[str, str]) -> None:
    turn = {**TURN, "state": {"train": slots}}
    submission = parse_submission({"mul0001": [turn]}, FIVE, "x")
    assert submission.dialogues["mul0001"][0].state == {"train": read}


def test_two_spellings_of_a_slot_with_two_values_are_refused() -> None:
    # Also where neither is the name that they are read by.
    for name in ("pricerange", "price_range"):
        state = {"hotel": {name: "moderate", "price range": "cheap"}}
        problem = str(refusal(_remarks, {**TURN, "state": state}))
        assert f"`{name}` and `price range` are one slot, with 'moderate' and 'cheap'" in problem
