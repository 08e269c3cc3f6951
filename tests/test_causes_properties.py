"""Causes on the sample: they add up to the rates, and mending what they name mends the domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from diagnosed import check_sums, mended
from helpers import SUBMISSIONS, read_submission
from hypothesis import assume, given, settings, strategies as st
from stepped import rates_of

from mwz.harness.data import load_benchmark
from mwz.harness.diagnosis import Diagnosis, diagnose
from mwz.harness.diagnosis.causes import explain
from mwz.harness.metrics import PlayedDialogue
from mwz.harness.scoring import Options, Scorer, database_of
from mwz.harness.submission import made_submission, normalize_submission

SCORER = Scorer(load_benchmark("sample"), Options(metrics=["inform"]))
# Causes that are not the state's.
NAMING = ("never named", "named while another domain is active")
DATABASE, RULES = database_of(SCORER), SCORER.rules


def _diagnoses() -> dict[str, Diagnosis]:
    submissions = {"corpus": made_submission(SCORER.benchmark, "mwz22")}
    for path in sorted(SUBMISSIONS.glob("*.json")):
        submissions[path.stem] = normalize_submission(
            read_submission(path, SCORER.benchmark), RULES
        )
    return {name: diagnose(SCORER.played(said)) for name, said in submissions.items()}


DIAGNOSES = _diagnoses()
DIALOGUES = [dialogue for diagnosis in DIAGNOSES.values() for dialogue in diagnosis.dialogues]


@pytest.mark.parametrize("name", DIAGNOSES)
def test_causes_add_up_to_the_losses(name: str) -> None:
    rates = rates_of(DIAGNOSES[name].dialogues, DATABASE, RULES)
    check_sums(DIAGNOSES[name], rates["inform"], rates["success"])


def _check_mending(dialogue: PlayedDialogue, most: int) -> None:
    """Mend what the causes name, domain by domain, until the state is not to blame any more.

    Faults are those of the deciding turn. Right, it may let a later turn decide, whose own fault
    did not matter before: each is mended once, and at most so many turns are.
    """
    for domain, first in explain(dialogue, DATABASE, RULES).items():
        if first.cause in (None, *NAMING):
            continue
        mending, diagnosis, turns = dialogue, first, [-1]
        while diagnosis.cause is not None:
            assert diagnosis.faults
            assert diagnosis.turn > turns[-1], (dialogue.id, domain, diagnosis)
            turns.append(diagnosis.turn)
            mending = mended(mending, domain, diagnosis)
            diagnosis = explain(mending, DATABASE, RULES)[domain]
        assert len(turns) - 1 <= most


@pytest.mark.parametrize("name", DIAGNOSES)
def test_mending_a_cause_mends_its_domain(name: str) -> None:
    for dialogue in DIAGNOSES[name].dialogues:
        _check_mending(dialogue, most=1)


def test_a_fault_that_did_not_matter_is_named_once_it_does() -> None:
    """The goal is cheap and east. Nothing cheap is in the centre but what is also british."""
    [dialogue] = [played for played in DIAGNOSES["corpus"].dialogues if played.id == "town024"]
    centre = {"pricerange": "cheap", "area": "centre"}
    british = {**centre, "food": "british"}
    slots = (centre, british, british, british)
    wrong = replace(dialogue, states=[{"restaurant": values} for values in slots])
    # The second turn finds no other venues than the first, which therefore decides.
    first = explain(wrong, DATABASE, RULES)["restaurant"]
    assert (first.turn, [fault.slot for fault in first.faults]) == (0, ["area"])
    # In the east nothing cheap is british: with the area right, the second turn decides.
    second = explain(mended(wrong, "restaurant", first), DATABASE, RULES)["restaurant"]
    assert (second.turn, [fault.slot for fault in second.faults]) == (1, ["food"])
    _check_mending(wrong, most=2)


def _values() -> dict[tuple[str, str], list[str]]:
    """Return (domain, slot) -> values: those of the sample's states, and two that none has."""
    found: dict[tuple[str, str], set[str]] = {}
    for dialogue in DIALOGUES:
        for state in dialogue.states:
            for domain, slots in state.items():
                for slot, value in slots.items():
                    found.setdefault((domain, slot), {"nowhere", "dontcare"}).add(value)
    return {slot: sorted(values) for slot, values in found.items()}


_VALUES = _values()


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_mending_mends_whatever_is_wrong_with_states(data: st.DataObject) -> None:
    dialogue = data.draw(st.sampled_from(DIALOGUES))
    slots = sorted(
        {(d, s) for state in dialogue.states for d, values in state.items() for s in values}
    )
    assume(slots)
    # The same damage in all turns: a slot never noted, or noted wrongly, or a domain missed.
    damage: dict[tuple[str, str], str | None] = {
        slot: data.draw(st.none() | st.sampled_from(_VALUES[slot]))
        for slot in data.draw(st.lists(st.sampled_from(slots), max_size=3, unique=True))
    }
    missed = data.draw(st.sampled_from([None, None, None, *dict.fromkeys(d for d, _ in slots)]))
    states = []
    for state in dialogue.states:
        damaged = {domain: dict(values) for domain, values in state.items() if domain != missed}
        for (domain, slot), value in damage.items():
            if slot in damaged.get(domain, {}):
                del damaged[domain][slot]
                if value is not None:
                    damaged[domain][slot] = value
        states.append(damaged)
    _check_mending(replace(dialogue, states=states), most=len(states))


def test_naming_in_an_active_domain_is_what_the_other_causes_want() -> None:
    # Once the domain is active in all turns, it was not "named while another domain is active".
    found = 0
    for dialogue in DIALOGUES:
        for domain, diagnosis in explain(dialogue, DATABASE, RULES).items():
            if diagnosis.cause in NAMING:
                everywhere: Sequence[Sequence[str]] = [[domain]] * len(dialogue.responses)
                after = explain(replace(dialogue, active_domains=everywhere), DATABASE, RULES)
                never = diagnosis.cause == "never named"
                assert (after[domain].cause == "never named") == never
                found += 1
    assert found
