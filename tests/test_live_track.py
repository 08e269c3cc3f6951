"""The track of live dialogues: how entries are scored, ranked and flagged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from entered import shown_columns, track_tables
from live_plays import MODEL, TASKS, Lines, Track, every_line, mine, model_user, silent

from mwz.harness import Benchmark
from mwz.harness.board import read_entries
from mwz.harness.board.rows import raised_flags
from mwz.harness.data.goals import read_tasks
from mwz.harness.live.agents import Baseline, Call
from mwz.harness.live.live_track import baseline_calls
from mwz.harness.live.plays import LiveRun, RunConfig, play_dialogue
from mwz.harness.live.users import ScriptedUser
from mwz.harness.live.world import World
from mwz.harness.scoring import Options, Scorer
from mwz.harness.submission import declared_flags


def won(lines: Lines) -> None:
    """Say that every dialogue was won."""
    for line in every_line(lines):
        line["outcome"].update(solved=True, books=True, inform=True, success=True, requested=True)


def _row(track: Track, key: str = "agent") -> Mapping[str, Any]:
    [row] = [row for table in track_tables("live", read_entries(track.folder)) for row in table]
    assert row.key == key
    return {column.title: column.value(row).data for column in shown_columns("live", [row])}


def test_scores_come_from_what_was_said_and_called(track: Track) -> None:
    track.done(mine, model_user, silent, won)
    row = _row(track)
    # 10 of 30 dialogues say nothing in both trials, so that k trials are all solved in the others.
    assert row["pass^1"] == row["pass^2"] == row["Solved"] == pytest.approx(100 * 20 / 30, abs=1e-4)
    assert row["Tokens"] == 120
    assert (row["Agent"], row["User"], row["Trials"], row["Tasks"]) == ("mine", MODEL, 2, TASKS)


@pytest.mark.usefixtures("flags_reviewed")
def test_a_missing_dialogue_counts_as_lost_and_is_said(track: Track) -> None:
    run = track.done(mine, lambda lines: lines[1].pop(3))
    assert "1 dialogue missing, counted as lost" in run.err
    row = _row(track)
    # 59 of 60 dialogues are solved; of one of 30 tasks a trial of two is lost.
    assert row["pass^1"] == pytest.approx(100 * 59 / 60, abs=1e-4)
    assert row["pass^2"] == pytest.approx(100 * 29 / 30, abs=1e-4)
    page = (track.folder.parent / "leaderboard.md").read_text(encoding="utf-8")
    assert "1 dialogue missing, counted as lost" in page
    assert "rank 1 of 1" in run.out


def test_a_dialogue_that_was_broken_off_counts_as_lost(track: Track) -> None:
    def broken_off(lines: Lines) -> None:
        # The agent fails in its second turn.
        line = lines[0][0]
        del line["turns"][2:]
        line["turns"][1] = {"user": line["turns"][1]["user"], "response": ""}
        line["outcome"]["error"] = "the server refuses it"

    run = track.done(mine, broken_off)
    assert "1 dialogue broken off, counted as lost" in run.err
    assert _row(track)["pass^1"] == pytest.approx(100 * 59 / 60, abs=1e-4)
    track.board.done("verify", "--strict", "--jobs", 1)


def test_an_agent_that_skips_a_task_has_no_rank(track: Track) -> None:
    run = track.done(mine, lambda lines: [trial.pop(3) for trial in lines])
    assert "29 of 30 tasks played; without a rank on the board" in run.err
    assert "not ranked: plays 29 of 30 tasks" in run.out
    assert _row(track)["pass^1"] == 100


@pytest.mark.usefixtures("flags_reviewed")
def test_agents_with_different_users_are_ranked_apart(track: Track) -> None:
    track.done(name="Baseline")
    track.done(mine, model_user, silent, name="Other user")
    assert track(mine, silent, model_user, name="Copy").status == 2
    tables = track_tables("live", read_entries(track.folder))
    assert [[row.key for row in table] for table in tables] == [["baseline"], ["other-user"]]
    assert [table[0].rank for table in tables] == [1, 1]
    [scripted, model] = [table[0].figures["user"].words for table in tables]
    assert scripted.startswith("scripted-")
    assert model == MODEL


def test_the_same_dialogues_under_another_name_are_refused(track: Track) -> None:
    # The baseline itself raises no flag.
    assert "flag" not in track(name="Baseline").err
    [[row]] = track_tables("live", read_entries(track.folder))
    assert (row.rank, raised_flags(row)) == (1, [])
    refused = track.refused(mine, name="Mine")
    assert "mine: has the predictions of baseline; enter a system once" in refused


def test_a_trial_cannot_be_in_two_entries(track: Track) -> None:
    first, second = track.files(mine)
    options = ["--track", "live", "--benchmark", "sample", "--name"]
    track.board.done("submit", first, *options, "One")
    refused = track.board.refused("submit", first, "--seeds", second, *options, "Both")
    assert "both: has the predictions of one; enter a system once" in refused
    # An entry itself may be played again, with more trials.
    again = [*options, "One", "--replace"]
    track.board.done("submit", first, "--seeds", second, *again)
    run = track.board("submit", first, *options, "First")
    assert "first: has the predictions of one; enter a system once" in run.err


def _sure(lines: Lines) -> None:
    for line in every_line(lines):
        for turn in line["turns"]:
            turn["response"] = f"Sure! {turn['response']}"


def test_the_baseline_under_another_name_has_no_rank_before_a_review(track: Track) -> None:
    run = track.done(mine, _sure)
    assert "flags not reviewed yet: calls of the scripted baseline" in run.out
    flag = "calls of the scripted baseline that the agent makes in the same turn: 1.00"
    assert f"flag: {flag}" in run.err
    track.board.done("verify", "--strict", "--jobs", 1)
    path = track.folder / "agent" / "entry.toml"
    review = "date = 2026-01-01\nreviewer = 'Me'\nflag = 'baseline_calls'\nreason = 'a test'\n"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n[[review]]\n{review}", encoding="utf-8")
    [[row]] = track_tables("live", read_entries(track.folder))
    assert row.rank == 1
    assert any(m.note.endswith("reviewed by Me on 2026-01-01: a test") for m in row.marks)


def test_calls_of_the_baseline_are_counted_turn_by_turn(track: Track) -> None:
    counts = []

    def some(lines: Lines) -> None:
        for trial in lines:
            turns = [turn for line in trial for turn in line["turns"] if "calls" in turn]
            counts.append(sum(len(turn["calls"]) for turn in turns))
        for turn in turns:
            # The second trial calls nothing.
            del turn["calls"]
        for line in lines[0]:
            for turn in line["turns"]:
                calls = turn.get("calls", [])
                for call in calls:
                    # As the JSON of it, in capitals where tools return the same.
                    if call["result"].get("count"):
                        text = json.dumps(call["arguments"])
                        call["arguments"] = text.replace("italian", "ITALIAN")
                # Further calls count for nothing.
                calls += [call for call in calls if call["name"].startswith("query")]

    track.done(mine, model_user, some)
    live = track.entry().scores.result
    # Those of the first trial, of all.
    assert live.baseline_calls == counts[0] / sum(counts)


class _Last(Baseline):
    """Offers the last venue that is found first."""

    def __call__(self, said: str, call: Call) -> str:
        def reversed_call(name: str, arguments: object) -> Mapping[str, Any]:
            found = call(name, arguments)
            return {**found, "results": found["results"][::-1]} if "results" in found else found

        return super().__call__(said, reversed_call)


class _Asking(Baseline):
    """Asks for more before it looks for a hotel or a restaurant."""

    def _search(self, call: Call) -> str:
        asks = self._domain in ("hotel", "restaurant") and len(self._slots) < 2
        if asks and self._domain != getattr(self, "_asked_for", ""):
            self._asked_for = self._domain
            return "Which area and price range would you like?"
        return super()._search(call)


@pytest.mark.real_data
@pytest.mark.parametrize(("agent", "tasks", "share"), [(_Last, 200, 0.84), (_Asking, 100, 0.94)])
def test_agents_that_decide_otherwise_make_fewer_of_the_calls(
    agent: type[Baseline], tasks: int, share: float, multiwoz: Benchmark, upstream: Path
) -> None:
    scorer = Scorer(multiwoz, Options(lexicalised=True))
    world = World(scorer, read_tasks(upstream / "ConvLab-2"))
    users = ScriptedUser, "user"
    config = RunConfig(world, list(world.tasks)[:tasks], agent, "agent", *users)
    found = baseline_calls(LiveRun(config, [play_dialogue(config, 1, id_) for id_ in config.tasks]))
    assert found == pytest.approx(share, abs=0.01)
    assert found < declared_flags()["baseline_calls"].limit
