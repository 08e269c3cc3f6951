"""Formats of predictions, recognised by their shape alone and read into the standard form.

`formats.py` lists them. A further one is a module of this folder and an item of `FORMATS`. The
standard form that they return is checked by `checking.py`.
"""

from .standard import Format, Standard

__all__ = ["Format", "Standard"]
