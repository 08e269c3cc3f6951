"""Print pip constraints that hold every dependency at the lowest version pyproject.toml allows.

    python tools/lowest.py test > lowest.txt && pip install -c lowest.txt '.[test]'

An extra named as argument is held as well. It needs nothing but Python and, before 3.11, tomli.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).parents[1]

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)>=([0-9.]+)( *;.*)?")


def lowest(requirements: Sequence[str]) -> Iterator[str]:
    """Yield a constraint for each requirement: `click>=8.1.4` becomes `click==8.1.4`.

    Raises:
        ValueError: A requirement does not say its lowest version.
    """
    for requirement in requirements:
        found = _REQUIREMENT.fullmatch(requirement)
        if found is None:
            raise ValueError(f"{requirement!r}: expected NAME>=VERSION")
        yield f"{found[1]}=={found[2]}{found[3] or ''}"


def main(extras: Sequence[str]) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = list(project["dependencies"])
    for extra in extras:
        requirements += project["optional-dependencies"][extra]
    print(*lowest(requirements), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
