"""Scoring entries again, in parallel, from whatever predictions are at hand."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..benchmark import Benchmark
from ..data.declared import blob_id, safe_path
from ..data.installed import downloads_directory, loaded_once
from ..errors import InputError
from ..io.files import read_bytes, read_plain, to_json
from ..io.rendering import text_table
from ..scoring import Options, Scorer
from ..scoring.execution import Job, run
from ..scoring.relexicalising import lexicalised_predictions
from ..scoring.report import Report
from ..signature import Signature
from ..submission import parse_submission
from ..submission.formats import parse_predictions
from ..tracking.tracking_figures import COUNTS, FIGURES
from . import LEXICALISED, STATE_TRACKING
from .dialogue_scores import totals_of
from .entries import Entry, read_entry
from .model import rows
from .scores import SCORES_FILE, SEEDS_FILE, WITHOUT, Scores, SeedScores, seed_file, seed_scores
from .submitting import all_scores
from .tracking_scores import TrackingScores, score_tracker, with_further_gold

if TYPE_CHECKING:
    from ..metrics.tracking.tracked_dialogues import GoldStates

_AnyScores = TypeVar("_AnyScores", Scores, TrackingScores)


@dataclass(frozen=True)
class Change:
    """A figure, or a word beside the figures, that came out differently.

    Attributes:
        rules: The rule set it was computed under; or the track for state tracking, or "gold" and
            the version of the gold states.
        figure: Where it stands in the report, such as "strict.inform.total".
        before: Its value before; None if there was none.
        after: Its value now; None if there is none any more.
    """

    rules: str
    figure: str
    before: float | str | None
    after: float | str | None

    @property
    def difference(self) -> str:
        """After minus before, with its sign; "new" or "gone" where one of them is missing."""
        if self.before is None:
            return "new"
        if self.after is None:
            return "gone"
        if isinstance(self.before, str) or isinstance(self.after, str):
            return "other"
        return f"{self.after - self.before:+.4g}"


@dataclass(frozen=True)
class Rescored:
    """The outcome of scoring one entry again.

    Attributes:
        key: The entry's folder name.
        scores: Its new scores; None if they stay as they are.
        changes: The figures that differ.
        problem: Why it was not scored, if it was not.
        unverified: What was not scored again and stays as it is stored, with the reason.
    """

    key: str
    scores: Scores | TrackingScores | None
    changes: tuple[Change, ...]
    problem: str | None
    unverified: tuple[str, ...] = ()


def changes_table(changes: Sequence[Change]) -> str:
    """Return changes as a table for people, at full precision."""
    rows = [[c.rules, c.figure, _shown(c.before), _shown(c.after), c.difference] for c in changes]
    return text_table(["rules", "figure", "before", "after", "difference"], rows)


def _shown(value: float | str | None) -> str:
    return "–" if value is None else repr(value)


def find_predictions(entry: Entry, folders: Sequence[Path]) -> bytes | str:
    """Return an entry's (unpacked) predictions file, or the name of a submission that is made.

    Looked for in its folder, in the data directory, and in further folders, where a pinned file
    may lie under its path, as in a clone, or under its name; each may hold clones side by side.

    Args:
        entry: The entry.
        folders: Further folders to look in.

    Raises:
        InputError: They are nowhere, or not what is pinned.
    """
    predictions = entry.system.predictions
    if predictions.made is not None:
        return predictions.made
    if predictions.lexicalised is not None:
        return _lexicalised(entry, predictions.lexicalised, predictions.seed or 0, folders)
    if predictions.unavailable is not None:
        raise InputError(entry.key, f"nobody can get its predictions ({predictions.unavailable})")
    if predictions.file is not None:
        return read_plain(entry.folder / predictions.file)
    pinned = predictions.pinned
    if pinned is None:
        raise InputError(entry.key, "names no predictions")
    places = [safe_path(downloads_directory(), pinned.place)]
    clones = [clone for folder in folders for clone in (folder, *_subfolders(folder))]
    places += [clone / pinned.path for clone in clones]
    places += [folder / Path(pinned.path).name for folder in folders]
    wrong = []
    # Of a name that is too long for a file system pathlib raises an error.
    for place in filter(os.path.isfile, places):
        content = read_bytes(place)
        if blob_id(content) == pinned.blob:
            return content
        wrong.append(f"{place} is not the pinned file (git blob {pinned.blob})")
    raise InputError(
        entry.key,
        wrong
        or "predictions not at hand; `mwz data fetch --predictions`, or name a folder that has "
        f"{pinned.path} by --predictions",
    )


def _subfolders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir())


def _lexicalised(entry: Entry, base: str, seed: int, folders: Sequence[Path]) -> bytes:
    """Return the predictions of another entry in plain English, as the harness writes them.

    Raises:
        InputError: The other entry is not there or has no placeholders, or its predictions are
            not at hand.
    """
    folder = entry.folder.parent / base
    if not folder.is_dir():
        raise InputError(entry.key, f"there is no entry {base} to lexicalise")
    other = read_entry(folder)
    if other.system.track in (LEXICALISED, STATE_TRACKING):
        raise InputError(entry.key, f"{base} has no placeholders to fill")
    content = find_predictions(other, folders)
    if isinstance(content, str):
        raise InputError(entry.key, f"{base} is made by the harness; name a system")
    benchmark = loaded_once(_benchmark_of(entry) or _benchmark_of(other))
    submission = parse_submission(parse_predictions(content, base), benchmark, base)
    scorer = Scorer(benchmark, Options(placeholders=other.system.aliases))
    written = lexicalised_predictions(submission, scorer, seed)
    return to_json(written.dialogues).encode()


def rescore(
    entries: Sequence[Entry],
    benchmark: str | None,
    folders: Sequence[Path],
    workers: int,
    progress: Callable[[Iterable[Rescored]], Iterable[Rescored]],
    scheduler: str | None = None,
    notify: Callable[[str], None] = lambda remark: None,
) -> list[Rescored]:
    """Score entries again, several at a time; `rescored_entries` has what changed.

    Args:
        entries: The entries to score.
        benchmark: Name of the benchmark; None for the one that each was scored on.
        folders: Folders to look for predictions in.
        workers: How many processes to use.
        progress: Wraps the outcomes as they come, to show how far things are.
        scheduler: The address of a Dask scheduler, whose cluster scores.
        notify: Called with a remark if a process was killed.

    Raises:
        InputError: The benchmark that is named cannot be loaded.
    """
    if benchmark is not None:
        loaded_once(benchmark)
    coming = _outcomes(entries, benchmark, folders, workers, scheduler, notify)
    found = {one.key: one for one in progress(coming)}
    return [found[entry.key] for entry in entries]


def rescored_entries(
    entries: Sequence[Entry], outcomes: Sequence[Rescored], rules: str
) -> list[Entry]:
    """Return the entries with their new scores, unless they would no longer compare.

    Args:
        entries: All entries of the folder.
        outcomes: Their outcomes, in the same order.
        rules: The rule set that they are to be ranked under.

    Raises:
        InputError: Some would have no scores under the rule set, or scores that do not compare.
    """
    updated = [_updated(entry, outcome) for entry, outcome in zip(entries, outcomes, strict=True)]
    try:
        rows(updated, rules)
    except InputError as error:
        raise InputError("no scores are written", error.problems) from None
    return updated


def rescored_files(entries: Sequence[Entry], outcomes: Sequence[Rescored]) -> dict[Path, str]:
    """Return path -> content of every file of scores that is to be written anew.

    Args:
        entries: All entries of the folder.
        outcomes: Their outcomes, in the same order.
    """
    files: dict[Path, str] = {}
    for entry, outcome in zip(entries, outcomes, strict=True):
        if isinstance(outcome.scores, Scores):
            beside = outcome.scores.beside()
            files |= {entry.folder / name: text for name, text in beside.items()}
        # Last: old scores are scored again, should the process be killed in between.
        if outcome.scores is not None:
            files[entry.folder / SCORES_FILE] = outcome.scores.to_text()
    return files


def _updated(entry: Entry, outcome: Rescored) -> Entry:
    """Return an entry with its new scores, if it has any."""
    scores = outcome.scores
    if scores is None:
        return entry
    if isinstance(scores, Scores):
        return replace(entry, scores=scores, problems=())
    return replace(entry, scores=Scores({}, scores.predictions), tracking=scores, problems=())


def _benchmark_of(entry: Entry) -> str | None:
    """Return the benchmark that an entry was scored on; None, the default one, if not known."""
    if entry.tracking is not None:
        return entry.tracking.signature.benchmark
    return entry.scores.main.benchmark if entry.scores.reports else None


@dataclass(frozen=True)
class _Inputs:
    """What scoring an entry again reads from files.

    Attributes:
        content: The predictions file, unpacked, or the name of a submission that is made.
        gold: The gold states that a tracker was scored with, if they are a named version.
        seeds: Name -> predictions of further seeds; None if there are no seeds.
        further_gold: The further gold states that are installed.
        missing: The versions of them that are not.
    """

    content: bytes | str
    gold: GoldStates | None
    seeds: Mapping[str, bytes] | None
    further_gold: Sequence[GoldStates]
    missing: Sequence[str]


def _outcomes(
    entries: Sequence[Entry],
    benchmark: str | None,
    folders: Sequence[Path],
    workers: int,
    scheduler: str | None,
    notify: Callable[[str], None],
) -> Iterator[Rescored]:
    """Yield what comes of entries, those of one benchmark after those of another."""
    groups: dict[str | None, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(benchmark or _benchmark_of(entry), []).append(entry)
    for name, members in groups.items():
        try:
            loaded = loaded_once(name)
        except InputError as error:
            yield from (_not_scored(entry, error) for entry in members)
            continue
        jobs = _jobs(members, loaded, folders)
        for number, one in run(_rescored, jobs, loaded, workers, scheduler, notify):
            yield _not_scored(members[number], one) if isinstance(one, InputError) else one


def _jobs(entries: Sequence[Entry], benchmark: Benchmark, folders: Sequence[Path]) -> Iterator[Job]:
    """Yield the jobs of scoring entries again; where files cannot be read, with the error."""
    from ..data.gold_states import load_further_gold, load_gold_states

    further_gold = cache(lambda: load_further_gold(benchmark))
    for entry in entries:
        inputs: _Inputs | InputError
        try:
            content = find_predictions(entry, folders)
            gold = None
            if entry.tracking is not None and entry.tracking.gold.whose == "version":
                gold = load_gold_states(entry.tracking.gold.version or "", benchmark)
            inputs = _Inputs(content, gold, _seed_files(entry), *further_gold())
        except InputError as error:
            inputs = error
        yield Job(entry.key, (entry, inputs))


def _not_scored(entry: Entry, error: InputError) -> Rescored:
    about = "" if error.source == entry.key else f"{error.source}: "
    return Rescored(entry.key, None, (), about + "; ".join(error.problems))


def _rescored(scorer: Scorer, entry: Entry, inputs: _Inputs | InputError) -> Rescored:
    """Score an entry again.

    Raises:
        InputError: Its files could not be read, or cannot be scored.
    """
    if isinstance(inputs, InputError):
        raise inputs
    benchmark = scorer.benchmark
    if entry.system.track == STATE_TRACKING:
        return _rescored_tracker(entry, inputs, benchmark)
    lexicalised = entry.system.track == LEXICALISED
    scores = all_scores(
        inputs.content,
        benchmark,
        entry.key,
        lexicalised,
        entry.system.aliases,
        inputs.further_gold,
    )
    scores = replace(scores, seeds=_seeds(entry, scores, benchmark, inputs.seeds))
    scores, unverified = _with_kept(entry.scores, scores, inputs.missing)
    changes = (
        *(
            change
            for rules, report in scores.reports.items()
            for change in _changes(rules, entry.scores.under(rules), report)
        ),
        *_without_changes(entry.scores, scores),
        *_further_changes(entry.scores, scores),
    )
    if not changes and _is_current(entry.scores, scores):
        return Rescored(entry.key, None, (), None, unverified)
    return Rescored(entry.key, scores, changes, None, unverified)


def _with_kept(
    old: _AnyScores, new: _AnyScores, missing: Sequence[str]
) -> tuple[_AnyScores, tuple[str, ...]]:
    """Return scores with what is stored against gold states that are not installed.

    Args:
        old: What is stored. Of an edited file, or of other predictions, nothing is kept.
        new: The scores anew.
        missing: The versions that are not installed.

    Returns:
        The scores, and what of them is kept, with the reason.
    """
    if not old.intact or old.predictions != new.predictions:
        return new, ()
    kept = {
        version: old.further_gold[version] for version in missing if version in old.further_gold
    }
    told = tuple(f"its figures against gold states {v}, which are not installed" for v in kept)
    return replace(new, further_gold={**new.further_gold, **kept}), told


def _further_changes(old: _AnyScores, new: _AnyScores) -> Iterator[Change]:
    """Yield the figures that differ; against gold states that were not there before, none."""
    for version, by_choice in new.further_gold.items():
        if version in old.further_gold:
            before, after = (
                {
                    f"{choice}.{name}": getattr(one, name)
                    for choice, one in figures.items()
                    for name in (*FIGURES.values(), *COUNTS)
                }
                for figures in (old.further_gold[version], by_choice)
            )
            yield from _differing(f"gold {version}", before, after)


def further_signatures(scores: Scores | TrackingScores) -> dict[tuple[str, str], Signature]:
    """Return version and choice -> signature, of the figures against further gold states."""
    return {
        (version, choice): figures.signature
        for version, by_choice in scores.further_gold.items()
        for choice, figures in by_choice.items()
    }


def _has_further_signatures(old: _AnyScores, new: _AnyScores) -> bool:
    return further_signatures(old) == further_signatures(new)


def _seed_files(entry: Entry) -> dict[str, bytes] | None:
    """Return name -> content of the predictions of further seeds; None if there are no seeds.

    Raises:
        InputError: A file cannot be read.
    """
    if not (entry.folder / SEEDS_FILE).exists():
        return None
    paths = entry.folder.glob(seed_file("*"))
    return {path.name: read_plain(path) for path in paths if path.is_file()}


def _seeds(
    entry: Entry, scores: Scores, benchmark: Benchmark, at_hand: Mapping[str, bytes] | None
) -> SeedScores | None:
    """Score the further seeds of an entry again; those that are not at hand stay as they are.

    Args:
        entry: The entry.
        scores: What it scores itself, anew.
        benchmark: The benchmark to score on.
        at_hand: What `_seed_files` returned.

    Raises:
        InputError: Some are not at hand, and what is stored of them cannot be used.
    """
    from .measuring import measured_seed

    kept = entry.scores.seeds
    known = {} if kept is None or not kept.intact else {seed.file: seed for seed in kept.seeds}
    if scores.dialogues is None or at_hand is None:
        return None
    files = sorted({*known, *at_hand}, key=lambda name: (len(name), name))
    named = {seed.file for seed in kept.seeds} if kept is not None else set()
    if not files or named - set(files):
        raise InputError(
            entry.key, f"{SEEDS_FILE} cannot be used, and its predictions are not at hand"
        )
    seeds = [
        measured_seed(at_hand[name], benchmark, f"{entry.key}, {name}", name, entry.system.aliases)
        if name in at_hand
        else known[name]
        for name in files
    ]
    return seed_scores(totals_of(scores.dialogues.outcomes), seeds)


def _rescored_tracker(entry: Entry, inputs: _Inputs, benchmark: Benchmark) -> Rescored:
    """Score a tracker again, with the gold states that it was scored with, and further ones.

    Raises:
        InputError: The predictions are no file of states, or it is not known with which gold
            states they were scored, or these are not at hand.
    """
    old, content, gold = entry.tracking, inputs.content, inputs.gold
    if old is None and isinstance(content, bytes):
        raise InputError(
            entry.key,
            "its scores cannot be read, so that nobody knows with which gold states they were "
            "made; submit it again with --replace",
        )
    own = None if old is None or old.gold.whose != "file" else old.gold.version
    load_gold = None if gold is None else lambda: gold
    scores = score_tracker(content, entry.key, lambda ids: benchmark, load_gold, own)
    scores = with_further_gold(scores, content, entry.key, benchmark, inputs.further_gold)
    if old is None:
        return Rescored(entry.key, scores, (), None)
    scores, unverified = _with_kept(old, scores, inputs.missing)
    changes = tuple(
        _differing(
            STATE_TRACKING,
            dict(_figures("", old.report.to_dict())),
            dict(_figures("", scores.report.to_dict())),
        )
    )
    changes += tuple(_further_changes(old, scores))
    same = (old.intact, old.signature, old.coverage, old.predictions) == (
        True,
        scores.signature,
        scores.coverage,
        scores.predictions,
    ) and _has_further_signatures(old, scores)
    kept = None if same and not changes else scores
    return Rescored(entry.key, kept, changes, None, unverified)


def _is_current(old: Scores, new: Scores) -> bool:
    """Whether stored scores have the signatures of new ones, the hashes, and each dialogue's."""
    return (
        old.intact
        and old.predictions == new.predictions
        and _signatures(old) == _signatures(new)
        and has_dialogues_of(old, new)
        and has_seeds_of(old, new)
        and _has_further_signatures(old, new)
    )


def has_seeds_of(old: Scores, new: Scores) -> bool:
    """Whether what is stored of further seeds is what comes out anew."""
    if old.seeds is None or new.seeds is None:
        return old.seeds is new.seeds
    return old.seeds.intact and old.seeds.is_as(new.seeds)


def has_dialogues_of(old: Scores, new: Scores) -> bool:
    """Whether what is stored of single dialogues is what comes out anew."""
    if old.dialogues is None or new.dialogues is None:
        return old.dialogues is new.dialogues
    return old.dialogues.intact and old.dialogues.is_as(new.dialogues)


def _signatures(scores: Scores) -> dict[str, str]:
    return {rules: report.signature.key for rules, report in scores.reports.items()}


def _changes(rules: str, before: Report | None, after: Report) -> Iterator[Change]:
    """Yield the figures that differ; of a rule set that was not scored before, none."""
    if before is not None:
        yield from _differing(rules, _told(before), _told(after))


def _without_changes(before: Scores, after: Scores) -> Iterator[Change]:
    """Yield the figures without an entry's own placeholders that differ."""
    olds, news = before.without_placeholders or {}, after.without_placeholders or {}
    for rules in dict.fromkeys([*olds, *news]):
        old, new = (dict(_figures(WITHOUT, one.get(rules, {}))) for one in (olds, news))
        yield from _differing(rules, old, new)


def _differing(
    rules: str, old: Mapping[str, float | str], new: Mapping[str, float | str]
) -> Iterator[Change]:
    for figure in dict.fromkeys([*old, *new]):
        if not _is_same(old.get(figure), new.get(figure)):
            yield Change(rules, figure, old.get(figure), new.get(figure))


def _is_same(before: float | str | None, after: float | str | None) -> bool:
    """Whether two figures differ by no more than the order of summing them up can make."""
    if isinstance(before, float) and isinstance(after, float):
        return math.isclose(before, after, rel_tol=1e-12, abs_tol=1e-12)
    return before == after


def _told(report: Report) -> dict[str, float | str]:
    """Return place -> number or word, of all that a report tells besides its signature."""
    content = report.to_dict()
    return dict(_figures("", {k: v for k, v in content.items() if not k.startswith("signature")}))


def _figures(place: str, content: object) -> Iterator[tuple[str, float | str]]:
    """Return every number and word of a report with its place."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from _figures(f"{place}.{key}" if place else str(key), value)
    elif isinstance(content, str):
        yield place, content
    elif isinstance(content, Sequence):
        for number, value in enumerate(content):
            yield from _figures(f"{place}[{number}]", value)
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield place, float(content)
