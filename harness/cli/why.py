"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

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
from ..scoring import Options, Scorer, check_predictions, played_predictions
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
    explained: list[tuple[str, Any]] = list(plays)
    if not plays:
        options = Options(setup="strict", metrics=["inform"], lexicalised=lexicalised, **how)
        systems = [read_outputs(name) for name in predictions]
        loaded = chosen_benchmark(benchmark)
        for system in systems:
            scorer = Scorer(loaded, system.options(options))
            submission = check_predictions(scorer, system.content, system.source)
            _, played, remarks = played_predictions(scorer, submission)
            tell(system.source, remarks)
            explained.append((system.name, diagnose(played)))
    sources, outputs = zip(*explained, strict=True)
    named = dict(zip(short_names(sources), outputs, strict=True))
    if pages:
        _show_pages(named, bool(plays), html, serve)
        return
    if dialogue is not None and turn is not None:
        click.echo(printable(turn_text(named, dialogue_id(dialogue), turn)))
        return
    if plays:
        live = _live()
        causes = (*live.CAUSES, *live.USER_FAULTS)
    else:
        is_plain = any(diagnosis.played.submission.lexicalised for diagnosis in outputs)
        causes = (*_grounding().CAUSES, *_STRICT_CAUSES) if is_plain else _STRICT_CAUSES
    if cause is not None and cause not in causes:
        more = "" if plays or lexicalised else "; add --lexicalised for those of grounded scores"
        raise InputError("--cause", unknown("cause", cause, dict.fromkeys(causes)) + more)
    explain = _play_text if plays else _response_text
    texts = [explain(source, output, dialogue, domain, cause) for source, output in explained]
    for source, text in zip(sources, texts, strict=True):
        click.echo(printable(f"{source}\n{text}\n" if len(texts) > 1 else text))


def _live() -> ModuleType:
    return import_room("harness.live.causes", "plays")


def _grounding() -> ModuleType:
    return import_room("harness.grounding.plain_dialogues", "--lexicalised")


def _play_text(
    source: str, run: Any, dialogue: str | None, domain: str | None, cause: str | None
) -> str:
    """Return why tasks of live dialogues are not solved, or one of the dialogues turn by turn."""
    text: str
    if dialogue is None:
        text = _live().why_text(run, domain, cause)
    else:
        text = _live().followed_text(run, _played_id(source, dialogue, run.config.tasks))
    return text


def _response_text(
    source: str, diagnosis: Diagnosis, dialogue: str | None, domain: str | None, cause: str | None
) -> str:
    """Return why Inform and Success are lost, or one of the dialogues turn by turn.

    Of plain English, grounded scores come first. Scores that do not have the cause are left out.
    """
    texts = []
    plain = None
    if diagnosis.played.submission.lexicalised:
        plain = _grounding().diagnose(diagnosis.played)
    if dialogue is not None:
        id_ = _played_id(source, dialogue, [result.id for result in diagnosis.results])
        if plain is not None:
            texts.append(plain.dialogue_text(id_))
        texts.append(dialogue_text(diagnosis, id_))
    else:
        if plain is not None and (cause is None or cause in _grounding().CAUSES):
            texts.append(plain.text(domain, cause))
        if cause is None or cause in _STRICT_CAUSES:
            texts.append(diagnosis_text(diagnosis, domain, cause))
    return "\n\nThe same responses, delexicalised by the harness:\n\n".join(texts)


def _played_id(source: str, dialogue: str, played: Collection[str]) -> str:
    """Return the id of a dialogue.

    Raises:
        InputError: It is not among those that are played.
    """
    id_ = dialogue_id(dialogue)
    if id_ not in played:
        first = f"the first that is played is {next(iter(played), 'none')}"
        raise InputError(source, f"dialogue {dialogue} is not played; {first}")
    return id_


def _show_pages(
    named: Mapping[str, object], are_plays: bool, html: Path | None, port: int | None
) -> None:
    """Show pages of the dialogues of some outputs: write them to a folder, or serve them."""
    making = import_room("harness.board.views.dialogue_pages", "--html")
    pages = import_room("harness.board.views.site", "--html")
    if are_plays:
        dialogues = making.pages_of(**_live().pages_of_plays(named))
    else:
        dialogues = making.pages_of_dialogues(named)
    site = pages.dialogue_site(dialogues)
    if html is None:
        pages.serve_pages(site, port, "the dialogues")
        return
    for path in tqdm(site, "writing", unit="page", disable=None):
        write_atomically(html / path, site[path]())
    click.echo(f"{html / 'index.html'}: {len(site)} files")
