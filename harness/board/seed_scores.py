"""The `seeds.json` of an entry: what further seeds of the system score.

How much scores vary with the seed of the training is another question than how much they would vary
with other dialogues: it is kept apart from every interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..comparison.seeds import Spread, spread_of
from ..errors import InputError
from ..files import parse_json, read_plain, to_json
from ..io.store import take_checksum, with_checksum
from ..signature import Signature
from ..validation import validated
from .dialogue_scores import FIGURES
from .scores import Hashes

_FORMAT = 1


@dataclass(frozen=True)
class Seed:
    """What a further seed of a system scores under the default rule set.

    Attributes:
        file: The name of its predictions file, in the entry's folder.
        predictions: What identifies these.
        signature: What its scores depend on.
        scores: Of `FIGURES` -> value.
    """

    file: str
    predictions: Hashes
    signature: Signature
    scores: Mapping[str, float]


@dataclass(frozen=True)
class SeedScores:
    """The content of a `seeds.json`.

    Attributes:
        seeds: The further seeds: the first one is the entry itself.
        spread: Of `FIGURES` -> how it is spread over all seeds, the entry's own one included.
        intact: Whether it is as the harness wrote it, and not edited since.
    """

    seeds: tuple[Seed, ...]
    spread: Mapping[str, Spread]
    intact: bool = True

    def is_as(self, other: SeedScores) -> bool:
        """Whether it says what another does, apart from what the order of arithmetic can make."""

        def told(kept: SeedScores) -> list[object]:
            return [(seed.file, seed.predictions, seed.signature) for seed in kept.seeds]

        return told(self) == told(other) and same_spread(self.spread, other.spread)

    def to_text(self) -> str:
        """Return the content of a `seeds.json`."""
        seeds = [
            {
                "file": seed.file,
                "predictions": seed.predictions.model_dump(),
                "signature": seed.signature.to_dict(),
                "scores": dict(seed.scores),
            }
            for seed in self.seeds
        ]
        spread = {name: one.to_dict() for name, one in self.spread.items()}
        content = {"format": _FORMAT, "seeds": seeds, "spread": spread}
        return to_json(with_checksum(content))


def seed_scores(own: Mapping[str, float], seeds: Sequence[Seed]) -> SeedScores:
    """Return what the seeds of a system score.

    Args:
        own: Of `FIGURES` -> value, of the entry itself.
        seeds: The further seeds, at least one.
    """
    return SeedScores(tuple(seeds), spread_of([own, *(seed.scores for seed in seeds)]))


def seed_file(number: int | str) -> str:
    """Return the name of the predictions file of a further seed; the first has number 2."""
    return f"seed-{number}.json.gz"


def read_seeds(path: Path) -> SeedScores | None:
    """Read a `seeds.json`; None if there is none.

    Raises:
        InputError: The file is not JSON, not as the schema says, or of another version.
    """
    if not path.is_file():
        return None
    source = str(path)
    document: Any = parse_json(read_plain(path), source)
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise InputError(source, "written by another version; submit the entry again")
    intact = take_checksum(document)
    del document["format"]
    read = validated(SeedScores, document, source)
    for seed in read.seeds:
        if Path(seed.file).name != seed.file or set(seed.scores) != set(FIGURES):
            raise InputError(source, f"seeds: expected file names, and {', '.join(FIGURES)}")
    return SeedScores(read.seeds, read.spread, intact)


def seed_problems(kept: SeedScores, own: Mapping[str, float]) -> Iterator[str]:
    """Yield what of a `seeds.json` does not follow from the rest.

    Args:
        kept: Its content.
        own: Of `FIGURES` -> value, of the entry itself.
    """
    expected = spread_of([own, *(seed.scores for seed in kept.seeds)]) if kept.seeds else {}
    if not same_spread(expected, kept.spread):
        yield "mean and standard deviation"


def same_spread(one: Mapping[str, Spread], other: Mapping[str, Spread]) -> bool:
    """Whether figures are spread alike, apart from what the order of arithmetic can make."""
    return one.keys() == other.keys() and all(
        math.isclose(value, theirs[what], rel_tol=1e-9, abs_tol=1e-9)
        for name, ours in one.items()
        for theirs in [other[name].to_dict()]
        for what, value in ours.to_dict().items()
    )
