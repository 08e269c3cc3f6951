"""Inform and Success, turn by turn: did the system offer fitting venues, and say what was asked?

One loop follows a goal domain through a dialogue (`steps`). A turn that names a venue while its
domain is active offers what the domain's belief state finds in the database, unless all venues
offered so far are still among them. A domain is matched if what is offered last fits its goal, and
provided if all that was requested was said in its turns. The ways to decide this that differ
between papers make up a `Setup` (`setups.py`). The combined score is (Inform + Success) / 2 + BLEU,
with BLEU against the canonical references (Mehri et al., 2019).

Source: Budzianowski et al. (2018); "Shades of BLEU, Flavours of Success" (2021), sections 3.2,
4.4 and 5.1, and its published evaluator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mwz.normalization import RuleSet

from ..benchmark import CANONICAL_STYLE, REFERENCE, REQUESTABLE_SLOTS
from ..io import figure, text_table
from .bleu import bleu_of_sums, corpus_bleu
from .metric import Headline, Metric, Played, Results
from .results import COLUMNS, DialogueResult, DomainResult, Figure, Statistics, percent
from .setups import (
    COMPARISONS,
    CREDITS,
    MAIN_SETUP,
    REFERENCES,
    SETUPS,
    UPDATES,
    PlayedDialogue,
    Setup,
    chosen_setups,
)

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

TOTAL = "total"


class Step(NamedTuple):
    """What a system turn does for one goal domain.

    Attributes:
        turn: The turn's number in its dialogue, from 0.
        active: Whether the turn counts for the domain.
        named: Whether the response speaks of one of its venues (a train's id).
        query: The constraints that the database was asked with; None if no offer was due, or the
            state lacks the domain.
        venues: What the query finds; None if no offer was due, or none where that replaces no
            offer.
        offered: What is offered after the turn; None if nothing has been yet.
        replaced: Whether the turn set what is offered, and did not keep what was.
        slots: The requestable slots that the response holds.
        provided: Those of them that count as provided.
    """

    turn: int
    active: bool
    named: bool
    query: Mapping[str, str] | None
    venues: Set[str] | None
    offered: Any
    replaced: bool
    slots: tuple[str, ...]
    provided: tuple[str, ...]


@lru_cache(maxsize=1 << 14)
def slots_in(response: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the requestable slots that a normalised response, or a tuple of slots, holds."""
    return tuple(slot for slot in REQUESTABLE_SLOTS if slot in response)


def steps(
    dialogue: PlayedDialogue, domain: str, database: VenueDatabase, setup: Setup, rules: RuleSet
) -> Iterator[Step]:
    """Follow a goal domain through a dialogue, in the turns that the set-up counts."""
    venue = rules.venue_rules.get(domain)
    due, offer = UPDATES[setup.updates], COMPARISONS[setup.comparison].offer
    (_, booked), credit = REFERENCES[setup.references], CREDITS[setup.credits]
    last = len(dialogue.responses) - 1
    offered = None
    for turn in range(0 if setup.first_turn else 1, last + 1):
        active, response = credit(dialogue, domain, turn)
        slots = slots_in(response)
        provided = slots if active else ()
        if REFERENCE in provided and not booked(dialogue.gold, domain, turn):
            provided = tuple(slot for slot in slots if slot != REFERENCE)
        if not setup.id_provided:
            provided = tuple(slot for slot in provided if slot != "TRAINID")
        named = venue is not None and venue.mention in response
        query, venues, replaced = None, None, False
        if venue is not None and due(active, named, REFERENCE in slots, turn == last):
            query = dialogue.states[turn].get(domain, {} if setup.every_domain else None)
            if query is not None and setup.reduced_search:
                query = reduced(query, venue.named_by)
            # A state that lacks the domain finds nothing.
            venues = frozenset() if query is None else database.query(domain, query)
            if not venues and not setup.empty_replaces:
                venues = None
        if venues is not None:
            now = offer(offered, venues)
            replaced = not (offered and now is offered)
            offered = now
        yield Step(turn, active, named, query, venues, offered, replaced, slots, provided)


def reduced(query: Mapping[str, str], slot: str) -> Mapping[str, str]:
    """Return a query by a venue's name alone, where the state has one."""
    return {slot: query[slot]} if query.get(slot, "dontcare") != "dontcare" else query


def goal_results(
    dialogue: PlayedDialogue, database: VenueDatabase, setup: Setup, rules: RuleSet
) -> dict[str, DomainResult]:
    """Return goal domain -> how it came out in a dialogue."""
    results = {}
    for domain in dialogue.gold.goal:
        walked = [*steps(dialogue, domain, database, setup, rules)]
        results[domain] = domain_result(walked, dialogue, domain, database, setup, rules)
    return results


def domain_result(
    walked: Sequence[Step],
    dialogue: PlayedDialogue,
    domain: str,
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> DomainResult:
    """Return how a goal domain came out, by its steps."""
    provided = {slot for step in walked for slot in step.provided}
    offered = walked[-1].offered if walked else None
    return DomainResult(
        matched(offered, dialogue, domain, database, setup, rules),
        # In the order of their names: a set has none that lasts.
        {slot: slot in provided for slot in sorted(dialogue.gold.goal[domain].requestable)},
    )


def matched(
    offered: Any,
    dialogue: PlayedDialogue,
    domain: str,
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> float:
    """Return the probability that what is offered last fits the goal."""
    goal, venue = dialogue.gold.goal[domain], rules.venue_rules.get(domain)
    if venue is None or "name" in goal.informable:
        return 1.0
    if offered:
        wanted = database.query(domain, goal.informable)
        return COMPARISONS[setup.comparison].match(offered, wanted)
    # A train need not be named if nobody asked for its id.
    unasked = venue.mention in REQUESTABLE_SLOTS and venue.mention not in goal.requestable
    return float(unasked and (setup.unbooked_train or REFERENCE in goal.requestable))


@dataclass(frozen=True)
class SetupScores:
    """Inform and Success under one set-up.

    Attributes:
        inform: "total" or domain -> Inform, in percent.
        success: "total" or domain -> Success, in percent.
        combined: (Inform + Success) / 2 + BLEU of the canonical style; None without BLEU.
        domains: The source of the active domains.
    """

    inform: Mapping[str, float]
    success: Mapping[str, float]
    combined: float | None
    domains: str

    def __post_init__(self) -> None:
        for name, by_domain in (("inform", self.inform), ("success", self.success)):
            if TOTAL not in by_domain:
                raise ValueError(f"{name} lacks {TOTAL}")


def goals(played: Played) -> list[dict[str, dict[str, DomainResult]]]:
    """Return, of each dialogue, set-up -> goal domain -> how it came out."""
    setups = chosen_setups(played.setup)
    database = played.database()
    by_setup = [
        [
            goal_results(one, database, SETUPS[name].setup, played.rules)
            for one in played.under(name)
        ]
        for name in setups
    ]
    return [dict(zip(setups, row, strict=True)) for row in zip(*by_setup, strict=True)]


def rates(
    results: Sequence[DialogueResult], setup: str = MAIN_SETUP
) -> dict[str, dict[str, float]]:
    """Return "inform" and "success" of dialogues under a set-up: "total" or domain -> percent.

    A domain's Success counts only where every domain of the dialogue is matched. Of no dialogue at
    all the rates are 0.
    """
    inform: dict[str, list[float]] = {TOTAL: []}
    success: dict[str, list[float]] = {TOTAL: []}
    for result in results:
        whole = result.informed(setup)
        inform[TOTAL].append(whole)
        success[TOTAL].append(result.succeeded(setup))
        for domain, outcome in result.goals[setup].items():
            inform.setdefault(domain, []).append(outcome.matched)
            success.setdefault(domain, []).append(whole if outcome.all_provided else 0.0)
    return {
        rate: {name: percent(math.fsum(chances), len(chances)) for name, chances in by_name.items()}
        for rate, by_name in (("inform", inform), ("success", success))
    }


def informs(results: Sequence[DialogueResult]) -> dict[str, SetupScores]:
    """Return set-up -> Inform, Success and combined score, of the set-ups asked for."""
    first = results[0]
    canonical = corpus_bleu(results)[CANONICAL_STYLE] if first.bleu else None
    scores = {}
    for name in first.goals:
        by_rate = rates(results, name)
        inform, success = by_rate["inform"][TOTAL], by_rate["success"][TOTAL]
        scores[name] = SetupScores(
            **by_rate,
            combined=None if canonical is None else combined(inform, success, canonical),
            domains=SETUPS[name].domains or first.sources["domains"],
        )
    return scores


def combined(inform: float, success: float, bleu: float) -> float:
    """Return the combined score, all in percent."""
    return (inform + success) / 2 + bleu


def statistics(results: Sequence[DialogueResult]) -> Statistics:
    """Return the statistics of Inform and Success in the set-ups asked for: dialogues won.

    Figures of the strict set-up are `inform`, `success` and, with BLEU, `combined`; those of
    another have its name before them.
    """
    setups = [*results[0].goals]
    with_bleu = bool(results[0].bleu)
    names = ("inform", "success", *(["combined"] if with_bleu else []))
    rows = [
        [
            1,
            *(chance for name in setups for chance in (one.informed(name), one.succeeded(name))),
            *(one.bleu[CANONICAL_STYLE] if with_bleu else ()),
        ]
        for one in results
    ]
    return Statistics.of_rows(
        figures=[
            Figure(
                _name(setup, name),
                name.capitalize() if setup == MAIN_SETUP else f"{name.capitalize()}, {setup}",
                digits=2 if name == "combined" else 1,
                main=setup == MAIN_SETUP,
            )
            for setup in setups
            for name in names
        ],
        rows=rows,
        formula=partial(figures_of_sums, setups=setups, with_bleu=with_bleu),
        wins={
            _name(setup, name): 1 + 2 * at + offset
            for at, setup in enumerate(setups)
            for offset, name in enumerate(("inform", "success"))
            # An expectation is no number of dialogues won.
            if not COMPARISONS[SETUPS[setup].setup.comparison].random
        },
    )


def _name(setup: str, figure: str) -> str:
    return figure if setup == MAIN_SETUP else f"{setup}.{figure}"


def figures_of_sums(
    sums: Sequence[float], setups: Sequence[str] = (MAIN_SETUP,), with_bleu: bool = True
) -> dict[str, float]:
    """Return figure -> value, in percent.

    Args:
        sums: The number of dialogues, for each set-up those with Inform and with Success, and last
            the `COLUMNS` of BLEU against the canonical references.
        setups: The names of the set-ups.
        with_bleu: Whether BLEU's columns are there; without there are no combined scores.
    """
    values = {"bleu": bleu_of_sums(sums[-COLUMNS:])} if with_bleu else {}
    for at, setup in enumerate(setups):
        inform, success = (percent(sums[1 + 2 * at + k], sums[0]) for k in (0, 1))
        values[_name(setup, "inform")] = inform
        values[_name(setup, "success")] = success
        if with_bleu:
            values[_name(setup, "combined")] = combined(inform, success, values["bleu"])
    return values


def _text(_: Metric, setups: Mapping[str, SetupScores]) -> str:
    """Show the rates by domain; the totals head every report."""
    headers = ["domain"]
    for name in setups:
        headers += [f"Inform {name}", f"Success {name}"]
    domains = sorted(next(iter(setups.values())).inform.keys() - {TOTAL})
    rows = [
        [
            domain,
            *(
                figure(rates[domain])
                for scores in setups.values()
                for rates in (scores.inform, scores.success)
            ),
        ]
        for domain in domains
    ]
    return text_table(headers, rows)


def _of_setup(value: Callable[[SetupScores], float | None]) -> Callable[..., float | None]:
    def of_results(results: Results, setup: str) -> float | None:
        scores = results.get(setup)
        return None if scores is None else value(scores)

    return of_results


METRIC = Metric(
    name="inform",
    title="Inform and Success",
    description="Inform: a fitting venue is offered. Success: every requested slot is also given.",
    unit="percent",
    source="Budzianowski et al. (2018); Nekvinda & Dušek (2021)",
    per_dialogue=goals,
    fills="goals",
    compute=informs,
    statistics=statistics,
    keys=dict.fromkeys(SETUPS, SetupScores),
    text=_text,
    headlines=(
        Headline("inform", "Inform", _of_setup(lambda scores: scores.inform[TOTAL])),
        Headline("success", "Success", _of_setup(lambda scores: scores.success[TOTAL])),
        Headline("combined", "Combined", _of_setup(lambda scores: scores.combined), highest=200.0),
    ),
    aliases=("success",),
    rank=1,
)
