"""Normalisation of responses and belief states: rules as tables, and the code that applies them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
