"""What is known of a system: its signature, and per-dialogue statistics of what it plays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..metrics import response_metrics
from ..metrics.played import Played
from ..metrics.statistics import Figure, Statistics, everything
from ..metrics.tracking import PLAIN, Choices
from ..metrics.tracking.evaluation import tracking_statistics
from ..metrics.tracking.tracked_dialogues import TrackedDialogue
from ..signature import Signature

if TYPE_CHECKING:
    from ..metrics.statistics import Block, Bools, Ints, Values

_T = TypeVar("_T")


_OF_BLEU = ("bleu", "combined")
"""What the names of figures that BLEU is a part of begin with."""


@dataclass(frozen=True)
class Evidence:
    """What is known of a system, dialogue by dialogue. Plain data, for other processes as well.

    Attributes:
        name: What the system is called.
        signature: The signature of its scores.
        dialogues: The ids of the dialogues it plays.
        statistics: Metric -> statistics of these dialogues, in this order.
    """

    name: str
    signature: Signature
    dialogues: tuple[str, ...]
    statistics: Mapping[str, Statistics]

    @property
    def figures(self) -> dict[str, Figure]:
        """Name -> figure, of all that can be computed."""
        return {one.name: one for known in self.statistics.values() for one in known.figures}

    def part(self, dialogues: Collection[str]) -> Evidence:
        """Return what is known of some of the dialogues, in the order given."""
        if tuple(dialogues) == self.dialogues:
            return self
        places = {id_: place for place, id_ in enumerate(self.dialogues)}
        rows = np.array([places[id_] for id_ in dialogues], np.int64)
        return replace(
            self,
            dialogues=tuple(dialogues),
            statistics={name: one.part(rows) for name, one in self.statistics.items()},
        )

    def without_bleu(self) -> Evidence:
        """Return what is known but BLEU and the combined score, of which BLEU is a part."""
        kept = {
            metric: [one for one in known.figures if not one.name.startswith(_OF_BLEU)]
            for metric, known in self.statistics.items()
        }
        statistics = {
            metric: replace(known, figures=kept[metric])
            for metric, known in self.statistics.items()
            if kept[metric]
        }
        return replace(self, statistics=statistics)

    def scores(self) -> dict[str, float]:
        """Return figure -> value, of all dialogues: what the report says."""
        return {**self._scores}

    @cached_property
    def _scores(self) -> Mapping[str, float]:
        values = self.weighted(everything(len(self.dialogues)))
        return {name: float(value[0]) for name, value in values.items()}

    def weighted(self, counts: Block) -> Values:
        """Return figure -> values, in samples that count each dialogue so many times."""
        return _merged(one.weighted(counts) for one in self.statistics.values())

    def swapped(self, other: Evidence, swaps: Block) -> tuple[Values, Values]:
        """Return figure -> values of this and of another system after they swapped dialogues.

        Args:
            other: The other system, with the same dialogues and metrics.
            swaps: Which dialogues they swap.
        """
        both = [
            one.swapped(other.statistics[metric], swaps) for metric, one in self.statistics.items()
        ]
        return _merged(values for values, _ in both), _merged(values for _, values in both)

    def won(self) -> dict[str, Bools]:
        """Return figure -> whether each dialogue is won, of the figures that are rates of them."""
        return _merged(one.won() for one in self.statistics.values())


def _merged(parts: Iterable[Mapping[str, _T]]) -> dict[str, _T]:
    """Return what is known of the figures of several metrics as one mapping."""
    return {name: value for part in parts for name, value in part.items()}


@dataclass(frozen=True)
class _MeanStatistics(Statistics):
    """Statistics of several outputs of one system: a figure is the mean of theirs.

    Attributes:
        figures: What can be computed of each.
        outputs: Those of each output, of the same dialogues in the same order.
    """

    figures: Sequence[Figure]
    outputs: Sequence[Statistics]

    def part(self, rows: Ints) -> _MeanStatistics:
        """Return the statistics of some dialogues."""
        return replace(self, outputs=[one.part(rows) for one in self.outputs])

    def weighted(self, counts: Block) -> Values:
        """Return every figure in the samples."""
        return _mean([one.weighted(counts) for one in self.outputs])

    def swapped(self, other: _MeanStatistics, swaps: Block) -> tuple[Values, Values]:
        """Return every figure of both systems after each two of their outputs swapped."""
        both = [one.swapped(its, swaps) for one in self.outputs for its in other.outputs]
        ours, theirs = zip(*both, strict=True)
        return _mean(ours), _mean(theirs)


def _mean(parts: Sequence[Values]) -> Values:
    return {name: np.mean([one[name] for one in parts], axis=0) for name in parts[0]}


def mean_of(name: str, outputs: Sequence[Evidence]) -> Evidence:
    """Return what is known of a system by several outputs, such as those of training seeds.

    Its figures are the means of theirs, on the dialogues that all of them play.

    Args:
        name: What to call the system.
        outputs: What is known of each output, at least one, with the same metrics.
    """
    first = outputs[0]
    played = set.intersection(*(set(one.dialogues) for one in outputs))
    common = [id_ for id_ in first.dialogues if id_ in played]
    parts = [one.part(common) for one in outputs]
    return replace(
        first,
        name=name,
        dialogues=tuple(common),
        statistics={
            metric: _MeanStatistics(known.figures, [one.statistics[metric] for one in parts])
            for metric, known in first.statistics.items()
        },
    )


def evidence_of(played: Played, signature: Signature, name: str) -> Evidence:
    """Return what is known of a system by what was played.

    Metrics that cannot be resampled are left out.

    Args:
        played: What was played, at least one dialogue.
        signature: The signature of its scores.
        name: What to call the system.
    """
    metrics = [response_metrics()[metric] for metric in played.metrics]
    known = Evidence(
        name=name,
        signature=signature,
        dialogues=tuple(played.submission.dialogues),
        statistics={
            metric.name: played.once(metric.statistics)
            for metric in sorted(metrics, key=lambda metric: (metric.rank, metric.name))
            if metric.statistics is not None
        },
    )
    # What chance draws must not hang on the order of dialogues in a file.
    return known.part([id_ for id_ in played.benchmark.dialogues if id_ in played.responses])


def tracking_evidence(
    name: str,
    signature: Signature,
    dialogues: Sequence[TrackedDialogue],
    choices: Choices = PLAIN,
) -> Evidence:
    """Return what is known of a tracker, by tracked dialogues of any source.

    Args:
        name: What to call it.
        signature: The signature of its scores.
        dialogues: At least one dialogue.
        choices: What the metrics leave open.
    """
    ids = tuple(dialogue.id for dialogue in dialogues)
    return Evidence(name, signature, ids, {"dst": tracking_statistics(dialogues, choices)})
