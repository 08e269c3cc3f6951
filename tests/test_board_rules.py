"""What could take a rank that is not its own is refused, unranked or shown, by the commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from entered import enter, enter_made, enter_sample, reports, system, write_scores
from helpers import SUBMISSIONS, Cli, sample_predictions, write_json

from mwz.harness.board import Scores, read_entries
from mwz.harness.board.model import rows

Predictions = Mapping[str, Any]


# ---------------------------------------------------------------------------- wrong tracks


@pytest.mark.parametrize(
    ("predictions", "track", "message"),
    [
        ("scripted", "end-to-end", "needs predicted belief states; they are gold"),
        ("careful", "policy-optimization", "needs gold belief states; they are predicted; leave"),
        ("careful", "reference", "Invalid value for '--track'"),
    ],
)
def test_an_entry_in_the_wrong_track_is_refused(
    predictions: str, track: str, message: str, tmp_path: Path, cli: Cli
) -> None:
    chosen = ("--name", "System", "--track", track, "--submissions", tmp_path / "submissions")
    assert message in cli.refused("submit", SUBMISSIONS / f"{predictions}.json", *chosen)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------- entries that are there twice


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "submissions"
    for key in ("alpha", "beta"):
        enter(path, key)
    return path


def _copied(folder: Path) -> list[str]:
    shutil.copytree(folder / "alpha", folder / "gamma")
    return [
        "gamma: its name is Alpha, so its folder must be called alpha",
        "gamma: has the name of alpha; give each entry a name of its own",
        "gamma: has the predictions of alpha; enter a system once",
    ]


def _same_predictions(folder: Path) -> list[str]:
    enter(folder, "gamma", scored=reports(bleu=21.0), predictions=json.dumps({"beta": []}).encode())
    return ["gamma: has the predictions of beta; enter a system once"]


@pytest.mark.parametrize("make", [_copied, _same_predictions])
def test_copies_and_wrong_folders_are_refused_in_one_message(
    make: Callable[[Path], list[str]], folder: Path, board_cli: Cli
) -> None:
    problems = make(folder)
    message = board_cli.refused(folder, "--check")
    if len(problems) == 1:
        assert message == f"mwz: leaderboard: {problems[0]}\n"
    else:
        head, *shown = message.splitlines()
        assert head == f"mwz: leaderboard: {len(problems)} problems"
        assert shown == [f"  {problem}" for problem in problems]


def test_reference_rows_are_no_copies_of_each_other(tmp_path: Path) -> None:
    # They have no file that could be the same.
    for key, made in (("corpus", "mwz22"), ("constant", "constant")):
        enter_made(tmp_path, key, made)
    assert len(rows(read_entries(tmp_path), "2021")) == 2


def test_a_reference_row_cannot_have_scores_of_a_file(tmp_path: Path, board_cli: Cli) -> None:
    facts = system(name="Corpus", track="reference", predictions={"made": "mwz22"})
    enter(tmp_path, "corpus", facts, reports(states="gold"))
    message = board_cli.refused(tmp_path, "--check")
    assert "corpus: its scores are of a file, and its predictions are made by the" in message


def test_unsigned_scores_are_refused(tmp_path: Path, board_cli: Cli) -> None:
    entry = enter(tmp_path, "alpha")
    write_scores(entry.folder, Scores(entry.scores.reports, None))
    message = board_cli.refused(tmp_path, "--check")
    assert message.endswith("alpha: its scores do not say what predictions they are of\n")


# ------------------------------------------------------------------- copies of other entries


def test_predictions_saved_again_are_the_same_predictions(tmp_path: Path, cli: Cli) -> None:
    enter_sample(tmp_path / "submissions", "hasty")
    content = sample_predictions("hasty")
    # The last dialogue first, a key that nobody reads, blanks, capitals: nothing of it is scored.
    again = {
        f"{id_.upper()}.json": [
            {**turn, "response": f" {turn['response']}", "note": "again"} for turn in turns
        ]
        for id_, turns in reversed(content.items())
    }
    saved = tmp_path / "again.json"
    saved.write_text(json.dumps(again, indent=2), encoding="utf-8")
    options = ("--track", "end-to-end", "--submissions", tmp_path / "submissions")
    message = cli.refused("submit", saved, "--name", "Again", *options)
    assert "has the predictions of hasty; enter a system once" in message
    assert not (tmp_path / "submissions" / "again").exists()
    id_ = next(iter(content))
    content[id_][0]["response"] += " okay ?"
    write_json(saved, content)
    cli.done("submit", saved, "--name", "Again", *options)
