"""Why responses in plain English lose grounded Inform and Success, and one dialogue followed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mwz.normalization.delexicaliser import Span

from ..benchmark import Goal
from ..grounding.faithfulness import TOLD_SLOTS, turn_domains
from ..grounding.grounded import INFORM_CAUSES, NAMING_SLOTS, SUCCESS_CAUSES, TOTAL
from ..grounding.rating import GroundedFigures, PlainDialogue, RatedDialogue, grounded_figures
from ..io.rendering import Cell, figure, text_table
from .causes import DialogueOutcome, DomainDiagnosis
from .diagnosis_text import cause_table, goal_line, labelled, listed, rates_table, wrapped
from .losses import domain_losses, points

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase


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


ALL_CAUSES = (*INFORM_CAUSES, *SUCCESS_CAUSES)
_LARGEST = 3
_SHOWN_VENUES = 3


def grounded_text(
    diagnosis: GroundedDiagnosis,
    domain: str | None = None,
    cause: str | None = None,
    limit: int = 3,
) -> str:
    """Return what responses in plain English lose: by cause and domain, and first dialogues.

    Args:
        diagnosis: The diagnosis.
        domain: The only domain to show; None for all.
        cause: The only cause to show, of `ALL_CAUSES`; None for all.
        limit: How many dialogues to show of each of the largest causes.
    """
    parts = [
        _head(diagnosis),
        *_tables(diagnosis, domain, cause),
        "" if cause else _faithfulness(diagnosis),
        *_first_dialogues(diagnosis, domain, cause, limit),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(diagnosis: GroundedDiagnosis) -> str:
    own, human = diagnosis.figures, diagnosis.human
    told = "" if human is None else f"; the human responses: {_rates(human)}"
    return wrapped("", f"grounded: {_rates(own)}, over {own.dialogues} dialogues{told}")


def _rates(figures: GroundedFigures) -> str:
    return (
        f"Inform {figure(figures.inform[TOTAL])} (all {figure(figures.inform_all[TOTAL])}), "
        f"Success {figure(figures.success[TOTAL])}"
    )


def _tables(diagnosis: GroundedDiagnosis, domain: str | None, cause: str | None) -> Iterator[str]:
    outcomes = diagnosis.outcomes
    every = domain_losses(outcomes, INFORM_CAUSES, SUCCESS_CAUSES)
    losses = {name: of for name, of in every.items() if domain in (None, name)}
    costs = points(outcomes, ALL_CAUSES)
    yield cause_table(
        "domain not matched",
        {n: (of.matched, of.dialogues) for n, of in losses.items() if n in NAMING_SLOTS},
        "dialogues",
        [name for name in INFORM_CAUSES if cause in (None, name)],
        {name: cost.inform for name, cost in costs.items()} if domain is None else None,
    )
    yield cause_table(
        "slot not told",
        {n: (of.provided, of.requested) for n, of in losses.items() if of.requested},
        "requested",
        [name for name in SUCCESS_CAUSES if cause in (None, name)],
        {name: cost.success for name, cost in costs.items()} if domain is None else None,
    )
    if not cause and losses:
        yield rates_table(losses)


def _faithfulness(diagnosis: GroundedDiagnosis) -> str:
    whose = {"this system": diagnosis.figures, "human responses": diagnosis.human}
    rows: list[list[Cell]] = [
        [name, told.told, figure(told.in_database), figure(told.of_named_venue)]
        for name, figures in whose.items()
        if figures is not None
        for told in [figures.faithfulness]
    ]
    return text_table(["faithfulness", "told", "in database %", "of a named venue %"], rows)


def _first_dialogues(
    diagnosis: GroundedDiagnosis, domain: str | None, cause: str | None, limit: int
) -> Iterator[str]:
    """Yield the first dialogues of the causes that cost most."""
    outcomes = diagnosis.outcomes
    told: dict[str, list[str]] = {name: [] for name in ALL_CAUSES}
    for outcome in outcomes:
        for place, why in outcome.causes.items():
            if domain in (None, place.split()[0]):
                told[why].append(f"{outcome.id}, {place}")
    costs = points(outcomes, ALL_CAUSES)
    largest = sorted(filter(told.get, told), key=lambda name: -sum(costs[name]))[:_LARGEST]
    for name in [cause] if cause else largest:
        if told[name] and limit:
            head = f"{name}, first of {len(told[name])}"
            yield "\n".join([head, *listed(told[name][:limit])])


# One dialogue.


def grounded_dialogue_text(view: GroundedView) -> str:
    """Return one dialogue turn by turn, and at the end what came of its goal and why."""
    went = view.rated.grounded
    told = view.rated.faithfulness
    head = (
        f"dialogue {view.id}, {len(view.turns)} turns: grounded Inform {int(went.inform)}, "
        f"Success {int(went.success)}\n"
        f"told of venues: {told.told}; in the database: {told.in_database}; of a venue named by "
        f"then: {told.of_named_venue}"
    )
    goal = ["goal", *(goal_line(domain, wanted) for domain, wanted in view.goal.items())]
    outcome = ["outcome", *(line for domain in view.goal for line in _outcome(view, domain))]
    turns = [_turn_text(turn) for turn in view.turns]
    return "\n\n".join([head, "\n".join(goal), *turns, "\n".join(outcome)])


def _turn_text(turn: GroundedTurn) -> str:
    lines = [f"turn {turn.number}"]
    if turn.user is not None:
        lines.append(labelled("user", " ".join(turn.user.split())))
    lines.append(labelled("response", " ".join(turn.response.split()) or "(nothing)"))
    lines.append(labelled("about", ", ".join(turn.domains) or "not known yet"))
    lines += [_mention_line(mention) for mention in turn.mentions]
    return "\n".join(lines)


def _mention_line(mention: Mention) -> str:
    what = "names" if mention.slot in NAMING_SLOTS.values() else "tells"
    part = "" if mention.whole else ", in part"
    if mention.slot == "REFERENCE":
        whose = ""
    elif mention.fitting:
        whose = f": {_venues(mention.fitting)}, which the goal asks for"
    elif mention.venues:
        whose = f": {_venues(mention.venues)}, not what the goal asks for"
    else:
        whose = ": in no record of the database"
    return labelled(what, f"{mention.slot} {' '.join(mention.text.split())}{part}{whose}")


def _venues(venues: Sequence[tuple[str, str]]) -> str:
    shown = [f"{domain} {id_}" for domain, id_ in venues[:_SHOWN_VENUES]]
    more = len(venues) - len(shown)
    return " or ".join([*shown, *([f"{more} more"] if more else [])])


def _outcome(view: GroundedView, domain: str) -> Iterator[str]:
    went = view.rated.grounded.domains[domain]
    named = f"; named last: {domain} {', '.join(went.venues)}" if went.venues else ""
    if not went.matched:
        yield labelled(domain, f"not matched: {went.cause}{named}{_wanted(view.fitting, domain)}")
    else:
        only = "" if went.matched_all else " (any; besides, it names others)"
        yield labelled(domain, f"matched{only}{named}")
    for slot, told in went.provided.items():
        yield labelled("", f"{slot} told" if told else f"{slot} not told: {went.causes[slot]}")


def _wanted(fitting: Mapping[str, int], domain: str) -> str:
    count = fitting[domain]
    return f"; {count} venue{'' if count == 1 else 's'} of the database would fit"
