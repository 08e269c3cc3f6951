"""The files that come with packages, and what other packages declare by entry points.

Other packages declare metrics, formats, set-ups, rule sets and data. An entry point of the groups
`mwz.metrics`, `mwz.formats` and `mwz.data` names an object, one of `mwz.setups` and `mwz.rules` the
package that has the table NAME.toml (docs/extending.md).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from typing import Any, TypeAlias, TypeVar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_T = TypeVar("_T")

_RULES = "mwz.normalization"
"""The package with the folders of rule sets and tables."""

TomlTable: TypeAlias = Mapping[str, Any]
"""A table of a TOML file: key -> value, whose type is that which the file is checked for."""


class DeclarationError(ValueError):
    """A table or what another package declares cannot be used; the message says where it is."""


def folder_of(package: str) -> Path:
    """Return the folder of a package; the package is not imported for that.

    Raises:
        ModuleNotFoundError: There is no such package.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no package {package}", name=package)
    return Path(spec.origin).parent


def read_toml(name: str, package: str = _RULES) -> TomlTable:
    """Return the content of one TOML file of a package, by default of the rules'.

    Raises:
        DeclarationError: It is no TOML.
    """
    path = folder_of(package) / name
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DeclarationError(f"{path}: {error}") from error


def toml_names(folder: str, package: str = _RULES) -> list[str]:
    """Return the names, without their suffix, of the TOML files in a folder of a package."""
    return sorted(file.stem for file in (folder_of(package) / folder).glob("*.toml"))


def sha256(content: bytes | str) -> str:
    """Return the SHA-256, in hexadecimal, of bytes, or of text in UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digest_of_json(content: object) -> str:
    """Return the SHA-256, in hexadecimal, of JSON types, in any order of an object's keys."""
    return sha256(json.dumps(content, sort_keys=True))


# What other packages declare.

RESERVED = {
    "auto", "benchmark", "both", "coverage", "domains", "file", "format", "further_gold", "goals",
    "intervals", "metrics", "name", "other_rules", "predictions", "remarks", "result", "rules",
    "setup", "signature", "signature_fields", "states", "unknown_placeholders", "whole",
    "without_placeholders",
}  # fmt: skip
"""Keys of reports and values of options, which nothing of a package may be called by."""

_installed = cache(entry_points)
"""The entry points of all packages; a file of each package is read for them."""


def _points(group: str) -> EntryPoints:
    return _installed().select(group=f"mwz.{group}")


def _owner(point: EntryPoint) -> str:
    """Return how messages name an entry point: package, version, group and name."""
    package = "unknown package" if point.dist is None else f"{point.dist.name} {point.dist.version}"
    return f"{package}, {point.group} {point.name}"


def _content(point: EntryPoint) -> object:
    """Return the object that an entry point names, or its table."""
    if ":" in point.value:
        return point.load()
    # The package is not imported: it may be the one that is just importing this.
    return read_toml(f"{point.name}.toml", point.value)


def declared(
    group: str, checked: Callable[[object], _T], taken: Collection[str] = ()
) -> dict[str, _T]:
    """Return what packages declare in a group: name of the entry point -> object or table.

    Args:
        group: What follows `mwz.` in the name of the group.
        checked: Returns what is declared, or raises a ValueError that says what is wrong with it.
        taken: The names that are taken, besides `RESERVED`.

    Raises:
        DeclarationError: It cannot be loaded, something is wrong with it, or its name is taken.
    """
    declarations: dict[str, _T] = {}
    for point in _points(group):
        try:
            content = _content(point)
        # A module of another package may raise anything, and may exit.
        except (Exception, SystemExit) as error:
            problem = f"{point.value} cannot be loaded: {type(error).__name__}: {error}"
            raise DeclarationError(f"{_owner(point)}: {problem}") from error
        try:
            declarations[point.name] = checked(content)
        except ValueError as error:
            problems = "; ".join(map(str, error.args))
            raise DeclarationError(f"{_owner(point)}: {problems}") from error
        names = {point.name, getattr(content, "name", point.name)}
        if not names.isdisjoint(RESERVED.union(taken)):
            raise DeclarationError(f"{_owner(point)}: the name is taken; choose another")
    return declarations


def package_versions(**used: Collection[object]) -> dict[str, str]:
    """Return package -> version, of the packages that declare what is used.

    Args:
        used: What follows `mwz.` in the group -> names of tables, or the objects themselves.
    """
    versions = {}
    for group, contents in used.items():
        for point in _points(group):
            content = _content(point) if ":" in point.value else point.name
            if content in contents and point.dist is not None:
                versions[point.dist.name] = point.dist.version
    return versions


def package_fault(error: BaseException) -> str | None:
    """Return which package an error comes from, and where; None if it is the harness's own.

    It is the package with the innermost of the functions that were running.
    """
    if isinstance(error, DeclarationError):
        return str(error)
    points = [*_points("metrics"), *_points("formats")]
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__"))
        # The module itself tells which of several objects of a package it is.
        for point in sorted(points, key=lambda point: point.module != module):
            if module.partition(".")[0] == point.module.partition(".")[0]:
                problem = f"{type(error).__name__}: {error} (line {line} of {module})"
                return f"{_owner(point)}: {problem}"
    return None


@contextmanager
def blamed(group: str, content: object) -> Iterator[None]:
    """Report an exception of what a package declares, or of what it returned, with the package.

    Args:
        group: What follows `mwz.` in the name of the group.
        content: The object that is in use, of a package or of the harness.

    Raises:
        DeclarationError: Something was raised meanwhile, and the object is of a package.
    """
    try:
        yield
    except Exception as error:
        for point in _points(group):
            if point.load() is content and package_fault(error) is None:
                problem = f"{type(error).__name__}: {error}"
                raise DeclarationError(f"{_owner(point)}: {problem}") from error
        raise
