"""The interface does not move: options, layouts of JSON, exit statuses and errors' words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]
GOLDEN = json.loads((PROJECT / "tests/golden/interface.json").read_text(encoding="utf-8"))
PAGE = (PROJECT / "docs" / "interface.md").read_text(encoding="utf-8")


def test_options_are_what_they_were(regenerate: Any) -> None:
    assert regenerate._options() == GOLDEN["options"]


def test_layouts_of_json_are_what_they_were(regenerate: Any) -> None:
    assert regenerate._layouts() == GOLDEN["json"]


def test_errors_and_their_statuses_are_what_they_were(regenerate: Any) -> None:
    assert regenerate._errors() == GOLDEN["errors"]
    assert {status for status, _ in GOLDEN["errors"].values()} == {2}


def test_the_page_tells_every_command_and_every_layout() -> None:
    told = set(re.findall(r"`mwz ([a-z]+)", PAGE))
    assert {name.split()[0] for name in GOLDEN["options"]} <= told
    for _, message in GOLDEN["errors"].values():
        assert message.startswith(("mwz: ", "Error: "))


def test_the_page_tells_every_bound() -> None:
    from dataclasses import fields

    from mwz.harness.io.files import DEFAULT_LIMITS, VARIABLE

    rows = set(re.findall(r"\| `(\w+)` \| ([\d,]+) \| ([^|]+) \|", PAGE))
    assert rows == {
        (
            VARIABLE + one.name.upper(),
            f"{getattr(DEFAULT_LIMITS, one.name):,}",
            one.metadata["unit"],
        )
        for one in fields(DEFAULT_LIMITS)
    }
