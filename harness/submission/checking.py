"""Checking predictions in the standard form: every problem and every remark, each with its place.

What passes is safe to score: past this point nothing checks again.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from mwz.normalization.states import BeliefState, plain_slot_name

from ..benchmark import Benchmark
from ..errors import InputError, Problems, counted, resembling, shown, unknown, unquoted
from ..io.files import Limits, is_text, kind_of
from .formats.belief_spans import as_state
from .formats.format import ACTIVE_DOMAINS, READING, RESPONSE, STATE, USER, Reading
from .notations import (
    ABSENT,
    CONVERTED,
    DOMAINS,
    LENIENT,
    STATE_DOMAINS,
    STATE_SLOTS,
    WRITTEN,
    Notify,
    is_metadata,
    read_state,
)
from .remarks import Remark, Remarks

if TYPE_CHECKING:
    from mwz.normalization.responses import Delexicalised

TURN_KEYS = (RESPONSE, STATE, ACTIVE_DOMAINS)

_LOOK_ALIKES = {
    RESPONSE: "resp resp_gen responses text utterance system system_response output generated "
    "generation prediction answer delex delex_resp generated_text generated_response model_output",
    STATE: "states belief beliefs belief_state belief_states beliefstate bs bspn bspn_gen "
    "dialog_state dialogue_state predicted_state predicted_states pred_state state_gen slots "
    "slot_values",
    ACTIVE_DOMAINS: "domains domain active_domain activedomains active turn_domain turn_domains "
    "predicted_domains dspn dspn_gen",
}
LOOK_ALIKES: Mapping[str, str] = {
    other: meant for meant, others in _LOOK_ALIKES.items() for other in others.split()
}
"""A turn's key that is not read -> the one that was likely meant. Case and dashes do not count."""

_SHOWN_KEYS = 20

_SAME_WORD = 0.85
"""The similarity from which a key is taken for a misspelt one: `sate` and `state` have 0.89."""

_Place: TypeAlias = tuple[object, int]
"""A dialogue's id as it is written, and the number of a turn."""


class Turn(NamedTuple):
    """What a system put out in one system turn.

    Attributes:
        response: The delexicalised response.
        state: The predicted belief state, if there is one.
        active_domains: The predicted active domains, if there are any.
        plain: Where the harness delexicalised the response: the original, and what was found in it.
    """

    response: str
    state: BeliefState | None
    active_domains: Sequence[str] | None
    plain: Delexicalised | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the turn as JSON types in the standard form."""
        fields = {RESPONSE: self.response, STATE: self.state, ACTIVE_DOMAINS: self.active_domains}
        return {name: value for name, value in fields.items() if value is not None}


def dialogue_id(id_: object) -> str:
    """Return a dialogue's id as benchmarks write it: `SNG0073.json` is `sng0073`."""
    return str(id_).lower().removesuffix(".json")


def system_turns(
    content: Mapping[Any, Any], benchmark: Benchmark
) -> tuple[Mapping[Any, Any], tuple[Remark, ...]]:
    """Return predictions without the turns of the user, and what is to be said of that.

    Nothing in a turn need say whose it is. In every dialogue, turns of user and system alternate
    where there are exactly twice as many as the benchmark's has system turns.
    """
    known = benchmark.dialogues
    for id_, turns in content.items():
        gold = known.get(dialogue_id(id_))
        if gold is None or not isinstance(turns, list) or len(turns) != 2 * gold.turns:
            return content, ()
    told = "turns of the user are left out: there are twice as many turns as the system has"
    remarks = (Remark("format", told, warning=False),) if content else ()
    return {id_: turns[1::2] for id_, turns in content.items()}, remarks


def checked_dialogues(
    content: Mapping[Any, Any],
    benchmark: Benchmark,
    limits: Limits,
    source: str,
    reading: Reading = READING,
) -> tuple[dict[str, tuple[Turn, ...]], Remarks]:
    """Check predictions in the standard form; they are left as they are.

    Args:
        content: Dialogue id -> list of turns, each an object with `response` and optionally
            `state` and `active_domains`.
        benchmark: The benchmark whose dialogues are played.
        limits: How much there may be.
        source: What messages call the predictions.
        reading: What of states is refused.

    Returns:
        The benchmark's spelling of the id -> turns, and the remarks on them.

    Raises:
        InputError: With every problem found, equal ones together.
    """
    checker = _Checker(benchmark, limits, reading)
    dialogues = checker.dialogues(content)
    if checker.problems:
        raise InputError(source, _of_a_tracker(content) or checker.problems)
    return dialogues, checker.all_remarks()


class _Checker:
    """Checks one file, and collects problems and remarks."""

    def __init__(self, benchmark: Benchmark, limits: Limits, reading: Reading) -> None:
        self.problems = Problems()
        self._remarks = Remarks()
        self._unread: Counter[str] = Counter()
        self._benchmark = benchmark
        self._limits = limits
        self._longest = limits.response
        self._reading = reading
        # The first problem of a state, which says how to do without.
        self._first = ""
        # Keys that are likely to hold the states, of turns without one.
        self._likely_states: Counter[str] = Counter()
        # Slots as files write them, of those that are known; there are few spellings.
        self._slots: set[str] = set()
        # A state, and domain -> slots, that were found to be in order.
        self._last: dict[str, dict[str, str]] = {}
        self._plain: dict[str, dict[str, str]] = {}

    def all_remarks(self) -> Remarks:
        """Return the remarks; all keys that are not read are one."""
        if self._unread:
            keys = [f"{key} {n}×" for key, n in self._unread.items()]
            shown = [*keys[:_SHOWN_KEYS], *["…"][: len(keys) - _SHOWN_KEYS]]
            message = f"keys of turns that are not read: {', '.join(shown)}"
            self._remarks.add("unread keys", message, warning=False)
        return self._remarks

    def _check_states(self, dialogues: Mapping[str, Sequence[Turn]]) -> None:
        """Refuse states under a key that is not read, where gold states would take their place."""
        if not self._likely_states:
            return
        turns = [turn for one in dialogues.values() for turn in one]
        ((likely, count),) = self._likely_states.most_common(1)
        used = self._reading.uses_states and self._reading.without_states
        if used and 2 * count > len(turns) and all(turn.state is None for turn in turns):
            option, gold = key_option(STATE, likely), self._reading.without_states
            self.problems.add("", f"no turn has a `state`; is `{likely}` meant? add {option}{gold}")

    def dialogues(self, content: Mapping[Any, Any]) -> dict[str, tuple[Turn, ...]]:
        """Check all dialogues, and return those that are in order."""
        known = self._benchmark.dialogues
        if not content:
            self.problems.add(
                "", "no dialogues; expected an object of dialogue id -> list of turns"
            )
        elif len(content) > self._limits.dialogues:
            self.problems.add("", f"{len(content):,} dialogues; {self._limits.told('dialogues')}")
        elif not any(dialogue_id(id_) in known for id_ in content):
            built_in = self._benchmark.name == "sample"
            how = "`mwz data fetch` or `mwz data import`"
            install = f", or install MultiWOZ by {how}" if built_in else ""
            self.problems.add(
                "",
                _elsewhere(content, known)
                or f"none of its {counted(len(content), 'dialogue')} (the first is "
                f"{unquoted(next(iter(content)))}) is in the benchmark {self._benchmark.name}; "
                f"name another by --benchmark{install}",
            )
        else:
            return self._dialogues(content)
        return {}

    def _dialogues(self, content: Mapping[Any, Any]) -> dict[str, tuple[Turn, ...]]:
        read: dict[str, tuple[Turn, ...]] = {}
        spelled: dict[str, object] = {}
        for written, turns in content.items():
            id_ = dialogue_id(written)
            gold = self._benchmark.dialogues.get(id_) if isinstance(written, str) else None
            if gold is None:
                told = f"not in the benchmark {self._benchmark.name}; leave it out"
                self.problems.add(_dialogue_text(written), told)
            elif id_ in spelled:
                told = f"is the same as {_dialogue_text(spelled[id_])}; keep one"
                self.problems.add(_dialogue_text(written), told)
            elif not isinstance(turns, Sequence) or isinstance(turns, str):
                found = f"{kind_of(turns)}{_turns_hint(turns)}"
                told = f"expected a list of turns, found {found}"
                self.problems.add(_dialogue_text(written), told)
            elif not turns:
                told = "no turns; leave the dialogue out if it is not played"
                self.problems.add(_dialogue_text(written), told)
            elif len(turns) > gold.turns:
                has = counted(gold.turns, "system turn")
                told = f"{counted(len(turns), 'turn')}; it has {has}"
                self.problems.add(_dialogue_text(written), told)
            else:
                read[id_] = tuple(
                    [self._turn((written, number), turn) for number, turn in enumerate(turns)]
                )
            spelled.setdefault(id_, written)
        text = sum(len(turn.response) for turns in read.values() for turn in turns)
        if text > self._limits.text:
            self.problems.add(
                "", f"{text:,} characters in all responses; {self._limits.told('text')}"
            )
        self._check_states(read)
        return read

    def _turn(self, place: _Place, turn: Any) -> Turn:
        if turn.__class__ is not dict and not isinstance(turn, Mapping):
            self._problem(place, f"expected an object with `response`, found {kind_of(turn)}")
            return Turn("", None, None)
        response, state, domains = turn.get(RESPONSE), turn.get(STATE), turn.get(ACTIVE_DOMAINS)
        told = response if isinstance(response, str) else ""
        if told is not response or not told.isascii() or len(told) > self._longest:
            for problem in response_problems(turn, self._limits):
                self._problem(place, problem)
        if state is not None and not self._is_plain(state):
            state = self._state(place, state)
        if domains is not None:
            for problem in _domain_problems(domains):
                self._problem(place, problem)
        if len(turn) > (RESPONSE in turn) + (STATE in turn) + (ACTIVE_DOMAINS in turn):
            self._unknown_keys(place, turn)
        # This is quicker than to call the class.
        return tuple.__new__(Turn, (told, state, domains, None))

    def _problem(self, place: _Place, problem: str) -> None:
        self.problems.add(_place_text(place), problem)

    def _unknown_keys(self, place: _Place, turn: Mapping[Any, Any]) -> None:
        """Remark keys that are not read, above all those that look like one that is."""
        for key in turn:
            if key in TURN_KEYS or key == USER:
                continue
            meant = STATE if is_metadata(turn[key]) else meant_key(key)
            name = unquoted(key)
            if meant is None:
                self._unread[name] += 1
            elif turn.get(meant) is None:
                if meant == STATE:
                    self._likely_states[name] += 1
                or_option = "" if meant == ACTIVE_DOMAINS else f", or add {key_option(meant, key)}"
                message = f"`{name}` is not read; write `{meant}`{or_option}"
                self._remarks.add("look-alike key", message, _place_text(place))
            else:
                message = f"`{name}` is not read; what counts is `{meant}`"
                self._remarks.add("look-alike key", message, _place_text(place))

    def _is_plain(self, state: Any) -> bool:
        """Return whether a state is nested and in order, as nearly all are: this is quick."""
        # Turn after turn has the state of the turn before.
        if state.__class__ is not dict or state == self._last:
            return state.__class__ is dict
        slots_seen, longest = self._slots, self._limits.value
        for domain, slots in state.items():
            if domain not in STATE_DOMAINS or slots.__class__ is not dict:
                return False
            if self._plain.get(domain) == slots:
                continue
            for slot, value in slots.items():
                if slot not in slots_seen and not self._is_slot(slot):
                    return False
                if value.__class__ is not str or not value.isascii():
                    return False
                if not 0 < len(value) <= longest:
                    return False
            self._plain[domain] = slots
        self._last = state
        return True

    def _is_slot(self, slot: object) -> bool:
        if isinstance(slot, str) and plain_slot_name(slot) in STATE_SLOTS:
            self._slots.add(slot)
            return True
        return False

    def _state(self, place: _Place, state: Any) -> BeliefState:
        """Read a state in any notation, and check its names."""
        reading = self._reading
        refused = reading.uses_states or reading.strict_states

        def tell(where: str, problem: str) -> None:
            message = f"`state`{f', {where}' if where else ''}: {problem}"
            if not refused:
                self._remarks.add("states", f"{message}; left out", _place_text(place))
                return
            self._first = self._first or message
            hint = reading.without_states if message == self._first else ""
            self._problem(place, f"{message}{hint}")

        def note(where: str, what: str) -> None:
            if reading.strict_states and what in LENIENT:
                tell(where, f"{what} (--strict-states)")
                return
            found = ", ".join(filter(None, [_place_text(place), where]))
            self._remarks.add("values", f"`state`: {what}", found, warning=what not in _HARMLESS)

        state = as_state(state, note)
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
                if not self._is_slot(slot):
                    close = resembling(slot, STATE_SLOTS) or "; expected one of MultiWOZ's"
                    tell(domain, f"unknown slot {shown(slot)}{close}")
                elif len(value) > self._limits.value:
                    told = self._limits.told("value")
                    tell(f"{domain}, {slot}", f"{len(value):,} characters; {told}")
                else:
                    read[domain][slot] = value
        return read


_HARMLESS = (CONVERTED, ABSENT, WRITTEN)
"""What is read as it was meant."""

_TRACKED = frozenset({"gt", "pr", "turn_belief", "pred_bs_ptr", "gold", "predicted", STATE})


def _of_a_tracker(content: Mapping[Any, Any]) -> str:
    """Say what to do with states that no response goes with, if that is what predictions are."""
    given = [turn for turns in content.values() for turn in _inside(turns)]
    texts = {
        key
        for turn in given
        if isinstance(turn, Mapping)
        for key in turn
        if isinstance(turn[key], str) and key != USER
    }
    tracked = {key for turn in given for key in _keys(turn) if _is_of_states(key)}
    if not tracked or texts - tracked:
        return ""
    return "no turn has a `response`, and there are states: a tracker's file, for `mwz dst`"


def _is_of_states(key: object) -> bool:
    return key in _TRACKED or meant_key(key) == STATE


_TABLE_KEYS = frozenset({"columns", "index", "data", "schema", "dialogue_id", "turn_id", "turn"})


def _elsewhere(content: Mapping[Any, Any], known: Mapping[str, Any]) -> str:
    """Say where the dialogues are, if that is plain, of an object whose keys are none."""
    if sum(str(key).lower() in _TABLE_KEYS for key in content) > 1:
        return (
            "a table by columns, whose rows are not read; write a row after another (pandas: "
            '`to_json(orient="records")`, or CSV)'
        )
    path: list[str] = []
    inside: object = content
    while isinstance(inside, Mapping) and len(path) < _DEEPEST:
        if any(dialogue_id(id_) in known for id_ in inside):
            return f"its dialogues are below {', '.join(path)}; write what is there alone"
        key, inside = max(inside.items(), key=lambda one: _size(one[1]), default=("", None))
        path.append(f"`{unquoted(key)}`")
    return ""


_DEEPEST = 6


def _size(value: object) -> int:
    return len(value) if isinstance(value, Mapping) else 0


def _inside(turns: object) -> Iterable[object]:
    """Return the turns of a dialogue, a list or an object of them."""
    if isinstance(turns, Mapping):
        turns = turns.get("turns", turns)
    inside = turns.values() if isinstance(turns, Mapping) else turns
    return inside if isinstance(inside, Iterable) and not isinstance(inside, str) else ()


def _keys(turn: object) -> Iterable[object]:
    return turn.keys() if isinstance(turn, Mapping) else ()


def _turns_hint(dialogue: object) -> str:
    """Say how to read the turns of a dialogue that is an object, if it has some."""
    likely = [
        key
        for key in _keys(dialogue)
        if key != "turns" and isinstance(dialogue[key], list)  # type: ignore[index]
    ]
    if not likely:
        return ""
    key = likely[0]
    turns = next(filter(None, dialogue[key]), None)  # type: ignore[index]
    response = next((one for one in _keys(turns) if meant_key(one) == RESPONSE), None)
    and_it = "" if response in (None, RESPONSE) else f" {key_option(RESPONSE, response)}"
    return f"; its turns may be in `{unquoted(key)}`: add --turns-key {key}{and_it}"


def key_option(meant: str, key: object) -> str:
    """Return the option that reads a key as another: `--response-key generated`."""
    written = unquoted(key)
    return f"--{meant}-key {written if re.fullmatch('[^ ]+', written) else shown(written)}"


def response_problems(turn: Mapping[Any, Any], limits: Limits) -> Iterator[str]:
    """Yield what is wrong with the response of a turn.

    Args:
        turn: The turn.
        limits: How long it may be.
    """
    response = turn.get(RESPONSE)
    if RESPONSE not in turn:
        likely = [key for key in turn if meant_key(key) == RESPONSE]
        texts = [key for key, value in turn.items() if isinstance(value, str) and key != USER]
        keys = ", ".join(f"`{unquoted(key)}`" for key in texts[:_SHOWN_KEYS])
        hint = f"; if it is one of {keys}, add --response-key" if keys else _turns_hint(turn)
        if likely:
            hint = f"; is `{unquoted(likely[0])}` meant? add {key_option(RESPONSE, likely[0])}"
        yield f"`response` is missing; expected a string{hint}"
    elif not isinstance(response, str):
        told = '; write "" for an empty one' if response is None else ""
        yield f"`response`: expected a string, found {kind_of(response)}{told}"
    elif len(response) > limits.response:
        yield f"`response`: {len(response):,} characters; {limits.told('response')}"
    elif not is_text(response):
        yield "`response`: not valid text, half of a surrogate pair"


def _dialogue_text(written: object) -> str:
    return f"dialogue {unquoted(written)}"


def _place_text(place: _Place) -> str:
    written, number = place
    return f"{_dialogue_text(written)}, turn {number}"


@lru_cache(maxsize=1 << 10)
def meant_key(key: object) -> str | None:
    """Return the key of turns that another looks like, or is a misspelling of."""
    plain = str(key)[:60].lower().replace("-", "_").replace(" ", "_")
    known = {**LOOK_ALIKES, **{name: name for name in TURN_KEYS}}
    misspelt = difflib.get_close_matches(plain, TURN_KEYS, n=1, cutoff=_SAME_WORD)
    return known.get(plain) or next(iter(misspelt), None)


def _domain_problems(domains: object) -> Iterator[str]:
    if not isinstance(domains, Sequence) or isinstance(domains, str):
        yield f"`active_domains`: expected a list of domains, found {kind_of(domains)}"
        return
    for domain in domains:
        if not isinstance(domain, str) or domain not in STATE_DOMAINS:
            yield f"`active_domains`: {unknown('domain', domain, DOMAINS)}"
