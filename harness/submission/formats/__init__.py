"""Formats of predictions, recognised by their shape alone and read into the standard form.

`formats.py` lists them. A further one is a module of this folder and an item of `FORMATS`. The
standard form that they return is checked by `checking.py`. A file in the standard form imports
`standard.py` alone.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
