"""A submission's outputs as people hold them: every function writes the same ones otherwise."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Outputs: TypeAlias = "Mapping[str, list[dict[str, Any]]]"
Mangle: TypeAlias = "Callable[[Outputs], bytes]"


def _json(content: object) -> bytes:
    return json.dumps(content).encode()


def _lines(rows: list[Any]) -> bytes:
    return b"".join(_json(row) + b"\n" for row in rows)


def _rows(outputs: Outputs, first: int = 0) -> Iterator[dict[str, Any]]:
    for id_, turns in outputs.items():
        for number, turn in enumerate(turns, start=first):
            yield {"dialogue_id": id_, "turn": number, **turn}


def _table(outputs: Outputs, separator: str, state: Callable[[Any], str] = json.dumps) -> str:
    rows = [
        {key: state(value) if key == "state" else value for key, value in row.items()}
        for row in _rows(outputs)
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _with_index(outputs: Outputs) -> bytes:
    """As pandas writes a frame: with its index, and objects as Python shows them."""
    head, *rows = list(csv.reader(io.StringIO(_table(outputs, ",", str))))
    text = io.StringIO()
    csv.writer(text).writerows([["", *head], *([str(n), *row] for n, row in enumerate(rows))])
    return text.getvalue().encode()


def _each(outputs: Outputs, turns: Callable[[list[dict[str, Any]]], Any]) -> dict[str, Any]:
    return {id_: turns(one) for id_, one in outputs.items()}


def _messages(turns: list[dict[str, Any]], parts: bool = False) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are helpful."}]
    for turn in turns:
        more = {key: value for key, value in turn.items() if key != "response"}
        said = turn["response"]
        content: Any = [{"type": "text", "text": said}] if parts else said
        messages += [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "find"}}]},
            {"role": "tool", "content": "[]"},
            {"role": "assistant", "content": content, **more},
        ]
    return messages


def _spoken(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    spoken = []
    for turn in turns:
        more = {key: value for key, value in turn.items() if key != "response"}
        spoken.append({"speaker": "USER", "utterance": "hello"})
        spoken.append({"speaker": "SYSTEM", "utterance": turn["response"], **more})
    return spoken


def _log(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As MultiWOZ's own data.json: domains have all slots, in `semi` or in `book`."""
    log: list[dict[str, Any]] = []
    for turn in turns:
        metadata: dict[str, Any] = {
            domain: {"semi": {"name": "not mentioned"}, "book": {"booked": [], "people": ""}}
            for domain in ("taxi", "hotel", "restaurant", "attraction", "train")
        }
        for domain, slots in turn["state"].items():
            for slot, value in slots.items():
                part = "book" if slot.startswith("book") else "semi"
                metadata[domain][part][slot.removeprefix("book")] = value
        log += [
            {"text": "hello", "metadata": {}},
            {"text": turn["response"], "metadata": metadata},
        ]
    return log


def _listed(outputs: Outputs, key: str = "turns") -> list[dict[str, Any]]:
    return [{"dialogue_id": id_, key: turns} for id_, turns in outputs.items()]


def _zipped(outputs: Outputs) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("predictions.json", _json(outputs))
    return packed.getvalue()


def renamed(outputs: Outputs, response: str, state: str = "state") -> Any:
    names = {"response": response, "state": state}
    return _each(outputs, lambda ts: [{names.get(k, k): v for k, v in t.items()} for t in ts])


def _with_states(outputs: Outputs, change: Callable[[Any], Any]) -> bytes:
    """Write outputs with their states, where they have some, written otherwise."""
    return _json(
        _each(
            outputs,
            lambda turns: [
                {**turn, "state": change(turn["state"])} if "state" in turn else turn
                for turn in turns
            ],
        )
    )


def _as_numbers(state: Any) -> Any:
    """Return a state with numbers as such, and other values as lists."""

    def change(value: str) -> Any:
        return int(value) if value.isdigit() and str(int(value)) == value else [value]

    return {d: {slot: change(v) for slot, v in slots.items()} for d, slots in state.items()}


WHOLE: Mapping[str, Mangle] = {
    "list of dialogues": lambda o: _json(_listed(o)),
    "list of lists of turns": lambda o: _json([[*_rows({i: t})] for i, t in o.items()]),
    "JSON lines of dialogues": lambda o: _lines(_listed(o)),
    "JSON lines of turns": lambda o: _lines([*_rows(o)]),
    "JSON lines of turns out of order": lambda o: _lines([*_rows(o)][::-1]),
    "JSON lines of turns from 1": lambda o: _lines([*_rows(o, 1)]),
    "turns with ids of their own": lambda o: _json(
        [{"id": f"{i}-{n}", **t} for i, ts in o.items() for n, t in enumerate(ts)]
    ),
    "odd turn ids": lambda o: _lines(
        [
            {"dialogue_id": i, "turn_id": 2 * n + 1, **t}
            for i, ts in o.items()
            for n, t in enumerate(ts)
        ]
    ),
    "commas": lambda o: _table(o, ",").encode(),
    "commas as pandas writes": _with_index,
    "tabs": lambda o: _table(o, "\t").encode(),
    "semicolons with a byte order mark": lambda o: _table(o, ";").encode("utf-8-sig"),
    "turns by number": lambda o: _json(_each(o, lambda ts: {str(n): t for n, t in enumerate(ts)})),
    "turns by name and number": lambda o: _json(
        _each(o, lambda ts: {f"turn_{n}": t for n, t in enumerate(ts, 1)})
    ),
    "turns below a key": lambda o: _json(_each(o, lambda ts: {"goal": {}, "turns": ts})),
    "messages": lambda o: _json(_listed(_each(o, _messages), "messages")),
    "messages in parts as lines": lambda o: _lines(
        _listed(_each(o, lambda ts: _messages(ts, True)), "messages")
    ),
    "speakers": lambda o: _json(_each(o, _spoken)),
    "domains in capitals": lambda o: _with_states(
        o, lambda state: {domain.title(): slots for domain, slots in state.items()}
    ),
    "keys of other names": lambda o: _json(renamed(o, "generated", "belief_state")),
    "other keys in lines": lambda o: _lines(_listed(renamed(o, "output", "bs"), "log")),
    "results": lambda o: _json({"results": o, "metrics": {"bleu": 1.0}, "config": {"seed": 1}}),
    "data below predictions": lambda o: _json({"model": "x", "predictions": _listed(o)}),
    "ids as file names": lambda o: _json({f"{i.upper()}.json": ts for i, ts in o.items()}),
    "byte order mark": lambda o: b"\xef\xbb\xbf" + _json(o),
    "UTF-16": lambda o: json.dumps(o).encode("utf-16"),
    "zip": _zipped,
    "states as JSON": lambda o: _with_states(o, json.dumps),
    "nulls in states": lambda o: _with_states(o, lambda state: {**state, "bus": None}),
    "numbers and lists in states": lambda o: _with_states(o, _as_numbers),
    "MultiWOZ's own log": lambda o: _json(
        _each(o, lambda ts: {"goal": {}, "log": _log(ts)} if "state" in ts[0] else ts)
    ),
    "NaN beside": lambda o: _json(_each(o, lambda ts: [{**t, "loss": float("nan")} for t in ts])),
}
"""Name -> what writes outputs so that they score exactly as they did."""

TEXTS: Mapping[str, Mangle] = {
    "lists of texts": lambda o: _json(_each(o, lambda ts: [t["response"] for t in ts])),
    "lines of texts": lambda o: _lines(_listed(_each(o, lambda ts: [t["response"] for t in ts]))),
}
"""The same, of responses alone."""

KEYED: Mapping[str, tuple[Mangle, Mapping[str, str]]] = {
    "keys of turns": (
        lambda o: _json(renamed(o, "gen", "my_state")),
        {"response": "gen", "state": "my_state"},
    ),
    "keys of a list": (
        lambda o: _json([{"name": i, "exchange": ts} for i, ts in o.items()]),
        {"id": "name", "turns": "exchange"},
    ),
    "columns of a table": (
        lambda o: _table(o, ",").replace("dialogue_id", "dlg").replace("response", "gen").encode(),
        {"id": "dlg", "response": "gen"},
    ),
    "a key beside the usual one": (
        lambda o: _json(
            _each(o, lambda ts: [{**t, "gen": t["response"], "response": ""} for t in ts])
        ),
        {"response": "gen"},
    ),
}
"""What is read where keys are named, and these."""
