"""Intervals: Wilson's by hand, the bootstrap's by a plain loop, and where commands show them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import CAREFUL, Cli, parse_submission, write_json
from hypothesis import given, strategies as st
from resampled_cases import report_figures, sample_evidence, sample_scorer

from mwz.harness import InputError
from mwz.harness.comparison import SEED, intervals_of, spread_of
from mwz.harness.comparison.evidence import wilson
from mwz.harness.metrics import bleu_of_counts
from mwz.harness.scoring import normalize, read_report
from mwz.harness.scoring.scorer import bleu_references


def test_wilson_of_a_published_rate() -> None:
    # 889 of 1000: (.889 + z²/2000 ± z sqrt(.889 x .111 / 1000 + z²/4000000)) / (1 + z²/1000)
    z = 1.959963984540054
    middle, whole = 0.889 + z**2 / 2000, 1 + z**2 / 1000
    around = z * math.sqrt(0.889 * 0.111 / 1000 + z**2 / 4_000_000)
    low, high = wilson(889, 1000)
    assert low == pytest.approx(100 * (middle - around) / whole, rel=1e-9)
    assert high == pytest.approx(100 * (middle + around) / whole, rel=1e-9)
    assert (round(low, 2), round(high, 2)) == (86.80, 90.70)


@given(st.integers(1, 2000), st.data())
def test_wilson_holds_the_rate_and_no_less_than_nothing(dialogues: int, data: Any) -> None:
    won = data.draw(st.integers(0, dialogues))
    low, high = wilson(won, dialogues)
    assert (low == 0) == (won == 0)
    assert 0 <= low <= 100 * won / dialogues + 1e-9
    assert 100 * won / dialogues - 1e-9 <= high <= 100 + 1e-9


def test_rates_have_wilsons_interval_and_everything_else_percentiles() -> None:
    intervals = intervals_of(sample_evidence("careful"), samples=50)
    rates = {name for name, interval in intervals.items() if interval.interval == "wilson"}
    assert rates == {"inform", "success", "optimistic.inform", "optimistic.success"}
    won = round(intervals["inform"].value * 30 / 100)
    assert (intervals["inform"].low, intervals["inform"].high) == wilson(won, 30)
    assert {interval.interval for interval in intervals.values()} == {"wilson", "bootstrap"}


def test_percentiles_are_those_of_a_plain_loop() -> None:
    scorer, evidence = sample_scorer(), sample_evidence("careful")
    predictions = json.loads(CAREFUL.read_text(encoding="utf-8"))
    submission = parse_submission(predictions, scorer.benchmark, "predictions")
    texts = normalize(scorer, submission).responses
    references = bleu_references(scorer.benchmark)
    counts = references.counts_of(texts)[:, references.styles.index("mwz22")]
    generator = np.random.default_rng(SEED)
    bleu = [
        bleu_of_counts(counts[drawn].sum(axis=0).tolist())
        for drawn in generator.choice(30, size=(200, 30), replace=True)
    ]
    interval = intervals_of(evidence, samples=200)["bleu"]
    low, high = np.percentile(bleu, [2.5, 97.5])
    assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-12)


# Seeds.


def test_the_spread_over_seeds_is_of_the_sample() -> None:
    # Mean of 1, 2 and 6 is 3; deviations -2, -1, 3: sqrt((4 + 1 + 9) / 2).
    spread = spread_of([{"bleu": 1.0}, {"bleu": 2.0, "dst.JGA": 5.0}, {"bleu": 6.0}])
    assert spread.keys() == {"bleu"}
    assert spread["bleu"].mean == pytest.approx(3)
    assert spread["bleu"].deviation == pytest.approx(math.sqrt(7))
    assert (spread["bleu"].lowest, spread["bleu"].highest, spread["bleu"].seeds) == (1, 6, 3)


def test_one_seed_has_no_spread() -> None:
    with pytest.raises(InputError, match="at least two seeds"):
        spread_of([{"bleu": 1.0}])


# Commands.


def test_score_adds_intervals_to_the_report(cli: Cli) -> None:
    plain = cli.json("score", CAREFUL)
    full = cli.json("score", CAREFUL, "--intervals")
    intervals = full.pop("intervals")
    assert full == plain
    assert "|interval:95|resamples:1000|seed:12345|" in intervals["signature"]
    assert (intervals["samples"], intervals["seed"], intervals["dialogues"]) == (1000, 12345, 30)
    report = read_report(plain, "report")
    values = {name: score["value"] for name, score in intervals["scores"].items()}
    assert values == report_figures(report)
    # A report with intervals reads back like any other.
    assert read_report({**full, "intervals": intervals}, "report").inform == report.inform


def test_score_shows_intervals(cli: Cli) -> None:
    out = cli.done("score", CAREFUL, "--intervals", "--metrics", "bleu,inform").out
    value = intervals_of(sample_evidence("careful"))["inform"]
    shown = " ".join(out.split())
    assert f"Inform {value.value:.1f} [{value.low:.1f}, {value.high:.1f}]" in shown
    # The others are in the JSON.
    assert "Inform, optimistic" not in out
    assert "95 % interval" not in cli.done("score", CAREFUL).out


def test_dst_adds_intervals_to_every_report(cli: Cli, tmp_path: Path) -> None:
    pairs = {
        f"d{number}": {"0": {"gt": {"hotel": {"area": "west"}}, "pr": {"hotel": {"area": said}}}}
        for number, said in enumerate(["west", "east", "west", "west"])
    }
    file = write_json(tmp_path / "pairs.json", pairs)
    first, second = cli.json("dst", CAREFUL, file, "--intervals", "--variant", "lambda=0.3")
    values = {name: score["value"] for name, score in first["intervals"]["scores"].items()}
    assert values["dst.JGA"] == first["metrics"]["JGA"]
    assert values["dst.FGA.0.3"] == first["metrics"]["FGA"]["0.3"]
    assert values["dst.fuzzy.F1"] == first["fuzzy"]["F1"]
    jga = second["intervals"]["scores"]["dst.JGA"]
    # Of four dialogues three are exact: a sample has 0 to 4 of them.
    assert jga["value"] == 75.0
    assert (jga["low"], jga["high"]) == (25.0, 100.0)
    # In every format: in its own notation, or in columns beside the figure.
    for format_, expected in {
        "text": "75.00 [25.00, 100.00]",
        "md": r"75.00 \[25.00, 100.00\]",
        "latex": "75.00 {[}25.00, 100.00{]}",
        "csv": "pairs,75.0,25.0,100.0,",
        "json": '"JGA": 75.0,\n      "JGA_low": 25.0,\n      "JGA_high": 100.0,',
    }.items():
        assert expected in cli.done("dst", file, "--intervals", "--format", format_).out
