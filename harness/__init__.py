"""The evaluation harness: submissions in, reports out.

The whole way of the data is one line::

    from mwz.harness import Options, Scorer, load_benchmark

    scorer = Scorer(load_benchmark("multiwoz"), Options(rules="2021"))
    report = scorer.score(predictions)

`score(predictions, benchmark)` does it once. The names are imported when they are first used: much
of the command line does without them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .benchmark import Benchmark
    from .data.installed import load_benchmark
    from .errors import InputError
    from .metrics.results import DialogueResult
    from .scoring import Options, Scorer, score
    from .scoring.report import Report
    from .signature import Signature

__all__ = [
    "Benchmark",
    "DialogueResult",
    "InputError",
    "Options",
    "Report",
    "Scorer",
    "Signature",
    "load_benchmark",
    "score",
]

_HOMES = {
    "Benchmark": "benchmark",
    "DialogueResult": "metrics.results",
    "InputError": "errors",
    "Options": "scoring",
    "Report": "scoring.report",
    "Scorer": "scoring",
    "Signature": "signature",
    "load_benchmark": "data.installed",
    "score": "scoring",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
