"""`mwz play`: what it writes, resumes and refuses, and the agents that it plays with."""

from __future__ import annotations

import io
import json
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import Cli

from mwz.harness import InputError
from mwz.harness.live.agents import Baseline
from mwz.harness.live.play import play_tasks
from mwz.harness.live.plays import RunConfig
from mwz.harness.live.users import ScriptedUser
from mwz.harness.live.world import World


def _sample(file: Path, *options: str) -> list[str]:
    return ["play", "--benchmark", "sample", "-o", str(file), *options]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, cli: Cli) -> None:
    files = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for file, options in zip(files, ((), ("--jobs", "3"), ("--seed", "1")), strict=True):
        cli.done(*_sample(file, "--tasks", "10", *options))
    first, same, other = (file.read_bytes() for file in files)
    assert first == same != other


def test_tasks_are_named(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "p.jsonl"
    cli.done(*_sample(file, "--task", "TOWN003.json", "--task", "town002"))
    ids = [json.loads(line)["dialogue_id"] for line in file.read_text("utf-8").splitlines()]
    assert ids == ["town002", "town003"]


def test_play_resumes_and_drops_a_line_that_is_cut_off(tmp_path: Path, cli: Cli) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    cli(*_sample(whole, "--tasks", "5"))
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:2]) + lines[2][:100])
    done = cli.done(*_sample(cut, "--tasks", "5"))
    assert "the last line is cut off" in done.err
    assert "resuming, 2 dialogues already played" in done.err
    assert cut.read_bytes() == whole.read_bytes()


def test_outcomes_are_those_of_what_was_said_and_called(tmp_path: Path, cli: Cli) -> None:
    file, figures = tmp_path / "p.jsonl", tmp_path / "figures.json"
    cli(*_sample(file, "--tasks", "2"))
    played = file.read_text(encoding="utf-8")
    file.write_text(played.replace('"solved": true', '"solved": false'), encoding="utf-8")
    cli(*_sample(file, "--tasks", "2", "--json", str(figures)))
    assert json.loads(figures.read_text(encoding="utf-8"))["solved"] == 100
    # Nothing is called or said, but the outcome says otherwise.
    line = {**json.loads(played.splitlines()[0]), "turns": [{"user": "Hello.", "response": "Bye."}]}
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert "must not be edited" in cli(*_sample(file, "--tasks", "2")).err


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (str, ("--seed", "7"), "different seed: 0 and 7"),
        (str, ("--agent", "json:loads"), "different agents"),
        (lambda text: text + text, (), "dialogue town001 is there twice"),
        (lambda text: text.replace('"trial": 1', '"trial": 2'), (), "is of trial 2, not 1; use"),
        (lambda text: text.replace('"costs"', '"cost"'), (), "line 1: no play"),
        (lambda text: '{"town001": [{"response": "mine"}]}', (), "line 1: no play"),
    ],
)
def test_a_file_that_is_no_play_or_another_one_is_refused_and_kept(
    tmp_path: Path, cli: Cli, change: Callable[[str], str], options: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "p.jsonl"
    cli(*_sample(file, "--tasks", "1"))
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    before = file.read_bytes()
    assert message in cli.refused(*_sample(file, "--tasks", "2", *options))
    assert file.read_bytes() == before


def test_dialogues_that_were_broken_off_stay_lost(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "p.jsonl"
    cli(*_sample(file, "--tasks", "2"))
    broken, other = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    broken["outcome"]["error"] = "no answer"
    broken["turns"][-1]["response"] = ""
    lines = f"{json.dumps(broken)}\n{json.dumps(other)}\n"
    file.write_text(lines, encoding="utf-8")
    edited = file.read_bytes()
    done = cli(*_sample(file, "--tasks", "2"))
    assert "2 dialogues already played" in done.err
    assert file.read_bytes() == edited
    assert re.search(r"Solved +50", done.out)


def test_score_and_why_read_what_is_played(tmp_path: Path, cli: Cli) -> None:
    file, figures = tmp_path / "p.jsonl", tmp_path / "figures.json"
    options = ("--tasks", "4", "--json", str(figures), "--trials", "2")
    cli.done(*_sample(file, *options))
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert found["pass"]["2"]["value"] == found["solved"] == 100
    assert "|trials:2" in found["signature"]
    assert "|user:scripted-2-" in found["signature"]
    scored = cli.done("score", file, tmp_path / "p.2.jsonl", "--free-running", "--json", "-")
    for line in scored.out.splitlines():
        assert json.loads(line)["grounded"]["success"]["total"] == found["success"]
    why = cli.done("why", file, "--dialogue", "town001")
    assert "ethiopian" in why.out


def test_a_user_that_does_not_cooperate_is_in_the_signature(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "p.jsonl"
    played = cli.done(*_sample(file, "--tasks", "4", "--user", "scripted:impatient"))
    assert "|user:scripted:impatient-2-" in played.out
    # What it says is checked when the file is read.
    assert "Solved" in cli.done("score", file).out
    file.write_text(file.read_text("utf-8").replace("Hurry up, please. ", ""), "utf-8")
    assert "comes out otherwise" in cli.refused("score", file)


@pytest.fixture
def mine(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module of agents, which is the current one."""
    (here / "mine.py").write_text(
        "def answer(messages, call):\n"
        "    found = call('query_restaurant', {'food': 'italian', 'area': 'centre'})\n"
        "    return found['results'][0]['name'].title() if len(messages) == 1 else 'Bye.'\n"
        "def broken(messages, call):\n"
        "    return 1 / 0\n"
        "def silent(messages, call):\n"
        "    return 'Hm.'\n"
        "def leaving(messages, call):\n"
        "    raise SystemExit(3)\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(here))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    return here / "play.jsonl"


def test_a_function_is_an_agent(mine: Path, cli: Cli) -> None:
    cli.done(*_sample(mine, "--tasks", "8", "--agent", "mine:answer"))
    assert json.loads(mine.read_text(encoding="utf-8").splitlines()[0])["outcome"]["inform"]


@pytest.mark.parametrize(
    ("name", "error"), [("broken", "ZeroDivisionError"), ("leaving", "SystemExit")]
)
def test_errors_of_a_function_fail_dialogues(mine: Path, cli: Cli, name: str, error: str) -> None:
    message = cli.refused(*_sample(mine, "--tasks", "8", "--agent", f"mine:{name}"))
    for words in ("5 dialogues in a row are broken off", "at mine.py:", error):
        assert words in message
    lines = mine.read_text(encoding="utf-8").splitlines()
    assert error in json.loads(lines[0])["outcome"]["error"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("mine:none", "cannot be imported"), ("./mine.py:answer", "the module without .py")],
)
def test_what_is_no_function_is_refused(mine: Path, cli: Cli, name: str, message: str) -> None:
    assert message in cli.refused(*_sample(mine, "--agent", name))


def test_a_person_talks_beside_the_figures(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("I want Italian food in the centre.\n\n"))
    options = ["--tasks", "1", "--user", "person", "--json", "-"]
    done = cli(*_sample(tmp_path / "p.jsonl", *options))
    assert json.loads(done.out)["turns"] == 2
    assert "agent: Nonna's Attic is a restaurant" in done.err


def test_only_one_process_plays_into_a_file(tmp_path: Path, world: World) -> None:
    def config() -> RunConfig:
        made = (Baseline, "b", ScriptedUser, "u")
        return RunConfig(world, list(world.tasks)[:3], *made)

    first = play_tasks(config(), tmp_path / "p.jsonl")
    next(first)
    with pytest.raises(InputError, match="another process plays into it"):
        list(play_tasks(config(), tmp_path / "p.jsonl"))
    assert len(list(first)) == 2


def test_an_interrupt_waits_for_no_dialogue_and_keeps_those_that_are_over(
    tmp_path: Path, world: World
) -> None:
    file, released = tmp_path / "p.jsonl", threading.Event()
    tasks = list(world.tasks)[:4]

    def begin(id_: str) -> None:
        """Hang in the first dialogue and in the last, which interrupts the run."""
        if id_ == tasks[3]:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        if id_ in (tasks[0], tasks[3]):
            released.wait(30)

    config = RunConfig(world, tasks, Baseline, "b", ScriptedUser, "u")
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(play_tasks(config, file, jobs=2, begin=begin))
    assert time.monotonic() - start < 20
    released.set()
    ids = [json.loads(line)["dialogue_id"] for line in file.read_text("utf-8").splitlines()]
    assert ids == tasks[1:3]


def test_a_resumed_run_stops_if_none_of_the_first_ten_is_solved(mine: Path, cli: Cli) -> None:
    silent = ("--agent", "mine:silent")
    cli.done(*_sample(mine, "--tasks", "6", *silent))
    assert "none of the first 10 dialogues is solved" in cli.refused(*_sample(mine, *silent))
    assert len(mine.read_text(encoding="utf-8").splitlines()) == 10
    # Repeated, it goes on.
    cli.done(*_sample(mine, "--tasks", "12", *silent))


def test_options_that_do_not_fit_are_refused(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "p.jsonl"
    for options, message in (
        (("--agent", "basline"), "did you mean baseline"),
        (("--user", "scriptd"), "did you mean scripted"),
        (("--user", "scripted:rude"), "unknown behaviour 'rude'; choose from unavailable,"),
        (("--user", "person", "--jobs", "2"), "one dialogue at a time"),
        (
            ("--base-url", "http://127.0.0.1:9"),
            "--base-url and --timeout are for --agent",
        ),
        (("--timeout", "9"), "--base-url and --timeout are for --agent model:NAME"),
        (("--temperature", "0"), "--temperature are for --agent model:NAME"),
        (("--task", "town999"), "no task for dialogue town999"),
        (("--agent", "model:m", "--base-url", "127.0.0.1:9"), "127.0.0.1:9: expected an address"),
    ):
        assert message in cli.refused(*_sample(file, *options))
    assert not file.exists()
