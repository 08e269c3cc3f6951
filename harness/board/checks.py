"""What is wrong with entries, as far as that can be told without scoring them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..errors import InputError
from ..files import read_bytes
from .entries import Entry, folder_name
from .scores import Hashes, hashes_of
from .tracks import track_problem


def entry_problems(entries: Sequence[Entry]) -> list[str]:
    """Return what is wrong with entries, a sentence each that begins with the entry's key."""
    problems = [f"{entry.key}: {problem}" for entry in entries for problem in _own_problems(entry)]
    return [*problems, *_shared(entries)]


def _own_problems(entry: Entry) -> Iterator[str]:
    yield from entry.problems
    try:
        expected = folder_name(entry.system.name)
    except InputError as error:
        yield str(error)
    else:
        if entry.key != expected:
            yield f"its name is {entry.system.name}, so its folder must be called {expected}"
    if entry.scores.reports:
        problem = track_problem(
            entry.system.track, entry.scores.main.states, entry.system.note
        ) or _predictions_problem(entry, entry.scores.predictions)
        if problem is not None:
            yield problem


def _predictions_problem(entry: Entry, recorded: Hashes | None) -> str | None:
    """Tell if scores are not of the predictions that the entry names."""
    place = entry.system.predictions
    if recorded is None:
        return None if place.made else "its scores do not say what predictions they are of"
    if place.made is not None:
        return "its scores are of a file, and its predictions are made by the harness"
    named = recorded
    if place.git_blob is not None and place.git_blob != recorded.git_blob:
        return "its scores are of other predictions than those pinned; use --rescore"
    if place.file is not None and (entry.folder / place.file).is_file():
        named = hashes_of(read_bytes(entry.folder / place.file))
    if named != recorded:
        return f"its scores are of other predictions than {place.file}; use --rescore"
    return None


def _shared(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield what several entries have in common and must not."""
    names: dict[str, str] = {}
    contents: dict[str, str] = {}
    for entry in entries:
        first = names.setdefault(entry.system.name.casefold(), entry.key)
        if first != entry.key:
            yield f"{entry.key}: has the name of {first}; give each entry a name of its own"
        if entry.scores.predictions is not None:
            first = contents.setdefault(entry.scores.predictions.sha256, entry.key)
            if first != entry.key:
                yield f"{entry.key}: has the predictions of {first}; enter a system once"
