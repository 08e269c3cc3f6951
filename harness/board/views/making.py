"""All files of the site, as a pure function of a folder of submissions and of docs/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...comparison.settings import SIGNIFICANCE
from ...files import read_bytes
from ...rendering import p_text
from ..columns import columns
from ..model import Board, common_signatures
from .board_page import SYSTEMS, bleu_against_success, ranks_by_rules, sections, years
from .compare_page import ComparePage, compare_page
from .document_pages import DOCUMENTS, document
from .downloads import (
    board_bibtex,
    board_csv,
    board_json,
    board_latex,
    english_data,
    json_text,
    row_data,
    tracker_data,
)
from .explained import FIELDS
from .page_tables import Table, simple_table
from .reported_blocks import older_results_page
from .system_page import system_pages
from .templating import page, static_files

OLDER_RESULTS = "older-results"
METRICS = "metrics"


@dataclass(frozen=True)
class Site:
    """The files of the site.

    Attributes:
        files: Path within the site -> content.
        missing: The documents that docs/ lacks, and the site with it.
    """

    files: Mapping[str, str]
    missing: Sequence[str]

    @property
    def size(self) -> int:
        """How large all files are together, in bytes."""
        return sum(len(content.encode()) for content in self.files.values())


def site(board: Board, documents: Path) -> Site:
    """Return the site of a board, the same for the same files.

    Args:
        board: The board.
        documents: The folder of documents.

    Raises:
        InputError: The scores under some rule set do not compare.
    """
    texts = _documents(board, documents)
    names = [name for name in DOCUMENTS if name in texts or name == METRICS]
    compared = compare_page(board)
    frame = {
        "documents": {name: DOCUMENTS[name] for name in names},
        "comparable": compared is not None,
    }
    data = _rows_data(board)
    files = {
        **static_files(),
        "index.html": _board(board, frame),
        **({} if compared is None else {"compare.html": _compare(compared, frame)}),
        **{f"{name}.html": _document(name, texts.get(name), names, frame) for name in names},
        **{
            f"{SYSTEMS}/{one.entry.key}.html": page("system.html", 1, system=one, **frame)
            for one in system_pages(board)
        },
        **{f"{SYSTEMS}/{key}.json": json_text(row) for key, row in data.items()},
        "board.json": board_json(board),
        "board.csv": board_csv(board),
        "board.tex": board_latex(board),
        "board.bib": board_bibtex(board),
    }
    return Site(files, [name for name in DOCUMENTS if name != OLDER_RESULTS and name not in texts])


def _compare(compared: ComparePage, frame: Mapping[str, Any]) -> str:
    return page("compare.html", compared=compared, **frame)


def _board(board: Board, frame: Mapping[str, Any]) -> str:
    found = sections(board)
    return page(
        "board.html",
        board=board,
        sections=found,
        years=years(found),
        scatter=bleu_against_success(board),
        ranks=ranks_by_rules(board),
        signatures=common_signatures(board.rows),
        significance=p_text(SIGNIFICANCE),
        **frame,
    )


def _rows_data(board: Board) -> dict[str, dict[str, object]]:
    """Return key -> row as JSON types, in the order of the board."""
    shown = columns(board)
    data = {row.key: row_data(board, row, row.entry, shown) for row in board.rows if row.entry}
    data |= {row.key: english_data(row, row.entry) for row in board.english if row.entry}
    others = [entry for entry in board.entries if entry.key not in data]
    return {**data, **{entry.key: tracker_data(entry) for entry in others}}


def _documents(board: Board, folder: Path) -> dict[str, str]:
    """Return name -> Markdown of the documents that there are."""
    texts = {
        name: read_bytes(folder / f"{name}.md").decode(errors="replace")
        for name in DOCUMENTS
        if name != OLDER_RESULTS and (folder / f"{name}.md").is_file()
    }
    older = older_results_page(board)
    return texts if older is None else {**texts, OLDER_RESULTS: older}


def _document(name: str, text: str | None, names: Sequence[str], frame: Mapping[str, Any]) -> str:
    made = document(text or f"# {DOCUMENTS[name]}\n", names)
    tables = _signature_table() if name == METRICS else {}
    return page("document.html", document=made, name=name, tables=tables, **frame)


def _signature_table() -> dict[str, tuple[str, Table]]:
    """Return key -> heading and table of what the fields of a signature mean."""
    table = simple_table(
        "What scores depend on besides the system",
        ["Field", "Meaning"],
        list(FIELDS.items()),
        words=(1,),
    )
    return {"signature-fields": ("The signature, field by field", table)}
