"""What CONTRIBUTING says about extending the project is enough, tried in a copy of it.

The copy's commands run as processes of their own. Every addition is one file, and a line where its
kind is listed; entries made before stay valid. A data set is in test_second_data_set.py, a metric
of states in test_tracking_registry.py.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import parse_submission, write_json
from lexicaliser import lexicalised_predictions

from mwz.harness.data import load_benchmark
from mwz.harness.scoring import Scorer

METRIC = '''
"""How often a system asks something."""

from __future__ import annotations

from .metric import Figure, Metric, Presentation, percent


def counts(played):
    """Return the responses with a question mark, and all responses, of each dialogue."""
    rows = {}
    for dialogue, texts in played.responses.items():
        rows[dialogue] = {"asking": sum("?" in text for text in texts), "turns": len(texts)}
    return rows


METRIC = Metric(
    name="questions",
    presentation=Presentation(
        title="Questions",
        description="How many responses ask something.",
        unit="percent",
        source="made up for this test",
        figures=[Figure("questions", "Questions")],
    ),
    rows=counts,
    formula=lambda sums: {"questions": percent(sums["asking"], sums["turns"])},
)
'''

RULE_SET = """
date = "2031-05"
change = "Fish is seafood."
digest = "0"
tables = ["placeholders", "values", "venues"]
venues = "2021"
normalises_venues = false

[rules.food]
"fish" = "seafood"
"""

FORMAT = '''
"""Turns as pairs: dialogue id -> list of [response, state]."""

from __future__ import annotations

from . import Format, Standard

NAME = "pairs"


def _is_pair(turn):
    return isinstance(turn, list) and [type(part) for part in turn] == [str, dict]


def _recognises(content):
    return isinstance(content, dict) and all(
        isinstance(turns, list) and turns and all(map(_is_pair, turns))
        for turns in content.values()
    )


def _read(content, source):
    return Standard(
        {
            id_: [{"response": response, "state": state} for response, state in turns]
            for id_, turns in content.items()
        },
        NAME,
    )


FORMAT = Format(NAME, "An object of dialogue id -> list of [response, state].", _recognises, _read)
'''

COLUMNS = """

_columns_before = columns


def _played(row: Row) -> Value:
    return Value(row.entry.scores.main.coverage.dialogues, 0)


PLAYED = Column("played", "Dialogues played", _played, visible="chosen")


def columns(board: Board) -> list[Column]:
    return [*_columns_before(board), PLAYED]
"""

ENGLISH_COLUMNS = """

from dataclasses import replace

from ..board.columns import PLAYED


def _and_played(board, rows):
    return [*_columns(board, rows), replace(PLAYED, visible="always")]


TRACKS = (replace(TRACKS[0], columns=_and_played),)
"""

Mwz = Callable[..., str]


def _predictions(copied: Path) -> str:
    return str(copied / "mwz/harness/sample/submissions/careful.json")


def _submit(copied: Path, mwz: Mwz, name: str, *more: str) -> str:
    # One system is entered once: the earlier entry is of other predictions.
    other = copied / "mwz/harness/sample/submissions/hasty.json"
    predictions = str(other) if name == "Before" else _predictions(copied)
    place = ("--track", "end-to-end", "--benchmark", "sample", "--submissions", "submissions")
    facts = ("--name", name, *place, *more)
    return mwz("submit", predictions, *facts)


def _report(copied: Path, mwz: Mwz, *more: str) -> Any:
    options = ("--benchmark", "sample", "--json", "-", *more)
    return json.loads(mwz("score", _predictions(copied), *options))


def _replace(path: Path, before: str, after: str) -> None:
    content = path.read_text(encoding="utf-8")
    assert before in content
    path.write_text(content.replace(before, after, 1), encoding="utf-8")


def test_a_metric_is_one_file_and_listed(copied: Path, mwz: Mwz) -> None:
    _submit(copied, mwz, "Before")
    (copied / "mwz/harness/metrics/questions.py").write_text(METRIC, encoding="utf-8")
    registry = copied / "mwz/harness/metrics/registry.py"
    _replace(registry, "inform, lower_bound\n", "inform, lower_bound, questions\n")
    _replace(registry, "    flags.METRIC,\n", "    flags.METRIC,\n    questions.METRIC,\n")
    responses = [
        turn["response"]
        for turns in json.loads(Path(_predictions(copied)).read_text(encoding="utf-8")).values()
        for turn in turns
    ]
    share = 100 * sum("?" in response for response in responses) / len(responses)
    assert 0 < share < 100

    assert "questions" in mwz("score", "--help")
    assert _report(copied, mwz)["questions"] == pytest.approx(share)
    own = _report(copied, mwz, "--intervals", "--metrics", "questions")["intervals"]
    assert own["scores"]["questions"]["value"] == pytest.approx(share)
    hasty = str(copied / "mwz/harness/sample/submissions/hasty.json")
    systems = (_predictions(copied), hasty, "--benchmark", "sample", "--json", "-")
    compared = json.loads(mwz("compare", *systems, "--metrics", "questions"))
    assert compared["pairs"][0]["questions"]["a"] == pytest.approx(share)
    assert "questions" not in _report(copied, mwz, "--metrics", "bleu")
    assert f"{share:.2f}" in mwz("score", _predictions(copied), "--metrics", "questions")
    _submit(copied, mwz, "After", "--reported", "questions=12.5")
    stored = json.loads((copied / "submissions/after/scores.json").read_text(encoding="utf-8"))
    assert stored["reports"]["2021"]["questions"] == pytest.approx(share)
    page = (copied / "docs" / "board-tables.md").read_text(encoding="utf-8")
    (table,) = [part for part in page.split("## ") if part.startswith("Other metrics")]
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert "Questions" in rows[0]
    # The entry made before the metric was there stays, with a dash.
    assert [row.split("|")[2].strip() for row in rows[2:]] in (
        [f"{share:.2f}", "–"],
        ["–", f"{share:.2f}"],
    )
    audited = mwz("audit", "after")
    assert "Questions" in audited
    assert "12.5" in audited
    assert mwz("leaderboard", "--check").strip().endswith("up to date")


def test_a_rule_set_is_one_file(copied: Path, mwz: Mwz) -> None:
    before = _report(copied, mwz)
    _submit(copied, mwz, "Before")
    (copied / "mwz/normalization/rule_sets/2031.toml").write_text(RULE_SET, encoding="utf-8")

    assert "2031" in mwz("score", "--help")
    new = _report(copied, mwz, "--rules", "2031")
    assert new["signature_fields"]["rules"] == "2031"
    assert new["signature_fields"]["rules_digest"] != before["signature_fields"]["rules_digest"]
    # Nothing else moves: not the default, not the entry that was there.
    assert _report(copied, mwz) == before
    assert mwz("leaderboard", "--check").strip().endswith("up to date")
    _submit(copied, mwz, "After", "--reported", "inform=50.0")
    stored = json.loads((copied / "submissions/after/scores.json").read_text(encoding="utf-8"))
    assert "2031" in stored["reports"]
    assert "2031" in mwz("data", "list")
    assert "2031" in mwz("audit", "after", "--json", "-")


def test_a_proposed_placeholder_is_one_line(copied: Path, mwz: Mwz) -> None:
    turns = {"town001": [{"response": "[venue_title] is nice", "state": {}}]}
    predictions = write_json(copied / "new.json", turns)

    def unknown() -> dict[str, int]:
        options = ("--benchmark", "sample", "--rules", "next", "--json", "-")
        report: dict[str, Any] = json.loads(mwz("score", str(predictions), *options))
        found: dict[str, int] = report["unknown_placeholders"]
        return found

    assert unknown() == {"venue_title": 1}
    path = copied / "mwz/normalization/rule_sets/next.toml"
    text = path.read_text(encoding="utf-8")
    line = '[rules.ontology]\nNAME = ["venue_title"]'
    path.write_text(text.replace("[rules.ontology]", line), encoding="utf-8")
    assert unknown() == {}


def test_a_format_is_a_file_and_a_line(copied: Path, mwz: Mwz) -> None:
    formats = copied / "mwz/harness/submission/formats"
    (formats / "response_pairs.py").write_text(FORMAT, encoding="utf-8")
    path = formats / "formats.py"
    listed = "from .response_pairs import FORMAT\n\nFORMATS = (FORMAT, "
    path.write_text(path.read_text("utf-8").replace("FORMATS = (", listed), encoding="utf-8")
    standard = {
        id_: [{"response": turn["response"], "state": turn["state"]} for turn in turns]
        for id_, turns in json.loads(Path(_predictions(copied)).read_text("utf-8")).items()
    }
    plain, converted = write_json(copied / "plain.json", standard), copied / "converted.json"
    content = {id_: [list(turn.values()) for turn in turns] for id_, turns in standard.items()}
    pairs = write_json(copied / "pairs.json", content)

    assert "pairs" in mwz("check", str(pairs), "--benchmark", "sample")
    options = ("--benchmark", "sample", "--json", "-")
    assert json.loads(mwz("score", str(pairs), *options)) == json.loads(
        mwz("score", str(plain), *options)
    )
    mwz("convert", str(pairs), "-o", str(converted))
    assert json.loads(converted.read_text(encoding="utf-8")) == standard
    # Trackers are read by the same formats.
    (tracked,) = json.loads(mwz("dst", str(pairs), *options))
    assert tracked["metrics"] == json.loads(mwz("dst", str(plain), *options))[0]["metrics"]


def test_columns_of_the_tables_are_declared_in_one_file(copied: Path, mwz: Mwz) -> None:
    path = copied / "mwz/harness/board/columns.py"
    path.write_text(path.read_text(encoding="utf-8") + COLUMNS, encoding="utf-8")
    path = copied / "mwz/harness/grounding/english_track.py"
    path.write_text(path.read_text(encoding="utf-8") + ENGLISH_COLUMNS, encoding="utf-8")
    _submit(copied, mwz, "Delexicalised")
    scorer = Scorer(load_benchmark("sample"))
    content = json.loads(Path(_predictions(copied)).read_text(encoding="utf-8"))
    submission = parse_submission(content, scorer.benchmark, "careful")
    plain = write_json(copied / "plain.json", lexicalised_predictions(submission, scorer, seed=1))
    place = ("--benchmark", "sample", "--submissions", "submissions")
    facts = ("--name", "Plain", "--track", "lexicalised", *place)
    mwz("submit", str(plain), *facts)
    mwz("site", "web")

    page = (copied / "docs" / "board-tables.md").read_text(encoding="utf-8")
    (table,) = [part for part in page.split("\n## ") if part.startswith("Plain English")]
    header, _, row = (line for line in table.splitlines() if line.startswith("|"))
    last = [line.split("|")[-2].strip() for line in (header, row)]
    assert last == ["Dialogues played", "30"]
    board = (copied / "web/index.html").read_text(encoding="utf-8")
    # In both tables.
    assert board.count("Dialogues played</th>") == 2
    (own,) = csv.DictReader((copied / "web/board.csv").read_text(encoding="utf-8").splitlines())
    assert own["played"] == "30"
    assert mwz("leaderboard", "--check").strip().endswith("up to date")


def test_a_command_is_one_module_of_the_command_line_and_listed(copied: Path, mwz: Mwz) -> None:
    module = copied / "mwz/harness/cli/greet.py"
    module.write_text(
        '"""`mwz greet`: say hello."""\n\nimport click\n\n\n'
        '@click.command(help="Say hello.")\ndef command() -> None:\n    click.echo("hello")\n',
        encoding="utf-8",
    )
    listed = '"dst": "Score'
    _replace(module.with_name("__init__.py"), listed, f'"greet": "Say hello.",\n    {listed}')
    assert re.search(r"greet +Say hello\.", mwz("--help"))
    assert mwz("greet") == "hello\n"
