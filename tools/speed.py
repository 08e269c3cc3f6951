"""How long scoring takes: each figure beside what it is compared with, measured in the same run.

cold     `mwz score` as a user starts it, with everything, against six plain `sacrebleu.corpus_bleu`
         calls on the same normalised texts within this process
warm     `Scorer.score` in a process that has scored before, against the same six calls
files    1, 4 and 16 files by 1 and 2 processes, against the same files by `mwz score` one by one
size     250 to 16,000 dialogues: the benchmark and the predictions, cut or repeated

What is compared is processor time, that of all processes: on a machine that others use as well it
says more than the clock does. Nothing is taken from the cache. On small benchmarks such as the
sample it is start-up that is measured.

    python tools/speed.py PREDICTIONS [--benchmark NAME] [--runs N] [--pictures FOLDER] [PART…]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import sacrebleu

from mwz.harness import Benchmark, Scorer, load_benchmark
from mwz.harness.benchmark import STYLES
from mwz.harness.data.installed import install_benchmark
from mwz.harness.io.files import VARIABLE, Limits, read_json
from mwz.harness.io.pictures import write_picture
from mwz.harness.submission import normalize_submission, read_submission
from mwz.harness.submission.formats import standard_form
from mwz.normalization.rules import rule_set

SIZES = (250, 500, 1000, 2000, 4000, 8000, 16000)
FILES = (1, 4, 16)
JOBS = (1, 2)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("predictions", help="a predictions file")
    parser.add_argument("parts", nargs="*", default=[*PARTS], help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--benchmark", help="[default: multiwoz if installed, else sample]")
    parser.add_argument("--runs", type=int, default=5, help="[default: 5]")
    parser.add_argument("--pictures", type=Path, help="where to draw the curves")
    arguments = parser.parse_intermixed_args()
    benchmark = load_benchmark(arguments.benchmark)
    for part in arguments.parts:
        PARTS[part](arguments.predictions, benchmark, arguments.runs, arguments.pictures)


def cold(predictions: str, benchmark: Benchmark, runs: int, _: Path | None) -> None:
    six = _six_calls(predictions, benchmark)
    command = _command([predictions], benchmark.name)
    pairs = [(_process(command), _here(six)) for _ in range(runs)]
    _told("mwz score, cold", pairs)
    print(f"  by the clock        {statistics.median(a[1] for a, _ in pairs):8.3f} s")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"  peak memory         {peak:8.0f} MB")


def warm(predictions: str, benchmark: Benchmark, runs: int, _: Path | None) -> None:
    six = _six_calls(predictions, benchmark)
    content = standard_form(read_json(predictions), predictions).dialogues
    scorer = Scorer(benchmark)
    scorer.score(content)
    # As the command line does: there are no cycles to speak of.
    gc.set_threshold(1_000_000, 100, 100)
    _told(
        "Scorer.score, warm",
        [(_here(lambda: scorer.score(content)), _here(six)) for _ in range(runs)],
    )


def files(predictions: str, benchmark: Benchmark, runs: int, pictures: Path | None) -> None:
    found: dict[int, list[float]] = {jobs: [] for jobs in JOBS}
    with tempfile.TemporaryDirectory() as folder:
        content = Path(predictions).read_bytes()
        names = [str(Path(folder) / f"system{number}.json") for number in range(max(FILES))]
        for name in names:
            Path(name).write_bytes(content)
        for number in FILES:
            taken: dict[int, list[float]] = {jobs: [] for jobs in JOBS}
            alone = []
            for _ in range(runs):
                alone.append(_process(_command(names[:1], benchmark.name))[0] * number)
                for jobs in JOBS:
                    command = _command(names[:number], benchmark.name, "--jobs", str(jobs))
                    processor, clock = _process(command)
                    taken[jobs].append(processor)
                    print(f"{number:3} files, {jobs} jobs {clock:8.2f} s by the clock")
            for jobs, times in taken.items():
                found[jobs].append(statistics.median(times))
                share = found[jobs][-1] / statistics.median(alone)
                print(
                    f"{number:3} files, {jobs} jobs {found[jobs][-1]:8.2f} s, {share:.2f} of single"
                )
    if pictures is not None:
        lines = {f"{jobs} {'job' if jobs == 1 else 'jobs'}": found[jobs] for jobs in JOBS}
        place = pictures / "performance-files.svg"
        _draw(place, "files", "seconds of processor time", FILES, lines)


def size(predictions: str, benchmark: Benchmark, runs: int, pictures: Path | None) -> None:
    content = standard_form(read_json(predictions), predictions).dialogues
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        # More text than strangers' files may have.
        larger_limits = {f"{VARIABLE}{each.name.upper()}": str(10**9) for each in fields(Limits)}
        os.environ.update({"MWZ_DATA": folder, **larger_limits})
        for number in SIZES:
            larger, played = _of_size(benchmark, content, number)
            install_benchmark(larger)
            file = Path(folder) / "predictions.json"
            file.write_text(json.dumps(played), encoding="utf-8")
            command = _command([str(file)], larger.name)
            times = [_process(command)[0] for _ in range(max(1, runs // 2))]
            taken.append(statistics.median(times))
            each = 1000 * taken[-1] / len(larger.dialogues)
            print(f"{len(larger.dialogues):6} dialogues {taken[-1]:8.2f} s, {each:6.2f} ms each")
    if pictures is not None:
        place = pictures / "performance-dialogues.svg"
        _draw(place, "dialogues", "seconds of processor time", SIZES, {"mwz score": taken})


PARTS: Mapping[str, Callable[[str, Benchmark, int, Path | None], None]] = {
    "cold": cold,
    "warm": warm,
    "files": files,
    "size": size,
}


def _told(what: str, pairs: Sequence[tuple[tuple[float, float], tuple[float, float]]]) -> None:
    print(f"{what:20}{statistics.median(a[0] for a, _ in pairs):10.3f} s")
    print(f"  six sacreBLEU calls {statistics.median(b[0] for _, b in pairs):8.3f} s")
    ratio = statistics.median(a[0] / b[0] for a, b in pairs)
    print(f"  ratio               {ratio:8.3f}   median of {len(pairs)} pairs")


def _command(files: Sequence[str], benchmark: str, *more: str) -> list[str]:
    command = [sys.executable, "-m", "mwz", "score", *files, "--no-cache", *more]
    return [*command, "--benchmark", benchmark]


def _process(command: Sequence[str]) -> tuple[float, float]:
    """Run a command and return its processor time and its time by the clock, in seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    clock, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def _here(function: Callable[[], object]) -> tuple[float, float]:
    """Call a function and return its processor time and its time by the clock, in seconds."""
    before, started = time.process_time(), time.perf_counter()
    function()
    return time.process_time() - before, time.perf_counter() - started


def _six_calls(predictions: str, benchmark: Benchmark) -> Callable[[], None]:
    submission = normalize_submission(read_submission(predictions, benchmark), rule_set("2021"))
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

    def six() -> None:
        for style in STYLES:
            _forget()
            sacrebleu.corpus_bleu(hypotheses, [references[style]])

    return six


def _forget() -> None:
    """Empty sacreBLEU's memory of tokenised lines: the calls of a first run have none."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()


def _of_size(
    benchmark: Benchmark, content: Mapping[str, Any], number: int
) -> tuple[Benchmark, dict[str, Any]]:
    """Return a benchmark of so many dialogues and predictions of it, cut or repeated."""
    known = [id_ for id_ in content if id_.lower().removesuffix(".json") in benchmark.dialogues]
    dialogues, played = {}, {}
    for place, id_ in zip(range(number), _repeated(known), strict=False):
        gold = benchmark.dialogues[id_.lower().removesuffix(".json")]
        dialogues[f"x{place}"], played[f"x{place}"] = gold, content[id_]
    return replace(benchmark, name="sized", dialogues=dialogues, seen=None), played


def _repeated(known: Sequence[str]) -> Iterator[str]:
    while True:
        yield from known


def _draw(
    place: Path, x: str, y: str, xs: Sequence[int], lines: Mapping[str, Sequence[float]]
) -> None:
    def draw() -> Any:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 3), layout="constrained")
        axes = figure.subplots()
        for (name, ys), marker in zip(lines.items(), "os^v", strict=False):
            axes.plot(xs, ys, marker=marker, label=name)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False)
        return figure

    write_picture(str(place), draw)


if __name__ == "__main__":
    main()
