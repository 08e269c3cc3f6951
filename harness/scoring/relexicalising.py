"""A delexicalised submission in plain English: what `mwz lexicalise` writes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..grounding.lexicaliser import VenueStock, lexicalise
from ..metrics.played import play
from ..submission import Submission
from ..submission.checking import Turn
from ..submission.formats.format import ACTIVE_DOMAINS, RESPONSE, STATE
from . import Scorer
from .options import chosen_domains, chosen_states


@dataclass(frozen=True)
class Lexicalised:
    """A submission in plain English.

    Attributes:
        dialogues: Dialogue id -> turns as a predictions file holds them. Predicted states and
            active domains are kept; active domains that only placeholders named are written out.
        states: The source of the belief states that venues were chosen by.
    """

    dialogues: Mapping[str, Sequence[Mapping[str, Any]]]
    states: str


def lexicalised_predictions(submission: Submission, scorer: Scorer, seed: int) -> Lexicalised:
    """Write a delexicalised submission with values of venues that the turns' states find.

    Args:
        submission: The submission.
        scorer: Gives venues and rules, and says where states and active domains come from.
        seed: What the choice among venues depends on; the same seed gives the same text.

    Raises:
        InputError: Some turns have a state or active domains, and others not.
    """
    normalized = scorer.normalized(submission)
    states = chosen_states(normalized, scorer.options)
    domains = chosen_domains(normalized, scorer.options)
    records = scorer.benchmark.venue_records(scorer.rules)
    stock = VenueStock(records, scorer.database(), scorer.rules)
    written = {}
    for dialogue in play(normalized, scorer.benchmark, states, domains):
        turns = submission.dialogues[dialogue.id]
        texts = lexicalise(
            [turn.response for turn in turns],
            dialogue.states,
            dialogue.active_domains,
            stock,
            f"{seed} {dialogue.id}",
        )
        written[dialogue.id] = [
            _turn(turn, text, own if domains == "slots" else turn.active_domains)
            for turn, text, own in zip(turns, texts, dialogue.active_domains, strict=True)
        ]
    return Lexicalised(written, states)


def _turn(turn: Turn, text: str, domains: Collection[str] | None) -> dict[str, Any]:
    """Return a turn as JSON types. Placeholders that come back name no domain."""
    told: dict[str, Any] = {RESPONSE: text}
    if turn.state is not None:
        told[STATE] = turn.state
    if domains is not None:
        told[ACTIVE_DOMAINS] = [*domains]
    return told
