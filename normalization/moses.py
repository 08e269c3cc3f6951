"""Moses detokenisation of English text.

The outcome is defined by sacremoses: `MosesDetokenizer("en").detokenize(MosesTokenizer("en")
.tokenize(text))`, for every text. Plain ASCII, which nearly all responses are, is treated by
`_detokenize_plain` without it; tests compare the two.

Source: Moses (Koehn et al., 2007), as sacremoses implements it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sacremoses import MosesDetokenizer, MosesTokenizer


def detokenize(text: str) -> str:
    """Moses-tokenise and -detokenise a text in English.

    Args:
        text: Any text, of any length.

    Returns:
        The text with blanks where Moses puts them: one between words, none at the ends.

    >>> detokenize("it ' s in the centre , ok ?")
    "it 's in the centre, ok?"
    """
    if text.isascii() and text.isprintable():
        tidy = " ".join(text.split())
        if not (tidy.startswith("'") or _NOT_PLAIN.search(tidy)):
            return _detokenize_plain(tidy)
    return _by_sacremoses(text)


# What `_detokenize_plain` has no rules for: other quotes than single ones, single ones that share a
# neighbour or end the text, neighbouring commas, and the letters that stand for a run of dots.
_NOT_PLAIN = re.compile(r"""["`]|,,|MULTI|' ?[^ ]? ?'|'$""")

# Tokens of their own: symbols, several dots, and a comma that is not between digits. A comma that
# begins a text stays with a digit behind it.
_OWN_TOKEN = re.compile(r"[!#$%&()*+/:;<=>?@[\\\]^_{|}~]|\.\.+|(?<=[^0-9]),|,(?![0-9])")

# A single quote that is no contraction. Those of contractions are written as they were.
_LONE_QUOTE = re.compile(r"(?<=[^A-Za-z0-9])'|'(?=[^A-Za-z])")

# Blanks behind what opens, and before punctuation; a quote may have been put behind that.
_CLOSED_UP = re.compile(r"(?<=[$(\[{]) | (?=(?:[,?!:;\\%}\])]|\.+)(?:[ ']|$))")


def _detokenize_plain(text: str) -> str:
    """Detokenise printable ASCII with single blanks that is not `_NOT_PLAIN`.

    Whether Moses takes a full stop for a token of its own makes no difference: it is written
    without a blank before it either way.
    """
    text = _OWN_TOKEN.sub(lambda token: f" {token[0]} ", text)
    if "'" in text:
        text = _LONE_QUOTE.sub(" ' ", text)
    stretches = " ".join(text.split()).split(" ' ")
    written = stretches[0]
    is_open = False
    for before, after in pairwise(stretches):
        # Behind an s a quote is a possessive and opens nothing.
        is_open = not is_open and not before.endswith("s")
        written += f" '{after}" if is_open else f"' {after}"
    return _CLOSED_UP.sub("", written)


@lru_cache(maxsize=1 << 14)
def _by_sacremoses(text: str) -> str:
    """Detokenise any text.

    Escaping for XML is left out, which detokenising would undo: every `&` is a token of its own,
    so that nothing but an escape is taken for one.
    """
    tokenizer, detokenizer = _moses()
    tokens = tokenizer.tokenize(text, escape=False)
    detokenized: str = detokenizer.detokenize(tokens, unescape=False)
    return detokenized


@lru_cache(maxsize=1)
def _moses() -> tuple[MosesTokenizer, MosesDetokenizer]:
    # Imports sacremoses late: it takes 0.4 s, and plain ASCII needs none of it.
    from sacremoses import MosesDetokenizer, MosesTokenizer

    tokenizer = MosesTokenizer(lang="en")
    # As they come, these make a set of thousands of letters for each token with a full stop, and
    # look for the end of a run of "DOT" from each place within it.
    tokenizer.islower = frozenset(tokenizer.IsLower).issuperset
    letters = frozenset(tokenizer.IsAlpha)
    tokenizer.isanyalpha = lambda token: not letters.isdisjoint(token)
    tokenizer.MULTIDOT_MARKER = re.compile(r"(?<!DOT)(?:DOT)+MULTI")
    return tokenizer, MosesDetokenizer(lang="en")
