"""Rewritings of whole files: other keys and layouts, and gold beside predictions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .notations import frames, metadata
from .parts import Kind, Outputs, Rewrite, Turn, damaged, dialogues, documented, same, turns
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


def _messages(dialogue: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    for turn in dialogue:
        more = {key: value for key, value in turn.items() if key != "response"}
        yield {"role": "user", "content": "hello"}
        yield {"role": "assistant", "content": turn["response"], **more}


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


def _renamed_fields(**names: str) -> Rewrite:
    return turns(lambda turn: {names.get(field, field): value for field, value in turn.items()})


def beside(
    field: str, gold_key: str, key: str, gold_first: bool, layout: Callable[[Outputs], Any]
) -> Rewrite:
    """Return what writes gold beside the prediction of one field.

    Args:
        field: `response` or `state`.
        gold_key: What gold is called.
        key: What the prediction is called.
        gold_first: Which of the two comes first.
        layout: Arranges the turns.
    """

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        rewritten = {}
        for id_, dialogue in predictions.items():
            both = []
            for turn, right in zip(dialogue, gold[id_], strict=False):
                pairs = [(gold_key, right[field]), (key, turn[field])]
                others = {name: value for name, value in turn.items() if name != field}
                both.append({**dict(pairs if gold_first else pairs[::-1]), **others})
            rewritten[id_] = both
        return layout(rewritten)

    return rewrite


_STATE_KEYS = (
    ("state", "pred_state"),
    ("state", "predicted_state"),
    ("state", "state_pred"),
    ("state", "generated_state"),
    ("state", "state_gen"),
    ("gold_state", "state"),
    ("state_gold", "state"),
    ("gt_state", "state"),
    ("target_state", "pred_state"),
    ("label", "prediction"),
    ("belief_state", "generated_belief_state"),
    ("belief_state", "pred_belief_state"),
    ("belief_state", "hyp_belief_state"),
    ("bs", "bs_gen"),
    ("bspn", "bspn_gen"),
    ("turn_belief", "pred_bs_ptr"),
    ("turn_belief", "pred_belief"),
    ("gold", "predicted"),
    ("gt", "pr"),
    ("ground_truth", "output"),
    ("reference_state", "model_output"),
    ("slot_values", "predictions"),
)
"""What gold and predicted states are called in files that have both."""

_RESPONSE_KEYS = (
    ("response", "generated_response"),
    ("response", "pred_response"),
    ("response", "predicted_response"),
    ("response", "response_gen"),
    ("response", "response_pred"),
    ("response", "prediction"),
    ("response", "generated"),
    ("response", "output"),
    ("resp", "resp_gen"),
    ("gold_response", "response"),
    ("response_gold", "response"),
    ("gt_response", "response"),
    ("target_response", "response"),
    ("reference", "response"),
    ("target", "generated"),
    ("label", "output"),
    ("text", "generated_text"),
    ("system", "pred"),
    ("ground_truth", "hypothesis"),
)
"""What gold and predicted responses are called in files that have both."""

_PLAIN_KEYS = {"state": ("state", "belief_state"), "response": ("response", "text")}
"""Field -> two names that do not say which is gold."""

_LAYOUTS: Mapping[str, Callable[[Outputs], Any]] = {
    "list of dialogues": _items,
    "list of turns": _rows,
    "turns by number": lambda outputs: _numbered(outputs, "{}", 0),
    "JSON lines": lambda outputs: _lines(_rows(outputs)),
    "table": lambda outputs: _table(_rows(outputs)),
}


def _both(field: str, pairs: Sequence[tuple[str, str]]) -> Iterator[Kind]:
    """Yield the kinds with gold beside predictions of a field: all names, two in all layouts."""
    for gold_key, key in [*pairs, _PLAIN_KEYS[field]]:
        for order, first in (("before", True), ("after", False)):
            rewrite = beside(field, gold_key, key, first, dict)
            yield same(f"`{gold_key}` {order} `{key}`", rewrite)
    for layout, arrange in _LAYOUTS.items():
        for gold_key, key in (pairs[0], pairs[9]):
            rewrite = beside(field, gold_key, key, True, arrange)
            yield same(f"`{gold_key}` before `{key}`, {layout}", rewrite)


GOLD_STATES = tuple(_both("state", _STATE_KEYS))
GOLD_RESPONSES = tuple(_both("response", _RESPONSE_KEYS))

FIELDS = (
    documented("unchanged", _converted(dict)),
    documented("indented", _converted(lambda outputs: json.dumps(outputs, indent=1).encode())),
    documented(
        "with a byte order mark", _converted(lambda o: b"\xef\xbb\xbf" + json.dumps(o).encode())
    ),
    documented("UTF-16", _converted(lambda outputs: json.dumps(outputs).encode("utf-16"))),
    documented("below results", _converted(lambda outputs: {"results": outputs})),
    same(
        "below results beside others", _converted(lambda o: {"results": o, "seed": 1, "bleu": 2.5})
    ),
    documented("below predictions", _converted(lambda outputs: {"predictions": outputs})),
    documented("below outputs", _converted(lambda outputs: {"outputs": _items(outputs)})),
    documented("below data", _converted(lambda outputs: {"data": _items(outputs)})),
    same("below an unknown key", _converted(lambda outputs: {"my_run": outputs})),
    same("below two keys", _converted(lambda outputs: {"data": {"test": outputs}})),
    same("in a list of one", _converted(lambda outputs: [outputs])),
    documented("list of dialogues", _converted(_items)),
    documented("list of dialogues with log", _converted(lambda outputs: _items(outputs, "log"))),
    same(
        "list of dialogues by an unknown key", _converted(lambda outputs: _items(outputs, "steps"))
    ),
    documented(
        "list of lists of turns", _converted(lambda o: [_rows({id_: d}) for id_, d in o.items()])
    ),
    same("list of lists of turns without ids", _converted(lambda o: [[*d] for d in o.values()])),
    documented("list of turns", _converted(_rows)),
    documented("list of turns from 1", _converted(lambda outputs: _rows(outputs, 1))),
    same("list of turns in reverse order", _converted(lambda outputs: _rows(outputs)[::-1])),
    documented("JSON lines of dialogues", _converted(lambda outputs: _lines(_items(outputs)))),
    documented("JSON lines of turns", _converted(lambda outputs: _lines(_rows(outputs)))),
    documented("commas", _converted(lambda outputs: _table(_rows(outputs)))),
    documented("tabs", _converted(lambda outputs: _table(_rows(outputs), "\t"))),
    documented("semicolons", _converted(lambda outputs: _table(_rows(outputs), ";"))),
    documented("turns by number", _converted(lambda outputs: _numbered(outputs, "{}", 0))),
    documented("turns by number from 1", _converted(lambda outputs: _numbered(outputs, "{}", 1))),
    same("turns by name", _converted(lambda outputs: _numbered(outputs, "turn_{}", 0))),
    same("turns by name from 1", _converted(lambda outputs: _numbered(outputs, "turn_{}", 1))),
    documented("turns below turns", _by_dialogue(lambda dialogue: {"turns": [*dialogue]})),
    documented(
        "turns below log and a goal",
        _by_dialogue(lambda dialogue: {"goal": {}, "log": [*dialogue]}),
    ),
    same("turns below an unknown key", _by_dialogue(lambda dialogue: {"steps": [*dialogue]})),
    documented("messages", _by_dialogue(lambda dialogue: [*_messages(dialogue)])),
    documented("MultiWOZ's log", _by_dialogue(lambda dialogue: {"log": [*_log(dialogue)]})),
    same("parallel lists", _by_dialogue(_parallel)),
    documented("parallel lists below turns", _by_dialogue(lambda d: {"turns": _parallel(d)})),
    same("fields below a key", turns(lambda turn: {"prediction": turn})),
    documented("camel case", _renamed_fields(response="systemResponse", state="beliefState")),
    documented("keys in upper case", _renamed_fields(response="RESPONSE", state="STATE")),
    same("keys with a capital", _renamed_fields(response="Response", state="State")),
    same("keys with blanks", _renamed_fields(response=" response", state="state ")),
    same("response misspelt", _renamed_fields(response="reponse")),
    same("state misspelt", _renamed_fields(state="stat")),
    same("state by an unknown key", _renamed_fields(state="tracked")),
    same("response by an unknown key", _renamed_fields(response="said")),
    documented("dialogue_state", _renamed_fields(state="dialogue_state")),
    documented("belief", _renamed_fields(state="belief")),
    same("slots", _renamed_fields(state="slots")),
    documented("frames", turns(_with_frames)),
    same("constraints", _renamed_fields(state="constraints")),
    documented("bspn and resp", _renamed_fields(response="resp", state="bspn")),
    same("utterance", _renamed_fields(response="utterance")),
    same("content", _renamed_fields(response="content")),
    documented("reply", _renamed_fields(response="reply")),
    same(
        "lex_response beside", turns(lambda turn: {**turn, "lex_response": "you may stay there ."})
    ),
    same("user beside", turns(lambda turn: {**turn, "user": "i need a place to stay ."})),
    same("other keys beside", turns(lambda turn: {**turn, "loss": 0.5, "tokens": [1, 2]})),
    damaged("states of half of the turns", states_in_order(every_other(2, None))),
    damaged("one state missing", dialogues(lambda d: [{"response": d[0]["response"]}, *d[1:]])),
)
