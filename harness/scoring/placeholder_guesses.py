"""Unknown placeholders: what they may mean, what they may cost, and a table to begin with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import tomli_w

from mwz.normalization.responses import placeholder_names
from mwz.normalization.rules import RuleSet
from mwz.normalization.rules.aliases import aliases

from ..submission import Submission
from ..submission.placeholder_aliases import SECTION
from ..submission.remarks import KIND, MANY_UNKNOWN, PLACEHOLDERS, Remark, unknown_names
from . import Scorer
from .report import Report

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


def unknown_cost(
    scorer: Scorer, submission: Submission, known: Report | None = None
) -> list[Remark]:
    """Return what is to be said of the points that unknown placeholders may cost, if anything.

    Strict Inform and Success are computed as they are and with every unknown name read as `guessed`
    reads it. The difference is an upper estimate: a guess may credit what was not meant.

    Args:
        scorer: How to score.
        submission: The submission, not normalised.
        known: Its report by this scorer, if it is there; nothing is said if it has no strict rates.

    Raises:
        InputError: The submission lacks what an option asks for.
    """
    if scorer.options.lexicalised or (known is not None and not known.unknown_placeholders):
        return []
    names = written_names(submission)
    unknown = unknown_names(names, scorer.rules)
    guesses = guessed(unknown, scorer.rules)
    if unknown.total() <= MANY_UNKNOWN * names.total() or not guesses:
        return []
    rates = scorer.with_options(metrics=["inform"], setup="strict")
    before = known or rates.score_normalized(rates.normalized(submission))
    if before.strict is None:
        return []
    # What the options add already stays.
    own = {} if scorer.options.aliases is None else scorer.options.aliases.names
    guessing = rates.with_options(placeholders=aliases({**own, **guesses}))
    after = guessing.score_normalized(guessing.normalized(submission))
    inform, success = (
        f"{getattr(after, rate) - getattr(before, rate):+.1f}" for rate in ("inform", "success")
    )
    often = [name for name, _ in unknown.most_common() if name in guesses]
    # One that counts, if there is one.
    first = next((n for n in often if guesses[n] in scorer.rules.about_venues), often[0])
    return [
        Remark(
            KIND,
            f"unknown placeholders may cost points: read by parts of their names, as [{first}] for "
            f"{guesses[first]}, they would change Inform by {inform} and Success by {success} (an "
            f"upper estimate); `mwz check FILE {WRITE} aliases.toml` writes a table to look "
            f"through, for `{PLACEHOLDERS} aliases.toml`",
        )
    ]


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
