"""The page on the predictions format says what the harness reads by."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(PROJECT / "tools"))
    import predictions_format

    yield predictions_format
    sys.modules.pop("predictions_format", None)


def test_the_tables_of_the_page_are_current(tool: object) -> None:
    written = tool.PAGE.read_text(encoding="utf-8")
    assert tool.page(written) == written, "run `python tools/predictions_format.py`"


def test_the_page_has_every_table_and_every_placeholder(tool: object) -> None:
    written = tool.PAGE.read_text(encoding="utf-8")
    for name in tool.TABLES:
        assert written.count(f"<!-- {name} -->") == 1
    assert "`[value_name]`" in written
    assert written.count("| yes ") == 6
