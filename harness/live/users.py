"""Users of live dialogues without a language model: one by script, and a person at the terminal.

The scripted user works through the goal domain by domain, in the order of the instructions: it
states its constraints, takes what fits, books it, asks for what it was not told, and goes on to
the goal's alternatives where nothing is found or a booking is refused. It knows the agent by its
words alone: names, numbers and codes as the delexicaliser finds them, values as grounded scores
do, and the patterns of `user.toml`, which also has its phrases. What is said to contradict its
constraints it does not take. It says goodbye when it has everything, or when it gave something up
for the second time: after three turns without progress each.

Its constraints are those of `fail_info` first, where no venue meets them: the data set has such
that some venue meets, which the instructions do not mention.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, cached_property

from mwz.normalization.states import minutes, normalize_slot_name, normalize_value

from ..data.tasks import DomainTask, Task
from ..grounding.grounded import NAMING_SLOTS, told_text
from ..grounding.requested import requests
from .tools import NAMED, ROUTE, TIMES
from .world import UserTurn, World, script

_PATIENCE = 3
"""Turns without progress after which the user gives something up."""

_MOST_GIVEN_UP = 2
_FIRST_STATED = 3
"""How many constraints the user states in one turn at most, where not asked."""

_SPANS = {"phone": "PHONE", "address": "ADDRESS", "postcode": "POST", "trainID": "TRAINID"}
"""Slots that the delexicaliser finds; whether others are told, grounded scores say."""

FIND, BOOK, ASK = "find", "book", "ask"


class ScriptedUser:
    """A user by script: what it says depends on the task, the seed and the responses alone.

    Args:
        task: What it wants.
        world: The benchmark, which says whether a venue meets constraints, and what names are.
        seed: What the choice of words depends on.
    """

    def __init__(self, task: Task, world: World, seed: str) -> None:
        self._task = task
        self._world = world
        self._chance = random.Random(f"{seed} {task.id}")
        self._left = list(task.domains)
        self._names = {d: one.info["name"] for d, one in task.domains.items() if "name" in one.info}
        self._references: set[str] = set()
        self._given_up = self._stalls = 0
        self._domain = ""
        self._over = False

    def turn(self, response: str | None) -> UserTurn:
        """Return what the user says to a response."""
        if response is None:
            return UserTurn(self._next_domain())
        heard = _Heard(response, self._world, self._domain)
        before = self._progress()
        about = heard.offers if self._phase == FIND and heard.offers else {self._venue: heard}
        for venue, part in about.items():
            self._told[venue].update(slot for slot in self._wanted.reqt if self._tells(part, slot))
        said = self._reaction(heard)
        self._references |= heard.references
        self._stalls = self._stalls + 1 if before == self._progress() else 0
        if self._stalls >= _PATIENCE:
            said = self._give_up()
        return UserTurn(said.strip(), ends=self._over)

    def _progress(self) -> object:
        done = (self._domain, self._phase, len(self._stated), self._alternative, self._rebooked)
        return *done, self._asked, len(self._answered), *self._missing

    def _next_domain(self) -> str:
        """Begin the next domain, or say goodbye."""
        if not self._left:
            self._over = True
            return self._say("bye")
        openings = script("user")["opening"]["then"] if self._domain else script("user")["opening"]
        thanks = f"{self._say('thanks')} " if self._domain else ""
        self._domain = self._left.pop(0)
        self._wanted: DomainTask = self._task.domains[self._domain]
        failing = self._wanted.fail_info
        met = self._world.tools.matching(self._domain, failing) if failing else ["any"]
        self._alternative, self._rebooked = bool(met), not self._wanted.fail_book
        self._phase, self._stalls, self._venue = FIND, 0, ""
        self._stated: set[str] = set()
        self._asked: tuple[str, ...] = ()
        # What else was answered, each once: it is progress.
        self._answered: set[str] = set()
        # Venue -> what was told of it, or that it is not known.
        self._told: defaultdict[str, set[str]] = defaultdict(set)
        opening = self._chance.choice(openings[self._domain])
        mark = "?" if opening.startswith("Can") else "."
        return f"{thanks}{opening} {self._clauses(self._to_state())}".rstrip() + mark

    def _give_up(self) -> str:
        self._given_up += 1
        self._stalls = 0
        if self._given_up >= _MOST_GIVEN_UP:
            self._left = []
        return self._ask() if self._phase == BOOK else self._next_domain()

    def _reaction(self, heard: _Heard) -> str:
        if not heard.text.strip():
            return f"{self._say('unclear')} {self._request()}"
        if heard.waits and not heard.offers:
            self._answered.add(f"wait {len(self._answered)}")
            return self._say("wait")
        if self._phase == ASK:
            return self._asking(heard)
        return self._booking(heard) if self._phase == BOOK else self._finding(heard)

    # ---------------------------------------------------------------------------------- finding

    @property
    def _constraints(self) -> dict[str, str]:
        """The constraints as they are now; a taxi's places are those of the other domains."""
        wanted = dict(self._wanted.info if self._alternative else self._wanted.fail_info)
        return {**self._places(), **wanted} if self._domain == "taxi" else wanted

    @property
    def _wishes(self) -> dict[str, str]:
        """The constraints and the booking as they are now."""
        failing = {} if self._rebooked else self._wanted.fail_book
        return {**self._constraints, **self._wanted.book, **failing}

    def _places(self) -> dict[str, str]:
        """Return where a taxi between two places goes from and to: the venues of the others."""
        message = " ".join(self._task.message)
        known = [d for d in self._task.domains if d not in ("taxi", "train")]
        for pattern, first in ((r"leave the (\w+)", True), (r"arrives the (\w+)", False)):
            said = re.search(pattern, message)
            known.sort(key=lambda d: said is not None and (d == said[1]) != first)
        return {slot: self._names.get(d, f"the {d}") for slot, d in zip(ROUTE, known, strict=False)}

    def _to_state(self, asked: Sequence[str] = ()) -> Sequence[str]:
        """Choose what constraints to state: those that are asked for, or some not stated yet."""
        chosen = asked
        if not chosen:
            left = [slot for slot in self._constraints if slot not in self._stated]
            self._chance.shuffle(left)
            left.sort(key=lambda slot: slot not in ("name", *ROUTE))
            chosen = left[: len(left) if self._domain == "taxi" else _FIRST_STATED]
        self._stated.update(chosen)
        return chosen

    def _finding(self, heard: _Heard) -> str:
        wanted, offers = self._wanted, heard.offers
        if self._domain == "taxi" and (self._told[""] or heard.booked):
            return self._ask()
        if wanted.book and heard.references - self._references:
            # It is booked already.
            self._choose(next(iter(offers), ""), heard)
            return self._ask()
        pending = [slot for slot in self._constraints if slot not in self._stated]
        # No venue meets the first constraints: what is offered must be something else.
        if not self._alternative and (heard.is_("nothing") or (offers and not pending)):
            self._alternative = True
            changed = [s for s, v in wanted.info.items() if wanted.fail_info.get(s) != v]
            return self._say("instead", self._clauses(self._to_state(changed)))
        asked = heard.asked(self._wishes)
        if pending or (asked and not offers):
            asked = [slot for slot in asked if slot in pending or not offers]
            return self._say("more", self._clauses(self._to_state(asked)))
        if self._domain == "train" and heard.times:
            offers = offers or {"": heard}
        wrong = {venue: self._contradicted(venue, part) for venue, part in offers.items()}
        fitting = [venue for venue, slots in wrong.items() if not slots]
        fitting.sort(key=lambda venue: offers[venue].is_("refused"))
        if fitting:
            self._choose(fitting[0], heard)
            words = self._say("choose" if len(offers) > 1 else "accept", self._names[self._domain])
            if not wanted.book:
                return self._ask(words)
            self._phase = BOOK
            return f"{words} {self._request()}"
        if wrong:
            return self._say("object", self._clauses(next(iter(wrong.values()))))
        if self._venue and heard.is_("nothing"):
            # It asked for another venue, and there is none.
            return self._ask()
        words, open_ = self._small_talk(heard), heard.asked(script("user")["asked"])
        self._answered.update(open_)
        return f"{words or (self._say('open') if open_ else '')} {self._request()}"

    def _choose(self, venue: str, heard: _Heard) -> None:
        self._venue = venue
        self._names[self._domain] = heard.names.get(venue, venue)

    def _contradicted(self, venue: str, part: _Heard) -> list[str]:
        """Return the constraints that what is said of a venue contradicts, as far as it does."""
        tools, wrong = self._world.tools, []
        for slot, value in self._constraints.items():
            if slot == "name":
                contradicts = not tools.same(slot, venue, value)
            elif slot in TIMES:
                contradicts = part.misses(slot, value)
            else:
                known = slot in ROUTE or part.says(slot, value)
                values = () if known else tools.values(self._domain, slot, {})
                said = {one for one in values if part.says(slot, one, bare=True)}
                meeting = tools.values(self._domain, slot, {slot: value}) if said else said
                contradicts = said and not said & meeting
            if contradicts:
                wrong.append(slot)
        return wrong

    def _request(self) -> str:
        """Return the wish of the present phase in one sentence, as often as it takes."""
        if self._phase == ASK:
            return self._say("ask", _listed(self._missing))
        if self._phase == FIND and self._domain != "taxi":
            return self._say("recommend", self._clauses(list(self._constraints)))
        slots = [slot for slot in self._wishes if self._phase == FIND or slot in self._wanted.book]
        return f"{script('user')['booking'][self._domain]} {self._clauses(slots)}."

    # ----------------------------------------------------------------------- booking and asking

    def _booking(self, heard: _Heard) -> str:
        if heard.references - self._references:
            return self._ask()
        refused = heard.is_("refused")
        # However an agent says it: what is not booked was refused, where the task is to be.
        if not (self._rebooked or heard.booked) and (refused or not heard.is_("question")):
            self._rebooked = True
            return self._say("rebook", self._clauses(self._wanted.fail_book))
        if heard.booked:
            return self._say("reference")
        for venue in heard.offers.keys() - {self._venue}:
            self._choose(venue, heard)
        words = self._small_talk(heard) or (self._say("retry") if refused else "")
        return f"{words} {self._request()}"

    @property
    def _missing(self) -> list[str]:
        """The slots that it has yet to be told."""
        return [slot for slot in self._wanted.reqt if slot not in self._told[self._venue]]

    def _tells(self, heard: _Heard, slot: str) -> bool:
        """Whether it is told a slot; once it asked for it, in whatever words."""
        asked = self._phase == ASK and slot in self._asked
        return heard.tells(slot) or (asked and _finds("told", slot, heard.text))

    def _asking(self, heard: _Heard) -> str:
        if heard.is_("unknown"):
            unknown = [slot for slot in self._missing if slot in _SPANS]
            again = "another" in self._answered or "name" in self._constraints
            if unknown and self._domain in NAMED and not (self._wanted.book or again):
                self._answered.add("another")
                self._phase = FIND
                return self._say("another", _listed(unknown))
            self._told[self._venue].update(self._missing)
        return self._ask(self._small_talk(heard))

    def _ask(self, words: str = "") -> str:
        """Ask for what is missing, after some words, or go on to the next domain."""
        self._phase = ASK
        if not self._missing:
            return self._next_domain()
        self._asked = tuple(self._missing)
        return f"{words} {self._request()}"

    def _small_talk(self, heard: _Heard) -> str:
        """Answer what goals say nothing of."""
        kinds = heard.asked(script("user")["small_talk"], "small_talk")
        kinds = [kind for kind in kinds if kind != "confirm" or self._phase != ASK]
        self._answered.update(kinds)
        return " ".join(self._say(kind) for kind in kinds)

    def _say(self, what: str, filled: str = "") -> str:
        phrase: str = self._chance.choice(script("user")["say"][what])
        return phrase.format(filled).replace(" .", ".").replace(" ?", "?")

    def _clauses(self, slots: Iterable[str]) -> str:
        """Return slots and their values as words that follow a noun."""
        phrases, values = script("user")["constraint"], self._wishes
        put = {slot: phrases.get(f"{slot}={values[slot]}", phrases[slot]) for slot in slots}
        return " ".join(phrase.format(values[slot]) for slot, phrase in put.items())


def _listed(slots: Sequence[str]) -> str:
    """Return what slots are called, in a list."""
    names = [script("user")["request"].get(slot, slot) for slot in slots]
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])


@cache
def _pattern(table: str, name: str) -> re.Pattern[str]:
    return re.compile(script("user")[table].get(name, r"(?!)"), re.IGNORECASE)


def _finds(table: str, name: str, text: str) -> bool:
    return _pattern(table, name).search(text) is not None


class _Heard:
    """What the user makes of a response, or of what it says of one venue.

    Args:
        text: The words.
        world: The benchmark.
        domain: The domain that the user speaks of.

    Attributes:
        names: Venues of the domain -> what the text calls them.
        references: The reference numbers in it.
    """

    def __init__(self, text: str, world: World, domain: str) -> None:
        self.text = text.replace("’", "'")
        self._world, self._domain = world, domain
        self._delexicaliser = world.scorer.delexicaliser()
        self._found = self._delexicaliser(text)
        naming = NAMING_SLOTS.get(domain)
        spans = [span for span in self._found.spans if span.slot == naming]
        # A train need not be in the database; a name is one of a venue of the domain.
        own = [s for s in spans if domain == "train" or domain in {v.domain for v in s.venues}]
        self._own = own
        self.names = {s.value: text[s.start : s.end].strip("*_ ") for s in reversed(own)}
        self.references = {s.value for s in self._found.spans if s.slot == "REFERENCE"}
        self._sentences = re.findall(r"[^.?!]+[.?!]*", self.text)
        self._questions = [s for s in self._sentences if _finds("understood", "question", s)]

    @cached_property
    def offers(self) -> dict[str, _Heard]:
        """Venues -> what is said of each: of several, from its name to the next."""
        if len(self.names) < 2:
            return dict.fromkeys(self.names, self)
        ends = [*(span.start for span in self._own[1:]), len(self.text)]
        parts: dict[str, str] = {}
        for start, end, span in zip([0, *ends], ends, self._own, strict=False):
            parts[span.value] = f"{parts.get(span.value, '')} {self.text[start:end]}"
        return {v: _Heard(part, self._world, self._domain) for v, part in parts.items()}

    @cached_property
    def times(self) -> list[int]:
        """The times of the day in it, in minutes, in order."""
        told = [s.value for s in self._found.spans if s.slot == "TIME" and ":" in s.value]
        rules = self._world.scorer.rules
        return sorted(minutes(normalize_value("leave", time, rules)) for time in told)

    @property
    def booked(self) -> bool:
        """Whether a sentence says that something is booked, and neither asks nor refuses."""
        told = (s for s in self._sentences if s not in self._questions)
        said = (s for s in told if _finds("understood", "booked", s))
        return any(not _finds("understood", "refused", s) for s in said)

    @property
    def waits(self) -> bool:
        """Whether it ends by asking for patience."""
        last = self._sentences[-1] if self._sentences else ""
        return last not in self._questions and _finds("understood", "wait", last)

    def is_(self, kind: str) -> bool:
        """Whether it says something of a kind, of the table `understood`."""
        return _finds("understood", kind, self.text)

    def asked(self, slots: Iterable[str], table: str = "asked") -> list[str]:
        """Return which of some slots it asks for."""
        return [s for s in slots if any(_finds(table, s, one) for one in self._questions)]

    def tells(self, slot: str) -> bool:
        """Whether it tells a slot: what has a clear form, and else what its venue's records say."""
        if slot in _SPANS:
            return any(span.slot == _SPANS[slot] for span in self._found.spans)
        request = requests()[normalize_slot_name(slot, self._world.scorer.rules)]
        text = told_text(self._found, request.names)
        if request.record is None:
            return request.is_told(text)
        ids = {venue for span in self._own for venue in span.venues}
        facts = [self._delexicaliser.gazetteer.venues[id_].facts for id_ in ids]
        return any(request.is_told(text, v) for one in facts for v in one.get(request.record, ()))

    def says(self, slot: str, value: str, bare: bool = False) -> bool:
        """Whether it says that a slot has a value; bare of names, addresses and numbers or not."""
        text = self.text
        for span in reversed(self._found.spans if bare else ()):
            text = text[: span.start] + text[span.end :] if span.venues else text
        request = requests().get(slot)
        return request.is_told(text, value) if request else value in text.lower()

    def misses(self, slot: str, bound: str) -> bool:
        """Whether its times are too early or late: of two, the train leaves first; else all are."""
        if not self.times:
            return False
        first, last = (self.times[0], self.times[-1])[:: 1 if len(self.times) == 2 else -1]
        return first < minutes(bound) if slot == "leaveAt" else last > minutes(bound)


class PersonAtTerminal:
    """A person who plays the user at the terminal. An empty line ends the dialogue."""

    def __init__(self, task: Task, world: World, seed: str) -> None:
        lines = "\n".join(f"  {line}." for line in task.message)
        # Figures may go to standard output.
        print(f"\n{task.id}\n{lines}\nAn empty line ends the dialogue.\n", file=sys.stderr)

    def turn(self, response: str | None) -> UserTurn:
        """Show a response, and return what is typed."""
        before = "" if response is None else f"agent: {response}\n"
        print(f"{before}you: ", end="", file=sys.stderr, flush=True)
        text = sys.stdin.readline().strip()
        return UserTurn(text or "Goodbye.", ends=not text)
