"""Gold states as the public versions of MultiWOZ hold them: two shapes, known by their keys.

- `data.json`, of MultiWOZ 2.0, 2.1, 2.3 and 2.4 (and of 2.2, once converted by its own script):
  dialogue id -> `log`, user and system turns in turn. The `metadata` of a system turn is the state
  after the user turn before it: domain -> `semi` and `book`, each slot -> value. A value is a
  string, or a list of which 2.2 has any number; "", "not mentioned" and "none" say that there is
  none.
- `test_dials.json`, as TRADE's `create_data.py` writes it: a list of dialogues with `dialogue_idx`
  and `dialogue`, whose turns have a `belief_state`, a list of `slots` (pairs of `domain-slot` and
  value), or of the pairs themselves.

Of alternatives ("a|b", "a>b", a list) the first is taken, as the benchmark's own states do. The
spellings of `dontcare` are made one, and the value kept: these versions annotate it. Slots other
than the 30 that state tracking is scored on are left out, and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from mwz.normalization.rules import DEFAULT_RULES, RuleSet, rule_set
from mwz.normalization.states import BeliefState, normalize_state

from ..errors import InputError
from ..io.files import is_text, kind_of, read_json
from ..metrics.tracking.dialogue_states import DONTCARE
from ..submission.checking import dialogue_id
from ..submission.notations import METADATA, NO_VALUE, NOT_TRACKED, TRACKED_SLOTS

STATE_FILES = ("data.json", "test_dials.json")
"""What is looked for in a folder, the first that is there."""

_ALTERNATIVES = re.compile(r"[|<>]")


def read_state_file(
    path: Path, wanted: Collection[str]
) -> tuple[Mapping[str, Sequence[BeliefState]], Mapping[str, int]]:
    """Read the gold states of dialogues from a file, or from the one that a folder has.

    Args:
        path: `data.json` or `test_dials.json`, plain or gzipped, or a folder with one of them.
        wanted: Ids of the dialogues to read; the file may hold the train and dev dialogues too.

    Returns:
        Dialogue id, as benchmarks spell it -> one normalised state per system turn; and
        `domain-slot` -> how many values of slots that are not tracked were left out.

    Raises:
        InputError: The file cannot be read, has neither shape or is malformed, with every place.
    """
    if path.is_dir():
        there = [path / name for name in STATE_FILES if (path / name).exists()]
        if not there:
            raise InputError(str(path), f"no {' or '.join(STATE_FILES)} in this folder")
        path = there[0]
    content = read_json(path)
    reader = _Reader(wanted)
    if isinstance(content, Mapping) and _is_dialogue(content, "log"):
        reader.read(content.items(), "log", reader.log_turns)
    elif isinstance(content, Sequence) and _is_dialogue(content, "dialogue"):
        reader.read(reader.named(content), "dialogue", reader.trade_turns)
    else:
        raise InputError(
            str(path),
            "unknown shape; expected an object of dialogue id -> `log` (data.json), or a list of "
            "dialogues with `dialogue_idx` and `dialogue` (test_dials.json)",
        )
    if reader.problems:
        raise InputError(str(path), reader.problems)
    if not reader.states:
        raise InputError(str(path), "none of its dialogues is in the benchmark")
    return reader.states, dict(sorted(reader.left_out.items()))


_Slots: TypeAlias = Iterable[tuple[str, str, object]]
"""Domain, slot and value of all slots of a turn."""


class _Reader:
    """Reads the states of one file; keeps what is wrong with it and what is left out."""

    def __init__(self, wanted: Collection[str]) -> None:
        self.states: dict[str, list[BeliefState]] = {}
        self.left_out: Counter[str] = Counter()
        self.problems: list[str] = []
        self._wanted = wanted
        self._rules: RuleSet = rule_set(DEFAULT_RULES)

    def read(
        self,
        dialogues: Iterable[tuple[object, object]],
        key: str,
        slots_of_turns: Callable[[str, Sequence[object]], Iterator[tuple[str, _Slots]]],
    ) -> None:
        """Read the dialogues that are wanted.

        Args:
            dialogues: Their names, and what the file holds of them.
            key: Where a dialogue has its turns.
            slots_of_turns: Yields the place and the slots of each state, given a dialogue's place
                and its turns.
        """
        for name, dialogue in dialogues:
            place, id_ = f"dialogue {name}", dialogue_id(name)
            turns = dialogue.get(key) if isinstance(dialogue, Mapping) else None
            if id_ not in self._wanted:
                continue
            if id_ in self.states:
                self._problem(place, "is there twice")
            elif not isinstance(turns, list) or not turns:
                self._problem(place, f"`{key}`: expected a list of turns, {_found(turns)}")
            else:
                self.states[id_] = [
                    self._state(where, slots) for where, slots in slots_of_turns(place, turns)
                ]

    def log_turns(self, place: str, log: Sequence[object]) -> Iterator[tuple[str, _Slots]]:
        """Yield the states of a dialogue of `data.json`: those of every second entry."""
        # Entries of the log are counted from 0, so that people find them in the file.
        for at, turn in enumerate(log):
            where = f"{place}, log entry {at}"
            metadata = turn.get("metadata") if isinstance(turn, Mapping) else None
            if at % 2:
                yield where, self._metadata(where, metadata)
            elif metadata:
                # Turns are missing.
                self._problem(
                    where, "`metadata` where the user speaks; expected it in every second"
                )

    def named(self, dialogues: Iterable[object]) -> Iterator[tuple[object, object]]:
        """Yield the dialogues of a `test_dials.json` with their names."""
        for number, dialogue in enumerate(dialogues):
            name = dialogue.get("dialogue_idx") if isinstance(dialogue, Mapping) else None
            if isinstance(name, str):
                yield name, dialogue
            else:
                self._problem(f"dialogue number {number}", "`dialogue_idx` is missing")

    def trade_turns(self, place: str, turns: Sequence[object]) -> Iterator[tuple[str, _Slots]]:
        """Yield the states of a dialogue of `test_dials.json`."""
        for at, turn in enumerate(turns):
            where = f"{place}, turn {at}"
            if not isinstance(turn, Mapping) or not isinstance(turn.get("belief_state"), list):
                self._problem(where, "`belief_state` is missing; expected a list")
                continue
            if turn.get("turn_idx", at) != at:
                self._problem(
                    where, f"`turn_idx`: expected {at}; turns are to be in order, all there"
                )
            yield where, self._trade_slots(where, turn["belief_state"])

    def _metadata(self, place: str, metadata: object) -> Iterator[tuple[str, str, object]]:
        """Yield domain, slot and value of all slots of a system turn's `metadata`."""
        if not isinstance(metadata, Mapping):
            self._problem(place, f"`metadata`: expected domain -> semi, book, {_found(metadata)}")
            return
        for domain, parts in metadata.items():
            for part, prefix in METADATA.items():
                slots = parts.get(part) if isinstance(parts, Mapping) else None
                if not isinstance(slots, Mapping):
                    where = f"{place}, {domain}"
                    self._problem(where, f"`{part}`: expected slot -> value, {_found(slots)}")
                    continue
                for slot, value in slots.items():
                    if slot not in NOT_TRACKED:
                        yield domain, prefix + slot, value

    def _trade_slots(
        self, place: str, entries: Iterable[object]
    ) -> Iterator[tuple[str, str, object]]:
        for entry in entries:
            pairs = entry.get("slots") if isinstance(entry, Mapping) else [entry]
            for pair in pairs if isinstance(pairs, list) else [pairs]:
                name, value = _named_value(pair)
                domain, _, slot = name.partition("-")
                if domain and slot:
                    yield domain, slot, value
                else:
                    self._problem(
                        place, "`belief_state`: expected pairs of `domain-slot` and value"
                    )

    def _state(self, place: str, slots: _Slots) -> BeliefState:
        """Return a state of the tracked slots, normalised."""
        state: dict[str, dict[str, str]] = {}
        for domain, slot, value in slots:
            text = self._value(f"{place}, {domain}, {slot}", value)
            if text is not None:
                state.setdefault(domain, {})[slot] = text
        tracked: dict[str, dict[str, str]] = {}
        for domain, values in normalize_state(state, self._rules).items():
            for slot, text in values.items():
                if slot in TRACKED_SLOTS.get(domain, ()):
                    tracked.setdefault(domain, {})[slot] = text
                else:
                    self.left_out[f"{domain}-{slot}"] += 1
        return tracked

    def _value(self, place: str, value: object) -> str | None:
        """Return the value of a slot, the first if there are several; None if it has none."""
        first = next(iter(value), "") if isinstance(value, list) else value
        if not isinstance(first, str) or not is_text(first):
            self._problem(place, f"expected a string as value, {_found(first)}")
            return None
        text = _ALTERNATIVES.split(first.strip())[0].strip()
        if text.lower() in NO_VALUE:
            return None
        return "dontcare" if text.lower() in DONTCARE else text

    def _problem(self, place: str, problem: str) -> None:
        self.problems.append(f"{place}: {problem}")


def _is_dialogue(content: Mapping[object, object] | Sequence[object], key: str) -> bool:
    """Return whether any of a file's dialogues has a key, by which its shape is known."""
    dialogues = content.values() if isinstance(content, Mapping) else content
    return any(isinstance(dialogue, Mapping) and key in dialogue for dialogue in dialogues)


def _named_value(pair: object) -> tuple[str, object]:
    """Return the `domain-slot` of a pair and its value; "" as the name if it is no such pair."""
    if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str):
        return pair[0], pair[1]
    return "", None


def _found(value: object) -> str:
    return f"found {kind_of(value)}"
