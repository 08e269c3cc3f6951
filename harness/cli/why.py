"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from tqdm import tqdm

from ..diagnosis import (
    CAUSES,
    SLOT_CAUSES,
    Diagnosis,
    diagnose,
    diagnosis_text,
    dialogue_text,
    turn_text,
)
from ..errors import InputError, room, unknown
from ..io import printable, short_names, shown_name, write_atomically
from ..scoring import Options, Scorer, played_predictions
from ..submission import DOMAINS, dialogue_id, is_file_of_plays, read_predictions
from . import option, tell
from .reading import benchmark_chooser, dialogues_of, read_outputs

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

_STRICT_CAUSES = (*CAUSES, *SLOT_CAUSES)


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
    help="Show one cause only, and all dialogues that it costs: "
    f"{', '.join(_STRICT_CAUSES)}; with --lexicalised, also one of grounded scores.",
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
    selected = domain is not None or cause is not None
    pages = html is not None or serve is not None
    option.refuse(
        {
            "--turn goes with --dialogue": turn is not None and dialogue is None,
            "--domain and --cause go without --dialogue": selected and dialogue,
            "--html and --serve go without each other, --dialogue, --domain and --cause": pages
            and (None not in (html, serve) or dialogue or selected),
            "--turn, --html and --serve are not for files of `mwz play`": plays
            and (pages or turn is not None),
        }
    )
    grounded = _grounding().CAUSES if lexicalised or plays else ()
    if cause not in (None, *_STRICT_CAUSES, *grounded):
        more = "" if grounded else "; add --lexicalised for those of grounded scores"
        raise InputError("--cause", unknown("cause", cause, (*_STRICT_CAUSES, *grounded)) + more)
    options = Options(setup="strict", metrics=["inform"], lexicalised=lexicalised, **how)
    others = [file for file in predictions if file not in plays]
    diagnoses = _diagnoses(others, benchmark, options) if others else {}
    if pages or turn is not None:
        named = dict(zip(short_names([*diagnoses]), diagnoses.values(), strict=True))
        if dialogue is not None and turn is not None:
            click.echo(printable(turn_text(named, dialogue_id(dialogue), turn)))
        else:
            _show_pages(named, html, serve)
        return
    texts = [(file, _play_text(file, benchmark, dialogue, domain, cause)) for file in plays]
    texts += [(file, _text(file, one, dialogue, domain, cause)) for file, one in diagnoses.items()]
    for name, text in texts:
        click.echo(printable(f"{name}\n{text}\n" if len(texts) > 1 else text))


def _grounding() -> Any:
    """Return what explains grounded scores."""
    return room("grounding.plain_dialogues", "--lexicalised")


def _diagnoses(
    names: Sequence[str], benchmark: str | None, options: Options
) -> dict[str, Diagnosis]:
    """Return what to call each of some outputs -> its diagnosis; print the remarks on them."""
    systems = [read_outputs(name) for name in names]
    contents = [one.parsed() for one in systems]
    loaded = benchmark_chooser(benchmark, "explaining by")(dialogues_of(contents))
    diagnoses = {}
    for system, content in zip(systems, contents, strict=True):
        scorer = Scorer(loaded, system.options(options))
        _, played, remarks = played_predictions(scorer, content, system.source)
        tell(system.source, remarks)
        diagnoses[system.name] = diagnose(played)
    return diagnoses


def _show_pages(diagnoses: Mapping[str, Diagnosis], html: Path | None, port: int | None) -> None:
    """Show dialogues as pages: write them to a folder, or serve them."""
    pages = room("board.views.site_pages", "--html")
    site = pages.dialogue_site(diagnoses)
    if html is None:
        pages.serve_pages(site, port, "the dialogues")
        return
    for path in tqdm(site, "writing", unit="page", disable=None):
        write_atomically(html / path, site[path]())
    click.echo(f"{html / 'index.html'}: {len(site)} files")


def _play_text(
    file: str, benchmark: str | None, dialogue: str | None, domain: str | None, cause: str | None
) -> str:
    """Return what is shown of a file of `mwz play`: why it loses grounded scores."""
    standard = read_predictions(file)
    loaded = benchmark_chooser(benchmark, "explaining by")(standard.dialogues)
    scorer = Scorer(loaded, Options(free_running=True))
    diagnosis = scorer.free_run(standard, shown_name(file))
    tell(shown_name(file), diagnosis.remarks)
    return _grounded_text(file, diagnosis, scorer.database(), dialogue, domain, cause)


def _text(
    name: str, diagnosis: Diagnosis, dialogue: str | None, domain: str | None, cause: str | None
) -> str:
    """Return what is shown of a file; of plain English, its grounded scores come first."""
    strict = _strict_text(name, diagnosis, dialogue, domain, cause)
    played = diagnosis.played
    if not played.submission.lexicalised:
        return strict
    of_grounded = _grounding().diagnose(played)
    grounded = _grounded_text(name, of_grounded, played.database(), dialogue, domain, cause)
    between = "The same responses, delexicalised by the harness:" if grounded and strict else ""
    return "\n\n".join(filter(None, (grounded, between, strict)))


def _strict_text(
    name: str, diagnosis: Diagnosis, dialogue: str | None, domain: str | None, cause: str | None
) -> str:
    """Return what is shown of Inform and Success; nothing for a cause of grounded scores."""
    if dialogue is not None:
        id_, benchmark = dialogue_id(dialogue), diagnosis.played.benchmark
        text = dialogue_text(diagnosis, id_)
        if text is not None:
            text = "\n".join([text, *benchmark.errata_of(id_)])
        return _of_played(name, dialogue, text, [result.id for result in diagnosis.results])
    return diagnosis_text(diagnosis, domain, cause) if cause in (None, *_STRICT_CAUSES) else ""


def _grounded_text(
    name: str,
    diagnosis: Any,
    database: VenueDatabase,
    dialogue: str | None,
    domain: str | None,
    cause: str | None,
) -> str:
    """Return what is shown of grounded scores; nothing for another cause."""
    if dialogue is not None:
        id_ = dialogue if dialogue in diagnosis.outcomes else dialogue_id(dialogue)
        text = diagnosis.dialogue_text(id_, database)
        return _of_played(name, dialogue, text, [*diagnosis.outcomes])
    return "" if cause in _STRICT_CAUSES else str(diagnosis.text(domain, cause))


def _of_played(name: str, dialogue: str, text: str | None, played: Sequence[str]) -> str:
    """Return what is shown of a dialogue, if it is one of those played."""
    if text is None:
        first = f"the first that is played is {played[0] if played else 'none'}"
        raise InputError(name, f"dialogue {dialogue} is not played; {first}")
    return text
