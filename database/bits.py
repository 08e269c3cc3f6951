"""Sets of places in a sequence as the bits of an integer: bit n stands for place n.

What holds at thousands of places, rows of a table or turns of dialogues, is put together and
compared by `&`, `|` and `~` in one step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

Bits: TypeAlias = int

_DIGITS = bytes.maketrans(b"\0\1", b"01")
_ONE = ord("1")


def bits_where(flags: Iterable[int]) -> Bits:
    """Return the places at which something is true, given for each: 0 or 1, or a Boolean."""
    return int(bytes(flags)[::-1].translate(_DIGITS) or b"0", 2)


def bits_at(places: Collection[int]) -> Bits:
    """Return places as bits."""
    if not places:
        return 0
    highest = max(places)
    digits = bytearray(b"0") * (highest + 1)
    for place in places:
        digits[highest - place] = _ONE
    return int(digits, 2)


def places_in(bits: Bits) -> Iterator[int]:
    """Yield the places that are set, in order."""
    digits = f"{bits:b}"[::-1]
    place = digits.find("1")
    while place >= 0:
        yield place
        place = digits.find("1", place + 1)
