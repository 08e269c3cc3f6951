"""Errata: what is wrong in a benchmark, told of by `mwz why` and put right by rule sets."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from helpers import CAREFUL, Cli, benchmark, dialogue, goal

from mwz.harness import Benchmark, Scorer
from mwz.harness.errors import InputError
from mwz.normalization import RuleSet, errata, published_rule_sets, rule_set
from mwz.normalization.registry import shape_problems

_IN_DIALOGUE = {"dialogue": str, "turn": int, "there?": str, "right?": str, "source": str}
SHAPE = {
    "benchmark": str,
    "state?": [{**_IN_DIALOGUE, "slot": str}],
    "goal?": [{"dialogue": str, "slot": str, "there?": str, "right?": str, "source": str}],
    "response?": [{**_IN_DIALOGUE, "there": str, "right": str}],
    "venue?": [dict.fromkeys(("domain", "id", "slot", "there", "right", "source"), str)],
}

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
GOAL = {"dialogue": "d", "slot": "restaurant-food", "there": "thai", "right": "greek"}
RESPONSE = {"dialogue": "d", "turn": 0, "there": " 4.", "right": " 4.40 pounds."}
VENUE = {"domain": "restaurant", "id": "r1", "slot": "name", "there": "golden spoon", "right": "x"}


def test_each_part_is_put_right_and_the_given_benchmark_is_kept() -> None:
    before = repr(TINY)
    rules = rules_with(state=[STATE], goal=[GOAL], response=[RESPONSE], venue=[VENUE])
    changed = TINY.corrected(rules).dialogues["d"]
    assert changed.states == [{"restaurant": {"area": "north"}}, {}]
    assert changed.goal["restaurant"].informable == {"name": "golden spoon", "food": "greek"}
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
        ("state", {**STATE, "dialogue": "e"}, "dialogue e, .* no such place"),
        ("goal", {**GOAL, "slot": "hotel-food"}, "slot hotel-food: .* no such place"),
        ("response", {**RESPONSE, "turn": 1}, "turn 1: ' 4.' is said to be there"),
        ("venue", {**VENUE, "id": "r9"}, "id r9, slot name: .* no such place"),
    ],
)  # fmt: skip
def test_an_erratum_that_finds_something_else_is_refused(
    part: str, one: dict[str, Any], message: str
) -> None:
    rules = rules_with(**{part: [one]})
    with pytest.raises(InputError, match=message):
        TINY.venue_records(rules) if part == "venue" else TINY.corrected(rules)


def test_the_files_are_of_their_shape_and_only_next_applies_them() -> None:
    assert {name: [*shape_problems(one, SHAPE)] for name, one in errata().items()} == {
        name: [] for name in errata()
    }
    assert [*rule_set("next").errata] == ["multiwoz"]
    assert not any(rule_set(name).errata for name in published_rule_sets())


@pytest.mark.real_data
def test_the_corpus_informs_one_dialogue_more(multiwoz: Benchmark) -> None:
    informed = {}
    for rules in ("2026", "next"):
        scorer = Scorer(multiwoz).with_options(rules=rules, metrics=["inform"], states="gold")
        played = scorer.played(scorer.made("mwz22"))
        informed[rules] = {one.id for one in played.results if one.inform}
        assert scorer.report(played).inform == {"2026": 94.0, "next": 94.1}[rules]
    assert informed["next"] - informed["2026"] == {"mul2053"}
    notes = [note for id_ in multiwoz.dialogues for note in multiwoz.errata_of(id_)]
    counts = Counter(note.split()[1] for note in notes)
    # A state, prices of 18 responses, and the venue that two goals name.
    assert counts == {"state,": 1, "response,": 18, "venue,": 2}


def test_why_says_where_an_erratum_touches_a_dialogue(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = {"domain": "restaurant", "id": "1", "slot": "area", "there": "centre", "right": "east"}
    files = {"made-up": {"benchmark": "sample", "venue": [{**one, "source": "a map"}]}}
    monkeypatch.setattr("mwz.harness.benchmark.errata", lambda: files)
    # The goal of town001 has the centre, that of town002 no restaurant.
    shown = [
        cli.done("why", CAREFUL, "--benchmark", "sample", "--dialogue", id_).out
        for id_ in ("town001", "town002")
    ]
    told = "erratum: venue, domain restaurant, id 1, slot area: 'centre' should be 'east' (source: "
    assert [told in text for text in shown] == [True, False]
