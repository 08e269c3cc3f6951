"""Which dialogues one of two systems wins, and by what the other one loses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import board
from ..diagnosis import SLOT_CAUSES, Diagnosis, TrackedDiagnosis, lost_by, wrapped
from ..errors import InputError, counted


@dataclass(frozen=True)
class Outcomes:
    """How the dialogues of a system came out.

    Attributes:
        scores: What is won -> dialogue id -> 1 or 0, or the number of exact turns.
        causes: Dialogue id -> what it is lost in, a domain or a slot, and by what.
    """

    scores: Mapping[str, Mapping[str, int]]
    causes: Mapping[str, Sequence[tuple[str, str]]]


def response_outcomes(diagnosis: Diagnosis) -> Outcomes:
    """Return how the dialogues of a system that responds came out, in the strict set-up."""
    inform, success, causes = {}, {}, {}
    for result in diagnosis.results:
        inform[result.id], success[result.id] = int(result.inform), int(result.success)
        causes[result.id] = lost_by(result)
    return Outcomes({"Inform": inform, "Success": success}, causes)


def stored_outcomes(entry: board.Entry, ids: Sequence[str]) -> Outcomes:
    """Return the same of an entry, by what it stores.

    Args:
        entry: The entry.
        ids: The ids of the benchmark's dialogues, in order.

    Raises:
        InputError: It stores nothing of its dialogues.
    """
    stored = entry.scores.dialogues
    if stored is None:
        raise InputError(f"entry {entry.key}", "stores no causes; --dialogues needs its outputs")
    played = [ids[place] for place in stored.places]
    scores = {}
    for title, marks in (("Inform", stored.inform), ("Success", stored.success)):
        scores[title] = dict(zip(played, map(int, marks), strict=True))
    causes: dict[str, list[tuple[str, str]]] = {}
    for domain, places_by_cause in stored.causes.dialogues.items():
        for cause, places in places_by_cause.items():
            for place in places:
                causes.setdefault(played[place], []).append((domain, cause))
    return Outcomes(scores, causes)


def state_outcomes(diagnosis: TrackedDiagnosis) -> Outcomes:
    """Return how many turns of each dialogue are exact, and what the first errors are."""
    exact = {}
    for id_, turns in diagnosis.errors.items():
        exact[id_] = sum(not errors for errors in turns)
    causes = {}
    for id_, first in diagnosis.first.items():
        causes[id_] = [(error.slot, error.kind) for error in first.errors]
    return Outcomes({"exact turns": exact}, causes)


def won_text(named: Mapping[str, Outcomes]) -> str:
    """Return the dialogues that the first system and each other one win of each other, by cause."""
    (baseline, ours), *others = named.items()
    paragraphs = []
    for name, theirs in others:
        for title in ours.scores:
            sides = ((baseline, ours, name, theirs), (name, theirs, baseline, ours))
            for winner, winning, loser, losing in sides:
                won, lost = winning.scores[title], losing.scores[title]
                dialogues = [id_ for id_ in won if id_ in lost and won[id_] > lost[id_]]
                by_cause: dict[tuple[str, str], list[str]] = {}
                for id_ in dialogues:
                    for what, cause in losing.causes[id_]:
                        # What is not said costs no Inform.
                        if title != "Inform" or cause not in SLOT_CAUSES:
                            by_cause.setdefault((what, cause), []).append(id_)
                head = f"{title}: {winner} has more in {counted(len(dialogues), 'dialogue')}"
                lines = [f"{head}; what {loser} loses them by"]
                for loss, ids in sorted(by_cause.items(), key=lambda item: -len(item[1])):
                    listed = f"  {' '.join(loss)}, {len(ids)}: "
                    lines.append(wrapped(listed, ", ".join(ids), indent=4))
                paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)
