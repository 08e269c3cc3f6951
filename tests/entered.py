"""Folders of submissions with made-up scores, and the published figures of the systems."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from mwz.harness.benchmark import CANONICAL_STYLE, STYLES
from mwz.harness.board.entries import ENTRY_FILE, PREDICTIONS_FILE, Entry, read_entry
from mwz.harness.board.scores import SCORES_FILE, Scores, hashes_of
from mwz.harness.metrics.diversity import Diversity
from mwz.harness.metrics.inform import SetupScores
from mwz.harness.report import Coverage, Report
from mwz.harness.signature import Signature
from mwz.normalization.rules import published_rule_sets, rule_set

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
    **metrics: Any,
) -> Report:
    """Return a report with given figures; BLEU is the same in all styles but those given.

    Args:
        rules: The rule set.
        bleu: BLEU.
        strict: Inform and Success in the strict set-up.
        optimistic: The same in the optimistic one.
        data: The beginning of the content hash.
        styles: Reference style -> BLEU, where it is another.
        metrics: Results of further metrics.
    """
    bleus = {**dict.fromkeys(STYLES, bleu), **(styles or {})}
    return Report(
        signature=Signature(
            benchmark="made-up",
            data=data.ljust(64, "0"),
            rules=rules,
            rules_digest=rule_set(rules).digest,
            setup="both",
            domains="states",
            states="gold",
            goals="all",
            coverage="54/60-ba9876543210",
            versions={"mwz": "0"},
        ),
        coverage=Coverage(dialogues=9, of=10, turns=54, of_turns=60),
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
    """Return the content of a `entry.toml` whose predictions are beside it."""
    facts = {"name": "System", "track": "end-to-end", "predictions": {"file": PREDICTIONS_FILE}}
    return {**facts, **changes}


def enter(
    folder: Path,
    key: str,
    content: Mapping[str, Any] | None = None,
    scored: Mapping[str, Report] | None = None,
    predictions: bytes = b"{}",
) -> Entry:
    """Write a submission's folder by hand and read it."""
    place = folder / key
    place.mkdir(parents=True)
    facts = content or system(name=key.title())
    (place / ENTRY_FILE).write_text(tomli_w.dumps(facts), encoding="utf-8")
    text = Scores(scored or reports(), hashes_of(predictions)).to_text()
    (place / SCORES_FILE).write_text(text, encoding="utf-8")
    (place / PREDICTIONS_FILE).write_bytes(gzip.compress(predictions, mtime=0))
    return read_entry(place)


def edit_scores(folder: Path, *place: str, value: object) -> None:
    """Change one figure of a `scores.json`."""
    content = _scores_content(folder)
    table = content
    for part in place[:-1]:
        table = table[part]
    assert table[place[-1]] != value
    table[place[-1]] = value
    _write_scores(folder, content)


def edit_inform(folder: Path, value: float) -> None:
    """Change the strict Inform of a `scores.json`, and all that follows from it."""
    content = _scores_content(folder)
    strict = content["strict"]
    assert strict["inform"]["total"] != value
    strict["inform"]["total"] = value
    strict["combined"] = (value + strict["success"]["total"]) / 2 + content["bleu"][CANONICAL_STYLE]
    content.update(inform=value, combined=strict["combined"])
    _write_scores(folder, content)


def make_older(folder: Path) -> None:
    """Make a `scores.json` one that an earlier version of the harness wrote."""
    content = _scores_content(folder)
    for old in (content, *content["other_rules"].values()):
        del old["format"], old["signature_fields"], old["inform"], old["success"], old["combined"]
    _write_scores(folder, content)


def _scores_content(folder: Path) -> Any:
    return json.loads((folder / SCORES_FILE).read_text(encoding="utf-8"))


def _write_scores(folder: Path, content: object) -> None:
    (folder / SCORES_FILE).write_text(json.dumps(content), encoding="utf-8")


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
