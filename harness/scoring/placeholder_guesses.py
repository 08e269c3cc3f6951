"""Unknown placeholders: what they may mean, what they may cost, and a table to begin with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import tomli_w

from mwz.normalization.responses import placeholder_names
from mwz.normalization.rules import RuleSet

from ..submission import Submission
from ..submission.placeholder_aliases import SECTION
from ..submission.remarks import MANY_UNKNOWN, PLACEHOLDERS, unknown_names

WRITE = "--write-placeholders"
"""The option of `mwz check` that writes a table to begin with."""


def written_names(submission: Submission) -> Counter[str]:
    """Return the names of all placeholders of a submission, in lower case, counted."""
    responses = (turn.response for turns in submission.dialogues.values() for turn in turns)
    # No placeholder goes beyond a bar.
    return Counter(placeholder_names("|".join(responses)))


def costly_guesses(submission: Submission, rules: RuleSet) -> dict[str, str]:
    """Return what unknown placeholders may mean, the frequent first; nothing if few are unknown.

    Args:
        submission: The submission, not normalised.
        rules: The rule set, with what the options add to it.
    """
    names = written_names(submission)
    unknown = unknown_names(names, rules)
    if unknown.total() <= MANY_UNKNOWN * names.total():
        return {}
    return guessed([name for name, _ in unknown.most_common()], rules)


def guesses_message(
    guesses: Mapping[str, str], rules: RuleSet, inform: float, success: float
) -> str:
    """Return what to say of a submission's unknown placeholders.

    Args:
        guesses: What they may mean, at least one.
        rules: The rule set.
        inform: By how many points Inform changes if they are read as they are guessed.
        success: By how many Success does.
    """
    # One that counts, if there is one.
    counting = (name for name, slot in guesses.items() if slot in rules.about_venues)
    first = next(counting, next(iter(guesses)))
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
