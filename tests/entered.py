"""Folders of submissions with made-up scores, and the published figures of the systems."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from mwz.harness.benchmark import STYLES
from mwz.harness.board.entries import (
    PREDICTIONS_FILE,
    SCORES_FILE,
    SYSTEM_FILE,
    Entry,
    read_entry,
    scores_text,
)

PROJECT = Path(__file__).parents[1]
REPOSITORY = PROJECT / "submissions"
SAMPLE_SUBMISSIONS = PROJECT / "harness" / "sample" / "submissions"

Figures = Mapping[str, float]

STRICT: Figures = {"inform": 70.0, "success": 60.0}
OPTIMISTIC: Figures = {"inform": 80.0, "success": 65.0}


def report(
    rules: str = "2021",
    bleu: float = 20.0,
    strict: Figures = STRICT,
    optimistic: Figures = OPTIMISTIC,
    data: str = "0123456789ab",
    styles: Figures | None = None,
) -> dict[str, Any]:
    """Return a report with given figures; BLEU is the same in all styles but those given."""
    sources = "domains:states|states:gold"
    return {
        "signature": f"mwz:0|benchmark:made-up|data:{data}|rules:{rules}|{sources}",
        "rules": rules,
        "benchmark": "made-up",
        "coverage": {"dialogues": 9, "of": 10, "turns": 54, "of_turns": 60},
        "bleu": {**dict.fromkeys(STYLES, bleu), **(styles or {})},
        "strict": _setup(strict, bleu),
        "optimistic": _setup(optimistic, bleu),
        "diversity": {
            "unigrams": 100,
            "bigrams": 200,
            "trigrams": 300,
            "entropy": 6.5,
            "conditional_entropy": 1.75,
            "mean_length": 12.25,
            "msttr": 0.5,
        },
        "unknown_placeholders": {},
        "domains": "states",
        "states": "gold",
        "goals": "all",
    }


def _setup(rates: Figures, bleu: float) -> dict[str, Any]:
    return {
        "inform": {"total": rates["inform"]},
        "success": {"total": rates["success"]},
        "combined": (rates["inform"] + rates["success"]) / 2 + bleu,
        "domains": "states",
    }


def system(**changes: Any) -> dict[str, Any]:
    """Return the content of a `entry.toml` whose predictions are beside it."""
    facts = {"name": "System", "track": "end-to-end", "predictions": {"file": PREDICTIONS_FILE}}
    return {**facts, **changes}


def enter(
    folder: Path,
    key: str,
    content: Mapping[str, Any] | None = None,
    reports: Mapping[str, Mapping[str, Any]] | None = None,
    predictions: bytes = b"{}",
) -> Entry:
    """Write a submission's folder by hand and read it."""
    place = folder / key
    place.mkdir(parents=True)
    facts = content or system(name=key.title())
    (place / SYSTEM_FILE).write_text(tomli_w.dumps(facts), encoding="utf-8")
    scored = reports or {"2021": report("2021"), "2023": report("2023")}
    text = scores_text(scored, next(iter(scored)), predictions)
    (place / SCORES_FILE).write_text(text, encoding="utf-8")
    (place / PREDICTIONS_FILE).write_bytes(gzip.compress(predictions, mtime=0))
    return read_entry(place)


def edit_scores(folder: Path, *place: str, value: object) -> None:
    """Change one figure of a `scores.json`."""
    path = folder / SCORES_FILE
    content = json.loads(path.read_text(encoding="utf-8"))
    table = content
    for part in place[:-1]:
        table = table[part]
    assert table[place[-1]] != value
    table[place[-1]] = value
    path.write_text(json.dumps(content), encoding="utf-8")


# Folder -> BLEU (mwz22), strict Inform and Success of "Shades of BLEU, Flavours of Success",
# tables 4 and 5.
PAPER: Mapping[str, tuple[float, float, float]] = {
    "damd": (16.4, 57.9, 47.6),
    "mintl": (19.4, 73.7, 65.4),
    "ubar": (17.6, 83.4, 70.3),
    "soloist": (13.6, 82.3, 72.4),
    "augpt": (16.8, 76.6, 60.5),
    "labes": (18.9, 68.5, 58.1),
    "dots": (16.8, 80.4, 68.7),
    "marco": (17.3, 94.5, 87.2),
    "hdsa": (20.7, 87.9, 79.4),
    "hdno": (17.8, 93.3, 83.4),
    "sfn": (14.1, 93.4, 82.3),
    "uniconv": (18.1, 66.7, 58.7),
    "lava": (10.8, 95.9, 93.5),
}

# The same of the harness where it differs. DoTS' published outputs are newer than those that the
# paper scored; the policy systems play with gold states, which differ by up to 0.2 between
# versions of the annotation.
HARNESS: Mapping[str, tuple[float, float, float]] = {
    **PAPER,
    "dots": (16.8, 80.5, 70.5),
    "marco": (17.3, 94.4, 87.1),
    "hdsa": (20.7, 87.7, 79.2),
    "hdno": (17.8, 93.3, 83.5),
    "lava": (10.8, 95.7, 93.3),
}
