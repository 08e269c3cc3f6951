"""Pages at the loopback address, until somebody stops it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import click

from ...errors import InputError

LOOPBACK = "127.0.0.1"
_LOOPBACK_NAMES = (LOOPBACK, "localhost", "[::1]")

START = "index.html"
"""The page that is shown where an address names none."""

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
}
_PLAIN = "text/plain; charset=utf-8"


def serve_pages(files: Mapping[str, str], port: int, what: str) -> None:
    """Show pages until Ctrl-C.

    Args:
        files: Path -> content.
        port: The port; 0 for any that is free.
        what: What they show.

    Raises:
        InputError: The port is not available.
    """
    with page_server(files, port) as server:
        host, taken = server.server_address[:2]
        click.echo(f"http://{host!s}:{taken}/ shows {what}; Ctrl-C stops it")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("\nstopped")


def page_server(files: Mapping[str, str], port: int) -> ThreadingHTTPServer:
    """Return a server of pages at the loopback address, not yet running; arguments as above.

    It answers requests for this machine only: a page of another site whose name was made to lead
    here (DNS rebinding) is refused.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                address = urlsplit(self.path)
            except ValueError:
                self.send_error(HTTPStatus.BAD_REQUEST)
                return
            hosts = [*self.headers.get_all("Host", ()), *filter(None, [address.netloc])]
            path = unquote(address.path).lstrip("/") or START
            if not hosts or not all(map(self._is_own, hosts)):
                self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            elif path not in files:
                self.send_error(HTTPStatus.NOT_FOUND)
            else:
                self._send(path, files[path].encode())

        do_HEAD = do_GET  # noqa: N815 -- as the base class calls it

        def _is_own(self, host: str) -> bool:
            port = self.connection.getsockname()[1]
            return host.strip().lower().removesuffix(f":{port}") in _LOOPBACK_NAMES

        def _send(self, path: str, content: bytes) -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", _TYPES.get(path[path.rfind(".") :], _PLAIN))
            self.send_header("Content-Length", str(len(content)))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing: the terminal shows where the pages are."""

    try:
        return _Server((LOOPBACK, port), Handler)
    except OSError as error:
        problem = f"is not available ({error.strerror}); choose another: --serve PORT"
        raise InputError(f"port {port}", problem) from None


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that does not wait for its answer."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]
