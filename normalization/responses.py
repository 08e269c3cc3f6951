"""Responses in one form: placeholders of the 18-slot ontology, Moses-detokenised text.

The steps, in order: lower-case; replace each placeholder (with a plural suffix) by its ontology
name, an unknown one by nothing; delete `-s`, then `-ly`; Moses-tokenise and -detokenise.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from .moses import REMEMBERED, detokenize
from .tables import read_table

DOMAINS = ("restaurant", "hotel", "attraction", "train", "taxi", "police", "hospital")

_PLACEHOLDER = re.compile(r"\[([\w\s\d]+)\](es|s|-s|-es|)")
_DELETED = ("-s", "-ly")
_ABOUT_VENUES = frozenset({"NAME", "TRAINID", "PHONE", "ADDRESS", "POST", "REFERENCE"})


@lru_cache(maxsize=1)
def ontology() -> Mapping[str, str]:
    """Return placeholder name (lower case) -> ontology name, the extension included."""
    tables = read_table("placeholders.toml")
    return {
        placeholder: slot
        for table in tables.values()
        for slot, placeholders in table.items()
        for placeholder in placeholders
    }


@dataclass(frozen=True)
class NormalizedResponse:
    """A response in the form that every metric reads.

    Attributes:
        text: The normalised text.
        placeholders: The names of the placeholders it was given with, in order, in lower case.
    """

    text: str
    placeholders: tuple[str, ...]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The placeholders that the ontology lacks; they were replaced by nothing."""
        return tuple(name for name in self.placeholders if name not in ontology())

    @property
    def identifying(self) -> int:
        """How many of its placeholders tell about a venue, which Inform and Success look at."""
        return sum(ontology().get(name) in _ABOUT_VENUES for name in self.placeholders)

    @property
    def naming(self) -> int:
        """How many of these name their domain, as `[hotel_name]` does."""
        return sum(
            ontology().get(name) in _ABOUT_VENUES and name.split("_")[0] in DOMAINS
            for name in self.placeholders
        )

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains that the placeholders name, as `[hotel_name]` does, each once, in order."""
        named = (name.split("_")[0] for name in self.placeholders)
        return tuple(dict.fromkeys(domain for domain in named if domain in DOMAINS))


def normalize_response(response: str) -> NormalizedResponse:
    """Normalise one response: placeholders, deleted suffixes, Moses detokenisation.

    Systems repeat themselves, so short responses are remembered.
    """
    return (_remembered if len(response) <= REMEMBERED else _normalize)(response)


def _normalize(response: str) -> NormalizedResponse:
    lowered = response.lower()
    placeholders = tuple(match[1] for match in _PLACEHOLDER.finditer(lowered))
    names = ontology()
    text = _PLACEHOLDER.sub(lambda match: names.get(match[1], ""), lowered)
    for suffix in _DELETED:
        text = text.replace(suffix, "")
    return NormalizedResponse(detokenize(text), placeholders)


_remembered = lru_cache(maxsize=1 << 17)(_normalize)
