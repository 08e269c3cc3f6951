"""The annotation of MultiWOZ 2.2: its dialogue files and acts, as published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mwz.normalization.responses import normalize_response
from mwz.normalization.rules import rule_set
from mwz.normalization.states import BeliefState, normalize_state

from ...errors import InputError
from ...io.files import kind_of, read_json

DATA_SET = "data/MultiWOZ_2.2"
TEST_FILES = ("test/dialogues_001.json", "test/dialogues_002.json")
ACTS_FILE = "dialog_acts.json"

ANNOTATION_RULES = "2021"
"""The rules that references and gold states are normalised by, whichever rules score."""


@dataclass(frozen=True)
class AnnotatedDialogue:
    """A test dialogue of MultiWOZ 2.2. Fields have one entry per system turn.

    Attributes:
        references: Responses delexicalised by the span annotation, normalised.
        states: Belief states of the user turns before, normalised.
        acts: Names of the system's acts.
        users: What the user said before.
        responses: The responses as they were written.
    """

    references: Sequence[str]
    states: Sequence[BeliefState]
    acts: Sequence[Sequence[str]]
    users: Sequence[str]
    responses: Sequence[str]


def read_test_dialogues(multiwoz: Path) -> dict[str, AnnotatedDialogue]:
    """Read the test split of MultiWOZ 2.2: dialogue id (lower case, no `.json`) -> dialogue.

    Args:
        multiwoz: A clone of the data set's repository.

    Raises:
        InputError: A file is missing or not in the expected layout.
    """
    folder = multiwoz / DATA_SET
    acts = read_object(folder / ACTS_FILE)
    dialogues = {}
    for name in TEST_FILES:
        content = read_dialogues(folder / name)
        with expected_layout(folder / name):
            for dialogue in content:
                raw_id = dialogue["dialogue_id"]
                dialogues[short_id(raw_id)] = _annotated(dialogue["turns"], acts[raw_id])
    return dialogues


def read_dialogues(path: Path) -> list[Any]:
    """Read one file of dialogues of MultiWOZ 2.2, which are still to be looked into.

    Raises:
        InputError: The file is missing or is no JSON list.
    """
    content = read_json(path)
    if not isinstance(content, list):
        raise _not_in_layout(path, f"expected a list of dialogues, found {kind_of(content)}")
    return content


def short_id(raw_id: str) -> str:
    """Return a dialogue's id as the evaluator's files write it: lower case, no `.json`."""
    return raw_id.split(".", maxsplit=1)[0].lower()


def _annotated(turns: Sequence[Any], acts: Mapping[str, Any]) -> AnnotatedDialogue:
    rules = rule_set(ANNOTATION_RULES)
    references, states, names, users, responses = [], [], [], [], []
    for user, system in zip(turns[::2], turns[1::2], strict=False):
        turn_acts = acts[system["turn_id"]]
        delexicalized = _delexicalized(system["utterance"], turn_acts["span_info"])
        references.append(normalize_response(delexicalized, rules).text)
        states.append(normalize_state(raw_state(user["frames"]), rules))
        names.append(list(turn_acts["dialog_act"]))
        users.append(str(user["utterance"]))
        responses.append(str(system["utterance"]))
    return AnnotatedDialogue(references, states, names, users, responses)


def _delexicalized(utterance: str, spans: Sequence[Sequence[Any]]) -> str:
    """Replace every annotated span by `[slot]`, left to right."""
    parts = []
    done = 0
    for _, slot, value, start, end in sorted(spans, key=lambda span: span[3]):
        if start < done or value == "dontcare":
            continue
        parts += [utterance[done:start], f"[{slot}]"]
        done = end
    return "".join([*parts, utterance[done:]])


def raw_state(frames: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return a user turn's belief state: each slot's first value, `dontcare` left out."""
    state = {}
    for frame in frames:
        slots = {
            slot.split("-")[1]: values[0]
            for slot, values in frame["state"]["slot_values"].items()
            if "dontcare" not in values
        }
        if slots:
            state[frame["service"]] = slots
    return state


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        InputError: The file is missing or holds something else.
    """
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError(str(path), "expected a JSON object")
    return content


@contextmanager
def expected_layout(path: Path) -> Iterator[None]:
    """Report the errors that reading a file in another layout ends in as an `InputError`."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise _not_in_layout(path, repr(error)) from None


def _not_in_layout(path: Path, reason: str) -> InputError:
    return InputError(str(path), f"not in the layout of MultiWOZ 2.2 ({reason})")
