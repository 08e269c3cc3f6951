"""Submissions that the harness makes itself."""

from __future__ import annotations

from collections.abc import Sequence

from mwz.normalization.states import BeliefState

from ..benchmark import CANONICAL_STYLE, STYLES, Benchmark, Dialogue
from ..errors import InputError
from .model import NormalizedDialogue, NormalizedSubmission, Submission, Turn

CONSTANT = "constant"
"""The made submission whose every response is the same."""

HUMAN = "human"
"""The submission made of the human responses as they were written, in plain English."""

EMPTY_STATES = "empty-states"
"""The made submission that predicts an empty belief state in every turn."""

_CONSTANT_RESPONSE = "NAME TRAINID PHONE ADDRESS POST REFERENCE"


def made_submissions() -> tuple[str, ...]:
    """Return the names of the submissions that `made_submission` makes."""
    return (*STYLES, CONSTANT, EMPTY_STATES)


def made_submission(benchmark: Benchmark, name: str) -> NormalizedSubmission:
    """Return a submission that the harness makes itself.

    Args:
        benchmark: The benchmark that it is to play.
        name: A reference style, for the benchmark's own responses as if a system had given them;
            `CONSTANT`, for one response with the six placeholders that tell about a venue; both
            without states of their own. Or `EMPTY_STATES`: the responses are the canonical
            references, so that all that is lost is lost for lack of states.
    """
    state: BeliefState | None = {} if name == EMPTY_STATES else None

    def made(dialogue: Dialogue) -> NormalizedDialogue:
        count = dialogue.turns
        texts: Sequence[str] = [_CONSTANT_RESPONSE] * count
        if name != CONSTANT:
            texts = dialogue.references[CANONICAL_STYLE if name == EMPTY_STATES else name]
        return NormalizedDialogue(
            responses=tuple(texts),
            states=(state,) * count,
            active_domains=(None,) * count,
            placeholder_domains=((),) * count,
            unknown_placeholders=((),) * count,
            plain=(None,) * count,
        )

    dialogues = {id_: made(dialogue) for id_, dialogue in benchmark.dialogues.items()}
    return NormalizedSubmission(dialogues, names_domains=False)


def human_submission(benchmark: Benchmark) -> Submission:
    """Return the benchmark's human responses, as they were written, as a submission.

    Raises:
        InputError: The benchmark does not have them.
    """
    if not has_human_responses(benchmark):
        raise InputError(
            f"benchmark {benchmark.name}", "does not hold the human responses as they were written"
        )
    return Submission(
        {
            id_: tuple(Turn(response, None, None) for response in dialogue.responses)
            for id_, dialogue in benchmark.dialogues.items()
        }
    )


def has_human_responses(benchmark: Benchmark) -> bool:
    """Return whether a benchmark holds the human responses of all turns as they were written."""
    return all(len(d.responses) == d.turns for d in benchmark.dialogues.values())
