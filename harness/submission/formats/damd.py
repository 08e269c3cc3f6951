"""What DAMD and systems built on it write: outputs with belief spans, and its log of the test set.

Outputs:

- The response is `resp_gen`, the belief span `bspn_gen`. `resp` and `bspn` beside them are the
  data set's; only where nothing is called `…_gen` are they the system's.
- `turn_num` counts a dialogue's turns from 0. The line that may open a dialogue has empty fields,
  and as `turn_num` the number of turns that follow; it is no turn.

The log has the gold domain of every turn, and the state that DAMD predicted. It prints the turns of
one dialogue after another, without the dialogues' ids and in an order of its own. What the user
says identifies a dialogue: DAMD's preprocessing writes numbers as digits and takes contractions
apart, so that texts are similar rather than equal.

`constraint_dict` is the predicted state, but `resp turn` is the response of the data set, in all
7354 turns DAMD's reference to the letter: as a system's outputs the log is a tracker's.

Source: Zhang et al. (2020), "Task-Oriented Dialog Systems that Consider Multiple Appropriate
Responses under the Same Context"; the log is in MinTL's repository.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rapidfuzz import fuzz, process

from ...errors import InputError, cut_repr, unquoted
from ..notations import read_span, without_tokens
from .arrangements import Arrangement
from .nesting import raw_turns
from .roles import fields_of
from .standard import RESPONSE, STATE, Format, Standard

_ID = "dial_id"
_NUMBER = "turn_num"
_RESPONSES = ("resp_gen", "resp")
_BELIEFS = ("bspn_gen", "bspn")
_MARKS = (_ID, _NUMBER, _RESPONSES[0], *_BELIEFS)


def _has_spans(content: object) -> bool:
    for turn in raw_turns(content) if isinstance(content, list | Mapping) else ():
        # The first turn that has a response decides.
        if isinstance(turn, Mapping):
            if any(fields_of([turn]).keys - {*_RESPONSES, *_BELIEFS}):
                return False
            if any(key in turn for key in _RESPONSES) and any(key in turn for key in _MARKS):
                return True
    return False


def _read_spans(content: object, source: str) -> Standard:
    arrangement = Arrangement(source)
    dialogues = arrangement.dialogues(content)
    turns = [turn for one in dialogues.values() for turn in one if isinstance(turn, Mapping)]
    generated, given = _RESPONSES
    response_key = generated if any(generated in turn for turn in turns) else given
    belief_key = _belief_key(turns, response_key, arrangement)

    def read_turn(place: str, turn: Any) -> Any:
        if not isinstance(turn, Mapping):
            return turn
        response = turn.get(response_key)
        if isinstance(response, str):
            response = without_tokens(response, "r", "resp")
        read = {RESPONSE: response}
        belief = turn.get(belief_key)
        if isinstance(belief, str):
            note = partial(arrangement.note, place=place, warning=True)
            belief = read_span(belief, note)
        # Some write the state itself; the standard form's checks apply.
        return read if belief is None else {**read, STATE: belief}

    read = {
        id_: [read_turn(f"dialogue {unquoted(id_)}, turn {n}", turn) for n, turn in enumerate(one)]
        for id_, one in dialogues.items()
    }
    keys = {RESPONSE: response_key, STATE: belief_key}
    fields = {field: f"`{key}`" for field, key in keys.items() if key is not None}
    listed = ", ".join(filter(None, keys.values()))
    return arrangement.standard(read, f"{BELIEF_SPANS.name} ({listed})", fields)


def _belief_key(
    turns: Sequence[Mapping[str, Any]], response_key: str, arrangement: Arrangement
) -> str | None:
    """Return the key of the predicted belief spans; None if there are none."""
    generated, given = _BELIEFS
    if any(turn.get(generated) for turn in turns):
        return generated
    if any(generated in turn for turn in turns):
        arrangement.note(f"every `{generated}` is empty: no states are read", warning=True)
    elif any(turn.get(given) for turn in turns):
        if response_key != _RESPONSES[0]:
            return given
        arrangement.note(
            f"`{given}` beside `{response_key}` is the data set's and not read as predicted; if it "
            f"is the system's, call it `{generated}`",
            warning=True,
        )
    return None


BELIEF_SPANS = Format(
    name="belief spans",
    description="Turns with `resp_gen` (or `resp`) and `bspn_gen` (or `bspn`), as a list with "
    "`dial_id` and `turn_num`, as a table, or by dialogue: the outputs of DAMD, UBAR, PPTOD, "
    "GALAXY, MTTOD, RSTOD, Mars, KRLS and what is built on them.",
    recognises=_has_spans,
    read=_read_spans,
)


# The log.

_FIELDS = ("constraint_dict", "user turn", "resp turn", "pred_domains", "true_domains")
_LINE = re.compile(rf"({'|'.join(_FIELDS)}):(.*)")

_SEARCHED = 100_000
"""In how many bytes at the beginning of a file a turn is looked for."""

_CANDIDATES = 10
"""Dialogues with the most similar first turn, which are compared whole."""

_COMPARED = 1000
"""Characters of a user turn that are compared; none of MultiWOZ's is as long."""

_SIMILAR = 80.0
"""The mean similarity of user turns, in percent, from which dialogues are the same.

On the public log the right dialogue has 93.9 or more. Of two pairs of dialogues, nearly the same to
the word, the other has up to 99.3 and is still the less similar; elsewhere it has 69.9 at most.
"""


GOLD_DOMAINS = "gold_domains"
"""The key of a turn's domains as DAMD's data has them, in what is read of a log."""


def _parse(content: bytes, source: str) -> list[dict[str, Any]]:
    """Return the turns of a log, in its order; lines about the model are passed over.

    Returns:
        Per turn `line`, the number of the line that begins it, from 1; `user`, what the user said,
        as DAMD preprocessed it; `state`, as predicted, a Python dictionary as text; and
        `gold_domains`.

    Raises:
        InputError: A turn is incomplete.
    """
    lines = enumerate(content.decode(errors="replace").splitlines(), start=1)
    matches = [(number, match) for number, line in lines if (match := _LINE.fullmatch(line))]
    turns = []
    for at in range(0, len(matches), len(_FIELDS)):
        of_turn = matches[at : at + len(_FIELDS)]
        fields = {match[1]: match[2] for _, match in of_turn}
        start = of_turn[0][0]
        if tuple(fields) != _FIELDS:
            expected = ", ".join(f"`{name}:`" for name in _FIELDS)
            raise InputError(source, f"line {start}: expected {expected}, in this order")
        turns.append(
            {
                "line": start,
                "user": fields["user turn"],
                STATE: fields["constraint_dict"],
                GOLD_DOMAINS: re.findall(r"\[(\w+)\]", fields["true_domains"]),
            }
        )
    return turns


def _dialogues(
    turns: Sequence[Mapping[str, Any]], source: str, users: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return the logged turns of each dialogue found: dialogue id -> one per system turn.

    Args:
        turns: All turns of the log, in its order.
        source: What messages call the log.
        users: Dialogue id -> what the user says, one per system turn.

    Raises:
        InputError: A turn of the log begins none of the dialogues.
    """
    opening = {id_: _plain(texts[0]) for id_, texts in users.items() if texts}
    plain = {id_: [_plain(text) for text in users[id_]] for id_ in opening}
    logged = [_plain(turn["user"]) for turn in turns]
    dialogues: dict[str, Sequence[Mapping[str, Any]]] = {}
    place = 0
    while place < len(turns):
        id_ = _most_similar(logged, place, opening, plain)
        if id_ is None:
            turn = turns[place]
            problem = f"begins no whole dialogue of the test set: {cut_repr(turn['user'])}"
            raise InputError(source, f"line {turn['line']}: {problem}")
        count = len(plain[id_])
        dialogues[id_] = [
            {STATE: turn[STATE], GOLD_DOMAINS: turn[GOLD_DOMAINS]}
            for turn in turns[place : place + count]
        ]
        del opening[id_]
        place += count
    return dialogues


def _most_similar(
    logged: Sequence[str],
    place: int,
    opening: Mapping[str, str],
    users: Mapping[str, Sequence[str]],
) -> str | None:
    """Return the dialogue that begins at a place of the log; None if none does."""
    begun = process.extract(logged[place], opening, scorer=fuzz.ratio, limit=_CANDIDATES)
    rated = []
    for _, _, id_ in begun:
        texts = logged[place : place + len(users[id_])]
        if len(texts) == len(users[id_]):
            pairs = zip(texts, users[id_], strict=True)
            rated.append(
                (sum(fuzz.ratio(ours, theirs) for ours, theirs in pairs) / len(texts), id_)
            )
    similarity, best = max(rated, default=(0.0, ""))
    return best if similarity >= _SIMILAR else None


def _plain(text: str) -> str:
    """Return a text without what DAMD's preprocessing changes most: case, marks, suffixes."""
    return " ".join(re.sub(r" -(s|ly)\b", r"\1", text[:_COMPARED].lower()).split())


def _is_log(content: object) -> bool:
    first = next(iter(content), None) if isinstance(content, list) else None
    return isinstance(first, Mapping) and GOLD_DOMAINS in first


DAMD_LOG: Format = Format(
    name="DAMD's log",
    description="What DAMD prints of the test set, for `mwz dst`: `constraint_dict:`, the tracked "
    "state, `user turn:`, `resp turn:` and domains of one turn after another. The dialogues are "
    "found by what the user says.",
    recognises=_is_log,
    read=lambda turns, source: Standard({}, DAMD_LOG.name, find=partial(_dialogues, turns, source)),
    is_text=lambda text: all(f"\n{one}:".encode() in text[:_SEARCHED] for one in _FIELDS),
    parse=_parse,
)
