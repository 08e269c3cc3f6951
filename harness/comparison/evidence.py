"""What is known of a system: its signature, and per-dialogue statistics of what it plays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..metrics import response_metrics
from ..metrics.played import Played
from ..metrics.statistics import Figure, Statistics
from ..metrics.tracking.choices import PLAIN, Choices
from ..metrics.tracking.evaluation import tracking_statistics
from ..metrics.tracking.tracked_dialogues import TrackedDialogue
from ..signature import Signature

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..metrics.statistics import Bools, Floats, Values

_OF_BLEU = ("bleu", "combined")
"""What the names of figures that BLEU is a part of begin with."""


@dataclass(frozen=True)
class Evidence:
    """What is known of a system, dialogue by dialogue. Plain data, for other processes as well.

    Attributes:
        name: What the system is called.
        signature: The signature of its scores.
        dialogues: The ids of the dialogues it plays.
        statistics: Metric -> statistics of these dialogues, in this order: one, or of a system with
            several training seeds one for each. A figure is the mean of theirs.
    """

    name: str
    signature: Signature
    dialogues: tuple[str, ...]
    statistics: Mapping[str, Sequence[Statistics]]

    @property
    def figures(self) -> dict[str, Figure]:
        """Name -> figure, of all that can be computed."""
        return {one.name: one for outputs in self.statistics.values() for one in outputs[0].figures}

    def part(self, dialogues: Collection[str]) -> Evidence:
        """Return what is known of some of the dialogues, in the order given."""
        if tuple(dialogues) == self.dialogues:
            return self
        places = {id_: place for place, id_ in enumerate(self.dialogues)}
        rows = np.array([places[id_] for id_ in dialogues], np.int64)
        statistics = {
            name: [one.part(rows) for one in outputs] for name, outputs in self.statistics.items()
        }
        return replace(self, dialogues=tuple(dialogues), statistics=statistics)

    def without_bleu(self) -> Evidence:
        """Return what is known but BLEU and the combined score, of which BLEU is a part."""
        statistics = {
            metric: [
                replace(one, figures=[f for f in one.figures if not f.name.startswith(_OF_BLEU)])
                for one in outputs
            ]
            for metric, outputs in self.statistics.items()
        }
        kept = {metric: outputs for metric, outputs in statistics.items() if outputs[0].figures}
        return replace(self, statistics=kept)

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """Figure -> value, of all dialogues: what the report says."""
        return self._mean(lambda one: one.scores())

    def weighted(self, counts: npt.NDArray[Any]) -> Values:
        """Return figure -> values, in samples that count each dialogue so many times."""
        return self._mean(lambda one: one.weighted(counts))

    def swapped(self, other: Evidence, swaps: npt.NDArray[Any]) -> tuple[Values, Values]:
        """Return figure -> values of this and of another system after they swapped dialogues.

        Of systems with seeds each two outputs swap.

        Args:
            other: The other system, with the same dialogues and metrics.
            swaps: Sample x dialogue -> whether they swap it.
        """
        ours: dict[str, Floats] = {}
        theirs: dict[str, Floats] = {}
        for metric, outputs in self.statistics.items():
            both = [one.swapped(its, swaps) for one in outputs for its in other.statistics[metric]]
            ours |= _mean([values for values, _ in both])
            theirs |= _mean([values for _, values in both])
        return ours, theirs

    def won(self) -> dict[str, Bools]:
        """Return figure -> whether each dialogue is won, of figures that are rates of dialogues.

        Of a system with seeds no dialogue is won or lost.
        """
        alone = [outputs[0] for outputs in self.statistics.values() if len(outputs) == 1]
        return {name: values for one in alone for name, values in one.won().items()}

    def _mean(self, values: Callable[[Statistics], Mapping[str, Any]]) -> dict[str, Any]:
        return {
            name: value
            for outputs in self.statistics.values()
            for name, value in _mean([values(one) for one in outputs]).items()
        }


def _mean(outputs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return figure -> mean over outputs."""
    if len(outputs) == 1:
        return {**outputs[0]}
    return {name: np.mean([one[name] for one in outputs], axis=0) for name in outputs[0]}


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
    statistics = {
        metric: [one for part in parts for one in part.statistics[metric]]
        for metric in first.statistics
    }
    return Evidence(name, first.signature, tuple(common), statistics)


def evidence_of(played: Played, signature: Signature, name: str) -> Evidence:
    """Return what is known of a system by what was played.

    Metrics that cannot be resampled are left out.

    Args:
        played: What was played, at least one dialogue.
        signature: The signature of its scores.
        name: What to call the system.
    """
    metrics = sorted(
        (response_metrics()[name] for name in played.metrics),
        key=lambda metric: (metric.rank, metric.name),
    )
    # What chance draws must not hang on the order of dialogues in a file.
    by_id = {one.id: one for one in played.results}
    results = [by_id[id_] for id_ in played.benchmark.dialogues if id_ in by_id]
    return Evidence(
        name=name,
        signature=signature,
        dialogues=tuple(one.id for one in results),
        statistics={
            metric.name: [metric.statistics(results)]
            for metric in metrics
            if metric.statistics is not None
        },
    )


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
    return Evidence(name, signature, ids, {"dst": [tracking_statistics(dialogues, choices)]})
