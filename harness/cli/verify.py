"""`mwz verify`: rescore entries and report every difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import click
import sacrebleu
from rapidfuzz.distance import Indel, Levenshtein

from mwz.normalization import (
    RuleSet,
    minutes,
    normalize_slot_name,
    normalize_value,
    normalized_text,
)

from .. import board
from ..benchmark import CANONICAL_STYLE, Benchmark, VenueRecords
from ..data import load_benchmark
from ..errors import InputError, counted
from ..io import printable, text_table
from ..metrics import Played, PlayedDialogue, References, play, reference_13a, tokenize_13a
from ..scoring import (
    Options,
    Report,
    Scorer,
    check_predictions,
    delexicaliser_of,
    harness_submission,
    normalize,
    run,
    with_all_metrics,
)
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
        if board.tracks()[one.system.track].result is None
        and not one.system.predictions.free_running
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
    options = Options(
        lexicalised=board.tracks()[system.track].kind == "plain English",
        placeholders=system.aliases,
    )
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
    if verified.mismatches:
        count = counted(len(verified.mismatches), "figure")
        lines.append(f"{verified.key}: {count} scored differently")
        lines.append(board.mismatches_table(verified.mismatches[:_SHOWN]))
    if verified.missing is not None:
        lines.append(f"{verified.key}: not scored again: {verified.missing}")
    lines = lines or [f"{verified.key}: holds"]
    lines += [f"{verified.key}: not verified: {part}" for part in verified.unverified]
    return "\n".join(lines)


# What default scores are made of, compared with the libraries that define scores.
#
# docs/architecture.md names the shortcuts. They are compared for everything that a system puts
# out: its responses as sacremoses detokenises them, and their tokens by sacreBLEU. So are the
# answers of the venue database to its belief states, with a look at every venue. The scores follow
# from these and are compared for a few systems only, as sacreBLEU takes ten times as long.


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
    scorer = Scorer(scorer.benchmark, options)
    submission = None
    if isinstance(predictions, str):
        normalized = harness_submission(scorer, predictions)
    else:
        submission = check_predictions(scorer, predictions, source)
        normalized = normalize(scorer, submission)
    scorer = with_all_metrics(scorer, normalized) if scored else scorer.with_options(metrics=())
    played = scorer.played(normalized)
    by_libraries = replace(
        played,
        submission=_detokenized(scorer, played.submission, submission),
        prepared_references=_references(played.benchmark) if scored else None,
    )
    pairs = _outputs(played, by_libraries)
    if scored:
        report = scorer.report(played)
        reference = scorer.report(by_libraries)
        by_default, by_reference = report.to_dict(), reference.to_dict()
        different = board.mismatches(source, "", by_default, by_reference, tolerance=0.0)
        figures = ((one.field, one.stored, one.made) for one in different)
        pairs = chain(pairs, figures, _paired_bleu(report, by_libraries))
    return [pair for pair in pairs if pair[1] != pair[2]]


def _outputs(ours: Played, theirs: Played) -> Iterator[tuple[str, object, object]]:
    """Yield texts, tokens and venues, by default and by the libraries, of every turn."""
    for id_, texts in theirs.responses.items():
        for turn, (mine, text) in enumerate(zip(ours.responses[id_], texts, strict=True)):
            yield f"{id_}, turn {turn}: text", mine, text
            yield f"{id_}, turn {turn}: tokens", tokenize_13a(text), reference_13a(text)
    by_loop = _venue_loop(ours.benchmark, ours.rules)
    for dialogue in play(ours.submission, ours.benchmark, ours.states, "gold"):
        for place, domain, constraints in _queries(dialogue, ours.rules):
            answer = list(ours.database.query(domain, constraints))
            yield place, answer, by_loop.query(domain, constraints)


def _queries(
    dialogue: PlayedDialogue, rules: RuleSet
) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield place, domain and constraints of what a dialogue's goal and states ask of venues."""
    for domain, goal in dialogue.gold.goal.items():
        yield f"{dialogue.id}: venues of {domain}", domain, goal.informable
    for turn, state in enumerate(dialogue.states):
        for domain, slots in state.items():
            place = f"{dialogue.id}, turn {turn}: venues of {domain}"
            yield place, domain, slots
            # The optimistic set-up asks by the name alone.
            venue = rules.venue_rules.get(domain)
            if venue is not None and venue.named_by in slots:
                yield f"{place} by name", domain, {venue.named_by: slots[venue.named_by]}


class VenueLoop:
    """Answers queries by a loop over the venue records: the check of what SQL answers.

    Args:
        records: Domain -> venue records.
        rules: The rule set.
    """

    def __init__(self, records: VenueRecords, rules: RuleSet) -> None:
        self._rules = rules
        self._venues: dict[str, list[dict[str, object]]] = {}
        for domain in rules.venue_rules:
            self._venues[domain] = []
            for record in records.get(domain, ()):
                by_slot = {normalize_slot_name(key, rules): record[key] for key in record}
                self._venues[domain].append(by_slot)
        # Belief states repeat their constraints from turn to turn.
        self._meeting = lru_cache(maxsize=1 << 10)(self._venues_meeting)

    def query(self, domain: str, constraints: Mapping[str, str]) -> list[object]:
        """Return the ids of the venues that meet all constraints, as `VenueDatabase.query`."""
        venues = self._venues.get(domain, [])
        numbers = set(range(len(venues)))
        for slot, value in constraints.items():
            numbers &= self._meeting(domain, slot, value)
        ids = []
        for number in sorted(numbers):
            ids.append(venues[number].get(self._rules.venue_rules[domain].identifier))
        return list(dict.fromkeys(ids))

    def _venues_meeting(self, domain: str, slot: str, value: str) -> set[int]:
        """Return the numbers of the venues that meet a constraint."""
        venues = self._venues.get(domain, [])
        columns = self._rules.venue_rules[domain].columns if venues else ()
        is_column = slot in columns and slot in venues[0]
        if not is_column or self._rules.asks_for_nothing(value):
            return set(range(len(venues)))
        wanted = normalize_value(slot, value, self._rules)
        meeting = set()
        for number, venue in enumerate(venues):
            if self._meets(venue.get(slot), domain, slot, wanted):
                meeting.add(number)
        return meeting

    def _meets(self, own: object, domain: str, slot: str, wanted: str) -> bool:
        """Return whether a venue's own value meets a constraint's normalised value."""
        venue = self._rules.venue_rules[domain]
        if own == self._rules.unknown:
            return True
        if not isinstance(own, str):
            return slot in venue.times
        if self._rules.normalises_venues:
            own = normalize_value(slot, own, self._rules)
        if slot in venue.latest:
            return minutes(own) <= minutes(wanted)
        if slot in venue.earliest:
            return minutes(own) >= minutes(wanted)
        if own == wanted or slot not in venue.fuzzy:
            return own == wanted
        return _partial_ratio(own, wanted) >= self._rules.fuzzy_ratio


def _partial_ratio(first: str, second: str) -> int:
    """Return fuzzywuzzy's partial ratio in percent, by rapidfuzz, of two strings that differ."""
    shorter, longer = sorted((first, second), key=len)
    ratios = [0.0]
    for block in Levenshtein.editops(shorter, longer).as_matching_blocks():
        start = max(0, block.b - block.a)
        window = longer[start : start + len(shorter)]
        ratio = Indel.normalized_similarity(shorter, window)
        ratios.append(1.0 if ratio > 0.995 else ratio)
    return round(100 * max(ratios)) if shorter else 0


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
    if scorer.options.resolved.lexicalised:
        submission = delexicalise_submission(submission, delexicaliser_of(scorer))

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
    # Imports sacremoses late: it takes 0.4 s, and only --reference needs it.
    from sacremoses import MosesDetokenizer, MosesTokenizer

    return MosesTokenizer(lang="en"), MosesDetokenizer(lang="en")


@lru_cache(maxsize=2)
def _venue_loop(benchmark: Benchmark, rules: RuleSet) -> VenueLoop:
    return VenueLoop(benchmark.venue_records(rules), rules)


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
    hypotheses: list[str] = []
    references: list[str] = []
    for id_, dialogue in played.benchmark.dialogues.items():
        responses: Sequence[str] = played.responses.get(id_, ())
        turns = dialogue.turns if pad else len(responses)
        hypotheses += [*responses, *[""] * (turns - len(responses))]
        references += dialogue.references[style][:turns]
    return float(sacrebleu.corpus_bleu(hypotheses, [references]).score)
