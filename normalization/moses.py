"""Moses detokenisation of English text, in time and memory that grow with its length alone.

The outcome is defined by sacremoses: `MosesDetokenizer("en").detokenize(MosesTokenizer("en")
.tokenize(text))`, for every text. Plain ASCII, which nearly all responses are, is treated by
`_plainly` without it; tests compare the two. All else is given to sacremoses itself, in stretches,
so that what repeats itself is not treated again and that a long text is never held as one list of
tokens. sacremoses takes long to import, so that happens when it is first needed.

Source: Moses (Koehn et al., 2007), as sacremoses implements it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sacremoses import MosesDetokenizer, MosesTokenizer

_STRETCH = 1000
"""How many characters sacremoses is given at once, as far as a text can be cut."""


def detokenize(text: str) -> str:
    """Moses-tokenise and -detokenise a text in English.

    Args:
        text: Any text, of any length.

    Returns:
        The text with blanks where Moses puts them: one between words, none at the ends.
    """
    if text.isascii() and text.isprintable():
        tidy = " ".join(text.split())
        if _WORDS.fullmatch(tidy) and "MULTI" not in tidy:
            return _closed_up(tidy)
        if not (tidy.startswith("'") or _NOT_PLAIN.search(tidy)):
            return _plainly(tidy)
    return _by_sacremoses(text)


# Words, each with at most one contraction and one mark that Moses puts no blank before. A quote
# behind a hyphen is no contraction: Moses takes it for a token of its own.
_WORDS = re.compile(r"(?:[A-Za-z0-9-]+(?:(?<!-)'[A-Za-z]+)?(?: ?[,.?!:;])?(?: |$))*")


def _closed_up(text: str) -> str:
    """Detokenise a text of `_WORDS`, as most are."""
    for mark in ",.?!:;":
        text = text.replace(f" {mark}", mark)
    return text


# What `_plainly` has no rules for: other quotes than single ones, single ones that share a
# neighbour or end the text, neighbouring commas, and the letters that stand for a run of dots.
_NOT_PLAIN = re.compile(r"""["`]|,,|MULTI|' ?[^ ]? ?'|'$""")

# Tokens of their own: symbols, several dots, and a comma that is not between digits. A comma that
# begins a text stays with a digit behind it.
_OWN_TOKEN = re.compile(r"[!#$%&()*+/:;<=>?@[\\\]^_{|}~]|\.\.+|(?<=[^0-9]),|,(?![0-9])")

# A single quote that is no contraction. Those of contractions are written as they were.
_LONE_QUOTE = re.compile(r"(?<=[^A-Za-z0-9])'|'(?=[^A-Za-z])")

# Blanks behind what opens, and before punctuation; a quote may have been put behind that.
_CLOSED_UP = re.compile(r"(?<=[$(\[{]) | (?=(?:[,?!:;\\%}\])]|\.+)(?:[ ']|$))")


def _plainly(text: str) -> str:
    """Detokenise printable ASCII with single blanks that is not `_NOT_PLAIN`.

    Whether Moses takes a full stop for a token of its own makes no difference: it is written
    without a blank before it either way.
    """
    text = _OWN_TOKEN.sub(lambda token: f" {token[0]} ", text)
    if "'" in text:
        text = _LONE_QUOTE.sub(" ' ", text)
    before, *parts = " ".join(text.split()).split(" ' ")
    written = [before]
    is_open = False
    for part in parts:
        # Behind an s a quote is a possessive and opens nothing.
        is_open = not is_open and not before.endswith("s")
        written += " '" if is_open else "' ", part
        before = part
    return _CLOSED_UP.sub("", "".join(written))


def _by_sacremoses(text: str) -> str:
    """Detokenise any text by sacremoses, where possible piece by piece."""
    whole = _COUNTED_OR_DELETED.search(text) or _COUNTED.search(text) or "MULTI" in text
    pieces = [text] if whole else _BETWEEN_PIECES.split(text)
    return " ".join(map(_detokenize, pieces))


# Moses counts quotes over the whole text, so a text with quotes other than within contractions is
# one piece. So is one with the letters that Moses writes a run of dots as, or with control
# characters, which it deletes, from between such letters too.
_COUNTED_OR_DELETED = re.compile(r'["`„“\x00-\x1f]')
_COUNTED = re.compile(r"'(?:(?<![a-z]')|(?![a-z]))")

# Any other is cut at each blank between two letters or digits (of ASCII: Chinese is written without
# blanks). Tokens that end or begin so are words, or contractions behind a word, and have a blank
# between them. Beyond them Moses looks neither forwards, for the case of what follows a full stop,
# nor backwards, for the blank before a token.
_BETWEEN_PIECES = re.compile(r"(?<=[a-zA-Z0-9]) (?=[a-zA-Z0-9])")


@lru_cache(maxsize=1 << 14)
def _detokenize(text: str, stretch: int = _STRETCH) -> str:
    """Detokenise stretch by stretch.

    All that the detokeniser knows of what it has written is the last token and, for each kind of
    quote, whether one is open. So a stretch is given to it behind a few tokens that bring it to
    the same state, and what it writes for these is cut off.

    Args:
        text: Any text.
        stretch: About how many characters to treat at once, at least 1.
    """
    tokenizer, detokenizer, _ = _moses()
    if len(text) <= stretch:
        tokens = tokenizer.tokenize(text, escape=False)
        detokenized: str = detokenizer.detokenize(tokens, unescape=False)
        return detokenized
    open_quotes: set[str] = set()
    last = ""
    written = []
    for tokens in _tokenize(text, stretch):
        state = [*open_quotes.intersection(map(_kind, tokens)), last]
        skipped = len(detokenizer.detokenize(state, unescape=False))
        written.append(detokenizer.detokenize([*state, *tokens], unescape=False)[skipped:])
        for token in tokens:
            if not detokenizer.IS_OPEN_QUOTE.search(token):
                last = token
                continue
            # In the state, a bracket stands for a quote that opens and a full stop for another:
            # no blank follows the one, a blank the other.
            quote = _kind(token)
            if quote in open_quotes:
                open_quotes.remove(quote)
                last = "."
            elif quote == "'" and last.endswith("s"):
                last = "."
            else:
                open_quotes.add(quote)
                last = "("
    return "".join(written)


def _kind(quote: str) -> str:
    return '"' if quote in {"„", "“"} else quote


def _tokenize(text: str, stretch: int) -> Iterator[list[str]]:
    """Yield the tokens of a text, stretch by stretch.

    Behind a blank or a symbol (which is a token of its own) every character begins a token and is
    treated as at the beginning of a text, unless it is a blank, a comma, a quote or a control
    character, which is deleted. What stands before it is treated by this one character of all that
    follows: whether a full stop ends a sentence depends on it. So each stretch ends with the first
    character of the next one, whose token is left out.

    Escaping for XML is left out, which detokenising would undo: every `&` is a token of its own,
    so that nothing but an escape is taken for one.
    """
    tokenizer, _, cut = _moses()
    start = 0
    while found := cut.search(text, start + stretch - 1):
        if tokens := tokenizer.tokenize(text[start : found.end() + 1], escape=False)[:-1]:
            yield tokens
        start = found.end()
    yield tokenizer.tokenize(text[start:], escape=False)


class _Moses(NamedTuple):
    tokenizer: MosesTokenizer
    detokenizer: MosesDetokenizer
    cut: re.Pattern[str]


@lru_cache(maxsize=1)
def _moses() -> _Moses:
    from sacremoses import MosesDetokenizer, MosesTokenizer

    tokenizer = MosesTokenizer(lang="en")
    # As they come, these make a set of thousands of letters for each token with a full stop, and
    # look for the end of a run of "DOT" from each place within it.
    tokenizer.islower = frozenset(tokenizer.IsLower).issuperset
    letters = frozenset(tokenizer.IsAlpha)
    tokenizer.isanyalpha = lambda token: not letters.isdisjoint(token)
    tokenizer.MULTIDOT_MARKER = re.compile(r"(?<!DOT)(?:DOT)+MULTI")
    symbol_or_blank = rf"[^{tokenizer.IsAlnum}.'`,\-\x00-\x08\x0e-\x1b]"
    cut = re.compile(symbol_or_blank + r"(?=[^\s',\x00-\x1f])")
    return _Moses(tokenizer, MosesDetokenizer(lang="en"), cut)
