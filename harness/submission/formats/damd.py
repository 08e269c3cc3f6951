"""What DAMD and systems built on it write: outputs with belief spans, and its log of the test set.

Outputs:

- The response is `resp_gen`, the belief span `bspn_gen`. `resp` and `bspn` beside them are the
  data set's; they are the system's only if no key is called `…_gen`.
- `turn_num` counts a dialogue's turns from 0. The line that may open a dialogue is no turn: its
  fields are empty, and its `turn_num` is the number of turns that follow.

The log has the gold domains of every turn, and the state that DAMD predicted. It prints the turns
of one dialogue after another, without dialogue ids and in an order of its own. The user's words
identify a dialogue: they are similar to the data set's rather than equal, because DAMD's
preprocessing writes numbers as digits and takes contractions apart.

`constraint_dict` is the predicted state. `resp turn` is the data set's response (in all 7354 turns
it equals DAMD's reference), so the log is read as a tracker's output.

Source: Zhang et al. (2020), "Task-Oriented Dialog Systems that Consider Multiple Appropriate
Responses under the Same Context"; the log is in MinTL's repository.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from rapidfuzz import fuzz, process

from ...errors import InputError, cut_repr, unquoted
from ..notations import read_span, without_tokens
from .arrangements import Arrangement
from .nesting import raw_turns
from .roles import fields_of
from .standard import RESPONSE, STATE, Format, Standard

_RESPONSE_GENERATED, _RESPONSE = "resp_gen", "resp"
_BELIEF_GENERATED, _BELIEF = "bspn_gen", "bspn"
_RESPONSES = frozenset({_RESPONSE_GENERATED, _RESPONSE})
_BELIEFS = frozenset({_BELIEF_GENERATED, _BELIEF})
_DISTINCTIVE_KEYS = frozenset({"dial_id", "turn_num", _RESPONSE_GENERATED, *_BELIEFS})
"""Keys of which a turn has one, besides a response that may only be called `resp`."""


def _has_spans(content: object) -> bool:
    if not isinstance(content, list | Mapping):
        return False
    for turn in raw_turns(content):
        if not isinstance(turn, Mapping):
            continue
        if fields_of([turn]).keys - _RESPONSES - _BELIEFS:
            return False
        # The first turn that has a response decides.
        if not _RESPONSES.isdisjoint(turn) and not _DISTINCTIVE_KEYS.isdisjoint(turn):
            return True
    return False


def _read_spans(content: object, source: str) -> Standard:
    arrangement = Arrangement(source)
    dialogues = arrangement.dialogues(content)
    every = chain.from_iterable(dialogues.values())
    objects = [turn for turn in every if isinstance(turn, Mapping)]
    response_key = _RESPONSE
    if any(_RESPONSE_GENERATED in turn for turn in objects):
        response_key = _RESPONSE_GENERATED
    belief_key = _belief_key(objects, response_key, arrangement)
    read: dict[str, list[object]] = {}
    for id_, turns in dialogues.items():
        read[id_] = []
        for number, turn in enumerate(turns):
            if not isinstance(turn, Mapping):
                read[id_].append(turn)
                continue
            response = turn.get(response_key)
            if isinstance(response, str):
                response = without_tokens(response, "r", "resp")
            # Some write the state itself instead of a span; it is checked with the standard form.
            state = turn.get(belief_key)
            if isinstance(state, str):
                place = f"dialogue {unquoted(id_)}, turn {number}"
                state = read_span(state, partial(arrangement.note, place=place, warning=True))
            standard = {RESPONSE: response}
            if state is not None:
                standard[STATE] = state
            read[id_].append(standard)
    fields = {RESPONSE: f"`{response_key}`"}
    keys = response_key
    if belief_key is not None:
        fields[STATE] = f"`{belief_key}`"
        keys = f"{response_key}, {belief_key}"
    return arrangement.standard(read, f"{BELIEF_SPANS.name} ({keys})", fields)


def _belief_key(
    turns: Sequence[Mapping[str, object]], response_key: str, arrangement: Arrangement
) -> str | None:
    """Return the key of the predicted belief spans; None if there are none."""
    if any(turn.get(_BELIEF_GENERATED) for turn in turns):
        return _BELIEF_GENERATED
    if any(_BELIEF_GENERATED in turn for turn in turns):
        message = f"every `{_BELIEF_GENERATED}` is empty: no states are read"
        arrangement.note(message, warning=True)
        return None
    if not any(turn.get(_BELIEF) for turn in turns):
        return None
    if response_key == _RESPONSE:
        return _BELIEF
    arrangement.note(
        f"`{_BELIEF}` beside `{response_key}` is the data set's and not read as predicted; if it "
        f"is the system's, call it `{_BELIEF_GENERATED}`",
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

_LOG = "DAMD's log"
_FIELDS = ("constraint_dict", "user turn", "resp turn", "pred_domains", "true_domains")
_LINE_STARTS = [f"\n{field}:".encode() for field in _FIELDS]
_LINE = re.compile(rf"({'|'.join(_FIELDS)}):(.*)")

_SEARCHED = 100_000
"""In how many bytes at the beginning of a file a turn is searched for."""

_CANDIDATES = 10
"""How many dialogues with the most similar first turns are compared as a whole."""

_COMPARED = 1000
"""How many characters of a user turn are compared; no turn of MultiWOZ is as long."""

_SIMILAR = 80.0
"""From this mean similarity of user turns on, in percent, dialogues are the same.

On the public log, the right dialogue has at least 93.9, and another one at most 69.9. The
exceptions are two pairs of dialogues that are almost equal to the word: there the other one has up
to 99.3, and is still the less similar.
"""

GOLD_DOMAINS = "gold_domains"
"""The key of a turn's domains according to DAMD's data, in the content of a log."""


def _parse(content: bytes, source: str) -> list[dict[str, object]]:
    """Return the turns of a log in its order, without the lines about the model.

    Returns:
        For each turn: `line`, the number of the line that begins it, from 1; `user`, the user's
        words as DAMD preprocessed them; `state`, the predicted state, a Python dictionary as text;
        and `gold_domains`.

    Raises:
        InputError: A turn is incomplete.
    """
    starts: list[int] = []
    matches: list[re.Match[str]] = []
    for number, line in enumerate(content.decode(errors="replace").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is not None:
            starts.append(number)
            matches.append(match)
    turns = []
    for first in range(0, len(matches), len(_FIELDS)):
        fields = {match[1]: match[2] for match in matches[first : first + len(_FIELDS)]}
        if tuple(fields) != _FIELDS:
            expected = ", ".join(f"`{name}:`" for name in _FIELDS)
            raise InputError(source, f"line {starts[first]}: expected {expected}, in this order")
        turns.append(
            {
                "line": starts[first],
                "user": fields["user turn"],
                STATE: fields["constraint_dict"],
                GOLD_DOMAINS: re.findall(r"\[(\w+)\]", fields["true_domains"]),
            }
        )
    return turns


def _dialogues(
    turns: Sequence[Mapping[str, Any]], source: str, users: Mapping[str, Sequence[str]]
) -> dict[str, list[Mapping[str, object]]]:
    """Return the dialogues that a log has: dialogue id -> its turns, one per system turn.

    Args:
        turns: All turns of the log, in its order.
        source: What messages call the log.
        users: Dialogue id -> the user's words, one text per system turn.

    Raises:
        InputError: A turn of the log begins none of the dialogues.
    """
    unseen = {}
    for dialogue, texts in users.items():
        if texts:
            unseen[dialogue] = list(map(_plain, texts))
    logged = [_plain(turn["user"]) for turn in turns]
    dialogues: dict[str, list[Mapping[str, object]]] = {}
    start = 0
    while start < len(turns):
        id_ = _most_similar(logged, start, unseen)
        if id_ is None:
            turn = turns[start]
            problem = f"begins no whole dialogue of the test set: {cut_repr(turn['user'])}"
            raise InputError(source, f"line {turn['line']}: {problem}")
        end = start + len(unseen.pop(id_))
        dialogues[id_] = []
        for turn in turns[start:end]:
            dialogues[id_].append({STATE: turn[STATE], GOLD_DOMAINS: turn[GOLD_DOMAINS]})
        start = end
    return dialogues


def _most_similar(
    logged: Sequence[str], start: int, users: Mapping[str, Sequence[str]]
) -> str | None:
    """Return the dialogue that begins at a turn of the log; None if none does.

    Args:
        logged: The user's words in all turns of the log.
        start: The place of the turn.
        users: Dialogue id -> the user's words, of the dialogues that are left.
    """
    openings = {id_: texts[0] for id_, texts in users.items()}
    candidates = process.extract(logged[start], openings, scorer=fuzz.ratio, limit=_CANDIDATES)
    similarities: list[tuple[float, str]] = []
    for _, _, id_ in candidates:
        texts = users[id_]
        logged_texts = logged[start : start + len(texts)]
        if len(logged_texts) == len(texts):
            similarity = sum(map(fuzz.ratio, logged_texts, texts)) / len(texts)
            similarities.append((similarity, id_))
    similarity, best = max(similarities, default=(0.0, ""))
    return best if similarity >= _SIMILAR else None


def _plain(text: str) -> str:
    """Return a text without what DAMD's preprocessing changes most: case, blanks, suffixes."""
    return " ".join(re.sub(r" -(s|ly)\b", r"\1", text[:_COMPARED].lower()).split())


def _is_log(content: object) -> bool:
    if not isinstance(content, list) or not content:
        return False
    return isinstance(content[0], Mapping) and GOLD_DOMAINS in content[0]


DAMD_LOG = Format(
    name=_LOG,
    description="What DAMD prints of the test set, for `mwz dst`: `constraint_dict:`, the tracked "
    "state, `user turn:`, `resp turn:` and domains of one turn after another. The dialogues are "
    "found by what the user says.",
    recognises=_is_log,
    read=lambda turns, source: Standard({}, _LOG, find=partial(_dialogues, turns, source)),
    is_text=lambda content: all(line in content[:_SEARCHED] for line in _LINE_STARTS),
    parse=_parse,
)
