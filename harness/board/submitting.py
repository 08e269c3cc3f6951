"""A new entry in the folder of submissions, and the files of the leaderboard."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from mwz.normalization import DEFAULT_RULES, published_rule_sets

from ..data import load_further_gold
from ..errors import InputError, Remark, refuse
from ..io import figure, to_json, write_atomically
from ..scoring import sources_of
from ..submission import declared_flags, is_play, lasting_form
from .columns import shown_figures
from .entries import ENTRY_FILE, Entry, read_entries, shared_problems, track_problem
from .entry_scores import Outputs, Reading, check_seeds, score_entry
from .markdown import pages
from .model import Board, read_board, row_of, rows
from .pairs import complete_pairs
from .rescoring import Rescored, updated
from .rows import flag_title, raised_flags
from .scores import SCORES_FILE, Scores, scores_text, seed_file
from .systems import (
    NOT_STATED,
    PREDICTIONS_FILE,
    System,
    folder_name,
    missing_facts,
    read_system,
    system_text,
)
from .track import Track, tracks

Tell: TypeAlias = Callable[[str, Iterable[Remark | str]], None]
"""Prints remarks on a file, given its name."""


def enter(
    folder: Path,
    system: System,
    files: Sequence[tuple[str, bytes]],
    reading: Reading,
    tell: Tell,
    replaces: bool = False,
) -> tuple[Entry, Board]:
    """Score a system's outputs, write its folder, and make the leaderboard again.

    Args:
        folder: The folder of all entries.
        system: What the system is; where its predictions are is filled in.
        files: Name and (unpacked) content of its outputs, and of those of further seeds or trials.
        reading: How they are read.
        tell: Says what is to be said of a file.
        replaces: Whether it may replace an entry of the same name.

    Returns:
        The entry, and the board with it.

    Raises:
        InputError: The system cannot be entered, or its outputs cannot be scored.
    """
    target, others = new_folder(folder, system, replaces)
    # Before anything is played, which may take minutes.
    refuse("leaderboard", shared_problems([*others, Entry(target, system, Scores())]))
    outputs, *further = _read(files, tracks()[system.track], reading)
    tell(outputs.source, outputs.remarks)
    if outputs.responses is not None:
        tell(outputs.source, outputs.responses.remarks)
        states, _ = sources_of(outputs.responses.scorer.options, outputs.responses.main)
        problem = track_problem(system, states)
        if problem is not None:
            raise InputError("--track", problem)
    system = system.model_copy(update={"predictions": outputs.place})
    new = Entry(target, system, Scores(predictions=outputs.predictions))
    refuse("leaderboard", shared_problems([*others, new]))
    entry = Entry(target, system, _scored(outputs, further, tell))
    contents = []
    for system_outputs in (outputs, *further):
        if system_outputs.content is not None:
            contents.append(system_outputs.content)
    submit(entry, others, contents)
    board = publish(folder, [*others, entry])
    if entry.benchmark in HUB_DATA:
        write_atomically(entry.folder / HUB_FILE, hub_record(entry, board))
    return entry, board


HUB_DATA = {"multiwoz": "pfb30/multi_woz_v22"}
"""Benchmark -> the data set that a model hub has it as."""

HUB_FILE = ".eval_results/multiwoz.yaml"
"""The path, in an entry's folder as in a model's repository, of what model hubs read."""


def hub_record(entry: Entry, board: Board) -> str:
    """Return an entry's scores as Hugging Face reads them from a model's `.eval_results/*.yaml`.

    JSON is YAML, too. The format: https://huggingface.co/docs/hub/eval-results.
    """
    address = entry.system.paper or entry.system.code
    records = []
    for table, row, column, value in shown_figures(board, entry.key):
        if row.rank is not None:
            record: dict[str, object] = {
                "dataset": {
                    "id": HUB_DATA[str(entry.benchmark)],
                    "task_id": f"{table.key}_{column.name}",
                },
                "value": value.data,
            }
            if address:
                record["source"] = {"url": address}
            record["notes"] = f"{column.full_title}, {table.title}: {row.signature}"
            records.append(record)
    return to_json(records)


def _read(files: Sequence[tuple[str, bytes]], track: Track, reading: Reading) -> list[Outputs]:
    """Return a system's outputs, and those of further seeds."""
    source = files[0][0]
    if track.kind == "plays":
        joined = b"".join(content.rstrip(b"\n") + b"\n" for _, content in files)
        return [track.read(joined, source, reading)]
    if any(is_play(content) for _, content in files):
        raise InputError(source, "is of `mwz play`; its track is live: --track live")
    outputs = []
    for name, content in files:
        # A form that only an installed package reads is not kept, so that all can read the file.
        lasting = lasting_form(content, name, reading.scorer.benchmark.users)
        outputs.append(track.read(lasting, name, reading))
    return outputs


def _scored(outputs: Outputs, further: Sequence[Outputs], tell: Tell) -> Scores:
    """Score outputs and those of further seeds; say what they are not scored against."""
    check_seeds(outputs, further)
    seeds = {}
    for number, seed in enumerate(further, start=2):
        seeds[seed_file(number)] = seed
    if outputs.benchmark is None:
        return score_entry(outputs, (), seeds)
    golds, missing = load_further_gold(outputs.benchmark)
    absent = []
    for version in missing:
        remedy = f"which are not installed (`mwz data import --states {version} PATH`)"
        absent.append(f"not scored against gold states {version}, {remedy}")
    tell(outputs.source, absent)
    scores = score_entry(outputs, golds, seeds)
    unfit = []
    for gold in golds:
        if gold.version not in scores.further_gold:
            reason = f"its dialogues and turns are not those of {outputs.benchmark.name}"
            unfit.append(f"not scored against gold states {gold.version}: {reason}")
    tell(outputs.source, unfit)
    return scores


def publish(folder: Path, entries: Sequence[Entry], rescored: Sequence[Rescored] = ()) -> Board:
    """Write scores and pages, each of them whole, and return the board.

    Between two of them the process may be killed: `mwz leaderboard --check` tells.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        rescored: The results of those that were scored again.

    Raises:
        InputError: Something is wrong with the entries, or a file cannot be written.
    """
    new = updated(entries, rescored)
    board = read_board(folder, new, DEFAULT_RULES, complete_pairs(folder, new))
    files = pages(folder, board)
    for entry, old in zip(new, entries, strict=True):
        if entry is not old:
            write_atomically(entry.folder / SCORES_FILE, scores_text(entry.scores))
    for path, content in files.items():
        write_atomically(path, content)
    return board


def entered_remarks(entry: Entry, board: Board) -> Iterator[str]:
    """Yield which facts are not stated, and which flags are raised, with what to do."""
    missing = missing_facts(entry.system)
    if missing:
        yield (
            f"{NOT_STATED} of the system: {missing}; give what you know by --fact, or "
            f"add it to {entry.folder / ENTRY_FILE}"
        )
    row = row_of(board, entry)
    assert row is not None
    raised = raised_flags(row)
    for name in raised:
        value, flag = figure(row.flags[name], 2), declared_flags()[name]
        yield f"flag: {flag_title(row, name)}: {value}; {flag.bound} is flagged. {flag.remedy}"
    if raised:
        yield (
            "an entry with a flag has no rank until a maintainer has reviewed it: say in the pull "
            "request how the outputs came about, or fix them and submit again with --replace "
            "(docs/submitting.md)"
        )


def submit(entry: Entry, others: Sequence[Entry], predictions: Sequence[bytes]) -> None:
    """Write an entry's folder.

    Args:
        entry: The entry, as it is to be written.
        others: The other entries of the folder of all entries.
        predictions: The (unpacked) predictions files: its own, and those of its further seeds; none
            where the harness plays.

    Raises:
        InputError: Its scores do not compare with those of the others, or the folder cannot be
            written.
    """
    # What cannot be ranked would leave the folder without a leaderboard. Its file is not written
    # yet, and one of the entry that it replaces may be there.
    unwritten = entry.system.predictions.model_copy(update={"file": None})
    system = entry.system.model_copy(update={"predictions": unwritten})
    for rules in published_rule_sets():
        rows([*others, replace(entry, system=system)], rules)
    files = {
        ENTRY_FILE: system_text(entry.system).encode(),
        SCORES_FILE: scores_text(entry.scores).encode(),
    }
    for number, content in enumerate(predictions, start=1):
        name = PREDICTIONS_FILE if number == 1 else seed_file(number)
        # No time stamp: the same predictions are the same bytes.
        files[name] = gzip.compress(content, mtime=0)
    # A new entry is there at once; one that is replaced, file by file.
    target = entry.folder
    written = target if target.exists() else target.with_name(f".{target.name}")
    for name, content in files.items():
        write_atomically(written / name, content)
    for path in written.glob(seed_file("*")):
        if path.name not in files:
            path.unlink()
    written.replace(target)


def new_folder(folder: Path, system: System, replaces: bool) -> tuple[Path, list[Entry]]:
    """Return the folder of a new entry, and the other entries.

    Args:
        folder: The folder of all entries.
        system: What the system is.
        replaces: Whether it may replace an entry of the same name.

    Raises:
        InputError: An entry of that name is there already, and is not to be or cannot be replaced.
    """
    target = folder / folder_name(system.name)
    if target.exists():
        if not replaces:
            problem = "there is an entry of that name; use another, or --replace"
            raise InputError(str(target), problem)
        old = read_system(target / ENTRY_FILE)
        if old.predictions.by_harness or not tracks()[old.track].ranks:
            raise InputError(str(target), "is made by the harness and cannot be replaced")
    entries = read_entries(folder) if folder.is_dir() else []
    return target, [entry for entry in entries if entry.folder != target]
