"""Users of live dialogues without a language model: one by script, and a person at the terminal.

The scripted user works through the goal domain by domain, in the order of the instructions: it
states its constraints, takes what fits, books it, asks for what it was not told, and goes on to
the goal's alternatives where nothing is found or a booking is refused. It knows the agent by its
words alone: names, numbers and codes as the delexicaliser finds them, values as grounded scores
do, and the patterns of `user.toml`, which also has its phrases. It does not take what is said to
contradict its constraints. It gives something up after three turns without progress, and says
goodbye when it has everything, or when it gives up for the second time.

It first asks for the constraints of `fail_info`, unless some venue meets them: the data set has
such ones by mistake, and the instructions do not mention them.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import zip_longest
from typing import Literal

from mwz.normalization import minutes, normalize_slot_name
from mwz.normalization.delexicaliser import Span

from ..data import DomainTask, Task
from ..errors import InputError, unknown
from ..grounding import NAMING_SLOTS, in_context, is_closed, measures_of, requests, says_unknown
from .world import (
    MOST_HEARD,
    ROUTE,
    TIMES,
    User,
    UserMaker,
    UserTurn,
    World,
    pattern_of,
    script,
    script_name,
)

_pattern = partial(pattern_of, "user")

_MOST_GIVEN_UP = 2
_MOST_IN_VAIN = 2
"""Answers without an offer, or a booking, after which the user turns to its alternative."""

SPANS = {"phone": "PHONE", "address": "ADDRESS", "postcode": "POST", "trainID": "TRAINID"}
"""Slots that the delexicaliser finds; whether others are told, grounded scores say."""


@dataclass(frozen=True)
class Behaviour:
    """How a user behaves, a table of `behaviours` in `user.toml`; by default it cooperates.

    Attributes:
        meaning: What it does, in words.
        chance: How likely an aside is in a turn, and a filler after a word.
        before, after: Asides before, and after, what it wants.
        fillers: What it says between words.
        cut: With what its first request to book breaks off; nothing if it does not.
        stated: How many constraints it states in one turn at most, where not asked.
        patience: Turns without progress after which it gives something up.
        waits: Turns in a row that it waits where the agent asks for patience.
    """

    meaning: str = ""
    chance: float = 0.0
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    fillers: Sequence[str] = ()
    cut: str = ""
    stated: int = 3
    patience: int = 3
    waits: int = 3

    def spoken(self, utterance: str, chance: random.Random) -> str:
        """Return an utterance as the user says it."""
        words: list[str] = []
        for word in utterance.split(" "):
            words.append(word)
            is_within = word[-1:].isalpha() and len(words) > 1
            if self.fillers and is_within and chance.random() < self.chance:
                words.append(chance.choice(self.fillers))
        asides = [*self.before, *self.after]
        if asides and chance.random() < self.chance:
            aside = chance.choice(asides)
            words.insert(0 if aside in self.before else len(words), aside)
        return " ".join(words)


@cache
def behaviours() -> Mapping[str, Behaviour]:
    """Return the behaviours of scripted users by their names."""
    tables = script("user")["behaviours"]
    return {name: Behaviour(**table) for name, table in tables.items()}


class ScriptedUser:
    """A user by script: what it says depends on the task, the seed and the responses alone.

    In a domain it is finding a venue, then booking it, then asking for what it was not told.

    Args:
        task: What it wants.
        world: The benchmark, which says whether a venue meets constraints, and what names are.
        seed: What the choice of words depends on.
        behaviour: How it behaves.
    """

    def __init__(
        self, task: Task, world: World, seed: str, behaviour: Behaviour = Behaviour()
    ) -> None:
        self._task, self._world, self._script = task, world, script("user")
        self._behaviour = behaviour
        self._chance = random.Random(f"{seed} {task.id}")
        self._manner = random.Random(f"{behaviour.meaning} {seed} {task.id}")
        self._left = list(task.domains)
        # Domain -> what the venue is called that the user wants, or has chosen.
        self._names: dict[str, str] = {}
        for domain, wanted in task.domains.items():
            if "name" in wanted.info:
                self._names[domain] = wanted.info["name"]
        self._references: set[str] = set()
        self._given_up = self._stalls = 0
        self._domain, self._over = "", False

    def __call__(self, response: str | None) -> UserTurn:
        """Return what the user says to a response."""
        utterance = self._next_domain() if response is None else self._answer(response)
        self._said = self._behaviour.spoken(utterance, self._manner)
        return self._said, self._over

    def _answer(self, response: str) -> str:
        response = in_context(response[:MOST_HEARD], self._said)
        heard = Heard(response, self._world, self._domain)
        before = self._progress()
        self._take_answers(heard)
        is_news = bool(heard.references - self._references) or self._progress() != before
        if not heard.waits or is_news:
            self._waits = 0
        elif self._waits < self._behaviour.waits:
            self._waits += 1
            return self._say("wait")
        utterance = self._reaction(heard)
        self._references |= heard.references
        self._stalls += 1
        if self._progress() != before:
            self._stalls = 0
        if self._stalls >= self._behaviour.patience:
            utterance = self._give_up()
        return utterance.strip()

    def _take_answers(self, heard: Heard) -> None:
        """Remember which requested slots a response gives of which venue."""
        spoken_of = {self._venue: heard}
        if self._phase == "finding" and heard.offers:
            spoken_of = heard.offers
        for venue, part in spoken_of.items():
            for slot in self._wanted.reqt:
                # Once the user asks for a slot, any words give it.
                is_asked = self._phase == "asking"
                if part.tells(slot) or (is_asked and _pattern("told", slot).search(part.text)):
                    self._given[venue].add(slot)

    def _give_up(self) -> str:
        """Leave the booking, or the domain; the second time, all that is left."""
        self._given_up += 1
        self._stalls = 0
        if self._given_up >= _MOST_GIVEN_UP:
            self._left = []
        words = self._say("give_up")
        return f"{words} {self._ask() if self._phase == 'booking' else self._next_domain()}"

    def _progress(self) -> object:
        """Return what changes with every step towards the goal."""
        asked_for = self._alternative, self._rebooked, len(self._stated)
        return self._domain, self._phase, asked_for, self._missing

    def _next_domain(self) -> str:
        """Begin the next domain, or say goodbye."""
        if not self._left:
            self._over = True
            return self._say("bye")
        openings, thanks = self._script["opening"], ""
        if self._domain:
            openings, thanks = openings["then"], f"{self._say('thanks')} "
        self._domain = self._left.pop(0)
        self._wanted: DomainTask = self._task.domains[self._domain]
        failing = self._wanted.fail_info
        # Whether the constraints, and the slots of the booking, are those that do not fail.
        self._alternative = not failing or bool(self._world.matching(self._domain, failing))
        self._rebooked = not self._wanted.fail_book
        self._phase: Literal["finding", "booking", "asking"] = "finding"
        self._venue = ""
        self._stalls = self._waits = self._in_vain = 0
        # The constraints that were stated, and what else was answered.
        self._stated: set[str] = set()
        # Venue -> requested slots that the agent gave, or does not know.
        self._given: defaultdict[str, set[str]] = defaultdict(set)
        opening = self._chance.choice(openings[self._domain])
        mark = "?" if opening.startswith("Can") else "."
        return f"{thanks}{opening} {self._clauses(self._to_state())}".rstrip() + mark

    def _reaction(self, heard: Heard) -> str:
        if not heard.text.strip():
            return f"{self._say('unclear')} {self._request()}"
        is_new = bool(heard.references - self._references)
        if is_new and self._wanted.book and self._phase != "asking":
            self._choose(next(iter(heard.offers), self._venue), heard)
            return self._ask()
        react = {"finding": self._finding, "booking": self._booking, "asking": self._asking}
        return react[self._phase](heard)

    # ---------------------------------------------------------------------------------- finding

    @property
    def _constraints(self) -> dict[str, str]:
        """The constraints as they are now; a taxi's places are those of the other domains."""
        constraints = dict(self._wanted.info if self._alternative else self._wanted.fail_info)
        if self._domain != "taxi":
            return constraints
        message = " ".join(self._task.message)
        domains = [domain for domain in self._task.domains if domain not in ("taxi", "train")]
        # As in "leave the hotel by 12:00", "arrives the restaurant by the booked time".
        begins = re.findall(r"leave the (\w+)", message)[:1]
        ends = re.findall(r"arrives the (\w+)", message)[:1]
        domains.sort(key=lambda domain: (domain in ends, domain not in begins))
        places = [self._names.get(domain, f"the {domain}") for domain in domains]
        return {**dict(zip(ROUTE, places, strict=False)), **constraints}

    @property
    def _wishes(self) -> dict[str, str]:
        """The constraints and the booking as they are now."""
        wishes = {**self._constraints, **self._wanted.book}
        if not self._rebooked:
            wishes.update(self._wanted.fail_book)
        return wishes

    def _to_state(self, asked: Sequence[str] = ()) -> Sequence[str]:
        """Choose what constraints to state: those that are asked for, or some not stated yet."""
        chosen = list(asked)
        if not asked:
            chosen = [slot for slot in self._constraints if slot not in self._stated]
            self._chance.shuffle(chosen)
            chosen.sort(key=lambda slot: slot not in ("name", *ROUTE))
            if self._domain != "taxi":
                chosen = chosen[: self._behaviour.stated]
        self._stated.update(chosen)
        return chosen

    def _finding(self, heard: Heard) -> str:
        wanted, offers = self._wanted, heard.offers
        if self._domain == "taxi" and (self._given[""] or heard.booked):
            return self._ask()
        pending = [slot for slot in self._constraints if slot not in self._stated]
        if not pending:
            self._in_vain += not offers
        # No venue meets the first constraints: what is offered must be something else.
        is_over = self._in_vain >= _MOST_IN_VAIN or (offers and not pending)
        if not self._alternative and (heard.matches("nothing") or is_over):
            self._alternative = True
            changed = [slot for slot, v in wanted.info.items() if wanted.fail_info.get(slot) != v]
            return self._say("instead", self._clauses(self._to_state(changed)))
        asked = heard.asked(self._wishes)
        if pending or (asked and not offers):
            if offers:
                asked = [slot for slot in asked if slot in pending]
            return self._say("more", self._clauses(self._to_state(asked)))
        if not offers and heard.offers_train(self._constraints):
            offers = {"": heard}
        wrong = {venue: part.contradicted(self._constraints) for venue, part in offers.items()}
        fitting = [venue for venue, slots in wrong.items() if not slots]
        if fitting:
            # A venue that is not refused at once comes first.
            self._choose(min(fitting, key=lambda venue: offers[venue].matches("refused")), heard)
            phrase = "choose" if len(offers) > 1 else "accept"
            words = self._say(phrase, self._names.get(self._domain, ""))
            self._phase = "booking"
            self._in_vain = 0
            return f"{words} {self._request()}" if wanted.book else self._ask(words)
        # There may be no other venue than the one that it asked to replace.
        if self._venue and heard.matches("nothing"):
            return self._ask()
        if not wrong:
            words = f"{self._small_talk(heard)} {self._request()}"
        else:
            words = self._say("object", self._clauses(next(iter(wrong.values()))))
        return words

    def _choose(self, venue: str, heard: Heard) -> None:
        self._venue = venue
        if venue in heard.names:
            self._names[self._domain] = heard.names[venue]

    def _request(self) -> str:
        """Return what the user wants now, in one sentence: it may have to repeat it."""
        if self._phase == "asking":
            return self._say("ask", _listed(self._missing))
        if self._phase == "finding" and self._domain != "taxi":
            return self._say("recommend", self._clauses(self._constraints))
        slots, end = list(self._wanted.book or self._constraints), "."
        if self._behaviour.cut and self._wanted.book and "cut" not in self._stated:
            self._stated.add("cut")
            slots, end = slots[:1], self._behaviour.cut
        return f"{self._script['booking'][self._domain]} {self._clauses(slots)}{end}"

    # ----------------------------------------------------------------------- booking and asking

    def _booking(self, heard: Heard) -> str:
        is_refused, asks = heard.matches("refused"), heard.matches("question")
        self._in_vain += not heard.booked
        is_over = is_refused or not asks or self._in_vain >= _MOST_IN_VAIN
        # Where the task has the booking refused first, any answer that does not book refuses it.
        if not self._rebooked and not heard.booked and is_over:
            self._rebooked = True
            return self._say("rebook", self._clauses(self._wanted.fail_book))
        if heard.booked:
            return self._say("reference")
        others = [venue for venue in heard.offers if venue != self._venue]
        self._choose(next(iter(others), self._venue), heard)
        if is_refused and not asks:
            return f"{self._say('retry')} {self._request()}"
        return f"{self._small_talk(heard)} {self._request()}"

    @property
    def _missing(self) -> list[str]:
        """The requested slots that the agent has not given yet."""
        return [slot for slot in self._wanted.reqt if slot not in self._given[self._venue]]

    def _asking(self, heard: Heard) -> str:
        if says_unknown(heard.text):
            unknown = [slot for slot in self._missing if slot in SPANS]
            self._given[self._venue].update(self._missing)
            is_open = NAMING_SLOTS.get(self._domain) == "NAME" and "name" not in self._constraints
            if unknown and is_open and not self._wanted.book and "another" not in self._stated:
                self._stated.add("another")
                self._phase = "finding"
                return self._say("another", _listed(unknown))
        return self._ask(self._small_talk(heard))

    def _ask(self, words: str = "") -> str:
        """Ask for what is missing, after some words, or go on to the next domain."""
        self._phase = "asking"
        return f"{words} {self._request()}" if self._missing else self._next_domain()

    def _small_talk(self, heard: Heard) -> str:
        """Answer what the goal does not mention."""
        kinds = heard.asked(self._script["small_talk"], "small_talk")
        if not kinds and self._phase == "finding":
            asked = heard.asked(self._script["asked"])
            self._stated.update(asked)
            if asked:
                kinds = ["open"]
        self._stated.update(kinds)
        return " ".join(map(self._say, kinds))

    def _say(self, key: str, filled: str = "") -> str:
        phrase: str = self._chance.choice(self._script["say"][key])
        return phrase.format(filled).replace(" .", ".").replace(" ?", "?")

    def _clauses(self, slots: Iterable[str]) -> str:
        """Return slots and their values as words that follow a noun."""
        phrases, values = self._script["constraint"], self._wishes
        clauses: list[str] = []
        for slot in slots:
            form = phrases.get(f"{slot}={values[slot]}", phrases[slot])
            clauses.append(form.format(values[slot]))
        return " ".join(clauses)


@cache
def scripted_user(behaviour: str) -> UserMaker:
    """Return what makes the scripted user with a behaviour, which does not cooperate.

    Raises:
        InputError: There is no such behaviour.
    """
    if behaviour not in behaviours():
        problem = unknown("behaviour", behaviour, behaviours())
        raise InputError(f"user scripted:{behaviour}", problem)
    return partial(ScriptedUser, behaviour=behaviours()[behaviour])


@cache
def scripted_users() -> Mapping[str, UserMaker]:
    """Return what makes each scripted user, by what records call it."""
    users: dict[str, UserMaker] = {script_name("user"): ScriptedUser}
    for name in behaviours():
        users[script_name("user", name)] = scripted_user(name)
    return users


def _listed(slots: Sequence[str]) -> str:
    """Return what slots are called, in a list."""
    names = [script("user")["request"].get(slot, slot) for slot in slots]
    if len(names) > 1:
        names = [", ".join(names[:-1]), names[-1]]
    return " and ".join(names)


class Heard:
    """What the user makes of a response, or of what it says of one venue.

    Args:
        text: The words.
        world: The benchmark.
        domain: The domain that the user speaks of.

    Attributes:
        names: Venues of the domain -> what the text calls them.
        references: The reference numbers in it.
        times: The times of the day in it, in minutes.
        booked: Whether a sentence says that something is booked, and neither asks nor refuses.
        waits: Whether it ends by asking for patience, and says nothing else that matters.
    """

    def __init__(self, text: str, world: World, domain: str) -> None:
        self.text = text.replace("’", "'")
        self._world, self._domain, self._rules = world, domain, world.scorer.rules
        self._delexicalised = world.delexicalise(text)
        self._named: list[Span] = []
        self.names: dict[str, str] = {}
        self.references: set[str] = set()
        for span in self._delexicalised.spans:
            # The database need not have a train that is named, but has other venues.
            domains = {"train", *(venue.domain for venue in span.venues)}
            is_named = span.slot == NAMING_SLOTS.get(domain) and domain in domains
            if is_named and not is_closed(self._delexicalised.original, span.end):
                self._named.append(span)
                self.names[span.value] = text[span.start : span.end].strip("*_ ")
            elif span.slot == "REFERENCE" and not self._is_conditional(span):
                self.references.add(span.value)
        self.times = measures_of(requests()["leave"], self.text)
        # Lists of things to tell belong to the sentence before.
        between = r"(?<=[.?!])\s+|(?<!\s)[^\S\n]*\n\s*(?![\s\-*•\d])"
        sentences = re.split(between, self.text.strip())
        asks = _pattern("understood", "question").search
        books = _pattern("understood", "booked").search
        refuses = _pattern("understood", "refused").search
        self._questions: list[str] = []
        self._statements: list[str] = []
        self.booked = False
        for sentence in sentences:
            if asks(sentence):
                self._questions.append(sentence)
                continue
            self._statements.append(sentence)
            if books(sentence) and not refuses(sentence):
                self.booked = True
        is_refused = self.matches("nothing") or self.matches("refused")
        is_news = bool(self.names or self.booked or self._questions or is_refused)
        waits = _pattern("understood", "wait").search(sentences[-1])
        self.waits = waits is not None and not is_news

    def _is_conditional(self, span: Span) -> bool:
        """Return whether a reference number is one only once the user agrees, or gives it."""
        before = re.split(r"[.?!]\s", self._delexicalised.original[: span.start])[-1]
        return _pattern("understood", "condition").search(before) is not None

    @cached_property
    def offers(self) -> dict[str, Heard]:
        """Venues -> the part of the response on each: of several, from its name to the next."""
        if len(self.names) < 2:
            return dict.fromkeys(self.names, self)
        parts = dict.fromkeys(self.names, "")
        start = 0
        for span, next_span in zip_longest(self._named, self._named[1:]):
            end = len(self.text) if next_span is None else next_span.start
            parts[span.value] += f" {self.text[start:end]}"
            start = end
        return {venue: Heard(part, self._world, self._domain) for venue, part in parts.items()}

    def offers_train(self, constraints: Mapping[str, str]) -> bool:
        """Return whether it offers a train by times alone, others than those of constraints."""
        bounds = [minutes(constraints[slot]) for slot in TIMES if slot in constraints]
        for sentence in self._statements:
            offered = re.sub(r"\b(?:after|before|by) \d[\d:.]*", "", sentence)
            times = measures_of(requests()["leave"], offered)
            if _pattern("understood", "train").search(sentence) and set(times).difference(bounds):
                return self._domain == "train"
        return False

    def matches(self, kind: str) -> bool:
        """Return whether it says something of a kind, of the table `understood`."""
        return _pattern("understood", kind).search(self.text) is not None

    def asked(self, slots: Iterable[str], table: str = "asked") -> list[str]:
        """Return which of some slots it asks for."""
        questions = " ".join(self._questions)
        for name in self.names.values():
            questions = questions.replace(name, "")
        return [slot for slot in slots if _pattern(table, slot).search(questions)]

    def tells(self, slot: str) -> bool:
        """Return whether it tells a slot: what is in its venue's records, or has a clear form."""
        is_drivers = (self._domain, slot) == ("taxi", "phone")
        if slot in SPANS and not is_drivers:
            return any(span.slot == SPANS[slot] for span in self._delexicalised.spans)
        request = requests()[normalize_slot_name(slot, self._rules)]
        text = request.words(self._delexicalised)
        if request.record is None:
            return request.is_told(text)
        if not self._named:
            return slot not in TIMES and request.tells_any(text)
        for span in self._named:
            for venue in span.venues:
                facts = self._world.delexicalise.gazetteer.venues[venue].facts
                values = facts.get(request.record, ())
                if any(request.is_told(text, value) for value in values):
                    return True
        return False

    def values(self, slot: str, wanted: str) -> Collection[str]:
        """Return the values that it says a slot has; none if the one that is wanted is among them.

        Names, addresses and numbers of venues tell no other value.
        """
        if slot == "name":
            return self.names
        request = requests().get(slot)

        def is_said(text: str, value: str) -> bool:
            if request is None:
                return value in text.lower()
            return request.is_told(text, value)

        if slot in ROUTE or is_said(self.text, wanted):
            return ()
        text = self.text
        for span in reversed(self._delexicalised.spans):
            if span.venues:
                text = text[: span.start] + text[span.end :]
        return [value for value in self._world.values(self._domain, slot) if is_said(text, value)]

    def contradicted(self, constraints: Mapping[str, str]) -> list[str]:
        """Return the constraints that what it says contradicts."""
        contradicted, matching = [], partial(self._world.matching, self._domain)
        for slot, value in constraints.items():
            if slot in TIMES:
                is_contradicted = self.misses(slot, value)
            else:
                values = self.values(slot, value)
                venues: set[str] = set()
                for other in values:
                    venues.update(matching({slot: other}))
                is_contradicted = bool(values) and venues.isdisjoint(matching({slot: value}))
            if is_contradicted:
                contradicted.append(slot)
        return contradicted

    def misses(self, slot: str, bound: str) -> bool:
        """Return whether it leaves before, or arrives after, a time.

        Two times are those of departure and arrival. Of any other number, all have to miss it.
        """
        if not self.times:
            return False
        leaves, arrives = max(self.times), min(self.times)
        if len(self.times) == 2:
            leaves, arrives = arrives, leaves
            if arrives - leaves > 12 * 60:
                # It arrives after midnight.
                leaves, arrives = arrives, leaves + 24 * 60
        if slot == "leaveAt":
            return leaves < minutes(bound)
        return arrives > minutes(bound)


def person_at_terminal(task: Task, world: World, seed: str) -> User:
    """Return a person who plays the user at the terminal. An empty line ends the dialogue."""
    lines = "\n".join(f"  {line}." for line in task.message)
    # Standard output is for figures.
    print(f"\n{task.id}\n{lines}\nAn empty line ends the dialogue.\n", file=sys.stderr)

    def turn(response: str | None) -> UserTurn:
        before = "" if response is None else f"agent: {response}\n"
        print(f"{before}you: ", end="", file=sys.stderr, flush=True)
        text = sys.stdin.readline().strip()
        return text or "Goodbye.", not text

    return turn
