"""The documents: links that lead somewhere, and tables that are current."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mwz.harness.board.views.site import document

ROOT = Path(__file__).parent.parent
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```", re.DOTALL)
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *sorted(f"docs/{p.name}" for p in ROOT.glob("docs/*.md")),
)


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
