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
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

from ..benchmark import Benchmark
from ..data import DomainTask, Task, chosen_goals, load_benchmark, load_tasks, task_goals
from ..errors import InputError, cut, unknown
from ..grounding import GroundedDialogue, Said, UserPart, ground, in_context, read_user, user_parts
from ..io import kind_of, limit_text, limits, valid_text
from ..metrics import WrongSlot
from ..scoring import (
    Options,
    Reward,
    Scorer,
    database_of,
    delexicaliser_of,
    plain_signature,
    rewarded,
)
from ..signature import SHOWN_HASH
from ..submission import dialogue_id

# ---------------------------------------------------------------------------------- who talks

TALKER_NAME = r"^[!-~]([ -~]{0,198}[!-~])?$"
TalkerName: TypeAlias = Annotated[str, Field(pattern=TALKER_NAME)]
"""What records call an agent or a user, with a digest: printable ASCII."""

_Kind: TypeAlias = Literal["calls", "prompt_tokens", "completion_tokens"]
_Count: TypeAlias = Annotated[int, Field(strict=True, ge=0, le=10**12)]
Costs: TypeAlias = Mapping[Literal["agent", "user"], Mapping[_Kind, _Count]]
"""Who -> calls and tokens of its model."""


@cache
def script(name: str) -> Mapping[str, Any]:
    """Return what agents or users say, declared in a file of that name; nobody may change it."""
    return read_toml(f"{name}.toml", __package__)


@cache
def pattern_of(name: str, table: str, key: str) -> re.Pattern[str]:
    """Return a pattern of such a file, or one that matches nothing if the file has none."""
    return re.compile(script(name)[table].get(key, "(?!)"), re.IGNORECASE)


def versioned(name: str) -> str:
    """Return the version of such a file and its digest, for records and signatures."""
    return f"{script(name)['version']}-{digest_of_json(script(name))[:SHOWN_HASH]}"


SCRIPTS: Final = {"agent": "baseline", "user": "scripted"}
"""Role -> the name of its script. What the scripted user says follows from task, seed and responses
alone."""

MOST_HEARD: Final = 10_000
"""Characters of a turn that scripts read: the time their patterns take grows with the square."""


def script_name(role: str, behaviour: str = "") -> str:
    """Return what records call the script of an "agent" or a "user", with its file's digest."""
    name = f"{SCRIPTS[role]}:{behaviour}" if behaviour else SCRIPTS[role]
    return f"{name}-{versioned(role)}"


def name_problem(role: str, name: str) -> str | None:
    """Return why files may not use a name for an "agent" or a "user"; None if they may.

    Names of scripts are reserved.
    """
    if name.casefold().startswith(SCRIPTS[role]):
        return f"names that begin with {SCRIPTS[role]!r} are those of this version of the harness"
    if not re.fullmatch(TALKER_NAME, name):
        return "expected a name of at most 200 characters, printable ASCII"
    return None


class BrokenOffError(Exception):
    """A dialogue cannot go on; it counts as failed, and others may be played."""


def readable(subject: str, text: object) -> str:
    """Return a text as files of plays hold it, which every reader of these files accepts.

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

User: TypeAlias = Callable[[str | None], UserTurn]
"""A user in one dialogue: says something to a response; None stands for none yet."""

UserMaker: TypeAlias = "Callable[[Task, World, str], User]"
"""Makes the user of a dialogue, given its task, the world and a seed."""

Message: TypeAlias = dict[str, Any]
"""A message of OpenAI's form: `role`, `content`, `tool_calls`."""

Completion: TypeAlias = "str | Sequence[Message]"
"""A response, or the messages of a dialogue (`role`, `content`), of which the assistant's count."""


# -------------------------------------------------------------------------------------- tools

SHOWN_RESULTS = 5
"""How many venues a query returns at most."""

_CLOSEST = 3
_REMEMBERED = 1 << 14
_HIDDEN = ("id", "location", "introduction", "signature", "takesbookings")
# C, P, S and T are missing: no part of a reference number may look like a postcode or a train id.
_LETTERS, _DIGITS = "ABDEFGHJKLMNQRUVWXYZ", "23456789"
# What stands at each place of one: letters, with a digit third and sixth.
_REFERENCE = (_LETTERS, _LETTERS, _DIGITS, _LETTERS, _LETTERS, _DIGITS, _LETTERS, _LETTERS)
ROUTE = ("departure", "destination")
TIMES = ("arriveBy", "leaveAt")
_COLOURS = ("black", "blue", "grey", "red", "white", "yellow")
_CARS = ("audi", "bmw", "ford", "honda", "lexus", "skoda", "tesla", "toyota", "volkswagen", "volvo")


@cache
def tool_schemas() -> list[dict[str, Any]]:
    """Return the tools in OpenAI's function form; nobody may change them."""
    text = (folder_of(__package__) / "tools.json").read_text(encoding="utf-8")
    schemas: list[dict[str, Any]] = json.loads(text)
    return schemas


Result: TypeAlias = dict[str, Any]
"""What a tool returns, as JSON types: `count` and `results`; `booked` and what; or `error`."""

ToolCall: TypeAlias = dict[str, Any]
"""A call of a tool as files have it: `name`, `arguments` and `result`."""

Turn: TypeAlias = dict[str, Any]
"""A turn as files have it: `user`, `response` and, where tools were called, `calls`."""

_Record: TypeAlias = dict[str, Any]
"""A venue as tools show it, slot -> value; or the parameters of a tool, as its schema has them."""


def naming_key(domain: str) -> str:
    """Return the slot that names a venue of a domain: the id of a train, else the name."""
    return "trainID" if domain == "train" else "name"


class World:
    """A benchmark with its tasks and the tools on its venues; threads may share it.

    Args:
        scorer: The benchmark, and how dialogues are scored.
        tasks: Dialogue id -> task.

    Attributes:
        tasks_digest: SHA-256 of the tasks, in hexadecimal; their order is no part of it.
        goals: Dialogue id -> the goal that its task stands for.
        delexicalise: Finds names and values in utterances.
        signature: What all scores depend on.
    """

    def __init__(self, scorer: Scorer, tasks: Mapping[str, Task]) -> None:
        self.scorer = scorer
        self.tasks = tasks
        self.tasks_digest = digest_of_json(task_goals(tasks))
        self.goals = chosen_goals(task_goals(tasks), scorer.rules).goals
        self.delexicalise = delexicaliser_of(scorer)
        self.signature = plain_signature(scorer)
        self._database, self._rules = database_of(scorer), scorer.rules
        # Domain -> id -> records: several trains may have the same id.
        self._records: defaultdict[str, dict[str, list[_Record]]] = defaultdict(dict)
        for (domain, id_), venue in self.delexicalise.gazetteer.venues.items():
            records: list[_Record] = []
            for record in venue.records:
                records.append({slot: v for slot, v in record.items() if slot not in _HIDDEN})
            self._records[domain][id_] = records
        self._parameters: dict[str, _Record] = {}
        for tool in tool_schemas():
            self._parameters[tool["function"]["name"]] = tool["function"]["parameters"]
        # Every trial asks the same, and so does the computation of its outcome.
        self._query = lru_cache(_REMEMBERED)(self._queried)

    @classmethod
    def of(cls, benchmark: Benchmark | str | None = None) -> World:
        """Return the world of a benchmark, or of its name; None for the default one.

        Raises:
            InputError: The benchmark or its tasks are not installed.
        """
        if not isinstance(benchmark, Benchmark):
            benchmark = load_benchmark(benchmark)
        return cls(Scorer(benchmark, Options(lexicalised=True)), load_tasks(benchmark.name))

    def task(self, id_: str) -> Task:
        """Return the task of a dialogue, however its id is spelled.

        Raises:
            InputError: There is none.
        """
        task = self.tasks.get(dialogue_id(id_))
        if task is None:
            name = self.scorer.benchmark.name
            raise InputError(f"tasks of {name}", f"no task for dialogue {id_}")
        return task

    def grounded(self, id_: str, turns: Sequence[Turn]) -> GroundedDialogue:
        """Compare the responses of a dialogue with its goal and the venues."""
        users, responses = talk_in(turns)
        return ground(responses, self.goals[id_], self._database, self.delexicalise, users=users)

    def said(self, id_: str, turns: Sequence[Turn]) -> dict[str, Said]:
        """Return what the user says and asks in a dialogue, by domain."""
        return read_user(*talk_in(turns), self.goals[id_], self.delexicalise)

    def user_parts(self, id_: str, turns: Sequence[Turn]) -> dict[str, UserPart]:
        """Return what the user did of every goal domain, and whose fault it is if that is lost."""
        users, responses = talk_in(turns)
        goal = self.goals[id_]
        database, plain = self._database, self.delexicalise
        outcome = ground(responses, goal, database, plain, users=users)
        return user_parts(users, responses, goal, outcome, database, plain, self._rules)

    def grounded_reward(
        self,
        prompts: Sequence[Completion],
        completions: Sequence[Completion],
        *,
        dialogue_id: Sequence[str],
        **columns: object,
    ) -> list[float]:
        """Return 1 for each completion that has grounded Success, else 0: a reward of TRL.

        What cannot be scored gets 0; `rewards` gives the reason.

        Args:
            prompts: What comes before; messages count as the beginning of the dialogue.
            completions: The rest of each dialogue, in plain English.
            dialogue_id: The column of the data set that says which dialogue each is.
            columns: Other columns, which are ignored.
        """
        # A prompt that is a text is the user's, and has no responses.
        histories = [() if isinstance(prompt, str) else prompt for prompt in prompts]
        batch = zip(dialogue_id, histories, completions, strict=True)
        return [reward.value for reward in self.rewards(batch)]

    def rewards(self, batch: Iterable[tuple[str, Completion, Completion]]) -> list[Reward]:
        """Return the grounded Success of each of many rollouts, 1 or 0, in their order.

        A rollout that cannot be scored gets 0 and a reason, and the others are scored.

        Args:
            batch: Dialogue id, the messages before (none: an empty sequence) and the completion.
        """
        return [rewarded(self._success, *rollout) for rollout in batch]

    def _success(self, id_: str, before: Completion, completion: Completion) -> float:
        """Return 1 if a rollout has grounded Success, else 0.

        Raises:
            InputError: It cannot be scored.
        """
        goal = self.goals[self.task(id_).id]
        try:
            completed = _responses("completion", completion)
            responses = _responses("prompt", before) + completed
        except BrokenOffError as error:
            raise InputError(f"dialogue {id_}", str(error)) from None
        if not completed:
            raise InputError(f"dialogue {id_}", "completion: has no response")
        return float(ground(responses, goal, self._database, self.delexicalise).success)

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
        if arguments == "":
            arguments = {}
        try:
            given = {}
            for slot, value in parsed(arguments).items():
                # As records write values: yes and no for truth values, 3 for 3.0.
                if isinstance(value, bool):
                    given[slot] = "yes" if value else "no"
                elif isinstance(value, float) and value.is_integer():
                    given[slot] = str(int(value))
                elif value not in (None, ""):
                    given[slot] = str(value).strip()
        except (ValueError, RecursionError, AttributeError):
            return {"error": "arguments: expected a JSON object of slot -> value"}
        problems = _problems(given, self._parameters[name])
        if problems:
            return {"error": "; ".join(problems)}
        kind, domain = name.split("_")
        if kind == "book":
            return self._book(task, domain, given)
        return self._query(domain, tuple(given.items()))

    def matching(self, domain: str, constraints: Mapping[str, str]) -> list[str]:
        """Return the ids of the venues that meet constraints, in the records' order."""
        given: dict[str, str] = {}
        for slot, value in constraints.items():
            given[normalize_slot_name(slot, self._rules)] = value.lower()
        name = given.pop("name", None)
        ids = list(self._database.query(domain, given))
        if name is None:
            return ids
        named = self.venues_named(domain, name)
        return [id_ for id_ in ids if id_ in named]

    def venue_name(self, domain: str, id_: str) -> str:
        """Return what a venue is called: its name, or the id of a train."""
        return str(self._records[domain][id_][0][naming_key(domain)])

    def venues_named(self, domain: str, name: str, key: str = "name") -> list[str]:
        """Return the ids of the venues that a name may mean.

        Venues whose name is just this one are preferred to those whose names resemble it.

        Args:
            domain: The domain.
            name: The name, or a value of another slot.
            key: The slot.
        """
        name = name.lower()
        if key == "trainID":
            return [name.upper()] if name.upper() in self._records[domain] else []
        exact: list[str] = []
        for id_, (record, *_) in self._records[domain].items():
            if str(record.get(key)).lower() == name:
                exact.append(id_)
        column = normalize_slot_name(key, self._rules)
        return exact or list(self._database.query(domain, {column: name}))

    def wrong_slots(self, domain: str, id_: str, constraints: Mapping[str, str]) -> list[WrongSlot]:
        """Return the constraints that a venue does not meet, each alone."""
        record = self._records[domain][id_][0]
        wrong: list[WrongSlot] = []
        for slot, value in constraints.items():
            if id_ not in self.matching(domain, {slot: value}):
                wrong.append(WrongSlot(slot, value, str(record.get(slot, "not known"))))
        return wrong

    def values(self, domain: str, slot: str) -> list[str]:
        """Return the values of a slot that venues of a domain have, sorted."""
        values: set[str] = set()
        for records in self._records[domain].values():
            for record in records:
                if record.get(slot):
                    values.add(str(record[slot]))
        return sorted(values)

    def same_value(self, slot: str, first: str, second: str) -> bool:
        """Return whether two values of a slot mean the same, in whatever spelling."""
        column = normalize_slot_name(slot, self._rules)
        if slot in ROUTE:
            column = "name"
        first = normalize_value(column, first.lower(), self._rules)
        second = normalize_value(column, second.lower(), self._rules)
        if first == second:
            return True
        return column == "name" and reaches(first, second, self._rules.fuzzy_ratio)

    def _queried(self, domain: str, arguments: tuple[tuple[str, str], ...]) -> Result:
        slots = dict(arguments)
        found = []
        for id_ in self.matching(domain, slots):
            records = self._records[domain][id_]
            found.append(next((r for r in records if self._is_meant(r, slots)), records[0]))
        if domain == "train" and "arriveBy" in slots and "leaveAt" not in slots:
            # The last train before a time comes first.
            found.sort(key=lambda train: (-minutes(train["arriveBy"]), train["trainID"]))
        elif domain == "train":
            found.sort(key=lambda train: (minutes(train["leaveAt"]), train["trainID"]))
        result: Result = {"count": len(found), "results": found[:SHOWN_RESULTS]}
        if not found:
            for slot, value in slots.items():
                if slot not in TIMES and not self.venues_named(domain, value, slot):
                    result[f"closest_{slot}"] = self._closest(domain, slot, value)
        return result

    def _is_meant(self, train: Mapping[str, str], slots: Mapping[str, str]) -> bool:
        """Return whether one of several trains with the same id is the one that is meant."""
        earliest = slots.get("leaveAt", train.get("leaveAt", "00:00")).zfill(5)
        latest = slots.get("arriveBy", train.get("arriveBy", "00:00")).zfill(5)
        if train.get("leaveAt", earliest) < earliest or train.get("arriveBy", latest) > latest:
            return False
        for slot in (*ROUTE, "day"):
            if slot in slots and not self.same_value(slot, train[slot], slots[slot]):
                return False
        return True

    def _closest(self, domain: str, key: str, value: str) -> list[str]:
        matches = process.extract(value, self.values(domain, key), limit=_CLOSEST)
        return [match for match, _, _ in matches]

    def _book(self, task: Task, domain: str, given: Mapping[str, str]) -> Result:
        key = naming_key(domain)
        slots = {slot: value for slot, value in given.items() if slot != key}
        for slot, value in slots.items():
            if ":" in value:
                slots[slot] = value.zfill(5)
        venue = None
        if key in given:
            ids = self.venues_named(domain, given[key], key)
            if len(ids) != 1:
                names = [self.venue_name(domain, id_) for id_ in ids[:SHOWN_RESULTS]]
                kind = "ambiguous" if names else "unknown"
                choices = ", ".join(names or self._closest(domain, key, given[key]))
                return {"error": f"{kind} {key} {given[key]!r}; choose from {choices}"}
            venue = ids[0]
        failing = task.domains.get(domain, DomainTask({})).fail_book
        asked = (self.same_value(slot, slots.get(slot, ""), v) for slot, v in failing.items())
        if failing and all(asked):
            values = ", ".join(f"{slot} {value}" for slot, value in failing.items())
            refusal = f"not available for {values}; ask the user for another {' or '.join(failing)}"
            return {"booked": False, "reason": refusal}
        seed = json.dumps([task.id, domain, venue, sorted(slots.items())])
        number = int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big")
        result: Result = {"booked": True, **slots}
        if venue is None:
            colour, car = _COLOURS[number % len(_COLOURS)], _CARS[number // 7 % len(_CARS)]
            result["car type"] = f"{colour} {car}"
            result["phone"] = f"07{number % 10**9:09}"
        else:
            result[key] = self._records[domain][venue][0][key]
            reference = ""
            for place, characters in enumerate(_REFERENCE):
                reference += characters[number // 100**place % len(characters)]
            result["reference"] = reference
        return result


def _problems(given: Mapping[str, str], parameters: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the arguments of a call, by the parameters of the tool."""
    schemas = parameters["properties"]
    problems = []
    for slot, value in given.items():
        schema = schemas.get(slot)
        if schema is None:
            problems.append(unknown("slot", slot, schemas))
        elif "enum" in schema and value.lower() not in schema["enum"]:
            problems.append(f"{slot}: {unknown('value', value, schema['enum'])}")
        elif "pattern" in schema and not re.fullmatch(schema["pattern"], value):
            problems.append(f"{slot}: expected a time as HH:MM, found {value!r}")
        elif schema["type"] == "integer" and not re.fullmatch("[1-9][0-9]*", value):
            problems.append(f"{slot}: expected a number of at least 1, found {value!r}")
    problems += [f"{slot} is missing" for slot in parameters["required"] if slot not in given]
    return problems


def _responses(source: str, completion: Completion) -> list[str]:
    """Return the responses of a completion, as text or as messages; without empty ones.

    Raises:
        BrokenOffError: It is neither, or a response is no text or too long.
    """
    messages: list[Message] = [{"role": "assistant", "content": completion}]
    if isinstance(completion, Sequence) and not isinstance(completion, str):
        messages = list(completion)
    responses = []
    for number, message in enumerate(messages):
        place = source if len(messages) == 1 else f"{source}, message {number}"
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise BrokenOffError(f"{place}: expected an object with role and content")
        # A message that only calls tools has no text.
        only_calls = message.get("tool_calls") and not message.get("content")
        if message["role"] == "assistant" and not only_calls:
            response = readable(place, message.get("content"))
            if response.strip():
                responses.append(response)
    return responses


# ------------------------------------------------------------------------- recorded calls


def calls_in(turns: Iterable[Turn]) -> Iterator[tuple[int, ToolCall]]:
    """Yield the calls of tools in a dialogue: the number of the turn, and the call."""
    for number, turn in enumerate(turns):
        for call in turn.get("calls", ()):
            yield number, call


def talk_in(turns: Iterable[Turn]) -> tuple[list[str], list[str]]:
    """Return what users say and the responses, as scores read them.

    "Yes" alone answers what the user asked. After the scripted user's goodbye nothing is heard: it
    would be easy to add to a file.
    """
    goodbyes = tuple(script("user")["say"]["bye"])
    users, responses = [], []
    for turn in turns:
        users.append(turn["user"])
        is_heard = not turn["user"].endswith(goodbyes)
        responses.append(in_context(turn["response"], turn["user"]) if is_heard else "")
    return users, responses


LONGEST_SHOWN = 90
"""Characters that are shown of what an agent says or asks tools for, where it may be long."""


def parsed(arguments: Any) -> Any:
    """Return the arguments of a call, which models write as JSON; unchanged if they are no JSON."""
    try:
        return json.loads(arguments)
    except (TypeError, ValueError, RecursionError):
        return arguments


def call_text(call: ToolCall) -> str:
    """Return a call of a tool and what the tool returned, in short."""
    result = dict(call["result"])
    names = [venue.get("trainID") or venue["name"] for venue in result.get("results", ())]
    if names:
        result["results"] = ", ".join(names)
    arguments = cut(_in_line(parsed(call["arguments"])), LONGEST_SHOWN)
    return f"{call['name']}({arguments}): {_in_line(result)}"


def _in_line(value: object) -> str:
    """Return the slots of an object and their values in a line; other JSON as it is."""
    if not isinstance(value, dict):
        return str(value)
    return ", ".join(f"{slot} {content}" for slot, content in value.items())
