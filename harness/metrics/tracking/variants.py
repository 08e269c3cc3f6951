"""Variants of joint accuracy that papers report under one name, each by a name of its own.

- Per domain, joint accuracy is averaged over the turns whose gold state has the domain, over those
  in which it is active, or over all turns of the dialogues that have it in their goal. In one
  system's case the mean over domains differs by twelve points.
- Some leave out `dontcare`, on both sides.
- A predicted value `none` is no value, as in the authors' code of most metrics, or a value like any
  other, as in the public response evaluator's states.

Recall only is a metric of its own (`metrics/tracking/joint_recall.py`), and so is the response
evaluator's fuzzy joint accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...benchmark import Benchmark
from ...errors import InputError
from ...submission.checking import dialogue_id
from .dialogue_states import DialogueStates, State, StatePair, flat_state, of_domain, without_absent
from .pairing import TrackedDialogue

DONTCARE = frozenset({"dontcare", "dont care", "don't care", "do n't care", "do not care"})
"""The spellings of the value that says that the user does not mind."""

DONTCARE_CHOICES = ("keep", "drop")
NONE_CHOICES = ("absent", "value")


@dataclass(frozen=True)
class Variants:
    """Which variant of joint accuracy is meant.

    Attributes:
        per_domain_over: Which turns scores per domain average over, of `PER_DOMAIN_OVER`.
        dontcare: "keep", or "drop": slots with the value `dontcare` are left out on both sides.
        none: "absent": a slot with the value `none` is no slot (GCA: it is dropped); or "value".
    """

    per_domain_over: str = "gold-slots"
    dontcare: str = "keep"
    none: str = "absent"

    def parameters(self) -> dict[str, str]:
        """Return the variants as signatures name them."""
        return {"per-domain": self.per_domain_over, "dontcare": self.dontcare, "none": self.none}


PLAIN = Variants()
"""What is meant where nothing is said."""


def dialogue_states(dialogue: TrackedDialogue, variants: Variants) -> DialogueStates:
    """Return a dialogue's states as the metrics take them."""
    pairs = [
        StatePair(flat_state(turn.gold), flat_state(turn.predicted)) for turn in dialogue.turns
    ]
    if variants.dontcare == "drop":
        pairs = [
            StatePair(_without_dontcare(p.gold), _without_dontcare(p.predicted)) for p in pairs
        ]
    return DialogueStates(
        numbers=[turn.number for turn in dialogue.turns],
        pairs=pairs,
        turns=pairs if variants.none == "value" else [without_absent(pair) for pair in pairs],
    )


def turns_by_domain(
    dialogues: Sequence[TrackedDialogue], states: Sequence[DialogueStates], variants: Variants
) -> dict[str, list[StatePair]]:
    """Return domain -> its part of the turns that scores of the domain average over.

    Args:
        dialogues: The dialogues.
        states: Their states, as `dialogue_states`.
        variants: Says which turns.

    Raises:
        InputError: Whether a domain is active, or in the goal, is not known of a dialogue.
    """
    belongs = PER_DOMAIN_OVER[variants.per_domain_over]
    # No system is asked for states of the other domains.
    domains = sorted({slot[0] for d in states for turn in d.turns for slot in turn.gold})
    parts: dict[str, list[StatePair]] = {domain: [] for domain in domains}
    for dialogue, of_dialogue in zip(dialogues, states, strict=True):
        for at, turn in enumerate(of_dialogue.turns):
            for domain in belongs(dialogue, at, turn):
                if domain in parts:
                    parts[domain].append(of_domain(turn, domain))
    return {domain: turns for domain, turns in parts.items() if turns}


def annotated(
    dialogues: Sequence[TrackedDialogue], benchmark: Benchmark, source: str
) -> list[TrackedDialogue]:
    """Return dialogues with the active domains and the goals that a benchmark gives them.

    Args:
        dialogues: The dialogues of a file with gold states of its own.
        benchmark: The benchmark that has these dialogues and turns.
        source: The file, for the error message.

    Raises:
        InputError: It lacks one of them.
    """
    if not any(dialogue_id(dialogue.id) in benchmark.dialogues for dialogue in dialogues):
        raise InputError(
            source,
            f"none of its dialogues is in the benchmark {benchmark.name}, so that active domains "
            "and goals are not known; take `gold-slots`, or name another by --benchmark",
        )
    problems = []
    found = []
    for dialogue in dialogues:
        known = benchmark.dialogues.get(dialogue_id(dialogue.id))
        last = dialogue.turns[-1].number
        if known is None:
            problems.append(f"dialogue {dialogue.id}: not in the benchmark {benchmark.name}")
        elif last >= known.turns:
            problems.append(
                f"dialogue {dialogue.id}: turn {last} is not in the benchmark {benchmark.name}"
            )
        else:
            turns = [
                replace(turn, active_domains=known.active_domains[turn.number])
                for turn in dialogue.turns
            ]
            goal = frozenset(known.goal)
            found.append(replace(dialogue, turns=turns, goal_domains=goal))
    if problems:
        reason = ", so that its active domains and goal are not known"
        raise InputError(source, [problem + reason for problem in problems])
    return found


def _with_gold_slots(_: TrackedDialogue, __: int, turn: StatePair) -> Iterable[str]:
    return {domain for domain, _ in turn.gold}


def _active(dialogue: TrackedDialogue, at: int, _: StatePair) -> Iterable[str]:
    active = dialogue.turns[at].active_domains
    if active is None:
        raise _unknown(dialogue, "active domains are")
    return active


def _in_goal(dialogue: TrackedDialogue, _: int, __: StatePair) -> Iterable[str]:
    if dialogue.goal_domains is None:
        raise _unknown(dialogue, "goal is")
    return dialogue.goal_domains


# Name -> the domains that a turn counts for, of a dialogue, the turn's place and its states.
PER_DOMAIN_OVER: Mapping[str, Callable[[TrackedDialogue, int, StatePair], Iterable[str]]] = {
    "gold-slots": _with_gold_slots,
    "active": _active,
    "dialogues": _in_goal,
}


def _unknown(dialogue: TrackedDialogue, what: str) -> InputError:
    return InputError(
        f"dialogue {dialogue.id}",
        f"its {what} not known, which scores per domain are to average over; "
        "take `gold-slots`, or dialogues of a benchmark",
    )


def _without_dontcare(state: State) -> State:
    return {slot: value for slot, value in state.items() if value not in DONTCARE}
