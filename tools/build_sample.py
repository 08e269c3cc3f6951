"""Build the built-in sample benchmark from its hand-written sources.

    python tools/build_sample.py [FOLDER]

writes `town.json` and `tasks.json` to the folder, by default `harness/sample`. The sources are the
TOML files beside this script; the same sources give the same bytes: venue records in the form of
the public database files, and of every hand-written dialogue what a test set has of it: states,
acts, bookings, the full text, and references in six styles.

The mark-up of dialogues: `{restaurant-food:Thai}` is an annotated value and the words that express
it, `{slot=value|words}` one whose canonical form differs from the words, `{slot}` one to be filled
in, `{?slot}` a slot that is asked for and `{!domain}` the news that there is nothing to offer.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from mwz.database import VenueDatabase
from mwz.harness.benchmark import gold_active_domains
from mwz.harness.io import write_json
from mwz.normalization import (
    minutes,
    normalize_slot_name,
    normalize_state,
    normalized_text,
    rule_set,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RULES = rule_set("2021")
_SOURCES = Path(__file__).parent
_TARGET = _SOURCES.parent / "harness" / "sample"

Record: TypeAlias = Mapping[str, str]
"""A venue or a train: column -> value."""

State: TypeAlias = Mapping[str, Mapping[str, str]]
"""Domain -> slot -> value."""

# ------------------------------------------------------------------------------------- mark-up

_TAG = re.compile(
    r"\{(?P<kind>[?!]?)(?P<domain>[a-z]+)(?:-(?P<slot>[a-z]+))?"
    r"(?:=(?P<value>[^|}]*)\|(?P<aliased>[^}]*)|:(?P<words>[^}]*))?\}"
)


@dataclass(frozen=True)
class Span:
    """An annotated value.

    Attributes:
        domain: The domain it belongs to.
        slot: The slot, as MultiWOZ 2.2 names the slots of its spans ("leaveat", "ref").
        value: The canonical form; None where it is yet to be filled in.
        words: The words of the utterance.
    """

    domain: str
    slot: str
    value: str | None
    words: str


@dataclass(frozen=True)
class Utterance:
    """An utterance without its mark-up.

    Attributes:
        pieces: What is said, in order: plain text and annotated values.
        requested: The (domain, slot) pairs it asks for.
        refused: The domains it has nothing to offer of.
    """

    pieces: tuple[str | Span, ...]
    requested: tuple[tuple[str, str], ...]
    refused: tuple[str, ...]

    @property
    def spans(self) -> list[Span]:
        """The annotated values, in order."""
        return [piece for piece in self.pieces if isinstance(piece, Span)]

    @property
    def text(self) -> str:
        """What is said, annotated values and all."""
        return "".join(p.words if isinstance(p, Span) else p for p in self.pieces)


def parse(text: str) -> Utterance:
    """Parse an utterance with mark-up.

    Raises:
        ValueError: A brace is left that is no part of a tag.
    """
    if re.search(r"[{}]", _TAG.sub("", text)):
        raise ValueError(f"broken mark-up: {text}")
    pieces: list[str | Span] = []
    requested, refused = [], []
    end = 0
    for tag in _TAG.finditer(text):
        pieces.append(text[end : tag.start()])
        end = tag.end()
        domain, slot, words = tag["domain"], tag["slot"], tag["words"]
        if tag["kind"] == "?":
            requested.append((domain, slot))
        elif tag["kind"] == "!":
            refused.append(domain)
        elif tag["aliased"] is not None:
            pieces.append(Span(domain, slot, tag["value"], tag["aliased"]))
        else:
            pieces.append(Span(domain, slot, words and words.lower(), words or ""))
    pieces.append(text[end:])
    return Utterance(tuple(filter(None, pieces)), tuple(requested), tuple(refused))


# ----------------------------------------------------------------------------------- the town

_VENUE_DOMAINS = ("restaurant", "hotel", "attraction")
_FIRST_TRAIN = 4017
_BETWEEN_TRAINS = 61


def build_records(tables: Mapping[str, Any]) -> dict[str, list[Record]]:
    """Return domain -> venue records, of `sample_venues.toml`; all values are strings."""
    records: dict[str, list[Record]] = {}
    for domain in _VENUE_DOMAINS:
        records[domain] = []
        for number, row in enumerate(tables[domain]["rows"]):
            record = dict(zip(tables[domain]["columns"], row, strict=True))
            record["id"] = str(number)
            record.setdefault("type", domain)
            records[domain].append(dict(sorted(record.items())))
    records["train"] = []
    number = _FIRST_TRAIN
    for service in tables["service"]:
        for day in service["days"]:
            for leave in service["leave"]:
                arrive = minutes(leave) + service["minutes"]
                records["train"].append(
                    {
                        "arriveBy": f"{arrive // 60:02}:{arrive % 60:02}",
                        "day": day,
                        "departure": service["departure"],
                        "destination": service["destination"],
                        "duration": f"{service['minutes']} minutes",
                        "leaveAt": leave,
                        "price": service["price"],
                        "trainID": f"TR{number}",
                    }
                )
                number += _BETWEEN_TRAINS
    return records


# -------------------------------------------------------------------------------- annotation

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
    state: State
    acts: tuple[str, ...]
    booked: tuple[str, ...]


class Annotator:
    """Annotates dialogues about the venues of one town.

    Args:
        records: Domain -> venue records.
    """

    def __init__(self, records: Mapping[str, Sequence[Record]]) -> None:
        self._database = VenueDatabase(records, RULES)
        self._records: dict[str, dict[str, Record]] = {}
        for domain, of_domain in records.items():
            self._records[domain] = {}
            for record in of_domain:
                by_slot = {normalize_slot_name(key, RULES): record[key] for key in record}
                self._records[domain][record[_ID_COLUMNS[domain]]] = by_slot

    def annotate(self, id_: str, turns: Sequence[Sequence[str]]) -> list[AnnotatedTurn]:
        """Annotate a dialogue, given as [user, system] per turn.

        Raises:
            ValueError: The mark-up is broken, or a value cannot be filled in.
        """
        annotated: list[AnnotatedTurn] = []
        values: dict[str, dict[str, str]] = {}
        # The venues and trains named last, by domain.
        named: dict[str, Record] = {}
        booked: dict[str, None] = {}
        for user_text, system_text in turns:
            user = parse(user_text)
            for span in user.spans:
                slots = values.setdefault(span.domain, {})
                slots[span.slot] = span.value or ""
                if span.value == "dontcare":
                    del slots[span.slot]
            state = normalize_state(values, RULES)
            system = parse(system_text)
            pieces = list(system.pieces)
            for place, piece in enumerate(pieces):
                if isinstance(piece, Span):
                    if _IDENTIFIERS.get(piece.domain) == piece.slot:
                        named[piece.domain] = self._named(piece, state)
                    if piece.value is None:
                        value = self._value(piece, state, named, id_)
                        pieces[place] = replace(piece, value=value.lower(), words=value)
            system = replace(system, pieces=tuple(pieces))
            booked |= {span.domain: None for span in system.spans if span.slot == "ref"}
            annotated.append(AnnotatedTurn(user, system, state, _acts(system), tuple(booked)))
        return annotated

    def _named(self, span: Span, state: State) -> Record:
        """Return the venue or train that a span of an identifier names."""
        records = self._records[span.domain]
        if span.domain == "train":
            trains = [records[id_] for id_ in self._database.query("train", state["train"])]
            if not trains:
                raise ValueError(f"no train for {state['train']}")
            # Whoever must be there in time takes the last train, others the first.
            order = -1 if "arrive" in state["train"] else 1
            return min(trains, key=lambda train: order * minutes(train["leave"]))
        for record in records.values():
            if record["name"] == span.value:
                return record
        raise ValueError(f"no {span.domain} is called {span.value!r}")

    def _value(self, span: Span, state: State, named: Mapping[str, Record], id_: str) -> str:
        """Return the value to fill in for a span, of the venue named last or of a booking."""
        if span.slot == "ref":
            # A made-up booking reference, always the same for the same dialogue and domain.
            number = zlib.crc32(f"{id_} {span.domain}".encode()) * 2654435761
            symbols = []
            for _ in range(_REFERENCE_LENGTH):
                number, place = divmod(number, len(_REFERENCE_SYMBOLS))
                symbols.append(_REFERENCE_SYMBOLS[place])
            return "".join(symbols)
        if span.slot == "choice":
            return str(len(self._database.query(span.domain, state.get(span.domain, {}))))
        if span.domain not in named:
            raise ValueError(f"{id_}: {span.slot} of no {span.domain} named before")
        value = named[span.domain][normalize_slot_name(span.slot, RULES)]
        if value == "?":
            raise ValueError(f"{id_}: the {span.domain}'s {span.slot} is not known")
        return value


def _acts(system: Utterance) -> tuple[str, ...]:
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
    return tuple(dict.fromkeys(acts or ["general-reqmore"]))


# ---------------------------------------------------------------------- the reference styles


@dataclass(frozen=True)
class Style:
    """A way of delexicalising, as `styles.toml` describes it.

    Source: "Shades of BLEU, Flavours of Success" (2021), section 4.1 and table 2.

    Attributes:
        placeholders: Slot, or domain-slot, which goes before -> placeholder, in which `{domain}`
            stands for the span's domain. The values of other slots stay as they are.
        whole_spans: Whether all annotated words are replaced, or only the value within them.
        values: Slot -> regular expression of what is replaced of its words instead of the value.
        rewriting: (Regular expression, replacement), applied in order to the text that is left.
    """

    placeholders: Mapping[str, str]
    whole_spans: bool
    values: Mapping[str, str]
    rewriting: tuple[tuple[str, str], ...]


def read_styles(tables: Mapping[str, Any]) -> dict[str, Style]:
    """Return the styles that the content of `styles.toml` describes, by name."""
    styles = {}
    for name, own in tables["style"].items():
        table = tables["style"].get(own.get("like"), {}) | own
        rewriting: list[tuple[str, str]] = []
        for rules in table["rewriting"]:
            rewriting += tables["rewriting"][rules].items()
        styles[name] = Style(
            placeholders=table["placeholders"],
            whole_spans=table["match"] == "spans",
            values=table.get("values", {}),
            rewriting=tuple(rewriting),
        )
    return styles


def delexicalize(utterance: Utterance, style: Style) -> str:
    """Return the text of an utterance, in lower case, with the placeholders of a style."""
    text = ""
    for piece in utterance.pieces:
        text += _replaced(piece, style) if isinstance(piece, Span) else piece.lower()
    delexicalized = ""
    # Rules look at the words around placeholders, but do not touch these.
    for part in re.split(r"(\[[^\]]+\])", text):
        rewritten = part
        for pattern, replacement in () if part.startswith("[") else style.rewriting:
            rewritten = re.sub(pattern, replacement, rewritten)
        delexicalized += rewritten
    return delexicalized


def _replaced(span: Span, style: Style) -> str:
    """Return what stands in place of a span: a placeholder, or its words."""
    words = span.words.lower()
    names = style.placeholders
    name = names.get(f"{span.domain}-{span.slot}", names.get(span.slot))
    if name is None:
        return words
    placeholder = f"[{name.format(domain=span.domain)}]"
    if style.whole_spans:
        return placeholder
    pattern = style.values.get(span.slot, re.escape(span.value or ""))
    # "moderately" becomes "[…]-ly", as the delexicalised data of these styles has it.
    return re.sub(rf"({pattern})(ly\b)?", lambda m: placeholder + ("-ly" if m[2] else ""), words)


# -------------------------------------------------------------------------------- the sample


def build() -> dict[str, Any]:
    """Return the sample's files: path within the folder -> content."""
    sources = _read("sample_dialogues.toml")
    styles = read_styles(_read("styles.toml"))
    venues = build_records(_read("sample_venues.toml"))
    annotator = Annotator(venues)
    dialogues = {}
    for id_, source in sources.items():
        turns = annotator.annotate(id_, source["turns"])
        goal = {}
        for domain, wants in source["goal"].items():
            goal[domain] = {
                "informable": wants.get("informable", {}),
                "requestable": wants.get("requestable", []),
                "booking": wants.get("booking", {}),
            }
        references = {}
        for name, style in styles.items():
            texts = [delexicalize(turn.system, style) for turn in turns]
            references[name] = [normalized_text(text, RULES) for text in texts]
        states = [turn.state for turn in turns]
        dialogues[id_] = {
            "goal": goal,
            "references": references,
            "states": states,
            "active_domains": gold_active_domains(states, [turn.acts for turn in turns]),
            "booked_domains": [list(turn.booked) for turn in turns],
            "users": [turn.user.text for turn in turns],
            "responses": [turn.system.text for turn in turns],
        }
    town = {"name": "sample", "dialogues": dialogues, "venues": venues, "venue_versions": {}}
    return {"town.json": town, "tasks.json": _read("sample_tasks.toml")}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_SOURCES / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else _TARGET
    for file, content in build().items():
        write_json(str(target / file), content)
