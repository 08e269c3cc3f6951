"""Files beside and below a folder of submissions that change together: all of them, or none.

They are first written to a folder of their own. Its appearing under its name is the one step:
before it nothing has changed, after it everything will have. Then each file is moved to its place.
If that is interrupted, the next process that holds the folder moves the rest.

What lies in that folder may be anybody's, so its files go to no other places than these:

    .together/entries/NAME/FILE           NAME/FILE, one of `ENTRY_FILES`, if NAME is a folder
    .together/pairs.jsonl                 pairs.jsonl
    .together/pages/PAGE                  PAGE, one of `PAGES`, beside the folder of submissions
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import InputError
from ..files import UNFINISHED, is_plain_file, is_plain_folder, write_atomically
from .pairs import PAIRS_FILE
from .scores import DIALOGUES_FILE, SCORES_FILE, SEEDS_FILE

PAGES = (Path("leaderboard.md"), Path("docs") / "older-results.md")
"""The pages that are made from a folder of submissions, beside it."""

ENTRY_FILES = (DIALOGUES_FILE, SEEDS_FILE, SCORES_FILE)
"""The files of an entry that are made by scoring it."""

_TOGETHER = ".together"


def write_together(folder: Path, files: Mapping[Path, str]) -> None:
    """Write scores and pages so that all are written or none; call it with the folder locked.

    Pages of other names than `PAGES` are written after all others.

    Args:
        folder: The folder of submissions.
        files: Path -> content.

    Raises:
        InputError: A file cannot be written.
    """
    staged = {path: place for path in files if (place := _staged_place(folder, path)) is not None}
    for path in staged:
        if path.parent.is_symlink():
            raise InputError(str(path.parent), "is a symbolic link; put the folder itself there")
    try:
        scratch = Path(tempfile.mkdtemp(UNFINISHED, _TOGETHER, folder))
        for path, place in staged.items():
            write_atomically(scratch / place, files[path])
        scratch.rename(folder / _TOGETHER)
        finish_together(folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    for path, content in files.items():
        if path not in staged:
            write_atomically(path, content)


def finish_together(folder: Path) -> None:
    """Move files that are to be written together to their places, if any are left.

    Raises:
        OSError: A file cannot be moved.
    """
    staged = folder / _TOGETHER
    if is_plain_folder(staged):
        for source, target in _moves(folder, staged):
            _move(source, target)
    remove(staged)


def remove(path: Path) -> None:
    """Remove whatever is there, if anything; what a link leads to stays.

    Raises:
        OSError: It cannot be removed.
    """
    if is_plain_folder(path):
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _staged_place(folder: Path, path: Path) -> Path | None:
    """Return where a file waits; None for one that has no place of its own."""
    absolute = path.absolute()
    if path.name in ENTRY_FILES and absolute.parent.parent == folder.absolute():
        return Path("entries") / absolute.parent.name / path.name
    if absolute == folder.absolute() / PAIRS_FILE:
        return Path(PAIRS_FILE)
    for page in PAGES:
        if absolute == folder.absolute().parent / page:
            return Path("pages") / page
    return None


def _moves(folder: Path, staged: Path) -> Iterator[tuple[Path, Path]]:
    """Yield from where to where, of all that is as it should be; the rest is left."""
    entries = staged / "entries"
    if is_plain_folder(entries):
        for entry in sorted(entries.iterdir()):
            if is_plain_folder(entry) and is_plain_folder(folder / entry.name):
                yield from ((entry / name, folder / entry.name / name) for name in ENTRY_FILES)
    yield staged / PAIRS_FILE, folder / PAIRS_FILE
    beside = folder.absolute().parent
    for page in PAGES:
        source = staged / "pages" / page
        plain = all(map(is_plain_folder, (staged / "pages", source.parent)))
        if plain and not (beside / page).parent.is_symlink():
            yield source, beside / page


def _move(source: Path, target: Path) -> None:
    if not is_plain_file(source):
        return
    target.parent.mkdir(exist_ok=True)
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # The folder of submissions is a file system of its own.
        write_atomically(target, source.read_bytes(), follow=False)
