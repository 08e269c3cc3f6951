"""The board: the systems of every table and their ranks. The views show it and add nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from mwz.normalization import DEFAULT_RULES, published_rule_sets

from ..comparison import Interval
from ..errors import refuse
from ..metrics import reported_figures
from ..signature import PLACEHOLDERS, Signature, grouped
from .copied import Copies, Fingerprints, copies, hard_states
from .entries import Entry, entry_problems, in_order, read_note, read_order
from .pairs import EntryPair, Pairs, read_pairs
from .reported import ReportedTable, check_entries, official_claims, read_reported
from .rows import Mark, Row, figure_of, order
from .track import tracks
from .verdicts import official_verdict

DOCUMENTS_FOLDER = "docs"
"""The folder of documents beside the leaderboard."""

# The pages that are made from a folder of submissions, beside it.
LEADERBOARD = Path("leaderboard.md")
ALL_TABLES = Path(DOCUMENTS_FOLDER) / "board-tables.md"
OLDER_RESULTS = Path(DOCUMENTS_FOLDER) / "older-results.md"


def fingerprints(entries: Iterable[Entry]) -> dict[str, Fingerprints]:
    """Return key -> what shows copies, of the human responses, and then of published outputs."""
    by_corpus: dict[str, Fingerprints] = {}
    by_systems: dict[str, Fingerprints] = {}
    for entry in entries:
        predictions = entry.system.predictions
        if entry.scores.fingerprints is not None:
            if predictions.is_corpus:
                by_corpus[entry.key] = entry.scores.fingerprints
            elif not predictions.by_harness:
                by_systems[entry.key] = entry.scores.fingerprints
    return by_corpus | by_systems


def _compared(entries: Iterable[Entry]) -> Copies:
    """Return what entries have of earlier ones, or what none of these has."""
    compared = copies(fingerprints(entries))
    exact: dict[str, tuple[str, str]] = {}
    for entry in entries:
        scores = next(entry.scores.tracked(), None)
        is_system = not entry.system.predictions.by_harness
        if scores is not None and scores.exact is not None and is_system:
            exact[entry.key] = scores.gold_digest, scores.exact
    for key, share in hard_states(exact).items():
        compared.setdefault(key, {})["hard_states"] = ("", share)
    return compared


def rows(entries: Sequence[Entry], rules: str) -> list[Row]:
    """Return the entries in tracks of delexicalised responses, the ranked ones first.

    Each track's best come first. Under another than the default rule set, entries that have no
    scores there are left out.

    Args:
        entries: The entries of all tracks.
        rules: The rule set.

    Raises:
        InputError: Something is wrong with the entries, some have no scores that can be shown, or
            their scores do not compare.
    """
    _check(entries, rules)
    return _delexicalised(_tables(entries, rules, {}))


def _check(entries: Sequence[Entry], rules: str) -> None:
    """Make sure that entries have scores under a rule set, which compare.

    Raises:
        InputError: Something is wrong with the entries, or their scores.
    """
    problems = list(entry_problems(entries))
    # Free-running dialogues are scored by their goals alone, which may be of any benchmark.
    signatures: dict[tuple[bool, str | None], list[tuple[str, Signature]]] = {}
    for entry in entries:
        track, report = tracks()[entry.system.track], entry.scores.reports.get(rules)
        if report is not None:
            goals = report.signature.benchmark if entry.system.predictions.free_running else None
            kind = track.kind == "plain English", goals
            signatures.setdefault(kind, []).append((entry.key, report.signature))
        elif track.result is None and entry.scores.reports and rules == DEFAULT_RULES:
            problems.append(f"{entry.key}: not scored under rule set {rules}; use --rescore")
    # Scores that do not compare with those of most others.
    for alike in signatures.values():
        groups = grouped(alike, _OWN)
        usual = max(groups, key=len)
        other, usual_signature = usual[0]
        for group in groups:
            if group is not usual:
                for key, signature in group:
                    verdict = signature.comparable_with(usual_signature, _OWN)
                    reasons = "; ".join(verdict.reasons)
                    problems.append(
                        f"{key}: does not compare with {other} ({reasons}); score all on one "
                        "benchmark by `mwz leaderboard --rescore`, or use a folder of its own by "
                        "--submissions"
                    )
    refuse("leaderboard", problems)


def _tables(entries: Sequence[Entry], rules: str, copies: Copies) -> dict[str, list[list[Row]]]:
    """Return track -> the rows of each of its tables."""
    return {name: track.rows(entries, rules, copies) for name, track in tracks().items()}


def _delexicalised(tables: Mapping[str, Sequence[Sequence[Row]]]) -> list[Row]:
    """Return the rows of all tracks of delexicalised responses, the ranked ones first."""
    rows: list[Row] = []
    for name, track in tracks().items():
        if track.delexicalised:
            rows += chain.from_iterable(tables[name])
    return sorted(rows, key=order)


# What systems may differ in and yet stand in one table: each has a column, or a note.
_OWN = frozenset({"states", "coverage", PLACEHOLDERS})


def common_signatures(rows: Iterable[Row]) -> list[str]:
    """Return what scores depend on besides the system, each distinct signature once.

    What systems may differ in is left out: columns and notes show it.
    """
    signatures = set()
    for row in rows:
        parameters = dict(row.signature.parameters)
        parameters.pop(PLACEHOLDERS, None)
        common = replace(
            row.signature, domains=None, states=None, coverage=None, parameters=parameters
        )
        signatures.add(str(common))
    return sorted(signatures)


@dataclass(frozen=True)
class Board:
    """All that the views show.

    Attributes:
        rules: The rule set that ranks.
        entries: All entries, by key.
        rows: The systems in the tracks of delexicalised responses, the ranked ones first, each
            track's best first.
        tables_by_track: Track -> the rows of each of its tables, the best first.
        tables: The public tables.
        note: What is to be said of all scores; empty if nothing.
        pairs: The entries compared two by two, as far as that is known.
        entered: Key of an entry -> the day it came, such as "2026-11-22", as far as that is known.
    """

    rules: str
    entries: Sequence[Entry]
    rows: Sequence[Row]
    tables_by_track: Mapping[str, Sequence[Sequence[Row]]]
    tables: Sequence[ReportedTable] = ()
    note: str = ""
    pairs: Pairs = field(default_factory=dict)
    entered: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def by_rules(self) -> Mapping[str, Sequence[Row]]:
        """Rule set -> the rows under it, of the rule sets that entries are scored under.

        That which ranks comes first.

        Raises:
            InputError: The scores under some rule set do not compare.
        """
        by_rules = {self.rules: self.rows}
        for name in published_rule_sets():
            if name == self.rules:
                continue
            under = rows(self.entries, name)
            if under:
                by_rules[name] = under
        return by_rules

    def of_track(self, track: str) -> Sequence[Row]:
        """Return the rows of a track's first table, the best first."""
        return next(iter(self.tables_by_track[track]), ())

    @cached_property
    def rank_ranges(self) -> Mapping[str, tuple[int, int]]:
        """What pairs call a ranked row -> its first and last possible rank, as far as it is known.

        From 1 + the ranked rows of the table that are significantly better, to the number of ranked
        rows less those that are significantly worse, by the figure that ranks, on the dialogues
        that both play; and the row's own rank. Rows that do not compare stay above or below; a row
        that compares with no other has no range. Source: the rank ranges of the WMT shared tasks.
        """
        ranges: dict[str, tuple[int, int]] = {}
        # What is known dialogue by dialogue is of the default rule set.
        if self.rules != DEFAULT_RULES:
            return ranges
        for name, track in tracks().items():
            if track.delexicalised or track.kind == "states only":
                for table in self.tables_by_track[name]:
                    keys = [row.pair_key for row in _ranked(table)]
                    for place, key in enumerate(keys):
                        rank_range = self._range(keys, place)
                        if rank_range is not None:
                            ranges[key] = rank_range
        return ranges

    def _range(self, keys: Sequence[str], place: int) -> tuple[int, int] | None:
        """Return the first and last possible rank of a row; None if it compares with no other.

        Args:
            keys: What pairs call the ranked rows of a track, the best first.
            place: The place of the row among them, from 0.
        """
        better = worse = compared = 0
        for other_place, other in enumerate(keys):
            pair = self.pairs.get((keys[place], other))
            if pair is None:
                better += other_place < place
                worse += other_place > place
                continue
            compared += 1
            if pair.ranking.distinct:
                better += pair.ranking.difference < 0
                worse += pair.ranking.difference > 0
        if not compared:
            return None
        # A lower bound may rank below all that tests on shared dialogues leave open.
        return min(1 + better, place + 1), max(len(keys) - worse, place + 1)

    def rank_range(self, row: Row) -> str:
        """Return a row's rank range as tables show it: "3", "1–5"; empty where none is known."""
        first, last = self.rank_ranges.get(row.pair_key, ("", ""))
        return str(first) if first == last else f"{first}–{last}"

    def ranked(self, track: str) -> list[Row]:
        """Return the ranked rows of a track's first table that pages show, the best first."""
        return _ranked(self.of_track(track))

    @cached_property
    def entered_ranks(self) -> Mapping[str, int]:
        """Key of a ranked entry -> the rank that it took on the day it came, if that is known.

        It is that of today's scores among the rows of its track's first table that had come.
        """
        ranks = {}
        for track in tracks():
            ranked = self.ranked(track)
            for row in ranked:
                day = self.entered.get(row.key, "")
                earlier = [other for other in ranked if self.entered.get(other.key, "") <= day]
                better = [other for other in earlier if other.ranking_key > row.ranking_key]
                if day and row.entry.system.track == track:
                    ranks[row.key] = 1 + len(better)
        return ranks

    def bands(self, track: str) -> list[list[Row]]:
        """Return a track's ranked rows in bands, the best first; none where no rank ranges are.

        A band begins with the best row that is in none yet, and holds those below it down to the
        first that is significantly worse by the combined score. Rows of one band need not be equal,
        and rows of two may be: the rank ranges say which.
        """
        bands: list[list[Row]] = []
        ranked = self.ranked(track)
        if not any(map(self.rank_range, ranked)):
            return bands
        for row in ranked:
            pair = self.pairs.get((bands[-1][0].pair_key, row.pair_key)) if bands else None
            if not bands or (pair is not None and pair.ranking.distinct):
                bands.append([])
            bands[-1].append(row)
        return bands

    def marks(self, row: Row) -> list[Mark]:
        """Return what qualifies a row, in itself and among the others of its track, by kind."""
        every_mark = list(row.marks)
        # Only tracks of delexicalised responses have other rule sets and pairs of main figures.
        is_response = tracks()[row.entry.system.track].delexicalised and not row.table
        if row.rank is not None and is_response:
            newest = [name for name in published_rule_sets() if name in self.by_rules][-1]
            for row_under in self.by_rules[newest]:
                if row_under.key == row.key and row_under.rank not in (None, row.rank):
                    note = f"rank {row_under.rank} under rules {newest}"
                    every_mark.append(Mark("rules", note, str(row_under.rank)))
            for who, above, pair in self.neighbours(row):
                if pair is None or "above" not in who or pair.ranking.distinct:
                    continue
                distinct = [name for name, result in pair.figures.items() if result.distinct]
                if distinct:
                    titles = ", ".join(reported_figures()[name].title for name in distinct)
                    # Braces of a name are none of a pattern.
                    name = above.name.replace("{", "{{").replace("}", "}}")
                    note = f"tied with {name} above on Combined, but differs in {titles}"
                    every_mark.append(Mark("differs", note))
        marks: dict[str, Mark] = {}
        for mark in every_mark:
            first = marks.get(mark.kind)
            marks[mark.kind] = mark if first is None else first.joined(mark)
        return list(marks.values())

    def interval(self, row: Row, name: str) -> Interval | None:
        """Return the interval of a strict figure, around it as the board shows it.

        That of a lower bound is taken to be as wide as that of what is played. None where no
        interval is known under the rule set.
        """
        dialogues, ranking = row.entry.scores.dialogues, figure_of(row, name).number
        if dialogues is None or ranking is None or self.rules != DEFAULT_RULES:
            return None
        interval = dialogues.intervals.scores.get(name)
        return None if interval is None else interval.moved(ranking - interval.value)

    def neighbours(self, ranked_row: Row) -> Iterator[tuple[str, Row, EntryPair | None]]:
        """Yield the best row of a ranked row's track, and those above and below it.

        Yields:
            Who the other is, its row, and the two compared; None where they do not compare.
        """
        ranked = self.ranked(ranked_row.entry.system.track)
        place = [row.key for row in ranked].index(ranked_row.key)
        if place == 1:
            places = {"the best, the row above": 0, "the row below": 2}
        else:
            places = {"the row above": place - 1, "the row below": place + 1}
            if place > 1:
                places = {"the best": 0} | places
        for who, other_place in places.items():
            if 0 <= other_place < len(ranked):
                other = ranked[other_place]
                yield who, other, self.pairs.get((ranked_row.pair_key, other.pair_key))


def _ranked(table: Sequence[Row]) -> list[Row]:
    return [row for row in table if row.rank is not None and row.stands]


def row_of(board: Board, entry: Entry) -> Row | None:
    """Return an entry's row in the table that it was entered in."""
    for row in chain.from_iterable(board.tables_by_track[entry.system.track]):
        if row.entry is entry and not row.further:
            return row
    return None


def public_verdict(board: Board, entry: Entry) -> str:
    """Return whether the public board prints what the harness gives; empty if it prints nothing."""
    verdicts = []
    for _, key, claim in official_claims(board.tables):
        if key == entry.key:
            verdicts.append(official_verdict(entry, claim))
    return "; ".join(verdicts)


def make_board(
    entries: Sequence[Entry],
    rules: str,
    tables: Sequence[ReportedTable] = (),
    note: str = "",
    pairs: Pairs | None = None,
) -> Board:
    """Return the board of entries.

    Args:
        entries: The entries, in the order in which they came.
        rules: The rule set whose scores are shown.
        tables: What public tables report.
        note: What is to be said of all scores, in a sentence or two.
        pairs: The entries compared two by two, as far as that is known.

    Raises:
        InputError: Some have no scores that can be shown, or their scores do not compare, or a
            public table names an entry that is not there.
    """
    by_key = sorted(entries, key=lambda entry: entry.key)
    _check(entries, rules)
    check_entries(tables, [entry.key for entry in by_key], "leaderboard")
    by_track = _tables(by_key, rules, _compared(entries))
    responses = _delexicalised(by_track)
    return Board(rules, by_key, responses, by_track, tables, note, pairs or {})


def read_board(
    folder: Path, entries: Sequence[Entry], rules: str, pairs: Pairs | None = None
) -> Board:
    """Return the board of a folder of submissions.

    Args:
        folder: The folder, for its note and what public tables report.
        entries: Its entries.
        rules: The rule set that ranks.
        pairs: The entries compared two by two; None for what the folder holds of it.

    Raises:
        InputError: Something is wrong with what the folder holds.
    """
    stored = read_pairs(folder, entries) if pairs is None else pairs
    ordered = in_order(entries, read_order(folder))
    return make_board(ordered, rules, read_reported(folder), read_note(folder), stored)
