"""Blocks of a turn each, as a re-implementation of SOLOIST prints them while it is evaluated.

    filename: SNG0001.json
    belief: belief : hotel area = north
    gen_belief: <belief> : hotel area = north ; stars = 4 | booking day = monday
    reply: system : the response of the data set
    gen_reply: the response of the system
    ---

The blocks of a dialogue stand in the order of its turns; what is printed after the last is not
read. `booking` is the booking of the domain before it: read so, no slot of a booking in the data
set's own beliefs is one that its gold states lack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import Findings, refuse, shown, unquoted
from ...io import decoded
from ..notations import STATE_DOMAINS, STATE_SLOTS
from .arrangements import Arrangement
from .standard import RESPONSE, STATE, Format, Standard

_ID, _BELIEF, _RESPONSE = "filename", "gen_belief", "gen_reply"
_LABELS = (_ID, "belief", _BELIEF, "reply", _RESPONSE)
_NEEDED = {_ID, _BELIEF, _RESPONSE}
_END = re.compile(r"^---\s*$", re.MULTILINE)
_START = re.compile(rb"\s*filename:[^\n]*\n(?:[a-z_]+:[^\n]*\n){0,8}gen_reply:")
_OPENING = re.compile(r"(?:<belief>|belief)\s*:")
_BOOKING = "booking"


def _is_text(content: bytes) -> bool:
    return _START.match(content.removeprefix(b"\xef\xbb\xbf")) is not None


def _parse(content: bytes, source: str) -> list[dict[str, str]]:
    """Return the blocks, each label -> text.

    Raises:
        InputError: The file is not text in UTF-8, or a block is not as it should be.
    """
    blocks = []
    problems = Findings()
    *texts, after = _END.split(decoded(content, source))
    for number, text in enumerate(texts, start=1):
        lines = [line.partition(":") for line in text.split("\n") if line.strip()]
        block = {label: value.strip() for label, _, value in lines}
        if len(block) < len(lines) or not _NEEDED <= block.keys() <= {*_LABELS}:
            problems.add(f"block {number}", f"expected lines {', '.join(_LABELS)}, each once")
        blocks.append(block)
    if f"\n{_ID}:" in after:
        problems.add("", "the last block ends without a line ---")
    refuse(source, problems)
    return blocks


def _recognises(content: object) -> bool:
    return isinstance(content, list) and any(
        isinstance(block, Mapping) and _ID in block and _RESPONSE in block for block in content
    )


def _read(content: Sequence[Any], source: str) -> Standard:
    arrangement = Arrangement(source)
    dialogues: dict[str, list[dict[str, Any]]] = {}
    for id_, blocks in arrangement.dialogues(content).items():
        dialogues[id_] = []
        for number, block in enumerate(blocks):
            place = f"dialogue {unquoted(id_)}, turn {number}"
            state = block.get(_BELIEF)
            if isinstance(state, str):
                state = _state(state, place, arrangement.remarks)
            dialogues[id_].append({RESPONSE: block.get(_RESPONSE), STATE: state})
    return arrangement.standard(dialogues, f"{FORMAT.name} ({_RESPONSE}, {_BELIEF})")


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
            remarks.add(place, f"`{_BELIEF}`: {shown(domain)} is no domain; left out", "belief")
        elif slot not in STATE_SLOTS:
            remarks.add(place, f"`{_BELIEF}`: {shown(slot)} is no slot; left out", "belief")
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
    name="SOLOIST's blocks of turns",
    description="Blocks of lines `filename:`, `belief:`, `gen_belief:`, `reply:` and `gen_reply:`, "
    "each ended by a line `---`: what a re-implementation of SOLOIST prints.",
    recognises=_recognises,
    read=_read,
    is_text=_is_text,
    parse=_parse,
)
