"""`mwz convert`: write predictions of another format, or with mistakes, in the standard form."""

from __future__ import annotations

import gzip
import os
from dataclasses import replace
from pathlib import Path

import click

from mwz.normalization import DEFAULT_RULES, rule_set

from ..errors import InputError, counted
from ..io import STANDARD_STREAM, read_bytes, shown_name, to_json, write_atomically, write_json
from ..submission import (
    Content,
    StateChecks,
    change_lines,
    checked_submission,
    declared_features,
    fixed_content,
    parse_predictions,
    profile_of,
    profile_remarks,
    read_arranged,
    standard_form,
)
from . import notify, option, tell
from .reading import chosen_benchmark

_GZIP = ".gz"

_FIELDS = ("response", "state", "turns", "id")


@click.command()
@option.predictions
@option.output
@option.benchmark
@click.option(
    "--key",
    "keys",
    metavar="FIELD=KEY",
    multiple=True,
    callback=option.pairs(_FIELDS, "field"),
    help=f"The key that holds a field: {', '.join(_FIELDS[:-1])} or {_FIELDS[-1]}. Repeatable.",
)
@option.flag(
    "--fix",
    help="Also write values, times, placeholders and special tokens as MultiWOZ has them, where "
    "their meaning is known, and list what was changed.",
)
def command(
    *, predictions: str, output: str, benchmark: str | None, keys: dict[str, str], fix: bool
) -> None:
    """Write PREDICTIONS in the standard form: JSON, gzipped where OUT ends in .gz;
    - is standard input. docs/predictions-format.md lists the formats, and what --fix changes.
    """
    if output != STANDARD_STREAM and os.path.realpath(predictions) == os.path.realpath(output):
        raise InputError(output, "is the input; write to another file")
    source = shown_name(predictions)
    content = parse_predictions(read_bytes(predictions), source)
    standard = read_arranged(content, source, keys) if keys else standard_form(content, source)
    alone, own_gold = standard.has_states_alone, standard.has_gold_states
    checks = StateChecks.of_tracker(standard) if alone else StateChecks()
    # A tracker's gold states are of whatever dialogues it has.
    loaded = None if alone and own_gold else chosen_benchmark(benchmark)
    submission = checked_submission(standard, loaded, source, rule_set(DEFAULT_RULES), checks)
    if fix:
        checked = Content(submission.dialogues, loaded, rule_set(DEFAULT_RULES), checks)
        fixed, changes = fixed_content(checked, submission.profile)
        lines = [f"fixed {line}" for line in change_lines(changes)] or ["nothing to fix"]
        remarks = profile_remarks(profile_of(fixed, sampled=True))
        lines += [f"not fixed: {remark}" for remark in remarks]
        tell(submission.source, lines)
        # The remarks on features are of the file before it was fixed.
        features = declared_features()
        others = [remark for remark in submission.remarks if remark.kind not in features]
        submission = replace(submission, dialogues=fixed.dialogues, remarks=others)
    written = {}
    for id_, played in submission.dialogues.items():
        written[id_] = [turn.to_dict(alone) for turn in played]
    if output.endswith(_GZIP):
        # No time stamp: the same predictions are the same bytes.
        write_atomically(Path(output), gzip.compress(to_json(written).encode(), mtime=0))
    else:
        write_json(output, written)
    tell(submission.source, submission.remarks)
    dialogues = submission.dialogues.values()
    turns = sum(map(len, dialogues))
    counts = f"{counted(len(dialogues), 'dialogue')}, {counted(turns, 'turn')}"
    notify(f"wrote {output}: {counts}, read as {submission.format}")
