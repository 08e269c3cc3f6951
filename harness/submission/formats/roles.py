"""Which fields of a turn are predictions and which are gold, by the words in their keys.

A key is made up of words for a role (`pred`, `generated`; `gold`, `target`) and of the name of a
field (`KEYS`): `pred_state`, `bspn_gen`, `target_response`. Either may be missing: what `output`
holds is told by its values, and `state` is a prediction unless another key says that it is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from ..notations import is_metadata, is_state
from .standard import ACTIVE_DOMAINS, GOLD, KEYS, RESPONSE, STATE, TURN_KEYS, plain_key

Role: TypeAlias = Literal["predicted", "gold", "plain"]

ROLES: Mapping[Role, tuple[str, ...]] = {
    "predicted": (
        *("pred", "preds", "predict", "predicted", "prediction", "predictions", "pr"),
        *("gen", "generated", "generation", "generations", "hyp", "hyps", "hypothesis"),
        *("hypotheses", "output", "outputs", "modeloutput", "modeloutputs", "decoded"),
        *("inferred", "estimated"),
    ),
    "gold": (
        *("gold", "golden", "gt", "groundtruth", "truth", "true", "target", "targets", "tgt"),
        *("label", "labels", "reference", "references", "ref", "expected", "oracle"),
        *("annotated", "annotation", "actual"),
    ),
}
"""Role -> the words of keys that say it, in lower case without underscores and the like."""

WEAK: Mapping[str, frozenset[str]] = {
    RESPONSE: frozenset({"system", "sys", "utterance", "text", "systemutterance"}),
    STATE: frozenset({"frames", "slots", "metadata", "turnbelief"}),
    ACTIVE_DOMAINS: frozenset(),
}
"""Field -> names that may mean something else: they count where no other name of the field does."""

_ONLY_WITH_ROLE = frozenset({"slots"})
"""Names that mean the field only together with a word for a role."""

PLURALS = {RESPONSE: "responses", STATE: "states", ACTIVE_DOMAINS: "active domains"}
"""Field -> what messages call its values."""

_KINDS: Mapping[str, tuple[type, ...]] = {
    RESPONSE: (str,),
    STATE: (dict, list, str),
    ACTIVE_DOMAINS: (list, str),
}
"""Field -> the types of its values, which those of a key of another name have as well."""

_GOLD = (None, GOLD)
_EMPTY_TEXTS = ("{}", "[]")
_MANY = 10
"""Of so many turns some have a gold state that is not empty."""
_LOOKED_AT = 50
"""How many values of a key that names no field are looked at to see which one it holds."""


_FIELD_OF_NAME = {name: field for field in TURN_KEYS for name in KEYS[field]}
_ROLE_OF_WORD: Mapping[str, Role] = {word: role for role, words in ROLES.items() for word in words}
_LONGEST = max(map(len, [*_FIELD_OF_NAME, *_ROLE_OF_WORD]))


@lru_cache(maxsize=1 << 12)
def _words(plain: str) -> tuple[str, ...] | None:
    """Return the words for roles and the names of fields that a key is made up of.

    Returns:
        None for a key that has anything else.
    """
    if not plain:
        return ()
    for length in range(min(len(plain), _LONGEST), 0, -1):
        word = plain[:length]
        if word in _ROLE_OF_WORD or word in _FIELD_OF_NAME:
            rest = _words(plain[length:])
            if rest is not None:
                return (word, *rest)
    return None


@lru_cache(maxsize=1 << 12)
def role_and_name(key: object) -> tuple[Role, str] | None:
    """Return the role that a key says and the name of a field in it, empty if it names none.

    Returns:
        None for a key that is something else.
    """
    words = _words(plain_key(key))
    if not words:
        return None
    role: Role = next((_ROLE_OF_WORD[word] for word in words if word in _ROLE_OF_WORD), "plain")
    names = [word for word in words if word in _FIELD_OF_NAME]
    fields = {_FIELD_OF_NAME[name] for name in names}
    if len(fields) > 1 or (role == "plain" and _ONLY_WITH_ROLE.issuperset(names)):
        return None
    return role, min(names, key=lambda name: KEYS[_FIELD_OF_NAME[name]].index(name), default="")


@dataclass(frozen=True)
class Candidate:
    """A key that may hold a field.

    Attributes:
        key: The key as the file has it.
        field: The field.
        role: What the key says of it.
        rank: How well it names the field: the lowest counts.
    """

    key: Any
    field: str
    role: Role
    rank: int


@dataclass(frozen=True)
class Fields:
    """Which keys hold what.

    Attributes:
        predicted: Field -> the key of the predictions.
        gold: Field -> the key of gold values.
        problems: Two keys that may both hold the predictions, in a sentence.
    """

    predicted: Mapping[str, Any]
    gold: Mapping[str, Any]
    problems: Sequence[str] = ()

    @property
    def are_standard(self) -> bool:
        """Whether all keys are those of the standard form, and do not contradict each other."""
        others = self.gold.keys() - {STATE}
        own_names = all(key == field for field, key in self.predicted.items())
        return own_names and not self.problems and not others and self.gold.get(STATE) in _GOLD

    @property
    def keys(self) -> frozenset[Any]:
        """All keys that hold a field."""
        return frozenset({*self.predicted.values(), *self.gold.values()})


def fields_of(turns: Sequence[Any], named: Mapping[str, Any] | None = None) -> Fields:
    """Return which keys of turns hold predictions, and which gold values.

    Args:
        turns: Turns; what is no object has no keys.
        named: Field -> the key that the user says holds it.
    """
    named = named or {}
    objects = [turn for turn in turns if isinstance(turn, Mapping)]
    keys = {key: None for turn in objects for key in turn if role_and_name(key) is not None}
    candidates = [
        candidate
        for key in keys
        if key not in named.values()
        and (candidate := _candidate(key, [turn[key] for turn in objects if key in turn]))
    ]
    predicted: dict[str, Any] = {}
    gold: dict[str, Any] = {}
    problems: list[str] = []
    for field in TURN_KEYS:
        ranked = sorted((c for c in candidates if c.field == field), key=lambda c: c.rank)
        by_role = {role: [c for c in ranked if c.role == role] for role in (*ROLES, "plain")}
        if field in named:
            predicted[field] = named[field]
            role, _ = role_and_name(named[field]) or ("plain", "")
        else:
            role = "predicted" if by_role["predicted"] else "plain"
            best = _best(by_role[role], objects)
            if best:
                predicted[field] = best[0].key
            if len(best) > 1 and field != ACTIVE_DOMAINS:
                problems.append(_two_keys(field, best))
        others = by_role["gold"] or (by_role["plain"] if role == "predicted" else [])
        # Gold that is empty in many turns was left out by whoever wrote the file.
        said = [c for c in others if len(objects) < _MANY or _is_filled(c.key, objects)]
        if said or (others and not _is_filled(predicted.get(field), objects)):
            gold[field] = (said or others)[0].key
    if STATE in gold and _is_weak(predicted.get(RESPONSE), RESPONSE):
        # Beside gold and predicted states, a text is what the user says.
        del predicted[RESPONSE]
    return Fields(predicted, gold, problems)


def _is_filled(key: Any, turns: Sequence[Mapping[Any, Any]]) -> bool:
    """Return whether a key has a value in some turn that is not empty."""
    return any(turn.get(key) for turn in turns)


def _is_weak(key: Any, field: str) -> bool:
    """Return whether a key is a plain name of a field that may mean something else."""
    said = role_and_name(key)
    return said is not None and said[0] == "plain" and said[1] in WEAK[field]


def _candidate(key: Any, values: Sequence[Any]) -> Candidate | None:
    """Return what a key may hold; None if its values are of no field."""
    said = role_and_name(key)
    first = next((value for value in values if value is not None), None)
    if said is None or first is None:
        return None
    role, name = said
    if not name:
        field = _field_of_values(values)
        rank = len(_FIELD_OF_NAME)
    else:
        field = _FIELD_OF_NAME[name]
        rank = KEYS[field].index(name)
        if not isinstance(first, _KINDS[field]):
            return None
        if name == "metadata" and not any(map(is_metadata, values)):
            return None
    return None if field is None else Candidate(key, field, role, rank)


def _field_of_values(values: Sequence[Any]) -> str | None:
    """Return the field whose values these look like: states, or texts, which are responses."""
    filled = [value for value in values if value and value not in _EMPTY_TEXTS][:_LOOKED_AT]
    if not filled:
        types = {type(value) for value in values}
        return STATE if types & {dict, list} else RESPONSE if str in types else None
    states = sum(map(_is_meant_as_state, filled))
    if 2 * states >= len(filled):
        return STATE
    return RESPONSE if all(isinstance(value, str) for value in filled) else None


def _is_meant_as_state(value: object) -> bool:
    """Return whether a value is a state, or a text that writes an object, even a broken one."""
    if isinstance(value, str):
        return is_state(value) or value.lstrip().startswith("{")
    return is_state(value, any_domain=True)


def _best(candidates: Sequence[Candidate], turns: Sequence[Mapping[Any, Any]]) -> list[Candidate]:
    """Return the candidates that name a field best; several only if they contradict each other."""
    if not candidates:
        return []
    if candidates[0].role == "plain":
        strong = [c for c in candidates if not _is_weak(c.key, c.field)]
        candidates = strong or candidates[:1]
        # A field that is empty everywhere is none where another is not.
        candidates = [c for c in candidates if _is_filled(c.key, turns)] or candidates
    else:
        candidates = [c for c in candidates if c.rank < len(_FIELD_OF_NAME)] or candidates
    first, *others = candidates
    different = [c for c in others if _differ(first.key, c.key, turns)]
    return [first, *different[:1]]


def _differ(key: Any, other: Any, turns: Sequence[Mapping[Any, Any]]) -> bool:
    """Return whether two keys have different values in some turn."""
    return any(
        turn[key] != turn[other]
        for turn in turns
        if turn.get(key) is not None and turn.get(other) is not None
    )


def _two_keys(field: str, candidates: Sequence[Candidate]) -> str:
    first, second = (f"`{candidate.key}`" for candidate in candidates)
    return (
        f"{first} and {second} may both be the predicted {PLURALS[field]}, and differ; keep the "
        f"predictions alone, or name their key by `mwz convert --key {field}=KEY`"
    )


# Objects within turns.

_SPEAKING = frozenset({"system", "assistant", "agent", "bot", "result"})
"""Keys of objects that hold a turn's fields, and say nothing of their role."""


def unfolded(turn: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a turn with what is in an object such as `predictions` beside its other fields.

    `{"predictions": {"state": {}}}` becomes `{"predictions.state": {}}`.
    """
    if not any(
        isinstance(value, dict) and _holds_fields(key, value) for key, value in turn.items()
    ):
        return turn
    read: dict[Any, Any] = {}
    for key, value in turn.items():
        if not (isinstance(value, dict) and _holds_fields(key, value)):
            read[key] = value
            continue
        prefix = "" if plain_key(key) in _SPEAKING else f"{key}."
        for name, part in value.items():
            read.setdefault(f"{prefix}{name}", part)
    return read


def _holds_fields(key: Any, value: Mapping[Any, Any]) -> bool:
    """Return whether an object holds several fields in one role, and is none itself."""
    said = role_and_name(key)
    says_role_alone = said is not None and not said[1]
    if not says_role_alone and plain_key(key) not in _SPEAKING:
        return False
    return any((role_and_name(name) or ("", ""))[1] for name in value) and not is_state(value)


def gold_key(turn: Mapping[Any, Any], field: str) -> Any:
    """Return the key by which a turn has a gold value of a field; None if it has none."""
    for key in turn:
        said = role_and_name(key)
        if said is not None and said[0] == "gold" and said[1] in ("", *KEYS[field]):
            return key
    return None
