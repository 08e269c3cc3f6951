"""BLEU: the counts of responses against the references of all styles at once, and the formula.

An n-gram of a turn has a number that is made of the number of its first n - 1 tokens and of its
last token; the first token's is made of the turn's. So one search among the references' sorted
numbers tells whether a turn's references have an n-gram of the response, and where it goes on.

The counts are those of sacreBLEU's corpus BLEU: one reference per segment, a segment being a system
turn; segments are compared by position. The formula, which scores, intervals and tests share, is
that of sacreBLEU's default settings: n-grams up to 4, exponential smoothing.

Tokens are those of sacreBLEU's 13a, whose plain words are split here. A shortcut: importing
sacreBLEU and giving it every word takes a third of the time of a score, and most systems have plain
words alone. A word that is not plain goes to sacreBLEU's tokeniser, and `mwz verify --reference`
gives it all. Tests compare both on published outputs and generated texts.

Source: Papineni et al. (2002); Post (2018), "A Call for Clarity in Reporting BLEU Scores".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

# NumPy is imported where it is used: it takes 0.1 s, and most commands count no n-grams.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Ints: TypeAlias = NDArray[np.int64]

MAX_ORDER = 4
COLUMNS = 2 + 2 * MAX_ORDER
"""How many counts BLEU is computed from: the lengths of responses and references, then per order
the matches, then per order the n-grams of the responses."""

_LOG_OF_ZERO = -9999999999.0
"""What sacreBLEU takes for the logarithm of a precision of 0."""

Tokenizer: TypeAlias = Callable[[str], Sequence[str]]
"""Splits a text into tokens."""

_LONG = 256
"""Characters of a word above which its tokens are not kept."""

_PLAIN = re.compile(r"(?:[A-Za-z'!-%(-+:;=-@[-`{-~/-]|[.,](?![0-9])|[0-9](?!-))*")
"""A word that 13a splits at every mark."""

_PARTS = re.compile(r"[A-Za-z0-9'-]+|.")


def tokenize_13a(text: str) -> list[str]:
    """Tokenise as `mteval-v13a` does, sacreBLEU's default.

    The rules look at neighbouring characters only, and treat a blank as they do the end of a text,
    so a text is tokenised word by word; a hyphen before a line end is joined to what follows, so a
    text of several lines is tokenised as a whole.
    """
    if "\n" in text:
        return _tokens(text.rstrip())
    split = _kept_tokens if len(text) <= _LONG else _tokens
    return list(chain.from_iterable(map(split, text.split())))


def reference_13a(text: str) -> list[str]:
    """Tokenise by sacreBLEU's own 13a tokeniser."""
    # Imports NumPy late, with sacreBLEU: it takes 0.1 s.
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    tokens: list[str] = Tokenizer13a()(text).split()
    # They would keep every text, of any length.
    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()
    return tokens


def _tokens(text: str) -> list[str]:
    return _PARTS.findall(text) if _PLAIN.fullmatch(text) else reference_13a(text)


_kept_tokens = lru_cache(maxsize=1 << 14)(_tokens)


@dataclass(frozen=True, eq=False)
class References:
    """The references of a benchmark, tokenised once.

    Attributes:
        styles: The reference styles.
        first: Dialogue id -> the number of its first turn.
        words: Token -> its number.
        lengths: Style x turn -> tokens of the reference.
        keys: Per order, the numbers of the references' n-grams, sorted.
        counts: Per order, n-gram x style -> how often the turn's reference has it.
        bounds: Per order, turn -> where its n-grams begin among `keys`; one more for the end.
        tokenize: Splits a text into tokens.
    """

    styles: Sequence[str]
    first: Mapping[str, int]
    words: Mapping[str, int]
    lengths: _Ints
    keys: Sequence[_Ints]
    counts: Sequence[NDArray[np.uint16]]
    bounds: Sequence[_Ints]
    tokenize: Tokenizer = tokenize_13a

    @classmethod
    def of_texts(
        cls,
        references: Mapping[str, Mapping[str, Sequence[str]]],
        tokenize: Tokenizer = tokenize_13a,
    ) -> References:
        """Return the references of dialogues.

        Args:
            references: Dialogue id -> style -> normalised references, one per system turn.
            tokenize: Splits a text into tokens, of responses as well as of references.
        """
        import numpy as np

        styles = list(next(iter(references.values()), {}))
        turns_of = [len(by_style[styles[0]]) for by_style in references.values()]
        turns, width = sum(turns_of), len(styles)
        texts: list[str] = []
        for style in styles:
            for by_style in references.values():
                texts += by_style[style]
        tokens_of_texts = [tokenize(text) for text in dict.fromkeys(texts)]
        vocabulary = dict.fromkeys(chain.from_iterable(tokens_of_texts))
        words = {word: number for number, word in enumerate(vocabulary)}
        tokens, lengths = _numbered(texts, words, tokenize)
        ends = np.repeat(np.cumsum(lengths), lengths)
        text_of_token = np.repeat(np.arange(len(texts)), lengths)
        style_of_token, turn_of_token = np.divmod(text_of_token, max(turns, 1))
        keys: list[_Ints] = []
        counts: list[NDArray[np.uint16]] = []
        bounds: list[_Ints] = []
        # Where n-grams begin, and the numbers of their first n - 1 tokens.
        starts, numbers = np.arange(len(tokens)), turn_of_token
        for order in range(MAX_ORDER):
            starts, ngrams = _longer_ngrams(starts, numbers, order, tokens, ends, len(words))
            distinct, numbers = np.unique(ngrams, return_inverse=True)
            cells = numbers * width + style_of_token[starts]
            times = np.bincount(cells, minlength=len(distinct) * width)
            turn_of_ngram = np.empty(len(distinct), np.int64)
            turn_of_ngram[numbers] = turn_of_token[starts]
            keys.append(distinct)
            counts.append(times.reshape(-1, width).astype(np.uint16))
            bounds.append(np.searchsorted(turn_of_ngram, np.arange(turns + 1)))
        first = dict(zip(references, np.cumsum([0, *turns_of]).tolist(), strict=False))
        shaped = lengths.reshape(width, -1)
        return cls(styles, first, words, shaped, keys, counts, bounds, tokenize)

    def counts_of(self, responses: Mapping[str, Sequence[str]]) -> _Ints:
        """Return what BLEU is computed of: dialogues x styles x `COLUMNS`.

        Args:
            responses: Dialogue id -> normalised responses, one per system turn from the first; what
                they leave out of the benchmark is left out.
        """
        import numpy as np

        played = np.fromiter(map(len, responses.values()), np.int64)
        ends = np.cumsum(played)
        first = np.fromiter((self.first[id_] for id_ in responses), np.int64)
        turns = np.repeat(first - ends + played, played) + np.arange(played.sum())
        texts = list(chain.from_iterable(responses.values()))
        tokens, lengths = _numbered(texts, self.words, self.tokenize)
        rows = np.zeros((len(turns), len(self.styles), COLUMNS), np.int64)
        rows[:, :, 0] = lengths[:, np.newaxis]
        rows[:, :, 1] = self.lengths[:, turns].T
        ends_of_tokens = np.repeat(np.cumsum(lengths), lengths)
        # N-grams that the references lack are dropped.
        starts, numbers = np.arange(len(tokens)), np.repeat(turns, lengths)
        for order in range(MAX_ORDER):
            rows[:, :, 2 + MAX_ORDER + order] = np.maximum(lengths - order, 0)[:, np.newaxis]
            keys = self.keys[order]
            if not len(keys):
                continue
            starts, ngrams = _longer_ngrams(
                starts, numbers, order, tokens, ends_of_tokens, len(self.words)
            )
            places = np.searchsorted(keys[:-1], ngrams)
            is_shared = keys[places] == ngrams
            starts, numbers = starts[is_shared], places[is_shared]
            matched, occurrences = np.unique(numbers, return_counts=True)
            shared = np.minimum(occurrences[:, np.newaxis], self.counts[order][matched])
            begin, end = np.searchsorted(matched, self.bounds[order][[turns, turns + 1]])
            rows[:, :, 2 + order] = _sums(shared, begin, end)
        return _sums(rows, ends - played, ends)

    def packed(self) -> tuple[object, ...]:
        """Return the references as plain data, for `unpacked`; their tokeniser is left out."""
        arrays: list[NDArray[Any]] = [self.lengths, *self.keys, *self.counts, *self.bounds]
        contents = [(array.dtype.str, array.shape, array.tobytes()) for array in arrays]
        return list(self.styles), dict(self.first), dict(self.words), contents

    @classmethod
    def unpacked(cls, packed: tuple[Any, ...]) -> References:
        """Return the references that `packed` gave, tokenised by 13a."""
        import numpy as np

        styles, first, words, contents = packed
        arrays = [np.frombuffer(data, kind).reshape(shape) for kind, shape, data in contents]
        keys = arrays[1 : 1 + MAX_ORDER]
        counts = arrays[1 + MAX_ORDER : 1 + 2 * MAX_ORDER]
        bounds = arrays[1 + 2 * MAX_ORDER :]
        return cls(styles, first, words, arrays[0], keys, counts, bounds)


def _longer_ngrams(
    starts: _Ints, numbers: _Ints, order: int, tokens: _Ints, ends: _Ints, words: int
) -> tuple[_Ints, _Ints]:
    """Return where n-grams of one more token begin, and a number that tells them apart.

    Args:
        starts: Where the shorter n-grams begin.
        numbers: Their numbers; of no tokens yet, those of the turns.
        order: How many tokens they have.
        tokens: The numbers of the tokens of all texts.
        ends: Of each token, where its text ends.
        words: How many tokens are known; all others have this number.
    """
    is_whole = starts + order < ends[starts]
    starts = starts[is_whole]
    return starts, numbers[is_whole] * (words + 1) + tokens[starts + order]


def _numbered(
    texts: Sequence[str], words: Mapping[str, int], tokenize: Tokenizer
) -> tuple[_Ints, _Ints]:
    """Return the numbers of the texts' tokens, and how many tokens each text has."""
    import numpy as np

    unknown = len(words)
    # Systems repeat themselves.
    numbers_of: dict[str, list[int]] = {}
    for text in dict.fromkeys(texts):
        numbers_of[text] = [words.get(token, unknown) for token in tokenize(text)]
    numbers = [numbers_of[text] for text in texts]
    flat = np.fromiter(chain.from_iterable(numbers), np.int64)
    return flat, np.fromiter(map(len, numbers), np.int64)


def _sums(rows: NDArray[Any], starts: _Ints, ends: _Ints) -> _Ints:
    """Return the sums of the rows from each start to its end."""
    import numpy as np

    running = np.zeros((len(rows) + 1, *rows.shape[1:]), np.int64)
    np.cumsum(rows, axis=0, out=running[1:])
    return running[ends] - running[starts]


def bleu_of_counts(counts: Sequence[float]) -> float:
    """Return BLEU in percent of `COLUMNS` counts, to the last digit as sacreBLEU computes it.

    Ten tokens against a reference of ten, with 9 unigrams, 7 bigrams, 5 trigrams and 3 four-grams
    in common:

    >>> round(bleu_of_counts([10, 10, 9, 7, 5, 3, 10, 9, 8, 7]), 2)
    65.8
    """
    length, reference_length = counts[0], counts[1]
    matches = counts[2 : 2 + MAX_ORDER]
    totals = counts[2 + MAX_ORDER : COLUMNS]
    if not any(matches):
        return 0.0
    smoothing = 1.0
    log_precisions = []
    for matched, total in zip(matches, totals, strict=True):
        if not total:
            log_precisions.append(_LOG_OF_ZERO)
        elif matched:
            log_precisions.append(math.log(100.0 * matched / total))
        else:
            # 1/2 of a match for the first order without any, then 1/4, …
            smoothing *= 2
            log_precisions.append(math.log(100.0 / (smoothing * total)))
    brevity_penalty = math.exp(min(1 - reference_length / length, 0.0))
    return brevity_penalty * math.exp(sum(log_precisions) / MAX_ORDER)


def bleu_of_samples(counts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return BLEU in percent of many samples, by the formula of `bleu_of_counts`.

    Args:
        counts: `COLUMNS` arrays, each with a number per sample.
    """
    import numpy as np

    length = np.maximum(counts[0], 1)
    brevity_penalty = np.exp(np.minimum(1 - counts[1] / length, 0.0))
    matches = counts[2 : 2 + MAX_ORDER]
    totals = counts[2 + MAX_ORDER : COLUMNS]
    product = math.prod(matches[1:], start=matches[0])
    if product.min() > 0:
        # Nothing to smooth, as nearly always. Two roots, for `MAX_ORDER` orders, take a tenth of
        # the time of logarithms.
        precisions = product / math.prod(totals[1:], start=totals[0])
        bleu: NDArray[Any] = 100.0 * brevity_penalty * np.sqrt(np.sqrt(precisions))
        return bleu
    log_precisions = np.zeros_like(length, dtype=np.float64)
    smoothing = np.ones_like(log_precisions)
    has_match = np.zeros_like(length, dtype=bool)
    for matched, total in zip(matches, totals, strict=True):
        smoothing = np.where((total > 0) & (matched == 0), 2 * smoothing, smoothing)
        counted = np.where(matched > 0, matched, 1 / smoothing)
        precision = 100.0 * counted / np.maximum(total, 1)
        log_precisions += np.where(total > 0, np.log(precision), _LOG_OF_ZERO)
        has_match |= matched > 0
    bleu = brevity_penalty * np.exp(log_precisions / MAX_ORDER)
    return np.where(has_match, bleu, 0.0)
