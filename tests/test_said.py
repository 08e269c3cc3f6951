"""What is counted of responses in the references' tokens is what their texts say."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from mwz.harness.benchmark import CANONICAL_STYLE
from mwz.harness.metrics._references import ReferenceIndex
from mwz.harness.metrics.words import LONG, words_of

SLOTS = ("NAME", "PHONE", "TRAINID")
WORDS = [
    "the",
    "NAME",
    "NAMEs",
    "it's",
    "PHONE,",
    ",",
    ".",
    "a-b",
    "NAME-PHONE",
    "is",
    "on",
    "TRAINID",
]
TEXTS = st.lists(st.sampled_from([*WORDS, "unheard", "unNAMEd"]), max_size=9).map(" ".join)
REFERENCES = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(TEXTS, REFERENCES, REFERENCES), min_size=1, max_size=6), st.data())
def test_slots_and_copies_are_those_of_the_texts(
    turns: Sequence[tuple[str, str, str]], data: st.DataObject
) -> None:
    texts, canonical, other = map(list, zip(*turns, strict=True))
    index = ReferenceIndex({"d": {CANONICAL_STYLE: canonical, "other": other}})
    # Copies are rarely drawn.
    for turn, reference in enumerate(other):
        texts[turn] = data.draw(st.sampled_from([texts[turn], reference, f"{reference} !"]))
    said = index.said({"d": texts})

    own, human = index.slots(said, SLOTS)
    assert own.tolist() == [[slot in text for slot in SLOTS] for text in texts]
    assert human.tolist() == [[slot in text for slot in SLOTS] for text in canonical]

    long, copied = index.copies(said)
    words = [words_of(text).words for text in texts]
    assert long.tolist() == [len(one) >= LONG for one in words]
    assert copied.tolist() == [
        len(own) >= LONG and own in (words_of(text).words for text in references)
        for own, *references in zip(words, canonical, other, strict=True)
    ]


def test_the_same_words_in_another_order_are_no_copy() -> None:
    index = ReferenceIndex({"d": {CANONICAL_STYLE: ["one two three four five six"]}})
    for text, is_copy in (
        ("two one three four five six", False),
        ("one, two three four five six!", True),
    ):
        _, copied = index.copies(index.said({"d": [text]}))
        assert copied.tolist() == [is_copy]
