"""The pages of the board: sound, linked, made of the submissions alone, and what each shows."""

from __future__ import annotations

import itertools
import json
import posixpath
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import click
import pytest
from entered import enter, reports, site_of, system
from helpers import PROJECT
from parsed import elements, row_of, text_of, tree_of

from mwz.harness.board import Board, read_board, read_entries
from mwz.harness.board.model import public_verdict
from mwz.harness.board.views.site import make_site
from mwz.harness.cli import _mwz
from mwz.harness.diagnosis import CAUSES, SLOT_CAUSES


@pytest.fixture(scope="module")
def trees(project_site: Mapping[str, str]) -> Mapping[str, ElementTree.Element]:
    """Path -> the page."""
    return {path: tree_of(text) for path, text in project_site.items() if path.endswith(".html")}


def test_the_order_of_submissions_changes_nothing(three_entries: Path) -> None:
    board = read_board(three_entries, read_entries(three_entries)[::-1], "2021")
    assert make_site(board, three_entries.parent / "docs") == site_of(three_entries)


def test_links_within_the_site_lead_somewhere(
    project_site: Mapping[str, str], trees: Mapping[str, ElementTree.Element]
) -> None:
    anchors = {path: {e.get("id") for e in tree.iter()} for path, tree in trees.items()}
    followed = 0
    for path, tree in trees.items():
        for link in elements(tree, "a"):
            target, mark, anchor = (link.get("href") or "").partition("#")
            if target.startswith(("https://", "http://")):
                continue
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            where = place if target else path
            assert where in project_site, (path, link.get("href"))
            # The page that compares is told whom by what follows the mark.
            if mark and where != "compare.html":
                assert unquote(anchor) in anchors[where], (path, link.get("href"))
            followed += 1
    assert followed > 400


def test_pages_are_sound(trees: Mapping[str, ElementTree.Element]) -> None:
    """They load nothing from elsewhere, and no address stands twice; tables say what they show."""
    described = set()
    for path, tree in trees.items():
        loaded = [e.get("src") for e in tree.iter() if e.get("src") is not None]
        loaded += [e.get("href") for e in elements(tree, "link") if e.get("rel") == "stylesheet"]
        up = "../" if "/" in path else ""
        own = ["dialogues.css", "dialogues.js"] if path == "dialogues.html" else []
        assert sorted({*map(str, loaded)}) == [*own, f"{up}site.css", f"{up}site.js"]
        assert not any(e.get("style") or e.get("onclick") for e in tree.iter()), path
        ids = [e.get("id") for e in tree.iter() if e.get("id")]
        assert len(ids) == len(set(ids)), path
        for table in elements(tree, "table"):
            heads = [th for part in elements(table, "thead") for th in elements(part, "th")]
            assert {th.get("scope") for th in heads} == {"col"}, path
            if not (PROJECT / "docs" / path).with_suffix(".md").is_file():
                assert elements(table, "caption"), path
        metas = {e.get("name"): e.get("content") for e in elements(tree, "meta")}
        described.add(metas.get("description"))
    # Each page of a system is described in its own words.
    assert len(described) > sum(path.startswith("systems/") for path in trees)


def test_reference_rows_stand_last_without_a_rank(project_site: Mapping[str, str]) -> None:
    tree = tree_of(project_site["index.html"])
    for track in ("end-to-end", "policy-optimization"):
        table = next(t for t in elements(tree, "table") if t.get("data-table") == track)
        lines = [tr for tr in elements(table, "tr") if tr.get("class") not in (None, "divider")]
        is_reference = [tr.get("class") == "reference" for tr in lines]
        assert is_reference == sorted(is_reference)
        assert sum(is_reference) == 2
        rows = [[text_of(cell) for cell in tr] for tr in lines]
        places = [row[0].split()[0] for row in rows]
        assert places == sorted(places, key="–".__eq__)
        # Its BLEU against itself, and what that gives, say nothing of the corpus.
        assert rows[-2][:3] == ["–", "Corpus reference 2018 paper", "–"]
    assert "reference" not in [section.get("id") for section in elements(tree, "section")]


def test_all_verdicts_are_explained(project_site: Mapping[str, str], project_board: Board) -> None:
    # On the pages of systems, where the verdicts stand.
    page = tree_of(project_site["systems/damd.html"])
    explained = "|".join(re.escape(text_of(dt)).replace("…", ".+") for dt in elements(page, "dt"))
    verdicts = {public_verdict(project_board, entry) for entry in project_board.entries} - {""}
    assert verdicts
    for verdict in verdicts:
        assert re.fullmatch(explained, str(verdict).partition(":")[0]), verdict


def test_causes_are_explained_where_shown(project_site: Mapping[str, str]) -> None:
    causes = [*CAUSES, *SLOT_CAUSES]
    assert len(set(causes)) == len(CAUSES) + len(SLOT_CAUSES)
    for path in ("dialogues.html", "compare.html"):
        assert [text_of(dt) for dt in elements(tree_of(project_site[path]), "dt")] == causes
    links = {a.get("href") for a in elements(tree_of(project_site["systems/damd.html"]), "a")}
    assert "../glossary.html#causes" in links
    terms = [text_of(term) for term in elements(tree_of(project_site["glossary.html"]), "strong")]
    assert set(causes) <= set(terms)


def _check_command(line: str) -> None:
    """Check that a command line names a command of the harness and options that it has."""
    program, *words = shlex.split(line)
    assert program == "mwz"
    _parse(_mwz, words)


def _parse(command: click.Command, words: list[str]) -> None:
    """Parse the words of a command as click does; it raises what it cannot."""
    context = click.Context(command, resilient_parsing=True)
    if isinstance(command, click.Group):
        subcommand = command.get_command(context, words[0])
        assert subcommand is not None, words
        _parse(subcommand, words[1:])
    else:
        command.make_parser(context).parse_args(words)


def test_commands_on_pages_parse(project_site: Mapping[str, str], project_board: Board) -> None:
    keys = [entry.key for entry in project_board.entries]
    for key in keys[::5]:
        page = tree_of(project_site[f"systems/{key}.html"])
        shown = next(dl for dl in elements(page, "dl") if dl.get("class") == "commands")
        lines = [text_of(code) for code in elements(shown, "code")]
        assert f"mwz verify {key} --strict" in lines
        for line in lines:
            _check_command(line)


def test_an_empty_folder_makes_an_empty_board(tmp_path: Path) -> None:
    (tmp_path / "submissions").mkdir()
    made = site_of(tmp_path / "submissions")
    page = tree_of(made["index.html"])
    assert not elements(page, "table")
    # Whoever finds it empty is told how to add an entry.
    [command] = [text_of(code) for code in elements(page, "code") if "submit" in text_of(code)]
    _check_command(command)


def test_why_two_systems_do_not_compare_is_on_the_page(project_site: Mapping[str, str]) -> None:
    page = tree_of(project_site["compare.html"])
    script = next(e for e in elements(page, "script") if e.get("id") == "pairs")
    data = json.loads(script.text or "")
    why = next(why for why, pairs in data["apart"].items() if "galaxy/galaxy-policy" in pairs)
    assert why == "different sources of belief states: predicted and gold"
    keys = sorted(data["systems"])
    pairs = itertools.chain(data["pairs"], *data["apart"].values())
    assert set(pairs) == set(map("/".join, itertools.combinations(keys, 2)))


def test_reported_rows_say_so_and_have_no_rank(project_site: Mapping[str, str]) -> None:
    bodies = elements(tree_of(project_site["index.html"]), "tbody")
    body, row = next((b, r) for b in bodies for r in b if r.get("id") == "reported-mttod")
    assert body.get("class") == "reported"
    assert text_of(next(iter(body))).startswith("Reported, outputs not available: as printed by")
    assert text_of(next(iter(row))) == "–"
    # As the public board prints them: 19.0, 85.9, 76.5, 100.2; what ranks stands first.
    assert [text_of(cell) for cell in list(row)[2:6]] == ["100.2", "76.5", "85.9", "19.0"]


def test_a_systems_page_has_all_sections(trees: Mapping[str, ElementTree.Element]) -> None:
    page = text_of(trees["systems/damd.html"])
    headings = {h.get("id") for h in elements(trees["systems/damd.html"], "h2")}
    assert headings >= {
        "set-ups", "domains", "reported", "causes", "state-tracking", "signature", "cite"
    }  # fmt: skip
    # The printed 84.8 is the optimistic (73.7 + 63.0) / 2 + 16.4 = 84.75 beside strict parts.
    assert "Public board: optimistic combined score: Combined −15.6" in page
    assert "mwz:" in page
    assert "@misc{damd," in page


def test_a_page_is_headed_by_what_authors_and_public_board_print(
    trees: Mapping[str, ElementTree.Element],
) -> None:
    page = trees["systems/ubar.html"]
    head = next(p for p in elements(page, "p") if p.get("class") == "facts")
    # 17.6 - 17.0, 95.7 - 83.4 and 81.8 - 70.3.
    assert text_of(head).endswith(
        "Public board: matches Authors report BLEU 17.0 (0.6 less than here), "
        "Inform 95.7 (12.3 more), Success 81.8 (11.5 more) Why"
    )
    latex, markdown, reference = [text_of(pre) for pre in elements(page, "pre")]
    row = "% System & BLEU & Inform & Success & Combined \\\\ UBAR & 17.6 & 83.4 & 70.3 & 94.4"
    assert latex.startswith(row)
    assert markdown.endswith("| UBAR | 17.6 | 83.4 | 70.3 | 94.4 |")
    assert reference.startswith("@misc{ubar,")


def test_trackers_have_no_figures_of_responses(project_site: Mapping[str, str]) -> None:
    key = "dard-dst-mistral-single"
    page = tree_of(project_site[f"systems/{key}.html"])
    assert {h.get("id") for h in elements(page, "h2")} >= {"state-tracking", "signature"}
    assert "Inform" not in text_of(elements(page, "main")[0])
    jga = json.loads(project_site[f"systems/{key}.json"])["state_tracking"]["JGA"]
    cells = [text_of(cell) for cell in row_of(project_site["index.html"], f"tracking-{key}")]
    assert f"{jga:.2f}" in cells


def test_a_system_without_outputs_says_so(three_entries: Path) -> None:
    facts = system(name="Hidden", predictions={"unavailable": "the authors withdrew them"})
    enter(three_entries, "hidden", facts, reports(bleu=30.0))
    made = site_of(three_entries)
    row = row_of(made["index.html"], "row-hidden")
    assert row.get("class") == "unavailable"
    assert text_of(next(iter(row))) == "–"
    assert "unavailable" in text_of(row)
    assert "the authors withdrew them" in text_of(tree_of(made["systems/hidden.html"]))
