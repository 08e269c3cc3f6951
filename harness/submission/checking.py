"""Checking predictions: every problem and every remark, each with its place.

Nothing is checked again after this: what passes is safe to score. Dialogues of a benchmark become
`Turn`s; free-running ones, of any ids and lengths, stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, TypeGuard

from mwz.normalization import (
    DEFAULT_RULES,
    BeliefState,
    RuleSet,
    is_absent,
    normalize_slot_name,
    plain_characters,
    plain_slot_name,
    rule_set,
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
from ..io import is_text, kind_of, limit_text, limits
from . import formats
from .formats import (
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
from .model import LEXICALISED, Submission, Turn
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
from .profile.measuring import profile_of
from .profile.profile import profile_remarks
from .profile.vocabulary import Content, plain_value

_Place: TypeAlias = tuple[object, int]
"""A dialogue's id as it is written, and the number of a turn."""


def dialogue_id(id_: object) -> str:
    """Return a dialogue's id as benchmarks write it: `SNG0073.json` is `sng0073`."""
    return str(id_).lower().removesuffix(".json")


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
    if standard.instructions and benchmark is not None:
        raise InputError(
            source, "has dialogues with users of their own; score it by `mwz score --free-running`"
        )
    checker = _Checker(benchmark, checks)
    content = standard.dialogues_among({} if benchmark is None else benchmark.users)
    if len(content) > checker.limits["dialogues"]:
        limit = limit_text(checker.limits, "dialogues")
        raise InputError(source, f"{len(content):,} dialogues; {limit}")
    dialogues: dict[str, Sequence[Turn]] = {}
    # Dialogue id -> its first spelling in the file.
    spellings: dict[str, object] = {}
    for written, turns in content.items():
        id_ = str(written) if benchmark is None else dialogue_id(written)
        problem = checker.dialogue_problem(written, turns, spellings.setdefault(id_, written))
        if problem:
            checker.problems.add(_dialogue_name(written), problem)
        else:
            checked = [checker.turn((written, number), turn) for number, turn in enumerate(turns)]
            dialogues[id_] = tuple(checked)
    if not dialogues:
        # One problem of all dialogues is said once.
        refuse(source, _problem_of_all(content, benchmark))
    refuse(source, checker.problems)
    if checker.unread or checker.plain:
        checker.note_unread_keys()
    remarks = [*standard.remarks, *checker.notes.values()]
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


def _problem_of_all(content: Mapping[object, object], benchmark: Benchmark | None) -> Iterator[str]:
    """Yield why no dialogue can be of use, if it is the same of all."""
    if not content:
        yield "no dialogues; expected an object of dialogue id -> list of turns"
        return
    if benchmark is None or any(dialogue_id(id_) in benchmark.dialogues for id_ in content):
        return
    first = unquoted(next(iter(content)))
    install = ""
    if benchmark.name == "sample":
        install = ", or install MultiWOZ by `mwz data fetch` or `mwz data import`"
    yield (
        f"none of its {counted(len(content), 'dialogue')} (the first is {first}) is in the "
        f"benchmark {benchmark.name}; name another by --benchmark{install}"
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

    def dialogue_problem(self, written: object, turns: object, first: object) -> str:
        """Return what is wrong with a dialogue as a whole, if anything is.

        Args:
            written: Its id as the file has it.
            turns: Its turns.
            first: The file's first id that stands for the same dialogue.
        """
        most_turns = self.limits["turns"]
        if self.benchmark is not None:
            gold = self.benchmark.dialogues.get(dialogue_id(written))
            if gold is None or not isinstance(written, str):
                return f"not in the benchmark {self.benchmark.name}; leave it out"
            most_turns = gold.turns
        if first is not written:
            return f"is the same as {_dialogue_name(first)}; keep one"
        if not isinstance(turns, Sequence) or isinstance(turns, str):
            return f"expected a list of turns, found {kind_of(turns)}{other_keys(turns)}"
        if not turns:
            return "no turns; leave the dialogue out if it is not played"
        if len(turns) > most_turns:
            limit = limit_text(self.limits, "turns")
            if self.benchmark is not None:
                limit = (
                    f"it has {counted(most_turns, 'system turn')}; dialogues with a simulated user "
                    "are scored by `mwz score --free-running`"
                )
            return f"{counted(len(turns), 'turn')}; {limit}"
        return ""

    def turn(self, place: _Place, turn: object) -> Turn:
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
        written = turn.get(STATE)
        state = written if self._is_plain(written) else self._state(place, STATE, turn)
        gold = None
        if self.checks.tracked and self.benchmark is None:
            gold = self._state(place, GOLD, turn)
        return Turn(text, state, domains, plain=None, gold=gold)

    def _response_problems(self, turn: Mapping[object, object]) -> Iterator[str]:
        """Yield what is wrong with the response of a turn."""
        response = turn.get(RESPONSE)
        if RESPONSE not in turn:
            if not self.checks.tracked:
                hint = other_keys(turn)
                gold = formats.gold_key({key: turn[key] for key in turn if key != GOLD}, RESPONSE)
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

    def note_unread_keys(self) -> None:
        """Add remarks on the keys that are not read; there is one on all of those."""
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
            for value in slots.values():
                is_ascii = value.__class__ is str and value.isascii()
                if not is_ascii or not 0 < len(value) <= longest:
                    return False
            names = {_slot_name(slot) for slot in slots}
            if None in names or len(names) < len(slots):
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
                if not any_name and _slot_name(slot) is None:
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
def _slot_name(slot: object) -> str | None:
    """Return the name that the spellings of a slot have in common; None for no slot of MultiWOZ."""
    if not isinstance(slot, str) or plain_slot_name(slot) not in STATE_SLOTS:
        return None
    return normalize_slot_name(slot, rule_set(DEFAULT_RULES))


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


# Repairs: spellings that can be read in one way only are read so.
#
# These repairs change no published figure: published files write the values so already. What would
# change one, such as times in other notations, is remarked by the profile of the file, and not
# repaired. A tracker's file with gold states of its own is compared as it is.

_SHOWN = 3
"""How many examples notes have."""


def repaired(
    dialogues: Mapping[str, Sequence[Turn]],
) -> tuple[Mapping[str, Sequence[Turn]], list[Remark]]:
    """Return dialogues with plain states and responses, and notes on what was not plain.

    Args:
        dialogues: Dialogue id -> turns; left as they are, and returned if all of them are plain.
    """
    # (Value, what it is read as) -> occurrences; character -> responses that have it.
    values: Counter[tuple[str, str]] = Counter()
    characters: Counter[str] = Counter()
    is_plain = True
    repaired_dialogues: dict[str, Sequence[Turn]] = {}
    for id_, turns in dialogues.items():
        repaired_turns: list[Turn] = []
        last: BeliefState | None = None
        last_repaired: BeliefState | None = None
        repairs: Sequence[tuple[str, str]] = ()
        for turn in turns:
            # Many turns repeat the state of the turn before.
            if turn.state != last:
                last = turn.state
                last_repaired, repairs = _plain_state(last or {})
            values.update(repairs)
            response = plain_characters(turn.response)
            if response != turn.response:
                # In order: which examples a note shows must not depend on how a set is ordered.
                characters.update(sorted(set(turn.response) - set(response)))
            if repairs or response != turn.response:
                is_plain = False
                state = last_repaired if repairs else turn.state
                repaired_turns.append(turn._replace(state=state, response=response))
            else:
                repaired_turns.append(turn)
        repaired_dialogues[id_] = repaired_turns
    if is_plain:
        return dialogues, []
    return repaired_dialogues, _notes(values, characters)


def _plain_state(state: BeliefState) -> tuple[BeliefState, list[tuple[str, str]]]:
    """Return a state with plain values; and what was not plain, with what it is read as."""
    plain_state: dict[str, dict[str, str]] = {}
    repairs: list[tuple[str, str]] = []
    for domain, slots in state.items():
        plain_slots: dict[str, str] = {}
        for slot, value in slots.items():
            plain = plain_value(domain, slot, value)
            if plain is not None:
                plain_slots[slot] = plain
            if plain != value:
                repairs.append((value, "nothing" if plain is None else plain))
        plain_state[domain] = plain_slots
    return plain_state, repairs


def _notes(values: Counter[tuple[str, str]], characters: Counter[str]) -> list[Remark]:
    """Return a note on values and one on characters of responses, if there were any."""
    notes: list[Remark] = []
    if values:
        examples: list[str] = []
        for (value, plain), number in values.most_common(_SHOWN):
            examples.append(f"{value!r} as {plain!r} {number}×")
        listed = ", ".join(examples)
        text = f"{values.total()} values of states are read in plain spelling: {listed}"
        notes.append(Remark("values", text, warning=False))
    if characters:
        frequent = characters.most_common(_SHOWN)
        codes = ", ".join(f"U+{ord(character):04X}" for character, _ in frequent)
        text = f"characters of responses are read in plain form: {codes}"
        notes.append(Remark("responses", text, warning=False))
    return notes


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
