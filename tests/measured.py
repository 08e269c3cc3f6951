"""Entries with made-up dialogues: which are won, and nothing else differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from entered import DIALOGUES, TURNS, enter, report, reports, system, write_scores

from mwz.harness import metrics
from mwz.harness.board import Entry
from mwz.harness.board.entries import read_entry
from mwz.harness.board.pairs import evidence_of_rows
from mwz.harness.board.scores import (
    FIGURES,
    DialogueScores,
    Intervals,
)
from mwz.harness.comparison import Interval, intervals_of
from mwz.harness.diagnosis import Causes
from mwz.harness.diagnosis.losses import Points
from mwz.harness.signature import Signature

A_TURN = TURNS // DIALOGUES


def marks(*won: tuple[int, int], of: int = DIALOGUES) -> str:
    """Return marks in which the dialogues of some ranges are won."""
    return "".join(str(int(any(a <= at < b for a, b in won))) for at in range(of))


def outcomes(
    inform: str, success: str | None = None, played: str = "1" * DIALOGUES, matches: int = 2
) -> DialogueScores:
    """Return what is stored of dialogues that are all alike but for what is won.

    In each, ten tokens match `matches` four-grams of seven, and shorter n-grams alike.

    Args:
        inform: Whether each dialogue played has Inform.
        success: The same of Success; by default it is where Inform is.
        played: Whether each dialogue is played.
        matches: Four-grams that match in each dialogue.
    """
    number = played.count("1")
    signature = report().signature

    def column(value: int) -> tuple[int, ...]:
        return (value,) * number

    made = DialogueScores(
        data=signature.data or "",
        rules=signature.rules_digest or "",
        played=played,
        turns=column(A_TURN),
        inform=inform,
        success=inform if success is None else success,
        bleu=tuple(map(column, (10, 10, *(matches + more for more in (6, 4, 2, 0)), 10, 9, 8, 7))),
        intervals=Intervals(95, 1000, 12345, dict.fromkeys(FIGURES, Interval(0, 0, 0, "wilson"))),
        causes=Causes({}, {}, {}),
    )
    return measured(made)


def totals_of(known: DialogueScores) -> dict[str, float]:
    """Return the scores of all dialogues played."""
    return metrics.totals_of(zip(*known.columns, strict=True))


def measured(known: DialogueScores) -> DialogueScores:
    """Return dialogues with the intervals and causes that follow from them."""
    totals = totals_of(known)
    rows = [*zip(*known.columns, strict=True)]
    evidence = evidence_of_rows("", Signature(), [*map(str, known.places)], rows)
    intervals = intervals_of(evidence)
    lost = tuple(at for at, mark in enumerate(known.success) if mark == "0")
    return replace(
        known,
        intervals=Intervals(
            level=95,
            samples=1000,
            seed=12345,
            scores={name: intervals[name] for name in totals},
        ),
        causes=Causes(
            {},
            {"never named": Points(100 - totals["inform"], 100 - totals["success"])},
            {"hotel": {"never named": lost}},
        ),
    )


def enter_measured(
    folder: Path, key: str, known: DialogueScores, states: str = "predicted"
) -> Entry:
    """Write an entry's folder by hand, its scores those of its dialogues, and read it."""
    totals = totals_of(known)
    track = "end-to-end" if states == "predicted" else "policy-optimization"
    rates = {name: totals[name] for name in ("inform", "success")}
    number = known.played.count("1")
    entry = enter(
        folder,
        key,
        system(name=key.title(), track=track),
        reports(
            bleu=totals["bleu"],
            strict=rates,
            optimistic=rates,
            states=states,
            dialogues=number,
            turns=A_TURN * number,
        ),
    )
    write_dialogues(entry.folder, measured(known))
    return read_entry(entry.folder)


def write_dialogues(entry: Path, kept: DialogueScores) -> None:
    """Write into an entry's `scores.json` what is stored of its dialogues."""
    write_scores(entry, replace(read_entry(entry).scores, dialogues=kept))


def without(known: DialogueScores, number: int) -> DialogueScores:
    """Return dialogues without those of the last so many dialogues, which are not played then."""
    rest = len(known.inform) - number
    made = replace(
        known,
        played="1" * rest + "0" * number,
        turns=known.turns[:rest],
        inform=known.inform[:rest],
        success=known.success[:rest],
        bleu=tuple(column[:rest] for column in known.bleu),
    )
    return measured(made)
