"""Responses: the order of the steps, deleted suffixes, Moses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from mwz.normalization import (
    normalize_response,
    normalized_text,
    placeholder_names,
    rule_set,
    rule_set_names,
)

RULES = rule_set("2021")


@pytest.mark.parametrize(
    ("response", "text"),
    [
        # Every "-s", wherever it stands, and after it every "-ly".
        ("the pub -s menu", "the pub menu"),
        ("a well-suited t-shirt", "a welluited thirt"),
        ("cheap -ly priced", "cheap priced"),
        ("friend-ly", "friend"),
        # Deleting "-s" leaves "-ly", which goes next: "a--sly" -> "a-ly" -> "a".
        ("a--sly", "a"),
        # The other way round nothing is left to delete "-s" again: "a--lys" -> "a-s".
        ("a--lys", "a-s"),
    ],
)
def test_s_then_ly_are_deleted(response: str, text: str) -> None:
    for rules in map(rule_set, rule_set_names()):
        assert normalized_text(response, rules) == text


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("Hello !", "hello!"),
        ("i ' ve booked it , ok ?", "i 've booked it, ok?"),
        ("is n't it [name] ?", "is n't it NAME?"),
        ("it   is\there", "it is here"),
        ("it's  [value_price] .", "it's PRICE."),
        ("fish & chips", "fish & chips"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_text_is_lower_case_and_detokenised(response: str, text: str) -> None:
    assert normalized_text(response, RULES) == text


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="[]-slye_ NAMEhotel\u0130\u03a3.,'", max_size=40))
def test_any_response_is_normalised_with_blanks_only_inside(response: str) -> None:
    text, placeholders = normalize_response(response, RULES)
    names = placeholder_names(response)
    assert text == " ".join(text.split())
    assert set(placeholders.unknown) <= set(names)
    assert placeholders.with_domain <= placeholders.about_venues <= len(names)
