"""From a response in plain English to its delexicalised form, and what it says of which venue.

A delexicaliser sees a response and a gazetteer, never acts, annotated values or goals. It looks
for, in this order: numbers and codes (telephone, postcode, train id, then reference numbers);
times and prices; names and addresses; other values (areas, foods, counts, days, stations), which
are marked or left, by the words around them. The first rule that matches wins, the longest match
within a rule, and what is marked is not looked at again; so are placeholders that a response
already has. All rules are tables: `tables/lex1.toml`.

Time is linear in the text: no rule looks further than a fixed number of characters or words.
Conventions: the names of the placeholders are those of MultiWOZ 2.2's slots, without a domain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..registry import read_toml, sha256
from ..responses import Delexicalised, Span
from ..rules import RuleSet
from .contexts import GIVEN, Contexts, code_rules, find_codes, postcode_areas
from .gazetteer import Gazetteer, Mention, build_gazetteer, comparable, values_book
from .naming import NameRules
from .phrases import Found, PhraseBook, Token, collapsed, corrector, is_guess, tokens

VERSION = "lex1"
"""The version of the delexicaliser, which goes into signatures."""

_TABLES = f"tables/{VERSION}.toml"
_PLACEHOLDER = re.compile(r"\[([\w ]{1,40})\]")
_REMEMBERED = 1 << 14
# Digits.
_LONGEST_COUNT = 4
_EMPHASIS = "*_"
_MOST_EMPHASIS = 3


@lru_cache(maxsize=1)
def delexicaliser_tables() -> Mapping[str, Any]:
    """Return the tables of the delexicaliser; they are to be read only."""
    return read_toml(_TABLES)


def tables_digest() -> str:
    """Return the SHA-256 of the delexicaliser's tables, which signatures hold."""
    content = json.dumps(delexicaliser_tables(), sort_keys=True, ensure_ascii=False)
    return sha256(content)


class Delexicaliser:
    """Delexicalises responses about the venues of one gazetteer. Make it once and reuse it.

    Args:
        gazetteer: What responses may say of venues; an attribute, too.
        rules: The rule set, whose placeholders a response may have already.
        tables: The delexicaliser's own rules; by default those of `lex1`.
    """

    def __init__(
        self, gazetteer: Gazetteer, rules: RuleSet, tables: Mapping[str, Any] | None = None
    ) -> None:
        tables = delexicaliser_tables() if tables is None else tables
        self.gazetteer = gazetteer
        self._ontology = rules.ontology
        self._shortest: int = tables["shortest_corrected_alone"]
        self._placeholders: Mapping[str, str] = tables["placeholders"]
        areas = postcode_areas((*tables["postcode_areas"], *gazetteer.postcode_areas))
        self._codes = code_rules(tables["code"], {**tables["parts"], "areas": areas})
        self._names = NameRules(gazetteer.phrases, tables)
        self._values = values_book(tables["values"], gazetteer)
        self._contexts = Contexts(tables["marked"], tables["context"])
        self._known = frozenset(
            gazetteer.phrases.vocabulary
            | self._values.vocabulary
            | self._contexts.vocabulary
            | set(tables["common_words"])
        )
        vocabulary = gazetteer.phrases.vocabulary | self._values.vocabulary
        self._corrected = corrector(vocabulary, tables["shortest_corrected"])
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._delexicalised)

    @classmethod
    def of_venues(
        cls, records: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet
    ) -> Delexicaliser:
        """Return the delexicaliser `lex1` for venue records, domain -> records."""
        return cls(build_gazetteer(records, delexicaliser_tables()), rules)

    def __call__(self, response: str) -> Delexicalised:
        """Return a response delexicalised."""
        return self._remembered(response)

    def _delexicalised(self, response: str) -> Delexicalised:
        spans = self._spans(response)
        parts = []
        done = 0
        for span in spans:
            parts += [response[done : span.start], f"[{self._placeholders[span.slot]}]"]
            done = span.end
        return Delexicalised(response, "".join([*parts, response[done:]]), tuple(spans))

    def _spans(self, response: str) -> list[Span]:
        given = [
            Token(*match.span(), "", GIVEN, self._ontology[match[1].lower()].lower())
            for match in _PLACEHOLDER.finditer(response)
            if match[1].lower() in self._ontology
        ]
        rest, codes = find_codes(response, given, self._codes, self._is_word)
        text = _with_words(rest, [*given, *codes])
        corrections = self._corrections(text)
        text, mentions = self._names.find(response, text, corrections)
        text, canonical = _with_values(response, text, self._values, corrections, self._shortest)
        spans: list[Span] = []
        for token, slot in self._contexts.marked(text):
            after = spans[-1].end if spans else 0
            span = self._span(response, token, slot, mentions, canonical)
            spans.append(_with_emphasis(response, span, after))
        return spans

    def _is_word(self, value: str) -> bool:
        """Tell whether letters that look like a code are a word of a name or a value."""
        return value.isalpha() and value.lower() in self._known

    def _corrections(self, text: Sequence[Token]) -> dict[str, list[str]]:
        unknown = {token.word for token in text if not token.kind} - self._known
        found = ((word, self._corrected(word)) for word in unknown)
        return {word: known for word, known in found if known}

    def _span(
        self,
        response: str,
        token: Token,
        slot: str,
        mentions: Mapping[int, Sequence[Mention]],
        canonical: Mapping[int, str],
    ) -> Span:
        """Return a marked token as a span."""
        words = response[token.start : token.end]
        if token.start in mentions:
            meant = mentions[token.start]
            return Span(
                token.start,
                token.end,
                slot,
                meant[0].value,
                tuple(dict.fromkeys(m.venue for m in meant)),
                any(m.whole for m in meant),
            )
        by_value = self.gazetteer.numbers.get(slot)
        if by_value is not None:
            value = comparable(slot, words)
            return Span(token.start, token.end, slot, value, by_value.get(value, ()))
        value = canonical.get(token.start, words.lower())
        return Span(token.start, token.end, slot, value)


def _with_emphasis(response: str, span: Span, after: int) -> Span:
    """Return a span with the marks that set it in bold or italics, `**like this**`."""
    mark = response[span.end : span.end + 1]
    if mark not in _EMPHASIS or not mark:
        return span
    marks = 0
    while (
        marks < _MOST_EMPHASIS
        and span.start - marks > after
        and response[span.start - marks - 1] == mark
        and response[span.end + marks : span.end + marks + 1] == mark
    ):
        marks += 1
    return replace(span, start=span.start - marks, end=span.end + marks)


def _with_words(text: str, known: Iterable[Token]) -> list[Token]:
    """Return a text's tokens, the words and marks between what is known included."""
    found: list[Token] = []
    done = 0
    for token in sorted(known):
        found += tokens(text, done, token.start)
        found.append(token)
        done = token.end
    found += tokens(text, done)
    return found


def _with_values(
    response: str,
    text: Sequence[Token],
    book: PhraseBook[tuple[str, str]],
    corrections: Mapping[str, Sequence[str]],
    shortest: int,
) -> tuple[list[Token], dict[int, str]]:
    """Return the text with values as one token each, and their canonical forms by start.

    A short number is one too.
    """
    longest: dict[int, Found[tuple[str, str]]] = {}
    for match in book.find(text, frozenset("-"), corrections):
        if is_guess(text, match, shortest):
            continue
        if match.first not in longest or match.last > longest[match.first].last:
            longest[match.first] = match
    replaced = {}
    canonical = {}
    done = -1
    for first, match in longest.items():
        if first <= done:
            continue
        kind, value = match.entries[0]
        start = text[first].start
        last = text[match.last]
        end = last.stem_end if match.stem else last.end
        word = text[first].word if first == match.last else ""
        replaced[first] = (match.last, Token(start, end, word, end, kind))
        canonical[start] = value
        done = match.last
    values = [
        token._replace(kind="number")
        if token.word.isdecimal() and not token.kind and len(token.word) <= _LONGEST_COUNT
        else token
        for token in collapsed(response, text, replaced)
    ]
    return values, canonical
