"""The gazetteer: what a text may say of the venues of a benchmark, in all its spellings."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from helpers import RULES

from mwz.harness import Benchmark
from mwz.normalization.delexicaliser import Delexicaliser, VenueId
from mwz.normalization.delexicaliser.delexicaliser import delexicaliser_tables
from mwz.normalization.delexicaliser.gazetteer import NAMED_DOMAINS, Gazetteer, comparable
from mwz.normalization.delexicaliser.phrases import (
    PhraseBook,
    corrector,
    spellings,
    tokenize,
    words,
    words_read,
)

RECORDS: dict[str, list[dict[str, Any]]] = {
    "hotel": [
        {
            "id": "h1",
            "name": "larch guesthouse",
            "address": "7 fig lane, old harbour",
            "phone": "01632 960471",
            "postcode": "qz1 4ab",
        },
        {"id": "h2", "name": "the city hotel", "address": "?", "phone": "?", "postcode": "?"},
    ],
    "restaurant": [
        {"id": "r1", "name": "mallow's oyster bar", "address": "30 fig lane city centre"},
        {"id": "r2", "name": "mallow's oyster bar city centre", "address": "2 quay road"},
    ],
    "train": [
        {"trainID": "TR7001", "departure": "oxbow", "destination": "fenwick"},
        {"trainID": "TR7002", "departure": "tarn", "destination": "oxbow"},
    ],
}


GAZETTEER = Gazetteer(RECORDS, delexicaliser_tables())


def _meant(phrase: str) -> set[tuple[str, str, bool]]:
    """Return (slot, id, whole) of everything that a phrase as a whole may mean."""
    text = list(tokenize(phrase))
    return {
        (mention.slot, mention.venue.id, mention.whole)
        for match in GAZETTEER.phrases.find(text, skipped=frozenset("',-."))
        if match.first == 0 and match.last == len(text) - 1
        for mention in match.entries
    }


@pytest.mark.parametrize(
    "phrase",
    [
        *("larch guesthouse", "Larch Guest House", "the Larch", "LARCH HOTEL", "larch b&b"),
        "Larch bed and breakfast",
    ],
)
def test_a_name_is_known_without_its_article_and_with_other_type_words(phrase: str) -> None:
    assert ("NAME", "h1", True) in _meant(phrase)


def test_a_name_is_not_shortened_to_ordinary_words() -> None:
    # "the city hotel" without its article and type word would be "city".
    assert _meant("city hotel") == {("NAME", "h2", True)}
    assert _meant("city") == set()


@pytest.mark.parametrize(
    "phrase", ["mallow's oyster bar", "mallow 's oyster bar", "Mallows Oyster", "mallow’s oyster"]
)
def test_a_name_that_venues_share_means_each_of_them(phrase: str) -> None:
    # Without the district the second restaurant is called like the first.
    assert {id_ for _, id_, _ in _meant(phrase)} == {"r1", "r2"}


def test_parts_of_an_address_are_no_whole_address() -> None:
    assert _meant("30 Fig Lane City Centre") == {("ADDRESS", "r1", True)}
    assert _meant("30 fig lane") == {("ADDRESS", "r1", True)}  # only the district lacks
    assert _meant("7 fig lane, old harbour") == {("ADDRESS", "h1", True)}
    assert _meant("7 fig lane") == {("ADDRESS", "h1", False)}
    assert _meant("fig lane") == {("ADDRESS", "h1", False), ("ADDRESS", "r1", False)}


def test_numbers_lead_to_their_venues_and_unknown_values_to_none() -> None:
    numbers = GAZETTEER.numbers
    assert numbers["PHONE"]["01632960471"] == [VenueId("hotel", "h1")]
    assert numbers["POST"]["qz14ab"] == [VenueId("hotel", "h1")]
    assert numbers["TRAINID"]["tr7001"] == [VenueId("train", "TR7001")]
    assert all("?" not in by_value and "" not in by_value for by_value in numbers.values())


def test_the_town_is_the_station_of_every_train() -> None:
    values = GAZETTEER.values.children
    for name, kind in (("oxbow", "town"), ("fenwick", "place"), ("tarn", "place")):
        assert values[name].entries == [(kind, name)]


@pytest.mark.parametrize(
    ("slot", "value", "expected"),
    [
        ("PHONE", "(01632) 960-471", "01632960471"),
        ("PHONE", "+44 1632 960471", "01632960471"),
        ("PHONE", "0044 (0)1632 960471", "01632960471"),
        # Two zeros are no country by themselves.
        ("PHONE", "00872208000", "00872208000"),
        ("POST", "C.B. 2, 1AB", "cb21ab"),
        ("ADDRESS", "Saint Mary's Lane, 12-14", "saintmaryslane1214"),
    ],
)
def test_values_are_compared_without_blanks_and_marks(slot: str, value: str, expected: str) -> None:
    assert comparable(slot, value) == expected


# How phrases are written and read.


def test_words_of_a_phrase_have_one_spelling() -> None:
    expected = ("rosas", "fish", "and", "chips")
    assert words("Rosa's Fish & Chips") == expected
    assert words("rosa 's fish - and chips") == expected
    assert words("ROSAS **fish** and chips.") == expected


def test_a_pattern_stands_for_all_its_spellings() -> None:
    assert spellings("a (b|c d)? e") == [("a", "b", "e"), ("a", "c", "d", "e"), ("a", "e")]
    assert spellings("{<count>} stars?") == [("{", "<count>", "}", "stars"), ("{", "<count>", "}")]


def test_one_word_of_a_phrase_may_be_misspelt() -> None:
    book = PhraseBook([(("copper", "kettle"), "it")])
    corrected = corrector(book.vocabulary, shortest=5)
    # One letter less, one more, another one, two swapped; and two slips, which are too many.
    assert [*map(corrected, ("coper", "coppper", "copfer", "cpoper"))] == [["copper"]] * 4
    assert corrected("cpfer") == []
    corrections = {"copfer": ["copper"], "ketle": ["kettle"]}
    read = partial(words_read, corrections=corrections)

    def found(text: str) -> bool:
        return any(book.find(list(tokenize(text)), read))

    assert found("a copfer kettle")
    assert found("a copper ketle")
    assert not found("a copfer ketle")


# Every venue of a whole benchmark.


def _assert_all_found(records: Any) -> None:
    delexicaliser = Delexicaliser(records, RULES)
    for domain in NAMED_DOMAINS:
        for record in records[domain]:
            venue = VenueId(domain, str(record["id"]))
            for slot, column, sentence in (
                ("NAME", "name", "I would suggest {}."),
                ("ADDRESS", "address", "They are at {}, I think."),
                ("PHONE", "phone", "Do call them on {}."),
                ("POST", "postcode", "The postcode is {}."),
            ):
                value = record.get(column)
                if not isinstance(value, str) or value in ("?", ""):
                    continue
                for written in (value, value.title()) if slot == "NAME" else (value,):
                    text = sentence.format(written)
                    spans = [span for span in delexicaliser(text).spans if span.slot == slot]
                    assert len(spans) == 1, text
                    assert venue in spans[0].venues, text
                    assert spans[0].whole, text


def test_every_venue_of_the_sample_is_found(sample: Benchmark) -> None:
    _assert_all_found(sample.venue_records(RULES))


@pytest.mark.real_data
def test_every_venue_of_multiwoz_is_found(multiwoz: Benchmark) -> None:
    _assert_all_found(multiwoz.venue_records(RULES))
