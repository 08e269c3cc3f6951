"""`mwz site`: make the leaderboard as a website, or show it on this machine."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
from tqdm import tqdm

from mwz.normalization import published_rule_sets

from ...cli import option, tell
from ...data import loaded_once
from ...diagnosis import Diagnosis
from ...errors import InputError, unknown
from ...scoring import Scorer
from ..entries import read_entries
from ..model import DOCUMENTS_FOLDER, Board, read_board
from ..pairs import complete_pairs
from ..rescoring import diagnosed
from .dialogue_pages import INDEX, Page, pages_of_dialogues, read_systems
from .site_pages import make_site, serve_pages, write_site


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
    if directory is not None and directory.resolve().is_relative_to(submissions.resolve()):
        problem = "lies in the folder of submissions, whose folders are entries; give another one"
        raise InputError(str(directory), problem)
    entries = read_entries(submissions)
    board = read_board(submissions, entries, rules, complete_pairs(submissions, entries))
    pages = _dialogues(board, folders) if with_dialogues else None
    documents = submissions.absolute().parent / DOCUMENTS_FOLDER
    progress = partial(tqdm, desc="pages", unit="page", disable=None if with_dialogues else True)
    added = ("log", "-1", "--diff-filter=A", "--format=%cs", "--", "*/entry.toml")
    origin = (_repository(submissions), _git(submissions, *added))
    files = make_site(board, documents, pages, *origin, progress)
    if not documents.is_dir():
        tell(str(documents), ["is missing; the site has no documents: make it in a clone"])
    if directory is None:
        makers = {path: partial(str, text) for path, text in files.items()}
        serve_pages(makers, serve or 0, "the board")
        return
    write_site(files, directory)
    click.echo(f"{directory / 'index.html'}: {len(files)} files")


def _repository(folder: Path) -> str:
    """Return the address on the web of the repository that a folder is of; empty if there is none.

    It is that of the remote "origin", without name and password.
    """
    remote = _git(folder, "remote", "get-url", "origin")
    address = re.sub(r"^git@([^:]+):", r"https://\1/", remote)
    address = re.sub(r"//[^/@]*@", "//", address).removesuffix(".git")
    return address if address.startswith("https://") else ""


def _git(folder: Path, *arguments: str) -> str:
    """Return what git says of the repository of a folder; empty if it says nothing."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


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
