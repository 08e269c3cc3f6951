"""All rewritings of published files score the same, or the user is told: minutes of computing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rescored import SILENT, SYSTEMS, part, silent_kinds
from rewritings import kinds

from mwz.harness import Benchmark


@pytest.mark.real_data
@pytest.mark.parametrize("system", SYSTEMS)
def test_hardly_any_rewriting_changes_a_score_in_silence(
    system: str, multiwoz: Benchmark, predictions: Callable[[str], Any]
) -> None:
    silent = silent_kinds(kinds(), part(predictions(system), 100), multiwoz)
    assert len(silent) <= SILENT * len(kinds()), silent
