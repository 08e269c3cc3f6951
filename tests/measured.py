"""Entries with made-up dialogues: which are won, and nothing else differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from entered import DIALOGUES, TURNS, enter, report, reports, system

from mwz.harness.board.entries import Entry, read_entry
from mwz.harness.board.entry_scores import evidence_of_outcomes
from mwz.harness.board.scores import (
    DIALOGUES_FILE,
    BleuCounts,
    Causes,
    DialogueScores,
    Intervals,
    Outcomes,
    Scores,
)
from mwz.harness.comparison.evidence import intervals_of
from mwz.harness.diagnosis.losses import Points
from mwz.harness.signature import Signature

A_TURN = TURNS // DIALOGUES


def marks(*won: tuple[int, int], of: int = DIALOGUES) -> str:
    """Return marks in which the dialogues of some ranges are won."""
    return "".join(str(int(any(a <= at < b for a, b in won))) for at in range(of))


def outcomes(
    inform: str, success: str | None = None, played: str = "1" * DIALOGUES, matches: int = 2
) -> Outcomes:
    """Return outcomes of dialogues that are all alike but for what is won.

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

    return Outcomes(
        data=signature.data or "",
        rules=signature.rules_digest or "",
        played=played,
        turns=column(A_TURN),
        inform=inform,
        success=inform if success is None else success,
        bleu=BleuCounts(
            length=column(10),
            references=column(10),
            matches=tuple(column(matches + more) for more in (6, 4, 2, 0)),
            ngrams=tuple(map(column, (10, 9, 8, 7))),
        ),
    )


def measured(known: Outcomes) -> DialogueScores:
    """Return outcomes as a `dialogues.json` holds them."""
    totals = known.totals
    intervals = intervals_of(evidence_of_outcomes("", Signature(), known))
    return DialogueScores(
        outcomes=known,
        intervals=Intervals(
            level=95,
            samples=1000,
            seed=12345,
            scores={name: intervals[name] for name in totals},
        ),
        causes=Causes({}, {"never named": Points(100 - totals["inform"], 100 - totals["success"])}),
    )


def enter_measured(folder: Path, key: str, known: Outcomes, states: str = "predicted") -> Entry:
    """Write an entry's folder by hand, its scores those of its dialogues, and read it."""
    totals = known.totals
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
    """Write an entry's `dialogues.json` as the harness would."""
    text = Scores(dialogues=kept).files()[DIALOGUES_FILE]
    (entry / DIALOGUES_FILE).write_text(text, encoding="utf-8")


def without(known: Outcomes, number: int) -> Outcomes:
    """Return outcomes without those of the last so many dialogues, which are not played then."""
    rest = len(known.inform) - number
    bleu = known.bleu
    return replace(
        known,
        played="1" * rest + "0" * number,
        turns=known.turns[:rest],
        inform=known.inform[:rest],
        success=known.success[:rest],
        bleu=BleuCounts(
            bleu.length[:rest],
            bleu.references[:rest],
            tuple(column[:rest] for column in bleu.matches),
            tuple(column[:rest] for column in bleu.ngrams),
        ),
    )
