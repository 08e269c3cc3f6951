"""The town's venue records, in the form of the public database files, from `sample_venues.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from mwz.normalization import minutes

Record: TypeAlias = Mapping[str, str]

VENUE_DOMAINS = ("restaurant", "hotel", "attraction")
_FIRST_TRAIN = 4017
_BETWEEN_TRAINS = 61


def build_records(tables: Mapping[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return domain -> venue records; all values are strings."""
    records = {domain: list(_venues(domain, tables[domain])) for domain in VENUE_DOMAINS}
    records["train"] = list(_trains(tables["service"]))
    return records


def _venues(domain: str, table: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    for number, row in enumerate(table["rows"]):
        record = dict(zip(table["columns"], row, strict=True))
        record["id"] = str(number)
        record.setdefault("type", domain)
        yield {key: record[key] for key in sorted(record)}


def _trains(services: list[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    number = _FIRST_TRAIN
    for service in services:
        for day in service["days"]:
            for leave in service["leave"]:
                yield {
                    "arriveBy": _clock(minutes(leave) + service["minutes"]),
                    "day": day,
                    "departure": service["departure"],
                    "destination": service["destination"],
                    "duration": f"{service['minutes']} minutes",
                    "leaveAt": leave,
                    "price": service["price"],
                    "trainID": f"TR{number}",
                }
                number += _BETWEEN_TRAINS


def _clock(since_midnight: int) -> str:
    return f"{since_midnight // 60:02}:{since_midnight % 60:02}"
