"""Entries: the folders of submissions/, one per system, with what it is, reported and scores.

    submissions/NAME/entry.toml          what the system is and what its papers report
    submissions/NAME/scores.json         all that the harness computed of it, at full precision
    submissions/NAME/predictions.json.gz its outputs, unless they are pinned elsewhere, or made
    submissions/order.txt                which came first: an entry is no copy of a later one

An entry is one folder that appears in one step, so that no reader ever sees half of one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeAlias

from ..errors import InputError, refuse, resembling, unknown
from ..io import decoded, is_plain_file, parse_json, parse_toml, read_plain
from ..rooms import absent_tracks
from ..signature import PLACEHOLDERS, current_versions
from .scores import SCORES_FILE, DialogueScores, Scores, parse_scores, scores_text
from .systems import System, folder_name, read_system
from .track import report_left_out, tracks
from .tracked import TrackedScores

PUBLISHED = Path(__file__).parents[2] / "submissions"
"""The entries of the public board, as they are packed with the harness; in a clone, its own."""

ENTRY_FILE = "entry.toml"
ORDER_FILE = "order.txt"
NOTE_FILE = "note.txt"
"""The file with the note on all scores of a folder of entries."""

_DIGEST_LINE = re.compile(r"([0-9a-f]{64})  ([^\s].*)")


@dataclass(frozen=True)
class Entry:
    """One folder of submissions.

    Attributes:
        folder: Where it is.
        system: What the system is.
        scores: What it scores; nothing if its `scores.json` cannot be read.
        problems: Why its `scores.json` cannot be read.
    """

    folder: Path
    system: System
    scores: Scores
    problems: tuple[str, ...] = ()

    @property
    def verifiable(self) -> bool:
        """Whether its predictions can be had, so that anybody can score them again."""
        place = self.system.predictions
        if place.unavailable is not None:
            return False
        return place.file is None or is_plain_file(self.folder / place.file)

    @property
    def benchmark(self) -> str | None:
        """The benchmark that it was scored on; None if that is not known."""
        return next((stored.benchmark for stored in self.scores.signatures.values()), None)

    @property
    def compared(self) -> DialogueScores | None:
        """The stored scores that comparisons take: its reports, dialogue by dialogue."""
        return self.scores.dialogues if self.scores.reports and not self.problems else None

    @property
    def key(self) -> str:
        """The folder's name, which commands call the entry by."""
        return self.folder.name


def check_folder(folder: Path) -> None:
    """Make sure that there is a folder of entries.

    Raises:
        InputError: There is none.
    """
    if not os.path.isdir(folder):
        raise InputError(str(folder), "no such folder of entries; give one by --submissions")


def read_entries(folder: Path) -> list[Entry]:
    """Read every entry of a folder, by name.

    Raises:
        InputError: The folder is missing, or a file in it is missing or not as the schema says.
    """
    check_folder(folder)
    absent = absent_tracks()
    entries, left_out = [], 0
    for path in sorted(folder.iterdir()):
        if not path.is_dir() or path.is_symlink() or path.name.startswith("."):
            continue
        if absent:
            file = path / ENTRY_FILE
            if parse_toml(read_plain(file), str(file)).get("track") in absent:
                left_out += 1
                continue
        entries.append(read_entry(path))
    if left_out:
        report_left_out(folder, f"{left_out} entries")
    return entries


Order: TypeAlias = Mapping[str, str]
"""Keys of entries in the order in which they came -> SHA-256 of their predictions."""


def in_order(entries: Iterable[Entry], order: Order) -> list[Entry]:
    """Return entries in the order in which they came.

    Args:
        entries: The entries.
        order: What is known of that. An entry that has other predictions there is a new one, and
            new ones come last, by name.
    """
    places = {key: place for place, key in enumerate(order)}

    def place(entry: Entry) -> tuple[int, str]:
        hashes = entry.scores.predictions
        if hashes is None or order.get(entry.key) != hashes.sha256:
            return len(places), entry.key
        return places[entry.key], entry.key

    return sorted(entries, key=place)


def read_order(folder: Path) -> Order:
    """Return the order of the entries of a folder, as its `order.txt` has it.

    Raises:
        InputError: The file is not in the form of `sha256sum`.
    """
    path = folder / ORDER_FILE
    if not path.is_file():
        return {}
    order = {}
    lines = read_plain(path).decode(errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        match = _DIGEST_LINE.fullmatch(line)
        if match is None:
            problem = "expected a SHA-256, two blanks and a name"
            remedy = "take the file from version control"
            raise InputError(str(path), f"line {number}: {problem}; {remedy}")
        order[match[2]] = match[1]
    return order


def new_order(folder: Path, entries: Sequence[Entry]) -> Order:
    """Return the order of a folder with new entries at its end.

    The lines of entries that are there, but of tracks that are not installed, are kept.
    """
    stored = read_order(folder)
    current = {}
    for entry in in_order(entries, stored):
        if entry.scores.predictions is not None:
            current[entry.key] = entry.scores.predictions.sha256
    keys = {entry.key for entry in entries}
    order = {}
    for key, digest in stored.items():
        is_absent = key not in keys and (folder / key).is_dir()
        if is_absent or current.get(key) == digest:
            order[key] = digest
    return order | current


def chosen_entries(entries: Sequence[Entry], names: Sequence[str], folder: Path) -> list[Entry]:
    """Return the entries of these names, or all if there are none.

    Args:
        entries: All entries.
        names: Names of folders.
        folder: What messages call the folder.

    Raises:
        InputError: There is no entry of some name.
    """
    if not names:
        return list(entries)
    by_key = {entry.key: entry for entry in entries}
    refuse(str(folder), [unknown("entry", name, by_key) for name in names if name not in by_key])
    return [by_key[name] for name in names]


def read_note(folder: Path) -> str:
    """Return the note of a folder of entries, as one line; empty if there is none.

    Raises:
        InputError: The note is not text.
    """
    path = folder / NOTE_FILE
    if not path.is_file():
        return ""
    return " ".join(decoded(read_plain(path), str(path)).split())


def read_entry(folder: Path) -> Entry:
    """Read one entry's folder.

    Scores that cannot be used are no error: they may be made again. The entry says why.

    Raises:
        InputError: Its `entry.toml` is missing or not as the schema says.
    """
    system, path = read_system(folder / ENTRY_FILE), folder / SCORES_FILE
    try:
        return Entry(folder, system, parse_scores(read_plain(path), str(path), system.track))
    except InputError as error:
        problems = tuple(f"{SCORES_FILE}: {problem}" for problem in error.problems)
        return Entry(folder, system, Scores(), problems)


def absent_packages(entries: Iterable[Entry]) -> dict[str, str]:
    """Return package -> version, of those that entries were scored with and that are missing."""
    used: dict[str, str] = {}
    for entry in entries:
        for signature in entry.scores.signatures.values():
            used.update(signature.versions)
    absent = {}
    for package in used.keys() - current_versions():
        try:
            version(package)
        except PackageNotFoundError:
            absent[package] = used[package]
    return absent


def find_entry(name: str, submissions: Path) -> Entry:
    """Return the entry of a name, in a folder of submissions or on the board of the harness.

    Raises:
        InputError: There is none, or its `entry.toml` cannot be read.
    """
    folders = (submissions, PUBLISHED)
    for folder in folders:
        # Of a name that is too long for a file system pathlib raises an error.
        if os.path.isfile(folder / name / ENTRY_FILE):
            return read_entry(folder / name)
    names: set[str] = set()
    for folder in folders:
        names.update(path.parent.name for path in folder.glob(f"*/{ENTRY_FILE}"))
    problem = f"no such file, and no entry of {submissions} or the board{resembling(name, names)}"
    raise InputError(name, problem)


# ---------------------------------------------------------------- what is wrong with entries


def entry_problems(entries: Sequence[Entry]) -> list[str]:
    """Return what is wrong with entries, a sentence each that begins with the entry's key."""
    problems = []
    for entry in entries:
        for problem in _own_problems(entry):
            problems.append(f"{entry.key}: {problem}")
    problems += shared_problems(entries)
    # Entries that do not have the belief states that they say they have.
    by_key = {entry.key: entry for entry in entries}
    for entry in by_key.values():
        owner = entry.system.states_of
        if owner is None:
            continue
        place = f"{entry.key}: {ENTRY_FILE}: states_of:"
        other = by_key.get(owner)
        if other is None or other is entry:
            problems.append(f"{place} {unknown('entry', owner, by_key)}")
            continue
        ours, theirs = entry.scores.fingerprints, other.scores.fingerprints
        share = ours.shared_states(theirs) if ours and theirs else None
        if share != 1.0:
            agreement = "too few can be compared" if share is None else f"{share:.2f} of them are"
            problem = f"its belief states are not those of {owner} ({agreement})"
            remedy = f"leave it out, or submit the states that {owner} has"
            problems.append(f"{place} {problem}; {remedy}")
    return problems


def file_problems(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield which entries' scores are not as the harness writes them.

    Some figures stand in the file twice, such as those that follow from others. All scores of a
    tracker are made by the same versions of harness and libraries.

    Args:
        entries: The entries; of those that cannot be read something is wrong already.
    """
    for entry in entries:
        if entry.problems:
            continue
        path, result = entry.folder / SCORES_FILE, entry.scores.result
        stored = parse_json(read_plain(path), str(path))
        if stored != json.loads(scores_text(entry.scores)):
            yield f"{entry.key}: {SCORES_FILE}: edited; score the entry again (--rescore)"
        if isinstance(result, TrackedScores):
            versions = [result.signature.versions]
            for by_choice in entry.scores.further_gold.values():
                versions += [further.signature.versions for further in by_choice.values()]
            if versions.count(versions[0]) < len(versions):
                yield (
                    f"{entry.key}: {SCORES_FILE}: its signatures name different versions; score "
                    "the entry again (--rescore), with all gold states installed"
                )


def _own_problems(entry: Entry) -> Iterator[str]:
    """Yield what is wrong with an entry by itself: its name, track, predictions and scoring."""
    yield from entry.problems
    try:
        expected = folder_name(entry.system.name)
    except InputError as error:
        yield str(error)
    else:
        if entry.key != expected:
            yield f"its name is {entry.system.name}, so its folder must be called {expected}"
    sources = {report.signature.states or "" for report in entry.scores.reports.values()}
    for states in sorted(sources):
        problem = track_problem(entry.system, states)
        if problem is not None:
            yield problem
    if entry.scores.is_scored:
        yield from _predictions_problems(entry)
    aliases, english = entry.system.aliases, tracks()[entry.system.track].kind == "plain English"
    declared = "none" if aliases is None else aliases.label
    for rules, report in entry.scores.reports.items():
        if ("grounded" in report.metrics) != english:
            kind = "as delexicalised" if english else "as plain English"
            yield f"rule set {rules}: it was scored {kind}; use --rescore"
        used = report.signature.parameters.get(PLACEHOLDERS, "none")
        if used != declared:
            problem = f"scored with placeholders {used}, and {ENTRY_FILE} declares {declared}"
            yield f"rule set {rules}: {problem}; use --rescore"


def track_problem(system: System, states: str | None) -> str | None:
    """Say why a system does not belong in its track, given the source of its belief states."""
    needed = tracks()[system.track].states
    explained = needed == "gold" and system.note is not None
    if states is None or explained or needed in ("", states):
        return None
    more = "; leave them out, or say in a note that they are used" if needed == "gold" else ""
    return f"track {system.track}: needs {needed} belief states; they are {states}{more}"


def _predictions_problems(entry: Entry) -> Iterator[str]:
    """Yield why scores are not of the predictions that the entry names."""
    place, recorded = entry.system.predictions, entry.scores.predictions
    other = "its scores are of other predictions than"
    if recorded is None:
        if not place.made:
            yield "its scores do not say what predictions they are of"
    elif place.made is not None:
        yield "its scores are of a file, and its predictions are made by the harness"
    elif place.git_blob is not None and place.git_blob != recorded.git_blob:
        yield f"{other} those pinned; use --rescore"
    elif place.file is not None and is_plain_file(entry.folder / place.file):
        try:
            if not recorded.is_file(read_plain(entry.folder / place.file)):
                yield f"{other} {place.file}; use --rescore"
        except InputError as error:
            yield f"{place.file}: {'; '.join(error.problems)}"


def shared_problems(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield what several entries have in common and must not."""
    names: dict[str, str] = {}
    contents: dict[str, str] = {}
    for entry in entries:
        first = names.setdefault(entry.system.name.casefold(), entry.key)
        if first != entry.key:
            yield f"{entry.key}: has the name of {first}; give each entry a name of its own"
        played = entry.system.predictions.played
        if played is not None:
            first = contents.setdefault(played, entry.key)
            if first != entry.key:
                yield f"{entry.key}: is the harness's own play, as {first}; enter a system once"
        recorded, digests = entry.scores.predictions, []
        if recorded is not None:
            digests = [recorded.sha256, recorded.content or recorded.sha256]
            digests += recorded.trials or ()
        firsts = {contents.setdefault(digest, entry.key) for digest in digests} - {entry.key}
        if firsts:
            yield f"{entry.key}: has the predictions of {min(firsts)}; enter a system once"
