"""What does not move: the sample's scores to the last digit, layouts of JSON, and options."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import click
import pytest
from helpers import CAREFUL, HASTY, PROJECT, Cli
from jsonschema import Draft202012Validator

from mwz.harness import cli
from mwz.harness.cli import commands
from mwz.harness.errors import InputError
from mwz.normalization.packages import read_toml

GOLDEN = json.loads((PROJECT / "tests/golden/interface.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", ["score", "table", "ablation"])
def test_help_fits_a_screen(command: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert len(cli(command, "--help").out.splitlines()) <= 70


def test_layouts_of_json_are_what_they_were(regenerate: Any) -> None:
    assert regenerate.layouts() == GOLDEN["json"]


def test_schemas_are_what_they_were_and_hold_for_other_outputs(
    regenerate: Any, cli: Cli, three_entries: Path, here: Path
) -> None:
    folder = PROJECT / "docs" / "schemas"
    schemas = {path.stem: json.loads(path.read_bytes()) for path in folder.glob("*.json")}
    assert schemas == regenerate.schemas(), "see `python tools/regenerate.py`"
    sample = ("--benchmark", "sample")
    outputs = {
        "score": [
            cli.json("score", "@human", "--lexicalised", "--intervals", *sample),
            cli.json("score", HASTY, "--metrics", "dst,flags", "--rules", "2026", *sample),
        ],
        "dst": [cli.json("dst", "@empty", HASTY, "--variant", "gca=paper", *sample)],
        "compare": [cli.json("compare", HASTY, CAREFUL, "--setup", "strict", *sample)],
        "audit": [cli.json("audit", "--submissions", three_entries)],
        "play": [cli.json("play", "--tasks", "3", "--seed", "7", *sample)],
    }
    for name, documents in outputs.items():
        validator = Draft202012Validator(schemas[name])
        validator.check_schema(schemas[name])
        for document in documents:
            assert [error.json_path for error in validator.iter_errors(document)] == []
            # Each tells its command's output from another's.
            assert not validator.is_valid({"figures": 1})


def test_every_option_that_help_names_is_one_of_some_command() -> None:
    known: set[str] = set()
    named: set[str] = set()
    for name in commands():
        command = cli._mwz.get_command(click.Context(cli._mwz), name)
        members = getattr(command, "commands", {"": command}).values()
        for member in members:
            known |= {opt for p in member.params for opt in (*p.opts, *p.secondary_opts)}
            texts = [member.help or "", *(getattr(p, "help", None) or "" for p in member.params)]
            named |= set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", " ".join(texts)))
    assert named - known == set()


def test_a_removed_option_names_its_replacement(cli: Cli) -> None:
    assert "--constant was removed; use `mwz score @constant`" in cli("score", "--constant").err
    assert "removed" not in cli("check", "--constant").err
    for command, options in read_toml("removed.toml", "mwz.harness.cli").items():
        for option, replacement in options.items():
            message = cli.refused("score" if command == "any" else command, option)
            assert f"{option} was removed; use {replacement}" in message


def test_scores_of_the_sample_are_what_they_were(regenerate: Any) -> None:
    """Under every rule set."""
    text = (PROJECT / "tests/golden/sample_reports.json").read_text(encoding="utf-8")
    # By way of JSON, which writes every digit that a float has.
    made = json.loads(json.dumps(regenerate.golden_reports()))
    assert made == json.loads(text), "see `python tools/regenerate.py`"


def test_hints_are_no_problems() -> None:
    assert str(InputError("a.json", ["is odd"], ["even it"])) == "a.json: is odd; even it"
    two = InputError("a.json", ["is odd", "is long"], ["even it"])
    assert str(two) == "a.json: 2 problems\n  is odd\n  is long\n  even it"
    assert str(pickle.loads(pickle.dumps(two))) == str(two)
