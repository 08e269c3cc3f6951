"""The columns of the board's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...benchmark import CANONICAL_STYLE, STYLES
from ...comparison.interval import Interval
from ...metrics.registry import headlines
from ...metrics.signs import MEANINGS, Signs
from ...rendering import figure
from ..leaderboard import Row
from ..pairs import RANKING
from .contents import Contents
from .page_tables import NOTHING, Bar, Cell, Header, with_minus

# Column -> what public tables call the figure.
PRINTED = {
    "bleu": "BLEU",
    "inform": "Inform",
    "success": "Success",
    "combined": "Combined",
    "length": "average length",
    "cbe": "CBE",
    "unigrams": "unique words",
    "trigrams": "unique 3-grams",
}

_RATES = ("inform", "success", "combined")
_TOTALS = ("bleu", *_RATES)


@dataclass(frozen=True)
class Column:
    """A column of the board's tables.

    Attributes:
        header: Its title.
        cell: What stands in it.
    """

    header: Header
    cell: Callable[[Row], Cell]


def columns(contents: Contents) -> list[Column]:
    """Return the columns of the board's tables, without rank and name."""
    return [
        *_strict(contents),
        *_optimistic(),
        *(column for rules in contents.other_rules for column in _under(contents, rules)),
        _verdict(contents),
        Column(
            Header("Signs", key="signs", figures=False, shown="wide"),
            lambda row: Cell(", ".join(raised_signs(row)), mark="bad"),
        ),
        *_styles(),
        *_responses(),
        *_others(),
    ]


def raised_signs(row: Row) -> list[str]:
    """Return the signs that a system's scores raise, in words."""
    measured: Signs | None = row.report.metrics.get("signs")
    return [] if measured is None else [MEANINGS[name] for name in measured.raised]


def verdict_mark(verdict: str) -> str:
    """Return the style of an audit's verdict."""
    if verdict.startswith(("verified", "reproduced", "follows")):
        return "good"
    return "bad" if verdict.startswith(("differs", "contradicts")) else ""


def _column(title: str, above: str, key: str, shown: str, text: Callable[[Row], str]) -> Column:
    return Column(Header(title, above, key, shown=shown), lambda row: Cell(text(row)))


def _figure_column(name: str, above: str, shown: str, setup: str, key: str) -> Column:
    title = headlines()[name].title
    return _column(title, above, key, shown, lambda row: row.figure(name, setup))


def _strict(contents: Contents) -> Iterator[Column]:
    scales = _scales(contents)

    def column(name: str) -> Column:
        above = "" if name == "bleu" else f"strict, {contents.rules}"

        def cell(row: Row) -> Cell:
            interval = contents.interval(row.entry, name)
            if interval is None:
                return Cell(row.figure(name))
            scale = scales[row.entry.system.track] if name == RANKING else None
            bar = None if scale is None else _drawn(interval, *scale)
            return Cell(row.figure(name), plus_minus(name, interval), bar)

        return Column(Header(headlines()[name].title, above, name), cell)

    return map(column, _TOTALS)


def plus_minus(name: str, interval: Interval) -> str:
    """Return half the width of a figure's interval, with the figure's digits."""
    return f"±{interval.half:.{headlines()[name].digits}f}"


def _scales(contents: Contents) -> dict[str, tuple[float, float]]:
    """Return track -> the least and the greatest end of its intervals of what ranks."""
    ends: dict[str, list[float]] = {}
    for row in contents.rows:
        interval = contents.interval(row.entry, RANKING)
        if interval is not None:
            ends.setdefault(row.entry.system.track, []).extend((interval.low, interval.high))
    return {track: (min(found), max(found)) for track, found in ends.items()}


def _drawn(interval: Interval, low: float, high: float) -> Bar | None:
    """Return an interval to scale; None where the scale has no width."""
    if high <= low:
        return None
    begin, at, end = (
        round(100 * (value - low) / (high - low), 1)
        for value in (interval.low, interval.value, interval.high)
    )
    return Bar(begin, end, at)


def _optimistic() -> Iterator[Column]:
    for name in _RATES:
        shown = "chosen" if name == "combined" else "wide"
        yield _figure_column(name, "optimistic", shown, "optimistic", f"{name}-optimistic")


def _under(contents: Contents, rules: str) -> Iterator[Column]:
    by_key = {row.entry.key: row for row in contents.ranked[rules]}

    def column(name: str, shown: str) -> Column:
        def text(row: Row) -> str:
            found = by_key.get(row.entry.key)
            return NOTHING if found is None else found.figure(name)

        return _column(headlines()[name].title, f"rules {rules}", f"{name}-{rules}", shown, text)

    first = rules == contents.other_rules[0]
    for name in _RATES:
        yield column(name, "wide" if first and name != "combined" else "chosen")


def _verdict(contents: Contents) -> Column:
    def cell(row: Row) -> Cell:
        verdict = contents.verdict(row.entry)
        return (
            Cell(NOTHING)
            if verdict is None
            else Cell(with_minus(verdict), mark=verdict_mark(verdict))
        )

    return Column(Header("Public board", "audit", "audit", figures=False, shown="wide"), cell)


def _styles() -> Iterator[Column]:
    """Yield BLEU in the styles that do not rank."""

    def text(style: str) -> Callable[[Row], str]:
        return lambda row: figure((row.report.bleu or {}).get(style), 2)

    for style in STYLES:
        if style != CANONICAL_STYLE:
            yield _column("BLEU", style, f"bleu-{style}", "chosen", text(style))


def _responses() -> Iterator[Column]:
    for key, title, name, digits in (
        ("length", "Av. len.", "mean_length", 2),
        ("cbe", "CBE", "conditional_entropy", 2),
        ("unigrams", "Unigrams", "unigrams", 0),
        ("trigrams", "Trigrams", "trigrams", 0),
    ):
        yield _column(title, "responses", key, "chosen", _diversity_text(name, digits))


def _diversity_text(name: str, digits: int) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        measured = row.report.diversity
        return figure(None if measured is None else getattr(measured, name), digits)

    return text


def _others() -> Iterator[Column]:
    yield _column("Joint acc.", "states", "joint-accuracy", "chosen", _joint_accuracy)
    yield _column("Coverage, %", "", "coverage", "chosen", _coverage)
    for name, headline in headlines().items():
        if name not in _TOTALS:
            yield _figure_column(name, "", "chosen", "strict", headline.name)
    for key, title, name in (
        ("domains", "Active domains", "domains"),
        ("states", "Belief states", "states"),
    ):
        yield Column(Header(title, "from", key, figures=False, shown="chosen"), _told(name))


def _joint_accuracy(row: Row) -> str:
    return figure(None if row.report.dst is None else row.report.dst.fuzzy["joint_accuracy"])


def _coverage(row: Row) -> str:
    return figure(row.report.coverage.percent, 2)


def _told(name: str) -> Callable[[Row], Cell]:
    return lambda row: Cell(str(getattr(row.report, name)))
