"""What tests of causes share: mending what a cause says is wrong, and sums of causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from mwz.harness.diagnosis import Diagnosis
from mwz.harness.diagnosis.losses import domain_losses, points
from mwz.harness.metrics import TOTAL, DomainResult, PlayedDialogue


def mended(dialogue: PlayedDialogue, domain: str, diagnosis: DomainResult) -> PlayedDialogue:
    """Return the dialogue with what was wrong in the deciding turn's state right from then on."""
    states = list(dialogue.states)
    for turn in range(diagnosis.turn, len(states)):
        slots = dict(states[turn].get(domain, {}))
        for fault in diagnosis.faults:
            slots.pop(fault.slot, None)
            if fault.wanted is not None:
                slots[fault.slot] = fault.wanted
        states[turn] = {**states[turn], domain: slots}
    return replace(dialogue, states=states)


def check_sums(
    diagnosis: Diagnosis, inform: Mapping[str, float], success: Mapping[str, float]
) -> None:
    """Check that the causes of lost points add up to what the rates, in percent, lose."""
    losses = domain_losses(diagnosis.results)
    assert set(losses) == set(inform) - {TOTAL}
    for domain, lost in losses.items():
        # In dialogues, which are whole numbers.
        assert sum(lost.matched.values()) == round(lost.dialogues * (1 - inform[domain] / 100))
        assert sum(lost.success.values()) == round(lost.dialogues * (1 - success[domain] / 100))
        assert (lost.inform, lost.succeeded) == pytest.approx((inform[domain], success[domain]))
    costs = points(diagnosis.results).values()
    assert sum(cost.inform for cost in costs) == pytest.approx(100 - inform[TOTAL])
    assert sum(cost.success for cost in costs) == pytest.approx(100 - success[TOTAL])
