"""The leaderboard: a page that is a pure function of the submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mwz.normalization.alias_tables import OWN
from mwz.normalization.rules import DEFAULT_RULES

from ..benchmark import STYLES
from ..errors import InputError
from ..metrics.lower_bound import LowerBound
from ..metrics.registry import headlines
from ..metrics.signs import MEANINGS, Signs
from ..placeholder_remarks import MANY_UNKNOWN
from ..rendering import escaped, figure, markdown_table
from ..report import Report
from ..signature import PLACEHOLDERS
from .checks import entry_problems
from .entries import Entry
from .lexicalised_board import (
    LEXICALISED_NOTES,
    LexicalisedRow,
    common_signatures,
    lexicalised_blocks,
    lexicalised_places,
    lexicalised_rows,
    lexicalised_signatures,
    tracked_reports,
)
from .pairs import RANKING, EntryPair, Pairs, Standing
from .reported import ReportedTable, unknown_entries
from .reported_blocks import OLD, STATUS_NOTE, not_public, older_results, reported_figures
from .standing_text import STANDING_NOTES, alike, half_width, standing_table
from .tracking_board import (
    TRACKING_NOTES,
    TrackingRow,
    tracked_places,
    tracking_blocks,
    tracking_tables,
)
from .tracks import LEXICALISED, RANKED_COVERAGE, STATE_TRACKING, TRACKS


@dataclass(frozen=True)
class Row:
    """A system on the leaderboard.

    Attributes:
        entry: The entry.
        report: Its report under the leaderboard's rule set.
        rank: Its place in its track, from 1; None if it has none.
    """

    entry: Entry
    report: Report
    rank: int | None = None

    def figure(self, name: str, setup: str = "strict") -> str:
        """Return a headline figure under a set-up as the tables show it."""
        headline = headlines()[name]
        return figure(headline.value(self.report, setup), headline.digits)

    @property
    def combined(self) -> float:
        """What ranks: the strict combined score, of incomplete submissions its lower bound."""
        bound: LowerBound | None = self.report.metrics.get("lower_bound")
        combined = self.report.combined if bound is None else bound.combined
        return combined or 0.0

    @property
    def unranked(self) -> str | None:
        """Why it is listed without a rank; None if it is ranked."""
        if not TRACKS[self.entry.system.track].submitted:
            return "reference"
        if self.entry.system.unranked is not None:
            return self.entry.system.unranked
        if not self.entry.verifiable:
            return "unverified: nobody can get its predictions"
        if self.report.coverage.percent < RANKED_COVERAGE:
            return f"plays less than {RANKED_COVERAGE:g} % of the turns"
        return None


def _raised(row: Row) -> str:
    """Return the signs that a system's scores raise, in words."""
    measured: Signs | None = row.report.metrics.get("signs")
    return "" if measured is None else ", ".join(MEANINGS[name] for name in measured.raised)


# Title of a column -> what stands in it.
_Columns = Mapping[str, Callable[[Row], str]]

_MAIN: _Columns = {
    "BLEU": lambda row: row.figure("bleu"),
    "Inform": lambda row: row.figure("inform"),
    "Success": lambda row: row.figure("success"),
    "Combined": lambda row: row.figure("combined"),
    "Av. len.": lambda row: _diversity(row, "mean_length", 2),
    "CBE": lambda row: _diversity(row, "conditional_entropy", 2),
    "Unigrams": lambda row: _diversity(row, "unigrams", 0),
    "Trigrams": lambda row: _diversity(row, "trigrams", 0),
    "Joint acc.": lambda row: figure(_joint_accuracy(row)),
    "Coverage": lambda row: f"{figure(row.report.coverage.percent, 2)} %",
    "Signs": _raised,
}
_SETUPS: _Columns = {
    "Inform": lambda row: row.figure("inform"),
    "Inform opt.": lambda row: row.figure("inform", "optimistic"),
    "Success": lambda row: row.figure("success"),
    "Success opt.": lambda row: row.figure("success", "optimistic"),
    "Combined": lambda row: row.figure("combined"),
    "Combined opt.": lambda row: row.figure("combined", "optimistic"),
    "Domains": lambda row: escaped(row.report.domains),
    "States": lambda row: escaped(row.report.states),
}
_SIGNS: _Columns = {
    "Placeholders": lambda row: _sign(row, "placeholders"),
    "Active domains": lambda row: _sign(row, "active_domains"),
    "Distinct": lambda row: _sign(row, "distinct_responses"),
    "States = gold": lambda row: _sign(row, "gold_states"),
    "Unrequested": lambda row: _sign(row, "unrequested"),
    "Raised": _raised,
}
_TOTALS = ("bleu", "inform", "success", "combined")


def _bleu_column(style: str) -> Callable[[Row], str]:
    return lambda row: figure((row.report.bleu or {}).get(style), 2)


_STYLES: _Columns = {style: _bleu_column(style) for style in STYLES}


def _other_columns() -> _Columns:
    """Return a column for each headline figure that no other table shows."""

    def column(name: str) -> Callable[[Row], str]:
        return lambda row: row.figure(name)

    return {h.title: column(name) for name, h in headlines().items() if name not in _TOTALS}


_NOTES = """\
How the columns are computed:

- **BLEU**: sacreBLEU, default settings, of the normalised responses against the references
  delexicalised by the MultiWOZ 2.2 span annotation (mwz22, the canonical style).
- **Inform**, **Success**: strict set-up, in percent of the dialogues. *Opt.* is the optimistic
  set-up: venues compared by intersection, other constraints ignored where the state has a venue's
  name or a train's id, gold active domains. It shows what lenient scripts give, and ranks nothing.
- **Combined**: (Inform + Success) / 2 + BLEU; the tables are sorted by it. Systems that do not play
  every turn are ranked by a lower bound, in which what is missing counts as failed, and in BLEU as
  an empty response; below 90 % of the turns there is no rank.
- **Av. len.**: tokens per response. **CBE**: bigram conditional entropy in bits. **Unigrams**,
  **Trigrams**: distinct ones.
- **Joint acc.**: share of turns whose predicted belief state has the gold slots, each value fuzzily
  equal (partial ratio above 95); only for systems that predict states.
- **Coverage**: turns played, in percent; the figures shown are of what is played.
- **Signs**: figures beyond a threshold, which tell a score that may not be what it seems, and for
  which there may be good reasons. *Placeholders* (about venues, a turn; above 1.5 times the
  corpus'): a response full of placeholders offers and provides whatever was asked, as the constant
  response shows. *Active domains* (a turn; above 1.5): every turn counts for all of them. *States =
  gold* (share of predicted states; above 0.9). *Unrequested*: share of what is provided that nobody
  asked for. *Distinct*: distinct responses over turns.
- **Domains**, **States**: where active domains and belief states come from in the strict set-up.
"""


def rows(entries: Sequence[Entry], rules: str) -> list[Row]:
    """Return the entries as rows under a rule set, the ranked ones first, each track's best first.

    Entries in plain English are checked alike, and have rows of their own (`lexicalised_rows`).
    Under another than the default rule set, entries that have no scores there are left out.

    Raises:
        InputError: Something is wrong with the entries, some have no scores that can be shown, or
            their scores do not compare.
    """
    found: list[Row] = []
    english: list[Row] = []
    problems = entry_problems(entries)
    for entry in entries:
        report = entry.scores.under(rules)
        if report is not None:
            own = english if entry.system.track == LEXICALISED else found
            own.append(Row(entry, report))
        elif entry.system.track == STATE_TRACKING:
            continue
        elif not entry.scores.reports and not entry.problems:
            problems.append(f"{entry.key}: scored by an earlier version; use --rescore")
        elif entry.scores.reports and rules == DEFAULT_RULES:
            problems.append(f"{entry.key}: not scored under rule set {rules}; use --rescore")
    problems += [*_comparison_problems(found), *_comparison_problems(english)]
    if problems:
        raise InputError("leaderboard", problems)
    found.sort(key=lambda row: (row.unranked is not None, -row.combined, row.entry.key))
    return _ranked(found)


def _ranked(found: Sequence[Row]) -> list[Row]:
    """Give the rows that are ranked their places, each track its own."""
    places: Counter[str] = Counter()
    ranked = []
    for row in found:
        if row.unranked is None:
            places[row.entry.system.track] += 1
            ranked.append(replace(row, rank=places[row.entry.system.track]))
        else:
            ranked.append(row)
    return ranked


def leaderboard(
    entries: Sequence[Entry],
    rules: str,
    note: str = "",
    tables: Sequence[ReportedTable] = (),
    pairs: Pairs | None = None,
) -> str:
    """Return the leaderboard's page in Markdown.

    Args:
        entries: The entries, in any order.
        rules: The rule set whose scores are shown.
        note: What is to be said of all scores, in a sentence or two.
        tables: What public tables report.
        pairs: The entries compared two by two; None where that is not known.

    Raises:
        InputError: Some have no scores that can be shown, or their scores do not compare, or a
            public table names an entry that is not there.
    """
    ranked = rows(entries, rules)
    _check_tables(entries, tables)
    by_key = sorted(entries, key=lambda entry: entry.key)
    english = lexicalised_rows(by_key, rules)
    tracking = tracking_tables(by_key, {**_reports(ranked), **tracked_reports(english)})
    # What is known dialogue by dialogue is of the default rule set.
    shown = pairs if rules == DEFAULT_RULES else None
    parts = _page(ranked, tracking, english, by_key, rules, note, tables, shown)
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _reports(ranked: Sequence[Row]) -> dict[str, Report]:
    return {row.entry.key: row.report for row in ranked}


def older_results_page(
    entries: Sequence[Entry], rules: str, tables: Sequence[ReportedTable]
) -> str | None:
    """Return the page of public tables made with older scripts; None if there are none.

    Args:
        entries: The entries, in any order.
        rules: The rule set whose scores are shown beside them.
        tables: What public tables report.

    Raises:
        InputError: As for `leaderboard`.
    """
    _check_tables(entries, tables)
    return older_results(rows(entries, rules), tables, rules)


def _check_tables(entries: Sequence[Entry], tables: Sequence[ReportedTable]) -> None:
    problems = unknown_entries(tables, [entry.key for entry in entries])
    if problems:
        raise InputError("leaderboard", problems)


def row_text(row: Row) -> Sequence[str]:
    """Return a system's row of its track's table, without links."""
    return [row.entry.system.name, *(column(row) for column in _MAIN.values())]


def row_headers() -> Sequence[str]:
    """Return the titles of the columns of `row_text`."""
    return ["System", *_MAIN]


def signatures(ranked: Sequence[Row]) -> list[str]:
    """Return what the scores depend on besides the system, each distinct signature once.

    The sources of active domains and states, and coverage, differ between systems, and have
    columns.
    """
    return common_signatures(row.report.signature for row in ranked)


def _page(
    ranked: Sequence[Row],
    tracking: Sequence[Sequence[TrackingRow]],
    english: Sequence[LexicalisedRow],
    entries: Sequence[Entry],
    rules: str,
    note: str,
    tables: Sequence[ReportedTable],
    pairs: Pairs | None,
) -> Iterator[str]:
    yield "# Leaderboard"
    yield (
        f"All scores by one harness, under rule set {rules}, from the outputs of the systems. "
        "This page is generated by `mwz leaderboard`; what the papers report instead, and why, is "
        "in [docs/audit.md](docs/audit.md)."
    )
    if note:
        yield escaped(note)
    yield from _index(ranked, tracking, english, tables)
    own_blocks = {
        STATE_TRACKING: tracking_blocks(tracking),
        LEXICALISED: lexicalised_blocks(english, entries, rules),
    }
    for name, track in TRACKS.items():
        if name in own_blocks:
            blocks = [*own_blocks[name], *not_public(tables, name)]
            if blocks:
                yield f"## {track.title}"
                yield track.note
                yield from blocks
            continue
        systems = [row for row in ranked if row.entry.system.track == name]
        if systems:
            yield f"## {track.title}"
            yield track.note
            yield from _track_tables(systems, track.submitted, pairs)
            yield from reported_figures(systems, tables, rules)
            yield from not_public(tables, name)
    yield "## Strict and optimistic set-up"
    yield _table(ranked, _SETUPS)
    yield "## BLEU by reference style"
    yield _table(ranked, _STYLES)
    yield "## Signs"
    yield _table(ranked, _SIGNS)
    others = _other_columns()
    if others:
        yield "## Other metrics"
        yield _table(ranked, others)
    yield "## Notes"
    yield _NOTES
    known = pairs is not None and any(row.entry.scores.dialogues for row in ranked)
    further = {
        STANDING_NOTES: known,
        TRACKING_NOTES: tracking,
        LEXICALISED_NOTES: english,
        STATUS_NOTE: tables,
    }
    yield from (text for text, wanted in further.items() if wanted)
    yield "Signature (the sources of domains and states are in the table above):"
    told = [*signatures(ranked), *lexicalised_signatures(english)]
    yield "\n".join(f"    {signature}" for signature in told)


def _index(
    ranked: Sequence[Row],
    tracking: Sequence[Sequence[TrackingRow]],
    english: Sequence[LexicalisedRow],
    tables: Sequence[ReportedTable],
) -> Iterator[str]:
    """Yield where each system is to be found, by name: the ranked ones, then those reported."""
    places: dict[str, list[str]] = {}
    for row in ranked:
        track = TRACKS[row.entry.system.track]
        if track.submitted:
            places.setdefault(row.entry.system.name, []).append(_place(track.title, row.rank))
    for entry, rank in (*tracked_places(tracking), *lexicalised_places(english)):
        link = _place(TRACKS[entry.system.track].title, rank)
        places.setdefault(entry.system.name, []).append(link)
    if places:
        yield "Find a system, by name and rank: " + " · ".join(
            f"{escaped(name)} {', '.join(links)}" for name, links in _by_name(places)
        )
    reported: dict[str, list[str]] = {}
    for table in tables:
        for line in table.rows:
            if line.entry is None and table.kind != OLD:
                link = _link(TRACKS[table.track].title, escaped(line.system))
                reported.setdefault(line.system, []).append(link)
    if reported:
        yield "Reported only: " + " · ".join(
            link for _, links in _by_name(reported) for link in dict.fromkeys(links)
        )


def _by_name(places: Mapping[str, list[str]]) -> list[tuple[str, list[str]]]:
    return sorted(places.items(), key=lambda item: item[0].casefold())


def _place(title: str, rank: int | None) -> str:
    return _link(title, "unranked" if rank is None else str(rank))


def _link(title: str, shown: str) -> str:
    anchor = title.lower().replace(" ", "-")
    return f"[{shown}](#{anchor})"


def _track_tables(systems: Sequence[Row], submitted: bool, pairs: Pairs | None) -> Iterator[str]:
    """Yield a track's table, what is to be said of its rows, and what can be told apart."""
    standings = track_standings(systems, pairs)
    main = _MAIN if pairs is None else _with_standing(systems, standings)
    yield _table(systems, {"#": _rank, **main} if submitted else main, linked=True)
    notes = list(_row_notes(systems))
    if notes:
        yield "\n".join(notes)
    told = standing_table([row.entry for row in systems], standings)
    if pairs is not None and told is not None:
        yield "### Intervals and differences"
        yield told


def track_standings(systems: Sequence[Row], pairs: Pairs | None) -> Mapping[str, Standing]:
    """Return key -> how each row of a track that has a rank compares with others of it.

    Args:
        systems: The rows of the track, the best first.
        pairs: The entries compared two by two; None where that is not known.
    """
    ranked = [row.entry.key for row in systems if row.rank is not None]
    return {} if pairs is None else pairs.standings(ranked)


def neighbours(
    own: Row, track: Sequence[Row], pairs: Pairs
) -> Iterator[tuple[str, Entry, EntryPair | None]]:
    """Yield the best row of a track, those above and below a row, and the row compared with each.

    Args:
        own: The row, which has a rank.
        track: The rows of its track, the best first.
        pairs: The entries compared two by two.
    """
    ranked = [row.entry for row in track if row.rank is not None]
    at = [entry.key for entry in ranked].index(own.entry.key)
    above = "the best, the row above" if at == 1 else "the row above"
    places = {"the best": 0 if at > 1 else -1, above: at - 1, "the row below": at + 1}
    for who, place in places.items():
        if 0 <= place < len(ranked):
            other = ranked[place]
            yield who, other, pairs.between(own.entry.key, other.key)


def _with_standing(systems: Sequence[Row], standings: Mapping[str, Standing]) -> _Columns:
    """Return the columns of a track's table with what can be told apart, if that is known."""
    if not any(row.entry.scores.dialogues for row in systems):
        return _MAIN
    columns: dict[str, Callable[[Row], str]] = {}
    for title, column in _MAIN.items():
        columns[title] = column
        if title == "Combined":
            columns["±"] = lambda row: figure(half_width(row.entry, RANKING))
            if any(map(alike, standings.values())):
                columns["≈"] = lambda row: alike(standings.get(row.entry.key))
    return columns


def _rank(row: Row) -> str:
    return "–" if row.rank is None else str(row.rank)


def _row_notes(systems: Sequence[Row]) -> Iterator[str]:
    """Yield what is to be said of single systems, a line of a list each."""
    for row in systems:
        system = row.entry.system
        bound: LowerBound | None = row.report.metrics.get("lower_bound")
        told = []
        if system.note:
            told.append(escaped(system.note))
        told += placeholders_note(row)
        if row.unranked is not None and TRACKS[system.track].submitted:
            told.append(f"not ranked: {escaped(row.unranked)}")
        elif bound is not None:
            at_least = "/".join(map(figure, (bound.bleu, bound.inform, bound.success)))
            told.append(
                f"ranked by its lower bound over the whole benchmark, {figure(bound.combined)} "
                f"(BLEU/Inform/Success {at_least})"
            )
        if told:
            yield f"- {escaped(system.name)}: {'; '.join(told)}"


def placeholders_note(row: Row) -> list[str]:
    """Return what is to be said of placeholders: those that an entry declares, or many unknown."""
    own, without = row.entry.system.aliases, row.entry.scores.without_placeholders
    if own is None or without is None:
        unknown = sum(row.report.unknown_placeholders.values())
        many = unknown > MANY_UNKNOWN * row.report.coverage.turns
        return [f"{unknown} unknown placeholders are read as nothing"] if many else []
    known = f"the table {own.table}" if own.table != OWN else "a table of its own"
    figures = without[row.report.rules]
    titles = "/".join(headlines()[name].title for name in figures)
    values = "/".join(figure(value, headlines()[name].digits) for name, value in figures.items())
    return [
        f"placeholders: {len(own.pairs)} are read by {known} besides those of the rule set; "
        f"without them {titles} {values}"
    ]


def _table(systems: Sequence[Row], columns: _Columns, linked: bool = False) -> str:
    name = _linked_name if linked else _name
    first = {"#": columns["#"]} if "#" in columns else {}
    rest = {title: column for title, column in columns.items() if title not in first}
    return markdown_table(
        [*first, "System", *rest],
        [
            [
                *(column(row) for column in first.values()),
                name(row),
                *(column(row) for column in rest.values()),
            ]
            for row in systems
        ],
    )


def _name(row: Row) -> str:
    return escaped(row.entry.system.name)


def _linked_name(row: Row) -> str:
    system = row.entry.system
    links = {"paper": system.paper, "code": system.code}
    # Addresses are checked where they are read: they hold nothing that ends a link.
    shown = ", ".join(f"[{what}]({link})" for what, link in links.items() if link)
    return f"{_name(row)} ({shown})" if shown else _name(row)


def _sign(row: Row, name: str) -> str:
    measured: Signs | None = row.report.metrics.get("signs")
    return figure(None if measured is None else getattr(measured, name), 2)


def _joint_accuracy(row: Row) -> float | None:
    return None if row.report.dst is None else row.report.dst.fuzzy["joint_accuracy"]


def _diversity(row: Row, name: str, digits: int) -> str:
    measured = row.report.diversity
    return figure(None if measured is None else getattr(measured, name), digits)


# What systems may differ in and yet stand in one table: each has a column, or a note.
_OWN = frozenset({"states", "coverage", PLACEHOLDERS})


def _comparison_problems(found: Sequence[Row]) -> Iterator[str]:
    """Tell which scores do not compare with those of most others."""
    groups: list[list[Row]] = []
    for row in found:
        for group in groups:
            if row.report.signature.comparable_with(group[0].report.signature, _OWN):
                group.append(row)
                break
        else:
            groups.append([row])
    usual = max(groups, key=len, default=[])
    for group in groups:
        if group is not usual:
            for row in group:
                verdict = row.report.signature.comparable_with(usual[0].report.signature, _OWN)
                yield (
                    f"{row.entry.key}: does not compare with {usual[0].entry.key} "
                    f"({'; '.join(verdict.reasons)}); score all on one "
                    "benchmark by `mwz leaderboard --rescore`, or use a folder of its own by "
                    "--submissions"
                )
