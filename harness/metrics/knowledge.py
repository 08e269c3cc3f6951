"""What shows that outputs were made with the test set at hand: references, goals, fitting offers.

A system hears what users say. What it cannot know is how a human answered, what a user is going to
request and whether an offer fits the goal. Each check here is a share or a ratio that is near its
chance value where nobody knew. `mwz submit` measures them, and entries store them; `mwz score` does
not, as they take longer than scores.

Source: docs/metrics.md; limits, which are in the table of features, lie beyond published outputs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, TypeAlias

from mwz.normalization import RuleSet

from ..benchmark import CANONICAL_STYLE, REQUESTABLE_SLOTS, Benchmark
from .flags import FEWEST
from .inform import domain_result, outcomes, steps
from .played import Played
from .setups import MAIN_SETUP, SETUPS, PlayedDialogue, play

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=1 << 14)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a normalised response, without punctuation."""
    return tuple(_WORD.findall(text))


def measured_knowledge(played: Played, benchmark: Benchmark) -> dict[str, float]:
    """Return flag -> figure, of those that say something of this submission.

    Args:
        played: What was played.
        benchmark: The whole benchmark, of whose references a phrase may be the only one.
    """
    dialogues = play(played.submission, played.benchmark, played.states, played.domains)
    measured = {
        "reference_phrases": _reference_phrases(played.responses, benchmark),
        "wording": _wording(played.responses, benchmark),
        "requests": _requests_foreseen(dialogues, played.rules),
        "offers": _offers_chosen(played),
        "last_offers": _last_offers(dialogues, played.rules),
    }
    return {flag: value for flag, value in measured.items() if value is not None}


# ------------------------------------------------------------------------------- references

_LONG = 8
"""Words of a response that leave room for a choice of words."""

_Phrase: TypeAlias = tuple[str, ...]
_Pairs: TypeAlias = frozenset[_Phrase]


def _phrases(text: str) -> set[_Phrase]:
    """Return the phrases of three words in a text."""
    words = words_of(text)
    return set(zip(words, words[1:], words[2:], strict=False))


@lru_cache(maxsize=2)
def _own_phrases(benchmark: Benchmark) -> Mapping[_Phrase, tuple[str, int]]:
    """Return phrase -> dialogue and turn, of those that only references of one turn have."""
    turns: dict[_Phrase, set[tuple[str, int]]] = {}
    for id_, dialogue in benchmark.dialogues.items():
        for references in dialogue.references.values():
            for turn, text in enumerate(references):
                for phrase in _phrases(text):
                    turns.setdefault(phrase, set()).add((id_, turn))
    return {phrase: min(places) for phrase, places in turns.items() if len(places) == 1}


def _reference_phrases(
    responses: Mapping[str, Sequence[str]], benchmark: Benchmark
) -> float | None:
    """Return the share of long responses with a phrase that only their turn's references have."""
    own = _own_phrases(benchmark)
    long = having = 0
    for id_, texts in responses.items():
        for turn, text in enumerate(texts):
            if len(words_of(text)) >= _LONG:
                long += 1
                having += any(own.get(phrase) == (id_, turn) for phrase in _phrases(text))
    return having / long if long >= FEWEST else None


_OTHERS = 10
"""References with which a turn's own is compared."""


@lru_cache(maxsize=2)
def _like_references(benchmark: Benchmark) -> Mapping[tuple[str, int], Sequence[_Pairs]]:
    """Return dialogue and turn -> the pairs of words of its reference, then those of others.

    The others have the same slots, are of other dialogues, and come next in the benchmark. Turns
    that have too few are left out.
    """
    by_slots: dict[frozenset[str], list[tuple[str, int]]] = {}
    pairs: dict[tuple[str, int], _Pairs] = {}
    for id_, dialogue in benchmark.dialogues.items():
        for turn, text in enumerate(dialogue.references[CANONICAL_STYLE]):
            words = words_of(text)
            slots = frozenset(filter(str.isupper, words))
            by_slots.setdefault(slots, []).append((id_, turn))
            pairs[id_, turn] = frozenset(pairwise(words))
    like: dict[tuple[str, int], list[_Pairs]] = {}
    for places in by_slots.values():
        for number, place in enumerate(places):
            following = chain(places[number + 1 :], places[:number])
            others = (pairs[other] for other in following if other[0] != place[0])
            like[place] = [pairs[place], *islice(others, _OTHERS)]
    return {place: texts for place, texts in like.items() if len(texts) > _OTHERS}


def _wording(responses: Mapping[str, Sequence[str]], benchmark: Benchmark) -> float | None:
    """Return how often a response is more like its turn's reference than like another's.

    Both references have the same slots; as often as not says that neither is liked more.
    """
    like = _like_references(benchmark)
    turns = 0
    wins = 0.0
    for id_, texts in responses.items():
        for turn, text in enumerate(texts):
            if (id_, turn) not in like:
                continue
            turns += 1
            said = set(pairwise(words_of(text)))
            shares = [len(said & pairs) / max(len(said | pairs), 1) for pairs in like[id_, turn]]
            own = shares[0]
            for other in shares[1:]:
                wins += (own > other) + (own == other) / 2
    return wins / (turns * _OTHERS) if turns >= FEWEST else None


# ------------------------------------------------------------------------------- requests

_ASKED: Mapping[str, re.Pattern[str]] = {
    "PHONE": re.compile(r"phone|number|contact|\bcall\b"),
    "ADDRESS": re.compile(r"address|where|locat"),
    "POST": re.compile(r"post|zip"),
}
"""Slot -> words by which users ask for it; those that mean something else, too, cost turns."""

_FEWEST_TOLD = 30
"""Slots told unasked, below which a ratio of their shares is chance."""


def _requests_foreseen(dialogues: Sequence[PlayedDialogue], rules: RuleSet) -> float | None:
    """Return how many times as often slots are told unasked where the goal requests them.

    A slot of a goal domain is told unasked if a response of the domain's turns has it before any
    user turn asks for such a slot by words. It is held against what else is told of the domain.
    """
    slots: Counter[tuple[str, bool]] = Counter()
    told_unasked: Counter[tuple[str, bool]] = Counter()
    for dialogue in dialogues:
        for slot, words in _ASKED.items():
            domains_told = _domains_told_unasked(dialogue, slot, words)
            for domain, goal in dialogue.gold.goal.items():
                venue = rules.venue_rules.get(domain)
                if venue is not None and venue.mention not in REQUESTABLE_SLOTS:
                    is_requested = slot in goal.requestable
                    slots[domain, is_requested] += 1
                    told_unasked[domain, is_requested] += domain in domains_told
    requested = unrequested = foreseen = 0
    expected = 0.0
    for domain, is_requested in slots:
        if is_requested and slots[domain, False]:
            requested += slots[domain, True]
            unrequested += slots[domain, False]
            foreseen += told_unasked[domain, True]
            # One more, so that nothing is divided by none.
            rate = (told_unasked[domain, False] + 1) / slots[domain, False]
            expected += rate * slots[domain, True]
    if min(requested, unrequested) < FEWEST or told_unasked.total() < _FEWEST_TOLD:
        return None
    return foreseen / expected


def _domains_told_unasked(
    dialogue: PlayedDialogue, slot: str, words: re.Pattern[str]
) -> frozenset[str]:
    """Return the domains in whose turns a slot is told before a user asks for it."""
    domains: set[str] = set()
    turns = zip(dialogue.gold.users, dialogue.responses, dialogue.active_domains, strict=False)
    for user, response, active in turns:
        if words.search(user.lower()):
            break
        if slot in response:
            domains.update(active)
    return frozenset(domains)


# ------------------------------------------------------------------------------- offers


def _matched_goals(played: Played) -> Mapping[str, Mapping[str, float]]:
    """Return dialogue id -> goal domain -> 1 if what is offered last fits the goal, else 0.

    In plain English these are the venues named, whatever the state finds.
    """
    matched: dict[str, dict[str, float]] = {}
    grounded = played.metrics.get("grounded")
    if grounded is not None and grounded.details is not None:
        for id_, dialogue in grounded.details(played).items():
            matched[id_] = {name: part.matched_all for name, part in dialogue.domains.items()}
    else:
        for id_, results in outcomes(played, MAIN_SETUP).items():
            matched[id_] = {name: result.matched for name, result in results.items()}
    return matched


@lru_cache(maxsize=2)
def _misses(
    benchmark: Benchmark, rules: RuleSet, database: VenueDatabase
) -> Mapping[str, Mapping[str, int]]:
    """Return dialogue id -> goal domain -> how many of two ways do not lead to a fitting offer.

    They are what human responses offer with gold states, and the last gold state.
    """
    setup = SETUPS[MAIN_SETUP].setup
    misses: dict[str, dict[str, int]] = {}
    for id_, gold in benchmark.dialogues.items():
        misses[id_] = {}
        references = gold.references[CANONICAL_STYLE]
        human = PlayedDialogue(id_, gold, references, gold.states, gold.gold_domains)
        for domain, goal in gold.goal.items():
            # Goals that name their venue are always matched.
            if domain not in rules.venue_rules or "name" in goal.informable:
                continue
            walked = list(steps(human, domain, database, setup, rules))
            human_result = domain_result(walked, human, domain, database, setup, rules)
            last_state = gold.states[-1].get(domain)
            venues = frozenset() if last_state is None else database.query(domain, last_state)
            fits = bool(venues) and venues <= database.query(domain, goal.informable)
            misses[id_][domain] = (not human_result.matched) + (not fits)
    return misses


def _offers_chosen(played: Played) -> float | None:
    """Return the share matched of goal domains that the annotation does not lead to.

    A domain counts once for each of two ways that does not lead there.
    """
    misses = _misses(played.benchmark, played.rules, played.database)
    hard = 0
    matched = 0.0
    for id_, matched_goals in _matched_goals(played).items():
        for domain, missed in misses[id_].items():
            hard += missed
            matched += missed * matched_goals[domain]
    return matched / hard if hard >= FEWEST / 2 else None


def _last_offers(dialogues: Sequence[PlayedDialogue], rules: RuleSet) -> float | None:
    """Return the share of dialogues, of those played to the end, whose last turn names a venue."""
    mentions = {venue.mention for venue in rules.venue_rules.values()}
    ended = naming = 0
    for dialogue in dialogues:
        if len(dialogue.responses) == dialogue.gold.turns:
            ended += 1
            naming += any(mention in dialogue.responses[-1] for mention in mentions)
    return naming / ended if ended >= FEWEST else None
