"""The site: all its files, as a pure function of a board and of docs/, and a folder of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules.registry import folder_of

from ...comparison.interval import SIGNIFICANCE, p_text
from ...diagnosis import Diagnosis
from ...io.files import read_bytes, write_atomically
from ...io.tables import figure
from ..columns import verdict_mark
from ..markdown import older_results_page
from ..model import Board, common_signatures
from ..rows import REFERENCE
from ..tracks import tracks
from ..verdicts import verdict_meanings
from .board_data import SYSTEMS, board_csv, board_json, dataset, entry_json, system_link
from .board_page import sections
from .dialogue_pages import DIALOGUES, Page, dialogue_pages, stored_pages
from .document_pages import DOCUMENTS, document
from .serving import START
from .system_page import cause_title, compare_page, meanings, system_pages

if TYPE_CHECKING:
    from jinja2 import Environment


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


def site(
    board: Board,
    documents: Path,
    dialogues: Mapping[str, Page] | None = None,
    progress: Callable[[Collection[str]], Iterable[str]] = iter,
) -> Site:
    """Return the site of a board, the same for the same files.

    Args:
        board: The board.
        documents: The folder of documents.
        dialogues: Path -> page of the dialogues, and of their index; None for an index of what
            entries store.
        progress: Goes through the paths of these pages, and may show it.

    Raises:
        InputError: The scores under some rule set do not compare.
    """
    texts = _documents(board, documents)
    names = [name for name in DOCUMENTS if name in texts or name == METRICS]
    compared = compare_page(board)
    shown = stored_pages(board) if dialogues is None else dialogues
    frame: dict[str, Any] = {
        "base": "base.html",
        "has_dialogues": bool(shown),
        "documents": {name: DOCUMENTS[name] for name in names},
        "comparable": compared is not None,
        "dataset": dataset(),
        "meanings": meanings(),
    }
    systems: dict[str, str] = {}
    for key, system in system_pages(board):
        systems[system_link(key)] = _render("system.html", 1, system=system, **frame)
    tables = board_csv(board)
    files = {
        **_package_files("static"),
        "index.html": _board(board, tables, frame),
        **{f"{name}.html": _document(name, texts.get(name, ""), names, frame) for name in names},
        **systems,
        **{f"{SYSTEMS}/{e.key}.json": entry_json(board, e) for e in board.entries},
        "board.json": board_json(board),
        **tables,
        **{path: _render_page(path, shown[path], frame) for path in progress(shown)},
    }
    if compared is not None:
        files["compare.html"] = _render("compare.html", compared=compared, **frame)
    missing = [name for name in DOCUMENTS if name != OLDER_RESULTS and name not in texts]
    return Site(files, missing)


def _board(board: Board, tables: Collection[str], frame: Mapping[str, Any]) -> str:
    found = sections(board)
    return _render(
        "board.html",
        board=board,
        sections=found,
        years=sorted(
            {y for one in found for row in one["rows"] if (y := row["year"])}, reverse=True
        ),
        downloads=tables,
        reference=tracks()[REFERENCE].about,
        signatures=common_signatures(board.rows),
        significance=p_text(SIGNIFICANCE),
        tracks=tracks(),
        verdicts=verdict_meanings(),
        verdict_mark=verdict_mark,
        **frame,
    )


def _documents(board: Board, folder: Path) -> dict[str, str]:
    """Return name -> Markdown of the documents that there are."""
    paths = {name: folder / f"{name}.md" for name in DOCUMENTS if name != OLDER_RESULTS}
    there = {name: path for name, path in paths.items() if path.is_file()}
    texts = {name: read_bytes(path).decode(errors="replace") for name, path in there.items()}
    older = older_results_page(board)
    return texts if older is None else {**texts, OLDER_RESULTS: older}


def _document(name: str, text: str, names: Sequence[str], frame: Mapping[str, Any]) -> str:
    made = document(text or f"# {DOCUMENTS[name]}\n", names)
    return _render("document.html", document=made, name=name, **frame)


def _render(template: str, depth: int = 0, **content: Any) -> str:
    """Return a page of the site.

    Args:
        template: The template's name.
        depth: How many folders below the board the page lies.
        content: What the template shows. Texts are escaped.
    """
    made: str = _environment().get_template(template).render(root="../" * depth, **content)
    return made


def _render_page(path: str, page: Page, frame: Mapping[str, Any]) -> str:
    template, content = page
    return _render(template, path.count("/"), **content(), **frame)


class DialogueSite(Mapping[str, str]):
    """A site of dialogues alone: path -> content, made when it is asked for."""

    def __init__(self, systems: Mapping[str, Diagnosis]) -> None:
        """Take what to call each system, and its diagnosis."""
        self._pages = dialogue_pages(systems, START)
        self._static = _package_files("static")

    def __getitem__(self, path: str) -> str:
        if path in self._static:
            return self._static[path]
        frame = {"base": "plain.html", "meanings": meanings()}
        return _render_page(path, self._pages[path], frame)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._static, *self._pages))

    def __len__(self) -> int:
        return len(self._static) + len(self._pages)


def _package_files(folder: str) -> dict[str, str]:
    """Return name -> content of the files in a folder of this package, by name."""
    files = (folder_of(__package__) / folder).iterdir()
    named = {file.name: file.read_text(encoding="utf-8") for file in files if file.is_file()}
    return dict(sorted(named.items()))


@cache
def _environment() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined

    made = Environment(
        loader=DictLoader(_package_files("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"titled": cause_title, "figure": figure}
    return made


def write_site(made: Site, directory: Path) -> None:
    """Write every file of a site, each in one step.

    Raises:
        InputError: One of them cannot be written.
    """
    for file, content in made.files.items():
        write_atomically(directory / file, content.encode())


def left_over(made: Site, directory: Path) -> Iterator[str]:
    """Yield what of the folders of systems and dialogues is no part of the site, in sentences."""
    for name in (SYSTEMS, DIALOGUES):
        folder = directory / name
        left = [path for path in folder.glob("*") if f"{name}/{path.name}" not in made.files]
        has_some = any(path.startswith(f"{name}/") for path in made.files)
        for path in sorted(left) if has_some else [folder] if left else []:
            yield f"{path} is no part of the site; remove it"
