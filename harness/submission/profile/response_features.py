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
from .vocabulary import Wording, tokens

SLOT = re.compile(r"\b[A-Z]{2,}\b")
TAG = re.compile(r"</?\|?(?!unk\b)[A-Za-z_]\w{0,29}\|?>")
"""A token such as <sos_r>, </s>, <|endoftext|>; not <unk>, which stands for a word."""
_PLAIN = re.compile(r"[a-z0-9 .,?!';\"\n]*")
"""What no placeholder in another notation is in."""
_PLAIN_NUMBER = re.compile(r"\b0\d{9,10}\b|\bcb\d{2,3}[a-z]{2}\b", re.I)
"""A telephone number, and a postcode of Cambridge."""
_SEARCHED = 2000
"""Characters of a response in which venues are looked for."""
_FEW_WORDS = 2
_SEVERAL_DOMAINS = 3
_COMPARED = 5
"""Tokens that a response has at least which is held against its references."""

_COMMON = (".", "?", "the", "you", "is", "to")
"""Tokens of many references that every system uses."""


def count_plain_responses(profile: Profile, responses: Sequence[str], rules: RuleSet) -> None:
    """Count the features of responses that are meant to be plain English."""
    for text in responses:
        known = [name for name in placeholder_names(text) if name in rules.ontology]
        profile.add("response_delexicalised", f"[{known[0]}]" if known else None)


def count_responses(
    profile: Profile,
    dialogues: Mapping[str, Sequence[Turn]],
    benchmark: Benchmark,
    rules: RuleSet,
    wording: Wording,
) -> None:
    """Count the features of delexicalised responses and of active domains.

    Args:
        profile: What is added to.
        dialogues: Dialogue id -> turns, as they were given.
        benchmark: The benchmark whose dialogues they are.
        rules: The rule set.
        wording: The words of the benchmark's references.
    """
    counter = _Counter(profile, benchmark, rules, wording)
    for id_, turns in dialogues.items():
        counter.count_dialogue(turns, benchmark.dialogues[id_])
    counter.count_whole()


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
        self._frequency: Counter[str] = Counter()
        self._repeated: Counter[str] = Counter()
        self._said: Counter[str] = Counter()
        self._expected: Counter[str] = Counter()
        self._evasive: Counter[str] = Counter()
        self._texts: set[str] = set()
        self._about_venues = 0
        self._words = 0
        self._usual_words = 0
        self._turns = 0

    def count_dialogue(self, turns: Sequence[Turn], dialogue: Dialogue) -> None:
        """Count the turns of a dialogue."""
        references = dialogue.references.get(CANONICAL_STYLE, ())
        about = self._rules.about_venues
        expected = [frozenset(SLOT.findall(text)) & about for text in references[: len(turns)]]
        for slots_expected in expected:
            self._expected.update(slots_expected)
        said: list[frozenset[str]] = []
        for number, turn in enumerate(turns):
            self._turns += 1
            response = plain_characters(turn.response)
            self._texts.add(response.strip())
            names = placeholder_names(response)
            self._count_placeholders(response, names)
            styles = [style[number] for style in dialogue.references.values()]
            length = len(tokens(references[number])) if number < len(references) else 0
            self._count_words(response, styles, length)
            slots = {self._rules.ontology.get(name, "") for name in names}
            self._said.update(slots & about)
            said.append(frozenset(slots & about))
            if number < len(expected) and expected[number]:
                self._about_venues += 1
                if not names:
                    self._evasive[response] += 1
            if turn.active_domains is not None:
                self._count_domains(turn.active_domains, dialogue.active_domains[number], slots)
        self._count_places(said, expected)
        claimed = [turn.active_domains for turn in turns]
        self._count_shifted_domains(claimed, dialogue.active_domains)

    def _count_placeholders(self, text: str, names: Sequence[str]) -> None:
        """Count placeholders that are unknown, and what is none because of its notation."""
        add = self._profile.add
        add("response_empty", None if text.strip() else "''")
        for name in names:
            add("response_unknown", None if name in self._rules.ontology else f"[{name}]")
            add("response_notation", None)
        without = PLACEHOLDER.sub(" ", text)
        lowered = without.lower()
        if _PLAIN.fullmatch(lowered) is None:
            for match in self._notations.finditer(lowered):
                add("response_notation", match[0])
        # Lower-casing normalised responses, such as references, loses what they say.
        if without != lowered and text != text.upper():
            for word in SLOT.findall(without):
                if word in self._ontology_names:
                    add("response_notation", word)
        glued = [match[0] for match in GLUED.finditer(text)]
        for example in glued:
            add("response_glued", example)
        add("response_glued", None, number=max(len(names) - len(glued), 0))
        named = self._venue_names.search(lowered[:_SEARCHED])
        add("response_plain", named[0] if named else None)
        plain_number = _PLAIN_NUMBER.search(without)
        add("response_number", plain_number[0] if plain_number else None)
        tags = special_tokens(text, self._rules)
        add("response_tags", tags[-1][0] if tags else None)

    def _count_words(self, text: str, references: Sequence[str], length: int) -> None:
        """Count the words of a response that no reference has, and what all share.

        Args:
            text: The response.
            references: The turn's references in all styles.
            length: The tokens of the canonical one.
        """
        add = self._profile.add
        normal = normalize_response(text, self._rules).text if text else ""
        words = tokens(normal)
        self._repeated[normal] += 1
        self._frequency.update(set(words))
        self._words += len(words)
        self._usual_words += length
        add("response_tiny", repr(normal) if len(words) <= _FEW_WORDS else None)
        if len(words) >= _COMPARED:
            add("response_same", f"{normal[:60]!r}" if normal in references else None)
        if self._wording.is_large:
            self._count_unknown_words(words)

    def _count_unknown_words(self, words: Sequence[str]) -> None:
        """Count tokens and pairs of them that no reference has, and unusual first and last ones."""
        add, wording = self._profile.add, self._wording
        strange = [word for word in words if word not in wording.tokens]
        for word in strange:
            add("response_tokens", repr(word))
        add("response_tokens", None, number=len(words) - len(strange))
        pairs = [*itertools.pairwise(words)]
        unusual = [pair for pair in pairs if pair not in wording.pairs]
        for pair in unusual:
            add("response_pairs", " ".join(pair))
        add("response_pairs", None, number=len(pairs) - len(unusual))
        ends = words[-1] if words else ""
        add("response_cut", None if ends in _ENDS else repr(ends))
        begins = words[0] if words else ""
        add("response_opening", repr(begins) if begins in wording.inner else None)

    def _count_domains(
        self, claimed: Sequence[str], gold: Sequence[str], slots: Collection[str]
    ) -> None:
        """Count active domains of a turn that are none, several, or others than gold's."""
        add = self._profile.add
        named = {*claimed} & {*DOMAINS}
        if not self._rules.about_venues.isdisjoint(slots):
            add("domains_empty", None if named else f"{[*claimed]}")
        right = {*gold} - {"general"}
        if right and claimed:
            text = f"{[*claimed]} for {sorted(right)}"
            add("domains_wrong", None if named & right else text)
        if named:
            add("domains_many", f"{[*claimed]}" if len(named) >= _SEVERAL_DOMAINS else None)

    def _count_shifted_domains(
        self, claimed: Sequence[Sequence[str] | None], gold: Sequence[Sequence[str]]
    ) -> None:
        """Count active domains that are those of the turn before or after."""
        truth = [{*domains} - {"general"} for domains in gold]
        for number, domains in enumerate(claimed):
            if domains is None:
                continue
            ours = {*domains}
            near = [truth[other] for other in (number - 1, number + 1) if 0 <= other < len(truth)]
            right = truth[number]
            others = [there for there in near if there and not there & right]
            if not (right and others and ours):
                continue
            is_shifted = not ours & right and any(ours & there for there in others)
            if ours & right or is_shifted:
                example = f"{[*domains]} for {sorted(right)}" if is_shifted else None
                self._profile.add("domains_shifted", example)

    def _count_places(
        self, said: Sequence[frozenset[str]], expected: Sequence[frozenset[str]]
    ) -> None:
        """Count placeholders that are not where the benchmark's own responses have them."""
        add = self._profile.add
        for number, here in enumerate(said):
            right = expected[number] if number < len(expected) else frozenset()
            add("response_misplaced", None, number=2 * len(here & right))
            for slot in here ^ right:
                add("response_misplaced", slot)
            if not here or not 0 < number < len(expected) - 1:
                continue
            before, after = expected[number - 1], expected[number + 1]
            shares = [_f1(here, right), _f1(here, before), _f1(here, after)]
            best = max(shares)
            if shares.count(best) == 1:
                add("response_shifted", ("", "earlier", "later")[shares.index(best)] or None)

    def count_whole(self) -> None:
        """Count what only all responses together tell."""
        if not self._turns:
            return
        if self._wording.is_large:
            self._count_usual_words()
        self._count_repeated()
        self._count_longest()
        for slot, number in self._expected.items():
            lacking = max(number - self._said[slot], 0)
            self._profile.add_part("response_lacks", f"[{slot.lower()}]", lacking, number, slot)

    def _count_usual_words(self) -> None:
        """Count words that are there more often, or less often, than in the references."""
        add, wording = self._profile.add_part, self._wording
        references = wording.texts.total()
        excess: Counter[str] = Counter()
        for token, number in self._frequency.items():
            usual = round(self._turns * wording.frequency[token] / references)
            excess[token] = number - usual
        for token, number in excess.most_common(1):
            add("response_overused", repr(token), max(number, 0), self._turns)
        for token in _COMMON:
            usual = round(self._turns * wording.frequency[token] / references)
            lacking = max(usual - self._frequency[token], 0)
            add("response_lacks_words", repr(token), lacking, usual, repr(token))
        more = max(self._words - self._usual_words, 0)
        add("response_long", "more", more, self._words)
        for text, number in self._repeated.items():
            is_strange = number >= _OFTEN and self._strangeness(text) > _STRANGE
            example = repr(text[:60]) if is_strange else None
            self._profile.add("response_strange", example, number=number)

    def _count_repeated(self) -> None:
        """Count responses that are the same, and those that answer nothing."""
        add = self._profile.add
        evasive = 0
        for text, number in self._evasive.items():
            if number >= _OFTEN:
                evasive += number
                add("response_evasive", repr(text[:60]), number=number)
        add("response_evasive", None, number=self._about_venues - evasive)
        for text, number in self._repeated.most_common(1):
            self._profile.add_part("response_repeated", repr(text[:60]), number, self._turns)

    def _count_longest(self) -> None:
        """Count responses that are as long as the longest one, as those cut at a limit are."""
        # A text that is repeated counts once: templates are as long as they are.
        lengths = Counter(map(len, self._texts))
        longest = max(lengths)
        number = lengths[longest]
        self._profile.add_part("response_capped", f"{longest} characters", number, self._turns)

    def _strangeness(self, text: str) -> float:
        """Return the share of a text's pairs of tokens that no reference has."""
        words = tokens(text)
        pairs = [*itertools.pairwise(words)]
        unknown = [pair for pair in pairs if pair not in self._wording.pairs]
        return len(unknown) / len(pairs) if pairs else 0.0


_OFTEN = 3
"""How often a text is there that is looked at as one that is repeated."""
_STRANGE = 0.15
"""The share of a text's pairs of tokens from which it is unlike all references."""
_ENDS = frozenset(".?!")
GLUED = re.compile(r"[a-z]\[(?:[a-z]+_)?[a-z]+\]|\[[a-z]+_[a-z]+\](?!s\b|es\b|ly\b)[a-z]", re.I)


def _f1(first: frozenset[str], second: frozenset[str]) -> float:
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 1.0


@lru_cache(maxsize=4)
def venue_names(benchmark: Benchmark) -> re.Pattern[str]:
    """Return what finds names of venues, in lower case, that are no ordinary words."""
    names: set[str] = set()
    for records in benchmark.venues.values():
        names.update(str(record.get("name") or "").lower() for record in records)
    long = sorted(name for name in names if len(name) >= SHORTEST_NAME)
    longest_first = sorted(long, key=len, reverse=True)
    # Without names there is nothing to be found.
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})\b")


SHORTEST_NAME = 5
"""Characters. Shorter names of venues are ordinary words."""


def special_tokens(text: str, rules: RuleSet) -> list[re.Match[str]]:
    """Return the tokens of models in a response; a placeholder in another notation is none."""
    if "<" not in text:
        return []
    notations = other_notations(rules)
    tokens_found = TAG.finditer(text)
    return [match for match in tokens_found if notations.fullmatch(match[0].lower()) is None]


@lru_cache(maxsize=16)
def other_notations(rules: RuleSet) -> re.Pattern[str]:
    """Return what finds placeholders in another notation: [value-name], hotel_name, <phone>."""
    joined: set[str] = set()
    for name in rules.ontology:
        parts = re.split(r"[_ ]", name)
        if len(parts) > 1:
            joined.add(_JOINT.join(map(re.escape, parts)))
    alternatives = "|".join(sorted(joined, key=len, reverse=True))
    # In angle brackets people leave `value_` out.
    names = {*rules.ontology, *(name.removeprefix("value_") for name in rules.ontology)}
    single = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(
        rf"[\[<{{(%$#@_]*(?<![a-z0-9])(?:{alternatives}|{_ANY_DOMAIN})(?![a-z0-9])[\]>}})%$#_]*"
        rf"|<\W?(?:{single})\W?>|\{{\W?(?:{single})\W?\}}|\[\W(?:{single})\W?\]"
        rf"|%(?:{single})%|\$(?:{single})\b|\((?:{single})\)|@(?:{single})\b"
    )


_JOINT = r"\W{0,2}[-_.|:/)(>\]\[]\W{0,2}"
_ANY_DOMAIN = (
    r"(?:value|hotel|restaurant|attraction|train|taxi|police|hospital|venue|entity)\W?[-_.|:/]\W?"
    r"(?:name|id|phone|address|postcode|area|food|type|price|pricerange|stars|reference|ref|choice"
    r"|count|time|day|leave|arrive|departure|destination|place)"
)
"""A domain and a slot of venues, joined by a sign."""
