"""Scored files of states as a terminal shows them, and as a table for papers and programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import counted
from ..io.tables import Table, best_cells, figure, text_table
from ..metrics.tracking.tracking_result import TrackingResult
from ..metrics.tracking.tracking_text import cells, headline_figures, headlines_text
from ..signature import comparable_group
from .scored_files import ScoredFile, slot_rates


def files_text(scored: Sequence[ScoredFile], breakdown: bool, width: int) -> str:
    """Return what a terminal shows of scored files: what was read, the tables, the signatures.

    Args:
        scored: The files.
        breakdown: Whether each domain and each slot is shown.
        width: The terminal's, in characters.
    """
    names, results = [one.name for one in scored], [one.result for one in scored]
    # Files of which the same is to be said stand together.
    readings = "\n".join(
        textwrap.fill(f"{', '.join(read)}: {reading}", width, subsequent_indent="  ")
        for reading, read in _grouped((_reading(one), one.name) for one in scored).items()
    )
    parts = [readings, headlines_text(names, results, width)]
    if breakdown:
        parts += [f"{one.name}\n\n{_breakdown_text(one.result)}" for one in scored]
    return "\n\n".join([*parts, _signatures(scored, width)])


def dialogue_text(one: ScoredFile, wanted: str) -> str:
    """Return a dialogue turn by turn: states, and what each metric gives the turn and why."""
    parts = [f"{one.file.source}, dialogue {wanted}"]
    for turn in one.dialogue:
        parts += _turn_tables(**turn)
    return "\n\n".join(parts)


def headlines_table(scored: Sequence[ScoredFile]) -> Table:
    """Return the figures that are reported most, in percent, a row per file.

    The best of a column is marked, of those files that compare with each other.

    Args:
        scored: The files, all with the same metrics and values of λ.
    """
    figures = [headline_figures(one.result) for one in scored]
    rows = [[*cells(values).values()] for values in figures]
    signatures = [one.signature for one in scored]
    group = comparable_group(signatures)
    first = scored[group[0] if group else 0]
    verdicts = {one.name: first.signature.comparable_with(one.signature) for one in scored}
    comparing = [
        [value if at in group else None for value in values.values()]
        for at, values in enumerate(figures)
    ]
    lines = _grouped((str(one.signature), one.name) for one in scored)
    return Table(
        name="tracking",
        title="State tracking, in percent",
        headers=["", *figures[0]],
        rows=[[one.name, *row] for one, row in zip(scored, rows, strict=True)],
        data=[
            {"name": one.name, **values, **_ends(one), "signature": str(one.signature)}
            for one, values in zip(scored, figures, strict=True)
        ],
        notes=[
            *(
                f"not comparable with {first.name}: {name} ({'; '.join(verdict.reasons)})"
                for name, verdict in verdicts.items()
                if not verdict
            ),
            *(
                lines
                if len(lines) == 1
                else [f"{', '.join(names)}: {line}" for line, names in lines.items()]
            ),
        ],
        best={(row, column + 1) for row, column in best_cells(comparing, rows)},
    )


def _ends(one: ScoredFile) -> dict[str, Any]:
    """Return the ends of its intervals, if they were asked for."""
    return {
        f"{name}_{end}": interval[end]
        for name, interval in one.intervals.get("scores", {}).items()
        for end in ("low", "high")
    }


def _reading(one: ScoredFile) -> str:
    """Return what was read, in a sentence."""
    file, result = one.file, one.result
    benchmark = file.benchmark
    if benchmark is None:
        size = f"{counted(result.dialogues, 'dialogue')}, {counted(result.turns, 'turn')}"
        return f"{file.format}; compared with its own gold states, {size}"
    version = f" in version {file.gold.version}" if file.gold else ""
    left_out = f"; {len(file.left_out)} left out that it lacks" if file.left_out else ""
    return (
        f"{file.format}; compared with the gold states of {benchmark.name}{version}, "
        f"{result.dialogues} of {len(benchmark.dialogues)} dialogues, "
        f"{result.turns} of {benchmark.turns} turns{left_out}"
    )


def _breakdown_text(result: TrackingResult) -> str:
    """Return scores per domain and outcomes per slot."""
    domains: dict[str, Mapping[str, float | None]] = {**result.per_domain}
    if domains:
        domains["mean"] = {"turns": None, **result.per_domain_mean, "lambda": None}
    tables: dict[str, Mapping[str, Mapping[str, float | None]]] = {
        f"domain (%, over {result.variants['per-domain']})": domains,
        "slot (rates in %)": slot_rates(result),
    }
    parts = [
        text_table(
            [title, *(name.replace("_", "\n") for name in next(iter(table.values())))],
            [[name, *cells(values).values()] for name, values in table.items()],
        )
        for title, table in tables.items()
        if table
    ]
    return "\n\n".join(parts) or "no slot has a value"


def _turn_tables(
    number: int,
    gold: Mapping[str, str],
    predicted: Mapping[str, str],
    verdicts: Sequence[Mapping[str, Any]],
) -> list[str]:
    states = [
        (slot, *values, "" if values[0] == values[1] else "differs")
        for slot in sorted({*gold, *predicted})
        for values in [(gold.get(slot, ""), predicted.get(slot, ""))]
    ]
    scores = [
        (
            f"{verdict['metric']}: {verdict['reason']}",
            "" if verdict["score"] is None else figure(verdict["score"], 4),
        )
        for verdict in verdicts
    ]
    table = text_table(["slot", "gold", "predicted", ""], states) if states else "empty states"
    return [f"turn {number}", table, text_table(["metric", "score"], scores)]


def _signatures(scored: Sequence[ScoredFile], width: int) -> str:
    """Return the signatures, and whose they are where they differ."""
    by_signature = _grouped((str(one.signature), one.name) for one in scored)
    if len(by_signature) == 1:
        return next(iter(by_signature))
    lines = [f"{', '.join(names)}:\n{signature}" for signature, names in by_signature.items()]
    first = scored[0].signature
    apart = [first.comparable_with(one.signature).reasons[:1] for one in scored[1:]]
    reasons = dict.fromkeys(reason for reasons in apart for reason in reasons)
    if reasons:
        remark = f"these figures do not all compare; {'; '.join(reasons)}"
        lines = [textwrap.fill(remark, width), *lines]
    return "\n".join(lines)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return text -> the names that it is of, in the order of the first of each."""
    groups: dict[str, list[str]] = {}
    for text, name in pairs:
        groups.setdefault(text, []).append(name)
    return groups
