"""Whatever a file holds: a report or one message; and what makes no difference to a score."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers import SUBMISSIONS, Cli, write_json
from hypothesis import given, settings, strategies as st

from mwz.harness.data import load_benchmark
from mwz.harness.scoring import Report, Scorer, report_on
from mwz.harness.submission import (
    checked_submission,
    normalize_submission,
    parse_predictions,
    standard_form,
)

CAREFUL: Mapping[str, Any] = json.loads((SUBMISSIONS / "careful.json").read_text())
SCORER = Scorer(load_benchmark("sample"))


def _score(content: object) -> Report:
    data = json.dumps(content).encode()
    standard = standard_form(parse_predictions(data, "x.json"), "x.json")
    submission = checked_submission(standard, SCORER.benchmark, "x.json")
    return report_on(SCORER, normalize_submission(submission, SCORER.rules))


_WHOLE = _score(CAREFUL)


@settings(max_examples=5, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_dialogues_and_further_keys_change_nothing(random: Any) -> None:
    names = list(CAREFUL)
    random.shuffle(names)
    content = {
        name: [{**turn, f"note {random.random()}": random.random()} for turn in CAREFUL[name]]
        for name in names
    }
    shuffled, whole = _score(content).to_dict(), _WHOLE.to_dict()
    # By its definition a mean over segments of the running text, in the file's order.
    for report in (shuffled, whole):
        report["diversity"].pop("msttr")
    assert shuffled == whole


@settings(max_examples=5, deadline=None)
@given(st.sets(st.sampled_from(sorted(CAREFUL)), min_size=1, max_size=len(CAREFUL) - 1))
def test_counts_of_a_part_and_of_the_rest_add_up(names: set[str]) -> None:
    part = _score({name: turns for name, turns in CAREFUL.items() if name in names})
    rest = _score({name: turns for name, turns in CAREFUL.items() if name not in names})
    for setup in ("strict", "optimistic"):
        for rate in ("inform", "success"):
            counts = [
                getattr(report.metrics[setup], rate)["total"] * report.coverage.dialogues / 100
                for report in (part, rest, _WHOLE)
            ]
            assert counts[0] + counts[1] == pytest.approx(counts[2], abs=1e-9)
            assert counts[2] == pytest.approx(round(counts[2]), abs=1e-9)
    assert part.coverage.dialogues + rest.coverage.dialogues == _WHOLE.coverage.dialogues
    assert part.coverage.turns + rest.coverage.turns == _WHOLE.coverage.turns


HOSTILE = "\x1b[2J\x07\u202emwz: forged\r\x9b"


@pytest.mark.parametrize(
    "command",
    [
        ("score",),
        ("dst", "--per-domain"),
        ("dst", "--dialogue", HOSTILE),
        ("check",),
        ("why",),
        ("why", "--dialogue", HOSTILE),
        ("convert", "-o", os.devnull),
        ("delexicalise", "-o", os.devnull),
        ("compare", str(SUBMISSIONS / "hasty.json")),
        ("submit", "--name", HOSTILE, "--track", "end-to-end"),
        ("score", "--benchmark", HOSTILE),
        ("score", f"@{HOSTILE}"),
    ],
    ids=lambda command: " ".join(command).replace(HOSTILE, "HOSTILE")[:40],
)
def test_names_are_escaped_in_messages(command: tuple[str, ...], tmp_path: Path, cli: Cli) -> None:
    turns = [{"response": HOSTILE, "state": {HOSTILE: {HOSTILE: HOSTILE}}, HOSTILE: HOSTILE}]
    known = next(iter(CAREFUL))
    files = {
        "id": {**CAREFUL, HOSTILE: turns},
        "state": {**CAREFUL, known: [{**CAREFUL[known][0], "state": turns[0]["state"]}]},
        "gold": {HOSTILE: {"0": {"turn_belief": [HOSTILE], "pred_bs_ptr": [f"a-b-{HOSTILE}"]}}},
        "tracked": {HOSTILE: {"0": {"gold": {"a": {HOSTILE: "b"}}, "pred": {"a": {"b": HOSTILE}}}}},
        "fine": CAREFUL,
    }
    for kind, content in files.items():
        path = write_json(tmp_path / f"{kind}{HOSTILE.replace('/', '')}.json", content)
        folder = tmp_path / HOSTILE / "submissions"
        extra = ("--submissions", folder, "--replace") if command[0] == "submit" else ()
        run = cli(command[0], path, *command[1:], *extra)
        assert run.status in (0, 1, 2), run
        for shown in (run.out, run.err):
            odd = {c for c in shown if not (c.isprintable() or c in "\n\t")}
            assert not odd, (kind, shown)
        assert "\nmwz: forged" not in run.err
