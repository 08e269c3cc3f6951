"""Writing pictures: the format by the file's suffix, and the same bytes for the same content."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = ("svg", "png", "pdf")

# A fixed salt, and no dates, make the same picture the same file.
_SETTINGS: Any = {
    "font.size": 10,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "mwz",
    "pdf.fonttype": 42,
}
_UNDATED: Mapping[str, Mapping[str, Any]] = {
    "svg": {"Date": None},
    "png": {},
    "pdf": {"CreationDate": None},
}


def picture_format(path: str) -> str:
    """Return the format that a picture is written in, by its file's suffix.

    Raises:
        InputError: It is not one of `SUFFIXES`, or matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        told = "pictures need matplotlib; install it by `pip install 'multiwoz-harness[plot]'`"
        raise InputError(path, told)
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        known = " or ".join(f".{known}" for known in SUFFIXES)
        raise InputError(path, f"pictures are written as {known}; give one of these suffixes")
    return suffix


def write_picture(path: str, draw: Callable[[], Figure]) -> None:
    """Draw a picture and write it.

    Args:
        path: Where to write; the suffix, one of `SUFFIXES`, is the format.
        draw: Draws it, under the settings that all pictures have in common.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    suffix = picture_format(path)
    # matplotlib takes long to import, and most runs draw nothing.
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        written = io.BytesIO()
        draw().savefig(written, format=suffix, dpi=200, metadata=_UNDATED[suffix])
    write_atomically(Path(path), written.getvalue())
