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
from itertools import chain, pairwise

from ..io import figure, text_table
from .metric import Metric

MSTTR_WINDOW = 50

# Deleted from a response before it is split, in this order.
_DELETED = ("``", *"'.,?!)(%/-_", "SYM", *":;")
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


def measured_diversity(responses: Iterable[str]) -> Diversity:
    """Measure the diversity of normalised responses; their order matters to MSTTR alone."""
    texts = [*responses]
    tokens = {text: tokens_of(text) for text in dict.fromkeys(texts)}
    running = [*chain.from_iterable(map(tokens.__getitem__, texts))]
    total = len(running)
    unigrams = Counter(running)
    bigrams: Counter[tuple[str, str]] = Counter()
    for text, times in Counter(texts).items():
        for pair in pairwise(tokens[text]):
            bigrams[pair] += times
    triples = (zip(words, words[1:], words[2:], strict=False) for words in tokens.values())
    follow = ((n, unigrams[first]) for (first, _), n in bigrams.items())
    # Sums are subtracted from 0 and not negated: of nothing varied, 0 must not come out as -0.
    return Diversity(
        unigrams=len(unigrams),
        bigrams=len(bigrams),
        trigrams=len(set(chain.from_iterable(triples))),
        entropy=0.0 - math.fsum(n / total * math.log2(n / total) for n in unigrams.values()),
        conditional_entropy=0.0 - math.fsum(n / total * math.log2(n / of) for n, of in follow),
        mean_length=total / len(texts) if texts else 0.0,
        msttr=_msttr(running),
    )


def tokens_of(response: str) -> list[str]:
    """Return the tokens of a normalised response."""
    for deleted in _DELETED:
        response = response.replace(deleted, "")
    return _BLANKS.split(response.lower())


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
    per_dialogue=lambda played: [*played.responses.values()],
    fills="responses",
    compute=lambda results: measured_diversity(text for one in results for text in one.responses),
    result=Diversity,
    text=_text,
    aliases=("richness",),
    rank=3,
)
