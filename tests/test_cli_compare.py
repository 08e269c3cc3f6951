"""`mwz compare`: what it prints, what it writes, and what it says to bad input."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from entered import REPOSITORY
from helpers import CAREFUL, HASTY, SCRIPTED, Cli, sample_predictions, write_json
from resampled_cases import report_figures, sample_scorer

from mwz.harness import Benchmark
from mwz.harness.board import PUBLISHED, read_entries
from mwz.harness.board.entries import read_entry
from mwz.harness.board.pairs import read_pairs
from mwz.harness.cli import reading
from mwz.harness.comparison import SIGNIFICANCE, p_text, p_words
from mwz.harness.comparison.comparing import holm, mcnemar

RATES = ("inform", "success", "optimistic.inform", "optimistic.success")


def _values(system: Mapping[str, Any]) -> dict[str, float]:
    """Return figure -> its value, of a system in JSON."""
    return {name: score["value"] for name, score in system["scores"].items()}


@pytest.fixture
def compare(cli: Cli) -> Cli:
    return cli.of("compare")


def test_two_systems_in_the_layout_of_the_documentation(compare: Cli) -> None:
    found = compare.json(CAREFUL, HASTY)
    assert (found["baseline"], found["dialogues"]) == ("careful", 30)
    assert [system["name"] for system in found["systems"]] == ["careful", "hasty"]
    for system, name in zip(found["systems"], ("careful", "hasty"), strict=True):
        report = sample_scorer().score(sample_predictions(name))
        assert _values(system) == report_figures(report)
        assert "|test:randomisation|samples:10000|interval:95|" in system["signature"]
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["dialogues"]) == ("careful", "hasty", 30)
    first, second = (system["scores"] for system in found["systems"])
    for name in first:
        tested = pair[name]
        assert tested["difference"] == second[name]["value"] - first[name]["value"]
        assert tested["p_holm"] == tested["p"]
        assert tested["test"] == ("mcnemar" if name in RATES else "randomisation")
    for name in RATES:
        tested = pair[name]
        assert tested["p"] == mcnemar(tested["only_a"], tested["only_b"])
        won = (tested["only_b"] - tested["only_a"]) * 100 / 30
        assert tested["difference"] == pytest.approx(won)
    # The other test, its samples and its seed are signed, and give the same again.
    arguments = (CAREFUL, HASTY, "--metrics", "bleu", "--test", "bootstrap")
    found = compare.json(*arguments)
    assert "|test:bootstrap|samples:1000|interval:95|" in found["systems"][1]["signature"]
    assert "|seed:12345" in found["systems"][1]["signature"]
    assert found == compare.json(*arguments)


def test_differences_are_those_of_a_system_minus_its_baseline(compare: Cli) -> None:
    """Of 30 dialogues careful wins 26 and hasty 15: 36.7 points, of which one is hasty's alone."""
    (pair,) = compare.json(HASTY, CAREFUL)["pairs"]
    assert pair["inform"]["difference"] == pytest.approx(100 * 11 / 30)
    text = compare(HASTY, CAREFUL).out
    assert "\nInform 50.0 and 86.7: careful has 36.7 more than hasty, p" in text
    assert re.search(r"\ncareful +Inform +\+36.7 ", text)
    table = " ".join(compare(HASTY, CAREFUL, "--format", "md").out.replace("\\", "").split())
    assert "| only hasty | only system |" in table
    assert 0 < pair["inform"]["low"] < pair["inform"]["difference"] < pair["inform"]["high"]
    ends = f"[+{pair['inform']['low']:.1f}, +{pair['inform']['high']:.1f}]"
    assert f"| careful | Inform | **+36.7 {ends}** | .0034 | .0034 | 1 | 12 |" in table


def test_several_systems_are_corrected_by_holm(compare: Cli, tmp_path: Path) -> None:
    half = sample_predictions("careful")
    for turns in list(half.values())[::3]:
        turns[-1]["response"] = "goodbye"
    found = compare.json(CAREFUL, HASTY, write_json(tmp_path / "half.json", half), CAREFUL)
    names = [system["name"] for system in found["systems"]]
    assert names == ["careful", "hasty", "half", "careful (2)"]
    pairs = found["pairs"]
    for name in found["systems"][0]["scores"]:
        corrected = holm([pair[name]["p"] for pair in pairs])
        assert [pair[name]["p_holm"] for pair in pairs] == corrected
    message = compare(CAREFUL, HASTY, CAREFUL).out
    assert "p (Holm)" in message
    assert (
        "Inform 86.7 and 86.7: not significantly different, p = 1; 0 dialogues are won" in message
    )


def test_systems_are_compared_on_what_both_play(compare: Cli, tmp_path: Path) -> None:
    predictions = sample_predictions("hasty")
    ids = list(predictions)
    some = {id_: predictions[id_] for id_ in reversed(ids[5:])}
    part = write_json(tmp_path / "part.json", some)
    found = compare.json(CAREFUL, part, HASTY)
    assert found["dialogues"] == 25
    assert [system["dialogues"] for system in found["systems"]] == [30, 25, 30]
    first, second = found["pairs"]
    assert (first["dialogues"], second["dialogues"]) == (25, 30)
    careful = {id_: sample_predictions("careful")[id_] for id_ in ids[5:]}
    for side, outputs in (("a", careful), ("b", some)):
        figures = report_figures(sample_scorer().score(outputs))
        assert {name: first[name][side] for name in figures} == figures
    # The baseline's own scores are those of all it plays.
    whole = report_figures(sample_scorer().score(sample_predictions("careful")))
    assert _values(found["systems"][0]) == whole


def test_metrics_are_those_asked_for_or_all_that_every_system_allows(compare: Cli) -> None:
    found = compare.json(CAREFUL, HASTY, "--metrics", "dst")
    assert all(name.startswith("dst.") for name in found["systems"][0]["scores"])
    found = compare.json(SCRIPTED, SCRIPTED)
    assert not any(name.startswith("dst.") for name in found["systems"][0]["scores"])
    assert "combined" in found["systems"][0]["scores"]
    found = compare.json(CAREFUL, HASTY, "--metrics", "inform", "--setup", "optimistic")
    assert list(found["systems"][0]["scores"]) == ["optimistic.inform", "optimistic.success"]


# Seeds of one system.


def test_seeds_have_a_mean_and_a_deviation_of_their_own(compare: Cli) -> None:
    found = compare.json(SCRIPTED, "--metrics", "bleu", "--seeds", CAREFUL, HASTY)
    # Seeds are compared with the baseline, each by itself.
    assert found["baseline"] == "scripted"
    assert [pair["b"] for pair in found["pairs"]] == ["careful", "hasty"]
    assert found["seeds"]["names"] == ["careful", "hasty"]
    values = [system["scores"]["bleu"]["value"] for system in found["systems"][1:]]
    spread = found["seeds"]["scores"]["bleu"]
    assert spread["mean"] == pytest.approx(sum(values) / 2)
    assert spread["deviation"] == pytest.approx(abs(values[0] - values[1]) / 2**0.5)
    assert spread["seeds"] == 2
    # They need no baseline.
    found = compare.json("--seeds", CAREFUL, HASTY, "--metrics", "bleu")
    assert (found["baseline"], found["pairs"]) == (None, [])
    run = compare.done("--seeds", CAREFUL, HASTY, "--metrics", "bleu")
    assert "Over 2 seeds: careful, hasty" in run.out
    assert "standard deviation" in run.out


# Entries.


def first(cli: Cli) -> Path:
    """Enter the sample's careful submission as First, and return the folder of entries."""
    about = ("--name", "First", "--track", "end-to-end", "--submissions", "submissions")
    cli.done("submit", CAREFUL, *about)
    return Path("submissions")


def test_entries_are_called_by_name(cli: Cli, compare: Cli, here: Path) -> None:
    first(cli)
    found = compare.json("first", HASTY, "--metrics", "bleu")
    assert [system["name"] for system in found["systems"]] == ["first", "hasty"]
    files = compare.json(CAREFUL, HASTY, "--metrics", "bleu")
    assert found["pairs"][0]["bleu"] == files["pairs"][0]["bleu"]
    message = "frist: no such file, and no entry of submissions or the board (did you mean first?)"
    assert compare.refused("first", "frist") == f"mwz: {message}\n"


FIGURES = ("bleu", "inform", "success", "combined")


def test_entries_compare_by_what_they_store(cli: Cli, compare: Cli, here: Path) -> None:
    folder = first(cli)
    (whole,) = compare.json("first", HASTY)["pairs"]
    (folder / "first" / "predictions.json.gz").unlink()
    found = compare.json("first", HASTY)
    (stored,) = found["pairs"]
    assert {name: stored[name] for name in FIGURES} == {name: whole[name] for name in FIGURES}
    assert set(found["systems"][0]["scores"]) == set(FIGURES)
    assert "|setup:strict|" in found["systems"][1]["signature"]
    # What is stored is of one rule set, and of no more figures.
    message = compare.refused("first", HASTY, "--rules", "2023")
    assert "first and hasty: different rules: 2021-" in message
    message = compare.refused("first", HASTY, "--metrics", "dst,inform")
    assert "only BLEU, Inform, Success and Combined, strict, by rule set 2021" in message
    # What is asked for is compared alone; of states, JGA is stored.
    for metrics, names in (("inform", FIGURES[1:3]), ("bleu", FIGURES[:1]), ("dst", ["dst.JGA"])):
        (pair,) = compare.json("first", HASTY, "--metrics", metrics)["pairs"]
        assert set(pair) - {"a", "b", "dialogues", "notes"} == set(names)
    (all_states,) = compare.json(CAREFUL, HASTY, "--metrics", "dst")["pairs"]
    assert pair["dst.JGA"] == pytest.approx(all_states["dst.JGA"])
    message = compare.refused("first", HASTY, "--gold", "2.4")
    assert "entry first: stores nothing of its turns against gold states 2.4" in message
    # A file of an entry's name is the file.
    (here / "first").write_bytes(HASTY.read_bytes())
    run = compare("first", CAREFUL)
    assert "dialogues are won by first only" in run.out


def test_the_public_board_is_at_hand_anywhere(compare: Cli, here: Path) -> None:
    # The package has no pairs.
    pairs = read_pairs(REPOSITORY, read_entries(REPOSITORY))
    (found,) = compare.json("mars", "krls")["pairs"]
    known = pairs.get(("mars", "krls"))
    for name in FIGURES:
        assert (found[name]["p"], found[name]["difference"]) == pytest.approx(
            (known.figures[name].p, -known.figures[name].difference)
        )


# Input that cannot be used.


def test_the_corpus_is_compared_without_bleu_against_itself(compare: Cli) -> None:
    compared = compare.json("corpus", "marco")
    assert [[*system["scores"]] for system in compared["systems"]] == [["inform", "success"]] * 2
    assert compared["systems"][0]["scores"]["success"]["value"] == 90.9
    (pair,) = compared["pairs"]
    assert {"inform", "success"} < pair.keys()
    assert not {"bleu", "combined"} & pair.keys()


def test_systems_that_do_not_compare_are_refused_with_reasons(compare: Cli, tmp_path: Path) -> None:
    """Belief states are another task, unless the metrics do not use them."""
    assert "bleu" in compare.json(CAREFUL, SCRIPTED, "--metrics", "bleu")["pairs"][0]
    whole = list(sample_predictions("careful").items())
    parts = [
        write_json(tmp_path / f"{name}.json", dict(some))
        for name, some in (("first", whole[:4]), ("second", whole[4:]))
    ]
    assert "first and second: the systems have no dialogue in common" in compare.refused(*parts)
    message = compare.refused(CAREFUL, SCRIPTED, "--metrics", "bleu,inform")
    assert "these scores do not compare" in message
    assert "careful and scripted: different sources of belief states: predicted and gold" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((CAREFUL,), "give a BASELINE and at least one SYSTEM"),
        ((CAREFUL, "nothing.json"), "nothing.json: no such file"),
        ((CAREFUL, HASTY, "--test", "student"), "'student' is not one of"),
        ((CAREFUL, HASTY, "--metrics", "blue"), "unknown metric 'blue'"),
        ((CAREFUL, HASTY, "--seeds"), "requires an argument"),
        ((CAREFUL, "--seeds", HASTY), "at least two seeds"),
    ],
)
def test_bad_input_is_refused(compare: Cli, arguments: tuple[object, ...], message: str) -> None:
    assert message in compare.refused(*arguments)


# How figures are shown.


@pytest.mark.parametrize(
    ("p", "text"),
    [
        *((1.0, "1"), (0.844, ".84"), (0.05, ".05"), (0.0312, ".031"), (0.00123, ".0012")),
        *((0.000443, "< .001"), (0.001, ".001"), (0.999, "1"), (0.96, ".96"), (0.0999, ".10")),
        # Two digits would put these on the other side of .05, or on it.
        *((0.0496, ".0496"), (0.04996, ".04996"), (0.0503, ".0503"), (0.0512, ".051")),
    ],
)
def test_p_has_two_digits_and_agrees_with_the_verdict(p: float, text: str) -> None:
    assert p_text(p) == text
    assert p_words(p) == (f"p {text}" if p < 0.001 else f"p = {text}")
    shown = float(text.removeprefix("< "))
    assert (shown < SIGNIFICANCE, shown > SIGNIFICANCE) == (p < SIGNIFICANCE, p > SIGNIFICANCE)


def test_trackers_are_compared_by_their_states(compare: Cli, tmp_path: Path) -> None:
    """Of eight dialogues of a turn, the first tracker has all right, the second none."""
    files = []
    for name, said in (("right", "west"), ("wrong", "east"), ("alike", "west")):
        turn = {"gt": {"hotel": {"area": "west"}}, "pr": {"hotel": {"area": said}}}
        content = {f"d{number}.json": {"0": turn} for number in range(8)}
        files.append(write_json(tmp_path / f"{name}.json", content))
    first, second = compare.json(*files)["pairs"]
    jga = first["dst.JGA"]
    assert (jga["a"], jga["b"], jga["difference"]) == (100, 0, -100)
    # All eight or none of them swapped: 2 of 2**8 samples, .0078, differ as much.
    assert abs(jga["p"] - 2 / 256) < 4 * math.sqrt(2 / 256 / 10_000)
    assert (second["b"], second["dst.JGA"]["p"]) == ("alike", 1.0)
    assert second["dst.JGA"]["p_holm"] == 1.0
    message = compare(files[0], files[1]).out
    assert "JGA 100.00 and 0.00: right has 100.00 more than wrong, p = .0" in message
    # All main figures are tested.
    assert {name for name in first if name.startswith("dst.")} >= {"dst.F1", "dst.FGA.0.5"}
    assert re.findall(r"^(\S+(?: λ=0.5)?) 100.00 and 0.00", message, re.MULTILINE) == [
        "JGA", "FGA λ=0.5", "GCA", "F1",
    ]  # fmt: skip
    assert "2.2,2.4: systems are compared by one version" in compare.refused(
        *files, "--gold", "2.2,2.4"
    )
    assert "states alone are compared by `dst`" in compare.refused(*files, "--metrics", "bleu")
    assert "--rules is not for states alone" in compare.refused(*files, "--rules", "2023")
    # What has neither is refused as predictions are.
    broken = write_json(tmp_path / "broken.json", {"town001": [{"respnse": "hi"}]})
    assert "`response` is missing" in compare.refused(broken, HASTY, "--benchmark", "sample")


def test_outputs_compare_with_trackers_by_states(compare: Cli, tmp_path: Path) -> None:
    states = {
        id_: [{"response": "", "state": turn["state"]} for turn in turns]
        for id_, turns in sample_predictions("careful").items()
    }
    tracker = write_json(tmp_path / "tracker.json", states)
    (pair,) = compare.json(tracker, HASTY, "--benchmark", "sample")["pairs"]
    (whole,) = compare.json(CAREFUL, HASTY, "--metrics", "dst")["pairs"]
    # The same figures, and the same chance, as of whole predictions.
    assert pair["dst.JGA"] == whole["dst.JGA"]
    assert "inform" not in pair


def test_dialogues_won_and_lost_are_listed_by_cause(cli: Cli, compare: Cli, here: Path) -> None:
    folder = first(cli)
    listed = compare("first", HASTY, "--metrics", "inform", "--dialogues").out
    (pair,) = compare.json("first", HASTY, "--metrics", "inform")["pairs"]
    won = f"Inform: first has more in {pair['inform']['only_a']} dialogues; what hasty loses them"
    assert won in listed
    assert "never said" not in listed.partition(won)[2].partition("\n\n")[0]
    # What entries store says the same.
    (folder / "first" / "predictions.json.gz").unlink()
    stored = compare("first", HASTY, "--metrics", "inform", "--dialogues").out
    assert stored.partition(won)[2] == listed.partition(won)[2]
    assert "--dialogues goes with --format text" in compare.refused(
        CAREFUL, HASTY, "--dialogues", "--format", "md"
    )


def test_trackers_win_dialogues_by_exact_turns(compare: Cli, tmp_path: Path) -> None:
    files = []
    for name, said in (("right", "west"), ("wrong", "east")):
        turn = {"gt": {"hotel": {"area": "west"}}, "pr": {"hotel": {"area": said}}}
        files.append(write_json(tmp_path / f"{name}.json", {"d0.json": {"0": turn}}))
    listed = compare(*files, "--dialogues").out
    won = "exact turns: right has more in 1 dialogue; what wrong loses them by"
    assert f"{won}\n  hotel-area wrong, 1: d0" in listed
    assert "exact turns: wrong has more in 0 dialogues" in listed


@pytest.mark.real_data
def test_published_trackers_differ_significantly(
    compare: Cli, upstream: Path, multiwoz: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "load_benchmark", lambda name: multiwoz)
    folder = upstream / "DARD" / "data" / "predictions"
    files = [folder / f"mistral_{name}_dst.json" for name in ("single_model", "domain_specific")]
    (pair,) = compare.json(*files)["pairs"]
    scores = [
        read_entry(PUBLISHED / f"dard-dst-mistral{name}").scores.result.result.metrics["JGA"]
        for name in ("-single", "")
    ]
    assert [pair["dst.JGA"]["a"], pair["dst.JGA"]["b"]] == pytest.approx(scores)
    assert 0.001 < pair["dst.JGA"]["p"] < 0.05


def test_no_length_and_no_seed_is_the_best(compare: Cli) -> None:
    run = compare(CAREFUL, HASTY, "--format", "md")
    (best,) = [line for line in run.out.splitlines() if line.startswith("| careful")]
    header = next(line for line in run.out.splitlines() if "dialogues" in line).split("|")
    cells = zip(header, best.split("|"), strict=True)
    bold = [title.strip() for title, cell in cells if "**" in cell]
    assert "Inform" in bold
    assert "tokens per response" not in bold
    run = compare("--seeds", CAREFUL, HASTY, "--format", "md")
    assert "**" not in run.out
