"""Results in the forms of others: Every Eval Ever, model hubs, the register of Inspect Evals."""

from __future__ import annotations

import ast
import json
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

REGISTERED = YAML(typ="safe").load(PROJECT / "tools" / "inspect_evals.yaml")


@pytest.fixture(scope="module")
def records(project_board: Board) -> dict[str, Any]:
    records = map(json.loads, shared_records(project_board).splitlines())
    return {record["evaluation_id"].removeprefix("multiwoz-harness/"): record for record in records}


def test_scores_have_intervals_and_reported_figures_their_source(records: dict[str, Any]) -> None:
    run, printed = records["ubar/evaluation_run"], records["ubar/documentation"]
    assert run["source_metadata"]["source_type"] == "evaluation_run"
    # As the signature says.
    library = run["eval_library"]
    assert f"mwz:{library['version']}|" in library["additional_details"]["signature"]
    assert run["model_info"]["additional_details"]["model_availability"] == "open_weights"
    results = {}
    for result in run["evaluation_results"]:
        results[result["metric_config"]["metric_name"]] = result["score_details"]
    inform = results["Inform"]
    assert inform["score"] == 83.4
    # Wilson's interval of 834 of 1000: 0.8327 ± 0.0231.
    interval = inform["uncertainty"]["confidence_interval"]
    assert [interval["lower"], interval["upper"]] == pytest.approx([80.97, 85.58], abs=0.01)
    assert interval["confidence_level"] == 0.95
    assert not [name for name in results if name.endswith("reported")]
    assert printed["source_metadata"]["source_type"] == "documentation"
    figures = {result["evaluation_name"]: result for result in printed["evaluation_results"]}
    assert len(printed["evaluation_results"]) == 8
    assert figures["Nekvinda & Dušek (2021), table 5, optimistic"]["score_details"] == {"score": 75}
    # What the harness makes itself is no system.
    assert not any(key.startswith(("corpus/", "constant-response/")) for key in records)


def test_every_figure_is_in_its_range_and_there_once(records: dict[str, Any]) -> None:
    """The schema of Every Eval Ever is in slow/test_published_schemas.py."""
    for key, record in records.items():
        ids = set()
        for result in record["evaluation_results"]:
            metric, score = result["metric_config"], result["score_details"]["score"]
            assert metric["min_score"] <= score <= metric["max_score"], (key, metric)
            ids.add((result["evaluation_name"], metric["metric_id"]))
        assert len(ids) == len(record["evaluation_results"]), key
    ubar = records["ubar/evaluation_run"]
    assert ubar["model_info"]["developer"] == "TonyNemo"
    names = {result["metric_config"]["metric_name"] for result in ubar["evaluation_results"]}
    # What has no best value is no score.
    assert names & {"JGA", "Combined", "Places gained", "Turns"} == {"JGA", "Combined"}


def test_the_record_for_hubs_has_what_they_require(tmp_path: Path) -> None:
    made = {}
    for rules, report in reports(bleu=20.0).items():
        made[rules] = replace(report, signature=replace(report.signature, benchmark="multiwoz"))
    enter(tmp_path, "alpha", system(name="Alpha", paper="https://example.org/p"), made)
    [entry] = read_entries(tmp_path)
    board = read_board(tmp_path, [entry], "2021")
    content = YAML(typ="safe").load(hub_record(entry, board))
    assert [result["value"] for result in content][:4] == [20, 70, 60, 85]
    for result in content:
        assert result["dataset"].keys() == {"id", "task_id"}
        assert result["source"] == {"url": "https://example.org/p"}
        assert "mwz:" in result["notes"]
    # An entry that is not ranked has no results to show.
    unranked = replace(board.rows[0], rank=None)
    tables = {}
    for track, rows in board.tables_by_track.items():
        tables[track] = [[unranked]] if any(rows) else rows
    board = replace(board, rows=[unranked], tables_by_track=tables)
    assert json.loads(hub_record(entry, board)) == []
    assert not shared_records(board)


def test_the_task_is_where_the_register_says() -> None:
    (task,) = REGISTERED["tasks"]
    tree = ast.parse((PROJECT / task["task_path"]).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    marks = {node.name: [*map(ast.unparse, node.decorator_list)] for node in functions}
    assert [name for name in marks if "task" in marks[name]] == [task["name"]]
    # What it imports can be imported wherever it is loaded from.
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [node for node in imports if node.level]
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    assert project["dependency-groups"]["dev"] == extras["inspect"]
    assert len(REGISTERED["source"]["repository_commit"]) == 40


def test_inspect_loads_the_task_by_its_path() -> None:
    loader = pytest.importorskip("inspect_ai._eval.loader", reason="needs the extra inspect")
    (task,) = REGISTERED["tasks"]
    place = f"{PROJECT / task['task_path']}@{task['name']}"
    (loaded,) = loader.load_tasks([place], {"benchmark": "sample"})
    assert len(loaded.dataset) > 0
