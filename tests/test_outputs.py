"""Outputs as people hold them score as they did, or one message leads to a score."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from helpers import refusal, sample_predictions

from mwz.harness.benchmark import Benchmark
from mwz.harness.data import load_benchmark
from mwz.harness.errors import InputError, Remark
from mwz.harness.io import read_bytes
from mwz.harness.scoring import Options, Scorer, check_predictions, played_predictions
from mwz.harness.submission import (
    parse_predictions,
    read_arranged,
    standard_form,
)

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


NOTHING: Mapping[str, Any] = {}
WANTED = Options(metrics=["bleu", "inform"])


class Scored:
    """Scores what is written in any way."""

    def __init__(self, folder: Path, benchmark: Benchmark) -> None:
        self._path = folder / "outputs"
        self._scorer = Scorer(benchmark, WANTED)

    def __call__(
        self,
        content: bytes,
        keys: Mapping[str, str] = NOTHING,
        **options: Any,
    ) -> tuple[Any, list[Remark]]:
        self._path.write_bytes(content)
        scorer = self._scorer.with_options(**options)
        parsed = parse_predictions(read_bytes(self._path), "outputs")
        if keys:
            standard = read_arranged(parsed, "outputs", keys)
        else:
            standard = standard_form(parsed, "outputs")
        submission = check_predictions(scorer, standard, "outputs")
        _, played, remarks = played_predictions(scorer, submission, "outputs")
        return scorer.report(played).to_dict(), list(remarks)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return Scored(tmp_path_factory.mktemp("outputs"), load_benchmark("sample"))


@pytest.fixture(scope="module")
def outputs() -> Any:
    return sample_predictions("careful")


@pytest.fixture(scope="module")
def plain(scored: Scored, outputs: Any) -> tuple[Any, list[Remark]]:
    """The report of the outputs as they are, and what is remarked of them."""
    return scored(json.dumps(outputs).encode())


def _without_states(outputs: Any) -> Any:
    return {id_: [{"response": t["response"]} for t in ts] for id_, ts in outputs.items()}


@pytest.mark.parametrize("name", [*WHOLE])
def test_outputs_in_another_arrangement_score_as_they_did(
    scored: Scored, outputs: Any, plain: tuple[Any, list[Remark]], name: str
) -> None:
    report, before = plain
    found, remarks = scored(WHOLE[name](outputs))
    assert found == report
    # What is said besides tells how it was read; only a list of values is worth a warning.
    new = [remark for remark in remarks if remark not in before and remark.warning]
    assert {remark.kind for remark in new} <= {"values"}


@pytest.mark.parametrize("name", [*TEXTS])
def test_responses_alone_score_as_they_did(scored: Scored, outputs: Any, name: str) -> None:
    report, _ = scored(json.dumps(_without_states(outputs)).encode())
    assert scored(TEXTS[name](outputs))[0] == report


@pytest.mark.parametrize("name", [*KEYED])
def test_keys_that_are_named_are_read(
    scored: Scored, outputs: Any, plain: tuple[Any, list[Remark]], name: str
) -> None:
    mangle, keys = KEYED[name]
    assert scored(mangle(outputs), keys)[0] == plain[0]


def test_a_key_that_is_nowhere_is_told(scored: Scored, outputs: Any) -> None:
    with pytest.raises(InputError, match="--key response=KEY: no `said` in it"):
        scored(KEYED["keys of turns"][0](outputs), {"response": "said"})


FIRST = "town001"


def _first(outputs: Any, **changes: Any) -> Any:
    """Return outputs with the first turn changed."""
    return {**outputs, FIRST: [{**outputs[FIRST][0], **changes}, *outputs[FIRST][1:]]}


REFUSED: dict[str, tuple[Mangle, str]] = {
    "cut off": (lambda o: json.dumps(o, indent=1).encode()[:-60], "not JSON: line "),
    "lines of which one is cut off": (
        lambda o: WHOLE["JSON lines of dialogues"](o)[:-60],
        "line 30: not JSON: line 1, column ",
    ),
    "turns below another key": (
        lambda o: json.dumps({i: {"exchange": ts} for i, ts in o.items()}).encode(),
        "give them by `mwz convert --key FIELD=KEY`",
    ),
    "NaN": (lambda o: json.dumps(_first(o, response=float("nan"))).encode(), "found NaN"),
    "a turn twice": (
        lambda o: WHOLE["turns by number"](o)[:-1] + b', "TOWN001.json": {"0": {"response": ""}}}',
        "is the same as dialogue town001",
    ),
    "no response to the user": (
        lambda o: json.dumps(
            {FIRST: [{"role": role, "content": "x"} for role in ("user", "user", "assistant")]}
        ).encode(),
        "dialogue town001, turn 0: the user gets no response",
    ),
    "a misspelt domain": (
        lambda o: json.dumps(_first(o, state={"restaurent": {}})).encode(),
        "(did you mean restaurant?); `--states gold` does without them",
    ),
    "a misspelt slot": (
        lambda o: json.dumps(_first(o, state={"hotel": {"aera": "x"}})).encode(),
        "unknown slot 'aera' (did you mean area?)",
    ),
    "a table with a comma too many": (
        lambda o: b"dialogue_id,turn,response\ntown001,0,yes, sir\n",
        "line 2: not a table of comma-separated values (more cells than columns",
    ),
    "a tracker's lines": (
        lambda o: b'{"dialogue_id": "town001", "turns": [{"state": {}}]}',
        "states alone are scored by `mwz dst`",
    ),
}


@pytest.mark.parametrize("name", [*REFUSED])
def test_unreadable_files_are_refused_with_a_hint(scored: Scored, outputs: Any, name: str) -> None:
    mangle, message = REFUSED[name]
    error = refusal(scored, mangle(outputs))
    assert message in str(error)
    assert len(error.problems) == 1


# States.


@pytest.mark.parametrize(
    "state", [5, "north", {"restaurent": {"area": "x"}}, {"hotel": {"area": {}}}, {"hotel": 1}]
)
@pytest.mark.parametrize("options", [{"states": "gold"}, {"metrics": ["bleu"]}])
def test_no_state_refuses_a_file_where_states_are_not_used(
    scored: Scored, outputs: Any, state: Any, options: Any
) -> None:
    report, _ = scored(json.dumps(outputs).encode(), **options)
    content = json.dumps(_first(outputs, state=state)).encode()
    found, remarks = scored(content, **options)
    assert found == report
    (made,) = (remark for remark in remarks if remark.kind == "states")
    assert made.warning
    assert str(made).startswith("dialogue town001, turn 0: `state`")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"hotel": {"stars": 4, "parking": True, "internet": False}}, "4 yes no"),
        ({"hotel": {"stars": ["4", "3"], "parking": "yes", "internet": ["no"]}}, "4 yes no"),
        ("[hotel] stars 4 parking yes internet no", "4 yes no"),
        ("{'hotel': {'stars': '4', 'parking': 'yes', 'internet': 'no'}}", "4 yes no"),
    ],
)
def test_models_values_are_read_as_text(
    scored: Scored, outputs: Any, written: Any, read: str
) -> None:
    stars, parking, internet = read.split()
    plain = {"hotel": {"stars": stars, "parking": parking, "internet": internet}}
    report, _ = scored(json.dumps(_first(outputs, state=plain)).encode())
    assert scored(json.dumps(_first(outputs, state=written)).encode())[0] == report


# Real data.


@pytest.mark.real_data
def test_rearranged_outputs_score_alike(
    predictions: Any, multiwoz: Benchmark, tmp_path: Path
) -> None:
    outputs = predictions("lava")
    scored = Scored(tmp_path, multiwoz)
    report, remarks = scored(json.dumps(outputs).encode())
    assert not [remark for remark in remarks if remark.warning]
    for name in ("commas as pandas writes", "messages"):
        found, message = scored(WHOLE[name](outputs))
        assert found == report, name
        assert [r for r in message if r.warning] == [], name
