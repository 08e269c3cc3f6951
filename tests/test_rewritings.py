"""Whatever predictions are rewritten to, they score the same, or the user is told.

What is asked of every kind of rewriting is the same: no figure changes by more than half a point
unless the file is refused or a warning appears that the original does not get. What the
documentation says is read like the standard form must score exactly the same, without a warning.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from helpers import sample_predictions
from rewritings import BLEU, FAMILIES, INFORM, JGA, SUCCESS, Outputs, Turn, kinds, normal_state

from mwz.harness import Benchmark, load_benchmark
from mwz.harness.benchmark import CANONICAL_STYLE
from mwz.harness.errors import InputError, Remark
from mwz.harness.metrics import Choices, parse_tracking_file, score_tracking
from mwz.harness.scoring import Options, Scorer
from mwz.harness.scoring.jobs import played_predictions
from mwz.harness.submission import parse_predictions, read_standard

NOTICEABLE = 0.5
"""By how many points a figure may change unsaid."""

_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_WORDS = {"POST": "postcode", "TRAINID": "id", "PLACE": "destination", "COUNT": "choice"}


@dataclass(frozen=True)
class Reading:
    """What a command says of a file.

    Attributes:
        figures: Figure -> its value; none where the file is refused.
        error: Why it is refused; empty where it is not.
        warnings: The remarks that warn.
        notes: The remarks that only inform.
    """

    figures: Mapping[str, float]
    error: str = ""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, figures: Mapping[str, float], remarks: Iterable[Remark]) -> Reading:
        """Return what is said of a file that is read."""
        every = [*remarks]
        warnings = tuple(remark.line for remark in every if remark.warning)
        notes = tuple(remark.line for remark in every if not remark.warning)
        return cls(figures, "", warnings, notes)

    def news(self, original: Reading) -> tuple[str, ...]:
        """Return the refusal, or the warnings that the original does not get with other numbers."""
        if self.error:
            return (self.error,)
        known = {*map(_without_numbers, original.warnings)}
        return tuple(text for text in self.warnings if _without_numbers(text) not in known)


def _without_numbers(text: str) -> str:
    # What is said of coverage differs in nothing else, and says how much there is.
    return text if text.startswith("submits") else re.sub(r"\d+", "", text)


def encoded(content: object) -> bytes:
    """Return a file of what a rewriting returns."""
    return content if isinstance(content, bytes) else json.dumps(content).encode()


def scored(content: bytes, scorer: Scorer) -> Reading:
    """Return what `mwz score` says of a file, with the figures among the scorer's metrics."""
    try:
        standard = read_standard(content, "predictions")
        chosen, played, remarks = played_predictions(scorer, standard, "predictions")
    except InputError as error:
        return Reading({}, str(error))
    report = chosen.report(played)
    strict = report.setup("strict")
    figures = {INFORM: strict.inform["total"], SUCCESS: strict.success["total"]}
    if "bleu" in report.metrics:
        figures[BLEU] = report.bleu[CANONICAL_STYLE]
    return Reading.of(figures, remarks)


def tracked(content: bytes, benchmark: Benchmark) -> Reading:
    """Return what `mwz dst` says of a file, with JGA."""
    try:
        states = parse_predictions(content, "predictions")
        file = parse_tracking_file(states, "predictions", lambda: benchmark)
        result = score_tracking(file.dialogues, Choices(metrics=(JGA.upper(),)), by_part=False)
    except InputError as error:
        return Reading({}, str(error))
    return Reading.of({JGA: result.metrics[JGA.upper()]}, file.remarks)


def gold_outputs(benchmark: Benchmark) -> dict[str, list[Turn]]:
    """Return gold in the standard form; the responses have placeholders in square brackets."""
    outputs = {}
    for id_, dialogue in benchmark.dialogues.items():
        texts = [_CAPITALS.sub(_bracketed, t) for t in dialogue.references[CANONICAL_STYLE]]
        turns: list[Turn] = []
        for text, state, domains in zip(
            texts, map(normal_state, dialogue.states), dialogue.active_domains, strict=True
        ):
            active = [domain for domain in domains if domain != "general"]
            turns.append({"response": text, "state": state, "active_domains": active})
        outputs[id_] = turns
    return outputs


def _bracketed(match: re.Match[str]) -> str:
    return f"[value_{_WORDS.get(match[0], match[0].lower())}]"


@dataclass(frozen=True)
class Effect:
    """What a rewriting does.

    Attributes:
        changes: Figure -> by how much it changes, in points; of a file that is read.
        messages: What is said of it that is not said of the original: refusals and warnings.
        notes: What else is said.
        silent: The figures that change noticeably, and nobody is told by the command for them.
    """

    changes: Mapping[str, float]
    messages: tuple[str, ...]
    notes: tuple[str, ...]
    silent: tuple[str, ...]


class Rescorer:
    """Scores rewritings beside their original.

    Args:
        benchmark: What is scored on.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._readings: dict[tuple[bytes, frozenset[str]], tuple[Reading, ...]] = {}

    def effect(self, original: Outputs, content: object, figures: Collection[str]) -> Effect:
        """Return what a rewriting of predictions does to some figures."""
        before = self.readings(original, figures)
        changes: dict[str, float] = {}
        messages: list[str] = []
        notes: list[str] = []
        silent: list[str] = []
        after = self._read(encoded(content), frozenset(figures))
        for first, second in zip(before, after, strict=True):
            moved = {name: value - first.figures[name] for name, value in second.figures.items()}
            news = second.news(first)
            if not news:
                silent += [name for name, points in moved.items() if abs(points) > NOTICEABLE]
            changes |= moved
            messages += news
            notes += [text for text in second.notes if text not in first.notes]
        return Effect(changes, tuple(messages), tuple(notes), tuple(silent))

    def effect_of(self, name: str, predictions: Outputs, gold: Outputs) -> Effect:
        """Return what a kind of rewriting does to the figures that it can change."""
        family, kind = kinds()[name]
        original = family.original(predictions, gold)
        return self.effect(original, kind.rewrite(original, gold), family.figures)

    def readings(self, original: Outputs, figures: Collection[str]) -> tuple[Reading, ...]:
        """Return what the commands that have the figures say of predictions; they are kept."""
        key = encoded(original), frozenset(figures)
        if key not in self._readings:
            self._readings[key] = self._read(*key)
        return self._readings[key]

    def _read(self, content: bytes, wanted: frozenset[str]) -> tuple[Reading, ...]:
        """Return what the commands say that have the figures."""
        readings = []
        if wanted & {INFORM, SUCCESS, BLEU}:
            metrics = ["inform", *[name for name in ("bleu",) if BLEU in wanted]]
            options: Any = {"setup": "strict", "metrics": metrics}
            readings.append(scored(content, Scorer(self._benchmark, Options(**options))))
        if JGA in wanted:
            readings.append(tracked(content, self._benchmark))
        return tuple(readings)


def part(predictions: Mapping[str, Any], dialogues: int) -> dict[str, Any]:
    """Return so many dialogues, from all over the list of ids."""
    ids = sorted(predictions)
    chosen = [ids[number * len(ids) // dialogues] for number in range(dialogues)]
    return {id_: predictions[id_] for id_ in chosen}


KINDS = kinds()

UNTOLD: Mapping[str, Sequence[str]] = {
    "each of the times is one that a user may mean": ("values: time of twelve hours",),
    "it is one value of ten, as published files have in larger ones": ("values: theater",),
    "published trackers are as good, or as bad": (
        "states of turns: domain of the turn only",
        "states of turns: first values only",
        "states of turns: gold states in half of the dialogues",
    ),
    "published systems leave out as many names": ("slots: no names",),
    "few of the sample's responses are longer": ("responses: first hundred characters",),
    "published systems end as many responses so": ("responses: five words in a quarter",),
}
"""Why nobody can be told of a change on the sample -> the kinds."""

UNCHANGED = {
    "fields: unchanged",
    "notations: nested",
    "turns: ids in order",
}
"""The kinds that write the very same."""

FOREIGN: Mapping[str, Sequence[str]] = {
    "no predicted name has `and` in it": ("values: names with &",),
    "no response has digits": ("responses: full-width digits",),
}
"""What the sample lacks -> the kinds that rewrite nothing in it."""

_PLACEHOLDERS = {
    "arriveby": "value_arrive",
    "bookday": "value_day",
    "bookpeople": "value_people",
    "booktime": "value_time",
    "entrancefee": "value_price",
    "internet": "internet",
    "leaveat": "value_leave",
    "parking": "parking",
    "ref": "value_reference",
    "trainid": "value_id",
}
"""The sample's placeholders that published systems do not call so with `value_` before."""

_ANY_VALUE = {"restaurant": "pricerange", "hotel": "pricerange", "attraction": "area"}


def _as_published(predictions: Outputs) -> dict[str, list[Turn]]:
    """Return predictions as published systems write them.

    Responses are in lower case, with blanks around punctuation and placeholders that begin with
    `value_`. In every third dialogue any value of a slot is right, which the sample's users do not
    say.
    """
    written = {}
    for number, (id_, dialogue) in enumerate(predictions.items()):
        turns = []
        for turn in dialogue:
            state = {domain: {**slots} for domain, slots in turn["state"].items()}
            for domain in sorted(state.keys() & _ANY_VALUE.keys()) if number % 3 == 0 else ():
                state[domain].setdefault(_ANY_VALUE[domain], "dontcare")
            turns.append({"response": _tokenised(turn["response"]), "state": state})
        written[id_] = turns
    return written


def _tokenised(text: str) -> str:
    spaced = re.sub(r" *([.,!?])", r" \1", text.lower())
    return re.sub(r"\[(\w+)\]", lambda m: f"[{_PLACEHOLDERS.get(m[1], f'value_{m[1]}')}]", spaced)


@pytest.fixture(scope="module")
def town() -> Benchmark:
    return load_benchmark("sample")


@pytest.fixture(scope="module")
def outputs() -> Outputs:
    return _as_published(sample_predictions("careful"))


@pytest.fixture(scope="module")
def gold(town: Benchmark) -> Outputs:
    return gold_outputs(town)


@pytest.fixture(scope="module")
def rescorer(town: Benchmark) -> Rescorer:
    return Rescorer(town)


@pytest.mark.parametrize("name", KINDS)
def test_a_rewriting_scores_the_same_or_the_user_is_told(
    name: str, rescorer: Rescorer, outputs: Outputs, gold: Outputs
) -> None:
    effect = rescorer.effect_of(name, outputs, gold)
    untold = [name for names in UNTOLD.values() for name in names]
    assert bool(effect.silent) == (name in untold), effect


DOCUMENTED = [name for name, (_, kind) in KINDS.items() if kind.meant == "documented"]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_what_is_documented_is_read_like_the_standard_form(
    name: str, rescorer: Rescorer, outputs: Outputs, gold: Outputs
) -> None:
    effect = rescorer.effect_of(name, outputs, gold)
    assert not effect.messages
    assert dict.fromkeys(effect.changes, 0) == pytest.approx(effect.changes)


def test_the_original_gets_no_warning(rescorer: Rescorer, outputs: Outputs, gold: Outputs) -> None:
    for family in FAMILIES.values():
        for reading in rescorer.readings(family.original(outputs, gold), family.figures):
            assert (reading.error, reading.warnings) == ("", ())


def test_rewritings_are_pure(outputs: Outputs, gold: Outputs) -> None:
    given = copy.deepcopy((outputs, gold))
    for name, (family, kind) in KINDS.items():
        original = family.original(outputs, gold)
        first, second = kind.rewrite(original, gold), kind.rewrite(original, gold)
        assert encoded(first) == encoded(second), name
        assert (outputs, gold) == given, name


def test_every_kind_rewrites_something(outputs: Outputs, gold: Outputs) -> None:
    foreign = [name for names in FOREIGN.values() for name in names]
    unchanged = set()
    for name, (family, kind) in KINDS.items():
        original = family.original(outputs, gold)
        if encoded(kind.rewrite(original, gold)) == encoded(original):
            unchanged.add(name)
    assert unchanged == {*UNCHANGED, *foreign}


def test_gold_beside_predictions_differs_from_them(outputs: Outputs, gold: Outputs) -> None:
    # Else to take one for the other would change no score.
    for field in ("state", "response"):
        others = turns = 0
        for id_, dialogue in outputs.items():
            for turn, right in zip(dialogue, gold[id_], strict=True):
                others += turn[field] != right[field]
                turns += 1
        assert others > turns / 10


# Published files.


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("systems", "dialogues"),
    # In another order each system gets other kinds; a hundred dialogues take minutes.
    [
        (("mars", "ubar", "pptod"), 12),
        pytest.param(("ubar", "pptod", "mars"), 100, marks=pytest.mark.slow),
    ],
)
def test_published_outputs_hardly_change_in_silence(
    systems: Sequence[str],
    dialogues: int,
    multiwoz: Benchmark,
    predictions: Callable[[str], Any],
) -> None:
    gold, rescorer, silent = gold_outputs(multiwoz), Rescorer(multiwoz), {}
    for place, system in enumerate(systems):
        outputs = part(predictions(system), dialogues)
        for name in [*KINDS][place :: len(systems)]:
            effect = rescorer.effect_of(name, outputs, gold)
            if effect.silent:
                silent[name] = effect.changes
    # The share of the kinds that may change a score in silence.
    assert len(silent) <= 0.02 * len(KINDS), silent
