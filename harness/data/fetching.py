"""Fetching the pinned files of a data set and building its benchmark from them.

Files are kept as `<data directory>/downloads/<owner>/<repository>/<commit>/<path>`. A file is
written, all or nothing, only after its content has proved to be the pinned one, and checked again
before every use. So the files that are kept are right, they are not fetched again, and several
fetches at once do no harm. The installed benchmark is replaced in one step at the end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

import requests

from ..errors import InputError, refuse, without_secrets
from ..io import bounded, read_bytes, write_atomically
from .declared import Built, DataSet, PinnedFile, blob_id, build_benchmark, safe_path, select

GITHUB = "https://raw.githubusercontent.com"
SCHEMES = ("http://", "https://", "file://")

ATTEMPTS = 4
"""How often a failing server is asked for a file, after pauses of 1, 2 and 4 seconds."""

TIMEOUT = 20.0
"""Seconds to wait for a connection, and for more of an answer."""

_UNPACKED = {"Accept-Encoding": "identity"}
_CHUNK = 1 << 16
"""How many bytes of an answer are read at once: what a server packs all the same is unpacked."""

_NOT_THERE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_PASSING = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)


def urls(file: PinnedFile, mirror: str | None) -> tuple[str, ...]:
    """Return the URLs a file is looked for at, in order; a blank of its path is `%20`.

    At GitHub and on a mirror that is `<owner>/<repository>/<commit>/<path>`; on a mirror then
    also `<repository>/<path>`, which is how clones lie side by side.

    Raises:
        InputError: The mirror is neither a folder nor a http, https or file URL.
    """
    places = [file.place]
    if mirror is not None:
        if os.path.isdir(mirror):
            mirror = Path(mirror).absolute().as_uri()
        if not mirror.startswith(SCHEMES):
            expected = "expected a folder, or a URL that begins with http://, https:// or file://"
            raise InputError(f"mirror {without_secrets(mirror)}", expected)
        places.append(f"{file.repository.partition('/')[2]}/{file.path}")
    base = (mirror or GITHUB).rstrip("/")
    return tuple(f"{base}/{quote(place, safe='/+')}" for place in places)


def wrong_files(files: Collection[PinnedFile], folder: Path) -> tuple[int, list[Path]]:
    """Return how many of the files are kept below a folder, and the paths of those that are wrong.

    Raises:
        InputError: A file cannot be read.
    """
    count = 0
    wrong: list[Path] = []
    for file in files:
        path = safe_path(folder, file.place)
        if path.is_file():
            count += 1
            if blob_id(read_bytes(path, unpack=False)) != file.blob:
                wrong.append(path)
    return count, wrong


def fetch_benchmark(
    data_set: DataSet,
    parts: Collection[str],
    folder: Path,
    mirror: str | None = None,
    offline: bool = False,
    notify: Callable[[str], None] = lambda remark: None,
) -> Built:
    """Fetch what the benchmark of a data set is built from and build it.

    What is kept is checked; a wrong file is named and fetched again. What a server lacks or has
    in another version is reported when all the rest is there; a failing server ends it at once.

    Args:
        data_set: The data set.
        parts: What to fetch besides what is always needed: "all" for the overlap with train and
            dev, which is also computed where its files are there already; "predictions" for the
            outputs of systems; "trackers" for those of trackers.
        folder: Where to keep the files.
        mirror: Folder or URL (http, https or file) below which the files are, as `urls` says;
            None: GitHub.
        offline: Use only what is kept.
        notify: Called with each remark about what is going on.

    Raises:
        InputError: Some file is not available, or cannot be written.
    """
    for source in data_set.sources:
        if source.unpinned:
            what = f"{source.repository} has {source.unpinned[0]}, which is not pinned"
            raise InputError(data_set.name, f"{what}; use `mwz data import` with a clone")
    every = select(data_set.sources, ["all"])
    if all(safe_path(folder, file.place).is_file() for file in every):
        # Fetching something else must not lose the overlap, which is known already.
        parts = {*parts, "all"}
    _fetch(select(data_set.sources, parts), folder, mirror, offline, notify)
    folders = {s.role: folder / s.repository / s.commit for s in data_set.sources}
    return build_benchmark(data_set, folders, all_splits="all" in parts)


def fetch_gold_states(
    data_set: DataSet,
    versions: Sequence[str],
    folder: Path,
    mirror: str | None = None,
    offline: bool = False,
    notify: Callable[[str], None] = lambda remark: None,
) -> list[tuple[str, Path]]:
    """Fetch the files with the gold states of other versions of a data set's annotation.

    Args:
        data_set: The data set.
        versions: The versions.
        folder: Where to keep the files.
        mirror: As of `fetch_benchmark`.
        offline: Use only what is kept.
        notify: Called with each remark about what is going on.

    Returns:
        Versions and their files, as `import_gold_states` takes them.

    Raises:
        InputError: No source of a version is declared, or some file is not available.
    """
    pinned = data_set.pinned_states
    known = f"{data_set.name} has pinned files of {', '.join(sorted(pinned)) or 'no version'}"
    problem = f"{known}; `mwz data import --states VERSION PATH` installs others"
    missing = [version for version in versions if version not in pinned]
    refuse("--states", [f"{version}: {problem}" for version in missing])
    _fetch([pinned[version] for version in versions], folder, mirror, offline, notify)
    return [(version, safe_path(folder, pinned[version].place)) for version in versions]


def _fetch(
    files: Sequence[PinnedFile],
    folder: Path,
    mirror: str | None,
    offline: bool,
    notify: Callable[[str], None],
) -> None:
    """Fetch those of some files that are not kept, as `fetch_benchmark` says.

    Raises:
        InputError: Some file is not available, or cannot be written.
    """
    _, wrong = wrong_files(files, folder)
    for path in wrong:
        notify(f"{path}: not the pinned content; removed")
        path.unlink()
    lacking = [file for file in files if not safe_path(folder, file.place).is_file()]
    if lacking and offline:
        for file in lacking:
            notify(f"missing: {urls(file, mirror=None)[0]}")
        raise InputError(
            str(folder),
            f"{len(lacking)} of {len(files)} files are missing, and --offline fetches none; fetch "
            "without it, from a mirror (--from URL|FOLDER) if need be, put them here as "
            "<owner>/<repository>/<commit>/<path>, or use `mwz data import` with clones",
        )
    problems: list[str] = []
    for number, file in enumerate(lacking, start=1):
        notify(f"{number} of {len(lacking)}: {file.place}")
        for url in urls(file, mirror):
            content = _read(url)
            if content is not None and blob_id(content) == file.blob:
                write_atomically(safe_path(folder, file.place), content)
                break
        else:
            version = f"not there in the pinned version (git blob {file.blob})"
            problems.append(f"{file.repository}, {file.path}: {version}")
    refuse(without_secrets(mirror or GITHUB), problems)


def _read(url: str) -> bytes | None:
    """Return what is at a URL, asked for again while the server fails; None if nothing is.

    Raises:
        InputError: The server fails or refuses.
    """
    if url.startswith("file://"):
        path = Path(url2pathname(urlsplit(url).path))
        return path.read_bytes() if path.is_file() else None
    trouble = ""
    # The retries of requests (urllib3's) would not do: they end where an answer's body begins, and
    # a connection may fail within it.
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(2 ** (attempt - 1))
        try:
            with requests.get(url, timeout=TIMEOUT, stream=True, headers=_UNPACKED) as answer:
                answer.raise_for_status()
                return bounded(answer.iter_content(_CHUNK), without_secrets(url))
        except (requests.RequestException, ValueError) as error:
            response = getattr(error, "response", None)
            status = 0 if response is None else response.status_code
            if status in _NOT_THERE:
                return None
            trouble = f"the server answers {status}" if status else str(error)
            # A malformed address: the libraries below raise errors of their own, all ValueErrors.
            is_malformed = isinstance(error, ValueError)
            is_refused = 400 <= status < 500 and status not in _PASSING
            if is_malformed or is_refused:
                break
    raise InputError(
        without_secrets(url),
        f"{without_secrets(trouble)}. What was fetched is kept: try again later, or fetch from a "
        "mirror (--from URL|FOLDER)",
    )
