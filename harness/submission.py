"""A system's outputs: read, checked once, and normalised."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mwz.normalization.responses import normalize_response
from mwz.normalization.rules import RuleSet, published_rule_sets, rule_set
from mwz.normalization.states import BeliefState, normalize_state, plain_slot_name

from .benchmark import STYLES, Benchmark
from .errors import InputError
from .files import is_text, kind_of, parse_json, read_json, shown_name

if TYPE_CHECKING:
    from mwz.normalization.delexicaliser import Delexicalised

DOMAINS = ("restaurant", "hotel", "attraction", "train", "taxi", "police", "hospital")
STATE_DOMAINS = frozenset({*DOMAINS, "bus", "booking", "general"})
"""The domains a predicted state may have: those of MultiWOZ in all its versions."""

STATE_SLOTS = frozenset(
    {
        *("address", "area", "arrive", "choice", "day", "department", "departure", "destination"),
        *("duration", "entrancefee", "food", "id", "internet", "leave", "name", "openhours"),
        *("parking", "people", "phone", "postcode", "price", "pricerange", "ref", "reference"),
        *("stars", "stay", "ticket", "time", "trainid", "type", "car"),
        *("bookday", "bookpeople", "bookstay", "booktime", "booked"),
        *("addr", "arriveby", "depart", "dest", "fee", "leaveat", "open", "post"),
    }
)
"""The slots a predicted state may have: those of MultiWOZ's states and acts in all its versions,
of whatever domain, for systems do mix up the domains."""


@dataclass(frozen=True)
class PlainResponse:
    """A response in plain English, and what the delexicaliser found in it.

    Attributes:
        text: The response as it was written.
        delexicalised: The same, delexicalised.
    """

    text: str
    delexicalised: Delexicalised


@dataclass(frozen=True)
class Turn:
    """What a system put out in one system turn.

    Attributes:
        response: The delexicalised response.
        state: The predicted belief state, if there is one.
        active_domains: The predicted active domains, if there are any.
        plain: Where the harness delexicalised the response, the response before.
    """

    response: str
    state: BeliefState | None
    active_domains: Sequence[str] | None
    plain: PlainResponse | None = None


@dataclass(frozen=True)
class Submission:
    """A checked predictions file.

    Attributes:
        dialogues: Dialogue id -> turns, in the file's order; one per system turn, from the first.
    """

    dialogues: Mapping[str, Sequence[Turn]]


@dataclass(frozen=True)
class NormalizedTurn:
    """A system turn in the form that every metric reads.

    Attributes:
        response: The normalised response.
        state: The predicted belief state, normalised, if there is one.
        active_domains: The predicted active domains, if there are any.
        placeholder_domains: The domains that the response's placeholders name.
        unknown_placeholders: The placeholders that the ontology lacks, one per occurrence.
        plain: Where the harness delexicalised the response, the response before.
    """

    response: str
    state: BeliefState | None
    active_domains: Sequence[str] | None
    placeholder_domains: Sequence[str]
    unknown_placeholders: Sequence[str]
    plain: PlainResponse | None = None


@dataclass(frozen=True)
class NormalizedSubmission:
    """A submission in the form that every metric reads.

    Attributes:
        dialogues: Dialogue id -> turns, in the file's order; one per system turn, from the first.
        names_domains: Whether its placeholders name their domain, as `[hotel_name]` does: most
            of those that tell about a venue do.
    """

    dialogues: Mapping[str, Sequence[NormalizedTurn]]
    names_domains: bool

    @property
    def turns(self) -> int:
        """The number of system turns."""
        return sum(map(len, self.dialogues.values()))

    @property
    def predicts_states(self) -> bool:
        """Whether every turn has a state; only then do states count as predicted."""
        return all(turn.state is not None for turn in self._all_turns())

    @property
    def predicts_domains(self) -> bool:
        """Whether every turn has active domains; only then do they count as predicted."""
        return all(turn.active_domains is not None for turn in self._all_turns())

    @property
    def lexicalised(self) -> bool:
        """Whether the harness delexicalised every response."""
        return all(turn.plain is not None for turn in self._all_turns())

    def responses(self) -> dict[str, list[str]]:
        """Return dialogue id -> normalised responses."""
        return {id_: [turn.response for turn in turns] for id_, turns in self.dialogues.items()}

    def _all_turns(self) -> Iterator[NormalizedTurn]:
        return (turn for turns in self.dialogues.values() for turn in turns)


def read_submission(path: str | Path, benchmark: Benchmark) -> Submission:
    """Read a predictions file (JSON, plain or gzipped; `-`: standard input) and check it.

    Raises:
        InputError: The file cannot be read, or is no submission to the benchmark.
    """
    return parse_submission(read_json(path), benchmark, shown_name(path))


def parse_submission(content: object, benchmark: Benchmark, source: str) -> Submission:
    """Check a predictions object and return it as a submission; the object is left as it is.

    Args:
        content: Dialogue id -> list of turns, each an object with `response` and optionally
            `state` (domain -> slot -> value) and `active_domains` (list); extra keys are ignored.
        benchmark: The benchmark whose dialogues are played.
        source: What the error message calls the object.

    Raises:
        InputError: With every problem found.
    """
    if not isinstance(content, Mapping):
        raise InputError(
            source,
            f"expected an object of dialogue id -> list of turns, found {kind_of(content)}",
        )
    problems = list(_problems(content, benchmark))
    if problems:
        raise InputError(source, problems)
    return Submission(
        {
            id_: tuple(
                Turn(turn["response"], turn.get("state"), turn.get("active_domains"))
                for turn in turns
            )
            for id_, turns in content.items()
        }
    )


def normalize_submission(submission: Submission, rules: RuleSet) -> NormalizedSubmission:
    """Normalise a submission's responses and states; the given one is left as it is."""
    naming = identifying = 0
    dialogues = {}
    for id_, turns in submission.dialogues.items():
        normalized = []
        for turn in turns:
            response = normalize_response(turn.response, rules)
            naming += response.naming
            identifying += response.identifying
            normalized.append(
                NormalizedTurn(
                    response=response.text,
                    state=None if turn.state is None else normalize_state(turn.state, rules),
                    active_domains=turn.active_domains,
                    placeholder_domains=response.domains,
                    unknown_placeholders=response.unknown,
                    plain=turn.plain,
                )
            )
        dialogues[id_] = tuple(normalized)
    return NormalizedSubmission(dialogues, names_domains=2 * naming > identifying)


def normalized_by_rules(
    content: bytes | str, benchmark: Benchmark, source: str
) -> dict[str, NormalizedSubmission]:
    """Return published rule set -> normalised submission; the content is read and checked once.

    Args:
        content: An (unpacked) predictions file, or the name of a submission that is made.
        benchmark: The benchmark whose dialogues are played.
        source: What error messages call the predictions.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    names = published_rule_sets()
    if isinstance(content, str):
        return dict.fromkeys(names, made_submission(benchmark, content))
    submission = parse_submission(parse_json(content, source), benchmark, source)
    return {rules: normalize_submission(submission, rule_set(rules)) for rules in names}


CONSTANT = "constant"
"""The made submission whose every response is the same."""

_CONSTANT_RESPONSE = "NAME TRAINID PHONE ADDRESS POST REFERENCE"


def made_submissions() -> tuple[str, ...]:
    """Return the names of the submissions that `made_submission` makes."""
    return (*STYLES, CONSTANT)


def made_submission(benchmark: Benchmark, name: str) -> NormalizedSubmission:
    """Return a submission that the harness makes itself; it has no states of its own.

    Args:
        benchmark: The benchmark that it is to play.
        name: A reference style, for the benchmark's own responses as if a system had given them,
            or `CONSTANT`, for one response with the six placeholders that tell about a venue.
    """
    return NormalizedSubmission(
        {
            id_: tuple(
                NormalizedTurn(text, None, None, (), ())
                for text in (
                    [_CONSTANT_RESPONSE] * dialogue.turns
                    if name == CONSTANT
                    else dialogue.references[name]
                )
            )
            for id_, dialogue in benchmark.dialogues.items()
        },
        names_domains=False,
    )


def _problems(content: Mapping[object, object], benchmark: Benchmark) -> Iterator[str]:
    if not content:
        yield "no dialogues; expected an object of dialogue id -> list of turns"
    elif not any(dialogue_id(id_) in benchmark.dialogues for id_ in content):
        first = next(iter(content))
        yield (
            f"none of its {len(content)} dialogues (the first is {first}) is in the benchmark "
            f"{benchmark.name}; name another by --benchmark, or install one by `mwz data`"
        )
        return
    for id_, turns in content.items():
        dialogue = benchmark.dialogues.get(id_) if isinstance(id_, str) else None
        if dialogue is None:
            hint = _spelling(id_, benchmark)
            yield f"dialogue {id_}: not in the benchmark {benchmark.name}{hint}"
        elif not isinstance(turns, Sequence) or isinstance(turns, str):
            yield f"dialogue {id_}: expected a list of turns, found {kind_of(turns)}"
        elif len(turns) > dialogue.turns:
            yield f"dialogue {id_}: {len(turns)} turns; it has {dialogue.turns} system turns"
        else:
            for number, turn in enumerate(turns):
                for problem in turn_problems(turn):
                    yield f"dialogue {id_}, turn {number}: {problem}"


def dialogue_id(id_: object) -> str:
    """Return a dialogue's id as benchmarks write it: `SNG0073.json` is `sng0073`."""
    return str(id_).lower().removesuffix(".json")


def _spelling(id_: object, benchmark: Benchmark) -> str:
    """Return a hint where an id only needs the benchmark's spelling."""
    return f"; write {dialogue_id(id_)}" if dialogue_id(id_) in benchmark.dialogues else ""


def turn_problems(turn: object) -> Iterator[str]:
    """Yield what is wrong with a turn of a predictions file."""
    if not isinstance(turn, Mapping):
        yield f"expected an object with `response`, found {kind_of(turn)}"
        return
    if "response" not in turn:
        yield "`response` is missing; expected a string"
    elif not isinstance(turn["response"], str):
        yield f"`response`: expected a string, found {kind_of(turn['response'])}"
    if turn.get("state") is not None:
        yield from _state_problems(turn["state"])
    domains = turn.get("active_domains")
    if domains is not None:
        yield from _domain_problems(domains)


def _state_problems(state: object) -> Iterator[str]:
    if not isinstance(state, Mapping):
        yield f"`state`: expected an object of domain -> slot -> value, found {kind_of(state)}"
        return
    for domain, slots in state.items():
        if domain not in STATE_DOMAINS:
            yield f"`state`: unknown domain {domain!r}; use one of {', '.join(DOMAINS)}"
        elif not isinstance(slots, Mapping):
            yield f"`state`, {domain}: expected an object of slot -> value, found {kind_of(slots)}"
        else:
            for slot, value in slots.items():
                if not isinstance(slot, str) or plain_slot_name(slot) not in STATE_SLOTS:
                    yield f"`state`, {domain}: unknown slot {slot!r}{_resembling(slot)}"
                elif not isinstance(value, str):
                    yield f"`state`, {domain}, {slot}: expected a string, found {kind_of(value)}"
                elif not is_text(value):
                    yield f"`state`, {domain}, {slot}: {value!r} is not valid text"


def _resembling(slot: object) -> str:
    close = difflib.get_close_matches(str(slot), sorted(STATE_SLOTS), n=1)
    return f"; did you mean {close[0]}?" if close else "; expected one of MultiWOZ's"


def _domain_problems(domains: object) -> Iterator[str]:
    if not isinstance(domains, Sequence) or isinstance(domains, str):
        yield f"`active_domains`: expected a list of domains, found {kind_of(domains)}"
        return
    for domain in domains:
        if not isinstance(domain, str) or domain not in STATE_DOMAINS:
            yield f"`active_domains`: unknown domain {domain!r}; use some of {', '.join(DOMAINS)}"
