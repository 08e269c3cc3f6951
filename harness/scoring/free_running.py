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
from typing import Any, TypeAlias

from pydantic import BaseModel

from mwz.normalization.rules import RuleSet
from mwz.normalization.rules.registry import digest_of_json, sha256
from mwz.normalization.states import normalize_slot_name

from ..benchmark import REQUESTABLE_SLOTS, Goal
from ..errors import InputError, unknown
from ..grounding.rating import (
    GroundedFigures,
    PlainDialogue,
    RatedDialogue,
    ceiling,
    grounded_figures,
    rated,
    rated_human,
)
from ..io.files import read_json, shown_name
from ..io.validation import validated
from ..metrics.diversity import diversity
from ..metrics.grounded_scores import GroundedScores
from ..signature import SHOWN_HASH, Signature
from ..submission import NormalizedSubmission, Submission, normalize_submission
from ..submission.checking import Turn, dialogue_id
from ..submission.conversations import Conversations
from ..submission.formats.format import USER
from ..submission.notations import DOMAINS
from ..submission.plain_responses import delexicalise_submission
from . import Scorer, unknown_placeholders
from .report import Coverage, Report

FREE_RUNNING = "free-running"
"""The parameter of signatures that tells whose goals free-running dialogues were held against."""

Goals: TypeAlias = "Mapping[str, Mapping[str, Goal]]"
"""Dialogue id -> domain -> goal."""


class _Wanted(BaseModel):
    """What a file of goals says of one domain; what else it says is not looked at."""

    informable: dict[str, str]
    requestable: list[str] = []


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
            id_: {d: [dict(g.informable), sorted(g.requestable)] for d, g in goal.items()}
            for id_, goal in self.goals.items()
        }
        return digest_of_json(content)


def read_goals_file(path: str | Path, rules: RuleSet) -> GoalsFile:
    """Read goals of dialogues in the form of the public evaluator's `goals.json`.

    Args:
        path: A JSON file: dialogue id -> domain -> `informable` (slot -> value) and `requestable`
            (list, of `REQUESTABLE_SLOTS`).
        rules: The rule set, which says what venues can be asked for.

    Raises:
        InputError: The file cannot be read, is in another form, or asks for what no venue has; with
            every place.
    """
    source = shown_name(path)
    content = validated(dict[str, dict[str, _Wanted]], read_json(path), source)
    problems = list(_goal_problems(content, rules)) if content else ["holds no goals"]
    if problems:
        raise InputError(source, problems)
    return GoalsFile(
        {
            id_: {
                domain: Goal(
                    {normalize_slot_name(s, rules): v for s, v in wanted.informable.items()},
                    frozenset(wanted.requestable),
                    {},
                )
                for domain, wanted in goal.items()
            }
            for id_, goal in content.items()
        },
        source,
    )


def _goal_problems(content: Mapping[str, Mapping[str, _Wanted]], rules: RuleSet) -> Iterator[str]:
    for id_, goal in content.items():
        if not goal:
            yield f"dialogue {id_}: no domain; expected some of {', '.join(DOMAINS)}"
        for domain, wanted in goal.items():
            place = f"dialogue {id_}, {domain}"
            if domain not in DOMAINS:
                yield f"dialogue {id_}: {unknown('domain', domain, DOMAINS)}"
                continue
            for slot in wanted.requestable:
                if slot not in REQUESTABLE_SLOTS:
                    yield f"{place}, requestable: {unknown('slot', slot, REQUESTABLE_SLOTS)}"
            venue = rules.venue_rules.get(domain)
            columns = None if venue is None else venue.columns
            for slot in wanted.informable:
                if columns is not None and normalize_slot_name(slot, rules) not in columns:
                    yield f"{place}, informable: {unknown('slot', slot, columns)}"


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
    """

    normalized: NormalizedSubmission
    dialogues: Mapping[str, PlainDialogue]
    rated: Mapping[str, RatedDialogue]
    users: Mapping[str, Sequence[str | None]]
    goals: Goals
    own: GoalsFile | None


def play_free_running(
    conversations: Conversations, source: str, scorer: Scorer, own: GoalsFile | None = None
) -> FreeRunning:
    """Hold free-running dialogues in plain English against their goals.

    Args:
        conversations: The dialogues.
        source: What messages call them.
        scorer: Gives venues, rules and, where there are no others, goals.
        own: The goals; None for those of the benchmark.

    Raises:
        InputError: A dialogue has no goal, or there is nothing to score.
    """
    if own is None:
        benchmark = scorer.benchmark
        goals: Goals = {id_: dialogue.goal for id_, dialogue in benchmark.dialogues.items()}
        where = f"the benchmark {benchmark.name}"
    else:
        goals, where = own.goals, own.source
    played, problems = _played(conversations, goals, where)
    if problems:
        raise InputError(source, problems)
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
    )


def score_free_running(run: FreeRunning, scorer: Scorer) -> Report:
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


def free_running_ceiling(run: FreeRunning, scorer: Scorer) -> GroundedFigures | None:
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
    conversations: Conversations, goals: Goals, where: str
) -> tuple[Conversations, list[str]]:
    """Return the dialogues by the ids of their goals, and what is wrong with the ids."""
    played: dict[str, Sequence[Mapping[str, Any]]] = {}
    spelled: dict[str, str] = {}
    problems = []
    for written, turns in conversations.items():
        id_ = written if written in goals else dialogue_id(written)
        if id_ not in goals:
            problems.append(f"dialogue {written}: has no goal in {where}")
        elif id_ in played:
            problems.append(f"dialogue {written}: is the same as {spelled[id_]}; keep one")
        else:
            played[id_] = turns
            spelled[id_] = written
    return played, problems


def _signature(run: FreeRunning, scorer: Scorer) -> Signature:
    coverage = None
    if run.dialogues.keys() != run.goals.keys():
        turns = run.normalized.turns
        digest = sha256(repr(sorted(run.dialogues)))[:SHOWN_HASH]
        coverage = f"{turns}/{turns}-{digest}"
    whose = "benchmark" if run.own is None else f"goals-{run.own.digest[:SHOWN_HASH]}"
    signature = scorer.plain_signature()
    parameters = {**signature.parameters, FREE_RUNNING: whose}
    return replace(signature, goals="all", coverage=coverage, parameters=parameters)
