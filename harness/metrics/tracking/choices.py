"""What the definitions of state-tracking metrics leave open, and how users choose it.

Papers report variants under one name. Recall only is a metric of its own (joint recall), and so
is the response evaluator's fuzzy joint accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mwz.normalization import is_dontcare

from ...errors import InputError, unknown

DEFAULT_LAMBDAS = (0.25, 0.5, 0.75, 1.0)
"""The values of λ that table 1 of Dey, Kummara & Desarkar (2022) reports."""

HEADLINE_LAMBDA = 0.5
"""The one shown where there is room for one: it forgets 95 % of an error in six turns."""

MULTIWOZ_SLOTS = 30
"""The slots of MultiWOZ's five domains, as every published slot accuracy counts them."""

VARIANTS: Mapping[str, tuple[str, ...]] = {
    "per-domain": ("gold-slots", "active", "dialogues"),
    "dontcare": ("keep", "drop"),
    "none": ("absent", "value"),
    "gca": ("code", "paper"),
    "fga": ("code", "paper", "slots"),
    "dashes": ("last", "kept"),
}
"""Variant, as signatures name it -> its values, the default first."""

_ALWAYS_NAMED = ("per-domain", "dontcare", "none")


@dataclass(frozen=True)
class Choices:
    """What the definitions of metrics leave open, and which variant of joint accuracy is meant.

    Attributes:
        lambdas: The values of λ of FGA, each at least 0.
        slots: T of slot accuracy, the number of slots the data set defines.
        per_domain: Which turns scores per domain average over: those whose gold state has the
            domain ("gold-slots"), those in which it is "active", or all turns of the "dialogues"
            that have it in their goal. In one system's case the mean over domains differs by
            twelve points.
        dontcare: "keep", or "drop": slots with the value `dontcare` are left out on both sides.
        none: "absent": a slot with the value `none`, or another that means absent, is no slot; or
            "value", as in the public response evaluator's states (GCA: such a slot is dropped).
        gca: Whether GCA weighs its parts as the authors' "code" does, or as equation 6 of their
            "paper".
        fga: Whether a turn that follows an exact one and is not exact errs, as in the authors'
            "code", or only if it adds what is wrong or lacks what is new, as in their "paper"; or
            also if other "slots" are wrong than in the turn before, as in their script for TripPy.
        dashes: What a dash in a value is to SA and RSA. "last": the slot is what stands before the
            last dash of `domain-slot-value`, as in the published code of Dey et al. (2022) and of
            Aksu & Chen (2024), so that a wrong value with a dash of its own ("sixty-two") is of
            another slot; "kept": it belongs to the value.
        domain_lambdas: Domain -> λ of its FGA, where it has one of its own.
        metrics: The names of the metrics that the states allow; all if there are none.
        only: The domains whose slots count; empty if all do.
    """

    lambdas: Sequence[float] = DEFAULT_LAMBDAS
    slots: int = MULTIWOZ_SLOTS
    per_domain: str = "gold-slots"
    dontcare: str = "keep"
    none: str = "absent"
    gca: str = "code"
    fga: str = "code"
    dashes: str = "last"
    domain_lambdas: Mapping[str, float] = field(default_factory=dict)
    metrics: Sequence[str] = ()
    only: Sequence[str] = ()

    @property
    def variants(self) -> dict[str, str]:
        """The variants of metrics, as signatures name them; those of papers only if chosen."""
        named = {}
        for name, values in VARIANTS.items():
            value = getattr(self, name.replace("-", "_"))
            if name in _ALWAYS_NAMED or value != values[0]:
                named[name] = value
        if self.only:
            named["only"] = ",".join(self.only)
        return named

    def counts(self, domain: str, value: str) -> bool:
        """Whether a slot of a domain counts, with its value."""
        is_kept = self.dontcare == "keep" or not is_dontcare(value)
        return is_kept and (not self.only or domain in self.only)

    @classmethod
    def from_variants(cls, given: Iterable[str], place: str = "--variant") -> Choices:
        """Return the choices that users name, each as NAME=VALUE.

        Args:
            given: Such as `dontcare=drop`, `lambda=0.5,1`, `forget:train=0.95,3`.
            place: What messages call it.

        Raises:
            InputError: A name or a value is unknown, or a name is there twice.
        """
        values: dict[str, Any] = {}
        domains: dict[str, float] = {}
        for text in given:
            name, _, value = text.partition("=")
            chosen = domains if name.startswith(_FORGET) else values
            key = name.removeprefix(_FORGET).replace("-", "_")
            if key in chosen:
                raise InputError(place, f"{name} is there twice")
            chosen[key] = _value(name, value, place)
        lambdas = [*values.pop("lambda", DEFAULT_LAMBDAS), *values.pop("forget", ())]
        return cls(lambdas=tuple(dict.fromkeys(lambdas)), domain_lambdas=domains, **values)


def decay_to_forget(turns: float, share: float) -> float:
    """Return the λ with which an error is forgotten by a share in a number of turns (section 3).

    Args:
        turns: t_f, over 0.
        share: p, at least 0 and below 1; 0.95 of an error forgotten in 6 turns gives 0.499.

    Raises:
        ValueError: One of them is out of range.
    """
    if not (0 < turns < math.inf and 0 <= share < 1):
        raise ValueError("turns must be finite and over 0, the share at least 0 and below 1")
    return -math.log1p(-share) / turns


def lambda_label(decay: float) -> str:
    """Return how reports and signatures write a λ, no two alike: `0.25`, `1`."""
    short = f"{decay:g}"
    return short if float(short) == decay else repr(decay)


def _value(name: str, text: str, place: str) -> Any:
    """Return what a variant is to be; raise an `InputError` for an unknown one."""
    if name in VARIANTS:
        if text not in VARIANTS[name]:
            raise InputError(place, unknown(f"value of {name}", text, VARIANTS[name]))
        return text
    kind = _FORGET + "DOMAIN" if name.startswith(_FORGET) and name != _FORGET else name
    if kind not in _NUMBERS:
        raise InputError(place, unknown("variant", name, [*VARIANTS, *_NUMBERS]))
    read, expected = _NUMBERS[kind]
    try:
        return read(text)
    except ValueError:
        raise InputError(place, f"{name}: expected {expected}, found {text!r}") from None


def _slots(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _decays(text: str) -> list[float]:
    decays = [float(number) for number in text.split(",")]
    # NaN fails every comparison.
    if not all(0 <= decay < math.inf for decay in decays):
        raise ValueError(text)
    return decays


def _forgetting(text: str) -> float:
    share, turns = map(float, text.split(","))
    # A λ that is computed counts with the six digits that people will write of it.
    return float(f"{decay_to_forget(turns, share):g}")


_FORGET = "forget:"

_NUMBERS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "slots": (_slots, "a number of at least 1"),
    "lambda": (_decays, "numbers of at least 0, such as 0.25,0.5"),
    "forget": (lambda text: [_forgetting(text)], "SHARE,TURNS such as 0.95,6"),
    _FORGET + "DOMAIN": (_forgetting, "SHARE,TURNS such as 0.95,3"),
}
"""What else `Choices.from_variants` takes -> what reads it, and what it expects."""
