"""What `mwz convert --fix` changes: odd items of a profile whose meaning is known.

Nothing is guessed: a value with several meanings, or a placeholder of an unknown name, stays. A
feature is fixed only if the file has more odd items than published files have, so that a file in
order stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from mwz.normalization import PLACEHOLDER, BeliefState, RuleSet

from ..model import Turn
from .measuring import profile_of
from .profile import Profile, declared_features
from .response_features import GLUED, SLOT, other_notations, special_tokens
from .vocabulary import Content, Vocabulary, read_value

Changes: TypeAlias = Mapping[str, Counter[tuple[str, str]]]
"""Feature -> (what the file has, what took its place or "" for nothing) -> how often."""


# Responses.

_Note: TypeAlias = Callable[[str, str], None]
"""Is called with each change: what the response has, and what took its place."""

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_SHOWN_THOUGHT = 20
"""Characters."""


def without_tags(text: str, rules: RuleSet, note: _Note) -> str:
    """Return a response without special tokens such as <sos_r>; placeholders stay as they are.

    The reasoning of a model, `<think>…</think>`, is removed too: it is no part of a response.
    """
    for thought in _THOUGHT.finditer(text):
        note(thought[0][:_SHOWN_THOUGHT], "")
    if "<" in text:
        text = _THOUGHT.sub("", text).strip()
    tags = special_tokens(text, rules)
    if not tags:
        return text
    words: list[str] = []
    start = 0
    for tag in tags:
        note(tag[0], "")
        words += text[start : tag.start()].split()
        start = tag.end()
    words += text[start:].split()
    return " ".join(words)


def with_brackets(text: str, rules: RuleSet, note: _Note) -> str:
    """Return a response whose placeholders in other notations are in brackets."""
    notations = other_notations(rules, re.IGNORECASE)
    bracketed = _outside_placeholders(text, notations, partial(_named, rules), note)
    # In a response in capitals throughout, the name of a slot is an ordinary word.
    if text == text.upper():
        return bracketed
    return _outside_placeholders(bracketed, SLOT, partial(_of_slot, rules), note)


def _outside_placeholders(
    text: str,
    pattern: re.Pattern[str],
    placeholder_for: Callable[[str], str | None],
    note: _Note,
) -> str:
    """Return a text with placeholders for what a pattern matches outside of placeholders.

    Args:
        text: The text.
        pattern: What is looked for.
        placeholder_for: Returns the placeholder for a match; None to leave it as it is.
        note: Called with each change.
    """

    def replacement(match: re.Match[str]) -> str:
        placeholder = placeholder_for(match[0])
        if placeholder is None:
            return match[0]
        note(match[0], placeholder)
        return placeholder

    pieces: list[str] = []
    start = 0
    for match in PLACEHOLDER.finditer(text):
        pieces.append(pattern.sub(replacement, text[start : match.start()]))
        pieces.append(match[0])
        start = match.end()
    pieces.append(pattern.sub(replacement, text[start:]))
    return "".join(pieces)


def _named(rules: RuleSet, written: str) -> str | None:
    """Return the placeholder that is written in another notation; None if its name is unknown."""
    words = re.findall(r"[a-z0-9]+", written.lower())
    for joint in ("_", " ", ""):
        name = joint.join(words)
        for known in (name, f"value_{name}"):
            if known in rules.ontology:
                return f"[{known}]"
    return None


def _of_slot(rules: RuleSet, slot: str) -> str | None:
    """Return the first placeholder of a slot of the ontology; None if it is no such slot."""
    for section in ("ontology", "extension"):
        names: Sequence[str] = rules.tables[section].get(slot, ())
        if names:
            return f"[{names[0]}]"
    return None


def with_blanks(text: str, rules: RuleSet, note: _Note) -> str:
    """Return a response with blanks between placeholders and words."""

    def replacement(match: re.Match[str]) -> str:
        glued = match[0]
        # The match is a placeholder with a letter before it or after it.
        border = len(glued) - 1 if glued.startswith("[") else 1
        spaced = f"{glued[:border]} {glued[border:]}"
        note(glued, spaced)
        return spaced

    # The second pass parts placeholders from the word after them that stood between two words.
    return GLUED.sub(replacement, GLUED.sub(replacement, text))


# What is fixed.


FIXES: Mapping[str, str] = {
    "value_spelling": "values in another spelling",
    "value_dontcare": "values that mean dontcare",
    "value_empty": "values that say that there is none",
    "response_tags": "special tokens",
    "response_notation": "placeholders in another notation",
    "response_glued": "placeholders without a blank",
}
"""Feature whose odd items can be fixed -> what these are called."""

_RESPONSE_FIXES: Mapping[str, Callable[[str, RuleSet, _Note], str]] = {
    "response_tags": without_tags,
    "response_notation": with_brackets,
    "response_glued": with_blanks,
}
"""Feature of responses -> the function that returns a response without its odd items.

The other features in `FIXES` are of values, which `_fixed_state` fixes.
"""


def with_fixes(content: Content, features: Collection[str]) -> tuple[Content, Changes]:
    """Return a file without the odd items of some features, as far as their meaning is known.

    Args:
        content: The file; it is left as it is.
        features: Names in `FIXES`; any others change nothing.
    """
    changes: dict[str, Counter[tuple[str, str]]] = {}

    def note(feature: str, before: str, after: str) -> None:
        changes.setdefault(feature, Counter())[before, after] += 1

    vocabulary: Vocabulary | None = None
    fixes_values = content.checks.uses_states and not _RESPONSE_FIXES.keys() >= set(features)
    dialogues: dict[str, Sequence[Turn]] = {}
    for id_, turns in content.dialogues.items():
        fixed_turns: list[Turn] = []
        for turn in turns:
            response = turn.response
            for feature, fix in _RESPONSE_FIXES.items():
                if feature in features:
                    response = fix(response, content.rules, partial(note, feature))
            state = turn.state
            if state and fixes_values:
                vocabulary = vocabulary or content.vocabulary()
                state = _fixed_state(state, features, vocabulary, content.checks.tracked, note)
            fixed_turns.append(turn._replace(response=response, state=state))
        dialogues[id_] = fixed_turns
    return replace(content, dialogues=dialogues), changes


def _fixed_state(
    state: BeliefState,
    features: Collection[str],
    vocabulary: Vocabulary,
    states_only: bool,
    note: Callable[[str, str, str], None],
) -> BeliefState:
    """Return a state with the values that were meant.

    Args:
        state: The state.
        features: The features whose odd values are fixed.
        vocabulary: What values are compared with.
        states_only: Whether the file is a tracker's.
        note: Called with each change: the feature, the value, and what took its place.
    """
    fixed: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        # An empty domain says that the user talks about it.
        if not slots:
            fixed[domain] = {}
        for slot, value in slots.items():
            reading = read_value(vocabulary, domain, slot, value, states_only)
            feature, meant = reading.feature, reading.meant
            is_known = (domain, reading.slot) in vocabulary.gold
            if not is_known or feature not in features or feature is None or meant is None:
                fixed.setdefault(domain, {})[slot] = value
                continue
            note(feature, value, meant)
            if meant:
                fixed.setdefault(domain, {})[slot] = meant
    return fixed


_UNUSUAL = 1.25
"""Times the limits of all parts together. No published file that is in order has as many."""


def unusual_features(profile: Profile) -> list[str]:
    """Return the features in `FIXES` with more odd items than published files have.

    Chance may explain the odd items of a file of few dialogues. Such a feature is not remarked, but
    who asks for fixes wants it fixed.
    """
    unusual: list[str] = []
    for feature in FIXES:
        declared = declared_features()[feature]
        odd = usual = 0.0
        for part, tally in profile.tallies.get(feature, {}).items():
            odd += tally.odd
            usual += declared.limit_of(part) * tally.items
        if odd > _UNUSUAL * usual or profile.exceeding(feature):
            unusual.append(feature)
    return unusual


def fixed_content(content: Content, profile: Profile | None = None) -> tuple[Content, Changes]:
    """Return a file with the odd items of all unusual features fixed, and what was changed.

    Args:
        content: The file; it is left as it is.
        profile: Its profile; measured, in part at first, if it is not given.
    """
    changes: dict[str, Counter[tuple[str, str]]] = {}
    done: set[str] = set()
    if profile is None:
        profile = profile_of(content, sampled=True)
    while True:
        # A fix may show another mistake: a placeholder in brackets may lack a blank.
        features = [feature for feature in unusual_features(profile) if feature not in done]
        if not features:
            return content, changes
        done.update(features)
        content, further = with_fixes(content, features)
        if further:
            # No feature is fixed twice.
            changes.update(further)
            profile = profile_of(content, sampled=True)


_SHOWN = 3
"""How many examples a line has."""


def change_lines(changes: Changes) -> Iterator[str]:
    """Yield what was changed, a line per feature: how many items, and the most frequent ones."""
    for feature, title in FIXES.items():
        if feature not in changes:
            continue
        examples: list[str] = []
        for (before, after), number in changes[feature].most_common(_SHOWN):
            result = f"as {after!r}" if after else "left out"
            examples.append(f"{before!r} {result} {number}×")
        yield f"{title}, {changes[feature].total()}×: {', '.join(examples)}"
