"""What tests of intervals and comparisons share: sample systems, and figures of reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from helpers import sample_predictions

from mwz.harness.comparison import Evidence
from mwz.harness.data import load_benchmark
from mwz.harness.metrics import Figure, Metric, Presentation, Sums, resampled_metrics
from mwz.harness.scoring import Options, Report, Scorer
from mwz.harness.signature import Signature

# Grounded scores need responses in plain English.
EVERYTHING = tuple(name for name in resampled_metrics() if name != "grounded")


@cache
def sample_scorer(*metrics: str) -> Scorer:
    """Return a scorer of the sample benchmark."""
    return Scorer(load_benchmark("sample"), Options(metrics=metrics or EVERYTHING))


@cache
def sample_evidence(name: str, *metrics: str) -> Evidence:
    """Return what is known of one of the sample's submissions."""
    return sample_scorer(*metrics).evidence(name, sample_predictions(name))


def report_figures(report: Report) -> dict[str, float]:
    """Return the figures of a report by the names that comparisons call them by."""
    figures: dict[str, float] = {}
    for style, score in (report.bleu or {}).items():
        figures["bleu" if style == "mwz22" else f"bleu.{style}"] = score
    for setup in ("strict", "optimistic"):
        scores = report.metrics[setup]
        if scores is not None:
            prefix = "" if setup == "strict" else "optimistic."
            figures[f"{prefix}inform"] = scores.inform["total"]
            figures[f"{prefix}success"] = scores.success["total"]
            if scores.combined is not None:
                figures[f"{prefix}combined"] = scores.combined
    if report.dst is not None:
        figures |= {f"dst.{name}": value for name, value in report.dst.figures.items()}
    # Of other metrics the one number that each is.
    others = {name: report.metrics.get(name) for name in resampled_metrics()}
    return figures | {name: value for name, value in others.items() if isinstance(value, float)}


def _mean(sums: Sums) -> dict[str, float]:
    return {"mean": sums["score"] / sums["dialogues"]}


def made_up(scores: Any, formula: Callable[[Sums], Mapping[str, float]] = _mean) -> Evidence:
    """Return what is known of a system by one whole number per dialogue."""
    rows = {}
    for number, score in enumerate(scores):
        rows[f"d{number}"] = {"dialogues": 1, "score": float(score)}
    [name] = formula({"dialogues": 1, "score": 1})
    shown = Presentation(name.title(), "", "points", "", [Figure(name, name.title())])
    metric: Metric[object] = Metric(name, shown, formula=formula)
    return Evidence.from_rows("made up", Signature(), metric, rows)
