"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..benchmark import CANONICAL_STYLE
from ..diagnosis.causes import CAUSES, SLOT_CAUSES
from ..diagnosis.diagnosing import Diagnosis, GroundedDiagnosis, diagnose, what_if
from ..diagnosis.diagnosis_text import GROUNDED_CAUSES, diagnosis_text, grounded_text
from ..diagnosis.dialogue_text import dialogue_text, grounded_dialogue_text
from ..errors import InputError
from ..io.files import shown_name
from ..io.rendering import printable
from ..metrics.grounded_scores import plain_dialogues, played_ceiling, rated_dialogues
from ..metrics.played import Played
from ..scoring import Options, Scorer
from ..scoring.predictions import MADE, Predictions, played_predictions
from ..submission.checking import dialogue_id
from ..submission.notations import DOMAINS
from . import option, tell
from .reading import corpus_name, played_free_running, read_submissions, short_names

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase


@click.command(
    "why",
    help="Explain where PREDICTIONS (as for `mwz score`) lose Inform and Success in the strict "
    "set-up: one cause for every goal domain that is not matched and every requested slot that "
    "is not provided. With --lexicalised, the same of grounded Inform and Success before that.",
)
@option.several_predictions
@click.option("--domain", type=click.Choice(DOMAINS), help="Show one domain only.")
@click.option(
    "--cause",
    type=click.Choice([*CAUSES, *SLOT_CAUSES, *GROUNDED_CAUSES]),
    metavar="CAUSE",
    help=f"Show one cause only: {', '.join([*CAUSES, *SLOT_CAUSES])}. Of grounded scores: "
    f"{'; '.join(GROUNDED_CAUSES)}.",
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
@option.corpus
@option.lexicalised
@option.free_running
@click.option(
    "--goals",
    metavar="FILE.json",
    help="With --free-running: goals in place of the benchmark's, as for `mwz score`.",
)
@option.domains
@option.states
@option.benchmark
@option.rules
@option.placeholders
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
    diagnoses = _diagnoses(predictions, corpus, benchmark, options)
    views = {} if wanted is None else {n: _view(n, d, wanted) for n, d in diagnoses.items()}
    if plot is not None:
        from ..diagnosis.diagnosis_plots import plot_causes

        outcomes = [each.outcomes for each in diagnoses.values()]
        plot_causes(dict(zip(short_names(list(diagnoses)), outcomes, strict=True)), plot)
    for name, diagnosis in diagnoses.items():
        parts = [_grounded(name, diagnosis.played, shown)] if lexicalised else []
        if wanted is not None:
            parts.append(views[name])
        elif cause not in GROUNDED_CAUSES:
            ways = what_if(diagnosis.played)
            parts.append(diagnosis_text(diagnosis, ways, domain, cause, limit))
        if lexicalised and all(parts[:2]) and parts[1:]:
            parts.insert(1, "The same responses, delexicalised by the harness:")
        text = "\n\n".join(filter(None, parts))
        click.echo(printable(f"{name}\n{text}\n" if len(diagnoses) > 1 else text))


def _diagnoses(
    files: Sequence[str], corpus: str | None, benchmark: str | None, options: Options
) -> dict[str, Diagnosis]:
    """Return what to call each file, and the corpus, and its diagnosis; tell what there is to."""
    loaded, read = read_submissions(files, benchmark, "explaining by", options)
    named: dict[str, Predictions] = dict(zip(files, read, strict=True))
    if corpus is not None:
        named = {f"corpus ({corpus})": corpus_name(corpus, options.lexicalised), **named}
    scorer = Scorer(loaded, options)
    diagnoses = {}
    for name, predictions in named.items():
        source = MADE if isinstance(predictions, str) else shown_name(name)
        found = played_predictions(scorer, predictions, source)
        tell(source, found.remarks)
        diagnoses[name] = diagnose(found.played)
    return diagnoses


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
    if cause in GROUNDED_CAUSES and not lexicalised:
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
        asked = cause is None or cause in GROUNDED_CAUSES
        return grounded_text(diagnosis, shown.domain, cause, shown.limit) if asked else ""
    id_ = wanted if wanted in diagnosis.dialogues else dialogue_id(wanted)
    text = grounded_dialogue_text(diagnosis, id_, database)
    if text is None:
        first = next(iter(diagnosis.dialogues), "none")
        raise InputError(
            name, f"dialogue {wanted} is not played; the first that is played is {first}"
        )
    return text


def _free_running(
    file: str,
    goals: str | None,
    options: Options,
    benchmark: str | None,
    shown: _Shown,
) -> str:
    from ..scoring.free_running import free_running_ceiling  # pydantic takes its time

    run, scorer = played_free_running(file, goals, benchmark, "explaining by", options)
    human = free_running_ceiling(run, scorer)
    diagnosis = GroundedDiagnosis(run.dialogues, run.rated, run.users, human)
    return _grounded_text(file, diagnosis, scorer.database(), shown)


def _view(name: str, diagnosis: Diagnosis, wanted: str) -> str:
    text = dialogue_text(diagnosis, dialogue_id(wanted))
    if text is None:
        known = dialogue_id(wanted) in diagnosis.played.benchmark.dialogues
        first = next((outcome.id for outcome in diagnosis.outcomes), "none")
        where = "is not played" if known else "is not in the benchmark"
        raise InputError(name, f"dialogue {wanted} {where}; the first that is played is {first}")
    return text
