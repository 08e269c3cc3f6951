"""Tokens as BLEU counts them: sacreBLEU's 13a, whose plain words are split here.

A shortcut: importing sacreBLEU and giving it every word takes a third of the time of a score, and
most systems have plain words alone. A word that is not plain goes to sacreBLEU's tokeniser, and
`mwz verify --reference` gives it all. Tests compare both on published outputs and generated texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TypeAlias

Tokenizer: TypeAlias = Callable[[str], Sequence[str]]
"""Splits a text into tokens."""

_LONG = 256
"""Characters of a word above which its tokens are not kept."""

_PLAIN = re.compile(r"(?:[A-Za-z'!-%(-+:;=-@[-`{-~/-]|[.,](?![0-9])|[0-9](?!-))*")
"""A word of which 13a makes a token of each mark and of what is between marks."""

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
    return [*chain.from_iterable(map(split, text.split()))]


def reference_13a(text: str) -> list[str]:
    """Tokenise by sacreBLEU's own 13a tokeniser."""
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

TOKENIZERS: Mapping[str, Tokenizer] = {
    "13a": tokenize_13a,
    # As the benchmark's original script does.
    "none": str.split,
    "lowered": lambda text: text.lower().split(),
}
"""Ways to tokenise for BLEU. Scores are made with "13a"; the others explain figures of papers."""
