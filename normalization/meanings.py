"""What values of belief states mean whatever the slot: absent, or that the user does not mind.

The values are a table, `meanings.toml`, for gold and predicted states alike.
"""

from __future__ import annotations

from functools import cache, lru_cache

from .packaged import read_toml

DONTCARE = "dontcare"
"""The spelling that all others of its meaning are replaced by where states are compared."""

_BLANKS = str.maketrans("_-", "  ")
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u00b4\u0060", "'"))


@cache
def _values(meaning: str) -> frozenset[str]:
    return frozenset(read_toml("meanings.toml")[meaning])


def plain_spelling(value: str) -> str:
    """Return a value with single blanks for blanks, `_` and `-`, and a plain apostrophe."""
    return " ".join(value.translate(_BLANKS).translate(_APOSTROPHES).split())


@lru_cache(maxsize=1 << 14)
def is_absent(value: str | None) -> bool:
    """Return whether a value, in any spelling, says that its slot has none."""
    return value is None or plain_spelling(value).lower() in _values("absent")


@lru_cache(maxsize=1 << 14)
def is_dontcare(value: str) -> bool:
    """Return whether a value, in any spelling, says that the user does not mind."""
    return plain_spelling(value).lower() in _values("dontcare")


def is_public_constraint(value: str) -> bool:
    """Return whether an absent value constrains a query of the public evaluator."""
    return plain_spelling(value).lower() in _values("constraints")
