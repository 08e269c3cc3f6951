"""The site: all its files, as a pure function of a board and of docs/; in a folder, or served."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import click

from mwz.normalization import folder_of

from ...comparison import SIGNIFICANCE, p_text
from ...diagnosis import Diagnosis
from ...errors import InputError
from ...io import figure, read_bytes, write_atomically
from ..columns import verdict_mark
from ..markdown import older_results_page
from ..model import Board, common_signatures
from ..rows import REFERENCE
from ..track import tracks
from ..verdicts import verdict_meanings
from .board_data import SYSTEMS, board_csv, board_json, dataset, entry_json, system_link
from .board_page import sections
from .dialogue_pages import DIALOGUES, Page, pages_of_dialogues, stored_pages
from .document_pages import DOCUMENTS, document
from .system_page import cause_title, compare_page, meanings, system_pages

if TYPE_CHECKING:
    from jinja2 import Environment


LOOPBACK = "127.0.0.1"
_LOOPBACK_NAMES = (LOOPBACK, "localhost", "[::1]")

START = "index.html"
"""The page that is shown where an address names none."""

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
}
_PLAIN = "text/plain; charset=utf-8"

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


def make_site(
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
    dialogue_pages = stored_pages(board) if dialogues is None else dialogues
    frame: dict[str, Any] = {
        "base": "base.html",
        "has_dialogues": bool(dialogue_pages),
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
        **{
            path: _render_page(path, dialogue_pages[path], frame)
            for path in progress(dialogue_pages)
        },
    }
    if compared is not None:
        files["compare.html"] = _render("compare.html", compared=compared, **frame)
    missing = [name for name in DOCUMENTS if name != OLDER_RESULTS and name not in texts]
    return Site(files, missing)


def _board(board: Board, tables: Collection[str], frame: Mapping[str, Any]) -> str:
    board_sections = sections(board)
    years = {row["year"] for section in board_sections for row in section["rows"]} - {None}
    return _render(
        "board.html",
        board=board,
        sections=board_sections,
        years=sorted(years, reverse=True),
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
    heading, html = document(text or f"# {DOCUMENTS[name]}\n", names)
    return _render("document.html", heading=heading, html=html, name=name, **frame)


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
        self._pages = pages_of_dialogues(systems, START)
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


# ------------------------------------------------- pages at the loopback address, until stopped


def serve_pages(files: Mapping[str, str], port: int, what: str) -> None:
    """Show pages until Ctrl-C.

    Args:
        files: Path -> content.
        port: The port; 0 for any that is free.
        what: What they show.

    Raises:
        InputError: The port is not available.
    """
    with page_server(files, port) as server:
        host, taken = server.server_address[:2]
        click.echo(f"http://{host!s}:{taken}/ shows {what}; Ctrl-C stops it")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("\nstopped")


def page_server(files: Mapping[str, str], port: int) -> ThreadingHTTPServer:
    """Return a server of pages at the loopback address, not yet running; arguments as above.

    It answers requests for this machine only: a page of another site whose name was made to lead
    here (DNS rebinding) is refused.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                address = urlsplit(self.path)
            except ValueError:
                self.send_error(HTTPStatus.BAD_REQUEST)
                return
            hosts = [*self.headers.get_all("Host", ()), *filter(None, [address.netloc])]
            path = unquote(address.path).lstrip("/") or START
            if not hosts or not all(map(self._is_own, hosts)):
                self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            elif path not in files:
                self.send_error(HTTPStatus.NOT_FOUND)
            else:
                self._send(path, files[path].encode())

        do_HEAD = do_GET  # noqa: N815 -- as the base class calls it

        def _is_own(self, host: str) -> bool:
            port = self.connection.getsockname()[1]
            return host.strip().lower().removesuffix(f":{port}") in _LOOPBACK_NAMES

        def _send(self, path: str, content: bytes) -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", _TYPES.get(path[path.rfind(".") :], _PLAIN))
            self.send_header("Content-Length", str(len(content)))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing: the terminal shows where the pages are."""

    try:
        return _Server((LOOPBACK, port), Handler)
    except OSError as error:
        problem = f"is not available ({error.strerror}); choose another: --serve PORT"
        raise InputError(f"port {port}", problem) from None


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that does not wait for its answer."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]
