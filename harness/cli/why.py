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
from ..io import printable, short_names, write_atomically
from ..scoring import Options, Scorer, played_predictions
from ..submission import DOMAINS, dialogue_id
from . import option, tell
from .reading import chosen_benchmark, read_outputs, read_plays

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
    f"{', '.join(_STRICT_CAUSES)}; with --lexicalised, also one of grounded scores; of plays, one "
    "that the command shows.",
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
    not provided. With --lexicalised, the same of grounded Inform and Success before that. Of plays
    (files of `mwz play`, entries of the track live): one cause for every task that is not solved,
    what the user did wrong, and --dialogue and --html beside the scripted baseline.
    """
    plays = read_plays(predictions, benchmark)
    selected = domain is not None or cause is not None
    pages = html is not None or serve is not None
    option.refuse(
        {
            "--turn goes with --dialogue": turn is not None and dialogue is None,
            "--domain and --cause go without --dialogue": selected and dialogue,
            "--html and --serve go without each other, --dialogue, --domain and --cause": pages
            and (None not in (html, serve) or dialogue or selected),
            "--turn is not for plays": plays and turn is not None,
        }
    )
    if plays:
        option.of_plays("predictions", "dialogue", "domain", "cause", "html", "serve", "benchmark")
        _explain_plays(plays, dialogue, domain, cause, html, serve)
        return
    grounded = _grounding().CAUSES if lexicalised else ()
    if cause not in (None, *_STRICT_CAUSES, *grounded):
        more = "" if grounded else "; add --lexicalised for those of grounded scores"
        raise InputError("--cause", unknown("cause", cause, (*_STRICT_CAUSES, *grounded)) + more)
    options = Options(setup="strict", metrics=["inform"], lexicalised=lexicalised, **how)
    diagnoses = _diagnoses(predictions, benchmark, options)
    if pages or turn is not None:
        named = dict(zip(short_names([*diagnoses]), diagnoses.values(), strict=True))
        if dialogue is not None and turn is not None:
            click.echo(printable(turn_text(named, dialogue_id(dialogue), turn)))
        else:
            _show_pages(_pages().pages_of_dialogues(named), html, serve)
        return
    _show([(file, _text(file, one, dialogue, domain, cause)) for file, one in diagnoses.items()])


def _show(texts: Sequence[tuple[str, str]]) -> None:
    """Print texts, of several each below its name."""
    for name, text in texts:
        click.echo(printable(f"{name}\n{text}\n" if len(texts) > 1 else text))


def _explain_plays(
    plays: Sequence[tuple[str, Any]],
    dialogue: str | None,
    domain: str | None,
    cause: str | None,
    html: Path | None,
    port: int | None,
) -> None:
    """Show why tasks of live dialogues are not solved."""
    explained = room("live.plays", "plays")
    causes = (*explained.CAUSES, *explained.USER_FAULTS)
    if cause not in (None, *causes):
        raise InputError("--cause", unknown("cause", cause, causes))
    if html is not None or port is not None:
        names = short_names([source for source, _ in plays])
        named = {name: one for name, (_, one) in zip(names, plays, strict=True)}
        _show_pages(_pages().pages_of(**explained.pages_of_plays(named)), html, port)
    elif dialogue is None:
        _show([(source, explained.why_text(one, domain, cause)) for source, one in plays])
    else:
        id_ = dialogue_id(dialogue)
        texts = [(source, explained.followed_text(one, id_), one) for source, one in plays]
        _show([(s, _of_played(s, dialogue, text, one.what.tasks)) for s, text, one in texts])


def _pages() -> Any:
    """Return what makes pages of dialogues."""
    return room("board.views.dialogue_pages", "--html")


def _grounding() -> Any:
    """Return what explains grounded scores."""
    return room("grounding.plain_dialogues", "--lexicalised")


def _diagnoses(
    names: Sequence[str], benchmark: str | None, options: Options
) -> dict[str, Diagnosis]:
    """Return what to call each of some outputs -> its diagnosis; print the remarks on them."""
    systems = [read_outputs(name) for name in names]
    loaded = chosen_benchmark(benchmark)
    diagnoses = {}
    for system in systems:
        scorer = Scorer(loaded, system.options(options))
        _, played, remarks = played_predictions(scorer, system.content, system.source)
        tell(system.source, remarks)
        diagnoses[system.name] = diagnose(played)
    return diagnoses


def _show_pages(dialogues: Mapping[str, Any], html: Path | None, port: int | None) -> None:
    """Show pages of dialogues: write them to a folder, or serve them."""
    pages = room("board.views.site_pages", "--html")
    site = pages.dialogue_site(dialogues)
    if html is None:
        pages.serve_pages(site, port, "the dialogues")
        return
    for path in tqdm(site, "writing", unit="page", disable=None):
        write_atomically(html / path, site[path]())
    click.echo(f"{html / 'index.html'}: {len(site)} files")


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
