"""Return texts and values in plain characters, whatever keyboard or tool wrote them.

Web pages hold entities (`&#x27;`), documents curly quotes and no-break spaces, language models
narrow spaces, zero-width characters and full-width forms. None of it changes what a text says.

Source: Unicode Standard Annex #15, normalisation form KC.
"""

from __future__ import annotations

import html
import re
import unicodedata

_ENTITY = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}[0-9]{0,2});")
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4"
"""Quotation marks, a modifier letter, the prime and the acute accent."""

_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033"
_HYPHENS = "\u2010\u2011"
_MARKS_OF_TRADE = "\u2122\u2120"
"""The signs of trade and service marks: form KC would make them letters of the word before."""

_PLAIN_CHARACTERS = str.maketrans(
    _SINGLE_QUOTES + _DOUBLE_QUOTES + _HYPHENS,
    "'" * len(_SINGLE_QUOTES) + '"' * len(_DOUBLE_QUOTES) + "-" * len(_HYPHENS),
    _MARKS_OF_TRADE,
)
_LEFT_OUT = frozenset({"Cf", "Mn"})
"""Categories of characters that are left out: format characters, and accents of letters."""


def plain_characters(text: str) -> str:
    """Return a text without entities, format characters, accents and forms of other characters.

    A text in ASCII without entities is returned as it is.

    >>> plain_characters("caf\u00e9 &amp; \u2018bar\u2019")
    "cafe & 'bar'"
    """
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN_CHARACTERS))
    plain = [mark for mark in decomposed if unicodedata.category(mark) not in _LEFT_OUT]
    return unicodedata.normalize("NFKC", "".join(plain))
