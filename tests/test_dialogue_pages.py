"""Dialogues to read: what their pages say, of what is stored and of what systems put out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from entered import enter_sample
from helpers import SUBMISSIONS, Cli, sample_predictions
from parsed import HTML, elements, text_of, tree_of

from mwz.harness import Benchmark
from mwz.harness.board import Board, read_entries
from mwz.harness.board.views.dialogue_pages import (
    INDEX,
    index,
    marked,
    pages_of_dialogues,
    read_systems,
    stored_pages,
    stored_verdicts,
    with_links,
)
from mwz.harness.board.views.site import dialogue_site
from mwz.harness.diagnosis import Diagnosis, diagnose
from mwz.harness.io import to_json
from mwz.harness.scoring import Options, Scorer, check_predictions, played_predictions

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def scorer(sample: Benchmark) -> Scorer:
    return Scorer(sample, Options(setup="strict", metrics=["inform"]))


def _diagnosis(scorer: Scorer, predictions: Mapping[str, Any]) -> Diagnosis:
    submission = check_predictions(scorer, to_json(predictions).encode(), "x")
    return diagnose(played_predictions(scorer, submission)[1])


@pytest.fixture(scope="module")
def made(scorer: Scorer) -> Mapping[str, str]:
    names = ("careful", "hasty")
    return _made({name: _diagnosis(scorer, sample_predictions(name)) for name in names})


def _made(diagnoses: Mapping[str, Diagnosis]) -> Mapping[str, str]:
    site = dialogue_site(pages_of_dialogues(diagnoses))
    return {path: content() for path, content in site.items()}


# The index.


def test_the_index_counts_who_succeeds_and_marks_who_loses_by_what() -> None:
    systems = [
        ("A", {"x": (3, None), "y": (2, [("hotel", "never named")])}),
        ("B", {"x": (3, [("taxi", "never said")]), "y": (2, [])}),
        ("C", {"x": (2, None)}),
    ]
    found = index({"x": ["taxi"], "y": ["hotel", "taxi"]}, systems)
    x, y = found["rows"]
    # A is bit 1, B bit 2, C bit 4.
    assert [x[key] for key in ("won", "of", "turns", "played", "won_by")] == [2, 3, 3, "7", "5"]
    assert [y[key] for key in ("won", "of", "played", "won_by")] == [0, 2, "3", "0"]
    assert (x["causes"], y["causes"]) == ("taxi: never said (1)", "hotel: never named (1)")
    # Domains by the alphabet: hotel is 0, taxi 1.
    letter = {cause: letter for letter, cause in found["causes"].items()}
    assert x["lost_by"] == f"1{letter['never said']}2"
    assert y["lost_by"] == f"0{letter['never named']}1"
    assert len(letter) == len(found["causes"]) == 10


def test_only_the_most_frequent_causes_are_named_and_the_rest_counted() -> None:
    lost = [("hotel", "never named"), ("hotel", "never said"), ("taxi", "never said")]
    systems = [("A", {"x": (1, lost)}), ("B", {"x": (1, lost[2:])})]
    [row] = index({"x": ["hotel", "taxi"]}, systems)["rows"]
    assert row["causes"] == "taxi: never said (2), hotel: never named (1), 1 more"


def test_stored_verdicts_are_the_outputs(tmp_path: Path, scorer: Scorer, sample: Benchmark) -> None:
    enter_sample(tmp_path, "hasty")
    [entry] = read_entries(tmp_path)
    stored = stored_verdicts(entry, list(sample.dialogues))
    outcomes = {
        result.id: result for result in _diagnosis(scorer, sample_predictions("hasty")).results
    }
    lost = {id_: losses for id_, (_, losses) in stored.items() if losses is not None}
    assert lost.keys() == {id_ for id_, result in outcomes.items() if not result.success} != set()
    for id_, result in outcomes.items():
        expected = {(name.split()[0], cause) for name, cause in result.causes.items()}
        assert set(lost.get(id_, ())) == expected


def test_the_boards_index_has_every_dialogue(project_board: Board) -> None:
    [(path, (_, content))] = stored_pages(project_board).items()
    found = content()
    assert path == INDEX
    assert len(found["rows"]) == 1000
    assert set(found["systems"]) == {entry.system.name for entry in read_systems(project_board)}
    ubar = found["systems"].index("UBAR")
    won = sum(int(row["won_by"], 16) >> ubar & 1 for row in found["rows"])
    entry = next(entry for entry in project_board.entries if entry.key == "ubar")
    assert won == 10 * entry.scores.main.success  # type: ignore[operator]
    assert {domain for row in found["rows"] for domain in row["domains"]} == set(found["domains"])
    assert not found["linked"]


# The dialogues.


def test_every_dialogue_has_a_page_and_links_work(
    made: Mapping[str, str], sample: Benchmark
) -> None:
    pages = {path for path in made if path.startswith("dialogues/")}
    assert pages == {f"dialogues/{id_}.html" for id_ in sample.dialogues}
    # The index, and pages of each kind: the links of all are made alike.
    for path in ("index.html", *sorted(pages)[:5]):
        for link in tree_of(made[path]).iter(f"{HTML}a"):
            place, _, anchor = link.attrib["href"].partition("#")
            # From the disk there is nothing but the files: no address begins with a slash.
            target = (Path(path).parent / place).as_posix() if place else path
            target = target.replace("dialogues/../", "")
            assert target in made
            assert not anchor or f'id="{anchor}"' in made[target]


def test_a_page_shows_goal_users_responses_offers_and_why_it_is_lost(
    made: Mapping[str, str], scorer: Scorer, sample: Benchmark
) -> None:
    outcome = next(
        result
        for result in _diagnosis(scorer, sample_predictions("hasty")).results
        if any(domain.turn is not None for domain in result.domains.values())
    )
    gold = sample.dialogues[outcome.id]
    page = made[f"dialogues/{outcome.id}.html"]
    text = text_of(tree_of(page))
    for said in (*gold.users, *gold.references["mwz22"]):
        assert " ".join(said.split()) in text
    for name, domain in outcome.domains.items():
        if domain.turn is not None:
            assert f"✗ {name} is lost here: {domain.cause}" in text
    rows = [text_of(row) for row in elements(tree_of(page), "tr")]
    assert [row.startswith("hasty✗ no Inform") for row in rows if row.startswith("hasty")] == [True]
    assert "named; query" in text


def test_hostile_responses_and_names_are_text(scorer: Scorer) -> None:
    predictions = sample_predictions("hasty")
    id_ = next(iter(predictions))
    predictions[id_][0]["response"] = f"{SCRIPT} [value_name] \"'&"
    made = _made({f"{SCRIPT}\"'": _diagnosis(scorer, predictions)})
    for path in ("index.html", f"dialogues/{id_}.html"):
        scripts = list(tree_of(made[path]).iter(f"{HTML}script"))
        assert all(script.attrib.get("src") and not script.text for script in scripts)
        assert "alert(1)" in made[path]


def test_placeholders_are_marked_and_turns_linked() -> None:
    assert marked("NAME & <b>PHONE</b>") == "<b>NAME</b> &amp; &lt;b&gt;<b>PHONE</b>&lt;/b&gt;"
    assert with_links("in turn 12: '<'") == ('in <a href="#turn-12">turn 12</a>: &#39;&lt;&#39;')


# The commands.


def test_why_writes_pages_that_need_no_server(tmp_path: Path, cli: Cli) -> None:
    files = [SUBMISSIONS / f"{name}.json" for name in ("careful", "hasty")]
    run = cli.done("why", "--benchmark", "sample", *files, "--html", tmp_path / "web")
    assert run.out.startswith(f"{tmp_path / 'web' / 'index.html'}: ")
    assert "careful" in (tmp_path / "web" / "index.html").read_text("utf-8")
    assert (tmp_path / "web" / "dialogues.js").is_file()


def test_outputs_give_the_site_dialogue_pages(tmp_path: Path, cli: Cli, sample: Benchmark) -> None:
    folder = tmp_path / "submissions"
    enter_sample(folder, "careful", "hasty")
    web = tmp_path / "web"
    cli.done("site", web, "--submissions", folder, "--dialogues")
    index_page = (web / INDEX).read_text("utf-8")
    links = [path.name for path in (web / "dialogues").iterdir()]
    assert sorted(links) == [f"{id_}.html" for id_ in sorted(sample.dialogues)]
    assert all(f'href="dialogues/{name}"' in index_page for name in links)


def test_where_no_outputs_are_at_hand_it_says_so(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "submissions"
    enter_sample(folder, "hasty")
    for path in (folder / "hasty").glob("predictions*"):
        path.unlink()
    web = tmp_path / "web"
    message = cli.refused("site", web, "--submissions", folder, "--dialogues")
    assert "--dialogues: no system's outputs are available" in message
    assert not web.exists()
