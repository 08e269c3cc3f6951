"""A response as it is searched: in plain characters, whatever its writer's keyboard or tool made.

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
        **dict.fromkeys("‘’‚‛ʼ′´＇", "'"),
        **dict.fromkeys("“”„‟″＂", '"'),
        # The second one does not break a line.
        **dict.fromkeys("‐‑", "-"),
        # They would become letters of the word before.
        **dict.fromkeys("™℠"),
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
