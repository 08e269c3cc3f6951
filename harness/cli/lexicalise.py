"""`mwz lexicalise`: put names and numbers in place of placeholders."""

from __future__ import annotations

from typing import Any

import click

from ..conversations import read_conversations
from ..files import STANDARD_STREAM, shown_name, write_json
from ..grounding.lexicaliser import VenueStock, lexicalise
from ..playing import play
from ..scoring import Options, Scorer, chosen_domains, chosen_states
from ..submission import parse_submission
from .options import benchmark_option, chosen_benchmark, rules_option


@click.command(
    help="Write PREDICTIONS (a JSON file, plain or gzipped, or - for standard input) with its "
    "delexicalised responses in plain English: with values of venues that the turn's belief state "
    "finds. The states are the predicted ones, or gold where there are none. Whatever else turns "
    "hold is kept; active domains that only the placeholders named are written out."
)
@click.argument("predictions")
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
    content = read_conversations(predictions)
    loaded = chosen_benchmark(benchmark, "lexicalising by")
    scorer = Scorer(loaded, Options(rules=rules))
    submission = scorer.normalized(parse_submission(content, loaded, shown_name(predictions)))
    states = chosen_states(submission, scorer.options)
    domains = chosen_domains(submission, scorer.options)
    stock = VenueStock(loaded.venue_records(scorer.rules), scorer.database(), scorer.rules)
    written: dict[str, list[dict[str, Any]]] = {}
    for dialogue in play(submission, loaded, states, domains):
        turns = content[dialogue.id]
        texts = lexicalise(
            [turn["response"] for turn in turns],
            dialogue.states,
            dialogue.active_domains,
            stock,
            f"{seed} {dialogue.id}",
        )
        written[dialogue.id] = [
            # Placeholders that come back name no domain.
            {**turn, "response": text, **({"active_domains": [*own]} if domains == "slots" else {})}
            for turn, text, own in zip(turns, texts, dialogue.active_domains, strict=True)
        ]
    write_json(output, written)
    if output != STANDARD_STREAM:
        responses = sum(map(len, written.values()))
        click.echo(f"{output}: {responses} responses lexicalised, seed {seed}, {states} states")
