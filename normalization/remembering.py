"""Functions of a text that remember what they made of it, if it is short.

Systems repeat themselves, and what is made of a response takes longer than to look it up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

SHORT = 256
"""How many characters a text may have: more than nearly all responses have, and few enough that a
full memory stays small."""

_P = ParamSpec("_P")
_T = TypeVar("_T")
_OfText = Callable[Concatenate[str, _P], _T]


def remembering(texts: int) -> Callable[[_OfText[_P, _T]], _OfText[_P, _T]]:
    """Return a decorator for a function of a text, and of more that tells calls apart.

    The function gets the methods `cache_info` and `cache_clear` of `functools.lru_cache`.

    Args:
        texts: How many short texts are remembered.
    """

    def decorate(function: _OfText[_P, _T]) -> _OfText[_P, _T]:
        remembered = lru_cache(maxsize=texts)(function)

        @wraps(function)
        def call(text: str, /, *more: _P.args, **named: _P.kwargs) -> _T:
            return (remembered if len(text) <= SHORT else function)(text, *more, **named)

        for method in ("cache_info", "cache_clear"):
            setattr(call, method, getattr(remembered, method))
        return call

    return decorate


class Remembered(dict[str, _T]):
    """What a function made of words, of which texts have many: to look them up takes no call.

    When it is full it begins anew.

    Args:
        function: What to make of a word.
        words: How many words are remembered.
    """

    def __init__(self, function: Callable[[str], _T], words: int) -> None:
        self._function, self._most = function, words

    def __missing__(self, word: str) -> _T:
        if len(self) >= self._most:
            self.clear()
        made = self[word] = self._function(word)
        return made
