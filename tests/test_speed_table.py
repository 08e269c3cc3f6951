"""The table of docs/performance.md is made of what tools/speed.py measures."""

from __future__ import annotations

from typing import Any


def _rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_ratio_is_of_what_a_measure_is_compared_with(speed: Any) -> None:
    taken = {name: speed.Taken(2.0, 3.0) for name in speed.MEASURES}
    taken["six"] = speed.Taken(8.0, 9.0)
    taken["score"] = speed.Taken(1.0, 1.0, 123.4)
    taken["files_jobs"] = speed.Taken(5.0, 1.5)
    measured = speed.table(taken)
    rows = {row[0]: row[1:] for row in _rows(measured)}
    # 1 s of 8 s; 2 s of 1 s; by the clock, 1.5 s of 3 s.
    assert rows["`mwz score`"][2] == "0.125"
    assert rows["`mwz score`"][-1] == "123"
    assert rows["`mwz score --intervals`"][2:4] == ["2", "1.3 (missed)"]
    # The seconds are the processor's there, too.
    assert rows["100 files, 2 jobs; ratio by the clock"][:4] == [
        *("5.00", "100 files, 1 job", "0.5", "0.588")
    ]
    assert rows[speed.MEASURES["six"].title] == ["8.00", "–", "–", "–", "–"]


def test_of_several_runs_the_least_counts(speed: Any) -> None:
    least = speed.Taken(2.0, 5.0, 90.0).least(speed.Taken(3.0, 4.0, 80.0))
    assert least == speed.Taken(2.0, 4.0, 80.0)


def test_only_the_table_of_the_page_is_written(speed: Any) -> None:
    taken = {name: speed.Taken(2.0, 3.0) for name in speed.MEASURES}
    once = speed.page(f"By hand.\n\n{speed.MARK}\n\nold", taken)
    assert once == f"By hand.\n\n{speed.MARK}\n\n{speed.table(taken)}\n"
    assert speed.page(once, taken) == once


def test_the_page_has_every_measure_with_its_target(speed: Any) -> None:
    written = _rows(speed.PAGE.read_text(encoding="utf-8"))
    made = _rows(speed.table({name: speed.Taken(2.0, 3.0) for name in speed.MEASURES}))
    assert [[row[0], row[2], row[4].removesuffix(" (missed)")] for row in written] == [
        [row[0], row[2], row[4].removesuffix(" (missed)")] for row in made
    ]
    # What misses its target says so.
    for title, _, _, ratio, target, _ in written[1:]:
        if title != "what" and target != "–":
            at_most, _, missed = target.partition(" ")
            assert (float(ratio) > float(at_most)) == (missed == "(missed)"), title
