"""Reading the tables (TOML) that are part of a package."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(name: str, package: str = __package__) -> Mapping[str, Any]:
    """Return the content of one TOML file of a package, by default of this one."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text(encoding="utf-8"))


def names(folder: str, suffix: str, package: str = __package__) -> list[str]:
    """Return the names, without their suffix, of the files in a folder of a package."""
    files = resources.files(package).joinpath(folder).iterdir()
    return sorted(f.name.removesuffix(suffix) for f in files if f.name.endswith(suffix))
