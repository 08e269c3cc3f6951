"""Outputs as people hold them score as they did, or one message leads to a score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers import refusal, sample_predictions
from mangled import KEYED, TEXTS, WHOLE, Mangle

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
    (told,) = (remark for remark in remarks if remark.kind == "states")
    assert told.warning
    assert str(told).startswith("dialogue town001, turn 0: `state`")


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
        found, told = scored(WHOLE[name](outputs))
        assert found == report, name
        assert [r for r in told if r.warning] == [], name
