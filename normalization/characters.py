"""Characters that people do not tell apart, and texts without what they do not see."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_QUOTES = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"'})

_INVISIBLE = ("Cf", "Co", "Cn")
"""The categories of characters that show nothing: format characters, and those without meaning."""


@lru_cache(maxsize=1 << 14)
def plain_characters(text: str) -> str:
    """Return a text in compatibility characters (NFKC), without invisible ones.

    Full-width letters become plain ones, no-break spaces blanks, typographic quotation marks those
    of typewriters; zero-width characters and byte-order marks go.
    """
    if text.isascii():
        return text
    visible = [char for char in text if unicodedata.category(char) not in _INVISIBLE]
    return unicodedata.normalize("NFKC", "".join(visible)).translate(_QUOTES)
