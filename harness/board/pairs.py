"""Entries compared by what they store of their dialogues, and `pairs.jsonl`, two by two.

Entries with predicted states are also compared by these, as systems of their own: NAME/states
against the benchmark's gold states, NAME/states/2.4 against those of that version.

What an entry stores of every dialogue is enough for `FIGURES` under the default rule set, in the
strict set-up. What is known of a file is brought into the same form by `of_file`.

Every two entries whose scores compare under the default rule set have a line in `pairs.jsonl`:
differences, the dialogues that only one of the two wins, and p-values. A line is made of what both
entries store of their dialogues, and goes by the digests of it: an entry that changes has no lines
any more, and one that is renamed keeps them. `mwz leaderboard` compares what has no line, and drops
lines of entries that are gone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations
from math import ceil
from pathlib import Path
from typing import TypeAlias

from mwz.normalization import DEFAULT_RULES, rule_set, sha256

from ..comparison import (
    DEFAULT_TEST,
    SEED,
    SIGNIFICANCE,
    TEST_SAMPLES,
    Evidence,
    compare_pairs,
)
from ..data import gold_versions
from ..errors import InputError
from ..io import parse_json, read_plain, validated
from ..metrics import (
    MAIN_SETUP,
    TOTALS,
    TOTALS_COLUMNS,
    Figure,
    Figures,
    Metric,
    Presentation,
    Rows,
    Sums,
    TrackedFile,
    count_exact_turns,
    dialogue_states,
    percent,
    tracking_signature,
)
from ..scoring import LEXICALISED, in_processes
from ..signature import PLACEHOLDERS, Signature
from ..submission import dialogue_id
from .entries import Entry
from .scores import FIGURES, Mismatch, mismatches, plain
from .tracked import TrackedScores

PAIRS_FILE = "pairs.jsonl"

RANKING, JGA = "combined", "jga"
"""The figures that rank, by which rows of the leaderboard are compared."""

_STATES = "/states"


def states_name(key: str, scores: TrackedScores) -> str:
    """Return what pairs call an entry that is compared by its states, against some gold states.

    It is empty for gold states of a file's own, which others do not share.
    """
    if scores.gold == "benchmark":
        return f"{key}{_STATES}"
    return "" if scores.version is None else f"{key}{_STATES}/{scores.version}"


SAMPLES = TEST_SAMPLES[DEFAULT_TEST]

_MANY = 2000
"""Pairs that take longer to compare than another process to start."""

IN_WORDS = f"BLEU, Inform, Success and Combined, {MAIN_SETUP}, by rule set {DEFAULT_RULES}"
"""What is known of an entry without its outputs."""


def stored_evidence(entry: Entry) -> Evidence:
    """Return the evidence of an entry from its stored dialogues, named by their numbers.

    Raises:
        InputError: Nothing is stored of them, or it cannot be used.
    """
    dialogues = entry.compared
    if dialogues is None:
        problem = "; ".join(entry.problems) or "stores no scores of its dialogues"
        raise InputError(f"entry {entry.key}", problem)
    rows = zip(*dialogues.columns, strict=True)
    signature = _signature(entry.scores.main.signature)
    return evidence_of_rows(entry.key, signature, list(map(str, dialogues.places)), rows)


STATES_JGA = Figure("dst.JGA", "JGA", main=True)


def stored_states(
    entry: Entry, version: str | None = None, figure: Figure = STATES_JGA
) -> Evidence:
    """Return the evidence of an entry's states from its stored marks of exact turns: JGA alone.

    Args:
        entry: The entry.
        version: Of the gold states; None for the benchmark's own.
        figure: What JGA is called.

    Raises:
        InputError: Nothing is stored of its turns against these gold states.
    """
    for scores in entry.scores.tracked():
        is_own = scores.gold == "benchmark"
        is_chosen = is_own if version is None else scores.version == version
        if is_chosen and scores.gold != "file" and scores.exact:
            exact = _exact_by_dialogue(scores.exact)
            signature = _of_states(scores.signature.benchmark, scores.gold_digest)
            return _evidence_of_turns(entry.key, signature, _marked_rows(exact), figure)
    gold = "the benchmark's gold states" if version is None else f"gold states {version}"
    problem = f"stores nothing of its turns against {gold}; its outputs are needed"
    raise InputError(f"entry {entry.key}", problem)


def states_of_file(name: str, file: TrackedFile, figure: Figure = STATES_JGA) -> Evidence:
    """Return the evidence of a file's states in the form that entries store: JGA alone.

    Args:
        name: What to call it.
        file: Its dialogues, beside gold states of the benchmark's dialogues or of its own.
        figure: What JGA is called.
    """
    counted = {}
    for dialogue in file.dialogues:
        counted[dialogue_id(dialogue.id)] = count_exact_turns(dialogue_states(dialogue))
    benchmark = file.benchmark
    if benchmark is None:
        gold = tracking_signature(file.dialogues, None).gold or ""
        return _evidence_of_turns(name, _of_states(None, gold), counted, figure)
    own_version, _ = gold_versions(benchmark.name)
    gold = benchmark.content_hash(rule_set(DEFAULT_RULES))
    if file.gold is not None and file.gold.version != own_version:
        gold = file.gold.digest
    rows = {}
    for number, id_ in enumerate(benchmark.dialogues):
        if id_ in counted:
            rows[str(number)] = counted[id_]
    return _evidence_of_turns(name, _of_states(benchmark.name, gold), rows, figure)


def _of_states(benchmark: str | None, gold: str) -> Signature:
    """Return what exact turns depend on; of a benchmark's own states, `gold` is its content."""
    digest = rule_set(DEFAULT_RULES).digest
    return Signature(benchmark=benchmark, rules=DEFAULT_RULES, rules_digest=digest, gold=gold)


def _marked_rows(exact: Mapping[int, str]) -> Rows:
    """Return the number of each dialogue -> its row, as `count_exact_turns` makes it."""
    rows = {}
    for number, marks in exact.items():
        rows[str(number)] = {"turns": len(marks), "exact_turns": marks.count("1")}
    return rows


def _evidence_of_turns(name: str, signature: Signature, rows: Rows, figure: Figure) -> Evidence:
    """Return the evidence of a system from the turns and the exact turns of its dialogues."""
    metric: Metric[object] = Metric(
        figure.name,
        Presentation(figure.title, figures=[figure]),
        # Other processes take no lambda.
        formula=partial(_jga, figure.name),
        takes_samples=True,
    )
    return Evidence.from_rows(name, signature, metric, rows)


def _jga(name: str, sums: Sums) -> Figures:
    return {name: percent(sums["exact_turns"], sums["turns"])}


def marked_turns(entries: Iterable[Entry]) -> dict[str, dict[str, dict[int, str]]]:
    """Return what the states of entries are compared by.

    Returns:
        Digest of gold states -> name of an entry's states -> number of a dialogue -> a mark of each
        turn, 1 if its state is exact.
    """
    by_gold: dict[str, dict[str, dict[int, str]]] = {}
    for entry in entries:
        if entry.problems or entry.system.predictions.by_harness:
            continue
        for scores in entry.scores.tracked():
            name, exact = states_name(entry.key, scores), _exact_by_dialogue(scores.exact or "")
            if name and exact:
                by_gold.setdefault(scores.gold_digest, {})[name] = exact
    return by_gold


def _exact_by_dialogue(text: str) -> dict[int, str]:
    """Return the number of each dialogue that is tracked -> a mark of each turn."""
    exact = {}
    for number, marks in enumerate(text.split(" ")):
        played = marks.rstrip(".")
        if played:
            exact[number] = played
    return exact


def evidence_of_rows(
    name: str,
    signature: Signature,
    dialogues: Sequence[str],
    rows: Iterable[Sequence[float]],
) -> Evidence:
    """Return the evidence of a system from the numbers of `TOTALS_COLUMNS` of each dialogue."""
    named = {}
    for dialogue, numbers in zip(dialogues, rows, strict=True):
        named[dialogue] = dict(zip(TOTALS_COLUMNS, numbers, strict=True))
    return Evidence.from_rows(name, signature, TOTALS, named)


def of_file(evidence: Evidence, dialogues: Iterable[str]) -> Evidence:
    """Return the evidence of a file in the form that entries store.

    Args:
        evidence: What is known of it, with the metrics "inform" and "bleu".
        dialogues: The ids of the benchmark's dialogues, in order.

    Raises:
        InputError: Strict Inform and Success, or BLEU, were not asked for.
    """
    if "combined" not in evidence.figures:
        raise InputError(evidence.name, f"lacks what is compared: {IN_WORDS}")
    [inform] = evidence.statistics["inform"]
    places = [inform.columns.index(column) for column in TOTALS_COLUMNS]
    rows = inform.numbers[:, places].tolist()
    numbers = {id_: str(number) for number, id_ in enumerate(dialogues)}
    names = [numbers[id_] for id_ in evidence.dialogues]
    return evidence_of_rows(evidence.name, _signature(evidence.signature), names, rows)


def _signature(signature: Signature) -> Signature:
    """Return the signature of the strict figures among those of a report."""
    parameters = {}
    for name in (LEXICALISED, PLACEHOLDERS):
        if name in signature.parameters:
            parameters[name] = signature.parameters[name]
    return replace(signature.part(MAIN_SETUP), parameters=parameters)


# ----------------------------------------------------------------------------- two by two


@dataclass(frozen=True)
class PairFigure:
    """A figure of two entries, on the dialogues that both submit.

    Attributes:
        difference: The first one's minus the second one's, in the figure's own unit.
        p: How often chance alone would make such a difference, or a larger one; of a single
            comparison, without correction.
        test: How p was computed: "mcnemar" or "randomisation".
        only_a: The dialogues that only the first one wins, where the figure is a rate of them.
        only_b: Those that only the second one wins.
    """

    difference: float
    p: float
    test: str
    only_a: int | None = None
    only_b: int | None = None

    @property
    def distinct(self) -> bool:
        """Whether the two differ significantly."""
        return self.p < SIGNIFICANCE

    def reversed(self) -> PairFigure:
        """Return the same of the second one and the first."""
        # 0 and not -0 of two that are equal.
        return PairFigure(0 - self.difference, self.p, self.test, self.only_b, self.only_a)


@dataclass(frozen=True)
class EntryPair:
    """Two entries, compared.

    Attributes:
        digests: The digests of what is known of their dialogues.
        dialogues: The dialogues that both submit.
        figures: Of `FIGURES`, or `JGA` -> how the two differ.
    """

    digests: tuple[str, str]
    dialogues: int
    figures: Mapping[str, PairFigure]

    def __post_init__(self) -> None:
        if set(self.figures) not in ({*FIGURES}, {JGA}):
            raise ValueError(f"figures: expected {', '.join(FIGURES)}, or {JGA}")

    @property
    def ranking(self) -> PairFigure:
        """How they differ in the figure that ranks."""
        return self.figures.get(RANKING) or self.figures[JGA]

    def reversed(self) -> EntryPair:
        """Return the same of the second entry and the first."""
        figures = {name: figure.reversed() for name, figure in self.figures.items()}
        return EntryPair(self.digests[::-1], self.dialogues, figures)


Pairs: TypeAlias = Mapping[tuple[str, str], EntryPair]
"""Keys of two entries that compare, in either order -> the two, compared in that order."""


def pairs_text(pairs: Pairs) -> str:
    """Return the content of `pairs.jsonl`: a line for each pair, in the order of the digests."""
    lines = set()
    for pair in pairs.values():
        if pair.digests == tuple(sorted(pair.digests)):
            lines.add(json.dumps(plain(pair), separators=(",", ":")) + "\n")
    return "".join(sorted(lines))


def read_pairs(folder: Path, entries: Sequence[Entry]) -> Pairs:
    """Return the pairs of a folder that are of its entries as they are.

    Args:
        folder: The folder of submissions.
        entries: Its entries.

    Raises:
        InputError: The file of pairs is not as the harness writes it.
    """
    path = folder / PAIRS_FILE
    by_digests = {}
    if path.is_file():
        for line in read_plain(path).splitlines():
            try:
                pair = validated(EntryPair, parse_json(line, str(path)), str(path))
            except InputError as error:
                problem = f"{error.problems[0]}; remove the file, and run `mwz leaderboard`"
                raise InputError(str(path), problem) from error
            by_digests[pair.digests] = pair
    pairs = {}
    for keys, digests in _digests(entries).items():
        stored = by_digests.get(digests)
        if stored is None and digests[::-1] in by_digests:
            stored = by_digests[digests[::-1]].reversed()
        if stored is not None:
            pairs[keys] = stored
    return _both_ways(pairs)


def _both_ways(pairs: Pairs) -> Pairs:
    """Return pairs with each of them in the other order as well."""
    both_ways = dict(pairs)
    for (a, b), pair in pairs.items():
        both_ways[b, a] = pair.reversed()
    return both_ways


def missing_pairs(pairs: Pairs, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Return the keys of entries that compare and are not among the pairs."""
    return [keys for keys in _digests(entries) if keys not in pairs]


def _digests(entries: Sequence[Entry]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the keys of every two entries that compare -> the digests of their dialogues.

    Entries compare if their signatures do, coverage and placeholders of their own aside, and some
    dialogue is played by both; states, if the benchmark is the same.
    """
    digests: dict[tuple[str, str], tuple[str, str]] = {}
    by_key = {entry.key: entry.compared for entry in entries if entry.compared is not None}
    places = {key: frozenset(dialogues.places) for key, dialogues in by_key.items()}
    signatures = {
        entry.key: entry.scores.main.signature for entry in entries if entry.key in by_key
    }
    for a, b in combinations(sorted(by_key), 2):
        is_comparable = signatures[a].comparable_with(signatures[b], ("coverage", PLACEHOLDERS))
        if is_comparable and not places[a].isdisjoint(places[b]):
            digests[a, b] = (by_key[a].digest, by_key[b].digest)
    for states in marked_turns(entries).values():
        by_name = {name: sha256(json.dumps(exact)) for name, exact in states.items()}
        for a, b in combinations(sorted(states), 2):
            if not states[a].keys().isdisjoint(states[b]):
                digests[a, b] = (by_name[a], by_name[b])
    return dict(sorted(digests.items()))


def complete_pairs(folder: Path, entries: Sequence[Entry], processes: int = 1) -> Pairs:
    """Return all pairs of a folder: those it has, and those it lacks, which are compared now.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        processes: How many processes compare, if there are many pairs.
    """
    stored = read_pairs(folder, entries)
    missing = missing_pairs(stored, entries)
    return {**stored, **_both_ways(compared(entries, missing, processes))}


def pair_mismatches(
    stored: Pairs, entries: Sequence[Entry], keys: Collection[str], processes: int = 1
) -> list[Mismatch]:
    """Return in what stored pairs are not what comes out of what is stored of their entries.

    Args:
        stored: The pairs of a folder of submissions, as `read_pairs` returns them.
        entries: Its entries.
        keys: Keys of the entries whose pairs are looked at.
        processes: How many processes compare, if there are many pairs.

    Returns:
        The mismatches, each of one of these entries.
    """
    chosen = {}
    for a, b in stored:
        for key in (entry_key(a), entry_key(b)):
            if a < b and key in keys:
                chosen[a, b] = key
    different = []
    for (a, b), pair in compared(entries, list(chosen), processes).items():
        if pair == stored[a, b]:
            continue
        place = f"{PAIRS_FILE}, {a} and {b}"
        different += mismatches(chosen[a, b], place, plain(stored[a, b]), plain(pair))
    return different


def entry_key(name: str) -> str:
    """Return the entry's key, of the name that it is compared by."""
    return name.partition(_STATES)[0]


def compared(
    entries: Sequence[Entry], chosen: Sequence[tuple[str, str]], processes: int = 1
) -> dict[tuple[str, str], EntryPair]:
    """Compare entries with each other.

    Args:
        entries: All entries.
        chosen: The keys of each pair, of entries that compare.
        processes: How many processes compare, if there are many pairs.

    Returns:
        The keys of each pair -> the pair.
    """
    if not chosen:
        return {}
    names, evidence = set(chain.from_iterable(chosen)), {}
    for entry in entries:
        if entry.key in names:
            evidence[entry.key] = stored_evidence(entry)
    for gold, states in marked_turns(entries).items():
        for name in names & states.keys():
            rows, figure = _marked_rows(states[name]), Figure(JGA, "JGA")
            evidence[name] = _evidence_of_turns(name, Signature(gold=gold), rows, figure)
    systems = [(evidence[a], evidence[b]) for a, b in chosen]
    size = max(_MANY, ceil(len(systems) / processes))
    parts = [systems[start : start + size] for start in range(0, len(systems), size)]
    compare = partial(compare_pairs, samples=SAMPLES, seed=SEED)
    results = chain.from_iterable(in_processes(compare, parts, len(parts)))
    pairs, digests = {}, _digests(entries)
    for keys, result in zip(chosen, results, strict=True):
        figures = {}
        for name, difference in result.differences.items():
            figures[name] = PairFigure(
                difference=difference.a - difference.b,
                p=difference.p,
                test=difference.test,
                only_a=difference.only_a,
                only_b=difference.only_b,
            )
        pairs[keys] = EntryPair(digests[keys], result.dialogues, figures)
    return pairs
