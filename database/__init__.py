"""The venue database: fuzzy-matched queries over SQL tables of restaurants, hotels and more."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
