"""The tracks of delexicalised responses: end-to-end systems, policy optimisation, references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from mwz.normalization import read_toml

from .columns import Column, columns
from .copied import Shared
from .entries import Entry
from .entry_scores import read_responses
from .model import Board
from .rows import REFERENCE, ResponsesRow, Row, ranked
from .track import Track


def _tables(
    track: str, entries: Sequence[Entry], rules: str, copies: Mapping[str, Mapping[str, Shared]]
) -> list[list[Row]]:
    rows = [
        ResponsesRow(entry=entry, report=report, copies=copies.get(entry.key, {}))
        for entry in entries
        if entry.system.track == track and (report := entry.scores.under(rules)) is not None
    ]
    return [[*ranked(rows)]]


def _columns(board: Board, rows: Sequence[Row]) -> list[Column[Any]]:
    return columns(board)


def _needs_predicted(states: str, note: str | None) -> str | None:
    if states == "predicted":
        return None
    return f"needs a predicted `state` in every turn; its belief states are {states}"


def _needs_gold_or_note(states: str, note: str | None) -> str | None:
    if states == "gold" or note:
        return None
    return (
        f"it was scored with {states} belief states; leave them out, or say in a note that they "
        "are used"
    )


def _needs_gold(states: str, note: str | None) -> str | None:
    return None if states == "gold" else f"needs gold belief states; they are {states}"


def _track(name: str, title: str, place: int, **more: Any) -> Track:
    return Track(
        name=name,
        kind="delexicalised responses",
        title=title,
        about=read_toml("response_tracks.toml", __package__)[name],
        place=place,
        tables=partial(_tables, name),
        columns=_columns,
        outputs=read_responses,
        **more,
    )


_FIGURES = {"ranks": "combined", "against": "bleu", "plotted": "success"}

TRACKS = (
    _track("end-to-end", "End-to-end systems", 10, states_problem=_needs_predicted, **_FIGURES),
    _track(
        "policy-optimization",
        "Policy-optimization systems",
        20,
        states_problem=_needs_gold_or_note,
        gives_states=True,
        **_FIGURES,
    ),
    _track(
        REFERENCE,
        "Reference",
        100,
        states_problem=_needs_gold,
        gives_states=True,
        submitted=False,
    ),
)
