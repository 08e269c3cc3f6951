"""Systems of a board as comparisons know them, without their outputs: by what entries store.

What `dialogues.json` holds of every dialogue is enough for `FIGURES` under the default rule set, in
the strict set-up. What is known of a file is brought into the same form by `of_file`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mwz.normalization.rules import DEFAULT_RULES

from ..comparison.evidence import Evidence
from ..errors import InputError, resembling
from ..metrics.metric import headlines
from ..metrics.results import COLUMNS, Figure, Statistics
from ..metrics.setups import BOTH, MAIN_SETUP
from ..scoring.options import LEXICALISED
from ..signature import PLACEHOLDERS, Signature
from . import PUBLISHED
from .entries import ENTRY_FILE, Entry, read_entry
from .scores import FIGURES, totals_of_sums

_RATES = ("inform", "success")

IN_WORDS = f"BLEU, Inform, Success and Combined, {MAIN_SETUP}, by rule set {DEFAULT_RULES}"
"""What is known of an entry without its outputs."""


def find_entry(name: str, submissions: Path) -> Entry | None:
    """Return the entry of a name; None if there is none.

    It is looked for in a folder of submissions, then on the board that comes with the harness.

    Raises:
        InputError: Its `entry.toml` cannot be read.
    """
    if Path(name).name != name or name.startswith("."):
        return None
    places = (folder / key for folder in (submissions, PUBLISHED) for key in (name, name.lower()))
    found = next((place for place in places if (place / ENTRY_FILE).is_file()), None)
    return None if found is None else read_entry(found)


def no_entry(name: str, submissions: Path) -> InputError:
    """Return the error of a name that is neither a file nor an entry."""
    names = {path.parent.name for f in (submissions, PUBLISHED) for path in f.glob("*/entry.toml")}
    told = f"no such file, and no entry of {submissions} or the board{resembling(name, names)}"
    return InputError(name, told)


def stored_evidence(entry: Entry) -> Evidence:
    """Return what is known of an entry by what is stored of its dialogues.

    Raises:
        InputError: Nothing is stored of them, or it cannot be used.
    """
    if not entry.stores_dialogues:
        problem = "; ".join(entry.problems) or "stores no scores of its dialogues"
        raise InputError(f"entry {entry.key}", problem)
    return entry_evidence(entry, _signature(entry.scores.main.signature))


def entry_evidence(entry: Entry, signature: Signature) -> Evidence:
    """Return what is known of an entry that stores scores of its dialogues.

    Dialogues are called by their numbers.

    Args:
        entry: The entry.
        signature: The signature of these scores.
    """
    dialogues = entry.scores.dialogues
    assert dialogues is not None
    rows = [*zip(*dialogues.columns, strict=True)]
    return evidence_of_rows(entry.key, signature, [*map(str, dialogues.places)], rows)


def evidence_of_rows(
    name: str, signature: Signature, dialogues: Sequence[str], rows: Any
) -> Evidence:
    """Return what is known of a system by a row per dialogue, such as `totals_of_sums` adds up."""
    titles = {figure: headlines()[figure].title for figure in FIGURES}
    figures = [Figure(n, title, 1 if n in _RATES else 2, True) for n, title in titles.items()]
    wins = {figure: column for column, figure in enumerate(_RATES, start=1)}
    own = Statistics.of_rows(figures, rows, totals_of_sums, wins=wins, of_samples=True)
    return Evidence(name, signature, tuple(dialogues), {"responses": [own]})


def of_file(known: Evidence, dialogues: Iterable[str]) -> Evidence:
    """Return what is known of a file in the form of what entries store.

    Args:
        known: What is known of it, with the metrics "inform" and "bleu".
        dialogues: The ids of the benchmark's dialogues, in order.

    Raises:
        InputError: Strict Inform and Success, or BLEU, were not asked for.
    """
    if "combined" not in known.figures:
        raise InputError(known.name, f"lacks what is compared: {IN_WORDS}")
    [own] = known.statistics["inform"]
    place = {id_: str(number) for number, id_ in enumerate(dialogues)}
    rates = [0, own.wins["inform"], own.wins["success"]]
    rows = np.hstack([own.rows[:, rates], own.rows[:, -COLUMNS:]])
    dialogues = [place[id_] for id_ in known.dialogues]
    return evidence_of_rows(known.name, _signature(known.signature), dialogues, rows)


def _signature(signature: Signature) -> Signature:
    """Return the signature of the strict figures among those of a report."""
    kept = (LEXICALISED, PLACEHOLDERS)
    parameters = {name: value for name, value in signature.parameters.items() if name in kept}
    setup = MAIN_SETUP if signature.setup == BOTH else signature.setup
    domains = signature.gold_domains if signature.domains == "gold" else None
    return replace(signature, setup=setup, gold_domains=domains, parameters=parameters)
