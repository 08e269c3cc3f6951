"""What shells complete, as docs/interface.md says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import PROJECT, Cli

from mwz.normalization import rule_set_names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two entries, and one folder that is none."""
    for name in ("submissions/one", "submissions/other", "submissions/.one.unfinished", "mine/own"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "entry.toml").write_text("", encoding="utf-8")
    (tmp_path / "submissions" / "only").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["mwz", "sc"], ["plain,score"]),
        (["mwz", "data", "fe"], ["plain,fetch"]),
        (["mwz", "score", "pre"], ["file,pre"]),
        (["mwz", "compare", "a.json", "pre"], ["file,pre"]),
        (["mwz", "verify", "o"], ["plain,one", "plain,other"]),
        (["mwz", "verify", "one", "ot"], ["plain,other"]),
        (["mwz", "audit", "O"], ["plain,one", "plain,other"]),
        (["mwz", "audit", "--submissions", "mine", "o"], ["plain,own"]),
        (["mwz", "score", "--benchmark", "s"], ["plain,sample"]),
        (
            ["mwz", "score", "--rules", "202"],
            [f"plain,{name}" for name in rule_set_names() if name.startswith("202")],
        ),
    ],
    ids=" ".join,
)
def test_a_word_is_completed(
    folder: Path, words: list[str], completed: list[str], monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("_MWZ_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(words))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    run = cli()
    # A line for each: its kind and its text.
    assert (run.out.split(), run.err) == (completed, "")


@pytest.mark.skipif(not (PROJECT / "docs").is_dir(), reason="the project is not here")
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_documented_line_makes_bash_complete(folder: Path) -> None:
    page = (PROJECT / "docs" / "interface.md").read_text(encoding="utf-8")
    found = re.search(r"`(eval \"\$\(_MWZ_COMPLETE=bash_source mwz\)\")`", page)
    # The shell's own call, for `mwz verify ot` and the tab key.
    script = (
        f"{found[1]}\ncomplete -p mwz\nCOMP_WORDS=(mwz verify ot)\nCOMP_CWORD=2\n"
        '_mwz_completion mwz ot verify\necho "${COMPREPLY[@]}"\n'
    )
    (folder / "mwz").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mwz "$@"\n')
    (folder / "mwz").chmod(0o755)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    registered, completed = done.stdout.splitlines()
    assert "-F _mwz_completion" in registered
    assert completed == "other"
