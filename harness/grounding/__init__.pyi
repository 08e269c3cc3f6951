"""What other rooms may use of this one."""

from .facts import requests as requests, told_shares as told_shares
from .grounded import (
    NAMING_SLOTS as NAMING_SLOTS,
    GroundedDialogue as GroundedDialogue,
    delexicaliser as delexicaliser,
    ground_texts as ground_texts,
    told_text as told_text,
)
