"""What other rooms may use of this one."""

from .fuzzy import (
    reaches as reaches,
)
from .tables import (
    TablesFile as TablesFile,
)
from .venues import (
    VenueDatabase as VenueDatabase,
)
