"""What is prepared of a benchmark is what would be derived, and is trusted only as it was made."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mwz.database import VenueDatabase
from mwz.database.venues import prepared_venues
from mwz.harness import Benchmark, Scorer, load_benchmark
from mwz.harness.data.installed import install_benchmark, installed_digest
from mwz.harness.data.prepared import SUFFIX, prepared_content
from mwz.harness.references import ReferenceIndex
from mwz.normalization.rules import RuleSet, rule_set, rule_set_names


@pytest.fixture
def installed(sample: Benchmark) -> tuple[Path, Benchmark]:
    path = install_benchmark(replace(sample, name="town"))
    return path, load_benchmark("town")


@pytest.mark.parametrize("rules", [*map(rule_set, rule_set_names())], ids=lambda rules: rules.name)
def test_prepared_venues_answer_as_the_database_does(
    installed: tuple[Path, Benchmark], rules: RuleSet
) -> None:
    _, benchmark = installed
    records = benchmark.venue_records(rules)
    assert benchmark.prepared is not None
    read = benchmark.prepared.venues(rules)
    assert read is not None
    asked = VenueDatabase(records, rules)
    for prepared in (prepared_venues(records, rules), read):
        answering = VenueDatabase(records, rules, prepared=prepared)
        for dialogue in benchmark.dialogues.values():
            queries = [*dialogue.states, {d: g.informable for d, g in dialogue.goal.items()}]
            for state in queries:
                for domain, constraints in state.items():
                    found = list(answering.query(domain, constraints))
                    assert found == list(asked.query(domain, constraints))
        for domain in records:
            assert list(answering.query(domain, {})) == list(asked.query(domain, {}))


def test_prepared_references_count_as_derived_ones(
    installed: tuple[Path, Benchmark], sample: Benchmark
) -> None:
    _, benchmark = installed
    assert benchmark.prepared is not None
    prepared = benchmark.prepared.references()
    assert prepared is not None
    derived = ReferenceIndex({id_: d.references for id_, d in sample.dialogues.items()})
    for style in ("damd", "lava"):
        responses = {id_: d.references[style] for id_, d in list(sample.dialogues.items())[::-1]}
        expected = derived.statistics(responses)
        for name, counts in prepared.statistics(responses).items():
            assert np.array_equal(counts, expected[name])


def test_prepared_hashes_are_those_of_the_content(installed: tuple[Path, Benchmark]) -> None:
    path, benchmark = installed
    content = prepared_content(path)
    assert content is not None
    assert content.gold_domains == benchmark.gold_domains
    for rules in map(rule_set, rule_set_names()):
        assert content.hashes[rules.venues] == benchmark.content_hash(rules)


def test_what_is_made_of_a_benchmark_has_nothing_prepared(
    installed: tuple[Path, Benchmark],
) -> None:
    _, benchmark = installed
    others = [
        replace(benchmark, name="other"),
        copy.copy(benchmark),
        copy.deepcopy(benchmark),
        pickle.loads(pickle.dumps(benchmark)),
    ]
    assert benchmark.prepared is not None
    assert [one.prepared for one in others] == [None] * 4
    assert [installed_digest(one) for one in others] == [None] * 4
    first = next(iter(benchmark.dialogues))
    less = replace(benchmark, dialogues={first: benchmark.dialogues[first]})
    assert Scorer(less).content_hash() != Scorer(benchmark).content_hash()
    assert others[1:] == [benchmark] * 3


def _bit_changed(content: bytes) -> bytes:
    place = len(content) - 100
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"{}\n",
        lambda content: content[:-1],
        lambda content: content.replace(b'"hashes": {"', b'"hashes": {"0', 1),
        _bit_changed,
    ],
)
def test_a_damaged_file_is_made_again(
    installed: tuple[Path, Benchmark], damage: Callable[[bytes], bytes]
) -> None:
    path, benchmark = installed
    beside = path.with_name(path.name + SUFFIX)
    whole = beside.read_bytes()
    beside.write_bytes(damage(whole))
    assert prepared_content(path) is None
    again = load_benchmark("town")
    assert again.prepared == benchmark.prepared
    assert beside.read_bytes() == whole


def test_a_missing_file_is_made_again(installed: tuple[Path, Benchmark]) -> None:
    path, benchmark = installed
    path.with_name(path.name + SUFFIX).unlink()
    assert load_benchmark("town").prepared == benchmark.prepared


def test_what_was_prepared_of_another_benchmark_is_not_used(
    installed: tuple[Path, Benchmark],
) -> None:
    path, benchmark = installed
    beside = path.with_name(path.name + SUFFIX)
    old = beside.read_bytes()
    first = next(iter(benchmark.dialogues))
    install_benchmark(replace(benchmark, dialogues={first: benchmark.dialogues[first]}))
    beside.write_bytes(old)
    less = load_benchmark("town")
    assert len(less.dialogues) == 1
    assert Scorer(less).content_hash() == less.content_hash(rule_set("2021"))
    assert beside.read_bytes() != old


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_in_a_folder_of_somebody_else_all_is_derived(installed: tuple[Path, Benchmark]) -> None:
    path, benchmark = installed
    path.with_name(path.name + SUFFIX).unlink()
    path.parent.chmod(0o500)
    try:
        assert load_benchmark("town") == benchmark
    finally:
        path.parent.chmod(0o700)
