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
from itertools import chain, product
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
    normalize,
    run,
    sources_of,
)
from ...submission import NormalizedSubmission
from ..reported import PrintedFigure, ReportedFigures
from ..systems import OwnSetup

Data: TypeAlias = dict[str, Any]
"""Name -> JSON types."""

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
    def data(self) -> Data:
        """Ways and figures as JSON types."""
        return {**self.ways, **self.figures}

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
            for point in self.bleu:
                yield point.description, point.figures[metric]
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
    checked = check_predictions(scorer, content, name)
    scorers = {}
    submissions = {}
    for rules in published_rule_sets():
        ruled = scorer.with_options(rules=rules, placeholders=aliases)
        scorers[rules] = ruled
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
    sources_and_names = _sources(main, scorer)
    for (rules, ruled), (sources, names) in product(scorers.items(), sources_and_names):
        states, domains = sources["states"], sources["domains"]
        dialogues = play(submissions[rules], scorer.benchmark, states, domains)
        # The goal is no belief state; only named set-ups query with it.
        combined = () if states == "goal" else ALL_SETUPS
        setups = list(combined)
        for setup_name in names:
            setups.append(SETUPS[setup_name].setup)
        points = {}
        by_setup = setup_rates(dialogues, setups, database_of(ruled), ruled.rules)
        for setup, figures in by_setup.items():
            points[setup] = Point({"rules": rules, **sources, **asdict(setup)}, figures)
        for setup in combined:
            rates.append(points[setup])
        for setup_name in names:
            point = points[SETUPS[setup_name].setup]
            named.append(replace(point, ways={"setup": setup_name, **point.ways}))
    return SetupSearch(tuple(bleu), tuple(rates), tuple(named))


def _sources(
    submission: NormalizedSubmission, scorer: Scorer
) -> list[tuple[dict[str, str], list[str]]]:
    """Return the sources of states and of domains to try, with the named set-ups that have them.

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
    names: dict[tuple[str, str], list[str]] = {sources: [] for sources in product(states, domains)}
    usual_states, usual_domains = sources_of(scorer.options, submission)
    for name, named in SETUPS.items():
        sources = named.states or usual_states, named.domains or usual_domains
        if sources[1] != "slots" or submission.names_domains:
            names.setdefault(sources, []).append(name)
    tried = []
    for (state_source, domain_source), setups in names.items():
        tried.append(({"states": state_source, "domains": domain_source}, setups))
    return tried


@lru_cache(maxsize=len(TOKENIZERS))
def _references(scorer: Scorer, tokenization: str) -> References:
    dialogues = scorer.benchmark.dialogues.items()
    references = {id_: dialogue.references for id_, dialogue in dialogues}
    return References.of_texts(references, TOKENIZERS[tokenization])


_STEPS = 101
"""Figures tried between the least and the greatest, per metric."""


def nearness(search: SetupSearch, claim: ReportedFigures) -> list[Data]:
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

    near = []
    for points in (search.bleu, search.rates):
        metrics = points[0].reported(claim) if points else []
        if not metrics:
            continue
        # A row per metric, a column per combination.
        tried = np.empty((len(metrics), len(points)))
        for row, metric in enumerate(metrics):
            tried[row] = [point.figures[metric] for point in points]
        printed = np.array([[float(claim.figures[metric])] for metric in metrics])
        distances = np.abs(tried - printed).sum(axis=0)
        off_by = float(distances.min())
        half_digits = 0.0
        for metric in metrics:
            half_digits += 0.5 * 10.0 ** -PrintedFigure(claim.figures[metric]).digits
        as_near = int((distances <= off_by + half_digits + 1e-9).sum())
        axes = [np.linspace(values.min(), values.max(), _STEPS) for values in tried]
        places = np.array([axis.ravel() for axis in np.meshgrid(*axes)])
        reached = np.zeros(places.shape[1], dtype=bool)
        for point in np.unique(tried, axis=1).T:
            reached |= np.abs(places - point[:, np.newaxis]).sum(axis=0) <= off_by + 1e-9
        near.append(
            {
                "figures": metrics,
                "tried": len(points),
                "off_by": off_by,
                "as_near": as_near,
                "share": 100 * as_near / len(points),
                "by_chance": 100 * float(reached.mean()),
            }
        )
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
    distinct = list(dict.fromkeys(setups))
    walks = [replace(setup, updates="any", comparison="subset") for setup in distinct]
    # Numbers stand for walks, because set-ups take their time as keys.
    numbers = {walk: number for number, walk in enumerate(dict.fromkeys(walks))}
    places = [numbers[walk] for walk in walks]
    inform: list[list[float]] = [[] for _ in distinct]
    success: list[list[float]] = [[] for _ in distinct]
    for dialogue in dialogues:
        goal, last = dialogue.gold.goal, len(dialogue.responses) - 1
        provided, looked_up = {}, {}
        for (walk, place), domain in product(numbers.items(), goal):
            walked = list(steps(dialogue, domain, database, walk, rules))
            slots = set(chain.from_iterable(step.provided for step in walked))
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
