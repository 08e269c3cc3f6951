"""Is it better? Intervals of scores, and paired tests between systems.

The unit is the dialogue, for every metric: the turns of a dialogue are not independent. A system is
known by `Evidence`, per-dialogue sufficient statistics as arrays; every resampled score is computed
from these by matrix products, and no text is scored again::

    from mwz.harness import Scorer, load_benchmark
    from mwz.harness.comparison import compare, intervals_of

    scorer = Scorer(load_benchmark("multiwoz"))
    first, second = (scorer.evidence(name, one) for name, one in predictions.items())
    intervals_of(first)["inform"]  # Interval(value=88.9, low=86.80…, high=90.69…, …)
    compare(first, [second]).pairs[0].differences["bleu"].p

A metric can be resampled if its `METRIC` has `statistics`, a function that returns the statistics
of what was played.

The names are imported when they are first used, because NumPy takes its time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .interval import SEED

if TYPE_CHECKING:
    from .comparing import Comparison, compare
    from .evidence import Evidence, evidence_of, intervals_of, tracking_evidence
    from .interval import Interval, Spread, spread_of

__all__ = [
    "SEED",
    "Comparison",
    "Evidence",
    "Interval",
    "Spread",
    "compare",
    "evidence_of",
    "intervals_of",
    "spread_of",
    "tracking_evidence",
]

_HOMES = ("interval", "evidence", "comparing")
"""The modules that hold them, the ones that take less time first."""


def __getattr__(name: str) -> object:
    for home in _HOMES if name in __all__ else ():
        module = importlib.import_module(f".{home}", __name__)
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
