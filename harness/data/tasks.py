"""Tasks: what the user of a live dialogue wants, and how far an agent has to fall in with it.

A task is a goal of MultiWOZ as the data set's `data.json` and ConvLab-2's `test.json.zip` have it:
per domain `info` (constraints), `reqt` (what is asked for), `book` (the booking), and `fail_info`
and `fail_book` (what the user asks for first, and does not get); beside them `message`, the
instructions that the crowd worker who played the user was given.

The tasks of an installed benchmark are kept in `<data directory>/tasks/<benchmark>.json.gz`, sealed
(`io/store.py`). Those of the sample are built in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from mwz.normalization.rules.registry import digest_of_json

from ..errors import InputError
from ..io.files import kind_of, read_json, shown_name
from ..io.store import SEALED_SUFFIX, data_directory, read_sealed, write_sealed
from ..submission.checking import dialogue_id
from .installed import SAMPLE

GOALS_FILE = "data/multiwoz/test.json.zip"
"""Where a clone of ConvLab-2 has the goals of the test dialogues."""

_FORMAT = "tasks 1"

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
"""What stands in `book` beside the slots: how the goal was drawn."""


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
    reqt: tuple[str, ...] = ()
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
    message: tuple[str, ...]

    @property
    def goal(self) -> dict[str, Any]:
        """The task's goal as the data set writes it."""
        return {
            domain: {"info": dict(one.info), "reqt": list(one.reqt), "book": dict(one.book)}
            for domain, one in self.domains.items()
        }


@dataclass(frozen=True)
class Tasks:
    """Tasks of a benchmark, or of a file.

    Attributes:
        tasks: Dialogue id, as benchmarks spell it -> task.
        source: What messages call them.
    """

    tasks: Mapping[str, Task]
    source: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the tasks, in hexadecimal; their order is no part of it."""
        return digest_of_json(
            {
                id_: [
                    task.message,
                    {
                        d: [dict(one.info), one.reqt, *map(dict, _plans(one))]
                        for d, one in task.domains.items()
                    },
                ]
                for id_, task in self.tasks.items()
            }
        )

    def __getitem__(self, id_: str) -> Task:
        task = self.tasks.get(dialogue_id(id_))
        if task is None:
            raise InputError(self.source, f"no task for dialogue {id_}")
        return task


def _plans(one: DomainTask) -> tuple[Mapping[str, str], ...]:
    return one.book, one.fail_info, one.fail_book


def parse_tasks(content: object, source: str) -> Tasks:
    """Return the tasks in a document: dialogue id -> goal, as it is or below `goal`.

    Domains without tools or venues (police, hospital) are left out, and tasks of these alone.

    Raises:
        InputError: The document has another form; with every place.
    """
    if not isinstance(content, Mapping) or not content:
        raise InputError(source, f"expected dialogue id -> goal, found {kind_of(content)}")
    problems: list[str] = []
    tasks = {}
    for name, dialogue in content.items():
        goal = dialogue.get("goal", dialogue) if isinstance(dialogue, Mapping) else None
        if not isinstance(goal, Mapping):
            problems.append(f"dialogue {name}: expected a goal, found {kind_of(goal)}")
            continue
        message = tuple(_EMPHASIS.sub(r"\1", line) for line in goal.get("message") or ())
        domains = {
            domain: _domain_task(goal[domain], f"dialogue {name}, {domain}", problems)
            for domain in _in_order(goal, message)
        }
        if domains:
            tasks[dialogue_id(name)] = Task(dialogue_id(name), domains, message)
    if not tasks and not problems:
        problems.append(f"no goal of a domain with tools: {', '.join(PLAYED_DOMAINS)}")
    if problems:
        raise InputError(source, problems)
    return Tasks(tasks, source)


def _in_order(goal: Mapping[str, Any], message: Sequence[str]) -> Iterator[str]:
    """Yield the goal's domains in the order in which the instructions come to them."""
    text = "\n".join(message)
    found = {d: re.search(pattern, text) for d, pattern in _NAMES.items() if goal.get(d)}
    yield from sorted(found, key=lambda d: one.start() if (one := found[d]) else len(text))


def _domain_task(written: object, place: str, problems: list[str]) -> DomainTask:
    given = written if isinstance(written, Mapping) else {}
    slots: dict[str, dict[str, str]] = {}
    for key in ("info", "book", "fail_info", "fail_book"):
        values = given.get(key) or {}
        if not isinstance(values, Mapping) or (key == "info" and key not in given):
            problems.append(f"{place}: expected `{key}`, an object of slot -> value")
            continue
        slots[key] = {slot: value for slot, value in values.items() if slot not in _MARKS}
        problems += [
            f"{place}, {key}, {slot}: expected a string, found {kind_of(value)}"
            for slot, value in slots[key].items()
            if not isinstance(value, str)
        ]
    return DomainTask(reqt=tuple(given.get("reqt") or ()), **{"info": {}, **slots})


def read_tasks(path: str | Path) -> Tasks:
    """Read tasks from a JSON file, plain or packed, or from a clone of ConvLab-2.

    Raises:
        InputError: The file is missing or in another form; with every place.
    """
    if Path(path).is_dir():
        path = Path(path) / GOALS_FILE
    return parse_tasks(read_json(path), shown_name(path))


def install_tasks(tasks: Tasks, benchmark: str) -> Path:
    """Write the tasks of a benchmark to the data directory, all or nothing, and return where.

    Raises:
        InputError: The file cannot be written.
    """
    path = _tasks_path(benchmark)
    document = {
        id_: {
            "message": task.message,
            **{domain: vars(one) for domain, one in task.domains.items()},
        }
        for id_, task in tasks.tasks.items()
    }
    write_sealed(path, document, _FORMAT)
    return path


def load_tasks(benchmark: str) -> Tasks:
    """Load the tasks of a benchmark.

    Raises:
        InputError: They are not installed, or their file is damaged.
    """
    source = f"tasks of {benchmark}"
    if benchmark == SAMPLE:
        built_in = resources.files("mwz.harness").joinpath("sample", "tasks.json")
        return parse_tasks(json.loads(built_in.read_bytes()), source)
    path = _tasks_path(benchmark)
    if not path.exists():
        raise InputError(
            source,
            "not installed; `mwz data fetch` installs them, or `mwz data import --convlab CLONE`; "
            "--goals FILE names a file of them",
        )
    try:
        return parse_tasks(read_sealed(path, _FORMAT), source)
    except InputError as error:
        raise InputError(str(path), f"{error.problems[0]}; install the tasks again") from None


def _tasks_path(benchmark: str) -> Path:
    return data_directory() / "tasks" / f"{benchmark}{SEALED_SUFFIX}"
