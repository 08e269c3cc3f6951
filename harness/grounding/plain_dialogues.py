"""Dialogues in plain English compared with their goals: `mwz why`, and free-running ones.

Free-running dialogues are those that a system had with a user simulator. Their turns do not line up
with a corpus' turns, so that BLEU, belief states and all else that needs these is left out. What
remains is told by the responses, the goals and the venue database: grounded scores, faithfulness,
diversity and length. A dialogue may be of any length, and with goals of its own it need not be one
of the benchmark's. What is booked when is not known: a reference number counts in any turn about
its domain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

from mwz.database import VenueDatabase
from mwz.normalization import sha256
from mwz.normalization.delexicaliser import Delexicalised

from ..benchmark import Goal
from ..diagnosis import joined, labelled, losses_text, wrapped
from ..errors import InputError, Remark, counted, unquoted
from ..io import figure
from ..metrics import MAIN_SETUP, TOTAL, DialogueResult, DomainResult, Played, measured_diversity
from ..scoring import Coverage, Report, Scorer, database_of, plain_signature
from ..signature import SHOWN_HASH, Signature
from ..submission import (
    USER,
    NormalizedSubmission,
    Standard,
    Submission,
    Turn,
    checked_conversations,
    delexicalise_submission,
    dialogue_id,
    normalize_submission,
)
from .delexicalised import refuse_delexicalised
from .facts import FACT_SLOTS, turn_domains
from .grounded import (
    INFORM_CAUSES,
    NAMING_SLOTS,
    SUCCESS_CAUSES,
    GroundedDialogue,
    GroundedDomain,
    delexicaliser,
    ground,
)
from .scores import (
    COUNTS,
    FREE,
    OUTCOMES,
    GroundedFigures,
    ceiling,
    faithfulness_table,
    grounded_dialogues,
    grounded_figures,
    grounded_scores,
    plain_responses,
    played_ceiling,
    rating,
)

CAUSES = (*INFORM_CAUSES, *SUCCESS_CAUSES)

_SHOWN_VENUES = 3
_SHOWN_SLOTS = frozenset({*NAMING_SLOTS.values(), *FACT_SLOTS, "REFERENCE"})
_FREE_RUNNING = "free-running"
"""The parameter of signatures that names the goals of free-running dialogues."""


@dataclass(frozen=True)
class PlainDialogues:
    """Dialogues in plain English, compared with their goals.

    Attributes:
        normalized: The responses, delexicalised and normalised.
        goals: Dialogue id -> the goal; of free-running ones, also of those that are not played.
        users: Dialogue id -> what the user said before each turn; None where it is not known.
        outcomes: Dialogue id -> its grounded result.
        human: What the human responses get; None where the benchmark does not hold them.
        database: Answers the goals' queries.
        remarks: What there is to say of free-running dialogues.
    """

    normalized: NormalizedSubmission
    goals: Mapping[str, Mapping[str, Goal]]
    users: Mapping[str, Sequence[str | None]]
    outcomes: Mapping[str, GroundedDialogue]
    human: GroundedFigures | None
    database: VenueDatabase
    remarks: Sequence[Remark] = ()

    def text(self, domain: str | None, cause: str | None) -> str:
        """Return what is lost: by cause and domain, and first dialogues.

        Args:
            domain: The only domain to show; None for all.
            cause: The only cause to show, of `CAUSES`; None for all.
        """
        figures = grounded_figures(map(rating, self.outcomes.values()))
        human = "" if self.human is None else f"; the human responses: {_rates(self.human)}"
        dialogues = counted(figures["dialogues"], "dialogue")
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
        turns = len(self.normalized.dialogues[id_])
        return DialogueResult(id_, turns, goals={MAIN_SETUP: results})

    def dialogue_text(self, id_: str) -> str:
        """Return one of the dialogues played turn by turn."""
        goal, responses = self.goals[id_], plain_responses(self.normalized)[id_]
        fitting = {
            domain: frozenset(self.database.query(domain, wanted.informable))
            for domain, wanted in goal.items()
        }
        turns = []
        domains = turn_domains(responses)
        users = chain(self.users[id_], repeat(None))
        for response, about, user in zip(responses, domains, users, strict=False):
            lines = [] if user is None else [labelled("user", " ".join(user.split()))]
            lines += [
                labelled("response", " ".join(response.original.split()) or "(nothing)"),
                labelled("about", ", ".join(sorted(about)) or "not known yet"),
            ]
            turns.append([*lines, *_mentions(response, fitting)])
        result = self.outcomes[id_]
        total, in_database, of_named_venue = (result.faithfulness[name] for name in COUNTS)
        head = (
            f"dialogue {id_}, {counted(len(turns), 'turn')}: grounded Inform {int(result.inform)}, "
            f"Success {int(result.success)}\n"
            f"told of venues: {total}; in the database: {in_database}; of a venue named by then: "
            f"{of_named_venue}"
        )
        outcome = [
            line
            for domain in goal
            for line in _outcome(domain, result.domains[domain], len(fitting[domain]))
        ]
        return joined(head, goal, turns, outcome)

    @property
    def results(self) -> list[DialogueResult]:
        """What each free-running dialogue comes to; there are no states and active domains."""
        return [
            DialogueResult(
                id_, len(texts), responses=texts, further={"grounded": self.outcomes[id_]}
            )
            for id_, texts in self.normalized.responses.items()
        ]

    def report(self, scorer: Scorer) -> Report:
        """Return the scores, given the scorer that held free-running dialogues against goals."""
        texts = [text for responses in self.normalized.responses.values() for text in responses]
        turns = self.normalized.turns
        return Report(
            signature=self._signature(scorer),
            coverage=Coverage(len(self.outcomes), len(self.goals), turns, turns),
            unknown_placeholders=self.normalized.unknown_placeholders,
            metrics={
                "grounded": grounded_scores(map(rating, self.outcomes.values()), self.human),
                "diversity": measured_diversity(texts),
            },
        )

    def _signature(self, scorer: Scorer) -> Signature:
        coverage = None
        if self.outcomes.keys() != self.goals.keys():
            turns = self.normalized.turns
            digest = sha256(repr(sorted(self.outcomes)))[:SHOWN_HASH]
            coverage = f"{turns}/{turns}-{digest}"
        goals, goals_name = scorer.options.resolved.goals, "benchmark"
        if goals is not None:
            goals_name = f"goals-{goals.digest[:SHOWN_HASH]}"
        signature = plain_signature(scorer)
        parameters = {**signature.parameters, _FREE_RUNNING: goals_name}
        return replace(signature, goals="all", coverage=coverage, parameters=parameters)


def diagnose(played: Played) -> PlainDialogues:
    """Compare every dialogue played in plain English with its goal, and the human responses."""
    outcomes = grounded_dialogues(played)
    gold = {id_: played.benchmark.dialogues[id_] for id_ in outcomes}
    return PlainDialogues(
        played.submission,
        {id_: one.goal for id_, one in gold.items()},
        {id_: one.users for id_, one in gold.items()},
        outcomes,
        played_ceiling(played),
        played.database,
    )


def play_free_running(standard: Standard, source: str, scorer: Scorer) -> PlainDialogues:
    """Hold free-running dialogues in plain English against their goals.

    The human responses beside them are those of the same dialogues; of goals of one's own, those of
    the whole benchmark.

    Args:
        standard: The dialogues.
        source: What messages call them.
        scorer: Gives venues, rules and goals: those that its options name, or the benchmark's.

    Raises:
        InputError: The dialogues are malformed, one has no goal, or there is nothing to score.
    """
    benchmark, where = scorer.benchmark, f"the benchmark {scorer.benchmark.name}"
    goals: Mapping[str, Mapping[str, Goal]] = {
        id_: dialogue.goal for id_, dialogue in benchmark.dialogues.items()
    }
    chosen = scorer.options.resolved.goals
    if chosen is not None:
        goals, where = chosen.goals, chosen.source
    played = _by_goal(checked_conversations(standard, source), goals, source, where)
    if not any(played.values()):
        raise InputError(source, "holds no turn; there is nothing to score")
    plain = delexicaliser(benchmark, scorer.rules)
    turns = {
        id_: tuple(Turn(turn["response"], None, None) for turn in turns)
        for id_, turns in played.items()
    }
    submission = delexicalise_submission(Submission(turns, source), plain)
    refuse_delexicalised(submission, scorer.rules, "--free-running")
    normalized = normalize_submission(submission, scorer.rules)
    database = database_of(scorer)
    compared = benchmark.dialogues if chosen is not None else played
    human = ((id_, benchmark.dialogues[id_].turns) for id_ in compared)
    return PlainDialogues(
        normalized,
        goals,
        users={id_: [turn.get(USER) for turn in turns] for id_, turns in played.items()},
        outcomes={
            id_: ground((turn["response"] for turn in turns), goals[id_], database, plain)
            for id_, turns in played.items()
        },
        human=ceiling(benchmark, scorer.rules, human, FREE),
        database=database,
        remarks=[*standard.remarks, *submission.remarks],
    )


def _by_goal(
    conversations: Mapping[str, Sequence[Mapping[str, Any]]],
    goals: Collection[str],
    source: str,
    where: str,
) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return dialogues by the ids of their goals.

    Raises:
        InputError: One has no goal, or is there twice.
    """
    by_goal: dict[str, Sequence[Mapping[str, Any]]] = {}
    by_id = {dialogue_id(id_): id_ for id_ in goals}
    for written, turns in conversations.items():
        id_ = by_id.get(dialogue_id(written))
        if id_ is None:
            remedy = "leave it out, or name a file that has one by --goals FILE"
            raise InputError(source, f"dialogue {unquoted(written)}: no goal in {where}; {remedy}")
        if by_goal.setdefault(id_, turns) is not turns:
            raise InputError(source, f"dialogue {written}: is there twice; keep one")
    return by_goal


def _rates(figures: GroundedFigures) -> str:
    totals = {name: figure(figures[name].get(TOTAL)) for name in OUTCOMES}
    requested = " (all requested {success_requested})" if figures["success_requested"] else ""
    return ("Inform {inform} (all {inform_all}), Success {success}" + requested).format(**totals)


def _mentions(response: Delexicalised, fitting: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield what a response names and tells, and whether the goal asks for it."""
    for span in response.spans:
        if span.slot not in _SHOWN_SLOTS:
            continue
        asked_for = [venue for venue in span.venues if venue.id in fitting.get(venue.domain, ())]
        if span.slot == "REFERENCE":
            venues = ""
        elif asked_for:
            venues = f": {_venues(asked_for)}, which the goal asks for"
        elif span.venues:
            venues = f": {_venues(span.venues)}, not what the goal asks for"
        else:
            venues = ": in no record of the database"
        verb = "names" if span.slot in NAMING_SLOTS.values() else "tells"
        words = " ".join(response.original[span.start : span.end].split())
        part = "" if span.whole else ", in part"
        yield labelled(verb, f"{span.slot} {words}{part}{venues}")


def _venues(venues: Sequence[tuple[str, str]]) -> str:
    listed = [f"{domain} {id_}" for domain, id_ in venues[:_SHOWN_VENUES]]
    more = len(venues) - len(listed)
    return " or ".join([*listed, *([f"{more} more"] if more else [])])


def _outcome(domain: str, outcome: GroundedDomain, fitting: int) -> Iterator[str]:
    named = f"; named last: {domain} {', '.join(outcome.venues)}" if outcome.venues else ""
    if outcome.matched:
        only = "" if outcome.matched_all else " (any; besides, it names others)"
        yield labelled(domain, f"matched{only}{named}")
    else:
        would_fit = f"{counted(fitting, 'venue')} of the database would fit"
        yield labelled(domain, f"not matched: {outcome.cause}{named}; {would_fit}")
    for slot, given in {**outcome.provided, **(outcome.further or {})}.items():
        yield labelled("", f"{slot} told" if given else f"{slot} not told: {outcome.causes[slot]}")
