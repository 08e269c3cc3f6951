"""The words of normalised responses, without punctuation: by them copies are told."""

from __future__ import annotations

import re
from hashlib import blake2b
from sys import intern
from typing import NamedTuple

from mwz.normalization.remembering import remembering

LONG = 6
"""Words of a response from which it is hardly by chance that another is equal."""

_WORD = re.compile(r"[^\W_]+")


class Words(NamedTuple):
    """The words of a text.

    Attributes:
        words: The words.
        digest: A number that hardly any other words have; 0 of fewer than `LONG`.
    """

    words: tuple[str, ...]
    digest: int


@remembering(1 << 14)
def words_of(text: str) -> Words:
    """Return the words of a normalised response."""
    # Texts share their words.
    words = tuple(map(intern, _WORD.findall(text)))
    if len(words) < LONG:
        return Words(words, 0)
    digest = blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return Words(words, int.from_bytes(digest, "little") or 1)
