"""The SQL tables of venues: kept in a file, whatever happens to it, and with new values matched."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from helpers import RULES, VENUES, database

from mwz.database import VenueDatabase, venues

NEW_VALUES = ["golden spoons", "the silver fork", "iron pots", "no such", "?", "", "copper"]
SPOON = {"name": "the golden spoon"}
"""Matches r1 alone, and is no stored value."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "prepared 100% #1?" / "venues.sqlite"


def _answers(file: Path | None) -> list[list[str]]:
    venue_database = VenueDatabase(VENUES, RULES, file, "this benchmark")
    return [[*venue_database.query("restaurant", {"name": value})] for value in NEW_VALUES]


ANSWERS = [["r1"], ["r2"], ["r4"], [], [], [], ["r3"]]


def _no_work(*arguments: object, **options: object) -> Any:
    raise AssertionError("done again")


def test_tables_are_filled_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _answers(None) == _answers(file) == ANSWERS
    monkeypatch.setattr(venues, "_fill", _no_work)
    assert _answers(file) == ANSWERS
    # Stored values are matched by then.
    monkeypatch.setattr(venues, "reaches", _no_work)
    venue_database = VenueDatabase(VENUES, RULES, file, "this benchmark")
    asked = {"name": "golden spoon", "food": "greek"}
    assert [*venue_database.query("restaurant", asked)] == ["r1"]
    # Only whole files are left.
    assert [*file.parent.iterdir()] == [file]


def test_new_values_are_written_in_bulk(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venues, "_WRITTEN_TOGETHER", 3)
    assert _answers(file) == ANSWERS
    monkeypatch.setattr(venues, "reaches", _no_work)
    venue_database = VenueDatabase(VENUES, RULES, file, "this benchmark")
    # Two times three of the seven; the other is matched again when it comes.
    for value, answer in zip(NEW_VALUES[:6], ANSWERS, strict=False):
        assert [*venue_database.query("restaurant", {"name": value})] == answer
    with pytest.raises(AssertionError, match="done again"):
        venue_database.query("restaurant", {"name": NEW_VALUES[6]})


@pytest.mark.parametrize("damage", ["", "x", "half", "another", "no tables"])
def test_damaged_files_are_made_again(damage: str, file: Path) -> None:
    _answers(file)
    whole = file.read_bytes()
    if damage == "another":
        # A hotel, and no restaurants.
        file.unlink()
        hotels = {"hotel": [{"id": "h", "name": "oak"}]}
        VenueDatabase(hotels, RULES, file, "another benchmark")
    elif damage == "no tables":
        file.unlink()
        with closing(sqlite3.connect(file)) as empty:
            empty.execute("CREATE TABLE origin (made_of TEXT)")
    else:
        file.write_bytes(whole[: len(whole) // 2] if damage == "half" else damage.encode())
    assert _answers(file) == ANSWERS
    assert file.read_bytes() == whole


def test_read_only_folders_have_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venues, "_WRITTEN_TOGETHER", 1)
    (tmp_path / "file").touch()
    (tmp_path / "folder.sqlite").mkdir()
    for path in (tmp_path / "file" / "venues.sqlite", tmp_path / "folder.sqlite"):
        assert _answers(path) == ANSWERS
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder.sqlite"}


def test_locked_files_cause_no_wait(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venues, "_WRITTEN_TOGETHER", 1)
    _answers(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("DELETE FROM origin")
        assert _answers(file) == ANSWERS
    assert _answers(file) == ANSWERS


def test_several_processes_may_open_one_file_at_once(file: Path) -> None:
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        assert [*pool.map(_answers, [file] * 6)] == [ANSWERS] * 6
    assert [*file.parent.iterdir()] == [file]


def test_threads_may_share_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    # Whatever else the threads ask, the matches of a query stay until it is answered.
    monkeypatch.setattr(venues, "_MOST_VALUES", 5)
    shared = database()
    values = [f"{value}{end}" for end in range(50) for value in ("golden spoon", "no such")]

    def ask(value: str) -> list[str]:
        return [*shared.query("restaurant", {"name": value, "food": f"greek{value[-1]}"})]

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(ask, values)] == [["r1"], []] * 50


def test_forgotten_values_are_matched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venues, "_MOST_VALUES", 1)
    bounded = database()
    for number in range(3):
        asked = {"name": "golden spoon" + " " * number, "food": "greek" + " " * number}
        assert [*bounded.query("restaurant", asked)] == ["r1"]
        assert [*bounded.query("restaurant", {"area": "north", **SPOON})] == ["r1"]


def test_half_of_a_surrogate_pair_is_a_value_like_any_other() -> None:
    assert [*database().query("restaurant", {"name": "golden spoon\ud83d"})] == ["r1"]
    assert [*database().query("restaurant", {"area": "\ud83d"})] == []
