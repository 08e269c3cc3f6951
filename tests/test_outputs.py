"""Responses alone, named keys, odd states and damaged files: read as meant, or refused by name.

In which arrangements a file may come is in rewritings/files.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from helpers import refusal, sample_predictions

from mwz.harness.data import load_benchmark
from mwz.harness.errors import InputError, Remark
from mwz.harness.io import read_bytes
from mwz.harness.scoring import Options, Scorer, check_predictions, played_predictions
from mwz.harness.submission import parse_predictions, read_arranged, standard_form

Turns: TypeAlias = "list[dict[str, Any]]"
Outputs: TypeAlias = "Mapping[str, Turns]"

FIRST = "town001"


class Scored:
    """Scores files on the sample.

    Args:
        folder: Where the file is to be.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "outputs"
        self._scorer = Scorer(load_benchmark("sample"), Options(metrics=["bleu", "inform"]))

    def __call__(
        self, content: object, keys: Mapping[str, str] | None = None, **options: Any
    ) -> tuple[Any, list[Remark]]:
        """Return the report and the remarks on a file of bytes, or of JSON."""
        written = content if isinstance(content, bytes) else json.dumps(content).encode()
        self._path.write_bytes(written)
        scorer = self._scorer.with_options(**options)
        parsed = parse_predictions(read_bytes(self._path), "outputs")
        if keys:
            standard = read_arranged(parsed, "outputs", keys)
        else:
            standard = standard_form(parsed, "outputs")
        submission = check_predictions(scorer, standard, "outputs")
        _, played, remarks = played_predictions(scorer, submission)
        return scorer.report(played).to_dict(), list(remarks)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return Scored(tmp_path_factory.mktemp("outputs"))


@pytest.fixture(scope="module")
def outputs() -> Outputs:
    return sample_predictions("careful")


@pytest.fixture(scope="module")
def report(scored: Scored, outputs: Outputs) -> Any:
    """The report of the outputs as they are."""
    return scored(outputs)[0]


def by_dialogue(outputs: Outputs, change: Callable[[Turns], Any]) -> dict[str, Any]:
    return {id_: change(turns) for id_, turns in outputs.items()}


def renamed(outputs: Outputs, **names: str) -> dict[str, Any]:
    """Return outputs whose turns call fields otherwise."""

    def change(turns: Turns) -> Turns:
        return [{names.get(key, key): value for key, value in turn.items()} for turn in turns]

    return by_dialogue(outputs, change)


def lines(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def first_changed(outputs: Outputs, **changes: Any) -> dict[str, Any]:
    """Return outputs with the first turn changed."""
    return {**outputs, FIRST: [{**outputs[FIRST][0], **changes}, *outputs[FIRST][1:]]}


def test_responses_alone_score_as_they_did(scored: Scored, outputs: Outputs) -> None:
    texts = by_dialogue(outputs, lambda turns: [turn["response"] for turn in turns])
    report, _ = scored(by_dialogue(texts, lambda said: [{"response": text} for text in said]))
    assert scored(texts)[0] == report
    listed = [{"dialogue_id": id_, "turns": said} for id_, said in texts.items()]
    assert scored(lines(listed))[0] == report


KEYED: Mapping[str, tuple[Callable[[Outputs], Any], Mapping[str, str]]] = {
    "keys of turns": (
        lambda o: renamed(o, response="gen", state="my_state"),
        {"response": "gen", "state": "my_state"},
    ),
    "keys of a list": (
        lambda o: [{"name": id_, "exchange": turns} for id_, turns in o.items()],
        {"id": "name", "turns": "exchange"},
    ),
    "a key beside the usual one": (
        lambda o: by_dialogue(
            o, lambda turns: [{**t, "gen": t["response"], "response": ""} for t in turns]
        ),
        {"response": "gen"},
    ),
}
"""What is read where keys are named, and these."""


@pytest.mark.parametrize("name", KEYED)
def test_keys_that_are_named_are_read(
    scored: Scored, outputs: Outputs, report: Any, name: str
) -> None:
    arrange, keys = KEYED[name]
    assert scored(arrange(outputs), keys)[0] == report


def test_columns_that_are_named_are_read(scored: Scored, outputs: Outputs) -> None:
    keys = {"id": "dlg", "response": "gen"}
    table = f"dlg,turn,gen\n{FIRST},0,hello\n".encode()
    assert scored(table, keys)[0] == scored({FIRST: [{"response": "hello"}]})[0]


def test_a_key_that_is_nowhere_is_refused(scored: Scored, outputs: Outputs) -> None:
    with pytest.raises(InputError, match="--key response=KEY: no `said` in it"):
        scored(outputs, {"response": "said"})


REFUSED: dict[str, tuple[Callable[[Outputs], Any], str]] = {
    "cut off": (lambda o: json.dumps(o, indent=1).encode()[:-60], "not JSON: line "),
    "lines of which one is cut off": (
        lambda o: lines([{"dialogue_id": id_, "turns": turns} for id_, turns in o.items()])[:-60],
        "line 30: not JSON: line 1, column ",
    ),
    "turns below another key": (
        lambda o: by_dialogue(o, lambda turns: {"exchange": turns}),
        "give them by `mwz convert --key FIELD=KEY`",
    ),
    "NaN": (lambda o: first_changed(o, response=float("nan")), "found NaN"),
    "a dialogue twice": (
        lambda o: {**o, f"{FIRST.upper()}.json": o[FIRST]},
        "is the same as dialogue town001",
    ),
    "no response to the user": (
        lambda o: {FIRST: [{"role": r, "content": "x"} for r in ("user", "user", "assistant")]},
        "dialogue town001, turn 0: the user gets no response",
    ),
    "a misspelt domain": (
        lambda o: first_changed(o, state={"restaurent": {}}),
        "(did you mean restaurant?); `--states gold` does without them",
    ),
    "a misspelt slot": (
        lambda o: first_changed(o, state={"hotel": {"aera": "x"}}),
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


@pytest.mark.parametrize("name", REFUSED)
def test_unreadable_files_are_refused_with_a_hint(
    scored: Scored, outputs: Outputs, name: str
) -> None:
    damage, message = REFUSED[name]
    error = refusal(scored, damage(outputs))
    assert message in str(error)
    assert len(error.problems) == 1


# States.


@pytest.mark.parametrize(
    "state", [5, "north", {"restaurent": {"area": "x"}}, {"hotel": {"area": {}}}, {"hotel": 1}]
)
@pytest.mark.parametrize("options", [{"states": "gold"}, {"metrics": ["bleu"]}])
def test_no_state_refuses_a_file_where_states_are_not_used(
    scored: Scored, outputs: Outputs, state: Any, options: Any
) -> None:
    report, _ = scored(outputs, **options)
    read, remarks = scored(first_changed(outputs, state=state), **options)
    assert read == report
    [remark] = [remark for remark in remarks if remark.kind == "states"]
    assert remark.warning
    assert str(remark).startswith("dialogue town001, turn 0: `state`")


@pytest.mark.parametrize(
    "written",
    [
        {"hotel": {"stars": 4, "parking": True, "internet": False}},
        {"hotel": {"stars": ["4", "3"], "parking": "yes", "internet": ["no"]}},
        "[hotel] stars 4 parking yes internet no",
        "{'hotel': {'stars': '4', 'parking': 'yes', 'internet': 'no'}}",
    ],
)
def test_models_values_are_read_as_text(scored: Scored, outputs: Outputs, written: Any) -> None:
    plain = {"hotel": {"stars": "4", "parking": "yes", "internet": "no"}}
    report, _ = scored(first_changed(outputs, state=plain))
    assert scored(first_changed(outputs, state=written))[0] == report
