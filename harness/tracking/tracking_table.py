"""The main figures of state tracking as one table, a row per file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..io.rendering import figure
from ..io.tables import Table, best_cells
from ..metrics.tracking import tracking_metrics
from ..metrics.tracking.tracking_report import TrackingReport
from ..signature import Signature

_DIGITS = 2


def headlines_table(
    names: Sequence[str],
    reports: Sequence[TrackingReport],
    signatures: Sequence[Signature],
    intervals: Sequence[Mapping[str, Any]] = (),
) -> Table:
    """Return the figures that are reported most, in percent.

    The best of a column is marked, of those files that compare with the first one.

    Args:
        names: What to call the files.
        reports: Their reports, all with the same metrics and values of λ.
        signatures: What they depend on.
        intervals: Of each, figure -> interval as JSON types; none if they were not asked for.
    """
    found = [
        {
            title: value
            for metric in tracking_metrics().values()
            for title, value in metric.headlines(report).items()
        }
        for report in reports
    ]
    titles = list(found[0])
    values = [[one[title] for title in titles] for one in found]
    shown = [[figure(value, _DIGITS) for value in row] for row in values]
    comparing = [
        row if signatures[0].comparable_with(signature) else [None] * len(row)
        for row, signature in zip(values, signatures, strict=True)
    ]
    reasons = [
        f"not comparable with {names[0]}: {name} ({'; '.join(verdict.reasons)})"
        for name, signature in zip(names[1:], signatures[1:], strict=True)
        if not (verdict := signatures[0].comparable_with(signature))
    ]
    told = [str(signature) for signature in signatures]
    same = len(set(told)) == 1
    return Table(
        name="tracking",
        title="State tracking, in percent",
        headers=["", *titles],
        rows=[[name, *row] for name, row in zip(names, shown, strict=True)],
        data=[
            {"name": name, **one, **_ends(own), "signature": signature}
            for name, one, own, signature in zip(
                names, found, intervals or [{}] * len(names), told, strict=True
            )
        ],
        notes=[
            *reasons,
            *(told[:1] if same else [f"{n}: {s}" for n, s in zip(names, told, strict=True)]),
        ],
        best={(row, column + 1) for row, column in best_cells(comparing, shown)},
    )


def _ends(intervals: Mapping[str, Any]) -> dict[str, float]:
    """Return the ends of intervals, of all figures that have one."""
    return {f"{name}_{end}": one[end] for name, one in intervals.items() for end in ("low", "high")}
