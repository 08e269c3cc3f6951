"""A pull request with one more entry is enough: the project's own tests hold, tried in a copy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from entered import REPOSITORY, made_system, submit_alone
from helpers import PROJECT, run_process

from mwz.harness.board import Scores, read_entries
from mwz.harness.board.entries import read_entry
from mwz.harness.board.model import rows
from mwz.harness.board.scores import hashes_of

# What the tests of entries, board, audit and documents read besides the package.
_COPIED = (
    *("tests", "docs", "submissions", "pyproject.toml", "leaderboard.md"),
    *("README.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE"),
)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the project with two more entries, entered as `mwz submit` does."""
    for name in _COPIED:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    sample = PROJECT / "harness" / "sample"
    shutil.copytree(sample, tmp_path / "harness" / "sample")
    # Both are scored on the benchmark of the others; the policy system reports nothing.
    reported = [{"source": "table 1", "bleu": "20.1", "inform": "99.9"}]
    _enter(tmp_path, "ubar", "Newcomer 2031", note="plays | all", reported=reported)
    _enter(tmp_path, "marco", "Newcomer (policy)")
    return tmp_path


def _enter(folder: Path, like: str, name: str, **facts: object) -> None:
    """Enter made-up predictions with the scores of an entry."""
    stored = read_entry(REPOSITORY / like)
    content = json.dumps({name: []}).encode()
    made = made_system(name, track=stored.system.track, **facts)
    submit_alone(
        folder / "submissions", made, content, Scores(stored.scores.reports, hashes_of(content))
    )


def test_one_more_entry_leaves_every_test_of_the_entries_green(copied: Path) -> None:
    folder = copied / "submissions"
    assert run_process("leaderboard", folder=copied).returncode == 0
    assert run_process("leaderboard", "--check", folder=copied).returncode == 0
    keys = {entry.key for entry in read_entries(folder)}
    assert keys == {entry.key for entry in read_entries(REPOSITORY)} | {
        *("newcomer-2031", "newcomer-policy")
    }
    ranks = {row.key: row.rank for row in rows(read_entries(folder), "2021")}
    assert ranks["newcomer-2031"] is not None
    assert ranks["newcomer-policy"] is not None
    # Every test that reads the project's own entries, page and documents.
    files = (
        *("documents", "entries", "leaderboard", "audit", "cli_audit", "cli_leaderboard"),
        "site",
    )
    chosen = "repositor or page or readme or reported or system or track or corpus or published"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"),
            *("-k", chosen, *(str(copied / "tests" / f"test_{name}.py") for name in files)),
        ],
        cwd=copied,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout
    # It is this copy that they read.
    assert "passed" in done.stdout


def test_a_dishonest_entry_does_not(copied: Path) -> None:
    # That the test above can fail: the page is outdated as soon as an entry is there.
    done = run_process("leaderboard", "--check", folder=copied)
    assert done.returncode == 1
    scores = copied / "submissions" / "newcomer-2031" / "scores.json"
    text = scores.read_text(encoding="utf-8")
    scores.write_text(text[:-20], encoding="utf-8")
    done = run_process("leaderboard", "--check", folder=copied)
    assert done.returncode == 2
    assert "newcomer-2031: scores.json: " in done.stderr
