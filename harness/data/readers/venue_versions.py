"""Which version of the venue database a clone has, and what rule sets use another."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from mwz.normalization.rules import rule_set, rule_set_names

from ...files import read_bytes
from ..pinned import Source, blob_id
from .evaluator import EVALUATOR_DATA

VERSIONED_FILE = f"{EVALUATOR_DATA}/database/restaurant_db.json"
"""The file that changed: the other venue files are the same in all pinned versions."""


def venue_notes(mwzeval: Path, sources: Collection[Source]) -> list[str]:
    """Say which version of the venue database a clone has, if some rule set uses another.

    Args:
        mwzeval: The evaluator's repository.
        sources: The table of pinned files.

    Returns:
        One line, or none if its database is the one of all rule sets.

    Raises:
        InputError: The file is missing or cannot be read.
    """
    held = blob_id(read_bytes(mwzeval / VERSIONED_FILE))
    versions = {
        source.venues: file.blob
        for source in sources
        for file in source.files
        if source.venues is not None and file.path == VERSIONED_FILE
    }
    own = _rule_sets(version for version, blob in versions.items() if blob == held)
    others = _rule_sets(version for version, blob in versions.items() if blob != held)
    if not others:
        return []
    if not own:
        return [f"venues: {VERSIONED_FILE} is of no known version; used under all rule sets"]
    return [
        f"venues: the clone's database is that of rule set {', '.join(own)}, used under "
        f"{', '.join(others)} too, whose own differs in three restaurants' telephone numbers "
        "(`mwz data fetch` gets both)"
    ]


def _rule_sets(versions: Iterable[str]) -> list[str]:
    """Return the rule sets that use one of some versions of the venue database."""
    used = set(versions)
    return [name for name in rule_set_names() if rule_set(name).venues in used]
