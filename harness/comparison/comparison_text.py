"""Intervals and comparisons as a person reads them, and as tables for papers and programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from ..io.rendering import figure, signed, text_table
from ..io.tables import Table, best_cells
from ..metrics.statistics import Figure
from ..signature import PLACEHOLDERS, comparable_group
from .comparing import Comparison, Difference, Pair
from .interval import INTERVAL_LEVEL, SIGNIFICANCE, Interval, p_text, p_words

MARK = "*"
UNCORRECTED_MARK = "(*)"


def intervals_text(
    names: Sequence[str],
    figures: Mapping[str, Figure],
    intervals: Sequence[Mapping[str, Interval]],
) -> str:
    """Return a table of figures with their intervals, one column per system.

    Args:
        names: What to call the systems.
        figures: What to show: name -> figure.
        intervals: Of each system, figure -> interval.
    """
    rows = [
        [shown.title, *(one[name].text(shown.digits) for one in intervals)]
        for name, shown in figures.items()
    ]
    biased = [
        figures[name].title
        for name in figures
        if any(not one[name].low <= one[name].value <= one[name].high for one in intervals)
    ]
    table = text_table([f"{INTERVAL_LEVEL} % interval", *names], rows)
    remark = (
        "\n\nresamples lack dialogues, and what only these have: the intervals of "
        f"{', '.join(biased)} lie below the value"
    )
    return table + (remark if biased else "")


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison as text: scores, what differs, what follows, last the signatures."""
    return "\n\n".join(_parts(comparison))


def _parts(comparison: Comparison) -> Iterator[str]:
    systems, figures = comparison.systems, comparison.figures
    several = len(comparison.pairs) > 1
    for pair in comparison.pairs:
        both = "dialogue" if pair.dialogues == 1 else f"{pair.dialogues} dialogues"
        yield f"{pair.a} and {pair.b}, compared on the {both} that both play"
        yield "\n".join([*_words(pair, figures), *(f"note: {note}" for note in pair.notes)])
        yield _differences(pair, figures, several)
    if comparison.pairs:
        yield _legend(several)
    yield "\n".join(
        f"{one.name}: 1 dialogue, of which resampling says nothing"
        if one.dialogues == 1
        else f"{one.name}: {one.dialogues} dialogues"
        for one in systems
    )
    yield intervals_text([one.name for one in systems], figures, [one.scores for one in systems])
    if comparison.spread is not None:
        yield _spread(comparison)
    yield "\n".join(dict.fromkeys(str(one.signature) for one in systems))


def _differences(pair: Pair, figures: Mapping[str, Figure], several: bool) -> str:
    names = ["", pair.a, pair.b, f"{pair.b} − {pair.a}"]
    headers = [*names, "p", *(["p (Holm)"] if several else []), ""]
    rows = []
    for name, shown in figures.items():
        one = pair.differences[name]
        rows.append(
            [
                shown.title,
                figure(one.a, shown.digits),
                figure(one.b, shown.digits),
                signed(one.difference, shown.digits),
                p_text(one.p),
                *([p_text(one.p_holm)] if several else []),
                _mark(one),
            ]
        )
    return text_table(headers, rows)


def _mark(one: Difference) -> str:
    if one.significant:
        return MARK
    return UNCORRECTED_MARK if one.p < SIGNIFICANCE else ""


def _legend(several: bool) -> str:
    level = p_text(SIGNIFICANCE)
    if not several:
        return f"{MARK} p < {level}"
    return f"{MARK} p < {level} after Holm's correction; {UNCORRECTED_MARK} only before it"


def _words(pair: Pair, figures: Mapping[str, Figure]) -> Iterator[str]:
    """Yield what follows, a line each for the figures that papers compare by, or for all."""
    main = [name for name in figures if figures[name].main] or list(figures)
    for name in main:
        one, shown = pair.differences[name], figures[name]
        if one.significant:
            more, less = (pair.b, pair.a) if one.difference > 0 else (pair.a, pair.b)
            by = figure(abs(one.difference), shown.digits)
            verdict = f"{more} has {by} more than {less}, {p_words(one.p_holm)}"
        else:
            verdict = f"not distinguishable, {p_words(one.p_holm)}"
        yield f"{shown.title}: {verdict}{_wins(pair, one)}"


def _wins(pair: Pair, one: Difference) -> str:
    if one.only_a is None or one.only_b is None:
        return ""
    first = "1 dialogue is" if one.only_a == 1 else f"{one.only_a} dialogues are"
    return f"; {first} won by {pair.a} only, {one.only_b} by {pair.b} only"


def _spread(comparison: Comparison) -> str:
    table = _spread_table(comparison)
    headers = [f"over {len(comparison.seeds)} seeds", *table.headers[1:]]
    names = ", ".join(comparison.seeds)
    return f"seeds of one system: {names}\n\n{text_table(headers, table.rows)}"


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Return the scores with intervals, the differences, and the spread over seeds if there is one.

    CSV has the scores alone: one table is all that it can hold.
    """
    return [
        _scores_table(comparison),
        *([_differences_table(comparison)] if comparison.pairs else []),
        *([] if comparison.spread is None else [_spread_table(comparison)]),
    ]


def _scores_table(comparison: Comparison) -> Table:
    figures, systems = comparison.figures, comparison.systems
    group = comparable_group([one.signature for one in systems], (PLACEHOLDERS,))
    # Nothing is the best of what no paper ranks by, such as length, and no seed of a system.
    values = [
        [
            one.scores[name].value if main.main and at in group else None
            for name, main in figures.items()
        ]
        if one.name not in comparison.seeds
        else [None] * len(figures)
        for at, one in enumerate(systems)
    ]
    shown = [[figure(one.scores[n].value, f.digits) for n, f in figures.items()] for one in systems]
    return Table(
        name="systems",
        title=f"Scores with {INTERVAL_LEVEL} % intervals",
        headers=["", "dialogues", *(one.title for one in figures.values())],
        rows=[
            [
                system.name,
                str(system.dialogues),
                *(system.scores[n].text(f.digits) for n, f in figures.items()),
            ]
            for system in systems
        ],
        data=[
            {
                "name": system.name,
                "dialogues": system.dialogues,
                **{
                    key: value
                    for name in figures
                    for interval in [system.scores[name]]
                    for key, value in (
                        (name, interval.value),
                        (f"{name}_low", interval.low),
                        (f"{name}_high", interval.high),
                    )
                },
                "signature": str(system.signature),
            }
            for system in systems
        ],
        notes=list(dict.fromkeys(str(system.signature) for system in systems)),
        best={(row, column + 2) for row, column in best_cells(values, shown)},
    )


_TESTED = ("difference", "p", "p_holm", "test", "only_a", "only_b")
"""What tables for programs have of a `Difference`."""


def _differences_table(comparison: Comparison) -> Table:
    figures = comparison.figures
    found = [(pair, name, pair.differences[name]) for pair in comparison.pairs for name in figures]
    return Table(
        name="pairs",
        title=f"Differences from {comparison.baseline}",
        headers=[
            *("", "", "difference", "p", "p (Holm)"),
            *(f"only {comparison.baseline}", "only system"),
        ],
        rows=[
            [
                pair.b,
                figures[name].title,
                signed(one.difference, figures[name].digits),
                p_text(one.p),
                p_text(one.p_holm),
                "–" if one.only_a is None else str(one.only_a),
                "–" if one.only_b is None else str(one.only_b),
            ]
            for pair, name, one in found
        ],
        data=[
            {
                "a": pair.a,
                "b": pair.b,
                "figure": name,
                **{field: getattr(one, field) for field in _TESTED},
            }
            for pair, name, one in found
        ],
        notes=[
            f"difference: system minus {comparison.baseline}; only: dialogues that only one wins",
            "p is corrected by Holm for the number of systems",
        ],
        best={(row, 2) for row, (_, _, one) in enumerate(found) if one.significant},
    )


def _spread_table(comparison: Comparison) -> Table:
    spread = comparison.spread or {}
    return Table(
        name="seeds",
        title=f"Over {len(comparison.seeds)} seeds: {', '.join(comparison.seeds)}",
        headers=["", "mean", "standard deviation", "lowest", "highest"],
        rows=[
            [
                shown.title,
                *(
                    figure(value, shown.digits)
                    for one in [spread[name]]
                    for value in (one.mean, one.deviation, one.lowest, one.highest)
                ),
            ]
            for name, shown in comparison.figures.items()
        ],
        data=[{"figure": name, **asdict(spread[name])} for name in comparison.figures],
    )
