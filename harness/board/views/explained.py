"""What the fields of a signature mean, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...signature import PLACEHOLDERS, Signature

FIELDS: Mapping[str, str] = {
    "mwz": "Version of the harness.",
    "benchmark": "The test set.",
    "data": "SHA-256 of all of it that scores depend on: references, goals, gold states, venues.",
    "rules": "The rule set, and SHA-256 of its tables: placeholders, canonical values, how venues "
    "match.",
    "setup": "The set-ups of Inform and Success that were computed.",
    "domains": "Where active domains come from in the strict set-up.",
    "states": "Where belief states come from: the system (predicted) or the corpus (gold).",
    "goals": "Which dialogues were scored.",
    "coverage": "The turns played of all, and a digest of which; left out where all are played.",
    "placeholders": "The table of placeholders that were read besides those of the rule set.",
    "gold": "SHA-256 of the gold states that state tracking is scored against.",
    "sacrebleu, sacremoses, rapidfuzz": "Versions of the libraries that scores depend on.",
}
"""Field, as a signature shows it -> its meaning."""

_DOMAINS: Mapping[str, str] = {
    "predicted": "active domains are those that the outputs name",
    "slots": "active domains are taken from the placeholders",
    "states": "active domains are taken from changes of the belief state",
    "gold": "active domains are the corpus'",
}
_STATES: Mapping[str, str] = {
    "predicted": "belief states are the system's own",
    "gold": "belief states are the corpus'",
}


def own_fields(signature: Signature) -> Iterator[tuple[str, str, str]]:
    """Yield field, value and meaning of what in a signature is the system's own."""
    for name, meanings in (("domains", _DOMAINS), ("states", _STATES)):
        value = getattr(signature, name)
        if value in meanings:
            yield name, value, f"{meanings[value]}."
    if PLACEHOLDERS in signature.parameters:
        meaning = "placeholders that the rule set does not know are read by this table."
        yield PLACEHOLDERS, signature.parameters[PLACEHOLDERS], meaning
    if signature.coverage is not None:
        yield "coverage", signature.coverage, "not every turn is played."
