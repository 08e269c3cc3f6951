"""Fill the tables of docs/predictions-format.md from the tables that the harness reads by.

    python tools/predictions_format.py

A table stands between `<!-- NAME -->` and `<!-- end -->`; all else on the page is written by hand.
tests/test_predictions_page.py holds the page against what this makes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path

from mwz.harness.checking import LOOK_ALIKES
from mwz.harness.errors import LONGEST_MESSAGE
from mwz.harness.files import write_atomically
from mwz.harness.formats import formats
from mwz.harness.limits import VARIABLE, Limits
from mwz.harness.notations import STATE_DOMAINS, STATE_SLOTS
from mwz.harness.rendering import markdown_table
from mwz.normalization.rules import DEFAULT_RULES, rule_set

PAGE = Path(__file__).parents[1] / "docs" / "predictions-format.md"

_TABLE = re.compile(r"(<!-- (?!end )([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """Return the page with its tables as they are to be.

    Raises:
        KeyError: The page names a table that there is not.
    """
    return _TABLE.sub(lambda match: f"{match[1]}\n{TABLES[match[2]]()}\n\n{match[3]}", text)


def _placeholders() -> str:
    rules = rule_set(DEFAULT_RULES)
    written: dict[str, list[str]] = {}
    for placeholder, name in rules.ontology.items():
        written.setdefault(name, []).append(f"`[{placeholder}]`")
    rows = [
        [name, "yes" if name in rules.about_venues else "", " ".join(placeholders)]
        for name, placeholders in sorted(written.items())
    ]
    return markdown_table(["becomes", "tells about a venue", "placeholders"], rows)


def _bounds() -> str:
    rows: list[list[str | int | float | None]] = [
        [bound.metadata["unit"], f"{bound.default:,}", f"`{VARIABLE}{bound.name.upper()}`"]
        for bound in fields(Limits)
    ]
    rows.append(["characters in a message", f"{LONGEST_MESSAGE:,}", "fixed"])
    return markdown_table(["at most", "by default", "set by"], rows)


def _formats() -> str:
    return markdown_table(
        ["format", "what it is"], [[one.name, one.description] for one in formats()]
    )


def _look_alikes() -> str:
    meant: dict[str, list[str]] = {}
    for key, right in LOOK_ALIKES.items():
        meant.setdefault(right, []).append(f"`{key}`")
    return markdown_table(
        ["key that is meant", "keys that are remarked"],
        [[f"`{right}`", " ".join(keys)] for right, keys in meant.items()],
    )


def _names() -> str:
    rows = [
        [kind, " ".join(f"`{name}`" for name in sorted(names))]
        for kind, names in (("domains", STATE_DOMAINS), ("slots", STATE_SLOTS))
    ]
    return markdown_table(["of states", "known names"], rows)


TABLES: Mapping[str, Callable[[], str]] = {
    "placeholders": _placeholders,
    "bounds": _bounds,
    "formats": _formats,
    "look alikes": _look_alikes,
    "names": _names,
}


if __name__ == "__main__":
    write_atomically(PAGE, page(PAGE.read_text(encoding="utf-8")))
