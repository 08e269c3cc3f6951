"""What scores need of a benchmark, prepared beforehand, in a file beside the benchmark's.

The file has a line of JSON, which says what the file was made of and holds the content hashes, and
then NumPy arrays (`.npz`, without pickles): the references as BLEU needs them, and what the venue
database answers. It is trusted only if it was made of this very benchmark file by this very code,
and is as it was written. Otherwise it is made again; where it cannot be written, all is derived
when it is needed, as for a benchmark that was never installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules import RuleSet, rule_set, rule_set_names

from ..benchmark import Benchmark
from ..errors import InputError
from ..files import read_stored, write_atomically

if TYPE_CHECKING:
    from mwz.database.venues import PreparedVenues

    from ..references import ReferenceIndex

SUFFIX = ".prepared"

_VENUES = "venues "
_MAKERS = (
    ("harness", "references.py"),
    ("harness", "benchmark.py"),
    ("harness.data", "prepared.py"),
    ("database", "venues.py"),
    ("database", "stored.py"),
    ("database", "schema.py"),
    ("normalization", "states.py"),
)
"""The modules that decide what is in the file."""


@dataclass(frozen=True)
class PreparedBenchmark:
    """What was prepared of a benchmark.

    Attributes:
        hashes: Version of the venues -> content hash.
        file_digest: SHA-256 of the benchmark's file.
        dialogues: The ids of the benchmark's dialogues, in its order.
        packed: The arrays, as `.npz`.
    """

    hashes: Mapping[str, str]
    file_digest: str
    dialogues: Sequence[str] = field(repr=False)
    packed: bytes = field(repr=False)

    def content_hash(self, rules: RuleSet) -> str | None:
        """Return the content hash under a rule set; None for one that was not prepared for."""
        return self.hashes.get(rules.venues)

    def references(self) -> ReferenceIndex | None:
        """Return the references, prepared for BLEU."""
        from ..references import ReferenceIndex

        arrays = self._arrays()
        names = [name for name in arrays if not name.startswith(_VENUES)]
        return ReferenceIndex.from_arrays({name: arrays[name] for name in names}, self.dialogues)

    def venues(self, rules: RuleSet) -> PreparedVenues | None:
        """Return what the venue database answers under a rule set, if it was prepared for."""
        from mwz.database.venues import PreparedVenues

        arrays = self._arrays()
        name = f"{_VENUES}{rules.digest}-{rules.venues}"
        if name not in arrays:
            return None
        read = json.loads(arrays[name].tobytes())
        columns = {domain: venue.columns for domain, venue in rules.venue_rules.items()}
        rows = {
            domain: [
                {"place": place, **dict(zip(columns[domain], values, strict=True))}
                for place, values in enumerate(domain_rows)
            ]
            for domain, domain_rows in read["rows"].items()
        }
        return PreparedVenues(rows, read["columns"], read["places"])

    def _arrays(self) -> Mapping[str, Any]:
        import numpy as np

        arrays: Mapping[str, Any] = np.load(io.BytesIO(self.packed), allow_pickle=False)
        return arrays


def prepared(path: Path, benchmark: Benchmark) -> PreparedBenchmark | None:
    """Return what is prepared of an installed benchmark, prepared now if it was not.

    Args:
        path: The benchmark's file.
        benchmark: What was read from it.
    """
    beside = path.with_name(path.name + SUFFIX)
    dialogues = tuple(benchmark.dialogues)
    identity = _identity(path)
    read = _read(beside, identity)
    if read is None:
        # In a folder of somebody else's, each thing is derived when it is needed.
        if not os.access(path.parent, os.W_OK):
            return None
        content = _written(identity, benchmark)
        with contextlib.suppress(InputError):
            write_atomically(beside, content)
        read = _parsed(content, identity)
    if read is None:
        return None
    header, packed = read
    return PreparedBenchmark(header["hashes"], identity["benchmark"], dialogues, packed)


@dataclass(frozen=True)
class PreparedContent:
    """What signatures say of a benchmark's content.

    Attributes:
        hashes: Version of the venues -> content hash.
        gold_domains: Where its gold active domains come from, one of `GOLD_DOMAINS`.
    """

    hashes: Mapping[str, str]
    gold_domains: str


def prepared_content(path: Path) -> PreparedContent | None:
    """Return what signatures say of a benchmark file, without reading it.

    None if nothing is prepared of the file as it is.
    """
    try:
        read = _read(path.with_name(path.name + SUFFIX), _identity(path))
    except InputError:
        return None
    return None if read is None else PreparedContent(read[0]["hashes"], read[0]["gold_domains"])


def _identity(path: Path) -> dict[str, str]:
    """Return what decides what is prepared: the benchmark's file, code and libraries."""
    return {
        "benchmark": hashlib.sha256(read_stored(path)).hexdigest(),
        "code": _code_digest(),
        "rules": hashlib.sha256(
            "".join(rule_set(name).digest for name in rule_set_names()).encode()
        ).hexdigest(),
        "sacrebleu": version("sacrebleu"),
    }


@cache
def _code_digest() -> str:
    digest = hashlib.sha256()
    for package, name in _MAKERS:
        digest.update(resources.files(f"mwz.{package}").joinpath(name).read_bytes())
    return digest.hexdigest()


def _read(path: Path, identity: Mapping[str, str]) -> tuple[dict[str, Any], bytes] | None:
    """Return the header and arrays of a file; None if it is not what it should be."""
    try:
        return _parsed(read_stored(path), identity)
    except InputError:
        return None


def _parsed(content: bytes, identity: Mapping[str, str]) -> tuple[dict[str, Any], bytes] | None:
    line, _, packed = content.partition(b"\n")
    try:
        header = json.loads(line)
    except ValueError:
        return None
    if not isinstance(header, dict) or header.pop("sha256", None) != _digest(header, packed):
        return None
    return (header, packed) if header["of"] == identity else None


def _digest(header: Mapping[str, Any], packed: bytes) -> str:
    """Return the SHA-256 of a file's header without it, and arrays."""
    return hashlib.sha256(json.dumps(header, sort_keys=True).encode() + packed).hexdigest()


def _written(identity: Mapping[str, str], benchmark: Benchmark) -> bytes:
    """Return the content of the file."""
    import numpy as np

    from mwz.database.venues import prepared_venues

    from ..references import ReferenceIndex

    rule_sets = [rule_set(name) for name in rule_set_names()]
    arrays = ReferenceIndex(
        {id_: dialogue.references for id_, dialogue in benchmark.dialogues.items()}
    ).to_arrays()
    for rules in rule_sets:
        venues = prepared_venues(benchmark.venue_records(rules), rules)
        document = {
            "rows": {
                domain: [[row[c] for c in rules.venue_rules[domain].columns] for row in rows]
                for domain, rows in venues.rows.items()
            },
            "columns": venues.columns,
            "places": venues.places,
        }
        text = json.dumps(document, separators=(",", ":")).encode()
        arrays[f"{_VENUES}{rules.digest}-{rules.venues}"] = np.frombuffer(text, np.uint8)
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    hashes = {rules.venues: rules for rules in rule_sets}
    header: dict[str, Any] = {
        "of": dict(identity),
        "hashes": {name: benchmark.content_hash(rules) for name, rules in hashes.items()},
        "gold_domains": benchmark.gold_domains,
    }
    header["sha256"] = _digest(header, packed.getvalue())
    return json.dumps(header).encode() + b"\n" + packed.getvalue()
