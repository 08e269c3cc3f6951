"""Submissions in plain English: delexicalised before they are scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from mwz.normalization.responses import placeholder_names
from mwz.normalization.rules import DEFAULT_RULES, rule_set

from ..benchmark import Benchmark
from ..errors import InputError
from . import Submission
from .checking import Turn
from .remarks import KIND, Remark

if TYPE_CHECKING:
    from mwz.normalization.responses import Delexicalised

_SHOWN = 3
"""How many placeholders a remark names."""


def delexicalise_submission(
    submission: Submission, delexicaliser: Callable[[str], Delexicalised]
) -> Submission:
    """Return a submission with its responses delexicalised; the given one is left as it is.

    What was remarked of its placeholders holds no longer.
    """
    return replace(
        submission,
        dialogues={
            id_: tuple(_delexicalised_turn(turn, delexicaliser) for turn in turns)
            for id_, turns in submission.dialogues.items()
        },
        remarks=plain_remarks(submission),
    )


def plain_remarks(submission: Submission) -> tuple[Remark, ...]:
    """Return the remarks on a submission whose responses are meant to be plain English."""
    ontology = rule_set(DEFAULT_RULES).ontology
    responses = [turn.response for turns in submission.dialogues.values() for turn in turns]
    found = [{n for n in placeholder_names(text) if n in ontology} for text in responses]
    names = Counter(name for one in found for name in sorted(one))
    others = tuple(remark for remark in submission.remarks if remark.kind != KIND)
    if not names:
        return others
    shown = ", ".join(f"[{name}]" for name, _ in names.most_common(_SHOWN))
    message = (
        f"{sum(map(bool, found))} of {len(responses)} responses hold placeholders ({shown}), which "
        "name and tell nothing in grounded scores; if they are all delexicalised, score them "
        "without --lexicalised"
    )
    return (*others, Remark(KIND, message))


def _delexicalised_turn(turn: Turn, delexicaliser: Callable[[str], Delexicalised]) -> Turn:
    found = delexicaliser(turn.response)
    return turn._replace(response=found.text, plain=found)


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
