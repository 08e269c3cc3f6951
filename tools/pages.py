"""Fill the tables of pages in docs/ from what the harness itself goes by.

    python tools/pages.py

A table stands between `<!-- NAME -->` and `<!-- end -->`; all else on a page is written by hand.
tests/test_docs_tables.py holds the pages against what this makes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from mwz.harness.board.entries import read_entries
from mwz.harness.board.model import rows as leaderboard_rows
from mwz.harness.board.record import rule_set_rows
from mwz.harness.board.reported import read_reported
from mwz.harness.checking import LOOK_ALIKES
from mwz.harness.data.declared import declared_names, gold_versions
from mwz.harness.errors import LONGEST_MESSAGE
from mwz.harness.files import write_atomically
from mwz.harness.formats import formats
from mwz.harness.limits import VARIABLE, Limits
from mwz.harness.metrics.registry import response_metrics
from mwz.harness.metrics.setups import COMPARISONS, REFERENCES, SETUPS
from mwz.harness.metrics.tracking.tracking_registry import tracking_metrics
from mwz.harness.notations import STATE_DOMAINS, STATE_SLOTS
from mwz.harness.rendering import escaped_cell, figure, markdown_table, signed
from mwz.harness.report import Report
from mwz.normalization.rules import DEFAULT_RULES, rule_set

DOCS = Path(__file__).parents[1] / "docs"

PAGES = ("predictions-format.md", "metrics.md", "audit.md", "state-tracking.md")
SUBMISSIONS = DOCS.parent / "submissions"
NOTHING = "–"

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


def _gold_versions() -> str:
    known = {name: gold_versions(name) for name in declared_names()}
    rows = [
        [name, gold.own, ", ".join(gold.further)] for name, gold in known.items() if gold.further
    ]
    return markdown_table(["benchmark", "its own gold states", "further ones on the board"], rows)


def _audited_systems() -> str:
    """Return what each system is reported to score first of all, beside the harness's figures."""
    rows = []
    for row in leaderboard_rows(read_entries(SUBMISSIONS), DEFAULT_RULES):
        if row.entry is None or row.entry.system.predictions.by_harness:
            continue
        claim = next(iter(row.entry.system.reported), None)
        reported = {} if claim is None else claim.figures
        newer = row.entry.scores.under("2023")
        rows.append(
            [
                escaped_cell(row.name),
                _slashed(
                    str(reported.get(name, NOTHING)) for name in ("bleu", "inform", "success")
                ),
                _slashed(row.figure(name) for name in ("bleu", "inform", "success")),
                _slashed(row.figure(name, "optimistic") for name in ("inform", "success")),
                _slashed(figure(None if newer is None else rate) for rate in _rates(newer)),
            ]
        )
    headers = ["System", "Reported (B / I / S)", "Strict (B / I / S)", "Optimistic (I / S)"]
    return markdown_table([*headers, "Rules 2023 (I / S)"], rows)


def _rates(report: Report | None) -> Sequence[float | None]:
    return (None, None) if report is None else (report.inform, report.success)


def _slashed(figures: Iterable[str]) -> str:
    return " / ".join(figures)


def _rule_sets_of_rows() -> str:
    """Return the rows of the public board beside the harness's rates under each rule set."""
    rows = [
        [
            escaped_cell(one.system),
            *(f"{one.printed[name]:f}" for name in ("inform", "success")),
            *(_slashed(map(signed, gaps.values())) for gaps in one.differences.values()),
            " or ".join(one.under) or "neither",
        ]
        for one in rule_set_rows(read_entries(SUBMISSIONS), read_reported(SUBMISSIONS))
    ]
    headers = ["Row", "Inform", "Success", "2021 (I / S)", "2023 (I / S)", "Comes out under"]
    return markdown_table(headers, rows)


def _fuzzy_joint_accuracies() -> str:
    """Return JGA beside the fuzzy joint accuracy, the largest difference first."""
    found = [
        (entry.system.name, report.dst.metrics["JGA"], report.dst.fuzzy["joint_accuracy"])
        for entry in read_entries(SUBMISSIONS)
        if not entry.system.predictions.by_harness
        and (report := entry.scores.under(DEFAULT_RULES)) is not None
        and report.dst is not None
    ]
    rows = [
        [escaped_cell(name), figure(exact, 2), figure(fuzzy, 2), signed(fuzzy - exact, 2)]
        for name, exact, fuzzy in sorted(found, key=lambda one: one[1] - one[2])
    ]
    return markdown_table(["System", "JGA", "Fuzzy joint accuracy", "Difference"], rows)


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
    "gold versions": _gold_versions,
    "audited systems": _audited_systems,
    "rule sets of rows": _rule_sets_of_rows,
    "fuzzy joint accuracies": _fuzzy_joint_accuracies,
}


if __name__ == "__main__":
    for name in PAGES:
        write_atomically(DOCS / name, page((DOCS / name).read_text(encoding="utf-8")))
