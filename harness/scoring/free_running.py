"""Free-running dialogues: those that a system had with a user simulator.

Their turns do not line up with a corpus' turns, so that BLEU, belief states and all else that needs
these is left out. What remains is told by the responses, the goals and the venue database: grounded
scores, faithfulness, diversity and length. A dialogue may be of any length, and with goals of its
own it need not be one of the benchmark's. What is booked when is not known: a reference number
counts in any turn about its domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from mwz.database.venues import VenueDatabase
from mwz.normalization.rules import RuleSet
from mwz.normalization.rules.registry import digest_of_json, sha256
from mwz.normalization.states import normalize_slot_name, plain_slot_name

from ..benchmark import REFERENCE, REQUESTABLE_SLOTS, Benchmark, Goal
from ..errors import SHOWN_PLACES, InputError, counted, unknown, unquoted
from ..grounding.rating import (
    GroundedFigures,
    HumanRatings,
    PlainDialogue,
    RatedDialogue,
    ceiling,
    grounded_figures,
    rated,
    rated_human,
)
from ..grounding.requested import requests
from ..io.files import kind_of, read_json, shown_name
from ..metrics.diversity import diversity
from ..metrics.grounded_scores import GroundedScores
from ..signature import SHOWN_HASH, Signature
from ..submission import NormalizedSubmission, Submission, normalize_submission
from ..submission.checking import Turn, dialogue_id
from ..submission.conversations import Conversations, checked_conversations
from ..submission.formats import Standard
from ..submission.formats.format import USER
from ..submission.notations import DOMAINS
from ..submission.plain_responses import delexicalise_submission
from ..submission.remarks import Remark
from .report import Coverage, Report, unknown_placeholders

if TYPE_CHECKING:
    from mwz.normalization.delexicaliser import Delexicaliser

FREE_RUNNING = "free-running"
"""The parameter of signatures that tells whose goals free-running dialogues were held against."""


Goals: TypeAlias = "Mapping[str, Mapping[str, Goal]]"
"""Dialogue id -> domain -> goal."""


@dataclass(frozen=True)
class GoalsFile:
    """Goals that were read from a file.

    Attributes:
        goals: The goals.
        source: What messages call the file.
    """

    goals: Goals
    source: str

    @property
    def digest(self) -> str:
        """SHA-256 of the goals, in hexadecimal; their order is no part of it."""
        content = {
            id_: {
                d: [dict(g.informable), sorted(g.requestable), *([sorted(g.further)] if g.further else [])]
                for d, g in goal.items()
            }
            for id_, goal in self.goals.items()
        }
        return digest_of_json(content)


def chosen_goals(goals: str | Path | Mapping[str, Any] | GoalsFile, rules: RuleSet) -> GoalsFile:
    """Return the goals of dialogues, as the public evaluator or the data set writes them.

    Args:
        goals: A JSON file, or what one holds: dialogue id -> domain -> `informable` (slot ->
            value) and `requestable` (list, of `REQUESTABLE_SLOTS`); or as in the data set, domain
            -> `info`, `reqt` and `book`, also below `goal`. What else the data set's goals request
            does not count, and what they book is requested to have a reference number.
        rules: The rule set, which says what venues can be asked for.

    Raises:
        InputError: The file cannot be read, is in another form, or asks for what no venue has; with
            every place.
    """
    if isinstance(goals, GoalsFile):
        return goals
    source = "goals" if isinstance(goals, Mapping) else shown_name(goals)
    content = goals if isinstance(goals, Mapping) else read_json(goals)
    if not isinstance(content, Mapping):
        found = kind_of(content)
        raise InputError(source, f"expected an object of dialogue id -> goal, found {found}")
    problems = [] if content else ["holds no goals"]
    read = {id_: dict(_read(id_, goal, rules, problems)) for id_, goal in content.items()}
    if problems:
        raise InputError(source, problems)
    return GoalsFile(read, source)


def _read(
    id_: str, written: object, rules: RuleSet, problems: list[str]
) -> Iterator[tuple[str, Goal]]:
    """Yield domain and goal of a dialogue; what is wrong with them is added to the problems."""
    goal = written.get("goal", written) if isinstance(written, Mapping) else {}
    given = goal if isinstance(goal, Mapping) else {}
    raw = any(isinstance(one, Mapping) and "info" in one for one in given.values())
    # The data set names all domains, and has instructions and topics beside them.
    wanted = {d: one for d, one in given.items() if not raw or (d in DOMAINS and one)}
    if not wanted:
        problems.append(f"dialogue {id_}: no domain; expected some of {', '.join(DOMAINS)}")
    choices = (*REQUESTABLE_SLOTS, *(requests() if raw else ()))
    for domain, one in wanted.items():
        place = f"dialogue {id_}, {domain}"
        if domain not in DOMAINS:
            problems.append(f"dialogue {id_}: {unknown('domain', domain, DOMAINS)}")
            continue
        informable, requested = ("info", "reqt") if raw else ("informable", "requestable")
        slots = one.get(informable) if isinstance(one, Mapping) else None
        if not isinstance(slots, Mapping) or not all(isinstance(v, str) for v in slots.values()):
            problems.append(f"{place}: expected `{informable}`, an object of slot -> value")
            continue
        venue = rules.venue_rules.get(domain)
        known = None if venue is None else venue.columns
        informed = {normalize_slot_name(slot, rules): value for slot, value in slots.items()}
        for slot in informed:
            if known is not None and slot not in known:
                problems.append(f"{place}, {informable}: {unknown('slot', slot, known)}")
        asked = {_requestable(slot, rules): slot for slot in one.get(requested) or ()}
        for canonical, slot in asked.items():
            if canonical not in choices:
                problems.append(f"{place}, {requested}: {unknown('slot', slot, choices)}")
        booked = {REFERENCE} if raw and one.get("book") else set()
        five = {*REQUESTABLE_SLOTS}
        yield domain, Goal(
            informed,
            frozenset(booked | (asked.keys() & five)),
            {},
            frozenset(asked.keys() - five) if raw else None,
        )


def _requestable(slot: object, rules: RuleSet) -> str:
    """Return what a slot that is requested is called, `PHONE` or `area`, however it is written."""
    name: str = rules.ontology.get(plain_slot_name(str(slot)), "")
    return name if name in REQUESTABLE_SLOTS else normalize_slot_name(str(slot), rules)


class _Scorer(Protocol):
    """What free-running dialogues are scored by: a `Scorer`, which is built upon this."""

    benchmark: Benchmark

    @property
    def rules(self) -> RuleSet: ...
    def delexicaliser(self) -> Delexicaliser: ...
    def database(self) -> VenueDatabase: ...
    def human_ratings(self) -> HumanRatings | None: ...
    def plain_signature(self) -> Signature: ...


@dataclass(frozen=True)
class FreeRunning:
    """Free-running dialogues, delexicalised and held against their goals. Dialogue id -> ….

    Attributes:
        normalized: The delexicalised responses, normalised.
        dialogues: The dialogues in plain English.
        rated: How each went.
        users: What the user said before each turn; None where the file does not tell.
        goals: The goals they were held against, and those of dialogues that are not played.
        own: Where the goals come from; None for the benchmark's.
        remarks: What there is to say of the dialogues.
    """

    normalized: NormalizedSubmission
    dialogues: Mapping[str, PlainDialogue]
    rated: Mapping[str, RatedDialogue]
    users: Mapping[str, Sequence[str | None]]
    goals: Goals
    own: GoalsFile | None
    remarks: Sequence[Remark] = ()


def play_free_running(
    standard: Standard,
    source: str,
    scorer: _Scorer,
    own: GoalsFile | None = None,
    skip_missing: bool = False,
) -> FreeRunning:
    """Hold free-running dialogues in plain English against their goals.

    Args:
        standard: The dialogues.
        source: What messages call them.
        scorer: Gives venues, rules and, where there are no others, goals.
        own: The goals; None for those of the benchmark.
        skip_missing: Whether dialogues without a goal are left out.

    Raises:
        InputError: The dialogues are malformed, one has no goal, or there is nothing to score.
    """
    conversations = checked_conversations(standard, source)
    if own is None:
        benchmark = scorer.benchmark
        goals: Goals = {id_: dialogue.goal for id_, dialogue in benchmark.dialogues.items()}
        where = f"the benchmark {benchmark.name}"
    else:
        goals, where = own.goals, own.source
    played, lacking = _played(conversations, goals, source)
    remarks = list(standard.remarks)
    if lacking:
        first = ", ".join(map(unquoted, lacking[:SHOWN_PLACES]))
        of = counted(len(conversations), "dialogue")
        found = f"{len(lacking)} of {of} have no goal in {where}"
        if not skip_missing:
            raise InputError(
                source,
                f"{found} (the first: {first}); name a file that has them by --goals FILE, or "
                "leave these out by --skip-missing-goals",
            )
        remarks.append(Remark("goals", f"{found} and are left out (the first: {first})"))
    if not any(played.values()):
        raise InputError(source, "holds no turn; there is nothing to score")
    delexicaliser = scorer.delexicaliser()
    said = {
        id_: tuple(Turn(turn["response"], None, None) for turn in turns)
        for id_, turns in played.items()
    }
    submission = delexicalise_submission(Submission(said), delexicaliser)
    dialogues = {
        id_: PlainDialogue([t.plain for t in turns if t.plain is not None], goals[id_], None)
        for id_, turns in submission.dialogues.items()
    }
    database = scorer.database()
    return FreeRunning(
        normalized=normalize_submission(submission, scorer.rules),
        dialogues=dialogues,
        rated={
            id_: rated(dialogue, database, delexicaliser.gazetteer)
            for id_, dialogue in dialogues.items()
        },
        users={id_: [turn.get(USER) for turn in turns] for id_, turns in played.items()},
        goals=goals,
        own=own,
        remarks=[*remarks, *submission.remarks],
    )


def score_free_running(run: FreeRunning, scorer: _Scorer) -> Report:
    """Score free-running dialogues in plain English.

    The ceiling is what the human responses of the same dialogues get likewise; of dialogues with
    goals of their own, what those of the whole benchmark get.

    Args:
        run: The dialogues, held against their goals by this scorer.
        scorer: How to score.
    """
    texts = [text for responses in run.normalized.responses().values() for text in responses]
    turns = run.normalized.turns
    return Report(
        signature=_signature(run, scorer),
        coverage=Coverage(len(run.dialogues), len(run.goals), turns, turns),
        unknown_placeholders=unknown_placeholders(run.normalized),
        metrics={
            "grounded": GroundedScores.of_figures(
                grounded_figures(run.rated.values()), free_running_ceiling(run, scorer)
            ),
            "diversity": diversity(texts),
        },
    )


def free_running_ceiling(run: FreeRunning, scorer: _Scorer) -> GroundedFigures | None:
    """Return what the human responses get; None where the benchmark does not hold them."""
    known = scorer.benchmark.dialogues
    human = scorer.human_ratings()
    return ceiling(
        [(id_, known[id_].turns) for id_ in (run.dialogues if run.own is None else known)],
        scorer.benchmark,
        None if human is None else human.free,
        lambda gold, turns: rated_human(
            gold, turns, scorer.database(), scorer.delexicaliser(), with_bookings=False
        ),
    )


def _played(
    conversations: Conversations, goals: Goals, source: str
) -> tuple[Conversations, list[str]]:
    """Return the dialogues by the ids of their goals, and those that have none.

    Raises:
        InputError: A dialogue is there twice.
    """
    played: dict[str, Sequence[Mapping[str, Any]]] = {}
    spelled: dict[str, str] = {}
    by_id = {dialogue_id(id_): id_ for id_ in goals}
    lacking = []
    for written, turns in conversations.items():
        id_ = written if written in goals else by_id.get(dialogue_id(written))
        if id_ is None:
            lacking.append(written)
        elif id_ in played:
            raise InputError(source, f"dialogue {written}: is the same as {spelled[id_]}; keep one")
        else:
            played[id_] = turns
            spelled[id_] = written
    return played, lacking


def _signature(run: FreeRunning, scorer: _Scorer) -> Signature:
    coverage = None
    if run.dialogues.keys() != run.goals.keys():
        turns = run.normalized.turns
        digest = sha256(repr(sorted(run.dialogues)))[:SHOWN_HASH]
        coverage = f"{turns}/{turns}-{digest}"
    whose = "benchmark" if run.own is None else f"goals-{run.own.digest[:SHOWN_HASH]}"
    signature = scorer.plain_signature()
    parameters = {**signature.parameters, FREE_RUNNING: whose}
    return replace(signature, goals="all", coverage=coverage, parameters=parameters)
