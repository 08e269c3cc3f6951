"""The outputs of DAMD and of what is built on it, which write states as belief spans.

- The response is `resp_gen`, the belief span `bspn_gen`. `resp` and `bspn` beside them are the
  data set's; only where nothing is called `…_gen` are they the system's.
- `turn_num` counts a dialogue's turns from 0. The line that may open a dialogue has empty fields,
  and as `turn_num` the number of turns that follow; it is no turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import Findings, unquoted
from ..notations import read_span, without_tokens
from .arrangements import Arrangement, raw_turns
from .standard import RESPONSE, STATE, Format, Standard

_ID = "dial_id"
_NUMBER = "turn_num"
_RESPONSES = ("resp_gen", "resp")
_BELIEFS = ("bspn_gen", "bspn")
_MARKS = (_ID, _NUMBER, _RESPONSES[0], *_BELIEFS)


def _recognises(content: object) -> bool:
    for turn in raw_turns(content) if isinstance(content, list | Mapping) else ():
        # The first turn that has a response decides.
        if isinstance(turn, Mapping):
            if RESPONSE in turn or STATE in turn:
                return False
            if any(key in turn for key in _RESPONSES) and any(key in turn for key in _MARKS):
                return True
    return False


def _read(content: object, source: str) -> Standard:
    arrangement = Arrangement(source)
    dialogues = arrangement.dialogues(content)
    remarks = arrangement.remarks
    turns = [turn for one in dialogues.values() for turn in one if isinstance(turn, Mapping)]
    generated, given = _RESPONSES
    response_key = generated if any(generated in turn for turn in turns) else given
    belief_key = _belief_key(turns, response_key, remarks)

    def read_turn(place: str, turn: Any) -> Any:
        if not isinstance(turn, Mapping):
            return turn
        response = turn.get(response_key)
        if isinstance(response, str):
            response = without_tokens(response, "r", "resp")
        read = {RESPONSE: response}
        belief = turn.get(belief_key)
        if isinstance(belief, str):
            belief = read_span(belief, lambda remark: note(place, remark))
        # Some write the state itself; the standard form's checks apply.
        return read if belief is None else {**read, STATE: belief}

    def note(place: str, remark: str) -> None:
        remarks.add(place, f"`{belief_key}`: {remark}", "belief span")

    read = {
        id_: [read_turn(f"dialogue {unquoted(id_)}, turn {n}", turn) for n, turn in enumerate(one)]
        for id_, one in dialogues.items()
    }
    keys = ", ".join(filter(None, [response_key, belief_key]))
    return arrangement.standard(read, f"{FORMAT.name} ({keys})")


def _belief_key(
    turns: Sequence[Mapping[str, Any]], response_key: str, remarks: Findings
) -> str | None:
    """Return the key of the predicted belief spans; None if there are none."""
    generated, given = _BELIEFS
    if any(turn.get(generated) for turn in turns):
        return generated
    if any(generated in turn for turn in turns):
        remarks.add("", f"every `{generated}` is empty: no states are read", "states")
    elif any(turn.get(given) for turn in turns):
        if response_key != _RESPONSES[0]:
            return given
        remarks.add(
            "",
            f"`{given}` beside `{response_key}` is the data set's and not read as predicted; if it "
            f"is the system's, call it `{generated}`",
            "states",
        )
    return None


FORMAT = Format(
    name="belief spans",
    description="Turns with `resp_gen` (or `resp`) and `bspn_gen` (or `bspn`), as a list with "
    "`dial_id` and `turn_num`, as a table, or by dialogue: the outputs of DAMD, UBAR, PPTOD, "
    "GALAXY, MTTOD, RSTOD, Mars, KRLS and what is built on them.",
    recognises=_recognises,
    read=_read,
)
