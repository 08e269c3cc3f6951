"""`mwz dst --leave-out`: without a domain, the domain by itself, and without dialogues."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, benchmark, dialogue, goal, write_json
from tracking_cases import belief, read_file

from mwz.harness import Benchmark
from mwz.harness.cli.tracked_files import score_file, without
from mwz.harness.metrics import Choices, TrackedFile, parse_tracking_file

# a: taxi and hotel, b: taxi alone, c: hotel alone. Predicted wrong are the taxi in the last turns
# of a and b, the hotel in the first turn of a, and in c a taxi that nobody wants.
STATES = {
    "a": [
        ("hotel.area", "hotel.area=x"),
        ("hotel.area taxi.leave", "hotel.area taxi.leave"),
        ("hotel.area taxi.leave taxi.destination", "hotel.area taxi.leave"),
    ],
    "b": [("", ""), ("taxi.leave", "taxi.leave=x")],
    "c": [("hotel.area", "hotel.area taxi.leave")],
}
GOALS = {"a": ("taxi", "hotel"), "b": ("taxi",), "c": ("hotel",)}


def _pairs(ids: Collection[str] = tuple(STATES)) -> dict[str, Any]:
    return {
        id_: [{"gt": belief(gold), "pr": belief(predicted)} for gold, predicted in STATES[id_]]
        for id_ in ids
    }


def _toy() -> Benchmark:
    played = {}
    for id_, turns in STATES.items():
        played[id_] = dialogue({name: goal() for name in GOALS[id_]}, len(turns))
    return benchmark(played)


def _scores(
    file: TrackedFile, names: Sequence[str], known: Collection[str], on: Benchmark
) -> dict[str, tuple[int, int, float]]:
    """Return what is left -> its dialogues, its turns and its JGA."""
    scores = {}
    for name, part, choices in without(file, names, known, lambda: on):
        result = score_file(part, name, lambda: on, Choices(**choices)).result
        scores[name] = (result.dialogues, result.turns, result.figures["JGA"])
    return scores


def test_a_domain_is_scored_by_itself_and_the_others_without_it() -> None:
    file = parse_tracking_file(_pairs(), "x", _toy)
    assert _scores(file, ["taxi"], {"taxi", "hotel"}, _toy()) == {
        # a and c: the hotel is wrong in one of four turns, and c's taxi does not count.
        "without taxi": (2, 4, 75),
        # a and b: the taxi is right where there is none yet, and in the second turn of a.
        "taxi": (2, 5, 60),
    }
    both = _scores(file, ["taxi", "hotel"], {"taxi", "hotel"}, _toy())
    assert both == {"taxi": (2, 5, 60), "hotel": (2, 4, 75)}
    alone = parse_tracking_file(_pairs(["b"]), "x", _toy)
    assert _scores(alone, ["taxi"], {"taxi"}, _toy()) == {"taxi": (1, 2, 50)}


def test_dialogues_are_left_out_by_name(cli: Cli, tmp_path: Path) -> None:
    path = write_json(tmp_path / "pairs.json", {"PMUL1455.json": _pairs(["a"])["a"], **_pairs()})
    [whole] = cli.of("dst").json(path)
    [report] = cli.of("dst").json(path, "--leave-out", "pmul1455", "--leave-out", "B.json")
    assert (whole["turns"], report["turns"]) == (9, 4)
    # Of the second turn of a, and none of c.
    assert report["metrics"]["JGA"] == 25
    assert whole["signature"] != report["signature"]
    message = cli.refused("dst", path, "--leave-out", "pmul1456")
    assert "--leave-out: unknown dialogue or domain 'pmul1456'; choose from hotel, taxi" in message
    message = cli.refused("dst", path, "--leave-out", "taxi")
    assert "dialogue PMUL1455.json: not in the benchmark sample" in message
    everything = [part for id_ in ("pmul1455", "a", "b", "c") for part in ("--leave-out", id_)]
    assert "no dialogue is left" in cli.refused("dst", path, *everything)


def test_what_is_left_has_its_name_in_the_table_and_in_signatures(cli: Cli) -> None:
    # The hotel's ten slots; the others are counted among thirty.
    options = ["--benchmark", "sample", "--variant", "slots=10"]
    run = cli.done("dst", "@empty", "--leave-out", "hotel", *options)
    names = [line.split("  ")[0] for line in run.out.splitlines() if line.startswith("@empty")]
    assert names[:2] == ["@empty without hotel", "@empty hotel"]
    signatures = [line for line in run.out.splitlines() if "|only:" in line]
    for line in signatures:
        assert ("|slots:10|" in line) == ("|only:hotel|" in line)
    assert "|only:hotel|" in run.out


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "domain", "dialogues", "turns", "jga"),
    [
        # Printed in the results of the authors of GCA, who score files of the domain alone.
        ("T5/T5_result_zeroshot_attraction", "attraction", 395, 3110, 33.47),
        ("T5/T5_result_zeroshot_rest", "restaurant", 437, 3359, 24.89),
        ("T5_fewshot_taxi/zeroshot_prediction", "taxi", 195, 1550, 64.06),
        ("T5_fewshot_train/zeroshot_prediction", "train", 494, 3804, 30.13),
    ],
)
def test_the_zero_shot_accuracies_of_t5(
    name: str,
    domain: str,
    dialogues: int,
    turns: int,
    jga: float,
    dst_data: Path,
    multiwoz: Benchmark,
) -> None:
    found = _scores(read_file(dst_data / f"{name}.json"), [domain], {domain}, multiwoz)
    assert found == {domain: (dialogues, turns, pytest.approx(jga, abs=0.005))}


@pytest.mark.real_data
def test_a_domains_figures_are_of_its_dialogues(dst_data: Path, multiwoz: Benchmark) -> None:
    """The variant `per-domain=dialogues` counts the same turns and slots."""
    file = read_file(dst_data / "trippy" / "trippy_result.json")
    whole = score_file(file, "x", lambda: multiwoz, Choices(per_domain="dialogues"))
    scores = _scores(file, sorted(file.gold_domains), file.gold_domains, multiwoz)
    for domain, figures in whole.result.per_domain.items():
        assert scores[domain][1:] == (figures["turns"], pytest.approx(figures["JGA"]))
