"""The venue database: fuzzy-matched queries over SQL tables of restaurants, hotels and more."""

from __future__ import annotations

from .fuzzy import partial_ratio
from .venues import EMBEDDED, VenueDatabase

__all__ = ["EMBEDDED", "VenueDatabase", "partial_ratio"]
