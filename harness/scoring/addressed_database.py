"""A venue database at an address that a user gives: whatever goes wrong with it is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from mwz.database import EMBEDDED
from mwz.database.stored import ChangedVenuesError
from mwz.database.venues import VenueDatabase
from mwz.normalization.rules import RuleSet

from ..benchmark import Benchmark
from ..errors import InputError, without_secrets


class _AddressedDatabase(VenueDatabase):
    """A venue database that says in one message what goes wrong with it while it is used."""

    def __init__(self, benchmark: Benchmark, rules: RuleSet, url: URL) -> None:
        self._url = url
        address = url.render_as_string(hide_password=False)
        super().__init__(benchmark.venue_records(rules), rules, address)

    def _selected(self, *arguments: Any) -> int:
        try:
            return super()._selected(*arguments)
        except SQLAlchemyError as error:
            raise _unusable(self._url, error) from None


def addressed_database(benchmark: Benchmark, rules: RuleSet, url: str) -> VenueDatabase:
    """Return the venue database of a benchmark under a rule set, filled if it was not.

    Its queries raise an `InputError` if the database goes away.

    Raises:
        InputError: The database cannot be reached or written, or was changed since it was written.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # What it is cannot be told: any part of it may be a password.
        raise InputError(
            "--database",
            "cannot be used as venue database: expected an address as SQLAlchemy has them, such as "
            "sqlite:///venues.db or postgresql+psycopg://user:password@host:5432/name",
        ) from None
    try:
        return _AddressedDatabase(benchmark, rules, parsed)
    except ChangedVenuesError as error:
        raise InputError(
            _shown(parsed),
            f"the venues in the table {error.table} were changed since they were written; drop the "
            "tables mwz_…, and they are written again",
        ) from None
    # Drivers raise the last three at once of an address that they cannot make sense of.
    except (SQLAlchemyError, ImportError, ValueError, TypeError, OverflowError) as error:
        if url == EMBEDDED:
            raise
        raise _unusable(parsed, error) from None


def _unusable(url: URL, error: Exception) -> InputError:
    """Return what is said of a database that does not do its work."""
    # What the driver says, without the statement and its parameters.
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    reason = (str(cause).strip().splitlines() or [type(cause).__name__])[0]
    for secret in filter(None, [url.password, *_values(url)]):
        reason = reason.replace(secret, "***")
    return InputError(_shown(url), f"cannot be used as venue database ({reason})")


def _shown(url: URL) -> str:
    return without_secrets(url.render_as_string(hide_password=True))


def _values(url: URL) -> Iterator[str]:
    """Yield the values of an address's query: passwords are given there, too."""
    for value in url.query.values():
        yield from (value,) if isinstance(value, str) else value
