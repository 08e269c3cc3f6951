"""What came of live dialogues: grounded scores, bookings, and pass^k over repeated trials.

A booking is right if it is the only one of its domain, its slots are the goal's, and its venue
meets the goal's constraints; a taxi's slots are the goal's constraints, and where the goal does not
say from where to where, it goes from one venue of the goal to another. A dialogue is solved if all
that the goal requests is told of venues that fit, no others being named, and every booking of the
goal is right.

pass^k is the probability that k trials of a task are all solved (`comparison/trials.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..comparison.interval import Interval
from ..comparison.trials import pass_interval
from ..data.tasks import Task
from ..errors import counted
from ..io.rendering import figure, text_table
from .tools import NAMED, ROUTE, Booking, Tools


@dataclass(frozen=True)
class Outcome:
    """What came of a dialogue.

    Attributes:
        inform: Grounded Inform ("any").
        success: Grounded Success ("any").
        requested: Grounded Success over all that the goal requests, by all venues named.
        booked: Domain that the goal books -> slot -> whether it was booked so; `venue` stands for
            the venue, `route` for where a taxi goes, and `once` for the only booking.
        unasked: Bookings of domains that the goal does not book.
        told: What the responses tell of venues: counts, as in `Faithfulness`.
        turns: The number of turns.
        calls: The number of calls of tools.
        failed_calls: How many of them were wrong.
        error: What went wrong, if the dialogue was broken off.
    """

    inform: bool
    success: bool
    requested: bool
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
        """Whether all that is requested is told and the bookings are right."""
        return self.requested and self.books and self.error is None

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
        elif not {*ROUTE} & slots.keys():
            # From one venue of the goal to another.
            begins, ends = (_at_venues_of(last.slots.get(slot, ""), task, tools) for slot in ROUTE)
            right["route"] = any(one != other for one in begins for other in ends)
        compared[domain] = right
    return compared, sum(one.domain not in compared for one in bookings)


def _at_venues_of(place: str, task: Task, tools: Tools) -> set[str]:
    """Return the domains of the goal of which a place is a venue that fits."""
    wanted = {domain: one.info for domain, one in task.domains.items() if domain in NAMED}
    return {d for d, i in wanted.items() if {*tools.named(d, place)} & {*tools.matching(d, i)}}


_RATES = ("inform", "success", "requested", "solved")
_SHARES = ("in_database", "of_named_venue")


def summary(lines: Sequence[Mapping[str, Any]], trials: int) -> dict[str, Any]:
    """Return the figures of dialogues as JSON types; rates are in percent, None of nothing.

    Args:
        lines: The dialogues, as files have them (`playing.py`).
        trials: The trials of each task. Tasks with fewer, of a play that was broken off, do not
            count in pass^k.
    """
    every = [line["outcome"] for line in lines]
    solved: dict[str, list[bool]] = {}
    costs: dict[str, Counter[str]] = {}
    told: Counter[str] = Counter()
    for line in lines:
        solved.setdefault(line["dialogue_id"], []).append(line["outcome"]["solved"])
        told.update(line["outcome"]["told"])
        for who, cost in line["costs"].items():
            costs.setdefault(who, Counter()).update(cost)
    booking = [one["books"] for one in every if one["booked"]]
    whole = [sum(one) for one in solved.values() if len(one) == trials]
    ks = range(1, trials + 1) if whole else ()

    def mean(values: Sequence[float]) -> float:
        return sum(values) / max(1, len(values))

    return {
        "tasks": len(solved),
        "trials": trials,
        **{name: 100 * mean([one[name] for one in every]) for name in _RATES},
        "books": 100 * mean(booking) if booking else None,
        "pass": {str(k): asdict(pass_interval(whole, trials, k)) for k in ks},
        "told": told["told"],
        **{name: 100 * told[name] / told["told"] if told["told"] else None for name in _SHARES},
        **{name: mean([one[name] for one in every]) for name in ("turns", "calls")},
        **{name: sum(one[name] for one in every) for name in ("failed_calls", "unasked")},
        "errors": sum(one["error"] is not None for one in every),
        "costs": {who: dict(cost) for who, cost in costs.items()},
    }


_SHOWN: Mapping[str, str] = {
    "inform": "Inform",
    "success": "Success",
    "requested": "Success, all requested",
    "books": "Books",
    "solved": "Solved",
    "in_database": "Details told that the database has",
    "of_named_venue": "Details told of a venue named before",
    "turns": "Turns",
    "calls": "Calls",
    "failed_calls": "Calls answered by an error (total)",
    "unasked": "Bookings nobody asked for (total)",
    "errors": "Broken off (total)",
}


def figures_text(figures: Mapping[str, Any], source: str) -> str:
    """Return the figures of a play for people, and what messages call its file."""
    shown = {title: figures[name] for name, title in _SHOWN.items()}
    for who, cost in figures["costs"].items():
        shown |= {f"Cost of the {who}: {kind.replace('_', ' ')}": n for kind, n in cost.items()}
    rows = [[k, f"{n:,}" if isinstance(n, int) else figure(n)] for k, n in shown.items()]
    rows += [[f"pass^{k}", Interval(**one).text(1)] for k, one in figures["pass"].items()]
    played = f"{counted(figures['tasks'], 'task')}, {counted(figures['trials'], 'trial')}"
    title = f"{figures['agent']} with {figures['user']}: {played}"
    return f"{title}\n{text_table(['', ''], rows)}\n\n{source}\n{figures['signature']}"
