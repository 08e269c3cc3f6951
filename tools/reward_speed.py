"""How many dialogues per second a reward takes, next to scoring the whole file, in one run.

A: `Scorer.dialogues`, Inform and Success of every dialogue by itself. B: `Scorer.score` of the same
predictions as a whole, Inform and Success alone. Both in turn, each with a fresh scorer and empty
memories, so that nothing of the system was seen before; libraries are loaded, and the venue
database is filled, since both are done once for all systems. C is A with BLEU of each turn. Time is
that of the processor, on one core; the medians and the ratio A/B are printed.

    python tools/reward_speed.py PREDICTIONS [--benchmark NAME] [--runs N]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from mwz.harness import Benchmark, Options, Scorer, load_benchmark
from mwz.harness.io.files import read_json
from mwz.normalization import moses, responses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("predictions", help="a predictions file")
    parser.add_argument("--benchmark", help="[default: multiwoz if installed, else sample]")
    parser.add_argument("--runs", type=int, default=5, help="[default: 5]")
    arguments = parser.parse_args()
    benchmark = load_benchmark(arguments.benchmark)
    predictions: Any = read_json(arguments.predictions)
    rates = Options(setup="strict", metrics=["inform"])
    both = Options(setup="strict", metrics=["bleu", "inform"])
    # What is loaded when it is first used, on a dialogue that plays no part.
    id_ = next(iter(benchmark.dialogues))
    Scorer(benchmark, both).dialogue(id_, [{"response": "it's a [name] .", "state": {}}])
    rewards, whole, with_bleu = [], [], []
    for _ in range(arguments.runs):
        rewards.append(_seconds(lambda scorer: scorer.dialogues(predictions), benchmark, rates))
        whole.append(_seconds(lambda scorer: scorer.score(predictions), benchmark, rates))
        with_bleu.append(_seconds(lambda scorer: scorer.dialogues(predictions), benchmark, both))
    count = len(predictions)
    print(f"dialogues                         {count:8}")
    for title, seconds in (
        ("A  rewards, Inform and Success", rewards),
        ("B  the whole file, the same", whole),
        ("C  rewards with sentence BLEU", with_bleu),
    ):
        print(f"{title:<34}{count / statistics.median(seconds):8.0f} dialogues per second")
    ratios = [a / b for a, b in zip(rewards, whole, strict=True)]
    print(f"A/B in time, median of {arguments.runs:<11}{statistics.median(ratios):8.3f}")


def _seconds(score: Callable[[Scorer], object], benchmark: Benchmark, options: Options) -> float:
    """Return the processor's time that a scorer takes that has seen nothing."""
    scorer = Scorer(benchmark, options)
    scorer.database()
    _forget()
    started = time.process_time()
    score(scorer)
    return time.process_time() - started


def _forget() -> None:
    """Empty what remembers texts."""
    for remembering in (responses._remembered, moses._remembered):
        remembering.cache_clear()


if __name__ == "__main__":
    main()
