"""Learning curves: metrics of trackers by a number, such as the share of the data trained on.

Figure 5 of Aksu & Chen (2024) shows how far other metrics lie from GCA. Several trackers with the
same number, trained with different seeds, make a band.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from ...errors import InputError, refuse
from ...io.tables import Table, figure

REFERENCE = "GCA"
"""The metric that distances are measured from."""

_GIVEN = re.compile(r"(.+)=(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Band:
    """A figure of the trackers with one number, in percent.

    Attributes:
        mean: Its mean.
        lowest: The lowest of its values.
        highest: The highest of them.
    """

    mean: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Band:
        """Return the band of some values, at least one."""
        return cls(fmean(values), min(values), max(values))

    def text(self) -> str:
        """Return the mean and, where values differ, the range: `71.2 (70.1–72.3)`."""
        same = self.lowest == self.highest
        ends = "" if same else f" ({figure(self.lowest, 2)}–{figure(self.highest, 2)})"
        return figure(self.mean, 2) + ends


@dataclass(frozen=True)
class CurvePoint:
    """The trackers with one number.

    Attributes:
        number: The number.
        files: What the files are called.
        scores: Metric -> its band.
        distances: Metric -> how far it lies from GCA, file by file, as a band.
    """

    number: float
    files: Sequence[str]
    scores: Mapping[str, Band]
    distances: Mapping[str, Band]


def series_numbers(name: str, files: Sequence[str]) -> tuple[list[str], list[float]]:
    """Return the paths of files, and the number of each.

    Args:
        name: What the number is: "ratio".
        files: Each as FILE=NUMBER; or as a FILE in whose name the number follows: `ratio_0.05`.

    Raises:
        InputError: A file has no number.
    """
    named = re.compile(rf"{re.escape(name)}[_=-]?(\d+(?:\.\d+)?)")
    paths, numbers, problems = [], [], []
    for file in files:
        given = _GIVEN.fullmatch(file)
        in_name = named.findall(file)
        if given is None and not in_name:
            problems.append(
                f"the name of {file} has no number after `{name}`; give it as {file}=NUMBER"
            )
            continue
        paths.append(file if given is None else given[1])
        numbers.append(float(in_name[-1] if given is None else given[2]))
    refuse("FILE", problems)
    return paths, numbers


def learning_curves(
    numbers: Sequence[float], names: Sequence[str], scores: Sequence[Mapping[str, float]]
) -> list[CurvePoint]:
    """Return the points of the curves of trackers, at least two, in ascending order.

    Args:
        numbers: The number of each tracker; two of them at least differ.
        names: What to call the trackers.
        scores: Metric -> percent, of each; all have the same metrics, GCA among them.

    Raises:
        InputError: There is but one number.
    """
    if len(set(numbers)) < 2:
        raise InputError("FILE", "expected some with at least two different numbers")
    points = []
    for number in sorted(set(numbers)):
        here = [at for at, one in enumerate(numbers) if one == number]
        columns = {metric: [scores[at][metric] for at in here] for metric in scores[0]}
        apart = {
            metric: [abs(a - b) for a, b in zip(column, columns[REFERENCE], strict=True)]
            for metric, column in columns.items()
            if metric != REFERENCE
        }
        points.append(
            CurvePoint(
                number,
                [names[at] for at in here],
                {metric: Band.of(column) for metric, column in columns.items()},
                {metric: Band.of(column) for metric, column in apart.items()},
            )
        )
    return points


def curves_tables(series: str, points: Sequence[CurvePoint]) -> list[Table]:
    """Return the curves as tables: the metrics, and their distances to GCA.

    Args:
        series: What the number is.
        points: The points of the curves.
    """
    titles = {"scores": "Metrics (%)", "distances": f"Distance of metrics to {REFERENCE} (points)"}
    files = [len(point.files) for point in points]
    averaged = f"mean (lowest–highest); files: {', '.join(map(str, files))}"
    return [
        Table(
            kind,
            f"{title} by {series}",
            [series, *(f"{point.number:g}" for point in points)],
            [
                [metric, *(getattr(point, kind)[metric].text() for point in points)]
                for metric in getattr(points[0], kind)
            ],
            [
                {series: point.number, "metric": metric, **asdict(band)}
                for point in points
                for metric, band in getattr(point, kind).items()
            ],
            [averaged] if max(files) > 1 else [],
        )
        for kind, title in titles.items()
    ]
