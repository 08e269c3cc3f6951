"""What the state-tracking metrics compare: predicted states beside gold ones, slot by slot.

- A state maps a slot, (domain, slot name), to its value; its items are the (domain, slot, value)
  triples of the papers. A state holds what is known by then, not what the turn adds.
- A value such as `none` or `not mentioned` means that the slot has no value. Such slots are taken
  out before anything is compared, unless `none` is chosen to be a value.
- Gold states are a benchmark's, a file's own, or those of another version of the annotation:
  MultiWOZ was annotated anew several times, and figures with different gold states do not compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from mwz.normalization import (
    DEFAULT_RULES,
    BeliefState,
    RuleSet,
    digest_of_json,
    rule_set,
    without_absent_slots,
    without_empty_domains,
)

from ...benchmark import Benchmark
from ...errors import InputError, Remark
from ...submission import (
    CORRECTNESS,
    GOLD,
    StateChecks,
    Turn,
    checked_submission,
    common_slot_name,
    standard_form,
)
from .choices import Choices
from .matching import (
    BOOKING_SLOTS,
    DROPPED,
    TakenLiterally,
    comparable_states,
    literal_parts,
    without_booking_prefix,
)

Slot: TypeAlias = tuple[str, str]
"""(domain, slot name)."""

State: TypeAlias = Mapping[Slot, str]
"""slot -> value."""


@dataclass(frozen=True)
class StatePair:
    """The gold and the predicted state of one turn, and how many of their slots agree."""

    gold: State
    predicted: State

    @cached_property
    def correct(self) -> int:
        """The slots with the gold value; worked out once, since most metrics rest on it."""
        return sum(self.predicted.get(slot) == value for slot, value in self.gold.items())

    @cached_property
    def wrong(self) -> int:
        """The slots with another value than gold."""
        return len(self.gold.keys() & self.predicted.keys()) - self.correct

    @property
    def missed(self) -> int:
        """The slots of the gold state only."""
        return len(self.gold) - self.correct - self.wrong

    @property
    def overshot(self) -> int:
        """The slots of the predicted state only."""
        return len(self.predicted) - self.correct - self.wrong

    @property
    def slots(self) -> int:
        """The slots of either state."""
        return self.correct + self.failed

    @property
    def failed(self) -> int:
        """The slots on which the states do not agree."""
        return self.wrong + self.missed + self.overshot

    @cached_property
    def split_by_dashes(self) -> int:
        """Wrong slots that are two to who takes what stands before the last dash for the slot.

        To them the gold slot is missed, and the predicted one is another.
        """
        if not self.wrong:
            return 0
        return sum(
            value.rpartition("-")[:2] != self.predicted[slot].rpartition("-")[:2]
            for slot, value in self.gold.items()
            if slot in self.predicted
        )

    def part(self, keep: Callable[[Slot, str], bool]) -> StatePair:
        """Return the slots, with their values, that are to be kept of both states."""
        gold, predicted = (
            {slot: value for slot, value in state.items() if keep(slot, value)}
            for state in (self.gold, self.predicted)
        )
        return StatePair(gold, predicted)


@dataclass(frozen=True)
class DialogueStates:
    """A dialogue's states, turn by turn, as the metrics take them.

    Attributes:
        numbers: The turns' numbers, ascending.
        turns: The turns' states without absent slots: what is compared.
        written: The same with absent slots, and with the slots' names as they are written
            (`bookday` is not `day`); empty where nothing depends on it.
        literal: What of the absent slots is taken literally.
    """

    numbers: Sequence[int]
    turns: Sequence[StatePair]
    written: Sequence[StatePair] = ()
    literal: TakenLiterally = TakenLiterally()

    @property
    def changing(self) -> Sequence[StatePair]:
        """The turns' states whose changes count: `turns`, with gold slots that are dropped."""
        if not self.literal.dropped:
            return self.turns
        return [
            replace(turn, gold={**_dropped(pair.gold), **turn.gold})
            for turn, pair in zip(self.turns, self.written, strict=True)
        ]

    def part(self, turns: slice) -> DialogueStates:
        """Return some of the turns as a dialogue of their own."""
        return replace(
            self,
            numbers=self.numbers[turns],
            turns=self.turns[turns],
            written=self.written[turns],
        )


def flat_state(state: BeliefState) -> State:
    """Return a belief state as a map from (domain, slot name) to value."""
    return {
        (domain, slot): value for domain, slots in state.items() for slot, value in slots.items()
    }


def _dropped(state: State) -> State:
    """Return the slots of a state that are written out as dropped."""
    return {slot: value for slot, value in state.items() if value == DROPPED}


def without_absent(pair: StatePair, literal: TakenLiterally = TakenLiterally()) -> StatePair:
    """Return a pair of states without the slots that have no value."""
    if not any(map(literal.is_absent, (*pair.gold.values(), *pair.predicted.values()))):
        return pair
    return pair.part(lambda slot, value: not literal.is_absent(value))


def slot_name(slot: Slot) -> str:
    """Return a slot's name as trackers write it: `domain-slot`."""
    return "-".join(slot)


@dataclass(frozen=True)
class GoldStates:
    """The gold states of a benchmark's dialogues in one version of the annotation.

    Attributes:
        version: What users call it: "2.4".
        benchmark: The name of the benchmark that the dialogues are of.
        states: Dialogue id -> one normalised state per turn, alternatives with `|` between them.
            Dialogues of the benchmark may be missing, turns of a dialogue may not.
    """

    version: str
    benchmark: str
    states: Mapping[str, Sequence[BeliefState]]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the states, in hexadecimal, as signatures hold it."""
        return digest_of_json({id_: list(enumerate(turns)) for id_, turns in self.states.items()})

    @property
    def turns(self) -> int:
        """The number of turns of all dialogues."""
        return sum(map(len, self.states.values()))


@dataclass(frozen=True)
class TrackedTurn:
    """One user turn.

    Attributes:
        number: The turn's number in its dialogue.
        gold: The gold belief state.
        predicted: The predicted belief state.
        active_domains: The gold active domains; None where they are not known.
        written: The gold and the predicted state before the names of booking slots were made
            alike; None where they were not.
    """

    number: int
    gold: BeliefState
    predicted: BeliefState
    active_domains: Sequence[str] | None = None
    written: tuple[BeliefState, BeliefState] | None = None


@dataclass(frozen=True)
class TrackedDialogue:
    """A dialogue's turns, by ascending number.

    Attributes:
        id: The dialogue's id, as its file spells it.
        turns: The turns.
        goal_domains: The domains of the user's goal; None where they are not known.
        literal: What of its states is taken literally.
    """

    id: str
    turns: Sequence[TrackedTurn]
    goal_domains: frozenset[str] | None = None
    literal: TakenLiterally = TakenLiterally()


def track_states(
    states: Mapping[str, Sequence[BeliefState]],
    benchmark: Benchmark,
    gold: GoldStates | None = None,
    rules: RuleSet | None = None,
) -> list[TrackedDialogue]:
    """Pair predicted states with gold states, turn by turn from the first.

    Both are made comparable (`matching.py`), and the prefix `book` of booking slots is dropped.
    Nothing else is changed: a slot or a `dontcare` that the gold annotation never has counts as a
    false prediction.

    Args:
        states: Dialogue id -> predicted states, normalised or not; a dialogue may hold fewer turns
            than the benchmark's.
        benchmark: The benchmark, which has all these dialogues and turns.
        gold: Gold states of another version than the benchmark's, to compare with; dialogues that
            they lack are left out.
        rules: The rule set that normalises both sides; None for the default one.
    """
    chosen = rule_set(DEFAULT_RULES) if rules is None else rules
    tracked = []
    for id_, predictions in states.items():
        if gold is not None and id_ not in gold.states:
            continue
        dialogue = benchmark.dialogues[id_]
        of_gold = dialogue.states if gold is None else gold.states[id_]
        of_turns = zip(of_gold, predictions, dialogue.active_domains, strict=False)
        turns = []
        for number, (of_version, predicted, active_domains) in enumerate(of_turns):
            wanted, found = comparable_states(of_version, predicted, chosen)
            named = without_booking_prefix(wanted), without_booking_prefix(found)
            as_written = named[0] is wanted and named[1] is found
            written = None if as_written else (wanted, found)
            turns.append(TrackedTurn(number, *named, active_domains, written))
        tracked.append(TrackedDialogue(id_, turns, frozenset(dialogue.goal)))
    return tracked


def dialogue_states(dialogue: TrackedDialogue, choices: Choices = Choices()) -> DialogueStates:
    """Return a dialogue's states as the metrics take them."""

    def pair_of(gold: BeliefState, predicted: BeliefState) -> StatePair:
        pair = StatePair(flat_state(gold), flat_state(predicted))
        if choices.dontcare == "keep" and not choices.only:
            return pair
        return pair.part(lambda slot, value: choices.counts(slot[0], value))

    pairs = [pair_of(turn.gold, turn.predicted) for turn in dialogue.turns]
    literal = dialogue.literal if choices.none == "absent" else TakenLiterally()
    turns = pairs
    if choices.none == "absent":
        turns = [without_absent(pair, literal) for pair in pairs]
    return DialogueStates(
        numbers=[turn.number for turn in dialogue.turns],
        turns=turns,
        written=[
            pair if turn.written is None else pair_of(*turn.written)
            for turn, pair in zip(dialogue.turns, pairs, strict=True)
        ],
        literal=literal,
    )


def turns_by_domain(
    dialogue: TrackedDialogue, states: DialogueStates, over: str
) -> dict[str, list[int]]:
    """Return domain -> the positions, from 0, of the turns that its scores average over.

    Args:
        dialogue: The dialogue, with active domains and a goal if they are averaged over.
        states: Its states, as `dialogue_states`.
        over: The value of the variant `per-domain`.
    """
    positions: dict[str, list[int]] = {}
    for at, (turn, pair) in enumerate(zip(dialogue.turns, states.turns, strict=True)):
        domains: Iterable[str] | None = {domain for domain, _ in pair.gold}
        if over != "gold-slots":
            domains = turn.active_domains if over == "active" else dialogue.goal_domains
        assert domains is not None, "dialogues of a benchmark have active domains and a goal"
        for domain in domains:
            positions.setdefault(domain, []).append(at)
    return positions


# Files.
#
# They are read and checked as predictions are, but that a turn's state is what matters. Files that
# hold gold states are scored on those, as they are: the published code normalises nothing. Files
# without are compared with a benchmark's gold states, both sides normalised; and so is any file
# where gold states of another version are asked for.


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

    @property
    def gold_domains(self) -> set[str]:
        """The domains that its gold states have."""
        return {name for one in self.dialogues for turn in one.turns for name in turn.gold}

    @property
    def has_values(self) -> bool:
        """Whether it has the values of slots, and not only which slots are right."""
        return self.format != CORRECTNESS

    def refuse_without_values(self, doing: str) -> None:
        """Raise an `InputError` if it has no values, for what needs them: "a study"."""
        if not self.has_values:
            problem = f"says only which slots are right; {doing} needs the values of the states"
            raise InputError(self.source, problem)


def parse_tracking_file(
    content: object,
    source: str,
    load_benchmark: Callable[[], Benchmark],
    gold: GoldStates | None = None,
) -> TrackedFile:
    """Recognise the content of a file of states and return its dialogues.

    Args:
        content: What the file's JSON holds.
        source: What the error message calls it.
        load_benchmark: Gives the benchmark to compare with; called only if the file has no gold
            states of its own, or `gold` is given.
        gold: Gold states of the benchmark's dialogues to compare with instead of the benchmark's
            or the file's own.

    Raises:
        InputError: The content has no known shape or is malformed, with every place.
    """
    standard = standard_form(content, source)
    has_gold = standard.has_gold_states
    benchmark = load_benchmark() if gold is not None or not has_gold else None
    rules = rule_set(DEFAULT_RULES)
    checks = StateChecks.of_tracker(standard)
    submission = checked_submission(standard, benchmark, source, rules, checks)
    remarks = [one for one in submission.remarks if one.warning or one.kind == GOLD]
    dialogues = submission.dialogues.items()
    if benchmark is None:
        tracked, spelled = _with_own_gold(submission.dialogues)
        remarks += _of_spellings(spelled)
    else:
        states = {id_: [turn.state or {} for turn in turns] for id_, turns in dialogues}
        tracked = track_states(states, benchmark, gold, rules)
        if gold is not None and not tracked:
            raise InputError(source, f"the gold states {gold.version} have none of its dialogues")
        remarks += _of_one_domain(tracked)
    file = TrackedFile(
        source,
        submission.format,
        benchmark,
        tracked,
        gold,
        [] if gold is None else [id_ for id_, _ in dialogues if id_ not in gold.states],
        remarks,
        responses=any(turn.response for _, turns in dialogues for turn in turns),
    )
    if gold is not None:
        file.refuse_without_values("a comparison with other gold states")
    return file


def tracked_dialogues(
    dialogues: Mapping[str, Sequence[Turn]], benchmark: Benchmark | None
) -> list[TrackedDialogue]:
    """Return checked dialogues as they are scored without gold states of another version.

    Args:
        dialogues: Dialogue id -> turns, each with a state.
        benchmark: The benchmark whose gold states they are compared with; None for their own.
    """
    if benchmark is None:
        return _with_own_gold(dialogues)[0]
    states = {id_: [turn.state or {} for turn in turns] for id_, turns in dialogues.items()}
    return track_states(states, benchmark)


def _with_own_gold(
    dialogues: Mapping[str, Sequence[Turn]],
) -> tuple[list[TrackedDialogue], Mapping[Slot, str]]:
    """Return the dialogues of a file with gold states of its own, compared as they are written.

    The second are the predicted slots that gold spells otherwise, as `_spellings`.
    """
    pairs = [(turn.gold or {}, turn.state or {}) for turns in dialogues.values() for turn in turns]
    spelled = _spellings(pairs)
    tracked = []
    for id_, turns in dialogues.items():
        states = []
        for number, turn in enumerate(turns):
            predicted = _renamed(turn.state or {}, spelled)
            states.append(TrackedTurn(number, turn.gold or {}, predicted))
        tracked.append(TrackedDialogue(id_, states))
    every = [turn for dialogue in tracked for turn in dialogue.turns]
    literal = literal_parts([turn.gold for turn in every], [turn.predicted for turn in every])
    return [replace(dialogue, literal=literal) for dialogue in tracked], spelled


def _spellings(pairs: Sequence[tuple[BeliefState, BeliefState]]) -> Mapping[Slot, str]:
    """Return the predicted slots that gold states spell otherwise -> the name that gold has."""
    gold = {slot for wanted, _ in pairs for slot in flat_state(wanted)}
    names: dict[Slot, set[str]] = {}
    for domain, slot in gold:
        names.setdefault((domain, _plain_name(slot)), set()).add(slot)
    predicted = {slot for _, state in pairs for slot in flat_state(state)}
    spelled = {}
    for domain, slot in predicted - gold:
        alike = names.get((domain, _plain_name(slot)), set())
        if len(alike) == 1:
            spelled[domain, slot] = min(alike)
    return dict(sorted(spelled.items()))


def _plain_name(slot: str) -> str:
    """Return a slot's name in the harness's spelling, without `book`."""
    name = common_slot_name(slot)
    return BOOKING_SLOTS.get(name, name)


def _renamed(state: BeliefState, spelled: Mapping[Slot, str]) -> BeliefState:
    """Return a state with the names of slots as gold states spell them."""
    if not spelled:
        return state
    return {
        domain: {spelled.get((domain, slot), slot): value for slot, value in slots.items()}
        for domain, slots in state.items()
    }


def _of_spellings(spelled: Mapping[Slot, str]) -> Iterator[Remark]:
    """Yield the remark on slots whose names gold states spell otherwise."""
    if spelled:
        listed = ", ".join(
            f"{slot_name(slot)} as {slot_name((slot[0], name))}" for slot, name in spelled.items()
        )
        yield Remark(
            "slots", f"predicted slots are read as gold spells them: {listed}", warning=False
        )


def _of_one_domain(dialogues: Sequence[TrackedDialogue]) -> Iterator[Remark]:
    """Yield the remark on predictions of one domain beside gold states of several."""
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    predicted = _domains_with_values(turn.predicted for turn in turns)
    gold = _domains_with_values(turn.gold for turn in turns)
    if len(predicted) == 1 and (others := sorted(gold - predicted)):
        (domain,) = predicted
        yield Remark(
            "domains",
            f"only {domain} is predicted, and the slots of {', '.join(others)} count as missed; "
            f"--leave-out {domain} scores {domain} alone",
        )


def _domains_with_values(states: Iterable[BeliefState]) -> set[str]:
    """Return the domains of which states have more than absent slots."""
    domains: set[str] = set()
    for state in states:
        domains |= without_empty_domains(without_absent_slots(state)).keys()
    return domains
