"""A comparison as tables, for papers and other programs."""

from __future__ import annotations

from ..io.rendering import figure, p_text, signed
from ..io.tables import Table, best_cells
from .comparing import Comparison
from .comparison_text import interval_text
from .interval import INTERVAL_LEVEL


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Return the scores with intervals, the differences, and the spread over seeds if there is one.

    CSV has the scores alone: one table is all that it can hold.
    """
    tables = [_scores(comparison)]
    if comparison.pairs:
        tables.append(_differences(comparison))
    if comparison.spread is not None:
        tables.append(_spread(comparison))
    return tables


def _scores(comparison: Comparison) -> Table:
    figures, systems = comparison.figures, comparison.systems
    values = [[system.scores[name].value for name in figures] for system in systems]
    shown = [
        [figure(one, f.digits) for one, f in zip(row, figures.values(), strict=True)]
        for row in values
    ]
    return Table(
        name="systems",
        title=f"Scores with {INTERVAL_LEVEL} % intervals",
        headers=["", "dialogues", *(one.title for one in figures.values())],
        rows=[
            [
                system.name,
                str(system.dialogues),
                *(interval_text(system.scores[n], f.digits) for n, f in figures.items()),
            ]
            for system in systems
        ],
        data=[
            {
                "name": system.name,
                "dialogues": system.dialogues,
                **{
                    key: value
                    for name, interval in system.scores.items()
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


def _differences(comparison: Comparison) -> Table:
    found = [
        (pair, name, one) for pair in comparison.pairs for name, one in pair.differences.items()
    ]
    figures = comparison.figures
    return Table(
        name="pairs",
        title=f"Differences from {comparison.baseline}",
        headers=["", "", "difference", "p", "p (Holm)", "only first", "only second"],
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
                "difference": one.difference,
                "p": one.p,
                "p_holm": one.p_holm,
                "test": one.test,
                "only_a": one.only_a,
                "only_b": one.only_b,
            }
            for pair, name, one in found
        ],
        notes=["p is corrected by Holm for the number of systems"],
        best={(row, 2) for row, (_, _, one) in enumerate(found) if one.significant},
    )


def _spread(comparison: Comparison) -> Table:
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
        data=[{"figure": name, **one.to_dict()} for name, one in spread.items()],
    )
