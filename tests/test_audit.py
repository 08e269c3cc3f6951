"""The audit: when a reported figure counts as reproduced, and what it finds in the paper."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from entered import OPTIMISTIC, PUBLISHED, REPOSITORY, STRICT, enter, report, system
from hypothesis import given, strategies as st

from mwz.harness import Benchmark
from mwz.harness.board import Entry, find_predictions, read_entries
from mwz.harness.board.entries import read_entry
from mwz.harness.board.reported import (
    PrintedFigure,
    ReportedFigures,
    figures_beside,
    printed_figures,
    read_reported,
)
from mwz.harness.board.verdicts import Alternatives, judged_figures
from mwz.harness.scoring import Options
from mwz.harness.scoring.scorer import score


@given(scored=st.floats(0, 200), digits=st.integers(0, 6), other=st.floats(0, 200))
def test_scores_reproduce_only_their_printed_digits(
    scored: float, digits: int, other: float
) -> None:
    printed = Decimal(f"{scored:.{digits}f}")
    assert PrintedFigure(printed, scored).equal
    assert (
        not PrintedFigure(printed, other).equal or abs(other - float(printed)) <= 0.51 * 10**-digits
    )


def _by_metric(
    entry: Entry, alternatives: Alternatives | None = None, setup: str | None = None
) -> dict[str, PrintedFigure]:
    """Return metric -> what is found of the one source of an entry, or that of a set-up."""
    [claim] = [claim for claim in entry.system.reported if setup in (None, claim.setup)]
    return {figure.metric: figure for figure in judged_figures(entry, claim, alternatives)}


Auditing = Callable[..., dict[str, PrintedFigure]]
_UNDER = "matches the paper under"
_AS_OPTIMISTIC = {"setup": "optimistic"}


@pytest.fixture
def auditing(tmp_path: Path) -> Auditing:
    """Audits one made-up system: BLEU 20, strict 70 / 60, optimistic 80 / 65; in 2023 one less."""
    styles = {"damd": 21.5, "lava": 22.25}
    less = {
        "strict": {metric: rate - 1 for metric, rate in STRICT.items()},
        "optimistic": {metric: rate - 1 for metric, rate in OPTIMISTIC.items()},
    }

    def audit(
        reported: dict[str, Any], alternatives: Alternatives | None = None
    ) -> dict[str, PrintedFigure]:
        content = system(reported=[{"source": "table 1", **reported}])
        newer = report("2023", styles=styles, **less)
        scored = {"2021": report("2021", styles=styles), "2023": newer}
        return _by_metric(enter(tmp_path, "system", content, scored), alternatives)

    return audit


def test_each_figure_stands_beside_all_set_ups_and_rule_sets(auditing: Auditing) -> None:
    inform = auditing({"inform": 75.0})["inform"]
    older = {("2021", "strict"): 70.0, ("2021", "optimistic"): 80.0}
    assert inform.by_setup == older | {("2023", "strict"): 69.0, ("2023", "optimistic"): 79.0}
    assert (inform.difference, inform.verdict) == (-5.0, "does not match")


@pytest.mark.parametrize(
    ("metric", "reported", "difference", "verdict"),
    [
        ("inform", {"inform": 70.0}, 0.0, "matches the paper"),
        ("inform", {"inform": 70.0, "setup": "strict"}, 0.0, "matches the paper"),
        ("inform", {**_AS_OPTIMISTIC, "inform": 80.0}, 0.0, "matches the paper"),
        ("inform", {"inform": 80.0}, -10.0, f"{_UNDER} optimistic set-up, rules 2021"),
        ("inform", {**_AS_OPTIMISTIC, "inform": 70.0}, 10.0, f"{_UNDER} strict set-up, rules 2021"),
        ("inform", {"inform": 69.0}, 1.0, f"{_UNDER} strict set-up, rules 2023"),
        ("inform", {"inform": 79.0}, -9.0, f"{_UNDER} optimistic set-up, rules 2023"),
        ("inform", {"inform": 70.1}, -0.1, "does not match"),
        ("bleu", {"bleu": 20.0}, 0.0, "matches the paper"),
        ("bleu", {"bleu": 21.5}, -1.5, f"{_UNDER} damd references"),
        ("bleu", {"bleu": 21.5, "style": "damd"}, 0.0, "matches the paper"),
        ("bleu", {"bleu": 20.0, "style": "damd"}, 1.5, f"{_UNDER} mwz22 references"),
        ("bleu", {"bleu": 30.0}, -10.0, "does not match"),
    ],
)
def test_a_figure_is_compared_with_its_own_set_up_or_style_first(
    auditing: Auditing, metric: str, reported: dict[str, Any], difference: float, verdict: str
) -> None:
    figure = auditing(reported)[metric]
    assert figure.verdict == verdict
    assert figure.difference == pytest.approx(difference)


def test_what_else_a_figure_could_be_is_named_if_it_gives_it(auditing: Auditing) -> None:
    def alternatives(claim: ReportedFigures, metric: str) -> list[tuple[str, float]]:
        return [("another way", 75.0), ("a further way", 75.04)] if metric == "inform" else []

    found = auditing({"inform": 75.0, "success": 66.0}, alternatives)
    assert found["inform"].verdict == "matches the paper under another way"
    assert found["success"].verdict == "does not match"


def test_a_figure_that_the_scores_lack_is_not_scored(tmp_path: Path) -> None:
    content = system(reported=[{"source": "table 1", "inform": 70.0, "bleu": 20.0}])
    only_bleu = replace(report(), metrics={"bleu": report().bleu})
    found = _by_metric(enter(tmp_path, "system", content, {"2021": only_bleu}))
    assert (found["bleu"].verdict, found["inform"].verdict) == ("matches the paper", "not scored")


# ------------------------------------------------------------- the systems of the repository


def _published(key: str, setup: str) -> dict[str, PrintedFigure]:
    """Return what is found of a system's figures in one set-up: its own, strict, optimistic."""
    return _by_metric(read_entry(REPOSITORY / key), setup=setup)


@pytest.mark.parametrize(
    ("key", "inform", "success"),
    # Reported less what the paper's table 5 gives.
    [
        ("damd", 76.3 - 57.9, 60.4 - 47.6),
        ("ubar", 95.7 - 83.4, 81.8 - 70.3),
        ("augpt", 91.4 - 76.6, 72.9 - 60.5),
    ],
)
def test_systems_that_report_more_than_they_score(key: str, inform: float, success: float) -> None:
    figures = _published(key, "own")
    assert figures["inform"].difference == pytest.approx(-inform, abs=0.06)
    assert figures["success"].difference == pytest.approx(-success, abs=0.06)
    assert figures["inform"].verdict == figures["success"].verdict == "does not match"


@pytest.mark.real_data
def test_reported_figures_follow_their_active_domains(multiwoz: Benchmark, upstream: Path) -> None:
    entries = read_entries(REPOSITORY)
    by_key = {entry.key: entry for entry in entries}
    claims = [(entry.key, claim) for entry in entries for claim in entry.system.reported]
    for table in read_reported(REPOSITORY):
        for row in table.rows:
            claims += [(row.entry, claim) for claim in printed_figures(table, row)]
    tested = [(key, claim) for key, claim in claims if key in by_key and claim.domains]
    assert sorted(key for key, _ in tested) == ["dard-best-agents", "dots", "dots"]
    # The claims of an entry name the same domains: it is scored once.
    scores = {}
    for key, claim in tested:
        if key not in scores:
            sources = {"domains": claim.domains, "placeholders": by_key[key].system.aliases}
            options = Options(metrics=["bleu", "inform", "diversity"], **sources)
            content = find_predictions(by_key[key], [upstream])
            scores[key] = score(json.loads(content), multiwoz, options), claim.domains
        report_, domains = scores[key]
        assert domains == claim.domains
        for metric, figure in figures_beside(report_, "strict", claim.figures).items():
            assert figure.equal, metric


@pytest.mark.parametrize(("key", "old", "new"), [("marco", 94.5, 91.4), ("ubar", 83.4, 82.4)])
def test_systems_move_between_rule_sets(key: str, old: float, new: float) -> None:
    by_setup = _published(key, "own")["inform"].by_setup
    assert round(by_setup["2021", "strict"], 1) == old
    assert round(by_setup["2023", "strict"], 1) == new


@pytest.mark.real_data
def test_entered_figures_are_those_printed(expected: Callable[[str], Any]) -> None:
    tables = expected("paper_tables.json")
    bleu, rates = tables["table4_bleu"], tables["table5_inform_success"]
    for entry in (read_entry(REPOSITORY / key) for key in PUBLISHED):
        name = entry.system.name
        printed = {
            "own": {
                "bleu": bleu["reported"][name],
                "inform": rates["inform_reported"][name],
                "success": rates["success_reported"][name],
            },
            "strict": {
                "bleu": bleu["mwz22"][name],
                "inform": rates["inform"][name],
                "success": rates["success"][name],
            },
            "optimistic": {
                "inform": rates["inform_optimistic"][name],
                "success": rates["success_optimistic"][name],
            },
        }
        entered = {
            claim.setup: {metric: float(figure) for metric, figure in claim.figures.items()}
            for claim in entry.system.reported
        }
        assert entered == printed, name


@pytest.mark.parametrize(
    ("printed", "scored", "equal", "cut_off"),
    [
        *(("13.79", 13.7949, True, False), ("13.79", 13.7986, False, True)),
        # Halves may be rounded either way; a whole unit is another figure.
        *(("88.2", 88.25, True, False), ("88.3", 88.25, True, False), ("5", 6.0, False, False)),
    ],
)
def test_a_printed_figure_agrees_within_half_a_unit_of_its_last_digit(
    printed: str, scored: float, equal: bool, cut_off: bool
) -> None:
    figure = PrintedFigure(Decimal(printed), scored)
    assert (figure.equal, figure.cut_off) == (equal, cut_off)
