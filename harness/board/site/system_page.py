"""The page of a system: all that is known of it, in one place with a permanent address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...diagnosis.causes import CAUSES, SLOT_CAUSES
from ...metrics.inform_success import TOTAL
from ...metrics.registry import headlines
from ...metrics.setups import RANKED
from ...metrics.signs import MEANINGS, Signs
from ...rendering import figure
from ...report import Report
from ..attainable import digits_of
from ..dialogue_scores import FIGURES
from ..entries import Entry
from ..leaderboard import Row, placeholders_note
from ..lexicalised_board import LexicalisedRow
from ..lexicalised_board import row_headers as lexicalised_headers
from ..lexicalised_board import row_text as lexicalised_text
from ..record import Line, findings, lines
from ..tracking_board import TrackingRow, gold_title, row_headers, row_text
from ..tracks import TRACKS
from .columns import plus_minus, verdict_mark
from .contents import Contents
from .downloads import entry_reference
from .explained import own_fields
from .page_tables import NOTHING, Bar, Cell, Facts, Table, difference_text, simple_table, with_minus
from .papers import system_year


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
        facts: Single figures below these.
        note: What is to be said of it; empty if nothing.
    """

    key: str
    title: str
    tables: Sequence[Table] = ()
    facts: Sequence[Facts] = ()
    note: str = ""


@dataclass(frozen=True)
class SystemPage:
    """What the page of a system shows.

    Attributes:
        entry: The system.
        track: The title of its track.
        section: The address of its row on the board.
        place: Its rank in words.
        year: The year it was published in, if that is known.
        verdict: Whether the public board's row is the harness's; None if there is none.
        mark: The verdict's style.
        tiles: Its main figures.
        blocks: The parts of the page.
        signature: The signature of its scores.
        fields: Field, value and meaning of what in the signature is the system's own.
        citation: The reference of its paper in BibTeX; None without a paper.
        compared: Whether it is compared with some other system.
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
    compared: bool
    before: tuple[str, str] | None = None
    after: tuple[str, str] | None = None


def system_pages(contents: Contents) -> Iterator[SystemPage]:
    """Yield the page of every entry, in the order of the board."""
    listed = [row.entry for row in contents.rows]
    shown = {entry.key for entry in listed}
    listed += [entry for entry in contents.entries if entry.key not in shown]
    in_order = [e for track in TRACKS for e in listed if e.system.track == track]
    order = [None, *((entry.system.name, entry.key) for entry in in_order), None]
    by_key = {row.entry.key: row for row in contents.rows}
    for place, entry in enumerate(in_order):
        row = by_key.get(entry.key)
        yield _page(contents, entry, row, order[place], order[place + 2])


def _page(
    contents: Contents,
    entry: Entry,
    row: Row | None,
    before: tuple[str, str] | None,
    after: tuple[str, str] | None,
) -> SystemPage:
    verdict = contents.verdict(entry)
    tracked = [one for table in contents.tracking for one in table if one.entry.key == entry.key]
    english = next((one for one in contents.english if one.entry is entry), None)
    signature = row.report.signature if row is not None else None
    if english is not None and english.report is not None:
        signature = english.report.signature
    if signature is None and entry.tracking is not None:
        signature = entry.tracking.figures.signature
    return SystemPage(
        entry=entry,
        track=TRACKS[entry.system.track].title,
        section=f"row-{entry.key}" if row or english else f"tracking-{entry.key}",
        place=_place(row, tracked) if english is None else _place_in_english(english),
        year=system_year(entry.system),
        verdict=None if verdict is None else with_minus(verdict),
        mark=verdict_mark(verdict or ""),
        tiles=_tiles(contents, row, tracked),
        blocks=[*_in_english(english), *_blocks(contents, entry, row, tracked)],
        signature=str(signature or ""),
        fields=[] if signature is None else list(own_fields(signature)),
        citation=entry_reference(entry),
        compared=any(entry.key in pair for pair in contents.pairs.pairs),
        before=before,
        after=after,
    )


def _place_in_english(row: LexicalisedRow) -> str:
    return f"not ranked: {row.unranked}" if row.rank is None else f"rank {row.rank}"


def _in_english(row: LexicalisedRow | None) -> Iterator[Block]:
    if row is not None:
        titles, texts = lexicalised_headers()[2:], lexicalised_text(row)[2:]
        items = {title: Cell(text) for title, text in zip(titles, texts, strict=True)}
        title = "From text, database and goal alone; delex.: delexicalised first"
        yield Block("grounded", "Scores", facts=[Facts(title, items)])


def _place(row: Row | None, tracked: Sequence[TrackingRow]) -> str:
    entered = (one.rank for one in tracked if not one.further)
    rank = row.rank if row is not None else next(entered, None)
    if rank is not None:
        return f"rank {rank}"
    if row is not None and row.unranked not in (None, "reference"):
        return f"not ranked: {row.unranked}"
    made = any(one.entry.system.predictions.by_harness for one in tracked)
    return "reference row" if row is not None or made else "not ranked"


def _tiles(contents: Contents, row: Row | None, tracked: Sequence[TrackingRow]) -> list[Tile]:
    if row is None:
        entered = [one for one in tracked if not one.further]
        return [Tile("JGA", figure(one.figures.jga, 2)) for one in entered]
    tiles = []
    for name in FIGURES:
        interval = contents.interval(row.entry, name)
        small = "" if interval is None else plus_minus(name, interval)
        tiles.append(Tile(headlines()[name].title, row.figure(name), small))
    return tiles


def _blocks(
    contents: Contents, entry: Entry, row: Row | None, tracked: Sequence[TrackingRow]
) -> Iterator[Block]:
    if row is not None:
        told = "; ".join(placeholders_note(row))
        note = f"{told[:1].upper()}{told[1:]}." if told else ""
        setups = [_setups(contents, row)]
        yield Block("set-ups", "Set-ups and rule sets", setups, _seeds(row), note)
    domains = None if row is None else _domains(row.report)
    if domains is not None:
        yield Block("domains", "Scores by domain", [domains])
    yield from _reported(contents, entry)
    if row is not None:
        yield from _lost(row)
        yield from _signs(row)
    if tracked:
        yield Block("state-tracking", "State tracking", facts=[_tracking(one) for one in tracked])


def _setups(contents: Contents, row: Row) -> Table:
    rates = ("inform", "success", "combined")
    rows = []
    for rules in contents.ranked:
        found = row.entry.scores.under(rules)
        if found is not None:
            under = Row(row.entry, found)
            figures = [under.figure(name, setup) for setup in RANKED for name in rates]
            rows.append([rules, *figures])
    titles = [headlines()[name].title for name in rates]
    return simple_table(
        "Percent of the dialogues, and the combined score; opt. is the optimistic set-up",
        ["Rule set", *titles, *(f"{title} opt." for title in titles)],
        rows,
    )


def _seeds(row: Row) -> list[Facts]:
    seeds = row.entry.scores.seeds
    if seeds is None:
        return []
    items = {
        headlines()[name].title: Cell(figure(one.mean, 1), f"± {figure(one.deviation, 1)}")
        for name, one in seeds.spread.items()
    }
    return [Facts(f"Over {len(seeds.seeds) + 1} seeds: mean and standard deviation", items)]


def _domains(report: Report) -> Table | None:
    """Return the rates by domain, with state tracking where the system tracks states."""
    strict, optimistic = report.strict, report.optimistic
    if strict is None:
        return None
    columns: dict[str, Mapping[str, float]] = {"Inform": strict.inform, "Success": strict.success}
    if optimistic is not None:
        columns |= {"Inform opt.": optimistic.inform, "Success opt.": optimistic.success}
    tracked = {} if report.dst is None else report.dst.per_domain
    for key, title in {"JGA": "JGA", "F1": "Slot F1"}.items() if tracked else ():
        columns[title] = {name: figures[key] for name, figures in tracked.items() if key in figures}
    return simple_table(
        f"By domain, in percent, rule set {report.rules}",
        ["Domain", *columns],
        [
            [name, *(figure(rates.get(name)) for rates in columns.values())]
            for name in sorted(strict.inform)
            if name != TOTAL
        ],
    )


def _reported(contents: Contents, entry: Entry) -> Iterator[Block]:
    found = lines([entry], contents.tables)
    rows: list[list[str | Cell]] = []
    source = None
    for one in found:
        if (one.source, one.setup) != source:
            source = (one.source, one.setup)
            rows.append([_source_title(one)])
        rows.append(_audited(one))
    wrong = [
        f"{one.figure} {one.printed:f} ({one.source}): {one.finding}."
        for one in findings([entry], [])
    ]
    if rows:
        table = simple_table(
            "What publications report, beside what the outputs score; the difference is the "
            "harness's less the reported figure",
            ["Figure", "Reported", "Here", "Difference", "Verdict"],
            rows,
            words=(4,),
        )
        yield Block("reported", "Reported against verified", [table], note=" ".join(wrong))


_SETUP_WORDS = {
    "own": "the authors' own set-up",
    "strict": "strict set-up",
    "optimistic": "optimistic set-up",
}


def _source_title(one: Line) -> str:
    return f"{one.source} ({_SETUP_WORDS.get(one.setup, one.setup)})"


def _audited(one: Line) -> list[str | Cell]:
    digits = digits_of(one.reported)
    return [
        one.figure,
        f"{one.reported:f}",
        figure(one.harness, digits),
        NOTHING if one.difference is None else difference_text(one.difference, digits),
        Cell(one.verdict, mark=verdict_mark(one.verdict)),
    ]


def _lost(row: Row) -> Iterator[Block]:
    """Yield what points are lost by, the most costly cause of each kind first."""
    kept = row.entry.scores.dialogues
    if kept is None:
        return
    causes, domains = kept.causes, list(kept.causes.domains)
    most = max((max(one) for one in causes.points.values()), default=0.0) or 1.0
    rows: list[list[str | Cell]] = []
    for title, names, counted in (
        ("Domains not matched, in dialogues", CAUSES, "matched"),
        ("Requested slots not provided", SLOT_CAUSES, "provided"),
    ):
        known = [name for name in names if name in causes.points]
        known.sort(key=lambda name: -causes.points[name].success)
        shown = [name for name in known if causes.points[name].success > 0]
        if shown:
            rows.append([title])
        for name in shown:
            cost = causes.points[name]
            counts = [getattr(causes.domains[domain], counted).get(name, 0) for domain in domains]
            bar = Bar(0.0, round(100 * cost.success / most, 1))
            rows.append(
                [
                    name,
                    figure(cost.inform),
                    Cell(figure(cost.success), bar=bar),
                    *(str(count or NOTHING) for count in counts),
                ]
            )
    if rows:
        table = simple_table(
            "Points of Inform and Success that each cause costs, and how often it applies by "
            "domain; what loses a dialogue together shares it",
            ["Cause", "Inform", "Success", *domains],
            rows,
        )
        yield Block("causes", "Causes of lost points", [table])


_SIGNS = {
    "placeholders": "placeholders about venues a turn",
    "active_domains": "active domains a turn",
    "gold_states": "predicted states that equal gold",
    "named_venues": "turns that name a venue in plain words",
    "distinct_responses": "distinct responses over turns",
    "unrequested": "provided and not requested",
}


def _signs(row: Row) -> Iterator[Block]:
    measured: Signs | None = row.report.metrics.get("signs")
    if measured is None:
        return
    items = {
        title: Cell(figure(getattr(measured, name), 2), mark="bad" if name in raised else "")
        for raised in (measured.raised,)
        for name, title in _SIGNS.items()
    }
    told = ", ".join(MEANINGS[name] for name in measured.raised)
    title = f"Raised: {told}" if told else "None is raised"
    yield Block("signs", "Signs", facts=[Facts(title, items)])


def _tracking(one: TrackingRow) -> Facts:
    _, _, *figures, _ = row_text(one)
    rank = "not ranked" if one.rank is None else f"rank {one.rank}"
    titles = row_headers(one)[2:-1]
    items = {title: Cell(with_minus(text)) for title, text in zip(titles, figures, strict=True)}
    return Facts(f"{gold_title(one)}, in percent: {rank}", items)
