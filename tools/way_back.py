"""Measure the way back: delexicalised systems put into plain English and delexicalised again.

    python tools/way_back.py SUBMISSIONS PREDICTIONS [SEED] [ENTRY ...]

scores every entry whose predictions are at hand (in its folder, among the downloads, or in the
folder PREDICTIONS) on the benchmark it was scored on, and prints strict Inform and Success three
times: of its own; again, of what `mwz lexicalise` made of it; and of its own file scored by
`--lexicalised` as it is, which counts what it says in plain English beside placeholders. Last come
grounded Inform and Success of the plain English.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from mwz.harness import InputError, Options, Report, Scorer
from mwz.harness.board.entries import Entry, read_entries
from mwz.harness.board.rescoring import find_predictions
from mwz.harness.board.tracks import tracks
from mwz.harness.data.installed import loaded_once
from mwz.harness.scoring.relexicalising import lexicalised_predictions
from mwz.harness.submission import checked_submission
from mwz.harness.submission.formats import read_standard

OPTIONS = Options(setup="strict", metrics=("inform",))


def main(submissions: Path, predictions: Path, seed: int, names: list[str]) -> None:
    """Print a row for each system."""
    titles = ("own", "again", "as it is", "grounded")
    print(f"{'Inform / Success':<20}" + "".join(f"{title:>16}" for title in titles))
    for entry in read_entries(submissions):
        if tracks()[entry.system.track].delexicalised and (not names or entry.key in names):
            try:
                content = find_predictions(entry, [predictions])
            except InputError as error:
                print(f"{entry.key:<20}{error}")
                continue
            if isinstance(content, bytes):
                print(f"{entry.key:<20}{_row(entry, content, seed)}", flush=True)


def _row(entry: Entry, content: bytes, seed: int) -> str:
    benchmark = loaded_once(entry.scores.main.benchmark)
    english = Scorer(benchmark, OPTIONS).with_options(lexicalised=True)
    scorer = Scorer(benchmark, replace(OPTIONS, placeholders=entry.system.aliases))
    submission = checked_submission(read_standard(content, entry.key), benchmark, entry.key)
    written = lexicalised_predictions(submission, scorer, seed)
    own = scorer.score_normalized(scorer.normalized(submission))
    again = english.score(written.dialogues)
    as_it_is = english.score_normalized(english.normalized(submission))
    grounded = again.metrics["grounded"]
    told = [_rates(own), _rates(again), _rates(as_it_is)]
    told.append(f"{grounded.inform['total']:.1f} / {grounded.success['total']:.1f}")
    return "".join(f"{rates:>16}" for rates in told)


def _rates(report: Report) -> str:
    return f"{report.inform:.1f} / {report.success:.1f}"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(
        Path(sys.argv[1]),
        Path(sys.argv[2]),
        int(sys.argv[3]) if len(sys.argv) > 3 else 1,
        sys.argv[4:],
    )
