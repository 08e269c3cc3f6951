"""Tests of this folder are slow: they copy the project, start or kill processes, or open a browser.

`python -m pytest -m slow` runs them; without that option they are left out.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of the folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> None:
    """Let what tests start be interrupted, also where the tests run in a shell's background.

    Such a shell ignores interrupts, and so would every process started from it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
