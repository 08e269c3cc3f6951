"""Reading and writing the harness's files: JSON plain or packed, all or nothing on the way out.

Predictions files are not trusted: a few kilobytes can unpack to gigabytes. Their bounds are far
above what any published file needs; each can be set by an environment variable, `MWZ_LIMIT_` and
its name in capital letters.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import marshal
import math
import os
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, NoReturn, TypeVar, cast

from ..errors import Findings, InputError, cut, cut_repr, refuse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_T = TypeVar("_T")

VARIABLE = "MWZ_LIMIT_"


LIMITS: Mapping[str, tuple[int, str]] = {
    "unpacked": (256_000_000, "bytes of a file, unpacked"),
    "values": (1_000_000, "values in a predictions file"),
    "dialogues": (100_000, "dialogues in a file"),
    "turns": (1_000, "turns in a dialogue"),
    "response": (100_000, "characters in a response"),
    "value": (1_000, "characters in a slot's value"),
}
"""Bound -> its default, and what it bounds."""


def limits(environment: Mapping[str, str] = os.environ) -> dict[str, int]:
    """Return the bounds that hold, of `LIMITS`.

    Raises:
        InputError: A variable does not hold a whole number above 0.
    """
    chosen = {}
    for name, (default, _) in LIMITS.items():
        text = environment.get(VARIABLE + name.upper(), str(default))
        # Python cannot read a number of thousands of digits.
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
            problem = f"expected a whole number above 0, found {cut_repr(text)}"
            raise InputError(VARIABLE + name.upper(), problem)
        chosen[name] = int(text)
    return chosen


def limit_text(bounds: Mapping[str, int], name: str) -> str:
    """Return a bound as messages show it, with the variable that sets it."""
    return f"at most {bounds[name]:,} ({VARIABLE}{name.upper()})"


STANDARD_STREAM = "-"


def shown_name(path: str | Path) -> str:
    """Return what messages call an input."""
    return "standard input" if str(path) == STANDARD_STREAM else str(path)


def short_names(files: Sequence[str]) -> list[str]:
    """Return the files' names, with as many folders as it takes to tell them apart.

    >>> short_names(["a/x.json", "b/x.json"])
    ['a/x', 'b/x']
    """
    longest = max(len(Path(file).parts) for file in files)
    for length in range(1, longest + 1):
        names = ["/".join(Path(file).parts[-length:]).removesuffix(".json") for file in files]
        if len(set(names)) == len(set(files)):
            return names
    return list(files)


# Reading.

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"

_CHUNK = 1 << 20
"""How many bytes are read at once: Python reserves memory for all that it is asked for."""


def read_bytes(path: str | Path, unpack: bool = True, wanted: Sequence[str] = ()) -> bytes:
    """Read a file (or standard input for `-`), unpacked if it is packed by gzip or zip.

    Args:
        path: The file.
        unpack: If false, the bytes are returned as they are.
        wanted: Of a zip file with several files, the first of these names that it has is read.

    Raises:
        InputError: The file is missing, cannot be read, is damaged or too large.
    """
    source = shown_name(path)
    try:
        if str(path) != STANDARD_STREAM:
            with open(path, "rb") as file:
                content = _read(file, source)
        elif sys.stdin is not None:
            content = _read(sys.stdin.buffer, source)
        else:
            raise InputError(source, "is closed; give a file")
    except FileNotFoundError:
        raise InputError(source, "no such file") from None
    except IsADirectoryError:
        raise InputError(source, "is a folder; give a file") from None
    except (OSError, ValueError) as error:
        # A path with a null character is a ValueError.
        raise InputError(source, f"cannot be read ({_reason(error)})") from None
    if unpack and content.startswith(_LFS_POINTER):
        pull = "`git lfs pull` in its clone gets the file"
        raise InputError(source, f"is a Git LFS pointer, not the file that it points to; {pull}")
    if unpack and content.startswith((_GZIP, _ZIP)):
        return _unpacked(content, source, wanted)
    return content


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _read(file: IO[bytes], source: str) -> bytes:
    """Return all that is in a file.

    Raises:
        InputError: It is more than it may be.
    """
    return bounded(iter(partial(file.read, _CHUNK), b""), source)


def bounded(chunks: Iterable[bytes], source: str) -> bytes:
    """Return the chunks of what is read as one, as long as they are not too many.

    Raises:
        InputError: They are more bytes than a file may have.
    """
    bounds = limits()
    read: list[bytes] = []
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > bounds["unpacked"]:
            limit = limit_text(bounds, "unpacked")
            raise InputError(source, f"too large: more bytes than {limit}")
        read.append(chunk)
    return b"".join(read)


def _unpacked(content: bytes, source: str, wanted: Sequence[str]) -> bytes:
    """Return what a file packed by gzip, or the file of a zip file that is meant, holds.

    It is counted while it is unpacked: a small file may unpack to more than the memory holds.
    """
    try:
        if content.startswith(_GZIP):
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
                return _read(cast("IO[bytes]", packed), source)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files: list[str] = []
            for name in archive.namelist():
                # macOS adds files of its own.
                if not name.startswith("__MACOSX/") and not name.endswith("/"):
                    files.append(name)
            meant = files if len(files) == 1 else []
            for wanted_name in wanted:
                meant += [name for name in files if Path(name).name == wanted_name]
            if not meant:
                problem = f"a zip file of {len(files)} files; unpack it and name one"
                raise InputError(source, problem)
            with archive.open(meant[0]) as file:
                return _read(file, source)
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        raise InputError(source, f"damaged: it cannot be unpacked ({_reason(error)})") from None


def read_plain(path: Path) -> bytes:
    """Read a regular file, unpacked if it is packed.

    A folder that is not trusted may hold a link to anywhere, or a pipe that never ends.

    Raises:
        InputError: It is not a regular file, or cannot be read.
    """
    if os.path.lexists(path) and not is_plain_file(path):
        raise InputError(str(path), "is a link, a folder or a device; put the file itself there")
    return read_bytes(path)


def is_plain_file(path: Path) -> bool:
    """Return whether there is a file, and not a link to one."""
    # `Path.is_file` would raise an error for a name that is too long for the file system.
    return os.path.isfile(path) and not os.path.islink(path)


# Parsing.


def read_json(path: str | Path) -> object:
    """Read a JSON file, plain or packed, or standard input for `-`.

    Raises:
        InputError: The file is missing, unreadable, empty or not JSON.
    """
    return parse_json(read_bytes(path), shown_name(path))


def parse_json(content: bytes, source: str) -> object:
    """Parse JSON; `source` names it in the error message.

    Raises:
        InputError: The content is empty, not JSON in UTF-8, or has a key twice in one object.
    """
    if not content or content.isspace():
        raise InputError(source, "the file is empty; expected JSON")
    # `id` of an object -> the object, which must live for its id to be its own, and the key.
    doubled: dict[int, tuple[object, str]] = {}

    def as_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
        read = dict(pairs)
        if len(read) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            most_frequent = max(counts, key=counts.__getitem__)
            doubled[id(read)] = (read, most_frequent)
        return read

    try:
        read = json.loads(content, object_pairs_hook=as_object)
    except UnicodeDecodeError as error:
        _refuse_encoding(error, source)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(source, f"not JSON: {place} ({error.msg})") from None
    except RecursionError:
        raise InputError(source, "JSON nested too deeply") from None
    except ValueError as error:
        # A number with more digits than Python can read.
        raise InputError(source, f"cannot be read as JSON ({error})") from None
    problems = Findings()
    for place, value in places(read) if doubled else ():
        if id(value) in doubled:
            key = cut_repr(doubled[id(value)][1])
            problems.add(place, f"the key {key} is there twice; keep one")
    refuse(source, problems)
    return read


_LONGEST_PLACE = 100
"""Characters of the place of a value in a JSON file, and of each key."""


def places(content: object) -> Iterator[tuple[str, object]]:
    """Yield every value of a JSON document with its place: `sng1[0].state.hotel`."""
    waiting = [("", content)]
    while waiting:
        place, value = waiting.pop()
        yield place, value
        start = cut(place, _LONGEST_PLACE)
        inside: list[tuple[str, object]] = []
        if isinstance(value, dict):
            if place:
                start += "."
            for key, member in value.items():
                inside.append((f"{start}{key[:_LONGEST_PLACE]}", member))
        elif isinstance(value, list):
            for number, item in enumerate(value):
                inside.append((f"{start}[{number}]", item))
        waiting += reversed(inside)


def decoded(content: bytes, source: str) -> str:
    """Return a text in UTF-8, or in UTF-16 or UTF-32 as JSON may be.

    Raises:
        InputError: It is not.
    """
    try:
        return content.decode(json.detect_encoding(content), "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        _refuse_encoding(error, source)


def _refuse_encoding(error: UnicodeDecodeError, source: str) -> NoReturn:
    line = error.object.count(b"\n", 0, error.start) + 1
    problem = f"not text in UTF-8 (byte {error.start}, line {line}); save it in that encoding"
    raise InputError(source, problem) from None


def parse_toml(
    content: bytes, source: str, parse_float: Callable[[str], object] = float
) -> dict[str, Any]:
    """Parse TOML; `source` names it in the error message.

    Raises:
        InputError: The content is not TOML in UTF-8.
    """
    try:
        return tomllib.loads(content.decode(), parse_float=parse_float)
    except RecursionError:
        raise InputError(source, "not TOML that can be read (nested too deeply)") from None
    except ValueError as error:
        # Not text, not TOML, or a number with more digits than Python can read.
        raise InputError(source, f"not TOML ({error})") from None


# Values and texts.

_KINDS = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def kind_of(value: object) -> str:
    """Return what JSON calls a value, with an article, for messages."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return _KINDS.get(type(value), type(value).__name__)


def is_text(value: str) -> bool:
    """Return whether a string is text; JSON may hold a lone half of a surrogate pair."""
    return valid_text(value) == value


def valid_text(value: str) -> str:
    """Return a string as text: a question mark for each half of a surrogate pair."""
    return value.encode(errors="replace").decode()


def encoded(text: str) -> bytes:
    """Return text in UTF-8; what is no character (in a file's name, say) as its escape in JSON."""
    return text.encode(errors="backslashreplace")


# Checking types.


def validated(kind: type[_T], content: object, source: str, place: str = "") -> _T:
    """Return content as a type: a model, a dataclass, or a type of numbers, texts, maps and lists.

    Args:
        kind: The type; dataclasses in it take no unknown keys.
        content: What was read, as JSON or TOML types.
        source: What messages call the file.
        place: Where in the file the content stands.

    Raises:
        InputError: With every place where the content is not as the type says.
    """
    # Imports pydantic late: it takes 0.1 s, and most runs check no types.
    from mwz.normalization import typed

    try:
        return typed(kind, content, place)
    except ValueError as error:
        raise InputError(source, error.args) from error


# Writing.


def to_json(data: object) -> str:
    """Return data as the JSON text every report and file of the harness is written in."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


UNFINISHED = ".unfinished"
"""How names of files end that are being written, and of those that a killed process left."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is either there in full or as it was before.

    A link is followed. A device or a pipe, which cannot be replaced, is written to directly.

    Args:
        path: The file.
        content: What it is to hold.

    Raises:
        InputError: The file cannot be written.
    """
    data = encoded(content) if isinstance(content, str) else content
    scratch = ""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            with open(path, "wb") as stream:
                stream.write(data)
            return
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = f"{target.parent}/.{target.name[:100]}.{token_hex(8)}{UNFINISHED}"
        with open(scratch, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, target)
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})") from None
    finally:
        if os.path.lexists(scratch):
            os.unlink(scratch)


def write_json(target: str, data: object) -> None:
    """Write data as JSON to a file, all or nothing, or to standard output for `-`.

    Raises:
        InputError: The file cannot be written.
    """
    write_text(target, to_json(data))


def write_text(target: str, text: str) -> None:
    """Write text in UTF-8 to a file, all or nothing, or to standard output for `-`.

    Raises:
        InputError: The file cannot be written.
    """
    if target != STANDARD_STREAM:
        write_atomically(Path(target), text)
        return
    # JSON is UTF-8, whatever the terminal's encoding.
    sys.stdout.flush()
    sys.stdout.buffer.write(encoded(text))
    sys.stdout.buffer.flush()


# Parts that are made once.

_UNSHARED = 2
"""The version of marshal that does not share parts: the same content is the same bytes."""


def kept_part(
    prepared: tuple[Path, str] | None, name: str, make: Callable[[], Any], shared: bool = False
) -> Any:
    """Return plain data that is kept in a file; where there is none, it is made and kept.

    Args:
        prepared: The folder of the file, and what identifies what its content is made of: what is
            kept of something else is made anew. None to make it and keep nothing.
        name: What it is called, as a file can be.
        make: Makes it, of types that marshal writes.
        shared: Whether equal parts of it that are one object stay one.
    """
    if prepared is None:
        return make()
    folder, made_of = prepared
    path = folder / name
    with contextlib.suppress(InputError, ValueError, TypeError, EOFError):
        key, content = marshal.loads(read_bytes(path, unpack=False))
        if key == made_of:
            return content
    made = make()
    data = marshal.dumps((made_of, made), marshal.version if shared else _UNSHARED)
    with contextlib.suppress(InputError):
        write_atomically(path, data)
    return made
