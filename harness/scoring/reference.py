"""What the shortcuts of default scores give, held against the libraries that define scores.

docs/architecture.md names the shortcuts. What they give is compared for everything that a system
puts out: its responses as sacremoses detokenises them, their tokens by sacreBLEU, and the answers
of SQL to its belief states. The scores, which follow from these, are compared where that is asked
for: those of a few systems do, as sacreBLEU takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

from mwz.database.venues import VenueDatabase
from mwz.normalization.responses import normalized_text
from mwz.normalization.rules import RuleSet

from ..benchmark import CANONICAL_STYLE, Benchmark
from ..metrics.counts import References, reference_13a, tokenize_13a
from ..metrics.metric import Played
from ..metrics.setups import play
from ..submission import (
    NormalizedSubmission,
    Submission,
    checked_submission,
    delexicalise_submission,
)
from ..submission.formats import read_standard
from .options import Options
from .report import Report
from .scorer import Scorer, allowed_metrics


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
        standard = read_standard(predictions, source)
        submission = checked_submission(standard, scorer.benchmark, source, scorer.rules)
        normalized = scorer.normalized(submission)
    scorer = scorer.with_options(metrics=allowed_metrics(normalized) if scored else ())
    played = scorer.played(normalized)
    by_libraries = _by_libraries(scorer, played, submission)
    pairs = _outputs(played, by_libraries)
    if scored:
        report = scorer.report(played)
        figures = _paired_figures(report, scorer.report(by_libraries))
        pairs = chain(pairs, figures, _paired_bleu(report, by_libraries))
    return [pair for pair in pairs if pair[1] != pair[2]]


def _by_libraries(scorer: Scorer, played: Played, submission: Submission | None) -> Played:
    """Return what was played, with texts, references and venues by the libraries alone."""
    benchmark, rules = played.benchmark, played.rules
    return replace(
        played,
        submission=_detokenized(scorer, played.submission, submission),
        references=lambda: _references(benchmark),
        database=lambda: _database(scorer.benchmark, rules),
    )


def _outputs(ours: Played, theirs: Played) -> Iterator[tuple[str, object, object]]:
    """Yield texts, tokens and venues, by default and by the libraries, of every turn."""
    for id_, texts in theirs.responses.items():
        for turn, (mine, text) in enumerate(zip(ours.responses[id_], texts, strict=True)):
            yield f"{id_}, turn {turn}: text", mine, text
            yield f"{id_}, turn {turn}: tokens", tokenize_13a(text), reference_13a(text)
    default, sql = ours.database(), theirs.database()
    for dialogue in play(ours.submission, ours.benchmark, ours.states, "gold"):
        for turn, state in enumerate(dialogue.states):
            for domain, slots in state.items():
                place = f"{dialogue.id}, turn {turn}: venues of {domain}"
                yield place, [*default.query(domain, slots)], [*sql.query(domain, slots)]


def _paired_figures(ours: Report, theirs: Report) -> Iterator[tuple[str, object, object]]:
    """Yield every value of two reports with its place; None where a report has none."""
    mine, reference = (dict(_figures("", one.to_dict())) for one in (ours, theirs))
    for place in dict.fromkeys([*mine, *reference]):
        yield place, mine.get(place), reference.get(place)


def _paired_bleu(report: Report, played: Played) -> Iterator[tuple[str, object, object]]:
    """Yield every BLEU of a report with its place, and sacreBLEU's."""
    for style, score in (report.bleu or {}).items():
        yield f"bleu.{style}", score, _bleu(played, style, pad=False)
    bound = report.lower_bound
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
    dialogues = {
        id_: replace(
            dialogue,
            responses=tuple(
                _by_sacremoses(normalized_text(turn.response, scorer.rules, "Moses"))
                for turn in submission.dialogues[id_]
            ),
        )
        for id_, dialogue in normalized.dialogues.items()
    }
    return replace(normalized, dialogues=dialogues)


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
        own: Sequence[str] = played.responses.get(id_, ())
        turns = dialogue.turns if pad else len(own)
        hypotheses += [*own, *[""] * (turns - len(own))]
        references += dialogue.references[style][:turns]
    return float(sacrebleu.corpus_bleu(hypotheses, [references]).score)


def _figures(place: str, content: object) -> Iterator[tuple[str, object]]:
    """Yield every value of a report with its place."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from _figures(f"{place}.{key}" if place else str(key), value)
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from _figures(f"{place}[{number}]", value)
    else:
        yield place, content
