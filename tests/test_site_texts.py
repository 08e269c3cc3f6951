"""What strangers write stays text on the page, and documents become pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from entered import enter, reports, site_of, system
from helpers import refusal
from parsed import elements, text_of, tree_of
from test_reported import row as reported_row, table as reported_table, written

from mwz.harness.board import model
from mwz.harness.board.views.site import document, site_address

SCRIPT = "<script>alert(1)</script>"


LINK = "](javascript:alert(1)) [x](javascript:alert(1))"


def test_markup_of_entries_is_text(three_entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = {
        "name": SCRIPT,
        "note": f"{LINK} {SCRIPT}",
        "multiwoz": f'"><img src=x onerror=alert(1)>{SCRIPT}',
        "reported": [{"source": f"{SCRIPT} {LINK}", "inform": 70.0}],
    }
    enter(three_entries, "strange", system(**strange), reports(bleu=19.0))
    (three_entries / "note.txt").write_text(f"{SCRIPT} {LINK}", encoding="utf-8")
    odd = {**reported_row(SCRIPT, BLEU="<i>1</i>"), "note": LINK}
    written(three_entries, reported_table(odd, title="<b>x</b>"))
    problems = refusal(site_of, three_entries).problems
    # Such a name is refused where entries are checked; the pages do not rely on that.
    assert any("gives no folder name" in problem for problem in problems)
    monkeypatch.setattr(model, "entry_problems", lambda entries: [])
    made = site_of(three_entries)
    for path, text in made.items():
        if not path.endswith(".html"):
            continue
        tree = tree_of(text)
        scripts = [e for e in elements(tree, "script") if "json" not in e.get("type", "")]
        assert [e.get("src", "").rpartition("/")[2] for e in scripts] == ["site.js"], path
        assert {e.get("src") for e in elements(tree, "img")} <= {f"{Path(path).stem}.svg"}, path
        assert "x" not in map(text_of, elements(tree, "b")), path
        assert not elements(tree, "i"), path
        hrefs = [e.get("href") for e in tree.iter() if e.get("href")]
        assert not [href for href in hrefs if str(href).lower().startswith("javascript")], path
    for path in ("index.html", "systems/strange.html"):
        assert SCRIPT in text_of(tree_of(made[path])), path
    assert LINK in text_of(tree_of(made["index.html"]))
    assert json.loads(made["systems/strange.json"])["system"] == SCRIPT


def test_html_and_dangerous_links_in_a_document_are_text() -> None:
    text = f"# Title\n\n{SCRIPT}\n\n[a](javascript:alert(1)) [b](data:text/html,x)\n"
    _, html = document(text, [])
    tree = tree_of(f"<!DOCTYPE html><title>x</title>{html}")
    assert not elements(tree, "script")
    assert not elements(tree, "a")
    assert SCRIPT in text_of(tree)


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("audit.md", "audit.html"),
        ("audit.md#policy-systems", "audit.html#policy-systems"),
        ("#here", "#here"),
        ("../leaderboard.md", "index.html"),
        ("../leaderboard.md#flags", "index.html"),
        ("board-tables.md#notes", "index.html"),
        ("https://example.org/x", "https://example.org/x"),
        ("python.md", None),
        ("../docs/audit.md", "audit.html"),
        ("../harness/cli/why.py", None),
        ("/etc/passwd", None),
        ("javascript:alert(1)", None),
        ("//example.org/x", None),
    ],
)
def test_links_of_documents_lead_to_pages_or_nowhere(address: str, leads_to: str | None) -> None:
    assert site_address(address, ["audit"]) == leads_to
    # What is no page leads to the repository, if it is known.
    known = site_address(address, ["audit"], "https://host.org/a/b")
    file = {"../harness/cli/why.py": "harness/cli/why.py"}.get(address, "")
    assert known == leads_to or str(known).startswith(f"https://host.org/a/b/blob/HEAD/{file}")


def test_headings_of_documents_have_addresses_of_their_own() -> None:
    heading, html = document("# One\n\n## A `b` (c)\n\n## A b c\n", [])
    assert heading == "One"
    assert re.findall(r'id="([^"]*)"', html) == ["one", "a-b-c", "a-b-c-1"]
