"""Grounded scores told: causes and dialogues of `mwz why`, per-dialogue lines, and comparisons."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, parse_submission, write_json

from mwz.harness import Benchmark, Options, Scorer, load_benchmark
from mwz.harness.grounding.grounded import NEVER_NAMED, NEVER_TOLD, NONE_FITS, NOWHERE, OF_ANOTHER
from mwz.harness.grounding.plain_dialogues import CAUSES, PlainDialogues, diagnose
from mwz.harness.scoring import evidence_of, free_run, normalize, report_on
from mwz.harness.submission import HUMAN, standard_form

# Nonna's attic, an Italian restaurant in the centre, has 01632960106; brine, fish, 01632960110.
WRONG: dict[str, list[dict[str, str]]] = {
    # Wants telephone and address of an Italian restaurant in the centre.
    "town001": [
        {"response": "Nonna's Attic cooks Italian food.", "user": "I am hungry"},
        {"response": "The phone number is 01632960199.", "user": "and the number?"},
        {"response": "Bye!"},
    ],
    # Wants the reference number of a cheap hotel in the east.
    "town002": [{"response": "The Skylark Inn would be cheap."}, {"response": "Bye!"}],
    # Wants postcode and telephone of a museum in the south.
    "town004": [{"response": "Try Brine, 01632 960110."}],
}


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    return write_json(tmp_path / "wrong.json", WRONG)


@pytest.fixture
def why(cli: Cli) -> Cli:
    return cli.of("why", "--lexicalised")


def _free_running(dialogues: Mapping[str, Any], **options: Any) -> PlainDialogues:
    """Return why free-running dialogues lose what they lose."""
    scorer = Scorer(load_benchmark("sample"), Options(free_running=True, **options))
    diagnosis: PlainDialogues
    _, diagnosis = free_run(scorer, standard_form(dialogues, "wrong"), "wrong")
    return diagnosis


def _row(text: str, name: str) -> list[str]:
    """Return the figures of the first row of a name, which may be folded."""
    line = next(line for line in text.splitlines() if line.startswith(name[:20]))
    return re.findall(r"[0-9.]+", line)


# mwz why.


def test_causes_add_up_to_what_grounded_scores_lose(why: Cli, wrong: Path) -> None:
    texts = [why.done(wrong).out, _free_running(WRONG).text(None, None)]
    for text in texts:
        assert text.startswith(
            "grounded: Inform 66.7 (all 66.7), Success 0.0, over 3 dialogues; the human responses: "
        )
        # The museum is never named. Of 5 slots asked for, none is told: one number is no venue's;
        # an address, a reference number, a postcode and the museum's number are never told. Two
        # slots share the first dialogue: a sixth of all each.
        assert _row(text, NEVER_NAMED)[-2:] == ["1", "33.33"]
        assert _row(text, NOWHERE)[-2:] == ["1", "16.67"]
        assert _row(text, NEVER_TOLD)[-2:] == ["4", "50.00"]
        assert all(len(line) <= 100 for line in text.splitlines())
    strict = "The same responses, delexicalised by the harness:"
    assert [strict in text for text in texts] == [True, False]


def test_one_cause_is_of_grounded_scores_or_of_the_others(cli: Cli, why: Cli, wrong: Path) -> None:
    out = why.done(wrong, "--cause", NOWHERE).out
    assert f"{NOWHERE}, all 1\n  town001, restaurant PHONE" in out
    assert "what if" not in out
    out = why.done(wrong, "--cause", "never named").out
    assert "grounded" not in out
    assert "add --lexicalised" in cli.refused("why", wrong, "--cause", NOWHERE)


def test_a_dialogue_is_followed_with_what_it_names_and_tells(why: Cli, wrong: Path) -> None:
    diagnosis = _free_running(WRONG)
    text = diagnosis.dialogue_text("town001")
    assert text.splitlines()[:2] == [
        "dialogue town001, 3 turns: grounded Inform 1, Success 0",
        "told of venues: 1; in the database: 0; of a venue named by then: 0",
    ]
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for end in (
        "user and the number?",
        "names NAME Nonna's Attic: restaurant 5, which the goal asks for",
        "tells PHONE 01632960199: in no record of the database",
        "restaurant matched; named last: restaurant 5",
        f"PHONE not told: {NOWHERE}",
        f"ADDRESS not told: {NEVER_TOLD}",
    ):
        assert any(line.endswith(end) for line in lines), end
    # On the benchmark's own turns, what the corpus' user said is shown, and the strict walk.
    out = why.done(wrong, "--dialogue", "TOWN001.json").out
    assert "and the number?" not in out
    assert "dialogue town001, 3 turns: Inform" in out


def test_goals_of_ones_own_are_explained() -> None:
    own = {"own": [{"response": "Brine, 01632960110."}]}
    wanted = {"informable": {"food": "italian", "area": "centre"}, "requestable": ["PHONE"]}
    diagnosis = _free_running(own, goals={"own": {"restaurant": wanted}})
    text = diagnosis.dialogue_text("own")
    assert f"not matched: {NONE_FITS}; named last: restaurant 9; " in " ".join(text.split())
    assert f"PHONE not told: {OF_ANOTHER}" in text


def test_the_human_responses_are_explained(sample: Benchmark) -> None:
    scorer = Scorer(sample, Options(lexicalised=True))
    text = diagnose(scorer.played(normalize(scorer, HUMAN))).text(None, None)
    assert text.startswith("grounded: Inform 100.0 (all 100.0), Success 100.0, over 30 dialogues")
    assert not any(f"{cause}, first of" in text for cause in CAUSES)


# Per-dialogue lines.


def test_a_line_says_how_each_domain_came_out(cli: Cli, wrong: Path) -> None:
    run = cli.done("score", wrong, "--lexicalised", "--per-dialogue", "-")
    lines = [json.loads(line) for line in run.out.splitlines()]
    assert [line["dialogue"] for line in lines] == ["town001", "town002", "town004"]
    first = lines[0]["further"]["grounded"]
    assert first["domains"] == {
        "restaurant": {
            "matched": True,
            "matched_all": True,
            "venues": ["5"],
            "provided": {"ADDRESS": False, "PHONE": False},
            "cause": None,
            "causes": {"ADDRESS": NEVER_TOLD, "PHONE": NOWHERE},
            "further": None,
        }
    }
    assert first["faithfulness"] == {"told": 1, "in_database": 0, "of_named_venue": 0}
    (museum,) = lines[2]["further"]["grounded"]["domains"].values()
    assert (museum["matched"], museum["venues"]) == (False, [])
    assert museum["cause"] == "never names a venue of the domain"


# Comparisons.


def test_what_is_compared_is_what_the_report_says(sample: Benchmark) -> None:
    scorer = Scorer(sample, Options(lexicalised=True, metrics=("grounded",)))
    submission = normalize(scorer, parse_submission(WRONG, sample, "wrong"))
    evidence = evidence_of(scorer, scorer.played(submission), "wrong")
    report = report_on(scorer, submission).metrics["grounded"]
    rates = ("inform", "inform_all", "success", "success_all")
    figures = {f"grounded.{name}": getattr(report, name)["total"] for name in rates}
    shares = {f"grounded.{name}": share for name, share in report.faithfulness.items()}
    del shares["grounded.told"]
    assert evidence.scores == figures | shares
    assert list(evidence.won["grounded.inform"]) == [True, True, False]


def test_files_in_plain_english_are_compared(cli: Cli, wrong: Path, tmp_path: Path) -> None:
    mended = {**WRONG, "town004": [{"response": "The Museum of Knots, 01632 960301."}]}
    right = write_json(tmp_path / "right.json", mended)
    run = cli.done("compare", wrong, right, "--lexicalised", "--metrics", "grounded")
    assert "Grounded Inform" in run.out
    assert "use --lexicalised" in cli.refused("compare", wrong, right, "--metrics", "grounded")
