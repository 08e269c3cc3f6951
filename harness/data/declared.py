"""Data sets as they are declared: what one is, where its files come from, and who reads them.

A declaration is a file of `sets/`; the data set is named as the file is. To add one, add a
declaration and, if its files are of a new format, a reader in `readers/`.
"""

from __future__ import annotations

from dataclasses import dataclass

from mwz.normalization.resources import names, read_toml

from ..errors import InputError
from .pinned import Source, parse_pinned

_SETS = "sets"


@dataclass(frozen=True)
class DataSet:
    """A data set that a benchmark can be built from.

    Attributes:
        name: Its name, and that of its benchmark.
        title: What it is, in a line.
        citation: What to cite.
        reader: The module of `readers/` that builds the benchmark.
        sources: Where its files come from.
    """

    name: str
    title: str
    citation: str
    reader: str
    sources: tuple[Source, ...]


def declared_names() -> list[str]:
    """Return the names of all declared data sets."""
    return names(_SETS, ".toml", __package__)


def read_data_set(name: str) -> DataSet:
    """Read a declaration.

    Raises:
        InputError: There is none of that name, or a pinned file in it is wrong, such as a path
            that leads out of its folder.
    """
    if name not in declared_names():
        known = ", ".join(declared_names())
        raise InputError(f"data set {name}", f"not known; use one of {known}")
    place = f"{_SETS}/{name}.toml"
    content = read_toml(place, __package__)
    return DataSet(
        name=name,
        title=content["title"],
        citation=content["citation"],
        reader=content["reader"],
        sources=parse_pinned(content, place),
    )
