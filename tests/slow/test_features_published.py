"""Published files are in order, or deserve the remarks that they get; limits are set by them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mwz.harness import Benchmark
from mwz.harness.submission import declared_features, declared_flags
from mwz.harness.submission.profile.measuring import profile_of
from mwz.harness.submission.profile.profile import profile_remarks

COUNTED = [name for name in declared_features() if name not in declared_flags()]


pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def measured(calibrate: Any, multiwoz: Benchmark, upstream: Path, dst_data: Path) -> Sequence[Any]:
    """The published files, each with its profile."""
    return [*calibrate.measured_files(multiwoz, upstream, dst_data)]


def test_published_files_get_only_deserved_remarks(measured: Sequence[Any]) -> None:
    wrong = {file.name: (file.odd, file.deserved) for file in measured if file.odd != file.deserved}
    assert wrong == {}
    in_order = [file for file in measured if not file.deserved]
    assert len(in_order) > 60


def test_samples_of_large_files_get_the_same_remarks(measured: Sequence[Any]) -> None:
    for file in measured:
        remarked = {
            remark.kind for remark in profile_remarks(profile_of(file.content, sampled=True))
        }
        # Where a few states in a hundred are odd, they need not be in the part.
        assert remarked in (set(), file.deserved), file.name


def test_files_that_deserve_a_remark_are_there(calibrate: Any, measured: Sequence[Any]) -> None:
    names = [file.name for file in measured]
    for pattern in calibrate.DESERVED:
        assert calibrate.fnmatch.filter(names, pattern), pattern


def test_ranges_are_those_of_published_files(calibrate: Any, measured: Sequence[Any]) -> None:
    stored = {
        name: tuple(declared_features()[name].honest)
        for name in COUNTED
        if declared_features()[name].honest
    }
    assert stored == calibrate.honest_ranges(measured), "run `python tools/calibrate.py`"
