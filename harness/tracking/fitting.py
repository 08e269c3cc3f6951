"""Tables of systems that fit the width of a terminal.

What is compared stands in rows and the systems in columns, as long as they fit; else the systems in
rows; else the columns in several tables, one below the other. Long names are cut so that they still
differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..rendering import text_table

SHORTEST_NAME = 8
FEW_ROWS = 12
"""How many rows may become the columns of a table."""


def fitted_table(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]], width: int | None
) -> str:
    """Return a table of systems as one or several that are no wider than a terminal.

    Args:
        title: What the rows are.
        names: The systems' names, all different.
        columns: For each system, row -> cell; all have the same rows.
        width: The terminal's, in characters; None if it does not matter.
    """
    tables = _whole_tables(title, names, columns)
    if width is None:
        return next(tables)
    for table in tables:
        if _width(table) <= width:
            return table
    return _split_table(title, names, columns, width)


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Return names no longer than so many characters, each different from the others.

    What is left out is marked by an ellipsis, at the end or, where the beginnings are the same,
    before it; where that does not tell names apart, they are numbered.
    """
    if max(map(len, names)) <= longest:
        return list(names)
    for tail in range(longest - 1):
        cut = [_cut(name, longest, tail) for name in names]
        if len(set(cut)) == len(names):
            return cut
    return [_cut(f"{at} {name}", longest, 0) for at, name in enumerate(names, 1)]


def _cut(name: str, longest: int, tail: int) -> str:
    if len(name) <= longest:
        return name
    return f"{name[: longest - 1 - tail]}…{name[len(name) - tail :]}"


def _whole_tables(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    """Yield ever narrower forms of a table with all systems."""
    lengths = [length for length in (32, 24, 16, 12) if length < max(map(len, names))]
    versions = [list(names), *(shortened(names, length) for length in lengths)]
    yield _systems_in_columns(title, versions[0], columns)
    if len(columns[0]) <= FEW_ROWS:
        for version in versions:
            yield _systems_in_rows(version, columns)
    for version in versions[1:]:
        yield _systems_in_columns(title, version, columns)


def _split_table(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]], width: int
) -> str:
    """Return tables of as many systems as fit, at least one, one below the other."""
    short = shortened(names, SHORTEST_NAME)
    tables = []
    start = 0
    while start < len(short):
        stop = start + 1
        table = _systems_in_columns(title, short[start:stop], columns[start:stop])
        while stop < len(short):
            wider = _systems_in_columns(title, short[start : stop + 1], columns[start : stop + 1])
            if _width(wider) > width:
                break
            table, stop = wider, stop + 1
        tables.append(table)
        start = stop
    return "\n\n".join(tables)


def _systems_in_columns(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]]
) -> str:
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    return text_table([title, *names], rows)


def _systems_in_rows(names: Sequence[str], columns: Sequence[Mapping[str, str]]) -> str:
    # A word a line: figures are narrower than what they are called.
    headers = ["system", *(name.replace(" ", "\n") for name in columns[0])]
    return text_table(
        headers, [[name, *column.values()] for name, column in zip(names, columns, strict=True)]
    )


def _width(table: str) -> int:
    return max(map(len, table.splitlines()))
