"""Grounded scores under resampling: which dialogues are won by the text, and what is told.

A share of nothing told is 0.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..metrics.grounded_scores import rated_dialogues
from ..playing import Played
from .statistics import Figure, Floats, LinearStatistics, Statistics, Values, share

_RATES = ("inform", "inform_all", "success")
_SHARES = ("in_database", "of_named_venue")
_TITLES = {
    "inform": "Grounded Inform",
    "inform_all": "Grounded Inform, all",
    "success": "Grounded Success",
    "in_database": "Told, in database",
    "of_named_venue": "Told, of a named venue",
}


def statistics(played: Played, others: Mapping[str, Statistics]) -> LinearStatistics:
    """Return the statistics of grounded Inform and Success and of faithfulness."""
    rows = [
        (
            1,
            *(getattr(one.grounded, name) for name in _RATES),
            one.faithfulness.told,
            *(getattr(one.faithfulness, name) for name in _SHARES),
        )
        for one in rated_dialogues(played)
    ]
    return LinearStatistics(
        figures=[
            Figure(_name(name), title, digits=1, main=name in ("inform", "success"))
            for name, title in _TITLES.items()
        ],
        rows=np.array(rows, np.float64),
        formula=_values,
        wins={_name(name): 1 + at for at, name in enumerate(_RATES)},
    )


def _name(figure: str) -> str:
    return f"grounded.{figure}"


def _values(sums: Floats) -> Values:
    dialogues, told = sums[:, 0], sums[:, 1 + len(_RATES)]
    rates = {_name(name): 100 * sums[:, 1 + at] / dialogues for at, name in enumerate(_RATES)}
    after = 2 + len(_RATES)
    shares = {
        _name(name): share(100 * sums[:, after + at], told) for at, name in enumerate(_SHARES)
    }
    return rates | shares
