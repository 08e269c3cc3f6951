"""Unknown placeholders: what they may mean, what they may cost, and a table to begin with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import tomli_w

from mwz.normalization.responses import placeholder_names
from mwz.normalization.rules import Aliases, RuleSet, aliases

from ..submission import Submission
from ..submission.placeholder_aliases import SECTION
from ..submission.remarks import MANY_UNKNOWN, PLACEHOLDERS, unknown_names
from . import Scorer

WRITE = "--write-placeholders"
"""The option of `mwz check` that writes a table to begin with."""


def written_names(submission: Submission) -> Counter[str]:
    """Return the names of all placeholders of a submission, in lower case, counted."""
    return Counter(
        name
        for turns in submission.dialogues.values()
        for turn in turns
        for name in placeholder_names(turn.response)
    )


def guessed_aliases(submission: Submission, scorer: Scorer) -> Aliases | None:
    """Return aliases by which a submission's unknown placeholders are read as they are guessed.

    Those of the scorer's options are among them. None if few are unknown, or nothing is guessed.

    Args:
        submission: The submission, not normalised.
        scorer: How it is scored.
    """
    if scorer.options.lexicalised:
        return None
    names = written_names(submission)
    unknown = unknown_names(names, scorer.rules)
    guesses = guessed(unknown, scorer.rules)
    if unknown.total() <= MANY_UNKNOWN * names.total() or not guesses:
        return None
    own = {} if scorer.options.aliases is None else scorer.options.aliases.names
    return aliases({**own, **guesses})


def guesses_message(submission: Submission, rules: RuleSet, inform: float, success: float) -> str:
    """Return what to say of a submission's unknown placeholders.

    Args:
        submission: The submission, not normalised.
        rules: The rule set, with what the options add to it.
        inform: By how many points Inform changes if they are read as they are guessed.
        success: By how many Success does.
    """
    unknown = unknown_names(written_names(submission), rules)
    guesses = guessed(unknown, rules)
    often = [name for name, _ in unknown.most_common() if name in guesses]
    # One that counts, if there is one.
    first = next((name for name in often if guesses[name] in rules.about_venues), often[0])
    return (
        f"unknown placeholders may cost points: read by parts of their names, as [{first}] for "
        f"{guesses[first]}, they would change Inform by {inform:+.1f} and Success by "
        f"{success:+.1f} (an upper estimate); `mwz check FILE {WRITE} aliases.toml` writes a table "
        f"to look through, for `{PLACEHOLDERS} aliases.toml`"
    )


def guessed(names: Iterable[str], rules: RuleSet) -> dict[str, str]:
    """Return what placeholders that a rule set does not know may mean, of those that tell.

    A name is read by its last parts, else by its first ones: `train_ref` as `ref`, `hotel_bookarea`
    as `area`, `phone_number` as `phone`. What speaks of a venue is the domain's: `train_name` is
    TRAINID.

    Args:
        names: Names of placeholders, in lower case.
        rules: The rule set.
    """
    found = {name: _guess(name, rules) for name in names if name not in rules.ontology}
    return {name: slot for name, slot in found.items() if slot is not None}


def _guess(name: str, rules: RuleSet) -> str | None:
    breaks = [*re.finditer(r"[_\s]+", name)]
    ends = [name[one.end() :] for one in breaks]
    starts = [name[: one.start()] for one in reversed(breaks)]
    booked = (ends or [name])[-1].removeprefix("book")
    first = (starts or [name])[-1]
    for part in (*ends, booked, *starts):
        if part in rules.ontology and part not in rules.domains:
            slot, venues = rules.ontology[part], rules.venue_rules
            speaks = slot in {venue.mention for venue in venues.values()}
            return venues[first].mention if speaks and first in venues else slot
    return None


def starting_table(unknown: Counter[str], rules: RuleSet) -> str:
    """Return a file of aliases to begin with: a line for each unknown name, the frequent first.

    Names that tell nothing are there as comments.

    Args:
        unknown: Unknown placeholder -> how often it occurs.
        rules: The rule set.
    """
    guesses = guessed(unknown, rules)
    lines = []
    for name, count in unknown.most_common():
        line = tomli_w.dumps({name: guesses.get(name, "")}).strip()
        lines.append(f"{'' if name in guesses else '# '}{line}  # {count}×")
    return "\n".join(
        [
            f"# Placeholders that rule set {rules.name} does not know, and what each is to become:",
            f"# one of {', '.join(sorted(set(rules.ontology.values())))}.",
            "# These are guesses by parts of their names: look through them before you use them.",
            f"[{SECTION}]",
            *lines,
            "",
        ]
    )
