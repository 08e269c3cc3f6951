"""The venue database: fuzzy-matched queries over SQL tables of restaurants, hotels and more.

The names are imported when they are first used: SQLAlchemy is slow to import.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .venues import VenueDatabase, partial_ratio

__all__ = ["EMBEDDED", "VenueDatabase", "partial_ratio"]

EMBEDDED = "sqlite://"
"""The address of the database used by default: SQLite in memory."""

_HOMES = {"VenueDatabase": "venues", "partial_ratio": "venues"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
