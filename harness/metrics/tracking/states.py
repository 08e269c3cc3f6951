"""What the state-tracking metrics compare: predicted states beside gold ones, slot by slot.

- A state maps a slot, (domain, slot name), to its value; its items are the (domain, slot, value)
  triples of the papers. A state holds what is known by then, not what the turn adds.
- A value such as `none` or `not mentioned` means that the slot has no value. Such slots are taken
  out before anything is compared, unless `none` is chosen to be a value.
- Gold states are a benchmark's, a file's own, or those of another version of the annotation:
  MultiWOZ was annotated anew several times, and figures with different gold states do not compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from mwz.normalization import (
    DEFAULT_RULES,
    BeliefState,
    RuleSet,
    digest_of_json,
    is_absent,
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
    comparable_states,
    drops_slots,
    keeps_blanks,
    without_booking_prefix,
)

Slot: TypeAlias = tuple[str, str]
"""(domain, slot name)."""

State: TypeAlias = Mapping[Slot, str]
"""slot -> value."""


@dataclass(frozen=True)
class StatePair:
    """The gold and the predicted state of one turn, as metrics take them, and how far they agree.

    Attributes:
        gold: The gold state, without absent slots.
        predicted: The predicted state, without absent slots.
        written: Both with absent slots, and with the slots' names as they are written (`bookday` is
            not `day`); None where they are the same.
        dropped: The gold slots that are written out as dropped, where that counts as a change.
    """

    gold: State
    predicted: State
    written: StatePair | None = None
    dropped: State = field(default_factory=dict)

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

    @cached_property
    def failed(self) -> int:
        """The slots on which the states do not agree."""
        return self.wrong + self.missed + self.overshot

    @cached_property
    def split_by_dashes(self) -> int:
        """Wrong slots that are two to who takes what stands before the last dash for the slot.

        To them the gold slot is missed, and the predicted one is another.
        """
        split = 0
        if self.wrong:
            for slot in self.gold.keys() & self.predicted.keys():
                gold, predicted = self.gold[slot], self.predicted[slot]
                split += gold.rpartition("-")[:2] != predicted.rpartition("-")[:2]
        return split

    def part(self, keep: Callable[[Slot, str], bool]) -> StatePair:
        """Return the slots, with their values, that are to be kept of all states."""
        gold = {slot: value for slot, value in self.gold.items() if keep(slot, value)}
        predicted = {slot: value for slot, value in self.predicted.items() if keep(slot, value)}
        if self.written is None:
            return StatePair(gold, predicted)
        dropped = {slot: value for slot, value in self.dropped.items() if keep(slot, value)}
        return StatePair(gold, predicted, self.written.part(keep), dropped)


DialogueStates: TypeAlias = Sequence[StatePair]
"""A dialogue's states, turn by turn."""


def flat_state(state: BeliefState) -> State:
    """Return a belief state as a map from (domain, slot name) to value."""
    flat = {}
    for domain, slots in state.items():
        for slot, value in slots.items():
            flat[domain, slot] = value
    return flat


def without_absent(pair: StatePair, blanks: bool = False) -> StatePair:
    """Return a pair of states without the slots that have no value.

    Args:
        pair: The states; a pair without such slots is returned itself.
        blanks: Whether blanks around a value, and an empty text, make it a value.
    """

    def is_present(slot: Slot, value: str) -> bool:
        return (blanks and (not value or value != value.strip())) or not is_absent(value)

    if all(is_present(*item) for item in chain(pair.gold.items(), pair.predicted.items())):
        return pair
    return pair.part(is_present)


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
class TrackedDialogue:
    """A dialogue with gold and predicted states, as they were read.

    Attributes:
        id: The dialogue's id, as its file spells it.
        gold: The gold belief state of each turn.
        predicted: The predicted belief state of each turn.
        written: Turn -> its gold and its predicted state before the names of booking slots were
            made alike, if they were.
        active_domains: The gold active domains of each turn; empty where they are not known.
        goal_domains: The domains of the user's goal; empty where they are not known.
        blanks: Whether blanks around a value, and an empty text, make it a value.
        drops: Whether a gold `none` is a change to granular change accuracy.
    """

    id: str
    gold: Sequence[BeliefState]
    predicted: Sequence[BeliefState]
    written: Mapping[int, tuple[BeliefState, BeliefState]] = field(default_factory=dict)
    active_domains: Sequence[Sequence[str]] = ()
    goal_domains: frozenset[str] = frozenset()
    blanks: bool = False
    drops: bool = False


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
    if rules is None:
        rules = rule_set(DEFAULT_RULES)
    tracked = []
    for id_, predictions in states.items():
        if gold is not None and id_ not in gold.states:
            continue
        dialogue = benchmark.dialogues[id_]
        annotated = dialogue.states if gold is None else gold.states[id_]
        gold_states, predicted_states = [], []
        written = {}
        for turn, (annotation, prediction) in enumerate(zip(annotated, predictions, strict=False)):
            comparable = comparable_states(annotation, prediction, rules)
            gold_state, predicted_state = map(without_booking_prefix, comparable)
            if gold_state is not comparable[0] or predicted_state is not comparable[1]:
                written[turn] = comparable
            gold_states.append(gold_state)
            predicted_states.append(predicted_state)
        active = dialogue.active_domains[: len(gold_states)]
        goal = frozenset(dialogue.goal)
        tracked.append(TrackedDialogue(id_, gold_states, predicted_states, written, active, goal))
    return tracked


def dialogue_states(dialogue: TrackedDialogue, choices: Choices = Choices()) -> DialogueStates:
    """Return a dialogue's states as the metrics take them."""

    def counting(gold: BeliefState, predicted: BeliefState) -> StatePair:
        pair = StatePair(flat_state(gold), flat_state(predicted))
        if choices.dontcare == "keep" and not choices.only:
            return pair
        return pair.part(lambda slot, value: choices.counts(slot[0], value))

    states = []
    for turn, (gold, predicted) in enumerate(zip(dialogue.gold, dialogue.predicted, strict=True)):
        pair = written = counting(gold, predicted)
        if turn in dialogue.written:
            written = counting(*dialogue.written[turn])
        dropped = {}
        if choices.none == "absent":
            pair = without_absent(pair, dialogue.blanks)
            if dialogue.drops:
                dropped = {slot: v for slot, v in written.gold.items() if v == DROPPED}
        states.append(
            StatePair(pair.gold, pair.predicted, None if written is pair else written, dropped)
        )
    return states


def turns_by_domain(
    dialogue: TrackedDialogue, states: DialogueStates, over: str
) -> dict[str, list[int]]:
    """Return domain -> the turns that its scores average over.

    Args:
        dialogue: The dialogue, with active domains and a goal if they are averaged over.
        states: Its states, as `dialogue_states`.
        over: The value of the variant `per-domain`.
    """
    turns: dict[str, list[int]] = {}
    for turn, pair in enumerate(states):
        domains: Iterable[str] = {domain for domain, _ in pair.gold}
        if over == "active":
            domains = dialogue.active_domains[turn]
        elif over == "dialogues":
            domains = dialogue.goal_domains
        for domain in domains:
            turns.setdefault(domain, []).append(turn)
    return turns


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
        domains: set[str] = set()
        for dialogue in self.dialogues:
            domains.update(*dialogue.gold)
        return domains

    @property
    def predicted_domains(self) -> set[str]:
        """The domains that its predicted states have values of."""
        domains: set[str] = set()
        for dialogue in self.dialogues:
            domains |= _domains_with_values(dialogue.predicted)
        return domains

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
    benchmark = None
    if gold is not None or not standard.has_gold_states:
        benchmark = load_benchmark()
    checks = StateChecks.of_tracker(standard)
    rules = rule_set(DEFAULT_RULES)
    submission = checked_submission(standard, benchmark, source, rules, checks)
    remarks = [remark for remark in submission.remarks if remark.warning or remark.kind == GOLD]
    dialogues = submission.dialogues
    tracked = tracked_dialogues(dialogues, benchmark, gold)
    if gold is not None and not tracked:
        raise InputError(source, f"the gold states {gold.version} have none of its dialogues")
    if benchmark is not None:
        remarks += _remarks_on_domains(tracked)
    else:
        listed = []
        for slot, name in _gold_spellings(dialogues).items():
            listed.append(f"{slot_name(slot)} as {slot_name((slot[0], name))}")
        if listed:
            read = f"predicted slots are read as gold spells them: {', '.join(listed)}"
            remarks.append(Remark("slots", read, warning=False))
    file = TrackedFile(
        source,
        submission.format,
        benchmark,
        tracked,
        gold,
        left_out=[] if gold is None else [id_ for id_ in dialogues if id_ not in gold.states],
        remarks=remarks,
        responses=any(turn.response for turn in chain.from_iterable(dialogues.values())),
    )
    if gold is not None:
        file.refuse_without_values("a comparison with other gold states")
    return file


def tracked_dialogues(
    dialogues: Mapping[str, Sequence[Turn]],
    benchmark: Benchmark | None,
    gold: GoldStates | None = None,
) -> list[TrackedDialogue]:
    """Return checked dialogues with the gold states that they are compared with.

    Gold states of the dialogues' own are compared as they are written.

    Args:
        dialogues: Dialogue id -> turns, each with a state.
        benchmark: The benchmark whose gold states they are compared with; None for their own.
        gold: Gold states of another version than the benchmark's.
    """
    predicted = {}
    for id_, turns in dialogues.items():
        predicted[id_] = [turn.state or {} for turn in turns]
    if benchmark is not None:
        return track_states(predicted, benchmark, gold)
    spellings = _gold_spellings(dialogues)
    own_gold = {}
    for id_, turns in dialogues.items():
        own_gold[id_] = [turn.gold or {} for turn in turns]
        if spellings:
            predicted[id_] = [_renamed(state, spellings) for state in predicted[id_]]
    blanks = keeps_blanks(list(chain.from_iterable(predicted.values())))
    drops = drops_slots(list(chain.from_iterable(own_gold.values())))
    return [
        TrackedDialogue(id_, own_gold[id_], states, blanks=blanks, drops=drops)
        for id_, states in predicted.items()
    ]


def _gold_spellings(dialogues: Mapping[str, Sequence[Turn]]) -> Mapping[Slot, str]:
    """Return the predicted slots that gold states spell otherwise -> the name that gold has."""
    gold: set[Slot] = set()
    predicted: set[Slot] = set()
    for turn in chain.from_iterable(dialogues.values()):
        gold.update(flat_state(turn.gold or {}))
        predicted.update(flat_state(turn.state or {}))
    names: dict[Slot, set[str]] = {}
    for domain, slot in gold:
        names.setdefault((domain, _plain_name(slot)), set()).add(slot)
    spellings = {}
    for domain, slot in sorted(predicted - gold):
        alike = names.get((domain, _plain_name(slot)), set())
        if len(alike) == 1:
            spellings[domain, slot] = min(alike)
    return spellings


def _plain_name(slot: str) -> str:
    """Return a slot's name in the harness's spelling, without `book`."""
    name = common_slot_name(slot)
    return BOOKING_SLOTS.get(name, name)


def _renamed(state: BeliefState, names: Mapping[Slot, str]) -> BeliefState:
    """Return a state with other names of some of its slots."""
    renamed: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        renamed[domain] = {}
        for slot, value in slots.items():
            renamed[domain][names.get((domain, slot), slot)] = value
    return renamed


def _remarks_on_domains(dialogues: Sequence[TrackedDialogue]) -> list[Remark]:
    """Return the remark on predictions of one domain beside gold states of several."""
    predicted: set[str] = set()
    gold: set[str] = set()
    for dialogue in dialogues:
        predicted |= _domains_with_values(dialogue.predicted)
        gold |= _domains_with_values(dialogue.gold)
    others = sorted(gold - predicted)
    if len(predicted) != 1 or not others:
        return []
    (domain,) = predicted
    missed = f"only {domain} is predicted, and the slots of {', '.join(others)} count as missed"
    remedy = f"--leave-out {domain} scores {domain} alone"
    return [Remark("domains", f"{missed}; {remedy}")]


def _domains_with_values(states: Iterable[BeliefState]) -> set[str]:
    """Return the domains of which states have more than absent slots."""
    domains: set[str] = set()
    for state in states:
        domains |= without_empty_domains(without_absent_slots(state)).keys()
    return domains
