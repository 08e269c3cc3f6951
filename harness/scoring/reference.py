"""Scores by the libraries that define them, without the shortcuts that default scores take.

Responses are detokenised by sacremoses, BLEU is sacreBLEU's corpus score, and venues are asked for
by SQL. docs/architecture.md names the shortcuts that this checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from mwz.database.venues import VenueDatabase
from mwz.normalization.responses import normalized_text

from ..benchmark import CANONICAL_STYLE, Benchmark
from ..metrics.counts import References, reference_13a
from ..metrics.inform import TOTAL, SetupScores, combined
from ..metrics.lower_bound import LowerBound
from ..metrics.played import Played
from ..submission import NormalizedSubmission, Submission, checked_submission
from ..submission.formats import read_standard
from . import Options, Scorer, allowed_metrics
from .report import Report


def reference_differences(
    scorer: Scorer, predictions: bytes | str, source: str, options: Options
) -> list[tuple[str, object, object]]:
    """Return the figures that come out otherwise by the libraries alone.

    Args:
        scorer: A scorer of the benchmark.
        predictions: An (unpacked) predictions file, or the name of what the harness makes.
        source: What messages call them.
        options: How to score; all metrics that can be computed are.

    Returns:
        Of each such figure its place in the report, its value by default and by the libraries.

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
    scorer = scorer.with_options(metrics=allowed_metrics(normalized))
    played = scorer.played(normalized)
    report = scorer.report(played)
    reference = _reference_report(scorer, played, submission)
    ours, theirs = (dict(_figures("", one.to_dict())) for one in (report, reference))
    return [
        (place, ours.get(place), theirs.get(place))
        for place in dict.fromkeys([*ours, *theirs])
        if ours.get(place) != theirs.get(place)
    ]


def _reference_report(scorer: Scorer, played: Played, submission: Submission | None) -> Report:
    """Return the report of what was played, by the libraries alone."""
    benchmark = played.benchmark
    database = VenueDatabase(benchmark.venue_records(played.rules), played.rules)
    played = replace(
        played,
        submission=_detokenized(scorer, played.submission, submission),
        references=lambda: _references(benchmark),
        database=lambda: database,
    )
    report = scorer.report(played)
    scores = {style: _bleu(played, style, pad=False) for style in report.bleu or ()}
    metrics = dict(report.metrics)
    if scores:
        metrics["bleu"] = scores
    for name, result in metrics.items():
        if isinstance(result, SetupScores) and scores:
            rates = result.inform[TOTAL], result.success[TOTAL]
            metrics[name] = replace(result, combined=combined(*rates, scores[CANONICAL_STYLE]))
        if isinstance(result, LowerBound) and result.bleu is not None:
            bleu = _bleu(played, CANONICAL_STYLE, pad=True)
            bound = replace(result, bleu=bleu)
            if result.inform is not None and result.success is not None:
                bound = replace(bound, combined=combined(result.inform, result.success, bleu))
            metrics[name] = bound
    return replace(report, metrics=metrics)


def _detokenized(
    scorer: Scorer, normalized: NormalizedSubmission, submission: Submission | None
) -> NormalizedSubmission:
    """Return a normalised submission with its responses detokenised by sacremoses."""
    if submission is None:
        return normalized
    if scorer.options.lexicalised:
        from ..submission.plain_responses import delexicalise_submission

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
