"""The workflows are valid, ask for no more than they need, and their steps do what they say.

The longer steps are run here as a runner does: by bash, in a repository made for the test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers import CAREFUL, PROJECT
from ruamel.yaml import YAML

from mwz.normalization.registry import tomllib

WORKFLOWS = PROJECT / ".github" / "workflows"

pytestmark = pytest.mark.skipif(not WORKFLOWS.is_dir(), reason="the project is not here")
runs_steps = pytest.mark.skipif(
    sys.platform != "linux" or None in map(shutil.which, ("bash", "git")),
    reason="needs what a runner has",
)


def _workflow(name: str) -> Any:
    return YAML(typ="safe").load(WORKFLOWS / name)


NAMES = sorted(path.name for path in WORKFLOWS.glob("*")) if WORKFLOWS.is_dir() else []


def _steps(name: str) -> Iterator[Mapping[str, Any]]:
    for job in _workflow(name)["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        *(("github-workflows", f".github/workflows/{name}") for name in NAMES),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_the_file_follows_its_schema(schema: str, file: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run(
        [*command, str(PROJECT / file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_may_only_read_unless_a_job_says_more(name: str) -> None:
    workflow = _workflow(name)
    assert workflow["permissions"] == {"contents": "read"}
    more = {job for job, content in workflow["jobs"].items() if "permissions" in content}
    assert more == {"rescore.yml": {"rescore"}, "pages.yml": {"publish"}}.get(name, set())
    # Such a workflow would run with the rights of the project on what a stranger wrote.
    assert not {"pull_request_target", "workflow_run"} & set(workflow["on"])
    assert "secrets" not in (WORKFLOWS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_what_a_workflow_uses_is_pinned_and_nothing_is_pasted_into_its_commands(name: str) -> None:
    for step in _steps(name):
        if "uses" in step:
            _, _, commit = step["uses"].partition("@")
            assert len(commit) == 40, step
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False
        # A name such as `$(rm x)` would be run where it is pasted; variables are not.
        assert "${{" not in step.get("run", "")


def test_the_tests_run_on_every_python_from_the_lowest_that_is_supported() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    matrix = _workflow("tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert project["requires-python"] == f">={matrix['python'][0]}"
    assert matrix["python"] == ["3.10", "3.11", "3.12", "3.13"]
    assert matrix["include"] == [{"python": matrix["python"][0], "dependencies": "lowest"}]


def test_every_dependency_has_a_lowest_version_that_the_tests_can_be_run_with() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command = [sys.executable, str(PROJECT / "tools" / "lowest.py"), "test"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert printed.splitlines() == [one.replace(">=", "==", 1) for one in wanted]


@dataclass(frozen=True)
class Runner:
    """A folder in which steps are run, and what they find there.

    Attributes:
        folder: The working directory.
        environment: The variables.
    """

    folder: Path
    environment: Mapping[str, str]

    def step(self, workflow: str, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a step as a runner does."""
        (script,) = [step["run"] for step in _steps(workflow) if step.get("name") == name]
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        environment = {**self.environment, **more}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    def replace(self, program: str, script: str) -> None:
        """Put a program in the place of one that steps call."""
        path = self.folder / "bin" / program
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner whose `mwz` is that of the tests, on a data directory of its own."""
    environment = {
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "MWZ_DATA": str(tmp_path / "data"),
        "RUNNER_TEMP": str(tmp_path),
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    made = Runner(tmp_path, environment)
    made.replace("mwz", f'exec "{sys.executable}" -m mwz "$@"')
    return made


Git = Callable[..., str]


def _git(runner: Runner, folder: Path) -> Git:
    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=runner.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    return git


@pytest.fixture
def pull_request(runner: Runner) -> Callable[[Callable[[Path], object]], None]:
    """Makes `merged` a repository whose last commit has what a pull request changes."""
    folder = runner.folder / "merged"
    (folder / "submissions" / "old").mkdir(parents=True)
    (folder / "submissions" / "gone").mkdir()
    for name in ("old/entry.toml", "gone/entry.toml", "note.txt"):
        (folder / "submissions" / name).write_text("before\n", encoding="utf-8")
    git = _git(runner, folder)
    git("init", "--quiet")

    def commit() -> None:
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", "x")

    def made(change: Callable[[Path], object]) -> None:
        commit()
        change(folder / "submissions")
        commit()

    return made


def _written(*names: str) -> Callable[[Path], None]:
    def change(submissions: Path) -> None:
        for name in names:
            (submissions / name).parent.mkdir(exist_ok=True)
            (submissions / name).write_text("after\n", encoding="utf-8")

    return change


HOSTILE = ["a b", "a\nb", "$(touch ran)", "`touch ran`", "';touch ran;'", "*", ".hidden", "é\x1b[m"]

VERIFY = ("verify-entry.yml", "Verify the changed entries, or all")


@runs_steps
@pytest.mark.parametrize(
    ("change", "entries"),
    [
        pytest.param(_written("old/entry.toml", "old/x.json"), ["old"], id="changed"),
        pytest.param(_written("new/entry.toml", "old/x.json"), ["new", "old"], id="added"),
        pytest.param(_written("order.txt", "pairs.jsonl"), [], id="what follows"),
        pytest.param(_written("note.txt"), None, id="what entries share"),
        pytest.param(lambda folder: shutil.rmtree(folder / "gone"), None, id="removed"),
        pytest.param(lambda folder: (folder / "gone").rename(folder / "other"), None, id="renamed"),
        pytest.param(_written("--help/x", "-o/x"), ["--help", "-o"], id="like options"),
        pytest.param(_written(*(f"{name}/x" for name in HOSTILE)), HOSTILE, id="hostile"),
    ],
)
def test_the_entries_that_a_pull_request_changes_are_verified_or_all_if_they_share_it(
    runner: Runner,
    pull_request: Callable[[Callable[[Path], object]], None],
    change: Callable[[Path], object],
    entries: list[str] | None,
) -> None:
    runner.replace("mwz", "printf '%s\\0' \"$@\" > called; exit 3")
    pull_request(change)
    done = runner.step(*VERIFY)
    if entries == []:
        assert (done.returncode, done.stdout) == (0, "No entry was added or changed.\n")
        assert not (runner.folder / "called").exists()
        return
    # The step ends as the command does.
    assert done.returncode == 3
    called = (runner.folder / "called").read_text(encoding="utf-8").split("\0")[:-1]
    assert called[:4] == ["verify", "--strict", "--submissions", "merged/submissions"]
    assert sorted(called[4:]) == ([] if entries is None else sorted(["--", *entries]))
    assert not list(runner.folder.rglob("ran"))


@runs_steps
def test_changes_that_cannot_be_told_fail_the_step(runner: Runner) -> None:
    (runner.folder / "merged").mkdir()
    assert runner.step(*VERIFY).returncode != 0


def _submit(runner: Runner, folder: Path) -> None:
    facts = (
        *("--name", "Careful", "--track", "end-to-end", "--benchmark", "sample"),
        *("--submissions", "submissions"),
    )
    subprocess.run(
        ["mwz", "submit", str(CAREFUL), *facts], cwd=folder, env=runner.environment,
        capture_output=True, check=True,
    )  # fmt: skip


@runs_steps
def test_an_honest_entry_passes_and_an_edited_score_does_not(
    runner: Runner, pull_request: Callable[[Callable[[Path], object]], None]
) -> None:
    shutil.rmtree(runner.folder / "merged" / "submissions")
    pull_request(lambda submissions: _submit(runner, submissions.parent))
    done = runner.step(*VERIFY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 entries hold" in done.stdout

    scores = runner.folder / "merged" / "submissions" / "careful" / "scores.json"
    text = scores.read_text(encoding="utf-8")
    start = text.index('"success": ')
    scores.write_text(text[:start] + text[start:].replace("0.", "1.", 1), encoding="utf-8")
    done = runner.step(*VERIFY)
    assert done.returncode == 1
    assert "careful: " in done.stdout


RESCORE = ("rescore.yml", "Score all entries again")


@runs_steps
@pytest.mark.parametrize(
    ("missing", "told"), [(False, "careful: unchanged"), (True, "note.txt stays")]
)
def test_scoring_again_takes_the_note_away_once_every_entry_was_scored(
    runner: Runner, missing: bool, told: str
) -> None:
    _submit(runner, runner.folder)
    note = runner.folder / "submissions" / "note.txt"
    note.write_text("The scores are of other data.\n", encoding="utf-8")
    if missing:
        (runner.folder / "submissions" / "careful" / "predictions.json.gz").unlink()
    done = runner.step(*RESCORE)
    assert done.returncode == 0, done.stderr
    page = (runner.folder / "leaderboard.md").read_text(encoding="utf-8")
    assert "Careful" in page
    assert note.exists() == ("The scores are of other data." in page) == missing
    assert told in (runner.folder / "told.md").read_text(encoding="utf-8")
    runner.replace("mwz", "exit 2")
    assert runner.step(*RESCORE).returncode == 2
