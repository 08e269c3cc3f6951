"""Files of states, scored: their reports as JSON and side by side, and one dialogue turn by turn.

What is shown of a dialogue, its states and what each metric gives a turn and why, is what the
sample tables of the papers on state-tracking metrics show.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..errors import InputError, counted
from ..io.rendering import figure, text_table
from ..metrics.tracking import PLAIN, Choices, Verdict, tracking_metrics
from ..metrics.tracking.dialogue_states import slot_name
from ..metrics.tracking.evaluation import score_tracking
from ..metrics.tracking.tracked_dialogues import TrackedDialogue, dialogue_states
from ..metrics.tracking.tracking_report import TrackingReport
from ..metrics.tracking.tracking_text import (
    breakdown_text,
    headlines_text,
    side_by_side_text,
    slot_rates,
)
from ..signature import Signature
from ..submission.checking import dialogue_id
from .formats import TrackedFile
from .tracking_figures import tracking_signature

LAYOUT = 1
"""Version of the layout of a file's report as JSON; `format` is that of the file."""


@dataclass(frozen=True)
class TurnView:
    """One turn.

    Attributes:
        number: The turn's number.
        gold: `domain-slot` -> gold value.
        predicted: `domain-slot` -> predicted value.
        verdicts: One for each metric.
    """

    number: int
    gold: Mapping[str, str]
    predicted: Mapping[str, str]
    verdicts: Sequence[Verdict]


@dataclass(frozen=True)
class ScoredFile:
    """A file of states, scored.

    Attributes:
        name: What it is called beside others.
        file: What was read.
        report: Its scores.
        signature: What they depend on.
        shown: The dialogue that is to be shown turn by turn, if any.
        turns: Its turns.
        intervals: The intervals of its scores as JSON types, if they were asked for.
    """

    name: str
    file: TrackedFile
    report: TrackingReport
    signature: Signature
    shown: TrackedDialogue | None
    turns: Sequence[TurnView] = ()
    intervals: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types, with what was read and what it depends on."""
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
            **self.report.to_dict(),
            "per_slot": slot_rates(self.report),
        }
        if self.shown is not None:
            document["dialogue"] = [asdict(turn) for turn in self.turns]
        if self.intervals:
            document["intervals"] = self.intervals
        return document

    @property
    def dialogue_text(self) -> str:
        """The dialogue turn by turn: states, and what each metric gives the turn and why."""
        assert self.shown is not None
        parts = [f"{self.file.source}, dialogue {self.shown.id}"]
        for turn in self.turns:
            parts += _turn_tables(turn)
        return "\n\n".join(parts)

    @property
    def reading(self) -> str:
        """What was read, in a sentence."""
        file, report = self.file, self.report
        benchmark = file.benchmark
        if benchmark is None:
            told = f"{counted(report.dialogues, 'dialogue')}, {counted(report.turns, 'turn')}"
            return f"{file.format}; compared with its own gold states, {told}"
        version = f" in version {file.gold.version}" if file.gold else ""
        left_out = f"; {len(file.left_out)} left out that it lacks" if file.left_out else ""
        return (
            f"{file.format}; compared with the gold states of {benchmark.name}{version}, "
            f"{report.dialogues} of {len(benchmark.dialogues)} dialogues, "
            f"{report.turns} of {benchmark.turns} turns{left_out}"
        )


def score_file(
    file: TrackedFile, name: str, choices: Choices = PLAIN, wanted: str | None = None
) -> ScoredFile:
    """Score a file of states.

    Args:
        file: What was read.
        name: What to call it.
        choices: What the metrics leave open, and which variant of joint accuracy is meant.
        wanted: The id of a dialogue to show turn by turn.

    Raises:
        InputError: The file lacks that dialogue, or as `score_tracking`.
    """
    shown = None if wanted is None else _dialogue(file, wanted)
    try:
        report = score_tracking(file.dialogues, choices)
    except InputError as error:
        raise InputError(file.source, error.problems) from None
    return ScoredFile(
        name=name,
        file=file,
        report=report,
        signature=tracking_signature(file.dialogues, file.benchmark, choices, file.gold),
        shown=shown,
        turns=[] if shown is None else view_turns(shown, choices),
    )


def _dialogue(file: TrackedFile, wanted: str) -> TrackedDialogue:
    """Return the dialogue of that id, or of that id in another spelling."""
    spellings: Sequence[Callable[[str], str]] = (str, dialogue_id)
    for spelled in spellings:
        for dialogue in file.dialogues:
            if spelled(dialogue.id) == spelled(wanted):
                return dialogue
    if file.gold is not None and wanted in file.left_out:
        raise InputError(file.source, f"the gold states {file.gold.version} lack dialogue {wanted}")
    raise InputError(file.source, f"no dialogue {wanted}; it starts with {file.dialogues[0].id}")


def view_turns(dialogue: TrackedDialogue, choices: Choices = PLAIN) -> list[TurnView]:
    """Explain what every metric gives each turn of a dialogue."""
    states = dialogue_states(dialogue, choices)
    by_metric = [
        metric.verdicts(states, choices)
        for metric in tracking_metrics().values()
        if metric.verdicts is not None
    ]
    return [
        TurnView(
            number,
            {slot_name(slot): value for slot, value in pair.gold.items()},
            {slot_name(slot): value for slot, value in pair.predicted.items()},
            [verdict for verdicts in of_turn for verdict in verdicts],
        )
        for number, pair, *of_turn in zip(states.numbers, states.pairs, *by_metric, strict=True)
    ]


def _turn_tables(turn: TurnView) -> list[str]:
    states = [
        (slot, gold, predicted, "" if gold == predicted else "differs")
        for slot in sorted({*turn.gold, *turn.predicted})
        for gold, predicted in [(turn.gold.get(slot, ""), turn.predicted.get(slot, ""))]
    ]
    verdicts = [
        (f"{one.metric}: {one.reason}", "" if one.score is None else figure(one.score, 4))
        for one in turn.verdicts
    ]
    table = text_table(["slot", "gold", "predicted", ""], states) if states else "empty states"
    return [f"turn {turn.number}", table, text_table(["metric", "score"], verdicts)]


def files_text(scored: Sequence[ScoredFile], everything: bool, breakdown: bool, width: int) -> str:
    """Return what a terminal shows of scored files: what was read, the tables, the signatures.

    Args:
        scored: The files.
        everything: Whether every figure is shown, not only the main ones.
        breakdown: Whether each domain and each slot is shown.
        width: The terminal's, in characters.
    """
    names, reports = [one.name for one in scored], [one.report for one in scored]
    show = side_by_side_text if everything else headlines_text
    # Files of which the same is to be said stand together.
    readings = "\n".join(
        textwrap.fill(f"{', '.join(read)}: {reading}", width, subsequent_indent="  ")
        for reading, read in _grouped((one.reading, one.name) for one in scored).items()
    )
    parts = [readings, show(names, reports, width)]
    if breakdown:
        parts += [f"{one.name}\n\n{breakdown_text(one.report)}" for one in scored]
    return "\n\n".join([*parts, _signatures(scored, width)])


def _signatures(scored: Sequence[ScoredFile], width: int) -> str:
    """Return the signatures, and whose they are where they differ."""
    by_signature = _grouped((str(one.signature), one.name) for one in scored)
    if len(by_signature) == 1:
        return next(iter(by_signature))
    lines = [f"{', '.join(names)}:\n{signature}" for signature, names in by_signature.items()]
    first = scored[0].signature
    apart = [first.comparable_with(one.signature).reasons[:1] for one in scored[1:]]
    reasons = dict.fromkeys(reason for reasons in apart for reason in reasons)
    if reasons:
        remark = f"these figures do not all compare; {'; '.join(reasons)}"
        lines = [textwrap.fill(remark, width), *lines]
    return "\n".join(lines)


def _grouped(pairs: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    """Return what is said -> the names of which it is, in the order of the first of each."""
    groups: dict[str, list[str]] = {}
    for said, name in pairs:
        groups.setdefault(said, []).append(name)
    return groups
