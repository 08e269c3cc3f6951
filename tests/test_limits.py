"""Bounds of what a file may hold: refused in one message, before it takes memory or time."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers import benchmark, dialogue, goal, parse_submission, refusal

from mwz.harness.errors import LONGEST_MESSAGE, Findings, InputError
from mwz.harness.io import limits, parse_json, read_bytes
from mwz.harness.io.files import LIMITS
from mwz.harness.metrics import parse_tracking_file
from mwz.harness.submission import parse_predictions

TWO = benchmark({f"mul000{n}": dialogue({"taxi": goal()}, 2) for n in (1, 2)})


def _refused(content: Any) -> str:
    return str(refusal(parse_submission, content, TWO, "x.json"))


def _tracking(content: Any) -> str:
    return str(refusal(parse_tracking_file, content, "x.json", lambda: TWO))


# The bounds themselves.


def test_a_bound_is_set_by_its_variable() -> None:
    defaults = {name: default for name, (default, _) in LIMITS.items()}
    assert limits({}) == defaults
    chosen = limits({"MWZ_LIMIT_TURNS": "7", "MWZ_LIMIT_UNPACKED": "1000", "OTHER": "x"})
    assert chosen == {**defaults, "turns": 7, "unpacked": 1000}


@pytest.mark.parametrize("value", ["", "0", "-5", "1e3", "many", "٣", "9" * 40, "1\x1b[2J"])
def test_a_bound_must_be_a_whole_number(value: str) -> None:
    with pytest.raises(InputError, match="MWZ_LIMIT_TURNS: expected a whole number above 0"):
        limits({"MWZ_LIMIT_TURNS": value})


# Bytes.


def test_bombs_are_refused_before_unpacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MWZ_LIMIT_UNPACKED", "1000000")
    # 20 MB of blanks in 0.02 MB.
    bomb = tmp_path / "bomb.json.gz"
    with gzip.open(bomb, "wb") as file:
        for _ in range(20):
            file.write(b" " * 1_000_000)
    assert bomb.stat().st_size < 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="too large: more bytes than at most 1,000,000"):
            read_bytes(bomb)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("pack", [bytes, lambda content: gzip.compress(content, mtime=0)])
def test_the_bound_is_the_last_size_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any
) -> None:
    monkeypatch.setenv("MWZ_LIMIT_UNPACKED", "100")
    path = tmp_path / "a.json"
    path.write_bytes(pack(b" " * 100))
    assert len(read_bytes(path)) == 100
    path.write_bytes(pack(b" " * 101))
    with pytest.raises(InputError, match=r"MWZ_LIMIT_UNPACKED"):
        read_bytes(path)


def test_standard_input_is_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MWZ_LIMIT_UNPACKED", "100")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"x" * 1000)))
    with pytest.raises(InputError, match="standard input: too large"):
        read_bytes("-")


@pytest.mark.parametrize(
    "content",
    [b"[" + b"[]," * 500 + b"0]", b"[" + b"{}," * 500 + b"0]", b"[" + b"1," * 1000 + b"0]"],
)
def test_many_values_are_refused_early(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    assert parse_predictions(content, "x")
    monkeypatch.setenv("MWZ_LIMIT_VALUES", "999")
    with pytest.raises(InputError, match=r"too large: 1,00\d values; at most 999"):
        parse_predictions(content, "x")


# What predictions may hold.


def test_a_long_response_is_refused_and_one_at_the_bound_is_read() -> None:
    content = {"mul0001": [{"response": "a" * 100_000}]}
    assert parse_submission(content, TWO, "x").dialogues
    assert _refused({"mul0001": [{"response": "a" * 100_001}]}) == (
        "x.json: dialogue mul0001, turn 0: `response`: 100,001 characters; at most 100,000 "
        "(MWZ_LIMIT_RESPONSE)"
    )


@pytest.mark.parametrize("letter", ["a", "é"])
def test_a_long_value_is_refused_and_one_at_the_bound_is_read(letter: str) -> None:
    turn: dict[str, Any] = {"response": "", "state": {"taxi": {"departure": letter * 1000}}}
    assert parse_submission({"mul0001": [turn]}, TWO, "x").dialogues
    turn["state"] = {"taxi": {"departure": letter * 1001}}
    assert "`state`, taxi, departure: 1,001 characters; at most 1,000" in _refused(
        {"mul0001": [turn]}
    )
    assert "departure: 1,001 characters" in _tracking({"mul0001": [turn]})


def test_a_list_of_more_turns_is_refused_in_one_line() -> None:
    turns = [{"state": {}, "gold_state": {}}] * 1001
    message = _tracking({"mul0001": turns})
    assert message == "x.json: dialogue mul0001: 1001 turns; at most 1,000 (MWZ_LIMIT_TURNS)"


def test_many_dialogues_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MWZ_LIMIT_DIALOGUES", "1")
    content = {id_: [{"response": "", "state": {}}] for id_ in ("mul0001", "mul0002")}
    assert _refused(content) == "x.json: 2 dialogues; at most 1 (MWZ_LIMIT_DIALOGUES)"
    assert _tracking(content) == "x.json: 2 dialogues; at most 1 (MWZ_LIMIT_DIALOGUES)"


def test_a_turn_number_beyond_all_dialogues_takes_neither_memory_nor_time() -> None:
    tracemalloc.start()
    try:
        message = _tracking({"mul0001": {"30000000": {"state": {}}}})
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert message.startswith("x.json: dialogue mul0001: expected a list of turns, found an object")


@pytest.mark.parametrize("depth", [100, 960, 980, 990, 1000, 100_000])
@pytest.mark.parametrize(
    ("opened", "closed"),
    [(b"[", b"]"), (b'{"turns":', b"}"), (b'{"mul0001":', b"}"), (b'{"state":', b"}")],
)
def test_deep_nesting_is_one_message(depth: int, opened: bytes, closed: bytes) -> None:
    content = b'{"mul0001":' + opened * depth + b"1" + closed * depth + b"}"
    for read in (
        lambda: parse_submission(parse_json(content, "x"), TWO, "x"),
        lambda: parse_tracking_file(parse_json(content, "x"), "x", lambda: TWO),
    ):
        assert len(str(refusal(read))) <= LONGEST_MESSAGE


# Messages.


def test_one_problem_is_one_line() -> None:
    assert str(InputError("a.json", "no such file")) == "a.json: no such file"
    assert str(InputError("a.json", ["no such file"])) == "a.json: no such file"


@pytest.mark.parametrize(("problems", "more"), [(2, None), (10, None), (11, 1), (250, 240)])
def test_ten_problems_are_listed_and_more_counted(problems: int, more: int | None) -> None:
    message = str(InputError("a.json", [f"problem {n}" for n in range(problems)])).splitlines()
    shown = min(problems, 10)
    assert message[0] == f"a.json: {problems} problems"
    assert message[1 : shown + 1] == [f"  problem {n}" for n in range(shown)]
    assert message[shown + 1 :] == ([] if more is None else [f"  … and {more} more"])


def test_an_error_reaches_another_process_whole() -> None:
    error = pickle.loads(pickle.dumps(InputError("a.json", ["one", "two"])))
    assert (error.source, error.problems) == ("a.json", ("one", "two"))
    assert str(error) == str(InputError("a.json", ["one", "two"]))


@pytest.mark.parametrize(
    "content",
    [
        {"mul0001": [{"response": 1, "state": {"hotel": {"x" * 100_000: []}, "y" * 100_000: 1}}]},
        {"mul0001": [{"response": "", "active_domains": ["z" * 100_000]}]},
        {"mul0001": [{"response": "", "active_domains": ["z"] * 10_000}]},
        {"mul0001": [{"response": "", "active_domains": [[["z"] * 10_000] * 100]}]},
        {"z" * 100_000: [], "mul0001": [{"response": ""}]},
        {"z" * 100_000: []},
        {f"z{n}" * 100: [] for n in range(1000)} | {"mul0001": []},
        {"mul0001": [{"response": "", "state": {f"{n}" * 300: 1 for n in range(1000)}}]},
    ],
)
def test_no_message_is_long_whatever_the_input(content: dict[str, Any]) -> None:
    assert len(_refused(content)) <= LONGEST_MESSAGE
    assert len(_tracking(content)) <= LONGEST_MESSAGE


def test_a_long_name_of_a_file_does_not_make_a_long_message() -> None:
    error = InputError("f" * 100_000, [f"{n}" * 100_000 for n in range(100)])
    assert len(str(error)) <= LONGEST_MESSAGE
    assert len(str(InputError("f" * 100_000, "p" * 100_000))) <= LONGEST_MESSAGE


def test_messages_hold_nothing_that_a_terminal_acts_on() -> None:
    message = _refused({"\x1b[2Jmul\u202e": [], "mul0001": [{"response": ""}]})
    assert message == "x.json: dialogue \\x1b[2Jmul\\u202e: not in the benchmark tiny; leave it out"
    assert str(InputError("a\nb", "c\rd")) == "a\\nb: c\\rd"


def test_equal_problems_are_one_line_with_the_first_places() -> None:
    problems = Findings()
    for number in range(1000):
        problems.add(f"turn {number}", "is wrong")
    problems.add("turn 5", "is worse")
    lines = [problem.line for problem in problems.values()]
    assert lines == ["is wrong, 1000 times: turn 0; turn 1; turn 2; …", "turn 5: is worse"]


def test_problems_of_one_kind_are_one_with_an_example() -> None:
    first = {"hotel": {"aera": "x"}, "taxi": {"departur": "x", "leave": {}}}
    turns = [{"response": "", "state": state} for state in (first, {"taxi": {"leav": "x"}})]
    assert refusal(parse_submission, {"mul0001": turns}, TWO, "x").problems == (
        "dialogue mul0001, turn 0: `state`, taxi, leave: expected a string, found an object",
        "`state`, hotel: unknown slot 'aera' (did you mean area?), and similar ones, 3 times: "
        "dialogue mul0001, turn 0; dialogue mul0001, turn 0; dialogue mul0001, turn 1",
    )


# Keys that are twice in one object.


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1, "b": 2, "a": 1}', "x: the key 'a' is there twice; keep one"),
        (
            '{"sng1": [{"state": {"hotel": {"area": "n", "area": "s"}}}]}',
            "x: sng1[0].state.hotel: the key 'area' is there twice; keep one",
        ),
        (
            '{"a": [{"b": 1, "b": {"c": 1, "c": 2}}]}',
            "x: the key 'b' is there twice; keep one, and similar ones, 2 times: a[0]; a[0].b",
        ),
        ('{"a": [{"c": 1, "c": 2}], "a": 3}', "x: the key 'a' is there twice; keep one"),
        ('{"\\u0061": 1, "a": 2}', "x: the key 'a' is there twice; keep one"),
    ],
)
def test_repeated_keys_are_refused_with_their_place(text: str, problem: str) -> None:
    assert str(refusal(parse_json, text.encode(), "x")).startswith(problem)


def test_the_same_key_in_several_objects_is_in_order() -> None:
    content = {"a": {"a": [{"a": 1}, {"a": 2}]}}
    assert parse_json(json.dumps(content).encode(), "x") == content
