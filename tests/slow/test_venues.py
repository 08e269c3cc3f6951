"""Processes that fill one venue database at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("attempt", range(3))
def test_processes_that_use_a_new_database_at_the_same_time_all_can(
    attempt: int, new_database: str
) -> None:
    code = f"""
import sys
from helpers import RULES, VENUES
from mwz.database.venues import VenueDatabase
print("ready", flush=True)
sys.stdin.read()
print(len(VenueDatabase(VENUES, RULES, {new_database!r}).query("train", {{}})))
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(6)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    for process in processes:
        process.stdin = None
        out, err = process.communicate(timeout=120)
        assert (out, err) == ("4\n", "")
