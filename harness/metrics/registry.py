"""Which metrics of responses there are: the harness's own, and those that packages declare."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from mwz.normalization import DeclarationError, contributed, outside_versions, shape_problems

from ..errors import refuse, unknown
from .metric import Figure, Metric, Presentation, Results, sum_rows

if TYPE_CHECKING:
    from .played import Played

    ResponseMetric: TypeAlias = Metric[Played]

_ORDER = ("inform", "bleu", "diversity", "grounded", "dst", "lower_bound", "flags")
"""Metrics in the order in which reports show them; those of packages follow."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "success": ("inform",),
    "richness": ("diversity",),
    "jga": ("dst",),
    "combined": ("inform", "bleu"),
}
"""Other names that `--metrics` takes -> the metrics that they stand for."""

UNITS = ("percent", "share", "points", "count", "bits", "tokens", "words", "turns", "seconds")
"""The units of metrics from packages."""

_TEXT = re.compile(r"\S(.*\S)?")

_PRESENTATION = {
    "title": _TEXT,
    "description": _TEXT,
    "source": _TEXT,
    "unit": frozenset(UNITS),
    "figures": (list, tuple),
    "digits": int,
    "text": Callable,
}


def _shape(fields: Mapping[str, object]) -> Mapping[Any, Any]:
    """Return the shape of the fields of a metric from a package."""
    shape: dict[Any, Any] = {
        "name": re.compile(r"[\w-]+"),
        "presentation": Presentation,
        "unfit": Callable,
        **dict.fromkeys(("rows", "formula", "value", "details"), (Callable, NoneType)),
        ...: object,
    }
    if fields["value"] is None:
        shape |= dict.fromkeys(("rows", "formula"), Callable)
    return shape


@cache
def response_metrics() -> Mapping[str, ResponseMetric]:
    """Return name -> metric, of all metrics of responses, in the order of reports.

    Raises:
        DeclarationError: A package declares what cannot be used, or a name twice.
    """
    metrics: list[ResponseMetric] = contributed("metrics", "METRIC", Metric, _shape)
    owners: dict[str, ResponseMetric] = {}
    for metric in metrics:
        owner = _owners([metric])
        if owner:
            shown = vars(metric.presentation)
            problems = list(shape_problems(shown, _PRESENTATION, "presentation"))
            if problems:
                problem = "; ".join(problems)
                raise DeclarationError(f"{owner}, mwz.metrics {metric.name}: {problem}")
        aliases = [alias for alias, names in ALIASES.items() if names == (metric.name,)]
        figures = [figure.name for figure in _reported(metric)]
        for name in (metric.name, *aliases, *result_keys(metric), *figures):
            other = owners.setdefault(name, metric)
            if other is not metric:
                owner = _owners([metric, other], name)
                problem = f"two metrics or set-ups are called {name}"
                raise DeclarationError(f"{owner}, mwz.metrics: {problem}")
    places = {name: place for place, name in enumerate(_ORDER)}
    metrics.sort(key=lambda metric: (places.get(metric.name, len(places)), metric.name))
    return {metric.name: metric for metric in metrics}


def _owners(metrics: Sequence[ResponseMetric], setup: str = "") -> str:
    """Return the packages that declare metrics or a set-up, with their versions."""
    packages = outside_versions(metrics=metrics, setups=[setup])
    return ", ".join(f"{package} {version}" for package, version in packages.items())


def result_keys(metric: ResponseMetric) -> Sequence[str]:
    """Return the keys in reports of all that a metric gives."""
    if callable(metric.result):
        return (metric.name,)
    return tuple(metric.result) or (metric.name,)


def result_types(metric: ResponseMetric) -> Mapping[str, Any]:
    """Return key in reports -> type of the result, of all that a metric gives."""
    types = metric.result() if callable(metric.result) else metric.result
    return types or {metric.name: float | dict[str, float | None]}


def metric_results(metric: ResponseMetric, played: Played) -> Results:
    """Return key in reports -> result of a metric; empty if there is nothing to say.

    Raises:
        ValueError: A metric from a package gives what it does not promise.
    """
    if metric.value is not None:
        results = metric.value(played)
        results = {key: results[key] for key in result_keys(metric) if key in results}
    else:
        assert metric.formula is not None
        figures = metric.formula(sum_rows(played.rows[metric.name]))
        if metric.name not in figures:
            raise ValueError(f"`formula` lacks the figure {metric.name!r}")
        results = {metric.name: figures[metric.name]}
    if not metric.result:
        for result in results.values():
            _check_numbers(result)
    return results


def _check_numbers(result: object) -> None:
    """Check the result of a metric that does not say what type it is of."""
    numbers: Mapping[Any, Any] = result if isinstance(result, Mapping) else {"": result}
    for name, value in numbers.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_finite = value is None or (is_number and math.isfinite(value))
        if not isinstance(name, str) or not is_finite:
            expected = "a finite number, a mapping of names to such, or None"
            raise ValueError(f"the result: expected {expected}, found {result!r:.60}")


def _reported(metric: ResponseMetric) -> list[Figure]:
    return [figure for figure in metric.presentation.table_figures() if figure.use == "reported"]


def default_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that are computed where none are named."""
    return tuple(name for name, metric in response_metrics().items() if metric.is_default)


@cache
def resampled_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that intervals and tests can be computed of."""
    return tuple(name for name, metric in response_metrics().items() if metric.rows is not None)


def named_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics that names or aliases stand for, each once, in the order given.

    Raises:
        InputError: One of them is unknown.
    """
    metrics = response_metrics()
    problems = []
    chosen: dict[str, None] = {}
    for name in names:
        if name in metrics:
            chosen[name] = None
        elif name in ALIASES:
            chosen |= dict.fromkeys(ALIASES[name])
        else:
            problems.append(unknown("metric", name, metrics))
    refuse("metrics", problems)
    return tuple(chosen)


@cache
def reported_figures() -> Mapping[str, Figure]:
    """Return name -> figure, of all figures that papers report and the board may show."""
    figures = {}
    for metric in response_metrics().values():
        for figure in _reported(metric):
            figures[figure.name] = figure
    return figures


@cache
def shown_figures() -> Mapping[str, Figure]:
    """Return name -> figure, of all figures that a table of several files shows."""
    figures = {}
    for metric in response_metrics().values():
        for figure in metric.presentation.table_figures():
            if figure.use != "detail":
                figures[figure.name] = figure
    return figures
