"""Interrupts: a command that is interrupted at any time ends with 130 and says so."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# The mark says that the interpreter has started, whose own imports are not the command's.
START = """
import sys
from mwz.__main__ import command_line
print("started", flush=True)
sys.argv[0] = "mwz"
command_line()
"""


def _started(*arguments: str) -> subprocess.Popen[bytes]:
    """Start a command that reads standard input, which nothing comes from."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", START, *arguments]
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdout.readline() == b"started\n"
    return process


@pytest.mark.parametrize("seconds", [0.02, 0.05, 0.1, 0.2, 0.3, 1.0])
@pytest.mark.parametrize("command", ["score", "dst", "check"])
def test_a_command_can_be_interrupted_from_the_beginning(command: str, seconds: float) -> None:
    with _started(command, "-", "--benchmark", "sample") as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=60)
    assert (process.returncode, message) == (130, b"\nmwz: interrupted\n")


def test_interrupts_that_are_ignored_stay_ignored() -> None:
    program = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN){START}"
    program = program.replace('"mwz"', '"mwz"; signal.raise_signal(signal.SIGINT)')
    run = subprocess.run(
        [sys.executable, "-c", program, "--version"], capture_output=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, b"")
