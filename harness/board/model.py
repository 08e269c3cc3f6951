"""The board: the systems of every table and their ranks. The views show it and add nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from mwz.normalization.rules import DEFAULT_RULES, OWN, published_rule_sets

from ..comparison.interval import Interval
from ..data.installed import DEFAULT
from ..errors import counted, refuse
from ..io.tables import figure, signed
from ..metrics import headlines
from ..metrics.flags import COPIED_STATES, FLAGS, GOLD_STATES, OF_STATES
from ..metrics.inform import TOTAL
from ..metrics.lower_bound import LowerBound
from ..scoring.report import RANKED_COVERAGE, Report
from ..signature import PLACEHOLDERS, Signature
from ..submission import HUMAN
from ..submission.remarks import MANY_UNKNOWN
from . import LEXICALISED, STATE_TRACKING, TRACKS, WITHOUT_REPORTS
from .checks import GROUNDED, entry_problems
from .copied import Fingerprints, Shared, copies
from .entries import Entry, Predictions, Review, System, in_order, read_note, read_order
from .pairs import RANKING, EntryPair, Pairs, read_pairs
from .reported import (
    OFFICIAL,
    PrintedFigures,
    ReportedTable,
    check_entries,
    printed_figures,
    read_reported,
)
from .scores import LiveScores, Scores, Tracked, gold_shares, tracked
from .verdicts import official_verdict

_T = TypeVar("_T")

DOCUMENTS_FOLDER = "docs"
"""The folder of documents beside the leaderboard."""

PAGES = (Path("leaderboard.md"), Path(DOCUMENTS_FOLDER) / "older-results.md")
"""The pages that are made from a folder of submissions, beside it."""

NOTHING = "–"
"""What stands where there is no figure, and no rank."""

HUMAN_PLACE = "human"

# Why rows have no rank that the heading of their table, or their own note, says as well.
REFERENCE = "reference"
_HUMAN_RESPONSES = "the human responses"
AGAIN = "put into plain English by the harness to check its delexicaliser"
_SAID_ELSEWHERE = (REFERENCE, _HUMAN_RESPONSES, AGAIN)

_OF_BLEU = ("bleu", "combined")

_MISSING = "over all {of}{unit} (missing {unit} count as failures)"


@dataclass(frozen=True)
class Value:
    """What stands in a cell of the board.

    Attributes:
        number: The figure, unrounded; None if it was not computed, or for words.
        digits: Digits after the point that tables show.
        words: What is shown instead of a figure; None of figures.
        unit: What is shown behind the figure.
        signed: Whether it is a difference, shown with its sign.
        interval: The figure's interval, if it is known.
        mark: Whether it speaks for the row or against it, "good" or "bad"; or nothing.
        played: Of a lower bound, in which what is missing counts as failed, the figure of what is
            played; None of any other figure.
    """

    number: float | None = None
    digits: int = 1
    words: str | None = None
    unit: str = ""
    signed: bool = False
    interval: Interval | None = None
    mark: str = ""
    played: float | None = None

    @property
    def text(self) -> str:
        """The value as tables show it."""
        if self.words is not None:
            return self.words
        if self.number is None:
            return NOTHING
        text = (signed if self.signed else figure)(self.number, self.digits) + self.unit
        return text if self.played is None else f"≥ {text}"

    @property
    def data(self) -> float | str | None:
        """The value as data: the figure with four digits, or the words."""
        if self.words is not None:
            return self.words
        return None if self.number is None else round(self.number, 4)


@dataclass(frozen=True)
class Row:
    """A system in a table of the board.

    Attributes:
        entry: The entry; without a key, of human responses that only systems' reports tell.
        report: Its report under the table's rule set; None of such responses, and of trackers.
        rank: Its place in its table, from 1, shared by equal rows; None if it has none.
        grounded: Its grounded scores, in the table of systems in plain English.
        tracked: What its states score, in a table of state tracking.
        live: What it scores in live dialogues, in a table of these.
        benchmark_row: In a table of other gold states than the benchmark's: its row in the table
            of those, if it stands there.
        gained: How many places it gains against that table, among the ranked rows of both.
        copies: Flag -> what it has of another entry, as far as that is known.
    """

    entry: Entry
    report: Report | None
    rank: int | None = None
    grounded: Any = None
    tracked: Tracked | None = None
    live: LiveScores | None = None
    benchmark_row: Row | None = None
    gained: int | None = None
    copies: Mapping[str, Shared] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The entry's key; empty if it has no folder."""
        return self.entry.key

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.entry.system.name

    @property
    def paper(self) -> str | None:
        """The address of its paper."""
        return self.entry.system.paper

    @property
    def code(self) -> str | None:
        """The address of its code."""
        return self.entry.system.code

    @property
    def states(self) -> str | None:
        """The source of the belief states that it is scored with, and whose they are."""
        whose = self.entry.system.states_of
        source = None if self.report is None else self.report.states
        return source if whose is None else f"{source} ({whose})"

    @property
    def track(self) -> str:
        """The track that the system was entered in."""
        return self.entry.system.track

    @property
    def signature(self) -> str:
        """The signature of its scores; empty if there is none."""
        if self.tracked is not None:
            return str(self.tracked.figures.signature)
        if self.live is not None:
            return str(self.live.signature)
        return "" if self.report is None else str(self.report.signature)

    @property
    def is_corpus(self) -> bool:
        """Whether its responses are the references: BLEU against themselves says nothing."""
        return self.entry.system.predictions.is_corpus

    def value(self, name: str, setup: str = "strict") -> Value:
        """Return a headline figure of what is played; of the corpus no BLEU nor combined score."""
        headline = headlines()[name]
        if self.report is None or (self.is_corpus and name in _OF_BLEU):
            return Value(None, headline.digits)
        return Value(headline.value(self.report, setup), headline.digits)

    def ranking(self, name: str, setup: str = "strict") -> Value:
        """Return a headline figure, of a ranked row the one that ranks: what is missing failed."""
        one = self.value(name, setup)
        if setup != "strict" or self.rank is None or self.report is None or not self.lower_bound:
            return one
        return replace(one, number=self.report.whole(name), played=one.number)

    @property
    def parts(self) -> str:
        """BLEU / Inform / Success as they rank, and what is played behind lower bounds."""
        shown = [self.ranking(name) for name in ("bleu", "inform", "success")]
        played = [figure(one.played, one.digits) for one in shown if one.played is not None]
        text = " / ".join(one.text for one in shown)
        return f"{text} ({' / '.join(played)} as played)" if played else text

    def figure(self, name: str, setup: str = "strict") -> str:
        """Return a headline figure of what is played, as tables show it."""
        return self.value(name, setup).text

    @property
    def at_least(self) -> tuple[float, ...]:
        """What ranks, the figure that decides first; what is not played counts as failed.

        State tracking: joint goal accuracy. Live dialogues: pass^1. Plain English: grounded
        Success and Inform where the deciding response names no other venue ("all"). Otherwise the
        strict combined score, of incomplete submissions its lower bound.
        """
        if self.live is not None:
            return (self.live.passes[0].value,)
        if self.tracked is not None:
            return (self.tracked.figures.at_least,)
        if self.grounded is not None:
            coverage = None if self.report is None else self.report.coverage
            played = 1.0 if coverage is None else coverage.dialogues / coverage.of
            figures = self.grounded.success_all, self.grounded.inform_all
            return tuple(played * rates[TOTAL] for rates in figures)
        return ((self.report and self.report.whole("combined")) or 0.0,)

    @property
    def lower_bound(self) -> LowerBound | None:
        """The lower bound of its scores over the whole benchmark; None if it plays all of it."""
        return None if self.report is None else self.report.metrics.get("lower_bound")

    @property
    def is_human(self) -> bool:
        """Whether it is what the human responses get, in the table of plain English."""
        return self.grounded is not None and self.entry.system.predictions.made == HUMAN

    @property
    def unranked(self) -> str | None:
        """Why it is listed without a rank; None if it is ranked."""
        return next(self._reasons(), None)

    def _reasons(self) -> Iterator[str]:
        """Yield why it is listed without a rank, the first reason first."""
        if self.is_human:
            yield _HUMAN_RESPONSES
            return
        system = self.entry.system
        if not TRACKS[system.track].submitted or system.predictions.by_harness:
            yield AGAIN if system.predictions.lexicalised else REFERENCE
        if system.unranked is not None:
            yield system.unranked
        if not self.entry.verifiable:
            yield "nobody can get its predictions"
        played = 100.0 if self.report is None else self.report.coverage.percent
        if (played if self.tracked is None else self.tracked.coverage) < RANKED_COVERAGE:
            yield f"plays less than {RANKED_COVERAGE:g} % of the turns"
        if self.live is not None and self.live.tasks < len(self.live.played):
            yield f"plays {self.live.tasks} of {len(self.live.played)} tasks"
        if self.tracked is not None and not self.tracked.gold.known:
            yield "its gold states are its own, not those of a known version"
        if self.tracked is not None and system.states_of is not None:
            yield f"its belief states are those of {system.states_of}"
        if self.unreviewed:
            yield f"flags not reviewed yet: {', '.join(self.unreviewed)}"

    @property
    def place(self) -> str:
        """Its rank as tables show it."""
        if self.is_human:
            return HUMAN_PLACE
        return NOTHING if self.rank is None else str(self.rank)

    @cached_property
    def flags(self) -> Mapping[str, float]:
        """Flag -> figure, of those that its table has; of states tracked, those of states alone.

        Where systems are given gold states, that states agree with these is no flag.
        """
        measured = {} if self.report is None else dict(self.report.metrics.get("flags") or {})
        if shares := gold_shares(self.entry.scores, self.report):
            measured[GOLD_STATES] = max(shares)
        measured |= {name: one.share for name, one in self.copies.items()}
        if self.live is not None and self.live.baseline_calls is not None:
            measured["baseline_calls"] = self.live.baseline_calls
        if self.tracked is not None:
            return {name: measured[name] for name in OF_STATES if name in measured}
        given = TRACKS[self.track].states == "gold"
        return {n: one for n, one in measured.items() if not (given and n in OF_STATES)}

    @cached_property
    def raised(self) -> list[str]:
        """The flags that are raised; states that are said to be another entry's are none."""
        states = self.copies.get(COPIED_STATES)
        told = states is not None and states.entry == self.entry.system.states_of
        return [
            name
            for name, value in self.flags.items()
            if FLAGS[name].is_raised(value) and not (told and name == COPIED_STATES)
        ]

    @property
    def reviews(self) -> Mapping[str, Review]:
        """Flag -> its review, of those that are reviewed."""
        return {one.flag: one for one in self.entry.system.review}

    @property
    def unreviewed(self) -> list[str]:
        """The raised flags that nobody has reviewed, in words."""
        return [FLAGS[name].meaning for name in self.raised if name not in self.reviews]

    def notes(self, quoted: Callable[[str], str] = str) -> list[str]:
        """Return what is to be said of the row beside its figures.

        Args:
            quoted: How a view shows words that are the entry's, not the harness's.
        """
        system = self.entry.system
        flags = list(self.flag_notes(quoted))
        if self.tracked is not None:
            said = self.bound_note()
            if system.track != STATE_TRACKING or self.tracked.further:
                return [*said, *flags]
            return [*map(quoted, filter(None, (system.note, system.unranked))), *said, *flags]
        said = [quoted(system.note)] if system.note else []
        lost = {} if self.live is None else self.live.lost
        said += [f"{counted(n, 'dialogue')} {how}, counted as lost" for how, n in lost.items() if n]
        if self.grounded is None:
            said += placeholders_note(self)
        if self.unranked is not None and self.unranked not in _SAID_ELSEWHERE:
            said.append(f"not ranked: {quoted(self.unranked)}")
        return [*said, *self.bound_note(), *flags]

    def flag_notes(self, quoted: Callable[[str], str] = str) -> Iterator[str]:
        """Say whose states it has, and what was measured of raised flags, with their reviews."""
        if self.entry.system.states_of is not None:
            yield f"belief states of {self.entry.system.states_of}"
        for name in () if self.unranked in _SAID_ELSEWHERE else self.raised:
            value, copied = self.flags[name], self.copies.get(name)
            of = "" if copied is None else f" ({quoted(copied.entry)})"
            said = f"{FLAGS[name].title}{of}: {figure(value, 2)}"
            if name == COPIED_STATES and value == 1.0 and copied is not None:
                said = f"same belief states as {copied.entry}"
            review = self.reviews.get(name)
            if review is None:
                yield f"flag: {said}, limit {figure(FLAGS[name].limit, 2)}"
            else:
                when = f"{quoted(review.reviewer)} on {review.date}"
                yield f"{said}; reviewed by {when}: {quoted(review.reason)}"

    def bound_note(self) -> list[str]:
        """Return the figure that ranks an incomplete submission, and that of what it plays."""
        if self.tracked is not None:
            played, whole = figure(self.tracked.figures.jga, 2), figure(self.at_least[0], 2)
            over = _MISSING.format(of="", unit="turns")
            partial = f"not ranked: {self.unranked}; its figures are of the turns it tracks"
            both = f"≥ {whole} {over}; {played} on the turns it tracks"
            said = both if self.unranked is None else partial
            return [] if self.tracked.figures.complete else [said]
        if self.report is None or self.report.coverage.complete:
            return []
        coverage = self.report.coverage
        count, of, unit = coverage.dialogues, coverage.of, "dialogues"
        if count == of:
            count, of, unit = coverage.turns, coverage.of_turns, "turns"
        if self.unranked is not None:
            return [f"its figures are of the {count} of {of} {unit} it plays"]
        over = _MISSING.format(of=f"{of} ", unit=unit)
        if self.grounded is not None:
            whole = "Success ≥ {}, Inform ≥ {}".format(*map(figure, self.at_least))
            rates = self.grounded.success_all[TOTAL], self.grounded.inform_all[TOTAL]
            played = " and ".join(map(figure, rates))
            return [f"{whole} {over}; {played} on the {count} submitted"]
        whole = f"≥ {figure(self.at_least[0])} {over}"
        parts = "/".join(map(self.figure, ("bleu", "inform", "success")))
        played = f"{self.figure('combined')} on the {count} submitted, as public tables print"
        return [f"{whole}; {played} (BLEU/Inform/Success {parts})"]


def placeholders_note(row: Row) -> list[str]:
    """Return what is to be said of placeholders: those that an entry declares, or many unknown."""
    if row.report is None:
        return []
    own, without = row.entry.system.aliases, row.entry.scores.without_placeholders
    if own is None or without is None:
        unknown = sum(row.report.unknown_placeholders.values())
        many = unknown > MANY_UNKNOWN * row.report.coverage.turns
        return [f"{unknown} unknown placeholders are read as nothing"] if many else []
    known = f"the table {own.table}" if own.table != OWN else "a table of its own"
    figures = without[row.report.rules]
    titles = "/".join(headlines()[name].title for name in figures)
    values = "/".join(figure(value, headlines()[name].digits) for name, value in figures.items())
    are = "is" if len(own.pairs) == 1 else "are"
    count = counted(len(own.pairs), "placeholder")
    return [f"{count} of its own {are} read by {known}; without them {titles} {values}"]


def ranked(found: Iterable[Row], apart: bool = True) -> list[Row]:
    """Return the rows of a table with their ranks, the best first.

    Rows that are equal in all that ranks share a place, and stand in the order of their keys.

    Args:
        found: The rows.
        apart: Whether those without a rank stand below the others, not among them.
    """
    ordered = sorted(found, key=lambda row: _order(row, apart))
    places = [row.at_least for row in ordered if row.unranked is None]
    ranks = (None if one.unranked else 1 + places.index(one.at_least) for one in ordered)
    return [replace(row, rank=rank) for row, rank in zip(ordered, ranks, strict=True)]


def fingerprints(entries: Iterable[Entry]) -> dict[str, Fingerprints]:
    """Return key -> what shows copies, of the entries that the harness does not make itself."""
    return {
        entry.key: entry.scores.fingerprints
        for entry in entries
        if entry.scores.fingerprints is not None and not entry.system.predictions.by_harness
    }


def flag_notes(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """Return key -> what is to be said of the flags of each entry, as `make_board` takes them."""
    shared = copies(fingerprints(entries))
    found = {}
    for entry in entries:
        report = entry.scores.under(DEFAULT_RULES)
        own = next(tracked(entry.scores, report), None) if entry.tracking else None
        row = Row(entry, report, tracked=own, copies=shared.get(entry.key, {}))
        found[entry.key] = list(row.flag_notes())
    return found


def _order(row: Row, apart: bool = True) -> tuple[bool, bool, list[float], str]:
    out = apart and row.unranked is not None
    return not row.is_human, out, [-figure for figure in row.at_least], row.key


Copies: TypeAlias = Mapping[str, Mapping[str, Shared]]
"""Key -> flag -> what the entry has of another one."""


def rows(entries: Sequence[Entry], rules: str, copies: Copies | None = None) -> list[Row]:
    """Return the entries as rows under a rule set, the ranked ones first, each track's best first.

    Entries in plain English are checked alike, and have rows of their own (`lexicalised_rows`).
    Under another than the default rule set, entries that have no scores there are left out.

    Args:
        entries: The entries.
        rules: The rule set.
        copies: What entries have of one another; None where ranks do not matter.

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
            own.append(Row(entry, report, copies=(copies or {}).get(entry.key, {})))
        elif entry.system.track in WITHOUT_REPORTS:
            continue
        elif not entry.scores.reports and not entry.problems:
            problems.append(f"{entry.key}: scored by an earlier version; use --rescore")
        elif entry.scores.reports and rules == DEFAULT_RULES:
            problems.append(f"{entry.key}: not scored under rule set {rules}; use --rescore")
    problems += [*_comparison_problems(found), *_comparison_problems(english)]
    refuse("leaderboard", problems)
    by_track = (ranked(row for row in found if row.track == track) for track in TRACKS)
    return sorted((row for own in by_track for row in own), key=_order)


# What systems may differ in and yet stand in one table: each has a column, or a note.
_OWN = frozenset({"states", "coverage", PLACEHOLDERS})


def _grouped(
    found: Iterable[tuple[_T, Signature]], apart_from: Collection[str]
) -> list[list[tuple[_T, Signature]]]:
    """Return what has a signature in groups: with the first group whose first one compares."""
    groups: list[list[tuple[_T, Signature]]] = []
    for one in found:
        alike = (group for group in groups if one[1].comparable_with(group[0][1], apart_from))
        group = next(alike, None)
        if group is None:
            groups.append(group := [])
        group.append(one)
    return groups


def _comparison_problems(found: Sequence[Row]) -> Iterator[str]:
    """Yield which scores do not compare with those of most others."""
    groups = _grouped([(row.key, row.report.signature) for row in found if row.report], _OWN)
    usual = max(groups, key=len, default=[])
    for key, own in (one for group in groups if group is not usual for one in group):
        other, first = usual[0]
        yield (
            f"{key}: does not compare with {other} "
            f"({'; '.join(own.comparable_with(first, _OWN).reasons)}); score all on one benchmark "
            "by `mwz leaderboard --rescore`, or use a folder of its own by --submissions"
        )


def lexicalised_rows(
    entries: Iterable[Entry], rules: str, copies: Copies | None = None
) -> list[Row]:
    """Return the systems in plain English: the human responses, the ranked ones, then the others.

    Systems that the harness put into plain English itself are a check of the way back, and have no
    rank.

    Args:
        entries: Entries of all tracks; those of others are left out.
        rules: The rule set. Entries without scores under it are left out.
        copies: As for `rows`.
    """
    found = []
    for entry in entries:
        report = entry.scores.under(rules)
        scores = None if report is None else report.metrics.get(GROUNDED)
        # Where the room `grounding` is not there, scores are as they were read.
        if entry.system.track == LEXICALISED and hasattr(scores, "success_all"):
            own = (copies or {}).get(entry.key, {})
            found.append(Row(entry, report, grounded=scores, copies=own))
    if found and not any(row.is_human for row in found):
        found += _reported_human(found)
    return ranked(found)


def _reported_human(rows: Iterable[Row]) -> list[Row]:
    """Return the human responses that the report of a complete submission tells, if any."""
    for row in rows:
        human = None if row.grounded is None else row.grounded.ceiling
        if human is not None and row.report is not None and row.report.coverage.complete:
            made = Predictions(made=HUMAN)
            system = System(name="Human responses", track=LEXICALISED, predictions=made)
            return [Row(Entry(Path(), system, Scores()), None, grounded=human)]
    return []


def tracking_tables(
    entries: Sequence[Entry], reports: Mapping[str, Report], copies: Copies | None = None
) -> list[list[Row]]:
    """Return the rows of state tracking, a list for each set of gold states, the best first.

    The benchmark's own gold states come first, then those of other versions, then those of files.
    An entry stands in the table of the gold states that it was entered with, and in those of the
    further versions that it was scored against.

    Args:
        entries: The entries of all tracks.
        reports: Key -> report under the board's rule set, of those in the other tracks.
        copies: As for `rows`.
    """
    order = ("benchmark", "version", "file")
    tables: dict[str, list[Row]] = {}
    places: dict[str, int] = {}
    turns: dict[str, int] = {}
    for entry in entries:
        report = reports.get(entry.key)
        own, whole = None, False
        for one in tracked(entry.scores, report):
            shared = (copies or {}).get(entry.key, {})
            row = Row(entry, report, tracked=one, benchmark_row=own, copies=shared)
            if one.gold.whose == "benchmark":
                own, whole = row, one.figures.complete
            elif whole:
                # Versions may lack dialogues: these are all turns that one of them has.
                turns[one.figures.gold] = one.figures.turns
            tables.setdefault(one.figures.gold, []).append(row)
            places[one.figures.gold] = order.index(one.gold.whose)
    for gold, count in turns.items():
        table = ((row, row.tracked) for row in tables[gold])
        tables[gold] = [replace(row, tracked=one and one.of_turns(count)) for row, one in table]
    in_order = sorted(tables, key=lambda gold: (places[gold], -len(tables[gold]), gold))
    return [_with_gains(ranked(tables[gold], apart=False)) for gold in in_order]


def _with_gains(table: Sequence[Row]) -> list[Row]:
    """Return a table's rows with the places that they gain against the benchmark's own states."""
    pairs = ((row, row.benchmark_row) for row in table if row.unranked is None)
    both = [(row, before) for row, before in pairs if before and before.unranked is None]
    places = [{row.key: row.rank or 0 for row in ranked(side)} for side in zip(*both, strict=True)]
    after, before_it = places or ({}, {})
    gained = {key: before_it[key] - place for key, place in after.items()}
    return [replace(row, gained=gained.get(row.key)) for row in table]


def live_tables(entries: Iterable[Entry]) -> list[list[Row]]:
    """Return the rows of live dialogues, a list for each user, tools and tasks, the best first.

    What is played with different users does not compare. The seed of a scripted user, how often
    tasks are played, and how many of them, may differ.

    Args:
        entries: The entries of all tracks.
    """
    found = [(Row(e, None, live=live), live.signature) for e in entries if (live := e.scores.live)]
    groups = _grouped(found, ("seed", "trials", "played"))
    tables = [ranked(row for row, _ in group) for group in groups]
    return sorted(tables, key=_is_of_the_script, reverse=True)


def _is_of_the_script(table: Sequence[Row]) -> tuple[bool, bool, int]:
    """Return what puts the tables first whose user says what it must, on the usual benchmark."""
    live = table[0].live
    assert live is not None
    usual = live.signature.benchmark == DEFAULT
    return live.user.startswith("scripted-"), usual, len(table)


def common_signatures(found: Iterable[Row]) -> list[str]:
    """Return what scores depend on besides the system, each distinct signature once.

    What systems may differ in is left out: columns and notes show it.
    """
    signatures = set()
    for own in (row.report.signature for row in found if row.report is not None):
        parameters = {k: v for k, v in own.parameters.items() if k != PLACEHOLDERS}
        common = replace(own, domains=None, states=None, coverage=None, parameters=parameters)
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
        english: The systems in plain English.
        tracking: The tables of state tracking, one per set of gold states.
        live: The tables of live dialogues, one per user.
        tables: The public tables.
        note: What is to be said of all scores; empty if nothing.
        pairs: The entries compared two by two, as far as that is known.
    """

    rules: str
    entries: Sequence[Entry]
    rows: Sequence[Row]
    english: Sequence[Row]
    tracking: Sequence[Sequence[Row]]
    live: Sequence[Sequence[Row]] = ()
    tables: Sequence[ReportedTable] = ()
    note: str = ""
    pairs: Pairs = field(default_factory=Pairs)

    @cached_property
    def by_rules(self) -> Mapping[str, Sequence[Row]]:
        """Rule set -> the rows under it, of the rule sets that entries are scored under.

        That which ranks comes first.

        Raises:
            InputError: The scores under some rule set do not compare.
        """
        others = (name for name in published_rule_sets() if name != self.rules)
        found = {name: rows(self.entries, name) for name in others}
        return {self.rules: self.rows, **{name: own for name, own in found.items() if own}}

    def of_track(self, track: str) -> list[Row]:
        """Return the rows of a track, the best first."""
        return [row for row in self.rows if row.track == track]

    def official_figures(self, entry: Entry) -> list[PrintedFigures]:
        """Return what the public board prints of an entry."""
        official = ((one, line) for one in self.tables if one.kind == OFFICIAL for line in one.rows)
        own = (printed_figures(one, line) for one, line in official if line.entry == entry.key)
        return list(chain.from_iterable(own))

    def verdicts(self, entry: Entry) -> list[str]:
        """Return of each of these claims whether it is what the harness gives."""
        claims = self.official_figures(entry)
        return [official_verdict(entry, claim, self.rules) for claim in claims]

    @cached_property
    def rank_ranges(self) -> Mapping[str, tuple[int, int]]:
        """Key of a ranked row -> its first and last possible rank, as far as pairs are known.

        From 1 + the ranked rows of the track that are significantly better, to the number of ranked
        rows less those that are significantly worse, by the combined score. Rows that do not
        compare count as neither; a row that compares with no other has no range. Source: the rank
        ranges of the WMT shared tasks.
        """
        found: dict[str, tuple[int, int]] = {}
        # What is known dialogue by dialogue is of the default rule set.
        for track in TRACKS if self.rules == DEFAULT_RULES else ():
            keys = [row.key for row in self.of_track(track) if row.rank is not None]
            for key in keys:
                pairs = [pair for other in keys if (pair := self.pairs.between(key, other))]
                gaps = [one.difference for pair in pairs if (one := pair.figures[RANKING]).distinct]
                better, worse = sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)
                if pairs:
                    found[key] = (1 + better, len(keys) - worse)
        return found

    def rank_range(self, row: Row) -> str:
        """Return a row's rank range as tables show it: "3", "1–5"; empty where none is known."""
        if row.tracked is not None:
            return ""
        return "–".join(map(str, dict.fromkeys(self.rank_ranges.get(row.key, ()))))

    def rank_groups(self, track: str) -> list[list[Row]]:
        """Return a track's ranked rows in groups whose rank ranges do not overlap, the best first.

        Within a group, each row is linked to the others by rows that cannot be told apart.
        """
        groups: list[list[Row]] = []
        last = 0
        for row in self.of_track(track):
            if row.rank is None or row.key not in self.rank_ranges:
                continue
            first, end = self.rank_ranges[row.key]
            if not groups or first > last:
                groups.append([])
            groups[-1].append(row)
            last = max(last, end)
        return groups

    def interval(self, row: Row, name: str) -> Interval | None:
        """Return the interval of a strict figure, around it as the board shows it.

        That of a lower bound is taken to be as wide as that of what is played. None where no
        interval is known under the rule set.
        """
        known, shown = row.entry.scores.dialogues, row.ranking(name).number
        if known is None or shown is None or self.rules != DEFAULT_RULES:
            return None
        one = known.intervals.scores.get(name)
        return None if one is None else one.moved(shown - one.value)

    def neighbours(self, own: Row) -> Iterator[tuple[str, Row, EntryPair | None]]:
        """Yield the best row of a ranked row's track, and those above and below it.

        Yields:
            Who the other is, its row, and the two compared; None where they do not compare.
        """
        track = [row for row in self.of_track(own.track) if row.rank is not None]
        at = [row.key for row in track].index(own.key)
        above = "the best, the row above" if at == 1 else "the row above"
        places = {"the best": 0 if at > 1 else -1, above: at - 1, "the row below": at + 1}
        for who, place in places.items():
            if 0 <= place < len(track):
                other = track[place]
                yield who, other, self.pairs.between(own.key, other.key)


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
    shared = copies(fingerprints(entries))
    found = rows(entries, rules, shared)
    check_entries(tables, [entry.key for entry in by_key], "leaderboard")
    english = lexicalised_rows(by_key, rules, shared)
    # What the harness made is in no table of state tracking.
    made = {row.key for row in english if row.entry.system.predictions.by_harness}
    others = (row for row in (*found, *english) if row.key not in made)
    reports = {row.key: row.report for row in others if row.report is not None}
    tracking = tracking_tables(by_key, reports, shared)
    live = live_tables(by_key)
    return Board(rules, by_key, found, english, tracking, live, tables, note, pairs or Pairs())


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
    known = read_pairs(folder, entries) if pairs is None else pairs
    came = in_order(entries, read_order(folder))
    return make_board(came, rules, read_reported(folder), read_note(folder), known)
