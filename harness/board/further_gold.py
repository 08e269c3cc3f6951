"""What predicted states score against gold states of further versions, beside an entry's scores.

Which versions these are is declared with the data set (`data/sets/`). A `scores.json` holds the
figures under `further_gold`, if there are any: version -> choice of `--dontcare` -> figures, with
the hash of the gold states and the signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from ..benchmark import Benchmark
from ..errors import InputError
from ..io.validation import validated
from ..metrics.tracking import DONTCARE_CHOICES, Choices
from ..metrics.tracking.tracked_dialogues import GoldStates, TrackedDialogue, track_states
from ..submission import NormalizedSubmission
from ..tracking.tracking_figures import FIGURES, TrackingFigures, tracking_figures

FURTHER_GOLD = "further_gold"
"""The key of a `scores.json`."""

KEEP, DROP = DONTCARE_CHOICES

FurtherGold: TypeAlias = Mapping[str, Mapping[str, TrackingFigures]]
"""Version -> choice of `--dontcare` -> figures."""


def submission_against(
    submission: NormalizedSubmission, benchmark: Benchmark, golds: Sequence[GoldStates]
) -> FurtherGold:
    """Score a submission's predicted states; nothing if it has none.

    Args:
        submission: What the system put out, normalised by the default rule set.
        benchmark: The benchmark that it plays.
        golds: The gold states.
    """
    if not submission.predicts_states:
        return {}
    states = {id_: [turn.state or {} for turn in d] for id_, d in submission.dialogues.items()}
    return {
        gold.version: _figures(dialogues, benchmark, gold)
        for gold in golds
        if (dialogues := track_states(states, benchmark, gold))
    }


def tracker_against(
    read: object, source: str, benchmark: Benchmark, golds: Sequence[GoldStates]
) -> FurtherGold:
    """Score a tracker's file; nothing if its dialogues and turns are not the benchmark's.

    Args:
        read: What the file holds, whatever gold states it has itself.
        source: What messages call it.
        benchmark: The benchmark that the gold states are of.
        golds: The gold states.
    """
    from ..tracking.formats import parse_tracking_file

    def against(gold: GoldStates) -> dict[str, TrackingFigures]:
        file = parse_tracking_file(read, source, lambda ids: benchmark, gold)
        return _figures(file.dialogues, benchmark, gold)

    found = {}
    for gold in golds:
        with suppress(InputError):
            found[gold.version] = against(gold)
    return found


def _figures(
    dialogues: Sequence[TrackedDialogue], benchmark: Benchmark, gold: GoldStates
) -> dict[str, TrackingFigures]:
    """Return choice of `--dontcare` -> figures of dialogues tracked with these gold states."""
    return {
        choice: tracking_figures(dialogues, benchmark, gold, choices=Choices(dontcare=choice))
        for choice in DONTCARE_CHOICES
    }


def further_gold_data(further: FurtherGold) -> dict[str, Any]:
    """Return figures as JSON types."""
    return {
        version: {
            choice: {**vars(figures), "signature": figures.signature.to_dict()}
            for choice, figures in by_choice.items()
        }
        for version, by_choice in further.items()
    }


def read_further_gold(content: object, source: str) -> FurtherGold:
    """Return what `further_gold_data` wrote.

    Raises:
        InputError: It is not as the schema says, or contradicts itself; with every place.
    """
    read = validated(dict[str, dict[str, TrackingFigures]], content, source, FURTHER_GOLD)
    problems = [*_contradictions(read)]
    if problems:
        raise InputError(source, [f"{FURTHER_GOLD}.{problem}" for problem in problems])
    return read


def _contradictions(read: FurtherGold) -> Iterator[str]:
    for version, by_choice in read.items():
        if set(by_choice) != set(DONTCARE_CHOICES):
            yield f"{version}: expected {' and '.join(DONTCARE_CHOICES)}"
        for choice, figures in by_choice.items():
            place = f"{version}.{choice}"
            signature = figures.signature
            if (figures.gold_version, signature.parameters.get("dontcare")) != (version, choice):
                yield f"{place}: is of another version, or of another choice"
            if signature.gold != figures.gold:
                yield f"{place}.gold: is not that of the signature"
            if not 0 < figures.turns <= (figures.of_turns or 0):
                yield f"{place}: scores no turn, or more than there are"
            for name in FIGURES.values():
                if not 0 <= getattr(figures, name) <= 100 + 1e-9:
                    yield f"{place}.{name}: is no percentage"
