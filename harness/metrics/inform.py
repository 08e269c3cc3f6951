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
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from mwz.normalization import RuleSet

from ..benchmark import CANONICAL_STYLE, REFERENCE, REQUESTABLE_SLOTS
from ..io import figure, text_table
from .bleu import bleu_by_style, counts_by_style, style_bleu, style_columns
from .counts import bleu_of_counts
from .metric import (
    Figure,
    Figures,
    Metric,
    Presentation,
    Results,
    Row,
    Rows,
    Sums,
    percent,
)
from .played import DomainResult, Played, inform_chance, success_chance
from .setups import (
    COMPARISONS,
    CREDITS,
    MAIN_SETUP,
    REFERENCES,
    SETUPS,
    UPDATES,
    Offer,
    PlayedDialogue,
    Setup,
    chosen_setups,
    play,
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
    offered: Offer
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
    is_search_due = UPDATES[setup.updates]
    replace_offer = COMPARISONS[setup.comparison].offer
    _, reference_counts = REFERENCES[setup.references]
    credited_to = CREDITS[setup.credits]
    last = len(dialogue.responses) - 1
    offered = None
    for turn in range(0 if setup.first_turn else 1, last + 1):
        active, response = credited_to(dialogue, domain, turn)
        slots = slots_in(response)
        provided = slots if active else ()
        if REFERENCE in provided and not reference_counts(dialogue.gold, domain, turn):
            provided = tuple(slot for slot in slots if slot != REFERENCE)
        if not setup.id_provided:
            provided = tuple(slot for slot in provided if slot != "TRAINID")
        named = venue is not None and venue.mention in response
        query, venues, replaced = None, None, False
        if venue is not None and is_search_due(active, named, REFERENCE in slots, turn == last):
            query = dialogue.states[turn].get(domain, {} if setup.every_domain else None)
            if query is not None and setup.reduced_search:
                name = query.get(venue.named_by, "dontcare")
                if name != "dontcare":
                    query = {venue.named_by: name}
            # A state that lacks the domain finds nothing.
            venues = frozenset() if query is None else database.query(domain, query)
            if not venues and not setup.empty_replaces:
                venues = None
        if venues is not None:
            offer = replace_offer(offered, venues)
            replaced = not (offered and offer is offered)
            offered = offer
        yield Step(turn, active, named, query, venues, offered, replaced, slots, provided)


def matched(
    offered: Offer,
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


@lru_cache(maxsize=4)
def outcomes(played: Played, setup: str) -> Mapping[str, Mapping[str, DomainResult]]:
    """Return dialogue id -> goal domain -> how it came out, in the submission's order.

    Args:
        played: What was played.
        setup: A key of `SETUPS`.
    """
    chosen, database, rules = SETUPS[setup].setup, played.database, played.rules
    by_dialogue = {}
    for dialogue in play(
        played.submission,
        played.benchmark,
        SETUPS[setup].states or played.states,
        SETUPS[setup].domains or played.domains,
    ):
        results = {}
        for domain in dialogue.gold.goal:
            walked = list(steps(dialogue, domain, database, chosen, rules))
            results[domain] = domain_result(walked, dialogue, domain, database, chosen, rules)
        by_dialogue[dialogue.id] = results
    return by_dialogue


def outcomes_by_setup(played: Played) -> dict[str, dict[str, Mapping[str, DomainResult]]]:
    """Return dialogue id -> set-up asked for -> goal domain -> how it came out."""
    by_dialogue: dict[str, dict[str, Mapping[str, DomainResult]]] = {}
    for setup in chosen_setups(played.setup):
        for dialogue, domains in outcomes(played, setup).items():
            by_dialogue.setdefault(dialogue, {})[setup] = domains
    return by_dialogue


def rates(dialogues: Iterable[Mapping[str, DomainResult]]) -> dict[str, dict[str, float]]:
    """Return "inform" and "success" of dialogues: "total" or domain -> percent.

    A domain's Success counts only where every domain of the dialogue is matched. Of no dialogue at
    all the rates are 0.

    Args:
        dialogues: Of each dialogue, goal domain -> how it came out.

    >>> hotel, train = DomainResult(1.0, {"PHONE": False}), DomainResult(1.0, {})
    >>> by_rate = rates([{"hotel": hotel, "train": train}, {"train": train}])
    >>> by_rate["inform"]
    {'total': 100.0, 'hotel': 100.0, 'train': 100.0}
    >>> by_rate["success"]
    {'total': 50.0, 'hotel': 0.0, 'train': 100.0}
    """
    inform: dict[str, list[float]] = {TOTAL: []}
    success: dict[str, list[float]] = {TOTAL: []}
    for domains in dialogues:
        all_matched = inform_chance(domains)
        inform[TOTAL].append(all_matched)
        success[TOTAL].append(success_chance(domains))
        for domain, outcome in domains.items():
            inform.setdefault(domain, []).append(outcome.matched)
            success.setdefault(domain, []).append(all_matched if outcome.all_provided else 0.0)
    by_rate: dict[str, dict[str, float]] = {"inform": {}, "success": {}}
    for name, chances in inform.items():
        by_rate["inform"][name] = percent(math.fsum(chances), len(chances))
        by_rate["success"][name] = percent(math.fsum(success[name]), len(chances))
    return by_rate


def combined(inform: float, success: float, bleu: float | None) -> float | None:
    """Return the combined score, all in percent; None without BLEU.

    >>> combined(inform=90.0, success=80.0, bleu=17.5)
    102.5
    """
    return None if bleu is None else (inform + success) / 2 + bleu


def setup_scores(played: Played) -> Results:
    """Return set-up -> Inform, Success and combined score, of the set-ups asked for."""
    bleu = None
    if "bleu" in played.metrics:
        bleu = bleu_by_style(played)["bleu"][CANONICAL_STYLE]
    scores = {}
    for setup in chosen_setups(played.setup):
        by_rate = rates(outcomes(played, setup).values())
        inform, success = by_rate["inform"], by_rate["success"]
        scores[setup] = SetupScores(
            inform=inform,
            success=success,
            combined=combined(inform[TOTAL], success[TOTAL], bleu),
            domains=SETUPS[setup].domains or played.domains,
        )
    return scores


@cache
def setup_figure_name(setup: str, figure: str) -> str:
    """Return the name of a set-up's figure, `inform` of the strict one, or `SETUP.inform`."""
    return figure if setup == MAIN_SETUP else f"{setup}.{figure}"


DIALOGUES = "dialogues"
"""The column that is 1 for each dialogue."""


def inform_rows(played: Played) -> Rows:
    """Return the row of every dialogue: its chances of Inform and Success in each set-up.

    Chances are 0 or 1 unless venues are drawn at random. For the combined score, the counts of
    BLEU against the canonical references follow, if BLEU was asked for.
    """
    counts = counts_by_style(played) if "bleu" in played.metrics else {}
    rows: dict[str, Row] = {}
    for dialogue, by_setup in outcomes_by_setup(played).items():
        row: dict[str, float] = {DIALOGUES: 1}
        for setup, domains in by_setup.items():
            row[setup_figure_name(setup, "inform")] = inform_chance(domains)
            row[setup_figure_name(setup, "success")] = success_chance(domains)
        if counts:
            columns = style_columns(CANONICAL_STYLE)
            row.update(zip(columns, counts[dialogue][CANONICAL_STYLE], strict=True))
        rows[dialogue] = row
    return rows


def formula(sums: Sums) -> Figures:
    """Return figure -> percent, of every set-up that there are columns of."""
    bleu = None
    if style_columns(CANONICAL_STYLE)[0] in sums:
        bleu = style_bleu(sums, CANONICAL_STYLE)
    figures: dict[str, float] = {}
    for setup in SETUPS:
        if setup_figure_name(setup, "inform") in sums:
            figures |= setup_formula(sums, setup, bleu)
    return figures


def setup_formula(sums: Sums, setup: str, bleu: float | None) -> Figures:
    """Return figure -> percent of one set-up; without BLEU there is no combined score."""
    inform_name, success_name = (setup_figure_name(setup, rate) for rate in ("inform", "success"))
    inform = percent(sums[inform_name], sums[DIALOGUES])
    success = percent(sums[success_name], sums[DIALOGUES])
    figures = {inform_name: inform, success_name: success}
    if bleu is not None:
        figures[setup_figure_name(setup, "combined")] = combined(inform, success, bleu)
    return figures


def setup_figures() -> list[Figure]:
    """Return the figures of every set-up."""
    figures = []
    for setup, named in SETUPS.items():
        is_main = setup == MAIN_SETUP
        use: Literal["reported", "detail"] = "reported" if is_main else "detail"
        suffix = "" if is_main else f", {setup}"
        for rate in ("inform", "success"):
            name = setup_figure_name(setup, rate)
            # An expectation is no number of dialogues won.
            won = None if COMPARISONS[named.setup.comparison].random else name
            title = rate.capitalize() + suffix
            figures.append(
                Figure(name, title, 1, interval_digits=1, main=is_main, use=use, won=won)
            )
        name = setup_figure_name(setup, "combined")
        title = "Combined" + suffix
        figures.append(Figure(name, title, 1, main=is_main, use=use, highest=200.0))
    return figures


def domains_table(_: Presentation, results: Results) -> str:
    """Return the rates by domain as a table; the totals head every report."""
    headers = ["domain"]
    for setup in results:
        headers += [f"Inform {setup}", f"Success {setup}"]
    first = next(iter(results.values()))
    rows = []
    for domain in sorted(first.inform.keys() - {TOTAL}):
        row = [domain]
        for scores in results.values():
            row += [figure(scores.inform[domain]), figure(scores.success[domain])]
        rows.append(row)
    return text_table(headers, rows)


METRIC = Metric(
    name="inform",
    presentation=Presentation(
        title="Inform and Success",
        figures=setup_figures(),
        text=domains_table,
    ),
    rows=inform_rows,
    formula=formula,
    value=setup_scores,
    result=dict.fromkeys(SETUPS, SetupScores),
    details=outcomes_by_setup,
    takes_samples=True,
)


# What a submission that plays only part of the benchmark scores at least. The leaderboard ranks
# incomplete submissions by it.


@dataclass(frozen=True)
class LowerBound:
    """Totals over the whole benchmark, in the strict set-up; None where not asked for.

    Attributes:
        bleu: BLEU against the canonical references, in percent.
        inform: Inform, in percent.
        success: Success, in percent.
        combined: (Inform + Success) / 2 + BLEU.
    """

    bleu: float | None
    inform: float | None
    success: float | None
    combined: float | None


def padded_bleu(played: Played) -> float:
    """Return BLEU in percent if every missing turn is played with an empty response."""
    padded = {}
    for dialogue, gold in played.benchmark.dialogues.items():
        responses = list(played.responses.get(dialogue, ()))
        missing = gold.turns - len(responses)
        padded[dialogue] = responses + missing * [""]
    references = played.references
    style = references.styles.index(CANONICAL_STYLE)
    counts = references.counts_of(padded)[:, style]
    return bleu_of_counts(counts.sum(axis=0).tolist())


def lower_bound(played: Played) -> Results:
    """Return the lower bound of a submission's scores; nothing if it plays every turn.

    What is missing counts as failed in Inform and Success, and in BLEU as an empty response.
    """
    if played.submission.turns == played.benchmark.turns:
        return {}
    bleu = padded_bleu(played) if "bleu" in played.metrics else None
    if "inform" not in played.metrics or MAIN_SETUP not in chosen_setups(played.setup):
        return {"lower_bound": LowerBound(bleu, None, None, None)}
    strict = rates(outcomes(played, MAIN_SETUP).values())
    share = len(played.responses) / len(played.benchmark.dialogues)
    inform, success = share * strict["inform"][TOTAL], share * strict["success"][TOTAL]
    bound = LowerBound(bleu, inform, success, combined(inform, success, bleu))
    return {"lower_bound": bound}


def bound_table(_: Presentation, results: Results) -> str:
    """Return the lower bound as a table."""
    bound = results["lower_bound"]
    values = [bound.bleu, bound.inform, bound.success, bound.combined]
    headers = ["of the whole benchmark", "BLEU", "Inform", "Success", "Combined"]
    return text_table(headers, [["at least", *map(figure, values)]])


LOWER_BOUND = Metric(
    name="lower_bound",
    presentation=Presentation(
        title="Lower bound",
        text=bound_table,
    ),
    value=lower_bound,
    result={"lower_bound": LowerBound},
)
