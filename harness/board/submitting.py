"""Submitting: a predictions file becomes a folder of submissions/, in one step."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import portalocker

from mwz.normalization.states import RULE_SET_NAMES

from ..benchmark import Benchmark
from ..errors import InputError
from ..files import write_atomically
from ..scoring import METRICS, Options, score_normalized
from ..submission import NormalizedSubmission, normalized_by_rules
from .entries import (
    PREDICTIONS_FILE,
    SCORES_FILE,
    SYSTEM_FILE,
    Entry,
    Predictions,
    System,
    folder_name,
    parse_scores,
    read_entries,
    scores_text,
    system_text,
)
from .leaderboard import rows

_LOCK = ".lock"
_PATIENCE = 600
"""How many seconds to wait for another process to be done."""

# The names of what is cleared away if it is left behind: nothing else in the folder is ours.
_UNFINISHED = ".unfinished"
_REPLACED = ".replaced"


def all_reports(
    content: bytes | str, benchmark: Benchmark, source: str
) -> dict[str, dict[str, Any]]:
    """Score predictions with every metric they allow, under every rule set.

    Args:
        content: An (unpacked) predictions file, or the reference style to score as a system.
        benchmark: The benchmark to score on.
        source: What error messages call the predictions.

    Returns:
        Rule set -> report.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    reports = {}
    for rules, submission in normalized_by_rules(content, benchmark, source).items():
        options = Options(rules=rules, metrics=_allowed_metrics(submission))
        reports[rules] = score_normalized(submission, benchmark, options).to_dict()
    return reports


def _allowed_metrics(submission: NormalizedSubmission) -> list[str]:
    return [metric for metric in METRICS if metric != "dst" or submission.predicts_states]


def submit(
    folder: Path,
    system: System,
    content: bytes,
    reports: Mapping[str, Mapping[str, Any]],
    rules: str,
    replace: bool = False,
) -> Entry:
    """Write a submission's folder: all of it or nothing, whenever this is interrupted.

    Args:
        folder: The folder of all submissions.
        system: What the system is; where its predictions are is filled in.
        content: The (unpacked) predictions file.
        reports: Rule set -> report.
        rules: The rule set whose report comes first.
        replace: Whether to replace a submission of the same name.

    Raises:
        InputError: There is a submission of that name already, its scores do not compare with
            those of the others, or the folder cannot be written.
    """
    name = folder_name(system.name)
    placed = system.model_copy(update={"predictions": Predictions(file=PREDICTIONS_FILE)})
    scores = scores_text(reports, rules, content).encode()
    files = {
        SYSTEM_FILE: system_text(placed).encode(),
        SCORES_FILE: scores,
        # No time stamp: the same predictions are the same bytes.
        PREDICTIONS_FILE: gzip.compress(content, mtime=0),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            target = folder / name
            if target.exists() and not replace:
                raise InputError(
                    str(target), "there is a submission of that name; use another, or --replace"
                )
            entry = Entry(target, placed, parse_scores(scores, SCORES_FILE))
            # What cannot be ranked would leave the folder without a leaderboard.
            others = [other for other in read_entries(folder) if other.folder != target]
            for ranked in RULE_SET_NAMES:
                rows([*others, entry], ranked)
            scratch = Path(tempfile.mkdtemp(_UNFINISHED, f".{name}.", folder))
            try:
                os.chmod(scratch, 0o755)
                for file, data in files.items():
                    write_atomically(scratch / file, data)
                if target.exists():
                    target.rename(_set_aside(target))
                scratch.rename(target)
            finally:
                recover(folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    return entry


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
