"""The benchmarks on this machine: the built-in sample, and those in the user's data directory.

A benchmark is one sealed file (`io/store.py`), `<data directory>/benchmarks/<name>.json.gz`. What
scores need of it is prepared when it is installed, and stored under a hash of the file and of the
code: its content hashes; a slim document, without the texts that few scores need (`late_texts.py`);
and NumPy arrays (`.npz`, without pickles) with the references as BLEU needs them and what the venue
database answers. What is missing or damaged is prepared again; where nothing can be stored, all is
derived when it is needed, as for a benchmark that was never installed.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules import RuleSet, rule_set, rule_set_names
from mwz.normalization.rules.registry import sha256

from ..benchmark import CANONICAL_STYLE, Benchmark, Dialogue, Goal
from ..errors import InputError
from ..io.files import read_stored
from ..io.store import (
    DAMAGED,
    SEALED_SUFFIX,
    Store,
    code_digest,
    data_directory,
    read_sealed,
    write_sealed,
)
from .late_texts import LateReferences, LateTexts, LateWords

if TYPE_CHECKING:
    from mwz.database.venues import PreparedVenues

    from ..metrics._references import ReferenceIndex


_VENUES = "venues "
_CONTENT, _SLIM, _ARRAYS = "content", "slim", "arrays"
_STORE = Store("prepared")


@dataclass(frozen=True)
class PreparedContent:
    """What signatures say of a benchmark's content.

    Attributes:
        hashes: Version of the venues -> content hash.
        gold_domains: Where its gold active domains come from, one of `GOLD_DOMAINS`.
    """

    hashes: Mapping[str, str]
    gold_domains: str


@dataclass(frozen=True)
class PreparedBenchmark:
    """What was prepared of a benchmark.

    Attributes:
        key: What it was prepared of: the benchmark's file and the code.
        hashes: Version of the venues -> content hash.
        dialogues: The ids of the benchmark's dialogues, in its order.
        packed: The arrays, as `.npz`.
    """

    key: Mapping[str, str]
    hashes: Mapping[str, str]
    dialogues: Sequence[str] = field(repr=False)
    packed: bytes = field(repr=False)

    def content_hash(self, rules: RuleSet) -> str | None:
        """Return the content hash under a rule set; None for one that was not prepared for."""
        return self.hashes.get(rules.venues)

    def references(self) -> ReferenceIndex | None:
        """Return the references, prepared for BLEU."""
        from ..metrics._references import ReferenceIndex

        arrays = self._arrays()
        names = [name for name in arrays if not name.startswith(_VENUES)]
        return ReferenceIndex.from_arrays({name: arrays[name] for name in names}, self.dialogues)

    def venues(self, rules: RuleSet) -> PreparedVenues | None:
        """Return what the venue database answers under a rule set, if it was prepared for."""
        from mwz.database.venues import PreparedVenues, VenueTables

        arrays = self._arrays()
        name = f"{_VENUES}{rules.digest}-{rules.venues}"
        if name not in arrays:
            return None
        read = json.loads(arrays[name].tobytes())
        return PreparedVenues(**{**read, "tables": VenueTables(**read["tables"])})

    def _arrays(self) -> Mapping[str, Any]:
        import numpy as np

        arrays: Mapping[str, Any] = np.load(io.BytesIO(self.packed), allow_pickle=False)
        return arrays


def prepared(
    key: Mapping[str, str], benchmark: Benchmark, is_slim: bool
) -> PreparedBenchmark | None:
    """Return what is prepared of an installed benchmark, prepared now if it was not.

    Args:
        key: What `_key` returns of the benchmark's file.
        benchmark: What was read from it.
        is_slim: Whether that was made of the slim document.
    """
    content, packed = _stored_content(key), _STORE.get_bytes([_ARRAYS, key])
    slim = is_slim or _STORE.get_bytes([_SLIM, key]) is not None
    if content is None or packed is None or not slim:
        # Where nothing can be stored, each thing is derived when it is needed.
        if not _STORE.is_writable():
            return None
        content, packed = _content(benchmark), _packed(benchmark)
        _STORE.put([_CONTENT, key], asdict(content))
        _STORE.put([_SLIM, key], _slim(to_document(benchmark)))
        _STORE.put_bytes([_ARRAYS, key], packed)
    return PreparedBenchmark(key, content.hashes, tuple(benchmark.dialogues), packed)


def prepared_content(path: Path) -> PreparedContent | None:
    """Return what signatures say of a benchmark file, without reading it.

    None if nothing is prepared of the file as it is.
    """
    try:
        return _stored_content(_key(path))
    except InputError:
        return None


def _stored_content(key: Mapping[str, str]) -> PreparedContent | None:
    document = _STORE.get([_CONTENT, key])
    return None if document is None else PreparedContent(**document)


def _key(path: Path) -> dict[str, str]:
    """Return what decides what is prepared: the benchmark's file and the code, rules included."""
    return {"benchmark": sha256(read_stored(path)), "code": code_digest()}


def _content(benchmark: Benchmark) -> PreparedContent:
    versions = {rules.venues: rules for rules in map(rule_set, rule_set_names())}
    hashes = {name: benchmark.content_hash(rules) for name, rules in versions.items()}
    return PreparedContent(hashes, benchmark.gold_domains)


def _packed(benchmark: Benchmark) -> bytes:
    """Return the arrays."""
    import numpy as np

    from mwz.database.venues import prepared_venues

    from ..metrics._references import ReferenceIndex

    arrays = ReferenceIndex(
        {id_: dialogue.references for id_, dialogue in benchmark.dialogues.items()}
    ).to_arrays()
    for rules in map(rule_set, rule_set_names()):
        venues = asdict(prepared_venues(benchmark.venue_records(rules), rules))
        text = json.dumps(venues, separators=(",", ":")).encode()
        arrays[f"{_VENUES}{rules.digest}-{rules.venues}"] = np.frombuffer(text, np.uint8)
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    return packed.getvalue()


SAMPLE = "sample"
DEFAULT = "multiwoz"
"""The benchmark used where none is named, if it is installed."""

_FORMAT = 2
_AGAIN = "install the benchmark again"


def downloads_directory() -> Path:
    """Return where fetched files are kept."""
    return data_directory() / "downloads"


def benchmark_path(name: str) -> Path | None:
    """Return where a benchmark of that name is or would be installed; None for the built-in one."""
    return None if name == SAMPLE else data_directory() / "benchmarks" / f"{name}{SEALED_SUFFIX}"


def installed_benchmarks() -> list[str]:
    """Return the names of all benchmarks at hand, the built-in one first."""
    folder = data_directory() / "benchmarks"
    names = sorted(
        path.name.removesuffix(SEALED_SUFFIX) for path in folder.glob(f"[!.]*{SEALED_SUFFIX}")
    )
    return [SAMPLE, *names]


def default_benchmark() -> str:
    """Return the benchmark used where none is named: MultiWOZ if installed, else the sample."""
    return DEFAULT if DEFAULT in installed_benchmarks() else SAMPLE


def load_benchmark(name: str | None = None) -> Benchmark:
    """Load a benchmark by name, or the default one.

    Raises:
        InputError: No benchmark of that name is installed, or its file is damaged.
    """
    name = name or default_benchmark()
    if name not in installed_benchmarks():
        raise InputError(
            f"benchmark {name}",
            f"not installed; choose from {', '.join(installed_benchmarks())}. "
            "`mwz data fetch` installs multiwoz, `mwz data --help` tells more",
        )
    path = benchmark_path(name)
    if path is None:
        town = resources.files("mwz.harness").joinpath("sample", "town.json")
        return from_document(json.loads(town.read_bytes()))
    try:
        key = _key(path)
        slim = _STORE.get([_SLIM, key])
        if slim is None:
            return _with_prepared(key, _whole(path))
        late = LateTexts(path, key["benchmark"], _dialogues)
        return _with_prepared(key, from_document(slim, late), is_slim=True)
    except InputError as error:
        raise InputError(error.source, f"{error.problems[0]}; {_AGAIN}") from None


def _whole(path: Path) -> Benchmark:
    """Read all of a benchmark's file."""
    try:
        return from_document(read_sealed(path, _FORMAT))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(str(path), DAMAGED) from None


def _dialogues(path: Path) -> Mapping[str, Dialogue]:
    return _whole(path).dialogues


def _with_prepared(
    key: Mapping[str, str], benchmark: Benchmark, is_slim: bool = False
) -> Benchmark:
    """Return a benchmark just read with what is prepared of it."""
    # No argument of the constructor: whoever makes another benchmark of this one leaves it behind.
    object.__setattr__(benchmark, "prepared", prepared(key, benchmark, is_slim))
    return benchmark


@cache
def loaded_once(name: str | None) -> Benchmark:
    """Load a benchmark as `load_benchmark` does, once per process: for work spread over processes.

    Raises:
        InputError: No benchmark of that name is installed, or its file is damaged.
    """
    return load_benchmark(name)


def install_benchmark(benchmark: Benchmark) -> Path:
    """Write a benchmark to the data directory, all or nothing, and return where.

    Raises:
        InputError: The name is that of the built-in one, or the file cannot be written.
    """
    path = benchmark_path(benchmark.name)
    if path is None:
        raise InputError(f"benchmark {SAMPLE}", "is built in; give yours another name")
    write_sealed(path, to_document(benchmark), _FORMAT)
    _with_prepared(_key(path), replace(benchmark))
    return path


def to_document(benchmark: Benchmark) -> dict[str, Any]:
    """Return a benchmark as plain data, as it is written to disk."""
    return {
        "name": benchmark.name,
        "dialogues": {id_: _dialogue_data(d) for id_, d in benchmark.dialogues.items()},
        "venues": benchmark.venues,
        "venue_versions": benchmark.venue_versions,
        "seen": None if benchmark.seen is None else sorted(benchmark.seen),
    }


def _slim(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without the texts that few scores need."""
    dialogues = {}
    for id_, data in document["dialogues"].items():
        canonical = {k: v for k, v in data["references"].items() if k == CANONICAL_STYLE}
        kept = {key: value for key, value in data.items() if key not in _SAID}
        dialogues[id_] = {**kept, "references": canonical}
    return {**document, "dialogues": dialogues}


def from_document(document: Mapping[str, Any], late: LateTexts | None = None) -> Benchmark:
    """Return the benchmark that a document written by `to_document` describes.

    Args:
        document: The document.
        late: Has the texts that a slim document lacks; None of a whole one.
    """
    seen = document.get("seen")
    return Benchmark(
        name=document["name"],
        dialogues={id_: _dialogue(id_, data, late) for id_, data in document["dialogues"].items()},
        venues=document["venues"],
        venue_versions=document["venue_versions"],
        seen=None if seen is None else frozenset(seen),
    )


def _dialogue_data(dialogue: Dialogue) -> dict[str, Any]:
    data = dialogue.scored_data()
    for domain, goal in dialogue.goal.items():
        if goal.further is not None:
            data["goal"][domain]["further"] = sorted(goal.further)
    return {
        **data,
        "users": list(dialogue.users),
        "responses": list(dialogue.responses),
    }


_SAID = ("users", "responses")


def _dialogue(id_: str, data: Mapping[str, Any], late: LateTexts | None) -> Dialogue:
    goals = {
        domain: Goal(
            goal["informable"],
            frozenset(goal["requestable"]),
            goal["booking"],
            None if goal.get("further") is None else frozenset(goal["further"]),
        )
        for domain, goal in data["goal"].items()
    }
    texts: dict[str, Any]
    if late is None:
        texts = {name: tuple(data.get(name, ())) for name in _SAID}
    else:
        texts = {name: LateWords(late, id_, name) for name in _SAID}
        texts["references"] = LateReferences(data["references"], late, id_)
    return Dialogue(**{**data, **texts, "goal": goals})
