"""Scoring predicted belief states: of trackers, and against gold states of further versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from mwz.normalization import (
    DEFAULT_RULES,
    BeliefState,
    normalize_state,
    rule_set,
    without_empty_domains,
)

from ..benchmark import Benchmark
from ..data import gold_versions
from ..errors import InputError, unknown
from ..metrics import (
    GoldStates,
    TrackedDialogue,
    TrackedFile,
    parse_tracking_file,
    score_tracking,
    tracking_signature,
    without_booking_prefix,
)
from ..submission import dialogue_id, made_submission, parse_predictions
from .copied import Fingerprints, fingerprints_of
from .entry_scores import Outputs
from .scores import Scores
from .tracked import (
    KNOWN_GOLD,
    FurtherGold,
    GoldOf,
    TrackedScores,
    figures_of,
    further_figures,
    gold_share_of,
)

BenchmarkLoader: TypeAlias = Callable[[Iterable[str]], Benchmark]


@dataclass(frozen=True)
class States(Outputs):
    """A tracker's states, read, to be scored.

    Attributes:
        read: What the file holds.
        file: Its dialogues, paired with gold states.
        load_benchmark: As for `read_states`.
        content: The (unpacked) file; None where the harness makes the states.
        own_gold: What version of the annotation the file's own gold states are; None where nobody
            says.
    """

    read: object
    file: TrackedFile
    load_benchmark: BenchmarkLoader
    content: bytes | None = None
    own_gold: str | None = None

    @property
    def said(self) -> object:
        """What the file says."""
        return None if self.content is None else self.read

    @cached_property
    def benchmark(self) -> Benchmark:
        """The benchmark that the dialogues are of."""
        return self.file.benchmark or self.load_benchmark(one.id for one in self.file.dialogues)

    def scores(self, golds: Sequence[GoldStates]) -> Scores:
        """Score them with every metric."""
        file = self.file
        signature = tracking_signature(file.dialogues, file.benchmark, gold=file.gold)
        report, of, whole = score_tracking(file.dialogues), self._own_gold(golds), None
        if file.benchmark is not None:
            whole = (len(file.benchmark.dialogues), file.benchmark.turns)
            of = GoldOf("benchmark")
            if file.gold is not None:
                of = GoldOf("version", file.gold.version)
            else:
                data = file.benchmark.content_hash(rule_set(DEFAULT_RULES))
                signature = replace(signature, data=data)
        share = gold_share_of(file.dialogues)
        figures = figures_of(report, signature, share, of.version, whole)
        return Scores(
            predictions=self.predictions,
            result=TrackedScores(figures, of, report),
            fingerprints=self._fingerprints,
            further_gold=tracker_against(self.read, file.source, self.load_benchmark, golds),
        )

    def _own_gold(self, golds: Sequence[GoldStates]) -> GoldOf:
        """Return whose the file's own gold states are: those of the version that is stated.

        Raises:
            InputError: They are not, or nobody can tell.
        """
        if self.own_gold is None or self.file.benchmark is not None:
            return GoldOf("file", None)
        dialogues, benchmark = self.file.dialogues, self.benchmark
        by_version = {gold.version: gold.states for gold in golds}
        default, _ = gold_versions(benchmark.name)
        if default is not None:
            by_version[default] = {
                id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()
            }
        if self.own_gold not in by_version:
            problem = (
                unknown("version", self.own_gold, by_version)
                if by_version
                else "no version is known"
            )
            other = "`mwz data import --states` installs others, or leave it out"
            raise InputError("--gold", f"{problem}; {other}")
        agrees = agreement(dialogues, by_version[self.own_gold])
        if agrees < KNOWN_GOLD:
            problem = f"{100 * agrees:.1f} % of the file's gold states are those of {self.own_gold}"
            other = (
                "leave it out, or leave the gold states out of the file to be compared with these"
            )
            raise InputError("--gold", f"{problem}; {other}")
        return GoldOf("file", self.own_gold, agrees)

    @property
    def _fingerprints(self) -> Fingerprints | None:
        file, rules = self.file, rule_set(DEFAULT_RULES)
        try:
            benchmark = self.benchmark
        except InputError:
            # It is only asked for to find copies, and a score does not need it.
            return None
        states: dict[str, list[BeliefState]] = {}
        for dialogue in file.dialogues:
            id_ = dialogue_id(dialogue.id)
            if id_ in benchmark.dialogues:
                by_number = {turn.number: turn.predicted for turn in dialogue.turns}
                turns = range(benchmark.dialogues[id_].turns)
                states[id_] = [normalize_state(by_number.get(n, {}), rules) for n in turns]
        return fingerprints_of(benchmark, None, states) if states else None


def agreement(
    dialogues: Iterable[TrackedDialogue], gold: Mapping[str, Sequence[BeliefState]]
) -> float:
    """Return the share of turns whose gold state is that of a version; what it lacks is not."""
    rules = rule_set(DEFAULT_RULES)

    def compared(state: BeliefState) -> BeliefState:
        return without_empty_domains(without_booking_prefix(state))

    equal = []
    for dialogue in dialogues:
        gold_states = gold.get(dialogue_id(dialogue.id), ())
        for turn in dialogue.turns:
            of_file = compared(normalize_state(turn.gold, rules))
            equal.append(
                turn.number < len(gold_states) and of_file == compared(gold_states[turn.number])
            )
    return sum(equal) / max(len(equal), 1)


def read_states(
    content: bytes | str,
    source: str,
    load_benchmark: BenchmarkLoader,
    gold: str | None = None,
    load_gold: Callable[[str, Benchmark], GoldStates] | None = None,
) -> States:
    """Read a tracker's file.

    Args:
        content: The (unpacked) file: gold and predicted states, or predicted ones only; or the name
            of a submission that the harness makes.
        source: What messages call it.
        load_benchmark: Gives the benchmark of dialogues, given their ids.
        gold: The version of the gold states: of those to compare with instead of the benchmark's;
            or of those that the file itself has, as the submitter says.
        load_gold: Loads gold states of a version.

    Raises:
        InputError: The content is no file of states, or the gold states cannot be loaded.
    """
    if isinstance(content, bytes):
        read = parse_predictions(content, source)
    else:
        read = made_submission(load_benchmark(()), content).states
    file = parse_tracking_file(read, source, load_benchmark)
    own_gold = gold if file.benchmark is None else None
    if gold is not None and file.benchmark is not None and load_gold is not None:
        states = load_gold(gold, file.benchmark)
        file = parse_tracking_file(read, source, load_benchmark, states)
    stored = content if isinstance(content, bytes) else None
    return States(read, file, load_benchmark, stored, own_gold)


def tracker_against(
    read: object, source: str, load_benchmark: BenchmarkLoader, golds: Sequence[GoldStates]
) -> FurtherGold:
    """Score a tracker's file; nothing if its dialogues and turns are not the benchmark's.

    Args:
        read: What the file holds, whatever gold states it has itself.
        source: What messages call it.
        load_benchmark: Gives the benchmark that the gold states are of.
        golds: The gold states.
    """
    against = {}
    for gold in golds:
        with suppress(InputError):
            file = parse_tracking_file(read, source, load_benchmark, gold)
            assert file.benchmark is not None
            against[gold.version] = further_figures(file.dialogues, file.benchmark, gold)
    return against
