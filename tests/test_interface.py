"""The interface does not move: options, layouts of JSON, exit statuses and errors' words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]
GOLDEN = json.loads((PROJECT / "tests/golden/interface.json").read_text(encoding="utf-8"))


def test_options_are_what_they_were(regenerate: Any) -> None:
    assert regenerate._options() == GOLDEN["options"]


def test_layouts_of_json_are_what_they_were(regenerate: Any) -> None:
    assert regenerate._layouts() == GOLDEN["json"]


def test_errors_and_their_statuses_are_what_they_were(regenerate: Any) -> None:
    assert regenerate._errors() == GOLDEN["errors"]
    assert {status for status, _ in GOLDEN["errors"].values()} == {2}


def test_errors_begin_alike() -> None:
    for _, message in GOLDEN["errors"].values():
        assert message.startswith(("mwz: ", "Error: "))
