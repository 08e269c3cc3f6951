"""The track of live dialogues: files of plays read, played again, scored, ranked and verified."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import change_scores, shown_columns, track_tables
from helpers import Cli, Run

from mwz.harness import Benchmark
from mwz.harness.board import Entry, read_entries
from mwz.harness.board.entries import entry_problems, read_entry
from mwz.harness.board.rows import raised_flags
from mwz.harness.board.scores import SCORES_FILE
from mwz.harness.board.systems import PREDICTIONS_FILE
from mwz.harness.comparison import compare
from mwz.harness.data.goals import read_tasks
from mwz.harness.live.agents import Baseline, Call
from mwz.harness.live.live_track import baseline_calls
from mwz.harness.live.play import play_tasks
from mwz.harness.live.plays import LiveRun, RunConfig, play_dialogue, play_scripts
from mwz.harness.live.users import ScriptedUser
from mwz.harness.live.world import World
from mwz.harness.scoring import Options, Scorer
from mwz.harness.submission import declared_flags, is_play

Lines = list[list[dict[str, Any]]]
Edit = Callable[[Lines], object]

TASKS, TRIALS = 30, 2
MODEL = "gpt, prompts 1-0123456789ab"


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two trials of the baseline with the scripted user, of all tasks of the sample."""
    path = tmp_path_factory.mktemp("plays") / "play.jsonl"
    config = play_scripts(World.of("sample"), TRIALS, 0).config
    assert len(list(play_tasks(config, path))) == TASKS * TRIALS
    return path


class _Track(Cli):
    """Edits files of plays, submits them, and runs commands on them with a board of its own."""

    def __init__(self, plays: Path, folder: Path, cli: Cli) -> None:
        self.folder = folder / "board" / "submissions"
        self._plays, self._folder, self.run = plays, folder, cli
        self.board = cli.of(last=("--submissions", self.folder))

    def files(self, *edits: Edit, prefix: str = "edited") -> list[str]:
        """Write the files of both trials, edited, and return their names."""
        names = ("play.jsonl", "play.2.jsonl")
        texts = [(self._plays.parent / name).read_text(encoding="utf-8") for name in names]
        lines = [[json.loads(line) for line in text.splitlines()] for text in texts]
        for edit in edits:
            edit(lines)
        found = []
        for number, trial in enumerate(filter(None, lines), start=1):
            path = self._folder / f"{prefix}.{number}.jsonl"
            path.write_text("".join(json.dumps(one) + "\n" for one in trial), encoding="utf-8")
            found.append(str(path))
        return found

    def __call__(self, *edits: Edit, name: str = "Agent") -> Run:
        first, *others = self.files(*edits)
        options = ["--name", name, "--track", "live", "--benchmark", "sample"]
        return self.board("submit", first, *options, *(["--seeds", *others] if others else []))

    def entry(self, key: str = "agent") -> Entry:
        return read_entry(self.folder / key)


@pytest.fixture
def track(plays: Path, tmp_path: Path, cli: Cli) -> _Track:
    return _Track(plays, tmp_path, cli)


def _every(lines: Lines) -> list[dict[str, Any]]:
    return [line for trial in lines for line in trial]


def _agent(name: str) -> Edit:
    """Say that the agent is another one."""
    return lambda lines: [line.update(agent=name) for line in _every(lines)]


def _user(name: str) -> Edit:
    """Say that the user is another one."""
    return lambda lines: [
        line["signature"]["parameters"].update(user=name) for line in _every(lines)
    ]


# One that nobody can play again.
mine = _agent("mine")


def model_user(lines: Lines) -> None:
    """Say that the user is a model, whose words cannot be told."""
    _user(MODEL)(lines)
    for line in _every(lines):
        line["costs"] = {"agent": {"calls": 9, "prompt_tokens": 100, "completion_tokens": 20}}


def won(lines: Lines) -> None:
    """Say that every dialogue was won."""
    for line in _every(lines):
        line["outcome"].update(solved=True, books=True, inform=True, success=True, requested=True)


def silent(lines: Lines) -> None:
    """Let the agent say nothing in the first ten dialogues of each trial."""
    for trial in lines:
        for line in trial[:10]:
            for turn in line["turns"]:
                turn["response"] = "I do not know."


# ---------------------------------------------------------------------------- what is refused


def _turns(lines: Lines) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = lines[0][0]["turns"]
    return turns


def _result(lines: Lines) -> None:
    lines[0][0]["turns"][0]["calls"][0]["result"]["count"] = 77


def _booked(lines: Lines) -> None:
    calls = [call for line in lines[1] for turn in line["turns"] for call in turn.get("calls", ())]
    next(one for one in calls if "reference" in one["result"])["result"]["reference"] = "AAAAAAAA"


def _copied(lines: Lines) -> None:
    lines[1] = [{**line, "trial": 2} for line in lines[0]]


def _endless_calls(lines: Lines) -> None:
    turn = lines[0][0]["turns"][0]
    turn["calls"] = turn["calls"][:1] * 101


def _stopped_by_too_many_calls(lines: Lines) -> None:
    _endless_calls(lines)
    line = lines[0][0]
    line["turns"] = [{**line["turns"][0], "response": ""}]
    line["outcome"]["error"] = "the agent calls tools more than 100 times in a turn"


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        ((mine, _result), "trial 1, dialogue town001, turn 0 comes out otherwise"),
        ((mine, model_user, _result), "trial 1, dialogue town001, turn 0 comes out otherwise"),
        ((mine, model_user, _booked), "trial 2, dialogue"),
        (
            (mine, lambda ls: _turns(ls)[1].update(user="Never mind. Goodbye.")),
            "trial 1, dialogue town001, turn 1 comes out otherwise",
        ),
        ((mine, lambda ls: _turns(ls).pop()), "turn 3 comes out otherwise"),
        (
            (mine, lambda ls: _turns(ls).append({"user": "One more.", "response": "Yes?"})),
            "comes out otherwise",
        ),
        (
            (mine, lambda ls: _turns(ls)[1].update(response="x" * 100_001)),
            "trial 1, dialogue town001: the response: 100,001 characters",
        ),
        ((mine, _endless_calls), "dialogue town001: the agent calls tools more than 100 times in"),
        (
            (mine, _stopped_by_too_many_calls),
            "trial 1, dialogue town001, turn 0 comes out otherwise",
        ),
        ((mine, _copied), "trial 2, dialogue town001, turn 0 comes out otherwise"),
        ((mine, model_user, _copied), "trial 2 is trial 1 again in every dialogue"),
        ((mine, lambda ls: ls[0].clear()), "trial 1 is missing; give the files of all trials"),
        (
            (mine, lambda ls: ls[0].append(ls[0][0])),
            "trial 1: dialogue town001 is there twice; keep one",
        ),
        ((mine, lambda ls: ls[1][4].update(agent="another")), "different agents: another and mine"),
        (
            (mine, lambda ls: ls[0][2]["turns"][0].update(response=3)),
            "line 3: no play (turns.0.response.str: input should be a valid string; ",
        ),
        ((_agent("mine\n# Leaderboard"),), "agent: string should match pattern"),
        ((_agent("Baseline-2"),), "names that begin with 'baseline' are those of this version"),
        (
            (mine, _user("Scripted-1-33fbea07cc22")),
            "names that begin with 'scripted' are those of this version",
        ),
        (
            (mine, lambda ls: ls[0][0].update(costs={"agent": {"prompt_tokens": 10**400}})),
            "costs.agent.prompt_tokens: input should be less than or equal",
        ),
        # What both scripts play is known to the last word.
        ((silent,), "turn 1 comes out otherwise"),
        ((lambda ls: _turns(ls)[-1].update(response="Bye."),), "is not what the baseline plays"),
    ],
)
def test_an_edited_file_of_plays_is_refused_with_the_place(
    track: _Track, edits: tuple[Edit, ...], told: str
) -> None:
    assert told in track.refused(*edits)
    assert not (track.folder / "agent").exists()


def test_files_and_tracks_that_do_not_go_together_are_refused(track: _Track) -> None:
    [first, _] = track.files()
    told = track.board.refused("submit", first, "--name", "A", "--track", "lexicalised")
    assert "is of `mwz play`; its track is live" in told
    other = Path(first).with_name("other.jsonl")
    other.write_text('{"dialogue_id": "town001", "turns": []}\n', encoding="utf-8")
    assert not is_play(other.read_bytes())
    told = track.board.refused("submit", other, "--name", "A", "--track", "live")
    assert "line 1: no play" in told
    assert "is not a play file, but the others are" in track.run.refused("score", first, other)


# ------------------------------------------------------------------------------ what is scored


def _row(track: _Track, key: str = "agent") -> Mapping[str, Any]:
    [row] = [row for table in track_tables("live", read_entries(track.folder)) for row in table]
    assert row.key == key
    return {column.title: column.value(row).data for column in shown_columns("live", [row])}


def test_scores_come_from_what_was_said_and_called(track: _Track) -> None:
    track.done(mine, model_user, silent, won)
    row = _row(track)
    # 10 of 30 dialogues say nothing in both trials, so that k trials are all solved in the others.
    assert row["pass^1"] == row["pass^2"] == row["Solved"] == pytest.approx(100 * 20 / 30, abs=1e-4)
    assert row["Tokens"] == 120
    assert (row["Agent"], row["User"], row["Trials"], row["Tasks"]) == ("mine", MODEL, 2, TASKS)


@pytest.mark.usefixtures("flags_reviewed")
def test_a_missing_dialogue_counts_as_lost_and_is_said(track: _Track) -> None:
    run = track.done(mine, lambda lines: lines[1].pop(3))
    assert "1 dialogue missing, counted as lost" in run.err
    row = _row(track)
    # 59 of 60 dialogues are solved; of one of 30 tasks a trial of two is lost.
    assert row["pass^1"] == pytest.approx(100 * 59 / 60, abs=1e-4)
    assert row["pass^2"] == pytest.approx(100 * 29 / 30, abs=1e-4)
    page = (track.folder.parent / "leaderboard.md").read_text(encoding="utf-8")
    assert "1 dialogue missing, counted as lost" in page
    assert "rank 1 of 1" in run.out


def test_a_dialogue_that_was_broken_off_counts_as_lost(track: _Track) -> None:
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


def test_who_does_not_play_every_task_has_no_rank(track: _Track) -> None:
    run = track.done(mine, lambda lines: [trial.pop(3) for trial in lines])
    assert "29 of 30 tasks played; without a rank on the board" in run.err
    assert "not ranked: plays 29 of 30 tasks" in run.out
    assert _row(track)["pass^1"] == 100


@pytest.mark.usefixtures("flags_reviewed")
def test_agents_with_different_users_are_ranked_apart(track: _Track) -> None:
    track.done(name="Baseline")
    track.done(mine, model_user, silent, name="Other user")
    assert track(mine, silent, model_user, name="Copy").status == 2
    tables = track_tables("live", read_entries(track.folder))
    assert [[row.key for row in table] for table in tables] == [["baseline"], ["other-user"]]
    assert [table[0].rank for table in tables] == [1, 1]
    [one, other] = [table[0].figures["user"].words for table in tables]
    assert one.startswith("scripted-")
    assert other == MODEL


def test_the_same_dialogues_under_another_name_are_refused(track: _Track) -> None:
    track(name="Baseline")
    told = track.refused(mine, name="Mine")
    assert "mine: has the predictions of baseline; enter a system once" in told


def _sure(lines: Lines) -> None:
    for line in _every(lines):
        for turn in line["turns"]:
            turn["response"] = f"Sure! {turn['response']}"


def test_the_baseline_under_another_name_has_no_rank_before_a_review(track: _Track) -> None:
    run = track.done(mine, _sure)
    assert "flags not reviewed yet: calls of the scripted baseline" in run.out
    assert "flag: calls of the scripted baseline that the agent makes in the same turn: 1.00" in (
        run.err
    )
    track.board.done("verify", "--strict", "--jobs", 1)
    path = track.folder / "agent" / "entry.toml"
    review = "date = 2026-01-01\nreviewer = 'Me'\nflag = 'baseline_calls'\nreason = 'a test'\n"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n[[review]]\n{review}", encoding="utf-8")
    [[row]] = track_tables("live", read_entries(track.folder))
    assert row.rank == 1
    assert any(m.note.endswith("reviewed by Me on 2026-01-01: a test") for m in row.marks)


def test_the_baseline_itself_raises_no_sign(track: _Track) -> None:
    assert "flag" not in track(name="Baseline").err
    [[row]] = track_tables("live", read_entries(track.folder))
    assert (row.rank, raised_flags(row)) == (1, [])


def test_calls_of_the_baseline_are_counted_turn_by_turn(track: _Track) -> None:
    counts = []

    def some(lines: Lines) -> None:
        for trial in lines:
            turns = [turn for line in trial for turn in line["turns"] if "calls" in turn]
            counts.append(sum(len(turn["calls"]) for turn in turns))
        for turn in turns:
            # The second trial calls nothing.
            del turn["calls"]
        for line in lines[0]:
            for one in (one for turn in line["turns"] for one in turn.get("calls", ())):
                # As the JSON of it, in capitals where tools return the same.
                if one["result"].get("count"):
                    one["arguments"] = json.dumps(one["arguments"]).replace("italian", "ITALIAN")
            for turn in line["turns"]:
                # Further calls count for nothing.
                calls = turn.get("calls", [])
                calls += [one for one in calls if one["name"].startswith("query")]

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
    config = RunConfig(world, list(world.tasks.tasks)[:tasks], agent, "agent", *users)
    found = baseline_calls(LiveRun(config, [play_dialogue(config, 1, id_) for id_ in config.tasks]))
    assert found == pytest.approx(share, abs=0.01)
    assert found < declared_flags()["baseline_calls"].limit


def test_a_trial_of_one_entry_is_none_of_another(track: _Track) -> None:
    first, second = track.files(mine)
    options = ["--track", "live", "--benchmark", "sample", "--name"]
    track.board.done("submit", first, *options, "One")
    told = track.board.refused("submit", first, "--seeds", second, *options, "Both")
    assert "both: has the predictions of one; enter a system once" in told
    # An entry itself may be played again, with more trials.
    again = [*options, "One", "--replace"]
    track.board.done("submit", first, "--seeds", second, *again)
    run = track.board("submit", first, *options, "First")
    assert "first: has the predictions of one; enter a system once" in run.err


# --------------------------------------------------------------------------- what is verified


@pytest.mark.parametrize("edits", [(), (mine,), (mine, model_user)])
def test_an_entry_verifies_by_playing_again(track: _Track, edits: tuple[Edit, ...]) -> None:
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


def test_another_seed_or_number_of_trials_comes_out_differently(track: _Track) -> None:
    track()
    path = track.folder / "agent" / "entry.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("seed = 0", "seed = 7"), encoding="utf-8")
    run = track.board.failed("verify", "--jobs", 1)
    assert "different seed: 0 and 7" in run.out
    assert "the predictions are not those that were scored" in run.out


def test_an_edited_file_of_an_entry_is_told(track: _Track) -> None:
    track(mine)
    path = track.folder / "agent" / PREDICTIONS_FILE
    text = gzip.decompress(path.read_bytes()).replace(b'"count": 0', b'"count": 3', 1)
    path.write_bytes(gzip.compress(text))
    run = track.board.failed("verify", "--strict", "--jobs", 1)
    assert "its scores are of other predictions" in run.out
    assert "recorded dialogues must not be edited" in run.out


def _forged_whole(content: Any) -> None:
    content["result"]["marks"]["solved"] = ["1" * TASKS] * TRIALS
    content["result"]["figures"]["solved"] = 100.0
    for one in content["result"]["passes"]:
        one["value"] = one["high"] = one["low"] = 100.0


def test_a_forgery_without_contradictions_is_found_by_verifying(track: _Track) -> None:
    track(mine, silent, model_user)
    sound = (track.folder / "agent" / SCORES_FILE).read_bytes()
    change_scores(track.folder / "agent", _forged_whole)
    assert entry_problems(read_entries(track.folder)) == []
    run = track.board.failed("verify", "--jobs", 1)
    assert "passes[0].value" in run.out
    change_scores(track.folder / "agent", lambda c: c["result"].update(agent="gpt-x"))
    assert re.search(r"result +agent +'gpt-x' +'mine'", track.board("verify", "--jobs", 1).out)
    track.board.done("leaderboard", "--rescore", "--jobs", 1)
    assert (track.folder / "agent" / SCORES_FILE).read_bytes() == sound


# ------------------------------------------------------------------------------ other commands


def test_score_shows_the_trials_of_a_play_together(track: _Track) -> None:
    files = track.files(mine, silent, model_user)
    run = track.run.done("score", *files)
    assert "mine with gpt" in run.out
    shown = dict(line.rsplit(None, 3)[:2] for line in run.out.splitlines() if line.startswith("pa"))
    assert shown == {"pass^1": "66.7", "pass^2": "66.7"}
    assert "Books" in run.out
    figures = track.run.json("score", *files)
    assert figures["solved"] == pytest.approx(100 * 20 / 30)
    assert "grounded" in track.run("score", files[0], "--free-running").out
    told = track.run.refused("score", *files, "--intervals")
    assert "--intervals is not for files of `mwz play`" in told


def test_check_plays_a_file_again(track: _Track) -> None:
    [first, _] = track.files(mine)
    run = track.run.done("check", first)
    assert "30, confirmed by replay" in run.out
    [first, _] = track.files(mine, lambda lines: lines[0].pop())
    run = track.run("check", first)
    assert (run.status, "29 of 30 tasks played" in run.out) == (1, True)
    [first, _] = track.files(mine, _result)
    assert track.run("check", first).status == 2


def test_compare_tests_which_tasks_are_solved(track: _Track) -> None:
    [one, _] = track.files(mine, model_user, prefix="one")
    [other, _] = track.files(mine, model_user, silent, prefix="other")
    [pair] = track.run.json("compare", one, other)["pairs"]
    # Ten tasks are solved by the first alone: McNemar's exact p is twice one half to the tenth.
    assert (pair["solved"]["only_a"], pair["solved"]["only_b"]) == (10, 0)
    assert pair["solved"]["p"] == pytest.approx(2 / 2**10)
    assert pair["solved"]["difference"] == pytest.approx(-100 * 10 / 30)
    assert track.run("compare", one, other, "--metrics", "bleu").status == 2


def test_the_name_of_an_entry_stands_for_its_plays(
    track: _Track, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    told = track.run.refused("score", "agent", "--free-running", "--benchmark", "sample")
    assert "has live dialogues, which this command does not read" in told


def test_pass_k_is_compared_whatever_the_number_of_trials() -> None:
    world = World.of("sample")
    two, four = (play_scripts(world, trials, 0) for trials in (2, 4))
    # Every task is solved in three trials of four: C(3, 2) of C(4, 2) pairs of trials.
    lines = [
        {**one, "outcome": {**one["outcome"], "solved": one["trial"] != 3}} for one in four.lines
    ]
    plays = {"two": two, "four": replace(four, lines=lines)}
    first, other = (one.evidence(name, [2, 4]) for name, one in plays.items())
    differences = compare(first, [other]).pairs[0].differences
    assert [differences[key].difference for key in ("solved", "pass^2")] == [-25, -50]
    assert differences["pass^2"].significant
    figures = plays["four"].figures["pass"]
    assert figures["2"]["value"] == other.scores["pass^2"] == 50


def test_a_paper_has_a_row_for_each_agent(track: _Track) -> None:
    quiet = track.files(_agent("quiet"), model_user, silent, prefix="quiet")
    first, second = track.files(mine, model_user, prefix="loud")
    named = ("--name", f"Quiet={quiet[0]}", quiet[1], "--baseline", first)
    table = track.run.done("table", *named, "--benchmark", "sample").out
    # 20 of 30 tasks against 30 of 30: McNemar's test of 10 and 0, p = 2 / 2^10.
    assert re.search(r"Quiet & 66.7 \{\[\}[^&]+\*", table)
    assert "30 tasks, trials per task: loud.1.jsonl 1, Quiet 2, with 95" in table
    for words in ("McNemar", r"\cite{yao-etal-2024}", "@misc{yao-etal-2024", "fewest trials"):
        assert words in table
    # Wilson's interval of 20 in 30: (20 + z²/2 ± z √(20 · 10 / 30 + z²/4)) / (30 + z²), z = 1.96.
    csv_ = track.run.done("table", *named, "--benchmark", "sample", "--format", "csv").out
    _, row = csv.DictReader(csv_.splitlines())
    ends = [round(float(row[f"solved_{end}"]), 1) for end in ("low", "high")]
    assert (ends, float(row["solved_p"]) < 0.05) == ([48.8, 80.8], True)
    split = ("--name", f"A={first}", "--name", f"B={second}", "--benchmark", "sample")
    assert "a row of plays is the trials of one agent" in track.run.refused("table", *split)
    told = track.run.refused("table", *quiet, "--rules", "next", "--benchmark", "sample")
    assert "--rules is not for files of `mwz play`" in told
