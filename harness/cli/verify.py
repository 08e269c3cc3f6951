"""`mwz verify`: rescore entries and report every difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import click

from mwz.database import VenueDatabase
from mwz.normalization import RuleSet, normalized_text

from .. import board
from ..benchmark import CANONICAL_STYLE, Benchmark
from ..data import load_benchmark
from ..errors import InputError, counted
from ..io import printable, text_table
from ..metrics import Played, References, play, reference_13a, tokenize_13a
from ..scoring import Options, Report, Scorer, run
from ..submission import (
    NormalizedSubmission,
    Submission,
    delexicalise_submission,
)
from . import option
from .reading import progress

_SHOWN = 12
"""How many figures of an entry are shown that come out differently."""

_SCORED = 3
"""Of how many entries the scores are compared as well, which follow from texts and venues."""


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=option.complete_entry)
@option.flag(
    "--strict",
    help="Count entries as failed if predictions or gold states are missing.",
)
@option.flag(
    "--reference",
    help="Instead: compare texts, tokens and venues, and the scores of three entries, with the "
    "libraries alone.",
)
@option.predictions_folder
@option.jobs
@option.scored_benchmark
@option.submissions
def command(
    names: tuple[str, ...], strict: bool, reference: bool, submissions: Path, **rescoring: Any
) -> int:
    """Score the entries NAME… (by default all) again from their predictions, write nothing and
    exit with 1 if a stored value is wrong: scores, signature, predictions, the rules of the
    track, duplicate entries; or if nothing could be scored again.
    """
    submissions = option.readable(submissions)
    entries = board.read_entries(submissions)
    chosen = board.chosen_entries(entries, names, submissions)
    if reference:
        return _compare_with_libraries(chosen, **rescoring)
    outcomes = progress(board.rescore(chosen, **rescoring), len(chosen), "entry")
    verified = board.verify(entries, chosen, outcomes)
    failed = [
        one
        for one in verified
        if not one.holds or (strict and (one.missing is not None or one.unverified))
    ]
    for one in verified:
        click.echo(printable(_lines(one)))
    click.echo(_summary(verified))
    if all(one.missing is not None for one in verified):
        # A check that looked at nothing has not passed.
        click.echo("nothing was verified: no entry could be scored again", err=True)
        return 1
    return int(bool(failed))


def _compare_with_libraries(
    entries: Sequence[board.Entry],
    benchmark: str | None,
    folders: Sequence[Path],
    workers: int | str,
) -> int:
    """Show what the libraries alone give otherwise of entries with responses."""
    loaded = load_benchmark(benchmark)
    # Free-running dialogues have no turns of the benchmark, and so no references.
    responding = [
        one
        for one in entries
        if board.tracks()[one.system.track].by_rules and not one.system.predictions.free_running
    ]
    jobs = (_reference_job(one, folders, n < _SCORED) for n, one in enumerate(responding))
    coming = run(reference_differences, jobs, loaded, workers)
    statuses = []
    for entry, outcome in zip(responding, coming, strict=True):
        if isinstance(outcome, InputError):
            click.echo(printable(f"{entry.key}: not scored: {outcome}"))
            continue
        statuses.append(bool(outcome))
        click.echo(f"{entry.key}: {len(outcome)} values differ" if outcome else f"{entry.key}: ok")
        if outcome:
            rows = [[place, repr(ours), repr(theirs)] for place, ours, theirs in outcome[:_SHOWN]]
            click.echo(text_table(["value", "default", "by libraries"], rows))
    if not statuses:
        click.echo("nothing was compared: no entry could be scored", err=True)
    return int(any(statuses) or not statuses)


def _reference_job(
    entry: board.Entry, folders: Sequence[Path], scored: bool
) -> tuple[bytes | str, str, Options, bool] | InputError:
    """Return how an entry is compared with the libraries; or why it cannot be."""
    system = entry.system
    options = Options(lexicalised=board.tracks()[system.track].english, placeholders=system.aliases)
    try:
        return board.find_predictions(entry, folders), entry.key, options, scored
    except InputError as error:
        return error


def _summary(verified: Sequence[board.Rescored]) -> str:
    """Say how many entries hold, and how many could not be scored again."""
    unknown = sum(one.missing is not None and one.holds for one in verified)
    hold = sum(one.missing is None and one.holds for one in verified)
    counts = [f"{hold} of {len(verified)} entries hold"]
    counts += [f"{unknown} could not be scored again"] if unknown else []
    return "; ".join(counts)


def _lines(verified: board.Rescored) -> str:
    lines = [f"{verified.key}: {problem}" for problem in verified.problems]
    if verified.changes:
        lines.append(
            f"{verified.key}: {counted(len(verified.changes), 'figure')} scored differently"
        )
        lines.append(board.changes_table(verified.changes[:_SHOWN]))
    if verified.missing is not None:
        lines.append(f"{verified.key}: not scored again: {verified.missing}")
    lines = lines or [f"{verified.key}: holds"]
    lines += [f"{verified.key}: not verified: {part}" for part in verified.unverified]
    return "\n".join(lines)


# What the shortcuts of default scores give, compared with the libraries that define scores.
#
# docs/architecture.md names the shortcuts. They are compared for everything that a system puts
# out: its responses as sacremoses detokenises them, their tokens by sacreBLEU, and the answers of
# SQL to its belief states. The scores follow from these and are compared for a few systems only,
# as sacreBLEU takes ten times as long.


def reference_differences(
    scorer: Scorer, predictions: bytes | str, source: str, options: Options, scored: bool = True
) -> list[tuple[str, object, object]]:
    """Return what comes out otherwise by the libraries alone.

    Args:
        scorer: A scorer of the benchmark.
        predictions: An (unpacked) predictions file, or the name of what the harness makes.
        source: What messages call them.
        options: How to score; all metrics that can be computed are.
        scored: Whether to compare the scores as well.

    Returns:
        Of each such text, answer and figure where it is, its value by default and by the libraries.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    scorer = scorer.with_options(**vars(options))
    submission = None
    if isinstance(predictions, str):
        normalized = scorer.made(predictions)
    else:
        submission = scorer.checked(predictions, source)
        normalized = scorer.normalized(submission)
    scorer = scorer.with_all_metrics(normalized) if scored else scorer.with_options(metrics=())
    played = scorer.played(normalized)
    by_libraries = replace(
        played,
        submission=_detokenized(scorer, played.submission, submission),
        database=_database(scorer.benchmark, played.rules),
        prepared_references=_references(played.benchmark) if scored else None,
    )
    pairs = _outputs(played, by_libraries)
    if scored:
        report = scorer.report(played)
        reference = scorer.report(by_libraries)
        changes = board.differences("", report.to_dict(), reference.to_dict(), 0.0)
        figures = ((one.figure, one.before, one.after) for one in changes)
        pairs = chain(pairs, figures, _paired_bleu(report, by_libraries))
    return [pair for pair in pairs if pair[1] != pair[2]]


def _outputs(ours: Played, theirs: Played) -> Iterator[tuple[str, object, object]]:
    """Yield texts, tokens and venues, by default and by the libraries, of every turn."""
    for id_, texts in theirs.responses.items():
        for turn, (mine, text) in enumerate(zip(ours.responses[id_], texts, strict=True)):
            yield f"{id_}, turn {turn}: text", mine, text
            yield f"{id_}, turn {turn}: tokens", tokenize_13a(text), reference_13a(text)
    default, sql = ours.database, theirs.database
    for dialogue in play(ours.submission, ours.benchmark, ours.states, "gold"):
        for turn, state in enumerate(dialogue.states):
            for domain, slots in state.items():
                place = f"{dialogue.id}, turn {turn}: venues of {domain}"
                yield place, [*default.query(domain, slots)], [*sql.query(domain, slots)]


def _paired_bleu(report: Report, played: Played) -> Iterator[tuple[str, object, object]]:
    """Yield every BLEU of a report with its place, and sacreBLEU's."""
    for style, score in (report.bleu or {}).items():
        yield f"bleu.{style}", score, _bleu(played, style, pad=False)
    bound = report.metrics.get("lower_bound")
    if bound is not None and bound.bleu is not None:
        yield "lower_bound.bleu", bound.bleu, _bleu(played, CANONICAL_STYLE, pad=True)


def _detokenized(
    scorer: Scorer, normalized: NormalizedSubmission, submission: Submission | None
) -> NormalizedSubmission:
    """Return a normalised submission with its responses detokenised by sacremoses."""
    if submission is None:
        return normalized
    if scorer.options.lexicalised:
        submission = delexicalise_submission(submission, scorer.delexicaliser())

    def detokenized(text: str) -> str:
        return _by_sacremoses(normalized_text(text, scorer.rules, "Moses"))

    return normalized.reworded(submission, detokenized)


@lru_cache(maxsize=1 << 15)
def _by_sacremoses(text: str) -> str:
    tokenizer, detokenizer = _moses()
    detokenized: str = detokenizer.detokenize(tokenizer.tokenize(text))
    return detokenized


@lru_cache(maxsize=1)
def _moses() -> tuple[Any, Any]:
    from sacremoses import MosesDetokenizer, MosesTokenizer

    return MosesTokenizer(lang="en"), MosesDetokenizer(lang="en")


@lru_cache(maxsize=2)
def _database(benchmark: Benchmark, rules: RuleSet) -> VenueDatabase:
    return VenueDatabase(benchmark.venue_records(rules), rules)


@lru_cache(maxsize=2)
def _references(benchmark: Benchmark) -> References:
    """Return the references of a benchmark, tokenised by sacreBLEU."""
    texts = {id_: dialogue.references for id_, dialogue in benchmark.dialogues.items()}
    return References.of_texts(texts, reference_13a)


def _bleu(played: Played, style: str, pad: bool) -> float:
    """Return sacreBLEU's corpus score in percent.

    Args:
        played: What was played.
        style: The style of the references.
        pad: Whether turns that are not played count as empty responses; else they are left out.
    """
    import sacrebleu

    hypotheses: list[str] = []
    references: list[str] = []
    for id_, dialogue in played.benchmark.dialogues.items():
        responses: Sequence[str] = played.responses.get(id_, ())
        turns = dialogue.turns if pad else len(responses)
        hypotheses += [*responses, *[""] * (turns - len(responses))]
        references += dialogue.references[style][:turns]
    return float(sacrebleu.corpus_bleu(hypotheses, [references]).score)
