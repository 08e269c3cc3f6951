"""Errata: what is wrong in a benchmark, told of by `mwz why` and put right by rule sets."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import CAREFUL, Cli, benchmark, dialogue, goal

from mwz.harness import Benchmark, Scorer
from mwz.harness.errors import InputError
from mwz.harness.scoring import harness_submission
from mwz.normalization import (
    DeclarationError,
    RuleSet,
    errata,
    published_rule_sets,
    registry,
    rule_set,
)

TINY = benchmark(
    {
        "d": replace(
            dialogue(
                {"restaurant": goal({"name": "golden spoon", "food": "thai"})},
                2,
                states=[{"restaurant": {"area": "north", "food": "thai"}}, {}],
            ),
            responses=["it costs 4.", "bye 4. 4."],
        ),
        "other": dialogue({"restaurant": goal({"area": "south"})}, 1),
    }
)


def rules_with(**parts: Any) -> RuleSet:
    """Return a rule set with a made-up file of errata."""
    rules = rule_set("2026")
    files = {"made-up": {"benchmark": "tiny", **parts}}
    return replace(rules, tables={**rules.tables, "errata": files})


STATE = {"dialogue": "d", "turn": 0, "slot": "restaurant-food", "there": "thai", "source": "s"}
RESPONSE = {"dialogue": "d", "turn": 0, "there": " 4.", "right": " 4.40 pounds."}
VENUE = {"domain": "restaurant", "id": "r1", "slot": "name", "there": "golden spoon", "right": "x"}


def test_each_part_is_put_right_and_the_given_benchmark_is_kept() -> None:
    before = repr(TINY)
    rules = rules_with(state=[STATE], response=[RESPONSE], venue=[VENUE])
    changed = TINY.corrected(rules).dialogues["d"]
    assert changed.states == [{"restaurant": {"area": "north"}}, {}]
    assert changed.responses == ["it costs 4.40 pounds.", "bye 4. 4."]
    names = [one["name"] for one in TINY.venue_records(rules)["restaurant"]]
    assert names == ["x", "silver fork", "copper pan", "iron pot"]
    assert repr(TINY) == before
    # Other benchmarks, and rule sets without errata, have nothing to do with it.
    assert replace(TINY, name="other").corrected(rules).dialogues == TINY.dialogues
    assert TINY.corrected(rule_set("2026")) is TINY


@pytest.mark.parametrize(
    ("part", "one", "message"),
    [
        ("state", {**STATE, "there": "greek"}, "0, slot restaurant-food: 'greek' .* has 'thai'"),
        ("state", {**STATE, "turn": 2}, "d, turn 2, slot restaurant-food: .* no such place"),
        ("response", {**RESPONSE, "turn": 1}, "turn 1: ' 4.' is said to be there"),
        ("venue", {**VENUE, "slot": "nmae"}, "id r1, slot nmae: .* has nothing"),
    ],
)  # fmt: skip
def test_an_erratum_that_finds_something_else_is_refused(
    part: str, one: dict[str, Any], message: str
) -> None:
    rules = rules_with(**{part: [one]})
    with pytest.raises(InputError, match=message):
        TINY.venue_records(rules) if part == "venue" else TINY.corrected(rules)


def test_a_value_that_is_missing_is_added_and_what_is_not_in_the_benchmark_left_out() -> None:
    absent = {"dialogue": "d", "turn": 1, "slot": "hotel-area", "right": "east", "source": "s"}
    elsewhere = {**STATE, "dialogue": "e"}
    rules = rules_with(state=[absent, elsewhere], venue=[{**VENUE, "id": "r9"}])
    changed = TINY.corrected(rules).dialogues
    assert changed["d"].states == [*TINY.dialogues["d"].states[:1], {"hotel": {"area": "east"}}]
    assert changed["other"] == TINY.dialogues["other"]
    assert TINY.venue_records(rules) == TINY.venue_records(rule_set("2026"))


def test_a_file_of_another_shape_is_refused_by_file_and_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = {"benchmark": "multiwoz", "state": [{**STATE, "rihgt": "x"}]}
    del wrong["state"][0]["source"]  # type: ignore[attr-defined]
    monkeypatch.setattr("mwz.normalization.rules.read_toml", lambda path: wrong)
    place = r"errata/multiwoz.toml: state\[0\]"
    with pytest.raises(DeclarationError, match=f"{place}.source is missing; .*rihgt: unknown key"):
        errata.__wrapped__()  # type: ignore[attr-defined]
    # A name that no benchmark has would be left out without a word.
    wrong["state"] = [{**STATE, "dialogue": "MUL2053.json", "slot": "hotelname"}]
    with pytest.raises(DeclarationError, match=r"dialogue: expected .*slot: expected text like"):
        errata.__wrapped__()  # type: ignore[attr-defined]


def test_a_file_that_is_no_toml_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.toml").write_text("[[state", encoding="utf-8")
    monkeypatch.setattr(registry, "folder_of", lambda package: tmp_path)
    with pytest.raises(DeclarationError, match=r"x\.toml: Expected '\]\]'"):
        registry.read_toml("x.toml")


def test_only_next_applies_the_files() -> None:
    assert [*rule_set("next").errata] == ["multiwoz"]
    assert not any(rule_set(name).errata for name in published_rule_sets())


@pytest.mark.real_data
def test_the_corpus_informs_one_dialogue_more(multiwoz: Benchmark) -> None:
    informed = {}
    for rules in ("2026", "next"):
        scorer = Scorer(multiwoz).with_options(rules=rules, metrics=["inform"], states="gold")
        played = scorer.played(harness_submission(scorer, "mwz22"))
        informed[rules] = {one.id for one in played.results if one.inform}
        assert scorer.report(played).inform == {"2026": 94.0, "next": 94.1}[rules]
    assert informed["next"] - informed["2026"] == {"mul2053"}
    notes = [note for id_ in multiwoz.dialogues for note in multiwoz.errata_of(id_)]
    counts = Counter(note.split()[1] for note in notes)
    # A state, prices of 18 responses, and the venue that two goals name.
    assert counts == {"state,": 1, "response,": 18, "venue,": 2}
    # None is left out for a name that the benchmark lacks, and slots are those of its states.
    [content] = [one for one in errata().values() if one["benchmark"] == multiwoz.name]
    assert len(errata()) == 1
    parts = ("state", "goal", "response")
    assert sum(len(content.get(part, ())) for part in parts) == 1 + 18
    states = [state for one in multiwoz.dialogues.values() for state in one.states or ()]
    slots = {f"{domain}-{slot}" for one in states for domain, of in one.items() for slot in of}
    assert {one["slot"] for one in content["state"]} <= slots
    records = multiwoz.venue_records(rule_set("2026"))
    ids = {(domain, venue.get("id")) for domain, venues in records.items() for venue in venues}
    assert {(one["domain"], one["id"]) for one in content["venue"]} <= ids


def test_why_says_where_an_erratum_touches_a_dialogue(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = {"domain": "restaurant", "id": "1", "slot": "area", "there": "centre", "right": "east"}
    absent = {"dialogue": "town002", "turn": 0, "slot": "hotel-stars", "right": "4", "source": "s"}
    parts = {"venue": [{**one, "source": "a map"}], "state": [absent]}
    files = {"made-up": {"benchmark": "sample", **parts}}
    monkeypatch.setattr("mwz.harness.benchmark.errata", lambda: files)
    # The goal of town001 has the centre, that of town002 no restaurant.
    shown = [
        cli.done("why", CAREFUL, "--benchmark", "sample", "--dialogue", id_).out
        for id_ in ("town001", "town002")
    ]
    told = "erratum: venue, domain restaurant, id 1, slot area: 'centre' should be 'east' (source: "
    assert [told in text for text in shown] == [True, False]
    assert "town002, turn 0, slot hotel-stars: nothing should be '4' (source: s)" in shown[1]
