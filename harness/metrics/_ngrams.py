"""The statistics of diversity: how often each dialogue has each n-gram.

Counts of n-grams are added up as any other statistic, by products of sparse matrices; how many are
distinct, and the entropies, are computed of the sums. Of trigrams it is enough whether a sample has
them, which is computed with a bit per sample.

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
_FREQUENT = 64
"""N-grams that occur more often than this are multiplied faster by a matrix that is not sparse."""


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
            columns = np.ascontiguousarray(swaps.by_dialogue[:, part], pair.kind)
            moved = [matrix @ columns for matrix in pair.moving]
            theirs, ours = columns > 0, columns == 0
            for values, of_system, totals, change, taken in zip(
                found,
                pair.rows,
                pair.totals,
                (np.add, np.subtract),
                ((ours, theirs), (theirs, ours)),
                strict=True,
            ):
                counts = [change(own, by) for own, by in zip(totals, moved, strict=True)]
                sums = change(of_system.sum(axis=0), rows[part])
                trigrams = pair.always + pair.trigrams.present(np.vstack(taken))
                values.append(_measures(counts, trigrams, sums, pair.unit))
        return _one_after_another(found[0]), _one_after_another(found[1])

    def _measured(self, counts: Block) -> Values:
        *matrices, trigrams = self._counts
        times = int(counts.numbers.max(initial=0))
        kind = _kind([times * matrix.sums for matrix in matrices])
        none = np.zeros((len(self.tokens), _OF_LONE))
        rows = counts.by_sample @ np.hstack([self._rows, none])
        unit = _unit(self._most_tokens)
        found = []
        for part in _few(len(rows)):
            columns = np.ascontiguousarray(counts.by_dialogue[:, part], kind)
            products = [matrix @ columns for matrix in matrices]
            present = trigrams.present(columns > 0)
            found.append(_measures(products, present, rows[part], unit))
        return _one_after_another(found)

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
    def _counts(self) -> list[_Counts]:
        return _count(self.tokens)


@dataclass(frozen=True)
class _Counts:
    """How often each dialogue has each n-gram: a sparse matrix.

    It can be multiplied with samples without SciPy, which does that faster, but takes longer to
    import than most products take.

    Attributes:
        ngrams: Of every occurrence the number of its n-gram, in order.
        dialogues: The dialogue that it is in.
        shape: The number of all n-grams and of all dialogues.
    """

    ngrams: Ints
    dialogues: Ints
    shape: tuple[int, int]

    @classmethod
    def of(cls, ngrams: Ints, dialogues: Ints, shape: tuple[int, int]) -> _Counts:
        """Return the counts of occurrences in any order."""
        order = np.argsort(ngrams, kind="stable")
        return cls(ngrams[order], dialogues[order], shape)

    @cached_property
    def sums(self) -> Ints:
        """How often all dialogues together have each n-gram."""
        return np.bincount(self.ngrams, minlength=self.shape[0])

    def without(self, left_out: Any) -> _Counts:
        """Return the counts without some n-grams, which keep their numbers."""
        kept = ~left_out[self.ngrams]
        return _Counts(self.ngrams[kept], self.dialogues[kept], self.shape)

    def present(self, dialogues: Any) -> Ints:
        """Return how many n-grams each sample has.

        Args:
            dialogues: Dialogues x samples: whether it has the dialogue.
        """
        samples = dialogues.shape[1]
        if not len(self.ngrams):
            return np.zeros(samples, np.int64)
        bits = np.zeros((len(dialogues), -(-samples // 64) * 8), np.uint8)
        bits[:, : -(-samples // 8)] = np.packbits(dialogues, axis=1)
        starts = np.flatnonzero(np.diff(self.ngrams, prepend=-1))
        words = bits.view(np.uint64)[self.dialogues]
        found = np.bitwise_or.reduceat(words, starts, axis=0).view(np.uint8)
        having: Ints = np.unpackbits(found, axis=1, count=samples).sum(axis=0, dtype=np.int64)
        return having

    def __matmul__(self, columns: Any) -> Any:
        """Return how often samples have each n-gram: n-grams x samples.

        Args:
            columns: Dialogues x samples, of a type that holds every result: how often it has the
                dialogue.
        """
        frequent, layers, places = self._by_frequency
        # Whole numbers as small are exact in this type.
        exact = np.float32 if columns.dtype == np.int16 else np.float64
        result = np.zeros((self.shape[0], columns.shape[1]), columns.dtype)
        result[: len(frequent)] = frequent.astype(exact) @ columns.astype(exact)
        rest = result[len(frequent) :]
        for dialogues in layers:
            rest[: len(dialogues)] += columns.take(dialogues, axis=0)
        return result.take(places, axis=0)

    @cached_property
    def _by_frequency(self) -> tuple[Floats, list[Ints], Ints]:
        """The counts where the most frequent n-grams come first.

        Of the frequent ones, the counts, n-grams x dialogues. Of the others, the dialogue in which
        each occurs first, that in which it does again, where it does, and so on. And the place of
        each n-gram.
        """
        places = np.argsort(np.argsort(-self.sums, kind="stable"))
        frequent = int((self.sums > _FREQUENT).sum())
        of_frequent = places[self.ngrams] < frequent
        cells = places[self.ngrams] * self.shape[1] + self.dialogues
        counts = np.bincount(cells[of_frequent], minlength=frequent * self.shape[1])
        layer = np.arange(len(self.ngrams)) - (np.cumsum(self.sums) - self.sums)[self.ngrams]
        order = np.lexsort((places[self.ngrams], layer))
        order = order[~of_frequent[order]]
        ends = np.cumsum(np.bincount(layer[order]))[:-1]
        layers = np.split(self.dialogues[order], ends)
        return counts.reshape(frequent, self.shape[1]).astype(np.float32), layers, places


def _count(tokens: Sequence[Tokens]) -> list[_Counts]:
    """Count unigrams, bigrams, the tokens that end a response, and trigrams.

    Args:
        tokens: The tokens of each response of each dialogue.
    """
    flat = [token for responses in tokens for one in responses for token in one]
    ids: dict[str, int] = {}
    numbers = np.array([ids.setdefault(token, len(ids)) for token in flat], np.int64)
    lengths = np.array([len(one) for responses in tokens for one in responses], np.int64)
    dialogue = np.repeat(np.arange(len(tokens)), [sum(map(len, responses)) for responses in tokens])

    def counts(ngrams: Ints, at: Ints, size: int) -> _Counts:
        return _Counts.of(ngrams, dialogue[at], (size, len(tokens)))

    unigrams, bigrams, trigrams = (
        counts(ngrams, at, 1 + int(ngrams.max(initial=-1)))
        for at, ngrams in numbered_ngrams(numbers, lengths, ORDERS)
    )
    ends = np.cumsum(lengths)
    # As unigrams are numbered by their ids, in both.
    return [unigrams, bigrams, counts(numbers[ends - 1], ends - 1, len(ids)), trigrams]


@dataclass(frozen=True)
class _Pair:
    """The counts of two systems in the same dialogues.

    Attributes:
        totals: Of each system, per matrix, the n-grams' counts in all dialogues, as a column.
        moving: Per matrix, what a dialogue that is swapped adds to the first and takes off the
            second: a row per n-gram, a column per dialogue.
        trigrams: Those of both systems' dialogues, the first one's and then the second one's,
            without those that a dialogue has in both.
        always: How many these are; every sample has them.
        rows: Of each system, what `NgramStatistics._rows` has per dialogue, and `_OF_LONE`.
        kind: The type of all counts.
        unit: What terms of entropies are rounded to.
    """

    totals: tuple[Sequence[Any], Sequence[Any]]
    moving: Sequence[Any]
    trigrams: _Counts
    always: int
    rows: tuple[Floats, Floats]
    kind: Any
    unit: float


@lru_cache(maxsize=1)
def _pair(first: NgramStatistics, second: NgramStatistics) -> _Pair:
    """Count the n-grams of two systems; of the last two it is remembered, for further swaps."""
    from scipy.sparse import csr_matrix

    dialogues = len(first.tokens)
    *counts, trigrams = _count([*first.tokens, *second.tokens])
    unit = _unit(max(first._most_tokens, second._most_tokens))
    matrices = [
        csr_matrix((np.ones(len(one.ngrams), np.int32), (one.ngrams, one.dialogues)), one.shape)
        for one in counts
    ]
    # Tokens that end a response are counted along with all others.
    lone = [
        _lone(matrix, dialogues) if order == 1 else np.zeros(matrix.shape[0], np.bool_)
        for order, matrix in enumerate(matrices)
    ]
    systems = [
        [matrix[:, columns] for matrix in matrices]
        for columns in (slice(dialogues), slice(dialogues, None))
    ]
    rows = [
        np.hstack([one._rows, _rows_of_lone(own[1][lone[1]], unit)])
        for one, own in zip((first, second), systems, strict=True)
    ]
    mine, theirs = (
        [matrix[~alone] for matrix, alone in zip(own, lone, strict=True)] for own in systems
    )
    moving = [there - here for here, there in zip(mine, theirs, strict=True)]
    kind = _kind([_totals(matrix) for matrix in (*mine, *theirs, *map(abs, moving))])
    totals = [
        [_totals(matrix).astype(kind)[:, np.newaxis] for matrix in own] for own in (mine, theirs)
    ]
    moving = [matrix.astype(kind) for matrix in moving]
    here, of_first = trigrams.dialogues % dialogues, trigrams.dialogues < dialogues
    cells = trigrams.ngrams * dialogues + here
    always = np.zeros(trigrams.shape[0], np.bool_)
    always[np.intersect1d(cells[of_first], cells[~of_first]) // dialogues] = True
    return _Pair(
        (totals[0], totals[1]),
        moving,
        trigrams.without(always),
        int(always.sum()),
        (rows[0], rows[1]),
        kind,
        unit,
    )


def _lone(matrix: Any, dialogues: int) -> Any:
    """Tell which n-grams of two systems, one beside the other, only one dialogue has.

    An n-gram that only one dialogue has is there, or there as often, as that is swapped or not: a
    number per dialogue is added up for all of these, in place of one for each.
    """
    if not matrix.nnz:
        return np.zeros(matrix.shape[0], np.bool_)
    numbers, starts = matrix.indices % dialogues, matrix.indptr[:-1]
    return np.minimum.reduceat(numbers, starts) == np.maximum.reduceat(numbers, starts)


_OF_LONE = 2
"""Bigrams that one dialogue alone has, and their terms in entropies."""


def _rows_of_lone(bigrams: Any, unit: float) -> Floats:
    """Return, per dialogue, the numbers of `_OF_LONE`."""
    terms, _ = _terms(int(bigrams.data.max(initial=0)), unit)
    size = bigrams.shape[1]
    weights = (np.ones(bigrams.nnz), terms.take(bigrams.data))
    return np.column_stack([np.bincount(bigrams.indices, each, size) for each in weights])


def _totals(matrix: Any) -> Ints:
    return np.asarray(matrix.sum(axis=1)).ravel()


def _kind(sums: Sequence[Ints]) -> type[np.signedinteger[Any]]:
    """Return the smallest type that holds every sum of counts: small numbers are quick."""
    largest = max(int(each.max(initial=0)) for each in sums)
    return next(
        kind for kind in (np.int16, np.int32, np.int64) if 2 * largest <= np.iinfo(kind).max
    )


def _few(samples: int) -> Iterator[slice]:
    for start in range(0, samples, _SAMPLES_AT_ONCE):
        yield slice(start, start + _SAMPLES_AT_ONCE)


def _one_after_another(parts: Sequence[Values]) -> Values:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _unit(tokens: int) -> float:
    """Return what terms of entropies are rounded to: no sum of theirs needs more digits than fit.

    Args:
        tokens: The most tokens that a sample may have.
    """
    largest = max(tokens, 2) * math.log2(max(tokens, 2))
    return math.ldexp(1.0, math.ceil(math.log2(largest)) - 52)


def _measures(counts: Sequence[Any], trigrams: Ints, rows: Floats, unit: float) -> Values:
    """Return every measure of counts of n-grams, n-grams x samples.

    Entropies are computed as (T log T - sum of n log n) / T, with T tokens; a bigram's first token
    counts as often as it does not end a response.

    Args:
        counts: Of unigrams, bigrams and the tokens that end a response.
        trigrams: How many each sample has.
        rows: Per sample, what `NgramStatistics._rows` has per dialogue, and `_OF_LONE`.
        unit: What terms of entropies are rounded to.
    """
    unigrams, bigrams, ends = counts
    tokens, responses, windows = rows[:, 0], rows[:, 1], rows[:, 2]
    lone_bigrams, lone_terms = rows[:, -_OF_LONE:].T
    terms, logs = _terms(int(tokens.max(initial=0)), unit)
    of_tokens = terms.take(unigrams).sum(axis=0)
    of_first = of_tokens - (ends * logs.take(unigrams)).sum(axis=0)
    of_bigrams = terms.take(bigrams).sum(axis=0) + lone_terms
    total = terms.take(tokens.astype(np.int64))
    values = {
        "unigrams": (unigrams > 0).sum(axis=0).astype(np.float64),
        "bigrams": (bigrams > 0).sum(axis=0) + lone_bigrams,
        "trigrams": trigrams.astype(np.float64),
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
