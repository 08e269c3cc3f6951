"""What scoring needs of a test set: references, goals, gold states and domains, venues.

A benchmark is plain data: it knows nothing of files, of the network or of what is derived from it.
`data/` builds and keeps benchmarks, a `Scorer` scores on them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from mwz.normalization import BeliefState, RuleSet, errata, sha256

from .errors import InputError, cut_repr

STYLES = ("mwz22", "damd", "hdsa", "augpt", "uniconv", "lava")
CANONICAL_STYLE = "mwz22"
GOALS = ("all", "seen", "unseen")
"""Which dialogues a score is over: all, or those whose goal does or does not occur in train/dev."""
REFERENCE = "REFERENCE"
REQUESTABLE_SLOTS = ("PHONE", "ADDRESS", "POST", REFERENCE, "TRAINID")
FURTHER_SLOTS = (
    *("area", "pricerange", "food", "type", "stars", "internet", "parking", "entrancefee"),
    *("openhours", "price", "duration", "arrive", "leave", "cartype", "phone"),
)
"""What goals of the data set request besides, as slot names are normalised."""

VenueRecords: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""domain -> venue records, as the public database files hold them."""

Triplet: TypeAlias = tuple[str, str, str]
"""Domain, slot and value."""


def triplets_of(states: Iterable[BeliefState]) -> frozenset[Triplet]:
    """Return domain, slot and value of all slots of belief states."""
    return frozenset(
        (domain, slot, value)
        for state in states
        for domain, slots in state.items()
        for slot, value in slots.items()
    )


@dataclass(frozen=True)
class Goal:
    """What the user of a dialogue wants of one domain.

    Attributes:
        informable: Constraints a venue must meet, slot -> value.
        requestable: What the user asks to be told, of `REQUESTABLE_SLOTS`.
        booking: Constraints of the booking, slot -> value.
        further: What else the user asks to be told, normalised slot names ("area", "entrancefee");
            None where the source of the goal does not tell, as the public evaluator's. Only one
            grounded score depends on it, so that it is no part of the benchmark's hash.
    """

    informable: Mapping[str, str]
    requestable: frozenset[str]
    booking: Mapping[str, str]
    further: frozenset[str] | None = None


@dataclass(frozen=True)
class Dialogue:
    """One test dialogue. Every per-turn field has one entry per system turn.

    Attributes:
        goal: domain -> goal.
        references: Reference style -> normalised, delexicalised system responses.
        states: Gold belief states, normalised.
        active_domains: Active domains, inferred from gold states and acts.
        booked_domains: The domains booked by then.
        users: What the user said before; empty where the source does not have it.
        responses: The human responses as they were written; empty where the source lacks them.
        damd_domains: The active domains that DAMD's data gives the turns; None where it has none.
    """

    goal: Mapping[str, Goal]
    references: Mapping[str, Sequence[str]]
    states: Sequence[BeliefState]
    active_domains: Sequence[Sequence[str]]
    booked_domains: Sequence[Sequence[str]]
    users: Sequence[str] = ()
    responses: Sequence[str] = ()
    damd_domains: Sequence[Sequence[str]] | None = None

    @property
    def gold_domains(self) -> Sequence[Sequence[str]]:
        """The gold active domains: DAMD's, or where there are none, the inferred ones."""
        return self.active_domains if self.damd_domains is None else self.damd_domains

    @property
    def turns(self) -> int:
        """The number of system turns."""
        return len(self.states)

    def scored_data(self) -> dict[str, Any]:
        """Return what scores depend on, as JSON types."""
        return {
            "goal": {
                domain: {
                    "informable": goal.informable,
                    "requestable": sorted(goal.requestable),
                    "booking": goal.booking,
                }
                for domain, goal in self.goal.items()
            },
            "references": {**self.references},
            "states": self.states,
            "active_domains": self.active_domains,
            "booked_domains": self.booked_domains,
            **({} if self.damd_domains is None else {"damd_domains": self.damd_domains}),
        }


class Prepared(NamedTuple):
    """Where what is made of an installed benchmark is kept, so that it is made only once.

    Attributes:
        folder: The folder.
        made_of: Identifies the benchmark's content and the code. What is kept with something else
            has to be made again.
        part: Returns the plain data of a name, or makes and keeps it.
    """

    folder: Path
    made_of: str
    part: Callable[[str, Callable[[], Any]], Any]


@dataclass(frozen=True)
class Benchmark:
    """A named test set. It is never changed in place.

    Attributes:
        name: What users call it ("multiwoz", "sample").
        dialogues: Dialogue id (lower case) -> dialogue.
        venues: The venue records scores are made with.
        venue_versions: Version of the venue database -> domain -> the records that replace those
            of `venues`. Versions that are not here are like `venues`.
        seen: Ids of the dialogues whose goal also occurs in the train or dev split; None where
            that is not known.
        trained: Domain, slot and value of all states of the train and dev splits; None where they
            are not known.
        prepared: What is kept of this very benchmark where it is installed. What is made of the
            benchmark, a copy, a part, has none: it need not be the same any more.
    """

    name: str
    dialogues: Mapping[str, Dialogue]
    venues: VenueRecords
    venue_versions: Mapping[str, VenueRecords]
    seen: frozenset[str] | None = None
    trained: frozenset[Triplet] | None = None
    prepared: Prepared | None = field(default=None, init=False, repr=False, compare=False)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<Benchmark {self.name}: {len(self.dialogues)} dialogues, {self.turns} turns>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "prepared": None}

    @property
    def gold_domains(self) -> str:
        """Where gold active domains come from: "rule" (states and acts) or "damd" (its labels)."""
        dialogues = self.dialogues.values()
        return "damd" if any(one.damd_domains is not None for one in dialogues) else "rule"

    @cached_property
    def turns(self) -> int:
        """The number of system turns of all dialogues."""
        return sum(dialogue.turns for dialogue in self.dialogues.values())

    @cached_property
    def has_human_responses(self) -> bool:
        """Whether it holds the human responses of all turns as they were written."""
        return all(len(one.responses) == one.turns for one in self.dialogues.values())

    @cached_property
    def users(self) -> Mapping[str, Sequence[str]]:
        """Dialogue id -> what the user says, one per system turn; empty where it is not known."""
        return {id_: dialogue.users for id_, dialogue in self.dialogues.items()}

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Return plain data that is kept with an installed benchmark; of others, made now."""
        return make() if self.prepared is None else self.prepared.part(name, make)

    def part(self, goals: str) -> Benchmark:
        """Return the benchmark cut to the dialogues whose goal is seen or unseen in train or dev.

        Args:
            goals: One of `GOALS`; for "all" the benchmark itself is returned.

        Raises:
            InputError: It is not known which goals are seen.
        """
        if goals == "all":
            return self
        if self.seen is None:
            raise InputError(
                "option goals",
                f"benchmark {self.name} does not say which goals occur in train or dev; those that "
                "`mwz data fetch --split all` or `mwz data import` of whole clones installs do",
            )
        wanted = self.seen if goals == "seen" else self.dialogues.keys() - self.seen
        return replace(self, dialogues={i: d for i, d in self.dialogues.items() if i in wanted})

    def venue_records(self, rules: RuleSet) -> VenueRecords:
        """Return the venue records used with a rule set, with its errata applied.

        Raises:
            InputError: A record does not hold what an erratum says.
        """
        records = {**self.venues, **self.venue_versions.get(rules.venues, {})}
        corrected: VenueRecords = self._with_errata(records, rules, ["venue"])
        return corrected

    def corrected(self, rules: RuleSet) -> Benchmark:
        """Return the benchmark with a rule set's errata of dialogues applied; itself without any.

        Raises:
            InputError: A dialogue does not hold what an erratum says.
        """
        dialogues = self._with_errata(self.dialogues, rules, _PATHS.keys() - {"venue"})
        return replace(self, dialogues=dialogues) if rules.errata else self

    def _with_errata(self, content: Any, rules: RuleSet, parts: Collection[str]) -> Any:
        """Return venue records or dialogues with a rule set's errata of some parts applied."""
        for part, one in self._errata(rules.errata):
            venues = content.get(one.get("domain"), ())
            # A benchmark of this name may have only some of the dialogues and venues.
            has = one.get("dialogue") in content or any(
                v.get("id") == one.get("id") for v in venues
            )
            if part in parts and has:
                content = _corrected(content, _PATHS[part](one), one)
        return content

    def errata_of(self, id_: str) -> Iterator[str]:
        """Yield what is known to be wrong in a dialogue, or with venues that its goal asks for."""
        goals = self.dialogues[id_].goal.items()
        wanted = {(domain, *pair) for domain, one in goals for pair in one.informable.items()}
        for part, one in self._errata(errata()):
            is_asked = part == "venue" and (one["domain"], one["slot"], one.get("there")) in wanted
            if is_asked or one.get("dialogue") == id_:
                wrong, right = (_value(one.get(key)) for key in ("there", "right"))
                has = f"{_place(one)}: {wrong} should be {right}"
                yield f"erratum: {part}, {has} (source: {one['source']})"

    def _errata(self, files: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the part and the content of each erratum of files that is about this benchmark."""
        for content in files.values():
            if content["benchmark"] == self.name:
                yield from ((part, one) for part in _PATHS for one in content.get(part, ()))

    def content_hash(self, rules: RuleSet) -> str:
        """Return the SHA-256 of all that scores under a rule set depend on, in hexadecimal.

        That includes the order of things: active domains are estimated along a state's domains.
        The content is gone through each time; keep what is returned.
        """
        dialogues = {id_: dialogue.scored_data() for id_, dialogue in self.dialogues.items()}
        return sha256(json.dumps(dialogues) + json.dumps(self.venue_records(rules)))


_PATHS: Mapping[str, Callable[[Mapping[str, Any]], Sequence[Any]]] = {
    "venue": lambda one: [one["domain"], one["id"], one["slot"]],
    "state": lambda one: [one["dialogue"], "states", one["turn"], *one["slot"].split("-")],
    "response": lambda one: [one["dialogue"], "responses", one["turn"]],
}
"""What an erratum is about -> where it is among venue records or dialogues."""


def _place(one: Mapping[str, Any]) -> str:
    """Return where in its part an erratum is."""
    keys = ("dialogue", "turn", "domain", "id", "slot")
    return ", ".join(f"{key} {one[key]}" for key in keys if key in one)


def _value(value: Any) -> str:
    return "nothing" if value is None else cut_repr(value)


def _corrected(content: Any, path: Sequence[Any], one: Mapping[str, Any]) -> Any:
    """Return content corrected at a path as an erratum says; the given one is kept."""
    wrong, right = one.get("there"), one.get("right")
    if len(path) == 1 and content is None and wrong is None:
        # The state lacks the domain, too.
        return {path[0]: right}
    if path and content is not None:
        key, rest = path[0], path[1:]
        if isinstance(content, Dialogue):
            return replace(content, **{key: _corrected(getattr(content, key), rest, one)})
        if isinstance(content, Mapping):
            changed = {**content, key: _corrected(content.get(key), rest, one)}
            return {name: value for name, value in changed.items() if value is not None}
        # A venue's record is named by its id.
        ids = [of.get("id") for of in content if isinstance(of, Mapping)]
        at = ids.index(key) if key in ids else key
        if at in range(len(content)):
            return [*content[:at], _corrected(content[at], rest, one), *content[at + 1 :]]
    if not path and content == wrong:
        return right
    # An erratum of a response says only which of its words are wrong.
    if not path and "slot" not in one and content.count(wrong) == 1:
        return content.replace(wrong, right)
    has = "no such place" if path else _value(content)
    problem = f"{_place(one)}: {_value(wrong)} is said to be there, and the benchmark has {has}"
    raise InputError("errata", f"{problem}; correct the file in normalization/errata/")
