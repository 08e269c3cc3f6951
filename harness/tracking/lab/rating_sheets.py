"""Sheets on which people rate how well a tracker follows a dialogue.

Their form is that of Dey, Kummara & Desarkar (2022), appendix A.3: what was said in each turn, the
gold and the predicted state, and whether they are the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...benchmark import Benchmark
from ...comparison import SEED
from ...errors import InputError
from ...io.files import write_text
from ...metrics.tracking.choices import PLAIN, Choices
from ...metrics.tracking.dialogue_states import State, slot_name
from ...metrics.tracking.jga import is_exact
from ...metrics.tracking.tracked_dialogues import TrackedDialogue, dialogue_states
from ...submission.checking import dialogue_id

RATINGS_FILE = "ratings.csv"
_RULE = "-" * 72
_QUESTION = (
    "Did the tracker keep up with what the user wants, over the whole dialogue?\n"
    f"Write 1 (yes) or 0 (no) as its rating into {RATINGS_FILE}, with your name as rater."
)


def write_rating_sheets(
    folder: Path,
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark,
    number: int,
    choices: Choices = PLAIN,
) -> list[str]:
    """Write a sheet for each of some dialogues drawn at random, and a table to fill in.

    Args:
        folder: Where to write; made if need be.
        dialogues: The dialogues.
        benchmark: What says what was said in them.
        number: How many to draw, at most.
        choices: Which variant of joint accuracy is meant.

    Returns:
        The ids of the dialogues drawn.

    Raises:
        InputError: The folder has a table already, a dialogue is not in the benchmark, or a file
            cannot be written.
    """
    if (folder / RATINGS_FILE).exists():
        raise InputError(str(folder / RATINGS_FILE), "is there already; choose another folder")
    known = sorted((dialogue_id(dialogue.id), dialogue) for dialogue in dialogues)
    drawn = sorted(random.Random(SEED).sample(known, min(number, len(known))))
    lacking = [id_ for id_, _ in drawn if id_ not in benchmark.dialogues]
    if lacking:
        raise InputError(
            lacking[0], f"not in the benchmark {benchmark.name}, which has what was said"
        )
    sheets = {id_: "\n".join(_sheet(id_, dialogue, benchmark, choices)) for id_, dialogue in drawn}
    for id_, sheet in sheets.items():
        write_text(str(folder / f"{id_}.txt"), sheet)
    # Last: whoever finds it finds all sheets.
    write_text(
        str(folder / RATINGS_FILE),
        "".join(f"{line}\n" for line in ["id,rater,rating", *(f"{id_},," for id_ in sheets)]),
    )
    return list(sheets)


def _sheet(
    id_: str, dialogue: TrackedDialogue, benchmark: Benchmark, choices: Choices
) -> Iterator[str]:
    said = benchmark.dialogues[id_]
    states = dialogue_states(dialogue, choices)
    yield from (f"Dialogue {id_}", _RULE)
    for number, pair in zip(states.numbers, states.turns, strict=True):
        before = said.responses[number - 1 : number] if number else ()
        yield f"Turn {number}"
        yield f"System:    {_text(before)}" if number else "System:"
        yield f"User:      {_text(said.users[number : number + 1])}"
        yield ""
        yield f"Gold:      {_state(pair.gold)}"
        yield f"Predicted: {_state(pair.predicted)}"
        yield f"The same:  {'yes' if is_exact(pair) else 'no'}"
        yield _RULE
    yield _QUESTION + "\n"


def _text(said: Sequence[str]) -> str:
    return " ".join(" ".join(said).split()) or "(not known)"


def _state(state: State) -> str:
    return ", ".join(f"{slot_name(slot)}: {state[slot]}" for slot in sorted(state)) or "(empty)"
