"""Telling turn by turn where an installed benchmark differs from the pinned one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from helpers import Cli

from mwz.harness import Benchmark
from mwz.harness.benchmark import Dialogue
from mwz.harness.data import declared as module
from mwz.harness.data.declared import differences, fingerprints
from mwz.harness.data.installed import install_benchmark


@pytest.fixture
def pinned(sample: Benchmark, monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    """The sample under another name, pinned as it is."""
    town = replace(sample, name="town")
    stored = {"town": json.loads(json.dumps(fingerprints(town)))}
    monkeypatch.setattr(module, "pinned_fingerprints", stored.get)
    return town


def _changed(benchmark: Benchmark, id_: str, **changes: Any) -> Benchmark:
    dialogue: Dialogue = replace(benchmark.dialogues[id_], **changes)
    return replace(benchmark, dialogues={**benchmark.dialogues, id_: dialogue})


def test_the_pinned_benchmark_does_not_differ(pinned: Benchmark) -> None:
    assert differences(pinned) == []
    assert differences(replace(pinned, name="village")) is None


def test_each_turn_that_differs_is_named_with_what_differs(pinned: Benchmark) -> None:
    dialogue = pinned.dialogues["town001"]
    states = [*dialogue.states]
    states[1] = {"taxi": {"departure": "nowhere"}}
    domains = [["taxi", "train"], *dialogue.active_domains[1:]]
    other = _changed(pinned, "town001", states=states, active_domains=domains)
    assert differences(other) == [
        ("dialogue town001, turn 1", "gold state"),
        ("dialogue town001, turn 0", "gold active domains"),
    ]


def test_other_goals_dialogues_and_venues_are_differences(pinned: Benchmark) -> None:
    other = _changed(pinned, "town002", goal={})
    other = replace(other, dialogues={**other.dialogues, "town999": other.dialogues["town003"]})
    del other.dialogues["town001"]  # type: ignore[attr-defined]
    other = replace(other, venues={**other.venues, "hotel": other.venues["hotel"][1:]})
    assert differences(other) == [
        ("dialogue town001", "missing"),
        ("dialogue town002", "goal"),
        ("dialogue town999", "not in the pinned"),
        ("domain hotel", "venues"),
    ]


def test_the_command_says_whether_scores_compare(pinned: Benchmark, cli: Cli) -> None:
    install_benchmark(pinned)
    same = cli.done("data", "verify")
    assert "equal to the pinned one" in same.out
    install_benchmark(_changed(pinned, "town002", goal={}))
    other = cli.failed("data", "verify")
    assert "differences: goal 1×\n  dialogue town002: goal" in other.out


@pytest.mark.real_data
def test_the_public_data_is_what_the_leaderboard_is_scored_on(multiwoz: Benchmark) -> None:
    assert differences(multiwoz) == []
