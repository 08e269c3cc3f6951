"""The board as a web page: what its pages hold, and that nothing but the submissions decides it."""

from __future__ import annotations

import csv
import io
import json
import posixpath
import re
import shlex
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import click
import jsonschema
import pytest
from entered import REPOSITORY, enter, report, reports, system
from helpers import PROJECT, Cli, refusal
from hypothesis import given, settings, strategies as st
from parsed import HTML, tree_of
from ruamel.yaml import YAML
from test_reported import row as reported_row, table as reported_table, written

from mwz.harness.board import Board, Entry, model, read_board, read_entries, tracks
from mwz.harness.board.columns import answer, board_tables, columns, verdict_mark
from mwz.harness.board.markdown import tables_page
from mwz.harness.board.model import make_board
from mwz.harness.board.pairs import EntryPair, PairFigure
from mwz.harness.board.paper_table import references
from mwz.harness.board.rows import as_played
from mwz.harness.board.scores import FIGURES
from mwz.harness.board.systems import arxiv_number, paper_year
from mwz.harness.board.views.board_data import Published, best_by_year, published
from mwz.harness.board.views.charts import LINE, NAMES, nice_marks, scatter
from mwz.harness.board.views.site_pages import (
    LOOPBACK,
    document,
    make_site,
    page_server,
    site_address,
)
from mwz.harness.cli import _mwz
from mwz.harness.diagnosis import CAUSES, SLOT_CAUSES

DOCUMENTS = PROJECT / "docs"
SCRIPT = "<script>alert(1)</script>"
LINK = "](javascript:alert(1)) [x](javascript:alert(1))"

pytestmark = pytest.mark.skipif(not REPOSITORY.is_dir(), reason="the project is not here")


def _all(tree: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return list(tree.iter(f"{HTML}{name}"))


def _text(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _row(page: str, anchor: str) -> ElementTree.Element:
    return next(row for row in _all(tree_of(page), "tr") if row.get("id") == anchor)


def _lines(site: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the lines of the board by their entries."""
    return {line["entry"]: line for line in csv.DictReader(io.StringIO(site["board.csv"]))}


def _rows(site: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    return {row["entry"]: row for row in json.loads(site["board.json"])["rows"]}


@pytest.fixture(scope="module")
def entries() -> Sequence[Entry]:
    return read_entries(REPOSITORY)


@pytest.fixture(scope="module")
def made(entries: Sequence[Entry]) -> dict[str, str]:
    return make_site(read_board(REPOSITORY, entries, "2021"), DOCUMENTS)


@pytest.fixture(scope="module")
def trees(made: Mapping[str, str]) -> Mapping[str, ElementTree.Element]:
    """Path -> the page, which html5lib reads without finding a mistake."""
    return {path: tree_of(text) for path, text in made.items() if path.endswith(".html")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "base" / "submissions"
    for key, bleu in (("alpha", 20.0), ("beta", 25.0), ("gamma", 15.0)):
        enter(path, key, system(name=key.title()), reports(bleu=bleu))
    return path


def _made(folder: Path) -> dict[str, str]:
    return make_site(read_board(folder, read_entries(folder), "2021"), folder.parent / "docs")


# What the site is.


def test_the_same_submissions_make_the_same_bytes_in_whatever_order(folder: Path) -> None:
    board = read_board(folder, read_entries(folder)[::-1], "2021")
    assert make_site(board, folder.parent / "docs") == _made(folder)


def test_links_lead_to_files_and_places_of_the_site_or_to_complete_addresses(
    made: Mapping[str, str], trees: Mapping[str, ElementTree.Element]
) -> None:
    anchors = {path: {e.get("id") for e in tree.iter()} for path, tree in trees.items()}
    followed = 0
    for path, tree in trees.items():
        for link in _all(tree, "a"):
            target, mark, anchor = (link.get("href") or "").partition("#")
            if target.startswith(("https://", "http://")):
                continue
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            where = place if target else path
            assert where in made, (path, link.get("href"))
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
        loaded += [e.get("href") for e in _all(tree, "link") if e.get("rel") == "stylesheet"]
        up = "../" if "/" in path else ""
        own = ["dialogues.css", "dialogues.js"] if path == "dialogues.html" else []
        assert sorted({*map(str, loaded)}) == [*own, f"{up}site.css", f"{up}site.js"]
        assert not any(e.get("style") or e.get("onclick") for e in tree.iter()), path
        ids = [e.get("id") for e in tree.iter() if e.get("id")]
        assert len(ids) == len(set(ids)), path
        for table in _all(tree, "table"):
            heads = [th for part in _all(table, "thead") for th in _all(part, "th")]
            assert {th.get("scope") for th in heads} == {"col"}, path
            if not (DOCUMENTS / path).with_suffix(".md").is_file():
                assert _all(table, "caption"), path
        described |= {
            e.get("content") for e in _all(tree, "meta") if e.get("name") == "description"
        }
    # Each page of a system is described in its own words.
    assert len(described) > sum(path.startswith("systems/") for path in trees)


# What the board says.


def _pair(a: str, b: str, difference: float, p: float) -> EntryPair:
    figure = PairFigure(difference, p, "randomisation")
    return EntryPair(a, b, ("", ""), 100, 1, 1, dict.fromkeys(FIGURES, figure))


def _ranges(folder: Path, *pairs: tuple[str, str, float, float]) -> Board:
    """Return a board of alpha to delta, of BLEU 25, 24, 23 and 22, with tests as given."""
    for bleu, key in {25.0: "alpha", 24.0: "beta", 23.0: "gamma", 22.0: "delta"}.items():
        enter(folder, key, system(name=key.title()), reports(bleu=bleu))
    entry_pairs = [one for pair in pairs for one in (_pair(*pair), _pair(*pair).reversed())]
    by_keys = {(one.a, one.b): one for one in entry_pairs}
    return make_board(read_entries(folder), "2021", pairs=by_keys)


def test_a_rank_range_goes_from_who_is_better_to_who_is_worse(tmp_path: Path) -> None:
    # Alpha and gamma, alpha and delta, beta and delta differ (p = .01); the others do not (.2).
    board = _ranges(
        tmp_path,
        *(("alpha", "gamma", 2.0, 0.01), ("alpha", "delta", 3.0, 0.01)),
        *(("beta", "delta", 2.0, 0.01), ("alpha", "beta", 1.0, 0.2)),
        *(("beta", "gamma", 1.0, 0.2), ("delta", "gamma", -1.0, 0.2)),
    )
    # Nobody is better than alpha, two are worse: 1 to 4 - 2. Two are better than delta: 1 + 2 to 4.
    assert board.rank_ranges == {"alpha": (1, 2), "beta": (1, 3), "gamma": (2, 4), "delta": (3, 4)}
    # Gamma is the first that is worse than alpha, and delta is not worse than gamma.
    bands = [[row.key for row in band] for band in board.bands("end-to-end")]
    assert bands == [["alpha", "beta"], ["gamma", "delta"]]


@pytest.mark.parametrize(
    ("distinct", "tied", "first"),
    [
        ("beta gamma delta", "", "Alpha is the best: significantly ahead of all others on"),
        # A band ends at beta, which is worse; gamma below it is not.
        ("beta delta", "gamma", "No single best: Alpha and Gamma are statistically tied on"),
        ("beta", "", "Alpha is the best: significantly ahead of all that compare with it on"),
        ("", "beta gamma", "No single best: Alpha, Beta and Gamma are statistically tied on"),
        ("", "", "Alpha leads by"),
    ],
)
def test_the_answer_names_the_best_and_all_that_are_tied_with_it(
    distinct: str, tied: str, first: str, tmp_path: Path
) -> None:
    pairs = [("alpha", key, 1.0, 0.01) for key in distinct.split()]
    pairs += [("alpha", key, 1.0, 0.2) for key in tied.split()]
    board = _ranges(tmp_path, *pairs)
    table = next(one for one in board_tables(board) if one.key == "end-to-end")
    tested = "" if pairs else "; no test compares the systems"
    # All have Inform 70 and Success 60; alpha has the highest BLEU, 25.
    others = "Alpha, Beta, Gamma and Delta have the highest Inform and Success, Alpha BLEU."
    assert answer(board, table) == f"{first} Combined{tested}. {others}"
    # One ranked system answers nothing.
    assert answer(board, replace(table, rows=table.rows[:1])) == ""
    # A thick line begins each band but the first, of which the best worse row is the beginning.
    page = tree_of(make_site(board, tmp_path / "docs")["index.html"])
    begins = [tr.get("id") for tr in _all(page, "tr") if "begins" in str(tr.get("class"))]
    assert begins == [f"row-{key}" for key in distinct.split()[:1]]


def test_marks_say_in_short_what_qualifies_a_row(tmp_path: Path) -> None:
    # Tied on Combined (p = .2), but not on BLEU (.01). Under 2026 beta, of BLEU 30, is the first.
    pair = _pair("alpha", "beta", 1.0, 0.2)
    distinct = PairFigure(1.0, 0.01, "randomisation")
    pair = replace(pair, figures={**pair.figures, "bleu": distinct})
    enter(tmp_path, "alpha", system(name="Alpha", note="one run"), reports(bleu=25.0))
    newest = {"2026": report("2026", bleu=30.0)}
    # 90 of 100 dialogues are 540 of 600 turns: at least (63 + 54) / 2 + 18 = 76.5, of 85.
    part = reports(bleu=20.0, turns=540, dialogues=90)
    enter(tmp_path, "beta", system(name="Beta"), {**reports(bleu=24.0), **newest})
    enter(tmp_path, "gamma", system(name="Gamma"), part)
    pairs = {(one.a, one.b): one for one in (pair, pair.reversed())}
    board = make_board(read_entries(tmp_path), "2021", pairs=pairs)
    marks = {row.key: {m.kind: (m.note, m.value) for m in board.marks(row)} for row in board.rows}
    assert marks["alpha"] == {"note": ("one run", ""), "rules": ("rank 2 under rule set 2026", "2")}
    assert marks["beta"] == {
        "rules": ("rank 1 under rule set 2026", "1"),
        "differs": ("tied with Alpha above on Combined, but differs in BLEU", ""),
    }
    [(kind, (note, value))] = marks["gamma"].items()
    assert (kind, value, note[:6]) == ("missing", "10", "≥ 76.5")
    # Seen from the newest rule set there is no newer one.
    newer = make_board(read_entries(tmp_path), "2026")
    assert [m.kind for m in newer.marks(newer.rows[0])] == []
    # Each mark says its note.
    row = _row(make_site(board, tmp_path / "docs")["index.html"], "row-beta")
    links = [a for a in _all(row, "a") if str(a.get("class")).startswith("mark ")]
    assert [a.get("title") for a in links] == [note for note, _ in marks["beta"].values()]


def test_a_reported_figure_stands_with_its_gap_which_is_marked_beyond_two_points(
    tmp_path: Path,
) -> None:
    # Scored are Inform 70 and Success 60: 2.0 and 2.1 points less than reported.
    reported = [{"source": "x", "inform": "72.0", "success": "62.1"}]
    enter(tmp_path, "alpha", system(name="Alpha", reported=reported))
    board = make_board(read_entries(tmp_path), "2021")
    by_key = {column.key: column.value(board.rows[0]) for column in columns(board)}
    found = [by_key[f"{name}-reported"] for name in ("inform", "success")]
    assert [(one.text, one.mark) for one in found] == [("72.0", ""), ("62.1", "bad")]
    assert [one.gap for one in found] == pytest.approx([-2.0, -2.1])
    cells = [_text(cell) for cell in _row(_made(tmp_path)["index.html"], "row-alpha")]
    assert {"72.0 −2.0", "62.1 −2.1"} <= set(cells)


def test_who_compares_with_none_is_neither_better_nor_worse(tmp_path: Path) -> None:
    # Of delta, the last, nothing is known: it has no range, and stays below the others.
    board = _ranges(
        tmp_path,
        *(("alpha", "beta", 1.0, 0.01), ("alpha", "gamma", 2.0, 0.01)),
        ("beta", "gamma", 1.0, 0.01),
    )
    assert board.rank_ranges == {"alpha": (1, 1), "beta": (2, 2), "gamma": (3, 3)}
    files = make_site(_ranges(tmp_path / "without"), tmp_path / "docs")
    assert {line["rank_range"] for line in _lines(files).values()} == {""}
    assert "compare.html" not in files
    assert "compare.html" not in files["index.html"]


def test_reference_rows_stand_below_the_others_without_a_rank(made: Mapping[str, str]) -> None:
    tree = tree_of(made["index.html"])
    for track in ("end-to-end", "policy-optimization"):
        table = next(t for t in _all(tree, "table") if t.get("data-table") == track)
        lines = [tr for tr in _all(table, "tr") if tr.get("class") not in (None, "divider")]
        is_reference = [tr.get("class") == "reference" for tr in lines]
        assert is_reference == sorted(is_reference)
        assert sum(is_reference) == 2
        rows = [[_text(cell) for cell in tr] for tr in lines]
        places = [row[0].split()[0] for row in rows]
        assert places == sorted(places, key="–".__eq__)
        # Its BLEU against itself, and what that gives, say nothing of the corpus.
        assert rows[-2][:3] == ["–", "Corpus reference 2018 paper", "–"]
    assert "reference" not in [section.get("id") for section in _all(tree, "section")]


def test_only_what_the_harness_contradicts_is_marked_bad() -> None:
    marks = {
        "matches the public board": "good",
        "matches the paper": "good",
        "matches the public board under strict set-up, rules 2023: Inform +0.9": "",
        "matches the public board to rounding: average length +0.01": "good",
        "domains from states: Success +1.8": "",
        "does not match: unique words -1": "",
        "not scored": "",
        "optimistic combined score: Combined -15.6": "",
        "contradicts its printed parts: Combined -15.6": "bad",
    }
    assert {verdict: verdict_mark(verdict) for verdict in marks} == marks


def test_every_verdict_of_the_board_is_explained(
    made: Mapping[str, str], entries: Sequence[Entry]
) -> None:
    # On the pages of systems, where the verdicts stand.
    page = tree_of(made["systems/damd.html"])
    explained = "|".join(re.escape(_text(dt)).replace("…", ".+") for dt in _all(page, "dt"))
    board = read_board(REPOSITORY, entries, "2021")
    found = [v.partition(":")[0] for entry in entries if (v := board.verdict(entry))]
    assert found
    assert [one for one in found if not re.fullmatch(explained, one)] == []


def test_every_cause_of_lost_points_is_explained_where_causes_are_shown(
    made: Mapping[str, str],
) -> None:
    causes = [*CAUSES, *SLOT_CAUSES]
    assert len(set(causes)) == len(CAUSES) + len(SLOT_CAUSES)
    for path in ("dialogues.html", "compare.html"):
        assert [_text(dt) for dt in _all(tree_of(made[path]), "dt")] == causes
    links = {a.get("href") for a in _all(tree_of(made["systems/damd.html"]), "a")}
    assert "../glossary.html#causes" in links
    cells = [_text(td) for td in _all(tree_of(made["glossary.html"]), "td")]
    assert set(causes) <= set(cells)


# By year.


def test_the_best_by_year_are_those_that_beat_all_before() -> None:
    figures = [(2020, 90.0), (2020, 80.0), (2021, 85.0), (2022, 95.0), (2022, 94.0), (2023, 95.0)]
    found = [Published(year, "x", figure, True) for year, figure in figures]
    assert [(one.year, one.figure) for one in best_by_year(found)] == [(2020, 90.0), (2022, 95.0)]


def test_reported_figures_by_year_are_what_is_printed_or_follows_from_it(tmp_path: Path) -> None:
    reported = [
        {"source": "x", "inform": 90.0, "success": 80.0, "bleu": 20.0},
        {"source": "y", "inform": 70.0, "success": 60.0},
    ]
    folder = tmp_path / "submissions"
    enter(folder, "alpha", system(name="Alpha", year=2021, reported=reported), reports(bleu=20.0))
    enter(folder, "beta", system(name="Beta"), reports(bleu=25.0))
    gamma = {**reported_row("Gamma", Combined="101.5"), "paper": "https://arxiv.org/abs/1912.01234"}
    written(folder, reported_table(gamma))
    board = read_board(folder, read_entries(folder), "2021")
    found = {
        (one.year, one.name, one.scored_here): one.figure for one in published(board, "end-to-end")
    }
    # Verified: (70 + 60) / 2 + 20; reported: (90 + 80) / 2 + 20; of beta no year is known.
    assert found == {
        (2019, "Gamma", False): 101.5,
        (2021, "Alpha", False): 105.0,
        (2021, "Alpha", True): 85.0,
    }


def test_every_track_has_charts_of_its_own_measures(made: Mapping[str, str]) -> None:
    tree = tree_of(made["index.html"])
    titles = {
        section.get("id"): [_text(h3) for h3 in _all(section, "h3")]
        for section in _all(tree, "section")
        if section.get("class") == "track"
    }
    assert titles["end-to-end"][:2] == ["Best Combined by year", "Success against BLEU"]
    assert titles["state-tracking"] == ["Best JGA by year", "JGA against Slot F1"]
    assert titles["lexicalised"][-1] == "Success, all against Of a named venue, %"
    assert titles["live"] == []
    for track in tracks().values():
        assert not track.submitted or track.ranks
    # The best have their names shown, the others on hover.
    section = next(one for one in _all(tree, "section") if one.get("id") == "end-to-end")
    names = [text for text in section.iter("{http://www.w3.org/2000/svg}text") if text.text]
    assert {"Mars", "GALAXY"} <= {name.text for name in names}
    assert "Mars" in {name.text for name in names if name.get("class") != "hidden"}


# Cards.


def test_the_commands_on_the_pages_of_systems_are_those_of_the_harness(
    made: Mapping[str, str], entries: Sequence[Entry]
) -> None:
    keys = [entry.key for entry in entries]
    for key in keys[::5]:
        page = tree_of(made[f"systems/{key}.html"])
        shown = next(dl for dl in _all(page, "dl") if dl.get("class") == "commands")
        lines = [_text(code) for code in _all(shown, "code")]
        assert f"mwz verify {key} --strict" in lines
        for line in lines:
            program, *words = shlex.split(line)
            assert program == "mwz"
            _parsed(_mwz, words)


def _parsed(command: click.Command, words: list[str]) -> None:
    """Parse the words of a command as click does; it raises what it cannot."""
    context = click.Context(command, resilient_parsing=True)
    if isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, words
        _parsed(found, words[1:])
    else:
        command.make_parser(context).parse_args(words)


# What others find.


def test_the_json_is_as_its_schema_says(made: Mapping[str, str]) -> None:
    schema = json.loads(made["board.schema.json"])
    checked = jsonschema.Draft202012Validator(schema)
    checked.check_schema(schema)
    board = json.loads(made["board.json"])
    checked.validate(board)
    assert len(board["rows"]) == len(read_entries(REPOSITORY))
    assert all(row["json"] in made for row in board["rows"])
    reported = {one["system"] for table in board["reported_only"] for one in table["rows"]}
    assert {"MTTOD", "TripPy"} <= reported
    board["rows"][0]["rank"] = 0
    assert not checked.is_valid(board)


def test_why_two_systems_do_not_compare_is_on_the_page(made: Mapping[str, str]) -> None:
    page = tree_of(made["compare.html"])
    script = next(e for e in _all(page, "script") if e.get("id") == "pairs")
    data = json.loads(script.text or "")
    why = next(why for why, pairs in data["apart"].items() if "galaxy/galaxy-policy" in pairs)
    assert why == "different sources of belief states: predicted and gold"
    keys = sorted(data["systems"])
    told = {*data["pairs"], *(pair for pairs in data["apart"].values() for pair in pairs)}
    assert told == {f"{a}/{b}" for at, a in enumerate(keys) for b in keys[at + 1 :]}


def test_reported_rows_are_told_from_scored_ones_in_words_and_have_no_rank(
    made: Mapping[str, str],
) -> None:
    bodies = _all(tree_of(made["index.html"]), "tbody")
    body, row = next((b, r) for b in bodies for r in b if r.get("id") == "reported-mttod")
    assert body.get("class") == "reported"
    assert _text(next(iter(body))).startswith("Reported, outputs not available: as printed by")
    assert _text(next(iter(row))) == "–"
    # As the public board prints them: 19.0, 85.9, 76.5, 100.2; what ranks stands first.
    assert [_text(cell) for cell in list(row)[2:6]] == ["100.2", "76.5", "85.9", "19.0"]


def test_the_page_of_a_system_holds_what_is_known_of_it(
    trees: Mapping[str, ElementTree.Element],
) -> None:
    page = _text(trees["systems/damd.html"])
    headings = {h.get("id") for h in _all(trees["systems/damd.html"], "h2")}
    assert headings >= {
        "set-ups", "domains", "reported", "causes", "state-tracking", "signature", "cite"
    }  # fmt: skip
    # The printed 84.8 is the optimistic (73.7 + 63.0) / 2 + 16.4 = 84.75 beside strict parts.
    assert "Public board: optimistic combined score: Combined −15.6" in page
    assert "mwz:" in page
    assert "@misc{damd," in page


def test_a_tracker_has_its_row_its_page_and_no_figures_of_responses(
    made: Mapping[str, str],
) -> None:
    key = "dard-dst-mistral-single"
    page = tree_of(made[f"systems/{key}.html"])
    assert {h.get("id") for h in _all(page, "h2")} >= {"state-tracking", "signature"}
    assert "Inform" not in _text(_all(page, "main")[0])
    jga = json.loads(made[f"systems/{key}.json"])["state_tracking"]["JGA"]
    cells = [_text(cell) for cell in _row(made["index.html"], f"tracking-{key}")]
    assert f"{jga:.2f}" in cells


def test_a_system_whose_outputs_nobody_can_get_is_told_from_the_others(folder: Path) -> None:
    facts = system(name="Hidden", predictions={"unavailable": "the authors withdrew them"})
    enter(folder, "hidden", facts, reports(bleu=30.0))
    made = _made(folder)
    row = _row(made["index.html"], "row-hidden")
    assert row.get("class") == "unavailable"
    assert _text(next(iter(row))) == "–"
    assert "unavailable" in _text(row)
    assert "the authors withdrew them" in _text(tree_of(made["systems/hidden.html"]))


def test_an_empty_folder_makes_an_empty_board(tmp_path: Path) -> None:
    (tmp_path / "submissions").mkdir()
    made = _made(tmp_path / "submissions")
    page = tree_of(made["index.html"])
    assert not _all(page, "table")
    # Whoever finds it empty is told how to add an entry.
    [command] = [_text(code) for code in _all(page, "code") if "submit" in _text(code)]
    program, *words = shlex.split(command)
    assert program == "mwz"
    _parsed(_mwz, words)


# What strangers write.


def _texts(tree: ElementTree.Element) -> str:
    return "".join(tree.itertext())


def test_markup_in_a_text_of_an_entry_shows_as_text(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange = {
        "name": SCRIPT,
        "note": f"{LINK} {SCRIPT}",
        "multiwoz": f'"><img src=x onerror=alert(1)>{SCRIPT}',
        "reported": [{"source": f"{SCRIPT} {LINK}", "inform": 70.0}],
    }
    enter(folder, "strange", system(**strange), reports(bleu=19.0))
    (folder / "note.txt").write_text(f"{SCRIPT} {LINK}", encoding="utf-8")
    odd = {**reported_row(SCRIPT, BLEU="<i>1</i>"), "note": LINK}
    written(folder, reported_table(odd, title="<b>x</b>"))
    # Such a name is refused where entries are checked; the pages do not rely on that.
    assert any("gives no folder name" in problem for problem in _problems(folder))
    monkeypatch.setattr(model, "entry_problems", lambda entries: [])
    made = _made(folder)
    for path, text in made.items():
        if not path.endswith(".html"):
            continue
        tree = tree_of(text)
        scripts = [e for e in _all(tree, "script") if "json" not in e.get("type", "")]
        assert [e.get("src", "").rpartition("/")[2] for e in scripts] == ["site.js"], path
        assert {e.get("src") for e in _all(tree, "img")} <= {f"{Path(path).stem}.svg"}, path
        assert not [e for e in _all(tree, "b") if _text(e) == "x"] + _all(tree, "i"), path
        hrefs = [e.get("href") for e in tree.iter() if e.get("href")]
        assert not [href for href in hrefs if str(href).lower().startswith("javascript")], path
    for path in ("index.html", "systems/strange.html", "older-results.html"):
        if path in made:
            assert SCRIPT in _texts(tree_of(made[path])), path
    assert LINK in _texts(tree_of(made["index.html"]))
    assert json.loads(made["systems/strange.json"])["system"] == SCRIPT


def _problems(folder: Path) -> list[str]:
    return list(refusal(_made, folder).problems)


def test_html_and_dangerous_links_in_a_document_are_text() -> None:
    _, html = document(
        f"# Title\n\n{SCRIPT}\n\n[a](javascript:alert(1)) [b](data:text/html,x)\n", []
    )
    tree = tree_of(f"<!DOCTYPE html><title>x</title>{html}")
    assert not _all(tree, "script")
    assert not _all(tree, "a")
    assert SCRIPT in _texts(tree)


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
def test_links_of_documents_lead_to_pages_of_the_site_or_nowhere(
    address: str, leads_to: str | None
) -> None:
    assert site_address(address, ["audit"]) == leads_to
    # What is no page leads to the repository, if it is known.
    known = site_address(address, ["audit"], "https://host.org/a/b")
    file = {"../harness/cli/why.py": "harness/cli/why.py"}.get(address, "")
    assert known == leads_to or str(known).startswith(f"https://host.org/a/b/blob/main/{file}")


def test_headings_of_documents_have_addresses_of_their_own() -> None:
    heading, html = document("# One\n\n## A `b` (c)\n\n## A b c\n", [])
    assert heading == "One"
    assert re.findall(r'id="([^"]*)"', html) == ["one", "a-b-c", "a-b-c-1"]


# What is computed.


def test_what_is_stated_of_a_system_is_on_its_page_and_in_the_downloads(folder: Path) -> None:
    about = {"year": 2031, "model": "T9-tiny", "training": "weather reports", "runs": 3}
    prompts = "https://example.org/prompts"
    enter(folder, "system", system(**about, prompts=prompts), reports(bleu=19.0))
    files = _made(folder)
    page = files["systems/system.html"]
    for title, text in {"Year": "2031", "Model": "T9-tiny", "Runs": "3"}.items():
        assert f"<dt>{title}<dd>{text}</div>" in page
    assert "<dd>weather reports</div>" in page
    assert f'<dt>Prompts<dd><a href="{prompts}">' in page
    assert "<dt>Open weights<dd>not stated</div>" in page
    data: Any = json.loads(files["systems/system.json"])
    assert {name: data[name] for name in about} == about
    assert "open_weights" not in data
    row = _lines(files)["system"]
    assert {name: row[name] for name in about} == {name: str(one) for name, one in about.items()}
    assert row["open_weights"] == ""


@pytest.mark.parametrize(
    ("address", "year", "number"),
    [
        ("https://arxiv.org/abs/2111.14592", 2021, "2111.14592"),
        ("https://arxiv.org/pdf/1907.10016.pdf", 2019, "1907.10016"),
        ("https://aclanthology.org/2021.findings-emnlp.112.pdf", 2021, None),
        ("https://www.aclweb.org/anthology/P18-2069", 2018, None),
        ("https://www.aclweb.org/anthology/2020.acl-main.636.pdf", 2020, None),
        ("https://openreview.net/forum?id=oyZxhRI2RiE", None, None),
        ("https://example.org/arxiv.org/2111.14592", None, None),
        (None, None, None),
    ],
)
def test_the_address_of_a_paper_tells_its_year(
    address: str | None, year: int | None, number: str | None
) -> None:
    assert (paper_year(address), arxiv_number(address)) == (year, number)


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        # 10.8 to 20.7 in steps of 2: 10, 12, …, 22 are seven marks.
        ([10.8, 20.7], [10, 12, 14, 16, 18, 20, 22]),
        ([47.6, 93.3], [40, 50, 60, 70, 80, 90, 100]),
        ([5.0], [5, 5.1]),
    ],
)
def test_marks_are_round_and_enclose_all_values(values: list[float], marks: list[float]) -> None:
    found = nice_marks(values)
    assert found[0] <= min(values)
    assert found[-1] >= max(values)
    if len(values) > 1:
        assert found == marks


_PERCENT = st.floats(0, 100, allow_nan=False)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_PERCENT, _PERCENT), min_size=1, max_size=30))
def test_the_best_of_a_plot_have_names_that_cover_no_other(
    figures: list[tuple[float, float]],
) -> None:
    picture = scatter([{"name": "x", "link": "", "group": "a", "x": x, "y": y} for x, y in figures])
    left, top, right, bottom = picture["plot"]
    for point in picture["points"]:
        assert left <= point["right"] <= right
        assert top <= point["down"] <= bottom
    heights = sorted(point["down"] for point in picture["points"])
    named = sorted(point["down"] for point in picture["points"] if point["named"])
    assert named[0] == heights[0]
    assert len(named) <= NAMES
    assert all(below - above >= LINE for above, below in pairwise(named))


# What can be downloaded.


def test_a_name_that_a_spreadsheet_would_compute_is_quoted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(folder, "formula", system(name="=1+1"), reports(bleu=19.0))
    monkeypatch.setattr(model, "entry_problems", lambda entries: [])
    assert _lines(_made(folder))["formula"]["system"] == "'=1+1"


def test_lower_bounds_have_what_is_played_beside_them(made: Mapping[str, str]) -> None:
    by_key = _lines(made)
    labes = by_key["labes"]
    # 647 of 1000 dialogues; 647 of the 944 that are submitted.
    assert (labes["inform_strict_2021"], labes["inform_strict_2021_as_played"]) == (
        *("64.7", "68.5381"),
    )
    assert labes["lower_bounds"].startswith("≥ 77.0 over all 1000 dialogues (missing ")
    assert by_key["mars"]["inform_strict_2021_as_played"] == by_key["mars"]["lower_bounds"] == ""
    one = json.loads(made["systems/labes.json"])
    scores = one["scores"]["2021"]
    assert (scores["strict"]["inform"], scores["strict_as_played"]["inform"]) == (64.7, 68.5381)
    rows = _rows(made)
    assert rows["labes"]["inform"] == 64.7
    assert rows["labes"]["as_played"]["inform"] == 68.5381
    assert "as_played" not in rows["mars"]
    # Its page has both; that of a system without a rank, the latter alone.
    page = _text(tree_of(made["systems/labes.html"]))
    assert "≥ 77.0 over all 1000 dialogues (missing dialogues count as failures)" in page
    assert "82.2 on the 944 submitted" in page
    few = _text(tree_of(made["systems/to-llm-bot.html"]))
    assert "figures are on the 50 of 1000 dialogues submitted" in few.replace("Its", "its")
    assert "count as failures" not in few
    cells = [_text(cell) for cell in _row(made["index.html"], "row-labes")]
    assert sum(cell.startswith("≥ ") for cell in cells) >= 4


def test_the_corpus_has_no_bleu_and_no_combined_score_in_any_format(
    made: Mapping[str, str], entries: Sequence[Entry]
) -> None:
    line = _lines(made)["corpus"]
    of_bleu = {name: text for name, text in line.items() if "bleu" in name or "combined" in name}
    assert len(of_bleu) > 12
    assert set(of_bleu.values()) == {""}
    row = _rows(made)["corpus"]
    assert (row["bleu"], row["combined"], row["inform"]) == (None, None, 93.8)
    one = json.loads(made["systems/corpus.json"])
    assert "bleu_by_style" not in one
    assert {of["combined"] for own in one["scores"].values() for of in own.values()} == {None}
    assert one["flags"].keys() & {"best_bleu"} == one["intervals"].keys() & {"bleu"} == set()
    page = tables_page(read_board(REPOSITORY, entries, "2021"))
    rows = [one.split("|")[2:] for one in page.splitlines() if one.startswith("| Corpus ")]
    assert rows
    assert not [cell for cells in rows for cell in cells if cell.strip() in ("100.0", "192.4")]
    assert "Corpus" not in made["compare.html"]


def test_tables_of_other_tracks_can_be_downloaded_with_all_their_rows(
    made: Mapping[str, str], entries: Sequence[Entry]
) -> None:
    board = read_board(REPOSITORY, entries, "2021")
    for track in ("lexicalised", "state-tracking"):
        tables = board.tables_by_track[track]
        lines = list(csv.DictReader(io.StringIO(made[f"{track}.csv"])))
        rows = [row for table in tables for row in table]
        assert [line["entry"] for line in lines] == [row.key for row in rows]
        for line, row in zip(lines, rows, strict=True):
            if track == "lexicalised":
                value = as_played(row.figures["grounded.success_all"]).number
                assert float(line["success_all"]) == pytest.approx(value, abs=5e-5)
            elif line["jga"]:  # What is shown of a ranked row is what ranks it.
                value = row.figures["JGA"].number if row.rank is None else row.ranking_key[0]
                assert float(line["jga"]) == pytest.approx(value, abs=5e-5)


def test_the_bibtex_agrees_with_the_citation_file() -> None:
    citation = YAML(typ="safe").load(PROJECT / "CITATION.cff")
    text = "".join(one.bibtex() for one in references(("harness", "inform")))
    assert f"title = {{{{{citation['title']}}}}}" in text
    assert f"author = {{{{{citation['authors'][0]['name']}}}}}" in text
    paper = citation["references"][0]
    assert f"title = {{{{{paper['title']}}}}}" in text
    assert f"doi = {{{paper['doi']}}}" in text
    assert f"year = {{{paper['year']}}}" in text


# The command.


@pytest.fixture
def site(cli: Cli) -> Cli:
    return cli.of("site", "--submissions")


def test_the_command_writes_the_site(folder: Path, tmp_path: Path, site: Cli) -> None:
    web = tmp_path / "web"
    done = site.done(folder, web)
    assert f"{web / 'index.html'}: " in done.out
    assert "docs: is missing; the site has no documents" in done.err
    there = {str(p.relative_to(web).as_posix()) for p in web.rglob("*") if p.is_file()}
    assert there == set(_made(folder))


@pytest.mark.parametrize(
    "remote", ["git@host.org:a/b.git", "https://me:secret@host.org/a/b", "/srv/b.git"]
)
def test_pages_lead_to_the_repository_whose_address_is_known(
    remote: str, folder: Path, tmp_path: Path, site: Cli
) -> None:
    for words in (["init", "-q"], ["remote", "add", "origin", remote]):
        subprocess.run(["git", "-C", folder, *words], check=True)
    site.done(folder, tmp_path / "web")
    page = tree_of((tmp_path / "web" / "index.html").read_text(encoding="utf-8"))
    links = {_text(a): a.get("href") for a in _all(page, "a")}
    address = "https://host.org/a/b" if "host.org" in remote else None
    assert links.get("Repository") == address
    assert (f"pip install git+{address}" in _text(page)) == (address is not None)


def test_what_is_no_place_for_a_site_is_refused(folder: Path, tmp_path: Path, site: Cli) -> None:
    done = site(folder, folder / "web")
    assert (done.status, (folder / "web").exists()) == (2, False)
    assert "lies in the folder of submissions" in done.err
    assert "give either DIR or --serve" in site(folder).err
    assert "give either DIR or --serve" in site(folder, "web", "--serve", "0").err
    # Nothing is written where an entry is wrong.
    (folder / "alpha" / "scores.json").write_text("{", encoding="utf-8")
    done = site(folder, tmp_path / "web")
    assert (done.status, (tmp_path / "web").exists()) == (2, False)


@pytest.fixture
def served(folder: Path) -> Iterator[str]:
    with page_server(
        {path: partial(str, text) for path, text in _made(folder).items()}, 0
    ) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        host, port = server.server_address[:2]
        assert host == LOOPBACK
        yield f"http://{host!s}:{port}"
        server.shutdown()
        thread.join()


def _get(address: str) -> tuple[str, str]:
    with urllib.request.urlopen(address) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_the_site_is_served_as_it_would_be_written(served: str, folder: Path) -> None:
    files = _made(folder)
    assert _get(served) == ("text/html; charset=utf-8", files["index.html"])
    assert _get(f"{served}/systems/alpha.html?x=1")[1] == files["systems/alpha.html"]
    assert _get(f"{served}/site.js") == ("text/javascript; charset=utf-8", files["site.js"])


def _asked(served: str, request: str) -> bytes:
    """Send a request as it is written, and return the first line of the answer."""
    port = int(served.rpartition(":")[2])
    with socket.create_connection((LOOPBACK, port), timeout=10) as client:
        client.sendall(request.encode())
        return client.makefile("rb").readline()


_HOSTS = [
    *(("GET", "/", [host], b"200") for host in ("127.0.0.1", "LocalHost:PORT", "[::1]:PORT")),
    *(("GET", "/", [host], b"421") for host in ("board.example.org:PORT", "localhost:1", "")),
    ("GET", "/", ["localhost", "board.example.org"], b"421"),
    ("GET", "/", [], b"421"),
    ("GET", "http://localhost:PORT/", ["localhost"], b"404"),
    ("GET", "http://localhost:PORT/", ["board.example.org"], b"421"),
    *(("GET", path, ["localhost"], b"404") for path in ("/nothing.html", "/../entry.toml")),
    *(("GET", path, ["localhost"], b"404") for path in ("/%2e%2e/x", "/systems/", "/%00", "/%ff")),
    ("GET", "http://[::1", ["localhost"], b"404"),
    ("HEAD", "/", ["localhost"], b"501"),
    ("GET", "/a b", ["localhost"], b"400"),
]


@pytest.mark.parametrize(("method", "address", "hosts", "status"), _HOSTS)
def test_only_pages_are_served_and_only_to_this_machine(
    method: str,
    address: str,
    hosts: list[str],
    status: bytes,
    served: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    request = f"{method} {address} HTTP/1.1\r\n{lines}\r\n"
    answer = _asked(served, request.replace("PORT", served.rpartition(":")[2]))
    assert answer.split()[1] == status
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_is_told_in_one_line(served: str, folder: Path, site: Cli) -> None:
    port = served.rpartition(":")[2]
    told = site.refused(folder, "--serve", port)
    assert f"port {port}: is not available" in told
    assert len([line for line in told.splitlines() if line.startswith("mwz: port")]) == 1
