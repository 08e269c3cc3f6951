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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import groupby, takewhile
from typing import Any

from ..characters import plain_characters
from ..normalizing import Delexicalised, Span, VenueId
from ..registry import read_toml, sha256
from ..rules import RuleSet
from .gazetteer import Mention, VenueRecords, build_gazetteer, comparable
from .phrases import (
    GIVEN,
    SENTENCE_ENDS,
    Found,
    PhraseBook,
    Token,
    context_book,
    corrector,
    is_guess,
    marked_tokens,
    spellings,
    tokens,
    words_read,
)

_VERSION = "lex1"
_SHOWN_HASH = 12
"""Digits of the tables' digest in signatures."""

_PLACEHOLDER = re.compile(r"\[([\w ]{1,40})\]")
_REMEMBERED = 1 << 14
# Digits.
_LONGEST_COUNT = 4
_LONGEST_HOUSE_NUMBER = len("1234a")
# Words before "street".
_LONGEST_STREET = 3
_EMPHASIS = frozenset("*_")
_MOST_EMPHASIS = 3

_BLANKS = re.compile("[ \t]+")
_HIDDEN = "\0"
_DIGIT = re.compile("[0-9]")
_OF_LETTERS = frozenset({"reference"})
"""The kinds of codes that may be letters alone."""

_BETWEEN_WORDS = r"(?! (?<= [0-9A-Za-z] ) [0-9A-Za-z] )"


@cache
def delexicaliser_tables() -> Mapping[str, Any]:
    """Return the tables of the delexicaliser; they are to be read only."""
    return read_toml(f"tables/{_VERSION}.toml")


class Delexicaliser:
    """Delexicalises responses about venues. Make it once and reuse it.

    Args:
        records: Domain -> venue records, as the public database files hold them.
        rules: The rule set, whose placeholders a response may have already.

    Attributes:
        gazetteer: What responses may say of the venues.
    """

    def __init__(self, records: VenueRecords, rules: RuleSet) -> None:
        tables = delexicaliser_tables()
        self.gazetteer = gazetteer = build_gazetteer(records, tables)
        self._ontology = rules.ontology
        self._shortest: int = tables["shortest_corrected_alone"]
        self._placeholders: Mapping[str, str] = tables["placeholders"]
        areas = postcode_areas(tables["postcode_areas"], gazetteer.numbers["POST"])
        parts = {**tables["parts"], "areas": areas}
        self._codes = [
            {**rule, "patterns": [_compiled(pattern, parts) for pattern in rule["patterns"]]}
            for rule in tables["code"]
        ]
        self._name_rules, self._address_rules = tables["names"], tables["addresses"]
        self._skipped = frozenset(self._name_rules["skipped_marks"])
        self._marked, self._rules = tables["marked"], tables["context"]
        self._contexts = context_book(self._rules)
        vocabulary = gazetteer.phrases.vocabulary | gazetteer.values.vocabulary
        contexts = self._contexts.vocabulary
        self._vocabulary = frozenset(vocabulary | contexts | {*tables["common_words"]})
        self._corrected = corrector(vocabulary, tables["shortest_corrected"])
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._delexicalised)

    @staticmethod
    def version() -> str:
        """Return the version and the digest of the tables, as signatures have them."""
        content = json.dumps(delexicaliser_tables(), sort_keys=True, ensure_ascii=False)
        return f"{_VERSION}-{sha256(content)[:_SHOWN_HASH]}"

    def __call__(self, response: str) -> Delexicalised:
        """Return a response delexicalised.

        Its `original` is in plain characters, with one blank between words: times and prices are
        recognised by their tokens and the blanks between them.
        """
        return self._remembered(_BLANKS.sub(" ", plain_characters(response)))

    def _delexicalised(self, response: str) -> Delexicalised:
        spans = self._spans(response)
        text = ""
        done = 0
        for span in spans:
            text += f"{response[done : span.start]}[{self._placeholders[span.slot]}]"
            done = span.end
        return Delexicalised(response, text + response[done:], tuple(spans))

    def _spans(self, response: str) -> list[Span]:
        given = [
            Token(*match.span(), "", GIVEN, self._ontology[match[1].lower()].lower())
            for match in _PLACEHOLDER.finditer(response)
            if match[1].lower() in self._ontology
        ]
        rest, codes = find_codes(response, given, self._codes, self._is_word)
        text = _with_tokens(rest, given, codes)
        corrections = self._corrections(text)
        text, mentions = self._with_names(response, text, corrections)
        text, canonical = _with_values(
            response, text, self.gazetteer.values, corrections, self._shortest
        )
        spans: list[Span] = []
        for token, slot in marked_tokens(text, self._marked, self._rules, self._contexts):
            after = spans[-1].end if spans else 0
            span = self._span(response, token, slot, mentions, canonical)
            spans.append(_with_emphasis(response, span, after))
        return spans

    def _is_word(self, value: str) -> bool:
        """Tell whether letters that look like a code are a word of a name or a value."""
        return value.isalpha() and value.lower() in self._vocabulary

    def _corrections(self, text: Sequence[Token]) -> dict[str, list[str]]:
        unknown = {token.word for token in text if not token.kind} - self._vocabulary
        corrected = ((word, self._corrected(word)) for word in unknown)
        return {word: words for word, words in corrected if words}

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
        by_value = self.gazetteer.numbers.get(slot)
        venues: Iterable[VenueId] = ()
        whole = True
        if meant := mentions.get(token.start):
            value = meant[0].value
            venues = dict.fromkeys(mention.venue for mention in meant)
            whole = any(mention.whole for mention in meant)
        elif by_value is not None:
            value = comparable(slot, words)
            venues = by_value.get(value, ())
        else:
            value = canonical.get(token.start, words.lower())
        return Span(token.start, token.end, slot, value, tuple(venues), whole)

    # ------------------------------------------------------------------- names and addresses

    def _with_names(
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
        read = partial(words_read, corrections=corrections)
        matches = [
            (match, mentions)
            for match in self.gazetteer.phrases.find(text, read, self._skipped)
            if (mentions := self._accepted(response, text, match))
        ]
        named: list[Token] = []
        meant: dict[int, list[Mention]] = {}
        for match, mentions in _longest_first(matches):
            first = match.first + self._article_left(response, text, match)
            named.append(_as_one(text, first, match, mentions[0].slot.lower()))
            meant[text[first].start] = mentions
        return self._with_unknown_addresses(response, _with_tokens(response, text, named)), meant

    def _accepted(
        self, response: str, text: Sequence[Token], match: Found[Mention]
    ) -> list[Mention]:
        """Return what a match means; nothing if it does not count."""
        if is_guess(text, match, self._shortest):
            return []
        names = [m for m in match.entries if m.slot == "NAME"]
        following = text[match.last + 1].word if match.last + 1 < len(text) else ""
        if (
            names
            and following not in self._address_rules["unknown_endings"]
            and (any(m.sure for m in names) or self._evident(response, text, match))
        ):
            return names
        addresses = [m for m in match.entries if m.slot == "ADDRESS"]
        whole = [m for m in addresses if m.whole]
        return whole or addresses

    def _article_left(self, response: str, text: Sequence[Token], match: Found[Mention]) -> int:
        """Return 1 if a name's article stays in the text: within a sentence, in lower case."""
        article = text[match.first]
        if article.word not in self._name_rules["articles"] or match.first == match.last:
            return 0
        begins = match.first == 0 or text[match.first - 1].word in SENTENCE_ENDS
        return 0 if begins or response[article.start].isupper() else 1

    def _with_unknown_addresses(self, response: str, text: Sequence[Token]) -> list[Token]:
        """Return the text with addresses that no record has as one token each.

        They begin with a number, and end in "street" after one to three other words.
        """
        endings, without = (
            frozenset(self._address_rules[rule]) for rule in ("unknown_endings", "unknown_without")
        )

        def is_in_address(token: Token) -> bool:
            return not token.kind and token.word.isalpha() and token.word not in without

        addresses: list[Token] = []
        done = -1
        for first, token in enumerate(text):
            number = token.word[:1].isdecimal() and len(token.word) <= _LONGEST_HOUSE_NUMBER
            if first <= done or token.kind or not number:
                continue
            words = takewhile(is_in_address, text[first + 1 : first + _LONGEST_STREET + 2])
            ends = (at for at, one in enumerate(words, start=1) if at > 1 and one.word in endings)
            if length := next(ends, 0):
                done = first + length
                end = text[done].end
                addresses.append(Token(token.start, end, "", end, "address"))
        return _with_tokens(response, text, addresses) if addresses else [*text]

    def _evident(self, response: str, text: Sequence[Token], match: Found[Mention]) -> bool:
        """Tell whether ordinary words are a name here: by their neighbours or a capital."""
        before = text[match.first - 1] if match.first else None
        after = text[match.last + 1] if match.last + 1 < len(text) else None
        start, last = text[match.first].start, text[match.last]
        begins = before is None or before.word in SENTENCE_ENDS
        capital = response[last.start].isupper() and not response[start : last.end].isupper()
        return (
            (before is not None and before.word in self._name_rules["evidence_before"])
            or (after is not None and after.word in self._name_rules["evidence_after"])
            or (capital and not (begins and match.first == match.last))
            or response[start - 1 : start] in self._name_rules["emphasis"]
        )


def _longest_first(
    matches: Sequence[tuple[Found[Mention], list[Mention]]],
) -> Iterator[tuple[Found[Mention], list[Mention]]]:
    """Yield matches that do not overlap, the longest, the exact and the earliest first."""
    taken: set[int] = set()
    for match, mentions in sorted(
        matches,
        key=lambda one: (one[0].first - one[0].last, one[0].corrected, one[0].stem, one[0].first),
    ):
        places = range(match.first, match.last + 1)
        if taken.isdisjoint(places):
            taken.update(places)
            yield match, mentions


def _as_one(
    text: Sequence[Token], first: int, match: Found[Any], kind: str, word: str = ""
) -> Token:
    """Return the tokens from the first one to the last of a match as one token."""
    last = text[match.last]
    end = last.stem_end if match.stem else last.end
    return Token(text[first].start, end, word, end, kind)


def _with_emphasis(response: str, span: Span, after: int) -> Span:
    """Return a span with the marks that set it in bold or italics, `**like this**`."""
    before = reversed(response[max(after, span.start - _MOST_EMPHASIS) : span.start])
    behind = response[span.end : span.end + _MOST_EMPHASIS]
    mark = behind[:1] if behind[:1] in _EMPHASIS else ""
    pairs = takewhile(lambda pair: pair == (mark, mark), zip(before, behind, strict=False))
    marks = sum(1 for _ in pairs)
    return replace(span, start=span.start - marks, end=span.end + marks)


def _with_tokens(response: str, text: Iterable[Token], new: Iterable[Token]) -> list[Token]:
    """Return the tokens of a response, some of which are given.

    Args:
        response: The response, whose words and marks are between these.
        text: Tokens before; those of a known kind are kept.
        new: Further ones. A genitive that does not belong to one is left as its marks and letters.
    """
    result: list[Token] = []
    done = 0
    for token in sorted([*(one for one in text if one.kind), *new]):
        result += tokens(response, done, token.start)
        result.append(token)
        done = token.end
    return [*result, *tokens(response, done)]


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
    matches = book.find(text, partial(words_read, corrections=corrections), frozenset("-"))
    merged = []
    canonical = {}
    done = -1
    # In order of their first tokens; of those that begin at one, the first of the longest.
    by_first = groupby((m for m in matches if not is_guess(text, m, shortest)), lambda m: m.first)
    for first, of_one in by_first:
        if first <= done:
            continue
        match = max(of_one, key=lambda m: m.last)
        kind, value = match.entries[0]
        word = text[first].word if first == match.last else ""
        merged.append(_as_one(text, first, match, kind, word))
        canonical[text[first].start] = value
        done = match.last
    values = [
        token._replace(kind="number")
        if token.word.isdecimal() and not token.kind and len(token.word) <= _LONGEST_COUNT
        else token
        for token in _with_tokens(response, text, merged)
    ]
    return values, canonical


@lru_cache(maxsize=_REMEMBERED)
def topics(response: str) -> frozenset[str]:
    """Return the domains that the words of a response are about ("table", "room")."""
    matches = _topics().find([*tokens(response)])
    return frozenset(domain for match in matches for domain in match.entries)


@cache
def _topics() -> PhraseBook[str]:
    return PhraseBook(
        (spelling, domain)
        for domain, patterns in delexicaliser_tables()["topics"].items()
        for pattern in patterns
        for spelling in spellings(pattern)
    )


# ------------------------------------------------------------------------------- numbers and codes


def find_codes(
    text: str,
    given: Sequence[Token],
    rules: Iterable[Mapping[str, Any]],
    is_word: Callable[[str], bool],
) -> tuple[str, list[Token]]:
    """Find the numbers and codes of a text.

    Args:
        text: The text.
        given: What of it is known already; codes neither lie in it nor reach over it.
        rules: Each with a `kind`, `patterns` (with a group `value`) and, if it does not hold for a
            text all in capitals, `mixed_case`, in the order in which they are tried. A value has a
            digit, unless its kind is one of `_OF_LETTERS`.
        is_word: Tells whether what looks like a code is a word after all.

    Returns:
        The text with what is known hidden, given tokens included, and the tokens found.
    """
    rest = _hidden(text, given)
    codes: list[Token] = []
    for rule in rules:
        kind = rule["kind"]
        if kind not in _OF_LETTERS and _DIGIT.search(rest) is None:
            continue
        if rule.get("mixed_case") and rest.upper() == rest:
            continue
        patterns: Sequence[re.Pattern[str]] = rule["patterns"]
        for pattern in patterns:
            new = [
                Token(*match.span("value"), "", match.end("value"), kind)
                for match in pattern.finditer(rest)
                if not is_word(match["value"])
            ]
            codes += new
            rest = _hidden(rest, new)
    return rest, codes


def _hidden(text: str, codes: Sequence[Token]) -> str:
    """Return a text in which codes are hidden from further rules."""
    parts = []
    done = 0
    for token in sorted(codes):
        parts += [text[done : token.start], _HIDDEN * (token.end - token.start)]
        done = token.end
    return "".join([*parts, text[done:]])


def _compiled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    """Compile a verbose pattern, given what `%name%` stands for in it."""
    for name, part in parts.items():
        pattern = pattern.replace(f"%{name}%", f"(?: {part} )")
    return re.compile(f"{_BETWEEN_WORDS} (?: {pattern} ) {_BETWEEN_WORDS}", re.VERBOSE)


def postcode_areas(letters: Iterable[str], postcodes: Iterable[str]) -> str:
    """Return a pattern of the letters that postcodes begin with, also spelt apart.

    Args:
        letters: Letters that count in any case.
        postcodes: Postcodes of venues, in lower case and without blanks.
    """
    areas = {*letters, *filter(None, (_DIGIT.split(one)[0] for one in postcodes))}
    return "|".join(r"[ .,]?".join(area) for area in sorted(areas))
