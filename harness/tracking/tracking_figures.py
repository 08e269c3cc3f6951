"""The few figures of state tracking that tables of systems show, and what they were made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..benchmark import Benchmark
from ..metrics.tracking import Choices
from ..metrics.tracking.evaluation import score_tracking
from ..metrics.tracking.fga import HEADLINE_LAMBDA, lambda_label
from ..metrics.tracking.gold import GoldStates
from ..metrics.tracking.pairing import TrackedDialogue
from ..metrics.tracking.slot_accuracy import MULTIWOZ_SLOTS
from ..metrics.tracking.tracking_report import TrackingReport
from ..metrics.tracking.variants import PLAIN, Variants
from ..signature import Signature
from .tracking_signature import tracking_signature

FIGURES: Mapping[str, str] = {
    "JGA": "jga",
    "Slot F1": "slot_f1",
    "RSA": "rsa",
    "FGA (λ = 0.5)": "fga",
    "GCA": "gca",
    "Fuzzy joint acc.": "fuzzy_joint_accuracy",
}
"""Title of a column -> the figure, an attribute of `TrackingFigures`."""

COUNTS = ("dialogues", "turns", "of_dialogues", "of_turns")
"""What figures are of, attributes of `TrackingFigures`."""


@dataclass(frozen=True)
class TrackingFigures:
    """A tracker's figures, in percent and unrounded. Rows with different `gold` do not compare.

    Attributes:
        jga: Joint goal accuracy.
        slot_f1: F1 of the slots' values.
        rsa: Relative slot accuracy.
        fga: Flexible goal accuracy with λ = 0.5.
        gca: Granular change accuracy.
        fuzzy_joint_accuracy: Joint accuracy where values may differ in their spelling; no JGA.
        dialogues: Dialogues scored.
        turns: Turns scored.
        of_dialogues: The benchmark's dialogues; None for gold states of the file's own.
        of_turns: The benchmark's turns; None for gold states of the file's own.
        gold: SHA-256 of the gold states, in hexadecimal.
        gold_version: What version of the annotation they are; None where nobody says.
        signature: All that the figures depend on.
    """

    jga: float
    slot_f1: float
    rsa: float
    fga: float
    gca: float
    fuzzy_joint_accuracy: float
    dialogues: int
    turns: int
    of_dialogues: int | None
    of_turns: int | None
    gold: str
    gold_version: str | None
    signature: Signature

    @property
    def complete(self) -> bool:
        """Whether all turns of the benchmark are scored; True for gold states of the file's own."""
        return self.of_turns is None or self.turns == self.of_turns


def tracking_figures(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None = None,
    gold: GoldStates | None = None,
    gold_version: str | None = None,
    variants: Variants = PLAIN,
) -> TrackingFigures:
    """Score tracked dialogues for a table of systems.

    Args:
        dialogues: At least one dialogue, with gold and predicted states.
        benchmark: The benchmark that the dialogues are of; None if their gold states are their
            file's own.
        gold: The gold states that took the place of the benchmark's, if any did.
        gold_version: What version of the annotation the benchmark's or the file's own gold states
            are, where that is known; that of `gold` is known.
        variants: Which variant of joint accuracy is meant.

    Raises:
        InputError: More slots are wrong in a turn than MultiWOZ has.
        ValueError: There are no dialogues.
    """
    report = score_tracking(dialogues, [HEADLINE_LAMBDA], variants=variants)
    choices = Choices([HEADLINE_LAMBDA], MULTIWOZ_SLOTS)
    signature = tracking_signature(dialogues, benchmark, choices, variants, gold)
    assert signature.gold is not None
    return figures_of(
        report,
        signature,
        signature.gold,
        gold_version if gold is None else gold.version,
        None if benchmark is None else (len(benchmark.dialogues), benchmark.turns),
    )


def figures_of(
    report: TrackingReport,
    signature: Signature,
    gold: str,
    gold_version: str | None,
    whole: tuple[int, int] | None,
) -> TrackingFigures:
    """Return the figures for a table of systems of a report with FGA at λ = 0.5.

    Args:
        report: The report.
        signature: What its figures depend on.
        gold: What tells the gold states apart from others: a hash.
        gold_version: What version of the annotation they are; None where nobody says.
        whole: The benchmark's dialogues and turns; None for gold states of the file's own.
    """
    return TrackingFigures(
        jga=_figure(report, "JGA"),
        slot_f1=_figure(report, "F1"),
        rsa=_figure(report, "RSA"),
        fga=_figure(report, "FGA"),
        gca=_figure(report, "GCA"),
        fuzzy_joint_accuracy=report.fuzzy["joint_accuracy"],
        dialogues=report.dialogues,
        turns=report.turns,
        of_dialogues=None if whole is None else whole[0],
        of_turns=None if whole is None else whole[1],
        gold=gold,
        gold_version=gold_version,
        signature=signature,
    )


def _figure(report: TrackingReport, key: str) -> float:
    value = report.metrics[key]
    return value[lambda_label(HEADLINE_LAMBDA)] if isinstance(value, Mapping) else value
