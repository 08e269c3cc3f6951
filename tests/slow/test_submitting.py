"""Submitting that is killed at any step, and by several at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest
from entered import SAMPLE_SUBMISSIONS, enter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from submitted import NEW, OLD, files_below, kept_predictions, made_scores, submit_made

from mwz.harness.board.entries import ENTRY_FILE, read_entries
from mwz.harness.board.scores import SCORES_FILE, hashes_of
from mwz.harness.board.submitting import CONTENTS_FILE, locked, write_files
from mwz.harness.cli import main
from mwz.harness.errors import InputError

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


@pytest.fixture(autouse=True)
def _one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything be entered at one time, so that the same bytes come of the same outputs."""
    monkeypatch.setattr(
        "mwz.harness.board.submitting._now", lambda: datetime(2026, 1, 1, tzinfo=timezone.utc)
    )


def _killed_at_every_step(
    folder: Path, act: Callable[[], None], look: Callable[[int], None]
) -> int:
    """Kill a process before each step that it takes in a folder, and look at what it leaves.

    A step is whatever Python tells audit hooks about: opening, renaming, removing a file, making
    or listing a folder. Returns the number of steps.
    """
    steps = 0
    while True:
        child = os.fork()
        if child == 0:
            _die_at(steps, str(folder))
            status = 3
            try:
                act()
                status = 0
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            assert os.waitstatus_to_exitcode(status) == 0
            return steps
        assert os.WTERMSIG(status) == signal.SIGKILL
        look(steps)
        steps += 1


def _die_at(step: int, folder: str) -> None:
    left = step

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event.startswith(("os.", "open", "shutil.", "tempfile.")) and any(
            isinstance(argument, str | os.PathLike) and str(argument).startswith(folder)
            for argument in arguments
        ):
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

    sys.addaudithook(hook)


@needs_fork
def test_killed_at_any_moment_it_leaves_nothing_or_everything(tmp_path: Path) -> None:
    folder, whole = tmp_path / "submissions", tmp_path / "whole"
    submit_made(whole)
    seen = set()

    def look(step: int) -> None:
        if not folder.exists():
            return
        # What a reader sees, before anything is cleared away.
        seen.add(tuple(s.key for s in read_entries(folder)))
        with locked(folder):
            pass
        left = files_below(folder)
        assert left in ({}, files_below(whole)), step
        assert {path.name for path in folder.iterdir()} <= {".lock", "system"}, step
        recovered = folder / "system"
        if recovered.exists():
            for path in recovered.iterdir():
                path.unlink()
            recovered.rmdir()

    steps = _killed_at_every_step(folder, lambda: submit_made(folder), look)
    assert steps > 15
    assert seen == {(), ("system",)}


@needs_fork
def test_killed_while_replacing_it_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    folder, old, new = (tmp_path / name for name in ("submissions", "old", "new"))
    submit_made(old, content=OLD)
    submit_made(new)
    submit_made(folder, content=OLD)
    seen = set()

    def look(step: int) -> None:
        with locked(folder):
            pass
        left = files_below(folder)
        assert left in (files_below(old), files_below(new)), step
        assert {path.name for path in folder.iterdir()} == {".lock", "system"}, step
        seen.add(kept_predictions(folder, "system"))
        submit_made(folder, content=OLD, replace=True)

    steps = _killed_at_every_step(folder, lambda: submit_made(folder, replace=True), look)
    assert steps > 20
    assert seen == {OLD, NEW}


@needs_fork
def test_clearing_away_can_itself_be_killed(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    submit_made(folder, content=OLD)
    whole = files_below(folder)

    def interrupt() -> None:
        # As left by a process that was killed between its two renamings.
        (folder / "system").rename(folder / ".system.replaced")
        submit_made(folder / ".other.x.unfinished")

    def look(step: int) -> None:
        with locked(folder):
            pass
        assert files_below(folder) == whole, step
        assert {path.name for path in folder.iterdir()} == {".lock", "system"}, step
        interrupt()

    interrupt()
    assert _killed_at_every_step(folder, lambda: _lock_once(folder), look) > 5
    assert files_below(folder) == whole


@needs_fork
def test_of_several_files_each_is_old_or_new_whenever_it_is_killed(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "submissions"
    for name in ("one", "two"):
        submit_made(folder, name, json.dumps({name: []}).encode())
    places = [
        *(folder / name / SCORES_FILE for name in ("one", "two")),
        tmp_path / "leaderboard.md",
        tmp_path / "docs" / "older-results.md",
    ]
    write_files(folder, dict.fromkeys(places, "old"))
    own = {path.name for path in folder.iterdir()}
    seen = set()

    def look(step: int) -> None:
        with locked(folder):
            pass
        left = [path.read_text() for path in places]
        # They are written one after the other.
        assert left == sorted(left), step
        assert {path.name for path in folder.iterdir()} == own, step
        assert {path.name for path in tmp_path.iterdir()} == {
            *("submissions", "leaderboard.md", "docs")
        }, step
        seen.add(tuple(left))
        with locked(folder):
            write_files(folder, dict.fromkeys(places, "old"))

    def act() -> None:
        with locked(folder):
            write_files(folder, dict.fromkeys(places, "new"))

    assert _killed_at_every_step(tmp_path, act, look) > 20
    assert seen == {tuple(["new"] * done + ["old"] * (4 - done)) for done in range(5)}


@pytest.mark.skipif(sys.platform != "linux", reason="the system cannot exchange two folders")
def test_a_reader_sees_the_old_or_the_new_entry_at_every_moment(tmp_path: Path) -> None:
    submit_made(tmp_path, content=OLD)
    code = f"""
import sys, time
from pathlib import Path
place = Path({str(tmp_path / "system" / ENTRY_FILE)!r})
looks = 0
print("ready", flush=True)
while not Path({str(tmp_path / "done")!r}).exists():
    assert place.is_file(), "no entry"
    looks += 1
print(looks)
"""
    reader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    assert reader.stdout.readline() == "ready\n"
    for number in range(60):
        submit_made(tmp_path, content=OLD if number % 2 else NEW, replace=True)
    (tmp_path / "done").touch()
    out, _ = reader.communicate(timeout=60)
    assert reader.returncode == 0
    assert int(out) > 60


def _lock_once(folder: Path) -> None:
    with locked(folder):
        pass


@needs_fork
def test_the_command_killed_at_any_moment_leaves_a_leaderboard_that_one_command_puts_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "mwz.harness.board.entry_scores.score_entry",
        lambda outputs, *_: made_scores(outputs.content),
    )
    base = tmp_path / "base"
    folder, page = base / "submissions", base / "leaderboard.md"
    enter(folder, "rival")
    options = [*("--submissions", str(folder))]
    predictions = SAMPLE_SUBMISSIONS / "hasty.json"
    command = ["submit", str(predictions), "--name", "x", "--track", "end-to-end", *options]
    assert _status("leaderboard", *options) == 0
    without = page.read_bytes()
    digests = (folder / CONTENTS_FILE).read_bytes()
    assert _status(*command) == 0
    with_it = page.read_bytes()
    seen = set()

    def reset() -> None:
        submit_made(folder, "X", replace=True)
        for path in (folder / "x").iterdir():
            path.unlink()
        (folder / "x").rmdir()
        page.write_bytes(without)
        (folder / CONTENTS_FILE).write_bytes(digests)

    def look(step: int) -> None:
        shown = page.read_bytes()
        assert shown in (without, with_it), step
        assert _status("leaderboard", *options) == 0
        entered = (folder / "x").exists()
        assert page.read_bytes() == (with_it if entered else without), step
        seen.add((entered, shown == with_it))
        reset()

    reset()
    _killed_at_every_step(base, lambda: _run_quietly(*command), look)
    # Nothing; entered, but not yet on the page; both.
    assert seen == {(False, False), (True, False), (True, True)}


def _status(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(list(arguments))
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


def _run_quietly(*arguments: str) -> None:
    try:
        main(list(arguments))
    except SystemExit as exit_:
        if exit_.code != 0:
            raise


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20, deadline=None
)
@given(steps=st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=6))
def test_the_folder_holds_the_last_of_what_was_accepted(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("submissions")
    model: dict[str, bytes] = {}
    for number, (name, replace) in enumerate(steps):
        content = b'{"number": %d}' % number
        if name in model and not replace:
            with pytest.raises(InputError):
                submit_made(folder, name, content)
        else:
            submit_made(folder, name, content, replace=replace)
            model[name] = content
    assert {s.key: kept_predictions(folder, s.key) for s in read_entries(folder)} == model


_SUBMITTER = """\
import sys, json, time
from pathlib import Path
from mwz.harness.board.entries import System
from mwz.harness.board.scores import Scores, hashes_of
from mwz.harness.errors import InputError
from mwz.harness.io.validation import validated
from entered import submit_alone, system, reports
folder, name, content = Path(sys.argv[1]), sys.argv[2], sys.argv[3].encode()
scores = Scores(reports(), hashes_of(content))
one = validated(System, system(name=name), "system")
print("ready", flush=True)
sys.stdin.readline()
try:
    submit_alone(folder, one, content, scores)
except InputError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


def _at_once(folder: Path, names: list[str]) -> list[int]:
    """Submit from several processes at the same moment and return their exit statuses."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _SUBMITTER, str(folder), name, f'{{"{number}": []}}'],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        for number, name in enumerate(names)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    return [process.returncode for process in processes]


def test_two_who_submit_at_once_both_land(tmp_path: Path) -> None:
    assert _at_once(tmp_path / "submissions", ["one", "two", "three"]) == [0, 0, 0]
    entered = read_entries(tmp_path / "submissions")
    assert {s.key for s in entered} == {"one", "two", "three"}


def test_of_two_who_submit_the_same_name_at_once_one_wins_whole(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    statuses = _at_once(folder, ["same", "same", "same"])
    assert sorted(statuses) == [0, 2, 2]
    winner = b'{"%d": []}' % statuses.index(0)
    [entry] = read_entries(folder)
    assert kept_predictions(folder, "same") == winner
    assert entry.scores.predictions == hashes_of(winner)
