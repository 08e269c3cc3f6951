"""What other rooms may use of this one."""

from .delexicaliser import (
    Delexicalised as Delexicalised,
    Delexicaliser as Delexicaliser,
    Span as Span,
    topics as topics,
)
from .gazetteer import VenueId as VenueId
