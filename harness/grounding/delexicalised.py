"""Refusing delexicalised responses where plain English is scored.

A placeholder names no venue and tells no number, so that grounded scores of delexicalised responses
are low and mean nothing. What names and tells is counted: of the published dialogues in plain
English at most 40 % of it are placeholders (agents of GPT-3.5 that forget to fill them in; of other
models at most 5 %), of published delexicalised responses at least 82 %.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import lru_cache

from mwz.normalization import RuleSet

from ..errors import InputError, unquoted
from ..submission import Submission, highest_likely

MOST_PLACEHOLDERS = 0.5
"""The share of names and numbers that may be placeholders, give or take two standard deviations."""

# In brackets of any kind, or a name with an underscore that stands bare.
_WRITTEN = re.compile(r"[\[<{] ?([a-z][\w ]{1,40}?) ?[\]>}]|\b([a-z]+_[a-z_]+)\b", re.IGNORECASE)


def refuse_delexicalised(submission: Submission, rules: RuleSet, option: str) -> None:
    """Make sure that responses are plain English.

    Args:
        submission: A submission whose responses the harness has delexicalised.
        rules: The rule set, whose placeholders they may have instead of names and numbers.
        option: The option that scores plain English.

    Raises:
        InputError: Most of what would name and tell are placeholders.
    """
    written: Counter[str] = Counter()
    first = ""
    values = 0
    for id_, turns in submission.dialogues.items():
        for number, turn in enumerate(turns):
            if turn.plain is None:
                continue
            values += sum(span.slot in rules.about_venues for span in turn.plain.spans)
            placeholders = list(placeholders_about_venues(turn.plain.original, rules))
            if placeholders and not first:
                first = f"dialogue {unquoted(id_)}, turn {number}"
            written.update(placeholders)
    count, every = written.total(), written.total() + values
    if count > highest_likely([(every, MOST_PLACEHOLDERS)]):
        examples = ", ".join(f"{name} {times}×" for name, times in written.most_common(3))
        raise InputError(
            submission.source,
            f"{first}: delexicalised, like most responses: {count} of {every} names and numbers "
            f"are placeholders ({examples}); {option} scores plain English, so leave it out, or "
            "give the responses as the user reads them",
        )


def placeholders_about_venues(response: str, rules: RuleSet) -> Iterator[str]:
    """Yield the placeholders of a response that name a venue or tell a number of it.

    They are written in any brackets, as names with an underscore, or as the ontology's own names in
    capitals, as evaluators write them.
    """
    for match in _WRITTEN.finditer(response):
        name = (match[1] or match[2]).lower()
        slot = rules.ontology.get(name) or rules.ontology.get(name.replace(" ", "_"))
        if slot in rules.about_venues:
            yield match[0]
    pattern = _in_capitals(rules.about_venues)
    others = pattern.sub("", response)
    # In a text all in capitals nobody knows which words are placeholders.
    if others != others.upper() or others == others.lower():
        for match in pattern.finditer(response):
            yield match[1]


@lru_cache(maxsize=8)
def _in_capitals(names: Collection[str]) -> re.Pattern[str]:
    """Return what finds names of the ontology; a name that is written twice is one."""
    every = "|".join(sorted(names))
    return re.compile(rf"(?<![A-Za-z_\[<{{])({every})+(?![A-Z_\]>}}])")
