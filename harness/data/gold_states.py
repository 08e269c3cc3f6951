"""Gold states of other versions of the annotation, installed beside the benchmark.

They are kept in `<data directory>/states/<benchmark>/<version>.json.gz`, and read from the public
versions of MultiWOZ, most of which have one of two shapes:

- `data.json`, of MultiWOZ 2.0, 2.1, 2.3 and 2.4 (and of 2.2, once converted by its own script):
  dialogue id -> `log`, user and system turns in turn. The `metadata` of a system turn is the state
  after the user turn before it: domain -> `semi` and `book`, each slot -> value. A value is a
  string, or a list of which 2.2 has any number.
- `test_dials.json`, as TRADE's `create_data.py` writes it: a list of dialogues with `dialogue_idx`
  and `dialogue`, whose turns have a `belief_state`, a list of `slots` (pairs of `domain-slot` and
  value), or of the pairs themselves.

Any other file is read as predictions of states are: `frames`, tables and the like. Where it has
gold states beside predictions, those are taken.

Alternatives ("a|b", "a>b", a list) are all kept: any of them is right. The spellings of `dontcare`
are made one, and the value kept: these versions annotate it. Slots without a value ("", "not
mentioned", "none") are left out, and so are, counted, those other than the 30 that state tracking
is scored on.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization import DEFAULT_RULES, BeliefState, normalize_slot_name, rule_set

from ..benchmark import Benchmark
from ..errors import InputError, cut, refuse
from ..io import kind_of, read_bytes, valid_text
from ..metrics import SEPARATOR, GoldStates, alternatives
from ..signature import SHOWN_HASH
from ..submission import (
    GOLD,
    STATE,
    TRACKED_SLOTS,
    dialogue_id,
    known_slot_name,
    metadata_slots,
    parse_predictions,
    read_state,
    role_of,
    standard_form,
)
from .declared import declared_names, gold_versions, read_data_set
from .installed import (
    SUFFIX,
    data_directory,
    document_names,
    installed_benchmarks,
    load_benchmark,
    read_document,
    write_document,
)

STATE_FILES = ("data.json", "test_dials.json", "test.tsv")
"""What is looked for in a folder or a zip file, the first that is there."""

_FORMAT = "gold states 2"
# It becomes a file's name and part of signatures.
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,30}")
_LISTED = 100
"""Characters of a list in a remark."""

_Slots: TypeAlias = Iterator[tuple[tuple[str, str], object]]
"""Domain, slot and value of all slots of a turn."""


def read_gold_states(
    version: str, path: Path, benchmark: Benchmark
) -> tuple[GoldStates, list[str]]:
    """Read the gold states of a benchmark's dialogues in another version of the annotation.

    Args:
        version: What to call it: "2.4".
        path: `data.json`, `test_dials.json` or another file of states, plain, gzipped or in a zip
            file, a folder with one of `STATE_FILES`, or a clone that has the version's pinned file.
        benchmark: The benchmark that the dialogues are of.

    Returns:
        The states, and remarks for the user, a line each.

    Raises:
        InputError: The version is no name for a file, or the file is not in one of the public
            shapes, or holds other turns than the benchmark.
    """
    if not _VERSION.fullmatch(version):
        expected = f"{version!r} is not the name of a version; expected one such as 2.4"
        raise InputError("--states", expected)
    # Of a name that is too long for a file system pathlib raises an error.
    if os.path.isdir(path):
        path = _file_in_folder(version, path, benchmark.name)
    content = parse_predictions(read_bytes(path, wanted=STATE_FILES), str(path))
    dialogues, read_slots, side = _dialogues(content, str(path))
    states: dict[str, list[BeliefState]] = {}
    left_out: Counter[str] = Counter()
    problems: list[str] = []
    for name, turns in dialogues.items():
        id_ = dialogue_id(name)
        if id_ not in benchmark.dialogues:
            continue
        states[id_] = []
        for number, turn in enumerate(turns):
            try:
                state, others = _tracked_state(read_slots(turn))
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                problems.append(f"dialogue {name}, turn {number}: no state ({error})")
            else:
                states[id_].append(state)
                left_out.update(others)
    refuse(str(path), problems)
    if not states:
        raise InputError(str(path), "none of its dialogues is in the benchmark")
    gold = GoldStates(version, benchmark.name, states)
    _check(gold, benchmark, path)
    return gold, [*side, *_notes(gold, left_out, benchmark)]


def _file_in_folder(version: str, folder: Path, benchmark: str) -> Path:
    """Return the file of a folder that has the gold states of a version.

    Raises:
        InputError: There is none.
    """
    names = list(STATE_FILES)
    if benchmark in declared_names():
        pinned = read_data_set(benchmark).pinned_states
        names += [pinned[version].path] if version in pinned else []
    for name in names:
        if (folder / name).exists():
            return folder / name
    raise InputError(str(folder), f"none of {', '.join(names)} in this folder")


def _dialogues(
    content: Any, source: str
) -> tuple[Mapping[str, Sequence[object]], Callable[[object], _Slots], list[str]]:
    """Return a file's dialogues, name -> turns with a state, and what yields a turn's slots.

    The last is what to say of whose states they are, if the file has several.

    Raises:
        InputError: They have no states.
    """
    try:
        if isinstance(content, Mapping):
            logs: dict[str, Sequence[object]] = {}
            has_metadata = False
            for name, dialogue in content.items():
                logs[name] = dialogue["log"][1::2]
                if any(isinstance(turn, Mapping) and "metadata" in turn for turn in logs[name]):
                    has_metadata = True
            if has_metadata or not logs:
                return logs, lambda turn: metadata_slots(turn["metadata"]), []
        else:
            trade = {dialogue["dialogue_idx"]: dialogue["dialogue"] for dialogue in content}
            if len(trade) == len(content):
                return trade, _slots_of_trade, []
    except (KeyError, TypeError):
        # Neither of the two shapes.
        pass
    dialogues, side = _of_any_layout(content, source)
    return dialogues, _slots_of_state, side


def _of_any_layout(
    content: object, source: str
) -> tuple[Mapping[str, Sequence[object]], list[str]]:
    """Return the dialogues of a file of states in any layout, name -> turns, each with a state.

    And what to say of whose states they are.

    Raises:
        InputError: It has none.
    """
    expected = (
        "unknown shape; expected an object of dialogue id -> `log` (data.json), a list of "
        "dialogues with `dialogue_idx` and `dialogue` (test_dials.json), or turns with a state"
    )
    try:
        standard = standard_form(content, source)
    except InputError as error:
        raise InputError(source, f"{expected}: {'; '.join(error.problems)}") from None
    dialogues = standard.dialogues
    keys: set[str] = set()
    for turns in dialogues.values():
        if isinstance(turns, list):
            keys.update(*(turn for turn in turns if isinstance(turn, Mapping)))
    key = GOLD if GOLD in keys else STATE
    if key not in keys:
        raise InputError(source, expected)
    written = standard.fields.get(key, "")
    if role_of(written.strip("`")) == "predicted":
        raise InputError(
            source, f"its states are predictions, as {written} says; give a file of gold states"
        )
    states: dict[str, Sequence[object]] = {}
    for name, turns in dialogues.items():
        states[name] = [turn[key] for turn in turns]
    both = "taken: the gold states of the file, not the predictions beside them"
    return states, [both] if {GOLD, STATE} <= keys else []


def _slots_of_state(state: object) -> _Slots:
    """Yield the slots of a state in any notation.

    Raises:
        ValueError: It cannot be read.
    """
    problems: list[str] = []
    read = read_state(state, lambda where, problem: problems.append(problem), lambda *_: None)
    if problems:
        raise ValueError(problems[0])
    for domain, slots in read.items():
        for slot, value in slots.items():
            yield (domain, known_slot_name(slot)), value


def _slots_of_trade(turn: Any) -> _Slots:
    """Yield the slots of a turn as TRADE writes it."""
    for entry in turn["belief_state"]:
        pairs = entry["slots"] if isinstance(entry, Mapping) else [entry]
        for name, value in pairs:
            domain, slot = name.split("-", 1)
            yield (domain, slot), value


def _tracked_state(slots: _Slots) -> tuple[BeliefState, list[str]]:
    """Return a state of the tracked slots, normalised, and the names of others with a value."""
    rules = rule_set(DEFAULT_RULES)
    tracked: dict[str, dict[str, str]] = {}
    others: list[str] = []
    for (domain, written), value in slots:
        slot = normalize_slot_name(written, rules)
        text = SEPARATOR.join(alternatives(slot, _joined(value), rules))
        if text and slot in TRACKED_SLOTS.get(domain, ()):
            tracked.setdefault(domain, {})[slot] = text
        elif text:
            others.append(f"{domain}-{slot}")
    return tracked, others


def _joined(written: Any) -> str:
    """Return the value of a slot as a text, several with a separator between them.

    Raises:
        TypeError: A value is no string.
    """
    values = written if isinstance(written, list) else [written]
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"expected a string as value, found {kind_of(value)}")
    return valid_text(SEPARATOR.join(values)).strip()


def import_gold_states(benchmark: Benchmark, files: Sequence[tuple[str, Path]]) -> list[str]:
    """Install gold states of a benchmark's dialogues, all or none; return what to say, in lines.

    Args:
        benchmark: The benchmark.
        files: Versions and files, as for `read_gold_states`.

    Raises:
        InputError: As `read_gold_states` does, or a file cannot be written.
    """
    # All files are read before the first is installed.
    all_read = [read_gold_states(version, path, benchmark) for version, path in files]
    lines: list[str] = []
    for gold, notes in all_read:
        replaced = _replaced(gold, benchmark)
        path = install_gold_states(gold)
        counts = f"{len(gold.states)} dialogues, {gold.turns} turns"
        content = f"content {gold.digest[:SHOWN_HASH]}, in {path}"
        lines.append(
            f"installed gold states {gold.version} of {benchmark.name}: {counts}, {content}"
        )
        lines += replaced
        lines += notes
    return lines


def _replaced(gold: GoldStates, benchmark: Benchmark) -> list[str]:
    """Return which other gold states of this version are installed, if there are any."""
    if gold.version not in installed_gold_states(benchmark.name):
        return []
    try:
        digest = load_gold_states(gold.version, benchmark).digest
    except InputError:
        return ["replaced: unreadable ones of this version"]
    others = f"replaced: others of this version, content {digest[:SHOWN_HASH]}"
    return [others] if digest != gold.digest else []


def install_gold_states(gold: GoldStates) -> Path:
    """Write gold states to the data directory, all or nothing, and return where.

    Raises:
        InputError: The file cannot be written.
    """
    path = gold_states_path(gold.benchmark, gold.version)
    document = {"version": gold.version, "benchmark": gold.benchmark, "states": gold.states}
    write_document(path, document, _FORMAT)
    return path


def load_gold_states(version: str, benchmark: Benchmark) -> GoldStates:
    """Load the installed gold states of a version, or the benchmark's own, if they are of it.

    Raises:
        InputError: They are not installed, their file is damaged, or they are of other turns than
            the benchmark has.
    """
    installed = installed_gold_states(benchmark.name)
    default, _ = gold_versions(benchmark.name)
    if version == default and version not in installed:
        states = {id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()}
        return GoldStates(version, benchmark.name, states)
    if version not in installed:
        versions = filter(None, dict.fromkeys([default, *installed]))
        raise InputError(
            f"gold states {version}",
            f"not installed for {benchmark.name}, which has {', '.join(versions) or 'none'}; "
            "`mwz data fetch --states VERSION` or `mwz data import --states VERSION PATH` installs "
            "them",
        )
    path = gold_states_path(benchmark.name, version)
    gold = GoldStates(**read_document(path, _FORMAT))
    _check(gold, benchmark, path)
    return gold


def all_gold_states() -> Iterator[GoldStates]:
    """Load all gold states of further versions that are installed, one after another."""
    for name in installed_benchmarks():
        versions = installed_gold_states(name)
        if versions:
            benchmark = load_benchmark(name)
            for version in versions:
                yield load_gold_states(version, benchmark)


def load_further_gold(benchmark: Benchmark) -> tuple[list[GoldStates], list[str]]:
    """Load the gold states of the further versions that a benchmark's data set declares.

    Returns:
        The gold states of those that are installed, and the versions that are not.

    Raises:
        InputError: A file is damaged, or is of other turns than the benchmark has.
    """
    installed = installed_gold_states(benchmark.name)
    _, further = gold_versions(benchmark.name)
    missing = [version for version in further if version not in installed]
    there = [version for version in further if version in installed]
    return [load_gold_states(version, benchmark) for version in there], missing


def gold_states_path(benchmark: str, version: str) -> Path:
    """Return where gold states of a version are or would be installed."""
    return data_directory() / "states" / benchmark / f"{version}{SUFFIX}"


def installed_gold_states(benchmark: str) -> list[str]:
    """Return the versions of gold states that are installed for a benchmark."""
    return document_names(data_directory() / "states" / benchmark)


def _check(gold: GoldStates, benchmark: Benchmark, path: Path) -> None:
    """Make sure that the gold states of a file are those of a benchmark's dialogues."""
    turns = {id_: dialogue.turns for id_, dialogue in benchmark.dialogues.items()}
    problems: list[str] = []
    for id_, states in gold.states.items():
        if len(states) != turns.get(id_):
            expected = f"the benchmark {benchmark.name} has {turns.get(id_, 'no such dialogue')}"
            problems.append(f"dialogue {id_}: {len(states)} turns with a state; {expected}")
    refuse(str(path), problems)


def _notes(gold: GoldStates, left_out: Mapping[str, int], benchmark: Benchmark) -> Iterator[str]:
    missing = [id_ for id_ in benchmark.dialogues if id_ not in gold.states]
    if missing:
        yield (
            f"not in it and not scored: {len(missing)} of the benchmark's "
            f"{len(benchmark.dialogues)} dialogues, {cut(', '.join(missing), _LISTED)}"
        )
    own = chain.from_iterable(dialogue.states for dialogue in benchmark.dialogues.values())
    domains = _domains(chain.from_iterable(gold.states.values()))
    lacking = sorted(_domains(own) - domains)
    if lacking:
        has = ", ".join(sorted(domains)) or "no domain"
        yield f"has states of {has}; the benchmark's also of {', '.join(lacking)}"
    if left_out:
        slots = ", ".join(f"{slot} ({count})" for slot, count in sorted(left_out.items()))
        listed = cut(slots, _LISTED)
        yield f"values of slots that state tracking is not scored on, left out: {listed}"


def _domains(states: Iterable[BeliefState]) -> set[str]:
    """Return the tracked domains in which some state has a slot."""
    found = {domain for state in states for domain, slots in state.items() if slots}
    return found & TRACKED_SLOTS.keys()
