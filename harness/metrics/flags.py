"""Checks for suspicious scores: figures with a limit, and no accusation.

Inform and Success look for placeholders; both can be earned without a dialogue system. An entry
with a flag has no rank until a maintainer has reviewed it. Each flag has honest reasons as well;
limits, which are in the table of features, were set beyond what published outputs have.

Source: docs/metrics.md; the effect of a constant response: `mwz score @constant`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

from mwz.normalization import DEFAULT_RULES, BeliefState, RuleSet, rule_set

from ..benchmark import CANONICAL_STYLE
from ..glossary import term_of
from ..io import figure, text_table
from ..submission import declared_flags
from .metric import Metric, Presentation, Results
from .played import Played

FEW = 0.1
"""Times the placeholders about venues of the benchmark's own responses: below that they are few."""

FEWEST = 150
"""Shares of fewer dialogues, turns or slots than these say little, and are not measured."""


def measured_flags(played: Played) -> Results:
    """Return the result: flag -> figure, of those that say something of this submission alone."""
    submission, dialogues = played.submission, played.benchmark.dialogues
    # The responses and the canonical references of the turns played.
    texts: list[str] = []
    references: list[str] = []
    for dialogue, responses in played.responses.items():
        texts += responses
        references += dialogues[dialogue].references[CANONICAL_STYLE][: len(responses)]
    slots = _slot_counts(texts, references, played.rules.about_venues)
    measured = {}
    if slots["named"]:
        measured["placeholders"] = slots["numbers"] / slots["named"]
    both = slots["system"] + slots["human"]
    # Of plain words, which hold few placeholders, there are remarks.
    if slots["system"] >= FEW * slots["human"] and both >= 2 * FEWEST:
        measured["placement"] = 2 * slots["common"] / both
    if submission.predicts_states and submission.turns >= FEWEST:
        measured[GOLD_STATES] = gold_share(
            (states, dialogues[id_].states) for id_, states in submission.states.items()
        )
    if submission.lexicalised:
        human_slots = _count_slots(references)
        if human_slots:
            measured["told"] = _count_slots(texts) / human_slots
    return {"flags": measured}


def queries(
    states: Iterable[BeliefState], gold: Sequence[BeliefState], rules: RuleSet
) -> list[frozenset[tuple[str, str, str]]]:
    """Return what queries of venues use of a dialogue's states: (domain, slot, value) per turn.

    What queries do not use, such as `stay` or a domain that the dialogue is not about, would hide
    a copy; so would a minute more or a letter less, and of times and of what is compared by
    similarity only counts whether there is a value.

    Args:
        states: Normalised states, one per turn.
        gold: The dialogue's gold states, whose domains it is about.
        rules: The rule set.
    """
    about: set[str] = set()
    for state in gold:
        about.update(state)
    turns: list[frozenset[tuple[str, str, str]]] = []
    # Most states are those of the turn before.
    for state, same_states in groupby(states):
        constraints = set()
        for domain in about & state.keys():
            for slot, value in state[domain].items():
                constraint = _constraint(domain, slot, value, rules)
                if constraint is not None:
                    constraints.add(constraint)
        turns += len(list(same_states)) * [frozenset(constraints)]
    return turns


@lru_cache(maxsize=1 << 14)
def _constraint(domain: str, slot: str, value: str, rules: RuleSet) -> tuple[str, str, str] | None:
    """Return what a query uses of a slot; None if that is nothing."""
    venue = rules.venue_rules.get(domain)
    if venue is None or slot not in venue.columns or rules.asks_for_nothing(value):
        return None
    is_loose = slot in venue.times or slot in venue.fuzzy
    return domain, slot, "" if is_loose else value


def gold_share(
    dialogues: Iterable[tuple[Sequence[BeliefState], Sequence[BeliefState]]],
) -> float:
    """Return the share of turns in which states agree with gold in all that queries use.

    Args:
        dialogues: The predicted and the gold states of each dialogue, normalised, one per turn.
    """
    rules = rule_set(DEFAULT_RULES)
    turns = equal = 0
    for states, gold in dialogues:
        predicted_queries, gold_queries = queries(states, gold, rules), queries(gold, gold, rules)
        for predicted_query, gold_query in zip(predicted_queries, gold_queries, strict=False):
            turns += 1
            equal += predicted_query == gold_query
    return equal / max(turns, 1)


# ------------------------------------------------------------------- what is measured of responses

_NAMES = ("NAME", "TRAINID")
_NUMBERS = ("PHONE", "ADDRESS", "POST")


@lru_cache(maxsize=1 << 14)
def _held(text: str, names: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in names if name in text)


def _slot_counts(
    responses: Iterable[str], references: Iterable[str], names: frozenset[str]
) -> Counter[str]:
    """Count the slots about venues that responses and their canonical references hold.

    Args:
        responses: The responses.
        references: The reference of each.
        names: The slots.

    Returns:
        `system`, those of the responses, and `human`, those of the references; `common` to a
        response and its reference; `named` turns, whose response names a venue, and the `numbers`
        of all responses.
    """
    counts: Counter[str] = Counter()
    texts = zip(responses, references, strict=True)
    slots_of_turns = Counter((_held(system, names), _held(human, names)) for system, human in texts)
    for (system, human), turns in slots_of_turns.items():
        counts["system"] += turns * len(system)
        counts["human"] += turns * len(human)
        counts["common"] += turns * len(system & human)
        counts["named"] += turns * ("NAME" in system)
        counts["numbers"] += turns * len(system.intersection(_NUMBERS))
    return counts


def _count_slots(texts: Iterable[str]) -> int:
    slots = 0
    for text in texts:
        for slot in (*_NAMES, *_NUMBERS):
            slots += text.count(slot)
    return slots


GOLD_STATES = "gold_states"


def raised_table(_: Presentation, results: Results) -> str:
    """Return the flags that are raised as a table; nothing if none is."""
    flags = declared_flags()
    rows = []
    for name, value in results["flags"].items():
        if name in flags and flags[name].is_raised(value):
            rows.append([term_of("flags", name).meaning, figure(value, 2), flags[name].bound])
    return text_table(["flags", "", "raised"], rows) if rows else ""


METRIC = Metric(
    name="flags",
    presentation=Presentation(
        title="Flags",
        text=raised_table,
    ),
    value=measured_flags,
    result={"flags": dict[str, float]},
)
