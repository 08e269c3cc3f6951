"""From a file that was read to the remarks on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mwz.normalization import BeliefState, RuleSet

from ...benchmark import Benchmark
from ...errors import Remark
from ..formats import STATE_CHECKS, StateChecks
from ..model import Turn
from .feature import Profile, Tally, declared_features
from .response_features import count_plain_responses, count_responses
from .state_features import count_states
from .vocabulary import Vocabulary, vocabulary_of, vocabulary_of_states

SAMPLED = 200
"""About how many dialogues of a large file are measured at first."""

_SHOWN_PARTS = 3
_SHOWN_EXAMPLES = 3


@dataclass(frozen=True)
class Content:
    """A predictions file as it was read, to be measured.

    Attributes:
        dialogues: Dialogue id -> turns.
        benchmark: The benchmark that has the dialogues; None for a tracker's file with gold states
            of its own.
        rules: The rule set by which values and responses are compared.
        checks: How it was checked: whether it is a tracker's, whether scores depend on its states,
            and whether its responses are meant to be plain English.
    """

    dialogues: Mapping[str, Sequence[Turn]]
    benchmark: Benchmark | None
    rules: RuleSet
    checks: StateChecks = STATE_CHECKS

    @property
    def has_states(self) -> bool:
        """Whether there is a state in some turn."""
        for turns in self.dialogues.values():
            for turn in turns:
                if turn.state is not None:
                    return True
        return False

    def gold(self) -> Mapping[str, Sequence[BeliefState]]:
        """Return dialogue id -> the gold states that the predicted states are compared with."""
        states: dict[str, Sequence[BeliefState]] = {}
        for id_, turns in self.dialogues.items():
            if self.benchmark is not None:
                states[id_] = self.benchmark.dialogues[id_].states
            else:
                states[id_] = [turn.gold or {} for turn in turns]
        return states

    def vocabulary(self) -> Vocabulary:
        """Return the values and slots that the states are compared with."""
        if self.benchmark is None:
            return vocabulary_of_states(self.gold().values(), self.rules, as_written=True)
        return vocabulary_of(self.benchmark, self.rules)


def profile_of(content: Content, sampled: bool = False) -> Profile:
    """Return the profile of a file.

    Args:
        content: The file.
        sampled: Whether a large file is measured in part first, and as a whole only if that part
            has odd features. Remarks are on such a profile.
    """
    ids = list(content.dialogues)
    step = max(len(ids) // SAMPLED, 1) if sampled else 1
    sample = replace(content, dialogues={id_: content.dialogues[id_] for id_ in ids[::step]})
    profile = Profile()
    checks = content.checks
    if checks.uses_states and sample.has_states:
        states: dict[str, Sequence[BeliefState]] = {}
        for id_, turns in sample.dialogues.items():
            states[id_] = [turn.state or {} for turn in turns]
        # If gold states are the file's own, those of the whole file are the vocabulary.
        vocabulary = content.vocabulary()
        count_states(profile, states, sample.gold(), vocabulary, checks.tracked)
    if checks.plain:
        count_plain_responses(profile, sample.dialogues, sample.rules)
    elif sample.benchmark is not None and not checks.tracked:
        count_responses(profile, sample.dialogues, sample.benchmark, sample.rules)
    if step > 1 and odd_features(profile):
        return profile_of(content)
    return profile


def odd_features(profile: Profile) -> dict[str, dict[str, Tally]]:
    """Return feature -> part -> tally of what is beyond the limits.

    A feature that another odd feature causes is left out.
    """
    exceeding: dict[str, dict[str, Tally]] = {}
    for name in declared_features():
        tallies = profile.exceeding(name)
        if tallies:
            exceeding[name] = tallies
    odd: dict[str, dict[str, Tally]] = {}
    for name, tallies in exceeding.items():
        if exceeding.keys().isdisjoint(declared_features()[name].unless):
            odd[name] = tallies
    return odd


def profile_remarks(profile: Profile) -> tuple[Remark, ...]:
    """Return a remark on each feature of a profile that is beyond its limit."""
    remarks: list[Remark] = []
    for name, tallies in odd_features(profile).items():
        remarks.append(Remark(name, _message(name, tallies)))
    return tuple(remarks)


def _message(name: str, tallies: Mapping[str, Tally]) -> str:
    """Return how many items of a feature are odd, with examples of the worst parts."""
    feature = declared_features()[name]
    odd = items = 0
    for tally in tallies.values():
        odd += tally.odd
        items += tally.items
    worst = sorted(tallies, key=lambda part: -tallies[part].odd)[:_SHOWN_PARTS]
    examples: list[str] = []
    for part in worst:
        counts = tallies[part].examples
        # Of equally frequent ones the first by name, so that a file always gets the same message.
        frequent = sorted(counts, key=lambda example: (-counts[example], example))
        listed = ", ".join(
            f"{example} {counts[example]}×" for example in frequent[:_SHOWN_EXAMPLES]
        )
        examples.append(f"{part}: {listed}" if part else listed)
    shown = "; ".join(examples)
    return f"{odd} of {items} {feature.items} {feature.odd}: {shown}; {feature.remedy}"
