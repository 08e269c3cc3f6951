"""The rows of the board's tables: their figures, ranking keys and remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from ..comparison import Interval
from ..errors import counted
from ..glossary import glossary
from ..io import figure, signed
from ..metrics import GOLD_STATES, reported_figures
from ..scoring import RANKED_COVERAGE, Coverage, Report, setup_figure, whole_figure
from ..signature import Signature
from ..submission import declared_features, declared_flags
from .copied import COPIED_STATES
from .entries import Entry
from .systems import Review
from .track import Track, tracks

NOTHING = "–"
"""What stands where there is no figure, and no rank."""

HUMAN_PLACE = "human"

# Why rows have no rank that the heading of their table, or their own note, says as well.
REFERENCE = "reference"
HUMAN_RESPONSES = "the human responses"
AGAIN = "put into plain English by the harness to check its delexicaliser"
SAID_ELSEWHERE = (REFERENCE, HUMAN_RESPONSES, AGAIN)

_OF_BLEU = ("bleu", "combined")
_PARTS = ("bleu", "inform", "success")


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
        gap: Of a reported figure, how much the one scored here is above it.
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
    gap: float | None = None
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
    def with_half(self) -> str:
        """The text, followed by half of the interval where one is known."""
        half = "" if self.interval is None else f" ±{figure(self.interval.half, self.digits)}"
        return self.text + half

    @property
    def data(self) -> float | str | None:
        """The value as data: the figure with four digits, or the words."""
        if self.words is not None:
            return self.words
        return None if self.number is None else round(self.number, 4)


@dataclass(frozen=True)
class Mark:
    """What qualifies a row, in short.

    Attributes:
        kind: A key of the glossary's marks, which has its sign and what the legend says of it.
        note: What is to be said, in words.
        value: What stands behind the sign, such as a difference.
    """

    kind: str
    note: str
    value: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A system in a table of the board. Each kind of track has a row of its own.

    Attributes:
        entry: The entry.
        rank: Its place in its table, from 1, shared by equal rows; None if it has none.
        copies: Flag -> the key of the entry that it has something of, and the share of its turns.
        further: Whether it is of other gold states than those that the system was entered with.
        alike: The entries that have the same in its table, itself among them, in the order in which
            they came; none if no other has.
    """

    entry: Entry
    rank: int | None = None
    copies: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    further: bool = False
    alike: tuple[Entry, ...] = ()

    @property
    def first(self) -> Entry:
        """The entry whose row stands for it."""
        return self.alike[0] if self.alike else self.entry

    @property
    def stands(self) -> bool:
        """Whether pages show it: the first of several that are alike stands for all of them."""
        return self.first is self.entry

    @property
    def is_human(self) -> bool:
        """Whether it is what the human responses get, which stands above the others."""
        return False

    @property
    def printed_as(self) -> str:
        """The column of public tables that prints what ranks; empty for the combined score."""
        return ""

    @property
    def counts(self) -> Coverage | None:
        """How much it plays; None where that is known to be all."""
        return None

    @property
    def coverage(self) -> float:
        """What is played, in percent."""
        return 100.0 if self.counts is None else self.counts.percent

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
    def track(self) -> str:
        """The track that the system was entered in."""
        return self.entry.system.track

    @property
    def declared_track(self) -> Track:
        """This track, as it is declared."""
        return tracks()[self.track]

    @property
    def compared_as(self) -> str:
        """What pairs call it; empty if it is in none."""
        return self.key

    @property
    def anchor(self) -> str:
        """Its address on a page."""
        return f"row-{self.key}" if self.key else self.place

    @property
    def signature(self) -> Signature | None:
        """The signature of its scores; None if there is none."""
        raise NotImplementedError

    @property
    def ranking_key(self) -> tuple[float, ...]:
        """The ranking key, the deciding figure first; missing turns count as failed."""
        raise NotImplementedError

    @property
    def figures(self) -> dict[str, Any]:
        """What a download of the system holds of its scores, as JSON types."""
        raise NotImplementedError

    @property
    def main_figures(self) -> dict[str, Any]:
        """What a download of the board holds of its scores, as JSON types."""
        return {}

    @property
    def measured_flags(self) -> Mapping[str, float]:
        """Flag -> figure, of all that are known but copies."""
        return {}

    @property
    def track_reasons(self) -> Iterator[str]:
        """Yield why its track does not rank it."""
        return iter(())

    @property
    def track_marks(self) -> Iterator[Mark]:
        """Yield what its track says beside its figures."""
        return iter(())

    @property
    def says_note(self) -> bool:
        """Whether the note on the system stands here, and not in another table alone."""
        return True

    @property
    def bound_note(self) -> list[str]:
        """The figure that ranks an incomplete submission, and that of what it plays."""
        counts = self.counts
        if counts is None or counts.complete:
            return []
        count, of, unit = counts.dialogues, counts.of, "dialogues"
        if count == of:
            count, of, unit = counts.turns, counts.of_turns, "turns"
        if self.unranked is not None:
            return [f"its figures are on the {count} of {of} {unit} submitted"]
        over = f"over all {of} {unit} (missing {unit} count as failures)"
        return [self.bound_text(over, f"on the {count} submitted")]

    def bound_text(self, over: str, submitted: str) -> str:
        """Return the lower bound that ranks it, and the figures of what is submitted."""
        raise NotImplementedError

    @property
    def unranked(self) -> str | None:
        """Why it is listed without a rank; None if it is ranked."""
        return HUMAN_RESPONSES if self.is_human else next(self._reasons(), None)

    def _reasons(self) -> Iterator[str]:
        """Yield why it is listed without a rank, the first reason first."""
        system = self.entry.system
        if not self.declared_track.submitted or system.predictions.by_harness:
            yield AGAIN if system.predictions.lexicalised else REFERENCE
        if system.unranked is not None:
            yield system.unranked
        if not self.entry.verifiable:
            yield "nobody can get its predictions"
        if self.coverage < RANKED_COVERAGE:
            yield f"submits less than {RANKED_COVERAGE:g} % of the turns"
        yield from self.track_reasons
        if self.unreviewed:
            yield f"flags not reviewed yet: {', '.join(self.unreviewed)}"

    @property
    def place(self) -> str:
        """Its rank as tables show it."""
        if self.is_human:
            return HUMAN_PLACE
        return NOTHING if self.rank is None else str(self.rank)

    def has_flag(self, name: str) -> bool:
        """Whether its table has a flag; that given gold states agree with gold is none."""
        return not (self.declared_track.states == "gold" and declared_flags()[name].of_states)

    @cached_property
    def flags(self) -> Mapping[str, float]:
        """Flag -> figure, of those that its table has."""
        measured = {**self.measured_flags, **{n: share for n, (_, share) in self.copies.items()}}
        return {name: share for name, share in measured.items() if self.has_flag(name)}

    @cached_property
    def raised(self) -> list[str]:
        """The flags that are raised; states that are said to be another entry's are none."""
        copied, _ = self.copies.get(COPIED_STATES, (None, 0.0))
        is_stated = copied is not None and copied == self.entry.system.states_of
        return [
            name
            for name, value in self.flags.items()
            if declared_flags()[name].is_raised(value) and not (is_stated and name == COPIED_STATES)
        ]

    def flag_title(self, name: str, quoted: Callable[[str], str] = str) -> str:
        """Return what a flag is called; of copies, with the entry that they are of."""
        copied, _ = self.copies.get(name, ("", 0.0))
        return glossary()["flags"][name].meaning + (f" ({quoted(copied)})" if copied else "")

    @property
    def reviews(self) -> Mapping[str, Review]:
        """Flag -> its review, of those that are reviewed."""
        return {one.flag: one for one in self.entry.system.review}

    @property
    def unreviewed(self) -> list[str]:
        """The raised flags that nobody has reviewed, in words."""
        return [glossary()["flags"][name].title for name in self.raised if name not in self.reviews]

    def marks(self, quoted: Callable[[str], str] = str) -> Iterator[Mark]:
        """Yield what qualifies the row.

        Args:
            quoted: How a view shows words that are the entry's, not the harness's.
        """
        if self.entry.system.note and self.says_note:
            yield Mark("note", quoted(self.entry.system.note))
        yield from self.track_marks
        if self.unranked is not None and self.unranked not in SAID_ELSEWHERE:
            yield Mark("unranked", f"not ranked: {quoted(self.unranked)}")
        missing = "" if self.counts is None else str(self.counts.missing)
        yield from (Mark("missing", note, missing) for note in self.bound_note)
        yield from self.flag_marks(quoted)

    def flag_marks(self, quoted: Callable[[str], str] = str) -> Iterator[Mark]:
        """Say whose states it has, and what was measured of raised flags, with their reviews."""
        if self.entry.system.states_of is not None:
            yield Mark("states", f"belief states of {self.entry.system.states_of}")
        for name in () if self.unranked in SAID_ELSEWHERE else self.raised:
            value = self.flags[name]
            note = f"{self.flag_title(name, quoted)}: {figure(value, 2)}"
            if name == COPIED_STATES and value == 1.0:
                note = f"same belief states as {self.copies[name][0]} in all that queries use"
            review = self.reviews.get(name)
            if review is None:
                yield Mark("flag", f"flag: {note}, limit {figure(declared_flags()[name].limit, 2)}")
            else:
                when = f"{quoted(review.reviewer)} on {review.date}"
                yield Mark("reviewed", f"{note}; reviewed by {when}: {quoted(review.reason)}")


@dataclass(frozen=True, kw_only=True)
class ResponsesRow(Row):
    """A system in a table of responses.

    Attributes:
        report: Its report under the table's rule set.
    """

    report: Report

    @property
    def states(self) -> str | None:
        """The source of the belief states that it is scored with, and whose they are."""
        owner = self.entry.system.states_of
        source = self.report.signature.states or ""
        return source if owner is None else f"{source} ({owner})"

    @property
    def signature(self) -> Signature:
        """As of `Row`."""
        return self.report.signature

    @property
    def counts(self) -> Coverage:
        """As of `Row`."""
        return self.report.coverage

    @property
    def is_corpus(self) -> bool:
        """Whether its responses are the references: BLEU against themselves says nothing."""
        return self.entry.system.predictions.is_corpus

    def value(self, name: str, setup: str = "strict") -> Value:
        """Return a headline figure of what is played; of the corpus no BLEU nor combined score."""
        digits = reported_figures()[name].digits
        if self.is_corpus and name in _OF_BLEU:
            return Value(None, digits)
        return Value(setup_figure(self.report, name, setup), digits)

    def ranking(self, name: str, setup: str = "strict") -> Value:
        """Return a headline figure, of a ranked row the one that ranks: what is missing failed."""
        one = self.value(name, setup)
        if setup != "strict" or self.rank is None or "lower_bound" not in self.report.metrics:
            return one
        return replace(one, number=whole_figure(self.report, name), played=one.number)

    @property
    def parts(self) -> str:
        """BLEU / Inform / Success as they rank, and what is played behind lower bounds."""
        values = [self.ranking(name) for name in _PARTS]
        played = [figure(one.played, one.digits) for one in values if one.played is not None]
        text = " / ".join(one.text for one in values)
        return f"{text} ({' / '.join(played)} as submitted)" if played else text

    @property
    def ranking_key(self) -> tuple[float, ...]:
        """The strict combined score, of incomplete submissions its lower bound."""
        return (whole_figure(self.report, "combined") or 0.0,)

    @property
    def measured_flags(self) -> Mapping[str, float]:
        """As of `Row`."""
        measured = dict(self.report.metrics.get("flags") or {})
        states = self.entry.scores.tracked(self.report.signature.rules or "")
        if shares := [one.gold_share for one in states]:
            measured[GOLD_STATES] = max(shares)
        return measured

    @property
    def track_marks(self) -> Iterator[Mark]:
        """Yield what is to be said of placeholders: those that it declares, or many unknown."""
        aliases, without = self.entry.system.aliases, self.entry.scores.without_placeholders
        if aliases is None or without is None:
            unknown = sum(self.report.unknown_placeholders.values())
            if unknown > declared_features()["response_unknown"].limit * self.report.coverage.turns:
                yield Mark("unknown", f"{unknown} unknown placeholders are removed")
            return
        table = f"table {aliases.table}" if aliases.table is not None else "the entry's own table"
        figures = without[(self.report.signature.rules or "")]
        shown = reported_figures()
        titles = "/".join(shown[name].title for name in figures)
        values = "/".join(figure(value, shown[name].digits) for name, value in figures.items())
        are = "is" if len(aliases.pairs) == 1 else "are"
        count = counted(len(aliases.pairs), "system-specific placeholder")
        note = f"{count} {are} mapped ({table}); without them {titles} {values}"
        combined = self.value("combined").number
        lost = None if combined is None else signed(figures["combined"] - combined)
        yield Mark("placeholders", note, lost or "")

    def bound_text(self, over: str, submitted: str) -> str:
        """As of `Row`."""
        whole = f"≥ {figure(self.ranking_key[0])} {over}"
        combined, *parts = (self.value(name).text for name in ("combined", *_PARTS))
        played = f"{combined} {submitted}, as public tables print"
        return f"{whole}; {played} (BLEU/Inform/Success {'/'.join(parts)})"


_Ranked = TypeVar("_Ranked", bound=Row)


def ranked(rows: Iterable[_Ranked]) -> list[_Ranked]:
    """Return the rows of a table with their ranks, the best first, those without one below.

    Rows that are equal in all that ranks share a place, and stand in the order of their keys; those
    that are alike count once.
    """
    ordered = sorted(rows, key=order)
    keys = [row.ranking_key for row in ordered if row.unranked is None and row.stands]
    ranks = (
        None if row.unranked else 1 + sum(key > row.ranking_key for key in keys) for row in ordered
    )
    return [replace(row, rank=rank) for row, rank in zip(ordered, ranks, strict=True)]


def order(row: Row) -> tuple[bool, bool, list[float], str]:
    """Return what rows are sorted by: the human responses first, then the best."""
    figures = [-figure for figure in row.ranking_key]
    return not row.is_human, row.unranked is not None, figures, row.key
