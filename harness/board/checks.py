"""What is wrong with entries, as far as that can be told without scoring them again: all of it.

The rest shows when entries are scored again (`rescoring.py`). That an entry is a copy of another
one shows by the fingerprints that entries store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from ..errors import InputError, unknown
from ..io.files import is_plain_file, parse_json, read_plain
from ..signature import PLACEHOLDERS
from .entries import ENTRY_FILE, Entry, System, folder_name
from .tracks import tracks


def entry_problems(entries: Sequence[Entry]) -> list[str]:
    """Return what is wrong with entries, a sentence each that begins with the entry's key."""
    problems = [f"{entry.key}: {problem}" for entry in entries for problem in _own_problems(entry)]
    problems += [*shared_problems(entries), *_states_problems(entries)]
    return problems + [
        one for track in tracks().values() for one in track.entries_problems(entries)
    ]


def file_problems(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield which files in the entries' folders were changed since the harness wrote them.

    Args:
        entries: The entries; of those that cannot be read something is wrong already.
    """
    for entry in (entry for entry in entries if not entry.problems):
        for name, text in entry.scores.files().items():
            path = entry.folder / name
            if path.is_file() and parse_json(read_plain(path), str(path)) != json.loads(text):
                yield f"{entry.key}: {name}: edited; score the entry again (--rescore)"


def _own_problems(entry: Entry) -> Iterator[str]:
    yield from entry.problems
    try:
        expected = folder_name(entry.system.name)
    except InputError as error:
        yield str(error)
    else:
        if entry.key != expected:
            yield f"its name is {entry.system.name}, so its folder must be called {expected}"
    for states in sorted({report.states for report in entry.scores.reports.values()}):
        if problem := track_problem(entry.system, states):
            yield problem
    if entry.scores.is_scored:
        yield from _predictions_problems(entry)
    yield from _report_problems(entry)


def track_problem(system: System, states: str | None) -> str | None:
    """Say why a system does not belong in its track, given the source of its belief states."""
    if states is None:
        return None
    problem = tracks()[system.track].states_problem(states, system.note)
    return None if problem is None else f"track {system.track}: {problem}"


def _report_problems(entry: Entry) -> Iterator[str]:
    """Yield which scores are not of what an entry declares: plain English, and placeholders."""
    aliases, english = entry.system.aliases, tracks()[entry.system.track].english
    declared = "none" if aliases is None else aliases.label
    for rules, report in entry.scores.reports.items():
        if ("grounded" in report.metrics) != english:
            how = "as delexicalised" if english else "as plain English"
            yield f"rule set {rules}: it was scored {how}; use --rescore"
        used = report.signature.parameters.get(PLACEHOLDERS, "none")
        if used != declared:
            told = f"scored with placeholders {used}, and {ENTRY_FILE} declares {declared}"
            yield f"rule set {rules}: {told}; use --rescore"


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
        if played is not None and (own := contents.setdefault(played, entry.key)) != entry.key:
            yield f"{entry.key}: is the harness's own play, as {own}; enter a system once"
        recorded = entry.scores.predictions
        digests: list[str] = []
        if recorded is not None:
            whole = recorded.content or recorded.sha256
            digests = [recorded.sha256, whole, *(recorded.trials or ())]
        firsts = {contents.setdefault(one, entry.key) for one in digests} - {entry.key}
        if firsts:
            yield f"{entry.key}: has the predictions of {min(firsts)}; enter a system once"


def _states_problems(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield which entries do not have the belief states that they say they have."""
    by_key = {entry.key: entry for entry in entries}
    for entry in by_key.values():
        whose = entry.system.states_of
        if whose is None:
            continue
        other = by_key.get(whose)
        if other is None or other is entry:
            yield f"{entry.key}: {ENTRY_FILE}: states_of: {unknown('entry', whose, by_key)}"
            continue
        own, theirs = entry.scores.fingerprints, other.scores.fingerprints
        share = own.shared(theirs, "states") if own and theirs else None
        if share != 1.0:
            told = "too few can be compared" if share is None else f"{share:.2f} of them are"
            yield (
                f"{entry.key}: {ENTRY_FILE}: states_of: its belief states are not those of {whose} "
                f"({told}); leave it out, or submit the states that {whose} has"
            )
