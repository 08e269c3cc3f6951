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
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules.registry import digest_of_json, read_toml

from ..data.tasks import DomainTask, Task
from .environment import UserTurn, World

if TYPE_CHECKING:
    from mwz.normalization.delexicaliser import Delexicalised

_PATIENCE = 3
"""Turns without progress after which the user gives something up."""

_MOST_GIVEN_UP = 2
_FIRST_STATED = 3
"""How many constraints the user states in one turn at most, where not asked."""

_SPANS = {"phone": "PHONE", "address": "ADDRESS", "postcode": "POST", "trainID": "TRAINID"}
_ROUTE = ("departure", "destination")
FIND, BOOK, ASK = "find", "book", "ask"


@cache
def script() -> Mapping[str, Any]:
    """Return the phrases and patterns of the scripted user; they are to be read only."""
    content: Mapping[str, Any] = read_toml("user.toml", __package__)
    return content


def script_name() -> str:
    """Return what signatures call the scripted user: its version and the digest of its script."""
    return f"scripted-{script()['version']}-{digest_of_json(script())[:12]}"


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
        self._delexicaliser = world.scorer.delexicaliser()
        self._left = list(task.domains)
        self._names = {d: one.info["name"] for d, one in task.domains.items() if "name" in one.info}
        self._given_up = 0
        self._stalls = 0
        self._domain = ""
        self._opens = ""

    def turn(self, response: str | None) -> UserTurn:
        """Return what the user says to a response."""
        if response is None:
            return self._next_domain()
        heard = _Heard(response, self._delexicaliser(response), self._domain)
        before = self._progress()
        turn = self._reaction(heard)
        if before == self._progress():
            self._stalls += 1
            if self._stalls >= _PATIENCE:
                return self._give_up()
        else:
            self._stalls = 0
        return turn

    # ------------------------------------------------------------------------ what is to be done

    def _progress(self) -> object:
        return (
            *(self._domain, self._phase, len(self._stated), self._alternative, self._rebooked),
            *(self._asked, tuple(self._missing)),
        )

    def _next_domain(self) -> UserTurn:
        """Begin the next domain, or say goodbye."""
        first = not self._domain
        if not self._left:
            return UserTurn(self._say("bye"), ends=True)
        self._domain = self._left.pop(0)
        self._wanted: DomainTask = self._task.domains[self._domain]
        self._alternative = not self._tries_first()
        self._rebooked = not self._wanted.fail_book
        self._stated: set[str] = set()
        self._missing = list(self._wanted.reqt)
        self._asked: tuple[str, ...] = ()
        self._phase = FIND
        self._stalls = 0
        openings = script()["opening"] if first else script()["opening"]["then"]
        opening = self._chance.choice(openings[self._domain])
        thanks = "" if first else f"{self._say('thanks')} "
        clauses = self._clauses(self._to_state())
        mark = "?" if opening.startswith("Can") else "."
        return UserTurn(f"{thanks}{opening} {clauses}".rstrip() + mark)

    def _tries_first(self) -> bool:
        failing = self._wanted.fail_info
        return bool(failing) and not self._world.tools.matching(self._domain, failing)

    def _give_up(self) -> UserTurn:
        self._given_up += 1
        self._stalls = 0
        if self._given_up >= _MOST_GIVEN_UP:
            self._left = []
        if self._phase == BOOK and self._left:
            return self._ask("")
        return self._next_domain()

    def _reaction(self, heard: _Heard) -> UserTurn:
        if not heard.text.strip():
            return UserTurn(f"{self._say('unclear')} {self._request()}")
        if self._phase == ASK:
            known = [] if heard.is_("unknown") else self._missing
            self._missing = [s for s in known if not heard.tells(s, s in self._asked)]
            return self._ask("", heard)
        return self._booking(heard) if self._phase == BOOK else self._finding(heard)

    # ---------------------------------------------------------------------------------- finding

    @property
    def _constraints(self) -> dict[str, str]:
        """The constraints as they are now, a taxi's places found out meanwhile included."""
        wanted = self._wanted
        constraints = dict(wanted.info if self._alternative else wanted.fail_info)
        if self._domain == "taxi":
            constraints = {**self._places(), **constraints}
        return constraints

    def _places(self) -> dict[str, str]:
        """Return where a taxi between two places goes from and to: the venues of the others."""
        message = " ".join(self._task.message)
        known = [d for d in self._task.domains if d not in ("taxi", "train")]
        names = {d: self._names.get(d, f"the {d}") for d in known}
        leaves = re.search(r"leave the (\w+)", message)
        arrives = re.search(r"arrives the (\w+)", message)
        if leaves and leaves[1] in names:
            known.sort(key=lambda d: d != leaves[1])
        if arrives and arrives[1] in names:
            known.sort(key=lambda d: d == arrives[1])
        return dict(zip(_ROUTE, (names[d] for d in known), strict=False))

    def _to_state(self, wanted: Iterable[str] = ()) -> list[str]:
        """Choose what constraints to state: those that are asked for, or some that are not stated.

        Args:
            wanted: The slots that are asked for.
        """
        constraints = self._constraints
        chosen = [slot for slot in wanted if slot in constraints]
        if not chosen:
            chosen = [slot for slot in constraints if slot not in self._stated]
            self._chance.shuffle(chosen)
            chosen.sort(key=lambda slot: slot not in ("name", *_ROUTE))
            most = len(chosen) if self._domain == "taxi" else _FIRST_STATED
            chosen = chosen[: max(most, 0)]
        self._stated.update(chosen)
        return chosen

    def _finding(self, heard: _Heard) -> UserTurn:
        wanted, constraints = self._wanted, self._constraints
        if self._domain == "taxi" and (heard.tells("phone") or heard.tells("car type", True)):
            self._missing = [slot for slot in self._missing if not heard.tells(slot, True)]
            return self._ask("", heard)
        named = heard.named
        pending = [slot for slot in constraints if slot not in self._stated]
        # No venue meets the first constraints: what is offered must be something else.
        if not self._alternative and (heard.is_("nothing") or (named and not pending)):
            self._alternative = True
            changed = [s for s, v in wanted.info.items() if wanted.fail_info.get(s) != v]
            self._stated.update(changed)
            return UserTurn(self._say("instead", self._clauses(changed)))
        asked = [slot for slot in heard.asked(constraints) if slot not in self._stated or not named]
        if pending or (asked and not named):
            return UserTurn(self._say("more", self._clauses(self._to_state(asked))))
        if named:
            self._names[self._domain] = named[0]
            return self._take(heard, named)
        if heard.is_("question") and any(heard.asked(_FINDING[self._domain])):
            return UserTurn(f"{self._say('open')} {self._request()}")
        return UserTurn(self._request())

    def _request(self) -> str:
        """Return the wish of the present phase in one sentence, as often as it takes."""
        if self._phase == FIND:
            return self._say("recommend", self._clauses(list(self._constraints)))
        return self._book_words() if self._phase == BOOK else self._ask_words()

    def _take(self, heard: _Heard, named: Sequence[str]) -> UserTurn:
        """Accept an offer, and book it or ask about it."""
        words = self._say("choose", named[0]) if len(named) > 1 else self._say("accept")
        self._missing = [slot for slot in self._missing if not heard.tells(slot)]
        if self._wanted.book:
            self._phase = BOOK
            return UserTurn(f"{words} {self._book_words()}")
        return self._ask(words)

    # ---------------------------------------------------------------------------------- booking

    @property
    def _book_slots(self) -> dict[str, str]:
        return {**self._wanted.book, **({} if self._rebooked else self._wanted.fail_book)}

    def _book_words(self) -> str:
        slots = self._book_slots
        return f"{script()['booking'][self._domain]} {_clauses(slots, slots)}."

    def _booking(self, heard: _Heard) -> UserTurn:
        if heard.has("REFERENCE"):
            self._missing = [slot for slot in self._missing if not heard.tells(slot)]
            return self._ask("")
        if heard.is_("refused") and not self._rebooked:
            self._rebooked = True
            changed = list(self._wanted.fail_book)
            return UserTurn(self._say("rebook", _clauses(changed, self._book_slots)))
        if heard.is_("booked") and not heard.is_("refused"):
            return UserTurn(self._say("reference"))
        if heard.named:
            self._names[self._domain] = heard.named[0]
        again = f"{self._say('retry')} " if heard.is_("refused") else ""
        return UserTurn(f"{again}{self._book_words()}")

    # ----------------------------------------------------------------------------------- asking

    def _ask(self, words: str, heard: _Heard | None = None) -> UserTurn:
        """Ask for what is missing, once more for what was not told; or go on to the next domain.

        Args:
            words: What to say first.
            heard: What was said to the last question.
        """
        self._phase = ASK
        if not self._missing:
            return self._next_domain()
        self._asked = tuple(self._missing)
        return UserTurn(f"{words} {self._ask_words()}".strip())

    def _ask_words(self) -> str:
        names = [script()["request"].get(slot, slot) for slot in self._missing]
        return self._say("ask", " and ".join([", ".join(names[:-1]), names[-1]][len(names) < 2 :]))

    # ------------------------------------------------------------------------------------ words

    def _say(self, what: str, filled: str = "") -> str:
        phrase: str = self._chance.choice(script()["say"][what])
        return re.sub(r"\s+([.?])", r"\1", phrase.format(filled))

    def _clauses(self, slots: Sequence[str]) -> str:
        return _clauses(slots, self._constraints)


_FINDING = {
    "restaurant": ("area", "pricerange", "food", "name"),
    "hotel": ("area", "pricerange", "type", "stars", "parking", "internet", "name"),
    "attraction": ("area", "type", "name"),
    "train": ("departure", "destination", "day", "leaveAt", "arriveBy"),
    "taxi": ("departure", "destination", "leaveAt", "arriveBy"),
}
"""Domain -> the slots that an agent may ask for before it searches."""


def _clauses(slots: Iterable[str], values: Mapping[str, str]) -> str:
    """Return slots and their values as words that follow a noun."""
    phrases = script()["constraint"]
    put = {slot: phrases.get(f"{slot}={values[slot]}", phrases[slot]) for slot in slots}
    return " ".join(phrase.format(values[slot]) for slot, phrase in put.items())


@cache
def _pattern(table: str, name: str) -> re.Pattern[str]:
    return re.compile(script()[table].get(name, r"(?!)"), re.IGNORECASE)


class _Heard:
    """What the user makes of a response.

    Args:
        text: The response.
        found: What the delexicaliser finds in it.
        domain: The domain that the user speaks of.
    """

    def __init__(self, text: str, found: Delexicalised, domain: str) -> None:
        self.text = text
        self._found = found
        slot = "TRAINID" if domain == "train" else "NAME"
        self.named = list(
            dict.fromkeys(
                text[span.start : span.end].strip("*_ ")
                for span in found.spans
                if span.slot == slot
                and (slot == "TRAINID" or domain in {venue.domain for venue in span.venues})
            )
        )

    def is_(self, kind: str) -> bool:
        """Whether it says something of a kind, of the table `understood`."""
        return bool(_pattern("understood", kind).search(self.text))

    def has(self, slot: str) -> bool:
        """Whether it tells a value of a slot that the delexicaliser knows."""
        return any(span.slot == slot for span in self._found.spans)

    def tells(self, slot: str, asked: bool = False) -> bool:
        """Whether it tells a slot; of those without a clear form only once asked for."""
        if slot in _SPANS:
            return self.has(_SPANS[slot])
        return asked and bool(_pattern("told", slot).search(self.text))

    def asked(self, slots: Iterable[str]) -> list[str]:
        """Return which of some slots it asks for."""
        questions = [
            sentence
            for sentence in re.findall(r"[^.?!]+[.?!]*", self.text)
            if _pattern("understood", "question").search(sentence)
        ]
        return [s for s in slots if any(_pattern("asked", s).search(q) for q in questions)]


class PersonAtTerminal:
    """A person who plays the user at the terminal. An empty line ends the dialogue."""

    def __init__(self, task: Task, world: World, seed: str) -> None:
        print(f"\n{task.id}\n" + "\n".join(f"  {line}." for line in task.message))
        print("An empty line ends the dialogue.\n")

    def turn(self, response: str | None) -> UserTurn:
        """Show a response, and return what is typed."""
        if response is not None:
            print(f"agent: {response}")
        text = input("you: ").strip()
        return UserTurn(text or "Goodbye.", ends=not text)
