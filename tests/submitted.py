"""Entries made up for tests of submitting, and what a folder of them holds."""

from __future__ import annotations

from pathlib import Path

from helpers import Cli, Run

NEW, OLD = b'{"new": []}', b'{"old": []}'


def files_below(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder by its path, but for the lock of submissions."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


class Submitting(Cli):
    """Submits outputs to the sample, to a folder of its own.

    Args:
        folder: Where the folder of submissions is to be.
        cli: Runs `mwz`.
        track: The track, unless a submission names another.
    """

    def __init__(self, folder: Path, cli: Cli, track: str) -> None:
        self.folder = folder / "base" / "submissions"
        self.page = self.folder.with_name("leaderboard.md")
        self.run = cli.of(last=("--submissions", self.folder))
        self._track = track

    def __call__(
        self, predictions: object, name: str, *options: object, track: str | None = None
    ) -> Run:
        about = ("--name", name, "--track", track or self._track, "--benchmark", "sample")
        return self.run("submit", predictions, *about, *options)
