"""Measure paired tests by resampling against a plain loop that gives the same figures.

    python tools/significance_speed.py PREDICTIONS PREDICTIONS [--samples N] [--benchmark NAME]

Both take the same per-dialogue statistics of the two systems: BLEU in all styles, Inform, Success,
combined scores, diversity, and state tracking where both predict states. The package multiplies
matrices; the loop adds up the dialogues of one sample after the other, and measures the diversity
of their texts. It does fewer samples, and its time is scaled up. One processor core is used, where
the system lets a process choose.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import click
import numpy as np

from mwz.harness import Scorer, load_benchmark
from mwz.harness.comparison.evidence import Evidence
from mwz.harness.comparison.interval import SEED, TEST_SAMPLES
from mwz.harness.comparison.resampling import randomisation, swaps
from mwz.harness.metrics import resampled_metrics
from mwz.harness.metrics._ngrams import NgramStatistics
from mwz.harness.metrics.diversity import diversity_of_tokens
from mwz.harness.metrics.statistics import LinearStatistics
from mwz.harness.scoring import allowed_metrics
from mwz.harness.submission import normalize_submission, read_submission

LOOPED = 20


def plain_loop(a: Evidence, b: Evidence, samples: int) -> dict[str, float]:
    """Return figure -> the mean absolute difference, one sample after the other."""
    (block,) = swaps(len(a.dialogues), samples, SEED)
    sums: dict[str, float] = {}
    for swapped in block.numbers:
        first, second = (_figures(*pair, swapped.tolist()) for pair in ((a, b), (b, a)))
        for name, value in first.items():
            sums[name] = sums.get(name, 0.0) + abs(value - second[name])
    return {name: total / samples for name, total in sums.items()}


def _figures(one: Evidence, other: Evidence, swapped: list[bool]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for metric, statistics in one.statistics.items():
        others = other.statistics[metric]
        if isinstance(statistics, LinearStatistics) and isinstance(others, LinearStatistics):
            total = np.zeros(statistics.rows.shape[1])
            for mine, theirs, swap in zip(statistics.rows, others.rows, swapped, strict=True):
                total += theirs if swap else mine
            figures |= statistics.formula(total.tolist())
        if isinstance(statistics, NgramStatistics) and isinstance(others, NgramStatistics):
            tokens = zip(statistics.tokens, others.tokens, swapped, strict=True)
            measured = diversity_of_tokens(
                [one for mine, theirs, s in tokens for one in (mine, theirs)[s]]
            )
            figures |= {f"diversity.{name}": value for name, value in vars(measured).items()}
    return figures


@click.command(help=__doc__)
@click.argument("predictions", nargs=2, type=click.Path(exists=True, path_type=Path))
@click.option("--samples", type=click.IntRange(min=1), default=TEST_SAMPLES["randomisation"])
@click.option("--benchmark", help="[default: multiwoz if installed, else sample]")
def main(predictions: tuple[Path, Path], samples: int, benchmark: str | None) -> None:
    """Measure, and print a ratio."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    loaded = load_benchmark(benchmark)
    scorer = Scorer(loaded)
    read = [
        normalize_submission(read_submission(path, loaded), scorer.rules) for path in predictions
    ]
    metrics = [m for m in resampled_metrics() if all(m in allowed_metrics(one) for one in read)]
    scorer = scorer.with_options(metrics=metrics)
    first, second = (
        scorer.evidence_of(scorer.played(one), path.stem)
        for one, path in zip(read, predictions, strict=True)
    )
    both = [id_ for id_ in first.dialogues if id_ in set(second.dialogues)]
    first, second = first.part(both), second.part(both)
    # What is counted once per system, and not per sample, is part of scoring it.
    first.scores(), second.scores()

    start, used = time.perf_counter(), time.process_time()
    randomisation(first, second, samples, SEED)
    taken, used = time.perf_counter() - start, time.process_time() - used
    start, looped = time.perf_counter(), time.process_time()
    plain_loop(first, second, LOOPED)
    looped = (time.process_time() - looped) * samples / LOOPED

    figures = len(first.figures)
    click.echo(f"{len(both)} dialogues, {figures} figures ({', '.join(metrics)})")
    click.echo(f"{samples} randomisations: {used:.2f} s of processor time, {taken:.2f} s")
    click.echo(f"a plain loop: {looped:.0f} s, by {LOOPED} of them; ratio {used / looped:.4f}")


if __name__ == "__main__":
    main()
