"""What scoring needs of a test set: references, goals, gold states and domains, venues.

A benchmark is plain data: it knows nothing of files, of the network or of what is derived from it.
`data/` builds and keeps benchmarks, a `Scorer` scores on them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization import BeliefState, RuleSet, VenueRecords, errata, sha256

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

Triplet: TypeAlias = tuple[str, str, str]
"""Domain, slot and value."""


def triplets_of(states: Iterable[BeliefState]) -> frozenset[Triplet]:
    """Return domain, slot and value of all slots of belief states."""
    triplets: set[Triplet] = set()
    for state in states:
        for domain, slots in state.items():
            triplets.update((domain, slot, value) for slot, value in slots.items())
    return frozenset(triplets)


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
        first: What the user asks for first and does not get, of constraints and booking, slot ->
            value; empty where the source does not tell.
    """

    informable: Mapping[str, str]
    requestable: frozenset[str]
    booking: Mapping[str, str]
    further: frozenset[str] | None = None
    first: Mapping[str, str] = field(default_factory=dict)

    @property
    def requests(self) -> frozenset[str]:
        """All that the user asks to be told, as far as that is known."""
        return self.requestable | (self.further or frozenset())


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
        acts: The system's acts, "Hotel-Inform" -> pairs of slot and value; empty where the reader
            keeps none.
    """

    goal: Mapping[str, Goal]
    references: Mapping[str, Sequence[str]]
    states: Sequence[BeliefState]
    active_domains: Sequence[Sequence[str]]
    booked_domains: Sequence[Sequence[str]]
    users: Sequence[str] = ()
    responses: Sequence[str] = ()
    damd_domains: Sequence[Sequence[str]] | None = None
    acts: Sequence[Mapping[str, Sequence[Sequence[str]]]] = ()

    @property
    def gold_domains(self) -> Sequence[Sequence[str]]:
        """The gold active domains: DAMD's, or where there are none, the inferred ones."""
        return self.active_domains if self.damd_domains is None else self.damd_domains

    @property
    def turns(self) -> int:
        """The number of system turns."""
        return len(self.states)

    def scored_data(self) -> dict[str, object]:
        """Return what scores depend on, as JSON types."""
        goals: dict[str, object] = {}
        for domain, goal in self.goal.items():
            goals[domain] = {
                "informable": goal.informable,
                "requestable": sorted(goal.requestable),
                "booking": goal.booking,
            }
        data = {
            "goal": goals,
            "references": dict(self.references),
            "states": self.states,
            "active_domains": self.active_domains,
            "booked_domains": self.booked_domains,
        }
        if self.damd_domains is not None:
            data["damd_domains"] = self.damd_domains
        return data


def gold_active_domains(
    states: Sequence[BeliefState], acts: Sequence[Sequence[str]]
) -> list[list[str]]:
    """Infer a dialogue's gold active domains from its gold states and the system's acts.

    Args:
        states: Gold states, one per system turn.
        acts: Names of the system's acts ("Hotel-Inform"), one list per system turn.
    """
    active: list[list[str]] = []
    last_state: Mapping[str, Mapping[str, str]] = {}
    last: list[str] = []
    for state, names in zip(states, acts, strict=True):
        changed = [domain for domain, slots in state.items() if slots != last_state.get(domain)]
        # The domains of acts; what is no domain counts only if there is nothing else.
        acted = list(dict.fromkeys(name.split("-")[0].lower() for name in names))
        for domain in ("general", "booking"):
            if len(acted) > 1 and domain in acted:
                acted.remove(domain)
        acted = [domain for domain in acted if domain != "booking"]
        domains = list(dict.fromkeys(changed + acted)) or last
        if len(domains) == 2 and "general" in domains:
            domains = [domain for domain in domains if domain != "general"]
        active.append(domains)
        last_state, last = state, domains
    return active


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
        language: The language of its texts, as in HTML; what knows English alone refuses others.
        unpinned: Path of a file that it is made of and that is not pinned -> its git blob id.
        twin_of: The benchmark of which it is the twin: the same with other names; None of others.
        prepared: Where what is made of an installed benchmark is kept, so that it is made only
            once: the folder, and what identifies the benchmark's content and the code. What is kept
            with something else has to be made again. A copy or a part of the benchmark has none: it
            need not be the same any more.

    >>> benchmark = load_benchmark("sample")
    >>> benchmark
    <Benchmark sample: 30 dialogues, 146 turns>
    >>> benchmark.dialogues["town001"].goal["restaurant"].informable
    {'food': 'italian', 'area': 'centre'}
    """

    name: str
    dialogues: Mapping[str, Dialogue]
    venues: VenueRecords
    venue_versions: Mapping[str, VenueRecords]
    seen: frozenset[str] | None = None
    trained: frozenset[Triplet] | None = None
    twin_of: str | None = None
    language: str = "en"
    unpinned: Mapping[str, str] = field(default_factory=dict)
    prepared: tuple[Path, str] | None = field(default=None, init=False, repr=False, compare=False)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<Benchmark {self.name}: {len(self.dialogues)} dialogues, {self.turns} turns>"

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "prepared": None}

    @cached_property
    def turns(self) -> int:
        """The number of system turns of all dialogues."""
        return sum(dialogue.turns for dialogue in self.dialogues.values())

    @cached_property
    def has_human_responses(self) -> bool:
        """Whether it holds the human responses of all turns as they were written."""
        dialogues = self.dialogues.values()
        return all(len(dialogue.responses) == dialogue.turns for dialogue in dialogues)

    @cached_property
    def users(self) -> Mapping[str, Sequence[str]]:
        """Dialogue id -> what the user says, one per system turn; empty where it is not known."""
        return {id_: dialogue.users for id_, dialogue in self.dialogues.items()}

    def scored_part(self, rules: RuleSet, goals: str = "all") -> Benchmark:
        """Return what is scored: with the rule set's errata of dialogues, and cut to some goals.

        It is the benchmark itself where neither changes anything.

        Args:
            rules: The rule set, which lists its errata.
            goals: One of `GOALS`: whether goals that occur in train or dev count, others, or all.

        Raises:
            InputError: A dialogue does not hold what an erratum says, or it is not known which
                goals occur in train or dev.
        """
        if goals == "all" and not rules.errata:
            return self
        dialogues = dict(self.dialogues)
        for patch in self._patches(rules.errata, "dialogues"):
            id_, part, *path = patch["path"].split("/")
            # A benchmark of this name may have only some of the dialogues.
            if id_ in dialogues:
                turns: Any = list(getattr(dialogues[id_], part))
                _apply(patch, turns, path)
                dialogues[id_] = replace(dialogues[id_], **{part: turns})
        if goals != "all":
            if self.seen is None:
                raise InputError(
                    "option goals",
                    f"benchmark {self.name} does not say which goals occur in train or dev; those "
                    "that `mwz data fetch --split all` or `mwz data import` of whole clones "
                    "installs do",
                )
            for id_ in self.dialogues:
                if (id_ in self.seen) != (goals == "seen"):
                    del dialogues[id_]
        return replace(self, dialogues=dialogues)

    def venue_records(self, rules: RuleSet) -> VenueRecords:
        """Return the venue records used with a rule set, with its errata applied.

        Raises:
            InputError: A record does not hold what an erratum says.
        """
        records = {**self.venues, **self.venue_versions.get(rules.venues, {})}
        if not rules.errata:
            return records
        for patch in self._patches(rules.errata, "venues"):
            domain, id_, slot = patch["path"].split("/")
            venues = list(records.get(domain, ()))
            for number, venue in enumerate(venues):
                if venue.get("id") == id_:
                    venues[number] = dict(venue)
                    _apply(patch, venues[number], [slot])
                    records[domain] = venues
        return records

    def errata_of(self, id_: str) -> Iterator[str]:
        """Yield what is known to be wrong in a dialogue, or with venues that its goal asks for."""
        goal = self.dialogues[id_].goal
        for patch in self._patches(errata(), "dialogues"):
            if patch["path"].startswith(f"{id_}/"):
                yield _erratum(patch)
        for patch in self._patches(errata(), "venues"):
            domain, _, slot = patch["path"].split("/")
            if domain in goal and (slot, patch.get("old")) in goal[domain].informable.items():
                yield _erratum(patch)

    def _patches(self, files: Mapping[str, Any], file: str) -> Iterator[Mapping[str, str]]:
        """Yield the patches of this benchmark's dialogues or venues in files of errata."""
        for content in files.values():
            for patch in content["patches"]:
                if content["benchmark"] == self.name and patch["file"] == file:
                    yield patch

    def content_hash(self, rules: RuleSet) -> str:
        """Return the SHA-256 of all that scores under a rule set depend on, in hexadecimal.

        That includes the order of things: active domains are estimated along a state's domains.
        The content is gone through each time; keep what is returned.
        """
        dialogues = {id_: dialogue.scored_data() for id_, dialogue in self.dialogues.items()}
        return sha256(json.dumps(dialogues) + json.dumps(self.venue_records(rules)))


def _erratum(patch: Mapping[str, str]) -> str:
    """Return a patch as people read it."""
    wrong, right = _value(patch.get("old")), _value(patch.get("new"))
    return f"erratum: {patch['path']}: {wrong} should be {right} (source: {patch['reason']})"


def _value(value: object) -> str:
    return "nothing" if value is None else cut_repr(value)


def _apply(patch: Mapping[str, str], content: Any, path: Sequence[str]) -> None:
    """Correct the turns of a dialogue or the record of a venue, both copies, in place.

    Raises:
        InputError: They do not hold what the patch says.
    """
    keys: list[Any] = [int(name) if name.isdigit() else name for name in path]
    if isinstance(content, list) and keys[0] >= len(content):
        raise _mismatch(patch, "no such place")
    *containers, key = keys
    for name in containers:
        # Copied, too: turns with equal states may share one object. A state may lack the domain.
        inner = content[name] if isinstance(content, list) else content.get(name, {})
        content[name] = dict(inner)
        content = content[name]
    old, new = patch.get("old"), patch.get("new")
    value = content[key] if isinstance(content, list) else content.get(key)
    # An erratum of a response says only which of its words are wrong.
    if isinstance(content, list) and value.count(old or "") == 1:
        content[key] = value.replace(old, new or "")
    elif value != old:
        raise _mismatch(patch, _value(value))
    elif new is None:
        del content[key]
    else:
        content[key] = new


def _mismatch(patch: Mapping[str, str], found: str) -> InputError:
    problem = f"{_value(patch.get('old'))} is said to be there, and the benchmark has {found}"
    remedy = "correct the file in normalization/errata/"
    return InputError("errata", f"{patch['path']}: {problem}; {remedy}")
