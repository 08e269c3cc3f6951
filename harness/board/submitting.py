"""Submitting: a predictions file becomes a folder of submissions/, in one step."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import portalocker

from mwz.normalization.rules import published_rule_sets

from ..benchmark import Benchmark
from ..errors import InputError
from ..files import write_atomically
from ..formats import parse_predictions
from ..grounding.plain_responses import human_submission
from ..scoring import Options, Scorer, allowed_metrics
from ..submission import NormalizedSubmission, normalized_by_rules, parse_submission
from .entries import (
    ENTRY_FILE,
    PREDICTIONS_FILE,
    Entry,
    Predictions,
    System,
    folder_name,
    read_entries,
    read_system,
    system_text,
)
from .leaderboard import rows
from .scores import SCORES_FILE, Scores, hashes_of
from .tracking_scores import TrackingScores
from .tracks import TRACKS, track_problem

_LOCK = ".lock"
_PATIENCE = 600
"""How many seconds to wait for another process to be done."""

# The names of what is cleared away if it is left behind: nothing else in the folder is ours.
_UNFINISHED = ".unfinished"
_REPLACED = ".replaced"


def all_scores(
    content: bytes | str, benchmark: Benchmark, source: str, lexicalised: bool = False
) -> Scores:
    """Score predictions with every metric they allow, under every published rule set.

    Args:
        content: An (unpacked) predictions file, or the name of a submission that is made.
        benchmark: The benchmark to score on.
        source: What error messages call the predictions.
        lexicalised: Whether the responses are plain English.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    scorer = Scorer(benchmark, Options(lexicalised=lexicalised))
    reports = {}
    normalized = _delexicalised if lexicalised else normalized_by_rules
    for rules, submission in normalized(content, benchmark, source).items():
        metrics = allowed_metrics(submission)
        reports[rules] = scorer.with_options(rules=rules, metrics=metrics).score_normalized(
            submission
        )
    return Scores(reports, hashes_of(content) if isinstance(content, bytes) else None)


def _delexicalised(
    content: bytes | str, benchmark: Benchmark, source: str
) -> dict[str, NormalizedSubmission]:
    """Return published rule set -> submission in plain English, delexicalised and normalised."""
    submission = (
        human_submission(benchmark)
        if isinstance(content, str)
        else parse_submission(parse_predictions(content, source), benchmark, source)
    )
    scorer = Scorer(benchmark, Options(lexicalised=True))
    return {
        rules: scorer.with_options(rules=rules).normalized(submission)
        for rules in published_rule_sets()
    }


def submit(
    folder: Path,
    system: System,
    content: bytes,
    scores: Scores | TrackingScores,
    replace: bool = False,
) -> Entry:
    """Write an entry's folder: all of it or nothing, whenever this is interrupted.

    Args:
        folder: The folder of all entries.
        system: What the system is; where its predictions are is filled in.
        content: The (unpacked) predictions file.
        scores: What it scores; in the track for state tracking, what the tracker does.
        replace: Whether to replace an entry of the same name.

    Raises:
        InputError: There is an entry of that name already, its scores do not compare with
            those of the others, or the folder cannot be written.
    """
    name = folder_name(system.name)
    if isinstance(scores, Scores):
        problem = track_problem(system.track, scores.main.states, system.note)
        if problem is not None:
            raise InputError("--track", problem)
    placed = system.model_copy(update={"predictions": Predictions(file=PREDICTIONS_FILE)})
    files = {
        ENTRY_FILE: system_text(placed).encode(),
        SCORES_FILE: scores.to_text().encode(),
        # No time stamp: the same predictions are the same bytes.
        PREDICTIONS_FILE: gzip.compress(content, mtime=0),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            target = folder / name
            if target.exists() and not replace:
                raise InputError(
                    str(target), "there is an entry of that name; use another, or --replace"
                )
            if target.exists() and _is_made(read_system(target / ENTRY_FILE)):
                raise InputError(str(target), "is made by the harness and cannot be replaced")
            others = [other for other in read_entries(folder) if other.folder != target]
            scratch = Path(tempfile.mkdtemp(_UNFINISHED, f".{name}.", folder)) / name
            try:
                scratch.mkdir()
                for file, data in files.items():
                    write_atomically(scratch / file, data)
                # What cannot be ranked would leave the folder without a leaderboard.
                for ranked in published_rule_sets():
                    rows([*others, _entry(scratch, placed, scores)], ranked)
                if target.exists():
                    target.rename(_set_aside(target))
                scratch.rename(target)
            finally:
                recover(folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    return _entry(target, placed, scores)


def _is_made(system: System) -> bool:
    return system.predictions.by_harness or not TRACKS[system.track].submitted


def _entry(folder: Path, system: System, scores: Scores | TrackingScores) -> Entry:
    if isinstance(scores, Scores):
        return Entry(folder, system, scores)
    return Entry(folder, system, Scores({}, scores.predictions), tracking=scores)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder of submissions: one process at a time writes to it.

    Raises:
        InputError: The folder cannot be written, or another process does not let go of it.
    """
    lock = portalocker.Lock(str(folder / _LOCK), timeout=_PATIENCE)
    try:
        lock.acquire()
        recover(folder)
    except portalocker.LockException:
        raise InputError(
            str(folder),
            "cannot be locked; if another process is writing to it, try again when that is done",
        ) from None
    except OSError as error:
        lock.release()
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    try:
        yield
    finally:
        lock.release()


def recover(folder: Path) -> None:
    """Clear away what an interrupted process left; call it with the folder locked.

    A submission that was set aside comes back if the one that replaces it is not there.

    Raises:
        OSError: The folder cannot be written.
    """
    for left in folder.glob(f".*{_UNFINISHED}"):
        shutil.rmtree(left)
    for left in folder.glob(f".*{_REPLACED}"):
        original = folder / left.name.removeprefix(".").removesuffix(_REPLACED)
        if original.exists():
            shutil.rmtree(left)
        else:
            left.rename(original)


def _set_aside(target: Path) -> Path:
    return target.with_name(f".{target.name}{_REPLACED}")
