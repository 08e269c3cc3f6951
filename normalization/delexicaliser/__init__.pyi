"""What other rooms may use of this one."""

from .delexicaliser import (
    Delexicalised as Delexicalised,
    Delexicaliser as Delexicaliser,
    Span as Span,
    delexicaliser_tables as delexicaliser_tables,
    topics as topics,
)
from .gazetteer import UNKNOWN_VALUES as UNKNOWN_VALUES, VenueId as VenueId
