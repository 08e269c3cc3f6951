"""What the fields of a signature mean, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...signature import HARNESS, LIBRARIES, Signature

_MEANINGS: Mapping[str, str] = {
    "benchmark": "The test set.",
    "data": "SHA-256 of all of it that scores depend on: references, goals, gold states, venues.",
    "rules": "The rule set: placeholders, canonical values, how venues match.",
    "rules_digest": "SHA-256 of the rule set's tables.",
    "setup": "The set-ups of Inform and Success that were computed.",
    "domains": "Where active domains come from in the strict set-up.",
    "states": "Where belief states come from: the system (predicted) or the corpus (gold).",
    "goals": "Which dialogues were scored.",
    "coverage": "The turns played of all, and a digest of which.",
    "gold": "SHA-256 of the gold states that state tracking is scored against.",
}


def explained(signature: Signature) -> Iterator[tuple[str, str, str]]:
    """Yield field, value and meaning of everything that a signature holds."""
    versions = signature.versions
    if HARNESS in versions:
        yield HARNESS, versions[HARNESS], "Version of the harness."
    for name, meaning in _MEANINGS.items():
        value = getattr(signature, name)
        if value is not None:
            yield name.replace("_", " "), str(value), meaning
    for name, value in signature.parameters.items():
        yield name, value, "A further choice that the scores depend on; docs/signature.md."
    for name in versions:
        if name != HARNESS:
            told = "Version of a library that scores depend on."
            yield name, versions[name], told if name in LIBRARIES else "Version of a library."
