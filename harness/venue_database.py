"""Opening the venue database of a benchmark."""

from __future__ import annotations

from mwz.database import EMBEDDED, VenueDatabase
from mwz.normalization.rules import RuleSet

from .benchmark import Benchmark
from .errors import InputError


def open_database(benchmark: Benchmark, rules: RuleSet, url: str) -> VenueDatabase:
    """Return the venue database of a benchmark under a rule set, filled if it was not.

    Raises:
        InputError: The database cannot be reached or written.
    """
    records = benchmark.venue_records(rules)
    beforehand = benchmark.prepared
    prepared = None if beforehand is None else beforehand.venues(rules)
    if prepared is not None and url == EMBEDDED:
        return VenueDatabase(records, rules, prepared=prepared)
    from sqlalchemy.exc import SQLAlchemyError  # it takes its time

    try:
        return VenueDatabase(records, rules, url)
    except (SQLAlchemyError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            _without_password(url), f"cannot be used as venue database ({reason})"
        ) from None


def _without_password(url: str) -> str:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url
