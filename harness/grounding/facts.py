"""The facts about venues that responses give: which, of which domain, and whether they are true.

**Domains.** A turn is about the domains of the venues that its response names and of its words
("table", "room").

**Requested slots.** `requested.toml` says of each slot besides numbers, addresses and ids (area,
price range, entrance fee, stars, …) in which words a value of the venue records may be spoken.
Values are compared, not copied: "79 minutes" is "1 hour 19 minutes", "£10.10" is "10.10 pounds".
What is denied or doubted is not told, nor are more values than things spoken of: these are guesses.

**Faithfulness.** Telephone numbers, postcodes, addresses and train ids are counted: how many the
database has, and how many belong to a venue that the dialogue's responses have named by then (a
train id names its own train). A number given while speaking of a taxi is its driver's, which no
database has, and is not counted.

**Placeholders.** A placeholder names no venue and tells no number, so that grounded scores of
delexicalised responses are low and mean nothing: such responses are refused. What names and tells
is counted: of the published dialogues in plain English at most 40 % of it are placeholders (agents
of GPT-3.5 that forget to fill them in; of other models at most 5 %), of published delexicalised
responses at least 82 %.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from mwz.normalization import RuleSet, read_toml
from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser, Span, VenueId, topics

from ..errors import InputError, unquoted
from ..submission import Submission, highest_likely
from .scores import COUNTS

_REMEMBERED = 1 << 14
NEAR = 200
"""Characters before a word that are read: more tells nothing, and patterns take time."""

# ----------------------------------------------------------------------------------------- domains


def turn_domains(
    responses: Sequence[Delexicalised], users: Sequence[str | None] = ()
) -> list[frozenset[str]]:
    """Return the domains that each turn of a dialogue is about.

    A response that tells none is about what the one before was, and what the user's words are.
    Before any has told one, the domains are none: the turn may be about any.

    Args:
        responses: One per system turn.
        users: What the user says before each, as far as that counts.
    """
    domains: list[frozenset[str]] = []
    last: frozenset[str] = frozenset()
    for turn, response in enumerate(responses):
        user = users[turn] if turn < len(users) else None
        last = _domains(response.original, response.spans) or last | topics(user or "")
        domains.append(last)
    return domains


# "P.m." ends none.
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?!\s)|(?<=[ap]\.m)\.(?= [a-z]))+[.!?\n]?")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a response.

    Attributes:
        start: Where it begins in the response.
        text: Its words.
        spans: What it names and tells; places are those of the response.
        domains: What it is about; if it does not tell, what the sentence before is about.
    """

    start: int
    text: str
    spans: Sequence[Span]
    domains: frozenset[str]


def sentences(response: Delexicalised, before: frozenset[str]) -> list[Sentence]:
    """Return the sentences of a response, given the domains that the response before is about."""
    parts = []
    spans = list(reversed(response.spans))
    for match in _SENTENCE.finditer(response.original):
        inside = []
        while spans and spans[-1].start < match.end():
            inside.append(spans.pop())
        before = _domains(match[0], inside) or before
        parts.append(Sentence(match.start(), match[0], inside, before))
    return parts


def _domains(text: str, spans: Iterable[Span]) -> frozenset[str]:
    """Return the domains that a text speaks of or whose venues it names."""
    domains = set(topics(text))
    for span in spans:
        if span.slot in ("NAME", "TRAINID"):
            domains.update(venue.domain for venue in span.venues)
    return frozenset(domains)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip()]


# --------------------------------------------------------------------------------- requested slots

_DAY = 24 * 60
_HALF_DAY = 12 * 60
_WORDS = {"an": 1, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_STARS = re.compile("[★⭐🌟*]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\b(?:an|zero|one|two|three|four|five)\b")


def _numbers(text: str) -> list[float]:
    """Return the numbers of a text, in order."""
    bare = text.lower().replace(" .", ".").replace(". ", ".")
    return [float(_WORDS.get(number, number)) for number in _NUMBER.findall(bare)]


def _minutes(text: str) -> float:
    """Return how long a duration lasts: "1 hour and 19 minutes"."""
    numbers = _numbers(text)
    if "h" not in text.lower():
        return numbers[0]
    return numbers[0] * 60 + sum(numbers[1:])


_AM_OR_PM = re.compile(r"[ap]\.?m|morning|afternoon|evening")


def time_of_day(text: str) -> float:
    """Return a time of the day in minutes: "5:45 pm", "17:45", "1745"; 24:35 is 0:35."""
    digits = re.findall(r"\d+", text)
    if len(digits) == 1 and len(digits[0]) > 2:
        digits = [digits[0][:-2], digits[0][-2:]]
    hour, minute = map(int, [*digits, "0"][:2])
    half = _AM_OR_PM.search(text.lower())
    if half:
        hour = hour % 12 + 12 * (half[0][0] in "pe" or half[0] == "afternoon")
    return (hour * 60 + minute) % _DAY


def times_of_day(texts: Iterable[str]) -> list[float]:
    """Return the times of the day that a sentence tells in turn, in minutes.

    After one with "am" or "pm" they may lack it: each is then at most six hours later, or else in
    the same half of the day.

    >>> times_of_day(["3:36 pm", "4:55"])
    [936, 1015]
    """
    times = []
    last: float | None = None
    for text in texts:
        time = time_of_day(text)
        is_marked = _AM_OR_PM.search(text.lower()) is not None
        if is_marked or time >= 13 * 60:
            last = None
        elif last is not None:
            later = (time - last) % _HALF_DAY
            time = time % _HALF_DAY + last // _HALF_DAY * _HALF_DAY
            if later <= _HALF_DAY / 2:
                time = (last + later) % _DAY
        if is_marked or last is not None:
            last = time
        times.append(time)
    return times


def _pounds(text: str) -> float:
    """Return a price: "17.60 pounds", "17 pounds and 60 pence"."""
    pounds, *pence = _numbers(text)
    return pounds + sum(pence) / 100


def _stars(text: str) -> float:
    """Return how many stars there are: "4", "four", "★★★★"."""
    if _NUMBER.search(text.lower()):
        return _numbers(text)[0]
    return len(_STARS.findall(text))


_MEASURES: Mapping[str, Callable[[str], float]] = {
    "pounds": _pounds,
    "stars": _stars,
    "minutes": _minutes,
    "time": time_of_day,
}


@dataclass(frozen=True, eq=False)
class Request:
    """How a requested slot is told.

    Attributes:
        record: What venue records call it; None of what no record has.
        names: Whether a venue's name may tell it.
        values: Value of the records -> what tells it.
        measure: What two values have in common that mean the same; None of words.
        patterns: What finds such a value; or any, where no record has it.
        feature: The words whose clause says yes or no.
    """

    record: str | None
    names: bool = False
    values: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    measure: Callable[[str], float] | None = None
    patterns: tuple[re.Pattern[str], ...] = ()
    feature: re.Pattern[str] | None = None

    def words(self, response: Delexicalised) -> str:
        """Return what `is_told` reads of a response: no telephone numbers and names of venues."""
        text = response.original
        for span in reversed(response.spans):
            if (span.slot == "NAME" and not self.names) or (span.slot == "PHONE" and span.venues):
                text = f"{text[: span.start]} {text[span.end :]}"
        return text

    def tells_any(self, text: str) -> bool:
        """Return whether a text tells a number, time, or yes or no, whatever it is."""
        statements = _statements(text)
        return bool(
            measures_of(self, statements) or (self.feature and self.feature.search(statements))
        )

    def is_guessed(self, text: str, things: int, values: Iterable[str] = ()) -> bool:
        """Return whether a text tells more values than it speaks of things, so that it guesses.

        Values in words are alternatives only where they are listed: "cheap, moderate or expensive".

        Args:
            text: The text.
            things: The number of things that it speaks of.
            values: What the slot may be, by the venue records.
        """
        statements = _statements(text)
        if self.measure is time_of_day:
            return False
        if self.measure is not None:
            single: list[float] = []
            for number in sorted(set(measures_of(self, statements))):
                # Besides the price of a ticket, that of several may be told.
                if not any(_is_multiple(number, price) for price in single[: things + 1]):
                    single.append(number)
            return len(single) > things
        value_at = {}
        for value in values:
            for match in _told_in(self.pattern(value), statements):
                value_at[match.span()] = value
        return are_alternatives(statements, value_at) and len(set(value_at.values())) > things

    def pattern(self, value: str) -> re.Pattern[str]:
        """Return what tells a value in words."""
        return self.values.get(value) or whole_words(re.escape(value))

    def is_told(self, text: str, value: str | None = None) -> bool:
        """Return whether a text tells a value of the venue records; of none of them, any value."""
        statements = _statements(text)
        if value is None:
            return any(any(_told_in(pattern, statements)) for pattern in self.patterns)
        value = value.strip().lower()
        if self.feature is not None:
            clauses = words("between")["clause"].split(statements)
            for clause in filter(self.feature.search, clauses):
                is_no = bool(words("sentences")["no"].search(clause))
                if value == ("no" if is_no else "yes"):
                    return True
            return False
        if value in self.values or self.measure is None:
            return any(_told_in(self.pattern(value), statements))
        # Of opening hours, those of one day are enough.
        wanted = measures_of(self, value)[:2]
        if not wanted and value.isdecimal():
            wanted = [self.measure(value)]
        if not wanted:
            return value in statements.lower()
        return set(wanted).issubset(measures_of(self, statements))


def says_unknown(text: str) -> bool:
    """Return whether a text says that something is not known.

    >>> says_unknown("I'm afraid the phone number isn't listed.")
    True
    """
    return words("sentences")["unknown"].search(text) is not None


def in_context(response: str, said: str) -> str:
    """Return a response with the words of the question that it answers by yes or no alone.

    Args:
        response: The response.
        said: What the user said before.

    >>> in_context("Yes, it does.", "Does it have wifi?")
    'internet: yes. Yes, it does.'
    """
    questions = " ".join(part for part in split_sentences(said) if part.endswith("?"))
    features: dict[str, re.Pattern[str]] = {}
    for slot, request in requests().items():
        if request.feature is not None and request.feature.search(questions):
            features[slot] = request.feature
    begins = re.split(r"[.!?\n]", words("sentences")["filler"].sub("", response), maxsplit=1)[0]
    is_no = words("sentences")["no"].search(begins) is not None
    if says_unknown(begins) or not (is_no or words("sentences")["yes"].search(begins)):
        return response
    if any(feature.search(response) for feature in features.values()):
        return response
    answers = [f"{slot}: {'no' if is_no else 'yes'}. " for slot in features]
    return "".join(answers) + response


@lru_cache(maxsize=_REMEMBERED)
def measures_of(request: Request, text: str) -> list[float]:
    """Return what values of a text mean: times in minutes, prices in pounds; to be read only.

    They are in order. Of "1 hr 19 min" the minutes alone are no value.
    """
    measure = request.measure or float
    if measure is time_of_day:
        times = []
        for sentence in split_sentences(text):
            matches = _told_in(request.patterns[0], sentence)
            times += times_of_day(match["value"] for match in matches)
        return times
    places = set()
    for pattern in request.patterns:
        places |= {match.span("value") for match in _told_in(pattern, text)}
    measures = []
    furthest = 0
    # The longest first of those that begin at a place.
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if end > furthest:
            measures.append(measure(text[start:end]))
            furthest = end
    return measures


def _is_multiple(total: float, price: float) -> bool:
    return 0 < price < total and abs(total / price - round(total / price)) < 0.01


def _told_in(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield where a text tells what a pattern finds, and does not deny it."""
    for match in pattern.finditer(text):
        if not is_denied(text, *match.span()):
            yield match


def are_alternatives(text: str, places: Iterable[tuple[int, int]]) -> bool:
    """Return whether an "or" stands between parts of a text that follow each other as in a list."""
    for (_, end), (start, _) in pairwise(sorted(places)):
        joint = words("between")["listed"].fullmatch(text, end, max(end, start))
        if joint and "or" in joint[0].split():
            return True
    return False


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether the clause around a part of a text denies it, or says that it is not known."""
    before = words("between")["clause"].split(text[max(0, start - NEAR) : start])[-1]
    patterns = words("sentences")
    return bool(patterns["denied"].search(before) or patterns["denied_after"].match(text, end + 1))


@lru_cache(maxsize=_REMEMBERED)
def _statements(text: str) -> str:
    """Return a text without what only asks."""
    return words("sentences")["asking"].sub(" ", text)


@cache
def requests() -> Mapping[str, Request]:
    """Return how each slot is told, by its normalised name."""
    by_slot = {}
    for name, slot in tables()["slots"].items():
        values = slot.get("values", {})
        by_slot[name] = Request(
            record=None if "own" in slot else slot.get("record", name),
            names=slot.get("names", False),
            values={value: whole_words(pattern) for value, pattern in values.items()},
            measure=_MEASURES.get(slot.get("measure", "")),
            patterns=tuple(map(whole_words, slot.get("patterns", slot.get("own", ())))),
            feature=whole_words(slot["feature"]) if "feature" in slot else None,
        )
    return by_slot


@cache
def tables() -> Mapping[str, Any]:
    """Return `requested.toml`; it is to be read only."""
    return read_toml("requested.toml", __package__)


@cache
def whole_words(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that matches whole words."""
    for name, part in tables()["parts"].items():
        pattern = pattern.replace(f"%{name}%", f"(?: {part} )")
    return _verbose(rf"(?<! \w ) (?: {pattern} ) (?! \w )")


def _verbose(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE | re.IGNORECASE)


@cache
def words(section: str) -> Mapping[str, re.Pattern[str]]:
    """Return the patterns of a section of `requested.toml`."""
    compiled = _verbose if section == "between" else whole_words
    return {name: compiled(pattern) for name, pattern in tables()[section].items()}


@lru_cache(maxsize=64)
def recorded_values(delexicalise: Delexicaliser, domain: str, slot: str) -> Sequence[str]:
    """Return the values of a slot that venues of a domain have, the longest first."""
    values: set[str] = set()
    for venue in delexicalise.gazetteer.venues.values():
        if venue.key.domain == domain:
            values.update(value.lower() for value in venue.facts.get(slot, ()))
    return sorted(values, key=lambda value: (-len(value), value))


def is_closed(text: str, end: int) -> bool:
    """Return whether a text says of what ends at a place that it is closed for good."""
    return words("sentences")["closed_after"].match(text, end + 1) is not None


def is_refused(before: str, after: str) -> bool:
    """Return whether the words around a reference number say that nothing is booked."""
    if words("booking")["void"].match(after, 1):
        return True
    said = [match.lastgroup for match in words("booking")["said"].finditer(before)]
    return said[-1:] == ["refused"]


# ------------------------------------------------------------------------------------ faithfulness

FACT_SLOTS = ("PHONE", "POST", "ADDRESS", "TRAINID")
"""What is counted of the facts that responses give."""


def count_facts(responses: Sequence[Delexicalised]) -> dict[str, int]:
    """Return `COUNTS` of a dialogue's responses, one per system turn."""
    named: set[VenueId] = set()
    counts = dict.fromkeys(COUNTS, 0)
    for response, domains in zip(responses, turn_domains(responses), strict=True):
        for span in response.spans:
            if span.slot in ("NAME", "PLACE", "TRAINID"):
                named.update(span.venues)
        for span in response.spans:
            drivers = span.slot == "PHONE" and not span.venues and "taxi" in domains
            if span.slot in FACT_SLOTS and not drivers:
                counts["told"] += 1
                counts["in_database"] += bool(span.venues)
                counts["of_named_venue"] += not named.isdisjoint(span.venues)
    return counts


# ------------------------------------------------------------------------------------ placeholders

MOST_PLACEHOLDERS = 0.5
"""The share of names and numbers that may be placeholders, give or take two standard deviations."""

WRITTEN = re.compile(r"[\[<{] ?([a-z][\w ]{1,40}?) ?[\]>}]|\b([a-z]+_[a-z_]+)\b", re.IGNORECASE)
"""What may be a placeholder: in brackets, or a name with an underscore that stands bare."""


def refuse_delexicalised(submission: Submission, rules: RuleSet, option: str) -> None:
    """Make sure that responses are plain English.

    Args:
        submission: A submission whose responses the harness has delexicalised.
        rules: The rule set, whose placeholders they may have instead of names and numbers.
        option: The option that scores plain English.

    Raises:
        InputError: Most of what would name and tell are placeholders.
    """
    written: Counter[str] = Counter()
    first = ""
    values = 0
    for id_, turns in submission.dialogues.items():
        for number, turn in enumerate(turns):
            if turn.plain is None:
                continue
            values += sum(span.slot in rules.about_venues for span in turn.plain.spans)
            placeholders = list(placeholders_about_venues(turn.plain.original, rules))
            if placeholders and not first:
                first = f"dialogue {unquoted(id_)}, turn {number}"
            written.update(placeholders)
    count, every = written.total(), written.total() + values
    if count > highest_likely([(every, MOST_PLACEHOLDERS)]):
        examples = ", ".join(f"{name} {times}×" for name, times in written.most_common(3))
        raise InputError(
            submission.source,
            f"{first}: delexicalised, like most responses: {count} of {every} names and numbers "
            f"are placeholders ({examples}); {option} scores plain English, so leave it out, or "
            "give the responses as the user reads them",
        )


def placeholders_about_venues(response: str, rules: RuleSet) -> Iterator[str]:
    """Yield the placeholders of a response that name a venue or tell a number of it.

    They are written in any brackets, as names with an underscore, or as the ontology's own names in
    capitals, as evaluators write them.
    """
    for match in WRITTEN.finditer(response):
        name = (match[1] or match[2]).lower()
        slot = rules.ontology.get(name) or rules.ontology.get(name.replace(" ", "_"))
        if slot in rules.about_venues:
            yield match[0]
    names = "|".join(sorted(rules.about_venues))
    # A name that is written twice is one.
    pattern = re.compile(rf"(?<![A-Za-z_\[<{{])({names})+(?![A-Z_\]>}}])")
    others = pattern.sub("", response)
    # In a text all in capitals nobody knows which words are placeholders.
    if others != others.upper() or others == others.lower():
        for match in pattern.finditer(response):
            yield match[1]
