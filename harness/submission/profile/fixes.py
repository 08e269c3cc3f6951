"""What `mwz convert --fix` changes: odd items of a profile whose meaning is known.

Nothing is guessed: a value with several meanings, or a placeholder of an unknown name, stays. Of a
file that is in order nothing is changed: a feature is fixed if it has more odd items than those of
published files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

from mwz.normalization import PLACEHOLDER, BeliefState, RuleSet

from ..model import Turn
from .feature import FEATURES, Profile
from .meanings import ValueReader
from .profiling import Content, telling_profile, vocabulary_for
from .response_features import GLUED, SLOT, other_notations, special_tokens
from .vocabulary import slot_name


class Change(NamedTuple):
    """A kind of change.

    Attributes:
        feature: The feature whose odd item was changed.
        before: What the file has.
        after: What took its place; "" for nothing.
    """

    feature: str
    before: str
    after: str


@dataclass(frozen=True)
class Fixed:
    """Dialogues after fixes.

    Attributes:
        dialogues: Dialogue id -> turns.
        changes: How many there were of each kind.
    """

    dialogues: Mapping[str, Sequence[Turn]]
    changes: Counter[Change]


_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_SHOWN_THOUGHT = 20
"""Characters."""

_Fixer: TypeAlias = Callable[[str, RuleSet, Callable[[str, str], None]], str]
"""Returns a response without the odd items of a feature; calls the last with each change."""


def without_tags(text: str, rules: RuleSet, note: Callable[[str, str], None]) -> str:
    """Return a response without special tokens such as <sos_r>; placeholders stay as they are.

    What a model thought, `<think>…</think>`, goes with its tokens: it is no part of a response.
    """
    for thought in _THOUGHT.finditer(text):
        note(thought[0][:_SHOWN_THOUGHT], "")
    text = _THOUGHT.sub("", text).strip() if "<" in text else text
    parts: list[str] = []
    start = 0
    for match in special_tokens(text, rules):
        note(match[0], "")
        parts.append(text[start : match.start()])
        start = match.end()
    if not parts:
        return text
    return " ".join(" ".join([*parts, text[start:]]).split())


def with_brackets(text: str, rules: RuleSet, note: Callable[[str, str], None]) -> str:
    """Return a response with placeholders in brackets that it has in another notation."""
    # What is in capitals throughout is no mixture of words and slots.
    is_mixed = text != text.upper()
    text = _outside_placeholders(
        text, _in_any_case(rules), partial(_placeholder, rules=rules), note
    )
    if not is_mixed:
        return text
    return _outside_placeholders(text, SLOT, partial(_placeholder_of_slot, rules=rules), note)


def _outside_placeholders(
    text: str,
    pattern: re.Pattern[str],
    placeholder_of: Callable[[str], str | None],
    note: Callable[[str, str], None],
) -> str:
    """Return a text with a placeholder for what a pattern finds; those that it has stay.

    Args:
        text: The text.
        pattern: What is looked for.
        placeholder_of: Returns the placeholder for what was found; None to leave it.
        note: Called with each change.
    """

    def replaced(match: re.Match[str]) -> str:
        placeholder = placeholder_of(match[0])
        if placeholder is None:
            return match[0]
        note(match[0], placeholder)
        return placeholder

    parts: list[str] = []
    start = 0
    for match in PLACEHOLDER.finditer(text):
        parts += [pattern.sub(replaced, text[start : match.start()]), match[0]]
        start = match.end()
    return "".join([*parts, pattern.sub(replaced, text[start:])])


@lru_cache(maxsize=16)
def _in_any_case(rules: RuleSet) -> re.Pattern[str]:
    return re.compile(other_notations(rules).pattern, re.IGNORECASE)


def _placeholder(written: str, rules: RuleSet) -> str | None:
    """Return the placeholder that is written in another notation; None if its name is unknown."""
    words = re.findall(r"[a-z0-9]+", written.lower())
    for joint in ("_", " ", ""):
        name = joint.join(words)
        for known in (name, f"value_{name}"):
            if known in rules.ontology:
                return f"[{known}]"
    return None


def _placeholder_of_slot(slot: str, rules: RuleSet) -> str | None:
    """Return a placeholder that becomes a slot of the ontology; None if it is no slot."""
    for section in ("ontology", "extension"):
        names: Sequence[str] = rules.tables[section].get(slot, ())
        for name in names:
            return f"[{name}]"
    return None


def with_blanks(text: str, rules: RuleSet, note: Callable[[str, str], None]) -> str:
    """Return a response with blanks between placeholders and words."""

    def replaced(match: re.Match[str]) -> str:
        glued = match[0]
        at = 1 if glued[0] != "[" else len(glued) - 1
        spaced = f"{glued[:at]} {glued[at:]}"
        note(glued, spaced)
        return spaced

    # A placeholder may stand between two words.
    return GLUED.sub(replaced, GLUED.sub(replaced, text))


_OF_STATES: Mapping[str, str] = {
    "value_spelling": "values in another spelling",
    "value_dontcare": "values that mean dontcare",
    "value_empty": "values that say that there is none",
}

_OF_RESPONSES: Mapping[str, tuple[str, _Fixer]] = {
    "response_tags": ("special tokens", without_tags),
    "response_notation": ("placeholders in another notation", with_brackets),
    "response_glued": ("placeholders without a blank", with_blanks),
}

FIXES: Mapping[str, str] = {
    **_OF_STATES,
    **{feature: title for feature, (title, _) in _OF_RESPONSES.items()},
}
"""Feature whose odd items can be fixed -> what these are called."""


def with_fixes(content: Content, features: Collection[str]) -> Fixed:
    """Return dialogues without the odd items of some features, as far as their meaning is known.

    Args:
        content: The file; it is left as it is.
        features: Names in `FIXES`; any others change nothing.
    """
    changes: Counter[Change] = Counter()
    fix_state = _state_fixer(content, {*features} & {*_OF_STATES}, changes)
    fixers = {name: fixer for name, (_, fixer) in _OF_RESPONSES.items() if name in features}
    dialogues: dict[str, Sequence[Turn]] = {}
    for id_, turns in content.dialogues.items():
        fixed: list[Turn] = []
        for turn in turns:
            response = turn.response
            for name, fixer in fixers.items():
                response = fixer(response, content.rules, _noter(name, changes))
            state = fix_state(turn.state) if turn.state else turn.state
            fixed.append(turn._replace(response=response, state=state))
        dialogues[id_] = fixed
    return Fixed(dialogues, changes)


def _noter(feature: str, changes: Counter[Change]) -> Callable[[str, str], None]:
    def note(before: str, after: str) -> None:
        changes[Change(feature, before, after)] += 1

    return note


def _state_fixer(
    content: Content, features: Collection[str], changes: Counter[Change]
) -> Callable[[BeliefState], BeliefState]:
    """Return what fixes a state; it counts changes."""
    if not (features and content.uses_states and content.has_states):
        return lambda state: state
    vocabulary = vocabulary_for(content)
    reader = ValueReader(vocabulary, content.states_only)

    def fixed(state: BeliefState) -> BeliefState:
        read: dict[str, dict[str, str]] = {}
        for domain, slots in state.items():
            for slot, value in slots.items():
                name = slot_name(slot, vocabulary.rules)
                meant: str | None = None
                if (domain, name) in vocabulary.gold:
                    reading = reader.reading(domain, slot, value)
                    if reading.feature in features:
                        meant = reading.meant
                        if meant is not None and reading.feature is not None:
                            changes[Change(reading.feature, value, meant)] += 1
                if meant != "":
                    read.setdefault(domain, {})[slot] = value if meant is None else meant
            # A domain that was empty before says that it is talked about.
            if not slots:
                read[domain] = {}
        return read

    return fixed


def fixed_content(content: Content) -> Fixed:
    """Return dialogues with the odd items fixed of all features that have more than usual.

    Args:
        content: The file; it is left as it is.
    """
    changes: Counter[Change] = Counter()
    done: set[str] = set()
    while True:
        profile = telling_profile(content)
        # A fix may show another mistake: a placeholder in brackets may lack a blank.
        features = [name for name in FIXES if name not in done and _is_unusual(profile, name)]
        if not features:
            return Fixed(content.dialogues, changes)
        result = with_fixes(content, features)
        changes.update(result.changes)
        content = replace(content, dialogues=result.dialogues)
        done.update(features)


_UNUSUAL = 1.25
"""Times the limits of all parts together. No published file that is in order has as many."""


def _is_unusual(profile: Profile, feature: str) -> bool:
    """Return whether a feature is told, or has more odd items than published files.

    Of few dialogues what chance may explain is not told; whoever asks for fixes wants it fixed.
    """
    if profile.beyond(feature):
        return True
    declared = FEATURES[feature]
    odd = usual = 0.0
    for part, tally in profile.parts(feature).items():
        odd += tally.odd
        usual += declared.limit_of(part) * tally.items
    return odd > _UNUSUAL * usual


_SHOWN = 3
"""How many examples a line has."""


def change_lines(changes: Counter[Change]) -> Iterator[str]:
    """Yield what was changed, a line per feature: how many items, and the most frequent ones."""
    for feature, title in FIXES.items():
        of_feature = Counter({c: n for c, n in changes.items() if c.feature == feature})
        if of_feature:
            examples = [
                f"{change.before!r} as {change.after!r} {number}×"
                if change.after
                else f"{change.before!r} left out {number}×"
                for change, number in of_feature.most_common(_SHOWN)
            ]
            yield f"{title}, {of_feature.total()}×: {', '.join(examples)}"
