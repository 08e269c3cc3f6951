"""State-tracking reports as tables: systems side by side, in a terminal or in any format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...io.rendering import figure, text_table
from ...io.tables import Table, best_cells
from ...signature import Signature, comparable_group
from . import PLAIN, headline_figures, tracking_metrics
from .gca import change_scores
from .tracking_report import TrackingReport

SHORTEST_NAME = 8
LENGTHS = (32, 24, 16, 12)
"""To how many characters names are shortened, until a table fits."""

FEW_ROWS = 12
"""How many rows may become the columns of a table."""


def fitted_table(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]], width: int | None
) -> str:
    """Return a table of systems as one or several that are no wider than a terminal.

    Args:
        title: What the rows are.
        names: The systems' names, all different.
        columns: For each system, row -> cell; all have the same rows.
        width: The terminal's, in characters; None if it does not matter.
    """
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    for table in _whole_tables(title, names, columns, rows):
        if width is None or max(map(len, table.splitlines())) <= width:
            return table
    return text_table([title, *shortened(names, SHORTEST_NAME)], rows, width)


def _whole_tables(
    title: str,
    names: Sequence[str],
    columns: Sequence[Mapping[str, str]],
    rows: Sequence[Sequence[str]],
) -> Iterator[str]:
    """Yield ever narrower forms of a table with all systems."""
    lengths = [length for length in LENGTHS if length < max(map(len, names))]
    versions = [list(names), *(shortened(names, length) for length in lengths)]
    yield text_table([title, *names], rows)
    if len(rows) <= FEW_ROWS:
        # A word a line: figures are narrower than what they are called.
        headers = ["system", *(name.replace(" ", "\n") for name in columns[0])]
        cells = [list(column.values()) for column in columns]
        for version in versions:
            yield text_table(headers, [[n, *c] for n, c in zip(version, cells, strict=True)])
    for version in versions[1:]:
        yield text_table([title, *version], rows)


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Return names no longer than so many characters, each different from the others.

    What is left out is marked by an ellipsis, at the end or, where the beginnings are the same,
    before it; where that does not tell names apart, they are numbered.
    """
    if max(map(len, names)) <= longest:
        return list(names)
    for tail in range(longest - 1):
        cut = [_cut(name, longest, tail) for name in names]
        if len(set(cut)) == len(names):
            return cut
    return [_cut(f"{at} {name}", longest, 0) for at, name in enumerate(names, 1)]


def _cut(name: str, longest: int, tail: int) -> str:
    if len(name) <= longest:
        return name
    return f"{name[: longest - 1 - tail]}…{name[len(name) - tail :]}"


def headlines_text(
    names: Sequence[str], reports: Sequence[TrackingReport], width: int | None = None
) -> str:
    """Return the figures that are reported most as one table, or several if it is too wide.

    Args:
        names: What to call the systems; all different.
        reports: Their reports, all with the same values of λ.
        width: The terminal's, in characters; None if it does not matter.
    """
    columns = [_cells(headline_figures(report)) for report in reports]
    return fitted_table("metric (%)", names, columns, width)


def side_by_side_text(
    names: Sequence[str], reports: Sequence[TrackingReport], width: int | None = None
) -> str:
    """Return all figures of reports as tables; the arguments are those of `headlines_text`."""
    tables = {"metric (%)": _metrics, "count": _counts, "along the dialogue": _patterns}
    return "\n\n".join(
        fitted_table(title, names, [column(report) for report in reports], width)
        for title, column in tables.items()
    )


def metrics_help() -> dict[str, str]:
    """Return name -> what it asks, its unit and its source, of every metric there is."""
    return {
        metric.name: " ".join(
            [
                *([f"{_capital(metric.title)}."] if metric.title != metric.name else []),
                metric.question,
                f"{_capital(metric.unit)}. Source: {metric.source}.",
            ]
        )
        for metric in tracking_metrics().values()
    }


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def breakdown_text(report: TrackingReport) -> str:
    """Return a report's scores per domain and outcomes per slot."""
    over = report.variants.get("per-domain", "gold-slots")
    domains: dict[str, Mapping[str, float | None]] = {**report.per_domain}
    if domains:
        domains["mean"] = {"turns": None, **report.per_domain_mean, "lambda": None}
    tables: dict[str, Mapping[str, Mapping[str, float | None]]] = {
        f"domain (%, over {over})": domains,
        "slot (rates in %)": slot_rates(report),
    }
    parts = [
        text_table(
            [title, *(name.replace("_", "\n") for name in next(iter(table.values())))],
            [[name, *_cells(values).values()] for name, values in table.items()],
        )
        for title, table in tables.items()
        if table
    ]
    return "\n\n".join(parts) or "no slot has a value"


def slot_rates(report: TrackingReport) -> dict[str, dict[str, float]]:
    """Return slot -> GCA's counts and, in percent, what it and its parts make of them."""
    weighing = report.variants.get("gca", PLAIN.gca)
    return {
        slot: {
            **counts,
            **{
                "GCA" if name == "gca" else name: 100 * rate
                for name, rate in change_scores(**counts, weighing=weighing).items()
            },
        }
        for slot, counts in report.per_slot.items()
    }


def headlines_table(
    names: Sequence[str],
    reports: Sequence[TrackingReport],
    signatures: Sequence[Signature],
    intervals: Sequence[Mapping[str, Any]] = (),
) -> Table:
    """Return the figures that are reported most, in percent, a row per file.

    The best of a column is marked, of those files that compare with each other.

    Args:
        names: What to call the files.
        reports: Their reports, all with the same metrics and values of λ.
        signatures: What they depend on.
        intervals: Of each, figure -> interval as JSON types; none if they were not asked for.
    """
    found = [headline_figures(report) for report in reports]
    shown = [[*_cells(one).values()] for one in found]
    group = comparable_group(signatures)
    first = group[0] if group else 0
    verdicts = [signatures[first].comparable_with(signature) for signature in signatures]
    comparing = [
        [value if at in group else None for value in one.values()] for at, one in enumerate(found)
    ]
    lines = [str(signature) for signature in signatures]
    ends = [
        {
            f"{name}_{end}": interval[end]
            for name, interval in one.items()
            for end in ("low", "high")
        }
        for one in intervals or [{}] * len(names)
    ]
    return Table(
        name="tracking",
        title="State tracking, in percent",
        headers=["", *found[0]],
        rows=[[name, *row] for name, row in zip(names, shown, strict=True)],
        data=[
            {"name": name, **one, **own, "signature": line}
            for name, one, own, line in zip(names, found, ends, lines, strict=True)
        ],
        notes=[
            *(
                f"not comparable with {names[first]}: {name} ({'; '.join(verdict.reasons)})"
                for name, verdict in zip(names, verdicts, strict=True)
                if not verdict
            ),
            *(
                lines[:1]
                if len(set(lines)) == 1
                else [f"{name}: {line}" for name, line in zip(names, lines, strict=True)]
            ),
        ],
        best={(row, column + 1) for row, column in best_cells(comparing, shown)},
    )


def _cells(values: Mapping[str, float | None]) -> dict[str, str]:
    """Return figures as tables show them: percentages with two digits, counts as they are."""
    return {
        title: str(value) if isinstance(value, int) else figure(value, 2)
        for title, value in values.items()
    }


def _metrics(report: TrackingReport) -> dict[str, str]:
    headings: dict[str, float] = {}
    for metric in tracking_metrics().values():
        headings |= metric.headings(report)
    return _cells(headings)


def _counts(report: TrackingReport) -> dict[str, str]:
    counts = {"dialogues": report.dialogues, "turns": report.turns, **report.counts}
    return {name.replace("_", " "): str(count) for name, count in counts.items()}


def _patterns(report: TrackingReport) -> dict[str, str]:
    losses, mistakes = report.losses, report.mistakes
    return _cells(
        {
            "dialogues that end inexact": losses.dialogues,
            "of them exact again after a loss": losses.recovered,
            "mean position of their first inexact turn": losses.mean_position,
            "dialogues with mistakes": mistakes.dialogues,
            "tail orientation (TO)": mistakes.tail_orientation,
            "non-uniformity (NU)": mistakes.non_uniformity,
            **{
                f"correlation of {measure} and {metric}": value
                for measure, values in mistakes.correlations.items()
                for metric, value in values.items()
            },
        }
    )
