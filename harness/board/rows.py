"""The rows of the board's tables: their figures, ranking keys and remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..comparison import Interval
from ..errors import counted
from ..glossary import term_of
from ..io import figure, signed
from ..metrics import GOLD_STATES, reported_figures
from ..scoring import RANKED_COVERAGE, Coverage, Report, whole_figure
from ..signature import Signature
from ..submission import HUMAN, declared_features, declared_flags
from .copied import COPIED_STATES
from .entries import Entry
from .track import tracks

NOTHING = "–"
"""What stands where there is no figure, and no rank."""

HUMAN_PLACE = "human"

# Why rows have no rank that the heading of their table, or their own note, says as well.
REFERENCE = "reference"
HUMAN_RESPONSES = "the human responses"
SAID_ELSEWHERE = (REFERENCE, HUMAN_RESPONSES)

SETUP_FIGURES = ("inform", "success", "combined")
"""The figures that each set-up has."""

TOTALS = ("bleu", *SETUP_FIGURES)
"""The main figures of responses."""

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
        if self.played is not None:
            text = f"≥ {text}"
        return text

    @property
    def with_half(self) -> str:
        """The text, followed by half of the interval where one is known."""
        if self.interval is None:
            return self.text
        return f"{self.text} ±{figure(self.interval.half, self.digits)}"

    @property
    def data(self) -> float | str | None:
        """The value as data: the figure with four digits, or the words."""
        if self.words is not None:
            return self.words
        return None if self.number is None else round(self.number, 4)


_SHORT = 30
"""The longest note that stands beside a name, in characters."""


@dataclass(frozen=True)
class Mark:
    """What qualifies a row, in short.

    Attributes:
        kind: A key of the glossary's marks, which has its sign and what the legend says of it.
        pattern: What is to be said; `{}` stands for words that are the entry's, not the harness's.
        value: What stands behind the sign, such as a difference.
        entry_words: Those words.
    """

    kind: str
    pattern: str
    value: str = ""
    entry_words: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What is to be said."""
        return self.pattern.format(*self.entry_words)

    @property
    def words(self) -> str:
        """What pages with room for it show: what is to be said, or in short if it is long.

        What an entry says of itself is no finding, so it is not shown beside a name.
        """
        if not self.entry_words and len(self.note) <= _SHORT:
            return self.note
        return f"{term_of('marks', self.kind).title} {self.value}".rstrip()

    def quoted(self, quote: Callable[[str], str]) -> str:
        """Return what is to be said, with a view's way to show words that are the entry's."""
        return self.pattern.format(*map(quote, self.entry_words))

    def joined(self, other: Mark) -> Mark:
        """Return one mark for two of a kind."""
        pattern = f"{self.pattern}; {other.pattern}"
        return replace(self, pattern=pattern, entry_words=self.entry_words + other.entry_words)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A system in a table of the board; the `rows` of its track make it.

    Attributes:
        entry: The entry.
        signature: Everything that the figures depend on besides the system.
        ranking_key: What it is ranked by, the deciding figure first; missing turns count as failed.
        figures: Name -> what is known of it: "bleu", "optimistic.inform", "diversity.unigrams", ….
            Of a row that is ranked, what ranks is a lower bound if turns are missing.
        reasons: Why it has no rank, the first reason first; empty if it is ranked.
        marks: What qualifies it.
        flags: Flag -> figure, of the flags that its table has.
        copied: Flag -> the key of the entry that it has something of.
        table: The heading of its table; empty if that is the track's.
        pair_key: What pairs of entries call it; empty if it is in none.
        anchor: Its address on a page.
        stands: Whether pages show it: the first of several rows that are alike stands for all.
        further: Whether it is of other gold states than those that the system was entered with.
        rank: Its place in its table, from 1, shared by equal rows; None if it has none.
    """

    entry: Entry
    signature: Signature
    ranking_key: tuple[float, ...]
    figures: Mapping[str, Value]
    reasons: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    flags: Mapping[str, float] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)
    table: str = ""
    pair_key: str = ""
    anchor: str = ""
    stands: bool = True
    further: bool = False
    rank: int | None = None

    @property
    def key(self) -> str:
        """The entry's key."""
        return self.entry.key

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.entry.system.name


def figure_of(row: Row, name: str) -> Value:
    """Return a figure of a row; a value without a number if it has none of that name."""
    return row.figures.get(name, Value())


def words(text: str | None) -> Value:
    """Return the value of a text; a value without a number if there is none."""
    return Value(words=text)


def as_played(value: Value) -> Value:
    """Return the figure of what is played, of a lower bound or of any other figure."""
    if value.played is None:
        return value
    return replace(value, number=value.played, played=None)


def shown_rank(row: Row) -> str:
    """Return a row's rank as tables show it."""
    if is_human(row.entry):
        return HUMAN_PLACE
    return NOTHING if row.rank is None else str(row.rank)


def is_human(entry: Entry) -> bool:
    """Return whether an entry is the human responses, whose row stands above the others."""
    return entry.system.predictions.made == HUMAN


def bound_note(row: Row) -> str:
    """Return what figures of an incomplete submission are made of; empty of a complete one."""
    for mark in row.marks:
        if mark.kind == "missing":
            return mark.note
    return ""


# --------------------------------------------------------------- what is said of rows of all tracks


def completed(
    row: Row,
    copies: Mapping[str, tuple[str, float]],
    coverage: Coverage | None = None,
    bounds: Mapping[str, float | None] | None = None,
    bound_words: str = "",
    with_note: bool = True,
) -> Row:
    """Return a row with its flags, reasons, marks and lower bounds, given what its track says.

    Args:
        row: The row as its track makes it: its figures are those of what is played, its reasons,
            marks and flags those of the track alone.
        copies: Flag -> the key of the entry that it has something of, and the share of its turns.
        coverage: How much is played; None where that is known to be all.
        bounds: Name of a figure -> its lower bound, which is shown if the row is ranked.
        bound_words: How notes say the lower bound and the figures of what is played: `{over}` is
            what the bound is over, `{submitted}` what is played.
        with_note: Whether the note on the system stands here, and not in another table alone.
    """
    flags = dict(row.flags)
    copied = {}
    for name, (key, share) in copies.items():
        flags[name] = share
        if key:
            copied[name] = key
    row = replace(row, flags=flags, copied=copied)
    figures = dict(row.figures)
    figures["flags"] = words(", ".join(raised_flags(row)))
    row = replace(row, figures=figures, reasons=tuple(_reasons(row)))
    if bounds and not row.reasons:
        for name, bound in bounds.items():
            played = figure_of(row, name)
            figures[name] = replace(played, number=bound, played=played.number)
    missing = None
    if coverage is not None and not coverage.complete:
        count, total, unit = coverage.dialogues, coverage.of, "dialogues"
        if count == total:
            count, total, unit = coverage.turns, coverage.of_turns, "turns"
        if row.reasons:
            note = f"its figures are on the {count} of {total} {unit} submitted"
        else:
            over = f"over all {total} {unit} (missing {unit} count as failures)"
            note = bound_words.format(over=over, submitted=f"on the {count} submitted")
        missing = Mark("missing", note, str(coverage.missing))
    return replace(row, figures=figures, marks=tuple(_marks(row, missing, with_note)))


def _reasons(row: Row) -> Iterator[str]:
    """Yield why a row is listed without a rank, the first reason first."""
    system = row.entry.system
    if is_human(row.entry):
        yield HUMAN_RESPONSES
        return
    if not tracks()[system.track].ranks or system.predictions.by_harness:
        yield REFERENCE
    if system.unranked is not None:
        yield system.unranked
    if not row.entry.verifiable:
        yield "nobody can get its predictions"
    percent = figure_of(row, "coverage").number
    if percent is not None and percent < RANKED_COVERAGE:
        yield f"submits less than {RANKED_COVERAGE:g} % of the turns"
    yield from row.reasons
    unreviewed = unreviewed_flags(row)
    if unreviewed:
        yield f"flags not reviewed yet: {', '.join(unreviewed)}"


def _marks(row: Row, missing: Mark | None, with_note: bool) -> Iterator[Mark]:
    """Yield what qualifies a row."""
    system = row.entry.system
    is_said_elsewhere = not set(row.reasons).isdisjoint(SAID_ELSEWHERE)
    if system.note and with_note:
        yield Mark("note", "{}", entry_words=(system.note,))
    yield from row.marks
    if row.reasons and not is_said_elsewhere:
        yield Mark("unranked", "not ranked: {}", entry_words=row.reasons[:1])
    if missing is not None:
        yield missing
    if system.states_of is not None:
        yield Mark("states", "belief states of {}", entry_words=(system.states_of,))
    if not is_said_elsewhere:
        yield from _flag_marks(row)


def _flag_marks(row: Row) -> Iterator[Mark]:
    """Yield what was measured of raised flags, with their reviews."""
    reviews = {review.flag: review for review in row.entry.system.review}
    for name in raised_flags(row):
        share = row.flags[name]
        title = term_of("flags", name).meaning
        copied: tuple[str, ...] = ()
        if name in row.copied:
            title, copied = f"{title} ({{}})", (row.copied[name],)
        note = f"{title}: {figure(share, 2)}"
        review = reviews.get(name)
        if review is None:
            bound = declared_flags()[name].bound
            yield Mark("flag", f"flag: {note}, flagged {bound}", entry_words=copied)
        else:
            reviewed = f"{note}; reviewed by {{}} on {review.date}: {{}}"
            entry_words = (*copied, review.reviewer, review.reason)
            yield Mark("reviewed", reviewed, entry_words=entry_words)


def raised_flags(row: Row) -> list[str]:
    """Return the flags that are raised; states that are said to be another entry's are none."""
    raised = []
    for name, share in row.flags.items():
        is_stated = name == COPIED_STATES and row.copied.get(name) == row.entry.system.states_of
        if declared_flags()[name].is_raised(share) and not is_stated:
            raised.append(name)
    return raised


def unreviewed_flags(row: Row) -> list[str]:
    """Return the raised flags that nobody has reviewed, in words."""
    reviewed = {review.flag for review in row.entry.system.review}
    return [term_of("flags", name).title for name in raised_flags(row) if name not in reviewed]


def flag_title(row: Row, name: str) -> str:
    """Return what a flag is called; of copies, with the entry that they are of."""
    title = term_of("flags", name).meaning
    if name in row.copied:
        title += f" ({row.copied[name]})"
    return title


# --------------------------------------------------------------------- the rows of responses


def response_row(entry: Entry, rules: str, copies: Mapping[str, tuple[str, float]]) -> Row | None:
    """Return the row of delexicalised responses; None without a report under a rule set."""
    report = entry.scores.reports.get(rules)
    if report is None:
        return None
    row = Row(
        entry=entry,
        signature=report.signature,
        ranking_key=(whole_figure(report, "combined") or 0.0,),
        figures=response_figures(entry, report),
        marks=tuple(_placeholder_marks(entry, report)),
        flags=response_flags(entry, report),
        pair_key=entry.key,
        anchor=f"row-{entry.key}",
    )
    if tracks()[entry.system.track].states == "gold":
        # That given gold states agree with gold is no flag.
        of_responses = {name for name, flag in declared_flags().items() if not flag.of_states}
        flags = {name: row.flags[name] for name in row.flags if name in of_responses}
        row = replace(row, flags=flags)
        copies = {name: copies[name] for name in copies if name in of_responses}
    bounds = None
    if "lower_bound" in report.metrics:
        bounds = {name: whole_figure(report, name) for name in TOTALS}
    parts = "/".join(figure_of(row, name).text for name in _PARTS)
    played = f"{figure_of(row, 'combined').text} {{submitted}}, as public tables print"
    bound_words = f"≥ {figure(row.ranking_key[0])} {{over}}; {played} (BLEU/Inform/Success {parts})"
    return completed(row, copies, report.coverage, bounds, bound_words)


def response_figures(entry: Entry, report: Report) -> dict[str, Value]:
    """Return name -> figure of responses, of what is played.

    The names are those of `Report.figures`, and "bleu.STYLE" of every style, "diversity.unigrams"
    and the like, "domains", "states" and "coverage". Of the corpus no BLEU is known, nor what
    follows from it: against themselves the references say nothing.
    """
    headlines, is_corpus = reported_figures(), entry.system.predictions.is_corpus
    figures = {}
    for name, number in report.figures.items():
        last = name.split(".")[-1]
        if not (is_corpus and last in ("bleu", "combined")):
            figures[name] = Value(number, headlines[last].digits if last in headlines else 1)
    for style, number in (report.bleu or {}).items():
        figures[f"bleu.{style}"] = Value(None if is_corpus else number, 2)
    if report.diversity is not None:
        for name, number in vars(report.diversity).items():
            digits = 0 if isinstance(number, int) else 2
            figures[f"diversity.{name}"] = Value(number, digits)
    states = report.signature.states or ""
    if entry.system.states_of is not None:
        states += f" ({entry.system.states_of})"
    figures["domains"] = words(report.signature.domains or "")
    figures["states"] = words(states)
    figures["coverage"] = Value(report.coverage.percent, 2, unit=" %")
    return figures


def response_flags(entry: Entry, report: Report) -> dict[str, float]:
    """Return flag -> figure of responses and of the states that they are given with."""
    measured = {**(report.metrics.get("flags") or {}), **entry.scores.flags}
    shares = [scores.gold_share for scores in entry.scores.tracked(report.signature.rules or "")]
    if shares:
        measured[GOLD_STATES] = max(shares)
    return measured


def _placeholder_marks(entry: Entry, report: Report) -> Iterator[Mark]:
    """Yield what is to be said of placeholders: those that it declares, or many unknown."""
    aliases, without = entry.system.aliases, entry.scores.without_placeholders
    if aliases is None or without is None:
        unknown = sum(report.unknown_placeholders.values())
        if unknown > declared_features()["response_unknown"].limit * report.coverage.turns:
            yield Mark("unknown", f"{unknown} unknown placeholders are removed")
        return
    table = f"table {aliases.table}" if aliases.table is not None else "the entry's own table"
    figures = without[report.signature.rules or ""]
    titles, values = [], []
    for name, value in figures.items():
        headline = reported_figures()[name]
        titles.append(headline.title)
        values.append(figure(value, headline.digits))
    verb = "is" if len(aliases.pairs) == 1 else "are"
    count = counted(len(aliases.pairs), "system-specific placeholder")
    note = f"{count} {verb} mapped ({table}); without them {'/'.join(titles)} {'/'.join(values)}"
    lost = ""
    if "combined" in report.figures:
        lost = signed(figures["combined"] - report.figures["combined"])
    yield Mark("placeholders", note, lost)


def parts_text(row: Row) -> str:
    """Return BLEU / Inform / Success as they rank, and what is played behind lower bounds."""
    values = [figure_of(row, name) for name in _PARTS]
    text = " / ".join(value.text for value in values)
    played = [as_played(value).text for value in values if value.played is not None]
    if not played:
        return text
    return f"{text} ({' / '.join(played)} as submitted)"


# -------------------------------------------------------------------------------- ranking


def ranked(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a table with their ranks, the best first, those without one below.

    Rows that are equal in all that ranks share a place, and stand in the order of their keys; those
    that are alike count once.
    """
    ordered = sorted(rows, key=order)
    keys = [row.ranking_key for row in ordered if row.stands and not row.reasons]
    table = []
    for row in ordered:
        rank = None
        if not row.reasons:
            rank = 1 + sum(key > row.ranking_key for key in keys)
        table.append(replace(row, rank=rank))
    return table


def order(row: Row) -> tuple[bool, bool, list[float], str]:
    """Return what rows are sorted by: the human responses first, then the best."""
    figures = [-figure for figure in row.ranking_key]
    return not is_human(row.entry), bool(row.reasons), figures, row.key
