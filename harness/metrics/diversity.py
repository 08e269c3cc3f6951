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
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, pairwise

from ..io import figure, text_table
from .metric import Figure, Metric, Presentation, Results
from .played import Played

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
    """Measure the diversity of normalised responses; their order matters to MSTTR alone.

    >>> measured = measured_diversity(["yes , it is", "it is"])
    >>> measured.unigrams, measured.bigrams, measured.trigrams, measured.mean_length
    (4, 3, 2, 3.0)
    """
    texts = list(responses)
    times = Counter(texts)
    tokens_of_text = {}
    for text in times:
        plain = text
        for deleted in _DELETED:
            plain = plain.replace(deleted, "")
        tokens_of_text[text] = _BLANKS.split(plain.lower())
    tokens = list(chain.from_iterable(tokens_of_text[text] for text in texts))
    total = len(tokens)
    unigrams = Counter(tokens)
    bigrams: Counter[tuple[str, str]] = Counter()
    trigrams: set[tuple[str, str, str]] = set()
    for text, words in tokens_of_text.items():
        for pair in pairwise(words):
            bigrams[pair] += times[text]
        trigrams.update(zip(words, words[1:], words[2:], strict=False))
    entropy_terms = [n / total * math.log2(n / total) for n in unigrams.values()]
    conditional_terms = []
    for (first, _), n in bigrams.items():
        conditional_terms.append(n / total * math.log2(n / unigrams[first]))
    # Only full windows count; a text that fills none is one.
    window = max(1, min(MSTTR_WINDOW, total))
    ratios = []
    for start in range(0, total - window + 1, window):
        ratios.append(len(set(tokens[start : start + window])) / window)
    # Sums are subtracted from 0 and not negated: of nothing varied, 0 must not come out as -0.
    return Diversity(
        unigrams=len(unigrams),
        bigrams=len(bigrams),
        trigrams=len(trigrams),
        entropy=0.0 - math.fsum(entropy_terms),
        conditional_entropy=0.0 - math.fsum(conditional_terms),
        mean_length=total / len(texts) if texts else 0.0,
        msttr=math.fsum(ratios) / max(1, len(ratios)),
    )


DIVERSITY_FIGURES = (
    Figure("unigrams", "unique words", digits=0, use="detail"),
    Figure("bigrams", "unique 2-grams", digits=0, use="detail"),
    Figure("trigrams", "unique 3-grams", digits=0, use="detail"),
    Figure("entropy", "token entropy (bits)", use="detail"),
    Figure("conditional_entropy", "CBE (bits)", use="detail"),
    Figure("mean_length", "average length (tokens)", use="detail"),
    Figure("msttr", "MSTTR-50", use="detail"),
)
"""The fields of `Diversity`."""


def diversity_table(_: Presentation, results: Results) -> str:
    """Return the measures as a table."""
    measured = results["diversity"]
    rows = []
    for column in DIVERSITY_FIGURES:
        rows.append([column.title, figure(getattr(measured, column.name), column.digits)])
    return text_table(["diversity", ""], rows)


METRIC: Metric[Played] = Metric(
    name="diversity",
    presentation=Presentation(
        title="Diversity",
        text=diversity_table,
    ),
    value=lambda played: {
        "diversity": measured_diversity(chain.from_iterable(played.responses.values()))
    },
    result={"diversity": Diversity},
    details=lambda played: played.responses,
    needs=(),
)
