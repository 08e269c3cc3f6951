"""What the user of a dialogue says and asks, read from the user's turns.

A turn is cut into statements, each of one domain: that of its words ("a table", "tickets"), of the
venue that it names, or of the statement before; or, at the beginning of a turn, of the question
before. `said.toml` says in which words each slot is said and asked for. Values are those of the
venue records and of the goal. What refers to something said before ("the same day") is said as the
goal has it.

Values are compared, not copied: times by the clock (5:15 may be 17:15), numbers in words or digits,
names and places also if misspelled.
"""

from __future__ import annotations

import calendar
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

from rapidfuzz import fuzz

from mwz.normalization import read_toml
from mwz.normalization.delexicaliser import Delexicaliser

from ..benchmark import Goal
from .facts import NEAR, is_denied, recorded_values, requests, split_sentences, time_of_day

_REMEMBERED = 1 << 14
_HALF_DAY = 12 * 60
_MOST_READ = 4_000
"""Characters that are read of a turn."""
_ALIKE = 85
"""From what similarity, in percent, a name or place is the one that is meant."""

_MISSPELLED = 92
"""From what similarity another value is meant: the data set has "mutliple sports"."""

_WEEK = tuple(day.lower() for day in calendar.day_name)
_TIMES = ("arrive", "leave", "time")
_ROUTE = ("departure", "destination")
_DESCRIBING = ("area", "pricerange", "food", "type")
_RECORDED = (*_DESCRIBING, *_ROUTE)
"""Slots whose values are those of the venue records."""


@dataclass(frozen=True)
class Statement:
    """A part of a user's turn that speaks of one domain.

    Attributes:
        turn: The number of the turn.
        domain: The domain; empty where none is known yet.
        text: Its words.
        question: The last question of the response before; empty if there is none.
        heard: All responses before.
        begins: Whether the turn begins with it.
    """

    turn: int
    domain: str
    text: str
    question: str
    heard: str
    begins: bool


SaidValue: TypeAlias = tuple[int, str | None]
"""The turn in which a user says a value, and the value; None refers to one said before."""

_Mention: TypeAlias = tuple[int, int, str]
"""Where a text speaks of a domain: the beginning, the end, and the domain."""


@dataclass(frozen=True)
class Said:
    """What a user says and asks about a domain.

    Attributes:
        statements: The statements about it, in order.
        values: Slot -> the values said, in order.
        asked: What it asks to be told, of `REQUESTABLE_SLOTS` and `FURTHER_SLOTS` -> the turns.
    """

    statements: Sequence[Statement]
    values: Mapping[str, Sequence[SaidValue]]
    asked: Mapping[str, Sequence[int]]

    def says(self, slot: str, value: str, since: int = 0) -> bool:
        """Return whether it says, since a turn, that a slot shall have a value."""
        for turn, other in self.values.get(slot, ()):
            if turn >= since and (other is None or same_value(slot, other, value)):
                return True
        return False


def read_user(
    users: Sequence[str],
    responses: Sequence[str],
    goal: Mapping[str, Goal],
    delexicalise: Delexicaliser,
) -> dict[str, Said]:
    """Return what a user says and asks, by domain.

    Args:
        users: What the user says, turn by turn.
        responses: The response to each.
        goal: What the user wants, domain -> goal, whose names and values may be said.
        delexicalise: Finds names of venues, and has the values of the records.
    """
    reader = _Reader(goal, delexicalise)
    by_domain = defaultdict(list)
    for statement in reader.statements(users, responses):
        by_domain[statement.domain].append(statement)
    return {domain: reader.said(by_domain[domain]) for domain in _tables()["spoken"]}


def same_value(slot: str, first: str, second: str) -> bool:
    """Return whether two values of a slot mean the same."""
    if slot in _TIMES:
        return time_of_day(first) % _HALF_DAY == time_of_day(second) % _HALF_DAY
    if slot in ("name", *_ROUTE):
        return _are_alike(first, second)
    return fuzz.ratio(_letters(first), _letters(second)) >= _MISSPELLED


@dataclass(frozen=True)
class _Reader:
    """Reads the user's turns of a dialogue; attributes as the arguments of `read_user`."""

    goal: Mapping[str, Goal]
    delexicalise: Delexicaliser

    def statements(self, users: Sequence[str], responses: Sequence[str]) -> Iterator[Statement]:
        """Yield the statements of the user, in order."""
        # A dialogue begins with what its first response is about.
        first = "".join(responses[:1])[:_MOST_READ].lower()
        domain, question = _only_domain(self._mentions(first, "")), ""
        for turn, user in enumerate(users):
            heard = " ".join(responses[:turn])
            domain = _only_domain(_mentions(question)) or domain
            begins = True
            for sentence in split_sentences(user[:_MOST_READ].replace("’", "'")):
                for text in self._parts(sentence, domain):
                    mentions = self._mentions(text, domain)
                    if mentions:
                        domain = mentions[0][-1]
                    yield Statement(turn, domain, text, question, heard, begins)
                    begins = False
            question = ""
            for sentence in split_sentences("".join(responses[turn : turn + 1])[-_MOST_READ:]):
                if sentence.endswith("?"):
                    question = sentence

    def _parts(self, sentence: str, before: str) -> list[str]:
        """Cut a sentence that speaks of several domains between them, where a clause may begin."""
        mentions = self._mentions(sentence, before) + self._named(sentence, before)
        without_names = self._without_names(sentence)
        joint = _pattern("beside", "joint")
        cuts = [0]
        for (_, end, domain), (start, _, next_domain) in pairwise(sorted(mentions)):
            starts = [match.start() for match in joint.finditer(without_names, end, start)]
            if domain != next_domain and starts:
                cuts.append(starts[-1])
        cuts.append(len(sentence))
        return [sentence[start:end] for start, end in pairwise(cuts)]

    def _mentions(self, text: str, before: str) -> list[_Mention]:
        """Return where the words of a text speak of domains, or else the venues that it names."""
        mentions = _mentions(self._without_names(text))
        if _is_route(mentions, text, before):
            # What else it speaks of is where the taxi goes.
            return [mention for mention in mentions if mention[-1] == "taxi"]
        return mentions or self._named(text, before)

    def _named(self, text: str, before: str) -> list[_Mention]:
        """Return where a text names venues; those between which a taxi goes are left out."""
        if _is_route(_mentions(text), text, before):
            return []
        named = []
        for span in self.delexicalise(text).spans:
            domains = self.goal.keys() & {venue.domain for venue in span.venues}
            if span.slot in ("NAME", "TRAINID") and len(domains) == 1:
                named.append((span.start, span.end, domains.pop()))
        return named

    def _without_names(self, text: str) -> str:
        """Return a text with blanks in place of names of venues, whose words tell nothing."""
        for span in self.delexicalise(text).spans:
            if span.slot in ("NAME", "ADDRESS"):
                text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        return text

    def said(self, statements: Sequence[Statement]) -> Said:
        """Return what the statements about a domain say and ask."""
        values: dict[str, list[SaidValue]] = defaultdict(list)
        asked: dict[str, list[int]] = defaultdict(list)
        for statement in statements:
            requested = _asked(statement)
            for slot in _tables()["spoken"][statement.domain]:
                said = self._values(statement, slot)
                values[slot] += [(statement.turn, value) for value in said]
                if said and "feature" not in _tables()["slots"][slot]:
                    # "In the west area" does not ask for the area.
                    requested.discard(slot)
            for slot in requested:
                asked[slot].append(statement.turn)
        return Said(statements, values, asked)

    def _values(self, statement: Statement, slot: str) -> list[str | None]:
        """Return the values that a statement says a slot shall have; None refers to one before."""
        rules = _tables()["slots"][slot]
        if "feature" in rules:
            return _yes_or_no(statement.text, slot)
        values: list[str | None] = []
        choices = self._choices(statement, slot)
        if slot == "name":
            values += [name for name in choices if _are_alike(name, statement.text)]
        spellings = tuple([(value, _spelling(slot, value)) for value in choices])
        text = self._without_names(statement.text) if slot in _DESCRIBING else statement.text
        patterns = list(rules["patterns"])
        if statement.begins and _asks_for(slot, statement.question):
            patterns.append(_tables()["answers"]["bare"])
        for pattern in patterns:
            for match in _with_values(pattern, slot, spellings).finditer(text):
                value = _value(match["value"], spellings)
                is_offered = value in statement.heard and value not in choices
                if slot not in ("arrive", "leave") or (
                    # A time that a response offers is chosen, and no constraint.
                    not is_offered and _is_meant(statement, slot, match.start())
                ):
                    values.append(value)
        for value, pattern in rules.get("confirms", {}).items():
            if value in choices and _compiled(pattern).search(text):
                values.append(value)
        if "as_before" in rules and _pattern("slots", slot, "as_before").search(text):
            values.append(None)
        return values

    def _choices(self, statement: Statement, slot: str) -> list[str]:
        """Return the values that a slot can have in a statement, those of the goal first."""
        choices = []
        wanted = self.goal.get(statement.domain)
        if wanted is not None:
            for values in (wanted.informable, wanted.booking, wanted.first):
                if slot in values:
                    choices.append(values[slot])
        if slot == "name" or (slot in _ROUTE and statement.domain == "taxi"):
            for span in self.delexicalise(statement.text).spans:
                domains = {venue.domain for venue in span.venues}
                if span.slot == "NAME" and (slot != "name" or statement.domain in domains):
                    choices.append(statement.text[span.start : span.end])
            return choices
        if slot in _RECORDED:
            choices += recorded_values(self.delexicalise, statement.domain, slot)
        return choices


# ------------------------------------------------------------------------------------- statements


def _mentions(text: str) -> list[_Mention]:
    """Return where the words of a text speak of domains, in order.

    A venue beside which something shall be is not spoken of.
    """
    words = _pattern("beside", "venue").sub(lambda match: " " * len(match[0]), text)
    mentions = []
    for domain in _tables()["domains"]:
        for match in _pattern("domains", domain).finditer(words):
            mentions.append((*match.span(), domain))
    return sorted(mentions)


def _only_domain(mentions: Iterable[_Mention]) -> str:
    """Return the domain that a text speaks of; an empty text if it is none, or several."""
    domains = {domain for _, _, domain in mentions}
    return domains.pop() if len(domains) == 1 else ""


def _is_route(mentions: Sequence[_Mention], text: str, before: str) -> bool:
    """Return whether a text says where a taxi goes, given what it speaks of, or did before."""
    domains = {domain for _, _, domain in mentions} or {before}
    return "taxi" in domains and _pattern("beside", "route").search(text) is not None


# ----------------------------------------------------------------------------------------- values


def booked_values(slot: str, text: str) -> list[str]:
    """Return the values of a slot of bookings that an agent's text tells; days of the week only."""
    values = []
    for pattern in _tables()["slots"][slot]["patterns"]:
        for match in _with_values(pattern, slot, ()).finditer(text):
            if not is_denied(text, *match.span("value")):
                values.append(_value(match["value"], ()))
    return [value for value in values if slot != "day" or value in _WEEK]


def _yes_or_no(text: str, slot: str) -> list[str | None]:
    """Return whether a text wants a feature, each time that it mentions it."""
    values: list[str | None] = []
    for match in _pattern("slots", slot, "feature").finditer(text):
        begin = 0
        near = max(0, match.start() - NEAR)
        for joint in _pattern("beside", "joint").finditer(text, near, match.start()):
            begin = joint.end()
        is_no = _pattern("answers", "no").search(text, max(near, begin), match.start())
        values.append("no" if is_no else "yes")
    return values


def _is_meant(statement: Statement, slot: str, start: int) -> bool:
    """Return whether a time in a statement is that of arriving, or of leaving, as the slot says.

    The last word before it decides, words such as "by" and "after" only where no other one does;
    then the question before; a time alone is one of leaving.
    """
    for kind in ("cues", "weak"):
        places = {}
        for time in ("leave", "arrive"):
            near = max(0, start - NEAR)
            cues = _pattern("slots", time, kind).finditer(statement.text, near, start)
            places[time] = max((cue.start() for cue in cues), default=-1)
        if places["leave"] != places["arrive"]:
            return max(places, key=places.__getitem__) == slot
    return _asks_for("arrive", statement.question) == (slot == "arrive")


def _asks_for(slot: str, question: str) -> bool:
    """Return whether a question asks for the value of a slot."""
    rules = _tables()["slots"][slot]
    return "question" in rules and bool(_pattern("slots", slot, "question").search(question))


def _value(words: str, spellings: Sequence[tuple[str, str]]) -> str:
    """Return a value as records and goals write it."""
    for value, spelling in spellings:
        if re.fullmatch(spelling, words, re.IGNORECASE):
            return value
    written: str = _tables()["written"].get(words.lower(), words.lower())
    return written


@lru_cache(maxsize=_REMEMBERED)
def _spelling(slot: str, value: str) -> str:
    """Return a pattern of the ways to write a value."""
    request = requests().get(slot)
    if request is not None and value in request.values:
        return f"(?x: {request.values[value].pattern} )"
    words = []
    for word in re.findall(r"\w+", value):
        words.append(re.escape(word.removesuffix("s")) + "'?s?")
    return "[ '-]{0,2}".join(words)


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text.lower())


@lru_cache(maxsize=_REMEMBERED)
def _are_alike(name: str, text: str) -> bool:
    """Return whether a text has a name, or most of it."""
    return fuzz.partial_ratio(_letters(name), _letters(text)) >= _ALIKE


# -------------------------------------------------------------------------------------- requests


def _asked(statement: Statement) -> set[str]:
    """Return what a statement asks to be told."""
    texts = [statement.text]
    is_yes = _pattern("answers", "yes").match(statement.text)
    if statement.begins and is_yes and _pattern("answers", "offer").search(statement.question):
        texts.append(statement.question)
    asked: set[str] = set()
    for text in texts:
        kinds = ["anywhere"]
        if _pattern("asking", "cue").search(text):
            kinds.append("asked")
        for kind in kinds:
            for slot in _tables()["asking"]["slots"][kind]:
                if _pattern("asking", "slots", kind, slot).search(text):
                    asked.add(slot)
        books_nothing = _pattern("booking", "without").search(text)
        if _pattern("booking", "words").search(text) and not books_nothing:
            asked.update(_tables()["booking"]["returns"].get(statement.domain, ()))
    return asked


# --------------------------------------------------------------------------------------- patterns


@cache
def _tables() -> Mapping[str, Any]:
    return read_toml("said.toml", __package__)


@cache
def _pattern(*keys: str) -> re.Pattern[str]:
    """Return a pattern of the tables, by its keys."""
    pattern: Any = _tables()
    for key in keys:
        pattern = pattern[key]
    return _compiled(pattern if isinstance(pattern, str) else "|".join(pattern))


@lru_cache(maxsize=_REMEMBERED)
def _with_values(pattern: str, slot: str, spellings: Sequence[tuple[str, str]]) -> re.Pattern[str]:
    """Compile a pattern of a slot, in which one of some values may stand."""
    if "%value%" not in pattern:
        return _compiled(pattern)
    values = _tables()["answers"]["values"].get(slot, "(?!)")
    if spellings and (slot in _RECORDED or slot == "name"):
        values = "|".join([spelling for _, spelling in spellings])
    return _compiled(pattern.replace("%value%", f"(?P<value>{values})"))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that matches whole words."""
    # Parts have parts that stand before them.
    for name, part in reversed(_tables()["parts"].items()):
        pattern = pattern.replace(f"%{name}%", f"(?:{part})")
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
