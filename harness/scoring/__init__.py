"""From predictions to scores: options, the scorer, reports and how they are shown."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
