"""Measure the speed of commands as ratios, and write the table of docs/performance.md.

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

from mwz.harness.benchmark import STYLES
from mwz.harness.board import find_predictions
from mwz.harness.board.entries import read_entry
from mwz.harness.data import load_benchmark
from mwz.harness.io import markdown_table, write_atomically
from mwz.harness.scoring import Scorer
from mwz.harness.submission import (
    checked_submission,
    normalize_submission,
    read_standard,
    standard_form,
)

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "performance.md"
MARK = "<!-- tools/speed.py -->"
"""What stands before the table of the page."""


@dataclass(frozen=True)
class Bench:
    """What is measured on.

    Attributes:
        folder: A folder for files, empty at first.
        predictions: The folder of published outputs.
    """

    folder: Path
    predictions: Path

    def prepare(self) -> None:
        """Write the files that commands read."""
        for system in ("ubar", "pptod"):
            (self.folder / f"{system}.json").write_bytes(self.outputs(system))
        shutil.copytree(PROJECT / "submissions", self.folder / "submissions")

    def outputs(self, system: str) -> bytes:
        """Return the outputs of an entry of the board."""
        content = find_predictions(read_entry(PROJECT / "submissions" / system), [self.predictions])
        assert isinstance(content, bytes)
        return content

    def mwz(self, *arguments: str) -> float:
        """Run a command in the folder; return the processor time of all its processes."""
        command = [sys.executable, "-m", "mwz", *arguments]
        # Modules are compiled once, as where the harness is installed.
        usual = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        before = os.times()
        done = subprocess.run(command, cwd=self.folder, env=usual, capture_output=True, check=False)
        after = os.times()
        # Where entries have changed, the status is 1.
        if done.returncode > 1:
            raise SystemExit(f"mwz {' '.join(arguments)}: {done.stderr.decode()}")
        taken = after.children_user - before.children_user
        return taken + after.children_system - before.children_system

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
        parsed = checked_submission(standard_form(self.content, "ubar"), benchmark, "ubar")
        responses = normalize_submission(parsed, self.scorer.rules).responses
        hypotheses: list[str] = []
        references: dict[str, list[str]] = {style: [] for style in STYLES}
        for id_, texts in responses.items():
            hypotheses += texts
            for style in STYLES:
                references[style] += benchmark.dialogues[id_].references[style][: len(texts)]
        return hypotheses, references

    def six(self) -> float:
        """Compute BLEU in six styles by six plain calls."""
        import sacrebleu
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
        from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

        hypotheses, references = self.texts
        before = time.process_time()
        for style in STYLES:
            # The calls of a first run find no line tokenised.
            Tokenizer13a.__call__.cache_clear()
            TokenizerRegexp.__call__.cache_clear()
            sacrebleu.corpus_bleu(hypotheses, [references[style]])
        return time.process_time() - before

    def warm(self) -> float:
        """Score in a process that has scored before."""
        scorer, content = self.scorer, self.content
        before = time.process_time()
        scorer.score(content)
        return time.process_time() - before

    def rewards(self, *metrics: str) -> float:
        """Score each dialogue by itself, with a scorer that has scored before."""
        chosen = self.scorer.with_options(setup="strict", metrics=metrics)
        content = self.content
        before = time.process_time()
        chosen.dialogues(content)
        return time.process_time() - before


@dataclass(frozen=True)
class Measure:
    """Something to measure.

    Attributes:
        title: What it is.
        baseline: The key of what it is compared with; None of that itself.
        take: Does it once, and returns processor time in seconds.
        target: What the ratio is to be at most; None where none is set.
    """

    title: str
    baseline: str | None
    take: Callable[[Bench], float]
    target: float | None = None


def _command(title: str, baseline: str, *arguments: str, target: float | None = None) -> Measure:
    """Return a measure of a command; `FOLDER` stands for that of published outputs."""

    def take(bench: Bench) -> float:
        folder = str(bench.predictions)
        return bench.mwz(*(folder if part == "FOLDER" else part for part in arguments))

    return Measure(title, baseline, take, target)


MEASURES: Mapping[str, Measure] = {
    "six": Measure("six plain `sacrebleu.corpus_bleu` calls", None, Bench.six),
    "score": _command("`mwz score`", "six", "score", "ubar.json", target=0.22),
    "warm": Measure("`Scorer.score`, warm", "six", Bench.warm, target=0.08),
    "start": _command("`mwz --version`", "six", "--version"),
    "rewards": Measure("`Scorer.dialogues`", "six", lambda bench: bench.rewards("inform")),
    "rewards_bleu": Measure(
        "`Scorer.dialogues` with BLEU", "six", lambda bench: bench.rewards("bleu", "inform")
    ),
    "intervals": _command("`mwz score --intervals`", "score", "score", "ubar.json", "--intervals"),
    "compare": _command(
        "`mwz compare` of two files", "score", "compare", "ubar.json", "pptod.json"
    ),
    "verify": _command(
        *("`mwz verify` of one entry", "score"), *("verify", "ubar", "--predictions", "FOLDER")
    ),
    "explain": _command(
        *("`mwz audit --explain` of all systems, 1 job", "score"),
        *("audit", "--explain", "--jobs", "1", "--predictions", "FOLDER"),
    ),
    "rescore": _command(
        *("`mwz leaderboard --rescore` of all entries, 1 job", "score"),
        *("leaderboard", "--rescore", "--jobs", "1", "--predictions", "FOLDER"),
    ),
}

SLOW = ("explain", "rescore")
"""What takes so long that one run must do."""


def table(taken: Mapping[str, float]) -> str:
    """Return what was measured as a table in Markdown.

    Args:
        taken: Key of `MEASURES` -> processor time in seconds.
    """
    rows = []
    for name, measure in MEASURES.items():
        compared, ratio, target = "–", "–", "–"
        if measure.baseline is not None:
            value = taken[name] / taken[measure.baseline]
            compared, ratio = MEASURES[measure.baseline].title, f"{value:.3g}"
            if measure.target is not None:
                missed = " (missed)" if value > measure.target else ""
                target = f"{measure.target:.3g}{missed}"
        rows.append([measure.title, f"{taken[name]:.2f}", compared, ratio, target])
    headers = ["what", "processor seconds", "compared with", "ratio", "target, at most"]
    return markdown_table(headers, rows)


def page(text: str, taken: Mapping[str, float]) -> str:
    """Return the page with what was measured in place of its table."""
    before, mark, _ = text.partition(MARK)
    return f"{before}{mark}\n\n{table(taken)}\n"


def main() -> None:
    """Measure, print the table, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--predictions", type=Path, required=True, help="published outputs")
    parser.add_argument("--runs", type=int, default=5, help="[default: 5]")
    arguments = parser.parse_args()
    # As the command line does.
    gc.set_threshold(1_000_000, 100, 100)
    taken: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), arguments.predictions.resolve())
        bench.prepare()
        for run in range(arguments.runs):
            for name, measure in MEASURES.items():
                if run == 0 or name not in SLOW:
                    taken[name] = min(measure.take(bench), taken.get(name, float("inf")))
    print(table(taken))
    write_atomically(PAGE, page(PAGE.read_text(encoding="utf-8"), taken))


if __name__ == "__main__":
    main()
