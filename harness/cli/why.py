"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from tqdm import tqdm

from ..benchmark import CANONICAL_STYLE
from ..board import PORT
from ..diagnosis.causes import CAUSES, SLOT_CAUSES
from ..diagnosis.diagnosing import (
    Diagnosis,
    GroundedDiagnosis,
    diagnose,
    diagnose_grounded,
    what_if,
)
from ..diagnosis.diagnosis_text import GROUNDED_CAUSES, diagnosis_text, grounded_text
from ..diagnosis.dialogue_text import dialogue_text, grounded_dialogue_text, turn_text
from ..errors import InputError
from ..io.files import short_names, shown_name, write_atomically
from ..io.rendering import printable
from ..scoring import Options, Scorer
from ..scoring.predictions import Predictions, played_predictions
from ..submission.checking import dialogue_id
from ..submission.notations import DOMAINS
from . import option, tell
from .reading import corpus_name, is_file_of_plays, played_free_running, read_submissions
from .serving import dialogue_site, serve_pages

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

_PAGES = ("serve", "html")
_NOT_PAGES = ("plot", "wanted", "lexicalised", "domain", "cause", "limit")


@click.command("why")
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
    "--turn",
    metavar="N",
    type=click.IntRange(min=0),
    help="With --dialogue: show this turn only, from 0, of all PREDICTIONS side by side.",
)
@option.flag(
    "--venue-ids",
    help="With --dialogue: show the ids of the venues that fit the goal, and of those offered.",
)
@click.option(
    "--plot",
    metavar="FILE.svg|png|pdf",
    help="Draw the causes by domain, several PREDICTIONS side by side.",
)
@option.serve("Show all dialogues of all PREDICTIONS side by side, as web pages")
@click.option(
    "--html",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write these pages to a folder, which needs no server.",
)
@option.corpus
@option.lexicalised
@option.free_running
@option.skip_missing_goals
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
@option.reading
def command(
    *,
    predictions: Sequence[str],
    domain: str | None,
    cause: str | None,
    limit: int,
    wanted: str | None,
    turn: int | None,
    venue_ids: bool,
    plot: str | None,
    serve: int | None,
    html: Path | None,
    corpus: str | None,
    lexicalised: bool,
    free_running: bool,
    goals: str | None,
    benchmark: str | None,
    **how: Any,
) -> None:
    """Explain where PREDICTIONS (as for `mwz score`) lose Inform and Success in the strict
    set-up: one cause for every goal domain that is not matched and every requested slot that is
    not provided. With --lexicalised, the same of grounded Inform and Success before that.
    """
    free_running = free_running or any(map(is_file_of_plays, predictions))
    option.refuse(
        {
            "give PREDICTIONS, or --corpus [STYLE], or both": not predictions and corpus is None,
            "--free-running needs PREDICTIONS, and no --plot": free_running
            and not (predictions and corpus is None and plot is None),
            "--goals goes with --free-running": goals is not None and not free_running,
            "--turn and --venue-ids go with --dialogue, and not with --free-running": (
                turn is not None or venue_ids
            )
            and (wanted is None or free_running),
            "--domain, --cause and --limit go without --dialogue": wanted is not None
            and any(map(option.given, ("domain", "cause", "limit"))),
            "--turn goes with neither --lexicalised nor --plot": turn is not None
            and (lexicalised or plot is not None),
            "--serve and --html go without files of `mwz play` and --free-running": free_running
            and any(map(option.given, _PAGES)),
            "--serve and --html go without each other, --plot, --dialogue, --lexicalised, "
            "--domain, --cause and --limit": any(map(option.given, _PAGES))
            and sum(map(option.given, _PAGES + _NOT_PAGES)) > 1,
            "--lexicalised takes --corpus without a style": lexicalised
            and corpus not in (None, CANONICAL_STYLE),
            f"--cause {cause!r} is one of grounded scores; add --lexicalised": not lexicalised
            and cause in GROUNDED_CAUSES,
        }
    )
    options = Options(
        setup="strict",
        metrics=["inform"],
        lexicalised=lexicalised,
        free_running=free_running,
        goals=goals or "all",
        **how,
    )
    lexicalised = options.lexicalised
    view = _View(wanted, venue_ids, domain, cause, limit, lexicalised)
    if free_running:
        texts = [(file, _free_running(file, options, benchmark, view)) for file in predictions]
    else:
        diagnoses = _diagnoses(predictions, corpus, benchmark, options)
        named = dict(zip(short_names(list(diagnoses)), diagnoses.values(), strict=True))
        if serve is not None or html is not None:
            _show(named, serve, html)
            return
        if wanted is not None and turn is not None:
            click.echo(printable(turn_text(named, dialogue_id(wanted), turn, venue_ids)))
            return
        texts = [(name, view.text(name, diagnosis)) for name, diagnosis in diagnoses.items()]
        if plot is not None:
            from ..diagnosis.diagnosis_plots import plot_causes

            plot_causes({name: each.results for name, each in named.items()}, plot)
    for name, text in texts:
        click.echo(printable(f"{name}\n{text}\n" if len(texts) > 1 else text))


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
        source = name if isinstance(predictions, str) else shown_name(name)
        found = played_predictions(scorer, predictions, source)
        tell(source, found.remarks)
        diagnoses[name] = diagnose(found.played)
    return diagnoses


def _show(diagnoses: Mapping[str, Diagnosis], port: int | None, html: Path | None) -> None:
    """Show dialogues as pages: write them to a folder, or serve them."""
    made = dialogue_site(diagnoses)
    if html is None:
        serve_pages(made, PORT if port is None else port, "the dialogues")
        return
    for path in tqdm(made, "writing", unit="page", disable=None):
        write_atomically(html / path, made[path])
    click.echo(f"{html / 'index.html'}: {len(made)} files")


def _free_running(file: str, options: Options, benchmark: str | None, view: _View) -> str:
    from ..scoring.free_running import free_running_ceiling  # pydantic takes its time

    run, scorer = played_free_running(file, benchmark, "explaining by", options)
    human = free_running_ceiling(run, scorer)
    diagnosis = GroundedDiagnosis(run.dialogues, run.rated, run.users, human)
    return view.grounded(file, diagnosis, scorer.database())


@dataclass(frozen=True)
class _View:
    """What is shown of diagnoses: the values of the options of these names."""

    dialogue: str | None
    venue_ids: bool
    domain: str | None
    cause: str | None
    limit: int
    lexicalised: bool

    def text(self, name: str, diagnosis: Diagnosis) -> str:
        """Return what is shown of a file; of plain English, its grounded scores come first."""
        parts = [self._plain(name, diagnosis)]
        played = diagnosis.played
        if self.lexicalised:
            parts.insert(0, self.grounded(name, diagnose_grounded(played), played.database()))
            if all(parts):
                parts.insert(1, "The same responses, delexicalised by the harness:")
        return "\n\n".join(filter(None, parts))

    def _plain(self, name: str, diagnosis: Diagnosis) -> str:
        if self.dialogue is not None:
            id_ = dialogue_id(self.dialogue)
            text = dialogue_text(diagnosis, id_, self.venue_ids)
            known = id_ in diagnosis.played.benchmark.dialogues
            first = next((result.id for result in diagnosis.results), None)
            return text or self._not_played(name, first, known)
        if self.cause in GROUNDED_CAUSES:
            return ""
        ways = what_if(diagnosis.played)
        return diagnosis_text(diagnosis, ways, self.domain, self.cause, self.limit)

    def grounded(self, name: str, diagnosis: GroundedDiagnosis, database: VenueDatabase) -> str:
        """Return what is shown of grounded scores; nothing where another cause is asked for."""
        if self.dialogue is not None:
            played = diagnosis.dialogues
            id_ = self.dialogue if self.dialogue in played else dialogue_id(self.dialogue)
            text = grounded_dialogue_text(diagnosis, id_, database)
            return text or self._not_played(name, next(iter(played), None))
        if self.cause is not None and self.cause not in GROUNDED_CAUSES:
            return ""
        return grounded_text(diagnosis, self.domain, self.cause, self.limit)

    def _not_played(self, name: str, first: str | None, known: bool = True) -> NoReturn:
        where = "is not played" if known else "is not in the benchmark"
        told = f"{where}; the first that is played is {first or 'none'}"
        raise InputError(name, f"dialogue {self.dialogue} {told}")
