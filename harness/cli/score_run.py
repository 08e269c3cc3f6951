"""Scoring the files that `mwz score` is given: what is known of each, and who works on the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO

import click

from mwz.normalization.rules import rule_set

from ..benchmark import Benchmark
from ..data.installed import benchmark_path, default_benchmark
from ..data.prepared import prepared_content
from ..errors import InputError
from ..execution import Work, completed, executor
from ..files import STANDARD_STREAM, read_bytes, shown_name, write_text
from ..formats import Standard, parse_predictions, standard_form
from ..limits import limits
from ..many import (
    Asked,
    Line,
    Scored,
    content_digest,
    is_kept,
    keep_outcome,
    kept_outcome,
    outcome_key,
    read_lines,
    score_content,
)
from ..metrics.setups import SETUPS
from ..scoring import AUTO, Options, Scorer, signature_before
from ..signature import Signature
from ..workers import LOST
from .options import short_names
from .reading import BenchmarkChooser, benchmark_chooser
from .telling import NO_STATES, tell


def gold_remark(options: Options, outcome: Scored) -> list[str]:
    """Return what is to be said if gold states were used that nobody asked for."""
    report = outcome.report
    own = [SETUPS[name].states for name in SETUPS if report.setup(name) is not None]
    gold = options.states == AUTO and report.states == "gold" and None in own
    return [NO_STATES] if gold else []


class ScoreRun:
    """Scoring files: what each is, what is known of it already, and who works.

    Args:
        files: The files.
        benchmark: The value of `--benchmark`.
        asked: What is asked of every file.
        cache: Whether reports are kept, and looked up.
        jobs: How many processes to use.
        scheduler: The address of a Dask scheduler.
    """

    def __init__(
        self,
        files: Sequence[str],
        benchmark: str | None,
        asked: Asked,
        cache: bool,
        jobs: int,
        scheduler: str | None,
    ) -> None:
        self._files = files
        self._asked = asked
        self._named = benchmark
        self._choose: BenchmarkChooser = benchmark_chooser(benchmark, "scoring on")
        self._loaded: Benchmark | None = None
        self._signature: Signature | None = None
        self._cache = cache and is_kept(asked)
        self._jobs = min(jobs, len(files))
        self._scheduler = scheduler
        self._outcomes: dict[int, Scored] = {}
        # Of those that are worked on, in the order of the work: number, hash, key.
        self._begun: list[tuple[int, str, str]] = []
        self._lines: IO[bytes] | None = None
        self._standard_lines = False
        self._folder: Path | None = None
        self._known: dict[str, Line] = {}
        self._names = short_names(files)

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

    def outcomes(self) -> tuple[list[Scored], list[str]]:
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
            to = stack.enter_context(executor(self._jobs, self._scheduler))
            self._score(to)
        failed = files - len(self._outcomes)
        if failed and files > 1:
            click.echo(f"mwz: {failed} of {files} files could not be scored", err=True)
        numbers = sorted(self._outcomes)
        return [self._outcomes[n] for n in numbers], [self._names[n] for n in numbers]

    def _score(self, to: Executor) -> None:
        for work, outcome in completed(to, self._works()):
            number, digest, key = self._begun[work]
            if isinstance(outcome, InputError):
                self._failed(outcome)
                continue
            remarks = (*outcome.remarks, *gold_remark(self._asked.options, outcome))
            told = replace(outcome, remarks=remarks)
            if self._cache:
                keep_outcome(key, told)
            self._done(number, digest, key, told)

    def _works(self) -> Iterator[Work]:
        """Yield work for the files whose outcome is not known."""
        for number, file in enumerate(self._files):
            try:
                content = read_bytes(file, limits())
                known, read = self._known_outcome(number, content)
            except InputError as error:
                self._failed(error)
                continue
            if known:
                continue
            assert self._loaded is not None
            sent = content if read is None or len(self._files) > 1 else read
            arguments = (sent, shown_name(file), self._asked)
            lost = InputError(shown_name(file), LOST)
            yield Work(self._loaded, score_content, arguments, lost)

    def _known_outcome(self, number: int, content: bytes) -> tuple[bool, Standard | None]:
        """Take a file's outcome from what is known already, if it is, or prepare to score it.

        Returns:
            Whether it was, and what was read of the file if it had to be.
        """
        digest = content_digest(content)
        before = self._signature or self._likely_signature()
        if before is not None and self._taken(number, digest, before):
            return True, None
        read = None
        if self._signature is None:
            source = shown_name(self._files[number])
            read = standard_form(parse_predictions(content, source), source)
            self._loaded = self._choose(read.dialogues)
            self._signature = Scorer(self._loaded, self._asked.options).signature()
            if self._signature != before and self._taken(number, digest, self._signature):
                return True, None
        key = outcome_key(digest, self._signature, self._asked)
        self._begun.append((number, digest, key))
        return False, read

    def _taken(self, number: int, digest: str, signature: Signature) -> bool:
        """Take an outcome that is known, and return whether it is."""
        key = outcome_key(digest, signature, self._asked)
        line = self._known.get(key)
        if line is not None and (self._folder is None or self._lines_path(number).exists()):
            self._outcomes[number] = line.outcome
            self._progress.update()
            return True
        outcome = kept_outcome(key) if self._cache else None
        if outcome is not None:
            self._done(number, digest, key, outcome)
        return outcome is not None

    def _likely_signature(self) -> Signature | None:
        """Return the signature if the benchmark is the likely one, without loading it."""
        options = self._asked.options
        if options.goals != "all":
            return None
        name = self._named or default_benchmark()
        path = benchmark_path(name)
        content = None if path is None else prepared_content(path)
        data = None if content is None else content.hashes.get(rule_set(options.rules).venues)
        if content is None or data is None:
            return None
        return signature_before(name, data, content.gold_domains, options)

    def _lines_path(self, number: int) -> Path:
        assert self._folder is not None
        return self._folder / f"{self._names[number]}.jsonl"

    def _done(self, number: int, digest: str, key: str, outcome: Scored) -> None:
        file = self._files[number]
        tell(shown_name(file), outcome.remarks)
        if self._folder is not None and outcome.lines is not None:
            write_text(str(self._lines_path(number)), outcome.lines)
            outcome = replace(outcome, lines=None)
        line = outcome.to_line(shown_name(file), digest, key)
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
