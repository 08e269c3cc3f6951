"""The signature: everything a score depends on besides the system.

A signature is a value. It is shown as one line of `key:value` fields and kept, beside that line,
field by field; nothing reads the line. Whether two scores may be compared is decided by
`Signature.comparable_with`. What each field means is in docs/comparison.md.

Source of the habit: Post (2018), "A Call for Clarity in Reporting BLEU Scores".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.metadata import version
from itertools import chain
from typing import Any, Literal, TypeVar

from mwz.normalization import digest_of_json

from .errors import cut

_T = TypeVar("_T")

SHOWN_HASH = 12
"""How many hexadecimal digits of a hash a signature shows."""

HARNESS = "mwz"
LIBRARIES = ("sacrebleu", "sacremoses", "rapidfuzz")
"""The libraries that rules of a score are defined by, whether the score loads them or a shortcut
stands in for them (docs/architecture.md)."""


MAIN_SETUP = "strict"
"""The default set-up of Inform and Success, whose figures carry no prefix."""

RANKED = (MAIN_SETUP, "optimistic")
"""The set-ups that the leaderboard has, and that are computed where none is named."""

BOTH: Literal["both"] = "both"
"""The name of the two together."""


def chosen_setups(name: str) -> tuple[str, ...]:
    """Return the names of the set-ups that the option `setup` asks for."""
    return RANKED if name == BOTH else (name,)


PLACEHOLDERS = "placeholders"
"""The parameter that names the placeholders read besides those of the rule set. Like the source of
active domains it is a system's own: on boards, and in `mwz compare` of entries, it may differ."""


@cache
def current_versions() -> Mapping[str, str]:
    """Return the versions of `HARNESS` and of `LIBRARIES`, as they are installed.

    Looking a version up takes a millisecond.
    """
    libraries = {library: version(library) for library in LIBRARIES}
    return {HARNESS: version("multiwoz-harness"), **libraries}


@dataclass(frozen=True)
class Comparability:
    """Whether two scores may be compared.

    Attributes:
        reasons: Why not, a sentence each; none if they may.
        notes: What differs and does not forbid it.
    """

    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.reasons


@dataclass(frozen=True)
class Signature:
    """What a score depends on. Fields that mean nothing for a score are None.

    Attributes:
        benchmark: The benchmark's name.
        data: Its content hash, with the venues of the rule set: SHA-256 in hexadecimal.
        rules: The rule set's name.
        rules_digest: SHA-256 of its tables.
        setup: The set-up of Inform and Success, or "both": the strict and the optimistic one.
        domains: The source of active domains in the strict set-up.
        states: The source of belief states, "predicted" or "gold".
        goals: Which dialogues were scored: "all", or those with a "seen" or "unseen" goal.
        coverage: The turns played of all, and a digest of which; None if all are played.
        gold: SHA-256 of the gold states that state tracking is scored against.
        gold_domains: Where gold active domains come from, "rule" or "damd" of the benchmark;
            None where no set-up uses them.
        parameters: Further choices: a metric's parameters, a test and its seed.
        versions: Harness and libraries -> version.

    >>> ours = Scorer(load_benchmark("sample")).signature()
    >>> theirs = Scorer(load_benchmark("sample"), Options(rules="2026")).signature()
    >>> ours.comparable_with(theirs).reasons[0].split(":")[0]
    'different rules'
    """

    benchmark: str | None = None
    data: str | None = None
    rules: str | None = None
    rules_digest: str | None = None
    setup: str | None = None
    domains: str | None = None
    states: str | None = None
    goals: str | None = None
    coverage: str | None = None
    gold: str | None = None
    gold_domains: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=current_versions)

    @property
    def _shown(self) -> dict[str, str | None]:
        # Field -> value, as lines and messages show it.
        shown: dict[str, str | None] = {name: getattr(self, name) for name in _SHOWN}
        for name in ("data", "gold"):
            value = shown[name]
            if value is not None:
                shown[name] = value[:SHOWN_HASH]
        if self.rules is not None and self.rules_digest is not None:
            shown["rules"] = f"{self.rules}-{self.rules_digest[:SHOWN_HASH]}"
        return shown

    def __str__(self) -> str:
        shown = {name.replace("_", "-"): value for name, value in self._shown.items()}
        fields_of_line = {HARNESS: self.versions.get(HARNESS)} | shown
        fields_of_line.update(self.parameters)
        for library, installed in self.versions.items():
            if library != HARNESS:
                fields_of_line[library] = installed
        present = [f"{key}:{value}" for key, value in fields_of_line.items() if value is not None]
        return "|".join(present)

    def comparable_with(self, other: Signature, apart_from: Collection[str] = ()) -> Comparability:
        """Say whether scores with this and another signature may be compared, and if not, why.

        Where one of them has both set-ups and the other only one of these, the figures of that one
        are compared. Sources of active domains are a system's own, and other versions of the
        harness and of its libraries are not expected to change scores: all that is noted and
        forbids nothing.

        Args:
            other: The other signature.
            apart_from: Fields that are allowed to differ.
        """
        our_setups = set(chosen_setups(self.setup or ""))
        their_setups = set(chosen_setups(other.setup or ""))
        shared_setups = our_setups & their_setups
        if our_setups != their_setups and len(shared_setups) == 1:
            shared = shared_setups.pop()
            verdict = self.part(shared).comparable_with(other.part(shared), apart_from)
            note = f"only figures of the {shared} set-up compare"
            return replace(verdict, notes=(note, *verdict.notes))
        reasons: list[str] = []
        for name, meaning in _MEANINGS.items():
            if name not in apart_from and getattr(self, name) != getattr(other, name):
                # The digest of rules is shown with their name.
                shown = name.removesuffix("_digest")
                absent = "all" if name == "coverage" else "none"
                ours, theirs = self._shown[shown] or absent, other._shown[shown] or absent
                reasons.append(f"{meaning}: {ours} and {theirs}")
        notes: list[str] = []
        for name in dict.fromkeys(chain(self.parameters, other.parameters)):
            ours = self.parameters.get(name, "none")
            theirs = other.parameters.get(name, "none")
            if ours != theirs:
                # Names of metrics' parameters have a point; one signature may lack the metric.
                is_of_one_metric = "." in name and "none" in (ours, theirs)
                is_allowed = is_of_one_metric or name in apart_from
                differences = notes if is_allowed else reasons
                differences.append(f"different {name}: {ours} and {theirs}")
        if self.domains != other.domains:
            notes.append(f"active domains come from {self.domains} and {other.domains}")
        for name in dict.fromkeys(chain(self.versions, other.versions)):
            ours = self.versions.get(name, "unknown")
            theirs = other.versions.get(name, "unknown")
            if ours != theirs:
                notes.append(f"{name} {ours} and {theirs}")
        return Comparability(tuple(reasons), tuple(notes))

    def part(self, setup: str) -> Signature:
        """Return the signature of the figures of a set-up, whatever was computed beside them.

        Args:
            setup: A set-up, one of the two of this signature; any other changes nothing.
        """
        if self.setup != BOTH or setup not in RANKED:
            return self
        uses_gold_domains = setup != MAIN_SETUP or self.domains == "gold"
        gold_domains = self.gold_domains if uses_gold_domains else None
        return replace(self, setup=setup, gold_domains=gold_domains)

    def __hash__(self) -> int:
        # Dictionaries, as some fields are, have no hash of their own.
        return hash(digest_of_json(self.to_dict()))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are set, as JSON types."""
        values: dict[str, object] = {}
        for field_ in fields(self):
            value = getattr(self, field_.name)
            if value is not None:
                values[field_.name] = dict(value) if isinstance(value, Mapping) else value
        return values


def grouped(
    signed: Iterable[tuple[_T, Signature]], apart_from: Collection[str] = ()
) -> list[list[tuple[_T, Signature]]]:
    """Return what has a signature in groups: in the first group whose first member compares."""
    groups: list[list[tuple[_T, Signature]]] = []
    for member in signed:
        _, signature = member
        for group in groups:
            _, first_signature = group[0]
            if first_signature.comparable_with(signature, apart_from):
                group.append(member)
                break
        else:
            groups.append([member])
    return groups


def comparable_group(
    signatures: Sequence[Signature], apart_from: Collection[str] = ()
) -> list[int]:
    """Return the places of those signatures whose scores a table may put side by side.

    They are the most that compare with each other; none if they are single, or if two groups are
    equally large.

    Args:
        signatures: The signatures.
        apart_from: As for `Signature.comparable_with`.
    """
    groups = sorted(grouped(enumerate(signatures), apart_from), key=len, reverse=True)
    sizes = [*map(len, groups), 0, 0]
    if sizes[0] < 2 or sizes[0] == sizes[1]:
        return []
    return [place for place, _ in groups[0]]


_LONGEST_LIST = 300
"""Characters of the names that a note lists."""


def comparison_notes(
    names: Sequence[str], signatures: Sequence[Signature], group: Sequence[int]
) -> list[str]:
    """Say which scores do not compare with those of a group, or else with the first ones, and why.

    Args:
        names: What scores are called.
        signatures: Their signatures.
        group: As of `comparable_group`.
    """
    first = group[0] if group else 0
    reasons: list[tuple[str, str]] = []
    for name, signature in zip(names, signatures, strict=True):
        verdict = signatures[first].comparable_with(signature)
        if not verdict:
            reasons.append((name, "; ".join(verdict.reasons)))
    notes: list[str] = []
    for reason, listed in names_by_text(reasons).items():
        shown = cut(listed, _LONGEST_LIST)
        notes.append(f"not comparable with {names[first]}: {shown} ({reason})")
    return notes


def names_by_text(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return text -> the names that have it, given name and text; in the order given.

    >>> names_by_text([("a", "x"), ("b", "y"), ("c", "x")])
    {'x': 'a, c', 'y': 'b'}
    """
    names: dict[str, list[str]] = {}
    for name, text in named:
        names.setdefault(text, []).append(name)
    return {text: ", ".join(listed) for text, listed in names.items()}


def notes_once(named: Iterable[tuple[str, str]]) -> list[str]:
    """Return the notes on scores, each text once; with the names where texts differ."""
    texts = names_by_text(named)
    return [*texts] if len(texts) == 1 else [f"{names}: {text}" for text, names in texts.items()]


_SHOWN = (
    "benchmark", "data", "rules", "setup", "domains", "states", "goals", "coverage", "gold",
    "gold_domains",
)  # fmt: skip
"""The fields that the line of a signature has, in order; parameters and versions follow."""

# Field -> what it means if two signatures differ there. What is not here forbids no comparison;
# the name of a rule set is not its content.
_MEANINGS: Mapping[str, str] = {
    "benchmark": "different benchmarks",
    "data": "different versions of the benchmark's content",
    "rules_digest": "different rules",
    "setup": "different set-ups",
    "states": "different sources of belief states",
    "goals": "different goals",
    "coverage": "different turns played",
    "gold": "different gold states",
    "gold_domains": "different gold active domains (`mwz data import … --mintl` adds DAMD's)",
}
