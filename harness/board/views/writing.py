"""Writing the site to a folder, and telling what of a folder is not the site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...errors import InputError
from ...files import read_bytes, write_atomically
from .board_page import SYSTEMS
from .making import Site


def check_place(directory: Path, submissions: Path) -> None:
    """Check that a site may be written to a folder.

    Raises:
        InputError: It lies in the folder of submissions.
    """
    if submissions.resolve() in (directory.resolve(), *directory.resolve().parents):
        raise InputError(
            str(directory),
            "lies in the folder of submissions, whose folders are entries; give another one",
        )


def write_site(made: Site, directory: Path) -> None:
    """Write every file of a site, each in one step.

    Raises:
        InputError: One of them cannot be written.
    """
    for file, content in made.files.items():
        write_atomically(directory / file, content)


def stale_files(made: Site, directory: Path) -> Iterator[str]:
    """Yield what of a folder is not as the site is, a sentence each."""
    if not directory.is_dir():
        yield f"{directory}: no such folder"
        return
    for file, content in made.files.items():
        path = directory / file
        if not path.is_file():
            yield f"{path} is missing"
        elif read_bytes(path) != content.encode():
            yield f"{path} is stale"
    yield from left_over(made, directory)


def left_over(made: Site, directory: Path) -> Iterator[str]:
    """Yield which files among those of systems are no part of the site, a sentence each."""
    folder = directory / SYSTEMS
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if f"{SYSTEMS}/{path.name}" not in made.files:
            yield f"{path} is no part of the site; remove it"
