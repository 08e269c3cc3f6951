"""The mark-up of the sample's hand-written dialogues: words with annotated values.

`{restaurant-food:Thai}` is an annotated value and the words that express it, `{slot=value|words}`
one whose canonical form differs from the words, `{slot}` one to be filled in, `{?slot}` a slot
that is asked for and `{!domain}` the news that there is nothing to offer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

_TAG = re.compile(
    r"\{(?P<kind>[?!]?)(?P<domain>[a-z]+)(?:-(?P<slot>[a-z]+))?"
    r"(?:=(?P<value>[^|}]*)\|(?P<aliased>[^}]*)|:(?P<words>[^}]*))?\}"
)


@dataclass(frozen=True)
class Span:
    """An annotated value.

    Attributes:
        domain: The domain it belongs to.
        slot: The slot, as MultiWOZ 2.2 names the slots of its spans ("leaveat", "ref").
        value: The canonical form; None where it is yet to be filled in.
        words: The words of the utterance.
    """

    domain: str
    slot: str
    value: str | None
    words: str


Piece: TypeAlias = "str | Span"
"""Plain text or an annotated value."""


@dataclass(frozen=True)
class Utterance:
    """An utterance without its mark-up.

    Attributes:
        pieces: What is said, in order.
        requested: The (domain, slot) pairs it asks for.
        refused: The domains it has nothing to offer of.
    """

    pieces: tuple[Piece, ...]
    requested: tuple[tuple[str, str], ...]
    refused: tuple[str, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The annotated values, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Span))

    @property
    def text(self) -> str:
        """What is said, annotated values and all."""
        return "".join(p.words if isinstance(p, Span) else p for p in self.pieces)


def parse(text: str) -> Utterance:
    """Parse an utterance with mark-up.

    Raises:
        ValueError: A brace is left that is no part of a tag.
    """
    tags = list(_TAG.finditer(text))
    if re.search(r"[{}]", _TAG.sub("", text)):
        raise ValueError(f"broken mark-up: {text}")
    return Utterance(
        pieces=tuple(_pieces(text, tags)),
        requested=tuple((tag["domain"], tag["slot"]) for tag in tags if tag["kind"] == "?"),
        refused=tuple(tag["domain"] for tag in tags if tag["kind"] == "!"),
    )


def _pieces(text: str, tags: list[re.Match[str]]) -> Iterator[Piece]:
    end = 0
    for tag in tags:
        if tag.start() > end:
            yield text[end : tag.start()]
        if not tag["kind"]:
            yield _span(tag)
        end = tag.end()
    if end < len(text):
        yield text[end:]


def _span(tag: re.Match[str]) -> Span:
    if tag["aliased"] is not None:
        return Span(tag["domain"], tag["slot"], tag["value"], tag["aliased"])
    words = tag["words"]
    return Span(tag["domain"], tag["slot"], None if words is None else words.lower(), words or "")
