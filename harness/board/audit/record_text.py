"""The public record as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets

from ...io.rendering import figure, signed
from ...io.tables import Table
from .attainable import RUNS, SIZES, digits_of
from .paper_tables import CORPUS, Cell, Paper, equal_text
from .record import Finding, Line, RuleSetRow, chance_table
from .reported import RATES, ReportedFigures
from .setup_search import Nearness

if TYPE_CHECKING:
    from .setup_search import RatesPoint

# Figures that are shown with a digit after the point even where they are printed without.
_PERCENT = ("BLEU", "Inform", "Success", "Combined")

LEGEND: Mapping[str, str] = {
    "source": "where the figure is printed, by number; the sources are listed below",
    "set-up": (
        "what the figure is of: the strict or the optimistic set-up, or the authors' own script; "
        "of joint accuracy, the version of the gold states"
    ),
    "reported": "the figure as its source prints it",
    "harness": (
        f"what the system's outputs score here under rule set {DEFAULT_RULES}: in the optimistic "
        "set-up where the figure is of it, otherwise in the strict one"
    ),
    "difference": "harness less reported",
    "reproduced": (
        "the harness's figure, rounded to the digits printed, is the reported one; there is no "
        "other tolerance"
    ),
    "reproduced under …": (
        "not in the set-up that should give it, but in the one named: another rule set, set-up or "
        "reference style, or a combination of --explain"
    ),
    "follows from its printed parts": (
        "a combined score that was added up from rounded figures, all of which are reproduced"
    ),
    "contradicts its printed parts": (
        "a combined score that (Inform + Success) / 2 + BLEU cannot give, however the printed "
        "figures were rounded"
    ),
    "not reproduced": "nothing tried gives it",
    "not scored": "the harness has no such figure of the system",
}
"""Column or verdict -> what it means."""


def _plain(one: object) -> dict[str, Any]:
    """Return a row as JSON types; a printed figure stays as printed."""
    content: dict[str, Any] = _jsonable(asdict(one))  # type: ignore[call-overload]
    return content


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _jsonable(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_jsonable(one) for one in value]
    return f"{value:f}" if isinstance(value, Decimal) else value


def lines_table(lines: Sequence[Line], others: int) -> Table:
    """Return the table of every reported figure, with its legend.

    Args:
        lines: The figures.
        others: How many rows of the public tables have no entry, and are not among them.
    """
    sources = {source: f"[{number}]" for number, source in enumerate(_sources(lines), 1)}
    rows = []
    for line in lines:
        least = 1 if line.figure in _PERCENT else 0
        digits = max(least, digits_of(line.reported))
        rows.append(
            [
                line.system,
                sources[line.source],
                line.setup,
                line.figure,
                f"{line.reported:f}",
                figure(line.harness, digits),
                "–" if line.difference is None else signed(line.difference, digits),
                line.verdict,
            ]
        )
    notes = [f"{name}: {meaning}" for name, meaning in LEGEND.items()]
    notes += [f"{number} {source}" for source, number in sources.items()]
    if others:
        notes.append(
            f"{others} rows of the public tables are of systems without public outputs; what can "
            "be told of their figures is below"
        )
    return Table(
        name="figures",
        title="Reported figures",
        headers=[
            "system",
            "source",
            "set-up",
            "figure",
            "reported",
            "harness",
            "difference",
            "verdict",
        ],
        rows=rows,
        data=[_plain(line) for line in lines],
        notes=notes,
    )


def _sources(lines: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(line.source for line in lines))


def explained_table(found: Sequence[tuple[str, str, Nearness]]) -> Table:
    """Return the table of how near the combinations of `--explain` come, and how easily.

    Args:
        found: Name of the system, source of the figures, and how near.
    """
    return Table(
        name="explained",
        title="How near the combinations of --explain come",
        headers=["system", "figures", "tried", "off by", "as near", "share", "by chance"],
        rows=[
            [
                system,
                " and ".join(one.figures),
                str(one.tried),
                figure(one.off_by, 2),
                str(one.as_near),
                f"{figure(one.share)} %",
                f"{figure(one.by_chance)} %",
            ]
            for system, _, one in found
        ],
        data=[{"system": system, "source": source, **_plain(one)} for system, source, one in found],
        notes=[
            "tried: combinations; off by: how far the nearest is off, in points, of Inform and "
            "Success in all",
            "as near, share: the combinations no further off than the nearest, up to the rounding "
            "of the printed figures",
            "by chance: of all figures between the least and the greatest that the combinations "
            "give, the share to which one of them comes as near",
        ],
    )


def named_table(found: Sequence[tuple[str, ReportedFigures, RatesPoint]]) -> Table:
    """Return the table of which named set-up comes nearest to each reported Inform and Success.

    Args:
        found: Name of the system, what is reported, and the nearest set-up.
    """
    return Table(
        name="named",
        title="The named set-up nearest to each reported Inform and Success",
        headers=["system", "source", "reported", "set-up", "rules", "harness", "off by"],
        rows=[
            [
                system,
                claim.source,
                " / ".join(f"{claim.figures[name]:f}" for name in _rates_of(claim)),
                point.name or "",
                point.rules,
                " / ".join(figure(getattr(point, name)) for name in _rates_of(claim)),
                figure(point.distance(claim)),
            ]
            for system, claim, point in found
        ],
        data=[
            {
                "system": system,
                "source": claim.source,
                **{f"reported_{name}": f"{claim.figures[name]:f}" for name in _rates_of(claim)},
                "setup": point.name,
                "rules": point.rules,
                **{name: getattr(point, name) for name in _rates_of(claim)},
                "off_by": point.distance(claim),
            }
            for system, claim, point in found
        ],
        notes=["off by: of Inform and Success in all, in points"],
    )


def _rates_of(claim: ReportedFigures) -> list[str]:
    return [name for name in RATES if name in claim.figures]


def rule_sets_table(found: Sequence[RuleSetRow]) -> Table:
    """Return the table of which rule set each official row comes out under."""
    there = {rules for row in found for rules in row.differences}
    rules = [name for name in published_rule_sets() if name in there]
    return Table(
        name="rule_sets",
        title="The rule set of each row of the public board",
        headers=["system", "Inform", "Success", *rules, "comes out under"],
        rows=[
            [
                row.system,
                *(f"{row.printed[name]:f}" for name in ("inform", "success")),
                *(_differences(row, name) for name in rules),
                " or ".join(row.under) or f"none (nearest: {_nearest(row)})",
            ]
            for row in found
        ],
        data=[_plain(row) for row in found],
        notes=[
            "under a rule set: the harness's Inform and Success less those printed, in points",
            "comes out under: the rule sets that give both to the digits printed, of those that "
            "there were when the table was printed",
        ],
    )


def _differences(row: RuleSetRow, rules: str) -> str:
    gaps = row.differences.get(rules)
    if gaps is None or set(gaps) != set(row.printed):
        return "–"
    return " / ".join(signed(gap) for gap in gaps.values())


def _nearest(row: RuleSetRow) -> str:
    return min(
        row.differences,
        key=lambda rules: sum(abs(gap) for gap in row.differences[rules].values()),
        default="–",
    )


def findings_table(found: Sequence[Finding]) -> Table:
    """Return the table of figures that cannot be what they say."""
    notes = [
        f"A rate is tried over {_sizes(unit)} {unit}, as one run or the mean of up to {max(RUNS)}."
        for unit in SIZES
    ]
    shares: dict[int, list[str]] = {}
    for unit, size, digits, share in chance_table():
        if share < 1:
            shares.setdefault(digits, []).append(f"{figure(100 * share)} % over {size} {unit}")
    notes += [
        f"Of all values with {digits} decimals one run can have {', '.join(told)}: what is "
        "attainable there may be so by chance."
        for digits, told in shares.items()
    ]
    return Table(
        name="findings",
        title="Figures that cannot be what they say",
        headers=["system", "source", "figure", "printed", "finding"],
        rows=[
            [one.system, one.source, one.figure, f"{one.printed:f}", one.finding] for one in found
        ],
        data=[_plain(one) for one in found],
        notes=notes,
    )


def _sizes(unit: str) -> str:
    return ", ".join(f"{size} ({why})" for size, why in SIZES[unit].items())


def paper_tables(paper: Paper, cells: Sequence[Cell], names: Mapping[str, str]) -> list[Table]:
    """Return the tables of the paper, each cell with the harness's figure.

    Args:
        paper: The paper.
        cells: Its cells, compared.
        names: Key of an entry -> the system's name.
    """
    return [
        _paper_table(table.number, f"Table {table.number}: {table.title}", paper, cells, names)
        for table in paper.tables
    ]


def _paper_table(
    number: int, title: str, paper: Paper, cells: Sequence[Cell], names: Mapping[str, str]
) -> Table:
    own = [cell for cell in cells if cell.table == number]
    labels = list(dict.fromkeys(cell.row for cell in own))
    by_place = {(cell.entry, cell.row): cell for cell in own}
    keys = [*paper.systems, CORPUS]
    measured = [cell for cell in own if not cell.quoted]
    groups = {
        "equal cells": [cell for cell in measured if cell.entry != CORPUS],
        "equal cells of the corpus": [cell for cell in measured if cell.entry == CORPUS],
        "equal cells among the authors' own figures, which the paper quotes": [
            cell for cell in own if cell.quoted
        ],
    }
    return Table(
        name=f"table_{number}",
        title=title,
        headers=["", *labels],
        rows=[
            [names.get(key, key), *(_shown(by_place.get((key, label))) for label in labels)]
            for key in keys
            if any((key, label) in by_place for label in labels)
        ],
        data=[_plain(cell) for cell in own],
        notes=[
            *(
                f"{label}: {sum(c.equal for c in own if c.row == label and c.entry != CORPUS)} of "
                f"{sum(c.row == label and c.entry != CORPUS for c in own)} equal"
                for label in labels
            ),
            *(f"{what}: {equal_text(group)}" for what, group in groups.items() if group),
        ],
    )


def _shown(cell: Cell | None) -> str:
    """Return the paper's figure and the harness's."""
    if cell is None:
        return ""
    sign = "=" if cell.equal else "≠"
    return f"{cell.printed:f} {sign} {figure(cell.harness, digits_of(cell.printed))}"
