"""A system's outputs: read, checked once, and normalised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mwz.normalization.responses import normalize_response
from mwz.normalization.rules import (
    DEFAULT_RULES,
    Aliases,
    RuleSet,
    published_rule_sets,
    rule_set,
    with_aliases,
)
from mwz.normalization.states import BeliefState, normalize_states

from ..benchmark import CANONICAL_STYLE, STYLES, Benchmark, Dialogue
from ..io.files import limits, read_bytes, shown_name
from .checking import Turn, checked_dialogues, system_turns
from .formats import READING, Reading, Standard, read_standard, standard_form
from .formats.format import ACTIVE_DOMAINS, RESPONSE, STATE
from .remarks import Remark, state_remarks, text_remarks

if TYPE_CHECKING:
    from mwz.normalization.delexicaliser import Delexicalised


class _Dialogues:
    """What submissions have in common, normalised or not."""

    dialogues: Mapping[str, Sequence[Any]]

    @cached_property
    def turns(self) -> int:
        """The number of system turns."""
        return sum(map(len, self.dialogues.values()))

    @cached_property
    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Field of turns -> dialogue id -> its value in each turn."""
        every = next(iter(self.dialogues.values()), ())
        fields: tuple[str, ...] = every[0]._fields if every else ()
        columns: dict[str, dict[str, Sequence[Any]]] = {field: {} for field in fields}
        # Turns are many, and to walk through them takes longer than what is done with them.
        for id_, turns in self.dialogues.items():
            for field, values in zip(fields, zip(*turns, strict=True), strict=True):
                columns[field][id_] = values
        return columns

    @cached_property
    def _lacking(self) -> Mapping[str, tuple[int, str]]:
        return {field: _without(self.columns[field]) for field in (STATE, ACTIVE_DOMAINS)}

    def lacking(self, field: str) -> tuple[int, str]:
        """Return how many turns lack `state` or `active_domains`, and which does first."""
        return self._lacking[field]


@dataclass(frozen=True)
class Submission(_Dialogues):
    """A checked predictions file.

    Attributes:
        dialogues: Dialogue id -> turns, in the file's order; one per system turn, from the first.
        source: What messages call the file.
        format: What it was recognised as.
        remarks: The remarks on it.
    """

    dialogues: Mapping[str, Sequence[Turn]]
    source: str = "predictions"
    format: str = ""
    remarks: Sequence[Remark] = ()


class NormalizedTurn(NamedTuple):
    """A system turn in the form that every metric reads.

    Attributes:
        response: The normalised response.
        state: The predicted belief state, normalised, if there is one.
        active_domains: The predicted active domains, if there are any.
        placeholder_domains: The domains that the response's placeholders name.
        unknown_placeholders: The placeholders that the ontology lacks, one per occurrence.
        plain: Where the harness delexicalised the response: the original, and what was found in it.
    """

    response: str
    state: BeliefState | None
    active_domains: Sequence[str] | None
    placeholder_domains: Sequence[str]
    unknown_placeholders: Sequence[str]
    plain: Delexicalised | None = None


@dataclass(frozen=True)
class NormalizedSubmission(_Dialogues):
    """A submission in the form that every metric reads.

    Attributes:
        dialogues: Dialogue id -> turns, in the file's order; one per system turn, from the first.
        names_domains: Whether its placeholders name their domain, as `[hotel_name]` does: most
            of those that tell about a venue do.
        source: What messages call the predictions.
        remarks: The remarks on them.
    """

    dialogues: Mapping[str, Sequence[NormalizedTurn]]
    names_domains: bool
    source: str = "predictions"
    remarks: Sequence[Remark] = ()

    @property
    def predicts_states(self) -> bool:
        """Whether every turn has a state; only then do states count as predicted."""
        return not self.lacking(STATE)[0]

    @property
    def predicts_domains(self) -> bool:
        """Whether every turn has active domains; only then do they count as predicted."""
        return not self.lacking(ACTIVE_DOMAINS)[0]

    @cached_property
    def lexicalised(self) -> bool:
        """Whether the harness delexicalised every response."""
        return not any(None in own for own in self.columns["plain"].values())

    @property
    def responses(self) -> Mapping[str, Sequence[str]]:
        """Dialogue id -> normalised responses."""
        return self.columns[RESPONSE]

    @cached_property
    def states(self) -> Mapping[str, Sequence[BeliefState]]:
        """Dialogue id -> predicted belief states, empty where there is none."""
        return {id_: [state or {} for state in own] for id_, own in self.columns[STATE].items()}

    def said(self) -> dict[str, Any]:
        """Return all that is scored of it, as JSON types, whatever format it was written in."""
        return {
            id_: [
                [turn.response, turn.state, turn.active_domains and sorted(turn.active_domains)]
                for turn in turns
            ]
            for id_, turns in self.dialogues.items()
        }


def _without(column: Mapping[str, Sequence[Any]]) -> tuple[int, str]:
    """Return how many turns have no value in a column, and which has none first."""
    count, first = 0, ""
    for id_, values in column.items():
        if None in values:
            count += values.count(None)
            first = first or f"dialogue {id_}, turn {values.index(None)}"
    return count, first


def read_submission(path: str | Path, benchmark: Benchmark) -> Submission:
    """Read a predictions file (JSON, plain or gzipped; `-`: standard input) and check it.

    Raises:
        InputError: The file cannot be read, or is no submission to the benchmark.
    """
    return checked_submission(read_predictions(path), benchmark, shown_name(path))


def read_predictions(path: str | Path, reading: Reading = READING) -> Standard:
    """Read a predictions file whose benchmark is not known yet; its turns are not checked.

    Args:
        path: The file.
        reading: Which keys are read.

    Raises:
        InputError: The file cannot be read, or is of no known format.
    """
    source = shown_name(path)
    return read_standard(read_bytes(path, limits()), source, reading)


def parse_submission(
    content: object,
    benchmark: Benchmark,
    source: str,
    rules: RuleSet | None = None,
    reading: Reading = READING,
    remarked: bool = True,
) -> Submission:
    """Check a predictions object and return it as a submission; the object is left as it is.

    Args:
        content: Predictions in any of the formats of `formats/`. In the standard form: dialogue
            id -> list of turns, each an object with `response` and optionally `state` (domain ->
            slot -> value) and `active_domains` (list); other keys are not read.
        benchmark: The benchmark whose dialogues are played.
        source: What the error message calls the object.
        rules: As for `checked_submission`.
        reading: Which keys are read, and what of states is refused.
        remarked: As for `checked_submission`.

    Raises:
        InputError: With every problem found.
    """
    standard = standard_form(content, source, reading)
    return checked_submission(standard, benchmark, source, rules, reading, remarked)


def checked_submission(
    standard: Standard,
    benchmark: Benchmark,
    source: str,
    rules: RuleSet | None = None,
    reading: Reading = READING,
    remarked: bool = True,
) -> Submission:
    """Check predictions in the standard form and return them as a submission.

    Args:
        standard: The predictions.
        benchmark: The benchmark whose dialogues are played.
        source: What the error message calls the predictions.
        rules: The rule set by which placeholders are remarked; None for the default one.
        reading: What of states is refused.
        remarked: Whether responses and states are looked through for what is to be remarked.

    Raises:
        InputError: With every problem found.
    """
    named, left_out = system_turns(standard.dialogues_among(benchmark.users), benchmark)
    dialogues, remarks = checked_dialogues(named, benchmark, limits(), source, reading)
    found = [*standard.remarks, *left_out, *remarks.listed()]
    if remarked:
        by = rules or rule_set(DEFAULT_RULES)
        if reading.uses_states:
            last_states = (turns[-1].state for turns in dialogues.values() if turns)
            found += state_remarks(last_states, benchmark, by)
        texts = [turn.response for turns in dialogues.values() for turn in turns]
        found += text_remarks(texts, benchmark, by)
    return Submission(dialogues, source, standard.format, tuple(found))


def normalize_submission(submission: Submission, rules: RuleSet) -> NormalizedSubmission:
    """Normalise a submission's responses and states; the given one is left as it is."""
    naming = identifying = 0
    dialogues = {}
    texts = {text for own in submission.columns[RESPONSE].values() for text in own}
    responses = {text: normalize_response(text, rules) for text in texts}
    for id_, turns in submission.dialogues.items():
        normalized = []
        states = normalize_states(submission.columns[STATE][id_], rules)
        for turn, state in zip(turns, states, strict=True):
            response = responses[turn.response]
            naming += response.naming
            identifying += response.identifying
            _, _, domains, plain = turn
            fields = response.text, state, domains, response.domains, response.unknown, plain
            # This is quicker than to call the class.
            normalized.append(tuple.__new__(NormalizedTurn, fields))
        dialogues[id_] = tuple(normalized)
    return NormalizedSubmission(
        dialogues, 2 * naming > identifying, submission.source, submission.remarks
    )


def normalized_by_rules(
    content: bytes | str, benchmark: Benchmark, source: str, aliases: Aliases | None = None
) -> dict[str, NormalizedSubmission]:
    """Return published rule set -> normalised submission; the content is read and checked once.

    Args:
        content: An (unpacked) predictions file, or the name of a submission that is made.
        benchmark: The benchmark whose dialogues are played.
        source: What error messages call the predictions.
        aliases: Placeholders that are read besides those of the rule sets.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    names = published_rule_sets()
    if isinstance(content, str):
        return dict.fromkeys(names, made_submission(benchmark, content))
    submission = checked_submission(read_standard(content, source), benchmark, source)
    return {
        rules: normalize_submission(submission, with_aliases(rule_set(rules), aliases))
        for rules in names
    }


CONSTANT = "constant"
"""The made submission whose every response is the same."""

HUMAN = "human"
"""The submission made of the human responses as they were written, in plain English."""

EMPTY_STATES = "empty-states"
"""The made submission that predicts an empty belief state in every turn."""

_CONSTANT_RESPONSE = "NAME TRAINID PHONE ADDRESS POST REFERENCE"


def made_submissions() -> tuple[str, ...]:
    """Return the names of the submissions that `made_submission` makes."""
    return (*STYLES, CONSTANT, EMPTY_STATES)


def made_submission(benchmark: Benchmark, name: str) -> NormalizedSubmission:
    """Return a submission that the harness makes itself.

    Args:
        benchmark: The benchmark that it is to play.
        name: A reference style, for the benchmark's own responses as if a system had given them;
            `CONSTANT`, for one response with the six placeholders that tell about a venue; both
            without states of their own. Or `EMPTY_STATES`: the responses are the canonical
            references, so that all that is lost is lost for lack of states.
    """
    state: BeliefState | None = {} if name == EMPTY_STATES else None

    def responses(dialogue: Dialogue) -> Sequence[str]:
        if name == CONSTANT:
            return [_CONSTANT_RESPONSE] * dialogue.turns
        return dialogue.references[CANONICAL_STYLE if name == EMPTY_STATES else name]

    return NormalizedSubmission(
        {
            id_: tuple(NormalizedTurn(text, state, None, (), ()) for text in responses(dialogue))
            for id_, dialogue in benchmark.dialogues.items()
        },
        names_domains=False,
    )
