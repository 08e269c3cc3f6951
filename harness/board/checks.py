"""What is wrong with entries, as far as that can be told without scoring them again.

That an entry is a copy of another one shows by the fingerprints that entries store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from mwz.normalization.rules import DEFAULT_RULES

from ..errors import InputError, unknown
from ..io.files import is_plain_file, parse_json, read_plain
from ..signature import PLACEHOLDERS
from . import LEXICALISED, track_problem
from .entries import ENTRY_FILE, Entry, folder_name

GROUNDED = "grounded"

WAY_BACK = 1.0
"""Points of Inform and Success by which scores that come back may differ."""


def entry_problems(entries: Sequence[Entry]) -> list[str]:
    """Return what is wrong with entries, a sentence each that begins with the entry's key."""
    problems = [f"{entry.key}: {problem}" for entry in entries for problem in _own_problems(entry)]
    problems += chain(shared_problems(entries), _states_problems(entries))
    return [*problems, *_ways_back(entries)]


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


def _ways_back(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield which systems that the harness put into plain English do not come back."""
    for back in way_back(entries, DEFAULT_RULES):
        if back.farthest > WAY_BACK:
            yield (
                f"{back.key}: Inform or Success of {back.name} comes back {back.farthest:.1f} "
                f"points off, more than {WAY_BACK:g}; leave it out, or another seed may do"
            )


@dataclass(frozen=True)
class WayBack:
    """A system whose responses were put into plain English and delexicalised again.

    Attributes:
        key: The entry in plain English.
        name: The system's name.
        inform: Strict Inform of its own, and again, in percent.
        success: Strict Success likewise.
    """

    key: str
    name: str
    inform: tuple[float, float]
    success: tuple[float, float]

    @property
    def farthest(self) -> float:
        """The larger of both differences."""
        return max(abs(again - own) for own, again in (self.inform, self.success))


def way_back(entries: Sequence[Entry], rules: str) -> Iterator[WayBack]:
    """Yield what came back of each system that the harness put into plain English."""
    by_key = {entry.key: entry for entry in entries}
    for entry in entries:
        base = by_key.get(entry.system.predictions.lexicalised or "")
        own = None if base is None else base.scores.under(rules)
        again = entry.scores.under(rules)
        if base is None or own is None or again is None:
            continue
        inform, success = (own.inform, again.inform), (own.success, again.success)
        if None not in (*inform, *success):
            yield WayBack(entry.key, base.system.name, inform, success)  # type: ignore[arg-type]


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
        problem = track_problem(entry.system.track, states, entry.system.note)
        if problem is not None:
            yield problem
    if entry.scores.reports or entry.scores.without_reports is not None:
        yield from _predictions_problems(entry)
    yield from _report_problems(entry)
    yield from _placeholder_problems(entry)


def _report_problems(entry: Entry) -> Iterator[str]:
    """Yield what is wrong with what an entry scores under each rule set."""
    for rules, report in entry.scores.reports.items():
        if (GROUNDED in report.metrics) != (entry.system.track == LEXICALISED):
            how = "as plain English" if GROUNDED in report.metrics else "as delexicalised"
            yield f"rule set {rules}: it was scored {how}; use --rescore"


def _placeholder_problems(entry: Entry) -> Iterator[str]:
    """Yield which scores were not made with the placeholders that an entry declares."""
    own = entry.system.aliases
    declared = "none" if own is None else own.label
    for rules, report in entry.scores.reports.items():
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
