"""State-tracking reports as a person reads them: systems side by side, or one dialogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...io.rendering import Cell, figure, text_table
from . import tracking_metrics
from .tracking_report import TrackingReport

SHORTEST_NAME = 8
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
    tables = _whole_tables(title, names, columns)
    if width is None:
        return next(tables)
    for table in tables:
        if _width(table) <= width:
            return table
    return _split_table(title, names, columns, width)


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


def _whole_tables(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    """Yield ever narrower forms of a table with all systems."""
    lengths = [length for length in (32, 24, 16, 12) if length < max(map(len, names))]
    versions = [list(names), *(shortened(names, length) for length in lengths)]
    yield _systems_in_columns(title, versions[0], columns)
    if len(columns[0]) <= FEW_ROWS:
        for version in versions:
            yield _systems_in_rows(version, columns)
    for version in versions[1:]:
        yield _systems_in_columns(title, version, columns)


def _split_table(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]], width: int
) -> str:
    """Return tables of as many systems as fit, at least one, one below the other."""
    short = shortened(names, SHORTEST_NAME)
    tables = []
    start = 0
    while start < len(short):
        stop = start + 1
        table = _systems_in_columns(title, short[start:stop], columns[start:stop])
        while stop < len(short):
            wider = _systems_in_columns(title, short[start : stop + 1], columns[start : stop + 1])
            if _width(wider) > width:
                break
            table, stop = wider, stop + 1
        tables.append(table)
        start = stop
    return "\n\n".join(tables)


def _systems_in_columns(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]]
) -> str:
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    return text_table([title, *names], rows)


def _systems_in_rows(names: Sequence[str], columns: Sequence[Mapping[str, str]]) -> str:
    # A word a line: figures are narrower than what they are called.
    headers = ["system", *(name.replace(" ", "\n") for name in columns[0])]
    return text_table(
        headers, [[name, *column.values()] for name, column in zip(names, columns, strict=True)]
    )


def _width(table: str) -> int:
    return max(map(len, table.splitlines()))


MEAN_OVER_DOMAINS = "mean"


def headlines_text(
    names: Sequence[str], reports: Sequence[TrackingReport], width: int | None = None
) -> str:
    """Return the figures that are reported most as one table, or several if it is too wide.

    Args:
        names: What to call the systems; all different.
        reports: Their reports, all with the same values of λ.
        width: The terminal's, in characters; None if it does not matter.
    """
    return fitted_table("metric (%)", names, [_headlines(report) for report in reports], width)


def side_by_side_text(
    names: Sequence[str], reports: Sequence[TrackingReport], width: int | None = None
) -> str:
    """Return all figures of reports as tables.

    Args:
        names: What to call the systems; all different.
        reports: Their reports, all with the same values of λ.
        width: The terminal's, in characters; None if it does not matter.
    """
    tables = [
        fitted_table("metric (%)", names, [_metrics(report) for report in reports], width),
        fitted_table("count", names, [_counts(report) for report in reports], width),
        fitted_table("along the dialogue", names, [_patterns(r) for r in reports], width),
    ]
    return "\n\n".join(tables)


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
    domains = ""
    if report.per_domain:
        over = report.variants.get("per-domain", "gold-slots")
        mean = {MEAN_OVER_DOMAINS: {"turns": None, **report.per_domain_mean}}
        domains = _table(f"domain (%, over {over})", {**report.per_domain, **mean})
    slots = _table("slot", report.per_slot) if report.per_slot else ""
    return "\n\n".join(filter(None, [domains, slots])) or "no slot has a value"


def _headlines(report: TrackingReport) -> dict[str, str]:
    rows = {
        title: value
        for metric in tracking_metrics().values()
        for title, value in metric.headlines(report).items()
    }
    return {title: figure(value, 2) for title, value in rows.items()}


def _metrics(report: TrackingReport) -> dict[str, str]:
    rows: dict[str, float] = {}
    for metric in tracking_metrics().values():
        # A report that was kept may lack a metric that has come since.
        for key in (key for key in metric.own_keys if key in report.metrics):
            value = report.metrics[key]
            if isinstance(value, Mapping):
                rows |= {f"{key} λ={label}": score for label, score in value.items()}
            else:
                rows[key] = value
        rows |= metric.further(report)
    return {title: figure(value, 2) for title, value in rows.items()}


def _counts(report: TrackingReport) -> dict[str, str]:
    counts = {"dialogues": report.dialogues, "turns": report.turns, **report.counts}
    return {name.replace("_", " "): str(count) for name, count in counts.items()}


def _patterns(report: TrackingReport) -> dict[str, str]:
    losses, mistakes = report.losses, report.mistakes
    return {
        "dialogues that end inexact": str(losses.dialogues),
        "of them exact again after a loss": str(losses.recovered),
        "mean position of their first inexact turn": figure(losses.mean_position, 2),
        "dialogues with mistakes": str(mistakes.dialogues),
        "tail orientation (TO)": figure(mistakes.tail_orientation, 2),
        "non-uniformity (NU)": figure(mistakes.non_uniformity, 2),
        **{
            f"correlation of {measure} and {metric}": figure(value, 2)
            for measure, values in mistakes.correlations.items()
            for metric, value in values.items()
        },
    }


def _table(title: str, table: Mapping[str, Mapping[str, float | None]]) -> str:
    columns = list(next(iter(table.values())))
    rows: list[list[Cell]] = [
        [name, *(_cell(values[column]) for column in columns)] for name, values in table.items()
    ]
    return text_table([title, *columns], rows)


def _cell(value: float | None) -> str:
    return str(value) if isinstance(value, int) else figure(value, 2)
