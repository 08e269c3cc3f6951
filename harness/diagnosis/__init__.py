"""Where a system loses Inform and Success: causes, what they cost, and dialogues turn by turn."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
