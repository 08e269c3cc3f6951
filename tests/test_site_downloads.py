"""What the page offers for download: tables, JSON with its schema, and BibTeX."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from entered import enter, reports, site_of, system
from helpers import PROJECT
from parsed import board_lines, text_of, tree_of
from ruamel.yaml import YAML

from mwz.harness.board import Board, model
from mwz.harness.board.markdown import tables_page
from mwz.harness.board.paper_table import bibtex, references


def _rows(site: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    return {row["entry"]: row for row in json.loads(site["board.json"])["rows"]}


def test_the_json_follows_its_schema(project_site: Mapping[str, str], project_board: Board) -> None:
    schema = json.loads(project_site["board.schema.json"])
    checked = jsonschema.Draft202012Validator(schema)
    checked.check_schema(schema)
    board = json.loads(project_site["board.json"])
    checked.validate(board)
    assert len(board["rows"]) == len(project_board.entries)
    assert all(row["json"] in project_site for row in board["rows"])
    reported = {row["system"] for table in board["reported_only"] for row in table["rows"]}
    assert {"MTTOD", "TripPy"} <= reported
    board["rows"][0]["rank"] = 0
    assert not checked.is_valid(board)


def test_reported_figures_have_source_paper_and_code(project_site: Mapping[str, str]) -> None:
    row = _rows(project_site)["ubar"]
    own, strict, *_ = row["reported"]
    assert own["setup"] == "own"
    assert own["figures"] == {"Inform": 95.7, "Success": 81.8, "BLEU": 17.0}
    assert (strict["setup"], strict["figures"]["Inform"]) == ("strict", 83.4)
    line = board_lines(project_site)["ubar"]
    printed = [line[f"{name}_reported"] for name in ("bleu", "inform", "success")]
    assert printed == ["17.0", "95.7", "81.8"]
    links = {
        "paper": "https://arxiv.org/abs/2012.03539",
        "code": "https://github.com/TonyNemo/UBAR-MultiWOZ",
    }
    for about in (row, line):
        assert {name: about[name] for name in links} == links


def test_formulas_as_names_are_quoted(three_entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(three_entries, "formula", system(name="=1+1"), reports(bleu=19.0))
    monkeypatch.setattr(model, "entry_problems", lambda entries: [])
    assert board_lines(site_of(three_entries))["formula"]["system"] == "'=1+1"


def test_lower_bounds_have_what_is_played_beside_them(project_site: Mapping[str, str]) -> None:
    by_key = board_lines(project_site)
    labes = by_key["labes"]
    # 647 of 1000 dialogues; 647 of the 944 that are submitted.
    assert labes["inform_strict_2021"] == "64.7"
    assert labes["inform_strict_2021_as_played"] == "68.5381"
    assert labes["lower_bounds"].startswith("≥ 77.0 over all 1000 dialogues (missing ")
    assert by_key["mars"]["inform_strict_2021_as_played"] == by_key["mars"]["lower_bounds"] == ""
    scores = json.loads(project_site["systems/labes.json"])["scores"]["2021"]
    assert (scores["strict"]["inform"], scores["strict_as_played"]["inform"]) == (64.7, 68.5381)
    rows = _rows(project_site)
    assert rows["labes"]["inform"] == 64.7
    assert rows["labes"]["as_played"]["inform"] == 68.5381
    assert "as_played" not in rows["mars"]
    # Its page has both; that of a system without a rank, the latter alone.
    page = text_of(tree_of(project_site["systems/labes.html"]))
    assert "≥ 77.0 over all 1000 dialogues (missing dialogues count as failures)" in page
    assert "82.2 on the 944 submitted" in page
    few = text_of(tree_of(project_site["systems/to-llm-bot.html"]))
    assert "figures are on the 50 of 1000 dialogues submitted" in few.replace("Its", "its")
    assert "count as failures" not in few


def test_the_corpus_has_no_bleu(project_site: Mapping[str, str], project_board: Board) -> None:
    line = board_lines(project_site)["corpus"]
    of_bleu = {name: text for name, text in line.items() if "bleu" in name or "combined" in name}
    assert len(of_bleu) > 12
    assert set(of_bleu.values()) == {""}
    row = _rows(project_site)["corpus"]
    assert (row["bleu"], row["combined"], row["inform"]) == (None, None, 93.8)
    corpus = json.loads(project_site["systems/corpus.json"])
    assert "bleu_by_style" not in corpus
    for setups in corpus["scores"].values():
        assert {scores["combined"] for scores in setups.values()} == {None}
    assert "best_bleu" not in corpus["flags"]
    assert "bleu" not in corpus["intervals"]
    page = tables_page(project_board)
    rows = [line.split("|")[2:] for line in page.splitlines() if line.startswith("| Corpus ")]
    assert rows
    assert not [cell for cells in rows for cell in cells if cell.strip() in ("100.0", "192.4")]
    assert "Corpus" not in project_site["compare.html"]


def test_downloads_have_all_rows(project_site: Mapping[str, str], project_board: Board) -> None:
    for track in ("lexicalised", "state-tracking"):
        lines = csv.DictReader(io.StringIO(project_site[f"{track}.csv"]))
        rows = itertools.chain(*project_board.tables_by_track[track])
        assert [line["entry"] for line in lines] == [row.key for row in rows]


def test_stated_facts_are_on_pages_and_in_downloads(three_entries: Path) -> None:
    about = {"year": 2031, "model": "T9-tiny", "training": "weather reports", "runs": 3}
    prompts = "https://example.org/prompts"
    enter(three_entries, "system", system(**about, prompts=prompts), reports(bleu=19.0))
    files = site_of(three_entries)
    page = files["systems/system.html"]
    for title, text in {"Year": "2031", "Model": "T9-tiny", "Runs": "3"}.items():
        assert f"<dt>{title}<dd>{text}</div>" in page
    assert "<dd>weather reports</div>" in page
    assert f'<dt>Prompts<dd><a href="{prompts}">' in page
    assert "<dt>Open weights<dd>not stated</div>" in page
    data: Any = json.loads(files["systems/system.json"])
    assert {name: data[name] for name in about} == about
    assert "open_weights" not in data
    row = board_lines(files)["system"]
    assert {name: row[name] for name in about} == {name: str(fact) for name, fact in about.items()}
    assert row["open_weights"] == ""


def test_the_bibtex_agrees_with_the_citation_file() -> None:
    citation = YAML(typ="safe").load(PROJECT / "CITATION.cff")
    text = "".join(map(bibtex, references(("harness", "inform"))))
    assert f"title = {{{{{citation['title']}}}}}" in text
    assert f"author = {{{{{citation['authors'][0]['name']}}}}}" in text
    paper = citation["references"][0]
    assert f"title = {{{{{paper['title']}}}}}" in text
    assert f"doi = {{{paper['doi']}}}" in text
    assert f"year = {{{paper['year']}}}" in text
