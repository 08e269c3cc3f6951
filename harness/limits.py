"""How much a predictions file may hold.

Files come from strangers: a few kilobytes can unpack to gigabytes. Every bound is far above what
any published file needs, and can be set by an environment variable, `MWZ_LIMIT_` and its name in
capital letters.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from .errors import InputError, shown

VARIABLE = "MWZ_LIMIT_"


@dataclass(frozen=True)
class Limits:
    """The bounds.

    Attributes:
        unpacked: Bytes of a file, after unpacking.
        values: Values of a predictions file's JSON.
        dialogues: Dialogues of a file.
        turns: Turns of one dialogue.
        response: Characters of one response.
        text: Characters of all responses together.
        value: Characters of a slot's value.
    """

    unpacked: int = field(default=256_000_000, metadata={"unit": "bytes of a file, unpacked"})
    values: int = field(default=1_000_000, metadata={"unit": "values in a predictions file"})
    dialogues: int = field(default=100_000, metadata={"unit": "dialogues in a file"})
    turns: int = field(default=1_000, metadata={"unit": "turns in a dialogue"})
    response: int = field(default=100_000, metadata={"unit": "characters in a response"})
    text: int = field(default=10_000_000, metadata={"unit": "characters in all responses"})
    value: int = field(default=1_000, metadata={"unit": "characters in a slot's value"})

    def told(self, name: str) -> str:
        """Return a bound as messages tell it, with the variable that sets it."""
        return f"at most {getattr(self, name):,} ({VARIABLE}{name.upper()})"


DEFAULT_LIMITS = Limits()


def limits(environment: Mapping[str, str] = os.environ) -> Limits:
    """Return the bounds that hold.

    Args:
        environment: The environment variables.

    Raises:
        InputError: A variable does not hold a whole number above 0.
    """
    chosen = {}
    for bound in fields(Limits):
        variable = VARIABLE + bound.name.upper()
        text = environment.get(variable)
        if text is None:
            continue
        # As far as Python reads numbers, and no further.
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
            raise InputError(variable, f"expected a whole number above 0, found {shown(text)}")
        chosen[bound.name] = int(text)
    return Limits(**chosen)
