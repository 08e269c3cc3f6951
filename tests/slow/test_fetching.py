"""Fetching by processes: two at once, one that is killed, and exit statuses."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fetched import ACTS_FILE, GOALS_FILE, data_set, installed, mirror, old, scraps, server
from helpers import write_json
from loopback import Server
from synthetic import SEEN_IDS

from mwz.harness.data import DataSet, load_benchmark

# A real process of the command line, with a table of pinned files that it reads from a file.
_CHILD = """
import json, sys
from dataclasses import replace
import mwz.harness.data as data
from mwz.harness.cli import main
from mwz.harness.data.declared import parse_source
with open(sys.argv[1]) as file:
    sources = tuple(map(parse_source, json.load(file)["sources"]))
declared = replace(data.read_data_set("multiwoz"), sources=sources)
data.read_data_set = lambda name: declared
main(["data", *sys.argv[2:]])
"""


def start(table: Path, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(table), *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def table(data_set: DataSet, tmp_path: Path) -> Path:
    entries = []
    for source in data_set.sources:
        parts: dict[str, dict[str, str]] = {}
        for file in source.files:
            parts.setdefault(file.part, {})[file.path] = file.blob
        head = {"repository": source.repository, "commit": source.commit, "role": source.role}
        entries.append({**head, "venues": source.venues, "clone": source.clone, **parts})
    return write_json(tmp_path / "table.json", {"sources": entries})


def test_a_killed_fetch_leaves_the_old_benchmark(server: Server, table: Path, old: bytes) -> None:
    """Killed without notice in the middle of a file."""
    server.faults[ACTS_FILE] = ["hang in the middle"]
    process = start(table, "fetch", "--from", server.url)
    deadline = time.monotonic() + 30
    while not server.requests[ACTS_FILE]:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert installed() == old
    again = start(table, "fetch", "--from", server.url)
    output, errors = again.communicate(timeout=60)
    assert again.returncode == 0, errors
    assert "3 dialogues, 5 system turns" in output
    assert server.requests[GOALS_FILE] == 1
