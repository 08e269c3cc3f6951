"""MultiWOZ 2.2 as two public repositories have it.

They are the evaluator's (`MultiWOZ_Evaluation`: references, goals, booked domains, venues) and
the data set's (`multiwoz`: MultiWOZ 2.2 dialogues and acts). The test split is kept, whatever else
they hold. The references of MultiWOZ 2.2 and the gold states are made of its annotation, also where
a clone has those that the evaluator made.

A test goal is seen if it also occurs in train or dev, by the evaluator's `goals.json`. A goal is,
per domain, the informable slots with their values, the requestable slots and the constraints of the
booking, as a whole: two goals are the same if all of it is. The order of domains, slots and
requestables means nothing, nor does a domain that wants nothing; a goal that wants nothing at all
is the same as no other.

Source: "Shades of BLEU, Flavours of Success" (2021), section 4.6, which counts 174 of the 1000
test dialogues; the definition above is the harness's, as the paper gives none.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from mwz.normalization import (
    BeliefState,
    VenueRecords,
    normalize_state,
    normalized_text,
    rule_set,
)

from ..benchmark import (
    CANONICAL_STYLE,
    STYLES,
    Benchmark,
    Dialogue,
    Goal,
    Triplet,
    gold_active_domains,
    triplets_of,
)
from ..errors import InputError, refuse
from ..io import read_bytes, read_json, validated
from ..submission import GOLD_DOMAINS, dialogue_id, read_standard
from .declared import Built, DataSet, Source
from .goals import GOALS_FILE, chosen_goals, read_tasks

EVALUATOR = "evaluator"
CORPUS = "data set"
"""The roles of the two repositories."""

DAMD = "gold domains"
"""The role of the repository with DAMD's log, which need not be there."""

DAMD_LOG = "damd_multiwoz/test_log.txt"

REQUESTS = "goals with all requests"
"""The role of the repository with the data set's own goals, which need not be there either; they
are the tasks of live dialogues as well."""

EVALUATOR_DATA = "mwzeval/data"

DATA_SET = "data/MultiWOZ_2.2"
TEST_FILES = (f"{DATA_SET}/test/dialogues_001.json", f"{DATA_SET}/test/dialogues_002.json")
ACTS_FILE = "dialog_acts.json"

OTHER_SPLITS = ("train", "dev")
DIALOGUE_FILES = "dialogues_*.json"

ANNOTATION_RULES = "2021"
"""The rules that references and gold states are normalised by, whichever rules score."""

_T = TypeVar("_T")

_Json: TypeAlias = dict[str, Any]
"""An object of a public file."""


def read(data_set: DataSet, folders: Mapping[str, Path], all_splits: bool) -> Built:
    """Build the benchmark from the repositories, or copies of them.

    Raises:
        InputError: A file is missing, not in the expected layout, or does not cover the test
            split.
    """
    benchmark = read_benchmark(folders, data_set.sources)
    notes = []
    if DAMD in folders:
        benchmark, note = with_damd_domains(benchmark, folders[DAMD] / DAMD_LOG)
        notes.append(note)
    else:
        notes.append(
            "gold active domains: by rule from states and acts; the leaderboard is scored with "
            "DAMD's, which --mintl adds"
        )
    tasks = None
    if REQUESTS in folders:
        benchmark = with_requests(benchmark, folders[REQUESTS] / GOALS_FILE)
        tasks = read_tasks(folders[REQUESTS])
        notes.append("requests: all that the goals request")
    else:
        notes.append(
            "requests: telephone, address, postcode, reference number and train id; --convlab2 "
            "adds all others, for grounded Success over all that is requested"
        )
    if all_splits:
        goals = folders[EVALUATOR] / EVALUATOR_DATA / "goals.json"
        seen, trained = find_overlap(goals, folders[CORPUS], benchmark.dialogues)
        benchmark = replace(benchmark, seen=seen, trained=trained)
        if seen is not None:
            notes.append(f"seen goals: {len(seen)} of {len(benchmark.dialogues)}")
    if not all(source.role in folders for source in data_set.sources if source.venues):
        notes.append(
            "venues: the clone's database is used under all rule sets, whose own differ in three "
            "restaurants' telephone numbers (`mwz data fetch` gets all)"
        )
    return benchmark, notes, tasks


def with_damd_domains(benchmark: Benchmark, log: Path) -> tuple[Benchmark, str]:
    """Return a benchmark with the gold active domains that DAMD's data has, and a remark on them.

    Dialogues that the log lacks keep those of the rule (`gold_active_domains`).

    Raises:
        InputError: The log is missing or in another layout, or some turns of it are of no
            dialogue of the benchmark.
    """
    logged = read_standard(read_bytes(log), str(log)).dialogues_among(benchmark.users)
    dialogues = dict(benchmark.dialogues)
    for id_, turns in logged.items():
        domains = [turn[GOLD_DOMAINS] for turn in turns]
        dialogues[id_] = replace(dialogues[id_], damd_domains=domains)
    lacking = [id_ for id_ in dialogues if id_ not in logged]
    others = f"; by rule from states and acts for {', '.join(lacking)}" if lacking else ""
    note = f"gold active domains: DAMD's for {len(logged)} of {len(dialogues)} dialogues{others}"
    return replace(benchmark, dialogues=dialogues), note


def with_requests(benchmark: Benchmark, path: Path) -> Benchmark:
    """Return a benchmark whose goals say what else they request, and what they ask for first.

    Raises:
        InputError: The file of goals cannot be read, or lacks a dialogue or a domain.
    """
    read = chosen_goals(path, rule_set(ANNOTATION_RULES)).goals
    goals = {dialogue_id(id_): goal for id_, goal in read.items()}
    problems: list[str] = []
    dialogues: dict[str, Dialogue] = {}
    for id_, dialogue in benchmark.dialogues.items():
        if dialogue.goal.keys() - goals.get(id_, {}):
            problems.append(f"no goal of dialogue {id_}")
            continue
        complete: dict[str, Goal] = {}
        for domain, goal in dialogue.goal.items():
            whole = goals[id_][domain]
            complete[domain] = replace(goal, further=whole.further, first=whole.first)
        dialogues[id_] = replace(dialogue, goal=complete)
    refuse(str(path), problems)
    return replace(benchmark, dialogues=dialogues)


def read_benchmark(folders: Mapping[str, Path], sources: Collection[Source]) -> Benchmark:
    """Build the benchmark, apart from what is added to it.

    Args:
        folders: Role of a source -> the folder that holds its files.
        sources: What is pinned: which sources have which version of the venue database. Where none
            but the evaluator's is available, there is one version for all rule sets.

    Raises:
        InputError: A file is missing, not in the expected layout, or does not cover the test
            split.
    """
    mwzeval, multiwoz = folders[EVALUATOR], folders[CORPUS]
    annotated = read_annotated(multiwoz, TEST_FILES)
    if not annotated:
        raise InputError(str(multiwoz / DATA_SET / "test"), "has no dialogues")
    turns = {id_: dialogue.turns for id_, dialogue in annotated.items()}
    folder = mwzeval / EVALUATOR_DATA
    goals: dict[str, dict[str, Goal]] = {}
    written_goals = _covering(folder / "goals.json", turns)
    with expected_layout(folder / "goals.json"):
        for id_, by_domain in written_goals.items():
            goals[id_] = {}
            for domain, wanted in by_domain.items():
                goals[id_][domain] = Goal(
                    informable=wanted["informable"],
                    requestable=frozenset(wanted["requestable"]),
                    # An empty booking is a list.
                    booking=wanted["booking"] or {},
                )
    booked = _read_per_turn(folder / "booked_domains.json", turns, list[str])
    references: dict[str, Mapping[str, Sequence[str]]] = {}
    for style in STYLES:
        if style != CANONICAL_STYLE:
            path = folder / "references" / f"{style}.json"
            references[style] = _read_per_turn(path, turns, str)
    dialogues: dict[str, Dialogue] = {}
    for id_, dialogue in annotated.items():
        of_dialogue = dict(dialogue.references)
        for style, responses in references.items():
            of_dialogue[style] = responses[id_]
        dialogues[id_] = replace(
            dialogue, goal=goals[id_], references=of_dialogue, booked_domains=booked[id_]
        )
    venues, venue_versions = read_venue_versions(folders, sources)
    return Benchmark(name="", dialogues=dialogues, venues=venues, venue_versions=venue_versions)


def read_venue_versions(
    folders: Mapping[str, Path], sources: Collection[Source]
) -> tuple[VenueRecords, dict[str, VenueRecords]]:
    """Read all versions of the venue database that there are, as the evaluator has them.

    Returns:
        The records of the first version, domain -> records; and the domains in which further
        versions differ from it, version -> domain -> records.
    """
    places: dict[str, Path] = {}
    for source in sources:
        if source.venues and source.role in folders:
            places[source.venues] = folders[source.role] / EVALUATOR_DATA / "database"
    first: dict[str, list[_Json]] = {}
    differing: dict[str, VenueRecords] = {}
    for version, folder in sorted(places.items()):
        changed = {}
        for domain in rule_set(ANNOTATION_RULES).venue_rules:
            records = _read(list[_Json], folder / f"{domain}_db.json")
            if first.setdefault(domain, records) != records:
                changed[domain] = records
        if changed:
            differing[version] = changed
    return first, differing


def _read(kind: type[_T], path: Path) -> _T:
    """Read a JSON file that holds a type.

    Raises:
        InputError: It is missing or holds something else.
    """
    return validated(kind, read_json(path), str(path))


# The evaluator's files.


def _read_per_turn(
    path: Path, turns: Mapping[str, int], kind: type[_T]
) -> Mapping[str, Sequence[_T]]:
    """Read a file that holds something per system turn: dialogue id -> a list of it.

    Args:
        path: The file.
        turns: Dialogue id -> its number of system turns.
        kind: The type of what it holds.
    """
    content = validated(dict[str, list[kind]], _covering(path, turns), str(path))  # type: ignore[valid-type]
    problems: list[str] = []
    for id_, count in turns.items():
        entries = len(content[id_])
        if entries != count:
            problems.append(f"dialogue {id_}: {entries} entries for {count} system turns")
    refuse(str(path), problems)
    return content


def _covering(path: Path, ids: Collection[str]) -> _Json:
    """Read a file of all splits and keep the test dialogues."""
    content = _read(_Json, path)
    missing = [f"test dialogue {id_} is missing" for id_ in ids if id_ not in content]
    refuse(str(path), missing)
    return {id_: content[id_] for id_ in ids}


# The annotation of MultiWOZ 2.2: its dialogue files and acts.


def read_annotated(multiwoz: Path, files: Iterable[str]) -> dict[str, Dialogue]:
    """Read what MultiWOZ 2.2 has of dialogues: all but goals, and one style of references.

    Args:
        multiwoz: A clone of the data set's repository.
        files: The paths of the dialogue files in it.

    Returns:
        Dialogue id (lower case, no `.json`) -> dialogue.

    Raises:
        InputError: A file is missing or not in the expected layout.
    """
    acts = _read(_Json, multiwoz / DATA_SET / ACTS_FILE)
    dialogues = {}
    for path in files:
        content = _read(list[Any], multiwoz / path)
        with expected_layout(multiwoz / path):
            for dialogue in content:
                raw_id = dialogue["dialogue_id"]
                dialogues[dialogue_id(raw_id)] = _annotated(dialogue["turns"], acts[raw_id])
    return dialogues


def _annotated(turns: Sequence[_Json], acts: _Json) -> Dialogue:
    """Return a dialogue as it is annotated, its responses delexicalised by the annotated spans."""
    rules = rule_set(ANNOTATION_RULES)
    references: list[str] = []
    states: list[BeliefState] = []
    act_names: list[list[str]] = []
    users: list[str] = []
    responses: list[str] = []
    # A last user turn without a response is left out.
    for user, system in zip(turns[::2], turns[1::2], strict=False):
        act = acts[system["turn_id"]]
        utterance = str(system["utterance"])
        # Every annotated span is replaced by `[slot]`, left to right. A span is the act, the slot,
        # the value, and where the value begins and ends.
        delexicalized = ""
        done = 0
        for _, slot, value, start, end in sorted(act["span_info"], key=lambda span: span[3]):
            if start >= done and value != "dontcare":
                delexicalized += f"{utterance[done:start]}[{slot}]"
                done = end
        delexicalized += utterance[done:]
        references.append(normalized_text(delexicalized, rules))
        states.append(normalize_state(raw_state(user["frames"]), rules))
        act_names.append(list(act["dialog_act"]))
        users.append(str(user["utterance"]))
        responses.append(utterance)
    return Dialogue(
        goal={},
        references={CANONICAL_STYLE: references},
        states=states,
        active_domains=gold_active_domains(states, act_names),
        booked_domains=(),
        users=tuple(users),
        responses=tuple(responses),
    )


def raw_state(frames: Sequence[_Json]) -> dict[str, dict[str, str]]:
    """Return a user turn's belief state: each slot's first value, `dontcare` left out."""
    state: dict[str, dict[str, str]] = {}
    for frame in frames:
        for name, values in frame["state"]["slot_values"].items():
            if "dontcare" not in values:
                slot = name.split("-")[1]
                state.setdefault(frame["service"], {})[slot] = values[0]
    return state


@contextmanager
def expected_layout(path: Path) -> Iterator[None]:
    """Report the errors that reading a file in another layout ends in as an `InputError`."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        problem = f"not in the layout of the public files ({error!r})"
        raise InputError(str(path), problem) from None


# Which goals the splits share.


def find_overlap(
    goals_file: Path, multiwoz: Path, test: Collection[str]
) -> tuple[frozenset[str] | None, frozenset[Triplet] | None]:
    """Return what test shares with train and dev.

    Args:
        goals_file: The evaluator's `goals.json`.
        multiwoz: The data set's repository.
        test: Ids of the test dialogues.

    Returns:
        The ids of the test dialogues whose goal also occurs in train or dev, None where a goal is
        missing; and the triplets of the normalised belief states of train and dev. Both are None
        where the data set has no train or no dev dialogues.

    Raises:
        InputError: A file cannot be read or is not in the layout of the public files.
    """
    folder = multiwoz / DATA_SET
    paths: list[Path] = []
    for split in OTHER_SPLITS:
        files = sorted((folder / split).glob(DIALOGUE_FILES))
        if not files:
            return None, None
        paths += files
    others: list[str] = []
    written: set[Triplet] = set()
    for path in paths:
        content = _read(list[Any], path)
        with expected_layout(path):
            for dialogue in content:
                others.append(dialogue_id(dialogue["dialogue_id"]))
                written |= triplets_of(raw_state(user["frames"]) for user in dialogue["turns"][::2])
    rules = rule_set(ANNOTATION_RULES)
    trained = triplets_of(normalize_state({d: {s: v}}, rules) for d, s, v in written)
    goals = _read(_Json, goals_file)
    if not goals.keys() >= {*test, *others}:
        return None, trained
    with expected_layout(goals_file):
        seen = seen_goals({id_: goals[id_] for id_ in test}, map(goals.__getitem__, others))
    return seen, trained


def seen_goals(test: Mapping[str, _Json], others: Iterable[_Json]) -> frozenset[str]:
    """Return the ids of the test dialogues whose goal is also among the others.

    Args:
        test: Dialogue id -> goal: domain -> `informable` (slot -> value), `requestable` (list)
            and `booking` (slot -> value, or an empty list).
        others: The goals of train and dev, in the same form.
    """
    known_goals = set(map(_canonical, others)) - {_canonical({})}
    return frozenset(id_ for id_, goal in test.items() if _canonical(goal) in known_goals)


def _canonical(goal: _Json) -> str:
    """Return a text that two goals share if and only if they are the same."""
    wanted: dict[str, list[object]] = {}
    for domain, part in goal.items():
        if any(part.values()):
            requestable = sorted(set(part["requestable"]))
            wanted[domain] = [part["informable"], requestable, part["booking"] or {}]
    return json.dumps(wanted, sort_keys=True)
