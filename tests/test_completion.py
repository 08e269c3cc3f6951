"""What shells complete, as docs/interface.md says."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import Cli

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
