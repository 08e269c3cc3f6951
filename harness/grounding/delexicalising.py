"""The delexicaliser of a benchmark, and what signatures say of it."""

from __future__ import annotations

from functools import lru_cache

from mwz.normalization.delexicaliser import VERSION, Delexicaliser, tables_digest
from mwz.normalization.rules import RuleSet

from ..benchmark import Benchmark
from ..signature import SHOWN_HASH


@lru_cache(maxsize=8)
def delexicaliser(benchmark: Benchmark, rules: RuleSet) -> Delexicaliser:
    """Return the delexicaliser of a benchmark's venues under a rule set."""
    return Delexicaliser.of_venues(benchmark.venue_records(rules), rules)


def version() -> str:
    """Return the delexicaliser's version and its tables' digest."""
    return f"{VERSION}-{tables_digest()[:SHOWN_HASH]}"
