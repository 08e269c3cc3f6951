"""What is remarked of predictions that can be used, and refused because it is half there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import count
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
from mwz.harness.scoring import Options, Scorer, played_predictions
from mwz.harness.submission.remarks import state_remarks
from mwz.normalization import rule_set

TURN = {"response": "how about [name] ?"}
FULL = {**TURN, "state": {"restaurant": {"area": "north"}}, "active_domains": ["restaurant"]}
FIVE = benchmark({"mul0001": dialogue({"restaurant": goal({"area": "north"})}, 5)})


def _remarks(*turns: Mapping[str, Any], on: Benchmark = FIVE) -> list[Remark]:
    return list(parse_submission({"mul0001": list(turns)}, on, "x").remarks)


# Half a file of states.


@pytest.mark.parametrize("lack", [{}, {"state": None}])
def test_states_in_some_turns_only_are_refused_with_the_first_that_lacks_one(
    lack: dict[str, Any],
) -> None:
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
    assert Scorer(FIVE, Options(domains=domains)).score(content).domains == domains


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
    assert not any(remark.warning for remark in submission.remarks)


def test_a_misspelt_key_is_listed_with_the_right_name() -> None:
    (remark,) = _remarks(*[{**TURN, "sate": {}}] * 5)
    assert remark.warning
    assert remark.message == "keys of turns that are not read: sate 5× (did you mean state?)"


def test_other_keys_are_listed_once_and_are_no_warning() -> None:
    (remark,) = _remarks({**TURN, "asked": "hi", "id": 1}, {**TURN, "asked": "bye"})
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
    told = str(refusal(_remarks, {**TURN, "state": state}))
    assert told.startswith(f"x: dialogue mul0001, turn 0: {problem}")


# Placeholders. The corpus of FIVE has one about a venue in every turn.


@pytest.mark.parametrize(
    ("state", "kept", "told"),
    [
        ({"hotel": {"area": ["north", "south"]}}, "north", "values, of which the first counts"),
        ({"hotel-area": ["north", "south"]}, "north", "lists of values, of which the first counts"),
        ({"hotel": {"area": ""}}, "", "empty values"),
        ({"hotel-area": ""}, "", "empty values"),
        (["hotel-area-"], "", "empty values"),
    ],
)
def test_of_a_list_of_values_the_first_is_kept_and_an_empty_value_and_both_are_told(
    state: Any, kept: str, told: str
) -> None:
    submission = parse_submission({"mul0001": [{**TURN, "state": state}]}, FIVE, "x")
    assert submission.dialogues["mul0001"][0].state == {"hotel": {"area": kept}}
    (remark,) = submission.remarks
    assert remark.warning
    assert "turn 0, hotel" in str(remark)
    assert told in str(remark)


def _text(*responses: str) -> list[Remark]:
    return _remarks(*({"response": response} for response in responses))


@pytest.mark.parametrize(
    ("response", "written", "meant"),
    [
        ("how about <name> ?", "<name>", "name"),
        ("how about <value_name> ?", "<value_name>", "value_name"),
        ("how about {name} ?", "{name}", "name"),
        ("how about value_name ?", "value_name", "value_name"),
        ("call Restaurant_Phone .", "restaurant_phone", "restaurant_phone"),
        ("how about NAME ?", "NAME", "name"),
    ],
)
def test_placeholders_written_otherwise_are_remarked_with_what_to_write(
    response: str, written: str, meant: str
) -> None:
    (remark,) = _text(response, "how about [value_name] ?")
    assert remark.warning
    assert f"{written} (1×) is read as plain text; write [{meant}]" in str(remark)


@pytest.mark.parametrize(
    "response",
    [
        "[value_name] , <unk> and {curly} things",
        "1 < 2 , [name] > 1",
        "a snake_case word of [name]",
        "http://x/value_name [name]",
        "PHONED and POSTED [name]",
    ],
)
def test_what_is_no_placeholder_is_not_taken_for_one(response: str) -> None:
    assert _text(response) == []


def test_unknown_placeholders_are_remarked_where_they_are_many() -> None:
    (remark,) = _text("[name] [nmae] [nmae]")
    assert "2 of 3 placeholders are unknown and are removed: [nmae] 2×" in str(remark)
    # One in a hundred is not many: it is told in the report.
    assert _text("[name] " * 99 + "[nmae]") == []


def test_plain_text_that_names_venues_is_remarked() -> None:
    (remark,) = _text("try the Golden Spoon .", "or the golden spoon !", "hello")
    assert "hardly any placeholders: 0.00 a turn" in str(remark)
    assert "the benchmark's own responses: 1.00" in str(remark)
    assert "2 responses name one in plain words (golden spoon)" in str(remark)
    assert str(remark).endswith("delexicalise the responses, or score them by --lexicalised")


# Remarks themselves.


def test_remarks_are_few_and_short() -> None:
    remarks = Findings()
    for number in range(10_000):
        remarks.add(f"turn {number}", f"{number} " + "x" * 10_000, "a")
    listed = remarks.remarks()
    assert len(listed) <= 101
    assert sum(remark.count for remark in listed) == 10_000
    assert max(len(str(remark)) for remark in listed) <= 1000


# The files that are published.

_FILES = (
    "MultiWOZ_Evaluation/predictions/ubar.json",
    "Fantastic_Reward_ICLR2023/Example_generation/gen_test_formatted.json",
)


@pytest.mark.real_data
@pytest.mark.parametrize("file", _FILES)
def test_published_files_are_read_without_a_remark(
    upstream: Path, multiwoz: Benchmark, file: str
) -> None:
    submission = read_submission(upstream / file, multiwoz)
    assert submission.remarks == ()
    assert submission.format == "standard form"


def test_the_sample_is_read_without_a_remark(sample: Benchmark) -> None:
    for path in sorted(SUBMISSIONS.glob("*.json")):
        assert read_submission(path, sample).remarks == ()


def _told(states: list[list[Any]], on: Benchmark) -> list[str]:
    by_id = {f"d{number}": turns for number, turns in enumerate(states)}
    return [str(one) for one in state_remarks(by_id, on, rule_set("2021"))]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        # Five of a hundred are a twentieth, six are more.
        (["north"] * 95 + ["none"] * 5, None),
        (["north"] * 94 + ["none"] * 6, "6 of 100 values"),
        (["Centre"] * 100, "100 of 100 values"),
        # Of 99 nothing is said, nor of what asks for nothing.
        (["none"] * 99, None),
        (["dontcare"] * 200, None),
    ],
)
def test_constraints_that_no_venue_meets_are_remarked(values: list[str], told: str | None) -> None:
    dialogues = {f"d{number}": dialogue({}, 1) for number in range(200)}
    on = Benchmark("tiny", dialogues, {"hotel": [{"area": "north"}, {"area": "centre"}]}, {})
    found = _told([[{"hotel": {"area": value}}] for value in values], on)
    assert (found == []) if told is None else (len(found) == 1 and told in found[0])


# Of each of 50 dialogues: three turns, in each of which the user asks for something more.
AREA = {"hotel": {"area": "north"}}
STARS = {"hotel": {"area": "north", "stars": "4"}}
DAY = {**STARS, "train": {"day": "monday"}}
ASKED = [AREA, STARS, DAY]
BY_TURN = [AREA, {"hotel": {"stars": "4"}}, {"train": {"day": "monday"}}]
FIFTY = Benchmark(
    "tiny",
    {f"d{number}": dialogue({}, 3, ASKED) for number in range(50)},
    {"hotel": [{"area": "north", "stars": "4"}], "train": [{"day": "monday"}]},
    {},
)


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        (ASKED, None),
        # The first two turns have a slot each, which the next one lacks.
        (BY_TURN, "only 0 of 100 slots"),
        # Of what is new in the first two turns, the area and the stars, the next turn has each.
        ([{}, AREA, STARS], "a turn late: 100 of 100 slots"),
        ([{}, {"hotel": {}}, {}], "every belief state is empty"),
        # One of the three slots of each last state.
        ([AREA, STARS, {**STARS, "train": {"food": "x"}}], "50 of 150 slots .* train-food 50×"),
        ([AREA, STARS, {**STARS, "resturant": {"food": "x"}}], "50 of 150 .* resturant-food 50×"),
        # Slots of bookings constrain nothing, and are there in MultiWOZ.
        ([AREA, STARS, {"hotel": {**STARS["hotel"], "day": "x", "bookstay": "2"}}], None),
        ([None, None, None], None),
    ],
)
def test_states_that_are_likely_meant_otherwise_are_remarked(
    turns: list[Any], told: str | None
) -> None:
    found = _told([turns] * 50, FIFTY)
    assert len(found) == (told is not None)
    assert told is None or re.search(told, found[0])
    # Of few dialogues nothing is said.
    assert _told([turns] * 5, FIFTY) == []


@pytest.mark.parametrize(
    ("turns", "others", "most"),
    [
        # Of two slots in the first two turns, the next turn has none, and elsewhere one:
        # 40 of 100 are just enough.
        (BY_TURN, [AREA, {"hotel": {"stars": "4"}}, DAY], 10),
        # Two slots a dialogue are late: 50 of 100 are not more than half.
        ([{}, AREA, DAY], ASKED, 25),
        # One of three slots: three of 150 are a fiftieth.
        ([AREA, STARS, {**STARS, "train": {"food": "x"}}], ASKED, 3),
    ],
)
def test_some_states_may_be_otherwise(turns: list[Any], others: list[Any], most: int) -> None:
    assert _told([turns] * most + [others] * (50 - most), FIFTY) == []
    assert len(_told([turns] * (most + 1) + [others] * (49 - most), FIFTY)) == 1


@pytest.mark.real_data
@pytest.mark.parametrize(
    "file", ["DARD/data/predictions/*best*.json", "engmrgh-soloist/belief.txt"]
)
def test_published_states_bring_no_remark(upstream: Path, multiwoz: Benchmark, file: str) -> None:
    paths = sorted(upstream.glob(file))
    assert paths
    for path in paths:
        remarks = read_submission(path, multiwoz).remarks
        assert not [str(one) for one in remarks if one.kind == "states"], path


def test_tags_around_responses_are_remarked_with_the_bleu_that_they_cost(
    sample: Benchmark,
) -> None:
    scorer = Scorer(sample, Options(metrics=["inform"]))

    def said(tag: str, every: int) -> dict[str, list[dict[str, str]]]:
        numbers = count()
        return {
            id_: [
                {"response": f"{text}{tag}" if next(numbers) % every == 0 else text}
                for text in one.references["mwz22"]
            ]
            for id_, one in sample.dialogues.items()
        }

    def remarks(tag: str, every: int) -> list[str]:
        _, _, told = played_predictions(scorer, json.dumps(said(tag, every)).encode(), "x")
        return [str(one) for one in told if "tokens" in str(one)]

    [told] = remarks(" <eos_r>", 1)
    assert told == (
        f"special tokens count as words, in BLEU too: <eos_r> {sample.turns}×; remove them"
    )
    assert len(remarks("<|endoftext|>", 20)) == 1
    # A price below another is no tag, nor is a word that is unknown, and few tags cost little.
    for tag, every in ((" less < more", 1), (" <unk>", 1), ("</s>", 50)):
        assert remarks(tag, every) == []
