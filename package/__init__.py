"""The package `mwz`: one evaluation harness for task-oriented dialogue on MultiWOZ.

`mwz.harness` is what to import; `mwz.__version__` is the installed version. The packages beside it
are folders of the repository, which pyproject.toml maps to their places below `mwz`.
"""

from __future__ import annotations

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Looked up when asked for: it takes longer than all else that importing `mwz` does.
    from importlib.metadata import version

    return version("multiwoz-harness")
