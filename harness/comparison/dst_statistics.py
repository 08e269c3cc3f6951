"""State tracking under resampling: per dialogue, what every metric of `mwz dst` is computed from.

Figures are called as they stand in reports: `dst.JGA`, `dst.FGA.0.5`, `dst.fuzzy.F1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..metrics.tracking.aga import turn_average_goal_accuracy, turn_improved_average_goal_accuracy
from ..metrics.tracking.fga import DEFAULT_LAMBDAS, error_distances, lambda_label, turn_score
from ..metrics.tracking.fuzzy_joint import is_fuzzily_exact, matching_slots
from ..metrics.tracking.gca import OUTCOMES, VALUE_WEIGHT, count_changes, judge_changes
from ..metrics.tracking.jga import is_exact
from ..metrics.tracking.joint_recall import is_covered
from ..metrics.tracking.rsa import turn_relative_slot_accuracy
from ..metrics.tracking.slot_accuracy import MULTIWOZ_SLOTS, turn_slot_accuracy
from ..playing import STATE_SOURCES, Played
from ..tracking.dialogues import TrackedDialogue
from ..tracking.pairing import track_states
from ..tracking.variants import PLAIN, dialogue_states
from .exact_sums import joined, split
from .statistics import Figure, Floats, LinearStatistics, Statistics, Values, python_sums, share

# The columns that are counts; two of each mean of turns' scores follow.
_COUNTS = (
    *("turns", "exact", "covered", "with_gold", "with_prediction"),
    *("correct_slots", "predicted_slots", "gold_slots", "fuzzy_exact", "fuzzy_slots"),
    *OUTCOMES,
)
_MEANS = ("SA", "AGA", "IAGA", "RSA")


def statistics(played: Played, others: Mapping[str, Statistics]) -> LinearStatistics:
    """Return the statistics of predicted states, whatever states query the database."""
    states = {
        id_: STATE_SOURCES["predicted"](turns, played.benchmark.dialogues[id_])
        for id_, turns in played.submission.dialogues.items()
    }
    return tracking_statistics(track_states(states, played.benchmark))


def tracking_statistics(
    dialogues: Sequence[TrackedDialogue],
    lambdas: Sequence[float] = DEFAULT_LAMBDAS,
    slots: int = MULTIWOZ_SLOTS,
) -> LinearStatistics:
    """Return the statistics of tracked dialogues, a row per dialogue.

    Args:
        dialogues: The dialogues.
        lambdas: The values of λ of FGA.
        slots: T of slot accuracy.
    """
    formula = _Formula(tuple(map(lambda_label, lambdas)))
    rows = [_row(dialogue, lambdas, slots) for dialogue in dialogues]
    names = formula(np.zeros((1, len(_COUNTS) + 2 * (len(_MEANS) + len(lambdas)))))
    return LinearStatistics(
        figures=[Figure(name, _title(name), main=name == "dst.JGA") for name in names],
        rows=np.array(rows, np.float64),
        formula=formula,
    )


def _title(name: str) -> str:
    """Return what tables call a figure: `FGA λ=0.5`, `fuzzy F1`, `GCA value precision`."""
    group, _, rest = name.removeprefix("dst.").partition(".")
    if not rest:
        return group
    prefix = {"FGA": "FGA λ=", "changes": "GCA "}.get(group, f"{group} ")
    return prefix + rest.replace("_", " ")


def _row(dialogue: TrackedDialogue, lambdas: Sequence[float], slots: int) -> list[float]:
    states = dialogue_states(dialogue, PLAIN)
    changes = count_changes(chain.from_iterable(judge_changes(states.pairs)))
    turns = states.turns
    distances = error_distances(turns, states.numbers)
    agreements = [turn.agreement for turn in turns]
    counts: dict[str, int] = {
        "turns": len(turns),
        "exact": sum(map(is_exact, turns)),
        "covered": sum(map(is_covered, turns)),
        "with_gold": sum(bool(turn.gold) for turn in turns),
        "with_prediction": sum(bool(turn.predicted) for turn in turns),
        "correct_slots": sum(agreement.correct for agreement in agreements),
        "predicted_slots": sum(agreement.predicted for agreement in agreements),
        "gold_slots": sum(agreement.gold for agreement in agreements),
        "fuzzy_exact": sum(map(is_fuzzily_exact, turns)),
        "fuzzy_slots": sum(map(matching_slots, turns)),
        **{outcome: getattr(changes, outcome) for outcome in OUTCOMES},
    }
    means = [
        [turn_slot_accuracy(turn, slots) for turn in turns],
        [turn_average_goal_accuracy(turn) or 0.0 for turn in turns],
        [turn_improved_average_goal_accuracy(turn) or 0.0 for turn in turns],
        [turn_relative_slot_accuracy(turn) for turn in turns],
        *([turn_score(distance, decay) for distance in distances] for decay in lambdas),
    ]
    sums = [split(scores).reshape(-1, 2).sum(axis=0) for scores in means]
    return [*(float(counts[name]) for name in _COUNTS), *map(float, np.concatenate(sums))]


@dataclass(frozen=True)
class _Formula:
    """Makes every figure of sums; what is divided by nothing follows the metrics' conventions."""

    lambdas: tuple[str, ...]

    def __call__(self, sums: Floats) -> Values:
        n = {name: sums[:, at] for at, name in enumerate(_COUNTS)}
        means = {
            name: joined(sums[:, len(_COUNTS) + 2 * at :][:, :2])
            for at, name in enumerate((*_MEANS, *self.lambdas))
        }
        unseen = (n["with_prediction"] == 0).astype(np.float64)
        shares = {
            "JGA": share(n["exact"], n["turns"]),
            "joint recall": share(n["covered"], n["turns"]),
            "SA": share(means["SA"], n["turns"]),
            "AGA": share(means["AGA"], n["with_gold"], unseen),
            "IAGA": share(means["IAGA"], n["with_gold"], unseen),
            "RSA": share(means["RSA"], n["turns"]),
            **{f"FGA.{decay}": share(means[decay], n["turns"]) for decay in self.lambdas},
            **_changes(n),
            **_precision_recall("", n["correct_slots"], n),
            "fuzzy.joint_accuracy": share(n["fuzzy_exact"], n["turns"]),
            **_precision_recall("fuzzy.", n["fuzzy_slots"], n),
        }
        return {f"dst.{name}": 100 * values for name, values in shares.items()}


def _precision_recall(prefix: str, found: Floats, n: Values) -> Values:
    predicted, gold = n["predicted_slots"], n["gold_slots"]
    nothing = ((predicted == 0) & (gold == 0)).astype(np.float64)
    return {
        f"{prefix}precision": share(found, predicted, nothing),
        f"{prefix}recall": share(found, gold, nothing),
        f"{prefix}F1": share(found, (predicted + gold) / 2, nothing),
    }


def _changes(n: Values) -> Values:
    """Return GCA and its four part scores, as `ChangeCounts` computes them of one system."""
    correct, wrong = n["correct"], n["wrong"]
    predictions = correct + wrong + n["overshot"]
    golds = correct + wrong + n["missed"]
    nothing = (predictions + n["missed"] == 0).astype(np.float64)
    parts = {
        "value_precision": share(correct, predictions, nothing),
        "value_recall": share(correct, golds, nothing),
        "label_precision": share(correct + wrong, predictions, nothing),
        "label_recall": share(correct + wrong, golds, nothing),
    }
    weights = [
        VALUE_WEIGHT * predictions,
        VALUE_WEIGHT * golds,
        (1 - VALUE_WEIGHT) * predictions,
        (1 - VALUE_WEIGHT) * golds,
    ]
    inverse = [share(weight, part) for weight, part in zip(weights, parts.values(), strict=True)]
    gca = share(python_sums(weights), python_sums(inverse))
    gca = np.where(correct == 0, nothing, gca)
    return {"GCA": gca, **{f"changes.{name}": values for name, values in parts.items()}}
