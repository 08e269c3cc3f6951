"""Features of responses and active domains: placeholders, words, and where they stand."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from mwz.normalization import (
    PLACEHOLDER,
    RuleSet,
    normalize_response,
    placeholder_names,
    plain_characters,
)

from ...benchmark import CANONICAL_STYLE, Benchmark
from ..model import Turn
from ..notations import DOMAINS
from .profile import Profile
from .vocabulary import Wording, tokens, wording_of

Responses: TypeAlias = Mapping[str, Sequence[str]]
"""Dialogue id -> responses in plain characters, one per turn."""

FEWEST_REFERENCES = 100
"""Fewer canonical references do not show which words are usual."""

SLOT = re.compile(r"\b[A-Z]{2,}\b")
TAG = re.compile(r"</?\|?(?!unk\b)[A-Za-z_]\w{0,29}\|?>")
"""A token such as <sos_r>, </s>, <|endoftext|>; not <unk>, which stands for a word."""
GLUED = re.compile(r"[a-z]\[(?:[a-z]+_)?[a-z]+\]|\[[a-z]+_[a-z]+\](?!s\b|es\b|ly\b)[a-z]", re.I)
"""A placeholder without a blank between it and the letter before or after it."""

SHORTEST_NAME = 5
"""Characters. Shorter names of venues are ordinary words."""
_SEARCHED = 2000
"""Characters of a response in which names of venues are looked for."""

_NUMBER = re.compile(r"\b(?:0\d{9,10}|cb\d{2,3}[a-z]{2})\b", re.IGNORECASE)
"""A telephone number or postcode, which placeholders stand for; published files hold few."""

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
_HERE = "here"
_PLACES = ("earlier", _HERE, "later")
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
) -> None:
    """Count the features of delexicalised responses and of active domains.

    Args:
        profile: Where the counts are added.
        dialogues: Dialogue id -> turns, as they were given.
        benchmark: The benchmark that has the dialogues.
        rules: The rule set.
    """
    responses: dict[str, list[str]] = {}
    for id_, turns in dialogues.items():
        responses[id_] = [plain_characters(turn.response) for turn in turns]
    # Many responses are alike, so that each text is searched once.
    texts = Counter(itertools.chain.from_iterable(responses.values()))
    count_notations(profile, texts, rules)
    count_plain_values(profile, texts, benchmark, rules)
    count_words(profile, responses, benchmark, rules)
    count_placeholders(profile, responses, benchmark, rules)
    count_active_domains(profile, dialogues, benchmark, rules)


def count_notations(profile: Profile, texts: Counter[str], rules: RuleSet) -> None:
    """Count placeholders that are unknown, in another notation, or glued to words.

    Args:
        profile: Where the counts are added.
        texts: Response -> how often it is there.
        rules: The rule set.
    """
    unknown: Counter[str] = Counter()
    notations: Counter[str] = Counter()
    glued: Counter[str] = Counter()
    placeholders = borders = 0
    slots = frozenset(name for name in rules.ontology.values() if len(name) > 3)
    for text, number in texts.items():
        names = placeholder_names(text)
        placeholders += number * len(names)
        for name in names:
            if name not in rules.ontology:
                unknown[f"[{name}]"] += number
        without = PLACEHOLDER.sub(" ", text)
        lowered = without.lower()
        written: list[str] = []
        if _ORDINARY.fullmatch(lowered) is None:
            written += other_notations(rules).findall(lowered)
        # Names of slots in capitals lose their meaning when they are normalised to lower case.
        # A response in capitals throughout has no such names.
        if without != lowered and text != text.upper():
            written += [word for word in SLOT.findall(without) if word in slots]
        for notation in written:
            notations[notation] += number
        matches = GLUED.findall(text)
        borders += number * max(len(names), len(matches))
        for match in matches:
            glued[match] += number
    profile.count("response_unknown", placeholders, unknown)
    profile.count("response_notation", placeholders + notations.total(), notations)
    profile.count("response_glued", borders, glued)


def count_plain_values(
    profile: Profile, texts: Counter[str], benchmark: Benchmark, rules: RuleSet
) -> None:
    """Count responses that are empty, have values in plain words, or special tokens.

    Args:
        profile: Where the counts are added.
        texts: Response -> how often it is there.
        benchmark: The benchmark, which has the names of venues.
        rules: The rule set.
    """
    names: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    tokens_of_models: Counter[str] = Counter()
    for text, number in texts.items():
        profile.add("response_empty", not text.strip(), "''", number=number)
        without = PLACEHOLDER.sub(" ", text)
        name = venue_names(benchmark).search(without.lower()[:_SEARCHED])
        if name is not None:
            names[name[0]] += number
        plain_number = _NUMBER.search(without)
        if plain_number is not None:
            numbers[plain_number[0]] += number
        if "<" in text:
            for tag in special_tokens(text, rules)[-1:]:
                tokens_of_models[tag[0]] += number
    turns = texts.total()
    profile.count("response_plain", turns, names)
    profile.count("response_number", turns, numbers)
    profile.count("response_tags", turns, tokens_of_models)


def count_words(
    profile: Profile, responses: Responses, benchmark: Benchmark, rules: RuleSet
) -> None:
    """Count what the words of responses show: short, equal, repeated and unusual texts."""
    normalized: Counter[str] = Counter()
    stripped: set[str] = set()
    reference_words = 0
    for id_, texts in responses.items():
        references = benchmark.dialogues[id_].references
        for turn, text in enumerate(texts):
            stripped.add(text.strip())
            normal = normalize_response(text, rules)[0] if text else ""
            normalized[normal] += 1
            if len(tokens(normal)) >= _COMPARED:
                is_same = normal in [style[turn] for style in references.values()]
                profile.add("response_same", is_same, repr(normal[:_SHOWN]))
        for reference in references.get(CANONICAL_STYLE, ())[: len(texts)]:
            reference_words += len(tokens(reference))
    turns = normalized.total()
    for text, number in normalized.items():
        is_tiny = len(tokens(text)) <= _FEW_WORDS
        profile.add("response_tiny", is_tiny, repr(text), number=number)
    for text, number in normalized.most_common(1):
        profile.count("response_repeated", turns, {repr(text[:_SHOWN]): number})
    wording = wording_of(benchmark)
    if wording.references >= FEWEST_REFERENCES:
        count_tokens(profile, normalized, wording, reference_words)
    # Responses that are as long as the longest one, as those cut at a limit are. A text that is
    # repeated counts once: all uses of a template are equally long.
    lengths = Counter(map(len, stripped))
    longest = max(lengths, default=0)
    profile.count("response_capped", turns, {f"{longest} characters": lengths[longest]})


def count_tokens(
    profile: Profile, texts: Counter[str], wording: Wording, reference_words: int
) -> None:
    """Count tokens that references do not have, and those that they have more or less often.

    Args:
        profile: Where the counts are added.
        texts: Normalised response -> how often it is there.
        wording: The words of the benchmark's references.
        reference_words: The number of words of the references of the same turns.
    """
    unknown_tokens: Counter[str] = Counter()
    unknown_pairs: Counter[str] = Counter()
    # Token -> the responses that have it.
    frequency: Counter[str] = Counter()
    words = pairs = 0
    for text, number in texts.items():
        words_of_text = tokens(text)
        words += number * len(words_of_text)
        for word in words_of_text:
            if word not in wording.tokens:
                unknown_tokens[repr(word)] += number
        # Not a set: of equally frequent tokens always the same one is shown.
        for token in dict.fromkeys(words_of_text):
            frequency[token] += number
        pairs_of_text = [*map(" ".join, itertools.pairwise(words_of_text))]
        pairs += number * len(pairs_of_text)
        unknown = [pair for pair in pairs_of_text if pair not in wording.pairs]
        unknown_pairs.update(number * unknown)
        # Responses that repeat a text whose pairs of words no reference has.
        is_strange = number >= _OFTEN and len(unknown) > _STRANGE * len(pairs_of_text)
        profile.add("response_strange", is_strange, repr(text[:_SHOWN]), number=number)
        ends = words_of_text or ("",)
        profile.add("response_cut", ends[-1] not in _ENDS, repr(ends[-1]), number=number)
        profile.add("response_opening", ends[0] in wording.inner, repr(ends[0]), number=number)
    profile.count("response_tokens", words, unknown_tokens)
    profile.count("response_pairs", pairs, unknown_pairs)
    profile.count("response_long", words, {"more": max(words - reference_words, 0)})
    turns = texts.total()
    # How many responses would have a token if they were as the references are.
    usual: dict[str, int] = {}
    for token in (*frequency, *_COMMON):
        usual[token] = round(turns * wording.frequency[token] / wording.references)
    excess = Counter({token: number - usual[token] for token, number in frequency.items()})
    for token, number in excess.most_common(1):
        profile.count("response_overused", turns, {repr(token): max(number, 0)})
    for token in _COMMON:
        lacking = max(usual[token] - frequency[token], 0)
        profile.count("response_lacks_words", usual[token], {repr(token): lacking}, repr(token))


def count_placeholders(
    profile: Profile, responses: Responses, benchmark: Benchmark, rules: RuleSet
) -> None:
    """Count placeholders about venues that are in other turns than the references', or missing."""
    about_venues = rules.about_venues
    said_in_all: Counter[str] = Counter()
    expected_in_all: Counter[str] = Counter()
    # Of turns whose reference tells about a venue: response without placeholders -> turns.
    evasive: Counter[str] = Counter()
    turns_about_venues = 0
    for id_, texts in responses.items():
        references = benchmark.dialogues[id_].references.get(CANONICAL_STYLE, ())[: len(texts)]
        expected = [frozenset(SLOT.findall(text)) & about_venues for text in references]
        # A benchmark may lack references of this style.
        expected += [frozenset[str]()] * (len(texts) - len(expected))
        said: list[frozenset[str]] = []
        for text, right in zip(texts, expected, strict=True):
            names = placeholder_names(text)
            slots = frozenset({rules.ontology.get(name, "") for name in names} & about_venues)
            said.append(slots)
            said_in_all.update(slots)
            expected_in_all.update(right)
            if right:
                turns_about_venues += 1
                if not names:
                    evasive[text] += 1
        count_misplaced_slots(profile, said, expected)
    answered_alike: Counter[str] = Counter()
    for text, number in evasive.items():
        if number >= _OFTEN:
            answered_alike[repr(text[:_SHOWN])] += number
    profile.count("response_evasive", turns_about_venues, answered_alike)
    for slot, number in expected_in_all.items():
        lacking = max(number - said_in_all[slot], 0)
        profile.count("response_lacks", number, {f"[{slot.lower()}]": lacking}, slot)


def count_misplaced_slots(
    profile: Profile, said: Sequence[frozenset[str]], expected: Sequence[frozenset[str]]
) -> None:
    """Count slots that are in other turns of a dialogue than those of the references.

    Args:
        profile: Where the counts are added.
        said: The slots about venues of each response.
        expected: The slots about venues of each reference.
    """
    for slots, right in zip(said, expected, strict=True):
        # A slot that is in both is there twice, in the response and in the reference.
        misplaced = slots ^ right
        items = 2 * len(slots & right) + len(misplaced)
        profile.count("response_misplaced", items, dict.fromkeys(misplaced, 1))
    # Responses that fit the reference of the turn before or after better.
    for turn in range(1, len(said) - 1):
        slots = said[turn]
        if not slots:
            continue
        fits: dict[str, float] = {}
        for place, right in zip(_PLACES, expected[turn - 1 : turn + 2], strict=True):
            # The F1 score of the slots.
            fits[place] = 2 * len(slots & right) / (len(slots) + len(right))
        best = max(fits, key=lambda place: fits[place])
        if [*fits.values()].count(fits[best]) == 1:
            profile.add("response_shifted", best != _HERE, best)


def count_active_domains(
    profile: Profile, dialogues: Mapping[str, Sequence[Turn]], benchmark: Benchmark, rules: RuleSet
) -> None:
    """Count turns whose active domains are none, several, or others than gold's."""
    for id_, turns in dialogues.items():
        gold = [set(domains) - {"general"} for domains in benchmark.dialogues[id_].active_domains]
        for number, turn in enumerate(turns):
            claimed = turn.active_domains
            if claimed is None:
                continue
            right = gold[number]
            domains = set(claimed) & set(DOMAINS)
            names = placeholder_names(plain_characters(turn.response))
            if any(rules.ontology.get(name) in rules.about_venues for name in names):
                profile.add("domains_empty", not domains, str(list(claimed)))
            if domains:
                is_odd = len(domains) >= _SEVERAL_DOMAINS
                profile.add("domains_many", is_odd, str(list(claimed)))
            if not right or not claimed:
                continue
            example = f"{list(claimed)} for {sorted(right)}"
            profile.add("domains_wrong", not domains & right, example)
            # Active domains that are those of the turn before or after: only turns beside one with
            # other domains are counted, whose active domains are gold's of one of these turns.
            neighbours = gold[max(number - 1, 0) : number] + gold[number + 1 : number + 2]
            others: set[str] = set()
            for domains_beside in neighbours:
                if domains_beside.isdisjoint(right):
                    others |= domains_beside
            is_right = not right.isdisjoint(claimed)
            is_shifted = not is_right and not others.isdisjoint(claimed)
            if others and (is_right or is_shifted):
                profile.add("domains_shifted", is_shifted, example)


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


def special_tokens(text: str, rules: RuleSet) -> list[re.Match[str]]:
    """Return the special tokens of models in a response, without placeholders such as <phone>."""
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
def other_notations(rules: RuleSet, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern of placeholders in other notations: [value-name], hotel_name, <phone>.

    Args:
        rules: The rule set, which has the names of placeholders.
        flags: Those of the pattern, which is in lower case.
    """
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
        rf"|%(?:{single})%|\$(?:{single})\b|\((?:{single})\)|@(?:{single})\b",
        flags,
    )
