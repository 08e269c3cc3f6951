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
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache, partial

from ..normalizing import plain_characters
from ..packages import TomlTable, read_toml, sha256
from ..rules import RuleSet, VenueRecords
from .gazetteer import Gazetteer, Mention, VenueId, comparable
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
    tokenize,
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
_NAMING = frozenset({"called", "named", "recommend", "suggest", ",", ":"})
"""After these words, ordinary words without a capital are a name whatever else has capitals."""

_EMPHASIS = frozenset("*_")
_MOST_EMPHASIS = 3

_BLANKS = re.compile("[ \t]+")
_HIDDEN = "\0"
_DIGIT = re.compile("[0-9]")
_MAY_LACK_DIGITS = frozenset({"reference"})
"""The kinds of codes that may be letters alone."""

_BETWEEN_WORDS = r"(?! (?<= [0-9A-Za-z] ) [0-9A-Za-z] )"


@cache
def delexicaliser_tables() -> TomlTable:
    """Return the tables of the delexicaliser; they are to be read only."""
    return read_toml(f"tables/{_VERSION}.toml")


@dataclass(frozen=True, slots=True)
class Span:
    """A value that a response in plain English tells.

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
    """A response in plain English and what was found in it.

    Attributes:
        original: The response in plain characters, which the spans are places of.
        text: The response with a placeholder in place of every value.
        spans: The values, in order; they do not overlap. Placeholders that the response already
            had are not among them.
    """

    original: str
    text: str
    spans: tuple[Span, ...]


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
        gazetteer = Gazetteer(records, tables)
        self.gazetteer = gazetteer
        self._ontology = rules.ontology
        self._shortest: int = tables["shortest_corrected_alone"]
        self._placeholders: Mapping[str, str] = tables["placeholders"]
        # The letters that postcodes begin with, also spelt apart.
        areas = {*tables["postcode_areas"]}
        areas.update(_DIGIT.split(postcode)[0] for postcode in gazetteer.numbers["POST"])
        areas.discard("")
        spelt_areas = [r"[ .,]?".join(area) for area in sorted(areas)]
        # What `%name%` stands for in patterns.
        fragments = {**tables["parts"], "areas": "|".join(spelt_areas)}
        self._codes: list[tuple[TomlTable, list[re.Pattern[str]]]] = []
        for rule in tables["code"]:
            patterns = []
            for written in rule["patterns"]:
                pattern = written
                for name, fragment in fragments.items():
                    pattern = pattern.replace(f"%{name}%", f"(?: {fragment} )")
                whole = f"{_BETWEEN_WORDS} (?: {pattern} ) {_BETWEEN_WORDS}"
                patterns.append(re.compile(whole, re.VERBOSE))
            self._codes.append((rule, patterns))
        self._name_rules = tables["names"]
        self._skipped = frozenset(self._name_rules["skipped_marks"])
        self._articles = frozenset(self._name_rules["articles"])
        self._street_endings = frozenset(tables["addresses"]["unknown_endings"])
        self._never_in_streets = frozenset(tables["addresses"]["unknown_without"])
        self._marked = tables["marked"]
        self._contexts = tables["context"]
        self._context_book = context_book(self._contexts)
        vocabulary = gazetteer.phrases.vocabulary | gazetteer.values.vocabulary
        common_words = self._context_book.vocabulary.union(tables["common_words"])
        self._vocabulary = frozenset(vocabulary | common_words)
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
        # Placeholders that the response already has.
        given: list[Token] = []
        for match in _PLACEHOLDER.finditer(response):
            name = match[1].lower()
            if name in self._ontology:
                kind = self._ontology[name].lower()
                given.append(Token(match.start(), match.end(), "", GIVEN, kind))
        rest, codes = find_codes(response, given, self._codes, self._vocabulary)
        tokens = _with_merged(rest, given, codes)
        # Misspelt word -> what it may stand for.
        corrections: dict[str, list[str]] = {}
        for token in tokens:
            if not token.kind and token.word not in self._vocabulary:
                words = self._corrected(token.word)
                if words:
                    corrections[token.word] = words
        tokens, mentions = self._with_names(response, tokens, corrections)
        tokens = self._with_unknown_addresses(response, tokens)
        tokens, canonical = _with_values(
            response, tokens, self.gazetteer.values, corrections, self._shortest
        )
        # A placeholder takes the place of each value that is marked.
        spans: list[Span] = []
        text = ""
        done = 0
        for token, slot in marked_tokens(tokens, self._marked, self._contexts, self._context_book):
            span = self._span(response, token, slot, mentions, canonical, done)
            spans.append(span)
            text += f"{response[done : span.start]}[{self._placeholders[slot]}]"
            done = span.end
        return Delexicalised(response, text + response[done:], tuple(spans))

    def _span(
        self,
        response: str,
        token: Token,
        slot: str,
        mentions: Mapping[int, Sequence[Mention]],
        canonical: Mapping[int, str],
        after: int,
    ) -> Span:
        """Return a marked token as a span, with the marks that emphasise it: `**like this**`.

        Args:
            response: The response.
            token: The token.
            slot: The slot that it is marked as.
            mentions: What names and addresses mean, by where they begin.
            canonical: The canonical form of other values, by where they begin.
            after: Where the span before it ends.
        """
        start, end = token.start, token.end
        first = max(after, start - _MOST_EMPHASIS)
        mark = response[end : end + 1]
        if mark in _EMPHASIS:
            while start > first and response[start - 1] == mark == response[end : end + 1]:
                start -= 1
                end += 1
        written = response[token.start : token.end]
        if token.start in mentions:
            meant = mentions[token.start]
            venues = dict.fromkeys(mention.venue for mention in meant)
            is_whole = any(mention.whole for mention in meant)
            return Span(start, end, slot, meant[0].value, tuple(venues), is_whole)
        if slot in self.gazetteer.numbers:
            value = comparable(slot, written)
            return Span(start, end, slot, value, tuple(self.gazetteer.numbers[slot].get(value, ())))
        return Span(start, end, slot, canonical.get(token.start, written.lower()))

    # ------------------------------------------------------------------- names and addresses

    def _with_names(
        self,
        response: str,
        tokens: Sequence[Token],
        corrections: Mapping[str, Sequence[str]],
    ) -> tuple[list[Token], dict[int, list[Mention]]]:
        """Find the names and addresses of a text, the longest first.

        Args:
            response: The text.
            tokens: Its tokens.
            corrections: Misspelt word -> what it may stand for.

        Returns:
            The tokens with names and addresses as one each, and what these mean by where they
            begin in the text.
        """
        read = partial(words_read, corrections=corrections)
        matches = list(self.gazetteer.phrases.find(tokens, read, self._skipped))
        # The longest, the exact and the earliest first.
        matches.sort(key=lambda match: (match.first - match.last, match.corrected, match.stem))
        merged: list[Token] = []
        mentions_by_start: dict[int, list[Mention]] = {}
        taken: set[int] = set()
        for match in matches:
            indices = range(match.first, match.last + 1)
            if not taken.isdisjoint(indices):
                continue
            mentions = self._accepted(response, tokens, match)
            if not mentions:
                continue
            taken.update(indices)
            first = match.first
            # Within a sentence, an article in lower case stays in the text.
            is_within = first > 0 and tokens[first - 1].word not in SENTENCE_ENDS
            has_article = first < match.last and tokens[first].word in self._articles
            if has_article and is_within and not response[tokens[first].start].isupper():
                first += 1
            merged.append(_merged(tokens, first, match, mentions[0].slot.lower()))
            mentions_by_start[tokens[first].start] = mentions
        return _with_merged(response, tokens, merged), mentions_by_start

    def _accepted(
        self, response: str, tokens: Sequence[Token], match: Found[Mention]
    ) -> list[Mention]:
        """Return what a match means; nothing if it does not count."""
        if is_guess(tokens, match, self._shortest):
            return []
        names = [mention for mention in match.entries if mention.slot == "NAME"]
        if names:
            following = tokens[match.last + 1].word if match.last + 1 < len(tokens) else ""
            # `regent` is no venue in `regent street`.
            is_street = following in self._street_endings
            is_sure = any(mention.sure for mention in names)
            if not is_street and (is_sure or self._is_evident(response, tokens, match)):
                return names
        addresses = [mention for mention in match.entries if mention.slot == "ADDRESS"]
        whole = [mention for mention in addresses if mention.whole]
        return whole or addresses

    def _is_evident(self, response: str, tokens: Sequence[Token], match: Found[Mention]) -> bool:
        """Return whether ordinary words are a name here, by their neighbours or a capital."""
        start, last = tokens[match.first].start, tokens[match.last]
        if response[start - 1 : start] in self._name_rules["emphasis"]:
            return True
        # Where sentences begin with a capital, names have one too: "The place is nice".
        has_article = match.first < match.last and tokens[match.first].word in self._articles
        if has_article and response[last.start].islower() and not response.islower():
            return match.first > 0 and tokens[match.first - 1].word in _NAMING
        begins_sentence = True
        if match.first > 0:
            before = tokens[match.first - 1].word
            if before in self._name_rules["evidence_before"]:
                return True
            begins_sentence = before in SENTENCE_ENDS
        if match.last + 1 < len(tokens):
            after = tokens[match.last + 1].word
            if after in self._name_rules["evidence_after"]:
                return True
        has_capital = response[last.start].isupper() and not response[start : last.end].isupper()
        # The first word of a sentence has a capital whatever it means.
        return has_capital and not (begins_sentence and match.first == match.last)

    def _with_unknown_addresses(self, response: str, tokens: list[Token]) -> list[Token]:
        """Return the tokens with addresses that no record has as one token each.

        They begin with a number, and end in "street" after one to three other words.
        """
        addresses: list[Token] = []
        done = -1
        for first, token in enumerate(tokens):
            is_number = token.word[:1].isdecimal() and len(token.word) <= _LONGEST_HOUSE_NUMBER
            if first <= done or token.kind or not is_number:
                continue
            for last in range(first + 1, min(first + _LONGEST_STREET + 2, len(tokens))):
                word = tokens[last].word
                if tokens[last].kind or not word.isalpha() or word in self._never_in_streets:
                    break
                if last > first + 1 and word in self._street_endings:
                    done = last
                    end = tokens[last].end
                    addresses.append(Token(token.start, end, "", end, "address"))
                    break
        return _with_merged(response, tokens, addresses) if addresses else tokens


def _merged(
    tokens: Sequence[Token],
    first: int,
    match: Found[Mention] | Found[tuple[str, str]],
    kind: str,
    word: str = "",
) -> Token:
    """Return the tokens from the first one to the last of a match as one token."""
    last = tokens[match.last]
    end = last.stem_end if match.stem else last.end
    return Token(tokens[first].start, end, word, end, kind)


def _with_merged(response: str, tokens: Iterable[Token], merged: Iterable[Token]) -> list[Token]:
    """Return the tokens of a response, some of which are given.

    Args:
        response: The response, whose words and marks are between these.
        tokens: Tokens before; those of a known kind are kept.
        merged: Further ones. A genitive that does not belong to one is left as its marks and
            letters.
    """
    known = [token for token in tokens if token.kind]
    result: list[Token] = []
    done = 0
    for token in sorted([*known, *merged]):
        result += tokenize(response, done, token.start)
        result.append(token)
        done = token.end
    result += tokenize(response, done)
    return result


def _with_values(
    response: str,
    tokens: Sequence[Token],
    book: PhraseBook[tuple[str, str]],
    corrections: Mapping[str, Sequence[str]],
    shortest: int,
) -> tuple[list[Token], dict[int, str]]:
    """Return the tokens with values as one each, and the values' canonical forms by start.

    A short number is a value too.
    """
    read = partial(words_read, corrections=corrections)
    # First token -> the longest match that begins there; in the order of the text.
    longest: dict[int, Found[tuple[str, str]]] = {}
    for match in book.find(tokens, read, frozenset("-")):
        is_longer = match.first not in longest or match.last > longest[match.first].last
        if is_longer and not is_guess(tokens, match, shortest):
            longest[match.first] = match
    merged: list[Token] = []
    canonical: dict[int, str] = {}
    done = -1
    for first, match in longest.items():
        if first > done:
            kind, value = match.entries[0]
            word = tokens[first].word if first == match.last else ""
            merged.append(_merged(tokens, first, match, kind, word))
            canonical[tokens[first].start] = value
            done = match.last
    values: list[Token] = []
    for token in _with_merged(response, tokens, merged):
        is_count = token.word.isdecimal() and len(token.word) <= _LONGEST_COUNT
        values.append(token._replace(kind="number") if is_count and not token.kind else token)
    return values, canonical


@lru_cache(maxsize=_REMEMBERED)
def topics(response: str) -> frozenset[str]:
    """Return the domains that the words of a response are about ("table", "room")."""
    domains: set[str] = set()
    for match in _topic_book().find([*tokenize(response)]):
        domains.update(match.entries)
    return frozenset(domains)


@cache
def _topic_book() -> PhraseBook[str]:
    phrases: list[tuple[Sequence[str], str]] = []
    for domain, patterns in delexicaliser_tables()["topics"].items():
        for pattern in patterns:
            phrases += [(spelling, domain) for spelling in spellings(pattern)]
    return PhraseBook(phrases)


# ------------------------------------------------------------------------------- numbers and codes


def find_codes(
    text: str,
    given: Sequence[Token],
    rules: Iterable[tuple[TomlTable, Sequence[re.Pattern[str]]]],
    vocabulary: Set[str],
) -> tuple[str, list[Token]]:
    """Find the numbers and codes of a text.

    Args:
        text: The text.
        given: What of it is known already; codes neither lie in it nor reach over it.
        rules: The rules, in the order in which they are tried, each with its patterns, whose group
            `value` is the code. A value has a digit, unless its `kind` is one of
            `_MAY_LACK_DIGITS`; a rule of `mixed_case` does not hold for a text all in capitals.
        vocabulary: Words of names and values, in lower case; letters that are one are no code.

    Returns:
        The text with what is known hidden, given tokens included, and the tokens found.
    """
    rest = _hidden(text, given)
    codes: list[Token] = []
    for rule, patterns in rules:
        kind = rule["kind"]
        if kind not in _MAY_LACK_DIGITS and _DIGIT.search(rest) is None:
            continue
        if rule.get("mixed_case", False) and rest.upper() == rest:
            continue
        for pattern in patterns:
            new: list[Token] = []
            for match in pattern.finditer(rest):
                value = match["value"]
                if not (value.isalpha() and value.lower() in vocabulary):
                    start, end = match.span("value")
                    new.append(Token(start, end, "", end, kind))
            codes += new
            rest = _hidden(rest, new)
    return rest, codes


def _hidden(text: str, codes: Sequence[Token]) -> str:
    """Return a text in which codes are hidden from further rules."""
    for token in codes:
        hidden = _HIDDEN * (token.end - token.start)
        text = text[: token.start] + hidden + text[token.end :]
    return text
