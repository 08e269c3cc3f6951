"""The folder of submissions: a new entry, the files of the leaderboard, what a proposal changes.

The files of the leaderboard follow from the entries: `publish` writes them, and `outdated` says
which are not as they would be written.
"""

from __future__ import annotations

import difflib
import gzip
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import portalocker

from mwz.normalization import DEFAULT_RULES, published_rule_sets

from ..data import load_further_gold
from ..errors import InputError, Remark, counted, refuse
from ..io import escaped, figure, is_plain_file, read_plain, to_json, write_atomically
from ..scoring import sources_of
from ..submission import declared_flags, is_play, lasting_form
from .columns import board_tables, shown_figures
from .entries import (
    ENTRY_FILE,
    NOTE_FILE,
    Entry,
    check_folder,
    file_problems,
    read_entries,
    shared_problems,
    track_problem,
)
from .entry_scores import Outputs, Reading, check_seeds, score_entry
from .markdown import entered_text, pages
from .model import Board, read_board, row_of, rows
from .pairs import PAIRS_FILE, complete_pairs, missing_pairs, pair_mismatches
from .reported import REPORTED_FILE
from .rescoring import Rescored, mismatches_table, updated
from .rows import flag_title, raised_flags, shown_rank
from .scores import SCORES_FILE, Scores, score_mismatches, scores_text, seed_file
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
    # Before anything is played or scored, which may take minutes.
    target, others = new_folder(folder, system, replaces)
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
    if outputs.responses is not None:
        tell(outputs.source, [f"scoring under the rule sets {', '.join(published_rule_sets())} …"])
    entry = Entry(target, system, _scored(outputs, further, tell))
    contents = []
    for system_outputs in (outputs, *further):
        if system_outputs.content is not None:
            contents.append(system_outputs.content)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    with locked(folder, tell):
        # Others may have come meanwhile.
        _, others = new_folder(folder, system, replaces)
        refuse("leaderboard", shared_problems([*others, entry]))
        submit(entry, others, contents)
        board = publish(folder, [*others, entry])
        if entry.benchmark in HUB_DATA:
            write_atomically(entry.folder / HUB_FILE, hub_record(entry, board))
    return entry, board


_LOCK_FILE = ".lock"


@contextmanager
def locked(folder: Path, tell: Tell) -> Iterator[None]:
    """Let no other process change a folder of submissions; wait while one does.

    The system takes the lock back when a process ends, in whatever way. The file stays.

    Args:
        folder: The folder.
        tell: Says that another process is waited for.

    Raises:
        InputError: There is no such folder, or it cannot be locked.
    """
    check_folder(folder)
    with ExitStack() as stack:
        try:
            file = stack.enter_context((folder / _LOCK_FILE).open("ab"))
            try:
                portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
            except portalocker.LockException:
                tell(str(folder), ["another process changes it; waiting until it is done"])
                portalocker.lock(file, portalocker.LOCK_EX)
        except (OSError, portalocker.LockException) as error:
            raise InputError(str(folder), f"cannot be locked ({error})") from None
        yield


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


def publish(
    folder: Path,
    entries: Sequence[Entry],
    rescored: Sequence[Rescored] = (),
    processes: int = 1,
) -> Board:
    """Write scores and pages, each of them whole, and return the board.

    Between two of them the process may be killed: `mwz leaderboard --check` tells.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        rescored: The results of those that were scored again.
        processes: How many processes compare entries.

    Raises:
        InputError: Something is wrong with the entries, or a file cannot be written.
    """
    new = updated(entries, rescored)
    board = read_board(folder, new, DEFAULT_RULES, complete_pairs(folder, new, processes))
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
    written = target
    if not target.exists():
        written = target.with_name(f".{target.name}")
        # A process that was killed may have left it.
        shutil.rmtree(written, ignore_errors=True)
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


# -------------------------------------------------------------------- a proposed folder


def touched_entries(entries: Sequence[Entry], base: Path) -> list[Entry]:
    """Return the entries whose content is not that in another folder of submissions."""
    touched = []
    for entry in entries:
        for name in (ENTRY_FILE, SCORES_FILE):
            if _content(entry.folder / name) != _content(base / entry.key / name):
                touched.append(entry)
                break
    return touched


def _content(path: Path) -> bytes:
    """Return the content of a file; nothing if there is no file, or a link to one."""
    return read_plain(path) if is_plain_file(path) else b""


def review_text(folder: Path, entries: Sequence[Entry], base: Path) -> str:
    """Return what differs between two folders of submissions.

    Args:
        folder: The folder as it is proposed.
        entries: Its entries.
        base: The folder as it was before.

    Raises:
        InputError: An entry of the base cannot be read.
    """
    old = {entry.key: entry for entry in read_entries(base)}
    touched = {entry.key for entry in touched_entries(entries, base)}
    board = read_board(folder, entries, DEFAULT_RULES)
    lost, moved = _moved_ranks(read_board(base, list(old.values()), DEFAULT_RULES), board)
    blocks, paths = ["# What this changes"], []
    if lost:
        blocks += ["## Ranks that are lost", "\n".join(lost)]
    for entry in entries:
        if entry.key in touched:
            blocks += _entry(board, entry, old.get(entry.key))
            if entry.key in old:
                paths.append(f"{entry.key}/{ENTRY_FILE}")
    removed = old.keys() - {entry.key for entry in entries}
    blocks += [f"## Removed: {escaped(key)}" for key in sorted(removed)]
    if moved:
        blocks += ["## Ranks that move", "\n".join(moved)]
    for path in (*paths, REPORTED_FILE, NOTE_FILE):
        before, after = _content(base / path), _content(folder / path)
        diff = _unified(
            before.decode(errors="replace"), after.decode(errors="replace"), "before", "after", 1
        )
        if diff:
            blocks += [f"## Changed: {path}", f"```diff\n{diff}\n```"]
    if len(blocks) == 1:
        blocks.append("No change of scores or pages.")
    return "\n\n".join(blocks)


def _moved_ranks(before: Board, after: Board) -> tuple[list[str], list[str]]:
    """Return which rows of a board have no rank any more, and why; and the new ranks of others."""
    rows = {}
    for table in board_tables(after):
        for row in table.rows:
            rows[table.title, row.key] = row
    lost, moved = [], []
    for table in board_tables(before):
        steps = []
        for row in table.rows:
            now = rows.get((table.title, row.key))
            if row.rank is not None and (now is None or now.rank is None):
                cause = "is not in the table" if now is None else f"not ranked: {now.reasons[0]}"
                lost.append(f"- {escaped(f'{row.name}, rank {row.rank} ({table.title}): {cause}')}")
            elif now is not None and now.rank != row.rank:
                steps.append(f"{row.name} {shown_rank(row)} → {shown_rank(now)}")
        if steps:
            moved.append(f"- {escaped(f'{table.title}: ' + ', '.join(steps))}")
    return lost, moved


def _entry(board: Board, entry: Entry, old: Entry | None) -> Iterator[str]:
    heading = "Added" if old is None else "Changed"
    yield f"## {heading}: {escaped(entry.system.name)} ({tracks()[entry.system.track].title})"
    # First, as anyone can write one, and it may give a rank.
    for review in entry.system.review:
        if old is None or review not in old.system.review:
            says = escaped(f"{review.reviewer}: {review.reason}")
            yield f"**Adds a review** of the flag `{review.flag}` by {says}"
    yield entered_text(entry, board)
    row = row_of(board, entry)
    if row is not None and not raised_flags(row):
        yield "flags: none raised"
    missing = missing_facts(entry.system)
    if missing:
        yield f"{NOT_STATED}: {missing}"
    if old is not None:
        changed = score_mismatches(entry.key, old.scores, entry.scores)
        if changed:
            yield f"{counted(len(changed), 'figure')} of {SCORES_FILE} changed, the first:"
            yield f"```\n{mismatches_table(changed[:12])}\n```"


def _unified(old: str, new: str, before: str, after: str, context: int = 3) -> str:
    """Return how a text differs from an older one; empty if it does not."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), before, after, lineterm="", n=context
    )
    return "\n".join(lines)


# -------------------------------------------------------------------------- outdated files


def outdated(
    folder: Path, entries: Sequence[Entry], processes: int = 1
) -> tuple[dict[Path, str], list[str]]:
    """Return what of the stored files does not follow from the entries.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        processes: How many processes compare entries.

    Returns:
        Path -> how each page differs, empty where it is up to date; and what else is edited or
        missing.
    """
    board = read_board(folder, entries, DEFAULT_RULES)
    diffs, problems = {}, []
    for path, page in pages(folder, board).items():
        stored = path.read_bytes().decode(errors="replace") if path.exists() else ""
        diffs[path] = ""
        if stored != page:
            different = _unified(stored, page, str(path), "from submissions")
            diffs[path] = different or "only the ends of lines differ"
    missing = missing_pairs(board.pairs, entries)
    if missing:
        first = " and ".join(missing[0])
        lacks = f"lacks {len(missing)} of the entries' pairs as they are now, the first {first}"
        problems.append(f"{folder / PAIRS_FILE} {lacks}; run `mwz leaderboard`")
    problems += file_problems(entries)
    keys = {entry.key for entry in entries}
    for pair in pair_mismatches(board.pairs, entries, keys, processes):
        values = f"{pair.stored!r} is stored, and {pair.made!r} comes out"
        remedy = "remove the line of both, and run `mwz leaderboard`"
        problems.append(f"{pair.entry}: {pair.field}: {values}; {remedy}")
    return diffs, problems
