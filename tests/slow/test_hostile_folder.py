"""A folder of entries that strangers filled: nothing leads out of it, nothing blocks it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from entered import SAMPLE_SUBMISSIONS, change_scores, enter_sample
from helpers import Run, run_cli

from mwz.harness.board.audit.reported import REPORTED_FILE
from mwz.harness.board.entries import (
    ENTRY_FILE,
    NOTE_FILE,
    PREDICTIONS_FILE,
    read_entries,
    read_entry,
)
from mwz.harness.board.scores import SCORES_FILE

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes")

Plant = Callable[[Path, Path], None]


def _link(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def _link_to_nothing(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "nowhere")


def _file(path: Path, outside: Path) -> None:
    path.write_text("no folder")


def _pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path, outside: Path) -> None:
    path.mkdir()
    (path / "some file").write_text("left over")


PLANTS: dict[str, Plant] = {
    "link": _link,
    "link to nothing": _link_to_nothing,
    "file": _file,
    "pipe": _pipe,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "board" / "submissions"
    enter_sample(path)
    return path


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that nothing is to be read from or written to."""
    path = tmp_path / "outside"
    path.mkdir()
    (path / "secret").write_text("TOP SECRET")
    return path


@pytest.fixture
def mwz(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def run(command: str, *arguments: object) -> Run:
        return run_cli(capsys, command, *arguments, "--submissions", folder)

    return run


def _untouched(outside: Path) -> bool:
    return {p.name: p.read_text() for p in outside.iterdir()} == {"secret": "TOP SECRET"}


NEW = (SAMPLE_SUBMISSIONS / "hasty.json", "--track", "end-to-end", "--benchmark", "sample")


@pytest.mark.parametrize("plant", PLANTS)
def test_what_is_where_an_entry_should_be_blocks_only_its_own_name(
    plant: str, folder: Path, outside: Path, mwz: Callable[..., Run]
) -> None:
    (folder / "hasty").rename(folder.parent / "kept")
    PLANTS[plant](folder / "newcomer", outside)
    assert mwz("leaderboard").status == 0
    refused = mwz("submit", *NEW, "--name", "newcomer")
    assert refused.status == 2
    assert "newcomer: is not a folder of an entry; remove it, or use --replace" in refused.err
    assert mwz("submit", *NEW, "--name", "newcomer", "--replace").status == 0
    assert not (folder / "newcomer").is_symlink()
    assert (folder / "newcomer" / ENTRY_FILE).is_file()
    assert mwz("leaderboard", "--check").status == 0
    assert _untouched(outside)


@pytest.mark.parametrize("plant", [*PLANTS, "folder"])
@pytest.mark.parametrize("name", [".x.abc.unfinished", ".careful.replaced", ".lock"])
def test_what_is_left_over_under_our_names_is_cleared_away(
    plant: str, name: str, folder: Path, outside: Path, mwz: Callable[..., Run]
) -> None:
    before = sorted(p.name for p in folder.iterdir() if p.name != ".lock")
    (folder / ".lock").unlink(missing_ok=True)
    {**PLANTS, "folder": _folder}[plant](folder / name, outside)
    if plant == "file" and name == ".lock":
        pytest.skip("that is what it is")
    assert mwz("leaderboard").status == 0
    made = {".lock", "order.txt", "pairs.jsonl", "SHA256SUMS"}
    assert sorted(p.name for p in folder.iterdir() if p.name not in made) == before
    assert not (folder / ".lock").is_symlink()
    assert _untouched(outside)


def test_scratch_files_of_killed_processes_go_with_the_next_command(
    folder: Path, mwz: Callable[..., Run]
) -> None:
    assert mwz("leaderboard").status == 0
    places = [
        folder / "careful" / ".scores.json.abcdefgh.unfinished",
        folder.parent / ".leaderboard.md.abcdefgh.unfinished",
        folder.parent / "docs" / ".older-results.md.abcdefgh.unfinished",
    ]
    for place in places:
        place.parent.mkdir(exist_ok=True)
        place.write_text("half of it")
    assert mwz("leaderboard").status == 0
    assert not [place for place in places if place.exists()]


def test_a_linked_entry_is_none_and_told(
    folder: Path, outside: Path, mwz: Callable[..., Run]
) -> None:
    (folder / "careful").rename(outside / "careful")
    (folder / "careful").symlink_to(outside / "careful")
    assert [entry.key for entry in read_entries(folder)] == sorted(
        path.name for path in folder.iterdir() if path.is_dir() and path.name != "careful"
    )
    run = mwz("leaderboard")
    assert run.status == 0
    assert "careful: neither a folder nor a file, and left alone; remove it" in run.err


@pytest.mark.parametrize("plant", ["link", "pipe"])
def test_scores_that_are_elsewhere_are_made_again_in_their_place(
    plant: str, folder: Path, mwz: Callable[..., Run]
) -> None:
    """A link to another entry's scores: the other one keeps its own."""
    change_scores(folder / "hasty", lambda content: content)
    scores, others = folder / "careful" / SCORES_FILE, folder / "hasty" / SCORES_FILE
    own, before = scores.read_bytes(), others.read_bytes()
    scores.unlink()
    PLANTS[plant](scores, others)
    kind = "a symbolic link" if plant == "link" else "a pipe"
    assert read_entry(folder / "careful").problems == (
        f"scores.json: is {kind}; put the file itself there",
    )
    assert mwz("leaderboard", "--rescore").status == 0
    assert not scores.is_symlink()
    assert (scores.read_bytes(), others.read_bytes()) == (own, before)


@pytest.mark.parametrize("target", ["/dev/zero", "pipe", "other entry", "nowhere"])
def test_predictions_that_are_elsewhere_are_told_and_the_rest_is_scored(
    target: str, folder: Path, tmp_path: Path, mwz: Callable[..., Run]
) -> None:
    predictions = folder / "careful" / PREDICTIONS_FILE
    predictions.unlink()
    if target == "pipe":
        os.mkfifo(predictions)
    else:
        places = {"other entry": folder / "hasty" / PREDICTIONS_FILE, "nowhere": tmp_path / "x"}
        predictions.symlink_to(places.get(target, Path(target)))
    run = mwz("leaderboard", "--rescore", "--jobs", 2)
    assert run.status == 0
    assert "careful: kept as it is:" in run.out
    kind = "pipe" if target == "pipe" else "symbolic link"
    assert f"is a {kind}; put the file itself there" in run.out
    assert "hasty: unchanged" in run.out


@pytest.mark.parametrize("name", [f"careful/{ENTRY_FILE}", NOTE_FILE, REPORTED_FILE])
def test_no_other_file_of_the_folder_leads_out_of_it(
    name: str, folder: Path, outside: Path, mwz: Callable[..., Run]
) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(outside / "secret")
    run = mwz("leaderboard")
    assert run.status == 2
    assert f"{folder / name}: is a symbolic link; put the file itself there" in run.err
    assert "SECRET" not in run.out + run.err


def test_a_page_that_is_a_link_gives_way_to_the_page(
    folder: Path, outside: Path, mwz: Callable[..., Run]
) -> None:
    page = folder.parent / "leaderboard.md"
    page.symlink_to(outside / "secret")
    assert mwz("leaderboard").status == 0
    assert not page.is_symlink()
    assert page.is_file()
    assert _untouched(outside)


def test_the_page_that_the_user_names_may_be_a_link(
    folder: Path, tmp_path: Path, mwz: Callable[..., Run]
) -> None:
    real, page = tmp_path / "real.md", tmp_path / "page.md"
    real.write_text("old")
    page.symlink_to(real)
    assert mwz("leaderboard", "--output", page).status == 0
    assert page.is_symlink()
    assert real.read_text() != "old"
