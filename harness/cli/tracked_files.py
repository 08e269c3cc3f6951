"""Files of states, scored: signatures, tables, JSON, pictures, and one dialogue turn by turn.

What is shown of a dialogue, its states and what each metric gives a turn and why, is what the
sample tables of the papers on state-tracking metrics show.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .. import comparison
from ..benchmark import Benchmark
from ..errors import InputError, counted, cut, refuse
from ..io import Table, best_cells, figure
from ..metrics import (
    VERDICTS,
    Choices,
    TrackedDialogue,
    TrackedFile,
    TrackingResult,
    cell,
    dialogue_states,
    joined_metric,
    score_tracking,
    slot_name,
    states_of,
    tracking_metrics,
    tracking_rows,
    tracking_signature,
)
from ..signature import Signature, comparable_group, comparison_notes, names_by_text, notes_once
from ..submission import dialogue_id

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
    dialogue: Sequence[Mapping[str, Any]] = ()
    intervals: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON types, with what was read and what it depends on."""
        of = self.file.benchmark
        document = {
            "layout": LAYOUT,
            "file": self.file.source,
            "label": self.name,
            "format": self.file.format,
            "gold_version": None if self.file.gold is None else self.file.gold.version,
            "signature": str(self.signature),
            "signature_fields": self.signature.to_dict(),
            "coverage": None
            if of is None
            else {"of_dialogues": len(of.dialogues), "of_turns": of.turns},
            **asdict(self.result),
            "per_slot": self.result.slot_rates(),
        }
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
    turns = [] if wanted is None else view_turns(_dialogue(file, wanted), choices)
    return ScoredFile(name, file, result, signature, choices, turns)


def without(
    file: TrackedFile,
    left_out: Sequence[str],
    gold_domains: Collection[str],
    load_benchmark: Callable[[], Benchmark],
) -> Iterator[tuple[str, TrackedFile, Mapping[str, Any]]]:
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
    ids = {*map(dialogue_id, left_out)}
    dialogues = [one for one in file.dialogues if dialogue_id(one.id) not in ids]
    if not dialogues:
        raise InputError(file.source, "--leave-out: no dialogue is left")
    if not domains:
        yield "", replace(file, dialogues=dialogues), {}
        return
    file = annotated(replace(file, dialogues=dialogues), load_benchmark)
    others = sorted(file.gold_domains - {*domains})
    names = {f"without {' and '.join(domains)}": others, **{name: [name] for name in domains}}
    for name, only in names.items():
        left = [one for one in file.dialogues if not {*only}.isdisjoint(one.goal_domains or ())]
        part = replace(file, dialogues=left, left_out=())
        if not part.gold_domains.isdisjoint(only):
            slots = {} if name in domains else {"slots": Choices.slots}
            yield name, part, {"only": tuple(only), **slots}


def tracking_evidence(scored: ScoredFile) -> comparison.Evidence:
    """Return the evidence of a file's dialogues, for intervals and tests."""
    file, choices = scored.file, scored.choices
    rows = {}
    for id_, row in tracking_rows(states_of(file.dialogues, choices), choices).items():
        rows[dialogue_id(id_)] = row
    # What chance draws must not hang on the order of dialogues in a file.
    if file.benchmark is not None:
        rows = {id_: rows[id_] for id_ in file.benchmark.dialogues if id_ in rows}
    metric = joined_metric(choices)
    return comparison.Evidence.from_rows(scored.name, scored.signature, metric, rows)


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
        if gold is None or gold.turns < len(dialogue.turns):
            last = "" if gold is None else f"turn {gold.turns} is "
            problems.append(f"dialogue {dialogue.id}: {last}{reason}")
        else:
            turns = [
                replace(turn, active_domains=gold.active_domains[turn.number])
                for turn in dialogue.turns
            ]
            goal = frozenset(gold.goal)
            dialogues.append(replace(dialogue, turns=turns, goal_domains=goal))
    refuse(file.source, problems)
    return replace(file, dialogues=dialogues)


def _dialogue(file: TrackedFile, wanted: str) -> TrackedDialogue:
    """Return the dialogue of that id, or of that id in another spelling."""
    for dialogue in file.dialogues:
        if dialogue_id(dialogue.id) == dialogue_id(wanted):
            return dialogue
    raise InputError(file.source, f"no dialogue {wanted}; it starts with {file.dialogues[0].id}")


def view_turns(dialogue: TrackedDialogue, choices: Choices = Choices()) -> list[dict[str, Any]]:
    """Return each turn of a dialogue and what every metric gives it, as JSON types.

    A turn has its `number`, its states `gold` and `predicted` (`domain-slot` -> value), and
    `verdicts`, each with `metric`, `score` (from 0 to 1, or None) and `reason`.
    """
    states = dialogue_states(dialogue, choices)
    verdicts_by_turn: list[list[dict[str, Any]]] = [[] for _ in states.turns]
    for metric in tracking_metrics(choices):
        if metric in VERDICTS:
            for place, verdicts in enumerate(VERDICTS[metric](states, choices)):
                for title, verdict in verdicts.items():
                    verdicts_by_turn[place].append({"metric": title, **verdict._asdict()})
    turns = []
    for place, pair in enumerate(states.turns):
        turns.append(
            {
                "number": states.numbers[place],
                "gold": {slot_name(slot): value for slot, value in pair.gold.items()},
                "predicted": {slot_name(slot): value for slot, value in pair.predicted.items()},
                "verdicts": verdicts_by_turn[place],
            }
        )
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
    if wanted is not None:
        return [table for one in scored for table in dialogue_tables(one, wanted)]
    further = scored if per_domain else ()
    return [headlines_table(scored), *(t for one in further for t in breakdown_tables(one))]


def headlines_table(scored: Sequence[ScoredFile]) -> Table:
    """Return the figures that are reported most, in percent, a row per file, and what was read.

    The best of a column is marked, of those files that compare with each other.

    Args:
        scored: The files, all with the same metrics and values of λ.
    """
    main_only = any(one.file.has_values for one in scored)
    figures = [one.result.titled(main_only) for one in scored]
    titles = [*dict.fromkeys(title for values in figures for title in values)]
    ends = [_ends(one) for one in scored]
    names, signatures = [one.name for one in scored], [one.signature for one in scored]
    group = comparable_group(signatures)
    cells = [[cell(values.get(title)) for title in titles] for values in figures]
    comparing = [
        [values.get(title) if at in group else None for title in titles]
        for at, values in enumerate(figures)
    ]
    rows = [
        [
            of[title].text(2) if title in of else text
            for title, text in zip(titles, row, strict=True)
        ]
        for row, of in zip(cells, ends, strict=True)
    ]
    readings = names_by_text((one.name, _reading(one)) for one in scored)
    return Table(
        name="tracking",
        title="State tracking, in percent"
        + f", with {comparison.INTERVAL_LEVEL} % intervals" * any(ends),
        headers=["", *titles],
        rows=[[one.name, *row] for one, row in zip(scored, rows, strict=True)],
        data=[
            {
                "name": one.name,
                **{
                    f"{title}{end}": getattr(of[title], end[1:]) if end else value
                    for title, value in values.items()
                    for end in ("", "_low", "_high")[: 3 if of else 1]
                },
                "signature": str(one.signature),
            }
            for one, values, of in zip(scored, figures, ends, strict=True)
        ],
        notes=[
            *(f"{label}: {reading}" for reading, label in readings.items()),
            *comparison_notes(names, signatures, group),
            *notes_once(zip(names, map(str, signatures), strict=True)),
        ],
        best={(row, column + 1) for row, column in best_cells(comparing, cells)},
    )


def breakdown_tables(one: ScoredFile) -> list[Table]:
    """Return a file's scores per domain and per slot."""
    result = one.result
    domains: dict[str, Mapping[str, float | None]] = {**result.per_domain}
    if domains:
        domains["mean"] = {"turns": None, **result.per_domain_mean, "lambda": None}
    kinds: dict[str, Mapping[str, Mapping[str, float | None]]] = {
        f"domain (%, over {result.variants['per-domain']})": domains,
        "slot (rates in %)": result.slot_rates(),
    }
    return [
        Table(
            f"{one.name} by {title.partition(' ')[0]}",
            one.name,
            [title, *(name.replace("_", "\n") for name in next(iter(rows.values())))],
            [[name, *map(cell, values.values())] for name, values in rows.items()],
            [
                {"name": one.name, title.partition(" ")[0]: name, **values}
                for name, values in rows.items()
            ],
        )
        for title, rows in kinds.items()
        if rows
    ]


def dialogue_tables(one: ScoredFile, wanted: str) -> list[Table]:
    """Return a dialogue turn by turn: its states, and what each metric gives the turn and why."""
    tables = []
    for turn in one.dialogue:
        gold, predicted = turn["gold"], turn["predicted"]
        title = f"{one.file.source}, dialogue {wanted}, turn {turn['number']}"
        states = [
            (slot, *both, "" if both[0] == both[1] else "differs")
            for slot in sorted({*gold, *predicted})
            for both in [(gold.get(slot, ""), predicted.get(slot, ""))]
        ]
        scores = [
            (
                f"{verdict['metric']}: {verdict['reason']}",
                "" if verdict["score"] is None else figure(verdict["score"], 4),
            )
            for verdict in turn["verdicts"]
        ]
        data = [dict(zip(("slot", "gold", "predicted"), row, strict=False)) for row in states]
        tables += [
            Table(f"{title}: states", title, ["slot", "gold", "predicted", ""], states, data),
            Table(f"{title}: scores", title, ["metric", "score"], scores, turn["verdicts"]),
        ]
    return tables


def _ends(one: ScoredFile) -> dict[str, comparison.Interval]:
    """Return the intervals of the main figures by their titles, if they were asked for."""
    intervals = one.intervals.get("scores", {})
    titles = one.result.headings(main_only=one.file.has_values) if intervals else {}
    return {title: comparison.Interval(**intervals[f"dst.{key}"]) for title, key in titles.items()}


def _reading(one: ScoredFile) -> str:
    """Return what was read, in a sentence."""
    file, result = one.file, one.result
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
    evidence = list(map(tracking_evidence, scored))
    keys = [f"dst.{key}" for key in scored[0].result.headings(main_only=True).values()]
    figures = {key: evidence[0].figures[key] for key in keys}
    intervals = list(map(comparison.intervals_of, evidence))
    comparison.plot_scores([one.name for one in scored], figures, intervals, path)
