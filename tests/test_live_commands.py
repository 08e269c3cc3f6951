"""Commands that read files of plays: score, check, compare and table."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace

import pytest
from live_plays import Track, change_result, mine, model_user, named_agent, silent

from mwz.harness.comparison import compare
from mwz.harness.live.plays import play_scripts
from mwz.harness.live.world import World


def test_score_shows_the_trials_of_a_play_together(track: Track) -> None:
    files = track.files(mine, silent, model_user)
    run = track.run.done("score", *files)
    assert "mine with gpt" in run.out
    shown = dict(line.rsplit(None, 3)[:2] for line in run.out.splitlines() if line.startswith("pa"))
    assert shown == {"pass^1": "66.7", "pass^2": "66.7"}
    assert "Books" in run.out
    figures = track.run.json("score", *files)
    assert figures["solved"] == pytest.approx(100 * 20 / 30)
    assert "grounded" in track.run("score", files[0], "--free-running").out
    lines = track.run.done("score", *files, "--per-dialogue", "-").out.splitlines()
    [last] = [
        line
        for line in map(json.loads, lines)
        if (line["dialogue"], line["trial"]) == ("town030", 2)
    ]
    assert last["outcome"]["solved"]
    assert {domain["fault"] for domain in last["domains"].values()} == {"none"}
    refused = track.run.refused("score", *files, "--intervals")
    assert "--intervals is not for files of `mwz play`" in refused


def test_check_plays_a_file_again(track: Track) -> None:
    [first, _] = track.files(mine)
    run = track.run.done("check", first)
    assert "30, confirmed by replay" in run.out
    [first, _] = track.files(mine, lambda lines: lines[0].pop())
    run = track.run("check", first)
    assert (run.status, "29 of 30 tasks played" in run.out) == (1, True)
    [first, _] = track.files(mine, change_result)
    assert track.run("check", first).status == 2


def test_compare_tests_which_tasks_are_solved(track: Track) -> None:
    [first, _] = track.files(mine, model_user, prefix="first")
    [other, _] = track.files(mine, model_user, silent, prefix="other")
    [pair] = track.run.json("compare", first, other)["pairs"]
    # Ten tasks are solved by the first alone: McNemar's exact p is twice one half to the tenth.
    assert (pair["solved"]["only_a"], pair["solved"]["only_b"]) == (10, 0)
    assert pair["solved"]["p"] == pytest.approx(2 / 2**10)
    assert pair["solved"]["difference"] == pytest.approx(-100 * 10 / 30)
    assert track.run("compare", first, other, "--metrics", "bleu").status == 2


def test_an_entrys_name_is_its_plays(track: Track, monkeypatch: pytest.MonkeyPatch) -> None:
    track(mine, lambda lines: silent(lines[:1]), model_user)
    monkeypatch.chdir(track.folder.parent)
    # Ten of 30 tasks are solved in one trial of two: 50 of 60 dialogues, and 20 of 30 tasks twice.
    table = track.run.done("score", "agent", "--format", "csv", "--benchmark", "sample").out
    [row] = csv.DictReader(table.splitlines())
    figures = [round(float(row[f"pass^{k}"]), 1) for k in (1, 2)]
    assert (row["name"], row["trials"], figures) == ("agent", "2", [83.3, 66.7])
    compared = track.run.done("compare", "agent", "agent", "--benchmark", "sample").out
    assert len(re.findall(r"(?m)^agent.* 83.3 .* 66.7 ", compared)) == 2
    # Tests do not depend on how often an agent played: pass^2 of four trials and of two.
    against = ("score", "scripted-baseline", "agent", "--benchmark", "sample")
    assert "pass^4" in track.run.done(*against).out
    assert "no end" not in track.run.done("why", "agent", "--benchmark", "sample").out
    refused = track.run.refused("score", "agent", "--free-running", "--benchmark", "sample")
    assert "has live dialogues, which this command does not read" in refused


def test_pass_k_is_compared_whatever_the_number_of_trials() -> None:
    world = World.of("sample")
    two, four = (play_scripts(world, trials, 0) for trials in (2, 4))
    # Every task is solved in three trials of four: C(3, 2) of C(4, 2) pairs of trials.
    lines = []
    for line in four.lines:
        lines.append({**line, "outcome": {**line["outcome"], "solved": line["trial"] != 3}})
    four = replace(four, lines=lines)
    first, other = two.evidence("two", [2, 4]), four.evidence("four", [2, 4])
    differences = compare(first, [other]).pairs[0].differences
    assert [differences[key].difference for key in ("solved", "pass^2")] == [-25, -50]
    assert differences["pass^2"].significant
    assert four.figures["pass"]["2"]["value"] == other.scores["pass^2"] == 50


def test_a_paper_has_a_row_for_each_agent(track: Track) -> None:
    quiet = track.files(named_agent("quiet"), model_user, silent, prefix="quiet")
    first, second = track.files(mine, model_user, prefix="loud")
    named = ("--name", f"Quiet={quiet[0]}", quiet[1], "--baseline", first)
    table = track.run.done("table", *named, "--benchmark", "sample").out
    # 20 of 30 tasks against 30 of 30: McNemar's test of 10 and 0, p = 2 / 2^10.
    assert re.search(r"Quiet +& 66.7 \{\[\}[^&]+\*", table)
    assert "(loud.1.jsonl: 30 tasks, 1 trial; Quiet: 30 tasks, 2 trials), with 95" in table
    for words in ("McNemar", r"\cite{yao-etal-2024}", "@misc{yao-etal-2024", "fewest trials"):
        assert words in table
    # Wilson's interval of 20 in 30: (20 + z²/2 ± z √(20 · 10 / 30 + z²/4)) / (30 + z²), z = 1.96.
    csv_ = track.run.done("table", *named, "--benchmark", "sample", "--format", "csv").out
    _, row = csv.DictReader(csv_.splitlines())
    ends = [round(float(row[f"solved_{end}"]), 1) for end in ("low", "high")]
    assert (ends, float(row["solved_p"]) < 0.05) == ([48.8, 80.8], True)
    split = ("--name", f"A={first}", "--name", f"B={second}", "--benchmark", "sample")
    assert "a row of plays is the trials of one agent" in track.run.refused("table", *split)
    refused = track.run.refused("table", *quiet, "--rules", "next", "--benchmark", "sample")
    assert "--rules is not for files of `mwz play`" in refused
