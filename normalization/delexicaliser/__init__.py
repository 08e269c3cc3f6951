"""From a response in plain English to its delexicalised form, and what it says of which venue."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
