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
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any

from mwz.database import VenueDatabase
from mwz.normalization import sha256
from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser

from ..benchmark import Goal
from ..comparison import Evidence
from ..data import instructed_goals
from ..diagnosis import joined, labelled, losses_text, wrapped
from ..errors import InputError, Remark, counted, refuse, unquoted
from ..io import figure
from ..metrics import (
    MAIN_SETUP,
    TOTAL,
    DialogueResult,
    DomainResult,
    Played,
    measured_diversity,
    percent,
)
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
from .facts import FACT_SLOTS, refuse_delexicalised, turn_domains
from .faults import AT_FAULT, UserPart, part_record, user_parts
from .grounded import (
    INFORM_CAUSES,
    NAMING_SLOTS,
    SUCCESS_CAUSES,
    GroundedDialogue,
    GroundedDomain,
    delexicaliser,
    fitting_venues,
    ground,
)
from .scores import (
    FREE,
    METRIC,
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
    rows_of,
    said_scores,
)

LOST_BY = tuple(AT_FAULT.values())
CAUSES = (*INFORM_CAUSES, *SUCCESS_CAUSES)

MOST_SILENT = 0.5
"""The share of constraints that users may leave unsaid: beyond, scores as said prove little. People
leave 5 to 8 %, published simulated users less than 20 %."""
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
        about: Dialogue id -> the domains that each of its turns is about.
        outcomes: Dialogue id -> its grounded result.
        human: What the human responses get; None where the benchmark does not hold them.
        database: Answers the goals' queries.
        remarks: What there is to say of free-running dialogues.
        parts: Dialogue id -> goal domain -> what the user did; empty where that is not known.
    """

    normalized: NormalizedSubmission
    goals: Mapping[str, Mapping[str, Goal]]
    users: Mapping[str, Sequence[str | None]]
    about: Mapping[str, Sequence[frozenset[str]]]
    outcomes: Mapping[str, GroundedDialogue]
    human: GroundedFigures | None
    database: VenueDatabase
    remarks: Sequence[Remark] = ()
    parts: Mapping[str, Mapping[str, UserPart]] = field(default_factory=dict)

    def text(self, domain: str | None, cause: str | None) -> str:
        """Return what is lost: by cause and domain, and first dialogues.

        Args:
            domain: The only domain to show; None for all.
            cause: The only cause to show, of `CAUSES` or `LOST_BY`; None for all.
        """
        figures = grounded_figures(map(rating, self.outcomes.values()))
        head = f"grounded: {_rates(figures)}, over {counted(figures['dialogues'], 'dialogue')}"
        if self.human is not None:
            head += f"; the human responses: {_rates(self.human)}"
        tables = [] if cause else [faithfulness_table(figures, self.human)]
        # How each dialogue came out and why, as of the main set-up.
        results = []
        for id_, outcome in self.outcomes.items():
            domains = {}
            for name, grounded in outcome.domains.items():
                causes = dict(grounded.causes)
                for slot in grounded.further or ():
                    causes.pop(slot, None)
                domains[name] = DomainResult(
                    float(grounded.matched), grounded.provided, grounded.cause, slot_causes=causes
                )
            turns = len(self.normalized.dialogues[id_])
            results.append(DialogueResult(id_, turns, goals={MAIN_SETUP: domains}))
        texts = []
        if cause not in LOST_BY:
            head = wrapped("", head)
            texts.append(
                losses_text(head, results, INFORM_CAUSES, SUCCESS_CAUSES, tables, domain, cause)
            )
        if self.parts and (cause is None or cause in LOST_BY):
            words = {}
            for id_, outcome in self.outcomes.items():
                for name, grounded in outcome.domains.items():
                    slots = [f"{slot} {why}" for slot, why in grounded.causes.items()]
                    words[id_, name] = grounded.cause or ", ".join(slots)
            texts.append(faults_text(self.parts, words, domain, cause))
        return "\n\n".join(texts)

    def dialogue_text(self, id_: str) -> str:
        """Return one of the dialogues played turn by turn."""
        goal, responses = self.goals[id_], plain_responses(self.normalized)[id_]
        result = self.outcomes[id_]
        fitting = {}
        outcome: list[str] = []
        for domain, wanted in goal.items():
            fitting[domain] = frozenset(self.database.query(domain, wanted.informable))
            outcome += _outcome(domain, result.domains[domain], len(fitting[domain]))
            if self.parts:
                part = self.parts[id_][domain]
                outcome.append(labelled("the user", part.words or "said and asked all"))
                if part.fault in AT_FAULT:
                    outcome.append(labelled("", AT_FAULT[part.fault]))
        turns = []
        users = self.users[id_]
        for number, about in enumerate(self.about[id_]):
            lines = []
            for user in users[number : number + 1]:
                if user is not None:
                    lines.append(labelled("user", " ".join(user.split())))
            response = " ".join(responses[number].original.split())
            lines.append(labelled("response", response or "(nothing)"))
            lines.append(labelled("about", ", ".join(sorted(about)) or "not known yet"))
            turns.append([*lines, *_mentions(responses[number], fitting)])
        facts = result.faithfulness
        head = (
            f"dialogue {id_}, {counted(len(turns), 'turn')}: grounded Inform {int(result.inform)}, "
            f"Success {int(result.success)}\n"
            f"told of venues: {facts['told']}; in the database: {facts['in_database']}; "
            f"of a venue named by then: {facts['of_named_venue']}"
        )
        return joined(head, goal, turns, outcome)

    @property
    def results(self) -> list[DialogueResult]:
        """What each free-running dialogue comes to; there are no states and active domains."""
        results = []
        for id_, texts in self.normalized.responses.items():
            grounded = asdict(self.outcomes[id_])
            for domain, part in self.parts.get(id_, {}).items():
                grounded["domains"][domain] |= part_record(part)
            further = {"grounded": grounded}
            results.append(DialogueResult(id_, len(texts), responses=texts, further=further))
        return results

    def report(self, scorer: Scorer) -> Report:
        """Return the scores, given the scorer that held free-running dialogues against goals."""
        texts = list(chain.from_iterable(self.normalized.responses.values()))
        turns = self.normalized.turns
        metrics: dict[str, object] = {
            "grounded": grounded_scores(map(rating, self.outcomes.values()), self.human)
        }
        if self.parts:
            metrics["said"] = said_scores(self.parts.values())
        metrics["diversity"] = measured_diversity(texts)
        return Report(
            signature=self._signature(scorer),
            coverage=Coverage(len(self.outcomes), len(self.goals), turns, turns),
            unknown_placeholders=self.normalized.unknown_placeholders,
            metrics=metrics,
        )

    def evidence(self, scorer: Scorer, name: str) -> Evidence:
        """Return what comparisons know of free-running dialogues.

        Args:
            scorer: The scorer that held them against goals.
            name: What to call the system.
        """
        rows = rows_of(self.outcomes, self.parts)
        return Evidence.from_rows(name, self._signature(scorer), METRIC, rows)

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


def faults_text(
    parts: Mapping[str, Mapping[str, UserPart]],
    words: Mapping[tuple[str, str], str],
    domain: str | None,
    cause: str | None,
) -> str:
    """Return whose fault lost goal domains are: by domain, and first dialogues.

    Args:
        parts: Dialogue -> goal domain -> what the user did.
        words: Dialogue and goal domain -> what the agent did wrong, if it did.
        domain: The only domain to show; None for all.
        cause: The only one of `LOST_BY` to show; None for all.
    """
    results = []
    shown = {}
    for id_, by_domain in parts.items():
        domains = {}
        for name, part in by_domain.items():
            lost_by = AT_FAULT.get(part.fault)
            domains[name] = DomainResult(float(lost_by is None), {}, lost_by)
            shown[id_, name] = part.words
            if part.fault == "agent":
                shown[id_, name] = words.get((id_, name), "the dialogue does not get there")
        results.append(DialogueResult(id_, 0, goals={MAIN_SETUP: domains}))
    return losses_text("", results, LOST_BY, (), (), domain, cause, "goal domain lost", shown)


def diagnose(played: Played) -> PlainDialogues:
    """Compare every dialogue played in plain English with its goal, and the human responses."""
    outcomes = grounded_dialogues(played)
    goals, users, about = {}, {}, {}
    for id_, responses in plain_responses(played.submission).items():
        dialogue = played.benchmark.dialogues[id_]
        goals[id_], users[id_] = dialogue.goal, dialogue.users
        # Users answer the human responses, not these.
        about[id_] = turn_domains(responses)
    ceiling_of_played = played_ceiling(played)
    return PlainDialogues(
        played.submission, goals, users, about, outcomes, ceiling_of_played, played.database
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
    if standard.instructions:
        standard = _on_instructed_goals(standard, source, benchmark.name)
    played = _by_goal(checked_conversations(standard, source), goals, source, where)
    plain = delexicaliser(benchmark, scorer.rules)
    database = database_of(scorer)
    dialogues, users, outcomes = {}, {}, {}
    for id_, turns in played.items():
        dialogues[id_] = tuple([Turn(turn["response"], None, None) for turn in turns])
        users[id_] = [turn.get(USER) for turn in turns]
    submission = delexicalise_submission(Submission(dialogues, source), plain)
    refuse_delexicalised(submission, scorer.rules, "--free-running")
    normalized = normalize_submission(submission, scorer.rules)
    about, parts = {}, {}
    remarks = [*standard.remarks, *submission.remarks]
    for id_, responses in plain_responses(normalized).items():
        about[id_] = turn_domains(responses, users[id_])
        texts = [response.original for response in responses]
        said = [user for user in users[id_] if isinstance(user, str)]
        outcome = ground(texts, goals[id_], database, plain, users=users[id_])
        outcomes[id_] = outcome
        if len(said) == len(texts):
            parts[id_] = user_parts(said, texts, goals[id_], outcome, database, plain, scorer.rules)
    if len(parts) < len(played):
        silent = next(id_ for id_ in played if id_ not in parts)
        text = f"dialogue {silent}: turns without `{USER}`; what users said is not scored"
        remarks.append(Remark("users", text, warning=False))
        parts = {}
    if chosen is not None:
        remarks += _unmet_goals({id_: goals[id_] for id_ in played}, database, plain)
    remarks += _silence(parts, goals)
    compared = benchmark.dialogues if chosen is not None else played
    lengths = ((id_, benchmark.dialogues[id_].turns) for id_ in compared)
    return PlainDialogues(
        normalized,
        goals,
        users,
        about,
        outcomes,
        ceiling(benchmark, scorer.rules, lengths, FREE),
        database,
        remarks,
        parts,
    )


def _unmet_goals(
    goals: Mapping[str, Mapping[str, Goal]], database: VenueDatabase, plain: Delexicaliser
) -> list[Remark]:
    """Return the remark on goals that no venue meets, which no system can win; or none."""
    unmet = []
    for id_, goal in goals.items():
        for domain, wanted in goal.items():
            if domain not in NAMING_SLOTS or fitting_venues(domain, wanted, database, plain):
                continue
            slots = wanted.informable
            lacking = [slot for slot in slots if not database.query(domain, {slot: slots[slot]})]
            listed = [f"{slot} {slots[slot]}" for slot in lacking or slots]
            unmet.append(f"dialogue {id_}, {domain} {' and '.join(listed)}")
    if not unmet:
        return []
    number = counted(len(unmet), "goal domain")
    message = f"{number} that no venue of the database meets, which no system can win"
    return [Remark("goals", f"{message}; the first: {unmet[0]}")]


def _silence(
    parts: Mapping[str, Mapping[str, UserPart]], goals: Mapping[str, Mapping[str, Goal]]
) -> list[Remark]:
    """Say that users say little of their goals, if so: agents then cannot fail what they said."""
    never_said = constraints = 0
    for id_, by_domain in parts.items():
        for domain, part in by_domain.items():
            never_said += len(part.never_said)
            constraints += len(goals[id_][domain].informable) + len(goals[id_][domain].booking)
    if never_said <= MOST_SILENT * constraints:
        return []
    share = f"{figure(percent(never_said, constraints))} % ({never_said} of {constraints})"
    text = f"users never say {share} of their constraints; the scores as said prove little then"
    return [Remark("users", text)]


def _by_goal(
    conversations: Mapping[str, Sequence[Mapping[str, Any]]],
    goals: Mapping[str, object],
    source: str,
    where: str,
) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return dialogues by the ids of their goals, however they write them.

    Raises:
        InputError: One has no goal or is there twice, or none has a turn.
    """
    played: dict[str, Sequence[Mapping[str, Any]]] = {}
    ids = {dialogue_id(id_): id_ for id_ in goals}
    for written, conversation in conversations.items():
        goal_id = ids.get(dialogue_id(written))
        if goal_id is None:
            remedy = "leave it out, or name another --benchmark, or a file that has one by --goals"
            raise InputError(source, f"dialogue {unquoted(written)}: no goal in {where}; {remedy}")
        if played.setdefault(goal_id, conversation) is not conversation:
            raise InputError(source, f"dialogue {written}: is there twice; keep one")
    if not any(played.values()):
        raise InputError(source, "holds no turn; there is nothing to score")
    return played


def _on_instructed_goals(standard: Standard, source: str, benchmark: str) -> Standard:
    """Return dialogues by the ids of the goals that have their instructions; others are left out.

    Raises:
        InputError: There are no such goals, or fewer than dialogues with their instructions.
    """
    goals = instructed_goals(benchmark)
    dialogues: dict[str, object] = {}
    # Goal -> what the file calls its dialogue.
    written: dict[str, str] = {}
    unknown: list[str] = []
    problems: list[str] = []
    for name, instructions in standard.instructions.items():
        ids = goals.get(instructions, ())
        free = [id_ for id_ in ids if id_ not in written]
        if free:
            written[free[0]] = name
            dialogues[free[0]] = standard.dialogues[name]
        elif ids:
            problems.append(f"{name}: has the goal of {written[ids[-1]]}, {ids[-1]}; keep one")
        else:
            unknown.append(name)
    number = counted(len(standard.instructions), "dialogue")
    if not dialogues:
        problem = f"no installed benchmark has the goal of any of its {number}"
        raise InputError(source, f"{problem}; `mwz data fetch` installs those of test and dev")
    refuse(source, problems)
    summary = f"goals found by their instructions: {len(dialogues)} of {number}, of {benchmark}"
    remarks = [*standard.remarks, Remark("goals", summary, warning=False)]
    if unknown:
        lacking = f"left out, as no goal has their instructions: {', '.join(unknown)}"
        remarks.append(Remark("goals", lacking))
    return replace(standard, dialogues=dialogues, remarks=remarks)


def _rates(figures: GroundedFigures) -> str:
    totals = {name: figure(figures[name].get(TOTAL)) for name in OUTCOMES}
    inform = f"Inform {totals['inform']} (all {totals['inform_all']})"
    text = f"{inform}, Success {totals['success']}"
    if figures["success_requested"]:
        text += f" (all requested {totals['success_requested']})"
    return text


def _mentions(response: Delexicalised, fitting: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield what a response names and tells, and whether the goal asks for it."""
    for span in response.spans:
        if span.slot not in _SHOWN_SLOTS:
            continue
        words = " ".join(response.original[span.start : span.end].split())
        mention = f"{span.slot} {words}"
        if not span.whole:
            mention += ", in part"
        asked_for = [venue for venue in span.venues if venue.id in fitting.get(venue.domain, ())]
        if asked_for:
            mention += f": {_venues(asked_for)}, which the goal asks for"
        elif span.venues:
            mention += f": {_venues(span.venues)}, not what the goal asks for"
        elif span.slot != "REFERENCE":
            mention += ": in no record of the database"
        verb = "names" if span.slot in NAMING_SLOTS.values() else "tells"
        yield labelled(verb, mention)


def _venues(venues: Sequence[tuple[str, str]]) -> str:
    """Return the first of some venues, and how many more there are."""
    listed = [f"{domain} {id_}" for domain, id_ in venues[:_SHOWN_VENUES]]
    if len(venues) > len(listed):
        listed.append(f"{len(venues) - len(listed)} more")
    return " or ".join(listed)


def _outcome(domain: str, outcome: GroundedDomain, fitting: int) -> Iterator[str]:
    """Yield how a domain came out; `fitting` is the number of venues that would fit."""
    named_last = ""
    if outcome.venues:
        named_last = f"; named last: {domain} {', '.join(outcome.venues)}"
    if not outcome.matched:
        would_fit = f"{counted(fitting, 'venue')} of the database would fit"
        text = f"not matched: {outcome.cause}{named_last}; {would_fit}"
    elif outcome.matched_all:
        text = f"matched{named_last}"
    else:
        text = f"matched (any; besides, it names others){named_last}"
    yield labelled(domain, text)
    for slot in (*outcome.provided, *(outcome.further or ())):
        if slot in outcome.causes:
            yield labelled("", f"{slot} not told: {outcome.causes[slot]}")
        else:
            yield labelled("", f"{slot} told")
