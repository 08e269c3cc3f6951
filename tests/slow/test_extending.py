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
from helpers import write_json
from test_outside import FILES

from mwz.harness.data import load_benchmark

METRIC = FILES["manners/questions.py"].replace("mwz.harness.metrics import", ".metric import")
RULE_SET = 'digest = "0"\n' + FILES["manners/seafood.toml"]
FORMAT = FILES["manners/chat.py"].replace("mwz.harness.submission.formats", ".")

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
    _replace(registry, "flags, inform\n", "flags, inform, questions\n")
    _replace(registry, "    flags.METRIC,\n", "    flags.METRIC,\n    questions.METRIC,\n")
    # 48 of the 146 responses ask something.
    share = pytest.approx(100 * 48 / 146)
    assert "questions" in mwz("score", "--help")
    report = _report(copied, mwz, "--intervals")
    assert report["questions"] == report["intervals"]["scores"]["questions"]["value"] == share
    _submit(copied, mwz, "After", "--reported", "questions=12.5")
    stored = json.loads((copied / "submissions/after/scores.json").read_text(encoding="utf-8"))
    assert stored["reports"]["2021"]["questions"] == share
    page = (copied / "docs" / "board-tables.md").read_text(encoding="utf-8")
    (table,) = [part for part in page.split("## ") if part.startswith("Other metrics")]
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert "Questions" in rows[0]
    # The entry made before the metric was there stays, with a dash.
    assert sorted(row.split("|")[2].strip() for row in rows[2:]) == ["32.88", "–"]
    assert re.search(r"Questions.* 12\.5", mwz("audit", "after"))
    assert mwz("leaderboard", "--check").strip().endswith("up to date")


def test_a_rule_set_is_one_file(copied: Path, mwz: Mwz) -> None:
    before = _report(copied, mwz)
    _submit(copied, mwz, "Before")
    (copied / "mwz/normalization/rule_sets/2031.toml").write_text(RULE_SET, encoding="utf-8")
    new = _report(copied, mwz, "--rules", "2031")
    assert new["signature_fields"]["rules"] == "2031"
    assert new["signature_fields"]["rules_digest"] != before["signature_fields"]["rules_digest"]
    # Nothing else moves: not the default, not the entry that was there.
    assert _report(copied, mwz) == before
    assert mwz("leaderboard", "--check").strip().endswith("up to date")
    _submit(copied, mwz, "After", "--reported", "inform=50.0")
    stored = json.loads((copied / "submissions/after/scores.json").read_text(encoding="utf-8"))
    assert "2031" in stored["reports"]
    for command in (("score", "--help"), ("data", "list"), ("audit", "after", "--json", "-")):
        assert "2031" in mwz(*command)


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
    (formats / "chat.py").write_text(FORMAT, encoding="utf-8")
    listed = "from .chat import FORMAT\n\nFORMATS = (FORMAT, "
    _replace(formats / "formats.py", "FORMATS = (", listed)
    careful = json.loads(Path(_predictions(copied)).read_text("utf-8"))
    chats = {id_: [turn["response"] for turn in turns] for id_, turns in careful.items()}
    chat, converted = write_json(copied / "chat.json", {"chats": chats}), copied / "converted.json"
    assert "chat" in mwz("check", str(chat), "--benchmark", "sample")
    mwz("convert", str(chat), "-o", str(converted))
    assert json.loads(converted.read_text(encoding="utf-8")) == {
        id_: [{"response": text} for text in texts] for id_, texts in chats.items()
    }
    options = ("--benchmark", "sample", "--json", "-")
    assert json.loads(mwz("score", str(chat), *options)) == json.loads(
        mwz("score", str(converted), *options)
    )


def test_columns_of_the_tables_are_declared_in_one_file(copied: Path, mwz: Mwz) -> None:
    path = copied / "mwz/harness/board/columns.py"
    path.write_text(path.read_text(encoding="utf-8") + COLUMNS, encoding="utf-8")
    path = copied / "mwz/harness/grounding/english_track.py"
    path.write_text(path.read_text(encoding="utf-8") + ENGLISH_COLUMNS, encoding="utf-8")
    _submit(copied, mwz, "Delexicalised")
    references = {
        id_: [{"response": text} for text in dialogue.responses]
        for id_, dialogue in load_benchmark("sample").dialogues.items()
    }
    plain = write_json(copied / "plain.json", references)
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
