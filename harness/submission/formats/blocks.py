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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import Findings, refuse, shown, unquoted
from ...io import decoded
from ..notations import STATE_DOMAINS, STATE_SLOTS
from .arrangements import Arrangement
from .standard import RESPONSE, STATE, Format, Standard

_BELIEF, _CONTEXT, _LINE = "gen_belief", "prev_ctx", "line"
_END = re.compile(r"-{3,}\s*")
_DIALOGUE = re.compile(rf"([^\s:]+)-{_CONTEXT} =")
_OPENING = re.compile(r"(?:<belief>|belief)\s*:")
_BOOKING = "booking"


@dataclass(frozen=True)
class _Layout:
    """How a program prints blocks.

    Attributes:
        program: The program.
        start: What its files begin with, by which they are recognised.
        labels: The labels of a block's lines, in order: first that of the dialogue's id, last that
            of the response.
    """

    program: str
    start: re.Pattern[bytes]
    labels: tuple[str, ...]


_LAYOUTS = (
    _Layout(
        "SOLOIST",
        re.compile(rb"\s*filename:[^\n]*\n(?:[a-z_]+:[^\n]*\n){0,8}gen_reply:"),
        ("filename", "belief", _BELIEF, "reply", "gen_reply"),
    ),
    _Layout(
        "LaRL",
        re.compile(rb"\s*(?:[^\s:]+-prev_ctx =|True:[^\n]*\n\s*Pred:)"),
        (_CONTEXT, "True", "Pred"),
    ),
)


def _layouts(content: bytes) -> list[_Layout]:
    text = content.removeprefix(b"\xef\xbb\xbf")
    return [layout for layout in _LAYOUTS if layout.start.match(text)]


def _labelled(line: str) -> tuple[str, str]:
    """Return the label and the text of a line; of `prev_ctx`, the dialogue's id before it."""
    dialogue = _DIALOGUE.match(line)
    if dialogue is not None:
        return _CONTEXT, dialogue[1]
    label, _, text = line.partition(":")
    return label, text.strip()


def _parse(content: bytes, source: str) -> list[dict[str, Any]]:
    """Return the blocks, each label -> text, and the number of its first line as `line`.

    Raises:
        InputError: The file is not text in UTF-8, or a block is not as it should be.
    """
    labels = _layouts(content)[0].labels
    blocks: list[dict[str, Any]] = []
    problems = Findings()
    rows: list[tuple[str, str]] = []
    first = 0
    for number, line in enumerate(decoded(content, source).split("\n"), start=1):
        if _END.fullmatch(line):
            if [label for label, _ in rows] != [*labels]:
                wanted = f"expected a block of the lines {', '.join(labels)}, in this order"
                problems.add(f"line {first or number}", wanted)
            blocks.append({**dict(rows), _LINE: first})
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
    return isinstance(first, Mapping) and any({*first} >= {*one.labels, _LINE} for one in _LAYOUTS)


def _read(content: Sequence[Mapping[str, Any]], source: str) -> Standard:
    (layout,) = (one for one in _LAYOUTS if one.labels[-1] in content[0])
    id_label, *_, response_label = layout.labels
    arrangement = Arrangement(source)
    problems = Findings()
    dialogues: dict[str, list[dict[str, Any]]] = {}
    lines: dict[str, int] = {}
    last = None
    for block in content:
        id_, line = block[id_label], block[_LINE]
        turns = dialogues.setdefault(id_, [])
        if turns and id_ != last:
            twice = f"dialogue {unquoted(id_)} is there twice, first in line {lines[id_]}; keep one"
            problems.add(f"line {line}", twice)
        lines.setdefault(id_, line)
        turn: dict[str, Any] = {RESPONSE: block[response_label]}
        if _BELIEF in layout.labels:
            place = f"dialogue {unquoted(id_)}, turn {len(turns)}"
            turn[STATE] = _state(block[_BELIEF], place, arrangement.remarks)
        turns.append(turn)
        last = id_
    refuse(source, problems)
    labels = ", ".join([response_label, *({_BELIEF} & {*layout.labels})])
    name = f"{layout.program}'s {FORMAT.name} ({labels})"
    return replace(arrangement.standard(dialogues, name), lines=lines)


def _state(belief: str, place: str, remarks: Findings) -> dict[str, dict[str, str]]:
    """Return the state that a belief writes; a slot that is cut off before its value says nothing.

    Args:
        belief: `hotel area = north ; stars = 4 | train day = monday`, after `<belief> :`; `none`.
        place: Where it is.
        remarks: What is left out and said something is added to them.
    """
    state: dict[str, dict[str, str]] = {}
    for domain, slot, value in _triples(_OPENING.sub("", belief, count=1)):
        if domain not in STATE_DOMAINS:
            remarks.add(place, f"`{_BELIEF}`: {shown(domain)} is not a domain; left out", "belief")
        elif slot not in STATE_SLOTS:
            remarks.add(place, f"`{_BELIEF}`: {shown(slot)} is not a slot; left out", "belief")
        else:
            state.setdefault(domain, {})[slot] = value
    return state


def _triples(belief: str) -> Iterator[tuple[str, str, str]]:
    """Yield domain, slot and value of a belief, booking slots as the data set calls them."""
    last = _BOOKING
    for part in filter(None, map(str.strip, belief.split("|"))):
        named, _, pairs = part.partition(" ")
        booking = named == _BOOKING
        domain = last if booking else named
        last = domain
        for pair in pairs.split(";"):
            slot, _, value = (text.strip() for text in pair.partition("="))
            if slot and value:
                yield domain, f"book{slot}" if booking and last != _BOOKING else slot, value


FORMAT = Format(
    name="blocks of turns",
    description="Blocks of lines, each ended by a line of dashes: `filename:`, `belief:`, "
    "`gen_belief:`, `reply:` and `gen_reply:`, as a re-implementation of SOLOIST prints them; or "
    "`ID.json-prev_ctx =`, `True:` and `Pred:`, as LaRL and HDNO do.",
    recognises=_recognises,
    read=_read,
    is_text=lambda content: bool(_layouts(content)),
    parse=_parse,
)
