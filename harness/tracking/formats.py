"""Reading tracked dialogues: pairs of states, trackers' files, submissions.

Whatever its format, a file holds dialogue id -> turns, and a turn one or two states. Three things
are recognised by shape alone, each by its own table or function:

- how turns are arranged: objects or lists by dialogue id, below `turns` (T5-DST), or SOM-DST's
  flat `id_turn` -> [predicted, gold];
- what a turn holds: gold and predicted state under the keys of `LAYOUTS`, or the predicted state;
- how a state is written: the notations of `notations.py`.

Outputs of the formats of `submission/formats/` are first read into the standard form.

Files that hold gold states are scored on those, as they are: the published code normalises nothing.
Files without are compared with a benchmark's gold states, both sides normalised; and so is any file
where gold states of another version are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mwz.normalization.rules import DEFAULT_RULES, rule_set
from mwz.normalization.states import BeliefState, normalize_state

from ..benchmark import Benchmark
from ..errors import Findings, InputError, Remark, refuse, shown
from ..io.files import is_text, kind_of, limits
from ..metrics.tracking.states import (
    GoldStates,
    TrackedDialogue,
    TrackedTurn,
    track_states,
)
from ..submission import parse_submission
from ..submission.checking import dialogue_id, meant_key
from ..submission.formats import RESPONSE, STATE, special_format
from ..submission.notations import STATE_DOMAINS, VALUE_LISTS, as_state, notation_of, read_state
from ..submission.remarks import KIND


@dataclass(frozen=True)
class Layout:
    """Under which keys a turn holds its states.

    Attributes:
        name: What the report calls it.
        keys: The keys of the gold and of the predicted state, or of the predicted one alone; none
            if the turn is the predicted state.
    """

    name: str
    keys: tuple[str, ...] = ()

    @property
    def has_gold(self) -> bool:
        """Whether the file holds gold states of its own."""
        return len(self.keys) > 1


SUBMISSION = Layout("submission", ("state",))
SOM_DST = Layout("SOM-DST", ("gold", "predicted"))
PREDICTIONS = Layout("predictions")

# The first of these whose keys a turn has is the file's layout.
LAYOUTS = (
    Layout("gold and prediction pairs", ("gt", "pr")),
    Layout("TRADE", ("turn_belief", "pred_bs_ptr")),
    Layout("T5-DST", ("turn_belief", "pred_belief")),
    Layout("gold and prediction pairs", ("gold", "predicted")),
    SUBMISSION,
)

_TURN_NUMBER = re.compile(r"[0-9]{1,9}")
_SHOWN_TURNS = 10
_SOM_DST_KEY = re.compile(r".+_[0-9]{1,9}")


@dataclass(frozen=True)
class TrackedFile:
    """The dialogues of one file, and what it was recognised as.

    Attributes:
        source: The file, as the user named it.
        format: The format it was recognised as.
        benchmark: The benchmark whose dialogues it was compared with; None if it holds gold states
            of its own.
        dialogues: The tracked dialogues, in the file's order.
        gold: The gold states that took the place of the benchmark's or of the file's own; None if
            none did.
        left_out: Ids of dialogues that those lack.
        remarks: What there is to say of how the file is written.
        responses: Whether it has responses as well.
    """

    source: str
    format: str
    benchmark: Benchmark | None
    dialogues: Sequence[TrackedDialogue]
    gold: GoldStates | None = None
    left_out: Sequence[str] = ()
    remarks: Sequence[Remark] = ()
    responses: bool = False


def parse_tracking_file(
    content: object,
    source: str,
    load_benchmark: Callable[[Iterable[str]], Benchmark],
    gold: GoldStates | None = None,
) -> TrackedFile:
    """Recognise the content of a file of states and return its dialogues.

    Args:
        content: What the file's JSON holds.
        source: What the error message calls it.
        load_benchmark: Gives the benchmark to compare with, for the file's dialogue ids; called
            only if the file has no gold states of its own, or `gold` is given.
        gold: Gold states of the benchmark's dialogues to compare with instead of the benchmark's
            or the file's own.

    Raises:
        InputError: The content has no known shape or is malformed, with every place.
    """
    special, content = _standard(content, source, load_benchmark)
    if not isinstance(content, Mapping):
        found = kind_of(content)
        raise InputError(source, f"expected an object of dialogue id -> turns, found {found}")
    if not content:
        raise InputError(source, "no dialogues; expected an object of dialogue id -> turns")
    layout, arranged, turns = _recognised(content, source)
    if layout is SUBMISSION and any(RESPONSE in turn for turn in turns):
        return _submission(content, source, special, load_benchmark(content), gold)
    if len(arranged) > limits().dialogues:
        raise InputError(source, f"{len(arranged):,} dialogues; {limits().told('dialogues')}")
    reader = _Reader(layout)
    dialogues = {id_: reader.dialogue(id_, turns) for id_, turns in arranged.items()}
    refuse(source, reader.problems)
    format_ = special + reader.format
    if layout is PREDICTIONS:
        _check_domains(dialogues, source)
    if layout.has_gold and gold is None:
        own = [TrackedDialogue(id_, turns) for id_, turns in dialogues.items()]
        return TrackedFile(source, format_, None, own)
    benchmark = load_benchmark(dialogues)
    refuse(source, _comparison_problems(dialogues, benchmark, may_be_short=layout is SUBMISSION))
    states = {id_: [turn.predicted for turn in turns] for id_, turns in dialogues.items()}
    return _compared(TrackedFile(source, format_, benchmark, [], gold), states)


def _submission(
    content: Mapping[str, Any],
    source: str,
    special: str,
    benchmark: Benchmark,
    gold: GoldStates | None,
) -> TrackedFile:
    """Return the states of a file with responses, which is read and checked as predictions are."""
    submission = parse_submission(content, benchmark, source)
    missing = Findings()
    for id_, turns in submission.dialogues.items():
        for number, turn in enumerate(turns):
            if turn.state is None:
                missing.add(f"dialogue {id_}, turn {number}", "`state` is missing")
    refuse(source, missing)
    file = TrackedFile(
        source=source,
        format=f"{special}{SUBMISSION.name}",
        benchmark=benchmark,
        dialogues=[],
        gold=gold,
        # Nobody asks for placeholders here.
        remarks=[remark for remark in submission.remarks if remark.kind != KIND],
        responses=any(turn.response for turns in submission.dialogues.values() for turn in turns),
    )
    states = {id_: [turn.state or {} for turn in t] for id_, t in submission.dialogues.items()}
    return _compared(file, states)


def _compared(file: TrackedFile, states: Mapping[str, Sequence[BeliefState]]) -> TrackedFile:
    """Return a file with its predicted states beside gold ones, both normalised."""
    assert file.benchmark is not None
    rules = rule_set(DEFAULT_RULES)
    normalized = {
        dialogue_id(id_): [normalize_state(state, rules) for state in of_dialogue]
        for id_, of_dialogue in states.items()
    }
    gold = file.gold
    tracked = track_states(normalized, file.benchmark, gold)
    if gold is not None and not tracked:
        raise InputError(file.source, f"the gold states {gold.version} have none of its dialogues")
    return replace(
        file,
        dialogues=tracked,
        left_out=[] if gold is None else [id_ for id_ in normalized if id_ not in gold.states],
        remarks=[*file.remarks, *_of_one_domain(tracked)],
    )


def _of_one_domain(dialogues: Sequence[TrackedDialogue]) -> Iterator[Remark]:
    """Yield the remark on predictions of one domain beside gold states of several."""
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    predicted = {domain for turn in turns for domain, slots in turn.predicted.items() if slots}
    gold = {domain for turn in turns for domain, slots in turn.gold.items() if slots}
    if len(predicted) == 1 and (others := sorted(gold - predicted)):
        (domain,) = predicted
        yield Remark(
            "domains",
            f"only {domain} is predicted, and the slots of {', '.join(others)} count as missed; "
            f"--variant per-domain=dialogues scores {domain} alone",
        )


def _standard(
    content: object, source: str, load_benchmark: Callable[[Iterable[str]], Benchmark]
) -> tuple[str, object]:
    """Return predictions of another format in the standard form, with their format's name."""
    special = special_format(content)
    if special is None:
        return "", content
    standard = special.read(content, source)
    users = load_benchmark([]).users if standard.find is not None else {}
    return f"{standard.format}, ", standard.dialogues_among(users)


def _recognised(
    content: Mapping[str, Any], source: str
) -> tuple[Layout, Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Return a file's layout, its turns by dialogue, and all that are objects.

    The layout is that of which some turn has all keys, or else any; else that of bare predictions.
    """
    is_som_dst = _is_som_dst(content)
    arranged = _regroup(content) if is_som_dst else content
    turns = [
        turn
        for given in arranged.values()
        for _, turn in _turns_of(given)
        if isinstance(turn, Mapping)
    ]
    layout = SOM_DST if is_som_dst else next(_layouts(turns), PREDICTIONS)
    if layout is SUBMISSION and all(turn.get("state") is None for turn in turns):
        keys = (key for turn in turns for key in turn if key != STATE)
        written = next((key for key in keys if meant_key(key) == STATE), None)
        alike = "" if written is None else f"; `{written}` is not read; write `state`"
        raise InputError(source, f"no turn has a `state`: there are no states to compare{alike}")
    return layout, arranged, turns


def _layouts(turns: Sequence[Mapping[str, Any]]) -> Iterator[Layout]:
    for enough in (all, any):
        for layout in LAYOUTS:
            if any(enough(key in turn for key in layout.keys) for turn in turns):
                yield layout
    if any(RESPONSE in turn for turn in turns):
        yield SUBMISSION


class _Reader:
    """Reads the states of one file; keeps what is wrong with it and how its states are written."""

    def __init__(self, layout: Layout) -> None:
        self.problems = Findings()
        self._layout = layout
        self._limits = limits()
        self._notations: dict[str, None] = {}

    @property
    def format(self) -> str:
        """What the file was recognised as."""
        keys = f" ({', '.join(self._layout.keys)})" if self._layout.keys else ""
        return f"{self._layout.name}{keys}: {' and '.join(self._notations) or 'empty states'}"

    def dialogue(self, id_: str, turns: object) -> list[TrackedTurn]:
        """Read a dialogue's turns, in the order of their numbers."""
        place = f"dialogue {shown(id_)[1:-1]}"
        most, too_many = self._limits.turns, self._limits.told("turns")
        numbered: dict[int, object] = {}
        if not is_text(str(id_)):
            self.problems.add(place, "its id is not valid text")
        given = _turns_of(turns)
        if not given:
            found = kind_of(turns)
            self.problems.add(
                place, f"no turns; expected them by number or as a list, found {found}"
            )
        if len(given) > most:
            self.problems.add(place, f"{len(given):,} turns; {too_many}")
            return []
        for key, turn in given:
            if not _TURN_NUMBER.fullmatch(key):
                self.problems.add(place, f"expected turn numbers as keys, found {shown(key)}")
            elif int(key) > most:
                self.problems.add(place, f"turn {int(key):,}; {too_many}")
            elif int(key) in numbered:
                self.problems.add(place, f"turn {int(key)} is there twice")
            else:
                numbered[int(key)] = turn
        return [
            TrackedTurn(number, *self._states(f"{place}, turn {number}", turn))
            for number, turn in sorted(numbered.items())
        ]

    def _states(self, place: str, turn: object) -> tuple[BeliefState, BeliefState]:
        """Return a turn's gold state, which is empty where the file has none, and predicted one."""
        keys = self._layout.keys
        if not keys:
            return {}, self._state(place, turn)
        if not isinstance(turn, Mapping):
            expected = " and ".join(f"`{key}`" for key in keys)
            found = kind_of(turn)
            self.problems.add(place, f"expected an object with {expected}, found {found}")
            return {}, {}
        states: list[BeliefState] = []
        for key in keys:
            if turn.get(key) is None:
                self.problems.add(place, f"`{key}` is missing; expected a state")
                states.append({})
            else:
                states.append(self._state(f"{place}, {key}", turn[key]))
        return ({} if len(states) == 1 else states[0]), states[-1]

    def _state(self, place: str, state: object) -> BeliefState:
        def tell(where: str, problem: str) -> None:
            self.problems.add(f"{place}, {where}" if where else place, problem)

        def note(where: str, what: str) -> None:
            if what == VALUE_LISTS:
                self._notations[what] = None

        state = as_state(state, note)
        notation = notation_of(state)
        if notation is not None and state:
            self._notations[notation] = None
        read = read_state(state, tell, note)
        for domain, slots in read.items():
            for slot, value in slots.items():
                if len(value) > self._limits.value:
                    too_long = self._limits.told("value")
                    tell(f"{domain}, {slot}", f"{len(value):,} characters; {too_long}")
        return read


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


def _turns_of(turns: object) -> list[tuple[str, Any]]:
    """Return a dialogue's turns with their keys; none if it is neither an object nor a list."""
    if isinstance(turns, Mapping) and "turns" in turns:
        turns = turns["turns"]
    if isinstance(turns, Mapping):
        return [(str(number), turn) for number, turn in turns.items()]
    if isinstance(turns, Sequence) and not isinstance(turns, str):
        return [(str(number), turn) for number, turn in enumerate(turns)]
    return []


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
            f"found {', '.join(map(shown, list(state)[:5]))}",
        )


def _comparison_problems(
    dialogues: Mapping[str, Sequence[TrackedTurn]], benchmark: Benchmark, may_be_short: bool
) -> Findings:
    """Return what keeps predictions from being compared with a benchmark's gold states.

    A submission may lack a dialogue's last turns, as published ones do; a tracker's file may not.
    """
    problems = Findings()
    if not any(dialogue_id(id_) in benchmark.dialogues for id_ in dialogues):
        problems.add(
            f"dialogue {shown(next(iter(dialogues)))[1:-1]}",
            f"not in the benchmark {benchmark.name}, like all of this file, and no gold states "
            "here; name another by --benchmark",
        )
        return problems
    seen: set[str] = set()
    for id_, turns in dialogues.items():
        place = f"dialogue {shown(id_)[1:-1]}"
        gold = benchmark.dialogues.get(dialogue_id(id_))
        if gold is None:
            problems.add(place, f"not in the benchmark {benchmark.name}, and no gold states here")
            continue
        if dialogue_id(id_) in seen:
            problems.add(place, "is there twice")
        seen.add(dialogue_id(id_))
        there = {turn.number for turn in turns}
        expected = range(max(there) + 1 if may_be_short else gold.turns)
        missing = [str(number) for number in expected if number not in there]
        has = f"the benchmark has turns 0 to {gold.turns - 1}"
        if missing:
            more = ", …" if len(missing) > _SHOWN_TURNS else ""
            numbers = ", ".join(missing[:_SHOWN_TURNS])
            problems.add(place, f"turn {numbers}{more} missing; {has}")
        if max(there) >= gold.turns:
            problems.add(place, f"turn {max(there)} is not in the benchmark; {has}")
    return problems
