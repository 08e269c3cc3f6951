"""Finds the packages: a folder X is imported as `mwz.X`, which pyproject.toml cannot say of all.

`database` or `normalization` as top-level import names would collide with modules of the projects
that use the harness. The folder `package` is `mwz` itself: a folder `mwz` here would hide the
installed package from whatever runs in the repository.

An editable installation refers to `src/mwz`, which links these folders: editors and type checkers
follow a folder of the import path, but no mapping.
"""

import sys
from pathlib import Path

from setuptools import find_packages, setup

PARTS = ("database", "harness", "normalization")
FOUND = find_packages(include=[pattern for part in PARTS for pattern in (part, f"{part}.*")])

FOLDERS = {"mwz": "package", **{f"mwz.{part}": part for part in (*PARTS, "submissions")}}
# A system or an archive without links has files in their place.
if "editable_wheel" in sys.argv and Path("src/mwz/harness").is_dir():
    FOLDERS = {"": "src"}

setup(
    # The entries of the board come along as data, without outputs, to compare with.
    packages=["mwz", "mwz.submissions", *(f"mwz.{name}" for name in FOUND)],
    package_dir=FOLDERS,
)
