"""Plain English and delexicalised responses: which a file holds, and what is read of both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, write_json
from plain_english import TOLD

from mwz.harness import InputError, Options, Scorer
from mwz.harness.benchmark import Benchmark
from mwz.harness.grounding.facts import placeholders_about_venues
from mwz.harness.submission import Standard
from mwz.harness.submission.formats.standard import plain_form
from mwz.normalization import rule_set

RULES = rule_set("2021")
WAYS = ("--lexicalised", "--free-running")

# A turn has each of these notations in the place of a name or a number.
DELEXICALISED = {
    "town001": ["[restaurant_name] cooks.", "At [ address ], <restaurant_phone>.", "Bye!"],
    "town002": ["{hotel_name} is.", "How many?", "The number is hotel_reference.", "Bye!"],
    "town004": ["Go to NAME!", "It is POST, REFERENCEREFERENCEt.", "Bye!"],
}


def _file(folder: Path, responses: Mapping[str, Sequence[str]]) -> Path:
    turns = {id_: [{"response": text} for text in texts] for id_, texts in responses.items()}
    return write_json(folder / "plain.json", turns)


@pytest.mark.parametrize("way", WAYS)
def test_delexicalised_responses_are_no_plain_english(cli: Cli, tmp_path: Path, way: str) -> None:
    message = cli.refused("score", _file(tmp_path, DELEXICALISED), way)
    assert "plain.json: dialogue town001, turn 0: delexicalised" in message
    assert "8 of 8 names and numbers are placeholders" in message
    assert f"{way} scores plain English, so leave it out" in message


def _placed(placeholders: int, names: int) -> dict[str, list[dict[str, str]]]:
    """Return a dialogue with so many placeholders and names."""
    text = " ".join([*["[value_name]"] * placeholders, *["Nonna's Attic,"] * names])
    return {"town001": [{"response": text}]}


# Of n the limit is n / 2 + sqrt(n), two standard deviations being 2 sqrt(n / 4).
@pytest.mark.parametrize(
    ("placeholders", "names", "refused"),
    [
        (4, 0, False),  # 2 + 2 = 4
        (5, 0, True),  # 2.5 + 2.24 = 4.74
        (5, 1, False),  # 3 + 2.45 = 5.45
        (12, 4, False),  # 8 + 4 = 12
        (13, 3, True),
        (1, 30, False),
    ],
)
def test_some_placeholders_are_a_remark_and_most_are_refused(
    sample: Benchmark, placeholders: int, names: int, refused: bool
) -> None:
    scorer = Scorer(sample, Options(lexicalised=True))
    if not refused:
        assert scorer.score(_placed(placeholders, names)).metrics["grounded"] is not None
        return
    message = f"{placeholders} of {placeholders + names} names and numbers are placeholders"
    with pytest.raises(InputError, match=message):
        scorer.score(_placed(placeholders, names))


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ("[value_name] and [ hotel phone ], <name>", ["[value_name]", "[ hotel phone ]", "<name>"]),
        ("NAME NAME. The PHONE is 01223", ["NAME", "NAME", "PHONE"]),
        ("REFERENCEREFERENCEt", ["REFERENCE"]),
        ("NAME , ADDRESS .", ["NAME", "ADDRESS"]),
        # No placeholders of venues, or none at all.
        ("[value_choice] in the AREA, 5 < 6 > 4, [acorn guest house]", []),
        ("Postcode, phone and address by post; an ADDRESSEE of POSTCODES", []),
        ("MY NAME IS BOB, AND THE PHONE IS BROKEN", []),
    ],
)
def test_placeholders_are_known_in_every_notation(response: str, found: list[str]) -> None:
    assert [*placeholders_about_venues(response, RULES)] == found


@pytest.mark.real_data
def test_published_plain_english_is_recognised(upstream: Path, multiwoz: Benchmark) -> None:
    """Two of TD-Eval's files have the same dialogues, one with the ontology's names in capitals."""
    scorer = Scorer(multiwoz, Options(free_running=True, metrics=["grounded"]))
    folder = upstream / "TD-Eval/datasets"
    plain = json.loads((folder / "autotod_dials_bt.json").read_text(encoding="utf-8"))
    some = dict(list(plain.items())[:20])
    assert scorer.score(some).metrics["grounded"] is not None
    capitals = json.loads((folder / "autotod_trad_auto_dials.json").read_text(encoding="utf-8"))
    with pytest.raises(InputError, match="names and numbers are placeholders"):
        scorer.score(capitals)
    path = upstream / "MultiWOZ_Evaluation/predictions/mars.json"
    with pytest.raises(InputError, match="names and numbers are placeholders"):
        Scorer(multiwoz, Options(lexicalised=True)).score(json.loads(path.read_bytes()))


# Files that hold both.


def _both(**more: Any) -> dict[str, list[dict[str, Any]]]:
    """Return dialogues with both kinds of responses, arranged as TD-Eval does."""
    return {
        f"{id_.upper()}.json": [
            {
                "turn": 2 * number,
                "user": "and then?",
                "state": {"restaurant": {"food": "italian"}},
                "lex_response": text,
                "response": "[value_name], [value_phone]",
                **more,
            }
            for number, text in enumerate(texts)
        ]
        for id_, texts in TOLD.items()
    }


@pytest.fixture
def both(tmp_path: Path) -> Path:
    content = {"metadata": {"agent_model": "a-model"}, "dialogues": _both()}
    return write_json(tmp_path / "both.json", content)


@pytest.mark.parametrize("way", WAYS)
def test_plain_english_fields_are_reported(cli: Cli, both: Path, tmp_path: Path, way: str) -> None:
    run = cli.done("score", both, way)
    assert "read `lex_response` as `response`: it is the one in plain English" in run.err
    alone = cli.json("score", _file(tmp_path, TOLD), way)
    assert cli.json("score", both, way)["grounded"] == alone["grounded"]


def test_delexicalised_responses_are_the_default(cli: Cli, both: Path, tmp_path: Path) -> None:
    run = cli.done("score", both)
    assert "`lex_response` 10×: is read where plain English is scored, by --lexicalised" in run.err
    assert "did you mean" not in run.err
    same = {
        id_: [{k: turn[k] for k in ("response", "state")} for turn in turns]
        for id_, turns in _both().items()
    }
    path = write_json(tmp_path / "same.json", same)
    assert cli.json("score", both)["strict"] == cli.json("score", path)["strict"]


def test_plain_english_of_some_turns_is_refused() -> None:
    turns = _both()
    del turns["TOWN002.json"][1]["lex_response"]
    with pytest.raises(InputError) as caught:
        plain_form(Standard(turns, "x"), "both.json")
    [problem] = caught.value.problems
    assert problem == (
        "dialogue TOWN002.json, turn 1: no `lex_response`, as in 1 of 10 turns; "
        "give it in every turn, or in none"
    )


def test_predictions_with_one_kind_of_responses_stay_as_they_are() -> None:
    standard = Standard({"a": [{"response": "x"}, 5], "b": "no list"}, "x")
    assert plain_form(standard, "x") is standard
