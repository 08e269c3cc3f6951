"""Reading and writing the harness's files: JSON plain or gzipped, all or nothing on the way out.

Predictions files are not trusted: a few kilobytes can unpack to gigabytes. Their bounds are far
above what any published file needs; each can be set by an environment variable, `MWZ_LIMIT_` and
its name in capital letters.
"""

from __future__ import annotations

import bz2
import contextlib
import glob
import gzip
import io
import json
import lzma
import math
import os
import re
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import takewhile
from pathlib import Path
from typing import IO, Any, TextIO, cast

from ..errors import InputError, Problems, cut, shown

VARIABLE = "MWZ_LIMIT_"


@dataclass(frozen=True)
class Limits:
    """The bounds.

    Attributes:
        unpacked: Bytes of a file, after unpacking.
        values: Values of a predictions file's JSON.
        dialogues: Dialogues of a file.
        turns: Turns of one dialogue.
        response: Characters of one response.
        text: Characters of all responses together.
        value: Characters of a slot's value.
    """

    unpacked: int = field(default=256_000_000, metadata={"unit": "bytes of a file, unpacked"})
    values: int = field(default=1_000_000, metadata={"unit": "values in a predictions file"})
    dialogues: int = field(default=100_000, metadata={"unit": "dialogues in a file"})
    turns: int = field(default=1_000, metadata={"unit": "turns in a dialogue"})
    response: int = field(default=100_000, metadata={"unit": "characters in a response"})
    text: int = field(default=10_000_000, metadata={"unit": "characters in all responses"})
    value: int = field(default=1_000, metadata={"unit": "characters in a slot's value"})

    def told(self, name: str) -> str:
        """Return a bound as messages show it, with the variable that sets it."""
        return f"at most {getattr(self, name):,} ({VARIABLE}{name.upper()})"


DEFAULT_LIMITS = Limits()


def limits(environment: Mapping[str, str] = os.environ) -> Limits:
    """Return the bounds that hold.

    Args:
        environment: The environment variables.

    Raises:
        InputError: A variable does not hold a whole number above 0.
    """
    chosen = {}
    for bound in fields(Limits):
        variable = VARIABLE + bound.name.upper()
        text = environment.get(variable)
        if text is None:
            continue
        # Python reads no number that is much longer.
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
            raise InputError(variable, f"expected a whole number above 0, found {shown(text)}")
        chosen[bound.name] = int(text)
    return Limits(**chosen)


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STANDARD_STREAM = "-"
_WAY = 100
"""How many characters are kept of the way to a place in a JSON file, and of each key."""

_KINDS = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def shown_name(path: str | Path) -> str:
    """Return what messages call an input."""
    return "standard input" if str(path) == STANDARD_STREAM else str(path)


def short_names(files: Sequence[str]) -> list[str]:
    """Return the files' names, with as many folders as it takes to tell them apart."""
    for parts in range(1, 1 + max(len(Path(file).parts) for file in files)):
        names = ["/".join(Path(file).parts[-parts:]).removesuffix(".json") for file in files]
        if len(set(names)) == len(set(files)):
            return names
    return list(files)


def without_shared(names: Sequence[str]) -> list[str]:
    """Return names without the words that all of them begin or end with, if that leaves some."""
    words = [re.split(r"(?<=[_/ -])", name) for name in names]
    start = _shared(words)
    end = _shared([one[start:][::-1] for one in words])
    left = ["".join(one[start : len(one) - end]).rstrip("_/ -") for one in words]
    return left if all(left) and len(set(left)) == len(set(names)) else list(names)


def _shared(lists: Sequence[Sequence[str]]) -> int:
    """Return how many words all lists begin with."""
    same = (len(set(words)) == 1 for words in zip(*lists, strict=False))
    return sum(takewhile(bool, same))


def read_bytes(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Read a file (or standard input for `-`), unpacked if it is gzipped.

    Args:
        path: The file.
        limits: Bounds on what is read and unpacked; the default ones are enough for files of the
            harness itself.

    Raises:
        InputError: The file is missing, cannot be read, is a damaged gzip file or too large.
    """
    source = shown_name(path)
    try:
        if str(path) != STANDARD_STREAM:
            with open(path, "rb") as file:
                content = _read(file, limits.unpacked + 1)
        elif sys.stdin is not None:
            content = _read(sys.stdin.buffer, limits.unpacked + 1)
        else:
            raise InputError(source, "is closed; give a file")
    except FileNotFoundError:
        raise InputError(source, "no such file") from None
    except IsADirectoryError:
        raise InputError(source, "is a folder; give a file") from None
    except OSError as error:
        raise InputError(source, f"cannot be read ({error.strerror})") from None
    except ValueError as error:
        # A path with a null character.
        raise InputError(source, f"cannot be read ({error})") from None
    _check_size(content, source, limits)
    magic = next((magic for magic in _PACKED if content.startswith(magic)), None)
    if magic is None:
        return content
    kind, unpacking = _PACKED[magic]
    try:
        # Counted while it is unpacked: a small file may unpack to more than the memory holds.
        with unpacking(io.BytesIO(content), source) as packed:
            content = _read(packed, limits.unpacked + 1)
    except EOFError:
        raise InputError(source, f"damaged {kind} file (it is cut off; write it again)") from None
    except (OSError, ValueError, RuntimeError, *_DAMAGED) as error:
        raise InputError(source, f"damaged {kind} file ({error})") from None
    _check_size(content, source, limits)
    return content


def _read(file: IO[bytes], most: int) -> bytes:
    """Return what there is to be read, `most` bytes at most.

    Asked for all of it at once, Python would make room for as many.
    """
    parts = []
    while part := file.read(min(most, _PART)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


_PART = 1 << 22


def _unzipped(content: io.BytesIO, source: str) -> IO[bytes]:
    """Return the one file that a zip file holds, open; those that a Mac adds do not count."""
    archive = zipfile.ZipFile(content)
    inside = [one for one in archive.namelist() if not one.startswith("__MACOSX/")]
    files = [one for one in inside if not one.endswith("/")]
    if len(files) != 1:
        raise InputError(source, f"a zip file of {len(files)} files; unpack it and name one")
    return archive.open(files[0])


_DAMAGED = (zlib.error, lzma.LZMAError, zipfile.BadZipFile)

_PACKED: Mapping[bytes, tuple[str, Callable[[io.BytesIO, str], IO[bytes]]]] = {
    b"\x1f\x8b": ("gzip", lambda content, _: cast("IO[bytes]", gzip.GzipFile(fileobj=content))),
    b"PK\x03\x04": ("zip", _unzipped),
    b"BZh": ("bzip2", lambda content, _: cast("IO[bytes]", bz2.open(content))),  # noqa: SIM115
    b"\xfd7zXZ\x00": ("xz", lambda content, _: cast("IO[bytes]", lzma.open(content))),  # noqa: SIM115
}
"""How a packed file begins -> what it is called, and what opens it."""


def read_stored(path: Path) -> bytes:
    """Return the bytes of a file of the harness's own, just as they are.

    Raises:
        InputError: The file is missing or cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})") from None


def read_plain(path: Path) -> bytes:
    """Read a regular file, unpacked if it is gzipped.

    A folder that is not trusted may hold a link to anywhere, or a pipe that never ends.

    Raises:
        InputError: It is not a regular file, or cannot be read.
    """
    try:
        mode = path.lstat().st_mode
    except (OSError, ValueError):
        # Reading it reports what is wrong.
        return read_bytes(path)
    if not stat.S_ISREG(mode):
        kind = _FILE_KINDS.get(stat.S_IFMT(mode), "a device")
        raise InputError(str(path), f"is {kind}; put the file itself there")
    return read_bytes(path)


_FILE_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFSOCK: "a socket",
}


def is_plain_file(path: Path) -> bool:
    """Return whether there is a file, and not a link to one."""
    # Of a name that is too long for a file system pathlib raises an error.
    return os.path.isfile(path) and not os.path.islink(path)


def is_plain_folder(path: Path) -> bool:
    """Return whether there is a folder, and not a link to one."""
    return path.is_dir() and not path.is_symlink()


def _check_size(content: bytes, source: str, limits: Limits) -> None:
    if len(content) > limits.unpacked:
        raise InputError(source, f"too large: more bytes than {limits.told('unpacked')}")


def read_json(path: str | Path) -> object:
    """Read a JSON file, plain or gzipped, or standard input for `-`.

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
    doubled: dict[int, tuple[object, str]] = {}

    def as_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
        read = dict(pairs)
        if len(read) != len(pairs):
            # The object is kept, so that no other has its number.
            doubled[id(read)] = (read, _first_double(key for key, _ in pairs))
        return read

    try:
        read = json.loads(content, object_pairs_hook=as_object)
    except UnicodeDecodeError as error:
        raise InputError(source, _not_text(content, error)) from None
    except json.JSONDecodeError as error:
        raise InputError(source, _not_json(error)) from None
    except RecursionError:
        raise InputError(source, "JSON nested too deeply") from None
    except ValueError as error:
        # A number of more digits than Python reads.
        raise InputError(source, f"cannot be read as JSON ({error})") from None
    if doubled:
        raise InputError(source, _doubled_keys(read, doubled))
    return read


def decoded(content: bytes, source: str) -> str:
    """Return a text in UTF-8, or in UTF-16 or UTF-32 as JSON may be.

    Raises:
        InputError: It is not.
    """
    try:
        return content.decode(json.detect_encoding(content), "surrogatepass")
    except UnicodeDecodeError as error:
        raise InputError(source, _not_text(content, error)) from None


def _not_text(content: bytes, error: UnicodeDecodeError) -> str:
    if content.startswith(b"\x80"):
        return "a pickle of Python; write it as JSON"
    line = content.count(b"\n", 0, error.start) + 1
    return f"not text in UTF-8 (byte {error.start}, line {line}); save it in that encoding"


_OTHER_FILES: Sequence[tuple[Callable[[str], bool], str]] = (
    (
        lambda text: text.startswith("version https://git-lfs"),
        "a pointer of Git LFS, not the file itself; get that by `git lfs pull`",
    ),
    (lambda text: text[257:262] == "ustar", "a tar archive; unpack it and name one file"),
    (lambda text: text.startswith("```"), "not JSON: it begins with ```; keep what is between"),
    (
        lambda text: re.match(r"[^\s{\[\"]+:(\s|$)", text) is not None,
        "not JSON; YAML is not read, write it as JSON",
    ),
)
"""What tells another kind of file by its text -> what to do."""


def _not_json(error: json.JSONDecodeError) -> str:
    """Return what is wrong with a text, and how far it is in order if it is cut off."""
    text, where = error.doc, f"line {error.lineno}, column {error.colno}"
    written = text.rstrip()
    if error.pos and (error.pos >= len(written) or error.msg.startswith("Unterminated string")):
        lines = written.split("\n")
        last = f"line {len(lines)}, column {len(lines[-1])}"
        return f"not JSON: it is cut off{_end_of(text)} ({last}); write it again"
    if error.msg == "Extra data":
        return f"a JSON document ends, and something follows ({where}); keep one, or one per line"
    if error.msg.startswith("Expecting property name") and text[error.pos] == "'":
        return f"not JSON ({where}: single quotes); write it by `json.dump`, not by `print` or str"
    if re.search(r",\s*$", text[: error.pos]) and text[error.pos] in "]}":
        return f"not JSON ({where}: a comma too many before {text[error.pos]!r}); remove it"
    for is_it, told in _OTHER_FILES:
        if is_it(text):
            return told
    begins = "" if error.pos else f"; it begins {shown(written.split(chr(10), 1)[0])}"
    return f"not JSON ({where}: {error.msg}){begins}"


def _end_of(text: str) -> str:
    """Say where JSON is cut off: in which item, and after which complete one."""
    decoder, at, way = json.JSONDecoder(), 0, ""
    # Where the first item of all is the one that is cut off, it is looked into: `results`, say.
    for _ in range(3):
        at = _skip(text, at)
        is_object, last, name, number = text[at : at + 1] == "{", "", "", 0
        at = _skip(text, at + 1)
        with contextlib.suppress(ValueError, RecursionError):
            while at < len(text):
                name = f"item {number}"
                if is_object:
                    key, at = decoder.raw_decode(text, at)
                    name, at = shown(key), _skip(text, at)
                _, at = decoder.raw_decode(text, at)
                last, name, number, at = name, "", number + 1, _skip(text, at)
        if last or text[at : at + 1] not in ("{", "["):
            break
        way += f"{name}, "
    after = f" after {last}" if last else ""
    inside = "".join([way, name]).removesuffix(", ")
    return f"{' in the middle of ' * bool(inside)}{inside}{',' * bool(inside and after)}{after}"


def _skip(text: str, at: int) -> int:
    """Return the place of the next value or key."""
    while at < len(text) and text[at] in " \t\r\n,:":
        at += 1
    return at


def parse_toml(
    content: bytes, source: str, parse_float: Callable[[str], Any] = float
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
        # What is no text, no TOML, or a number of more digits than Python reads.
        raise InputError(source, f"not TOML ({error})") from None


def _first_double(keys: Iterable[str]) -> str:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            break
        seen.add(key)
    return key


def _doubled_keys(read: object, doubled: Mapping[int, tuple[object, str]]) -> Problems:
    """Return which objects have a key twice, each with its place."""
    problems = Problems()
    waiting: list[tuple[object, str]] = [(read, "")]
    while waiting:
        value, way = waiting.pop()
        if id(value) in doubled:
            problems.add(way, f"the key {shown(doubled[id(value)][1])} is there twice; keep one")
        inside: list[tuple[object, str]] = []
        if isinstance(value, dict):
            inside = [
                (one, f"{cut(way, _WAY)}{'.' * bool(way)}{key[:_WAY]}")
                for key, one in value.items()
            ]
        elif isinstance(value, list):
            inside = [(one, f"{cut(way, _WAY)}[{number}]") for number, one in enumerate(value)]
        waiting += reversed(inside)
    return problems


def kind_of(value: object) -> str:
    """Return what JSON calls a value, with an article, for messages."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return _KINDS.get(type(value), "a list" if isinstance(value, list) else type(value).__name__)


def is_text(value: str) -> bool:
    """Return whether a string is text; JSON may hold a lone half of a surrogate pair."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def valid_text(value: str) -> str:
    """Return a string as text: a question mark for each half of a surrogate pair."""
    return value.encode(errors="replace").decode()


def encoded(text: str) -> bytes:
    """Return text in UTF-8; what is no character, of a file's name say, as its escape in JSON."""
    return text.encode(errors="backslashreplace")


def to_json(data: object) -> str:
    """Return data as the JSON text every report and file of the harness is written in."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def write_atomically(path: Path, content: str | bytes, follow: bool = True) -> None:
    """Write a file so that it is either there in full or as it was before.

    A link is followed. A device or a pipe, which cannot be replaced, is written to directly.
    Scratch files of the same file that killed processes left are removed.

    Args:
        path: The file.
        content: What it is to hold.
        follow: If false, a link, a device or a pipe is replaced by the file.

    Raises:
        InputError: The file cannot be written.
    """
    data = encoded(content) if isinstance(content, str) else content
    try:
        if follow and path.exists() and not (path.is_file() or path.is_dir()):
            with open(path, "wb") as stream:
                stream.write(data)
            return
        target = Path(os.path.realpath(path)) if follow else path
        target.parent.mkdir(parents=True, exist_ok=True)
        clear_scratch(target)
        handle, scratch = _scratch_file(target)
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, 0o666 & ~_umask())
        os.replace(scratch, target)
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})") from None
    finally:
        Path(scratch).unlink(missing_ok=True)


UNFINISHED = ".unfinished"
"""How the names of scratch files and folders end."""


def _scratch_file(target: Path) -> tuple[int, str]:
    """Return a scratch file beside a file, open, and locked so that it is not cleared away."""
    import tempfile  # most runs write nothing

    while True:
        prefix = f".{target.name[:100]}."
        handle, scratch = tempfile.mkstemp(UNFINISHED, prefix, target.parent)
        _lock(handle)
        # It may have been cleared away before it was locked.
        if os.path.exists(scratch):
            return handle, scratch
        os.close(handle)


def clear_scratch(target: Path) -> None:
    """Remove the scratch files of a file that no running process has locked."""
    for path in target.parent.glob(f".{glob.escape(target.name[:100])}.*{UNFINISHED}"):
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except (OSError, AttributeError):
            # A link or a folder is no scratch file; some systems have no such flags, nor locks.
            continue
        with contextlib.suppress(OSError), os.fdopen(handle, "rb") as file:
            _lock(file.fileno(), wait=False)
            path.unlink(missing_ok=True)


def _lock(handle: int, wait: bool = True) -> None:
    """Lock an open file, until it is closed, where the system has locks.

    Raises:
        OSError: Another process has locked it, and this is not to wait.
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        if not wait:
            raise


def write_json(target: str, data: object) -> None:
    """Write data as JSON to a file, all or nothing, or to standard output for `-`.

    Raises:
        InputError: The file cannot be written, or standard output is closed.
    """
    write_text(target, to_json(data))


def write_text(target: str, text: str) -> None:
    """Write text in UTF-8 to a file, all or nothing, or to standard output for `-`.

    Raises:
        InputError: The file cannot be written, or standard output is closed.
    """
    if target != STANDARD_STREAM:
        write_atomically(Path(target), text)
        return
    if sys.stdout is None:
        raise InputError("standard output", "is closed; give a file")
    # JSON is UTF-8, whatever the terminal's encoding.
    sys.stdout.flush()
    sys.stdout.buffer.write(encoded(text))
    sys.stdout.buffer.flush()


class _Closed(io.TextIOBase):
    """Standard output where there is none: whatever is to be shown cannot be."""

    def write(self, text: str) -> int:
        raise InputError("standard output", "is closed; give a file")

    @property
    def buffer(self) -> io.BufferedIOBase:
        raise InputError("standard output", "is closed; give a file")


def whole_stream(stream: TextIO | None) -> TextIO:
    """Return standard output as a stream that writes all it is given, or raises an error."""
    if stream is None:
        return cast(TextIO, _Closed())
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    # A terminal that lacks the dash of a table is no reason to show no table.
    stream.reconfigure(errors="replace")
    raw, encoding = stream.buffer, stream.encoding
    if not isinstance(raw, io.RawIOBase):
        return stream
    # Python was asked not to buffer: such a stream writes what there is room for and says nothing.
    stream.detach()
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, "replace", line_buffering=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
