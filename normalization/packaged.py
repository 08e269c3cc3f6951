"""The files that come with the packages, and digests of contents."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_RULES = "mwz.normalization"
"""The package with the folders of rule sets and tables."""


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


def read_toml(name: str, package: str = _RULES) -> Mapping[str, Any]:
    """Return the content of one TOML file of a package, by default of the rules'.

    Raises:
        DeclarationError: It is no TOML.
    """
    return parse_toml(folder_of(package) / name)


def parse_toml(path: Path) -> Mapping[str, Any]:
    """Return the content of a TOML file.

    Raises:
        DeclarationError: It is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DeclarationError(f"{path}: {error}") from error


def names(folder: str, suffix: str, package: str = _RULES) -> list[str]:
    """Return the names, without their suffix, of the files in a folder of a package."""
    files = os.listdir(folder_of(package) / folder)
    return sorted(name.removesuffix(suffix) for name in files if name.endswith(suffix))


def sha256(content: bytes | str) -> str:
    """Return the SHA-256, in hexadecimal, of bytes, or of text in UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digest_of_json(content: object) -> str:
    """Return the SHA-256, in hexadecimal, of JSON types, in any order of an object's keys."""
    return sha256(json.dumps(content, sort_keys=True))
