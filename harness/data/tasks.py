"""Tasks: what the user of a live dialogue wants, and how far an agent has to fall in with it.

A task is a goal of MultiWOZ as the data set's `data.json` and ConvLab-2's `test.json.zip` have it:
per domain `info` (constraints), `reqt` (what is asked for), `book` (the booking), and `fail_info`
and `fail_book` (what the user asks for first, and does not get); beside them `message`, the
instructions that the crowd worker who played the user was given.

The tasks of an installed benchmark are kept in `<data directory>/tasks/<benchmark>.json.gz`. Those
of the sample are built in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from mwz.normalization.registry import digest_of_json, folder_of

from ..errors import InputError
from ..io.files import read_json, shown_name
from ..submission import dialogue_id
from .installed import SAMPLE, SUFFIX, read_document, write_document
from .machine import data_directory

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
    def goal(self) -> dict[str, Any]:
        """The task as the data set writes it."""
        return {**{d: vars(one) for d, one in self.domains.items()}, "message": self.message}


@dataclass(frozen=True)
class Tasks:
    """Tasks of a benchmark, or of a file.

    Attributes:
        tasks: Dialogue id, as benchmarks spell it -> task.
        source: What messages call them.
    """

    tasks: Mapping[str, Task]
    source: str

    @property
    def goals(self) -> dict[str, Any]:
        """Dialogue id -> the task as the data set writes it."""
        return {id_: task.goal for id_, task in self.tasks.items()}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the tasks, in hexadecimal; their order is no part of it."""
        return digest_of_json(self.goals)

    def __getitem__(self, id_: str) -> Task:
        task = self.tasks.get(dialogue_id(id_))
        if task is None:
            raise InputError(self.source, f"no task for dialogue {id_}")
        return task


def parse_tasks(content: object, source: str) -> Tasks:
    """Return the tasks in a document: dialogue id -> goal, as it is or below `goal`.

    Domains without tools or venues (police, hospital) are left out, and tasks of these alone.

    Raises:
        InputError: The document has another form; with every place.
    """
    from ..io.validation import validated  # pydantic takes its time

    written = validated(dict[str, dict[str, Any]], content, source)
    goals = {id_: goal.get("goal", goal) for id_, goal in written.items()}
    messages = validated(
        dict[str, list[str]], {id_: goal.get("message", []) for id_, goal in goals.items()}, source
    )
    wanted = {
        id_: {d: _without_marks(goal[d]) for d in PLAYED_DOMAINS if goal.get(d)}
        for id_, goal in goals.items()
    }
    tasks = {}
    for name, domains in validated(dict[str, dict[str, DomainTask]], wanted, source).items():
        id_ = dialogue_id(name)
        message = tuple(_EMPHASIS.sub(r"\1", line) for line in messages[name])
        if domains:
            order = _in_order(domains, "\n".join(message))
            tasks[id_] = Task(id_, {domain: domains[domain] for domain in order}, message)
    if not tasks:
        raise InputError(source, f"no goal of a domain with tools: {', '.join(PLAYED_DOMAINS)}")
    return Tasks(tasks, source)


def _in_order(domains: Iterable[str], text: str) -> list[str]:
    """Return domains in the order in which instructions come to them."""
    places = {domain: re.search(_NAMES[domain], text) for domain in domains}
    return sorted(places, key=lambda d: place.start() if (place := places[d]) else len(text))


def _without_marks(domain: Any) -> Any:
    """Return what a goal says of a domain, without what `book` says of how it was drawn."""
    book = domain.get("book") if isinstance(domain, Mapping) else None
    if not isinstance(book, Mapping):
        return domain
    return {**domain, "book": {slot: v for slot, v in book.items() if slot not in _MARKS}}


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
    write_document(path, tasks.goals, _FORMAT)
    return path


def load_tasks(benchmark: str) -> Tasks:
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


def _tasks_path(benchmark: str) -> Path:
    return data_directory() / "tasks" / f"{benchmark}{SUFFIX}"
