"""Results in the forms of others: Every Eval Ever, model hubs, the register of Inspect Evals."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import enter, reports, system
from helpers import PROJECT
from ruamel.yaml import YAML

from mwz.harness.board import Board, read_board, read_entries
from mwz.harness.board.submitting import hub_record
from mwz.harness.board.views.board_data import shared_records
from mwz.normalization.packages import tomllib

REGISTERED = YAML(typ="safe").load(
    re.findall(r"```yaml\n(.*?)```", (PROJECT / "docs/live.md").read_text("utf-8"), re.DOTALL)[0]
)


@pytest.fixture(scope="module")
def records(project_board: Board) -> dict[str, Any]:
    records = map(json.loads, shared_records(project_board).splitlines())
    return {record["evaluation_id"].removeprefix("multiwoz-harness/"): record for record in records}


def test_scores_have_intervals_and_reported_figures_their_source(records: dict[str, Any]) -> None:
    run, printed = records["ubar/evaluation_run"], records["ubar/documentation"]
    assert run["source_metadata"]["source_type"] == "evaluation_run"
    # As the signature says.
    assert (
        f"mwz:{run['eval_library']['version']}|"
        in run["eval_library"]["additional_details"]["signature"]
    )
    assert run["model_info"]["additional_details"]["model_availability"] == "open_weights"
    results = [
        (result["metric_config"]["metric_name"], result["score_details"])
        for result in run["evaluation_results"]
    ]
    inform = next(details for name, details in results if name == "Inform")
    assert inform["score"] == 83.4
    # Wilson's interval of 834 of 1000: 0.8327 ± 0.0231.
    interval = inform["uncertainty"]["confidence_interval"]
    assert [interval["lower"], interval["upper"]] == pytest.approx([80.97, 85.58], abs=0.01)
    assert interval["confidence_level"] == 0.95
    assert not [name for name, _ in results if name.endswith("reported")]
    assert printed["source_metadata"]["source_type"] == "documentation"
    figures = {one["evaluation_name"]: one for one in printed["evaluation_results"]}
    assert len(printed["evaluation_results"]) == 8
    assert figures["Nekvinda & Dušek (2021), table 5, optimistic"]["score_details"] == {"score": 75}
    # What the harness makes itself is no system.
    assert not any(key.startswith(("corpus/", "constant-response/")) for key in records)


def test_every_figure_is_in_its_range_and_there_once(records: dict[str, Any]) -> None:
    """The schema of Every Eval Ever is in slow/test_published_schemas.py."""
    for key, record in records.items():
        for result in record["evaluation_results"]:
            metric, score = result["metric_config"], result["score_details"]["score"]
            assert metric["min_score"] <= score <= metric["max_score"], (key, metric)
        ids = [
            (one["evaluation_name"], one["metric_config"]["metric_id"])
            for one in record["evaluation_results"]
        ]
        assert len({*ids}) == len(ids), key
    ubar = records["ubar/evaluation_run"]
    assert ubar["model_info"]["developer"] == "TonyNemo"
    names = {one["metric_config"]["metric_name"] for one in ubar["evaluation_results"]}
    # What has no best value is no score.
    assert names & {"JGA", "Combined", "Places gained", "Turns"} == {"JGA", "Combined"}


def test_the_record_for_hubs_has_what_they_require(tmp_path: Path) -> None:
    made = {
        name: replace(one, signature=replace(one.signature, benchmark="multiwoz"))
        for name, one in reports(bleu=20.0).items()
    }
    enter(tmp_path, "alpha", system(name="Alpha", paper="https://example.org/p"), made)
    [entry] = read_entries(tmp_path)
    content = YAML(typ="safe").load(hub_record(entry, read_board(tmp_path, [entry], "2021")))
    assert [one["value"] for one in content][:4] == [20, 70, 60, 85]
    for one in content:
        assert one["dataset"].keys() == {"id", "task_id"}
        assert one["source"] == {"url": "https://example.org/p"}
        assert "mwz:" in one["notes"]
    # An entry that is not ranked has no results to show.
    unranked = replace(read_board(tmp_path, [entry], "2021").rows[0], rank=None)
    board = read_board(tmp_path, [entry], "2021")
    tables = {name: [[unranked]] if any(of) else of for name, of in board.tables_by_track.items()}
    board = replace(board, rows=[unranked], tables_by_track=tables)
    assert json.loads(hub_record(entry, board)) == []
    assert not shared_records(board)


def test_the_task_is_where_the_register_says() -> None:
    (task,) = REGISTERED["tasks"]
    tree = ast.parse((PROJECT / task["task_path"]).read_text(encoding="utf-8"))
    marked = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Name) and mark.id == "task"
    ]
    assert marked == [task["name"]]
    # What it imports can be imported wherever it is loaded from.
    assert not [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and one.level]
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    assert (
        project["dependency-groups"]["dev"]
        == project["project"]["optional-dependencies"]["inspect"]
    )
    assert len(REGISTERED["source"]["repository_commit"]) == 40


def test_inspect_loads_the_task_by_its_path() -> None:
    loader = pytest.importorskip("inspect_ai._eval.loader", reason="needs the extra inspect")
    (task,) = REGISTERED["tasks"]
    place = f"{PROJECT / task['task_path']}@{task['name']}"
    (loaded,) = loader.load_tasks([place], {"benchmark": "sample"})
    assert len(loaded.dataset) > 0
