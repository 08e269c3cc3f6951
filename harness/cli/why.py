"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..benchmark import CANONICAL_STYLE, STYLES
from ..diagnosis.causes import CAUSES, SLOT_CAUSES
from ..diagnosis.diagnosing import Diagnosis, diagnose, what_if
from ..diagnosis.diagnosis_text import diagnosis_text, dialogue_text
from ..diagnosis.dialogue_view import DialogueView, view_dialogue
from ..diagnosis.grounded_diagnosis import (
    ALL_CAUSES,
    GroundedDiagnosis,
    grounded_dialogue_text,
    grounded_text,
    view_grounded,
)
from ..errors import InputError, unknown
from ..io.files import shown_name
from ..io.rendering import printable
from ..metrics.grounded_scores import plain_dialogues, played_ceiling, rated_dialogues
from ..metrics.played import Played
from ..scoring import AUTO, Options, Scorer, choices
from ..scoring.placeholder_guesses import unknown_cost
from ..submission import HUMAN, NormalizedSubmission, Submission
from ..submission.checking import dialogue_id
from ..submission.conversations import read_conversations
from ..submission.notations import DOMAINS
from . import tell
from .completion import complete_file
from .options import benchmark_option, placeholders_option, rules_option, short_names
from .reading import benchmark_chooser, read_submissions

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase


@click.command(
    "why",
    help="Explain where PREDICTIONS (as for `mwz score`) lose Inform and Success in the strict "
    "set-up: one cause for every goal domain that is not matched and every requested slot that "
    "is not provided. With --lexicalised, the same of grounded Inform and Success before that.",
)
@click.argument("predictions", metavar="[PREDICTIONS]...", nargs=-1, shell_complete=complete_file)
@click.option("--domain", type=click.Choice(DOMAINS), help="Show one domain only.")
@click.option(
    "--cause",
    type=click.Choice([*CAUSES, *SLOT_CAUSES, *ALL_CAUSES]),
    metavar="CAUSE",
    help=f"Show one cause only: {', '.join([*CAUSES, *SLOT_CAUSES])}. Of grounded scores: "
    f"{'; '.join(ALL_CAUSES)}.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Dialogues to show of each of the largest causes.",
)
@click.option("--dialogue", "wanted", metavar="ID", help="Follow one dialogue turn by turn.")
@click.option(
    "--plot",
    metavar="FILE.svg|png|pdf",
    help="Draw the causes by domain, several PREDICTIONS side by side.",
)
@click.option(
    "--corpus",
    is_flag=False,
    flag_value=CANONICAL_STYLE,
    metavar="[STYLE]",
    help="Explain the benchmark's own references of a style with gold states.",
)
@click.option(
    "--lexicalised",
    is_flag=True,
    help="The responses are plain English, as for `mwz score`: grounded scores are explained as "
    "well. With --corpus, the human responses as they were written.",
)
@click.option(
    "--free-running",
    is_flag=True,
    help="With --lexicalised: the dialogues are those with a user simulator, of any length. Only "
    "grounded scores are explained; what users say, `user` of a turn, is shown.",
)
@click.option(
    "--goals",
    metavar="FILE.json",
    help="With --free-running: goals in place of the benchmark's, as for `mwz score`.",
)
@click.option(
    "--domains",
    type=click.Choice(choices()["domains"]),
    default=AUTO,
    show_default=True,
    help="Where active domains come from, as for `mwz score`.",
)
@click.option(
    "--states",
    type=click.Choice(choices()["states"]),
    default=AUTO,
    show_default=True,
    help="Where belief states come from, as for `mwz score`.",
)
@benchmark_option
@rules_option
@placeholders_option
def command(
    *,
    predictions: Sequence[str],
    domain: str | None,
    cause: str | None,
    limit: int,
    wanted: str | None,
    plot: str | None,
    corpus: str | None,
    lexicalised: bool,
    free_running: bool,
    goals: str | None,
    domains: str,
    states: str,
    benchmark: str | None,
    rules: str,
    placeholders: str | None,
) -> None:
    """Explain where submissions, or the corpus itself, lose Inform and Success."""
    if not predictions and corpus is None:
        raise click.UsageError("give PREDICTIONS, or --corpus [STYLE], or both")
    if free_running and not (lexicalised and predictions and corpus is None and plot is None):
        raise click.UsageError("--free-running needs PREDICTIONS and --lexicalised, and no --plot")
    _check_options(lexicalised, free_running, goals, corpus, cause)
    shown = _Shown(wanted, domain, cause, limit)
    options = Options(
        *(rules, "strict", domains, states, ["inform"]),
        lexicalised=lexicalised,
        placeholders=placeholders,
    )
    if free_running:
        for file in predictions:
            text = _free_running(file, goals, options, benchmark, shown)
            click.echo(printable(f"{file}\n{text}\n" if len(predictions) > 1 else text))
        return
    loaded, read = read_submissions(predictions, benchmark, "explaining by")
    scorer = Scorer(loaded, options)
    _tell_costs(scorer, read)
    submissions = {
        **({} if corpus is None else {f"corpus ({corpus})": _corpus(corpus, scorer)}),
        **{
            file: scorer.normalized(submission)
            for file, submission in zip(predictions, read, strict=True)
        },
    }
    diagnoses = {name: diagnose(scorer.played(each)) for name, each in submissions.items()}
    views = {} if wanted is None else {n: _view(n, d, wanted) for n, d in diagnoses.items()}
    if plot is not None:
        from ..diagnosis.diagnosis_plots import plot_causes

        outcomes = [each.outcomes for each in diagnoses.values()]
        plot_causes(dict(zip(short_names(list(diagnoses)), outcomes, strict=True)), plot)
    for name, diagnosis in diagnoses.items():
        parts = [_grounded(name, diagnosis.played, shown)] if lexicalised else []
        if wanted is not None:
            parts.append(dialogue_text(views[name]))
        elif cause not in ALL_CAUSES:
            ways = what_if(diagnosis.played)
            parts.append(diagnosis_text(diagnosis, ways, domain, cause, limit))
        if lexicalised and all(parts[:2]) and parts[1:]:
            parts.insert(1, "The same responses, delexicalised by the harness:")
        text = "\n\n".join(filter(None, parts))
        click.echo(printable(f"{name}\n{text}\n" if len(diagnoses) > 1 else text))


def _tell_costs(scorer: Scorer, read: Sequence[Submission]) -> None:
    """Say what unknown placeholders may cost."""
    for submission in read:
        tell(submission.source, unknown_cost(scorer, submission))


@dataclass(frozen=True)
class _Shown:
    """What is to be shown: the values of the options of these names."""

    wanted: str | None
    domain: str | None
    cause: str | None
    limit: int


def _check_options(
    lexicalised: bool, free_running: bool, goals: str | None, corpus: str | None, cause: str | None
) -> None:
    """Refuse options that go with another one which is not there."""
    if goals is not None and not free_running:
        raise click.UsageError("--goals goes with --free-running")
    if lexicalised and corpus not in (None, CANONICAL_STYLE):
        raise click.UsageError("--lexicalised takes --corpus without a style")
    if cause in ALL_CAUSES and not lexicalised:
        raise click.UsageError(f"--cause {cause!r} is one of grounded scores; add --lexicalised")


def _grounded(name: str, played: Played, shown: _Shown) -> str:
    """Return the grounded part of an explanation; nothing where another cause is asked for."""
    dialogues = plain_dialogues(played)
    diagnosis = GroundedDiagnosis(
        dialogues,
        dict(zip(dialogues, rated_dialogues(played), strict=True)),
        {id_: played.benchmark.dialogues[id_].users for id_ in dialogues},
        played_ceiling(played),
    )
    return _grounded_text(name, diagnosis, played.database(), shown)


def _grounded_text(
    name: str, diagnosis: GroundedDiagnosis, database: VenueDatabase, shown: _Shown
) -> str:
    wanted, cause = shown.wanted, shown.cause
    if wanted is None:
        asked = cause is None or cause in ALL_CAUSES
        return grounded_text(diagnosis, shown.domain, cause, shown.limit) if asked else ""
    id_ = wanted if wanted in diagnosis.dialogues else dialogue_id(wanted)
    view = view_grounded(diagnosis, id_, database)
    if view is None:
        first = next(iter(diagnosis.dialogues), "none")
        raise InputError(
            name, f"dialogue {wanted} is not played; the first that is played is {first}"
        )
    return grounded_dialogue_text(view)


def _free_running(
    file: str,
    goals: str | None,
    options: Options,
    benchmark: str | None,
    shown: _Shown,
) -> str:
    # pydantic takes its time
    from ..scoring.free_running import free_running_ceiling, play_free_running, read_goals_file

    conversations = read_conversations(file)
    scorer = Scorer(benchmark_chooser(benchmark, "explaining by")(conversations), options)
    own = None if goals is None else read_goals_file(goals, scorer.rules)
    run = play_free_running(conversations, shown_name(file), scorer, own)
    human = free_running_ceiling(run, scorer)
    diagnosis = GroundedDiagnosis(run.dialogues, run.rated, run.users, human)
    return _grounded_text(file, diagnosis, scorer.database(), shown)


def _corpus(style: str, scorer: Scorer) -> NormalizedSubmission:
    if style == CANONICAL_STYLE and scorer.options.lexicalised:
        return scorer.made(HUMAN)
    if style not in STYLES:
        raise InputError("--corpus", unknown("style", style, STYLES))
    return scorer.made(style)


def _view(name: str, diagnosis: Diagnosis, wanted: str) -> DialogueView:
    view = view_dialogue(diagnosis, dialogue_id(wanted))
    if view is None:
        known = dialogue_id(wanted) in diagnosis.played.benchmark.dialogues
        first = next((outcome.id for outcome in diagnosis.outcomes), "none")
        where = "is not played" if known else "is not in the benchmark"
        raise InputError(name, f"dialogue {wanted} {where}; the first that is played is {first}")
    return view
