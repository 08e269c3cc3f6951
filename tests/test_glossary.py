"""The glossary has every word that tables, pages and exports show, and none that nothing uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from helpers import PROJECT

from mwz.harness.board import read_board, read_entries
from mwz.harness.board.columns import board_tables
from mwz.harness.board.track import tracks
from mwz.harness.board.verdicts import record
from mwz.harness.diagnosis import CAUSES, SLOT_CAUSES
from mwz.harness.errors import InputError
from mwz.harness.glossary import Term, glossary, glossary_page
from mwz.harness.grounding import plain_dialogues
from mwz.harness.io import validated
from mwz.harness.live import environment
from mwz.harness.metrics import DOMAIN_SOURCES, response_metrics, tracking_metrics
from mwz.harness.metrics.tracking.choices import VARIANTS
from mwz.harness.signature import LIBRARIES, Signature
from mwz.harness.submission import declared_flags
from mwz.normalization import DEFAULT_RULES

SOURCES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((PROJECT / "harness").rglob("*.py"))
)


@pytest.fixture(scope="module")
def board() -> Any:
    folder = PROJECT / "submissions"
    return read_board(folder, [*read_entries(folder)], DEFAULT_RULES)


def _fields(signature: Signature | None) -> Iterator[str]:
    """Yield the fields that the line of a signature names."""
    for field in str(signature).split("|") if signature else ():
        yield field.partition(":")[0]


def _single(keys: Iterable[str]) -> set[str]:
    """Return keys, those that share a meaning one by one."""
    return {name for key in keys for name in key.split(", ")}


def test_the_page_is_current() -> None:
    written = (PROJECT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert written == glossary_page(), "run `python tools/regenerate.py`"


def test_the_page_has_every_section() -> None:
    assert {"sections", *glossary()["sections"]} == set(glossary())


def test_a_term_has_no_unknown_key() -> None:
    with pytest.raises(InputError, match=r"signs"):
        validated(dict[str, Term], {"flag": {"meaning": "raised", "signs": "F"}}, "glossary.toml")


def _column(title: str) -> str:
    """Return the title of a column without what varies: trials, gold states, ends of intervals."""
    title = re.sub(r"^pass\^\d$", "pass^k", title)
    title = re.sub(r"^JGA .+", "JGA", title)
    return re.sub(r", (low|high)$", "", title)


def test_columns(board: Any) -> None:
    titles = {column.title for table in board_tables(board) for column in table.columns}
    # Two tracks have shorter titles for the same.
    shorter = {"Coverage, %": "Coverage", "States": "Belief states"}
    columns = {_column(shorter.get(title, title)) for title in titles}
    assert columns == glossary()["columns"].keys()


def test_causes() -> None:
    ours = [*CAUSES, *SLOT_CAUSES, *plain_dialogues.CAUSES]
    live = [*environment.CAUSES, *environment.USER_FAULTS]
    assert [*ours, *live] == [*glossary()["causes"]]


def test_flags_metrics_and_tracks() -> None:
    assert declared_flags().keys() == glossary()["flags"].keys()
    assert {*response_metrics(), *tracking_metrics()} == glossary()["metrics"].keys()
    assert tracks().keys() == glossary()["tracks"].keys()


def test_marks() -> None:
    marks = glossary()["marks"]
    assert set(re.findall(r'\bMark\(\s*"(\w+)"', SOURCES)) == marks.keys()
    assert len({mark.sign for mark in marks.values()}) == len(marks)


def test_verdicts(board: Any) -> None:
    patterns = {key: re.escape(key).replace("…", ".+") for key in glossary()["verdicts"]}
    for one in record(board.entries, board.tables):
        assert any(re.fullmatch(pattern, one.verdict) for pattern in patterns.values()), one
    for key in patterns:
        first = key.partition("…")[0].strip().removesuffix(" the paper")
        assert first.removesuffix(" the public board") in SOURCES


def test_fields_of_signatures(board: Any) -> None:
    fields = _single(glossary()["signature"])
    rows = [row for tables in board.tables_by_track.values() for table in tables for row in table]
    shown = {field for row in rows for field in _fields(row.signature)}
    assert {*shown, *VARIANTS, *LIBRARIES, "mwz"} <= fields
    for field in fields - shown - VARIANTS.keys():
        assert f'"{field.replace("-", "_")}"' in SOURCES or f'"{field}"' in SOURCES, field
    sources = {f"domains:{source}" for source in DOMAIN_SOURCES}
    values = {*sources, "states:predicted", "states:gold", "coverage", "placeholders"}
    assert values == glossary()["values"].keys()


def test_figures_of_live_dialogues(board: Any) -> None:
    (play, *_), *_ = board.tables_by_track["live"]
    assert {*play.entry.scores.result.figures, "errors"} - {"tasks", "trials", "told"} == {
        *glossary()["plays"]
    }


def test_columns_of_the_audit() -> None:
    for column in glossary()["audit"]:
        assert f'"{column}"' in SOURCES


def test_terms_are_words_of_the_documents() -> None:
    pages = [*(PROJECT / "docs").glob("*.md"), PROJECT / "leaderboard.md", PROJECT / "README.md"]
    text = " ".join(page.read_text("utf-8") for page in pages if page.stem != "glossary")
    words = " ".join(text.lower().replace("**", "").split())
    for term in glossary()["terms"]:
        assert re.sub(r"^(strict|optimistic) set-up$", r"\1", term).lower() in words, term
