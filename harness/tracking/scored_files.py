"""Files of states, scored: their signatures and JSON, and one dialogue turn by turn.

What is shown of a dialogue, its states and what each metric gives a turn and why, is what the
sample tables of the papers on state-tracking metrics show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mwz.normalization.rules import DEFAULT_RULES, rule_set
from mwz.normalization.rules.registry import digest_of_json

from ..benchmark import Benchmark
from ..errors import InputError
from ..metrics.tracking import tracking_metrics
from ..metrics.tracking.choices import PLAIN, Choices
from ..metrics.tracking.dialogue_states import slot_name
from ..metrics.tracking.evaluation import score_tracking
from ..metrics.tracking.gca import change_scores
from ..metrics.tracking.tracked_dialogues import (
    GoldStates,
    TrackedDialogue,
    dialogue_states,
    gold_states_digest,
)
from ..metrics.tracking.tracking_result import TrackingResult
from ..signature import SHOWN_HASH, Signature
from ..submission.checking import dialogue_id
from .formats import TrackedFile

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
        dialogue: One dialogue turn by turn, as `view_turns`, if that was asked for.
        intervals: The intervals of its scores as JSON types, if they were asked for.
    """

    name: str
    file: TrackedFile
    result: TrackingResult
    signature: Signature
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
            **self.result.to_dict(),
            "per_slot": slot_rates(self.result),
        }
        if self.dialogue:
            document["dialogue"] = self.dialogue
        if self.intervals:
            document["intervals"] = self.intervals
        return document


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
    dialogue = None if wanted is None else _dialogue(file, wanted)
    try:
        result = score_tracking(file.dialogues, choices)
    except InputError as error:
        raise InputError(file.source, error.problems) from None
    signature = tracking_signature(file.dialogues, file.benchmark, choices, file.gold)
    turns = [] if dialogue is None else view_turns(dialogue, choices)
    return ScoredFile(name, file, result, signature, turns)


def _dialogue(file: TrackedFile, wanted: str) -> TrackedDialogue:
    """Return the dialogue of that id, or of that id in another spelling."""
    for dialogue in file.dialogues:
        if dialogue_id(dialogue.id) == dialogue_id(wanted):
            return dialogue
    if file.gold is not None and wanted in file.left_out:
        raise InputError(file.source, f"the gold states {file.gold.version} lack dialogue {wanted}")
    raise InputError(file.source, f"no dialogue {wanted}; it starts with {file.dialogues[0].id}")


def view_turns(dialogue: TrackedDialogue, choices: Choices = PLAIN) -> list[dict[str, Any]]:
    """Return each turn of a dialogue and what every metric gives it, as JSON types.

    A turn has its `number`, its states `gold` and `predicted` (`domain-slot` -> value), and
    `verdicts`, each with `metric`, `score` (from 0 to 1, or None) and `reason`.
    """
    states = dialogue_states(dialogue, choices)
    by_metric = [
        metric.verdicts(states, choices)
        for metric in tracking_metrics().values()
        if metric.verdicts is not None
    ]
    return [
        {
            "number": number,
            "gold": {slot_name(slot): value for slot, value in pair.gold.items()},
            "predicted": {slot_name(slot): value for slot, value in pair.predicted.items()},
            "verdicts": [asdict(verdict) for verdicts in of_turn for verdict in verdicts],
        }
        for number, pair, *of_turn in zip(states.numbers, states.pairs, *by_metric, strict=True)
    ]


def slot_rates(result: TrackingResult) -> dict[str, dict[str, float]]:
    """Return slot -> GCA's counts and, in percent, what it and its parts make of them."""
    weighing = result.variants.get("gca", PLAIN.gca)
    rates: dict[str, dict[str, float]] = {}
    for slot, counts in result.per_slot.items():
        scores = change_scores(**counts, weighing=weighing)
        rates[slot] = {**counts, "GCA": 100 * scores.pop("gca")}
        rates[slot] |= {name: 100 * score for name, score in scores.items()}
    return rates


def tracking_signature(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None,
    choices: Choices = PLAIN,
    gold: GoldStates | None = None,
) -> Signature:
    """Return the signature of scores of tracked dialogues.

    Args:
        dialogues: What was scored.
        benchmark: The benchmark that the dialogues are of; None if the file has gold states of its
            own.
        choices: What the metrics leave open, and which variant of joint accuracy is meant.
        gold: The gold states that took the place of the benchmark's, if any did.
    """
    parameters = {
        name: value
        for metric in tracking_metrics().values()
        for name, value in metric.parameters(choices).items()
    }
    over = _per_domain_over(dialogues, choices.per_domain)
    parameters |= {**choices.variants, "per-domain": over}
    if benchmark is None:
        states = {d.id: [[turn.number, turn.gold] for turn in d.turns] for d in dialogues}
        return Signature(gold=digest_of_json(states), parameters=parameters)
    rules = rule_set(DEFAULT_RULES)
    own = {id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()}
    return Signature(
        benchmark=benchmark.name,
        rules=rules.name,
        rules_digest=rules.digest,
        coverage=_coverage(dialogues, benchmark),
        gold=gold_states_digest(own) if gold is None else gold.digest,
        parameters=parameters,
    )


def _per_domain_over(dialogues: Sequence[TrackedDialogue], over: str) -> str:
    """Return which turns scores per domain average over, with a digest of what says so."""
    annotation: Mapping[str, object]
    if over == "active":
        annotation = {d.id: [turn.active_domains for turn in d.turns] for d in dialogues}
    elif over == "dialogues":
        annotation = {d.id: sorted(d.goal_domains or ()) for d in dialogues}
    else:
        return over
    return f"{over}-{digest_of_json(annotation)[:SHOWN_HASH]}"


def _coverage(dialogues: Sequence[TrackedDialogue], benchmark: Benchmark) -> str | None:
    """Return the turns scored of all and a digest of which; None if all are."""
    played = sorted((d.id, [turn.number for turn in d.turns]) for d in dialogues)
    turns = sum(len(numbers) for _, numbers in played)
    if turns == benchmark.turns:
        return None
    return f"{turns}/{benchmark.turns}-{digest_of_json(played)[:SHOWN_HASH]}"
