"""The `scores.json` of an entry: its report under every published rule set.

The file is a report as `Report.to_dict` writes it, that of the default rule set, with more keys:
`predictions`, what identifies the predictions scored; `other_rules`, the reports under the other
rule sets by name; `further_gold`, what predicted states score against further gold states, if that
is known (`further_gold.py`); and `checksum`, which tells whether somebody edited the file. Of an
entry that declares placeholders, `without_placeholders` has the strict figures without them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from mwz.normalization.rules import DEFAULT_RULES
from mwz.normalization.rules.registry import digest_of_json, sha256

from ..comparison.interval import Spread, spread_of
from ..data.declared import blob_id
from ..errors import InputError
from ..io.files import parse_json, read_plain, to_json
from ..io.store import take_checksum, with_checksum
from ..io.validation import validated
from ..scoring.report import FORMAT, Report
from ..signature import Signature
from .dialogue_scores import FIGURES
from .further_gold import FURTHER_GOLD, FurtherGold, further_gold_data, read_further_gold

if TYPE_CHECKING:
    from .dialogue_scores import DialogueScores


SCORES_FILE = "scores.json"
DIALOGUES_FILE = "dialogues.json"
SEEDS_FILE = "seeds.json"

_PREDICTIONS = "predictions"
_OTHERS = "other_rules"
WITHOUT = "without_placeholders"


class Hashes(BaseModel):
    """What identifies an (unpacked) predictions file.

    Attributes:
        sha256: Its SHA-256.
        git_blob: Its git blob id.
        content: The SHA-256 of what it says, however that is written: the same predictions saved
            again by another program are another file with the same content.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    git_blob: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    content: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None

    def is_file(self, content: bytes) -> bool:
        """Whether they are those of an (unpacked) file."""
        file = hashes_of(content)
        return (self.sha256, self.git_blob) == (file.sha256, file.git_blob)


@dataclass(frozen=True)
class Scores:
    """What an entry scores.

    Attributes:
        reports: Rule set -> report. There are none if an earlier version of the harness wrote
            them, and the entry is to be scored again.
        predictions: What identifies the predictions; None where there are none.
        intact: Whether they are as the harness wrote them, and not edited since.
        dialogues: The same dialogue by dialogue, with intervals and causes: what stands in
            `dialogues.json`; None where that is not there.
        seeds: What further seeds of the system score: what stands in `seeds.json`, if it is there.
        without_placeholders: Rule set -> BLEU, Inform, Success and combined score, strict, without
            the placeholders that the entry declares; None if it declares none.
        further_gold: What its predicted states score against further gold states.
    """

    reports: Mapping[str, Report]
    predictions: Hashes | None
    intact: bool = True
    dialogues: DialogueScores | None = None
    seeds: SeedScores | None = None
    without_placeholders: Mapping[str, Mapping[str, float]] | None = None
    further_gold: FurtherGold = field(default_factory=dict)

    @property
    def main(self) -> Report:
        """The report under the default rule set."""
        return self.reports[DEFAULT_RULES]

    def under(self, rules: str) -> Report | None:
        """Return the report under a rule set, if there is one."""
        return self.reports.get(rules)

    def beside(self) -> dict[str, str]:
        """Return name -> content of the files beside a `scores.json`, those that there are."""
        parts = {DIALOGUES_FILE: self.dialogues, SEEDS_FILE: self.seeds}
        return {name: part.to_text() for name, part in parts.items() if part is not None}

    def to_text(self) -> str:
        """Return the content of a `scores.json`."""
        return to_json(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the content of a `scores.json` as JSON types."""
        others = {n: r.to_dict() for n, r in self.reports.items() if n != DEFAULT_RULES}
        hashes = {}
        if self.predictions is not None:
            hashes = {_PREDICTIONS: self.predictions.model_dump(exclude_none=True)}
        without = self.without_placeholders
        own = {} if without is None else {WITHOUT: without}
        content = {**self.main.to_dict(), **hashes, **own, _OTHERS: others}
        if self.further_gold:
            content[FURTHER_GOLD] = further_gold_data(self.further_gold)
        return with_checksum(content)


def hashes_of(content: bytes, said: object = None) -> Hashes:
    """Return what identifies an (unpacked) predictions file.

    Args:
        content: The file.
        said: What it says, as JSON types; None if that is not known.
    """
    return Hashes(
        sha256=sha256(content),
        git_blob=blob_id(content),
        content=None if said is None else digest_of_json({"said": said}),
    )


def read_scores(path: Path) -> Scores:
    """Read a `scores.json`.

    Raises:
        InputError: The file is missing, not JSON, or not as the schema says.
    """
    return parse_scores(read_plain(path), str(path))


def parse_scores(content: bytes, source: str) -> Scores:
    """Return the content of a `scores.json`; `source` names it in messages.

    Of a file that an earlier version wrote, nothing is read. One that was edited is read as far as
    it makes sense, so that what was edited can be told.

    Raises:
        InputError: The content is not JSON, or not as the schema says.
    """
    document = parse_json(content, source)
    if not isinstance(document, dict):
        raise InputError(source, "expected a report, an object")
    if "signature" in document and document.get("format") != FORMAT:
        return Scores({}, None)
    intact = take_checksum(document)
    hashes = document.pop(_PREDICTIONS, None)
    others = document.pop(_OTHERS, {})
    further = read_further_gold(document.pop(FURTHER_GOLD, {}), source)
    without = document.pop(WITHOUT, None)
    if not isinstance(others, dict):
        raise InputError(source, f"{_OTHERS}: expected an object of rule set -> report")
    reports = {DEFAULT_RULES: Report.from_dict(document, source)}
    for rules, report in others.items():
        reports[rules] = Report.from_dict(report, f"{source}, {_OTHERS}.{rules}")
    problems = [
        f"{'rules' if rules == DEFAULT_RULES else f'{_OTHERS}.{rules}'}: holds scores under rule "
        f"set {report.rules}"
        for rules, report in reports.items()
        if report.rules != rules
    ]
    if problems:
        raise InputError(source, problems)
    return Scores(
        reports=reports,
        predictions=None if hashes is None else validated(Hashes, hashes, source, _PREDICTIONS),
        intact=intact,
        without_placeholders=None
        if without is None
        else validated(dict[str, dict[str, FiniteFloat]], without, source, WITHOUT),
        further_gold=further,
    )


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
