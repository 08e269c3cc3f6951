"""Rooms that can be taken away: without each of them, the rest scores, compares and submits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import CAREFUL, PROJECT, run_process

from mwz.harness import rooms
from mwz.normalization.packages import tomllib

ROOMS = {
    "live": ("harness/live",),
    "grounding": ("harness/grounding", "normalization/delexicaliser"),
    "delexicaliser": ("normalization/delexicaliser",),
    "audit": ("harness/board/audit",),
    "views": ("harness/board/views",),
    "lab": ("harness/lab",),
}

_SUBMIT = (
    *("--name", "Careful", "--track", "end-to-end", "--benchmark", "sample"),
    *("--fact", "model=by hand", "--fact", "training=none"),
)
_SAMPLE = ("--benchmark", "sample")
# An editable installation finds modules of the project that the copy lacks.
_MAIN = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
from mwz.harness.cli import main
main()
"""


# Every module that is left; further packages may be missing.
_IMPORTED = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
from importlib import import_module
from pathlib import Path
for folder in ("normalization", "database", "harness"):
    for path in sorted(Path(folder).rglob("*.py")):
        try:
            import_module(".".join(("mwz", *path.with_suffix("").parts)).removesuffix(".__init__"))
        except ModuleNotFoundError as error:
            if error.name.startswith("mwz"):
                print(path, error)
"""


def _without(room: str, folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Copy the project without a room, and return what runs `mwz` there."""
    for name in ("harness", "database", "normalization"):
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for taken in ROOMS[room]:
        shutil.rmtree(folder / taken)
    package = folder / ".path" / "mwz"
    package.mkdir(parents=True)
    for file in (PROJECT / "package").glob("*.py"):
        shutil.copy(file, package)
    for name in ("harness", "database", "normalization"):
        (package / name).symlink_to(folder / name)
    data = {"MWZ_DATA": str(folder / "data"), "PYTHONPATH": str(package.parent)}

    def mwz(
        *arguments: str, status: int = 0, script: str = _MAIN
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            cwd=folder,
            env={**os.environ, **data},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return mwz


@pytest.mark.parametrize("room", ROOMS)
def test_the_rest_works_without_a_room(room: str, tmp_path: Path) -> None:
    if not all((PROJECT / folder).is_dir() for folder in ROOMS[room]):
        pytest.skip(f"there is no room {room}")
    mwz = _without(room, tmp_path)
    outputs = tmp_path / "harness" / "sample" / "submissions"
    careful, hasty = (str(outputs / f"{name}.json") for name in ("careful", "hasty"))
    assert "Inform" in mwz("score", careful, *_SAMPLE).stdout
    assert "Inform" in mwz("compare", careful, hasty, *_SAMPLE).stdout
    assert "not matched" in mwz("why", careful, *_SAMPLE).stdout
    mwz("submit", careful, *_SUBMIT, "--submissions", "entries")
    mwz("leaderboard", "--submissions", "entries")
    assert "Careful" in (tmp_path / "leaderboard.md").read_text(encoding="utf-8")
    listed = {line.split()[0] for line in mwz("--help").stdout.splitlines() if line.strip()}
    assert "score" in listed
    assert listed.isdisjoint(rooms.ROOMS[room].commands)
    if room == "views" or any(room in needed for needed in _TRACKS.values()):
        _check_real_board(room, tmp_path, mwz)
    broken = mwz(script=_IMPORTED).stdout.splitlines()
    # Live dialogues are scored by what is said in plain English, and that by the delexicaliser.
    above = {"grounding": ("harness/live/",), "delexicaliser": ("harness/live/", "harness/ground")}
    assert [line for line in broken if not line.startswith(above.get(room, ()))] == []


def _check_real_board(
    room: str, folder: Path, mwz: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Make the board of the project's own submissions, with a table of figures for each track."""
    board = shutil.copytree(PROJECT / "submissions", folder / "board" / "submissions")
    tables = "".join(_TABLE.format(track=track) for track in ("lexicalised", "live"))
    with (board / "reported.toml").open("a", encoding="utf-8") as file:
        file.write(tables)
    said = mwz("leaderboard", "--submissions", str(board)).stderr.splitlines()
    absent = [track for track, rooms in _TRACKS.items() if room in rooms]
    entries = [path for path in board.glob("*/entry.toml") if _track(path) in absent]
    expected = []
    for source, left_out in (("reported.toml", f"{len(absent)} tables"), ("", f"{len(entries)} e")):
        if absent:
            expected.append(f"mwz: {board / source}: leaves out {left_out}")
    assert len(said) == len(expected)
    for line, start in zip(sorted(said), sorted(expected), strict=True):
        assert line.startswith(start)
        assert line.endswith(f"of tracks that are not installed ({', '.join(absent)})")
    page = (folder / "board" / "leaderboard.md").read_text(encoding="utf-8")
    assert "MinTL" in page
    assert ("AutoTOD" in page) == ("lexicalised" not in absent)


_TRACKS = {
    "lexicalised": ("delexicaliser", "grounding"),
    "live": ("delexicaliser", "grounding", "live"),
}
"""Track -> the rooms without which it is not there."""

_TABLE = """
[[tables]]
name = "made-up-{track}"
title = "Made up for this test"
track = "{track}"
kind = "authors"
repository = "nobody/nothing"
commit = "0123456789012345678901234567890123456789"
path = "README.md"
columns = ["score"]
rows = [{{ system = "Nobody's", figures = {{ score = "1.0" }} }}]
"""


def _track(path: Path) -> object:
    return tomllib.loads(path.read_text(encoding="utf-8"))["track"]


@pytest.mark.parametrize(
    ("room", "commands"),
    [
        ("grounding", ["score ENGLISH --lexicalised", "score ENGLISH --free-running", "play"]),
        ("harness/board/views", ["why CAREFUL --html pages", "why CAREFUL --serve 0"]),
        ("harness/live", ["score PLAY", "check PLAY", "compare PLAY PLAY"]),
    ],
)
def test_what_needs_a_room_says_so(
    room: str, commands: list[str], sample_play: Path, tmp_path: Path
) -> None:
    mwz = _without(Path(room).name, tmp_path)
    english = tmp_path / "english.json"
    english.write_text('{"town001": [{"response": "Hello."}]}', "utf-8")
    files = {"ENGLISH": english, "PLAY": sample_play, "CAREFUL": CAREFUL}
    for command in commands:
        words = [str(files.get(word, word)) for word in command.split()]
        done = mwz(*words, *_SAMPLE, status=2)
        assert f"needs the folder {room if '/' in room else ''}" in done.stderr


@pytest.fixture
def sample_play(tmp_path: Path) -> Path:
    """A file of `mwz play`."""
    path = tmp_path / "play.jsonl"
    done = run_process("play", *_SAMPLE, "--tasks", 1, "-o", path)
    assert done.returncode == 0, done.stderr
    return path
