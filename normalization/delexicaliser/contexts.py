"""Numbers and codes, found by regular expressions, and values, marked by the words around them.

Both kinds of rules are tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .phrases import SENTENCE_ENDS, PhraseBook, Token, spellings

GIVEN = -1
"""The `stem_end` of a placeholder that a text already has; it is not marked again."""


_Decision: TypeAlias = "tuple[int, int | None, Sequence[str]]"
"""What a phrase decides: the number of its rule, and which of its tokens it is about; or, of a cue,
None and the kinds of what it decides in the rest of its sentence."""


class Contexts:
    """Which values are marked, and as what, by the words around them."""

    def __init__(
        self, marked: Mapping[str, Mapping[str, Any]], rules: Sequence[Mapping[str, Any]]
    ) -> None:
        self._slots = {kind: rule["slot"] for kind, rule in marked.items()}
        self._default = {kind for kind, rule in marked.items() if rule["by_default"]}
        self._rules = [rule.get("mark", "") for rule in rules]
        phrases: list[tuple[tuple[str, ...], _Decision]] = []
        for number, rule in enumerate(rules):
            for pattern in rule.get("patterns", ()):
                for sequence in spellings(pattern):
                    offset = sequence.index("{") - (sequence[0] == "^")
                    phrases.append((_without_braces(sequence), (number, offset, ())))
            for cue in rule.get("cues", ()):
                decision: _Decision = (number, None, rule["kinds"])
                phrases += [(sequence, decision) for sequence in spellings(cue)]
        self.phrases = PhraseBook(phrases)

    def marked(self, text: Sequence[Token]) -> Iterator[tuple[Token, str]]:
        """Yield the tokens that are marked, each with its slot, in order."""
        markable = [
            at
            for at, token in enumerate(text)
            if token.kind in self._slots and token.stem_end != GIVEN
        ]
        deciding = self._deciding(text) if markable else {}
        for at in markable:
            token = text[at]
            slot = self._slots[token.kind]
            if at in deciding:
                mark = self._rules[deciding[at]]
                if mark:
                    yield token, slot if mark == "same" else mark
            elif token.kind in self._default:
                yield token, slot

    def _deciding(self, text: Sequence[Token]) -> dict[int, int]:
        """Return token -> the first rule that decides about it: a cue about its whole sentence."""
        deciding: dict[int, int] = {}
        cues: dict[int, list[_Decision]] = {}
        for first, last, decision in _found(self.phrases, text):
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
    book: PhraseBook[_Decision], text: Sequence[Token]
) -> Iterator[tuple[int, int, _Decision]]:
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


_HIDDEN = "\0"
_DIGIT = re.compile("[0-9]")
_OF_LETTERS = frozenset({"reference"})
"""The kinds of codes that may be letters alone."""

_BETWEEN_WORDS = r"(?! (?<= [0-9A-Za-z] ) [0-9A-Za-z] )"


CodeRule: TypeAlias = "tuple[str, Sequence[re.Pattern[str]], bool]"
"""The kind of a code, its patterns, and whether they do not hold for a text all in capitals."""


def code_rules(rules: Iterable[Mapping[str, Any]], parts: Mapping[str, str]) -> list[CodeRule]:
    """Return rules that find numbers and codes, in the order in which they are tried.

    Args:
        rules: Each with a `kind`, `patterns` (verbose regular expressions with a group `value`)
            and, if it does not hold for a text all in capitals, `mixed_case`. A value has a digit,
            unless its kind is one of `_OF_LETTERS`.
        parts: What `%name%` stands for in a pattern.
    """
    return [
        (
            rule["kind"],
            [_compiled(pattern, parts) for pattern in rule["patterns"]],
            rule.get("mixed_case", False),
        )
        for rule in rules
    ]


def find_codes(
    text: str, given: Sequence[Token], rules: Iterable[CodeRule], is_word: Callable[[str], bool]
) -> tuple[str, list[Token]]:
    """Find the numbers and codes of a text.

    Args:
        text: The text.
        given: What of it is known already; codes neither lie in it nor reach over it.
        rules: The rules.
        is_word: Tells whether what looks like a code is a word after all.

    Returns:
        The text with what is known hidden, given tokens included, and the tokens found.
    """
    rest = _hidden(text, given)
    codes: list[Token] = []
    for kind, patterns, mixed_case in rules:
        if kind not in _OF_LETTERS and _DIGIT.search(rest) is None:
            continue
        if mixed_case and rest.upper() == rest:
            continue
        for pattern in patterns:
            new = [
                Token(*match.span("value"), "", match.end("value"), kind)
                for match in pattern.finditer(rest)
                if not is_word(match["value"])
            ]
            codes += new
            rest = _hidden(rest, new)
    return rest, codes


def _hidden(text: str, found: Sequence[Token]) -> str:
    """Return a text in which what was found is hidden from further rules."""
    if not found:
        return text
    parts = []
    done = 0
    for token in sorted(found):
        parts += [text[done : token.start], _HIDDEN * (token.end - token.start)]
        done = token.end
    return "".join([*parts, text[done:]])


def _compiled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    for name, part in parts.items():
        pattern = pattern.replace(f"%{name}%", f"(?: {part} )")
    return re.compile(f"{_BETWEEN_WORDS} (?: {pattern} ) {_BETWEEN_WORDS}", re.VERBOSE)


def postcode_areas(areas: Iterable[str]) -> str:
    """Return a pattern of the letters that postcodes begin with, also spelt apart."""
    return "|".join(r"[ .,]?".join(map(re.escape, area)) for area in sorted(set(areas)))
