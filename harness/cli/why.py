"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from tqdm import tqdm

from ..diagnosis.causes import CAUSES, SLOT_CAUSES
from ..diagnosis.diagnosing import Diagnosis, diagnose, what_if
from ..diagnosis.diagnosis_text import diagnosis_text
from ..diagnosis.dialogue_text import dialogue_text, turn_text
from ..errors import InputError, unknown
from ..io.files import short_names, write_atomically
from ..io.rendering import printable
from ..io.rooms import room
from ..scoring import Options, Scorer
from ..scoring.predictions import played_predictions
from ..submission.checking import dialogue_id
from ..submission.notations import DOMAINS
from . import option, tell
from .reading import (
    benchmark_chooser,
    dialogues_of,
    is_file_of_plays,
    played_free_running,
    read_outputs,
)
from .serving import serve_pages

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

_PAGES = ("serve", "html")
_NOT_PAGES = ("plot", "wanted", "lexicalised", "domain", "cause", "limit")


@click.command("why")
@option.several_predictions
@click.option("--domain", type=click.Choice(DOMAINS), help="Show one domain only.")
@click.option(
    "--cause",
    metavar="CAUSE",
    help=f"Show one cause only: {', '.join([*CAUSES, *SLOT_CAUSES])}; with --lexicalised, also "
    "one of grounded scores.",
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
    turn: int | None,
    venue_ids: bool,
    plot: str | None,
    serve: int | None,
    html: Path | None,
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
            "--free-running goes without --plot": free_running and plot is not None,
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
    if cause is not None and cause not in (causes := _causes(lexicalised)):
        more = "" if lexicalised else "; add --lexicalised for those of grounded scores"
        raise InputError("--cause", unknown("cause", cause, causes) + more)
    view = _View(wanted, venue_ids, domain, cause, limit, lexicalised)
    if free_running:
        texts = [(file, _free_running(file, options, benchmark, view)) for file in predictions]
    else:
        diagnoses = _diagnoses(predictions, benchmark, options)
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
    names: Sequence[str], benchmark: str | None, options: Options
) -> dict[str, Diagnosis]:
    """Return what to call each of some outputs -> its diagnosis; print the remarks on them."""
    systems = [read_outputs(name) for name in names]
    contents = [one.standard(options) for one in systems]
    loaded = benchmark_chooser(benchmark, "explaining by")(dialogues_of(contents))
    diagnoses = {}
    for system, content in zip(systems, contents, strict=True):
        scorer = Scorer(loaded, system.options(options))
        played = played_predictions(scorer, content, system.source)
        tell(system.source, played.remarks)
        diagnoses[system.name] = diagnose(played.played)
    return diagnoses


def _show(diagnoses: Mapping[str, Diagnosis], port: int | None, html: Path | None) -> None:
    """Show dialogues as pages: write them to a folder, or serve them."""
    from ..board.views import DialogueSite

    made = DialogueSite(diagnoses)
    if html is None:
        serve_pages(made, option.PORT if port is None else port, "the dialogues")
        return
    for path in tqdm(made, "writing", unit="page", disable=None):
        write_atomically(html / path, made[path])
    click.echo(f"{html / 'index.html'}: {len(made)} files")


def _free_running(file: str, options: Options, benchmark: str | None, view: _View) -> str:
    run, scorer = played_free_running(file, benchmark, "explaining by", options)
    diagnosis = _grounding().diagnose_free_running(run, scorer)
    return view.grounded(file, diagnosis, scorer.database())


def _grounding() -> Any:
    """Return what explains grounded scores."""
    return room("grounding.explaining", "--lexicalised")


def _causes(lexicalised: bool) -> Sequence[str]:
    """Return the causes that can be asked for."""
    return (*CAUSES, *SLOT_CAUSES, *(_grounding().CAUSES if lexicalised else ()))


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
            parts.insert(0, self.grounded(name, _grounding().diagnose(played), played.database()))
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
        if self.cause is not None and self.cause not in _causes(lexicalised=False):
            return ""
        ways = what_if(diagnosis.played)
        return diagnosis_text(diagnosis, ways, self.domain, self.cause, self.limit)

    def grounded(self, name: str, diagnosis: Any, database: VenueDatabase) -> str:
        """Return what is shown of grounded scores; nothing where another cause is asked for."""
        if self.dialogue is not None:
            played = diagnosis.dialogues
            id_ = self.dialogue if self.dialogue in played else dialogue_id(self.dialogue)
            text = diagnosis.dialogue_text(id_, database)
            return str(text or self._not_played(name, next(iter(played), None)))
        if self.cause in _causes(lexicalised=False):
            return ""
        text = diagnosis.text(self.domain, self.cause, self.limit)
        return str(text)

    def _not_played(self, name: str, first: str | None, known: bool = True) -> NoReturn:
        where = "is not played" if known else "is not in the benchmark"
        told = f"{where}; the first that is played is {first or 'none'}"
        raise InputError(name, f"dialogue {self.dialogue} {told}")
