"""What other rooms may use of this one."""

from .venues import (
    VenueDatabase as VenueDatabase,
    prepared_venues as prepared_venues,
    reaches as reaches,
)
