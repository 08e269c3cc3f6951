"""`mwz delexicalise`: put placeholders in place of names and numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..errors import counted
from ..io.files import STANDARD_STREAM, shown_name, write_json
from ..scoring import Options, Scorer
from ..scoring.options import lexicalised_parameter
from ..submission.conversations import read_conversations
from . import notify, option, tell
from .reading import benchmark_chooser

if TYPE_CHECKING:
    from mwz.normalization.delexicaliser import Delexicalised


@click.command()
@option.predictions
@option.output
@option.flag(
    "--spans",
    help="Add `spans` to every turn: where in the response which value of which slot was found, "
    "and the venues that it may belong to.",
)
@option.benchmark
@option.rules
def command(predictions: str, output: str, spans: bool, benchmark: str | None, **how: Any) -> None:
    """Write PREDICTIONS (a JSON file, plain or gzipped, or - for standard input) with its
    responses delexicalised. They may be of any dialogues; the benchmark gives the venues.
    Whatever else turns hold is kept.
    """
    options = Options(**how)
    content, remarks = read_conversations(predictions, options.reading)
    tell(shown_name(predictions), remarks)
    loaded = benchmark_chooser(benchmark, "delexicalising by")(content)
    scorer = Scorer(loaded, options)
    delexicaliser = scorer.delexicaliser()
    found = 0
    written: dict[str, list[dict[str, Any]]] = {}
    for id_, turns in content.items():
        written[id_] = []
        for turn in turns:
            delexicalised = delexicaliser(turn["response"])
            found += len(delexicalised.spans)
            more = {"spans": _as_json(delexicalised)} if spans else {}
            written[id_].append({**turn, "response": delexicalised.text, **more})
    write_json(output, written)
    if output != STANDARD_STREAM:
        responses = sum(map(len, written.values()))
        by = lexicalised_parameter()
        told = f"{counted(responses, 'response')} delexicalised by {by}, {counted(found, 'value')}"
        notify(f"wrote {output}: {told}")


def _as_json(delexicalised: Delexicalised) -> list[dict[str, Any]]:
    return [
        {**asdict(span), "venues": [venue._asdict() for venue in span.venues]}
        for span in delexicalised.spans
    ]
