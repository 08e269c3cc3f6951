"""What came of live dialogues: grounded scores, bookings, and pass^k over repeated trials.

A booking is right if it is the only one of its domain, its slots are the goal's, and its venue
meets the goal's constraints; a taxi's slots are the goal's constraints. A dialogue is solved if it
has grounded Success and every booking of the goal is right.

pass^k is the probability that k trials of a task are all solved: C(c, k) / C(n, k) of c solved in
n trials, averaged over tasks. Source: Yao et al. (2024), tau-bench, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import comb
from typing import Any

from ..comparison.interval import INTERVAL_SAMPLES, SEED, Interval
from ..data.tasks import Task
from ..grounding.rating import RatedDialogue
from .tools import Booking, Tools


@dataclass(frozen=True)
class Cost:
    """What a language model's part in dialogues cost.

    Attributes:
        calls: Requests that were answered.
        prompt_tokens: Tokens read.
        completion_tokens: Tokens written.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True)
class Outcome:
    """What came of a dialogue.

    Attributes:
        inform: Grounded Inform ("any").
        success: Grounded Success ("any").
        booked: Domain that the goal books -> slot -> whether it was booked so; `venue` stands for
            the venue, and `once` for a booking that is the only one.
        unasked: Bookings of domains that the goal does not book.
        told: What the responses tell of venues: counts, as in `Faithfulness`.
        turns: The number of turns.
        calls: The number of calls of tools.
        failed_calls: How many of them were wrong.
        error: What went wrong, if the dialogue was broken off.
    """

    inform: bool
    success: bool
    booked: Mapping[str, Mapping[str, bool]]
    unasked: int
    told: Mapping[str, int]
    turns: int
    calls: int
    failed_calls: int
    error: str | None = None

    @property
    def books(self) -> bool:
        """Whether every booking of the goal is right."""
        return all(all(slots.values()) for slots in self.booked.values())

    @property
    def solved(self) -> bool:
        """Whether the dialogue has grounded Success and its bookings are right."""
        return self.success and self.books and self.error is None

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON types."""
        return {**asdict(self), "books": self.books, "solved": self.solved}


def booked_slots(
    task: Task, bookings: Sequence[Booking], tools: Tools
) -> tuple[dict[str, dict[str, bool]], int]:
    """Hold what was booked against a task's goal.

    Returns:
        Domain -> slot -> whether it is booked as the goal has it, and the number of bookings of
        domains that it does not book.
    """
    wanted = {d: one.info if d == "taxi" else one.book for d, one in task.domains.items()}
    compared = {}
    for domain, slots in wanted.items():
        made = [one for one in bookings if one.domain == domain]
        if not slots:
            continue
        last = made[-1] if made else Booking(domain, {})
        right = {s: s in last.slots and tools.same(s, last.slots[s], v) for s, v in slots.items()}
        right["once"] = len(made) == 1
        if domain != "taxi":
            right["venue"] = last.venue in tools.matching(domain, task.domains[domain].info)
        compared[domain] = right
    return compared, sum(one.domain not in compared for one in bookings)


def outcome_of(
    task: Task,
    rated: RatedDialogue,
    bookings: Sequence[Booking],
    tools: Tools,
    turns: int,
    calls: Sequence[bool],
    error: str | None,
) -> Outcome:
    """Return what came of a dialogue.

    Args:
        task: The task.
        rated: The responses held against the goal and the venues.
        bookings: What was booked, in order.
        tools: What compares bookings.
        turns: The number of turns.
        calls: Of each call of a tool, whether it was wrong.
        error: What went wrong, if the dialogue was broken off.
    """
    booked, unasked = booked_slots(task, bookings, tools)
    return Outcome(
        inform=rated.grounded.inform,
        success=rated.grounded.success,
        booked=booked,
        unasked=unasked,
        told=asdict(rated.faithfulness),
        turns=turns,
        calls=len(calls),
        failed_calls=sum(calls),
        error=error,
    )


def pass_hat(solved: Sequence[int], trials: int, k: int) -> float:
    """Return pass^k in percent: the mean of C(c, k) / C(n, k) over tasks.

    Args:
        solved: The number of solved trials of each task, at least one task.
        trials: n, the trials of each task.
        k: At least 1 and at most n.
    """
    return 100 * sum(comb(c, k) for c in solved) / (comb(trials, k) * len(solved))


def pass_interval(solved: Sequence[int], trials: int, k: int, seed: int = SEED) -> Interval:
    """Return pass^k in percent with its interval: percentiles over resampled tasks.

    Args:
        solved: The number of solved trials of each task.
        trials: The trials of each task.
        k: At most the number of trials.
        seed: The seed of the samples.
    """
    import numpy as np

    from ..comparison.resampling import bootstrap_samples, interval_ends

    each = np.array([comb(c, k) for c in solved]) * (100 / comb(trials, k) / len(solved))
    blocks = bootstrap_samples(len(each), INTERVAL_SAMPLES, seed)
    low, high = interval_ends(np.concatenate([block.by_sample @ each for block in blocks]))
    return Interval(pass_hat(solved, trials, k), low, high, "bootstrap")


@dataclass
class Tally:
    """What came of the dialogues played so far.

    Attributes:
        outcomes: Dialogue id -> outcomes of its trials, as JSON types (`Outcome.to_dict`).
        costs: Who talks -> what it cost.
    """

    outcomes: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    costs: dict[str, Cost] = field(default_factory=dict)

    def add(self, id_: str, outcome: Mapping[str, Any], costs: Mapping[str, Any]) -> None:
        """Add a dialogue: its outcome, and who talks -> what it cost, both as JSON types."""
        self.outcomes.setdefault(id_, []).append(outcome)
        for who, cost in costs.items():
            self.costs[who] = self.costs.get(who, Cost()) + Cost(**cost)

    @property
    def dialogues(self) -> list[Mapping[str, Any]]:
        """The outcomes of all dialogues."""
        return [one for trials in self.outcomes.values() for one in trials]

    def rate(self, name: str) -> float:
        """Return the share of dialogues, in percent, with an outcome such as `solved`."""
        return 100 * sum(one[name] for one in self.dialogues) / max(1, len(self.dialogues))

    def summary(self, trials: int) -> dict[str, Any]:
        """Return all figures as JSON types.

        Args:
            trials: The trials of each task. Tasks with fewer, of a play that was broken off, do
                not count in pass^k.
        """
        every = self.dialogues
        whole = [one for one in self.outcomes.values() if len(one) == trials]
        solved = [sum(outcome["solved"] for outcome in one) for one in whole]
        booking = [one for one in every if one["booked"]]
        told = {key: sum(one["told"][key] for one in every) for key in ("told", *_SHARES)}
        return {
            "tasks": len(self.outcomes),
            "trials": trials,
            "inform": self.rate("inform"),
            "success": self.rate("success"),
            "books": 100 * sum(one["books"] for one in booking) / max(1, len(booking)),
            "solved": self.rate("solved"),
            "pass": {
                str(k): {**asdict(pass_interval(solved, trials, k))}
                for k in range(1, trials + 1 if solved else 1)
            },
            "faithfulness": {
                "told": told["told"],
                **{s: 100 * told[s] / told["told"] if told["told"] else None for s in _SHARES},
            },
            "turns": sum(one["turns"] for one in every) / max(1, len(every)),
            "calls": sum(one["calls"] for one in every) / max(1, len(every)),
            "failed_calls": sum(one["failed_calls"] for one in every),
            "unasked_bookings": sum(one["unasked"] for one in every),
            "errors": sum(one["error"] is not None for one in every),
            "costs": {who: asdict(cost) for who, cost in self.costs.items()},
        }


_SHARES = ("in_database", "of_named_venue")
