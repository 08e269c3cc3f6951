"""What is found by being a file of a folder: tables (TOML), and modules that declare something."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module, resources
from types import ModuleType
from typing import Any, TypeVar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_T = TypeVar("_T")


def read_toml(name: str, package: str = __package__) -> Mapping[str, Any]:
    """Return the content of one TOML file of a package, by default of this one."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text(encoding="utf-8"))


def names(folder: str, suffix: str, package: str = __package__) -> list[str]:
    """Return the names, without their suffix, of the files in a folder of a package."""
    files = resources.files(package).joinpath(folder).iterdir()
    return sorted(f.name.removesuffix(suffix) for f in files if f.name.endswith(suffix))


def modules(package: str) -> Iterator[ModuleType]:
    """Yield the modules of a package, imported, in alphabetical order; not those of its folders."""
    for name in names("", ".py", package):
        if not name.startswith("_"):
            yield import_module(f"{package}.{name}")


def declared(package: str, name: str, kind: type[_T]) -> list[_T]:
    """Return what the modules of a package declare under a name, of those that do.

    Args:
        package: The package, such as one of metrics.
        name: The name: "METRIC".
        kind: The class of what is declared.
    """
    found = (getattr(module, name, None) for module in modules(package))
    return [one for one in found if isinstance(one, kind)]
