"""Predicted states against gold states of further versions: figures, what is kept, the board."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from entered import (
    REPOSITORY,
    change_scores,
    enter,
    enter_tracker,
    leaderboard,
    report,
    shown_columns,
    system,
    track_tables,
    tracker_scores,
)
from helpers import CAREFUL, Cli, benchmark, dialogue, goal, write_json
from tracking_cases import FGA_FIGURE_1, tracked

from mwz.harness import Benchmark
from mwz.harness.board import Entry, Reading, Scores, read_entries
from mwz.harness.board.entries import ENTRY_FILE, read_entry
from mwz.harness.board.entry_scores import score_entry
from mwz.harness.board.reported import ReportedRow, ReportedTable
from mwz.harness.board.rows import bound_note, figure_of, shown_rank
from mwz.harness.board.scores import hashes_of, parse_scores, scores_text
from mwz.harness.board.state_tracking import read_states
from mwz.harness.board.tracked import FurtherGold, submission_against, tracker_against
from mwz.harness.board.verdicts import record
from mwz.harness.cli import main
from mwz.harness.data import DataSet, declared, load_benchmark, load_gold_states
from mwz.harness.data.gold_states import gold_states_path, install_gold_states
from mwz.harness.metrics import GoldStates, parse_tracking_file, score_tracking
from mwz.harness.scoring import Coverage, Scorer
from mwz.harness.submission import EMPTY_STATES, NormalizedSubmission
from mwz.harness.submission.model import NormalizedDialogue

AREA = {"hotel": {"area": "north"}}
STARS = {"hotel": {"area": "north", "stars": "4"}}
ANY_STARS = {"hotel": {"area": "north", "stars": "dontcare"}}

GOLD = GoldStates("1.1", "tiny", {"d1": [AREA, ANY_STARS]})
"""It lacks the second dialogue, and has a `dontcare`."""


def tiny() -> Benchmark:
    played = dialogue({"hotel": goal()}, 2, states=[AREA, STARS])
    return benchmark({"d1": played, "d2": played})


def said(*states: Any) -> NormalizedDialogue:
    none = ((),) * len(states)
    return NormalizedDialogue(none, states, none, none, none, none)


def submission(second: Any = AREA) -> NormalizedSubmission:
    return NormalizedSubmission({"d1": said(AREA, second), "d2": said(AREA, STARS)}, False)


# ------------------------------------------------------------------------------ figures


def test_a_submission_is_scored_with_dontcare_and_without_on_what_the_gold_states_have() -> None:
    found = submission_against(submission(), tiny(), [GOLD])
    keep, drop = found["1.1"]["keep"], found["1.1"]["drop"]
    # Of the first dialogue's two turns the second lacks the `dontcare`.
    assert (keep.jga, drop.jga) == (50, 100)
    # Two values found of three in gold, none too many: 2 * 2 / (2 + 3).
    assert keep.result.figures["F1"] == pytest.approx(80)
    for scores in (keep, drop):
        assert scores.coverage == Coverage(dialogues=1, of=2, turns=2, of_turns=4)
        assert (scores.gold_digest, scores.version) == (GOLD.digest, "1.1")
        # Only the figures of all turns are kept.
        assert (scores.result.per_domain, scores.result.positions) == ({}, ())
    assert drop.signature.parameters["dontcare"] == "drop"


def test_what_predicts_no_states_or_plays_none_of_the_dialogues_is_not_scored() -> None:
    assert submission_against(submission(None), tiny(), [GOLD]) == {}
    other = NormalizedSubmission({"d2": said(AREA, STARS)}, False)
    assert submission_against(other, tiny(), [GOLD]) == {}


def own_gold(id_: str, *predicted: Any) -> Any:
    return {id_: [{"gt": AREA, "pr": state} for state in predicted]}


def test_a_tracker_with_gold_states_of_its_own_is_scored_where_its_turns_fit() -> None:
    found = tracker_against(own_gold("D1.json", AREA, ANY_STARS), "x.json", tiny(), [GOLD])
    assert (found["1.1"]["keep"].jga, found["1.1"]["drop"].jga) == (100, 100)
    short = tracker_against(own_gold("d1", AREA), "x.json", tiny(), [GOLD])
    coverage = short["1.1"]["keep"].coverage
    assert (coverage.turns, coverage.complete) == (1, False)
    unfit = own_gold("d9", AREA, AREA)
    assert tracker_against(unfit, "x.json", tiny(), [GOLD]) == {}


def test_the_empty_tracker_is_right_where_gold_is_empty() -> None:
    made = tracker_scores(EMPTY_STATES, "made", tiny())
    scores = made.result
    # One and two slots of thirty are missed, twice over: 100 - 100 * 1.5 / 30.
    assert scores.result.metrics["SA"] == pytest.approx(95)
    assert (scores.jga, made.predictions) == (0, None)
    assert (scores.gold, scores.coverage.turns) == ("benchmark", 4)


# ------------------------------------------------------------------------------- stored


def scored(further: FurtherGold) -> bytes:
    reports = {"2021": report()}
    return scores_text(Scores(reports, hashes_of(b"x"), further_gold=further)).encode()


def further() -> FurtherGold:
    return submission_against(submission(), tiny(), [GOLD])


def test_what_is_stored_reads_back() -> None:
    read = parse_scores(scored(further()), "scores.json", "end-to-end")
    assert read.further_gold == further()
    assert parse_scores(scored({}), "scores.json", "end-to-end").further_gold == {}
    assert b"further_gold" not in scored({})


# -------------------------------------------------------------------------------- board


def _jga(further: FurtherGold, jga: float, turns: int = 570) -> FurtherGold:
    """Return scores on all turns of the made-up benchmark, with a JGA, 5 more without dontcare."""
    scores = {}
    for choice, value in (("keep", jga), ("drop", jga + 5)):
        stored = further["1.1"][choice]
        result = replace(stored.result, metrics={**stored.result.metrics, "JGA": value})
        coverage = replace(stored.coverage, turns=turns, of_turns=600)
        scores[choice] = replace(stored, result=result, coverage=coverage)
    return {"1.1": scores}


def _systems(folder: Path, figures: Mapping[str, tuple[float, float | None]]) -> list[Entry]:
    """Enter systems by name, with their JGA against the benchmark's own gold states and others."""
    entries = []
    for name, (own, other) in figures.items():
        states = replace(score_tracking([tracked(*FGA_FIGURE_1)]), turns=600)
        states = replace(states, metrics={**states.metrics, "JGA": own})
        entry = enter(folder, name, system(name=name), {"2021": report(dst=states)}, name.encode())
        if other is not None:
            scores = replace(entry.scores, further_gold=_jga(further(), other))
            entry = replace(entry, scores=scores)
        entries.append(entry)
    return entries


def _texts(table: list[Any]) -> list[dict[str, str]]:
    """Return the rows of a table as they are shown, by the titles of the columns."""
    shown = shown_columns("state-tracking", table)
    return [
        {"#": shown_rank(row), "System": row.name}
        | {column.full_title: column.value(row).text for column in shown}
        for row in table
    ]


@pytest.mark.usefixtures("flags_reviewed")
def test_a_version_has_a_table_that_says_what_it_changes(tmp_path: Path) -> None:
    figures = {"a": (50.0, 20.0), "b": (40.0, 45.5), "c": (30.0, 30.0), "old": (45.0, None)}
    own, other = track_tables("state-tracking", _systems(tmp_path, figures))
    assert [(row.key, row.rank) for row in own] == [("a", 1), ("old", 2), ("b", 3), ("c", 4)]
    shown = _texts(other)
    titles = ("#", "System", "JGA 1.1", "without dontcare", "JGA of the benchmark", "Difference")
    # `old` has no place here, and so takes none from those that do: b was second of three.
    assert [[row[title] for title in (*titles, "Places gained", "Turns")] for row in shown] == [
        ["1", "b", "45.50", "50.50", "40.00", "+5.50", "+1", "570"],
        ["2", "c", "30.00", "35.00", "30.00", "0.00", "+1", "570"],
        ["3", "a", "20.00", "25.00", "50.00", "-30.00", "-2", "570"],
    ]


@pytest.mark.usefixtures("flags_reviewed")
def test_turns_without_gold_count_for_nobody(tmp_path: Path) -> None:
    # The version has 570 of 600 turns. One system plays 540, of which it has 513.
    states = replace(score_tracking([tracked(*FGA_FIGURE_1)]), turns=540)
    states = replace(states, metrics={**states.metrics, "JGA": 40.0})
    rates = {"inform": 80.0, "success": 60.0}
    played = report(dst=states, turns=540, dialogues=90, strict=rates, optimistic=rates)
    entry = enter(tmp_path, "part", system(name="part"), {"2021": played}, b"part")
    stored = _jga(further(), 40.0, turns=513)
    part = replace(entry, scores=replace(entry.scores, further_gold=stored))
    own, other = track_tables(
        "state-tracking", [*_systems(tmp_path, {"whole": (50.0, 20.0)}), part]
    )
    # 40 * 540 / 600.
    accuracies = [(row["System"], row["JGA"]) for row in _texts(own)]
    assert accuracies == [("whole", "50.00"), ("part", "≥ 36.00")]
    titles = ("System", "JGA 1.1", "without dontcare", "Difference")
    assert [[row[title] for title in titles] for row in _texts(other)] == [
        ["part", "≥ 36.00", "≥ 40.50", "0.00"],  # 40 * 513 / 570, and 45 * 513 / 570
        ["whole", "20.00", "25.00", "-30.00"],
    ]
    bounds = {row.key: bound_note(row) for row in other}
    assert bounds["whole"] == ""
    assert bounds["part"].endswith("; 40.00 on the 513 submitted")


@pytest.mark.usefixtures("flags_reviewed")
def test_versions_have_one_table_for_all_trackers(tmp_path: Path) -> None:
    content = json.dumps({"d1": [AREA, STARS]}).encode()
    reading = Reading(scorer=Scorer(tiny()), gold=GOLD.version, gold_states=GOLD)
    scores = score_entry(read_states(content, "x.json", reading), [GOLD])
    tracker = enter_tracker(tmp_path, "tracker", content, scores)
    assert tracker.scores == scores
    *_, [first, second] = track_tables(
        "state-tracking", [*_systems(tmp_path, {"a": (50.0, 60.0)}), tracker]
    )
    # Only half of the turns: no rank. Without `dontcare` the 4 stars are one too many.
    assert (first.key, first.rank, second.rank) == ("a", 1, None)
    assert second.figures["JGA"].number == 50
    assert (second.further, second.figures["JGA.benchmark"].number) == (False, None)
    assert second.figures["JGA.without_dontcare"].number == 50
    assert list(_texts([first, second])[1].values())[2:7] == ["50.00", "50.00", "–", "–", "–"]


def test_under_another_rule_set_the_page_has_no_figures_of_the_default_one(tmp_path: Path) -> None:
    [entry] = _systems(tmp_path, {"a": (50.0, 60.0)})
    under = replace(entry.scores.main, signature=report("2023").signature)
    scored = replace(entry, scores=replace(entry.scores, reports={"2023": under}))
    assert len(track_tables("state-tracking", [scored], "2023")) == 1


def test_printed_joint_accuracies_are_held_against_those_of_their_version(tmp_path: Path) -> None:
    [entry] = _systems(tmp_path, {"a": (50.0, 60.0)})
    columns = ("1.1 joint accuracy", "1.0 joint accuracy", "hotel JGA")

    def audited(printed: str, column: str = columns[0]) -> tuple[Any, ...]:
        row = ReportedRow("A", {column: printed}, entry="a")
        place = ("state-tracking", "authors", "x/y", "0" * 40, "README.md", columns, (row,))
        figures = record([entry], [ReportedTable("t", "Printed", *place)])
        return tuple(
            (figure.setup, figure.title, figure.scored, figure.verdict) for figure in figures
        )

    assert audited("60.0") == (("gold states 1.1", "JGA", 60.0, "matches the paper"),)
    dropped = "matches the paper under --dontcare drop"
    assert audited("65") == (("gold states 1.1", "JGA", 60.0, dropped),)
    assert audited("61.0") == (("gold states 1.1", "JGA", 60.0, "does not match"),)
    assert audited("60.0", columns[1]) == (("gold states 1.0", "JGA", None, "not scored"),)
    # Of no version, and of a domain only.
    assert audited("60.0", columns[2]) == ()


# ------------------------------------------------------------- scoring again, and verifying


@pytest.fixture
def declares(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Declares versions of the sample's gold states."""

    def declare(*further: str) -> None:
        made = DataSet("sample", "", "", "", (), "1.0", further)
        monkeypatch.setattr(declared, "declared_names", lambda: ["sample"])
        monkeypatch.setattr(declared, "read_data_set", lambda name: made)

    return declare


def _install(version: str = "1.1", left_out: int = 1) -> GoldStates:
    """Install the sample's own states as those of a version that lacks a dialogue."""
    dialogues = list(load_benchmark("sample").dialogues.items())[left_out:]
    gold = GoldStates(version, "sample", {id_: dialogue_.states for id_, dialogue_ in dialogues})
    install_gold_states(gold)
    return gold


class _Board:
    """A folder with submissions to the sample, and commands on it."""

    def __init__(self, folder: Path, cli: Cli) -> None:
        self.folder = folder
        self.run = cli.of(last=("--submissions", folder))
        self.rescore = self.run.of("leaderboard", "--rescore", "--jobs", 1)
        self.verify = self.run.of("verify", "--jobs", 1)

    def further(self, name: str = "careful") -> FurtherGold:
        return read_entry(self.folder / name).scores.further_gold


@pytest.fixture(scope="module")
def original(sample_entries: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Returns the sample's systems, scored against its version 1.1. Nobody changes them."""

    @cache
    def make() -> Path:
        folder = Path(shutil.copytree(sample_entries, tmp_path_factory.mktemp("base") / "entries"))
        with pytest.raises(SystemExit, match="0"):
            main(["leaderboard", "--rescore", "--jobs", "1", "--submissions", str(folder)])
        return folder

    return make


@pytest.fixture
def board(
    original: Callable[[], Path], tmp_path: Path, cli: Cli, declares: Callable[..., None]
) -> _Board:
    """A copy of the board, whose version 1.1 is installed."""
    declares("1.1")
    _install()
    shutil.copytree(original().parent, tmp_path / "base")
    return _Board(tmp_path / "base" / "entries", cli)


def test_scoring_again_adds_the_versions_that_are_installed(board: _Board) -> None:
    careful, gold = board.further(), load_gold_states("1.1", load_benchmark("sample"))
    assert careful["1.1"]["keep"].gold_digest == gold.digest
    assert careful["1.1"]["keep"].coverage.dialogues == 29
    # It predicts no states.
    assert board.further("scripted") == {}
    assert "unchanged" in board.rescore().out
    board.verify.done("--strict")
    page = (board.folder.parent / "docs" / "board-tables.md").read_text(encoding="utf-8")
    assert "sample, version 1.0" in page
    assert "sample, version 1.1" in page
    assert "| JGA 1.0 |" in " ".join(page.replace("|   ", "| ").split())


def test_a_version_needs_only_a_declaration(board: _Board, declares: Callable[..., None]) -> None:
    declares("1.1", "1.2")
    _install("1.2", left_out=2)
    board.rescore.done()
    dialogues = {v: scores["keep"].coverage.dialogues for v, scores in board.further().items()}
    assert dialogues == {"1.1": 29, "1.2": 28}
    declares("1.2")
    [message] = [line for line in board.verify("careful").out.splitlines() if "1.1" in line]
    assert "further_gold.1.1: cannot be scored, or the board does not use it" in message
    board.rescore.done()
    assert list(board.further()) == ["1.2"]


def test_stored_figures_stay_where_gold_states_are_not_installed(board: _Board) -> None:
    before = board.further()
    gold_states_path("sample", "1.1").unlink()
    run = board.rescore.done()
    assert "of 2 entries kept as stored: its figures against gold states 1.1" in run.out
    assert board.further() == before
    run = board.verify.done()
    assert "careful: holds" in run.out
    assert "careful: not verified: its figures against gold states 1.1, which are not" in run.out
    assert "3 of 3 entries hold" in run.out
    board.verify.failed("--strict")
    board.verify.done("scripted", "--strict")


def _figure(version: str, choice: str, **to: Any) -> Callable[[Any], None]:
    return lambda content: content["further_gold"][version][choice]["result"]["metrics"].update(to)


def test_a_tracker_of_a_version_is_scored_on_the_benchmarks_states_too(
    board: _Board, tmp_path: Path
) -> None:
    content: dict[str, list[Any]] = {}
    for id_, played in load_benchmark("sample").dialogues.items():
        # Its own gold states are none of these. The tracker is right but in the first turn.
        content[id_] = [{"gt": STARS, "pr": state} for state in ({}, *played.states[1:])]
    path = write_json(tmp_path / "own.json", content)
    options = ("--track", "state-tracking", "--benchmark", "sample")
    board.run.done("submit", path, "--name", "Other", "--gold", "1.1", *options)
    other, own = read_entry(board.folder / "other").scores.tracked()
    assert (other.gold, other.version, other.coverage.of) == ("version", "1.1", 29)
    assert (own.gold, own.version, own.coverage.of) == ("benchmark", "1.0", 30)
    assert other.without_dontcare is not None
    careful = read_entry(board.folder / "careful").scores
    assert own.gold_digest == next(careful.tracked()).gold_digest
    board.verify.done("other", "--strict")
    board.run.refused("submit", path, "--name", "Third", "--gold", "1.2", *options)


def test_an_edited_figure_is_found_with_what_it_should_be(board: _Board) -> None:
    true = board.further()["1.1"]["drop"].jga
    change_scores(board.folder / "careful", _figure("1.1", "drop", JGA=99.0))
    run = board.verify.failed()
    [line] = [line for line in run.out.splitlines() if "drop.result.metrics.JGA" in line]
    assert line.startswith("further_gold.1.1.drop.result.metrics.JGA ")
    assert "99.0" in line
    assert repr(true) in line


def test_other_gold_states_under_the_same_name_are_found(board: _Board) -> None:
    _install(left_out=2)
    run = board.verify.failed("careful")
    assert "careful: further_gold.1.1: different gold states" in run.out


@pytest.mark.usefixtures("flags_reviewed")
def test_submitting_shows_the_figures_or_says_what_is_not_installed(board: _Board) -> None:
    options = ("--name", "careful", "--track", "end-to-end", "--benchmark", "sample", "--replace")
    run = board.run.done("submit", CAREFUL, *options)
    assert "version 1.1" in run.out
    assert board.further()["1.1"]["keep"].coverage.dialogues == 29
    gold_states_path("sample", "1.1").unlink()
    run = board.run.done("submit", CAREFUL, *options)
    assert "not scored against gold states 1.1, which are not installed" in run.err
    assert board.further() == {}
    # Then nothing is stored that could not be verified.
    board.verify.done("careful", "--strict")


def test_unfit_trackers_are_refused_on_submission(board: _Board, tmp_path: Path) -> None:
    path = write_json(tmp_path / "own.json", own_gold("d1", AREA))
    options = ("--name", "Own", "--track", "state-tracking", "--benchmark", "sample")
    run = board.run.done("submit", path, *options)
    assert "1.1: its dialogues and turns are not those of sample" in run.err


# -------------------------------------------------------------------- the empty tracker


def test_the_empty_tracker_is_made_scored_and_shown_without_a_rank(board: _Board) -> None:
    folder = board.folder / "empty-states"
    folder.mkdir()
    made = {"made": EMPTY_STATES}
    facts = system(name="Empty states", track="state-tracking", predictions=made)
    (folder / ENTRY_FILE).write_text(tomli_w.dumps(facts), encoding="utf-8")
    board.rescore.done()
    entry = read_entry(folder)
    assert entry.problems == ()
    assert entry.scores.further_gold["1.1"]["keep"].coverage.dialogues == 29
    tables = track_tables("state-tracking", read_entries(board.folder))
    rows = [row for table in tables for row in table if row.key == "empty-states"]
    assert [(row.rank, figure_of(row, "gained").number) for row in rows] == [(None, None)] * 2
    assert all(len(table) == 3 for table in tables)
    board.verify.done("--strict")
    assert leaderboard(read_entries(board.folder), "2021").count("Empty states") >= 2


# --------------------------------------------------------------------------- public data

# JGA against 2.2, against 2.4, and against 2.4 without `dontcare`.
PUBLISHED = {
    "ubar": (40.61, 40.39, 45.10),
    "mars": (43.67, 41.49, 46.70),
    "galaxy": (45.78, 52.88, 58.08),
    "krls": (48.53, 57.08, 61.88),
    "uniconv": (54.88, 37.77, 43.21),
}


@pytest.mark.parametrize("key", PUBLISHED)
def test_stored_figures_against_2_2_and_2_4(key: str) -> None:
    entry = read_entry(REPOSITORY / key)
    [own, further] = entry.scores.tracked()
    scores = (own, further, further.without_dontcare)
    assert tuple(round(score.jga, 2) for score in scores) == PUBLISHED[key]
    assert [score.coverage.turns for score in scores] == [7372, 7368, 7368]


@pytest.mark.real_data
def test_public_outputs_against_2_2_and_2_4(
    multiwoz: Benchmark, gold_24: GoldStates, predictions: Callable[[str], Mapping[str, Any]]
) -> None:
    read = predictions("ubar")
    file = parse_tracking_file(read, "ubar", lambda: multiwoz)
    own = score_tracking(file.dialogues).metrics["JGA"]
    against = tracker_against(read, "ubar", multiwoz, [gold_24])["2.4"]
    accuracies = (own, against["keep"].jga, against["drop"].jga)
    assert tuple(round(accuracy, 2) for accuracy in accuracies) == PUBLISHED["ubar"]


@pytest.mark.real_data
def test_the_empty_trackers_slot_accuracy(multiwoz: Benchmark, gold_24: GoldStates) -> None:
    assert "pmul1455" not in gold_24.states
    own, other = (
        tracker_scores(EMPTY_STATES, "made", multiwoz, **options).result
        for options in ({}, {"gold": "2.4", "gold_states": gold_24})
    )
    assert round(own.result.figures["SA"], 2) == 81.46
    assert round(other.result.figures["SA"], 2) == 80.78
