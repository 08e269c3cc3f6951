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
from itertools import product
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")

_WORD_OR_AND = r"[^\W_]+(?: ?['’\u00b4`] ?[sS](?![^\W_]))?|&"
_TOKEN = re.compile(rf"{_WORD_OR_AND}|[^ \t\r\f\v*_]")
_WORD = re.compile(r"[^\W_]+")
_SIGNS = {"&": "and", "’": "'", "\u00b4": "'", "`": "'"}
_ELEMENT = re.compile(r"<[a-z]+>|[(){}|?^]|[^\s(){}|?^<>]+")
SENTENCE_ENDS = frozenset(".!?\n")
"""The marks that end a sentence."""

# Characters. Looking up what is one slip away takes time in the square of them.
_LONGEST_CORRECTED = 24
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
        _, _, word, stem_end, kind = _alone(match[0])
        yield Token(first, last, word, first + stem_end, kind)


def unplaced(text: str) -> list[Token]:
    """Return the words and marks of a text, in order, each as if it were all of the text."""
    return [*map(_alone, _TOKEN.findall(text))]


@lru_cache(maxsize=_REMEMBERED)
def _alone(token: str) -> Token:
    """Return a word or a mark as the token of a text that has nothing else."""
    end = len(token)
    match = _WORD.match(token)
    if match is None:
        return Token(0, end, _SIGNS.get(token, token), end)
    word = match[0].lower()
    return Token(0, end, word if match.end() == end else f"{word}s", match.end())


def words(text: str) -> tuple[str, ...]:
    """Return a phrase's words in their normal form, without marks."""
    return tuple(token.word for token in unplaced(text) if token.word[0].isalnum())


def spellings(pattern: str) -> list[tuple[str, ...]]:
    """Return every sequence of elements that a pattern stands for.

    Elements are words, `<kind>`, `^` (the beginning of a sentence), and `{` and `}`, which enclose
    what a pattern is about.

    Raises:
        ValueError: The pattern is broken.
    """
    elements = _ELEMENT.findall(pattern)
    sequences, rest = _alternatives(elements, 0)
    if rest != len(elements):
        raise ValueError(f"broken phrase {pattern!r}: a parenthesis too many")
    return sequences


def _alternatives(elements: Sequence[str], at: int) -> tuple[list[tuple[str, ...]], int]:
    """Return the sequences of `a b|c` from an element on, and where it ends."""
    found: list[tuple[str, ...]] = []
    parts: list[list[tuple[str, ...]]] = []
    while at < len(elements) and elements[at] != ")":
        if elements[at] == "|":
            found += _joined(parts)
            parts = []
            at += 1
            continue
        if elements[at] == "(":
            part, at = _alternatives(elements, at + 1)
            if at == len(elements):
                raise ValueError(f"broken phrase {' '.join(elements)!r}: a parenthesis is open")
        else:
            part = [(elements[at],)]
        at += 1
        if at < len(elements) and elements[at] == "?":
            part = [*part, ()]
            at += 1
        parts.append(part)
    return found + _joined(parts), at


def _joined(parts: Sequence[Sequence[tuple[str, ...]]]) -> list[tuple[str, ...]]:
    return [tuple(word for part in chosen for word in part) for chosen in product(*parts)]


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
        words: set[str] = set()
        books = [self]
        while books:
            children = books.pop().children
            words.update(children)
            books += children.values()
        return words

    def find(
        self,
        text: Sequence[Token],
        skipped: frozenset[str] = frozenset(),
        corrections: Mapping[str, Sequence[str]] | None = None,
    ) -> Iterator[Found[T]]:
        """Yield every phrase that begins at every token of a text.

        Args:
            text: The tokens; those of a known kind are part of no phrase.
            skipped: Marks that may stand between two words of a phrase, one at a time.
            corrections: Misspelt word -> what it may stand for; one word of a phrase may be one.
        """
        root = self.children
        corrections = corrections or {}
        for first, token in enumerate(text):
            if not token.kind and (
                token.word in root
                or token.word in corrections
                or (token.stem_end != token.end and token.word[:-1] in root)
            ):
                yield from self._walk(text, first, skipped, corrections)

    def _walk(
        self,
        text: Sequence[Token],
        first: int,
        skipped: frozenset[str],
        corrections: Mapping[str, Sequence[str]],
    ) -> Iterator[Found[T]]:
        """Yield the phrases that begin at one token."""
        frontier: list[tuple[PhraseBook[T], int]] = [(self, 0)]
        for at in _steps(text, first, skipped):
            token = text[at]
            following: list[tuple[PhraseBook[T], int]] = []
            for node, corrected in frontier:
                for child, slips in _children(node, token.word, corrected, corrections):
                    following.append((child, slips))
                    if child.entries:
                        yield Found(first, at, False, slips, child.entries)
                if token.stem_end != token.end:
                    stem = node.children.get(token.word[:-1])
                    if stem is not None and stem.entries:
                        yield Found(first, at, True, corrected, stem.entries)
            frontier = following
            if not frontier:
                return


def _steps(text: Sequence[Token], first: int, skipped: frozenset[str]) -> Iterator[int]:
    """Yield the tokens of a phrase that begins at one, single marks within it passed over."""
    after_mark = False
    for at in range(first, len(text)):
        token = text[at]
        if token.kind:
            return
        if token.word in skipped and at > first:
            if after_mark:
                return
            after_mark = True
        else:
            after_mark = False
            yield at


def _children(
    node: PhraseBook[T], word: str, corrected: int, corrections: Mapping[str, Sequence[str]]
) -> Iterator[tuple[PhraseBook[T], int]]:
    """Yield where a word leads, and how many words are misspelt by then: at most one."""
    child = node.children.get(word)
    if child is not None:
        yield child, corrected
    elif not corrected:
        for known in corrections.get(word, ()):
            child = node.children.get(known)
            if child is not None:
                yield child, 1


def is_guess(text: Sequence[Token], match: Found[T], shortest: int) -> bool:
    """Tell whether a match is a single misspelt word that is too short to be sure of."""
    alone = match.first == match.last
    return bool(match.corrected) and alone and len(text[match.first].word) < shortest


def collapsed(
    response: str, text: Sequence[Token], replaced: Mapping[int, tuple[int, Token]]
) -> list[Token]:
    """Return tokens with some runs of them (first -> last and what they become) replaced.

    A genitive that is no part of what a run becomes is left as its marks and letters.
    """
    if not replaced:
        return list(text)
    result: list[Token] = []
    at = 0
    while at < len(text):
        if at in replaced:
            last, token = replaced[at]
            result.append(token)
            result += tokens(response, token.end, text[last].end)
            at = last + 1
        else:
            result.append(text[at])
            at += 1
    return result


def corrector(vocabulary: Iterable[str], shortest: int) -> Callable[[str], list[str]]:
    """Return a function that returns the words that a misspelt word may stand for, sorted.

    It has one letter more, less or other than they, or two neighbours swapped.

    Args:
        vocabulary: Words worth finding.
        shortest: Letters that a word must have to be found.
    """
    by_deletion: dict[str, list[str]] = {}
    for word in vocabulary:
        if len(word) >= shortest and word.isalpha():
            for shorter in _deletions(word):
                by_deletion.setdefault(shorter, []).append(word)

    @lru_cache(maxsize=_REMEMBERED)
    def corrected(word: str) -> list[str]:
        if not shortest - 1 <= len(word) <= _LONGEST_CORRECTED:
            return []
        close = {known for part in _deletions(word) for known in by_deletion.get(part, ())}
        return sorted(known for known in close if _one_slip(word, known))

    return corrected


def _deletions(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _one_slip(word: str, known: str) -> bool:
    """Tell whether two words differ by one letter or by two neighbours swapped."""
    if abs(len(word) - len(known)) > 1:
        return False
    same = 0
    while same < min(len(word), len(known)) and word[same] == known[same]:
        same += 1
    a, b = word[same:], known[same:]
    swapped = len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped


# -------------------------------------------------------------------- values by the words around


Decision: TypeAlias = "tuple[int, int | None, Sequence[str]]"
"""What a phrase decides: the number of its rule, and which of its tokens it is about; or, of a cue,
None and the kinds of what it decides in the rest of its sentence."""


def context_book(rules: Sequence[Mapping[str, Any]]) -> PhraseBook[Decision]:
    """Return the phrases around values, each with what it decides about them.

    Args:
        rules: Each with a `mark`, the slot that it marks values as ("same" for their own, "" for
            none), and `patterns`, or `cues` with the `kinds` that they decide about.
    """
    phrases: list[tuple[tuple[str, ...], Decision]] = []
    for number, rule in enumerate(rules):
        for pattern in rule.get("patterns", ()):
            for sequence in spellings(pattern):
                offset = sequence.index("{") - (sequence[0] == "^")
                phrases.append((_without_braces(sequence), (number, offset, ())))
        for cue in rule.get("cues", ()):
            decision: Decision = (number, None, rule["kinds"])
            phrases += [(sequence, decision) for sequence in spellings(cue)]
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
    cues: dict[int, list[Decision]] = {}
    for first, last, decision in _found(book, text):
        number, offset, _ = decision
        if offset is None:
            cues.setdefault(last + 1, []).append(decision)
        else:
            deciding[first + offset] = min(number, deciding.get(first + offset, number))
    if not cues:
        return deciding
    active: dict[str, int] = {}
    for at, token in enumerate(text):
        for number, _, kinds in cues.get(at, ()):
            for kind in kinds:
                active[kind] = min(number, active.get(kind, number))
        if token.kind in active:
            number = active[token.kind]
            deciding[at] = min(number, deciding.get(at, number))
        if token.word in SENTENCE_ENDS:
            active = {}
    return deciding


def _without_braces(sequence: Sequence[str]) -> tuple[str, ...]:
    return tuple(symbol for symbol in sequence if symbol not in ("{", "}"))


def _found(
    book: PhraseBook[Decision], text: Sequence[Token]
) -> Iterator[tuple[int, int, Decision]]:
    """Yield (first token, last token, decision) of every phrase of contexts in a text.

    Their elements are words, `<kind>` for a token of that kind, and `^`, the beginning of a
    sentence.
    """
    starts = book.children
    anchored = starts.get("^")
    edges = [_edges(token) for token in text]
    begins = True
    for first, own in enumerate(edges):
        frontier = [starts[edge] for edge in own if edge in starts]
        if begins and anchored:
            frontier += [anchored.children[edge] for edge in own if edge in anchored.children]
        begins = text[first].word in SENTENCE_ENDS
        at = first
        while frontier:
            for node in frontier:
                for entry in node.entries:
                    yield first, at, entry
            at += 1
            following = edges[at] if at < len(edges) else ()
            frontier = [
                node.children[edge]
                for node in frontier
                for edge in following
                if edge in node.children
            ]


def _edges(token: Token) -> tuple[str, ...]:
    """Return what a token counts as in a pattern: its word, its kind, or both."""
    if not token.kind:
        return (token.word,)
    return (f"<{token.kind}>", token.word) if token.word else (f"<{token.kind}>",)
