"""What is declared by being a file of a folder: tables (TOML), modules; and digests of contents.

A package from outside declares the same by entry points (docs/extending.md). Those of the groups
`mwz.metrics` and `mwz.formats` name objects, those of `mwz.setups` and `mwz.rules` the package that
has the table NAME.toml. What it declares is checked where it is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

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
    """Return the content of one TOML file of a package, by default of the rules'.

    Raises:
        DeclarationError: It is no TOML.
    """
    path = folder_of(package) / name
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DeclarationError(f"{path}: {error}") from None


def names(folder: str, suffix: str, package: str = _RULES) -> list[str]:
    """Return the names, without their suffix, of the files in a folder of a package."""
    files = os.listdir(folder_of(package) / folder)
    return sorted(name.removesuffix(suffix) for name in files if name.endswith(suffix))


RESERVED = (
    *("format", "signature", "signature_fields", "benchmark", "rules", "domains", "states"),
    *("goals", "coverage", "unknown_placeholders", "predictions", "without_placeholders"),
    *("other_rules", "further_gold", "result", "intervals", "metrics", "setup", "whole"),
    *("name", "file", "auto", "both", "remarks"),
)
"""What reports, tables and options of the harness have besides what packages declare."""


class DeclarationError(ValueError):
    """What a package from outside declares cannot be used; the message names both."""


_entry_points = cache(entry_points)
"""Those of all packages, of which every file is read."""


def _package(point: EntryPoint) -> tuple[str, str]:
    """Return the name and version of the package that declares an entry point."""
    return ("unknown package", "") if point.dist is None else (point.dist.name, point.dist.version)


def outside_versions(**named: Collection[object]) -> dict[str, str]:
    """Return package -> version, of the packages from outside that declare what is named.

    Args:
        named: What follows `mwz.` in the group -> names of tables, or the objects themselves.
    """
    return dict(
        _package(point)
        for group, ones in named.items()
        for point in _entry_points().select(group=f"mwz.{group}")
        # An object is named as `module:OBJECT`, a table by its name.
        if (point.load() if ":" in point.value else point.name) in ones
    )


def outside(
    group: str,
    read: Callable[[EntryPoint], _T],
    problems: Callable[[_T], Iterable[str]],
    taken: Collection[str] = (),
) -> list[tuple[str, _T]]:
    """Return what packages from outside declare in a group: name, and table or object.

    Args:
        group: What follows `mwz.` in the name of the group.
        read: Returns what an entry point declares.
        problems: Yields what is wrong with it.
        taken: The names that are taken, besides `RESERVED`.

    Raises:
        DeclarationError: It cannot be read, something is wrong with it, or its name is taken.
    """
    declarations: list[tuple[str, _T]] = []
    for point in _entry_points().select(group=f"mwz.{group}"):
        try:
            content = read(point)
        # A module from outside may raise anything, and may exit.
        except (Exception, SystemExit) as error:
            wrong = [f"{point.value} cannot be loaded: {type(error).__name__}: {error}"]
        else:
            declarations.append((point.name, content))
            wrong = [*problems(content)]
            called = (point.name, getattr(content, "name", None))
            if any(name in (*taken, *RESERVED) for name in called):
                wrong.append("the name is taken; choose another")
        if wrong:
            package = " ".join(_package(point))
            raise DeclarationError(f"{package}, {point.group} {point.name}: {'; '.join(wrong)}")
    return declarations


def outside_fault(error: BaseException) -> str | None:
    """Return which package from outside an error comes of, and where; None if it is ours.

    It is the package whose code was running when the error was raised, or had called what was, or
    whose object was in use: what its functions return may be of no use, too.
    """
    if isinstance(error, DeclarationError):
        return str(error)
    points = [p for of in ("metrics", "formats") for p in _entry_points().select(group=f"mwz.{of}")]
    for frame, line in reversed([*walk_tb(error.__traceback__)]):
        name, values = str(frame.f_globals.get("__name__")), [*map(id, frame.f_locals.values())]
        # Its own module says which of several objects of a package it is.
        for point in sorted(points, key=lambda one: one.module != name):
            is_theirs = name.partition(".")[0] == point.module.partition(".")[0]
            # Not loaded here, which may fail.
            used = getattr(sys.modules.get(point.module), point.attr, point)
            if is_theirs or id(used) in values:
                what = f"{type(error).__name__}: {error} (line {line} of {name})"
                return f"{' '.join(_package(point))}, {point.group} {point.name}: {what}"
    return None


def outside_tables(
    group: str, problems: Callable[[Mapping[str, Any]], Iterable[str]], taken: Collection[str]
) -> dict[str, Mapping[str, Any]]:
    """Return the tables that packages from outside declare: name -> content; see `outside`."""
    return dict(outside(group, _table, problems, taken))


def _table(point: EntryPoint) -> Mapping[str, Any]:
    # Not imported: it may be the one that is just importing this.
    spec = find_spec(point.value)
    path = Path(getattr(spec, "origin", None) or point.value).with_name(f"{point.name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


Shape: TypeAlias = Any
"""What a value must be: a type, or several; a list of one shape; a set of words to choose from; the
pattern of a text; or key -> shape, where a key that ends in `?` may be missing, and `...` stands
for all other keys. A function returns the shape, given the value."""


def shape_problems(content: Any, shape: Shape, place: str = "") -> Iterator[str]:
    """Yield where a value is not of a shape, and what is expected there."""
    if isinstance(shape, FunctionType):
        shape = shape(content)
    kinds = next((k for k in (Mapping, list, frozenset, re.Pattern) if isinstance(shape, k)), shape)
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    start = f"{place}: " if place else ""
    if kinds == (frozenset,):
        if content not in [*shape]:
            yield f"{start}unknown value {content!r:.60}; choose from {', '.join(sorted(shape))}"
    elif kinds == (re.Pattern,):
        if not isinstance(content, str) or not shape.fullmatch(content):
            yield f"{start}expected text like {shape.pattern}, found {content!r:.60}"
    elif not isinstance(content, kinds) or (content.__class__ is bool and int in kinds):
        words = " or ".join(kind.__name__ for kind in kinds)
        yield f"{start}expected {words}, found {content!r:.60}"
    elif kinds == (list,):
        for number, one in enumerate(content):
            yield from shape_problems(one, shape[0], f"{place}[{number}]")
    elif kinds == (Mapping,) and shape is not Mapping:
        yield from _key_problems(content, shape, f"{place}." if place else "")


def _key_problems(
    content: Mapping[str, Any], shape: Mapping[Any, Shape], path: str
) -> Iterator[str]:
    """Yield what is wrong with the keys of a table, and in their values."""
    for key in shape:
        if key is not ... and not key.endswith("?") and key not in content:
            yield f"{path}{key} is missing"
    for key, value in content.items():
        inside = shape.get(key, shape.get(f"{key}?", shape.get(...)))
        if inside is None:
            yield f"{path}{key}: unknown key"
        else:
            yield from shape_problems(value, inside, f"{path}{key}")


def declared(
    package: str,
    name: str,
    kind: type[_T],
    shape: Shape = None,
    listed: Iterable[_T] | None = None,
) -> list[_T]:
    """Return what the modules of a package, and packages from outside, declare under a name.

    A module may declare several, as a tuple under the name's plural: "METRICS". Ours come first, in
    alphabetical order. A module that does not begin a line with the name is not imported.

    Args:
        package: The package, such as one of metrics.
        name: The name: "METRIC".
        kind: The class of what is declared.
        shape: What the fields of one from outside must be.
        listed: Ours, where the package lists them itself; its modules are not scanned then.

    Raises:
        DeclarationError: What a package from outside declares cannot be loaded or used.
    """

    def problems(one: object) -> Iterator[str]:
        if not isinstance(one, kind):
            yield f"expected a {kind.__name__}, found {one!r:.60}"
        elif shape is not None:
            yield from shape_problems(vars(one), shape)

    if listed is None:
        ours = [one for one in _in_modules(package, name) if isinstance(one, kind)]
    else:
        ours = [*listed]
    taken: list[Any] = [getattr(one, "name", one) for one in ours]
    points = outside(package.rpartition(".")[2], EntryPoint.load, problems, taken)
    return [*ours, *(one for _, one in points)]


def _in_modules(package: str, name: str) -> Iterator[object]:
    """Yield what the modules of a package hold under a name, or, in a tuple, under its plural."""
    line = re.compile(rf"^{name}S?\b".encode(), re.MULTILINE)
    folder = folder_of(package)
    for module in names("", ".py", package):
        begins = line.search((folder / f"{module}.py").read_bytes())
        if begins and not module.startswith("_"):
            value = getattr(import_module(f"{package}.{module}"), begins[0].decode())
            yield from value if isinstance(value, tuple) else (value,)


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


def contributed(package: str, name: str, kind: type[_T], shape: Shape = None) -> list[_T]:
    """Return what `declared` finds in a package of the harness, and what the rooms have.

    A room that needs another one, which is not there, contributes nothing.
    """
    core, *rooms = contributing(package)
    of_rooms: list[object] = []
    for room in rooms:
        try:
            of_rooms += _in_modules(room, name)
        except ModuleNotFoundError as error:
            if error.name not in _ROOMS:
                raise
    return [*declared(core, name, kind, shape), *(one for one in of_rooms if isinstance(one, kind))]


def sha256(content: bytes | str) -> str:
    """Return the SHA-256, in hexadecimal, of bytes, or of text in UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digest_of_json(content: object) -> str:
    """Return the SHA-256, in hexadecimal, of JSON types, in any order of an object's keys."""
    return sha256(json.dumps(content, sort_keys=True))
