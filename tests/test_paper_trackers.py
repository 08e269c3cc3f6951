"""`mwz table` of trackers: JGA, F1, FGA and GCA, and domains by themselves."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from entered import REPOSITORY
from helpers import CAREFUL, Cli, table_rows, write_json

from mwz.harness import Benchmark
from mwz.harness.board.entries import read_entry
from mwz.harness.cli import reading
from mwz.harness.data.gold_states import install_gold_states, read_gold_states
from mwz.harness.metrics import GoldStates


@pytest.fixture
def table(cli: Cli) -> Cli:
    return cli.of("table", "--benchmark", "sample")


def _pair(gold: str, predicted: str) -> dict[str, object]:
    return {"gt": {"hotel": {"area": gold}}, "pr": {"hotel": {"area": predicted}}}


def _tracker(path: Path, right: int) -> Path:
    """Write a file of ten dialogues of a turn, of which some are right."""
    turns = [_pair("west", "west" if number < right else "east") for number in range(10)]
    return write_json(path, {f"d{number}": {"0": turn} for number, turn in enumerate(turns)})


def test_trackers_have_rows_with_deviations_and_marks(table: Cli, tmp_path: Path) -> None:
    first, second = _tracker(tmp_path / "a.json", 10), _tracker(tmp_path / "b.json", 8)
    baseline = _tracker(tmp_path / "c.json", 1)
    run = table(first, second, "--baseline", baseline, "--format", "md")
    header, _, *rows = table_rows(run.out)
    assert header == ["", "JGA", "F1", "FGA λ=0.5", "GCA"]
    # 100 and 80: their mean 90 is 14.14 = 20 / sqrt(2) from either's, and 80 above 10.
    assert rows[0][:2] == ["c", "10.00"]
    assert rows[1][:2] == ["System", "90.00 ± 14.14\\*"]
    assert "State tracking, with the gold states of the files; mean ± standard" in run.out
    assert "joint goal accuracy (Henderson et al., 2014)" in run.out
    assert "Granular Change Accuracy" in run.out
    assert "approximate randomisation" in run.out


def test_domains_by_themselves_may_come_from_a_file_each(
    table: Cli, tmp_path: Path, sample: Benchmark
) -> None:
    files = []
    gold = {id_: dialogue.states for id_, dialogue in sample.dialogues.items()}
    for domain in ("hotel", "train"):
        states = {}
        for id_, turns in gold.items():
            only = [{domain: turn[domain]} if domain in turn else {} for turn in turns]
            states[id_] = [{"state": turn} for turn in only]
        files.append(write_json(tmp_path / f"{domain}.json", states))
    run = table("--name", f"Mine={files[0]}", files[1], "--zero-shot", "--format", "csv")
    [row] = csv.DictReader(run.out.splitlines())
    assert (row["outputs"], row["JGA.hotel"], row["JGA.train"], row["JGA.mean"]) == (
        "1", "100.0", "100.0", "100.0",
    )  # fmt: skip
    message = table.refused(CAREFUL, "--zero-shot", "--gold", "x")
    assert "gold states x: not installed" in message


def test_the_version_of_f1_fga_and_gca_is_said(table: Cli, sample: Benchmark) -> None:
    gold = {id_: dialogue.states for id_, dialogue in sample.dialogues.items()}
    for version in ("2.x", "2.y"):
        install_gold_states(GoldStates(version, sample.name, gold))
    run = table(CAREFUL, "--gold", "2.y,2.x", "--format", "md")
    assert "; F1, FGA and GCA with those of 2.y" in run.out
    run = table(CAREFUL, "--gold", "2.x", "--format", "md")
    assert "with those of" not in run.out


def test_states_alone_have_no_rules(table: Cli, tmp_path: Path) -> None:
    tracker = _tracker(tmp_path / "a.json", 5)
    assert "--rules is not for states alone" in table.refused(tracker, "--rules", "2023")
    assert "do not compare" in table.refused(tracker, CAREFUL)


@pytest.mark.real_data
def test_entries_need_no_outputs(
    cli: Cli, upstream: Path, multiwoz: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "load_benchmark", lambda name: multiwoz)
    file = upstream / "DARD" / "data" / "predictions" / "claude_basic_model_dst.json"
    arguments = ("table", file, "--gold", "2.2", "--format", "csv", "--baseline")
    stored, ours = csv.DictReader(cli.done(*arguments, "dard-dst-claude").out.splitlines())
    result = read_entry(REPOSITORY / "dard-dst-claude").scores.result.result
    for name in ("JGA", "F1", "GCA"):
        assert float(stored[f"{name}.2.2"]) == pytest.approx(result.figures[name])
        assert float(ours[f"{name}.2.2"]) == pytest.approx(result.figures[name])
    assert (ours["JGA.2.2_p"], ours["F1.2.2_p"]) == ("1.0", "")


TRADE = "trade-dst/results/results/test-rank=0.json"


@pytest.mark.real_data
def test_trackers_of_2_0_beside_their_entries(
    cli: Cli, upstream: Path, multiwoz: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "load_benchmark", lambda name: multiwoz)
    for version, name in (("2.0", "trade-dst"), ("2.1", "DST-STAR")):
        gold, _ = read_gold_states(version, upstream / name, multiwoz)
        assert (len(gold.states), gold.turns) == (999, 7368)
        install_gold_states(gold)
    # STAR's `true` and `false`.
    hotels = [state.get("hotel", {}) for states in gold.states.values() for state in states]
    assert {hotel.get("type") for hotel in hotels} == {None, "hotel", "guesthouse", "dontcare"}
    files = [upstream / "MLCSG-ACL2020" / "all_prediction_TRADE.json", upstream / TRADE]
    # As the paper's code computes it; below by the harness's rules.
    own = [report["metrics"]["JGA"] for report in cli.json("dst", *files)]
    assert [round(jga, 2) for jga in own] == [51.95, 49.78]
    message = cli.refused("compare", *files)
    assert "name gold states that all are compared with: --gold VERSION" in message
    # Beside an entry, a file's own gold states count nowhere; of 2.1 nothing is stored.
    run = cli.done("table", files[1], "--baseline", "mlcsg", "--format", "csv")
    stored, file = csv.DictReader(run.out.splitlines())
    figures = [round(float(row[f"JGA.{v}"]), 2) for row in (stored, file) for v in ("2.0", "2.2")]
    assert figures == [51.97, 43.91, 49.82, 43.13]
    assert "JGA.2.1" not in stored
    assert "JGA 43.91 and 43.13" in cli.done("compare", "mlcsg", files[1]).out


@pytest.mark.real_data
def test_zero_shot_files_have_the_printed_accuracy(
    cli: Cli, dst_data: Path, multiwoz: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "load_benchmark", lambda name: multiwoz)
    files = [dst_data / "T5" / f"T5_result_zeroshot_{name}.json" for name in ("attraction", "rest")]
    run = cli("table", "--zero-shot", "--name", f"T5={files[0]}", files[1], "--format", "md")
    assert table_rows(run.out)[2] == ["T5", "33.47", "24.89", "29.18"]
