"""Inform, Success and the combined score under resampling: which dialogues are won.

Figures of the strict set-up are `inform`, `success` and `combined`; those of another have its name
before them. A combined score needs the statistics of BLEU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..metrics.inform import BOTH, SETUPS, combined
from ..metrics.inform_success import dialogue_outcome
from ..playing import Played
from ..report import STRICT
from .bleu_statistics import COLUMNS, bleu_of_sums
from .statistics import Figure, Floats, LinearStatistics, Statistics, Values


def statistics(played: Played, others: Mapping[str, Statistics]) -> LinearStatistics:
    """Return the statistics of Inform and Success in the set-ups asked for."""
    setups = [name for name in SETUPS if played.setup in (name, BOTH)]
    marks = {}
    for name, (setup, own_domains) in ((name, SETUPS[name]) for name in setups):
        outcomes = [
            dialogue_outcome(dialogue, played.database(), setup, played.rules)
            for dialogue in played.dialogues(own_domains or played.domains)
        ]
        marks[name] = (
            [outcome.inform for outcome in outcomes],
            [outcome.success for outcome in outcomes],
        )
    return outcome_statistics(marks, others.get("bleu"))


def outcome_statistics(
    marks: Mapping[str, tuple[Sequence[int], Sequence[int]]], bleu: Statistics | None
) -> LinearStatistics:
    """Return the statistics of Inform and Success by the dialogues that are won.

    Args:
        marks: Set-up -> 1 or 0 for each dialogue's Inform, and for its Success.
        bleu: The statistics of BLEU that combined scores are made with, if there are any.
    """
    setups = list(marks)
    won = [np.array(one, np.float64) for both in marks.values() for one in both]
    rows = np.column_stack([np.ones(len(won[0])), *won])
    if isinstance(bleu, LinearStatistics):
        rows = np.hstack([rows, bleu.rows[:, :COLUMNS]])
    names = ["inform", "success", *(["combined"] if bleu is not None else [])]
    return LinearStatistics(
        figures=[
            Figure(
                _name(setup, name),
                name.capitalize() if setup == STRICT else f"{name.capitalize()}, {setup}",
                digits=2 if name == "combined" else 1,
                main=setup == STRICT,
            )
            for setup in setups
            for name in names
        ],
        rows=rows,
        formula=_Formula(tuple(setups)),
        wins={
            _name(setup, name): 1 + 2 * at + offset
            for at, setup in enumerate(setups)
            for offset, name in enumerate(("inform", "success"))
        },
    )


def _name(setup: str, figure: str) -> str:
    return figure if setup == STRICT else f"{setup}.{figure}"


@dataclass(frozen=True)
class _Formula:
    """Makes rates of numbers of dialogues, and combined scores where sums of BLEU follow them."""

    setups: tuple[str, ...]

    def __call__(self, sums: Floats) -> Values:
        values = {}
        dialogues, after = sums[:, 0], 1 + 2 * len(self.setups)
        bleu = bleu_of_sums(sums[:, after:]) if sums.shape[1] > after else None
        for at, setup in enumerate(self.setups):
            inform, success = (100 * sums[:, 1 + 2 * at + k] / dialogues for k in (0, 1))
            values[_name(setup, "inform")] = inform
            values[_name(setup, "success")] = success
            if bleu is not None:
                values[_name(setup, "combined")] = _combined(inform, success, bleu)
        return values


def _combined(inform: Floats, success: Floats, bleu: Floats) -> Floats:
    # The formula is one of plain numbers, and as good for arrays of them.
    of_arrays: Floats = combined(inform, success, bleu)  # type: ignore[arg-type,assignment]
    return of_arrays
