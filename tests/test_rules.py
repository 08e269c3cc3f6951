"""Rule sets are declared, published ones are settled, and every table is part of the digest."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mwz.database import VenueDatabase
from mwz.normalization import RuleSet, published_rule_sets, rule_set, rule_set_names
from mwz.normalization.rules import READ_BY_CODE, merge_tables

# What scores under these names stand for, for ever. What belongs to a later rule set goes into
# rule_sets/next.toml.
PUBLISHED = {
    "2021": "ebbc17595ae0ef66c941fa91ec25f84d7a3938e61da5373daba9aa165953aeda",
    "2023": "b046be17c43aee8cbcd0701f5e3d8ddb1f122d1f2275d9a132cc700a380575f2",
    "2026": "fa1f5b58eeaf0b3fc316ff592e514807ea5d35d58a71a95cad5b04bdd89bdb62",
}


# Whose venues they look in; that is no part of the digest.
VENUES = {"2021": "2021", "2023": "2023", "2026": "2023"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_rule_sets_are_what_they_were(name: str) -> None:
    rules = rule_set(name)
    assert rules.digest == rules.published == PUBLISHED[name]
    assert rules.venues == VENUES[name]


def test_the_rule_set_to_come_is_declared_and_not_published() -> None:
    assert published_rule_sets() == tuple(PUBLISHED)
    assert rule_set_names()[-1] == "next"
    assert rule_set("next").published is None


@pytest.mark.parametrize("name", rule_set_names())
def test_every_rule_set_says_since_when_and_what_it_changed(name: str) -> None:
    rules = rule_set(name)
    assert rules.date
    assert rules.change.endswith(".")
    # Every slot's rule has a table, and every domain with venues what they are asked for.
    assert set(rules.tables["value_rules"].values()) - {*READ_BY_CODE} <= set(rules.tables)
    for venue in rules.venue_rules.values():
        assert {venue.identifier, venue.named_by, *venue.fuzzy, *venue.times} <= set(venue.columns)


def _changed(content: Any, path: tuple[Any, ...]) -> Any:
    """Return a copy of tables with one leaf, at a path, made another."""
    changed = copy.deepcopy(content)
    place = changed
    for step in path[:-1]:
        place = place[step]
    leaf = place[path[-1]]
    place[path[-1]] = leaf + 1 if isinstance(leaf, int) else f"{leaf}x"
    return changed


def _leaves(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(content, Mapping):
        return [leaf for key, value in content.items() for leaf in _leaves(value, (*path, key))]
    if isinstance(content, list):
        return [
            leaf for place, value in enumerate(content) for leaf in _leaves(value, (*path, place))
        ]
    return [path]


def test_every_single_entry_of_every_table_is_part_of_the_digest() -> None:
    rules = rule_set("2023")
    leaves = _leaves(rules.tables)
    assert len(leaves) > 250
    digests = {replace(rules, tables=_changed(rules.tables, leaf)).digest for leaf in leaves}
    assert len(digests | {rules.digest}) == len(leaves) + 1


def test_digests_cover_rules_but_not_names() -> None:
    rules = rule_set("2023")
    assert replace(rules, normalises_venues=True).digest != rules.digest
    assert rules.digest != rule_set("2026").digest
    assert replace(rules, name="other", date="", change="").digest == rules.digest


def test_merged_tables_keep_the_earlier_value_and_join_lists() -> None:
    first = {"a": {"x": "1", "l": ["p"]}}
    second = {"a": {"x": "2", "y": "3", "l": ["q"]}, "b": {"z": "4"}}
    assert merge_tables([first, second]) == {
        "a": {"x": "1", "l": ["p", "q"], "y": "3"},
        "b": {"z": "4"},
    }
    assert merge_tables([first, second], last_wins=True)["a"] == {
        "x": "2",
        "l": ["p", "q"],
        "y": "3",
    }
    assert first == {"a": {"x": "1", "l": ["p"]}}


def test_copies_of_a_declared_rule_set_are_the_rule_set_itself() -> None:
    rules = rule_set("2023")
    assert pickle.loads(pickle.dumps(rules)) is rules
    assert copy.deepcopy(rules) is rules
    other = replace(rules, name="own")
    assert pickle.loads(pickle.dumps(other)).digest == other.digest


def test_a_rule_set_of_ones_own_scores_by_its_own_tables() -> None:
    rules = rule_set("2021")
    strict = {**rules.tables, "queries": {**rules.tables["queries"], "fuzzy_ratio": 100}}
    own: RuleSet = replace(rules, name="own", tables=strict)
    # 19 of 20 letters are the same: 2 * 19 / 40 = 95.
    records = {"hotel": [{"id": "h1", "name": "the golden curry inn"}]}
    asked = {"name": "the golden curry imn"}
    assert list(VenueDatabase(records, rules).query("hotel", asked)) == ["h1"]
    assert list(VenueDatabase(records, own).query("hotel", asked)) == []
