"""Formats of predictions, recognised by their shape alone and read into the standard form.

A system's own format is one module of this folder with a `FORMAT`, or several in `FORMATS`. What
comes out is checked once, by `checking.py`.
"""

from .standard import Format, Standard

__all__ = ["Format", "Standard"]
