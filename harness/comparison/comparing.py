"""Comparing systems: scores with intervals, differences, and whether chance explains them.

Two systems are compared on the dialogues that both submit, each with all the turns it plays. Scores
and intervals of a system are of all that it plays itself, as `mwz score` gives them.

Tests are two-sided. Inform and Success, rates of dialogues, have McNemar's exact test; everything
else has approximate randomisation, or the paired bootstrap as sacreBLEU computes it. p-values of
several systems against one baseline are corrected by Holm.

Source: McNemar (1947); Riezler and Maxwell (2005); Koehn (2004); Holm (1979).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError, counted
from ..io import Table, best_cells, figure, formatted, printable, signed
from ..metrics import Figure, response_metrics
from ..signature import PLACEHOLDERS, Comparability, comparable_group
from .evidence import BLOCK, Evidence, interval_ends, intervals_of, resampled_signature
from .interval import (
    DEFAULT_TEST,
    INTERVAL_LEVEL,
    INTERVAL_SAMPLES,
    SEED,
    SIGNIFICANCE,
    TEST_SAMPLES,
    Interval,
    Spread,
    main_figures,
    p_text,
    p_words,
    spread_of,
)

if TYPE_CHECKING:
    import numpy.typing as npt

FORMAT = 2
"""Version of the layout of a comparison as JSON."""

MCNEMAR = "mcnemar"


@dataclass(frozen=True)
class Difference:
    """A figure of two systems, on the dialogues that both submit, in the figure's own unit.

    Attributes:
        a: The figure of the first system.
        b: That of the second one.
        difference: b minus a: of a system and its baseline, positive where the system has more.
        p: How often chance alone would make such a difference, or a larger one.
        p_holm: p after Holm's correction for the number of systems that are compared with the
            baseline by this figure.
        test: How p was computed: "mcnemar", "randomisation" or "bootstrap".
        only_a: The dialogues that only the first system wins, where the figure is a rate of them.
        only_b: Those that only the second one wins.
        low: The lower end of the difference's interval, by bootstrap samples of the dialogues; None
            where it is not computed.
        high: Its upper end.
    """

    a: float
    b: float
    difference: float
    p: float
    p_holm: float
    test: str
    only_a: int | None = None
    only_b: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def significant(self) -> bool:
        """Whether the systems differ significantly, all systems considered."""
        return self.p_holm < SIGNIFICANCE

    def to_dict(self) -> dict[str, object]:
        """Return the difference as JSON types."""
        values = {name: value for name, value in asdict(self).items() if value is not None}
        return {**values, "significant": self.significant}


@dataclass(frozen=True)
class Pair:
    """Two systems, compared.

    Attributes:
        a: Name of the first system, the baseline.
        b: Name of the second one.
        dialogues: The dialogues that both submit.
        differences: Figure -> difference.
        notes: What differs between their signatures and does not forbid the comparison.
    """

    a: str
    b: str
    dialogues: int
    differences: Mapping[str, Difference]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """Systems compared with a baseline.

    Attributes:
        baseline: Its name; None where seeds are shown without one.
        dialogues: The dialogues that all systems play.
        figures: What was compared: name -> figure.
        systems: All systems, the baseline first, with the signature of scores, intervals and test.
        intervals: Of each system, figure -> interval.
        pairs: The baseline with each of the others.
        seeds: Names of the systems that are seeds of one.
        spread: Figure -> its spread over these seeds.
    """

    baseline: str | None
    dialogues: int
    figures: Mapping[str, Figure]
    systems: Sequence[Evidence]
    intervals: Sequence[Mapping[str, Interval]]
    pairs: Sequence[Pair]
    seeds: tuple[str, ...] = ()
    spread: Mapping[str, Spread] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as JSON types."""
        systems = []
        for system, intervals in zip(self.systems, self.intervals, strict=True):
            systems.append(
                {
                    "name": system.name,
                    "signature": str(system.signature),
                    "signature_fields": system.signature.to_dict(),
                    "dialogues": len(system.dialogues),
                    "scores": {name: asdict(interval) for name, interval in intervals.items()},
                }
            )
        pairs = []
        for pair in self.pairs:
            compared: dict[str, object] = {"a": pair.a, "b": pair.b, "dialogues": pair.dialogues}
            compared["notes"] = list(pair.notes)
            for name, difference in pair.differences.items():
                compared[name] = difference.to_dict()
            pairs.append(compared)
        document: dict[str, object] = {
            "format": FORMAT,
            "baseline": self.baseline,
            "dialogues": self.dialogues,
            "systems": systems,
            "pairs": pairs,
        }
        if self.seeds:
            spread = {name: asdict(over_seeds) for name, over_seeds in self.spread.items()}
            document["seeds"] = {"names": list(self.seeds), "scores": spread}
        return document

    def text(self, format_: str = "text") -> str:
        """Return the comparison in one of `FORMATS`: its tables.

        They are the scores with intervals, the differences, and the spread over seeds if there is
        one, with the figures that papers compare systems by. CSV has the scores alone: one table is
        all that it can hold. In plain text, what follows of each pair in words comes first.
        """
        figures = main_figures(self.figures)
        tables = [_scores_table(self, figures)]
        if self.pairs:
            tables.append(_differences_table(self, figures))
        if self.seeds:
            rows = []
            data = []
            for name, score in figures.items():
                spread, digits = self.spread[name], score.interval_digits
                values = (spread.mean, spread.deviation, spread.lowest, spread.highest)
                rows.append([score.title, *(figure(value, digits) for value in values)])
                data.append({"figure": name, **asdict(spread)})
            title = f"Over {len(self.seeds)} seeds: {', '.join(self.seeds)}"
            headers = ["", "mean", "standard deviation", "lowest", "highest"]
            tables.append(Table("seeds", title, headers, rows, data))
        if format_ != "text":
            return formatted(tables, format_)
        verdicts = ["\n".join(_verdict(pair, figures)) for pair in self.pairs]
        text = "\n\n".join([*verdicts, formatted(tables, format_)])
        return f"{printable(text).rstrip()}\n"


def compare(
    baseline: Evidence | None,
    systems: Sequence[Evidence],
    test: str = DEFAULT_TEST,
    samples: int | None = None,
    seed: int = SEED,
    seeds: Sequence[str] = (),
) -> Comparison:
    """Compare systems with a baseline.

    Args:
        baseline: The baseline; None to compare nothing, and show seeds alone.
        systems: At least one system, each with the same metrics as the baseline.
        test: A key of `TESTS`, for all figures that are no rates of dialogues won.
        samples: How many samples the test takes; None for what is usual.
        seed: The seed of the test and of the intervals.
        seeds: Names of those of the systems that are seeds of one, or none.

    Raises:
        InputError: Signatures do not compare, or two systems share no dialogue.
    """
    if samples is None:
        samples = TEST_SAMPLES[test]
    everyone = list(systems)
    if baseline is not None:
        everyone.insert(0, baseline)
    check_comparable(everyone)
    shared = set(everyone[0].dialogues)
    signed = []
    for system in everyone:
        shared &= set(system.dialogues)
        signature = resampled_signature(system.signature, seed, test=test, samples=str(samples))
        signed.append(replace(system, signature=signature))
    pairs = []
    if baseline is not None:
        pairs = compare_pairs(
            [(baseline, system) for system in systems], samples, seed, test, intervals=True
        )
    scores_of_seeds = [system.scores for system in systems if system.name in seeds]
    return Comparison(
        baseline=None if baseline is None else baseline.name,
        dialogues=len(shared),
        figures=everyone[0].figures,
        systems=signed,
        intervals=[intervals_of(system, seed=seed) for system in everyone],
        pairs=_corrected(pairs),
        seeds=tuple(seeds),
        spread=spread_of(scores_of_seeds) if seeds else {},
    )


def check_comparable(systems: Sequence[Evidence]) -> None:
    """Make sure that every system compares with the first one.

    Raises:
        InputError: With every reason why not.
    """
    first, *others = systems
    problems = []
    for other in others:
        reasons = list(_comparable(first, other).reasons)
        if set(first.dialogues).isdisjoint(other.dialogues):
            reasons.append("the systems have no dialogue in common")
        if first.figures.keys() != other.figures.keys():
            reasons.append(
                "different figures; score both with the same metrics and the same set-up"
            )
        problems += [f"{first.name} and {other.name}: {reason}" for reason in reasons]
    if problems:
        hints = []
        if len({system.signature.states for system in systems}) > 1:
            hints.append(
                "compare metrics that use no states, or use gold ones for all: leave out `state`"
            )
        if len({system.signature.gold for system in systems}) > 1:
            hints.append("name gold states that all are compared with: --gold VERSION")
        raise InputError("these scores do not compare", problems, hints)


def _comparable(system: Evidence, other: Evidence) -> Comparability:
    # What they cover is made equal, and the placeholders that entries add are their own.
    apart_from = ["coverage", PLACEHOLDERS]
    metrics = response_metrics()
    if all(name in metrics and "states" not in metrics[name].needs for name in system.statistics):
        apart_from.append("states")
    return system.signature.comparable_with(other.signature, apart_from)


def compare_pairs(
    pairs: Sequence[tuple[Evidence, Evidence]],
    samples: int,
    seed: int,
    test: str = DEFAULT_TEST,
    intervals: bool = False,
) -> list[Pair]:
    """Compare the two systems of each pair, on the dialogues that both submit.

    Args:
        pairs: Two systems with the same metrics each.
        samples: How many samples the test takes.
        seed: The seed of the test.
        test: A key of `TESTS`.
        intervals: Whether the differences have intervals.

    Returns:
        The pairs compared; p is not corrected.
    """
    # The same part of a system is the same object in all pairs: a test takes it once. Dialogues are
    # told apart by identity, as comparing ids for every pair takes a fifth of the time of a test.
    tuples: dict[tuple[str, ...], tuple[str, ...]] = {}
    systems = {id(system): system for system in chain.from_iterable(pairs)}
    played = {}
    for key, system in systems.items():
        played[key] = tuples.setdefault(system.dialogues, system.dialogues)
    parts: dict[tuple[int, int], Evidence] = {}
    common: list[tuple[Evidence, Evidence]] = []
    for a, b in pairs:
        dialogues, others = played[id(a)], played[id(b)]
        if dialogues is not others:
            of_other = set(others)
            shared = tuple(id_ for id_ in dialogues if id_ in of_other)
            dialogues = tuples.setdefault(shared, shared)
        for system in (a, b):
            if (id(system), id(dialogues)) not in parts:
                parts[id(system), id(dialogues)] = system.part(dialogues)
        common.append((parts[id(a), id(dialogues)], parts[id(b), id(dialogues)]))
    compared = []
    for (a, b), p_values in zip(common, TESTS[test](common, samples, seed), strict=True):
        differences = {}
        ends: dict[str, tuple[float, float]] = {}
        if intervals:
            first, second = (system.bootstrapped(INTERVAL_SAMPLES, seed) for system in (a, b))
            ends = {name: interval_ends(second[name] - first[name]) for name in a.scores}
        for name, value in a.scores.items():
            other, method = b.scores[name], test
            only_a = only_b = None
            if name in p_values:
                p = p_values[name]
            else:
                only_a = int(np.count_nonzero(a.won[name] & ~b.won[name]))
                only_b = int(np.count_nonzero(b.won[name] & ~a.won[name]))
                p, method = mcnemar(only_a, only_b), MCNEMAR
            differences[name] = Difference(
                value, other, other - value, p, p, method, only_a, only_b, *ends.get(name, ())
            )
        notes = _comparable(a, b).notes
        compared.append(Pair(a.name, b.name, len(a.dialogues), differences, notes))
    return compared


def _corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs with one baseline, p corrected per figure."""
    corrected: list[dict[str, Difference]] = [{} for _ in pairs]
    if pairs:
        for name in pairs[0].differences:
            differences = [pair.differences[name] for pair in pairs]
            p_values = holm([difference.p for difference in differences])
            for place, p_holm in enumerate(p_values):
                corrected[place][name] = replace(differences[place], p_holm=p_holm)
    return [replace(pair, differences=new) for pair, new in zip(pairs, corrected, strict=True)]


# ------------------------------------------------------------------------------------ tests

_ROUNDING = 1e-10
"""Differences that differ by less than this share of the figures are the same: the entropies are
not exact, and whether a sample reaches the observed difference must not hang on that."""


def mcnemar(only_a: int, only_b: int) -> float:
    """Return p of McNemar's exact test: min(1, 2 P(X <= min(b, c))), X binomial(b + c, 1/2).

    Args:
        only_a: The dialogues that only the first system wins.
        only_b: Those that only the second one wins.
    """
    tosses = only_a + only_b
    as_few = ways = 1
    for heads in range(min(only_a, only_b)):
        # From one binomial coefficient to the next, which takes a tenth of the time of each anew.
        ways = ways * (tosses - heads) // (heads + 1)
        as_few += ways
    # Whole numbers: nothing is rounded before they are divided.
    return float(min(1.0, 2 * as_few / 2**tosses))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values after Holm's correction, in the order given.

    The k-th smallest of m (from 0) is multiplied by m - k; none may be below a smaller one's.

    >>> holm([0.25, 0.125])
    [0.25, 0.25]
    """
    corrected = [0.0] * len(p_values)
    highest = 0.0
    ascending = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, place in enumerate(ascending):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return corrected


def swaps(dialogues: int, samples: int, seed: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield blocks of sample x dialogue -> whether two systems swap it, with probability 1/2."""
    generator = np.random.default_rng(seed)
    for start in range(0, samples, BLOCK):
        yield generator.integers(2, size=(min(BLOCK, samples - start), dialogues), dtype=bool)


def randomisation(
    pairs: Sequence[tuple[Evidence, Evidence]], samples: int, seed: int
) -> list[dict[str, float]]:
    """Return figure -> p of approximate randomisation, of each pair of systems.

    Rates of dialogues won are left out: they have McNemar's test.

    Two systems that are the same would differ as much if any dialogue were swapped between them.
    Every sample swaps each with probability 1/2; p = (c + 1) / (n + 1), with c the number of
    samples whose absolute difference is at least the observed one. Pairs with as many dialogues
    have the same samples, and what a system swaps in them is summed once for all of its pairs.

    Args:
        pairs: Two systems each, with the same dialogues and the same metrics.
        samples: n.
        seed: The seed.
    """
    reached = []
    observed = []
    places_by_size: dict[int, list[int]] = {}
    for place, (a, b) in enumerate(pairs):
        observed.append(_observed(a, b))
        reached.append(dict.fromkeys(observed[-1], 0))
        places_by_size.setdefault(len(a.dialogues), []).append(place)
    for dialogues, places in places_by_size.items():
        systems: dict[int, Evidence] = {}
        for place in places:
            for system in pairs[place]:
                systems[id(system)] = system
        tables = [system.table() for system in systems.values()]
        ends = np.cumsum([table.shape[1] for table in tables])
        table_of_all = np.hstack(tables)
        sums_of_table = table_of_all.sum(axis=0)
        for block in swaps(dialogues, samples, seed):
            # Column by column in memory, as formulas take them.
            sums_of_all = (table_of_all.T @ block.T.astype(np.float64)).T
            rest_of_all = sums_of_table - sums_of_all
            swapped_sums = dict(zip(systems, np.split(sums_of_all, ends[:-1], axis=1), strict=True))
            rest_sums = dict(zip(systems, np.split(rest_of_all, ends[:-1], axis=1), strict=True))
            for place in places:
                a, b = pairs[place]
                first = a.swapped(rest_sums[id(a)], b, swapped_sums[id(b)])
                second = b.swapped(rest_sums[id(b)], a, swapped_sums[id(a)])
                for name, (difference, rounding) in observed[place].items():
                    drawn = np.abs(first[name] - second[name])
                    has_reached = drawn >= difference - rounding
                    reached[place][name] += int(np.count_nonzero(has_reached))
    p_values = []
    for counts in reached:
        p_values.append({name: (count + 1) / (samples + 1) for name, count in counts.items()})
    return p_values


def paired_bootstrap(
    pairs: Sequence[tuple[Evidence, Evidence]], samples: int, seed: int
) -> list[dict[str, float]]:
    """Return figure -> p of the paired bootstrap, as sacreBLEU computes it, of each pair.

    p = (c + 1) / (n + 1), with c the number of samples in which the absolute difference exceeds the
    mean of all samples by more than the observed one. Systems that do not differ in any sample
    have p = 1, and so have any two on one dialogue, which resampling says nothing of; sacreBLEU's
    formula gives 1 / (n + 1) for both. The arguments are those of `randomisation`.
    """
    p_values = []
    for a, b in pairs:
        first, second = a.bootstrapped(samples, seed), b.bootstrapped(samples, seed)
        p_of_pair = {}
        for name, (difference, rounding) in _observed(a, b).items():
            values = np.abs(first[name] - second[name])
            reached = values - values.mean() > difference + rounding
            nothing = len(a.dialogues) == 1 or values.max() <= rounding
            p_of_pair[name] = 1.0 if nothing else (int(reached.sum()) + 1) / (samples + 1)
        p_values.append(p_of_pair)
    return p_values


TESTS: Mapping[
    str, Callable[[Sequence[tuple[Evidence, Evidence]], int, int], list[dict[str, float]]]
] = {"randomisation": randomisation, "bootstrap": paired_bootstrap}
"""Name -> paired test by resampling; `TEST_SAMPLES` says how many samples each takes."""


def _observed(a: Evidence, b: Evidence) -> dict[str, tuple[float, float]]:
    """Return figure -> the absolute difference, and how far rounding may move it.

    Rates of dialogues that both win are left out.
    """
    observed = {}
    for name, value in a.scores.items():
        if name not in a.won or name not in b.won:
            other = b.scores[name]
            rounding = _ROUNDING * max(abs(value), abs(other), 1.0)
            observed[name] = (abs(value - other), rounding)
    return observed


# ----------------------------------------------------------------------------------- shown


def _verdict(pair: Pair, figures: Mapping[str, Figure]) -> Iterator[str]:
    """Yield in words what follows of two systems, a line per figure."""
    both = counted(pair.dialogues, "dialogue")
    yield f"{pair.a} and {pair.b}, compared on the {both} that both submit\n"
    for name, score in figures.items():
        difference, digits = pair.differences[name], score.interval_digits
        values = f"{figure(difference.a, digits)} and {figure(difference.b, digits)}"
        chance = p_words(difference.p_holm)
        if difference.significant:
            more, less = pair.a, pair.b
            if difference.difference > 0:
                more, less = pair.b, pair.a
            amount = figure(abs(difference.difference), digits)
            verdict = f"{more} has {amount} more than {less}, {chance}"
        else:
            verdict = f"not significantly different, {chance}"
        if difference.only_a is not None:
            verb = "is" if difference.only_a == 1 else "are"
            won = f"{counted(difference.only_a, 'dialogue')} {verb} won by {pair.a} only"
            verdict += f"; {won}, {difference.only_b} by {pair.b} only"
        yield f"{score.title} {values}: {verdict}"
    for note in pair.notes:
        yield f"note: {note}"


def _scores_table(comparison: Comparison, figures: Mapping[str, Figure]) -> Table:
    systems = comparison.systems
    group = comparable_group([system.signature for system in systems], (PLACEHOLDERS,))
    rows, data = [], []
    cells: list[list[str]] = []
    ranked: list[list[float | None]] = []
    for place, system in enumerate(systems):
        intervals = comparison.intervals[place]
        # No seed of a system is the best.
        is_ranked = place in group and system.name not in comparison.seeds
        row = [system.name, str(len(system.dialogues))]
        record: dict[str, object] = {"name": system.name, "dialogues": len(system.dialogues)}
        ranked.append([])
        cells.append([])
        for name, score in figures.items():
            interval = intervals[name]
            row.append(interval.text(score.interval_digits))
            record[name] = interval.value
            record[f"{name}_low"] = interval.low
            record[f"{name}_high"] = interval.high
            # Nothing is the best of what no paper ranks by, such as length.
            ranked[-1].append(interval.value if score.main and is_ranked else None)
            cells[-1].append(figure(interval.value, score.interval_digits))
        rows.append(row)
        data.append({**record, "signature": str(system.signature)})
    best = best_cells(ranked, cells)
    return Table(
        name="systems",
        title=f"Scores with {INTERVAL_LEVEL} % intervals",
        headers=["", "dialogues", *(score.title for score in figures.values())],
        rows=rows,
        data=data,
        notes=list(dict.fromkeys(str(system.signature) for system in systems)),
        best={(row, column + 2) for row, column in best},
    )


_TESTED = ("difference", "low", "high", "p", "p_holm", "test", "only_a", "only_b")
"""What tables for programs have of a `Difference`."""


def _with_ends(difference: Difference, digits: int) -> str:
    """Return a difference with its interval: `-2.0 [-3.1, -0.8]`."""
    text = signed(difference.difference, digits)
    if difference.low is None or difference.high is None:
        return text
    return f"{text} [{signed(difference.low, digits)}, {signed(difference.high, digits)}]"


def _differences_table(comparison: Comparison, figures: Mapping[str, Figure]) -> Table:
    rows: list[list[str]] = []
    data = []
    best = set()
    for pair in comparison.pairs:
        for name, score in figures.items():
            difference = pair.differences[name]
            if difference.significant:
                best.add((len(rows), 2))
            rows.append(
                [
                    pair.b,
                    score.title,
                    _with_ends(difference, score.interval_digits),
                    p_text(difference.p),
                    p_text(difference.p_holm),
                    "–" if difference.only_a is None else str(difference.only_a),
                    "–" if difference.only_b is None else str(difference.only_b),
                ]
            )
            values = {field: getattr(difference, field) for field in _TESTED}
            data.append({"a": pair.a, "b": pair.b, "figure": name, **values})
    only_baseline = f"only {comparison.baseline}"
    return Table(
        name="pairs",
        title=f"Differences from {comparison.baseline}",
        headers=["", "", "difference", "p", "p (Holm)", only_baseline, "only system"],
        rows=rows,
        data=data,
        notes=[
            f"difference: system minus {comparison.baseline}, with its {INTERVAL_LEVEL} % interval",
            "only: dialogues that only one wins",
            "p is corrected by Holm for the number of systems",
        ],
        best=best,
    )
