"""Checkers find nothing wrong with the workflows, and their longer steps do what they say.

Steps are run here as a runner does: by bash, in a repository made for the test.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers import CAREFUL, PROJECT
from ruamel.yaml import YAML

from mwz.normalization.packages import tomllib

WORKFLOWS = PROJECT / ".github" / "workflows"

pytestmark = pytest.mark.skipif(not WORKFLOWS.is_dir(), reason="the project is not here")
runs_steps = pytest.mark.skipif(
    sys.platform != "linux" or None in map(shutil.which, ("bash", "git")),
    reason="needs what a runner has",
)


def _check(*command: str) -> None:
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", ["actionlint", "zizmor --offline --quiet .github action.yml"])
def test_checkers_of_workflows_find_nothing(command: str) -> None:
    """Their rules: least permissions, pinned actions, nothing pasted into scripts, valid keys."""
    program, *arguments = command.split()
    installed = shutil.which(program, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if installed is None:
        pytest.skip(f"{program} is not installed")
    _check(installed, *arguments)


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", ".github/workflows/*.yml"),
        ("github-actions", "action.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
        ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_files_follow_their_schemas(schema: str, files: str) -> None:
    paths = map(str, PROJECT.glob(files))
    command = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}")
    _check(*command, *paths)


def test_the_privileged_workflow_runs_nothing_of_a_stranger() -> None:
    text = (WORKFLOWS / "comment.yml").read_text(encoding="utf-8")
    assert "workflow_run:" in text
    assert "uses:" not in text
    assert "secrets" not in text


def test_every_dependency_has_a_lowest_version() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command = [sys.executable, str(PROJECT / "tools" / "lowest.py"), "test"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert printed.splitlines() == [need.replace(">=", "==", 1) for need in wanted]


class Runner:
    """A folder in which steps are run; its `mwz` is that of the tests.

    Args:
        folder: The working directory, with a data directory of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
            "HOME": str(folder),
            "MWZ_DATA": str(folder / "data"),
            "RUNNER_TEMP": str(folder),
            **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "A"),
            **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.org"),
        }
        self.replace("mwz", f'exec "{sys.executable}" -m mwz "$@"')

    def run(self, *command: str, folder: Path, check: bool = True, **more: str) -> Any:
        """Run a command in a folder."""
        environment = {**self._environment, **more}
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=check
        )

    def step(self, workflow: str, name: str, **more: str) -> Any:
        """Run a step as a runner does."""
        jobs = YAML(typ="safe").load(WORKFLOWS / workflow)["jobs"].values()
        steps = {step.get("name"): step for job in jobs for step in job["steps"]}
        shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
        return self.run(*shell, steps[name]["run"], folder=self.folder, check=False, **more)

    def replace(self, program: str, script: str) -> None:
        """Put a program in the place of one that steps call."""
        path = self.folder / "bin" / program
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


@pytest.fixture
def pull_request(runner: Runner) -> Callable[[Callable[[Path], object]], None]:
    """Makes `merged` a repository whose last commit has what a pull request changes."""
    folder = runner.folder / "merged"
    (folder / "submissions" / "old").mkdir(parents=True)
    (folder / "submissions" / "gone").mkdir()
    for name in ("old/entry.toml", "gone/entry.toml", "note.txt"):
        (folder / "submissions" / name).write_text("before\n", encoding="utf-8")
    git = partial(runner.run, "git", folder=folder)
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
def test_changed_entries_are_verified_or_all_if_shared_files_change(
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
def test_changes_that_git_cannot_list_fail_the_step(runner: Runner) -> None:
    (runner.folder / "merged").mkdir()
    assert runner.step(*VERIFY).returncode != 0


def _submit(runner: Runner, folder: Path, name: str = "careful") -> None:
    facts = (
        *("--name", name.title(), "--track", "end-to-end", "--benchmark", "sample"),
        *("--submissions", "submissions"),
    )
    runner.run("mwz", "submit", str(CAREFUL.with_name(f"{name}.json")), *facts, folder=folder)


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


SAY = ("verify-entry.yml", "Say what changes, and check that the board follows from its entries")


@runs_steps
def test_a_pull_request_is_answered_with_what_changes(runner: Runner) -> None:
    base, merged = (runner.folder / name for name in ("base", "merged"))
    base.mkdir()
    _submit(runner, base, "hasty")
    shutil.copytree(base, merged)
    _submit(runner, merged, "careful")
    summary = runner.folder / "summary.md"
    done = runner.step(*SAY, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0, done.stderr
    text = (runner.folder / "comment" / "comment.md").read_text(encoding="utf-8")
    assert summary.read_text(encoding="utf-8") == text
    # Careful informs 26 of 30 dialogues, hasty 12: it is first, and hasty moves down.
    for part in (
        *("## Added: Careful (End-to-end systems)", "rank 1", "the row below, Hasty: differs sig"),
        *("flags: none raised", "not stated: ", "## Ranks that move"),
        *("rule set 2021: Hasty 1 → 2", "# Scored again"),
    ):
        assert part in text
    assert re.search(r"\| Inform +\| +86\.7 +\| verified +\|", text)
    assert "not verified" not in text
    # The base's entry is none of the pull request's.
    assert "## hasty" not in text

    # Two points of BLEU more, and all that follows: 86.7, 83.3 and 39.7 combine to 124.7.
    scores = merged / "submissions" / "careful" / "scores.json"
    stored = json.loads(scores.read_bytes())
    report = stored["reports"]["2021"]
    report["bleu"]["mwz22"] += 2
    for part in (report, report["strict"], report["optimistic"]):
        part["combined"] += 2
    scores.write_text(json.dumps(stored), encoding="utf-8")
    shutil.rmtree(runner.folder / "comment")
    assert runner.step(*SAY, GITHUB_STEP_SUMMARY=str(summary)).returncode == 1
    text = (runner.folder / "comment" / "comment.md").read_text(encoding="utf-8")
    assert text.startswith("**2 figures were edited: BLEU 41.7, scored 39.7; Combined 126.7, ")
    verdicts = {"BLEU": r"41\.7 +\| \*\*39\.7", "Inform": r"86\.7 +\| verified"}
    for figure, cells in {**verdicts, "Combined": r"126\.7 +\| \*\*124\.7"}.items():
        assert re.search(rf"\| {figure} +\| +{cells}", text)
    assert "leaderboard.md is outdated" in text


POST = ("comment.yml", "Post the comment, or replace the one that is there")
_GH = """case "$*" in
*/pulls*) echo "$FOUND";;
run\\ download*) mkdir comment; {
  printf '# 1 @you #2 %s' '$(touch ran)'; head -c "$LENGTH" /dev/zero | tr '\\0' x
} > comment/comment.md;;
*--paginate*) echo "$COMMENT";;
*) echo "$*" >> called; cat body.md >> called;;
esac"""


@pytest.fixture
def proposed(runner: Runner) -> Callable[..., dict[str, str]]:
    """Makes a repository with a pull request that changes files; returns the step's variables."""
    folder = runner.folder / "repository"
    folder.mkdir()
    git = partial(runner.run, "git", folder=folder)
    git("init", "--quiet")
    for name in ("allowFilter", "allowAnySHA1InWant"):
        git("config", f"uploadpack.{name}", "true")

    def commit() -> str:
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", "x")
        return str(git("rev-parse", "HEAD").stdout.strip())

    def made(*changed: str) -> dict[str, str]:
        (folder / ".github").mkdir()
        (folder / ".github" / "old.yml").write_text("old", encoding="utf-8")
        base = commit()
        for name in changed:
            (folder / name).parent.mkdir(exist_ok=True, parents=True)
            (folder / name).write_text("new", encoding="utf-8")
        head = commit()
        # The base goes on, which the pull request does not change.
        git("checkout", "--quiet", "--detach", base)
        (folder / ".github" / "old.yml").write_text("newer", encoding="utf-8")
        values = {"FOUND": f"7 {commit()}", "COMMIT": head, "ADDRESS": folder.as_uri()}
        return {
            **values,
            "REPOSITORY": "o/r",
            "RUN": "1",
            "HEAD": "a:b",
            "MARK": "<!-- verify-entry -->",
        }

    return made


@runs_steps
@pytest.mark.parametrize(
    ("comment", "called"),
    [
        ("", "api --method POST repos/o/r/issues/7/comments -F body=@body.md"),
        ("31", "api --method PATCH repos/o/r/issues/comments/31 -F body=@body.md"),
    ],
)
def test_the_comment_is_posted_once_and_then_replaced(
    runner: Runner, proposed: Callable[..., dict[str, str]], comment: str, called: str
) -> None:
    runner.replace("gh", _GH)
    values = {**proposed("a.py"), "COMMENT": comment}
    done = runner.step(*POST, **values, LENGTH="0")
    assert done.returncode == 0, done.stderr
    expected = f"{called}\n<!-- verify-entry -->\n# 1 @\u200byou #\u200b2 $(touch ran)"
    assert (runner.folder / "called").read_text(encoding="utf-8").strip() == expected
    assert not (runner.folder / "ran").exists()
    # What is too long for a comment says so.
    for folder in ("comment", "listed"):
        shutil.rmtree(runner.folder / folder)
    assert runner.step(*POST, **values, LENGTH="60000").returncode == 0
    body = (runner.folder / "body.md").read_text(encoding="utf-8")
    assert body.splitlines()[1].startswith("**The end is cut off")
    assert 60_000 < len(body) < 60_200


@runs_steps
def test_a_pull_request_that_changes_workflows_gets_no_comment(
    runner: Runner, proposed: Callable[..., dict[str, str]]
) -> None:
    """Its text may be anything; GitHub's interface lists no file after the 3,000th."""
    runner.replace("gh", _GH)
    many = (f"a/{number}" for number in range(3001))
    values = proposed(*many, ".github/workflows/verify-entry.yml")
    done = runner.step(*POST, **values, COMMENT="", LENGTH="0")
    assert done.returncode == 0, done.stderr
    assert "changes .github/" in done.stdout
    assert not (runner.folder / "called").exists()


@runs_steps
@pytest.mark.parametrize(("change", "status"), [({"FOUND": ""}, 0), ({"COMMIT": "0" * 40}, 128)])
def test_without_its_pull_request_nothing_is_posted(
    runner: Runner, proposed: Callable[..., dict[str, str]], change: dict[str, str], status: int
) -> None:
    runner.replace("gh", _GH)
    done = runner.step(*POST, **{**proposed("a.py"), **change}, COMMENT="", LENGTH="0")
    assert done.returncode == status
    assert not (runner.folder / "called").exists()


RESCORE = ("rescore.yml", "Score all entries again")


@runs_steps
@pytest.mark.parametrize(
    ("missing", "answer"), [(False, "careful: unchanged"), (True, "note.txt stays")]
)
def test_rescoring_removes_the_note_when_complete(
    runner: Runner, missing: bool, answer: str
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
    assert answer in (runner.folder / "told.md").read_text(encoding="utf-8")
    runner.replace("mwz", "exit 2")
    assert runner.step(*RESCORE).returncode == 2


@runs_steps
@pytest.mark.parametrize(("least", "status"), [("bleu=10\ncombined=100\n", 0), ("bleu=90", 1)])
def test_the_action_scores_into_the_summary_and_runs_nothing_of_its_inputs(
    tmp_path: Path, least: str, status: int
) -> None:
    action = YAML(typ="safe").load(PROJECT / "action.yml")
    (script,) = [step["run"] for step in action["runs"]["steps"] if step.get("id") == "score"]
    program = tmp_path / "mwz" / "bin" / "mwz"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m mwz "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    hostile = tmp_path / "-o$(touch run) `touch run`;touch run.json"
    shutil.copy(CAREFUL, hostile)
    given = {
        "RUNNER_TEMP": tmp_path,
        "GITHUB_OUTPUT": tmp_path / "output",
        "GITHUB_STEP_SUMMARY": tmp_path / "summary",
        "PREDICTIONS": hostile.name,
        "BENCHMARK": "sample",
        "AT_LEAST": least,
        "OPTIONS": "--rules\n2026\n",
    }
    environment = {**os.environ, **{name: str(value) for name, value in given.items()}}
    shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
    done = subprocess.run(
        shell, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    assert ("below 90" in done.stderr) == bool(status)
    assert "| " in (tmp_path / "summary").read_text("utf-8")
    report = json.loads((tmp_path / "mwz-report.json").read_bytes())
    assert report["rules"] == "2026"
    assert not (tmp_path / "run").exists()
