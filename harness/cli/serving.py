"""Showing pages at the loopback address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

PORT = 8765
"""Where pages are shown unless another port is named."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def serve(what: str) -> Callable[[_Command], _Command]:
    """Return the option that shows pages at the loopback address.

    Args:
        what: What it does, as the help begins.
    """
    return click.option(
        "--serve",
        type=click.IntRange(0, 65535),
        is_flag=False,
        flag_value=PORT,
        metavar="[PORT]",
        help=f"{what} at the loopback address until Ctrl-C. [default port: {PORT}; 0 for any]",
    )


def serve_pages(files: Mapping[str, str], port: int, what: str) -> None:
    """Show pages until Ctrl-C.

    Args:
        files: Path -> content.
        port: The port; 0 for any that is free.
        what: What they show.

    Raises:
        InputError: The port is not available.
    """
    from ..board.views import site_server

    with site_server(files, port) as server:
        host, taken = server.server_address[:2]
        click.echo(f"http://{host!s}:{taken}/ shows {what}; Ctrl-C stops it")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("\nstopped")
