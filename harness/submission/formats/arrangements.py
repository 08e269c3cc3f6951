"""Outputs as people hold them: lists, lines, tables and conversations, with keys of many names.

`KEYS` (`standard.py`) says which keys mean what, and `ROLES` (`roles.py`) which of them hold
predictions and which gold values. `nesting.py` finds dialogues and turns. Each step works on what
the one before returns, so arrangements of dialogues, turns and fields may be combined freely.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from mwz.normalization import plain_slot_name

from ...errors import Findings, counted, refuse, resembling, unquoted
from ...io import kind_of
from ..notations import DOMAINS, STATE_SLOTS, is_state, known_slot_name, slot_of
from .nesting import (
    SYSTEM_SPEAKERS,
    USER_SPEAKERS,
    NumberedTurns,
    by_dialogue,
    is_pair_by_id,
    is_table,
    is_turn_by_id,
    items_of,
    plain_turn,
    read_table,
    speaker_of,
    turn_number,
    turns_of,
    unwrapped,
)
from .roles import PLURALS, Fields, Role, fields_of, is_named, meaning_of, role_of, unfolded
from .standard import (
    ACTIVE_DOMAINS,
    GOLD,
    KEYS,
    RESPONSE,
    STATE,
    TURN_KEYS,
    USER,
    Format,
    Standard,
    key_of,
    other_keys,
    plain_key,
)

_SYSTEM_BEFORE = "System Response"
"""The column of SUMBT's table, whose first column is `# Dialogue ID`, with the response before the
user's turn."""

_CALLS = ("tool_calls", "function_call")
"""Keys of a turn that calls a tool."""

_PAIRS = "gold and prediction pairs"
"""What messages call a file with gold and predicted states."""

_COLUMN_WORD = re.compile(r"[A-Za-z]+[_ .:-]+")
_WORDS_WITHOUT_ROLE = frozenset({"slot", "slots", "value", "state", "belief"})
"""Words of a column's name that say nothing about its role."""


_MOST_TURNS = 10**6
_NUMBERINGS = (
    range(_MOST_TURNS),
    range(1, _MOST_TURNS),
    range(1, _MOST_TURNS, 2),
    range(0, _MOST_TURNS, 2),
    range(2, _MOST_TURNS, 2),
)
"""The numbers that a dialogue's turns may have; the step is 2 where the user's are counted, too."""


def _recognises(content: object) -> bool:
    inside, path = unwrapped(content, KEYS)
    if not isinstance(inside, Mapping):
        items = items_of(inside) if isinstance(inside, list) else ()
        return any(key_of(item, KEYS["id"], str, int) is not None for item in items)
    for dialogue in inside.values():
        # Below a key such as `results`, turns may be as in the standard form.
        if path and turns_of(dialogue, KEYS):
            return True
        if not path and _is_rearranged(dialogue):
            return True
    return bool(inside) and all(map(is_turn_by_id, inside, inside.values()))


def _is_rearranged(dialogue: object) -> bool:
    """Return whether this is a dialogue whose turns are not as in the standard form."""
    turns = [turn for _, turn in turns_of(dialogue, KEYS) if turn]
    first = turns[0] if turns else None
    if isinstance(first, str) or speaker_of(first) is not None or _is_state(first):
        return True
    if not isinstance(first, Mapping):
        return False
    fields = fields_of(turns)
    if not fields.keys:
        return any(map(_slot_column, first))
    return not isinstance(dialogue, list) or not fields.are_standard or first not in dialogue


def _is_state(turn: object) -> bool:
    """Return whether a turn is itself a state with a domain of MultiWOZ, as in trackers' files."""
    return isinstance(turn, dict | list) and is_state(turn)


Turns: TypeAlias = "list[Any]"
"""The turns of a dialogue, each as the file has it."""


def _all_turns(dialogues: Mapping[str, Turns]) -> Turns:
    """Return the turns of all dialogues."""
    return list(chain.from_iterable(dialogues.values()))


class Arrangement:
    """Reads the dialogues of one file, and collects its problems and remarks.

    Args:
        source: What messages call the file.
        named: What a key stands for -> the key, if the user names it.
    """

    def __init__(self, source: str, named: Mapping[str, str] | None = None) -> None:
        self._source = source
        self._named = named or {}
        self._keys = {role: [*names] for role, names in KEYS.items()}
        for role, key in self._named.items():
            self._keys[role].insert(0, plain_key(key))
        self._remarks = Findings()
        self._problems = Findings()
        self._name = "turns by dialogue"
        # The keys of ids, turns and numbers; a dictionary keeps them in order.
        self._outer_keys: dict[object, None] = {}
        # Field -> where the file has it.
        self._places: dict[str, str] = {}

    def note(self, message: str, place: str = "", warning: bool = False) -> None:
        """Remark how the file is read."""
        self._remarks.add(place, message, "format", warning)

    # Dialogues and their turns.

    def dialogues(self, content: object) -> dict[str, Turns]:
        """Return dialogue id -> turns by their numbers, each as the file has it.

        If no turn has a number, they stay in the file's order.

        Raises:
            InputError: Dialogues or the numbers of turns contradict one another.
        """
        inside, path = unwrapped(content, self._keys)
        if path:
            self.note(f"what is read is in `{unquoted(path)}`")
        if isinstance(inside, Mapping):
            numbered = self._dialogues_of_object(inside)
        else:
            numbered = self._dialogues_of_list(inside)
        numbering = _best_numbering(numbered.values())
        ordered: dict[str, list[object]] = {}
        for id_, turns in numbered.items():
            if numbering is None:
                ordered[id_] = [turn for _, turn in turns]
            else:
                ordered[id_] = self._in_order(id_, turns, numbering)
        refuse(self._source, self._problems)
        return ordered

    def _dialogues_of_object(self, content: Mapping[str, Any]) -> Mapping[str, NumberedTurns]:
        """Return dialogue id -> turns, of an object of dialogues or of turns with their own ids."""
        by_id = dict(content)
        if all(map(is_pair_by_id, by_id, by_id.values())):
            for turn_id, (predicted, gold) in content.items():
                by_id[turn_id] = {"predicted": predicted, "gold": gold}
        if all(map(is_turn_by_id, by_id, by_id.values())):
            return by_dialogue({id_: [(None, turn)] for id_, turn in by_id.items()})
        dialogues: dict[str, NumberedTurns] = {}
        for id_, dialogue in by_id.items():
            dialogues[str(id_)] = self._turns_of(str(id_), dialogue, dialogues)
        return dialogues

    def _dialogues_of_list(self, content: object) -> Mapping[str, NumberedTurns]:
        """Return dialogue id -> turns, of a list of dialogues or of turns."""
        dialogues: dict[str, NumberedTurns] = {}
        rows: dict[str, NumberedTurns] = {}
        for number, item in enumerate(items_of(content)):
            id_key = key_of(item, self._keys["id"], str, int)
            if id_key is None:
                known = f" (`{next(iter(self._outer_keys))}`)" if self._outer_keys else ""
                wanted = f"expected an object with the dialogue's id{known}; leave it out"
                self._problems.add(f"item {number}", wanted)
                continue
            self._outer_keys[str(id_key)] = None
            id_ = str(item[id_key])
            inside = dict(item)
            del inside[id_key]
            if str(id_key).startswith("#"):
                inside.pop(_SYSTEM_BEFORE, None)
            # A turn has no turns of its own, or has a number and fields.
            is_row = key_of(inside, self._keys["turns"], dict, list) is None
            if key_of(inside, self._keys["number"], str, int, float) is not None:
                is_row = is_row or bool(fields_of([unfolded(inside)]).keys)
            if is_row:
                rows.setdefault(id_, []).append(self._row(inside))
            else:
                dialogues[id_] = self._turns_of(id_, inside, dialogues)
        self._name = "list of dialogues" if dialogues else "list of turns"
        if dialogues and rows:
            self._problems.add("", "some items are dialogues and others are turns")
        return dialogues or by_dialogue(rows)

    def _turns_of(self, id_: str, dialogue: object, earlier: Collection[str]) -> NumberedTurns:
        """Return the turns of a dialogue.

        Args:
            id_: The dialogue's id.
            dialogue: The dialogue as the file has it.
            earlier: The ids of the dialogues before it.
        """
        place = f"dialogue {unquoted(id_)}"
        if id_ in earlier:
            self._problems.add(place, "is there twice; keep one")
        turns = turns_of(dialogue, self._keys)
        turns_key = key_of(dialogue, self._keys["turns"], dict, list)
        if isinstance(dialogue, Mapping) and turns_key is not None:
            self._outer_keys[str(turns_key)] = None
            for key, value in dialogue.items():
                # A state that stands beside the turns, and not in them.
                is_state_key = key != turns_key and is_named(key, self._keys[STATE])
                if is_state_key and isinstance(value, dict | list) and value:
                    message = (
                        f"`{unquoted(key)}` of dialogues is not read; give a state in every turn"
                    )
                    self.note(message, warning=True)
        elif not turns and dialogue != []:
            wanted = f"expected a list of turns, found {kind_of(dialogue)}"
            self._problems.add(place, f"{wanted}{other_keys(dialogue)}")
        return turns

    def _row(self, item: Mapping[object, object]) -> tuple[int | None, object]:
        """Return the number of an item of a list of turns, and the turn without it."""
        turn = plain_turn(item)
        for name in self._keys["number"]:
            for key, value in turn.items():
                if plain_key(key) != name or not isinstance(value, int | str | float):
                    continue
                number = turn_number(value)
                if number is not None:
                    self._outer_keys[str(key)] = None
                    others = dict(turn)
                    del others[key]
                    return number, others
        return None, turn

    # The order of turns.

    def _in_order(self, id_: str, turns: NumberedTurns, numbering: range) -> list[object]:
        """Return the turns of a dialogue in order; no number may be missing or occur twice."""
        place = f"dialogue {unquoted(id_)}"
        if len(turns) > 1 and turns[0][0] == len(turns) - 1:
            # An empty turn may only open the dialogue, as in DAMD's outputs.
            _, opening = turns[0]
            if isinstance(opening, Mapping) and not any(opening.values()):
                turns = turns[1:]
        by_number = dict(turns)
        counts = Counter(number for number, _ in turns)
        known = {number for number in counts if number is not None}
        if not known:
            return []
        if None in counts:
            self._problems.add(place, "some of its turns have no number")
            return []
        for number, count in counts.items():
            if count > 1:
                self._problems.add(place, f"turn {number} is there twice")
        expected = _numbers(numbering, known)
        missing = set(expected) - known
        others = known - set(expected)
        counting = f"turns are numbered from {numbering.start}"
        if numbering.step > 1:
            counting += f" in steps of {numbering.step}"
        if missing:
            self._problems.add(place, f"turn {min(missing)} is missing; {counting}")
        elif others:
            self._problems.add(place, f"turn {min(others)} is none of its turns; {counting}")
        return [by_number.get(number) for number in expected]

    # Conversations.

    def _responses(self, dialogues: Mapping[str, Turns]) -> Mapping[str, Turns]:
        """Return the system's turns of conversations; all turns if none says who speaks."""
        every = _all_turns(dialogues)
        speakers = Counter(map(speaker_of, every))
        system = next((name for name in SYSTEM_SPEAKERS if speakers[name]), None)
        responses: dict[str, Turns] = {}
        if system is not None:
            fields = fields_of([turn for turn in every if speaker_of(turn) == system], self._named)
            others = [
                f"{n} of {name}" for name, n in speakers.items() if name not in (None, system)
            ]
            message = f"what `{system}` says are the responses"
            if others:
                message += f"; turns left out: {', '.join(others)}"
            self.note(message)
            self._places[RESPONSE] = f"what `{system}` says"
            for id_, turns in dialogues.items():
                place = f"dialogue {unquoted(id_)}"
                responses[id_] = self._replies(place, turns, system, fields)
            return responses
        if not any(speakers[name] for name in USER_SPEAKERS):
            return dialogues
        self.note("only the user speaks: nothing is a response", warning=True)
        for id_, turns in dialogues.items():
            user_turns: list[object] = []
            for turn in turns:
                if speaker_of(turn) is None:
                    user_turns.append(turn)
                else:
                    utterance = self._utterance(turn)
                    words = utterance.pop(RESPONSE)
                    user_turns.append({USER: words, **utterance})
            responses[id_] = user_turns
        return responses

    def _replies(self, place: str, turns: Turns, system: str, fields: Fields) -> list[object]:
        """Return the system's turns of a dialogue, one per turn of the user.

        Args:
            place: What messages call the dialogue.
            turns: Its turns.
            system: Who responds.
            fields: Which keys of the system's turns hold which fields.
        """
        before: list[dict[str, object]] = []
        users: list[dict[str, object]] = []
        # What the system says before the user's next turn, for each turn of the user.
        replies: list[list[dict[str, object]]] = []
        for turn in turns:
            speaker = speaker_of(turn)
            if speaker in USER_SPEAKERS:
                users.append(self._utterance(turn))
                replies.append([])
            elif speaker == system:
                reply = self._utterance(turn, fields)
                text = reply[RESPONSE]
                has_state = turn.get(fields.predicted.get(STATE)) is not None
                # A turn without a text and a state, or that only calls a tool, is no reply.
                calls_tool = any(turn.get(call) for call in _CALLS)
                if text or has_state or (text is not None and not calls_tool):
                    latest = replies[-1] if replies else before
                    latest.append(reply)
        if not users:
            return list(before)
        if before:
            self.note("what is said before the user speaks is left out", place, warning=True)
        if not replies[-1]:
            # The dialogue ends with the user.
            users.pop()
            replies.pop()
        responses: list[object] = []
        for user, user_replies in zip(users, replies, strict=True):
            place_of_turn = f"{place}, turn {len(responses)}"
            responses.append(self._response(place_of_turn, user, user_replies))
        return responses

    def _response(
        self, place: str, user: Mapping[str, object], replies: Sequence[Mapping[str, object]]
    ) -> dict[str, object]:
        """Return the system's replies to a turn of the user in one, which has the user's state."""
        if not replies:
            self._problems.add(place, "the user gets no response")
        if len(replies) > 1:
            self.note("several responses in a row are joined", place, warning=True)
        state_names = (*self._keys[STATE], *self._keys[ACTIVE_DOMAINS], "")
        response = {USER: user[RESPONSE]}
        for key, value in user.items():
            if is_named(key, state_names):
                response[key] = value
        texts: list[str] = []
        for reply in replies:
            response.update(reply)
            if isinstance(reply[RESPONSE], str):
                texts.append(str(reply[RESPONSE]))
        if len(texts) == len(replies):
            response[RESPONSE] = " ".join(texts)
        elif not any(reply[RESPONSE] for reply in replies):
            del response[RESPONSE]
        return response

    def _utterance(
        self, turn: Mapping[Any, object], fields: Fields | None = None
    ) -> dict[str, object]:
        """Return a turn without its speaker, with its utterance as the response.

        Args:
            turn: A turn that says who speaks.
            fields: Which keys of the system's turns hold which fields; their response counts if the
                turn has no key of conversations.
        """
        text_key: object = None
        if RESPONSE in self._named:
            text_key = key_of(turn, [plain_key(self._named[RESPONSE])])
        if text_key is None:
            text_key = key_of(turn, KEYS["text"])
        left_out = {key_of(turn, KEYS["speaker"]), *_CALLS}
        if text_key is None and fields is not None:
            text_key = fields.predicted.get(RESPONSE)
            left_out.add(fields.gold.get(RESPONSE))
        left_out.add(text_key)
        utterance = {key: value for key, value in turn.items() if key not in left_out}
        text = turn.get(text_key)
        if isinstance(text, list):
            # A list of texts and other contents.
            contents = [item.get("text") if isinstance(item, Mapping) else item for item in text]
            text = "".join(content for content in contents if isinstance(content, str))
        utterance[RESPONSE] = text
        return utterance

    # A column per slot.

    def _with_states(self, dialogues: Mapping[str, Turns]) -> Mapping[str, Turns]:
        """Return turns with states, if all turns have a key per slot, as tables have columns."""
        every = _all_turns(dialogues)
        first = every[0] if every and isinstance(every[0], Mapping) else {}
        columns: dict[object, tuple[Role, str]] = {}
        # In the file's order, so that messages have the same order every time.
        by_role: dict[Role, list[object]] = {}
        for key in first:
            column = _slot_column(key)
            if column is not None:
                columns[key] = column
                by_role.setdefault(column[0], []).append(key)
        in_all = all(isinstance(turn, Mapping) and turn.keys() >= columns.keys() for turn in every)
        if not columns or not in_all or STATE in fields_of([first], self._named).predicted:
            return dialogues
        if by_role.keys() == {"plain"}:
            self._check_unknown_slots([key for key in first if key not in columns])
        predicted: Role = "predicted" if "predicted" in by_role else "plain"
        fields: dict[Role, str] = {}
        for role, keys in by_role.items():
            fields[role] = STATE if role == predicted else GOLD
            place = f"{counted(len(keys), 'slot')} such as `{unquoted(keys[0])}`"
            self.note(f"read {place} as `{fields[role]}`")
            self._places[fields[role]] = place
        with_states: dict[str, Turns] = {}
        for id_, turns in dialogues.items():
            with_states[id_] = []
            for turn in turns:
                states: dict[str, dict[str, object]] = {field: {} for field in fields.values()}
                for key, (role, slot) in columns.items():
                    # Empty cells are no value.
                    if turn[key] not in ("", None):
                        states[fields[role]][slot] = turn[key]
                others = {key: value for key, value in turn.items() if key not in columns}
                with_states[id_].append(others | states)
        return with_states

    def _check_unknown_slots(self, keys: Iterable[object]) -> None:
        """Report keys beside those of slots that look like misspelt slots."""
        known: list[str] = []
        for domain in DOMAINS:
            known += [f"{domain}-{slot}" for slot in STATE_SLOTS]
        for key in keys:
            name = slot_of(key)
            if name is None:
                continue
            close = resembling(key, known)
            if close or name[0].lower() in DOMAINS:
                problem = f"no slot of MultiWOZ{close}; rename it or leave it out"
                self._problems.add(unquoted(key), problem)

    # The standard form.

    def turns(self, ordered: Mapping[str, Turns]) -> dict[str, list[object]]:
        """Return dialogue id -> turns as in the standard form.

        Args:
            ordered: Dialogue id -> turns as the file has them, in order.

        Raises:
            InputError: The user gets no response, or no turn has a key that the user names.
        """
        dialogues = self._with_states(self._responses(ordered))
        every = _all_turns(dialogues)
        spelled: dict[str, object] = {}
        for turn in every:
            if isinstance(turn, Mapping):
                spelled.update((plain_key(key), key) for key in turn)
        known = {*spelled, *map(plain_key, self._outer_keys)}
        named = {}
        for role, key in self._named.items():
            if plain_key(key) not in known:
                self._problems.add("", f"--key {role}=KEY: no `{unquoted(key)}` in it")
            elif role in TURN_KEYS and plain_key(key) in spelled:
                named[role] = spelled[plain_key(key)]
        refuse(self._source, self._problems)
        standard: dict[str, list[object]] = {}
        if _is_state(next(filter(None, every), None)):
            self._name = "predicted states"
            self._places[STATE] = "the whole turn"
            for id_, turns in dialogues.items():
                standard[id_] = [{STATE: turn} for turn in turns]
            return standard
        fields = fields_of(every, named)
        for problem in fields.problems:
            self._problems.add("", problem)
        refuse(self._source, self._problems)
        self._note_fields(fields)
        for id_, turns in dialogues.items():
            standard[id_] = [_standard_turn(turn, fields.names) for turn in turns]
        return standard

    def _note_fields(self, fields: Fields) -> None:
        """Remark which keys hold the predictions, and which hold gold values."""
        for field, key in fields.predicted.items():
            if key != field:
                self.note(f"read `{unquoted(key)}` as `{field}`")
                self._places[field] = f"`{unquoted(key)}`"
        for field, key in fields.gold.items():
            self._places.setdefault(f"gold_{field}", f"`{unquoted(key)}`")
            message = f"read `{unquoted(key)}` as gold {PLURALS[field]}, which are no predictions"
            # `mwz dst` reports keys that are called gold in its table.
            kind = GOLD if role_of(key) == "plain" else "format"
            self._remarks.add("", message, kind, warning=False)
        if STATE in fields.gold and STATE in fields.predicted and RESPONSE not in fields.predicted:
            self._name = _PAIRS
            for key in (fields.gold[STATE], fields.predicted[STATE]):
                self._outer_keys[key] = None

    def standard(
        self,
        dialogues: Mapping[str, object],
        name: str = "",
        fields: Mapping[str, str] | None = None,
    ) -> Standard:
        """Return dialogues in the standard form, with the remarks on how they were read.

        Args:
            dialogues: Dialogue id -> turns as in the standard form.
            name: The name of the file's format; by default that of the arrangement.
            fields: Field -> where the file has it, if a format has keys of its own.
        """
        if not name:
            keys = ", ".join(map(unquoted, self._outer_keys))
            name = f"{self._name} ({keys})" if keys else self._name
        self.note(f"read as {name}")
        places = {**self._places, **(fields or {})}
        return Standard(dialogues, name, tuple(self._remarks.values()), fields=places)


def _best_numbering(dialogues: Iterable[NumberedTurns]) -> range | None:
    """Return the numbering that fits the turns of all dialogues best; None if no turn has one."""
    known_numbers: list[set[int]] = []
    for turns in dialogues:
        known_numbers.append({number for number, _ in turns if number is not None})
    if not any(known_numbers):
        return None
    misfits = dict.fromkeys(_NUMBERINGS, 0)
    for known in filter(None, known_numbers):
        for numbering in _NUMBERINGS:
            expected = set(_numbers(numbering, known))
            # Turns too many count twice, and missing ones once.
            misfits[numbering] += len(expected - known) + 2 * len(known - expected)
    return min(misfits, key=misfits.__getitem__)


def _numbers(numbering: range, known: Collection[int]) -> range:
    """Return the numbers of a numbering up to the last that is known."""
    return range(numbering.start, max(known) + 1, numbering.step)


def _slot_column(key: object) -> tuple[Role, str] | None:
    """Return the role and the slot that a key names, as in a table with a column per slot.

    >>> _slot_column("slot_prediction_hotel-area")
    ('predicted', 'hotel-area')
    >>> _slot_column("hotel-view") is None
    True
    """
    role: Role = "plain"
    name = str(key)
    while True:
        domain, slot = slot_of(name) or ("", "")
        if domain.lower() in DOMAINS and plain_slot_name(known_slot_name(slot)) in STATE_SLOTS:
            return role, name
        # Not a slot yet: the first word may say the role.
        word = _COLUMN_WORD.match(name)
        if word is None:
            return None
        plain = plain_key(word[0])
        meaning = meaning_of(plain)
        if meaning is not None and not meaning.name:
            role = meaning.role
        elif plain not in _WORDS_WITHOUT_ROLE:
            return None
        name = name[word.end() :]


def _standard_turn(turn: object, names: Mapping[object, str | None]) -> object:
    """Return a turn with the keys of the standard form, without the empty cells of a table.

    Args:
        turn: The turn as the file has it.
        names: What the standard form calls its keys, as `Fields.names`.
    """
    if isinstance(turn, str):
        return {RESPONSE: turn}
    if not isinstance(turn, Mapping):
        return turn
    standard: dict[object, object] = {}
    for key, value in turn.items():
        name = names.get(key, key)
        if name is not None:
            standard[name] = value
    for field in (STATE, ACTIVE_DOMAINS):
        text = standard.get(field)
        if isinstance(text, str) and not text.strip():
            del standard[field]
            if field == STATE and RESPONSE not in standard:
                # A tracker's turn without a value has an empty state.
                standard[STATE] = {}
    domains = standard.get(ACTIVE_DOMAINS)
    if isinstance(domains, str):
        standard[ACTIVE_DOMAINS] = re.findall(r"\w+", domains)
    return standard


def read_arranged(content: object, source: str, named: Mapping[str, str] | None = None) -> Standard:
    """Return outputs in any arrangement in the standard form.

    Args:
        content: The content of a file, parsed.
        source: What messages call it.
        named: What a key stands for -> the key, if the user names it.

    Raises:
        InputError: The content contradicts itself, or has no key that the user names.

    >>> row = {"id": "sng0073", "turn": 0, "reply": "Bye.", "gold_response": "Goodbye."}
    >>> read_arranged([row], "outputs.json").dialogues
    {'sng0073': [{'response': 'Bye.'}]}
    """
    arrangement = Arrangement(source, named)
    dialogues = arrangement.turns(arrangement.dialogues(content))
    return arrangement.standard(dialogues)


ARRANGEMENTS = Format(
    name="other arrangements",
    description="Lists of `{dialogue_id, turns}` or of turns with `dialogue_id` and `turn`, as "
    "JSON, as JSON lines or as a table of comma-, tab- or semicolon-separated values; dialogue id "
    "-> list of responses, turns by number, or a list per field; conversations with `role` or "
    "`speaker`, of which the system's turns are read; MultiWOZ's own `log` of `text` and "
    "`metadata`, MultiWOZ 2.2 and SGD with `frames`, ConvLab's unified form; gold and predicted "
    "states, or predicted ones alone, as trackers write them; keys of other names; all of that "
    "also below `results`, `predictions`, `details` or any other key that alone has dialogues.",
    recognises=_recognises,
    read=read_arranged,
    rank=50,
    is_text=is_table,
    parse=read_table,
)
