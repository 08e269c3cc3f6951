"""Blocks of lines, one block per turn, as two programs print them while they evaluate.

A re-implementation of SOLOIST:

    filename: SNG0001.json
    belief: belief : hotel area = north
    gen_belief: <belief> : hotel area = north ; stars = 4 | booking day = monday
    reply: system : the response of the data set
    gen_reply: the response of the system
    ---

LaRL, and HDNO, which is built on it:

    SNG0001.json-prev_ctx = Source context: what was said before
    True: the response of the data set
    Pred: the response of the system
    ----------------------------------------

The blocks of a dialogue follow one another, in the order of its turns; text after the last block is
ignored. `booking` is the booking of the domain before it. Read like this, the bookings of the data
set's own beliefs have only slots that its gold states have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from ...errors import Findings, refuse, unquoted
from ...io import decoded
from ..notations import read_span
from .arrangements import Arrangement
from .standard import RESPONSE, STATE, Format, Standard

_BELIEF, _CONTEXT = "gen_belief", "prev_ctx"
_END = re.compile(r"-{3,}\s*")
_DIALOGUE = re.compile(rf"([^\s:]+)-{_CONTEXT} =")
_OPENING = re.compile(r"(?:<belief>|belief)\s*:")
_BOOKING = "booking"


_LABELS = {
    "SOLOIST": ("filename", "belief", _BELIEF, "reply", "gen_reply"),
    "LaRL": (_CONTEXT, "True", "Pred"),
}
"""Program -> the labels of a block's lines in order, of the dialogue's id to the response."""

_STARTS = {
    "SOLOIST": re.compile(rb"\s*filename:[^\n]*\n(?:[a-z_]+:[^\n]*\n){0,8}gen_reply:"),
    "LaRL": re.compile(rb"\s*(?:[^\s:]+-prev_ctx =|True:[^\n]*\n\s*Pred:)"),
}
"""Program -> what its files begin with."""


def _program(content: bytes) -> str:
    """Return the program that printed a file; an empty text if it has no blocks."""
    text = content.removeprefix(b"\xef\xbb\xbf")
    for program, start in _STARTS.items():
        if start.match(text):
            return program
    return ""


def _parse(content: bytes, source: str) -> list[dict[str, str]]:
    """Return the blocks, each label -> text.

    Raises:
        InputError: The file is not text in UTF-8, or a block lacks a line or has a further one.
    """
    labels = list(_LABELS.get(_program(content), ()))
    blocks: list[dict[str, str]] = []
    problems = Findings()
    rows: list[tuple[str, str]] = []
    first = 0
    for number, line in enumerate(decoded(content, source).split("\n"), start=1):
        if _END.fullmatch(line):
            if [label for label, _ in rows] != labels:
                wanted = f"expected a block of the lines {', '.join(labels)}, in this order"
                problems.add(f"line {first or number}", wanted)
            blocks.append(dict(rows))
            rows, first = [], 0
        elif line.strip():
            first = first or number
            dialogue = _DIALOGUE.match(line)
            if dialogue is not None:
                rows.append((_CONTEXT, dialogue[1]))
            else:
                label, _, text = line.partition(":")
                rows.append((label, text.strip()))
    # Unlike a label, the text after the last block begins with several words. It may be cut off.
    if any(" " not in label for label, _ in rows):
        problems.add(f"line {first}", "the last block ends without a line of dashes")
    refuse(source, problems)
    return blocks


def _recognises(content: object) -> bool:
    if not isinstance(content, list) or not content or not isinstance(content[0], Mapping):
        return False
    return any(content[0].keys() == set(labels) for labels in _LABELS.values())


def _read(content: Sequence[Mapping[str, str]], source: str) -> Standard:
    program = next(name for name, labels in _LABELS.items() if labels[-1] in content[0])
    id_label, *_, response_label = _LABELS[program]
    arrangement = Arrangement(source)
    dialogues: dict[str, list[dict[str, object]]] = {}
    for block in content:
        id_ = block[id_label]
        turn: dict[str, object] = {RESPONSE: block[response_label]}
        turns = dialogues.setdefault(id_, [])
        if _BELIEF in block:
            place = f"dialogue {unquoted(id_)}, turn {len(turns)}"
            note = partial(arrangement.note, place=place, warning=True)
            turn[STATE] = read_span(_span(block[_BELIEF]), note)
        turns.append(turn)
    keys = {RESPONSE: response_label}
    if _BELIEF in content[0]:
        keys[STATE] = _BELIEF
    fields = {field: f"`{key}`" for field, key in keys.items()}
    name = f"{program}'s {BLOCKS.name} ({', '.join(keys.values())})"
    return arrangement.standard(dialogues, name, fields)


def _span(belief: str) -> str:
    """Return a belief as a span with slots in brackets, booking slots as the data set calls them.

    Args:
        belief: What `gen_belief` has: slots, separated by semicolons, of domains, separated by
            strokes, or `none`. A slot that is cut off before its value is left out.

    >>> _span("<belief> : hotel area = north ; stars = 4 | booking day = monday | train day")
    '[hotel] [value_area] north [hotel] [value_stars] 4 [hotel] [value_bookday] monday '
    """
    domain = _BOOKING
    span = ""
    for text in _OPENING.sub("", belief, count=1).split("|"):
        first_word, _, slots = text.strip().partition(" ")
        prefix = "value_"
        if first_word == _BOOKING:
            prefix = "value_book"
        else:
            domain = first_word
        for pair in slots.split(";"):
            slot, _, value = pair.partition("=")
            if value.strip():
                span += f"[{domain}] [{prefix}{slot.strip()}] {value.strip()} "
    return span


BLOCKS = Format(
    name="blocks of turns",
    description="Blocks of lines, each ended by a line of dashes: `filename:`, `belief:`, "
    "`gen_belief:`, `reply:` and `gen_reply:`, as a re-implementation of SOLOIST prints them; or "
    "`ID.json-prev_ctx =`, `True:` and `Pred:`, as LaRL and HDNO do.",
    recognises=_recognises,
    read=_read,
    is_text=lambda content: _program(content) != "",
    parse=_parse,
)
