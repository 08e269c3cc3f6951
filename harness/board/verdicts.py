"""Whether the figures that papers and public tables print of systems are those of their outputs.

A printed figure matches if the harness's is within half a unit of its last digit: rounded to the
digits printed, it equals it. An average length that is cut off rather than rounded, less than one
unit away, and a combined score added up from rounded parts match to rounding. Where a figure does
not match as it should, the other set-ups and rule sets are tried. The words are in `verdicts.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

from mwz.normalization.registry import read_toml
from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets

from ..metrics.setups import RANKED
from .entries import Entry
from .printed import (
    JOINT_ACCURACY,
    PARTS,
    Figure,
    combined_holds,
    contradicts_parts,
    figure_title,
    figures_beside,
    scored_figure,
)
from .reported import (
    DIVERSITY,
    ReportedFigures,
    ReportedRow,
    ReportedTable,
    number,
    printed_figures,
    printer,
    version_and_measure,
)
from .tracked import DROP, KEEP, TrackedScores, entered_scores, tracked

_OPTIMISTIC = "optimistic combined score"
"""The verdict on a combined score that is the optimistic one, beside strict parts."""

Alternatives: TypeAlias = Callable[[ReportedFigures, str], Iterable[tuple[str, float]]]
"""What else a reported metric could be: the name of a set-up, and the harness's figure."""


# ------------------------------------------------------------------------ every reported figure


def record(
    entries: Iterable[Entry],
    tables: Sequence[ReportedTable],
    alternatives: Mapping[str, Alternatives] | None = None,
) -> list[Figure]:
    """Return every figure reported of entries, beside the harness's.

    A figure that a table repeats from an entry's own, under the same set-up, is there once.

    Args:
        entries: The entries.
        tables: The public tables.
        alternatives: Key of an entry -> what else its figures could be.
    """
    others = alternatives or {}
    return [one for each in entries for one in _record(each, tables, others.get(each.key))]


def _record(
    entry: Entry, tables: Sequence[ReportedTable], alternatives: Alternatives | None
) -> Iterator[Figure]:
    rows = [(table, row) for table in tables for row in table.rows if row.entry == entry.key]
    claims: list[ReportedFigures] = [*entry.system.reported]
    claims += [claim for table, row in rows for claim in printed_figures(table, row)]
    seen: set[tuple[str, str, Decimal]] = set()
    for claim in claims:
        for one in reported_figures(entry, claim, alternatives):
            key = (one.setup, one.metric, one.printed)
            if key not in seen:
                seen.add(key)
                yield one
    for table, row in rows:
        yield from _joint_accuracies(entry, table, row)


def reported_figures(
    entry: Entry, claim: ReportedFigures, alternatives: Alternatives | None = None
) -> list[Figure]:
    """Return every figure that a source reports of a system, beside its scores."""
    report = entry.scores.under(DEFAULT_RULES)
    home = "optimistic" if claim.setup == "optimistic" else "strict"
    beside = figures_beside(report, home, claim.figures, claim.style)
    return [
        replace(
            one,
            system=entry.system.name,
            entry=entry.key,
            source=claim.source,
            setup=claim.setup,
            title=figure_title(metric),
            metric=metric,
            verdict=_verdict(entry, claim, metric, beside, alternatives),
            by_setup=_by_setup(entry, claim, metric),
        )
        for metric, one in beside.items()
    ]


def _by_setup(entry: Entry, claim: ReportedFigures, metric: str) -> dict[tuple[str, str], float]:
    return {
        (rules, setup): value
        for rules, report in entry.scores.reports.items()
        for setup in RANKED
        if (value := scored_figure(report, setup, metric, claim.style)) is not None
    }


def _verdict(
    entry: Entry,
    claim: ReportedFigures,
    metric: str,
    beside: Mapping[str, Figure],
    alternatives: Alternatives | None,
) -> str:
    one, matches = beside[metric], f"matches {printer(claim)}"
    if one.scored is None:
        return "not scored"
    if one.equal:
        return matches
    if _is_rounding(metric, beside):
        return f"{matches} to rounding"
    if metric == "combined" and contradicts_parts(claim.figures):
        optimistic = _is_optimistic_combined(entry, claim.figures)
        return _OPTIMISTIC if optimistic else "contradicts its printed parts"
    if metric == "bleu":
        others = [(f"{s} references", bleu) for s, bleu in (entry.scores.main.bleu or {}).items()]
    else:
        known = _by_setup(entry, claim, metric)
        others = [(f"{setup} set-up, rules {rules}", v) for (rules, setup), v in known.items()]
    if alternatives is not None:
        others += alternatives(claim, metric)
    under = (name for name, value in others if replace(one, scored=value).equal)
    return next(
        (f"{matches} under {name}" for name in under),
        _domains_verdict(claim, (metric,)) or "does not match",
    )


def _joint_accuracies(entry: Entry, table: ReportedTable, row: ReportedRow) -> Iterator[Figure]:
    """Yield the joint accuracies of a row that are of a version of the annotation."""
    for column in table.columns:
        version, measure = version_and_measure(column)
        printed = number(row.figures.get(column, ""))
        if version is None or measure not in JOINT_ACCURACY or printed is None:
            continue
        scored = _joint_accuracy(entry, version)
        equal = [choice for choice, jga in scored.items() if Figure(printed, jga).equal]
        verdict = "does not match" if KEEP in scored else "not scored"
        if equal:
            verdict = "matches the paper"
            verdict += "" if equal[0] == KEEP else f" under --dontcare {equal[0]}"
        about = (entry.system.name, entry.key, table.title, f"gold states {version}", "JGA")
        yield Figure(printed, scored.get(KEEP), *about, verdict=verdict)


def _joint_accuracy(entry: Entry, version: str) -> dict[str, float]:
    """Return choice of `--dontcare` -> JGA with a version's gold states, as far as it is known."""
    scores = entry.scores
    entered = entered_scores(scores.main) if scores.reports else scores.result
    if not isinstance(entered, TrackedScores):
        return {}
    for one in tracked(entered, scores.further_gold):
        if one.version == version:
            dropped = one.without_dontcare
            return {KEEP: one.figures.jga, **({} if dropped is None else {DROP: dropped.jga})}
    return {}


def _is_optimistic_combined(entry: Entry, figures: Mapping[str, Decimal]) -> bool:
    """Whether printed strict parts stand beside the combined score of the optimistic set-up.

    Its parts, rounded as the printed ones are, must give the printed score.
    """
    report = entry.scores.under(DEFAULT_RULES)
    if report is None or not (report.optimistic and report.bleu and contradicts_parts(figures)):
        return False
    parts = figures_beside(report, "optimistic", {name: figures[name] for name in PARTS})
    rounded = [Decimal(one.texts()[1]) for one in parts.values()]
    return combined_holds(figures["combined"], *rounded)


def _domains_verdict(claim: ReportedFigures, metrics: Collection[str]) -> str | None:
    """Return the verdict on figures that differ where a source took other active domains.

    Returns:
        None if it did not, or if some of the figures do not depend on active domains.
    """
    depends = {"inform", "success", "combined"}.issuperset(metrics)
    return f"domains from {claim.domains}" if claim.domains and depends else None


def _is_rounding(metric: str, beside: Mapping[str, Figure]) -> bool:
    """Whether a figure differs by no more than how it was shortened.

    That is an average length which was cut off, or a combined score which was added up from rounded
    figures that all match.

    Args:
        metric: The figure.
        beside: Metric -> figure, of all that its source prints beside it.
    """
    if metric == "mean_length":
        return beside[metric].cut_off
    parts_match = all(name in beside and beside[name].equal for name in PARTS)
    printed = {name: one.printed for name, one in beside.items()}
    return metric == "combined" and parts_match and not contradicts_parts(printed)


# ------------------------------------------------------------------- the rows of official tables


def verdict_meanings(of: str = "rows") -> Mapping[str, str]:
    """Return the beginning of each verdict on official "rows", or on "figures" -> its meaning."""
    meanings: Mapping[str, str] = read_toml("verdicts.toml", __package__)[of]
    return meanings


def official_verdict(entry: Entry, claim: ReportedFigures, rules: str) -> str:
    """Say whether an official row's figures are the harness's.

    Args:
        entry: The row's entry.
        claim: What the row reports.
        rules: The rule set to compare under; if all figures come out under another one, that is
            said.

    Returns:
        One of `verdicts.toml`, [rows]; behind it harness less printed, of each figure that differs.
        Where the reason for a difference says nothing against the printed figure it stands in place
        of "differs by": "domains from …: …".
    """
    by_rules = {
        name: figures_beside(report, "strict", claim.figures)
        for name in dict.fromkeys([rules, *published_rule_sets()])
        if (report := entry.scores.under(name)) is not None
    }
    for name, beside in by_rules.items():
        off = {metric: one for metric, one in beside.items() if not one.equal}
        if all(_is_rounding(metric, beside) for metric in off):
            matches = "matches the public board" + ("" if name == rules else f" under rules {name}")
            return f"{matches} to rounding: {_differences(off)}" if off else matches
    off = {metric: one for metric, one in by_rules.get(rules, {}).items() if not one.equal}
    if len(off) > 1 and not contradicts_parts(claim.figures):
        # It differs as its parts do.
        off.pop("combined", None)
    return f"{_reason(entry, claim, off)} {_differences(off)}"


def _reason(entry: Entry, claim: ReportedFigures, off: Mapping[str, Figure]) -> str:
    """Return how the verdict on figures that differ begins."""
    if entry.system.predictions.by_harness:
        return "made by the harness:"
    if off and off.keys() <= DIVERSITY.keys():
        return "only diversity differs:"
    if off.keys() == {"combined"} and _is_optimistic_combined(entry, claim.figures):
        return f"{_OPTIMISTIC}:"
    domains = _domains_verdict(claim, off)
    return f"{domains}:" if off and domains else "differs by"


def _differences(off: Mapping[str, Figure]) -> str:
    """Return what figures differ by, harness less printed."""
    return ", ".join(
        f"{figure_title(metric)} {'not scored' if one.scored is None else one.texts()[2]}"
        for metric, one in off.items()
    )
