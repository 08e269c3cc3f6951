"""Grounded scores of what was played: dialogue by dialogue, over all, and for people to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import counted
from ..io.rendering import Cell, figure, text_table
from ..metrics.inform import TOTAL
from ..metrics.played import Played
from ..metrics.results import DialogueResult
from ..metrics.statistics import Statistics, percent
from .grounded import GroundedDialogue, PlainDialogue, grounded
from .metrics.grounded_scores import FIGURES, SHARES
from .rating import OUTCOMES, GroundedFigures, GroundedScores, grounded_figures, rating

_RATES = {
    "inform": "Inform any",
    "inform_all": "Inform all",
    "success": "Success any",
    "success_all": "Success all",
    "success_requested": "all requested",
}
_REQUESTED = "grounded.success_requested"


def plain_dialogues(played: Played) -> dict[str, PlainDialogue]:
    """Return the dialogues in plain English by their ids, in the submission's order."""
    dialogues = {}
    for id_, dialogue in played.submission.dialogues.items():
        gold = played.benchmark.dialogues[id_]
        responses = [plain for plain in dialogue.plain if plain is not None]
        dialogues[id_] = PlainDialogue(responses, gold.goal, gold.booked_domains, gold.users)
    return dialogues


def grounded_dialogues(played: Played) -> list[GroundedDialogue]:
    """Return how each dialogue in plain English went, in the submission's order."""
    database, gazetteer = played.database(), played.delexicaliser().gazetteer
    return [grounded(one, database, gazetteer) for one in plain_dialogues(played).values()]


def grounded_scores(results: Sequence[DialogueResult]) -> GroundedScores:
    """Return the scores of dialogues, without those of the human responses."""
    ratings = (rating(one.further["grounded"]) for one in results)
    return GroundedScores.of_figures(grounded_figures(ratings), None)


def with_ceiling(played: Played) -> GroundedScores:
    """Return the scores of what was played, and of the human responses to the same turns."""
    return replace(grounded_scores(played.results), ceiling=played_ceiling(played))


def played_ceiling(played: Played) -> GroundedFigures | None:
    """Return what the human responses of the turns played get; None where they are not known."""
    dialogues = played.submission.dialogues.items()
    human: GroundedFigures | None = played.ceiling((id_, len(turns)) for id_, turns in dialogues)
    return human


def statistics(results: Sequence[DialogueResult]) -> Statistics:
    """Return the statistics of the totals: which dialogues are won, and what is told."""
    ratings = [rating(one.further["grounded"]) for one in results]
    rows = [
        (
            1,
            *map(bool, one.won[TOTAL]),
            one.faithfulness.told,
            *(getattr(one.faithfulness, name) for name in SHARES),
        )
        for one in ratings
    ]
    unknown = any(None in one.won[TOTAL] for one in ratings)
    figures = [one for one in FIGURES if not (unknown and one.name == _REQUESTED)]
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
    return {figure.name: value for figure, value in zip(FIGURES, values, strict=True)}


def text(scores: GroundedScores) -> str:
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
    remarks = [
        "Every other score is that of the responses delexicalised by the harness.\n"
        "Their BLEU does not compare with that of systems that delexicalise themselves."
    ]
    if human is not None:
        remarks.append(
            f"human: the human responses of {counted(human.dialogues, 'dialogue')} under the same "
            "signature."
        )
    shares = faithfulness_table(scores, human)
    return "\n\n".join([text_table(headers, rows), shares, "\n".join(remarks)])


def faithfulness_table(
    scores: GroundedScores | GroundedFigures, human: GroundedFigures | None
) -> str:
    """Show what a system tells of venues, and what the human responses do."""
    whose = {"this system": scores, "human responses": human}
    rows: list[list[Cell]] = [
        [name, one.faithfulness.told, *(figure(getattr(one.faithfulness, s)) for s in SHARES)]
        for name, one in whose.items()
        if one is not None
    ]
    return text_table(["faithfulness", "told", "in database %", "of a named venue %"], rows)
