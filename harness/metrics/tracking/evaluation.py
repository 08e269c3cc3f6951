"""State tracking: tracked dialogues in, the result of every metric out, or their statistics.

The module of each metric says what it means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import StatisticsError, correlation as pearson, fmean
from typing import Any, TypeAlias

from ...errors import refuse
from ...io import figure, text_table
from ..metric import Figure, Figures, Metric, Presentation, Row, Rows, Sums, sum_rows
from .choices import Choices
from .goal_accuracy import domain_decay, domain_score, is_exact
from .metric import TrackedStates, TrackingMetric, heading
from .registry import (
    CORRELATED,
    COUNTS,
    MAIN,
    PER_DOMAIN,
    compact_keys,
    tracking_metrics,
)
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
                for name, percentage in value.items():
                    figures[f"{key}.{name}"] = percentage
            else:
                figures[key] = value
        return figures

    def titled(self, main_only: bool = False) -> dict[str, float]:
        """Return the figures as tables call them: heading -> percent.

        Args:
            main_only: Whether only those are wanted that compact tables and pictures show.
        """
        figures = self.figures
        return {title: figures[key] for title, key in figure_headings(self, main_only).items()}


def figure_headings(result: TrackingResult, main_only: bool = False) -> dict[str, str]:
    """Return what tables call the figures -> their keys.

    Args:
        result: What a tracker scores.
        main_only: Whether only those are wanted that compact tables and pictures show.
    """
    figures = result.figures
    headings = {}
    for metric in tracking_metrics().values():
        # The keys of its figures have these first parts, with any λ.
        groups = {shown.name.partition(".")[0] for shown in metric.presentation.all_figures()}
        keys = [key for key in figures if key.partition(".")[0] in groups]
        for key in compact_keys(metric, keys) if main_only else keys:
            headings[heading(key)] = key
    return headings


def slot_rates(result: TrackingResult) -> dict[str, dict[str, float]]:
    """Return slot -> GCA's counts and, in percent, what it and its parts make of them."""
    weighing = result.variants.get("gca", Choices.gca)
    rates: dict[str, dict[str, float]] = {}
    for slot, counts in result.per_slot.items():
        scores = change_scores(**counts, weighing=weighing)
        rates[slot] = {**counts, "GCA": 100 * scores.pop("gca")}
        rates[slot] |= {name: 100 * score for name, score in scores.items()}
    return rates


def tracking_text(result: TrackingResult) -> str:
    """Return all figures as tables for a terminal."""
    mistakes: dict[str, Any] = dict(result.mistakes)
    correlations = mistakes.pop("correlations")
    tables: dict[str, Mapping[str, Any]] = {
        "metric (%)": result.titled(),
        "count": {"dialogues": result.dialogues, "turns": result.turns, **result.counts},
        "dialogues that end inexact": result.losses,
        "dialogues with mistakes": mistakes,
    }
    for measure, correlated in correlations.items():
        tables[f"correlation with {measure}"] = correlated
    texts = []
    for title, values in tables.items():
        rows = [[name.replace("_", " "), cell(value)] for name, value in values.items()]
        texts.append(text_table([title, "state tracking"], rows))
    return "\n\n".join(texts)


PREFIX = "dst."
"""What figures of state tracking begin with, beside those of responses."""

POSITIONS = 10
"""Into how many equal parts a dialogue is cut where accuracy is shown by position."""


def _column(metric: TrackingMetric, column: str) -> str:
    """Return the column of a metric's row among those of all metrics."""
    return f"{metric.name}: {column}"


def tracking_rows(states: TrackedStates, choices: Choices = Choices()) -> Rows:
    """Return the rows of dialogues, of all metrics side by side."""
    rows: dict[str, dict[str, float]] = {dialogue: {} for dialogue in states}
    for metric in tracking_metrics(choices).values():
        assert metric.rows is not None
        for dialogue, row in metric.rows(states).items():
            for column, number in row.items():
                rows[dialogue][_column(metric, column)] = number
    return rows


def dialogue_rows(dialogues: Sequence[TrackedDialogue], choices: Choices = Choices()) -> Rows:
    """Return the rows of tracked dialogues, of all metrics side by side."""
    states = {dialogue.id: dialogue_states(dialogue, choices) for dialogue in dialogues}
    return tracking_rows(states, choices)


def tracking_shares(sums: Sums, choices: Choices = Choices()) -> dict[str, Any]:
    """Return key -> percent, of all metrics, given sums of rows side by side."""
    shares: dict[str, object] = {}
    for metric in tracking_metrics(choices).values():
        assert metric.formula is not None
        start = _column(metric, "")
        own = {}
        for column, value in sums.items():
            if column.startswith(start):
                own[column.removeprefix(start)] = value
        shares |= metric.formula(own)
    return shares


def tracking_formula(sums: Sums, choices: Choices = Choices()) -> Figures:
    """Return figure -> percent: `dst.JGA`, `dst.FGA.0.5`, …, given sums of rows side by side."""
    shares = tracking_shares(sums, choices)
    return {f"{PREFIX}{key}": value for key, value in shares.items()}


def joined_metric(choices: Choices = Choices(), main: Collection[str] = MAIN[:1]) -> TrackingMetric:
    """Return all metrics of state tracking as one, for intervals and tests.

    Its figures are called as in reports, with `dst.` before: `dst.JGA`, `dst.FGA.0.5`.

    Args:
        choices: What the metrics leave open.
        main: The keys of the figures that systems are compared by, of `MAIN`.
    """
    figures = []
    for metric in tracking_metrics(choices).values():
        for shown in metric.presentation.all_figures():
            is_main = shown.name in main
            figures.append(Figure(f"{PREFIX}{shown.name}", shown.title, main=is_main))
    return Metric(
        "dst",
        Presentation("State tracking", figures=figures),
        rows=lambda states: tracking_rows(states, choices),
        formula=lambda sums: tracking_formula(sums, choices),
        takes_samples=True,
    )


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
    by_id = {dialogue.id: dialogue_states(dialogue, choices) for dialogue in dialogues}
    _check_slots(by_id, choices)
    states = list(by_id.values())
    rows = tracking_rows(by_id, choices)
    sums = sum_rows(rows)
    counts = {}
    for metric in tracking_metrics(choices).values():
        for column in COUNTS.get(metric.name, ()):
            counts[column] = int(sums[_column(metric, column)])
    # Figures whose key has two parts, `FGA.0.5`, lie in a map of their own.
    metrics: dict[str, float | dict[str, float]] = {}
    maps: dict[str, dict[str, float]] = {"changes": {}, "fuzzy": {}}
    for key, value in tracking_shares(sums, choices).items():
        group, _, name = key.partition(".")
        if not name:
            metrics[key] = value
            continue
        if group not in maps:
            metrics[group] = maps[group] = {}
        maps[group][name] = value
    whole = TrackingResult(
        dialogues=len(dialogues),
        turns=sum(map(len, states)),
        slots=choices.slots,
        metrics=metrics,
        counts=counts,
        changes=maps["changes"],
        fuzzy=maps["fuzzy"],
        variants=choices.variants,
    )
    if not by_part:
        return whole
    changes: list[Change] = []
    mistakes = []
    for dialogue in states:
        changes_by_turn = judge_changes(dialogue)
        changes += chain.from_iterable(changes_by_turn)
        mistakes.append(mistakes_by_turn(changes_by_turn))
    per_domain = _by_domain(dialogues, states, changes, choices)
    per_domain_mean = {}
    for key in next(iter(per_domain.values()), {}):
        if key not in ("turns", "lambda"):
            per_domain_mean[key] = fmean(figures[key] for figures in per_domain.values())
    positions, losses = _lost_accuracy(states, choices)
    return replace(
        whole,
        per_slot={slot_name(slot): counts for slot, counts in count_by_slot(changes).items()},
        per_domain=per_domain,
        per_domain_mean=per_domain_mean,
        positions=positions,
        losses=losses,
        mistakes=_mistake_patterns(mistakes, list(rows.values()), choices),
    )


def _by_domain(
    dialogues: Sequence[TrackedDialogue],
    states: Sequence[DialogueStates],
    changes: Sequence[Change],
    choices: Choices,
) -> dict[str, dict[str, float]]:
    """Return the scores of each domain of the gold states of which turns count.

    No system is asked for states of other domains.
    """
    domains: set[str] = set()
    for pair in chain.from_iterable(states):
        domains.update(domain for domain, _ in pair.gold)
    parts: dict[str, list[_DomainTurns]] = {}
    for tracked, whole in zip(dialogues, states, strict=True):
        for domain, turns in turns_by_domain(tracked, whole, choices.per_domain).items():
            if domain in domains:
                parts.setdefault(domain, []).append((_of_domain(whole, domain), turns))
    scores = {}
    for domain in sorted(parts):
        scores[domain] = _score_domain(domain, parts[domain], changes, choices)
    return scores


def _of_domain(states: DialogueStates, domain: str) -> DialogueStates:
    return [pair.part(lambda slot, _: slot[0] == domain) for pair in states]


_DomainTurns: TypeAlias = tuple[DialogueStates, Sequence[int]]
"""A dialogue's states of one domain, and the turns that count for it."""


def _score_domain(
    domain: str, parts: Sequence[_DomainTurns], changes: Iterable[Change], choices: Choices
) -> dict[str, float]:
    """Score a domain: by turn those that count for it, by change all of its slots.

    That T stays that of the whole data set follows the code of SOM-DST, which table 2 of Kim et al.
    (2022) was made with.
    """
    pairs = []
    for states, turns in parts:
        pairs += [states[turn] for turn in turns]
    scores: dict[str, float] = {"turns": len(pairs)}
    whole = {"": pairs}
    for metric in tracking_metrics(replace(choices, metrics=PER_DOMAIN)).values():
        assert metric.rows is not None
        assert metric.formula is not None
        for key, value in metric.formula(metric.rows(whole)[""]).items():
            if key in PER_DOMAIN:
                scores[key] = value
    decay = domain_decay(domain, choices)
    counts = count_changes(change for change in changes if change[0][0] == domain)
    scores["FGA"] = 100 * domain_score(parts, decay, choices)
    scores["GCA"] = 100 * change_scores(**counts, weighing=choices.gca)["gca"]
    scores["lambda"] = decay
    return scores


def _check_slots(states: TrackedStates, choices: Choices) -> None:
    """Make sure that no turn has more wrong slots than there are slots.

    Raises:
        InputError: Some turns have.
    """
    problems = []
    for id_, dialogue in states.items():
        for number, turn in enumerate(dialogue):
            wrong = wrong_slots(turn, choices.dashes)
            if wrong > choices.slots:
                problems.append(
                    f"{choices.slots} slots are fewer than the {wrong} that are wrong in dialogue "
                    f"{id_}, turn {number}; give the number of slots that the data set "
                    "defines by --variant slots=NUMBER"
                )
    refuse("slots", problems)


def _lost_accuracy(
    states: Sequence[DialogueStates], choices: Choices
) -> tuple[tuple[Mapping[str, Number], ...], dict[str, Number]]:
    """Return `positions` and `losses` of the result: where dialogues lose their accuracy."""
    turns_of_part: list[list[StatePair]] = [[] for _ in range(POSITIONS)]
    lost_in: Counter[int] = Counter()
    places_lost = []
    recovered = 0
    for dialogue in states:
        for place, turn in enumerate(dialogue):
            turns_of_part[place * POSITIONS // len(dialogue)].append(turn)
        exact = list(map(is_exact, dialogue))
        if not exact[-1]:
            first = exact.index(False)
            lost_in[first * POSITIONS // len(dialogue)] += 1
            places_lost.append(first / len(dialogue))
            recovered += any(exact[first:])
    positions = []
    for part, turns in enumerate(turns_of_part):
        joint = list(map(is_exact, turns))
        relative = [turn_relative_slot_accuracy(turn, choices.dashes) for turn in turns]
        positions.append(
            {
                "start": part / POSITIONS,
                "turns": len(turns),
                "jga": 100 * fmean(joint) if turns else None,
                "rsa": 100 * fmean(relative) if turns else None,
                "first_lost": lost_in[part],
            }
        )
    losses = {
        "dialogues": len(places_lost),
        "recovered": recovered,
        "mean_position": fmean(places_lost) if places_lost else None,
    }
    return tuple(positions), losses


def mistakes_by_turn(changes: Iterable[Iterable[Change]]) -> list[int]:
    """Return how many changes of each turn are missed, wrong or overshot."""
    mistakes = []
    for turn in changes:
        outcomes = [outcome for _, outcome in turn]
        mistakes.append(len(outcomes) - outcomes.count("correct"))
    return mistakes


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
) -> dict[str, Number | Mapping[str, Mapping[str, float | None]]]:
    """Return `mistakes` of the result, given the mistakes by turn and the rows of dialogues."""
    tails, uneven = [], []
    shares_of_mistaken = []
    correlated = [name for name in tracking_metrics(choices) if name in CORRELATED]
    choices = replace(choices, metrics=correlated)
    for counts, row in zip(mistakes, rows, strict=True):
        if any(counts):
            tails.append(tail_orientation(counts))
            uneven.append(non_uniformity(counts))
            shares_of_mistaken.append(tracking_shares(row, choices))
    correlations: dict[str, dict[str, float | None]] = {"TO": {}, "NU": {}}
    # The keys are those of any dialogue.
    for key in tracking_shares(rows[0], choices):
        if key.partition(".")[0] in CORRELATED:
            scores = [shares[key] for shares in shares_of_mistaken]
            name = key.replace(".", " ", 1)
            correlations["TO"][name] = correlation(tails, scores)
            correlations["NU"][name] = correlation(uneven, scores)
    return {
        "dialogues": len(tails),
        "tail_orientation": fmean(tails) if tails else None,
        "non_uniformity": fmean(uneven) if tails else None,
        "correlations": correlations,
    }
