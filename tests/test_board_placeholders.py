"""Entries that declare placeholders: scored with and without them, ranked with all others."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from entered import edit_scores, enter_sample, sample_content, sample_scores
from helpers import Cli, refusal, write_json

from mwz.harness import Benchmark
from mwz.harness.board import read_entries
from mwz.harness.board.audit.setup_search import search_setups
from mwz.harness.board.entries import ENTRY_FILE, read_entry
from mwz.harness.board.model import rows
from mwz.harness.board.pairs import read_pairs
from mwz.harness.board.scores import SCORES_FILE
from mwz.harness.board.systems import read_system
from mwz.harness.cli import main
from mwz.harness.scoring.scorer import score
from mwz.normalization import Aliases, alias_tables

# The careful submission's reference numbers by a name of its own.
OWN = {"booking_ref": "REFERENCE"}
CONTENT = sample_content("careful").replace(b"[ref]", b"[booking_ref]")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with outputs and the table of their placeholders."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "own.toml").write_text(tomli_w.dumps({"placeholders": OWN}))
    (folder / "outputs.json").write_bytes(CONTENT)
    return folder


@pytest.fixture
def table(files: Path) -> Path:
    return files / "own.toml"


@pytest.fixture
def outputs(files: Path) -> Path:
    return files / "outputs.json"


@pytest.fixture(scope="module")
def original(files: Path) -> Path:
    """A board with `hasty` and the entry `aliased`, which declares its placeholders."""
    folder = files / "base" / "submissions"
    enter_sample(folder, "hasty")
    about = ("--name", "Aliased", "--track", "end-to-end", "--benchmark", "sample")
    places = ("--placeholders", str(files / "own.toml"), "--submissions", str(folder))
    with pytest.raises(SystemExit, match="0"):
        main(["submit", str(files / "outputs.json"), *about, *places])
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original.parent, tmp_path / "base")
    return tmp_path / "base" / "submissions"


@pytest.fixture
def submit(cli: Cli) -> Cli:
    about = ("--track", "end-to-end", "--benchmark", "sample")
    return cli.of("submit", *about, "--submissions")


def _declare(folder: Path, placeholders: dict[str, str] | None) -> None:
    """Declare other placeholders in the `entry.toml` of `aliased`."""
    path = folder / "aliased" / ENTRY_FILE
    system = read_system(path).model_dump(exclude_none=True, exclude_defaults=True)
    system.pop("placeholders", None)
    if placeholders is not None:
        system["placeholders"] = placeholders
    path.write_text(tomli_w.dumps(system))


def _without(sample: Benchmark) -> dict[str, float]:
    report = score(json.loads(CONTENT), sample)
    figures = {name: getattr(report, name) for name in ("inform", "success", "combined")}
    return {"bleu": report.bleu["mwz22"], **figures}


def test_entries_keep_scores_without_their_table(folder: Path, sample: Benchmark) -> None:
    entry = read_entry(folder / "aliased")
    assert entry.system.aliases == Aliases.from_table(OWN)
    # By the table it says what the careful submission says.
    known = sample_scores("careful").reports
    for rules, report in entry.scores.reports.items():
        assert report.signature.parameters == {"placeholders": Aliases.from_table(OWN).label}
        assert report.metrics == known[rules].metrics
    without = entry.scores.without_placeholders
    assert without.keys() == known.keys()
    assert without["2021"] == _without(sample)
    assert without["2021"]["success"] < (known["2021"].success or 0)
    assert sample_scores("careful").without_placeholders is None


@pytest.mark.usefixtures("flags_reviewed")
def test_entries_with_placeholders_are_ranked(folder: Path, cli: Cli) -> None:
    entries = read_entries(folder)
    assert [(row.key, row.rank) for row in rows(entries, "2021")] == [("aliased", 1), ("hasty", 2)]
    assert read_pairs(folder, entries).get(("aliased", "hasty")) is not None
    with contextlib.chdir(folder.parent):
        run = cli.done("compare", "aliased", "hasty")
    assert f"different placeholders: {Aliases.from_table(OWN).label} and none" in run.out


def test_the_page_notes_figures_without_a_table(folder: Path, sample: Benchmark, cli: Cli) -> None:
    page = " ".join((folder.parent / "leaderboard.md").read_text(encoding="utf-8").split())
    figures = "/".join(f"{value:.1f}" for value in _without(sample).values())
    note = (
        "1 system-specific placeholder is mapped (the entry's own table); without them "
        f"BLEU/Inform/Success/Combined {figures}"
    )
    assert f"- **Aliased** P {note}" in page
    # Behind its sign stands what the score is without them: less by what they add to Combined.
    [row] = [row for row in rows(read_entries(folder), "2021") if row.key == "aliased"]
    [mark] = [mark for mark in row.marks if mark.kind == "placeholders"]
    lost = _without(sample)["combined"] - (row.figures["combined"].number or 0)
    assert (mark.value, lost < 0) == (f"{lost:.1f}", True)
    cli.done("leaderboard", "--submissions", folder, "--check")


@pytest.mark.parametrize(
    ("declared", "label"), [(None, "none"), ({"table": "dard"}, alias_tables()["dard"].label)]
)
def test_other_placeholders_than_those_scored_with_are_found(
    declared: dict[str, str] | None, label: str, folder: Path, cli: Cli
) -> None:
    _declare(folder, declared)
    run = cli("leaderboard", "--submissions", folder, "--check")
    assert run.status != 0
    message = (
        f"scored with placeholders {Aliases.from_table(OWN).label}, and entry.toml declares {label}"
    )
    assert f"aliased: rule set 2021: {message}; use --rescore" in run.out + run.err


def test_scoring_again_honours_what_is_declared(folder: Path, sample: Benchmark, cli: Cli) -> None:
    _declare(folder, None)
    cli.done("leaderboard", "--submissions", folder, "--rescore", "--jobs", 1)
    entry = read_entry(folder / "aliased")
    assert entry.scores.without_placeholders is None
    assert entry.scores.main.success == _without(sample)["success"]
    _declare(folder, OWN)
    cli.done("leaderboard", "--submissions", folder, "--rescore", "--jobs", 1)
    entry = read_entry(folder / "aliased")
    assert entry.scores.main.metrics == sample_scores("careful").main.metrics
    assert (entry.scores.without_placeholders or {})["2021"] == _without(sample)


def test_an_edited_figure_without_placeholders_is_found(folder: Path, cli: Cli) -> None:
    place = ("without_placeholders", "2021", "success")
    edit_scores(folder / "aliased", *place, value=99.0)
    run = cli("verify", "--submissions", folder, "aliased", "--strict", "--jobs", 1)
    assert run.status != 0
    assert "without_placeholders.2021.success" in run.out


def test_a_table_of_placeholders_makes_no_other_entry(
    folder: Path, tmp_path: Path, submit: Cli
) -> None:
    # Saved by another program, and without the table: what it says is the same.
    again = tmp_path / "again.json"
    again.write_text(json.dumps(json.loads(CONTENT), indent=1))
    message = submit.refused(folder, again, "--name", "Again")
    assert "again: has the predictions of aliased; enter a system once" in message


def test_seeds_are_read_with_the_entrys_placeholders(
    folder: Path, tmp_path: Path, outputs: Path, table: Path, cli: Cli, submit: Cli
) -> None:
    other = json.loads(CONTENT)
    first = next(iter(other))
    other[first][-1]["response"] = "bye"
    seed = write_json(tmp_path / "seed.json", other)
    about = ("--name", "Aliased", "--replace", "--placeholders", table)
    submit.done(folder, outputs, *about, "--seeds", seed)
    content = json.loads((folder / "aliased" / SCORES_FILE).read_text())
    signed = content["seeds"]["seeds"][0]["signature"]["parameters"]
    assert signed == {"placeholders": Aliases.from_table(OWN).label}
    cli.done("verify", "--submissions", folder, "--strict", "--jobs", 1)


def test_a_table_by_name_is_declared_by_name(tmp_path: Path, outputs: Path, submit: Cli) -> None:
    folder = tmp_path / "named"
    run = submit.done(folder, outputs, "--name", "Named", "--placeholders", "dard")
    # It has no booking_ref.
    assert "[booking_ref]" in run.err
    text = (folder / "named" / ENTRY_FILE).read_text()
    assert '[placeholders]\ntable = "dard"\n' in text
    assert read_entry(folder / "named").system.aliases == alias_tables()["dard"]
    page = (tmp_path / "leaderboard.md").read_text(encoding="utf-8")
    assert "22 system-specific placeholders are mapped (table dard); without them" in page


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"table": "dart"}, "unknown table 'dart'; choose from dard, toatod"),
        ({"table": "dard", "x_ref": "REFERENCE"}, "give either `table`, or names of placeholders"),
        ({}, "names no placeholder"),
    ],
)
def test_a_wrong_declaration_is_refused_with_its_place(
    declared: dict[str, str], problem: str, tmp_path: Path
) -> None:
    path = tmp_path / ENTRY_FILE
    facts: dict[str, Any] = {"name": "A", "track": "end-to-end", "predictions": {"file": "a.json"}}
    path.write_text(tomli_w.dumps({**facts, "placeholders": declared}))
    assert str(refusal(read_system, path)).startswith(f"{path}: placeholders: {problem}")


def test_set_ups_are_searched_with_the_placeholders() -> None:
    wanted = {
        "known": (sample_content("careful"), "sample", None),
        "plain": (CONTENT, "sample", None),
        "own": (CONTENT, "sample", Aliases.from_table(OWN)),
    }
    found = dict(search_setups(wanted, 1))
    assert found["own"] == found["known"]
    assert found["own"] != found["plain"]
