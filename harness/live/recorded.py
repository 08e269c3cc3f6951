"""Files of plays, a line of JSON per dialogue, as they are read.

A line has `dialogue_id`, `turns` (`user`, `response`, `calls`), `trial`, `agent`, `outcome`,
`costs`, `signature`, and of language models `server`, a digest of the address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import Field

from ..comparison.trials import Costs, TalkerName
from ..errors import InputError
from ..io.files import parse_json
from ..io.validation import validated
from ..signature import Signature

AGAIN = "play it again by `mwz play`"


@dataclass(frozen=True)
class Called:
    """A call of a tool, and what it returned."""

    name: str
    arguments: Any
    result: dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """What the user said, and what the agent did and responded."""

    user: str
    response: str
    calls: tuple[Called, ...] = ()


@dataclass(frozen=True)
class Recorded:
    """A line of a file of plays.

    `source` is what messages call the file, `content` the line as JSON types.
    """

    dialogue_id: str
    turns: tuple[Turn, ...]
    trial: Annotated[int, Field(strict=True, ge=1)]
    agent: TalkerName
    outcome: dict[str, Any]
    costs: Costs
    signature: Signature
    server: str | None = None
    source: str = ""
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def error(self) -> str | None:
        """Why the dialogue was broken off, if it was."""
        error = self.outcome.get("error")
        return None if error is None else str(error)


def recorded(content: bytes, source: str) -> list[Recorded]:
    """Return the lines of an (unpacked) file of plays, yet to be played again.

    Raises:
        InputError: A line is none of `mwz play`, with its number; or there is none.
    """
    found = []
    for number, text in enumerate(content.split(b"\n"), start=1):
        try:
            if text.strip():
                written: Any = parse_json(text, source)
                line = validated(Recorded, written, source)
                found.append(replace(line, source=source, content=written))
        except InputError as error:
            told = "; ".join(error.problems)
            raise InputError(source, f"line {number}: no play ({told}); {AGAIN}") from None
    if not found:
        raise InputError(source, f"holds no dialogue; {AGAIN}")
    return found
