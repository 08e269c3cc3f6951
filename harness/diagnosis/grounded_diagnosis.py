"""Why responses in plain English lose grounded Inform and Success, and one dialogue followed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mwz.normalization.delexicaliser import Span

from ..benchmark import Goal
from ..grounding.faithfulness import TOLD_SLOTS
from ..grounding.grounded import NAMING_SLOTS
from ..grounding.plain_responses import PlainDialogue
from ..grounding.rating import GroundedFigures, RatedDialogue, grounded_figures
from ..grounding.topics import turn_domains
from .causes import DialogueOutcome, DomainDiagnosis

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

_SHOWN_SLOTS = frozenset({*NAMING_SLOTS.values(), *TOLD_SLOTS, "REFERENCE"})


@dataclass(frozen=True)
class GroundedDiagnosis:
    """Why responses in plain English lose what they lose.

    Attributes:
        dialogues: Dialogue id -> the dialogue.
        rated: Dialogue id -> how it went.
        users: Dialogue id -> what the user said before each turn, None where nobody tells.
        human: What the human responses get; None where the benchmark does not hold them.
    """

    dialogues: Mapping[str, PlainDialogue]
    rated: Mapping[str, RatedDialogue]
    users: Mapping[str, Sequence[str | None]]
    human: GroundedFigures | None

    @property
    def figures(self) -> GroundedFigures:
        """Its grounded scores."""
        return grounded_figures(self.rated.values())

    @property
    def outcomes(self) -> list[DialogueOutcome]:
        """How each dialogue came out and why; causes are those of `grounding/grounded.py`."""
        return [
            DialogueOutcome(
                id_,
                {
                    name: DomainDiagnosis(
                        matched=domain.matched,
                        cause=domain.cause,
                        turn=None,
                        faults=(),
                        provided={slot: domain.causes.get(slot) for slot in domain.provided},
                    )
                    for name, domain in one.grounded.domains.items()
                },
            )
            for id_, one in self.rated.items()
        ]


@dataclass(frozen=True)
class Mention:
    """A value that a response names or tells.

    Attributes:
        slot: Its slot.
        text: As the response has it.
        whole: Whether all of it is told.
        venues: The venues it may belong to, domain -> id; empty if no venue has it.
        fitting: Those of them that a domain of the goal asks for.
    """

    slot: str
    text: str
    whole: bool
    venues: Sequence[tuple[str, str]]
    fitting: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class GroundedTurn:
    """One system turn.

    Attributes:
        number: From 0.
        user: What the user said; None if nobody tells.
        response: The response as it was written.
        domains: What it is about, as far as is known.
        mentions: What it names and tells.
    """

    number: int
    user: str | None
    response: str
    domains: Collection[str]
    mentions: Sequence[Mention]


@dataclass(frozen=True)
class GroundedView:
    """One dialogue in plain English.

    Attributes:
        id: Its id.
        goal: Domain -> goal.
        fitting: Goal domain -> how many venues its goal's query finds.
        rated: How it went.
        turns: Its turns.
    """

    id: str
    goal: Mapping[str, Goal]
    fitting: Mapping[str, int]
    rated: RatedDialogue
    turns: Sequence[GroundedTurn]


def view_grounded(
    diagnosis: GroundedDiagnosis, id_: str, database: VenueDatabase
) -> GroundedView | None:
    """Follow one dialogue in plain English; None if it is not among those played."""
    dialogue = diagnosis.dialogues.get(id_)
    if dialogue is None:
        return None
    fitting = {
        domain: frozenset(database.query(domain, goal.informable))
        for domain, goal in dialogue.goal.items()
    }
    domains = turn_domains(dialogue.texts, dialogue.delexicalised)
    users = diagnosis.users.get(id_, ())
    return GroundedView(
        id=id_,
        goal=dialogue.goal,
        fitting={domain: len(ids) for domain, ids in fitting.items()},
        rated=diagnosis.rated[id_],
        turns=[
            GroundedTurn(
                number=number,
                user=users[number] if number < len(users) else None,
                response=response.text,
                domains=sorted(domains[number]),
                mentions=[
                    _mention(span, response.text, fitting)
                    for span in response.delexicalised.spans
                    if span.slot in _SHOWN_SLOTS
                ],
            )
            for number, response in enumerate(dialogue.responses)
        ],
    )


def _mention(span: Span, text: str, fitting: Mapping[str, Collection[str]]) -> Mention:
    venues = [(venue.domain, venue.id) for venue in span.venues]
    return Mention(
        slot=span.slot,
        text=text[span.start : span.end],
        whole=span.whole,
        venues=venues,
        fitting=[(domain, id_) for domain, id_ in venues if id_ in fitting.get(domain, ())],
    )
