"""The package's own names, what an import costs, and what is packed."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT

import mwz
import mwz.harness


def test_every_public_name_is_there() -> None:
    for name in mwz.harness.__all__:
        assert getattr(mwz.harness, name).__name__ == name


@pytest.mark.parametrize("name", mwz.harness.__all__)
@pytest.mark.filterwarnings("ignore::mwz.harness.ReadingWarning")
def test_the_example_of_a_public_name_holds(name: str, here: Path) -> None:
    names = {name: getattr(mwz.harness, name) for name in mwz.harness.__all__}
    (example,) = doctest.DocTestFinder(recurse=False).find(names[name], name, globs=names)
    failures, tried = doctest.DocTestRunner().run(example)
    assert (failures, tried > 0) == (0, True)


@pytest.mark.parametrize("package", ["mwz.harness", "mwz.database", "mwz.harness.data.installed"])
def test_importing_the_package_does_no_work(package: str) -> None:
    heavy = ("numpy", "sacrebleu", "sacremoses", "sqlalchemy")
    code = f"import sys, {package}; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.skipif(not (PROJECT / "setup.py").exists(), reason="the project is not here")
def test_every_module_and_every_file_they_read_is_packed(tmp_path: Path) -> None:
    """Whoever works in the project's own folder would not miss what is not packed."""
    # Built from a copy, so that nothing is left in the project.
    parts = ("database", "harness", "normalization", "package", "submissions")
    # A command leaves its lock in the folder of submissions.
    unpacked = shutil.ignore_patterns("__pycache__", ".lock")
    for name in parts:
        shutil.copytree(PROJECT / name, tmp_path / name, ignore=unpacked)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, tmp_path)
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", "built"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    built = tmp_path / "built" / "mwz"
    packed = {path.relative_to(built) for path in built.rglob("*") if path.is_file()}
    folders = [
        (tmp_path / "package", "."),
        *((tmp_path, part) for part in parts if part != "package"),
    ]
    there = {
        path.relative_to(folder)
        for folder, name in folders
        for path in (folder / name).rglob("*")
        # Of the board all that its ranks follow from: no outputs.
        if path.is_file() and (name != "submissions" or path.suffix != ".gz")
    }
    assert packed == there


def _run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_the_version_is_that_of_the_installed_package() -> None:
    assert mwz.__version__ == mwz.harness.__version__ == version("multiwoz-harness")
    assert _run("-c", "import mwz; print(mwz.__version__)") == mwz.__version__
    assert _run("-m", "mwz", "--version") == f"mwz, version {mwz.__version__}"


@pytest.mark.skipif(not (PROJECT / "setup.py").exists(), reason="the project is not here")
def test_a_release_has_one_version_and_a_changelog(tmp_path: Path, release: Any) -> None:
    assert release.notes("# C\n\n## 2\n\nb\n\n## 1\n\na\n", "1") == ("a", False)
    assert release.notes("# C\n\n## 2\n\nb\n\n## 1\n\na\n", "2") == ("b", True)
    assert release.notes("# C\n", "2") == ("", False)
    wrong = release.problems(PROJECT, tmp_path, final=False)
    assert [re.sub(r".*: no (.+) of version .+", r"\1", problem) for problem in wrong] == [
        *("source distribution", "wheel")
    ]
    assert (tmp_path / "notes.md").read_text(encoding="utf-8").strip()
