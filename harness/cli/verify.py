"""`mwz verify`: rescore entries and report every difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

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
from ..benchmark import CANONICAL_STYLE, Benchmark
from ..data import load_benchmark
from ..errors import InputError, counted
from ..io import printable, text_table
from ..metrics import Played, References, play, reference_13a, tokenize_13a
from ..scoring import (
    Options,
    Scorer,
    check_predictions,
    delexicaliser_of,
    normalize,
    run,
    with_all_metrics,
)
from ..submission import delexicalise_submission
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
    names: tuple[str, ...],
    strict: bool,
    reference: bool,
    submissions: Path,
    benchmark: str | None,
    folders: Sequence[Path],
    workers: int | str,
) -> int:
    """Score the entries NAME… (by default all) again from their predictions, write nothing and
    exit with 1 if a stored value is wrong: scores, signature, predictions, the rules of the
    track, duplicate entries; or if nothing could be scored again.
    """
    submissions = option.readable(submissions)
    entries = board.read_entries(submissions)
    chosen = board.chosen_entries(entries, names, submissions)
    if reference:
        return _compare_with_libraries(chosen, benchmark, folders, workers)
    outcomes = board.rescore(chosen, benchmark, folders, workers)
    verified = board.verify(entries, chosen, progress(outcomes, len(chosen), "entry"))
    hold = unknown = failed = 0
    for outcome in verified:
        lines = [f"{outcome.key}: {problem}" for problem in outcome.problems]
        if outcome.mismatches:
            count = counted(len(outcome.mismatches), "figure")
            lines.append(f"{outcome.key}: {count} scored differently")
            lines.append(board.mismatches_table(outcome.mismatches[:_SHOWN]))
        is_missing = outcome.missing is not None
        if is_missing:
            lines.append(f"{outcome.key}: not scored again: {outcome.missing}")
        if not lines:
            lines.append(f"{outcome.key}: holds")
        lines += [f"{outcome.key}: not verified: {reason}" for reason in outcome.unverified]
        click.echo(printable("\n".join(lines)))
        hold += outcome.holds and not is_missing
        unknown += outcome.holds and is_missing
        is_unverified = is_missing or bool(outcome.unverified)
        failed += not outcome.holds or (strict and is_unverified)
    summary = f"{hold} of {len(verified)} entries hold"
    if unknown:
        summary += f"; {unknown} could not be scored again"
    click.echo(summary)
    if all(outcome.missing is not None for outcome in verified):
        # A check that looked at nothing has not passed.
        click.echo("nothing was verified: no entry could be scored again", err=True)
        return 1
    return int(failed > 0)


def _compare_with_libraries(
    entries: Sequence[board.Entry],
    benchmark: str | None,
    folders: Sequence[Path],
    workers: int | str,
) -> int:
    """Show what differs by the libraries alone, of entries with responses; return the status."""
    loaded = load_benchmark(benchmark)
    keys: list[str] = []
    jobs: list[tuple[bytes | str, str, Options, bool] | InputError] = []
    for entry in entries:
        track, is_free = board.tracks()[entry.system.track], entry.system.predictions.free_running
        # Free-running dialogues have no turns of the benchmark, and so no references.
        if track.result is not None or is_free:
            continue
        is_lexicalised = track.kind == "plain English"
        options = Options(lexicalised=is_lexicalised, placeholders=entry.system.aliases)
        try:
            predictions = board.find_predictions(entry, folders)
            jobs.append((predictions, entry.key, options, len(keys) < _SCORED))
        except InputError as error:
            jobs.append(error)
        keys.append(entry.key)
    outcomes = run(reference_differences, jobs, loaded, workers)
    statuses = []
    for key, outcome in zip(keys, outcomes, strict=True):
        if isinstance(outcome, InputError):
            click.echo(printable(f"{key}: not scored: {outcome}"))
            continue
        statuses.append(bool(outcome))
        if outcome:
            click.echo(f"{key}: {len(outcome)} values differ")
            rows = [[place, repr(ours), repr(theirs)] for place, ours, theirs in outcome[:_SHOWN]]
            click.echo(text_table(["value", "default", "by libraries"], rows))
        else:
            click.echo(f"{key}: ok")
    if not statuses:
        click.echo("nothing was compared: no entry could be scored", err=True)
    return int(any(statuses) or not statuses)


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
    if isinstance(predictions, str):
        normalized = detokenized = normalize(scorer, predictions)
    else:
        submission = check_predictions(scorer, predictions, source)
        normalized = normalize(scorer, submission)
        if scorer.options.resolved.lexicalised:
            submission = delexicalise_submission(submission, delexicaliser_of(scorer))
        detokenized = normalized.reworded(
            submission, lambda text: _sacremoses()(normalized_text(text, scorer.rules, "Moses"))
        )
    scorer = with_all_metrics(scorer, normalized) if scored else scorer.with_options(metrics=())
    played = scorer.played(normalized)
    by_libraries = replace(played, submission=detokenized, prepared_references=None)
    different: list[tuple[str, object, object]] = []
    for place, ours, theirs in _outputs(played, by_libraries):
        if ours != theirs:
            different.append((place, ours, theirs))
    if not scored:
        return different
    by_libraries = replace(by_libraries, prepared_references=_references(played.benchmark))
    report = scorer.report(played)
    made = scorer.report(by_libraries).to_dict()
    for mismatch in board.mismatches(source, "", report.to_dict(), made, tolerance=0.0):
        different.append((mismatch.field, mismatch.stored, mismatch.made))
    figures: list[tuple[str, float, float]] = []
    for style, score in (report.bleu or {}).items():
        figures.append((f"bleu.{style}", score, _bleu(by_libraries, style, pad=False)))
    bound = report.metrics.get("lower_bound")
    if bound is not None and bound.bleu is not None:
        bleu = _bleu(by_libraries, CANONICAL_STYLE, pad=True)
        figures.append(("lower_bound.bleu", bound.bleu, bleu))
    return different + [figure for figure in figures if figure[1] != figure[2]]


def _outputs(ours: Played, theirs: Played) -> Iterator[tuple[str, object, object]]:
    """Yield texts, tokens and venues, by default and by the libraries, of every turn."""
    for id_, texts in theirs.responses.items():
        for turn, (mine, text) in enumerate(zip(ours.responses[id_], texts, strict=True)):
            yield f"{id_}, turn {turn}: text", mine, text
            yield f"{id_}, turn {turn}: tokens", tokenize_13a(text), reference_13a(text)
    query_by_loop = venue_loop(ours.benchmark, ours.rules)
    for dialogue in play(ours.submission, ours.benchmark, ours.states, "gold"):
        queries: list[tuple[str, str, Mapping[str, str]]] = []
        for domain, goal in dialogue.gold.goal.items():
            queries.append((f"{dialogue.id}: venues of {domain}", domain, goal.informable))
        for turn, state in enumerate(dialogue.states):
            for domain, slots in state.items():
                place = f"{dialogue.id}, turn {turn}: venues of {domain}"
                queries.append((place, domain, slots))
                # The optimistic set-up asks by the name alone.
                venue = ours.rules.venue_rules.get(domain)
                if venue is not None and venue.named_by in slots:
                    by_name = {venue.named_by: slots[venue.named_by]}
                    queries.append((f"{place} by name", domain, by_name))
        for place, domain, constraints in queries:
            answer = list(ours.database.query(domain, constraints))
            yield place, answer, query_by_loop(domain, constraints)


@lru_cache(maxsize=2)
def venue_loop(
    benchmark: Benchmark, rules: RuleSet
) -> Callable[[str, Mapping[str, str]], list[object]]:
    """Return a function that answers queries by a loop over all venues: the check of SQL's answers.

    It returns the ids of the venues of a domain that meet all constraints, as
    `VenueDatabase.query`.

    Args:
        benchmark: The benchmark that the venues are of.
        rules: The rule set.
    """
    records = benchmark.venue_records(rules)
    venues: dict[str, list[dict[str, object]]] = {}
    for domain in rules.venue_rules:
        venues[domain] = []
        for record in records.get(domain, ()):
            by_slot = {normalize_slot_name(key, rules): record[key] for key in record}
            venues[domain].append(by_slot)

    # Belief states repeat their constraints from turn to turn.
    @lru_cache(maxsize=1 << 10)
    def meeting(domain: str, slot: str, value: str) -> set[int]:
        """Return the numbers of the venues that meet a constraint."""
        of_domain = venues.get(domain, [])
        columns = rules.venue_rules[domain].columns if of_domain else ()
        is_column = slot in columns and slot in of_domain[0]
        if not is_column or rules.asks_for_nothing(value):
            return set(range(len(of_domain)))
        wanted = normalize_value(slot, value, rules)
        numbers = set()
        for number, venue in enumerate(of_domain):
            if _meets(venue.get(slot), domain, slot, wanted, rules):
                numbers.add(number)
        return numbers

    def query(domain: str, constraints: Mapping[str, str]) -> list[object]:
        of_domain = venues.get(domain, [])
        numbers = set(range(len(of_domain)))
        for slot, value in constraints.items():
            numbers &= meeting(domain, slot, value)
        ids: dict[object, None] = {}
        for number in sorted(numbers):
            ids[of_domain[number].get(rules.venue_rules[domain].identifier)] = None
        return list(ids)

    return query


def _meets(own: object, domain: str, slot: str, wanted: str, rules: RuleSet) -> bool:
    """Return whether a venue's own value meets a constraint's normalised value."""
    venue = rules.venue_rules[domain]
    if own == rules.unknown:
        return True
    if not isinstance(own, str):
        return slot in venue.times
    if rules.normalises_venues:
        own = normalize_value(slot, own, rules)
    if slot in venue.latest:
        return minutes(own) <= minutes(wanted)
    if slot in venue.earliest:
        return minutes(own) >= minutes(wanted)
    if own == wanted or slot not in venue.fuzzy:
        return own == wanted
    # fuzzywuzzy's partial ratio by rapidfuzz, of two strings that differ.
    shorter, longer = sorted((own, wanted), key=len)
    best = 0.0
    for block in Levenshtein.editops(shorter, longer).as_matching_blocks():
        start = max(0, block.b - block.a)
        window = longer[start : start + len(shorter)]
        ratio = Indel.normalized_similarity(shorter, window)
        best = max(best, 1.0 if ratio > 0.995 else ratio)
    return bool(shorter) and round(100 * best) >= rules.fuzzy_ratio


@lru_cache(maxsize=1)
def _sacremoses() -> Callable[[str], str]:
    """Return what detokenises a text by sacremoses."""
    # Imports sacremoses late: it takes 0.4 s, and only --reference needs it.
    from sacremoses import MosesDetokenizer, MosesTokenizer

    tokenizer, detokenizer = MosesTokenizer(lang="en"), MosesDetokenizer(lang="en")

    @lru_cache(maxsize=1 << 15)
    def detokenized(text: str) -> str:
        return str(detokenizer.detokenize(tokenizer.tokenize(text)))

    return detokenized


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
