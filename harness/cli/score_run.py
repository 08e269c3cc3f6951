"""The files that `mwz score` is given: looked up or scored, and written as they are done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO

import click

from mwz.normalization.rules import rule_set

from ..benchmark import Benchmark
from ..data.installed import benchmark_path, default_benchmark
from ..data.prepared import prepared_content
from ..errors import InputError
from ..io.files import STANDARD_STREAM, limits, read_bytes, shown_name, write_text
from ..metrics.setups import SETUPS
from ..scoring import AUTO, Options, Scorer, signature_before
from ..scoring.execution import Job, run
from ..scoring.many import (
    Line,
    Request,
    ScoredSubmission,
    cache_outcome,
    cached_outcome,
    content_digest,
    is_cacheable,
    outcome_key,
    read_lines,
    score_content,
)
from ..signature import Signature
from ..submission.formats import Standard, parse_predictions, standard_form
from . import NO_STATES, tell
from .options import short_names
from .reading import benchmark_chooser


def gold_remark(options: Options, outcome: ScoredSubmission) -> list[str]:
    """Return what is to be said if gold states were used that nobody asked for."""
    report = outcome.report
    own = [SETUPS[name].states for name in SETUPS if report.setup(name) is not None]
    gold = options.states == AUTO and report.states == "gold" and None in own
    return [NO_STATES] if gold else []


class ScoreRun:
    """Scores files that are not known already, and tells and writes what comes of each.

    Args:
        files: The files.
        benchmark: The value of `--benchmark`.
        request: What is wanted of every file.
        cache: Whether reports are looked up in the cache and put there.
        workers: How many processes to use.
        scheduler: The address of a Dask scheduler.
    """

    def __init__(
        self,
        files: Sequence[str],
        benchmark: str | None,
        request: Request,
        cache: bool,
        workers: int,
        scheduler: str | None,
    ) -> None:
        self._files = files
        self._names = short_names(files)
        self._request = request
        self._cache = cache and is_cacheable(request)
        self._workers = workers
        self._scheduler = scheduler
        self._choose = benchmark_chooser(benchmark, "scoring on")
        self._likely = _likely_signature(benchmark or default_benchmark(), request.options)
        # The first file that nothing is known of decides on these two.
        self._benchmark: Benchmark | None = None
        self._signature: Signature | None = None
        # Of each job: the number of its file, the hash of the content, the key.
        self._begun: list[tuple[int, str, str]] = []
        self._outcomes: dict[int, ScoredSubmission] = {}
        self._lines: IO[bytes] | None = None
        self._standard_lines = False
        self._folder: Path | None = None
        self._known: dict[str, Line] = {}

    def write_to(self, lines: str | None, folder: str | None, resume: bool) -> None:
        """Say where outcomes are written as they come.

        Args:
            lines: A file for a line of JSON per file, or `-`.
            folder: A folder for the lines per dialogue.
            resume: Whether to go on with what the file of lines holds.

        Raises:
            InputError: One of them cannot be written, or the file holds something else.
        """
        if folder is not None:
            self._folder = Path(folder)
            if self._folder.exists() and not self._folder.is_dir():
                raise InputError(folder, "is no folder; of several files, lines need one")
        if lines == STANDARD_STREAM:
            self._standard_lines = True
        elif lines is not None:
            path = Path(lines)
            self._known = read_lines(path) if resume else {}
            # Torn and damaged lines go, before others are written behind them.
            write_text(lines, "".join(line.text for line in self._known.values()))
            self._lines = path.open("ab")

    def outcomes(self) -> tuple[list[ScoredSubmission], list[str]]:
        """Return the outcomes of the files that could be scored, in their order, and their names.

        Raises:
            InputError: There is one file, and it cannot be scored.
        """
        from tqdm import tqdm

        files = len(self._files)
        with ExitStack() as stack:
            if self._lines is not None:
                stack.enter_context(self._lines)
            self._progress = stack.enter_context(
                tqdm(total=files, desc="scoring", unit="file", disable=True if files == 1 else None)
            )
            self._score()
        failed = files - len(self._outcomes)
        if failed and files > 1:
            click.echo(f"mwz: {failed} of {files} files could not be scored", err=True)
        numbers = sorted(self._outcomes)
        return [self._outcomes[n] for n in numbers], [self._names[n] for n in numbers]

    def _score(self) -> None:
        jobs = self._jobs()
        first = next(jobs, None)
        if first is None or self._benchmark is None:
            return
        jobs = chain([first], jobs)
        for job, outcome in run(
            score_content, jobs, self._benchmark, self._workers, self._scheduler
        ):
            number, digest, key = self._begun[job]
            if isinstance(outcome, InputError):
                self._failed(outcome)
                continue
            remarks = (*outcome.remarks, *gold_remark(self._request.options, outcome))
            told = replace(outcome, remarks=remarks)
            if self._cache:
                cache_outcome(key, told)
            self._done(number, digest, key, told)

    def _jobs(self) -> Iterator[Job]:
        """Yield the jobs of scoring the files of which nothing is known."""
        for number, file in enumerate(self._files):
            source = shown_name(file)
            try:
                content = read_bytes(file, limits())
                sent: bytes | Standard = content
                digest = content_digest(content)
                signature = self._signature or self._likely
                if signature is not None and self._is_known(number, digest, signature):
                    continue
                if self._signature is None:
                    sent = standard_form(parse_predictions(content, source), source)
                    self._benchmark = self._choose(sent.dialogues)
                    self._signature = Scorer(self._benchmark, self._request.options).signature()
                    likely = self._signature == signature
                    if not likely and self._is_known(number, digest, self._signature):
                        continue
            except InputError as error:
                self._failed(error)
                continue
            key = outcome_key(digest, self._signature, self._request)
            self._begun.append((number, digest, key))
            yield Job(source, (sent, source, self._request))

    def _is_known(self, number: int, digest: str, signature: Signature) -> bool:
        """Take a file's outcome from the lines or the cache, and return whether it is there."""
        key = outcome_key(digest, signature, self._request)
        line = self._known.get(key)
        if line is not None and (self._folder is None or self._lines_path(number).exists()):
            self._outcomes[number] = line.outcome
            self._progress.update()
            return True
        outcome = cached_outcome(key) if self._cache else None
        if outcome is not None:
            self._done(number, digest, key, outcome)
        return outcome is not None

    def _lines_path(self, number: int) -> Path:
        assert self._folder is not None
        return self._folder / f"{self._names[number]}.jsonl"

    def _done(self, number: int, digest: str, key: str, outcome: ScoredSubmission) -> None:
        file = shown_name(self._files[number])
        tell(file, outcome.remarks)
        if self._folder is not None and outcome.lines is not None:
            write_text(str(self._lines_path(number)), outcome.lines)
            outcome = replace(outcome, lines=None)
        line = outcome.to_line(file, digest, key)
        if self._standard_lines:
            write_text(STANDARD_STREAM, line)
        if self._lines is not None:
            try:
                self._lines.write(line.encode())
                self._lines.flush()
            except OSError as error:
                name = self._lines.name
                raise InputError(name, f"cannot be written ({error.strerror})") from None
        self._outcomes[number] = outcome
        self._progress.update()

    def _failed(self, error: InputError) -> None:
        if len(self._files) == 1:
            raise error
        self._progress.update()
        click.echo(f"mwz: {error}", err=True)


def _likely_signature(benchmark: str, options: Options) -> Signature | None:
    """Return the signature that scores have if they are of a benchmark, without loading it."""
    if options.goals != "all":
        return None
    path = benchmark_path(benchmark)
    content = None if path is None else prepared_content(path)
    data = None if content is None else content.hashes.get(rule_set(options.rules).venues)
    if content is None or data is None:
        return None
    return signature_before(benchmark, data, content.gold_domains, options)
