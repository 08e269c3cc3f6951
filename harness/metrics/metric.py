"""What a metric of responses is, what it is computed from, and which there are.

A metric is one file of this package, or of a room of the harness: a module with a `METRIC`; or
comes from a package from outside (docs/extending.md), and is checked here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import FunctionType, NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from mwz.normalization import DeclarationError, RuleSet, contributed, outside_versions

from ..benchmark import Benchmark
from ..errors import counted, refuse, unknown
from ..io import figure, text_table
from ..submission import NormalizedSubmission
from .results import DialogueResult, Statistics
from .setups import SETUPS, PlayedDialogue, play

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

    from .counts import References


Results: TypeAlias = Mapping[str, Any]
"""The results of metrics in a report: key -> result."""


@dataclass(frozen=True)
class Headline:
    """A single figure of a report: one that tables show and papers report.

    Attributes:
        name: What entries and options call it.
        title: What tables call it.
        value: The figure, of the results of a report under a set-up, a key of `SETUPS`; None if
            they lack it.
        digits: Digits after the point that tables show.
        lowest: The least value it can have.
        highest: The greatest value it can have.
        ceiling: What the benchmark's human responses get, of the results of a report; None if they
            lack that.
    """

    name: str
    title: str
    value: Callable[[Results, str], float | None]
    digits: int = 1
    lowest: float = 0.0
    highest: float = 100.0
    ceiling: Callable[[Results], float | None] = lambda results: None


@dataclass(frozen=True, eq=False)
class Played:
    """Everything that a metric of responses may compute from.

    Attributes:
        submission: The submission, cut to the dialogues scored.
        benchmark: The benchmark, cut to the same dialogues.
        rules: The rule set.
        setup: The set-up of Inform and Success, a key of `SETUPS`, or "both".
        states: The source of belief states where the set-up has none of its own.
        domains: The source of active domains where the set-up has none of its own.
        references: The references, prepared for BLEU.
        database: The venue database.
        delexicaliser: The delexicaliser of the benchmark's venues.
        metrics: The names of the metrics asked for.
    """

    submission: NormalizedSubmission
    benchmark: Benchmark
    rules: RuleSet
    setup: str
    states: str
    domains: str
    references: Callable[[], References]
    database: Callable[[], VenueDatabase]
    delexicaliser: Callable[[], Any]
    metrics: Collection[str]

    @property
    def responses(self) -> Mapping[str, Sequence[str]]:
        """Dialogue id -> normalised responses."""
        return self.submission.responses

    @cached_property
    def texts(self) -> Sequence[str]:
        """All normalised responses, one after another."""
        return [text for texts in self.responses.values() for text in texts]

    def under(self, setup: str) -> list[PlayedDialogue]:
        """Return the dialogues as a set-up looks at them, in the submission's order.

        Args:
            setup: A key of `SETUPS`.
        """
        named = SETUPS[setup]
        sources = named.states or self.states, named.domains or self.domains
        return play(self.submission, self.benchmark, *sources)

    @cached_property
    def results(self) -> Sequence[DialogueResult]:
        """What the metrics asked for find in each dialogue, in the submission's order."""
        return dialogue_results(self, self.metrics)


def _number_text(metric: Metric, result: Any) -> str:
    """Show a result that is one number, or a mapping of numbers, with the metric's unit."""
    numbers = result if isinstance(result, Mapping) else {metric.title: result}
    rows = [[name, figure(value, metric.digits)] for name, value in numbers.items()]
    return text_table([metric.title if isinstance(result, Mapping) else "", metric.unit], rows)


@dataclass(frozen=True)
class Metric:
    """A metric of responses.

    Attributes:
        name: What `--metrics` calls it; its result's key in reports, unless `keys` says otherwise.
        title: What tables call it.
        description: What it measures, in one sentence.
        unit: Of its result: "percent", "bits", ….
        source: The publication that defines it.
        per_dialogue: What it finds in each dialogue played, in the submission's order; None if its
            result is not made of single dialogues.
        fills: The field of `DialogueResult` that has it; by default `further`, under the name.
        statistics: The sums and the formula that the result, intervals and tests are computed of,
            given the results of dialogues; None if there are none.
        compute: The result, given the results of dialogues. By default the figure of `statistics`
            that is called like the metric.
        overall: The result, of what was played, where that takes more than the dialogues' results;
            None where there is nothing to say.
        result: The type of the result, by which it is read back from JSON; or a function that
            returns it, where importing it takes its time. `float` also allows a mapping of names to
            numbers, which tables of several systems do not show.
        keys: Where the result is several, each with a key of its own in reports: key -> type.
        text: How people read the result.
        headlines: Its figures that tables show and papers report. By default the result itself, if
            it is one number.
        further: Figures that tables of several files show besides, and papers do not report.
        unfit: Why it cannot be computed of a submission; None if it can.
        parameters: What its definition fixes, for the signature.
        states: Whether it depends on belief states.
        aliases: Other names that `--metrics` takes.
        default: Whether it is computed where no metrics are named.
        digits: Digits after the point that tables show.
        rank: Its place among the metrics; equal ones are in alphabetical order.
    """

    name: str
    title: str
    description: str
    unit: str
    source: str
    per_dialogue: Callable[[Played], Sequence[Any]] | None = None
    fills: str | None = None
    statistics: Callable[[Sequence[DialogueResult]], Statistics] | None = None
    compute: Callable[[Sequence[DialogueResult]], Any] | None = None
    overall: Callable[[Played], Any] | None = None
    result: Any = float
    keys: Mapping[str, Any] = field(default_factory=dict)
    text: Callable[[Metric, Any], str] = _number_text
    headlines: Sequence[Headline] | None = None
    further: Sequence[Headline] = ()
    unfit: Callable[[NormalizedSubmission], str | None] = lambda submission: None
    parameters: Mapping[str, str] = field(default_factory=dict)
    states: bool = True
    aliases: Sequence[str] = ()
    default: bool = True
    digits: int = 2
    rank: int = 100

    @property
    def results(self) -> Collection[str]:
        """The keys in reports of everything that the metric gives."""
        return self.keys or (self.name,)

    @property
    def types(self) -> Mapping[str, Any]:
        """Key in reports -> type of the result."""
        late = isinstance(self.result, FunctionType)
        one = float | dict[str, float | None] if self.result is float else self.result
        return self.keys or {self.name: self.result() if late else one}

    def own_headlines(self) -> Sequence[Headline]:
        """Return the figures that tables show and papers report."""
        if self.headlines is not None:
            return self.headlines
        if self.result is not float or self.keys:
            return ()
        name = self.name
        return (
            Headline(
                name=name,
                title=self.title,
                value=lambda results, setup: (
                    None if isinstance(results.get(name), Mapping) else results.get(name)
                ),
                digits=self.digits,
                lowest=float("-inf"),
                highest=100.0 if self.unit == "percent" else float("inf"),
            ),
        )

    def of_results(self, results: Sequence[DialogueResult]) -> Mapping[str, Any]:
        """Return key in reports -> result, given the results of dialogues."""
        if self.compute is not None:
            return self._keyed(self.compute(results))
        return self._keyed(self.counts(results).scores()[self.name])

    def counts(self, results: Sequence[DialogueResult]) -> Statistics:
        """Return the statistics of dialogues, which the metric must have.

        Raises:
            ValueError: They are not those that the metric promises.
        """
        assert self.statistics is not None, f"{self.name} has no `statistics`"
        statistics = self.statistics(results)
        values = statistics.formula(statistics.rows.sum(axis=0).tolist())
        names = {one.name for one in statistics.figures}
        needed = names | ({self.name} if self.compute is None else set())
        lacking = needed - (names & values.keys())
        problems = [f"`figures` and `formula` must both have {name!r}" for name in sorted(lacking)]
        if len(statistics.rows) != len(results):
            problems.append(f"{len(statistics.rows)} rows for {counted(len(results), 'dialogue')}")
        if problems:
            raise ValueError("; ".join(problems))
        return statistics

    def of_played(self, played: Played) -> Mapping[str, Any]:
        """Return key in reports -> result; nothing where there is nothing to say."""
        if self.overall is not None:
            return self._keyed(self.overall(played))
        return self.of_results(played.results)

    def _keyed(self, result: Any) -> Mapping[str, Any]:
        if result is None:
            return {}
        numbers = result if isinstance(result, Mapping) else {"": result}
        if self.result is float and not self.keys and not all(map(_is_number, numbers.items())):
            expected = "a finite number, a mapping of names to such, or None"
            raise ValueError(f"the result: expected {expected}, found {result!r:.60}")
        return result if self.keys else {self.name: result}


def _is_number(item: tuple[object, object]) -> bool:
    """Whether a name and its value are text, and a finite number or None."""
    name, value = item
    is_finite = type(value) is not bool and isinstance(value, int | float) and math.isfinite(value)
    return isinstance(name, str) and (value is None or is_finite)


_UNITS = "percent share points count bits tokens words turns seconds"
"""The units of metrics from outside."""


def _shape(metric: Mapping[str, object]) -> Mapping[Any, Any]:
    """Return the shape of the fields of a metric from outside."""
    ways = ("statistics", "compute", "overall")
    result: Any = {} if any(metric[way] for way in ways) else {" or ".join(ways): Callable}
    return {
        **dict.fromkeys(("title", "description", "source"), re.compile(r"\S(.*\S)?")),
        "name": re.compile(r"[\w-]+"),
        "unit": frozenset(_UNITS.split()),
        **dict.fromkeys(("per_dialogue", *ways), (Callable, NoneType)),
        **dict.fromkeys(("digits", "rank"), int),
        **dict.fromkeys(("text", "unfit"), Callable),
        **result,
        ...: object,
    }


@cache
def response_metrics() -> Mapping[str, Metric]:
    """Return name -> metric, of all metrics of responses."""
    metrics = contributed("metrics", "METRIC", Metric, _shape)
    taken: dict[str, Metric] = {}
    for metric in metrics:
        figures = (one.name for one in metric.own_headlines())
        for name in (metric.name, *metric.aliases, *metric.results, *figures):
            if (other := taken.setdefault(name, metric)) is not metric:
                packages = outside_versions(metrics=[metric, other], setups=[name])
                named = ", ".join(map(" ".join, packages.items()))
                problem = f"two metrics or set-ups are called {name}"
                raise DeclarationError(f"{named}, mwz.metrics: {problem}")
    metrics.sort(key=lambda metric: (metric.rank, metric.name))
    return {metric.name: metric for metric in metrics}


def default_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that are computed where none are named."""
    return tuple(name for name, metric in response_metrics().items() if metric.default)


@cache
def resampled_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that intervals and tests can be computed of."""
    return tuple(name for name, one in response_metrics().items() if one.statistics is not None)


_TOGETHER = {"combined": ("inform", "bleu")}
"""What is a figure of several metrics -> these."""


def named_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics that names or aliases stand for, each once, in the order given.

    Raises:
        InputError: One of them is unknown.
    """
    metrics = response_metrics().values()
    meanings = {alias: (m.name,) for m in metrics for alias in (m.name, *m.aliases)} | _TOGETHER
    wrong = [unknown("metric", n, response_metrics()) for n in names if n not in meanings]
    refuse("metrics", wrong)
    return tuple(dict.fromkeys(one for name in names for one in meanings[name]))


@cache
def headlines() -> Mapping[str, Headline]:
    """Return name -> figure, of all figures that tables show and papers report."""
    return {
        headline.name: headline
        for metric in response_metrics().values()
        for headline in metric.own_headlines()
    }


def dialogue_results(played: Played, metrics: Collection[str]) -> list[DialogueResult]:
    """Return what metrics find in each dialogue played, in the submission's order.

    Args:
        played: What was played.
        metrics: Names of metrics; those that find nothing dialogue by dialogue add nothing.
    """
    parts: dict[str, Sequence[Any]] = {}
    further: dict[str, Sequence[Any]] = {}
    for metric in (response_metrics()[name] for name in metrics):
        if metric.per_dialogue is not None:
            of = parts if metric.fills else further
            of[metric.fills or metric.name] = values = [*(metric.per_dialogue(played) or ())]
            if len(values) != (number := len(played.responses)):
                raise ValueError(f"`per_dialogue` gives {len(values)} for {number} dialogues")
    sources = {"states": played.states, "domains": played.domains}
    return [
        DialogueResult(
            id=id_,
            turns=len(texts),
            sources=sources,
            **{name: values[at] for name, values in parts.items()},
            further={name: values[at] for name, values in further.items()},
        )
        for at, (id_, texts) in enumerate(played.responses.items())
    ]
