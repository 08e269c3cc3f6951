"""Reading the rule tables (TOML) that lie beside this module."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_table(name: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the tables of one TOML file of this package: table name -> entries."""
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
