"""DAMD's log: its turns, whose dialogues they are, and the gold domains that come of it."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import benchmark, dialogue, parse_submission, refusal

from mwz.harness import Benchmark, InputError, Options, Scorer, load_predictions
from mwz.harness.data.multiwoz22 import with_damd_domains
from mwz.harness.metrics import parse_tracking_file, score_tracking
from mwz.harness.submission import parse_predictions, standard_form
from mwz.harness.submission.formats.damd import DAMD_LOG

USERS = {
    "a1": ["I 'm hungry , is there any food at the old mill ?", "Table for two please ."],
    "b2": ["A bed near the harbour , please .", "Two nights would do .", "Thanks , bye ."],
    "c3": ["I 'm hungry , is there any food at the old mill ?", "Only its postcode , thanks ."],
}


def _turn(user: str, domains: str, state: str = "{}") -> str:
    return (
        f"constraint_dict:{state}\nuser turn:{user}\nresp turn:sure , at [value_time] .\n"
        f"pred_domains:{{'[hotel]': 1}}\ntrue_domains:{domains}\n=====\n"
    )


LOG = "batch_size: 3\n" + "".join(
    [
        _turn("a bed near the harbour , please .", "{'[hotel]': 1}", "{'hotel': {'area': 'port'}}"),
        _turn("2 night -s would do .", "{'[hotel]': 1, '[taxi]': 1}"),
        _turn("thanks , bye .", "{'[general]': 1}"),
        _turn("i am hungry , is there any food at the old mill ?", "{'[restaurant]': 1}"),
        _turn("only its postcode , thanks .", "{'[restaurant]': 1}"),
    ]
)


def _parsed(log: str) -> Any:
    return DAMD_LOG.parse(log.encode(), "log")


def test_a_turn_holds_what_its_lines_say() -> None:
    first, second, *_ = _parsed(LOG)
    assert (first["line"], first["user"]) == (2, "a bed near the harbour , please .")
    assert first["state"] == "{'hotel': {'area': 'port'}}"
    assert second["gold_domains"] == ["hotel", "taxi"]


def test_dialogues_are_found_by_what_users_say() -> None:
    found = DAMD_LOG.read(_parsed(LOG), "log").dialogues_among(USERS)
    assert [(id_, len(turns)) for id_, turns in found.items()] == [("b2", 3), ("c3", 2)]


def test_the_log_is_a_trackers_and_its_responses_are_not_read() -> None:
    states = [{"hotel": {"area": "port"}}, {}, {}]
    two = benchmark({"b2": replace(dialogue({}, 3), states=states, users=USERS["b2"])})
    log = LOG[: LOG.index("constraint_dict:{}\nuser turn:i am")].encode()
    content = parse_predictions(log, "log")
    with pytest.raises(InputError, match="states alone are scored by `mwz dst`"):
        parse_submission(content, two, "log")
    file = parse_tracking_file(content, "log", lambda: two)
    assert file.format == "DAMD's log"
    # Each of the three turns is right.
    assert score_tracking(file.dialogues).metrics["JGA"] == 100


def test_logs_can_be_pickled() -> None:
    standard = standard_form(parse_predictions(LOG.encode(), "log"), "log")
    assert standard.dialogues == {}
    copied = pickle.loads(pickle.dumps(standard))
    assert list(copied.dialogues_among(USERS)) == ["b2", "c3"]


def test_a_turn_of_no_dialogue_is_named_with_its_line() -> None:
    log = _turn("which moon is nearest to jupiter ?", "{'[general]': 1}") + LOG
    # The second dialogue has two turns, of six lines each; its first one begins in line 20.
    cut_off = "".join(LOG.splitlines(keepends=True)[:-6])
    for text, message in ((log, "line 1: .* 'which moon"), (cut_off, "line 20: begins no whole")):
        with pytest.raises(InputError, match=message):
            DAMD_LOG.read(_parsed(text), "log").dialogues_among(USERS)


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("user turn:hello\n", "line 1: expected `constraint_dict:`, `user turn:`"),
        (_turn("hello", "{'[taxi]': 1}").partition("pred")[0], "line 1: expected `constraint_di"),
    ],
)
def test_what_is_no_log_is_refused_with_its_place(log: str, message: str) -> None:
    assert refusal(_parsed, log).problems[0].startswith(message)


def test_gold_domains_are_the_logs_and_the_rules_where_it_has_none(tmp_path: Path) -> None:
    dialogues = {
        id_: replace(dialogue({}, len(users), active=[["train"]] * len(users)), users=tuple(users))
        for id_, users in USERS.items()
    }
    log = tmp_path / "test_log.txt"
    log.write_text(LOG, encoding="utf-8")
    built, note = with_damd_domains(benchmark(dialogues), log)
    assert built.dialogues["b2"].gold_domains == [["hotel"], ["hotel", "taxi"], ["general"]]
    assert built.dialogues["b2"].active_domains == [["train"]] * 3
    assert built.dialogues["a1"].gold_domains == [["train"], ["train"]]
    assert note.endswith("2 of 3 dialogues; by rule from states and acts for a1")
    signature = Scorer(built, Options(setup="optimistic")).signature()
    assert "|gold-domains:damd|" in str(signature)
    assert signature.comparable_with(replace(signature, gold_domains="rule")).reasons
    # The strict set-up uses no gold domains.
    assert Scorer(built, Options(setup="strict")).signature().gold_domains is None


@pytest.mark.real_data
def test_the_public_log_has_all_dialogues_but_one(multiwoz: Benchmark, upstream: Path) -> None:
    log = upstream / "MinTL" / "damd_multiwoz" / "test_log.txt"
    assert multiwoz.users.keys() - load_predictions(log, multiwoz).keys() == {"mul0789"}
    with pytest.raises(InputError, match="do not name their dialogues; give the benchmark"):
        load_predictions(log)
