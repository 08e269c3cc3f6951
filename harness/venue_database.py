"""Opening the venue database of a benchmark."""

from __future__ import annotations

from mwz.database import EMBEDDED, VenueDatabase
from mwz.normalization.rules import RuleSet

from .benchmark import Benchmark


def open_database(benchmark: Benchmark, rules: RuleSet, url: str) -> VenueDatabase:
    """Return the venue database of a benchmark under a rule set, filled if it was not.

    Its queries raise an `InputError` if the database goes away.

    Raises:
        InputError: The database cannot be reached or written, or was changed since it was written.
    """
    beforehand = benchmark.prepared
    prepared = None if beforehand is None else beforehand.venues(rules)
    if prepared is not None and url == EMBEDDED:
        return VenueDatabase(benchmark.venue_records(rules), rules, prepared=prepared)
    from .addressed_database import addressed_database  # SQLAlchemy takes its time

    return addressed_database(benchmark, rules, url)
