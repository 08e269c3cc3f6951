"""What tests of causes share: mending what a cause says is wrong."""

from __future__ import annotations

from dataclasses import replace

from mwz.harness.metrics import DomainResult, PlayedDialogue


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
