"""Results in the forms of others: Every Eval Ever, model hubs, the register of Inspect Evals."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from entered import REPOSITORY, enter, reports, system
from helpers import PROJECT
from ruamel.yaml import YAML

from mwz.harness.board import read_board, read_entries
from mwz.harness.board.submitting import hub_record
from mwz.harness.board.views.board_data import shared_records
from mwz.normalization.registry import tomllib

REGISTERED = YAML(typ="safe").load(
    re.findall(r"```yaml\n(.*?)```", (PROJECT / "docs/live.md").read_text("utf-8"), re.DOTALL)[0]
)


@pytest.fixture(scope="module")
def records() -> dict[str, Any]:
    board = read_board(REPOSITORY, read_entries(REPOSITORY), "2021")
    lines = map(json.loads, shared_records(board).splitlines())
    return {one["evaluation_id"].removeprefix("multiwoz-harness/"): one for one in lines}


def test_scores_have_intervals_and_reported_figures_their_source(records: dict[str, Any]) -> None:
    run, printed = records["ubar/evaluation_run"], records["ubar/documentation"]
    assert (run["source_metadata"]["source_type"], run["eval_library"]["version"]) == (
        "evaluation_run", "0.2.0",
    )  # fmt: skip
    assert run["model_info"]["additional_details"]["model_availability"] == "open_weights"
    results = [
        (one["metric_config"]["metric_name"], one["score_details"])
        for one in run["evaluation_results"]
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


def _texts(*required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object whose values are texts, unless it says otherwise."""
    text = {"type": "string"}
    named = dict.fromkeys(required, text) | properties
    about = {"type": "object", "additionalProperties": text}
    return {**about, "required": [*required], "properties": named}


NUMBER = {"type": "number"}
BOUND = {"anyOf": [NUMBER, {"enum": ["Infinity", "-Infinity"]}]}
DETAILS = {"additional_details": _texts()}
INTERVAL = _texts("lower", "upper", lower=NUMBER, upper=NUMBER,
                  confidence_level={**NUMBER, "minimum": 0, "maximum": 1})  # fmt: skip
UNCERTAINTY = _texts(
    confidence_interval=INTERVAL,
    num_samples={"type": "integer"},
    num_bootstrap_samples={"type": "integer"},
)
RESULT = _texts(
    *("evaluation_name", "source_data", "metric_config", "score_details"),
    source_data=_texts(
        "dataset_name", "source_type", source_type={"enum": ["hf_dataset", "other"]}
    ),
    # What the schema wants of a continuous metric, and what the datastore wants of any.
    metric_config=_texts(
        *("metric_id", "lower_is_better", "score_type", "min_score", "max_score"),
        lower_is_better={"type": "boolean"},
        score_type={"const": "continuous"},
        min_score=BOUND,
        max_score=BOUND,
    ),
    score_details=_texts("score", score=NUMBER, details=_texts(), uncertainty=UNCERTAINTY),
)
SOURCE = _texts(
    *("source_type", "source_organization_name", "evaluator_relationship"),
    source_type={"enum": ["documentation", "evaluation_run"]},
    evaluator_relationship={"enum": ["first_party", "third_party", "collaborative", "other"]},
)
DEPLOYMENT = _texts(
    *("deployment_type", "model_availability"),
    deployment_type={"enum": ["self_deployed", "externally_managed", "unknown"]},
    model_availability={"enum": ["open_weights", "closed_weights", "unknown"]},
)
RECORD = _texts(
    *("schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info"),
    *("eval_library", "evaluation_results"),
    retrieved_timestamp={"type": "string", "pattern": "^[1-9][0-9]{9}$"},
    source_metadata=SOURCE,
    eval_library=_texts("name", "version", **DETAILS),
    model_info=_texts("name", "id", "additional_details", additional_details=DEPLOYMENT),
    evaluation_results={"type": "array", "minItems": 1, "items": RESULT},
) | {"additionalProperties": False}
"""What version 0.3.0 of Every Eval Ever's schema asks of the fields that records have."""


def test_every_record_has_what_every_eval_ever_asks_for(records: dict[str, Any]) -> None:
    validator = jsonschema.Draft7Validator(RECORD)
    for key, record in records.items():
        assert [error.message for error in validator.iter_errors(record)] == [], key
        for one in record["evaluation_results"]:
            metric, score = one["metric_config"], one["score_details"]["score"]
            assert metric["min_score"] <= score <= metric["max_score"], (key, metric)
        ids = [
            (one["evaluation_name"], one["metric_config"]["metric_id"])
            for one in record["evaluation_results"]
        ]
        assert len({*ids}) == len(ids), key
    assert not validator.is_valid({**record, "eval_library": {"name": "x"}})
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
