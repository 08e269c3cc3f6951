"""The metrics, one per file: pure functions, each with its definition and its paper."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
