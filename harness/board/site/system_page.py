"""The page of a system: all that is known of it, in one place with a permanent address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...benchmark import STYLES
from ...metrics.registry import headlines
from ...metrics.signs import MEANINGS, Signs
from ...rendering import figure, signed
from ...report import TOTAL, Report
from ..attainable import digits_of
from ..entries import Entry
from ..leaderboard import Row
from ..record import Line, findings, lines
from ..tracking_board import TrackingRow, row_headers, row_text
from ..tracks import TRACKS
from .columns import verdict_mark
from .contents import Contents
from .downloads import entry_reference
from .explained import explained
from .papers import paper_year
from .tables import NOTHING, Cell, Table, simple_table

_TOTALS = ("bleu", "inform", "success", "combined")


@dataclass(frozen=True)
class Tile:
    """One of the figures that a page begins with.

    Attributes:
        title: What it is.
        text: The figure.
        small: What stands behind it in small letters.
    """

    title: str
    text: str
    small: str = ""


@dataclass(frozen=True)
class Block:
    """A part of a system's page.

    Attributes:
        key: Its address on the page.
        title: Its heading.
        tables: What it shows.
        note: What is to be said of it; empty if nothing.
    """

    key: str
    title: str
    tables: Sequence[Table]
    note: str = ""


@dataclass(frozen=True)
class SystemPage:
    """What the page of a system shows.

    Attributes:
        entry: The system.
        track: The title of its track.
        section: The address of its row on the board.
        place: Its rank in words.
        year: The year that its paper's address tells.
        verdict: Whether the public board's row is the harness's; None if there is none.
        mark: The verdict's style.
        tiles: Its main figures.
        blocks: The parts of the page.
        signature: The signature of its scores.
        fields: Field, value and meaning of everything in the signature.
        citation: The reference of its paper in BibTeX; None without a paper.
        before: The system before it on the board: name and key.
        after: The one after it.
    """

    entry: Entry
    track: str
    section: str
    place: str
    year: int | None
    verdict: str | None
    mark: str
    tiles: Sequence[Tile]
    blocks: Sequence[Block]
    signature: str
    fields: Sequence[tuple[str, str, str]]
    citation: str | None
    before: tuple[str, str] | None = None
    after: tuple[str, str] | None = None


def system_pages(contents: Contents) -> Iterator[SystemPage]:
    """Yield the page of every entry, in the order of the board."""
    in_order = [row.entry for row in contents.rows]
    shown = {entry.key for entry in in_order}
    in_order += [entry for entry in contents.entries if entry.key not in shown]
    order = [(entry.system.name, entry.key) for entry in in_order]
    neighbours = dict(zip(order, zip([None, *order[:-1]], [*order[1:], None]), strict=True))
    by_key = {row.entry.key: row for row in contents.rows}
    for entry in in_order:
        row = by_key.get(entry.key)
        before, after = neighbours[entry.system.name, entry.key]
        yield _page(contents, entry, row, before, after)


def _page(
    contents: Contents,
    entry: Entry,
    row: Row | None,
    before: tuple[str, str] | None,
    after: tuple[str, str] | None,
) -> SystemPage:
    verdict = contents.verdict(entry)
    tracked = [one for table in contents.tracking for one in table if one.entry.key == entry.key]
    blocks = [] if row is None else list(_dialogue_blocks(contents, row))
    blocks += _reported(contents, entry)
    if row is not None:
        blocks += _signs(row)
    blocks += _tracking(entry, row, tracked)
    signature = row.report.signature if row is not None else None
    if signature is None and entry.tracking is not None:
        signature = entry.tracking.figures.signature
    return SystemPage(
        entry=entry,
        track=TRACKS[entry.system.track].title,
        section=f"row-{entry.key}" if row is not None else f"tracking-{entry.key}",
        place=_place(row, tracked),
        year=paper_year(entry.system.paper),
        verdict=verdict,
        mark=verdict_mark(verdict or ""),
        tiles=_tiles(row, tracked),
        blocks=blocks,
        signature=str(signature or ""),
        fields=[] if signature is None else list(explained(signature)),
        citation=entry_reference(entry),
        before=before,
        after=after,
    )


def _place(row: Row | None, tracked: Sequence[TrackingRow]) -> str:
    rank = row.rank if row is not None else next((one.rank for one in tracked), None)
    if rank is not None:
        return f"rank {rank}"
    if row is not None and row.unranked not in (None, "reference"):
        return f"not ranked: {row.unranked}"
    return "reference row" if row is not None else "not ranked"


def _tiles(row: Row | None, tracked: Sequence[TrackingRow]) -> list[Tile]:
    if row is not None:
        return [Tile(headlines()[name].title, row.figure(name)) for name in _TOTALS]
    return [Tile("JGA", figure(one.figures.jga, 2)) for one in tracked[:1]]


def _dialogue_blocks(contents: Contents, row: Row) -> Iterator[Block]:
    yield Block("set-ups", "Set-ups and rule sets", [_setups(contents, row)])
    domains = _domains(row.report)
    if domains is not None:
        yield Block("domains", "Scores by domain", [domains])
    yield Block("responses", "Responses", list(_responses(row.report)))


def _setups(contents: Contents, row: Row) -> Table:
    rows: list[list[str | Cell]] = []
    for rules in contents.ranked:
        found = row.entry.scores.under(rules)
        if found is None:
            continue
        under = Row(row.entry, found)
        for setup in ("strict", "optimistic"):
            figures = [under.figure(name, setup) for name in _TOTALS[1:]]
            rows.append([f"Rules {rules}, {setup}", *figures])
    return simple_table(
        "Inform and Success in percent of the dialogues, and the combined score",
        ["Set-up", "Inform", "Success", "Combined"],
        rows,
    )


def _domains(report: Report) -> Table | None:
    strict, optimistic = report.strict, report.optimistic
    if strict is None:
        return None
    names = [name for name in sorted(strict.inform) if name != TOTAL]
    sources: list[tuple[str, Mapping[str, float]]] = [
        ("Inform", strict.inform),
        ("Success", strict.success),
    ]
    if optimistic is not None:
        sources += [("Inform opt.", optimistic.inform), ("Success opt.", optimistic.success)]
    return simple_table(
        f"Inform and Success by domain in percent, rule set {report.rules}",
        ["Domain", *(title for title, _ in sources)],
        [[name, *(figure(rates.get(name)) for _, rates in sources)] for name in names],
    )


def _responses(report: Report) -> Iterator[Table]:
    styles = report.bleu or {}
    if styles:
        yield simple_table(
            "BLEU by the style in which references are delexicalised",
            ["Style", *(style for style in STYLES if style in styles)],
            [["BLEU", *(figure(styles[style], 2) for style in STYLES if style in styles)]],
        )
    measured = report.diversity
    if measured is not None:
        yield simple_table(
            "How varied the responses are",
            ["", "Av. len.", "CBE", "Entropy", "MSTTR", "Unigrams", "Bigrams", "Trigrams"],
            [
                [
                    "Responses",
                    figure(measured.mean_length, 2),
                    figure(measured.conditional_entropy, 2),
                    figure(measured.entropy, 2),
                    figure(measured.msttr, 2),
                    str(measured.unigrams),
                    str(measured.bigrams),
                    str(measured.trigrams),
                ]
            ],
        )


def _reported(contents: Contents, entry: Entry) -> Iterator[Block]:
    found = lines([entry], contents.tables)
    if not found:
        return
    wrong = [
        f"{one.figure} {one.printed:f} ({one.source}): {one.finding}"
        for one in findings([entry], [])
    ]
    yield Block(
        "reported",
        "Reported against verified",
        [
            simple_table(
                "What publications report, beside what the outputs score",
                ["Source", "Figure", "Reported", "Here", "Difference", "Verdict"],
                [_audited(one) for one in found],
                words=(1, 5),
            )
        ],
        ". ".join(wrong),
    )


def _audited(one: Line) -> list[str | Cell]:
    digits = digits_of(one.reported)
    return [
        f"{one.source} ({one.setup})",
        one.figure,
        f"{one.reported:f}",
        figure(one.harness, digits),
        NOTHING if one.difference is None else signed(one.difference, digits),
        Cell(one.verdict, mark=verdict_mark(one.verdict)),
    ]


_SIGNS = {
    "placeholders": "Placeholders about venues a turn",
    "active_domains": "Active domains a turn",
    "gold_states": "Share of predicted states that equal gold",
    "named_venues": "Share of turns that name a venue in plain words",
    "distinct_responses": "Distinct responses over turns",
    "unrequested": "Share of what is provided that nobody requested",
}


def _signs(row: Row) -> Iterator[Block]:
    measured: Signs | None = row.report.metrics.get("signs")
    if measured is None:
        return
    yield Block(
        "signs",
        "Signs",
        [
            simple_table(
                "Figures that tell a score that may not be what it seems",
                ["Figure", "Value", "Raised"],
                [
                    [
                        title,
                        figure(getattr(measured, name), 2),
                        Cell(MEANINGS[name] if name in measured.raised else NOTHING, mark="bad"),
                    ]
                    for name, title in _SIGNS.items()
                ],
                words=(2,),
            )
        ],
    )


def _tracking(entry: Entry, row: Row | None, tracked: Sequence[TrackingRow]) -> Iterator[Block]:
    if not tracked:
        return
    tables = [
        simple_table(
            "State tracking in percent",
            ["Rank", *row_headers()[2:-1]],
            [[cells[0], *cells[2:-1]] for cells in map(row_text, tracked)],
        )
    ]
    report = row.report.dst if row is not None else None
    if report is not None and report.per_domain:
        names = [name for name in next(iter(report.per_domain.values())) if name != "turns"]
        tables.append(
            simple_table(
                "State tracking by domain in percent",
                ["Domain", "Turns", *names],
                [
                    [domain, f"{found['turns']:.0f}", *(figure(found.get(n), 1) for n in names)]
                    for domain, found in sorted(report.per_domain.items())
                ],
            )
        )
    yield Block("state-tracking", "State tracking", tables)
