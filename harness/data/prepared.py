"""What is derived of an installed benchmark and kept beside it, so that it is made only once.

A shortcut: the references tokenised for BLEU, the answers of the venue database and the benchmark
itself in a form that is quick to read save more than half of a cold score. Each is a file of plain
data in the folder `<name>.prepared`, written by `marshal` as Python writes its compiled modules,
with what it was made of: another benchmark, another state of the code or another Python makes it
anew. Where the folder cannot be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import marshal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mwz.normalization.rules.registry import sha256

from ..errors import InputError
from ..io.files import read_stored, write_atomically
from ..io.machine import code_digest

_PLAIN = 2
"""The version of marshal that does not share parts: the same content is the same bytes."""


@dataclass(frozen=True)
class PreparedParts:
    """What is kept of one benchmark.

    Attributes:
        folder: Where.
        key: What it was made of.
    """

    folder: Path
    key: str

    @classmethod
    def of_file(cls, path: Path) -> PreparedParts:
        """Return what is kept of the benchmark in a file.

        Raises:
            InputError: The file cannot be read.
        """
        made_of = (sha256(read_stored(path)), code_digest(), str(sys.implementation.cache_tag))
        folder = path.with_name(path.name.partition(".")[0] + ".prepared")
        return cls(folder, " ".join(made_of))

    def part(self, name: str, make: Callable[[], Any], shared: bool = False) -> Any:
        """Return a part: what is kept, or what is made now and kept from then on.

        Args:
            name: What the part is called, as a file can be.
            make: Makes it, of types that marshal writes.
            shared: Whether equal parts of it that are one object stay one.
        """
        path = self.folder / name
        with contextlib.suppress(InputError, ValueError, TypeError, EOFError):
            key, content = marshal.loads(read_stored(path))
            if key == self.key:
                return content
        content = make()
        data = marshal.dumps((self.key, content), *([] if shared else [_PLAIN]))
        with contextlib.suppress(InputError):
            write_atomically(path, data)
        return content
