"""Checks for suspicious scores: figures with a limit, and no accusation.

Inform and Success look for placeholders; both can be earned without a dialogue system. An entry
with a flag has no rank until a maintainer has reviewed it. Each flag has honest reasons as well;
limits, which are in the table of features, were set beyond what published outputs have.

Source: docs/metrics.md; the effect of a constant response: `mwz score @constant`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from mwz.normalization import DEFAULT_RULES, BeliefState, RuleSet, rule_set

from ..benchmark import CANONICAL_STYLE
from ..io import figure, text_table
from ..submission import FEW, declared_flags
from .metric import Metric, Played

FEWEST = 150
"""Shares of fewer dialogues, turns or slots than these say little, and are not measured."""


def _flags(played: Played) -> dict[str, float]:
    """Measure a submission: flag -> figure, of those that say something."""
    measured = {name: measure(played) for name, measure in _MEASURES.items()}
    return {name: value for name, value in measured.items() if value is not None}


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
    about = {domain for state in gold for domain in state}
    turns: list[frozenset[tuple[str, str, str]]] = []
    for state, same in groupby(states):
        constraints = frozenset(
            used
            for domain in about & state.keys()
            for slot, value in state[domain].items()
            if (used := _constraint(domain, slot, value, rules)) is not None
        )
        turns += [constraints for _ in same]
    return turns


@lru_cache(maxsize=1 << 14)
def _constraint(domain: str, slot: str, value: str, rules: RuleSet) -> tuple[str, str, str] | None:
    """Return what a query uses of a slot; None if that is nothing."""
    venue = rules.venue_rules.get(domain)
    if venue is None or slot not in venue.columns or rules.asks_for_nothing(value):
        return None
    return domain, slot, "" if slot in venue.loose else value


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
        pairs = [*zip(queries(states, gold, rules), queries(gold, gold, rules), strict=False)]
        turns += len(pairs)
        equal += sum(ours == theirs for ours, theirs in pairs)
    return equal / max(turns, 1)


# ------------------------------------------------------------------- what is measured of responses

_NAMES = ("NAME", "TRAINID")
_NUMBERS = ("PHONE", "ADDRESS", "POST")


def _references(played: Played) -> list[str]:
    """Return the canonical references of the turns played."""
    dialogues = played.benchmark.dialogues
    return [
        text
        for id_, responses in played.responses.items()
        for text in dialogues[id_].references[CANONICAL_STYLE][: len(responses)]
    ]


@lru_cache(maxsize=1 << 14)
def _held(text: str, names: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in names if name in text)


@lru_cache(maxsize=2)
def _slots(played: Played) -> Counter[str]:
    """Count the slots about venues that responses and their canonical references hold.

    Returns:
        `own`, those of the responses, and `human`, those of the references; `common` to a response
        and its reference; `turns` whose reference has several, and `equal` ones, whose response has
        the same; `named` turns, whose response names a venue, and the `numbers` of all responses.
    """
    counts: Counter[str] = Counter()
    names = played.rules.about_venues
    texts = zip(played.texts, _references(played), strict=True)
    of_turns = Counter((_held(system, names), _held(human, names)) for system, human in texts)
    for (system, human), turns in of_turns.items():
        counts["system"] += turns * len(system)
        counts["human"] += turns * len(human)
        counts["common"] += turns * len(system & human)
        counts["turns"] += turns * (len(human) > 1)
        counts["equal"] += turns * (len(human) > 1 and system == human)
        counts["named"] += turns * ("NAME" in system)
        counts["numbers"] += turns * len(system.intersection(_NUMBERS))
    return counts


def _share(part: float, of: float) -> float | None:
    """Return a share; None of too few."""
    return part / of if of >= FEWEST else None


def _placeholders(played: Played) -> float | None:
    slots = _slots(played)
    return slots["numbers"] / slots["named"] if slots["named"] else None


def _placement(played: Played) -> float | None:
    slots = _slots(played)
    if slots["system"] < FEW * slots["human"]:
        # Plain words, of which there are remarks.
        return None
    return _share(2 * slots["common"], slots["system"] + slots["human"])


def _reference_placeholders(played: Played) -> float | None:
    slots = _slots(played)
    return _share(slots["equal"], slots["turns"])


def _gold_states(played: Played) -> float | None:
    if not played.submission.predicts_states or played.submission.turns < FEWEST:
        return None
    return gold_share(
        (states, played.benchmark.dialogues[id_].states)
        for id_, states in played.submission.states.items()
    )


def _told(played: Played) -> float | None:
    if not played.submission.lexicalised:
        return None
    system, human = (
        sum(text.count(slot) for text in texts for slot in (*_NAMES, *_NUMBERS))
        for texts in (played.texts, _references(played))
    )
    return system / human if human else None


GOLD_STATES = "gold_states"

_MEASURES: Mapping[str, Callable[[Played], float | None]] = {
    "placeholders": _placeholders,
    "placement": _placement,
    "reference_placeholders": _reference_placeholders,
    GOLD_STATES: _gold_states,
    "told": _told,
}
"""Flag -> its figure of a submission, or None where that says nothing; of those that are about one
submission alone."""


def _text(_: Metric, measured: Mapping[str, float]) -> str:
    """Show the flags that are raised; nothing where none is."""
    rows = [
        [declared_flags()[name].title, figure(value, 2), declared_flags()[name].bound]
        for name, value in measured.items()
        if name in declared_flags() and declared_flags()[name].is_raised(value)
    ]
    return text_table(["flags", "", "raised"], rows) if rows else ""


METRIC = Metric(
    name="flags",
    title="Flags",
    description="Checks for suspicious scores; shown only if raised.",
    unit="means and shares",
    source="docs/metrics.md",
    overall=_flags,
    result=dict[str, float],
    text=_text,
    rank=6,
)
