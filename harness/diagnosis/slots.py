"""What a tracker gets wrong: slots, values, and the first error of each dialogue.

Of a turn whose state is not exact, every slot that differs from gold is `missed`, `invented` or
`wrong`. A lost turn costs each of its slots an equal share of itself, so that the points of all
slots add up to what joint goal accuracy lacks of 100. An error stays in the state: what the first
one of a dialogue drags along are the lost turns after it in which it is still there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any, TypeAlias

from mwz.normalization import is_dontcare

from ..benchmark import Benchmark
from ..errors import counted, cut
from ..glossary import term_of
from ..io import Cell, figure, text_table
from ..metrics import DialogueStates, StatePair, percent, slot_name
from .causes import goal_text, wrapped

SLOT_ERRORS = ("missed", "invented", "wrong")
"""What can be the matter with a slot of a predicted state."""

_ROWS = 8
"""How many values, confusions and first errors are shown."""
_LARGEST = 3
"""Of how many first errors dialogues are shown."""
_FIRST = 3
"""How many dialogues of each."""
_VALUE = 28
"""Characters of a value in a table."""


@dataclass(frozen=True)
class SlotError:
    """A slot of a turn that differs from gold.

    Attributes:
        slot: `domain-slot`.
        gold: Its gold value; None if it is invented.
        predicted: Its predicted value; None if it is missed.
    """

    slot: str
    gold: str | None
    predicted: str | None

    @property
    def kind(self) -> str:
        """Which of `SLOT_ERRORS` it is."""
        if self.predicted is None:
            return "missed"
        return "invented" if self.gold is None else "wrong"

    @property
    def domain(self) -> str:
        """The domain of the slot."""
        return self.slot.partition("-")[0]

    def __str__(self) -> str:
        values = f"gold {self.gold or 'nothing'}, predicted {self.predicted or 'nothing'}"
        return f"{self.slot} {self.kind}: {values}"


TurnErrors: TypeAlias = Sequence[SlotError]
"""What differs from gold in a turn; empty if its state is exact."""


def turn_errors(turn: StatePair) -> TurnErrors:
    """Return which slots of a turn differ from gold, those of the gold state first."""
    errors = []
    for slot in dict.fromkeys((*turn.gold, *turn.predicted)):
        gold, predicted = turn.gold.get(slot), turn.predicted.get(slot)
        if gold != predicted:
            errors.append(SlotError(slot_name(slot), gold, predicted))
    return errors


@dataclass(frozen=True)
class FirstErrors:
    """The first turn of a dialogue that is not exact, and what comes after it.

    Attributes:
        turn: Its number.
        errors: Its errors.
        later: The slots that differ from gold in each later turn that is not exact.
    """

    turn: int
    errors: TurnErrors
    later: list[set[str]] = field(default_factory=list)

    @property
    def alone(self) -> list[set[str]]:
        """Those later turns in which nothing differs but what differs in the first one."""
        slots = {error.slot for error in self.errors}
        return [later for later in self.later if later <= slots]


@dataclass(frozen=True)
class TrackedDiagnosis:
    """Where a tracker loses joint goal accuracy.

    Attributes:
        about: What was compared with which gold states, in a line.
        states: Dialogue id -> its states as the metrics take them.
        errors: Dialogue id -> the errors of each turn.
        benchmark: The benchmark of the dialogues, if it is known.
    """

    about: str
    states: Mapping[str, DialogueStates]
    errors: Mapping[str, Sequence[TurnErrors]]
    benchmark: Benchmark | None = None

    @property
    def lost(self) -> Iterator[tuple[str, int, TurnErrors]]:
        """Each turn that is not exact: dialogue id, number of the turn, and its errors."""
        for id_, turns in self.errors.items():
            for number, errors in enumerate(turns):
                if errors:
                    yield id_, number, errors

    @property
    def first(self) -> dict[str, FirstErrors]:
        """Dialogue id -> its first turn that is not exact, of dialogues that have one."""
        first: dict[str, FirstErrors] = {}
        for id_, number, errors in self.lost:
            if id_ in first:
                first[id_].later.append({error.slot for error in errors})
            else:
                first[id_] = FirstErrors(number, errors)
        return first


def diagnose_states(
    states: Mapping[str, DialogueStates], about: str, benchmark: Benchmark | None
) -> TrackedDiagnosis:
    """Compare the states of dialogues with gold, slot by slot."""
    errors = {}
    for id_, turns in states.items():
        errors[id_] = list(map(turn_errors, turns))
    return TrackedDiagnosis(about, states, errors, benchmark)


@dataclass
class SlotLosses:
    """What a slot costs.

    Attributes:
        turns: Of `SLOT_ERRORS` -> in how many turns it is that.
        alone: How many turns are lost by this slot alone.
        share: Its share of the lost turns, each of which is shared by the slots that lose it.
    """

    turns: Counter[str]
    alone: int = 0
    share: Fraction = Fraction()


def slot_losses(diagnosis: TrackedDiagnosis) -> dict[str, SlotLosses]:
    """Return slot -> what it costs, the most expensive first."""
    losses: dict[str, SlotLosses] = {}
    for _, _, errors in diagnosis.lost:
        for error in errors:
            loss = losses.setdefault(error.slot, SlotLosses(Counter()))
            loss.turns[error.kind] += 1
            loss.alone += len(errors) == 1
            loss.share += Fraction(1, len(errors))
    return dict(sorted(losses.items(), key=lambda item: -item[1].share))


def confusions(diagnosis: TrackedDiagnosis) -> list[tuple[str, str, Counter[str]]]:
    """Return slots, the slot that has their value instead, and value -> number of dialogues.

    The most frequent come first. `dontcare` is no value that another slot got by mistake.
    """
    seen: set[tuple[str, str, str, str]] = set()
    for id_, _, errors in diagnosis.lost:
        for error in errors:
            if error.gold is None or is_dontcare(error.gold):
                continue
            for other in errors:
                if other is not error and other.predicted == error.gold:
                    seen.add((id_, error.slot, other.slot, error.gold))
    values: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for _, slot, instead, value in sorted(seen):
        values[slot, instead][value] += 1
    confused = [(*slots, counts) for slots, counts in values.items()]
    return sorted(confused, key=lambda confusion: -confusion[2].total())


@dataclass
class Dragged:
    """What a first error drags along.

    Attributes:
        dialogues: How many dialogues begin with it; of a turn with several errors, each counts.
        later: The later turns that are lost with it.
        alone: Those of them that are lost by the slots of the first turn alone.
    """

    dialogues: int = 0
    later: int = 0
    alone: int = 0


def dragged_along(diagnosis: TrackedDiagnosis) -> dict[tuple[str, str], Dragged]:
    """Return slot and kind of first errors -> what they drag along, the most frequent first."""
    dragged: dict[tuple[str, str], Dragged] = {}
    for first in diagnosis.first.values():
        for error in first.errors:
            counts = dragged.setdefault((error.slot, error.kind), Dragged())
            counts.dialogues += 1
            counts.later += sum(error.slot in slots for slots in first.later)
            counts.alone += sum(error.slot in slots for slots in first.alone)
    return dict(sorted(dragged.items(), key=lambda item: -item[1].dialogues))


def tracked_text(diagnosis: TrackedDiagnosis, domain: str | None, cause: str | None) -> str:
    """Return what a tracker loses: by slot, value, confusion and first error.

    Args:
        diagnosis: The diagnosis.
        domain: The only domain to show; None for all.
        cause: The only one of `SLOT_ERRORS` to show, with all dialogues that begin with it.
    """
    turns = sum(map(len, diagnosis.errors.values()))
    lost = list(diagnosis.lost)

    def is_shown(slot: str, kind: str) -> bool:
        return domain in (None, slot.partition("-")[0]) and cause in (None, kind)

    jga = figure(float(percent(turns - len(lost), turns)), 2)
    dialogues = counted(len(diagnosis.errors), "dialogue")
    paragraphs = [
        f"JGA {jga}, over {turns} turns of {dialogues}: {counted(len(lost), 'turn')} lost\n"
        f"{wrapped('', diagnosis.about)}"
    ]
    rows: list[list[Cell]] = []
    for slot, loss in slot_losses(diagnosis).items():
        if any(is_shown(slot, kind) for kind in loss.turns):
            kinds = [loss.turns[kind] for kind in SLOT_ERRORS]
            share = figure(float(percent(loss.alone, len(lost))), 1)
            points = figure(float(percent(loss.share, turns)), 2)
            rows.append([slot, *kinds, loss.alone, f"{share} %", points])
    if not rows:
        return f"{paragraphs[0]}\n\nno slot of what is chosen is wrong"
    paragraphs.append(
        text_table(["turns with the slot", *SLOT_ERRORS, "it alone", "of lost", "points"], rows)
    )
    meanings = [f"{kind}: {term_of('causes', kind).meaning}" for kind in SLOT_ERRORS]
    meanings.append(
        "it alone: turns that no other slot loses; points: percent of the turns, of JGA; slots "
        "that lose a turn together share it"
    )
    paragraphs.append("\n".join(wrapped("", meaning, indent=2) for meaning in meanings))
    paragraphs += _values_instead(diagnosis, is_shown)
    paragraphs += _first_errors(diagnosis, is_shown, is_whole=cause is not None)
    return "\n\n".join(paragraphs)


def _values_instead(
    diagnosis: TrackedDiagnosis, is_shown: Callable[[str, str], bool]
) -> Iterator[str]:
    """Yield which values stand where gold has others, and which stand in other slots."""
    values: Counter[SlotError] = Counter()
    for errors_by_turn in diagnosis.errors.values():
        # A value that stays wrong counts once in a dialogue.
        values.update(set(chain.from_iterable(errors_by_turn)))
    rows: list[list[Cell]] = []
    for error, count in values.most_common():
        if is_shown(error.slot, error.kind) and len(rows) < _ROWS:
            texts = [
                cut(value, _VALUE) if value else "–" for value in (error.gold, error.predicted)
            ]
            rows.append([error.slot, *texts, count])
    yield text_table(["what instead", "gold", "predicted", "dialogues"], rows)
    rows = []
    for slot, other, counts in confusions(diagnosis):
        is_chosen = is_shown(slot, "missed") or is_shown(other, "invented")
        if is_chosen and len(rows) < _ROWS:
            value, _ = counts.most_common(1)[0]
            rows.append([slot, other, cut(value, _VALUE), counts.total()])
    if rows:
        headers = ["the value of", "is given to", "most often", "dialogues"]
        yield text_table(headers, rows)


def _first_errors(
    diagnosis: TrackedDiagnosis, is_shown: Callable[[str, str], bool], is_whole: bool
) -> Iterator[str]:
    """Yield what first errors drag along, and the first dialogues of the most frequent, or all."""
    dragged = dragged_along(diagnosis)
    rows: list[list[Cell]] = []
    for (slot, kind), counts in dragged.items():
        if is_shown(slot, kind) and len(rows) < _ROWS:
            rows.append([f"{slot} {kind}", counts.dialogues, counts.later, counts.alone])
    if not rows:
        return
    headers = ["first error of a dialogue", "dialogues", "later turns with it", "lost by it alone"]
    yield text_table(headers, rows)
    first_errors = diagnosis.first
    later = sum(len(first.later) for first in first_errors.values())
    alone = sum(len(first.alone) for first in first_errors.values())
    yield wrapped(
        "",
        f"{len(first_errors)} of {counted(len(diagnosis.errors), 'dialogue')} with an error; turns "
        f"lost after the first: {later}, of them {alone} by its slots alone",
    )
    chosen = [key for key in dragged if is_shown(*key)]
    for key in chosen[: None if is_whole else _LARGEST]:
        lines = []
        for id_, first in first_errors.items():
            for error in first.errors:
                if (error.slot, error.kind) == key:
                    lines.append(wrapped("  ", f"{id_}, turn {first.turn}: {error}"))
        part = "all" if is_whole else "first of"
        shown = lines if is_whole else lines[:_FIRST]
        yield "\n".join([f"begin with {' '.join(key)}, {part} {len(lines)}", *shown])


def pages_of_states(diagnoses: Mapping[str, TrackedDiagnosis]) -> dict[str, Any]:
    """Return what pages show of trackers, as `pages_of` of the board's views takes it.

    Args:
        diagnoses: The name of each tracker -> its diagnosis; at least one.
    """
    verdicts = []
    goals: dict[str, list[str]] = {}
    for name, diagnosis in diagnoses.items():
        outcomes: dict[str, tuple[int, list[tuple[str, str]] | None]] = {}
        first = diagnosis.first
        for id_, turns in diagnosis.states.items():
            errors = first[id_].errors if id_ in first else ()
            lost = dict.fromkeys((error.domain, error.kind) for error in errors)
            outcomes[id_] = len(turns), list(lost) or None
            if id_ not in goals:
                # The domains of the goal come first.
                goals[id_] = []
                if diagnosis.benchmark is not None:
                    goals[id_] = list(diagnosis.benchmark.dialogues[id_].goal)
            for turn in turns:
                goals[id_] += [domain for domain, _ in (*turn.gold, *turn.predicted)]
        verdicts.append((name, outcomes))

    def content(id_: str) -> dict[str, Any]:
        shown = {
            name: diagnosis for name, diagnosis in diagnoses.items() if id_ in diagnosis.states
        }
        first_shown = next(iter(shown.values()))
        turns = first_shown.states[id_]
        golds = [StatePair(turn.gold, turn.gold) for turn in turns]
        columns = [_page_column("Gold", golds, goals[id_])]
        for name, diagnosis in shown.items():
            columns.append(_page_column(name, diagnosis.states[id_], goals[id_]))
        users = [""] * len(turns)
        goal = dict.fromkeys(goals[id_], "")
        if first_shown.benchmark is not None:
            dialogue = first_shown.benchmark.dialogues[id_]
            users = list(dialogue.users) or users
            goal |= {domain: goal_text(wanted) for domain, wanted in dialogue.goal.items()}
        return {
            "goal": {domain: text or "not in the goal" for domain, text in goal.items()},
            "users": users,
            "systems": columns,
            "words": lambda domain, error: error["words"],
        }

    goals = {id_: list(dict.fromkeys(domains)) for id_, domains in goals.items()}
    return {"goals": goals, "systems": verdicts, "content": content, "causes": SLOT_ERRORS}


def _page_column(name: str, states: DialogueStates, domains: Sequence[str]) -> dict[str, Any]:
    """Return what a page shows of a dialogue's states: what changes, and what errors are new."""
    first: dict[str, dict[str, Any]] = {}
    turns = []
    before = StatePair({}, {})
    known: TurnErrors = ()
    for number, turn in enumerate(states):
        errors = turn_errors(turn)
        new = [error for error in errors if error not in known]
        known = errors
        for error in new:
            words = {"words": f"turn {number}: {error}"}
            first.setdefault(error.domain, {"cause": error.kind, "turn": number, **words})
        changes = []
        for slot in dict.fromkeys((*before.predicted, *turn.predicted)):
            old, value = before.predicted.get(slot), turn.predicted.get(slot)
            if old != value:
                changes.append(f"{slot_name(slot)} {value or '(dropped)'}")
        before = turn
        verdict = "right" if not errors else f"{counted(len(errors), 'slot')} not as gold"
        steps = [(error.domain, str(error)) for error in new]
        turns.append({"response": verdict, "steps": steps, "changes": changes})
    outcome = {}
    for domain in domains:
        nothing = {"cause": "", "turn": None, "words": ""}
        outcome[domain] = {**first.get(domain, nothing), "slot_causes": {}}
    exact = sum(turn.gold == turn.predicted for turn in states)
    return {
        "name": name,
        "outcome": {"success": exact == len(states), "domains": outcome},
        "turns": turns,
        "verdict": f"{exact} of {counted(len(states), 'turn')} right",
        "predicted": True,
    }
