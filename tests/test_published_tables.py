"""What the entries of the published tables do to a belief state or a response.

That no entry of them changes, the digests of `test_rules.py` tell.
"""

from __future__ import annotations

import pytest

from mwz.normalization import (
    RuleSet,
    normalize_value,
    normalized_text,
    published_rule_sets,
    rule_set,
    rule_set_names,
)

ALL = tuple(map(rule_set, rule_set_names()))
PUBLISHED = tuple(map(rule_set, published_rule_sets()))

# Slots whose values have other spellings.
SPELLED = ("food", "type", "parking", "internet", "name")


@pytest.mark.parametrize("slot", SPELLED)
def test_a_spelling_becomes_its_canonical_value(slot: str) -> None:
    for spelling, canonical in rule_set("2021").tables[slot].items():
        for rules in ALL:
            assert normalize_value(slot, spelling, rules) == canonical


def test_a_placeholder_becomes_its_ontology_name() -> None:
    for name, slot in rule_set("2021").ontology.items():
        for rules in ALL:
            assert normalized_text(f"see [{name}]", rules) == f"see {slot}", name


@pytest.mark.parametrize("rules", PUBLISHED, ids=published_rule_sets())
def test_what_is_deleted_from_responses_goes_in_this_order(rules: RuleSet) -> None:
    assert rules.tables["responses"]["deleted"] == ["-s", "-ly"]
    # "-l-sy" becomes "-ly" by the first and nothing by the second.
    assert normalized_text("quick-l-sy cat-s", rules) == "quick cat"
