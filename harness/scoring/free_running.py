"""Free-running dialogues: those that a system had with a user simulator.

Their turns do not line up with a corpus' turns, so that BLEU, belief states and all else that needs
these is left out. What remains is told by the responses, the goals and the venue database: grounded
scores, faithfulness, diversity and length. A dialogue may be of any length, and with goals of its
own it need not be one of the benchmark's. What is booked when is not known: a reference number
counts in any turn about its domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from mwz.database.venues import VenueDatabase
from mwz.normalization.rules import RuleSet
from mwz.normalization.rules.registry import sha256

from ..benchmark import Benchmark
from ..data.goals import Goals, GoalsFile
from ..errors import SHOWN_PLACES, InputError, counted, unquoted
from ..grounding.rating import (
    GroundedFigures,
    GroundedScores,
    HumanRatings,
    PlainDialogue,
    RatedDialogue,
    ceiling,
    grounded_figures,
    rated,
    rated_human,
)
from ..metrics.diversity import diversity
from ..metrics.results import DialogueResult
from ..signature import SHOWN_HASH, Signature
from ..submission import NormalizedSubmission, Submission, normalize_submission
from ..submission.checking import Turn, dialogue_id
from ..submission.conversations import Conversations, checked_conversations
from ..submission.formats import Standard
from ..submission.formats.format import USER
from ..submission.plain_responses import delexicalise_submission
from ..submission.remarks import Remark
from .report import Coverage, Report

if TYPE_CHECKING:
    from mwz.normalization.delexicaliser import Delexicaliser

FREE_RUNNING = "free-running"
"""The parameter of signatures that tells whose goals free-running dialogues were held against."""


class _Scorer(Protocol):
    """What free-running dialogues are scored by: a `Scorer`, which is built upon this."""

    @property
    def benchmark(self) -> Benchmark: ...
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

    @property
    def results(self) -> list[DialogueResult]:
        """What each dialogue comes to; there are no states and active domains."""
        return [
            DialogueResult(id_, len(texts), responses=texts, further={"grounded": self.rated[id_]})
            for id_, texts in self.normalized.responses.items()
        ]


def play_free_running(
    standard: Standard,
    source: str,
    scorer: _Scorer,
    own: GoalsFile | None = None,
) -> FreeRunning:
    """Hold free-running dialogues in plain English against their goals.

    Args:
        standard: The dialogues.
        source: What messages call them.
        scorer: Gives venues, rules and, where there are no others, goals.
        own: The goals; None for those of the benchmark.

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
    if lacking:
        first = ", ".join(map(unquoted, lacking[:SHOWN_PLACES]))
        of = counted(len(conversations), "dialogue")
        found = f"{len(lacking)} of {of} have no goal in {where}"
        raise InputError(
            source,
            f"{found} (the first: {first}); leave these out, or name a file that has them by "
            "--goals FILE",
        )
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
        remarks=[*standard.remarks, *submission.remarks],
    )


def score_free_running(run: FreeRunning, scorer: _Scorer) -> Report:
    """Score free-running dialogues in plain English.

    The ceiling is what the human responses of the same dialogues get likewise; of dialogues with
    goals of their own, what those of the whole benchmark get.

    Args:
        run: The dialogues, held against their goals by this scorer.
        scorer: How to score.
    """
    texts = [text for responses in run.normalized.responses.values() for text in responses]
    turns = run.normalized.turns
    return Report(
        signature=_signature(run, scorer),
        coverage=Coverage(len(run.dialogues), len(run.goals), turns, turns),
        unknown_placeholders=run.normalized.unknown_placeholders,
        metrics={
            "grounded": GroundedScores.of_figures(
                grounded_figures(one.rating for one in run.rated.values()),
                free_running_ceiling(run, scorer),
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
