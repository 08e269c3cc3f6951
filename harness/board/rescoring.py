"""Entries scored again, in parallel, where predictions are available; and verified by it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from mwz.normalization import DEFAULT_RULES, package_versions

from ..benchmark import Benchmark
from ..data import find_file, load_further_gold, load_gold_states, loaded_once
from ..diagnosis import Diagnosis, diagnose
from ..errors import InputError, counted, cut
from ..io import escaped, markdown_table, read_plain, text_table
from ..metrics import GoldStates, response_metrics, result_keys
from ..scoring import Scorer, run
from .columns import shown_figures
from .entries import Entry, absent_packages, entry_problems, file_problems
from .entry_scores import Reading, score_entry
from .model import read_board
from .pairs import pair_mismatches, read_pairs
from .rows import NOTHING
from .scores import (
    SCORES_FILE,
    Mismatch,
    Scores,
    mismatches,
    score_mismatches,
    seed_file,
    signature_problems,
)
from .systems import Predictions
from .track import tracks
from .tracked import TrackedScores

_LONGEST_VALUE = 60
"""The characters that are shown of a value: some are marks of all dialogues."""


@dataclass(frozen=True)
class Rescored:
    """The result of scoring one entry again.

    Attributes:
        key: The entry's folder name.
        scores: Its new scores; None if they stay as they are.
        mismatches: The figures that differ.
        missing: Why it was not scored, if it was not.
        unverified: What was not scored again and stays as it is stored, with the reason.
        problems: Where it was verified: what is wrong with it, a sentence each.
    """

    key: str
    scores: Scores | None = None
    mismatches: tuple[Mismatch, ...] = ()
    missing: str | None = None
    unverified: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong, as far as it could be told."""
        return not self.problems and not self.mismatches


# --------------------------------------------------------------------------- their predictions


def find_predictions(entry: Entry, folders: Sequence[Path]) -> bytes | str:
    """Return an entry's (unpacked) predictions file, or the name of what the harness makes.

    Looked for in its folder, in the data directory, and in further folders, where a pinned file
    may lie under its path, as in a clone, or under its name; each may hold clones side by side.

    Args:
        entry: The entry.
        folders: Further folders to look in.

    Raises:
        InputError: They are nowhere, or not what is pinned.
    """
    predictions = entry.system.predictions
    by_harness = predictions.made or predictions.played
    if by_harness:
        return by_harness
    if predictions.unavailable is not None:
        raise InputError(entry.key, f"nobody can get its predictions ({predictions.unavailable})")
    if predictions.file is not None:
        return read_plain(entry.folder / predictions.file)
    pinned = predictions.pinned
    assert pinned is not None
    content, problems = find_file(pinned.path, folders, pinned)
    if content is not None:
        return content
    remedy = f"with --from FOLDER from clones that have {pinned.path}"
    absent = f"predictions not available: get them by `mwz data fetch --predictions`, {remedy}"
    raise InputError(entry.key, problems or absent)


# ------------------------------------------------------------------------------- scoring again


def rescore(
    entries: Sequence[Entry],
    benchmark: str | None = None,
    folders: Sequence[Path] = (),
    workers: int | str = 1,
    adds: bool = False,
) -> Iterator[Rescored]:
    """Score entries again, several at a time, and yield the result of each as it is done.

    Nothing is written.

    Args:
        entries: The entries to score.
        benchmark: Name of the benchmark; None for the one that each was scored on.
        folders: Folders to look for predictions in.
        workers: How many processes to use, or the address of a Dask scheduler.
        adds: Whether metrics of installed packages are added to entries that lack them.

    Raises:
        InputError: The benchmark that is named cannot be loaded.
    """
    groups: dict[str | None, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(benchmark or entry.benchmark, []).append(entry)
    for name, members in groups.items():
        try:
            loaded = loaded_once(name)
        except InputError as error:
            if benchmark is not None:
                raise
            for entry in members:
                yield _not_scored(entry, error)
            continue
        jobs = _jobs(members, loaded, folders, adds)
        for entry, outcome in zip(members, run(_rescored, jobs, loaded, workers), strict=True):
            if isinstance(outcome, InputError):
                yield _not_scored(entry, outcome)
            else:
                yield outcome


def diagnosed(entry: Entry, folders: Sequence[Path], scorer: Scorer) -> Diagnosis:
    """Return why an entry that responds loses points, under the default rule set.

    Args:
        entry: The entry.
        folders: Folders to look for its predictions in.
        scorer: Has the benchmark.

    Raises:
        InputError: The predictions are not available, or cannot be scored.
    """
    reading = Reading(scorer=scorer.with_options(placeholders=entry.system.aliases))
    content = find_predictions(entry, folders)
    outputs = tracks()[entry.system.track].read(content, entry.key, reading)
    return diagnose(outputs.responses.played)


def _jobs(
    entries: Sequence[Entry], benchmark: Benchmark, folders: Sequence[Path], adds: bool
) -> Iterator[tuple[Any, ...] | InputError]:
    """Yield the jobs of scoring entries again; where files cannot be read, the error.

    All files are read here: another machine may not have them.
    """
    further_gold = cache(lambda: load_further_gold(benchmark))
    for entry in entries:
        try:
            for package, version in absent_packages([entry]).items():
                reason = f"scored with {package} {version}, which is not installed"
                raise InputError(entry.key, f"{reason}; pip install {package}")
            predictions = entry.system.predictions
            content = predictions if predictions.played else find_predictions(entry, folders)
            result, gold = entry.scores.result, None
            if isinstance(result, TrackedScores) and result.gold == "version":
                gold = load_gold_states(result.gold_version or "", benchmark)
            # Further seeds: those that the entry's `scores.json` names, whether or not it can be
            # read otherwise, those in its folder, and those with a number below that of another.
            path = entry.folder / SCORES_FILE
            names = " ".join(file.name for file in entry.folder.glob(seed_file("*")))
            if path.is_file():
                names += path.read_text(encoding="utf-8", errors="replace")
            numbers = map(int, re.findall(seed_file("([0-9]+)").replace(".", r"\."), names))
            seeds = {}
            for number in range(2, 1 + max(numbers, default=1)):
                seeds[seed_file(number)] = read_plain(entry.folder / seed_file(number))
            golds, missing = further_gold()
            yield entry, content, gold, seeds, adds, golds, missing
        except InputError as error:
            yield error


def _not_scored(entry: Entry, error: InputError) -> Rescored:
    reason = "; ".join(error.problems)
    if error.source != entry.key:
        reason = f"{error.source}: {reason}"
    return Rescored(entry.key, missing=reason)


def _rescored(
    scorer: Scorer,
    entry: Entry,
    content: bytes | str | Predictions,
    gold: GoldStates | None,
    seeds: Mapping[str, bytes],
    adds: bool,
    further_gold: Sequence[GoldStates],
    missing: Sequence[str],
) -> Rescored:
    """Score an entry again; a tracker with the gold states that it was scored with.

    Args:
        scorer: Has the benchmark.
        entry: The entry.
        content: Its (unpacked) predictions file, or what the harness makes or plays.
        gold: The gold states that it was scored with, if they are a named version.
        seeds: Name -> predictions of further seeds.
        adds: As of `rescore`.
        further_gold: The further gold states that are installed.
        missing: The versions of them that are not.

    Raises:
        InputError: Its files cannot be scored, or it is not known with which gold states they were.
    """
    old, track = entry.scores, tracks()[entry.system.track]
    if track.kind == "states only" and old.result is None and isinstance(content, bytes):
        raise InputError(
            entry.key,
            "its scores cannot be read, so their gold states are unknown; submit it again with "
            "--replace",
        )
    without = []
    if not adds:
        # The metrics of installed packages that the stored scores have nothing of.
        stored: set[str] = set()
        for report in old.reports.values():
            stored |= report.metrics.keys()
        for name, metric in response_metrics().items():
            if package_versions(metrics=[metric]) and stored.isdisjoint(result_keys(metric)):
                without.append(name)
    reading = Reading(
        scorer=scorer.with_options(placeholders=entry.system.aliases),
        gold=old.result.gold_version if isinstance(old.result, TrackedScores) else None,
        gold_states=gold,
        free_running=entry.system.predictions.free_running,
        without=without,
    )
    outputs = track.read(content, entry.key, reading)
    seed_outputs = {}
    for name, seed_content in seeds.items():
        seed_outputs[name] = track.read(seed_content, f"{entry.key}, {name}", reading)
    new = score_entry(outputs, further_gold, seed_outputs)
    against, unverified = dict(new.further_gold), []
    # Of other predictions nothing stays.
    if old.predictions == new.predictions:
        for version in missing:
            if version in old.further_gold:
                against[version] = old.further_gold[version]
                reason = f"its figures against gold states {version}, which are not installed"
                unverified.append(reason)
    new = replace(new, further_gold=against)
    is_same = not mismatches(entry.key, "", old.to_dict(), new.to_dict())
    different = score_mismatches(entry.key, old, new)
    return Rescored(
        entry.key, None if is_same else new, tuple(different), unverified=tuple(unverified)
    )


def updated(entries: Sequence[Entry], outcomes: Sequence[Rescored]) -> list[Entry]:
    """Return all entries of a folder, with their new scores where there are any."""
    new_scores = {outcome.key: outcome.scores for outcome in outcomes}
    new = []
    for entry in entries:
        scores = new_scores.get(entry.key)
        if scores is None:
            new.append(entry)
        else:
            new.append(replace(entry, scores=scores, problems=()))
    return new


# ----------------------------------------------------------------------------------- verifying


def verify(
    entries: Sequence[Entry], chosen: Sequence[Entry], outcomes: Iterable[Rescored]
) -> list[Rescored]:
    """Say what is wrong with entries, by the results of scoring them again.

    Args:
        entries: All entries of the folder.
        chosen: Those to verify.
        outcomes: Their results, in any order.

    Returns:
        The outcomes with problems, in the order of the entries.
    """
    by_key = {outcome.key: outcome for outcome in outcomes}
    keys = {entry.key for entry in chosen}
    # Copies are a flag of the later entry: let that be one of those to verify.
    ordered = [entry for entry in entries if entry.key not in keys]
    ordered += chosen
    problems = entry_problems(ordered) + list(file_problems(chosen))
    different_pairs: list[Mismatch] = []
    for folder in {entry.folder.parent for entry in chosen}:
        different_pairs += pair_mismatches(read_pairs(folder, entries), entries, keys)
    verified = []
    for entry in chosen:
        outcome, prefix, wrong = by_key[entry.key], f"{entry.key}:", []
        for problem in problems:
            if problem.startswith(prefix):
                wrong.append(problem.removeprefix(prefix).lstrip())
        # What cannot be read is among the problems already.
        if entry.scores.is_scored and outcome.scores is not None:
            if entry.scores.predictions != outcome.scores.predictions:
                wrong.append("the predictions are not those that were scored")
            wrong += signature_problems(entry.scores, outcome.scores)
        different = list(outcome.mismatches)
        different += [mismatch for mismatch in different_pairs if mismatch.entry == entry.key]
        verified.append(replace(outcome, problems=tuple(wrong), mismatches=tuple(different)))
    return verified


def mismatches_table(mismatches: Sequence[Mismatch]) -> str:
    """Return mismatches as a table for people, numbers at full precision."""
    rows = []
    for mismatch in mismatches:
        row = [mismatch.field]
        for value in (mismatch.stored, mismatch.made):
            row.append("–" if value is None else cut(repr(value), _LONGEST_VALUE))
        rows.append(row)
    return text_table(["figure", "before", "after"], rows)


def verified_text(
    folder: Path, entries: Sequence[Entry], chosen: Sequence[Entry], outcomes: Sequence[Rescored]
) -> str:
    """Return in Markdown which figures of entries come out when they are scored again.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        chosen: Those to verify.
        outcomes: Their results.
    """
    if not chosen:
        return ""
    stored = read_board(folder, entries, DEFAULT_RULES)
    again = read_board(folder, updated(entries, outcomes), DEFAULT_RULES)
    blocks, edited = ["# Scored again"], []
    for outcome in verify(entries, chosen, outcomes):
        new, lines = {}, []
        for table, _, column, value in shown_figures(again, outcome.key):
            new[table.title, column.full_title] = value.text
        for table, row, column, value in shown_figures(stored, outcome.key):
            scored, verdict = new.get((table.title, column.full_title), NOTHING), "verified"
            if scored != value.text:
                edited.append(escaped(f"{column.full_title} {value.text}, scored {scored}"))
                verdict = f"**{escaped(scored)}**"
            if outcome.missing is not None or (row.further and outcome.unverified):
                verdict = "not verified"
            line = [escaped(table.title), escaped(column.full_title), escaped(value.text), verdict]
            lines.append(line)
        blocks.append(f"## {escaped(outcome.key)}")
        blocks.append(markdown_table(["Table", "Figure", "Stored", "Scored again"], lines))
        if outcome.mismatches:
            blocks.append(f"```\n{mismatches_table(outcome.mismatches[:12])}\n```")
        reasons = outcome.unverified if outcome.missing is None else (outcome.missing,)
        blocks += [f"- not verified: {escaped(reason)}" for reason in reasons]
        blocks += [f"- **{escaped(problem)}**" for problem in outcome.problems]
    if edited:
        verb = "was" if len(edited) == 1 else "were"
        says = f"{counted(len(edited), 'figure')} {verb} edited: {'; '.join(edited)}"
        blocks.insert(0, f"**{says}**")
    return "\n\n".join(blocks)
