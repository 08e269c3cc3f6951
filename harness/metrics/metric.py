"""What a metric is: a row of numbers per dialogue, and a formula of their sums.

All that is reported of such a metric follows from these two functions:

- the score is the formula of the sums over all dialogues,
- an interval is the spread of the formula over resampled dialogues,
- a paired test is the formula after two systems have swapped dialogues.

A result that is no formula of sums, such as an entropy, is the metric's `value`: it has neither
interval nor test. A metric has rows and a formula, a value, or both.

Metrics of responses (`registry.py`) compute from `Played`, metrics of belief states
(`tracking/registry.py`) from `TrackedStates`. Figures are in percent unless their metric's unit
says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from ..io import figure, text_table
from ..submission import NormalizedSubmission

Number: TypeAlias = Any
"""A number; of many samples at once, an array with a number per sample: formulas take both."""

Row: TypeAlias = Mapping[str, float]
"""Column -> number."""

Rows: TypeAlias = Mapping[str, Row]
"""Dialogue id -> its row. All rows of a metric have the same columns."""

Sums: TypeAlias = Mapping[str, Number]
"""Column -> the sum of its numbers; of many samples at once, an array with a sum per sample."""

Figures: TypeAlias = Mapping[str, Number]
"""Figure -> value; of many samples at once, an array with a value per sample."""

Formula: TypeAlias = Callable[[Sums], Figures]
"""Makes the figures of sums."""

Results: TypeAlias = Mapping[str, Any]
"""Key in reports -> result of a metric."""

HUMAN = "human."
"""What stands before a figure's own name if it is that of the benchmark's human responses:
`grounded.human.inform` is beside `grounded.inform`."""

Input = TypeVar("Input")
"""What rows and values are made of: `Played`, or `TrackedStates`."""


@dataclass(frozen=True)
class Figure:
    """A number of a metric, and how tables show it.

    Attributes:
        name: What JSON and options call it.
        title: What tables call it.
        digits: Digits after the point that tables of scores show.
        interval_digits: Digits of tables with intervals and differences.
        main: Whether it is one of the few that papers compare systems by.
        use: "reported" if papers report it and the board may have a column for it; "shown" if only
            tables of several files have one; "detail" if it is in JSON, intervals and tests alone.
        won: The column that is 1 for each dialogue won and 0 for the others, if the figure is a
            rate of dialogues: its interval and its test are exact.
        lowest: The least value it can have.
        highest: The greatest value it can have.
    """

    name: str
    title: str
    digits: int = 2
    interval_digits: int = 2
    main: bool = False
    use: Literal["reported", "shown", "detail"] = "reported"
    won: str | None = None
    lowest: float = 0.0
    highest: float = 100.0


def results_table(presentation: Presentation, results: Results) -> str:
    """Return numbers as a table of two columns, with the metric's unit."""
    header = ""
    rows = []
    for result in results.values():
        if isinstance(result, Mapping):
            header = presentation.title
            for name, value in result.items():
                rows.append([name, figure(value, presentation.digits)])
        else:
            rows.append([presentation.title, figure(result, presentation.digits)])
    return text_table([header, presentation.unit], rows)


@dataclass(frozen=True)
class Presentation:
    """How tables and documents show a metric.

    Documents take description, unit and source of the harness's own metrics from the glossary.

    Attributes:
        title: What tables call it.
        description: What it measures, in one sentence.
        unit: The unit of its figures ("percent", "bits", …), which `results_table` shows.
        source: The publication that defines it.
        figures: Its figures: all that its formula may give.
        late_figures: Returns its figures, if importing them takes long; none of these is in tables
            of scores.
        digits: Digits after the point of results that have no figure of their own.
        text: Shows the results of a report for people, given this and the results.
    """

    title: str
    description: str = ""
    unit: str = ""
    source: str = ""
    figures: Sequence[Figure] = ()
    late_figures: Callable[[], Sequence[Figure]] | None = None
    digits: int = 2
    text: Callable[[Presentation, Results], str] = results_table

    def all_figures(self) -> Sequence[Figure]:
        """Return its figures, late ones as well."""
        return self.figures if self.late_figures is None else self.late_figures()


@dataclass(frozen=True)
class Metric(Generic[Input]):
    """A metric of responses or of belief states.

    Attributes:
        name: What `--metrics` calls it, and the key of its result in reports.
        presentation: How tables and documents show it.
        rows: Makes the row of every dialogue.
        formula: Makes the figures of sums of rows. Its figure called like the metric is the result,
            unless there is a `value`.
        value: Makes the results: key in reports -> result; empty if there is nothing to say.
        result: Key in reports -> type of the result, by which it is read back from JSON; or a
            function that returns this, if importing the type takes long.
        details: Says what per-dialogue lines hold of the metric: dialogue id -> details.
        parameters: What its definition fixes, for the signature: name -> value.
        unfit: Says why it cannot be computed of a submission; returns None if it can.
        needs: What it computes from besides responses and goals: "states", "references".
        is_default: Whether it is computed where no metrics are named.
        takes_samples: Whether the formula takes sums of many samples at once, as arrays.

    >>> def count_words(responses):
    ...     rows = {}
    ...     for dialogue, texts in responses.items():
    ...         words = sum(len(text.split()) for text in texts)
    ...         rows[dialogue] = {"turns": len(texts), "words": words}
    ...     return rows
    >>> def mean_length(sums):
    ...     return {"length": sums["words"] / sums["turns"]}
    >>> shown = Presentation("Length", "How long responses are.", "words", "this example")
    >>> length = Metric("length", shown, rows=count_words, formula=mean_length)
    >>> rows = length.rows({"sng0073": ["hello there"], "mul0001": ["bye", "see you again soon"]})
    >>> rows["mul0001"]
    {'turns': 2, 'words': 5}
    >>> length.formula(sum_rows(rows))
    {'length': 2.3333333333333335}
    """

    name: str
    presentation: Presentation
    rows: Callable[[Input], Rows] | None = None
    formula: Formula | None = None
    value: Callable[[Input], Results] | None = None
    result: Mapping[str, object] | Callable[[], Mapping[str, object]] = field(default_factory=dict)
    details: Callable[[Input], Results] | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    unfit: Callable[[NormalizedSubmission], str | None] = lambda submission: None
    needs: Sequence[str] = ("states",)
    is_default: bool = True
    takes_samples: bool = False


def sum_rows(rows: Rows) -> Row:
    """Add up the rows of dialogues, column by column.

    >>> sum_rows({"sng0073": {"turns": 1, "words": 2}, "mul0001": {"turns": 2, "words": 5}})
    {'turns': 3.0, 'words': 7.0}
    """
    columns: dict[str, list[float]] = {}
    for row in rows.values():
        for column, number in row.items():
            columns.setdefault(column, []).append(number)
    # fsum rounds once, so that the order of the dialogues makes no difference.
    return {column: math.fsum(numbers) for column, numbers in columns.items()}


def share(part: Number, whole: Number, of_nothing: Number = 0.0) -> Number:
    """Return a part of a whole, and another share where the whole is 0.

    Args:
        part: A number, or an array of one number per sample.
        whole: The same.
        of_nothing: The share where the whole is 0.

    Returns:
        A number; of arrays, an array.

    >>> share(1, 4), share(0, 0), share(0, 0, of_nothing=1.0)
    (0.25, 0.0, 1.0)
    """
    if isinstance(whole, float | int):
        return part / whole if whole else of_nothing
    if whole.all():
        return part / whole
    # Imports NumPy late: it takes 0.1 s, and most scores do without arrays.
    import numpy as np

    return np.where(whole == 0, of_nothing, part / np.where(whole == 0, 1, whole))


def percent(parts: Number, whole: Number, of_nothing: float = 0.0) -> Number:
    """Return parts of a whole in percent, and another share (0 to 1) where the whole is 0.

    >>> percent(1, 4), percent(0, 0)
    (25.0, 0.0)
    """
    return share(100 * parts, whole, 100 * of_nothing)
