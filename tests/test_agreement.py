"""How far grounded scores agree with readers: 100 public dialogues with a user simulator.

The dialogues are AutoTOD's, on goals of the test set (repository emrecanacikgoz/TD-Eval). The file
holds no verdicts. Readers answered the questions of AutoTOD's own judge (`evaluate.py` of
DaDaMrX/AutoTOD) for each domain: which venue or train does the user end up with, and which value is
given for each requested slot? A domain is informed if the database's venue meets the goal, and
succeeds if no requested value that the database has is missing or wrong. One reader, who was not
blind, read all domains; the verdicts of two blind ones, which are language models, are in
`autotod_verdicts.json`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mwz.harness import Benchmark
from mwz.harness.scoring import Options, Scorer, free_run
from mwz.harness.submission import dialogue_id, read_standard

# The domains in which a reader finds something lost; all others are served.
NOT_INFORMED = {
    # Only trains that arrive too late; only theatres for entertainment (twice the type is wrong,
    # once the user changes his mind); no museum; no train; a restaurant that is never spoken of.
    ("pmul0518", "train"),
    ("mul2637", "attraction"),
    ("mul0939", "attraction"),
    ("mul1159", "attraction"),
    ("mul1417", "restaurant"),
    ("mul1417", "train"),
    ("pmul4564", "attraction"),
}
NOT_TOLD = {("mul2148", "hotel")}  # the postcode


@pytest.fixture(scope="module")
def outcomes(multiwoz: Benchmark, upstream: Path) -> Mapping[str, Any]:
    """Dialogue id -> how it went, by grounded scores."""
    path = upstream / "TD-Eval/datasets/autotod_dials_bt.json"
    goals = upstream / "ConvLab-2/data/multiwoz/test.json.zip"
    scorer = Scorer(multiwoz, Options(free_running=True, goals=goals))
    _, run = free_run(scorer, read_standard(path.read_bytes(), path.name), path.name)
    return {dialogue_id(written): outcome for written, outcome in run.outcomes.items()}


@pytest.mark.real_data
def test_grounded_scores_agree_with_blind_readers(outcomes: Mapping[str, Any]) -> None:
    counts: Counter[str] = Counter()
    differing = []
    for verdict in json.loads((Path(__file__).parent / "autotod_verdicts.json").read_bytes()):
        went = outcomes[verdict["dialogue"]].domains[verdict["domain"]]
        scored = {
            "inform": went.matched_all,
            "success": went.matched_all and all(went.provided.values()) and went.tells_further,
        }
        for name, value in scored.items():
            if verdict[name] is None:
                continue
            counts += Counter({name: 1, f"{name} lost": not verdict[name]})
            if value != verdict[name]:
                differing.append((name, verdict["dialogue"], verdict["domain"]))
    assert counts == {"inform": 127, "inform lost": 6, "success": 98, "success lost": 8}
    # The type of the guesthouse is told by its name alone.
    assert differing == [("success", "mul1278", "hotel")]


@pytest.mark.real_data
def test_grounded_scores_agree_with_a_reader(outcomes: Mapping[str, Any]) -> None:
    counts: Counter[str] = Counter()
    for id_, outcome in outcomes.items():
        for name, went in outcome.domains.items():
            informed = (id_, name) not in NOT_INFORMED
            assert went.matched_all == informed, (id_, name)
            requests = bool(went.further or set(went.provided) - {"REFERENCE"})
            counts += Counter({"domains": 1, "requesting": requests})
            if requests:
                succeeds = informed and (id_, name) not in NOT_TOLD
                assert (went.matched_all and all(went.provided.values())) == succeeds, (id_, name)
                assert succeeds <= went.tells_further, (id_, name)
    assert counts == {"domains": 180, "requesting": 98}
