"""The evaluation harness: submissions in, reports out.

The whole way of the data is one line::

    from mwz.harness import Benchmark, Options, score

    benchmark = Benchmark.load("multiwoz")
    report = score(predictions, benchmark, Options(rules="2021"))

The names are imported when they are first used: much of the command line does without them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .benchmark import Benchmark
    from .errors import InputError
    from .report import Report
    from .scoring import Options, score

__all__ = ["Benchmark", "InputError", "Options", "Report", "score"]

_HOMES = {
    "Benchmark": "benchmark",
    "InputError": "errors",
    "Options": "scoring",
    "Report": "report",
    "score": "scoring",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
