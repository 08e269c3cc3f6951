"""The evaluation harness: submissions in, reports out.

The whole way of the data is one line::

    from mwz.harness import Benchmark, score

    benchmark = Benchmark.load("multiwoz")
    report = score(predictions, benchmark)
"""

from __future__ import annotations

from .benchmark import Benchmark
from .errors import InputError
from .report import Report
from .scoring import score

__all__ = ["Benchmark", "InputError", "Report", "score"]
