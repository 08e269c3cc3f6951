"""How far what users said and asked, and whose fault a loss is, agree with a reader.

The dialogues are public ones of language-model agents and users (repository TaahaKazi/user-agent),
on goals of MultiWOZ's dev set, matched by their instructions. One reader labelled 150
goal domains, a second one 40 of them; both are language models (`user_agent_faults.json`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mwz.harness import Benchmark
from mwz.harness.grounding.faults import UserPart
from mwz.harness.io import read_json
from mwz.harness.scoring import Options, Scorer, free_run
from mwz.harness.submission import (
    dialogue_id,
    plain_instructions,
    read_standard,
    standard_form,
)
from mwz.normalization import normalize_slot_name, rule_set

ANNOTATED = json.loads((Path(__file__).parent / "user_agent_faults.json").read_bytes())["labels"]
REQUESTED = {"phone": "PHONE", "postcode": "POST", "address": "ADDRESS", "reference": "REFERENCE"}
REQUESTED |= {"trainID": "TRAINID", "arriveBy": "arrive", "leaveAt": "leave"}
RULES = rule_set("2021")


@pytest.fixture(scope="module")
def labelled(multiwoz: Benchmark, upstream: Path) -> list[tuple[Mapping[str, Any], UserPart]]:
    """Each label and what is read of its domain."""
    goals = {}
    by_instructions = {}
    data = read_json(upstream / "ConvLab-2/data/multiwoz/val.json.zip")
    for id_, dialogue in data.items():
        goals[dialogue_id(id_)] = dialogue["goal"]
        message = plain_instructions(" ".join(dialogue["goal"]["message"]))
        by_instructions[message] = dialogue_id(id_)
    scorer = Scorer(multiwoz, Options(free_running=True, goals=goals))
    pairs = []
    for file in {label["file"] for label in ANNOTATED}:
        read = read_standard((upstream / "user-agent" / file).read_bytes(), file)
        labels = [label for label in ANNOTATED if label["file"] == file]
        wanted = {label["dialogue"] for label in labels}
        dialogues = {}
        for name, instructions in read.instructions.items():
            id_ = by_instructions.get(instructions)
            if id_ in wanted:
                dialogues[id_] = read.dialogues[name]
        _, run = free_run(scorer, standard_form(dialogues, file), file)
        for label in labels:
            pairs.append((label, run.parts[label["dialogue"]][label["domain"]]))
    return pairs


def _never(label: Mapping[str, Any], part: UserPart) -> Iterator[tuple[str, bool, bool]]:
    """Yield what is never said or asked, by the reader and as read."""
    for slot, said in {**label["constraints"], **label["booking"]}.items():
        name = normalize_slot_name(slot, RULES)
        yield "said", said == "never said", name in part.never_said
    for slot, requested in label["requested"].items():
        name = REQUESTED.get(slot, normalize_slot_name(slot, RULES))
        yield "asked", requested["asked"] != "asked", name in part.never_asked


@pytest.mark.real_data
def test_what_users_never_say_or_ask_agrees_with_a_reader(labelled: Any) -> None:
    counts: Counter[tuple[str, bool, bool]] = Counter()
    for label, part in labelled:
        counts.update(_never(label, part))
    for kind in ("said", "asked"):
        both = counts[kind, True, True]
        assert both / (both + counts[kind, False, True]) >= 0.93, (kind, counts)
        assert both / (both + counts[kind, True, False]) >= 0.90, (kind, counts)


@pytest.mark.real_data
def test_whose_fault_a_loss_is_agrees_with_a_reader(labelled: Any) -> None:
    # Two readers agree on .83 and .95.
    pairs = [(label["fault_by_text"], part.fault) for label, part in labelled]
    assert sum(first == second for first, second in pairs) / len(pairs) >= 0.85
    met = [label["agent_ok"] == part.success for label, part in labelled]
    assert sum(met) / len(met) >= 0.85
