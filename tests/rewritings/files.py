"""Rewritings of whole files: other keys and layouts, and gold beside predictions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .notations import frames, metadata
from .parts import Kind, Outputs, Rewrite, Turn, dialogues, documented, turns
from .turns import every_other, states_in_order


def _items(predictions: Outputs, key: str = "turns") -> list[dict[str, Any]]:
    return [{"dialogue_id": id_, key: [*dialogue]} for id_, dialogue in predictions.items()]


def _rows(predictions: Outputs, first: int = 0) -> list[dict[str, Any]]:
    rows = []
    for id_, dialogue in predictions.items():
        rows += [{"dialogue_id": id_, "turn": n, **turn} for n, turn in enumerate(dialogue, first)]
    return rows


def _lines(rows: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _table(rows: Sequence[Mapping[str, Any]], separator: str = ",") -> bytes:
    """Return rows as a table; what is no text or number is written as JSON."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], delimiter=separator)
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {k: v if isinstance(v, str | int) else json.dumps(v) for k, v in row.items()}
        )
    return text.getvalue().encode()


def _numbered(predictions: Outputs, form: str, first: int) -> dict[str, Any]:
    numbered = {}
    for id_, dialogue in predictions.items():
        numbered[id_] = {form.format(n): turn for n, turn in enumerate(dialogue, first)}
    return numbered


def _messages(dialogue: Sequence[Turn], parts: bool = False) -> Iterator[dict[str, Any]]:
    yield {"role": "system", "content": "You are helpful."}
    for turn in dialogue:
        more = {key: value for key, value in turn.items() if key != "response"}
        text = turn["response"]
        yield {"role": "user", "content": "hello"}
        yield {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "find"}}]}
        yield {"role": "tool", "content": "[]"}
        content = [{"type": "text", "text": text}] if parts else text
        yield {"role": "assistant", "content": content, **more}


def _speakers(dialogue: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    for turn in dialogue:
        more = {key: value for key, value in turn.items() if key != "response"}
        yield {"speaker": "USER", "utterance": "hello"}
        yield {"speaker": "SYSTEM", "utterance": turn["response"], **more}


def _pandas_table(predictions: Outputs) -> bytes:
    """Return a table as pandas writes it: with its index, and objects as Python shows them."""
    text = io.StringIO()
    rows = _rows(predictions)
    writer = csv.writer(text)
    writer.writerow(["", *rows[0]])
    for number, row in enumerate(rows):
        writer.writerow([number, *row.values()])
    return text.getvalue().encode()


def _with_ids(predictions: Outputs) -> list[dict[str, Any]]:
    """Return turns with an id that names the dialogue and the turn."""
    rows = []
    for row in _rows(predictions):
        rows.append({"id": f"{row.pop('dialogue_id')}-{row.pop('turn')}", **row})
    return rows


def _with_odd_numbers(predictions: Outputs) -> list[dict[str, Any]]:
    """Return turns numbered as those of both speakers are."""
    return [{**row, "turn": 2 * row["turn"] + 1} for row in _rows(predictions)]


def _log(dialogue: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    for turn in dialogue:
        yield {"text": "hello", "metadata": {}}
        yield {"text": turn["response"], "metadata": metadata(turn["state"])}


def _parallel(dialogue: Sequence[Turn]) -> dict[str, Any]:
    """Return a dialogue as parallel lists, as Hugging Face's and SimpleTOD's are."""
    return {field: [turn[field] for turn in dialogue] for field in ("response", "state")}


def _with_frames(turn: Turn) -> Turn:
    return {"response": turn["response"], "frames": frames(turn["state"])}


def _converted(convert: Callable[[Outputs], Any]) -> Rewrite:
    return lambda predictions, gold: convert(predictions)


def _by_dialogue(convert: Callable[[Sequence[Turn]], Any]) -> Rewrite:
    return _converted(lambda outputs: {id_: convert(turns_) for id_, turns_ in outputs.items()})


def _renamed_fields(response: str, state: str) -> Rewrite:
    names = {"response": response, "state": state}
    return turns(lambda turn: {names.get(field, field): value for field, value in turn.items()})


_FIELD_NAMES = {
    documented: (
        *("systemResponse beliefState", "RESPONSE STATE", "resp bspn", "generated belief_state"),
        *("output bs", "reply state", "response dialogue_state", "response belief"),
    ),
    Kind: (
        *("Response State", "reponse state", "said state", "utterance state", "content state"),
        *("response stat", "response tracked", "response slots", "response constraints"),
    ),
}
"""What people call a response and a state, misspelt or unknown names among them."""


def _named_otherwise() -> Iterator[Kind]:
    for kind, pairs in _FIELD_NAMES.items():
        for pair in pairs:
            yield kind(f"fields named {pair}", _renamed_fields(*pair.split()))


FIELDS = (
    documented("unchanged", _converted(dict)),
    documented("indented", _converted(lambda outputs: json.dumps(outputs, indent=1).encode())),
    documented(
        "with a byte order mark", _converted(lambda o: b"\xef\xbb\xbf" + json.dumps(o).encode())
    ),
    documented("UTF-16", _converted(lambda outputs: json.dumps(outputs).encode("utf-16"))),
    documented("below results", _converted(lambda outputs: {"results": outputs})),
    Kind(
        "below results beside others", _converted(lambda o: {"results": o, "seed": 1, "bleu": 2.5})
    ),
    documented("below predictions", _converted(lambda outputs: {"predictions": outputs})),
    documented("below outputs", _converted(lambda outputs: {"outputs": _items(outputs)})),
    documented("below data", _converted(lambda outputs: {"data": _items(outputs)})),
    Kind("below an unknown key", _converted(lambda outputs: {"my_run": outputs})),
    Kind("below two keys", _converted(lambda outputs: {"data": {"test": outputs}})),
    Kind("in a list of one", _converted(lambda outputs: [outputs])),
    documented("list of dialogues", _converted(_items)),
    documented("list of dialogues with log", _converted(lambda outputs: _items(outputs, "log"))),
    Kind(
        "list of dialogues by an unknown key", _converted(lambda outputs: _items(outputs, "steps"))
    ),
    documented(
        "list of lists of turns", _converted(lambda o: [_rows({id_: d}) for id_, d in o.items()])
    ),
    Kind("list of lists of turns without ids", _converted(lambda o: [[*d] for d in o.values()])),
    documented("list of turns", _converted(_rows)),
    documented("list of every second number", _converted(_with_odd_numbers)),
    documented("list of turns from 1", _converted(lambda outputs: _rows(outputs, 1))),
    Kind("list of turns in reverse order", _converted(lambda outputs: _rows(outputs)[::-1])),
    documented("JSON lines of dialogues", _converted(lambda outputs: _lines(_items(outputs)))),
    documented("JSON lines of turns", _converted(lambda outputs: _lines(_rows(outputs)))),
    documented("commas", _converted(lambda outputs: _table(_rows(outputs)))),
    documented("tabs", _converted(lambda outputs: _table(_rows(outputs), "\t"))),
    documented("commas as pandas writes", _converted(_pandas_table)),
    documented("turns with ids", _converted(_with_ids)),
    documented("semicolons", _converted(lambda outputs: _table(_rows(outputs), ";"))),
    documented("turns by number", _converted(lambda outputs: _numbered(outputs, "{}", 0))),
    documented("turns by number from 1", _converted(lambda outputs: _numbered(outputs, "{}", 1))),
    Kind("turns by name", _converted(lambda outputs: _numbered(outputs, "turn_{}", 0))),
    Kind("turns by name from 1", _converted(lambda outputs: _numbered(outputs, "turn_{}", 1))),
    documented("turns below turns", _by_dialogue(lambda dialogue: {"turns": [*dialogue]})),
    documented(
        "turns below log and a goal",
        _by_dialogue(lambda dialogue: {"goal": {}, "log": [*dialogue]}),
    ),
    Kind("turns below an unknown key", _by_dialogue(lambda dialogue: {"steps": [*dialogue]})),
    documented("messages", _by_dialogue(lambda dialogue: [*_messages(dialogue)])),
    documented("messages in parts", _by_dialogue(lambda dialogue: [*_messages(dialogue, True)])),
    documented("speakers", _by_dialogue(lambda dialogue: [*_speakers(dialogue)])),
    documented("MultiWOZ's log", _by_dialogue(lambda dialogue: {"log": [*_log(dialogue)]})),
    Kind("parallel lists", _by_dialogue(_parallel)),
    documented("parallel lists below turns", _by_dialogue(lambda d: {"turns": _parallel(d)})),
    Kind("fields below a key", turns(lambda turn: {"prediction": turn})),
    *_named_otherwise(),
    Kind("keys with blanks", _renamed_fields(" response", "state ")),
    documented("frames", turns(_with_frames)),
    Kind(
        "lex_response beside", turns(lambda turn: {**turn, "lex_response": "you may stay there ."})
    ),
    Kind("user beside", turns(lambda turn: {**turn, "user": "i need a place to stay ."})),
    Kind("NaN beside", turns(lambda turn: {**turn, "loss": float("nan")})),
    Kind("other keys beside", turns(lambda turn: {**turn, "loss": 0.5, "tokens": [1, 2]})),
    Kind("states of half of the turns", states_in_order(every_other(2, None))),
    Kind("one state missing", dialogues(lambda d: [{"response": d[0]["response"]}, *d[1:]])),
)
