"""`mwz users`: show how good users are, beside what people say on the same goals.

What users omit, change and invent is read by the rules of `faults.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import click

from ..benchmark import Goal
from ..cli import option, tell
from ..cli.reading import chosen_benchmark, read_outputs, read_plays
from ..data import Task, load_tasks
from ..errors import InputError
from ..glossary import term_of
from ..io import STANDARD_STREAM, Table, figure, formatted, short_names, write_json
from ..metrics import percent
from ..scoring import Options, Scorer, database_of, delexicaliser_of, free_run_predictions
from .facts import split_sentences
from .faults import UserPart, user_parts
from .grounded import GroundedDialogue, ground

_FEWEST_COPIED = 6
"""Words of a sentence that is copied: shorter ones are alike by chance."""

RATES = {
    "never_said": "constraints",
    "said_otherwise": "constraints",
    "invented": "constraints",
    "never_asked": "requests",
    "unfit_accepted": "offers",
    "copied": "turns",
    "should": "turns",
}
"""What users do -> of how many things it is a share."""


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
            world = run.config.world
            talks: list[_Dialogue] = []
            for line, parts in zip(run.lines, run.parts, strict=True):
                id_, turns = line["dialogue_id"], line["turns"]
                users = [turn["user"] for turn in turns]
                talks.append((id_, users, world.goals[id_], world.grounded(id_, turns), parts))
            records += _records(source, talks, world.tasks, world.scorer)
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
            tasks: Mapping[str, Task] = {}
            if scorer.options.resolved.goals is None:
                with suppress(InputError):
                    tasks = load_tasks(scorer.benchmark.name)
            talks = []
            for id_, parts in dialogues.parts.items():
                users = [user or "" for user in dialogues.users[id_]]
                goal, outcome = dialogues.goals[id_], dialogues.outcomes[id_]
                talks.append((id_, users, goal, outcome, parts))
            records += _records(name, talks, tasks, scorer)
    if json_target is not None:
        write_json(json_target, records)
    if json_target != STANDARD_STREAM:
        click.echo(formatted([_table(records)], format_), nl=False)


_Dialogue: TypeAlias = tuple[
    str, Sequence[str], Mapping[str, Goal], GroundedDialogue, Mapping[str, UserPart]
]
"""Its id, what the user says, the goal, how it is met, and what the user did."""


def _people(id_: str, goal: Mapping[str, Goal], words: str, scorer: Scorer) -> Counter[str]:
    """Return what people did on a goal; nothing where none talked, or on another goal."""
    human = scorer.benchmark.dialogues.get(id_)
    if human is None or not (human.users and human.responses):
        return Counter()
    constraints = {domain: wanted.informable for domain, wanted in goal.items()}
    if constraints != {domain: wanted.informable for domain, wanted in human.goal.items()}:
        return Counter()
    database, plain = database_of(scorer), delexicaliser_of(scorer)
    users, responses = human.users, human.responses
    outcome = ground(responses, goal, database, plain, users=users)
    parts = user_parts(users, responses, goal, outcome, database, plain, scorer.rules)
    return user_counts(users, goal, outcome, parts, words)


def user_counts(
    users: Sequence[str],
    goal: Mapping[str, Goal],
    outcome: GroundedDialogue,
    parts: Mapping[str, UserPart],
    instructions: str,
) -> Counter[str]:
    """Return what the user of a dialogue did, and of how many things, as `RATES` names them.

    Args:
        users: What it says, turn by turn.
        goal: Domain -> what it wants.
        outcome: How the responses meet that.
        parts: Domain -> what it did.
        instructions: The goal in words, as it got it; empty where they are not known.
    """
    counts = Counter(dialogues=1, turns=len(users), instructed=bool(instructions))
    for domain, wanted in goal.items():
        part = parts[domain]
        counts["constraints"] += len(wanted.informable) + len(wanted.booking)
        counts["requests"] += len(wanted.requests)
        for name in ("never_said", "said_otherwise", "never_asked", "invented"):
            counts[name] += len(getattr(part, name))
        if outcome.domains[domain].venues:
            counts["offers"] += 1
            counts["unfit_accepted"] += not part.inform
    instructed = " ".join(re.findall(r"\w+", instructions.lower()))
    for text in users:
        sentences = [re.findall(r"\w+", sentence) for sentence in split_sentences(text.lower())]
        long = [" ".join(words) for words in sentences if len(words) >= _FEWEST_COPIED]
        counts["copied"] += any(words in instructed for words in long)
        counts["should"] += re.search(r"\bshould\b", text, re.IGNORECASE) is not None
    return counts


def _records(
    source: str, dialogues: Iterable[_Dialogue], tasks: Mapping[str, Task], scorer: Scorer
) -> Iterator[dict[str, Any]]:
    """Yield the figures of a file's users, and of people on the same goals, if any talked.

    They are `RATES` in percent; None of what is not known.

    Args:
        source: What messages call the file.
        dialogues: Its dialogues, in one trial or several.
        tasks: The tasks that they are of, as far as that is known.
        scorer: Has the benchmark.
    """
    ours: Counter[str] = Counter()
    people: dict[str, Counter[str]] = {}
    for id_, users, goal, outcome, parts in dialogues:
        words = " ".join(tasks[id_].message) if id_ in tasks else ""
        ours += user_counts(users, goal, outcome, parts, words)
        if id_ not in people:
            people[id_] = _people(id_, goal, words, scorer)
    for who, counts in (("file", ours), ("people", sum(people.values(), Counter()))):
        if not counts:
            continue
        record = {"file": source, "users": who, "dialogues": counts["dialogues"]}
        for name, whole in RATES.items():
            record[name] = percent(counts[name], counts[whole]) if counts[whole] else None
        if counts["instructed"] < counts["dialogues"]:
            record["copied"] = None
        yield record


def _table(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return the table: a row for the users of each file, and one for people on its goals."""
    sources = [record["file"] for record in records if record["users"] == "file"]
    names = dict(zip(sources, short_names(sources), strict=True))
    rows = []
    for record in records:
        name = names[record["file"]]
        if record["users"] == "people":
            name = f"people, on {record['dialogues']} of these goals"
        rows.append([name, str(record["dialogues"]), *(figure(record[rate]) for rate in RATES)])
    terms = [term_of("users", rate) for rate in RATES]
    headers = ["users", "dialogues", *(term.title for term in terms)]
    notes = [f"{term.title}: {term.meaning} ({term.unit})" for term in terms]
    return Table("users", "How good users are", headers, rows, records, notes)
