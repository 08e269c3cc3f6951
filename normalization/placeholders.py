"""Placeholders as responses are written with them: a name in square brackets, maybe a plural."""

from __future__ import annotations

import re

NAME = re.compile(r"[\w\s\d]+")
"""The name of a placeholder."""

PLACEHOLDER = re.compile(rf"\[({NAME.pattern})\](es|s|-s|-es|)")
"""A placeholder; its name is the first group."""


def placeholder_names(response: str) -> list[str]:
    """Return the names of a response's placeholders, in order, in lower case."""
    return [match[1] for match in PLACEHOLDER.finditer(response.lower())]
