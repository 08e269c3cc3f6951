"""Errata: what is wrong in a benchmark, told of by `mwz why` and put right by rule sets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import CAREFUL, Cli, benchmark, dialogue, goal

from mwz.harness import Benchmark, Scorer
from mwz.harness.errors import InputError
from mwz.harness.scoring import normalize
from mwz.normalization import (
    DeclarationError,
    RuleSet,
    errata,
    packages,
    published_rule_sets,
    rule_set,
)

GOAL = {"restaurant": goal({"name": "golden spoon", "food": "thai"})}
PLAYED = dialogue(GOAL, 2, states=[{"restaurant": {"area": "north", "food": "thai"}}, {}])
TINY = benchmark(
    {
        "d": replace(PLAYED, responses=["it costs 4.", "bye 4. 4."]),
        "other": dialogue({"restaurant": goal({"area": "south"})}, 1),
    }
)


def rules_with(*patches: Mapping[str, str]) -> RuleSet:
    """Return a rule set with a made-up file of errata."""
    rules = rule_set("2026")
    files = {"made-up": {"benchmark": "tiny", "patches": patches}}
    return replace(rules, tables={**rules.tables, "errata": files})


def patch_of(file: str, path: str, **words: str) -> dict[str, str]:
    return {"file": file, "path": path, **words, "reason": "s"}


STATE = patch_of("dialogues", "d/states/0/restaurant/food", old="thai")
RESPONSE = patch_of("dialogues", "d/responses/0", old=" 4.", new=" 4.40 pounds.")
VENUE = patch_of("venues", "restaurant/r1/name", old="golden spoon", new="x")


def test_errata_correct_a_copy_of_the_benchmark() -> None:
    before = repr(TINY)
    rules = rules_with(STATE, RESPONSE, VENUE)
    changed = TINY.scored_part(rules).dialogues["d"]
    assert changed.states == [{"restaurant": {"area": "north"}}, {}]
    assert changed.responses == ["it costs 4.40 pounds.", "bye 4. 4."]
    names = [record["name"] for record in TINY.venue_records(rules)["restaurant"]]
    assert names == ["x", "silver fork", "copper pan", "iron pot"]
    assert repr(TINY) == before
    # Other benchmarks, and rule sets without errata, have nothing to do with it.
    assert replace(TINY, name="other").scored_part(rules).dialogues == TINY.dialogues
    assert TINY.scored_part(rule_set("2026")) is TINY


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({**STATE, "old": "greek"}, "d/states/0/restaurant/food: 'greek' .* has 'thai'"),
        ({**STATE, "path": "d/states/2/restaurant/food"}, "d/states/2/.*: .* no such place"),
        ({**RESPONSE, "path": "d/responses/1"}, "d/responses/1: ' 4.' is said to be there"),
        ({**VENUE, "path": "restaurant/r1/nmae"}, "restaurant/r1/nmae: .* has nothing"),
    ],
)
def test_outdated_errata_are_refused(patch: Mapping[str, str], message: str) -> None:
    rules = rules_with(patch)
    with pytest.raises(InputError, match=message):
        TINY.venue_records(rules) if patch["file"] == "venues" else TINY.scored_part(rules)


def test_errata_add_missing_values() -> None:
    absent = patch_of("dialogues", "d/states/1/hotel/area", new="east")
    elsewhere = {**STATE, "path": "e/states/0/restaurant/food"}
    rules = rules_with(absent, elsewhere, {**VENUE, "path": "restaurant/r9/name"})
    changed = TINY.scored_part(rules).dialogues
    assert changed["d"].states == [*TINY.dialogues["d"].states[:1], {"hotel": {"area": "east"}}]
    assert changed["other"] == TINY.dialogues["other"]
    assert TINY.venue_records(rules) == TINY.venue_records(rule_set("2026"))


def test_misshapen_errata_are_refused_with_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    patch = {**STATE, "nwe": "x"}
    del patch["reason"]
    wrong = {"benchmark": "multiwoz", "patches": [patch]}
    monkeypatch.setattr("mwz.normalization.rules.read_toml", lambda path: wrong)
    place = r"errata/multiwoz.toml: patches\.0"
    with pytest.raises(DeclarationError, match=f"{place}.reason: field req.*nwe: unknown key"):
        errata.__wrapped__()  # type: ignore[attr-defined]
    # A name that no benchmark has would be left out without a word.
    for path in ("MUL2053.json/states/0/hotel/name", "mul2053/states/0/hotelname"):
        wrong["patches"] = [{**STATE, "path": path}]
        with pytest.raises(DeclarationError, match=r"path: string should match"):
            errata.__wrapped__()  # type: ignore[attr-defined]


def test_a_file_that_is_no_toml_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.toml").write_text("[[state", encoding="utf-8")
    monkeypatch.setattr(packages, "folder_of", lambda package: tmp_path)
    with pytest.raises(DeclarationError, match=r"x\.toml: Expected '\]\]'"):
        packages.read_toml("x.toml")


def test_only_next_applies_the_files() -> None:
    assert [*rule_set("next").errata] == ["multiwoz"]
    assert not any(rule_set(name).errata for name in published_rule_sets())


@pytest.mark.real_data
def test_the_corpus_informs_one_dialogue_more(multiwoz: Benchmark) -> None:
    informed = {}
    for rules in ("2026", "next"):
        scorer = Scorer(multiwoz).with_options(rules=rules, metrics=["inform"], states="gold")
        played = scorer.played(normalize(scorer, "mwz22"))
        informed[rules] = {result.id for result in played.results if result.inform}
        assert scorer.report(played).inform == {"2026": 94.0, "next": 94.1}[rules]
    assert informed["next"] - informed["2026"] == {"mul2053"}
    notes = [note for id_ in multiwoz.dialogues for note in multiwoz.errata_of(id_)]
    counts = Counter(re.split("[/:]", note)[2] for note in notes)
    # A state, prices of 18 responses, and the venue that two goals name.
    assert counts == {"states": 1, "responses": 18, "71": 2}
    # None is left out for a name that the benchmark lacks, and slots are those of its states.
    [content] = errata().values()
    assert content["benchmark"] == multiwoz.name
    paths: dict[str, list[list[str]]] = {"dialogues": [], "venues": []}
    for patch in content["patches"]:
        paths[patch["file"]].append(patch["path"].split("/"))
    assert (len(paths["dialogues"]), len(paths["venues"])) == (19, 1)
    slots = set()
    for played in multiwoz.dialogues.values():
        for state in played.states or ():
            slots |= {(domain, slot) for domain, values in state.items() for slot in values}
    assert {(*path[3:],) for path in paths["dialogues"] if path[1] == "states"} <= slots
    records = multiwoz.venue_records(rule_set("2026"))
    [(domain, id_, _)] = paths["venues"]
    assert id_ in [venue.get("id") for venue in records[domain]]


def test_why_says_where_errata_apply(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    patches = [
        patch_of("venues", "restaurant/1/area", old="centre", new="east"),
        patch_of("dialogues", "town002/states/0/hotel/stars", new="4"),
    ]
    files = {"made-up": {"benchmark": "sample", "patches": patches}}
    monkeypatch.setattr("mwz.harness.benchmark.errata", lambda: files)
    # The goal of town001 has the centre, that of town002 no restaurant.
    shown = [
        cli.done("why", CAREFUL, "--benchmark", "sample", "--dialogue", id_).out
        for id_ in ("town001", "town002")
    ]
    message = "erratum: restaurant/1/area: 'centre' should be 'east' (source: "
    assert [message in text for text in shown] == [True, False]
    assert "town002/states/0/hotel/stars: nothing should be '4' (source: s)" in shown[1]
