"""Human ratings: reading them, correlations with metrics, agreement of raters, rating sheets."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from helpers import Cli, write_json
from plain_english import TOLD

from mwz.harness.data import load_benchmark
from mwz.harness.errors import InputError
from mwz.harness.tracking.lab.ratings import agreement, agreement_table, read_ratings


def _csv(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in ("id,rater,rating", *lines)))
    return path


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let intervals be of few samples: no test here is about where they end."""
    monkeypatch.setattr("mwz.harness.comparison.evidence.INTERVAL_SAMPLES", 50)


RATINGS = {"a": {"p": 0.0}, "b": {"p": 0.0}, "c": {"p": 1.0}, "d": {"p": 1.0}}
SCORES = {
    "JGA": dict(zip("abcd", (0.0, 1.0, 1.0, 2.0), strict=True)),
    "FGA λ=0.5": dict(zip("abcd", (1.0, 0.0, 1.0, 0.0), strict=True)),
    "FGA λ=1": dict(zip("abcd", (0.0, 0.0, 3.0, 3.0), strict=True)),
    "GCA": dict.fromkeys("abcd", 5.0),
}
CANDIDATES = ["FGA λ=0.5", "FGA λ=1"]


def test_metrics_are_correlated_with_ratings_by_dialogue() -> None:
    found = agreement(RATINGS, SCORES, CANDIDATES, (), "r.csv")
    jga = found["correlations"]["JGA"]
    # Deviations (-1, -1, 1, 1) / 2 and (-1, 0, 0, 1): 1 / √(1 * 2).
    assert jga["Pearson"]["value"] == pytest.approx(1 / 2**0.5)
    # Ranks (1.5, 1.5, 3.5, 3.5) and (1, 2.5, 2.5, 4): 3 / √(4 * 4.5).
    assert jga["Spearman"]["value"] == pytest.approx(3 / 18**0.5)
    # Of 6 pairs 3 agree and none disagrees; 2 and 1 are tied: 3 / √(4 * 5).
    assert jga["Kendall"]["value"] == pytest.approx(3 / 20**0.5)
    assert -1 <= jga["Pearson"]["low"] <= jga["Pearson"]["value"] <= jga["Pearson"]["high"] <= 1
    assert found["correlations"]["GCA"]["Pearson"] is None


def test_the_candidate_that_agrees_best_is_found_and_the_others_are_left_out() -> None:
    found = agreement(RATINGS, SCORES, CANDIDATES, (), "r.csv")
    # Scores that do not go with the ratings at all, and the ratings themselves times three.
    assert found["rates"] == pytest.approx({"FGA λ=0.5": 0, "FGA λ=1": 1})
    assert found["best"] == "FGA λ=1"
    assert list(found["correlations"]) == ["JGA", "FGA λ=1", "GCA"]
    assert agreement_table(found).notes[1:] == [
        "of all λ, FGA λ=1 agrees best; it is chosen on these ratings"
    ]
    shown = agreement(RATINGS, SCORES, CANDIDATES, {"FGA λ=0.5"}, "r.csv")
    assert list(shown["correlations"]) == list(SCORES)


def test_a_dialogue_has_the_mean_of_its_ratings() -> None:
    # Means 0, 1/2, 1 go perfectly with 0, 1, 2.
    ratings = {"a": {"p": 0.0, "q": 0.0}, "b": {"p": 1.0, "q": 0.0}, "d": {"q": 1.0}}
    found = agreement(ratings, {"JGA": SCORES["JGA"]}, (), (), "r.csv")
    assert found["correlations"]["JGA"]["Pearson"]["value"] == pytest.approx(1)
    assert (found["dialogues"], found["raters"], found["best"]) == (3, 2, None)


@pytest.mark.skipif(importlib.util.find_spec("krippendorff") is None, reason="not installed")
def test_agreement_of_raters_is_krippendorffs_alpha() -> None:
    # Three dialogues by two raters, of which they disagree on one: observed 2 of 6 values; three
    # of each value give 2 * 3 * 3 of 6 * 5 by chance: 1 - (1/3) / (3/5) = 4/9.
    pairs = {"a": (1.0, 1.0), "b": (0.0, 0.0), "c": (1.0, 0.0)}
    ratings = {id_: {"p": one, "q": other} for id_, (one, other) in pairs.items()}
    scores = {"JGA": SCORES["JGA"]}
    assert agreement(ratings, scores, (), (), "r.csv")["alpha"] == pytest.approx(4 / 9)
    assert agreement(RATINGS, scores, (), (), "r.csv")["alpha"] is None


def test_ratings_are_read_by_dialogue_and_rater(tmp_path: Path) -> None:
    path = _csv(tmp_path / "r.csv", "SNG1.json,ann,1", "sng1, bob ,0.5", "sng2,ann,")
    assert read_ratings(path) == {"sng1": {"ann": 1.0, "bob": 0.5}}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a,p,good"], "line 2: expected a number as rating, found 'good'"),
        (["a,p,nan"], "line 2: expected a number"),
        (["a,p,1", "a,p,1"], "line 3: the rater has rated the dialogue before"),
        (["a,,1"], "line 2: expected the id of a dialogue and the name of a rater"),
        (["a,p"], None),
    ],
)
def test_ratings_that_cannot_be_used_are_named(
    tmp_path: Path, lines: list[str], message: str | None
) -> None:
    path = _csv(tmp_path / "r.csv", *lines)
    if message is None:
        assert read_ratings(path) == {}
        return
    with pytest.raises(InputError, match=message):
        read_ratings(path)


def test_a_table_without_the_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("dialogue,rating\na,1\n")
    with pytest.raises(InputError, match="columns id, rater, rating"):
        read_ratings(path)


def test_ratings_of_other_or_too_few_dialogues_are_refused() -> None:
    with pytest.raises(InputError, match="rates 1 dialogues that are not scored: z"):
        agreement({**RATINGS, "z": {"p": 1.0}}, SCORES, (), (), "r.csv")
    with pytest.raises(InputError, match="at least 3"):
        agreement({"a": {"p": 1.0}, "b": {"p": 0.0}}, SCORES, (), (), "r.csv")


def _submission(path: Path) -> Path:
    """Write what tracks every dialogue of `TOLD` right, but one."""
    dialogues = load_benchmark("sample").dialogues
    content = {
        id_: [
            {"response": response, "state": {} if id_ == "town002" else state}
            for response, state in zip(told, dialogues[id_].states, strict=True)
        ]
        for id_, told in TOLD.items()
    }
    write_json(path, content)
    return path


def test_a_submission_is_held_against_ratings_by_its_responses_too(
    tmp_path: Path, cli: Cli
) -> None:
    file = _submission(tmp_path / "told.json")
    ratings = _csv(tmp_path / "r.csv", "town001,p,1", "town002,p,0", "town004,p,1")
    options = ["--benchmark", "sample", "--format", "json", "ratings", ratings, file]
    done = cli.done("lab", *options, "--lexicalised")
    found = json.loads(done.out)["ratings"]
    # Two dialogues are tracked right throughout, one is not.
    assert found["correlations"]["FGA λ=0.5"]["Pearson"]["value"] == pytest.approx(1)
    figures = {"JGA", "GCA", "Inform", "Success", "Grounded Success"}
    assert figures <= set(found["correlations"])
    assert len(found["rates"]) == 41


def test_sheets_show_what_was_said_and_both_states(tmp_path: Path, cli: Cli) -> None:
    file, sheets = _submission(tmp_path / "told.json"), tmp_path / "sheets"
    options = ["--benchmark", "sample", "sheet", sheets, file]
    cli.done("lab", *options)
    lines = (sheets / "ratings.csv").read_text().splitlines()
    assert lines[0] == "id,rater,rating"
    ids = [line.partition(",")[0] for line in lines[1:]]
    assert ids == sorted(TOLD)
    for id_ in ids:
        sheet = (sheets / f"{id_}.txt").read_text()
        dialogue = load_benchmark("sample").dialogues[id_]
        assert f"Dialogue {id_}" in sheet
        assert all(text in sheet for text in dialogue.users)
        # The last one follows all states.
        assert all(text in sheet for text in dialogue.responses[:-1])
        assert ("The same:  no" in sheet) == (id_ == "town002")
    # The same dialogues whoever draws, and no table is overwritten.
    assert "is there already" in cli.refused("lab", *options)
