"""What other rooms may use of this one."""

from .venues import (
    PreparedVenues as PreparedVenues,
    VenueDatabase as VenueDatabase,
    partial_ratio as partial_ratio,
    prepared_venues as prepared_venues,
    reaches as reaches,
)
