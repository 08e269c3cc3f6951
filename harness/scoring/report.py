"""A report: everything a score consists of, as plain data, the same whichever way it is shown.

The schema, in Python and in JSON under the same names: what was scored on (`signature`,
`benchmark`, `rules`, `domains`, `states`, `goals`, `coverage`), the headline figures that are no
result of their own, in the main set-up (`inform`, `success`, `combined`), and the result of every
metric under a key of its own (`bleu`, `strict`, `optimistic`, `diversity`, `dst`, and whatever else
metrics give). In Python the results are also together, in `metrics`. `Report.from_dict` reads back
what `Report.to_dict` wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..metrics.metric import Headline, headlines, result_keys, result_types
from ..metrics.setups import MAIN_SETUP
from ..signature import Signature

if TYPE_CHECKING:
    from ..metrics.diversity import Diversity
    from ..metrics.inform import SetupScores
    from ..metrics.tracking.evaluation import TrackingResult

FORMAT = 2
"""The version of the schema. It changes when a reader of the old one would be misled."""


RANKED_COVERAGE = 90.0
"""Turns played, in percent, below which an entry is listed without a rank."""


@dataclass(frozen=True)
class Coverage:
    """How much of the benchmark a submission plays.

    Attributes:
        dialogues: Dialogues played.
        of: Dialogues of the benchmark.
        turns: System turns played.
        of_turns: System turns of the benchmark.
    """

    dialogues: int
    of: int
    turns: int
    of_turns: int

    @property
    def complete(self) -> bool:
        """Whether every turn is played."""
        return self.turns == self.of_turns

    @property
    def percent(self) -> float:
        """Turns played, in percent."""
        return 100 * self.turns / self.of_turns


@dataclass(frozen=True)
class Report:
    """All scores of a submission at full precision; rates and scores in percent.

    Attributes:
        signature: Everything the numbers depend on besides the system.
        coverage: How much of the benchmark the submission plays.
        unknown_placeholders: Placeholders that the ontology lacks -> how often they occurred.
        metrics: Key -> result, of every metric that was asked for. They are attributes, too:
            None if not asked for.
    """

    signature: Signature
    coverage: Coverage
    unknown_placeholders: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def benchmark(self) -> str:
        """Name of the benchmark."""
        return self.signature.benchmark or ""

    @property
    def rules(self) -> str:
        """Name of the rule set."""
        return self.signature.rules or ""

    @property
    def domains(self) -> str:
        """The source of active domains in the strict set-up."""
        return self.signature.domains or ""

    @property
    def states(self) -> str:
        """The source of belief states, "predicted" or "gold"."""
        return self.signature.states or ""

    @property
    def goals(self) -> str:
        """Which dialogues were scored: "all", or those with a "seen" or "unseen" goal."""
        return self.signature.goals or ""

    @property
    def bleu(self) -> Mapping[str, float] | None:
        """Reference style -> corpus BLEU in percent."""
        return self.metrics.get("bleu")

    @property
    def strict(self) -> SetupScores | None:
        """Inform and Success in the strict set-up, in total and by domain."""
        return self.setup("strict")

    @property
    def optimistic(self) -> SetupScores | None:
        """Inform and Success in the optimistic set-up."""
        return self.setup("optimistic")

    @property
    def diversity(self) -> Diversity | None:
        """Diversity of the responses."""
        return self.metrics.get("diversity")

    @property
    def dst(self) -> TrackingResult | None:
        """State tracking."""
        return self.metrics.get("dst")

    @property
    def inform(self) -> float | None:
        """Strict total Inform, in percent."""
        return headlines()["inform"].value(self, MAIN_SETUP)

    @property
    def success(self) -> float | None:
        """Strict total Success, in percent."""
        return headlines()["success"].value(self, MAIN_SETUP)

    @property
    def combined(self) -> float | None:
        """Strict combined score."""
        return headlines()["combined"].value(self, MAIN_SETUP)

    def __getattr__(self, name: str) -> Any:
        # Results and headlines without a property; of a copy that is being made there are none.
        if not name.startswith("_") and "metrics" in self.__dict__:
            if name in self.metrics or name in result_keys():
                return self.metrics.get(name)
            if name in headlines():
                return headlines()[name].value(self, MAIN_SETUP)
        raise AttributeError(f"the report has no {name}")

    def setup(self, name: str) -> SetupScores | None:
        """Return Inform and Success under a set-up; None if not asked for."""
        return self.metrics.get(name)

    def whole(self, name: str, setup: str = MAIN_SETUP) -> float | None:
        """Return a headline figure over the whole benchmark, by which systems are ranked.

        It is the lower bound where turns are missing; None if that is not known.

        Args:
            name: A key of `headlines()`.
            setup: A key of `SETUPS`.
        """
        if self.coverage.complete:
            return headlines()[name].value(self, setup)
        known = setup == MAIN_SETUP or name == "bleu"
        return getattr(self.metrics.get("lower_bound"), name, None) if known else None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types."""
        totals = {name: one.value(self, MAIN_SETUP) for name, one in _totals().items()}
        return {
            "format": FORMAT,
            "signature": str(self.signature),
            "signature_fields": self.signature.to_dict(),
            **{name: getattr(self, name) for name in _SIGNED},
            "coverage": asdict(self.coverage),
            **{name: value for name, value in totals.items() if value is not None},
            **{name: _plain(result) for name, result in self.metrics.items()},
            "unknown_placeholders": dict(self.unknown_placeholders),
        }

    @staticmethod
    def from_dict(content: object, source: str) -> Report:
        """Return the report that `to_dict` wrote.

        Args:
            content: A report as JSON types. Metrics that this version does not know are kept as
                they are.
            source: What messages call it.

        Raises:
            InputError: The content is no report of this version; with every place.
        """
        if not isinstance(content, Mapping):
            raise InputError(source, "expected a report, an object")
        if content.get("format") != FORMAT:
            raise InputError(
                source,
                f"format: a report of version {FORMAT} is expected, and this is "
                f"{content.get('format', 'older')}; score again",
            )
        return _read(content, source)


_SIGNED = ("benchmark", "rules", "domains", "states", "goals")
_PARTS = {
    "signature_fields": Signature,
    "coverage": Coverage,
    "unknown_placeholders": dict[str, int],
}
"""What a report has besides results of metrics, and what follows from both: key -> type."""


def _totals() -> dict[str, Headline]:
    """Return name -> headline, of those that are no result of their own."""
    return {name: one for name, one in headlines().items() if name not in result_keys()}


def _read(content: Mapping[str, Any], source: str) -> Report:
    """Read a report; results of metrics that are not known stay as they are."""
    # Whoever only writes reports need not load what reading takes.
    from ..io.files import validated

    types = {**result_types(), **_PARTS}
    follows = {"format", "signature", *_SIGNED, *_totals(), *_PARTS}
    read = {
        name: validated(types[name], content.get(name), source, name)
        if name in types
        else content[name]
        for name in (*(name for name in content if name not in follows), *_PARTS)
    }
    signature, coverage, unknown_placeholders = (read.pop(name) for name in _PARTS)
    return Report(signature, coverage, unknown_placeholders, read)


def _plain(result: Any) -> Any:
    """Return a result as JSON types."""
    if is_dataclass(result) and not isinstance(result, type):
        result = asdict(result)
    if isinstance(result, Mapping):
        return {key: _plain(value) for key, value in result.items()}
    return [_plain(one) for one in result] if isinstance(result, list | tuple) else result
