"""What a folder of submissions held when its leaderboard was made: `SHA256SUMS`.

Scores, pairs and ranks follow from one another; that an entry was deleted, a printed figure or a
note changed, follows from nothing. So `mwz leaderboard` writes down the digest of every file, in
the form of `sha256sum`, and `--check` compares.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mwz.normalization.rules.registry import sha256

from ..errors import InputError
from ..io.files import is_plain_file, read_plain
from .audit.reported import REPORTED_FILE
from .entries import ENTRY_FILE, NOTE_FILE, Entry
from .scores import FILES

CONTENTS_FILE = "SHA256SUMS"

_LINE = re.compile(r"([0-9a-f]{64})  ([^\s].*)")


@dataclass(frozen=True)
class Changes:
    """What a folder holds that another state of it does not, or otherwise. Paths within it.

    Attributes:
        added: Files that are new.
        changed: Files with another content.
        removed: Files that are gone.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    @property
    def removed_entries(self) -> list[str]:
        """The keys of the entries that are gone."""
        return [Path(path).parent.name for path in self.removed if Path(path).name == ENTRY_FILE]

    def lines(self) -> Iterator[str]:
        """Yield each change as a line."""
        for what in ("added", "changed", "removed"):
            yield from (f"{path}: {what}" for path in getattr(self, what))


def contents(
    folder: Path, entries: Sequence[Entry], written: Mapping[Path, str] | None = None
) -> dict[str, str]:
    """Return path -> SHA-256 of what scores and pages follow from.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        written: Path -> content of files that are about to be written.
    """
    names = (ENTRY_FILE, *(file.name for file in FILES))
    paths = [entry.folder / name for entry in entries for name in names]
    new = written or {}
    return {
        path.relative_to(folder).as_posix(): sha256(new[path] if path in new else read_plain(path))
        for path in (*paths, folder / REPORTED_FILE, folder / NOTE_FILE)
        if path in new or is_plain_file(path)
    }


def contents_text(of: Mapping[str, str]) -> str:
    """Return the content of `SHA256SUMS`."""
    return "".join(f"{of[path]}  {path}\n" for path in sorted(of))


def read_contents(folder: Path) -> dict[str, str] | None:
    """Return path -> SHA-256 as it is written down; None where nothing is.

    Raises:
        InputError: The file is no list of digests.
    """
    path = folder / CONTENTS_FILE
    if not path.is_file():
        return None
    lines = read_plain(path).decode(errors="replace").splitlines()
    found = [_LINE.fullmatch(line) for line in lines]
    if wrong := [number for number, line in enumerate(found, start=1) if line is None]:
        raise InputError(
            str(path),
            f"line {wrong[0]}: expected a SHA-256, two blanks and a path; take the file from "
            "version control",
        )
    return {line[2]: line[1] for line in found if line is not None}


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    """Return what differs between two states of a folder."""
    return Changes(
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(path for path in after if before.get(path, after[path]) != after[path])),
        tuple(sorted(before.keys() - after.keys())),
    )


def since_made(folder: Path, entries: Sequence[Entry]) -> Changes:
    """Return what of a folder differs from what its leaderboard was made of."""
    now = contents(folder, entries)
    before = read_contents(folder)
    return changes(now if before is None else before, now)


def check_removed(
    folder: Path, entries: Sequence[Entry], accepted: Collection[str] = ()
) -> Changes:
    """Refuse a folder that lacks entries, unless that is meant.

    Args:
        folder: The folder.
        entries: Its entries.
        accepted: The keys of entries that may be gone.

    Returns:
        What differs from what the leaderboard was made of.

    Raises:
        InputError: Some are gone and nobody said so, or are said to be and are not.
    """
    made = since_made(folder, entries)
    gone = made.removed_entries
    problems = [
        f"{key}: deleted, or renamed, since the leaderboard was made; restore it, or confirm by "
        f"`mwz leaderboard --removed {key}`"
        for key in gone
        if key not in accepted
    ]
    problems += [f"--removed {key}: it is not gone" for key in sorted({*accepted} - {*gone})]
    if problems:
        raise InputError(str(folder), problems)
    return made
