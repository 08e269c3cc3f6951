"""Pages of docs/ say what the harness goes by."""

from __future__ import annotations

from typing import Any


def test_the_tables_of_the_pages_are_current_and_all_there(regenerate: Any) -> None:
    pages = {name: (regenerate.DOCS / name).read_text("utf-8") for name in regenerate.PAGES}
    for text in pages.values():
        assert regenerate.page(text) == text, "run `python tools/regenerate.py`"
    for name in regenerate.TABLES:
        assert "".join(pages.values()).count(f"<!-- {name} -->") == 1
    assert "`[value_name]`" in pages["predictions-format.md"]
    assert pages["predictions-format.md"].count("| yes ") == 6
