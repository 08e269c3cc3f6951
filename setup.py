"""Finds the packages: a folder X is imported as `mwz.X`, which pyproject.toml cannot say of all.

`database` or `normalization` as top-level import names would collide with modules of the projects
that use the harness. The folder `package` is `mwz` itself: a folder `mwz` here would hide the
installed package from whatever runs in the repository.
"""

from setuptools import find_packages, setup

PARTS = ("database", "harness", "normalization")
FOUND = find_packages(include=[pattern for part in PARTS for pattern in (part, f"{part}.*")])

setup(
    # The entries of the board come along as data, without outputs, to compare with.
    packages=["mwz", "mwz.submissions", *(f"mwz.{name}" for name in FOUND)],
    package_dir={"mwz": "package", **{f"mwz.{part}": part for part in (*PARTS, "submissions")}},
)
