"""The track of systems in plain English, ranked by grounded Success and Inform."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mwz.normalization import published_rule_sets

from ..board import (
    PREDICTIONS_FILE,
    Board,
    Column,
    Entry,
    Outputs,
    Predictions,
    Reading,
    Row,
    Scores,
    Track,
    Value,
    completed,
    hashes_of,
    named,
    ranked,
    read_responses,
    response_figures,
    response_flags,
)
from ..io import figure
from ..metrics import TOTAL
from ..scoring import Report, free_run
from ..submission import read_standard
from .scores import GroundedScores

_NAME = "lexicalised"


def _rows(
    entries: Iterable[Entry], rules: str, copies: Mapping[str, Mapping[str, tuple[str, float]]]
) -> list[list[Row]]:
    """Return the rows: the human responses, the ranked ones, then the others."""
    rows = []
    for entry in entries:
        report = entry.scores.reports.get(rules)
        if entry.system.track == _NAME and report is not None:
            grounded = report.metrics.get("grounded")
            if isinstance(grounded, GroundedScores):
                rows.append(_row(entry, report, grounded, copies.get(entry.key, {})))
    return [ranked(rows)] if rows else []


def _row(
    entry: Entry, report: Report, grounded: GroundedScores, copies: Mapping[str, tuple[str, float]]
) -> Row:
    """Return the row of responses in plain English.

    It is ranked by grounded Success and Inform where the deciding response names no other venue
    ("all"); dialogues that are not played count as failed.
    """
    coverage, faithfulness = report.coverage, grounded.faithfulness
    share = coverage.dialogues / coverage.of
    success, inform = grounded.success_all[TOTAL], grounded.inform_all[TOTAL]
    bounds = {"grounded.success_all": share * success, "grounded.inform_all": share * inform}
    figures = response_figures(entry, report)
    figures["grounded.told"] = Value(faithfulness["told"], 0)
    # Free-running dialogues play all of their turns, but not all dialogues.
    figures["coverage"] = Value(min(coverage.percent, 100 * share), 2, unit=" %")
    row = Row(
        entry=entry,
        signature=report.signature,
        ranking_key=(share * success, share * inform),
        figures=figures,
        flags=response_flags(entry, report),
        pair_key=entry.key,
        anchor=f"row-{entry.key}",
    )
    whole = f"Success ≥ {figure(share * success)}, Inform ≥ {figure(share * inform)} {{over}}"
    bound_words = f"{whole}; {figure(success)} and {figure(inform)} {{submitted}}"
    return completed(row, copies, coverage, {} if coverage.complete else bounds, bound_words)


def _columns(board: Board, rows: Sequence[Row]) -> list[Column[Row]]:
    figures = {
        "Success, all": "grounded.success_all",
        "Success, any": "grounded.success",
        "Success, as said": "said.success",
        "All requested": "grounded.success_requested",
        "Inform, all": "grounded.inform_all",
        "Inform, any": "grounded.inform",
        "Inform, as said": "said.inform",
        "Told": "grounded.told",
        "In database, %": "grounded.in_database",
        "Of a named venue, %": "grounded.of_named_venue",
        "Inform, delex.": "inform",
        "Success, delex.": "success",
        "BLEU †": "bleu",
        "Av. len.": "diversity.mean_length",
        "States": "states",
        "Coverage": "coverage",
        "Flags": "flags",
    }
    chosen = ("Success, any", "Inform, any", "Told", "Inform, delex.", "Success, delex.")
    return named(figures, ("States", "Flags"), (*chosen, "BLEU †", "Av. len.", "Coverage"))


# ------------------------------------------------------------------------------- the outputs


def _read(content: bytes | str, source: str, reading: Reading) -> Outputs:
    """Read responses in plain English, or free-running dialogues.

    Raises:
        InputError: They cannot be read.
    """
    if not reading.free_running or isinstance(content, str):
        return read_responses(content, source, reading, english=True)
    standard = read_standard(content, source)

    def score(golds: Sequence[object]) -> Scores:
        # Free-running dialogues have no states: no gold ones count.
        reports = {}
        for rules in published_rule_sets():
            chosen = reading.scorer.with_options(free_running=True, rules=rules)
            scorer, played = free_run(chosen, standard, source)
            reports[rules] = played.report(scorer)
        return Scores(reports)

    return Outputs(
        source=source,
        score=score,
        content=content,
        predictions=hashes_of(content, standard.dialogues),
        place=Predictions(file=PREDICTIONS_FILE, free_running=True),
    )


# -------------------------------------------------------------------------------- the track


TRACKS = (
    Track(
        name=_NAME,
        kind="plain English",
        read=_read,
        rows=_rows,
        columns=_columns,
        ranks="success, all",
        commands=(
            "mwz score answers.json --lexicalised",
            "mwz score dialogues.json --free-running",
        ),
        against="of a named venue, %",
        leads=("inform, all", "all requested"),
        caption="From text, goal and database alone; delex.: delexicalised first",
    ),
)
