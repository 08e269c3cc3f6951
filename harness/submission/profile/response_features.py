"""Features of responses and active domains: placeholders, words, and where they stand."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from mwz.normalization import (
    PLACEHOLDER,
    RuleSet,
    normalize_response,
    placeholder_names,
    plain_characters,
)

from ...benchmark import CANONICAL_STYLE, Benchmark, Dialogue
from ..model import Turn
from ..notations import DOMAINS
from .feature import Profile
from .vocabulary import Wording, tokens, word_tables

SLOT = re.compile(r"\b[A-Z]{2,}\b")
TAG = re.compile(r"</?\|?(?!unk\b)[A-Za-z_]\w{0,29}\|?>")
"""A token such as <sos_r>, </s>, <|endoftext|>; not <unk>, which stands for a word."""
GLUED = re.compile(r"[a-z]\[(?:[a-z]+_)?[a-z]+\]|\[[a-z]+_[a-z]+\](?!s\b|es\b|ly\b)[a-z]", re.I)
"""A placeholder without a blank between it and the letter before or after it."""

SHORTEST_NAME = 5
"""Characters. Shorter names of venues are ordinary words."""
_SEARCHED = 2000
"""Characters of a response in which names of venues are looked for."""

_ORDINARY = re.compile(r"[a-z0-9 .,?!';\"\n]*")
"""A text without the signs that placeholders in other notations have."""

_FEW_WORDS = 2
_SEVERAL_DOMAINS = 3
_COMPARED = 5
"""Tokens. Shorter responses are equal to a reference by chance."""
_OFTEN = 3
"""A text that is there so often counts as repeated."""
_STRANGE = 0.15
"""A text is unlike all references if a greater share of its pairs of tokens is in none."""
_ENDS = frozenset(".?!")
_COMMON = (".", "?", "the", "you", "is", "to")
"""Tokens of many references that every system uses."""
_SHOWN = 60
"""Characters of a response that remarks show."""


def count_plain_responses(
    profile: Profile, dialogues: Mapping[str, Sequence[Turn]], rules: RuleSet
) -> None:
    """Count the features of responses that are meant to be plain English."""
    for turns in dialogues.values():
        for turn in turns:
            names = placeholder_names(turn.response)
            known = next((name for name in names if name in rules.ontology), None)
            profile.add("response_delexicalised", known is not None, f"[{known}]")


def count_responses(
    profile: Profile,
    dialogues: Mapping[str, Sequence[Turn]],
    benchmark: Benchmark,
    rules: RuleSet,
    wording: Wording,
) -> None:
    """Count the features of delexicalised responses and of active domains.

    Args:
        profile: Where the counts are added.
        dialogues: Dialogue id -> turns, as they were given.
        benchmark: The benchmark that has the dialogues.
        rules: The rule set.
        wording: The words of the benchmark's references.
    """
    counter = _Counter(profile, benchmark, rules, wording)
    for id_, turns in dialogues.items():
        counter.count_dialogue(turns, benchmark.dialogues[id_])
    counter.count_file()


class _Counter:
    """Counts the features of the responses of one file."""

    def __init__(
        self, profile: Profile, benchmark: Benchmark, rules: RuleSet, wording: Wording
    ) -> None:
        self._profile = profile
        self._rules = rules
        self._wording = wording
        self._venue_names = venue_names(benchmark)
        self._notations = other_notations(rules)
        self._ontology_names = frozenset(name for name in rules.ontology.values() if len(name) > 3)
        # Token -> responses that have it; normalised response -> turns.
        self._frequency: Counter[str] = Counter()
        self._repeated: Counter[str] = Counter()
        # Slot about venues -> turns whose response, or canonical reference, has it.
        self._said: Counter[str] = Counter()
        self._expected: Counter[str] = Counter()
        # Of turns whose reference tells about a venue: response without placeholders -> turns.
        self._evasive: Counter[str] = Counter()
        self._about_venues = 0
        self._texts: set[str] = set()
        self._turns = 0
        self._words = 0
        self._reference_words = 0

    def count_dialogue(self, turns: Sequence[Turn], dialogue: Dialogue) -> None:
        """Count the turns of a dialogue."""
        canonical = dialogue.references.get(CANONICAL_STYLE, ())[: len(turns)]
        about_venues = self._rules.about_venues
        expected = [frozenset(SLOT.findall(text)) & about_venues for text in canonical]
        said: list[frozenset[str]] = []
        for number, turn in enumerate(turns):
            response = plain_characters(turn.response)
            names = placeholder_names(response)
            slots = {self._rules.ontology.get(name, "") for name in names}
            said.append(frozenset(slots & about_venues))
            self._turns += 1
            self._texts.add(response.strip())
            self._count_signs(response, names)
            styles = [references[number] for references in dialogue.references.values()]
            self._count_words(response, styles)
            if number < len(canonical):
                self._reference_words += len(tokens(canonical[number]))
                if expected[number]:
                    self._about_venues += 1
                    if not names:
                        self._evasive[response] += 1
            if turn.active_domains is not None:
                self._count_domains(turn.active_domains, dialogue.active_domains[number], slots)
        for slots_said in said:
            self._said.update(slots_said)
        for slots_expected in expected:
            self._expected.update(slots_expected)
        self._count_places(said, expected)
        claimed = [turn.active_domains for turn in turns]
        self._count_shifted_domains(claimed, dialogue.active_domains)

    def _count_signs(self, text: str, names: Sequence[str]) -> None:
        """Count signs of another notation: unknown placeholders, plain values, special tokens."""
        profile = self._profile
        for name in names:
            profile.add("response_unknown", name not in self._rules.ontology, f"[{name}]")
            profile.add_regular("response_notation")
        without = PLACEHOLDER.sub(" ", text)
        lowered = without.lower()
        if _ORDINARY.fullmatch(lowered) is None:
            for match in self._notations.finditer(lowered):
                profile.add_odd("response_notation", match[0])
        # Names of slots in capitals lose their meaning when they are normalised to lower case.
        # A response in capitals throughout has no such names.
        if without != lowered and text != text.upper():
            for word in SLOT.findall(without):
                if word in self._ontology_names:
                    profile.add_odd("response_notation", word)
        glued = 0
        for match in GLUED.finditer(text):
            glued += 1
            profile.add_odd("response_glued", match[0])
        profile.add_regular("response_glued", number=max(len(names) - glued, 0))
        # Responses that are empty, have values in plain words, or special tokens.
        profile.add("response_empty", not text.strip(), "''")
        plain_values = {
            "response_plain": self._venue_names.search(lowered[:_SEARCHED]),
            "response_number": plain_numbers().search(without),
        }
        for feature, value in plain_values.items():
            profile.add(feature, value is not None, value[0] if value else "")
        tags = special_tokens(text, self._rules)
        profile.add("response_tags", bool(tags), tags[-1][0] if tags else "")

    def _count_words(self, text: str, references: Sequence[str]) -> None:
        """Count the words of a response that no reference has, and what all share.

        Args:
            text: The response.
            references: The turn's references in all styles.
        """
        normal = normalize_response(text, self._rules)[0] if text else ""
        words = tokens(normal)
        self._repeated[normal] += 1
        self._frequency.update(set(words))
        self._words += len(words)
        self._profile.add("response_tiny", len(words) <= _FEW_WORDS, repr(normal))
        if len(words) >= _COMPARED:
            self._profile.add("response_same", normal in references, repr(normal[:_SHOWN]))
        if not self._wording.is_large:
            return
        # Tokens and pairs of them that no reference has, and unusual first and last ones.
        profile, wording = self._profile, self._wording
        unknown = [word for word in words if word not in wording.tokens]
        for word in unknown:
            profile.add_odd("response_tokens", repr(word))
        profile.add_regular("response_tokens", number=len(words) - len(unknown))
        unknown_pairs = self._unknown_pairs(words)
        for pair in unknown_pairs:
            profile.add_odd("response_pairs", " ".join(pair))
        pairs = max(len(words) - 1, 0)
        profile.add_regular("response_pairs", number=pairs - len(unknown_pairs))
        first, last = (words[0], words[-1]) if words else ("", "")
        profile.add("response_cut", last not in _ENDS, repr(last))
        profile.add("response_opening", first in wording.inner, repr(first))

    def _unknown_pairs(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Return the pairs of successive tokens that no reference has."""
        return [pair for pair in itertools.pairwise(words) if pair not in self._wording.pairs]

    def _count_domains(
        self, claimed: Sequence[str], gold: Sequence[str], slots: Collection[str]
    ) -> None:
        """Count a turn whose active domains are none, several, or others than gold's."""
        domains = set(claimed) & set(DOMAINS)
        right = set(gold) - {"general"}
        if not self._rules.about_venues.isdisjoint(slots):
            self._profile.add("domains_empty", not domains, str(list(claimed)))
        if right and claimed:
            example = f"{list(claimed)} for {sorted(right)}"
            self._profile.add("domains_wrong", not domains & right, example)
        if domains:
            is_odd = len(domains) >= _SEVERAL_DOMAINS
            self._profile.add("domains_many", is_odd, str(list(claimed)))

    def _count_shifted_domains(
        self, claimed: Sequence[Sequence[str] | None], gold: Sequence[Sequence[str]]
    ) -> None:
        """Count active domains that are those of the turn before or after.

        Only turns beside one with other domains are counted, and of them only those whose active
        domains are gold's of this turn or of such a neighbour.
        """
        right_domains = [set(domains) - {"general"} for domains in gold]
        for number, domains in enumerate(claimed):
            right = right_domains[number]
            if not domains or not right:
                continue
            is_right = not right.isdisjoint(domains)
            is_between = is_shifted = False
            for neighbour in (number - 1, number + 1):
                if 0 <= neighbour < len(right_domains):
                    others = right_domains[neighbour]
                    if others and others.isdisjoint(right):
                        is_between = True
                        is_shifted |= not is_right and not others.isdisjoint(domains)
            if is_between and (is_right or is_shifted):
                example = f"{list(domains)} for {sorted(right)}"
                self._profile.add("domains_shifted", is_shifted, example)

    def _count_places(
        self, said: Sequence[frozenset[str]], expected: Sequence[frozenset[str]]
    ) -> None:
        """Count placeholders that are in other turns than those of the references."""
        for here, right in itertools.zip_longest(said, expected, fillvalue=frozenset[str]()):
            # Each of these is there twice, in the response and in the reference.
            self._profile.add_regular("response_misplaced", number=2 * len(here & right))
            for slot in here ^ right:
                self._profile.add_odd("response_misplaced", slot)
        # Responses that fit the reference of the turn before or after better.
        for number in range(1, min(len(said), len(expected) - 1)):
            here = said[number]
            if not here:
                continue
            fits = {
                "": _f1(here, expected[number]),
                "earlier": _f1(here, expected[number - 1]),
                "later": _f1(here, expected[number + 1]),
            }
            best = max(fits, key=lambda place: fits[place])
            if [*fits.values()].count(fits[best]) == 1:
                self._profile.add("response_shifted", best != "", best)

    def count_file(self) -> None:
        """Count what only all responses together show."""
        if not self._turns:
            return
        profile = self._profile
        if self._wording.is_large:
            self._count_usual_words()
            # Responses that repeat a text whose pairs of words no reference has.
            for text, number in self._repeated.items():
                words = tokens(text)
                unknown = len(self._unknown_pairs(words)) if number >= _OFTEN else 0
                if unknown and unknown / (len(words) - 1) > _STRANGE:
                    profile.add_odd("response_strange", repr(text[:_SHOWN]), number=number)
                else:
                    profile.add_regular("response_strange", number=number)
        # Responses that answer nothing, and those that are the same.
        evasive = 0
        for text, number in self._evasive.items():
            if number >= _OFTEN:
                evasive += number
                profile.add_odd("response_evasive", repr(text[:_SHOWN]), number=number)
        profile.add_regular("response_evasive", number=self._about_venues - evasive)
        for text, number in self._repeated.most_common(1):
            profile.add_counts("response_repeated", repr(text[:_SHOWN]), number, self._turns)
        # Responses that are as long as the longest one, as those cut at a limit are. A text that is
        # repeated counts once: all uses of a template are equally long.
        lengths = Counter(map(len, self._texts))
        longest = max(lengths)
        example = f"{longest} characters"
        profile.add_counts("response_capped", example, lengths[longest], self._turns)
        for slot, expected in self._expected.items():
            lacking = max(expected - self._said[slot], 0)
            profile.add_counts("response_lacks", f"[{slot.lower()}]", lacking, expected, slot)

    def _count_usual_words(self) -> None:
        """Count words that are there more often, or less often, than in the references."""
        profile = self._profile
        excess: Counter[str] = Counter()
        for token, number in self._frequency.items():
            excess[token] = number - self._usual_number(token)
        for token, number in excess.most_common(1):
            profile.add_counts("response_overused", repr(token), max(number, 0), self._turns)
        for token in _COMMON:
            usual = self._usual_number(token)
            lacking = max(usual - self._frequency[token], 0)
            profile.add_counts("response_lacks_words", repr(token), lacking, usual, repr(token))
        surplus = max(self._words - self._reference_words, 0)
        profile.add_counts("response_long", "more", surplus, self._words)

    def _usual_number(self, token: str) -> int:
        """Return how many responses would have a token if they were as the references are."""
        references = self._wording.texts.total()
        return round(self._turns * self._wording.frequency[token] / references)


def _f1(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the F1 score of two sets of slots; 1 if both are empty."""
    if not first and not second:
        return 1.0
    return 2 * len(first & second) / (len(first) + len(second))


@lru_cache(maxsize=4)
def venue_names(benchmark: Benchmark) -> re.Pattern[str]:
    """Return a pattern of the names of venues, in lower case, that are no ordinary words."""
    names: set[str] = set()
    for records in benchmark.venues.values():
        names.update(str(record.get("name") or "").lower() for record in records)
    long_names = sorted(name for name in names if len(name) >= SHORTEST_NAME)
    # Of two names that begin alike the longer one is to match.
    alternatives = "|".join(map(re.escape, sorted(long_names, key=len, reverse=True)))
    # A pattern that never matches, if there are no names.
    return re.compile(rf"\b(?:{alternatives or '(?!)'})\b")


@lru_cache(maxsize=1)
def plain_numbers() -> re.Pattern[str]:
    """Return a pattern of telephone numbers and postcodes, which placeholders stand for."""
    alternatives = "|".join(word_tables()["numbers"])
    return re.compile(rf"\b(?:{alternatives})\b", re.IGNORECASE)


def special_tokens(text: str, rules: RuleSet) -> list[re.Match[str]]:
    """Return the special tokens of models in a response, without placeholders such as <phone>."""
    if "<" not in text:
        return []
    notations = other_notations(rules)
    tags = TAG.finditer(text)
    return [match for match in tags if notations.fullmatch(match[0].lower()) is None]


_JOINT = r"\W{0,2}[-_.|:/)(>\]\[]\W{0,2}"
_ANY_DOMAIN = (
    r"(?:value|hotel|restaurant|attraction|train|taxi|police|hospital|venue|entity)\W?[-_.|:/]\W?"
    r"(?:name|id|phone|address|postcode|area|food|type|price|pricerange|stars|reference|ref|choice"
    r"|count|time|day|leave|arrive|departure|destination|place)"
)
"""A domain and a slot of venues, joined by a sign."""


@lru_cache(maxsize=16)
def other_notations(rules: RuleSet) -> re.Pattern[str]:
    """Return a pattern of placeholders in other notations: [value-name], hotel_name, <phone>."""
    joined: set[str] = set()
    names: set[str] = set(rules.ontology)
    for name in rules.ontology:
        words = re.split(r"[_ ]", name)
        if len(words) > 1:
            joined.add(_JOINT.join(map(re.escape, words)))
        # In angle brackets people leave `value_` out.
        names.add(name.removeprefix("value_"))
    alternatives = "|".join(sorted(joined, key=len, reverse=True))
    single = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(
        rf"[\[<{{(%$#@_]*(?<![a-z0-9])(?:{alternatives}|{_ANY_DOMAIN})(?![a-z0-9])[\]>}})%$#_]*"
        rf"|<\W?(?:{single})\W?>|\{{\W?(?:{single})\W?\}}|\[\W(?:{single})\W?\]"
        rf"|%(?:{single})%|\$(?:{single})\b|\((?:{single})\)|@(?:{single})\b"
    )
