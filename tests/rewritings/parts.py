"""What rewritings are made of: what changes turns, states, slots, values and responses.

Each function returns a rewriting, which leaves what it is given as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias

Turn: TypeAlias = "dict[str, Any]"
Outputs: TypeAlias = "Mapping[str, Sequence[Turn]]"
"""Dialogue id -> turns, each with `response`, `state` (domain -> slot -> value) and perhaps
`active_domains`."""

State: TypeAlias = "Mapping[str, Mapping[str, Any]]"
Rewrite: TypeAlias = "Callable[[Outputs, Outputs], Any]"
"""Given predictions and gold, both in the standard form, returns what a file holds."""

PUBLISHED_ANY = ("dontcare", "don't care", "do n't care")
"""How published systems write that any value is right."""

INFORM, SUCCESS, BLEU, JGA = "inform", "success", "bleu", "jga"


@dataclass(frozen=True)
class Kind:
    """A kind of rewriting.

    Attributes:
        name: What is done.
        rewrite: Does it.
        documented: Whether the documentation says that the result is read like the standard form.
    """

    name: str
    rewrite: Rewrite
    documented: bool = False


@dataclass(frozen=True)
class Family:
    """Kinds that rewrite the same part of predictions.

    Attributes:
        kinds: The kinds.
        figures: The figures that they can change.
        original: Given predictions and gold, returns what is rewritten, and compared with: the
            predictions with what these kinds need.
    """

    kinds: Sequence[Kind]
    figures: Collection[str]
    original: Callable[[Outputs, Outputs], Outputs]


def documented(name: str, rewrite: Rewrite) -> Kind:
    """Return a kind that the documentation says is read like the standard form."""
    return Kind(name, rewrite, documented=True)


# Parts of predictions.


def turns(change: Callable[[Turn], Turn]) -> Rewrite:
    """Return what changes every turn by itself."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        return {id_: [change(turn) for turn in dialogue] for id_, dialogue in predictions.items()}

    return rewrite


def dialogues(change: Callable[[list[Turn]], list[Any]]) -> Rewrite:
    """Return what changes every dialogue by itself."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        return {id_: change([*dialogue]) for id_, dialogue in predictions.items()}

    return rewrite


def states(change: Callable[[State], Any]) -> Rewrite:
    """Return what changes every state by itself."""
    return turns(lambda turn: {**turn, "state": change(turn["state"])})


def responses(change: Callable[[str], Any]) -> Rewrite:
    """Return what changes every response by itself."""
    return turns(lambda turn: {**turn, "response": change(turn["response"])})


def some_responses(every: int, change: Callable[[str], str]) -> Rewrite:
    """Return what changes the response of every so many turns of the file."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        numbers = count()

        def changed(turn: Turn) -> Turn:
            is_next = next(numbers) % every == 0
            return {**turn, "response": change(turn["response"])} if is_next else turn

        return turns(changed)(predictions, gold)

    return rewrite


def slots(change: Callable[[str, str, Any], tuple[str, str, Any] | None]) -> Rewrite:
    """Return what changes every slot of a state: domain, name and value; None leaves it out."""

    def changed(state: State) -> State:
        result: dict[str, dict[str, Any]] = {}
        for domain, of_domain in state.items():
            for slot, value in of_domain.items():
                renamed = change(domain, slot, value)
                if renamed is not None:
                    result.setdefault(renamed[0], {})[renamed[1]] = renamed[2]
        return result

    return states(changed)


def values(change: Callable[[str], Any], *names: str) -> Rewrite:
    """Return what changes the values of some slots, of all where none is named.

    Slots of bookings are named without `book`. Values that mean any value stay.
    """

    def changed(domain: str, slot: str, value: Any) -> tuple[str, str, Any]:
        concerned = not names or slot.removeprefix("book") in names
        keep = not concerned or value in PUBLISHED_ANY
        return domain, slot, value if keep else change(value)

    return slots(changed)


def words(changes: Mapping[str, Any], *names: str) -> Rewrite:
    """Return what writes some values of some slots otherwise."""
    return values(lambda value: changes.get(value, value), *names)


def renamed_slots(**names: str) -> Rewrite:
    """Return what calls slots otherwise, `book` before the name or not."""
    return slots(lambda domain, slot, value: (domain, names.get(slot, slot), value))


def renamed_domains(change: Callable[[str], str]) -> Rewrite:
    """Return what calls domains otherwise."""
    return slots(lambda domain, slot, value: (change(domain), slot, value))
