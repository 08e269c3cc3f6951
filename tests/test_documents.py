"""The figures in the documents are those of the entries.

The documents are about some of the entries; those that others add need not be in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mwz.harness.benchmark import CANONICAL_STYLE
from mwz.harness.board.entries import Entry, read_entries
from mwz.harness.metrics.inform_success import TOTAL

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def submissions() -> Mapping[str, Entry]:
    return {s.system.name: s for s in read_entries(ROOT / "submissions")}


def table_rows(document: str) -> dict[str, list[str]]:
    """Return the first table of a document: first cell -> the other cells."""
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|:"))
    rows = {}
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        first, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[first] = cells
    return rows


def rates(entry: Entry, setup: str, rules: str = "2021") -> list[str]:
    report = entry.scores.under(rules)
    assert report is not None
    scores = report.setup(setup)
    assert scores is not None
    return [f"{rates[TOTAL]:.1f}" for rates in (scores.inform, scores.success)]


def bleu(entry: Entry) -> str:
    styles = entry.scores.main.bleu
    assert styles is not None
    return f"{styles[CANONICAL_STYLE]:.1f}"


def test_the_readme_shows_the_scored_and_the_reported_figures(
    submissions: Mapping[str, Entry],
) -> None:
    rows = table_rows("README.md")
    assert len(rows) > 3
    for title, cells in rows.items():
        if title == "Corpus":
            corpus = submissions["Corpus"]
            assert cells == ["–", *rates(corpus, "strict"), "–", "–", "–"]
            continue
        entry = submissions[title.split(" (")[0]]
        own = entry.system.reported[0].figures
        assert cells == [
            bleu(entry),
            *rates(entry, "strict"),
            f"{entry.scores.main.combined:.1f}",
            str(own["inform"]),
            str(own["success"]),
        ]
