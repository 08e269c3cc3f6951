"""What is reported of systems: the field's public tables, and printed figures beside the harness's.

`reported.toml` of a folder of submissions has the tables as facts, with their source, of systems
with and without an entry. A row of a system that has an entry names it. What a column is of is told
from its name: a version of MultiWOZ, a domain, and a measure ("2.1 joint accuracy", "hotel JGA").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from ..benchmark import CANONICAL_STYLE
from ..errors import refuse, unknown
from ..io import figure, parse_toml, read_plain, signed, validated
from ..metrics import reported_figures
from ..rooms import absent_tracks
from ..scoring import Report, setup_figure
from .systems import DomainSource, ObjectId, PlainText, Reported, WebAddress
from .track import report_left_out, tracks

REPORTED_FILE = "reported.toml"

OFFICIAL, OLD = "official", "old"
"""Kinds of tables: made with the public evaluator, or with the scripts before it."""

DIVERSITY: Mapping[str, str] = {
    "mean_length": "average length",
    "conditional_entropy": "CBE",
    "unigrams": "unique words",
    "trigrams": "unique 3-grams",
    "entropy": "token entropy",
    "msttr": "MSTTR-50",
}
"""Figures of diversity that papers and public tables print -> what they are called there."""

METRICS: Mapping[str, str] = {
    **{name: name.lower() for name in ("BLEU", "Inform", "Success", "Combined")},
    **{title: metric for metric, title in DIVERSITY.items()},
}
"""What public tables call the figures that the harness has -> the metric."""

_NUMBER = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")
_VERSION = re.compile(r"([0-9]\.[0-9]) (.+)")


_Name = Annotated[PlainText, Field(min_length=1)]


def number(text: str) -> Decimal | None:
    """Return a printed figure with its digits; None where the text is not just a number."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def version_and_measure(column: str) -> tuple[str | None, str]:
    """Return the version of MultiWOZ that a column's title names, if any, and the rest of it."""
    match = _VERSION.fullmatch(column)
    if match is None:
        return None, column
    version, measure = match.groups()
    return version, measure


@dataclass(frozen=True)
class ReportedRow:
    """A system's row of a table.

    Attributes:
        system: The system as the table names it.
        figures: Column -> the figure as printed, of those that the row has.
        entry: The key of the system's entry, if there is one.
        paper: Address of the system's paper.
        code: Address of its code.
        note: What is to be said of the row.
        domains: As of `Reported`.
    """

    system: _Name
    figures: Mapping[str, Annotated[PlainText, Field(min_length=1, max_length=40)]]
    entry: _Name | None = None
    paper: WebAddress | None = None
    code: WebAddress | None = None
    note: PlainText | None = None
    domains: DomainSource | None = None

    @property
    def name(self) -> str:
        """The system as the table names it."""
        return self.system


@dataclass(frozen=True)
class ReportedTable:
    """A public table.

    Attributes:
        name: A key.
        title: What its block is headed by.
        track: The track whose systems it has.
        kind: "official", made with the public evaluator; "old", with the scripts before it, which
            do not compare; "authors", with the authors' own.
        repository: "<owner>/<name>" at GitHub, where it is printed.
        commit: In which version.
        path: In which file.
        columns: The columns that hold figures, in order.
        rows: The rows, in order.
        date: When that version was made, if it is known.
        outputs: Where the outputs are of systems without an entry.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    title: _Name
    track: str
    kind: Literal["official", "old", "authors"]
    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    commit: ObjectId
    path: _Name
    columns: tuple[_Name, ...]
    rows: tuple[ReportedRow, ...]
    date: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] | None = None
    outputs: Literal["not available", "published, not included"] = "not available"

    @property
    def heading(self) -> str:
        """What its systems without an entry are headed by."""
        return f"Reported, outputs {self.outputs}"

    @property
    def source(self) -> str:
        """The address of the file that prints it, at its version."""
        return f"https://github.com/{self.repository}/blob/{self.commit}/{self.path}"


@dataclass(frozen=True)
class PrintedFigures:
    """What a row of a public table reports under one version of MultiWOZ.

    Attributes:
        source: The table, and the version.
        setup: "strict" for tables made with the public evaluator, else the authors' "own".
        figures: Metric -> the figure, of those that the harness has.
        style: None: the canonical references.
        domains: As of `Reported`.
    """

    source: str
    setup: str
    figures: Mapping[str, Decimal]
    style: str | None = None
    domains: str | None = None


ReportedFigures: TypeAlias = Reported | PrintedFigures
"""What one source reports of a system: an entry's `reported`, or a row of a public table."""


def printed_numbers(table: ReportedTable, row: ReportedRow) -> dict[str, Decimal]:
    """Return column -> the number there, of the columns of a table that hold one in a row."""
    numbers = {}
    for column in table.columns:
        printed = number(row.figures.get(column, ""))
        if printed is not None:
            numbers[column] = printed
    return numbers


def printed_figures(table: ReportedTable, row: ReportedRow) -> list[PrintedFigures]:
    """Return what a row reports of figures that the harness has, by version of MultiWOZ."""
    by_version: dict[str | None, dict[str, Decimal]] = {}
    for column, printed in printed_numbers(table, row).items():
        version, measure = version_and_measure(column)
        if measure in METRICS:
            by_version.setdefault(version, {})[METRICS[measure]] = printed
    setup = "strict" if table.kind == OFFICIAL else "own"
    claims = []
    for version, figures in by_version.items():
        source = table.title
        if version is not None:
            source += f", MultiWOZ {version}"
        claims.append(PrintedFigures(source, setup, figures, domains=row.domains))
    return claims


def official_claims(
    tables: Iterable[ReportedTable],
) -> Iterator[tuple[ReportedTable, str, PrintedFigures]]:
    """Yield the table, the entry and the figures of each row of the public board with an entry."""
    for table in tables:
        if table.kind != OFFICIAL:
            continue
        for row in table.rows:
            if row.entry is not None:
                for claim in printed_figures(table, row):
                    yield table, row.entry, claim


_Tables: TypeAlias = dict[Literal["tables"], tuple[ReportedTable, ...]]


def read_reported(folder: Path) -> tuple[ReportedTable, ...]:
    """Return the public tables of a folder of submissions; none if it has no `reported.toml`.

    Tables of a track whose room is not there are left out; a line on standard error says so.

    Raises:
        InputError: The file is not TOML or not as the schema says, or a row has a figure in a
            column that its table lacks.
    """
    path = folder / REPORTED_FILE
    if not path.is_file():
        return ()
    content = parse_toml(read_plain(path), str(path))
    tables = validated(_Tables, content, str(path)).get("tables", ())
    refuse(str(path), _problems(tables))
    of_known_tracks = tuple(table for table in tables if table.track in tracks())
    if len(of_known_tracks) < len(tables):
        report_left_out(path, f"{len(tables) - len(of_known_tracks)} tables")
    return of_known_tracks


def check_entries(tables: Sequence[ReportedTable], keys: Iterable[str], source: str) -> None:
    """Check that the entries that rows name are among those of the keys.

    Raises:
        InputError: Some are not; the message begins with the source.
    """
    allowed = {None, *keys}
    problems = []
    for table in tables:
        for row in table.rows:
            if row.entry not in allowed:
                place = f"{REPORTED_FILE}: {table.name}, {row.system}"
                problems.append(f"{place}: there is no entry {row.entry}")
    refuse(source, problems)


def _problems(tables: Sequence[ReportedTable]) -> Iterator[str]:
    """Yield what the schema alone does not tell."""
    names = [table.name for table in tables]
    every_track = [*tracks(), *absent_tracks()]
    for number, table in enumerate(tables):
        if table.track not in every_track:
            yield f"tables.{number}.track: {unknown('track', table.track, every_track)}"
        if table.name in names[:number]:
            yield f"tables.{number}.name: {table.name} is the name of another table"
        for place, row in enumerate(table.rows):
            for column in row.figures:
                if column not in table.columns:
                    problem = unknown("column", column, table.columns)
                    yield f"tables.{number}.rows.{place}.figures: {problem}"


# ----------------------------------------------------- a printed figure beside the harness's


@dataclass(frozen=True)
class PrintedFigure:
    """A printed figure, the harness's beside it, and the verdict on the two.

    Attributes:
        printed: The figure, with its digits.
        scored: The harness's, unrounded, in the set-up that should give it; None if it has none.
        system: The system as the source names it, or its entry does.
        entry: The key of its entry; empty if it has none.
        source: Where the figure is printed.
        setup: The set-up that it is of: "strict", "optimistic", or the authors' "own"; of joint
            accuracy the gold states.
        title: What tables call it.
        metric: Its key in `reported_figures()` or `DIVERSITY`; empty for others.
        verdict: One of the glossary's verdicts; of a figure that does not fit, "combined" or
            "attainable"; of a cell of a paper's table, where the outputs are that the harness
            does not have.
        reason: What does not fit, and what the figure can be.
        by_setup: (Rule set, set-up) -> the harness's figure, where there is one.
    """

    printed: Decimal
    scored: float | None = None
    system: str = ""
    entry: str = ""
    source: str = ""
    setup: str = ""
    title: str = ""
    metric: str = ""
    verdict: str = ""
    reason: str = ""
    by_setup: Mapping[tuple[str, str], float] = field(default_factory=dict)

    @property
    def digits(self) -> int:
        """How many decimals it is printed with."""
        return max(0, -int(self.printed.as_tuple().exponent))

    @property
    def difference(self) -> float | None:
        """The harness's figure minus the reported one, in the figure's unit."""
        return None if self.scored is None else round(self.scored - float(self.printed), 9)

    @property
    def equal(self) -> bool:
        """Whether the harness's figure, rounded to the digits printed, is the printed one.

        Halves may have been rounded either way.
        """
        return self._units is not None and self._units <= 0.5 + 1e-9

    @property
    def cut_off(self) -> bool:
        """Whether it is less than one unit of the last digit away, and not equal."""
        return self._units is not None and not self.equal and self._units < 1

    @property
    def _units(self) -> float | None:
        """How far the two are apart, in units of the last digit printed."""
        gap = self.difference
        return None if gap is None else abs(gap) * 10.0**self.digits

    def texts(self, least: int = 0) -> tuple[str, str, str]:
        """Return the printed figure, the harness's and the difference as tables show them.

        Args:
            least: The digits after the point that the latter two have at least.
        """
        digits, difference = max(least, self.digits), figure(None)
        if self.difference is not None:
            difference = signed(self.difference, digits)
        return f"{self.printed:f}", figure(self.scored, digits), difference


def figures_beside(
    report: Report | None, setup: str, figures: Mapping[str, Decimal], style: str | None = None
) -> dict[str, PrintedFigure]:
    """Return metric -> a printed figure beside that of a report under a set-up."""
    beside = {}
    for metric, printed in figures.items():
        beside[metric] = PrintedFigure(printed, scored_figure(report, setup, metric, style))
    return beside


def scored_figure(
    report: Report | None, setup: str, metric: str, style: str | None = None
) -> float | None:
    """Return the harness's figure of a metric under a set-up; None without a report that has it."""
    if report is None or (metric in DIVERSITY and report.diversity is None):
        return None
    if metric == "bleu":
        return (report.bleu or {}).get(style or CANONICAL_STYLE)
    if metric in DIVERSITY:
        return float(getattr(report.diversity, metric))
    return setup_figure(report, metric, setup)


def figure_title(metric: str) -> str:
    """Return what tables call a figure."""
    return DIVERSITY[metric] if metric in DIVERSITY else reported_figures()[metric].title
