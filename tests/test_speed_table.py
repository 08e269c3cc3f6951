"""The table of docs/performance.md is made of what tools/speed.py measures."""

from __future__ import annotations

from typing import Any

from helpers import table_rows


def test_a_ratio_is_of_what_a_measure_is_compared_with(speed: Any) -> None:
    taken = {**dict.fromkeys(speed.MEASURES, 2.0), "six": 8.0, "score": 2.0}
    rows = {row[0]: row[1:] for row in table_rows(speed.table(taken))}
    # 2 s of 8 s is more than 0.22; 2 s of 2 s.
    assert rows["`mwz score`"][2:] == ["0.25", "0.22 (missed)"]
    assert rows["`mwz score --intervals`"][1:] == ["`mwz score`", "1", "–"]
    assert rows[speed.MEASURES["six"].title] == ["8.00", "–", "–", "–"]


def test_only_the_table_of_the_page_is_written(speed: Any) -> None:
    taken = dict.fromkeys(speed.MEASURES, 2.0)
    once = speed.page(f"By hand.\n\n{speed.MARK}\n\nold", taken)
    assert once == f"By hand.\n\n{speed.MARK}\n\n{speed.table(taken)}\n"
    assert speed.page(once, taken) == once


def test_the_page_has_every_measure(speed: Any) -> None:
    written = table_rows(speed.PAGE.read_text(encoding="utf-8").partition(speed.MARK)[2])
    made = table_rows(speed.table(dict.fromkeys(speed.MEASURES, 2.0)))
    assert [row[0] for row in written] == [row[0] for row in made]
