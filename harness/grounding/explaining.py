"""Why responses in plain English lose grounded Inform and Success: what `mwz why` shows of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from mwz.database.venues import VenueDatabase
from mwz.normalization.responses import Delexicalised

from ..diagnosis.causes import joined, labelled, wrapped
from ..diagnosis.losses import losses_text
from ..errors import counted
from ..io.tables import figure
from ..metrics.inform import TOTAL
from ..metrics.metric import Played
from ..metrics.results import DialogueResult, DomainResult
from ..metrics.setups import MAIN_SETUP
from ..scoring import Scorer
from .facts import COUNTS, FACT_SLOTS, turn_domains
from .free_running import FreeRunning
from .grounded import (
    INFORM_CAUSES,
    NAMING_SLOTS,
    SUCCESS_CAUSES,
    GroundedDialogue,
    GroundedDomain,
    PlainDialogue,
)
from .scores import (
    GroundedFigures,
    faithfulness_table,
    grounded_dialogues,
    grounded_figures,
    plain_dialogues,
    played_ceiling,
    rating,
)

CAUSES = (*INFORM_CAUSES, *SUCCESS_CAUSES)

_SHOWN_VENUES = 3
_SHOWN_SLOTS = frozenset({*NAMING_SLOTS.values(), *FACT_SLOTS, "REFERENCE"})


@dataclass(frozen=True)
class GroundedDiagnosis:
    """Why responses in plain English lose grounded Inform and Success.

    Attributes:
        dialogues: Dialogue id -> the dialogue.
        outcomes: Dialogue id -> how it went.
        human: What the human responses get; None where the benchmark does not hold them.
    """

    dialogues: Mapping[str, PlainDialogue]
    outcomes: Mapping[str, GroundedDialogue]
    human: GroundedFigures | None

    def text(self, domain: str | None, cause: str | None) -> str:
        """Return what is lost: by cause and domain, and first dialogues.

        Args:
            domain: The only domain to show; None for all.
            cause: The only cause to show, of `CAUSES`; None for all.
        """
        figures = grounded_figures(map(rating, self.outcomes.values()))
        human = "" if self.human is None else f"; the human responses: {_rates(self.human)}"
        dialogues = counted(figures.dialogues, "dialogue")
        return losses_text(
            wrapped("", f"grounded: {_rates(figures)}, over {dialogues}{human}"),
            [self._result(id_) for id_ in self.outcomes],
            INFORM_CAUSES,
            SUCCESS_CAUSES,
            [] if cause else [faithfulness_table(figures, self.human)],
            domain,
            cause,
        )

    def _result(self, id_: str) -> DialogueResult:
        """Return how a dialogue came out and why, as of the main set-up."""
        results = {}
        for name, domain in self.outcomes[id_].domains.items():
            causes = {s: cause for s, cause in domain.causes.items() if s in domain.provided}
            results[name] = DomainResult(
                float(domain.matched), domain.provided, domain.cause, slot_causes=causes
            )
        turns = len(self.dialogues[id_].responses)
        return DialogueResult(id_, turns, goals={MAIN_SETUP: results})

    def dialogue_text(self, id_: str, database: VenueDatabase) -> str | None:
        """Return one dialogue turn by turn, or None if it is not played."""
        dialogue = self.dialogues.get(id_)
        if dialogue is None:
            return None
        fitting = {
            domain: frozenset(database.query(domain, goal.informable))
            for domain, goal in dialogue.goal.items()
        }
        turns = []
        domains = turn_domains(dialogue.responses)
        for response, about, user in zip_longest(dialogue.responses, domains, dialogue.users):
            if response is None:
                break
            lines = [] if user is None else [labelled("user", " ".join(user.split()))]
            lines += [
                labelled("response", " ".join(response.original.split()) or "(nothing)"),
                labelled("about", ", ".join(sorted(about)) or "not known yet"),
            ]
            turns.append([*lines, *_mentions(response, fitting)])
        went = self.outcomes[id_]
        told, in_database, of_named_venue = (went.faithfulness[name] for name in COUNTS)
        head = (
            f"dialogue {id_}, {counted(len(turns), 'turn')}: grounded Inform {int(went.inform)}, "
            f"Success {int(went.success)}\n"
            f"told of venues: {told}; in the database: {in_database}; of a venue named by then: "
            f"{of_named_venue}"
        )
        outcome = [
            line
            for domain in dialogue.goal
            for line in _outcome(domain, went.domains[domain], len(fitting[domain]))
        ]
        return joined(head, dialogue.goal, turns, outcome)


def diagnose(played: Played) -> GroundedDiagnosis:
    """Compare every dialogue played in plain English with its goal, and the human responses."""
    dialogues = plain_dialogues(played)
    outcomes = dict(zip(dialogues, grounded_dialogues(played), strict=True))
    return GroundedDiagnosis(dialogues, outcomes, played_ceiling(played))


def diagnose_free_running(run: FreeRunning, scorer: Scorer) -> GroundedDiagnosis:
    """Return why free-running dialogues lose what they lose."""
    return GroundedDiagnosis(run.dialogues, run.outcomes, run.ceiling(scorer))


def _rates(figures: GroundedFigures) -> str:
    requested = figures.success_requested
    return (
        f"Inform {figure(figures.inform[TOTAL])} (all {figure(figures.inform_all[TOTAL])}), "
        f"Success {figure(figures.success[TOTAL])}"
        + (f" (all requested {figure(requested[TOTAL])})" if requested else "")
    )


def _mentions(response: Delexicalised, fitting: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield what a response names and tells, and whether the goal asks for it."""
    for span in response.spans:
        if span.slot not in _SHOWN_SLOTS:
            continue
        asked_for = [venue for venue in span.venues if venue.id in fitting.get(venue.domain, ())]
        if span.slot == "REFERENCE":
            whose = ""
        elif asked_for:
            whose = f": {_venues(asked_for)}, which the goal asks for"
        elif span.venues:
            whose = f": {_venues(span.venues)}, not what the goal asks for"
        else:
            whose = ": in no record of the database"
        what = "names" if span.slot in NAMING_SLOTS.values() else "tells"
        words = " ".join(response.original[span.start : span.end].split())
        part = "" if span.whole else ", in part"
        yield labelled(what, f"{span.slot} {words}{part}{whose}")


def _venues(venues: Sequence[tuple[str, str]]) -> str:
    shown = [f"{domain} {id_}" for domain, id_ in venues[:_SHOWN_VENUES]]
    more = len(venues) - len(shown)
    return " or ".join([*shown, *([f"{more} more"] if more else [])])


def _outcome(domain: str, went: GroundedDomain, fitting: int) -> Iterator[str]:
    named = f"; named last: {domain} {', '.join(went.venues)}" if went.venues else ""
    if went.matched:
        only = "" if went.matched_all else " (any; besides, it names others)"
        yield labelled(domain, f"matched{only}{named}")
    else:
        would_fit = f"{counted(fitting, 'venue')} of the database would fit"
        yield labelled(domain, f"not matched: {went.cause}{named}; {would_fit}")
    for slot, told in {**went.provided, **(went.further or {})}.items():
        yield labelled("", f"{slot} told" if told else f"{slot} not told: {went.causes[slot]}")
