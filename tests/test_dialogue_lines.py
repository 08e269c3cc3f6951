"""Per-dialogue lines: what one holds, and that lines give the corpus scores to the last digit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers import (
    HASTY,
    Cli,
    Run,
    benchmark,
    dialogue,
    goal,
    parse_submission,
    refusal,
    sample_predictions,
)

from mwz.harness import Benchmark
from mwz.harness.metrics import DialogueResult
from mwz.harness.scoring import Options, Scorer, explained_results
from mwz.harness.scoring.dialogue_lines import corpus_scores, lines_text, read_dialogue_lines
from mwz.harness.submission import normalize_submission

LINED = ("bleu", "inform", "diversity", "dst")


def results_of(scorer: Scorer, predictions: Mapping[str, Any]) -> list[DialogueResult]:
    parsed = parse_submission(predictions, scorer.benchmark, "predictions")
    return explained_results(scorer.played(normalize_submission(parsed, scorer.rules)))


def text_of(scorer: Scorer, predictions: Mapping[str, Any]) -> str:
    """Return predictions as lines."""
    return lines_text(results_of(scorer, predictions), scorer.score(predictions).signature)


@pytest.mark.parametrize(
    ("name", "setup", "metrics"),
    # The last one has no states to track.
    [("careful", "both", LINED), ("hasty", "mttod", LINED), ("scripted", "ubar", LINED[:-1])],
)
def test_lines_give_the_corpus_scores_to_the_last_digit(
    name: str, setup: str, metrics: Sequence[str], sample: Benchmark, tmp_path: Path
) -> None:
    scorer = Scorer(sample, Options(metrics=metrics, setup=setup))
    predictions = sample_predictions(name)
    target = tmp_path / "lines.jsonl"
    target.write_text(text_of(scorer, predictions), encoding="utf-8")
    read = read_dialogue_lines(target)
    assert corpus_scores(read) == scorer.score(predictions).metrics
    assert [one.goals for one in read] == [one.goals for one in results_of(scorer, predictions)]


def test_lines_of_two_halves_put_together_give_the_scores_of_the_whole(
    sample: Benchmark, tmp_path: Path
) -> None:
    scorer = Scorer(sample, Options(metrics=LINED))
    whole = sample_predictions("careful")
    ids = list(whole)
    text = ""
    for half in (ids[: len(ids) // 3], ids[len(ids) // 3 :]):
        text += text_of(scorer, {id_: whole[id_] for id_ in half})
    both = tmp_path / "both.jsonl"
    both.write_text(text, encoding="utf-8")
    assert corpus_scores(read_dialogue_lines(both)) == scorer.score(whole).metrics


def tiny() -> Benchmark:
    wanted = {"restaurant": goal({"food": "thai", "area": "north"}, ["PHONE", "POST"])}
    return benchmark({"d1": dialogue(wanted, 2, references=["NAME is nice", "bye"])})


def test_a_line_by_hand() -> None:
    scorer = Scorer(tiny(), Options(metrics=["bleu", "inform"]))
    state = {"restaurant": {"area": "north"}}
    turns = [
        {"response": "[name] is nice", "state": state, "active_domains": ["restaurant"]},
        {"response": "bye [postcode]", "state": state, "active_domains": ["restaurant"]},
    ]
    line = json.loads(text_of(scorer, {"d1": turns}))
    # North finds r1, r2; only r2 is Thai. The postcode is told, the telephone number is not.
    assert (line["dialogue"], line["turns"], line["inform"], line["success"]) == ("d1", 2, 0, 0)
    provided = {"PHONE": False, "POST": True}
    assert line["goals"]["strict"] == {
        "restaurant": {
            "matched": 0.0,
            "provided": provided,
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


def problems(text: str, folder: Path) -> str:
    path = folder / "some.jsonl"
    path.write_text(text, encoding="utf-8")
    return str(refusal(read_dialogue_lines, path))


def test_lines_that_do_not_belong_together_are_refused(sample: Benchmark, tmp_path: Path) -> None:
    def lines(**options: Any) -> list[str]:
        scorer = Scorer(sample, Options(**{"metrics": ["inform"], **options}))
        return text_of(scorer, sample_predictions("careful")).splitlines(keepends=True)

    first = lines()[0]
    assert "line 2: dialogue" in problems(first + first, tmp_path)
    assert "line 1, too" in problems(first + first, tmp_path)
    other = first + lines(rules="2023")[1]
    assert "line 2: scored otherwise than the first line" in problems(other, tmp_path)
    more = first + lines(metrics=["inform", "bleu"])[1]
    assert "line 2: holds other metrics than the first line" in problems(more, tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no lines"),
        ('{"dialogue": "a"}\n', "turns"),
        ('\n{"dialogue": \n', "line 2: not JSON"),
        (
            '{"dialog": "a", "turns": 1, "signature": "", "sources": {}}\n',
            "line 1: expected an object with `dialogue`",
        ),
        ("[1]\n", "1"),
    ],
)
def test_files_that_are_no_lines_are_bad_input(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, encoding="utf-8")
    error = refusal(read_dialogue_lines, path)
    assert "bad.jsonl" in str(error)
    assert told in str(error)


# The command line.


def score(cli: Cli, *arguments: object) -> Run:
    return cli("score", "--benchmark", "sample", *arguments)


def test_lines_on_standard_output_come_alone(
    capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    from mwz.harness.cli import main

    arguments = ["score", "--benchmark", "sample", str(HASTY)]
    with pytest.raises(SystemExit):
        main([*arguments, "--per-dialogue", "-"])
    lines = capsysbinary.readouterr().out.splitlines()
    assert [json.loads(line)["dialogue"] for line in lines] == list(sample_predictions("hasty"))
    with pytest.raises(SystemExit) as refused:
        main([*arguments, "--per-dialogue", "-", "--json", "-"])
    assert refused.value.code == 2
