"""What other rooms may use of this one."""

from .fuzzy import (
    reaches as reaches,
)
from .venues import (
    VenueDatabase as VenueDatabase,
)
