"""What steps of normalisation and fuzzy venues are worth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import (
    CAREFUL,
    HASTY,
    Cli,
    benchmark,
    dialogue,
    goal,
    parse_submission,
    read_submission,
)

from mwz.harness import Benchmark
from mwz.harness.cli.ablation import ablation_table
from mwz.harness.metrics import bleu_of_counts
from mwz.harness.scoring import Options, Scorer
from mwz.harness.scoring.scorer import bleu_references
from mwz.normalization import STEPS, normalized_text, rule_set


@pytest.mark.parametrize(
    ("without", "text"),
    [
        (None, "the cheap NAME, ok"),
        ("lower-casing", "The cheap, ok"),  # names of placeholders are in lower case
        ("ontology", "the cheap [name], ok"),
        ("suffix rules", "the cheap-ly NAME, ok"),
        ("Moses", "the cheap NAME , ok"),
    ],
)
def test_a_step_is_left_out_by_itself(without: str | None, text: str) -> None:
    response = "The cheap-ly [Name] , ok"
    assert normalized_text(response, rule_set("2021"), without) == text


def test_costs_are_what_is_lost_without_a_step() -> None:
    references = ["NAME is a nice place, you will like it"]
    wanted = {"restaurant": goal({"area": "north", "food": "greek"})}
    loaded = benchmark({"d1": dialogue(wanted, 1, references=references)})
    turn = {
        "response": "[value_name] is a nice-ly place , you will like it",
        # A restaurant with greek food matches this by partial ratio.
        "state": {"restaurant": {"area": "north", "food": "greek food"}},
        "active_domains": ["restaurant"],
    }
    submission = parse_submission({"d1": [turn]}, loaded, "predictions")
    scorer = Scorer(loaded, Options(metrics=("bleu", "inform")))
    rows = {row["step"]: row for row in ablation_table("one", submission, scorer).data}
    assert rows["all steps"]["bleu"] == pytest.approx(100)
    assert rows["all steps"]["bleu_cost"] == 0
    # sacreBLEU splits off punctuation by itself.
    assert rows["without Moses"]["bleu_cost"] == pytest.approx(0)
    assert rows["without suffix rules"]["bleu_cost"] > 0
    # Nothing is offered where no placeholder is read.
    assert rows["all steps"]["inform_strict"] == rows["without ontology"]["inform_strict_cost"]
    assert rows["all steps"]["inform_strict"] == 100
    assert rows["exact instead of fuzzy venues"]["inform_strict"] == 0
    assert {f"without {step}" for step in STEPS} <= rows.keys()


def test_the_table_is_printed_per_file(cli: Cli) -> None:
    run = cli.done("ablation", CAREFUL, HASTY, "--format", "json")
    assert list(json.loads(run.out)) == ["careful", "hasty"]
    assert "@corpus: is made by the harness; give a file" in cli.refused("ablation", "@corpus")


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "bleu", "without"),
    [
        ("damd", 16.42, {"ontology": 8.27}),
        ("hdsa", 20.74, {"suffix rules": 20.54}),
        ("augpt", 16.77, {"lower-casing": 12.09, "Moses": 16.77}),
    ],
)
def test_what_steps_are_worth_to_published_systems(
    system: str, bleu: float, without: dict[str, float], upstream: Path, multiwoz: Benchmark
) -> None:
    file = upstream / "MultiWOZ_Evaluation" / "predictions" / f"{system}.json"
    submission, scorer = read_submission(file, multiwoz), Scorer(multiwoz)
    references = bleu_references(multiwoz)
    for step, value in {None: bleu, **without}.items():
        responses = {
            id_: [normalized_text(turn.response, scorer.rules, step) for turn in turns]
            for id_, turns in submission.dialogues.items()
        }
        counts = references.counts_of(responses)[:, references.styles.index("mwz22")]
        assert round(bleu_of_counts(counts.sum(axis=0).tolist()), 2) == value
