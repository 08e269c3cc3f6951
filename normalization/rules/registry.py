"""What is declared by being a file of a folder: tables (TOML), modules; and digests of contents."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_T = TypeVar("_T")


_RULES = "mwz.normalization"
"""The package with the folders of rule sets and tables."""

_HARNESS = "mwz.harness"


def folder_of(package: str) -> Path:
    """Return the folder of a package."""
    return Path(str(import_module(package).__file__)).parent


def read_toml(name: str, package: str = _RULES) -> Mapping[str, Any]:
    """Return the content of one TOML file of a package, by default of the rules'."""
    return tomllib.loads((folder_of(package) / name).read_text(encoding="utf-8"))


def names(folder: str, suffix: str, package: str = _RULES) -> list[str]:
    """Return the names, without their suffix, of the files in a folder of a package."""
    files = os.listdir(folder_of(package) / folder)
    return sorted(name.removesuffix(suffix) for name in files if name.endswith(suffix))


def declared(package: str, name: str, kind: type[_T]) -> list[_T]:
    """Return what the modules of a package declare under a name, in alphabetical order.

    A module that does not begin a line with the name is not imported.

    Args:
        package: The package, such as one of metrics.
        name: The name: "METRIC".
        kind: The class of what is declared.
    """
    line = re.compile(rf"^{name}\b".encode(), re.MULTILINE)
    folder = folder_of(package)
    objects = [
        getattr(import_module(f"{package}.{module}"), name)
        for module in names("", ".py", package)
        if not module.startswith("_") and line.search((folder / f"{module}.py").read_bytes())
    ]
    return [one for one in objects if isinstance(one, kind)]


def contributing(folder: str) -> list[str]:
    """Return the packages that contribute to a folder: the harness's own, then those of its rooms.

    A room that can be taken away brings its commands, metrics and tracks in folders of its own:
    `live/cli/` beside `cli/`.

    Args:
        folder: The folder's name: "cli".
    """
    root = folder_of(_HARNESS)
    paths = [root / folder, *sorted(root.glob(f"*/{folder}")), *sorted(root.glob(f"*/*/{folder}"))]
    return [
        ".".join((_HARNESS, *path.relative_to(root).parts))
        for path in paths
        if (path / "__init__.py").exists()
    ]


def contributed(folder: str, name: str, kind: type[_T]) -> list[_T]:
    """Return what modules declare under a name, of the harness's folder and of its rooms'."""
    return [one for package in contributing(folder) for one in declared(package, name, kind)]


def sha256(content: bytes | str) -> str:
    """Return the SHA-256, in hexadecimal, of bytes, or of text in UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digest_of_json(content: object) -> str:
    """Return the SHA-256, in hexadecimal, of JSON types, in any order of an object's keys."""
    return sha256(json.dumps(content, sort_keys=True))
