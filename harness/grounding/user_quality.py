"""How good users are: what they omit, change, invent and copy, by the rules of `faults.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mwz.normalization.delexicaliser import Delexicaliser

from ..benchmark import Goal
from ..metrics import percent
from .faults import UserPart
from .grounded import GroundedDialogue
from .said import Said, read_user

_FEWEST_COPIED = 6
"""Words of a sentence that is copied: shorter ones are alike by chance."""

RATES = {
    "never_said": "constraints",
    "said_otherwise": "constraints",
    "invented": "constraints",
    "never_asked": "requests",
    "unfit_accepted": "offers",
    "copied": "turns",
    "should": "turns",
}
"""What users do -> of how many things it is a share."""


@dataclass(frozen=True)
class UserDialogue:
    """A dialogue, as far as it tells how good its user is.

    Attributes:
        users: What the user says, turn by turn.
        responses: The response to each.
        goal: Domain -> what the user wants.
        outcome: How the responses meet it.
        parts: Domain -> what the user did.
        instructions: The goal in words, as the user got it; empty where they are not known.
    """

    users: Sequence[str]
    responses: Sequence[str]
    goal: Mapping[str, Goal]
    outcome: GroundedDialogue
    parts: Mapping[str, UserPart]
    instructions: str


def user_figures(
    dialogues: Iterable[UserDialogue], delexicalise: Delexicaliser
) -> dict[str, int | float | None]:
    """Return how many dialogues there are, and `RATES` in percent; None of what is not known."""
    counts: Counter[str] = Counter()
    for dialogue in dialogues:
        counts["dialogues"] += 1
        counts["turns"] += len(dialogue.users)
        counts["instructed"] += bool(dialogue.instructions)
        said = read_user(dialogue.users, dialogue.responses, dialogue.goal, delexicalise)
        earlier = " ".join(dialogue.responses).lower()
        for domain, wanted in dialogue.goal.items():
            part = dialogue.parts[domain]
            counts["constraints"] += len(wanted.informable) + len(wanted.booking)
            counts["requests"] += len(wanted.requestable | (wanted.further or frozenset()))
            counts["never_said"] += len(part.never_said)
            counts["said_otherwise"] += len(part.said_otherwise)
            counts["never_asked"] += len(part.never_asked)
            counts["invented"] += len(_invented(wanted, said[domain], earlier))
            if dialogue.outcome.domains[domain].venues:
                counts["offers"] += 1
                counts["unfit_accepted"] += not part.inform
        for text in dialogue.users:
            counts["copied"] += _is_copied(text, dialogue.instructions)
            counts["should"] += re.search(r"\bshould\b", text, re.IGNORECASE) is not None
    figures: dict[str, int | float | None] = {"dialogues": counts["dialogues"]}
    for name, whole in RATES.items():
        figures[name] = percent(counts[name], counts[whole]) if counts[whole] else None
    if counts["instructed"] < counts["dialogues"]:
        figures["copied"] = None
    return figures


def _invented(wanted: Goal, said: Said, responses: str) -> list[str]:
    """Return the slots that a user says and its goal has not, of values that no response has.

    A venue's name, and what a response says, are chosen and not invented.
    """
    known = {"name", *wanted.informable, *wanted.booking, *wanted.first}
    invented = []
    for slot, values in said.values.items():
        own = [value for _, value in values if value is not None and value not in responses]
        if slot not in known and own:
            invented.append(slot)
    return invented


def _is_copied(text: str, instructions: str) -> bool:
    """Return whether a sentence of a text is in the instructions, word by word."""
    copied_from = " ".join(re.findall(r"\w+", instructions.lower()))
    for sentence in re.split(r"[.?!\n]", text.lower()):
        words = re.findall(r"\w+", sentence)
        if len(words) >= _FEWEST_COPIED and " ".join(words) in copied_from:
            return True
    return False
