"""From a response in plain English to its delexicalised form, and what it says of which venue."""

from .delexicaliser import VERSION as VERSION
from .delexicaliser import Delexicaliser as Delexicaliser
from .delexicaliser import delexicaliser_tables as delexicaliser_tables
from .delexicaliser import tables_digest as tables_digest
