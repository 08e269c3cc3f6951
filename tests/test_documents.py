"""The figures in the documents are those of the entries, and their links lead somewhere.

The documents are about some of the entries; those that others add need not be in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from mwz.harness.board import Entry, read_entries
from mwz.harness.board.views.document_pages import document
from mwz.harness.metrics import TOTAL

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
    report = entry.scores.reports.get(rules)
    assert report is not None
    scores = report.setup(setup)
    assert scores is not None
    return [f"{rates[TOTAL]:.1f}" for rates in (scores.inform, scores.success)]


def test_the_readme_shows_the_scored_and_the_reported_figures(
    submissions: Mapping[str, Entry],
) -> None:
    rows = table_rows("README.md")
    assert len(rows) > 3
    for title, cells in rows.items():
        entry = submissions[title.split(" (")[0]]
        own = entry.system.reported[0].figures
        reported = [str(own["inform"]), str(own["success"])]
        if title == "Corpus":
            assert cells == ["–", *rates(entry, "strict"), "–", *reported]
            continue
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
