"""The package's own names, what an import costs, and what is packed."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import mwz
import mwz.database
import mwz.harness
from mwz.normalization.resources import tomllib

PROJECT = Path(__file__).parents[1]


def test_every_public_name_is_there() -> None:
    assert set(mwz.harness.__all__) == {
        *("Benchmark", "DialogueOutcome", "InputError", "Options", "Report", "Scorer", "Signature"),
        *("load_benchmark", "score"),
    }
    assert set(mwz.database.__all__) == {"EMBEDDED", "VenueDatabase", "partial_ratio"}
    for package in (mwz.harness, mwz.database):
        for name in set(package.__all__) - {"EMBEDDED"}:
            assert getattr(package, name).__name__ == name


@pytest.mark.parametrize("package", [mwz.harness, mwz.database])
def test_a_name_that_is_not_there_is_told(package: object) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        _ = package.scores  # type: ignore[attr-defined]


@pytest.mark.parametrize("package", ["mwz.harness", "mwz.database", "mwz.harness.data.installed"])
def test_importing_the_package_does_no_work(package: str) -> None:
    heavy = ("numpy", "sacrebleu", "sacremoses", "sqlalchemy")
    code = f"import sys, {package}; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.skipif(not (PROJECT / "pyproject.toml").exists(), reason="the project is not here")
def test_every_module_and_every_file_they_read_is_packed() -> None:
    """Whoever works in the project's own folder would not miss what is not packed."""
    setuptools = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["setuptools"]
    top = {"mwz": PROJECT / setuptools["package-dir"]["mwz"]}
    folders = top | {
        name: PROJECT.joinpath(*name.split(".")[1:])
        for name in setuptools["packages"]
        if name not in top
    }
    packed = {path for folder in folders.values() for path in folder.glob("*.py")}
    for name, patterns in setuptools["package-data"].items():
        for pattern in patterns:
            found = set(folders[name].glob(pattern))
            assert found, (name, pattern)
            packed |= found
    there = {
        path
        for folder in ("database", "harness", "normalization", "package")
        for path in (PROJECT / folder).rglob("*")
        if path.suffix in {".css", ".html", ".js", ".json", ".py", ".toml", ".typed"}
        or path.name == "py.typed"
    }
    assert there == packed


def _run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_the_version_is_that_of_the_installed_package() -> None:
    assert mwz.__version__ == version("multiwoz-harness")
    assert _run("-c", "import mwz; print(mwz.__version__)") == mwz.__version__
    assert _run("-m", "mwz", "--version") == f"mwz, version {mwz.__version__}"


def test_importing_the_top_level_looks_nothing_up() -> None:
    code = "import __future__, sys; a = set(sys.modules); import mwz; print({*sys.modules} - a)"
    assert _run("-c", code) == "{'mwz'}"


def test_the_package_runs_as_the_command() -> None:
    assert _run("-m", "mwz", "--help").startswith("Usage: mwz ")


def test_a_name_that_the_top_level_lacks_is_told() -> None:
    with pytest.raises(AttributeError, match="module 'mwz' has no attribute 'scores'"):
        _ = mwz.scores  # type: ignore[attr-defined]


def test_typed_packages_say_so_where_type_checkers_look() -> None:
    assert Path(str(mwz.__file__)).with_name("py.typed").is_file()
