"""Submitting: a predictions file becomes a folder of submissions/, in one step."""

from __future__ import annotations

import dataclasses
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import portalocker

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets
from mwz.normalization.rules.aliases import Aliases

from ..benchmark import Benchmark
from ..errors import InputError
from ..io.files import UNFINISHED, clear_scratch, is_plain_file, is_plain_folder, write_atomically
from ..metrics import headlines
from ..metrics.tracking.tracked_dialogues import GoldStates
from ..scoring import Options, Scorer, allowed_metrics
from ..submission import NormalizedSubmission, normalized_by_rules, parse_submission
from ..submission.formats import parse_predictions
from ..submission.plain_responses import human_submission
from . import TRACKS, track_problem
from .dialogue_scores import FIGURES, DialogueScores, totals_of
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
from .further_gold import submission_against
from .model import PAGES, rows
from .scores import SCORES_FILE, Scores, Seed, hashes_of, seed_file, seed_scores
from .tracking_scores import TrackingScores

_LOCK = ".lock"
_PATIENCE = 600
"""How many seconds to wait for another process to be done."""

# The names of what is cleared away if it is left behind: nothing else in the folder is ours.
_REPLACED = ".replaced"


def all_scores(
    content: bytes | str,
    benchmark: Benchmark,
    source: str,
    lexicalised: bool = False,
    aliases: Aliases | None = None,
    golds: Sequence[GoldStates] = (),
) -> Scores:
    """Score predictions with every metric they allow, under every published rule set.

    Args:
        content: An (unpacked) predictions file, or the name of a submission that is made.
        benchmark: The benchmark to score on.
        source: What error messages call the predictions.
        lexicalised: Whether the responses are plain English.
        aliases: The placeholders that they hold besides those of the rule sets.
        golds: Further gold states to compare predicted states with.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    scorer = Scorer(benchmark, Options(lexicalised=lexicalised, placeholders=aliases))
    normalized = _delexicalised if lexicalised else normalized_by_rules
    plain = normalized(content, benchmark, source)
    submissions, without = plain, None
    if aliases is not None:
        submissions = normalized_by_rules(content, benchmark, source, aliases)
        without = {
            rules: _figures_without(scorer.with_options(rules=rules), submission)
            for rules, submission in plain.items()
        }
    reports = {
        rules: scorer.with_options(
            rules=rules, metrics=allowed_metrics(submission)
        ).score_normalized(submission)
        for rules, submission in submissions.items()
    }
    return Scores(
        reports,
        # The same outputs are the same, whatever their placeholders are read as.
        hashes_of(content, plain[DEFAULT_RULES].said()) if isinstance(content, bytes) else None,
        dialogues=_dialogues(scorer, submissions[DEFAULT_RULES]),
        without_placeholders=without,
        further_gold=submission_against(submissions[DEFAULT_RULES], benchmark, golds),
    )


def _figures_without(scorer: Scorer, submission: NormalizedSubmission) -> dict[str, float]:
    """Return the strict figures of a submission whose aliases are unknown placeholders."""
    plain = scorer.with_options(placeholders=None, metrics=["bleu", "inform"], setup="strict")
    report = plain.score_normalized(submission)
    return {name: headlines()[name].value(report, "strict") or 0.0 for name in FIGURES}


def with_seeds(
    scores: Scores,
    seeds: Sequence[tuple[str, bytes]],
    benchmark: Benchmark,
    aliases: Aliases | None = None,
) -> Scores:
    """Return the scores of a system with what further seeds of it score.

    Args:
        scores: What the system scores.
        seeds: What messages call each seed's predictions, and these, unpacked.
        benchmark: The benchmark to score on.
        aliases: The placeholders that the responses hold besides those of the rule sets.

    Raises:
        InputError: The predictions of a seed are no submission to the benchmark, are there twice,
            or do not compare with the system's.
    """
    from .measuring import measured_seed

    if scores.dialogues is None:
        raise InputError("--seeds", "BLEU, Inform and Success of the system are not known")
    found: list[Seed] = []
    known = {None if scores.predictions is None else scores.predictions.content}
    for number, (source, content) in enumerate(seeds, start=2):
        seed = measured_seed(content, benchmark, source, seed_file(number), aliases)
        if seed.predictions.content in known:
            raise InputError(source, "is there twice; give the outputs of each seed once")
        known.add(seed.predictions.content)
        verdict = scores.main.signature.comparable_with(seed.signature, apart_from=("coverage",))
        if not verdict:
            reasons = [f"cannot be a seed of the system: {reason}" for reason in verdict.reasons]
            raise InputError(source, reasons)
        found.append(seed)
    kept = seed_scores(totals_of(scores.dialogues.outcomes), found)
    return dataclasses.replace(scores, seeds=kept)


def _dialogues(scorer: Scorer, submission: NormalizedSubmission) -> DialogueScores | None:
    """Return what is scored dialogue by dialogue; None where a metric that it takes is not."""
    from .measuring import MEASURED, dialogue_scores

    if not set(MEASURED) <= set(allowed_metrics(submission)):
        return None
    return dialogue_scores(scorer, submission)


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
    seeds: Sequence[bytes] = (),
) -> Entry:
    """Write an entry's folder: all of it or nothing, whenever this is interrupted.

    Args:
        folder: The folder of all entries.
        system: What the system is; where its predictions are is filled in.
        content: The (unpacked) predictions file.
        scores: What it scores; in the track for state tracking, what the tracker does.
        replace: Whether to replace an entry of the same name.
        seeds: The (unpacked) predictions of further seeds, those of `scores.seeds`.

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
    files = _files(placed, content, scores, seeds)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            target = folder / name
            if not replace:
                refuse_existing(target)
            if is_plain_folder(target) and _is_made(read_system(target / ENTRY_FILE)):
                raise InputError(str(target), "is made by the harness and cannot be replaced")
            others = [other for other in read_entries(folder) if other.folder != target]
            scratch = Path(tempfile.mkdtemp(UNFINISHED, f".{name}.", folder)) / name
            try:
                scratch.mkdir()
                for file, data in files.items():
                    write_atomically(scratch / file, data)
                # What cannot be ranked would leave the folder without a leaderboard.
                for ranked in published_rule_sets():
                    rows([*others, _entry(scratch, placed, scores)], ranked)
                _put(scratch, target)
            finally:
                recover(folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    return _entry(target, placed, scores)


def _files(
    system: System, content: bytes, scores: Scores | TrackingScores, seeds: Sequence[bytes]
) -> dict[str, bytes]:
    """Return name -> content of the files of an entry's folder."""
    # No time stamp: the same predictions are the same bytes.
    packed = {PREDICTIONS_FILE: content}
    packed |= {seed_file(number): seed for number, seed in enumerate(seeds, start=2)}
    texts = {ENTRY_FILE: system_text(system), SCORES_FILE: scores.to_text()}
    if isinstance(scores, Scores):
        texts |= scores.beside()
    return {
        **{name: text.encode() for name, text in texts.items()},
        **{name: gzip.compress(one, mtime=0) for name, one in packed.items()},
    }


def _is_made(system: System) -> bool:
    return system.predictions.by_harness or not TRACKS[system.track].submitted


def _entry(folder: Path, system: System, scores: Scores | TrackingScores) -> Entry:
    if isinstance(scores, Scores):
        return Entry(folder, system, scores)
    return Entry(folder, system, Scores({}, scores.predictions), tracking=scores)


def refuse_existing(target: Path) -> None:
    """Refuse to take the place of what is there already.

    Args:
        target: The folder of the entry to be.

    Raises:
        InputError: There is an entry of that name, or something else.
    """
    if is_plain_folder(target):
        raise InputError(str(target), "there is an entry of that name; use another, or --replace")
    if os.path.lexists(target):
        raise InputError(str(target), "is no folder of an entry; remove it, or --replace it")


def _put(new: Path, target: Path) -> None:
    """Move a folder to a place; what was there is then where the folder was, or set aside.

    Raises:
        OSError: It cannot be moved.
    """
    if not os.path.lexists(target):
        new.rename(target)
    elif not _exchanged(new, target):
        # Two steps, between which there is nothing: only where the system has no other way.
        target.rename(_set_aside(target))
        new.rename(target)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two files or folders in one step; return whether the system can do that."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    here = -100  # AT_FDCWD: paths are from the working directory
    exchange = 2  # RENAME_EXCHANGE
    failed: int = rename(here, os.fsencode(one), here, os.fsencode(other), exchange)
    return not failed


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder of submissions: one process at a time writes to it.

    Raises:
        InputError: The folder cannot be written, or another process does not let go of it.
    """
    path = folder / _LOCK
    try:
        if os.path.lexists(path) and not is_plain_file(path):
            # A link would have another file made, and a pipe would never be opened.
            _remove(path)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written ({error.strerror})") from None
    lock = portalocker.Lock(str(path), timeout=_PATIENCE)
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
    for place in (folder, *filter(is_plain_folder, folder.iterdir())):
        for left in place.glob(f".*{UNFINISHED}"):
            _remove(left)
    for left in folder.glob(f".*{_REPLACED}"):
        original = folder / left.name.removeprefix(".").removesuffix(_REPLACED)
        if is_plain_folder(left) and not os.path.lexists(original):
            left.rename(original)
        else:
            _remove(left)
    for page in PAGES:
        clear_scratch(folder.absolute().parent / page)


def write_files(folder: Path, files: Mapping[Path, str]) -> None:
    """Write scores and pages, each of them whole; call it with the folder locked.

    Between two of them the process may be killed: `mwz leaderboard --check` tells.

    Args:
        folder: The folder of submissions.
        files: Path -> content, in the order in which they are written.

    Raises:
        InputError: A file cannot be written.
    """
    inside = folder.absolute()
    own_pages = {inside.parent / page for page in PAGES}

    def is_own(path: Path) -> bool:
        return path.absolute() in own_pages or inside in path.absolute().parents

    for path in files:
        if is_own(path) and path.parent.is_symlink():
            raise InputError(str(path.parent), "is a symbolic link; put the folder itself there")
    for path, content in files.items():
        # A page that the user named may be a link, or a device.
        write_atomically(path, content, follow=not is_own(path))


def _remove(path: Path) -> None:
    """Remove whatever is there, if anything; what a link leads to stays."""
    if is_plain_folder(path):
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _set_aside(target: Path) -> Path:
    return target.with_name(f".{target.name}{_REPLACED}")
