"""Which fields of a turn are predictions and which are gold, by the words in their keys.

A key consists of words for a role (`pred`, `generated`; `gold`, `target`) and of the name of a
field (`KEYS`): `pred_state`, `bspn_gen`, `target_response`. Either may be missing: the values of
`output` show which field it holds, and `state` is a prediction unless another key is called one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

from ..notations import is_metadata, is_state
from .standard import ACTIVE_DOMAINS, GOLD, KEYS, RESPONSE, STATE, TURN_KEYS, plain_key

Role: TypeAlias = Literal["predicted", "gold", "plain"]

ROLES: Mapping[Role, tuple[str, ...]] = {
    "predicted": (
        "pred", "preds", "predict", "predicted", "prediction", "predictions", "pr",
        "gen", "generated", "generation", "generations", "hyp", "hyps", "hypothesis",
        "hypotheses", "output", "outputs", "modeloutput", "modeloutputs", "decoded",
        "inferred", "estimated",
    ),
    "gold": (
        "gold", "golden", "gt", "groundtruth", "truth", "true", "target", "targets", "tgt",
        "label", "labels", "reference", "references", "ref", "expected", "oracle",
        "annotated", "annotation", "actual",
    ),
}  # fmt: skip
"""Role -> the words for it in keys, in lower case, letters only."""

WEAK: Mapping[str, frozenset[str]] = {
    RESPONSE: frozenset({"system", "sys", "utterance", "text", "systemutterance"}),
    STATE: frozenset({"frames", "slots", "metadata", "turnbelief"}),
    ACTIVE_DOMAINS: frozenset(),
}
"""Field -> names that often mean something else: they count if the field has no other name."""

_ONLY_WITH_ROLE = frozenset({"slots"})
"""Names that mean the field only together with a word for a role."""

PLURALS = {RESPONSE: "responses", STATE: "states", ACTIVE_DOMAINS: "active domains"}
"""Field -> what messages call its values."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    RESPONSE: (str,),
    STATE: (dict, list, str),
    ACTIVE_DOMAINS: (list, str),
}
"""Field -> the types of its values. A key with values of other types holds something else."""

_EMPTY_TEXTS = ("{}", "[]")
_MANY = 10
"""In so many turns, at least one gold value of a field is not empty."""
_EXAMINED = 50
"""How many values of a key that names no field are examined to see which field it holds."""

_FIELD_OF_NAME = {name: field for field in TURN_KEYS for name in KEYS[field]}
_ROLE_OF_WORD: Mapping[str, Role] = {word: role for role, words in ROLES.items() for word in words}
_LONGEST = max(len(word) for word in (*_FIELD_OF_NAME, *_ROLE_OF_WORD))
_RANK_OF_NAME = {name: KEYS[field].index(name) for name, field in _FIELD_OF_NAME.items()}
_RANK_OF_NAME[""] = len(_RANK_OF_NAME)
"""Name of a field -> its rank: of keys, the one with the lowest counts. Last are those without."""


class KeyMeaning(NamedTuple):
    """What a key says about its values.

    Attributes:
        role: Whether they are predicted or gold; plain if the key does not say it.
        name: The name of a field, as in `KEYS`; empty if the key names none.
    """

    role: Role
    name: str


@lru_cache(maxsize=1 << 12)
def _words(plain: str) -> tuple[str, ...] | None:
    """Return the words for roles and the names of fields that a key consists of.

    Returns:
        None for a key that contains anything else.
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
def meaning_of(key: object) -> KeyMeaning | None:
    """Return what a key says about its values; None for a key of something else.

    >>> meaning_of("bspn_gen")
    KeyMeaning(role='predicted', name='bspn')
    >>> meaning_of("goal") is None
    True
    """
    words = _words(plain_key(key))
    if not words:
        return None
    roles = [_ROLE_OF_WORD[word] for word in words if word in _ROLE_OF_WORD]
    names = [word for word in words if word in _FIELD_OF_NAME]
    role: Role = roles[0] if roles else "plain"
    if role == "plain" and _ONLY_WITH_ROLE.issuperset(names):
        return None
    if not names:
        return KeyMeaning(role, "")
    field = _FIELD_OF_NAME[names[0]]
    if any(_FIELD_OF_NAME[name] != field for name in names):
        return None
    return KeyMeaning(role, min(names, key=KEYS[field].index))


def role_of(key: object) -> Role:
    """Return the role that a key says; plain if it says none."""
    meaning = meaning_of(key)
    return "plain" if meaning is None else meaning.role


def is_named(key: object, names: Collection[str]) -> bool:
    """Return whether a key has one of some names, with or without a word for a role.

    Args:
        key: The key.
        names: Names of fields; the empty name is that of keys that only say a role.
    """
    meaning = meaning_of(key)
    return meaning is not None and meaning.name in names


@dataclass(frozen=True)
class Fields:
    """Which keys of turns hold which fields.

    Attributes:
        predicted: Field -> the key of the predictions.
        gold: Field -> the key of gold values.
        problems: Of two keys that may both hold the predictions, a sentence.
    """

    predicted: Mapping[str, object]
    gold: Mapping[str, object]
    problems: Sequence[str] = ()

    @property
    def are_standard(self) -> bool:
        """Whether all keys are those of the standard form, and do not contradict each other."""
        if self.problems or self.gold.get(STATE, GOLD) != GOLD or self.gold.keys() - {STATE}:
            return False
        return all(key == field for field, key in self.predicted.items())

    @property
    def keys(self) -> frozenset[object]:
        """All keys that hold a field."""
        return frozenset(self.predicted.values()) | frozenset(self.gold.values())

    @property
    def names(self) -> dict[object, str | None]:
        """Key of a turn -> that of the standard form; None for a key that is left out.

        Gold values are left out, except states, and so are keys that another one stands for.
        """
        names: dict[object, str | None] = dict.fromkeys(self.predicted)
        for field, key in self.gold.items():
            if field in self.predicted:
                names[key] = None
        for field, key in self.predicted.items():
            names[key] = field
        if STATE in self.gold:
            names[self.gold[STATE]] = GOLD
        return names


def fields_of(turns: Sequence[object], named: Mapping[str, object] | None = None) -> Fields:
    """Return which keys of turns hold predictions, and which hold gold values.

    Args:
        turns: Turns; those that are not objects have no keys.
        named: Field -> the key that holds it, according to the user.

    >>> fields_of([{"pred_state": {}, "state": {"hotel": {"area": "north"}}}])
    Fields(predicted={'state': 'pred_state'}, gold={'state': 'state'}, problems=[])
    """
    named = named or {}
    objects = [turn for turn in turns if isinstance(turn, Mapping)]
    candidates = _candidates(objects, excluded=list(named.values()))
    predicted: dict[str, object] = {}
    gold: dict[str, object] = {}
    problems: list[str] = []
    for field, by_role in candidates.items():
        if field in named:
            predicted[field] = named[field]
            role = role_of(named[field])
        else:
            role = "predicted" if by_role["predicted"] else "plain"
            best = _best(by_role[role], field, objects)
            if best:
                predicted[field] = best[0]
            if len(best) > 1 and field != ACTIVE_DOMAINS:
                first, second = best
                problems.append(
                    f"`{first}` and `{second}` may both be the predicted {PLURALS[field]}, and "
                    "differ; keep the predictions alone, or name their key by `mwz convert --key "
                    f"{field}=KEY`"
                )
        gold_keys = _gold_candidates(by_role, role, predicted.get(field), objects)
        if gold_keys:
            gold[field] = gold_keys[0]
    if STATE in gold and _is_weak(predicted.get(RESPONSE), RESPONSE):
        # Beside gold and predicted states, such a text is the user's utterance.
        del predicted[RESPONSE]
    return Fields(predicted, gold, problems)


def _candidates(
    turns: Sequence[Mapping[object, object]], excluded: Collection[object]
) -> dict[str, dict[Role, list[object]]]:
    """Return field -> role -> the keys of turns that may hold the field, the best names first."""
    meanings: dict[object, KeyMeaning] = {}
    for key in chain.from_iterable(turns):
        meaning = meaning_of(key)
        if meaning is not None and key not in excluded:
            meanings[key] = meaning
    candidates: dict[str, dict[Role, list[object]]] = {}
    for turn_key in TURN_KEYS:
        candidates[turn_key] = {"predicted": [], "gold": [], "plain": []}
    for key in sorted(meanings, key=lambda key: _RANK_OF_NAME[meanings[key].name]):
        role, name = meanings[key]
        values = [turn[key] for turn in turns if turn.get(key) is not None]
        named_field = _FIELD_OF_NAME.get(name)
        field = named_field or _field_of_values(values)
        if named_field is not None and not (values and isinstance(values[0], _TYPES[named_field])):
            # Values of other types are something else.
            field = None
        if name == "metadata" and not any(map(is_metadata, values)):
            field = None
        if field is not None:
            candidates[field][role].append(key)
    return candidates


def _field_of_values(values: Sequence[object]) -> str | None:
    """Return the field that values look like: states or, if they are texts, responses."""
    filled = [value for value in values if value and value not in _EMPTY_TEXTS][:_EXAMINED]
    if not filled:
        types = set(map(type, values))
        if types & {dict, list}:
            return STATE
        return RESPONSE if str in types else None
    states = 0
    for value in filled:
        if isinstance(value, str):
            # A text that begins like an object is meant as a state, too.
            states += is_state(value) or value.lstrip().startswith("{")
        else:
            states += is_state(value, any_domain=True)
    if 2 * states >= len(filled):
        return STATE
    return RESPONSE if all(isinstance(value, str) for value in filled) else None


def _gold_candidates(
    by_role: Mapping[Role, list[object]],
    predicted_role: Role,
    predicted_key: object,
    turns: Sequence[Mapping[object, object]],
) -> list[object]:
    """Return the keys that may hold the gold values of a field, the best names first.

    Args:
        by_role: The keys that may hold the field, by the role that they say.
        predicted_role: The role that the key of the predictions says.
        predicted_key: That key; None if there are no predictions.
        turns: The turns whose keys they are.
    """
    keys = by_role["gold"]
    if not keys and predicted_role == "predicted":
        keys = by_role["plain"]
    if len(turns) < _MANY:
        return keys
    filled = [key for key in keys if _is_filled(key, turns)]
    # Whoever wrote the file left such gold values out, unless predictions are empty, too.
    if filled or _is_filled(predicted_key, turns):
        return filled
    return keys


def _is_filled(key: object, turns: Sequence[Mapping[object, object]]) -> bool:
    """Return whether a key has a value that is not empty, in some turn."""
    return any(turn.get(key) for turn in turns)


def _is_weak(key: object, field: str) -> bool:
    """Return whether a key is a plain name of a field that often means something else."""
    return role_of(key) == "plain" and is_named(key, WEAK[field])


def _best(
    keys: Sequence[object], field: str, turns: Sequence[Mapping[object, object]]
) -> list[object]:
    """Return the best key of a field, and another one if the two contradict each other.

    Args:
        keys: Keys of one role that may hold the field, the best names first.
        field: The field.
        turns: The turns whose keys they are.
    """
    if not keys:
        return []
    if role_of(keys[0]) == "plain":
        strong = [key for key in keys if not _is_weak(key, field)]
        keys = strong or keys[:1]
        filled = [key for key in keys if _is_filled(key, turns)]
        keys = filled or keys
    else:
        named = [key for key in keys if is_named(key, KEYS[field])]
        keys = named or keys
    best, *others = keys
    for other in others:
        for turn in turns:
            values = turn.get(best), turn.get(other)
            if None not in values and values[0] != values[1]:
                return [best, other]
    return [best]


# Objects within turns.

_SPEAKING = frozenset({"system", "assistant", "agent", "bot", "result"})
"""Keys of objects that hold a turn's fields, and say nothing about their role."""


def unfolded(turn: Mapping[object, object]) -> Mapping[object, object]:
    """Return a turn with the fields of an object such as `predictions` beside its other fields.

    >>> unfolded({"turn": 0, "predictions": {"state": {}}})
    {'turn': 0, 'predictions.state': {}}
    """
    fields: dict[object, object] = {}
    is_folded = False
    for key, value in turn.items():
        if not isinstance(value, dict):
            fields[key] = value
            continue
        prefix = "" if plain_key(key) in _SPEAKING else f"{key}."
        # An object with fields of one role, and not itself a state.
        has_role = not prefix or is_named(key, ("",))
        meanings = map(meaning_of, value)
        names_field = any(meaning is not None and meaning.name for meaning in meanings)
        if has_role and names_field and not is_state(value):
            is_folded = True
            for name, field_value in value.items():
                fields.setdefault(f"{prefix}{name}", field_value)
        else:
            fields[key] = value
    return fields if is_folded else turn


def gold_key(turn: Mapping[object, object], field: str) -> object:
    """Return the key under which a turn has a gold value of a field; None if there is none."""
    names = ("", *KEYS[field])
    for key in turn:
        if role_of(key) == "gold" and is_named(key, names):
            return key
    return None
