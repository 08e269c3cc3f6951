"""What is forged on a board, with every checksum computed again, does not pass `--check`."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from entered import REPOSITORY, system
from helpers import Run, run_cli

from mwz.harness.board.entries import (
    ENTRY_FILE,
    ORDER_FILE,
    PREDICTIONS_FILE,
    in_order,
    read_entries,
    read_order,
)
from mwz.harness.board.model import read_board
from mwz.harness.board.pairs import PAIRS_FILE
from mwz.harness.board.scores import SCORES_FILE, hashes_of, plain
from mwz.harness.board.submitting import CONTENTS_FILE
from mwz.harness.io.store import with_checksum
from mwz.normalization.rules.registry import digest_of_json

KEPT = ("corpus", "constant-response", "hdno", "lava", "marco", "ubar")
"""The entries of the repository that the board is cut to."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board") / "submissions"
    for key in KEPT:
        shutil.copytree(REPOSITORY / key, folder / key)
    (folder / "note.txt").write_text("A note.\n", encoding="utf-8")
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A board that passes."""
    shutil.copytree(original, tmp_path / "submissions")
    made = tmp_path / "submissions"
    assert _run(capsys, made).status == 0
    return made


def _run(capsys: pytest.CaptureFixture[str], folder: Path, *options: object) -> Run:
    return run_cli(capsys, "leaderboard", "--submissions", folder, *options)


def _changed(path: Path, change: Callable[[Any], None]) -> None:
    """Change a document of an entry, and compute its checksum again."""
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["checksum"]
    change(content)
    path.write_text(json.dumps(with_checksum(content)), encoding="utf-8")


def _p_of_a_pair(folder: Path) -> None:
    path = folder / PAIRS_FILE
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["figures"]["combined"]["p"] = 0.5
    del lines[0]["checksum"]
    lines[0]["checksum"] = digest_of_json([lines[0]])[:16]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def _interval(folder: Path) -> None:
    def change(content: Any) -> None:
        content["intervals"]["scores"]["combined"]["low"] += 1

    _changed(folder / "ubar" / "dialogues.json", change)


def _won_dialogue(folder: Path) -> None:
    def change(content: Any) -> None:
        content["success"] = content["success"].replace("0", "1", 1)

    _changed(folder / "ubar" / "dialogues.json", change)


def _won_dialogue_without_causes(folder: Path) -> None:
    _won_dialogue(folder)
    _changed(folder / "ubar" / "dialogues.json", lambda content: content["causes"].pop("dialogues"))


def _sign(folder: Path) -> None:
    def change(content: Any) -> None:
        content["signs"]["placeholders"]["raised"] = True

    _changed(folder / "lava" / "scores.json", change)


def _threshold(folder: Path) -> None:
    def change(content: Any) -> None:
        content["signs"]["unrequested"] |= {"limit": 0.9}

    _changed(folder / "lava" / "scores.json", change)


def _review(folder: Path) -> None:
    path = folder / "ubar" / "entry.toml"
    review = (
        '\n[[review]]\ndate = 2026-01-01\nreviewer = "Me"\nsign = "unrequested"\nreason = "x"\n'
    )
    path.write_text(path.read_text(encoding="utf-8") + review, encoding="utf-8")


@pytest.mark.parametrize(
    ("forge", "told"),
    [
        pytest.param(_p_of_a_pair, "how it compares with", id="p of a pair"),
        pytest.param(_interval, "the interval of combined", id="interval"),
        pytest.param(_won_dialogue, "dialogues.json: causes.dialogues", id="won dialogue"),
        pytest.param(
            _won_dialogue_without_causes,
            "ubar: dialogues.json: success",
            id="won dialogue without causes",
        ),
        pytest.param(_sign, "lava: scores.json: signs.placeholders", id="sign"),
        pytest.param(_threshold, "lava: scores.json: signs.unrequested", id="threshold"),
        pytest.param(_review, "ubar/entry.toml: changed", id="review"),
        pytest.param(
            lambda folder: (folder / "note.txt").write_text("Another.\n"), "note.txt", id="note"
        ),
        pytest.param(
            lambda folder: (folder / "ubar" / "fingerprints.json").unlink(),
            "ubar/fingerprints.json: removed",
            id="fingerprints",
        ),
        pytest.param(lambda folder: shutil.rmtree(folder / "hdno"), "hdno", id="deleted entry"),
        pytest.param(
            lambda folder: (folder / CONTENTS_FILE).write_text("no digest\n"),
            "SHA256SUMS: line 1",
            id="digests",
        ),
    ],
)
def test_what_is_forged_is_told(
    forge: Callable[[Path], object],
    told: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    forge(folder)
    run = _run(capsys, folder, "--check")
    assert run.status in (1, 2)
    assert told in run.out + run.err


def test_an_entry_that_is_gone_must_be_confirmed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(folder / "hdno")
    page = (folder.parent / "leaderboard.md").read_bytes()
    run = _run(capsys, folder)
    assert run.status == 2
    assert run.err == (
        f"mwz: {folder}: hdno: deleted, or renamed, since the leaderboard was made; restore it, or "
        "confirm by `mwz leaderboard --removed hdno`\n"
    )
    assert (folder.parent / "leaderboard.md").read_bytes() == page
    assert _run(capsys, folder, "--removed", "lava", "--removed", "hdno").status == 2
    assert _run(capsys, folder, "--removed", "hdno").status == 0
    assert _run(capsys, folder, "--check").status == 0


def test_what_differs_from_a_base_is_listed_for_review(
    folder: Path, original: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _review(folder)
    shutil.rmtree(folder / "hdno")
    (folder / "note.txt").write_text("Another note.\n", encoding="utf-8")
    assert _run(capsys, folder, "--removed", "hdno").status == 0
    run = _run(capsys, folder, "--check", "--base", original)
    assert run.status == 0
    for told in (
        "## Changed: UBAR (End-to-end systems)",
        "**Adds a review** of the sign `unrequested` by Me: x",
        "## Removed: hdno",
        "## Changed: note.txt",
        "+Another note.",
        "not stated: ",
    ):
        assert told in run.out
    # The others are as they were.
    assert "## Changed: LAVA" not in run.out


def _stolen(folder: Path) -> None:
    """Enter UBAR's outputs as another system, which says that it was there before."""
    place = folder / "a-thief"
    shutil.copytree(folder / "ubar", place)
    content = b'{"not": "those of UBAR"}'
    (place / PREDICTIONS_FILE).write_bytes(gzip.compress(content))
    facts = system(name="A thief", entered=datetime(2000, 1, 1, tzinfo=timezone.utc))
    (place / ENTRY_FILE).write_text(tomli_w.dumps(facts), encoding="utf-8")
    _changed(place / SCORES_FILE, lambda c: c.update(predictions=plain(hashes_of(content))))


def _ranks(folder: Path) -> dict[str, int | None]:
    return {row.key: row.rank for row in read_board(folder, read_entries(folder), "2021").rows}


def test_a_copy_that_says_it_was_there_first_takes_no_rank(
    folder: Path, original: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _ranks(folder)
    _stolen(folder)
    assert _run(capsys, folder).status == 0
    assert _ranks(folder) == {**before, "a-thief": None}
    run = _run(capsys, folder, "--check", "--base", original)
    assert run.status == 0
    assert "equal to those of another entry (ubar): 1.00, threshold 0.50" in run.out
    assert "Ranks that are lost" not in run.out


def test_a_rank_that_is_taken_by_another_order_is_told(
    folder: Path, original: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _ranks(folder)
    _stolen(folder)
    assert _run(capsys, folder).status == 0
    path = folder / ORDER_FILE
    # The thief's line comes first.
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert _run(capsys, folder).status == 0
    assert _ranks(folder)["ubar"] is None
    run = _run(capsys, folder, "--check", "--base", original)
    assert run.status == 1
    assert "## Ranks that are lost" in run.out
    assert f"- UBAR, rank {before['ubar']} \\(End-to-end systems, rule set 2021\\): not" in run.out
    told = "a-thief stands before hdno, which was there first; take this file from"
    assert f"{path}: {told} {original}, and run `mwz leaderboard`" in run.err


def test_an_entry_with_other_predictions_is_a_new_one(folder: Path) -> None:
    order = read_order(folder)
    assert list(order) == ["hdno", "lava", "marco", "ubar"]
    entries = {entry.key: entry for entry in read_entries(folder)}
    other = hashes_of(b"other")
    changed = replace(entries["lava"], scores=replace(entries["lava"].scores, predictions=other))
    found = in_order([changed, *(entries[key] for key in ("ubar", "hdno", "marco"))], order)
    assert [entry.key for entry in found] == ["hdno", "marco", "ubar", "lava"]
    # What an order says that counts more.
    found = in_order(entries.values(), {"ubar": order["ubar"], "lava": "other"}, order)
    keys = ["ubar", "hdno", "lava", "marco"]
    assert [entry.key for entry in found if entry.key in order] == keys


def test_an_order_that_cannot_be_read_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / ORDER_FILE).write_text("<<<<<<< HEAD\n")
    run = _run(capsys, folder, "--check")
    assert run.status == 2
    assert "order.txt: line 1: expected a SHA-256, two blanks and a name; take the file" in run.err


def test_a_base_needs_check(
    folder: Path, original: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(capsys, folder, "--base", original).status == 2
