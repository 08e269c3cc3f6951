"""The leaderboard's table of systems that speak plain English: ranked by what their text says.

The first row is the ceiling: what the human responses get. Systems are ranked by grounded Success,
equal ones by grounded Inform, dialogues that are not played counted as lost. Delexicalised systems
that the harness put into plain English itself are a check of the way back, and have no rank: their
known scores must come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..benchmark import CANONICAL_STYLE
from ..metrics.grounded_scores import GroundedScores
from ..rendering import escaped, figure, markdown_table, signed
from ..report import Report
from ..signature import PLACEHOLDERS, Signature
from ..submission import HUMAN
from .entries import Entry
from .tracks import LEXICALISED, RANKED_COVERAGE

GROUNDED = "grounded"

WAY_BACK = 1.0
"""Points of Inform and Success by which scores that come back may differ."""

_CEILING = "Human responses"


@dataclass(frozen=True)
class LexicalisedRow:
    """A system in the table.

    Attributes:
        name: What it is called.
        grounded: Its grounded scores.
        report: Its report; None of a ceiling that only systems' reports tell.
        entry: The entry; None alike.
        rank: Its place, from 1; None if it has none.
    """

    name: str
    grounded: GroundedScores
    report: Report | None
    entry: Entry | None
    rank: int | None = None

    @property
    def is_ceiling(self) -> bool:
        """Whether it is what the human responses get."""
        return self.entry is None or self.entry.system.predictions.made == HUMAN

    @property
    def at_least(self) -> tuple[float, float]:
        """What ranks: grounded Success and Inform, what is not played counted as lost."""
        if self.report is None:
            return self.grounded.success["total"], self.grounded.inform["total"]
        share = self.report.coverage.dialogues / self.report.coverage.of
        return share * self.grounded.success["total"], share * self.grounded.inform["total"]

    @property
    def unranked(self) -> str | None:
        """Why it is listed without a rank; None if it is ranked."""
        if self.is_ceiling:
            return "the ceiling"
        if self.entry is not None and self.entry.system.predictions.by_harness:
            return "put into plain English by the harness, a check of the way back"
        if self.entry is not None and self.entry.system.unranked is not None:
            return self.entry.system.unranked
        if self.entry is not None and not self.entry.verifiable:
            return "unverified: nobody can get its predictions"
        if self.report is not None and self.report.coverage.percent < RANKED_COVERAGE:
            return f"plays less than {RANKED_COVERAGE:g} % of the turns"
        return None


def lexicalised_rows(entries: Iterable[Entry], rules: str) -> list[LexicalisedRow]:
    """Return the rows under a rule set: the ceiling, the ranked ones, then the others.

    Args:
        entries: Entries of all tracks; those of others are left out.
        rules: The rule set. Entries without scores under it are left out.
    """
    rows = []
    for entry in entries:
        report = entry.scores.under(rules)
        scores = None if report is None else report.metrics.get(GROUNDED)
        if entry.system.track == LEXICALISED and isinstance(scores, GroundedScores):
            rows.append(LexicalisedRow(entry.system.name, scores, report, entry))
    if rows and not any(row.is_ceiling for row in rows):
        rows += _told_ceiling(rows)
    # The best first; of those without a rank, too.
    rows.sort(key=lambda row: ([-figure for figure in row.at_least], row.name))
    ranked = [row for row in rows if row.unranked is None]
    return [
        *(row for row in rows if row.is_ceiling),
        *(replace(row, rank=place) for place, row in enumerate(ranked, start=1)),
        *(row for row in rows if row.unranked is not None and not row.is_ceiling),
    ]


def _told_ceiling(rows: Iterable[LexicalisedRow]) -> Iterator[LexicalisedRow]:
    """Yield the ceiling that the report of a complete submission tells, if there is one."""
    for row in rows:
        human = row.grounded.ceiling
        if human is not None and row.report is not None and row.report.coverage.complete:
            scores = GroundedScores.of_figures(human, None)
            yield LexicalisedRow(_CEILING, scores, None, None)
            return


def _of_report(value: Callable[[Report], str]) -> Callable[[LexicalisedRow], str]:
    return lambda row: "–" if row.report is None else value(row.report)


# Title of a column -> what stands in it.
_COLUMNS: Mapping[str, Callable[[LexicalisedRow], str]] = {
    "Success": lambda row: figure(row.grounded.success["total"]),
    "Inform": lambda row: figure(row.grounded.inform["total"]),
    "Inform, all": lambda row: figure(row.grounded.inform_all["total"]),
    "Told": lambda row: str(row.grounded.faithfulness.told),
    "In database, %": lambda row: figure(row.grounded.faithfulness.in_database),
    "Of a named venue, %": lambda row: figure(row.grounded.faithfulness.of_named_venue),
    "Inform, delex.": _of_report(lambda report: figure(report.inform)),
    "Success, delex.": _of_report(lambda report: figure(report.success)),
    "BLEU †": _of_report(lambda report: figure((report.bleu or {}).get(CANONICAL_STYLE))),
    "Av. len.": _of_report(
        lambda report: figure(report.diversity.mean_length if report.diversity else None, 2)
    ),
    "States": _of_report(lambda report: report.states),
    "Coverage": _of_report(lambda report: f"{figure(report.coverage.percent, 2)} %"),
}


def row_headers() -> list[str]:
    """Return the titles of the columns of `row_text`."""
    return ["#", "System", *_COLUMNS]


def row_text(row: LexicalisedRow) -> list[str]:
    """Return a system's row of the table."""
    rank = "ceiling" if row.is_ceiling else "–" if row.rank is None else str(row.rank)
    return [rank, row.name, *(column(row) for column in _COLUMNS.values())]


def lexicalised_blocks(
    rows: Sequence[LexicalisedRow], entries: Sequence[Entry], rules: str
) -> Iterator[str]:
    """Yield the table in Markdown, what is to be said of systems, and the check of the way back.

    Args:
        rows: The rows, in their order.
        entries: Entries of all tracks.
        rules: The rule set.
    """
    if rows:
        yield markdown_table(
            row_headers(), [row_text(replace(row, name=escaped(row.name))) for row in rows]
        )
    notes = [
        f"- {escaped(row.name)}: {escaped(told)}" for row in rows if (told := "; ".join(_said(row)))
    ]
    if notes:
        yield "\n".join(notes)
    backs = list(way_back(entries, rules))
    if backs:
        yield "### The way back"
        yield (
            "Delexicalised systems that `mwz lexicalise` put into plain English, and the "
            "delexicaliser back: their known scores must come back."
        )
        yield markdown_table(
            ["System", "Inform", "again", "", "Success", "again", ""],
            [[escaped(back.name), *_compared(back)] for back in backs],
        )


def _said(row: LexicalisedRow) -> Iterator[str]:
    if row.entry is not None and row.entry.system.note:
        yield row.entry.system.note
    by_harness = row.entry is not None and row.entry.system.predictions.by_harness
    if row.unranked is not None and not row.is_ceiling and not by_harness:
        yield f"not ranked: {row.unranked}"
    elif row.rank is not None and row.report is not None and not row.report.coverage.complete:
        success, inform = row.at_least
        yield (
            f"ranked by its lower bound over the whole benchmark (Success {figure(success)}, "
            f"Inform {figure(inform)})"
        )


@dataclass(frozen=True)
class WayBack:
    """A system whose responses were put into plain English and delexicalised again.

    Attributes:
        key: The entry in plain English.
        name: The system's name.
        inform: Strict Inform of its own, and again, in percent.
        success: Strict Success likewise.
    """

    key: str
    name: str
    inform: tuple[float, float]
    success: tuple[float, float]

    @property
    def farthest(self) -> float:
        """The larger of both differences."""
        return max(abs(again - own) for own, again in (self.inform, self.success))


def way_back(entries: Sequence[Entry], rules: str) -> Iterator[WayBack]:
    """Yield what came back of each system that the harness put into plain English."""
    by_key = {entry.key: entry for entry in entries}
    for entry in entries:
        base = by_key.get(entry.system.predictions.lexicalised or "")
        own = None if base is None else base.scores.under(rules)
        again = entry.scores.under(rules)
        if base is None or own is None or again is None:
            continue
        figures = (own.inform, again.inform, own.success, again.success)
        if None not in figures:
            inform, inform_again, success, success_again = (value or 0.0 for value in figures)
            yield WayBack(
                entry.key, base.system.name, (inform, inform_again), (success, success_again)
            )


def _compared(back: WayBack) -> list[str]:
    return [
        told
        for own, again in (back.inform, back.success)
        for told in (figure(own), figure(again), signed(again - own))
    ]


def lexicalised_places(rows: Iterable[LexicalisedRow]) -> Iterator[tuple[Entry, int | None]]:
    """Yield the systems and their ranks: not the ceiling, nor what the harness made."""
    for row in rows:
        if row.entry is not None and not row.entry.system.predictions.by_harness:
            yield row.entry, row.rank


def tracked_reports(rows: Sequence[LexicalisedRow]) -> dict[str, Report]:
    """Return key -> report, of the systems whose states stand in the tables of state tracking."""
    systems = {entry.key for entry, _ in lexicalised_places(rows)}
    return {
        row.entry.key: row.report
        for row in rows
        if row.entry is not None and row.report is not None and row.entry.key in systems
    }


def lexicalised_signatures(rows: Iterable[LexicalisedRow]) -> list[str]:
    """Return what the scores depend on besides the system, each distinct signature once."""
    return common_signatures(row.report.signature for row in rows if row.report is not None)


def common_signatures(signatures: Iterable[Signature]) -> list[str]:
    """Return signatures without what systems differ in and columns or notes show, each once."""
    return sorted(
        {
            str(
                replace(
                    one,
                    domains=None,
                    states=None,
                    coverage=None,
                    parameters={k: v for k, v in one.parameters.items() if k != PLACEHOLDERS},
                )
            )
            for one in signatures
        }
    )


LEXICALISED_NOTES = """\
- **Lexicalised systems**: *Success*, *Inform*: grounded, of text, goals and venue database alone
  (docs/lexicalised.md); *all*: every venue named last fits. The table is sorted by Success, then
  Inform; dialogues that are not played count as lost, and below 90 % of the turns there is no rank.
  *Told*: telephone numbers, postcodes, addresses and train ids; the shares that the database has
  and that belong to a venue named by then. *Delex.*: strict Inform and Success of the responses
  delexicalised by the harness. † *BLEU* of these does not compare with that of other tables: the
  delexicaliser is close to what the references are made by. The ceiling shows how close.
"""
