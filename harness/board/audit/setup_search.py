"""Why a reported figure differs: the submission under every combination of set-ups.

The axes are those along which the systems' own evaluations differ (table 3 of "Shades of BLEU,
Flavours of Success", 2021): reference style and tokenisation for BLEU; for Inform and Success the
comparison of venues, their updates, reduced search, the sources of active domains and belief
states, and the rule set. Beside all combinations of these stand the set-ups that have a name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, reduce
from itertools import product
from typing import Any, TypeAlias

from mwz.database import VenueDatabase
from mwz.normalization import DEFAULT_RULES, Aliases, RuleSet, published_rule_sets

from ...benchmark import REFERENCE
from ...data import loaded_once
from ...errors import InputError
from ...metrics import (
    COMPARISONS,
    SETUPS,
    UPDATES,
    PlayedDialogue,
    References,
    Setup,
    bleu_of_counts,
    matched,
    percent,
    play,
    steps,
    tokenize_13a,
)
from ...scoring import (
    Scorer,
    check_predictions,
    database_of,
    harness_submission,
    normalize,
    run,
    sources_of,
)
from ...submission import NormalizedSubmission
from ..reported import PrintedFigure, ReportedFigures
from ..systems import OwnSetup

ALL_SETUPS = tuple(
    Setup(comparison, updates, reduced)
    for comparison, updates, reduced in product(COMPARISONS, UPDATES, (False, True))
    if comparison != "lasting" and updates != "any"
)
"""Every combination of the ways that table 3 tells apart."""

TOKENIZERS: Mapping[str, Callable[[str], Sequence[str]]] = {
    "13a": tokenize_13a,
    # As the benchmark's original script does.
    "none": str.split,
    "lowered": lambda text: text.lower().split(),
}
"""Ways to tokenise for BLEU. Scores are made with "13a"; the others explain figures of papers."""

# What table 3 says of a system's tokenisation -> the tokenisation here that comes nearest. NLTK's
# splits off punctuation, as 13a does.
_STATED_TOKENIZERS = {
    "word": "none",
    "sub-word": "none",
    "word, NLTK": "13a",
    "sub-word, NLTK": "13a",
}

_STATED_WAYS = ("domains", "comparison", "updates", "reduced_search")
"""What table 3 says of how a system's authors computed Inform and Success."""


@dataclass(frozen=True)
class Point:
    """What one combination of ways to score gives.

    Attributes:
        ways: The combination. Of BLEU: `style` and `tokenization`. Of Inform and Success: `rules`,
            `states`, `domains`, and the fields of a `Setup`; of a set-up with a name, `setup`.
        figures: Metric -> figure, in percent; expected, where venues are drawn at random. Beside
            the rates stand `inform_deviation` and `success_deviation`, standard deviations in
            points.
    """

    ways: Mapping[str, Any]
    figures: Mapping[str, float]

    def reported(self, claim: ReportedFigures) -> list[str]:
        """Return the metrics of its figures that a source reports."""
        return [name for name in self.figures if name in claim.figures]

    def equals(self, claim: ReportedFigures) -> bool:
        """Return whether it gives all of its figures that a source reports."""
        for name in self.reported(claim):
            if not PrintedFigure(claim.figures[name], self.figures[name]).equal:
                return False
        return True

    def off_by(self, claim: ReportedFigures) -> float:
        """Return how far it is from the figures reported in all, in points."""
        off_by = 0.0
        for name in self.reported(claim):
            off_by += abs(self.figures[name] - float(claim.figures[name]))
        return off_by

    def stated(self, setup: OwnSetup | None) -> bool:
        """Whether this is how the system's authors say they computed the figures."""
        if setup is None:
            return False
        if "style" in self.ways:
            tokenization = _STATED_TOKENIZERS.get(setup.tokenization or "")
            return (self.ways["style"], self.ways["tokenization"]) == (setup.style, tokenization)
        return all(self.ways[name] == getattr(setup, name) for name in _STATED_WAYS)

    @property
    def description(self) -> str:
        """The combination in words, or the set-up's name."""
        if "style" in self.ways:
            words = "{style} references, tokenisation {tokenization}"
        elif "setup" in self.ways:
            words = "set-up {setup}, states {states}, rules {rules}"
        else:
            words = (
                "venues by {comparison}, updates at {updates}, {search} search, domains {domains}, "
                "states {states}, rules {rules}"
            )
        search = "reduced" if self.ways.get("reduced_search") else "full"
        return words.format(search=search, **self.ways)


@dataclass(frozen=True)
class SetupSearch:
    """A submission under every combination that it allows.

    Attributes:
        bleu: BLEU by style and tokenisation.
        rates: Inform and Success by all other axes.
        named: Inform and Success under the set-ups that have a name, and every rule set.
    """

    bleu: tuple[Point, ...] = ()
    rates: tuple[Point, ...] = ()
    named: tuple[Point, ...] = ()

    def alternatives(self, claim: ReportedFigures, metric: str) -> Iterator[tuple[str, float]]:
        """Yield what a reported figure may be: a combination in words, and what it scores.

        Expectations, which nobody can have had but by chance, are none. A combination matches
        reported rates only if it gives all of them, Inform and Success alike: among hundreds, some
        meet a single figure by chance.
        """
        if metric == "bleu":
            yield from ((point.description, point.figures[metric]) for point in self.bleu)
        elif metric in ("inform", "success"):
            for point in (*self.named, *self.rates):
                if not COMPARISONS[point.ways["comparison"]].random and point.equals(claim):
                    yield point.description, point.figures[metric]


AuditedOutputs: TypeAlias = tuple[bytes | str, str | None, Aliases | None]
"""What set-ups are searched for: the (unpacked) predictions file, or the reference style to score
as a system; the name of the benchmark, None for the default one; and the placeholders that are read
besides those of the rule sets.
"""


def search_setups(
    outputs: Mapping[str, AuditedOutputs], workers: int | str
) -> Iterator[tuple[str, SetupSearch]]:
    """Yield submissions under every combination, as they come.

    Args:
        outputs: Name of a submission -> its outputs.
        workers: How many processes to use, or the address of a Dask scheduler.

    Raises:
        InputError: Some predictions are no submission to their benchmark, or the process that
            searched was killed.
    """
    # Jobs share a benchmark, which nearly always is that of all.
    by_benchmark: dict[str | None, dict[str, AuditedOutputs]] = {}
    for name, audited in outputs.items():
        _, benchmark, _ = audited
        by_benchmark.setdefault(benchmark, {})[name] = audited
    for benchmark, jobs in by_benchmark.items():
        searches = run(_searched, list(jobs.items()), loaded_once(benchmark), workers)
        for name, search in zip(jobs, searches, strict=True):
            if isinstance(search, InputError):
                raise search
            yield name, search


def nearest(points: Iterable[Point], claim: ReportedFigures) -> list[Point]:
    """Return combinations by how near they come to what is reported; none if nothing is."""
    comparable = [point for point in points if point.reported(claim)]
    return sorted(comparable, key=lambda point: point.off_by(claim))


def nearest_named(search: SetupSearch, claim: ReportedFigures) -> list[Point]:
    """Return the named set-ups by how near they come to the Inform and Success reported.

    Each is there once, under the rule set that brings it nearest; of equally near ones, the first
    of `SETUPS`, under the oldest rules, comes first.
    """
    order = list(SETUPS)
    points = sorted(search.named, key=lambda point: order.index(point.ways["setup"]))
    by_name: dict[str, Point] = {}
    for point in nearest(points, claim):
        by_name.setdefault(point.ways["setup"], point)
    return list(by_name.values())


def _searched(scorer: Scorer, name: str, outputs: AuditedOutputs) -> SetupSearch:
    """Search the set-ups of a submission.

    Args:
        scorer: A scorer of its benchmark, with default options.
        name: What messages call the submission.
        outputs: Its outputs.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    content, _, aliases = outputs
    checked = content if isinstance(content, str) else check_predictions(scorer, content, name)
    scorers = {}
    submissions = {}
    for rules in published_rule_sets():
        ruled = scorer.with_options(rules=rules, placeholders=aliases)
        scorers[rules] = ruled
        if isinstance(checked, str):
            submissions[rules] = harness_submission(ruled, checked)
        else:
            submissions[rules] = normalize(ruled, checked)
    main = submissions[DEFAULT_RULES]
    bleu = []
    for tokenization in TOKENIZERS:
        references = _references(scorer, tokenization)
        counts = references.counts_of(main.responses).sum(axis=0).tolist()
        for style, style_counts in zip(references.styles, counts, strict=True):
            ways = {"style": style, "tokenization": tokenization}
            bleu.append(Point(ways, {"bleu": bleu_of_counts(style_counts)}))
    rates: list[Point] = []
    named: list[Point] = []
    for rules, (states, names) in product(scorers, _sources(main, scorer).items()):
        # The goal is no belief state; only named set-ups query with it.
        combined = () if states == "goal" else ALL_SETUPS
        for domains in names:
            dialogues = play(submissions[rules], scorer.benchmark, states, domains)
            setups = (*combined, *(SETUPS[name].setup for name in names[domains]))
            sources = {"rules": rules, "states": states, "domains": domains}
            database = database_of(scorers[rules])
            rates_by_setup = setup_rates(dialogues, setups, database, scorers[rules].rules)
            points = {}
            for setup, figures in rates_by_setup.items():
                points[setup] = Point({**sources, **asdict(setup)}, figures)
            rates += [points[setup] for setup in combined]
            for setup_name in names[domains]:
                point = points[SETUPS[setup_name].setup]
                named.append(replace(point, ways={"setup": setup_name, **point.ways}))
    return SetupSearch(tuple(bleu), tuple(rates), tuple(named))


def _sources(submission: NormalizedSubmission, scorer: Scorer) -> dict[str, dict[str, list[str]]]:
    """Return the sources of states, and of domains, to try -> the named set-ups that have them.

    A named set-up that leaves them open takes those that the submission is scored with. Those that
    need placeholders that name their domain are left out where there are none.
    """
    states, domains = ["gold"], ["states", "gold"]
    if submission.predicts_states:
        states.append("predicted")
    if submission.predicts_domains:
        domains.append("predicted")
    if submission.names_domains:
        domains.append("slots")
    names: dict[str, dict[str, list[str]]] = {}
    for state_source in states:
        names[state_source] = {domain_source: [] for domain_source in domains}
    usual_states, usual_domains = sources_of(scorer.options, submission)
    for name, named in SETUPS.items():
        state_source, domain_source = named.states or usual_states, named.domains or usual_domains
        if domain_source != "slots" or submission.names_domains:
            names.setdefault(state_source, {}).setdefault(domain_source, []).append(name)
    return names


@lru_cache(maxsize=len(TOKENIZERS))
def _references(scorer: Scorer, tokenization: str) -> References:
    dialogues = scorer.benchmark.dialogues.items()
    references = {id_: dialogue.references for id_, dialogue in dialogues}
    return References.of_texts(references, TOKENIZERS[tokenization])


_STEPS = 101
"""Figures tried between the least and the greatest, per metric."""


def nearness(search: SetupSearch, claim: ReportedFigures) -> list[dict[str, Any]]:
    """Return how near a search comes to a reported BLEU, and to the reported rates together.

    Returns:
        `figures`, the metrics; `tried`, how many combinations there are; `off_by`, how far the
        nearest is off in all, in points; `as_near`, how many are no further off than the nearest by
        half a printed digit per metric, and `share`, the same in percent of those tried; and
        `by_chance`: of all figures between the least and the greatest of the combinations, evenly
        spaced, the percentage to which some combination comes as near as the nearest does.
    """
    # Imports NumPy late: it takes 0.1 s, and only --explain needs it.
    import numpy as np

    def distances_of(places: Iterable[Any], point: Iterable[float]) -> Any:
        # The sum of few long arrays is quicker than many sums of few numbers.
        axes = zip(places, point, strict=True)
        return sum(np.abs(values - figure) for values, figure in axes)

    near = []
    for points in filter(None, (search.bleu, search.rates)):
        names = points[0].reported(claim)
        printed = [claim.figures[name] for name in names]
        if not names:
            continue
        tried = np.array([[point.figures[name] for point in points] for name in names])
        distances = distances_of(tried, map(float, printed))
        off_by = float(distances.min())
        digit = sum(0.5 * 10.0 ** -PrintedFigure(figure).digits for figure in printed)
        as_near = int((distances <= off_by + digit + 1e-9).sum())
        axes = [np.linspace(values.min(), values.max(), _STEPS) for values in tried]
        places = [axis.ravel() for axis in np.meshgrid(*axes)]
        reached = np.zeros(len(places[0]), dtype=bool)
        for place in set(zip(*tried, strict=True)):
            reached |= distances_of(places, place) <= off_by + 1e-9
        shares = {"share": 100 * as_near / len(points), "by_chance": 100 * float(reached.mean())}
        counts = {"tried": len(points), "off_by": off_by, "as_near": as_near}
        near.append({"figures": names, **counts, **shares})
    return near


# ------------------------------------------------- the rates of one submission under many set-ups


def setup_rates(
    dialogues: Sequence[PlayedDialogue],
    setups: Iterable[Setup],
    database: VenueDatabase,
    rules: RuleSet,
) -> dict[Setup, dict[str, float]]:
    """Return set-up -> rates of played dialogues, each of which is followed twice.

    It is followed with full and with reduced search, with the look-ups of all ways to update; a
    set-up takes those of the turns in which it would have made one.

    Args:
        dialogues: The dialogues, with states and active domains of one source.
        setups: The set-ups.
        database: The venues under the rule set.
        rules: The rule set.

    Returns:
        `inform` and `success`, totals in percent, expected where venues are drawn at random; and
        `inform_deviation` and `success_deviation`, standard deviations in points, 0 without
        drawing.
    """
    distinct = [*dict.fromkeys(setups)]
    walk_of = [replace(setup, updates="any", comparison="subset") for setup in distinct]
    # Numbers stand for them, because set-ups take their time as keys.
    numbers = {walk: number for number, walk in enumerate(dict.fromkeys(walk_of))}
    places = [numbers[walk] for walk in walk_of]
    inform: list[list[float]] = [[] for _ in distinct]
    success: list[list[float]] = [[] for _ in distinct]
    for dialogue in dialogues:
        goal, last = dialogue.gold.goal, len(dialogue.responses) - 1
        provided, looked_up = {}, {}
        for (walk, place), domain in product(numbers.items(), goal):
            walked = [*steps(dialogue, domain, database, walk, rules)]
            slots = {slot for step in walked for slot in step.provided}
            provided[place, domain] = goal[domain].requestable <= slots
            for updates, is_due in UPDATES.items():
                answers = []
                for step in walked:
                    is_last, is_booked = step.turn == last, REFERENCE in step.slots
                    if step.venues is not None and is_due(
                        step.active, step.named, is_booked, is_last
                    ):
                        answers.append(step.venues)
                # Equal queries have one answer, which is kept: its identity stands for it.
                looked_up[place, domain, updates] = answers, tuple(map(id, answers))
        matches: dict[tuple[str, str, bool, tuple[int, ...]], float] = {}
        for setup, place, informs, successes in zip(distinct, places, inform, success, strict=True):
            chance = chance_of_both = 1.0
            for domain in goal:
                answers, identity = looked_up[place, domain, setup.updates]
                key = domain, setup.comparison, setup.unbooked_train, identity
                if key not in matches:
                    offered = reduce(COMPARISONS[setup.comparison].offer, answers, None)
                    matches[key] = matched(offered, dialogue, domain, database, setup, rules)
                chance *= matches[key]
                chance_of_both *= matches[key] * provided[place, domain]
            informs.append(chance)
            successes.append(chance_of_both)
    rates = {}
    for setup, informs, successes in zip(distinct, inform, success, strict=True):
        rates[setup] = {
            "inform": float(percent(math.fsum(informs), len(informs))),
            "success": float(percent(math.fsum(successes), len(successes))),
            "inform_deviation": _deviation(informs),
            "success_deviation": _deviation(successes),
        }
    return rates


def _deviation(chances: Sequence[float]) -> float:
    """Return the standard deviation, in points, of the share of independent chances that come."""
    variance = math.fsum(chance * (1 - chance) for chance in chances)
    return 100 * math.sqrt(max(variance, 0.0)) / len(chances) if chances else 0.0
