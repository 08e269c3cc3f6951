"""Checking predictions: every problem and every remark, each with its place.

What passes is safe to score: past this point nothing checks again. Dialogues of a benchmark become
`Turn`s; free-running ones, of any ids and lengths, stay as they are.
"""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization import (
    DEFAULT_RULES,
    Aliases,
    BeliefState,
    RuleSet,
    plain_slot_name,
    published_rule_sets,
    rule_set,
)

from ..benchmark import Benchmark
from ..errors import (
    Findings,
    InputError,
    Remark,
    counted,
    refuse,
    resembling,
    shown,
    unknown,
    unquoted,
)
from ..io import is_text, kind_of, limit_text, limits, read_bytes, shown_name
from .formats.standard import (
    ACTIVE_DOMAINS,
    KEYS,
    READING,
    RESPONSE,
    STATE,
    TURN_KEYS,
    USER,
    Reading,
    Standard,
    plain_key,
    read_standard,
    standard_form,
    turns_hint,
)
from .model import NormalizedSubmission, Submission, Turn, made_submission, normalize_submission
from .notations import (
    ABSENT,
    CONVERTED,
    DOMAINS,
    LENIENT,
    STATE_DOMAINS,
    STATE_SLOTS,
    WRITTEN,
    Notify,
    read_state,
)
from .remarks import state_remarks, text_remarks

_SHOWN_KEYS = 20

_SAME_WORD = 0.85
"""The similarity from which a key is taken for a misspelt one: `sate` and `state` have 0.89."""

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
    source = shown_name(path)
    return read_standard(read_bytes(path), source)


def parse_submission(content: object, benchmark: Benchmark, source: str) -> Submission:
    """Check a predictions object and return it as a submission; the object is left as it is.

    Args:
        content: Predictions in any of the formats of `formats/`. In the standard form: dialogue
            id -> list of turns, each an object with `response` and optionally `state` (domain ->
            slot -> value) and `active_domains` (list); other keys are not read.
        benchmark: The benchmark whose dialogues are played.
        source: What the error message calls the object.

    Raises:
        InputError: With every problem found.
    """
    return checked_submission(standard_form(content, source), benchmark, source)


def checked_submission(
    standard: Standard,
    benchmark: Benchmark,
    source: str,
    rules: RuleSet | None = None,
    reading: Reading = READING,
    remarked: bool = True,
) -> Submission:
    """Check predictions in the standard form and return them as a submission.

    Args:
        standard: The predictions.
        benchmark: The benchmark whose dialogues are played.
        source: What the error message calls the predictions.
        rules: The rule set by which placeholders are remarked; None for the default one.
        reading: What of states is refused.
        remarked: Whether responses and states are looked through for what is to be remarked.

    Raises:
        InputError: With every problem found.
    """
    checker = _Checker(benchmark, reading)
    dialogues = checker.dialogues(standard.dialogues_among(benchmark.users))
    refuse(source, checker.problems)
    remarks = [*standard.remarks, *checker.remarks()]
    if remarked:
        by = rules or rule_set(DEFAULT_RULES)
        if reading.uses_states:
            states = {id_: [turn.state for turn in turns] for id_, turns in dialogues.items()}
            remarks += state_remarks(states, benchmark, by)
        texts = [turn.response for turns in dialogues.values() for turn in turns]
        remarks += text_remarks(texts, benchmark, by)
    return Submission(dialogues, source, standard.format, tuple(remarks))


def normalized_by_rules(
    content: bytes | str, benchmark: Benchmark, source: str, aliases: Aliases | None = None
) -> dict[str, NormalizedSubmission]:
    """Return published rule set -> normalised submission; the content is read and checked once.

    Args:
        content: An (unpacked) predictions file, or the name of a submission that is made.
        benchmark: The benchmark whose dialogues are played.
        source: What error messages call the predictions.
        aliases: Placeholders that are read besides those of the rule sets.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    names = published_rule_sets()
    if isinstance(content, str):
        return dict.fromkeys(names, made_submission(benchmark, content))
    submission = checked_submission(read_standard(content, source), benchmark, source)
    return {rules: normalize_submission(submission, rule_set(rules, aliases)) for rules in names}


class _Checker:
    """Checks one file, and collects problems and remarks."""

    def __init__(self, benchmark: Benchmark, reading: Reading) -> None:
        self.problems = Findings()
        self._remarks = Findings()
        self._unread: Counter[str] = Counter()
        self._misspelt_states: Counter[str] = Counter()
        self._benchmark = benchmark
        self._limits = limits()
        self._reading = reading
        # The first problem of a state, which says how to do without.
        self._first = ""
        # A state that is in order.
        self._last: dict[str, dict[str, str]] = {}

    def remarks(self) -> tuple[Remark, ...]:
        """Return the remarks; all keys that are not read are one."""
        if self._unread:
            keys = [f"{key} {n}×" for key, n in self._unread.items()]
            listed = [*keys[:_SHOWN_KEYS], *["…"][: len(keys) - _SHOWN_KEYS]]
            message = f"keys of turns that are not read: {', '.join(listed)}"
            self._remarks.add("", message, "unread keys", warning=False)
        return self._remarks.remarks()

    def dialogues(self, content: Mapping[Any, Any]) -> dict[str, tuple[Turn, ...]]:
        """Check all dialogues, and return those that are in order."""
        problem = self._problem_of_all(content)
        if problem:
            self.problems.add("", problem)
            return {}
        read: dict[str, tuple[Turn, ...]] = {}
        spelled: dict[str, object] = {}
        for written, turns in content.items():
            id_ = dialogue_id(written)
            problem = self._dialogue_problem(written, turns, spelled.get(id_))
            if problem:
                self.problems.add(_dialogue_text(written), problem)
            else:
                read[id_] = tuple(
                    [self._turn((written, number), turn) for number, turn in enumerate(turns)]
                )
            spelled.setdefault(id_, written)
        turns_read = sum(map(len, read.values()))
        for name, count in self._misspelt_states.most_common(1):
            # Otherwise gold states would be scored in place of those under another key.
            if self._reading.uses_states and 2 * count > turns_read:
                self.problems.add("", f"`{name}` is not read, in {count} turns; write `state`")
        return read

    def _problem_of_all(self, content: Mapping[Any, Any]) -> str:
        """Return what makes it pointless to look at single dialogues, if anything does."""
        benchmark, bounds = self._benchmark, self._limits
        if not content:
            return "no dialogues; expected an object of dialogue id -> list of turns"
        if len(content) > bounds["dialogues"]:
            return f"{len(content):,} dialogues; {limit_text(bounds, 'dialogues')}"
        if any(dialogue_id(id_) in benchmark.dialogues for id_ in content):
            return ""
        first = unquoted(next(iter(content)))
        how = "`mwz data fetch` or `mwz data import`"
        install = f", or install MultiWOZ by {how}" if benchmark.name == "sample" else ""
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
        gold = self._benchmark.dialogues.get(dialogue_id(written))
        if gold is None or not isinstance(written, str):
            return f"not in the benchmark {self._benchmark.name}; leave it out"
        if other is not None:
            return f"is the same as {_dialogue_text(other)}; keep one"
        if not isinstance(turns, Sequence) or isinstance(turns, str):
            return f"expected a list of turns, found {kind_of(turns)}{turns_hint(turns)}"
        if not turns:
            return "no turns; leave the dialogue out if it is not played"
        if len(turns) > gold.turns:
            has = counted(gold.turns, "system turn")
            return f"{counted(len(turns), 'turn')}; it has {has}"
        return ""

    def _turn(self, place: _Place, turn: Any) -> Turn:
        if turn.__class__ is not dict and not isinstance(turn, Mapping):
            self._problem(place, f"expected an object with `response`, found {kind_of(turn)}")
            return Turn("", None, None)
        response, state, domains = turn.get(RESPONSE), turn.get(STATE), turn.get(ACTIVE_DOMAINS)
        text = response if isinstance(response, str) else ""
        if text is not response or not text.isascii() or len(text) > self._limits["response"]:
            for problem in response_problems(turn, self._limits):
                self._problem(place, problem)
        if state is not None and not self._is_plain(state):
            state = self._state(place, state)
        if domains is not None:
            for problem in _domain_problems(domains):
                self._problem(place, problem)
        if len(turn) > (RESPONSE in turn) + (STATE in turn) + (ACTIVE_DOMAINS in turn):
            self._unknown_keys(place, turn)
        return Turn(text, state, domains)

    def _problem(self, place: _Place, problem: str) -> None:
        self.problems.add(_place_text(place), problem)

    def _unknown_keys(self, place: _Place, turn: Mapping[Any, Any]) -> None:
        """Remark keys that are not read, above all those that look like one that is."""
        for key in turn:
            if key in TURN_KEYS or key == USER:
                continue
            meant, name = meant_key(key), unquoted(key)
            if meant is None:
                self._unread[name] += 1
            else:
                there = turn.get(meant) is not None
                instead = f"what counts is `{meant}`" if there else f"write `{meant}`"
                message = f"`{name}` is not read; {instead}"
                if meant == STATE and not there:
                    self._misspelt_states[name] += 1
                self._remarks.add(_place_text(place), message, "look-alike key")

    def _is_plain(self, state: Any) -> bool:
        """Return whether a state is nested and in order, as nearly all are: this is quick."""
        # Turn after turn has the state of the turn before.
        if state.__class__ is not dict or state == self._last:
            return state.__class__ is dict
        for domain, slots in state.items():
            if domain not in STATE_DOMAINS or slots.__class__ is not dict:
                return False
            for slot, value in slots.items():
                if value.__class__ is not str or not value.isascii() or not _is_slot(slot):
                    return False
                if not 0 < len(value) <= self._limits["value"]:
                    return False
        self._last = state
        return True

    def _state(self, place: _Place, state: Any) -> BeliefState:
        """Read a state in any notation, and check its names."""
        reading = self._reading
        refused = reading.uses_states or reading.strict_states

        def tell(where: str, problem: str) -> None:
            message = f"`state`{f', {where}' if where else ''}: {problem}"
            if not refused:
                self._remarks.add(_place_text(place), f"{message}; left out", "states")
                return
            self._first = self._first or message
            hint = reading.without_states if message == self._first else ""
            self._problem(place, f"{message}{hint}")

        def note(where: str, what: str) -> None:
            if reading.strict_states and what in LENIENT:
                tell(where, f"{what} (--strict-states)")
                return
            inside = ", ".join(filter(None, [_place_text(place), where]))
            self._remarks.add(inside, f"`state`: {what}", "values", what not in _HARMLESS)

        return self._known(read_state(state, tell, note), tell)

    def _known(self, state: BeliefState, tell: Notify) -> BeliefState:
        """Return what a state has of known domains and slots."""
        read: dict[str, dict[str, str]] = {}
        for written, slots in state.items():
            domain = written if written in STATE_DOMAINS else str(written).lower()
            if domain not in STATE_DOMAINS:
                tell("", unknown("domain", written, DOMAINS))
                continue
            read.setdefault(domain, {})
            for slot, value in slots.items():
                if not _is_slot(slot):
                    close = resembling(slot, STATE_SLOTS) or "; expected one of MultiWOZ's"
                    tell(domain, f"unknown slot {shown(slot)}{close}")
                elif len(value) > self._limits["value"]:
                    bound = limit_text(self._limits, "value")
                    tell(f"{domain}, {slot}", f"{len(value):,} characters; {bound}")
                else:
                    read[domain][slot] = value
        return read


@lru_cache(maxsize=1 << 10)
def _is_slot(slot: object) -> bool:
    return isinstance(slot, str) and plain_slot_name(slot) in STATE_SLOTS


_HARMLESS = (CONVERTED, ABSENT, WRITTEN)
"""What is read as it was meant."""


def response_problems(turn: Mapping[Any, Any], bounds: Mapping[str, int]) -> Iterator[str]:
    """Yield what is wrong with the response of a turn.

    Args:
        turn: The turn.
        bounds: How long it may be.
    """
    response = turn.get(RESPONSE)
    if RESPONSE not in turn:
        yield f"`response` is missing; expected a string{_without_response(turn)}"
    elif not isinstance(response, str):
        hint = '; write "" for an empty one' if response is None else ""
        yield f"`response`: expected a string, found {kind_of(response)}{hint}"
    elif len(response) > bounds["response"]:
        yield f"`response`: {len(response):,} characters; {limit_text(bounds, 'response')}"
    elif not is_text(response):
        yield "`response`: not valid text, half of a surrogate pair"


def _without_response(turn: Mapping[Any, Any]) -> str:
    """Say what may help to read a turn without a response."""
    if STATE in turn:
        return "; states alone are scored by `mwz dst`"
    texts = [unquoted(key) for key, value in turn.items() if isinstance(value, str) and key != USER]
    if texts:
        keys = ", ".join(f"`{key}`" for key in texts[:_SHOWN_KEYS])
        return f"; if it is one of {keys}, name it: mwz convert --key response={texts[0]}"
    return turns_hint(turn)


def _dialogue_text(written: object) -> str:
    return f"dialogue {unquoted(written)}"


def _place_text(place: _Place) -> str:
    written, number = place
    return f"{_dialogue_text(written)}, turn {number}"


_MEANT = {name: field for field in TURN_KEYS for name in KEYS[field]}


@lru_cache(maxsize=1 << 10)
def meant_key(key: object) -> str | None:
    """Return the key of turns that another stands for elsewhere, or is a misspelling of."""
    plain = plain_key(key)[:60]
    misspelt = difflib.get_close_matches(str(key)[:60].lower(), TURN_KEYS, n=1, cutoff=_SAME_WORD)
    return _MEANT.get(plain) or next(iter(misspelt), None)


def _domain_problems(domains: object) -> Iterator[str]:
    if not isinstance(domains, Sequence) or isinstance(domains, str):
        yield f"`active_domains`: expected a list of domains, found {kind_of(domains)}"
        return
    for domain in domains:
        if not isinstance(domain, str) or domain not in STATE_DOMAINS:
            yield f"`active_domains`: {unknown('domain', domain, DOMAINS)}"


# Free-running dialogues.

Conversations: TypeAlias = "Mapping[str, Sequence[Mapping[str, Any]]]"
"""Dialogue id -> turns, each an object with `response`; further keys are kept as they are."""


def checked_conversations(standard: Standard, source: str) -> Conversations:
    """Return dialogues of any ids and lengths.

    Raises:
        InputError: They are too many, or some are malformed; with every place.
    """
    bounds, dialogues = limits(), standard.dialogues
    problems = Findings()
    if not dialogues:
        problems.add("", "no dialogues; expected an object of dialogue id -> list of turns")
    if len(dialogues) > bounds["dialogues"]:
        problems.add("", f"{len(dialogues):,} dialogues; {limit_text(bounds, 'dialogues')}")
    for id_, turns in dialogues.items():
        place = _dialogue_text(id_)
        if not isinstance(turns, Sequence) or isinstance(turns, str):
            problems.add(place, f"expected a list of turns, found {kind_of(turns)}")
        elif len(turns) > bounds["turns"]:
            problems.add(place, f"{len(turns):,} turns; {limit_text(bounds, 'turns')}")
        else:
            for number, turn in enumerate(turns):
                for problem in _conversation_problems(turn, bounds):
                    problems.add(f"{place}, turn {number}", problem)
    refuse(source, problems)
    if not is_text(json.dumps(dialogues, ensure_ascii=False)):
        raise InputError(source, "holds text that is not valid, half of a surrogate pair")
    return dialogues


def _conversation_problems(turn: object, bounds: Mapping[str, int]) -> Iterator[str]:
    if not isinstance(turn, Mapping):
        yield f"expected an object with `response`, found {kind_of(turn)}"
        return
    yield from response_problems(turn, bounds)
    user = turn.get(USER)
    if user is not None and not isinstance(user, str):
        yield f"`user`: expected a string, found {kind_of(user)}"
