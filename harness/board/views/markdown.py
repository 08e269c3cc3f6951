"""The board in Markdown: the leaderboard's page, and what `mwz submit` shows of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...benchmark import STYLES
from ...comparison.settings import INTERVAL_LEVEL, SIGNIFICANCE
from ...metrics.registry import headlines
from ...rendering import escaped, escaped_cell, figure, markdown_table, p_text, signed
from ..checks import WayBack, way_back
from ..columns import columns, lexicalised_columns, tracking_columns
from ..dialogue_scores import FIGURES
from ..entries import Entry
from ..model import Board, Column, Row, Value, common_signatures
from ..pairs import PAIRS_FILE, RANKING, EntryPair, PairFigure, Standing
from ..together import PAGES
from ..tracks import LEXICALISED, STATE_TRACKING, TRACKS
from .reported_blocks import (
    OLD,
    STATUS_NOTE,
    linked_name,
    not_public,
    older_results_page,
    reported_figures,
)

MAIN = (
    "bleu", "inform", "success", "combined", "length", "cbe", "unigrams", "trigrams",
    "joint-accuracy", "coverage", "signs",
)  # fmt: skip
"""Keys of the columns of a track's own table."""

_TABLES: Mapping[str, Sequence[str]] = {
    "Strict and optimistic set-up": (
        "inform", "inform-optimistic", "success", "success-optimistic", "combined",
        "combined-optimistic", "domains", "states",
    ),
    "BLEU by reference style": [f"bleu-{style}" for style in STYLES],
    "Signs": (
        "sign-placeholders", "sign-active-domains", "sign-distinct-responses", "sign-gold-states",
        "sign-unrequested", "signs",
    ),
}  # fmt: skip
"""Heading -> keys of the columns of the tables of all tracks together."""

DOCUMENTS_FOLDER = "docs"
"""The folder of documents beside the leaderboard."""

_ABOVE = "row above"
_BEST = "best"


def pages(folder: Path, board: Board, leaderboard_page: Path) -> Mapping[Path, str]:
    """Return path -> content of every page, and of the file of pairs.

    Args:
        folder: The folder of submissions.
        board: Its board.
        leaderboard_page: Where the leaderboard is.
    """
    made = {leaderboard_page: leaderboard(board)}
    if board.pairs.pairs or (folder / PAIRS_FILE).exists():
        made[folder / PAIRS_FILE] = board.pairs.to_text()
    older = older_results_page(board)
    if older is not None:
        made[leaderboard_page.parent / PAGES[1]] = older
    return made


def leaderboard(board: Board) -> str:
    """Return the leaderboard's page in Markdown."""
    return "\n\n".join(part.rstrip("\n") for part in _page(board)) + "\n"


def track_columns(shown: Sequence[Column]) -> list[Column]:
    """Return the columns of a track's own table, of all columns."""
    by_key = {column.key: column for column in shown}
    return [by_key[key] for key in MAIN]


def row_headers(shown: Sequence[Column], ranks: bool = True) -> list[str]:
    """Return the titles of a table's columns, as plain text.

    Args:
        shown: Its columns besides rank and name.
        ranks: Whether it has one of ranks.
    """
    return [*(["#"] if ranks else []), "System", *(column.full_title for column in shown)]


def row_text(row: Row, shown: Sequence[Column], ranks: bool = True) -> list[str]:
    """Return a system's row of a table, as plain text."""
    texts = (column.value(row).text for column in shown)
    return [*([row.place] if ranks else []), row.name, *texts]


def _table(
    found: Sequence[Row],
    shown: Sequence[Column],
    ranks: bool = False,
    linked: bool = False,
    last: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return a table of rows.

    Args:
        found: The rows.
        shown: Its columns besides rank and name.
        ranks: Whether it has a column of ranks.
        linked: Whether names are followed by the addresses of paper and code.
        last: Title -> cells in Markdown, of columns behind the others.
    """
    more = last or {}
    table = []
    for place, row in enumerate(found):
        cells = [escaped_cell(text) for text in row_text(row, shown, ranks)]
        system = row.entry.system if linked and row.entry is not None else None
        links = (None, None) if system is None else (system.paper, system.code)
        cells[int(ranks)] = linked_name(row.name, *links)
        table.append([*cells, *(column[place] for column in more.values())])
    return markdown_table([*row_headers(shown, ranks), *more], table)


def _row_notes(found: Iterable[Row]) -> Iterator[str]:
    """Yield the list of what is to be said of single rows, if there is anything."""
    lines = [
        f"- {escaped(row.name)}: {'; '.join(notes)}"
        for row in found
        if (notes := row.notes(escaped))
    ]
    if lines:
        yield "\n".join(lines)


def _page(board: Board) -> Iterator[str]:
    yield "# Leaderboard"
    yield (
        f"All scores by one harness, under rule set {board.rules}, from the outputs of the "
        "systems. This page is generated by `mwz leaderboard`; what the papers report instead, and "
        "why, is in [docs/audit.md](docs/audit.md)."
    )
    if board.note:
        yield escaped(board.note)
    yield from _index(board)
    shown = columns(board)
    for name, track in TRACKS.items():
        if name == STATE_TRACKING:
            blocks = list(_tracking_blocks(board))
        elif name == LEXICALISED:
            blocks = list(_lexicalised_blocks(board))
        else:
            blocks = list(_track_blocks(board, name, shown))
        # These tables are shown even where all that they hold is reported.
        if blocks or name in (STATE_TRACKING, LEXICALISED):
            blocks += not_public(board.tables, name)
        if blocks:
            yield f"## {track.title}"
            yield track.note
            yield from blocks
    by_key = {column.key: column for column in shown}
    for title, keys in _TABLES.items():
        yield f"## {title}"
        yield _table(board.rows, [_renamed(by_key[key], title) for key in keys])
    listed = {key for keys in (MAIN, *_TABLES.values()) for key in keys}
    others = [column for column in shown if column.key not in listed and not column.elsewhere]
    if others:
        yield "## Other metrics"
        yield _table(board.rows, others)
    yield "## Notes"
    yield _NOTES
    further = {
        STANDING_NOTES: _knows_dialogues(board, board.rows),
        TRACKING_NOTES: board.tracking,
        LEXICALISED_NOTES: board.english,
        STATUS_NOTE: board.tables,
    }
    yield from (text for text, wanted in further.items() if wanted)
    yield "Signature (the sources of domains and states are in the table above):"
    told = [*common_signatures(board.rows), *common_signatures(board.english)]
    yield "\n".join(f"    {signature}" for signature in told)


def _renamed(column: Column, table: str) -> Column:
    """Return a column as a table calls it that has its title for a heading."""
    return replace(column, title="Raised") if column.title == table else column


def _index(board: Board) -> Iterator[str]:
    """Yield where each system is to be found, by name: the ranked ones, then those reported."""
    entered = [row for row in board.rows if TRACKS[row.track].submitted]
    entered += [
        row
        for table in board.tracking
        for row in table
        if row.track == STATE_TRACKING and row.tracked is not None and not row.tracked.further
    ]
    entered += [
        row
        for row in board.english
        if row.entry is not None and not row.entry.system.predictions.by_harness
    ]
    places: dict[str, list[str]] = {}
    for row in entered:
        shown = "unranked" if row.rank is None else str(row.rank)
        places.setdefault(row.name, []).append(_link(TRACKS[row.track].title, shown))
    if places:
        yield "Find a system, by name and rank: " + " · ".join(
            f"{escaped(name)} {', '.join(links)}" for name, links in _by_name(places)
        )
    reported: dict[str, list[str]] = {}
    for table in board.tables:
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


def _link(title: str, shown: str) -> str:
    anchor = title.lower().replace(" ", "-")
    return f"[{shown}](#{anchor})"


def _track_blocks(board: Board, track: str, shown: Sequence[Column]) -> Iterator[str]:
    """Yield a track's table, what is to be said of its rows, and what can be told apart."""
    found = board.of_track(track)
    if not found:
        return
    standings = board.standings(track)
    main, known = track_columns(shown), _knows_dialogues(board, found)
    if known:
        after = [column.key for column in main].index(RANKING) + 1
        main[after:after] = _standing_columns(board, standings)
    yield _table(found, main, TRACKS[track].submitted, linked=True)
    yield from _row_notes(found)
    if known:
        yield "### Intervals and differences"
        yield _standing_table(board, found, shown, standings)
    yield from reported_figures(board, track)


def _knows_dialogues(board: Board, found: Iterable[Row]) -> bool:
    """Whether it is known of some row what it scores dialogue by dialogue."""
    return any(board.interval(row, RANKING) for row in found)


def _standing_columns(board: Board, standings: Mapping[str, Standing]) -> Iterator[Column]:
    """Yield the columns behind that which ranks: its interval, and what cannot be told apart."""

    def half(row: Row) -> Value:
        interval = board.interval(row, RANKING)
        return Value(None if interval is None else interval.half)

    yield Column("half", "±", half)
    if any(map(_alike, standings.values())):
        yield Column("alike", "≈", lambda row: Value(words=_alike(standings.get(row.key))))


def _alike(standing: Standing | None) -> str:
    """Return what a row cannot be told apart from."""
    if standing is None:
        return ""
    both = {_ABOVE: standing.above, _BEST: standing.best}
    return ", ".join(
        name
        for name, pair in both.items()
        if pair is not None and not pair.figures[RANKING].distinct
    )


def _standing_table(
    board: Board, found: Sequence[Row], shown: Sequence[Column], standings: Mapping[str, Standing]
) -> str:
    """Return a track's intervals and p-values as a table."""

    def with_interval(column: Column) -> Column:
        def value(row: Row) -> Value:
            one = column.value(row)
            if one.interval is None:
                return Value()
            return Value(words=f"{one.text} ± {figure(one.interval.half, one.digits)}")

        return replace(column, value=value)

    def p(title: str, pair_of: Callable[[Standing], EntryPair | None]) -> Column:
        def value(row: Row) -> Value:
            pair = pair_of(standings.get(row.key, Standing()))
            return Value() if pair is None else Value(words=p_text(pair.figures[RANKING].p))

        return Column("p", f"p, {title}", value)

    by_key = {column.key: column for column in shown}
    table = [
        *(with_interval(by_key[name]) for name in FIGURES),
        p(_ABOVE, lambda standing: standing.above),
        p(_BEST, lambda standing: standing.best),
    ]
    seeds = [seeds_text(row.entry) for row in found]
    return _table(found, table, last={"Seeds": seeds} if any(seeds) else None)


def seeds_text(entry: Entry | None) -> str:
    """Return an entry's means and standard deviations over seeds, if it has several."""
    known = None if entry is None else entry.scores.seeds
    if known is None:
        return ""
    of = headlines()
    shown = [
        f"{of[name].title} {figure(one.mean, of[name].digits)} ({figure(one.deviation, 2)})"
        for name in FIGURES
        for one in [known.spread[name]]
    ]
    return f"{len(known.seeds) + 1} seeds: {', '.join(shown)}"


def neighbours_text(
    neighbours: Iterable[tuple[str, Row, EntryPair | None]],
) -> Iterator[str]:
    """Yield in words what a row differs from, a line for each figure.

    Args:
        neighbours: The neighbours, as `Board.neighbours` yields them.
    """
    for who, other, pair in neighbours:
        if pair is None:
            yield f"{who}, {other.name}: does not compare"
            continue
        ranking = pair.figures[RANKING]
        verdict = "differs from it" if ranking.distinct else "cannot be told apart from it"
        yield (
            f"{who}, {other.name}: {verdict} by the combined score, "
            f"{signed(ranking.difference, 2)} on {pair.dialogues} dialogues, "
            f"p = {p_text(ranking.p)}"
        )
        for name in FIGURES:
            if name != RANKING:
                yield f"  {_in_words(name, pair.figures[name])}"


def _in_words(name: str, one: PairFigure) -> str:
    headline = headlines()[name]
    apart = signed(one.difference, headline.digits) if one.distinct else "not distinguishable"
    shown = f"{headline.title}: {apart}, p = {p_text(one.p)}"
    if one.only_a is None:
        return shown
    return f"{shown}; dialogues won here only: {one.only_a}, there only: {one.only_b}"


def _tracking_blocks(board: Board) -> Iterator[str]:
    """Yield the tables of state tracking, each with what its gold states are."""
    for table in board.tracking:
        if table[0].tracked is not None:
            yield f"### {escaped(table[0].tracked.gold_title)}"
        yield _table(table, tracking_columns(table), ranks=True)
        yield from _row_notes(table)


def _lexicalised_blocks(board: Board) -> Iterator[str]:
    """Yield the table of systems in plain English, and the check of the way back."""
    if board.english:
        yield _table(board.english, lexicalised_columns(), ranks=True)
        yield from _row_notes(board.english)
    backs = list(way_back(board.entries, board.rules))
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


def _compared(back: WayBack) -> list[str]:
    return [
        text
        for own, again in (back.inform, back.success)
        for text in (figure(own), figure(again), signed(again - own))
    ]


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

STANDING_NOTES = f"""\
What can be told apart:

- **±**: half of the {INTERVAL_LEVEL} % interval, how much the figure would vary with other
  dialogues of the same kind. Inform and Success have Wilson's interval, BLEU and the combined
  score that of a bootstrap over dialogues. The first table of a track has that of the combined.
- **≈**: what a row cannot be told apart from by the combined score (p ≥ {p_text(SIGNIFICANCE)}):
  the row above it, or the best of the track. p is of approximate randomisation on the dialogues
  that both play, each comparison by itself. Rows that cannot be told apart need not be equal.
- **Seeds**: mean and standard deviation (n - 1) over several trainings of the system, where they
  were submitted. That is another question than that of other dialogues, and no part of ±.
"""

TRACKING_NOTES = """\
- **State tracking**: *JGA*: share of turns whose predicted state is the gold one, to the letter;
  ranks by it, turns that are not tracked counted as wrong, and below 90 % of the turns there is no
  rank. *Slot F1*, *RSA* (relative slot accuracy), *FGA* (flexible goal accuracy, λ = 0.5) and *GCA*
  (granular change accuracy): docs/state-tracking.md. *Fuzzy joint acc.*: joint accuracy with values
  fuzzily equal (partial ratio above 95), which is no JGA; the *Joint acc.* of the other tables.
  Slots that gold states call `bookday` and systems `day` are one.
- **Gold states of other versions**: every system with predicted states against a version's gold
  states, with `dontcare` as a value and without it on both sides; beside it the JGA against the
  benchmark's own gold states, over all turns that the system plays, as in their own table.
  *Difference*: the former less the latter. *Places gained*: among the ranked systems that stand in
  both tables. *Turns*: those scored against the version, which may lack dialogues.
"""

LEXICALISED_NOTES = """\
- **Lexicalised systems**: *Success*, *Inform*: grounded, of text, goals and venue database alone
  (docs/lexicalised.md); *all*: every venue named last fits. The table is sorted by Success, then
  Inform; dialogues that are not played count as lost, and below 90 % of the turns there is no rank.
  *Told*: telephone numbers, postcodes, addresses and train ids; the shares that the database has
  and that belong to a venue named by then. *Delex.*: strict Inform and Success of the responses
  delexicalised by the harness. † *BLEU* of these does not compare with that of other tables: the
  delexicaliser is close to what the references are made by. The ceiling shows how close.
"""
