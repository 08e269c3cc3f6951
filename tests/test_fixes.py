"""`mwz convert --fix`: what can be meant in one way only is written as MultiWOZ has it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, benchmark, dialogue, write_json

from mwz.harness import Benchmark
from mwz.harness.submission import (
    Content,
    Turn,
    checked_submission,
    fixed_content,
    read_predictions,
)
from mwz.harness.submission.profile.fixes import with_blanks, with_brackets, without_tags
from mwz.harness.submission.profile.vocabulary import Vocabulary, read_value
from mwz.normalization import rule_set

RULES = rule_set("2021")

Outputs = Mapping[str, Sequence[Mapping[str, Any]]]
Rewrite = Callable[[Mapping[str, Any]], dict[str, Any]]

_TIME = re.compile(r"([0-9]{2}):([0-9]{2})")
_PLACEHOLDER = re.compile(r"\[([a-z]+)\]")


def _values(change: Callable[[str, str], str]) -> Rewrite:
    """Return what changes the values of a turn's state, given slot and value."""

    def rewritten(turn: Mapping[str, Any]) -> dict[str, Any]:
        state = {}
        for domain, slots in turn["state"].items():
            state[domain] = {slot: change(slot, value) for slot, value in slots.items()}
        return {**turn, "state": state}

    return rewritten


def _responses(change: Callable[[str], str]) -> Rewrite:
    return lambda turn: {**turn, "response": change(turn["response"])}


def _with_none(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn whose state says of three slots that they have no value."""
    state = {domain: {**slots} for domain, slots in turn["state"].items()}
    for slot in ("name", "area", "pricerange"):
        state.setdefault("restaurant", {}).setdefault(slot, "none")
    return {**turn, "state": state}


REWRITES: Mapping[str, Rewrite] = {
    "times with a full stop": _values(lambda slot, value: _TIME.sub(r"\1.\2", value)),
    "times with a word": _values(lambda slot, value: _TIME.sub(r"before \1:\2", value)),
    "areas with an article": _values(
        lambda slot, value: f"the {value}" if slot == "area" else value
    ),
    "types in the plural": _values(lambda slot, value: f"{value}s" if slot == "type" else value),
    "none": _with_none,
    "placeholders with <": _responses(lambda text: _PLACEHOLDER.sub(r"<\1>", text)),
    "placeholders with {": _responses(lambda text: _PLACEHOLDER.sub(r"{\1}", text)),
    "special tokens": _responses(lambda text: f"<sos_r> {text} <eos_r>"),
    "end of text": _responses(lambda text: f"{text}<|endoftext|>"),
    "a special token before": _responses(lambda text: f"<s>{text}</s>"),
    "placeholders without a blank": _responses(
        lambda text: re.sub(r"([a-z]) (\[[a-z]+\])", r"\1\2", text)
    ),
}
"""Name -> what is done to each turn of a file in order."""


def _rewritten(outputs: Outputs, rewrite: Rewrite) -> dict[str, list[dict[str, Any]]]:
    return {id_: [rewrite(turn) for turn in turns] for id_, turns in outputs.items()}


@pytest.mark.parametrize("name", REWRITES)
def test_fixed_files_get_no_remark(name: str, cli: Cli, here: Path, careful: Outputs) -> None:
    spoilt = _rewritten(careful, REWRITES[name])
    assert spoilt != careful
    write_json(here / "spoilt.json", spoilt)
    run = cli.done("convert", "--fix", "spoilt.json", "-o", "fixed.json", "--benchmark", "sample")
    assert "not fixed" not in run.err
    assert json.loads((here / "fixed.json").read_bytes()) == careful
    # The number and an example.
    assert re.search(r"mwz: spoilt\.json: fixed [a-z ]+, [0-9]+×: '", run.err)


def test_files_in_order_are_not_changed(cli: Cli, here: Path, careful: Outputs) -> None:
    write_json(here / "careful.json", careful)
    run = cli.done("convert", "--fix", "careful.json", "-o", "same.json", "--benchmark", "sample")
    assert "nothing to fix" in run.err
    assert json.loads((here / "same.json").read_bytes()) == careful
    cli.done("check", "same.json", "--benchmark", "sample")


def test_without_fix_what_was_read_is_written(cli: Cli, here: Path, careful: Outputs) -> None:
    spoilt = _rewritten(careful, REWRITES["times with a full stop"])
    write_json(here / "spoilt.json", spoilt)
    cli.done("convert", "spoilt.json", "-o", "same.json", "--benchmark", "sample")
    assert json.loads((here / "same.json").read_bytes()) == spoilt


def test_ambiguous_values_stay_and_are_listed(cli: Cli, here: Path, careful: Outputs) -> None:
    spoilt = _rewritten(
        careful, _values(lambda slot, value: "north or south" if slot == "area" else value)
    )
    write_json(here / "spoilt.json", spoilt)
    run = cli.done("convert", "--fix", "spoilt.json", "-o", "fixed.json", "--benchmark", "sample")
    assert json.loads((here / "fixed.json").read_bytes()) == spoilt
    assert "mwz: spoilt.json: not fixed: " in run.err
    assert "'north or south'" in run.err


def test_trackers_files_are_fixed_too(cli: Cli, here: Path, careful: Outputs) -> None:
    rewrite = REWRITES["areas with an article"]
    states = {id_: [{"state": turn["state"]} for turn in turns] for id_, turns in careful.items()}
    write_json(here / "spoilt.json", _rewritten(states, rewrite))
    cli.done("convert", "--fix", "spoilt.json", "-o", "fixed.json", "--benchmark", "sample")
    assert json.loads((here / "fixed.json").read_bytes()) == states


# Responses.


def _fixed(fixer: Callable[..., str], text: str) -> tuple[str, list[tuple[str, str]]]:
    changes: list[tuple[str, str]] = []
    return fixer(text, RULES, lambda *change: changes.append(change)), changes


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("[value-name]", "[value_name]"),
        ("<value_name>", "[value_name]"),
        ("{value_name}", "[value_name]"),
        ("value_name", "[value_name]"),
        ("hotel-name", "[hotel_name]"),
        ("[(hotel)-(name)]", "[hotel_name]"),
        ("<Hotel.Name>", "[hotel_name]"),
        ("%phone%", "[phone]"),
        ("HOTEL_NAME", "[hotel_name]"),
        ("<arrive>", "[value_arrive]"),
        # A slot of the ontology.
        ("PHONE", "[phone]"),
        ("POST", "[postcode]"),
    ],
)
def test_placeholders_in_other_notations_get_brackets(written: str, meant: str) -> None:
    text = "[hotel_name] and {} , ok ?"
    fixed, changes = _fixed(with_brackets, text.format(written))
    assert fixed == text.format(meant)
    assert changes == [(written, meant)]


@pytest.mark.parametrize(
    "text",
    [
        "[hotel_name] is in the [value_area] .",
        # No placeholder is called so.
        "entity_name is fine",
        "the name and the phone of the hotel",
        "VALUE",
        "what is 3-star , or $ 5 ?",
        "NAME .",
    ],
)
def test_what_is_no_known_placeholder_stays(text: str) -> None:
    assert _fixed(with_brackets, text) == (text, [])


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("<sos_r> hello . <eos_r>", "hello ."),
        ("hello .</s>", "hello ."),
        # What a model thought goes with its tokens.
        ("<think> [value_name] ? </think> hello .", "hello ."),
        ("leaves at <leave> .", "leaves at <leave> ."),
        ("<|endoftext|>", ""),
        ("a <b> c", "a c"),
        # A placeholder, an unknown word, and no token.
        ("<hotel_name> <unk> a < b > c", "<hotel_name> <unk> a < b > c"),
        ("<venue_name> is", "<venue_name> is"),
    ],
)
def test_special_tokens_are_removed(text: str, fixed: str) -> None:
    assert _fixed(without_tags, text)[0] == fixed


def test_blanks_are_put_around_placeholders() -> None:
    assert _fixed(with_blanks, "at[value_name]in [hotel_name]s")[0] == (
        "at [value_name] in [hotel_name]s"
    )


# Meanings of values.

_AREAS = frozenset({"north", "south", "centre"})
_NAMES = frozenset({"hall of clocks", "the hall", "hall"})


@pytest.mark.parametrize(
    ("slot", "value", "meant"),
    [
        ("area", "the north", "north"),
        ("area", "center", "centre"),
        ("area", "north, cambridge", "north"),
        ("area", "anywhere", "dontcare"),
        ("area", "none", ""),
        # Either may be meant, or something else besides.
        ("area", "north or south", None),
        ("area", "north/south", None),
        ("area", "north and beyond", None),
        # Nothing known.
        ("area", "west", None),
        # "the" tells no values apart; the more frequent spelling is meant.
        ("name", "The Halls", "the hall"),
    ],
)
def test_a_meaning_is_given_where_there_is_one(slot: str, value: str, meant: str | None) -> None:
    values = {("hotel", "area"): _AREAS, ("hotel", "name"): _NAMES}
    counts = {("hotel", "name"): Counter({"the hall": 2, "hall": 1})}
    vocabulary = Vocabulary(RULES, values, frozenset(values), counts)
    assert read_value(vocabulary, "hotel", slot, value).meant == meant


def test_a_time_is_fixed_where_the_rules_do_not_read_it() -> None:
    # They read `time`, and not `booktime`.
    on = benchmark({"mul0001": dialogue({}, 1, [{"restaurant": {"booktime": "18:00"}}])})
    turn = Turn("", {"restaurant": {"booktime": "1800", "time": "1800"}}, None)
    fixed, _ = fixed_content(Content({"mul0001": [turn]}, on, RULES))
    (read,) = fixed.dialogues["mul0001"]
    assert read.state == {"restaurant": {"booktime": "18:00", "time": "1800"}}


_EVALUATOR = "MultiWOZ_Evaluation/predictions"


@pytest.mark.real_data
@pytest.mark.parametrize(
    "path",
    [
        *(f"{_EVALUATOR}/{name}.json" for name in ("damd", "soloist", "augpt", "rstod", "mars")),
        # It has a `none` here and there.
        "KRLS/outputs/krls-e2e.json",
    ],
)
def test_sound_published_files_do_not_change(
    path: str, multiwoz: Benchmark, upstream: Path
) -> None:
    submission = checked_submission(read_predictions(upstream / path), multiwoz, path)
    fixed, changes = fixed_content(Content(submission.dialogues, multiwoz, RULES))
    assert not changes
    assert fixed.dialogues == submission.dialogues
