"""From a hand-written dialogue to what a test set has of it: states, acts, bookings, full text."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markup import Piece, Span, Utterance, parse
from town import Record

from mwz.database import VenueDatabase
from mwz.normalization import minutes, normalize_slot_name, normalize_state, rule_set

RULES = rule_set("2021")
_IDENTIFIERS = {"restaurant": "name", "hotel": "name", "attraction": "name", "train": "trainid"}
_ID_COLUMNS = {"restaurant": "id", "hotel": "id", "attraction": "id", "train": "trainID"}
_BOOKED_DOMAINS = ("restaurant", "hotel")
_BOOKING_SLOTS = ("ref", "bookday", "booktime", "bookpeople", "bookstay")

_REFERENCE_SYMBOLS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_REFERENCE_LENGTH = 8


@dataclass(frozen=True)
class AnnotatedTurn:
    """A user turn and the system's answer.

    Attributes:
        user: What the user says.
        system: What the system answers, with every value filled in.
        state: The gold belief state, normalised.
        acts: Names of the system's acts.
        booked: The domains booked by then.
    """

    user: Utterance
    system: Utterance
    state: Mapping[str, Mapping[str, str]]
    acts: tuple[str, ...]
    booked: tuple[str, ...]


class Annotator:
    """Annotates dialogues about the venues of one town.

    Args:
        records: Domain -> venue records.
    """

    def __init__(self, records: Mapping[str, Sequence[Record]]) -> None:
        self._database = VenueDatabase(records, RULES)
        self._records = {
            domain: {record[_ID_COLUMNS[domain]]: _by_slot(record) for record in of_domain}
            for domain, of_domain in records.items()
        }

    def annotate(self, id_: str, turns: Sequence[Sequence[str]]) -> list[AnnotatedTurn]:
        """Annotate a dialogue, given as [user, system] per turn.

        Raises:
            ValueError: The mark-up is broken, or a value cannot be filled in.
        """
        annotated: list[AnnotatedTurn] = []
        values: dict[str, dict[str, str]] = {}
        named: dict[str, Record] = {}
        booked: tuple[str, ...] = ()
        for user_text, system_text in turns:
            user = parse(user_text)
            values = _updated(values, user)
            state = normalize_state(values, RULES)
            system = parse(system_text)
            pieces: list[Piece] = []
            for piece in system.pieces:
                if isinstance(piece, Span):
                    named = self._named(piece, state, named)
                    pieces.append(self._filled(piece, state, named, id_))
                else:
                    pieces.append(piece)
            system = replace(system, pieces=tuple(pieces))
            referred = (span.domain for span in system.spans if span.slot == "ref")
            booked = tuple(dict.fromkeys((*booked, *referred)))
            acts = tuple(dict.fromkeys(_acts(system)))
            annotated.append(AnnotatedTurn(user, system, state, acts, booked))
        return annotated

    def _named(
        self, span: Span, state: Mapping[str, Mapping[str, str]], named: Mapping[str, Record]
    ) -> dict[str, Record]:
        """Return the venues and trains named last, by domain, once a span is spoken."""
        if _IDENTIFIERS.get(span.domain) != span.slot:
            return dict(named)
        records = self._records[span.domain]
        if span.domain == "train":
            matching = self._database.query("train", state["train"])
            trains = [records[id_] for id_ in matching]
            if not trains:
                raise ValueError(f"no train for {state['train']}")
            # Whoever must be there in time takes the last train, others the first.
            order = -1 if "arrive" in state["train"] else 1
            best = min(trains, key=lambda train: order * minutes(train["leave"]))
            return {**named, "train": best}
        for record in records.values():
            if record["name"] == span.value:
                return {**named, span.domain: record}
        raise ValueError(f"no {span.domain} is called {span.value!r}")

    def _filled(
        self,
        span: Span,
        state: Mapping[str, Mapping[str, str]],
        named: Mapping[str, Record],
        id_: str,
    ) -> Span:
        if span.value is not None:
            return span
        if span.slot == "ref":
            value = _reference(f"{id_} {span.domain}")
        elif span.slot == "choice":
            value = str(len(self._database.query(span.domain, state.get(span.domain, {}))))
        elif span.domain in named:
            value = named[span.domain][normalize_slot_name(span.slot, RULES)]
        else:
            raise ValueError(f"{id_}: {span.slot} of no {span.domain} named before")
        if value == "?":
            raise ValueError(f"{id_}: the {span.domain}'s {span.slot} is not known")
        return replace(span, value=value.lower(), words=value)


def _by_slot(record: Record) -> dict[str, str]:
    return {normalize_slot_name(key, RULES): value for key, value in record.items()}


def _updated(state: Mapping[str, Mapping[str, str]], user: Utterance) -> dict[str, dict[str, str]]:
    """Return a state after what the user says; `dontcare` unsets a slot."""
    updated = {domain: dict(slots) for domain, slots in state.items()}
    for span in user.spans:
        slots = updated.setdefault(span.domain, {})
        if span.value == "dontcare":
            slots.pop(span.slot, None)
        else:
            slots[span.slot] = span.value or ""
    return updated


def _acts(system: Utterance) -> list[str]:
    """Return the names of the acts of a system's utterance, as MultiWOZ has them."""
    acts = [f"{domain.capitalize()}-NoOffer" for domain in system.refused]
    for span in system.spans:
        if span.slot in _BOOKING_SLOTS and span.domain in _BOOKED_DOMAINS:
            acts.append("Booking-NoBook" if span.domain in system.refused else "Booking-Book")
        elif span.domain == "train" and span.slot == "ref":
            acts.append("Train-OfferBooked")
        else:
            acts.append(f"{span.domain.capitalize()}-Inform")
    for domain, slot in system.requested:
        act = "Booking" if slot in _BOOKING_SLOTS and domain in _BOOKED_DOMAINS else domain
        acts.append(f"{act.capitalize()}-Request")
    return acts or ["general-reqmore"]


def _reference(key: str) -> str:
    """Return a made-up booking reference, always the same for the same key."""
    number = zlib.crc32(key.encode()) * 2654435761
    symbols = []
    for _ in range(_REFERENCE_LENGTH):
        number, place = divmod(number, len(_REFERENCE_SYMBOLS))
        symbols.append(_REFERENCE_SYMBOLS[place])
    return "".join(symbols)
