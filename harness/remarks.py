"""Remarks: what is to be said of a file that can be used."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import SHOWN_PLACES, cut, printable, told

_LONGEST = 1000
_KEPT_KINDS = 100


@dataclass(frozen=True)
class Remark:
    """Something to know about a file. Equal remarks are one.

    Attributes:
        kind: What it is about, in a word or two.
        message: What was found, and what to do.
        count: In how many places.
        places: The first of them.
        warning: Whether something is likely wrong; else it is only told.
    """

    kind: str
    message: str
    count: int = 1
    places: tuple[str, ...] = ()
    warning: bool = True

    def __str__(self) -> str:
        return cut(printable(told(self.message, self.count, self.places)), _LONGEST)


class Remarks:
    """Remarks as they are found, equal ones together."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, bool], tuple[int, list[str]]] = {}

    def add(self, kind: str, message: str, place: str = "", warning: bool = True) -> None:
        """Add a remark; the arguments are those of `Remark`."""
        key = (kind, message, warning)
        if key not in self._found and len(self._found) >= _KEPT_KINDS:
            key, place = ("more", "further remarks of other kinds", True), ""
        count, places = self._found.get(key, (0, []))
        if place and len(places) < SHOWN_PLACES:
            places.append(place)
        self._found[key] = (count + 1, places)

    def listed(self) -> tuple[Remark, ...]:
        """Return what was found."""
        return tuple(
            Remark(kind, message, count, tuple(places), warning)
            for (kind, message, warning), (count, places) in self._found.items()
        )
