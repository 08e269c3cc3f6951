"""The package's own names."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mwz.harness


def test_every_public_name_is_there() -> None:
    assert set(mwz.harness.__all__) == {"Benchmark", "InputError", "Options", "Report", "score"}
    for name in mwz.harness.__all__:
        assert getattr(mwz.harness, name).__name__ == name


def test_a_name_that_is_not_there_is_told() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        _ = mwz.harness.scores


def test_importing_the_package_does_no_work() -> None:
    heavy = ("numpy", "sacrebleu", "sacremoses", "sqlalchemy")
    code = f"import sys, mwz.harness; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
