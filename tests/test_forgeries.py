"""What is edited by hand on a board is found by `verify` or `leaderboard --check`."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from entered import REPOSITORY, change_scores, enter_sample, system
from helpers import Cli
from hypothesis import HealthCheck, given, settings, strategies as st

from mwz.harness.board import read_board, read_entries, rescore, verify
from mwz.harness.board.entries import (
    ENTRY_FILE,
    ORDER_FILE,
    file_problems,
    in_order,
    read_entry,
    read_order,
)
from mwz.harness.board.pairs import PAIRS_FILE
from mwz.harness.board.scores import SCORES_FILE, hashes_of, plain
from mwz.harness.board.systems import PREDICTIONS_FILE
from mwz.harness.cli import main

KEPT = ("corpus", "constant-response", "hdno", "lava", "marco", "ubar")
"""The entries of the repository that the board is cut to."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board that passes. Nobody changes it: copy the folder."""
    folder = tmp_path_factory.mktemp("board") / "submissions"
    for key in KEPT:
        shutil.copytree(REPOSITORY / key, folder / key)
    (folder / "note.txt").write_text("A note.\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(["leaderboard", "--submissions", str(folder)])
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """A copy of the board, with its page beside it."""
    shutil.copytree(original.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / "submissions"


def _changed(path: Path, change: Callable[[Any], None]) -> None:
    """Change a document of an entry."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def _leaves(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all numbers and words of a document."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _leaves(value, (*place, key))
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from _leaves(value, (*place, number))
    elif content is not None:
        yield place


def _edited(value: Any) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    swapped = value.translate(str.maketrans("01ab", "10ba"))
    return swapped if swapped != value else f"{value}x"


@settings(deadline=None, max_examples=12, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_edited_scores_are_found(data: st.DataObject, sample_board: Path) -> None:
    path = sample_board / "careful" / SCORES_FILE
    sound = path.read_bytes()
    place = data.draw(st.sampled_from([*_leaves(json.loads(sound))]))

    def change(content: Any) -> None:
        for part in place[:-1]:
            content = content[part]
        content[place[-1]] = _edited(content[place[-1]])

    try:
        _changed(path, change)
        entries = read_entries(sample_board)
        [careful] = [entry for entry in entries if entry.key == "careful"]
        [verified] = verify(entries, [careful], rescore([careful], "sample"))
        assert not verified.holds, place
    finally:
        path.write_bytes(sound)


@pytest.fixture(scope="module")
def sample_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "submissions"
    enter_sample(folder, "careful")
    return folder


def test_an_edited_version_of_a_tracker_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "dard-dst-claude"
    shutil.copytree(REPOSITORY / folder.name, folder)
    assert list(file_problems([read_entry(folder)])) == []
    change_scores(
        folder, lambda content: content["result"]["signature"]["versions"].update(mwz="0")
    )
    [problem] = file_problems([read_entry(folder)])
    assert "its signatures name different versions" in problem


def test_an_edited_pair_is_found(folder: Path, board_cli: Cli) -> None:
    path = folder / PAIRS_FILE
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["figures"]["combined"]["p"] = 0.5
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    run = board_cli.failed(folder, "--check")
    assert "0.5 is stored, and " in run.err


def _review(folder: Path) -> None:
    path = folder / "ubar" / "entry.toml"
    review = '\n[[review]]\ndate = 2026-01-01\nreviewer = "Me"\nflag = "placement"\nreason = "x"\n'
    note = 'note = "flags: none raised *x*"\n'
    path.write_text(note + path.read_text(encoding="utf-8") + review, encoding="utf-8")


def test_differences_from_a_base_are_listed(folder: Path, original: Path, board_cli: Cli) -> None:
    _review(folder)
    shutil.rmtree(folder / "hdno")
    (folder / "note.txt").write_text("Another note.\n", encoding="utf-8")
    board_cli.done(folder)
    run = board_cli.done(folder, "--check", "--base", original)
    for words in (
        # What gives a rank comes first, and a note is no finding.
        "## Changed: UBAR (End-to-end systems)\n\n**Adds a review** of the flag `placement`",
        "- note of the entry: flags: none raised \\*x\\*",
        "## Removed: hdno",
        "## Changed: note.txt",
        "+Another note.",
        "not stated: ",
    ):
        assert words in run.out
    # The others are as they were.
    assert "## Changed: LAVA" not in run.out


def _stolen(folder: Path) -> None:
    """Enter UBAR's outputs as another system, whose key comes first."""
    place = folder / "a-thief"
    shutil.copytree(folder / "ubar", place)
    content = b'{"not": "those of UBAR"}'
    (place / PREDICTIONS_FILE).write_bytes(gzip.compress(content))
    facts = system(name="A thief")
    (place / ENTRY_FILE).write_text(tomli_w.dumps(facts), encoding="utf-8")
    _changed(place / SCORES_FILE, lambda c: c.update(predictions=plain(hashes_of(content))))


def _ranks(folder: Path) -> dict[str, int | None]:
    return {row.key: row.rank for row in read_board(folder, read_entries(folder), "2021").rows}


def test_a_copy_sorted_first_takes_no_rank(folder: Path, original: Path, board_cli: Cli) -> None:
    before = _ranks(folder)
    _stolen(folder)
    board_cli.done(folder)
    assert _ranks(folder) == {**before, "a-thief": None}
    run = board_cli.done(folder, "--check", "--base", original)
    assert "share a phrase with one earlier entry's (ubar): 1.00" in run.out
    assert "Ranks that are lost" not in run.out


def test_ranks_changed_by_order_are_reported(folder: Path, original: Path, board_cli: Cli) -> None:
    before = _ranks(folder)
    _stolen(folder)
    board_cli.done(folder)
    path = folder / ORDER_FILE
    # The thief's line comes first.
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    board_cli.done(folder)
    assert _ranks(folder)["ubar"] is None
    run = board_cli.done(folder, "--check", "--base", original)
    assert "## Ranks that are lost" in run.out
    assert f"- UBAR, rank {before['ubar']} \\(End-to-end systems, rule set 2021\\): not" in run.out


def test_an_entry_with_other_predictions_is_a_new_one(folder: Path) -> None:
    order = read_order(folder)
    assert list(order) == ["hdno", "lava", "marco", "ubar"]
    entries = {entry.key: entry for entry in read_entries(folder)}
    other = hashes_of(b"other")
    changed = replace(entries["lava"], scores=replace(entries["lava"].scores, predictions=other))
    found = in_order([changed, *(entries[key] for key in ("ubar", "hdno", "marco"))], order)
    assert [entry.key for entry in found] == ["hdno", "marco", "ubar", "lava"]


def test_an_order_that_cannot_be_read_is_refused(folder: Path, board_cli: Cli) -> None:
    assert "--base" in board_cli.refused(folder, "--base", folder)
    (folder / ORDER_FILE).write_text("<<<<<<< HEAD\n")
    message = board_cli.refused(folder, "--check")
    assert "order.txt: line 1: expected a SHA-256, two blanks and a name; take the file" in message
