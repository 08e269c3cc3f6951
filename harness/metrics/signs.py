"""Signs that a score is not what it seems: figures with thresholds, and no accusation.

Inform and Success look for placeholders, and BLEU for the words of the references; whoever knows
that can have both without a dialogue system. Each sign has honest reasons as well. What is honest
was measured over the published outputs on the leaderboard; what is typical is measured on the
benchmark's own responses.

Source: docs/metrics.md; the effect of a constant response: `mwz score --constant`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from mwz.database.bits import bits_at
from mwz.normalization.rules import DEFAULT_RULES, RuleSet, rule_set
from mwz.normalization.states import BeliefState

from ..benchmark import CANONICAL_STYLE
from ..errors import unknown
from ..io.rendering import figure, text_table
from ..submission.remarks import FEW, naming
from . import Metric
from .inform import played_turns, seen_turns
from .inform_success import TOTAL
from .played import Played
from .played_turns import Turns
from .setups import MAIN_SETUP
from .words import LONG

FEWEST = 150
"""Shares of fewer dialogues, turns or slots than these say little, and are not measured."""


@dataclass(frozen=True)
class SignFigure:
    """What was measured for a sign.

    Attributes:
        value: The figure.
        limit: Its threshold.
        raised: Whether it is beyond that.
        honest: The least and the greatest figure of published outputs that do not raise the sign;
            None where there are none.
        shared_with: The entry that responses or states are shared with, where the sign is about
            that.
    """

    value: float
    limit: float
    raised: bool
    honest: tuple[float, float] | None
    shared_with: str | None = None


@dataclass(frozen=True)
class Sign:
    """A figure with a threshold.

    Attributes:
        short: What columns call it.
        title: What is measured, as reports call it.
        meaning: What tables say where it is raised.
        why: What it gives away, and what to do where that is plain: a sentence.
        honest: As of `SignFigure`.
        limit: The threshold; or a factor of what is typical, where that is measured.
        below: Whether figures below the threshold raise it, not those above.
        measure: The figure, of what was played, or None where it says nothing; None of signs
            that are not about one submission alone.
        typical: The same figure of the benchmark's own responses; None where the threshold is
            fixed.
    """

    short: str
    title: str
    meaning: str
    why: str
    honest: tuple[float, float] | None
    limit: float
    below: bool = False
    measure: Callable[[Played], float | None] | None = None
    typical: Callable[[Played], float] | None = None

    def figure(
        self, value: float, limit: float | None = None, shared_with: str | None = None
    ) -> SignFigure:
        """Return a figure with its threshold, by default the fixed one."""
        limit = self.limit if limit is None else limit
        return SignFigure(value, limit, self.is_beyond(value, limit), self.honest, shared_with)

    def is_beyond(self, value: float, limit: float) -> bool:
        """Whether a figure is beyond a threshold."""
        return value < limit if self.below else value > limit

    def measured(self, played: Played) -> SignFigure | None:
        """Measure a submission; None where the figure says nothing."""
        value = None if self.measure is None else self.measure(played)
        if value is None:
            return None
        factor = 1.0 if self.typical is None else self.typical(played)
        return self.figure(value, factor * self.limit)


def signs(played: Played) -> dict[str, SignFigure]:
    """Measure a submission: sign -> figure, of those that say something."""
    return {
        name: measured
        for name, sign in SIGNS.items()
        if (measured := sign.measured(played)) is not None
    }


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
    nothing: frozenset[tuple[str, str, str]] = frozenset()
    return [
        nothing.union(
            *(_used_only(domain, state.get(domain, _NOTHING), _NOTHING, rules) for domain in about)
        )
        for state in states
    ]


_NOTHING: Mapping[str, str] = {}


def _used_only(
    domain: str, slots: Mapping[str, str], others: Mapping[str, str], rules: RuleSet
) -> set[tuple[str, str, str]]:
    """Return what a query of a domain uses of slots and values that others do not have."""
    return {
        used
        for slot, value in slots.items()
        if others.get(slot) != value
        and (used := _constraint(domain, slot, value, rules)) is not None
    }


@lru_cache(maxsize=1 << 14)
def _constraint(domain: str, slot: str, value: str, rules: RuleSet) -> tuple[str, str, str] | None:
    """Return what a query uses of a slot; None if that is nothing."""
    venue = rules.venue_rules.get(domain)
    if venue is None or slot not in venue.columns or value in rules.no_constraint:
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
        about = set[str]().union(*gold)
        # Domain -> what it was in the turn before, and whether that agreed: most is as it was.
        known: dict[str, tuple[object, object, bool]] = {}
        last: tuple[object, object] = None, None
        agreed = False
        for ours, theirs in zip(states, gold, strict=False):
            turns += 1
            if ours is last[0] and theirs is last[1]:
                equal += agreed
                continue
            last, agreed = (ours, theirs), True
            if ours == theirs:
                equal += 1
                continue
            for domain in about:
                mine, true = ours.get(domain, _NOTHING), theirs.get(domain, _NOTHING)
                if mine == true:
                    continue
                before = known.get(domain)
                if before is None or before[0] is not mine or before[1] != true:
                    # What both have makes no difference.
                    agrees = _used_only(domain, mine, true, rules) == _used_only(
                        domain, true, mine, rules
                    )
                    before = known[domain] = (mine, true, agrees)
                if not before[2]:
                    agreed = False
                    break
            equal += agreed
    return equal / max(turns, 1)


# --------------------------------------------------------------------- what is measured of a turn


_NAME = "NAME"
_VENUES = (_NAME, "TRAINID")
_NUMBERS = ("PHONE", "ADDRESS", "POST")


class _Slots(NamedTuple):
    """The slots about venues that responses and their canonical references hold, counted.

    Attributes:
        own: Those of the responses.
        human: Those of the references.
        common: Those that a response and its reference hold.
        turns: Turns with any of them.
        equal: Turns whose response and reference hold the same ones, and any.
        named: Turns whose response names a venue that has a telephone number or an address.
        numbers: The telephone numbers, addresses and postcodes of the responses.
    """

    own: int
    human: int
    common: int
    turns: int
    equal: int
    named: int
    numbers: int

    @property
    def many(self) -> bool:
        """Whether responses hold so many that they are delexicalised."""
        return self.own >= FEW * self.human


def _slots(played: Played) -> _Slots:
    names = sorted(played.rules.about_venues)
    own, human = played.references().slots(played.said, names)
    any_of_them = (own | human).any(axis=1)
    equal = any_of_them & (own == human).all(axis=1)
    named, numbers = own[:, names.index(_NAME)], own[:, [names.index(one) for one in _NUMBERS]]
    counted = (own, human, own & human, any_of_them, equal, named, numbers)
    return _Slots(*(int(flags.sum()) for flags in counted))


def _share(part: float, of: float) -> float | None:
    """Return a share; None of too few."""
    return part / of if of >= FEWEST else None


def _rate(slots: Iterable[str], human: bool = False) -> Callable[[Played], float]:
    """Return what counts how often slots are named a turn, by a system or by the references."""

    def rate(played: Played) -> float:
        texts = _references(played) if human else played.texts
        return sum(text.count(slot) for text in texts for slot in slots) / max(len(texts), 1)

    return rate


def _references(played: Played) -> list[str]:
    """Return the canonical references of the turns played."""
    dialogues = played.benchmark.dialogues
    return [
        text
        for id_, responses in played.responses.items()
        for text in dialogues[id_].references[CANONICAL_STYLE][: len(responses)]
    ]


def _in_plain_english(
    measure: Callable[[Played], float | None],
) -> Callable[[Played], float | None]:
    return lambda played: measure(played) if played.submission.lexicalised else None


def _placeholders(played: Played) -> float | None:
    slots = played.once(_slots)
    return slots.numbers / slots.named if slots.named else None


def _active_domains(played: Played) -> float:
    active = played.once(played_turns, MAIN_SETUP).active
    named = sum(own.bit_count() for own in active.values())
    return named / max(len(played.texts), 1)


def _distinct(played: Played) -> float:
    return len(played.said.texts) / max(len(played.texts), 1)


def _best_bleu(played: Played) -> float | None:
    bleu: Mapping[str, float] | None = played.result("bleu")
    return max(bleu.values()) if bleu and len(played.texts) >= FEWEST else None


def _copied(played: Played) -> float | None:
    long, copied = played.references().copies(played.said)
    return _share(int(copied.sum()), int(long.sum()))


def _same_slots(played: Played) -> float | None:
    slots = played.once(_slots)
    return _share(slots.equal, slots.turns)


def _placement(played: Played) -> float | None:
    slots = played.once(_slots)
    # Of responses without placeholders `named_venues` has something to say.
    return _share(2 * slots.common, slots.own + slots.human) if slots.many else None


def _gold_states(played: Played) -> float | None:
    if not played.submission.predicts_states or played.submission.turns < FEWEST:
        return None
    return gold_share(
        (states, played.benchmark.dialogues[id_].states)
        for id_, states in played.submission.states.items()
    )


class _Provided(NamedTuple):
    """What is offered and provided for the domains of goals, counted.

    Attributes:
        provided: Slots provided for a goal domain.
        unrequested: Those of them that nobody requested.
        requested: Those of them that were requested.
        requested_last: Those of them that are first provided in the dialogue's last turn.
        offers: Goal domains in which a venue is named.
        offers_last: Those of them in which one is first named in the dialogue's last turn.
    """

    provided: int
    unrequested: int
    requested: int
    requested_last: int
    offers: int
    offers_last: int


def _provided(played: Played) -> _Provided:
    said = played.once(played_turns, MAIN_SETUP).said
    ends = bits_at(
        [
            end - 1
            for end, one in zip(said.starts[1:], said.dialogues, strict=True)
            if len(one.responses) == one.gold.turns
        ]
    )

    def dialogues(own: Turns) -> tuple[set[int], set[int]]:
        """Return the dialogues with some turns, and those of them with none but the last."""
        before, at_end = said.dialogues_with(own & ~ends), said.dialogues_with(own & ends)
        return before | at_end, at_end - before

    counts = [(0,) * len(_Provided._fields)]
    for domain, own in played.once(seen_turns, MAIN_SETUP).items():
        for slot, provided in own.provided.items():
            ever, at_end = dialogues(provided)
            asking = ever & said.requested[domain].get(slot, set())
            of_slot = len(ever), len(ever - asking), len(asking), len(at_end & asking)
            counts.append((*of_slot, 0, 0))
        ever, at_end = dialogues(own.active & own.named)
        counts.append((0, 0, 0, 0, len(ever), len(at_end)))
    return _Provided(*map(sum, zip(*counts, strict=True)))


def _unrequested(played: Played) -> float | None:
    counts = played.once(_provided)
    return _share(counts.unrequested, counts.provided)


def _offers_last(played: Played) -> float | None:
    counts = played.once(_provided)
    return _share(counts.offers_last, counts.offers)


def _provided_last(played: Played) -> float | None:
    counts = played.once(_provided)
    return _share(counts.requested_last, counts.requested)


def _named_venues(played: Played) -> float | None:
    if played.once(_slots).many:
        return None
    return len(naming(played.texts, played.benchmark)) / max(len(played.texts), 1)


def _any_but_not_all(played: Played) -> float | None:
    grounded = played.result("grounded")
    if grounded is None or len(played.responses) < FEWEST:
        return None
    gap: float = grounded.inform[TOTAL] - grounded.inform_all[TOTAL]
    return gap


GOLD_STATES = "gold_states"

SIGNS: Mapping[str, Sign] = {
    "placeholders": Sign(
        short="Placeholders",
        title="telephone numbers, addresses and postcodes for each turn that names a venue",
        meaning="many placeholders about venues",
        why="A response full of placeholders offers and provides whatever is asked: one constant "
        "response with six of them reaches more than 95 % Inform (`mwz score --constant`).",
        honest=(0.46, 2.41),
        limit=2.5,
        measure=_placeholders,
    ),
    "placement": Sign(
        short="Placement",
        title="placeholders where the human responses have them, F1",
        meaning="placeholders out of place",
        why="Inform and Success do not look at when something is said; placeholders heaped in a "
        "few turns answer nobody.",
        honest=(0.41, 0.80),
        limit=0.3,
        below=True,
        measure=_placement,
    ),
    "reference_placeholders": Sign(
        short="Ref. placeholders",
        title="turns with exactly the reference's placeholders",
        meaning="the reference's placeholders",
        why="Whoever has the test set's responses, or their acts, need not decide what to say.",
        honest=(0.12, 0.63),
        limit=0.75,
        measure=_same_slots,
    ),
    "last_offers": Sign(
        short="Named last",
        title="venues first named in a dialogue's last turn",
        meaning="venues named at the end",
        why="At the end of a dialogue the belief state is complete; a system has to name venues "
        "when it is asked.",
        honest=(0.0, 0.01),
        limit=0.1,
        measure=_offers_last,
    ),
    "last_provided": Sign(
        short="Provided last",
        title="requested slots first provided in a dialogue's last turn",
        meaning="slots provided at the end",
        why="Everything told at the end answers every question at once.",
        honest=(0.0, 0.01),
        limit=0.1,
        measure=_provided_last,
    ),
    "unrequested": Sign(
        short="Unrequested",
        title="provided and not requested",
        meaning="much that nobody requested",
        why="Whoever always tells everything also tells what was asked.",
        honest=(0.18, 0.62),
        limit=0.65,
        measure=_unrequested,
    ),
    "active_domains": Sign(
        short="Active domains",
        title="active domains a turn",
        meaning="many active domains",
        why="Every turn counts for every active domain.",
        honest=(0.44, 1.01),
        limit=1.5,
        measure=_active_domains,
    ),
    "distinct_responses": Sign(
        short="Distinct",
        title="distinct responses over turns",
        meaning="few distinct responses",
        why="A constant response is no dialogue system.",
        honest=(0.02, 0.72),
        limit=0.01,
        below=True,
        measure=_distinct,
    ),
    GOLD_STATES: Sign(
        short="States = gold",
        title="predicted states that agree with gold on the slots of queries",
        meaning="states agree with gold",
        why="States copied from gold query like gold ones; systems that are given them belong in "
        "the track policy-optimization.",
        honest=(0.15, 0.81),
        limit=0.85,
        measure=_gold_states,
    ),
    "reference_copies": Sign(
        short="Ref. copies",
        title=f"responses of {LONG} words or more equal to a reference",
        meaning="responses equal to references",
        why="Responses copied from the test set have BLEU for nothing.",
        honest=(0.0, 0.02),
        limit=0.05,
        measure=_copied,
    ),
    "best_bleu": Sign(
        short="Best BLEU",
        title="best BLEU over the reference styles",
        meaning="BLEU above what systems reach",
        why="Slightly edited references are no copies to the letter, and keep a BLEU that no "
        "published system has.",
        honest=(8.1, 22.5),
        limit=30.0,
        measure=_best_bleu,
    ),
    "named_venues": Sign(
        short="Plain text",
        title="turns that name a venue in plain words, without placeholders",
        meaning="plain text",
        why="The responses are not delexicalised: score them by `--lexicalised`.",
        honest=(0.0, 0.0),
        limit=0.0,
        measure=_named_venues,
    ),
    "venues_told": Sign(
        short="Venues told",
        title="venue names a turn, in plain English",
        meaning="many venue names",
        why="Whoever names every venue also names the right one.",
        honest=(0.30, 0.64),
        limit=3.0,
        measure=_in_plain_english(_rate(_VENUES)),
        typical=_rate(_VENUES, human=True),
    ),
    "numbers_told": Sign(
        short="Numbers told",
        title="telephone numbers, addresses and postcodes a turn, in plain English",
        meaning="many numbers told",
        why="Whoever tells every number also tells the right one.",
        honest=(0.17, 0.22),
        limit=3.0,
        measure=_in_plain_english(_rate(_NUMBERS)),
        typical=_rate(_NUMBERS, human=True),
    ),
    "any_but_not_all": Sign(
        short="Any – all",
        title="grounded Inform by any venue named, above that by all, in points",
        meaning="other venues beside the fitting one",
        why="An answer that lists many venues chooses none; the track ranks by Success with all "
        "of them.",
        honest=(0.0, 1.4),
        limit=10.0,
        measure=_any_but_not_all,
    ),
}
"""Sign -> what is measured of one submission."""


COPY_SIGNS: Mapping[str, Sign] = {
    "copied_responses": Sign(
        short="Copied resp.",
        title=f"responses of {LONG} words or more equal to those of another entry",
        meaning="responses of another entry",
        why="The system is entered twice, or its outputs are those of others.",
        honest=(0.0, 0.31),
        limit=0.5,
    ),
    "copied_phrases": Sign(
        short="Copied phrases",
        title="pairs of words shared with the responses of another entry",
        meaning="phrases of another entry",
        why="The same with some words exchanged.",
        honest=(0.0, 0.51),
        limit=0.57,
    ),
    "copied_mixture": Sign(
        short="Copied mixture",
        title=f"responses of {LONG} words or more equal to those of some other entry",
        meaning="responses of several entries",
        why="Of several systems' outputs, for each dialogue those that do best make a better one.",
        honest=(0.0, 0.53),
        limit=0.75,
    ),
    "copied_states": Sign(
        short="Copied states",
        title="states equal to those of another entry, of those that are not gold in both",
        meaning="states of another entry",
        why="The states are those of another tracker; an entry that says so (`--states-of`) is "
        "ranked by its responses.",
        honest=(0.0, 0.58),
        limit=0.75,
    ),
}
"""Sign -> what is measured between an entry and those that came before it."""


OF_STATES = (GOLD_STATES, "copied_states")
"""The signs that are about belief states."""


BASELINE_CALLS = "baseline_calls"

LIVE_SIGNS: Mapping[str, Sign] = {
    BASELINE_CALLS: Sign(
        short="Baseline calls",
        title="calls of the scripted baseline that the agent makes in the same turn",
        meaning="calls of the scripted baseline",
        why="Under another name, or with other words around its responses, the baseline is no "
        "other agent.",
        honest=None,
        limit=0.95,
    ),
}
"""Sign -> what is measured of live dialogues."""


RESPONSE_SIGNS: Mapping[str, Sign] = {**SIGNS, **COPY_SIGNS}
"""Sign -> what it measures, of responses and states: those of which tables have columns."""


ALL_SIGNS: Mapping[str, Sign] = {**RESPONSE_SIGNS, **LIVE_SIGNS}
"""Sign -> what it measures, live dialogues included."""


def _check(results: Mapping[str, Any], dialogues: int) -> Iterator[str]:
    """Yield signs that are unknown, or raised or not against their own figures."""
    measured: Mapping[str, SignFigure] = results.get("signs") or {}
    for name, one in measured.items():
        sign = SIGNS.get(name)
        if sign is None:
            yield f"signs.{name}: {unknown('sign', name, SIGNS)}"
        elif one != sign.figure(one.value, one.limit if sign.typical else sign.limit):
            yield f"signs.{name}: threshold and whether it is raised do not follow from the rest"


def honest_text(sign: Sign) -> str:
    """Return what published outputs have, as tables show it."""
    return " to ".join(figure(end, 2) for end in sign.honest or ())


def limit_text(sign: Sign, limit: float | None = None) -> str:
    """Return a threshold as tables show it; by default that which the sign has in general."""
    bound = "below" if sign.below else "above"
    if limit is None and sign.typical is not None:
        return f"{bound} {sign.limit:g} times the corpus'"
    return f"{bound} {figure(sign.limit if limit is None else limit, 2)}"


def _text(_: Metric, measured: Mapping[str, SignFigure]) -> str:
    rows = [
        [
            SIGNS[name].title,
            figure(one.value, 2),
            honest_text(SIGNS[name]),
            limit_text(SIGNS[name], one.limit),
            "raised" if one.raised else "",
        ]
        for name, one in measured.items()
    ]
    return text_table(["signs", "", "published outputs", "a sign if", ""], rows)


METRIC = Metric(
    name="signs",
    title="Signs",
    description="Figures that tell a score that is not what it seems, with thresholds.",
    unit="means and shares",
    source="docs/metrics.md",
    compute=signs,
    check=_check,
    result=dict[str, SignFigure],
    text=_text,
    headlines=(),
    rank=6,
)
