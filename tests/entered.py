"""Folders of submissions with made-up scores, and the published figures of the systems."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import tomli_w
from helpers import PROJECT, SUBMISSIONS, write_json

from mwz.harness import Benchmark
from mwz.harness.benchmark import CANONICAL_STYLE, STYLES
from mwz.harness.board import Entry, Reading, Scores, System, read_board, read_entries, tracks
from mwz.harness.board.entries import ENTRY_FILE, read_entry
from mwz.harness.board.entry_scores import score_entry
from mwz.harness.board.markdown import tables_page
from mwz.harness.board.model import Board, make_board
from mwz.harness.board.pairs import Pairs
from mwz.harness.board.reported import ReportedTable
from mwz.harness.board.scores import SCORES_FILE, hashes_of, scores_text
from mwz.harness.board.state_tracking import read_states
from mwz.harness.board.submitting import new_folder, submit
from mwz.harness.board.systems import PREDICTIONS_FILE
from mwz.harness.data import load_benchmark
from mwz.harness.io import validated
from mwz.harness.metrics import LowerBound
from mwz.harness.metrics.diversity import Diversity
from mwz.harness.metrics.inform import SetupScores
from mwz.harness.scoring import Coverage, Report, Scorer
from mwz.harness.signature import Signature
from mwz.normalization import DEFAULT_RULES, published_rule_sets, rule_set

REPOSITORY = PROJECT / "submissions"

Figures = Mapping[str, float]

STRICT: Figures = {"inform": 70.0, "success": 60.0}
OPTIMISTIC: Figures = {"inform": 80.0, "success": 65.0}

DIALOGUES = 100
"""Dialogues of the made-up benchmark: whole percents are rates of them."""

TURNS = 600
"""System turns of the made-up benchmark, six a dialogue."""

UNSUSPICIOUS = {"placeholders": 1.0, "placement": 0.6, "gold_states": 0.25}
"""Flags none of which is raised."""


# A file of outputs that is pinned.
COMMIT, BLOB = "c" * 40, "b" * 40
PIN = {"repository": "some/one", "commit": COMMIT, "path": "a/b.json", "git_blob": BLOB}


def report(
    rules: str = "2021",
    bleu: float = 20.0,
    strict: Figures = STRICT,
    optimistic: Figures = OPTIMISTIC,
    data: str = "0123456789ab",
    styles: Figures | None = None,
    states: str = "predicted",
    turns: int = TURNS,
    dialogues: int = DIALOGUES,
    **metrics: Any,
) -> Report:
    """Return a report with given figures, such as the harness could write.

    BLEU is the same in all styles but those given. The rates must be some of as many dialogues.

    Args:
        rules: The rule set.
        bleu: BLEU.
        strict: Inform and Success in the strict set-up.
        optimistic: The same in the optimistic one.
        data: The beginning of the content hash.
        styles: Reference style -> BLEU, where it is another.
        states: The source of belief states.
        turns: The turns played, of `TURNS`. Fewer bring a lower bound, BLEU cut in proportion.
        dialogues: The dialogues played, of `DIALOGUES`.
        metrics: Results of further metrics.
    """
    bleus = {**dict.fromkeys(STYLES, bleu), **(styles or {})}
    missing = turns < TURNS
    if missing:
        share = dialogues / DIALOGUES
        inform, success = share * strict["inform"], share * strict["success"]
        cut = bleus[CANONICAL_STYLE] * turns / TURNS
        bound = LowerBound(cut, inform, success, (inform + success) / 2 + cut)
        metrics = {"lower_bound": bound, **metrics}
    return Report(
        signature=Signature(
            benchmark="made-up",
            data=data.ljust(64, "0"),
            rules=rules,
            rules_digest=rule_set(rules).digest,
            setup="both",
            domains="states",
            states=states,
            goals="all",
            coverage=f"{turns}/{TURNS}-ba9876543210" if missing else None,
            versions={"mwz": "0"},
        ),
        coverage=Coverage(dialogues=dialogues, of=DIALOGUES, turns=turns, of_turns=TURNS),
        metrics={
            "bleu": bleus,
            "strict": _setup(strict, bleus[CANONICAL_STYLE], "states"),
            "optimistic": _setup(optimistic, bleus[CANONICAL_STYLE], "gold"),
            "diversity": Diversity(
                unigrams=100,
                bigrams=200,
                trigrams=300,
                entropy=6.5,
                conditional_entropy=1.75,
                mean_length=12.25,
                msttr=0.5,
            ),
            "flags": UNSUSPICIOUS,
            **metrics,
        },
    )


def reports(**figures: Any) -> dict[str, Report]:
    """Return rule set -> a report with given figures, of all published rule sets."""
    return {rules: report(rules, **figures) for rules in published_rule_sets()}


def _setup(rates: Figures, bleu: float, domains: str) -> SetupScores:
    return SetupScores(
        inform={"total": rates["inform"]},
        success={"total": rates["success"]},
        combined=(rates["inform"] + rates["success"]) / 2 + bleu,
        domains=domains,
    )


def system(**changes: Any) -> dict[str, Any]:
    """Return the content of an `entry.toml` whose predictions are beside it."""
    facts = {"name": "System", "track": "end-to-end", "predictions": {"file": PREDICTIONS_FILE}}
    return {**facts, **changes}


def made_system(name: str = "System", **changes: Any) -> System:
    """Return a system whose predictions are beside its `entry.toml`."""
    return validated(System, system(name=name, **changes), "system")


def write_scores(folder: Path, scores: Scores) -> None:
    """Write an entry's `scores.json` as the harness would."""
    (folder / SCORES_FILE).write_text(scores_text(scores), encoding="utf-8")


def enter(
    folder: Path,
    key: str,
    content: Mapping[str, Any] | None = None,
    scored: Mapping[str, Report] | None = None,
    predictions: bytes | None = None,
) -> Entry:
    """Write an entry's folder by hand and read it.

    Args:
        folder: The folder of entries.
        key: The folder's name; it must be that of the system's name for the entry to be in order.
        content: Its `entry.toml`.
        scored: Its reports.
        predictions: Its predictions file; by default one that no other entry has.
    """
    if predictions is None:
        predictions = json.dumps({key: []}).encode()
    place = folder / key
    place.mkdir(parents=True)
    facts = content or system(name=key.title())
    (place / ENTRY_FILE).write_text(tomli_w.dumps(facts), encoding="utf-8")
    write_scores(place, Scores(scored or reports(), hashes_of(predictions)))
    (place / PREDICTIONS_FILE).write_bytes(gzip.compress(predictions, mtime=0))
    return read_entry(place)


def enter_made(folder: Path, key: str = "corpus", made: str = "mwz22", **figures: Any) -> Entry:
    """Enter a reference row, which has no file."""
    facts = system(name=key.title(), track="reference", predictions={"made": made})
    entry = enter(folder, key, facts, reports(states="gold", **figures))
    write_scores(entry.folder, Scores(entry.scores.reports, None))
    return read_entry(entry.folder)


SAMPLE_TRACKS = {
    "careful": "end-to-end",
    "hasty": "end-to-end",
    # It predicts no states.
    "scripted": "policy-optimization",
}
"""Submission to the sample -> the track that it belongs in."""


def sample_content(name: str) -> bytes:
    """Return the predictions file of a submission to the sample."""
    return (SUBMISSIONS / f"{name}.json").read_bytes()


def all_scores(
    content: bytes | str, benchmark: Benchmark, source: str, track: str = "end-to-end"
) -> Scores:
    """Return all that is stored of a system's responses."""
    reading = Reading(scorer=Scorer(benchmark))
    return score_entry(tracks()[track].read(content, source, reading))


def tracker_scores(
    content: bytes | str, source: str, benchmark: Benchmark, **options: Any
) -> Scores:
    """Return all that is stored of a tracker."""
    reading = Reading(scorer=Scorer(benchmark), **options)
    return score_entry(read_states(content, source, reading))


def enter_tracker(folder: Path, key: str, content: bytes, scores: Scores) -> Entry:
    """Write a tracker's folder by hand, with its scores, and read it."""
    facts = system(name=key, track="state-tracking")
    place = enter(folder, key, facts, predictions=content).folder
    write_scores(place, scores)
    return read_entry(place)


def submit_alone(
    folder: Path, facts: System, content: bytes, scores: Scores, replaces: bool = False
) -> Entry:
    """Enter a system as `mwz submit` does, and return its entry."""
    target, others = new_folder(folder, facts, replaces)
    entry = Entry(target, facts, scores)
    submit(entry, others, [content])
    return entry


def track_tables(track: str, entries: Sequence[Entry], rules: str = "2021") -> list[list[Any]]:
    """Return the rows of each of a track's tables."""
    return tracks()[track].rows(entries, rules, {})


def shown_columns(track: str, rows: Sequence[Any]) -> list[Any]:
    """Return the columns of a table of a track that has columns of its own."""
    return tracks()[track].columns(
        Board(DEFAULT_RULES, [], [], {key: [] for key in tracks()}), rows
    )


@cache
def sample_scores(name: str) -> Scores:
    """Return what a submission to the sample scores."""
    return all_scores(sample_content(name), load_benchmark("sample"), name)


def enter_sample(folder: Path, *names: str) -> None:
    """Enter submissions to the sample, by default all three, as `mwz submit` does."""
    for name in names or SAMPLE_TRACKS:
        facts = made_system(name, track=SAMPLE_TRACKS[name])
        submit_alone(folder, facts, sample_content(name), sample_scores(name))


def edit_scores(folder: Path, *place: str, value: object) -> None:
    """Change one figure of the report of a `scores.json` under the default rule set.

    Args:
        folder: The entry's folder.
        place: Where the figure stands in the report, or in another section of the file.
        value: What it becomes.
    """

    def change(content: Any) -> None:
        if place[0] not in ("predictions", "without_placeholders"):
            content = content["reports"][DEFAULT_RULES]
        for part in place[:-1]:
            content = content[part]
        assert content[place[-1]] != value
        content[place[-1]] = value

    change_scores(folder, change)


def edit_inform(folder: Path, value: float) -> None:
    """Change the strict Inform of a `scores.json`, and all figures that follow from it."""

    def change(content: Any) -> None:
        report = content["reports"][DEFAULT_RULES]
        strict = report["strict"]
        assert strict["inform"]["total"] != value
        strict["inform"]["total"] = value
        success, bleu = strict["success"]["total"], report["bleu"][CANONICAL_STYLE]
        strict["combined"] = (value + success) / 2 + bleu
        report.update(inform=value, combined=strict["combined"])

    change_scores(folder, change)


def change_scores(folder: Path, change: Callable[[Any], None]) -> None:
    """Change the content of a `scores.json`."""
    content = json.loads((folder / SCORES_FILE).read_text(encoding="utf-8"))
    change(content)
    write_json(folder / SCORES_FILE, content)


def make_older(folder: Path) -> None:
    """Make a `scores.json` one that an earlier version of the harness wrote."""
    change_scores(folder, lambda content: content.update(format=3))


# Folder -> BLEU (mwz22), Inform and Success, optimistic Inform and Success of "Shades of BLEU,
# Flavours of Success", tables 4 and 5. Table 5 has 80.4 and 68.7 of DoTS, which are the rates with
# domains estimated from state changes: the published outputs say their active domains, and the
# public evaluator uses those.
PUBLISHED: Mapping[str, tuple[float, ...]] = {
    "damd": (16.4, 57.9, 47.6, 73.7, 63.0),
    "mintl": (19.4, 73.7, 65.4, 79.3, 71.1),
    "ubar": (17.6, 83.4, 70.3, 88.6, 75.0),
    "soloist": (13.6, 82.3, 72.4, 86.1, 76.2),
    "augpt": (16.8, 76.6, 60.5, 78.1, 62.4),
    "labes": (18.9, 68.5, 58.1, 75.8, 65.5),
    "dots": (16.8, 80.5, 70.5, 84.4, 74.4),
    "marco": (17.3, 94.5, 87.2, 96.9, 89.9),
    "hdsa": (20.7, 87.9, 79.4, 91.6, 83.2),
    "hdno": (17.8, 93.3, 83.4, 97.7, 90.2),
    "sfn": (14.1, 93.4, 82.3, 96.7, 87.0),
    "uniconv": (18.1, 66.7, 58.7, 67.5, 60.1),
    "lava": (10.8, 95.9, 93.5, 97.5, 95.9),
}


def leaderboard(
    entries: Sequence[Entry],
    rules: str,
    note: str = "",
    tables: Sequence[ReportedTable] = (),
    pairs: Pairs | None = None,
) -> str:
    """Return the page of all tables of entries in Markdown."""
    return tables_page(make_board(entries, rules, tables, note, pairs))


def site_of(folder: Path) -> dict[str, str]:
    """Return the web page of a folder of submissions: path -> content."""
    # The room may be missing.
    from mwz.harness.board.views.site import make_site

    board = read_board(folder, read_entries(folder), "2021")
    return make_site(board, folder.parent / "docs")
