"""Responses in one form: placeholders of the 18-slot ontology, Moses-detokenised text.

The steps, in order: lower-case; replace each placeholder (with a plural suffix) by its ontology
name, an unknown one by nothing; delete `-s`, then `-ly`; Moses-tokenise and -detokenise.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from .moses import detokenize
from .rules import RuleSet

NAME = re.compile(r"[\w\s\d]+")
"""The name of a placeholder."""

PLACEHOLDER = re.compile(rf"\[({NAME.pattern})\](es|s|-s|-es|)")
"""A placeholder; its name is the first group, its suffix the second."""

_PARTS = 3
"""What a text is split into by placeholders: text, name, suffix, text, name, suffix, …"""


@lru_cache(maxsize=1)
def _parts(text: str) -> tuple[str, ...]:
    """Return a text split by its placeholders, which are asked for again at once."""
    return tuple(PLACEHOLDER.split(text))


def placeholder_names(response: str) -> list[str]:
    """Return the names of a response's placeholders, in order, in lower case."""
    return [*_parts(response.lower())[1::_PARTS]]


class NormalizedResponse(NamedTuple):
    """A response in the form that every metric reads.

    Attributes:
        text: The normalised text.
        placeholders: The names of the placeholders it was given with, in order, in lower case.
        unknown: Those that the ontology lacks; they were replaced by nothing.
        domains: The domains that the placeholders name, as `[hotel_name]` does, each once, in
            order.
        identifying: How many of the placeholders tell about one venue.
        naming: How many of these name their domain.
    """

    text: str
    placeholders: tuple[str, ...]
    unknown: tuple[str, ...]
    domains: tuple[str, ...]
    identifying: int
    naming: int


def _with_ontology_names(text: str, rules: RuleSet) -> str:
    parts = [*_parts(text)]
    parts[1::_PARTS] = [rules.ontology.get(name, "") for name in parts[1::_PARTS]]
    # The suffixes.
    del parts[2::_PARTS]
    return "".join(parts)


def _without_suffixes(text: str, rules: RuleSet) -> str:
    for suffix in rules.tables["responses"]["deleted"]:
        text = text.replace(suffix, "")
    return text


STEPS: Mapping[str, Callable[[str, RuleSet], str]] = {
    "lower-casing": lambda text, rules: text.lower(),
    "ontology": _with_ontology_names,
    "suffix rules": _without_suffixes,
    "Moses": lambda text, rules: detokenize(text),
}
"""Name of a step -> what it makes of a text, in the order in which they are applied."""


def normalized_text(response: str, rules: RuleSet, without: str | None = None) -> str:
    """Return the normalised text of a response; `without` is a step to leave out, if any."""
    for name, step in STEPS.items():
        if name != without:
            response = step(response, rules)
    return response


@lru_cache(maxsize=1 << 15)
def normalize_response(response: str, rules: RuleSet) -> NormalizedResponse:
    """Normalise one response: placeholders, deleted suffixes, Moses detokenisation."""
    placeholders = tuple(placeholder_names(response))
    # Many responses have the same placeholders.
    return NormalizedResponse(normalized_text(response, rules), *_named(placeholders, rules))


@lru_cache(maxsize=1 << 12)
def _named(
    placeholders: tuple[str, ...], rules: RuleSet
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], int, int]:
    """Return what a `NormalizedResponse` says of placeholders: all its fields but the text."""
    names = rules.ontology
    about_venues = [name for name in placeholders if names.get(name) in rules.about_venues]
    named = (_domain(name) for name in placeholders)
    return (
        placeholders,
        tuple(name for name in placeholders if name not in names),
        tuple(dict.fromkeys(domain for domain in named if domain in rules.domains)),
        len(about_venues),
        sum(_domain(name) in rules.domains for name in about_venues),
    )


def _domain(placeholder: str) -> str:
    """Return what stands where placeholders that name their domain have it."""
    return placeholder.split("_", maxsplit=1)[0]


class VenueId(NamedTuple):
    """Which venue: the domain and the id that database queries return (trains: the train id)."""

    domain: str
    id: str


@dataclass(frozen=True, slots=True)
class Span:
    """A value that a response in plain English tells.

    Attributes:
        start: Where it begins in the response (characters).
        end: Where it ends, exclusive.
        slot: Ontology slot ("NAME", "PHONE").
        value: The value as the database writes it; a telephone number, postcode or train id in
            its comparable form; what the database does not have, in lower case.
        venues: The venues it may belong to; none if the database does not have it.
        whole: Whether the whole value is told; False of a part of an address.
    """

    start: int
    end: int
    slot: str
    value: str
    venues: tuple[VenueId, ...] = ()
    whole: bool = True


@dataclass(frozen=True)
class Delexicalised:
    """A response in plain English and what was found in it.

    Attributes:
        original: The response as it was written.
        text: The response with a placeholder in place of every value.
        spans: The values, in order; they do not overlap. Placeholders that the response already
            had are not among them.
    """

    original: str
    text: str
    spans: tuple[Span, ...]
