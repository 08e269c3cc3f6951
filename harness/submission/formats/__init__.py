"""Formats of predictions, recognised by their shape alone and read into the standard form.

A system's own format is one module of this folder with a `FORMAT`. What comes out is checked once,
by `checking.py`.
"""

from .standard import (
    ACTIVE_DOMAINS,
    PLAY_BEGINS,
    RESPONSE,
    STATE,
    USER,
    Format,
    Reading,
    Standard,
    is_play,
    parse_predictions,
    read_standard,
    special_format,
    standard_form,
)

__all__ = [
    "ACTIVE_DOMAINS",
    "PLAY_BEGINS",
    "RESPONSE",
    "STATE",
    "USER",
    "Format",
    "Reading",
    "Standard",
    "is_play",
    "parse_predictions",
    "read_standard",
    "special_format",
    "standard_form",
]
