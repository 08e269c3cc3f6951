"""What is prepared of a benchmark is what would be derived, and is trusted only as it was made."""

from __future__ import annotations

import copy
import json
import marshal
import os
import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mwz.database import VenueDatabase
from mwz.database.venues import prepared_venues
from mwz.harness import Benchmark, InputError, Options, Scorer, load_benchmark
from mwz.harness.benchmark import CANONICAL_STYLE, Dialogue
from mwz.harness.data.installed import install_benchmark, prepared_content
from mwz.harness.metrics._references import ReferenceIndex
from mwz.normalization.rules import RuleSet, rule_set, rule_set_names
from mwz.normalization.states import normalize_state


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


@pytest.mark.real_data
def test_every_query_of_published_systems_is_answered_as_by_sql(
    multiwoz: Benchmark, upstream: Path
) -> None:
    rules = rule_set("2021")
    records = multiwoz.venue_records(rules)
    asked = VenueDatabase(records, rules)
    answering = VenueDatabase(records, rules, prepared=prepared_venues(records, rules))
    queries = {
        (domain, *slots.items())
        for folder in ("MultiWOZ_Evaluation/predictions", "KRLS/outputs")
        for file in (upstream / folder).glob("*.json")
        for turns in json.loads(file.read_text(encoding="utf-8")).values()
        for turn in turns
        for domain, slots in normalize_state(turn.get("state") or {}, rules).items()
    }
    assert len(queries) > 10_000
    for domain, *constraints in queries:
        found = list(answering.query(domain, dict(constraints)))
        assert found == list(asked.query(domain, dict(constraints)))


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
        expected = derived.statistics(derived.said(responses))
        for name, counts in prepared.statistics(prepared.said(responses)).items():
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
    first = next(iter(benchmark.dialogues))
    less = replace(benchmark, dialogues={first: benchmark.dialogues[first]})
    assert Scorer(less).content_hash() != Scorer(benchmark).content_hash()
    assert others[1:] == [benchmark] * 3


def _bit_changed(content: bytes) -> bytes:
    place = len(content) - 10
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


_SIGNS = {"content hashes": b'"hashes"', "slim document": b"goal", "answers": b"first_turn"}
"""What is stored of a benchmark -> what only that holds at its beginning."""


def _content(stored: bytes) -> object:
    """Return what a stored file holds. Marshal may write the same content in several ways."""
    body = stored.partition(b"\n")[2]
    return json.loads(body) if body.startswith(b'{"') else marshal.loads(body)


@pytest.mark.parametrize("which", _SIGNS)
@pytest.mark.parametrize(
    "damage",
    [lambda _: b"", lambda _: b"{}\n", lambda content: content[:-1], _bit_changed],
)
def test_a_damaged_file_is_made_again(
    installed: tuple[Path, Benchmark],
    data_directory: Path,
    which: str,
    damage: Callable[[bytes], bytes],
) -> None:
    _, benchmark = installed
    [path] = [p for p in _stored(data_directory) if _SIGNS[which] in p.read_bytes()[:400]]
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert load_benchmark("town").prepared == benchmark.prepared
    assert _content(path.read_bytes()) == _content(whole)


def _stored(folder: Path) -> list[Path]:
    return list((folder / "cache" / "prepared").iterdir())


def test_of_damaged_content_hashes_none_is_told(
    installed: tuple[Path, Benchmark], data_directory: Path
) -> None:
    path, _ = installed
    for stored in _stored(data_directory):
        stored.write_bytes(stored.read_bytes()[:-1])
    assert prepared_content(path) is None


def test_a_missing_file_is_made_again(
    installed: tuple[Path, Benchmark], data_directory: Path
) -> None:
    _, benchmark = installed
    for stored in _stored(data_directory):
        stored.unlink()
        assert load_benchmark("town").prepared == benchmark.prepared


def test_what_was_prepared_of_another_benchmark_is_not_used(
    installed: tuple[Path, Benchmark],
) -> None:
    _, benchmark = installed
    first = next(iter(benchmark.dialogues))
    install_benchmark(replace(benchmark, dialogues={first: benchmark.dialogues[first]}))
    less = load_benchmark("town")
    assert len(less.dialogues) == 1
    assert Scorer(less).content_hash() == less.content_hash(rule_set("2021"))


def test_scores_of_delexicalised_responses_do_without_late_texts(
    installed: tuple[Path, Benchmark], sample: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, benchmark = installed
    predictions = {
        id_: [{"response": text, "state": {}} for text in dialogue.references[CANONICAL_STYLE]]
        for id_, dialogue in sample.dialogues.items()
    }
    expected = Scorer(benchmark).score(predictions)

    def read(path: Path) -> Mapping[str, Dialogue]:
        raise AssertionError("the whole of the benchmark was read")

    monkeypatch.setattr("mwz.harness.data.installed._dialogues", read)
    again = load_benchmark("town")
    assert Scorer(again).score(predictions).metrics == expected.metrics
    with pytest.raises(AssertionError, match="the whole of the benchmark"):
        len(next(iter(again.dialogues.values())).users)


def test_plain_english_is_scored_with_late_texts(
    installed: tuple[Path, Benchmark], sample: Benchmark
) -> None:
    predictions = {
        id_: [{"response": text, "state": {}} for text in dialogue.responses]
        for id_, dialogue in sample.dialogues.items()
    }
    options = Options(lexicalised=True)
    expected = Scorer(replace(sample, name="town"), options).score(predictions)
    assert Scorer(load_benchmark("town"), options).score(predictions).metrics == expected.metrics


def test_late_texts_are_those_of_the_file_that_was_loaded(
    installed: tuple[Path, Benchmark], sample: Benchmark
) -> None:
    path, _ = installed
    early, late = load_benchmark("town"), load_benchmark("town")
    id_, dialogue = next(iter(sample.dialogues.items()))
    assert early.dialogues[id_] == dialogue
    assert [*early.dialogues[id_].references] == [*dialogue.references]
    assert early.dialogues[id_].users[:1] == dialogue.users[:1]
    other = replace(dialogue, users=tuple("?" for _ in dialogue.users))
    install_benchmark(replace(sample, name="town", dialogues={id_: other}))
    # What was read before is kept; what was not is another benchmark's by now.
    assert early.dialogues[id_] == dialogue
    with pytest.raises(InputError, match="was replaced meanwhile") as caught:
        len(late.dialogues[id_].users)
    assert caught.value.source == str(path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_in_a_folder_of_somebody_else_all_is_derived(
    installed: tuple[Path, Benchmark], data_directory: Path
) -> None:
    _, benchmark = installed
    for stored in _stored(data_directory):
        stored.unlink()
    folder = data_directory / "cache" / "prepared"
    folder.chmod(0o500)
    try:
        assert load_benchmark("town") == benchmark
        assert not _stored(data_directory)
    finally:
        folder.chmod(0o700)
