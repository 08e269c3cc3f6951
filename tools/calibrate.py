"""Measure all published predictions files, and write what they show into the table of features.

    python tools/calibrate.py UPSTREAM DST

UPSTREAM is a folder of clones of the repositories that the entries of `submissions/` take their
predictions from, DST one of trackers' files with gold states of their own; the tests call them
`MWZ_TEST_UPSTREAM` and `MWZ_TEST_DST`. MultiWOZ has to be installed.

`honest` of `harness/submission/profile/features.toml` is written: of each feature the least and the
greatest share of odd items in any part of any published file that is in order. It is what limits
are set by, and has to stay below them. Flags are measured by the leaderboard, not here.
"""

from __future__ import annotations

import fnmatch
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mwz.harness.benchmark import Benchmark
from mwz.harness.board import Entry, find_predictions, read_entries
from mwz.harness.data import load_benchmark
from mwz.harness.io import read_bytes, write_atomically
from mwz.harness.submission import (
    StateChecks,
    checked_submission,
    declared_features,
    read_standard,
)
from mwz.harness.submission.profile.feature import Profile
from mwz.harness.submission.profile.profiling import Content, odd_features, profile_of
from mwz.normalization import DEFAULT_RULES, rule_set

PROJECT = Path(__file__).parents[1]
TABLE = PROJECT / "harness" / "submission" / "profile" / "features.toml"

FEWEST = 20
"""Shares of fewer items are left out: they are those of chance."""

DIGITS = 4
"""The decimals of shares in the table."""

FURTHER = (
    "multiwoz-mdrg/**/*.json",
    "MLCSG-ACL2020/all_prediction_TRADE.json",
    "trade-dst/**/*.json",
    "FGA/trippy/trippy_result.json",
)
"""Published outputs that are no entries, below the folder of clones."""


@dataclass(frozen=True)
class Deserved:
    """Why published files deserve remarks.

    Attributes:
        files: A pattern of their names (`PublishedFile.name`).
        features: The features that are beyond their limits in these files.
        reason: What is odd about the files.
    """

    files: str
    features: frozenset[str]
    reason: str


def _deserved(files: str, features: str, reason: str) -> Deserved:
    return Deserved(files, frozenset(features.split()), reason)


DESERVED = (
    _deserved("galaxy", "value_empty", "`none` as a value"),
    _deserved("uniconv", "value_empty", "`none` as a value"),
    _deserved("krls", "value_empty", "`none` as a value"),
    _deserved(
        "to-llm-bot",
        "value_spelling value_empty slot_missing response_unknown",
        "empty texts for slots that are not set, placeholders of its own, several values in one",
    ),
    *(
        _deserved(f"dard-{name}", "response_unknown", "placeholders of its own (table `dard`)")
        for name in (
            "best-agents",
            "claude",
            "flan-t5",
            "flan-t5-single",
            "mistral",
            "mistral-single",
        )
    ),
    _deserved("dard-dst-claude-retrieval", "state_emptied", "states vanish between turns"),
    _deserved("dard-dst-flan-t5-single", "value_unknown", "types of attractions for hotels"),
    _deserved("llama3-dst-*", "slot_foreign", "slots of buses and hospitals"),
    _deserved(
        "T5/T5_result_zeroshot_attraction.json",
        "slot_missing state_emptied",
        "a tracker that was not trained on the domain",
    ),
    _deserved(
        "T5/T5_result_zeroshot_rest.json",
        "value_spelling slot_missing",
        "a tracker that was not trained on the domain",
    ),
    _deserved(
        "T5_fewshot_taxi/zeroshot_prediction.json",
        "state_lacks",
        "a tracker that was not trained on the domain",
    ),
    _deserved(
        "T5_fewshot_train/zeroshot_prediction.json",
        "value_spelling",
        "a tracker that was not trained on the domain",
    ),
    _deserved("trippy/trippy_result.json", "value_spelling", "values that begin with a blank"),
)
"""The published files that deserve remarks: all others are in order."""


@dataclass(frozen=True)
class PublishedFile:
    """A predictions file that somebody published.

    Attributes:
        name: The key of its entry, or its path in its folder.
        read: Gives its content.
        states_only: Whether it is a tracker's.
    """

    name: str
    read: Callable[[], bytes]
    states_only: bool

    @property
    def deserved(self) -> frozenset[str]:
        """The features that are beyond their limits in it."""
        rows = [row for row in DESERVED if fnmatch.fnmatch(self.name, row.files)]
        return frozenset[str]().union(*(row.features for row in rows))

    def content(self, benchmark: Benchmark) -> Content:
        """Return what is measured of the file, as `mwz score` and `mwz dst` read it."""
        standard = read_standard(self.read(), self.name)
        own_gold = self.states_only and standard.has_gold_states
        compared = None if own_gold else benchmark
        checks = StateChecks.of_tracker(standard) if self.states_only else StateChecks()
        dialogues = checked_submission(standard, compared, self.name, None, checks).dialogues
        return Content(dialogues, compared, rule_set(DEFAULT_RULES), checks)


def published_files(upstream: Path, trackers: Path) -> Iterator[PublishedFile]:
    """Yield the files of the entries of the leaderboard, and others, below two folders."""
    for entry in read_entries(PROJECT / "submissions"):
        place = entry.system.predictions
        # Free-running dialogues have no turns of the benchmark.
        if place.pinned is not None and not place.free_running:
            states_only = entry.system.track == "state-tracking"
            yield PublishedFile(entry.key, _reader(entry, upstream), states_only)
    for pattern in FURTHER:
        for path in sorted(upstream.glob(pattern)):
            states_only = not pattern.startswith("multiwoz-mdrg")
            name = path.relative_to(upstream).as_posix()
            yield PublishedFile(name, _path_reader(path), states_only)
    for path in sorted(trackers.rglob("*.json")):
        yield PublishedFile(path.relative_to(trackers).as_posix(), _path_reader(path), True)


def _reader(entry: Entry, upstream: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        found = find_predictions(entry, [upstream])
        assert isinstance(found, bytes)
        return found

    return read


def _path_reader(path: Path) -> Callable[[], bytes]:
    return lambda: read_bytes(path)


Shares: TypeAlias = Mapping[str, Sequence[float]]
"""Feature -> shares of odd items."""


@dataclass(frozen=True)
class Measured:
    """What a published file shows.

    Attributes:
        file: The file.
        content: What was measured.
        profile: Its profile, of all dialogues.
    """

    file: PublishedFile
    content: Content
    profile: Profile

    @property
    def odd(self) -> frozenset[str]:
        """The features that are beyond their limits."""
        return frozenset(odd_features(self.profile))

    def honest_shares(self) -> dict[str, list[float]]:
        """Return feature -> the shares of parts that are held against the feature's limit.

        What the file deserves a remark for is left out, and with it what that causes.
        """
        shares: dict[str, list[float]] = {}
        for name, feature in declared_features().items():
            if {name, *feature.unless} & self.file.deserved:
                continue
            for part, tally in self.profile.tallies.get(name, {}).items():
                if feature.limit_of(part) == feature.limit and tally.items >= FEWEST:
                    shares.setdefault(name, []).append(tally.odd / tally.items)
        return shares


def measured_files(benchmark: Benchmark, upstream: Path, trackers: Path) -> Iterator[Measured]:
    """Yield the profiles of all published files."""
    for file in published_files(upstream, trackers):
        content = file.content(benchmark)
        yield Measured(file, content, profile_of(content))


def honest_ranges(measured: Sequence[Measured]) -> dict[str, tuple[float, float]]:
    """Return feature -> the least and the greatest share of published files in order."""
    every: dict[str, list[float]] = {}
    for file in measured:
        for name, shares in file.honest_shares().items():
            every.setdefault(name, []).extend(shares)
    return {
        name: (round(min(shares), DIGITS), round(max(shares), DIGITS))
        for name, shares in every.items()
    }


_HEADING = re.compile(r"^\[(\w+)\]$")


def with_honest_ranges(text: str, ranges: Mapping[str, Sequence[float]]) -> str:
    """Return the table of features, with `honest` of each feature below its `limit`.

    Args:
        text: The table, in TOML. Comments and all else stay as they are.
        ranges: Feature -> least and greatest share. Other features stay as they are.
    """
    lines: list[str] = []
    feature = ""
    for line in text.splitlines():
        heading = _HEADING.match(line)
        feature = heading[1] if heading else feature
        if feature in ranges and line.startswith("honest = "):
            continue
        lines.append(line)
        if feature in ranges and line.startswith("limit = "):
            least, greatest = ranges[feature]
            lines.append(f"honest = [{least}, {greatest}]")
    return "\n".join(lines) + "\n"


def main(upstream: Path, trackers: Path) -> None:
    """Write the ranges, and tell where a file is not as `DESERVED` says."""
    measured = [*measured_files(load_benchmark("multiwoz"), upstream, trackers)]
    for outcome in measured:
        file = outcome.file
        if outcome.odd != file.deserved:
            odd, deserved = sorted(outcome.odd), sorted(file.deserved)
            print(f"{file.name}: beyond limits: {odd}; deserved: {deserved}")
    ranges = honest_ranges(measured)
    for name, (_, greatest) in ranges.items():
        if greatest >= declared_features()[name].limit:
            print(f"{name}: {greatest} of published files, limit {declared_features()[name].limit}")
    text = TABLE.read_text(encoding="utf-8")
    write_atomically(TABLE, with_honest_ranges(text, ranges))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
