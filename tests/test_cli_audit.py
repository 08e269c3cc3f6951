"""`mwz audit`: what it prints, with and without explanations."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from entered import (
    PIN,
    REPOSITORY,
    made_system,
    make_older,
    sample_content,
    sample_scores,
    submit_alone,
)
from helpers import Cli, Run

from mwz.harness.board import Scores, read_entries
from mwz.harness.board.entries import ENTRY_FILE
from mwz.harness.board.scores import hashes_of
from mwz.harness.board.systems import PREDICTIONS_FILE, system_text
from mwz.normalization import published_rule_sets

# The careful sample submission has Inform 26/30 and Success 25/30 in the strict set-up, and
# 30/30 in the optimistic one.
SETUP = {
    "style": "damd",
    "tokenization": "word",
    "comparison": "intersection",
    "updates": "name",
    "reduced_search": True,
    "domains": "gold",
}
REPORTED = [
    {"source": "table 1", "inform": "86.7", "success": "99.9"},
    {"source": "table 2", "setup": "optimistic", "inform": "100"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "submissions"
    facts = made_system("Careful", setup=SETUP, reported=REPORTED)
    submit_alone(path, facts, sample_content("careful"), sample_scores("careful"))
    return path


@pytest.fixture
def audit(cli: Cli) -> Cli:
    return cli.of("audit", "--submissions")


def _lines(run: Run, start: str) -> list[list[str]]:
    """Return the cells of the lines that begin with a word."""
    return [line.split() for line in run.out.splitlines() if line.startswith(start)]


def test_each_reported_figure_has_a_verdict(folder: Path, audit: Cli) -> None:
    own, success, optimistic = _lines(audit.done(folder), "Careful")
    matches, differs = ["matches", "the", "paper"], ["does", "not", "match"]
    assert own == ["Careful", "[1]", "own", "Inform", "86.7", "86.7", "0.0", *matches]
    # 25/30 less 99.9.
    assert success == ["Careful", "[1]", "own", "Success", "99.9", "83.3", "-16.6", *differs]
    assert optimistic[2:] == ["optimistic", "Inform", "100", "100.0", "0.0", *matches]
    verdict = audit.done(folder, "careful").out.splitlines()[0]
    assert verdict == (
        "Careful: 1 of 3 reported figures not matched (harness minus it): Success 99.9 (-16.6)"
    )


def test_without_a_name_all_are_audited(audit: Cli) -> None:
    # Nobody reports anything of what the harness put into plain English itself, nor of
    # trackers and live agents.
    assert {audited["submission"] for audited in audit.json(REPOSITORY)} == {
        entry.key
        for entry in read_entries(REPOSITORY)
        if entry.scores.result is None
        and (entry.system.track != "lexicalised" or not entry.system.predictions.by_harness)
    }


def test_an_unknown_name_is_refused_with_the_known_ones(folder: Path, audit: Cli) -> None:
    assert "unknown entry 'carefull'; choose from careful" in audit.refused(folder, "carefull")


def test_an_explanation_has_all_set_ups_and_says_which_come_nearest(
    folder: Path, audit: Cli
) -> None:
    # Standard output holds nothing but JSON.
    [audited] = audit.json(folder, "--explain")
    # Careful: every rule set, two sources of states, two of domains, 24 set-ups.
    assert len(audited["grid"]["rates"]) == len(published_rule_sets()) * 2 * 2 * 24
    assert len(audited["grid"]["bleu"]) == 18
    nearest, named = (audited["reported"][0][f"nearest_{kind}"] for kind in ("rates", "named"))
    for points in (nearest, named):
        distances = [point["off_by"] for point in points]
        assert distances == sorted(distances)
    # The stated set-up, wherever it ranks: every rule set, two sources of states.
    assert sum(point["stated"] for point in nearest) == 2 * len(published_rule_sets())
    # Inform 86.7 and Success 99.9 are reported.
    best = named[0]
    gap = abs(best["inform"] - 86.7) + abs(best["success"] - 99.9)
    assert best["off_by"] == pytest.approx(gap)
    text = audit(folder, "--explain").out
    table = text[text.rindex("nearest of the set-ups of published scripts") :].splitlines()
    assert table[3].removeprefix("*").split()[:2] == [best["setup"], best["rules"]]


def test_missing_predictions_are_named_with_their_source(folder: Path, audit: Cli) -> None:
    facts = made_system("Careful", predictions=PIN, reported=REPORTED)
    (folder / "careful" / ENTRY_FILE).write_text(system_text(facts), encoding="utf-8")
    (folder / "careful" / PREDICTIONS_FILE).unlink()
    message = audit.refused(folder, "--explain")
    assert (
        "careful: predictions not available: get them by `mwz data fetch --predictions`" in message
    )


def test_unfit_predictions_have_no_set_ups(tmp_path: Path, audit: Cli) -> None:
    content = b'{"nowhere": [{"response": "hello"}]}'
    scores = Scores(sample_scores("careful").reports, hashes_of(content))
    submit_alone(tmp_path, made_system("Careful", reported=REPORTED), content, scores)
    message = audit.refused(tmp_path, "--explain")
    assert "careful: none of its 1 dialogue (the first is nowhere) is in the benchmark" in message


@pytest.mark.parametrize("options", [[], ["--explain"]])
def test_earlier_scores_are_not_audited(options: list[str], folder: Path, audit: Cli) -> None:
    make_older(folder / "careful")
    message = audit.refused(folder, *options)
    assert "careful: scores.json: format: 4 is expected" in message


def test_other_entries_faults_stop_nothing(tmp_path: Path, audit: Cli) -> None:
    for key in ("damd", "marco", "soloist", "ubar"):
        shutil.copytree(REPOSITORY / key, tmp_path / key)
    (tmp_path / "ubar" / "scores.json").write_text("{}")
    run = audit.done(tmp_path, "soloist", "damd")
    # In the order in which they are named.
    assert run.out.index("SOLOIST") < run.out.index("DAMD")
    assert "MarCo" not in run.out
    assert audit(tmp_path, "ubar").status == 2


def test_an_entry_of_the_public_board_is_audited_anywhere(here: Path, cli: Cli) -> None:
    run = cli("audit", "ubar")
    assert (run.status, run.err) == (0, "")
    assert "UBAR" in run.out
    # A folder that is named must be there.
    assert cli("audit", "ubar", "--submissions", "submissions").status == 2
