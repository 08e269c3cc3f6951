"""What is remembered of texts and words."""

from __future__ import annotations

from mwz.normalization.remembering import SHORT, Remembered, remembering


def test_short_texts_are_worked_out_once() -> None:
    asked = []

    @remembering(2)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    long = "x" * (SHORT + 1)
    assert [length(text) for text in ("a", "a", long, long)] == [1, 1, SHORT + 1, SHORT + 1]
    assert asked == ["a", long, long]


def test_a_full_memory_of_words_begins_anew() -> None:
    asked = []

    def upper(word: str) -> str:
        asked.append(word)
        return word.upper()

    words = Remembered(upper, 2)
    assert [words[word] for word in ("a", "b", "a", "c", "a")] == ["A", "B", "A", "C", "A"]
    # The third word found two, and put them away.
    assert asked == ["a", "b", "c", "a"]
    assert words == {"c": "C", "a": "A"}
