"""The benchmarks on this machine: the built-in sample, and those in the user's data directory.

A benchmark is one sealed file (`io/store.py`), `<data directory>/benchmarks/<name>.json.gz`. What
scores need of it is prepared when it is installed, and stored under a hash of the file and of the
code: its content hashes; a slim document, without the texts that few scores need (`late_texts.py`);
and the references as BLEU needs them with what the venue database answers. Both are stored as
Python stores its compiled modules, by `marshal`. What is missing or damaged is prepared again;
where nothing can be stored, all is derived when it is needed, as for a benchmark that was never
installed.
"""

from __future__ import annotations

import json
import marshal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules import RuleSet, rule_set, rule_set_names
from mwz.normalization.rules.registry import folder_of, sha256

from ..benchmark import Benchmark, Dialogue, Goal
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


_CONTENT, _SLIM, _DERIVED = "content", "slim", "derived"
_STORE = Store("prepared")


@dataclass(frozen=True)
class PreparedContent:
    """What signatures say of a benchmark's content.

    Attributes:
        hashes: Version of the venues -> content hash.
        gold_domains: Where its gold active domains come from, one of `GOLD_DOMAINS`.
        rates: Slots about venues -> how many of them the canonical references name a turn.
    """

    hashes: Mapping[str, str]
    gold_domains: str
    rates: Mapping[str, float]


@dataclass(frozen=True)
class PreparedBenchmark:
    """What was prepared of a benchmark.

    Attributes:
        key: What it was prepared of: the benchmark's file, the code and who reads it.
        content: What it holds, in short.
        dialogues: The ids of the benchmark's dialogues, in its order.
        packed: The references and the venues' answers.
    """

    key: Mapping[str, str]
    content: PreparedContent
    dialogues: Sequence[str] = field(repr=False)
    packed: bytes = field(repr=False)

    def content_hash(self, rules: RuleSet) -> str | None:
        """Return the content hash under a rule set; None for one that was not prepared for."""
        return self.content.hashes.get(rules.venues)

    def typical_rate(self, slots: frozenset[str]) -> float | None:
        """Return how many of some slots the canonical references name a turn, if it is known."""
        return self.content.rates.get(_rate_of(slots))

    def references(self) -> ReferenceIndex:
        """Return the references, prepared for BLEU."""
        import numpy as np

        from ..metrics._references import ReferenceIndex

        arrays = {
            name: np.frombuffer(values, kind)
            for name, (kind, values) in self._parts["references"].items()
        }
        return ReferenceIndex.from_arrays(arrays, self.dialogues)

    def venues(self, rules: RuleSet) -> PreparedVenues | None:
        """Return what the venue database answers under a rule set, if it was prepared for."""
        from mwz.database.venues import PreparedVenues, VenueTables

        packed = self._parts["venues"].get(_rules_of(rules))
        if packed is None:
            return None
        read = marshal.loads(packed)
        return PreparedVenues(**{**read, "tables": VenueTables(**read["tables"])})

    @cached_property
    def _parts(self) -> Mapping[str, Any]:
        parts: Mapping[str, Any] = marshal.loads(self.packed)
        return parts


def prepared(
    key: Mapping[str, str], benchmark: Benchmark, is_slim: bool
) -> PreparedBenchmark | None:
    """Return what is prepared of an installed benchmark, prepared now if it was not.

    Args:
        key: What `_key` returns of the benchmark's file.
        benchmark: What was read from it.
        is_slim: Whether that was made of the slim document.
    """
    content, packed = _stored_content(key), _STORE.get_bytes([_DERIVED, key])
    slim = is_slim or _STORE.get_bytes([_SLIM, key]) is not None
    if content is None or packed is None or not slim:
        # Where nothing can be stored, each thing is derived when it is needed.
        if not _STORE.is_writable():
            return None
        content, packed = _content(benchmark), _packed(benchmark)
        _STORE.put([_CONTENT, key], asdict(content))
        _STORE.put_bytes([_SLIM, key], marshal.dumps(_slim(to_document(benchmark))))
        _STORE.put_bytes([_DERIVED, key], packed)
    return PreparedBenchmark(key, content, tuple(benchmark.dialogues), packed)


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
    """Return what decides what is prepared: the benchmark's file, the code and who reads it."""
    python = str(sys.implementation.cache_tag)
    return {"benchmark": sha256(read_stored(path)), "code": code_digest(), "python": python}


def _content(benchmark: Benchmark) -> PreparedContent:
    versions = {rules.venues: rules for rules in map(rule_set, rule_set_names())}
    hashes = {name: benchmark.content_hash(rules) for name, rules in versions.items()}
    about = {rules.about_venues for rules in versions.values()}
    rates = {_rate_of(slots): benchmark.typical_rate(slots) for slots in about}
    return PreparedContent(hashes, benchmark.gold_domains, rates)


def _rate_of(slots: frozenset[str]) -> str:
    return " ".join(sorted(slots))


def _packed(benchmark: Benchmark) -> bytes:
    """Return what is derived of a benchmark: the references for BLEU, and the venues' answers."""
    from mwz.database.venues import prepared_venues

    from ..metrics._references import ReferenceIndex

    index = ReferenceIndex({id_: one.references for id_, one in benchmark.dialogues.items()})
    venues = {
        _rules_of(rules): marshal.dumps(
            asdict(prepared_venues(benchmark.venue_records(rules), rules)), _PLAIN
        )
        for rules in map(rule_set, rule_set_names())
    }
    arrays = {name: (one.dtype.str, one.tobytes()) for name, one in index.to_arrays().items()}
    return marshal.dumps({"references": arrays, "venues": venues}, _PLAIN)


_PLAIN = 2
"""The version of marshal that does not share parts: the same content is the same bytes."""


def _rules_of(rules: RuleSet) -> str:
    return f"{rules.digest}-{rules.venues}"


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
            "`mwz data fetch` or `mwz data import` installs multiwoz",
        )
    path = benchmark_path(name)
    if path is None:
        town = folder_of("mwz.harness") / "sample" / "town.json"
        return from_document(json.loads(town.read_bytes()))
    try:
        key = _key(path)
        slim = _STORE.get_bytes([_SLIM, key])
        if slim is None:
            return _with_prepared(key, _whole(path))
        late = LateTexts(path, key["benchmark"], _dialogues)
        return _with_prepared(key, from_document(marshal.loads(slim), late), is_slim=True)
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


_SAID = ("users", "responses")


def _slim(document: Mapping[str, Any]) -> Any:
    """Return a document without texts, whose equal parts are one: they are read once, and shared.

    Turn after turn has the belief state of the turn before.
    """
    late = {*_SAID, "references"}
    dialogues = {
        id_: {key: value for key, value in data.items() if key not in late}
        for id_, data in document["dialogues"].items()
    }
    return _shared({**document, "dialogues": dialogues}, {})


def _shared(value: Any, known: dict[object, Any]) -> Any:
    """Return a value of JSON types with the parts that are known already.

    Args:
        value: The value.
        known: What is known; what is not is added.
    """
    key: object = (type(value), value)
    if isinstance(value, dict):
        value = {_shared(name, known): _shared(one, known) for name, one in value.items()}
        key = (dict, *((id(name), id(one)) for name, one in value.items()))
    elif isinstance(value, list | tuple):
        value = [_shared(one, known) for one in value]
        key = (list, *map(id, value))
    return known.setdefault(key, value)


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
    if late is None:
        said = {name: tuple(data.get(name, ())) for name in _SAID}
        return Dialogue(**{**data, **said, "goal": goals})
    return Dialogue(
        **{**data, "goal": goals},
        references=LateReferences(late, id_),
        users=LateWords(late, id_, "users"),
        responses=LateWords(late, id_, "responses"),
    )
