"""Measure the speed of every command as a ratio, and write the table of docs/performance.md.

    python tools/speed.py --predictions FOLDER [--runs N]

FOLDER holds clones of the repositories of published outputs, as for `mwz verify --predictions`;
MultiWOZ must be installed. In every run each thing is measured once, one after the other, so that a
busy machine slows all of them; the least of the runs counts.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mwz.harness import Options, Scorer, load_benchmark
from mwz.harness.benchmark import STYLES
from mwz.harness.board.entries import read_entry
from mwz.harness.board.rescoring import find_predictions
from mwz.harness.io.files import write_atomically
from mwz.harness.io.rendering import markdown_table
from mwz.harness.submission import normalize_submission, parse_submission
from mwz.harness.submission.formats import read_standard

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "performance.md"
MARK = "<!-- tools/speed.py -->"
"""What stands before the table of the page."""

FILES = 100


@dataclass(frozen=True)
class Taken:
    """What something took.

    Attributes:
        processor: Processor time of all processes, in seconds.
        clock: Time by the clock, in seconds.
        memory: Peak memory of the largest process, in MB; None where it is not a process.
    """

    processor: float
    clock: float
    memory: float | None = None

    def least(self, other: Taken) -> Taken:
        """Return the least of two runs."""
        memory = None if self.memory is None else min(self.memory, other.memory or self.memory)
        return Taken(min(self.processor, other.processor), min(self.clock, other.clock), memory)


@dataclass(frozen=True)
class Bench:
    """What is measured on.

    Attributes:
        folder: A folder for files, empty at first.
        predictions: The folder of published outputs.
    """

    folder: Path
    predictions: Path

    def outputs(self, system: str) -> bytes:
        """Return the outputs of an entry of the board."""
        found = find_predictions(read_entry(PROJECT / "submissions" / system), [self.predictions])
        assert isinstance(found, bytes)
        return found

    def prepare(self) -> None:
        """Write the files that commands read."""
        for system in ("ubar", "pptod"):
            (self.folder / f"{system}.json").write_bytes(self.outputs(system))
        for number in range(FILES):
            shutil.copy(self.folder / "ubar.json", self.folder / f"copy{number}.json")
        shutil.copytree(PROJECT / "submissions", self.folder / "submissions")
        self.mwz("lexicalise", "ubar.json", "-o", "plain.json")

    def mwz(self, *arguments: str) -> Taken:
        """Run a command in the folder."""
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "mwz", *arguments],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        # What entries have changed, if they have, is status 1.
        if process.returncode > 1:
            raise SystemExit(f"mwz {' '.join(arguments)}: exit status {process.returncode}")
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return Taken(
            usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss / unit
        )

    def files(self, jobs: int) -> Taken:
        """Score many files."""
        names = [f"copy{number}.json" for number in range(FILES)]
        return self.mwz("score", *names, "--jobs", str(jobs))

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """The predictions, read."""
        return read_standard(self.outputs("ubar"), "ubar").dialogues

    @cached_property
    def scorer(self) -> Scorer:
        """A scorer that has scored the predictions before."""
        scorer = Scorer(load_benchmark("multiwoz"))
        scorer.score(self.content)
        return scorer

    @cached_property
    def texts(self) -> tuple[list[str], dict[str, list[str]]]:
        """The normalised responses, and their references in each style."""
        benchmark = self.scorer.benchmark
        parsed = parse_submission(self.content, benchmark, "ubar")
        responses = normalize_submission(parsed, self.scorer.rules).responses
        references = {
            style: [
                text
                for id_, texts in responses.items()
                for text in benchmark.dialogues[id_].references[style][: len(texts)]
            ]
            for style in STYLES
        }
        return [text for texts in responses.values() for text in texts], references

    def six(self) -> Taken:
        """Compute BLEU in six styles by six plain calls."""
        import sacrebleu
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
        from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

        hypotheses, references = self.texts

        def calls() -> None:
            for style in STYLES:
                # The calls of a first run find no line tokenised.
                Tokenizer13a.__call__.cache_clear()
                TokenizerRegexp.__call__.cache_clear()
                sacrebleu.corpus_bleu(hypotheses, [references[style]])

        return _here(calls)

    def warm(self) -> Taken:
        """Score in a process that has scored before."""
        return _here(lambda: self.scorer.score(self.content))

    def rewards(self, *metrics: str) -> Taken:
        """Score each dialogue by itself, with a scorer that has scored before."""
        chosen = self.scorer.with_options(**vars(Options(setup="strict", metrics=metrics)))
        return _here(lambda: chosen.dialogues(self.content))


def _here(function: Callable[[], object]) -> Taken:
    """Call a function; as the command line does, without looking for cycles too often."""
    gc.set_threshold(1_000_000, 100, 100)
    clock, processor = time.perf_counter(), time.process_time()
    function()
    return Taken(time.process_time() - processor, time.perf_counter() - clock)


@dataclass(frozen=True)
class Measure:
    """Something to measure.

    Attributes:
        title: What it is.
        of: The key of what it is compared with; None of that itself.
        take: Does it once.
        target: What the ratio is to be at most; None where none is set.
        by_clock: Whether times by the clock are compared, not those of the processor.
        once: Whether it takes so long that one run must do.
    """

    title: str
    of: str | None
    take: Callable[[Bench], Taken]
    target: float | None = None
    by_clock: bool = False
    once: bool = False


MEASURES: Mapping[str, Measure] = {
    "six": Measure("six plain `sacrebleu.corpus_bleu` calls", None, Bench.six),
    "score": Measure(
        "`mwz score`",
        "six",
        lambda bench: bench.mwz("score", "ubar.json"),
        target=0.13,
    ),
    "warm": Measure("`Scorer.score`, warm", "six", Bench.warm, target=0.04),
    "start": Measure("`mwz --version`", "six", lambda bench: bench.mwz("--version")),
    "rewards": Measure("`Scorer.dialogues`", "six", lambda bench: bench.rewards("inform")),
    "rewards_bleu": Measure(
        "`Scorer.dialogues` with BLEU", "six", lambda bench: bench.rewards("bleu", "inform")
    ),
    "lexicalised": Measure(
        "`mwz score --lexicalised`",
        "score",
        lambda bench: bench.mwz("score", "plain.json", "--lexicalised"),
        target=1.5,
    ),
    "intervals": Measure(
        "`mwz score --intervals`",
        "score",
        lambda bench: bench.mwz("score", "ubar.json", "--intervals"),
        target=1.3,
    ),
    "compare": Measure(
        "`mwz compare` of two files",
        "score",
        lambda bench: bench.mwz("compare", "ubar.json", "pptod.json"),
        target=1.5,
    ),
    "verify": Measure(
        "`mwz verify` of one entry",
        "score",
        lambda bench: bench.mwz("verify", "ubar", "--predictions", str(bench.predictions)),
    ),
    "explain": Measure(
        "`mwz audit --explain` of all systems, 1 job",
        "score",
        lambda bench: bench.mwz(
            *("audit", "--explain", "--jobs", "1"),
            *("--predictions", str(bench.predictions)),
        ),
        target=45,
        once=True,
    ),
    "rescore": Measure(
        "`mwz leaderboard --rescore` of all entries, 1 job",
        "score",
        lambda bench: bench.mwz(
            *("leaderboard", "--rescore", "--jobs", "1", "--predictions", str(bench.predictions))
        ),
        target=90,
        once=True,
    ),
    "files": Measure(f"{FILES} files, 1 job", "score", lambda bench: bench.files(1)),
    "files_jobs": Measure(
        f"{FILES} files, 2 jobs; ratio by the clock",
        "files",
        lambda bench: bench.files(2),
        target=1 / 1.7,
        by_clock=True,
    ),
}


HERE = ("six", "warm", "rewards", "rewards_bleu")
"""What is measured in this process."""


def table(taken: Mapping[str, Taken]) -> str:
    """Return what was measured as a table in Markdown.

    Args:
        taken: Key of `MEASURES` -> what it took.
    """
    rows = []
    for name, measure in MEASURES.items():
        own, compared, ratio, target = taken[name], "–", "–", "–"
        if measure.of is not None:
            other = taken[measure.of]
            compared = MEASURES[measure.of].title
            pair = (
                (own.clock, other.clock) if measure.by_clock else (own.processor, other.processor)
            )
            ratio = f"{pair[0] / pair[1]:.3g}"
            if measure.target is not None:
                missed = pair[0] / pair[1] > measure.target
                target = f"{measure.target:.3g}" + (" (missed)" if missed else "")
        memory = "–" if own.memory is None else f"{own.memory:.0f}"
        rows.append([measure.title, f"{own.processor:.2f}", compared, ratio, target, memory])
    headers = ["what", "processor seconds", "compared with", "ratio", "target, at most"]
    return markdown_table([*headers, "memory, MB"], rows)


def page(text: str, taken: Mapping[str, Taken]) -> str:
    """Return the page with what was measured in place of its table."""
    before, mark, _ = text.partition(MARK)
    if not mark:
        raise SystemExit(f"{PAGE}: has no {MARK}")
    return f"{before}{mark}\n\n{table(taken)}\n"


def main() -> None:
    """Measure, print the table, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--predictions", type=Path, required=True, help="published outputs")
    parser.add_argument("--runs", type=int, default=5, help="[default: 5]")
    arguments = parser.parse_args()
    taken: dict[str, Taken] = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), arguments.predictions.resolve())
        bench.prepare()
        # What this process holds counts as memory of those that it starts: load nothing before.
        order = sorted(MEASURES.items(), key=lambda one: one[0] in HERE)
        for run in range(arguments.runs):
            for name, measure in order:
                if run == 0 or not measure.once:
                    one = measure.take(bench)
                    taken[name] = one.least(taken.get(name, one))
    print(table(taken))
    written = page(PAGE.read_text(encoding="utf-8"), taken)
    write_atomically(PAGE, written.encode())


if __name__ == "__main__":
    main()
