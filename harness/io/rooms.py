"""Rooms that can be taken away: folders of the harness that nothing else imports by name.

Such a room has its commands, metrics and tracks among its modules (`contributing` in
`normalization/rules/registry.py`). What else needs it asks here, where it needs it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import InputError

_HARNESS = "mwz.harness"


def room(module: str, needed_by: str) -> Any:
    """Return a module of a room that can be taken away.

    Args:
        module: The module within the harness: "grounding.free_running".
        needed_by: What needs it, as messages say: "--free-running".

    Raises:
        InputError: The room is not there, or another one that it needs.
    """
    try:
        return import_module(f"{_HARNESS}.{module}")
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if not missing.startswith("mwz."):
            raise
        folder = missing.removeprefix("mwz.").replace(".", "/")
        where = f"needs the folder {folder}/, which this installation lacks"
        raise InputError(needed_by, f"{where}; install multiwoz-harness whole") from None
