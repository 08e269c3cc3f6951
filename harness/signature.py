"""The signature: one line that identifies everything a score depends on besides the system.

Two scores may be compared if their signatures are equal, and not otherwise.
Source of the habit: Post (2018), "A Call for Clarity in Reporting BLEU Scores".
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

SHOWN_HASH = 12
"""How many hexadecimal digits of a content hash a signature shows."""

_LIBRARIES = ("sacrebleu", "sacremoses", "rapidfuzz")


def harness_version() -> str:
    """Return the version of this package."""
    return version("multiwoz-harness")


def signature(benchmark: str, content_hash: str, choices: Mapping[str, str]) -> str:
    """Return the signature of a score.

    Args:
        benchmark: The benchmark's name.
        content_hash: Its content hash under the rule set used.
        choices: What was chosen: rule set, set-ups, sources, in the order to show.
    """
    fields = {
        "mwz": harness_version(),
        "benchmark": benchmark,
        "data": content_hash[:SHOWN_HASH],
        **choices,
        **{library: version(library) for library in _LIBRARIES},
    }
    return "|".join(f"{key}:{value}" for key, value in fields.items())
