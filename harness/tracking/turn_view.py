"""One dialogue, turn by turn: its states, what each metric gives the turn, and why.

This is what the sample tables of the papers on state-tracking metrics show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..io.rendering import figure, text_table
from ..metrics.tracking import Choices, Verdict, tracking_metrics
from ..metrics.tracking.dialogue_states import slot_name
from ..metrics.tracking.fga import DEFAULT_LAMBDAS
from ..metrics.tracking.pairing import TrackedDialogue
from ..metrics.tracking.slot_accuracy import MULTIWOZ_SLOTS
from ..metrics.tracking.variants import PLAIN, Variants, dialogue_states


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

    def to_dict(self) -> dict[str, Any]:
        """Return the view as JSON types."""
        return asdict(self)


def view_turns(
    dialogue: TrackedDialogue,
    lambdas: Sequence[float] = DEFAULT_LAMBDAS,
    slots: int = MULTIWOZ_SLOTS,
    variants: Variants = PLAIN,
) -> list[TurnView]:
    """Explain what every metric gives each turn of a dialogue.

    Args:
        dialogue: The dialogue.
        lambdas: The values of λ to show FGA with.
        slots: T of slot accuracy, at least the number of wrong slots in any turn.
        variants: Which variant of joint accuracy is meant.
    """
    states = dialogue_states(dialogue, variants)
    choices = Choices(lambdas, slots)
    told = [
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
        for number, pair, *of_turn in zip(states.numbers, states.pairs, *told, strict=True)
    ]


def dialogue_text(view: Sequence[TurnView]) -> str:
    """Return a dialogue turn by turn: states, and what each metric gives the turn and why."""
    return "\n\n".join(part for turn in view for part in _turn_parts(turn))


def _turn_parts(turn: TurnView) -> Sequence[str]:
    states = [
        (slot, gold, predicted, "" if gold == predicted else "differs")
        for slot in sorted({*turn.gold, *turn.predicted})
        for gold, predicted in [(turn.gold.get(slot, ""), turn.predicted.get(slot, ""))]
    ]
    verdicts = [
        (f"{verdict.metric}: {verdict.reason}", "" if verdict.score is None else verdict.score)
        for verdict in turn.verdicts
    ]
    rows = [(why, score if isinstance(score, str) else figure(score, 4)) for why, score in verdicts]
    table = text_table(["slot", "gold", "predicted", ""], states) if states else "empty states"
    return [f"turn {turn.number}", table, text_table(["metric", "score"], rows)]
