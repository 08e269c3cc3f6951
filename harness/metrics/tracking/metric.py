"""What a state-tracking metric is: statistics of a dialogue, and a formula of their sums.

Scores, intervals and tests are all the formula of different sums. Conventions of all metrics:

- Formulae return shares, from 0 to 1; reports have them in percent.
- Averages are over all turns, whichever dialogue they are of.
- Where a denominator is 0 the score is 1 if nothing was predicted either (there was nothing to do,
  and nothing was done) and otherwise 0, unless the metric's own definition says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeAlias

from mwz.normalization import DEFAULT_RULES, declared, digest_of_json, rule_set

from ...benchmark import Benchmark
from ...signature import SHOWN_HASH, Signature
from ..results import share
from .choices import Choices
from .states import DialogueStates, GoldStates, StatePair, TrackedDialogue

Sums: TypeAlias = Mapping[str, float]
"""Statistic -> whole number: of a dialogue, or added up over dialogues."""

Verdicts: TypeAlias = Mapping[str, tuple[float | None, str]]
"""What a metric gives a turn: heading -> share from 0 to 1 (None: left out), and the reason."""


@dataclass(frozen=True)
class TrackingMetric:
    """A metric of state tracking.

    A figure's key in reports is a name of its own, or `map.name` in a map of figures: `JGA`,
    `FGA.0.5`, `fuzzy.F1`.

    Attributes:
        name: What reports call it.
        question: What it asks, in one sentence.
        unit: Of its figures.
        source: The publication that defines it.
        statistics: The statistics of a dialogue: whole numbers, which are added up over dialogues.
        formula: Its figures, of the sums: key -> share. Of sums of nothing, too, and of arrays of
            one sum per sample: `share` divides both.
        titles: What tables call its figures: key -> title, or key of a map -> what stands before
            the names in it. By default it has one figure, its name.
        counts: The statistics whose sums reports show.
        verdicts: What it gives each turn of a dialogue and why; None if it says nothing of a
            single turn.
        parameters: What its figures depend on besides the states, for the signature.
        headlines: Of the keys of its figures, those that compact tables and pictures show.
        per_domain: The keys of its figures that are also reported for each domain.
        correlated: Whether reports say how far its figures go with where mistakes lie (section 5.2
            of Aksu & Chen, 2024): those whose key, or map, is its name.
        main: Whether it is what papers compare systems by.
        rank: Its place among the metrics.
    """

    name: str
    question: str
    unit: str
    source: str
    statistics: Callable[[DialogueStates, Choices], Sums]
    formula: Callable[[Sums, Choices], Mapping[str, float]]
    titles: Mapping[str, str] = field(default_factory=dict)
    counts: Sequence[str] = ()
    verdicts: Callable[[DialogueStates, Choices], Sequence[Verdicts]] | None = None
    parameters: Callable[[Choices], Mapping[str, str]] = lambda choices: {}
    headlines: Callable[[Collection[str]], Collection[str]] = lambda keys: ()
    per_domain: Sequence[str] = ()
    correlated: bool = False
    main: bool = False
    rank: int = 100

    @property
    def groups(self) -> Mapping[str, str]:
        """The keys of its figures, or of its maps of figures -> what tables call them."""
        return self.titles or {self.name: self.name}

    def percentages(self, sums: Sums, choices: Choices) -> dict[str, float]:
        """Return its figures of the sums: key -> percent."""
        return {key: 100 * share for key, share in self.formula(sums, choices).items()}

    def heading(self, key: str) -> str:
        """Return what tables call a figure: `FGA λ=0.5`, `fuzzy F1`, `GCA value precision`."""
        group, _, name = key.partition(".")
        return self.groups[group] + name.replace("_", " ")

    def verdicts_of(self, dialogue: DialogueStates, choices: Choices) -> Sequence[Verdicts]:
        """Return what it gives each turn, and why.

        If it says nothing of single turns, that is what it gives a dialogue of the turn alone.
        """
        if self.verdicts is not None:
            return self.verdicts(dialogue, choices)
        alone = [dialogue.part(slice(at, at + 1)) for at in range(len(dialogue.turns))]
        shares = [self.formula(self.statistics(turn, choices), choices) for turn in alone]
        return [{self.heading(key): (n, "") for key, n in of_turn.items()} for of_turn in shares]

    def keys_among(self, figures: Iterable[str]) -> list[str]:
        """Return the keys of its own figures among those of a report."""
        return [key for key in figures if key.partition(".")[0] in self.groups]


def turn_by_turn(
    name: str,
    score: Callable[[StatePair, Choices], float | None],
    reason: Callable[[StatePair, Choices], str],
) -> Callable[[DialogueStates, Choices], Sequence[Verdicts]]:
    """Return the `verdicts` of a metric that looks at one turn at a time."""
    return lambda dialogue, choices: [
        {name: (score(turn, choices), reason(turn, choices))} for turn in dialogue.turns
    ]


def mean_of_turns(
    name: str,
    score: Callable[[StatePair, Choices], float],
    reason: Callable[[StatePair, Choices], str],
) -> dict[str, Any]:
    """Return what defines a metric that is the mean of the scores that it gives turns.

    Args:
        name: The metric's name.
        score: The score of a turn; no turn is left out.
        reason: Why a turn has it.

    Returns:
        Its `statistics`, `formula` and `verdicts`.
    """

    def statistics(dialogue: DialogueStates, choices: Choices) -> Sums:
        scores = [score(turn, choices) for turn in dialogue.turns]
        return {"turns": len(scores), **exact_sum(name, scores)}

    return {
        "statistics": statistics,
        "formula": lambda sums, _: {name: share(sum_of(sums, name), sums["turns"])},
        "verdicts": turn_by_turn(name, score, reason),
    }


def only(*keys: str) -> Callable[[Collection[str]], Collection[str]]:
    """Return the `headlines` of a metric of which tables show these figures."""
    return lambda _: keys


_HIGH = 2.0**26
_LOW = 2.0**34


@lru_cache(maxsize=1 << 12)
def _halves(score: float) -> tuple[float, float]:
    """Return a score from 0 to 1 as two whole numbers, in units of 2^-26 and of 2^-60."""
    scaled = score * _HIGH
    high = math.floor(scaled)
    return float(high), float(round((scaled - high) * _LOW))


def exact_sum(name: str, scores: Iterable[float]) -> dict[str, float]:
    """Return the statistics of a sum of turns' scores, from 0 to 1; `sum_of` makes it of them.

    Scores are split into two whole numbers each, because sums of whole numbers below 2^53 are exact
    in floating point, in whatever order, by matrix products too. `sum_of` then gives what
    `math.fsum` does, to the last digit: of scores that are multiples of 2^-60, as all numbers from
    1/128 on are; of smaller ones 2^-61 at most is lost.
    """
    parts = [*zip(*map(_halves, scores), strict=True)] or [(), ()]
    return {f"{name} {half}": sum(part) for half, part in enumerate(parts)}


def sum_of(sums: Sums, name: str) -> Any:
    """Return a sum of turns' scores; of arrays of sums, an array."""
    return sums[f"{name} 0"] / _HIGH + sums[f"{name} 1"] / (_HIGH * _LOW)


@cache
def tracking_metrics() -> Mapping[str, TrackingMetric]:
    """Return name -> metric, of all metrics of state tracking.

    They are what modules of this package declare as `METRIC`, or several as `METRICS`.
    """
    metrics = declared(str(__package__), "METRIC", TrackingMetric)
    metrics.sort(key=lambda metric: (metric.rank, metric.name))
    return {metric.name: metric for metric in metrics}


def metrics_of(choices: Choices) -> Mapping[str, TrackingMetric]:
    """Return name -> metric, of those that are computed."""
    every = tracking_metrics()
    return {name: every[name] for name in every if name in (choices.metrics or every)}


def tracking_signature(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None,
    choices: Choices = Choices(),
    gold: GoldStates | None = None,
) -> Signature:
    """Return the signature of scores of tracked dialogues.

    Args:
        dialogues: What was scored.
        benchmark: The benchmark that the dialogues are of; None if the file has gold states of its
            own.
        choices: What the metrics leave open, and which variant of joint accuracy is meant.
        gold: The gold states that took the place of the benchmark's, if any did.
    """
    parameters = {
        name: value
        for metric in metrics_of(choices).values()
        for name, value in metric.parameters(choices).items()
    }
    over = _per_domain_over(dialogues, choices.per_domain)
    parameters |= {**choices.variants, "per-domain": over}
    if benchmark is None:
        states = {d.id: [[turn.number, turn.gold] for turn in d.turns] for d in dialogues}
        return Signature(gold=digest_of_json(states), parameters=parameters)
    rules = rule_set(DEFAULT_RULES)
    if gold is None:
        benchmark_states = {id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()}
        gold = GoldStates("", benchmark.name, benchmark_states)
    return Signature(
        benchmark=benchmark.name,
        rules=rules.name,
        rules_digest=rules.digest,
        coverage=_coverage(dialogues, benchmark),
        gold=gold.digest,
        parameters=parameters,
    )


def _per_domain_over(dialogues: Sequence[TrackedDialogue], over: str) -> str:
    """Return which turns scores per domain average over, with a digest of what says so."""
    annotation: Mapping[str, object]
    if over == "active":
        annotation = {d.id: [turn.active_domains for turn in d.turns] for d in dialogues}
    elif over == "dialogues":
        annotation = {d.id: sorted(d.goal_domains or ()) for d in dialogues}
    else:
        return over
    return f"{over}-{digest_of_json(annotation)[:SHOWN_HASH]}"


def _coverage(dialogues: Sequence[TrackedDialogue], benchmark: Benchmark) -> str | None:
    """Return the turns scored of all and a digest of which; None if all are."""
    played = sorted((d.id, [turn.number for turn in d.turns]) for d in dialogues)
    turns = sum(len(numbers) for _, numbers in played)
    if turns == benchmark.turns:
        return None
    return f"{turns}/{benchmark.turns}-{digest_of_json(played)[:SHOWN_HASH]}"
