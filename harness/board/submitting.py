"""A new entry in the folder of submissions, and the files of the leaderboard."""

from __future__ import annotations

import datetime
import gzip
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from mwz.normalization.rules import published_rule_sets

from ..errors import InputError, refuse
from ..io.files import write_atomically
from .entries import ENTRY_FILE, Entry, read_entries, shared_problems, track_problem
from .model import rows
from .scores import FILES, Hashes, Scores, seed_file
from .systems import PREDICTIONS_FILE, Predictions, System, folder_name, read_system, system_text
from .tracks import tracks


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
        states: The source of belief states that it is scored with; None in tracks without.
        replace: Whether it may take the place of an entry of the same name.

    Raises:
        InputError: It does not belong in its track, or its name or its predictions are there.
    """
    target = folder / folder_name(system.name)
    _check_place(target, replace)
    if problem := track_problem(system, states):
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
    """Write an entry's folder.

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
    entries = read_entries(folder) if folder.is_dir() else []
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
    # What cannot be ranked would leave the folder without a leaderboard. Its file is not written
    # yet, and one of the entry that it replaces may be there.
    unwritten = placed.model_copy(update={"predictions": place.model_copy(update={"file": None})})
    for rules in published_rule_sets():
        rows([*others, Entry(target, unwritten, scores)], rules)
    files = _files(placed, scores, predictions)
    # A new entry is there at once; one that is replaced, file by file.
    made = target if target.exists() else folder / f".{target.name}"
    for file, content in files.items():
        write_atomically(made / file, content)
    for path in (*(made / name for name in FILES), *made.glob(seed_file("*"))):
        if path.name not in files:
            path.unlink(missing_ok=True)
    made.replace(target)
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
    if not target.exists():
        return
    if not replace:
        raise InputError(str(target), "there is an entry of that name; use another, or --replace")
    old = read_system(target / ENTRY_FILE)
    if old.predictions.by_harness or not tracks()[old.track].submitted:
        raise InputError(str(target), "is made by the harness and cannot be replaced")


def write_files(files: Mapping[Path, str]) -> None:
    """Write scores and pages, each of them whole.

    Between two of them the process may be killed: `mwz leaderboard --check` tells.

    Args:
        files: Path -> content, in the order in which they are written.

    Raises:
        InputError: A file cannot be written.
    """
    for path, content in files.items():
        write_atomically(path, content)
