"""The ceiling: rated once per benchmark, kept beside it, made anew where it cannot be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mwz.harness import Benchmark
from mwz.harness.data import load_benchmark
from mwz.harness.data.installed import DATA_VARIABLE, install_benchmark
from mwz.harness.grounding import scores
from mwz.harness.grounding.scores import BOOKED, OUTCOMES, Rating, human_ratings
from mwz.harness.metrics import TOTAL
from mwz.harness.scoring import Options, Scorer
from mwz.normalization import rule_set

OPTIONS = Options(lexicalised=True, metrics=("grounded",))


@pytest.fixture
def town(sample: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    """The sample's dialogues, installed under a name of their own."""
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    benchmark = replace(sample, name="town")
    install_benchmark(benchmark)
    return load_benchmark("town")


def _kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob("human-*"))


def _ratings(benchmark: Benchmark) -> Mapping[str, Rating]:
    return human_ratings(benchmark, rule_set(OPTIONS.rules), BOOKED)


def test_ratings_are_made_once_and_read_from_then_on(
    town: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = _ratings(town)
    assert len(_kept(tmp_path)) == 1
    monkeypatch.setattr(scores, "rated_human", lambda *arguments: pytest.fail("rated again"))
    assert _ratings(load_benchmark("town")) == made


def test_stored_ratings_give_the_same_figures(town: Benchmark, sample: Benchmark) -> None:
    predictions: dict[str, list[dict[str, object]]] = {
        id_: [{"response": text} for text in d.responses[: d.turns - (id_ < "town010")]]
        for id_, d in sample.dialogues.items()
    }
    first, again, built_in = (
        Scorer(benchmark, OPTIONS).score(predictions).metrics["grounded"]
        for benchmark in (town, town, sample)
    )
    # The sample is built in: nothing is stored of it. What is cut short is rated as such.
    assert first == again == built_in
    assert (first.ceiling["dialogues"], first.ceiling["success"]) == (30, first.success)


def test_ratings_are_of_responses_rules_and_venues(town: Benchmark, tmp_path: Path) -> None:
    _ratings(town)
    first = town.dialogues["town001"]
    silent = replace(first, responses=["Hello."] * first.turns)
    changed = replace(town, dialogues={**town.dialogues, "town001": silent})
    # It wants telephone number and address, and is told nothing.
    assert not _ratings(changed)["town001"][TOTAL][OUTCOMES.index("success")]
    human_ratings(town, rule_set("2023"), BOOKED)
    # Of a benchmark that was changed in memory nothing is kept.
    assert len(_kept(tmp_path)) == 2


def test_a_part_of_the_goals_has_the_ceiling_of_its_dialogues(sample: Benchmark) -> None:
    seen = replace(sample, seen=frozenset({"town001", "town002"}))
    scorer = Scorer(seen, replace(OPTIONS, goals="seen"))
    predictions = {id_: [{"response": "Hello."}] * d.turns for id_, d in sample.dialogues.items()}
    assert scorer.score(predictions).metrics["grounded"].ceiling["dialogues"] == 2
