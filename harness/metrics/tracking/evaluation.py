"""State tracking: tracked dialogues in, the result of every metric out, or their statistics.

The module of each metric says what it means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import StatisticsError, correlation as pearson, fmean
from typing import Any, TypeAlias

from ...errors import refuse
from ...io import figure, text_table
from ..results import Figure, Statistics
from .choices import Choices
from .goal_accuracy import domain_decay, domain_score, is_exact
from .metric import metrics_of, tracking_metrics
from .slot_accuracy import (
    Change,
    change_scores,
    count_by_slot,
    count_changes,
    judge_changes,
    turn_relative_slot_accuracy,
    wrong_slots,
)
from .states import (
    DialogueStates,
    StatePair,
    TrackedDialogue,
    dialogue_states,
    slot_name,
    turns_by_domain,
)

Number: TypeAlias = int | float | None


def cell(value: Number) -> str:
    """Return a figure as tables show it: a percentage with two digits, a count as it is."""
    return str(value) if isinstance(value, int) else figure(value, 2)


@dataclass(frozen=True)
class TrackingResult:
    """What a tracker scores. Plain data; shares are in percent, unrounded.

    What follows `fuzzy`, but for the variants, is empty where it was not wanted.

    Attributes:
        dialogues: The number of dialogues.
        turns: The number of turns.
        slots: T of slot accuracy.
        metrics: JGA, joint recall, SA, AGA, IAGA, RSA, FGA (a map from λ), GCA, precision, recall,
            F1: what the modules of `metrics/tracking/` give.
        counts: GCA's four counts, and the exact and turn-level matches (M1, M2).
        changes: GCA's four part scores.
        fuzzy: Fuzzy joint accuracy, also with slots as they are written, with precision, recall
            and F1.
        per_domain: Domain -> turns, JGA, SA, RSA, F1 and FGA, over the turns that `variants` says,
            GCA of all changes of its slots, and the λ of FGA, `lambda`.
        per_slot: `domain-slot` -> GCA's four counts.
        positions: For each tenth of a dialogue (turn t of n lies at t / n) its `start`, the `turns`
            in it, their `jga` and `rsa` (None of no turns), and `first_lost`: of the dialogues that
            end with an inexact turn, those whose joint goal accuracy is lost there for the first
            time (figure 1 of Kim et al., 2022).
        losses: `dialogues` that end with an inexact turn, those of them that `recovered`, with an
            exact turn after the first inexact one, and the `mean_position` of that, from 0 to 1.
        mistakes: How mistakes lie in the `dialogues` that have any (section 5.2 of Aksu & Chen,
            2024): mean TO (`tail_orientation`) and NU (`non_uniformity`), and `correlations`:
            Pearson's, of "TO" and "NU" with GCA and with FGA by λ ("GCA", "FGA 0.5").
        per_domain_mean: JGA, SA, RSA, F1, FGA, GCA: the plain mean over domains.
        variants: Which variant of joint accuracy it is: `per-domain`, `dontcare`, `none`.
    """

    dialogues: int
    turns: int
    slots: int
    metrics: Mapping[str, float | Mapping[str, float]]
    counts: Mapping[str, int]
    changes: Mapping[str, float]
    fuzzy: Mapping[str, float]
    per_domain: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    per_slot: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    positions: tuple[Mapping[str, Number], ...] = ()
    losses: Mapping[str, Number] = field(default_factory=dict)
    mistakes: Mapping[str, Number | Mapping[str, Mapping[str, float | None]]] = field(
        default_factory=dict
    )
    per_domain_mean: Mapping[str, float] = field(default_factory=dict)
    variants: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if "GCA" in self.metrics and "joint_accuracy" not in self.fuzzy:
            raise ValueError("fuzzy lacks joint_accuracy")

    @property
    def figures(self) -> dict[str, float]:
        """Every share of all turns: key -> percent, `map.key` in maps: `FGA.0.5`, `fuzzy.F1`."""
        figures: dict[str, float] = {}
        for key, value in {**self.metrics, "changes": self.changes, "fuzzy": self.fuzzy}.items():
            if isinstance(value, Mapping):
                figures |= {f"{key}.{name}": share for name, share in value.items()}
            else:
                figures[key] = value
        return figures

    def titled(self, main_only: bool = False) -> dict[str, float]:
        """Return the figures as tables call them: heading -> percent.

        Args:
            main_only: Whether only those are wanted that compact tables and pictures show.
        """
        figures = self.figures
        return {title: figures[key] for title, key in self.headings(main_only).items()}

    def headings(self, main_only: bool = False) -> dict[str, str]:
        """Return what tables call the figures -> their keys; arguments as of `titled`."""
        headings = {}
        for metric in tracking_metrics().values():
            keys: Collection[str] = metric.keys_among(self.figures)
            for key in metric.headlines(keys) if main_only and keys else keys:
                headings[metric.heading(key)] = key
        return headings

    def slot_rates(self) -> dict[str, dict[str, float]]:
        """Return slot -> GCA's counts and, in percent, what it and its parts make of them."""
        weighing = self.variants.get("gca", Choices.gca)
        rates: dict[str, dict[str, float]] = {}
        for slot, counts in self.per_slot.items():
            scores = change_scores(**counts, weighing=weighing)
            rates[slot] = {**counts, "GCA": 100 * scores.pop("gca")}
            rates[slot] |= {name: 100 * score for name, score in scores.items()}
        return rates

    def text(self) -> str:
        """Return all figures as tables for a terminal."""
        mistakes: dict[str, Any] = {**self.mistakes}
        correlations = mistakes.pop("correlations")
        tables: dict[str, Mapping[str, Any]] = {
            "metric (%)": self.titled(),
            "count": {"dialogues": self.dialogues, "turns": self.turns, **self.counts},
            "dialogues that end inexact": self.losses,
            "dialogues with mistakes": mistakes,
            **{f"correlation with {measure}": by for measure, by in correlations.items()},
        }
        return "\n\n".join(
            text_table(
                [title, "state tracking"],
                [[name.replace("_", " "), cell(value)] for name, value in values.items()],
            )
            for title, values in tables.items()
        )


POSITIONS = 10
"""Into how many equal parts a dialogue is cut where accuracy is shown by position."""

Row: TypeAlias = Mapping[tuple[str, str], float]
"""(Metric, statistic) -> its number in a dialogue, or added up over dialogues."""


def score_tracking(
    dialogues: Sequence[TrackedDialogue], choices: Choices = Choices(), by_part: bool = True
) -> TrackingResult:
    """Score tracked dialogues with every metric.

    Args:
        dialogues: At least one dialogue, each of at least one turn.
        choices: What the metrics leave open, and which variant of joint accuracy is meant.
        by_part: Whether the scores of domains, slots and parts of dialogues are wanted.

    Raises:
        InputError: There are fewer slots than are wrong.
    """
    states = [dialogue_states(dialogue, choices) for dialogue in dialogues]
    _check_slots(dialogues, states, choices)
    rows = [_row(dialogue, choices) for dialogue in states]
    sums = {key: sum(row[key] for row in rows) for key in rows[0]}
    whole = TrackingResult(
        dialogues=len(dialogues),
        turns=sum(len(dialogue.turns) for dialogue in states),
        slots=choices.slots,
        **_by_map(_figures(sums, choices)),
        counts={
            name: int(sums[metric.name, name])
            for metric in metrics_of(choices).values()
            for name in metric.counts
        },
        variants=choices.variants,
    )
    if not by_part:
        return whole
    changes = [judge_changes(dialogue.changing) for dialogue in states]
    flat_changes = [change for by_turn in changes for turn in by_turn for change in turn]
    per_domain = _by_domain(dialogues, states, flat_changes, choices)
    return replace(
        whole,
        per_slot={slot_name(slot): counts for slot, counts in count_by_slot(flat_changes).items()},
        per_domain=per_domain,
        per_domain_mean={
            key: fmean(figures[key] for figures in per_domain.values())
            for key in next(iter(per_domain.values()), {})
            if key not in ("turns", "lambda")
        },
        **_lost_accuracy(states, choices),
        mistakes=_mistake_patterns([mistakes_by_turn(each) for each in changes], rows, choices),
    )


def tracking_statistics(
    dialogues: Sequence[TrackedDialogue], choices: Choices = Choices()
) -> Statistics:
    """Return the statistics of tracked dialogues, for intervals and tests: a row per dialogue.

    Figures are called as in reports, with `dst.` before: `dst.JGA`, `dst.FGA.0.5`.

    Args:
        dialogues: At least one dialogue.
        choices: As for `score_tracking`.
    """
    rows = [_row(dialogue_states(dialogue, choices), choices) for dialogue in dialogues]
    first = _figures(rows[0], choices)
    return Statistics.of_rows(
        figures=[
            Figure(f"dst.{key}", metric.heading(key), main=metric.main)
            for metric in metrics_of(choices).values()
            for key in metric.keys_among(first)
        ],
        rows=[list(row.values()) for row in rows],
        formula=partial(_formula, tuple(rows[0]), choices),
        of_samples=True,
    )


def _formula(
    columns: Sequence[tuple[str, str]], choices: Choices, sums: Sequence[float]
) -> dict[str, float]:
    """Return figure -> percent, of sums in the order of the columns."""
    figures = _figures(dict(zip(columns, sums, strict=True)), choices)
    return {f"dst.{key}": value for key, value in figures.items()}


def _row(dialogue: DialogueStates, choices: Choices) -> Row:
    """Return the statistics of a dialogue, of every metric."""
    return {
        (metric.name, statistic): number
        for metric in metrics_of(choices).values()
        for statistic, number in metric.statistics(dialogue, choices).items()
    }


def _figures(sums: Row, choices: Choices) -> dict[str, float]:
    """Return every figure of the sums of rows: key -> percent."""
    by_metric: dict[str, dict[str, float]] = {name: {} for name in metrics_of(choices)}
    for (name, statistic), number in sums.items():
        by_metric[name][statistic] = number
    return {
        key: value
        for name, of_metric in by_metric.items()
        for key, value in tracking_metrics()[name].percentages(of_metric, choices).items()
    }


def _by_map(figures: Mapping[str, float]) -> dict[str, Any]:
    """Return figures as results hold them: `metrics`, and maps that are parts of their own."""
    metrics: dict[str, Any] = {}
    for key, value in figures.items():
        group, _, name = key.partition(".")
        if name:
            metrics.setdefault(group, {})[name] = value
        else:
            metrics[key] = value
    parts = {part: metrics.pop(part, {}) for part in ("changes", "fuzzy")}
    return {"metrics": metrics, **parts}


def _by_domain(
    dialogues: Sequence[TrackedDialogue],
    states: Sequence[DialogueStates],
    changes: Sequence[Change],
    choices: Choices,
) -> dict[str, dict[str, float]]:
    """Return the scores of each domain of the gold states of which turns count.

    No system is asked for states of other domains.
    """
    domains = sorted({domain for d in states for pair in d.turns for domain, _ in pair.gold})
    parts: dict[str, list[tuple[DialogueStates, Sequence[int]]]] = {each: [] for each in domains}
    for dialogue, whole in zip(dialogues, states, strict=True):
        for domain, at in turns_by_domain(dialogue, whole, choices.per_domain).items():
            if domain in parts:
                alone = dialogue_states(dialogue, replace(choices, only=(domain,)))
                parts[domain].append((alone, at))
    return {
        domain: _of_domain(domain, of_domain, changes, choices)
        for domain, of_domain in parts.items()
        if of_domain
    }


def _of_domain(
    domain: str,
    parts: Sequence[tuple[DialogueStates, Sequence[int]]],
    changes: Iterable[Change],
    choices: Choices,
) -> dict[str, float]:
    """Score a domain: by turn those that count for it, by change all of its slots.

    That T stays that of the whole data set follows the code of SOM-DST, which table 2 of Kim et al.
    (2022) was made with.
    """
    turns = [states.turns[at] for states, positions in parts for at in positions]
    whole = DialogueStates(range(len(turns)), turns)
    by_turn = {
        key: value
        for metric in tracking_metrics().values()
        if metric.per_domain
        for key, value in metric.percentages(metric.statistics(whole, choices), choices).items()
        if key in metric.per_domain
    }
    decay = domain_decay(domain, choices)
    counts = count_changes(change for change in changes if change[0][0] == domain)
    return {
        "turns": len(turns),
        **by_turn,
        "FGA": 100 * domain_score(parts, decay, choices),
        "GCA": 100 * change_scores(**counts, weighing=choices.gca)["gca"],
        "lambda": decay,
    }


def _check_slots(
    dialogues: Sequence[TrackedDialogue], states: Sequence[DialogueStates], choices: Choices
) -> None:
    problems = [
        f"{choices.slots} slots are fewer than the {wrong} that are wrong in dialogue "
        f"{dialogue.id}, turn {number}; give the number of slots that the data set defines by "
        "--variant slots=NUMBER"
        for dialogue, of_dialogue in zip(dialogues, states, strict=True)
        for number, pair in zip(of_dialogue.numbers, of_dialogue.turns, strict=True)
        if (wrong := wrong_slots(pair, choices.dashes)) > choices.slots
    ]
    refuse("slots", problems)


def _lost_accuracy(states: Sequence[DialogueStates], choices: Choices) -> dict[str, Any]:
    """Return scores by position in the dialogue, and where joint goal accuracy is lost."""
    parts: list[list[StatePair]] = [[] for _ in range(POSITIONS)]
    lost = []
    for turns in (dialogue.turns for dialogue in states):
        for at, turn in enumerate(turns):
            parts[at * POSITIONS // len(turns)].append(turn)
        exact = [*map(is_exact, turns)]
        if not exact[-1]:
            lost.append((exact.index(False), exact))
    lost_in = Counter(first * POSITIONS // len(exact) for first, exact in lost)
    return {
        "positions": tuple(
            {
                "start": part / POSITIONS,
                "turns": len(turns),
                "jga": _percent(is_exact, turns),
                "rsa": _percent(
                    lambda turn: turn_relative_slot_accuracy(turn, choices.dashes), turns
                ),
                "first_lost": lost_in[part],
            }
            for part, turns in enumerate(parts)
        ),
        "losses": {
            "dialogues": len(lost),
            "recovered": sum(any(exact[first:]) for first, exact in lost),
            "mean_position": _mean([first / len(exact) for first, exact in lost]),
        },
    }


def mistakes_by_turn(changes: Iterable[Iterable[Change]]) -> list[int]:
    """Return how many changes of each turn are missed, wrong or overshot."""
    return [sum(outcome != "correct" for _, outcome in of_turn) for of_turn in changes]


def tail_orientation(mistakes: Sequence[int]) -> float:
    """Return TO, equations 7 and 8: how far after its middle a dialogue's mistakes lie.

    It is (E_t - (n - 1) / 2) / n, with E_t the mean turn (from 0) of a mistake and n the number of
    turns: between -1/2 (all at the start) and 1/2 (all at the end).

    Args:
        mistakes: The number of mistakes in each turn; there is at least one.
    """
    turns = len(mistakes)
    mean_turn = sum(turn * count for turn, count in enumerate(mistakes)) / sum(mistakes)
    return (mean_turn - (turns - 1) / 2) / turns


def non_uniformity(mistakes: Sequence[int]) -> float:
    """Return NU, equations 9 and 10: how unevenly mistakes are spread over a dialogue's turns.

    It is the sum over turns of |m_t - E_m| / E_m, with m_t the mistakes of a turn and E_m their
    mean: 0 if spread evenly, 2 (n - 1) if all are in one of n turns.

    Args:
        mistakes: The number of mistakes in each turn; there is at least one.
    """
    expected = fmean(mistakes)
    return sum(abs(count - expected) for count in mistakes) / expected


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None for fewer than two points or if one side is constant."""
    try:
        return pearson(first, second)
    except StatisticsError:
        return None


def _mistake_patterns(
    mistakes: Sequence[Sequence[int]], rows: Sequence[Row], choices: Choices
) -> dict[str, Any]:
    mistaken = [at for at, by_turn in enumerate(mistakes) if any(by_turn)]
    measures = {
        "TO": [tail_orientation(mistakes[at]) for at in mistaken],
        "NU": [non_uniformity(mistakes[at]) for at in mistaken],
    }
    figures = [_figures(rows[at], choices) for at in mistaken]
    correlated = {name for name, metric in tracking_metrics().items() if metric.correlated}
    # The keys are those of any dialogue.
    scores = {
        key.replace(".", " ", 1): [of_dialogue[key] for of_dialogue in figures]
        for key in _figures(rows[0], choices)
        if key.partition(".")[0] in correlated
    }
    return {
        "dialogues": len(mistaken),
        "tail_orientation": _mean(measures["TO"]),
        "non_uniformity": _mean(measures["NU"]),
        "correlations": {
            measure: {name: correlation(values, column) for name, column in scores.items()}
            for measure, values in measures.items()
        },
    }


def _percent(score: Callable[[StatePair], float], turns: Sequence[StatePair]) -> float | None:
    return 100 * fmean(map(score, turns)) if turns else None


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
