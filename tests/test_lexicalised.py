"""Responses in plain English on the command line: scored, delexicalised, lexicalised, free-running.

The dialogues are three of the sample; which venue, number and address fits is told in
test_grounding.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, benchmark, dialogue, goal, write_json
from plain_english import TOLD

from mwz.harness import Benchmark, InputError
from mwz.harness.benchmark import Goal
from mwz.harness.data import chosen_goals, load_benchmark
from mwz.harness.scoring import (
    Options,
    Scorer,
    normalize,
    read_report,
    report_on,
)
from mwz.harness.scoring.options import lexicalised_parameter
from mwz.harness.scoring.scorer import score
from mwz.harness.submission import HUMAN, human_submission
from mwz.normalization import rule_set
from mwz.normalization.delexicaliser import Delexicaliser


def _turns(said: Mapping[str, Sequence[str]]) -> dict[str, list[dict[str, Any]]]:
    return {id_: [{"response": text} for text in texts] for id_, texts in said.items()}


def _file(folder: Path, content: object, name: str = "plain.json") -> Path:
    return write_json(folder / name, content)


# mwz score --lexicalised.


def test_grounded_scores_under_their_own_key(cli: Cli, tmp_path: Path) -> None:
    report = cli.json("score", _file(tmp_path, _turns(TOLD)), "--lexicalised")
    grounded = report["grounded"]
    ceiling = grounded.pop("ceiling")
    full = {"total": 100.0, "restaurant": 100.0, "hotel": 100.0, "attraction": 100.0}
    assert grounded == {
        "inform": full,
        "inform_all": full,
        "success": full,
        "success_all": full,
        # The sample's goals do not say what else is requested.
        "success_requested": {},
        # Two telephone numbers, a postcode and an address.
        "faithfulness": {"told": 4, "in_database": 100.0, "of_named_venue": 100.0},
    }
    assert ceiling["dialogues"] == 3
    assert set(ceiling["success"]) == set(full)
    # The delexicalised responses are scored as ever.
    assert report["inform"] == report["success"] == 100.0
    assert report["signature_fields"]["parameters"] == {"lexicalised": lexicalised_parameter()}
    assert f"|lexicalised:{Delexicaliser.version()}|" in report["signature"]
    assert read_report(report | {"grounded": {**grounded, "ceiling": ceiling}}, "x")


def test_one_digit_of_every_number_costs_all_dialogues_that_ask_for_one(sample: Benchmark) -> None:
    # Numbers of venues begin with 01632 960; those of taxis, 07700, are no venue's.
    predictions = {}
    for id_, d in sample.dialogues.items():
        predictions[id_] = [re.sub("01632 ?960", "01632969", text) for text in d.responses]
    scorer = Scorer(sample, Options(lexicalised=True))
    human = report_on(scorer, normalize(scorer, HUMAN))
    wrong = scorer.score(_turns(predictions))
    assert (wrong.inform, wrong.success) == (human.inform, human.success)
    was, now = human.metrics["grounded"], wrong.metrics["grounded"]
    assert (was.success["total"], now.inform["total"]) == (100.0, 100.0)
    # 13 of 30 dialogues ask for no venue's number.
    assert now.success["total"] == pytest.approx(100 * 13 / 30)
    # 18 of 59 values told are such numbers; 4 of these 59 were in no record before.
    assert was.faithfulness["told"] == now.faithfulness["told"] == 59
    assert was.faithfulness["in_database"] == pytest.approx(100 * 55 / 59)
    assert now.faithfulness["in_database"] == pytest.approx(100 * 37 / 59)


def test_placeholders_in_plain_english_are_warned_of(cli: Cli, tmp_path: Path) -> None:
    mixed = _turns(
        {"town001": ["[restaurant_name] it is, or [xyz]", "Nonna's Attic", "Bye [time]"]}
    )
    run = cli.done("score", _file(tmp_path, mixed), "--lexicalised")
    message = "2 of 3 responses hold placeholders in place of plain English, which name and tell"
    assert message in run.err


def test_the_human_responses_are_their_own_ceiling(cli: Cli) -> None:
    grounded = cli.json("score", "@human")["grounded"]
    ceiling = grounded.pop("ceiling")
    assert ceiling.pop("dialogues") == 30
    assert grounded == ceiling


def test_the_ceiling_is_of_the_turns_that_are_played(sample: Benchmark) -> None:
    # The human's first responses alone tell nothing that was asked.
    predictions = {id_: d.responses for id_, d in sample.dialogues.items() if id_ in TOLD}
    scorer = Scorer(sample, Options(lexicalised=True, metrics=("grounded",)))
    for turns in (1, 2, 3):
        cut = _turns({id_: texts[:turns] for id_, texts in predictions.items()})
        scores = scorer.score(cut).metrics["grounded"]
        assert scores.success == scores.ceiling["success"]
        assert scores.faithfulness == scores.ceiling["faithfulness"]


def test_without_human_responses_there_is_no_ceiling() -> None:
    tiny = benchmark({"one": dialogue({"restaurant": goal({"area": "north"})}, 1)})
    scorer = Scorer(tiny, Options(lexicalised=True, metrics=("grounded",)))
    scores = scorer.score({"one": [{"response": "How about Golden Spoon?"}]}).metrics["grounded"]
    assert (scores.inform["total"], scores.ceiling) == (100.0, None)
    with pytest.raises(InputError, match="does not hold the human responses"):
        human_submission(tiny)


def test_the_delexicaliser_is_never_applied_silently(cli: Cli, tmp_path: Path) -> None:
    path = _file(tmp_path, _turns(TOLD))
    run = cli.done("score", path)
    assert "or score them by --lexicalised" in run.err
    assert "lexicalised:" not in run.out
    run = cli("score", path, "--lexicalised")
    assert "--lexicalised" not in run.err
    for text in ("Inform, any", "human: the human responses of", "Their BLEU does not compare"):
        assert text in run.out


def test_delexicalised_submissions_need_a_scorer_of_plain_english(sample: Benchmark) -> None:
    normalized = normalize(Scorer(sample, Options(lexicalised=True)), human_submission(sample))
    with pytest.raises(InputError, match="was delexicalised"):
        report_on(Scorer(sample), normalized)


@pytest.mark.parametrize("made", ["@constant", "@corpus:damd"])
def test_made_submissions_without_plain_english_are_refused(cli: Cli, made: str) -> None:
    message = cli.refused("score", made, "--lexicalised")
    assert "`grounded` needs responses in plain English" in message


# mwz delexicalise.


def test_delexicalising_keeps_the_rest(cli: Cli, tmp_path: Path) -> None:
    content = {"any-id": [{"response": "Brine: 01632960110.", "user": "where?", "extra": [1]}]}
    run = cli.done("delexicalise", _file(tmp_path, content), "-o", tmp_path / "out.json")
    assert "1 response delexicalised by lex1-" in run.err
    (turn,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["any-id"]
    assert turn == {"response": "[name]: [phone].", "user": "where?", "extra": [1]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x", "expected an object of dialogue id -> list of turns, found a string"),
        ({"a": [{"words": "hi"}]}, "dialogue a, turn 0: `response` is missing"),
        ({"a": [{"response": "", "user": 1}]}, "dialogue a, turn 0: `user`: expected a string"),
        ({"a": [{"response": "\ud800"}]}, "`response`: not valid text"),
        ({"a": [{"response": "", "x": [float("nan")]}]}, "a[0].x[0]: expected a finite number"),
    ],
)
def test_what_cannot_be_delexicalised_is_refused_and_nothing_written(
    cli: Cli, tmp_path: Path, content: object, message: str
) -> None:
    out = tmp_path / "out.json"
    run = cli("delexicalise", _file(tmp_path, content), "-o", out)
    assert (run.status, out.exists()) == (2, False)
    assert message in run.err


# Free-running dialogues.


def test_free_running_dialogues_are_of_any_length(cli: Cli, tmp_path: Path) -> None:
    longer = {id_: [*texts, *["Bye!"] * 9] for id_, texts in TOLD.items()}
    report = cli.json("score", _file(tmp_path, _turns(longer)), "--lexicalised", "--free-running")
    assert report["grounded"]["success"]["total"] == 100.0
    assert report["grounded"]["ceiling"]["dialogues"] == 3
    # 3, 4 and 3 turns, each with nine more.
    assert report["coverage"] == {"dialogues": 3, "of": 30, "turns": 37, "of_turns": 37}
    assert report["diversity"]["mean_length"] > 0
    assert not report.keys() & {"bleu", "strict", "optimistic", "inform", "success", "combined"}
    parameters = report["signature_fields"]["parameters"]
    assert parameters == {"lexicalised": lexicalised_parameter(), "free-running": "benchmark"}
    assert read_report(report, "x").metrics["grounded"].success["total"] == 100.0


def test_free_running_dialogues_may_be_spelled_as_the_corpus_does(cli: Cli, tmp_path: Path) -> None:
    spelled = _turns({f"{id_.upper()}.json": texts for id_, texts in TOLD.items()})
    report = cli.json("score", _file(tmp_path, spelled), "--lexicalised", "--free-running")
    assert report["grounded"]["success"]["total"] == 100.0
    twice = _file(tmp_path, {**spelled, **_turns({"town001": ["Hello."]})})
    message = cli.refused("score", twice, "--lexicalised", "--free-running")
    assert "dialogue town001: is there twice; keep one" in message


ITALIAN = {"food": "italian", "area": "centre"}
GOALS = {
    "own-1": {"restaurant": {"informable": ITALIAN, "requestable": ["PHONE"], "booking": []}},
    "own-2": {"train": {"informable": {"leaveAt": "09:00", "departure": "ostley"}}},
}


def test_goals_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    goals = _file(tmp_path, GOALS, "goals.json")
    played = _turns({"own-1": ["Nonna's Attic, 01632960106."]})
    path = _file(tmp_path, played)
    report = cli.json("score", path, "--lexicalised", "--free-running", "--goals", goals)
    assert report["grounded"]["success"] == {"total": 100.0, "restaurant": 100.0}
    # There are no human responses to these goals: the ceiling is the whole benchmark's.
    assert report["grounded"]["ceiling"]["dialogues"] == 30
    own = report["signature_fields"]["parameters"]["free-running"]
    assert own.startswith("goals-")
    # Other goals, another signature.
    other = _file(tmp_path, {**GOALS, "own-2": {"taxi": {"informable": {}}}}, "other.json")
    report = cli.json("score", path, "--lexicalised", "--free-running", "--goals", other)
    assert report["signature_fields"]["parameters"]["free-running"] != own


@pytest.mark.parametrize(
    ("goals", "message"),
    [
        ({}, "holds no goals"),
        ({"a": {}}, "dialogue a: no domain"),
        ({"a": {"hotel": {}}}, "dialogue a, hotel: expected `informable`, an object"),
        ({"a": {"zoo": {"informable": {}}}}, "dialogue a: unknown domain 'zoo'"),
        ({"a": {"hotel": {"informable": {"colour": "red"}}}}, "informable: unknown slot 'colour'"),
        ({"a": {"hotel": {"informable": {}, "requestable": ["FAX"]}}}, "unknown slot 'FAX'"),
        (GOALS, ": no goal in"),
    ],
)
def test_bad_goals_are_refused(cli: Cli, tmp_path: Path, goals: object, message: str) -> None:
    path, file = _file(tmp_path, _turns(TOLD)), _file(tmp_path, goals, "goals.json")
    assert message in cli.refused("score", path, "--lexicalised", "--free-running", "--goals", file)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--free-running", "--goals", "seen"), "--free-running takes all goals"),
        (("--lexicalised", "--goals", "goals.json"), "--goals is one of all, seen, unseen; a"),
        (("--goals", "some"), "--goals is one of all, seen, unseen"),
    ],
)
def test_options_that_do_not_go_together(
    cli: Cli, tmp_path: Path, arguments: Sequence[str], message: str
) -> None:
    assert message in cli.refused("score", _file(tmp_path, _turns(TOLD)), *arguments)


RESTAURANT = {"info": ITALIAN, "reqt": ["phone", "area"], "fail_info": {}}
TRAIN = {"info": {"leaveAt": "09:00"}, "reqt": ["trainID"], "book": {"people": "2"}}
RAW_GOALS = {
    "OWN-1.json": {
        "goal": {"restaurant": RESTAURANT, "hotel": {}, "message": ["You are looking for it"]},
        "log": [],
    },
    "own-2": {"train": TRAIN},
}


def test_goals_may_be_written_as_the_data_set_does() -> None:
    goals = chosen_goals(RAW_GOALS, rule_set("2021")).goals
    area = frozenset({"area"})
    assert goals["OWN-1.json"] == {"restaurant": Goal(ITALIAN, frozenset({"PHONE"}), {}, area)}
    # What is booked has a reference number.
    requested = frozenset({"TRAINID", "REFERENCE"})
    assert goals["own-2"] == {
        "train": Goal({"leave": "09:00"}, requested, {"people": "2"}, frozenset())
    }


def test_python_scores_free_running_dialogues_alike(cli: Cli, tmp_path: Path) -> None:
    played = _turns({"own-1": ["Nonna's Attic, 01632960106."]})
    options = Options(free_running=True, goals=RAW_GOALS)
    report = score(played, load_benchmark("sample"), options)
    file = _file(tmp_path, RAW_GOALS, "goals.json")
    arguments = ("--free-running", "--goals", file)
    assert report.to_dict() == cli.json("score", _file(tmp_path, played), *arguments)
    assert report.coverage.dialogues == 1
    grounded = report.metrics["grounded"]
    assert grounded.success == {"total": 100.0, "restaurant": 100.0}
    # The area is requested, and not told.
    assert grounded.success_requested == {"total": 0.0, "restaurant": 0.0}


def test_a_dialogue_without_a_goal_is_named(cli: Cli, tmp_path: Path) -> None:
    path = _file(tmp_path, _turns({f"x{n}": ["Hello"] for n in range(20)} | TOLD))
    message = cli.refused("score", path, "--free-running")
    assert "dialogue x0: no goal in the benchmark sample" in message


@pytest.mark.real_data
def test_goals_of_the_data_set_are_those_of_the_public_evaluator(upstream: Path) -> None:
    raw = chosen_goals(upstream / "ConvLab-2/data/multiwoz/test.json.zip", rule_set("2021"))
    path = upstream / "MultiWOZ_Evaluation/mwzeval/data/goals.json"
    ours = chosen_goals(path, rule_set("2021"))
    assert len(ours.goals) == 1000
    # The evaluator's do not say what else is requested, and what is booked.
    known = {}
    for id_, goals in raw.goals.items():
        known[id_.lower()] = {
            domain: replace(g, further=None, booking={}, first={}) for domain, g in goals.items()
        }
    assert known == dict(ours.goals)
