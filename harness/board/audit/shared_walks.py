"""Inform and Success of one submission under many set-ups, rule sets and sources.

Most set-ups look at the same turns of a dialogue, and most dialogues look the same to several rule
sets and sources: what was seen before is not worked out again. The rule is that of
`inform_success.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import reduce
from itertools import groupby
from typing import NamedTuple, TypeAlias

from mwz.database.bits import places_in
from mwz.database.venues import VenueDatabase
from mwz.normalization.rules import RuleSet

from ...benchmark import REQUESTABLE_SLOTS
from ...metrics.inform_success import (
    TOTAL,
    DomainOutcome,
    DomainTurns,
    Rates,
    domain_turns,
    matched,
    outcomes_of,
    rates_of,
    reduced,
)
from ...metrics.played import PlayedDialogue
from ...metrics.played_turns import PlayedTurns, SaidTurns, Turns
from ...metrics.setups import COMPARISONS, STRICT, Setup

_Outcomes: TypeAlias = tuple[DomainOutcome, ...]
"""How a domain goes in each set-up."""

_Chances: TypeAlias = "tuple[Sequence[float], Sequence[float]]"
"""The probabilities that a dialogue matches in each set-up, and that it succeeds."""


class _Seen(NamedTuple):
    """All that decides how a domain goes in any set-up, but for the turns in which it is active.

    Attributes:
        dialogue: The dialogue's id.
        domain: The domain.
        said: The turns whose response holds each of `REQUESTABLE_SLOTS`.
        mention: What speaks of its venues; None if it has none.
        named: The turns that do.
        wanted: The number of what its goal finds.
        found: The numbers of what the state of each turn finds in full and in reduced search.
    """

    dialogue: str
    domain: str
    said: tuple[Turns, ...]
    mention: str | None = None
    named: Turns = 0
    wanted: int = 0
    found: tuple[tuple[int, int], ...] = ()


class _Look:
    """The dialogues of a submission with active domains of one source, as set-ups see them.

    Args:
        played: Their turns.
        database: The venues under a rule set.
        rules: The rule set.
    """

    def __init__(self, played: PlayedTurns, database: VenueDatabase, rules: RuleSet) -> None:
        self.played, self.database, self.rules = played, database, rules
        self._seen: dict[tuple[str, Setup], DomainTurns] = {}

    def turns(self, domain: str, setup: Setup) -> DomainTurns:
        """Return what a set-up sees of a goal domain."""
        if (domain, setup) not in self._seen:
            self._seen[domain, setup] = domain_turns(self.played, domain, setup, self.rules)
        return self._seen[domain, setup]


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
        self._outcomes: dict[_Seen, dict[Turns, _Outcomes]] = {}
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
        said = SaidTurns(plays[0] if plays else ())
        looks = [_Look(PlayedTurns(dialogues, said), database, rules) for dialogues in plays]
        for number in range(len(said.dialogues)):
            domains = [
                (seen, self._outcomes.setdefault(seen, {}))
                for seen in self._seen(said, number, database, rules)
            ]
            for chances, look in zip(every, looks, strict=True):
                outcomes = {}
                for seen, known in domains:
                    active = said.within(number, look.played.active.get(seen.domain, 0))
                    if active not in known:
                        own = self._followed(look, number, seen)
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
        self, said: SaidTurns, number: int, database: VenueDatabase, rules: RuleSet
    ) -> Iterator[_Seen]:
        """Yield what set-ups see of each domain of a dialogue's goal."""

        def find(domain: str, query: Mapping[str, str]) -> int:
            found = database.query(domain, query)
            if id(found) not in self._venues:
                # What is kept keeps its id.
                self._venues[id(found)] = self._first.setdefault(tuple(found), found), found
            return id(self._venues[id(found)][0])

        # A domain without venues finds nothing, and so does a state without the domain.
        nothing = (find("", {}),) * 2
        dialogue = said.dialogues[number]
        slots = tuple(said.within(number, said.slots[slot]) for slot in REQUESTABLE_SLOTS)
        for domain, goal in dialogue.gold.goal.items():
            seen, venue = _Seen(dialogue.id, domain, slots), rules.venue_rules.get(domain)
            if venue is not None:
                found: list[tuple[int, int]] = []
                # Most turns have the constraints of the turn before.
                for query, turns in groupby(state.get(domain) for state in dialogue.states):
                    both = nothing
                    if query is not None:
                        by_name = reduced(query, venue.named_by)
                        both = find(domain, query), find(domain, by_name)
                    found += [both for _ in turns]
                seen = seen._replace(
                    mention=venue.mention,
                    named=said.within(number, said.slots[venue.mention]),
                    wanted=find(domain, goal.informable),
                    found=tuple(found),
                )
            yield seen

    def _followed(self, look: _Look, number: int, seen: _Seen) -> _Outcomes:
        """Return how a domain goes in each set-up, by the turns in which it is active."""
        said = look.played.said
        goal = said.dialogues[number].gold.goal[seen.domain]
        outcomes: dict[int, DomainOutcome] = {}
        for walk, places in self._alike.items():
            turns = look.turns(seen.domain, walk)
            due = places_in(said.within(number, turns.due))
            found = tuple(seen.found[turn][walk.reduced_search] for turn in due)
            told = (said.within(number, turns.provided.get(slot, 0)) for slot in goal.requestable)
            provided = all(told)
            key = (seen.dialogue, seen.domain, seen.mention, seen.wanted, found, provided)
            if key not in self._ends:
                venues = [self._venues[one][0] for one in found]
                ends = self._ends[key] = {}
                for name, comparison in COMPARISONS.items():
                    last = {0: reduce(comparison.offer, venues, None)}
                    own = matched(
                        {0: goal}, seen.domain, last, look.database, Setup(name), look.rules
                    )
                    ends[name] = DomainOutcome(own[0], provided)
            outcomes |= {p: self._ends[key][self._setups[p].comparison] for p in places}
        return tuple(outcomes[place] for place in range(len(self._setups)))

    def _whole(self, domains: Mapping[str, _Outcomes]) -> _Chances:
        """Return how a dialogue goes, by how its domains do."""
        key = tuple(map(id, domains.values()))
        if key not in self._chances:
            places = range(len(self._setups))
            whole = outcomes_of([{d: own[place] for d, own in domains.items()} for place in places])
            self._chances[key] = whole.inform, whole.success
        return self._chances[key]
