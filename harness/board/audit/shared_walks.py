"""Inform and Success of one submission under many set-ups, rule sets and sources.

Most set-ups look at the same turns of a dialogue, and most dialogues look the same to several rule
sets and sources. So all turns are looked at together, as the bits of an integer (the first turn is
the lowest), and what was seen before is not worked out again. The rule is that of
`inform_success.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import reduce
from itertools import groupby
from typing import NamedTuple, TypeAlias

from mwz.database.venues import VenueDatabase
from mwz.normalization.rules import RuleSet

from ...benchmark import REFERENCE, REQUESTABLE_SLOTS
from ...metrics.inform_success import (
    TOTAL,
    DomainOutcome,
    Outcome,
    Rates,
    Step,
    domain_outcome,
    rates_of,
    reduced,
)
from ...metrics.played import PlayedDialogue
from ...metrics.setups import COMPARISONS, REFERENCES, STRICT, UPDATES, Setup

_Outcomes: TypeAlias = tuple[DomainOutcome, ...]
"""How a domain goes in each set-up."""

_Chances: TypeAlias = "tuple[Sequence[float], Sequence[float]]"
"""The probabilities that a dialogue matches in each set-up, and that it succeeds."""


class _Seen(NamedTuple):
    """All that decides how a domain goes in any set-up, but for the turns in which it is active.

    Attributes:
        dialogue: The dialogue's id.
        domain: The domain.
        said: The turns that hold each of `REQUESTABLE_SLOTS`.
        mention: What speaks of its venues; None if it has none.
        named: The turns that do.
        wanted: The number of what its goal finds.
        found: The numbers of what the state of each turn finds in full and in reduced search.
    """

    dialogue: str
    domain: str
    said: tuple[int, ...]
    mention: str | None = None
    named: int = 0
    wanted: int = 0
    found: tuple[tuple[int, int], ...] = ()


class SharedWalks:
    """The outcomes of one submission's dialogues under set-ups, by what these see of them.

    Args:
        setups: The set-ups.
    """

    def __init__(self, setups: Iterable[Setup]) -> None:
        self._setups = tuple(dict.fromkeys(setups))
        # Set-ups that only compare venues in different ways look at the same turns.
        self._alike: dict[Setup, list[int]] = {}
        for place, setup in enumerate(self._setups):
            self._alike.setdefault(replace(setup, comparison=STRICT.comparison), []).append(place)
        # Under all rule sets the same venues have one number, the id of what found them first.
        self._first: dict[tuple[str, ...], Set[str]] = {}
        self._venues: dict[int, tuple[Set[str], Set[str]]] = {}
        self._ends: dict[Hashable, dict[str, DomainOutcome]] = {}
        self._outcomes: dict[_Seen, dict[int, _Outcomes]] = {}
        self._equal: dict[_Outcomes, _Outcomes] = {}
        self._chances: dict[Hashable, _Chances] = {}

    def rates(
        self, plays: Sequence[Sequence[PlayedDialogue]], database: VenueDatabase, rules: RuleSet
    ) -> list[dict[Setup, Rates]]:
        """Return of each play set-up -> rates as `inform_success` gives them, of totals only.

        Args:
            plays: The submission's dialogues with states of one source, and with active domains
                of several.
            database: The venues under the rule set.
            rules: The rule set.
        """
        every: list[list[_Chances]] = [[] for _ in plays]
        for dialogues in zip(*plays, strict=True):
            domains = [
                (seen, self._outcomes.setdefault(seen, {}))
                for seen in self._seen(dialogues[0], database, rules)
            ]
            for chances, dialogue in zip(every, dialogues, strict=True):
                outcomes = {}
                for seen, known in domains:
                    active = _turns(seen.domain in turn for turn in dialogue.active_domains)
                    if active not in known:
                        own = self._followed(dialogue, seen, active, database, rules)
                        known[active] = self._equal.setdefault(own, own)
                    outcomes[seen.domain] = known[active]
                chances.append(self._whole(outcomes))
        return [
            {
                setup: rates_of(
                    {TOTAL: [inform[place] for inform, _ in chances]},
                    {TOTAL: [success[place] for _, success in chances]},
                )
                for place, setup in enumerate(self._setups)
            }
            for chances in every
        ]

    def _seen(
        self, dialogue: PlayedDialogue, database: VenueDatabase, rules: RuleSet
    ) -> Iterator[_Seen]:
        """Yield what set-ups see of each domain of a dialogue's goal."""

        def number(domain: str, query: Mapping[str, str]) -> int:
            found = database.query(domain, query)
            if id(found) not in self._venues:
                # What is kept keeps its id.
                self._venues[id(found)] = self._first.setdefault(tuple(found), found), found
            return id(self._venues[id(found)][0])

        # A domain without venues finds nothing, and so does a state without the domain.
        nothing = (number("", {}),) * 2
        said = tuple(_turns(slot in turn for turn in dialogue.said) for slot in REQUESTABLE_SLOTS)
        for domain, goal in dialogue.gold.goal.items():
            seen, venue = _Seen(dialogue.id, domain, said), rules.venue_rules.get(domain)
            if venue is not None:
                found: list[tuple[int, int]] = []
                # Most turns have the constraints of the turn before.
                for query, turns in groupby(state.get(domain) for state in dialogue.states):
                    both = nothing
                    if query is not None:
                        by_name = reduced(query, venue.named_by)
                        both = number(domain, query), number(domain, by_name)
                    found += [both for _ in turns]
                named = _turns(venue.mention in text for text in dialogue.responses)
                wanted = number(domain, goal.informable)
                seen = seen._replace(
                    mention=venue.mention, named=named, wanted=wanted, found=tuple(found)
                )
            yield seen

    def _followed(
        self,
        dialogue: PlayedDialogue,
        seen: _Seen,
        active: int,
        database: VenueDatabase,
        rules: RuleSet,
    ) -> _Outcomes:
        """Return how a domain goes in each set-up, by the turns in which it is active."""
        turns = (1 << len(dialogue.responses)) - 1
        last = turns ^ turns >> 1
        said = dict(zip(REQUESTABLE_SLOTS, seen.said, strict=True))
        outcomes: dict[int, DomainOutcome] = {}
        for walk, places in self._alike.items():
            counted = turns if walk.first_turn else turns & ~1
            own = counted & active if walk.active_only else counted
            told = {slot: among & own for slot, among in said.items()}
            if told[REFERENCE]:
                booked = REFERENCES[walk.references].booked(dialogue.gold, seen.domain)
                told[REFERENCE] &= _turns(seen.domain in domains for domains in booked)
            provided = tuple(slot for slot, among in told.items() if among)
            due = UPDATES[walk.updates].due(own, seen.named, said[REFERENCE], last)
            found = tuple(
                both[walk.reduced_search]
                for turn, both in enumerate(seen.found)
                if due & counted & 1 << turn
            )
            key = (seen.dialogue, seen.domain, seen.mention, seen.wanted, found, provided)
            if key not in self._ends:
                venues = [self._venues[number][0] for number in found]
                step = Step(0, False, False, None, None, None, False, (), provided)
                self._ends[key] = {
                    name: domain_outcome(
                        *(dialogue, seen.domain, [step._replace(offered=offered)]),
                        *(database, Setup(name), rules),
                    )
                    for name, comparison in COMPARISONS.items()
                    for offered in [reduce(comparison.offer, venues, None)]
                }
            outcomes |= {p: self._ends[key][self._setups[p].comparison] for p in places}
        return tuple(outcomes[place] for place in range(len(self._setups)))

    def _whole(self, domains: Mapping[str, _Outcomes]) -> _Chances:
        """Return how a dialogue goes, by how its domains do."""
        key = tuple(map(id, domains.values()))
        if key not in self._chances:
            wholes = [
                Outcome({domain: outcomes[place] for domain, outcomes in domains.items()})
                for place in range(len(self._setups))
            ]
            self._chances[key] = [one.inform for one in wholes], [one.success for one in wholes]
        return self._chances[key]


def _turns(flags: Iterable[bool]) -> int:
    """Return the turns of which something is true, as bits."""
    return sum(flag << turn for turn, flag in enumerate(flags))
