"""Grounded Inform and Success, and faithfulness, of responses in plain English.

The rules are in `grounding/`; docs/lexicalised.md tells them. Beside every figure stands what the
human responses get under the same signature: compare with that, not with 100.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..metrics import TOTAL, Figure, Headline, Metric

if TYPE_CHECKING:
    from ..submission import NormalizedSubmission

FIGURES = (
    Figure("grounded.inform", "Grounded Inform", digits=1, main=True),
    Figure("grounded.inform_all", "Grounded Inform, all", digits=1),
    Figure("grounded.success", "Grounded Success", digits=1, main=True),
    Figure("grounded.success_all", "Grounded Success, all", digits=1, main=True),
    Figure("grounded.success_requested", "Grounded Success, all requested", digits=1, main=True),
    Figure("grounded.in_database", "Told, in database", digits=1),
    Figure("grounded.of_named_venue", "Told, of a named venue", digits=1),
)


def _rules() -> Any:
    """Return what computes the scores: most scores do without, and need not load it."""
    return import_module("mwz.harness.grounding.scores")


def _headline(figure: Figure) -> Headline:
    name = figure.name.removeprefix("grounded.")

    def total(scores: Any) -> float | None:
        if scores is None:
            return None
        rates = getattr(scores, name, None)
        value: float | None
        value = scores.faithfulness[name] if rates is None else rates.get(TOTAL)
        return value

    def value(results: Mapping[str, Any], setup: str) -> float | None:
        return total(results.get("grounded"))

    def human(results: Mapping[str, Any]) -> float | None:
        return total(getattr(results.get("grounded"), "ceiling", None))

    return Headline(figure.name, figure.title, value, figure.digits, ceiling=human)


def _unfit(submission: NormalizedSubmission) -> str | None:
    if submission.lexicalised:
        return None
    return "`grounded` needs responses in plain English, scored as such; use --lexicalised"


METRIC = Metric(
    name="grounded",
    title="Grounded",
    states=False,
    description="Inform, Success and faithfulness of responses in plain English, from text, "
    "database and goal alone; needs --lexicalised, which adds it.",
    unit="percent",
    source="docs/lexicalised.md",
    per_dialogue=lambda played: _rules().grounded_dialogues(played),
    compute=lambda results: _rules().grounded_scores(results),
    overall=lambda played: _rules().with_ceiling(played),
    statistics=lambda results: _rules().statistics(results),
    row=lambda: _rules().GroundedDialogue,
    result=lambda: _rules().GroundedScores,
    text=lambda metric, scores: _rules().text(scores),
    headlines=(),
    further=tuple(map(_headline, FIGURES)),
    unfit=_unfit,
    default=False,
    rank=3,
)
