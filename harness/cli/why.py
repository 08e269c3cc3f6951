"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Sequence

import click

from mwz.normalization.rules import rule_set

from ..benchmark import CANONICAL_STYLE, STYLES, Benchmark
from ..checking import dialogue_id
from ..diagnosis.causes import CAUSES, SLOT_CAUSES
from ..diagnosis.diagnosing import Diagnosis, diagnose
from ..diagnosis.diagnosis_text import diagnosis_text, dialogue_text
from ..diagnosis.dialogue_view import DialogueView, view_dialogue
from ..diagnosis.what_if import what_if
from ..errors import InputError
from ..notations import DOMAINS
from ..rendering import printable
from ..scoring import AUTO, Options, Scorer, choices
from ..submission import (
    NormalizedSubmission,
    made_submission,
    normalize_submission,
)
from .completion import complete_file
from .options import benchmark_option, rules_option
from .reading import read_submissions


@click.command(
    "why",
    help="Explain where PREDICTIONS (as for `mwz score`) lose Inform and Success in the strict "
    "set-up: one cause for every goal domain that is not matched and every requested slot that "
    "is not provided.",
)
@click.argument("predictions", metavar="[PREDICTIONS]...", nargs=-1, shell_complete=complete_file)
@click.option("--domain", type=click.Choice(DOMAINS), help="Show one domain only.")
@click.option(
    "--cause",
    type=click.Choice([*CAUSES, *SLOT_CAUSES]),
    metavar="CAUSE",
    help=f"Show one cause only: {', '.join([*CAUSES, *SLOT_CAUSES])}.",
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
def command(
    *,
    predictions: Sequence[str],
    domain: str | None,
    cause: str | None,
    limit: int,
    wanted: str | None,
    plot: str | None,
    corpus: str | None,
    domains: str,
    states: str,
    benchmark: str | None,
    rules: str,
) -> None:
    """Explain where submissions, or the corpus itself, lose Inform and Success."""
    if not predictions and corpus is None:
        raise click.UsageError("give PREDICTIONS, or --corpus [STYLE], or both")
    loaded, read = read_submissions(predictions, benchmark, "explaining by")
    options = Options(rules, "strict", domains, states, metrics=["inform"])
    scorer = Scorer(loaded, options)
    submissions = {
        **({} if corpus is None else {f"corpus ({corpus})": _corpus(corpus, loaded)}),
        **{
            file: normalize_submission(submission, rule_set(rules))
            for file, submission in zip(predictions, read, strict=True)
        },
    }
    diagnoses = {name: diagnose(scorer.played(each)) for name, each in submissions.items()}
    views = {} if wanted is None else {n: _view(n, d, wanted) for n, d in diagnoses.items()}
    if plot is not None:
        from ..diagnosis.diagnosis_plots import plot_causes

        plot_causes({name: each.outcomes for name, each in diagnoses.items()}, plot)
    for name, diagnosis in diagnoses.items():
        if wanted is not None:
            text = dialogue_text(views[name])
        else:
            text = diagnosis_text(diagnosis, what_if(diagnosis.played), domain, cause, limit)
        click.echo(printable(f"{name}\n{text}\n" if len(diagnoses) > 1 else text))


def _corpus(style: str, benchmark: Benchmark) -> NormalizedSubmission:
    if style not in STYLES:
        raise InputError("--corpus", f"no style {style!r}; use one of {', '.join(STYLES)}")
    return made_submission(benchmark, style)


def _view(name: str, diagnosis: Diagnosis, wanted: str) -> DialogueView:
    view = view_dialogue(diagnosis, dialogue_id(wanted))
    if view is None:
        known = dialogue_id(wanted) in diagnosis.played.benchmark.dialogues
        first = next((outcome.id for outcome in diagnosis.outcomes), "none")
        where = "is not played" if known else "is not in the benchmark"
        raise InputError(name, f"dialogue {wanted} {where}; the first that is played is {first}")
    return view
