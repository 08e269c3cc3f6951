"""How to score: the options, and what they mean for a submission."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from mwz.normalization import DEFAULT_RULES, Aliases, RuleSet, rule_set, rule_set_names

from .. import data
from ..benchmark import GOALS
from ..errors import InputError, Remark, unknown
from ..metrics import (
    BOTH,
    DOMAIN_SOURCES,
    RANKED,
    SETUP_DIGESTS,
    SETUPS,
    Played,
    chosen_setups,
    named_metrics,
    response_metrics,
)
from ..rooms import import_room
from ..signature import PLACEHOLDERS, SHOWN_HASH
from ..submission import ACTIVE_DOMAINS, STATE, NormalizedSubmission, StateChecks, chosen_aliases
from .report import RANKED_COVERAGE

if TYPE_CHECKING:
    from ..data import GoalsFile

AUTO: Literal["auto"] = "auto"

SetupChoice: TypeAlias = Literal[
    "both", "strict", "optimistic", "damd", "mintl", "caspi", "rewardnet", "ubar", "pptod",
    "toatod", "mttod", "galaxy", "jsa-tod", "mga", "larl", "hdsa", "hdsa-literal", "uniconv",
]  # fmt: skip
"""The set-ups of the harness; a package's has any name, which type checkers cannot know."""

DomainChoice: TypeAlias = Literal["auto", "predicted", "slots", "states", "gold"]
StateChoice: TypeAlias = Literal["auto", "predicted", "gold"]

GROUNDED = "grounded"
"""The metric that lexicalised responses are scored by in any case."""

LEXICALISED = "lexicalised"
"""The parameter of signatures that tells by what responses were delexicalised."""


@dataclass(frozen=True)
class Resolved:
    """What options mean, worked out once.

    Attributes:
        rules: The rule set, with the aliases.
        metrics: Names of the metrics to compute, as the registry writes them.
        aliases: The placeholders that are read besides those of the rule set.
        lexicalised: Whether responses are in plain English, as free-running ones are.
        part: Which dialogues of the benchmark to score, one of `GOALS`.
        goals: The goals of free-running dialogues; None for the benchmark's.
        checks: What is refused of belief states.
    """

    rules: RuleSet
    metrics: tuple[str, ...]
    aliases: Aliases | None
    lexicalised: bool
    part: str
    goals: GoalsFile | None
    checks: StateChecks


@dataclass(frozen=True)
class Options:
    """How to score: what users give. `resolved` is what it means.

    Attributes:
        rules: Name of a rule set.
        setup: A key of `SETUPS`, or "both", strict and optimistic.
        domains: Source of active domains in set-ups that have none of their own, such as the
            strict one: "predicted"; "slots", the domains that placeholders name; "states", changes
            of the belief states; "gold"; or "auto", the first of these that the submission allows,
            never gold.
        states: Source of belief states in set-ups that have none of their own: "predicted",
            "gold", or "auto", predicted if every turn has a state.
        metrics: Names of metrics; None for those that are on by default.
        goals: Which dialogues to score: "all", or those whose goal is "seen" or "unseen" in the
            train or dev split. Of free-running dialogues, their goals: "all" for the benchmark's;
            or a JSON file, or what it holds, as `chosen_goals` takes it.
        lexicalised: Whether responses are in plain English and are to be delexicalised first. It
            adds the metric "grounded".
        free_running: Whether dialogues are free-running, of any length and in plain English: they
            are held against goals and venues only.
        placeholders: Placeholders that are read besides those of the rule set: the name of a named
            table, the path of a TOML file, a mapping of placeholder name -> ontology name, or
            aliases; None for no others.

    >>> Options(setup="strict", metrics=["bleu", "inform"]).rules
    '2021'
    """

    rules: str = DEFAULT_RULES
    setup: SetupChoice = BOTH
    domains: DomainChoice = AUTO
    states: StateChoice = AUTO
    metrics: Collection[str] | None = None
    goals: str | Path | Mapping[str, object] | GoalsFile = "all"
    lexicalised: bool = False
    free_running: bool = False
    placeholders: str | Path | Mapping[str, str] | Aliases | None = None

    def __post_init__(self) -> None:
        # Raises what is wrong where the options are written.
        problems = []
        for name, values in CHOICES.items():
            value = getattr(self, name)
            if value not in values and not (name == "goals" and self.free_running):
                problems.append(unknown(_KINDS[name], value, values))
        if not problems and self.setup not in (*RANKED, BOTH):
            for name in ("domains", "states"):
                fixed, asked = getattr(SETUPS[self.setup], name), getattr(self, name)
                if fixed is not None and asked not in (AUTO, fixed):
                    problem = f"set-up {self.setup} takes {fixed} {name}, not {asked}; leave it out"
                    problems.append(f"{name}: {problem}")
        try:
            named_metrics(self.metrics)
        except InputError as error:
            problems += error.problems
        if self.free_running and self.goals in GOALS[1:]:
            problems.append('goals: of free-running dialogues, take "all" or a file of goals')
        if (self.lexicalised or self.free_running) and self.placeholders is not None:
            problems.append("placeholders: responses in plain English have none; leave them out")
        if problems:
            raise InputError("options", problems)
        _ = self.resolved

    @cached_property
    def resolved(self) -> Resolved:
        """What they mean.

        Raises:
            InputError: A file that they name cannot be used.
        """
        lexicalised = self.lexicalised or self.free_running
        if lexicalised:
            import_room("harness.grounding", "plain English")
        metrics = named_metrics(self.metrics)
        if lexicalised and GROUNDED not in metrics:
            metrics = (*metrics, GROUNDED)
        rules, aliases = rule_set(self.rules), None
        if self.placeholders is not None:
            aliases = chosen_aliases(self.placeholders, rules)
            rules = rule_set(self.rules, aliases)
        part = self.goals if isinstance(self.goals, str) and self.goals in GOALS else "all"
        goals = None
        if self.free_running and self.goals != part:
            goals = data.chosen_goals(self.goals, rules)
        sources = [SETUPS[name].states for name in chosen_setups(self.setup)]
        are_needed = any("states" in response_metrics()[name].needs for name in metrics)
        are_predicted = self.states != "gold" and not lexicalised and are_needed
        checks = StateChecks(
            uses_states="predicted" in sources or are_predicted,
            without_states="; `--states gold` does without them",
            plain=lexicalised,
        )
        return Resolved(
            rules=rules,
            metrics=metrics,
            aliases=aliases,
            lexicalised=lexicalised,
            part=part,
            goals=goals,
            checks=checks,
        )


_KINDS = {
    "rules": "rule set",
    "setup": "set-up",
    "domains": "source of domains",
    "states": "source of states",
    "goals": "choice of goals",
}
"""Option -> what its value names."""


CHOICES: Mapping[str, Sequence[str]] = {
    "rules": rule_set_names(),
    "setup": (BOTH, *SETUPS),
    "domains": (AUTO, *DOMAIN_SOURCES),
    "states": (AUTO, "predicted", "gold"),
    "goals": GOALS,
}
"""Option -> its values, of the options that have a fixed choice of them."""


def sources_of(options: Options, submission: NormalizedSubmission) -> tuple[str, str]:
    """Return the sources of belief states and of active domains that options mean.

    Raises:
        InputError: The submission lacks what an option asks for.
    """
    states = options.states
    if states == AUTO and not options.resolved.checks.uses_states:
        lacking, _ = submission.lacking("states")
        states = "predicted" if lacking < submission.turns else "gold"
    elif states in (AUTO, "predicted"):
        predicts = _predicts(submission, "states", states)
        states = "predicted" if predicts else "gold"
    by_slots = [name for name in chosen_setups(options.setup) if SETUPS[name].domains == "slots"]
    if by_slots and not submission.names_domains:
        raise InputError(
            submission.source,
            f"set-up {by_slots[0]} needs placeholders that name their domain, as `[hotel_name]` "
            "does, and most do not; choose another set-up",
        )
    domains = options.domains
    if domains in (AUTO, "predicted"):
        if _predicts(submission, "domains", domains):
            domains = "predicted"
        else:
            domains = "slots" if submission.names_domains else "states"
    return states, domains


_PREDICTED = {"states": (STATE, "gold"), "domains": (ACTIVE_DOMAINS, "states")}
"""Option -> the field of turns that it reads, and a source that needs no field."""


def _predicts(
    submission: NormalizedSubmission, option: Literal["states", "domains"], chosen: str
) -> bool:
    """Return whether every turn has the field that an option reads; else, none has.

    Args:
        submission: The submission.
        option: The option.
        chosen: Its value, "auto" or "predicted".

    Raises:
        InputError: Some turns have it and others not, and nobody said that this is known; or
            it is asked for and some turn lacks it.
    """
    field, fallback = _PREDICTED[option]
    lacking, first = submission.lacking(option)
    if lacking and chosen != AUTO:
        raise InputError(
            f"option {option}",
            f"`predicted` needs `{field}` in every turn; {first} has none, like "
            f"{lacking} of {submission.turns}",
        )
    if 0 < lacking < submission.turns:
        raise InputError(
            submission.source,
            f"{first}: no `{field}`, as in {lacking} of {submission.turns} turns, while the others "
            f"have one; give it in every turn, or say what to use instead, as in `mwz score "
            f"--{option} {fallback}`",
        )
    return not lacking


def parameters(options: Options) -> dict[str, str]:
    """Return what signatures say of further choices: name -> value."""
    values = {}
    if options.resolved.lexicalised:
        values[LEXICALISED] = lexicalised_parameter()
    if options.resolved.aliases is not None:
        values[PLACEHOLDERS] = options.resolved.aliases.label
    if options.setup in SETUP_DIGESTS:
        values["setup-digest"] = SETUP_DIGESTS[options.setup][:SHOWN_HASH]
    for metric in options.resolved.metrics:
        for name, value in response_metrics()[metric].parameters.items():
            values[f"{metric}.{name}"] = value
    return values


def lexicalised_parameter() -> str:
    """Return what signatures say of the delexicaliser: its version and its tables' digest."""
    return str(import_room("harness.grounding.grounded", "plain English").Delexicaliser.version())


def played_remarks(played: Played, options: Options) -> Iterator[Remark]:
    """Yield the remarks on what was played, those of reading it first.

    Args:
        played: What was played.
        options: How it is scored.
    """
    yield from played.submission.remarks
    turns, every = played.submission.turns, played.benchmark.turns
    if 100 * turns < RANKED_COVERAGE * every:
        yield Remark(
            "coverage",
            f"submits {turns} of {every} turns; below {RANKED_COVERAGE:g} % it has no rank, and "
            "its scores do not stand for the benchmark",
        )
    if played.states == "predicted" and not played.submission.predicts_states:
        lacking, first = played.submission.lacking("states")
        text = f"{first}: no `state`, as in {lacking} of {turns} turns; read as empty"
        yield Remark("states", text)
    is_chosen = "inform" in played.metrics and options.states == AUTO
    without = any(SETUPS[name].states is None for name in chosen_setups(played.setup))
    if is_chosen and without and played.states == "gold":
        text = "no turn has a `state`; scored with gold belief states"
        yield Remark("states", text, warning=False)
