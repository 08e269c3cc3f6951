"""What the rest of the room, and packages that declare formats, may use of this folder."""

from .formats import known_formats as known_formats
from .roles import gold_key as gold_key
from .standard import (
    ACTIVE_DOMAINS as ACTIVE_DOMAINS,
    GOLD as GOLD,
    KEYS as KEYS,
    PLAIN as PLAIN,
    RESPONSE as RESPONSE,
    STATE as STATE,
    STATE_CHECKS as STATE_CHECKS,
    TURN_KEYS as TURN_KEYS,
    USER as USER,
    Format as Format,
    Standard as Standard,
    StateChecks as StateChecks,
    other_keys as other_keys,
    plain_key as plain_key,
)
