"""Pages of dialogues, for `mwz why`: `board/views/` makes them, which may be taken away."""

from __future__ import annotations

from collections.abc import Mapping

from ..diagnosis.diagnosing import Diagnosis
from ..errors import InputError


def dialogue_site(diagnoses: Mapping[str, Diagnosis]) -> Mapping[str, str]:
    """Return path -> page of all dialogues of systems side by side, made when it is asked for.

    Args:
        diagnoses: What to call each system -> its diagnosis.

    Raises:
        InputError: This installation makes no pages.
    """
    try:
        from ..board.views.site_pages import DialogueSite
    except ModuleNotFoundError:
        raise _no_pages() from None
    return DialogueSite(diagnoses)


def serve_pages(files: Mapping[str, str], port: int, what: str) -> None:
    """Show pages at the loopback address until Ctrl-C; arguments as of `board/views/serving.py`."""
    try:
        from ..board.views import serving
    except ModuleNotFoundError:
        raise _no_pages() from None
    serving.serve_pages(files, port, what)


def _no_pages() -> InputError:
    return InputError("pages", "harness/board/views/ is not installed; it makes and shows them")
