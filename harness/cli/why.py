"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

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
from ..errors import InputError, unknown
from ..io import printable, short_names, write_atomically
from ..rooms import import_room
from ..scoring import Options, Scorer, played_predictions
from ..submission import DOMAINS, dialogue_id
from . import option, tell
from .reading import chosen_benchmark, read_outputs, read_plays

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
    option.refuse_if(turn is not None and dialogue is None, "--turn goes with --dialogue")
    option.refuse_if(selected and dialogue, "--domain and --cause go without --dialogue")
    option.refuse_if(
        (html is not None and serve is not None) or (pages and (dialogue or selected)),
        "--html and --serve go without each other, --dialogue, --domain and --cause",
    )
    option.refuse_if(plays and turn is not None, "--turn is not for plays")
    if plays:
        option.accept_only(
            "predictions", "dialogue", "domain", "cause", "html", "serve", "benchmark"
        )
    options = Options(setup="strict", metrics=["inform"], lexicalised=lexicalised, **how)
    explained = plays or _diagnoses(predictions, benchmark, options)
    sources, outputs = zip(*explained, strict=True)
    named = dict(zip(short_names(sources), outputs, strict=True))
    if pages:
        making = import_room("harness.board.views.dialogue_pages", "--html")
        if plays:
            site = making.pages_of(**_live().pages_of_plays(named))
        else:
            site = making.pages_of_dialogues(named)
        _show_pages(site, html, serve)
        return
    if dialogue is not None and turn is not None:
        click.echo(printable(turn_text(named, dialogue_id(dialogue), turn)))
        return
    views = [_of_plays(output) if plays else _of_responses(output) for output in outputs]
    causes: dict[str, None] = {}
    for sorts_of_scores in views:
        for names, *_ in sorts_of_scores:
            causes.update(dict.fromkeys(names))
    if cause not in (None, *causes):
        more = "" if plays or lexicalised else "; add --lexicalised for those of grounded scores"
        raise InputError("--cause", unknown("cause", cause, causes) + more)
    texts = [
        _text(source, view, dialogue, domain, cause)
        for source, view in zip(sources, views, strict=True)
    ]
    for source, text in zip(sources, texts, strict=True):
        click.echo(printable(f"{source}\n{text}\n" if len(texts) > 1 else text))


_View: TypeAlias = tuple[
    Collection[str],
    Sequence[str],
    Callable[[str | None, str | None], str],
    Callable[[str], str],
]
"""What is shown of a sort of scores: its causes and the dialogues; what is lost in a domain, by a
cause, or for None in all; and one of the dialogues turn by turn."""


def _live() -> Any:
    """Return what explains plays."""
    return import_room("harness.live.plays", "plays")


def _of_plays(run: Any) -> list[_View]:
    """Return why tasks of live dialogues are not solved."""
    live = _live()
    texts = partial(live.why_text, run), partial(live.followed_text, run)
    return [((*live.CAUSES, *live.USER_FAULTS), run.config.tasks, *texts)]


def _of_responses(diagnosis: Diagnosis) -> list[_View]:
    """Return why Inform and Success are lost; of plain English, its grounded scores come first."""
    played = [result.id for result in diagnosis.results]
    texts = partial(diagnosis_text, diagnosis), partial(dialogue_text, diagnosis)
    views: list[_View] = [(_STRICT_CAUSES, played, *texts)]
    if diagnosis.played.submission.lexicalised:
        grounding = import_room("harness.grounding.plain_dialogues", "--lexicalised")
        plain = grounding.diagnose(diagnosis.played)
        views.insert(0, (grounding.CAUSES, played, plain.text, plain.dialogue_text))
    return views


def _text(
    source: str,
    views: Sequence[_View],
    dialogue: str | None,
    domain: str | None,
    cause: str | None,
) -> str:
    """Return the text of some outputs, without scores that do not have the cause."""
    if dialogue is None:
        texts = [lost(domain, cause) for causes, _, lost, _ in views if cause in (None, *causes)]
    else:
        id_, played = dialogue_id(dialogue), views[0][1]
        if id_ not in played:
            first = f"the first that is played is {next(iter(played), 'none')}"
            raise InputError(source, f"dialogue {dialogue} is not played; {first}")
        texts = [followed(id_) for *_, followed in views]
    return "\n\nThe same responses, delexicalised by the harness:\n\n".join(texts)


def _diagnoses(
    names: Sequence[str], benchmark: str | None, options: Options
) -> list[tuple[str, Diagnosis]]:
    """Return what to call each of some outputs, and its diagnosis; print the remarks on them."""
    systems = [read_outputs(name) for name in names]
    loaded = chosen_benchmark(benchmark)
    diagnoses = []
    for system in systems:
        scorer = Scorer(loaded, system.options(options))
        _, played, remarks = played_predictions(scorer, system.content, system.source)
        tell(system.source, remarks)
        diagnoses.append((system.name, diagnose(played)))
    return diagnoses


def _show_pages(dialogues: Mapping[str, Any], html: Path | None, port: int | None) -> None:
    """Show pages of dialogues: write them to a folder, or serve them."""
    pages = import_room("harness.board.views.site_pages", "--html")
    site = pages.dialogue_site(dialogues)
    if html is None:
        pages.serve_pages(site, port, "the dialogues")
        return
    for path in tqdm(site, "writing", unit="page", disable=None):
        write_atomically(html / path, site[path]())
    click.echo(f"{html / 'index.html'}: {len(site)} files")
