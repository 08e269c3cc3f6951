"""Inform and Success of one submission under many set-ups, rule sets and sources.

Set-ups that differ in how venues are compared follow the same walk, and most dialogues look the
same to several rule sets and sources: what walks see of a dialogue is the key by which its
outcomes are found again. The rule itself is that of `inform_success.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple, cast

from mwz.database.venues import VenueDatabase
from mwz.normalization.rules import RuleSet

from ...metrics.inform_success import (
    DomainOutcome,
    Outcome,
    Rates,
    Step,
    domain_outcome,
    rates,
    walk,
)
from ...metrics.played import PlayedDialogue
from ...metrics.setups import COMPARISONS, STRICT, Setup


class _Total(NamedTuple):
    """How a dialogue went in all: an `Outcome` that is worked out once and used in many rates."""

    inform: float
    success: float
    domains: Mapping[str, DomainOutcome] = {}


class SharedWalks:
    """The outcomes of one submission's dialogues under set-ups, by what walks see of them.

    Args:
        setups: The set-ups.
    """

    def __init__(self, setups: Iterable[Setup]) -> None:
        self._setups = tuple(dict.fromkeys(setups))
        self._by_walk: dict[Setup, list[int]] = {}
        for place, setup in enumerate(self._setups):
            same = replace(setup, comparison=STRICT.comparison)
            self._by_walk.setdefault(same, []).append(place)
        self._outcomes: dict[Hashable, list[DomainOutcome]] = {}
        self._totals: dict[Hashable, list[_Total]] = {}
        self._venues: dict[tuple[str, ...], int] = {}

    def rates(
        self, dialogues: Sequence[PlayedDialogue], database: VenueDatabase, rules: RuleSet
    ) -> dict[Setup, Rates]:
        """Return set-up -> rates as `inform_success` gives them, of totals only.

        Args:
            dialogues: The submission's dialogues, with states and domains of any source.
            database: The venues under the rule set.
            rules: The rule set.
        """
        numbers: dict[int, tuple[Set[str], int]] = {}

        def number(domain: str, query: Mapping[str, str]) -> int:
            """Return a number for what a query finds, the same under every rule set."""
            found = database.query(domain, query)
            if id(found) not in numbers:
                own = self._venues.setdefault(tuple(found), len(self._venues))
                # What is kept keeps its id.
                numbers[id(found)] = found, own
            return numbers[id(found)][1]

        def seen(dialogue: PlayedDialogue, domain: str) -> Iterator[Hashable]:
            """Yield all that decides how a domain goes, in any set-up."""
            yield from (dialogue.id, domain, tuple(dialogue.said))
            yield tuple(domain in active for active in dialogue.active_domains)
            venue = rules.venue_rules.get(domain)
            if venue is None:
                return
            yield venue.mention
            yield tuple(venue.mention in text for text in dialogue.responses)
            yield number(domain, dialogue.gold.goal[domain].informable)
            for state in dialogue.states:
                query = state.get(domain)
                name = None if query is None else query.get(venue.named_by)
                yield name
                yield None if query is None else number(domain, query)
                yield None if name is None else number(domain, {venue.named_by: name})

        rows = []
        for dialogue in dialogues:
            goal = dialogue.gold.goal
            keys = tuple(tuple(seen(dialogue, domain)) for domain in goal)
            if keys not in self._totals:
                pairs = [*zip(goal, keys, strict=True)]
                for domain, key in pairs:
                    if key not in self._outcomes:
                        self._outcomes[key] = self._followed(dialogue, domain, database, rules)
                by_domain = [(domain, self._outcomes[key]) for domain, key in pairs]
                wholes = (
                    Outcome({domain: found[place] for domain, found in by_domain})
                    for place in range(len(self._setups))
                )
                self._totals[keys] = [_Total(whole.inform, whole.success) for whole in wholes]
            rows.append(self._totals[keys])
        return {
            setup: rates(cast("Sequence[Outcome]", [row[place] for row in rows]))
            for place, setup in enumerate(self._setups)
        }

    def _followed(
        self, dialogue: PlayedDialogue, domain: str, database: VenueDatabase, rules: RuleSet
    ) -> list[DomainOutcome]:
        """Return how a domain goes in each set-up, in one walk for those that share it."""
        found = {}
        for same, places in self._by_walk.items():
            steps = _due([*walk(dialogue, domain, database, same, rules)])
            for place in places:
                setup = self._setups[place]
                last = _offered(steps, setup)
                found[place] = domain_outcome(dialogue, domain, last, database, setup, rules)
        return [found[place] for place in range(len(self._setups))]


def _due(steps: Sequence[Step]) -> list[Step]:
    """Return the last step with all that is provided by then, after those that look up venues."""
    provided = tuple(slot for step in steps for slot in step.provided)
    last = [step._replace(provided=provided) for step in steps[-1:]]
    return [*(step for step in steps[:-1] if step.found is not None), *last]


def _offered(steps: Sequence[Step], setup: Setup) -> list[Step]:
    """Return the last of some steps, with what a set-up's comparison makes of the venues found."""
    offer, offered = COMPARISONS[setup.comparison].offer, None
    for step in steps:
        if step.found is not None:
            offered = offer(offered, step.found)
    return [step._replace(offered=offered) for step in steps[-1:]]
