"""How long `mwz score` takes, next to plain sacreBLEU on the same texts, in one run.

A: `mwz score` as a user starts it, cold, with everything (six BLEU, strict and optimistic Inform
and Success, diversity). B: six plain `sacrebleu.corpus_bleu` calls on the responses normalised
already, within this process. Both in turn; the medians and the ratio A/B are printed. On small
benchmarks such as the sample it is start-up that is measured.

    python tools/speed.py PREDICTIONS [--benchmark NAME] [--runs N]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

import sacrebleu

from mwz.harness import load_benchmark
from mwz.harness.benchmark import STYLES
from mwz.harness.submission import normalize_submission, read_submission
from mwz.normalization.rules import rule_set


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("predictions", help="a predictions file")
    parser.add_argument("--benchmark", help="[default: multiwoz if installed, else sample]")
    parser.add_argument("--runs", type=int, default=5, help="[default: 5]")
    arguments = parser.parse_args()
    benchmark = load_benchmark(arguments.benchmark)
    submission = normalize_submission(
        read_submission(arguments.predictions, benchmark), rule_set("2021")
    )
    responses = submission.responses()
    hypotheses = [text for texts in responses.values() for text in texts]
    references = {
        style: [
            text
            for id_, texts in responses.items()
            for text in benchmark.dialogues[id_].references[style][: len(texts)]
        ]
        for style in STYLES
    }
    command = [sys.executable, "-m", "mwz.harness.cli", "score", arguments.predictions]
    command += ["--benchmark", benchmark.name]
    harness, plain = [], []
    for _ in range(arguments.runs):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        harness.append(time.perf_counter() - started)
        started = time.perf_counter()
        for style in STYLES:
            _forget()
            sacrebleu.corpus_bleu(hypotheses, [references[style]])
        plain.append(time.perf_counter() - started)
    print(f"turns                        {len(hypotheses):8}")
    print(f"A  mwz score, cold, all      {statistics.median(harness):8.3f} s")
    print(f"B  six sacreBLEU calls       {statistics.median(plain):8.3f} s")
    ratios = [a / b for a, b in zip(harness, plain, strict=True)]
    print(f"A/B, median of {arguments.runs} pairs      {statistics.median(ratios):8.3f}")


def _forget() -> None:
    """Empty sacreBLEU's memory of tokenised lines: the calls of a first run have none."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()


if __name__ == "__main__":
    main()
