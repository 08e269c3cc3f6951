"""Goals of dialogues, as the public evaluator or the data set writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mwz.normalization import (
    RuleSet,
    digest_of_json,
    folder_of,
    normalize_slot_name,
    plain_slot_name,
)

from ..benchmark import FURTHER_SLOTS, REFERENCE, REQUESTABLE_SLOTS, Goal
from ..errors import InputError, refuse, unknown
from ..io import kind_of, read_json, shown_name, validated
from ..submission import DOMAINS, dialogue_id, plain_instructions
from .installed import SAMPLE, SUFFIX, data_directory, read_document, write_document


@dataclass(frozen=True)
class GoalsFile:
    """Goals that were read from a file.

    Attributes:
        goals: Dialogue id -> domain -> goal.
        source: What messages call the file.
    """

    goals: Mapping[str, Mapping[str, Goal]]
    source: str

    @property
    def digest(self) -> str:
        """SHA-256 of the goals, in hexadecimal; their order is no part of it."""
        content: dict[str, dict[str, list[object]]] = {}
        for id_, by_domain in self.goals.items():
            content[id_] = {}
            for domain, goal in by_domain.items():
                wanted: list[object] = [dict(goal.informable), sorted(goal.requestable)]
                if goal.further:
                    wanted.append(sorted(goal.further))
                if goal.booking or goal.first:
                    wanted.append([dict(goal.booking), dict(goal.first)])
                content[id_][domain] = wanted
        return digest_of_json(content)


def chosen_goals(goals: str | Path | Mapping[str, object] | GoalsFile, rules: RuleSet) -> GoalsFile:
    """Return the goals of dialogues, as the public evaluator or the data set writes them.

    Args:
        goals: A JSON file, or what one holds: dialogue id -> domain -> `informable` (slot ->
            value) and `requestable` (list, of `REQUESTABLE_SLOTS`); or as in the data set, domain
            -> `info`, `reqt` and `book`, also below `goal`. What else the data set's goals request
            is `further`, and what they book is requested to have a reference number; `fail_info`
            and `fail_book` are what the user asks for first.
        rules: The rule set, which says what venues can be asked for.

    Raises:
        InputError: The file cannot be read, is in another form, or asks for what no venue has; with
            every place.
    """
    if isinstance(goals, GoalsFile):
        return goals
    source = "goals"
    content: object = goals
    if not isinstance(goals, Mapping):
        source, content = shown_name(goals), read_json(goals)
    if not isinstance(content, Mapping):
        kind = kind_of(content)
        raise InputError(source, f"expected an object of dialogue id -> goal, found {kind}")
    read: dict[str, dict[str, Goal]] = {}
    problems = [] if content else ["holds no goals"]
    for id_, written in content.items():
        read[id_], of_dialogue = _read_goal(id_, written, rules)
        problems += of_dialogue
    refuse(source, problems)
    return GoalsFile(read, source)


def _read_goal(id_: str, written: object, rules: RuleSet) -> tuple[dict[str, Goal], list[str]]:
    """Return the goal of a dialogue by domain, and what is wrong with it."""
    goal = written.get("goal", written) if isinstance(written, Mapping) else {}
    wanted = goal if isinstance(goal, Mapping) else {}
    is_raw = any(isinstance(part, Mapping) and "info" in part for part in wanted.values())
    if is_raw:
        # The data set names all domains, and has instructions and topics beside them.
        wanted = {d: part for d, part in wanted.items() if d in DOMAINS and part}
    goals: dict[str, Goal] = {}
    problems: list[str] = []
    if not wanted:
        problems.append(f"dialogue {id_}: no domain; expected some of {', '.join(DOMAINS)}")
    for domain, part in wanted.items():
        if domain not in DOMAINS:
            problems.append(f"dialogue {id_}: {unknown('domain', domain, DOMAINS)}")
            continue
        mixed = [key for key in _KEYS[not is_raw] if isinstance(part, Mapping) and key in part]
        if mixed:
            wanted_keys = " and ".join(f"`{key}`" for key in _KEYS[is_raw])
            problems.append(f"dialogue {id_}, {domain}: has `{mixed[0]}`; write {wanted_keys}")
        venue = rules.venue_rules.get(domain)
        columns = None if venue is None else venue.columns
        read, of_domain = _read_domain(part, is_raw, columns, rules)
        problems += [f"dialogue {id_}, {domain}{problem}" for problem in of_domain]
        if read is not None:
            goals[domain] = read
    return goals, problems


_TIMES = ("arrive", "leave")

_KEYS = {True: ("info", "reqt"), False: ("informable", "requestable")}
"""Whether a goal is written as in the data set -> the keys of its constraints and requests."""


def _read_domain(
    part: object, is_raw: bool, columns: Sequence[str] | None, rules: RuleSet
) -> tuple[Goal | None, list[str]]:
    """Return what a goal wants of a domain, and what is wrong with it.

    Args:
        part: What the goal says of the domain.
        is_raw: Whether it is written as in the data set.
        columns: The slots that a venue can be asked for; None where any will do.
        rules: The rule set.
    """
    informable, requested = _KEYS[is_raw]
    choices = (*REQUESTABLE_SLOTS, *FURTHER_SLOTS) if is_raw else REQUESTABLE_SLOTS
    content = part if isinstance(part, Mapping) else {}
    slots = content.get(informable)
    if not isinstance(slots, Mapping) or not all(isinstance(v, str) for v in slots.values()):
        return None, [f": expected `{informable}`, an object of slot -> value"]
    values = {normalize_slot_name(slot, rules): value for slot, value in slots.items()}
    # What is requested, `PHONE` or `area`, as the harness spells it -> as it is written.
    names: dict[str, object] = {}
    for slot in content.get(requested) or ():
        name = rules.ontology.get(plain_slot_name(str(slot)), str(slot))
        if name not in REQUESTABLE_SLOTS:
            name = normalize_slot_name(str(slot), rules)
        names[name] = slot
    problems = []
    for problem in _wrong_values(values, columns):
        problems.append(f", {informable}{problem}")
    for name, slot in names.items():
        if name not in choices:
            problems.append(f", {requested}: {unknown('slot', slot, choices)}")
    requestable = names.keys() & {*REQUESTABLE_SLOTS}
    if not is_raw:
        return Goal(values, frozenset(requestable), {}), problems
    further = frozenset(names.keys() - requestable)
    if content.get("book"):
        requestable.add(REFERENCE)
    booking = _slots(content, ("book",), {}, rules)
    # The data set repeats the constraints that do not change.
    first = _slots(content, ("fail_info", "fail_book"), {**values, **booking}, rules)
    return Goal(values, frozenset(requestable), booking, further, first), problems


def _wrong_values(values: Mapping[str, str], columns: Sequence[str] | None) -> Iterator[str]:
    """Yield which constraints no venue can meet, whatever it is."""
    for name, value in values.items():
        if columns is not None and name not in columns:
            yield f": {unknown('slot', name, columns)}"
        elif name in _TIMES and not re.search(r"\d", value):
            yield f", {name}: expected a time as HH:MM, found {value!r}"


def _slots(
    goal: Mapping[str, object], parts: Sequence[str], but: Mapping[str, str], rules: RuleSet
) -> dict[str, str]:
    """Return the slots of some parts of a goal in the data set's form, but for some values.

    Their names are normalised.
    """
    slots = {}
    for part in parts:
        written = goal.get(part)
        for slot, value in written.items() if isinstance(written, Mapping) else ():
            name = normalize_slot_name(slot, rules)
            if slot not in _MARKS and isinstance(value, str) and but.get(name) != value:
                slots[name] = value
    return slots


# Tasks.


GOALS_FILE = "data/multiwoz/test.json.zip"
"""Where a clone of ConvLab-2 has the goals of the test dialogues."""

_FORMAT = "tasks 1"
_NOT_INSTALLED = """not installed; `mwz data fetch` installs them, or `mwz data import --convlab2 \
CLONE`"""

# Domain -> how the instructions come to it, in the order of domains that they do not mention.
_NAMES = {
    "restaurant": r"looking for a (particular )?(restaurant|place to dine)",
    "hotel": r"looking for a (particular )?(hotel|place to stay)",
    "attraction": r"looking for (a particular attraction|places to go)",
    "train": r"looking for a train",
    "taxi": r"want to book a taxi",
}

PLAYED_DOMAINS = tuple(_NAMES)
"""The domains that live dialogues are about."""

_EMPHASIS = re.compile(r"<span class='emphasis'>(.*?)</span>")
_MARKS = ("invalid", "pre_invalid")
"""What `book` has besides slots."""


@dataclass(frozen=True)
class DomainTask:
    """What the user wants of one domain. Slots are called as in the data set.

    Attributes:
        info: Constraints, slot -> value.
        reqt: The slots that the user asks to be told.
        book: The booking, slot -> value; empty if nothing is booked.
        fail_info: Constraints to try first, which no venue meets; empty if there are none.
        fail_book: Slots of the booking to try first, which is refused; empty if there are none.
    """

    info: Mapping[str, str]
    reqt: Sequence[str] = ()
    book: Mapping[str, str] = field(default_factory=dict)
    fail_info: Mapping[str, str] = field(default_factory=dict)
    fail_book: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """What the user of a live dialogue wants.

    Attributes:
        id: The dialogue's id in the benchmark.
        domains: Domain -> what is wanted of it, in the order of the instructions.
        message: The instructions, a sentence or two each.
    """

    id: str
    domains: Mapping[str, DomainTask]
    message: Sequence[str]

    @property
    def goal(self) -> dict[str, object]:
        """The task as the data set writes it."""
        goal: dict[str, object] = {domain: vars(task) for domain, task in self.domains.items()}
        goal["message"] = self.message
        return goal


def task_goals(tasks: Mapping[str, Task]) -> dict[str, object]:
    """Return dialogue id -> the task as the data set writes it."""
    return {id_: task.goal for id_, task in tasks.items()}


def parse_tasks(content: object, source: str) -> dict[str, Task]:
    """Return the tasks in a document: dialogue id -> goal, as it is or below `goal`.

    Domains without tools or venues (police, hospital) are left out, and tasks of these alone.

    Args:
        content: The document.
        source: What messages call it.

    Returns:
        Dialogue id, as benchmarks spell it -> task.

    Raises:
        InputError: The document has another form; with every place.
    """
    wanted: dict[str, dict[str, object]] = {}
    written_messages: dict[str, object] = {}
    for name, written in validated(dict[str, dict[str, Any]], content, source).items():
        goal = written.get("goal", written)
        written_messages[name] = goal.get("message", [])
        wanted[name] = {}
        for domain in PLAYED_DOMAINS:
            if goal.get(domain):
                part = goal[domain]
                book = part.get("book") if isinstance(part, Mapping) else None
                if isinstance(book, Mapping):
                    # Without what `book` says of how it was drawn.
                    slots = {slot: value for slot, value in book.items() if slot not in _MARKS}
                    part = {**part, "book": slots}
                wanted[name][domain] = part
    messages = validated(dict[str, list[str]], written_messages, source)
    tasks: dict[str, Task] = {}
    for name, domains in validated(dict[str, dict[str, DomainTask]], wanted, source).items():
        id_ = dialogue_id(name)
        message = tuple(_EMPHASIS.sub(r"\1", line) for line in messages[name])
        if domains:
            order = _in_order(domains, "\n".join(message))
            tasks[id_] = Task(id_, {domain: domains[domain] for domain in order}, message)
    if not tasks:
        raise InputError(source, f"no goal of a domain with tools: {', '.join(PLAYED_DOMAINS)}")
    return tasks


def _in_order(domains: Iterable[str], text: str) -> list[str]:
    """Return domains in the order in which instructions come to them."""
    starts: dict[str, int] = {}
    for domain in domains:
        mention = re.search(_NAMES[domain], text)
        starts[domain] = mention.start() if mention else len(text)
    return sorted(starts, key=starts.__getitem__)


def read_tasks(path: str | Path) -> dict[str, Task]:
    """Read tasks from a JSON file, plain or packed, or from a clone of ConvLab-2.

    Raises:
        InputError: The file is missing or in another form; with every place.
    """
    if Path(path).is_dir():
        path = Path(path) / GOALS_FILE
    return parse_tasks(read_json(path), shown_name(path))


def install_tasks(tasks: Mapping[str, Task], benchmark: str) -> str:
    """Write the tasks of a benchmark to the data directory, all or nothing; say how many and where.

    Raises:
        InputError: The file cannot be written.
    """
    path = _tasks_path(benchmark)
    write_document(path, task_goals(tasks), _FORMAT)
    return f"installed tasks of {benchmark}: {len(tasks)}, in {path}"


def load_tasks(benchmark: str) -> dict[str, Task]:
    """Load the tasks of a benchmark.

    Raises:
        InputError: They are not installed, or their file is damaged.
    """
    source = f"tasks of {benchmark}"
    if benchmark == SAMPLE:
        built_in = folder_of("mwz.harness") / "sample" / "tasks.json"
        return parse_tasks(json.loads(built_in.read_bytes()), source)
    path = _tasks_path(benchmark)
    if not path.exists():
        raise InputError(source, _NOT_INSTALLED)
    return parse_tasks(read_document(path, _FORMAT), source)


def instructed_goals(benchmark: str) -> dict[str, list[str]]:
    """Return instructions, as `plain_instructions` -> the dialogues of a benchmark with this goal.

    It is empty if the tasks of the benchmark are not installed.
    """
    goals: dict[str, list[str]] = {}
    if benchmark == SAMPLE or _tasks_path(benchmark).exists():
        for id_, task in load_tasks(benchmark).items():
            goals.setdefault(plain_instructions(" ".join(task.message)), []).append(id_)
    return goals


def _tasks_path(benchmark: str) -> Path:
    return data_directory() / "tasks" / f"{benchmark}{SUFFIX}"
