"""Whatever predictions are rewritten to, they score the same, or the user is told.

What is asked of every kind of rewriting is the same: no figure changes by more than half a point
unless the file is refused or a warning appears that the original does not get. What the
documentation says is read like the standard form must score exactly the same, without a warning.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from helpers import sample_predictions
from rescored import SILENT, SYSTEMS, Rescorer, encoded, gold_outputs, silent_kinds_of_systems
from rewritings import FAMILIES, Outputs, Turn, kinds

from mwz.harness import Benchmark, load_benchmark

KINDS = kinds()

UNTOLD: Mapping[str, Sequence[str]] = {
    "each of the times is one that a user may mean": ("values: time of twelve hours",),
    "it is one value of ten, as published files have in larger ones": ("values: theater",),
    "published trackers are as good, or as bad": (
        "states of turns: domain of the turn only",
        "states of turns: first values only",
        "states of turns: gold states in half of the dialogues",
    ),
    "published systems leave out as many names": ("slots: no names",),
    "few of the sample's responses are longer": ("responses: first hundred characters",),
    "published systems end as many responses so": ("responses: five words in a quarter",),
}
"""Why nobody can be told of a change on the sample -> the kinds."""

UNCHANGED = {
    "fields: unchanged",
    "notations: nested",
    "turns: ids in order",
}
"""The kinds that write the very same."""

FOREIGN: Mapping[str, Sequence[str]] = {
    "no predicted name has `and` in it": ("values: names with &",),
    "no response has digits": ("responses: full-width digits",),
}
"""What the sample lacks -> the kinds that rewrite nothing in it."""

_PLACEHOLDERS = {
    "arriveby": "value_arrive",
    "bookday": "value_day",
    "bookpeople": "value_people",
    "booktime": "value_time",
    "entrancefee": "value_price",
    "internet": "internet",
    "leaveat": "value_leave",
    "parking": "parking",
    "ref": "value_reference",
    "trainid": "value_id",
}
"""The sample's placeholders that published systems do not call so with `value_` before."""

_ANY_VALUE = {"restaurant": "pricerange", "hotel": "pricerange", "attraction": "area"}


def _as_published(predictions: Outputs) -> dict[str, list[Turn]]:
    """Return predictions as published systems write them.

    Responses are in lower case, with blanks around punctuation and placeholders that begin with
    `value_`. In every third dialogue any value of a slot is right, which the sample's users do not
    say.
    """
    written = {}
    for number, (id_, dialogue) in enumerate(predictions.items()):
        turns = []
        for turn in dialogue:
            state = {domain: {**slots} for domain, slots in turn["state"].items()}
            for domain in sorted(state.keys() & _ANY_VALUE.keys()) if number % 3 == 0 else ():
                state[domain].setdefault(_ANY_VALUE[domain], "dontcare")
            turns.append({"response": _tokenised(turn["response"]), "state": state})
        written[id_] = turns
    return written


def _tokenised(text: str) -> str:
    spaced = re.sub(r" *([.,!?])", r" \1", text.lower())
    return re.sub(r"\[(\w+)\]", lambda m: f"[{_PLACEHOLDERS.get(m[1], f'value_{m[1]}')}]", spaced)


@pytest.fixture(scope="module")
def town() -> Benchmark:
    return load_benchmark("sample")


@pytest.fixture(scope="module")
def outputs() -> Outputs:
    return _as_published(sample_predictions("careful"))


@pytest.fixture(scope="module")
def gold(town: Benchmark) -> Outputs:
    return gold_outputs(town)


@pytest.fixture(scope="module")
def rescorer(town: Benchmark) -> Rescorer:
    return Rescorer(town)


@pytest.mark.parametrize("name", KINDS)
def test_a_rewriting_scores_the_same_or_the_user_is_told(
    name: str, rescorer: Rescorer, outputs: Outputs, gold: Outputs
) -> None:
    effect = rescorer.effect_of(name, outputs, gold)
    untold = [name for names in UNTOLD.values() for name in names]
    assert bool(effect.silent) == (name in untold), effect


DOCUMENTED = [name for name, (_, kind) in KINDS.items() if kind.meant == "documented"]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_what_is_documented_is_read_like_the_standard_form(
    name: str, rescorer: Rescorer, outputs: Outputs, gold: Outputs
) -> None:
    effect = rescorer.effect_of(name, outputs, gold)
    assert not effect.messages
    assert dict.fromkeys(effect.changes, 0) == pytest.approx(effect.changes)


def test_the_original_gets_no_warning(rescorer: Rescorer, outputs: Outputs, gold: Outputs) -> None:
    for family in FAMILIES.values():
        for reading in rescorer.readings(family.original(outputs, gold), family.figures):
            assert (reading.error, reading.warnings) == ("", ())


def test_rewritings_are_pure(outputs: Outputs, gold: Outputs) -> None:
    given = copy.deepcopy((outputs, gold))
    for name, (family, kind) in KINDS.items():
        original = family.original(outputs, gold)
        first, second = kind.rewrite(original, gold), kind.rewrite(original, gold)
        assert encoded(first) == encoded(second), name
        assert (outputs, gold) == given, name


def test_every_kind_rewrites_something(outputs: Outputs, gold: Outputs) -> None:
    foreign = [name for names in FOREIGN.values() for name in names]
    unchanged = set()
    for name, (family, kind) in KINDS.items():
        original = family.original(outputs, gold)
        if encoded(kind.rewrite(original, gold)) == encoded(original):
            unchanged.add(name)
    assert unchanged == {*UNCHANGED, *foreign}


def test_gold_beside_predictions_differs_from_them(outputs: Outputs, gold: Outputs) -> None:
    # Else to take one for the other would change no score.
    for field in ("state", "response"):
        others = turns = 0
        for id_, dialogue in outputs.items():
            for turn, right in zip(dialogue, gold[id_], strict=True):
                others += turn[field] != right[field]
                turns += 1
        assert others > turns / 10


# Published files.


@pytest.mark.real_data
def test_hardly_any_rewriting_of_twelve_dialogues_changes_a_score_in_silence(
    multiwoz: Benchmark, predictions: Callable[[str], Any]
) -> None:
    silent = silent_kinds_of_systems(SYSTEMS, 12, multiwoz, predictions)
    assert len(silent) <= SILENT * len(KINDS), silent
