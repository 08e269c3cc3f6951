"""The standard form: an object of dialogue id -> list of turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .format import Format, Standard

NAME = "standard form"


def _read(content: Mapping[Any, Any], source: str) -> Standard:
    return Standard(content, NAME)


FORMAT = Format(
    name=NAME,
    description="An object of dialogue id -> list of turns, one per system turn, each an object "
    "with `response` and optionally `state` and `active_domains`.",
    recognises=lambda content: isinstance(content, Mapping),
    read=_read,
    # Any object that is nothing else is meant to be this.
    rank=100,
)
