"""Files of states: trackers' outputs and submissions, read as tracked dialogues, and signatures.

Whatever its format, a file holds dialogue id -> turns, and a turn one or two states. Three things
are recognised by shape alone, each by its own table or function:

- how turns are arranged: objects or lists by dialogue id, below `turns` (T5-DST), or SOM-DST's
  flat `id_turn` -> [predicted, gold];
- what a turn holds: gold and predicted state under the keys of `LAYOUTS`, or the predicted state;
- how a state is written: the notations of `submission/notations.py`.

Outputs of the formats of `submission/formats/` are first read into the standard form, and a
submission with responses is read and checked as predictions are.

Files that hold gold states are scored on those, as they are: the published code normalises nothing.
Files without are compared with a benchmark's gold states, both sides normalised; and so is any file
where gold states of another version are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from mwz.normalization import DEFAULT_RULES, BeliefState, digest_of_json, normalize_state, rule_set

from ...benchmark import Benchmark
from ...errors import Findings, InputError, Remark, refuse, shown
from ...io import is_text, kind_of, limit_text, limits
from ...signature import SHOWN_HASH, Signature
from ...submission import (
    KIND,
    RESPONSE,
    STATE,
    STATE_DOMAINS,
    VALUE_LISTS,
    dialogue_id,
    meant_key,
    notation_of,
    parse_submission,
    read_state,
    special_format,
)
from .choices import Choices
from .metric import tracking_metrics
from .states import GoldStates, TrackedDialogue, TrackedTurn, track_states

SUBMISSION = (STATE,)

LAYOUTS: Mapping[tuple[str, ...], str] = {
    ("gt", "pr"): "gold and prediction pairs",
    ("turn_belief", "pred_bs_ptr"): "TRADE",
    ("turn_belief", "pred_belief"): "T5-DST",
    ("gold", "predicted"): "gold and prediction pairs",
    SUBMISSION: "submission",
}
"""The keys of a turn's gold and predicted state, or of the predicted one -> what reports call it.

The first of these whose keys a turn has is the file's layout. If there is none, a turn is itself
the predicted state.
"""

_TURN_NUMBER = re.compile(r"[0-9]{1,9}")
_SHOWN_TURNS = 10
_SOM_DST_KEY = re.compile(r".+_[0-9]{1,9}")


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
    special, content = _standard(content, source, load_benchmark)
    if not isinstance(content, Mapping):
        expected = "expected an object of dialogue id -> turns"
        raise InputError(source, f"{expected}, found {kind_of(content)}")
    if not content:
        raise InputError(source, "no dialogues; expected an object of dialogue id -> turns")
    is_som_dst = _is_som_dst(content)
    arranged = _regrouped(content) if is_som_dst else content
    turns = [
        turn
        for given in arranged.values()
        for _, turn in _turns_of(given)
        if isinstance(turn, Mapping)
    ]
    keys = next(_layouts(turns), ())
    if keys == SUBMISSION:
        _require_states(turns, source)
        if any(RESPONSE in turn for turn in turns):
            return _submission(content, source, special, load_benchmark(content), gold)
    if len(arranged) > limits()["dialogues"]:
        most = limit_text(limits(), "dialogues")
        raise InputError(source, f"{len(arranged):,} dialogues; {most}")
    dialogues, problems, notations = _read(arranged, keys)
    refuse(source, problems)
    name = "SOM-DST" if is_som_dst else LAYOUTS.get(keys, "predictions")
    of_keys = f" ({', '.join(keys)})" if keys else ""
    format_ = f"{special}{name}{of_keys}: {' and '.join(notations) or 'empty states'}"
    if not keys:
        _check_domains(dialogues, source)
    if len(keys) > 1 and gold is None:
        own = [TrackedDialogue(id_, turns) for id_, turns in dialogues.items()]
        return TrackedFile(source, format_, None, own)
    benchmark = load_benchmark(dialogues)
    refuse(source, _comparison_problems(dialogues, benchmark, may_be_short=keys == SUBMISSION))
    states = {id_: [turn.predicted for turn in turns] for id_, turns in dialogues.items()}
    return _compared(TrackedFile(source, format_, benchmark, [], gold), states)


def _submission(
    content: Mapping[str, Any],
    source: str,
    special: str,
    benchmark: Benchmark,
    gold: GoldStates | None,
) -> TrackedFile:
    """Return the states of a file with responses, which is read and checked as predictions are."""
    submission = parse_submission(content, benchmark, source)
    turns = [
        (f"dialogue {id_}, turn {number}", turn)
        for id_, of_dialogue in submission.dialogues.items()
        for number, turn in enumerate(of_dialogue)
    ]
    refuse(source, [f"{place}: `state` is missing" for place, turn in turns if turn.state is None])
    file = TrackedFile(
        source=source,
        format=f"{special}{LAYOUTS[SUBMISSION]}",
        benchmark=benchmark,
        dialogues=[],
        gold=gold,
        # Nobody asks for placeholders here.
        remarks=[remark for remark in submission.remarks if remark.kind != KIND],
        responses=any(turn.response for _, turn in turns),
    )
    states = {id_: [turn.state or {} for turn in t] for id_, t in submission.dialogues.items()}
    return _compared(file, states)


def _compared(file: TrackedFile, states: Mapping[str, Sequence[BeliefState]]) -> TrackedFile:
    """Return a file with its predicted states beside gold ones, both normalised."""
    assert file.benchmark is not None
    rules = rule_set(DEFAULT_RULES)
    normalized = {
        dialogue_id(id_): [normalize_state(state, rules) for state in of_dialogue]
        for id_, of_dialogue in states.items()
    }
    gold = file.gold
    tracked = track_states(normalized, file.benchmark, gold)
    if gold is not None and not tracked:
        raise InputError(file.source, f"the gold states {gold.version} have none of its dialogues")
    return replace(
        file,
        dialogues=tracked,
        left_out=[] if gold is None else [id_ for id_ in normalized if id_ not in gold.states],
        remarks=[*file.remarks, *_of_one_domain(tracked)],
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


def _standard(
    content: object, source: str, load_benchmark: Callable[[Iterable[str]], Benchmark]
) -> tuple[str, object]:
    """Return predictions of another format in the standard form, with their format's name."""
    special = special_format(content)
    if special is None:
        return "", content
    standard = special.read(content, source)
    users = load_benchmark([]).users if standard.find is not None else {}
    return f"{standard.format}, ", standard.dialogues_among(users)


def _require_states(turns: Sequence[Mapping[str, Any]], source: str) -> None:
    """Refuse a submission in which no turn has a state."""
    if all(turn.get(STATE) is None for turn in turns):
        keys = (key for turn in turns for key in turn if key != STATE)
        written = next((key for key in keys if meant_key(key) == STATE), None)
        alike = "" if written is None else f"; `{written}` is not read; write `state`"
        raise InputError(source, f"no turn has a `state`: there are no states to compare{alike}")


def _layouts(turns: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield the layouts that turns may have: those of which some turn has all keys, or else any."""
    for enough in (all, any):
        for keys in LAYOUTS:
            if any(enough(key in turn for key in keys) for turn in turns):
                yield keys
    if any(RESPONSE in turn for turn in turns):
        yield SUBMISSION


_Told: TypeAlias = list[tuple[str, str]]
"""What is wrong, each with its place in a turn or a state."""


def _read(
    arranged: Mapping[str, object], keys: Sequence[str]
) -> tuple[dict[str, list[TrackedTurn]], Findings, Iterable[str]]:
    """Read the states of a file.

    Args:
        arranged: Dialogue id -> its turns.
        keys: The file's layout.

    Returns:
        Dialogue id -> turns by number, the gold states empty where the file has none; what is wrong
        with the file; and the notations of its states.
    """
    bounds = limits()
    problems = Findings()
    notations: dict[str, None] = {}
    dialogues: dict[str, list[TrackedTurn]] = {}
    for id_, turns in arranged.items():
        place = f"dialogue {shown(id_)[1:-1]}"
        numbered, wrong = _numbered(turns, bounds)
        if not is_text(str(id_)):
            wrong.append("its id is not valid text")
        for problem in wrong:
            problems.add(place, problem)
        dialogues[id_] = []
        for number, turn in sorted(numbered.items()):
            states, told, written = _states(turn, keys, bounds)
            for where, problem in told:
                problems.add(f"{place}, turn {number}{where}", problem)
            notations |= written
            gold = states[0] if len(states) > 1 else {}
            dialogues[id_].append(TrackedTurn(number, gold, states[-1]))
    return dialogues, problems, notations


def _numbered(turns: object, bounds: Mapping[str, int]) -> tuple[dict[int, object], list[str]]:
    """Return a dialogue's turns by number, and what is wrong with the numbers."""
    given = _turns_of(turns)
    if not given:
        return {}, [f"no turns; expected them by number or as a list, found {kind_of(turns)}"]
    if len(given) > bounds["turns"]:
        return {}, [f"{len(given):,} turns; {limit_text(bounds, 'turns')}"]
    numbered: dict[int, object] = {}
    problems = []
    for key, turn in given:
        if not _TURN_NUMBER.fullmatch(key):
            problems.append(f"expected turn numbers as keys, found {shown(key)}")
        elif int(key) > bounds["turns"]:
            problems.append(f"turn {int(key):,}; {limit_text(bounds, 'turns')}")
        elif int(key) in numbered:
            problems.append(f"turn {int(key)} is there twice")
        else:
            numbered[int(key)] = turn
    return numbered, problems


def _states(
    turn: object, keys: Sequence[str], bounds: Mapping[str, int]
) -> tuple[list[BeliefState], _Told, dict[str, None]]:
    """Return the states of a turn as its layout has them, what is wrong, and their notations."""
    if not keys:
        state, told, notations = _state(turn, bounds)
        return [state], told, notations
    if not isinstance(turn, Mapping):
        expected = " and ".join(f"`{key}`" for key in keys)
        return [{}], [("", f"expected an object with {expected}, found {kind_of(turn)}")], {}
    states: list[BeliefState] = []
    problems: _Told = []
    notations = {}
    for key in keys:
        if turn.get(key) is None:
            problems.append(("", f"`{key}` is missing; expected a state"))
            states.append({})
        else:
            state, told, written = _state(turn[key], bounds)
            states.append(state)
            problems += [(f", {key}{where}", problem) for where, problem in told]
            notations |= written
    return states, problems, notations


def _state(
    written: object, bounds: Mapping[str, int]
) -> tuple[BeliefState, _Told, dict[str, None]]:
    """Return a state, what is wrong with it, and the notations in which it is written."""
    problems: _Told = []
    notations: dict[str, None] = {}

    def tell(where: str, problem: str) -> None:
        problems.append((f", {where}" if where else "", problem))

    def note(_: str, what: str) -> None:
        if what == VALUE_LISTS:
            notations[what] = None

    notation = notation_of(written)
    if notation is not None:
        notations[notation] = None
    state = read_state(written, tell, note)
    for domain, slots in state.items():
        for slot, value in slots.items():
            if len(value) > bounds["value"]:
                most = limit_text(bounds, "value")
                tell(f"{domain}, {slot}", f"{len(value):,} characters; {most}")
    return state, problems, notations


def _is_som_dst(content: Mapping[str, Any]) -> bool:
    """Return whether this is `id_turn` -> [predicted, gold], two lists of strings."""
    return all(
        isinstance(sides, list)
        and len(sides) == 2
        and all(isinstance(side, list) for side in sides)
        and _SOM_DST_KEY.fullmatch(key)
        for key, sides in content.items()
    )


def _regrouped(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return SOM-DST's turns by dialogue, with named sides."""
    dialogues: dict[str, dict[str, Any]] = {}
    for key, (predicted, gold) in content.items():
        dialogue, _, turn = key.rpartition("_")
        dialogues.setdefault(dialogue, {})[turn] = {"gold": gold, "predicted": predicted}
    return dialogues


def _turns_of(turns: object) -> list[tuple[str, Any]]:
    """Return a dialogue's turns with their keys; none if it is neither an object nor a list."""
    if isinstance(turns, Mapping) and "turns" in turns:
        turns = turns["turns"]
    if isinstance(turns, Mapping):
        return [(str(number), turn) for number, turn in turns.items()]
    if isinstance(turns, Sequence) and not isinstance(turns, str):
        return [(str(number), turn) for number, turn in enumerate(turns)]
    return []


def _check_domains(dialogues: Mapping[str, Sequence[TrackedTurn]], source: str) -> None:
    """Refuse a file of bare states in which no state names a domain: it has another shape."""
    states = [
        (f"dialogue {id_}, turn {turn.number}", turn.predicted)
        for id_, turns in dialogues.items()
        for turn in turns
        if turn.predicted
    ]
    if states and not any(STATE_DOMAINS & state.keys() for _, state in states):
        place, state = states[0]
        pairs = [" and ".join(f"`{key}`" for key in keys) for keys in LAYOUTS]
        raise InputError(
            source,
            f"{place}: unknown shape; expected {', '.join(pairs)}, or a state by domain, "
            f"found {', '.join(map(shown, list(state)[:5]))}",
        )


def _comparison_problems(
    dialogues: Mapping[str, Sequence[TrackedTurn]], benchmark: Benchmark, may_be_short: bool
) -> Findings:
    """Return what keeps predictions from being compared with a benchmark's gold states.

    A submission may lack a dialogue's last turns, as published ones do; a tracker's file may not.
    """
    problems = Findings()
    if not any(dialogue_id(id_) in benchmark.dialogues for id_ in dialogues):
        problems.add(
            f"dialogue {shown(next(iter(dialogues)))[1:-1]}",
            f"not in the benchmark {benchmark.name}, like all of this file, and no gold states "
            "here; name another by --benchmark",
        )
        return problems
    seen: set[str] = set()
    for id_, turns in dialogues.items():
        place = f"dialogue {shown(id_)[1:-1]}"
        gold = benchmark.dialogues.get(dialogue_id(id_))
        if gold is None:
            problems.add(place, f"not in the benchmark {benchmark.name}, and no gold states here")
            continue
        if dialogue_id(id_) in seen:
            problems.add(place, "is there twice")
        seen.add(dialogue_id(id_))
        there = {turn.number for turn in turns}
        expected = range(max(there) + 1 if may_be_short else gold.turns)
        missing = [str(number) for number in expected if number not in there]
        has = f"the benchmark has turns 0 to {gold.turns - 1}"
        if missing:
            more = ", …" if len(missing) > _SHOWN_TURNS else ""
            numbers = ", ".join(missing[:_SHOWN_TURNS])
            problems.add(place, f"turn {numbers}{more} missing; {has}")
        if max(there) >= gold.turns:
            problems.add(place, f"turn {max(there)} is not in the benchmark; {has}")
    return problems


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
