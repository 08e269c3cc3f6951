"""What is reported of a system, wherever that is written."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Protocol

RATES = ("inform", "success")
"""The figures that a script gives together, and that are reproduced together or not at all."""


class Claim(Protocol):
    """What one source reports of a system: an entry's `reported`, or a row of a public table."""

    @property
    def source(self) -> str:
        """Where it is reported."""

    @property
    def setup(self) -> str:
        """The set-up it is of: "strict", "optimistic", or the authors' "own"."""

    @property
    def style(self) -> str | None:
        """The reference style of its BLEU; None for the canonical one."""

    @property
    def figures(self) -> Mapping[str, Decimal]:
        """Metric -> the figure, with its digits."""
