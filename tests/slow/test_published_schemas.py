"""Exports against the schemas as published, which the package index has; skipped without it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
from test_elsewhere import REGISTERED

from mwz.harness.board import Board
from mwz.harness.board.views.board_data import shared_records

Published = Callable[[str, str], str]


@pytest.fixture
def published(tmp_path: Path) -> Published:
    """Reads a file of a package, downloaded and not installed."""

    def read(package: str, path: str) -> str:
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", package)
        options = ("--only-binary", ":all:", "--ignore-requires-python", "--dest", tmp_path)
        if subprocess.run([*pip, *map(str, options)], capture_output=True, check=False).returncode:
            pytest.skip(f"no network: {package} cannot be downloaded")
        (wheel,) = tmp_path.glob("*.whl")
        return zipfile.ZipFile(wheel).read(path).decode()

    return read


def test_records_follow_their_public_schema(published: Published, project_board: Board) -> None:
    schema = published("every-eval-ever==0.3.0", "every_eval_ever/schemas/eval.schema.json")
    validator = jsonschema.Draft7Validator(json.loads(schema))
    records = [*map(json.loads, shared_records(project_board).splitlines())]
    assert len(records) > 50
    for record in records:
        problems = [error.message for error in validator.iter_errors(record)]
        assert problems == [], record["evaluation_id"]
    assert [*validator.iter_errors({**records[0], "source_metadata": {}})]


def test_the_entry_of_the_register_is_as_its_model_says(published: Published) -> None:
    pytest.importorskip("yaml", reason="the register's model imports PyYAML")
    model = ModuleType("register_model")
    sys.modules[model.__name__] = model
    exec(published("inspect-evals==0.28.0", "inspect_evals/metadata.py"), model.__dict__)
    entry = model.ExternalEvalMetadata.model_validate(REGISTERED)
    assert str(entry.source.repository_url).endswith("/multiwoz-harness")
    assert entry.tasks[0].task_path == "harness/live/inspect_task.py"
