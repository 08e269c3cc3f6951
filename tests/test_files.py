"""Reading and writing: plain or gzipped, one message for what is wrong, all or nothing out."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import refusal

from mwz.harness.errors import InputError
from mwz.harness.io import read_json, write_atomically, write_json


def test_json_is_read_plain_and_gzipped_whatever_the_name(tmp_path: Path) -> None:
    content = json.dumps({"é": [1]}, ensure_ascii=False).encode()
    for name, written in (("a.txt", content), ("b.json", gzip.compress(content))):
        (tmp_path / name).write_bytes(written)
        assert read_json(tmp_path / name) == {"é": [1]}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_json_is_read_from_standard_input(pack: object, monkeypatch: pytest.MonkeyPatch) -> None:
    content = pack(b'{"a": 1}')  # type: ignore[operator]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert read_json("-") == {"a": 1}
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input: is closed"):
        read_json("-")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty; expected JSON"),
        (b" \n\t", "the file is empty; expected JSON"),
        (b'{"a": 1,\n "b" 2}', r"not JSON: line 2, column 6 \(Expecting ':' delimiter\)"),
        (b'{"a": 1} {"b": 2}', r"not JSON: line 1, column 10 \(Extra data\)"),
        (b'{"a": "\xff"}', r"not text in UTF-8 \(byte 7, line 1\)"),
        (b"[" * 200_000, "JSON nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "cannot be read as JSON"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "is a Git LFS poi"),
        (gzip.compress(b"[1, 2, 3]", mtime=0)[:-9], "damaged: it cannot be unpacked"),
        (gzip.compress(b"[1, 2, 3]", mtime=0)[:12] + b"xxxxxxxxxx", "damaged: it cannot be unpa"),
        (gzip.compress(b"", mtime=0), "the file is empty; expected JSON"),
    ],
)
def test_bad_json_is_reported_with_its_place(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_json(path)


def test_unreadable_files_are_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    problems = {"none.json": "no such file", "": "is a folder; give a", "file/a": "cannot be read"}
    for place, problem in problems.items():
        error = refusal(read_json, tmp_path / place)
        assert error.source == str(tmp_path / place)
        assert error.problems[0].startswith(problem)


def test_a_file_is_written_with_the_folders_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.json"
    write_json(str(path), {"é": 1.5})
    assert path.read_text(encoding="utf-8") == '{\n  "é": 1.5\n}\n'
    assert os.listdir(path.parent) == ["a.json"]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        write_atomically(tmp_path / "a", "x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644


def test_standard_output_gets_json_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    write_json("-", [1, "é"])
    assert capsys.readouterr().out == '[\n  1,\n  "é"\n]\n'


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, failure: BaseException
) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(*args: object, **kwargs: object) -> None:
        raise failure

    monkeypatch.setattr(os, failing, fail)
    expected = InputError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write_atomically(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_link_stays_a_link_and_the_file_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.json").write_text("old")
    (tmp_path / "link.json").symlink_to(tmp_path / "folder" / "a.json")
    write_atomically(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "folder" / "a.json").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["folder", "link.json"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, "text")
        assert os.read(reader, 100) == b"text"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "a.json", tmp_path / "folder"):
        with pytest.raises(InputError, match="cannot be written"):
            write_atomically(path, "x")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "x"
