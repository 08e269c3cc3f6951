"""`mwz why`: explain where a system's outputs lose Inform and Success."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

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
from ..scoring import Options, Scorer, check_predictions, free_run_predictions, played_predictions
from ..submission import DOMAINS, dialogue_id
from . import option, tell
from .dst import scored_files
from .reading import NamedOutputs, chosen_benchmark, read_outputs, read_plays
from .tracked_files import ScoredFile, diagnosed_file, tracking_tables

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
    f"that the command shows, as of free-running dialogues; of states, {', '.join(SLOT_ERRORS)}.",
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
    (files of `mwz play`, entries of the track live): all causes of tasks that are not solved,
    whose fault it is, and --dialogue and --html beside the scripted baseline. Of trackers'
    files, or with --gold: which slots and values are wrong, and what each first error drags along.
    """
    is_free_running = how["free_running"]
    option.refuse_if(
        how["goals"] != "all" and not is_free_running, "--goals goes with --free-running"
    )
    inputs: Sequence[Any] = [] if is_free_running else read_plays(predictions, benchmark)
    name = "plays"
    selected = domain is not None or cause is not None
    pages = html is not None or serve is not None
    option.refuse_if(turn is not None and dialogue is None, "--turn goes with --dialogue")
    option.refuse_if(selected and dialogue, "--domain and --cause go without --dialogue")
    option.refuse_if(
        (html is not None and serve is not None) or (pages and (dialogue or selected)),
        "--html and --serve go without each other, --dialogue, --domain and --cause",
    )
    option.refuse_if(inputs and turn is not None, "--turn is not for plays")
    if not inputs:
        inputs = [read_outputs(file) for file in predictions]
        name = "free-running dialogues" if is_free_running else _kind(inputs, gold_version)
    kind = _KINDS[name]
    if kind.accepts:
        option.accept_only("predictions", "benchmark", *kind.accepts, kind=name)
    explained = kind.read(inputs, click.get_current_context().params)
    sources, outputs = zip(*explained, strict=True)
    named = dict(zip(short_names(sources), outputs, strict=True))
    if pages:
        assert kind.pages is not None, "the other kinds do not accept --html and --serve"
        _show_pages(kind.pages(named), html, serve)
        return
    if dialogue is not None and turn is not None:
        click.echo(printable(turn_text(named, dialogue_id(dialogue), turn)))
        return
    causes = kind.causes(outputs)
    if cause is not None and cause not in causes:
        raise InputError("--cause", unknown("cause", cause, dict.fromkeys(causes)) + kind.hint)
    for source, output in explained:
        if dialogue is None:
            text = kind.text(output, domain, cause)
        else:
            text = kind.dialogue_text(output, _played_id(source, dialogue, kind.ids(output)))
        click.echo(printable(f"{source}\n{text}\n" if len(explained) > 1 else text))


def _kind(systems: Sequence[NamedOutputs], gold_version: str | None) -> str:
    """Return what is explained: "responses", or "states alone".

    Raises:
        InputError: Some outputs are a tracker's and others are not, and no gold states are named.
    """
    if gold_version is not None:
        return "states alone"
    trackers = [system for system in systems if system.is_tracker()]
    if trackers and len(trackers) < len(systems):
        problem = "has states alone, and others have not; --gold explains the states of all"
        raise InputError(trackers[0].source, problem)
    return "states alone" if trackers else "responses"


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


def _show_pages(pages: Mapping[str, object], html: Path | None, port: int | None) -> None:
    """Show pages of dialogues: write them to a folder, or serve them."""
    making = import_room("harness.board.views.site", "--html")
    site = making.dialogue_site(pages)
    if html is None:
        making.serve_pages(site, port, "the dialogues")
        return
    for path in tqdm(site, "writing", unit="page", disable=None):
        write_atomically(html / path, site[path]())
    click.echo(f"{html / 'index.html'}: {len(site)} files")


def _live() -> ModuleType:
    return import_room("harness.live.causes", "plays")


def _grounding() -> ModuleType:
    return import_room("harness.grounding.plain_dialogues", "--lexicalised")


def _views() -> ModuleType:
    return import_room("harness.board.views.dialogue_pages", "--html")


# ------------------------------------------------------------------- the kinds of outputs


_Given: TypeAlias = Mapping[str, Any]
"""The parameters of the command."""

_Output: TypeAlias = Any
"""What explains the outputs of a system: a diagnosis, or what a room that may lack has of it."""


@dataclass(frozen=True)
class _Kind:
    """What is done with outputs of one kind.

    Attributes:
        accepts: The options that apply besides PREDICTIONS and --benchmark; empty: all.
        read: Given what was read and the parameters of the command, returns the name of each
            system and what explains it.
        causes: What --cause may be.
        ids: The dialogues that are played.
        text: Explains all, or those of one domain and cause.
        dialogue_text: Follows one dialogue.
        pages: Makes web pages; None if there are none.
        hint: What to do about an unknown cause.
    """

    accepts: Sequence[str]
    read: Callable[[Sequence[_Output], _Given], Sequence[tuple[str, _Output]]]
    causes: Callable[[Sequence[_Output]], Sequence[str]]
    ids: Callable[[_Output], Collection[str]]
    text: Callable[[_Output, str | None, str | None], str]
    dialogue_text: Callable[[_Output, str], str]
    pages: Callable[[Mapping[str, _Output]], Mapping[str, object]] | None = None
    hint: str = ""


_SCORING = ("free_running", "goals", "lexicalised", "rules", "placeholders")
"""The parameters of the command that say how to score."""


def _options(given: _Given, **more: object) -> Options:
    return Options(**{name: given[name] for name in _SCORING} | more)


def _free_running(systems: Sequence[NamedOutputs], given: _Given) -> list[tuple[str, _Output]]:
    """Return the free-running dialogues of each system; remarks are printed."""
    loaded = chosen_benchmark(given["benchmark"])
    played = []
    for system in systems:
        scorer = Scorer(loaded, system.options(_options(given)))
        _, dialogues = free_run_predictions(scorer, system.content, system.source)
        tell(system.source, dialogues.remarks)
        played.append((system.name, dialogues))
    return played


def _responses(systems: Sequence[NamedOutputs], given: _Given) -> list[tuple[str, _Output]]:
    """Return why each system loses Inform and Success; remarks are printed."""
    loaded = chosen_benchmark(given["benchmark"])
    diagnosed = []
    for system in systems:
        options = _options(given, setup="strict", metrics=["inform"])
        diagnosis, remarks = diagnosis_of(system, options, loaded)
        tell(system.source, remarks)
        diagnosed.append((system.name, diagnosis))
    return diagnosed


def diagnosis_of(
    system: NamedOutputs, options: Options, benchmark: Benchmark
) -> tuple[Diagnosis, Sequence[Remark]]:
    """Return why a system loses Inform and Success, and the remarks on its outputs."""
    scorer = Scorer(benchmark, system.options(options))
    submission = check_predictions(scorer, system.content, system.source)
    _, played, remarks = played_predictions(scorer, submission)
    return diagnose(played), remarks


def _response_causes(diagnoses: Sequence[Diagnosis]) -> Sequence[str]:
    if any(diagnosis.played.submission.lexicalised for diagnosis in diagnoses):
        return (*_grounding().CAUSES, *_STRICT_CAUSES)
    return _STRICT_CAUSES


_DELEXICALISED = "\n\nThe same responses, delexicalised by the harness:\n\n"


def _response_text(diagnosis: Diagnosis, domain: str | None, cause: str | None) -> str:
    """Return why Inform and Success are lost; of plain English, grounded scores come first.

    Scores that do not have the cause are left out.
    """
    texts = []
    if diagnosis.played.submission.lexicalised and cause in (None, *_grounding().CAUSES):
        texts.append(_grounding().diagnose(diagnosis.played).text(domain, cause))
    if cause in (None, *_STRICT_CAUSES):
        texts.append(diagnosis_text(diagnosis, domain, cause))
    return _DELEXICALISED.join(texts)


def _response_dialogue(diagnosis: Diagnosis, id_: str) -> str:
    """Return one of the dialogues turn by turn; of plain English, grounded scores come first."""
    text = dialogue_text(diagnosis, id_)
    if not diagnosis.played.submission.lexicalised:
        return text
    plain: str = _grounding().diagnose(diagnosis.played).dialogue_text(id_)
    return _DELEXICALISED.join([plain, text])


def _states(systems: Sequence[NamedOutputs], given: _Given) -> list[tuple[str, _Output]]:
    """Return the scored states of each system, and of a dialogue to follow its turns."""
    scored = scored_files(
        systems, given["benchmark"], given["gold_version"], wanted=given["dialogue"]
    )
    return [(file.name, file) for file in scored]


def _state_pages(named: Mapping[str, ScoredFile]) -> Mapping[str, object]:
    diagnoses = {name: diagnosed_file(file) for name, file in named.items()}
    pages: Mapping[str, object] = _views().pages_of(**pages_of_states(diagnoses), kind="states")
    return pages


_KINDS: Mapping[str, _Kind] = {
    "plays": _Kind(
        accepts=("dialogue", "domain", "cause", "html", "serve"),
        read=lambda runs, given: runs,
        causes=lambda runs: (*_live().CAUSES, *_grounding().LOST_BY),
        ids=lambda run: run.config.tasks,
        text=lambda run, domain, cause: _live().why_text(run, domain, cause),
        dialogue_text=lambda run, id_: _live().followed_text(run, id_),
        pages=lambda named: _views().pages_of(**_live().pages_of_plays(named), kind="plays"),
    ),
    "free-running dialogues": _Kind(
        accepts=("dialogue", "domain", "cause", "free_running", "goals", "lexicalised", "rules"),
        read=_free_running,
        causes=lambda played: (*_grounding().CAUSES, *_grounding().LOST_BY),
        ids=lambda played: played.outcomes,
        text=lambda played, domain, cause: played.text(domain, cause),
        dialogue_text=lambda played, id_: played.dialogue_text(id_),
    ),
    "states alone": _Kind(
        accepts=("dialogue", "domain", "cause", "html", "serve", "gold_version"),
        read=_states,
        causes=lambda files: SLOT_ERRORS,
        ids=lambda file: [dialogue_id(dialogue.id) for dialogue in file.file.dialogues],
        text=lambda file, domain, cause: tracked_text(diagnosed_file(file), domain, cause),
        dialogue_text=lambda file, id_: formatted(tracking_tables([file], wanted=id_), "text"),
        pages=_state_pages,
    ),
    "responses": _Kind(
        accepts=(),
        read=_responses,
        causes=_response_causes,
        ids=lambda diagnosis: [result.id for result in diagnosis.results],
        text=_response_text,
        dialogue_text=_response_dialogue,
        pages=lambda named: _views().pages_of_dialogues(named),
        hint="; add --lexicalised for those of grounded scores",
    ),
}
