"""All files of the site, as a pure function of a folder of submissions and of docs/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...comparison.settings import SIGNIFICANCE
from ...files import read_bytes
from ...rendering import p_text
from ..entries import Entry
from ..leaderboard import older_results_page, signatures
from ..pairs import Pairs
from .board_page import SYSTEMS, bleu_against_success, ranks_by_rules, sections, years
from .compare_page import ComparePage, compare_page
from .contents import Contents, read_contents
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


def site(
    folder: Path,
    entries: Sequence[Entry],
    rules: str,
    documents: Path,
    pairs: Pairs | None = None,
) -> Site:
    """Return the site of a folder of submissions, the same for the same files.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        rules: The rule set that ranks.
        documents: The folder of documents.
        pairs: The entries compared two by two; None for what the folder holds of it.

    Raises:
        InputError: Something is wrong with what the folder holds.
    """
    contents = read_contents(folder, entries, rules, pairs)
    texts = _documents(contents, documents)
    names = [name for name in DOCUMENTS if name in texts or name == METRICS]
    compared = compare_page(contents)
    frame = {
        "documents": {name: DOCUMENTS[name] for name in names},
        "comparable": compared is not None,
    }
    data = _rows_data(contents)
    files = {
        **static_files(),
        "index.html": _board(contents, frame),
        **({} if compared is None else {"compare.html": _compare(compared, frame)}),
        **{f"{name}.html": _document(name, texts.get(name), names, frame) for name in names},
        **{
            f"{SYSTEMS}/{one.entry.key}.html": page("system.html", 1, system=one, **frame)
            for one in system_pages(contents)
        },
        **{f"{SYSTEMS}/{key}.json": json_text(row) for key, row in data.items()},
        "board.json": board_json(contents),
        "board.csv": board_csv(contents),
        "board.tex": board_latex(contents),
        "board.bib": board_bibtex(contents),
    }
    return Site(files, [name for name in DOCUMENTS if name != OLDER_RESULTS and name not in texts])


def _compare(compared: ComparePage, frame: Mapping[str, Any]) -> str:
    return page("compare.html", compared=compared, **frame)


def _board(contents: Contents, frame: Mapping[str, Any]) -> str:
    found = sections(contents)
    return page(
        "board.html",
        contents=contents,
        sections=found,
        years=years(found),
        scatter=bleu_against_success(contents),
        ranks=ranks_by_rules(contents),
        signatures=signatures(contents.rows),
        significance=p_text(SIGNIFICANCE),
        **frame,
    )


def _rows_data(contents: Contents) -> dict[str, dict[str, object]]:
    """Return key -> row as JSON types, in the order of the board."""
    data = {row.entry.key: row_data(contents, row) for row in contents.rows}
    data |= {row.entry.key: english_data(row, row.entry) for row in contents.english if row.entry}
    others = [entry for entry in contents.entries if entry.key not in data]
    return {**data, **{entry.key: tracker_data(entry) for entry in others}}


def _documents(contents: Contents, folder: Path) -> dict[str, str]:
    """Return name -> Markdown of the documents that there are."""
    texts = {
        name: read_bytes(folder / f"{name}.md").decode(errors="replace")
        for name in DOCUMENTS
        if name != OLDER_RESULTS and (folder / f"{name}.md").is_file()
    }
    older = older_results_page(contents.entries, contents.rules, contents.tables)
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
