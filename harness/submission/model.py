"""A system's outputs: as they were checked, and normalised as metrics read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from mwz.normalization import (
    NAME,
    Aliases,
    BeliefState,
    DomainSlots,
    RuleSet,
    alias_tables,
    normalize_response,
    normalize_state,
)

from ..benchmark import CANONICAL_STYLE, STYLES, Benchmark
from ..errors import InputError, Remark, cut_repr, refuse, unknown
from ..io import kind_of, parse_toml, read_bytes
from .formats import ACTIVE_DOMAINS, GOLD, RESPONSE, STATE

if TYPE_CHECKING:
    from mwz.normalization.delexicaliser import Delexicalised

    from .profile.profile import Profile


class Turn(NamedTuple):
    """The outputs of a system in one system turn.

    Attributes:
        response: The delexicalised response.
        state: The predicted belief state, if there is one.
        active_domains: The predicted active domains, if there are any.
        plain: The original response and the values found in it, if the harness delexicalised it.
        gold: The gold state, if a tracker's file has its own.
    """

    response: str
    state: BeliefState | None
    active_domains: Sequence[str] | None
    plain: Delexicalised | None = None
    gold: BeliefState | None = None

    def to_dict(self, state_alone: bool = False) -> dict[str, object]:
        """Return the turn as JSON types in the standard form; absent fields are left out.

        Args:
            state_alone: Whether the turn is a tracker's, which has no response.
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
        format: The format that was recognised.
        remarks: The remarks on the file.
        packages: The third-party package that declares the format -> its version.
        profile: The profile of the dialogues, which remarks tell about; None if it was not
            measured, or was measured before repairs.
    """

    dialogues: Mapping[str, Sequence[Turn]]
    source: str = "predictions"
    format: str = ""
    remarks: Sequence[Remark] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    profile: Profile | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class NormalizedDialogue:
    """The system turns of a dialogue in the form that every metric reads, a column per field.

    Each field has a value per turn. Metrics read one field of many turns, which is faster from
    columns than from one object per turn.

    Attributes:
        responses: The normalised responses.
        states: The predicted belief states, normalised; None for a turn without one.
        active_domains: The predicted active domains; None for a turn without them.
        domain_slots: Domain -> slots of the response's placeholders that name this domain.
        unknown_placeholders: The placeholders that the ontology lacks, one per occurrence.
        plain: The original response and the values found in it; None where the harness did not
            delexicalise the response.
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
        names_domains: Whether more than half of the placeholders about venues name their domain, as
            `[hotel_name]` does.
        source: What messages call the predictions.
        remarks: The remarks on the predictions.
        packages: The third-party package that declares their format -> its version.
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
        """Return a copy whose responses are normalised by another function.

        Args:
            submission: The submission that was normalised; it has the original responses.
            normalize: Returns the normalised text of a response.
        """
        dialogues: dict[str, NormalizedDialogue] = {}
        for id_, dialogue in self.dialogues.items():
            responses = [normalize(turn.response) for turn in submission.dialogues[id_]]
            dialogues[id_] = replace(dialogue, responses=tuple(responses))
        return replace(self, dialogues=dialogues)

    def lacking(self, field: Literal["states", "domains"]) -> tuple[int, str]:
        """Return how many turns lack a state or active domains, and which is the first.

        The first is called as in "dialogue mul0001, turn 3"; it is "" if no turn lacks the field.
        """
        count = 0
        first = ""
        for id_, dialogue in self.dialogues.items():
            values: Sequence[object] = dialogue.states
            if field == "domains":
                values = dialogue.active_domains
            if None in values:
                count += values.count(None)
                first = first or f"dialogue {id_}, turn {values.index(None)}"
        return count, first

    @property
    def predicts_states(self) -> bool:
        """Whether every turn has a state; only then do states count as predicted."""
        return not self.lacking("states")[0]

    @property
    def predicts_domains(self) -> bool:
        """Whether every turn has active domains; only then do they count as predicted."""
        return not self.lacking("domains")[0]

    @cached_property
    def lexicalised(self) -> bool:
        """Whether the harness delexicalised every response."""
        return all(None not in dialogue.plain for dialogue in self.dialogues.values())

    @cached_property
    def responses(self) -> Mapping[str, Sequence[str]]:
        """Dialogue id -> normalised responses."""
        return {id_: dialogue.responses for id_, dialogue in self.dialogues.items()}

    @cached_property
    def states(self) -> Mapping[str, Sequence[BeliefState]]:
        """Dialogue id -> predicted belief states, empty for a turn without one."""
        states: dict[str, Sequence[BeliefState]] = {}
        for id_, dialogue in self.dialogues.items():
            states[id_] = [state or {} for state in dialogue.states]
        return states

    @cached_property
    def unknown_placeholders(self) -> Mapping[str, int]:
        """Placeholder that the ontology lacks -> occurrences, the most frequent first."""
        names: list[str] = []
        for dialogue in self.dialogues.values():
            for names_of_turn in dialogue.unknown_placeholders:
                names.extend(names_of_turn)
        return dict(Counter(names).most_common())

    def to_dict(self) -> dict[str, list[list[object]]]:
        """Return its responses, states and domains as JSON types; formats make no difference."""
        content: dict[str, list[list[object]]] = {}
        for id_, dialogue in self.dialogues.items():
            turns = zip(dialogue.responses, dialogue.states, dialogue.active_domains, strict=True)
            content[id_] = [
                [response, state, domains and sorted(domains)] for response, state, domains in turns
            ]
        return content


def normalize_submission(submission: Submission, rules: RuleSet) -> NormalizedSubmission:
    """Normalise a submission's responses and states; the given one is left as it is."""
    about_venues = 0
    with_domain = 0
    dialogues: dict[str, NormalizedDialogue] = {}
    for id_, turns in submission.dialogues.items():
        responses: list[str] = []
        domain_slots: list[DomainSlots] = []
        unknown_placeholders: list[Sequence[str]] = []
        states: list[BeliefState | None] = []
        last: BeliefState | None = None
        last_normalized: BeliefState | None = None
        for turn in turns:
            text, placeholders = normalize_response(turn.response, rules)
            responses.append(text)
            domain_slots.append(placeholders.domain_slots)
            unknown_placeholders.append(placeholders.unknown)
            about_venues += placeholders.about_venues
            with_domain += placeholders.with_domain
            # Many turns repeat the state of the turn before, which is normalised already.
            if turn.state != last:
                last = turn.state
                last_normalized = normalize_state(last, rules) if last else last
            states.append(last_normalized)
        dialogues[id_] = NormalizedDialogue(
            responses=tuple(responses),
            states=tuple(states),
            active_domains=tuple([turn.active_domains for turn in turns]),
            domain_slots=tuple(domain_slots),
            unknown_placeholders=tuple(unknown_placeholders),
            plain=tuple([turn.plain for turn in turns]),
        )
    return NormalizedSubmission(
        dialogues=dialogues,
        names_domains=2 * with_domain > about_venues,
        source=submission.source,
        remarks=submission.remarks,
        packages=submission.packages,
    )


def delexicalise_submission(
    submission: Submission, delexicaliser: Callable[[str], Delexicalised]
) -> Submission:
    """Return a submission with its responses delexicalised; the given one is left as it is."""
    dialogues: dict[str, Sequence[Turn]] = {}
    for id_, turns in submission.dialogues.items():
        delexicalised: list[Turn] = []
        for turn in turns:
            plain = delexicaliser(turn.response)
            delexicalised.append(turn._replace(response=plain.text, plain=plain))
        dialogues[id_] = tuple(delexicalised)
    return replace(submission, dialogues=dialogues)


# Aliases: what users say that placeholders mean which a rule set does not know.

LEXICALISED = "--lexicalised"
"""The option that scores responses in plain words."""

SECTION = "placeholders"
"""The table of a TOML file that holds aliases."""


def chosen_aliases(chosen: object, rules: RuleSet) -> Aliases:
    """Return the aliases that an option means.

    A table that a user writes must fit the rule set. A named table, or one that was read before, is
    used with every rule set; a placeholder that the rule set knows keeps its meaning.

    Args:
        chosen: The name of a named table, the path of a TOML file, a mapping of placeholder name
            -> ontology name, or aliases.
        rules: The rule set.

    Raises:
        InputError: `chosen` is none of these, the file cannot be read, or an alias is of a
            placeholder that the rule set knows, or means something that is not in the ontology.
    """
    if isinstance(chosen, Aliases):
        return chosen
    if isinstance(chosen, str) and chosen in alias_tables():
        return alias_tables()[chosen]
    source = SECTION
    table = chosen
    if isinstance(chosen, str | Path):
        source = str(chosen)
        table = parse_toml(read_bytes(chosen), source).get(SECTION)
    if not isinstance(table, Mapping):
        expected = f"expected a table [{SECTION}] of placeholder name -> ontology name"
        raise InputError(source, f"{expected}, found {kind_of(table)}")
    refuse(source, alias_problems(table, rules))
    return Aliases.from_table(table)


def alias_problems(table: Mapping[str, object], rules: RuleSet) -> Iterator[str]:
    """Yield what is wrong with a table of aliases: a sentence for each problem.

    Args:
        table: Placeholder name -> ontology name.
        rules: The rule set that the table is used with.
    """
    slots = sorted(set(rules.ontology.values()))
    if not table:
        yield "names no placeholder"
    seen: set[str] = set()
    for name, slot in table.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield (
                f"{cut_repr(name)}: not the name of a placeholder; write letters, digits, blanks "
                "and underscores, without the brackets"
            )
            continue
        lowered = name.lower()
        if lowered in seen:
            yield f"{cut_repr(name)} is there twice, whatever its case; keep one"
        elif lowered in rules.ontology:
            yield (
                f"{cut_repr(name)}: rule set {rules.name} knows it, as {rules.ontology[lowered]}; "
                "an alias may only name what it does not know"
            )
        elif slot not in slots:
            yield f"{cut_repr(name)}: {unknown('slot', slot, slots)}"
        seen.add(lowered)


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
        benchmark: The benchmark that it plays.
        name: A reference style, for the benchmark's own responses as if a system had given them;
            `CONSTANT`, for one response with the six placeholders about venues, in every turn; or
            `EMPTY_STATES`, for the canonical references with empty states: what these lose, they
            lose for lack of states. Only `EMPTY_STATES` predicts states.
    """
    state: BeliefState | None = {} if name == EMPTY_STATES else None
    style = CANONICAL_STYLE if name == EMPTY_STATES else name
    dialogues: dict[str, NormalizedDialogue] = {}
    for id_, dialogue in benchmark.dialogues.items():
        count = dialogue.turns
        responses: Sequence[str] = [_CONSTANT_RESPONSE] * count
        if name != CONSTANT:
            responses = dialogue.references[style]
        dialogues[id_] = NormalizedDialogue(
            responses=tuple(responses),
            states=(state,) * count,
            active_domains=(None,) * count,
            domain_slots=({},) * count,
            unknown_placeholders=((),) * count,
            plain=(None,) * count,
        )
    return NormalizedSubmission(dialogues, names_domains=False)


def empty_states(benchmark: Benchmark) -> dict[str, list[dict[str, object]]]:
    """Return what a file of `EMPTY_STATES` holds, as a tracker would write it."""
    return {id_: [{STATE: {}}] * dialogue.turns for id_, dialogue in benchmark.dialogues.items()}


def human_submission(benchmark: Benchmark) -> Submission:
    """Return the benchmark's human responses, as they were written, as a submission.

    Raises:
        InputError: The benchmark does not have them.
    """
    if not benchmark.has_human_responses:
        raise InputError(
            f"benchmark {benchmark.name}", "does not hold the human responses as they were written"
        )
    dialogues: dict[str, Sequence[Turn]] = {}
    for id_, dialogue in benchmark.dialogues.items():
        turns = [Turn(response, state=None, active_domains=None) for response in dialogue.responses]
        dialogues[id_] = tuple(turns)
    return Submission(dialogues)
