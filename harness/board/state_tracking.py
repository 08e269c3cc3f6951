"""The track of state tracking: how trackers are scored, and a table for each set of gold states.

Systems of other tracks that predict states stand in its tables as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mwz.normalization import (
    DEFAULT_RULES,
    BeliefState,
    normalize_state,
    rule_set,
)

from ..benchmark import Benchmark
from ..data import gold_versions
from ..errors import InputError, unknown
from ..io import figure
from ..metrics import (
    GOLD_STATES,
    HEADLINE_LAMBDA,
    GoldStates,
    TrackedFile,
    lambda_label,
    parse_tracking_file,
    score_tracking,
    tracking_signature,
)
from ..scoring import Coverage
from ..signature import Signature
from ..submission import declared_flags, dialogue_id, empty_states, parse_predictions
from .columns import Column, Values, at, named, raised, rank_ranges
from .copied import Copies, Fingerprints, fingerprints_of
from .entries import Entry
from .entry_scores import Outputs, Reading
from .model import Board
from .pairs import STATES
from .rows import Mark, Row, Value, ranked
from .scores import Scores, plain
from .track import Track
from .tracked import (
    KNOWN_GOLD,
    TrackedScores,
    agreement,
    tracker_against,
    tracker_scores,
)

_NAME = "state-tracking"

_FIGURES: Mapping[str, str] = {
    "JGA": "JGA",
    "Slot F1": "F1",
    "RSA": "RSA",
    "FGA (λ = 0.5)": f"FGA.{lambda_label(HEADLINE_LAMBDA)}",
    "GCA": "GCA",
    "Fuzzy joint acc.": "fuzzy.joint_accuracy",
}
"""Title of a column -> the figure, a key of `TrackingResult.figures`."""


# ------------------------------------------------------------------------ a tracker's outputs


@dataclass(frozen=True)
class States(Outputs):
    """A tracker's states, read, to be scored.

    Attributes:
        read: What the file holds.
        file: Its dialogues, paired with gold states.
        reading: How it was read.
        content: The (unpacked) file; None where the harness makes the states.
    """

    read: object
    file: TrackedFile
    reading: Reading
    content: bytes | None = None

    @property
    def data(self) -> object:
        """As of `Outputs`."""
        return None if self.content is None else self.read

    @cached_property
    def benchmark(self) -> Benchmark:
        """The benchmark that the dialogues are of."""
        return self.reading.scorer.benchmark

    def scores(self, golds: Sequence[GoldStates]) -> Scores:
        """Score them with every metric."""
        file = self.file
        signature = tracking_signature(file.dialogues, file.benchmark, gold=file.gold)
        gold, version = "version", self.reading.gold
        if file.benchmark is None:
            gold = "file"
            self._check_gold(golds)
        elif file.gold is None:
            gold, version = "benchmark", None
            data = file.benchmark.content_hash(rule_set(DEFAULT_RULES))
            signature = replace(signature, data=data)
        return Scores(
            predictions=self.predictions,
            result=tracker_scores(
                file.dialogues,
                score_tracking(file.dialogues),
                file.benchmark,
                signature=signature,
                gold=gold,
                gold_version=version,
            ),
            fingerprints=self._fingerprints,
            further_gold=tracker_against(self.read, file.source, self.benchmark, golds),
        )

    def _check_gold(self, golds: Sequence[GoldStates]) -> None:
        """Make sure that the file's own gold states are those of the version that is stated.

        Raises:
            InputError: They are not, or nobody can tell.
        """
        version = self.reading.gold
        if version is None:
            return
        by_version = {gold.version: gold.states for gold in golds}
        default, _ = gold_versions(self.benchmark.name)
        if default is not None:
            by_version[default] = {
                id_: dialogue.states for id_, dialogue in self.benchmark.dialogues.items()
            }
        if version not in by_version:
            problem = unknown("version", version, by_version) if by_version else "none is known"
            other = "`mwz data import --states` installs others, or leave it out"
            raise InputError("--gold", f"{problem}; {other}")
        agrees = agreement(self.file.dialogues, by_version[version])
        if agrees < KNOWN_GOLD:
            problem = f"{100 * agrees:.1f} % of the file's gold states are those of {version}"
            other = (
                "leave it out, or leave the gold states out of the file to be compared with these"
            )
            raise InputError("--gold", f"{problem}; {other}")

    @property
    def _fingerprints(self) -> Fingerprints | None:
        file, rules, benchmark = self.file, rule_set(DEFAULT_RULES), self.benchmark
        states: dict[str, list[BeliefState]] = {}
        for dialogue in file.dialogues:
            id_ = dialogue_id(dialogue.id)
            if id_ in benchmark.dialogues:
                by_number = {turn.number: turn.predicted for turn in dialogue.turns}
                turns = range(benchmark.dialogues[id_].turns)
                states[id_] = [normalize_state(by_number.get(n, {}), rules) for n in turns]
        return fingerprints_of(benchmark, None, states, file.dialogues) if states else None


def read_states(content: bytes | str, source: str, reading: Reading) -> States:
    """Read a tracker's file.

    Args:
        content: The (unpacked) file: gold and predicted states, or predicted ones only; or the name
            of a submission that the harness makes.
        source: What messages call it.
        reading: How it is read.

    Raises:
        InputError: The content is no file of states, or the gold states cannot be loaded.
    """
    benchmark = reading.scorer.benchmark
    if isinstance(content, bytes):
        read = parse_predictions(content, source)
    else:
        read = empty_states(benchmark)
    file = parse_tracking_file(read, source, lambda: benchmark)
    if reading.gold is not None and file.benchmark is not None:
        states = reading.load_gold(reading.gold, file.benchmark)
        file = parse_tracking_file(read, source, lambda: benchmark, states)
    file.refuse_without_values("an entry")
    return States(read, file, reading, content if isinstance(content, bytes) else None)


# ---------------------------------------------------------------------------- rows and tables


@dataclass(frozen=True, kw_only=True)
class TrackedRow(Row):
    """A system in a table of state tracking.

    Attributes:
        scores: What its states score.
        gold_share: The largest share of its states that agree with gold, of all gold states.
        benchmark_row: In a table of other gold states than the benchmark's: its row in the table
            of those, if it stands there.
        gained: How many places it gains against that table, among the ranked rows of both.
    """

    scores: TrackedScores
    gold_share: float
    benchmark_row: TrackedRow | None = None
    gained: int | None = None

    @property
    def printed_as(self) -> str:
        """As of `Row`."""
        return f"{self.scores.version} joint accuracy"

    @property
    def counts(self) -> Coverage:
        """As of `Row`."""
        return self.scores.coverage

    @property
    def compared_as(self) -> str:
        """As of `Row`."""
        return f"{self.first.key}{STATES}" if self.scores.gold == "benchmark" else ""

    @property
    def anchor(self) -> str:
        """As of `Row`."""
        version = f"-{self.scores.version}" if self.further else ""
        return f"tracking-{self.first.key}{version}"

    @property
    def signature(self) -> Signature:
        """As of `Row`."""
        return self.scores.signature

    @property
    def ranking_key(self) -> tuple[float, ...]:
        """Joint goal accuracy; turns that are not tracked count as wrong."""
        return (self.scores.jga_lower_bound,)

    @property
    def figures(self) -> dict[str, Any]:
        """As of `Row`."""
        scores, further = self.scores, self.entry.scores.further_gold
        more = {"further_gold": plain(further)} if further else {}
        figures = {**scores.result.metrics, "fuzzy": scores.result.fuzzy}
        return {
            "state_tracking": {**figures, "gold_share": scores.gold_share},
            "coverage": vars(scores.coverage),
            **more,
            "signature": str(scores.signature),
        }

    @property
    def measured_flags(self) -> Mapping[str, float]:
        """As of `Row`."""
        return {GOLD_STATES: self.gold_share}

    def has_flag(self, name: str) -> bool:
        """As of `Row`: those of states, whatever the track."""
        return declared_flags()[name].of_states

    @property
    def track_reasons(self) -> Iterator[str]:
        """As of `Row`."""
        if self.scores.gold == "file" and self.scores.version is None:
            yield "its gold states are its own, not those of a known version"
        if self.entry.system.states_of is not None:
            yield f"its belief states are those of {self.entry.system.states_of}"

    @property
    def says_note(self) -> bool:
        """As of `Row`: only where it was entered, in this track alone."""
        return self.track == _NAME and not self.further

    @property
    def track_marks(self) -> Iterator[Mark]:
        """As of `Row`: whom it stands for."""
        if others := [one.system.name for one in self.alike if one is not self.entry]:
            yield Mark("same", f"also {', '.join(others)}: the same belief states")

    def bound_text(self, over: str, submitted: str) -> str:
        """As of `Row`."""
        whole, played = figure(self.scores.jga_lower_bound, 2), figure(self.scores.jga, 2)
        return f"≥ {whole} {over}; {played} {submitted}"


def _tables(entries: Sequence[Entry], rules: str, copies: Copies) -> list[list[Row]]:
    """Return the rows, a list for each set of gold states, the best first.

    The benchmark's own gold states come first, then those of other versions, then those of files.
    An entry stands in the table of the gold states that it was entered with, and in those of the
    further versions that it was scored against. What the harness made stands in none.
    """
    order = ("benchmark", "version", "file")
    tables: dict[str, list[TrackedRow]] = {}
    places: dict[str, int] = {}
    complete: dict[str, Coverage] = {}
    for entry in entries:
        benchmark_row = None
        is_made = entry.system.predictions.by_harness and entry.scores.reports
        every = [] if is_made else [*entry.scores.tracked(rules)]
        share = max((one.gold_share for one in every), default=0.0)
        for one in every:
            row = TrackedRow(
                entry=entry,
                scores=one,
                gold_share=share,
                further=one is not every[0],
                benchmark_row=benchmark_row,
                copies=copies.get(entry.key, {}),
            )
            if one.gold == "benchmark":
                benchmark_row = row
            elif benchmark_row is not None and benchmark_row.scores.coverage.complete:
                # Versions may lack dialogues: this is all that one of them has.
                complete[one.gold_digest] = one.coverage
            tables.setdefault(one.gold_digest, []).append(row)
            places[one.gold_digest] = order.index(one.gold)
    for gold, whole in complete.items():
        rows = tables[gold]
        tables[gold] = [replace(row, scores=row.scores.covering(whole)) for row in rows]
    keys = [*copies]
    tables = {gold: _with_alike(rows, keys) for gold, rows in tables.items()}
    in_order = sorted(tables, key=lambda gold: (places[gold], -len(tables[gold]), gold))
    return [[*_with_gains(ranked(tables[gold]))] for gold in in_order]


def _with_alike(table: Sequence[TrackedRow], keys: Sequence[str]) -> list[TrackedRow]:
    """Return a table's rows with the entries whose states, and so figures, are the same.

    Args:
        table: The rows.
        keys: Keys of entries, in the order of the board.
    """
    groups: dict[Any, list[TrackedRow]] = {}
    for row in sorted(table, key=lambda row: keys.index(row.key) if row.key in keys else len(keys)):
        marks, figures = row.entry.scores.fingerprints, row.scores.result.figures
        same = (marks.states, marks.exact, *figures.values()) if marks else row.key
        groups.setdefault((same, row.scores.coverage, row.unranked), []).append(row)
    return [
        replace(row, alike=tuple(one.entry for one in group) if len(group) > 1 else ())
        for group in groups.values()
        for row in group
    ]


def _with_gains(table: Sequence[TrackedRow]) -> list[TrackedRow]:
    """Return a table's rows with the places that they gain against the benchmark's own states."""
    pairs = ((row, row.benchmark_row) for row in table if row.unranked is None)
    both = [
        (row, replace(before, alike=row.alike))
        for row, before in pairs
        if before and before.unranked is None
    ]
    places = [{row.key: row.rank or 0 for row in ranked(side)} for side in zip(*both, strict=True)]
    after, before_it = places or ({}, {})
    gained = {key: before_it[key] - place for key, place in after.items()}
    return [replace(row, gained=gained.get(row.key)) for row in table]


def _columns(board: Board, rows: Sequence[TrackedRow]) -> list[Column[Any]]:
    """Return the columns of a table: of versions, those that say what changes.

    Args:
        board: The board.
        rows: The table's rows, which share their gold states.
    """
    scores = rows[0].scores
    figures = {**{title: _figure(key) for title, key in _FIGURES.items()}, "JGA": _jga()}
    if scores.gold != "version":
        columns = {**figures, "Coverage": _turns_covered}
    else:
        columns = {
            f"JGA {scores.version}": figures["JGA"],
            "without dontcare": _jga("scores.without_dontcare"),
            f"JGA {scores.benchmark_version or 'of the benchmark'}": _BENCHMARK_JGA,
            "Difference": _difference,
            "Places gained": at("gained", 0, signed=True),
            **{title: figures[title] for title in ("Slot F1", "GCA")},
            "Turns": at("scores.coverage.turns", 0),
        }
    columns = {**columns, "Track": at("track"), "Flags": raised}
    return [*named(columns, words=("Track", "Flags")), rank_ranges(board)]


def _figure(key: str) -> Values:
    return lambda row: Value(row.scores.result.figures[key], 2)


def _jga(path: str = "scores") -> Values:
    """Return the JGA of the scores at the end of a path; of ranked rows, that which ranks."""

    def value(row: TrackedRow) -> Value:
        one = at(f"{path}.{'jga' if row.unranked else 'jga_lower_bound'}", 2)(row)
        if row.scores.coverage.complete or row.unranked:
            return one
        return replace(one, played=at(f"{path}.jga", 2)(row).number)

    return value


_BENCHMARK_JGA = _jga("benchmark_row.scores")


def _difference(row: TrackedRow) -> Value:
    of_benchmark, of_version = _BENCHMARK_JGA(row).number, _jga()(row).number
    if of_benchmark is None or of_version is None:
        return Value()
    return Value(of_version - of_benchmark, 2, signed=True)


def _turns_covered(row: TrackedRow) -> Value:
    scores = row.scores
    if scores.gold == "file":
        return Value(words=f"{scores.coverage.dialogues} dialogues, {scores.coverage.turns} turns")
    return Value(row.coverage, 2, unit=" %")


TRACKS = (
    Track(
        name=_NAME,
        kind="states only",
        place=30,
        tables=_tables,
        heading=lambda rows: str(rows[0].scores.gold_title),
        columns=_columns,
        outputs=read_states,
        ranks="jga",
        against="slot f1",
        leads=("slot f1", "fga (λ = 0.5)", "gca"),
        result=TrackedScores,
    ),
)
