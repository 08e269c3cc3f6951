"""Verifying: entries are scored again, nothing is written, and whatever does not hold is told."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from entered import SAMPLE_TRACKS, change_scores, edit_inform, edit_scores, sample_content, system
from helpers import Cli
from submitted import files_below

from mwz.harness.board import Rescored, read_entries, rescore, verify
from mwz.harness.board.entries import ENTRY_FILE
from mwz.harness.board.scores import SCORES_FILE, Mismatch
from mwz.harness.board.systems import PREDICTIONS_FILE

Tamper = Callable[[Path], object]
ALTERED = gzip.compress(sample_content("careful") + b" ", mtime=0)
OTHER_PREDICTIONS = f"its scores are of other predictions than {PREDICTIONS_FILE}; use --rescore"


@pytest.fixture
def folder(sample_entries: Path, tmp_path: Path) -> Path:
    """Three submissions to the sample, entered."""
    return Path(shutil.copytree(sample_entries, tmp_path / "base" / "submissions"))


def _verified(folder: Path, *names: str) -> dict[str, Rescored]:
    entries = read_entries(folder)
    chosen = [entry for entry in entries if not names or entry.key in names]
    outcomes = verify(entries, chosen, rescore(chosen))
    return {outcome.key: outcome for outcome in outcomes}


def _facts(entry: Path, **changes: Any) -> None:
    """Write an entry's `entry.toml` by hand."""
    facts = system(name=entry.name, track=SAMPLE_TRACKS[entry.name])
    (entry / ENTRY_FILE).write_text(tomli_w.dumps({**facts, **changes}), encoding="utf-8")


def test_honest_entries_hold_and_nothing_is_written(folder: Path) -> None:
    before = files_below(folder)
    outcomes = _verified(folder)
    assert outcomes == {name: Rescored(name) for name in SAMPLE_TRACKS}
    assert all(outcome.holds for outcome in outcomes.values())
    assert files_below(folder) == before


def _set(*place: str, to: object) -> Tamper:
    return lambda entry: edit_scores(entry, *place, value=to)


def _signed(name: str, value: str) -> Tamper:
    """Change a field of the signature, its line, and the field of the report that repeats it."""

    def change(content: Any) -> None:
        content = content["reports"]["2021"]
        old = content["signature_fields"][name]
        content["signature_fields"][name] = value
        # Its line shows the name and value of a field, and the beginning of a hash.
        before = {"rules_digest": old[:12]}.get(name, f"{name}:{old[:12]}")
        content["signature"] = content["signature"].replace(
            before, before.replace(old[:12], value[:12])
        )
        if name in content:
            content[name] = value
        if name == "domains":
            content["strict"]["domains"] = value

    return lambda entry: change_scores(entry, change)


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (_signed("data", "f" * 64), "reports.2021: different versions of the benchmark's content"),
        (_signed("rules_digest", "f" * 64), "reports.2021: different rules: 2021-ffffffffffff"),
        (_set("predictions", "sha256", to="f" * 64), "the predictions are not those that were sco"),
        (_set("predictions", "git_blob", to="f" * 40), OTHER_PREDICTIONS),
        (lambda entry: (entry / PREDICTIONS_FILE).write_bytes(ALTERED), OTHER_PREDICTIONS),
        (
            lambda entry: _facts(entry, track="policy-optimization"),
            "track policy-optimization: needs gold belief states; they are predicted",
        ),
        (lambda entry: _facts(entry, name="Other"), "its name is Other, so its folder must be"),
        (lambda entry: (entry / SCORES_FILE).write_text("{"), "scores.json: not JSON"),
        (lambda entry: (entry / SCORES_FILE).unlink(), "scores.json: no such file"),
        (
            lambda entry: change_scores(entry, lambda c: c["reports"].pop("2023")),
            "reports.2023: not scored",
        ),
    ],
)
def test_whatever_does_not_hold_is_told(tamper: Tamper, message: str, folder: Path) -> None:
    tamper(folder / "careful")
    careful = _verified(folder, "careful")["careful"]
    assert not careful.holds
    assert any(problem.startswith(message) for problem in careful.problems), careful


@pytest.mark.parametrize(
    ("tamper", "figure", "before", "after"),
    [
        (_signed("domains", "gold"), "domains", "gold", "states"),
        (_set("coverage", "turns", to=147), "coverage.turns", 147, 146),
        # Its responses hold 25 telephone numbers, 17 addresses and 12 postcodes, and name a venue
        # in 43 turns: 54 / 43.
        (_set("flags", "placeholders", to=0.5), "flags.placeholders", 0.5, 54 / 43),
    ],
)
def test_whatever_comes_out_differently_is_told(
    tamper: Tamper, figure: str, before: float | str, after: float | str, folder: Path
) -> None:
    tamper(folder / "careful")
    careful = _verified(folder, "careful")["careful"]
    assert careful.problems == ()
    assert Mismatch("careful", f"reports.2021.{figure}", before, after) in careful.mismatches
    assert not careful.holds


def test_other_versions_of_the_libraries_are_no_difference(folder: Path) -> None:
    def change(content: Any) -> None:
        content = content["reports"]["2021"]
        versions = content["signature_fields"]["versions"]
        content["signature"] = content["signature"].replace(f"mwz:{versions['mwz']}|", "mwz:0.0.1|")
        versions["mwz"] = "0.0.1"

    change_scores(folder / "careful", change)
    assert _verified(folder, "careful")["careful"].holds


@pytest.mark.parametrize(
    ("chosen", "copy"), [("copy", "aaa"), ("original", "aaa"), ("copy", "zzz"), ("both", "zzz")]
)
def test_copies_are_reported_for_both_entries(chosen: str, copy: str, folder: Path) -> None:
    shutil.copytree(folder / "careful", folder / copy)
    facts = (folder / copy / ENTRY_FILE).read_text(encoding="utf-8")
    (folder / copy / ENTRY_FILE).write_text(facts.replace('"careful"', f'"{copy}"'))
    names = {"copy": [copy], "original": ["careful"], "both": ["careful", copy]}[chosen]
    outcomes = _verified(folder, *names)
    problems = [problem for outcome in outcomes.values() for problem in outcome.problems]
    assert len(problems) == 1
    assert "has the predictions of" in problems[0]


# ------------------------------------------------------------------------ on the command line


@pytest.fixture
def verifying(cli: Cli) -> Cli:
    return cli.of("verify", "--jobs", 1, "--submissions")


def test_the_command_shows_differences_as_a_table(folder: Path, verifying: Cli) -> None:
    edit_inform(folder / "careful", 90.0)
    before = files_below(folder)
    run = verifying.failed(folder)
    lines = run.out.splitlines()
    start = lines.index("careful: 4 figures scored differently")
    assert lines[start + 1].split() == ["figure", "before", "after"]
    assert ["reports.2021.inform", "90.0", repr(100 * 26 / 30)] in [x.split() for x in lines]
    assert lines[-3:] == ["hasty: holds", "scripted: holds", "2 of 3 entries hold"]
    assert files_below(folder) == before
    # Those named, and no other.
    run = verifying(folder, "hasty", "scripted")
    assert (run.status, run.out) == (0, "hasty: holds\nscripted: holds\n2 of 2 entries hold\n")


def test_missing_files_fail_strict_verification(folder: Path, verifying: Cli) -> None:
    _facts(folder / "careful", predictions={"unavailable": "the disk is lost"})
    (folder / "hasty" / PREDICTIONS_FILE).unlink()
    run = verifying.done(folder)
    lines = run.out.splitlines()
    assert lines[0] == (
        "careful: not scored again: nobody can get its predictions (the disk is lost)"
    )
    assert lines[1].startswith("hasty: not scored again: ")
    assert lines[1].endswith("no such file")
    assert lines[2:] == ["scripted: holds", "1 of 3 entries hold; 2 could not be scored again"]
    run = verifying.failed(folder, "--strict")
    assert run.out.endswith("1 of 3 entries hold; 2 could not be scored again\n")
    verifying.done(folder, "scripted", "--strict")


def test_outside_a_clone_entries_are_those_of_the_package(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "(did you mean larl-2.0?)" in cli.refused("verify", "LaRL")


def test_texts_of_files_are_escaped(folder: Path, cli: Cli, verifying: Cli) -> None:
    for name in ("hasty", "scripted"):
        shutil.rmtree(folder / name)
    (folder / "careful").rename(folder / "care\x1b[2Jful")

    def change(content: Any) -> None:
        content["reports"]["2021"]["unknown_placeholders"]["\x1b]0;owned\x07"] = 3

    change_scores(folder / "care\x1b[2Jful", change)
    for run in (
        verifying(folder),
        cli("leaderboard", "--submissions", folder, "--check", "--rescore"),
        cli("audit", "care\x1b[2Jful", "--submissions", folder),
    ):
        shown = (run.out + run.err).replace("\n", "")
        assert "care\\x1b[2Jful" in shown
        assert all(character.isprintable() for character in shown)
