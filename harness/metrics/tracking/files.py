"""Files of states: trackers' outputs and submissions, read as tracked dialogues, and signatures.

They are read and checked as predictions are (`submission/`), but that a turn's state is what
matters. Files that hold gold states are scored on those, as they are: the published code normalises
nothing. Files without are compared with a benchmark's gold states, both sides normalised; and so is
any file where gold states of another version are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mwz.normalization import DEFAULT_RULES, digest_of_json, normalize_state, rule_set

from ...benchmark import Benchmark
from ...errors import InputError, Remark
from ...signature import SHOWN_HASH, Signature
from ...submission import GOLD, Reading, checked_submission, standard_form
from .choices import Choices
from .metric import tracking_metrics
from .states import GoldStates, TrackedDialogue, TrackedTurn, track_states


@dataclass(frozen=True)
class TrackedFile:
    """The dialogues of one file, and what it was recognised as.

    Attributes:
        source: The file, as the user named it.
        format: The format it was recognised as.
        benchmark: The benchmark whose dialogues it was compared with; None if it holds gold states
            of its own.
        dialogues: The tracked dialogues, in the file's order.
        gold: The gold states that took the place of the benchmark's or of the file's own; None if
            none did.
        left_out: Ids of dialogues that those lack.
        remarks: What there is to say of how the file is written.
        responses: Whether it has responses as well.
    """

    source: str
    format: str
    benchmark: Benchmark | None
    dialogues: Sequence[TrackedDialogue]
    gold: GoldStates | None = None
    left_out: Sequence[str] = ()
    remarks: Sequence[Remark] = ()
    responses: bool = False


def parse_tracking_file(
    content: object,
    source: str,
    load_benchmark: Callable[[Iterable[str]], Benchmark],
    gold: GoldStates | None = None,
) -> TrackedFile:
    """Recognise the content of a file of states and return its dialogues.

    Args:
        content: What the file's JSON holds.
        source: What the error message calls it.
        load_benchmark: Gives the benchmark to compare with, for the file's dialogue ids; called
            only if the file has no gold states of its own, or `gold` is given.
        gold: Gold states of the benchmark's dialogues to compare with instead of the benchmark's
            or the file's own.

    Raises:
        InputError: The content has no known shape or is malformed, with every place.
    """
    standard = standard_form(content, source)
    given = [turns for turns in standard.dialogues.values() if isinstance(turns, list)]
    has_gold = any(isinstance(turn, Mapping) and GOLD in turn for one in given for turn in one)
    benchmark = load_benchmark(standard.dialogues) if gold is not None or not has_gold else None
    submission = checked_submission(standard, benchmark, source, reading=Reading(tracked=True))
    remarks = [remark for remark in submission.remarks if remark.warning]
    dialogues = submission.dialogues.items()
    if benchmark is None:
        tracked = [
            TrackedDialogue(
                id_, [TrackedTurn(n, t.gold or {}, t.state or {}) for n, t in enumerate(turns)]
            )
            for id_, turns in dialogues
        ]
    else:
        rules = rule_set(DEFAULT_RULES)
        states = {id_: [normalize_state(t.state or {}, rules) for t in of] for id_, of in dialogues}
        tracked = track_states(states, benchmark, gold)
        if gold is not None and not tracked:
            raise InputError(source, f"the gold states {gold.version} have none of its dialogues")
        remarks += _of_one_domain(tracked)
    return TrackedFile(
        source,
        submission.format,
        benchmark,
        tracked,
        gold,
        [] if gold is None else [id_ for id_, _ in dialogues if id_ not in gold.states],
        remarks,
        responses=any(turn.response for _, turns in dialogues for turn in turns),
    )


def _of_one_domain(dialogues: Sequence[TrackedDialogue]) -> Iterator[Remark]:
    """Yield the remark on predictions of one domain beside gold states of several."""
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    predicted = {domain for turn in turns for domain, slots in turn.predicted.items() if slots}
    gold = {domain for turn in turns for domain, slots in turn.gold.items() if slots}
    if len(predicted) == 1 and (others := sorted(gold - predicted)):
        (domain,) = predicted
        yield Remark(
            "domains",
            f"only {domain} is predicted, and the slots of {', '.join(others)} count as missed; "
            f"--variant per-domain=dialogues scores {domain} alone",
        )


def tracking_signature(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None,
    choices: Choices = Choices(),
    gold: GoldStates | None = None,
) -> Signature:
    """Return the signature of scores of tracked dialogues.

    Args:
        dialogues: What was scored.
        benchmark: The benchmark that the dialogues are of; None if the file has gold states of its
            own.
        choices: What the metrics leave open, and which variant of joint accuracy is meant.
        gold: The gold states that took the place of the benchmark's, if any did.
    """
    parameters = {
        name: value
        for metric in tracking_metrics().values()
        for name, value in metric.parameters(choices).items()
    }
    over = _per_domain_over(dialogues, choices.per_domain)
    parameters |= {**choices.variants, "per-domain": over}
    if benchmark is None:
        states = {d.id: [[turn.number, turn.gold] for turn in d.turns] for d in dialogues}
        return Signature(gold=digest_of_json(states), parameters=parameters)
    rules = rule_set(DEFAULT_RULES)
    if gold is None:
        own = {id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()}
        gold = GoldStates("", benchmark.name, own)
    return Signature(
        benchmark=benchmark.name,
        rules=rules.name,
        rules_digest=rules.digest,
        coverage=_coverage(dialogues, benchmark),
        gold=gold.digest,
        parameters=parameters,
    )


def _per_domain_over(dialogues: Sequence[TrackedDialogue], over: str) -> str:
    """Return which turns scores per domain average over, with a digest of what says so."""
    annotation: Mapping[str, object]
    if over == "active":
        annotation = {d.id: [turn.active_domains for turn in d.turns] for d in dialogues}
    elif over == "dialogues":
        annotation = {d.id: sorted(d.goal_domains or ()) for d in dialogues}
    else:
        return over
    return f"{over}-{digest_of_json(annotation)[:SHOWN_HASH]}"


def _coverage(dialogues: Sequence[TrackedDialogue], benchmark: Benchmark) -> str | None:
    """Return the turns scored of all and a digest of which; None if all are."""
    played = sorted((d.id, [turn.number for turn in d.turns]) for d in dialogues)
    turns = sum(len(numbers) for _, numbers in played)
    if turns == benchmark.turns:
        return None
    return f"{turns}/{benchmark.turns}-{digest_of_json(played)[:SHOWN_HASH]}"
