"""A system's outputs, as they were checked and as metrics read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from mwz.normalization import (
    BeliefState,
    DomainSlots,
    RuleSet,
    normalize_response,
    normalize_state,
)

from ..benchmark import CANONICAL_STYLE, STYLES, Benchmark, Dialogue
from ..errors import InputError, Remark
from .formats.standard import ACTIVE_DOMAINS, GOLD, RESPONSE, STATE

if TYPE_CHECKING:
    from mwz.normalization import Delexicalised


class Turn(NamedTuple):
    """The outputs of a system in one system turn.

    Attributes:
        response: The delexicalised response.
        state: The predicted belief state, if there is one.
        active_domains: The predicted active domains, if there are any.
        plain: Where the harness delexicalised the response: the original, and what was found in it.
        gold: The gold state, in a tracker's file that has its own.
    """

    response: str
    state: BeliefState | None
    active_domains: Sequence[str] | None
    plain: Delexicalised | None = None
    gold: BeliefState | None = None

    def to_dict(self, state_alone: bool = False) -> dict[str, object]:
        """Return the turn as JSON types in the standard form.

        Args:
            state_alone: Whether it is a tracker's, which has no response.
        """
        fields = {
            RESPONSE: None if state_alone else self.response,
            STATE: self.state,
            ACTIVE_DOMAINS: self.active_domains,
            GOLD: self.gold,
        }
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True)
class Submission:
    """A checked predictions file.

    Attributes:
        dialogues: Dialogue id -> turns, in the file's order; one per system turn, from the first.
        source: What messages call the file.
        format: What it was recognised as.
        remarks: The remarks on it.
        packages: The package from outside that has the format -> its version.
    """

    dialogues: Mapping[str, Sequence[Turn]]
    source: str = "predictions"
    format: str = ""
    remarks: Sequence[Remark] = ()
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NormalizedDialogue:
    """The system turns of a dialogue in the form that every metric reads, a column per field.

    To look at one field of many turns takes far less than to look at many turns.

    Attributes:
        responses: The normalised responses.
        states: The predicted belief states, normalised; None where there is none.
        active_domains: The predicted active domains; None where there are none.
        domain_slots: What each response's placeholders that name their domain hold.
        unknown_placeholders: The placeholders that the ontology lacks, one per occurrence.
        plain: Where the harness delexicalised a response: the original, and what was found in it.
    """

    responses: Sequence[str]
    states: Sequence[BeliefState | None]
    active_domains: Sequence[Sequence[str] | None]
    domain_slots: Sequence[DomainSlots]
    unknown_placeholders: Sequence[Sequence[str]]
    plain: Sequence[Delexicalised | None]

    def __len__(self) -> int:
        return len(self.responses)


@dataclass(frozen=True)
class NormalizedSubmission:
    """A submission in the form that every metric reads.

    Attributes:
        dialogues: Dialogue id -> dialogue, in the file's order; turns from the first.
        names_domains: Whether its placeholders name their domain, as `[hotel_name]` does: most
            of those that tell about a venue do.
        source: What messages call the predictions.
        remarks: The remarks on them.
        packages: The package from outside that has their format -> its version.
    """

    dialogues: Mapping[str, NormalizedDialogue]
    names_domains: bool
    source: str = "predictions"
    remarks: Sequence[Remark] = ()
    packages: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def turns(self) -> int:
        """The number of system turns."""
        return sum(map(len, self.dialogues.values()))

    def reworded(
        self, submission: Submission, normalize: Callable[[str], str]
    ) -> NormalizedSubmission:
        """Return it with the responses of the submission that it is of, normalised otherwise."""
        dialogues = {
            id_: replace(
                one, responses=tuple(normalize(turn.response) for turn in submission.dialogues[id_])
            )
            for id_, one in self.dialogues.items()
        }
        return replace(self, dialogues=dialogues)

    @cached_property
    def without_states(self) -> tuple[int, str]:
        """How many turns have no state, and which is the first; empty if there is none."""
        return _lacking({id_: one.states for id_, one in self.dialogues.items()})

    @cached_property
    def without_domains(self) -> tuple[int, str]:
        """How many turns have no active domains, and which is the first."""
        return _lacking({id_: one.active_domains for id_, one in self.dialogues.items()})

    @property
    def predicts_states(self) -> bool:
        """Whether every turn has a state; only then do states count as predicted."""
        return not self.without_states[0]

    @property
    def predicts_domains(self) -> bool:
        """Whether every turn has active domains; only then do they count as predicted."""
        return not self.without_domains[0]

    @cached_property
    def lexicalised(self) -> bool:
        """Whether the harness delexicalised every response."""
        return not any(None in one.plain for one in self.dialogues.values())

    @cached_property
    def responses(self) -> Mapping[str, Sequence[str]]:
        """Dialogue id -> normalised responses."""
        return {id_: one.responses for id_, one in self.dialogues.items()}

    @cached_property
    def states(self) -> Mapping[str, Sequence[BeliefState]]:
        """Dialogue id -> predicted belief states, empty where there is none."""
        return {id_: [state or {} for state in one.states] for id_, one in self.dialogues.items()}

    @cached_property
    def unknown_placeholders(self) -> Mapping[str, int]:
        """Placeholder that the ontology lacks -> occurrences, the most frequent first."""
        dialogues = self.dialogues.values()
        names = chain.from_iterable(chain(*(one.unknown_placeholders for one in dialogues)))
        return dict(Counter(names).most_common())

    def to_dict(self) -> dict[str, Any]:
        """Return its responses, states and domains as JSON types; formats make no difference."""
        return {
            id_: [
                [response, state, domains and sorted(domains)]
                for response, state, domains in zip(
                    one.responses, one.states, one.active_domains, strict=True
                )
            ]
            for id_, one in self.dialogues.items()
        }


def _lacking(columns: Mapping[str, Sequence[object]]) -> tuple[int, str]:
    """Return how many turns have None in a column, and the first: "dialogue mul0001, turn 3"."""
    count, first = 0, ""
    for id_, values in columns.items():
        if None in values:
            count += values.count(None)
            first = first or f"dialogue {id_}, turn {values.index(None)}"
    return count, first


def normalize_submission(submission: Submission, rules: RuleSet) -> NormalizedSubmission:
    """Normalise a submission's responses and states; the given one is left as it is."""
    naming = identifying = 0
    dialogues = {}
    for id_, turns in submission.dialogues.items():
        texts, states, domains, plain, _ = zip(*turns, strict=True) if turns else ((),) * 5
        normalized = [normalize_response(text, rules) for text in texts]
        responses, unknown, named, about, with_domain = (
            zip(*normalized, strict=True) if turns else ((),) * 5
        )
        identifying += sum(about)
        naming += sum(with_domain)
        dialogues[id_] = NormalizedDialogue(
            responses=responses,
            # Turn after turn has the state of the turn before.
            states=tuple(
                [
                    normal
                    for state, same in groupby(states)
                    for normal in len([*same]) * [state and normalize_state(state, rules)]
                ]
            ),
            active_domains=domains,
            domain_slots=named,
            unknown_placeholders=unknown,
            plain=plain,
        )
    about = (submission.source, submission.remarks, submission.packages)
    return NormalizedSubmission(dialogues, 2 * naming > identifying, *about)


def delexicalise_submission(
    submission: Submission, delexicaliser: Callable[[str], Delexicalised]
) -> Submission:
    """Return a submission with its responses delexicalised; the given one is left as it is."""
    return replace(
        submission,
        dialogues={
            id_: tuple(
                turn._replace(response=plain.text, plain=plain)
                for turn, plain in ((turn, delexicaliser(turn.response)) for turn in turns)
            )
            for id_, turns in submission.dialogues.items()
        },
    )


# Submissions that the harness makes itself.


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

    def made(dialogue: Dialogue) -> NormalizedDialogue:
        count = dialogue.turns
        texts: Sequence[str] = [_CONSTANT_RESPONSE] * count
        if name != CONSTANT:
            texts = dialogue.references[CANONICAL_STYLE if name == EMPTY_STATES else name]
        return NormalizedDialogue(
            responses=tuple(texts),
            states=(state,) * count,
            active_domains=(None,) * count,
            domain_slots=({},) * count,
            unknown_placeholders=((),) * count,
            plain=(None,) * count,
        )

    dialogues = {id_: made(dialogue) for id_, dialogue in benchmark.dialogues.items()}
    return NormalizedSubmission(dialogues, names_domains=False)


def empty_states(benchmark: Benchmark) -> dict[str, list[dict[str, Any]]]:
    """Return what a file of `EMPTY_STATES` holds, as a tracker would write it."""
    return {id_: [{STATE: {}}] * one.turns for id_, one in benchmark.dialogues.items()}


def human_submission(benchmark: Benchmark) -> Submission:
    """Return the benchmark's human responses, as they were written, as a submission.

    Raises:
        InputError: The benchmark does not have them.
    """
    if not benchmark.has_human_responses:
        raise InputError(
            f"benchmark {benchmark.name}", "does not hold the human responses as they were written"
        )
    return Submission(
        {
            id_: tuple(Turn(response, None, None) for response in dialogue.responses)
            for id_, dialogue in benchmark.dialogues.items()
        }
    )
