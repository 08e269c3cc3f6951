"""From a response in plain English to its delexicalised form, and what it says of which venue.

A delexicaliser sees a response and a gazetteer, never acts, annotated values or goals. It looks
for, in this order: numbers and codes (telephone, postcode, train id, then reference numbers);
times and prices; names and addresses; other values (areas, foods, counts, days, stations), which
are marked or left as their context tells. The first rule that matches wins, the longest match
within a rule, and what is marked is not looked at again; so are placeholders that a response
already has. All rules are tables: `tables/lex1.toml`.

Time is linear in the text: no rule looks further than a fixed number of characters or words.
Conventions: the names of the placeholders are those of MultiWOZ 2.2's slots, without a domain.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from .gazetteer import (
    Gazetteer,
    Mention,
    VenueId,
    build_gazetteer,
    comparable,
    values_book,
)
from .phrases import Corrector, Found, PhraseBook, Token, spellings, tokens
from .responses import ontology
from .tables import read_table

VERSION = "lex1"
"""The version of the delexicaliser, which goes into signatures."""

_TABLES = f"tables/{VERSION}.toml"
_PLACEHOLDER = re.compile(r"\[([\w ]{1,40})\]")
_HIDDEN = "\0"
_BETWEEN_WORDS = r"(?! (?<= [0-9A-Za-z] ) [0-9A-Za-z] )"
# Digits.
_LONGEST_COUNT = 4
# Words before "street".
_LONGEST_STREET = 3
_EMPHASIS = "*_"
_MOST_EMPHASIS = 3
_SENTENCE_ENDS = frozenset(".!?\n")


def delexicaliser_tables() -> Mapping[str, Any]:
    """Return the tables of the delexicaliser; they are to be read only."""
    return _tables()


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Any]:
    return read_table(_TABLES)


def tables_digest() -> str:
    """Return the SHA-256 of the delexicaliser's tables, which signatures hold."""
    content = json.dumps(_tables(), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Span:
    """A value that a response tells.

    Attributes:
        start: Where it begins in the response (characters).
        end: Where it ends, exclusive.
        slot: Ontology slot ("NAME", "PHONE").
        value: The value as the database writes it; a telephone number, postcode or train id in
            its comparable form; what the database does not have, in lower case.
        venues: The venues it may belong to; none if the database does not have it.
        whole: Whether the whole value is told; False of a part of an address.
    """

    start: int
    end: int
    slot: str
    value: str
    venues: tuple[VenueId, ...] = ()
    whole: bool = True


@dataclass(frozen=True)
class Delexicalised:
    """A response and what was found in it.

    Attributes:
        text: The response with a placeholder in place of every value.
        spans: The values, in order; they do not overlap. Placeholders that the response already
            had are not among them.
    """

    text: str
    spans: tuple[Span, ...]


class Delexicaliser:
    """Delexicalises responses about the venues of one gazetteer. Make it once and reuse it.

    Args:
        gazetteer: What responses may say of venues.
        tables: The rules; by default those of `lex1`.
    """

    def __init__(self, gazetteer: Gazetteer, tables: Mapping[str, Any] | None = None) -> None:
        tables = delexicaliser_tables() if tables is None else tables
        self._gazetteer = gazetteer
        self._shortest: int = tables["shortest_corrected_alone"]
        self._placeholders: Mapping[str, str] = tables["placeholders"]
        areas = _postcode_areas((*tables["postcode_areas"], *gazetteer.postcode_areas))
        self._codes = _code_rules(tables["code"], {**tables["parts"], "areas": areas})
        self._names = _NameRules(tables)
        self._values = values_book(tables["values"], gazetteer)
        self._contexts = _Contexts(tables["marked"], tables["context"])
        self._known = frozenset(
            gazetteer.phrases.vocabulary
            | self._values.vocabulary
            | self._contexts.vocabulary
            | set(tables["common_words"])
        )
        self._corrector = Corrector(
            gazetteer.phrases.vocabulary | self._values.vocabulary, tables["shortest_corrected"]
        )

    @classmethod
    def of_venues(cls, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> Delexicaliser:
        """Return the delexicaliser `lex1` for venue records, domain -> records."""
        return cls(build_gazetteer(records, delexicaliser_tables()))

    @property
    def gazetteer(self) -> Gazetteer:
        """The venues that responses are searched for."""
        return self._gazetteer

    def __call__(self, response: str) -> Delexicalised:
        """Return a response delexicalised."""
        spans = self._spans(response)
        parts = []
        done = 0
        for span in spans:
            parts += [response[done : span.start], f"[{self._placeholders[span.slot]}]"]
            done = span.end
        return Delexicalised("".join([*parts, response[done:]]), tuple(spans))

    def _spans(self, response: str) -> list[Span]:
        known = [_given(match) for match in _given_placeholders(response)]
        rest = _hide(response, known)
        for kind, patterns, mixed_case in self._codes:
            if mixed_case and rest.upper() == rest:
                continue
            for pattern in patterns:
                found = [
                    Token(match.start("value"), match.end("value"), "", match.end("value"), kind)
                    for match in pattern.finditer(rest)
                    if not self._is_word(match["value"])
                ]
                known += found
                rest = _hide(rest, found)
        text = _with_words(rest, known)
        corrections = self._corrections(text)
        text, mentions = self._with_names(response, text, corrections)
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
        found = ((word, self._corrector(word)) for word in unknown)
        return {word: known for word, known in found if known}

    def _with_names(
        self,
        response: str,
        text: Sequence[Token],
        corrections: Mapping[str, Sequence[str]],
    ) -> tuple[list[Token], dict[int, list[Mention]]]:
        """Return the text with names and addresses as one token each, and what these mean."""
        rules = self._names
        found = [
            (match, mentions)
            for match in self._gazetteer.phrases.find(text, rules.skipped, corrections)
            if (mentions := rules.accepted(response, text, match))
        ]
        replaced: dict[int, tuple[int, Token]] = {}
        meant: dict[int, list[Mention]] = {}
        for match, mentions in _longest_first(found, len(text)):
            first = match.first + rules.article_left(response, text, match)
            start = text[first].start
            last = text[match.last]
            end = last.stem_end if match.stem else last.end
            kind = mentions[0].slot.lower()
            replaced[first] = (match.last, Token(start, end, "", end, kind))
            meant[start] = mentions
        return rules.with_unknown_addresses(response, _collapsed(response, text, replaced)), meant

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
        by_value = self._gazetteer.numbers.get(slot)
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


def _given_placeholders(response: str) -> Iterator[re.Match[str]]:
    names = ontology()
    return (match for match in _PLACEHOLDER.finditer(response) if match[1].lower() in names)


def _given(match: re.Match[str]) -> Token:
    """Return a placeholder that a response has as a token that is not marked again."""
    slot = ontology()[match[1].lower()]
    return Token(match.start(), match.end(), "", -1, slot.lower())


def _hide(text: str, found: Sequence[Token]) -> str:
    """Return a text in which what was found is hidden from further rules."""
    if not found:
        return text
    parts = []
    done = 0
    for token in sorted(found, key=lambda token: token.start):
        parts += [text[done : token.start], _HIDDEN * (token.end - token.start)]
        done = token.end
    return "".join([*parts, text[done:]])


def _with_words(text: str, known: Iterable[Token]) -> list[Token]:
    """Return a text's tokens, the words and marks between what is known included."""
    found: list[Token] = []
    done = 0
    for token in sorted(known, key=lambda token: token.start):
        found += tokens(text, done, token.start)
        found.append(token)
        done = token.end
    found += tokens(text, done)
    return found


def _collapsed(
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
        if _is_guess(text, match, shortest):
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
        for token in _collapsed(response, text, replaced)
    ]
    return values, canonical


def _is_guess(text: Sequence[Token], match: Found[Any], shortest: int) -> bool:
    """Tell whether a match is a single misspelt word that is too short to be sure of."""
    alone = match.first == match.last
    return bool(match.corrected) and alone and len(text[match.first].word) < shortest


def _is_house_number(word: str) -> bool:
    return word[:1].isdecimal() and len(word) <= _LONGEST_COUNT + 1


class _NameRules:
    """Which matches of the gazetteer's phrases count."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        names = tables["names"]
        self.skipped = frozenset(names["skipped_marks"])
        self._articles = frozenset(names["articles"])
        self._before = frozenset(names["evidence_before"])
        self._after = frozenset(names["evidence_after"])
        self._emphasis = frozenset(names["emphasis"])
        self._shortest = tables["shortest_corrected_alone"]
        self._streets = frozenset(tables["addresses"]["street_words"])
        self._endings = frozenset(tables["addresses"]["unknown_endings"])
        self._other_words = frozenset(tables["addresses"]["unknown_without"])

    def accepted(
        self, response: str, text: Sequence[Token], match: Found[Mention]
    ) -> list[Mention]:
        """Return what a match means; nothing if it does not count."""
        if _is_guess(text, match, self._shortest):
            return []
        following = text[match.last + 1] if match.last + 1 < len(text) else None
        names = [m for m in match.entries if m.slot == "NAME"]
        if names and following is not None and following.word in self._streets:
            names = []
        if names and not any(m.sure for m in names) and not self._evident(response, text, match):
            names = []
        if names:
            return names
        addresses = [m for m in match.entries if m.slot == "ADDRESS"]
        whole = [m for m in addresses if m.whole]
        return whole or addresses

    def article_left(self, response: str, text: Sequence[Token], match: Found[Mention]) -> int:
        """Return 1 if a name's article stays in the text: within a sentence, in lower case."""
        article = text[match.first]
        if article.word not in self._articles or match.first == match.last:
            return 0
        begins = match.first == 0 or text[match.first - 1].word in _SENTENCE_ENDS
        return 0 if begins or response[article.start].isupper() else 1

    def with_unknown_addresses(self, response: str, text: Sequence[Token]) -> list[Token]:
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
        return _collapsed(response, text, replaced)

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
        begins = before is None or before.word in _SENTENCE_ENDS
        capital = response[last.start].isupper() and not response[start : last.end].isupper()
        return (
            (before is not None and before.word in self._before)
            or (after is not None and after.word in self._after)
            or (capital and not (begins and match.first == match.last))
            or response[start - 1 : start] in self._emphasis
        )


class _Contexts:
    """Which values are marked, and as what, by the words around them."""

    def __init__(
        self, marked: Mapping[str, Mapping[str, Any]], rules: Sequence[Mapping[str, Any]]
    ) -> None:
        self._slots = {kind: rule["slot"] for kind, rule in marked.items()}
        self._default = {kind for kind, rule in marked.items() if rule["by_default"]}
        self._rules = [rule.get("mark", "") for rule in rules]
        phrases: list[tuple[tuple[str, ...], tuple[int, int]]] = []
        cues: list[tuple[tuple[str, ...], tuple[int, frozenset[str]]]] = []
        for number, rule in enumerate(rules):
            for pattern in rule.get("patterns", ()):
                for sequence in spellings(pattern):
                    offset = sequence.index("{") - (sequence[0] == "^")
                    phrases.append((_without_braces(sequence), (number, offset)))
            for cue in rule.get("cues", ()):
                kinds = frozenset(rule["kinds"])
                cues += [(sequence, (number, kinds)) for sequence in spellings(cue)]
        self._phrases = _SymbolBook(phrases)
        self._cues = _SymbolBook(cues)
        self.vocabulary = self._phrases.vocabulary | self._cues.vocabulary

    def marked(self, text: Sequence[Token]) -> Iterator[tuple[Token, str]]:
        """Yield the tokens that are marked, each with its slot, in order."""
        deciding: dict[int, int] = {}
        for first, _, (number, offset) in self._phrases.find(text):
            target = first + offset
            deciding[target] = min(number, deciding.get(target, number))
        self._follow_cues(text, deciding)
        for at, token in enumerate(text):
            if not token.kind or token.kind not in self._slots or token.stem_end < 0:
                continue
            slot = self._slots[token.kind]
            if at in deciding:
                mark = self._rules[deciding[at]]
                if mark:
                    yield token, slot if mark == "same" else mark
            elif token.kind in self._default:
                yield token, slot

    def _follow_cues(self, text: Sequence[Token], deciding: dict[int, int]) -> None:
        """Let cues decide about what follows them in their sentence."""
        beginning: dict[int, list[tuple[int, frozenset[str]]]] = {}
        for _, last, cue in self._cues.find(text):
            beginning.setdefault(last + 1, []).append(cue)
        if not beginning:
            return
        active: dict[str, int] = {}
        for at, token in enumerate(text):
            for number, kinds in beginning.get(at, ()):
                for kind in kinds:
                    active[kind] = min(number, active.get(kind, number))
            if token.kind in active:
                number = active[token.kind]
                deciding[at] = min(number, deciding.get(at, number))
            if token.word in _SENTENCE_ENDS:
                active = {}


def _without_braces(sequence: Sequence[str]) -> tuple[str, ...]:
    return tuple(symbol for symbol in sequence if symbol not in ("{", "}"))


class _SymbolBook(PhraseBook[Any]):
    """Phrases of words, `<kind>` for a token of that kind, and `^`, the beginning of a sentence."""

    def find(self, text: Sequence[Token]) -> Iterator[tuple[int, int, Any]]:  # type: ignore[override]
        """Yield (first token, last token, entry) of every phrase in a text."""
        root = self._root
        starts = root.children
        anchored = starts.get("^")
        begins = True
        for first, token in enumerate(text):
            frontier = [root, anchored] if begins and anchored else [root]
            begins = token.word in _SENTENCE_ENDS
            known = token.word in starts or (token.kind and f"<{token.kind}>" in starts)
            if not known and len(frontier) == 1:
                continue
            at = first
            while frontier and at < len(text):
                edges = _edges(text[at])
                children = (node.children.get(edge) for node in frontier for edge in edges)
                frontier = [child for child in children if child is not None]
                for node in frontier:
                    for entry in node.entries:
                        yield first, at, entry
                at += 1


def _edges(token: Token) -> tuple[str, ...]:
    """Return what a token counts as in a pattern: its word, its kind, or both."""
    if not token.kind:
        return (token.word,)
    return (f"<{token.kind}>", token.word) if token.word else (f"<{token.kind}>",)


def _code_rules(
    rules: Iterable[Mapping[str, Any]], parts: Mapping[str, str]
) -> list[tuple[str, list[re.Pattern[str]], bool]]:
    """Return (kind, patterns, whether for mixed case only) per rule.

    Args:
        rules: The rules of the tables.
        parts: What `%name%` stands for in a pattern.
    """
    return [
        (
            rule["kind"],
            [_code_pattern(pattern, parts) for pattern in rule["patterns"]],
            rule.get("mixed_case", False),
        )
        for rule in rules
    ]


def _code_pattern(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    for name, part in parts.items():
        pattern = pattern.replace(f"%{name}%", f"(?: {part} )")
    return re.compile(f"{_BETWEEN_WORDS} (?: {pattern} ) {_BETWEEN_WORDS}", re.VERBOSE)


def _postcode_areas(areas: Iterable[str]) -> str:
    """Return a pattern of the letters that postcodes begin with, also spelt apart."""
    return "|".join(r"[ .,]?".join(map(re.escape, area)) for area in sorted(set(areas)))
