"""What other rooms may use of this one."""

from .venues import (
    VenueDatabase as VenueDatabase,
    reaches as reaches,
)
