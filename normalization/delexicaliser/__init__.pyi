"""What other rooms may use of this one."""

from .delexicaliser import (
    VERSION as VERSION,
    Delexicaliser as Delexicaliser,
    delexicaliser_tables as delexicaliser_tables,
    tables_digest as tables_digest,
)
from .gazetteer import (
    NAMED_DOMAINS as NAMED_DOMAINS,
    UNKNOWN_VALUES as UNKNOWN_VALUES,
    Gazetteer as Gazetteer,
)
from .phrases import PhraseBook as PhraseBook, spellings as spellings, tokens as tokens
