"""Submissions in plain English: delexicalised first, with what was found kept beside the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mwz.normalization.delexicaliser import Delexicalised

from ..benchmark import Benchmark, Goal
from ..errors import InputError
from ..submission import PlainResponse, Submission, Turn


@dataclass(frozen=True)
class PlainDialogue:
    """A dialogue's responses in plain English, and what they are held against.

    Attributes:
        responses: One per system turn; any number.
        goal: Domain -> what the user wants.
        booked: The domains booked by then, one collection per turn; None where that is not known.
    """

    responses: Sequence[PlainResponse]
    goal: Mapping[str, Goal]
    booked: Sequence[Sequence[str]] | None

    @property
    def texts(self) -> list[str]:
        """The responses as they were written."""
        return [response.text for response in self.responses]

    @property
    def delexicalised(self) -> list[Delexicalised]:
        """The responses delexicalised."""
        return [response.delexicalised for response in self.responses]


def delexicalise_submission(
    submission: Submission, delexicaliser: Callable[[str], Delexicalised]
) -> Submission:
    """Return a submission with its responses delexicalised; the given one is left as it is."""
    return Submission(
        {
            id_: tuple(_delexicalised_turn(turn, delexicaliser) for turn in turns)
            for id_, turns in submission.dialogues.items()
        }
    )


def _delexicalised_turn(turn: Turn, delexicaliser: Callable[[str], Delexicalised]) -> Turn:
    found = delexicaliser(turn.response)
    return replace(turn, response=found.text, plain=PlainResponse(turn.response, found))


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
    """Tell whether a benchmark holds the human responses of all turns as they were written."""
    return all(len(d.responses) == d.turns for d in benchmark.dialogues.values())


_PLACEHOLDER = re.compile(r"\[[\w ]{1,40}\]")
# A telephone number, a train id, a postcode: what placeholders stand for.
_CODE = re.compile(
    r"\b(?:0[0-9]{4} ?[0-9]{6}|tr ?[0-9]{4}|[a-z]{2}[0-9]{1,2} ?[0-9][a-z]{2})\b", re.IGNORECASE
)
_FEW = 0.02
"""Share of responses with a placeholder: below it, a system writes none."""


def looks_lexicalised(submission: Submission) -> bool:
    """Tell whether responses seem to be plain English: numbers, and hardly any placeholders."""
    responses = [turn.response for turns in submission.dialogues.values() for turn in turns]
    marked = sum(_PLACEHOLDER.search(response) is not None for response in responses)
    told = sum(_CODE.search(response) is not None for response in responses)
    return told > 0 and marked <= _FEW * len(responses) and marked < told
