"""Whatever predictions are rewritten to, they score the same, or the user is told.

What is asked of every kind of rewriting is the same: no figure changes by more than half a point
unless the file is refused or a warning appears that the original does not get. What the
documentation says is read like the standard form must score exactly the same, without a warning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from helpers import sample_predictions
from rewritings import BLEU, FAMILIES, INFORM, JGA, KINDS, SUCCESS, Outputs, State, Turn

from mwz.harness import Benchmark, load_benchmark
from mwz.harness.benchmark import CANONICAL_STYLE
from mwz.harness.errors import InputError, Remark
from mwz.harness.metrics import Choices, parse_tracking_file, score_tracking
from mwz.harness.scoring import Options, Scorer, check_predictions
from mwz.harness.scoring.jobs import played_predictions
from mwz.harness.submission import parse_predictions, read_standard
from mwz.normalization import normalize_state, rule_set

NOTICEABLE = 0.5
"""By how many points a figure may change unsaid."""

MOST_SILENT = 12
"""How many kinds may change a figure of published outputs unsaid."""

_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_WORDS = {"POST": "postcode", "TRAINID": "id", "PLACE": "destination", "COUNT": "choice"}


@dataclass(frozen=True)
class Reading:
    """What a command says of a file.

    Attributes:
        figures: Figure -> its value; none where the file is refused.
        messages: The warnings, or why the file is refused.
    """

    figures: Mapping[str, float]
    messages: Sequence[str]

    def news(self, original: Reading) -> list[str]:
        """Return the messages that the original does not get with other numbers."""
        known = {*map(_without_numbers, original.messages)}
        return [text for text in self.messages if _without_numbers(text) not in known]


def _without_numbers(text: str) -> str:
    # What is said of coverage differs in nothing else, and says how much there is.
    return text if text.startswith("submits") else re.sub(r"\d+", "", text)


def _warnings(remarks: Iterable[Remark]) -> list[str]:
    return [remark.line for remark in remarks if remark.warning]


def encoded(content: object) -> bytes:
    """Return a file of what a rewriting returns."""
    return content if isinstance(content, bytes) else json.dumps(content).encode()


def scored(content: bytes, scorer: Scorer) -> Reading:
    """Return what `mwz score` says of a file, with the figures among the scorer's metrics."""
    try:
        standard = read_standard(content, "predictions")
        chosen, played, remarks = played_predictions(
            scorer, check_predictions(scorer, standard, "predictions")
        )
    except InputError as error:
        return Reading({}, [str(error)])
    report = chosen.report(played)
    strict = report.metrics["strict"]
    figures = {INFORM: strict.inform["total"], SUCCESS: strict.success["total"]}
    if "bleu" in report.metrics:
        figures[BLEU] = report.bleu[CANONICAL_STYLE]
    return Reading(figures, _warnings(remarks))


def tracked(content: bytes, benchmark: Benchmark) -> Reading:
    """Return what `mwz dst` says of a file, with JGA."""
    try:
        states = parse_predictions(content, "predictions")
        file = parse_tracking_file(states, "predictions", lambda: benchmark)
        result = score_tracking(file.dialogues, Choices(metrics=(JGA.upper(),)), by_part=False)
    except InputError as error:
        return Reading({}, [str(error)])
    return Reading({JGA: result.metrics[JGA.upper()]}, _warnings(file.remarks))


def normal_state(state: State) -> State:
    """Return a state as a tracker's file has it: normalised, slots of bookings by the bare name."""
    bare: dict[str, dict[str, str]] = {}
    for domain, slots in normalize_state(state, rule_set("2021")).items():
        bare[domain] = {slot.removeprefix("book"): value for slot, value in slots.items()}
    return bare


def gold_outputs(benchmark: Benchmark) -> dict[str, list[Turn]]:
    """Return gold in the standard form; the responses have placeholders in square brackets."""
    outputs = {}
    for id_, dialogue in benchmark.dialogues.items():
        turns: list[Turn] = []
        for text, state, domains in zip(
            dialogue.references[CANONICAL_STYLE],
            dialogue.states,
            dialogue.active_domains,
            strict=True,
        ):
            response = _CAPITALS.sub(_bracketed, text)
            active = [domain for domain in domains if domain != "general"]
            turns.append(
                {"response": response, "state": normal_state(state), "active_domains": active}
            )
        outputs[id_] = turns
    return outputs


def _bracketed(match: re.Match[str]) -> str:
    return f"[value_{_WORDS.get(match[0], match[0].lower())}]"


@dataclass(frozen=True)
class Effect:
    """What a rewriting does.

    Attributes:
        changes: Figure -> by how much it changes, in points; of a file that is read.
        messages: Refusals and warnings that the original does not get.
        silent: The figures that change noticeably, and nobody is told by the command for them.
    """

    changes: Mapping[str, float]
    messages: Sequence[str]
    silent: Sequence[str]


class Rescorer:
    """Scores rewritings beside their original.

    Args:
        benchmark: What is scored on.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._readings: dict[tuple[bytes, Collection[str]], Sequence[Reading]] = {}

    def effect(self, name: str, predictions: Outputs, gold: Outputs) -> Effect:
        """Return what a kind of rewriting does to the figures that it can change."""
        family, kind = KINDS[name]
        original = family.original(predictions, gold)
        changes: dict[str, float] = {}
        messages: list[str] = []
        silent: list[str] = []
        before = self.readings(original, family.figures)
        after = self._read(encoded(kind.rewrite(original, gold)), family.figures)
        for first, second in zip(before, after, strict=True):
            news = second.news(first)
            messages += news
            for figure, value in second.figures.items():
                changes[figure] = value - first.figures[figure]
                if not news and abs(changes[figure]) > NOTICEABLE:
                    silent.append(figure)
        return Effect(changes, messages, silent)

    def readings(self, original: Outputs, figures: Collection[str]) -> Sequence[Reading]:
        """Return what the commands that have the figures say of predictions, read once."""
        key = encoded(original), figures
        if key not in self._readings:
            self._readings[key] = self._read(*key)
        return self._readings[key]

    def _read(self, content: bytes, figures: Collection[str]) -> Sequence[Reading]:
        metrics = ("inform", "bleu") if BLEU in figures else ("inform",)
        scorer = Scorer(self._benchmark, Options(setup="strict", metrics=metrics))
        readings = [scored(content, scorer)]
        if JGA in figures:
            readings.append(tracked(content, self._benchmark))
        return readings


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
    effect = rescorer.effect(name, outputs, gold)
    untold = [name for names in UNTOLD.values() for name in names]
    assert bool(effect.silent) == (name in untold), effect
    if KINDS[name][1].documented:
        assert not effect.messages
        assert dict.fromkeys(effect.changes, 0) == pytest.approx(effect.changes)


def test_the_original_gets_no_warning(rescorer: Rescorer, outputs: Outputs, gold: Outputs) -> None:
    for family in FAMILIES.values():
        for reading in rescorer.readings(family.original(outputs, gold), family.figures):
            assert reading.messages == []


# Published files.


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("systems", "dialogues"),
    # In another order each system gets other kinds.
    [
        (("mars", "ubar", "pptod"), 12),
        pytest.param(("ubar", "pptod", "mars"), 40, marks=pytest.mark.slow),
    ],
)
def test_published_outputs_hardly_change_in_silence(
    systems: Sequence[str], dialogues: int, multiwoz: Benchmark, predictions: Callable[[str], Any]
) -> None:
    gold, rescorer, silent = gold_outputs(multiwoz), Rescorer(multiwoz), {}
    for place, system in enumerate(systems):
        published = predictions(system)
        # From all over the list of ids.
        ids = sorted(published)
        chosen = [ids[number * len(ids) // dialogues] for number in range(dialogues)]
        outputs = {id_: published[id_] for id_ in chosen}
        for name in [*KINDS][place :: len(systems)]:
            effect = rescorer.effect(name, outputs, gold)
            if effect.silent:
                silent[name] = effect.changes
    assert len(silent) <= MOST_SILENT, silent
