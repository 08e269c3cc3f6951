"""The figures in the documents are those of the entries, and their links lead somewhere.

The documents are about some of the entries; those that others add need not be in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers import table_rows

from mwz.harness.board import Entry, read_entries
from mwz.harness.board.views.site_pages import document
from mwz.harness.metrics import TOTAL

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def submissions() -> Mapping[str, Entry]:
    return {s.system.name: s for s in read_entries(ROOT / "submissions")}


def rates(entry: Entry, setup: str, rules: str = "2021") -> list[str]:
    report = entry.scores.reports.get(rules)
    scores = report.setup(setup)
    return [f"{rates[TOTAL]:.1f}" for rates in (scores.inform, scores.success)]


def test_the_readme_shows_the_scored_and_the_reported_figures(
    submissions: Mapping[str, Entry],
) -> None:
    table = table_rows((ROOT / "README.md").read_text(encoding="utf-8"))
    rows = {first: cells for first, *cells in table[2:]}
    assert len(rows) > 3
    for title, cells in rows.items():
        entry = submissions[title.split(" (")[0]]
        if title == "Corpus":
            # What the paper says of the corpus is no report of a system.
            assert cells == ["–", *rates(entry, "strict"), "–", "–", "–"]
            continue
        own = entry.system.reported[0].figures
        reported = [str(own["inform"]), str(own["success"])]
        whole = (
            entry.scores.main.whole(name) for name in ("bleu", "inform", "success", "combined")
        )
        bound = "" if entry.scores.main.coverage.complete else "≥ "
        assert cells == [*(f"{bound}{figure:.1f}" for figure in whole), *reported]
    # 578 of 1000 dialogues, of which DAMD leaves out one: 57.9 % of the other 999.
    assert rows["DAMD (end-to-end)"][1] == "≥ 57.8"


_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```", re.DOTALL)
PAGES = ("README.md", "CONTRIBUTING.md", *sorted(f"docs/{p.name}" for p in ROOT.glob("docs/*.md")))


def headings(path: Path) -> set[str]:
    """Return the addresses of a page's headings."""
    return set(re.findall(r'id="([^"]+)"', document(path.read_text(encoding="utf-8"), [])[1]))


@pytest.mark.parametrize("name", PAGES)
def test_links_between_the_documents_lead_to_files_and_headings(name: str) -> None:
    page = ROOT / name
    for link in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        # Others are on the web, or pages of the repository's host.
        if re.match(r"https?:|\.\./\.\./actions", link):
            continue
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        assert target.is_file(), link
        if heading:
            assert heading in headings(target), link
