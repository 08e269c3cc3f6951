"""Data of one's own: a folder, or a package; shown by a made-up town whose people speak German."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, run_process, write_json

from mwz.harness import InputError, ReadingWarning, Scorer, load_benchmark


@pytest.fixture
def town(here: Path, cli: Cli) -> Path:
    """The folder that `mwz data new` writes."""
    cli.done("data", "new", "town")
    return here / "town"


def _predictions(town: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the references, with the gold states, as a system could give them."""
    dialogues = json.loads((town / "dialogues.json").read_text("utf-8"))
    predictions: dict[str, list[dict[str, Any]]] = {}
    for id_, turns in dialogues.items():
        predictions[id_] = [{key: turn[key] for key in ("response", "state")} for turn in turns]
    return predictions


def test_a_town_in_german_is_scored_like_any_other(town: Path, cli: Cli) -> None:
    predictions = _predictions(town)
    # The first of three users wants to eat in the north, and is shown the south.
    for turn in predictions["nf1"]:
        turn["state"] = {"restaurant": {"food": "Schwäbisch", "area": "Süden"}}
    file = write_json(town.parent / "answers.json", predictions)
    report = cli.json("score", file, "--benchmark", town)
    assert report["inform"] == report["success"] == pytest.approx(200 / 3)
    assert report["bleu"]["mwz22"] == pytest.approx(100)
    assert report["unknown_placeholders"] == {}
    # Four of the seven states are right: those of the other dialogues.
    (tracked,) = cli.json("dst", file, "--benchmark", town)
    assert tracked["metrics"]["JGA"] == pytest.approx(100 * 4 / 7)
    # In Python.
    with pytest.warns(ReadingWarning, match="equal to a reference"):
        perfect = Scorer(load_benchmark(town)).score(_predictions(town))
    assert (perfect.inform, perfect.success) == (100, 100)


def test_what_knows_english_alone_says_so(town: Path, cli: Cli) -> None:
    message = cli.refused("score", "@human", "--lexicalised", "--benchmark", town)
    assert "the delexicaliser knows English only, and nebelfurt is in `de`" in message


def test_what_is_wrong_in_a_folder_is_named_with_its_place(town: Path, cli: Cli) -> None:
    goals = json.loads((town / "goals.json").read_text("utf-8"))
    goals["nf1"]["restaurant"]["requestable"] = ["FONE"]
    goals["nf2"]["hostel"] = {"informable": {}}
    goals["nf9"] = goals.pop("nf3")
    write_json(town / "goals.json", goals)
    message = cli.refused("score", "@corpus", "--benchmark", town)
    for problem in (
        "goals.json: nf1, restaurant: unknown request 'FONE'; choose from PHONE, ",
        "goals.json: nf2: unknown domain 'hostel'; choose from ",
        "dialogues.json: nf3: expected turns, and its goal in goals.json",
        "goals.json: nf9: not in dialogues.json",
    ):
        assert problem in message
    write_json(town / "goals.json", {})
    (town / "venues.json").rename(town / "other.json")
    with pytest.raises(InputError, match="venues"):
        load_benchmark(town)
    (town / "other.json").rename(town / "venues.json")
    write_json(town / "goals.json", {"nf1": {"restaurant": {"informables": {}}}})
    assert "goals.json: 2 problems\n  nf1.restaurant.informable: field required" in cli.refused(
        "score", "@corpus", "--benchmark", town
    )
    assert "town: exists" in cli.refused("data", "new", "town")


def test_a_package_declares_a_benchmark(town: Path) -> None:
    (town / "__init__.py").write_text(
        "from pathlib import Path\n\nFOLDER = Path(__file__).parent\n", encoding="utf-8"
    )
    packages = town.parent
    metadata = packages / "nebelfurt-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: nebelfurt\nVersion: 1.0\n")
    points = metadata / "entry_points.txt"
    points.write_text("[mwz.data]\nnebelfurt = town:FOLDER\n", encoding="utf-8")
    listed = run_process("data", "list", PYTHONPATH=packages)
    assert "nebelfurt" in listed.stdout, listed.stderr
    score = ("score", "@corpus", "--benchmark", "nebelfurt", "--json", "-")
    done = run_process(*score, PYTHONPATH=packages)
    assert json.loads(done.stdout)["success"] == 100
    points.write_text("[mwz.data]\nsample = town:FOLDER\n", encoding="utf-8")
    refused = run_process("data", "list", PYTHONPATH=packages)
    assert "nebelfurt 1.0, mwz.data sample: the name is taken" in refused.stderr
