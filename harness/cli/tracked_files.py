"""Files of states, scored: signatures, tables, JSON, pictures, and one dialogue turn by turn.

What is shown of a dialogue, its states and what each metric gives a turn and why, is what the
sample tables of the papers on state-tracking metrics show.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias

from .. import comparison
from ..benchmark import Benchmark
from ..diagnosis import TrackedDiagnosis, diagnose_states
from ..errors import InputError, counted, cut, refuse
from ..io import Table, best_cells, figure
from ..metrics import (
    MAIN,
    VERDICTS,
    Choices,
    TrackedDialogue,
    TrackedFile,
    TrackingResult,
    cell,
    dialogue_rows,
    dialogue_states,
    figure_headings,
    joined_metric,
    score_tracking,
    slot_name,
    slot_rates,
    tracking_metrics,
    tracking_signature,
)
from ..signature import Signature, comparable_group, comparison_notes, names_by_text, notes_once
from ..submission import dialogue_id

Data: TypeAlias = dict[str, Any]
"""Name -> JSON types."""

_WITHOUT_VALUES = ("JGA", "SA", "FGA")
"""The metrics that take nothing but which slots are right."""

LAYOUT = 1
"""Version of the layout of a file's result as JSON; `format` is that of the file."""


@dataclass(frozen=True)
class ScoredFile:
    """A file of states, scored.

    Attributes:
        name: What it is called beside others.
        file: What was read.
        result: Its scores.
        signature: What they depend on.
        choices: What the metrics leave open, as the file allows it.
        dialogue: One dialogue turn by turn, as `view_turns`, if that was asked for.
        intervals: The intervals of its scores as JSON types, if they were asked for.
    """

    name: str
    file: TrackedFile
    result: TrackingResult
    signature: Signature
    choices: Choices
    dialogue: Sequence[Data] = ()
    intervals: Data = field(default_factory=dict)

    def to_dict(self) -> Data:
        """Return the result as JSON types, with what was read and what it depends on."""
        benchmark = self.file.benchmark
        gold = self.file.gold
        coverage = None
        if benchmark is not None:
            coverage = {"of_dialogues": len(benchmark.dialogues), "of_turns": benchmark.turns}
        document = {
            "layout": LAYOUT,
            "file": self.file.source,
            "label": self.name,
            "format": self.file.format,
            "gold_version": None if gold is None else gold.version,
            "signature": str(self.signature),
            "signature_fields": self.signature.to_dict(),
            "coverage": coverage,
        }
        document |= asdict(self.result)
        document["per_slot"] = slot_rates(self.result)
        if self.dialogue:
            document["dialogue"] = self.dialogue
        if self.intervals:
            document["intervals"] = self.intervals
        return document


def score_file(
    file: TrackedFile,
    name: str,
    load_benchmark: Callable[[], Benchmark],
    choices: Choices = Choices(),
    wanted: str | None = None,
) -> ScoredFile:
    """Score a file of states.

    Args:
        file: What was read.
        name: What to call it.
        load_benchmark: Gives the benchmark, which has the active domains and goals that a file with
            gold states of its own lacks.
        choices: What the metrics leave open, and which variant of joint accuracy is meant.
        wanted: The id of a dialogue to show turn by turn.

    Raises:
        InputError: The file lacks that dialogue, or as `score_tracking`.
    """
    if not file.has_values:
        choices = replace(choices, metrics=_WITHOUT_VALUES, fga="slots")
    if choices.per_domain != Choices.per_domain:
        file = annotated(file, load_benchmark)
    try:
        result = score_tracking(file.dialogues, choices, by_part=file.has_values)
    except InputError as error:
        raise InputError(file.source, error.problems) from None
    signature = tracking_signature(file.dialogues, file.benchmark, choices, file.gold)
    scored = ScoredFile(name, file, result, signature, choices)
    if wanted is None:
        return scored
    for dialogue in file.dialogues:
        if dialogue_id(dialogue.id) == dialogue_id(wanted):
            return replace(scored, dialogue=view_turns(dialogue, choices))
    raise InputError(file.source, f"no dialogue {wanted}; it starts with {file.dialogues[0].id}")


def without(
    file: TrackedFile,
    left_out: Sequence[str],
    gold_domains: Collection[str],
    load_benchmark: Callable[[], Benchmark],
) -> Iterator[tuple[str, TrackedFile, Data]]:
    """Yield what a file is without some dialogues and domains, and what each domain is by itself.

    Of a domain by itself all turns of the dialogues count that have it in their goal, and its slots
    alone: what zero-shot papers report of the domain that a tracker was trained without. Without
    the domains, the other slots count, in the dialogues that have others in their goal. Source:
    `read_langs` of TRADE (Wu et al., 2019), where a domain is excepted.

    Args:
        file: The file.
        left_out: Dialogues and domains.
        gold_domains: The domains of the gold states.
        load_benchmark: As for `score_file`; called only for domains.

    Yields:
        A name for what is left, the file with its dialogues, and which `Choices` say so. Where
        gold has none of the slots that count, nothing.

    Raises:
        InputError: No dialogue is left, or as `annotated`.
    """
    domains = [name for name in left_out if name in gold_domains]
    ids = set(map(dialogue_id, left_out))
    dialogues = [dialogue for dialogue in file.dialogues if dialogue_id(dialogue.id) not in ids]
    if not dialogues:
        raise InputError(file.source, "--leave-out: no dialogue is left")
    if not domains:
        yield "", replace(file, dialogues=dialogues), {}
        return
    file = annotated(replace(file, dialogues=dialogues), load_benchmark)
    counted_domains = {f"without {' and '.join(domains)}": sorted(file.gold_domains - set(domains))}
    for domain in domains:
        counted_domains[domain] = [domain]
    for name, only in counted_domains.items():
        remaining = []
        for dialogue in file.dialogues:
            if not set(only).isdisjoint(dialogue.goal_domains):
                remaining.append(dialogue)
        part = replace(file, dialogues=remaining, left_out=())
        if part.gold_domains.isdisjoint(only):
            continue
        choices: Data = {"only": tuple(only)}
        if name not in domains:
            choices["slots"] = Choices.slots
        yield name, part, choices


def tracking_evidence(scored: ScoredFile) -> comparison.Evidence:
    """Return the evidence of a file's dialogues, for intervals and tests."""
    file, choices = scored.file, scored.choices
    rows = {}
    for id_, row in dialogue_rows(file.dialogues, choices).items():
        rows[dialogue_id(id_)] = row
    # What chance draws must not hang on the order of dialogues in a file.
    if file.benchmark is not None:
        rows = {id_: rows[id_] for id_ in file.benchmark.dialogues if id_ in rows}
    metric = joined_metric(choices, MAIN)
    return comparison.Evidence.from_rows(scored.name, scored.signature, metric, rows)


def diagnosed_file(scored: ScoredFile) -> TrackedDiagnosis:
    """Return where a file loses joint goal accuracy.

    Raises:
        InputError: It says only which slots are right.
    """
    file = scored.file
    file.refuse_without_values("an explanation")
    states = {}
    for dialogue in file.dialogues:
        states[dialogue_id(dialogue.id)] = dialogue_states(dialogue, scored.choices)
    return diagnose_states(states, _reading(scored), file.benchmark)


def with_intervals(scored: ScoredFile) -> ScoredFile:
    """Return a file with the intervals of its scores."""
    evidence = tracking_evidence(scored)
    intervals = comparison.intervals_of(evidence)
    return replace(scored, intervals=comparison.intervals_document(evidence, intervals))


def annotated(file: TrackedFile, load_benchmark: Callable[[], Benchmark]) -> TrackedFile:
    """Return a file with the active domains and the goals that a benchmark gives its dialogues.

    Raises:
        InputError: The benchmark lacks one of the dialogues or turns.
    """
    if file.benchmark is not None:
        return file
    benchmark = load_benchmark()
    problems = []
    dialogues = []
    reason = f"not in the benchmark {benchmark.name}, which is to say its active domains and goal"
    for dialogue in file.dialogues:
        gold = benchmark.dialogues.get(dialogue_id(dialogue.id))
        turns = len(dialogue.gold)
        if gold is None or gold.turns < turns:
            last = "" if gold is None else f"turn {gold.turns} is "
            problems.append(f"dialogue {dialogue.id}: {last}{reason}")
        else:
            active, goal = gold.active_domains[:turns], frozenset(gold.goal)
            dialogues.append(replace(dialogue, active_domains=active, goal_domains=goal))
    refuse(file.source, problems)
    return replace(file, dialogues=dialogues)


def view_turns(dialogue: TrackedDialogue, choices: Choices = Choices()) -> list[Data]:
    """Return each turn of a dialogue and what every metric gives it, as JSON types.

    A turn has its `number`, its states `gold` and `predicted` (`domain-slot` -> value), and
    `verdicts`, each with `metric`, `score` (from 0 to 1, or None) and `reason`.
    """
    states = dialogue_states(dialogue, choices)
    verdicts_by_turn: list[list[Data]] = [[] for _ in states]
    for metric in tracking_metrics(choices):
        if metric in VERDICTS:
            for place, verdicts in enumerate(VERDICTS[metric](states, choices)):
                for title, (score, reason) in verdicts.items():
                    shown = {"metric": title, "score": score, "reason": reason}
                    verdicts_by_turn[place].append(shown)
    turns = []
    for place, pair in enumerate(states):
        turn: Data = {"number": place}
        turn["gold"] = {slot_name(slot): value for slot, value in pair.gold.items()}
        turn["predicted"] = {slot_name(slot): value for slot, value in pair.predicted.items()}
        turn["verdicts"] = verdicts_by_turn[place]
        turns.append(turn)
    return turns


def tracking_tables(
    scored: Sequence[ScoredFile], per_domain: bool = False, wanted: str | None = None
) -> list[Table]:
    """Return the main figures of files, side by side, or one dialogue of theirs.

    Args:
        scored: The files, all with the same metrics and values of λ.
        per_domain: Whether each file's scores per domain and per slot follow.
        wanted: The id of a dialogue, which is shown instead, turn by turn.
    """
    tables = []
    if wanted is not None:
        for file in scored:
            tables += dialogue_tables(file, wanted)
        return tables
    tables.append(headlines_table(scored))
    if per_domain:
        for file in scored:
            tables += breakdown_tables(file)
    return tables


def headlines_table(scored: Sequence[ScoredFile]) -> Table:
    """Return the figures that are reported most, in percent, a row per file, and what was read.

    The best of a column is marked, of those files that compare with each other.

    Args:
        scored: The files, all with the same metrics and values of λ.
    """
    main_only = any(scored_file.file.has_values for scored_file in scored)
    names = [scored_file.name for scored_file in scored]
    signatures = [scored_file.signature for scored_file in scored]
    figures = [scored_file.result.titled(main_only) for scored_file in scored]
    titles: dict[str, None] = {}
    for figures_of_file in figures:
        titles.update(dict.fromkeys(figures_of_file))
    comparable = comparable_group(signatures)

    rows: list[list[str]] = []
    data: list[Data] = []
    plain_cells: list[list[str]] = []
    compared: list[list[float | None]] = []
    has_intervals = False
    for place, scored_file in enumerate(scored):
        figures_of_file = figures[place]
        intervals = _main_intervals(scored_file)
        has_intervals |= bool(intervals)
        row = [scored_file.name]
        record: Data = {"name": scored_file.name}
        for title in titles:
            value = figures_of_file.get(title)
            row.append(intervals[title].text(2) if title in intervals else cell(value))
        for title, value in figures_of_file.items():
            record[title] = value
            if intervals:
                record[f"{title}_low"] = intervals[title].low
                record[f"{title}_high"] = intervals[title].high
        record["signature"] = str(scored_file.signature)
        rows.append(row)
        data.append(record)
        values = [figures_of_file.get(title) for title in titles]
        plain_cells.append(list(map(cell, values)))
        compared.append(values if place in comparable else [None] * len(titles))

    heading = "State tracking, in percent"
    if has_intervals:
        heading += f", with {comparison.INTERVAL_LEVEL} % intervals"
    readings = names_by_text((scored_file.name, _reading(scored_file)) for scored_file in scored)
    notes = [f"{names_of_reading}: {reading}" for reading, names_of_reading in readings.items()]
    notes += comparison_notes(names, signatures, comparable)
    notes += notes_once(zip(names, map(str, signatures), strict=True))
    best = {(row, column + 1) for row, column in best_cells(compared, plain_cells)}
    return Table("tracking", heading, ["", *titles], rows, data, notes, best)


def breakdown_tables(scored: ScoredFile) -> list[Table]:
    """Return a file's scores per domain and per slot."""
    result = scored.result
    domains: dict[str, Mapping[str, float | None]] = dict(result.per_domain)
    if domains:
        domains["mean"] = {"turns": None, **result.per_domain_mean, "lambda": None}
    breakdowns: dict[str, Mapping[str, Mapping[str, float | None]]] = {
        f"domain (%, over {result.variants['per-domain']})": domains,
        "slot (rates in %)": slot_rates(result),
    }
    tables = []
    for title, figures_by_name in breakdowns.items():
        if not figures_by_name:
            continue
        unit = title.partition(" ")[0]
        first = next(iter(figures_by_name.values()))
        headers = [title, *(name.replace("_", "\n") for name in first)]
        rows = []
        data = []
        for name, figures in figures_by_name.items():
            rows.append([name, *map(cell, figures.values())])
            data.append({"name": scored.name, unit: name, **figures})
        tables.append(Table(f"{scored.name} by {unit}", scored.name, headers, rows, data))
    return tables


def dialogue_tables(scored: ScoredFile, wanted: str) -> list[Table]:
    """Return a dialogue turn by turn: its states, and what each metric gives the turn and why."""
    tables = []
    for turn in scored.dialogue:
        gold, predicted = turn["gold"], turn["predicted"]
        states = []
        data = []
        for slot in sorted(gold.keys() | predicted.keys()):
            gold_value, predicted_value = gold.get(slot, ""), predicted.get(slot, "")
            difference = "" if gold_value == predicted_value else "differs"
            states.append((slot, gold_value, predicted_value, difference))
            data.append({"slot": slot, "gold": gold_value, "predicted": predicted_value})
        scores = []
        for verdict in turn["verdicts"]:
            score = "" if verdict["score"] is None else figure(verdict["score"], 4)
            scores.append((f"{verdict['metric']}: {verdict['reason']}", score))
        title = f"{scored.file.source}, dialogue {wanted}, turn {turn['number']}"
        headers = ["slot", "gold", "predicted", ""]
        tables.append(Table(f"{title}: states", title, headers, states, data))
        scores_name = f"{title}: scores"
        tables.append(Table(scores_name, title, ["metric", "score"], scores, turn["verdicts"]))
    return tables


def _main_intervals(scored: ScoredFile) -> dict[str, comparison.Interval]:
    """Return the intervals of the main figures by their titles, if they were asked for."""
    if not scored.intervals:
        return {}
    ends = scored.intervals["scores"]
    intervals = {}
    for title, key in figure_headings(scored.result, scored.file.has_values).items():
        intervals[title] = comparison.Interval(**ends[f"dst.{key}"])
    return intervals


def _reading(scored: ScoredFile) -> str:
    """Return what was read, in a sentence."""
    file, result = scored.file, scored.result
    benchmark = file.benchmark
    if benchmark is None:
        size = f"{counted(result.dialogues, 'dialogue')}, {counted(result.turns, 'turn')}"
        return f"{file.format}; compared with its own gold states, {size}"
    version = f" in version {file.gold.version}" if file.gold else ""
    left_out = f"; they lack {cut(', '.join(file.left_out), 60)}" if file.left_out else ""
    return (
        f"{file.format}; compared with the gold states of {benchmark.name}{version}, "
        f"{result.dialogues} of {len(benchmark.dialogues)} dialogues, "
        f"{result.turns} of {benchmark.turns} turns{left_out}"
    )


def plot_tracking(scored: Sequence[ScoredFile], path: str) -> None:
    """Draw the main figures of files with their intervals, and write the picture.

    Args:
        scored: The files, all with the same metrics and values of λ.
        path: Where to write; the suffix, one of `SUFFIXES`, is the format.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    names = [scored_file.name for scored_file in scored]
    evidence = list(map(tracking_evidence, scored))
    figures = {}
    for key in figure_headings(scored[0].result, main_only=True).values():
        figures[f"dst.{key}"] = evidence[0].figures[f"dst.{key}"]
    intervals = list(map(comparison.intervals_of, evidence))
    comparison.plot_scores(names, figures, intervals, path)
