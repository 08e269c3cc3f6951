"""Benchmarks on disk: found by name, loaded as they were, replaced all or nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import benchmark, dialogue, goal

from mwz.harness import Benchmark, InputError
from mwz.harness.data import (
    benchmark_path,
    installed as machine,
    installed_benchmarks,
    load_benchmark,
)
from mwz.harness.data.installed import DATA_VARIABLE, from_document, install_benchmark, to_document
from mwz.harness.scoring import Scorer, database_of, venue_database
from mwz.harness.scoring.scorer import bleu_references
from mwz.normalization import published_rule_sets, rule_set

ONE = replace(
    dialogue(
        {"restaurant": goal({"food": "café"}, ["PHONE", "ADDRESS"])},
        2,
        states=[{}, {"restaurant": {"food": "café"}}],
        active=[["general"], ["restaurant"]],
        booked=[[], ["restaurant"]],
    ),
    users=("Hello!", "A café, please."),
    responses=("Where?", "Booked."),
)
TINY = replace(
    benchmark({"mul0001": ONE}, "multiwoz"),
    venue_versions={"2023": {"restaurant": [{"id": "r1", "phone": "1"}]}},
    seen=frozenset({"mul0001"}),
    trained=frozenset({("restaurant", "food", "basque")}),
)


def test_the_data_directory_is_found(data_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.data_directory() == data_directory
    monkeypatch.setenv(DATA_VARIABLE, "")
    unset = machine.data_directory()
    assert (unset.name, unset.is_absolute()) == ("multiwoz-harness", True)
    monkeypatch.delenv(DATA_VARIABLE)
    assert machine.data_directory() == unset


def test_without_a_data_directory_there_is_the_sample() -> None:
    assert not machine.data_directory().exists()
    assert installed_benchmarks() == ["sample"]
    assert load_benchmark().name == "sample"
    assert benchmark_path("sample") is None
    assert not machine.data_directory().exists()


@pytest.mark.parametrize(
    "overlap", [{}, {"seen": None, "trained": None}, {"seen": frozenset(), "trained": frozenset()}]
)
def test_what_is_installed_is_loaded_as_it_was(overlap: Any) -> None:
    given = replace(TINY, **overlap)
    path = install_benchmark(given)
    assert path == benchmark_path("multiwoz")
    assert load_benchmark("multiwoz") == given
    assert _hashes(load_benchmark("multiwoz")) == _hashes(given)


def test_multiwoz_is_the_default_once_it_is_there() -> None:
    install_benchmark(replace(TINY, name="another"))
    install_benchmark(TINY)
    assert installed_benchmarks() == ["sample", "another", "multiwoz"]
    assert load_benchmark().name == "multiwoz"


@pytest.mark.parametrize("name", ["nosuch", "../benchmarks/multiwoz", "multiwoz.json.gz"])
def test_an_unknown_name_is_refused_with_those_there_are(name: str) -> None:
    install_benchmark(TINY)
    assert load_benchmark("").name == "multiwoz"
    with pytest.raises(InputError, match="not installed; choose from sample, multiwoz"):
        load_benchmark(name)


def _file(content: object, format_: int = 3) -> bytes:
    """Return a benchmark file."""
    return gzip.compress(json.dumps({"format": format_, "content": content}).encode(), mtime=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b"{", mtime=0), "not JSON"),
        (_file({})[:-4], "damaged: it cannot be unpacked"),
        (gzip.compress(b"[]", mtime=0), "written by another version of the harness; install it"),
        (_file({}, format_=99), "written by another version of the harness; install it again"),
    ],
)
def test_a_damaged_file_is_refused(content: bytes, message: str) -> None:
    path = install_benchmark(TINY)
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as raised:
        load_benchmark("multiwoz")
    assert raised.value.source == str(path)


# Content hashes.

OLD, NEW = rule_set("2021"), rule_set("2023")


def _hashes(given: Benchmark) -> dict[str, str]:
    return {name: given.content_hash(rule_set(name)) for name in published_rule_sets()}


def _changed(change: Callable[[dict[str, Any]], object]) -> Benchmark:
    """Return the benchmark with something changed in the document of its dialogue."""
    document = json.loads(json.dumps(to_document(TINY)))
    change(document["dialogues"]["mul0001"])
    return from_document(document)


def test_a_content_hash_depends_on_the_venues_of_the_rule_set() -> None:
    hashes = _hashes(TINY)
    assert hashes["2021"] != hashes["2023"]
    # Rule sets with the same venues have the same content.
    assert hashes["2023"] == hashes["2026"]
    # Venues of 2023 alone change its hash alone.
    same = replace(TINY, venue_versions={})
    assert set(_hashes(same).values()) == {hashes["2021"]}
    moved = replace(TINY, venues={**TINY.venues, "train": []})
    assert all(_hashes(moved)[name] != hash_ for name, hash_ in hashes.items())


GOAL = {"informable": {"food": "café"}, "requestable": ["PHONE", "ADDRESS"], "booking": {}}
OTHER_GOALS = [{"informable": {}}, {"requestable": ["PHONE"]}, {"booking": {"day": "monday"}}]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("goal", {}),
        *(("goal", {"restaurant": {**GOAL, **more}}) for more in OTHER_GOALS),
        ("references", {}),
        ("states", [{}, {}]),
        ("active_domains", [["restaurant"], ["restaurant"]]),
        ("booked_domains", [[], []]),
    ],
)
def test_a_content_hash_depends_on_all_that_scores_depend_on(field: str, value: object) -> None:
    changed = _changed(lambda dialogue: dialogue.update({field: value}))
    for name, hash_ in _hashes(changed).items():
        assert hash_ != TINY.content_hash(rule_set(name)), name


def test_a_content_hash_does_not_depend_on_what_no_score_does() -> None:
    """The name, what goals are seen, and what was said in words."""
    assert _hashes(replace(TINY, name="x", seen=None)) == _hashes(TINY)
    assert _hashes(_changed(lambda dialogue: dialogue.update(users=[], responses=[]))) == _hashes(
        TINY
    )


def test_a_content_hash_depends_on_the_order_of_a_states_domains() -> None:
    # Where two domains change in a turn, the first of equals becomes the active one.
    both = {"hotel": {"area": "north"}, "train": {"day": "monday"}}
    other = dict(reversed(both.items()))
    first, second = (_changed(lambda d, s=s: d.update(states=[s, {}])) for s in (both, other))
    assert first.content_hash(OLD) != second.content_hash(OLD)


# What is kept beside it.


def test_derived_data_are_stored_and_give_the_same_scores(sample: Benchmark) -> None:
    install_benchmark(replace(sample, name="multiwoz"))
    responses = {id_: played.references["damd"] for id_, played in sample.dialogues.items()}
    for _ in range(2):
        # The second time what the first time stored.
        bleu_references.cache_clear()
        venue_database.cache_clear()
        installed, built_in = Scorer(load_benchmark("multiwoz")), Scorer(sample)
        counted = bleu_references(installed.benchmark).counts_of(responses)
        assert (counted == bleu_references(sample).counts_of(responses)).all()
        asked = ("restaurant", {"area": "centre", "food": "italian"})
        assert database_of(installed).query(*asked) == database_of(built_in).query(*asked)
        assert installed.signature().data == sample.content_hash(rule_set("2021"))


@pytest.mark.parametrize("damage", [b"", b"x", None])
def test_damaged_derived_data_are_made_again(damage: bytes | None) -> None:
    path = install_benchmark(TINY)
    load_benchmark("multiwoz")
    [prepared] = (path.parent / "multiwoz.prepared").iterdir()
    whole = prepared.read_bytes()
    prepared.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert load_benchmark("multiwoz") == TINY
    assert prepared.read_bytes() == whole
