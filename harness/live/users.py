"""Users of live dialogues without a language model: one by script, and a person at the terminal.

The scripted user works through the goal domain by domain, in the order of the instructions: it
states its constraints, takes what fits, books it, asks for what it wants to know, and goes on to
the goal's alternatives where nothing is found or a booking is refused. It knows the agent by its
words alone: names, numbers and codes as the delexicaliser finds them, and the patterns of
`user.toml`, which also has its phrases. It says goodbye when it has everything, or when it gave
something up for the second time: after three turns without progress each.

Its constraints are those of `fail_info` first, where no venue meets them: the data set has such
that some venue meets, which the instructions do not mention.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..data.tasks import DomainTask, Task
from ..grounding.grounded import NAMING_SLOTS
from .tools import ROUTE
from .world import UserTurn, World, script

if TYPE_CHECKING:
    from mwz.normalization.delexicaliser import Delexicalised

_PATIENCE = 3
"""Turns without progress after which the user gives something up."""

_MOST_GIVEN_UP = 2
_FIRST_STATED = 3
"""How many constraints the user states in one turn at most, where not asked."""

_SPANS = {"phone": "PHONE", "address": "ADDRESS", "postcode": "POST", "trainID": "TRAINID"}
FIND, BOOK, ASK = "find", "book", "ask"


class ScriptedUser:
    """A user by script.

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
        self._given_up = self._stalls = 0
        self._domain = ""
        self._over = False

    def turn(self, response: str | None) -> UserTurn:
        """Return what the user says to a response."""
        if response is None:
            return UserTurn(self._next_domain())
        heard = _Heard(response, self._world.scorer.delexicaliser()(response), self._domain)
        before = self._progress()
        said = self._reaction(heard)
        self._stalls = self._stalls + 1 if before == self._progress() else 0
        if self._stalls >= _PATIENCE:
            said = self._give_up()
        return UserTurn(said.strip(), ends=self._over)

    def _progress(self) -> object:
        done = (self._domain, self._phase, len(self._stated), self._alternative, self._rebooked)
        return *done, self._asked, *self._missing

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
        self._phase, self._stalls = FIND, 0
        self._stated: set[str] = set()
        self._asked: tuple[str, ...] = ()
        self._missing = list(self._wanted.reqt)
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
        if self._phase == ASK:
            if heard.is_("unknown"):
                self._missing = []
            return self._ask(heard=heard, asked=self._asked)
        return self._booking(heard) if self._phase == BOOK else self._finding(heard)

    # ---------------------------------------------------------------------------------- finding

    @property
    def _constraints(self) -> dict[str, str]:
        """The constraints as they are now; a taxi's places are those of the other domains."""
        wanted = dict(self._wanted.info if self._alternative else self._wanted.fail_info)
        return {**self._places(), **wanted} if self._domain == "taxi" else wanted

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
        wanted, named = self._wanted, heard.named
        if self._domain == "taxi" and (heard.tells("phone") or heard.tells("car type", True)):
            return self._ask(heard=heard, asked=self._missing)
        pending = [slot for slot in self._constraints if slot not in self._stated]
        # No venue meets the first constraints: what is offered must be something else.
        if not self._alternative and (heard.is_("nothing") or (named and not pending)):
            self._alternative = True
            changed = [s for s, v in wanted.info.items() if wanted.fail_info.get(s) != v]
            return self._say("instead", self._clauses(self._to_state(changed)))
        asked = heard.asked(self._constraints)
        if pending or (asked and not named):
            asked = [slot for slot in asked if slot in pending or not named]
            return self._say("more", self._clauses(self._to_state(asked)))
        if named:
            words = self._say("choose", named[0]) if len(named) > 1 else self._say("accept")
            self._names[self._domain] = named[0]
            if not wanted.book:
                return self._ask(words, heard)
            self._missing = [slot for slot in self._missing if not heard.tells(slot)]
            self._phase = BOOK
            return f"{words} {self._request()}"
        open_ = heard.asked(script("user")["asked"])
        return f"{self._say('open') if open_ else ''} {self._request()}"

    def _request(self) -> str:
        """Return the wish of the present phase in one sentence, as often as it takes."""
        if self._phase == FIND:
            return self._say("recommend", self._clauses(list(self._constraints)))
        if self._phase == BOOK:
            slots = self._book_slots
            return f"{script('user')['booking'][self._domain]} {_clauses(slots, slots)}."
        names = [script("user")["request"].get(slot, slot) for slot in self._missing]
        some = [", ".join(names[:-1])] if len(names) > 1 else []
        return self._say("ask", " and ".join([*some, names[-1]]))

    # ----------------------------------------------------------------------- booking and asking

    @property
    def _book_slots(self) -> dict[str, str]:
        return {**self._wanted.book, **({} if self._rebooked else self._wanted.fail_book)}

    def _booking(self, heard: _Heard) -> str:
        if "REFERENCE" in heard.told:
            return self._ask(heard=heard)
        refused = heard.is_("refused")
        # However an agent says it: what is not booked was refused, where the task is to be.
        undecided = not (heard.is_("booked") or heard.is_("question"))
        if not self._rebooked and (refused or undecided):
            self._rebooked = True
            return self._say("rebook", _clauses(self._wanted.fail_book, self._book_slots))
        if heard.is_("booked") and not refused:
            return self._say("reference")
        if heard.named:
            self._names[self._domain] = heard.named[0]
        return f"{self._say('retry') if refused else ''} {self._request()}"

    def _ask(
        self, words: str = "", heard: _Heard | None = None, asked: Collection[str] = ()
    ) -> str:
        """Ask for what is missing, or go on to the next domain.

        Args:
            words: What to say first.
            heard: What was just said, which may tell some of it.
            asked: What had been asked for before.
        """
        self._phase = ASK
        if heard is not None:
            self._missing = [s for s in self._missing if not heard.tells(s, s in asked)]
        if not self._missing:
            return self._next_domain()
        self._asked = tuple(self._missing)
        return f"{words} {self._request()}"

    def _say(self, what: str, filled: str = "") -> str:
        phrase: str = self._chance.choice(script("user")["say"][what])
        return phrase.format(filled).replace(" .", ".").replace(" ?", "?")

    def _clauses(self, slots: Iterable[str]) -> str:
        return _clauses(slots, self._constraints)


def _clauses(slots: Iterable[str], values: Mapping[str, str]) -> str:
    """Return slots and their values as words that follow a noun."""
    phrases = script("user")["constraint"]
    put = {slot: phrases.get(f"{slot}={values[slot]}", phrases[slot]) for slot in slots}
    return " ".join(phrase.format(values[slot]) for slot, phrase in put.items())


@cache
def _pattern(table: str, name: str) -> re.Pattern[str]:
    return re.compile(script("user")[table].get(name, r"(?!)"), re.IGNORECASE)


class _Heard:
    """What the user makes of a response.

    Args:
        text: The response.
        found: What the delexicaliser finds in it.
        domain: The domain that the user speaks of.
    """

    def __init__(self, text: str, found: Delexicalised, domain: str) -> None:
        self.text = text.replace("’", "'")
        self.told = {span.slot for span in found.spans}
        naming = NAMING_SLOTS.get(domain)
        spans = [span for span in found.spans if span.slot == naming]
        # A train need not be in the database; a name is one of a venue of the domain.
        own = [s for s in spans if domain == "train" or domain in {v.domain for v in s.venues}]
        self.named = list(dict.fromkeys(text[s.start : s.end].strip("*_ ") for s in own))

    def is_(self, kind: str) -> bool:
        """Whether it says something of a kind, of the table `understood`."""
        return bool(_pattern("understood", kind).search(self.text))

    def tells(self, slot: str, asked: bool = False) -> bool:
        """Whether it tells a slot; of those without a clear form only once asked for."""
        if slot in _SPANS:
            return _SPANS[slot] in self.told
        return asked and bool(_pattern("told", slot).search(self.text))

    def asked(self, slots: Iterable[str]) -> list[str]:
        """Return which of some slots it asks for."""
        sentences = re.findall(r"[^.?!]+[.?!]*", self.text)
        questions = [one for one in sentences if _pattern("understood", "question").search(one)]
        return [s for s in slots if any(_pattern("asked", s).search(one) for one in questions)]


class PersonAtTerminal:
    """A person who plays the user at the terminal. An empty line ends the dialogue."""

    def __init__(self, task: Task, world: World, seed: str) -> None:
        print(f"\n{task.id}\n" + "\n".join(f"  {line}." for line in task.message))
        print("An empty line ends the dialogue.\n")

    def turn(self, response: str | None) -> UserTurn:
        """Show a response, and return what is typed."""
        if response is not None:
            print(f"agent: {response}")
        try:
            text = input("you: ").strip()
        except EOFError:
            text = ""
        return UserTurn(text or "Goodbye.", ends=not text)
