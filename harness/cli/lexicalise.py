"""`mwz lexicalise`: put names and numbers in place of placeholders."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click

from ..checking import ACTIVE_DOMAINS, RESPONSE, STATE, Turn
from ..files import STANDARD_STREAM, write_json
from ..grounding.lexicaliser import VenueStock, lexicalise
from ..playing import play
from ..rendering import printable
from ..scoring import Options, Scorer, chosen_domains, chosen_states
from .completion import complete_file
from .options import benchmark_option, rules_option
from .reading import read_submissions
from .telling import tell


@click.command(
    help="Write PREDICTIONS (a JSON file, plain or gzipped, or - for standard input) with its "
    "delexicalised responses in plain English: with values of venues that the turn's belief state "
    "finds. The states are the predicted ones, or gold where there are none. Predicted states and "
    "active domains are kept; active domains that only the placeholders named are written out."
)
@click.argument("predictions", shell_complete=complete_file)
@click.option(
    "-o", "--output", required=True, metavar="OUT|-", help="The file to write the result to."
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="What the choice among venues depends on; the same seed gives the same text.",
)
@benchmark_option
@rules_option
def command(predictions: str, output: str, seed: int, benchmark: str | None, rules: str) -> None:
    """Lexicalise a submission."""
    loaded, (read,) = read_submissions([predictions], benchmark, "lexicalising by")
    scorer = Scorer(loaded, Options(rules=rules))
    tell(read.source, read.remarks)
    submission = scorer.normalized(read)
    states = chosen_states(submission, scorer.options)
    domains = chosen_domains(submission, scorer.options)
    stock = VenueStock(loaded.venue_records(scorer.rules), scorer.database(), scorer.rules)
    written: dict[str, list[dict[str, Any]]] = {}
    for dialogue in play(submission, loaded, states, domains):
        turns = read.dialogues[dialogue.id]
        texts = lexicalise(
            [turn.response for turn in turns],
            dialogue.states,
            dialogue.active_domains,
            stock,
            f"{seed} {dialogue.id}",
        )
        written[dialogue.id] = [
            _told(turn, text, own if domains == "slots" else turn.active_domains)
            for turn, text, own in zip(turns, texts, dialogue.active_domains, strict=True)
        ]
    write_json(output, written)
    if output != STANDARD_STREAM:
        responses = sum(map(len, written.values()))
        click.echo(
            printable(f"{output}: {responses} responses lexicalised, seed {seed}, {states} states")
        )


def _told(turn: Turn, text: str, domains: Collection[str] | None) -> dict[str, Any]:
    """Return a turn as JSON types. Placeholders that come back name no domain."""
    told: dict[str, Any] = {RESPONSE: text}
    if turn.state is not None:
        told[STATE] = turn.state
    if domains is not None:
        told[ACTIVE_DOMAINS] = [*domains]
    return told
