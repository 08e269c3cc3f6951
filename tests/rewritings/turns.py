"""Rewritings across turns and dialogues: what is late, missing, repeated or exchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .notations import triples
from .parts import Kind, Outputs, Rewrite, State, Turn, dialogues, documented, states, turns


def states_in_order(change: Callable[[Sequence[State]], Sequence[Any]]) -> Rewrite:
    """Return what changes the states of a dialogue, given all of them."""

    def changed(dialogue: list[Turn]) -> list[Turn]:
        of_turns = change([turn["state"] for turn in dialogue])
        return [{**turn, "state": s} for turn, s in zip(dialogue, of_turns, strict=True)]

    return dialogues(changed)


def _responses_in_order(change: Callable[[Sequence[str]], Sequence[str]]) -> Rewrite:
    """Return what changes the responses of a dialogue, given all of them."""

    def changed(dialogue: list[Turn]) -> list[Turn]:
        texts = change([turn["response"] for turn in dialogue])
        return [{**turn, "response": s} for turn, s in zip(dialogue, texts, strict=True)]

    return dialogues(changed)


def where_changed(otherwise: object) -> Callable[[Sequence[State]], list[Any]]:
    def change(every: Sequence[State]) -> list[Any]:
        before = [{}, *every[:-1]]
        return [s if s != last else otherwise for s, last in zip(every, before, strict=True)]

    return change


def _so_far(every: Sequence[str]) -> list[str]:
    return [" ".join(every[: number + 1]) for number in range(len(every))]


def every_other(number: int, otherwise: object) -> Callable[[Sequence[Any]], list[Any]]:
    """Return what puts something else in place of every so many of a dialogue's fields."""

    def change(every: Sequence[Any]) -> list[Any]:
        return [otherwise if n % number == number - 1 else f for n, f in enumerate(every)]

    return change


def _difference(state: State, before: State) -> State:
    changed: dict[str, dict[str, Any]] = {}
    for domain, slot, value in triples(state):
        if before.get(domain, {}).get(slot) != value:
            changed.setdefault(domain, {})[slot] = value
    return changed


def _differences(every: Sequence[State]) -> list[State]:
    return [_difference(s, last) for s, last in zip(every, [{}, *every[:-1]], strict=True)]


def _last_domain(every: Sequence[State]) -> list[State]:
    """Return states with the domain alone that changed last."""
    read = []
    domain = ""
    for state, changes in zip(every, _differences(every), strict=True):
        domain = next(iter(changes), domain)
        read.append({name: slots_ for name, slots_ in state.items() if name == domain})
    return read


def _first_values(every: Sequence[State]) -> list[State]:
    """Return states in which each slot keeps the first value that it had."""
    read: list[State] = []
    for state in every:
        before = read[-1] if read else {}
        first = {}
        for domain, of_domain in state.items():
            first[domain] = {s: before.get(domain, {}).get(s, v) for s, v in of_domain.items()}
        read.append(first)
    return read


def _of_next_dialogue(field: str) -> Rewrite:
    """Return what gives every dialogue a field of the one after it, as far as that has turns."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        ids = [*predictions]
        rewritten = {}
        for id_, other in zip(ids, [*ids[1:], ids[0]], strict=True):
            moved = []
            for number, turn in enumerate(predictions[id_]):
                others = predictions[other]
                given = others[min(number, len(others) - 1)]
                moved.append({**turn, field: given[field]})
            rewritten[id_] = moved
        return rewritten

    return rewrite


def _with_gold(field: str, every: int = 1) -> Rewrite:
    """Return what takes a field of every so many dialogues from gold."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        rewritten = {}
        for number, (id_, dialogue) in enumerate(predictions.items()):
            pairs = zip(dialogue, gold[id_], strict=False)
            copied = [{**turn, field: right[field]} for turn, right in pairs]
            rewritten[id_] = [*dialogue] if number % every else copied
        return rewritten

    return rewrite


def _dialogues_of(change: Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]]) -> Rewrite:
    """Return what changes the list of dialogues, as pairs of id and turns."""
    return lambda predictions, gold: dict(change([*predictions.items()]))


def _ids(change: Callable[[str], str]) -> Rewrite:
    return _dialogues_of(lambda pairs: [(change(id_), dialogue) for id_, dialogue in pairs])


STATES_OF_TURNS = (
    Kind("states only when changed", states_in_order(where_changed({}))),
    Kind("null when unchanged", states_in_order(where_changed(None))),
    Kind("changes only", states_in_order(_differences)),
    Kind("domain of the turn only", states_in_order(_last_domain)),
    Kind("first values only", states_in_order(_first_values)),
    Kind("states one turn late", states_in_order(lambda every: [{}, *every[:-1]])),
    Kind("states two turns late", states_in_order(lambda every: [{}, {}, *every][: len(every)])),
    Kind("states of the next turn", states_in_order(lambda every: [*every[1:], every[-1]])),
    Kind("last state everywhere", states_in_order(lambda every: [every[-1]] * len(every))),
    Kind("first state everywhere", states_in_order(lambda every: [every[0]] * len(every))),
    Kind("last state empty", states_in_order(lambda every: [*every[:-1], {}])),
    Kind(
        "only the last state", states_in_order(lambda every: [*[{}] * (len(every) - 1), every[-1]])
    ),
    Kind("every second state empty", states_in_order(every_other(2, {}))),
    Kind("every third state empty", states_in_order(every_other(3, {}))),
    Kind(
        "states empty from the fourth turn",
        states_in_order(lambda every: [*every[:3], *[{}] * len(every[3:])]),
    ),
    Kind("states reversed", states_in_order(lambda every: every[::-1])),
    Kind("all states empty", states(lambda state: {})),
    Kind("domains without slots", states(lambda state: {domain: {} for domain in state})),
    Kind("states of the next dialogue", _of_next_dialogue("state")),
    Kind("gold states", _with_gold("state")),
    Kind("gold states in half of the dialogues", _with_gold("state", 2)),
)

RESPONSES_OF_TURNS = (
    Kind("responses of the next dialogue", _of_next_dialogue("response")),
    Kind("gold responses", _with_gold("response")),
    Kind("gold responses in half of the dialogues", _with_gold("response", 2)),
    Kind("responses one turn late", _responses_in_order(lambda every: ["", *every[:-1]])),
    Kind("responses of the next turn", _responses_in_order(lambda every: [*every[1:], every[-1]])),
    Kind("responses reversed", _responses_in_order(lambda every: every[::-1])),
    Kind("first response everywhere", _responses_in_order(lambda every: [every[0]] * len(every))),
    Kind("responses so far", _responses_in_order(_so_far)),
)

TURNS = (
    Kind("turns reversed", dialogues(lambda dialogue: dialogue[::-1])),
    Kind("first turn twice", dialogues(lambda dialogue: dialogue[:1] + dialogue[:-1])),
    Kind(
        "an empty turn before",
        dialogues(lambda d: [{**d[0], "response": "", "state": {}}, *d[:-1]]),
    ),
    Kind("a turn too many", dialogues(lambda dialogue: [*dialogue, dialogue[-1]])),
    documented("dialogues in reverse order", _dialogues_of(lambda pairs: pairs[::-1])),
    documented("ids in order", _dialogues_of(sorted)),
    documented("ids in upper case", _ids(str.upper)),
    documented("ids as file names", _ids(lambda id_: f"{id_}.json")),
    documented("ids as file names in upper case", _ids(lambda id_: f"{id_.upper()}.json")),
    Kind("ids with a folder", _ids(lambda id_: f"test/{id_}.json")),
    Kind("ids with a number", _ids(lambda id_: f"dialogue_{id_}")),
)

MISSING = (
    Kind("first turn missing", dialogues(lambda dialogue: dialogue[1:] or dialogue)),
    Kind("last turn missing", dialogues(lambda dialogue: dialogue[:-1] or dialogue)),
    Kind("second turn missing", dialogues(lambda dialogue: dialogue[:1] + dialogue[2:])),
    Kind("half of the turns", dialogues(lambda dialogue: dialogue[: (len(dialogue) + 1) // 2])),
    Kind("every second dialogue", _dialogues_of(lambda pairs: pairs[::2])),
)


# Active domains.

_ALL = ["restaurant", "hotel", "attraction", "train", "taxi"]
_OTHER = dict(zip(_ALL, [*_ALL[1:], _ALL[0]], strict=True))


def domains(change: Callable[[list[str]], Any]) -> Rewrite:
    """Return what changes the active domains of every turn by itself."""
    return turns(lambda turn: {**turn, "active_domains": change([*turn["active_domains"]])})


def _domains_in_order(change: Callable[[list[Any]], list[Any]]) -> Rewrite:
    def changed(dialogue: list[Turn]) -> list[Turn]:
        every = change([turn["active_domains"] for turn in dialogue])
        pairs = zip(dialogue, every, strict=True)
        return [{**turn, "active_domains": active} for turn, active in pairs]

    return dialogues(changed)


DOMAINS = (
    Kind("empty", domains(lambda active: [])),
    Kind("all five", domains(lambda active: _ALL)),
    Kind("always restaurant", domains(lambda active: ["restaurant"])),
    Kind("of the next turn", _domains_in_order(lambda every: [*every[1:], every[-1]])),
    Kind("of the turn before", _domains_in_order(lambda every: [[], *every[:-1]])),
    Kind("of the last turn", _domains_in_order(lambda every: [every[-1]] * len(every))),
    Kind("only when changed", _domains_in_order(where_changed([]))),
    Kind("empty in every second turn", _domains_in_order(every_other(2, []))),
    Kind(
        "wrong", domains(lambda active: [_OTHER[domain] for domain in active if domain in _OTHER])
    ),
    Kind("domains of the state", turns(lambda turn: {**turn, "active_domains": [*turn["state"]]})),
    Kind("general", domains(lambda active: ["general"])),
    Kind("null in every second turn", _domains_in_order(every_other(2, None))),
    Kind("upper case", domains(lambda active: [domain.upper() for domain in active])),
    Kind("with a capital", domains(lambda active: [domain.title() for domain in active])),
    Kind("in brackets", domains(lambda active: [f"[{domain}]" for domain in active])),
    Kind("text", domains(" ".join)),
    Kind("text with commas", domains(", ".join)),
    Kind("Python as text", domains(str)),
    Kind("flags", domains(lambda active: {domain: domain in active for domain in _ALL})),
    Kind("with intents", domains(lambda active: [f"{domain}-inform" for domain in active])),
    Kind("with general", domains(lambda active: [*active, "general"])),
)
