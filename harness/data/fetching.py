"""Fetching the pinned files of a data set and building its benchmark from them.

Files are kept as `<data directory>/downloads/<owner>/<repository>/<commit>/<path>`. A file is
written, all or nothing, only after its content has proved to be the pinned one, and checked again
before every use. So the files that are kept are right, they are not fetched again, and several
fetches at once do no harm. The installed benchmark is replaced in one step at the end.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

import pooch
import requests

from ..errors import InputError, refuse, without_secrets
from ..io.files import DEFAULT_LIMITS, write_atomically
from .declared import (
    Built,
    DataSet,
    PinnedFile,
    Sources,
    blob_id,
    build_benchmark,
    safe_path,
    select,
)

GITHUB = "https://raw.githubusercontent.com"
MIRROR_VARIABLE = "MWZ_MIRROR"
SCHEMES = ("http", "https", "file")

CONTENT_ATTEMPTS = 2
"""How often a file is fetched whose content turns out not to be the pinned one."""

LARGEST_FILE = DEFAULT_LIMITS.unpacked
"""Bytes. No pinned file is nearly as large."""

_CHUNK = 1 << 16
_WAITS = 3
"""How many timeouts a piece of an answer may take: to connect, to be redirected, to come."""
_NOT_THERE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_PASSING_STATUS = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)


@dataclass(frozen=True)
class Transfer:
    """Where files come from and how patiently they are asked for.

    Attributes:
        mirror: URL (http, https or file) below which the files are, as `urls` says; None: GitHub.
        offline: Use only what is kept.
        attempts: How often a failing server is asked for a file, at least once.
        timeout: Seconds to wait for a connection, and for each byte of an answer; three times as
            long for each 64 kB of it.
        backoff: Seconds to wait before the second attempt; then twice as long each time.
        progress: Whether to show a progress bar per file on standard error.
        notify: Called with each remark about what is going on.
    """

    mirror: str | None = None
    offline: bool = False
    attempts: int = 4
    timeout: float = 20.0
    backoff: float = 1.0
    progress: bool = False
    notify: Callable[[str], None] = lambda remark: None


class _NotThereError(Exception):
    """The place asked lacks the file."""


class _PassingError(Exception):
    """Trouble that may be over at the next attempt."""


def urls(file: PinnedFile, mirror: str | None) -> tuple[str, ...]:
    """Return the URLs a file is looked for at, in order; a blank of its path is `%20`.

    At GitHub and on a mirror that is `<owner>/<repository>/<commit>/<path>`; on a mirror then
    also `<repository>/<path>`, which is how clones lie side by side.

    Raises:
        InputError: The mirror is no complete http, https or file URL.
    """
    if mirror is None:
        return (f"{GITHUB}/{_in_url(file.place)}",)
    if not _is_mirror(mirror):
        raise InputError(
            f"mirror {without_secrets(mirror)}",
            "expected a URL that begins with http://, https:// or file://, the first two followed "
            "by a host, and has no `?`",
        )
    base = mirror.rstrip("/")
    return (f"{base}/{_in_url(file.place)}", f"{base}/{_in_url(file.place_in_clones)}")


def _in_url(place: str) -> str:
    return quote(place, safe="/+")


def _is_mirror(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        # Half a pair of brackets, as in http://[::1
        return False
    if (
        parts.query
        or parts.scheme not in SCHEMES
        or not url.lower().startswith(f"{parts.scheme}://")
    ):
        return False
    # A stroke in a password ends what is before it as a port.
    port = parts.netloc.rpartition("@")[2].rpartition("]")[2].partition(":")[2]
    return parts.scheme == "file" or (bool(parts.hostname) and (not port or port.isdigit()))


def fetch_files(files: Collection[PinnedFile], folder: Path, transfer: Transfer) -> int:
    """Make sure that all files are kept below a folder, and are the pinned ones.

    What is there is checked; a wrong file is named, removed and fetched again. What a server
    lacks or has in another version is fetched from nowhere else, and reported when all the rest
    is there; a failing server ends it at once.

    Args:
        files: The pinned files.
        folder: Where to keep them.
        transfer: Where they come from.

    Returns:
        The number of files fetched.

    Raises:
        InputError: Some file is not available, or cannot be written.
    """
    lacking = [file for file in files if not _is_kept(file, folder, transfer.notify)]
    if lacking and transfer.offline:
        raise _offline_error(lacking, len(files), folder)
    problems = []
    for number, file in enumerate(lacking, start=1):
        if transfer.progress:
            transfer.notify(f"{number} of {len(lacking)}: {file.place}")
        path = safe_path(folder, file.place)
        try:
            content = _pinned_content(file, transfer)
        except _NotThereError as error:
            problems.append(f"{file.repository}, {file.path}: {error}")
        else:
            write_atomically(path, content)
    refuse(without_secrets(transfer.mirror or GITHUB), problems)
    return len(lacking)


def kept_files(files: Collection[PinnedFile], folder: Path) -> tuple[PinnedFile, ...]:
    """Return those of the files that are kept below a folder, right or wrong."""
    return tuple(file for file in files if safe_path(folder, file.place).is_file())


def fetch_benchmark(
    data_set: DataSet, split: str, predictions: bool, folder: Path, transfer: Transfer
) -> Built:
    """Fetch what the benchmark of a data set is built from and build it.

    Args:
        data_set: The data set.
        split: "test", or "all" to find the overlap with train and dev as well; it is found, too,
            where the files for it are kept already.
        predictions: Whether to fetch the published systems' outputs, too.
        folder: Where to keep the files.
        transfer: Where they come from.

    Raises:
        InputError: Some file is not available, or cannot be written.
    """
    every = select(data_set.sources, "all", predictions=False)
    if len(kept_files(every, folder)) == len(every):
        # What is known of the overlap is not to be lost when something else is fetched.
        split = "all"
    fetch_files(select(data_set.sources, split, predictions), folder, transfer)
    places = [(source, folder / source.place) for source in data_set.sources]
    sources = Sources(
        folders={source.role: place for source, place in places},
        venues={source.venues: place for source, place in places if source.venues is not None},
        rebuild=True,
        all_splits=split == "all",
    )
    return build_benchmark(data_set, sources)


def _is_kept(file: PinnedFile, folder: Path, notify: Callable[[str], None]) -> bool:
    """Return whether a file is kept; a wrong one is named and removed."""
    path = safe_path(folder, file.place)
    try:
        found = blob_id(path.read_bytes())
        if found == file.blob:
            return True
        notify(f"{path}: not the pinned content (git blob {found}, not {file.blob}); removed")
        path.unlink(missing_ok=True)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputError(str(path), f"cannot be used ({error.strerror}); remove it") from None
    return False


def _offline_error(lacking: Sequence[PinnedFile], total: int, folder: Path) -> InputError:
    how = (
        f"{len(lacking)} of {total} files are missing, and --offline fetches none; fetch without "
        "it, from a mirror (--from URL) if need be, put what `mwz data urls` lists here as "
        "<owner>/<repository>/<commit>/<path>, or use `mwz data import` with clones"
    )
    return InputError(str(folder), [how, *(f"{file.place} is missing" for file in lacking)])


def _pinned_content(file: PinnedFile, transfer: Transfer) -> bytes:
    """Return a file's content, fetched once more if it is not the pinned one.

    Raises:
        _NotThereError: The file is not there, or not in the pinned version.
    """
    for attempt in range(CONTENT_ATTEMPTS):
        url, content = _first_found(urls(file, transfer.mirror), transfer)
        found = blob_id(content)
        if found == file.blob:
            return content
        if attempt == 0:
            transfer.notify(
                f"{without_secrets(url)}: not the pinned content ({len(content)} bytes); fetching "
                "it once more"
            )
    raise _NotThereError(
        f"{without_secrets(url)} is not the pinned version, or altered ({len(content)} bytes, "
        f"git blob {found}, not {file.blob})"
    )


def _first_found(places: Sequence[str], transfer: Transfer) -> tuple[str, bytes]:
    for url in places:
        try:
            return url, _patiently(url, transfer)
        except _NotThereError:
            continue
    raise _NotThereError(f"not found at {without_secrets(' or '.join(places))}")


def _patiently(url: str, transfer: Transfer) -> bytes:
    """Return the content at a URL, asked for again while the server fails."""
    read = _read_local if urlsplit(url).scheme == "file" else _read_remote
    for attempt in range(transfer.attempts):
        if attempt:
            time.sleep(transfer.backoff * 2 ** (attempt - 1))
        try:
            return read(url, transfer)
        except _PassingError as error:
            trouble = error
    times = "once" if transfer.attempts == 1 else f"{transfer.attempts} times"
    raise InputError(
        without_secrets(url),
        f"{trouble} (tried {times}). What was fetched is kept: try again later, or fetch from a "
        "mirror (--from URL)",
    )


def _read_local(url: str, transfer: Transfer) -> bytes:
    path = Path(url2pathname(urlsplit(url).path))
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise InputError(url, "is no file")
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise _NotThereError from None
    except OSError as error:
        raise InputError(url, f"cannot be read ({error.strerror})") from None
    _check_size(len(content), url)
    return content


def _check_size(size: int, url: str) -> None:
    if size > LARGEST_FILE:
        most = f"more than {LARGEST_FILE:,} bytes, which no file of a data set has"
        raise InputError(without_secrets(url), f"too large: {most}")


class _Received(io.BytesIO):
    """What has come of a file; an `InputError` is raised once it is larger than any may be."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    def write(self, data: Any) -> int:
        _check_size(self.tell() + len(data), self._url)
        return super().write(data)


def _read_remote(url: str, transfer: Transfer) -> bytes:
    """Return what a server has at a URL.

    The library waits for each piece as long as a single byte comes now and then. So it is left
    behind, in a thread of its own, once no whole piece has come for long enough.
    """
    received = _Received(url)
    trouble: list[BaseException] = []

    def download() -> None:
        try:
            _download(url, received, transfer)
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=download, daemon=True)
    thread.start()
    size = -1
    patience = max(0.01, _WAITS * transfer.timeout)
    while thread.is_alive():
        if size == received.tell():
            raise _PassingError(f"too slow: not {_CHUNK:,} bytes within {patience:g} seconds")
        size = received.tell()
        thread.join(patience)
    if trouble:
        raise trouble[0]
    return received.getvalue()


def _download(url: str, received: _Received, transfer: Transfer) -> None:
    download = pooch.HTTPDownloader(
        progressbar=transfer.progress,
        chunk_size=_CHUNK,
        timeout=transfer.timeout,
        # What is not packed cannot unpack to more than was sent.
        headers={"Accept-Encoding": "identity"},
    )
    shown = without_secrets(url)
    try:
        download(url, received, None)
    except requests.HTTPError as error:
        status = 0 if error.response is None else error.response.status_code
        if status in _NOT_THERE:
            raise _NotThereError from None
        answer = f"the server answers {status}"
        if status in _PASSING_STATUS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _PassingError(answer) from None
        raise InputError(shown, answer) from None
    except (ValueError, requests.TooManyRedirects) as error:
        # Wrong addresses and redirections, which no further attempt sets right. The errors about
        # addresses, of this library and of those below it, have nothing else in common.
        raise InputError(shown, f"cannot be fetched ({without_secrets(str(error))})") from None
    except requests.RequestException as error:
        meanings = (meaning for kind, meaning in _TROUBLES if isinstance(error, kind))
        meaning = next(meanings, str(error)).format(timeout=transfer.timeout)
        raise _PassingError(meaning) from None


# What the library's errors mean; the first that fits, so the special ones stand first.
_TROUBLES: tuple[tuple[type[requests.RequestException], str], ...] = (
    (requests.Timeout, "no answer within {timeout:g} seconds"),
    (requests.exceptions.ProxyError, "the proxy does not answer"),
    (requests.exceptions.SSLError, "no secure connection"),
    (requests.exceptions.ChunkedEncodingError, "the connection was cut in the middle of the file"),
    (requests.ConnectionError, "no connection, or it was cut or stalled"),
)
