"""From a file that was read to the remarks on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mwz.normalization import BeliefState, RuleSet

from ...benchmark import Benchmark
from ...errors import Remark
from ..model import Turn
from .feature import FEATURES, Profile, Tally
from .response_features import count_plain_responses, count_responses
from .state_features import count_states
from .vocabulary import (
    TRACKED,
    Slot,
    Vocabulary,
    vocabulary_of,
    vocabulary_of_states,
    wording_of,
)

SAMPLED = 200
"""How many dialogues of a large file are measured at first."""

_SHOWN_PARTS = 3
_SHOWN_EXAMPLES = 3


@dataclass(frozen=True)
class Content:
    """A predictions file as it was read, to be measured.

    Attributes:
        dialogues: Dialogue id -> turns.
        benchmark: The benchmark whose dialogues they are; None of a tracker's file with gold states
            of its own.
        rules: The rule set by which values and responses are compared.
        states_only: Whether the file is a tracker's.
        uses_states: Whether scores depend on its states.
        plain: Whether responses are meant to be plain English.
    """

    dialogues: Mapping[str, Sequence[Turn]]
    benchmark: Benchmark | None
    rules: RuleSet
    states_only: bool = False
    uses_states: bool = True
    plain: bool = False

    @property
    def has_states(self) -> bool:
        """Whether there is a state in some turn."""
        return any(turn.state is not None for turns in self.dialogues.values() for turn in turns)

    def sample(self) -> Content:
        """Return every few dialogues of a large file; a small one as it is."""
        step = len(self.dialogues) // SAMPLED
        if step < 2:
            return self
        ids = [*self.dialogues][::step]
        return replace(self, dialogues={id_: self.dialogues[id_] for id_ in ids})

    def gold(self) -> Mapping[str, Sequence[BeliefState]]:
        """Return dialogue id -> the gold states that its states are compared with."""
        if self.benchmark is not None:
            return {id_: self.benchmark.dialogues[id_].states for id_ in self.dialogues}
        return {id_: [turn.gold or {} for turn in turns] for id_, turns in self.dialogues.items()}


def profile_of(content: Content, whole: Content | None = None) -> Profile:
    """Return the profile of a file, or of a part of it.

    Args:
        content: What is measured.
        whole: The file that it is a part of, whose own gold states are the vocabulary.
    """
    profile = Profile()
    benchmark, rules = content.benchmark, content.rules
    if content.uses_states and content.has_states:
        vocabulary = vocabulary_for(whole or content)
        states: dict[str, Sequence[BeliefState]] = {}
        for id_, turns in content.dialogues.items():
            states[id_] = [turn.state or {} for turn in turns]
        scored = _scored_slots(content)
        count_states(profile, states, content.gold(), vocabulary, content.states_only, scored)
    responses = [turn.response for turns in content.dialogues.values() for turn in turns]
    if content.plain:
        count_plain_responses(profile, responses, rules)
    elif benchmark is not None and not content.states_only:
        wording = wording_of(benchmark)
        count_responses(profile, content.dialogues, benchmark, rules, wording)
    return profile


def vocabulary_for(content: Content) -> Vocabulary:
    """Return what the states of a file are compared with."""
    if content.benchmark is None:
        return vocabulary_of_states(content.gold().values(), content.rules, as_written=True)
    return vocabulary_of(content.benchmark, content.rules)


def _scored_slots(content: Content) -> frozenset[Slot]:
    """Return the slots that scores depend on: those of state tracking, or those of queries."""
    if content.states_only:
        return TRACKED
    slots: set[Slot] = set()
    for domain, venue in content.rules.venue_rules.items():
        slots.update((domain, name) for name in venue.columns)
    return frozenset(slots)


def profile_remarks(content: Content) -> tuple[Remark, ...]:
    """Return the remarks on a file: what is beyond its limit, and of what that is no effect."""
    odd = odd_features(telling_profile(content))
    return tuple(Remark(name, _message(name, parts)) for name, parts in odd.items())


def telling_profile(content: Content) -> Profile:
    """Return the profile that a file is judged by.

    A large file is measured in part first; where a part of it is odd, the whole file is.
    """
    sample = content.sample()
    profile = profile_of(sample, content)
    return profile_of(content) if sample is not content and odd_features(profile) else profile


def odd_features(profile: Profile) -> dict[str, dict[str, Tally]]:
    """Return feature -> part -> tally of what is beyond the limits, without mere effects."""
    beyond: dict[str, dict[str, Tally]] = {}
    for name in FEATURES:
        parts = profile.beyond(name)
        if parts:
            beyond[name] = parts
    return {name: parts for name, parts in beyond.items() if not _is_effect(name, beyond)}


def _is_effect(name: str, beyond: Mapping[str, object]) -> bool:
    return any(cause in beyond for cause in FEATURES[name].unless)


def _message(name: str, parts: Mapping[str, Tally]) -> str:
    feature = FEATURES[name]
    odd = sum(tally.odd for tally in parts.values())
    items = sum(tally.items for tally in parts.values())
    worst = sorted(parts.items(), key=_by_odd)[:_SHOWN_PARTS]
    examples = "; ".join(_examples(part, tally) for part, tally in worst)
    return f"{odd} of {items} {feature.items} {feature.odd}: {examples}; {feature.remedy}"


def _by_odd(part: tuple[str, Tally]) -> int:
    return -part[1].odd


def _examples(part: str, tally: Tally) -> str:
    common = tally.examples.most_common(_SHOWN_EXAMPLES)
    listed = ", ".join(f"{example} {number}×" for example, number in common)
    return f"{part}: {listed}" if part else listed
