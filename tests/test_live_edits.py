"""Files of plays are played again: whoever edits one is refused, with the place."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from entered import change_scores
from live_plays import (
    TASKS,
    Edit,
    Lines,
    Track,
    change_result,
    first_turns,
    mine,
    model_user,
    named_agent,
    named_user,
    silent,
)

from mwz.harness.board import read_entries
from mwz.harness.board.entries import entry_problems
from mwz.harness.board.scores import SCORES_FILE
from mwz.harness.board.systems import PREDICTIONS_FILE
from mwz.harness.submission import is_play


def _booked(lines: Lines) -> None:
    calls = [call for line in lines[1] for turn in line["turns"] for call in turn.get("calls", ())]
    results = [call["result"] for call in calls if "reference" in call["result"]]
    results[0]["reference"] = "AAAAAAAA"


def _copied(lines: Lines) -> None:
    lines[1] = [{**line, "trial": 2} for line in lines[0]]


def _endless_calls(lines: Lines) -> None:
    turn = lines[0][0]["turns"][0]
    turn["calls"] = turn["calls"][:1] * 101


def _turn(number: int = 1, **changes: str) -> Edit:
    """Change a turn of the first dialogue."""
    return lambda lines: first_turns(lines)[number].update(changes)


def _dear(lines: Lines) -> None:
    lines[0][0]["costs"] = {"agent": {"prompt_tokens": 10**400}}


def _stopped_by_too_many_calls(lines: Lines) -> None:
    _endless_calls(lines)
    line = lines[0][0]
    line["turns"] = [{**line["turns"][0], "response": ""}]
    line["outcome"]["error"] = "the agent calls tools more than 100 times in a turn"


_OTHERWISE = "comes out otherwise"


@pytest.mark.parametrize(
    ("edits", "place"),
    [
        ((mine, change_result), f"trial 1, dialogue town001, turn 0 {_OTHERWISE}"),
        ((mine, model_user, change_result), f"trial 1, dialogue town001, turn 0 {_OTHERWISE}"),
        ((mine, model_user, _booked), "trial 2, dialogue"),
        ((mine, _turn(user="Never mind. Goodbye.")), f"dialogue town001, turn 1 {_OTHERWISE}"),
        ((mine, lambda ls: first_turns(ls).pop()), f"turn 3 {_OTHERWISE}"),
        ((mine, lambda ls: first_turns(ls).append({"user": "More.", "response": "?"})), _OTHERWISE),
        ((mine, _turn(response="x" * 100_001)), "town001: the response: 100,001 characters"),
        ((mine, _endless_calls), "dialogue town001: the agent calls tools more than 100 times in"),
        ((mine, _stopped_by_too_many_calls), f"trial 1, dialogue town001, turn 0 {_OTHERWISE}"),
        ((mine, _copied), f"trial 2, dialogue town001, turn 0 {_OTHERWISE}"),
        ((mine, model_user, _copied), "trial 2 is trial 1 again in every dialogue"),
        ((mine, lambda ls: ls[0].clear()), "trial 1 is missing; give the files of all trials"),
        ((mine, lambda ls: ls[0].append(ls[0][0])), "trial 1: dialogue town001 is there twice"),
        ((mine, lambda ls: ls[1][4].update(agent="another")), "different agents: another and mine"),
        ((mine, lambda ls: ls[0][2]["turns"][0].update(response=3)), "line 3: no play (turns.0.re"),
        ((named_agent("mine\n# Leaderboard"),), "agent: string should match pattern"),
        ((named_agent("Baseline-2"),), "names that begin with 'baseline' are those of this"),
        ((mine, named_user("Scripted-1-33fbea07cc22")), "names that begin with 'scripted' are"),
        ((mine, lambda ls: ls[0][0].update(dialogue_id="x")), "jsonl: trial 1, dialogue x: tasks"),
        ((mine, _dear), "costs.agent.prompt_tokens: input should be less than or equal"),
        # What both scripts play is known to the last word.
        ((silent,), f"turn 1 {_OTHERWISE}"),
        ((_turn(-1, response="Bye."),), "is not what the baseline plays"),
    ],
)
def test_edited_plays_are_refused(track: Track, edits: tuple[Edit, ...], place: str) -> None:
    assert place in track.refused(*edits)
    assert not (track.folder / "agent").exists()


def test_files_and_tracks_that_do_not_go_together_are_refused(track: Track) -> None:
    [first, _] = track.files()
    refused = track.board.refused("submit", first, "--name", "A", "--track", "lexicalised")
    assert "is of `mwz play`; its track is live" in refused
    other = Path(first).with_name("other.jsonl")
    other.write_text('{"dialogue_id": "town001", "turns": []}\n', encoding="utf-8")
    assert not is_play(other.read_bytes())
    refused = track.board.refused("submit", other, "--name", "A", "--track", "live")
    assert "line 1: no play" in refused
    assert f"other.jsonl: is not a play file, but {first} is" in track.run.refused(
        "score", first, other
    )


@pytest.mark.parametrize("edits", [(), (mine,), (mine, model_user)])
def test_an_entry_verifies_by_playing_again(track: Track, edits: tuple[Edit, ...]) -> None:
    track.done(*edits)
    entry = track.entry()
    # What both scripts play is not kept; all else is, both trials in one file.
    assert (entry.system.predictions.played == "baseline") == (not edits)
    assert (entry.folder / PREDICTIONS_FILE).is_file() == bool(edits)
    before = {path: path.read_bytes() for path in track.folder.rglob("*") if path.is_file()}
    track.board.done("verify", "--strict", "--jobs", 1)
    run = track.board.done("leaderboard", "--rescore", "--jobs", 1)
    assert "agent: unchanged" in run.out
    assert {path: path.read_bytes() for path in before} == before
    track.board.done("leaderboard", "--check")
    if edits:
        run = track.run("score", entry.folder / PREDICTIONS_FILE)
        assert "30 tasks, 2 trials" in run.out


def test_another_seed_or_number_of_trials_comes_out_differently(track: Track) -> None:
    track()
    path = track.folder / "agent" / "entry.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("seed = 0", "seed = 7"), encoding="utf-8")
    run = track.board.failed("verify", "--jobs", 1)
    assert "different seed: 0 and 7" in run.out
    assert "the predictions are not those that were scored" in run.out


def test_an_edited_file_of_an_entry_is_found(track: Track) -> None:
    track(mine)
    path = track.folder / "agent" / PREDICTIONS_FILE
    text = gzip.decompress(path.read_bytes()).replace(b'"count": 0', b'"count": 3', 1)
    path.write_bytes(gzip.compress(text))
    run = track.board.failed("verify", "--strict", "--jobs", 1)
    assert "its scores are of other predictions" in run.out
    assert "recorded dialogues must not be edited" in run.out


def _forged_whole(content: Any) -> None:
    content["result"]["marks"]["solved"] = ["1" * TASKS] * 2
    content["result"]["figures"]["solved"] = 100.0
    for share in content["result"]["passes"]:
        share["value"] = share["high"] = share["low"] = 100.0


def test_a_forgery_without_contradictions_is_found_by_verifying(track: Track) -> None:
    track(mine, silent, model_user)
    sound = (track.folder / "agent" / SCORES_FILE).read_bytes()
    change_scores(track.folder / "agent", _forged_whole)
    assert entry_problems(read_entries(track.folder)) == []
    run = track.board.failed("verify", "--jobs", 1)
    assert "passes[0].value" in run.out
    change_scores(track.folder / "agent", lambda c: c["result"].update(agent="gpt-x"))
    assert re.search(r"result\.agent +'gpt-x' +'mine'", track.board("verify", "--jobs", 1).out)
    track.board.done("leaderboard", "--rescore", "--jobs", 1)
    assert (track.folder / "agent" / SCORES_FILE).read_bytes() == sound
