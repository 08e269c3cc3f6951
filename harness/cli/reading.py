"""Reading what commands are given: predictions, and the benchmark that they are of."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..benchmark import STYLES, Benchmark
from ..data.installed import SAMPLE, installed_benchmarks, load_benchmark
from ..errors import InputError, unknown
from ..io.files import STANDARD_STREAM, limits, read_bytes, shown_name
from ..io.rooms import room
from ..scoring import Scorer
from ..scoring.options import Options
from ..submission import HUMAN, Submission, checked_submission, read_predictions
from ..submission.checking import dialogue_id
from ..submission.formats import PLAY_BEGINS, is_play
from . import notify, tell

if TYPE_CHECKING:
    from ..board.entries import Entry, Predictions
    from ..board.scores import Scores

BenchmarkChooser = Callable[[Iterable[object]], Benchmark]


def benchmark_chooser(name: str | None, doing: str) -> BenchmarkChooser:
    """Return what chooses and loads the benchmark for dialogues, given their ids.

    It is the one that `--benchmark` names. Where none is named, it is the default one; the
    sample, however, for dialogues that are all the sample's and none of which is in the default
    one: what is built in works whatever is installed. That the sample is used is said, once.

    Args:
        name: The option's value.
        doing: What is done with it, for the remark: "scoring on".

    Returns:
        A function that raises an `InputError` if no benchmark of that name is installed, or its
        file is damaged.
    """
    load = cache(load_benchmark)

    @cache
    def remark(reason: str) -> None:
        notify(f"{reason}; {doing} the built-in `{SAMPLE}`")

    def choose(ids: Iterable[object]) -> Benchmark:
        benchmark = load(name)
        if name is not None:
            return benchmark
        if benchmark.name == SAMPLE:
            others = [one for one in installed_benchmarks() if one != SAMPLE]
            named = f"; --benchmark chooses {' or '.join(others)}" if others else ""
            remark(
                f"multiwoz is not installed{named}" if others else "no other benchmark is installed"
            )
            return benchmark
        wanted = {dialogue_id(id_) for id_ in ids}
        if wanted and wanted.isdisjoint(benchmark.dialogues):
            sample = load(SAMPLE)
            if wanted <= sample.dialogues.keys():
                remark(f"all dialogues are the sample's and none is in `{benchmark.name}`")
                return sample
        return benchmark

    return choose


def read_submissions(
    files: Sequence[str], name: str | None, doing: str, options: Options = Options()
) -> tuple[Benchmark, list[Submission]]:
    """Read predictions files, and the benchmark that is chosen for them.

    Args:
        files: The files; `-` is standard input.
        name: The value of `--benchmark`.
        doing: What is done with the benchmark, for the remark: "scoring on".
        options: How they will be scored: by the rules, placeholders are remarked.

    Raises:
        InputError: A file cannot be read or is no submission to the benchmark, or the benchmark
            cannot be loaded.
    """
    reading = options.reading
    read = [(read_predictions(file, reading), shown_name(file)) for file in files]
    choose = benchmark_chooser(name, doing)
    benchmark = choose([id_ for standard, _ in read for id_ in standard.dialogues])
    rules = Scorer(benchmark, options).rules
    return benchmark, [
        checked_submission(one, benchmark, source, rules, reading) for one, source in read
    ]


_By: TypeAlias = Literal["play", "file", "all"]


def read_plays(
    files: Sequence[str], name: str | None, doing: str, by: _By = "play"
) -> list[tuple[str, Any]]:
    """Read files of `mwz play`, play their dialogues again, and return the trials of each play.

    Args:
        files: The files, of which pipes and standard input are none of `mwz play`.
        name: The value of `--benchmark`.
        doing: What is done with the benchmark, for the remark.
        by: What belongs together: the trials of a "play", each "file", or "all" of them.

    Returns:
        What messages call each play, and the play (`Plays` of `live`); nothing if no file is one of
        `mwz play`.

    Raises:
        InputError: Only some of the files are, or they come out otherwise than they say.
    """
    others = [file for file in files if not is_file_of_plays(file)]
    if len(others) == len(files):
        return []
    if others:
        raise InputError(shown_name(others[0]), "is none of `mwz play`, as others are")
    contents = [(shown_name(file), read_bytes(file, limits())) for file in files]
    found: list[tuple[str, Any]] = room("live.play_files", contents[0][0]).plays_again(
        contents, name, doing, by
    )
    return found


def is_file_of_plays(file: str) -> bool:
    """Whether a file is one of `mwz play`; one that cannot be read is none, as far as this goes."""
    # What a pipe holds can be read only once.
    if not os.path.isfile(file):
        return False
    try:
        with open(file, "rb") as packed:
            magic = packed.read(2)
        with (gzip.open if magic == b"\x1f\x8b" else open)(file, "rb") as content:
            begins = content.read(len(PLAY_BEGINS))
            return begins == PLAY_BEGINS and is_play(begins + content.readline(limits().unpacked))
    except (OSError, EOFError, ValueError, zlib.error):
        return False


def score_live(content: bytes | Predictions, source: str, scorer: Scorer) -> Scores:
    """Play an entry's live dialogues again, and return what is stored of them.

    Raises:
        InputError: The room `live` is not there; else as its `score_live`.
    """
    scores: Scores = room("live.play_files", source).score_live(content, source, scorer)
    return scores


def found_entry(system: str, submissions: Path) -> Entry | None:
    """Return the entry that a system's name stands for; None for a file, which comes first.

    Args:
        system: A file, `-` for standard input, or the name of an entry.
        submissions: The folder of submissions.

    Raises:
        InputError: There is neither.
    """
    # Whoever names these means the file, and the board takes its time to import.
    is_named = Path(system).suffix in (".json", ".jsonl", ".gz") and Path(system).is_file()
    if system == STANDARD_STREAM or is_named:
        return None
    from ..board.stored_evidence import find_entry, no_entry

    entry = find_entry(system, submissions)
    if Path(system).is_file():
        if entry is not None:
            notify(f"{system}: the file, not the entry of this name")
        return None
    if entry is None and Path(system).name == system:
        raise no_entry(system, submissions)
    return entry


def corpus_name(style: str, lexicalised: bool) -> str:
    """Return what `Scorer.made` calls the benchmark's own responses, as `--corpus` asks for them.

    Args:
        style: The option's value, a reference style.
        lexicalised: Whether they are to be the human responses as they were written.

    Raises:
        InputError: The style is unknown.
    """
    if style not in STYLES:
        raise InputError("--corpus", unknown("style", style, STYLES))
    return HUMAN if lexicalised else style


def played_free_running(
    file: str, name: str | None, doing: str, options: Options
) -> tuple[Any, Scorer]:
    """Read a file of free-running dialogues and compare them with their goals.

    Args:
        file: The file; `-` is standard input.
        name: The value of `--benchmark`.
        doing: What is done with the benchmark, for the remark.
        options: How to score.

    Raises:
        InputError: A file cannot be read or used, or a dialogue has no goal.
    """
    source = shown_name(file)
    standard = read_predictions(file, options.reading)
    scorer = Scorer(benchmark_chooser(name, doing)(standard.dialogues), options)
    run = scorer.free_run(standard, source)
    tell(source, run.remarks)
    return run, scorer
