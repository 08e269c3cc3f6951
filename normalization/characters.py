"""Texts and values in plain characters, whatever their writer's keyboard or tool made.

Web pages hold entities (`&#x27;`), documents curly quotes and no-break spaces, language models
narrow spaces, zero-width characters and full-width forms. None of it is another text.

Source: Unicode Standard Annex #15, normalisation form KC.
"""

from __future__ import annotations

import html
import re
import unicodedata

_ENTITY = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}[0-9]{0,2});")
_PLAIN_CHARACTERS = str.maketrans(
    {
        # Quotation marks, a modifier letter, the prime and the acute accent.
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        # Hyphens, one of which does not break a line.
        **dict.fromkeys("\u2010\u2011", "-"),
        # The signs of trade and service marks would become letters of the word before.
        **dict.fromkeys("\u2122\u2120"),
    }
)
_LEFT_OUT = frozenset({"Cf", "Mn"})
"""Categories of characters that are left out: format characters, and accents of letters."""


def plain_characters(text: str) -> str:
    """Return a text without entities, format characters, accents and forms of other characters.

    A text in ASCII without entities is returned as it is.
    """
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN_CHARACTERS))
    kept = [mark for mark in decomposed if unicodedata.category(mark) not in _LEFT_OUT]
    return unicodedata.normalize("NFKC", "".join(kept))
