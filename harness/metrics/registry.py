"""Which metrics of responses there are: the harness's own, and those that packages declare."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from mwz.normalization import DeclarationError, blamed, declared, package_versions

from ..errors import refuse, unknown
from ..rooms import complete_rooms
from . import bleu, diversity, dst, flags, inform
from .metric import Figure, Metric, Presentation, Results, sum_rows

if TYPE_CHECKING:
    from .played import Played

    ResponseMetric: TypeAlias = Metric[Played]

METRICS: Sequence[ResponseMetric] = (
    inform.METRIC,
    bleu.METRIC,
    diversity.METRIC,
    dst.METRIC,
    inform.LOWER_BOUND,
    flags.METRIC,
)
"""The metrics of responses, in the order in which reports show them. Those of rooms that can be
taken away stand before `dst`, those of packages at the end."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "success": ("inform",),
    "richness": ("diversity",),
    "jga": ("dst",),
    "combined": ("inform", "bleu"),
}
"""Other names that `--metrics` takes -> the metrics that they stand for."""

UNITS = ("percent", "share", "points", "count", "bits", "tokens", "words", "turns", "seconds")
"""The units of metrics from packages."""

_NAME = re.compile(r"[\w-]+")


@cache
def response_metrics() -> Mapping[str, ResponseMetric]:
    """Return name -> metric, of all metrics of responses, in the order of reports.

    Raises:
        DeclarationError: A package declares what cannot be used, or two metrics, figures of them
            or set-ups have one name.
    """
    own = list(METRICS)
    for room in complete_rooms():
        for module in room.metrics:
            metric = import_module(f"mwz.{room.package}.{module}").METRIC
            own.insert(own.index(dst.METRIC), metric)
    others = declared("metrics", _checked, [metric.name for metric in own])
    metrics = own + sorted(others.values(), key=lambda metric: metric.name)
    owners: dict[str, ResponseMetric] = {}
    for metric in metrics:
        aliases = [alias for alias, names in ALIASES.items() if names == (metric.name,)]
        shown = metric.presentation.figures
        figures = [figure.name for figure in shown if figure.use == "reported"]
        for name in (metric.name, *aliases, *result_keys(metric), *figures):
            other = owners.setdefault(name, metric)
            if other is not metric:
                versions = package_versions(metrics=[metric, other], setups=[name])
                packages = ", ".join(f"{package} {versions[package]}" for package in versions)
                problem = f"two metrics or set-ups are called {name}"
                raise DeclarationError(f"{packages}, mwz.metrics: {problem}")
    return {metric.name: metric for metric in metrics}


def _checked(metric: object) -> ResponseMetric:
    """Return a metric of another package.

    Raises:
        ValueError: It is none, or a field of it cannot be used.
    """
    # Imports pydantic late: it takes 0.1 s, and only metrics of packages are checked.
    from mwz.normalization import typed

    if not isinstance(metric, Metric):
        raise ValueError(f"expected a Metric, found {metric!r:.60}")
    shown = metric.presentation
    typed(Metric, vars(metric))
    typed(Presentation, vars(shown), "presentation")
    if not _NAME.fullmatch(metric.name):
        raise ValueError(f"name: expected letters, digits and hyphens, found {metric.name!r:.60}")
    for field in ("title", "description", "source"):
        if not getattr(shown, field).strip():
            raise ValueError(f"presentation.{field}: expected text, found nothing")
    if shown.unit not in UNITS:
        raise ValueError(f"presentation.unit: {unknown('unit', shown.unit, UNITS)}")
    if metric.value is None and (metric.rows is None or metric.formula is None):
        raise ValueError("rows, formula: expected two functions, or one as `value`")
    return metric


def result_keys(metric: ResponseMetric) -> Sequence[str]:
    """Return the keys in reports of all that a metric gives."""
    if callable(metric.result):
        return (metric.name,)
    return tuple(metric.result) or (metric.name,)


def result_types(metric: ResponseMetric) -> Mapping[str, object]:
    """Return key in reports -> type of the result, of all that a metric gives."""
    types = metric.result() if callable(metric.result) else metric.result
    return types or {metric.name: float | dict[str, float | None]}


def metric_results(metric: ResponseMetric, played: Played) -> Results:
    """Return key in reports -> result of a metric; empty if there is nothing to say.

    Raises:
        DeclarationError: A metric of a package fails, or gives what it does not promise.
    """
    with blamed("metrics", metric):
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


@cache
def resampled_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that intervals and tests can be computed of."""
    return tuple(name for name, metric in response_metrics().items() if metric.rows is not None)


def named_metrics(names: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the metrics that names or aliases stand for, each once, in the order given.

    Args:
        names: The names; None for the metrics that are computed where none are named.

    Raises:
        InputError: One of them is unknown.
    """
    metrics = response_metrics()
    if names is None:
        names = [name for name, metric in metrics.items() if metric.is_default]
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
def reported_figures(and_shown: bool = False) -> Mapping[str, Figure]:
    """Return name -> figure, of all figures that papers report and the board may show.

    Args:
        and_shown: Whether to add those that only tables of several files show.
    """
    uses = ("reported", "shown") if and_shown else ("reported",)
    figures = {}
    for metric in response_metrics().values():
        for figure in metric.presentation.figures:
            if figure.use in uses:
                figures[figure.name] = figure
    return figures
