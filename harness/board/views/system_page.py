"""The page of a system: all that is known of it, in one place with a permanent address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...diagnosis.causes import CAUSES, SLOT_CAUSES
from ...io.rendering import figure
from ...metrics import headlines
from ...metrics.inform_success import TOTAL
from ...metrics.setups import RANKED
from ...scoring.report import Report
from ...signature import PLACEHOLDERS, Signature
from .. import TRACKS
from ..audit.attainable import digits_of
from ..audit.record import Line, findings, lines
from ..columns import SETUP_FIGURES, columns, lexicalised_columns, tracking_columns, verdict_mark
from ..entries import Entry, system_year
from ..model import NOTHING, REFERENCE, Board, Column, Row, placeholders_note
from ..scores import FIGURES
from .board_page import row_anchor
from .downloads import entry_reference
from .page_tables import (
    Bar,
    Cell,
    Facts,
    Table,
    difference_text,
    plus_minus,
    simple_table,
    with_minus,
)


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


def system_pages(board: Board) -> Iterator[SystemPage]:
    """Yield the page of every entry, in the order of the board."""
    by_key = {row.key: row for row in board.rows}
    others = [entry for entry in board.entries if entry.key not in by_key]
    listed = [*(row.entry for row in board.rows if row.entry is not None), *others]
    in_order = [e for track in TRACKS for e in listed if e.system.track == track]
    order = [None, *((entry.system.name, entry.key) for entry in in_order), None]
    shown = [column for column in columns(board) if column.key in FIGURES]
    for place, entry in enumerate(in_order):
        row = by_key.get(entry.key)
        yield _page(board, entry, row, shown, order[place], order[place + 2])


def _page(
    board: Board,
    entry: Entry,
    row: Row | None,
    shown: Sequence[Column],
    before: tuple[str, str] | None,
    after: tuple[str, str] | None,
) -> SystemPage:
    verdict = "; ".join(board.verdicts(entry))
    tracked = [one for table in board.tracking for one in table if one.key == entry.key]
    entered = [one for one in tracked if one.tracked is not None and not one.tracked.further]
    english = next((one for one in board.english if one.entry is entry), None)
    main = row or english
    signature = None if entry.tracking is None else entry.tracking.figures.signature
    if main is not None and main.report is not None:
        signature = main.report.signature
    return SystemPage(
        entry=entry,
        track=TRACKS[entry.system.track].title,
        section=f"tracking-{entry.key}" if main is None else row_anchor(main),
        place=_place(main or next(iter(entered), None)),
        year=system_year(entry.system),
        verdict=with_minus(verdict) or None,
        mark=verdict_mark(verdict),
        tiles=_tiles(row, shown, entered),
        blocks=[*_in_english(english), *_blocks(board, entry, row, tracked)],
        signature=str(signature or ""),
        fields=[] if signature is None else list(own_fields(signature)),
        citation=entry_reference(entry),
        compared=any(entry.key in pair for pair in board.pairs.pairs),
        before=before,
        after=after,
    )


def _facts(title: str, row: Row, shown: Sequence[Column]) -> Facts:
    values = {column.full_title: column.value(row).text for column in shown}
    return Facts(title, {title: Cell(with_minus(text)) for title, text in values.items()})


def _in_english(row: Row | None) -> Iterator[Block]:
    if row is not None:
        title = "From text, database and goal alone; delex.: delexicalised first"
        facts = [_facts(title, row, lexicalised_columns())]
        yield Block("grounded", "Scores", facts=facts)


def _place(row: Row | None) -> str:
    """Return a system's rank in words."""
    if row is None:
        return "not ranked"
    if row.rank is not None:
        return f"rank {row.rank}"
    return "reference row" if row.unranked == REFERENCE else f"not ranked: {row.unranked}"


def _tiles(row: Row | None, shown: Sequence[Column], entered: Sequence[Row]) -> list[Tile]:
    if row is None:
        return [
            Tile(column.title, column.value(one).text)
            for one in entered
            for column in tracking_columns([one])
            if column.title == "JGA"
        ]
    values = [(column.title, column.value(row)) for column in shown]
    return [Tile(title, value.text, plus_minus(value)) for title, value in values]


def _blocks(board: Board, entry: Entry, row: Row | None, tracked: Sequence[Row]) -> Iterator[Block]:
    if row is not None:
        told = "; ".join(placeholders_note(row))
        note = f"{told[:1].upper()}{told[1:]}." if told else ""
        setups = [_setups(board, row)]
        yield Block("set-ups", "Set-ups and rule sets", setups, _seeds(entry), note)
    domains = None if row is None or row.report is None else _domains(row.report)
    if domains is not None:
        yield Block("domains", "Scores by domain", [domains])
    yield from _reported(board, entry)
    if row is not None:
        yield from _lost(entry)
        yield from _signs(row)
    if tracked:
        yield Block("state-tracking", "State tracking", facts=[_tracking(one) for one in tracked])


def _setups(board: Board, row: Row) -> Table:
    rows = [
        [rules, *(own.figure(name, setup) for setup in RANKED for name in SETUP_FIGURES)]
        for rules, ranked in board.by_rules.items()
        for own in ranked
        if own.key == row.key
    ]
    titles = [headlines()[name].title for name in SETUP_FIGURES]
    return simple_table(
        "Percent of the dialogues, and the combined score; opt. is the optimistic set-up",
        ["Rule set", *titles, *(f"{title} opt." for title in titles)],
        rows,
    )


def _seeds(entry: Entry) -> list[Facts]:
    seeds = entry.scores.seeds
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


def _reported(board: Board, entry: Entry) -> Iterator[Block]:
    found = lines([entry], board.tables)
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


def _lost(entry: Entry) -> Iterator[Block]:
    """Yield what points are lost by, the most costly cause of each kind first."""
    kept = entry.scores.dialogues
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
    measured = row.signs
    if measured is None:
        return
    items = {
        title: Cell(figure(getattr(measured, name), 2), mark="bad" if name in raised else "")
        for raised in (measured.raised,)
        for name, title in _SIGNS.items()
    }
    title = f"Raised: {', '.join(row.raised)}" if row.raised else "None is raised"
    yield Block("signs", "Signs", facts=[Facts(title, items)])


def _tracking(row: Row) -> Facts:
    shown = [column for column in tracking_columns([row]) if column.title != "Track"]
    rank = "not ranked" if row.rank is None else f"rank {row.rank}"
    title = "" if row.tracked is None else row.tracked.gold_title
    return _facts(f"{title}, in percent: {rank}", row, shown)


FIELDS: Mapping[str, str] = {
    "mwz": "Version of the harness.",
    "benchmark": "The test set.",
    "data": "SHA-256 of all of it that scores depend on: references, goals, gold states, venues.",
    "rules": "The rule set, and SHA-256 of its tables: placeholders, canonical values, how venues "
    "match.",
    "setup": "The set-ups of Inform and Success that were computed.",
    "domains": "Where active domains come from in the strict set-up.",
    "states": "Where belief states come from: the system (predicted) or the corpus (gold).",
    "goals": "Which dialogues were scored.",
    "coverage": "The turns played of all, and a digest of which; left out where all are played.",
    "placeholders": "The table of placeholders that were read besides those of the rule set.",
    "gold": "SHA-256 of the gold states that state tracking is scored against.",
    "sacrebleu, sacremoses, rapidfuzz": "Versions of the libraries that scores depend on.",
}
"""Field, as a signature shows it -> its meaning."""

_DOMAINS: Mapping[str, str] = {
    "predicted": "active domains are those that the outputs name",
    "slots": "active domains are taken from the placeholders",
    "states": "active domains are taken from changes of the belief state",
    "gold": "active domains are the corpus'",
}
_STATES: Mapping[str, str] = {
    "predicted": "belief states are the system's own",
    "gold": "belief states are the corpus'",
}


def own_fields(signature: Signature) -> Iterator[tuple[str, str, str]]:
    """Yield field, value and meaning of what in a signature is the system's own."""
    for name, meanings in (("domains", _DOMAINS), ("states", _STATES)):
        value = getattr(signature, name)
        if value in meanings:
            yield name, value, f"{meanings[value]}."
    if PLACEHOLDERS in signature.parameters:
        meaning = "placeholders that the rule set does not know are read by this table."
        yield PLACEHOLDERS, signature.parameters[PLACEHOLDERS], meaning
    if signature.coverage is not None:
        yield "coverage", signature.coverage, "not every turn is played."
