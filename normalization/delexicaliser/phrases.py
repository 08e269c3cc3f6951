"""Texts as words, and phrases found in them in time linear in the text.

A word is a run of letters and digits; a genitive belongs to its word (`rosa's`, `rosa 's` and
`rosas` are one word), `&` is the word `and`, and every other mark is a token of its own, but for
`*` and `_`, by which language models set words in bold or italics: they are passed over. A phrase
is a sequence of words; a phrase book (a trie) holds many, each with something to remember of it,
and no walk through it is longer than its longest phrase.

Phrases are written in a small language, so that a line of a table covers many: `(a b|c)` are
alternatives and `?` after a word or a group makes it optional. `<kind>` stands for any token of
that kind. In phrases of contexts, which tell by the words around a value whether it is marked and
as what, `{` and `}` enclose the value, and `^` is the beginning of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from rapidfuzz import process
from rapidfuzz.distance import OSA

T = TypeVar("T")

_WORD_OR_AND = r"[^\W_]+(?: ?['’\u00b4`] ?[sS](?![^\W_]))?|&"
_TOKEN = re.compile(rf"{_WORD_OR_AND}|[^ \t\r\f\v*_]")
_WORD = re.compile(r"[^\W_]+")
_SIGNS = {"&": "and", "’": "'", "\u00b4": "'", "`": "'"}
_CHOICE = re.compile(r"\((?P<group>[^()]*)\)\??|(?P<word>[^\s(){}|?^]+)\?")
_ELEMENT = re.compile(r"<[a-z]+>|[(){}|?^]|[^\s(){}|?^<>]+")
SENTENCE_ENDS = frozenset(".!?\n")
"""The marks that end a sentence."""

_REMEMBERED = 1 << 14


GIVEN = -1
"""The `stem_end` of a placeholder that a text already has; it is not marked again."""


class Token(NamedTuple):
    """A word, a mark, or a stretch of text whose kind is known.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends, exclusive.
        word: The word in its normal form; of a stretch of several words "".
        stem_end: Where the word without its genitive ends; `end` if it has none.
        kind: What is known of it ("name", "count"); "" of a plain word.
    """

    start: int
    end: int
    word: str
    stem_end: int
    kind: str = ""


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Yield the words and marks of a text or of a part of it, in order."""
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        first, last = match.span()
        word, stem = _normal_form(match[0])
        yield Token(first, last, word, first + stem)


@lru_cache(maxsize=_REMEMBERED)
def _normal_form(token: str) -> tuple[str, int]:
    """Return a word or a mark in its normal form, and the length of its stem."""
    match = _WORD.match(token)
    if match is None:
        return _SIGNS.get(token, token), len(token)
    word = match[0].lower()
    return word if match.end() == len(token) else f"{word}s", match.end()


def words(text: str) -> tuple[str, ...]:
    """Return a phrase's words in their normal form, without marks."""
    return tuple(token.word for token in tokens(text) if token.word[0].isalnum())


def spellings(pattern: str) -> list[tuple[str, ...]]:
    """Return every sequence of elements that a pattern stands for.

    Elements are words, `<kind>`, `^` (the beginning of a sentence), and `{` and `}`, which enclose
    what a pattern is about.
    """
    choice = _CHOICE.search(pattern)
    if choice is None:
        return [tuple(_ELEMENT.findall(one)) for one in pattern.split("|")]
    words = [*(choice["group"] or choice["word"]).split("|"), *[""] * choice[0].endswith("?")]
    before, after = pattern[: choice.start()], pattern[choice.end() :]
    chosen = (spellings(f"{before} {one} {after}") for one in words)
    return list(dict.fromkeys(chain.from_iterable(chosen)))


WordReading: TypeAlias = tuple[str, bool, int]
"""An element of a phrase that a token may be; whether it is only the stem, whose genitive ends the
phrase; and how many words it corrects."""


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A phrase found in a text.

    Attributes:
        first: Index of its first token.
        last: Index of its last token.
        stem: Whether the last word stands there with a genitive that is not the phrase's.
        corrected: How many of its words are misspelt.
        entries: What the phrase book remembers of it.
    """

    first: int
    last: int
    stem: bool
    corrected: int
    entries: Sequence[T]


def words_read(
    token: Token, corrections: Mapping[str, Sequence[str]] | None = None
) -> Sequence[WordReading]:
    """Return the words that a token may stand for; none if its kind is known.

    Args:
        token: The token.
        corrections: Misspelt word -> what it may stand for.
    """
    if token.kind:
        return ()
    corrected = [(word, False, 1) for word in (corrections or {}).get(token.word, ())]
    stem = [(token.word[:-1], True, 0)] if token.stem_end != token.end else []
    return [(token.word, False, 0), *corrected, *stem]


class PhraseBook(Generic[T]):
    """Phrases to find, each with entries to remember. Filled once, then only read.

    Attributes:
        children: Word -> the phrases that begin with it, without it.
        entries: What is to be remembered of the phrase that ends here.
    """

    __slots__ = ("children", "entries")

    def __init__(self, phrases: Iterable[tuple[Sequence[str], T]] = ()) -> None:
        self.children: dict[str, PhraseBook[T]] = {}
        self.entries: list[T] = []
        for phrase, entry in phrases:
            book = self
            for word in phrase:
                if word not in book.children:
                    book.children[word] = PhraseBook()
                book = book.children[word]
            book.entries.append(entry)

    @property
    def vocabulary(self) -> set[str]:
        """The words of all phrases."""
        further = (child.vocabulary for child in self.children.values())
        return {*self.children}.union(*further)

    def find(
        self,
        text: Sequence[Token],
        readings: Callable[[Token], Sequence[WordReading]] = words_read,
        skipped: frozenset[str] = frozenset(),
    ) -> Iterator[Found[T]]:
        """Yield every phrase that begins at every token of a text, at most one word corrected.

        Args:
            text: The tokens.
            readings: What a token may stand for in a phrase.
            skipped: Marks that may stand between two words of a phrase, one at a time.
        """
        steps = [readings(token) for token in text]
        marks = [token.word in skipped for token in text]
        for first, begins in enumerate(steps):
            if any(reading[0] in self.children for reading in begins):
                yield from self._walk(first, steps, marks)

    def _walk(
        self, first: int, steps: Sequence[Sequence[WordReading]], marks: Sequence[bool]
    ) -> Iterator[Found[T]]:
        """Yield the phrases that begin at one token."""
        frontier = [(self, 0)]
        for at in range(first, len(steps)):
            if marks[at] and at > first:
                if marks[at - 1] and at - 1 > first:
                    return
                continue
            following: list[tuple[PhraseBook[T], int]] = []
            for node, corrected in frontier:
                for word, stem, slips in steps[at]:
                    child = node.children.get(word)
                    if child is None or corrected + slips > 1:
                        continue
                    if child.entries:
                        yield Found(first, at, stem, corrected + slips, child.entries)
                    if not stem:
                        following.append((child, corrected + slips))
            frontier = following
            if not frontier:
                return


def is_guess(text: Sequence[Token], match: Found[T], shortest: int) -> bool:
    """Tell whether a match is a single misspelt word that is too short to be sure of."""
    alone = match.first == match.last
    return bool(match.corrected) and alone and len(text[match.first].word) < shortest


def corrector(vocabulary: Iterable[str], shortest: int) -> Callable[[str], list[str]]:
    """Return a function that returns the words that a misspelt word may stand for, sorted.

    It has one letter more, less or other than they, or two neighbours swapped.

    Args:
        vocabulary: Words worth finding.
        shortest: Letters that a word must have to be found.
    """
    choices = [word for word in vocabulary if len(word) >= shortest and word.isalpha()]

    @lru_cache(maxsize=_REMEMBERED)
    def corrected(word: str) -> list[str]:
        close = process.extract(word, choices, scorer=OSA.distance, score_cutoff=1, limit=None)
        return sorted(match for match, *_ in close)

    return corrected


# -------------------------------------------------------------------- values by the words around


Decision: TypeAlias = "tuple[int, bool, int | None, Sequence[str]]"
"""What a phrase decides: the number of its rule, whether it must begin a sentence, and which of its
tokens it is about; or, of a cue, None and the kinds of what it decides in the rest of its sentence.
"""


def context_book(rules: Sequence[Mapping[str, Any]]) -> PhraseBook[Decision]:
    """Return the phrases around values, each with what it decides about them.

    Args:
        rules: Each with a `mark`, the slot that it marks values as ("same" for their own, "" for
            none), and `patterns`, or `cues` with the `kinds` that they decide about.
    """
    phrases: list[tuple[Sequence[str], Decision]] = []
    for number, rule in enumerate(rules):
        for pattern in (*rule.get("patterns", ()), *rule.get("cues", ())):
            for sequence in spellings(pattern):
                begins = sequence[0] == "^"
                elements = sequence[begins:]
                about = elements.index("{") if "{" in elements else None
                phrase = [one for one in elements if one not in ("{", "}")]
                phrases.append((phrase, (number, begins, about, rule.get("kinds", ()))))
    return PhraseBook(phrases)


def marked_tokens(
    text: Sequence[Token],
    kinds: Mapping[str, Mapping[str, Any]],
    rules: Sequence[Mapping[str, Any]],
    book: PhraseBook[Decision],
) -> Iterator[tuple[Token, str]]:
    """Yield the tokens that are marked, each with its slot, in order.

    Args:
        text: The tokens.
        kinds: Kind of a token -> its `slot`, and whether it is marked `by_default`.
        rules: As of `context_book`.
        book: The phrases of the rules.
    """
    markable = [
        at for at, token in enumerate(text) if token.kind in kinds and token.stem_end != GIVEN
    ]
    deciding = _deciding(text, book) if markable else {}
    for at in markable:
        token = text[at]
        kind = kinds[token.kind]
        if at in deciding:
            mark = rules[deciding[at]].get("mark", "")
            if mark:
                yield token, kind["slot"] if mark == "same" else mark
        elif kind["by_default"]:
            yield token, kind["slot"]


def _deciding(text: Sequence[Token], book: PhraseBook[Decision]) -> dict[int, int]:
    """Return token -> the first rule that decides about it: a cue about its whole sentence."""
    deciding: dict[int, int] = {}
    # Where a cue ends -> kinds that it decides about, and its rule.
    cues: dict[int, list[tuple[str, int]]] = {}
    for match in book.find(text, _elements_read):
        before = text[match.first - 1].word if match.first else "."
        for number, begins, about, kinds in match.entries:
            if begins and before not in SENTENCE_ENDS:
                continue
            if about is None:
                cues.setdefault(match.last + 1, []).extend((kind, number) for kind in kinds)
            else:
                at = match.first + about
                deciding[at] = min(number, deciding.get(at, number))
    active: dict[str, int] = {}
    for at, token in enumerate(text if cues else ()):
        for kind, number in cues.get(at, ()):
            active[kind] = min(number, active.get(kind, number))
        if token.kind in active:
            number = active[token.kind]
            deciding[at] = min(number, deciding.get(at, number))
        if token.word in SENTENCE_ENDS:
            active = {}
    return deciding


def _elements_read(token: Token) -> Sequence[WordReading]:
    """Return what a token counts as in a context: its kind, its word, or both."""
    kinds = [(f"<{token.kind}>", False, 0)] if token.kind else []
    return [*kinds, (token.word, False, 0)]
