"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from tqdm import tqdm

from ..benchmark import Benchmark
from ..diagnosis import (
    CAUSES,
    SLOT_CAUSES,
    SLOT_ERRORS,
    Diagnosis,
    diagnose,
    diagnosis_text,
    dialogue_text,
    pages_of_states,
    tracked_text,
    turn_text,
)
from ..errors import InputError, Remark, unknown
from ..io import formatted, printable, short_names, write_atomically
from ..rooms import import_room
from ..scoring import (
    Options,
    Scorer,
    check_predictions,
    free_run_predictions,
    played_predictions,
)
from ..submission import DOMAINS, dialogue_id
from . import option, tell
from .dst import scored_files
from .reading import NamedOutputs, chosen_benchmark, read_outputs, read_plays
from .tracked_files import diagnosed_file, tracking_tables

_STRICT_CAUSES = (*CAUSES, *SLOT_CAUSES)
_FOR_FREE_RUNNING = (
    *("predictions", "dialogue", "domain", "cause"),
    *("free_running", "goals", "lexicalised", "benchmark", "rules"),
)
_FOR_PLAYS = ("predictions", "dialogue", "domain", "cause", "html", "serve", "benchmark")


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
    f"that the command shows; of states, {', '.join(SLOT_ERRORS)}.",
)
@click.option(
    "--gold",
    "gold_version",
    metavar="VERSION,…",
    help="Explain belief states, of any PREDICTIONS, by the gold states of these versions.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write web pages that show all dialogues of all PREDICTIONS side by side.",
)
@option.serve("Show these pages")
@option.lexicalised
@option.free_running
@option.goals_file
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
    benchmark: str | None,
    gold_version: str | None,
    **how: Any,
) -> None:
    """Explain where PREDICTIONS (as for `mwz score`) lose Inform and Success in the strict
    set-up: one cause for every goal domain that is not matched and every requested slot that is
    not provided. With --lexicalised, the same of grounded Inform and Success before that; with
    --free-running, of these alone, and whose fault it is: the agent's or the user's. Of plays
    (files of `mwz play`, entries of the track live): one cause for every task that is not solved,
    what the user did wrong, and --dialogue and --html beside the scripted baseline. Of trackers'
    files, or with --gold: which slots and values are wrong, and what each first error drags along.
    """
    is_free_running = how["free_running"]
    option.refuse_if(
        how["goals"] != "all" and not is_free_running, "--goals goes with --free-running"
    )
    plays = [] if is_free_running else read_plays(predictions, benchmark)
    selected = domain is not None or cause is not None
    pages = html is not None or serve is not None
    option.refuse_if(turn is not None and dialogue is None, "--turn goes with --dialogue")
    option.refuse_if(selected and dialogue, "--domain and --cause go without --dialogue")
    option.refuse_if(
        (html is not None and serve is not None) or (pages and (dialogue or selected)),
        "--html and --serve go without each other, --dialogue, --domain and --cause",
    )
    option.refuse_if(plays and turn is not None, "--turn is not for plays")
    systems = [] if plays else [read_outputs(name) for name in predictions]
    kind = "free-running"
    if not is_free_running:
        kind = "plays" if plays else _kind(systems, gold_version)
    explained: Sequence[tuple[str, Any]] = plays
    if kind == "plays":
        option.accept_only(*_FOR_PLAYS)
    elif kind == "states":
        option.accept_only(*_FOR_PLAYS, "gold_version", kind="states alone")
        scored = scored_files(systems, benchmark, gold_version, wanted=dialogue)
        if dialogue is not None:
            tables = tracking_tables(scored, wanted=dialogue)
            click.echo(printable(formatted(tables, "text")), nl=False)
            return
        explained = [(file.name, diagnosed_file(file)) for file in scored]
    elif kind == "free-running":
        option.accept_only(*_FOR_FREE_RUNNING, kind="free-running dialogues")
        explained = _free_running(systems, Options(**how), benchmark)
    else:
        options = Options(setup="strict", metrics=["inform"], **how)
        loaded = chosen_benchmark(benchmark)
        diagnosed = []
        for system in systems:
            diagnosis, remarks = diagnosis_of(system, options, loaded)
            tell(system.source, remarks)
            diagnosed.append((system.name, diagnosis))
        explained = diagnosed
    sources, outputs = zip(*explained, strict=True)
    named = dict(zip(short_names(sources), outputs, strict=True))
    if pages:
        _show_pages(named, kind, html, serve)
    elif dialogue is not None and turn is not None:
        click.echo(printable(turn_text(named, dialogue_id(dialogue), turn)))
    else:
        _check_cause(cause, kind, outputs, how["lexicalised"])
        explain = _EXPLAIN[kind]
        for source, output in explained:
            text = explain(source, output, dialogue, domain, cause)
            click.echo(printable(f"{source}\n{text}\n" if len(explained) > 1 else text))


def _kind(systems: Sequence[NamedOutputs], gold_version: str | None) -> str:
    """Return what is explained: "responses", or "states" alone.

    Raises:
        InputError: Some outputs are a tracker's and others are not, and no gold states are named.
    """
    if gold_version is not None:
        return "states"
    trackers = [system for system in systems if system.is_tracker()]
    if trackers and len(trackers) < len(systems):
        problem = "has states alone, and others have not; --gold explains the states of all"
        raise InputError(trackers[0].source, problem)
    return "states" if trackers else "responses"


def diagnosis_of(
    system: NamedOutputs, options: Options, benchmark: Benchmark
) -> tuple[Diagnosis, Sequence[Remark]]:
    """Return why a system loses Inform and Success, and the remarks on its outputs."""
    scorer = Scorer(benchmark, system.options(options))
    submission = check_predictions(scorer, system.content, system.source)
    _, played, remarks = played_predictions(scorer, submission)
    return diagnose(played), remarks


def _free_running(
    systems: Sequence[NamedOutputs], options: Options, benchmark: str | None
) -> list[tuple[str, Any]]:
    """Return the name and the free-running dialogues of each system; remarks are printed."""
    loaded = chosen_benchmark(benchmark)
    played = []
    for system in systems:
        scorer = Scorer(loaded, system.options(options))
        _, dialogues = free_run_predictions(scorer, system.content, system.source)
        tell(system.source, dialogues.remarks)
        played.append((system.name, dialogues))
    return played


def _check_cause(cause: str | None, kind: str, outputs: Sequence[Any], lexicalised: bool) -> None:
    """Make sure that outputs of a kind can have a cause.

    Raises:
        InputError: They cannot.
    """
    causes: Sequence[str] = _STRICT_CAUSES
    more = ""
    if kind == "plays":
        causes = (*_live().CAUSES, *_grounding().LOST_BY)
    elif kind == "states":
        causes = SLOT_ERRORS
    elif kind == "free-running":
        causes = (*_grounding().CAUSES, *_grounding().LOST_BY)
    elif any(diagnosis.played.submission.lexicalised for diagnosis in outputs):
        causes = (*_grounding().CAUSES, *_STRICT_CAUSES)
    elif not lexicalised:
        more = "; add --lexicalised for those of grounded scores"
    if cause is not None and cause not in causes:
        raise InputError("--cause", unknown("cause", cause, dict.fromkeys(causes)) + more)


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


def _free_text(
    source: str, played: Any, dialogue: str | None, domain: str | None, cause: str | None
) -> str:
    """Return why free-running dialogues are lost and by whom, or one of them turn by turn."""
    text: str
    if dialogue is None:
        text = played.text(domain, cause)
    else:
        text = played.dialogue_text(_played_id(source, dialogue, played.outcomes))
    return text


def _state_text(
    source: str, diagnosis: Any, dialogue: str | None, domain: str | None, cause: str | None
) -> str:
    """Return why joint goal accuracy is lost."""
    return tracked_text(diagnosis, domain, cause)


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


_EXPLAIN = {
    "plays": _play_text,
    "free-running": _free_text,
    "states": _state_text,
    "responses": _response_text,
}


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


def _show_pages(named: Mapping[str, Any], kind: str, html: Path | None, port: int | None) -> None:
    """Show pages of the dialogues of some outputs: write them to a folder, or serve them."""
    making = import_room("harness.board.views.dialogue_pages", "--html")
    pages = import_room("harness.board.views.site", "--html")
    if kind == "plays":
        dialogues = making.pages_of(**_live().pages_of_plays(named), kind=kind)
    elif kind == "states":
        dialogues = making.pages_of(**pages_of_states(named), kind=kind)
    else:
        dialogues = making.pages_of_dialogues(named)
    site = pages.dialogue_site(dialogues)
    if html is None:
        pages.serve_pages(site, port, "the dialogues")
        return
    for path in tqdm(site, "writing", unit="page", disable=None):
        write_atomically(html / path, site[path]())
    click.echo(f"{html / 'index.html'}: {len(site)} files")
