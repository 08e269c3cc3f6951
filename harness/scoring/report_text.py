"""Scores as a person reads them: the report of one file, and several files in one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..comparison.interval import Interval
from ..errors import cut
from ..io.rendering import figure, text_table
from ..io.tables import Table, best_cells
from ..metrics import Headline, headlines, response_metrics, table_figures
from ..metrics.setups import SETUPS
from .many import ScoredSubmission, intervals_read
from .report import Report


def report_text(report: Report) -> str:
    """Return the report as text: totals first, then what they are made of, last the signature.

    Gold belief states are told before anything else: a score made with them is another score.
    """
    parts = [
        _head(report),
        _totals(report),
        *_metrics(report),
        "\n".join(_notes(report)),
        str(report.signature),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(report: Report) -> str:
    gold = "Inform and Success with gold belief states, not with predicted ones"
    return gold if _with_gold_states(report) else ""


def _with_gold_states(report: Report) -> bool:
    return report.states == "gold" and any(map(report.setup, SETUPS))


_TOTALS = ("bleu", "inform", "success", "combined")


def _totals(report: Report) -> str:
    setups = [name for name in SETUPS if report.setup(name) is not None]
    if not setups:
        return ""
    columns = [headlines()[name] for name in _TOTALS]
    rows = [[name, *(figure(c.value(report, name), c.digits) for c in columns)] for name in setups]
    return text_table(["total", *(column.title for column in columns)], rows)


def _metrics(report: Report) -> Iterator[str]:
    """Yield each metric's own table."""
    for metric in response_metrics().values():
        results = {key: report.metrics[key] for key in metric.results if key in report.metrics}
        if results:
            yield metric.text(metric, results if metric.keys else results[metric.name])


def _notes(report: Report) -> Iterator[str]:
    coverage = report.coverage
    if not coverage.complete or coverage.dialogues < coverage.of:
        yield (
            f"coverage: {coverage.dialogues} of {coverage.of} dialogues, {coverage.turns} of "
            f"{coverage.of_turns} turns ({figure(coverage.percent, 2)} %)"
        )
    if report.unknown_placeholders:
        counts = ", ".join(f"[{name}] {n}×" for name, n in report.unknown_placeholders.items())
        yield f"unknown placeholders, replaced by nothing: {counts}"
    if report.goals != "all":
        yield f"{report.goals} goals only: {coverage.of} of the benchmark's dialogues"
    named = {name: scores for name in SETUPS if (scores := report.setup(name)) is not None}
    domains = "".join(
        f"active domains ({name}): {scores.domains}; "
        for name, scores in named.items()
        if name != "optimistic"
    )
    if report.states:
        yield f"{domains}belief states: {report.states}"


_LONGEST_REASON = 300


def score_table(files: Sequence[tuple[str, ScoredSubmission]]) -> Table:
    """Return a table of the figures that papers report, a row per file.

    The figures shown are of the strict set-up, or of the one that was asked for alone; JSON and
    CSV have both of two. The best of a column is marked, of those files that compare with
    the first one.

    Args:
        files: What to call each file, and what came of it.
    """
    names, outcomes = zip(*files, strict=True)
    reports = [outcome.report for outcome in outcomes]
    setups = [name for name in SETUPS if any(report.setup(name) for report in reports)]
    setup = setups[0] if setups else next(iter(SETUPS))
    columns = [
        one
        for one in table_figures().values()
        if any(one.value(report, setup) is not None for report in reports)
    ]
    values = [[column.value(report, setup) for column in columns] for report in reports]
    cells = [
        [
            _cell(intervals.get(column.name), value, column.digits)
            for column, value in zip(columns, own, strict=True)
        ]
        for intervals, own in zip(
            (intervals_read(outcome.intervals) for outcome in outcomes), values, strict=True
        )
    ]
    comparing = [
        own if reports[0].signature.comparable_with(report.signature) else [None] * len(own)
        for own, report in zip(values, reports, strict=True)
    ]
    what = "1 file" if len(names) == 1 else f"{len(names)} files"
    return Table(
        name="scores",
        title=f"Scores of {what}, {setup} set-up" if setups else f"Scores of {what}",
        headers=["", *(column.title for column in columns)],
        rows=[[name, *own] for name, own in zip(names, cells, strict=True)],
        data=_data(names, reports, setups),
        notes=[
            *_ceilings(columns, reports),
            *_reasons(names, reports),
            *_gold(names, reports),
            *_signatures(names, outcomes),
        ],
        best={(row, column + 1) for row, column in best_cells(comparing, cells)},
    )


def _cell(interval: Interval | None, value: float | None, digits: int) -> str:
    return figure(value, digits) if value is None or interval is None else interval.text(digits)


def _data(
    names: Sequence[str], reports: Sequence[Report], setups: Sequence[str]
) -> list[dict[str, object]]:
    """Return the rows as JSON types: every figure in full; of another set-up, those that differ."""
    first, *others = setups or [next(iter(SETUPS))]
    figures = table_figures()
    columns = {
        **{name: (name, first) for name in figures},
        **{
            f"{setup}_{name}": (name, setup)
            for setup in others
            for name, one in figures.items()
            if any(one.value(r, setup) != one.value(r, first) for r in reports)
        },
    }
    columns = {
        key: (name, setup)
        for key, (name, setup) in columns.items()
        if any(figures[name].value(report, setup) is not None for report in reports)
    }
    return [
        {
            "name": shown,
            **{key: figures[name].value(report, setup) for key, (name, setup) in columns.items()},
            "states": report.states,
            "domains": report.domains,
            "signature": str(report.signature),
        }
        for shown, report in zip(names, reports, strict=True)
    ]


def _ceilings(columns: Sequence[Headline], reports: Sequence[Report]) -> list[str]:
    """Say what the human responses get, where it is the same for all files."""
    shown = []
    for column in columns:
        first, *others = (column.ceiling(report) for report in reports)
        if first is not None and all(value == first for value in others):
            shown.append(f"{column.title} {figure(first, column.digits)}")
    return [f"human responses: {'; '.join(shown)}"] if shown else []


def _reasons(names: Sequence[str], reports: Sequence[Report]) -> list[str]:
    """Say which scores do not compare with the first ones, and why."""
    whose: dict[str, list[str]] = {}
    for name, report in zip(names[1:], reports[1:], strict=True):
        reasons = reports[0].signature.comparable_with(report.signature).reasons
        if reasons:
            whose.setdefault("; ".join(reasons), []).append(name)
    return [
        f"not comparable with {names[0]}: {cut(', '.join(others), _LONGEST_REASON)} ({reason})"
        for reason, others in whose.items()
    ]


def _gold(names: Sequence[str], reports: Sequence[Report]) -> list[str]:
    gold = [name for name, one in zip(names, reports, strict=True) if _with_gold_states(one)]
    return [f"with gold belief states, not with predicted ones: {', '.join(gold)}"] if gold else []


def _signatures(names: Sequence[str], outcomes: Sequence[ScoredSubmission]) -> list[str]:
    """Return the signatures, and whose they are where they differ."""
    whose: dict[str, list[str]] = {}
    for name, outcome in zip(names, outcomes, strict=True):
        known: Mapping[str, object] = outcome.intervals or {}
        whose.setdefault(str(known.get("signature", outcome.report.signature)), []).append(name)
    if len(whose) == 1:
        return list(whose)
    return [f"{', '.join(own)}: {signature}" for signature, own in whose.items()]
