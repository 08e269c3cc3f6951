"""`mwz users`: show how good users are, beside what people say on the same goals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from ..benchmark import Benchmark, Goal
from ..cli import option, tell
from ..cli.reading import chosen_benchmark, read_outputs, read_plays
from ..data import load_tasks
from ..errors import InputError
from ..glossary import term_of
from ..io import STANDARD_STREAM, Table, figure, formatted, short_names, write_json
from ..rooms import import_room
from ..scoring import Options, Scorer, database_of, delexicaliser_of, free_run_predictions
from .faults import user_parts
from .grounded import ground
from .plain_dialogues import PlainDialogues
from .scores import plain_responses
from .user_quality import RATES, UserDialogue, user_figures


@click.command()
@option.several_predictions
@option.goals_file
@option.benchmark
@option.rules
@option.table_format()
@click.option("--json", "json_target", metavar="FILE|-", help="Write the figures as JSON.")
def command(
    *,
    predictions: Sequence[str],
    benchmark: str | None,
    format_: str,
    json_target: str | None,
    **how: Any,
) -> None:
    """Show how good the users of free-running dialogues and of plays are: which constraints they
    omit, change and invent, what they never ask for, which unfit offers they accept, and whether
    they copy their instructions. Beside each is what people do on the same goals, where the
    benchmark has what people said.
    """
    records: list[dict[str, Any]] = []
    plays = read_plays(predictions, benchmark)
    if plays:
        option.accept_only(
            *("predictions", "benchmark", "format_", "json_target"), kind="files of `mwz play`"
        )
        for source, run in plays:
            records += _records(source, _played(run), run.config.world.scorer)
    else:
        options = Options(free_running=True, **how)
        loaded = chosen_benchmark(benchmark)
        for name in predictions:
            outputs = read_outputs(name)
            scorer, dialogues = free_run_predictions(
                Scorer(loaded, options), outputs.content, outputs.source
            )
            tell(outputs.source, dialogues.remarks)
            if not dialogues.parts:
                raise InputError(outputs.source, "turns lack `user`: nothing is known of users")
            records += _records(name, _free(dialogues, scorer.benchmark), scorer)
    if json_target is not None:
        write_json(json_target, records)
    if json_target != STANDARD_STREAM:
        click.echo(formatted([_table(records)], format_), nl=False)


def _instructions(benchmark: Benchmark) -> dict[str, str]:
    """Return dialogue id -> the instructions of its goal; nothing where they are not installed."""
    try:
        tasks = load_tasks(benchmark.name)
    except InputError:
        return {}
    return {id_: " ".join(task.message) for id_, task in tasks.items()}


def _free(dialogues: PlainDialogues, benchmark: Benchmark) -> dict[str, list[UserDialogue]]:
    """Return dialogue id -> the free-running dialogue."""
    instructions = _instructions(benchmark)
    by_id = {}
    for id_, responses in plain_responses(dialogues.normalized).items():
        users = [user or "" for user in dialogues.users[id_]]
        texts = [response.original for response in responses]
        goal, parts = dialogues.goals[id_], dialogues.parts[id_]
        outcome = dialogues.outcomes[id_]
        words = instructions.get(id_, "")
        by_id[id_] = [UserDialogue(users, texts, goal, outcome, parts, words)]
    return by_id


def _played(run: Any) -> dict[str, list[UserDialogue]]:
    """Return dialogue id -> the dialogues of a run, one for each trial."""
    world = run.config.world
    in_context = import_room("harness.live.environment", "plays").responses_in_context
    by_id: dict[str, list[UserDialogue]] = {}
    for line, parts in zip(run.lines, run.parts, strict=True):
        id_ = line["dialogue_id"]
        users = [turn["user"] for turn in line["turns"]]
        responses = in_context(line["turns"])
        words = " ".join(world.task(id_).message)
        dialogue = UserDialogue(
            users, responses, world.goals[id_], world.grounded(id_, responses), parts, words
        )
        by_id.setdefault(id_, []).append(dialogue)
    return by_id


def _records(
    source: str, dialogues: Mapping[str, Sequence[UserDialogue]], scorer: Scorer
) -> Iterator[dict[str, Any]]:
    """Yield the figures of a file's users, and of people on the same goals."""
    delexicalise = delexicaliser_of(scorer)
    played: list[UserDialogue] = []
    people = []
    for id_, trials in dialogues.items():
        played += trials
        human = scorer.benchmark.dialogues.get(id_)
        if human is not None and human.users and human.responses:
            first = trials[0]
            people.append(
                _by_people(human.users, human.responses, first.goal, first.instructions, scorer)
            )
    yield {"file": source, "users": "file", **user_figures(played, delexicalise)}
    yield {"file": source, "users": "people", **user_figures(people, delexicalise)}


def _by_people(
    users: Sequence[str],
    responses: Sequence[str],
    goal: Mapping[str, Goal],
    instructions: str,
    scorer: Scorer,
) -> UserDialogue:
    """Return what people said on a goal."""
    database, delexicalise = database_of(scorer), delexicaliser_of(scorer)
    outcome = ground(responses, goal, database, delexicalise, users=users)
    parts = user_parts(users, responses, goal, outcome, database, delexicalise, scorer.rules)
    return UserDialogue(users, responses, goal, outcome, parts, instructions)


def _table(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return the table: a row for the users of each file, and one for people on its goals."""
    names = short_names([record["file"] for record in records[::2]])
    rows = []
    for number, record in enumerate(records):
        name = names[number // 2]
        if record["users"] == "people":
            name = f"people, on {record['dialogues']} of these goals"
        rows.append([name, str(record["dialogues"]), *(figure(record[rate]) for rate in RATES)])
    headers = ["users", "dialogues", *(term_of("users", rate).title for rate in RATES)]
    notes = []
    for rate in RATES:
        term = term_of("users", rate)
        notes.append(f"{term.title}: {term.meaning} ({term.unit})")
    return Table("users", "How good users are", headers, rows, records, notes)
