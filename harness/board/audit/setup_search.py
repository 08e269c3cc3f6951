"""Why a reported figure differs: the submission under every combination of set-ups.

The axes are those along which the systems' own evaluations differ (table 3 of "Shades of BLEU,
Flavours of Success", 2021): reference style and tokenisation for BLEU; for Inform and Success the
comparison of venues, their updates, reduced search, the sources of active domains and belief
states, and the rule set. Beside all combinations of these stand the set-ups that have a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import product
from typing import Any

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets
from mwz.normalization.rules.aliases import Aliases
from mwz.normalization.rules.registry import sha256

from ...benchmark import Benchmark
from ...data.installed import loaded_once
from ...errors import InputError
from ...io.store import Store, code_digest
from ...io.validation import validated
from ...metrics._references import TOKENIZATIONS, ReferenceIndex
from ...metrics.bleu import bleu_of_counts
from ...metrics.inform_success import TOTAL, inform_success
from ...metrics.played import PlayedDialogue, play
from ...metrics.setups import ALL_SETUPS, COMPARISONS, SETUPS, Setup
from ...scoring import Options, Scorer
from ...scoring.execution import Job, results, run
from ...scoring.options import chosen_domains, chosen_states
from ...submission import NormalizedSubmission, normalized_by_rules
from ..entries import OwnSetup
from .attainable import digits_of
from .reported import RATES, ReportedFigures

_STORE = Store("audit")

# What table 3 says of a system's tokenisation -> the tokenisation here that comes nearest. NLTK's
# splits off punctuation, as 13a does.
_STATED_TOKENIZATIONS = {
    "word": "none",
    "sub-word": "none",
    "word, NLTK": "13a",
    "sub-word, NLTK": "13a",
}


@dataclass(frozen=True)
class BleuPoint:
    """BLEU under one combination.

    Attributes:
        style: Reference style.
        tokenization: A key of `TOKENIZATIONS`.
        bleu: BLEU, in percent.
    """

    style: str
    tokenization: str
    bleu: float

    def distance(self, reported: ReportedFigures) -> float | None:
        """How far it is from a reported BLEU, in points; None if none is reported."""
        figure = reported.figures.get("bleu")
        return None if figure is None else abs(self.bleu - float(figure))

    def stated(self, own: OwnSetup | None) -> bool:
        """Whether this is how the system's authors say they computed BLEU."""
        return (
            own is not None
            and self.style == own.style
            and self.tokenization == _STATED_TOKENIZATIONS.get(own.tokenization or "")
        )


@dataclass(frozen=True)
class RatesPoint:
    """Inform and Success under one combination.

    Attributes:
        rules: Rule set.
        states: Source of belief states.
        domains: Source of active domains.
        setup: How they are computed.
        inform: Total Inform, in percent; expected, where venues are drawn at random.
        success: Total Success, alike.
        inform_deviation: Standard deviation of Inform, in points.
        success_deviation: Standard deviation of Success, in points.
        name: The name of the set-up, if it is a named one.
    """

    rules: str
    states: str
    domains: str
    setup: Setup
    inform: float
    success: float
    inform_deviation: float
    success_deviation: float
    name: str | None = None

    @property
    def random(self) -> bool:
        """Whether its rates are expectations, which nobody can have had but by chance."""
        return COMPARISONS[self.setup.comparison].random

    @property
    def description(self) -> str:
        """The combination in words, or the set-up's name."""
        if self.name is not None:
            return f"set-up {self.name}, states {self.states}, rules {self.rules}"
        search = "reduced" if self.setup.reduced_search else "full"
        return (
            f"venues by {self.setup.comparison}, updates at {self.setup.updates}, {search} search, "
            f"domains {self.domains}, states {self.states}, rules {self.rules}"
        )

    def distance(self, reported: ReportedFigures) -> float | None:
        """How far it is from a reported Inform and Success in all, in points."""
        figures = reported.figures
        gaps = [
            abs(getattr(self, name) - float(figures[name])) for name in RATES if name in figures
        ]
        return sum(gaps) if gaps else None

    def stated(self, own: OwnSetup | None) -> bool:
        """Whether this is how the system's authors say they computed the rates."""
        return own is not None and (
            self.domains,
            self.setup.comparison,
            self.setup.updates,
            self.setup.reduced_search,
        ) == (own.domains, own.comparison, own.updates, own.reduced_search)


@dataclass(frozen=True)
class Grid:
    """A submission under every combination that it allows.

    Attributes:
        bleu: BLEU by style and tokenisation.
        rates: Inform and Success by all other axes.
        named: Inform and Success under the set-ups that have a name, and every rule set.
    """

    bleu: tuple[BleuPoint, ...]
    rates: tuple[RatesPoint, ...]
    named: tuple[RatesPoint, ...] = ()


@dataclass(frozen=True)
class _Part:
    """A part of the grid, small enough to show progress by.

    Attributes:
        tokenization: The BLEU part with this tokenisation; None for a part of the rates.
        rules: Rule set of the rates.
        states: Source of belief states.
        domains: Source of active domains.
        named: The names of the set-ups with these sources.
    """

    tokenization: str | None
    rules: str = ""
    states: str = ""
    domains: str = ""
    named: tuple[str, ...] = ()


def explain(
    content: bytes | str,
    benchmark: str | None,
    workers: int,
    progress: Callable[[Iterable[Any], int], Iterable[Any]],
    scheduler: str | None = None,
    cache: bool = True,
    notify: Callable[[str], None] = lambda remark: None,
    aliases: Aliases | None = None,
) -> Grid:
    """Return a submission's grid, from the cache if it has been computed before.

    Args:
        content: The (unpacked) predictions file, or the reference style to score as a system.
        benchmark: Name of the benchmark; None for the default one.
        workers: How many processes to use.
        progress: Wraps the parts as they come (the second argument is their number).
        scheduler: The address of a Dask scheduler, whose cluster computes the parts.
        cache: Whether the grid is kept, and looked up.
        notify: Called with a remark if a process was killed.
        aliases: The placeholders that are read besides those of the rule sets.

    Raises:
        InputError: The predictions are no submission to the benchmark, or some part could not be
            computed because its process was killed.
    """
    loaded = loaded_once(benchmark)
    identity = _identity(content, loaded, aliases)
    cached = _cached(identity) if cache else None
    if cached is not None:
        return cached
    wanted = _parts(normalized_by_rules(content, loaded, "predictions", aliases)[DEFAULT_RULES])
    jobs = [Job("--workers", (content, aliases, part)) for part in wanted]
    coming = run(_computed, jobs, loaded, workers, scheduler, notify)
    parts = results(progress(coming, len(jobs)))
    grid = Grid(
        bleu=tuple(point for part in parts for point in part.bleu),
        rates=tuple(point for part in parts for point in part.rates),
        named=tuple(point for part in parts for point in part.named),
    )
    if cache:
        _STORE.put(identity, asdict(grid))
    return grid


def nearest_bleu(grid: Grid, reported: ReportedFigures, count: int) -> list[BleuPoint]:
    """Return the combinations whose BLEU is nearest to a reported one, the nearest first."""
    if "bleu" not in reported.figures:
        return []
    return sorted(grid.bleu, key=lambda point: point.distance(reported) or 0.0)[:count]


def nearest_rates(grid: Grid, reported: ReportedFigures, count: int) -> list[RatesPoint]:
    """Return the combinations whose Inform and Success are nearest to those reported."""
    if not any(name in reported.figures for name in RATES):
        return []
    return sorted(grid.rates, key=lambda point: point.distance(reported) or 0.0)[:count]


def nearest_named(grid: Grid, reported: ReportedFigures) -> list[RatesPoint]:
    """Return the named set-ups by how near they come to the Inform and Success reported.

    Each is there once, under the rule set that brings it nearest; of equally near ones, the first
    of `SETUPS`, under the oldest rules, comes first.
    """
    if not any(name in reported.figures for name in RATES):
        return []
    order = {name: place for place, name in enumerate(SETUPS)}
    points = sorted(grid.named, key=lambda p: (p.distance(reported) or 0.0, order[p.name or ""]))
    nearest: dict[str | None, RatesPoint] = {}
    for point in points:
        nearest.setdefault(point.name, point)
    return list(nearest.values())


def _parts(submission: NormalizedSubmission) -> list[_Part]:
    states = ["gold", *(["predicted"] if submission.predicts_states else [])]
    domains = ["states", "gold"]
    domains += ["predicted"] if submission.predicts_domains else []
    domains += ["slots"] if submission.names_domains else []
    own = Options()
    own_states, own_domains = chosen_states(submission, own), chosen_domains(submission, own)
    named: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, one in SETUPS.items():
        sources = (one.states or own_states, one.domains or own_domains)
        named[sources] = (*named.get(sources, ()), name)
    return [
        *(_Part(tokenization) for tokenization in TOKENIZATIONS),
        *(
            _Part(None, rules, *sources, named.get(sources, ()))
            for rules in published_rule_sets()
            for sources in product(states, domains)
        ),
    ]


def _computed(scorer: Scorer, content: bytes | str, aliases: Aliases | None, part: _Part) -> Grid:
    benchmark = scorer.benchmark
    submissions = _prepared(content, scorer, aliases)
    if part.tokenization is not None:
        responses = submissions[DEFAULT_RULES].responses()
        references = {id_: d.references for id_, d in benchmark.dialogues.items()}
        index = ReferenceIndex(references, TOKENIZATIONS[part.tokenization])
        scores = bleu_of_counts(index.statistics(responses))
        return Grid(tuple(BleuPoint(s, part.tokenization, bleu) for s, bleu in scores.items()), ())
    played = play(submissions[part.rules], benchmark, part.states, part.domains)
    ruled = scorer.with_options(rules=part.rules)
    return Grid(
        (),
        tuple(_rates(part, setup, played, ruled) for setup in ALL_SETUPS),
        tuple(_rates(part, SETUPS[name].setup, played, ruled, name) for name in part.named),
    )


def _rates(
    part: _Part,
    setup: Setup,
    played: Sequence[PlayedDialogue],
    scorer: Scorer,
    name: str | None = None,
) -> RatesPoint:
    rates = inform_success(played, scorer.database(), setup, scorer.rules)
    return RatesPoint(
        rules=part.rules,
        states=part.states,
        domains=part.domains,
        setup=setup,
        inform=rates.inform[TOTAL],
        success=rates.success[TOTAL],
        inform_deviation=rates.inform_deviation,
        success_deviation=rates.success_deviation,
        name=name,
    )


@lru_cache(maxsize=2)
def _prepared(
    content: bytes | str, scorer: Scorer, aliases: Aliases | None
) -> Mapping[str, NormalizedSubmission]:
    return normalized_by_rules(content, scorer.benchmark, "predictions", aliases)


def _identity(content: bytes | str, benchmark: Benchmark, aliases: Aliases | None) -> list[Any]:
    """Return everything that a grid depends on."""
    scorer = Scorer(benchmark, Options(placeholders=aliases))
    return [
        sha256(content),
        [scorer.with_options(rules=rules).signature().key for rules in published_rule_sets()],
        {"setups": [asdict(setup) for setup in ALL_SETUPS], "tokenizations": list(TOKENIZATIONS)},
        {name: asdict(named) for name, named in SETUPS.items()},
        code_digest(),
    ]


def _cached(identity: list[Any]) -> Grid | None:
    """Return the grid that is kept; None if there is none, or it is damaged."""
    document = _STORE.get(identity)
    try:
        return None if document is None else validated(Grid, document, "kept grid")
    except InputError:
        return None


_STEPS = 101
"""Figures tried between the least and the greatest, per metric."""


@dataclass(frozen=True)
class Nearness:
    """How near the combinations come to what is reported.

    Attributes:
        figures: The metrics.
        tried: How many combinations there are.
        off_by: How far the nearest is off, in points; of two metrics, in all.
        as_near: How many are no further off than the nearest by half a printed digit per metric.
        share: The same in percent of those tried.
        by_chance: Of all figures between the least and the greatest of the combinations, evenly
            spaced, the percentage to which some combination comes as near as the nearest does.
    """

    figures: tuple[str, ...]
    tried: int
    off_by: float
    as_near: int
    share: float
    by_chance: float


def nearness(grid: Grid, claim: ReportedFigures) -> list[Nearness]:
    """Return how near a grid comes to a reported BLEU, and to the reported rates together."""
    found = []
    figures = claim.figures
    if "bleu" in figures and grid.bleu:
        found.append(_nearness(("bleu",), [[p.bleu] for p in grid.bleu], figures))
    names = tuple(name for name in RATES if name in figures)
    if names and grid.rates:
        points = [[float(getattr(point, name)) for name in names] for point in grid.rates]
        found.append(_nearness(names, points, figures))
    return found


def _nearness(
    names: tuple[str, ...], points: Sequence[Sequence[float]], figures: Mapping[str, Decimal]
) -> Nearness:
    import numpy as np

    tried = np.array(points)
    distances = np.abs(tried - np.array([float(figures[name]) for name in names])).sum(axis=1)
    off_by = float(distances.min())
    digit = sum(0.5 * 10.0 ** -digits_of(figures[name]) for name in names)
    as_near = int((distances <= off_by + digit + 1e-9).sum())
    ends = (tried.min(axis=0), tried.max(axis=0))
    axes = [np.linspace(low, high, _STEPS) for low, high in zip(*ends, strict=True)]
    places = np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)
    reached = np.zeros(len(places), dtype=bool)
    for point in tried:
        reached |= np.abs(places - point).sum(axis=1) <= off_by + 1e-9
    return Nearness(
        figures=names,
        tried=len(tried),
        off_by=off_by,
        as_near=as_near,
        share=100 * as_near / len(tried),
        by_chance=100 * float(reached.mean()),
    )
