"""State tracking: tracked dialogues in, one report of every metric out.

What each metric means is said by its module in `metrics/tracking/`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import StatisticsError, fmean
from statistics import correlation as pearson
from typing import Any

from ...errors import InputError
from . import Choices, compute_all, tracking_metrics
from .dialogue_states import DialogueStates, StatePair
from .fga import DEFAULT_LAMBDAS
from .gca import changes_of, count_changes
from .jga import first_lost, is_exact
from .pairing import TrackedDialogue
from .rsa import turn_relative_slot_accuracy
from .slot_accuracy import MULTIWOZ_SLOTS, wrong_slots
from .tracking_report import Losses, MistakePatterns, PositionScores, TrackingReport
from .variants import PLAIN, Variants, dialogue_states, turns_by_domain


def tail_orientation(mistakes: Sequence[int]) -> float | None:
    """Return TO, equations 7 and 8: how far after its middle a dialogue's mistakes lie.

    It is (E_t - (n - 1) / 2) / n, with E_t the mean turn (from 0) of a mistake and n the number of
    turns: between -1/2 (all at the start) and 1/2 (all at the end).

    Args:
        mistakes: The number of mistakes in each turn.

    Returns:
        TO, or None if there are no mistakes.
    """
    total, turns = sum(mistakes), len(mistakes)
    if not total:
        return None
    mean_turn = sum(turn * count for turn, count in enumerate(mistakes)) / total
    return (mean_turn - (turns - 1) / 2) / turns


def non_uniformity(mistakes: Sequence[int]) -> float | None:
    """Return NU, equations 9 and 10: how unevenly mistakes are spread over a dialogue's turns.

    It is the sum over turns of |m_t - E_m| / E_m, with m_t the mistakes of a turn and E_m their
    mean: 0 if spread evenly, 2 (n - 1) if all are in one of n turns.

    Args:
        mistakes: The number of mistakes in each turn.

    Returns:
        NU, or None if there are no mistakes.
    """
    if not any(mistakes):
        return None
    expected = fmean(mistakes)
    return sum(abs(count - expected) for count in mistakes) / expected


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None for fewer than two points or if one side is constant."""
    try:
        return pearson(first, second)
    except StatisticsError:
        return None


POSITIONS = 10
"""Into how many equal parts a dialogue is cut where accuracy is shown by position."""


def score_tracking(
    dialogues: Sequence[TrackedDialogue],
    lambdas: Sequence[float] = DEFAULT_LAMBDAS,
    slots: int = MULTIWOZ_SLOTS,
    variants: Variants = PLAIN,
) -> TrackingReport:
    """Score tracked dialogues with every metric.

    Args:
        dialogues: At least one dialogue, each of at least one turn.
        lambdas: The values of λ to report FGA with, each at least 0.
        slots: T, the number of slots the data set defines, for slot accuracy.
        variants: Which variant of joint accuracy is meant.

    Raises:
        InputError: `slots` is too small for the states, or it is not known which turns scores per
            domain are to average over.
        ValueError: There are no dialogues.
    """
    if not dialogues:
        raise ValueError("no dialogues to score")
    states = [dialogue_states(dialogue, variants) for dialogue in dialogues]
    _check_slots(dialogues, states, slots)
    choices = Choices(lambdas, slots)
    parts = compute_all(states, choices)
    per_domain = _per_domain(turns_by_domain(dialogues, states, variants), choices)
    return TrackingReport(
        dialogues=len(dialogues),
        turns=sum(len(dialogue.turns) for dialogue in states),
        slots=slots,
        **parts,
        per_domain=per_domain,
        per_domain_mean=_mean_over_domains(per_domain),
        positions=_positions(states),
        losses=_losses(states),
        mistakes=_mistake_patterns(states, choices, parts["metrics"]),
        variants=variants.parameters(),
    )


def _check_slots(
    dialogues: Sequence[TrackedDialogue], states: Sequence[DialogueStates], slots: int
) -> None:
    problems = [
        f"{slots} slots are fewer than the {wrong} that are wrong in dialogue {dialogue.id}, "
        f"turn {number}; give the number of slots that the data set defines"
        for dialogue, of_dialogue in zip(dialogues, states, strict=True)
        for number, pair in zip(of_dialogue.numbers, of_dialogue.turns, strict=True)
        if (wrong := wrong_slots(pair)) > slots
    ]
    if problems:
        raise InputError("slots", problems)


def _per_domain(
    by_domain: Mapping[str, Sequence[StatePair]], choices: Choices
) -> dict[str, dict[str, float]]:
    """Score each domain's part of the turns that count for it.

    That T stays that of the whole data set follows the code of SOM-DST, which table 2 of Kim et al.
    (2022) was made with.
    """
    metrics = [m.of_domain for m in tracking_metrics().values() if m.of_domain is not None]
    return {
        domain: {
            "turns": len(turns),
            **{key: value for score in metrics for key, value in score(turns, choices).items()},
        }
        for domain, turns in by_domain.items()
    }


def _mean_over_domains(per_domain: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the plain mean over domains of each figure, whatever the domains' turns."""
    keys = list(next(iter(per_domain.values()), {}))
    return {
        key: fmean(scores[key] for scores in per_domain.values()) for key in keys if key != "turns"
    }


def _positions(dialogues: Sequence[DialogueStates]) -> tuple[PositionScores, ...]:
    parts: list[list[StatePair]] = [[] for _ in range(POSITIONS)]
    lost = [0] * POSITIONS
    for dialogue in dialogues:
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


def _losses(dialogues: Sequence[DialogueStates]) -> Losses:
    lost = [
        (first, dialogue.turns)
        for dialogue in dialogues
        if (first := first_lost(dialogue.turns)) is not None and not is_exact(dialogue.turns[-1])
    ]
    return Losses(
        dialogues=len(lost),
        recovered=sum(any(map(is_exact, turns[first:])) for first, turns in lost),
        mean_position=_mean([first / len(turns) for first, turns in lost]),
    )


def _mistake_patterns(
    dialogues: Sequence[DialogueStates], choices: Choices, totals: Mapping[str, Any]
) -> MistakePatterns:
    mistaken = [dialogue for dialogue in dialogues if any(_mistakes_by_turn(dialogue))]
    measures = {
        "TO": _known(tail_orientation, mistaken),
        "NU": _known(non_uniformity, mistaken),
    }
    scores = _scores_of_each(mistaken, choices, totals)
    return MistakePatterns(
        dialogues=len(mistaken),
        tail_orientation=_mean(measures["TO"]),
        non_uniformity=_mean(measures["NU"]),
        correlations={
            measure: {name: correlation(values, column) for name, column in scores.items()}
            for measure, values in measures.items()
        },
    )


def _mistakes_by_turn(dialogue: DialogueStates) -> list[int]:
    """Return the number of mistakes in each turn: changes missed, wrong or overshot."""
    return [count_changes(changes).mistakes for changes in dialogue.derived(changes_of)]


def _scores_of_each(
    dialogues: Sequence[DialogueStates], choices: Choices, totals: Mapping[str, Any]
) -> dict[str, list[float]]:
    """Return each figure of the metrics that are correlated with where mistakes lie, per dialogue.

    Args:
        dialogues: The dialogues; there may be none.
        choices: What the metrics leave open.
        totals: The figures of all dialogues together, which say what figures there are.
    """
    metrics = [metric for metric in tracking_metrics().values() if metric.correlated]
    scores: dict[str, list[float]] = {
        name: [] for metric in metrics for name in _named(metric.own_keys, totals)
    }
    for dialogue in dialogues:
        for metric in metrics:
            figures = metric.compute([dialogue], choices)["metrics"]
            for name, figure in _named(metric.own_keys, figures).items():
                scores[name].append(figure)
    return scores


def _named(keys: Sequence[str], figures: Mapping[str, Any]) -> dict[str, float]:
    """Return figures by one name each: those of a map are called like "FGA 0.5"."""
    named: dict[str, float] = {}
    for key in keys:
        figure = figures[key]
        if isinstance(figure, Mapping):
            named |= {f"{key} {label}": value for label, value in figure.items()}
        else:
            named[key] = figure
    return named


def _known(
    measure: Callable[[Sequence[int]], float | None], mistaken: Sequence[DialogueStates]
) -> list[float]:
    """Measure dialogues that have mistakes, for which every measure is known."""
    values = [measure(_mistakes_by_turn(dialogue)) for dialogue in mistaken]
    return [math.nan if value is None else value for value in values]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
