"""The track of systems in plain English, ranked by grounded Success and Inform."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from mwz.normalization import DEFAULT_RULES, published_rule_sets

from ..benchmark import CANONICAL_STYLE
from ..board import (
    COVERAGE,
    LENGTH,
    Board,
    Column,
    Entry,
    Mark,
    Outputs,
    Predictions,
    Reading,
    ResponsesRow,
    Row,
    Scores,
    Track,
    Values,
    at,
    named,
    raised,
    ranked,
    read_responses,
)
from ..glossary import glossary
from ..io import escaped, figure, markdown_table, signed
from ..metrics import TOTAL
from ..scoring import Scorer, free_run
from ..submission import HUMAN, Standard, read_standard
from .scores import OUTCOMES, GroundedScores

_NAME = "lexicalised"

_WAY_BACK = 1.0
"""Tolerance of the round trip, in points of Inform and Success."""


@dataclass(frozen=True, kw_only=True)
class EnglishRow(ResponsesRow):
    """A system in plain English.

    Attributes:
        grounded: Its grounded scores.
    """

    grounded: GroundedScores

    @property
    def is_human(self) -> bool:
        """As of `Row`."""
        return self.entry.system.predictions.made == HUMAN

    @property
    def coverage(self) -> float:
        """As of `Row`: free-running dialogues play all of their turns, but not all dialogues."""
        return min(self.counts.percent, 100 * self.counts.dialogues / self.counts.of)

    @property
    def ranking_key(self) -> tuple[float, ...]:
        """Grounded Success and Inform where the deciding response names no other venue ("all")."""
        played = self.counts.dialogues / self.counts.of
        figures = self.grounded.success_all, self.grounded.inform_all
        return tuple(played * rates[TOTAL] for rates in figures)

    @property
    def figures(self) -> dict[str, Any]:
        """As of `Row`."""
        named = {name: rates[TOTAL] for name in OUTCOMES if (rates := getattr(self.grounded, name))}
        return {"grounded": named}

    @property
    def track_marks(self) -> Iterator[Mark]:
        """As of `Row`: placeholders are none of its own."""
        return iter(())

    def bound_text(self, over: str, submitted: str) -> str:
        """As of `ResponsesRow`."""
        whole = "Success ≥ {}, Inform ≥ {}".format(*map(figure, self.ranking_key))
        rates = self.grounded.success_all[TOTAL], self.grounded.inform_all[TOTAL]
        return f"{whole} {over}; {' and '.join(map(figure, rates))} {submitted}"


def _tables(
    entries: Iterable[Entry], rules: str, copies: Mapping[str, Mapping[str, tuple[str, float]]]
) -> list[list[Row]]:
    """Return the rows: the human responses, the ranked ones, then the others.

    Systems that the harness put into plain English itself check the round trip, and have no
    rank.
    """
    rows = []
    for entry in entries:
        report = entry.scores.reports.get(rules)
        if entry.system.track != _NAME or report is None:
            continue
        scores = report.metrics.get("grounded")
        if isinstance(scores, GroundedScores):
            of_entry = copies.get(entry.key, {})
            rows.append(EnglishRow(entry=entry, report=report, grounded=scores, copies=of_entry))
    return [[*ranked(rows)]] if rows else []


def _columns(board: Board, rows: Sequence[Row]) -> list[Column[Any]]:
    columns = {
        "Success, all": _grounded("success_all", 0),
        "Success, any": at(f"grounded.success.{TOTAL}"),
        "All requested": at(f"grounded.success_requested.{TOTAL}"),
        "Inform, all": _grounded("inform_all", 1),
        "Inform, any": at(f"grounded.inform.{TOTAL}"),
        "Told": at("grounded.faithfulness.told", 0),
        "In database, %": at("grounded.faithfulness.in_database"),
        "Of a named venue, %": at("grounded.faithfulness.of_named_venue"),
        "Inform, delex.": at("report.inform"),
        "Success, delex.": at("report.success"),
        "BLEU †": at(f"report.bleu.{CANONICAL_STYLE}"),
        "Av. len.": LENGTH,
        "States": at("states"),
        "Coverage": COVERAGE,
        "Flags": raised,
    }
    chosen = ("Success, any", "Inform, any", "Told", "Inform, delex.", "Success, delex.")
    return named(columns, ("States", "Flags"), (*chosen, "BLEU †", "Av. len.", "Coverage"))


def _grounded(name: str, place: int) -> Values:
    """Return a grounded rate; of ranked rows that play a part, the lower bound that ranks.

    Args:
        name: The rate.
        place: Its place in `EnglishRow.ranking_key`.
    """

    def value(row: EnglishRow) -> Any:
        one = at(f"grounded.{name}.{TOTAL}")(row)
        if row.rank is None or row.counts.complete:
            return one
        return replace(one, number=row.ranking_key[place], played=one.number)

    return value


# ------------------------------------------------------------------------------- the outputs


@dataclass(frozen=True, eq=False)
class FreeRunning(Outputs):
    """Free-running dialogues, checked, to be scored.

    Attributes:
        standard: The dialogues.
        source: What messages call them.
        scorer: What scores free-running dialogues.
        content: The (unpacked) file.
    """

    standard: Standard
    source: str
    scorer: Scorer
    content: bytes

    @property
    def place(self) -> Predictions:
        """As of `Outputs`."""
        return super().place.model_copy(update={"free_running": True})

    @property
    def data(self) -> object:
        """As of `Outputs`."""
        return self.standard.dialogues

    def scores(self, golds: Sequence[object] = ()) -> Scores:
        """Score them under every published rule set."""
        reports = {}
        for rules in published_rule_sets():
            scorer = self.scorer.with_options(rules=rules)
            reports[rules] = free_run(scorer, self.standard, self.source).report(scorer)
        return Scores(reports, self.predictions)


def _outputs(content: bytes | str, source: str, reading: Reading) -> Outputs:
    """Read responses in plain English, or free-running dialogues.

    Raises:
        InputError: They cannot be read.
    """
    if not reading.free_running or isinstance(content, str):
        return read_responses(content, source, reading, english=True)
    standard = read_standard(content, source)
    scorer = reading.scorer.with_options(free_running=True)
    return FreeRunning(standard, source, scorer, content)


# --------------------------------------------------------------------------- the round trip


def way_back(
    entries: Sequence[Entry], rules: str
) -> Iterator[tuple[str, str, list[tuple[float, float]]]]:
    """Yield what came back of each system that the harness put into plain English.

    Yields:
        The entry in plain English, the system's name, and its strict Inform and Success in percent,
        each before and again.
    """
    by_key = {entry.key: entry for entry in entries}
    for entry in entries:
        base = by_key.get(entry.system.predictions.lexicalised or "")
        before = None if base is None else base.scores.reports.get(rules)
        again = entry.scores.reports.get(rules)
        if base is None or before is None or again is None:
            continue
        rates = [(before.inform, again.inform), (before.success, again.success)]
        complete = [(a, b) for a, b in rates if a is not None and b is not None]
        if complete == rates:
            yield entry.key, base.system.name, complete


def _entries_problems(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield which systems that the harness put into plain English do not come back."""
    for key, name, rates in way_back(entries, DEFAULT_RULES):
        farthest = max(abs(again - before) for before, again in rates)
        if farthest > _WAY_BACK:
            yield (
                f"{key}: Inform or Success of {name} comes back {farthest:.1f} points off, more "
                f"than {_WAY_BACK:g}; leave it out, or another seed may do"
            )


def _below(board: Board) -> Iterator[str]:
    """Yield the check of the round trip."""
    table = []
    for _, name, rates in way_back(board.entries, board.rules):
        cells = ((figure(a), figure(b), signed(b - a)) for a, b in rates)
        table.append([escaped(name), *chain.from_iterable(cells)])
    if table:
        yield "### Round trip of the delexicaliser"
        yield glossary()["terms"]["round trip"].meaning
        yield markdown_table(["System", "Inform", "again", "", "Success", "again", ""], table)


# -------------------------------------------------------------------------------- the track


TRACKS = (
    Track(
        name=_NAME,
        kind="plain English",
        place=40,
        tables=_tables,
        columns=_columns,
        outputs=_outputs,
        entries_problems=_entries_problems,
        below=_below,
        ranks="success, all",
        commands=(
            "mwz score answers.json --lexicalised",
            "mwz score dialogues.json --free-running",
        ),
        against="of a named venue, %",
        leads=("inform, all", "all requested"),
        caption="From text, goal and database alone; delex.: delexicalised first",
    ),
)
