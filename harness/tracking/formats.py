"""Reading tracked dialogues: pairs of states, trackers' files, submissions.

Whatever its format, a file holds dialogue id -> turns, and a turn one or two states. Three things
are told apart by shape alone, each by its own table or function:

- how turns are arranged: objects or lists by dialogue id, below `turns` (T5-DST), or SOM-DST's
  flat `id_turn` -> [predicted, gold];
- what a turn holds: gold and predicted state under the keys of `LAYOUTS`, or the predicted state;
- how a state is written: domain -> slot -> value, `domain-slot` -> value, or a list of
  `domain-slot-value`.

Files that hold gold states are scored on those, as they are: the published code normalises nothing.
Files without are compared with a benchmark's gold states, both sides normalised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mwz.normalization.rules import DEFAULT_RULES, rule_set
from mwz.normalization.states import BeliefState, normalize_state

from ..benchmark import Benchmark
from ..errors import InputError
from ..files import is_text, kind_of, read_json, shown_name
from ..submission import STATE_DOMAINS, dialogue_id, parse_submission
from .dialogues import TrackedDialogue, TrackedTurn
from .pairing import track_states


@dataclass(frozen=True)
class Layout:
    """Under which keys a turn holds its states.

    Attributes:
        name: What the report calls it.
        gold: The key of the gold state; None if the file holds none.
        predicted: The key of the predicted state; None if the turn is the predicted state.
    """

    name: str
    gold: str | None
    predicted: str | None

    @property
    def keys(self) -> Sequence[str]:
        """The keys a turn must have."""
        return [key for key in (self.gold, self.predicted) if key is not None]


SUBMISSION = Layout("submission", None, "state")
SOM_DST = Layout("SOM-DST", "gold", "predicted")
PREDICTIONS = Layout("predictions", None, None)

# The first of these whose keys a turn has is the file's layout.
LAYOUTS = (
    Layout("gold and prediction pairs", "gt", "pr"),
    Layout("TRADE", "turn_belief", "pred_bs_ptr"),
    Layout("T5-DST", "turn_belief", "pred_belief"),
    Layout("gold and prediction pairs", "gold", "predicted"),
    SUBMISSION,
)

_NESTED = "domain -> slot -> value"
_FLAT = "domain-slot -> value"
_LIST = "domain-slot-value lists"

_TURN_NUMBER = re.compile(r"[0-9]{1,9}")
_SOM_DST_KEY = re.compile(r".+_[0-9]{1,9}")


@dataclass(frozen=True)
class TrackedFile:
    """The dialogues of one file, and what it was recognised as.

    Attributes:
        source: The file, as the user named it.
        format: The format it was recognised as.
        benchmark: The benchmark whose gold states it was compared with; None if it holds its own.
        dialogues: The tracked dialogues, in the file's order.
    """

    source: str
    format: str
    benchmark: Benchmark | None
    dialogues: Sequence[TrackedDialogue]


def read_tracking_file(path: str | Path, load_benchmark: Callable[[], Benchmark]) -> TrackedFile:
    """Read a file of states (JSON, plain or gzipped; `-`: standard input).

    Args:
        path: The file.
        load_benchmark: Gives the benchmark to compare with; called only if the file has no gold
            states of its own.

    Raises:
        InputError: The file cannot be read, has no known shape or is malformed, with every place.
    """
    return parse_tracking_file(read_json(path), shown_name(path), load_benchmark)


def parse_tracking_file(
    content: object, source: str, load_benchmark: Callable[[], Benchmark]
) -> TrackedFile:
    """Recognise the content of a file of states and return its dialogues.

    Args:
        content: What the file's JSON holds.
        source: What the error message calls it.
        load_benchmark: As in `read_tracking_file`.

    Raises:
        InputError: The content has no known shape or is malformed, with every place.
    """
    if not isinstance(content, Mapping):
        raise InputError(source, f"expected an object of dialogue id -> turns, {_found(content)}")
    if not content:
        raise InputError(source, "no dialogues; expected an object of dialogue id -> turns")
    som_dst = _is_som_dst(content)
    layout = SOM_DST if som_dst else _layout(content)
    arranged = _regroup(content) if som_dst else content
    if layout is SUBMISSION and not any(
        isinstance(turn, Mapping) and turn.get("state") is not None for _, turn in _turns(content)
    ):
        raise InputError(source, "no turn has a `state`: there are no states to compare")
    parser = _Parser(layout)
    dialogues = {id_: parser.dialogue(id_, turns) for id_, turns in arranged.items()}
    if parser.problems:
        raise InputError(source, parser.problems)
    if layout is PREDICTIONS:
        _check_domains(dialogues, source)
    if layout.gold is not None:
        tracked = [TrackedDialogue(id_, turns) for id_, turns in dialogues.items()]
        return TrackedFile(source, parser.format, None, tracked)
    benchmark = load_benchmark()
    states = {
        id_: {turn.number: turn.predicted for turn in turns} for id_, turns in dialogues.items()
    }
    problems = list(_comparison_problems(states, benchmark, may_be_short=layout is SUBMISSION))
    if problems:
        raise InputError(source, problems)
    if _has_responses(content):
        # For its checks of domains and slots, which trackers' files are not held to.
        parse_submission({dialogue_id(id_): t for id_, t in content.items()}, benchmark, source)
    tracked = track_states(_normalized(states), benchmark)
    return TrackedFile(source, parser.format, benchmark, tracked)


class _Parser:
    """Reads the states of one file; keeps what is wrong with it and how its states are written."""

    def __init__(self, layout: Layout) -> None:
        self.problems: list[str] = []
        self._layout = layout
        self._encodings: dict[str, None] = {}

    @property
    def format(self) -> str:
        """What the file was recognised as."""
        keys = f" ({', '.join(self._layout.keys)})" if self._layout.keys else ""
        encodings = " and ".join(self._encodings) or "empty states"
        return f"{self._layout.name}{keys}: {encodings}"

    def dialogue(self, id_: str, turns: object) -> list[TrackedTurn]:
        """Read a dialogue's turns, in the order of their numbers."""
        place = f"dialogue {id_}"
        numbered: dict[int, object] = {}
        for key, turn in _turns_of(turns):
            if not _TURN_NUMBER.fullmatch(key):
                self._problem(place, f"expected turn numbers as keys, found {key!r}")
            elif int(key) in numbered:
                self._problem(place, f"turn {int(key)} is there twice")
            else:
                numbered[int(key)] = turn
        if not _turns_of(turns):
            self._problem(place, f"no turns; expected them by number or as a list, {_found(turns)}")
        return [
            self._turn(f"{place}, turn {number}", number, turn)
            for number, turn in sorted(numbered.items())
        ]

    def _turn(self, place: str, number: int, turn: object) -> TrackedTurn:
        layout = self._layout
        if layout.predicted is None:
            return TrackedTurn(number, {}, self._state(place, turn))
        if not isinstance(turn, Mapping):
            keys = " and ".join(f"`{key}`" for key in layout.keys)
            self._problem(place, f"expected an object with {keys}, {_found(turn)}")
            return TrackedTurn(number, {}, {})
        missing = [key for key in layout.keys if turn.get(key) is None]
        for key in missing:
            self._problem(place, f"`{key}` is missing; expected a state")
        gold, predicted = (
            self._state(f"{place}, {key}", turn[key]) if key and key not in missing else {}
            for key in (layout.gold, layout.predicted)
        )
        return TrackedTurn(number, gold, predicted)

    def _state(self, place: str, state: object) -> BeliefState:
        if isinstance(state, Mapping):
            if any("-" in key and not isinstance(value, Mapping) for key, value in state.items()):
                return self._from_pairs(place, _FLAT, self._flat_pairs(place, state))
            return self._nested(place, state)
        if isinstance(state, Sequence) and not isinstance(state, str):
            return self._from_pairs(place, _LIST, self._list_pairs(place, state))
        self._problem(
            place,
            f"expected a state ({_NESTED}, {_FLAT} or a list of {_LIST[:-6]}), {_found(state)}",
        )
        return {}

    def _nested(self, place: str, state: Mapping[str, object]) -> BeliefState:
        read: dict[str, dict[str, str]] = {}
        for domain, slots in state.items():
            if isinstance(slots, Mapping):
                read[domain] = {
                    slot: value
                    for slot, value in slots.items()
                    if self._is_value(f"{place}, {domain}, {slot}", value)
                }
            else:
                self._problem(f"{place}, {domain}", f"expected slot -> value, {_found(slots)}")
        if state:
            self._encodings[_NESTED] = None
        return read

    def _flat_pairs(
        self, place: str, state: Mapping[str, object]
    ) -> Iterator[tuple[str, str, str]]:
        for name, value in state.items():
            domain, dash, slot = name.partition("-")
            if not (domain and dash and slot):
                self._problem(place, f"expected `domain-slot` as key, found {name!r}")
            elif self._is_value(f"{place}, {name}", value):
                yield domain, slot, str(value)

    def _list_pairs(self, place: str, state: Sequence[object]) -> Iterator[tuple[str, str, str]]:
        for entry in state:
            domain, slot, value = _split_triple(entry)
            if domain and slot:
                if self._is_value(place, entry):
                    yield domain, slot, value
            else:
                found = f"found {entry!r}" if isinstance(entry, str) else _found(entry)
                self._problem(place, f"expected a string `domain-slot-value`, {found}")

    def _from_pairs(
        self, place: str, encoding: str, triples: Iterator[tuple[str, str, str]]
    ) -> BeliefState:
        read: dict[str, dict[str, str]] = {}
        for domain, slot, value in triples:
            self._encodings[encoding] = None
            known = read.setdefault(domain, {}).setdefault(slot, value)
            if known != value:
                self._problem(
                    place, f"{domain}-{slot} has two values, {known!r} and {value!r}; expected one"
                )
        return read

    def _is_value(self, place: str, value: object) -> bool:
        if not isinstance(value, str):
            self._problem(place, f"expected a string as value, {_found(value)}")
            return False
        if not is_text(place + value):
            self._problem(place, f"{value!r} is not valid text")
            return False
        return True

    def _problem(self, place: str, problem: str) -> None:
        self.problems.append(f"{place}: {problem}")


def _is_som_dst(content: Mapping[str, Any]) -> bool:
    """Return whether this is `id_turn` -> [predicted, gold], two lists of strings."""
    return all(
        isinstance(sides, list)
        and len(sides) == 2
        and all(isinstance(side, list) for side in sides)
        and _SOM_DST_KEY.fullmatch(key)
        for key, sides in content.items()
    )


def _regroup(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return SOM-DST's turns by dialogue, with named sides."""
    dialogues: dict[str, dict[str, Any]] = {}
    for key, (predicted, gold) in content.items():
        dialogue, _, turn = key.rpartition("_")
        dialogues.setdefault(dialogue, {})[turn] = {"gold": gold, "predicted": predicted}
    return dialogues


def _layout(content: Mapping[str, Any]) -> Layout:
    """Return the layout of which some turn has all keys, or else any; else bare predictions."""
    keys = [turn.keys() for _, turn in _turns(content) if isinstance(turn, Mapping)]
    for enough in (all, any):
        for layout in LAYOUTS:
            if any(enough(key in turn for key in layout.keys) for turn in keys):
                return layout
    if any("response" in turn for turn in keys):
        return SUBMISSION
    return PREDICTIONS


def _turns(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return (turn for turns in content.values() for turn in _turns_of(turns))


def _turns_of(turns: object) -> list[tuple[str, Any]]:
    """Return a dialogue's turns with their keys; none if it is neither an object nor a list."""
    if isinstance(turns, Mapping):
        if "turns" in turns:
            return _turns_of(turns["turns"])
        return [(str(number), turn) for number, turn in turns.items()]
    if isinstance(turns, Sequence) and not isinstance(turns, str):
        return [(str(number), turn) for number, turn in enumerate(turns)]
    return []


def _split_triple(entry: object) -> Sequence[str]:
    """Split `domain-slot-value` at its first two dashes; values may hold more."""
    parts = entry.split("-", 2) if isinstance(entry, str) else []
    return parts if len(parts) == 3 else ("", "", "")


def _has_responses(content: Mapping[str, Any]) -> bool:
    return any(isinstance(turn, Mapping) and "response" in turn for _, turn in _turns(content))


def _normalized(states: Mapping[str, Mapping[int, BeliefState]]) -> dict[str, list[BeliefState]]:
    """Return states as benchmarks spell ids, slots and values."""
    rules = rule_set(DEFAULT_RULES)
    return {
        dialogue_id(id_): [normalize_state(state, rules) for state in turns.values()]
        for id_, turns in states.items()
    }


def _check_domains(dialogues: Mapping[str, Sequence[TrackedTurn]], source: str) -> None:
    """Refuse a file of bare states in which no state names a domain: it has another shape."""
    states = [
        (f"dialogue {id_}, turn {turn.number}", turn.predicted)
        for id_, turns in dialogues.items()
        for turn in turns
        if turn.predicted
    ]
    if states and not any(STATE_DOMAINS & state.keys() for _, state in states):
        place, state = states[0]
        pairs = [" and ".join(f"`{key}`" for key in layout.keys) for layout in LAYOUTS]
        raise InputError(
            source,
            f"{place}: unknown shape; expected {', '.join(pairs)}, or a state by domain, "
            f"found {', '.join(map(repr, state))}",
        )


def _comparison_problems(
    states: Mapping[str, Mapping[int, BeliefState]], benchmark: Benchmark, may_be_short: bool
) -> Iterator[str]:
    """Tell what keeps predictions from being compared with a benchmark's gold states.

    A submission may lack a dialogue's last turns, as published ones do; a tracker's file may not.
    """
    if not any(dialogue_id(id_) in benchmark.dialogues for id_ in states):
        yield (
            f"dialogue {next(iter(states))}: not in the benchmark {benchmark.name}, like all "
            "of this file, and no gold states here; name another by --benchmark"
        )
        return
    seen: set[str] = set()
    for id_, turns in states.items():
        gold = benchmark.dialogues.get(dialogue_id(id_))
        if gold is None:
            yield f"dialogue {id_}: not in the benchmark {benchmark.name}, and no gold states here"
            continue
        if dialogue_id(id_) in seen:
            yield f"dialogue {id_}: is there twice"
        seen.add(dialogue_id(id_))
        expected = range(max(turns) + 1 if may_be_short else gold.turns)
        missing = [number for number in expected if number not in turns]
        has = f"the benchmark has turns 0 to {gold.turns - 1}"
        if missing:
            yield f"dialogue {id_}: turn {', '.join(map(str, missing))} missing; {has}"
        if max(turns) >= gold.turns:
            yield f"dialogue {id_}: turn {max(turns)} is not in the benchmark; {has}"


def _found(value: object) -> str:
    """Return what was found instead, as JSON calls it."""
    return f"found {kind_of(value)}"
