"""A report as a person reads it at a glance."""

from __future__ import annotations

from collections.abc import Iterator

from .benchmark import CANONICAL_STYLE
from .metrics.inform_success import TOTAL
from .rendering import figure, text_table
from .report import Report


def report_text(report: Report) -> str:
    """Return the report as text: totals first, then what they are made of, last the signature."""
    parts = [
        _totals(report),
        _per_domain(report),
        _bleu(report),
        _diversity(report),
        _tracking(report),
        "\n".join(_notes(report)),
        report.signature,
    ]
    return "\n\n".join(part for part in parts if part)


def _totals(report: Report) -> str:
    bleu = None if report.bleu is None else report.bleu[CANONICAL_STYLE]
    if not report.setups:
        return ""
    rows = [
        [name, figure(bleu), *map(figure, scores.totals), figure(scores.combined)]
        for name, scores in report.setups.items()
    ]
    return text_table(["total", "BLEU", "Inform", "Success", "combined"], rows)


def _per_domain(report: Report) -> str:
    if not report.setups:
        return ""
    headers = ["domain"]
    for name in report.setups:
        headers += [f"Inform {name}", f"Success {name}"]
    first = next(iter(report.setups.values()))
    rows = []
    for domain in sorted(first.rates.inform.keys() - {TOTAL}):
        row = [domain]
        for scores in report.setups.values():
            row += [figure(scores.rates.inform[domain]), figure(scores.rates.success[domain])]
        rows.append(row)
    return text_table(headers, rows)


def _bleu(report: Report) -> str:
    if report.bleu is None:
        return ""
    rows = [
        [f"{style} (canonical)" if style == CANONICAL_STYLE else style, figure(score, 2)]
        for style, score in report.bleu.items()
    ]
    return text_table(["reference style", "BLEU"], rows)


def _diversity(report: Report) -> str:
    measured = report.diversity
    if measured is None:
        return ""
    rows = [
        ["unique unigrams", str(measured.unigrams)],
        ["unique bigrams", str(measured.bigrams)],
        ["unique trigrams", str(measured.trigrams)],
        ["token entropy (bits)", figure(measured.entropy, 2)],
        ["bigram conditional entropy (bits)", figure(measured.conditional_entropy, 2)],
        ["tokens per response", figure(measured.mean_length, 2)],
        ["MSTTR-50", figure(measured.msttr, 2)],
    ]
    return text_table(["diversity", ""], rows)


def _tracking(report: Report) -> str:
    if report.tracking is None:
        return ""
    from .tracking.tracking_text import side_by_side_text  # most reports do without

    return side_by_side_text(["state tracking"], [report.tracking])


def _notes(report: Report) -> Iterator[str]:
    coverage = report.coverage
    if not coverage.complete:
        yield (
            f"coverage: {coverage.dialogues} of {coverage.of} dialogues, {coverage.turns} of "
            f"{coverage.of_turns} turns ({figure(coverage.percent, 2)} %)"
        )
    if report.unknown_placeholders:
        counts = ", ".join(f"[{name}] {n}×" for name, n in report.unknown_placeholders.items())
        yield f"unknown placeholders, replaced by nothing: {counts}"
    if report.goals != "all":
        yield f"{report.goals} goals only: {coverage.of} of the benchmark's dialogues"
    domains = f"active domains (strict): {report.domains}; " if "strict" in report.setups else ""
    yield f"{domains}belief states: {report.states}"
