"""The twin of a benchmark: other names, the same tasks; what learning names by heart is worth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from helpers import Cli

from mwz.database import reaches
from mwz.harness import Benchmark
from mwz.harness.data import Task, load_benchmark, load_tasks
from mwz.harness.data.installed import to_document
from mwz.harness.grounding.twin import earlier_time, make_twin
from mwz.harness.live.agents import Baseline, Call
from mwz.harness.live.plays import LiveRun, RunConfig, play_dialogue, play_scripts
from mwz.harness.live.users import ScriptedUser
from mwz.harness.live.world import World, script_name
from mwz.harness.scoring import Options, Scorer
from mwz.normalization import minutes

NAMED = ("restaurant", "hotel", "attraction")


@pytest.fixture(scope="module")
def world() -> World:
    return World.of("sample")


@pytest.fixture(scope="module")
def twin() -> World:
    made, tasks = make_twin(load_benchmark("sample"), load_tasks("sample"), 0)
    return World(Scorer(made, Options(lexicalised=True)), tasks)


def _names(world: World) -> list[str]:
    venues = world.scorer.benchmark.venues
    return [str(record["name"]) for domain in NAMED for record in venues[domain]]


def test_every_venue_has_a_name_that_no_other_is_mistaken_for(world: World, twin: World) -> None:
    names = _names(twin)
    assert len(names) == len(_names(world)) == 36
    assert set(names).isdisjoint(_names(world))
    assert [pair for pair in combinations(names, 2) if reaches(*pair, 90)] == []


def test_no_value_of_a_venue_is_left(world: World, twin: World) -> None:
    written = json.dumps([to_document(twin.scorer.benchmark), {**twin.tasks}], default=vars)
    for domain, records in world.scorer.benchmark.venues.items():
        for record in records:
            for slot in ("name", "address", "phone", "postcode", "trainID"):
                # Of the names that are ordinary words ("brine") texts may have the words.
                if slot in record and len(str(record[slot]).split()) > (slot == "name"):
                    assert not re.search(rf"(?i)\b{re.escape(record[slot])}\b", written), domain


def test_texts_say_the_same_of_the_twins_venues(world: World, twin: World) -> None:
    dialogues = twin.scorer.benchmark.dialogues
    for id_, dialogue in world.scorer.benchmark.dialogues.items():
        for speaker in ("users", "responses"):
            old, new = getattr(dialogue, speaker), getattr(dialogues[id_], speaker)
            for text, renamed in zip(old, new, strict=True):
                assert twin.delexicalise(renamed).text == world.delexicalise(text).text


def test_goals_find_the_same_venues(world: World, twin: World) -> None:
    for id_, task in world.tasks.items():
        for domain, wanted in task.domains.items():
            info = twin.tasks[id_].domains[domain].info
            assert _rows(twin, domain, info) == _rows(world, domain, wanted.info)
            assert all(value in " ".join(twin.tasks[id_].message) for value in _said(task, info))


def _rows(world: World, domain: str, constraints: dict[str, str]) -> list[int]:
    """Return the places of the venues that meet constraints among the records."""
    key = "trainID" if domain == "train" else "id"
    found = set(world.matching(domain, constraints)) if domain != "taxi" else set()
    records = world.scorer.benchmark.venues.get(domain, ())
    return [place for place, record in enumerate(records) if record[key] in found]


def _said(task: Task, info: dict[str, str]) -> Iterator[str]:
    """Yield the names and times of a goal, which instructions have word for word."""
    yield from (info[slot] for slot in ("name", "leaveAt", "arriveBy") if slot in info)


def test_trains_keep_their_order_and_do_not_pass_midnight(world: World, twin: World) -> None:
    old, new = (w.scorer.benchmark.venues["train"] for w in (world, twin))
    moves = set()
    for before, after in zip(old, new, strict=True):
        for slot in ("leaveAt", "arriveBy"):
            moves.add(minutes(str(before[slot])) - minutes(str(after[slot])))
        assert after["duration"] == before["duration"]
    [earlier] = moves
    assert earlier > 0
    assert earlier_time("00:01", earlier) == "00:00"


def test_a_seed_gives_the_same_twin_and_another_seed_another(sample: Benchmark) -> None:
    tasks = load_tasks("sample")
    first, again, other = (make_twin(sample, tasks, seed) for seed in (3, 3, 4))
    assert to_document(first[0]) == to_document(again[0])
    assert first[1] == again[1]
    assert first[0].name == "sample-twin-3"
    assert first[0].venues["hotel"] != other[0].venues["hotel"]


class _Memorised:
    """The baseline, which learned the venues: they answer its queries, whatever tools find."""

    def __init__(self, learned: World) -> None:
        self._learned, self._baseline = learned, Baseline()

    def __call__(self, utterance: str, call: Call) -> str:
        task = next(iter(self._learned.tasks.values()))

        def answer(name: str, arguments: object) -> dict[str, object]:
            if name.startswith("query_"):
                return self._learned.call(task, name, arguments)
            return call(name, arguments)

        return self._baseline(utterance, answer)


def _play(world: World, learned: World, path: Path) -> float:
    """Let an agent that learned a world play another; write the play, and return what it solves."""
    name = "memorised"
    config = RunConfig(
        world, [*world.tasks], lambda: _Memorised(learned), name, ScriptedUser, script_name("user")
    )
    lines = [play_dialogue(config, 1, id_) for id_ in config.tasks]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return float(LiveRun(config, lines).figures["solved"])


def test_the_baseline_solves_the_same_and_one_that_learned_names_does_not(
    world: World, twin: World, cli: Cli, tmp_path: Path
) -> None:
    assert play_scripts(world, 1, 0).figures["solved"] == 100
    assert play_scripts(twin, 1, 0).figures["solved"] == 100
    original, renamed = tmp_path / "original.jsonl", tmp_path / "renamed.jsonl"
    assert _play(world, world, original) == 100
    solved = _play(twin, world, renamed)
    assert solved < 20
    cli.done("data", "twin", "sample")
    shown = cli.done("compare", original, renamed)
    assert "on sample and its twin sample-twin, where every venue has another name" in shown.err
    document = cli.json("compare", original, renamed)
    difference = document["pairs"][0]["solved"]
    assert difference["difference"] == pytest.approx(solved - 100)
    assert difference["low"] <= solved - 100 <= difference["high"] < 0


def test_only_a_twin_compares_with_its_original(
    twin: World, cli: Cli, tmp_path: Path, sample: Benchmark
) -> None:
    cli.done("data", "twin", "sample")
    cli.done("data", "twin", "sample", "--seed", "2")
    files = []
    for name in ("sample-twin", "sample-twin-2"):
        files.append(tmp_path / f"{name}.jsonl")
        cli.done("play", "--benchmark", name, "--tasks", "12", "-o", files[-1])
    assert "different benchmarks: sample-twin and sample-twin-2" in cli.refused("compare", *files)
    assert "is a twin; give its original" in cli.refused("data", "twin", "sample-twin")
