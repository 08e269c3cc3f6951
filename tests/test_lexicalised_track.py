"""The track of systems in plain English: what it takes, makes, ranks, verifies and refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from entered import (
    REPOSITORY,
    all_scores,
    change_scores,
    enter,
    enter_sample,
    leaderboard,
    made_system,
    reports,
    sample_content,
    shown_columns,
    submit_alone,
    system,
    track_tables,
    write_scores,
)
from helpers import Cli, parse_submission, table_rows
from lexicaliser import lexicalised_predictions
from plain_english import TOLD

from mwz.harness import Benchmark
from mwz.harness.board import Entry, Scores, System, read_entries
from mwz.harness.board.entries import ENTRY_FILE, read_entry
from mwz.harness.board.model import rows
from mwz.harness.board.rows import bound_note, is_human
from mwz.harness.board.systems import PREDICTIONS_FILE
from mwz.harness.data import load_benchmark
from mwz.harness.data.installed import install_benchmark
from mwz.harness.errors import InputError
from mwz.harness.grounding import told_shares
from mwz.harness.grounding.scores import GroundedScores
from mwz.harness.scoring import Scorer
from mwz.harness.submission import EMPTY_STATES, HUMAN
from mwz.normalization import published_rule_sets

HUMANS = {"name": "Human responses", "track": "lexicalised", "predictions": {"made": "human"}}
EMPTY, CONSTANT = {"made": EMPTY_STATES}, {"made": "constant"}


def _rows(entries: Sequence[Entry]) -> list[Any]:
    """Return the rows of the systems in plain English."""
    return next(iter(track_tables("lexicalised", entries)), [])


@cache
def _sample() -> Benchmark:
    return load_benchmark("sample")


@cache
def _plain(seed: int = 5) -> bytes:
    """Return the submission careful in plain English."""
    submission = parse_submission(json.loads(sample_content("careful")), _sample(), "careful")
    written = lexicalised_predictions(submission, Scorer(_sample()), seed)
    return json.dumps(written).encode()


@cache
def _silent() -> bytes:
    """Return outputs that tell nothing."""
    turns = {id_: [{"response": "Hello."}] * d.turns for id_, d in _sample().dialogues.items()}
    return json.dumps(turns).encode()


@cache
def _scores(content: bytes | str) -> Scores:
    return all_scores(content, _sample(), "plain", "lexicalised")


def _by_hand(folder: Path, content: dict[str, Any], scores: Scores | None = None) -> Path:
    place = folder / content["name"].lower().replace(" ", "-")
    place.mkdir(parents=True)
    (place / ENTRY_FILE).write_text(tomli_w.dumps(content), encoding="utf-8")
    if scores is not None:
        write_scores(place, scores)
    return place


def _facts(name: str) -> System:
    return made_system(name, track="lexicalised")


def _cut(content: bytes, keep: int) -> bytes:
    dialogues = list(json.loads(content).items())
    return json.dumps(dict(dialogues[:keep])).encode()


# Making entries by the harness itself.


def test_made_entries_are_scored_and_verified_without_a_file(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "submissions"
    enter_sample(folder, "careful")
    human = _by_hand(folder, HUMANS)
    places = ("--submissions", folder, "--benchmark", "sample")
    cli.done("leaderboard", "--rescore", *places)
    assert not (human / PREDICTIONS_FILE).exists()
    entry = read_entry(human)
    assert entry.problems == ()
    assert set(entry.scores.reports) == set(published_rule_sets())
    assert entry.scores.main.metrics["grounded"].success["total"] == 100.0
    assert cli.done("verify", *places).out.endswith("2 of 2 entries hold\n")
    # What anybody changes is found by making them again.

    def forge(content: Any) -> None:
        content["reports"]["2021"]["grounded"]["success"].update(total=99.0)

    change_scores(human, forge)
    run = cli.failed("verify", *places)
    assert "grounded.success.total" in run.out
    assert "1 of 2 entries hold" in run.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({**HUMANS, "track": "reference"}, "plain English; the track is lexicalised"),
        ({**HUMANS, "track": "end-to-end"}, "plain English; the track is lexicalised"),
        ({**HUMANS, "predictions": {"made": "mwz22"}}, "its predictions are delexicalised resp"),
        ({**HUMANS, "predictions": {"made": "human", "seed": 1}}, "`seed` goes with"),
        ({**HUMANS, "predictions": {"made": "human", "played": "baseline"}}, "give either `file`"),
        (system(track="reference", predictions=EMPTY), "states only; the track is state-tracking"),
        (system(track="end-to-end", predictions=EMPTY), "states only; the track is state-tracking"),
        (system(track="state-tracking", predictions=CONSTANT), "predictions are delexicalised r"),
    ],
)
def test_wrong_tracks_are_refused(tmp_path: Path, content: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_entry(_by_hand(tmp_path, content))


# Submitting.


@pytest.mark.usefixtures("flags_reviewed")
def test_a_system_is_ranked_by_what_its_text_says(tmp_path: Path, cli: Cli) -> None:
    folder, file = tmp_path / "submissions", tmp_path / "plain.json"
    enter_sample(folder)
    _by_hand(folder, HUMANS, _scores(HUMAN))
    file.write_bytes(_plain())
    arguments = ("--track", "lexicalised", "--submissions", folder, "--benchmark", "sample")
    run = cli.done("submit", file, "--name", "Talker", *arguments)
    assert "rank 1 of 1" in run.out
    # Not a word of hardly any placeholders: that is what the track is for.
    assert "placeholders" not in run.err
    page = (tmp_path / "leaderboard.md").read_text(encoding="utf-8")
    assert table_rows(page.partition("## Plain English")[2])[-1][:2] == ["1", "Talker"]
    cli.done("leaderboard", "--check", "--submissions", folder)
    message = cli.refused("submit", file, "--name", "Talker", *arguments, "--reported", "bleu=1")
    assert "--reported is not for the track lexicalised; leave it out" in message
    message = cli.refused("submit", file, "--name", "Human responses", *arguments, "--replace")
    assert "is made by the harness and cannot be replaced" in message


def test_scores_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    delexicalised = all_scores(_plain(), _sample(), "plain")
    folder = tmp_path / "one"
    with pytest.raises(InputError, match="it was scored as delexicalised"):
        submit_alone(folder, _facts("talker"), _plain(), delexicalised)
    facts = made_system("talker", track="end-to-end")
    with pytest.raises(InputError, match="it was scored as plain English"):
        submit_alone(folder, facts, _plain(), _scores(_plain()))
    assert not folder.exists()


# The table.


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with the human responses, two systems and two in part; to be read only."""
    folder = tmp_path_factory.mktemp("board") / "submissions"
    enter_sample(folder)
    _by_hand(folder, HUMANS, _scores(HUMAN))
    for name, content in {
        "silent": _silent(),
        "talker": _plain(),
        "some": _cut(_plain(), 20),
        "most": _cut(_plain(6), 29),
    }.items():
        submit_alone(folder, _facts(name), content, _scores(content))
    return folder


@pytest.mark.usefixtures("flags_reviewed")
def test_the_ceiling_comes_first_then_success_decides(entered: Path) -> None:
    found = _rows(read_entries(entered))
    assert is_human(found[0].entry)
    assert found[0].figures["grounded.success"].number == 100.0
    # Equal rows share a place.
    assert [row.rank for row in found] == [None, 1, 1, 3, None]
    assert {row.name for row in found[1:3]} == {"talker", "most"}
    assert [row.name for row in found[3:]] == ["silent", "some"]
    ranked = [row.ranking_key for row in found if row.rank is not None]
    assert ranked == sorted(ranked, reverse=True)
    # 20 of 30 dialogues: no rank.
    assert found[-1].reasons[0] == "submits less than 90 % of the turns"


def test_missing_dialogues_count_against_an_incomplete_system(tmp_path: Path) -> None:
    def grounded(inform: float, success: float) -> GroundedScores:
        # "Any" is more, and ranks nobody.
        totals = ({"total": 99.0}, {"total": inform}, {"total": 98.0}, {"total": success})
        return GroundedScores(*totals, told_shares({"told": 0}), None)

    # 90 of 100 dialogues: Success 60 % of them is 54 % of all, Inform 70 % is 63 %.
    facts = system(name="Most", track="lexicalised")
    rates = {"inform": 70.0, "success": 60.0}
    most = reports(turns=540, dialogues=90, optimistic=rates, grounded=grounded(70.0, 60.0))
    entries = [enter(tmp_path, "most", facts, most)]
    facts = system(name="Whole", track="lexicalised")
    entries.append(enter(tmp_path, "whole", facts, reports(grounded=grounded(60.0, 55.0))))
    found = _rows(entries)
    assert [(row.rank, row.name) for row in found] == [(1, "Whole"), (2, "Most")]
    assert found[0].ranking_key == (55.0, 60.0)
    assert found[1].ranking_key == pytest.approx((54.0, 63.0))
    [note] = (mark.note for mark in found[1].marks)
    assert note.startswith("Success ≥ 54.0, Inform ≥ 63.0 over all 100 dialogues (missing ")
    assert note.endswith("; 60.0 and 70.0 on the 90 submitted")
    columns = shown_columns("lexicalised", [])
    by_title = {column.title: column.value(found[1]).text for column in columns}
    assert (by_title["Success, all"], by_title["Inform, all"]) == ("≥ 54.0", "≥ 63.0")


@pytest.mark.usefixtures("flags_reviewed")
def test_bleu_stands_marked_and_never_beside_that_of_other_tracks(entered: Path) -> None:
    entries = read_entries(entered)
    shown_tracks = {row.entry.system.track for row in rows(entries, "2021")}
    assert shown_tracks == {"end-to-end", "policy-optimization"}
    page = leaderboard(entries, "2021")
    for title, part in _sections(page).items():
        shown = any(f"| {name} " in part for name in ("talker", "silent", "most"))
        # States stand in the tables of state tracking, whatever the responses are.
        assert shown == (title in ("Plain English", "State tracking")), title
    assert "| BLEU † |" in " ".join(_sections(page)["Plain English"].split())
    assert page.count("|lexicalised:lex1-") == 1


def _sections(page: str) -> dict[str, str]:
    parts = page.split("\n## ")[1:]
    return {part.partition("\n")[0]: part for part in parts}


def test_entries_in_plain_english_are_compared_as_such(
    entered: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(entered.parent)
    given = ("--benchmark", "sample", "--metrics", "grounded")
    systems = ("human-responses", "talker")
    compared = cli.json("compare", *systems, *given)
    human, talker = (
        system["scores"]["grounded.success"]["value"] for system in compared["systems"]
    )
    assert human == 100.0
    assert talker == _scores(_plain()).main.metrics["grounded"].success["total"]
    assert "--lexicalised" in cli.refused("compare", "human-responses", "careful", *given)


def test_free_running_dialogues_are_ranked_if_complete(tmp_path: Path, cli: Cli) -> None:
    turns = {}
    for id_, texts in TOLD.items():
        turns[id_] = [{"response": text} for text in (*texts, "Bye!")]
    file, board = tmp_path / "walker.json", tmp_path / "submissions"
    file.write_text(json.dumps(turns))
    about = ("--name", "Walker", "--benchmark", "sample", "--submissions", board, "--free-running")
    message = cli.refused("submit", file, *about, "--track", "end-to-end")
    assert "--free-running is not for the track end-to-end" in message
    cli.done("submit", file, *about, "--track", "lexicalised")
    [row] = _rows(read_entries(board))
    assert row.figures["grounded.success_all"].number == 100.0
    # Three of the 30 dialogues, of a turn more than the benchmark's.
    assert (row.figures["coverage"].number, row.rank) == (10.0, None)
    assert row.reasons[0] == "submits less than 90 % of the turns"
    assert bound_note(row) == "its figures are on the 3 of 30 dialogues submitted"
    run = cli("verify", "--submissions", board, "--benchmark", "sample")
    assert run.out.endswith("1 of 1 entries hold\n")
    # Dialogues on the goals of another benchmark stand in the same table.
    install_benchmark(replace(_sample(), name="town"))
    about = ("--name", "Runner", "--benchmark", "town", *about[4:])
    turns.pop(next(iter(turns)))
    file.write_text(json.dumps(turns))
    cli.done("submit", file, *about, "--track", "lexicalised")
    assert {row.signature.benchmark for row in _rows(read_entries(board))} == {"sample", "town"}


# The entries of this repository.


def test_the_human_responses_lead_the_repositorys_table() -> None:
    entries = read_entries(REPOSITORY)
    ceiling, *others = _rows(entries)
    assert (is_human(ceiling.entry), ceiling.name) == (True, "Human responses")
    # docs/lexicalised.md
    scores = ceiling.figures
    names = ("inform", "inform_all", "success", "success_all", "success_requested")
    figures = [scores[f"grounded.{name}"].number for name in names]
    assert figures == pytest.approx([97.2, 96.7, 94.5, 94.0, 82.3], abs=0.05)
    shares = (scores["grounded.in_database"].number, scores["grounded.of_named_venue"].number)
    assert shares == pytest.approx((99.4, 91.0), abs=0.05)
    # It plays 100 of 1000 dialogues, each to its end.
    free = next(row for row in others if row.name == "AutoTOD")
    assert (free.figures["coverage"].number, free.rank) == (10.0, None)
