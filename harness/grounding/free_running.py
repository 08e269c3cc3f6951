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
from typing import Any

from mwz.normalization import sha256

from ..data import Goals, GoalsFile
from ..errors import SHOWN_PLACES, InputError, Remark, counted, unquoted
from ..metrics import DialogueResult, measured_diversity
from ..scoring import Coverage, Report, Scorer
from ..signature import SHOWN_HASH, Signature
from ..submission import (
    USER,
    Conversations,
    NormalizedSubmission,
    Standard,
    Submission,
    Turn,
    checked_conversations,
    delexicalise_submission,
    dialogue_id,
    normalize_submission,
)
from .grounded import GroundedDialogue, PlainDialogue, delexicaliser, ground
from .scores import FREE, GroundedFigures, ceiling, grounded_scores

FREE_RUNNING = "free-running"
"""The parameter of signatures that tells whose goals free-running dialogues were held against."""


@dataclass(frozen=True)
class FreeRunning:
    """Free-running dialogues, delexicalised and held against their goals. Dialogue id -> ….

    Attributes:
        normalized: The delexicalised responses, normalised.
        dialogues: The dialogues in plain English.
        outcomes: How each went.
        goals: The goals they were held against, and those of dialogues that are not played.
        own: Where the goals come from; None for the benchmark's.
        remarks: What there is to say of the dialogues.
    """

    normalized: NormalizedSubmission
    dialogues: Mapping[str, PlainDialogue]
    outcomes: Mapping[str, GroundedDialogue]
    goals: Goals
    own: GoalsFile | None
    remarks: Sequence[Remark] = ()

    @property
    def results(self) -> list[DialogueResult]:
        """What each dialogue comes to; there are no states and active domains."""
        return [
            DialogueResult(
                id_, len(texts), responses=texts, further={"grounded": self.outcomes[id_]}
            )
            for id_, texts in self.normalized.responses.items()
        ]

    def ceiling(self, scorer: Scorer) -> GroundedFigures | None:
        """Return what the human responses get; None where the benchmark does not hold them.

        They are those of the same dialogues; of goals of one's own, those of the whole benchmark.
        """
        known = scorer.benchmark.dialogues
        ids = self.dialogues if self.own is None else known
        turns = ((id_, known[id_].turns) for id_ in ids)
        return ceiling(scorer.benchmark, scorer.rules, turns, FREE)

    def report(self, scorer: Scorer) -> Report:
        """Return the scores, given the scorer that held the dialogues against their goals."""
        texts = [text for responses in self.normalized.responses.values() for text in responses]
        turns = self.normalized.turns
        return Report(
            signature=self._signature(scorer),
            coverage=Coverage(len(self.dialogues), len(self.goals), turns, turns),
            unknown_placeholders=self.normalized.unknown_placeholders,
            metrics={
                "grounded": grounded_scores(self.results, self.ceiling(scorer)),
                "diversity": measured_diversity(texts),
            },
        )

    def _signature(self, scorer: Scorer) -> Signature:
        coverage = None
        if self.dialogues.keys() != self.goals.keys():
            turns = self.normalized.turns
            digest = sha256(repr(sorted(self.dialogues)))[:SHOWN_HASH]
            coverage = f"{turns}/{turns}-{digest}"
        whose = "benchmark" if self.own is None else f"goals-{self.own.digest[:SHOWN_HASH]}"
        signature = scorer.plain_signature()
        parameters = {**signature.parameters, FREE_RUNNING: whose}
        return replace(signature, goals="all", coverage=coverage, parameters=parameters)


def play_free_running(standard: Standard, source: str, scorer: Scorer) -> FreeRunning:
    """Hold free-running dialogues in plain English against their goals.

    Args:
        standard: The dialogues.
        source: What messages call them.
        scorer: Gives venues, rules and goals: those that its options name, or the benchmark's.

    Raises:
        InputError: The dialogues are malformed, one has no goal, or there is nothing to score.
    """
    benchmark, where = scorer.benchmark, f"the benchmark {scorer.benchmark.name}"
    goals: Goals = {id_: dialogue.goal for id_, dialogue in benchmark.dialogues.items()}
    own = scorer.options.goals if isinstance(scorer.options.goals, GoalsFile) else None
    if own is not None:
        goals, where = own.goals, own.source
    played = _by_goal(checked_conversations(standard, source), goals, source, where)
    if not any(played.values()):
        raise InputError(source, "holds no turn; there is nothing to score")
    plain = delexicaliser(benchmark, scorer.rules)
    submission = Submission(
        {
            id_: tuple(Turn(turn["response"], None, None) for turn in turns)
            for id_, turns in played.items()
        }
    )
    submission = delexicalise_submission(submission, plain)
    dialogues = {
        id_: PlainDialogue(
            [turn.plain for turn in turns if turn.plain is not None],
            goals[id_],
            users=[turn.get(USER) for turn in played[id_]],
        )
        for id_, turns in submission.dialogues.items()
    }
    database = scorer.database()
    return FreeRunning(
        normalized=normalize_submission(submission, scorer.rules),
        dialogues=dialogues,
        outcomes={id_: ground(one, database, plain.gazetteer) for id_, one in dialogues.items()},
        goals=goals,
        own=own,
        remarks=[*standard.remarks, *submission.remarks],
    )


def _by_goal(
    conversations: Conversations, goals: Goals, source: str, where: str
) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return dialogues by the ids of their goals.

    Raises:
        InputError: Some have no goal, or one is there twice.
    """
    by_goal: dict[str, Sequence[Mapping[str, Any]]] = {}
    spelled: dict[str, str] = {}
    by_id = {dialogue_id(id_): id_ for id_ in goals}
    lacking = []
    for written, turns in conversations.items():
        id_ = written if written in goals else by_id.get(dialogue_id(written))
        if id_ is None:
            lacking.append(written)
        elif id_ in by_goal:
            raise InputError(source, f"dialogue {written}: is the same as {spelled[id_]}; keep one")
        else:
            by_goal[id_], spelled[id_] = turns, written
    if lacking:
        first = ", ".join(map(unquoted, lacking[:SHOWN_PLACES]))
        of = counted(len(conversations), "dialogue")
        raise InputError(
            source,
            f"{len(lacking)} of {of} have no goal in {where} (the first: {first}); leave these "
            "out, or name a file that has them by --goals FILE",
        )
    return by_goal
