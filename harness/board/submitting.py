"""The folder of submissions: a new entry in one step, one process at a time, and what changed.

Scores, pairs and ranks follow from one another; that an entry was deleted, a printed figure or a
note changed, follows from nothing. So `mwz leaderboard` writes down the digest of every file in
`SHA256SUMS`, in the form of `sha256sum`, and `--check` compares.
"""

from __future__ import annotations

import datetime
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import portalocker

from mwz.normalization.rules import published_rule_sets
from mwz.normalization.rules.registry import sha256

from ..errors import InputError, refuse
from ..io.files import (
    UNFINISHED,
    clear_scratch,
    is_plain_file,
    is_plain_folder,
    read_plain,
    write_atomically,
)
from . import TRACKS, track_problem
from .audit.reported import REPORTED_FILE
from .checks import shared_problems
from .entries import (
    ENTRY_FILE,
    NOTE_FILE,
    PREDICTIONS_FILE,
    Entry,
    Predictions,
    System,
    folder_name,
    read_digests,
    read_entries,
    read_system,
    system_text,
)
from .model import PAGES, rows
from .scores import FILES, Hashes, Scores, seed_file

CONTENTS_FILE = "SHA256SUMS"

_LOCK = ".lock"
_PATIENCE = 600
"""How many seconds to wait for another process to be done."""

# The names of what is cleared away if it is left behind: nothing else in the folder is ours.
_REPLACED = ".replaced"


def check_new(
    folder: Path,
    system: System,
    predictions: Hashes | None,
    states: str | None = None,
    replace: bool = False,
) -> None:
    """Refuse a system that cannot be entered, before anything of it is scored.

    Args:
        folder: The folder of all entries.
        system: What the system is.
        predictions: What identifies its predictions.
        states: The source of belief states that it is scored with; None in the track for state
            tracking.
        replace: Whether it may take the place of an entry of the same name.

    Raises:
        InputError: It does not belong in its track, or its name or its predictions are there.
    """
    target = folder / folder_name(system.name)
    _check_place(target, replace)
    problem = None if states is None else track_problem(system.track, states, system.note)
    if problem is not None:
        raise InputError("--track", problem)
    others = read_entries(folder) if folder.is_dir() else []
    new = Entry(target, system, Scores(predictions=predictions))
    refuse("leaderboard", shared_problems([*(one for one in others if one.key != new.key), new]))


def submit(
    folder: Path,
    system: System,
    scores: Scores,
    predictions: Sequence[bytes],
    replace: bool = False,
) -> list[Entry]:
    """Write an entry's folder: all of it or nothing, whenever this is interrupted.

    Call it with the folder locked.

    Args:
        folder: The folder of all entries.
        system: What the system is; when it was entered is filled in, and that its predictions are
            in the folder if there are any files of them.
        scores: What it scores.
        predictions: The (unpacked) predictions files: its own, and those of `scores.seeds`; none
            where the harness plays.
        replace: Whether to replace an entry of the same name.

    Returns:
        All entries of the folder, the new one last.

    Raises:
        InputError: There is an entry of that name already, its scores do not compare with
            those of the others, or the folder cannot be written.
    """
    target = folder / folder_name(system.name)
    _check_place(target, replace)
    entries = read_entries(folder)
    others = [other for other in entries if other.folder != target]
    # The same predictions entered again were submitted before.
    same = (
        one.system.entered
        for one in entries
        if one.folder == target and one.scores.predictions == scores.predictions
    )
    place = Predictions(file=PREDICTIONS_FILE) if predictions else system.predictions
    time = next(same, None) or _now()
    placed = system.model_copy(update={"predictions": place, "entered": time})
    try:
        scratch = Path(tempfile.mkdtemp(UNFINISHED, f".{target.name}.", folder)) / target.name
        try:
            scratch.mkdir()
            for file, data in _files(placed, scores, predictions).items():
                write_atomically(scratch / file, data)
            # What cannot be ranked would leave the folder without a leaderboard.
            for rules in published_rule_sets():
                rows([*others, Entry(scratch, placed, scores)], rules)
            _put(scratch, target)
        finally:
            recover(folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    return [*others, Entry(target, placed, scores)]


def _now() -> datetime.datetime:
    """Return the time, or that of `SOURCE_DATE_EPOCH`, by which builds come out the same."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    if fixed.isdecimal():
        return datetime.datetime.fromtimestamp(int(fixed), datetime.timezone.utc)
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def _files(system: System, scores: Scores, predictions: Sequence[bytes]) -> dict[str, bytes]:
    """Return name -> content of the files of an entry's folder."""
    texts = {ENTRY_FILE: system_text(system), **scores.files()}
    found = {name: text.encode() for name, text in texts.items()}
    for number, content in enumerate(predictions, start=1):
        name = PREDICTIONS_FILE if number == 1 else seed_file(number)
        # No time stamp: the same predictions are the same bytes.
        found[name] = gzip.compress(content, mtime=0)
    return found


def _check_place(target: Path, replace: bool) -> None:
    """Refuse to take the place of what is there already.

    Raises:
        InputError: There is an entry of that name, or something else; or one that the harness
            makes.
    """
    if is_plain_folder(target):
        if not replace:
            told = "there is an entry of that name; use another, or --replace"
            raise InputError(str(target), told)
        old = read_system(target / ENTRY_FILE)
        if old.predictions.by_harness or not TRACKS[old.track].submitted:
            raise InputError(str(target), "is made by the harness and cannot be replaced")
    elif os.path.lexists(target) and not replace:
        raise InputError(str(target), "is not a folder of an entry; remove it, or use --replace")


def _put(new: Path, target: Path) -> None:
    """Move a folder to a place; what was there is then where the folder was, or set aside.

    Raises:
        OSError: It cannot be moved.
    """
    if not os.path.lexists(target):
        new.rename(target)
    elif not _exchanged(new, target):
        # Two steps, between which there is nothing: only where the system has no other way.
        target.rename(target.with_name(f".{target.name}{_REPLACED}"))
        new.rename(target)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two files or folders in one step; return whether the system can do that."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    here = -100  # AT_FDCWD: paths are from the working directory
    exchange = 2  # RENAME_EXCHANGE
    failed: int = rename(here, os.fsencode(one), here, os.fsencode(other), exchange)
    return not failed


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder of submissions, made if it is not there: one process at a time writes to it.

    Raises:
        InputError: The folder cannot be written, or another process does not let go of it.
    """
    path = folder / _LOCK
    lock = portalocker.Lock(str(path), timeout=_PATIENCE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(path) and not is_plain_file(path):
            # A link would have another file made, and a pipe would never be opened.
            _remove(path)
        lock.acquire()
        recover(folder)
    except portalocker.LockException:
        told = "cannot be locked; if another process is writing to it, try again when that is done"
        raise InputError(str(folder), told) from None
    except OSError as error:
        lock.release()
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    try:
        yield
    finally:
        lock.release()


def recover(folder: Path) -> None:
    """Clear away what an interrupted process left; call it with the folder locked.

    A submission that was set aside comes back if the one that replaces it is not there.

    Raises:
        OSError: The folder cannot be written.
    """
    for place in (folder, *filter(is_plain_folder, folder.iterdir())):
        for left in place.glob(f".*{UNFINISHED}"):
            _remove(left)
    for left in folder.glob(f".*{_REPLACED}"):
        original = folder / left.name.removeprefix(".").removesuffix(_REPLACED)
        if is_plain_folder(left) and not os.path.lexists(original):
            left.rename(original)
        else:
            _remove(left)
    for page in PAGES:
        clear_scratch(folder.absolute().parent / page)


def write_files(folder: Path, files: Mapping[Path, str]) -> None:
    """Write scores and pages, each of them whole; call it with the folder locked.

    Between two of them the process may be killed: `mwz leaderboard --check` tells.

    Args:
        folder: The folder of submissions.
        files: Path -> content, in the order in which they are written.

    Raises:
        InputError: A file cannot be written.
    """
    inside = folder.absolute()
    own_pages = {inside.parent / page for page in PAGES}

    def is_own(path: Path) -> bool:
        return path.absolute() in own_pages or inside in path.absolute().parents

    for path in files:
        if is_own(path) and path.parent.is_symlink():
            raise InputError(str(path.parent), "is a symbolic link; put the folder itself there")
    for path, content in files.items():
        # A page that the user named may be a link, or a device.
        write_atomically(path, content, follow=not is_own(path))


def _remove(path: Path) -> None:
    """Remove whatever is there, if anything; what a link leads to stays."""
    if is_plain_folder(path):
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


# ---------------------------------------------------------- what changed in a folder


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


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    """Return what differs between two states of a folder."""
    return Changes(
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(path for path in after if before.get(path, after[path]) != after[path])),
        tuple(sorted(before.keys() - after.keys())),
    )


def since_made(folder: Path, entries: Sequence[Entry]) -> Changes:
    """Return what of a folder differs from what its leaderboard was made of."""
    now, before = contents(folder, entries), read_digests(folder / CONTENTS_FILE)
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
    refuse(str(folder), problems)
    return made
