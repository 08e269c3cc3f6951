"""Which venues responses speak of, and which of these decide: those named last, or chosen.

**Choices.** A user chooses by a name, a train's id or time, or a place in the list that was just
given, in a statement, or in a question with words that choose ("can you book X?"; not "is X
expensive?"). `[choices]` in `requested.toml` has the words.

**Trains** are known by their ids, or else by when they leave and arrive (`[trains]`). A time is
when a train leaves, unless words before it say that it arrives. What only limits times ("after
18:45") and what is denied ("there is none at 9:11") tells of no train. A train is meant if it has
both times, the stations and the day as told.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser

from .facts import (
    NEAR,
    Sentence,
    are_alternatives,
    is_denied,
    recorded_values,
    requests,
    sentences,
    split_sentences,
    time_of_day,
    times_of_day,
    words,
)

Mentions: TypeAlias = Sequence[frozenset[str]]
"""The ids that each venue named in a response may have."""

_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "former": 0}

_LEAVES, _ARRIVES, _EITHER, _LATEST = "leave", "arrive", "either", "latest"
_STATIONS = ("departure", "destination")

_Times: TypeAlias = dict[str, float]
"""When a train leaves, arrives, does either, and has arrived, in minutes since midnight."""

_SLIP = 10
"""By how many minutes the times told of an id may be wrong, as those that people type are."""

_Journey: TypeAlias = dict[str, set[str]]
"""Slot (departure, destination, day) -> the values told."""


class _ToldTime(NamedTuple):
    """A time that a response tells of a train: where it stands, which time it is, and minutes."""

    start: int
    end: int
    kind: str
    minutes: float


@dataclass(frozen=True)
class _Train:
    """A train of the records.

    Attributes:
        id: Its id.
        shares_id: Whether another train has the same.
        times: When it leaves and arrives, in minutes since midnight.
        record: Its record.
    """

    id: str
    shares_id: bool
    times: Mapping[str, float]
    record: Mapping[str, object]

    def has(self, kind: str, minutes: float, slip: float = 0) -> bool:
        """Return whether a time is the train's, give or take a slip."""
        if kind == _LATEST:
            return self.times[_ARRIVES] <= minutes + _SLIP
        times = self.times.values() if kind == _EITHER else [self.times[kind]]
        return any(abs(time - minutes) <= slip for time in times)

    def is_meant(self, times: _Times, journey: _Journey) -> bool:
        """Return whether the train is as told."""
        if not all(self.has(kind, minutes) for kind, minutes in times.items()):
            return False
        for slot, values in journey.items():
            # "London" is any station of it.
            if not any(value in str(self.record[slot]) for value in values):
                return False
        return True

    def meets(self, wanted: Mapping[str, str]) -> bool:
        """Return whether the train is as a goal wants it."""
        others = {**wanted}
        earliest, latest = others.pop(_LEAVES, "0:00"), others.pop(_ARRIVES, "23:59")
        if self.times[_LEAVES] < time_of_day(earliest):
            return False
        if self.times[_ARRIVES] > time_of_day(latest):
            return False
        return others.items() <= self.record.items()


_Timetable: TypeAlias = Mapping[str | float, Sequence[_Train]]
"""Id, or when trains leave or arrive in minutes since midnight -> the trains; "" -> all trains."""


def train_mentions(
    responses: Sequence[Delexicalised],
    users: Sequence[Delexicalised],
    about: Sequence[frozenset[str]],
    wanted: Mapping[str, str],
    delexicalise: Delexicaliser,
) -> list[list[frozenset[str]]]:
    """Return, per response, the ids that each train that it speaks of may have.

    There are none if no train has the id, if the times told of it are not its train's, or if no
    train has the times that are told without an id. If no times are told at all, a booking speaks
    of the trains between the stations told.

    Args:
        responses: The responses of a dialogue.
        users: What the user says before each, as far as that is known.
        about: The domains that each response is about.
        wanted: What the goal says of the train.
        delexicalise: What all of them were delexicalised by, which has the trains.
    """
    timetable = _timetable(delexicalise)
    mentions: list[list[frozenset[str]]] = []
    # Responses need not repeat stations and day.
    journey: _Journey = {}
    # The ids told before.
    named: set[str] = set()
    for turn, response in enumerate(responses):
        before = about[turn - 1] if turn else frozenset[str]()
        for user in users[turn : turn + 1]:
            journey |= _journey(_about_trains(user, before), delexicalise)
        parts = _about_trains(response, before)
        journey |= _journey(parts, delexicalise)
        times = list(chain.from_iterable(_told_times(part, timetable) for part in parts))
        if any(span.slot == "TRAINID" for span in response.spans):
            trains_named = _named_trains(response, parts, times, delexicalise)
            mentions.append(trains_named)
            named.update(*trains_named)
            continue
        trains = _times_by_train(times)
        if not trains and not any(mentions) and not journey.keys().isdisjoint(_STATIONS):
            spans = chain.from_iterable(part.spans for part in parts)
            if any(span.slot == "REFERENCE" for span in spans):
                trains = [{}]
        described = []
        for train_times in trains:
            meant = set()
            for train in timetable.get(next(iter(train_times.values()), ""), ()):
                # The goal's query finds an id, whichever of its trains is the one that fits.
                is_clear = train.id in named or not train.shares_id or train.meets(wanted)
                if is_clear and train.is_meant(train_times, journey):
                    meant.add(train.id)
            # Beside ids, times that no train has may be of something else.
            if meant or not named or {_LEAVES, _ARRIVES} <= train_times.keys():
                described.append(frozenset(meant & named or meant))
        mentions.append(described)
    return mentions


def _named_trains(
    response: Delexicalised,
    parts: Sequence[Sentence],
    times: Sequence[_ToldTime],
    delexicalise: Delexicaliser,
) -> list[frozenset[str]]:
    """Return the ids told in a response; none for one that is told with what no such train has.

    Args:
        response: The response.
        parts: Its sentences about trains.
        times: The times that it tells of trains.
        delexicalise: What has the trains.
    """
    spans = [span for span in response.spans if span.slot == "TRAINID"]
    ids = {span.value: frozenset(venue.id for venue in span.venues) for span in spans}
    # Times before the first id are of other trains, unless all are.
    after = [time for time in times if time.start > spans[0].start] or times
    # Id -> the sentences about this train alone.
    own: defaultdict[str, list[Sentence]] = defaultdict(list)
    for part in parts:
        inside = {span.value for span in part.spans if span.slot == "TRAINID"}
        if len(ids) == 1 and part.start > spans[0].start:
            inside = set(ids)
        if len(inside) == 1:
            own[inside.pop()].append(part)
    timetable = _timetable(delexicalise)
    mentions = []
    for value, same in ids.items():
        trains = list(chain.from_iterable(timetable.get(id_, ()) for id_ in same))
        journey = _journey(own[value], delexicalise)
        is_false = _are_times_false(response.original, after, trains, len(ids))
        is_false |= not any(train.is_meant({}, journey) for train in trains)
        mentions.append(frozenset() if trains and is_false else same)
    return mentions


def _are_times_false(
    text: str, times: Sequence[_ToldTime], trains: Sequence[_Train], ids: int
) -> bool:
    """Return whether times are not those of a train: none of a kind, or not all of "9:11 or 9:41".

    Args:
        text: A response.
        times: The times that it tells.
        trains: The trains that have the id.
        ids: How many ids it tells; some of its trains may have no times.
    """
    kinds = {time.kind for time in times}
    if _ARRIVES in kinds:
        # Beside the arrival, "by 15:20" is when to be at the station.
        kinds.discard(_LATEST)
    for kind in kinds:
        of_kind = [time for time in times if time.kind == kind]
        minutes = {time.minutes for time in of_kind}
        # People write one of the two for the other.
        own = _LATEST if kind == _LATEST else _EITHER
        right = {time for time in minutes if any(train.has(own, time, _SLIP) for train in trains)}
        if not right and len(minutes) >= ids:
            return True
        places = [(time.start, time.end) for time in of_kind]
        if ids == 1 and right < minutes and are_alternatives(text, places):
            return True
    return False


def _about_trains(text: Delexicalised, before: frozenset[str]) -> list[Sentence]:
    """Return the sentences about trains, given the domains that the response before is about."""
    parts = []
    for sentence in sentences(text, before):
        domains = sentence.domains
        if not domains or ("train" in domains and "taxi" not in domains):
            parts.append(sentence)
    return parts


def _told_times(sentence: Sentence, timetable: _Timetable) -> Iterator[_ToldTime]:
    """Yield the times that a sentence tells of trains, in order."""
    patterns, text = words("trains"), sentence.text
    role, last, done = _EITHER, None, 0
    matches = list(requests()["leave"].patterns[0].finditer(text))
    times = times_of_day(match["value"] for match in matches)
    for match, minutes in zip(matches, times, strict=True):
        so_far = text[max(0, match.start() - NEAR) : match.start()]
        since = text[max(done, match.start() - NEAR) : match.start()]
        roles = {word.lastgroup or "" for word in patterns["moving"].finditer(since)}
        if roles:
            role = roles.pop() if len(roles) == 1 else _EITHER
        kind = role
        if last is not None and patterns["until"].fullmatch(since):
            journeys = (train for train in timetable.get(last, ()) if train.has(_LEAVES, last))
            if any(train.has(_ARRIVES, minutes) for train in journeys):
                kind = _ARRIVES
        limit = patterns["limit"].search(so_far)
        if limit:
            kind = _LATEST if limit["by"] and kind == _ARRIVES else ""
        last, done = minutes, match.end()
        # "4.40" alone may be a price.
        if kind == _EITHER and re.fullmatch(r"\d+[.]\d+", match["value"]):
            kind = ""
        if kind and not is_denied(text, *match.span()):
            yield _ToldTime(
                sentence.start + match.start(), sentence.start + match.end(), kind, minutes
            )


def _times_by_train(times: Sequence[_ToldTime]) -> list[_Times]:
    """Return the times of each train, given all times that a response tells, in order."""
    trains: list[_Times] = []
    for time in times:
        if time.kind == _LATEST:
            # "By 10:45" alone is what the user wants.
            if trains and _ARRIVES not in trains[-1]:
                trains[-1][_LATEST] = time.minutes
            continue
        if not trains or trains[-1].get(time.kind, time.minutes) != time.minutes:
            trains.append({})
        trains[-1][time.kind] = time.minutes
    return trains


def _journey(parts: Iterable[Sentence], delexicalise: Delexicaliser) -> _Journey:
    """Return the stations and days that sentences about trains tell."""
    journey: _Journey = {}
    for part in parts:
        for span in part.spans:
            slot = "day" if span.slot == "DAY" else ""
            if span.slot == "PLACE":
                begin = span.start - part.start
                near = part.text[max(0, begin - NEAR) : begin]
                station = words("trains")["station"].search(near)
                slot = (station and station.lastgroup) or ""
            known = recorded_values(delexicalise, "train", slot) if slot else ()
            if any(span.value in value for value in known):
                journey.setdefault(slot, set()).add(span.value)
    return journey


@lru_cache(maxsize=8)
def _timetable(delexicalise: Delexicaliser) -> _Timetable:
    """Return the trains of a delexicaliser's venues that have times."""
    timetable: defaultdict[str | float, list[_Train]] = defaultdict(list)
    for venue in delexicalise.gazetteer.venues.values():
        for record in venue.records if venue.key.domain == "train" else ():
            leaves, arrives = str(record.get("leaveAt")), str(record.get("arriveBy"))
            if ":" in leaves and ":" in arrives:
                times = {_LEAVES: time_of_day(leaves), _ARRIVES: time_of_day(arrives)}
                train = _Train(venue.key.id, len(venue.records) > 1, times, record)
                keys: set[str | float] = {"", train.id, *times.values()}
                for key in keys:
                    timetable[key].append(train)
    return timetable


# ----------------------------------------------------------------------------------------- choices


def deciding_mentions(
    mentions: Sequence[Mentions],
    users: Sequence[str | None],
    mentions_in: Callable[[str], Mentions],
) -> Mentions:
    """Return the venues that decide whether a domain is matched: those named last, or chosen.

    What is chosen stays so as long as responses that name venues name it among them.

    Args:
        mentions: The venues of the domain that each response names.
        users: What the user says before each, as far as that is known.
        mentions_in: Returns the venues of the domain that a text names.
    """
    deciding: Mentions = ()
    choice: Mentions = ()
    named: list[frozenset[str]] = []
    for turn, mentioned in enumerate(mentions):
        listed = list(dict.fromkeys(mentions[turn - 1])) if turn else []
        text = users[turn] if turn < len(users) else None
        chosen = _chosen(text or "", named, listed, mentions_in)
        if chosen:
            deciding = choice = chosen
        stays = any(first & second for first in choice for second in mentioned)
        if mentioned and not stays:
            deciding, choice = mentioned, ()
        named += mentioned
    return deciding


def _chosen(
    text: str,
    named: Sequence[frozenset[str]],
    listed: Sequence[frozenset[str]],
    mentions_in: Callable[[str], Mentions],
) -> list[frozenset[str]]:
    """Return the venues that a user chooses; none if it chooses none.

    Args:
        text: What the user says.
        named: The venues that responses have named.
        listed: Those that the response before names, in its order.
        mentions_in: Returns the venues of the domain that a text names.
    """
    patterns = words("choices")
    chosen: list[frozenset[str]] = []
    for sentence in split_sentences(text) if named else ():
        if sentence.endswith("?") and not patterns["choosing"].search(sentence):
            continue
        for clause in words("between")["choice"].split(sentence):
            accepted = patterns["refused"].split(clause, maxsplit=1)[0]
            for meant in mentions_in(accepted):
                chosen += [venue for venue in named if venue & meant and venue not in chosen]
            place = patterns["place"].search(accepted)
            if place and len(listed) > 1 and not chosen:
                index = _PLACES.get((place["word"] or "").lower(), -1)
                if place["number"]:
                    index = int(place["number"]) - 1
                chosen += listed[index : index + 1 or None]
    return chosen
