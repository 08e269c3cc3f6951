"""Per-dialogue lines: what one holds, and that dialogues give the corpus scores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from helpers import HASTY, Cli, benchmark, dialogue, goal, parse_submission, sample_predictions

from mwz.harness import Benchmark
from mwz.harness.metrics import Played, Row, response_metrics, sum_rows
from mwz.harness.scoring import Options, Scorer, explained_results
from mwz.harness.scoring.jobs import lines_text
from mwz.harness.submission import normalize_submission

LINED = ("bleu", "inform", "diversity", "dst")


def _played(scorer: Scorer, predictions: Mapping[str, Any]) -> Played:
    parsed = parse_submission(predictions, scorer.benchmark, "predictions")
    return scorer.played(normalize_submission(parsed, scorer.rules))


def test_rows_of_two_parts_put_together_give_the_scores_of_the_whole(sample: Benchmark) -> None:
    scorer = Scorer(sample, Options(metrics=LINED))
    whole = sample_predictions("careful")
    ids = list(whole)
    rows: dict[str, dict[str, Row]] = {}
    for part in (ids[: len(ids) // 3], ids[len(ids) // 3 :]):
        played = _played(scorer, {id_: whole[id_] for id_ in part})
        for name, rows_of_part in played.rows.items():
            rows.setdefault(name, {}).update(rows_of_part)
    figures: dict[str, float] = {}
    for name, rows_of_metric in rows.items():
        metric = response_metrics()[name]
        assert metric.formula is not None
        figures |= metric.formula(sum_rows(rows_of_metric))
    assert figures.keys() >= {"inform", "success", "combined", "bleu"}
    assert figures.items() <= scorer.score(whole).figures.items()


def test_a_line_by_hand() -> None:
    wanted = {"restaurant": goal({"food": "thai", "area": "north"}, ["PHONE", "POST"])}
    tiny = benchmark({"d1": dialogue(wanted, 2, references=["NAME is nice", "bye"])})
    scorer = Scorer(tiny, Options(metrics=["bleu", "inform"]))
    state = {"restaurant": {"area": "north"}}
    turns = [
        {"response": "[name] is nice", "state": state, "active_domains": ["restaurant"]},
        {"response": "bye [postcode]", "state": state, "active_domains": ["restaurant"]},
    ]
    results = explained_results(_played(scorer, {"d1": turns}))
    line = json.loads(lines_text(results, scorer.score({"d1": turns}).signature))
    # North finds r1, r2; only r2 is Thai. The postcode is told, the telephone number is not.
    assert (line["dialogue"], line["turns"], line["inform"], line["success"]) == ("d1", 2, 0, 0)
    assert line["goals"]["strict"] == {
        "restaurant": {
            "matched": 0.0,
            "provided": {"PHONE": False, "POST": True},
            "cause": "missing",
            "turn": 0,
            "faults": [{"slot": "food", "wanted": "thai", "found": None}],
            "slot_causes": {"PHONE": "never said"},
        }
    }
    # Some venue of the north fits, in the optimistic set-up; no domain is active in gold, though.
    assert line["goals"]["optimistic"] == {
        "restaurant": {"matched": 0.0, "provided": {"PHONE": False, "POST": False}}
    }
    # "NAME is nice" and "bye POST" against "NAME is nice" and "bye": lengths 5 and 4; 4 of 5
    # 1-grams, 2 of 3 2-grams, 1 of 1 3-gram, no 4-gram.
    assert line["bleu"]["mwz22"] == [5, 4, 4, 2, 1, 0, 5, 3, 1, 0]
    assert line["sources"] == {"states": "predicted", "domains": "predicted"}
    assert "responses" not in line
    assert "further" not in line


# The command line.


def test_lines_on_standard_output_come_alone(cli: Cli) -> None:
    arguments = ("score", "--benchmark", "sample", HASTY, "--per-dialogue", "-")
    lines = cli.done(*arguments).out.splitlines()
    assert [json.loads(line)["dialogue"] for line in lines] == list(sample_predictions("hasty"))
    cli.refused(*arguments, "--json", "-")
