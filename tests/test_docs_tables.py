"""Pages of docs/ say what the harness goes by."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(PROJECT / "tools"))
    import pages

    yield pages
    sys.modules.pop("pages", None)


def _written(tool: object) -> dict[str, str]:
    return {name: (tool.DOCS / name).read_text(encoding="utf-8") for name in tool.PAGES}


def test_the_tables_of_the_pages_are_current(tool: object) -> None:
    for text in _written(tool).values():
        assert tool.page(text) == text, "run `python tools/pages.py`"


def test_the_pages_have_every_table_and_every_placeholder(tool: object) -> None:
    written = _written(tool)
    for name in tool.TABLES:
        assert "".join(written.values()).count(f"<!-- {name} -->") == 1
    assert "`[value_name]`" in written["predictions-format.md"]
    assert written["predictions-format.md"].count("| yes ") == 6
