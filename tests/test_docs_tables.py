"""Pages of docs/ say what the harness goes by."""

from __future__ import annotations

from typing import Any


def _written(regenerate: Any) -> dict[str, str]:
    return {name: (regenerate.DOCS / name).read_text(encoding="utf-8") for name in regenerate.PAGES}


def test_the_tables_of_the_pages_are_current(regenerate: Any) -> None:
    for text in _written(regenerate).values():
        assert regenerate.page(text) == text, "run `python tools/regenerate.py`"


def test_the_pages_have_every_table_and_every_placeholder(regenerate: Any) -> None:
    written = _written(regenerate)
    for name in regenerate.TABLES:
        assert "".join(written.values()).count(f"<!-- {name} -->") == 1
    assert "`[value_name]`" in written["predictions-format.md"]
    assert written["predictions-format.md"].count("| yes ") == 6
