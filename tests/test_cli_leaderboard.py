"""`mwz leaderboard`: the same bytes every time, and a check that says what is outdated."""

from __future__ import annotations

from pathlib import Path

import pytest
from entered import edit_inform
from helpers import Cli
from submitted import files_below


def _page(folder: Path) -> Path:
    return folder.parent / "leaderboard.md"


def test_the_page_is_the_same_every_time(three_entries: Path, board_cli: Cli) -> None:
    (three_entries / ".git").mkdir()
    (three_entries / ".git" / "HEAD").write_text("ref")
    (three_entries / "README.md").write_text("read me")
    board_cli.done(three_entries)
    before, first = files_below(three_entries), _page(three_entries).read_bytes()
    board_cli.done(three_entries)
    # Nothing else in the folder is touched.
    assert (files_below(three_entries), _page(three_entries).read_bytes()) == (before, first)
    _page(three_entries).unlink()
    board_cli.done(three_entries)
    assert _page(three_entries).read_bytes() == first


def test_consistent_edits_fail_the_check_with_a_diff(three_entries: Path, board_cli: Cli) -> None:
    board_cli(three_entries)
    before = _page(three_entries).read_bytes()
    edit_inform(three_entries / "alpha", 71.0)
    run = board_cli.failed(three_entries, "--check")
    assert "is outdated; run `mwz leaderboard`" in run.err
    lines = run.out.splitlines()
    removed = [line for line in lines if line.startswith("-") and not line.startswith("---")]
    added = [line for line in lines if line.startswith("+") and not line.startswith("+++")]
    # Alpha's line on both pages, and who leads Inform.
    assert [len(removed), len(added)] == [3, 3]
    assert all("Alpha" in line for line in removed + added)
    assert sum("70.0" in line for line in removed) == sum("71.0" in line for line in added) == 2
    assert _page(three_entries).read_bytes() == before


def test_a_page_that_differs_in_bytes_only_or_is_missing_fails_the_check(
    three_entries: Path, board_cli: Cli
) -> None:
    board_cli(three_entries)
    page = _page(three_entries)
    right = page.read_bytes()
    for wrong in (right.replace(b"\n", b"\r\n"), right.rstrip(b"\n"), right + b"\xff"):
        page.write_bytes(wrong)
        assert board_cli.failed(three_entries, "--check").out.strip()
        assert page.read_bytes() == wrong
    page.unlink()
    assert "+# Leaderboard" in board_cli.failed(three_entries, "--check").out
    assert not page.exists()


def test_the_folders_note_is_on_the_page_as_text(three_entries: Path, board_cli: Cli) -> None:
    note = three_entries / "note.txt"
    note.write_text("All of\n<b>this</b> moves.\n\n# Soon\n", encoding="utf-8")
    board_cli.done(three_entries)
    text = _page(three_entries).read_text(encoding="utf-8")
    assert "\n\nAll of \\<b\\>this\\</b\\> moves. \\# Soon\n\n" in text
    board_cli.done(three_entries, "--check")
    note.unlink()
    board_cli.failed(three_entries, "--check")
    note.write_bytes(b"\xff")
    assert "note.txt: not text in UTF-8" in board_cli.refused(three_entries)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("entry.toml", "nam = 'x'", "nam: unknown key"),
        ("scores.json", "", "the file is empty"),
        (
            "scores.json",
            '{"format": 4, "reports": {"2021": {"format": 2, "strict": {}}}}',
            "strict.inform: field required",
        ),
    ],
)
def test_a_wrong_file_is_refused_without_a_traceback(
    three_entries: Path, board_cli: Cli, file: str, content: str, message: str
) -> None:
    (three_entries / "beta" / file).write_text(content, encoding="utf-8")
    shown = board_cli.refused(three_entries)
    named = "beta: scores.json: " if file == "scores.json" else str(Path("beta") / file)
    assert named in shown
    assert message in shown
