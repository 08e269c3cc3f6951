"""Which phrases of a text are names and addresses of venues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .gazetteer import Mention
from .phrases import SENTENCE_ENDS, Found, PhraseBook, Token, collapsed, is_guess

# Digits.
_LONGEST_HOUSE_NUMBER = 4
# Words before "street".
_LONGEST_STREET = 3


class NameRules:
    """Finds names and addresses: the phrases of a gazetteer, where they count.

    Args:
        phrases: Names and addresses in all their spellings.
        tables: The tables of a delexicaliser.
    """

    def __init__(self, phrases: PhraseBook[Mention], tables: Mapping[str, Any]) -> None:
        names = tables["names"]
        self._phrases = phrases
        self._skipped = frozenset(names["skipped_marks"])
        self._articles = frozenset(names["articles"])
        self._before = frozenset(names["evidence_before"])
        self._after = frozenset(names["evidence_after"])
        self._emphasis = frozenset(names["emphasis"])
        self._shortest = tables["shortest_corrected_alone"]
        self._endings = frozenset(tables["addresses"]["unknown_endings"])
        self._other_words = frozenset(tables["addresses"]["unknown_without"])

    def find(
        self,
        response: str,
        text: Sequence[Token],
        corrections: Mapping[str, Sequence[str]],
    ) -> tuple[list[Token], dict[int, list[Mention]]]:
        """Find the names and addresses of a text, the longest first.

        Args:
            response: The text.
            text: Its tokens.
            corrections: Misspelt word -> what it may stand for.

        Returns:
            The tokens with names and addresses as one each, and what these mean by where they
            begin in the text; an address of which nothing is known means nothing.
        """
        found = [
            (match, mentions)
            for match in self._phrases.find(text, self._skipped, corrections)
            if (mentions := self._accepted(response, text, match))
        ]
        replaced: dict[int, tuple[int, Token]] = {}
        meant: dict[int, list[Mention]] = {}
        for match, mentions in _longest_first(found, len(text)):
            first = match.first + self._article_left(response, text, match)
            start = text[first].start
            last = text[match.last]
            end = last.stem_end if match.stem else last.end
            kind = mentions[0].slot.lower()
            replaced[first] = (match.last, Token(start, end, "", end, kind))
            meant[start] = mentions
        return self._with_unknown_addresses(response, collapsed(response, text, replaced)), meant

    def _accepted(
        self, response: str, text: Sequence[Token], match: Found[Mention]
    ) -> list[Mention]:
        """Return what a match means; nothing if it does not count."""
        if is_guess(text, match, self._shortest):
            return []
        following = text[match.last + 1] if match.last + 1 < len(text) else None
        names = [m for m in match.entries if m.slot == "NAME"]
        if names and following is not None and following.word in self._endings:
            names = []
        if names and not any(m.sure for m in names) and not self._evident(response, text, match):
            names = []
        if names:
            return names
        addresses = [m for m in match.entries if m.slot == "ADDRESS"]
        whole = [m for m in addresses if m.whole]
        return whole or addresses

    def _article_left(self, response: str, text: Sequence[Token], match: Found[Mention]) -> int:
        """Return 1 if a name's article stays in the text: within a sentence, in lower case."""
        article = text[match.first]
        if article.word not in self._articles or match.first == match.last:
            return 0
        begins = match.first == 0 or text[match.first - 1].word in SENTENCE_ENDS
        return 0 if begins or response[article.start].isupper() else 1

    def _with_unknown_addresses(self, response: str, text: Sequence[Token]) -> list[Token]:
        """Return the text with addresses that no record has as one token each."""
        replaced = {}
        done = -1
        for first, token in enumerate(text):
            if first > done and not token.kind and _is_house_number(token.word):
                last = self._unknown_address(text, first)
                if last is not None:
                    end = text[last].end
                    replaced[first] = (last, Token(token.start, end, "", end, "address"))
                    done = last
        return collapsed(response, text, replaced)

    def _unknown_address(self, text: Sequence[Token], first: int) -> int | None:
        """Return the last token of an address that begins with a number; None if none does."""
        for last in range(first + 1, min(first + _LONGEST_STREET + 2, len(text))):
            token = text[last]
            if token.kind or not token.word.isalpha() or token.word in self._other_words:
                return None
            if token.word in self._endings and last > first + 1:
                return last
        return None

    def _evident(self, response: str, text: Sequence[Token], match: Found[Mention]) -> bool:
        """Tell whether ordinary words are a name here: by their neighbours or a capital."""
        before = text[match.first - 1] if match.first else None
        after = text[match.last + 1] if match.last + 1 < len(text) else None
        start, last = text[match.first].start, text[match.last]
        begins = before is None or before.word in SENTENCE_ENDS
        capital = response[last.start].isupper() and not response[start : last.end].isupper()
        return (
            (before is not None and before.word in self._before)
            or (after is not None and after.word in self._after)
            or (capital and not (begins and match.first == match.last))
            or response[start - 1 : start] in self._emphasis
        )


def _longest_first(
    found: Sequence[tuple[Found[Mention], list[Mention]]], length: int
) -> Iterator[tuple[Found[Mention], list[Mention]]]:
    """Yield matches that do not overlap, the longest, the exact and the earliest first."""
    taken = bytearray(length)
    for match, mentions in sorted(
        found,
        key=lambda one: (one[0].first - one[0].last, one[0].corrected, one[0].stem, one[0].first),
    ):
        if not any(taken[match.first : match.last + 1]):
            taken[match.first : match.last + 1] = b"\1" * (match.last + 1 - match.first)
            yield match, mentions


def _is_house_number(word: str) -> bool:
    return word[:1].isdecimal() and len(word) <= _LONGEST_HOUSE_NUMBER + len("a")
