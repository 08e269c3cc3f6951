"""The few figures of state tracking that the board stores and shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..benchmark import Benchmark
from ..metrics.flags import gold_share
from ..metrics.tracking.choices import HEADLINE_LAMBDA, Choices, lambda_label
from ..metrics.tracking.evaluation import score_tracking
from ..metrics.tracking.files import tracking_signature
from ..metrics.tracking.states import GoldStates, TrackedDialogue
from ..signature import Signature

FIGURES: Mapping[str, str] = {
    "JGA": "jga",
    "Slot F1": "slot_f1",
    "RSA": "rsa",
    "FGA (λ = 0.5)": "fga",
    "GCA": "gca",
    "Fuzzy joint acc.": "fuzzy_joint_accuracy",
}
"""Title of a column -> the figure, an attribute of `TrackingFigures`."""

_KEYS: Mapping[str, str] = {
    "jga": "JGA",
    "slot_f1": "F1",
    "rsa": "RSA",
    "fga": f"FGA.{lambda_label(HEADLINE_LAMBDA)}",
    "gca": "GCA",
    "fuzzy_joint_accuracy": "fuzzy.joint_accuracy",
}

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
        gold_share: The share of turns that agree with gold on all slots that queries use, which is
            the sign `gold_states`.
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
    gold_share: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether all turns of the benchmark are scored; True for gold states of the file's own."""
        return self.of_turns is None or self.turns == self.of_turns

    @property
    def at_least(self) -> float:
        """Joint goal accuracy with turns that are not tracked counted as wrong."""
        return self.jga * self.turns / (self.of_turns or self.turns)


def tracking_figures(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None = None,
    gold: GoldStates | None = None,
    gold_version: str | None = None,
    choices: Choices = Choices(),
    gold_share: float | None = None,
) -> TrackingFigures:
    """Score tracked dialogues for a table of systems.

    Args:
        dialogues: At least one dialogue, with gold and predicted states.
        benchmark: The benchmark that the dialogues are of; None if their gold states are their
            file's own.
        gold: The gold states that took the place of the benchmark's, if any did.
        gold_version: What version of the annotation the benchmark's or the file's own gold states
            are, where that is known; that of `gold` is known.
        choices: Which variant of joint accuracy is meant; λ is 0.5.
        gold_share: As `gold_share_of` gives it, where that is known.

    Raises:
        InputError: More slots are wrong in a turn than MultiWOZ has.
        ValueError: There are no dialogues.
    """
    choices = replace(choices, lambdas=[HEADLINE_LAMBDA])
    signature = tracking_signature(dialogues, benchmark, choices, gold)
    assert signature.gold is not None
    return figures_of(
        score_tracking(dialogues, choices).figures,
        (len(dialogues), sum(len(dialogue.turns) for dialogue in dialogues)),
        gold_share_of(dialogues) if gold_share is None else gold_share,
        signature,
        signature.gold,
        gold_version if gold is None else gold.version,
        None if benchmark is None else (len(benchmark.dialogues), benchmark.turns),
    )


def gold_share_of(dialogues: Sequence[TrackedDialogue]) -> float:
    """Return the share of turns that agree with gold on all slots that queries use."""
    return gold_share(
        ([turn.predicted for turn in d.turns], [turn.gold for turn in d.turns]) for d in dialogues
    )


def figures_of(
    figures: Mapping[str, float],
    scored: tuple[int, int],
    gold_share: float,
    signature: Signature,
    gold: str,
    gold_version: str | None,
    whole: tuple[int, int] | None,
) -> TrackingFigures:
    """Return the figures for a table of systems.

    Args:
        figures: Those of all turns, as reports have them, with FGA at λ = 0.5.
        scored: The dialogues and turns scored.
        gold_share: As of `gold_share_of`.
        signature: What its figures depend on.
        gold: What tells the gold states apart from others: a hash.
        gold_version: What version of the annotation they are; None where nobody says.
        whole: The benchmark's dialogues and turns; None for gold states of the file's own.
    """
    return TrackingFigures(
        **{name: figures[key] for name, key in _KEYS.items()},
        gold_share=gold_share,
        dialogues=scored[0],
        turns=scored[1],
        of_dialogues=None if whole is None else whole[0],
        of_turns=None if whole is None else whole[1],
        gold=gold,
        gold_version=gold_version,
        signature=signature,
    )
