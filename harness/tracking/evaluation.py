"""State tracking: tracked dialogues in, one report of every metric out.

What each metric means is said by its module in `metrics/tracking/`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from statistics import fmean

from ..errors import InputError
from ..metrics.tracking.aga import average_goal_accuracy, improved_average_goal_accuracy
from ..metrics.tracking.dialogue_states import (
    StatePair,
    flat_state,
    of_domain,
    slot_name,
    without_absent,
)
from ..metrics.tracking.fga import (
    DEFAULT_LAMBDAS,
    error_distances,
    flexible_goal_accuracy,
    turn_matches,
    turn_score,
)
from ..metrics.tracking.fuzzy_joint import fuzzy_joint_accuracy, fuzzy_slot_f1
from ..metrics.tracking.gca import ChangeCounts, count_by_slot, count_changes, judge_changes
from ..metrics.tracking.jga import first_lost, is_exact, joint_goal_accuracy
from ..metrics.tracking.mistakes import correlation, non_uniformity, tail_orientation
from ..metrics.tracking.rsa import relative_slot_accuracy, turn_relative_slot_accuracy
from ..metrics.tracking.slot_accuracy import MULTIWOZ_SLOTS, slot_accuracy, wrong_slots
from ..metrics.tracking.slot_f1 import PrecisionRecall, slot_f1
from .dialogues import TrackedDialogue
from .tracking_report import Losses, MistakePatterns, PositionScores, TrackingReport

POSITIONS = 10
"""Into how many equal parts a dialogue is cut where accuracy is shown by position."""


@dataclass(frozen=True)
class _Scored:
    """A dialogue with what several metrics share."""

    turns: Sequence[StatePair]
    distances: Sequence[float]
    mistakes: Sequence[int]
    changes: ChangeCounts


def score_tracking(
    dialogues: Sequence[TrackedDialogue],
    lambdas: Sequence[float] = DEFAULT_LAMBDAS,
    slots: int = MULTIWOZ_SLOTS,
) -> TrackingReport:
    """Score tracked dialogues with every metric.

    Args:
        dialogues: At least one dialogue, each of at least one turn.
        lambdas: The values of λ to report FGA with, each at least 0.
        slots: T, the number of slots the data set defines, for slot accuracy.

    Raises:
        InputError: `slots` is too small for the states.
        ValueError: There are no dialogues.
    """
    if not dialogues:
        raise ValueError("no dialogues to score")
    states = [state_pairs(dialogue) for dialogue in dialogues]
    judged = [judge_changes(pairs) for pairs in states]
    scored = [
        _Scored(
            turns := [without_absent(pair) for pair in pairs],
            error_distances(turns, [turn.number for turn in dialogue.turns]),
            [count_changes(turn).mistakes for turn in changes],
            count_changes(chain.from_iterable(changes)),
        )
        for dialogue, pairs, changes in zip(dialogues, states, judged, strict=True)
    ]
    _check_slots(dialogues, scored, slots)
    all_turns = [turn for dialogue in scored for turn in dialogue.turns]
    all_changes = [change for turns in judged for changes in turns for change in changes]
    distances = [distance for dialogue in scored for distance in dialogue.distances]
    counts = count_changes(all_changes)
    found = slot_f1(all_turns)
    return TrackingReport(
        dialogues=len(dialogues),
        turns=len(all_turns),
        slots=slots,
        metrics={
            "JGA": 100 * joint_goal_accuracy(all_turns),
            "SA": 100 * slot_accuracy(all_turns, slots),
            "AGA": 100 * average_goal_accuracy(all_turns),
            "IAGA": 100 * improved_average_goal_accuracy(all_turns),
            "RSA": 100 * relative_slot_accuracy(all_turns),
            "FGA": {
                lambda_label(decay): 100 * flexible_goal_accuracy(distances, decay)
                for decay in lambdas
            },
            "GCA": 100 * counts.gca,
            **_precision_recall(found),
        },
        counts={
            **_outcomes(counts),
            "exact_turns": sum(map(is_exact, all_turns)),
            "turn_matches": turn_matches(distances),
        },
        changes={
            "value_precision": 100 * counts.value_precision,
            "value_recall": 100 * counts.value_recall,
            "label_precision": 100 * counts.label_precision,
            "label_recall": 100 * counts.label_recall,
        },
        fuzzy={
            "joint_accuracy": 100 * fuzzy_joint_accuracy(all_turns),
            **_precision_recall(fuzzy_slot_f1(all_turns)),
        },
        per_domain=_per_domain(all_turns, slots),
        per_slot={
            slot_name(slot): _outcomes(by_slot)
            for slot, by_slot in count_by_slot(all_changes).items()
        },
        positions=_positions(scored),
        losses=_losses(scored),
        mistakes=_mistake_patterns(scored, lambdas),
    )


def state_pairs(dialogue: TrackedDialogue) -> list[StatePair]:
    """Return a dialogue's states as the metrics take them, slots with the value `none` included."""
    return [StatePair(flat_state(turn.gold), flat_state(turn.predicted)) for turn in dialogue.turns]


def lambda_label(decay: float) -> str:
    """Return how reports write a λ: `0.25`, `1`."""
    return f"{decay:g}"


def _check_slots(
    dialogues: Sequence[TrackedDialogue], scored: Sequence[_Scored], slots: int
) -> None:
    problems = [
        f"{slots} slots are fewer than the {wrong} that are wrong in dialogue {dialogue.id}, "
        f"turn {turn.number}; give the number of slots that the data set defines"
        for dialogue, states in zip(dialogues, scored, strict=True)
        for turn, pair in zip(dialogue.turns, states.turns, strict=True)
        if (wrong := wrong_slots(pair)) > slots
    ]
    if problems:
        raise InputError("slots", problems)


def _precision_recall(found: PrecisionRecall) -> dict[str, float]:
    return {
        "precision": 100 * found.precision,
        "recall": 100 * found.recall,
        "F1": 100 * found.f1,
    }


def _outcomes(counts: ChangeCounts) -> dict[str, int]:
    return asdict(counts)


def _per_domain(turns: Sequence[StatePair], slots: int) -> dict[str, dict[str, float]]:
    """Score each domain's part of the turns whose gold state has the domain.

    Which turns count, and that T stays that of the whole data set, follow the code of SOM-DST,
    which table 2 of Kim et al. (2022) was made with.
    """
    by_domain: dict[str, list[StatePair]] = {}
    for turn in turns:
        for domain in {domain for domain, _ in turn.gold}:
            by_domain.setdefault(domain, []).append(of_domain(turn, domain))
    return {
        domain: {
            "turns": len(parts),
            "JGA": 100 * joint_goal_accuracy(parts),
            "SA": 100 * slot_accuracy(parts, slots),
            "RSA": 100 * relative_slot_accuracy(parts),
            "F1": 100 * slot_f1(parts).f1,
        }
        for domain, parts in sorted(by_domain.items())
    }


def _positions(scored: Sequence[_Scored]) -> tuple[PositionScores, ...]:
    parts: list[list[StatePair]] = [[] for _ in range(POSITIONS)]
    lost = [0] * POSITIONS
    for dialogue in scored:
        turns = dialogue.turns
        for at, turn in enumerate(turns):
            parts[_part(at, turns)].append(turn)
        first = first_lost(turns)
        if first is not None and not is_exact(turns[-1]):
            lost[_part(first, turns)] += 1
    return tuple(
        PositionScores(
            start=part / POSITIONS,
            turns=len(turns),
            jga=_percent(is_exact, turns),
            rsa=_percent(turn_relative_slot_accuracy, turns),
            first_lost=first,
        )
        for part, (turns, first) in enumerate(zip(parts, lost, strict=True))
    )


def _part(at: int, turns: Sequence[StatePair]) -> int:
    return at * POSITIONS // len(turns)


def _percent(score: Callable[[StatePair], float], turns: Sequence[StatePair]) -> float | None:
    return 100 * fmean(map(score, turns)) if turns else None


def _losses(scored: Sequence[_Scored]) -> Losses:
    lost = [
        (first, dialogue.turns)
        for dialogue in scored
        if (first := first_lost(dialogue.turns)) is not None and not is_exact(dialogue.turns[-1])
    ]
    return Losses(
        dialogues=len(lost),
        recovered=sum(any(map(is_exact, turns[first:])) for first, turns in lost),
        mean_position=_mean([first / len(turns) for first, turns in lost]),
    )


def _mistake_patterns(scored: Sequence[_Scored], lambdas: Sequence[float]) -> MistakePatterns:
    mistaken = [dialogue for dialogue in scored if any(dialogue.mistakes)]
    measures = {
        "TO": _known(tail_orientation, mistaken),
        "NU": _known(non_uniformity, mistaken),
    }
    scores = {
        **{
            f"FGA {lambda_label(decay)}": [
                fmean(turn_score(distance, decay) for distance in dialogue.distances)
                for dialogue in mistaken
            ]
            for decay in lambdas
        },
        "GCA": [dialogue.changes.gca for dialogue in mistaken],
    }
    return MistakePatterns(
        dialogues=len(mistaken),
        tail_orientation=_mean(measures["TO"]),
        non_uniformity=_mean(measures["NU"]),
        correlations={
            measure: {name: correlation(values, column) for name, column in scores.items()}
            for measure, values in measures.items()
        },
    )


def _known(
    measure: Callable[[Sequence[int]], float | None], mistaken: Sequence[_Scored]
) -> list[float]:
    """Measure dialogues that have mistakes, for which every measure is known."""
    values = [measure(dialogue.mistakes) for dialogue in mistaken]
    return [math.nan if value is None else value for value in values]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
