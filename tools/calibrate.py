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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mwz.harness.benchmark import Benchmark
from mwz.harness.board import find_predictions, read_entries
from mwz.harness.data import load_benchmark
from mwz.harness.io import read_bytes, write_atomically
from mwz.harness.submission import StateChecks, checked_submission, declared_features, read_standard
from mwz.harness.submission.profile.measuring import profile_of
from mwz.harness.submission.profile.profile import Profile, profile_remarks
from mwz.harness.submission.profile.vocabulary import Content
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


_UNTRAINED = "a tracker that was not trained on the domain"

DESERVED: Mapping[str, tuple[str, str]] = {
    "galaxy": ("value_empty", "`none` as a value"),
    "uniconv": ("value_empty", "`none` as a value"),
    "krls": ("value_empty", "`none` as a value"),
    "to-llm-bot": (
        "value_spelling value_empty slot_missing response_unknown",
        "empty texts for slots that are not set, placeholders of its own, several values in one",
    ),
    "dard-[!d]*": ("response_unknown", "placeholders of its own (table `dard`)"),
    "dard-dst-claude-retrieval": ("state_emptied", "states vanish between turns"),
    "dard-dst-flan-t5-single": ("value_unknown", "types of attractions for hotels"),
    "llama3-dst-*": ("slot_foreign", "slots of buses and hospitals"),
    "T5/T5_result_zeroshot_attraction.json": ("slot_missing state_emptied", _UNTRAINED),
    "T5/T5_result_zeroshot_rest.json": ("value_spelling slot_missing", _UNTRAINED),
    "T5_fewshot_taxi/zeroshot_prediction.json": ("state_lacks", _UNTRAINED),
    "T5_fewshot_train/zeroshot_prediction.json": ("value_spelling", _UNTRAINED),
    "trippy/trippy_result.json": ("value_spelling", "values that begin with a blank"),
}
"""Pattern of the names of published files (`Measured.name`) that deserve remarks -> the features
that are beyond their limits in them, and what is odd about them. All others are in order."""


@dataclass(frozen=True)
class Measured:
    """What a predictions file that somebody published shows.

    Attributes:
        name: The key of its entry, or its path in its folder.
        content: What was measured, as `mwz score` and `mwz dst` read it.
        profile: Its profile, of all dialogues.
    """

    name: str
    content: Content
    profile: Profile

    @property
    def deserved(self) -> set[str]:
        """The features that it deserves a remark for."""
        deserved: set[str] = set()
        for pattern, (features, _) in DESERVED.items():
            if fnmatch.fnmatch(self.name, pattern):
                deserved.update(features.split())
        return deserved

    @property
    def odd(self) -> set[str]:
        """The features that are beyond their limits."""
        return {remark.kind for remark in profile_remarks(self.profile)}


def measured_files(benchmark: Benchmark, upstream: Path, trackers: Path) -> Iterator[Measured]:
    """Yield what the files of the leaderboard's entries, and others, below two folders show."""

    def measured(content: bytes | str, name: str, states_only: bool) -> Measured:
        assert isinstance(content, bytes)
        standard = read_standard(content, name)
        own_gold = states_only and standard.has_gold_states
        compared = None if own_gold else benchmark
        checks = StateChecks.of_tracker(standard) if states_only else StateChecks()
        dialogues = checked_submission(standard, compared, name, None, checks).dialogues
        shown = Content(dialogues, compared, rule_set(DEFAULT_RULES), checks)
        return Measured(name, shown, profile_of(shown))

    for entry in read_entries(PROJECT / "submissions"):
        place = entry.system.predictions
        # Free-running dialogues have no turns of the benchmark.
        if place.pinned is not None and not place.free_running:
            states_only = entry.system.track == "state-tracking"
            yield measured(find_predictions(entry, [upstream]), entry.key, states_only)
    for pattern in FURTHER:
        for path in sorted(upstream.glob(pattern)):
            states_only = not pattern.startswith("multiwoz-mdrg")
            yield measured(read_bytes(path), path.relative_to(upstream).as_posix(), states_only)
    for path in sorted(trackers.rglob("*.json")):
        yield measured(read_bytes(path), path.relative_to(trackers).as_posix(), True)


def honest_ranges(files: Sequence[Measured]) -> dict[str, tuple[float, float]]:
    """Return feature -> the least and the greatest share of published files in order.

    The shares are those of parts that are held against the feature's limit. What a file deserves a
    remark for is left out, and with it what that causes.
    """
    shares: dict[str, list[float]] = {}
    for file in files:
        for name, feature in declared_features().items():
            if not file.deserved.isdisjoint({name, *feature.unless}):
                continue
            for part, tally in file.profile.tallies.get(name, {}).items():
                if feature.limit_of(part) == feature.limit and tally.items >= FEWEST:
                    shares.setdefault(name, []).append(tally.odd / tally.items)
    ranges = {}
    for name, values in shares.items():
        ranges[name] = round(min(values), DIGITS), round(max(values), DIGITS)
    return ranges


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
    files = list(measured_files(load_benchmark("multiwoz"), upstream, trackers))
    for file in files:
        if file.odd != file.deserved:
            odd, deserved = sorted(file.odd), sorted(file.deserved)
            print(f"{file.name}: beyond limits: {odd}; deserved: {deserved}")
    ranges = honest_ranges(files)
    for name, (_, greatest) in ranges.items():
        limit = declared_features()[name].limit
        if greatest >= limit:
            print(f"{name}: {greatest} of published files, limit {limit}")
    text = TABLE.read_text(encoding="utf-8")
    write_atomically(TABLE, with_honest_ranges(text, ranges))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
