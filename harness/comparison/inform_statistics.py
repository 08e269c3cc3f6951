"""Inform, Success and the combined score under resampling: which dialogues are won.

Figures of the strict set-up are `inform`, `success` and `combined`; those of another have its name
before them. A combined score needs the statistics of BLEU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..metrics.inform import combined
from ..metrics.inform_success import dialogue_outcome
from ..metrics.setups import SETUPS, chosen_setups
from ..playing import Played
from ..report import STRICT
from .bleu_statistics import COLUMNS, bleu_of_sums
from .statistics import Figure, Floats, LinearStatistics, Statistics, Values


def statistics(played: Played, others: Mapping[str, Statistics]) -> LinearStatistics:
    """Return the statistics of Inform and Success in the set-ups asked for."""
    setups = chosen_setups(played.setup)
    columns = [np.ones(len(played.submission.dialogues))]
    for name in setups:
        outcomes = [
            dialogue_outcome(dialogue, played.database(), SETUPS[name].setup, played.rules)
            for dialogue in played.under(name)
        ]
        columns.append(np.array([outcome.inform for outcome in outcomes], np.float64))
        columns.append(np.array([outcome.success for outcome in outcomes], np.float64))
    rows = np.column_stack(columns)
    bleu = others.get("bleu")
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
        formula=_Formula(setups),
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
