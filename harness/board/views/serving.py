"""Showing the site on the loopback address: nobody else sees it, and nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from ...errors import InputError

LOOPBACK = "127.0.0.1"
PORT = 8765
"""Where the site is shown unless another port is named."""

_START = "index.html"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
}
_PLAIN = "text/plain; charset=utf-8"


def site_server(files: Mapping[str, str], port: int) -> ThreadingHTTPServer:
    """Return a server of the site's files at the loopback address, not yet running.

    Args:
        files: Path within the site -> content.
        port: The port; 0 for any that is free.

    Raises:
        InputError: The port cannot be had.
    """
    contents = {path: text.encode() for path, text in files.items()}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = self._answer()
            if content is not None:
                self.wfile.write(content)

        def do_HEAD(self) -> None:
            self._answer()

        def _answer(self) -> bytes | None:
            path = unquote(urlsplit(self.path).path).lstrip("/") or _START
            content = contents.get(path)
            if content is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return None
            ending = path[path.rfind(".") :]
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", _TYPES.get(ending, _PLAIN))
            self.send_header("Content-Length", str(len(content)))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            return content

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing: the terminal shows where the site is."""

    try:
        return ThreadingHTTPServer((LOOPBACK, port), Handler)
    except OSError as error:
        raise InputError(
            f"port {port}", f"cannot be had ({error.strerror}); name another one: --serve PORT"
        ) from None
