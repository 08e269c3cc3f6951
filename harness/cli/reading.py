"""Reading what commands are given: predictions, and the benchmark that they are of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .. import board
from ..benchmark import CANONICAL_STYLE, STYLES, Benchmark
from ..data import DEFAULT, SAMPLE, has_benchmark, load_benchmark
from ..errors import InputError, unknown
from ..io import STANDARD_STREAM, read_bytes, shown_name
from ..rooms import import_room
from ..scoring import (
    Options,
    ScoredSubmission,
    Scorer,
    Wanted,
    check_predictions,
    run,
    score_predictions,
)
from ..submission import (
    CONSTANT,
    EMPTY_STATES,
    HUMAN,
    Submission,
    is_play,
    read_standard,
)
from . import notify, tell

if TYPE_CHECKING:
    from ..comparison import Evidence

_T = TypeVar("_T")

SUBMISSIONS = Path("submissions")
"""The folder of submissions, unless another one is named."""


def chosen_benchmark(name: str | None) -> Benchmark:
    """Return the benchmark that `--benchmark` names, or the default one.

    That the sample is taken where MultiWOZ is not installed, is said.

    Args:
        name: The option's value: a name, or a folder that declares one.

    Raises:
        InputError: No benchmark of that name is installed, or its file is damaged.
    """
    is_folder = name is not None and has_benchmark(name)
    benchmark = load_benchmark(Path(name) if name is not None and is_folder else name)
    if name is None and benchmark.name == SAMPLE:
        notify(f"{DEFAULT} is not installed; the benchmark is the built-in `{SAMPLE}`")
    return benchmark


def read_submissions(names: Sequence[str], scorer: Scorer) -> list[Submission]:
    """Read predictions that are to be scored.

    Args:
        names: Files, `-` for standard input, or entries.
        scorer: Has the benchmark, and the rules by which placeholders are remarked.

    Raises:
        InputError: Some cannot be read or are no submission to the benchmark.
    """
    submissions = []
    for outputs in map(read_outputs, names):
        if isinstance(outputs.content, str):
            raise InputError(outputs.name, "is made by the harness; give a file or an entry")
        submissions.append(check_predictions(scorer, outputs.content, outputs.source))
    return submissions


def read_plays(
    files: Sequence[str], name: str | None, together: bool = False
) -> list[tuple[str, Any]]:
    """Read files of `mwz play`, play their dialogues again, and return the trials of each run.

    Args:
        files: The files, or entries with plays; pipes and standard input are no files of plays.
        name: The value of `--benchmark`.
        together: Whether all files have to be of one run, which has each dialogue once.

    Returns:
        The name of each run in messages, and the run (`LiveRun` of `live`); nothing if no file is
        one of `mwz play`.

    Raises:
        InputError: Only some of the files are, or they come out otherwise than they say.
    """
    # The plays of each file or entry, or who plays them again.
    contents: dict[str, bytes | board.Predictions] = {}
    for file in files:
        entry = None
        # That it cannot be read, or is nowhere, is said where it is read.
        with suppress(InputError):
            # What a pipe holds can be read only once.
            if os.path.isfile(file):
                content = read_bytes(file)
                if is_play(content):
                    contents[file] = content
                continue
            entry = found_entry(file)
        if entry is not None and board.tracks()[entry.system.track].kind == "plays":
            outputs = board.find_predictions(entry, ())
            contents[file] = outputs if isinstance(outputs, bytes) else entry.system.predictions
    others = [file for file in files if file not in contents]
    if len(others) == len(files):
        return []
    if others:
        # That there is no such file or entry is said first.
        read_outputs(others[0])
        play = shown_name(next(iter(contents)))
        raise InputError(shown_name(others[0]), f"is not a play file, but {play} is")
    named = [(shown_name(file), contents[file]) for file in files]
    plays: list[tuple[str, Any]] = import_room("harness.live.play", named[0][0]).plays_again(
        named, name, together
    )
    return plays


@dataclass(frozen=True)
class NamedOutputs:
    """The outputs of a system as a command is given them.

    Attributes:
        name: What the user called them.
        content: An (unpacked) file, or the name of a submission that the harness makes.
        entry: The entry of the board whose outputs they are; None if it was not named.
        missing: Why the entry's outputs are not available; None if they are.
    """

    name: str
    content: bytes | str
    entry: board.Entry | None = None
    missing: InputError | None = None

    @property
    def source(self) -> str:
        """What messages call them."""
        return shown_name(self.name) if self.entry is None else f"entry {self.entry.key}"

    def is_tracker(self) -> bool:
        """Return whether they are those of a tracker, states without responses.

        Raises:
            InputError: The file is of no known format.
        """
        if self.entry is not None:
            return board.tracks()[self.entry.system.track].kind == "states only"
        if isinstance(self.content, str):
            return False
        return read_standard(self.content, self.source).has_states_alone

    def has_gold_states(self) -> bool:
        """Return whether they are a file that has gold states beside predicted ones."""
        if isinstance(self.content, str):
            return False
        return read_standard(self.content, self.source).has_gold_states

    def options(self, options: Options) -> Options:
        """Return options for these outputs: in plain English, or with placeholders of their own."""
        is_lexicalised = self.content == HUMAN
        if self.entry is not None:
            is_lexicalised = board.tracks()[self.entry.system.track].kind == "plain English"
        lexicalised = options.resolved.lexicalised or is_lexicalised
        placeholders = options.placeholders
        if isinstance(self.content, str):
            # What the harness makes has those of the rule set.
            placeholders = None
        elif self.entry is not None and placeholders is None and not lexicalised:
            placeholders = self.entry.system.aliases
        return replace(options, lexicalised=lexicalised, placeholders=placeholders)


_MADE = {
    "@corpus": CANONICAL_STYLE,
    **{f"@corpus:{style}": style for style in STYLES},
    "@human": HUMAN,
    "@constant": CONSTANT,
    "@empty": EMPTY_STATES,
}
"""What a user calls a submission that the harness makes -> its name for `normalize`."""


def read_outputs(name: str, required: bool = True) -> NamedOutputs:
    """Return the outputs that a name on the command line stands for.

    Args:
        name: A file, `-` for standard input; `@corpus`, `@corpus:STYLE`, `@human`, `@constant` or
            `@empty`; or the name of an entry of the board.
        required: Whether the outputs of an entry have to be available.

    Raises:
        InputError: There is no such file or entry, or its outputs are missing.
    """
    if name.startswith("@") and not os.path.isfile(name):
        if name not in _MADE:
            raise InputError(name, unknown("submission that the harness makes", name, [*_MADE]))
        return NamedOutputs(name, _MADE[name])
    entry = found_entry(name)
    if entry is None:
        return NamedOutputs(name, read_bytes(name))

    if board.tracks()[entry.system.track].kind == "plays":
        problem = "has live dialogues, which this command does not read"
        raise InputError(f"entry {entry.key}", problem)
    try:
        return NamedOutputs(name, board.find_predictions(entry, ()), entry)
    except InputError as error:
        if required:
            raise
        return NamedOutputs(name, b"", entry, error)


def found_entry(name: str) -> board.Entry | None:
    """Return the entry that a name stands for; None for what the harness makes, and for a file.

    It is looked for in the folder of submissions, and on the published board.

    Raises:
        InputError: There is neither.
    """
    if name.startswith("@") or name == STANDARD_STREAM:
        return None
    is_path = Path(name).name != name or os.path.exists(name)
    return None if is_path else board.find_entry(name, SUBMISSIONS)


def score_outputs(
    outputs: Sequence[NamedOutputs], options: Options, wanted: Wanted, benchmark: Benchmark
) -> list[ScoredSubmission]:
    """Score outputs, print the remarks on them, and return the results.

    Args:
        outputs: The outputs.
        options: How to score them, but for what they are themselves.
        wanted: What is wanted besides their reports.
        benchmark: What to score on.

    Raises:
        InputError: Some cannot be scored.
    """
    jobs = []
    for system in outputs:
        jobs.append((system.content, system.source, system.options(options), wanted))
    scored = []
    outcomes = progress(run(score_predictions, jobs, benchmark), len(jobs))
    for system, outcome in zip(outputs, outcomes, strict=True):
        if isinstance(outcome, InputError):
            raise outcome
        tell(system.source, outcome.report.remarks)
        scored.append(outcome)
    return scored


def as_stored(scored: Iterable[ScoredSubmission], benchmark: Benchmark) -> list[Evidence]:
    """Return the evidence of outputs that were scored, in the form that entries store."""
    stored = []
    for submission in scored:
        if submission.evidence is not None:
            stored.append(board.of_file(submission.evidence, benchmark.dialogues))
    return stored


def progress(outcomes: Iterable[_T], number: int, unit: str = "file") -> Iterable[_T]:
    """Return the results of scoring, with a bar on a terminal if they are several."""
    if number < 2:
        return outcomes
    # Imports tqdm late: the score of one file does without.
    from tqdm import tqdm

    bar: Iterable[_T] = tqdm(outcomes, "scoring", number, unit=unit, disable=None, leave=False)
    return bar
