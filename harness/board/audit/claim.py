"""`mwz claim`: whether reported figures can be, which scripts give such ones, and what to ask."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from pathlib import Path

import click

from mwz.normalization import DEFAULT_RULES

from ...cli import option
from ...diagnosis import wrapped
from ...errors import InputError, unknown
from ...io import Cell, figure, printable, text_table
from ...metrics import MAIN_SETUP, RANKED, reported_figures
from ..entries import Entry, read_entries
from ..reported import (
    METRICS,
    OFFICIAL,
    ReportedTable,
    number,
    printed_numbers,
    read_reported,
    scored_figure,
    version_and_measure,
)
from ..verdicts import (
    JOINT_ACCURACY,
    PARTS,
    SIZES,
    combined_holds,
    combined_range,
    implied_part,
    least_runs,
    possible_counts,
)

FIGURES = ("bleu", "inform", "success", "combined", "jga")
_UNITS = {"inform": "dialogues", "success": "dialogues", "jga": "turns"}

FAMILIES: Mapping[str, str] = {
    "strict": "here, strict set-up",
    "optimistic": "here, optimistic set-up",
    "official": "public board, public evaluator",
    "old": "scripts before the public evaluator",
    "authors": "authors' own scripts",
}
"""Who prints a figure -> what tables call it."""

_NEAR = 3.0
"""How far figures of other systems may be from those claimed, in points."""
_SHOWN = 3
"""How many systems are shown of a family."""


@dataclass(frozen=True)
class Printed:
    """What a system has by one family of scripts.

    Attributes:
        family: A key of `FAMILIES`.
        system: Its name, with the version of MultiWOZ if that is told.
        track: Its track.
        figures: Of `FIGURES` -> value.
        entry: Its entry, if its figures here are others than these.
    """

    family: str
    system: str
    track: str
    figures: Mapping[str, float]
    entry: Entry | None = None

    def distance(self, claimed: Mapping[str, Decimal]) -> float:
        """Return the largest difference from claimed figures; infinity if it lacks one of them."""
        if not claimed.keys() <= self.figures.keys():
            return math.inf
        return max(abs(self.figures[name] - float(value)) for name, value in claimed.items())


def scored_here(entries: Iterable[Entry], version: str | None) -> Iterator[Printed]:
    """Yield what entries score: responses in both set-ups, states with each version of gold."""
    for entry in entries:
        if entry.system.predictions.by_harness:
            continue
        for setup in RANKED:
            figures = _scored(entry, setup)
            if figures:
                yield Printed(setup, entry.system.name, entry.system.track, figures)
        for tracked in entry.scores.tracked():
            if version in (None, tracked.version):
                name = f"{entry.system.name} ({tracked.version})"
                yield Printed("strict", name, entry.system.track, {"jga": tracked.jga})


def printed_elsewhere(
    entries: Iterable[Entry], tables: Iterable[ReportedTable], version: str | None
) -> Iterator[Printed]:
    """Yield what public tables print, but for what the public evaluator gives entries."""
    by_key = {entry.key: entry for entry in entries}
    for table in tables:
        for row in table.rows:
            entry = by_key.get(row.entry or "")
            if entry is not None and table.kind == OFFICIAL:
                continue
            by_version: dict[str, dict[str, float]] = {}
            for column, printed in printed_numbers(table, row).items():
                of_version, measure = version_and_measure(column)
                name = "jga" if measure in JOINT_ACCURACY else METRICS.get(measure, "")
                if name in FIGURES and version in (None, of_version, of_version or version):
                    by_version.setdefault(of_version or "", {})[name] = float(printed)
            for of_version, figures in by_version.items():
                if figures.keys() >= set(PARTS):
                    combined = (figures["inform"] + figures["success"]) / 2 + figures["bleu"]
                    figures.setdefault("combined", combined)
                system = f"{row.system} ({of_version})" if of_version else row.system
                yield Printed(table.kind, system, table.track, figures, entry)


def _scored(entry: Entry, setup: str) -> dict[str, float]:
    """Return what the responses of an entry score in a set-up."""
    report = entry.scores.reports.get(DEFAULT_RULES)
    scored = {name: scored_figure(report, setup, name) for name in (*PARTS, "combined")}
    return {name: value for name, value in scored.items() if value is not None}


def attainable(name: str, printed: Decimal) -> str:
    """Return over how many dialogues or turns and runs a rate can be, in a sentence."""
    unit = _UNITS[name]
    possible = []
    impossible = []
    for size in SIZES[unit]:
        counts = possible_counts(printed, size)
        if counts:
            several = f" to {counts[-1]}" if len(counts) > 1 else ""
            possible.append(f"{counts[0]}{several} of {size}")
        else:
            impossible.append(f"{size} (but the mean of {least_runs(printed, size)} runs or more)")
    words = f"{name} {printed} can be, in one run, {', '.join(possible) or 'nothing'} {unit}"
    return f"{words}; not of {', '.join(impossible)}." if impossible else f"{words}."


def _missing_parts(claimed: Mapping[str, Decimal]) -> list[str]:
    return [name for name in PARTS if name not in claimed]


def arithmetic(claimed: Mapping[str, Decimal]) -> str:
    """Return whether the combined score is that of its parts, or what the third part is."""
    if "combined" not in claimed:
        return ""
    missing = _missing_parts(claimed)
    if len(missing) == 1:
        low, high = implied_part(claimed, missing[0])
        titles = {name: reported_figures()[name].title for name in PARTS}
        given = [f"{titles[name]} {claimed[name]}" for name in PARTS if name in claimed]
        implied = f"{titles[missing[0]]} {low}" + (f" to {high}" if high > low else "")
        impossible = ", which cannot be" if high < 0 or low > 100 else ""
        whole = f"Combined {claimed['combined']}"
        return f"{', '.join(given)} and {whole} imply {implied}{impossible}."
    if missing:
        return "Combined alone says neither how fluent nor how successful a system is."
    inform, success, bleu = (claimed[name] for name in PARTS)
    low, high = combined_range(inform, success, bleu)
    if combined_holds(claimed["combined"], inform, success, bleu):
        return f"Combined {claimed['combined']} is (Inform + Success) / 2 + BLEU."
    return f"Combined {claimed['combined']} is not that of its parts, which give {low} to {high}."


def nearest(claimed: Mapping[str, Decimal], known: Iterable[Printed]) -> list[Printed]:
    """Return the systems whose figures are near, the nearest of each family first."""
    near = [printed for printed in known if printed.distance(claimed) <= _NEAR]
    near.sort(key=lambda printed: printed.distance(claimed))
    chosen: list[Printed] = []
    for family in FAMILIES:
        chosen += [printed for printed in near if printed.family == family][:_SHOWN]
    return chosen


def claim_text(claimed: Mapping[str, Decimal], near: Sequence[Printed]) -> str:
    """Return the systems with such figures as a table, and a paragraph for a review.

    Args:
        claimed: Of `FIGURES` -> the figure, as printed.
        near: As of `nearest`.
    """
    shown = [name for name in FIGURES if name in claimed]
    if "combined" in claimed:
        shown = [*PARTS, "combined"]
    rows: list[list[Cell]] = []
    sentences = [attainable(name, claimed[name]) for name in _UNITS if name in claimed]
    sentences.append(arithmetic(claimed))
    families: dict[str, list[str]] = {}
    for printed in near:
        title = FAMILIES[printed.family]
        families.setdefault(title, []).append(printed.system)
        rows.append([title, printed.system, printed.track, *_cells(shown, printed.figures)])
        if printed.entry is not None:
            scored = _scored(printed.entry, MAIN_SETUP)
            rows.append(["", "  scores here, strict", "", *_cells(shown, scored)])
    whose = [f"{title}: {', '.join(systems)}" for title, systems in families.items()]
    sentences.append(
        f"Figures within {_NEAR:g} points have, by family of scripts: {'; '.join(whose) or 'none'}."
    )
    is_lenient = any(printed.family in ("old", "authors", "optimistic") for printed in near)
    if is_lenient and "jga" not in claimed:
        sentences.append(
            "Such scripts mostly give the same outputs more than the public evaluator."
        )
    sentences.append(f"To ask the authors: {'; '.join(_questions(claimed))}.")
    paragraph = wrapped("", " ".join(filter(None, sentences)), indent=0)
    if not rows:
        return paragraph
    table = text_table(["family of scripts", "system", "track", *shown], rows)
    return f"{table}\n\n{paragraph}"


def _questions(claimed: Mapping[str, Decimal]) -> Iterator[str]:
    yield "which script, at which commit, with which options"
    yield "were belief states or active domains gold"
    missing = _missing_parts(claimed)
    if "combined" in claimed and len(missing) > 1:
        yield f"what are {', '.join(reported_figures()[name].title for name in missing)}"
    if "combined" in claimed and "bleu" in missing:
        yield "which references has BLEU"
    for name, unit in _UNITS.items():
        if name in claimed and not possible_counts(claimed[name], next(iter(SIZES[unit]))):
            yield f"over how many {unit} and runs is {name}"
    if "jga" in claimed:
        yield "which gold states are it, and does dontcare count"
    yield "where are the outputs"


def _cells(claimed: Iterable[str], figures: Mapping[str, float | None]) -> list[Cell]:
    return [figure(figures.get(name), 1) for name in claimed]


@click.command()
@click.argument("claims", metavar="FIGURE=NUMBER...", nargs=-1, required=True)
@click.option("--version", metavar="VERSION", help="The version of MultiWOZ it is reported for.")
@option.submissions
def command(claims: Sequence[str], version: str | None, submissions: Path) -> None:
    """Judge figures that a paper reports, as inform=95.2 success=88.3, or combined=105.1.

    Says over which numbers of dialogues and runs they can be, whether Combined is that of its
    parts or what the third part is, whose scripts give such figures and to whom, what these systems
    score here, and what to ask the authors, as a paragraph for a review. Figures are bleu, inform,
    success, combined and jga, with the digits that are printed.
    """
    claimed: dict[str, Decimal] = {}
    for claim in claims:
        name, _, text = claim.partition("=")
        value = number(text)
        if name in claimed:
            raise InputError(claim, f"{name} is there twice")
        if name not in FIGURES:
            raise InputError(claim, unknown("figure", name, FIGURES))
        if value is None or value > (200 if name == "combined" else 100):
            raise InputError(claim, f"{text!r} is no figure of {name}; write {name}=95.2")
        claimed[name] = value
    folder = option.readable(submissions)
    entries = read_entries(folder)
    elsewhere = printed_elsewhere(entries, read_reported(folder), version)
    near = nearest(claimed, chain(scored_here(entries, version), elsewhere))
    click.echo(printable(claim_text(claimed, near)))
