"""What is known of systems that are compared, worked out for each by itself, by anybody."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..metrics import resampled_metrics
from ..submission import parse_submission
from . import Options, Scorer, allowed_metrics
from .options import signature_before

if TYPE_CHECKING:
    from ..comparison.evidence import Evidence


def systems_evidence(
    scorer: Scorer,
    content: bytes | str,
    source: str,
    name: str,
    options: Options,
    metrics: Collection[str] | None,
) -> Evidence:
    """Return what is known of a system.

    Args:
        scorer: A scorer of the benchmark, with any options.
        content: An (unpacked) predictions file, or the name of a submission that is made.
        source: What messages call it.
        name: What to call the system.
        options: How to score; their metrics do not matter.
        metrics: What to compare by; None for all that can be computed of the system.

    Raises:
        InputError: The content is no submission, or lacks what an option asks for.
    """
    from ..submission.formats import parse_predictions

    chosen = scorer.with_options(**vars(options))
    if isinstance(content, str):
        submission = chosen.made(content)
    else:
        read = parse_predictions(content, source)
        submission = chosen.normalized(
            parse_submission(read, scorer.benchmark, source, chosen.rules)
        )
    if metrics is None:
        allowed = allowed_metrics(submission)
        metrics = [one for one in resampled_metrics() if one in allowed]
    return chosen.with_options(metrics=list(metrics)).evidence_of(submission, name)


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
