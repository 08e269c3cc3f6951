"""Grounded scores: what responses in plain English say, compared with the venue database.

They need neither belief states nor active domains nor placeholders: a name belongs to a venue, so
the text itself tells which domain it is about. This folder can be taken away together with the
delexicaliser (`normalization/delexicaliser`); nothing else imports either by name.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
