"""Scoring submissions again: what changed is put right and told, what did not is left alone."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from entered import (
    PIN,
    REPOSITORY,
    SAMPLE_TRACKS,
    all_scores,
    change_scores,
    edit_inform,
    edit_scores,
    enter,
    made_system,
    make_older,
    reports,
    sample_content,
    sample_scores,
    system,
    write_scores,
)
from helpers import Cli, refusal
from submitted import files_below

from mwz.harness import Benchmark
from mwz.harness.board import (
    Entry,
    Rescored,
    Scores,
    System,
    find_predictions,
    read_entries,
    rescore,
)
from mwz.harness.board.entries import ENTRY_FILE, read_entry
from mwz.harness.board.scores import SCORES_FILE, score_mismatches
from mwz.harness.board.submitting import publish
from mwz.harness.board.systems import PREDICTIONS_FILE, system_text
from mwz.harness.data import blob_id
from mwz.harness.errors import InputError
from mwz.harness.io import validated
from mwz.harness.scoring import Report
from mwz.normalization import published_rule_sets

NAMES = tuple(SAMPLE_TRACKS)
Reports: TypeAlias = "Mapping[str, Report]"


@pytest.fixture(scope="module")
def scored() -> dict[str, Scores]:
    return {name: sample_scores(name) for name in NAMES}


@pytest.fixture
def folder(sample_entries: Path, tmp_path: Path) -> Path:
    """Three submissions to the sample with their predictions beside them."""
    return Path(shutil.copytree(sample_entries, tmp_path / "submissions"))


def _outcomes(entries: Sequence[Entry], *folders: Path) -> list[Rescored]:
    return sorted(rescore(entries, None, folders), key=lambda outcome: outcome.key)


def _rescore(folder: Path, *folders: Path, keys: Sequence[str] = NAMES) -> dict[str, Rescored]:
    submissions = read_entries(folder)
    outcomes = _outcomes([entry for entry in submissions if entry.key in keys], *folders)
    publish(folder, submissions, outcomes)
    return {outcome.key: outcome for outcome in outcomes}


def _pin(folder: Path, content: bytes, **changes: str) -> Entry:
    """Make a submission's predictions pinned ones, to be found elsewhere."""
    place = {"path": "predictions/careful.json", "git_blob": blob_id(content)}
    facts = made_system(folder.name, predictions={**PIN, **place, **changes})
    (folder / ENTRY_FILE).write_text(system_text(facts), encoding="utf-8")
    (folder / PREDICTIONS_FILE).unlink(missing_ok=True)
    return read_entry(folder)


def test_unchanged_scores_are_not_written(folder: Path) -> None:
    paths = [folder / name / SCORES_FILE for name in NAMES]
    for path in paths:
        os.utime(path, ns=(10**18, 10**18))
    outcomes = _rescore(folder)
    for name in NAMES:
        assert (outcomes[name].mismatches, outcomes[name].missing) == ((), None)
    assert {path.stat().st_mtime_ns for path in paths} == {10**18}


def _signed(**changes: object) -> Callable[[Reports], Reports]:
    """Return what changes the signature of the default rule set's report."""

    def change(reports: Reports) -> Reports:
        first = reports["2021"]
        signature = replace(first.signature, **changes)  # type: ignore[arg-type]
        return {**reports, "2021": replace(first, signature=signature)}

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda reports: {rules: reports[rules] for rules in ("2021", "2026")},
        _signed(rules_digest="f" * 64),
        _signed(data="f" * 64),
        _signed(versions={"mwz": "0"}),
    ],
    ids=["a rule set lacking", "other rules", "other data", "other versions"],
)
def test_outdated_scores_are_made_again(
    change: Callable[[Reports], Reports], folder: Path, scored: Mapping[str, Scores]
) -> None:
    path = folder / "careful" / SCORES_FILE
    before = path.read_bytes()
    current = scored["careful"]
    write_scores(path.parent, replace(current, reports=change(current.reports)))
    outcome = _rescore(folder, keys=["careful"])["careful"]
    assert (outcome.scores, outcome.mismatches) == (current, ())
    assert path.read_bytes() == before


def test_rescoring_uses_the_same_benchmark(folder: Path, scored: Mapping[str, Scores]) -> None:
    # The default benchmark is another one where the submission's own is not installed.
    elsewhere = {
        rules: replace(report, signature=replace(report.signature, benchmark="elsewhere"))
        for rules, report in scored["careful"].reports.items()
    }
    write_scores(folder / "careful", Scores(elsewhere, None))
    [careful] = _outcomes(read_entries(folder)[:1])
    assert "benchmark elsewhere: not installed" in careful.missing
    assert careful.scores is None


@pytest.mark.parametrize("place", ["predictions/careful.json", "careful.json"])
def test_pinned_files_are_found_in_folders(place: str, folder: Path, tmp_path: Path) -> None:
    entry = _pin(folder / "careful", sample_content("careful"))
    file = tmp_path / "elsewhere" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(sample_content("careful"))
    assert find_predictions(entry, [tmp_path / "elsewhere"]) == sample_content("careful")
    outcome = _rescore(folder, tmp_path / "elsewhere", keys=["careful"])["careful"]
    assert (outcome.missing, outcome.mismatches) == (None, ())


def test_pinned_files_are_found_in_data(folder: Path, data_directory: Path) -> None:
    entry = _pin(folder / "careful", sample_content("careful"))
    pinned = entry.system.predictions.pinned
    file = data_directory / "downloads" / pinned.place
    file.parent.mkdir(parents=True)
    file.write_bytes(sample_content("careful"))
    assert find_predictions(entry, ()) == sample_content("careful")


def test_a_file_that_is_not_the_pinned_one_is_refused(folder: Path, tmp_path: Path) -> None:
    entry = _pin(folder / "careful", sample_content("careful"))
    (tmp_path / "careful.json").write_bytes(sample_content("hasty"))
    with pytest.raises(InputError, match="is not the pinned file"):
        find_predictions(entry, [tmp_path])
    before = (folder / "careful" / SCORES_FILE).read_bytes()
    outcome = _rescore(folder, tmp_path, keys=["careful"])["careful"]
    assert blob_id(sample_content("careful")) in outcome.missing
    assert (folder / "careful" / SCORES_FILE).read_bytes() == before


def test_a_pinned_path_does_not_lead_out_of_its_folder(folder: Path) -> None:
    entry = _pin(folder / "careful", sample_content("careful"), path="../../etc/passwd")
    with pytest.raises(InputError, match="not a path inside"):
        find_predictions(entry, ())


def test_missing_and_damaged_predictions_are_told(folder: Path) -> None:
    (folder / "careful" / PREDICTIONS_FILE).unlink()
    (folder / "hasty" / PREDICTIONS_FILE).write_bytes(sample_content("hasty")[:100])
    entries = read_entries(folder)
    outcomes = _outcomes(entries)
    careful, hasty, scripted = (outcome.missing for outcome in outcomes)
    assert "no such file" in str(careful)
    assert "not JSON" in str(hasty)
    assert scripted is None
    # The careful one is shown without a rank; nobody knows what the scores of the hasty one are of.
    assert refusal(publish, folder, entries, outcomes).problems == (
        f"hasty: its scores are of other predictions than {PREDICTIONS_FILE}; use --rescore",
    )


def test_hashes_are_updated_where_scores_stay(folder: Path) -> None:
    content = sample_content("careful") + b"\n"
    (folder / "careful" / PREDICTIONS_FILE).write_bytes(gzip.compress(content, mtime=0))
    outcome = _rescore(folder, keys=["careful"])["careful"]
    assert (outcome.mismatches, outcome.missing) == ((), None)
    hashes = read_entry(folder / "careful").scores.predictions
    assert hashes.git_blob == blob_id(content)


def test_scores_that_would_no_longer_compare_are_not_written(tmp_path: Path) -> None:
    submissions = [enter(tmp_path, "one"), enter(tmp_path, "two")]
    moved = Scores(reports(data="ba9876543210"), submissions[1].scores.predictions)
    outcomes = [Rescored("one", missing="predictions not available"), Rescored("two", moved)]
    with pytest.raises(InputError, match="leaderboard: two: does not compare with one"):
        publish(tmp_path, submissions, outcomes)
    assert read_entries(tmp_path) == submissions


def test_the_corpus_is_scored_from_the_benchmark(folder: Path, sample: Benchmark) -> None:
    corpus = folder / "corpus"
    corpus.mkdir()
    facts = validated(
        System, system(name="Corpus", track="reference", predictions={"made": "damd"}), "system"
    )
    (corpus / ENTRY_FILE).write_text(system_text(facts), encoding="utf-8")
    scores = all_scores("damd", sample, "corpus")
    write_scores(corpus, scores)
    edit_scores(corpus, "bleu", "damd", value=1.0)
    [mismatch] = _rescore(folder, keys=["corpus"])["corpus"].mismatches
    # The references against themselves.
    assert mismatch.field == "reports.2021.bleu.damd"
    assert mismatch.made == pytest.approx(100)
    assert read_entry(corpus).scores.predictions is None


# ------------------------------------------------------------------------ on the command line


def _line(text: str, part: str) -> str:
    [line] = [line for line in text.splitlines() if part in line]
    return line


def test_scores_of_earlier_versions_are_reported(folder: Path, board_cli: Cli) -> None:
    make_older(folder / "careful")
    problem = "careful: scores.json: format: 4 is expected"
    assert problem in board_cli.refused(folder)
    run = board_cli.done(folder, "--rescore")
    assert "careful: made again; what was stored could not be used" in run.out
    board_cli.done(folder, "--check")


def test_rescoring_lists_and_writes_differences(folder: Path, board_cli: Cli) -> None:
    board_cli.done(folder)
    page = (folder.parent / "leaderboard.md").read_bytes()
    run = board_cli(folder, "--check", "--rescore")
    assert (run.status, run.err) == (0, "")
    assert "careful: unchanged" in run.out
    assert "leaderboard.md: up to date\n" in run.out
    # The page follows from the edited scores, where nothing is stored of single dialogues: only
    # scoring again tells.
    change_scores(folder / "careful", lambda content: content.pop("dialogues"))
    edit_inform(folder / "careful", 90.0)
    board_cli.done(folder)
    before = files_below(folder.parent)
    board_cli.done(folder, "--check")
    run = board_cli.failed(folder, "--check", "--rescore")
    # Inform (26 of 30 dialogues) and the combined score, in all and in the strict set-up.
    assert "careful: 4 figures changed" in run.out
    assert "hasty: unchanged" in run.out
    assert _line(run.out, "strict.inform.total").split()[1:] == ["90.0", repr(100 * 26 / 30)]
    assert files_below(folder.parent) == before
    # Without --check the same is written.
    board_cli.done(folder, "--rescore", "--jobs", 2)
    assert (folder.parent / "leaderboard.md").read_bytes() == page


@pytest.mark.real_data
def test_the_repositorys_own_scores_come_out_again(upstream: Path, multiwoz: Benchmark) -> None:
    # A small file, one of another format and a reference row stand for all, which `mwz verify`
    # scores.
    for key in ("hdno", "larl-2.0", "constant-response"):
        entry = read_entry(REPOSITORY / key)
        content = find_predictions(entry, [upstream])
        scores = all_scores(content, multiwoz, key)
        assert list(scores.reports) == list(published_rule_sets())
        # An entry has a metric or a rule set that is new once it is scored again.
        mismatches = score_mismatches(key, entry.scores, scores)
        assert not [mismatch for mismatch in mismatches if mismatch.stored is not None]
        assert scores.predictions == entry.scores.predictions
        assert entry.scores.reports
        for rules, stored in entry.scores.reports.items():
            assert stored.signature.comparable_with(scores.reports[rules].signature)
