"""The public files that the benchmark is built from, each pinned by its git blob id.

The table is `sets/multiwoz.toml`. Whatever such a table says, its files stay inside
the folder they are kept in: every part of a path is of plain characters, none leads upwards, and
no symbolic link on the way leads out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError

PARTS = ("test", "all", "predictions")

# Words of ASCII letters, digits and a few marks, with one blank between them: what no file system
# takes for anything else than a name. That leaves out separators, drive letters, blanks at an end
# and control characters.
_PLAIN_WORD = r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]*"
_PLAIN_NAME = re.compile(rf"{_PLAIN_WORD}(?: {_PLAIN_WORD})*")
_OBJECT_ID = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class PinnedFile:
    """One version of one file of a public repository.

    Attributes:
        repository: "<owner>/<name>" at GitHub.
        commit: The commit it is taken from, 40 hexadecimal digits.
        path: Its path in the repository.
        blob: Its git blob id, 40 hexadecimal digits.
        part: When it is needed, one of `PARTS`: always, with all splits, with predictions.
    """

    repository: str
    commit: str
    path: str
    blob: str
    part: str

    @property
    def place(self) -> str:
        """Its path below the folder of downloads, and below a mirror's URL."""
        return f"{self.repository}/{self.commit}/{self.path}"

    @property
    def place_in_clones(self) -> str:
        """Its path below a folder of clones side by side, of whatever version they are."""
        return f"{self.repository.partition('/')[2]}/{self.path}"


@dataclass(frozen=True)
class Source:
    """One commit of a public repository and what is pinned of it.

    Attributes:
        repository: "<owner>/<name>" at GitHub.
        commit: The commit, 40 hexadecimal digits.
        role: What the reader of the data set knows it by.
        files: Its pinned files.
        venues: The version of the venue database that it holds, if any.
        clone: The option by which a clone of it is given, if one can be.
        optional: Whether the benchmark can be built without it.
    """

    repository: str
    commit: str
    role: str
    files: tuple[PinnedFile, ...]
    venues: str | None = None
    clone: str | None = None
    optional: bool = False

    @property
    def place(self) -> str:
        """Its path below the folder of downloads."""
        return f"{self.repository}/{self.commit}"


def parse_pinned(content: Mapping[str, Any], source: str) -> tuple[Source, ...]:
    """Check a table of pinned files and return its sources; `source` names it in messages.

    Args:
        content: `sources`, a list of tables with `repository`, `commit`, `role`, optionally
            `venues`, `clone` and `optional`, and a table path -> git blob id for each of some
            `PARTS`.
        source: What the error message calls the table.

    Raises:
        InputError: With every wrong entry.
    """
    sources = tuple(
        Source(
            str(entry.get("repository")),
            str(entry.get("commit")),
            str(entry.get("role")),
            tuple(
                PinnedFile(str(entry.get("repository")), str(entry.get("commit")), path, blob, part)
                for part in PARTS
                for path, blob in entry.get(part, {}).items()
            ),
            entry.get("venues"),
            entry.get("clone"),
            entry.get("optional", False),
        )
        for entry in content["sources"]
    )
    problems = [problem for one in sources for problem in _problems(one)]
    if problems:
        raise InputError(source, problems)
    return sources


def select(sources: Collection[Source], split: str, predictions: bool) -> tuple[PinnedFile, ...]:
    """Return the files needed.

    Args:
        sources: A table of pinned files.
        split: "test", or "all" to have train and dev as well.
        predictions: Whether to have the published systems' outputs as well.
    """
    parts = {"test", split} | ({"predictions"} if predictions else set())
    return tuple(file for source in sources for file in source.files if file.part in parts)


def blob_id(content: bytes) -> str:
    """Return the git blob id of a content: SHA-1 of `blob <size>`, a zero byte and the content.

    Source: "Git Internals - Git Objects", Pro Git (2nd edition), section 10.2.
    """
    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def safe_path(folder: Path, place: str) -> Path:
    """Return the path of a place below a folder, sure not to lead out of the folder.

    Args:
        folder: The folder; it need not exist.
        place: A relative path with `/` between its parts.

    Raises:
        InputError: The place is absolute, leads upwards, has unusual characters, or a symbolic
            link on the way leads out of the folder.
    """
    if not _is_plain(place):
        raise InputError(place, _UNSAFE)
    path = folder.joinpath(*place.split("/"))
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(str(path), f"a symbolic link leads out of {folder}; remove the link")
    return path


_UNSAFE = (
    "not a path inside the data directory; expected names of letters, digits, `_`, `-`, `+`, `.` "
    "(not first) and single blanks (inside), with `/` between them"
)


def _is_plain(place: str) -> bool:
    return all(_PLAIN_NAME.fullmatch(name) for name in place.split("/"))


def _problems(source: Source) -> Iterator[str]:
    name = source.repository
    if not (_is_plain(name) and name.count("/") == 1 and " " not in name):
        yield f"repository {name!r}: expected <owner>/<name>"
    if not _OBJECT_ID.fullmatch(source.commit):
        yield f"{name}, commit {source.commit!r}: expected 40 hexadecimal digits"
    for file in source.files:
        if not _is_plain(file.path):
            yield f"{name}, path {file.path!r}: {_UNSAFE}"
        if not (isinstance(file.blob, str) and _OBJECT_ID.fullmatch(file.blob)):
            yield f"{name}, {file.path}: git blob id {file.blob!r}; expected 40 hexadecimal digits"
