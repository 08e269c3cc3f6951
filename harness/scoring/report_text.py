"""Scores as a person reads them: the report of one file, and several files in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..errors import cut
from ..io.tables import Table, best_cells, figure, text_table, wrapped
from ..metrics.metric import Headline, headlines, response_metrics, table_figures
from ..metrics.setups import SETUPS
from ..signature import Signature, comparable_group, harness_version
from .predictions import ScoredSubmission, intervals_read
from .report import Report


def report_text(report: Report, more: str = "", signature: str = "") -> str:
    """Return the report as text: totals first, then what they are made of.

    Last comes what to put under a table of the scores: a sentence, and the signature. Gold belief
    states are told before anything else: a score made with them is another score.

    Args:
        report: The report.
        more: What else is to be shown.
        signature: The signature of all of it, where it is not the report's.
    """
    parts = [
        _head(report),
        _totals(report),
        *_metrics(report),
        "\n".join(_notes(report)),
        more,
        f"{wrapped(reporting_words(report))} Signature:\n{signature or report.signature}",
    ]
    return "\n\n".join(part for part in parts if part)


def _head(report: Report) -> str:
    gold = "Inform and Success with gold belief states, not with predicted ones"
    return gold if _with_gold_states(report) else ""


def _with_gold_states(report: Report) -> bool:
    return report.states == "gold" and any(map(report.setup, SETUPS))


_DOMAINS = {
    "predicted": "predicted active domains",
    "slots": "active domains from placeholders",
    "states": "active domains from belief-state changes",
    "gold": "gold active domains",
}


def reporting_words(
    report: Report,
    setups: Sequence[str] = tuple(SETUPS),
    domains: bool = True,
    cited: Callable[[str], str] = lambda subject: "",
    shown: Callable[[str], str] = str,
) -> str:
    """Return the sentence to put under a table: what was scored, by what, and how.

    Args:
        report: The scores.
        setups: The set-ups that the table has, of those that the report has.
        domains: Whether to say where active domains come from.
        cited: Cites what is cited for a subject: "harness", "bleu", "inform", or a benchmark.
        shown: How text is shown as it is.
    """
    parts = []
    if report.bleu is not None:
        parts.append(
            f"BLEU{cited('bleu')} against the references of {shown(report.benchmark)}"
            f"{cited(report.benchmark)}"
        )
    names = [name for name in SETUPS if name in setups and report.setup(name) is not None]
    if names:
        several = "s" if len(names) > 1 else ""
        sources = [f"{report.states} belief states"]
        sources += [_DOMAINS[report.domains]] if domains and report.domains in _DOMAINS else []
        parts.append(
            f"Inform and Success{cited('inform')} in the {' and '.join(names)} set-up{several}, by "
            f"rule set {report.rules}, with {' and '.join(sources)}"
        )
    by = f"Scores by {shown('multiwoz-harness')} {harness_version()}{cited('harness')}"
    return f"{': '.join([by, *filter(None, ['; '.join(parts)])])}."


_TOTALS = ("bleu", "inform", "success", "combined")


def _totals(report: Report) -> str:
    setups = [name for name in SETUPS if report.setup(name) is not None]
    if not setups:
        return ""
    columns = [headlines()[name] for name in _TOTALS]
    rows = [[name, *(figure(c.value(report, name), c.digits) for c in columns)] for name in setups]
    if "lower_bound" in report.metrics:
        bound = (figure(report.whole(column.name), column.digits) for column in columns)
        rows.insert(0, ["at least, of the whole benchmark", *bound])
    return text_table(["total", *(column.title for column in columns)], rows)


def _metrics(report: Report) -> Iterator[str]:
    """Yield each metric's own table."""
    for metric in response_metrics().values():
        results = {key: report.metrics[key] for key in metric.results if key in report.metrics}
        # What ranks an incomplete submission heads the totals.
        if results and (metric.name != "lower_bound" or not any(map(report.setup, SETUPS))):
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
    CSV have both of two. Of files that lack turns they are the lower bounds that systems are ranked
    by. The best of a column is marked, of those files that compare with each other.

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
            *_reasons(names, signatures, group),
            *_gold(names, reports),
            *_told_once(zip(names, (reporting_words(r, [setup]) for r in reports), strict=True)),
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
        outcome: What came of the file.
        columns: The figures.
        setup: The set-up that they are of.
        bounds: Whether to show lower bounds, which have no interval, where turns are missing.
    """
    report, intervals = outcome.report, intervals_read(outcome.intervals)
    cells = []
    for column in columns:
        bound = None if report.coverage.complete else _ranking(report, column, setup)
        value, interval = column.value(report, setup), intervals.get(column.name)
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
    """Say of files that lack turns what is shown, and what they score where they play."""
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
            yield (
                f"{name} plays {report.coverage.turns} of {report.coverage.of_turns} turns; shown "
                f"is what ranks it, with what is missing counted as failed: of what it plays it "
                f"has {figures}"
            )


def _data(
    names: Sequence[str], reports: Sequence[Report], setups: Sequence[str]
) -> list[dict[str, object]]:
    """Return the rows as JSON types: every figure in full; of another set-up, those that differ.

    Where some file lacks turns, `whole_…` are the figures over the whole benchmark.
    """
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
    bounded = [
        name
        for name in columns
        if name in headlines()
        and any(not r.coverage.complete and r.whole(name, first) is not None for r in reports)
    ]
    return [
        {
            "name": shown,
            **{key: figures[name].value(report, setup) for key, (name, setup) in columns.items()},
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
        first, *others = (column.ceiling(report) for report in reports)
        if first is not None and all(value == first for value in others):
            shown.append(f"{column.title} {figure(first, column.digits)}")
    return [f"human responses: {'; '.join(shown)}"] if shown else []


def _reasons(
    names: Sequence[str], signatures: Sequence[Signature], group: Sequence[int]
) -> list[str]:
    """Say which scores do not compare with those of most, or with the first ones, and why."""
    first = group[0] if group else 0
    whose: dict[str, list[str]] = {}
    for name, signature in zip(names, signatures, strict=True):
        reasons = signatures[first].comparable_with(signature).reasons
        if reasons:
            whose.setdefault("; ".join(reasons), []).append(name)
    return [
        f"not comparable with {names[first]}: {cut(', '.join(others), _LONGEST_REASON)} ({reason})"
        for reason, others in whose.items()
    ]


def _gold(names: Sequence[str], reports: Sequence[Report]) -> list[str]:
    gold = [name for name, one in zip(names, reports, strict=True) if _with_gold_states(one)]
    return [f"with gold belief states, not with predicted ones: {', '.join(gold)}"] if gold else []


def _signatures(names: Sequence[str], outcomes: Sequence[ScoredSubmission]) -> list[str]:
    """Return the signatures, and whose they are where they differ."""
    lines = []
    for name, outcome in zip(names, outcomes, strict=True):
        known: Mapping[str, object] = outcome.intervals or {}
        lines.append((name, str(known.get("signature", outcome.report.signature))))
    return _told_once(lines)


def _told_once(lines: Iterable[tuple[str, str]]) -> list[str]:
    """Return what is to be said of files, each text once with those that it is about."""
    whose: dict[str, list[str]] = {}
    for name, text in lines:
        whose.setdefault(text, []).append(name)
    if len(whose) == 1:
        return list(whose)
    return [f"{', '.join(own)}: {text}" for text, own in whose.items()]
