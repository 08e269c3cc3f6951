"""The statistics of diversity: how often each dialogue has each n-gram.

Counts of n-grams are added up as any other statistic, by products of sparse matrices; how many are
distinct, and the entropies, are computed of the sums.

Three things to know:

- MSTTR is a measure of running text. A window of 50 tokens belongs to the dialogue that it begins
  in, also where it ends in the next one; a sample has the windows of its dialogues, each as it is
  in the system's own text, in the file's order. No text is put together anew.
- A bootstrap sample lacks more than a third of the dialogues, and with them the n-grams that only
  they have. So percentiles of the numbers of distinct n-grams lie below the number itself, and may
  leave it out. Paired tests are fair: both systems lose alike.
- The terms of entropies are rounded a little, to numbers whose sums are exact in whatever order
  they are added. What this makes in the last digits is found once, of the sample that holds every
  dialogue, and taken off every sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix

from ._numbered import numbered_ngrams
from .statistics import Block, Figure, Statistics, everything, joined, split

if TYPE_CHECKING:
    from typing_extensions import Self

    from .statistics import Floats, Ints, Values

Tokens: TypeAlias = Sequence[tuple[str, ...]]
"""The tokens of each response."""

ORDERS = 3
_ENTROPIES = ("entropy", "conditional_entropy")
_SAMPLES_AT_ONCE = 512
"""Few enough for the counts to stay in the processor's caches."""


@dataclass(frozen=True, eq=False)
class NgramStatistics(Statistics):
    """What the diversity of the responses of any choice of dialogues is computed from.

    Attributes:
        tokens: The tokens of each response of each dialogue.
        places: Each dialogue's place in the system's running text.
        figures: The measures of `Diversity`.
        window: The tokens of a window of MSTTR.
        measure: Measures all responses; gives what has the entropies as attributes.
    """

    tokens: Sequence[Tokens]
    places: Ints
    figures: Sequence[Figure]
    window: int
    measure: Callable[[Tokens], Any]

    def part(self, rows: Ints) -> Self:
        """Return the statistics of some dialogues; their running text is computed again."""
        if np.array_equal(rows, np.arange(len(self.tokens))):
            return self
        tokens = [self.tokens[row] for row in rows]
        return replace(self, tokens=tokens, places=self.places[rows])

    def weighted(self, counts: Block) -> Values:
        """Return every measure in the samples."""
        measured = self._measured(counts)
        return {name: values + self._rounding.get(name, 0.0) for name, values in measured.items()}

    def swapped(self, other: Self, swaps: Block) -> tuple[Values, Values]:
        """Return every measure of both systems after the swaps."""
        pair = _pair(self, other)
        rows = swaps.by_sample @ (pair.rows[1] - pair.rows[0])
        found: tuple[list[Values], list[Values]] = ([], [])
        for part in _few(len(rows)):
            moved = _products(pair.moving, swaps, part, pair.kind)
            for values, of_system, totals, change in zip(
                found, pair.rows, pair.totals, (np.add, np.subtract), strict=True
            ):
                counts = [change(own, by) for own, by in zip(totals, moved, strict=True)]
                sums = change(of_system.sum(axis=0), rows[part])
                values.append(_measures(counts, sums, pair.unit))
        return _one_after_another(found[0]), _one_after_another(found[1])

    def _measured(self, counts: Block) -> Values:
        kind = _kind(self._counts, int(counts.numbers.max(initial=0)))
        none = np.zeros((len(self.tokens), _OF_LONE))
        rows = counts.by_sample @ np.hstack([self._rows, none])
        unit = _unit(self._most_tokens)
        return _one_after_another(
            [
                _measures(_products(self._counts, counts, part, kind), rows[part], unit)
                for part in _few(len(rows))
            ]
        )

    @cached_property
    def _rounding(self) -> Mapping[str, float]:
        """What is to be added to the entropies for the last digits to be those of the report."""
        here = self._measured(everything(len(self.tokens)))
        reported = self.measure([*chain.from_iterable(self.tokens)])
        return {
            f"diversity.{name}": getattr(reported, name) - float(here[f"diversity.{name}"][0])
            for name in _ENTROPIES
        }

    @cached_property
    def _rows(self) -> Floats:
        """Per dialogue: tokens, responses, windows of MSTTR, and the sum of their ratios in two."""
        rows = np.zeros((len(self.tokens), 5))
        rows[:, 0] = [sum(map(len, responses)) for responses in self.tokens]
        rows[:, 1] = [len(responses) for responses in self.tokens]
        order = np.argsort(self.places)
        running = [token for at in order for tokens in self.tokens[at] for token in tokens]
        owner = np.repeat(order, rows[order, 0].astype(np.int64))
        window = min(self.window, len(running))
        # Of no text at all there is no window.
        starts = np.arange(0, len(running) - window + bool(running), max(window, 1))
        ratios = [len(set(running[at : at + window])) / window for at in starts]
        np.add.at(rows[:, 2], owner[starts], 1)
        np.add.at(rows[:, 3:], owner[starts], np.array([*map(split, ratios)]).reshape(-1, 2))
        return rows

    @property
    def _most_tokens(self) -> int:
        """The most tokens that a sample of as many dialogues may have."""
        return len(self.tokens) * int(self._rows[:, 0].max(initial=0))

    @cached_property
    def _counts(self) -> list[Any]:
        return _count(self.tokens)


def _count(tokens: Sequence[Tokens]) -> list[Any]:
    """Count n-grams by dialogue, and the tokens that end a response.

    Args:
        tokens: The tokens of each response of each dialogue.

    Returns:
        Per order, and last for the tokens that end a response, a sparse matrix of counts: a row per
        n-gram, a column per dialogue.
    """
    flat = [token for responses in tokens for one in responses for token in one]
    ids: dict[str, int] = {}
    numbers = np.array([ids.setdefault(token, len(ids)) for token in flat], np.int64)
    lengths = np.array([len(one) for responses in tokens for one in responses], np.int64)
    dialogue = np.repeat(np.arange(len(tokens)), [sum(map(len, responses)) for responses in tokens])

    def matrix(rows: Ints, at: Ints, size: int) -> Any:
        ones = np.ones(len(rows), np.int32)
        return csr_matrix((ones, (rows, dialogue[at])), shape=(size, len(tokens)))

    matrices = [
        matrix(rows, at, 1 + int(rows.max(initial=-1)))
        for at, rows in numbered_ngrams(numbers, lengths, ORDERS)
    ]
    ends = np.cumsum(lengths)
    # As unigrams are numbered by their ids, in both.
    return [*matrices, matrix(numbers[ends - 1], ends - 1, len(ids))]


@dataclass(frozen=True)
class _Pair:
    """The counts of two systems in the same dialogues.

    Attributes:
        totals: Of each system, per matrix, the n-grams' counts in all dialogues, as a column.
        moving: Per matrix, what a dialogue that is swapped adds to the first and takes off the
            second: a row per n-gram, a column per dialogue.
        rows: Of each system, what `NgramStatistics._rows` has per dialogue, and `_OF_LONE`.
        kind: The type of all counts.
        unit: What terms of entropies are rounded to.
    """

    totals: tuple[Sequence[Any], Sequence[Any]]
    moving: Sequence[Any]
    rows: tuple[Floats, Floats]
    kind: Any
    unit: float


@lru_cache(maxsize=1)
def _pair(first: NgramStatistics, second: NgramStatistics) -> _Pair:
    """Count the n-grams of two systems; of the last two it is remembered, for further swaps."""
    dialogues = len(first.tokens)
    counts = _count([*first.tokens, *second.tokens])
    unit = _unit(max(first._most_tokens, second._most_tokens))
    # Tokens that end a response are counted along with all others.
    lone = [
        _lone(matrix, dialogues) if order in (1, 2) else np.zeros(matrix.shape[0], np.bool_)
        for order, matrix in enumerate(counts)
    ]
    systems = [
        [matrix[:, columns] for matrix in counts]
        for columns in (slice(dialogues), slice(dialogues, None))
    ]
    rows = [
        np.hstack([one._rows, _rows_of_lone(own, lone, unit)])
        for one, own in zip((first, second), systems, strict=True)
    ]
    mine, theirs = (
        [matrix[~alone] for matrix, alone in zip(own, lone, strict=True)] for own in systems
    )
    moving = [there - here for here, there in zip(mine, theirs, strict=True)]
    kind = _kind([*mine, *theirs, *map(abs, moving)], 1)
    totals = [
        [_totals(matrix).astype(kind)[:, np.newaxis] for matrix in own] for own in (mine, theirs)
    ]
    moving = [matrix.astype(kind) for matrix in moving]
    return _Pair((totals[0], totals[1]), moving, (rows[0], rows[1]), kind, unit)


def _lone(matrix: Any, dialogues: int) -> Any:
    """Tell which n-grams of two systems, one beside the other, only one dialogue has.

    An n-gram that only one dialogue has is there, or there as often, as that is swapped or not: a
    number per dialogue is added up for all of these, in place of one for each.
    """
    if not matrix.nnz:
        return np.zeros(matrix.shape[0], np.bool_)
    numbers, starts = matrix.indices % dialogues, matrix.indptr[:-1]
    return np.minimum.reduceat(numbers, starts) == np.maximum.reduceat(numbers, starts)


_OF_LONE = 3
"""Bigrams that one dialogue alone has, their terms in entropies, and trigrams."""


def _rows_of_lone(matrices: Sequence[Any], lone: Sequence[Any], unit: float) -> Floats:
    """Return, per dialogue, the numbers of `_OF_LONE`."""
    bigrams, trigrams = matrices[1][lone[1]], matrices[2][lone[2]]
    terms, _ = _terms(int(bigrams.data.max(initial=0)), unit)
    weights = (np.ones(bigrams.nnz), terms.take(bigrams.data), np.ones(trigrams.nnz))
    columns = (bigrams.indices, bigrams.indices, trigrams.indices)
    size = matrices[0].shape[1]
    return np.column_stack(
        [np.bincount(*one, minlength=size) for one in zip(columns, weights, strict=True)]
    )


def _totals(matrix: Any) -> Ints:
    return np.asarray(matrix.sum(axis=1)).ravel()


def _kind(matrices: Sequence[Any], times: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type that holds every sum of counts: small numbers are quick."""
    largest = times * max(int(_totals(matrix).max(initial=0)) for matrix in matrices)
    return next(
        kind for kind in (np.int16, np.int32, np.int64) if 2 * largest <= np.iinfo(kind).max
    )


def _few(samples: int) -> Iterator[slice]:
    for start in range(0, samples, _SAMPLES_AT_ONCE):
        yield slice(start, start + _SAMPLES_AT_ONCE)


def _products(matrices: Sequence[Any], block: Block, part: slice, kind: Any) -> list[Any]:
    """Return the matrices' products with some samples: n-grams x samples, each."""
    columns = np.ascontiguousarray(block.by_dialogue[:, part], kind)
    return [matrix.astype(kind) @ columns for matrix in matrices]


def _one_after_another(parts: Sequence[Values]) -> Values:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _unit(tokens: int) -> float:
    """Return what terms of entropies are rounded to: no sum of theirs needs more digits than fit.

    Args:
        tokens: The most tokens that a sample may have.
    """
    largest = max(tokens, 2) * math.log2(max(tokens, 2))
    return math.ldexp(1.0, math.ceil(math.log2(largest)) - 52)


def _measures(counts: Sequence[Any], rows: Floats, unit: float) -> Values:
    """Return every measure of counts of n-grams, n-grams x samples.

    Entropies are computed as (T log T - sum of n log n) / T, with T tokens; a bigram's first token
    counts as often as it does not end a response.

    Args:
        counts: Per order, and last of the tokens that end a response.
        rows: Per sample, what `NgramStatistics._rows` has per dialogue, and `_OF_LONE`.
        unit: What terms of entropies are rounded to.
    """
    unigrams, bigrams, trigrams, ends = counts
    tokens, responses, windows = rows[:, 0], rows[:, 1], rows[:, 2]
    lone_bigrams, lone_terms, lone_trigrams = rows[:, -_OF_LONE:].T
    terms, logs = _terms(int(tokens.max(initial=0)), unit)
    of_tokens = terms.take(unigrams).sum(axis=0)
    of_first = of_tokens - (ends * logs.take(unigrams)).sum(axis=0)
    of_bigrams = terms.take(bigrams).sum(axis=0) + lone_terms
    total = terms.take(tokens.astype(np.int64))
    values = {
        "unigrams": (unigrams > 0).sum(axis=0).astype(np.float64),
        "bigrams": (bigrams > 0).sum(axis=0) + lone_bigrams,
        "trigrams": (trigrams > 0).sum(axis=0) + lone_trigrams,
        "entropy": _shares(total - of_tokens, tokens),
        "conditional_entropy": _shares(of_first - of_bigrams, tokens),
        "mean_length": _shares(tokens, responses),
        "msttr": _shares(joined(rows[:, 3], rows[:, 4]), windows),
    }
    return {f"diversity.{name}": value for name, value in values.items()}


def _terms(largest: int, unit: float) -> tuple[Floats, Floats]:
    """Return n log n and log n of all n from 0, rounded to a unit."""
    numbers = np.arange(1 + largest, dtype=np.float64)
    logs = np.log2(np.maximum(numbers, 1.0))
    return np.round(numbers * logs / unit) * unit, np.round(logs / unit) * unit


def _shares(parts: Floats, wholes: Floats) -> Floats:
    """Return parts of wholes, and 0 where the whole is 0."""
    return np.where(wholes == 0, 0.0, parts / np.where(wholes == 0, 1.0, wholes))
