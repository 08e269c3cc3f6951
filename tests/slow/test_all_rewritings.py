"""Rewritings of a hundred dialogues score the same, or the user is told: minutes of computing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rescored import SILENT, SYSTEMS, silent_kinds_of_systems
from rewritings import kinds

from mwz.harness import Benchmark


@pytest.mark.real_data
def test_hardly_any_rewriting_of_a_hundred_dialogues_changes_a_score_in_silence(
    multiwoz: Benchmark, predictions: Callable[[str], Any]
) -> None:
    # In another order than with twelve dialogues, each system gets other kinds.
    systems = [*SYSTEMS[1:], SYSTEMS[0]]
    silent = silent_kinds_of_systems(systems, 100, multiwoz, predictions)
    assert len(silent) <= SILENT * len(kinds()), silent
