"""State tracking under resampling: per dialogue, what every metric of `mwz dst` is computed from.

Figures are called as they stand in reports: `dst.JGA`, `dst.FGA.0.5`, `dst.fuzzy.F1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from ..statistics import Figure, LinearStatistics, joined, split
from .aga import turn_average_goal_accuracy, turn_improved_average_goal_accuracy
from .fga import DEFAULT_LAMBDAS, error_distances, lambda_label, turn_score
from .fuzzy_joint import is_fuzzily_exact, matching_slots
from .gca import OUTCOMES, ChangeCounts, count_changes, judge_changes
from .jga import is_exact
from .joint_recall import is_covered
from .pairing import TrackedDialogue
from .rsa import turn_relative_slot_accuracy
from .slot_accuracy import MULTIWOZ_SLOTS, turn_slot_accuracy
from .slot_f1 import PrecisionRecall
from .variants import PLAIN, dialogue_states

# The columns that are counts; two of each mean of turns' scores follow.
_COUNTS = (
    *("turns", "exact", "covered", "with_gold", "with_prediction"),
    *("correct_slots", "predicted_slots", "gold_slots", "fuzzy_exact", "fuzzy_slots"),
    *OUTCOMES,
)
_MEANS = ("SA", "AGA", "IAGA", "RSA")


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
    names = formula([0.0] * (len(_COUNTS) + 2 * (len(_MEANS) + len(lambdas))))
    return LinearStatistics.of_rows(
        figures=[Figure(name, _title(name), main=name == "dst.JGA") for name in names],
        rows=rows,
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
    parts = [[*map(split, scores)] for scores in means]
    sums = [sum(part[at] for part in of_mean) for of_mean in parts for at in (0, 1)]
    return [*(counts[name] for name in _COUNTS), *sums]


@dataclass(frozen=True)
class _Formula:
    """Makes every figure of sums; what is divided by nothing follows the metrics' conventions."""

    lambdas: tuple[str, ...]

    def __call__(self, sums: Sequence[float]) -> dict[str, float]:
        """Return figure -> value, in percent."""
        n = dict(zip(_COUNTS, map(int, sums), strict=False))
        means = {
            name: joined(*sums[len(_COUNTS) + 2 * at :][:2])
            for at, name in enumerate((*_MEANS, *self.lambdas))
        }
        turns, unseen = n["turns"], float(n["with_prediction"] == 0)
        changes = ChangeCounts(**{outcome: n[outcome] for outcome in OUTCOMES})
        slots, fuzzy = (
            PrecisionRecall(n[found], n["predicted_slots"], n["gold_slots"])
            for found in ("correct_slots", "fuzzy_slots")
        )
        shares = {
            "JGA": _share(n["exact"], turns),
            "joint recall": _share(n["covered"], turns),
            "SA": _share(means["SA"], turns),
            "AGA": _share(means["AGA"], n["with_gold"], unseen),
            "IAGA": _share(means["IAGA"], n["with_gold"], unseen),
            "RSA": _share(means["RSA"], turns),
            **{f"FGA.{decay}": _share(means[decay], turns) for decay in self.lambdas},
            "GCA": changes.gca,
            "changes.value_precision": changes.value_precision,
            "changes.value_recall": changes.value_recall,
            "changes.label_precision": changes.label_precision,
            "changes.label_recall": changes.label_recall,
            "precision": slots.precision,
            "recall": slots.recall,
            "F1": slots.f1,
            "fuzzy.joint_accuracy": _share(n["fuzzy_exact"], turns),
            "fuzzy.precision": fuzzy.precision,
            "fuzzy.recall": fuzzy.recall,
            "fuzzy.F1": fuzzy.f1,
        }
        return {f"dst.{name}": 100 * share for name, share in shares.items()}


def _share(part: float, whole: float, of_nothing: float = 0.0) -> float:
    return part / whole if whole else of_nothing
