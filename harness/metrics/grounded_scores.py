"""Grounded Inform and Success, and faithfulness, of responses in plain English.

The rules are in `grounding/`; docs/lexicalised.md tells them. Beside every figure stands what the
human responses get under the same signature: compare with that, not with 100.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import counted
from ..io.rendering import figure, text_table
from . import Headline, Metric, Results
from .inform import TOTAL
from .statistics import Figure, Statistics, percent

if TYPE_CHECKING:
    from ..grounding.rating import (
        GroundedFigures,
        GroundedScores,
        PlainDialogue,
        RatedDialogue,
    )
    from ..submission import NormalizedSubmission
    from .played import Played
    from .results import DialogueResult

# The rules are imported where they are used: most scores do without.


def _row() -> type[RatedDialogue]:
    from ..grounding.rating import RatedDialogue

    return RatedDialogue


def _result() -> type[GroundedScores]:
    from ..grounding.rating import GroundedScores

    return GroundedScores


def grounded_scores(results: Sequence[DialogueResult]) -> GroundedScores:
    """Return the scores of dialogues, without those of the human responses."""
    from ..grounding.rating import GroundedScores, grounded_figures

    rated = (one.further["grounded"] for one in results)
    return GroundedScores.of_figures(grounded_figures(one.rating for one in rated), None)


def _with_ceiling(played: Played) -> GroundedScores:
    return replace(grounded_scores(played.results), ceiling=played_ceiling(played))


def played_ceiling(played: Played) -> GroundedFigures | None:
    """Return what the human responses of the turns played get; None where they are not known."""
    from ..grounding.rating import ceiling, rated_human

    human = played.human()
    return ceiling(
        [(id_, len(turns)) for id_, turns in played.submission.dialogues.items()],
        played.benchmark,
        None if human is None else human.booked,
        lambda gold, turns: rated_human(gold, turns, played.database(), played.delexicaliser()),
    )


def plain_dialogues(played: Played) -> dict[str, PlainDialogue]:
    """Return the dialogues in plain English by their ids, in the submission's order."""
    from ..grounding.rating import PlainDialogue

    found = {}
    for id_, dialogue in played.submission.dialogues.items():
        gold = played.benchmark.dialogues[id_]
        responses = [plain for plain in dialogue.plain if plain is not None]
        found[id_] = PlainDialogue(responses, gold.goal, gold.booked_domains)
    return found


def rated_dialogues(played: Played) -> list[RatedDialogue]:
    """Return how each dialogue in plain English went, in the submission's order."""
    from ..grounding.rating import rated

    database, gazetteer = played.database(), played.delexicaliser().gazetteer
    return [rated(one, database, gazetteer) for one in plain_dialogues(played).values()]


_RATES = {
    "inform": "Inform any",
    "inform_all": "Inform all",
    "success": "Success any",
    "success_all": "Success all",
    "success_requested": "all requested",
}
_REQUESTED = "grounded.success_requested"
_SHARES = ("in_database", "of_named_venue")
_FIGURES = (
    Figure("grounded.inform", "Grounded Inform", digits=1, main=True),
    Figure("grounded.inform_all", "Grounded Inform, all", digits=1),
    Figure("grounded.success", "Grounded Success", digits=1, main=True),
    Figure("grounded.success_all", "Grounded Success, all", digits=1, main=True),
    Figure("grounded.success_requested", "Grounded Success, all requested", digits=1, main=True),
    Figure("grounded.in_database", "Told, in database", digits=1),
    Figure("grounded.of_named_venue", "Told, of a named venue", digits=1),
)


def statistics(results: Sequence[DialogueResult]) -> Statistics:
    """Return the statistics of the totals: which dialogues are won, and what is told."""
    from ..grounding.rating import OUTCOMES

    ratings = [one.further["grounded"].rating for one in results]
    rows = [
        (
            1,
            *map(bool, one.won[TOTAL]),
            one.faithfulness.told,
            *(getattr(one.faithfulness, name) for name in _SHARES),
        )
        for one in ratings
    ]
    unknown = any(None in one.won[TOTAL] for one in ratings)
    figures = [one for one in _FIGURES if not (unknown and one.name == _REQUESTED)]
    columns = {f"grounded.{name}": at for at, name in enumerate(OUTCOMES, start=1)}
    wins = {one.name: columns[one.name] for one in figures if one.name in columns}
    return Statistics.of_rows(figures, rows, _values, wins, of_samples=True, exact=True)


def _values(sums: Sequence[float]) -> dict[str, float]:
    """Return figure -> percent; a share of nothing told is 0."""
    dialogues, *won, told, in_database, of_named_venue = sums
    values = (
        *(percent(one, dialogues) for one in won),
        *(percent(part, told) for part in (in_database, of_named_venue)),
    )
    return {figure.name: value for figure, value in zip(_FIGURES, values, strict=True)}


def _unfit(submission: NormalizedSubmission) -> str | None:
    if submission.lexicalised:
        return None
    return "`grounded` needs responses in plain English, scored as such; use --lexicalised"


def _text(_: Metric, scores: GroundedScores) -> str:
    """Show every figure with that of the human responses behind it."""
    human = scores.ceiling
    shown = {name: title for name, title in _RATES.items() if getattr(scores, name)}
    headers = ["grounded"]
    for title in shown.values():
        headers += [title, "human"]
    rows = [
        [
            domain,
            *(
                figure(rates.get(domain))
                for name in shown
                for rates in (getattr(scores, name), {} if human is None else getattr(human, name))
            ),
        ]
        for domain in (TOTAL, *sorted(scores.inform.keys() - {TOTAL}))
    ]
    told = [("this system", scores.faithfulness)]
    told += [] if human is None else [("human responses", human.faithfulness)]
    shares = text_table(
        ["faithfulness", "told", "in database %", "of a named venue %"],
        [
            [whose, shares.told, figure(shares.in_database), figure(shares.of_named_venue)]
            for whose, shares in told
        ],
    )
    remarks = [
        "Every other score is that of the responses delexicalised by the harness.\n"
        "Their BLEU does not compare with that of systems that delexicalise themselves."
    ]
    if human is not None:
        remarks.append(
            f"human: the human responses of {counted(human.dialogues, 'dialogue')} under the same "
            "signature."
        )
    return "\n\n".join([text_table(headers, rows), shares, "\n".join(remarks)])


def _totals(scores: GroundedScores | GroundedFigures) -> dict[str, float | None]:
    """Return figure -> percent over all domains."""
    shares = scores.faithfulness
    return {
        **{f"grounded.{name}": getattr(scores, name).get(TOTAL) for name in _RATES},
        **{f"grounded.{name}": getattr(shares, name) for name in _SHARES},
    }


def _headline(figure: Figure) -> Headline:
    def value(report: Results, setup: str) -> float | None:
        scores = report.metrics.get("grounded")
        return None if scores is None else _totals(scores)[figure.name]

    def human(report: Results) -> float | None:
        found = getattr(report.metrics.get("grounded"), "ceiling", None)
        return None if found is None else _totals(found)[figure.name]

    return Headline(figure.name, figure.title, value, figure.digits, ceiling=human)


METRIC = Metric(
    name="grounded",
    title="Grounded",
    states=False,
    description="Inform, Success and faithfulness of responses in plain English, from text, "
    "database and goal alone; needs --lexicalised, which adds it.",
    unit="percent",
    source="docs/lexicalised.md",
    per_dialogue=rated_dialogues,
    compute=grounded_scores,
    overall=_with_ceiling,
    statistics=statistics,
    row=_row,
    result=_result,
    text=_text,
    headlines=(),
    further=tuple(map(_headline, _FIGURES)),
    unfit=_unfit,
    default=False,
    rank=3,
)
