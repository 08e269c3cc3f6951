r"""Change the code in small ways, one at a time, and see whether the tests notice.

    pip install cosmic-ray pytest-cov
    python -m pytest -m "not real_data" --cov=database --cov=harness --cov=normalization \
        --cov-context=test --cov-report=
    python tools/mutation.py --sample 40 database/venues.py harness/metrics/inform.py

The second command notes in `.coverage` which tests execute which line. The third makes changes
with the operators of cosmic-ray, runs for each the tests that execute the changed line, and prints
every change that none of them noticed. The files are left as they are: a change is made in memory,
in a process of its own, which needs POSIX. CONTRIBUTING.md says what to make of it.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from itertools import count
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest
from cosmic_ray.mutating import mutate_code  # type: ignore
from cosmic_ray.plugins import get_operator, operator_names  # type: ignore
from coverage import CoverageData  # type: ignore[import-not-found,unused-ignore]

PROJECT = Path(__file__).parents[1]
# Two operators need to be told a variable; what a `|` mostly joins are types.
LEFT_OUT = ("core/Variable", "core/ReplaceBinaryOperator_BitOr")
SECONDS = 60
"""How long the tests of one change may take; a change that takes longer is noticed."""


def changes(source: str, name: str) -> Iterator[str]:
    """Yield the module as an operator changes it, for each place that it applies to."""
    for place in count():
        changed = mutate_code(source, get_operator(name)(), place)
        if changed is None:
            return
        yield changed


def changed_line(source: str, changed: str) -> int:
    """Return the number of the first line that is another."""
    pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
    return next((at for at, (old, new) in enumerate(pairs, start=1) if old != new), 1)


class Changed(MetaPathFinder, Loader):
    """Imports one module as it was changed."""

    def __init__(self, file: str, source: str) -> None:
        self._path = str(PROJECT / file)
        self._name = "mwz." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self._code = compile(source, self._path, "exec")

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return how the module is made, if it is this one."""
        return (
            spec_from_file_location(name, self._path, loader=self) if name == self._name else None
        )

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code."""
        exec(self._code, module.__dict__)


class Failures:
    """Notes the first test that fails."""

    first: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a test's outcome."""
        if report.failed and self.first is None:
            self.first = report.nodeid


def noticed_by(file: str, source: str, tests: Sequence[str]) -> str | None:
    """Return what failed with a change, mostly a test; None if nothing did."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        for stream in range(3):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        sys.meta_path.insert(0, Changed(file, source))
        failures = Failures()
        status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests], plugins=[failures])
        passed = status == pytest.ExitCode.OK
        os.write(writing, b"nothing" if passed else (failures.first or "import").encode())
        os._exit(0)
    os.close(writing)
    told = "time-out"
    if select.select([reading], [], [], SECONDS)[0]:
        told = os.read(reading, 1 << 12).decode() or "crash"
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None if told == "nothing" else told


def tests_of(line: int, executing: Mapping[int, set[str]]) -> set[str]:
    """Return the tests that execute a line; of what an import executes, all of the module's."""
    # A statement of several lines may be known by its first.
    for above in range(line, max(line - 5, 0), -1):
        if executing.get(above):
            return executing[above]
    return set().union(*executing.values())


def main() -> None:
    parser = argparse.ArgumentParser(description="See whether tests notice changes of the code.")
    parser.add_argument("files", nargs="+", help="modules, as paths from the project's folder")
    parser.add_argument("--sample", type=int, help="try this many changes of each, at random")
    parser.add_argument("--tests", type=int, default=40, help="run so many tests for each change")
    options = parser.parse_args()
    os.chdir(PROJECT)
    hypothesis.settings.register_profile("mutation", database=None, derandomize=True)
    hypothesis.settings.load_profile("mutation")
    coverage = CoverageData()
    coverage.read()
    for file in options.files:
        contexts = coverage.contexts_by_lineno(str(PROJECT / file))
        executing = {n: {c.split("|")[0] for c in names} - {""} for n, names in contexts.items()}
        source = (PROJECT / file).read_text(encoding="utf-8")
        names = [name for name in operator_names() if not name.startswith(LEFT_OUT)]
        found = sorted({changed for name in names for changed in changes(source, name)})
        chosen = random.Random(12345).sample(found, min(options.sample or len(found), len(found)))
        useful: list[str] = []
        survivors = 0
        for changed in chosen:
            line = changed_line(source, changed)
            covering = tests_of(line, executing)
            first = [test for test in useful if test in covering]
            others = covering.difference(first)
            rest = sorted(others, key=lambda test: (Path(file).stem not in test, len(test), test))
            told = noticed_by(file, changed, [*first, *rest][: options.tests]) if covering else None
            if told is None:
                survivors += 1
                print(f"{file}:{line}: {changed.splitlines()[line - 1].strip()}")
            elif told in others:
                useful.append(told)
        print(f"{file}: {len(chosen) - survivors} of {len(chosen)} changes noticed", flush=True)


if __name__ == "__main__":
    main()
