"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from tqdm import tqdm

from ..diagnosis import CAUSES, SLOT_CAUSES, Diagnosis, diagnose
from ..diagnosis.diagnosis_text import diagnosis_text
from ..diagnosis.dialogue_text import dialogue_text, turn_text
from ..errors import InputError, room, unknown
from ..io.files import short_names, write_atomically
from ..io.tables import printable
from ..scoring import Options, Scorer
from ..scoring.predictions import played_predictions
from ..submission import dialogue_id
from ..submission.notations import DOMAINS
from . import option, tell
from .reading import (
    benchmark_chooser,
    dialogues_of,
    is_file_of_plays,
    played_free_running,
    read_outputs,
)

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase


@click.command("why")
@option.several_predictions
@click.option("--dialogue", metavar="ID", help="Follow one dialogue turn by turn.")
@click.option(
    "--turn",
    metavar="N",
    type=click.IntRange(min=0),
    help="With --dialogue: show this turn only, from 0, of all PREDICTIONS side by side.",
)
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
@click.option(
    "--html",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write web pages that show all dialogues of all PREDICTIONS side by side.",
)
@option.serve("Show these pages")
@option.lexicalised
@option.benchmark
@option.rules
@option.placeholders
def command(
    *,
    predictions: Sequence[str],
    dialogue: str | None,
    turn: int | None,
    domain: str | None,
    cause: str | None,
    limit: int,
    html: Path | None,
    serve: int | None,
    lexicalised: bool,
    benchmark: str | None,
    **how: Any,
) -> None:
    """Explain where PREDICTIONS (as for `mwz score`) lose Inform and Success in the strict
    set-up: one cause for every goal domain that is not matched and every requested slot that is
    not provided. With --lexicalised, the same of grounded Inform and Success before that; of files
    of `mwz play`, only that.
    """
    plays = [file for file in predictions if is_file_of_plays(file)]
    selected = any(map(option.given, ("domain", "cause", "limit")))
    pages = [html, serve] != [None, None]
    option.refuse(
        {
            "give PREDICTIONS": not predictions,
            "--turn goes with --dialogue": turn is not None and dialogue is None,
            "--domain, --cause and --limit go without --dialogue": selected and dialogue,
            "--html and --serve go without each other, --dialogue, --domain, --cause and --limit": (
                pages and (None not in (html, serve) or dialogue or selected)
            ),
            "--turn, --html and --serve are not for files of `mwz play`": plays
            and (pages or turn is not None),
        }
    )
    if cause is not None and cause not in (causes := _causes(lexicalised or bool(plays))):
        more = "" if lexicalised else "; add --lexicalised for those of grounded scores"
        raise InputError("--cause", unknown("cause", cause, causes) + more)
    options = Options(setup="strict", metrics=["inform"], lexicalised=lexicalised, **how)
    others = [file for file in predictions if file not in plays]
    diagnoses = _diagnoses(others, benchmark, options) if others else {}
    if pages or turn is not None:
        named = dict(zip(short_names([*diagnoses]), diagnoses.values(), strict=True))
        if dialogue is not None and turn is not None:
            click.echo(printable(turn_text(named, dialogue_id(dialogue), turn)))
        else:
            _show(named, html, serve)
        return
    view = _View(dialogue, domain, cause, limit)
    texts = [(file, _of_play(file, benchmark, view)) for file in plays]
    texts += [(file, view.text(file, one)) for file, one in diagnoses.items()]
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
        _, played, remarks = played_predictions(scorer, content, system.source)
        tell(system.source, remarks)
        diagnoses[system.name] = diagnose(played)
    return diagnoses


def _show(diagnoses: Mapping[str, Diagnosis], html: Path | None, port: int | None) -> None:
    """Show dialogues as pages: write them to a folder, or serve them."""
    pages = room("board.views.site_pages", "--html")
    site = pages.DialogueSite(diagnoses)
    if html is None:
        pages.serve_pages(site, option.PORT if port is None else port, "the dialogues")
        return
    for path in tqdm(site, "writing", unit="page", disable=None):
        write_atomically(html / path, site[path])
    click.echo(f"{html / 'index.html'}: {len(site)} files")


def _of_play(file: str, benchmark: str | None, view: _View) -> str:
    """Return what is shown of a file of `mwz play`."""
    options = Options(free_running=True)
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
    """What is shown of a diagnosis: the values of the options of these names."""

    dialogue: str | None
    domain: str | None
    cause: str | None
    limit: int

    def text(self, name: str, diagnosis: Diagnosis) -> str:
        """Return what is shown of a file; of plain English, its grounded scores come first."""
        if not diagnosis.played.submission.lexicalised:
            return self.strict(name, diagnosis)
        played = diagnosis.played
        grounded = self.grounded(name, _grounding().diagnose(played), played.database())
        strict = self.strict(name, diagnosis)
        between = "The same responses, delexicalised by the harness:" if grounded and strict else ""
        return "\n\n".join(filter(None, (grounded, between, strict)))

    def strict(self, name: str, diagnosis: Diagnosis) -> str:
        """Return what is shown of Inform and Success; nothing for a cause of grounded scores."""
        if self.dialogue is not None:
            id_ = dialogue_id(self.dialogue)
            in_benchmark = id_ in diagnosis.played.benchmark.dialogues
            played = [result.id for result in diagnosis.results]
            return dialogue_text(diagnosis, id_) or self._not_played(name, played, in_benchmark)
        if self.cause not in (None, *_causes(lexicalised=False)):
            return ""
        return diagnosis_text(diagnosis, self.domain, self.cause, self.limit)

    def grounded(self, name: str, diagnosis: Any, database: VenueDatabase) -> str:
        """Return what is shown of grounded scores; nothing for another cause."""
        if self.dialogue is not None:
            played = [*diagnosis.dialogues]
            id_ = self.dialogue if self.dialogue in played else dialogue_id(self.dialogue)
            text = diagnosis.dialogue_text(id_, database)
            return str(text or self._not_played(name, played))
        if self.cause in _causes(lexicalised=False):
            return ""
        return str(diagnosis.text(self.domain, self.cause, self.limit))

    def _not_played(self, name: str, played: Sequence[str], in_benchmark: bool = True) -> NoReturn:
        where = "is not played" if in_benchmark else "is not in the benchmark"
        first = f"the first that is played is {played[0] if played else 'none'}"
        raise InputError(name, f"dialogue {self.dialogue} {where}; {first}")
