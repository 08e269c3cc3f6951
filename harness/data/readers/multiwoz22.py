"""MultiWOZ 2.2 as two public repositories have it.

They are the evaluator's (`MultiWOZ_Evaluation`: references, goals, booked domains, venues) and
the data set's (`multiwoz`: MultiWOZ 2.2 dialogues and acts). The files are read as they are; the
test split is kept, whatever else they hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mwz.normalization.rules import rule_set
from mwz.normalization.states import BeliefState

from ...benchmark import CANONICAL_STYLE, STYLES, Benchmark, Dialogue, VenueRecords
from ...errors import InputError, refuse
from ...io.files import read_bytes
from ...metrics.played import gold_active_domains
from ...submission.checking import dialogue_id
from ...submission.formats.damd_log import align_dialogues, parse_damd_log
from ..declared import Built, DataSet, Sources
from ..goals import chosen_goals
from ..tasks import GOALS_FILE, read_tasks
from .annotation22 import ANNOTATION_RULES, DATA_SET, read_test_dialogues
from .evaluator import EVALUATOR_DATA, read_goals, read_per_turn, read_venues, venue_notes
from .overlap import find_overlap, overlap_note

EVALUATOR = "evaluator"
CORPUS = "data set"
"""The roles of the two repositories."""

DAMD = "gold domains"
"""The role of the repository with DAMD's log, which need not be there."""

DAMD_LOG = "damd_multiwoz/test_log.txt"

REQUESTS = "goals with all requests"
"""The role of the repository with the data set's own goals, which need not be there either; they
are the tasks of live dialogues as well."""


def read(data_set: DataSet, sources: Sources) -> Built:
    """Build the benchmark from the two repositories, or copies of them.

    Raises:
        InputError: A file is missing, not in the expected layout, or does not cover the test
            split.
    """
    mwzeval, multiwoz = sources.folders[EVALUATOR], sources.folders[CORPUS]
    benchmark = read_benchmark(mwzeval, multiwoz, sources.rebuild, sources.venues)
    notes = []
    if DAMD in sources.folders:
        benchmark, note = with_damd_domains(benchmark, sources.folders[DAMD] / DAMD_LOG)
        notes.append(note)
    else:
        notes.append(
            "gold active domains: by rule from states and acts; the leaderboard is scored with "
            "DAMD's, which --mintl adds"
        )
    tasks = None
    if REQUESTS in sources.folders:
        benchmark = with_requests(benchmark, sources.folders[REQUESTS] / GOALS_FILE)
        tasks = read_tasks(sources.folders[REQUESTS])
        notes.append("requests: all that the goals request")
    else:
        notes.append(
            "requests: telephone, address, postcode, reference number and train id; --convlab2 "
            "adds all others, for grounded Success over all that is requested"
        )
    if sources.all_splits:
        overlap = find_overlap(mwzeval, multiwoz, benchmark.dialogues)
        if overlap is not None:
            benchmark = replace(benchmark, seen=overlap.seen)
            notes.append(overlap_note(overlap, benchmark))
    if not sources.venues:
        notes += venue_notes(mwzeval, data_set.sources)
    return Built(benchmark, tuple(notes), tasks)


def with_damd_domains(benchmark: Benchmark, log: Path) -> tuple[Benchmark, str]:
    """Return a benchmark with the gold active domains that DAMD's data has, and a remark on them.

    Dialogues that the log lacks keep those of the rule (`gold_active_domains`).

    Raises:
        InputError: The log is missing or in another layout, or some turns of it are of no
            dialogue of the benchmark.
    """
    text = read_bytes(log).decode(errors="replace")
    logged = align_dialogues(parse_damd_log(text, str(log)), benchmark.users, str(log))
    dialogues = {
        id_: replace(dialogue, damd_domains=[turn.gold_domains for turn in logged[id_]])
        if id_ in logged
        else dialogue
        for id_, dialogue in benchmark.dialogues.items()
    }
    lacking = [id_ for id_ in dialogues if id_ not in logged]
    others = f"; by rule from states and acts for {', '.join(lacking)}" if lacking else ""
    note = f"gold active domains: DAMD's for {len(logged)} of {len(dialogues)} dialogues{others}"
    return replace(benchmark, dialogues=dialogues), note


def with_requests(benchmark: Benchmark, path: Path) -> Benchmark:
    """Return a benchmark whose goals say what else they request.

    Raises:
        InputError: The file of goals cannot be read, or lacks a dialogue or a domain.
    """
    read = chosen_goals(path, rule_set(ANNOTATION_RULES)).goals
    goals = {dialogue_id(id_): goal for id_, goal in read.items()}
    lacking = [i for i, one in benchmark.dialogues.items() if one.goal.keys() - goals.get(i, {})]
    refuse(str(path), [f"no goal of dialogue {id_}" for id_ in lacking])
    dialogues = {
        id_: replace(
            dialogue,
            goal={d: replace(g, further=goals[id_][d].further) for d, g in dialogue.goal.items()},
        )
        for id_, dialogue in benchmark.dialogues.items()
    }
    return replace(benchmark, dialogues=dialogues)


def read_benchmark(
    mwzeval: Path, multiwoz: Path, rebuild: bool, venue_folders: Mapping[str, Path]
) -> Benchmark:
    """Build the benchmark, apart from what the train and dev splits tell of it.

    Args:
        mwzeval: The evaluator's repository.
        multiwoz: The data set's repository.
        rebuild: Build the mwz22 references and the gold states from MultiWOZ 2.2 even where the
            evaluator's repository has them.
        venue_folders: Version of the venue database -> a repository that has it; if empty, there
            is one version, that of the evaluator's repository.

    Raises:
        InputError: A file is missing, not in the expected layout, or does not cover the test
            split.
    """
    annotated = read_test_dialogues(multiwoz)
    if not annotated:
        raise InputError(str(multiwoz / DATA_SET / "test"), "has no dialogues")
    turns = {id_: len(dialogue.states) for id_, dialogue in annotated.items()}
    folder = mwzeval / EVALUATOR_DATA
    goals = read_goals(folder / "goals.json", turns)
    booked = read_per_turn(folder / "booked_domains.json", turns, list[str])
    references: dict[str, Mapping[str, Sequence[str]]] = {}
    for style in STYLES:
        path = folder / "references" / f"{style}.json"
        if style == CANONICAL_STYLE and (rebuild or not path.exists()):
            references[style] = {id_: d.references for id_, d in annotated.items()}
        else:
            references[style] = read_per_turn(path, turns, str)
    path = folder / "gold_states.json"
    if rebuild or not path.exists():
        states: Mapping[str, Sequence[BeliefState]] = {
            id_: d.states for id_, d in annotated.items()
        }
    else:
        states = read_per_turn(path, turns, dict[str, dict[str, str]])
    versions = {version: read_venues(place) for version, place in sorted(venue_folders.items())}
    venues: VenueRecords = next(iter(versions.values())) if versions else read_venues(mwzeval)
    return Benchmark(
        name="",
        dialogues={
            id_: Dialogue(
                goal=goals[id_],
                references={style: references[style][id_] for style in STYLES},
                states=states[id_],
                active_domains=gold_active_domains(states[id_], dialogue.acts),
                booked_domains=booked[id_],
                users=tuple(dialogue.users),
                responses=tuple(dialogue.responses),
            )
            for id_, dialogue in annotated.items()
        },
        venues=venues,
        venue_versions={
            version: {d: records[d] for d in records if records[d] != venues[d]}
            for version, records in versions.items()
            if records != venues
        },
    )
