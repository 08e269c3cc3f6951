"""The texts of an installed benchmark that few scores need, read when the first of them is.

References, what the users say and the human responses are most of a benchmark's file; BLEU and the
signs take references as they were prepared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

from mwz.normalization.rules.registry import sha256

from ..errors import InputError
from ..io.files import read_stored

if TYPE_CHECKING:
    from ..benchmark import Dialogue


@dataclass(frozen=True)
class LateTexts:
    """Reads the whole of a benchmark, once.

    Attributes:
        path: The benchmark's file.
        sha256: Its SHA-256, in hexadecimal.
        read: Reads the dialogues of that file.
    """

    path: Path
    sha256: str
    read: Callable[[Path], Mapping[str, Dialogue]]

    @cached_property
    def dialogues(self) -> Mapping[str, Dialogue]:
        """The dialogues, with all texts.

        Raises:
            InputError: The file is gone, or is another one by now.
        """
        if sha256(read_stored(self.path)) != self.sha256:
            raise InputError(str(self.path), "was replaced meanwhile; run the command again")
        return self.read(self.path)


class LateReferences(Mapping[str, Sequence[str]]):
    """The references of a dialogue: reference style -> normalised responses.

    Args:
        texts: Has them.
        dialogue: The dialogue's id.
    """

    def __init__(self, texts: LateTexts, dialogue: str) -> None:
        self._texts, self._dialogue = texts, dialogue

    def __getitem__(self, style: str) -> Sequence[str]:
        return self._all[style]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def _all(self) -> Mapping[str, Sequence[str]]:
        return self._texts.dialogues[self._dialogue].references


class LateWords(Sequence[str]):
    """What is said in a dialogue, by turn.

    Args:
        texts: Has it.
        dialogue: The dialogue's id.
        name: The field of the dialogue: "users" or "responses".
    """

    def __init__(self, texts: LateTexts, dialogue: str, name: str) -> None:
        self._texts, self._dialogue, self._name = texts, dialogue, name

    @overload
    def __getitem__(self, turn: int) -> str: ...

    @overload
    def __getitem__(self, turn: slice) -> Sequence[str]: ...

    def __getitem__(self, turn: int | slice) -> str | Sequence[str]:
        return self._all[turn]

    def __len__(self) -> int:
        return len(self._all)

    def __eq__(self, other: object) -> bool:
        return self._all == (other._all if isinstance(other, LateWords) else other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def _all(self) -> Sequence[str]:
        found: Sequence[str] = getattr(self._texts.dialogues[self._dialogue], self._name)
        return found
