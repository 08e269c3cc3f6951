"""Showing pages at the loopback address."""

from __future__ import annotations

from collections.abc import Mapping

import click


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
