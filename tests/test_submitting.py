"""Submitting: all or nothing, whatever interrupts it, and whoever else submits meanwhile."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import portalocker
import pytest
from entered import SAMPLE_SUBMISSIONS, enter, make_older, reports, system
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mwz.harness import Benchmark
from mwz.harness.board import submitting
from mwz.harness.board.entries import ENTRY_FILE, PREDICTIONS_FILE, System, read_entries, read_entry
from mwz.harness.board.scores import SCORES_FILE, Scores, hashes_of
from mwz.harness.board.submitting import all_scores, locked, recover, submit, write_files
from mwz.harness.cli import main
from mwz.harness.errors import InputError
from mwz.harness.scoring import Options, score
from mwz.harness.validation import validated
from mwz.normalization.rules import published_rule_sets

NEW, OLD = b'{"new": []}', b'{"old": []}'

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def _system(name: str = "System", **changes: Any) -> System:
    return validated(System, system(name=name, **changes), "system")


def _submit(folder: Path, name: str = "System", content: bytes = NEW, **options: Any) -> None:
    submit(folder, _system(name), content, _scores(content), **options)


def _scores(content: bytes = NEW, **figures: Any) -> Scores:
    return Scores(reports(**figures), hashes_of(content))


def _files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder but the lock, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def _predictions(folder: Path, key: str) -> bytes:
    return gzip.decompress((folder / key / PREDICTIONS_FILE).read_bytes())


def test_the_folder_holds_the_entry_the_scores_and_the_predictions(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "submissions"
    entry = submit(folder, _system("My System"), NEW, _scores())
    assert {path.name for path in (folder / "my-system").iterdir()} == {
        *("entry.toml", "scores.json", "predictions.json.gz")
    }
    assert entry == read_entry(folder / "my-system")
    assert entry.system.predictions.file == PREDICTIONS_FILE
    assert entry.scores == _scores()
    assert entry.scores.predictions == hashes_of(NEW)
    assert _predictions(folder, "my-system") == NEW


def test_the_same_predictions_give_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        _submit(tmp_path / folder)
    assert _files(tmp_path / "one") == _files(tmp_path / "two")


def test_reports_have_every_metric_that_the_predictions_allow(sample: Benchmark) -> None:
    for name, has_states in [("careful", True), ("scripted", False)]:
        content = (SAMPLE_SUBMISSIONS / f"{name}.json").read_bytes()
        scores = all_scores(content, sample, name)
        assert list(scores.reports) == list(published_rule_sets()) == ["2021", "2023", "2026"]
        assert scores.predictions is not None
        assert scores.predictions.is_file(content)
        for rules, scored in scores.reports.items():
            metrics = ["bleu", "inform", "diversity", "signs", *(["dst"] if has_states else [])]
            options = Options(rules=rules, metrics=metrics)
            assert scored == score(json.loads(content), sample, options)
            assert (scored.dst is not None) is has_states


def test_a_reference_style_is_scored_as_a_system_without_hashes(sample: Benchmark) -> None:
    scores = all_scores("damd", sample, "corpus")
    assert scores.predictions is None
    # The references against themselves, with gold states.
    assert scores.main.bleu is not None
    assert scores.main.bleu["damd"] == pytest.approx(100)
    assert scores.main.states == "gold"


def test_an_existing_submission_is_not_overwritten(tmp_path: Path) -> None:
    _submit(tmp_path, content=OLD)
    before = _files(tmp_path)
    # Another spelling of the same name.
    with pytest.raises(InputError, match="there is an entry of that name"):
        _submit(tmp_path, name="SYSTEM")
    assert _files(tmp_path) == before


@pytest.mark.parametrize(
    ("changes", "states", "message"),
    [
        ({"track": "end-to-end"}, "gold", "track end-to-end: needs a predicted `state` in every"),
        # A note makes no state predicted.
        ({"track": "end-to-end", "note": "why"}, "gold", "track end-to-end: needs a predicted"),
        (
            {"track": "policy-optimization"},
            "predicted",
            "track policy-optimization: it was scored with predicted belief states; leave them out",
        ),
        ({"track": "reference"}, "predicted", "track reference: "),
    ],
)
def test_an_entry_that_does_not_belong_in_its_track_is_refused(
    changes: dict[str, Any], states: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        submit(tmp_path, _system(**changes), NEW, _scores(states=states))
    assert error.value.source == "--track"
    assert error.value.problems[0].startswith(message)
    assert _files(tmp_path) == {}


@pytest.mark.parametrize(
    ("changes", "states"),
    [
        ({"track": "end-to-end"}, "predicted"),
        ({"track": "policy-optimization"}, "gold"),
        ({"track": "policy-optimization", "note": "its states are predicted"}, "predicted"),
    ],
)
def test_an_entry_that_belongs_in_its_track_is_entered(
    changes: dict[str, Any], states: str, tmp_path: Path
) -> None:
    submit(tmp_path, _system(**changes), NEW, _scores(states=states))
    assert [entry.key for entry in read_entries(tmp_path)] == ["system"]


@pytest.mark.parametrize("replace", [False, True])
def test_a_reference_row_cannot_be_replaced(replace: bool, tmp_path: Path) -> None:
    made = system(name="Corpus", track="reference", predictions={"made": "mwz22"})
    place = enter(tmp_path, "corpus", made).folder
    (place / PREDICTIONS_FILE).unlink()
    scores = Scores(reports(states="gold"), None).to_text()
    (place / SCORES_FILE).write_text(scores, encoding="utf-8")
    before = _files(tmp_path)
    with pytest.raises(InputError, match="cannot be replaced" if replace else "of that name"):
        _submit(tmp_path, name="Corpus", replace=replace)
    assert _files(tmp_path) == before


def test_predictions_that_another_entry_has_are_not_entered(tmp_path: Path) -> None:
    _submit(tmp_path, name="First")
    before = _files(tmp_path)
    with pytest.raises(InputError, match="second: has the predictions of first; enter a system"):
        _submit(tmp_path, name="Second")
    assert _files(tmp_path) == before
    # The same entry may have them again.
    _submit(tmp_path, name="First", replace=True)
    assert _files(tmp_path) == before


def test_replacing_leaves_nothing_of_the_old_one(tmp_path: Path) -> None:
    _submit(tmp_path, content=OLD)
    (tmp_path / "system" / "notes.txt").write_text("old")
    _submit(tmp_path, replace=True)
    assert _predictions(tmp_path, "system") == NEW
    assert not (tmp_path / "system" / "notes.txt").exists()
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["system"]


def test_scores_that_do_not_compare_with_the_others_are_not_entered(tmp_path: Path) -> None:
    enter(tmp_path, "first", scored=reports(data="ba9876543210"))
    before = _files(tmp_path)
    with pytest.raises(InputError, match="does not compare with first"):
        _submit(tmp_path)
    assert _files(tmp_path) == before


@pytest.mark.parametrize("rules", published_rule_sets())
def test_scores_that_do_not_compare_under_one_rule_set_are_not_entered(
    rules: str, tmp_path: Path
) -> None:
    own, other = reports(), reports(data="ba9876543210")
    enter(tmp_path, "first", scored={**own, rules: other[rules]})
    before = _files(tmp_path)
    with pytest.raises(InputError, match="does not compare with first"):
        _submit(tmp_path)
    assert _files(tmp_path) == before


def test_nothing_is_entered_beside_scores_of_an_earlier_version(tmp_path: Path) -> None:
    make_older(enter(tmp_path, "first").folder)
    before = _files(tmp_path)
    with pytest.raises(InputError, match="first: scored by an earlier version; use --rescore"):
        _submit(tmp_path)
    assert _files(tmp_path) == before


def test_an_entry_replaces_one_that_an_earlier_version_scored(tmp_path: Path) -> None:
    _submit(tmp_path, content=OLD)
    make_older(tmp_path / "system")
    _submit(tmp_path, replace=True)
    assert read_entry(tmp_path / "system").scores == _scores()


def test_a_disk_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _submit(tmp_path, content=OLD)
    before = _files(tmp_path)

    def fail(path: Path, content: bytes) -> None:
        if path.name == PREDICTIONS_FILE:
            raise OSError(28, "No space left on device")
        path.write_bytes(content)

    monkeypatch.setattr(submitting, "write_atomically", fail)
    for options in ({"name": "Other"}, {"replace": True}):
        with pytest.raises(InputError, match="No space left on device"):
            _submit(tmp_path, **options)
        assert _files(tmp_path) == before


# ------------------------------------------------------------------------ killed at any moment


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
    _submit(whole)
    seen = set()

    def look(step: int) -> None:
        if not folder.exists():
            return
        # What a reader sees, before anything is cleared away.
        seen.add(tuple(s.key for s in read_entries(folder)))
        with locked(folder):
            pass
        left = _files(folder)
        assert left in ({}, _files(whole)), step
        assert {path.name for path in folder.iterdir()} <= {".lock", "system"}, step
        recovered = folder / "system"
        if recovered.exists():
            for path in recovered.iterdir():
                path.unlink()
            recovered.rmdir()

    steps = _killed_at_every_step(folder, lambda: _submit(folder), look)
    assert steps > 15
    assert seen == {(), ("system",)}


@needs_fork
def test_killed_while_replacing_it_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    folder, old, new = (tmp_path / name for name in ("submissions", "old", "new"))
    _submit(old, content=OLD)
    _submit(new)
    _submit(folder, content=OLD)
    seen = set()

    def look(step: int) -> None:
        with locked(folder):
            pass
        left = _files(folder)
        assert left in (_files(old), _files(new)), step
        assert {path.name for path in folder.iterdir()} == {".lock", "system"}, step
        seen.add(_predictions(folder, "system"))
        _submit(folder, content=OLD, replace=True)

    steps = _killed_at_every_step(folder, lambda: _submit(folder, replace=True), look)
    assert steps > 20
    assert seen == {OLD, NEW}


@needs_fork
def test_clearing_away_can_itself_be_killed(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    _submit(folder, content=OLD)
    whole = _files(folder)

    def interrupt() -> None:
        # As left by a process that was killed between its two renamings.
        (folder / "system").rename(folder / ".system.replaced")
        _submit(folder / ".other.x.unfinished")

    def look(step: int) -> None:
        with locked(folder):
            pass
        assert _files(folder) == whole, step
        assert {path.name for path in folder.iterdir()} == {".lock", "system"}, step
        interrupt()

    interrupt()
    assert _killed_at_every_step(folder, lambda: _lock_once(folder), look) > 5
    assert _files(folder) == whole


@needs_fork
def test_of_several_files_each_is_old_or_new_whenever_it_is_killed(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "submissions"
    for name in ("one", "two"):
        _submit(folder, name, json.dumps({name: []}).encode())
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
    _submit(tmp_path, content=OLD)
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
        _submit(tmp_path, content=OLD if number % 2 else NEW, replace=True)
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
    monkeypatch.setattr("mwz.harness.cli.submit.all_scores", lambda content, *_: _scores(content))
    base = tmp_path / "base"
    folder, page = base / "submissions", base / "leaderboard.md"
    enter(folder, "rival")
    options = [*("--submissions", str(folder))]
    predictions = SAMPLE_SUBMISSIONS / "hasty.json"
    command = ["submit", str(predictions), "--name", "x", "--track", "end-to-end", *options]
    assert _status("leaderboard", *options) == 0
    without = page.read_bytes()
    assert _status(*command) == 0
    with_it = page.read_bytes()
    seen = set()

    def reset() -> None:
        _submit(folder, "X", replace=True)
        for path in (folder / "x").iterdir():
            path.unlink()
        (folder / "x").rmdir()
        page.write_bytes(without)

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


def test_a_submission_that_was_set_aside_comes_back(tmp_path: Path) -> None:
    _submit(tmp_path)
    before = _files(tmp_path)
    (tmp_path / "system").rename(tmp_path / ".system.replaced")
    recover(tmp_path)
    assert _files(tmp_path) == before


def test_only_what_submitting_left_is_cleared_away(tmp_path: Path) -> None:
    for name in (".git", ".github", ".ipynb_checkpoints"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "HEAD").write_text("keep")
    (tmp_path / ".x.abc.unfinished").mkdir()
    with locked(tmp_path):
        left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [".git", ".github", ".ipynb_checkpoints", ".lock"]


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
                _submit(folder, name, content)
        else:
            _submit(folder, name, content, replace=replace)
            model[name] = content
    assert {s.key: _predictions(folder, s.key) for s in read_entries(folder)} == model


# ------------------------------------------------------------------------------- several at once

_SUBMITTER = """\
import sys, json, time
from pathlib import Path
from mwz.harness.board.entries import System
from mwz.harness.board.scores import Scores, hashes_of
from mwz.harness.board.submitting import submit
from mwz.harness.errors import InputError
from mwz.harness.validation import validated
from entered import system, reports
folder, name, content = Path(sys.argv[1]), sys.argv[2], sys.argv[3].encode()
scores = Scores(reports(), hashes_of(content))
one = validated(System, system(name=name), "system")
print("ready", flush=True)
sys.stdin.readline()
try:
    submit(folder, one, content, scores)
except InputError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


def _at_once(folder: Path, names: list[str]) -> list[int]:
    """Submit from several processes at the same moment and return their exit statuses."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
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
    assert _predictions(folder, "same") == winner
    assert entry.scores.predictions == hashes_of(winner)


def test_a_folder_that_another_process_holds_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submitting, "_PATIENCE", 0.1)
    with portalocker.Lock(str(tmp_path / ".lock")), pytest.raises(InputError) as error:
        _submit(tmp_path)
    assert "another process is writing" in str(error.value)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"), locked(tmp_path / "file"):
        pass


def test_the_lock_is_let_go_when_the_work_fails(tmp_path: Path) -> None:
    def work() -> None:
        with locked(tmp_path):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        work()
    with portalocker.Lock(str(tmp_path / ".lock"), timeout=0.1):
        pass
