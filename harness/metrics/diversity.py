"""How varied a system's responses are.

Conventions: counts are numbers of distinct n-grams, entropies are in bits, the mean length is in
tokens per response, MSTTR is a share (0 to 1). Tokens are those of the lexical-diversity package
that the published figures were made with. Of no tokens at all every measure is 0.

Source: "Shades of BLEU, Flavours of Success" (2021), section 5.3; van Miltenburg et al. (2018).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from mwz.normalization.remembering import SHORT, Remembered, remembering

from ..io.rendering import figure, text_table
from . import Metric
from .played import Played
from .statistics import Figure, Statistics

MSTTR_WINDOW = 50

# Deleted from a response before it is split, in this order.
_PAIR = "``"
_MARKS = str.maketrans("", "", "'.,?!)(%/-_")
_WORD = "SYM"
_COLONS = str.maketrans("", "", ":;")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True)
class Diversity:
    """The diversity of a set of responses.

    Attributes:
        unigrams: Distinct tokens.
        bigrams: Distinct pairs of neighbouring tokens of a response.
        trigrams: Distinct triples of neighbouring tokens of a response.
        entropy: Shannon entropy of the tokens, in bits.
        conditional_entropy: Entropy of a token given the one before it, in bits.
        mean_length: Tokens per response.
        msttr: Mean type-token ratio of consecutive windows of 50 tokens, a share.
    """

    unigrams: int
    bigrams: int
    trigrams: int
    entropy: float
    conditional_entropy: float
    mean_length: float
    msttr: float


def diversity(responses: Iterable[str]) -> Diversity:
    """Measure the diversity of normalised responses; their order matters to MSTTR alone."""
    texts = [*responses]
    tokens = {text: tokens_of(text) for text in dict.fromkeys(texts)}
    return diversity_of_tokens([*map(tokens.__getitem__, texts)])


def diversity_of_tokens(tokenized: Sequence[tuple[str, ...]]) -> Diversity:
    """Measure the diversity of responses, given the tokens of each."""
    import numpy as np

    from ._numbered import numbered_ngrams

    # Systems repeat themselves, and equal responses share their tokens: n-grams are counted in each
    # distinct response once.
    times = Counter(map(id, tokenized))
    distinct = [*{id(one): one for one in tokenized}.values()]
    ids = {token: id_ for id_, token in enumerate(dict.fromkeys(chain.from_iterable(distinct)))}
    tokens = np.array([*map(ids.__getitem__, chain.from_iterable(distinct))], np.int64)
    lengths = np.array([*map(len, distinct)], np.int64)
    weights = np.repeat([*times.values()], lengths)
    (_, _), (first, pair), (_, triple) = numbered_ngrams(tokens, lengths, 3)
    unigrams, bigrams = np.bincount(tokens, weights), np.bincount(pair, weights[first])
    # What each pair begins with.
    begins = np.empty(len(bigrams), np.int64)
    begins[pair] = tokens[first]
    total = sum(map(len, tokenized))
    follow = zip(bigrams.tolist(), unigrams[begins].tolist(), strict=True)
    # Sums are subtracted from 0 and not negated: of nothing varied, 0 must not come out as -0.
    return Diversity(
        unigrams=len(ids),
        bigrams=len(bigrams),
        trigrams=1 + int(triple.max(initial=-1)),
        entropy=0.0 - math.fsum(n / total * math.log2(n / total) for n in unigrams.tolist()),
        conditional_entropy=0.0 - math.fsum(n / total * math.log2(n / of) for n, of in follow),
        mean_length=total / len(tokenized) if tokenized else 0.0,
        msttr=_msttr([*chain.from_iterable(tokenized)]),
    )


@remembering(1 << 14)
def tokens_of(response: str) -> tuple[str, ...]:
    """Return the tokens of a normalised response."""
    words = response.split()
    if " ".join(words) != response or not words:
        return tuple(_BLANKS.sub(" ", _unmarked(response)).split(" "))
    unmarked = _remembered.__getitem__ if len(response) <= SHORT else _unmarked
    tokens = [*map(unmarked, words)]
    # Of marks alone nothing is left in the midst of a response, but at its ends an empty token.
    last = len(tokens) - 1
    return tuple(
        [token for at, token in enumerate(tokens) if token or at in (0, last)]
        if "" in tokens
        else tokens
    )


def _unmarked(text: str) -> str:
    text = text.replace(_PAIR, "").translate(_MARKS)
    return text.replace(_WORD, "").translate(_COLONS).lower()


# Responses share their words.
_remembered = Remembered(_unmarked, 1 << 14)


def _msttr(tokens: Sequence[str]) -> float:
    """Return the mean type-token ratio of the full windows, or of a text that fills none."""
    if not tokens:
        return 0.0
    window = min(MSTTR_WINDOW, len(tokens))
    starts = range(0, len(tokens) - window + 1, window)
    return math.fsum(len(set(tokens[at : at + window])) / window for at in starts) / len(starts)


# Field -> what people call it, and the digits shown.
TITLES: Mapping[str, tuple[str, int]] = {
    "unigrams": ("unique unigrams", 0),
    "bigrams": ("unique bigrams", 0),
    "trigrams": ("unique trigrams", 0),
    "entropy": ("token entropy (bits)", 2),
    "conditional_entropy": ("bigram conditional entropy (bits)", 2),
    "mean_length": ("tokens per response", 2),
    "msttr": ("MSTTR-50", 2),
}


# Of what is no count, the ends of an interval often differ in the third digit only.
_FIGURES = tuple(
    Figure(f"diversity.{name}", title, digits + 1 if digits else 0)
    for name, (title, digits) in TITLES.items()
)


def statistics(played: Played) -> Statistics:
    """Return the statistics of every measure."""
    return statistics_of([*played.responses.values()])


def statistics_of(dialogues: Sequence[Sequence[str]]) -> Statistics:
    """Return the statistics of the normalised responses of dialogues, in their order."""
    import numpy as np

    from ._ngrams import NgramStatistics

    return NgramStatistics(
        tokens=[[tokens_of(text) for text in texts] for texts in dialogues],
        places=np.arange(len(dialogues)),
        figures=_FIGURES,
        window=MSTTR_WINDOW,
        measure=diversity_of_tokens,
    )


def _text(_: Metric, measured: Diversity) -> str:
    rows = [
        [title, figure(getattr(measured, name), digits)] for name, (title, digits) in TITLES.items()
    ]
    return text_table(["diversity", ""], rows)


METRIC = Metric(
    name="diversity",
    title="Diversity",
    states=False,
    description="How varied the responses are: distinct n-grams, entropies, length, MSTTR.",
    unit="counts, bits, tokens, shares",
    source="Nekvinda & Dušek (2021), section 5.3; van Miltenburg et al. (2018)",
    compute=lambda played: diversity(played.texts),
    made_of=lambda played: played.texts,
    statistics=statistics,
    result=Diversity,
    text=_text,
    headlines=(),
    aliases=("richness",),
    rank=3,
)
