"""The venue database: fuzzy-matched queries over SQL tables of restaurants, hotels and more."""

from .venues import PreparedVenues, VenueDatabase, partial_ratio, prepared_venues

__all__ = ["PreparedVenues", "VenueDatabase", "partial_ratio", "prepared_venues"]
