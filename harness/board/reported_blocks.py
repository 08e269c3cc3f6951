"""The blocks of the leaderboard for what is reported, and the page of older results.

They stand beside the ranked tables and never in them: what nobody can score again is shown as its
source prints it, without a rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from ..rendering import Cell, escaped, escaped_cell, markdown_table
from .record import OFFICIAL, official_verdict, table_claims
from .reported import ReportedRow, ReportedTable

if TYPE_CHECKING:
    from .leaderboard import Row

OLD = "old"
NOT_PUBLIC = "Reported, outputs not public"

_SHOWN = ("bleu", "inform", "success", "combined")
_OWN = ("bleu", "inform", "success")

STATUS_NOTE = """\
- **Reported figures**: what the public board prints of the systems ranked above, and what their
  authors report by scripts of their own. *verified*: the harness gives every figure of the public
  board's row to the digits printed, the combined score but for the rounding of its parts (*under
  rules …*: under that rule set instead of the page's); *differs by …*: the harness's less the
  printed figure, of those that differ; *reported*: of another script or annotation, which does not
  compare.
- **Reported, outputs not public**: printed by a public table; nobody can score these systems again,
  and they have no rank.
"""


def reported_figures(
    systems: Sequence[Row], tables: Sequence[ReportedTable], rules: str
) -> Iterator[str]:
    """Yield the block of what is reported of the systems of a track, if anything is.

    Args:
        systems: The systems, as ranked.
        tables: The public tables.
        rules: The rule set of the page.
    """
    rows = [_figures_row(row, tables, rules) for row in systems]
    if any(cells[2:] != [_NOTHING] * 3 for cells in rows):
        yield "### Reported figures"
        yield markdown_table(
            [
                "#",
                "System",
                "Public board: BLEU / Inform / Success / Combined",
                "Status",
                "Authors' own scripts (*reported*): BLEU / Inform / Success",
            ],
            rows,
        )


_NOTHING = "–"


def _figures_row(row: Row, tables: Sequence[ReportedTable], rules: str) -> list[Cell]:
    entry = row.entry
    claims = [
        claim
        for table in tables
        if table.kind == OFFICIAL
        for line in table.rows
        if line.entry == entry.key
        for claim in table_claims(table, line)
    ]
    own = [claim.figures for claim in entry.system.reported if claim.setup == "own"]
    return [
        _NOTHING if row.rank is None else str(row.rank),
        escaped(entry.system.name),
        "; ".join(_printed(claim.figures, _SHOWN) for claim in claims) or _NOTHING,
        "; ".join(_status(official_verdict(entry, claim, rules)) for claim in claims) or _NOTHING,
        "; ".join(_printed(figures, _OWN) for figures in own) or _NOTHING,
    ]


def _printed(figures: Mapping[str, Decimal], names: Sequence[str]) -> str:
    return " / ".join(f"{figures[name]:f}" if name in figures else _NOTHING for name in names)


def _status(verdict: str) -> str:
    return f"*{escaped(verdict)}*" if verdict.startswith("verified") else escaped(verdict)


def not_public(tables: Sequence[ReportedTable], track: str) -> Iterator[str]:
    """Yield the block of a track's systems whose outputs are not public, if there are any.

    Args:
        tables: The public tables; those made with older scripts are left out.
        track: The track.
    """
    for table in tables:
        rows = [row for row in table.rows if row.entry is None]
        if table.track == track and table.kind != OLD and rows:
            title = "" if table.kind == OFFICIAL else f": {escaped(table.title)}"
            yield f"### {NOT_PUBLIC}{title}"
            yield f"Printed by [{escaped(table.repository)}]({table.source})."
            yield _table(table, rows)
            notes = list(_notes(rows))
            if notes:
                yield "\n".join(notes)


def older_results(ranked: Sequence[Row], tables: Sequence[ReportedTable], rules: str) -> str | None:
    """Return the page of tables made with older scripts; None if there are none.

    Args:
        ranked: The rows of the leaderboard.
        tables: The public tables.
        rules: The rule set of the leaderboard.
    """
    old = [table for table in tables if table.kind == OLD]
    if not old:
        return None
    return "\n\n".join(_older_page(ranked, old, rules)) + "\n"


def _older_page(ranked: Sequence[Row], old: Sequence[ReportedTable], rules: str) -> Iterator[str]:
    by_key = {row.entry.key: row for row in ranked}
    yield "# Older results"
    yield (
        "Figures as public tables print them, made with the scripts before the public evaluator, "
        "which differ from each other and do not compare with "
        "[the leaderboard](../leaderboard.md), nor one row here with the next. Why they differ is "
        "in [the audit](audit.md). This page is generated by `mwz leaderboard`."
    )
    yield (
        "*Here* is what the system's public outputs score now, in the strict set-up under rule set "
        f"{rules}: BLEU / Inform / Success. Without such outputs a row is *reported* and no more."
    )
    for table in old:
        yield f"## {escaped(table.title)}"
        yield f"Printed by [{escaped(table.repository)}]({table.source})."
        yield _table(table, table.rows, {"Here": [_here(by_key, row) for row in table.rows]})
        notes = list(_notes(table.rows))
        if notes:
            yield "\n".join(notes)


def _here(by_key: dict[str, Row], row: ReportedRow) -> str:
    found = by_key.get(row.entry or "")
    if found is None:
        return "*reported*"
    return " / ".join(found.figure(name) for name in _OWN)


def _table(
    table: ReportedTable, rows: Sequence[ReportedRow], more: dict[str, list[str]] | None = None
) -> str:
    """Return rows of a public table as printed, with further columns."""
    used = [column for column in table.columns if any(column in row.figures for row in rows)]
    others = more or {}
    return markdown_table(
        ["System", *map(escaped_cell, used), *others],
        [
            [
                _name(row),
                *(escaped_cell(row.figures.get(column, _NOTHING)) for column in used),
                *(cells[place] for cells in others.values()),
            ]
            for place, row in enumerate(rows)
        ],
    )


def _name(row: ReportedRow) -> str:
    links = {"paper": row.paper, "code": row.code}
    shown = ", ".join(f"[{what}]({link})" for what, link in links.items() if link)
    return f"{escaped(row.system)} ({shown})" if shown else escaped(row.system)


def _notes(rows: Sequence[ReportedRow]) -> Iterator[str]:
    told: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            told.setdefault(row.note, []).append(row.system)
    for note, systems in told.items():
        yield f"- {escaped(', '.join(systems))}: {escaped(note)}"
