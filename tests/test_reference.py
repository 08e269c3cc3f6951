"""Default scores, which take shortcuts, are those of the libraries alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import CAREFUL, Cli

from mwz.harness import Benchmark, Options, Scorer
from mwz.harness.cli.verify import reference_differences
from mwz.harness.metrics import counts
from mwz.harness.scoring import venue_database
from mwz.normalization import normalizing


def _differences(sample: Benchmark, content: dict[str, Any]) -> list[tuple[str, object, object]]:
    encoded = json.dumps(content).encode()
    return reference_differences(Scorer(sample), encoded, "predictions", Options())


def test_the_sample_scores_alike(sample: Benchmark, careful: dict[str, Any]) -> None:
    assert _differences(sample, careful) == []
    # Of an incomplete submission the lower bound as well.
    assert _differences(sample, dict([*careful.items()][:7])) == []
    assert reference_differences(Scorer(sample), "constant", "constant", Options()) == []


def test_a_wrong_shortcut_is_found(
    sample: Benchmark, careful: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not one that the scores of other tests were made with.
    careful["town001"][0]["response"] = "it is in the [value_area] , is it not?"
    monkeypatch.setattr(normalizing, "detokenize", lambda text: text.replace("the", "a"))
    normalizing.normalize_response.cache_clear()
    differences = _differences(sample, careful)
    normalizing.normalize_response.cache_clear()
    assert {place for place, *_ in differences} >= {"bleu.mwz22", "combined", "strict.combined"}
    monkeypatch.undo()
    monkeypatch.setattr("mwz.harness.metrics.counts.tokenize_13a", str.split)
    monkeypatch.setattr(counts, "_kept_tokens", str.split)
    assert "bleu.damd" in {place for place, *_ in _differences(sample, careful)}


def test_a_wrong_answer_of_the_venue_database_is_found(
    sample: Benchmark, careful: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    venue_database.cache_clear()
    monkeypatch.setattr("mwz.database.venues.reaches", lambda *arguments: False)
    differences = _differences(sample, careful)
    venue_database.cache_clear()
    assert any("venues of restaurant" in place for place, *_ in differences)


def test_the_command_compares_entries(here: Path, cli: Cli) -> None:
    place = ("--benchmark", "sample", "--submissions", "submissions")
    arguments = ("--name", "Careful", "--track", "end-to-end", *place)
    submitted = CAREFUL
    cli.done("submit", submitted, *arguments)
    run = cli("verify", "--reference", "--benchmark", "sample", "--jobs", 1)
    assert (run.status, run.out) == (0, "careful: ok\n")
