"""Blocks of lines, one per turn, as two programs print them while they evaluate.

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

The blocks of a dialogue follow one another, in the order of its turns; what is printed after the
last block is not read. `booking` is the booking of the domain before it: read so, no slot of a
booking in the data set's own beliefs is one that its gold states lack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

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


_LAYOUTS: Mapping[str, tuple[re.Pattern[bytes], tuple[str, ...]]] = {
    "SOLOIST": (
        re.compile(rb"\s*filename:[^\n]*\n(?:[a-z_]+:[^\n]*\n){0,8}gen_reply:"),
        ("filename", "belief", _BELIEF, "reply", "gen_reply"),
    ),
    "LaRL": (
        re.compile(rb"\s*(?:[^\s:]+-prev_ctx =|True:[^\n]*\n\s*Pred:)"),
        (_CONTEXT, "True", "Pred"),
    ),
}
"""Program -> what its files begin with, by which they are recognised, and the labels of a block's
lines, in order: first that of the dialogue's id, last that of the response."""


def _labels(content: bytes) -> tuple[str, ...]:
    """Return the labels of a file's blocks; none of a file without blocks."""
    text = content.removeprefix(b"\xef\xbb\xbf")
    return next((labels for start, labels in _LAYOUTS.values() if start.match(text)), ())


def _labelled(line: str) -> tuple[str, str]:
    """Return the label and the text of a line; of `prev_ctx`, the dialogue's id before it."""
    dialogue = _DIALOGUE.match(line)
    if dialogue is not None:
        return _CONTEXT, dialogue[1]
    label, _, text = line.partition(":")
    return label, text.strip()


def _parse(content: bytes, source: str) -> list[dict[str, Any]]:
    """Return the blocks, each label -> text.

    Raises:
        InputError: The file is not text in UTF-8, or a block is not as it should be.
    """
    labels = _labels(content)
    blocks: list[dict[str, Any]] = []
    problems = Findings()
    rows: list[tuple[str, str]] = []
    first = 0
    for number, line in enumerate(decoded(content, source).split("\n"), start=1):
        if _END.fullmatch(line):
            if [label for label, _ in rows] != [*labels]:
                wanted = f"expected a block of the lines {', '.join(labels)}, in this order"
                problems.add(f"line {first or number}", wanted)
            blocks.append(dict(rows))
            rows, first = [], 0
        elif line.strip():
            rows.append(_labelled(line))
            first = first or number
    # What is printed after the last block begins with several words, also where it is cut off.
    if any(" " not in label for label, _ in rows):
        problems.add(f"line {first}", "the last block ends without a line of dashes")
    refuse(source, problems)
    return blocks


def _recognises(content: object) -> bool:
    first = next(iter(content), None) if isinstance(content, list) else None
    every = (labels for _, labels in _LAYOUTS.values())
    return isinstance(first, Mapping) and any({*first} == {*labels} for labels in every)


def _read(content: Sequence[Mapping[str, Any]], source: str) -> Standard:
    program, labels = next(
        (program, labels) for program, (_, labels) in _LAYOUTS.items() if labels[-1] in content[0]
    )
    arrangement = Arrangement(source)
    dialogues: dict[str, list[dict[str, Any]]] = {}
    for block in content:
        id_ = block[labels[0]]
        turns = dialogues.setdefault(id_, [])
        turns.append({RESPONSE: block[labels[-1]]})
        if _BELIEF in block:
            place = f"dialogue {unquoted(id_)}, turn {len(turns) - 1}"
            note = partial(arrangement.note, place=place, warning=True)
            turns[-1][STATE] = read_span(_span(block[_BELIEF]), note)
    keys = {RESPONSE: labels[-1], STATE: _BELIEF} if _BELIEF in labels else {RESPONSE: labels[-1]}
    fields = {field: f"`{key}`" for field, key in keys.items()}
    name = f"{program}'s {BLOCKS.name} ({', '.join(keys.values())})"
    return arrangement.standard(dialogues, name, fields)


def _span(belief: str) -> str:
    """Return a belief as a span with slots in brackets, booking slots as the data set calls them.

    Args:
        belief: `hotel area = north ; stars = 4 | train day = monday`, after `<belief> :`; `none`. A
            slot that is cut off before its value says nothing.
    """
    domain, span = _BOOKING, ""
    for part in map(str.strip, _OPENING.sub("", belief, count=1).split("|")):
        named, _, pairs = part.partition(" ")
        is_booking = named == _BOOKING
        domain = domain if is_booking else named
        for pair in pairs.split(";"):
            slot, _, value = map(str.strip, pair.partition("="))
            if value:
                span += f"[{domain}] [value_{'book' * is_booking}{slot}] {value} "
    return span


BLOCKS = Format(
    name="blocks of turns",
    description="Blocks of lines, each ended by a line of dashes: `filename:`, `belief:`, "
    "`gen_belief:`, `reply:` and `gen_reply:`, as a re-implementation of SOLOIST prints them; or "
    "`ID.json-prev_ctx =`, `True:` and `Pred:`, as LaRL and HDNO do.",
    recognises=_recognises,
    read=_read,
    is_text=lambda content: bool(_labels(content)),
    parse=_parse,
)
