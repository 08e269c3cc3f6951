"""The site: `mwz site` makes all files of a board's website, or shows them on this machine.

The files are a pure function of a board and of docs/.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
import subprocess
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import unquote

import click
from jinja2 import DictLoader, Environment, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tqdm import tqdm

from mwz.normalization import folder_of, published_rule_sets

from ...cli import option, tell
from ...data import loaded_once
from ...diagnosis import Diagnosis
from ...errors import InputError, unknown
from ...glossary import glossary, glossary_page
from ...io import UNFINISHED, figure, read_bytes, signed, write_atomically
from ...scoring import Scorer
from ...signature import HARNESS, current_versions
from ..entries import ENTRY_FILE, read_entries
from ..markdown import older_results_page
from ..model import ALL_TABLES, DOCUMENTS_FOLDER, LEADERBOARD, OLDER_RESULTS, Board, read_board
from ..pairs import complete_pairs
from ..rescoring import diagnosed
from .board_data import (
    SYSTEMS,
    Data,
    board_csv,
    board_json,
    dataset,
    entry_json,
    shared_records,
    system_link,
)
from .board_pages import board_page, compare_page, sentence, system_pages, with_minus
from .charts import reported_page
from .dialogue_pages import (
    INDEX,
    START,
    Page,
    marked,
    pages_of_dialogues,
    read_systems,
    stored_pages,
    with_links,
)

LOOPBACK = "127.0.0.1"
_LOOPBACK_NAMES = {LOOPBACK, "localhost", "[::1]"}

LABELS: Mapping[str, str] = {
    "reporting": "Paper tables",
    "evaluate-your-agent": "Your agent",
    "audit": "Audit",
    "metrics": "Metrics",
    "submitting": "Submitting",
}
"""Name of a document that every page leads to -> what the link is called, in order."""

METRICS_PAGE = "metrics"
GLOSSARY_PAGE = "glossary"


@click.command()
@click.argument(
    "directory", metavar="[DIR]", required=False, type=click.Path(path_type=Path, file_okay=False)
)
@option.serve("Write nothing; show the site")
@option.flag(
    "--dialogues",
    "with_dialogues",
    help="Add a page for every dialogue, on which systems stand side by side. Needs the benchmark "
    "and the systems' outputs, whose texts these pages show: do not publish them.",
)
@option.predictions_folder
@option.rules
@option.submissions
def command(
    directory: Path | None,
    serve: int | None,
    with_dialogues: bool,
    folders: Sequence[Path],
    rules: str,
    submissions: Path,
) -> None:
    """Make the website of the leaderboard in the folder DIR, static pages that need no server; or
    show it with --serve.
    """
    option.refuse_if((directory is None) == (serve is None), "give either DIR or --serve")
    if rules not in published_rule_sets():
        raise InputError("--rules", unknown("rule set", rules, published_rule_sets()))
    submissions = option.readable(submissions)
    # `Path.resolve` fails for a link that leads to itself.
    inside = Path(os.path.realpath(submissions))
    if directory is not None and Path(os.path.realpath(directory)).is_relative_to(inside):
        problem = "lies in the folder of submissions, whose folders are entries; give another one"
        raise InputError(str(directory), problem)
    entries = read_entries(submissions)
    board = read_board(submissions, entries, rules, complete_pairs(submissions, entries))
    pages = _dialogues(board, folders) if with_dialogues else None
    documents = submissions.absolute().parent / DOCUMENTS_FOLDER
    progress = partial(tqdm, desc="pages", unit="page", disable=None if with_dialogues else True)
    board = replace(board, entered=_entered(submissions))
    files = make_site(board, documents, pages, _repository(submissions), progress)
    if not documents.is_dir():
        tell(str(documents), ["is missing; the site has no documents: make it in a clone"])
    if directory is None:
        makers = {path: partial(str, text) for path, text in files.items()}
        serve_pages(makers, serve or 0, "the board")
        return
    write_site(files, directory)
    click.echo(f"{directory / 'index.html'}: {len(files)} files")


def _git(folder: Path, *arguments: str) -> str:
    """Return what git says of the repository of a folder; empty if it says nothing."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _repository(folder: Path) -> str:
    """Return the address of a folder's repository on the web; empty if it is not known.

    It is git's remote, without name and password, or else what a workflow of GitHub says.
    """
    remote = _git(folder, "remote", "get-url", "origin")
    remote = re.sub(r"^(ssh://)?git@([^:/]+)[:/]", r"https://\2/", remote)
    address = re.sub(r"//[^/@]*@", "//", remote).removesuffix(".git")
    if address.startswith("https://"):
        return address
    server, name = (os.environ.get(f"GITHUB_{part}") for part in ("SERVER_URL", "REPOSITORY"))
    return f"{server}/{name}" if server and name else ""


def _entered(folder: Path) -> dict[str, str]:
    """Return key of an entry -> the day on which git first had it; empty if that is not known."""
    # In a shallow clone the oldest commit seems to add everything.
    if _git(folder, "rev-parse", "--is-shallow-repository") != "false":
        return {}
    options = ("--diff-filter=A", "--no-renames", "--name-only", "--relative", "--format=%cs")
    days, day = {}, ""
    # The newest commits come first.
    for line in _git(folder, "log", *options, "--", f"*/{ENTRY_FILE}").splitlines():
        key, slash, _ = line.partition("/")
        if slash:
            days[key] = day
        elif line:
            day = line
    return days


def _dialogues(board: Board, folders: Sequence[Path]) -> dict[str, Page]:
    """Return the pages of all dialogues and their index; say which systems they lack."""
    entries = read_systems(board)
    benchmark = next((entry.benchmark for entry in entries), None)
    scorer = Scorer(loaded_once(benchmark))
    diagnoses: dict[str, Diagnosis] = {}
    systems = [entry for entry in entries if entry.benchmark == benchmark]
    for entry in tqdm(systems, "reading", unit="system", disable=None):
        try:
            diagnoses[entry.system.name] = diagnosed(entry, folders, scorer)
        except InputError as error:
            tell(entry.key, [f"its dialogues are left out: {'; '.join(error.problems)}"])
    if not diagnoses:
        raise InputError("--dialogues", "no system's outputs are available")
    return pages_of_dialogues(diagnoses, INDEX)


# ------------------------------------------------------------------------ the files of a site


def make_site(
    board: Board,
    documents: Path,
    dialogues: Mapping[str, Page] | None = None,
    repository: str = "",
    progress: Callable[[Collection[str]], Iterable[str]] = iter,
) -> dict[str, str]:
    """Return path -> content of the site of a board, the same for the same files.

    Args:
        board: The board.
        documents: The folder of documents.
        dialogues: Path -> page of the dialogues, and of their index; None for an index of what
            entries store.
        repository: The address of the repository; empty if it is not known.
        progress: Goes through the paths of all pages, and may show it.

    Raises:
        InputError: The scores under some rule set do not compare.
    """
    texts = _documents(board, documents)
    tables = board_csv(board)
    further = _further_pages(board)
    dialogue_pages = stored_pages(board) if dialogues is None else dialogues
    headings, labels = {}, {}
    for name in dict.fromkeys([*LABELS, *texts]):
        if name in texts:
            headings[name] = texts[name].partition("\n")[0].lstrip("# ")
            if name in LABELS:
                labels[name] = LABELS[name]
    frame: Data = {
        "base": "base.html",
        "has_dialogues": bool(dialogue_pages),
        "documents": headings,
        "labels": labels,
        "repository": repository,
        "newest": max(board.entered.values(), default=""),
        "version": current_versions()[HARNESS],
        "further": list(further),
        "dataset": dataset(),
        "terms": glossary(),
    }
    pages: dict[str, Page] = {START: ("board.html", partial(board_page, board, tables))}

    def document_content(name: str) -> Data:
        heading, text = document(texts[name], texts, repository)
        return {"heading": heading, "html": text, "name": name}

    for name in texts:
        pages[f"{name}.html"] = ("document.html", partial(document_content, name))
    for key, system in system_pages(board):
        pages[system_link(key)] = ("system.html", partial(dict, system=system))
    pages.update(dialogue_pages)
    pages.update(further)
    files = _package_files("static")
    for entry in board.entries:
        files[f"{SYSTEMS}/{entry.key}.json"] = entry_json(board, entry)
    files["board.json"] = board_json(board)
    files["every_eval_ever.jsonl"] = shared_records(board)
    files.update(tables)
    for path in progress(pages):
        files[path] = _render(path, pages[path], frame)
    return files


def _further_pages(board: Board) -> dict[str, Page]:
    """Return the pages of comparisons and of reported figures, where they have something to show.

    Raises:
        InputError: As of `make_site`.
    """
    contents = {"compare.html": compare_page(board), "reported.html": reported_page(board)}
    pages: dict[str, Page] = {}
    for path, content in contents.items():
        if content is not None:
            pages[path] = (path, partial(dict, page=content))
    return pages


def _documents(board: Board, folder: Path) -> dict[str, str]:
    """Return name -> Markdown of the documents that there are."""
    texts = {}
    for path in sorted(folder.glob("*.md")):
        texts[path.stem] = read_bytes(path).decode(errors="replace")
    # The site has its tables; what the metrics are is known without docs/.
    texts.pop(ALL_TABLES.stem, None)
    texts.setdefault(METRICS_PAGE, f"# {LABELS[METRICS_PAGE]}\n")
    texts[GLOSSARY_PAGE] = glossary_page()
    older = older_results_page(board)
    if older is not None:
        texts[OLDER_RESULTS.stem] = older
    return texts


def _render(path: str, page: Page, frame: Data) -> str:
    """Return a page of the site; texts are escaped."""
    template, content = page
    root = "../" * path.count("/")
    made: str = _environment().get_template(template).render(root=root, **content(), **frame)
    return made


def reported_picture(board: Board) -> str:
    """Return the picture of what is reported and what is scored, as a file of SVG.

    Raises:
        InputError: No authors report any figures.
    """
    reported = reported_page(board)
    if reported is None:
        raise InputError("board", "no authors report figures that are scored here")
    picture: str = _environment().get_template("reported.svg").render(**reported)
    return picture


def dialogue_site(pages: Mapping[str, Page]) -> dict[str, Callable[[], str]]:
    """Return path -> what makes the content, of a site of dialogues alone, given their pages."""
    frame: Data = {"base": "plain.html", "terms": glossary()}
    makers: dict[str, Callable[[], str]] = {}
    for path, text in _package_files("static").items():
        makers[path] = partial(str, text)
    for path, page in pages.items():
        makers[path] = partial(_render, path, page, frame)
    return makers


def _package_files(folder: str) -> dict[str, str]:
    """Return name -> content of the files in a folder of this package, by name."""
    files = {}
    for file in (folder_of(__package__) / folder).iterdir():
        if file.is_file():
            files[file.name] = file.read_text(encoding="utf-8")
    return dict(sorted(files.items()))


@cache
def _environment() -> Environment:
    made = Environment(
        loader=DictLoader(_package_files("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    made.filters |= {
        "figure": figure,
        "signed": signed,
        "minus": with_minus,
        "sentence": sentence,
        "link": system_link,
        "marked": marked,
        "with_links": with_links,
    }
    return made


def write_site(files: Mapping[str, str], directory: Path) -> None:
    """Write every file of a site, each in one step; remove what a killed process left there.

    Raises:
        InputError: One of them cannot be written.
    """
    started = time.time()
    for path, content in files.items():
        write_atomically(directory / path, content.encode())
    for unfinished in directory.rglob(f".*{UNFINISHED}"):
        # A newer one is another process's, which writes now.
        if unfinished.stat().st_mtime < started:
            unfinished.unlink()


# -------------------------------- documents of docs/: Markdown in which HTML is only text

# What tools write into documents to find a place again; HTML that is shown would show it.
_COMMENT = re.compile(r"^<!--.*?-->$", re.MULTILINE)


def document(text: str, present: Collection[str], repository: str = "") -> tuple[str, str]:
    """Return the heading of a document of docs/, and the document as HTML.

    Links lead where `site_address` says, or are plain text. HTML in the text is shown, not obeyed.
    Tables, which may be wide, are in parts that scroll by themselves.

    Args:
        text: The document in Markdown.
        present: The names of the documents that the site has.
        repository: As of `make_site`.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(_COMMENT.sub("", text))
    slugs: set[str] = set()
    headings = [""]
    openings: list[str] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            headings.append(_plain_text(tokens[place + 1]))
            token.attrSet("id", _slug(headings[-1], slugs))
        elif token.type == "table_open":
            name = html.escape(f"Table {len(openings) + 1}: {headings[-1]}")
            region = f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table'
            openings.append(region)
        elif token.type in ("th_open", "td_open"):
            # Inline styles are forbidden on the site; a class says the same.
            if "right" not in str(token.attrs.pop("style", "")):
                token.attrSet("class", "w")
            if token.type == "th_open":
                token.attrSet("scope", "col")
        elif token.type in ("fence", "code_block"):
            token.attrSet("tabindex", "0")
        elif token.type == "inline":
            _resolve_links(token, present, repository)
    made = parser.renderer.render(tokens, parser.options, {})
    before, *tables = made.split("<table")
    for opening, table in zip(openings, tables, strict=True):
        before += opening + table
    return "".join(headings[1:2]), before.replace("</table>", "</table></div>")


def _plain_text(inline: Token) -> str:
    texts = []
    for child in inline.children or ():
        if child.type in ("text", "code_inline"):
            texts.append(child.content)
    return "".join(texts)


def _slug(heading: str, taken: set[str]) -> str:
    """Return the address of a heading, as GitHub makes it."""
    base = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") or "part"
    slug, number = base, 1
    while slug in taken:
        slug, number = f"{base}-{number}", number + 1
    taken.add(slug)
    return slug


def _resolve_links(inline: Token, present: Collection[str], repository: str) -> None:
    """Make the links of a line lead to pages of the site, or nowhere."""
    target = None
    for child in inline.children or ():
        if child.type == "link_open":
            target = site_address(str(child.attrGet("href")), present, repository)
            child.attrSet("href", target or "")
        if child.type in ("link_open", "link_close"):
            child.hidden = target is None


def site_address(address: str, present: Collection[str], repository: str = "") -> str | None:
    """Return where a link of a document leads on the site; None if it leads nowhere.

    Links to documents lead to their pages, others to files of the repository, if it is known.

    Args:
        address: The address in the document, from docs/.
        present: The names of the documents that the site has.
        repository: As of `make_site`.
    """
    path, mark, anchor = address.partition("#")
    if not path or re.match(r"https?://", address):
        return address
    pages = {f"docs/{name}.md": f"{name}.html{mark}{anchor}" for name in present}
    # The headings of the pages in Markdown are not those of the site.
    pages |= {page.as_posix(): START for page in (LEADERBOARD, ALL_TABLES)}
    file = posixpath.normpath(posixpath.join("docs", path))
    elsewhere = f"{repository}/blob/HEAD/{file}{mark}{anchor}" if repository else None
    return pages.get(file, elsewhere)


# ------------------------------------------------- pages at the loopback address, until stopped


def serve_pages(files: Mapping[str, Callable[[], str]], port: int, what: str) -> None:
    """Show pages until Ctrl-C.

    Args:
        files: Path -> what makes the content.
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


def page_server(files: Mapping[str, Callable[[], str]], port: int) -> ThreadingHTTPServer:
    """Return a server of pages at the loopback address, not yet running; arguments as above.

    It answers requests for this machine only: a page of another site whose name was made to lead
    here (DNS rebinding) is refused.
    """

    class Handler(BaseHTTPRequestHandler):
        def handle(self) -> None:
            # Not every client waits for its answer.
            with suppress(OSError):
                super().handle()

        def do_GET(self) -> None:
            hosts = self.headers.get_all("Host", ())
            port = f":{self.connection.getsockname()[1]}"
            names = {host.strip().lower().removesuffix(port) for host in hosts}
            path = unquote(self.path.partition("?")[0]).lstrip("/") or START
            if not names or not names <= _LOOPBACK_NAMES:
                self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            elif path not in files:
                self.send_error(HTTPStatus.NOT_FOUND)
            else:
                content = files[path]().encode()
                self.send_response(HTTPStatus.OK)
                kind = guess_type(path)[0] or "text/plain"
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.send_header("X-Content-Type-Options", "nosniff")
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing: the terminal shows where the pages are."""

    try:
        return ThreadingHTTPServer((LOOPBACK, port), Handler)
    except OSError as error:
        problem = f"is not available ({error.strerror}); choose another: --serve PORT"
        raise InputError(f"port {port}", problem) from None
