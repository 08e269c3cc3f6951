"""`mwz submit` tells what a system differs from, and keeps several seeds of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from entered import change_scores, enter_sample
from helpers import CAREFUL, HASTY, SCRIPTED, Cli, write_json

from mwz.harness.board.entries import read_entry
from mwz.harness.board.scores import SCORES_FILE
from mwz.harness.cli import main
from mwz.harness.data import load_benchmark

SECOND = "seed-2.json.gz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "base" / "submissions"
    path.parent.mkdir()
    return path


@pytest.fixture
def submit(cli: Cli, folder: Path) -> Cli:
    about = ("--track", "end-to-end", "--submissions", folder)
    return cli.of("submit", *about, "--name", "New")


@pytest.fixture
def verify(cli: Cli) -> Cli:
    return cli.of("verify", "--strict", "--jobs", 1, "--submissions")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with an entry of two seeds. Nobody changes it: copy the folder."""
    folder = tmp_path_factory.mktemp("seeds") / "submissions"
    about = ["--name", "New", "--track", "end-to-end", "--benchmark", "sample"]
    about += ["--submissions", str(folder)]
    with pytest.raises(SystemExit, match="0"):
        main(["submit", str(CAREFUL), "--seeds", str(HASTY), *about])
    return folder


@pytest.fixture
def seeded(original: Path, folder: Path) -> None:
    """Let the folder be a copy of that board."""
    shutil.copytree(original, folder)


# ---------------------------------------------------------------------------------- neighbours


@pytest.mark.usefixtures("flags_reviewed")
@pytest.mark.parametrize(
    ("entered", "outputs", "row", "sign", "nowhere"),
    [
        # Of 30 dialogues careful wins 26, hasty 12: it is the first row, hasty the one below.
        ("hasty", CAREFUL, "the row below, hasty", "\\+", "the row above"),
        ("careful", HASTY, "the best, the row above, careful", "-", "the row below"),
    ],
)
def test_neighbours_and_the_best_are_named_with_what_differs(
    entered: str, outputs: Path, row: str, sign: str, nowhere: str, folder: Path, submit: Cli
) -> None:
    enter_sample(folder, entered)
    run = submit(outputs)
    line = f"{row}: differs significantly from it by the combined score, {sign}"
    assert f"\n- {line}" in run.out
    assert nowhere not in run.out


# --------------------------------------------------------------------------------------- seeds


def test_seeds_have_mean_and_deviation(folder: Path, submit: Cli, verify: Cli) -> None:
    enter_sample(folder, "hasty")
    hasty = read_entry(folder / "hasty").scores.main
    (folder / "hasty").rename(folder.parent / "hasty")
    run = submit.done(CAREFUL, "--seeds", HASTY)
    entry = read_entry(folder / "new")
    first, seeds = entry.scores.main, entry.scores.seeds
    own, other = first.inform, hasty.inform
    spread = seeds.spread["inform"]
    assert spread.mean == pytest.approx((own + other) / 2)
    # Of two values, with n - 1 = 1: the root of 2 ((a - b) / 2) ** 2.
    assert spread.deviation == pytest.approx(abs(own - other) / 2**0.5)
    assert (spread.lowest, spread.highest, spread.seeds) == (min(own, other), max(own, other), 2)
    assert (
        f"mean (standard deviation) over 2 seeds: BLEU {seeds.spread['bleu'].mean:.1f}" in run.out
    )
    # The entry's own scores and intervals are those of the first seed alone.
    assert entry.scores.dialogues.intervals.scores["inform"].value == own
    page = (folder.parent / "docs" / "board-tables.md").read_text(encoding="utf-8")
    assert f"| 2 seeds: BLEU {seeds.spread['bleu'].mean:.1f} \\(" in page
    assert (entry.folder / SECOND).is_file()
    assert verify(folder).out == "new: holds\n1 of 1 entries hold\n"


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ((CAREFUL,), "careful.json: is there twice; give the outputs of each seed once"),
        ((HASTY, HASTY), "hasty.json: is there twice; give the outputs of each seed once"),
        ((SCRIPTED,), "cannot be a seed of the system: different sources of belief states"),
        (("nowhere.json",), "nowhere.json: no such file"),
    ],
)
def test_what_is_no_further_seed_is_refused_and_nothing_written(
    seeds: tuple[object, ...], message: str, folder: Path, submit: Cli
) -> None:
    assert message in submit.refused(CAREFUL, "--seeds", *seeds)
    assert not folder.exists()


def test_lexicalised_systems_have_seeds(
    folder: Path, tmp_path: Path, cli: Cli, verify: Cli
) -> None:
    spoken = {
        id_: [{"response": text} for text in dialogue.responses]
        for id_, dialogue in load_benchmark("sample").dialogues.items()
    }
    silent = {**spoken, "town001": [{"response": "no"}] * len(spoken["town001"])}
    plain = [write_json(tmp_path / f"{n}.json", seed) for n, seed in enumerate((spoken, silent))]
    about = ("--name", "New", "--track", "lexicalised", "--submissions", folder)
    cli.done("submit", plain[0], *about, "--seeds", plain[1])
    entry = read_entry(folder / "new").scores
    # Its second seed loses a dialogue.
    assert entry.seeds.spread["inform"].highest == entry.main.inform
    assert entry.seeds.spread["inform"].lowest < (entry.main.inform or 0)
    assert verify(folder).out == "new: holds\n1 of 1 entries hold\n"


@pytest.mark.usefixtures("seeded")
def test_rescoring_mends_edited_seeds(folder: Path, cli: Cli, verify: Cli) -> None:
    path = folder / "new" / SCORES_FILE
    whole = path.read_bytes()
    for damaged in ("", [], {"seeds": []}):
        change_scores(path.parent, lambda content, value=damaged: content.update(seeds=value))
        message = cli.refused("leaderboard", "--check", "--submissions", folder)
        assert "new: scores.json: seeds" in message
        verify.failed(folder)
        cli.done("leaderboard", "--rescore", "--submissions", folder)
        assert path.read_bytes() == whole


@pytest.mark.usefixtures("seeded")
def test_a_lost_seed_is_missed_though_the_scores_cannot_be_read(folder: Path, verify: Cli) -> None:
    path = folder / "new" / SCORES_FILE
    path.write_text(path.read_text(encoding="utf-8").replace('"format": 4', '"format": 3'))
    (folder / "new" / SECOND).unlink()
    assert SECOND in verify.failed(folder, "new").out


@pytest.mark.usefixtures("seeded")
def test_missing_or_other_seeds_do_not_verify(folder: Path, verify: Cli) -> None:
    entry = folder / "new"
    (entry / SECOND).unlink()
    run = verify.failed(folder)
    assert "new: not scored again: " in run.out
    assert SECOND in run.out
    (entry / SECOND).write_bytes((entry / "predictions.json.gz").read_bytes())
    run = verify.failed(folder)
    assert "seeds.seeds[0].predictions.sha256" in run.out
