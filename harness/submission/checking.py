"""Checking predictions: every problem and every remark, each with its place.

Nothing is checked again after this: what passes is safe to score. Dialogues of a benchmark become
`Turn`s; free-running ones, of any ids and lengths, stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from mwz.normalization import (
    BeliefState,
    RuleSet,
    is_absent,
    plain_slot_name,
)

from ..benchmark import Benchmark
from ..errors import (
    Findings,
    InputError,
    Remark,
    counted,
    cut_repr,
    refuse,
    resembling,
    unknown,
    unquoted,
)
from ..io import is_text, kind_of, limit_text, limits, read_bytes, shown_name
from .formats.formats import read_standard
from .formats.roles import gold_key
from .formats.standard import (
    ACTIVE_DOMAINS,
    GOLD,
    KEYS,
    PLAIN,
    RESPONSE,
    STATE,
    STATE_CHECKS,
    TURN_KEYS,
    USER,
    Standard,
    StateChecks,
    other_keys,
    plain_key,
)
from .model import Submission, Turn
from .notations import (
    ABSENT,
    CONVERTED,
    DOMAINS,
    EMPTY_VALUES,
    STATE_DOMAINS,
    STATE_SLOTS,
    WRITTEN,
    Notify,
    common_slot_name,
    is_state,
    known_slot_name,
    read_state,
)
from .placeholders import LEXICALISED
from .profile.profiling import Content, profile_of, profile_remarks
from .repairs import repaired

_Place: TypeAlias = tuple[object, int]
"""A dialogue's id as it is written, and the number of a turn."""


def dialogue_id(id_: object) -> str:
    """Return a dialogue's id as benchmarks write it: `SNG0073.json` is `sng0073`."""
    return str(id_).lower().removesuffix(".json")


def read_predictions(path: str | Path) -> Standard:
    """Read a predictions file whose benchmark is not known yet; its turns are not checked.

    Raises:
        InputError: The file cannot be read, or is of no known format.
    """
    return read_standard(read_bytes(path), shown_name(path))


def load_predictions(
    path: str | Path, benchmark: Benchmark | None = None
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Read a predictions file of any format, as `Scorer.score` takes predictions.

    Args:
        path: The file, plain or gzipped.
        benchmark: The benchmark that has the dialogues; some formats do not name them.

    Returns:
        Dialogue id -> turns, as they are written. They are not checked; scoring checks them.

    Raises:
        InputError: The file cannot be read, is of no known format, or its dialogues are not found.
    """
    standard = read_predictions(path)
    if standard.find is not None and benchmark is None:
        problem = (
            f"files of {standard.format} do not name their dialogues; give the benchmark as well"
        )
        raise InputError(shown_name(path), problem)
    return standard.dialogues_among({} if benchmark is None else benchmark.users)


def checked_submission(
    standard: Standard,
    benchmark: Benchmark | None,
    source: str,
    rules: RuleSet | None = None,
    checks: StateChecks = STATE_CHECKS,
) -> Submission:
    """Check predictions in the standard form and return them as a submission.

    Args:
        standard: The predictions.
        benchmark: The benchmark that has the dialogues; None for dialogues of any ids and lengths,
            such as those of a tracker's file with gold states of its own.
        source: What the error message calls the predictions.
        rules: The rule set by which the profile of the file is measured; None to measure none, if
            nobody reads remarks.
        checks: How states are checked.

    Raises:
        InputError: With every problem found.
    """
    checker = _Checker(benchmark, checks)
    users = {} if benchmark is None else benchmark.users
    dialogues = checker.dialogues(standard.dialogues_among(users))
    refuse(source, checker.problems)
    remarks = [*standard.remarks, *checker.remarks()]
    plain: Mapping[str, Sequence[Turn]] = dialogues
    # A tracker's file with gold states of its own is compared as it is.
    if benchmark is not None:
        plain, notes = repaired(dialogues)
        remarks += notes
    profile = None
    if rules is not None:
        profile = profile_of(Content(dialogues, benchmark, rules, checks), sampled=True)
        remarks += profile_remarks(profile)
    return Submission(
        dialogues=plain,
        source=source,
        format=standard.format,
        remarks=tuple(remarks),
        packages=standard.packages,
        profile=profile if plain is dialogues else None,
    )


@dataclass
class _Checker:
    """Checks one file.

    Attributes:
        benchmark: The benchmark that has the dialogues, if they are of one.
        checks: How states are checked.
        problems: What is wrong.
        notes: What to know about the file.
        unread: Key of turns that is not read -> its turns.
        unread_states: The same of keys that hold what looks like belief states.
        plain: The same of keys of responses in plain English.
        last_state: The last state that was in order.
        limits: The greatest sizes.
    """

    benchmark: Benchmark | None
    checks: StateChecks
    problems: Findings = field(default_factory=Findings)
    notes: Findings = field(default_factory=Findings)
    unread: Counter[str] = field(default_factory=Counter)
    unread_states: Counter[str] = field(default_factory=Counter)
    plain: Counter[str] = field(default_factory=Counter)
    last_state: object = None
    limits: Mapping[str, int] = field(default_factory=limits)

    def remarks(self) -> tuple[Remark, ...]:
        """Return the remarks; there is one on all keys that are not read."""
        if self.unread:
            is_close = False
            keys: list[str] = []
            for key, count in self.unread.items():
                close = resembling(key, TURN_KEYS)
                is_close = is_close or bool(close)
                keys.append(f"{key} {count}×{close}")
            message = f"keys of turns that are not read: {', '.join(keys)}"
            self.notes.add("", message, "unread keys", warning=is_close)
        for key, count in self.unread_states.items():
            message = (
                f"`{key}` holds what looks like belief states in {count} turns, and is not read; "
                f"name it by `mwz convert --key state={key}`"
            )
            self.notes.add("", message, "unread keys")
        for key, count in self.plain.items():
            message = f"`{key}` {count}×: is read where plain English is scored, by {LEXICALISED}"
            self.notes.add("", message, "format", warning=False)
        return tuple(self.notes.values())

    def dialogues(self, content: Mapping[object, Any]) -> dict[str, tuple[Turn, ...]]:
        """Check all dialogues; return those that are in order."""
        problem = self._problem_of_all(content)
        if problem:
            self.problems.add("", problem)
            return {}
        checked: dict[str, tuple[Turn, ...]] = {}
        # Dialogue id -> its first spelling in the file.
        spellings: dict[str, object] = {}
        for written, turns in content.items():
            id_ = str(written) if self.benchmark is None else dialogue_id(written)
            problem = self._dialogue_problem(written, turns, spellings.get(id_))
            if problem:
                self.problems.add(_dialogue_name(written), problem)
            else:
                numbered = enumerate(turns)
                checked[id_] = tuple(
                    [self._turn((written, number), turn) for number, turn in numbered]
                )
            spellings.setdefault(id_, written)
        return checked

    def _problem_of_all(self, content: Mapping[object, object]) -> str:
        """Return what makes it pointless to look at single dialogues, if anything does."""
        benchmark = self.benchmark
        if not content:
            return "no dialogues; expected an object of dialogue id -> list of turns"
        if len(content) > self.limits["dialogues"]:
            return f"{len(content):,} dialogues; {limit_text(self.limits, 'dialogues')}"
        if benchmark is None or any(dialogue_id(id_) in benchmark.dialogues for id_ in content):
            return ""
        first = unquoted(next(iter(content)))
        install = ""
        if benchmark.name == "sample":
            install = ", or install MultiWOZ by `mwz data fetch` or `mwz data import`"
        return (
            f"none of its {counted(len(content), 'dialogue')} (the first is {first}) is in the "
            f"benchmark {benchmark.name}; name another by --benchmark{install}"
        )

    def _dialogue_problem(self, written: object, turns: object, other: object) -> str:
        """Return what is wrong with a dialogue as a whole, if anything is.

        Args:
            written: Its id as the file has it.
            turns: Its turns.
            other: An id of the file that stands for the same dialogue; None if there is none.
        """
        most_turns = self.limits["turns"]
        limit = limit_text(self.limits, "turns")
        if self.benchmark is not None:
            gold = self.benchmark.dialogues.get(dialogue_id(written))
            if gold is None or not isinstance(written, str):
                return f"not in the benchmark {self.benchmark.name}; leave it out"
            most_turns = gold.turns
            limit = (
                f"it has {counted(gold.turns, 'system turn')}; dialogues with a simulated user are "
                "scored by `mwz score --free-running`"
            )
        if other is not None:
            return f"is the same as {_dialogue_name(other)}; keep one"
        if not isinstance(turns, Sequence) or isinstance(turns, str):
            return f"expected a list of turns, found {kind_of(turns)}{other_keys(turns)}"
        if not turns:
            return "no turns; leave the dialogue out if it is not played"
        if len(turns) > most_turns:
            return f"{counted(len(turns), 'turn')}; {limit}"
        return ""

    def _turn(self, place: _Place, turn: object) -> Turn:
        """Check a turn and return it; the result is of use if no problem was found."""
        # Most turns are dictionaries, for which this is faster than asking for a Mapping.
        if turn.__class__ is not dict and not isinstance(turn, Mapping):
            self._problem(place, f"expected an object with `response`, found {kind_of(turn)}")
            return Turn("", None, None)
        response = turn.get(RESPONSE)
        text = response if isinstance(response, str) else ""
        if text is not response or not text.isascii() or len(text) > self.limits["response"]:
            for problem in self._response_problems(turn):
                self._problem(place, problem)
        domains = turn.get(ACTIVE_DOMAINS)
        if isinstance(domains, Sequence) and not isinstance(domains, str):
            for domain in domains:
                if not isinstance(domain, str) or domain not in STATE_DOMAINS:
                    named = unknown("domain", domain, DOMAINS)
                    self._problem(place, f"`{ACTIVE_DOMAINS}`: {named}")
        elif domains is not None:
            wanted = f"expected a list of domains, found {kind_of(domains)}"
            self._problem(place, f"`{ACTIVE_DOMAINS}`: {wanted}")
        if len(turn) > (RESPONSE in turn) + (STATE in turn) + (ACTIVE_DOMAINS in turn):
            self._count_unread_keys(place, turn)
        gold = None
        if self.checks.tracked and self.benchmark is None:
            gold = self._state(place, GOLD, turn)
        return Turn(text, self._state(place, STATE, turn), domains, plain=None, gold=gold)

    def _response_problems(self, turn: Mapping[object, object]) -> Iterator[str]:
        """Yield what is wrong with the response of a turn."""
        response = turn.get(RESPONSE)
        if RESPONSE not in turn:
            if not self.checks.tracked:
                hint = other_keys(turn)
                gold = gold_key({key: turn[key] for key in turn if key != GOLD}, RESPONSE)
                if gold is not None:
                    hint = f"; `{unquoted(gold)}` is a gold response, and no prediction"
                elif STATE in turn:
                    hint = "; states alone are scored by `mwz dst`"
                yield f"`response` is missing; expected a string{hint}"
        elif not isinstance(response, str):
            hint = '; write "" for an empty one' if response is None else ""
            yield f"`response`: expected a string, found {kind_of(response)}{hint}"
        elif len(response) > self.limits["response"]:
            limit = limit_text(self.limits, "response")
            yield f"`response`: {len(response):,} characters; {limit}"
        elif not is_text(response):
            yield "`response`: not valid text, half of a surrogate pair"

    def _problem(self, place: _Place, problem: str) -> None:
        self.problems.add(_place_name(place), problem)

    def _count_unread_keys(self, place: _Place, turn: Mapping[object, object]) -> None:
        """Count the keys that are not read."""
        for key in turn:
            if key == USER and self.benchmark is None and not isinstance(turn[USER], str | None):
                self._problem(place, f"`user`: expected a string, found {kind_of(turn[USER])}")
            if plain_key(key) in KEYS[PLAIN]:
                self.plain[unquoted(key)] += 1
            elif key not in (*TURN_KEYS, USER, GOLD):
                self.unread[unquoted(key)] += 1
                if STATE not in turn and is_state(turn[key]):
                    self.unread_states[unquoted(key)] += 1

    def _is_plain(self, state: object) -> TypeGuard[BeliefState]:
        """Return whether a state is nested and in order, as nearly all are; this is fast."""
        if state.__class__ is not dict:
            return False
        # Many turns repeat the state of the turn before.
        if state == self.last_state:
            return True
        longest = self.limits["value"]
        for domain, slots in state.items():
            if domain not in STATE_DOMAINS or slots.__class__ is not dict:
                return False
            for slot, value in slots.items():
                is_ascii = value.__class__ is str and value.isascii()
                if not is_ascii or not _is_slot(slot) or not 0 < len(value) <= longest:
                    return False
            if len({*map(common_slot_name, slots)}) < len(slots):
                return False
        self.last_state = state
        return True

    def _state(self, place: _Place, key: str, turn: Mapping[object, object]) -> BeliefState | None:
        """Read a turn's state, or gold state, in any notation, and check its names."""
        state = turn.get(key)
        if state is None and self.checks.tracked:
            self._problem(place, f"`{key}` is missing; expected a state{_keys_of(turn, key)}")
        if state is None or self._is_plain(state):
            return state
        checks = self.checks

        def problem(inside: str, message: str) -> None:
            field = f"`{key}`, {inside}" if inside else f"`{key}`"
            if checks.uses_states:
                self._problem(place, f"{field}: {message}{checks.without_states}")
            else:
                remark = f"{field}: {message}; left out"
                self.notes.add(_place_name(place), remark, "states")

        def remark(inside: str, message: str) -> None:
            name = f"{_place_name(place)}, {inside}" if inside else _place_name(place)
            is_harmless = message in _HARMLESS or (checks.tracked and message == EMPTY_VALUES)
            self.notes.add(name, f"`{key}`: {message}", "values", warning=not is_harmless)

        return self._known_slots(read_state(state, problem, remark), problem)

    def _known_slots(self, state: BeliefState, problem: Notify) -> BeliefState:
        """Return what a state has of known domains and slots; a tracker's may be any."""
        any_name = self.checks.any_name
        read: dict[str, dict[str, str]] = {}
        for written, slots in state.items():
            lowered = str(written).lower()
            domain = lowered if lowered in STATE_DOMAINS else written
            if domain not in STATE_DOMAINS and not any_name:
                problem("", unknown("domain", written, DOMAINS))
                continue
            read.setdefault(domain, {})
            # Common name of a slot -> its first name in this domain -> how that is spelled.
            first_slots: dict[str, str] = {}
            spellings: dict[str, str] = {}
            for name, value in slots.items():
                # A tracker's names may be any, and are no text in what Python code gives.
                keeps_name = any_name or not isinstance(name, str)
                slot = name if keeps_name else known_slot_name(name)
                if not (any_name or _is_slot(slot)):
                    close = resembling(slot, STATE_SLOTS) or "; expected one of MultiWOZ's"
                    problem(domain, f"unknown slot {cut_repr(slot)}{close}")
                elif len(value) > self.limits["value"]:
                    bound = limit_text(self.limits, "value")
                    problem(f"{domain}, {slot}", f"{len(value):,} characters; {bound}")
                else:
                    first = first_slots.setdefault(common_slot_name(str(name)), slot)
                    first_name = spellings.setdefault(first, name)
                    first_value = read[domain].get(first)
                    if first_value is None or (is_absent(first_value) and not is_absent(value)):
                        read[domain][first] = value
                    elif first_value != value and not is_absent(value):
                        values = f"{cut_repr(first_value)} and {cut_repr(value)}"
                        both = f"`{unquoted(first_name)}` and `{unquoted(name)}`"
                        problem(domain, f"{both} are one slot, with {values}; keep one")
        return read


@lru_cache(maxsize=1 << 10)
def _is_slot(slot: object) -> bool:
    return isinstance(slot, str) and plain_slot_name(slot) in STATE_SLOTS


_HARMLESS = (CONVERTED, ABSENT, WRITTEN)
"""What is read as it was meant."""


def _keys_of(turn: Mapping[object, object], field: str) -> str:
    """Return the keys of a turn, and how to name the one that holds a field; "" if it has none."""
    if field != STATE or STATE in turn:
        return ""
    gold = f"; `{GOLD}` is gold, and no prediction" if GOLD in turn else ""
    keys = [unquoted(key) for key in turn if key not in (RESPONSE, USER, ACTIVE_DOMAINS, GOLD)]
    if not keys:
        return gold
    listed = ", ".join(keys[:_LISTED_KEYS])
    if len(keys) > _LISTED_KEYS:
        listed += ", …"
    return f"{gold}; turns have: {listed}; name the key by `mwz convert --key {field}=KEY`"


_LISTED_KEYS = 8
"""How many keys of a turn a message lists."""


def _dialogue_name(written: object) -> str:
    return f"dialogue {unquoted(written)}"


def _place_name(place: _Place) -> str:
    written, number = place
    return f"{_dialogue_name(written)}, turn {number}"


# Free-running dialogues.


def checked_conversations(
    standard: Standard, source: str
) -> Mapping[str, Sequence[Mapping[str, object]]]:
    """Return dialogues of any ids and lengths; other keys of turns stay as they are.

    Raises:
        InputError: There are too many dialogues, or some are malformed; with every place.
    """
    checked_submission(standard, None, source, checks=StateChecks(uses_states=False))
    return standard.dialogues
