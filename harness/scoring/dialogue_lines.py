"""Scores dialogue by dialogue, as JSON lines, and the corpus scores that they add up to.

A line holds all that corpus scores are made of: BLEU's counts, how each goal domain came out in
each set-up, the normalised responses (diversity needs their words), for state tracking the states,
and of responses in plain English how they went against the database. So lines give the corpus
scores to the last digit, whether they come from one file or are those of two halves put together;
their order matters to MSTTR alone. What the human responses get is no part of them. What is scored
decides what there is: without BLEU among the metrics, a line has no counts for it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..benchmark import CANONICAL_STYLE
from ..diagnosis.causes import DomainDiagnosis, Fault
from ..diagnosis.diagnosing import diagnose
from ..errors import InputError
from ..grounding.faithfulness import Faithfulness
from ..grounding.grounded import GroundedDialogue, GroundedDomain
from ..grounding.rating import GroundedScores, RatedDialogue, grounded_figures
from ..io.files import parse_json, read_bytes, shown_name
from ..metrics import bleu
from ..metrics.diversity import diversity
from ..metrics.grounded_scores import rated_dialogues
from ..metrics.inform import outcomes, setup_scores
from ..metrics.inform_success import DomainOutcome, outcomes_of, rates
from ..metrics.played import Played
from ..metrics.setups import MAIN_SETUP, SETUPS, chosen_setups
from ..metrics.tracking.tracked_dialogues import TrackedDialogue, tracked_turn
from ..signature import Signature

if TYPE_CHECKING:
    from .free_running import FreeRunning

_OPTIMISTIC = "optimistic"


@dataclass(frozen=True)
class DomainLine:
    """How a goal domain came out.

    Attributes:
        matched: Whether it is matched.
        provided: Requested slot -> true, or the cause why it was not provided.
        cause: Why it is not matched.
        slot: The slot that the cause names, if it names one.
        turn: Where that was decided, from 0.
        faults: What was wrong with the state then.
    """

    matched: bool
    provided: Mapping[str, bool | str]
    cause: str | None = None
    slot: str | None = None
    turn: int | None = None
    faults: tuple[Fault, ...] | None = None


@dataclass(frozen=True)
class SetupDomain:
    """How a goal domain came out in a set-up other than the strict one.

    Attributes:
        matched: Whether it is matched.
        provided: Whether every requested slot was provided.
    """

    matched: bool
    provided: bool


@dataclass(frozen=True)
class SetupLine:
    """How a dialogue came out in a set-up other than the strict one."""

    inform: int
    success: int
    domains: Mapping[str, SetupDomain]


@dataclass(frozen=True)
class TurnStates:
    """The states of a turn, with the slots' names as they are written."""

    gold: Mapping[str, Mapping[str, str]]
    predicted: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class TrackingLine:
    """State tracking of a dialogue.

    Attributes:
        exact_turns: Turns whose state is predicted exactly.
        changes: How many changes of the state are "correct", "wrong", "overshot" and "missed".
        states: The states of each turn.
    """

    exact_turns: int
    changes: Mapping[str, int]
    states: tuple[TurnStates, ...]


@dataclass(frozen=True)
class DialogueLine:
    """All that corpus scores are made of, of one dialogue. What was not asked for is None.

    Attributes:
        dialogue: The dialogue's id.
        turns: The turns played.
        signature: The signature of the scores, but for the coverage.
        sources: Where "states" and "domains" come from, in set-ups without sources of their own;
            nothing of free-running dialogues.
        inform: 1 if every goal domain is matched in the strict set-up, else 0.
        success: 1 if, besides, every requested slot is provided, else 0.
        domains: Goal domain -> how it came out in the strict set-up.
        optimistic: How the dialogue came out in the optimistic set-up.
        setups: Name of a set-up -> how the dialogue came out in it, of any other set-up.
        bleu: Reference style -> BLEU's sufficient statistics: the lengths of responses and
            references, then matches, then n-grams of the responses, by n from 1 to 4.
        responses: The normalised responses.
        tracking: State tracking.
        grounded: Goal domain -> how it came out against the venue database, of responses in plain
            English.
        faithfulness: What these tell of venues, counted.
    """

    dialogue: str
    turns: int
    signature: str
    sources: Mapping[str, str]
    inform: int | None = None
    success: int | None = None
    domains: Mapping[str, DomainLine] | None = None
    optimistic: SetupLine | None = None
    setups: Mapping[str, SetupLine] | None = None
    bleu: Mapping[str, tuple[int, ...]] | None = None
    responses: tuple[str, ...] | None = None
    tracking: TrackingLine | None = None
    grounded: Mapping[str, GroundedDomain] | None = None
    faithfulness: Faithfulness | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the line as JSON types; what is None is left out, but for faults' values."""
        return asdict(self, dict_factory=_present)


def _present(content: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {k: value for k, value in content if value is not None or k in ("wanted", "found")}


def dialogue_lines(
    played: Played, signature: Signature, metrics: Collection[str]
) -> list[DialogueLine]:
    """Return a line for each dialogue played.

    Args:
        played: What was played.
        signature: The signature of its scores.
        metrics: The names of the metrics asked for.
    """
    fields: dict[str, Sequence[Any]] = {}
    for setup in chosen_setups(played.setup) if "inform" in metrics else ():
        if setup == MAIN_SETUP:
            explained = diagnose(played).outcomes
            fields["inform"] = [outcome.inform for outcome in explained]
            fields["success"] = [outcome.success for outcome in explained]
            fields["domains"] = [
                {name: _domain_line(domain) for name, domain in outcome.domains.items()}
                for outcome in explained
            ]
        elif setup == _OPTIMISTIC:
            fields["optimistic"] = _setup_lines(setup, played)
        else:
            fields["setups"] = [{setup: line} for line in _setup_lines(setup, played)]
    if "bleu" in metrics:
        counts = {style: rows.tolist() for style, rows in played.once(bleu.counts).items()}
        fields["bleu"] = [
            dict(zip(counts, map(tuple, rows), strict=True))
            for rows in zip(*counts.values(), strict=True)
        ]
    if "diversity" in metrics:
        fields["responses"] = [tuple(texts) for texts in played.responses.values()]
    if "dst" in metrics:
        fields["tracking"] = [*_tracking(played)]
    if "grounded" in metrics:
        fields |= _grounded(played.once(rated_dialogues))
    sources = {"states": played.states, "domains": played.domains}
    return _lines(played.responses, signature, sources, fields)


def free_running_lines(run: FreeRunning, signature: Signature) -> list[DialogueLine]:
    """Return a line for each free-running dialogue; there are no states and active domains."""
    responses = run.normalized.responses
    texts = [tuple(own) for own in responses.values()]
    rated = [run.rated[id_] for id_ in responses]
    return _lines(responses, signature, {}, {"responses": texts, **_grounded(rated)})


def _lines(
    responses: Mapping[str, Sequence[str]],
    signature: Signature,
    sources: Mapping[str, str],
    fields: Mapping[str, Sequence[Any]],
) -> list[DialogueLine]:
    """Return a line for each dialogue, given each other field's value for each of them."""
    said = str(replace(signature, coverage=None))
    return [
        DialogueLine(id_, len(texts), said, sources, **dict(zip(fields, values, strict=True)))
        for (id_, texts), *values in zip(responses.items(), *fields.values(), strict=True)
    ]


def lines_text(lines: Sequence[DialogueLine]) -> str:
    """Return lines as text."""
    texts = [json.dumps(line.to_dict(), ensure_ascii=False) for line in lines]
    return "".join(f"{text}\n" for text in texts)


def read_dialogue_lines(path: str | Path) -> list[DialogueLine]:
    """Read the lines of a file, plain or gzipped, or of standard input for `-`.

    Raises:
        InputError: The file cannot be read, or a line is malformed.
    """
    # Whoever only writes lines need not load what reading takes.
    from ..io.validation import validated

    source = shown_name(path)
    lines = [
        validated(DialogueLine, parse_json(text, f"{source}, line {number}"), source, str(number))
        for number, text in enumerate(read_bytes(path).splitlines(), start=1)
        if text.strip()
    ]
    if not lines:
        raise InputError(source, "no lines; expected one JSON object for each dialogue")
    return lines


def corpus_scores(lines: Sequence[DialogueLine], source: str = "lines") -> dict[str, Any]:
    """Return the corpus scores that lines add up to, as `Report.metrics` has them.

    Args:
        lines: At least one; of one file or of several, put together.
        source: What messages call them.

    Raises:
        InputError: They do not belong together: a dialogue comes twice, the signatures differ, or
            some hold what others lack.
    """
    problems = list(_mismatches(lines))
    if problems:
        raise InputError(source, problems)
    first = lines[0]
    scores: dict[str, Any] = {}
    if first.bleu is not None:
        scores["bleu"] = _corpus_bleu(lines)
    canonical = scores["bleu"][CANONICAL_STYLE] if "bleu" in scores else None
    went = [_outcomes(line) for line in lines]
    for setup in went[0]:
        domains = SETUPS[setup].domains or first.sources["domains"]
        own = [outcome[setup] for outcome in went]
        scores[setup] = setup_scores(rates(outcomes_of(own)), canonical, domains)
    if first.responses is not None:
        scores["diversity"] = diversity(text for line in lines for text in line.responses or ())
    if first.tracking is not None:
        from ..metrics.tracking.evaluation import score_tracking

        scores["dst"] = score_tracking([_tracked(line) for line in lines if line.turns])
    if first.grounded is not None:
        rated = (
            RatedDialogue(
                GroundedDialogue(line.grounded or {}), line.faithfulness or Faithfulness()
            )
            for line in lines
        )
        figures = grounded_figures(one.rating for one in rated)
        scores["grounded"] = GroundedScores.of_figures(figures, None)
    return scores


def _domain_line(domain: DomainDiagnosis) -> DomainLine:
    provided = {slot: True if cause is None else cause for slot, cause in domain.provided.items()}
    faults = domain.faults or None
    return DomainLine(domain.matched, provided, domain.cause, domain.slot, domain.turn, faults)


def _setup_lines(setup: str, played: Played) -> list[SetupLine]:
    found = played.once(outcomes, setup)
    return [
        SetupLine(
            inform=int(inform),
            success=int(success),
            domains={
                name: SetupDomain(bool(domain.matched), domain.provided)
                for name, domain in found.of(number).items()
            },
        )
        for number, (inform, success) in enumerate(zip(found.inform, found.success, strict=True))
    ]


def _grounded(rated: Sequence[RatedDialogue]) -> dict[str, Sequence[Any]]:
    return {
        "grounded": [one.grounded.domains for one in rated],
        "faithfulness": [one.faithfulness for one in rated],
    }


def _tracking(played: Played) -> Iterator[TrackingLine]:
    from ..metrics.dst import tracked_dialogues
    from ..metrics.tracking import PLAIN, gca, jga
    from ..metrics.tracking.tracked_dialogues import dialogue_states

    for dialogue in played.once(tracked_dialogues):
        states = dialogue_states(dialogue)
        yield TrackingLine(
            exact_turns=int(jga.METRIC.statistics(states, PLAIN)["exact_turns"]),
            changes={name: int(n) for name, n in gca.METRIC.statistics(states, PLAIN).items()},
            states=tuple(
                TurnStates(*(turn.written or (turn.gold, turn.predicted)))
                for turn in dialogue.turns
            ),
        )


def _mismatches(lines: Sequence[DialogueLine]) -> Iterator[str]:
    """Yield what keeps lines from being added up."""
    if not lines:
        yield "no lines; give at least one"
        return
    first = lines[0]
    kinds = ("domains", "optimistic", "setups", "bleu", "responses", "tracking", "grounded")
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if line.dialogue in seen:
            yield f"line {number}: dialogue {line.dialogue} is in line {seen[line.dialogue]}, too"
        seen[line.dialogue] = number
        if line.signature != first.signature:
            yield f"line {number}: scored otherwise than line 1 ({line.signature})"
        for kind in kinds:
            if (getattr(line, kind) is None) != (getattr(first, kind) is None):
                yield f"line {number}: `{kind}` is in this line or in line 1, but not in both"


def _corpus_bleu(lines: Sequence[DialogueLine]) -> dict[str, float]:
    counts = [line.bleu or {} for line in lines]
    return {
        style: bleu.bleu_of_sums(
            [sum(column) for column in zip(*(c[style] for c in counts), strict=True)]
        )
        for style in counts[0]
    }


def _outcomes(line: DialogueLine) -> dict[str, Mapping[str, DomainOutcome]]:
    """Return set-up -> domain -> how the dialogue came out in it."""
    others = {} if line.optimistic is None else {_OPTIMISTIC: line.optimistic}
    found: dict[str, Mapping[str, DomainOutcome]] = {}
    if line.domains is not None:
        found[MAIN_SETUP] = {
            name: DomainOutcome(
                domain.matched, all(told is True for told in domain.provided.values())
            )
            for name, domain in line.domains.items()
        }
    for setup, one in {**others, **(line.setups or {})}.items():
        found[setup] = {n: DomainOutcome(d.matched, d.provided) for n, d in one.domains.items()}
    return found


def _tracked(line: DialogueLine) -> TrackedDialogue:
    turns = line.tracking.states if line.tracking is not None else ()
    return TrackedDialogue(
        line.dialogue,
        [tracked_turn(number, turn.gold, turn.predicted) for number, turn in enumerate(turns)],
    )
