"""Signs that a score is not what it seems: numbers with thresholds, and no accusation.

A response full of placeholders offers and provides whatever was asked; active domains claimed in
plenty make every turn count for every domain; states copied from gold query like gold ones. Each of
these has honest reasons as well. What is typical is measured on the benchmark's own responses.

Source: docs/metrics.md; the effect of a constant response: `mwz score --constant`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mwz.normalization.states import without_empty_domains

from ..benchmark import CANONICAL_STYLE
from ..io.rendering import figure, text_table
from ..submission.remarks import FEW, naming, slot_rate
from . import Metric
from .inform_success import provided_slots
from .played import Played, PlayedDialogue

TYPICAL_FACTOR = 1.5
"""Times the corpus' placeholders about venues: above it is a sign."""

MANY_DOMAINS = 1.5
"""Active domains a turn: above it is a sign."""

GOLD_SHARE = 0.9
"""Share of predicted states that equal gold: above it is a sign."""


@dataclass(frozen=True)
class Signs:
    """What was measured. Figures are means or shares over the turns played.

    Attributes:
        placeholders: Placeholders about venues a turn: the shares of turns with a name, train id,
            telephone number, address, postcode and reference number, added up.
        typical_placeholders: The same of the benchmark's own responses.
        active_domains: Active domains a turn, in the strict set-up.
        distinct_responses: Distinct responses over turns.
        gold_states: The share of predicted states that equal gold; None without predicted states.
        unrequested: The share of what was provided for goal domains that nobody requested; None if
            nothing was provided.
        named_venues: The share of turns that name a venue of the database in plain words. It is
            looked for only where there are hardly any placeholders, and 0 elsewhere.
        raised: The names of the figures that are beyond their threshold.
    """

    placeholders: float
    typical_placeholders: float
    active_domains: float
    distinct_responses: float
    gold_states: float | None
    unrequested: float | None
    named_venues: float
    raised: tuple[str, ...]


def signs(played: Played) -> Signs:
    """Measure a submission."""
    dialogues = played.dialogues(played.domains)
    texts = played.texts
    turns = max(len(texts), 1)
    corpus = [
        text
        for id_, own in played.responses.items()
        for text in played.benchmark.dialogues[id_].references[CANONICAL_STYLE][: len(own)]
    ]
    placeholders = slot_rate(texts, played.rules)
    typical = slot_rate(corpus, played.rules)
    few = placeholders < FEW * typical
    measured = Signs(
        placeholders=placeholders,
        typical_placeholders=typical,
        active_domains=sum(len(set(d)) for one in dialogues for d in one.active_domains) / turns,
        distinct_responses=len(set(texts)) / turns,
        gold_states=_gold_states(played),
        unrequested=_unrequested(dialogues),
        named_venues=len(naming(texts, played.benchmark)) / turns if few else 0.0,
        raised=(),
    )
    return replace(measured, raised=raised(measured))


def raised(measured: Signs) -> tuple[str, ...]:
    """Return the names of the figures that are beyond their threshold."""
    return tuple(name for name, is_raised in _RAISED.items() if is_raised(measured))


# Figure -> whether it is beyond its threshold.
_RAISED: Mapping[str, Callable[[Signs], bool]] = {
    "placeholders": lambda s: s.placeholders > TYPICAL_FACTOR * s.typical_placeholders,
    "active_domains": lambda s: s.active_domains > MANY_DOMAINS,
    "gold_states": lambda s: s.gold_states is not None and s.gold_states > GOLD_SHARE,
    "named_venues": lambda s: s.named_venues > 0,
}

MEANINGS: Mapping[str, str] = {
    "placeholders": "many placeholders about venues",
    "active_domains": "many active domains",
    "gold_states": "states equal gold",
    "named_venues": "plain text",
}
"""Figure -> what tables say where it is raised."""


def _gold_states(played: Played) -> float | None:
    if not played.submission.predicts_states:
        return None
    pairs = [
        (turn.state or {}, gold)
        for id_, turns in played.submission.dialogues.items()
        for turn, gold in zip(turns, played.benchmark.dialogues[id_].states, strict=False)
    ]
    equal = sum(
        without_empty_domains(state) == without_empty_domains(gold) for state, gold in pairs
    )
    return equal / max(len(pairs), 1)


def _unrequested(dialogues: Sequence[PlayedDialogue]) -> float | None:
    provided = unrequested = 0
    for dialogue in dialogues:
        for domain, goal in dialogue.gold.goal.items():
            slots = {
                slot
                for said, active, booked in zip(
                    dialogue.said,
                    dialogue.active_domains,
                    dialogue.gold.booked_domains,
                    strict=False,
                )
                for slot in provided_slots(said, domain in active, domain in booked)
            }
            provided += len(slots)
            unrequested += len(slots - goal.requestable)
    return unrequested / provided if provided else None


_TITLES: Mapping[str, str] = {
    "placeholders": "placeholders about venues a turn",
    "typical_placeholders": "the same of the corpus",
    "active_domains": "active domains a turn",
    "distinct_responses": "distinct responses over turns",
    "gold_states": "predicted states equal to gold",
    "unrequested": "provided and not requested",
    "named_venues": "turns that name a venue in plain words",
}


def _text(_: Metric, measured: Signs) -> str:
    rows = [
        [title, figure(getattr(measured, name), 2), "sign" if name in measured.raised else ""]
        for name, title in _TITLES.items()
        if getattr(measured, name) is not None
    ]
    return text_table(["signs", "", ""], rows)


METRIC = Metric(
    name="signs",
    title="Signs",
    description="Figures that tell a score that is not what it seems, with thresholds.",
    unit="means and shares",
    source="docs/metrics.md",
    compute=signs,
    result=Signs,
    text=_text,
    headlines=(),
    rank=6,
)
