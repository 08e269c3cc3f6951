"""What is declared by being a file of a folder: tables (TOML), modules; and digests of contents.

A package from outside declares the same by entry points, without a copy of this repository. Those
of the groups `mwz.metrics` and `mwz.formats` name objects; those of `mwz.setups` and `mwz.rules`
name the package that has the table NAME.toml:

    [project.entry-points."mwz.metrics"]
    readability = "my_package.readability:METRIC"
    [project.entry-points."mwz.rules"]
    mine = "my_package"
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_T = TypeVar("_T")

_OURS = "mwz"
_RULES = "mwz.normalization"
"""The package with the folders of rule sets and tables."""

_HARNESS = "mwz.harness"

_ROOMS = (
    f"{_HARNESS}.board.audit",
    f"{_HARNESS}.board.views",
    f"{_HARNESS}.grounding",
    f"{_HARNESS}.live",
    f"{_HARNESS}.tracking.lab",
    "mwz.normalization.delexicaliser",
)
"""The rooms that can be taken away: packages with commands, metrics and tracks among their
modules, which nothing else imports by name."""


def folder_of(package: str) -> Path:
    """Return the folder of a package of ours; neither it nor what it is in is imported for that.

    Raises:
        ModuleNotFoundError: There is no such package.
    """
    top, *inside = package.removeprefix(f"{_OURS}.").split(".")
    spec = find_spec(f"{_OURS}.{top}")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent.joinpath(*inside)
        if (folder / "__init__.py").is_file():
            return folder
    raise ModuleNotFoundError(f"no package {package}")


def read_toml(name: str, package: str = _RULES) -> Mapping[str, Any]:
    """Return the content of one TOML file of a package, by default of the rules'."""
    return tomllib.loads((folder_of(package) / name).read_text(encoding="utf-8"))


def names(folder: str, suffix: str, package: str = _RULES) -> list[str]:
    """Return the names, without their suffix, of the files in a folder of a package."""
    files = os.listdir(folder_of(package) / folder)
    return sorted(name.removesuffix(suffix) for name in files if name.endswith(suffix))


_entry_points = cache(entry_points)
"""Those of all packages, of which every file is read."""


def outside_tables(folder: str) -> dict[str, Mapping[str, Any]]:
    """Return the tables that packages from outside declare: name -> content.

    Args:
        folder: What follows `mwz.` in the group of entry points: "rules".
    """
    tables: dict[str, Mapping[str, Any]] = {}
    for point in _entry_points().select(group=f"mwz.{folder}"):
        # Not imported: it may be the one that is just importing this.
        spec = find_spec(point.value)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"entry point {point.name}: no package {point.value}")
        path = Path(spec.origin).with_name(f"{point.name}.toml")
        tables[point.name] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tables


def declared(package: str, name: str, kind: type[_T]) -> list[_T]:
    """Return what the modules of a package, and packages from outside, declare under a name.

    A module may declare several, as a tuple under the name's plural: "METRICS". Ours come first, in
    alphabetical order. A module that does not begin a line with the name is not imported.

    Args:
        package: The package, such as one of metrics.
        name: The name: "METRIC".
        kind: The class of what is declared.
    """
    outside = _entry_points().select(group=f"mwz.{package.rpartition('.')[2]}")
    several = (
        one for of in _in_modules(package, f"{name}S") if isinstance(of, tuple) for one in of
    )
    ours = (*_in_modules(package, name), *several)
    every = (*ours, *(point.load() for point in outside))
    return [one for one in every if isinstance(one, kind)]


def _in_modules(package: str, name: str) -> Iterator[object]:
    """Yield what the modules of a package hold under a name."""
    line = re.compile(rf"^{name}\b".encode(), re.MULTILINE)
    folder = folder_of(package)
    for module in names("", ".py", package):
        if not module.startswith("_") and line.search((folder / f"{module}.py").read_bytes()):
            yield getattr(import_module(f"{package}.{module}"), name)


def contributing(package: str) -> list[str]:
    """Return the packages that contribute to one of the harness: itself, then the rooms there are.

    Args:
        package: The package within the harness: "board".
    """
    return [f"{_HARNESS}.{package}", *filter(_is_there, _ROOMS)]


def _is_there(package: str) -> bool:
    try:
        folder_of(package)
    except ModuleNotFoundError:
        return False
    return True


def contributed(package: str, name: str, kind: type[_T]) -> list[_T]:
    """Return what `declared` finds in a package of the harness, and what the rooms have.

    A room that needs another one, which is not there, contributes nothing.
    """
    own, *rooms = contributing(package)
    away = {room for room in _ROOMS if room not in rooms}
    of_rooms: list[object] = []
    for room in rooms:
        try:
            of_rooms += _in_modules(room, name)
        except ModuleNotFoundError as error:
            if error.name not in away:
                raise
    return [*declared(own, name, kind), *(one for one in of_rooms if isinstance(one, kind))]


def sha256(content: bytes | str) -> str:
    """Return the SHA-256, in hexadecimal, of bytes, or of text in UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digest_of_json(content: object) -> str:
    """Return the SHA-256, in hexadecimal, of JSON types, in any order of an object's keys."""
    return sha256(json.dumps(content, sort_keys=True))
