"""`mwz data import` and `mwz data list`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import Cli, benchmark, dialogue, goal
from synthetic import SYSTEM_TURNS, TEST_IDS, write_repositories

from mwz.harness import Benchmark
from mwz.harness.benchmark import STYLES
from mwz.harness.cli.data import statistics_table
from mwz.harness.data import benchmark_path, installed_benchmarks, load_benchmark
from mwz.normalization import published_rule_sets, rule_set


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    return write_repositories(tmp_path / "clones")


def _options(clones: tuple[Path, Path]) -> tuple[object, ...]:
    return ("--mwzeval", clones[0], "--multiwoz", clones[1])


def _hashes(benchmark: Benchmark) -> list[str]:
    return [benchmark.content_hash(rule_set(name))[:12] for name in published_rule_sets()]


def test_an_import_installs_the_test_split(cli: Cli, clones: tuple[Path, Path]) -> None:
    run = cli.done("data", "import", "multiwoz", *_options(clones))
    path = benchmark_path("multiwoz")
    counts = f"{len(TEST_IDS)} dialogues, {SYSTEM_TURNS} system turns"
    assert run.out.splitlines()[0] == f"installed multiwoz: {counts}, in {path}"
    assert load_benchmark().turns == SYSTEM_TURNS


def test_statistics_count_how_far_reference_styles_agree(cli: Cli) -> None:
    # Turn 0 is the same in all styles, turn 1 differs in one, turn 2 has no slot, 3 differs in all.
    references = {
        style: ["the NAME is near", "it" if style == "lava" else "NAME", "the names", f"PHONE {n}"]
        for n, style in enumerate(STYLES)
    }
    states = [{"hotel": {"area": "north"}}] * 3 + [{"hotel": {"area": "south", "stars": "4"}}]
    plain = dialogue({"hotel": goal()}, 4, states=states)
    played = replace(plain, references=references)
    trained = {("restaurant", "area", "north"), ("hotel", "stars", "4")}
    known = replace(benchmark({"d1": played}), seen={"d1"}, trained=trained)
    counts = {r["what"]: (r["number"], r["percent"]) for r in statistics_table(known).data}
    third = pytest.approx(100 / 3)
    expected = {
        "with a goal that occurs in train or dev": (1, 100),
        "domain-slot-value triplets in gold states": (3, None),
        # Of a hotel's area north and south and 4 stars: north is known of restaurants only.
        "domain-slot-value triplets that train and dev lack": (2, pytest.approx(200 / 3)),
        "slot-value pairs that train and dev lack": (1, None),
        "with a slot in some reference style": (3, 75),
        "of these, identical in all styles": (1, third),
        "of these, different in any two styles": (1, third),
    }
    assert {what: counts[what] for what in expected} == expected
    assert cli.done("data", "statistics").out.startswith("Benchmark sample")


@pytest.mark.real_data
def test_the_statistics_of_the_paper(multiwoz: Benchmark) -> None:
    """Section 4.1 of Shades of BLEU; 5205 of 7372 turns, which the paper rounds to 70.61."""
    found = {row["what"]: row for row in statistics_table(multiwoz).data}
    slotted = found["with a slot in some reference style"]
    assert (slotted["number"], round(slotted["percent"], 2)) == (5205, 70.6)
    assert round(found["of these, identical in all styles"]["percent"], 2) == 17.52
    assert found["of these, different in any two styles"]["number"] == 8


def test_an_import_that_fails_leaves_what_was_there(cli: Cli, clones: tuple[Path, Path]) -> None:
    cli("data", "import", *_options(clones))
    path = benchmark_path("multiwoz")
    before = path.read_bytes()
    (clones[0] / "mwzeval/data/goals.json").write_text('{"syn0001": ')
    message = cli.refused("data", "import", *_options(clones))
    assert message.startswith(f"mwz: {clones[0] / 'mwzeval/data/goals.json'}: not JSON:")
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_both_clones_must_be_named(cli: Cli, tmp_path: Path) -> None:
    for given, message in (
        (("--mwzeval", tmp_path), "--multiwoz"),
        ((), "--mwzeval and --multiwoz"),
    ):
        refused = cli.refused("data", "import", *given)
        assert refused.endswith(f"Error: multiwoz needs {message}\n")
    assert installed_benchmarks() == ["sample"]


def test_the_list_shows_what_is_at_hand(cli: Cli, clones: tuple[Path, Path]) -> None:
    sample = load_benchmark("sample")
    run = cli.done("data", "list")
    (row,) = [line for line in run.out.splitlines() if line.startswith("sample")]
    assert row.split()[1:3] == [str(len(sample.dialogues)), str(sample.turns)]
    assert _hashes(sample) == row.split()[4:-2]
    assert row.endswith("built in")
    for name in published_rule_sets():
        assert f"content ({name})" in run.out
    assert "content (next)" not in run.out
    assert "multiwoz " not in run.out
    cli("data", "import", *_options(clones))
    installed = load_benchmark("multiwoz")
    run = cli("data", "list")
    (row,) = [line for line in run.out.splitlines() if line.startswith("multiwoz")]
    assert row.split()[1:3] == [str(len(TEST_IDS)), str(SYSTEM_TURNS)]
    # "1 of 3" goals are seen.
    assert _hashes(installed) == row.split()[6:-1]
    assert row.endswith(str(benchmark_path("multiwoz")))
