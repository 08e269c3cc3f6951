"""Telling on standard error what is to be said of a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from ..errors import InputError, printable
from ..submission.remarks import Remark


def notify(remark: str) -> None:
    """Print a remark about what is going on, on standard error: `mwz: …`."""
    click.echo(f"mwz: {printable(remark)}", err=True)


def tell_strays(folder: Path) -> None:
    """Print what lies among the entries of a folder and is none."""
    from ..board.entries import strays  # pydantic takes its time

    for name in strays(folder):
        notify(f"{folder / name}: neither a folder nor a file, and left alone; remove it")


def tell(source: str, remarks: Iterable[Remark | str]) -> None:
    """Print remarks on standard error, one line each: `mwz: FILE: …`.

    Args:
        source: What was read, as the user named it.
        remarks: What is to be said of it.
    """
    for remark in remarks:
        # In the words and bounds of an error, which is what else is told of a file.
        click.echo(f"mwz: {InputError(source, str(remark))}", err=True)
