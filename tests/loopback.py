"""A real HTTP server on the loopback address that serves a folder, and misbehaves when told to."""

from __future__ import annotations

import contextlib
import gzip
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path


class Server:
    """What a running server is told and what it has seen.

    Attributes:
        url: Where it listens.
        requests: Path -> how often it was asked for.
        faults: Path -> what to do at each of the next requests, one of `FAULTS` or "serve".
        every_fault: What to do at every request that has nothing of its own to do.
        released: Set to let hanging answers go on.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = ""
        self.requests: Counter[str] = Counter()
        self.faults: defaultdict[str, list[str]] = defaultdict(list)
        self.every_fault = "serve"
        self.released = threading.Event()

    def fault(self, path: str) -> str:
        self.requests[path] += 1
        return self.faults[path].pop(0) if self.faults[path] else self.every_fault


class _Handler(BaseHTTPRequestHandler):
    server_state: Server

    def do_GET(self) -> None:
        path = self.path.removeprefix("/moved")
        fault = self.server_state.fault(path)
        file = self.server_state.folder / path.lstrip("/")
        if fault.isdigit() or not file.is_file():
            self.send_error(int(fault) if fault.isdigit() else 404)
            return
        FAULTS[fault](self, file.read_bytes())

    def answer(self, content: bytes, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        self.wfile.write(content)

    def redirect(self, to: str) -> None:
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def hang(self) -> None:
        self.server_state.released.wait(30)

    def hang_in_the_middle(self, content: bytes) -> None:
        self.answer(content[: len(content) // 2], len(content))
        self.wfile.flush()
        self.hang()

    def answer_without_end(self) -> None:
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            while not self.server_state.released.is_set():
                self.wfile.write(bytes(1 << 16))

    def answer_packed(self) -> None:
        """Send half a gigabyte of zeros in half a megabyte, whatever the client accepts."""
        packed = gzip.compress(bytes(1 << 20)) * 512
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(packed)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


FAULTS: dict[str, Callable[[_Handler, bytes], None]] = {
    "serve": lambda handler, content: handler.answer(content),
    # Fewer bytes than announced, then the end.
    "cut": lambda handler, content: handler.answer(content[: len(content) // 2], len(content)),
    "altered": lambda handler, content: handler.answer(content[:-1] + b"?"),
    "endless": lambda handler, content: handler.answer_without_end(),
    "packed": lambda handler, content: handler.answer_packed(),
    "hang": lambda handler, content: handler.hang(),
    "hang in the middle": lambda handler, content: handler.hang_in_the_middle(content),
    "redirect": lambda handler, content: handler.redirect(f"/moved{handler.path}"),
    "redirect for ever": lambda handler, content: handler.redirect(handler.path),
}


@contextmanager
def running(server: HTTPServer) -> Iterator[str]:
    """Run a server on the loopback address until the context ends, and yield its address."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve a folder until the context ends."""
    state = Server(folder)
    handler = type("Handler", (_Handler,), {"server_state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.block_on_close = False
    with running(server) as state.url:
        try:
            yield state
        finally:
            state.released.set()
