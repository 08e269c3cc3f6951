"""The glossary has every word that tables, pages and exports show, and none that nothing uses."""

from __future__ import annotations

import re

import pytest
from helpers import PROJECT

from mwz.harness.board import Board, columns
from mwz.harness.board.columns import board_tables
from mwz.harness.board.rows import Value
from mwz.harness.board.track import tracks
from mwz.harness.board.verdicts import record
from mwz.harness.diagnosis import CAUSES, SLOT_CAUSES, SLOT_ERRORS
from mwz.harness.errors import InputError
from mwz.harness.glossary import Term, glossary, glossary_page, term_of
from mwz.harness.grounding import plain_dialogues
from mwz.harness.io import validated
from mwz.harness.live import causes
from mwz.harness.live.plays import SAID_FIGURES
from mwz.harness.metrics import DOMAIN_SOURCES, response_metrics, tracking_metrics
from mwz.harness.metrics.tracking.choices import VARIANTS
from mwz.harness.signature import LIBRARIES
from mwz.harness.submission import declared_flags

SOURCES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((PROJECT / "harness").rglob("*.py"))
)


def test_the_page_is_current() -> None:
    written = (PROJECT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert written == glossary_page(), "run `python tools/regenerate.py`"


def test_a_term_has_no_unknown_key() -> None:
    with pytest.raises(InputError, match=r"signs"):
        validated(dict[str, Term], {"flag": {"meaning": "raised", "signs": "F"}}, "glossary.toml")


def _column(term: str) -> str:
    """Return the term of a column without what varies: trials, gold states, ends of intervals."""
    term = re.sub(r"^pass\^\d$", "pass^k", term)
    term = re.sub(r"^JGA .+", "JGA", term)
    return re.sub(r", (low|high)$", "", term)


def test_a_term_that_is_lacking_is_named() -> None:
    with pytest.raises(InputError, match=r"\[causes\] lacks 'never asked for'; add a line"):
        term_of("causes", "never asked for")


def test_a_columns_title_is_that_of_the_glossary(monkeypatch: pytest.MonkeyPatch) -> None:
    renamed = {"columns": {"CBE": Term("How varied.", title="Bigram entropy")}}
    monkeypatch.setattr(columns, "glossary", lambda: renamed)
    column = columns.figure_column("cbe", "CBE", "diversity.conditional_entropy")
    assert (column.title, column.key) == ("Bigram entropy", "cbe")
    assert columns.figure_column("x", "Figure of a package", "x").title == "Figure of a package"


def test_every_column_has_something_in_it(project_board: Board) -> None:
    """A figure's name that no row has would leave its column empty."""
    is_filled: dict[str, bool] = {}
    for table in board_tables(project_board):
        for column in table.columns:
            values = [column.value(row) for row in table.rows]
            filled = any(value != Value() for value in values)
            is_filled[column.key] = filled or is_filled.get(column.key, False)
    assert [key for key, filled in is_filled.items() if not filled] == []


def test_columns(project_board: Board) -> None:
    terms = {column.term for table in board_tables(project_board) for column in table.columns}
    # Two tracks have shorter titles for the same.
    shorter = {"Coverage, %": "Coverage", "States": "Belief states"}
    shown = {_column(shorter.get(term, term)) for term in terms}
    assert shown == glossary()["columns"].keys()


def test_causes_flags_metrics_tracks_and_the_sections_of_the_page() -> None:
    ours = [*CAUSES, *SLOT_CAUSES, *SLOT_ERRORS, *plain_dialogues.CAUSES]
    ours += plain_dialogues.LOST_BY
    live = [*causes.CAUSES]
    assert [*ours, *live] == [*glossary()["causes"]]
    assert declared_flags().keys() == glossary()["flags"].keys()
    assert {*response_metrics(), *tracking_metrics()} == glossary()["metrics"].keys()
    assert tracks().keys() == glossary()["tracks"].keys()
    assert {"sections", *glossary()["sections"]} == set(glossary())
    assert all(f'"{column}"' in SOURCES for column in glossary()["audit"])


def test_marks() -> None:
    marks = glossary()["marks"]
    assert set(re.findall(r'\bMark\(\s*"(\w+)"', SOURCES)) == marks.keys()
    assert len({mark.sign for mark in marks.values()}) == len(marks)


def test_verdicts(project_board: Board) -> None:
    patterns = {key: re.escape(key).replace("…", ".+") for key in glossary()["verdicts"]}
    for figure in record(project_board.entries, project_board.tables):
        assert any(re.fullmatch(pattern, figure.verdict) for pattern in patterns.values()), figure
    for key in patterns:
        first = key.partition("…")[0].strip().removesuffix(" the paper")
        assert first.removesuffix(" the public board") in SOURCES


def test_fields_of_signatures(project_board: Board) -> None:
    # Some keys share a meaning.
    fields = set(", ".join(glossary()["signature"]).split(", "))
    rows = [
        row
        for tables in project_board.tables_by_track.values()
        for table in tables
        for row in table
    ]
    lines = "|".join(str(row.signature) for row in rows if row.signature)
    shown = {field.partition(":")[0] for field in lines.split("|")}
    assert {*shown, *VARIANTS, *LIBRARIES, "mwz"} <= fields
    for field in fields - shown - VARIANTS.keys():
        assert f'"{field.replace("-", "_")}"' in SOURCES or f'"{field}"' in SOURCES, field
    sources = {f"domains:{source}" for source in DOMAIN_SOURCES}
    values = {*sources, "states:predicted", "states:gold", "coverage", "placeholders"}
    assert values == glossary()["values"].keys()


def test_figures_of_live_dialogues(project_board: Board) -> None:
    (play, *_), *_ = project_board.tables_by_track["live"]
    figures = {*play.entry.scores.result.figures, "errors", *SAID_FIGURES}
    assert figures - {"tasks", "trials", "told"} == {*glossary()["plays"]}


def test_terms_are_words_of_the_documents() -> None:
    pages = [*(PROJECT / "docs").glob("*.md"), PROJECT / "leaderboard.md", PROJECT / "README.md"]
    text = " ".join(page.read_text("utf-8") for page in pages if page.stem != "glossary")
    words = " ".join(text.lower().replace("**", "").split())
    for term in glossary()["terms"]:
        assert re.sub(r"^(strict|optimistic) set-up$", r"\1", term).lower() in words, term
