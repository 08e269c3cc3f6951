"""Figures in sentences and tables of the documents that commands give, on the real data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT
from tracking_cases import read_file

from mwz.harness import Benchmark
from mwz.harness.metrics import GoldStates, score_tracking
from mwz.harness.metrics.setups import SETUPS
from mwz.harness.scoring import Options, Scorer, normalize, report_on
from mwz.harness.submission import HUMAN, read_predictions
from mwz.normalization import BeliefState

pytestmark = pytest.mark.real_data

Predictions = Callable[[str], Mapping[str, Any]]

FILES = {
    "LAVA, 2.0": "lava",
    "UBAR, 2.1": "ubar",
    "BORT": "bort",
    "HDNO, 2.1": "hdno",
    "PPTOD, 2.0": "pptod",
    "LABES": "labes",
    "MinTL": "mintl",
    "DoTS, 2.1": "dots",
    "GALAXY, 2.1": "galaxy-e2e",
    "UniConv": "uniconv",
    "HDSA": "hdsa",
    "MarCo": "marco",
    "GALAXY, 2.0": "galaxy-e2e",
    "GALAXY (policy), 2.1": "galaxy-policy",
    "SOLOIST": "soloist",
    "DAMD": "damd",
}
"""System in the table of scripts -> its predictions, where these are those of the evaluator."""


def _page(name: str) -> str:
    return (PROJECT / "docs" / name).read_text(encoding="utf-8")


def _rates(multiwoz: Benchmark, predictions: Mapping[str, Any], setup: str) -> str:
    scorer = Scorer(multiwoz, Options(setup=setup, metrics=["inform"]))
    scores = scorer.score(predictions).metrics[setup]
    return f"{scores.inform['total']:.1f}, {scores.success['total']:.1f}"


def _nearest() -> list[tuple[str, str, str, str]]:
    rows = []
    for line in _page("audit.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in FILES and len(cells) == 5:
            setup = re.match(r"`([\w-]+)`", cells[2])
            assert setup is not None
            rows.append((cells[0], setup[1], cells[3], cells[4]))
    return rows


@pytest.mark.parametrize(("system", "setup", "rates", "remark"), _nearest())
def test_rates_by_the_nearest_script(
    multiwoz: Benchmark,
    predictions: Predictions,
    system: str,
    setup: str,
    rates: str,
    remark: str,
) -> None:
    played = predictions(FILES[system])
    assert _rates(multiwoz, played, setup) == rates
    for other in re.findall(r"\(?`([\w-]+)`[),]", remark):
        if other in SETUPS and other != setup:
            assert _rates(multiwoz, played, other) in remark


def test_all_rows_are_of_known_systems() -> None:
    assert len(_nearest()) == len(FILES)


def test_domains_of_dard(multiwoz: Benchmark, upstream: Path) -> None:
    """The table of active domains; DoTS' row is in test_record.py."""
    folder = upstream / "DARD/data/predictions"
    names = ("domain_best_agents", "claude_domain_specific", "flant5_domain_specific")
    names += ("mistral_single_model", "mistral_domain_specific", "flant5_single_model")
    page = _page("findings.md")
    for domains, title in (("auto", "by default"), ("states", "from state changes")):
        options = Options(setup="strict", metrics=["inform", "bleu"], domains=domains)
        scorer = Scorer(multiwoz, replace(options, placeholders="dard"))
        cells = []
        for name in names:
            read = read_predictions(folder / f"response_gen_{name}.json").dialogues
            cells.append(f"{scorer.score(read).combined:.1f}")
        assert f"| {title} | {' | '.join(cells)} |" in page


def _alternatives(state: Mapping[str, Mapping[str, str]]) -> dict[str, set[str]]:
    values = {}
    for domain, slots in state.items():
        for slot, value in slots.items():
            values[f"{domain}-{slot}"] = set(value.split("|"))
    return values


def test_turns_that_are_the_same_in_both_versions(multiwoz: Benchmark, gold_24: GoldStates) -> None:
    same = 0
    for id_, states in gold_24.states.items():
        for state, other in zip(states, multiwoz.dialogues[id_].states, strict=True):
            ours, theirs = _alternatives(state), _alternatives(other)
            same += ours.keys() == theirs.keys() and all(ours[slot] & theirs[slot] for slot in ours)
    page = " ".join(_page("state-tracking.md").split())
    assert f"{same} of {gold_24.turns} turns have the same state" in page


def test_reported_bleu_in_the_systems_own_style(
    multiwoz: Benchmark, predictions: Predictions
) -> None:
    page = " ".join(_page("audit.md").split())
    scorer = Scorer(multiwoz, Options(metrics=["bleu"]))
    own = {"UBAR": "damd", "UniConv": "uniconv", "HDSA": "hdsa", "SOLOIST": "hdsa"}
    for system, style in own.items():
        bleu = scorer.score(predictions(system.lower())).bleu or {}
        assert f"{system} ({bleu[style]:.2f})" in page, bleu


def test_human_responses_without_delexicaliser(multiwoz: Benchmark) -> None:
    scorer = Scorer(multiwoz, Options(setup="strict", metrics=["inform"]))
    scores = report_on(scorer, normalize(scorer, HUMAN))
    page = " ".join(_page("lexicalised.md").split())
    assert f"human responses get {scores.inform:.1f} Inform and {scores.success:.1f}" in page


def test_ids_of_several_trains(multiwoz: Benchmark) -> None:
    trains = Counter(train["trainID"] for train in multiwoz.venues["train"])
    several = sum(count > 1 for count in trains.values())
    page = _page("lexicalised.md")
    assert f"stands for several trains ({several} of {len(trains)} do)" in page


def _stripped(states: Sequence[BeliefState]) -> list[BeliefState]:
    turns = []
    for state in states:
        turn = {}
        for domain, slots in state.items():
            turn[domain] = {slot: value.strip() for slot, value in slots.items()}
        turns.append(turn)
    return turns


def test_joint_accuracy_of_trippy(dst_data: Path) -> None:
    file = read_file(dst_data / "trippy" / "trippy_result.json")
    result = score_tracking(file.dialogues, by_part=False)
    fuzzy = result.fuzzy["joint_accuracy"]
    figures = f"its JGA is {result.metrics['JGA']:.2f}, fuzzy {fuzzy:.2f}"
    assert figures in " ".join(_page("audit.md").split())
    stripped = []
    for dialogue in file.dialogues:
        states = {"gold": _stripped(dialogue.gold), "predicted": _stripped(dialogue.predicted)}
        stripped.append(replace(dialogue, **states, written={}, blanks=False))
    jga = score_tracking(stripped, by_part=False).metrics["JGA"]
    figures = f"has {result.metrics['JGA']:.2f}, or {jga:.2f} without the spaces"
    assert figures in " ".join(_page("findings.md").split())
