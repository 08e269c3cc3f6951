"""Comparing systems: scores with intervals, differences, and whether chance explains them.

Two systems are compared on the dialogues that both play, each with all the turns it plays. Scores
and intervals of a system are of all that it plays itself, as `mwz score` gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..errors import InputError, unknown
from ..metrics.statistics import Figure
from ..signature import PLACEHOLDERS, Comparability, Signature
from . import SEED
from .evidence import Evidence
from .interval import DEFAULT_TEST, SIGNIFICANCE, TEST_SAMPLES, Interval, Spread, spread_of
from .resampling import (
    MCNEMAR,
    TESTS,
    holm,
    interval_parameters,
    intervals_of,
    mcnemar,
    randomisations,
)


@dataclass(frozen=True)
class Difference:
    """A figure of two systems, on the dialogues that both play, in the figure's own unit.

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
    """

    a: float
    b: float
    difference: float
    p: float
    p_holm: float
    test: str
    only_a: int | None = None
    only_b: int | None = None

    @property
    def significant(self) -> bool:
        """Whether the systems can be told apart, all systems considered."""
        return self.p_holm < SIGNIFICANCE

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON types."""
        values = {name: value for name, value in asdict(self).items() if value is not None}
        return {**values, "significant": self.significant}


FORMAT = 2
"""Version of the layout of a comparison as JSON."""


@dataclass(frozen=True)
class Pair:
    """Two systems, compared.

    Attributes:
        a: Name of the first system, the baseline.
        b: Name of the second one.
        dialogues: The dialogues that both play.
        differences: Figure -> difference.
        notes: What differs between their signatures and does not forbid the comparison.
    """

    a: str
    b: str
    dialogues: int
    differences: Mapping[str, Difference]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON types."""
        return {
            "a": self.a,
            "b": self.b,
            "dialogues": self.dialogues,
            "notes": list(self.notes),
            **{name: one.to_dict() for name, one in self.differences.items()},
        }


@dataclass(frozen=True)
class System:
    """A system that is compared.

    Attributes:
        name: What it is called.
        signature: The signature of its scores and intervals, and of the test.
        dialogues: The dialogues it plays.
        scores: Figure -> interval.
    """

    name: str
    signature: Signature
    dialogues: int
    scores: Mapping[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """Return the system as JSON types."""
        return {
            "name": self.name,
            "signature": str(self.signature),
            "signature_fields": self.signature.to_dict(),
            "dialogues": self.dialogues,
            "scores": {name: asdict(interval) for name, interval in self.scores.items()},
        }


@dataclass(frozen=True)
class Comparison:
    """Systems compared with a baseline.

    Attributes:
        baseline: Its name; None where seeds are shown without one.
        dialogues: The dialogues that all systems play.
        figures: What was compared: name -> figure.
        systems: All systems, the baseline first.
        pairs: The baseline with each of the others.
        seeds: Names of the systems that are seeds of one.
        spread: Figure -> its spread over these seeds.
    """

    baseline: str | None
    dialogues: int
    figures: Mapping[str, Figure]
    systems: Sequence[System]
    pairs: Sequence[Pair]
    seeds: tuple[str, ...] = ()
    spread: Mapping[str, Spread] | None = None

    def shown(self, everything: bool = False) -> Comparison:
        """Return the comparison by those figures that papers compare systems by, if there are.

        Args:
            everything: Whether the others follow.
        """
        order = sorted(self.figures, key=lambda name: (not self.figures[name].main, name != "bleu"))
        main = [name for name in order if self.figures[name].main]
        chosen = order if everything or not main else main
        return replace(self, figures={name: self.figures[name] for name in chosen})

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON types."""
        spread = {name: asdict(one) for name, one in (self.spread or {}).items()}
        seeds = {"names": list(self.seeds), "scores": spread}
        return {
            "format": FORMAT,
            "baseline": self.baseline,
            "dialogues": self.dialogues,
            "systems": [system.to_dict() for system in self.systems],
            "pairs": [pair.to_dict() for pair in self.pairs],
            **({} if self.spread is None else {"seeds": seeds}),
        }


def compare(
    baseline: Evidence | None,
    systems: Sequence[Evidence],
    test: str = DEFAULT_TEST,
    samples: int | None = None,
    seed: int = SEED,
    seeds: Sequence[str] = (),
    progress: Callable[[Sequence[Evidence]], Iterable[Evidence]] = iter,
) -> Comparison:
    """Compare systems with a baseline.

    Args:
        baseline: The baseline; None to compare nothing, and show seeds alone.
        systems: At least one system, each with the same metrics as the baseline.
        test: A key of `TESTS`, for all figures that are no rates of dialogues won.
        samples: How many samples the test takes; None for what is usual.
        seed: The seed of the test and of the intervals.
        seeds: Names of those of the systems that are seeds of one, or none.
        progress: Wraps the systems as each is compared.

    Raises:
        InputError: Signatures do not compare, two systems share no dialogue, or the test, the
            samples or the seed cannot be used.
    """
    samples = _samples(test, samples, seed)
    first = [] if baseline is None else [baseline]
    known = [*first, *systems]
    check_comparable(known)
    pairs = [paired(b, one, test, samples, seed) for b in first for one in progress(systems)]
    return Comparison(
        baseline=None if baseline is None else baseline.name,
        dialogues=len(set.intersection(*(set(one.dialogues) for one in known))),
        figures=known[0].figures,
        systems=[
            System(
                one.name,
                _signature(one, test, samples, seed),
                len(one.dialogues),
                intervals_of(one, seed=seed),
            )
            for one in known
        ],
        pairs=_corrected(pairs),
        seeds=tuple(seeds),
        spread=spread_of([one.scores for one in systems if one.name in seeds]) if seeds else None,
    )


@dataclass(frozen=True)
class Neighbours:
    """How a row of a ranking compares with the row above and with the best.

    Attributes:
        name: The system.
        above: It and the row above; None for the first row, and where the two do not compare.
        best: It and the first row; None alike.
    """

    name: str
    above: Pair | None
    best: Pair | None


def neighbours(
    ranked: Sequence[Evidence],
    test: str = DEFAULT_TEST,
    samples: int | None = None,
    seed: int = SEED,
) -> list[Neighbours]:
    """Say of each row of a ranking whether it differs from the row above, and from the best.

    The p-values are of single comparisons, without correction.

    Args:
        ranked: The systems, the best first, with the same metrics.
        test: As for `compare`.
        samples: As for `compare`.
        seed: As for `compare`.
    """
    number = _samples(test, samples, seed)

    def pair(one: Evidence, other: Evidence) -> Pair | None:
        if not _comparable(one, other) or not set(one.dialogues) & set(other.dialogues):
            return None
        return paired(one, other, test, number, seed)

    found = []
    for rank, row in enumerate(ranked):
        above = pair(ranked[rank - 1], row) if rank > 0 else None
        best = pair(ranked[0], row) if rank > 1 else above
        found.append(Neighbours(row.name, above, best))
    return found


def _samples(test: str, samples: int | None, seed: int) -> int:
    """Return the number of samples of a test.

    Raises:
        InputError: There is no such test, or the samples or the seed cannot be used.
    """
    if test not in TESTS:
        raise InputError("test", unknown("test", test, TESTS))
    if samples is not None and samples < 1:
        raise InputError("samples", f"{samples}; give at least 1")
    if seed < 0:
        raise InputError("seed", f"{seed}; give at least 0")
    return TEST_SAMPLES[test] if samples is None else samples


def check_comparable(systems: Sequence[Evidence]) -> None:
    """Make sure that every system compares with the first one.

    Raises:
        InputError: With every reason why not.
    """
    first = systems[0]
    problems = [
        f"{first.name} and {other.name}: {reason}"
        for other in systems[1:]
        for reason in _comparable(first, other).reasons
    ] + [
        f"{first.name} and {other.name}: no dialogue is played by both"
        for other in systems[1:]
        if not set(first.dialogues) & set(other.dialogues)
    ]
    if problems:
        if len({one.signature.states for one in systems}) > 1:
            problems.append("use gold states for all by --states gold")
        raise InputError("these scores do not compare", problems)


def _comparable(one: Evidence, other: Evidence) -> Comparability:
    # What they cover is made equal, and the placeholders that entries add are their own.
    return one.signature.comparable_with(other.signature, apart_from=("coverage", PLACEHOLDERS))


def _signature(evidence: Evidence, test: str, samples: int, seed: int) -> Signature:
    """Return a signature with all that intervals and p-values depend on."""
    parameters = {
        **evidence.signature.parameters,
        "test": test,
        "samples": str(samples),
        **interval_parameters(seed=seed),
    }
    return replace(evidence.signature, parameters=parameters)


def paired(a: Evidence, b: Evidence, test: str, samples: int, seed: int) -> Pair:
    """Compare two systems on what both play; p is not corrected.

    Args:
        a: A system.
        b: Another one, which shares dialogues with it.
        test: As for `compare`.
        samples: As for `compare`.
        seed: As for `compare`.
    """
    first, second = _on_common(a, b)
    return _pair(first, second, TESTS[test](first, second, samples, seed), test)


def paired_all(pairs: Sequence[tuple[Evidence, Evidence]], samples: int, seed: int) -> list[Pair]:
    """Compare many pairs of systems as `paired` does by randomisation, in less time.

    Args:
        pairs: The two systems of each pair share dialogues; all have the same metrics.
        samples: As for `compare`.
        seed: As for `compare`.
    """
    common = [_on_common(a, b) for a, b in pairs]
    found = randomisations(common, samples, seed)
    return [_pair(a, b, ps, DEFAULT_TEST) for (a, b), ps in zip(common, found, strict=True)]


def _on_common(a: Evidence, b: Evidence) -> tuple[Evidence, Evidence]:
    """Return two systems on what both play."""
    played = set(b.dialogues)
    common = [id_ for id_ in a.dialogues if id_ in played]
    return a.part(common), b.part(common)


def _pair(first: Evidence, second: Evidence, ps: Mapping[str, float], test: str) -> Pair:
    """Return two systems with the same dialogues as a pair, with p of a test by resampling."""
    ours, theirs = first.scores, second.scores
    wins, other_wins = first.won(), second.won()
    differences = {}
    for name, value in ours.items():
        only_a = only_b = None
        p, how = ps[name], test
        if name in wins and name in other_wins:
            only_a = int((wins[name] & ~other_wins[name]).sum())
            only_b = int((other_wins[name] & ~wins[name]).sum())
            p, how = mcnemar(only_a, only_b), MCNEMAR
        other = theirs[name]
        differences[name] = Difference(value, other, other - value, p, p, how, only_a, only_b)
    notes = _comparable(first, second).notes
    return Pair(first.name, second.name, len(first.dialogues), differences, notes)


def _corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs with one baseline, p corrected per figure."""
    ps = {
        name: holm([pair.differences[name].p for pair in pairs])
        for name in (pairs[0].differences if pairs else ())
    }
    return [
        replace(
            pair,
            differences={n: replace(one, p_holm=ps[n][at]) for n, one in pair.differences.items()},
        )
        for at, pair in enumerate(pairs)
    ]
