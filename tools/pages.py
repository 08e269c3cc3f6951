"""Fill the tables of pages in docs/ from what the harness itself goes by.

    python tools/pages.py

A table stands between `<!-- NAME -->` and `<!-- end -->`; all else on a page is written by hand.
tests/test_docs_tables.py holds the pages against what this makes.
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
from mwz.harness.metrics.registry import response_metrics
from mwz.harness.metrics.setups import COMPARISONS, REFERENCES, SETUPS
from mwz.harness.metrics.tracking.tracking_registry import tracking_metrics
from mwz.harness.notations import STATE_DOMAINS, STATE_SLOTS
from mwz.harness.rendering import markdown_table
from mwz.normalization.rules import DEFAULT_RULES, rule_set

DOCS = Path(__file__).parents[1] / "docs"

PAGES = ("predictions-format.md", "metrics.md")

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


def _response_metrics() -> str:
    rows = [
        [
            f"`{name}`",
            metric.description,
            metric.unit,
            metric.source,
            "yes" if metric.default else "if named",
        ]
        for name, metric in response_metrics().items()
    ]
    return markdown_table(["`--metrics`", "what it says", "unit", "source", "computed"], rows)


def _setups() -> str:
    rows: list[list[str | int | float | None]] = [
        [
            f"`{name}`",
            named.setup.comparison,
            "yes" if named.setup.reduced_search else "",
            named.domains or "own",
            named.states or "own",
            named.setup.references,
            named.description,
            named.source,
        ]
        for name, named in SETUPS.items()
    ]
    return markdown_table(
        [
            "`--setup`",
            "venues",
            "reduced",
            "domains",
            "states",
            "reference",
            "what it is",
            "source",
        ],
        rows,
    )


def _ways() -> str:
    rows = [
        [f"`{name}`", of, way.description]
        for of, ways in (("venues", COMPARISONS), ("reference", REFERENCES))
        for name, way in ways.items()
    ]
    return markdown_table(["way", "column", "what it does"], rows)


def _tracking_metrics() -> str:
    rows = [
        [name, metric.question, metric.unit, metric.source]
        for name, metric in tracking_metrics().items()
    ]
    return markdown_table(["metric", "what it asks", "unit", "source"], rows)


TABLES: Mapping[str, Callable[[], str]] = {
    "placeholders": _placeholders,
    "bounds": _bounds,
    "formats": _formats,
    "look alikes": _look_alikes,
    "names": _names,
    "response metrics": _response_metrics,
    "set ups": _setups,
    "ways": _ways,
    "tracking metrics": _tracking_metrics,
}


if __name__ == "__main__":
    for name in PAGES:
        write_atomically(DOCS / name, page((DOCS / name).read_text(encoding="utf-8")))
