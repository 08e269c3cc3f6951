"""`mwz submit`: from a predictions file to the leaderboard, or to nothing at all."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from entered import REPOSITORY, enter_sample, sample_scores
from helpers import CAREFUL, HASTY, Cli, sample_predictions, table_rows, write_json
from submitted import Submitting, files_below

from mwz.harness.board import read_board, read_entries
from mwz.harness.board.entries import read_entry


@pytest.fixture
def submitting(tmp_path: Path, cli: Cli) -> Submitting:
    return Submitting(tmp_path, cli, "end-to-end")


@pytest.mark.usefixtures("flags_reviewed")
def test_one_command_scores_enters_and_ranks_a_system(submitting: Submitting) -> None:
    run = submitting.done(
        CAREFUL,
        "Care Ful",
        *("--paper", "https://paper.org", "--code", "https://code.org", "--fact", "multiwoz=2.2"),
        *("--reported", "inform=76.30", "--reported", "bleu=16", "--source", "table 2"),
    )
    entry = read_entry(submitting.folder / "care-ful")
    names = {path.name for path in entry.folder.iterdir()}
    assert names == {"entry.toml", "scores.json", "predictions.json.gz"}
    entered = entry.system
    assert (entered.name, entered.track, entered.multiwoz) == ("Care Ful", "end-to-end", "2.2")
    assert (entered.paper, entered.code) == ("https://paper.org", "https://code.org")
    [reported] = entered.reported
    figures = {metric: str(figure) for metric, figure in reported.figures.items()}
    assert (reported.source, figures) == ("table 2", {"inform": "76.30", "bleu": "16"})
    predictions = CAREFUL.read_bytes()
    stored = entry.folder / "predictions.json.gz"
    assert gzip.decompress(stored.read_bytes()) == predictions
    assert entry.scores == sample_scores("careful")
    header, _, cells, *_ = table_rows(run.out)
    row = dict(zip(header, cells, strict=True))
    rates = [f"{rate:.1f}" for rate in (entry.scores.main.inform, entry.scores.main.success)]
    assert [row[title] for title in ("System", "Inform", "Success")] == ["Care Ful", *rates]
    assert run.out.startswith("End-to-end systems, rule set 2021: rank 1 of 1\n")


def test_an_existing_submission_is_not_overwritten(submitting: Submitting) -> None:
    enter_sample(submitting.folder, "careful")
    before = files_below(submitting.folder.parent)
    message = submitting.refused(HASTY, "CAREFUL")
    assert "there is an entry of that name; use another, or --replace" in message
    assert files_below(submitting.folder.parent) == before


@pytest.mark.usefixtures("flags_reviewed")
def test_an_existing_submission_is_replaced_when_asked(submitting: Submitting) -> None:
    submitting(CAREFUL, "System", "--reported", "inform=99")
    run = submitting.done(HASTY, "System", "--replace")
    assert "rank 1 of 1" in run.out
    entry = read_entry(submitting.folder / "system")
    assert (entry.scores, entry.system.reported) == (sample_scores("hasty"), ())
    submitting.run.done("leaderboard", "--check")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b'{"town001": [{"state": {}}]}', "states alone are scored by `mwz dst`"),
        (b'{"nowhere": [{"response": "hello"}]}', "nowhere"),
    ],
)
def test_bad_predictions_leave_nothing(
    content: bytes, message: str, submitting: Submitting, tmp_path: Path
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    shown = submitting.refused(path, "System")
    assert message in shown
    assert str(path) in shown
    assert not submitting.folder.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reported", "infrom=76.3"], "unknown metric 'infrom'; choose from inform, success"),
        (["--reported", "inform="], "write METRIC=VALUE"),
        (["--reported", "inform=76", "--reported", "inform=77"], "give each metric once"),
        (["--paper", "javascript:alert(1)"], "paper: expected a complete address such as"),
        (["--fact", "licence"], "write NAME=VALUE"),
        (["--fact", "license=MIT"], "unknown fact 'license'; choose from multiwoz"),
        (["--benchmark", "none"], "not installed"),
    ],
)
def test_bad_options_leave_nothing(
    options: list[str], message: str, submitting: Submitting
) -> None:
    assert message in submitting.refused(HASTY, "System", *options)
    assert not submitting.folder.exists()


@pytest.mark.usefixtures("flags_reviewed")
def test_a_policy_system_may_use_predicted_states_and_say_so(submitting: Submitting) -> None:
    note = ("--note", "its file holds predicted states, which are used")
    run = submitting.done(CAREFUL, "System", *note, track="policy-optimization")
    assert "Policy-optimization systems, rule set 2021: rank 1 of 1\n" in run.out
    page = submitting.page.read_text(encoding="utf-8")
    assert "\n- **System** N its file holds predicted states, which are used\n" in page


def test_a_reference_row_cannot_be_replaced(submitting: Submitting) -> None:
    shutil.copytree(REPOSITORY / "corpus", submitting.folder / "corpus")
    submitting.run("leaderboard")
    before = files_below(submitting.folder.parent)
    assert "cannot be replaced" in submitting.refused(CAREFUL, "Corpus", "--replace")
    assert files_below(submitting.folder.parent) == before


def test_broken_entries_are_reported_before_writing(submitting: Submitting) -> None:
    enter_sample(submitting.folder, "careful")
    write_json(submitting.folder / "careful" / "scores.json", {})
    before = files_below(submitting.folder.parent)
    message = submitting.refused(HASTY, "second")
    assert "careful: scores.json: format: 4 is expected" in message
    assert files_below(submitting.folder.parent) == before


def test_facts_that_are_not_stated_are_listed_once(submitting: Submitting) -> None:
    run = submitting.done(CAREFUL, "system", "--fact", "model=T9", "--fact", "open_weights=no")
    [message] = [line for line in run.err.splitlines() if "not stated" in line]
    assert message == (
        "mwz: not stated of the system: multiwoz, year, training, test_in_training, prompts, runs, "
        "date, licence; give what you know by --fact, or add it to "
        f"{submitting.folder / 'system' / 'entry.toml'}"
    )


def test_no_board_is_begun_unasked(here: Path, cli: Cli) -> None:
    arguments = ("submit", CAREFUL, "--name", "Mine", "--track", "end-to-end")
    run = cli(*arguments)
    assert (run.status, list(here.iterdir())) == (2, [])
    assert run.err.startswith("mwz: submissions: no such folder here: this is not a clone")
    cli.done(*arguments, "--submissions", here / "submissions")
    assert (here / "submissions" / "mine" / "scores.json").is_file()
    # The board is there now.
    cli.done(*arguments, "--replace")


def test_a_new_board_is_said_to_be_one(submitting: Submitting) -> None:
    said = f"mwz: began a new board in {submitting.folder}\n"
    assert said in submitting.done(CAREFUL, "Ours").err
    assert said not in submitting.done(HASTY, "Others").err


def test_states_of_another_entry_are_declared(
    submitting: Submitting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The sample is small.
    monkeypatch.setattr("mwz.harness.board.copied.FEWEST", 5)
    enter_sample(submitting.folder, "hasty", "careful")
    hasty = sample_predictions("hasty")
    said = sample_predictions("scripted")
    own = {
        id_: [{**turn, **new} for turn, new in zip(turns, said[id_], strict=True)]
        for id_, turns in hasty.items()
    }
    path = write_json(tmp_path / "own.json", own)
    message = submitting.refused(path, "Own", "--states-of", "careful")
    assert "own: entry.toml: states_of: its belief states are not those of careful (" in message
    assert not (submitting.folder / "own").exists()
    run = submitting(path, "Own")
    assert "one earlier entry's (hasty): 1.00; " in run.err
    assert "an entry that says so (`states_of`) is ranked by its responses" in run.err
    run = submitting.done(path, "Own", "--states-of", "hasty", "--replace")
    assert "(hasty)" not in run.err
    assert "**Own** S belief states of hasty" in submitting.page.read_text(encoding="utf-8")
    board = read_board(submitting.folder, read_entries(submitting.folder), "2021")
    [row] = [row for row in board.of_track("state-tracking") if row.key == "own"]
    # The states have their place already.
    assert (row.rank, row.reasons[0]) == (None, "its belief states are those of hasty")
    submitting.run.done("leaderboard", "--check")


def test_all_missing_parameters_are_named_at_once(cli: Cli) -> None:
    refused = cli.refused("submit", "--track", "live")
    assert "missing: PREDICTIONS, --name TEXT\n" in refused
