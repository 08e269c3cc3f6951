"""The package as others use it: installed, with an editor and a type checker."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import jedi
import pytest
from helpers import CAREFUL, PROJECT

SCRIPT = """
import sys
import warnings

from mwz import harness
from mwz.harness import (
    Benchmark,
    DialogueResult,
    InputError,
    Options,
    ReadingWarning,
    Report,
    Scorer,
    Signature,
    load_benchmark,
    load_predictions,
    score,
)

version: str = harness.__version__
warnings.simplefilter("error", ReadingWarning)
benchmark: Benchmark = load_benchmark("sample")
scorer = Scorer(benchmark, Options(setup="strict", domains="states", metrics=["bleu", "inform"]))
predictions = load_predictions(sys.argv[1])
report: Report = scorer.score(predictions)
inform: float | None = report.inform
if report.strict is not None:
    total: float = report.strict.inform["total"]
signature: Signature = report.signature
id_, turns = next(iter(predictions.items()))
result: DialogueResult = scorer.dialogue(id_, turns)
lost: dict[str, str] = result.causes
try:
    score({}, benchmark)
except InputError as error:
    problems: tuple[str, ...] = error.problems
"""


@pytest.fixture(scope="module", params=["wheel", "editable"])
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the project in an environment of its own; return the environment's interpreter."""
    folder = tmp_path_factory.mktemp(request.param)
    project, environment = folder / "project", folder / "environment"
    project.mkdir()
    for path in PROJECT.iterdir():
        if path.name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(path, project)
        elif path.name in ("database", "harness", "normalization", "package", "src", "submissions"):
            ignored = shutil.ignore_patterns("__pycache__", "*.gz")
            shutil.copytree(path, project / path.name, symlinks=True, ignore=ignored)
    venv.create(environment)
    interpreter = environment / "bin" / "python"
    # It has the libraries that these tests run with, but no other copy of the project.
    site = environment.joinpath(*Path(sysconfig.get_path("purelib")).parts[-3:])
    libraries = Path(pytest.__file__).parents[1]
    (site / "libraries.pth").write_text(f"{libraries}\n", encoding="utf-8")
    kind = ["--editable"] if request.param == "editable" else []
    pip = (sys.executable, "-m", "pip", "--quiet", "--python", interpreter, "install")
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", *kind, project], check=True)
    return interpreter


def _run(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    words = list(map(str, command))
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_a_strictly_typed_script_holds_and_prints_nothing(python: Path, tmp_path: Path) -> None:
    script, wrong = tmp_path / "script.py", tmp_path / "wrong.py"
    script.write_text(SCRIPT, encoding="utf-8")
    mistaken = SCRIPT.replace('"strict"', '"strickt"') + "whole: int = report.combined\n"
    wrong.write_text(mistaken, encoding="utf-8")
    mypy = (sys.executable, "-m", "mypy", "--strict", "--python-executable", python)
    checked = _run(tmp_path, *mypy, script)
    assert checked.stdout == "Success: no issues found in 1 source file\n"
    refused = _run(tmp_path, *mypy, wrong)
    assert 'Argument "setup" to "Options" has incompatible type' in refused.stdout
    assert refused.stdout.endswith("Found 2 errors in 1 file (checked 1 source file)\n")
    done = _run(tmp_path, python, script, CAREFUL)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_editor_completes_and_jumps_to_the_source(python: Path) -> None:
    environment = jedi.create_environment(python.parents[1], safe=False)
    text = "from mwz.harness import Options, Scorer\nScorer\nOptions(se"
    script = jedi.Script(text, environment=environment)
    (target,) = script.goto(2, 2, follow_imports=True)
    assert target.full_name == "mwz.harness.scoring.scorer.Scorer"
    assert target.module_path.name == "scorer.py"
    assert "setup=" in [completion.name for completion in script.complete(3, 10)]
