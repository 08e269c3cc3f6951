"""Numbers and codes in a text, found by regular expressions from a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .phrases import Token

_HIDDEN = "\0"
_BETWEEN_WORDS = r"(?! (?<= [0-9A-Za-z] ) [0-9A-Za-z] )"


@dataclass(frozen=True)
class _Rule:
    kind: str
    patterns: Sequence[re.Pattern[str]]
    mixed_case: bool


class CodeRules:
    """Rules that find numbers and codes, in the order in which they are tried.

    Args:
        rules: Each with a `kind`, `patterns` (verbose regular expressions with a group `value`)
            and, if it does not hold for a text all in capitals, `mixed_case`.
        parts: What `%name%` stands for in a pattern.
    """

    def __init__(self, rules: Iterable[Mapping[str, Any]], parts: Mapping[str, str]) -> None:
        self._rules = [
            _Rule(
                rule["kind"],
                [_compiled(pattern, parts) for pattern in rule["patterns"]],
                rule.get("mixed_case", False),
            )
            for rule in rules
        ]

    def find(
        self, text: str, given: Sequence[Token], is_word: Callable[[str], bool]
    ) -> tuple[str, list[Token]]:
        """Find the codes of a text.

        Args:
            text: The text.
            given: What of it is known already; codes neither lie in it nor reach over it.
            is_word: Tells whether what looks like a code is a word after all.

        Returns:
            The text with what is known hidden, given tokens included, and the tokens found.
        """
        rest = hidden(text, given)
        found: list[Token] = []
        for rule in self._rules:
            if rule.mixed_case and rest.upper() == rest:
                continue
            for pattern in rule.patterns:
                new = [
                    Token(*match.span("value"), "", match.end("value"), rule.kind)
                    for match in pattern.finditer(rest)
                    if not is_word(match["value"])
                ]
                found += new
                rest = hidden(rest, new)
        return rest, found


def hidden(text: str, found: Sequence[Token]) -> str:
    """Return a text in which what was found is hidden from further rules."""
    if not found:
        return text
    parts = []
    done = 0
    for token in sorted(found):
        parts += [text[done : token.start], _HIDDEN * (token.end - token.start)]
        done = token.end
    return "".join([*parts, text[done:]])


def _compiled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    for name, part in parts.items():
        pattern = pattern.replace(f"%{name}%", f"(?: {part} )")
    return re.compile(f"{_BETWEEN_WORDS} (?: {pattern} ) {_BETWEEN_WORDS}", re.VERBOSE)


def postcode_areas(areas: Iterable[str]) -> str:
    """Return a pattern of the letters that postcodes begin with, also spelt apart."""
    return "|".join(r"[ .,]?".join(map(re.escape, area)) for area in sorted(set(areas)))
