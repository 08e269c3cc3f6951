"""Whose fault a lost goal domain is: the user's, who did not say or ask, or the agent's.

Dialogues are scored twice: by the goal, and by what the user said (`as_said`): the constraints of
the goal with the values said, the slots asked for, and those of the goal that were told unasked.
What a user never speaks of asks nothing of the agent, nor does what no venue can meet.

The agent has a share in a goal domain that is lost if it does not meet the part of the goal that
was said and asked; the user, if it does not say a constraint that the offer fails, or does not ask
for a slot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from mwz.database import VenueDatabase
from mwz.normalization import RuleSet, normalize_slot_name
from mwz.normalization.delexicaliser import Delexicaliser

from ..benchmark import REFERENCE, REQUESTABLE_SLOTS, Goal
from .facts import WRITTEN, requests, sentences
from .grounded import (
    NAMING_SLOTS,
    NEVER_TOLD,
    GroundedDialogue,
    GroundedDomain,
    fitting_venues,
    ground,
)
from .said import Said, read_user

_EXPECTED = {"taxi": frozenset({"PHONE", "cartype"})}
"""Domain -> what an agent has to tell without being asked."""

Fault = Literal["agent", "user", "both", "none"]
AT_FAULT: Mapping[str, str] = {
    "agent": "lost by the agent",
    "user": "lost by the user",
    "both": "lost by both",
}
"""The faults of what is lost -> what `mwz why` calls that."""


@dataclass(frozen=True)
class UserPart:
    """What a user did of a goal domain, and whose fault it is if that is lost.

    Attributes:
        never_said: Slots of constraints and of the booking that the user never said.
        said_otherwise: Slot -> the other value that it said last.
        never_asked: Requested slots that it never asked for, even if it was told them.
        invented: Slots that it says and its goal has not, with values that no response has.
        inform: Whether what is offered fits all that it said.
        success: Whether, besides, all that it asked for is answered.
        fault: Who has a share in it if the domain is lost; "none" if it is not.
    """

    never_said: Sequence[str]
    said_otherwise: Mapping[str, str]
    never_asked: Sequence[str]
    invented: Sequence[str]
    inform: bool
    success: bool
    fault: Fault

    @property
    def words(self) -> str:
        """What the user left out or changed, in words; an empty text if it did neither."""
        otherwise = [f"{slot} as {value}" for slot, value in self.said_otherwise.items()]
        left_out = {
            "never said": self.never_said,
            "said otherwise": otherwise,
            "never asked for": self.never_asked,
        }
        parts = [f"{what}: {', '.join(slots)}" for what, slots in left_out.items() if slots]
        return "; ".join(parts)


def part_record(part: UserPart) -> dict[str, Any]:
    """Return what a user did of a goal domain as lines per dialogue have it."""
    user = asdict(part)
    fault, said = user.pop("fault"), {name: user.pop(name) for name in ("inform", "success")}
    return {"fault": fault, "said": said, "user": user}


def user_parts(
    users: Sequence[str],
    responses: Sequence[str],
    goal: Mapping[str, Goal],
    outcome: GroundedDialogue,
    database: VenueDatabase,
    delexicalise: Delexicaliser,
    rules: RuleSet,
) -> dict[str, UserPart]:
    """Return what the user did of every domain of a dialogue's goal, and whose fault a loss is.

    Args:
        users: What the user says, turn by turn.
        responses: The response to each, in plain English.
        goal: Domain -> what the user wants.
        outcome: How the responses meet it, by `ground`.
        database: Answers queries.
        delexicalise: Finds what is said of venues.
        rules: The rule set, which has the names of placeholders.
    """
    said = read_user(users, responses, goal, delexicalise)
    slots_told = _told(users, responses, delexicalise, rules)
    # Neither asked for nor told, however wrongly.
    silent: dict[str, frozenset[str]] = {}
    goal_said = {}
    for domain, wanted in goal.items():
        known = slots_told[domain] | _provided(wanted, outcome.domains[domain])
        known |= said[domain].asked.keys()
        if any(said[domain].values.get(slot) for slot in wanted.booking):
            known |= {REFERENCE}
        silent[domain] = wanted.requests - known - _EXPECTED.get(domain, frozenset())
        goal_said[domain] = as_said(wanted, said[domain], silent[domain])
    heard = " ".join(responses).lower()
    outcome_said = ground(responses, goal_said, database, delexicalise, users=users)
    parts = {}
    for domain, wanted in goal.items():
        result = outcome_said.domains[domain]
        is_spoken_of = bool(said[domain].statements)
        can_be_met = domain not in NAMING_SLOTS or fitting_venues(
            domain, goal_said[domain], database, delexicalise
        )
        inform = result.matched or not (is_spoken_of and can_be_met)
        answers = result.tells and result.tells_further
        never_said, otherwise = compared(wanted, said[domain])
        part = UserPart(
            never_said=never_said,
            said_otherwise=otherwise,
            never_asked=sorted(wanted.requests.difference(said[domain].asked)),
            invented=_invented(wanted, said[domain], heard),
            inform=inform,
            success=inform and (answers or not is_spoken_of),
            fault="none",
        )
        grounded = outcome.domains[domain]
        if not (grounded.matched and grounded.tells):
            fails = is_spoken_of and not wanted.requestable.isdisjoint(result.causes)
            omits = not wanted.requestable.isdisjoint(silent[domain])
            omits |= not grounded.matched and _misleads(domain, wanted, grounded, part, database)
            # What would have changed the result is the user's share.
            fault: Fault = "both" if omits else "agent"
            if inform and not fails:
                fault = "user"
            part = replace(part, fault=fault)
        parts[domain] = part
    return parts


def compared(wanted: Goal, said: Said) -> tuple[list[str], dict[str, str]]:
    """Return the slots that a user never says, and those that it says otherwise, with the value.

    What it asks for first counts as said: the goal changes only if that is not to be had.
    """
    never_said = []
    otherwise = {}
    for slot, value in {**wanted.informable, **wanted.booking}.items():
        said_value = _said_value(wanted, said, slot, value)
        if said_value is None:
            never_said.append(slot)
        elif said_value not in (value, wanted.first.get(slot)):
            otherwise[slot] = said_value
    return never_said, otherwise


def _invented(wanted: Goal, said: Said, heard: str) -> list[str]:
    """Return the slots that a user says and its goal has not, of values that no response has.

    A venue's name, and what a response says, are chosen and not invented.
    """
    known = {"name", *wanted.informable, *wanted.booking, *wanted.first}
    invented = []
    for slot, values in said.values.items():
        own = [value for _, value in values if value is not None and value not in heard]
        if slot not in known and own:
            invented.append(slot)
    return invented


def as_said(wanted: Goal, said: Said, silent: frozenset[str]) -> Goal:
    """Return what a user says and asks for of a goal.

    Args:
        wanted: What the user wants of a domain.
        said: What it says of it.
        silent: The requested slots that are left out: neither asked for nor told.
    """
    values = {}
    first = dict(wanted.first)
    for slot, value in {**wanted.informable, **wanted.booking}.items():
        said_value = _said_value(wanted, said, slot, value)
        if said_value is not None:
            values[slot] = said_value
            last = said.values[slot][-1][1]
            if last not in (None, said_value):
                # What it says last of a booking is right, too.
                first[slot] = last
    asked = frozenset(REQUESTABLE_SLOTS).intersection(said.asked)
    further = None if wanted.further is None else wanted.further - silent
    return replace(
        wanted,
        informable={slot: values[slot] for slot in wanted.informable if slot in values},
        booking={slot: values[slot] for slot in wanted.booking if slot in values},
        first=first,
        requestable=(wanted.requestable | asked) - silent,
        further=further,
    )


def _said_value(wanted: Goal, said: Said, slot: str, value: str) -> str | None:
    """Return the value of a slot that a user says, the goal's if it says that; None if none."""
    for choice in (value, wanted.first.get(slot)):
        if choice is not None and said.says(slot, choice):
            return choice
    others = said.values.get(slot)
    return others[-1][1] if others else None


def _misleads(
    domain: str, wanted: Goal, lost: GroundedDomain, part: UserPart, database: VenueDatabase
) -> bool:
    """Return whether the user leaves out, or changes, a constraint that the offer fails.

    Where nothing is offered, any constraint may have been the one that was needed.
    """
    for slot in wanted.informable.keys() & {*part.never_said, *part.said_otherwise}:
        meeting = database.query(domain, {slot: wanted.informable[slot]})
        if not lost.venues or meeting.isdisjoint(lost.venues):
            return True
    return False


# ----------------------------------------------------------------------------------- what is told


def _provided(wanted: Goal, outcome: GroundedDomain) -> frozenset[str]:
    """Return the slots that are told of a venue, as far as the grounded result knows."""
    provided = wanted.requestable.difference(outcome.causes)
    for slot in wanted.further or ():
        # Of slots with patterns it does not say whether the database lacks the value.
        if not requests()[slot].patterns and outcome.causes.get(slot) != NEVER_TOLD:
            provided |= {slot}
    return provided


def _told(
    users: Sequence[str], responses: Sequence[str], delexicalise: Delexicaliser, rules: RuleSet
) -> dict[str, set[str]]:
    """Return the slots that responses tell, rightly or not or by a placeholder, by domain.

    A sentence is about what the ones before are about, the user's among them.
    """
    slots_told: dict[str, set[str]] = defaultdict(set)
    about: frozenset[str] = frozenset()
    for texts in zip(users, responses, strict=True):
        for text in texts:
            parts = sentences(delexicalise(text), about)
            about = parts[-1].domains if parts else about
        for part in parts:
            slots = {span.slot for span in part.spans}
            for match in WRITTEN.finditer(part.text):
                name = (match[1] or match[2]).lower()
                slots |= {rules.ontology.get(name, name), normalize_slot_name(name, rules)}
            for slot, request in requests().items():
                if any(pattern.search(part.text) for pattern in request.patterns):
                    slots.add(slot)
            for domain in part.domains:
                slots_told[domain] |= slots
    if "type" in slots_told["taxi"]:
        # The placeholder of its car.
        slots_told["taxi"].add("cartype")
    return slots_told
