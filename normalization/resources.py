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


def read_table(name: str, package: str = __package__) -> Mapping[str, Any]:
    """Return the tables of one TOML file of a package, by default of this one."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text(encoding="utf-8"))
