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
from typing import Generic, NamedTuple, TypeVar

from rapidfuzz import process
from rapidfuzz.distance import OSA

from ..packages import TomlTable

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


def tokenize(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
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
    return tuple(token.word for token in tokenize(text) if token.word[0].isalnum())


def spellings(pattern: str) -> list[tuple[str, ...]]:
    """Return every sequence of elements that a pattern stands for.

    Elements are words, `<kind>`, `^` (the beginning of a sentence), and `{` and `}`, which enclose
    what a pattern is about.
    """
    choice = _CHOICE.search(pattern)
    if choice is None:
        return [tuple(_ELEMENT.findall(alternative)) for alternative in pattern.split("|")]
    alternatives = (choice["group"] or choice["word"]).split("|")
    if choice[0].endswith("?"):
        alternatives.append("")
    before, after = pattern[: choice.start()], pattern[choice.end() :]
    distinct: dict[tuple[str, ...], None] = {}
    for alternative in alternatives:
        distinct.update(dict.fromkeys(spellings(f"{before} {alternative} {after}")))
    return list(distinct)


class WordReading(NamedTuple):
    """An element of a phrase that a token may be.

    Attributes:
        word: The element.
        is_stem: Whether it is only the token's stem, whose genitive ends the phrase.
        corrected: How many words it corrects.
    """

    word: str
    is_stem: bool = False
    corrected: int = 0


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
    readings = [WordReading(token.word)]
    if corrections and token.word in corrections:
        readings += [WordReading(word, corrected=1) for word in corrections[token.word]]
    if token.stem_end != token.end:
        readings.append(WordReading(token.word[:-1], is_stem=True))
    return readings


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
        vocabulary = set(self.children)
        for child in self.children.values():
            vocabulary |= child.vocabulary
        return vocabulary

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
            if any(reading.word in self.children for reading in begins):
                yield from self._walk(first, steps, marks)

    def _walk(
        self, first: int, steps: Sequence[Sequence[WordReading]], marks: Sequence[bool]
    ) -> Iterator[Found[T]]:
        """Yield the phrases that begin at one token.

        Args:
            first: Index of the token.
            steps: Per token, what it may stand for.
            marks: Per token, whether it may stand between two words of a phrase.
        """
        # The phrases begun, each with the number of its words that are corrected.
        frontier = [(self, 0)]
        for index in range(first, len(steps)):
            if marks[index] and index > first:
                if marks[index - 1] and index - 1 > first:
                    return
                continue
            following: list[tuple[PhraseBook[T], int]] = []
            for begun, corrected in frontier:
                for word, is_stem, slips in steps[index]:
                    longer = begun.children.get(word)
                    if longer is None or corrected + slips > 1:
                        continue
                    if longer.entries:
                        yield Found(first, index, is_stem, corrected + slips, longer.entries)
                    if not is_stem:
                        following.append((longer, corrected + slips))
            frontier = following
            if not frontier:
                return


def is_guess(text: Sequence[Token], match: Found[T], shortest: int) -> bool:
    """Return whether a match is a single misspelt word that is too short to be sure of."""
    is_alone = match.first == match.last
    return match.corrected > 0 and is_alone and len(text[match.first].word) < shortest


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


class Decision(NamedTuple):
    """What a phrase decides about values around it.

    Attributes:
        rule: The number of its rule.
        begins_sentence: Whether it must begin a sentence.
        value: Which of its elements is the value that it decides about; None of a cue, which
            decides about the values of its rule's kinds in the rest of its sentence.
    """

    rule: int
    begins_sentence: bool
    value: int | None


def context_book(rules: Sequence[TomlTable]) -> PhraseBook[Decision]:
    """Return the phrases around values, each with what it decides about them.

    Args:
        rules: Each with a `mark`, the slot that it marks values as ("same" for their own, "" for
            none), and `patterns`, or `cues` with the `kinds` that they decide about.
    """
    phrases: list[tuple[Sequence[str], Decision]] = []
    for number, rule in enumerate(rules):
        for pattern in (*rule.get("patterns", ()), *rule.get("cues", ())):
            for elements in spellings(pattern):
                begins_sentence = elements[0] == "^"
                phrase = [element for element in elements if element not in ("^", "{", "}")]
                value = None
                if "{" in elements:
                    value = elements.index("{") - begins_sentence
                phrases.append((phrase, Decision(number, begins_sentence, value)))
    return PhraseBook(phrases)


def marked_tokens(
    text: Sequence[Token],
    kinds: Mapping[str, TomlTable],
    rules: Sequence[TomlTable],
    book: PhraseBook[Decision],
) -> Iterator[tuple[Token, str]]:
    """Yield the tokens that are marked, each with its slot, in order.

    Args:
        text: The tokens.
        kinds: Kind of a token -> its `slot`, and whether it is marked `by_default`.
        rules: As of `context_book`.
        book: The phrases of the rules.
    """
    markable: list[int] = []
    for index, token in enumerate(text):
        if token.kind in kinds and token.stem_end != GIVEN:
            markable.append(index)
    rule_numbers = _deciding_rules(text, rules, book) if markable else {}
    for index in markable:
        token = text[index]
        kind = kinds[token.kind]
        if index in rule_numbers:
            mark = rules[rule_numbers[index]].get("mark", "")
            if mark == "same":
                yield token, kind["slot"]
            elif mark:
                yield token, mark
        elif kind["by_default"]:
            yield token, kind["slot"]


def _deciding_rules(
    text: Sequence[Token], rules: Sequence[TomlTable], book: PhraseBook[Decision]
) -> dict[int, int]:
    """Return index of a token -> number of the rule that decides about it: the first that does.

    A cue decides about the values of its kinds in the rest of its sentence.
    """
    rule_numbers: dict[int, int] = {}
    # Where a cue ends -> kinds that it decides about, and its rule.
    cues: dict[int, list[tuple[str, int]]] = {}
    for match in book.find(text, _elements_read):
        before = text[match.first - 1].word if match.first else "."
        for decision in match.entries:
            if decision.begins_sentence and before not in SENTENCE_ENDS:
                continue
            if decision.value is None:
                kinds = rules[decision.rule]["kinds"]
                by_kind = [(kind, decision.rule) for kind in kinds]
                cues.setdefault(match.last + 1, []).extend(by_kind)
            else:
                index = match.first + decision.value
                rule_numbers[index] = min(decision.rule, rule_numbers.get(index, decision.rule))
    if not cues:
        return rule_numbers
    active: dict[str, int] = {}
    for index, token in enumerate(text):
        for kind, number in cues.get(index, ()):
            active[kind] = min(number, active.get(kind, number))
        if token.kind in active:
            number = active[token.kind]
            rule_numbers[index] = min(number, rule_numbers.get(index, number))
        if token.word in SENTENCE_ENDS:
            active = {}
    return rule_numbers


def _elements_read(token: Token) -> Sequence[WordReading]:
    """Return what a token counts as in a context: its kind, its word, or both."""
    word = WordReading(token.word)
    return [WordReading(f"<{token.kind}>"), word] if token.kind else [word]
