"""The venue tables: one SQLAlchemy model per domain that has venues.

The columns are the slots that a query can constrain. A row also carries its place in the source
file, because some set-ups look at the first result only, and the source it came from, so that one
database can hold the venues of several benchmarks and rule sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlalchemy import Index, String
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

# Some databases need a length, and some compare without regard to case if not told otherwise.
_TEXT = String(200).with_variant(String(200, collation="utf8mb4_bin"), "mysql", "mariadb")


class Venue(DeclarativeBase):
    """What the tables of all domains share."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {str: _TEXT}

    identifier: str
    """The column that identifies a venue."""

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805  (a class-level attribute)
        return f"mwz_{cls.__name__.lower()}"


class Source(Venue):
    """The records that rows came from, by a digest of their content."""

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)


# SQLite keeps such a table sorted by its key, which is the order that queries want.
_SORTED_BY_KEY = {"sqlite_with_rowid": False}


class _Row:
    __table_args__: Any = _SORTED_BY_KEY

    source: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class Restaurant(_Row, Venue):
    """A restaurant."""

    identifier = "id"

    id: Mapped[str]
    address: Mapped[str | None]
    area: Mapped[str | None]
    food: Mapped[str | None]
    name: Mapped[str | None]
    phone: Mapped[str | None]
    postcode: Mapped[str | None]
    pricerange: Mapped[str | None]
    type: Mapped[str | None]


class Hotel(_Row, Venue):
    """A hotel or guesthouse."""

    identifier = "id"

    id: Mapped[str]
    address: Mapped[str | None]
    area: Mapped[str | None]
    internet: Mapped[str | None]
    name: Mapped[str | None]
    parking: Mapped[str | None]
    phone: Mapped[str | None]
    postcode: Mapped[str | None]
    pricerange: Mapped[str | None]
    stars: Mapped[str | None]
    type: Mapped[str | None]


class Attraction(_Row, Venue):
    """An attraction."""

    identifier = "id"

    id: Mapped[str]
    address: Mapped[str | None]
    area: Mapped[str | None]
    entrancefee: Mapped[str | None]
    name: Mapped[str | None]
    phone: Mapped[str | None]
    postcode: Mapped[str | None]
    pricerange: Mapped[str | None]
    type: Mapped[str | None]


class Train(_Row, Venue):
    """A train connection; times in minutes since midnight, None where unknown."""

    identifier = "trainid"
    __table_args__ = (
        Index("mwz_train_route", "source", "departure", "destination", "day"),
        _SORTED_BY_KEY,
    )

    trainid: Mapped[str]
    arrive: Mapped[int | None]
    day: Mapped[str | None]
    departure: Mapped[str | None]
    destination: Mapped[str | None]
    duration: Mapped[str | None]
    leave: Mapped[int | None]
    price: Mapped[str | None]


MODELS: Mapping[str, type[Venue]] = {
    "restaurant": Restaurant,
    "hotel": Hotel,
    "attraction": Attraction,
    "train": Train,
}
"""domain -> its table. Police, hospital and taxi have no venues."""


def columns(domain: str) -> frozenset[str]:
    """Return the slots that a query about a domain can constrain."""
    return frozenset(MODELS[domain].__table__.columns.keys()) - {"source", "place"}
