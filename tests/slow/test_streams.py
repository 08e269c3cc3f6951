"""Standard output: what is not written in full is an error, however the stream is made."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from entered import REPOSITORY
from helpers import CAREFUL, HASTY

SCORE = ("score", CAREFUL, "--benchmark", "sample")


def _run(
    *arguments: object, shell: str = "", limit: int | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `mwz`; `shell` redirects its streams, `limit` bounds the files that it writes."""

    def bound() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "mwz", *map(str, arguments)]
    return subprocess.run(
        ["bash", "-c", f'"$@" {shell}', "bash", *command],
        env={**os.environ, **environment},
        preexec_fn=bound,
        capture_output=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("options", [(), ("--json", "-")], ids=["text", "JSON"])
def test_an_output_that_is_cut_short_is_an_error(
    tmp_path: Path, unbuffered: str, options: tuple[str, ...]
) -> None:
    target = tmp_path / "output"
    run = _run(
        *("audit", "--submissions", REPOSITORY, *options),
        shell=f"> {target}",
        limit=16_000,
        PYTHONUNBUFFERED=unbuffered,
    )
    assert target.stat().st_size == 16_000
    assert run.returncode == 2
    assert run.stderr == b"mwz: standard output: cannot be written (File too large)\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [SCORE, (*SCORE, "--json", "-"), ("--help",)], ids=str)
def test_a_full_output_is_an_error(arguments: tuple[object, ...], unbuffered: str) -> None:
    run = _run(*arguments, shell="> /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert run.returncode == 2
    assert run.stderr == b"mwz: standard output: cannot be written (No space left on device)\n"


@pytest.mark.parametrize("arguments", [SCORE, (*SCORE, "--json", "-"), ("--help",)], ids=str)
def test_a_closed_output_is_an_error(arguments: tuple[object, ...]) -> None:
    run = _run(*arguments, shell=">&-")
    assert run.returncode == 2
    assert run.stderr == b"mwz: standard output: cannot be written (Bad file descriptor)\n"


@pytest.mark.parametrize("stream", ["2>&-", "2> /dev/full"])
def test_an_error_that_cannot_be_told_is_one_by_its_status(stream: str) -> None:
    assert _run("score", "nowhere.json", shell=stream).returncode == 2


@pytest.mark.parametrize("command", ["dst", "compare"])
def test_a_name_that_is_no_text_is_written_as_its_escapes(tmp_path: Path, command: str) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff.json")
    Path(odd).write_bytes(CAREFUL.read_bytes())
    other = [HASTY] if command == "compare" else []
    target = tmp_path / "report.json"
    for shown in ("-", target):
        run = _run(command, odd, *other, "--benchmark", "sample", "--json", shown)
        assert run.returncode == 0
        # The hasty system gets remarks.
        assert run.stderr == b"" or other
        content = run.stdout if shown == "-" else target.read_bytes()
        assert b"odd\\udcff" in content
        assert json.loads(content)
