"""`mwz delexicalise`: put placeholders in place of names and numbers."""

from __future__ import annotations

import math

import click

from ..cli import notify, option, tell
from ..cli.reading import chosen_benchmark
from ..errors import Findings, counted, refuse
from ..io import STANDARD_STREAM, places, shown_name, write_json
from ..scoring import Options, Scorer, delexicaliser_of
from ..submission import checked_conversations, read_predictions


@click.command()
@option.predictions
@option.output
@option.benchmark
def command(predictions: str, output: str, benchmark: str | None) -> None:
    """Write PREDICTIONS (a JSON file, plain or gzipped, or - for standard input) with its
    responses delexicalised. They may be of any dialogues; the benchmark gives the venues.
    Other keys of turns are kept.
    """
    standard = read_predictions(predictions)
    content = checked_conversations(standard, shown_name(predictions))
    problems = Findings()
    for place, value in places(content):
        # What is written must be JSON, which NaN and infinity are not.
        if isinstance(value, float) and not math.isfinite(value):
            problems.add(place, f"expected a finite number, found {value}")
    refuse(shown_name(predictions), problems)
    tell(shown_name(predictions), standard.remarks)
    loaded = chosen_benchmark(benchmark)
    delexicalise = delexicaliser_of(Scorer(loaded, Options()))
    written = {}
    for id_, turns in content.items():
        written[id_] = [{**turn, "response": delexicalise(turn["response"]).text} for turn in turns]
    write_json(output, written)
    if output != STANDARD_STREAM:
        responses = counted(sum(map(len, written.values())), "response")
        notify(f"wrote {output}: {responses} delexicalised by {delexicalise.version()}")
