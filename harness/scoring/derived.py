"""What is derived of a benchmark once, for all scorers of it, and kept where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules import RuleSet

from ..benchmark import Benchmark

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

    from ..metrics.counts import References

# Benchmarks are told apart by identity: they are large, and never changed in place.


def kept(benchmark: Benchmark, name: str, make: Callable[[], Any]) -> Any:
    """Return plain data that is kept with a benchmark; of one that is not installed, made now."""
    return make() if benchmark.prepared is None else benchmark.prepared(name, make)


@lru_cache(maxsize=16)
def part(benchmark: Benchmark, goals: str) -> Benchmark:
    """Return the part of a benchmark whose goals are seen or unseen: `Benchmark.part`."""
    return benchmark.part(goals)


@lru_cache(maxsize=64)
def content_hash(benchmark: Benchmark, rules: RuleSet) -> str:
    """Return the content hash of a benchmark under a rule set."""
    # That of one version of the venues is the same under all rule sets.
    value = kept(benchmark, f"hash-{rules.venues}", lambda: benchmark.content_hash(rules))
    return str(value)


@lru_cache(maxsize=8)
def references(benchmark: Benchmark) -> References:
    """Return the references of a benchmark, prepared for BLEU."""
    import numpy as np  # it takes its time

    from ..metrics.counts import References

    def texts() -> References:
        return References.of_texts({i: d.references for i, d in benchmark.dialogues.items()})

    def packed() -> dict[str, tuple[str, bytes]]:
        arrays = texts().to_arrays()
        return {name: (one.dtype.str, one.tobytes()) for name, one in arrays.items()}

    if benchmark.prepared is None:
        return texts()
    stored = kept(benchmark, "references", packed)
    arrays = {name: np.frombuffer(values, kind) for name, (kind, values) in stored.items()}
    return References.from_arrays(arrays, benchmark.dialogues)


@lru_cache(maxsize=32)
def database(benchmark: Benchmark, rules: RuleSet) -> VenueDatabase:
    """Return the venue database of a benchmark under a rule set."""
    from mwz.database.venues import PreparedVenues, VenueDatabase, prepared_venues

    records = benchmark.venue_records(rules)
    if benchmark.prepared is None:
        return VenueDatabase(records, rules)
    stored = kept(
        benchmark,
        f"venues-{rules.digest[:16]}-{rules.venues}",
        lambda: asdict(prepared_venues(records, rules)),
    )
    prepared = PreparedVenues(**stored)
    return VenueDatabase(records, rules, prepared)
