"""What a rewriting does to the scores, and what the user is told of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewritings import BLEU, INFORM, JGA, SUCCESS, Outputs, Turn, kinds, normal_state

from mwz.harness import Benchmark
from mwz.harness.benchmark import CANONICAL_STYLE
from mwz.harness.errors import InputError, Remark
from mwz.harness.metrics import Choices, parse_tracking_file, score_tracking
from mwz.harness.scoring import Options, Scorer
from mwz.harness.scoring.jobs import played_predictions
from mwz.harness.submission import parse_predictions, read_standard

NOTICEABLE = 0.5
"""By how many points a figure may change unsaid."""

SILENT = 0.02
"""The share of the kinds that may change a score of published predictions in silence."""

SYSTEMS = ("mars", "ubar", "pptod")
"""The systems whose published predictions are rewritten."""

_PLACEHOLDERS = re.compile(r"\b[A-Z]{2,}\b")
_WORDS = {"POST": "postcode", "TRAINID": "id", "PLACE": "destination", "COUNT": "choice"}


@dataclass(frozen=True)
class Reading:
    """What a command says of a file.

    Attributes:
        figures: Figure -> its value; none where the file is refused.
        error: Why it is refused; empty where it is not.
        warnings: The remarks that warn.
        notes: The remarks that only inform.
    """

    figures: Mapping[str, float]
    error: str = ""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, figures: Mapping[str, float], remarks: Iterable[Remark]) -> Reading:
        """Return what is said of a file that is read."""
        every = [*remarks]
        warnings = tuple(remark.line for remark in every if remark.warning)
        notes = tuple(remark.line for remark in every if not remark.warning)
        return cls(figures, "", warnings, notes)

    def news(self, original: Reading) -> tuple[str, ...]:
        """Return the refusal, or the warnings that the original does not get with other numbers."""
        if self.error:
            return (self.error,)
        known = {*map(_without_numbers, original.warnings)}
        return tuple(text for text in self.warnings if _without_numbers(text) not in known)


def _without_numbers(text: str) -> str:
    # What is said of coverage differs in nothing else, and says how much there is.
    return text if text.startswith("submits") else re.sub(r"\d+", "", text)


def encoded(content: object) -> bytes:
    """Return a file of what a rewriting returns."""
    return content if isinstance(content, bytes) else json.dumps(content).encode()


def scored(content: bytes, scorer: Scorer) -> Reading:
    """Return what `mwz score` says of a file, with the figures among the scorer's metrics."""
    try:
        standard = read_standard(content, "predictions")
        chosen, played, remarks = played_predictions(scorer, standard, "predictions")
    except InputError as error:
        return Reading({}, str(error))
    report = chosen.report(played)
    strict = report.setup("strict")
    figures = {INFORM: strict.inform["total"], SUCCESS: strict.success["total"]}
    if "bleu" in report.metrics:
        figures[BLEU] = report.bleu[CANONICAL_STYLE]
    return Reading.of(figures, remarks)


def tracked(content: bytes, benchmark: Benchmark) -> Reading:
    """Return what `mwz dst` says of a file, with JGA."""
    try:
        states = parse_predictions(content, "predictions")
        file = parse_tracking_file(states, "predictions", lambda: benchmark)
        result = score_tracking(file.dialogues, Choices(metrics=(JGA.upper(),)), by_part=False)
    except InputError as error:
        return Reading({}, str(error))
    return Reading.of({JGA: result.metrics[JGA.upper()]}, file.remarks)


def gold_outputs(benchmark: Benchmark) -> dict[str, list[Turn]]:
    """Return gold in the standard form; the responses have placeholders in square brackets."""
    outputs = {}
    for id_, dialogue in benchmark.dialogues.items():
        texts = [_PLACEHOLDERS.sub(_bracketed, t) for t in dialogue.references[CANONICAL_STYLE]]
        turns: list[Turn] = []
        for text, state, domains in zip(
            texts, map(normal_state, dialogue.states), dialogue.active_domains, strict=True
        ):
            active = [domain for domain in domains if domain != "general"]
            turns.append({"response": text, "state": state, "active_domains": active})
        outputs[id_] = turns
    return outputs


def _bracketed(match: re.Match[str]) -> str:
    return f"[value_{_WORDS.get(match[0], match[0].lower())}]"


@dataclass(frozen=True)
class Effect:
    """What a rewriting does.

    Attributes:
        changes: Figure -> by how much it changes, in points; of a file that is read.
        messages: What is said of it that is not said of the original: refusals and warnings.
        notes: What else is said.
        silent: The figures that change noticeably, and nobody is told by the command for them.
    """

    changes: Mapping[str, float]
    messages: tuple[str, ...]
    notes: tuple[str, ...]
    silent: tuple[str, ...]


class Rescorer:
    """Scores rewritings beside their original.

    Args:
        benchmark: What is scored on.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._readings: dict[tuple[bytes, frozenset[str]], tuple[Reading, ...]] = {}

    def effect(self, original: Outputs, content: object, figures: Collection[str]) -> Effect:
        """Return what a rewriting of predictions does to some figures."""
        before = self.readings(original, figures)
        changes: dict[str, float] = {}
        messages: list[str] = []
        notes: list[str] = []
        silent: list[str] = []
        after = self._read(encoded(content), frozenset(figures))
        for first, second in zip(before, after, strict=True):
            moved = {name: value - first.figures[name] for name, value in second.figures.items()}
            news = second.news(first)
            if not news:
                silent += [name for name, points in moved.items() if abs(points) > NOTICEABLE]
            changes |= moved
            messages += news
            notes += [text for text in second.notes if text not in first.notes]
        return Effect(changes, tuple(messages), tuple(notes), tuple(silent))

    def effect_of(self, name: str, predictions: Outputs, gold: Outputs) -> Effect:
        """Return what a kind of rewriting does to the figures that it can change."""
        family, kind = kinds()[name]
        original = family.original(predictions, gold)
        return self.effect(original, kind.rewrite(original, gold), family.figures)

    def readings(self, original: Outputs, figures: Collection[str]) -> tuple[Reading, ...]:
        """Return what the commands that have the figures say of predictions; they are kept."""
        key = encoded(original), frozenset(figures)
        if key not in self._readings:
            self._readings[key] = self._read(*key)
        return self._readings[key]

    def _read(self, content: bytes, wanted: frozenset[str]) -> tuple[Reading, ...]:
        """Return what the commands say that have the figures."""
        readings = []
        if wanted & {INFORM, SUCCESS, BLEU}:
            metrics = ["inform", *[name for name in ("bleu",) if BLEU in wanted]]
            options: Any = {"setup": "strict", "metrics": metrics}
            readings.append(scored(content, Scorer(self._benchmark, Options(**options))))
        if JGA in wanted:
            readings.append(tracked(content, self._benchmark))
        return tuple(readings)


def part(predictions: Mapping[str, Any], dialogues: int) -> dict[str, Any]:
    """Return so many dialogues, from all over the list of ids."""
    ids = sorted(predictions)
    chosen = [ids[number * len(ids) // dialogues] for number in range(dialogues)]
    return {id_: predictions[id_] for id_ in chosen}


def silent_kinds(
    names: Iterable[str], predictions: Outputs, benchmark: Benchmark
) -> dict[str, Mapping[str, float]]:
    """Return the kinds that change a score in silence -> by how much each figure changes."""
    rescorer, gold = Rescorer(benchmark), gold_outputs(benchmark)
    silent = {}
    for name in names:
        effect = rescorer.effect_of(name, predictions, gold)
        if effect.silent:
            silent[name] = effect.changes
    return silent


def silent_kinds_of_systems(
    systems: Sequence[str],
    dialogues: int,
    benchmark: Benchmark,
    predictions: Callable[[str], Mapping[str, Any]],
) -> dict[str, Mapping[str, float]]:
    """Return the kinds that change a score of published predictions in silence.

    Args:
        systems: The systems that the kinds rewrite by turns, one system a kind.
        dialogues: How many dialogues of a system are rewritten.
        benchmark: MultiWOZ.
        predictions: Reads the predictions of a system.
    """
    silent: dict[str, Mapping[str, float]] = {}
    for place, system in enumerate(systems):
        names = [*kinds()][place :: len(systems)]
        silent |= silent_kinds(names, part(predictions(system), dialogues), benchmark)
    return silent
