"""What is known of systems that are compared, worked out for each by itself, by anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..submission.remarks import Remark
from . import Options, Scorer
from .options import signature_before
from .predictions import Predictions, played_predictions

if TYPE_CHECKING:
    from ..comparison.evidence import Evidence


@dataclass(frozen=True)
class KnownSystem:
    """A system that is compared. Plain data, for other processes as well.

    Attributes:
        evidence: What is known of it.
        remarks: What there is to say of its predictions.
    """

    evidence: Evidence
    remarks: tuple[Remark, ...]


def known_system(
    scorer: Scorer,
    predictions: Predictions,
    source: str,
    name: str,
    options: Options,
    resampled: bool,
) -> KnownSystem:
    """Return what is known of a system.

    Args:
        scorer: A scorer of the benchmark, with any options.
        predictions: What it put out.
        source: What messages call it.
        name: What to call the system.
        options: How to score.
        resampled: As for `played_predictions`.

    Raises:
        InputError: The predictions are no submission, or lack what an option asks for.
    """
    from ..comparison.evidence import evidence_of  # NumPy takes its time

    found = played_predictions(scorer.with_options(**vars(options)), predictions, source, resampled)
    signature = found.scorer.signature_of(found.played)
    return KnownSystem(evidence_of(found.played, signature, name), found.remarks)


def with_common_metrics(systems: Sequence[Evidence], options: Sequence[Options]) -> list[Evidence]:
    """Return what is known of systems with regard to the metrics that all of them have.

    Args:
        systems: What is known of each, at least one.
        options: How each was scored; their metrics do not matter.
    """
    common = [
        metric for metric in systems[0].statistics if all(metric in s.statistics for s in systems)
    ]
    parameters = [
        signature_before("", "", "", replace(one, metrics=common)).parameters for one in options
    ]
    return [
        replace(one.only(common), signature=replace(one.signature, parameters=own))
        for one, own in zip(systems, parameters, strict=True)
    ]
