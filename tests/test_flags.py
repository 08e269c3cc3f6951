"""Flags: what is measured, worked out by hand, and where a flag is raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import REPOSITORY, system
from helpers import benchmark, dialogue, goal

from mwz.harness import Benchmark
from mwz.harness.board import Board, Entry, Row, Scores, System, copied, read_entries
from mwz.harness.board.copied import Fingerprints, copies, fingerprints_of
from mwz.harness.board.entries import entry_problems
from mwz.harness.board.model import fingerprints
from mwz.harness.board.rows import raised_flags, response_row
from mwz.harness.io import validated
from mwz.harness.metrics import flags
from mwz.harness.scoring import Options
from mwz.harness.scoring.scorer import score
from mwz.harness.submission import declared_flags

Turns = Sequence[Mapping[str, Any]]
Figures = Mapping[str, float]
Measured = tuple[Benchmark, Sequence[Turns]]


@pytest.fixture(autouse=True)
def _twenty_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shares of few units be measured: what they are of can be worked out by hand."""
    for module in (flags, copied):
        monkeypatch.setattr(module, "FEWEST", 20)


HUNDRED = 100
"""The dialogues of the benchmarks here: a count of them is a share in percent."""


def _measured(on: Benchmark, said: Sequence[Turns], *metrics: str, **options: Any) -> Figures:
    predictions = dict(zip(on.dialogues, said, strict=True))
    report = score(predictions, on, Options(metrics=[*metrics, "flags"], **options))
    measured: Figures = report.metrics["flags"]
    return measured


def _on(references: Sequence[str], dialogues: int = HUNDRED, **facts: Any) -> Benchmark:
    """Return a benchmark of dialogues that are all alike."""
    wanted = {"restaurant": goal({"food": "greek", "area": "north"}, ["PHONE"])}
    played = dialogue(wanted, len(references), references=references, **facts)
    return benchmark({f"d{number}": played for number in range(dialogues)})


def _said(*responses: str, **more: object) -> Turns:
    return [{"response": response, **more} for response in responses]


def _mixed(count: int, these: Turns, others: Turns) -> list[Turns]:
    """Return the turns of so many dialogues, and others of the rest."""
    return [these] * count + [others] * (HUNDRED - count)


def _placeholders(count: int) -> Measured:
    # A hundred turns name a venue: `count` of them with three numbers, the others with two, of
    # which one comes in another turn.
    three = _said("[name] and [name] [phone] [address] [postcode] [postcode]", "ok")
    return _on(["hi", "bye"]), _mixed(count, three, _said("[name] [phone]", "[address]"))


def _placement(count: int) -> Measured:
    # Of 100 placeholders, `count` are those of the references: F1 is 2 count / (100 + 100).
    return _on(["NAME is nice"]), _mixed(count, _said("[name]"), _said("[phone]"))


def _reference_placeholders(count: int) -> Measured:
    # Turns whose reference has one placeholder do not count.
    on = _on(["NAME, PHONE, in the AREA", "NAME"])
    return on, _mixed(count, _said("[phone] [name]", "ok"), _said("[name]", "[name]"))


def _gold_states(count: int) -> Measured:
    # No query asks how long somebody stays.
    gold = {"hotel": {"area": "north", "stay": "2"}}
    right = _said("ok", state={"hotel": {"area": "north", "stay": "1"}, "train": {}})
    wrong = _said("ok", state={"hotel": {"area": "north", "stars": "4"}})
    return _on(["hi"], states=[gold]), _mixed(count, right, wrong)


_SIX = "one two three four five six"


def _told(count: int) -> Measured:
    # The references name 100 venues; `count` responses name twelve each, the others none.
    named = _said(" , ".join(["golden spoon"] * 12))
    return _on(["NAME"]), _mixed(count, named, _said("ok"))


CASES: Mapping[str, tuple[Callable[[int], Measured], tuple[int, float], tuple[int, float]]] = {
    "placeholders": (_placeholders, (50, 2.5), (51, 2.51)),
    "placement": (_placement, (30, 0.3), (29, 0.29)),
    "reference_placeholders": (_reference_placeholders, (55, 0.55), (56, 0.56)),
    "gold_states": (_gold_states, (85, 0.85), (86, 0.86)),
    "told": (_told, (50, 6.0), (51, 6.12)),
}
"""Flag -> what makes a case of a count, and count and figure at and beyond the limit."""


@pytest.mark.parametrize("flag", CASES)
def test_a_flag_is_raised_beyond_its_limit_and_not_at_it(flag: str) -> None:
    make, *both = CASES[flag]
    options = {"lexicalised": True} if flag == "told" else {}
    for (count, value), raised in zip(both, (False, True), strict=True):
        measured = _measured(*make(count), "inform", **options)[flag]
        assert measured == pytest.approx(value, abs=1e-12)
        assert declared_flags()[flag].is_raised(measured) == raised


def test_numbers_without_a_name_are_not_measured() -> None:
    said = [_said("[phone] [address] [postcode]")] * HUNDRED
    assert "placeholders" not in _measured(_on(["PHONE"]), said)


@pytest.mark.parametrize(
    ("flag", "on", "said"),
    [
        # Fewer than a tenth of the references' placeholders: plain words.
        ("placement", _on(["NAME"]), _mixed(9, _said("[name]"), _said("ok"))),
        # 19 turns with placeholders are too few.
        ("reference_placeholders", _on(["NAME PHONE"], 19), [_said("[name] [phone]")] * 19),
        ("gold_states", _on(["NAME"]), [_said("ok")] * HUNDRED),
        ("told", _on(["NAME"]), [_said("golden spoon")] * HUNDRED),
    ],
)
def test_flags_of_too_few_units_are_not_measured(
    flag: str, on: Benchmark, said: list[Turns]
) -> None:
    assert flag not in _measured(on, said, "inform")


def test_states_say_something_of_gold_whatever_queries_the_database() -> None:
    made = _gold_states(81)
    assert _measured(*made, states="gold")["gold_states"] == 0.81


# ------------------------------------------------------------------------------- copies


def _entry(name: str, marks: Fingerprints, **facts: Any) -> Entry:
    known = validated(System, system(name=name, **facts), name)
    return Entry(Path(name), known, Scores(fingerprints=marks))


def _marks(kind: str, shared: int) -> tuple[Fingerprints, Fingerprints]:
    """Return what is known of two systems that share so many of 100 turns."""
    own, other = "aa" * 100, "aa" * shared + "bb" * (100 - shared)
    return Fingerprints("b", **{kind: own}), Fingerprints("b", **{kind: other})


@pytest.mark.parametrize(
    ("kind", "flag", "limit"),
    [("phrases", "copied_responses", 57), ("states", "copied_states", 75)],
)
def test_the_later_of_two_copies_names_the_other(kind: str, flag: str, limit: int) -> None:
    for shared, raised in ((limit, False), (limit + 1, True)):
        first, second = _marks(kind, shared)
        entries = [_entry("first", first), _entry("second", second)]
        # Who was there before is not accused.
        expected = {"first": {}, "second": {flag: ("first", shared / 100)}}
        assert copies(fingerprints(entries)) == expected
        assert declared_flags()[flag].is_raised(shared / 100) == raised


def test_a_state_that_agrees_with_gold_tells_something_where_the_other_does_not() -> None:
    """Of 100 turns both agree with gold in 20, one of the two in 20, and 30 of the rest are equal.

    80 turns count, of which 30 are equal: 3/8. A short response, in contrast, says nothing.
    """
    own = "--" * 20 + "--" * 20 + "aa" * 60
    other = "--" * 20 + "aa" * 20 + "aa" * 30 + "bb" * 30
    first, second = Fingerprints("b", states=own), Fingerprints("b", states=other)
    assert first.shared(second, "states") == second.shared(first, "states") == 3 / 8
    first, second = Fingerprints("b", phrases=own), Fingerprints("b", phrases=other)
    assert first.shared(second, "phrases") == 1 / 2


def test_declared_states_of_others_raise_nothing() -> None:
    own = Fingerprints("b", states="aa" * 100)
    entries = [_entry(key, own) for key in ("first", "second")]
    report = score({"d0": _said("Hello.")}, _on(["Hello."], 1), Options(metrics=["bleu"]))
    for whose, raised in (("first", []), ("second", ["copied_states"]), (None, ["copied_states"])):
        third = _entry("third", own, **({} if whose is None else {"states_of": whose}))
        shared = copies(fingerprints([*entries, third]))["third"]
        assert shared["copied_states"][0] == "first"
        third = replace(third, scores=replace(third.scores, reports={"2021": report}))
        row = response_row(third, "2021", shared)
        assert row is not None
        assert raised_flags(row) == raised


def test_the_entry_named_by_states_of_must_have_these_states() -> None:
    first, second = _marks("states", 99)
    for whose, message in (
        ("first", "its belief states are not those of first (0.99 of them are)"),
        ("third", "its belief states are not those of third (too few can be compared)"),
        ("second", "unknown entry 'second'"),
        ("none", "unknown entry 'none'"),
    ):
        others = [_entry("first", first), _entry("third", Fingerprints("b"))]
        problems = entry_problems([*others, _entry("second", second, states_of=whose)])
        assert "\n".join(problems).count(f"second: entry.toml: states_of: {message}") == 1
    right = [_entry("first", first), _entry("second", first, states_of="first")]
    assert "states_of" not in "\n".join(entry_problems(right))


def test_fingerprints_do_not_hear_punctuation_and_leave_short_responses_out() -> None:
    on = _on(["hi"] * 3, 1)
    texts = ["one , two three four five six .", "one two", _SIX]
    marks = fingerprints_of(on, {"d0": texts}, None).phrases
    assert (marks[:2], marks[2:4]) == (marks[4:], "--")


# ------------------------------------------------------------------------------- the repository's


@pytest.fixture(scope="module")
def published(project_board: Board) -> list[Row]:
    """The rows of the board that measure flags: of responses, in plain English, and of states."""
    by_track = project_board.tables_by_track
    tables = (project_board.rows, *by_track["lexicalised"], *by_track["state-tracking"])
    return [row for table in tables for row in table]


# What is given what it has in common with the references, and not reviewed.
GIVEN = {"krls-gold-acts": {"reference_placeholders"}, "uniconv": {"gold_states"}}
# What one paper's systems share: key -> flags. It is reviewed.
SHARED = {
    "dard-best-agents": {"copied_states", "copied_responses"},
    "dard-claude": {"copied_states"},
    "dard-flan-t5": {"copied_states"},
    "dard-flan-t5-single": {"copied_states"},
    "dard-mistral": {"copied_states"},
    "dard-mistral-single": {"copied_states"},
    "krls-policy": {"copied_responses"},
}


def test_published_entries_raise_few_flags(published: Sequence[Row]) -> None:
    raised: dict[str, set[str]] = {}
    for row in published:
        names = {*raised_flags(row)}
        if names and not row.entry.system.predictions.by_harness:
            raised.setdefault(row.key, set()).update(names)
            reviewed = {review.reason.split(":")[0] for review in row.entry.system.review}
            assert reviewed == (set() if row.key in GIVEN else {"of one paper"})
    assert raised == SHARED | GIVEN


def test_the_human_responses_are_the_first_that_others_can_be_copies_of() -> None:
    prints = fingerprints(read_entries(REPOSITORY))
    assert next(iter(prints)) == "corpus"
    # An entry that says what people said has all of it.
    shares = copies({"corpus": prints["corpus"], "copy": prints["corpus"]})
    assert shares["copy"]["copied_responses"] == ("corpus", 1.0)


def test_honest_ranges_are_those_of_honest_entries(published: Sequence[Row]) -> None:
    for flag in CASES:
        values = []
        for row in published:
            # In plain English, what the harness made of published outputs is honest.
            is_honest = flag == "told" or not row.entry.system.predictions.by_harness
            if is_honest and row.key != "krls-gold-acts" and flag not in raised_flags(row):
                values += [row.flags[flag]] if flag in row.flags else []
        least, greatest = declared_flags()[flag].honest
        assert least - 0.01 < min(values) < least + 0.02
        assert greatest - 0.02 < max(values) < greatest + 0.01
