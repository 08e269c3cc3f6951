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
from typing import Any, NamedTuple

from mwz.normalization import plain_slot_name

from ...errors import Findings, counted, refuse, resembling, unquoted
from ...io import kind_of
from ..notations import DOMAINS, STATE_SLOTS, is_state, known_slot_name, slot_of
from .nesting import (
    SYSTEM_SPEAKERS,
    USER_SPEAKERS,
    NumberedTurn,
    NumberedTurns,
    by_dialogue,
    is_pair_by_id,
    is_turn_by_id,
    items_of,
    plain_turn,
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
    is_table,
    key_of,
    other_keys,
    plain_key,
    read_table,
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


class _Numbering(NamedTuple):
    """The number of a dialogue's first turn, and the step to the next."""

    first: int
    step: int

    def up_to(self, last: int) -> range:
        """Return the numbers of a dialogue's turns, given the last one."""
        return range(self.first, last + 1, self.step)

    def misfits(self, numbers: Collection[int | None]) -> int:
        """Return how many turns of a dialogue are missing; further ones count twice."""
        known = {number for number in numbers if number is not None}
        if not known:
            return 0
        expected = set(self.up_to(max(known)))
        return len(expected - known) + 2 * len(known - expected)

    def __str__(self) -> str:
        steps = f" in steps of {self.step}" if self.step > 1 else ""
        return f"turns are numbered from {self.first}{steps}"


_NUMBERINGS = tuple(_Numbering(*pair) for pair in ((0, 1), (1, 1), (1, 2), (0, 2), (2, 2)))
"""All numberings; the step is 2 where the user's turns are counted, too."""


class _Exchange(NamedTuple):
    """A turn of the user, and what the system says before the user's next turn."""

    user: Mapping[str, object]
    replies: list[dict[str, Any]]


class _SlotColumn(NamedTuple):
    """What the key of a column with one slot's values says: a role, and the slot's name."""

    role: Role
    slot: str


def _recognises(content: object) -> bool:
    inside, path = unwrapped(content, KEYS)
    if not isinstance(inside, Mapping):
        items = items_of(inside) if isinstance(inside, list) else ()
        return any(key_of(item, KEYS["id"], str, int) is not None for item in items)
    for dialogue in inside.values():
        if path is None and _is_rearranged(dialogue):
            return True
        # Below a key such as `results`, turns may be as in the standard form.
        if path is not None and turns_of(dialogue, KEYS):
            return True
    return bool(inside) and all(map(is_turn_by_id, inside, inside.values()))


def _is_rearranged(dialogue: object) -> bool:
    """Return whether this is a dialogue whose turns are not as in the standard form."""
    turns = [turn.content for turn in turns_of(dialogue, KEYS) if turn.content]
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


def _all_turns(dialogues: Mapping[str, Sequence[object]]) -> list[object]:
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
        self._outer_keys: dict[str, None] = {}
        # Field -> where the file has it.
        self._places: dict[str, str] = {}

    def note(self, message: str, place: str = "", warning: bool = False) -> None:
        """Remark how the file is read."""
        self._remarks.add(place, message, "format", warning)

    # Dialogues and their turns.

    def dialogues(self, content: object) -> dict[str, list[Any]]:
        """Return dialogue id -> turns by their numbers, each as the file has it.

        If no turn has a number, they stay in the file's order.

        Raises:
            InputError: Dialogues or the numbers of turns contradict one another.
        """
        inside, path = unwrapped(content, self._keys)
        if path is not None:
            self.note(f"what is read is in `{unquoted(path)}`")
        if isinstance(inside, Mapping):
            numbered = self._dialogues_of_object(inside)
        else:
            numbered = self._dialogues_of_list(inside)
        numbering = _best_numbering(numbered.values())
        ordered: dict[str, list[Any]] = {}
        for id_, turns in numbered.items():
            if numbering is None:
                ordered[id_] = [turn.content for turn in turns]
            else:
                ordered[id_] = self._in_order(id_, turns, numbering)
        refuse(self._source, self._problems)
        return ordered

    def _dialogues_of_object(self, content: Mapping[Any, Any]) -> Mapping[str, NumberedTurns]:
        """Return dialogue id -> turns, of an object of dialogues or of turns with their own ids."""
        by_id: dict[Any, Any] = dict(content)
        if all(map(is_pair_by_id, by_id, by_id.values())):
            for turn_id, pair in content.items():
                by_id[turn_id] = {"predicted": pair[0], "gold": pair[1]}
        if all(map(is_turn_by_id, by_id, by_id.values())):
            return by_dialogue({id_: [NumberedTurn(None, turn)] for id_, turn in by_id.items()})
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
            if self._is_row(inside):
                rows.setdefault(id_, []).append(self._row(inside))
            else:
                dialogues[id_] = self._turns_of(id_, inside, dialogues)
        self._name = "list of dialogues" if dialogues else "list of turns"
        if dialogues and rows:
            self._problems.add("", "some items are dialogues and others are turns")
        return dialogues or by_dialogue(rows)

    def _turns_of(self, id_: str, dialogue: Any, earlier: Collection[str]) -> NumberedTurns:
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
        if turns_key is not None:
            self._outer_keys[str(turns_key)] = None
            self._note_unread_states(dialogue, turns_key)
        elif not turns and dialogue != []:
            wanted = f"expected a list of turns, found {kind_of(dialogue)}"
            self._problems.add(place, f"{wanted}{other_keys(dialogue)}")
        return turns

    def _note_unread_states(self, dialogue: Mapping[object, object], turns_key: object) -> None:
        """Warn of belief states that stand beside a dialogue's turns and not in them."""
        for key, value in dialogue.items():
            is_unread = key != turns_key and is_named(key, self._keys[STATE])
            if is_unread and isinstance(value, dict | list) and value:
                self.note(
                    f"`{unquoted(key)}` of dialogues is not read; give a state in every turn",
                    warning=True,
                )

    def _is_row(self, item: Mapping[object, object]) -> bool:
        """Return whether an item of a list is a turn: it has a number, or no turns of its own."""
        if key_of(item, self._keys["turns"], dict, list) is None:
            return True
        has_number = key_of(item, self._keys["number"], str, int, float) is not None
        return has_number and bool(fields_of([unfolded(item)]).keys)

    def _row(self, item: Mapping[object, object]) -> NumberedTurn:
        """Return an item of a list of turns, without the key of its number."""
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
                    return NumberedTurn(number, others)
        return NumberedTurn(None, turn)

    # The order of turns.

    def _in_order(self, id_: str, turns: NumberedTurns, numbering: _Numbering) -> list[object]:
        """Return the turns of a dialogue in order; no number may be missing or occur twice."""
        place = f"dialogue {unquoted(id_)}"
        if len(turns) > 1 and turns[0].number == len(turns) - 1:
            # An empty turn may only open the dialogue, as in DAMD's outputs.
            opening = turns[0].content
            if isinstance(opening, Mapping) and not any(opening.values()):
                turns = turns[1:]
        counts = Counter(turn.number for turn in turns)
        by_number = {turn.number: turn.content for turn in turns}
        known = {number for number in counts if number is not None}
        if not known:
            return []
        if None in counts:
            self._problems.add(place, "some of its turns have no number")
            return []
        for number, count in counts.items():
            if count > 1:
                self._problems.add(place, f"turn {number} is there twice")
        expected = numbering.up_to(max(known))
        missing = set(expected) - known
        others = known - set(expected)
        if missing:
            self._problems.add(place, f"turn {min(missing)} is missing; {numbering}")
        elif others:
            self._problems.add(place, f"turn {min(others)} is none of its turns; {numbering}")
        return [by_number.get(number) for number in expected]

    # Conversations.

    def _responses(
        self, dialogues: Mapping[str, Sequence[object]]
    ) -> Mapping[str, Sequence[object]]:
        """Return the system's turns of conversations; all turns if none says who speaks."""
        every = _all_turns(dialogues)
        speakers = Counter(map(speaker_of, every))
        system = next((name for name in SYSTEM_SPEAKERS if speakers[name]), None)
        if system is not None:
            return self._exchanges(dialogues, system, speakers)
        if not any(speakers[name] for name in USER_SPEAKERS):
            return dialogues
        self.note("only the user speaks: nothing is a response", warning=True)
        return {id_: list(map(self._user_turn, turns)) for id_, turns in dialogues.items()}

    def _exchanges(
        self,
        dialogues: Mapping[str, Sequence[object]],
        system: str,
        speakers: Mapping[str | None, int],
    ) -> dict[str, list[Any]]:
        """Return the system's turns of conversations.

        Args:
            dialogues: Dialogue id -> the turns of all who speak.
            system: Who responds.
            speakers: Who speaks -> in how many turns.
        """
        system_turns = [turn for turn in _all_turns(dialogues) if speaker_of(turn) == system]
        fields = fields_of(system_turns, self._named)
        others = [f"{n} of {name}" for name, n in speakers.items() if name not in (None, system)]
        message = f"what `{system}` says are the responses"
        if others:
            message += f"; turns left out: {', '.join(others)}"
        self.note(message)
        self._places[RESPONSE] = f"what `{system}` says"
        exchanges = {}
        for id_, turns in dialogues.items():
            exchanges[id_] = self._replies(f"dialogue {unquoted(id_)}", turns, system, fields)
        return exchanges

    def _replies(
        self, place: str, turns: Sequence[Any], system: str, fields: Fields
    ) -> list[dict[str, object]]:
        """Return the system's turns of a dialogue, one per turn of the user.

        Args:
            place: What messages call the dialogue.
            turns: Its turns.
            system: Who responds.
            fields: Which keys of the system's turns hold which fields.
        """
        before: list[dict[str, object]] = []
        exchanges: list[_Exchange] = []
        for turn in turns:
            speaker = speaker_of(turn)
            if speaker in USER_SPEAKERS:
                exchanges.append(_Exchange(self._utterance(turn), []))
            elif speaker == system:
                reply = self._utterance(turn, fields)
                text = reply[RESPONSE]
                has_state = turn.get(fields.predicted.get(STATE)) is not None
                # A turn without a text and a state, or that only calls a tool, is no reply.
                calls_tool = any(turn.get(call) for call in _CALLS)
                if text or has_state or (text is not None and not calls_tool):
                    replies = exchanges[-1].replies if exchanges else before
                    replies.append(reply)
        if not exchanges:
            return before
        if before:
            self.note("what is said before the user speaks is left out", place, warning=True)
        if not exchanges[-1].replies:
            exchanges.pop()
        responses = []
        for number, exchange in enumerate(exchanges):
            responses.append(self._response(f"{place}, turn {number}", exchange))
        return responses

    def _response(self, place: str, exchange: _Exchange) -> dict[str, object]:
        """Return the system's turn of an exchange; its state may stand at the user's turn."""
        replies = exchange.replies
        if not replies:
            self._problems.add(place, "the user gets no response")
        if len(replies) > 1:
            self.note("several responses in a row are joined", place, warning=True)
        state_names = (*self._keys[STATE], *self._keys[ACTIVE_DOMAINS], "")
        response = {USER: exchange.user[RESPONSE]}
        for key, value in exchange.user.items():
            if is_named(key, state_names):
                response[key] = value
        for reply in replies:
            response.update(reply)
        texts = [reply[RESPONSE] for reply in replies]
        if all(isinstance(text, str) for text in texts):
            response[RESPONSE] = " ".join(texts)
        elif not any(texts):
            del response[RESPONSE]
        return response

    def _utterance(
        self, turn: Mapping[str, object], fields: Fields | None = None
    ) -> dict[str, object]:
        """Return a turn without its speaker, with its utterance as the response.

        Args:
            turn: A turn that says who speaks.
            fields: Which keys of the system's turns hold which fields; their response counts if the
                turn has no key of conversations.
        """
        text_key: Any = None
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
        utterance[RESPONSE] = _joined_text(turn.get(text_key))
        return utterance

    def _user_turn(self, turn: Any) -> Any:
        """Return a turn of the user, with the utterance under the key of the user's words."""
        if speaker_of(turn) is None:
            return turn
        utterance = self._utterance(turn)
        words = utterance.pop(RESPONSE)
        return {USER: words, **utterance}

    # A column per slot.

    def _with_states(self, dialogues: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
        """Return turns with states, if all turns have a key per slot, as tables have columns."""
        every = _all_turns(dialogues)
        first = every[0] if every and isinstance(every[0], Mapping) else {}
        columns: dict[object, _SlotColumn] = {}
        for key in first:
            column = _slot_column(key)
            if column is not None:
                columns[key] = column
        in_all = all(isinstance(turn, Mapping) and turn.keys() >= columns.keys() for turn in every)
        if not columns or not in_all or STATE in fields_of([first], self._named).predicted:
            return dialogues
        # In the file's order, so that messages have the same order every time.
        by_role: dict[Role, list[object]] = {}
        for key, column in columns.items():
            by_role.setdefault(column.role, []).append(key)
        if by_role.keys() == {"plain"}:
            self._check_unknown_slots([key for key in first if key not in columns])
        predicted: Role = "predicted" if "predicted" in by_role else "plain"
        fields: dict[Role, str] = {}
        for role, keys in by_role.items():
            fields[role] = STATE if role == predicted else GOLD
            place = f"{counted(len(keys), 'slot')} such as `{unquoted(keys[0])}`"
            self.note(f"read {place} as `{fields[role]}`")
            self._places[fields[role]] = place
        with_states = {}
        for id_, turns in dialogues.items():
            with_states[id_] = [_with_states_of(turn, columns, fields) for turn in turns]
        return with_states

    def _check_unknown_slots(self, keys: Iterable[object]) -> None:
        """Report keys beside those of slots that look like misspelt slots."""
        known = [f"{domain}-{slot}" for domain in DOMAINS for slot in STATE_SLOTS]
        for key in keys:
            name = slot_of(key)
            if name is None:
                continue
            close = resembling(key, known)
            if close or name[0].lower() in DOMAINS:
                problem = f"no slot of MultiWOZ{close}; rename it or leave it out"
                self._problems.add(unquoted(key), problem)

    # The standard form.

    def turns(self, ordered: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
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
        standard = {}
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
            standard[id_] = [_standard_turn(turn, fields) for turn in turns]
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
        return Standard(dialogues, name, self._remarks.remarks(), fields=places)


def _best_numbering(dialogues: Iterable[NumberedTurns]) -> _Numbering | None:
    """Return the numbering that fits the turns of all dialogues best; None if no turn has one."""
    numbers = []
    for turns in dialogues:
        numbers.append({turn.number for turn in turns})
    if all(of_dialogue <= {None} for of_dialogue in numbers):
        return None
    misfits = {}
    for numbering in _NUMBERINGS:
        misfits[numbering] = sum(map(numbering.misfits, numbers))
    return min(_NUMBERINGS, key=misfits.__getitem__)


def _joined_text(text: object) -> object:
    """Return the text of an utterance that is a list of texts and other contents, in one."""
    if not isinstance(text, list):
        return text
    joined = ""
    for content in text:
        content_text = content.get("text") if isinstance(content, Mapping) else content
        if isinstance(content_text, str):
            joined += content_text
    return joined


def _slot_column(key: object) -> _SlotColumn | None:
    """Return the role and the slot that a key names, as in a table with a column per slot.

    >>> _slot_column("slot_prediction_hotel-area")
    _SlotColumn(role='predicted', slot='hotel-area')
    >>> _slot_column("hotel-view") is None
    True
    """
    role: Role = "plain"
    name = str(key)
    while True:
        domain, slot = slot_of(name) or ("", "")
        if domain.lower() in DOMAINS and plain_slot_name(known_slot_name(slot)) in STATE_SLOTS:
            return _SlotColumn(role, name)
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


def _with_states_of(
    turn: Mapping[object, object], columns: Mapping[object, _SlotColumn], fields: Mapping[Role, str]
) -> dict[object, object]:
    """Return a turn with states instead of a key per slot.

    Args:
        turn: The turn.
        columns: The keys of slots.
        fields: Role of such a key -> the field of the state.
    """
    with_states: dict[Any, Any] = {}
    for key, value in turn.items():
        if key not in columns:
            with_states[key] = value
    for field in fields.values():
        with_states[field] = {}
    for key, column in columns.items():
        # Empty cells are no value.
        if turn[key] not in ("", None):
            with_states[fields[column.role]][column.slot] = turn[key]
    return with_states


def _renamed(turn: Mapping[object, object], fields: Fields) -> dict[object, object]:
    """Return a turn with the keys of the standard form."""
    names = {key: field for field, key in fields.predicted.items()}
    if STATE in fields.gold:
        names[fields.gold[STATE]] = GOLD
    # Gold values are left out, and so are keys that another one stands for.
    left_out = {*fields.predicted}
    left_out.update(key for field, key in fields.gold.items() if field in fields.predicted)
    standard: dict[object, object] = {}
    for key, value in turn.items():
        if key in names:
            standard[names[key]] = value
        elif key not in left_out:
            standard[key] = value
    return standard


def _standard_turn(turn: Any, fields: Fields) -> Any:
    """Return a turn with the keys of the standard form, without the empty cells of a table."""
    if isinstance(turn, str):
        return {RESPONSE: turn}
    if not isinstance(turn, Mapping):
        return turn
    standard = _renamed(turn, fields)
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
