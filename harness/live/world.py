"""What live dialogues share: a benchmark with its tasks, the tools of agents, and what users are.

Tools are queries and bookings, declared in `tools.json` in OpenAI's function form. Results depend
on the venues, the task and the arguments alone. A booking is refused as long as it asks for what
the goal's `fail_book` says; else it returns a reference number, or of a taxi the car and its
driver's telephone number, made from a hash of task and arguments. Wrong arguments are answered by
an error that says what to do.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field
from rapidfuzz import process

from mwz.database import reaches
from mwz.normalization import (
    digest_of_json,
    folder_of,
    minutes,
    normalize_slot_name,
    normalize_value,
    read_toml,
)

from ..benchmark import REFERENCE, Benchmark
from ..data import Task, Tasks, chosen_goals, load_benchmark, load_tasks
from ..errors import InputError, cut, unknown
from ..grounding import NAMING_SLOTS, GroundedDialogue, ground
from ..io import kind_of, limit_text, limits, valid_text
from ..metrics import Fault
from ..scoring import Options, Reward, Scorer
from ..signature import SHOWN_HASH

# ---------------------------------------------------------------------------------- who talks

TALKER_NAME = r"^[!-~]([ -~]{0,198}[!-~])?$"
TalkerName: TypeAlias = Annotated[str, Field(pattern=TALKER_NAME)]
"""What records call an agent or a user, with a digest: printable ASCII."""

Costs: TypeAlias = Mapping[
    Literal["agent", "user"],
    Mapping[
        Literal["calls", "prompt_tokens", "completion_tokens"],
        Annotated[int, Field(strict=True, ge=0, le=10**12)],
    ],
]
"""Who -> calls and tokens of its model."""


@cache
def script(name: str) -> Mapping[str, Any]:
    """Return what agents or users say, declared in a file of that name; to be read only."""
    content: Mapping[str, Any] = read_toml(f"{name}.toml", __package__)
    return content


@cache
def pattern_of(name: str, table: str, key: str) -> re.Pattern[str]:
    """Return a pattern of such a file, which finds nothing where there is none."""
    return re.compile(script(name)[table].get(key, "(?!)"), re.IGNORECASE)


def versioned(name: str) -> str:
    """Return the version of such a file and its digest, for records and signatures."""
    return f"{script(name)['version']}-{digest_of_json(script(name))[:SHOWN_HASH]}"


SCRIPTS: Final = {"agent": "baseline", "user": "scripted"}
"""What is by script, in a file of the role's name: what the user says follows from task, seed and
responses alone."""

MOST_HEARD: Final = 10_000
"""How many characters of a turn scripts read: what their patterns take grows with the square."""


def script_name(role: str) -> str:
    """Return what records call an "agent" or a "user" by script: with the digest of its file."""
    return f"{SCRIPTS[role]}-{versioned(role)}"


def name_problem(role: str, name: str) -> str | None:
    """Return why no file may call an "agent" or a "user" so that is no script; None if it may."""
    if name.casefold().startswith(SCRIPTS[role]):
        return f"names that begin with {SCRIPTS[role]!r} are those of this version of the harness"
    plain = re.fullmatch(TALKER_NAME, name)
    return None if plain else "expected a name of at most 200 characters, printable ASCII"


class BrokenOffError(Exception):
    """A dialogue cannot go on; it counts as failed, and others may be played."""


def readable(subject: str, text: object) -> str:
    """Return a text as files of plays hold it, so that all that reads them reads it.

    Raises:
        BrokenOffError: It is no text, or longer than responses that are read may be.
    """
    most = limits()
    if not isinstance(text, str):
        raise BrokenOffError(f"{subject}: expected a string, found {kind_of(text)}")
    if len(text) > most["response"]:
        raise BrokenOffError(f"{subject}: {len(text):,} characters; {limit_text(most, 'response')}")
    return valid_text(text)


UserTurn: TypeAlias = tuple[str, bool]
"""What a user says, and whether it is the last that it says."""

Completion: TypeAlias = "str | Sequence[Mapping[str, Any]]"
"""A response, or the messages of a dialogue (`role`, `content`), of which the assistant's count."""


# -------------------------------------------------------------------------------------- tools

SHOWN_RESULTS = 5
"""How many of the venues found a query returns."""

_CLOSEST = 3
_REMEMBERED = 1 << 14
_HIDDEN = ("id", "location", "introduction", "signature", "takesbookings")
# Without C, P, S and T, so that no part of a reference number looks like a postcode or a train id.
_LETTERS, _DIGITS = "ABDEFGHJKLMNQRUVWXYZ", "23456789"
ROUTE = ("departure", "destination")
TIMES = ("arriveBy", "leaveAt")
_COLOURS = ("black", "blue", "grey", "red", "white", "yellow")
_CARS = ("audi", "bmw", "ford", "honda", "lexus", "skoda", "tesla", "toyota", "volkswagen", "volvo")


@cache
def tool_schemas() -> list[dict[str, Any]]:
    """Return the tools in OpenAI's function form; they are to be read only."""
    text = (folder_of(__package__) / "tools.json").read_text(encoding="utf-8")
    schemas: list[dict[str, Any]] = json.loads(text)
    return schemas


Result: TypeAlias = Mapping[str, Any]
"""What a tool returns, as JSON types: `count` and `results`; `booked` and what; or `error`."""


class World:
    """A benchmark with its tasks and the tools on its venues; threads may share it.

    Args:
        scorer: The benchmark, and how dialogues are scored.
        tasks: The tasks.

    Attributes:
        goals: Dialogue id -> the goal that its task stands for.
        delexicalise: Finds names and values in utterances.
        signature: What scores depend on in any case.
    """

    def __init__(self, scorer: Scorer, tasks: Tasks) -> None:
        self.scorer = scorer
        self.tasks = tasks
        self.goals = chosen_goals(tasks.goals, scorer.rules).goals
        self.delexicalise = scorer.delexicaliser()
        self.signature = scorer.plain_signature()
        self._database, self._rules = scorer.database(), scorer.rules
        # Several trains may have the same id.
        self._records: dict[str, dict[str, list[dict[str, Any]]]] = {d: {} for d in NAMING_SLOTS}
        for (domain, id_), venue in self.delexicalise.gazetteer.venues.items():
            records = [{k: v for k, v in one.items() if k not in _HIDDEN} for one in venue.records]
            self._records.setdefault(domain, {})[id_] = records
        declared = (one["function"] for one in tool_schemas())
        self._parameters = {one["name"]: one["parameters"] for one in declared}
        # Every trial, and who computes its outcome, asks the same.
        self._query = lru_cache(_REMEMBERED)(self._queried)

    @classmethod
    def of(cls, benchmark: Benchmark | str | None = None) -> World:
        """Return the world of a benchmark, or of its name; None for the default one.

        Raises:
            InputError: The benchmark or its tasks are not installed.
        """
        loaded = benchmark if isinstance(benchmark, Benchmark) else load_benchmark(benchmark)
        return cls(Scorer(loaded, Options(lexicalised=True)), load_tasks(loaded.name))

    def grounded(self, id_: str, responses: Iterable[str]) -> GroundedDialogue:
        """Compare responses with the goal of a dialogue and the venues."""
        return ground(responses, self.goals[id_], self._database, self.delexicalise)

    def grounded_reward(
        self,
        prompts: Sequence[Completion],
        completions: Sequence[Completion],
        *,
        dialogue_id: Sequence[str],
        **columns: Any,
    ) -> list[float]:
        """Return 1 for each completion that has grounded Success, else 0: a reward of TRL.

        What cannot be scored has 0, for a reason that `rewards` tells.

        Args:
            prompts: What comes before; messages count as the beginning of the dialogue.
            completions: The rest of each dialogue, in plain English.
            dialogue_id: The column of the data set that says which dialogue each is.
            columns: Others, which do not matter.
        """
        befores = [() if isinstance(prompt, str) else prompt for prompt in prompts]
        batch = zip(dialogue_id, befores, completions, strict=True)
        return [one.value for one in self.rewards(batch)]

    def rewards(self, batch: Iterable[tuple[str, Completion, Completion]]) -> list[Reward]:
        """Return the grounded Success of each of many rollouts, 1 or 0, in their order.

        A rollout that cannot be scored gets 0 and a reason, and the others are scored.

        Args:
            batch: Dialogue id, the messages before (none: an empty sequence) and the completion.
        """
        return [self._reward(*one) for one in batch]

    def _reward(self, id_: str, before: Completion, completion: Completion) -> Reward:
        try:
            task, rest = self.tasks[id_], _responses("completion", completion)
            responses = [*_responses("prompt", before), *rest]
            if not rest:
                raise BrokenOffError("completion: has no response")
        except (InputError, BrokenOffError) as error:
            return Reward(0.0, f"dialogue {id_}: {error}")
        return Reward(float(self.grounded(task.id, responses).success))

    # ------------------------------------------------------------------------------------- tools

    def call(self, task: Task, name: str, arguments: object) -> Result:
        """Call a tool.

        Args:
            task: The task that is played, which says what bookings are refused.
            name: The tool.
            arguments: Slot -> value, or the JSON of it.
        """
        if name not in self._parameters:
            return {"error": unknown("tool", name, self._parameters)}
        try:
            slots = parsed("{}" if arguments == "" else arguments).items()
            given = {slot: _text(v) for slot, v in slots if v not in (None, "")}
        except (ValueError, RecursionError, AttributeError):
            return {"error": "arguments: expected a JSON object of slot -> value"}
        parameters = self._parameters[name]
        problems = [_problem(slot, v, parameters["properties"]) for slot, v in given.items()]
        problems += [f"{s} is missing" for s in parameters["required"] if s not in given]
        if any(problems):
            return {"error": "; ".join(filter(None, problems))}
        kind, domain = name.split("_")
        if kind == "book":
            return self._book(task, domain, given)
        return self._query(domain, tuple(given.items()))

    def matching(self, domain: str, constraints: Mapping[str, str]) -> list[str]:
        """Return the ids of the venues that meet constraints, in the records' order."""
        given = {normalize_slot_name(s, self._rules): v.lower() for s, v in constraints.items()}
        meant = self.named(domain, given.pop("name")) if "name" in given else None
        ids = self._database.query(domain, given)
        return [id_ for id_ in ids if meant is None or id_ in meant]

    def called(self, domain: str, id_: str) -> str:
        """Return what a venue is called: its name, or the id of a train."""
        return str(self._records[domain][id_][0]["trainID" if domain == "train" else "name"])

    def faults(self, domain: str, id_: str, constraints: Mapping[str, str]) -> list[Fault]:
        """Return the constraints that a venue does not meet, each alone."""
        record = self._records[domain][id_][0]
        return [
            Fault(slot, value, str(record.get(slot, "not known")))
            for slot, value in constraints.items()
            if id_ not in self.matching(domain, {slot: value})
        ]

    def values(self, domain: str, slot: str) -> list[str]:
        """Return the values of a slot that venues of a domain have, sorted."""
        records = (one for ones in self._records[domain].values() for one in ones)
        return sorted({str(one[slot]) for one in records if one.get(slot)})

    def same(self, slot: str, first: str, second: str) -> bool:
        """Return whether two values of a slot mean the same, spelled in whatever way."""
        name = "name" if slot in ROUTE else normalize_slot_name(slot, self._rules)
        one, other = (normalize_value(name, v.lower(), self._rules) for v in (first, second))
        return one == other or (name == "name" and reaches(one, other, self._rules.fuzzy_ratio))

    def _queried(self, domain: str, arguments: tuple[tuple[str, str], ...]) -> Result:
        slots = dict(arguments)
        every = (self._records[domain][id_] for id_ in self.matching(domain, slots))
        records = [next((r for r in ones if self._meets(r, slots)), ones[0]) for ones in every]
        if domain == "train":
            # The first after a time, or the last before one.
            late = "arriveBy" in slots and "leaveAt" not in slots
            time, order = ("arriveBy", -1) if late else ("leaveAt", 1)
            records.sort(key=lambda one: (order * minutes(one[time]), one["trainID"]))
        result: dict[str, Any] = {"count": len(records), "results": records[:SHOWN_RESULTS]}
        if not records:
            named = {s: v for s, v in slots.items() if s not in TIMES}
            strange = [s for s, v in named.items() if not self.named(domain, v, s)]
            result |= {f"closest_{s}": self._closest(domain, s, slots[s]) for s in strange}
        return result

    def _meets(self, train: Mapping[str, str], slots: Mapping[str, str]) -> bool:
        """Return whether one of several trains with the same id is the one that is meant."""
        last, first = (slots.get(slot, train.get(slot, "00:00")).zfill(5) for slot in TIMES)
        in_time = first <= train.get("leaveAt", first) and train.get("arriveBy", last) <= last
        given = [slot for slot in (*ROUTE, "day") if slot in slots]
        return in_time and all(self.same(slot, train[slot], slots[slot]) for slot in given)

    def _closest(self, domain: str, key: str, value: str) -> list[str]:
        closest = process.extract(value, self.values(domain, key), limit=_CLOSEST)
        return [match for match, *_ in closest]

    def _book(self, task: Task, domain: str, given: Mapping[str, str]) -> Result:
        key = "trainID" if domain == "train" else "name"
        slots = {slot: v.zfill(5) if ":" in v else v for slot, v in given.items() if slot != key}
        ids = self.named(domain, given[key], key) if key in given else []
        if key in given and len(ids) != 1:
            names = [self._records[domain][id_][0][key] for id_ in ids[:SHOWN_RESULTS]]
            kind = "ambiguous" if names else "unknown"
            names = names or self._closest(domain, key, given[key])
            return {"error": f"{kind} {key} {given[key]!r}; choose from {', '.join(names)}"}
        venue = ids[0] if ids else None
        failing = task.domains[domain].fail_book if domain in task.domains else {}
        if failing and all(self.same(slot, slots.get(slot, ""), v) for slot, v in failing.items()):
            values = ", ".join(f"{slot} {value}" for slot, value in failing.items())
            refusal = f"not available for {values}; ask the user for another {' or '.join(failing)}"
            return {"booked": False, "reason": refusal}
        seed = json.dumps([task.id, domain, venue, sorted(slots.items())])
        number = int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big")
        result = {"booked": True, **slots}
        if venue is None:
            car = f"{_COLOURS[number % len(_COLOURS)]} {_CARS[number // 7 % len(_CARS)]}"
            return {**result, "car type": car, "phone": f"07{number % 10**9:09}"}
        name = self._records[domain][venue][0][key]
        return {**result, key: name, "reference": _reference(number)}

    def named(self, domain: str, name: str, key: str = "name") -> list[str]:
        """Return the venues that a name may mean: one that has just this name is meant alone."""
        records, name = self._records[domain], name.lower()
        if key == "trainID":
            return [name.upper()] if name.upper() in records else []
        exact = [id_ for id_, (one, *_) in records.items() if str(one.get(key)).lower() == name]
        column = normalize_slot_name(key, self._rules)
        return exact or list(self._database.query(domain, {column: name}))


def _reference(number: int) -> str:
    """Return a reference number of eight characters: letters, with a digit third and sixth."""
    signs = [_DIGITS if place in (2, 5) else _LETTERS for place in range(8)]
    return "".join(one[number // 100**place % len(one)] for place, one in enumerate(signs))


def _text(value: object) -> str:
    """Return an argument as slots have it, numbers and truth values in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


def _problem(slot: str, value: str, schemas: Mapping[str, Mapping[str, Any]]) -> str | None:
    if slot not in schemas:
        return unknown("slot", slot, schemas)
    expected = schemas[slot]
    if value.lower() not in expected.get("enum", [value.lower()]):
        return f"{slot}: {unknown('value', value, expected['enum'])}"
    if "pattern" in expected and not re.fullmatch(expected["pattern"], value):
        return f"{slot}: expected a time as HH:MM, found {value!r}"
    if expected["type"] == "integer" and not re.fullmatch("[1-9][0-9]*", value):
        return f"{slot}: expected a number of at least 1, found {value!r}"
    return None


def _responses(source: str, completion: Completion) -> list[str]:
    """Return the responses of a completion, as text or as messages; without empty ones.

    Raises:
        BrokenOffError: It is neither, or a response is no text or too long.
    """
    messages: list[Any] = [{"role": "assistant", "content": completion}]
    if isinstance(completion, Sequence) and not isinstance(completion, str):
        messages = [*completion]
    texts = []
    for number, one in enumerate(messages):
        place = source if len(messages) == 1 else f"{source}, message {number}"
        if not isinstance(one, Mapping) or not isinstance(one.get("role"), str):
            raise BrokenOffError(f"{place}: expected an object with role and content")
        # What only calls tools has no text.
        if one["role"] == "assistant" and not (one.get("tool_calls") and not one.get("content")):
            texts.append(readable(place, one.get("content")))
    return [text for text in texts if text.strip()]


# ------------------------------------------------------------------------- what is booked


def booked_slots(
    task: Task, bookings: Sequence[tuple[str, Result]], world: World
) -> tuple[dict[str, dict[str, bool]], int]:
    """Hold what was booked against a task's goal.

    Args:
        task: The task.
        bookings: The domain of each booking, and what its tool returned.
        world: The benchmark.

    Returns:
        Domain -> slot -> whether it is booked as the goal has it, and the number of bookings of
        domains that it does not book.
    """
    wanted = {d: one.info if d == "taxi" else one.book for d, one in task.domains.items()}
    compared = {}
    for domain, slots in wanted.items():
        made = [result for booked, result in bookings if booked == domain]
        if not slots:
            continue
        last = made[-1] if made else {}
        right = {s: s in last and world.same(s, last[s], v) for s, v in slots.items()}
        right["once"] = len(made) == 1
        if domain != "taxi":
            key = "trainID" if domain == "train" else "name"
            venue = world.named(domain, last[key], key) if made else []
            right["venue"] = not {*venue}.isdisjoint(
                world.matching(domain, task.domains[domain].info)
            )
        elif not {*ROUTE} & slots.keys():
            # From one venue of the goal to another.
            begins, ends = (_at_venues_of(last.get(slot, ""), task, world) for slot in ROUTE)
            right["route"] = any(one != other for one in begins for other in ends)
        compared[domain] = right
    return compared, sum(domain not in compared for domain, _ in bookings)


def _at_venues_of(place: str, task: Task, world: World) -> set[str]:
    """Return the domains of the goal of which a place is a venue that fits."""
    wanted = {d: one.info for d, one in task.domains.items() if NAMING_SLOTS.get(d) == "NAME"}
    return {d for d, i in wanted.items() if {*world.named(d, place)} & {*world.matching(d, i)}}


def bookings(turns: Sequence[Mapping[str, Any]]) -> list[tuple[str, Result]]:
    """Return what was booked in a dialogue: the domain, and what the tool returned."""
    return [
        (call["name"].removeprefix("book_"), call["result"])
        for turn in turns
        for call in turn.get("calls", ())
        if call["result"].get("booked")
    ]


def numbers_missing(world: World, task: Task, turns: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the goal domains whose reference or driver's number, as booked, no response tells."""
    texts = [re.sub("[^0-9A-Za-z]", "", turn["response"]).upper() for turn in turns]
    codes = [(domain, one.get("reference") or one["phone"]) for domain, one in bookings(turns)]
    provided = {domain for domain, code in codes if any(code in text for text in texts)}
    goal = world.goals[task.id].items()
    coded = {d for d, one in goal if ("PHONE" if d == "taxi" else REFERENCE) in one.requestable}
    return coded - provided


LONGEST_SHOWN = 90
"""Characters that are shown of what an agent says or asks tools for, where it may be long."""


def parsed(arguments: Any) -> Any:
    """Return the arguments of a call, of which models write the JSON; as they are if it is none."""
    try:
        return json.loads(arguments)
    except (TypeError, ValueError, RecursionError):
        return arguments


def call_text(call: Mapping[str, Any]) -> str:
    """Return a call of a tool and what the tool returned, in short."""
    names = [one.get("trainID") or one["name"] for one in call["result"].get("results", ())]
    result = {**call["result"], **({"results": ", ".join(names)} if names else {})}
    slots, returned = (
        ", ".join(f"{k} {v}" for k, v in of.items()) if isinstance(of, dict) else str(of)
        for of in (parsed(call["arguments"]), result)
    )
    return f"{call['name']}({cut(slots, LONGEST_SHOWN)}): {returned}"


User: TypeAlias = Callable[[str | None], UserTurn]
"""A user in one dialogue: says something to a response; None stands for none yet."""

UserMaker: TypeAlias = Callable[[Task, World, str], User]
"""Makes the user of a dialogue, given its task, the world and a seed."""
