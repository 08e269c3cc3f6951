"""The scores of several files in one table, and the notes that such tables have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..errors import cut
from ..io import Table, best_cells, figure
from ..metrics import SETUPS, Headline, headlines, response_metrics
from ..scoring import Report, ScoredSubmission, reporting_words
from ..signature import Signature, comparable_group


def score_table(files: Sequence[tuple[str, ScoredSubmission]]) -> Table:
    """Return a table of the figures that papers report, a row per file.

    The figures shown are of the strict set-up, or of the one that was asked for alone; JSON and
    CSV have both of two. Of files that lack turns they are the lower bounds that systems are ranked
    by. The best of a column is marked, of those files that compare with each other.

    Args:
        files: What to call each file, and its result.
    """
    names, outcomes = zip(*files, strict=True)
    reports = [outcome.report for outcome in outcomes]
    setups = [name for name in SETUPS if any(report.setup(name) for report in reports)]
    setup = setups[0] if setups else next(iter(SETUPS))
    columns = [
        one
        for one in _figures().values()
        if any(one.value(report.metrics, setup) is not None for report in reports)
    ]
    values = [[_ranking(report, one, setup) for one in columns] for report in reports]
    cells = [_cells(outcome, columns, setup) for outcome in outcomes]
    signatures = [_compared(report) for report in reports]
    group = comparable_group(signatures)
    comparing = [
        own if place in group else [None] * len(columns) for place, own in enumerate(values)
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
            *_incomplete(names, outcomes, columns, setup),
            *comparison_notes(names, signatures, group),
            *_gold(names, reports),
            *notes_once(zip(names, (reporting_words(r, [setup]) for r in reports), strict=True)),
            *_signatures(names, outcomes),
        ],
        best={(row, column + 1) for row, column in best_cells(comparing, cells)},
    )


def _ranking(report: Report, column: Headline, setup: str) -> float | None:
    """Return a figure that the best is chosen by; None for what ranks nobody."""
    return report.whole(column.name, setup) if column.name in headlines() else None


def _compared(report: Report) -> Signature:
    """Return the signature of what a table shows: lower bounds are of the whole benchmark."""
    whole = report.metrics.get("lower_bound") is not None
    return replace(report.signature, coverage=None) if whole else report.signature


def _cells(
    outcome: ScoredSubmission, columns: Sequence[Headline], setup: str, bounds: bool = True
) -> list[str]:
    """Return a file's figures with their intervals, if these are known.

    Args:
        outcome: The result of the file.
        columns: The figures.
        setup: The set-up that they are of.
        bounds: Whether to show lower bounds, which have no interval, where turns are missing.
    """
    report, intervals = outcome.report, outcome.intervals
    cells = []
    for column in columns:
        bound = None if report.coverage.complete else _ranking(report, column, setup)
        value, interval = column.value(report.metrics, setup), intervals.get(column.name)
        if bound is not None and bounds:
            value, interval = bound, None
        text = figure(value, column.digits)
        cells.append(text if interval is None else interval.text(column.digits))
    return cells


def _incomplete(
    names: Sequence[str],
    outcomes: Sequence[ScoredSubmission],
    columns: Sequence[Headline],
    setup: str,
) -> Iterator[str]:
    """Say how many turns files lack, and what they score on the turns that they have."""
    for name, outcome in zip(names, outcomes, strict=True):
        report = outcome.report
        bounded = [
            one
            for one in columns
            if not report.coverage.complete and _ranking(report, one, setup) is not None
        ]
        if bounded:
            played = zip(bounded, _cells(outcome, bounded, setup, bounds=False), strict=True)
            figures = ", ".join(f"{one.title} {cell}" for one, cell in played)
            lacking = report.coverage.of_turns - report.coverage.turns
            yield (
                f"{name} lacks {lacking} of {report.coverage.of_turns} turns, which count as "
                f"failures; on the submitted turns: {figures}"
            )


def _figures() -> dict[str, Headline]:
    """Return name -> figure, of all that a table of several files shows."""
    return {
        one.name: one
        for metric in response_metrics().values()
        for one in (*metric.own_headlines(), *metric.further)
    }


def _data(
    names: Sequence[str], reports: Sequence[Report], setups: Sequence[str]
) -> list[dict[str, object]]:
    """Return the rows as JSON types: every figure in full; of another set-up, those that differ.

    Where some file lacks turns, `whole_…` are the figures over the whole benchmark.
    """
    first, *others = setups or [next(iter(SETUPS))]
    figures = _figures()
    columns = {
        **{name: (name, first) for name in figures},
        **{
            f"{setup}_{name}": (name, setup)
            for setup in others
            for name, one in figures.items()
            if any(one.value(r.metrics, setup) != one.value(r.metrics, first) for r in reports)
        },
    }
    columns = {
        key: (name, setup)
        for key, (name, setup) in columns.items()
        if any(figures[name].value(report.metrics, setup) is not None for report in reports)
    }
    bounded = [
        name
        for name in columns
        if name in headlines()
        and any(not r.coverage.complete and r.whole(name, first) is not None for r in reports)
    ]
    return [
        {
            "name": shown,
            **{
                key: figures[name].value(report.metrics, setup)
                for key, (name, setup) in columns.items()
            },
            **{f"whole_{name}": report.whole(name, first) for name in bounded},
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
        first, *others = (column.ceiling(report.metrics) for report in reports)
        if first is not None and all(value == first for value in others):
            shown.append(f"{column.title} {figure(first, column.digits)}")
    return [f"human responses: {'; '.join(shown)}"] if shown else []


def _gold(names: Sequence[str], reports: Sequence[Report]) -> list[str]:
    gold = [name for name, one in zip(names, reports, strict=True) if one.has_gold_states]
    return [f"with gold belief states, not with predicted ones: {', '.join(gold)}"] if gold else []


def _signatures(names: Sequence[str], outcomes: Sequence[ScoredSubmission]) -> list[str]:
    """Return the signatures, and whose they are where they differ."""
    return notes_once(zip(names, (str(one.signature) for one in outcomes), strict=True))


# ------------------------------------------------------------------- notes of any such table

_LONGEST_LIST = 300
"""Characters of the names that a note lists."""


def comparison_notes(
    names: Sequence[str], signatures: Sequence[Signature], group: Sequence[int]
) -> list[str]:
    """Say which scores do not compare with those of a group, or else with the first ones, and why.

    Args:
        names: What scores are called.
        signatures: Their signatures.
        group: As of `comparable_group`.
    """
    first = group[0] if group else 0
    verdicts = (signatures[first].comparable_with(one) for one in signatures)
    reasons = zip(names, ("; ".join(verdict.reasons) for verdict in verdicts), strict=True)
    return [
        f"not comparable with {names[first]}: {cut(whose, _LONGEST_LIST)} ({reason})"
        for reason, whose in names_by_text(reasons).items()
        if reason
    ]


def names_by_text(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return text -> the names that it is said of, given name and text; in the order given."""
    names: dict[str, list[str]] = {}
    for name, text in named:
        names.setdefault(text, []).append(name)
    return {text: ", ".join(whose) for text, whose in names.items()}


def notes_once(named: Iterable[tuple[str, str]]) -> list[str]:
    """Return what is to be said of scores, each text once; with the names where texts differ."""
    texts = names_by_text(named)
    return [*texts] if len(texts) == 1 else [f"{names}: {text}" for text, names in texts.items()]
